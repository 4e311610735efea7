#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the changes that reports of random programs propose: what raced must race no longer.

All changes, those of render passes too, are made in the trace, and judged again by vkrace. And of
each program one race after the other, whose change is a barrier to be added, or bits to be added to
one: the changed program is run. Exit status: 0 every change was enough, 1 some were not, 77 the
driver cannot.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from collections import Counter

import random_programs
from command_play import OBJECT, line_of, play
from command_program import Line
from random_scopes import BOTTOM, TOP

STAGES = {"ALL_COMMANDS": 1 << 16, "COMPUTE_SHADER": 1 << 11, "CONDITIONAL_RENDERING_EXT": 1 << 18,
          "DRAW_INDIRECT": 1 << 1, "HOST": 1 << 14, "TRANSFER": 1 << 12}
ACCESSES = {"NONE": 0, "CONDITIONAL_RENDERING_READ_EXT": 1 << 20, "HOST_READ": 1 << 13,
            "HOST_WRITE": 1 << 14, "INDIRECT_COMMAND_READ": 1 << 0, "MEMORY_WRITE": 1 << 16,
            "SHADER_READ": 1 << 5, "SHADER_WRITE": 1 << 6, "TRANSFER_READ": 1 << 11,
            "TRANSFER_WRITE": 1 << 12, "UNIFORM_READ": 1 << 3}
KEYS = {"srcStageMask": "from", "dstStageMask": "to", "srcAccessMask": "from_access",
        "dstAccessMask": "to_access"}
NEW = re.compile(r"add a vkCmdPipelineBarrier (?:between commands|before command|behind command) "
                 r"[^:]*: (.*)$")
MORE = re.compile(r"add (\S+) to the ((?:src|dst)\w+Mask)")
COMMAND = re.compile(r"in command (\d+)")
BARRIERS = ("barrier", "barrier2")
KINDS = ("buffers", "images", "both", "queues", "host", "queries") # the changed programs are run
PROVED = ("passes", "both", "host", "queues", "all") # vkrace tries the changes


class Unknown(Exception):
    """A change that this test cannot make."""


def mask_of(key, names):
    known = ACCESSES if key.endswith("access") else STAGES
    mask = 0
    for name in names.split("|"):
        if name not in known:
            raise Unknown(name)
        mask |= known[name]
    return mask


def masks_of(text):
    """The words of a barrier that is written out."""
    pairs = [part.split(" ", 1) for part in text.split(", ")]
    return {KEYS[name]: mask_of(KEYS[name], names) for name, names in pairs}


def with_barrier(program, before, masks):
    """With one more barrier before a line."""
    stages = {key: masks[key] for key in ("from", "to")}
    program.lines.insert(before - 1, Line("barrier", stages, [Line("memory", masks)]))
    return program


def lines_of_command(program, lines, number):
    """The lines that may be a command of that number in the command buffer of either of two lines."""
    found = set()
    for line in lines:
        begin = max(at for at in range(1, line + 1) if program.lines[at - 1].op == "begin")
        if begin + number <= len(program.lines) and program.lines[begin + number - 1].op in BARRIERS:
            found.add(begin + number)
    return found


def with_bits(program, lines, text):
    """With more bits in the masks of a barrier."""
    found = lines_of_command(program, lines, int(COMMAND.search(text)[1]))
    if len(found) != 1:
        raise Unknown("which barrier it is")
    barrier = program.lines[found.pop() - 1]
    if barrier["inside"]:
        raise Unknown("a barrier in a pass")
    # Known: of a barrier without accesses no stages are proposed, where its own have none.
    if barrier["from"] == BOTTOM or barrier["to"] == TOP:
        raise Unknown("stages without accesses")
    if not barrier.parts:
        barrier.parts.append(Line("memory", {"from": barrier["from"], "to": barrier["to"]}))
    for names, name in MORE.findall(text):
        key = KEYS[name]
        for part in [barrier, *barrier.parts] if "access" not in key else barrier.parts:
            part.words[key] = part[key] | mask_of(key, names)
    return program


def changed(program, race):
    """The program with what the race's change says, and where a line was added."""
    lines = [line_of(race[side]) for side in ("first", "second")]
    change = race["change"]
    new = NEW.match(change)
    if "vkInvalidate" in change or any(line["secondary"] for line in program.lines):
        raise Unknown(change) # commands of secondaries are counted with those of what runs them
    if new and "behind command" in change and lines[0]:
        return with_barrier(program, lines[0] + 1, masks_of(new[1])), lines[0] + 1
    if new and lines[1]:
        return with_barrier(program, lines[1], masks_of(new[1])), lines[1]
    more = MORE.match(change) and "PipelineBarrier" in change and "widen" not in change
    if more and None not in lines:
        return with_bits(program, lines, change), len(program.lines) + 1
    raise Unknown(change)


