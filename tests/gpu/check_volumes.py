#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts recorded runs into volumes at every submission: the volumes' races, each judged alone, must be those of the whole run, as often in
all, as must what was not observed, and the volumes as one trace must have its report, byte for byte.

check_volumes.py VKRACE LEAST -- PROGRAM... [-- PROGRAM...]: records each program's run and compares; a word that ends with .vkrace is a
trace in place of a program, "--any-image" behind it how that is judged. LEAST: how many volumes all runs must make together. Exit status: 0
as expected, 1 not, 77 where every program skips itself.
"""
import collections
import json
import sys

from recorded_runs import SKIPPED, run, split_commands, traces_of


def replay(vkrace, folder, options, *traces):
    """What is printed, and the JSON report."""
    report = folder / "report.json"
    text = run(vkrace, "replay", *options, "--all-races", "--exit-code", "0", "--json", report, *traces)
    return text, report.read_text()


def races_of(text):
    """How often each race was found, by its identity, without the number that tells those of one report apart, and class."""
    found = collections.Counter()
    for race in json.loads(text)["races"]:
        found[race["id"].partition("-")[0], race["class"]] += race["count"]
    return found


def lacks_of(text):
    return {lack["text"] for lack in json.loads(text)["coverage"]}


def check(vkrace, trace, folder, options):
    """How many volumes there are."""
    whole = replay(vkrace, folder, options, trace)
    run(vkrace, "cut", "--quiet", *options, "--every", "1sub", "-o", folder / "part.vkrace", trace)
    volumes = sorted(folder.glob("part-*.vkrace"))
    races, lacks = collections.Counter(), set()
    for volume in volumes:
        _, alone = replay(vkrace, folder, options, volume)
        races += races_of(alone)
        lacks |= lacks_of(alone)
    if races != races_of(whole[1]):
        sys.exit(f"{trace}: the volumes lack {races_of(whole[1]) - races}, and have {races - races_of(whole[1])} of their own")
    if lacks != lacks_of(whole[1]):
        sys.exit(f"{trace}: of the whole run was not observed {lacks_of(whole[1])}, of its volumes {lacks}")
    if replay(vkrace, folder, options, folder) != whole:
        sys.exit(f"{trace}: the volumes as one trace have another report than the whole run")
    return len(volumes)


def main():
    vkrace, least = sys.argv[1], int(sys.argv[2])
    commands = split_commands(sys.argv[3:])
    made = checked = 0
    for command, trace, folder in traces_of(vkrace, commands):
        made += check(vkrace, trace, folder, command[1:] if command[0].endswith(".vkrace") else [])
        checked += 1
    print(f"{made} volumes")
    if checked == len(commands) and made < least:
        sys.exit(f"{checked} runs made {made} volumes only")
    sys.exit(0 if checked else SKIPPED)


main()
