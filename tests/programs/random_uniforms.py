# SPDX-License-Identifier: Apache-2.0
"""Random shaders whose accesses and control flow depend on words of a uniform buffer, which the host
has written before: read where they are used, by functions that are called in several places, and
from an array, by what an invocation or a turn of a loop chooses.

Knows nothing of vkrace.
"""
from random_shader import Shader, DATA, HOST_WORDS

PARAMS = 16 # words of the uniform buffer, `p0` and so on; `f0()` and so on return them


class Vector:
    """An element of the array of all words."""
    def __init__(self, words):
        self.x, self.y, self.z, self.w = words


class Uniforms(Shader):
    def __init__(self, seed):
        super().__init__(seed, False, False, 0)

    def make_head(self, coherent):
        super().make_head(coherent)
        self.add(0, f"layout(set = 0, binding = 2) uniform Params {{ uvec4 params[{PARAMS // 4}]; "
                    "};")
        for at in range(PARAMS):
            word = f"params[{at // 4}].{'xyzw'[at % 4]}"
            self.lines += [f"#define p{at} {word}", f"uint f{at}() {{ return {word}; }}"]

    def names(self):
        words = {f"p{at}": HOST_WORDS[DATA + at] for at in range(PARAMS)}
        calls = {f"f{at}": lambda at=at: HOST_WORDS[DATA + at] for at in range(PARAMS)}
        params = [Vector([HOST_WORDS[DATA + at + i] for i in range(4)]) for at in range(0, PARAMS, 4)]
        return {**words, **calls, "params": params}

    def chosen(self, value):
        return f"params[({value}) & {PARAMS // 4 - 1}].{self.random.choice('xyzw')}"

    def word(self):
        if self.random.random() < 0.25:
            return self.chosen(self.random.choice("lg"))
        return self.random.choice((f"p{self.random.randrange(PARAMS)}",
                                   f"f{self.random.randrange(PARAMS)}()"))

    def by_data(self, value, most):
        if self.random.random() < 0.4:
            return value
        return self.random.choice((f"{self.chosen(value)} % {most}",
                                   f"(({value}) + {self.word()}) % {most}",
                                   f"(({value}) * {self.word()}) % {most}",
                                   f"({self.word()} * 5 + {self.word()}) % {most}"))

    def condition(self, loop=False):
        if self.random.random() < 0.5:
            return super().condition(loop)
        return self.random.choice((f"{self.word()} > l", f"({self.word()} + g) % 3 == 1",
                                   f"{self.word()} < 14", f"l < {self.word()} % 8",
                                   f"{self.word()} % 4 == {self.word()} % 4 && g > 0"))

    def loop(self, divergent):
        if self.random.random() < 0.5:
            return super().loop(divergent)
        word = self.word()
        return self.random.choice((
            (f"for (uint k = 0; k < ({word} & 3); k++)", f"range({word} & 3)"),
            (f"for (uint k = {word} % 4; k < 6; k += 2)", f"range({word} % 4, 6, 2)")))
