#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random fragment shaders that sample one image at many coordinates, of which most follow from
others: sums, multiples of push constants and of other values, mixes of constants. Or, with --loops,
at coordinates around a place, again and again. Copies race with some of the texels. Reports are the
same, and each race is as often, with all reductions and without any (with --loops, without any but
that of words). Exit status: 0 they are, 1 they are not, 77 no driver.
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
    if chance.randrange(3) == 0:
        where = f"uintBitsToFloat(floatBitsToUint({where}) + uvec2(0))"
    elif chance.randrange(3) == 0:
        where = f"uintBitsToFloat(floatBitsToUint({where}))"
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


def around(chance):
    """Of iteration `turn`."""
    return chance.choice([
        "place + vec2(cos(turn * 2.4), sin(turn * 2.4)) * 0.05 * fract(turn * 0.618)",
        "place + pixel * vec2(mod(turn, 8) - 4, floor(turn / 8) - 4)",
        "place + pixel * 0.75 * vec2(mod(turn, 8) - 4, floor(turn / 8) - 4)",
        "(floor(place * 64) + vec2(0.5 + mod(turn, 3), fract(turn * 0.7))) / 64",
        "vec2(0.25, 0.75) + 0.5 * place * fract(turn * 0.77)",
        "(floor(place * 64) + vec2(mod(turn, 3), fract(turn * 0.7))) / 64",
        "place * 0.3 - 0.1 + other * turn / 64",
    ])


def sample_around(chance, is_uniform):
    """Where control flow is not uniform, there are no derivatives."""
    offset = f"ivec2({chance.randrange(-3, 4)}, {chance.randrange(-3, 4)})"
    layer = chance.choice(["0", "1", "mod(turn, 2)", "other", "turn * 0.03"])
    at = f"vec3(at, {layer})"
    texel = f"ivec3(at * 64, {layer})"
    level = chance.choice(["0.0", "0.3", "-1.0"])
    return chance.choice([
        f"texture(texels, {at})" if is_uniform else f"textureLod(texels, {at}, {level})",
        f"textureLod(texels, {at}, {chance.choice(['0.0', '0.5', 'other', 'turn * 0.05'])})",
        f"textureGather(texels, {at})",
        f"textureOffset(texels, {at}, {offset})" if is_uniform
        else f"textureLodOffset(texels, {at}, {level}, {offset})",
        f"texelFetch(texels, {texel}, {chance.choice(['0', '0', 'int(other * 2)'])})",
        f"texelFetchOffset(texels, {texel}, 0, {offset})",
    ])


def loops(seed):
    chance = random.Random(seed)
    some = chance.choice(["1.0", "0.1", "0.02", "0.004", "0.001"])
    lines = [HEAD.replace("sampler2D", "sampler2DArray")
             .replace("SCALE", chance.choice(["0.015625", "0.0078125", "0.017"])),
             f"\tif (fract(other * 7) > {some}) return;\n"]
    for _ in range(chance.randrange(1, 4)):
        turns = chance.choice(["70", "100", "int(other * 80)", "80"])
        lines.append(f"\tfor (int turn = 0; turn < {turns}; turn++) {{\n")
        lines.append(f"\t\tvec2 at = {around(chance)};\n")
        for _ in range(chance.choice([1, 1, 1, 2, 3])):
            arm = "if (fract(turn * 0.37 + other) > 0.5)" if chance.randrange(5) == 0 else ""
            is_uniform = some == "1.0" and turns.isdigit() and not arm
            lines.append(f"\t\t{arm} color += {sample_around(chance, is_uniform)};\n")
        lines.append("\t}\n")
    return "".join(lines) + "}\n"


def judged(options, folder, seed, path, reductions):
    report = folder / "report.json"
    environment = dict(os.environ)
    environment.pop("VKRACE_REDUCE", None)
    if reductions:
        environment["VKRACE_REDUCE"] = reductions
    done = subprocess.run([options.vkrace, "run", "--exit-code", "0", "--quiet", "--json",
                           str(report), "--", options.program, str(seed), path,
                           *(["all"] if options.loops else [])],
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
    parser.add_argument("--loops", action="store_true")
    parser.add_argument("program")
    options = parser.parse_args()
    wrong = racy = reduced = whole = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for seed in range(options.first, options.first + options.count):
            source = folder / f"samples_{seed}.frag"
            text = loops(seed) if options.loops else shader(seed)
            source.write_text(text)
            subprocess.run([options.compiler, "--quiet", "-g", "-V", "--target-env", "vulkan1.2",
                            "-o", f"{source}.spv", str(source)], check=True)
            some = judged(options, folder, seed, f"{source}.spv", None)
            # What `words` computes may be rounded, so that a texel is read perhaps, not surely.
            every = judged(options, folder, seed, f"{source}.spv",
                           "words" if options.loops else "none")
            racy += bool(every[0])
            reduced += some[2]
            whole += every[2]
            if some[:2] != every[:2]:
                wrong += 1
                print(f"seed {seed}: with reductions {some}, without {every}\n{text}")
    print(f"{options.count} shaders, {racy} with races, {wrong} wrong; log {reduced} of {whole} bytes")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
