#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the built objects say of the house: symbols.py RULE ROOT BUILD.

RULE is `circles` (units call each other in a circle that circles.txt does not accept) or `externals`
(two units of the product define one external name). Knows symbols, and not what a source says. Exit
status: 0 no breach, 1 some, 77 nothing is built there.
"""
import collections
import json
import pathlib
import shlex
import subprocess
import sys

PRODUCT = ("instrument", "layer", "runtime")
ACCEPTED = pathlib.Path(__file__).with_name("circles.txt")


def objects_of(root, build):
    """The product's objects, each with its source relative to root."""
    commands = json.loads((build / "compile_commands.json").read_text())
    for command in commands:
        source = pathlib.Path(command["file"])
        words = shlex.split(command["command"])
        made = pathlib.Path(command["directory"], words[words.index("-o") + 1])
        if source.is_relative_to(root) and made.exists():
            source = source.relative_to(root)
            if source.parts[0] in PRODUCT:
                yield str(made), source.as_posix()


def read_symbols(listing, sources):
    """Unit -> (names it defines, names it uses), of what `nm -A -P -g` prints."""
    units = collections.defaultdict(lambda: (set(), set()))
    for line in listing.splitlines():
        made, name, kind = line.split(" ")[:3]
        defines, uses = units[sources[made.removesuffix(":")]]
        if kind == "U":
            uses.add(name)
        elif kind.isupper() and kind not in "WV":
            defines.add(name)
    return units


def externals(units):
    """An external name has one definition, so that tools and a common link find that one."""
    seen = {}
    for unit, (defines, _) in sorted(units.items()):
        for name in sorted(defines - {"main"}):
            if name in seen:
                yield f"{unit}: {name} is also defined by {seen[name]}"
            seen.setdefault(name, unit)


def uses_of(units):
    """Unit -> the units whose names it uses."""
    home = {name: unit for unit, (defines, _) in units.items() for name in defines}
    return {unit: {home[name] for name in uses if name in home} - {unit}
            for unit, (_, uses) in units.items()}


def find_circles(graph):
    """The strongly connected components with more than one unit, by Tarjan's algorithm."""
    index, low, stack, circles = {}, {}, [], []

    def visit(unit):
        index[unit] = low[unit] = len(index)
        stack.append(unit)
        for used in sorted(graph[unit]):
            if used not in index:
                visit(used)
                low[unit] = min(low[unit], low[used])
            elif used in stack:
                low[unit] = min(low[unit], index[used])
        if low[unit] == index[unit]:
            at = stack.index(unit)
            circles.append(set(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10 * len(graph) + 1000)
    for unit in sorted(graph):
        if unit not in index:
            visit(unit)
    return [circle for circle in circles if len(circle) > 1]


def read_accepted(text):
    """The accepted circles: paragraphs of one `because` line and the units, one a line."""
    for paragraph in text.split("\n\n"):
        lines = [line for line in paragraph.splitlines() if line and not line.startswith("#")]
        if not lines:
            continue
        if not lines[0].startswith("because "):
            sys.exit(f"circles.txt: {lines[0]}: a circle begins with `because REASON`")
        yield set(lines[1:])


def circles(units, accepted):
    """Each circle lies within an accepted one; what is accepted exists."""
    graph = uses_of(units)
    for unit in sorted(set().union(*accepted) - set(units)):
        yield f"circles.txt: there is no unit {unit}"
    for circle in find_circles(graph):
        if any(circle <= listed for listed in accepted):
            continue
        yield "a new circle of " + " ".join(sorted(circle))
        nearest = max(accepted, key=lambda listed: len(circle & listed), default=set())
        new = circle - nearest if circle & nearest else circle
        for unit in sorted(new):
            for used in sorted(graph[unit] & circle):
                names = sorted(units[unit][1] & units[used][0])
                yield f"  {unit} uses {' '.join(names)} of {used}"


def main():
    rule, root, build = sys.argv[1], *(pathlib.Path(path).resolve() for path in sys.argv[2:4])
    sources = dict(objects_of(root, build))
    if not sources:
        print(f"skipped: no object of {root} is in {build}")
        sys.exit(77)
    listing = subprocess.run(["nm", "-A", "-P", "-g", *sources], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, check=True).stdout
    units = read_symbols(listing, sources)
    if rule == "externals":
        breaches = list(externals(units))
    else:
        breaches = list(circles(units, list(read_accepted(ACCEPTED.read_text()))))
    print("\n".join(breaches))
    sys.exit(1 if breaches else 0)


if __name__ == "__main__":
    main()
