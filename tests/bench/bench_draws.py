#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What recording many draws costs: bench_draws.py VKRACE BENCH_DRAWS [ROUNDS FRAMES [DRAWS]].

Each round runs the program alone, under the layer without shader instrumentation, and under
synchronization validation with all other validation off. For recording a frame, for a frame until
its fence, and for the whole process (with its judge, to the end) in wall time and in processor time
of all its threads: medians of the times, of the ratios to the program alone, and of the ratio of
what the layer adds to what synchronization validation adds. The whole process is told a frame: a
second run of one frame is subtracted, so that starting up does not count.
"""
import ctypes
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
PR_SET_CHILD_SUBREAPER = 36
OTHER_VALIDATION = ("THREAD_SAFETY", "API_PARAMETERS", "OBJECT_LIFETIMES", "CORE_CHECKS",
                    "UNIQUE_HANDLES", "SHADERS")
VALIDATION = {
    "VK_INSTANCE_LAYERS": "VK_LAYER_KHRONOS_validation",
    "VK_LAYER_ENABLES": "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT",
    "VK_LAYER_DISABLES": ":".join(f"VK_VALIDATION_FEATURE_DISABLE_{name}_EXT"
                                  for name in OTHER_VALIDATION),
}
MEASURES = ("recording", "frame", "whole", "processor")
OF_PROCESS = ("whole", "processor")


def processor_seconds():
    """Of all processes that have ended, the layer's judge too: it becomes a child of this one."""
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command, variables):
    """Seconds of recording a frame, of a frame, and of the process; and what it said."""
    used, began = processor_seconds(), time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          env={**os.environ, **variables})
    whole, processor = time.monotonic() - began, processor_seconds() - used
    if done.returncode == SKIPPED:
        sys.exit(SKIPPED)
    text = done.stderr.decode(errors="backslashreplace")
    if done.returncode:
        sys.exit(f"{command}: exit status {done.returncode}\n{text}")
    recording, frame = done.stdout.split()[-2:]  # validation may print something before
    return {"recording": int(recording) / 1e9, "frame": int(frame) / 1e9, "whole": whole,
            "processor": processor}, text


def measure(command, variables, frames, draws):
    """The same, the process's time as that of one frame."""
    times, text = run([*command, str(frames + 1), draws], variables)
    once, _ = run([*command, "1", draws], variables)
    for name in OF_PROCESS:
        times[name] = (times[name] - once[name]) / frames
    return times, text


def main():
    vkrace, program = sys.argv[1:3]
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    frames = int(sys.argv[4]) if len(sys.argv) > 4 else 20
    draws = sys.argv[5] if len(sys.argv) > 5 else "10000"
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        ways = {"alone": ([program], {}),
                "layer": ([vkrace, "run", "--quiet", "--json", report.name, "--", program],
                          {"VKRACE_SHADERS": "0"}),
                "validation": ([program], VALIDATION)}
        results = {way: [] for way in ways}
        for _ in range(rounds):
            for way, (command, variables) in ways.items():
                times, text = measure(command, variables, frames, draws)
                results[way].append(times)
                if way == "validation" and text.strip():
                    sys.exit(f"the validation layer spoke:\n{text}")
        with open(report.name, encoding="utf-8") as stream:
            if json.load(stream)["verdict"] == "races":
                sys.exit("a race was reported in a program that has none")
    print(f"{'a frame':10} " + " ".join(f"{name:>14}" for name in
          ("alone ms", "layer ms", "validation ms", "layer ratio", "valid. ratio", "added ratio")))
    for name in MEASURES:
        alone, layer, validation = ([times[name] for times in results[way]] for way in ways)
        columns = [statistics.median(column) * 1000 for column in (alone, layer, validation)]
        columns.append(statistics.median(a / b for a, b in zip(layer, alone)))
        columns.append(statistics.median(a / b for a, b in zip(validation, alone)))
        columns.append(statistics.median((a - c) / (b - c) if b > c else float("inf")
                                         for a, b, c in zip(layer, validation, alone)))
        print(f"{name:10} " + " ".join(f"{column:14.2f}" for column in columns))


main()
