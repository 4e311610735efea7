#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records the twins' traces and judges each under every memory model: a crash fails; prints what differs from Vulkan's.

    model_table.py BUILD [REGEX [EXPECTED]]

BUILD is a build folder whose tests are built; the twins are those that ctest knows and REGEX matches. The table, as
docs/models.md has it, counts the traces whose races differ, by the class that a race has under one model alone.
With EXPECTED the output must be that file. Exit status 1 where a judgement fails, or the output is another one. Knows check_twin.py's options; no rule of any model.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77
MODELS = ["vulkan", "vulkan-2018", "hrf-direct", "hrf-indirect", "hrf-opencl"]


def twins(build, pattern):
    """(name, command, environment) of each twin."""
    shown = subprocess.run(["ctest", "--show-only=json-v1", "-R", pattern], cwd=build,
                           stdout=subprocess.PIPE, check=True).stdout
    for test in json.loads(shown)["tests"]:
        command = test.get("command", [])
        if len(command) < 2 or not command[1].endswith("check_twin.py") or "--" not in command:
            continue
        at = command.index("--")
        expected = pathlib.Path(command[command.index("--expect") + 1])
        environment = dict(os.environ)
        for entry in test.get("properties", []):
            if entry["name"] == "ENVIRONMENT":
                environment.update(item.split("=", 1) for item in entry["value"])
        environment.update(json.loads(expected.read_text()).get("environment", {}))
        yield test["name"], command[at + 1:], environment


def key_of(access):
    source = access.get("source", {})
    command = access.get("command", {})
    return (access["agent"], access["operation"], source.get("file"), source.get("line"), source.get("spirv_word"),
            command.get("name"), command.get("command"), access.get("thread"), access["object"])


def races_of(report):
    return {tuple(sorted(map(str, (key_of(race["first"]), key_of(race["second"]))))): race["class"]
            for race in report["races"]}


def judge(vkrace, twin):
    name, command, environment = twin
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        trace = os.path.join(folder, "trace")
        run = subprocess.run([vkrace, "run", "--no-judge", "--trace", trace, "--", *command], env=environment,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if run.returncode == SKIPPED or not os.path.exists(trace):
            return name, None
        for model in MODELS:
            out = os.path.join(folder, model)
            done = subprocess.run([vkrace, "replay", "--quiet", "--exit-code", "0", "--model", model, "--json", out, trace],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False, timeout=300)
            if done.returncode != 0:
                return name, f"{model}: exit status {done.returncode}: {done.stderr.decode()}"
            found[model] = races_of(json.loads(pathlib.Path(out).read_text()))
    return name, found


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    pattern = sys.argv[2] if len(sys.argv) > 2 else r"^gpu\."
    vkrace = str(build / "bin" / "vkrace")
    judged, failed = 0, 0
    apart = {model: collections.Counter() for model in MODELS}
    examples = {model: collections.defaultdict(list) for model in MODELS}
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, found in pool.map(lambda twin: judge(vkrace, twin), list(twins(build, pattern))):
            if found is None:
                continue
            if isinstance(found, str):
                print(f"{name}: {found}")
                failed += 1
                continue
            judged += 1
            usual = found["vulkan"]
            for model in MODELS[1:]:
                gone = {f"- {kind}" for key, kind in usual.items() if key not in found[model]}
                new = {f"+ {kind}" for key, kind in found[model].items() if key not in usual}
                for change in gone | new:
                    apart[model][change] += 1
                    examples[model][change].append(re.sub(r"^gpu\.", "", name))
    if judged + failed == 0:
        return SKIPPED
    lines = [f"{judged} traces, {failed} failures"]
    for model in MODELS[1:]:
        for change, count in sorted(apart[model].items()):
            lines.append(f"| {model} | {change} | {count} | {', '.join(sorted(examples[model][change])[:4])} |")
    print("\n".join(lines))
    if len(sys.argv) > 3 and pathlib.Path(sys.argv[3]).read_text().splitlines() != lines:
        sys.exit(f"the output is not that of {sys.argv[3]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
