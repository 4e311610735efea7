#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands on a small trace and compares what they print, byte by byte, with expected/.

A case is a name and the words of a command; @NAME is a file of the working folder. --refresh writes
the expected output anew, to be looked at with git diff.
"""
import argparse
import difflib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

CASES = {
    "no_command": [],
    "unknown_command": ["frobnicate"],
    "version": ["version"],
    "help": ["help"],
    "help_of_diff": ["diff", "--help"],
    "help_of_replay": ["help", "replay"],
    "help_of_run": ["run", "--quiet", "-h"],
    "help_of_nothing": ["help", "frobnicate"],
    "run_program_help": ["run", "--", "sh", "-c", "exit 5", "--help"],
    "dump": ["dump", "@sample.vkrace"],
    "dump_submission": ["dump", "--submission", "1", "--type", "CMD_[BC]*,SUBMIT,GPU_*", "@sample.vkrace"],
    "dump_submission_none": ["dump", "--submission", "9", "@sample.vkrace"],
    "dump_cut": ["dump", "@cut.vkrace"],
    "dump_damaged": ["dump", "@damaged.vkrace"],
    "dump_missing": ["dump", "@missing.vkrace"],
    "dump_no_trace": ["dump", "@text.vkrace"],
    "dump_empty": ["dump", "@empty.vkrace"],
    "dump_new_version": ["dump", "@version.vkrace"],
    "dump_two": ["dump", "@sample.vkrace", "@sample.vkrace"],
    "replay": ["replay", "@sample.vkrace"],
    "replay_cut": ["replay", "@cut.vkrace"],
    "replay_damaged": ["replay", "@damaged.vkrace"],
    "replay_killed": ["replay", "@killed.vkrace"],
    "replay_exit_code": ["replay", "@sample.vkrace", "--exit-code", "7", "--quiet"],
    "replay_only": ["replay", "--only", "free", "@sample.vkrace"],
    "replay_only_unknown": ["replay", "--only=frobs", "@sample.vkrace"],
    "replay_bad_code": ["replay", "--exit-code", "many", "@sample.vkrace"],
    "replay_bad_option": ["replay", "--frob", "@sample.vkrace"],
    "replay_json_unwritable": ["replay", "--quiet", "--json", "@missing/x.json", "@sample.vkrace"],
    "report_json": ["report", "--json", "@sample.vkrace"],
    "report_brief": ["report", "--brief", "--max-reports=1", "@sample.vkrace"],
    "replay_baseline": ["replay", "--baseline", "@sample.json", "@sample.vkrace"],
    "replay_baseline_missing": ["replay", "--baseline", "@missing.json", "@sample.vkrace"],
    "replay_check": ["replay", "--brief", "--check", "@sample.vkrace"],
    "replay_check_input": ["replay", "--check", "-"],
    "replay_check_apply": ["replay", "--check", "--apply=@sample.json", "@sample.vkrace"],
    "replay_apply": ["replay", "--brief", "--apply", "@sample.json", "@sample.vkrace"],
    "replay_apply_nowhere": ["replay", "--brief", "--apply", "@nowhere.json", "@sample.vkrace"],
    "replay_apply_bad": ["replay", "--apply", "@text.vkrace", "@sample.vkrace"],
    "info_trace": ["info", "@sample.vkrace"],
    "info_trace_cut": ["info", "@cut.vkrace"],
    "info_trace_damaged": ["info", "@text.vkrace"],
    "info_two": ["info", "@sample.vkrace", "@sample.vkrace"],
    "lint": ["lint", "@sample.vkrace"],
    "lint_json": ["lint", "--json", "@sample.vkrace"],
    "lint_damaged": ["lint", "@text.vkrace"],
    "lint_nothing": ["lint"],
    "replay_suppressions": ["replay", "--brief", "--suppressions", "@rules.txt", "@sample.vkrace"],
    "replay_write_suppressions": ["replay", "--quiet", "--exit-code=0", "--write-suppressions",
                                  "/dev/stdout", "@sample.vkrace"],
    "replay_model": ["replay", "--brief", "--model", "hrf-indirect", "@sample.vkrace"],
    "replay_model_unknown": ["replay", "--model", "c11", "@sample.vkrace"],
    "replay_reading_unknown": ["replay", "--model=hrf-direct", "--reading=join=three", "@sample.vkrace"],
    "replay_compare": ["replay", "--compare", "vulkan,hrf-indirect", "@sample.vkrace"],
    "replay_reading_vulkan": ["replay", "--reading=join=one", "@sample.vkrace"],
    "replay_compare_same": ["replay", "--compare", "vulkan,vulkan", "@sample.vkrace"],
    "replay_compare_one": ["replay", "--compare", "vulkan", "@sample.vkrace"],
    "replay_compare_input": ["replay", "--compare", "vulkan,hrf-direct", "-"],
    "run_model_unknown": ["run", "--model", "c11", "--", "true"],
    "litmus_reading_vulkan": ["litmus", "--reading", "join=one", "@x.vlit"],
    "litmus_model_unknown": ["litmus", "--model", "c11", "@text.vkrace"],
    "litmus_models": ["litmus", "--model", "all", "--candidates", "@figure-3.vlit"],
    "litmus_models_some": ["litmus", "--model=hrf-indirect,hrf-direct", "@figure-3.vlit"],
    "litmus_models_unknown": ["litmus", "--model", "vulkan,", "@figure-3.vlit"],
    "litmus_model_missing": ["litmus", "--model"],
    "litmus_nothing": ["litmus", "--model", "all"],
    "replay_bad_count": ["replay", "--max-reports", "-1", "@sample.vkrace"],
    "merge": ["merge", "@sample.json", "@none.json", "@sample.vkrace"],
    "merge_brief": ["report", "--brief", "@sample.json", "@none.json", "@sample.vkrace"],
    "merge_nothing": ["merge"],
    "report_two_forms": ["report", "--html", "--sarif", "@sample.json"],
    "export_dot": ["export", "--dot", "1", "@sample.vkrace"],
    "export_perfetto": ["export", "--perfetto", "@sample.vkrace"],
    "export_unknown": ["export", "--dot", "99", "@sample.json"],
    "export_nothing": ["export", "@sample.json"],
    "diff_same": ["diff", "@sample.vkrace", "@sample.json"],
    "diff_new": ["diff", "@none.json", "@sample.vkrace"],
    "diff_gone": ["diff", "@sample.json", "@none.json"],
    "diff_json": ["diff", "--json", "@none.json", "@sample.json"],
    "diff_one": ["diff", "@sample.json"],
    "report_missing": ["report", "@missing.json"],
    "report_no_json": ["report", "@text.vkrace"],
    "run_no_program": ["run"],
    "run_missing_program": ["run", "--", "@missing"],
    "run_unwritable": ["run", "--trace", "@missing/x.vkrace", "--", "true"],
    "run_strict": ["run", "--strict", "--", "sh", "-c",
                   "echo $VKRACE_ANY_IMAGE $VKRACE_NONCOHERENT"],
    "run_only_unknown": ["run", "--only", "frobs", "--", "true"],
    "run_host_unknown": ["run", "--host", "frobs", "--", "true"],
    "run_no_vulkan": ["run", "--trace", "@unused.vkrace", "--", "sh", "-c", "exit 3"],
    "run_nothing": ["run", "--json", "@unjudged.json", "--", "true"],
    "run_signal": ["run", "--", "sh", "-c", "kill -9 $$"],
    "run_fail_on_unknown": ["run", "--fail-on", "races,doubts", "--", "true"],
    "run_on_race_unknown": ["run", "--on-race", "stop", "--", "true"],
    "run_fail_on_races": ["run", "--fail-on", "races", "--", "true"],
    "run_baseline_missing": ["run", "--baseline", "@missing.json", "--", "true"],
    "run_no_judge_html": ["run", "--no-judge", "--trace=@t", "--html=@h", "--", "true"],
    "judge_by_hand": ["judge"],
}


# A change at a place that the sample does not have.
NOWHERE = {"kind": "barrier after",
           "place": {"call": "elsewhere+0x10", "labels": "", "command_buffer": "", "command": 0,
                     "name": "", "recorded": ""},
           "masks": {"source_stages": ["COPY"], "source_access": ["0x1000"],
                     "destination_stages": ["HOST"],
                     "destination_access": ["VK_ACCESS_2_HOST_READ_BIT"]}}


def make_files(folder, writer, vkrace):
    subprocess.run([writer, folder / "sample.vkrace"], check=True)
    for name, options in (("sample", []), ("none", ["--only", "scope"])):
        subprocess.run([vkrace, "replay", "--quiet", "--exit-code=0", *options, "--json",
                        folder / f"{name}.json", folder / "sample.vkrace"], check=True)
    subprocess.run([writer, folder / "killed.vkrace", "killed"], check=True)
    (folder / "rules.txt").write_text("# the sample is racy\n* * *\n\nfree * * # gone\n")
    figure = pathlib.Path(__file__).resolve().parents[1] / "litmus/paper/figure-3.vlit"
    (folder / "figure-3.vlit").write_text(figure.read_text())
    (folder / "nowhere.json").write_text(json.dumps({"changes": [NOWHERE]}))
    whole = (folder / "sample.vkrace").read_bytes()
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 1
    version = bytearray(whole)
    version[8] += 1
    for name, contents in (("cut", whole[:-1]), ("damaged", damaged), ("version", version),
                           ("text", b"#!/bin/sh\n"), ("empty", b"")):
        (folder / f"{name}.vkrace").write_bytes(contents)


def check_diff(vkrace, folder):
    """The JSON of a comparison is as the report's schema has it."""
    try:
        import jsonschema
    except ImportError:
        print("the schema of `vkrace diff --json` is not checked: no python3-jsonschema")
        return
    schema = json.loads((pathlib.Path(__file__).resolve().parents[2] /
                         "json/report.schema.json").read_text())
    of_diff = {"$ref": "#/$defs/diff", "$defs": schema["$defs"]}
    for before, after in (("none", "sample"), ("sample", "none"), ("sample", "sample")):
        done = subprocess.run([vkrace, "diff", "--json", "--exit-code=0", folder / f"{before}.json",
                               folder / f"{after}.json"], stdout=subprocess.PIPE, check=True)
        jsonschema.Draft202012Validator(of_diff).validate(json.loads(done.stdout))


