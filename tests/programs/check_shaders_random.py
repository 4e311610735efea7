#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random compute shaders, whose races are also found by running them here, access by access.

Each shader is a few statements that touch two buffers and shared memory under conditions and in
loops, with control barriers between them. Here every invocation's accesses are listed, and two race
where they touch the same word, not both atomically, one writing, and no barrier of their memory's
class stands between them within a workgroup. vkrace must find a race where there is one, and none
but such, with its reductions and without. Exit status: 0 it does, 1 it does not, 77 no driver.
"""
import argparse
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SKIPPED = 77
ITEMS = 32        # of the first buffer
ITEM_WORDS = 6    # struct Item { uint a; uvec2 b; uint c[2]; }, std430
WORDS = 64        # of the second buffer and of the shared array
OWN = 256         # where each invocation has a word of its own behind these
MODELS = ("vulkan", "vulkan_private", "legacy")

HEADERS = {
    "vulkan": ("#extension GL_KHR_memory_scope_semantics : require\n"
               "#pragma use_vulkan_memory_model\n", "workgroupcoherent "),
    "vulkan_private": ("#extension GL_KHR_memory_scope_semantics : require\n"
                       "#pragma use_vulkan_memory_model\n", ""),
    "legacy": ("", "coherent "),
}


class Shader:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.name = f"s{seed}"
        self.model = self.random.choice(MODELS)
        self.size = self.random.choice(((8, 1), (16, 1), (4, 4), (32, 1)))
        self.local = self.size[0] * self.size[1]
        self.lines = []      # of main
        self.statements = [] # (kind, arguments) to be run, with the line that they stand on
        self.first_line = 0

    # -- Text ------------------------------------------------------------------------------------

    def index(self, most, loop):
        number = self.random.randrange
        forms = ["l", "g * W + l", f"l + {number(8)}", f"l ^ {1 << number(3)}", f"l >> {number(3)}",
                 f"l * {number(1, 4)} + g * {number(0, 40)} + {number(4)}", f"{number(most)}",
                 f"g * {number(1, 20)} + l", "W - 1 - l", f"(l * {number(1, 9)}) & 15"]
        if loop:
            forms += ["l + k", f"l * {number(1, 4)} + k", "g * W + l + k * W", "k"]
        return f"({self.random.choice(forms)}) % {most}"

    def place(self, loop):
        """Where an access goes: text, object, and an expression of its first word; words."""
        kind = self.random.randrange(6)
        if kind == 0:
            index = self.index(ITEMS, loop)
            member, word, words = self.random.choice(
                ((".a", 0, 1), (".b", 2, 2), (".b.y", 3, 1), (".c[0]", 4, 1), (".c[1]", 5, 1)))
            return f"items[{index}]{member}", "items", f"({index}) * {ITEM_WORDS} + {word}", words
        index = self.index(WORDS, loop)
        if kind < 3:
            return f"words[{index}]", "words", index, 1
        return f"tile[{index}]", "tile", index, 1

    def access(self, loop):
        text, memory, word, words = self.place(loop)
        kind = self.random.choice(("read", "read", "write", "write", "atomic"))
        if kind == "atomic" and words > 1:
            kind = "write"
        if kind == "read":
            source = f"sum += {text}{'.x' if words > 1 else ''};"
            words = 1 # of a vector's component
        elif kind == "write":
            source = f"{text} = {'uvec2(sum)' if words > 1 else 'sum'};"
        elif self.model == "legacy":
            source = f"atomicAdd({text}, 1u);"
        else:
            source = f"atomicAdd({text}, 1u, gl_ScopeQueueFamily, 0, 0);"
        return source, (kind, memory, word, words)

    def add(self, source, statement):
        self.lines.append(source)
        self.statements.append((statement, len(self.lines)))

    def barrier(self):
        if self.model == "legacy":
            source, classes = self.random.choice(
                (("barrier();", {"tile"}),
                 ("memoryBarrierBuffer(); barrier(); memoryBarrierBuffer();",
                  {"tile", "items", "words"})))
        else:
            semantics, classes = self.random.choice(
                (("gl_StorageSemanticsShared", {"tile"}),
                 ("gl_StorageSemanticsBuffer", {"items", "words"}),
                 ("gl_StorageSemanticsBuffer | gl_StorageSemanticsShared",
                  {"tile", "items", "words"})))
            source = (f"controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, {semantics}, "
                      "gl_SemanticsAcquireRelease);")
        self.add("\t" + source, ("barrier", classes))

    def make(self):
        for _ in range(self.random.randrange(2, 6)):
            form = self.random.randrange(6)
            loop = form in (1, 2)
            source, access = self.access(loop)
            if form == 0:
                condition = self.random.choice(("l < 4u", "(l & 1) == 0", "g == 0", "l == W - 1",
                                                "(l + g) % 3 == 1"))
                self.add(f"\tif ({condition}) {{ {source} }}", ("if", condition, access))
            elif loop:
                trips = self.random.randrange(1, 4)
                self.add(f"\tfor (uint k = 0; k < {trips}; k++) {{ {source} }}",
                         ("loop", trips, access))
            else:
                self.add("\t" + source, ("one", access))
            if self.random.random() < 0.5:
                self.barrier()
        extension, coherent = HEADERS[self.model]
        head = (f"#version 450\n{extension}"
                f"layout(local_size_x = {self.size[0]}, local_size_y = {self.size[1]}) in;\n"
                "struct Item { uint a; uvec2 b; uint c[2]; };\n"
                f"layout(set = 0, binding = 0) {coherent}buffer Items {{ Item items[]; }};\n"
                f"layout(set = 0, binding = 1) {coherent}buffer Words {{ uint words[]; }};\n"
                f"shared uint tile[{WORDS}];\n"
                "void main()\n{\n"
                f"\tconst uint W = {self.local}, l = gl_LocalInvocationIndex, "
                "g = gl_WorkGroupID.x;\n"
                "\tuint sum = l;\n")
        self.first_line = head.count("\n")
        return head + "\n".join(self.lines) + f"\n\twords[{OWN} + g * W + l] = sum;\n}}\n"

    # -- Races -----------------------------------------------------------------------------------

    def accesses(self, groups):
        """word -> {(line, kind, interval): invocations}; intervals by class of memory."""
        touched = {}

        def run(access, names, line, intervals):
            kind, memory, word, words = access
            first = eval(word.replace("/", "//"), {}, names) # an index of our own making
            for at in range(first, first + words):
                where = (memory, at) if memory != "tile" else (memory, names["g"], at)
                key = (line, kind, intervals[memory])
                touched.setdefault(where, {}).setdefault(key, set()).add((names["g"], names["l"]))

        for g, l in itertools.product(range(groups), range(self.local)):
            intervals = {"tile": 0, "items": 0, "words": 0}
            for (what, *of), line in self.statements:
                names = {"g": g, "l": l, "W": self.local}
                at = self.first_line + line
                if what == "barrier":
                    for name in of[0]:
                        intervals[name] += 1
                elif what == "if":
                    if eval(of[0].replace("u", ""), {}, names):
                        run(of[1], names, at, intervals)
                elif what == "loop":
                    for k in range(of[0]):
                        run(of[1], {**names, "k": k}, at, intervals)
                else:
                    run(of[0], names, at, intervals)
        return touched

    def is_private(self, memory, kind):
        return self.model == "vulkan_private" and memory != "tile" and kind != "atomic"

    def races(self, groups):
        found = set()
        for where, keys in self.accesses(groups).items():
            for (x, xs), (y, ys) in itertools.combinations_with_replacement(keys.items(), 2):
                if x[1] == y[1] == "read" or x[1] == y[1] == "atomic":
                    continue
                ordered = x[2] != y[2] and not (self.is_private(where[0], x[1]) or
                                                self.is_private(where[0], y[1]))
                if any(a != b and not (ordered and a[0] == b[0]) for a in xs for b in ys):
                    found.add(tuple(sorted((x[0], y[0]))))
        return found


def compile_shaders(options, folder, shaders):
    paths = []
    for shader in shaders:
        source = folder / f"{shader.name}.comp"
        source.write_text(shader.make())
        paths.append(str(folder / f"{shader.name}.spv"))
        target = ["--target-env", "vulkan1.1"]
        subprocess.run([options.compiler, "--quiet", "-g", "-V", *target, "-o", paths[-1],
                        str(source)], check=True)
    return paths


def judged(options, folder, paths, reductions):
    """Shader's name -> pairs of lines."""
    path = folder / "report.json"
    done = subprocess.run([options.vkrace, "run", "--exit-code", "0", "--quiet", "--json",
                           str(path), "--", options.program, str(options.groups), *paths],
                          env={**os.environ, "VKRACE_REDUCE": reductions}, capture_output=True,
                          text=True, errors="backslashreplace", check=False)
    if done.returncode == SKIPPED:
        print(done.stderr)
        sys.exit(SKIPPED)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}\n{done.stderr[-3000:]}")
    report = json.loads(path.read_text())
    if report["coverage"]:
        sys.exit(f"not observed: {report['coverage']}")
    found = {}
    for race in report["races"]:
        sources = [race[side]["source"] for side in ("first", "second")]
        name = pathlib.Path(sources[0]["file"]).stem
        pair = tuple(sorted(source["line"] for source in sources))
        found.setdefault(name, set()).add(pair)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--groups", type=int, default=3)
    parser.add_argument("program")
    options = parser.parse_args()
    wrong = racy = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shaders = [Shader(seed) for seed in range(options.first, options.first + options.count)]
        paths = compile_shaders(options, folder, shaders)
        found = {reductions: judged(options, folder, paths, reductions)
                 for reductions in ("identity,words,repeats", "none")}
        for shader in shaders:
            expected = shader.races(options.groups)
            racy += bool(expected)
            for reductions, races in found.items():
                told = races.get(shader.name, set())
                if told <= expected and bool(told) == bool(expected):
                    continue
                wrong += 1
                print(f"{shader.name} with reductions {reductions}: told {sorted(told)}, "
                      f"there are {sorted(expected)}\n"
                      + (folder / f"{shader.name}.comp").read_text())
    print(f"{racy} of {options.count} shaders race; {wrong} judgements are wrong")
    sys.exit(wrong > 0 or racy == 0)


main()
