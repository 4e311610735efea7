#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A day with it: check_day.py VKRACE PROGRAM RACES ROUNDS.

The program has as many causes of races as given. Whoever makes the changes that a report proposes,
and looks again, has none left after at most so many rounds. "PROGRAM fixed" has that code. Exit status 77 where the driver cannot.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def run(arguments, expected):
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          text=True, env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0",
                                          "VKRACE_HOST": "annotated"})
    if done.returncode == 77:
        sys.exit(77)
    if done.returncode not in expected:
        sys.exit(f"{arguments}: exit status {done.returncode}, expected {expected}\n{done.stdout}")
    return done.stdout


def main():
    vkrace, program, causes, most = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trace, report_file, changes_file = (folder / file for file in ("trace", "report", "changes"))
        text = run([vkrace, "run", "--trace", trace, "--json", report_file, "--", program], (66,))
        report = json.loads(report_file.read_text())
        found = len({race["cause"] for race in report["races"]})
        if found != causes:
            sys.exit(f"{found} causes are found, expected {causes}\n{text}")
        changes, rounds = [], 0
        while report["verdict"] == "races":
            if not report["changes"] or rounds == most:
                sys.exit(f"races are left after {rounds} rounds, {len(changes)} changes\n{text}")
            rounds += 1
            changes += report["changes"]
            changes_file.write_text(json.dumps({"changes": changes}))
            text = run([vkrace, "replay", "--apply", changes_file, "--json", report_file, trace],
                       (0, 66))
            report = json.loads(report_file.read_text())
        if report["verdict"] != "none":
            sys.exit(f"the verdict is {report['verdict']}\n{text}")
        text = run([vkrace, "run", "--fail-on", "races,unjudged,incomplete", "--", program, "fixed"], (0,))
        print(f"{found} causes, {len(changes)} changes, {rounds} rounds")


if __name__ == "__main__":
    main()
