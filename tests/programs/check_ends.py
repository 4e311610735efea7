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
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

RACES_FOUND, UNJUDGED, FAILURE, SKIPPED = 66, 67, 2, 77
SECONDS = 120
READ, RECVFROM, FUTEX = 0, 45, 202  # system calls of x86-64


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


def wait(what, condition):
    end = time.monotonic() + SECONDS
    while not condition():
        expect(time.monotonic() < end, f"waited in vain: {what}")
        time.sleep(0.01)


def read(*path):
    try:
        return pathlib.Path("/proc", *map(str, path)).read_text()
    except OSError:
        return ""


def status_of(process):
    return read(process, "status")


def alive(process):
    return "State:" in status_of(process) and "State:\tZ" not in status_of(process)


def system_call(process):
    return read(process, "syscall")


def processes_of(command):
    """The program, or that which `vkrace run` runs, and its judge."""
    found = []

    def look():
        if command.poll() == SKIPPED:
            sys.exit(SKIPPED)
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            words = read(folder.name, "cmdline").split("\0")
            if words[1:2] != ["judge"] or "--process" not in words:
                continue
            program = words[words.index("--process") + 1]
            if int(program) == command.pid or f"PPid:\t{command.pid}\n" in status_of(program):
                found[:] = int(program), int(folder.name)
        return found
    wait("a judge", look)
    return found


