#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tries what reports propose for recorded runs that race: each change must order the races that it is for, with no
race that is new, and what it is printed as must compile.

check_twin_changes.py VKRACE COMPILER GLSLANG LEAST -- PROGRAM... [-- PROGRAM...]: as check_volumes.py. LEAST: how
many changes there must be. Exit status: 0 as expected, 1 not, 77 where every program skips itself.
"""
import collections
import json
import subprocess
import sys

from recorded_runs import SKIPPED, run, split_commands, traces_of

# Changes that are not proved, and why.
UNPROVED = {
    "step_loop": "a loop's iterations are one record",
}
C_BEFORE = """#include <vulkan/vulkan.h>
void change(VkCommandBuffer, VkDevice, VkFence, VkDeviceMemory, VkDeviceSize, VkDeviceSize, VkSemaphore);
void change(VkCommandBuffer commandBuffer, VkDevice device, VkFence fence, VkDeviceMemory memory,
            VkDeviceSize offset, VkDeviceSize size, VkSemaphore semaphore)
{
	VkFlags64 srcStageMask = 0, srcAccessMask = 0, dstStageMask = 0, dstAccessMask = 0;
	VkFlags waitDstStageMask = 0;
	VkSemaphoreSubmitInfo wait = {0}, signal = {0};
	VkSubmitInfo signaling = {0}, waiting = {0};
	VkSubpassDependency dependencies[8] = {0};
	VkSubpassContents contents = 0;
"""
C_AFTER = """	(void)commandBuffer, (void)device, (void)fence, (void)memory, (void)offset, (void)size, (void)semaphore;
	(void)srcStageMask, (void)srcAccessMask, (void)dstStageMask, (void)dstAccessMask;
	(void)waitDstStageMask, (void)wait, (void)signal, (void)signaling, (void)waiting, (void)dependencies;
	(void)contents;
}
"""
GLSL_BEFORE = """#version 450
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
void main()
{
"""


def is_proved(change):
    proof = change["checked"]
    return proof["places"] and set(change["races"]) <= set(proof["gone"]) and not proof["new"] and "missed" not in proof


def check(vkrace, name, trace, folder):
    """The changes of a run's report."""
    report = folder / "report.json"
    run(vkrace, "replay", "--quiet", "--check", "--exit-code", "0", "--json", report, trace)
    changes = json.loads(report.read_text())["changes"]
    for change in changes:
        if not is_proved(change) and name not in UNPROVED:
            sys.exit(f"{name}: not proved: {json.dumps(change, indent=2)}")
    if name in UNPROVED and changes and all(map(is_proved, changes)):
        sys.exit(f"{name}: is proved now")
    return changes


def use_c(code):
    begins = "VkRenderingInfo again = {0};" if "vkCmdBeginRendering" in code else "VkRenderPassBeginInfo again = {0};"
    uses = "".join(f"(void){name};\n" for name in ("dependency", "signal", "wait")
                   if f"{name} = {{" in code)
    return "{\n" + (begins + "\n" if "&again" in code else "") + code + uses + "}\n"


def compile_all(changes, compiler, glslang):
    shaders = [change["code"] for change in changes if change["kind"].startswith("shader")]
    others = [change["code"] for change in changes if not change["kind"].startswith("shader")]
    program = C_BEFORE + "".join(map(use_c, others)) + C_AFTER
    subprocess.run([compiler, "-std=c17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c", "-"],
                   input=program, text=True, check=True)
    shader = GLSL_BEFORE + "".join(f"{{\n{code}}}\n" for code in shaders) + "}\n"
    subprocess.run([glslang, "--stdin", "-S", "comp", "--target-env", "vulkan1.1", "-V", "-o", "/dev/null"],
                   input=shader, text=True, check=True, stdout=subprocess.DEVNULL)


def main():
    vkrace, compiler, glslang, least = sys.argv[1:5]
    changes, runs = [], 0
    commands = split_commands(sys.argv[5:])
    for command, trace, folder in traces_of(vkrace, commands):
        changes += check(vkrace, command[-2], trace, folder)
        runs += 1
    if not runs:
        sys.exit(SKIPPED)
    compile_all(changes, compiler, glslang)
    kinds = collections.Counter(change["kind"] for change in changes)
    print(f"{runs} runs, {len(changes)} changes: " + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))
    if runs == len(commands) and len(changes) < int(least):
        sys.exit(f"{runs} runs had {len(changes)} changes only")


main()
