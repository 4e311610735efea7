#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program nobody here wrote without and with the layer: what it prints and its exit status must be the same.

The command line follows "--". --races says what must be reported: "none", or a pattern that the
object of every race must match, of which there must be one. --observed: nothing may have stayed
unobserved. --draws: it is ended after some time, in which it must have had the device do something.
Exit status: 0 as expected, 1 not, 77 skipped, for lack of the program, of a driver that it runs on,
of output that is the same twice without the layer, or of time to draw.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
SECONDS = 120


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def run(command, options):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=SECONDS, check=False)
    output = done.stdout.decode(errors="backslashreplace")
    for pattern in options.ignore:
        output = re.sub(pattern, "", output, flags=re.MULTILINE)
    return done.returncode, output, done.stderr.decode(errors="backslashreplace")


def check_races(options, races):
    objects = [race["first"]["object"] for race in races]
    if options.races == "none":
        return not objects
    return bool(objects) and all(re.search(options.races, name) for name in objects)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--races", default="none")
    parser.add_argument("--observed", action="store_true")
    parser.add_argument("--draws", action="store_true")
    parser.add_argument("--ignore", action="append", default=[],
                        help="pattern of output that differs from run to run")
    parser.add_argument("--status", type=int, default=0, help="exit status without the layer")
    parser.add_argument("--needs", action="append", default=[], help="another program, or a file")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    for program in [options.command[0], *options.needs]:
        if not shutil.which(program) and not os.path.exists(program):
            skip(f"no {program}")
    driver = os.environ.get("VK_ICD_FILENAMES")
    if driver and not os.path.exists(driver):
        skip(f"no driver {driver}")
    plain = run(options.command, options)
    if plain[0] != options.status:
        skip(f"exit status {plain[0]} without the layer\n{plain[2]}")
    if run(options.command, options)[:2] != plain[:2]:
        skip("prints something else each time, without the layer too")
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        layered = run([options.vkrace, "run", "--exit-code", "0", "--json", report, "--",
                       *options.command], options)
        if layered[:2] != plain[:2]:
            sys.exit(f"without the layer {plain[0]}\n{plain[1]}\nwith it {layered[0]}\n"
                     f"{layered[1]}\n{layered[2]}")
        print(layered[2])
        # A program may end without a device: then there is no report.
        found = json.loads(report.read_text()) if report.exists() else {}
        if options.draws and not found.get("executions"):
            skip("it was ended before it drew anything")
        if not check_races(options, found.get("races", [])):
            sys.exit(f"races: expected {options.races}")
        if options.observed and found.get("coverage"):
            sys.exit("something was not observed")


main()
