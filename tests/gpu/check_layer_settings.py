#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Settings that the program gives itself, and what the layer tells of itself:
check_layer_settings.py VKRACE GPU_SETTINGS. Exit status 77 where the driver cannot.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def expect(condition, what):
    if not condition:
        sys.exit(what)


def run(vkrace, program, path, **environment):
    done = subprocess.run([vkrace, "run", "--", program, path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False,
                          env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0", **environment})
    if done.returncode == 77:
        sys.exit(77)
    expect(done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def main():
    vkrace, program = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        out, error = run(vkrace, program, folder / "given.json")
        lines = out.splitlines()
        for line in ("tool vkrace of VK_LAYER_VKRACE_race",
                     "instance extension VK_EXT_layer_settings",
                     "device extension VK_EXT_tooling_info"):
            expect(lines.count(line) == 1, f"'{line}' is not printed\n{out}{error}")
        expect(len(lines) >= 3 and "one tool cannot be asked for" not in lines, out)
        report = json.loads((folder / "given.json").read_text())
        expect(any("shader" in lack["text"] for lack in report["coverage"]),
               f"shaders are observed although the program said not to: {report['coverage']}")
        expect("vkCreateInstance: vkrace.jsn is no" in error or
               "vkCreateInstance: vkrace.jsn is not" in error, error)
        expect("vkCreateInstance: vkrace.RING_MB=0" in error, error)
        expect("VK_LAYER_other" not in error and "only" not in error, error)
        # The environment goes first, then a file, under the layer's short and its long name.
        run(vkrace, program, folder / "unused.json", VKRACE_JSON=str(folder / "environment.json"))
        expect((folder / "environment.json").exists() and not (folder / "unused.json").exists(),
               "the program's setting goes before the environment's")
        (folder / "vk_layer_settings.txt").write_text(
            f"vkrace_race.json = {folder / 'file.json'}\n")
        run(vkrace, program, folder / "unused.json", VK_LAYER_SETTINGS_PATH=str(folder))
        expect((folder / "file.json").exists() and not (folder / "unused.json").exists(),
               "the program's setting goes before the file's")


main()
