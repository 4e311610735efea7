#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs nobody here wrote under the layer, and rewrites every shader that they create: none is refused, all
that come out are valid, and they are what the layer made.

--run has a program and the command that runs it; it is left out where there is no such program.
Exit status: 0 as expected, 1 not, 77 skipped, for lack of all programs or of the driver.
"""
import argparse
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
SECONDS = 300


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def collect(options, command, folder):
    """Leaves the shaders of a command in the folder."""
    environment = dict(os.environ, VKRACE_DUMP_SHADERS=str(folder), VKRACE_JUDGE="0",
                       XDG_RUNTIME_DIR=str(folder.parent))
    subprocess.run([options.vkrace, "run", "--quiet", "--exit-code", "0", "--",
                    *shlex.split(command)], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   env=environment, timeout=SECONDS, check=False)


def output(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout.decode(errors="backslashreplace")


def check(options, arguments_file):
    """What is wrong with one shader; an empty list where nothing is."""
    name = arguments_file.name.split(".")
    folder = arguments_file.parent
    given = folder / f"{name[0]}.{name[1]}.spv"
    logged = folder / (arguments_file.name[:-len("args")] + "logged.spv")
    made = folder / "made.spv"
    arguments = arguments_file.read_text().splitlines()
    status, text = output([options.vkrace, "instrument", given, "-o", made, *arguments])
    if status:
        return [f"refused: {text}"]
    wrong = []
    if logged.exists() and logged.read_bytes() != made.read_bytes():
        wrong.append("the layer made another module")
    valid = ["spirv-val", "--target-env", "vulkan1.3", "--scalar-block-layout",
             "--workgroup-scalar-block-layout", "--allow-localsizeid"]
    status, text = output([*valid, made])
    if status:
        wrong.append(f"not valid: {text}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace", required=True)
    parser.add_argument("--run", nargs=2, action="append", required=True,
                        metavar=("PROGRAM", "COMMAND"))
    options = parser.parse_args()
    driver = os.environ.get("VK_ICD_FILENAMES")
    if driver and not os.path.exists(driver):
        skip(f"no driver {driver}")
    if not shutil.which("spirv-val"):
        skip("no spirv-val")
    failed = ran = 0
    for program, command in options.run:
        missing = [needed for needed in (program, shlex.split(command)[0])
                   if not shutil.which(needed)]
        if missing:
            print(f"left out, no {missing[0]}: {command}")
            continue
        with tempfile.TemporaryDirectory() as parent:
            folder = pathlib.Path(parent) / "shaders"
            collect(options, command, folder)
            ran += 1
            shaders = sorted(folder.glob("*.args"))
            rewritten = len(list(folder.glob("*.logged.spv")))
            print(f"{len(shaders)} shaders, {rewritten} of them rewritten: {command}")
            if not shaders:
                # Other versions of a program may lack what is asked for.
                status = subprocess.run(shlex.split(command), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        timeout=SECONDS, check=False).returncode
                print(f"  alone it ends with {status}")
                failed += status == 0
            for shader in shaders:
                for wrong in check(options, shader):
                    failed += 1
                    print(f"  {shader.name}: {wrong}")
    if not ran:
        skip("none of the programs")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
