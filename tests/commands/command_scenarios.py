# SPDX-License-Identifier: Apache-2.0
"""Programs that people have written, and what is to be reported of them. A program is `program NAME`
and lines as play.h reads them, with names for numbers that `|` joins; a line may begin with `TAG:`.
Lines outside of command buffers are one's that is submitted at the program's end, where none is
begun. `races OBJECT TAG TAG CLASS`: what is reported, besides which nothing is; `perhaps OBJECT`:
where something may race that it is not known how far it reaches."""
import random_scopes
from command_program import Line, Program
from random_scopes import full_barrier

STAGES = ("TOP DRAW_INDIRECT VERTEX_INPUT VERTEX_SHADER TESSELLATION_CONTROL TESSELLATION_EVALUATION "
          "GEOMETRY_SHADER FRAGMENT_SHADER EARLY_TESTS LATE_TESTS COLOR_OUTPUT COMPUTE_SHADER "
          "TRANSFER BOTTOM HOST ALL_GRAPHICS ALL_COMMANDS").split()
SECOND_STAGES = ("COPY RESOLVE BLIT CLEAR INDEX_INPUT VERTEX_ATTRIBUTE_INPUT "
                 "PRE_RASTERIZATION").split()
ACCESSES = ("INDIRECT_READ INDEX_READ VERTEX_READ UNIFORM_READ INPUT_READ SHADER_READ SHADER_WRITE "
            "COLOR_READ COLOR_WRITE DEPTH_READ DEPTH_WRITE TRANSFER_READ TRANSFER_WRITE HOST_READ "
            "HOST_WRITE MEMORY_READ MEMORY_WRITE").split()
SECOND_ACCESSES = "SAMPLED_READ STORAGE_READ STORAGE_WRITE".split()
NAMES = {
    **{name: 1 << at for at, name in enumerate(STAGES)},
    **{name: 1 << 32 + at for at, name in enumerate(SECOND_STAGES)},
    **{name: 1 << at for at, name in enumerate(ACCESSES)},
    **{name: 1 << 32 + at for at, name in enumerate(SECOND_ACCESSES)},
    "NONE": 0, "LOAD": 0, "LOAD_CLEAR": 1, "LOAD_DONT_CARE": 2, "LOAD_NONE": 1000400000,
    "STORE": 0, "STORE_DONT_CARE": 1, "STORE_NONE": 1000301000,
    "UNDEFINED": 0, "GENERAL": 1, "COLOR_OPTIMAL": 2, "DEPTH_OPTIMAL": 3, "DEPTH_READ_ONLY": 4,
    "SHADER_READ_ONLY": 5, "TRANSFER_SOURCE": 6, "TRANSFER_TARGET": 7,
    "COLOR": 1, "DEPTH": 2, "STENCIL": 4, "AVAILABILITY": 4, "BY_REGION": 1,
}
OBJECTS = ("buffer", "image", "event", "semaphore", "fence", "query_pool")


def number(text):
    return sum({NAMES[name] if name in NAMES else int(name, 0) for name in text.split("|")})


class Scenario:
    """A program, and what is to be reported of it."""

    def __init__(self, name, at):
        self.name, self.program = name, Program(at, [])
        self.tags, self.expected, self.perhaps = {}, set(), set()

    def add(self, row):
        words = row.split()
        if words[0] == "races":
            self.expected.add(tuple(words[1:]))
            return
        if words[0] == "perhaps":
            self.perhaps.add(words[1])
            return
        tag = words.pop(0)[:-1] if words[0].endswith(":") else None
        made = Line(words[0].lstrip("+"),
                    {key: number(value) for key, value in (word.split("=") for word in words[1:])})
        if words[0].startswith("+"):
            self.program.lines[-1].parts.append(made)
            return
        self.program.lines.append(made)
        if tag:
            self.tags[id(made)] = tag

    def finish(self):
        """Images are cleared at the beginning; commands have a command buffer."""
        lines = self.program.lines
        images = [line for line in lines if line.op == "image"]
        begins = any(line.op == "begin" for line in lines)
        objects = [line for line in lines if line.op in OBJECTS]
        rest = [line for line in lines if line.op not in OBJECTS]
        first = [Line("begin", {"id": 63})] if images or not begins else []
        if images:
            first += prepared(images)
        if not begins:
            rest = [*first, *rest, Line("end"), submission()]
        elif images:
            rest = [*first, Line("end"), submission(), Line("wait_device"), *rest]
        self.program.lines = [*objects, *rest]
        numbers = {self.tags.get(id(line)): at
                   for at, line in enumerate(self.program.lines, 1)}
        numbers["host"] = 0
        self.expected = {(name, tuple(sorted((numbers[one], numbers[other]))), kind)
                         for name, one, other, kind in self.expected}


def submission():
    return Line("submit", {"queue": 0}, [Line("run", {"id": 63})])


def prepared(images):
    """All of them in GENERAL, and nothing to be ordered with."""
    scopes = {"from": random_scopes.TOP, "to": random_scopes.ALL_COMMANDS}
    parts = [Line("image", {**scopes, "to_access": NAMES["MEMORY_READ"] | NAMES["MEMORY_WRITE"],
                            "id": image["id"], "mips": image["mips"], "layers": image["layers"],
                            "old": 0}) for image in images]
    return [Line("barrier", scopes, parts), full_barrier()]


def read(path):
    scenarios = []
    for row in path.read_text().splitlines():
        row = row.split("#")[0].strip()
        if row.startswith("program "):
            scenarios.append(Scenario(row.split()[1], len(scenarios) + 1))
        elif row:
            scenarios[-1].add(row)
    for scenario in scenarios:
        scenario.finish()
    return scenarios
