#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every command of vk.xml is hooked or ignored with a reason: hooks.py LAYER_FOLDER VK_XML.

Prints each breach as FILE: text. Exit status: 0 none, 1 some, 77 there is no vk.xml.
"""
import fnmatch
import pathlib
import re
import sys
import xml.etree.ElementTree as tree

HOOK = re.compile(r"^VKR_(GLOBAL|INSTANCE|DEVICE|DEVICE_OWN|DEVICE_ALIAS|OTHER)\((\w+)", re.MULTILINE)


def commands_of(registry):
    """Name of each command of Vulkan's -> the version or extension that brings it first."""
    bringers = [feature for feature in registry.findall("feature")
                if "vulkan" in feature.get("api", "").split(",")]
    bringers += [extension for extension in registry.find("extensions")
                 if "vulkan" in extension.get("supported", "").split(",")]
    found = {}
    for bringer in bringers:
        for command in bringer.findall("require/command"):
            found.setdefault(command.get("name"), bringer.get("name"))
    return found


def hooks_of(folder):
    text = "".join((folder / "hooks" / name).read_text() for name in ("hooks.def", "hooks_other.def", "hooks_newer.def"))
    return ["vk" + name for _, name in HOOK.findall(text)]


def ignored_of(path):
    """(pattern, reason) a line."""
    entries = []
    for line in path.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            pattern, _, reason = line.partition(" ")
            entries.append((pattern, reason.strip()))
    return entries


def matches(pattern, command, bringer):
    if pattern.startswith("VK_"):
        return pattern == bringer and not command.startswith("vkCmd")
    return fnmatch.fnmatchcase(command, pattern)


def breaches(folder, registry):
    commands, hooks = commands_of(registry), hooks_of(folder)
    ignored = ignored_of(folder / "ignored.txt")
    for name in sorted({name for name in hooks if hooks.count(name) > 1}):
        yield f"hooks.def: {name} stands there twice"
    for pattern, reason in ignored:
        if not reason:
            yield f"ignored.txt: {pattern} has no reason"
        if pattern in hooks:
            yield f"ignored.txt: {pattern} is hooked"
    for command, bringer in sorted(commands.items()):
        if command not in hooks and not any(
                matches(pattern, command, bringer) for pattern, _ in ignored):
            yield f"hooks.def: {command} ({bringer}) is neither hooked nor ignored"


def main():
    folder, registry = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    if not registry.exists():
        print(f"{registry}: not there")
        return 77
    found = list(breaches(folder, tree.parse(registry).getroot()))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
