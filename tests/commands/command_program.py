# SPDX-License-Identifier: Apache-2.0
"""Programs of commands as lines of text, as play.h says. Knows no meaning."""


class Line:
    """An operation, its words, and the lines that belong to it."""

    def __init__(self, op, words=None, parts=None):
        self.op = op
        self.words = dict(words or {})
        self.parts = list(parts or [])

    def __getitem__(self, key):
        return self.words.get(key, 0)

    def copy(self):
        return Line(self.op, self.words, [part.copy() for part in self.parts])

    def text(self):
        words = " ".join(f"{key}={value:#x}" if value > 99 else f"{key}={value}"
                         for key, value in self.words.items())
        return f"{self.op} {words}".rstrip()


class Program:
    """A number, and lines."""

    def __init__(self, number, lines):
        self.number = number
        self.lines = lines

    def copy(self, number=None):
        return Program(self.number if number is None else number,
                       [line.copy() for line in self.lines])

    def text(self):
        rows = [f"program number={self.number}"]
        for line in self.lines:
            rows.append(line.text())
            rows += [f"+{part.text()}" for part in line.parts]
        return "\n".join(rows) + "\n"

    def shown(self):
        """As people read it: every line with its number."""
        rows = []
        for at, line in enumerate(self.lines, 1):
            rows.append(f"{at:4} {line.text()}")
            rows += [f"       + {part.text()}" for part in line.parts]
        return "\n".join(rows)


def parse(text):
    """Programs of a file."""
    programs = []
    for row in text.splitlines():
        if not row.strip():
            continue
        op, *words = row.split()
        line = Line(op.lstrip("+"), {key: int(value, 0) for key, value in
                                     (word.split("=") for word in words)})
        if op == "program":
            programs.append(Program(line["number"], []))
        elif op.startswith("+"):
            programs[-1].lines[-1].parts.append(line)
        else:
            programs[-1].lines.append(line)
    return programs
