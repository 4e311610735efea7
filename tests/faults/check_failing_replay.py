#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges a small trace again and again, where each time one allocation, or mapping, fails.

What must hold each time: vkrace ends by itself and says why; a report is whole or not there; one
that lacks races says that not all was judged; and from the first allocation after which there is a
report there always is one, but where there is no memory for the report itself, which is said. It is not said that the trace is damaged, which is compressed with --compressed.
Without --whole some of the numbers are tried.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

RACES_FOUND, FAILURE = 66, 2
SECONDS = 60


class Sweep:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.trace, self.report = folder / "sample.vkrace", folder / "report.json"
        kind = ["compressed"] if options.compressed else []
        subprocess.run([options.writer, self.trace, *kind], check=True)
        self.wrong = []

    def replay(self, **environment):
        done = subprocess.run([self.options.vkrace, "replay", "--json", self.report, self.trace],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=SECONDS, check=False,
                              env={**os.environ, "LD_PRELOAD": self.options.library,
                                   **environment})
        report = None
        if self.report.exists():
            text = self.report.read_text()
            try:
                report = json.loads(text)
            except ValueError:
                self.wrong.append(f"{environment}: half a report: {text[:40]!r}")
            self.report.unlink()
        if left := sorted(self.folder.glob("report.json*")):
            self.wrong.append(f"{environment}: left behind {left}")
        return done, report

    def made(self):
        told = self.folder / "made"
        done, report = self.replay(VKRACE_TEST_MADE=told)
        if done.returncode != RACES_FOUND:
            sys.exit(done.stderr.decode())
        self.races = len(report["races"])
        self.coverage = len(report["coverage"])
        return collections.Counter(told.read_text().splitlines())

    def check(self, call):
        """Whether there is a report after one failed call, or is said that there is none."""
        done, report = self.replay(VKRACE_TEST_CALL=call)
        errors = done.stderr.decode()
        if done.returncode not in (RACES_FOUND, FAILURE):
            self.wrong.append(f"{call}: exit status {done.returncode}\n{errors}")
        elif done.returncode == FAILURE and not errors.startswith("vkrace replay: "):
            self.wrong.append(f"{call}: failed without a word\n{errors}")
        elif "byte offset" in errors or (report and "byte offset" in json.dumps(report["coverage"])):
            self.wrong.append(f"{call}: the trace is said to be damaged\n{errors}")
        elif report and len(report["races"]) < self.races and (
                len(report["coverage"]) == 0 or "memory" not in report["coverage"][-1]["text"]):
            self.wrong.append(f"{call}: lost a race without a word\n{errors}")
        return report or "report" in errors or "file name" in errors

    def sweep(self, kind, count):
        numbers = list(range(1, count + 1))
        if not self.options.whole:
            numbers = numbers[::max(1, count // 60)]
        there = []
        for number in numbers:
            report = self.check(f"replay:{kind}:{number}")
            there.append(bool(report))
        first = there.index(True)
        missing = [number for number, is_there in zip(numbers[first:], there[first:])
                   if not is_there]
        if missing:
            self.wrong.append(f"{kind} {missing}: no report")
        print(f"{len(numbers)} of {count} calls ({kind}): a report from call {numbers[first]} on")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--writer", required=True, help="writes the trace")
    parser.add_argument("--library", required=True, help="lets calls fail")
    parser.add_argument("--compressed", action="store_true")
    parser.add_argument("--whole", action="store_true", help="every call there is")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sweep = Sweep(options, pathlib.Path(folder))
        counts = sweep.made()
        sweep.sweep("memory", counts["replay memory"])
        if sweep.wrong:
            sys.exit("\n".join(sweep.wrong))


main()
