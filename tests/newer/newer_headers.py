#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What is compiled only with newer Vulkan headers than this machine's: newer_headers.py BUILD [HEADERS].

Checks, without compiling them to the end, the sources of BUILD/compile_commands.json in which something depends on an extension,
against the headers in HEADERS, or those of Debian's unstable release. Warnings are no errors: newer headers may well cause some.
Exit status: 0 all compile, 1 not, 77 where there are no such headers.
"""
import concurrent.futures
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

SKIPPED = 77
DEPENDS = re.compile(r"^\s*#\s*(?:el)?if.*\bVK_[A-Z]+_", re.MULTILINE)
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


def fetch_headers(folder):
    """Unpacks the headers of Debian's unstable release, with lists of packages of their own."""
    policy = subprocess.run(["apt-cache", "policy"], capture_output=True, text=True, check=True).stdout
    mirrors = [word for word in policy.split() if re.match(r"https?://\S*debian", word) and "security" not in word]
    if not mirrors:
        raise OSError("apt knows no Debian mirror")
    for name in ("lists/partial", "archives/partial"):
        (folder / name).mkdir(parents=True)
    (folder / "sources.list").write_text(f"deb [signed-by={KEYS}] {mirrors[0]} sid main\n")
    apt = ["apt-get", "-qq", "-o", f"Dir::Etc::sourcelist={folder}/sources.list", "-o", "Dir::Etc::sourceparts=-",
           "-o", f"Dir::State::lists={folder}/lists", "-o", f"Dir::Cache={folder}", "-o", "Dir::State::status=/dev/null"]
    for words in (["update"], ["download", "libvulkan-dev"]):
        subprocess.run([*apt, *words], cwd=folder, check=True, capture_output=True)
    package = next(folder.glob("libvulkan-dev_*.deb"))
    subprocess.run(["dpkg-deb", "-x", package, folder / "root"], check=True)
    return folder / "root/usr/include"


def check_source(entry, headers):
    """What the compiler says of a source that does not compile; empty where it does."""
    command = [*shlex.split(entry["command"]), f"-I{headers}", "-Wno-error", "-fsyntax-only"]
    done = subprocess.run(command, cwd=entry["directory"], capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def main():
    build = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        try:
            headers = pathlib.Path(sys.argv[2]) if sys.argv[2:] else fetch_headers(pathlib.Path(folder))
            version = re.search(r"VK_HEADER_VERSION (\d+)", (headers / "vulkan/vulkan_core.h").read_text()).group(1)
        except (OSError, StopIteration, subprocess.CalledProcessError) as problem:
            print(f"skipped: there are no newer headers: {problem}")
            sys.exit(SKIPPED)
        entries = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text())}
        chosen = [entry for file, entry in entries.items() if DEPENDS.search(pathlib.Path(file).read_text())]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            problems = [said for said in pool.map(lambda entry: check_source(entry, headers), chosen) if said]
    print("".join(problems), end="")
    print(f"{len(chosen)} sources with headers of version {version}, {len(problems)} of them do not compile")
    sys.exit(1 if problems or not chosen else 0)


main()
