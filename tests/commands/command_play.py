# SPDX-License-Identifier: Apache-2.0
"""Programs of commands under vkrace, and what its report says of each."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
NO_LEAKS = {"ASAN_OPTIONS": "detect_leaks=0"} # those of drivers are not ours to find
OBJECT = re.compile(r"p(\d+)\.([biq]\d+)")
LABEL = re.compile(r"p([A-J]+)\.l([A-J]+)")
DIGITS = str.maketrans("ABCDEFGHIJ", "0123456789")
FAR = re.compile(r"how far .* reaches is not known: it may race in p(\d+)\.(i\d+) with ")


def play(options, programs, *more):
    """vkrace's report of programs; `more`: its options."""
    with tempfile.TemporaryDirectory() as folder:
        path, text = pathlib.Path(folder) / "report.json", pathlib.Path(folder) / "programs"
        text.write_text("".join(program.text() for program in programs))
        done = subprocess.run([options.vkrace, "run", "--exit-code", "0", "--quiet", "--json",
                               str(path), "--noncoherent", "--host", "precise", *more, "--", options.player, str(text)],
                              env={**os.environ, **NO_LEAKS}, capture_output=True, text=True,
                              errors="backslashreplace", check=False)
        if done.returncode == SKIPPED:
            print(done.stderr)
            sys.exit(SKIPPED)
        if done.returncode != 0:
            sys.exit(f"under vkrace: exit status {done.returncode}\n{done.stderr[-2000:]}")
        return json.loads(path.read_text())


def line_of(access):
    """The line of the program that an access belongs to; None: the host's."""
    found = LABEL.findall(access.get("command", {}).get("labels", ""))
    return int(found[-1][1].translate(DIGITS)) if found else None


def by_vkrace(options, programs):
    """By program: (object, lines, class) of what races, and the objects in which something may race
    that it is not known how far it reaches; and what else was not observed."""
    report = play(options, programs)
    found = {program.number: set() for program in programs}
    perhaps = {program.number: set() for program in programs}
    lost = []
    for entry in report["coverage"]:
        far = FAR.match(entry["text"])
        if far:
            perhaps[int(far[1])].add(far[2])
        else:
            lost.append(entry)
    for race in report["races"]:
        name = OBJECT.match(race["first"]["object"])
        lines = tuple(sorted((line_of(race[side]) or 0 for side in ("first", "second"))))
        found[int(name[1])].add((name[2], lines, race["class"]))
    return found, perhaps, lost
