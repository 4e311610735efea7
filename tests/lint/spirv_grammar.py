#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every instruction of SPIR-V's grammar that Vulkan has is known: spirv_grammar.py INSTRUMENT_FOLDER GRAMMAR.

Known is what the sources name that say what instructions access, or no_access.txt with a reason; so
are the enumerants of what accesses depend on. Prints each breach as FILE: text. Exit status: 0 none,
1 some, 77 there is no grammar.
"""
import fnmatch
import json
import pathlib
import re
import sys

# Which memory an instruction touches, and how.
SOURCES = ("address.c", "fragment_end.c", "image_use.c", "interlock.c", "matrix_use.c", "memory_order.c",
           "pointer_bases.c", "pointer_forms.c", "pointer_forms.h", "shader_calls.c",
           "shader_extensions.c", "spirv_module.c", "analysis.c", "analysis_accesses.c", "analysis_images.c",
           "analysis_outputs.c", "analysis_segments.c")
KINDS = ("StorageClass", "MemoryAccess", "ImageOperands", "MemorySemantics", "Scope", "Dim",
         "CooperativeMatrixLayout")
# Capabilities that Vulkan has not (Vulkan, appendix "Vulkan Environment for SPIR-V").
FOREIGN = re.compile(r"Kernel|Addresses|Linkage|Vector16|Pipes|DeviceEnqueue|AtomicStorage|"
                     r"GenericPointer|Groups|NamedBarrier|SubgroupDispatch|.*(INTEL|ALTERA)")


def named_in(text):
    """Names of instructions and enumerants, and numbers of what older headers do not name."""
    return (set(re.findall(r"\bSpv(\w+?)(?:Mask)?\b", text)),
            {int(number) for number in re.findall(r"\b(?:VKR_)?OP_\w+ = (\d+)", text)})


def entries_of(text):
    """(pattern, reason) a line."""
    lines = [line.partition(" ") for line in text.splitlines() if line.strip() and line[0] != "#"]
    return [(pattern, reason.strip()) for pattern, _, reason in lines]


def is_of_vulkan(capabilities, brought_by, seen=()):
    """Whether any of these is Vulkan's, or implied by one that is."""
    return not capabilities or any(
        not FOREIGN.fullmatch(name) and name not in seen
        and is_of_vulkan(brought_by.get(name), brought_by, (*seen, name)) for name in capabilities)


def wanted_of(grammar):
    """(names, opcode or None, names in the sources, its class in the list) of each; names are aliases."""
    kinds = {kind["kind"]: kind.get("enumerants", []) for kind in grammar["operand_kinds"]}
    brought_by = {entry["enumerant"]: entry.get("capabilities") for entry in kinds["Capability"]}
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


def breaches(sources, listed, grammar):
    names, numbers = named_in(sources)
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
    found = list(breaches("".join((folder / name).read_text() for name in SOURCES),
                          (folder / "no_access.txt").read_text(), json.loads(path.read_text())))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
