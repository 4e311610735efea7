#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that end, or use Vulkan, in unusual ways: each must do under the layer what it does without, leave the report of its race, and a trace that is judged the same."""
import argparse
import ctypes
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

RACES_FOUND = 66
WRONG_USE = 2  # of the command, its input, its output
SKIPPED = 77
SECONDS = 60


def run(command, **environment):
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=SECONDS, check=False,
                          env={**os.environ, **environment})


def expect(condition, what, done):
    if not condition:
        sys.exit(f"{what}\nexit status {done.returncode}\n{done.stdout.decode()}\n"
                 f"{done.stderr.decode(errors='backslashreplace')}")


def status_of(done):
    """As a shell, and vkrace, has it."""
    return 128 - done.returncode if done.returncode < 0 else done.returncode


def check_program(options, folder):
    try:
        plain = run(options.command)
    except subprocess.TimeoutExpired:
        print(f"skipped: alone, on this driver, it does not end in {SECONDS} s")
        sys.exit(SKIPPED)
    if plain.returncode == SKIPPED:
        print(plain.stdout.decode())
        sys.exit(SKIPPED)
    trace, live = folder / "trace", folder / "live.json"
    done = run([options.vkrace, "run", "--exit-code", "0", "--trace", trace, "--json", live, "--",
                *options.command])
    expect(done.returncode == status_of(plain), f"ended with {status_of(plain)} alone", done)
    expect(done.stdout == plain.stdout, "printed something else alone", done)
    reports = [live, *folder.glob("live.json.*")]
    expect(len(reports) == options.processes, "another number of reports", done)
    for report in reports:
        again = folder / "again.json"
        recorded = folder / report.name.replace("live.json", "trace")
        replayed = run([options.vkrace, "replay", "--quiet", "--json", again, recorded])
        expect(replayed.returncode == RACES_FOUND, "the trace", replayed)
        expect(again.read_bytes() == report.read_bytes(), "the replay differs", replayed)
        told = json.loads(report.read_text())
        expect(len(told["races"]) == 1, "one race expected", done)
        # Those that fail have no end of their own.
        expect(any(lack["kind"] == "trace" for lack in told["coverage"]) == (plain.returncode != 0),
               "what is missing of the end", done)


