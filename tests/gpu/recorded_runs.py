# SPDX-License-Identifier: Apache-2.0
"""Records programs' runs for checks of their traces. Knows how vkrace is called, and not what a trace is checked for."""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "bench"))
from command_lists import split as split_commands  # pylint: disable=wrong-import-position

SKIPPED = 77


def run(*command, status=0):
    """What the command prints; ends the check where its exit status is another one."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != status:
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stdout.decode()}")
    return done.stdout.decode()


def record(vkrace, command, trace):
    """Whether there is a trace."""
    done = subprocess.run([vkrace, "run", "--no-judge", "--trace", trace, "--", *command],
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                          env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
    return done.returncode != SKIPPED and trace.exists()


def traces_of(vkrace, commands):
    """Each command, its run's trace, and a folder that lasts as long as it is looked at. A command that ends with .vkrace is a trace; one that skips
    itself has none."""
    for command in commands:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            trace = folder / "run.trace"
            if command[0].endswith(".vkrace"):
                trace = pathlib.Path(command[0]).absolute()
            elif not record(vkrace, command, trace):
                continue
            yield command, trace, folder
