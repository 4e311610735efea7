#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs with the validation layer below vkrace's: what the layer makes of valid calls is valid.

Each --run is a command. What validation says of it alone is the program's; it must not say more of
what the layer hands on. Exit status: 0 it does not, 1 it does, 77 there is no validation layer.
"""
import argparse
import os
import re
import shlex
import subprocess
import sys

SKIPPED = 77
SECONDS = 120
VALIDATION = "VK_LAYER_KHRONOS_validation"
RULE = r"VUID-[\w-]+"


def broken_rules(command, layers):
    """The rules that validation, the last of the layers, finds broken, and what it says; None where
    the driver cannot run the program, or where there is no validation."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="backslashreplace", timeout=SECONDS, check=False,
                          env={**os.environ, "VK_INSTANCE_LAYERS": ":".join(layers)})
    if done.returncode == SKIPPED or "LAYER_NOT_PRESENT" in done.stderr:
        print(f"left out: {shlex.join(command)}\n{done.stdout}{done.stderr}")
        return None, ""
    text = done.stdout + done.stderr
    return set(re.findall(RULE, text)), text


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--run", action="append", required=True)
    options = parser.parse_args()
    under = [options.vkrace, "run", "--quiet", "--exit-code", "0", "--"]
    failed = ran = False
    for run in options.run:
        command = shlex.split(run)
        alone, _ = broken_rules(command, [VALIDATION])
        if alone is None:
            continue
        ran = True
        below, text = broken_rules(under + command, ["VK_LAYER_VKRACE_race", VALIDATION])
        more = (below or set()) - alone
        print(f"{len(alone)} rules broken, {len(more)} more under vkrace: {run}")
        for rule in sorted(more):
            failed = True
            print("  " + next(line for line in text.splitlines() if rule in line)[:600])
    sys.exit(failed if ran else SKIPPED)


main()
