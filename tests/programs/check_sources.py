#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_sources.py VKRACE DEMO COMPILER GLSLANG: the demo is built in a folder of its own, recorded,
and its folder removed. A trace with sources shows the lines of shaders and program all the same, a
trace without them holds none, and shaders without lines are shown as instructions."""

import json
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

SHADER_TEXT = "velocities[i] += vec4(acceleration * seconds, 0);"  # forces.comp
PROGRAM_TEXT = "vkCmdDispatch(commands, "  # nbody.c
LINE = 8  # OpLine


def without_lines(path):
    """Takes the OpLines out: the text of the sources stays."""
    words = struct.unpack(f"<{path.stat().st_size // 4}I", path.read_bytes())
    at, kept = 5, list(words[:5])
    while at < len(words):
        length = words[at] >> 16
        if words[at] & 0xffff != LINE:
            kept += words[at:at + length]
        at += length
    path.write_bytes(struct.pack(f"<{len(kept)}I", *kept))


def write_header(path, name):
    words = struct.unpack(f"<{path.stat().st_size // 4}I", path.read_bytes())
    path.with_name(f"{name}.spv.h").write_text(
        f"#include <stdint.h>\nconst uint32_t {name}[] = {{{','.join(map(str, words))}}};\n")


def build(folder, demo, compiler, glslang, flags, strip=False):
    for path in demo.iterdir():
        if path.suffix in (".c", ".h", ".comp"):
            shutil.copy(path, folder)
    for name in ("forces", "integrate"):
        module = folder / f"{name}.spv"
        subprocess.run([glslang, "--quiet", *flags, "-V", "-o", module, folder / f"{name}.comp"], check=True)
        if strip:
            without_lines(module)
        write_header(module, name)
    program = folder / "nbody"
    subprocess.run([compiler, "-std=c17", "-D_GNU_SOURCE", "-g", "-O0", "-o", program, folder / "nbody.c",
                    folder / "compute_device.c", "-lvulkan", "-lm"], check=True)
    return program


def printed(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode not in (0, 66):
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}")
    return done.stdout


class Case:
    def __init__(self, tools, flags, strip=False, options=()):
        vkrace, demo, compiler, glslang = tools
        self.vkrace = vkrace
        self.kept = tempfile.TemporaryDirectory()
        self.trace = pathlib.Path(self.kept.name, "trace")
        self.live = pathlib.Path(self.kept.name, "live.json")
        with tempfile.TemporaryDirectory() as folder:
            program = build(pathlib.Path(folder), demo, compiler, glslang, flags, strip)
            printed([vkrace, "run", "--quiet", "--no-compress", "--trace", self.trace, "--json", self.live,
                     *options, "--", program])
        self.replayed = self.report("--json")

    def report(self, *options):
        return printed([self.vkrace, "report", *options, self.trace])


def expect(condition, what):
    if not condition:
        sys.exit(f"check_sources.py: {what}")


def check_with_sources(tools, flags):
    case = Case(tools, flags, options=["--with-sources"])
    expect(case.live.read_text() == case.replayed, "the replayed report is another one")
    moved = pathlib.Path(case.kept.name, "moved.json")
    moved.write_text(case.replayed)
    for name, text in (("trace", case.report()), ("JSON", printed([case.vkrace, "report", moved]))):
        expect(SHADER_TEXT in text, f"{flags}: the text report of the {name} has no line of a shader")
        expect(re.search(r"recorded +dispatch\(\) nbody\.c:\d+", text), f"the {name} has no calls")
    for form in ("--html", "--sarif"):
        for name, text in (("trace", case.report(form)), ("JSON", printed([case.vkrace, "report", form, moved]))):
            expect(SHADER_TEXT in text, f"{form} of the {name} has no line of a shader")
            expect(PROGRAM_TEXT in text, f"{form} of the {name} has no line of the program")
    info = printed([case.vkrace, "info", case.trace])
    expect(re.search(r"\b[1-9]\d* pieces of source files", info), "info does not say that sources are inside")
    cut = pathlib.Path(case.kept.name, "cut")
    race = next(race for race in json.loads(case.replayed)["races"] if race["first"]["object"] == "velocities")
    printed([case.vkrace, "cut", "-o", cut, case.trace, race["id"]])
    expect(SHADER_TEXT in printed([case.vkrace, "report", cut]), "the cut trace has no line of a shader")


def check_without_sources(tools):
    case = Case(tools, ["-g"])
    expect(SHADER_TEXT.encode() not in case.trace.read_bytes(), "the trace holds a source that nobody asked for")
    expect(SHADER_TEXT not in case.report(), "the source is still there")
    expect(" 0 pieces of source files" in printed([case.vkrace, "info", case.trace]), "info tells of sources")


def check_instructions(tools):
    """Neither lines nor names of files, and sources that are in the modules although these have no lines."""
    for flags, strip in (([], False), (["-g"], True)):
        case = Case(tools, flags, strip)
        expect(SHADER_TEXT.encode() not in case.trace.read_bytes(), "the module's source is in the trace")
        races = json.loads(case.replayed)["races"]
        for race in races:
            for side in ("first", "second"):
                source = race[side]["source"]
                expect(source["line"] == 0, "there are lines")
                expect(re.search(r"Op(Load|Store) ", source["instruction"].splitlines()[-1]),
                       f"no instruction: {source}")
        expect(any("OpAccessChain" in race["first"]["source"]["instruction"] for race in races),
               f"no instruction has its operands: {case.replayed}")
        expect(re.search(r"source +(?:\S*, )?instruction at SPIR-V word \d+\n +%.*\n", case.report()),
               "the text report has no instruction")


def main():
    vkrace, demo, compiler, glslang = sys.argv[1:]
    tools = vkrace, pathlib.Path(demo), compiler, glslang
    check_with_sources(tools, ["-g"])
    check_with_sources(tools, ["-gVS"])
    check_without_sources(tools)
    check_instructions(tools)


main()
