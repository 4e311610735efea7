#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is chosen of a run is observed, and the report says what is not:
check_choice.py VKRACE GPU_TWINS. Each choice is made of a live run, whose trace then has the same
report, and where it can be of a trace of the whole run. Exit status: 0 as expected, 1 not.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

RACY = ["exchange_written", "race"]
# Options, races, and what the one line of coverage ends with, or None.
CASES = [
    ([], 1, None),
    (["--frames", "1"], 1, None),
    (["--frames", "2-"], 0, "outside of the chosen frames"),
    (["--frames", "2-3"], 0, "outside of the chosen frames"),
    (["--shader", "exchange*"], 1, None),
    (["--shader", "nothing,ma?n"], 1, None),
    (["--shader", "nothing"], 0, "that were not chosen"),
    (["--not-shader", "*written*"], 0, "that were not chosen"),
    (["--not-shader", "nothing"], 1, None),
    (["--label", "nothing"], 0, "outside of the chosen labels"),
    (["--stop-after", "1"], 1, None),
    (["--sample", "50%"], 1, None),
    (["--sample", "100%:commands"], 1, None),
    (["--sample", "0.0000001%:commands"], 0, "that were not sampled"),
]
# Of live runs only.
LIVE = [
    (["--budget", "3x"], 1, None),
    (["--paused"], 0, "while observing was switched off"),
    (["--paused", "--toggle-signal", "USR2"], 0, "while observing was switched off"),
]
WRONG = [["--frames", "0"], ["--frames", "3-2"], ["--frames", "1-2-3"], ["--frames", ""],
         ["--sample", "0"], ["--sample", "110%"], ["--sample", "half"], ["--sample", "10%:draws"], ["--budget", "1x"],
         ["--stop-after", "0"], ["--toggle-signal", "KILL"]]


def fail(what, text=""):
    sys.exit(f"{what}\n{text}")


def check(options, races, ending, report):
    found = [entry["text"] for entry in report["coverage"] if entry["kind"] == "choice"]
    others = [entry for entry in report["coverage"] if entry["kind"] != "choice"]
    verdict = "races" if races else "incomplete" if ending else "none"
    if len(report["races"]) != races or report["verdict"] != verdict or others:
        fail(f"{options}: expected {races} races, {verdict}", json.dumps(report, indent=2))
    if [ending] if ending else []:
        if len(found) != 1 or not found[0].endswith(ending):
            fail(f"{options}: coverage {found}, expected {ending}")
    elif found:
        fail(f"{options}: coverage {found}")


def run(vkrace, command, options, folder):
    trace, live = folder / "trace", folder / "live.json"
    done = subprocess.run([vkrace, "run", "--quiet", "--exit-code", "0", "--trace", trace, "--json",
                           live, *options, "--", *command], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False,
                          env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
    if done.returncode:
        fail(f"{options}: exit status {done.returncode}", done.stderr.decode(errors="replace"))
    return trace, json.loads(live.read_text())


def replay(vkrace, trace, options, folder):
    again = folder / "again.json"
    subprocess.run([vkrace, "replay", "--quiet", "--exit-code", "0", "--json", again, *options,
                    trace], check=True)
    return json.loads(again.read_text())


def main():
    vkrace, twins = sys.argv[1:3]
    command = [twins, *RACY]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        whole = folder / "whole"
        whole.mkdir()
        trace, report = run(vkrace, command, [], whole)
        digits = report["races"][0]["second"]["source"]["shader_hash"]
        CASES.extend([(["--shader", digits], 1, None),
                      (["--not-shader", digits], 0, "that were not chosen")])
        for options, races, ending in CASES:
            check(options, races, ending, replay(vkrace, trace, options, folder))
        for options, races, ending in CASES[1:] + LIVE:
            recorded, report = run(vkrace, command, options, folder)
            check(options, races, ending, report)
            # What the judge alone leaves out it must be told again.
            recorded_so = options[0] in ("--frames", "--sample", "--budget", "--paused")
            told = [] if recorded_so and not options[-1].endswith(":commands") else options
            if replay(vkrace, recorded, told, folder) != report:
                fail(f"{options}: the trace has another report")
        # Each of several submissions; host threads are observed in any case.
        recorded, report = run(vkrace, [twins, "watch_frames", "race"], ["--paused"], folder)
        if replay(vkrace, recorded, [], folder) != report:
            fail("--paused: the trace has another report")
    for options in WRONG:
        done = subprocess.run([vkrace, "run", *options, "--", "false"], stderr=subprocess.PIPE,
                              check=False)
        if done.returncode != 2 or b"'" not in done.stderr:
            fail(f"{options}: exit status {done.returncode}", done.stderr.decode())


main()