def key_of(race, added=None):
    """What is the same race, before and behind the change."""
    name = OBJECT.match(race["first"]["object"])
    sides = []
    for side in ("first", "second"):
        line = line_of(race[side])
        if added is not None and line is not None and line >= added:
            line += 1
        sides.append((line, race[side]["operation"]))
    return int(name[1]), name[2], tuple(sides)


def races_of(report):
    by_program = {}
    for race in report["races"]:
        by_program.setdefault(key_of(race)[0], []).append(race)
    return by_program


def check(options, kind):
    """How many changes were not enough."""
    programs = {number: random_programs.make(number, kind)
                for number in range(options.first, options.first + options.count)}
    races = races_of(play(options, programs.values()))
    made, wrong, unknown = 0, 0, 0
    for turn in range(options.races):
        several, wanted = [], {}
        for number, program in programs.items():
            race = races.get(number, [])[turn:turn + 1]
            if not race:
                continue
            try:
                other, added = changed(program.copy(), race[0])
            except Unknown:
                unknown += 1
                continue
            several.append(other)
            wanted[number] = (key_of(race[0], added), race[0], other)
        left = races_of(play(options, several)) if several else {}
        made += len(several)
        for number, (key, race, other) in wanted.items():
            still = [one for one in left.get(number, []) if key_of(one) == key]
            for one in still:
                print(f"---- {kind} {number}: {key}\nbefore: {race['class']}: {race['missing']}\n"
                      f"        {race['change']}\nbehind: {one['class']}: {one['missing']}\n"
                      f"        {one['change']}\n{other.shown()}")
            wrong += bool(still)
    print(f"{kind}: {made} changes made, {unknown} of other kinds, {wrong} not enough")
    return wrong


def sides_of(race):
    """The lines of a race, which its ids leave out, and what was done there."""
    return race["first"]["object"], race["class"], frozenset(
        (line_of(race[side]), race[side]["operation"]) for side in ("first", "second"))


def made_in(options, trace, change, folder):
    """The races of the trace with the change."""
    changes, after = folder / "change.json", folder / "after.json"
    changes.write_text(json.dumps({"changes": [change]}))
    subprocess.run([options.vkrace, "replay", "--exit-code", "0", "--quiet", "--json", after,
                    "--apply", changes, trace], check=True)
    return json.loads(after.read_text())["races"]


def prove(options, kind, folder):
    """How many changes were not enough that vkrace made in a trace of the programs.

    A shader that several commands run has one race for all of them: it is gone where none is left
    at its lines. Races that others hid may be new.
    """
    programs = [random_programs.make(number, kind)
                for number in range(options.first, options.first + options.count)]
    trace = folder / "trace"
    report = play(options, programs, "--check", "--trace", trace)
    races = {race["id"]: race for race in report["races"]}
    proposed = {race for change in report["changes"] for race in change["races"]}
    wrong = 0
    for change in report["changes"]:
        if "missed" in change["checked"]:
            print(f"---- {kind}: {change['kind']}: {change['checked']['missed']}\n{change['code']}")
            wrong += 1
            continue
        left = set(change["races"]) - set(change["checked"]["gone"])
        if not left:
            continue
        after = {sides_of(race) for race in made_in(options, trace, change, folder)}
        still = [races[race] for race in left if sides_of(races[race]) in after]
        for race in still:
            print(f"---- {kind}: {change['kind']}: {sides_of(race)}\n{race['missing']}\n"
                  f"{race['change']}\n{change['code']}")
        wrong += bool(still)
    print(f"{kind}: {len(races)} races, {len(races.keys() - proposed)} with words only, {wrong} of "
          f"{len(report['changes'])} changes not enough: "
          f"{dict(Counter(change['kind'] for change in report['changes']))}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--races", type=int, default=3, help="of a program")
    parser.add_argument("--kind", action="append")
    parser.add_argument("player")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wrong = sum(prove(options, kind, pathlib.Path(folder)) for kind in options.kind or PROVED)
    wrong += sum(check(options, kind) for kind in options.kind or KINDS)
    sys.exit(wrong > 0)


main()
