#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every instruction of SPIR-V's grammar that Vulkan has is known: spirv_grammar.py INSTRUMENT_FOLDER GRAMMAR.

Known is what opcodes.def or the other sources name that say what instructions access, or no_access.txt
with a reason; so are the enumerants of what accesses depend on. What opcodes.def says of an
instruction's operands is as in the grammar. Prints each breach as FILE: text. Exit status: 0 none,
1 some, 77 there is no grammar.
"""
import fnmatch
import json
import pathlib
import re
import sys

# Which memory an instruction touches, and how.
SOURCES = ("address.c", "fragment_end.c", "image_use.c", "interlock.c", "matrix_use.c", "memory_order.c",
           "opcodes.def", "pointer_bases.c", "pointer_forms.c", "shader_extensions.c", "spirv_module.c",
           "analysis.c", "analysis_accesses.c", "analysis_images.c", "analysis_outputs.c", "analysis_rays.c",
           "analysis_segments.c")
KINDS = ("StorageClass", "MemoryAccess", "ImageOperands", "MemorySemantics", "Scope", "Dim",
         "CooperativeMatrixLayout")
# Capabilities that Vulkan has not (Vulkan, appendix "Vulkan Environment for SPIR-V").
FOREIGN = re.compile(r"Kernel|Addresses|Linkage|Vector16|Pipes|DeviceEnqueue|AtomicStorage|"
                     r"GenericPointer|Groups|NamedBarrier|SubgroupDispatch|.*(INTEL|ALTERA)")


def newer_of(text):
    """Number of each name in spirv_newer.h."""
    return {name: int(number) for name, number in re.findall(r"\b(VKR_\w+) = (\d+)", text)}


def named_in(text, newer):
    """Names of instructions and enumerants, and numbers of what older headers do not name."""
    return (set(re.findall(r"\bSpv(\w+?)(?:Mask)?\b", text)),
            {newer[name] for name in re.findall(r"\bVKR_OP_\w+", text) if name in newer})


def rows_of(text):
    """(kind, name, columns) of each row of opcodes.def."""
    return [(kind, name, [column.strip() for column in rest.split(",")[1:]])
            for kind, name, rest in re.findall(r"^([A-Z]+)\((\w+)(.*)\)$", text, re.MULTILINE)]


def word_of(operands, *names):
    """The word of the operand of one of these names or kinds; 0: there is none."""
    for word, operand in enumerate(operands, 1):
        if operand.get("name", "").strip("'") in names or operand["kind"] in names:
            return word
    return 0


STRUCTURE = ("Accel", "Acceleration Structure")


def expected_row(kind, operands):
    """The columns that follow from the grammar, by their places."""
    if kind == "TEXELS":
        names = (("Image", "Sampled Image"), ("Coordinate",), ("Component",), ("ImageOperands",))
        return {at: str(word_of(operands, *name)) for at, name in enumerate(names, 2)}
    if kind == "RAYS":
        return {0: str(word_of(operands, *STRUCTURE))}
    values = [operand for operand in operands if operand["kind"] == "IdRef"]
    many = any(operand.get("quantifier") == "*" for operand in values)
    return {0: "VKR_ALL_OPERANDS" if many else str(len(values))} if kind == "VALUE" else {}


def row_breaches(rows, newer, grammar):
    by_name = {entry["opname"]: entry for entry in grammar["instructions"]}
    by_number = {entry["opcode"]: entry for entry in grammar["instructions"]}
    kinds = {}
    for kind, name, columns in rows:
        entry = by_number.get(newer[name]) if name in newer else by_name.get(name.removeprefix("Spv"))
        if entry is None and name not in newer:
            yield f"opcodes.def: {name} is not in the grammar"
        if entry is None:
            continue
        kinds[entry["opcode"]] = kind
        for at, column in expected_row(kind, entry.get("operands", [])).items():
            if columns[at] != column:
                yield f"opcodes.def: {name} has {columns[at]} where the grammar has {column}"
    brought_by = brought_by_of(grammar)
    for entry in by_number.values():
        operands = entry.get("operands", [])
        traces = word_of(operands, *STRUCTURE) and not word_of(operands, "IdResult")
        wanted = {"ATOMIC"} if entry.get("class") == "Atomic" else {"RAYS", "UNLOGGED"} if traces else None
        if wanted and is_of_vulkan(entry.get("capabilities"), brought_by) and \
                kinds.get(entry["opcode"]) not in wanted:
            yield f"opcodes.def: {entry['opname']} is to be a row of {' or '.join(sorted(wanted))}"


def entries_of(text):
    """(pattern, reason) a line."""
    lines = [line.partition(" ") for line in text.splitlines() if line.strip() and line[0] != "#"]
    return [(pattern, reason.strip()) for pattern, _, reason in lines]


def is_of_vulkan(capabilities, brought_by, seen=()):
    """Whether any of these is Vulkan's, or implied by one that is."""
    return not capabilities or any(
        not FOREIGN.fullmatch(name) and name not in seen
        and is_of_vulkan(brought_by.get(name), brought_by, (*seen, name)) for name in capabilities)


def kinds_of(grammar):
    return {kind["kind"]: kind.get("enumerants", []) for kind in grammar["operand_kinds"]}


def brought_by_of(grammar):
    """The capabilities that each capability is implied by."""
    return {entry["enumerant"]: entry.get("capabilities") for entry in kinds_of(grammar)["Capability"]}


def wanted_of(grammar):
    """(names, opcode or None, names in the sources, its class in the list) of each; names are aliases."""
    kinds = kinds_of(grammar)
    brought_by = brought_by_of(grammar)
    found = {}
    for entry in grammar["instructions"]:
        if is_of_vulkan(entry.get("capabilities"), brought_by):
            found.setdefault(("Op", entry["opcode"], entry.get("class", "")), []).append(entry["opname"])
    for kind in KINDS:
        for entry in kinds.get(kind, []):
            if is_of_vulkan(entry.get("capabilities"), brought_by) and not entry["enumerant"].startswith("None"):
                found.setdefault((kind, entry["value"], ""), []).append(f"{kind}:{entry['enumerant']}")
    for (kind, value, group), names in found.items():
        yield (names, value if kind == "Op" else None,
               {name.replace(":", "") for name in names}, "class:" + group)


def breaches(sources, listed, newer, grammar):
    names, numbers = named_in(sources, newer)
    entries = entries_of(listed)
    for pattern, reason in entries:
        if not reason:
            yield f"no_access.txt: {pattern} has no reason"
    for aliases, opcode, own_names, group in wanted_of(grammar):
        is_named = bool(own_names & names) or opcode in numbers
        patterns = [pattern for pattern, _ in entries
                    if pattern == group or fnmatch.filter(aliases, pattern)]
        if not is_named and not patterns:
            yield f"no_access.txt: {aliases[0]} is neither handled nor listed"
        if is_named and set(aliases) & set(patterns):
            yield f"no_access.txt: {aliases[0]} is handled"


def main():
    folder, path = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    if not path.exists():
        print(f"{path}: not there")
        return 77
    grammar = json.loads(path.read_text())
    newer = newer_of((folder / "spirv_newer.h").read_text())
    found = list(breaches("".join((folder / name).read_text() for name in SOURCES),
                          (folder / "no_access.txt").read_text(), newer, grammar))
    found += row_breaches(rows_of((folder / "opcodes.def").read_text()), newer, grammar)
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