class Ends:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.report, self.trace = folder / "report.json", folder / "trace"
        self.left = []  # runs that a case that went wrong leaves behind

    def under(self, name, *arguments):
        return [self.options.vkrace, "run", "--json", self.report, *arguments, "--",
                self.options.hostile, name]

    def told(self):
        expect(self.report.exists(), "no report")
        return json.loads(self.report.read_text())

    def expect_unjudged(self, done, reason):
        expect(done.returncode == UNJUDGED, "another status", done.returncode, done.errors)
        told = self.told()
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

    # ---- A judge with a backlog -----------------------------------------------------------------

    def ahead(self, command=None, **environment):
        """A run whose judge stands still, behind a program that waits on its standard input. One thread judges: slowly."""
        command = subprocess.Popen(command or self.under("ahead_of_judge"),
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE,
                                   env={**os.environ, "VKRACE_REDUCE": "none", "VKRACE_THREADS": "1", **environment})
        self.left.append(command)
        program, judge = processes_of(command)
        wait("the program reads", lambda: system_call(program).startswith(f"{READ} 0x0 "))
        wait("the judge has judged", lambda: system_call(judge).startswith(f"{FUTEX} "))
        os.kill(judge, signal.SIGSTOP)
        os.write(command.stdin.fileno(), b".")
        expect(command.stdout.readline() == b"ahead\n", "the program waited for its judge")
        return command, program, judge

    def go_on(self, judge):
        """Its first thread judges when nothing else would run: after the one that sees who waits."""
        os.sched_setscheduler(judge, os.SCHED_IDLE, os.sched_param(0))
        os.kill(judge, signal.SIGCONT)

    def kill(self, command, program):
        os.kill(program, signal.SIGKILL)
        wait("the run has seen the end", lambda: not pathlib.Path("/proc", str(program)).exists())
        return command

    def send(self, command, number):
        """Until the signal has been taken."""
        command.send_signal(number)
        bit = 1 << (number - 1)
        wait("the signal is taken", lambda: command.poll() is not None or not
             int(re.search(r"^ShdPnd:\s*(\w+)", status_of(command.pid), re.M).group(1), 16) & bit)

    def expect_stopped(self):
        told = self.told()
        expect(any("judging was stopped" in lack["text"] and "command buffers" in lack["text"]
                   and lack["amount"] > 0 for lack in told["coverage"]), "all was judged", told)
        expect(len(told["races"]) == 1, "another report", told)

    def first_signal(self):
        """What was judged so far is reported."""
        command, program, judge = self.ahead()
        self.kill(command, program)
        self.send(command, signal.SIGTERM)
        self.go_on(judge)
        errors = command.communicate(timeout=SECONDS)[1].decode()
        expect(command.returncode == RACES_FOUND, "another status", command.returncode, errors)
        self.expect_stopped()
        wait("the judge ends", lambda: not alive(judge))

    def second_signal(self):
        """The run ends at once, and so does its judge."""
        command, program, judge = self.ahead()
        self.kill(command, program)
        self.send(command, signal.SIGINT)
        self.send(command, signal.SIGINT)
        expect(command.wait(SECONDS) == 128 + signal.SIGINT, "another status", command.returncode)
        self.go_on(judge)
        wait("the judge ends", lambda: not alive(judge))
        expect(self.told()["verdict"] == "incomplete", "another report", self.told())

    def at_its_exit(self):
        """A program that waits for its verdict dies by the signal, and the judge stops."""
        command, program, judge = self.ahead()
        command.stdin.close()
        command.stdin = None
        wait("the program awaits the verdict",
             lambda: system_call(program).startswith(f"{RECVFROM} "))
        self.send(command, signal.SIGTERM)
        self.go_on(judge)
        errors = command.communicate(timeout=SECONDS)[1].decode()
        expect(command.returncode == RACES_FOUND, "another status", command.returncode, errors)
        self.expect_stopped()

    def killed_run(self):
        """Nobody waits any more."""
        command, program, judge = self.ahead()
        command.kill()
        command.wait(SECONDS)
        os.kill(program, signal.SIGKILL)
        wait("the program ends", lambda: not alive(program))
        self.go_on(judge)
        wait("the judge ends", lambda: not alive(judge))
        self.expect_stopped()

    def killed_judge(self):
        """Its run knows nothing, and says so."""
        command, program, judge = self.ahead()
        os.kill(judge, signal.SIGKILL)
        command.stdin.close()
        command.stdin = None
        done = subprocess.CompletedProcess([], 0)
        done.errors = command.communicate(timeout=SECONDS)[1].decode()
        done.returncode = command.returncode
        self.expect_unjudged(done, "the judge ended without a verdict")

    def loaded(self):
        """The variables that have the loader start the layer."""
        layer = pathlib.Path(self.options.vkrace).parent.parent / "lib"
        return {"VK_INSTANCE_LAYERS": "VK_LAYER_VKRACE_race", "VK_LAYER_PATH": str(layer),
                "VKRACE_JSON": str(self.report)}

    def signaled_judge(self):
        """A judge without a run takes the signals itself, once its program has ended."""
        command, _, judge = self.ahead([self.options.hostile, "ahead_of_judge"], **self.loaded())
        command.kill()
        command.wait(SECONDS)
        os.kill(judge, signal.SIGTERM)
        self.go_on(judge)
        wait("the judge ends", lambda: not alive(judge))
        self.expect_stopped()

    def killed_without_run(self):
        """A program that was started by the loader's variables leaves its report."""
        run([self.options.hostile, "end_killed"], **self.loaded())
        wait("a report", lambda: self.report.exists() and self.report.stat().st_size > 0)
        expect(len(self.told()["races"]) == 1 and self.told()["coverage"], "another report",
               self.told())

    def left_child(self):
        """Nobody waits for a child that goes on when its program has ended."""
        for environment in {}, self.loaded():
            output = self.folder / "output"
            with open(output, "wb") as stream:
                command = subprocess.Popen(
                    [self.options.hostile, "leaves_child"] if environment else self.under("leaves_child"),
                    stdin=subprocess.PIPE, stdout=stream, stderr=stream, env={**os.environ, **environment})
            self.left.append(command)
            status = command.wait(SECONDS)
            if status == SKIPPED:
                sys.exit(SKIPPED)
            errors = output.read_text()
            expect(status == (0 if environment else RACES_FOUND), "another status", status, errors)
            wait("a report", lambda: self.report.exists() and self.report.stat().st_size > 0)
            expect(len(self.told()["races"]) == 1 and not self.told()["coverage"], "another report", self.told())
            expect("child" not in errors, "the child has ended", errors)
            command.stdin.close()
            wait("the child's end", lambda: "child\n" in output.read_text())
            self.report.unlink()

    # ---- Something cannot be written ------------------------------------------------------------

    def small_files(self):
        """The ring is no larger than files may be: all is observed."""
        plain = run([self.options.hostile, "two_devices"])
        done = run(self.under("two_devices"), {resource.RLIMIT_FSIZE: 64 << 20})
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
    cases = ["no_vulkan", "no_ring", "first_signal", "second_signal", "at_its_exit", "killed_run",
             "killed_judge", "signaled_judge", "killed_without_run", "left_child", "small_files", "large_trace",
             "large_report"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--hostile", required=True)
    parser.add_argument("case", nargs="*", help=", ".join(cases))
    options = parser.parse_args()
    wrong = []
    for case in options.case or cases:
        with tempfile.TemporaryDirectory() as folder:
            ends = Ends(options, pathlib.Path(folder))
            try:
                getattr(ends, case)()
            except (Wrong, subprocess.TimeoutExpired) as reason:
                wrong.append(f"{case}: {reason}")
            for command in ends.left:
                command.kill()
                command.wait()
    if wrong:
        sys.exit("\n\n".join(wrong))


main()
