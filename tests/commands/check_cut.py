#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records random programs, and compares the volumes that their traces are cut into with the whole (check_volumes.py), or
what several threads judge with what one does (check_threads.py).

Exit status: 0 as expected, 1 not, 77 the driver cannot.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import random_programs
from command_play import play


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--check", required=True, help="check_volumes.py or check_threads.py")
    parser.add_argument("--with", dest="argument", default="1", help="how it cuts, or with how many threads it judges")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--kind", action="append")
    parser.add_argument("player")
    options = parser.parse_args()
    lacks = random_programs.lacking(options.player)
    for kind in options.kind or random_programs.KINDS:
        programs = [random_programs.make(number, kind, lacks)
                    for number in range(options.first, options.first + options.count)]
        with tempfile.TemporaryDirectory() as folder:
            trace = pathlib.Path(folder) / "run.vkrace"
            play(options, programs, "--trace", str(trace))
            done = subprocess.run([sys.executable, options.check, options.vkrace, options.argument, "--", str(trace)],
                                  capture_output=True, text=True, check=False)
            print(f"{kind}: {done.stdout}{done.stderr}")
            if done.returncode:
                sys.exit(f"programs {options.first} to {options.first + options.count - 1}")


main()
