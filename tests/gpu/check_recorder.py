#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The flight recorder on a frame loop: check_recorder.py VKRACE GPU_FRAMES [FRAMES]. What is kept is small and flat, and has the race of the
last frame; volumes that are missing or damaged are told, and nothing else is reported for them. An hour of frames: FRAMES = 216000, which
prints how large things were. Exit status: 0 as expected, 1 not, 77 skipped.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

RACES_FOUND, SKIPPED = 66, 77
EVERY = 25  # submissions in a volume


def run(command, statuses):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
    if done.returncode == SKIPPED:
        sys.exit(SKIPPED)
    if done.returncode not in statuses:
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stdout.decode()}")
    return done.stdout.decode()


def record(vkrace, program, folder, frames, *options):
    trace = folder / "run.vkrace"
    folder.mkdir()
    run([vkrace, "run", "--quiet", "--trace", trace, *options, "--", program, str(frames), "race"],
        (0, RACES_FOUND))
    return sorted(folder.glob("*.vkrace"))


def replay(vkrace, report, *traces, statuses=(0, RACES_FOUND)):
    text = run([vkrace, "replay", "--json", report, *traces], statuses)
    return text, json.loads(report.read_text())


def one_race(report, what):
    races = [(race["class"], race["count"]) for race in report["races"]]
    if races != [("unordered", 128)]:
        sys.exit(f"{what}: {races}")


def check_flat(vkrace, program, folder, frames):
    """The same size for each volume behind the first ones, and the race in the last one alone."""
    volumes = record(vkrace, program, folder, frames, "--no-compress", "--cut", f"{EVERY}sub")
    if len(volumes) != (frames + 1) // EVERY + 1:
        sys.exit(f"{frames} frames: {len(volumes)} volumes")
    sizes = [volume.stat().st_size for volume in volumes]
    if max(sizes[2:-1]) > 1.05 * min(sizes[2:-1]):
        sys.exit(f"volumes grow: {sizes}")
    for volume in volumes[:-1]:
        _, report = replay(vkrace, folder / "one.json", volume, statuses=(0,))
        if report["verdict"] != "none":
            sys.exit(f"{volume.name}: {report['verdict']}")
    _, report = replay(vkrace, folder / "one.json", volumes[-1])
    one_race(report, "the last volume")
    return volumes


def check_missing(vkrace, volumes, folder):
    """A gap is told, and no verdict is made up for it."""
    text, report = replay(vkrace, folder / "gap.json", *volumes[:2], *volumes[3:])
    one_race(report, "with a volume missing")
    if "volume 3 of the run is missing" not in text:
        sys.exit(f"a missing volume is not told: {text}")
    text, report = replay(vkrace, folder / "gap.json", *volumes[:1], *volumes[2:-1])
    if report["verdict"] != "incomplete":
        sys.exit(f"with a volume missing: {report['verdict']}\n{text}")
    text, report = replay(vkrace, folder / "gap.json", volumes[2], volumes[0], volumes[1])
    if report["verdict"] != "none":
        sys.exit(f"volumes in another order: {text}")
    twice = folder / "twice.trace"
    twice.write_bytes(volumes[0].read_bytes())
    text = run([vkrace, "replay", volumes[0], twice], (2,))
    if "are the same volume" not in text:
        sys.exit(f"a volume that is there twice: {text}")


def check_damaged(vkrace, volumes, folder):
    """A volume that is cut off, or has a wrong byte, ends what can be judged; the next one goes on."""
    whole = volumes[1].read_bytes()
    for damage, words in ((whole[:-40], "is not whole"),
                          (whole[:len(whole) // 2] + b"?" + whole[len(whole) // 2 + 1:], "checksum")):
        volumes[1].write_bytes(damage)
        text, report = replay(vkrace, folder / "damaged.json", *volumes, statuses=(2, RACES_FOUND))
        one_race(report, "with a damaged volume")
        if words not in text or not report["coverage"]:
            sys.exit(f"a damaged volume is not told: {text}")
    volumes[1].write_bytes(whole)


def check_kept(vkrace, program, folder, frames):
    """Only the last volumes are there, and they have the race."""
    volumes = record(vkrace, program, folder, frames, "--no-compress", "--cut", f"{EVERY}sub", "--keep", "64K")
    kept = sum(volume.stat().st_size for volume in volumes)
    if kept > 64 * 1024 + max(volume.stat().st_size for volume in volumes):
        sys.exit(f"{len(volumes)} volumes of {kept} bytes are kept")
    _, report = replay(vkrace, folder / "kept.json", folder)
    one_race(report, "what was kept")
    return kept, len(volumes)


def main():
    vkrace, program = sys.argv[1], sys.argv[2]
    frames = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if frames:
            kept, count = check_kept(vkrace, program, folder / "hour", frames)
            print(f"{frames} frames: {count} volumes of {kept} bytes are kept")
            return
        volumes = check_flat(vkrace, program, folder / "flat", 249)
        check_missing(vkrace, volumes, folder)
        check_damaged(vkrace, volumes, folder)
        check_kept(vkrace, program, folder / "kept", 249)


main()
