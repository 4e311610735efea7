#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule of lint.py finds the breaches of a small tree that is wrong in every way; spirv_grammar.py
what is missing of a small grammar; symbols.py the circles of a few units."""
import pathlib
import tempfile
import unittest

import lint
import spirv_grammar
import symbols

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
TREE = {
    "include/vkrace/site.h": SPDX,
    "runtime/base/map.h": SPDX,
    "runtime/engine/clock.h": SPDX + '#include "map.h"\n#include "vkrace/site.h"\n',
    "runtime/engine/judge.c": SPDX + '#include "clock.h"\n#include "reader.h"\n',
    "runtime/engine/order.c": SPDX + '#include "gone.h"\n#include <vulkan/vulkan.h>\n',
    "runtime/trace/reader.h": SPDX,
    "runtime/model/model.c": SPDX + '#include "rewrite.h"\n#include <vulkan/vulkan.h>\n',
    "instrument/rewrite.h": SPDX,
    "runtime/model/steps.c": SPDX + "static inline struct map *find(int x)\nstatic int find_it(void)\n"
                             + "static int counts[3];\n",
    "tests/steps_test.c": SPDX + "static void find(void)\n",
    "layer/hooks.c": SPDX + '#include "rewrite.h"\n#include "map.h"\n',
    "layer/map.h.in": "",
    "tests/a/twin.comp": SPDX,
    "tests/b/twin.comp": SPDX + "// XX" + "X later\n",
    "tests/b/CMakeLists.txt": "",
    "tests/a/CMakeLists.txt": "",
    "tests/bare.c": "int x;\n",
    "run": "#!/bin/sh\nexit 0\n",
    "layer/long.h": SPDX * 251,
    "layer/long.c": SPDX * 251,
    "runtime/trace/trace.h": SPDX * 251,
    "tests/large.h": SPDX + "struct pair { int x; };\n/* a; b; */\nstruct large {\n"
                     + "\tint a; // b;\n" * 39 + "\tint (*call)(int, int), c;\n};\n"
                     + "struct fits {\n" + "\tint a, b;\n" * 20 + "};\n",
    "tests/tags.c": SPDX + "struct vkr_thing {\n\tint a;\n};\nstruct step {\n\tint a;\n};\n",
    "tests/twice.c": SPDX + "struct step {\n\tint a;\n};\nunion vkr_thing {\n\tint a;\n};\n",
    "tests/puzzles.c": SPDX + "// Knows what of it.\nint a; // likewise\n\n// It is clear.\n// The same\n"
                       + "// The " + "same again.\nint b;\n\n// Of so\n// many words.\nint c;\n",
    "docs/page.md": "# A page: two words\n\n`site.h`, `runtime/base/*.h`, `instrument/`, `build/x`,\n"
                    "`vkr_thing`, `gone.h`, `VKRACE_GONE=1`\n"
                    "[a](page.md#a-page-two-words) [b](page.md#b) [c](../gone.md)\n",
    "tests/cases/input.comp": "#version 450\n",
    "build/x/bare.c": "int x;\n",
    "build-mine/twin.comp": "",
}


class LintTest(unittest.TestCase):
    def breaches(self, rule):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in TREE.items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return [(path.relative_to(root).as_posix(), line) for path, line, _ in rule(root)]

    def test_floors(self):
        self.assertEqual(self.breaches(lint.floors), [
            ("runtime/engine/judge.c", 3), ("runtime/engine/order.c", 2),
            ("runtime/engine/order.c", 3), ("runtime/model/model.c", 2)])

    def test_licence(self):
        self.assertEqual(self.breaches(lint.licence), [("run", 2), ("tests/bare.c", 1)])

    def test_headers(self):
        self.assertEqual(self.breaches(lint.headers),
                         [("include/vkrace/site.h", 1), ("layer/long.h", 251)])

    def test_members(self):
        self.assertEqual(self.breaches(lint.members), [("tests/large.h", 4)])

    def test_tags(self):
        self.assertEqual(self.breaches(lint.tags), [("tests/twice.c", 5)])

    def test_names(self):
        self.assertEqual(self.breaches(lint.names),
                         [("runtime/model/steps.c", 2), ("tests/b/twin.comp", 1)])

    def test_documents(self):
        self.assertEqual(self.breaches(lint.documents), [
            ("docs/page.md", 4), ("docs/page.md", 4), ("docs/page.md", 5), ("docs/page.md", 5)])

    def test_english(self):
        self.assertEqual(self.breaches(lint.english), [
            ("tests/puzzles.c", 1), ("tests/puzzles.c", 3), ("tests/puzzles.c", 10)])

    def test_notes(self):
        self.assertEqual(self.breaches(lint.notes), [("tests/b/twin.comp", 2)])


class SymbolsTest(unittest.TestCase):
    LISTING = """a.o: vkr_a T 0 1
