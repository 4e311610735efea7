#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All queues of a device are recorded with it, before the program has obtained them all:
check_queues.py VKRACE PROGRAM [ARGUMENT...]. Exit status: 0 they are, 1 they are not, 77 the
program skips.
"""
import pathlib
import subprocess
import sys
import tempfile


def main(vkrace, *program):
    with tempfile.TemporaryDirectory() as folder:
        trace = str(pathlib.Path(folder) / "trace")
        ran = subprocess.run([vkrace, "run", "--no-judge", "--trace", trace, "--", *program], check=False)
        if ran.returncode == 77:
            return 77
        dump = subprocess.run([vkrace, "dump", trace], capture_output=True, text=True, check=True)
    types = [words[1] for words in map(str.split, dump.stdout.splitlines()) if len(words) > 1]
    made = next(at for at, name in enumerate(types) if name.startswith("MEMORY"))
    queues = [at for at, name in enumerate(types) if name.startswith("QUEUE")]
    if len(queues) < 2 or queues[-1] > made:
        print(f"events {queues} are QUEUE, event {made} is the first MEMORY")
        return 1
    return 0


sys.exit(main(*sys.argv[1:]))
