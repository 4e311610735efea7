#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_log_bytes.py VKRACE MOST [--accesses COUNT] PROGRAM...: a program in which nothing races logs
at most so many bytes, and exactly so many accesses are judged."""
import json
import os
import subprocess
import sys
import tempfile

SKIPPED = 77


def main():
    vkrace, most, command = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    accesses = None
    if command[0] == "--accesses":
        accesses, command = int(command[1]), command[2:]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "report.json")
        done = subprocess.run([vkrace, "run", "--quiet", "--exit-code", "0", "--json", path, "--",
                               *command], check=False)
        if done.returncode != 0:
            return done.returncode
        with open(path, encoding="utf-8") as stream:
            report = json.load(stream)
    print(f"{report['verdict']}, {report['log_bytes']} bytes of logs, "
          f"{report['accesses_judged']} accesses")
    if accesses is not None and report["accesses_judged"] != accesses:
        return 1
    return 0 if report["verdict"] == "none" and report["log_bytes"] <= most else 1


sys.exit(main())
