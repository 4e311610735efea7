#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is told of a race while the program runs: check_live.py VKRACE GPU_LIVE.

Exit status 77 where the driver cannot.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile

RACES = 66
FOUND = "vkrace: found: "


def expect(condition, what):
    if not condition:
        sys.exit(what)


def start(vkrace, options, program, words, **environment):
    return subprocess.Popen([vkrace, "run", *options, "--", program, *words], text=True,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0", **environment})


def run(*arguments, **environment):
    process = start(*arguments, **environment)
    out, error = process.communicate()
    if process.returncode == 77:
        print(out, error)
        sys.exit(77)
    return process.returncode, out.splitlines(), error


def check_messenger(vkrace, program):
    """One message, with all that it has, also where the program does not wait for it."""
    status, lines, error = run(vkrace, [], program, ["messenger"])
    expect(sum(line.startswith("{") for line in lines) == 1, f"{lines}\n{error}")
    status, lines, error = run(vkrace, [], program, ["messenger", "await"])
    expect(status == RACES, f"exit status {status}\n{error}")
    messages = [json.loads(line) for line in lines if line.startswith("{")]
    expect(len(messages) == 1, f"{messages}\n{error}")
    message = messages[0]
    text = message.pop("message").splitlines()
    expect(message == {
        "severity": 0x1000, "types": 2, "number": 1001, "name": "vkrace-unordered",
        "objects": [["data", "data"], ["commands", "frame commands"],
                    ["write_words", "write_words"], ["queue", "queue 1"],
                    ["read_words", "read_words"]],
        "labels": ["read", "frame 1"]}, json.dumps(message))
    for begin, line in zip(("unordered race (READ_AFTER_WRITE) on ", "missing: no barrier between command 1 ",
                            "change: add a vkCmdPipelineBarrier", "id: "), text):
        expect(line.startswith(begin), f"'{line}' does not begin with '{begin}'")
    expect(FOUND not in error, f"told twice\n{error}")


def check_line(vkrace, program):
    """A line on standard error while the program goes on, in every form of the report."""
    for options in ([], ["--brief"]):
        process = start(vkrace, options, program, ["hold"])
        line = ""
        for line in process.stderr:
            if line.startswith(FOUND):
                break
        out, error = process.communicate()  # ends the program's input
        if process.returncode == 77:
            sys.exit(77)
        expect(process.returncode == RACES and line.startswith(FOUND + "unordered race (READ_AFTER_WRITE) on ") and
               "; missing: no barrier between command 1 " in line and
               "; change: add a vkCmdPipelineBarrier" in line, f"{line}\n{error}")
        expect(error.count("unordered race (READ_AFTER_WRITE) on ") == 1 and "finished" in out, error)
    for words, environment in ((["--quiet"], {}), ([], {"VKRACE_LIVE": "0"})):
        _, _, error = run(vkrace, words, program, [], **environment)
        expect(FOUND not in error, error)


def check_baseline(vkrace, program, folder):
    """What a baseline knows is told to nobody."""
    known = f"{folder}/known.json"
    run(vkrace, ["--json", known, "--quiet"], program, [])
    status, lines, error = run(vkrace, ["--baseline", known, "--on-race=abort"], program,
                               ["messenger"])
    expect(status == 0 and "finished" in lines and len(lines) == 2, f"{status} {lines}\n{error}")


def check_stop(vkrace, program):
    """The program ends where it has waited for the commands that race."""
    for what, number in (("abort", signal.SIGABRT), ("break", signal.SIGTRAP)):
        for words in ([], ["messenger"]):
            status, lines, error = run(vkrace, [f"--on-race={what}", "--exit-code=0"], program,
                                       words)
            expect(status == 128 + number and "waited" not in lines, f"{status} {lines}\n{error}")
            expect("unordered race (READ_AFTER_WRITE) on " in error, error)
    status, lines, error = run(vkrace, ["--on-race=silent"], program, ["messenger"])
    expect(status == RACES and "finished" in lines and len(lines) == 2, f"{status} {lines}\n{error}")
    status, lines, error = run(vkrace, ["--on-race=continue"], program, [])
    expect(status == RACES and "finished" in lines, f"{status} {lines}\n{error}")


def main():
    vkrace, program = sys.argv[1:3]
    check_messenger(vkrace, program)
    check_line(vkrace, program)
    check_stop(vkrace, program)
    with tempfile.TemporaryDirectory() as folder:
        check_baseline(vkrace, program, folder)


main()
