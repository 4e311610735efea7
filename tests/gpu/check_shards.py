#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges recorded runs whole and in parts: what is made of the parts must be the whole report, byte for byte.

check_shards.py VKRACE PARTS,PARTS... -- PROGRAM... [-- PROGRAM...]: records each program's run and compares. A word that ends with
.vkrace is a trace in place of a program. Exit status: 0 as expected, 1 not, 77 where every program skips itself.
"""
import sys

from recorded_runs import SKIPPED, run, split_commands, traces_of


def same(name, one, other):
    if one != other:
        sys.exit(f"{name}: the parts make another report\n--- whole\n{one}\n--- parts\n{other}")


def check(vkrace, trace, counts, folder):
    whole = run(vkrace, "report", "--json", trace)
    text = run(vkrace, "report", trace)
    for count in counts:
        parts = [folder / f"{part}.json" for part in range(1, count + 1)]
        for number, part in enumerate(parts, 1):
            run(vkrace, "replay", "--quiet", "--shard", f"{number}/{count}", "--json", part, trace)
        same(f"{trace} in {count} parts", whole, run(vkrace, "merge", *parts))
        same(f"{trace} in {count} parts", text, run(vkrace, "report", *parts))
    again = folder / "again.json"
    run(vkrace, "replay", "--quiet", "--exit-code", "0", "--jobs", "2", "--json", again, trace)
    same(f"{trace} by 2 processes", whole, again.read_text())


def check_repeated(vkrace, trace, folder):
    """A part that was judged again is the same, one that lacks is named, and others are refused."""
    parts = [folder / f"repeated{part}.json" for part in (1, 2)]
    for _ in range(2):
        before = parts[0].read_bytes() if parts[0].exists() else None
        for number, part in enumerate(parts, 1):
            run(vkrace, "replay", "--quiet", "--shard", f"{number}/2", "--json", part, trace)
        if before not in (None, parts[0].read_bytes()):
            sys.exit(f"{trace}: a part that was judged again is another one")
    lacking = run(vkrace, "merge", parts[1], parts[1], status=2)
    if "part 1 of 2 of" not in lacking or "is missing" not in lacking:
        sys.exit(f"a missing part: {lacking}")
    third = folder / "third.json"
    run(vkrace, "replay", "--quiet", "--shard", "3/3", "--json", third, trace)
    mixed = run(vkrace, "merge", *parts, third, status=2)
    if "that were not judged alike" not in mixed:
        sys.exit(f"parts of different numbers: {mixed}")


def main():
    vkrace, counts = sys.argv[1], [int(count) for count in sys.argv[2].split(",")]
    checked = 0
    for _, trace, folder in traces_of(vkrace, split_commands(sys.argv[3:])):
        check(vkrace, trace, counts, folder)
        if checked == 0:
            check_repeated(vkrace, trace, folder)
        checked += 1
    sys.exit(0 if checked else SKIPPED)


main()
