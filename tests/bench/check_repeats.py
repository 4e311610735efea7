#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records programs, and judges each trace with dispatches that repeat judged once, and all of them
judged: the reports must be the same, and in the first one dispatches must have been repeated.

check_repeats.py VKRACE -- LEAST PROGRAM... [-- LEAST PROGRAM...]: LEAST dispatches at least. Exit
status 0 where it is so, 77 where a program skips itself.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import command_lists

SKIPPED = 77
RACES = 66


def report_of(vkrace, trace, *options):
    """The report without what judging it cost, and how many dispatches were repeated."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report.json"
        subprocess.run([vkrace, "replay", "--quiet", "--exit-code", "0", "--cost", "--json", path,
                        *options, trace], stderr=subprocess.DEVNULL, check=True)
        report = json.loads(path.read_text())
    return report, sum(cost["repeated"] for cost in report.pop("costs"))


def check(vkrace, least, command):
    """False where the program skips itself."""
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace"
        done = subprocess.run([vkrace, "run", "--quiet", "--no-judge", "--trace", trace, "--",
                               *command], stdout=subprocess.DEVNULL, check=False)
        if done.returncode == SKIPPED:
            return False
        if done.returncode not in (0, RACES):
            sys.exit(f"{command}: exit status {done.returncode}")
        once, repeated = report_of(vkrace, trace)
        whole, none = report_of(vkrace, trace, "--no-repeats")
    if once != whole:
        sys.exit(f"{command}: judged once\n{once}\nand whole\n{whole}")
    if repeated < least or none != 0:
        sys.exit(f"{command}: {repeated} dispatches repeated, and {none} with --no-repeats")
    return True


def main():
    vkrace, commands = sys.argv[1], command_lists.split(sys.argv[2:])
    if not all([check(vkrace, int(least), command) for least, *command in commands]):
        sys.exit(SKIPPED)


main()
