#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares vkrace with the oracle on random programs.

Exit status: 0 they agree, 1 they do not, 77 the driver cannot.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import command_oracle
import command_program
import random_programs

SKIPPED = 77
NO_LEAKS = {"ASAN_OPTIONS": "detect_leaks=0"} # those of drivers are not ours to find
OBJECT = re.compile(r"p(\d+)\.([biq]\d+)")
LABEL = re.compile(r"p(\d+)\.l(\d+)")
FAR = re.compile(r"how far .* reaches is not known: it may race in p(\d+)\.(i\d+) with ")


def play(options, programs):
    """vkrace's report of programs."""
    with tempfile.TemporaryDirectory() as folder:
        path, text = pathlib.Path(folder) / "report.json", pathlib.Path(folder) / "programs"
        text.write_text("".join(program.text() for program in programs))
        done = subprocess.run([options.vkrace, "run", "--exit-code", "0", "--quiet", "--json",
                               str(path), "--noncoherent", "--host", "precise", "--", options.player, str(text)],
                              env={**os.environ, **NO_LEAKS}, capture_output=True, text=True,
                              errors="backslashreplace", check=False)
        if done.returncode == SKIPPED:
            print(done.stderr)
            sys.exit(SKIPPED)
        if done.returncode != 0:
            sys.exit(f"under vkrace: exit status {done.returncode}\n{done.stderr[-2000:]}")
        return json.loads(path.read_text())


def line_of(access):
    """The line of the program that an access belongs to; None: the host's."""
    found = LABEL.findall(access.get("command", {}).get("labels", ""))
    return int(found[-1][1]) if found else None


def by_vkrace(options, programs):
    """By program: (object, lines, class) of what races, and the objects in which something may race
    that it is not known how far it reaches; and what else was not observed."""
    report = play(options, programs)
    found = {program.number: set() for program in programs}
    perhaps = {program.number: set() for program in programs}
    lost = []
    for entry in report["coverage"]:
        far = FAR.match(entry["text"])
        if far:
            perhaps[int(far[1])].add(far[2])
        else:
            lost.append(entry)
    for race in report["races"]:
        name = OBJECT.match(race["first"]["object"])
        lines = tuple(sorted((line_of(race[side]) or 0 for side in ("first", "second"))))
        found[int(name[1])].add((name[2], lines, race["class"]))
    return found, perhaps, lost


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
    for kind in options.kind or random_programs.KINDS:
        programs = [random_programs.make(number, kind)
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
