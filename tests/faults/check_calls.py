#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the driver's calls of a command, made by a program alone and under vkrace.

The program's command line follows "--". Under vkrace there must be --more of them (default 0).
Exit status: 0 as expected, 1 not, 77 skipped.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
VKRACE, FAULTS = "VK_LAYER_VKRACE_race", "VK_LAYER_VKRACE_test_faults"


def count_calls(options, layers, prefix):
    with tempfile.TemporaryDirectory() as folder:
        calls = pathlib.Path(folder, "calls")
        done = subprocess.run(
            prefix + options.program, stdout=subprocess.DEVNULL, check=False,
            env={**os.environ, "VK_LAYER_PATH": options.layers,
                 "VK_INSTANCE_LAYERS": ":".join(layers), "VKRACE_TEST_CALLS": str(calls)})
        if done.returncode:
            sys.exit(done.returncode if done.returncode == SKIPPED else
                     f"{prefix + options.program}: exit status {done.returncode}")
        return sum(line.split()[0] == options.command for line in calls.read_text().splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--layers", required=True, help="the folder of layers for tests")
    parser.add_argument("--command", required=True)
    parser.add_argument("--more", type=int, default=0)
    parser.add_argument("program", nargs="+")
    options = parser.parse_args()
    alone = count_calls(options, [FAULTS], [])
    under = count_calls(options, [VKRACE, FAULTS],
                        [options.vkrace, "run", "--quiet", "--exit-code", "0", "--"])
    print(f"{options.command}: {alone} calls alone, {under} under vkrace")
    if not alone or under - alone != options.more:
        sys.exit(f"expected {options.more} more")


if __name__ == "__main__":
    main()
