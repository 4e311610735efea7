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
# A header that is longer, or a struct that has more members, says more than one thing.
LONGEST_HEADER = 250
MOST_MEMBERS = 40
# Header -> why it is longer all the same.
LONG_HEADERS = {
    "trace.h": "the format of the trace in prose: one document",
    "site.h": "the format of the site table in prose: one document",
}
# Struct -> why it has more members all the same.
LARGE_STRUCTS = {
    "vkr_analysis": "everything the analysis of a shader finds; to be split by pass",
    "vkr_engine": "the engine's whole state; to be split by module",
    "gpu_test": "what a test asks of the device, one flag each",
}
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


def headers(root):
    """A header says one thing; what is accepted is there, and is long."""
    for path in code_of(root):
        count = len(lines_of(path))
        if path.suffix == ".h" and (count > LONGEST_HEADER) != (path.name in LONG_HEADERS):
            yield path, count, f"{count} lines, at most {LONGEST_HEADER}" \
                if count > LONGEST_HEADER else "is not long: take it from LONG_HEADERS"


def structs_of(path):
    """Tag, line and number of members of each struct and union at a file's outermost level."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", lambda found: "\n" * found[0].count("\n"),
                  path.read_text(encoding="utf-8"), flags=re.DOTALL)
    for found in re.finditer(r"^(?:typedef )?(?:struct|union) (\w+)\s*\{\n(.*?)^\}", text,
                             re.DOTALL | re.MULTILINE):
        # A comma separates declarators, but for those of a pointer to function.
        members = re.sub(r"\([^()]*\)", "", found[2])
        yield found[1], text.count("\n", 0, found.start()) + 1, \
            members.count(";") + members.count(",")


def members(root):
    """A struct is one thing."""
    for path in code_of(root):
        if path.suffix not in (".c", ".cpp", ".h"):
            continue
        for tag, line, count in structs_of(path):
            if count > MOST_MEMBERS and tag not in LARGE_STRUCTS:
                yield path, line, f"{tag} has {count} members, at most {MOST_MEMBERS}"


def tags(root):
    """A tag that begins with vkr_ names one struct in the whole program."""
    seen = {}
    for path in code_of(root):
        if path.suffix not in (".c", ".cpp", ".h"):
            continue
        for tag, line, _ in structs_of(path):
            if tag in seen and tag.startswith("vkr_"):
                yield path, line, f"{tag} is also defined in {seen[tag]}"
            seen.setdefault(tag, path)


ONE_WORD = re.compile(r"static (?:inline )?(?:\w+[ *]+)+([a-z0-9]+)\(")


def names(root):
    """File names are unique, so that headers are included by bare name. Names of functions are of
    several words, so that backtraces and searches say which one it is."""
    seen = {}
    for path in code_of(root):
        if path.name in seen:
            yield path, 1, f"has the name of {seen[path.name]}"
        seen[path.name] = path
        if floor_of(folder_of(root, path)) not in FLOORS or path.suffix not in (".c", ".h"):
            continue
        for number, line in enumerate(lines_of(path), 1):
            found = ONE_WORD.match(line)
            if found:
                yield path, number, f"{found[1]}() is one word: {path.stem}_{found[1]}()"


def notes(root):
    """Nothing is left for later in the code."""
    words = re.compile(r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3, "HA" + "CK"]) + r")\b")
    for path in code_of(root):
        for number, line in enumerate(lines_of(path), 1):
            if words.search(line):
                yield path, number, "left for later"


# Turns of phrase that hide who does what; each once had to be read twice.
PUZZLES = (
    (r"^The same\b", "names nothing"),
    (r"^likewise\.?$", "says nothing by itself"),
    (r"\b[Ww]hat of\b", "the part of X that ..."),
    (r"\b[Nn]obody (sees|knows|tells)\b", "is unknown, is not observed"),
    (r"\btold of\b", "reported"),
    (r"\b([Oo]f|by|after|behind) so many\b", "this many"),
    (r"\b(come|comes|came) by\b", "gets, passes"),
    (r"\bbecomes? of\b", "the effect on X"),
)


def comments_of(path):
    """Line and text of each comment; lines that follow each other are one comment."""
    mark = "#" if path.suffix == ".py" else "//"
    found = []
    for number, line in enumerate(lines_of(path), 1):
        match = re.match(rf"(.*?(?:^|\s)){mark} (.*)$", line)
        if not match or match[1].count('"') % 2:
            continue
        alone = not match[1].strip()
        if found and alone and found[-1][2] == number - 1:
            found[-1] = [found[-1][0], found[-1][1] + " " + match[2], number]
        else:
            found.append([number, match[2], number])
    for first, text, _ in found:
        yield first, text.replace("SPDX-License-Identifier: Apache-2.0", "").strip()


def english(root):
    """Comments can be understood at first reading."""
    for path in code_of(root):
        for number, text in comments_of(path):
            for puzzle, instead in PUZZLES:
                if re.search(puzzle, text):
                    yield path, number, f"'{re.search(puzzle, text)[0]}': {instead}"


# Files that documents name and the repository does not hold: built, installed, or the user's.
ELSEWHERE = re.compile(r"build/|share/|lib/|/|vk_layer_settings\.txt$|.*NAME")
PATH = re.compile(r"[\w.*\[\]/-]+\.(?:c|h|cpp|def|md|txt|py|sh|json|comp|cmake)|(?:[\w.-]+/)+[\w.*\[\]-]*")
OURS = re.compile(r"\b(?:vkr|VKR|VKRACE)_\w+")


def anchors_of(path):
    """The anchors of a document's headings, as GitHub makes them."""
    return {re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-")
            for line in lines_of(path) if line.startswith("#")}


def documents(root):
    """What documents name exists: files, identifiers, settings, and where links lead."""
    held = [path.relative_to(root) for path in files_of(root)]
    words = set()
    for path in files_of(root):
        if path.suffix in (".c", ".h", ".cpp", ".def", ".py", ".txt", ".cmake", ".sh", ""):
            words |= set(OURS.findall(path.read_text(encoding="utf-8", errors="replace")))
    for path in files_of(root):
        if path.suffix != ".md" or INPUTS & set(path.parts):
            continue
        for number, line in enumerate(lines_of(path), 1):
            for named in re.findall(r"`([^`]+)`", line):
                if PATH.fullmatch(named) and not ELSEWHERE.match(named) and \
                        not any(file.match(named) or file.is_relative_to(named) or
                                any(parent.match(named) for parent in file.parents)
                                for file in held):
                    yield path, number, f"no file of ours is {named}"
                for word in OURS.findall(named):
                    if word not in words:
                        yield path, number, f"nothing of ours is named {word}"
            for target in re.findall(r"\]\((?!https?:)([^)]+)\)", line):
                file, _, anchor = target.partition("#")
                there = (path.parent / file) if file else path
                if not there.exists():
                    yield path, number, f"there is no {file}"
                elif anchor and anchor not in anchors_of(there):
                    yield path, number, f"{there.name} has no heading for #{anchor}"


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


RULES = {rule.__name__: rule for rule in (floors, licence, headers, members, tags, names,
                                           notes, english, documents, form)}


def main():
    breaches = 0
    for path, line, text in RULES[sys.argv[1]](pathlib.Path(sys.argv[2])):
        print(f"{path}:{line}: {text}")
        breaches += 1
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
