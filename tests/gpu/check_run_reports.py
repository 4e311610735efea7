#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reports that `vkrace run` writes itself: check_run_reports.py VKRACE RACY_PROGRAM.

The program has races, of which one change orders some. Exit status 77 where the driver cannot.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

RACES, INCOMPLETE = 66, 68


def run(vkrace, options, command, expected, **environment):
    done = subprocess.run([vkrace, "run", *options, "--", *command], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, text=True,
                          env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0", **environment})
    if done.returncode == 77:
        sys.exit(77)
    if done.returncode != expected:
        sys.exit(f"{options}: exit status {done.returncode}, expected {expected}\n{done.stdout}"
                 f"{done.stderr}")
    return done


def expect(condition, what):
    if not condition:
        sys.exit(what)


def main():
    vkrace, program = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        hidden = folder / "tmp"
        hidden.mkdir()
        files = {form: folder / f"report.{form}" for form in ("json", "sarif", "junit", "html")}
        options = [f"--{form}={path}" for form, path in files.items()]
        done = run(vkrace, ["--check", "--brief", "--github", "--max-reports=1", *options], [program],
                   RACES, TMPDIR=str(hidden))
        report = json.loads(files["json"].read_text())
        count = len(report["races"])
        proof = report["changes"][0]["checked"]
        expect(proof["gone"] and not proof["new"], f"the change is not proved: {proof}")
        expect(f"{count - 1} more races" in done.stderr, "--max-reports is not heeded")
        expect("first access" not in done.stderr, "--brief is not heeded")
        causes = len({race["cause"] for race in report["races"]})
        expect(causes < count, "no two races have one cause")
        expect(done.stdout.count("::error ") == causes, "annotations are missing")
        results = json.loads(files["sarif"].read_text())["runs"][0]["results"]
        expect(len(results) == count, "SARIF")
        for result in results:
            related = [json.dumps(one) for one in result["relatedLocations"]]
            expect(len(set(related)) == len(related), f"SARIF: one location twice: {related}")
            place = result["locations"][0]["physicalLocation"]
            line = place["region"]["snippet"]["text"]
            expect(line and line in place["contextRegion"]["snippet"]["text"].split("\n"),
                   f"SARIF: no lines of the source: {place}")
        expect(xml.etree.ElementTree.parse(files["junit"]).getroot().get("failures") == str(count),
               "JUnit")
        expect(files["html"].read_text().count("<details class=\"race\"") == count, "HTML")
        expect(not list(hidden.iterdir()), f"left: {list(hidden.iterdir())}")

        baseline = [f"--baseline={files['json']}"]
        done = run(vkrace, baseline, [program], 0)
        expect(f"{count} races known from the baseline" in done.stderr, done.stderr)
        run(vkrace, ["--fail-on=unjudged", "--quiet"], [program], 0)
        run(vkrace, ["--fail-on=incomplete", "--quiet", *baseline], [program], INCOMPLETE,
            VKRACE_SHADERS="0")
        run(vkrace, ["--fail-on=races", "--quiet"], ["true"], 0)

        both = folder / "both.json"
        run(vkrace, [f"--json={both}", "--brief"], ["sh", "-c", '"$0"; "$0"', program], RACES)
        report = json.loads(both.read_text())
        expect(len(report["races"]) == count and len(report["runs"]) == 2 and
               report["races"][0]["runs"] == [0, 1], "two processes are not one report")


main()
