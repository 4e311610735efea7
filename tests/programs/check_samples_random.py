#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random fragment shaders that sample one image at many coordinates, of which most follow from
others: sums, multiples of push constants and of other values, mixes of constants. Copies race with
some of the texels. Reports are the same, and each race is as often, with all reductions and without
any. Exit status: 0 they are, 1 they are not, 77 no driver.
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
layout(set = 0, binding = 0) uniform sampler2D texels;
layout(push_constant) uniform Steps
{
	vec2 pixel;
	float shift, factor;
};
layout(location = 0) out vec4 color;
void main()
{
	vec2 place = gl_FragCoord.xy * SCALE;
	float other = fract(gl_FragCoord.x * 0.37 + gl_FragCoord.y * 0.11);
	color = vec4(0);
"""


def constant(chance):
    return chance.choice(["0.25", "-0.5", "0.015625", "1.0", "-1.0", "3.0"])


def coordinate(chance):
    kind = chance.randrange(9)
    k = constant(chance)
    return [
        "place",
        f"place + vec2({k}, {constant(chance)})",
        f"place + pixel * {k}",
        f"place - vec2(pixel.y * {k}, 0)",
        f"place + other * vec2({k}, 0)",
        f"vec2(other * 0.5 + shift, place.y * {k})",
        f"vec2(mix(0.125, 0.875, other), {k})",
        f"vec2({k}) - place.yx",
        f"place * factor + vec2(shift, {k})",
    ][kind]


def sample(chance):
    where = coordinate(chance)
    return [
        f"texture(texels, {where})",
        f"texture(texels, {where})",
        f"texture(texels, {where}, {constant(chance)})",
        f"textureLod(texels, {where}, {chance.choice(['0.0', '1.0', 'other', 'shift'])})",
        f"textureGather(texels, {where})",
        f"textureOffset(texels, {where}, ivec2({chance.randrange(-3, 4)}, 1))",
    ][chance.randrange(6)]


def shader(seed):
    chance = random.Random(seed)
    lines = [HEAD.replace("SCALE", chance.choice(["0.015625", "0.0078125", "0.03", "0.0017"]))]
    for at in range(chance.randrange(2, 9)):
        arm = "\tif (other > 0.5)\n\t" if chance.randrange(8) == 0 else ""
        lines.append(f"{arm}\tcolor += {sample(chance)}; // {at}\n")
    return "".join(lines) + "}\n"


def judged(options, folder, seed, path, reductions):
    report = folder / "report.json"
    environment = dict(os.environ)
    environment.pop("VKRACE_REDUCE", None)
    if reductions:
        environment["VKRACE_REDUCE"] = reductions
    done = subprocess.run([options.vkrace, "run", "--exit-code", "0", "--quiet", "--json",
                           str(report), "--", options.program, str(seed), path],
                          env=environment, capture_output=True, text=True, check=False)
    if done.returncode == SKIPPED:
        print(done.stderr)
        sys.exit(SKIPPED)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}\n{done.stderr[-3000:]}")
    facts = json.loads(report.read_text())
    races = sorted((race["class"], race["count"], race["first"].get("source", {}).get("line", 0),
                    json.dumps(race["first"].get("object"), sort_keys=True))
                   for race in facts["races"] + facts.get("possible", []))
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
            source = folder / f"samples_{seed}.frag"
            source.write_text(shader(seed))
            subprocess.run([options.compiler, "--quiet", "-g", "-V", "--target-env", "vulkan1.2",
                            "-o", f"{source}.spv", str(source)], check=True)
            some = judged(options, folder, seed, f"{source}.spv", None)
            every = judged(options, folder, seed, f"{source}.spv", "none")
            racy += bool(every[0])
            reduced += some[2]
            whole += every[2]
            if some[:2] != every[:2]:
                wrong += 1
                print(f"seed {seed}: with reductions {some}, without {every}\n{shader(seed)}")
    print(f"{options.count} shaders, {racy} with races, {wrong} wrong; log {reduced} of {whole} bytes")
    sys.exit(1 if wrong else 0)


main()
