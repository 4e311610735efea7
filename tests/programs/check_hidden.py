#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Extensions that the user hides: programs see all others, and no less of each."""
import os
import re
import shutil
import subprocess
import sys

HIDDEN = {"VK_KHR_timeline_semaphore", "VK_KHR_synchronization2"}
SKIPPED = 77


def extensions(vkrace, **environment):
    done = subprocess.run([vkrace, "run", "--quiet", "--", "vulkaninfo"], check=False, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, env={**os.environ, **environment})
    devices = done.stdout[done.stdout.index("Device Properties and Extensions"):]
    return re.findall(r"^\t(VK_\w+) *: extension revision", devices, re.MULTILINE)


def main():
    if not shutil.which("vulkaninfo"):
        print("skipped: vulkan-tools is not installed")
        sys.exit(SKIPPED)
    plain = extensions(sys.argv[1])
    shown = extensions(sys.argv[1], VKRACE_HIDE_EXTENSIONS=",".join(sorted(HIDDEN)))
    if not HIDDEN & set(plain):
        print("skipped: the driver has none of the extensions to hide")
        sys.exit(SKIPPED)
    if shown != [name for name in plain if name not in HIDDEN]:
        sys.exit(f"{plain}\nwithout {HIDDEN}:\n{shown}")


main()
