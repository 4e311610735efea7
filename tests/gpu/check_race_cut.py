#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts recorded runs down to each of their races: the race must be in what is left as it was in the whole, with no race that the whole does
not have, and what is left must not be larger.

check_race_cut.py VKRACE LEAST -- PROGRAM... [-- PROGRAM...]: as check_volumes.py. LEAST: how many races there must be. Exit status: 0 as
expected, 1 not, 77 where every program skips itself.
"""
import json
import sys

from recorded_runs import SKIPPED, run, split_commands, traces_of


def races_of(vkrace, folder, trace):
    """Each race by its id, without how often and where else it was found."""
    report = folder / "report.json"
    run(vkrace, "replay", "--quiet", "--exit-code", "0", "--json", report, trace)
    races = {}
    for race in json.loads(report.read_text())["races"]:
        for much in ("count", "extent", "cause"):
            race.pop(much, None)
        races[race.pop("id")] = race
    return races


def plain(name):
    return name.partition("-")[0]


def check(vkrace, trace, folder):
    """How many races there are."""
    whole = races_of(vkrace, folder, trace)
    for name, race in whole.items():
        small = folder / "small.vkrace"
        run(vkrace, "cut", "--quiet", "-o", small, trace, name)
        left = races_of(vkrace, folder, small)
        if not any(plain(other) == plain(name) and found == race for other, found in left.items()):
            sys.exit(f"{trace}: race {name} is not in what is left as it was: {json.dumps(race)}, {json.dumps(left)}")
        if {plain(other) for other in left} - {plain(other) for other in whole}:
            sys.exit(f"{trace}: what race {name} needs has races of its own: {list(left)}, and the whole {list(whole)}")
        if small.stat().st_size > trace.stat().st_size + 4096:
            sys.exit(f"{trace}: what race {name} needs is larger than the whole")
        small.unlink()
    return len(whole)


def main():
    vkrace, least = sys.argv[1], int(sys.argv[2])
    commands = split_commands(sys.argv[3:])
    races = checked = 0
    for _, trace, folder in traces_of(vkrace, commands):
        races += check(vkrace, trace, folder)
        checked += 1
    print(f"{races} races")
    if checked == len(commands) and races < least:
        sys.exit(f"{checked} runs had {races} races only")
    sys.exit(0 if checked else SKIPPED)


main()
