#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rules of the house that no compiler keeps: lint.py RULE ROOT.

Prints each breach as FILE:LINE: text. Exit status: 0 none, 1 some, 77 the rule cannot be checked.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

CODE = {".c", ".cpp", ".h", ".comp", ".glsl", ".def", ".py"}
LONGEST = 600
LONGEST_FUNCTION = 60
# Lists grow with Vulkan, and one list a file is the point of them.
LISTS = {".def"}
# Inputs of tests, whose lines the tests count.
INPUTS = {"cases", "golden"}

# Folder -> floor; a folder may include itself and lower floors. Folders in one that are not named
# here only sort its files.
FLOORS = {
    "include/vkrace": 0,
    "runtime/base": 1,
    "runtime/trace": 2,
    "runtime/engine": 2,
    "runtime/texels": 2,
    "instrument": 2,
    "runtime/model": 3,
    "runtime/report": 3,
    "runtime": 4,
    "layer/host": 4,
    "layer": 5,
    "runtime/tools": 5,
}
# What a lower floor's folder is still hidden from.
HIDDEN = {"runtime/model": {"instrument"}, "runtime/report": {"instrument"}}
# Who knows Vulkan's headers.
VULKAN = {"runtime/texels", "runtime/model", "runtime", "layer", "runtime/tools"}


def files_of(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(d for d in folders
                            if d not in (".git", "build", "__pycache__")
                            and not d.startswith("build-"))
        for name in sorted(names):
            yield pathlib.Path(folder, name)


def code_of(root):
    for path in files_of(root):
        if path.suffix in CODE:
            yield path


def floor_of(folder):
    while folder not in FLOORS and "/" in folder:
        folder = folder.rpartition("/")[0]
    return folder


def lines_of(path):
    return path.read_text(encoding="utf-8").splitlines()


def folder_of(root, path):
    return path.parent.relative_to(root).as_posix()


def floors(root):
    """Includes stay within a folder or go to a lower floor."""
    home = {path.name: floor_of(folder_of(root, path)) for path in code_of(root)}
    for path in code_of(root):
        here = floor_of(folder_of(root, path))
        if here not in FLOORS:
            continue
        for number, line in enumerate(lines_of(path), 1):
            found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if not found:
                continue
            there = home.get(os.path.basename(found[2])) if found[1] == '"' else None
            if found[1] == '"' and there is None:
                yield path, number, f"no file of ours is named {found[2]}"
            elif there and there != here and (FLOORS.get(there, 9) >= FLOORS[here]
                                              or there in HIDDEN.get(here, ())):
                yield path, number, f"{here} must not see {there}"
            elif found[2].startswith("vulkan/") and here not in VULKAN:
                yield path, number, f"{here} knows nothing of Vulkan"


def licence(root):
    """Every file says its licence first."""
    for path in files_of(root):
        script = not path.suffix and not path.name.startswith(".") and \
            path.read_bytes()[:2] == b"#!"
        if (path.suffix not in CODE and not script) or INPUTS & set(path.parts):
            continue
        comment = "#" if script or path.suffix == ".py" else "//"
        lines = lines_of(path)
        at = 1 if lines and lines[0].startswith("#!") else 0
        if lines[at:at + 1] != [comment + " SPDX-License-Identifier: Apache-2.0"]:
            yield path, at + 1, "no SPDX-License-Identifier"


def length(root):
    """Files stay short."""
    for path in code_of(root):
        count = len(lines_of(path))
        if count > LONGEST and path.suffix not in LISTS:
            yield path, count, f"{count} lines, at most {LONGEST}"


def functions(root):
    """Functions stay short; tables of data are outside of them."""
    for path in code_of(root):
        if path.suffix not in (".c", ".cpp", ".h"):
            continue
        begin = None
        for number, line in enumerate(lines_of(path), 1):
            if line == "{":
                begin = number
            elif line == "}" and begin:
                if number - begin - 1 > LONGEST_FUNCTION:
                    yield path, begin, f"{number - begin - 1} lines, at most {LONGEST_FUNCTION}"
                begin = None


def names(root):
    """File names are unique, so that headers are included by bare name."""
    seen = {}
    for path in code_of(root):
        if path.name in seen:
            yield path, 1, f"has the name of {seen[path.name]}"
        seen[path.name] = path


def notes(root):
    """Nothing is left for later in the code."""
    words = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3, "HA" + "CK"]) + r")\b")
    for path in code_of(root):
        for number, line in enumerate(lines_of(path), 1):
            if words.search(line):
                yield path, number, "left for later"


FORMATTER = "14."  # releases of clang-format differ in what they write


def form(root):
    """clang-format has nothing to change."""
    version = shutil.which("clang-format") and subprocess.check_output(
        ["clang-format", "--version"], text=True)
    if not version or f"version {FORMATTER}" not in version:
        print(f"skipped: there is no clang-format {FORMATTER}x: {version or 'not installed'}")
        sys.exit(77)
    sources = [str(path) for path in code_of(root) if path.suffix in (".c", ".cpp", ".h")]
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", *sources],
                          stderr=subprocess.PIPE, check=False)
    found = re.findall(rb"^(\S+):(\d+):\d+: error", done.stderr, re.MULTILINE)
    for path, line in dict.fromkeys(found):
        yield path.decode(), int(line), "is not as clang-format writes it"
    if done.returncode and not found:
        sys.exit(done.stderr.decode())


RULES = {rule.__name__: rule for rule in (floors, licence, length, functions, names, notes, form)}


def main():
    breaches = 0
    for path, line, text in RULES[sys.argv[1]](pathlib.Path(sys.argv[2])):
        print(f"{path}:{line}: {text}")
        breaches += 1
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
