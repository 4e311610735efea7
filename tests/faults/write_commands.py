#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the commands that may fail as C, from the registry: write_commands.py VK_XML OUTPUT.

Each asks fault_of() what to return before it hands the call on.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as tree

RESULTS = {
    "VK_ERROR_OUT_OF_HOST_MEMORY": "FAULT_HOST_MEMORY",
    "VK_ERROR_OUT_OF_DEVICE_MEMORY": "FAULT_DEVICE_MEMORY",
    "VK_ERROR_DEVICE_LOST": "FAULT_DEVICE_LOST",
}
# These are the layer's own affair, or have no handle to find the next layer by.
PLUMBING = {"vkCreateInstance", "vkCreateDevice", "vkEnumerateInstanceVersion",
            "vkEnumerateInstanceLayerProperties", "vkEnumerateInstanceExtensionProperties"}


def of_vulkan(element, attribute="api"):
    return "vulkan" in element.get(attribute, "vulkan").split(",")


def guards_of(registry):
    """Name of each command -> what the headers define where they have it."""
    bringers = [feature for feature in registry.findall("feature") if of_vulkan(feature)]
    bringers += [extension for extension in registry.find("extensions")
                 if of_vulkan(extension, "supported") and not extension.get("platform")]
    guards = {}
    for bringer in bringers:
        for command in bringer.findall("require/command"):
            # Newer registries have versions in parts, of which the headers define none.
            guard = re.sub(r"^VK_(BASE|COMPUTE|GRAPHICS)_VERSION", "VK_VERSION", bringer.get("name"))
            guards.setdefault(command.get("name"), []).append(guard)
    return guards


def text_of(element):
    return "".join(element.itertext()).strip()


def failed_outputs(parameters, handles):
    """What a failed call leaves behind: arrays of handles are null, a single one is anything."""
    for parameter in parameters:
        if parameter.findtext("type") not in handles or "*" not in text_of(parameter):
            continue
        name, length = parameter.findtext("name"), parameter.get("len")
        if text_of(parameter).startswith("const") or parameter.get("optional"):
            continue
        if length:
            yield f"memset({name}, 0, {length} * sizeof *{name});"
        else:
            yield f"memset({name}, 0xa5, sizeof *{name});"


def hook(number, name, command, handles):
    results = [RESULTS[code] for code in command.get("errorcodes", "").split(",")
               if code in RESULTS]
    parameters = [parameter for parameter in command.findall("param") if of_vulkan(parameter)]
    names = [parameter.findtext("name") for parameter in parameters]
    lines = [f"static VKAPI_ATTR VkResult VKAPI_CALL fail_{name}"
             f"({', '.join(text_of(parameter) for parameter in parameters)})",
             "{",
             f"\tconst VkResult failed = fault_of(\"{name}\", {' | '.join(results)});",
             "\tif (failed == VK_SUCCESS)",
             f"\t\treturn ((PFN_{name})fault_next({names[0]}, {number}))({', '.join(names)});",
             *("\t" + line for line in failed_outputs(parameters, handles)),
             "\treturn failed;",
             "}"]
    return "\n".join(lines) if results else ""


def main():
    registry = tree.parse(sys.argv[1]).getroot()
    commands = {command.findtext("proto/name"): command for command in registry.iter("command")
                if command.find("proto") is not None and of_vulkan(command)}
    aliases = {command.get("name"): command.get("alias") for command in registry.iter("command")
               if command.get("alias")}
    handles = {kind.findtext("name") or kind.get("name") for kind in registry.iter("type")
               if kind.get("category") == "handle"}
    hooked = []
    text = ['#include "faults_layer.h"', "", "#include <string.h>"]
    for name, guards in sorted(guards_of(registry).items()):
        command = commands.get(aliases.get(name, name))
        if command is None or name in PLUMBING:
            continue
        made = hook(f"NUMBER_{name}", name, command, handles)
        if made:
            guard = "#if " + " || ".join(f"defined({guard})" for guard in guards)
            hooked.append((name, guard, made))
    text += ["", "enum {"]
    for name, guard, _ in hooked:
        text += [guard, f"\tNUMBER_{name},", "#endif"]
    text += ["};"]
    for name, guard, made in hooked:
        text += ["", guard, made, "#endif"]
    text += ["", "const struct fault_command fault_commands[] = {"]
    for name, guard, _ in hooked:
        text += [guard, f"\t{{\"{name}\", (PFN_vkVoidFunction)fail_{name}}},", "#endif"]
    text += ["};", "const size_t fault_command_count = sizeof fault_commands / sizeof *fault_commands;", ""]
    pathlib.Path(sys.argv[2]).write_text("\n".join(text))


main()
