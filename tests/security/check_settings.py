#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Settings that are wrong, hostile or another user's: check_settings.py VKRACE PROGRAM...

The program has no race. Whatever is set, it runs to its end, and what is wrong is told once. Exit status
77 where the driver cannot.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

NOBODY = 65534
# Setting, its message.
WRONG = (
    ({"VKRACE_BOGUS": "1"}, "VKRACE_BOGUS is no setting"),
    ({"VKRACE_JSN": "x"}, "VKRACE_JSN is no setting (VKRACE_JSON?)"),
    ({"VKRACE_log_mb": "4"}, "VKRACE_log_mb is no setting (VKRACE_LOG_MB?)"),
    ({"VKRACE_LOG_MB": "0"}, "VKRACE_LOG_MB=0 is no number from 1 to 1048576"),
    ({"VKRACE_LOG_MB": "abc"}, "VKRACE_LOG_MB=abc is no number"),
    ({"VKRACE_LOG_MB": "99999999999999999999"}, "is no number from 1"),
    ({"VKRACE_RING_MB": "-1"}, "VKRACE_RING_MB=-1 is no number"),
    ({"VKRACE_RING_MB": "1e9"}, "VKRACE_RING_MB=1e9 is no number"),
    ({"VKRACE_JUDGE": "maybe"}, "VKRACE_JUDGE=maybe is neither 0 nor 1"),
    ({"VKRACE_HOST": "fast"}, "VKRACE_HOST=fast"),
)


def run(vkrace, program, folder, **environment):
    done = subprocess.run([vkrace, "run", "--quiet", "--", *program], cwd=folder, check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120,
                          env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0", **environment})
    if done.returncode == 77:
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"{environment}: exit status {done.returncode}\n{done.stderr}")
    return done.stderr


def expect_told(told, text, times=1):
    if told.count(text) != times:
        sys.exit(f"'{text}' is told {told.count(text)} times, expected {times}:\n{told}")


def check_modes(vkrace, program, folder):
    """Whatever the umask, what is written is the user's alone."""
    written = {form: folder / f"run.{form}" for form in ("trace", "json", "html", "sarif", "junit")}
    options = [f"--{form}={path}" for form, path in written.items()]
    dump = folder / "shaders"
    before = os.umask(0)
    done = subprocess.run([vkrace, "run", "--quiet", *options, "--", *program], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "VKRACE_DUMP_SHADERS": str(dump),
                               "ASAN_OPTIONS": "detect_leaks=0"})
    os.umask(before)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}\n{done.stderr}")
    for path in [*written.values(), dump, *dump.iterdir()]:
        if path.stat().st_mode & 0o077:
            sys.exit(f"{path.name} has mode {path.stat().st_mode & 0o777:o}")


def check_inputs(vkrace, folder):
    """A pipe or a device in a file's place is refused, and not waited for."""
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    for name in (pipe, "/dev/zero"):
        for words in (["run", "--suppressions", name, "--", "true"], ["report", name],
                      ["run", "--baseline", name, "--", "true"], ["diff", name, name]):
            done = subprocess.run([vkrace, *words], stdout=subprocess.DEVNULL, timeout=20,
                                  stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode != 2 or "is no regular file" not in done.stderr:
                sys.exit(f"{words}: exit status {done.returncode}\n{done.stderr}")


def main():
    vkrace, program = sys.argv[1], sys.argv[2:]
    for environment, text in WRONG:
        expect_told(run(vkrace, program, "/", **environment), text)
    expect_told(run(vkrace, program, "/", VKRACE_LOG_MB="16", VKRACE_JUDGE="yes"), "vkrace: VKRACE_", 0)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        file, mark = folder / "vk_layer_settings.txt", folder / "mark"
        check_modes(vkrace, program, folder)
        check_inputs(vkrace, folder)
        evil = folder / "evil"
        evil.write_text(f"#!/bin/sh\ntouch {mark}\n")
        evil.chmod(0o755)
        file.write_text(f"vkrace.command = {evil}\nvkrace.jsn = x\nvkrace.log_mb = many\n")
        told = run(vkrace, program, folder, VKRACE_COMMAND="")
        expect_told(told, "vkrace.command is taken from the environment only")
        expect_told(told, "vkrace.jsn is no setting (VKRACE_JSON?)")
        expect_told(told, "vkrace.LOG_MB=many is no number")
        if mark.exists():
            sys.exit("a settings file has chosen a program")
        file.write_text("vkrace.log_mb = many\n")
        file.chmod(0o666)
        expect_told(run(vkrace, program, folder), "can be written by anyone")
        file.chmod(0o644)
        if os.geteuid() == 0:
            os.chown(file, NOBODY, NOBODY)
            expect_told(run(vkrace, program, folder), "is another user's")
        file.unlink()
        os.mkfifo(file)
        expect_told(run(vkrace, program, folder), "is no file: its settings are not read")
        expect_told(run(vkrace, program, "/", VK_LAYER_SETTINGS_PATH="/dev/zero"), "is no file")


main()
