#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""While a program runs under `vkrace run`, others find the run's socket in /proc/net/unix and speak
to it: a foreign user, one of the run's own user who has not the run's secret, and a foreign user who
has got it. None holds the run up or falsifies its verdict, or hinders the judge of the program.

The program's command line, which has races, follows "--". Exit status: 0 as expected, 1 not, 77
skipped where this user cannot become another.
"""
import argparse
import array
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED, RACES = 77, 66
SECONDS = 60
NOBODY = 65534
VERDICT = b"3 7 0 0"
# What the program does before it starts: it lets the attacks begin, and waits until they have.
WAIT = 'touch "$1"; while [ ! -e "$2" ]; do sleep 0.05; done; shift 2; exec "$@"'


def speak(kind, name, text, with_descriptor):
    """Sends one message, and keeps open what it has opened."""
    ours = socket.socket(socket.AF_UNIX, kind)
    theirs, kept = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [theirs.fileno()]))]
    try:
        ours.connect(name)
        if text is not None:
            ours.sendmsg([text], rights if with_descriptor else [])
    except OSError:
        pass
    try:
        kept.send(VERDICT)
    except OSError:
        pass
    theirs.close()
    return ours, kept


def secret_of(run):
    """What the run has given its program, which root can read."""
    children = pathlib.Path(f"/proc/{run}/task/{run}/children").read_text().split()
    variables = b"".join(pathlib.Path(f"/proc/{child}/environ").read_bytes() for child in children)
    return re.search(rb"VKRACE_RUN=[^\0:]+:(\w{32})", variables).group(1)


def attack(run, user, told):
    """Tells the run whatever might be believed, as `user`, until the process is ended; `told`: also
    with the run's secret."""
    secret = secret_of(run) if told else b"0" * 32
    os.setresuid(user, user, user)
    with open("/proc/net/unix", "rb") as sockets:
        names = {line.split()[-1] for line in sockets if b"@vkrace-run-%d-" % run in line}
    opened = []
    for name in names:
        address = b"\0" + name[1:]
        for kind in socket.SOCK_SEQPACKET, socket.SOCK_DGRAM, socket.SOCK_STREAM:
            for text in None, b"", VERDICT, b"instance", secret + b"J", secret + b"I":
                opened += speak(kind, address, text, False)
                opened += speak(kind, address, text, True)
    print(f"{len(names)} sockets found", flush=True)
    sys.stdin.read()


def check(options, user, owner=None):
    """The run is `owner`'s, where one is named; its secret is then told."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        started, attacked = pathlib.Path(folder) / "started", pathlib.Path(folder) / "attacked"
        run = subprocess.Popen(
            [options.vkrace, "run", "--quiet", "--", "sh", "-c", WAIT, "sh", started, attacked,
             *options.command],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, user=owner)
        while not started.exists() and run.poll() is None:
            time.sleep(0.02)
        attacker = subprocess.Popen(
            [sys.executable, __file__, "--attack", str(run.pid), "--user", str(user),
             *([] if owner is None else ["--told"])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        found = attacker.stdout.readline()
        attacked.touch()
        try:
            said = run.communicate(timeout=SECONDS)[1]
        except subprocess.TimeoutExpired:
            run.kill()
            sys.exit(f"as user {user}: the run is held up")
        finally:
            attacker.stdin.close()
            attacker.wait()
    if not re.match("[1-9]", found):
        sys.exit(f"as user {user}: the run's socket was not found: {found}")
    if run.returncode != options.status:
        sys.exit(f"as user {user}: the run ended with {run.returncode}\n{said}")
    if re.search("judges ended|nothing was judged", said) and options.status == RACES:
        sys.exit(f"as user {user}: the run says\n{said}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vkrace")
    parser.add_argument("--status", type=int, default=RACES)
    parser.add_argument("--attack", type=int)
    parser.add_argument("--user", type=int)
    parser.add_argument("--told", action="store_true")
    parser.add_argument("command", nargs="*")
    options = parser.parse_args()
    if options.attack:
        attack(options.attack, options.user, options.told)
        return
    check(options, os.getuid())
    if os.getuid() != 0:
        print("skipped: only root can become another user")
        sys.exit(SKIPPED)
    check(options, NOBODY)
    check(options, NOBODY - 1, owner=NOBODY)


if __name__ == "__main__":
    main()
