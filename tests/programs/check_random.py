#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares vkrace with synchronization validation on random programs.

The validation layer knows Vulkan's dependencies between commands by code of its own. For the same
random programs of commands the two must find races in the same programs. Exit status: 0 they do,
1 they do not, 77 there is no validation layer.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
NO_LEAKS = {"ASAN_OPTIONS": "detect_leaks=0"} # those of drivers are not ours to find
LAYER = {"VK_INSTANCE_LAYERS": "VK_LAYER_KHRONOS_validation", **NO_LEAKS}
# How releases of the layer are told to validate synchronization, all of it, newest first, and what
# they judge: that of Debian 12 knows nothing of submissions, and misses races of writes.
ALL, COPIES = [], ["copies"]
SETTINGS = (
    (ALL, {"VK_LAYER_VALIDATE_SYNC": "1",
           "VK_LAYER_SYNCVAL_SHADER_ACCESSES_HEURISTIC": "1",
           "VK_LAYER_SYNCVAL_LOAD_OP_AFTER_STORE_OP_VALIDATION": "1",
           "VK_LAYER_ENABLE_MESSAGE_LIMIT": "0"}),
    (COPIES, {"VK_LAYER_ENABLES":
              "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT"}),
)
OBJECT = r"p(\d+)\.[bi]\d+"


def programs_of(hazards):
    return {int(found) for line in hazards for found in re.findall(OBJECT, line)}


def by_validation(command):
    """The command as it is to be judged, the programs with hazards, and those that have others than
    WRITE_AFTER_WRITE."""
    for more, settings in SETTINGS:
        done = subprocess.run(command + more, env={**os.environ, **LAYER, **settings},
                              capture_output=True, text=True, errors="backslashreplace",
                              check=False)
        if done.returncode == SKIPPED or "LAYER_NOT_PRESENT" in done.stderr:
            print(done.stderr)
            sys.exit(SKIPPED)
        text = done.stdout + done.stderr
        if done.returncode != 0:
            sys.exit(f"under the validation layer: exit status {done.returncode}\n{text[-2000:]}")
        hazards = [line for line in text.splitlines() if re.search(" hazard ", line, re.I)]
        if hazards:
            return command + more, programs_of(hazards), programs_of(
                line for line in hazards if "WRITE_AFTER_WRITE" not in line)
    return command, set(), set()


def by_vkrace(options, command):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "report.json"
        done = subprocess.run([options.vkrace, "run", "--exit-code", "0", "--quiet", "--json",
                               str(path), "--", *command], env={**os.environ, **NO_LEAKS},
                              capture_output=True, text=True, errors="backslashreplace",
                              check=False)
        if done.returncode != 0:
            sys.exit(f"under vkrace: exit status {done.returncode}\n{done.stderr[-2000:]}")
        report = json.loads(path.read_text())
    if report["coverage"]:
        sys.exit(f"not observed: {report['coverage']}")
    return {int(re.match(OBJECT, race["first"]["object"])[1]) for race in report["races"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--first", default="0")
    parser.add_argument("--count", default="100")
    parser.add_argument("program")
    options = parser.parse_args()
    command = [options.program, options.first, options.count]
    command, theirs, surely = by_validation(command)
    ours = by_vkrace(options, command)
    print(f"{len(ours)} of {options.count} programs race, {len(theirs)} to the validation layer")
    wrong = surely - ours
    if command[3:] != COPIES:
        wrong |= ours - theirs
    for number in sorted(wrong):
        print(f"{number} races to {'vkrace' if number in ours else 'the validation layer'} only",
              flush=True)
        subprocess.run([options.program, str(number), "1", *command[3:], "show"], check=False)
    sys.exit(bool(wrong) or not ours)



main()
