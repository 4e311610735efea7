#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares vkrace with the oracle on random programs.

Exit status: 0 they agree, 1 they do not, 77 the driver cannot.
"""
import argparse
import sys

import command_oracle
import command_program
import random_programs
from command_play import by_vkrace


def name_of(cells):
    cell = next(iter(cells))
    return f"{cell[0]}{cell[1]}"


def by_oracle(program, wide, far=False):
    """(object, lines, class) of what races."""
    found = set()
    for first, second, kind, cells in command_oracle.races(program, True, wide, far):
        lines = tuple(sorted((0 if access.where == "host" else access.line
                              for access in (first, second))))
        found.add((name_of(cells), lines, kind))
    return found


def difference(ours, theirs, surely):
    """What disagrees: vkrace keeps of each place the last write and the reads behind it, so that it
    has a race of each object that has any, and none that is none. `surely`: what races where more is
    taken as ordered (command_walk.py)."""
    lines = {(name, lines) for name, lines, _ in theirs}
    false = sorted(race for race in ours if race[:2] not in lines)
    missed = sorted({name for name, _, _ in surely} - {name for name, _, _ in ours})
    other = sorted(race for race in ours if race[:2] in lines and race not in theirs)
    return false, missed, other


def second_forms(program):
    """The same in the second form: each barrier is a dependency, and the command's own is one more."""
    for line in program.lines:
        if line.op != "barrier" or line["inside"]:
            continue
        line.op = "barrier2"
        masks = {"from": line["from"], "to": line["to"]}
        line.parts.append(command_program.Line("memory", masks))
        line.words = {}
    return program


def wider(program):
    """Every barrier's masks with all that there is: races may go, and none comes."""
    masks = {"from": 1 << 16, "to": 1 << 16, "from_access": 3 << 15, "to_access": 3 << 15}
    for line in program.lines:
        if line.op in ("barrier", "barrier2") and not line["inside"]:
            for part in [line, *line.parts] if line.op == "barrier" else line.parts:
                part.words |= {key: part[key] | more for key, more in masks.items()}
    return program


def with_barriers(program):
    """A full barrier behind every barrier."""
    full = random_programs.full_barrier()
    program.lines = [copy for line in program.lines for copy in
                     ([line, full.copy()] if line.op in ("barrier", "barrier2") and not line["inside"] else [line])]
    return program


def objects_of(races):
    return {name for name, _, _ in races}


def check_changes(options, programs):
    """What changed programs race in: the same for those in the second form, else no more."""
    count = 0
    found, _, _ = by_vkrace(options, programs)
    for change in (second_forms, wider, with_barriers):
        changed, _, _ = by_vkrace(options, [change(program.copy()) for program in programs])
        for program in programs:
            before, after = objects_of(found[program.number]), objects_of(changed[program.number])
            if after - before or change is second_forms and after != before:
                print(f"---- program {program.number}, {change.__name__}: {sorted(before)} race, "
                      f"then {sorted(after)}\n{program.shown()}")
                count += 1
    return count


def falsely_far(program, perhaps):
    """Objects in which nothing races however far things reach."""
    return sorted(perhaps - objects_of(by_oracle(program, False, far=True))) if perhaps else []


def show(program, ours, theirs, parts):
    print(f"---- program {program.number}")
    print(program.shown())
    for name, found in zip(("false", "missed", "other class", "falsely perhaps"), parts):
        if found:
            print(f"{name}: {found}")
    print(f"vkrace: {sorted(ours)}\noracle: {sorted(theirs)}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--kind", action="append")
    parser.add_argument("--classes", action="store_true", help="other classes are differences")
    parser.add_argument("--shown", type=int, default=10)
    parser.add_argument("player")
    options = parser.parse_args()
    wrong = 0
    lacks = random_programs.lacking(options.player)
    for kind in options.kind or random_programs.KINDS:
        programs = [random_programs.make(number, kind, lacks)
                    for number in range(options.first, options.first + options.count)]
        found, perhaps, lost = by_vkrace(options, programs)
        racing = 0
        for program in programs:
            ours, theirs = found[program.number], by_oracle(program, False)
            racing += bool(theirs)
            parts = [*difference(ours, theirs, by_oracle(program, True)),
                     falsely_far(program, perhaps[program.number])]
            if parts[0] or parts[1] or (options.classes and parts[2]) or parts[3]:
                wrong += 1
                if wrong <= options.shown:
                    show(program, ours, theirs, parts)
        print(f"{kind}: {racing} of {options.count} programs race; not observed: {lost}")
        wrong += bool(lost)
        wrong += check_changes(options, programs)
    print(f"{wrong} differences")
    sys.exit(bool(wrong))


main()