def judge_of(command):
    """The process that judges what `vkrace run` runs, once there is one."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().split(b"\0")
                if words[1:2] != [b"judge"]:
                    continue
                program = pathlib.Path("/proc", words[words.index(b"--process") + 1].decode())
                parent = (program / "stat").read_text().rsplit(")", 1)[1].split()[1]
                if int(parent) == command.pid:
                    return folder
            except (OSError, ValueError):
                continue
        if command.poll() == SKIPPED:
            sys.exit(SKIPPED)
        time.sleep(0.05)
    sys.exit("no judge")


def check_niceness(options):
    """The program goes before its judge, and the two share one part of the machine where sessions
    are scheduled as groups."""
    command = subprocess.Popen([options.vkrace, "run", "--exit-code", "0", "--", *options.command],
                               stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    with command:
        judge = judge_of(command)
        end = time.monotonic() + SECONDS
        while (niceness := os.getpriority(os.PRIO_PROCESS, int(judge.name))) <= os.getpriority(
                os.PRIO_PROCESS, 0):
            if time.monotonic() >= end:
                sys.exit(f"the judge's niceness is {niceness}")
            time.sleep(0.05)
        if os.getsid(int(judge.name)) != os.getsid(0):
            sys.exit("the judge is of another session")
        if os.getpgid(int(judge.name)) == os.getpgid(command.pid):
            sys.exit("the judge is of the program's process group")
        command.stdin.close()
    if command.returncode not in (0, SKIPPED):
        sys.exit(f"exit status {command.returncode}")


def wait_idle(process):
    """Until a process has had no processor time for a while."""
    used, before = None, time.monotonic()
    while time.monotonic() < before + 0.5:
        fields = (process / "stat").read_text().rsplit(")", 1)[1].split()
        if (now := fields[11:13]) != used:
            used, before = now, time.monotonic()
        time.sleep(0.05)


def check_ahead(options, folder):
    """Logs begin behind others that the judge has not come to yet, and later where these were."""
    report = folder / "report.json"
    command = subprocess.Popen([options.vkrace, "run", "--exit-code", "0", "--json", report, "--",
                                *options.command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               env={**os.environ, "VKRACE_REDUCE": "none"})
    with command:
        judge = judge_of(command)
        wait_idle(judge)
        go_on = threading.Timer(SECONDS, os.kill, (int(judge.name), signal.SIGCONT))
        go_on.start()
        os.kill(int(judge.name), signal.SIGSTOP)
        os.write(command.stdin.fileno(), b".")
        said = command.stdout.readline()
        if not go_on.is_alive():
            sys.exit("the program waited for its judge")
        go_on.cancel()
        os.kill(int(judge.name), signal.SIGCONT)
        if said == b"ahead\n":
            wait_idle(judge)
            os.write(command.stdin.fileno(), b".")
    if command.returncode == SKIPPED:
        sys.exit(SKIPPED)
    told = json.loads(report.read_text())
    if command.returncode != 0 or len(told["races"]) != 1 or told["coverage"]:
        sys.exit(f"exit status {command.returncode}\n{json.dumps(told, indent=1)}")


class Negotiation(ctypes.Structure):  # VkNegotiateLayerInterface
    _fields_ = [("type", ctypes.c_int), ("next", ctypes.c_void_p), ("version", ctypes.c_uint32),
                ("get_instance_proc", ctypes.c_void_p), ("get_device_proc", ctypes.c_void_p),
                ("get_physical_device_proc", ctypes.c_void_p)]


def check_layer_above(library):
    """Some layers ask the next one for vkCreateDevice without naming an instance, and call it."""
    layer = ctypes.CDLL(str(library / "libVkLayer_vkrace.so"))
    negotiation = Negotiation(type=1, version=2)
    if layer.vkNegotiateLoaderLayerInterfaceVersion(ctypes.byref(negotiation)) != 0:
        sys.exit("the layer does not negotiate")
    get = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
        negotiation.get_instance_proc)
    if not get(None, b"vkCreateDevice") or get(None, b"vkNoSuchCommand"):
        sys.exit("vkCreateDevice is not there for layers above")


def check_loader(options, folder):
    """The layer without the vkrace command: the loader's variables only."""
    library = pathlib.Path(options.vkrace).parent.parent / "lib"
    check_layer_above(library)
    report = folder / "report.json"
    layer = {"VK_INSTANCE_LAYERS": "VK_LAYER_VKRACE_race", "VK_LAYER_PATH": str(library)}
    done = run(options.command, VKRACE_JSON=str(report), **layer)
    if done.returncode == SKIPPED:
        sys.exit(SKIPPED)
    expect(b"1 race" in done.stderr, "no report", done)
    expect(report.exists(), "no JSON report", done)
    # What cannot be written is said in one line, and the program goes on.
    for variable, path in (("VKRACE_TRACE", "/nonexistent/trace"), ("VKRACE_TRACE", "/dev/full"),
                           ("VKRACE_JSON", "/nonexistent/json")):
        done = run(options.command, **{variable: path}, **layer)
        expect(done.returncode == 0, "the program failed", done)
        lines = [line for line in done.stderr.decode().splitlines() if path in line]
        expect(len(lines) == 1, f"one message about {path} expected", done)
    # The verdict stands without its files.
    done = run([options.vkrace, "run", "--trace", "/dev/full", "--json", "/dev/full", "--",
                *options.command])
    lines = [line for line in done.stderr.decode().splitlines() if "/dev/full" in line]
    expect(done.returncode == RACES_FOUND and len(lines) == 2, "no verdict without files", done)
    # What cannot be written fails a run that nothing else fails.
    done = run([options.vkrace, "run", "--exit-code", "0", "--json", "/dev/full", "--",
                *options.command])
    expect(done.returncode == WRONG_USE, "an unwritten report passes", done)
    done = run(options.command, VK_ICD_FILENAMES="/nonexistent")
    layered = run([options.vkrace, "run", "--", *options.command], VK_ICD_FILENAMES="/nonexistent")
    expect(status_of(done) == layered.returncode, "another status without a driver", layered)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--loader", action="store_true")
    parser.add_argument("--niceness", action="store_true")
    parser.add_argument("--ahead", action="store_true")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    if options.niceness:
        check_niceness(options)
        return
    with tempfile.TemporaryDirectory() as folder:
        check = (check_ahead if options.ahead else
                 check_loader if options.loader else check_program)
        check(options, pathlib.Path(folder))


main()
