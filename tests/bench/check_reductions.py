#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs with the reductions of what is logged, with summaries too, and without any: all must have the same races. How often each occurs, and where first, differs from run to run where invocations race for a ticket.

check_reductions.py [--twins] VKRACE -- PROGRAM... [-- PROGRAM...]: exit status 0 where they are. --twins: the last word of each program
tells whether it races, and other tests run it with all reductions, streams too.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import command_lists

SKIPPED = 77
LOGGED = "affine,words,repeats,iterations,run-lengths,uniform,readers"
RECORDED = f"summaries,{LOGGED}"


def report_of(vkrace, command, reduce):
    """The report, None where the program skips itself."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report.json"
        done = subprocess.run([vkrace, "run", "--quiet", "--exit-code", "0", "--json", path, "--",
                               *command], stdout=subprocess.DEVNULL, check=False,
                              env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0", **reduce})
        if done.returncode == SKIPPED:
            return None
        if done.returncode != 0:
            sys.exit(f"{command}: exit status {done.returncode}")
        return json.loads(path.read_text())


def races_of(report):
    """What tells one race from another, and what was not observed."""
    def place(access):
        return (access["operation"], access["object"], access["bytes"],
                access.get("source", {}).get("line", 0))
    races = sorted({(race["class"], *sorted((place(race["first"]), place(race["second"]))))
                    for race in report["races"]})
    # How far the judge was decides which of the host's accesses were samples.
    return report["verdict"], races, [lack for lack in report["coverage"] if lack["kind"] != "host"]


def check(vkrace, command, twins):
    """How many bytes of log the reductions saved."""
    whole = report_of(vkrace, command, {"VKRACE_REDUCE": "none"})
    if whole is None:
        return 0
    if twins and bool(whole["races"]) != (command[-1] == "race"):
        sys.exit(f"{command}: whole\n{json.dumps(whole)}")
    saved = 0
    for reduce in ({"VKRACE_REDUCE": LOGGED}, {"VKRACE_REDUCE": RECORDED}, *([] if twins else [{}])):
        reduced = report_of(vkrace, command, reduce)
        if races_of(reduced) != races_of(whole):
            sys.exit(f"{command}: {reduce}\n{json.dumps(reduced)}\nwhole\n{json.dumps(whole)}")
        saved += whole["log_bytes"] - reduced["log_bytes"]
    return saved


def main():
    words = sys.argv[1:]
    twins = words[0] == "--twins"
    if twins:
        words = words[1:]
    commands = command_lists.split(words[1:])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        saved = sum(pool.map(lambda command: check(words[0], command, twins), commands))
    print(f"{len(commands)} programs, {saved} bytes of log saved")
    if saved <= 0:
        sys.exit("nothing was left out of any log")


main()