def output_of(vkrace, words, folder):
    command = [vkrace] + [str(folder / w[1:]) if w.startswith("@") else w for w in words]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                          stdin=subprocess.DEVNULL, check=False)
    text = (f"status {done.returncode}\n--- stdout\n{done.stdout.decode()}"
            f"--- stderr\n{done.stderr.decode()}")
    return text.replace(str(folder), "@")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--writer", required=True)
    parser.add_argument("--refresh", action="store_true")
    options = parser.parse_args()
    expected = pathlib.Path(__file__).resolve().parent / "expected"
    failed = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(os.path.realpath(name))
        make_files(folder, options.writer, options.vkrace)
        check_diff(options.vkrace, folder)
        for case, words in CASES.items():
            text = output_of(options.vkrace, words, folder)
            path = expected / f"{case}.txt"
            if options.refresh:
                path.write_text(text)
            elif not path.exists() or path.read_text() != text:
                failed.append(case)
                wanted = path.read_text() if path.exists() else ""
                sys.stdout.writelines(difflib.unified_diff(
                    wanted.splitlines(True), text.splitlines(True), f"expected/{case}.txt", case))
        if (folder / "unused.vkrace").exists():
            failed.append("run_no_vulkan left its empty trace behind")
    sys.exit(f"{len(failed)} failed: {', '.join(failed)}" if failed else 0)


main()
