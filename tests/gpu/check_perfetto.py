#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program under vkrace and checks what `vkrace export --perfetto` makes of its trace.

On each track bars lie beside or within each other, both ends of an arrow are on bars, every race has
a mark, calls and submissions have times, and a submission begins after its call has. Exit status: 0
as it should be, 77 the driver cannot.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from collections import defaultdict

SKIPPED = 77


def expect(holds, what):
    if not holds:
        sys.exit(what)


def check_bars(bars):
    """Bars of one track, as (begin, end)."""
    open_bars = []
    for begin, end in sorted(bars, key=lambda bar: (bar[0], -bar[1])):
        while open_bars and open_bars[-1] <= begin + 1e-3:
            open_bars.pop()
        expect(not open_bars or end <= open_bars[-1] + 1e-3, f"a bar of {begin} to {end} overlaps another")
        open_bars.append(end)


def check(events, races):
    names = {(event["pid"], event["tid"]) for event in events if event.get("name") == "thread_name"}
    tracks, ends = defaultdict(list), defaultdict(dict)
    for event in events:
        track = event["pid"], event["tid"]
        expect(event["ph"] == "M" or track in names, f"a track without a name: {event}")
        if event["ph"] == "X":
            tracks[track].append((event["ts"], event["ts"] + event["dur"]))
        elif event["ph"] in "sf":
            ends[event["id"]][event["ph"]] = event
    for bars in tracks.values():
        check_bars(bars)
    for arrow in ends.values():
        expect(set(arrow) == {"s", "f"}, f"an arrow with one end: {arrow}")
        for end in arrow.values():
            expect(any(begin <= end["ts"] <= last for begin, last in tracks[end["pid"], end["tid"]]),
                   f"an arrow's end is on no bar: {end}")
    kinds = {event["cat"] for event in events if "cat" in event}
    expect({"call", "submission", "command", "launch", "dependency"} <= kinds, f"only {kinds}")
    marks = sorted(event["args"]["id"] for event in events if event["ph"] == "i")
    expect(marks == sorted(race["id"] for race in races), f"marks of {marks}")
    called = {event["args"]["submission"]: event["ts"] for event in events
              if event.get("cat") == "call" and "submission" in event["args"]}
    for event in events:
        if event.get("cat") == "submission":
            expect(event["args"]["seen complete"], f"never seen complete: {event}")
            expect(called[event["args"]["submission"]] <= event["ts"], f"before its call: {event}")


def main():
    vkrace, command = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        trace, report, made = (str(pathlib.Path(folder) / name)
                               for name in ("trace", "report.json", "made.json"))
        done = subprocess.run([vkrace, "run", "--quiet", "--exit-code", "0", "--trace", trace,
                               "--json", report, "--", *command], stdout=subprocess.DEVNULL,
                              env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}, check=False)
        if done.returncode == SKIPPED:
            sys.exit(SKIPPED)
        expect(done.returncode == 0, f"exit status {done.returncode}")
        subprocess.run([vkrace, "export", "--perfetto", trace, "-o", made], check=True)
        check(json.loads(pathlib.Path(made).read_text())["traceEvents"],
              json.loads(pathlib.Path(report).read_text())["races"])


main()
