#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random fragment shaders that read the elements of an array in loops, of constant and varying
length, that leave early, pass over iterations, stand in each other, or end the fragment. An update
races with all that is read: each line's races reach over the same bytes with all reductions and
without any. How often differs, as one invocation logs for all. Exit status: 0 they do, 1 they do
not, 77 no driver.
"""
import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

SKIPPED = 77

HEAD = """#version 450
#extension GL_EXT_demote_to_helper_invocation : enable
layout(set = 0, binding = 2) uniform Data { uvec4 data[9]; };
layout(location = 0) out vec4 color;
uint fourth(uint i)
{
	return data[i].w;
}
void main()
{
	uint sum = 0;
	uvec2 at = uvec2(gl_FragCoord.xy);
"""
BOUNDS = ["at.x + 1", "at.y % 4 + 1", "min(at.x, 5u)"] + [f"{n}u" for n in range(1, 9)] * 2
CONDITIONS = ["at.x > 3", "at.y < 2", "(at.x + at.y) % 3 == 0", "sum % 2 == 0",
              "at == uvec2(7, 7)"]


class Shader:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        for _ in range(self.random.randint(1, 4)):
            self.statement()

    def read(self, index):
        self.lines.append(f"sum += data[{index}].{self.random.choice('xyzw')};")

    def condition(self):
        return self.random.choice(CONDITIONS)

    def pixel(self):
        return f"at == uvec2({self.random.randint(0, 7)}, {self.random.randint(0, 7)})"

    def statement(self):
        kind = self.random.random()
        if kind < 0.7:
            self.loop(1)
        elif kind < 0.8:
            self.read(self.random.randint(0, 8))
        elif kind < 0.9:
            self.lines.append(f"if ({self.condition()}) {{")
            self.loop(1)
            self.lines.append("}")
        else:
            self.read("at.x")

    def loop(self, depth):
        counter, bound = f"i{len(self.lines)}", self.random.choice(BOUNDS)
        kind = self.random.choice(["uint", "int"])
        if self.random.random() < 0.8:
            self.lines.append(
                f"for ({kind} {counter} = {self.random.choice([0, 0, 0, 1, 2])}; "
                f"{counter} < {kind}({bound}); {counter} += {self.random.choice([1, 1, 1, 2])}) {{")
        else:
            self.lines.append(f"for (int {counter} = int({bound}); {counter} > 0; {counter}--) {{")
        for _ in range(self.random.randint(1, 3)):
            self.inner(counter, depth)
        self.lines.append("}")

    def inner(self, counter, depth):
        kind = self.random.random()
        if kind < 0.6:
            self.read(counter)
        elif kind < 0.7:
            self.read(self.random.randint(0, 8))
        elif kind < 0.78:
            self.lines.append(
                f"if ({self.condition()}) {self.random.choice(['continue', 'break'])};")
        elif kind < 0.84 and depth < 3:
            self.loop(depth + 1)
        elif kind < 0.9:
            self.lines.append(f"if ({self.condition()})")
            self.read(counter)
        elif kind < 0.94:
            self.lines.append(f"sum += fourth(uint({counter}));")
        else:
            self.lines.append(
                f"if ({self.pixel()}) {self.random.choice(['discard', 'demote'])};")

    def text(self):
        return HEAD + "\n".join(self.lines) + "\n\tcolor = vec4(sum);\n}\n"


def judged(options, folder, binary, reduce):
    """Which lines race where, and what was not observed; the log's bytes."""
    report = folder / "report.json"
    environment = dict(os.environ)
    if reduce:
        environment["VKRACE_REDUCE"] = reduce
    done = subprocess.run([options.vkrace, "run", "--quiet", "--exit-code", "0", "--json",
                           str(report), "--", options.program, binary], capture_output=True,
                          text=True, check=False, env=environment)
    if done.returncode == SKIPPED:
        print(done.stderr)
        sys.exit(SKIPPED)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}\n{done.stderr[-3000:]}")
    facts = json.loads(report.read_text())
    races = sorted((race["class"], race["extent"]["first"], race["extent"]["end"],
                    race["extent"]["bytes"],
                    max(race[side].get("source", {}).get("line", 0)
                        for side in ("first", "second")))
                   for race in facts["races"])
    return races, facts["coverage"], facts["log_bytes"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("program")
    options = parser.parse_args()
    wrong = racy = reduced = whole = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for seed in range(options.first, options.first + options.count):
            source = folder / f"loops_{seed}.frag"
            source.write_text(Shader(seed).text())
            subprocess.run([options.compiler, "--quiet", "-g", "-V", "--target-env",
                            f"vulkan1.{seed % 2 + 1}", "-o", f"{source}.spv", str(source)],
                           check=True)
            some = judged(options, folder, f"{source}.spv", None)
            every = judged(options, folder, f"{source}.spv", "none")
            racy += bool(every[0])
            reduced += some[2]
            whole += every[2]
            if some[:2] != every[:2]:
                wrong += 1
                print(f"seed {seed}: with reductions {some}, without {every}\n"
                      f"{Shader(seed).text()}")
    print(f"{options.count} shaders, {racy} with races, {wrong} wrong; log {reduced} of {whole} "
          "bytes")
    sys.exit(1 if wrong else 0)


main()
