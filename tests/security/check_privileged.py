#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program that runs with rights which its user has not, under a layer that is installed in the
system's folders: its user chooses the environment and the working folder, and the layer does
nothing of what they say. It reads, writes and starts nothing, and the program does what it does
without the layer.

Run as root, who lends the rights; all of it happens in a mount namespace of its own and as nobody,
and nothing remains. The program's command line follows "--". Exit status: 0 as expected, 1 not, 77
skipped where this user cannot do that.
"""
import argparse
import ctypes
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

SKIPPED = 77
SECONDS = 120
NOBODY = 65534
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x00020000, 0x4000, 1 << 18
LAYER = "VK_LAYER_VKRACE_race"
MANIFEST = "VkLayer_vkrace.json"
# Where the loader looks for layers also in such programs.
SYSTEM = pathlib.Path("/usr/local/share")
CAPABILITY_VERSION, CAPABILITY_EFFECTIVE, CAP_NET_RAW = 0x02000000, 1, 13


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def enter_namespace():
    """What is mounted from here on is seen by this process and its children alone."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(CLONE_NEWNS) != 0 or library.mount(
            b"none", b"/", None, MS_REC | MS_PRIVATE, None) != 0:
        skip(f"no mount namespace: {os.strerror(ctypes.get_errno())}")


def mount_memory(folder):
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", folder],
                      check=False).returncode != 0:
        skip("no file system can be mounted")


def install(options, folder):
    """Installs the build below `folder`, and its manifest where the system's layers lie."""
    subprocess.run([options.cmake, "--install", options.build, "--prefix", folder / "usr"],
                   check=True, stdout=subprocess.DEVNULL)
    installed = folder / "usr/share/vulkan/explicit_layer.d" / MANIFEST
    manifest = json.loads(installed.read_text())
    manifest["layer"]["library_path"] = str(next((folder / "usr").rglob("libVkLayer_vkrace.so")))
    mount_memory(SYSTEM)
    system = SYSTEM / "vulkan/explicit_layer.d"
    system.mkdir(parents=True)
    (system / MANIFEST).write_text(json.dumps(manifest))


def lend_rights(kind, program, copy):
    """A copy of the program of this kind; False where there can be none."""
    shutil.copy(program, copy)
    copy.chmod(0o755)
    if kind == "user":
        copy.chmod(0o4755)
    elif kind == "group":
        copy.chmod(0o2755)
    elif kind == "capability":
        value = struct.pack("<IIIII", CAPABILITY_VERSION | CAPABILITY_EFFECTIVE, 1 << CAP_NET_RAW,
                            0, 0, 0)
        try:
            os.setxattr(copy, "security.capability", value)
        except OSError as error:
            print(f"no program with capabilities: {error}")
            return False
    return True


def run_as_nobody(command, folder, environment):
    def become():
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=SECONDS, check=False, preexec_fn=become,
                          env={"PATH": os.environ["PATH"], "HOME": str(folder),
                               "ASAN_OPTIONS": "detect_leaks=0", **environment}) # the driver's


def state(folder):
    return {str(path): (path.lstat().st_uid, path.read_bytes() if path.is_file() else None)
            for path in sorted(folder.rglob("*"))}


def choose(theirs, work, rights):
    """What the user puts into the environment and a settings file; `rights`: with root's files."""
    target = theirs if rights else work
    command = work / "command"
    command.write_text(f"#!/bin/sh\nid -u >>{work}/started\n")
    command.chmod(0o755)
    settings = {"TRACE": target / "trace", "JSON": target / "json",
                "DUMP_SHADERS": target / "shaders"}
    if rights:
        settings["COMMAND"] = command
    (work / "vk_layer_settings.txt").write_text(
        "".join(f"vkrace.{name.lower()} = {value}\n" for name, value in settings.items()))
    return settings


def check(kind, options, folder):
    """Runs the program with this kind of rights; with "none" the layer must do its work."""
    rights = kind != "none"
    work, theirs = folder / kind / "work", folder / kind / "roots"
    for place in work, theirs:
        place.mkdir(parents=True)
    program = folder / kind / "program"
    if not lend_rights(kind, options.command[0], program):
        return
    (theirs / "trace").write_text("root's\n")
    settings = choose(theirs, work, rights)
    os.chown(work, NOBODY, NOBODY)
    # Whom the program's rights let write here; the user himself cannot.
    theirs.chmod(0o777 if kind == "capability" else 0o775)
    command = [program, *options.command[1:]]
    layers = {"VK_INSTANCE_LAYERS": LAYER}
    variables = {f"VKRACE_{name}": str(value) for name, value in settings.items()}
    plain = run_as_nobody(command, work, {})
    before = state(theirs)
    for environment in {**layers, **variables}, layers:
        done = run_as_nobody(command, work, environment)
        if (done.returncode, done.stdout) != (plain.returncode, plain.stdout):
            sys.exit(f"{kind}: without the layer {plain.returncode}\n{plain.stdout}\n{plain.stderr}"
                     f"\nwith it {done.returncode}\n{done.stdout}\n{done.stderr}")
        if not rights:
            for name in "trace", "json":
                if not (work / name).exists():
                    sys.exit(f"the layer is not active without rights: no {name}\n{done.stderr}")
                (work / name).unlink()
            continue
        if done.stderr != plain.stderr:
            sys.exit(f"{kind}: the layer says\n{done.stderr}")
        if (work / "started").exists():
            sys.exit(f"{kind}: the user's program was started, by user "
                     f"{(work / 'started').read_text()}")
        if state(theirs) != before:
            sys.exit(f"{kind}: files were written: {sorted(state(theirs))}")
    print(f"{kind}: as expected")


def check_told(options, folder):
    """`vkrace run` says why it saw nothing of such a program, for each kind of rights."""
    for kind in "user", "group", "capability":
        program = folder / kind / "program"
        if not program.exists():
            continue
        done = run_as_nobody([folder / "usr/bin/vkrace", "run", "--", program,
                              *options.command[1:]], folder / kind / "work", {})
        if "runs with rights that you do not have" not in done.stderr:
            sys.exit(f"{kind}: vkrace run says\n{done.stderr}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    if os.getuid() != 0:
        skip("only root can lend its rights")
    enter_namespace()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        mount_memory(folder)
        try:
            install(options, folder)
            for kind in "none", "user", "group", "capability":
                check(kind, options, folder)
            check_told(options, folder)
        finally:
            subprocess.run(["umount", SYSTEM], check=False, stderr=subprocess.DEVNULL)
            subprocess.run(["umount", "--lazy", folder], check=False)


if __name__ == "__main__":
    main()
