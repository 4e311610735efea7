#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs that end before they should, or never begin: what is reported is true, and nobody is left.

Each case is a function, and waits for conditions, not for times. What a case cannot do here skips
it. `hostile`'s programs have one race each.
"""
import argparse
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile

RACES_FOUND, UNJUDGED, FAILURE, SKIPPED = 66, 67, 2, 77
SECONDS = 120


class Wrong(Exception):
    pass


def expect(condition, what, *shown):
    if not condition:
        raise Wrong("\n".join([what, *map(str, shown)]))


def run(command, limits=None, **environment):
    """`limits`: resource -> bytes."""
    def set_limits():
        for limit, most in (limits or {}).items():
            resource.setrlimit(limit, (most, most))
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=SECONDS, check=False,
                          preexec_fn=set_limits, env={**os.environ, **environment})
    done.errors = done.stderr.decode(errors="backslashreplace")
    if done.returncode == SKIPPED:
        print(done.errors)
        sys.exit(SKIPPED)
    return done


class Ends:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.report, self.trace = folder / "report.json", folder / "trace"

    def under(self, name, *arguments):
        return [self.options.vkrace, "run", "--json", self.report, *arguments, "--",
                self.options.hostile, name]

    def told(self):
        expect(self.report.exists(), "no report")
        return json.loads(self.report.read_text())

    def expect_unjudged(self, done, reason):
        told = self.told()
        expect(done.returncode == UNJUDGED, "another status", done.returncode, done.errors)
        expect(told["verdict"] == "incomplete" and not told["races"], "another verdict", told)
        expect(any(reason in lack["text"] for lack in told["coverage"]), "another reason", told)
        expect(reason in done.errors, "not a word of it", done.errors)

    # ---- Nothing is judged ----------------------------------------------------------------------

    def no_vulkan(self):
        done = run([self.options.vkrace, "run", "--json", self.report, "--", "true"])
        self.expect_unjudged(done, "made no Vulkan instance")
        expect(self.told()["program"] == "true", "another program", self.told())

    def no_ring(self):
        """RLIMIT_FSIZE is for memory files, too, and its signal would end the program."""
        done = run(self.under("two_devices"), {resource.RLIMIT_FSIZE: 1 << 20})
        self.expect_unjudged(done, "cannot make the event ring")

    # ---- Something cannot be written ------------------------------------------------------------

    def small_files(self):
        """Logs are larger than files may be, the ring is not: all is observed."""
        plain = run([self.options.hostile, "two_devices"])
        done = run(self.under("two_devices"), {resource.RLIMIT_FSIZE: 100000 << 10})
        expect(done.returncode == RACES_FOUND and done.stdout == plain.stdout, "another end",
               done.returncode, done.errors)
        expect(len(self.told()["races"]) == 1 and not self.told()["coverage"], "another report",
               self.told())

    def large_trace(self):
        """The judge goes on where its trace is too large."""
        done = run(self.under("ahead_of_judge", "--trace", self.trace, "--no-compress"),
                   {resource.RLIMIT_FSIZE: (1 << 20) + (1 << 16)}, VKRACE_RING_MB="1",
                   VKRACE_REDUCE="none")
        expect(done.returncode == RACES_FOUND, "another status", done.returncode, done.errors)
        expect("the trace is not whole" in done.errors, "not a word of it", done.errors)
        expect(len(self.told()["races"]) == 1, "another report", self.told())

    def large_report(self):
        """A report appears whole or not at all."""
        run(self.under("two_devices", "--trace", self.trace))
        self.report.unlink()
        done = run([self.options.vkrace, "replay", "--json", self.report, self.trace],
                   {resource.RLIMIT_FSIZE: 1024})
        expect(done.returncode == FAILURE, "another status", done.returncode, done.errors)
        expect(done.errors.count("report.json") == 1, "one message expected", done.errors)
        expect(not list(self.folder.glob("report*")), "half a report")


def main():
    cases = [name for name in vars(Ends) if name not in ("under", "told", "expect_unjudged")
             and not name.startswith("_")]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--hostile", required=True)
    parser.add_argument("case", nargs="*", help=", ".join(cases))
    options = parser.parse_args()
    wrong = []
    for case in options.case or cases:
        with tempfile.TemporaryDirectory() as folder:
            try:
                getattr(Ends(options, pathlib.Path(folder)), case)()
            except (Wrong, subprocess.TimeoutExpired) as reason:
                wrong.append(f"{case}: {reason}")
    if wrong:
        sys.exit("\n\n".join(wrong))


main()
