#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what vkrace reports of written programs with what they say (command_scenarios.py).

Exit status: 0 they agree, 1 they do not, 77 the driver cannot.
"""
import argparse
import pathlib
import re
import sys

import command_scenarios
from command_play import by_vkrace


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--only", default="", help="programs whose name has this")
    parser.add_argument("player")
    parser.add_argument("file", type=pathlib.Path)
    options = parser.parse_args()
    scenarios = [scenario for scenario in command_scenarios.read(options.file)
                 if re.search(options.only, scenario.name)]
    found, perhaps, lost = by_vkrace(options, [scenario.program for scenario in scenarios])
    wrong = 0
    for scenario in scenarios:
        at = scenario.program.number
        if found[at] != scenario.expected or perhaps[at] != scenario.perhaps:
            wrong += 1
            print(f"---- {scenario.name}\n{scenario.program.shown()}\n"
                  f"expected: {sorted(scenario.expected)}\nreported: {sorted(found[at])}\n"
                  f"perhaps: {sorted(perhaps[at])}")
    print(f"{wrong} of {len(scenarios)} programs differ; not observed: {lost}")
    sys.exit(bool(wrong or lost))


main()
