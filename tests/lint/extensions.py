#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every device extension of vk.xml is modelled, or its effect is told: extensions.py INCLUDE_FOLDER VK_XML.

Prints each breach as FILE: text. Exit status: 0 none, 1 some, 77 there is no vk.xml.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as tree

MODELLED = re.compile(r'^VKR_EXTENSION\("(\w+)"\)', re.MULTILINE)
EFFECT = re.compile(r'^VKR_EFFECT(?:_USED)?\("(\w+)",(?: "\w+",)?((?:\s*"[^"]*")+)\)', re.MULTILINE)


def effects_of(text):
    """(name, effect) an entry."""
    return [(name, "".join(re.findall(r'"([^"]*)"', parts))) for name, parts in EFFECT.findall(text)]


def extensions_of(registry):
    return [extension.get("name") for extension in registry.find("extensions")
            if extension.get("type") == "device"
            and "vulkan" in extension.get("supported", "").split(",")]


def breaches(modelled_text, effects_text, registry):
    modelled, effects = MODELLED.findall(modelled_text), effects_of(effects_text)
    named = [name for name, _ in effects]
    for name in sorted({name for name in modelled if modelled.count(name) > 1}):
        yield f"extensions.def: {name} stands there twice"
    for name in sorted({name for name in named if named.count(name) > 1}):
        yield f"extension_effects.def: {name} stands there twice"
    for name in sorted(set(modelled) & set(named)):
        yield f"extension_effects.def: {name} is modelled"
    for name, effect in effects:
        if not re.search(r"\bmissed\b|\breported\b", effect):
            yield f"extension_effects.def: {name}: neither what is missed nor what is falsely reported"
    for name in sorted(set(extensions_of(registry)) - set(modelled) - set(named)):
        yield f"extension_effects.def: {name} is neither modelled nor told"


def main():
    folder, registry = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    if not registry.exists():
        print(f"{registry}: not there")
        return 77
    found = list(breaches((folder / "extensions.def").read_text(),
                          (folder / "extension_effects.def").read_text(),
                          tree.parse(registry).getroot()))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