a.o: vkr_b U
a.o: malloc U
b.o: vkr_b T 0 1
b.o: vkr_c U
b.o: main T 0 1
c.o: vkr_c D 0 1
c.o: vkr_a U
c.o: _ZN3stdE W 0 1
d.o: vkr_d T 0 1
d.o: vkr_a U
d.o: vkr_c T 0 1
d.o: main T 0 1
"""
    UNITS = symbols.read_symbols(LISTING, {f"{name}.o": f"{name}.c" for name in "abcd"})
    CIRCLE = {name: unit for name, unit in UNITS.items() if name != "d.c"}

    def test_circles(self):
        self.assertEqual(list(symbols.circles(self.CIRCLE, [])), [
            "a new circle of a.c b.c c.c", "  a.c uses vkr_b of b.c", "  b.c uses vkr_c of c.c",
            "  c.c uses vkr_a of a.c"])
        self.assertEqual(list(symbols.circles(self.CIRCLE, [{"a.c", "b.c"}])), [
            "a new circle of a.c b.c c.c", "  c.c uses vkr_a of a.c"])
        self.assertEqual(list(symbols.circles(self.CIRCLE, [{"a.c", "b.c", "c.c"}])), [])

    def test_accepted(self):
        text = "# A list.\n\nbecause of it\na.c\nb.c\n\nbecause of that\nd.c\ne.c\n"
        accepted = list(symbols.read_accepted(text))
        self.assertEqual(accepted, [{"a.c", "b.c"}, {"d.c", "e.c"}])
        self.assertEqual(list(symbols.circles({"a.c": (set(), set())}, accepted[:1])),
                         ["circles.txt: there is no unit b.c"])

    def test_externals(self):
        self.assertEqual(list(symbols.externals(self.UNITS)), ["d.c: vkr_c is also defined by c.c"])


class SpirvGrammarTest(unittest.TestCase):
    GRAMMAR = {
        "instructions": [
            {"opname": "OpLoad", "opcode": 61, "class": "Memory"},
            {"opname": "OpIAdd", "opcode": 128, "class": "Arithmetic"},
            {"opname": "OpNewerLoad", "opcode": 9000, "class": "Memory"},
            {"opname": "OpAliasKHR", "opcode": 9001, "class": "Memory"},
            {"opname": "OpAlias", "opcode": 9001, "class": "Memory"},
            {"opname": "OpPipe", "opcode": 9002, "class": "Memory", "capabilities": ["Kernel"]},
            {"opname": "OpMissed", "opcode": 9003, "class": "Memory"},
            {"opname": "OpAtomicLoad", "opcode": 227, "class": "Atomic"},
            {"opname": "OpTrace", "opcode": 9004, "operands": [
                {"kind": "IdRef", "name": "'Query'"}, {"kind": "IdRef", "name": "'Accel'"}]},
            {"opname": "OpImageRead", "opcode": 98, "class": "Image", "operands": [
                {"kind": "IdResultType"}, {"kind": "IdResult"}, {"kind": "IdRef", "name": "'Image'"},
                {"kind": "IdRef", "name": "'Coordinate'"}, {"kind": "ImageOperands", "quantifier": "?"}]},
            {"opname": "OpSelect", "opcode": 169, "class": "Relational_and_Logical", "operands": [
                {"kind": "IdResultType"}, {"kind": "IdRef"}, {"kind": "IdRef"}, {"kind": "IdRef"}]},
        ],
        "operand_kinds": [
            {"kind": "Capability", "enumerants": [{"enumerant": "Kernel", "value": 6}]},
            {"kind": "StorageClass", "enumerants": [{"enumerant": "Uniform", "value": 2},
                                                    {"enumerant": "Missed", "value": 3}]},
        ],
    }

    NEWER = spirv_grammar.newer_of("enum {\n\tVKR_OP_NEWER_LOAD = 9000,\n\tVKR_OP_UNKNOWN = 9999,\n};\n")

    def test_rows(self):
        text = "TEXELS(SpvOpImageRead, LOAD, FORM, 3, 4, 0, 5, 0)\nVALUE(SpvOpSelect, 2, 0, 0)\n" \
               "RAYS(VKR_OP_UNKNOWN, 1, 0)\nOTHER(SpvOpGone, 0, 0)\n"
        self.assertEqual(list(spirv_grammar.row_breaches(spirv_grammar.rows_of(text), self.NEWER, self.GRAMMAR)), [
            "opcodes.def: SpvOpSelect has 2 where the grammar has 3",
            "opcodes.def: SpvOpGone is not in the grammar",
            "opcodes.def: OpAtomicLoad is to be a row of ATOMIC",
            "opcodes.def: OpTrace is to be a row of RAYS or UNLOGGED",
        ])

    def test_missing(self):
        sources = "case SpvOpLoad: case SpvOpAlias: SpvStorageClassUniform; case VKR_OP_NEWER_LOAD:"
        listed = "# A list.\nclass:Arithmetic  values\nclass:Image  x\nclass:Atomic  x\nOpSelect  x\n" \
                 "OpTrace  x\nOpLoad  nothing\nOpOther*\n"
        self.assertEqual(list(spirv_grammar.breaches(sources, listed, self.NEWER, self.GRAMMAR)), [
            "no_access.txt: OpOther* has no reason",
            "no_access.txt: OpLoad is handled",
            "no_access.txt: OpMissed is neither handled nor listed",
            "no_access.txt: StorageClass:Missed is neither handled nor listed",
        ])


if __name__ == "__main__":
    unittest.main()
