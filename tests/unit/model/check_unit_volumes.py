#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts the traces of unit tests of the model into volumes, and compares these with the whole (check_volumes.py).

check_unit_volumes.py VKRACE CHECK_VOLUMES LEAST TEST...: LEAST: how many volumes there must be. Exit status: 0 as expected, 1 not.
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def main():
    vkrace, check, least, tests = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
    with tempfile.TemporaryDirectory() as folder:
        for test in tests:
            subprocess.run([test], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env={**os.environ, "VKR_TEST_TRACES": folder})
        words = []
        for trace in sorted(pathlib.Path(folder).iterdir()):
            words += ["--", trace, *(["--any-image"] if "any-image" in trace.name else [])]
        sys.exit(subprocess.run([sys.executable, check, vkrace, least, *words], check=False).returncode)


main()
