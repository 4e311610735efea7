#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What watching host threads costs a program: bench_host.py VKRACE BENCH_HOST [PAIRS FRAMES].

For 1 MiB and 16 KiB a frame and for each mode: the median of the ratios of pairs of runs, one with
the mode and one with host threads unwatched, and how often a frame faults. The first line of each is
the unwatched layer against no layer. At last, seconds from start to report of a program that reads
back a 1024 x 1024 picture of four bytes a texel word by word without a barrier to the host, one
frame and FRAMES of them, against no layer.
"""
import os
import re
import statistics
import subprocess
import sys
import time

SKIPPED = 77


def frame_ns(command, mode):
    """Nanoseconds of a frame, and faults of the run."""
    environment = {**os.environ, "VKRACE_HOST_STATISTICS": "1"}
    if mode:
        environment["VKRACE_HOST"] = mode
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          env=environment)
    text = done.stderr.decode(errors="backslashreplace")
    if done.returncode == SKIPPED:
        sys.exit(SKIPPED)
    if done.returncode:
        sys.exit(f"{command}: exit status {done.returncode}\n{text}")
    faults = re.search(r"vkrace: (\d+) faults", text)
    return int(done.stdout.split()[0]), int(faults[1]) if faults else 0


def seconds(command):
    """Wall clock, and faults of the run."""
    began = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                          env={**os.environ, "VKRACE_HOST_STATISTICS": "1"})
    faults = re.search(r"vkrace: (\d+) faults", done.stderr.decode(errors="backslashreplace"))
    return time.monotonic() - began, int(faults[1]) if faults else 0


def read_back_wrongly(vkrace, program, pairs, frames):
    plain = [program, str(4 << 20), str(frames), "racy"]
    layered = [vkrace, "run", "--quiet", "--exit-code", "0"]
    for mode in ("off", "cheap"):
        times, most = [], 0
        for _ in range(pairs):
            before, _ = seconds(plain)
            after, faults = seconds([*layered, "--host", mode, "--", *plain])
            times.append((before, after))
            most = max(most, faults)
        print(f"read back without a barrier, {frames} frames, {mode} / no layer: "
              f"{statistics.median(after / before for before, after in times):.2f} "
              f"({statistics.median(before for before, _ in times):.2f} s and "
              f"{statistics.median(after for _, after in times):.2f} s), at most {most} faults")
        if most > frames * (1 << 20) / 4 and frames > 1:
            sys.exit("host accesses fault on, though their race is known")


def main():
    vkrace, program = sys.argv[1:3]
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 9
    frames = int(sys.argv[4]) if len(sys.argv) > 4 else 200
    for size, name in ((1 << 20, "1 MiB"), (1 << 14, "16 KiB")):
        plain = [program, str(size), str(frames)]
        layered = [vkrace, "run", "--quiet", "--", *plain]
        for label, first, mode in (("layer, host unwatched / no layer", (plain, None), "off"),
                                   ("cheap / unwatched", (layered, "off"), "cheap"),
                                   ("precise / unwatched", (layered, "off"), "precise")):
            ratios, faults, times = [], 0, []
            for _ in range(pairs):
                base, _ = frame_ns(*first)
                time, faults = frame_ns(layered, mode)
                ratios.append(time / base)
                times.append(time)
            print(f"{name} a frame, {label}: {statistics.median(ratios):.2f} "
                  f"({min(ratios):.2f} to {max(ratios):.2f}), "
                  f"{statistics.median(times) / 1000:.0f} us a frame, "
                  f"{faults / frames:.2f} faults a frame")
    for count in sorted({1, frames}):
        read_back_wrongly(vkrace, program, pairs, count)


main()
