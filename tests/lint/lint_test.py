#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Each rule of lint.py finds the breaches of a small tree that is wrong in every way."""
import pathlib
import tempfile
import unittest

import lint

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


if __name__ == "__main__":
    unittest.main()
