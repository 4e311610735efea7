#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs that log much, with 1, 2 and 11 repetitions: each trace must judge to the same report, and each repetition have the same accesses. Knows the vkrace command's options; nothing of how logs travel.

check_replay.py VKRACE -- PROGRAM... [-- PROGRAM...]: exit status 0 where it is so.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import command_lists

SKIPPED = 77
LOG_BYTES = 1 << 20  # at least: there is something to record
ACCESS_BYTES = 32  # of log, at most: words that came to nothing have no accesses


def accesses_of(vkrace, command):
    """How many were judged, live and again; None where the program skips itself."""
    with tempfile.TemporaryDirectory() as folder:
        trace, live, replayed = (pathlib.Path(folder) / name
                                 for name in ("trace", "live.json", "replayed.json"))
        judge = ["--quiet", "--exit-code", "0", "--json"]
        done = subprocess.run([vkrace, "run", *judge, live, "--trace", trace, "--", *command],
                              stdout=subprocess.DEVNULL, check=False)
        if done.returncode == SKIPPED:
            return None
        if done.returncode != 0:
            sys.exit(f"{command}: exit status {done.returncode}")
        subprocess.run([vkrace, "replay", *judge, replayed, trace], check=True)
        if live.read_bytes() != replayed.read_bytes():
            sys.exit(f"{command}: live\n{live.read_text()}\nreplayed\n{replayed.read_text()}")
        report = json.loads(live.read_text())
        if report["verdict"] != "none" or report["coverage"]:
            sys.exit(f"{command}: {live.read_text()}")
        if not LOG_BYTES <= report["log_bytes"] <= ACCESS_BYTES * report["accesses_judged"]:
            sys.exit(f"{command}: {report['log_bytes']} bytes of log")
    return report["accesses_judged"]


def check(vkrace, command):
    """False where the program skips itself."""
    one, two, eleven = (accesses_of(vkrace, [*command, count]) for count in ("1", "2", "11"))
    if one is None:
        return False
    if eleven - two != 9 * (two - one):
        sys.exit(f"{command}: {one}, {two}, {eleven} accesses")
    return True


def main():
    vkrace, commands = sys.argv[1], command_lists.split(sys.argv[2:])
    if not all([check(vkrace, command) for command in commands]):
        sys.exit(SKIPPED)


main()
