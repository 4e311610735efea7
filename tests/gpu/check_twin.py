#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program under the layer, compares its report with the expected one, and judges its trace again.

The program's command line follows "--". The expectation is a JSON object whose "race" is the list of expected races, each with class, object,
bytes of the first access (null: as many as the driver says), the two sites in any order, and perhaps the count. A shader's site is "FILE@MARK OPERATION":
the line of FILE that ends with the comment "// @MARK", or "FILE:LINE OPERATION" for any other line;
another command's is "COMMAND read|write"; the host's is "host read" and the like. "environment" is
set for the run. "shown" is a list of texts that the report of the race must hold, "unshown" of some that it
must not. Each change that the
report proposes as data must be proved by judging the trace with it: its races are gone, and no other
is there. "unproved" is the reason why a change cannot be. "coverage" lists the kinds of what is not observed, for
both variants, "race_coverage" for the racy one; without them everything must be. "may_miss" lists kinds that may stand there, any number of times. The fixed variant is expected to have no race. Exit status: 0 as expected, 1 not, 77 skipped.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

RACES_FOUND = 66
SKIPPED = 77


def marks_of(folder):
    """(file, line) -> mark, for the shaders in the folder."""
    marks = {}
    for shader in folder.iterdir():
        for number, line in enumerate(shader.read_text().splitlines(), 1):
            found = re.search(r"// @(\w+)$", line)
            if found:
                marks[shader.name, number] = found.group(1)
    return marks


def site_of(access, marks):
    if access["agent"] == "invocation":
        source = access["source"]
        name = os.path.basename(source["file"])
        mark = marks.get((name, source["line"]))
        place = f"{name}@{mark}" if mark else f"{name}:{source['line']}"
        return f"{place} {access['operation']}"
    if access["agent"] == "host":
        return access["operation"]
    kind = "write" if access["write"] else "read"
    return f"{access['command']['name']} {kind}"


def races_of(report, marks):
    races = []
    for race in report["races"]:
        sites = sorted([site_of(race["first"], marks), site_of(race["second"], marks)])
        entry = {
            "class": race["class"],
            "object": race["first"]["object"],
            "bytes": race["first"]["bytes"],
            "sites": sites,
        }
        if race["same_instruction"] and sites[0] != sites[1]:
            entry["same_instruction"] = "said, but the sites differ"
        entry["count"] = race["count"]
        races.append(entry)
    return sorted(races, key=json.dumps)


# Each command is told where the program called it; presentations are in no command buffer.
def check_places(report, live_text):
    for race in report["races"]:
        for access in (race["first"], race["second"]):
            command = access.get("command", {})
            place = command.get("recorded", ".c:") if command.get("command_buffer") else ".c:"
            if "hooks_" in place or ".c:" not in place:
                fail(f"a command recorded at '{place}'", live_text)


def expected_races(expectation, variant):
    races = expectation["race"] if variant == "race" else []
    for race in races:
        race["sites"].sort()
    return sorted(races, key=json.dumps)


def run(options, trace, live, more):
    """Exit status of the run and its report; what the program itself prints is left out.

    What drivers leak is not ours to find; the replay looks for our own leaks.
    """
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0", **more}
    done = subprocess.run([options.vkrace, "run", "--all-races", "--trace", trace, "--json", live, "--",
                           *options.command],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                          env=environment)
    # The process that starts the judge runs on a stack that AddressSanitizer does not know.
    text = re.sub(r"==\d+==WARNING: ASan is ignoring requested __asan_handle_no_return.*\n.*\n.*\n",
                  "", done.stderr.decode(errors="backslashreplace"))
    # Whether a race is told while the program runs depends on who is faster.
    return done.returncode, re.sub(r"^vkrace: found: .*\n", "", text, flags=re.M)


def replay(options, trace, again):
    done = subprocess.run([options.vkrace, "replay", "--all-races", "--json", again, trace],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode(errors="backslashreplace")


def check_changes(options, trace, folder, reason):
    """Every change that is proposed orders its races, or it is known not to."""
    checked = folder / "checked.json"
    done = subprocess.run([options.vkrace, "replay", "--check", "--exit-code", "0", "--json",
                           checked, trace], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    text = done.stdout.decode(errors="backslashreplace")
    if done.returncode != 0:
        fail(f"vkrace replay --check: exit status {done.returncode}", text)
    changes = json.loads(checked.read_text())["changes"]
    proved = [set(change["races"]) <= set(change["checked"]["gone"]) and
              not change["checked"]["new"] and "missed" not in change["checked"]
              for change in changes]
    if all(proved) != (reason is None):
        fail(f"changes are proved: {proved}, expected unproved: {reason}", text)


def fail(what, text):
    sys.exit(f"{what}\n{text}")


def check(options, folder):
    trace, live, again = (str(folder / name) for name in ("trace", "live.json", "again.json"))
    expectation = json.loads(options.expect.read_text())
    expected = expected_races(expectation, options.variant)
    status, live_text = run(options, trace, live, expectation.get("environment", {}))
    if status == SKIPPED:
        print(live_text)
        sys.exit(SKIPPED)
    if status != (RACES_FOUND if expected else 0):
        fail(f"vkrace run: exit status {status}", live_text)
    report = json.loads(pathlib.Path(live).read_text())
    found = races_of(report, marks_of(pathlib.Path(__file__).parent / "shaders"))
    for race, hoped in zip(found, expected):
        if hoped["bytes"] is None:  # as many as the driver says
            race["bytes"] = None
        if "count" not in hoped:
            del race["count"]
    if found != expected:
        fail("expected " + json.dumps(expected, indent=2),
             "found " + json.dumps(found, indent=2) + "\n" + live_text)
    check_places(report, live_text)
    for text in expectation.get("shown", []) if options.variant == "race" else []:
        if text not in live_text:
            fail(f"not in the report: {text}", live_text)
    for text in expectation.get("unshown", []):
        if text in live_text:
            fail(f"in the report: {text}", live_text)
    missed = [lack["kind"] for lack in report["coverage"]
              if lack["kind"] not in expectation.get("may_miss", [])]
    expected_missed = expectation.get("coverage", [])
    if options.variant == "race":
        expected_missed = expectation.get("race_coverage", expected_missed)
    if missed != expected_missed:
        fail("not observed is not what is expected", live_text)
    status, again_text = replay(options, trace, again)
    if status not in (0, RACES_FOUND):
        fail(f"vkrace replay: exit status {status}", again_text)
    if again_text != live_text:
        fail("the replayed report differs: live\n" + live_text, "replayed\n" + again_text)
    if pathlib.Path(again).read_bytes() != pathlib.Path(live).read_bytes():
        fail("the replayed JSON report differs from the live one", again_text)
    if options.variant == "race":
        check_changes(options, trace, folder, expectation.get("unproved"))
    print(live_text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--expect", required=True, type=pathlib.Path)
    parser.add_argument("--variant", required=True, choices=("race", "fixed"))
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        check(options, pathlib.Path(folder))


main()
