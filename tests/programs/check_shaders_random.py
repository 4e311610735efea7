#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random shaders, whose races are also found by running them here, access by access.

Each shader is a few statements that touch two buffers and shared memory under conditions, in loops
of several kinds and by functions, with control barriers between them; some also numbers of 64 bits,
floats, and words behind a device address. With --data indices, conditions, and how often loops are
gone through also depend on words that the host has written before; with --images they touch texel
buffers, too, also by functions that are given one of two; with --types numbers of 8 and 16 bits
that share bytes, matrices of both layouts, subgroup barriers, and sizes that specialization
constants give; with --steps all that loops do follows from their turns; with --forms there are
what random_forms.py tells, and shaders of fragments; with --readers they are what random_readers.py
tells, with --uniforms what random_uniforms.py does. Here every invocation's accesses are listed,
and two race where they touch the same word, not both atomically in each other's scope, one writing,
and no barrier of their memory's class stands between them within a workgroup. vkrace must find a race where there is one, and none but such, with its
reductions and without. The CPU driver of Mesa 22.3 loses invocations of a few shaders, with or
without the layer, which that of Mesa 26 runs: of the first 1400 seeds those of 8, 21, 57, 121, 173, 1103, 1155
and 1342, with --data of the first 400 those of 215 and 381, with --images of the first 120 those of
32 and 91, with --types and --data of the first 20 that of 0, with --forms of the first 80 that of
16, with --forms, --data and --types of the first 210 those of 86 and 198, and those of 270, 285 and
396. Of 150 from 20000 with --data those of 20119, 20124 and 20142, with --types those of 20008 and
20081, with both those of 20124 and 20130, with --steps those of 20008, 20077, 20087 and 20127, with
--forms, --data and --types those of 20029, 20110, 20111 and 20143. Of 30 from 6000 with --steps that
of 6020, with --images that of 6019. Beyond these 30043, with --images 301 and 338, with --forms,
--data and --types 3015, of 200 from 1000, 2000 and 2100 with --uniforms that of 1024. Not settled
yet, and alike where all is logged: 3083. Exit status: 0 it does, 1 it does not, 77 no driver.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from random_forms import Forms, FRAGMENTS
from random_readers import Readers
from random_shader import Shader
from random_steps import Steps
from random_uniforms import Uniforms

SKIPPED = 77
READERS = ("affine,words,repeats", "affine,words,repeats,readers")
REDUCTIONS = ("summaries,streams,affine,words,repeats,iterations,run-lengths,uniform,readers",
              "summaries,affine,words,repeats,iterations,run-lengths",
              "affine,words,repeats,iterations,run-lengths,readers", "none")


def compile_shaders(options, folder, shaders):
    paths = []
    for shader in shaders:
        source = folder / f"{shader.name}.{shader.stage}"
        source.write_text(shader.make())
        paths.append(f"{source}.spv")
        subprocess.run([options.compiler, "--quiet", "-g", "-V", "--target-env", shader.target,
                        "-o", paths[-1], str(source)], check=True)
        shader.assemble(paths[-1])
    return paths


def judged(options, folder, paths, reductions):
    """Shader's name -> pairs of lines."""
    path = folder / "report.json"
    done = subprocess.run([options.vkrace, "run", "--exit-code", "0", "--quiet", "--json",
                           str(path), "--", options.program, str(options.groups), *paths],
                          env={**os.environ, "VKRACE_REDUCE": reductions,
                               "ASAN_OPTIONS": "detect_leaks=0"}, # the driver's
                          capture_output=True,
                          text=True, errors="backslashreplace", check=False)
    if done.returncode == SKIPPED:
        print(done.stderr)
        sys.exit(SKIPPED)
    if done.returncode != 0:
        sys.exit(f"exit status {done.returncode}\n{done.stderr[-3000:]}")
    if "no such reduction" in done.stderr:
        sys.exit(done.stderr[-3000:])
    report = json.loads(path.read_text())
    for lack in report["coverage"]: # some values of atomics do not tell who wrote them
        if lack["kind"] != "synchronization":
            sys.exit(f"not observed: {lack}")
    found = {}
    for race in report["races"]:
        sources = [race[side]["source"] for side in ("first", "second")]
        name = pathlib.Path(sources[0]["file"]).stem
        pair = tuple(sorted(source["line"] for source in sources))
        found.setdefault(name, set()).add(pair)
    return found


def subgroup_size(options):
    done = subprocess.run([options.program, "0"], capture_output=True, text=True, check=False)
    if done.returncode == SKIPPED:
        print(done.stderr)
        sys.exit(SKIPPED)
    return int(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--groups", type=int, default=3)
    parser.add_argument("--data", action="store_true",
                        help="shaders whose accesses depend on what is in memory")
    parser.add_argument("--images", action="store_true", help="texel buffers, too")
    parser.add_argument("--types", action="store_true",
                        help="small numbers, matrices and subgroup barriers, too")
    parser.add_argument("--steps", action="store_true",
                        help="loops of few turns, in which all follows from the turn")
    parser.add_argument("program")
    parser.add_argument("--forms", action="store_true",
                        help="shaders of forms that few shaders have, of fragments, too")
    parser.add_argument("--readers", action="store_true",
                        help="shaders that read and write one buffer by two variables")
    parser.add_argument("--uniforms", action="store_true",
                        help="shaders whose accesses depend on words of a uniform buffer")
    options = parser.parse_args()
    if options.forms and not shutil.which("spirv-dis"):
        print("no spirv-dis")
        sys.exit(SKIPPED)
    wrong = racy = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subgroup = subgroup_size(options) if options.types or options.forms else 0
        types = subgroup if options.types else 0
        shaders = [Forms(seed, options.data, types, subgroup) if options.forms else
                   Steps(seed) if options.steps else
                   Readers(seed) if options.readers else
                   Uniforms(seed) if options.uniforms else
                   Shader(seed, options.data, options.images, types)
                   for seed in range(options.first, options.first + options.count)]
        paths = compile_shaders(options, folder, shaders)
        found = {reductions: judged(options, folder, paths, reductions)
                 for reductions in (READERS if options.readers else REDUCTIONS)}
        for shader in shaders:
            places = shader.races(options.groups if shader.stage == "comp" else FRAGMENTS)
            expected = frozenset().union(*(sure for sure, _ in places))
            possible = expected.union(*(other for _, other in places))
            racy += bool(expected)
            for reductions, races in found.items():
                told = races.get(shader.name, set())
                # Each place that has races shows one of them.
                if told <= possible and (
                        all(told & (sure | other) for sure, other in places if sure) or
                        shader.orders_by_atomics()):
                    continue
                wrong += 1
                print(f"{shader.name} with reductions {reductions}: told {sorted(told)}, "
                      f"there are {sorted(expected)}\n"
                      + (folder / f"{shader.name}.{shader.stage}").read_text())
    print(f"{racy} of {options.count} shaders race; {wrong} judgements are wrong")
    sys.exit(wrong > 0 or racy == 0)


main()
