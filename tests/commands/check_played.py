#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plays random and written programs with the validation layer: they are valid, whether they race or not.

Exit status: 0 they are, 1 they are not, 77 the driver cannot, or there is no validation layer.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import command_play
import command_scenarios
import random_programs

SKIPPED = 77
LAYERS = "VK_LAYER_KHRONOS_validation:VK_LAYER_VKRACE_test_families"
RULE = r"VUID-[\w-]+"
MEANT = {
    # Where the layer of Debian 12 compares stages that it has expanded with those that it has not.
    "VUID-vkCmdPipelineBarrier-pDependencies-02285",
    # Resources that other families own, and halves of transfers without the other: races.
    "VUID-vkQueueSubmit-pSubmits-02207", "VUID-vkQueueSubmit2-commandBuffer-03879",
    # Of the device that all tests have.
    "VUID-VkDeviceCreateInfo-None-08095",
}


def broken_rules(player, kind, programs):
    """The rules that programs break, with what is said of them."""
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder) / "programs"
        text.write_text("".join(program.text() for program in programs))
        environment = {**os.environ, **command_play.NO_LEAKS, "VK_INSTANCE_LAYERS": LAYERS}
        done = subprocess.run([player, str(text)], env=environment, capture_output=True, text=True,
                              errors="backslashreplace", check=False)
    said = done.stdout + done.stderr
    if done.returncode == SKIPPED or "LAYER_NOT_PRESENT" in said:
        print(said)
        sys.exit(SKIPPED)
    if done.returncode != 0:
        sys.exit(f"{kind}: exit status {done.returncode}\n{said[-2000:]}")
    return {re.search(RULE, line)[0]: line for line in said.splitlines() if re.search(RULE, line)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--kind", action="append")
    parser.add_argument("--written", type=pathlib.Path)
    parser.add_argument("player")
    options = parser.parse_args()
    wrong = False
    lacks = random_programs.lacking(options.player)
    numbers = range(options.first, options.first + options.count)
    programs = {kind: [random_programs.make(number, kind, lacks) for number in numbers]
                for kind in options.kind or random_programs.KINDS}
    if options.written:
        programs["written"] = [scenario.program
                               for scenario in command_scenarios.read(options.written)]
    for kind, played in programs.items():
        broken = broken_rules(options.player, kind, played)
        for rule in sorted(set(broken) - MEANT):
            wrong = True
            print(f"{kind}: {broken[rule][:800]}")
    sys.exit(wrong)


main()
