#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How cost grows with the amount of work: bench_growth.py [--model M] VKRACE BENCH_GROWTH
BENCH_OBJECTS GLSLANG [BASE [KIND...]].

Each kind of work is done at BASE (20,000), 2, 4 and 8 times as much: so many atomics, commands,
frames, objects or accesses of a shader. For each amount: processor seconds and the most memory in MiB of who
has to do with it, the judge (of the recorded trace), the program under the layer, or the command that
rewrites shaders; of these also spirv-val alone, of the shader before and after, as the rewriter validates
both. The last columns are the exponents of both at the last doubling: 1 is linear. What
takes less than a few hundredths of a second says little.
"""
import math
import os
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
JUDGED = ("lock", "acquire_release", "tickets", "look_back", "decoupled", "work_queue",
          "grid_barrier", "submissions")
RECORDED = ("fills", "fill_barriers", "frames")
OBJECTS = ("images", "buffers", "streams", "ring", "semaphores", "timeline", "sets", "pipelines")
REWRITTEN = ("block", "loops", "nested")
VALIDATOR = shutil.which("spirv-val")
HEAD = """#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer A { uint a[]; };
layout(set = 0, binding = 1) buffer B { uint b[]; };
layout(push_constant) uniform P { uint n; };
void main() { uint x = gl_GlobalInvocationID.x, s = 0, t = 1;
"""


def measure(command):
    """Processor seconds and MiB of a command and of those it waits for."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    process.returncode = code
    if code == SKIPPED:
        sys.exit(SKIPPED)
    if code:
        sys.exit(f"{command}: exit status {code}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def shader(kind, count):
    if kind == "block":
        body = "".join(f"t = a[x + {i}] + t; b[x + {i}] = t;\n" for i in range(count // 2))
    elif kind == "loops":
        body = "".join(f"for (uint i = 0; i < n; i++) s += a[x + i + {i}];\n"
                       for i in range(count))
    else:
        body = "".join(f"for (uint i{i} = 0; i{i} < n; i{i}++) {{ s += a[x + i{i}];\n"
                       for i in range(count)) + "}" * count
    return f"{HEAD}{body} b[x] = s + t; }}\n"


def rewrite(kind, count, vkrace, glslang, folder):
    """What rewriting a shader takes, and what validating it before and after takes."""
    source, module, made = (os.path.join(folder, f"growth.{end}") for end in ("comp", "spv", "out"))
    with open(source, "w", encoding="utf-8") as stream:
        stream.write(shader(kind, count))
    subprocess.run([glslang, "--quiet", "-V", source, "-o", module], check=True)
    used = measure([vkrace, "instrument", module, "-o", made])
    validated = [measure([VALIDATOR, "--target-env", "vulkan1.3", one]) for one in (module, made)] \
        if VALIDATOR else []
    return used, (sum(seconds for seconds, _ in validated), max((memory for _, memory in validated), default=0))


def record_and_judge(kind, count, model, vkrace, program, folder):
    """What the program takes that is recorded, and what judging the trace takes."""
    trace = os.path.join(folder, "growth.trace")
    work = "frames" if kind == "submissions" else kind
    recorded = measure([vkrace, "run", "--quiet", "--exit-code", "0", "--no-judge", "--trace", trace,
                        "--", program, work, str(count)])
    judged = measure([vkrace, "replay", "--quiet", "--exit-code", "0", "--model", model, trace])
    os.remove(trace)
    return recorded, judged


def do_work(kind, count, model, vkrace, program, folder):
    if kind in JUDGED:
        return record_and_judge(kind, count, model, vkrace, program, folder)[1]
    return measure([vkrace, "run", "--quiet", "--exit-code", "0", "--", program, kind, str(count)])


def exponent(values):
    return math.log2(values[-1] / values[-2]) if values[-2] > 0 and values[-1] > 0 else 0


def print_row(kind, who, first, results):
    seconds, memory = zip(*results)
    print(f"{kind:16} {who:9} {first:8}" + "".join(f"{s:8.2f}" for s in seconds) +
          "".join(f"{m:8.0f}" for m in memory) +
          f"{exponent(seconds):7.2f}{exponent(memory):7.2f}", flush=True)


def main():
    arguments = sys.argv[1:]
    model = "vulkan"
    if arguments[0] == "--model":
        model, arguments = arguments[1], arguments[2:]
    vkrace, program, objects, glslang = arguments[:4]
    base = int(arguments[4]) if len(arguments) > 4 else 20000
    kinds = arguments[5:] or [*JUDGED, *RECORDED, *OBJECTS, *REWRITTEN]
    bases = {**{kind: base // 10 for kind in OBJECTS}, "frames": base // 10, "submissions": base // 10, "block": base // 10, "loops": base // 400,
             "nested": base // 2000}
    print(f"{'kind':16} {'who':9} {'amount':>8}" + " seconds" * 4 + "     MiB" * 4 +
          "   time memory")
    with tempfile.TemporaryDirectory() as folder:
        for kind in kinds:
            first = max(bases.get(kind, base), 2)
            amounts = [first * factor for factor in (1, 2, 4, 8)]
            if kind in REWRITTEN:
                results = [rewrite(kind, amount, vkrace, glslang, folder) for amount in amounts]
                print_row(kind, "rewriter", first, [used for used, _ in results])
                if VALIDATOR:
                    print_row(kind, "validator", first, [used for _, used in results])
                continue
            if kind in OBJECTS:
                results = [record_and_judge(kind, amount, model, vkrace, objects, folder) for amount in amounts]
                print_row(kind, "program", first, [used for used, _ in results])
                print_row(kind, "judge", first, [used for _, used in results])
                continue
            print_row(kind, "judge" if kind in JUDGED else "program", first,
                      [do_work(kind, amount, model, vkrace, program, folder) for amount in amounts])


main()
