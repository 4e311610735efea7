#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges recorded runs with several numbers of threads: each report must be that of one thread, byte for byte.

check_threads.py VKRACE THREADS,THREADS... -- PROGRAM... [-- PROGRAM...]: records each program's run and compares. A word that ends with
.vkrace is a trace in place of a program. Short logs are given away, too. Exit status: 0 as expected, 1 not, 77 where every program skips itself.
"""
import os
import sys

from recorded_runs import SKIPPED, run, split_commands, traces_of


def judge(vkrace, trace, threads, report):
    text = run(vkrace, "replay", "--exit-code", "0", "--threads", threads, "--json", report, trace)
    return text + report.read_text()


def main():
    vkrace, counts = sys.argv[1], sys.argv[2].split(",")
    os.environ.setdefault("VKRACE_TEST_JOB_WORDS", "32")
    checked = 0
    for command, trace, folder in traces_of(vkrace, split_commands(sys.argv[3:])):
        one = judge(vkrace, trace, "1", folder / "report.json")
        for count in counts:
            several = judge(vkrace, trace, count, folder / "report.json")
            if several != one:
                sys.exit(f"{' '.join(map(str, command))}: {count} threads make another report\n"
                         f"--- one\n{one}\n--- {count}\n{several}")
        checked += 1
    sys.exit(0 if checked else SKIPPED)


main()
