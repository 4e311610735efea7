#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Validates JSON reports against the schema: check_schema.py SCHEMA REPORT...

Also checks that the schema refuses reports that it must. Exit status 77 without python3-jsonschema.
"""
import copy
import json
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def damaged(report):
    """Reports that are almost right, and what was done to them."""
    for key in report:
        broken = copy.deepcopy(report)
        del broken[key]
        if key not in ("runs", "possible"):  # where there are some
            yield broken, f"without {key}"
    broken = copy.deepcopy(report)
    broken["more"] = 1
    yield broken, "with a member more"
    for race in report["races"][:1]:
        for key in race:
            broken = copy.deepcopy(report)
            del broken["races"][0][key]
            if key not in ("runs", "extent", "note", "letter_only"):
                yield broken, f"without races[0].{key}"
        for key in race["first"]:
            broken = copy.deepcopy(report)
            del broken["races"][0]["first"][key]
            # An access without a command or to no image is a right one.
            if key not in ("command", "image"):
                yield broken, f"without races[0].first.{key}"


def main():
    schema = load(sys.argv[1])
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    for path in sys.argv[2:]:
        report = load(path)
        validator.validate(report)
        for broken, what in damaged(report):
            if validator.is_valid(broken):
                sys.exit(f"{path} {what} is accepted")
        print(f"{path}: valid")


main()
