#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The layer's manifest offers every setting that the layer has: manifest.py SETTINGS_DEF MANIFEST.

Settings that only the environment may give are left out. Presets give values that settings take.
"""
import json
import pathlib
import re
import sys

KINDS = {"TEXT": ("STRING", "ENUM", "SAVE_FILE", "LOAD_FILE", "SAVE_FOLDER"), "FLAG": ("BOOL",),
         "NUMBER": ("INT",)}


def settings_of(text):
    """name -> (kind, arguments), of what a settings file may say."""
    text = re.sub(r"//.*", "", text)
    found = {}
    for kind, name, rest in re.findall(r"(TEXT|FLAG|NUMBER)\((\w+)(.*)\)", text):
        arguments = [word.strip() for word in rest.split(",")[1:]]
        if arguments != ["false"]:
            found[name] = (kind, arguments)
    return found


def value_fits(setting, value):
    if setting["type"] == "BOOL":
        return isinstance(value, bool)
    if setting["type"] == "INT":
        return isinstance(value, int) and setting["range"]["min"] <= value <= setting["range"]["max"]
    if setting["type"] == "ENUM":
        return value in [flag["key"] for flag in setting["flags"]]
    return isinstance(value, str)


def faults(known, layer):
    offered = {setting["key"]: setting for setting in layer["features"]["settings"]}
    for name in sorted(known.keys() - {key.upper() for key in offered}):
        yield f"{name} is no setting of the manifest"
    for key, setting in offered.items():
        kind, arguments = known.get(key.upper(), (None, None))
        if kind is None:
            yield f"{key} is no setting of the layer"
            continue
        if setting["type"] not in KINDS[kind]:
            yield f"{key} is a {kind}, not a {setting['type']}"
        if setting.get("env") != f"VKRACE_{key.upper()}":
            yield f"{key}: env is {setting.get('env')}"
        if kind == "NUMBER" and setting["range"]["min"] != int(arguments[0]):
            yield f"{key}: its range begins at {setting['range']['min']}"
        if not value_fits(setting, setting["default"]):
            yield f"{key}: its default does not fit"
    for preset in layer["features"]["presets"]:
        for given in preset["settings"]:
            setting = offered.get(given["key"])
            if not setting or not value_fits(setting, given["value"]):
                yield f"preset {preset['label']}: {given} does not fit"


def main():
    definitions, manifest = (pathlib.Path(path).read_text() for path in sys.argv[1:3])
    found = list(faults(settings_of(definitions), json.loads(manifest)["layer"]))
    sys.exit("\n".join(found) if found else 0)


if __name__ == "__main__":
    main()
