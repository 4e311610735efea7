#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the table of formats (texel_format.h) from the registry: formats.py format_table.c vulkan_core.h vk.xml."""
import re
import sys
import xml.etree.ElementTree


def blocks_of(entry, bytes_of):
    """The initializers of the blocks of a format: of each plane, or of all there is."""
    planes = entry.findall("plane")
    for plane in planes:
        yield (f"{{{bytes_of[plane.get('compatible')]}, 1, 1, {plane.get('widthDivisor')}, "
               f"{plane.get('heightDivisor')}}}")
    width, height, depth = entry.get("blockExtent", "1,1,1").split(",")
    if not planes and depth == "1":
        yield f"{{{entry.get('blockSize')}, {width}, {height}, 1, 1}}"


def table(registry, header):
    """The rows of the formats that the header names, in ascending order. Blocks of several layers are not known."""
    known = {name: int(value) for name, value in re.findall(r"\b(VK_FORMAT_\w+) = (\d+),", header)}
    entries = [entry for entry in registry.iter("format") if entry.get("name") in known]
    bytes_of = {entry.get("name"): entry.get("blockSize") for entry in entries}
    for entry in sorted(entries, key=lambda entry: known[entry.get("name")]):
        name, blocks = entry.get("name"), list(blocks_of(entry, bytes_of))
        components = {component.get("name"): component.get("bits") for component in entry.findall("component")}
        planes = len(entry.findall("plane"))
        depth, stencil = (int(components.get(which, 0)) for which in "DS")
        if depth or stencil:
            blocks = []
        yield f'{{{name}, "{name}", {planes}, {depth}, {stencil}, {{{", ".join(blocks) or "{0}"}}}}},'


def main():
    if len(sys.argv) != 4 or sys.argv[1].startswith("-"):
        sys.exit("usage: formats.py OUTPUT VULKAN_CORE_H VK_XML")
    with open(sys.argv[2], encoding="utf-8") as stream:
        header = stream.read()
    rows = list(table(xml.etree.ElementTree.parse(sys.argv[3]), header))
    with open(sys.argv[1], "w", encoding="utf-8") as stream:
        stream.write("// Made by formats.py from vk.xml.\n#include \"format_table.h\"\n\n"
                     "const struct vkr_format_row vkr_format_rows[] = {\n\t" + "\n\t".join(rows) +
                     "\n};\nconst size_t vkr_format_row_count = sizeof vkr_format_rows / sizeof *vkr_format_rows;\n")


if __name__ == "__main__":
    main()
