#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a trace takes as it grows: bench_accesses.py VKRACE [--least N] [--most N] [--parts N] -- NAME COUNT PROGRAM... [-- TRACE.vkrace].

Each row is a program, whose last word is added: how much it does, first COUNT and then ten times as much each time, as long as ten times
the accesses of the last run are at most --most (10,000,000). A word that ends with .vkrace is a trace, judged as it is. For each run of at
least --least accesses (100,000): accesses judged, bytes of trace for each of them, and of `vkrace replay` the processor seconds, the
nanoseconds for each access, and the largest memory in MiB. --parts N judges each of N parts, too: the processor time of all of them and of
the largest one, against the whole. Exit status: 77 where every row skips itself.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77


def measure(*command):
    """Processor seconds and MiB."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command}: exit status {process.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def replay(vkrace, trace, report, *options):
    return measure(vkrace, "replay", "--quiet", "--exit-code", "0", "--json", report, *options, trace)


def record(vkrace, command, trace):
    """Whether there is a trace."""
    done = subprocess.run([vkrace, "run", "--quiet", "--no-judge", "--exit-code", "0", "--trace", trace, "--", *command],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    return done.returncode == 0 and trace.exists()


def describe(name, vkrace, trace, parts, folder):
    """A run's accesses, and its line."""
    report = folder / "report.json"
    seconds, mebibytes = replay(vkrace, trace, report)
    judged = json.loads(report.read_text())["accesses_judged"]
    line = (f"{name:12}{judged:15,}{trace.stat().st_size / max(judged, 1):9.4f}{seconds:9.2f}{seconds / max(judged, 1) * 1e9:9.1f}"
            f"{mebibytes:8.0f}")
    if parts:
        each = [replay(vkrace, trace, folder / "part.json", "--shard", f"{part}/{parts}")[0] for part in range(1, parts + 1)]
        line += f"{sum(each) / seconds:8.2f}{max(each) / seconds:9.2f}"
    return judged, line


def grow(name, count, program, arguments, folder):
    trace = folder / "run.vkrace"
    judged = 0
    while judged * 10 <= arguments.most:
        if not record(arguments.vkrace, [*program, str(count)], trace):
            print(f"{name:12}  skipped: {' '.join(program)} {count}")
            return False
        judged, line = describe(name, arguments.vkrace, trace, arguments.parts, folder)
        if judged >= arguments.least:
            print(line, flush=True)
        count *= 10
        trace.unlink()
    return True


def main():
    reader = argparse.ArgumentParser(add_help=False)
    reader.add_argument("vkrace")
    reader.add_argument("--least", type=int, default=100_000)
    reader.add_argument("--most", type=int, default=10_000_000)
    reader.add_argument("--parts", type=int, default=0)
    words = sys.argv[1:]
    split = words.index("--") if "--" in words else len(words)
    arguments = reader.parse_args(words[:split])
    rows = []
    for word in words[split:]:
        if word == "--":
            rows.append([])
        else:
            rows[-1].append(word)
    print(f"{'row':12}{'accesses':>15}{'bytes':>9}{'seconds':>9}{'ns':>9}{'MiB':>8}" + ("   parts  largest" if arguments.parts else ""))
    shown = False
    for row in rows:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            if row[0].endswith(".vkrace"):
                print(describe(pathlib.Path(row[0]).stem, arguments.vkrace, pathlib.Path(row[0]), arguments.parts, folder)[1], flush=True)
                shown = True
            else:
                shown = grow(row[0], int(row[1]), row[2:], arguments, folder) or shown
    sys.exit(0 if shown else SKIPPED)


main()
