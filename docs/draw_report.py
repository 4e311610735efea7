#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a text report as a terminal shows it, as SVG: draw_report.py COMMAND < REPORT > PICTURE.

docs/report.svg is `vkrace run --check -- nbody` of the demo, with shorter stacks; README.md shows it.
"""
import html
import re
import sys

COLUMNS = 108
ADVANCE, LINE, SIZE, MARGIN = 7.2, 17, 12, 16  # of a monospace font
BACKGROUND, PLAIN, DIM, BOLD, RED, GREEN, BLUE = (
    "#0d1117", "#c9d1d9", "#8b949e", "#ffffff", "#ff7b72", "#7ee787", "#79c0ff")


def colour_of(line):
    """The colour of a whole line, and of its first word."""
    if line.startswith("$ "):
        return BOLD, BOLD
    if line.strip().startswith("checked:"):
        return GREEN, GREEN
    if re.match(r"vkrace: (found: )?\w+ race", line) or re.match(r"vkrace: \d+ race", line):
        return RED, RED
    if re.match(r"  (first|second|both) access", line) or line.startswith("vkrace: "):
        return BOLD, BOLD
    if re.match(r"\s+\d+ \|", line):
        return PLAIN, DIM
    if re.match(r"  (missing|change|id|also)\b", line):
        return PLAIN, BOLD
    if re.match(r"    [a-z]+  ", line):
        return PLAIN, BLUE
    return PLAIN, PLAIN


def cut(line):
    """A long line in several, whose further ones stand below its text."""
    indent = " " * min(len(line) - len(line.lstrip()) + 4, COLUMNS // 2)
    while len(line) > COLUMNS:
        at = line.rfind(" ", len(indent) + 1, COLUMNS + 1)
        at = at if at > 0 else COLUMNS
        yield line[:at]
        line = indent + line[at:].lstrip()
    yield line


def kept(text):
    """Escaped, with blanks that no viewer leaves out."""
    return html.escape(text).replace(" ", "\N{NO-BREAK SPACE}")


def draw(lines):
    height = MARGIN * 2 + LINE * len(lines)
    width = MARGIN * 2 + ADVANCE * COLUMNS
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
           f'viewBox="0 0 {width:.0f} {height}" role="img">')
    yield "<title>A report of vkrace</title>"
    yield f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>'
    yield (f'<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, '
           f'monospace" font-size="{SIZE}">')
    for number, (line, (whole, first)) in enumerate(lines):
        word = re.match(r"\s*\S*", line).group(0)
        rest = line[len(word):]
        y = MARGIN + LINE * number + SIZE
        yield (f'<text x="{MARGIN}" y="{y}" fill="{whole}"><tspan fill="{first}">{kept(word)}</tspan>'
               f"{kept(rest)}</text>")
    yield "</g>\n</svg>"


def main():
    text = [f"$ {sys.argv[1]}"] + sys.stdin.read().expandtabs(4).splitlines()
    lines = []
    for line in text:
        colours = colour_of(line)
        for part in cut(line.rstrip()):
            lines.append((part, colours))
            colours = (colours[0], colours[0])
    print("\n".join(draw(lines)))


main()
