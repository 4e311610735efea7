#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries what reports propose under each memory model, by --check, and compares it to what --apply comes to.

The second program has a race that is none for the HRF models, so that a trial by another model than
the report's would find more, and a change that is enough for these alone: with it Vulkan's find a
race that they did not tell before. And a barrier without access masks is enough for the HRF models,
to which execution dependencies are all, and not for Vulkan's. Exit status: 1 a trial is not
that of its model, 77 the driver cannot.
"""
import argparse
import copy
import json
import pathlib
import subprocess
import sys
import tempfile

import random_programs
from command_play import play

PROGRAMS = [(17, "passes"), (12, "buffers")]
MODELS = {"vulkan": False, "vulkan-2018": False, "hrf-direct": True, "hrf-indirect": True, "hrf-opencl": True}


def replay(options, trace, folder, model, *more):
    path = folder / "report.json"
    subprocess.run([options.vkrace, "replay", "--exit-code", "0", "--quiet", "--json", path, "--model", model, *more,
                    trace], check=True)
    return json.loads(path.read_text())


def races_with(options, trace, folder, model, change):
    """The ids of the races that are left with the change."""
    file = folder / "change.json"
    file.write_text(json.dumps({"changes": [change]}))
    return {race["id"] for race in replay(options, trace, folder, model, "--apply", file)["races"]}


def is_enough(change):
    return set(change["races"]) <= set(change["checked"]["gone"]) and not change["checked"]["new"]


def without_accesses(change):
    other = copy.deepcopy(change)
    other["masks"].update(source_access=[], destination_access=[])
    return other


def check(options, trace, folder, model, by_execution):
    wrong = []
    report = replay(options, trace, folder, model, "--check")
    before = {race["id"] for race in report["races"]}
    if report.get("model", "vulkan") != model:
        wrong.append("the report names another model")
    enough = [is_enough(change) for change in report["changes"]]
    if True not in enough or (False in enough) == by_execution:
        wrong.append(f"changes that are enough: {enough}")
    for change in report["changes"]:
        after = races_with(options, trace, folder, model, change)
        checked = change["checked"]
        if (set(checked["gone"]), set(checked["new"])) != (before - after, after - before):
            wrong.append(f"{change['where']}: {checked}, but --apply leaves {after} of {before}")
    cleared = [change for change in report["changes"]
               if change["kind"] == "barrier before" and is_enough(change)]
    for change in cleared:
        after = races_with(options, trace, folder, model, without_accesses(change))
        if (len(after) < len(before)) != by_execution: # what is left may be of another class
            wrong.append(f"without accesses {change['where']} leaves {after}")
    if not cleared:
        wrong.append("no barrier is enough")
    print(f"{model}: {len(before)} races, changes that are enough: {enough}", *wrong, sep="\n  ")
    return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("player")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        trace = folder / "trace"
        play(options, [random_programs.make(*program) for program in PROGRAMS], "--trace", trace)
        right = [check(options, trace, folder, *model) for model in MODELS.items()]
    sys.exit(not all(right))


main()
