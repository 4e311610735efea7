#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_log_bytes.py VKRACE MOST PROGRAM...: a program in which nothing races logs at most so many
bytes."""
import json
import os
import subprocess
import sys
import tempfile

SKIPPED = 77


def main():
    vkrace, most, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        done = subprocess.run([vkrace, "run", "--quiet", "--exit-code", "0", "--json", path, "--",
                               *command], check=False)
        if done.returncode != 0:
            return done.returncode
        with open(path, encoding="utf-8") as stream:
            report = json.load(stream)
    print(f"{report['verdict']}, {report['log_bytes']} bytes of logs")
    return 0 if report["verdict"] == "none" and report["log_bytes"] <= most else 1


sys.exit(main())
