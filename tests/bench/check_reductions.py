#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs with the reductions of the log, with those of what is logged, without streams, and without any: all must have the same races. How often each occurs, and where first, differs from run to run where invocations race for a ticket.

check_reductions.py VKRACE -- PROGRAM... [-- PROGRAM...]: exit status 0 where they are.
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


def check(vkrace, command):
    """How many bytes of log the reductions saved."""
    reduced = report_of(vkrace, command, {})
    if reduced is None:
        return 0
    whole = report_of(vkrace, command, {"VKRACE_REDUCE": "none"})
    saved = whole.pop("log_bytes") - reduced.pop("log_bytes")
    for less in (reduced, *(report_of(vkrace, command, {"VKRACE_REDUCE": reductions})
                            for reductions in (LOGGED, RECORDED))):
        if races_of(less) != races_of(whole):
            sys.exit(f"{command}: reduced\n{json.dumps(less)}\nwhole\n{json.dumps(whole)}")
    return saved


def main():
    vkrace, commands = sys.argv[1], command_lists.split(sys.argv[2:])
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        saved = sum(pool.map(lambda command: check(vkrace, command), commands))
    print(f"{len(commands)} programs, {saved} bytes of log saved")
    if saved <= 0:
        sys.exit("nothing was left out of any log")


main()
