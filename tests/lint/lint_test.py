#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule of lint.py finds the breaches of a small tree that is wrong in every way; spirv_grammar.py
what is missing of a small grammar."""
import pathlib
import tempfile
import unittest

import lint
import spirv_grammar

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
    "layer/hooks.c": SPDX + '#include "rewrite.h"\n#include "map.h"\n',
    "layer/map.h.in": "",
    "tests/a/twin.comp": SPDX,
    "tests/b/twin.comp": SPDX + "// XX" + "X later\n",
    "tests/b/CMakeLists.txt": "",
    "tests/a/CMakeLists.txt": "",
    "tests/bare.c": "int x;\n",
    "run": "#!/bin/sh\nexit 0\n",
    "tests/long.py": "# SPDX-License-Identifier: Apache-2.0\n" * 601,
    "layer/long.def": SPDX * 601,
    "tests/table.c": SPDX + "int f(void)\n{\n" + "\tg();\n" * 60 + "}\n",
    "tests/tale.c": SPDX + "int f(void)\n{\n" + "\tg();\n" * 61 + "}\n",
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

    def test_length(self):
        self.assertEqual(self.breaches(lint.length), [("tests/long.py", 601)])

    def test_functions(self):
        self.assertEqual(self.breaches(lint.functions), [("tests/tale.c", 3)])

    def test_names(self):
        self.assertEqual(self.breaches(lint.names), [("tests/b/twin.comp", 1)])

    def test_notes(self):
        self.assertEqual(self.breaches(lint.notes), [("tests/b/twin.comp", 2)])


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
        ],
        "operand_kinds": [
            {"kind": "Capability", "enumerants": [{"enumerant": "Kernel", "value": 6}]},
            {"kind": "StorageClass", "enumerants": [{"enumerant": "Uniform", "value": 2},
                                                    {"enumerant": "Missed", "value": 3}]},
        ],
    }

    def test_missing(self):
        sources = "case SpvOpLoad: case SpvOpAlias: SpvStorageClassUniform; enum { OP_NEWER_LOAD = 9000 };"
        listed = "# A list.\nclass:Arithmetic  values\nOpLoad  nothing\nOpOther*\n"
        self.assertEqual(list(spirv_grammar.breaches(sources, listed, self.GRAMMAR)), [
            "no_access.txt: OpOther* has no reason",
            "no_access.txt: OpLoad is handled",
            "no_access.txt: OpMissed is neither handled nor listed",
            "no_access.txt: StorageClass:Missed is neither handled nor listed",
        ])


if __name__ == "__main__":
    unittest.main()
