#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Looks in recorded runs for what they do not need: nothing, but for what is written below, and that is proved.

check_lint_twins.py VKRACE -- PROGRAM... [-- PROGRAM...]: as check_volumes.py. Exit status: 0 as expected, 1 not, 77
where every program skips itself.
"""
import json
import sys

from recorded_runs import SKIPPED, run, split_commands, traces_of

# Of fixed twins: kinds of changes that leave something out, by the twin.
UNNEEDED = {
    "alias_written": ["remove"],
    "host_free": ["remove"],
    "image_free": ["remove"],
    "pass_initial_layout": ["remove"],
    "region_out_of_pass": ["remove"],
    "transition_behind": ["remove dependency"],
    "unused_layout": ["remove dependency"],
}


def check(vkrace, name, trace, folder):
    found = folder / "lint.json"
    found.write_text(run(vkrace, "lint", "--exit-code", "0", "--json", trace))
    kinds = sorted(change["kind"] for change in json.loads(found.read_text())["changes"])
    if kinds != UNNEEDED.get(name, []):
        sys.exit(f"{name}: {kinds}\n{run(vkrace, 'lint', '--exit-code', '0', trace)}")
    proof = run(vkrace, "replay", "--brief", "--exit-code", "0", "--apply", found, trace)
    if ", 0 new" not in proof:
        sys.exit(f"{name}: not proved\n{proof}")


def main():
    vkrace = sys.argv[1]
    count = 0
    for command, trace, folder in traces_of(vkrace, split_commands(sys.argv[2:])):
        check(vkrace, command[-2], trace, folder)
        count += 1
    print(f"{count} runs")
    sys.exit(0 if count else SKIPPED)


main()
