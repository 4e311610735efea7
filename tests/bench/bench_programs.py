#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What observing real programs costs: bench_programs.py VKRACE [--rounds N] [--frames PERCENT]
[--json FILE] [--scene BENCH_SCENE] [--compute BENCH_COMPUTE] [ROW...].

Each row runs a program alone and under `vkrace run` with everything observed, in turns, and tells
the least of each: seconds of wall clock to the report, of processor time of the program and of the
judge, their ratios to the program alone, accesses judged, bytes logged for each of them, the share
of them that followed without a log, and the largest memory of the program and of the judge. A row whose program is missing or fails is skipped,
which is said. --frames 10 runs a tenth of the frames. Names of rows choose some of them.
"""
import argparse
import ctypes
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36
ON_SCREEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs",
                         "on_screen.sh")
# Of the program alone: the screen's server would draw by it, too.
ZINK = ("env", "MESA_LOADER_DRIVER_OVERRIDE=zink", "GALLIUM_DRIVER=zink", "LIBGL_ALWAYS_SOFTWARE=1")


def ffmpeg(chain, frames):
    return (["ffmpeg", "-hide_banner", "-loglevel", "error", "-nostdin", "-init_hw_device",
             "vulkan=vk:0", "-filter_hw_device", "vk", "-f", "lavfi", "-i",
             "testsrc2=s=640x360:r=25", "-vf",
             f"format=yuv420p,hwupload,{chain},hwdownload,format=yuv420p", "-frames:v",
             str(frames), "-f", "null", "-"], {})


def on_screen(*command):
    return ["sh", ON_SCREEN, *command], {}


# Name, what must be installed, frames, and the command for this many of them.
ROWS = [
    ("hflip", ["ffmpeg"], 25, lambda n: ffmpeg("hflip_vulkan", n)),
    ("chromaber", ["ffmpeg"], 25, lambda n: ffmpeg("chromaber_vulkan", n)),
    ("scale", ["ffmpeg"], 25, lambda n: ffmpeg("scale_vulkan", n)),
    ("avgblur", ["ffmpeg"], 25, lambda n: ffmpeg("avgblur_vulkan", n)),
    ("gblur", ["ffmpeg"], 10, lambda n: ffmpeg("gblur_vulkan", n)),
    ("overlay", ["ffmpeg"], 10, lambda n: ffmpeg(
        "split[a][b];[b]scale_vulkan=w=320:h=180[c];[a][c]overlay_vulkan=x=16:y=16", n)),
    ("libplacebo", ["ffmpeg"], 10, lambda n: ffmpeg("libplacebo=w=640:h=360:format=yuv420p", n)),
    ("vkcube", ["vkcube", "xvfb-run"], 200, lambda n: on_screen("vkcube", "--c", str(n))),
    ("vkmark", ["vkmark", "xvfb-run"], 1, lambda n: on_screen(
        "vkmark", "-s", "320x240", "-b", "shading:duration=1")),
    *((scene, ["glmark2", "xvfb-run"], frames, lambda n, scene=scene: on_screen(
        *ZINK, "glmark2", "-s", "320x240", "-b", f"{scene}:nframes={n}"))
      for scene, frames in (("texture", 300), ("desktop", 80), ("terrain", 15), ("jellyfish", 100),
                            ("ideas", 200))),
]


def name_of(pid):
    """Of a process that has ended, but was not waited for."""
    with open(f"/proc/{pid}/comm", encoding="utf-8") as stream:
        return stream.read().strip()


def run(command, variables, quiet=True):
    """Wall clock, and of the program (all that it is made of) and of the judge, which becomes a
    child of this process, as the screen's server does: processor seconds and the largest memory in
    MiB."""
    began = time.monotonic()
    program = subprocess.Popen(command, env={**os.environ, **variables},
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL if quiet else None)
    used = {"program": [0.0, 0.0], "judge": [0.0, 0.0], "screen": [0.0, 0.0]}
    status, wall = None, 0.0
    while True:
        try:
            pid = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT).si_pid
        except ChildProcessError:
            break
        name = name_of(pid)
        _, ended, usage = os.wait4(pid, 0)
        of = used["program" if pid == program.pid else "judge" if name == "vkrace" else "screen"]
        of[0] += usage.ru_utime + usage.ru_stime
        of[1] = max(of[1], usage.ru_maxrss / 1024)
        if pid == program.pid:
            status, wall = os.waitstatus_to_exitcode(ended), time.monotonic() - began
    program.returncode = status
    return {"status": status, "wall": wall, "program": used["program"][0],
            "judge": used["judge"][0], "program_mib": used["program"][1],
            "judge_mib": used["judge"][1]}


def run_well(command, variables):
    """Again where it fails: a program may now and then, as glmark2 where its window goes while a
    frame is presented."""
    for _ in range(3):
        last = run(command, variables)
        if last["status"] == 0:
            break
        print(f"{command}: ended with status {last['status']}", file=sys.stderr)
    return last


def least(runs):
    return {name: min(one[name] for one in runs) for name in runs[0]}


def measure(vkrace, command, variables, rounds, folder):
    """None, and why, where it cannot be measured."""
    report = os.path.join(folder, "report.json")
    alone, observed, facts = [], [], {}
    for _ in range(rounds):
        alone.append(run_well(command, variables))
        if alone[-1]["status"] != 0:
            return None, f"it ends with status {alone[-1]['status']} without vkrace"
        if os.path.exists(report):
            os.unlink(report)
        observed.append(run_well([vkrace, "run", "--quiet", "--cost", "--exit-code", "0", "--json", report, "--",
                             *command], variables))
        if observed[-1]["status"] != 0 or not os.path.exists(report):
            return None, f"it ends with status {observed[-1]['status']} under vkrace"
        with open(report, encoding="utf-8") as stream:
            facts = json.load(stream)
    before, after = least(alone), least(observed)
    processor = after["program"] + after["judge"]
    accesses = facts["accesses_judged"]
    unlogged = accesses - sum(cost["accesses"] - cost["unlogged"]
                              for cost in facts.get("costs", []))
    return {
        "alone": before, "observed": after,
        "wall_ratio": after["wall"] / before["wall"],
        "processor_ratio": processor / before["program"],
        "program_ratio": after["program"] / before["program"],
        "accesses": accesses, "log_bytes": facts["log_bytes"],
        "bytes_an_access": facts["log_bytes"] / accesses if accesses else 0,
        "unlogged_share": unlogged / accesses if accesses else 0,
        "costs": facts.get("costs", []),
        "verdict": facts["verdict"], "races": len(facts["races"]),
        "not_observed": len(facts["coverage"]),
    }, None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vkrace")
    parser.add_argument("rows", nargs="*")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--frames", type=float, default=100, metavar="PERCENT")
    parser.add_argument("--json")
    parser.add_argument("--scene", metavar="BENCH_SCENE", help="the build's program for rows scene to occlusion")
    parser.add_argument("--compute", metavar="BENCH_COMPUTE",
                        help="the build's program for rows blur to tree")
    options = parser.parse_intermixed_args()
    if options.scene:
        ROWS.append(("scene", [options.scene], 20, lambda n: ([options.scene, str(n)], {})))
        ROWS.append(("filter", [options.scene], 8, lambda n: (
            [options.scene, str(n), "200", "filter"], {})))
        ROWS.append(("occlusion", [options.scene], 4, lambda n: (
            [options.scene, str(n), "50", "occlusion"], {})))
    if options.compute:
        for kernel, frames in (("blur", 20), ("cloth", 20), ("fourier", 20), ("particles", 40), ("rays", 2),
                               ("sparse", 20), ("surface", 20), ("tree", 20)):
            ROWS.append((kernel, [options.compute], frames,
                         lambda n, kernel=kernel: ([options.compute, kernel, str(n)], {})))
    unknown = set(options.rows) - {row[0] for row in ROWS}
    if unknown:
        sys.exit(f"bench_programs.py: no such row: {', '.join(sorted(unknown))}")
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    results = {}
    print(f"{'program':11} {'alone s':>8} {'wall s':>8} {'ratio':>6} {'program':>8} {'judge':>7} "
          f"{'CPU':>6} {'accesses':>11} {'B each':>7} {'no log':>6} {'MiB':>6} {'judge':>6}  verdict")
    with tempfile.TemporaryDirectory() as folder:
        for name, needs, frames, command_of in ROWS:
            if options.rows and name not in options.rows:
                continue
            missing = [need for need in needs if not shutil.which(need)]
            command, variables = command_of(max(1, round(frames * options.frames / 100)))
            result, why = (None, f"{', '.join(missing)} is not installed") if missing else \
                measure(options.vkrace, command, variables, options.rounds, folder)
            if result is None:
                print(f"{name:11} skipped: {why}", flush=True)
                results[name] = {"skipped": why}
                continue
            results[name] = result
            after = result["observed"]
            print(f"{name:11} {result['alone']['wall']:8.2f} {after['wall']:8.2f} "
                  f"{result['wall_ratio']:6.2f} {after['program']:8.2f} {after['judge']:7.2f} "
                  f"{result['processor_ratio']:6.2f} {result['accesses']:11d} "
                  f"{result['bytes_an_access']:7.1f} {result['unlogged_share']:6.0%} {after['program_mib']:6.0f} "
                  f"{after['judge_mib']:6.0f}  {result['verdict']}", flush=True)
    ratios = [result["wall_ratio"] for result in results.values() if "wall_ratio" in result]
    if ratios:
        print(f"wall clock: geometric mean {statistics.geometric_mean(ratios):.2f}, "
              f"worst {max(ratios):.2f}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as stream:
            json.dump(results, stream, indent=1)
            stream.write("\n")


main()
