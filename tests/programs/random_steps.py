# SPDX-License-Identifier: Apache-2.0
"""Random shaders whose loops have a few turns that nothing decides on but constants, and whose
accesses in loops follow from the turn: what a loop does is told by which way each turn took.

Knows nothing of vkrace.
"""
from random_shader import Shader, WORDS


class Steps(Shader):
    """Counters of loops are at most 16, so that indices need no bounds."""

    def __init__(self, seed):
        super().__init__(seed, False, False, 0)
        self.kinds = 6
        self.target = "vulkan1.1"

    def index(self, most, loop):
        if not loop:
            return super().index(most, loop)
        forms = ["l", "l", "k", f"{self.random.randrange(32)}"]
        if most >= WORDS:
            forms += ["l + k", "l + k", "l + k + 1", "l * 2", "k * 3", "l + 16 - k", "k * 2 + l"]
        return self.random.choice(forms)

    def loop(self, divergent):
        first, number = self.random.randrange(3), self.random.randrange(1, 7)
        return self.random.choice((
            ("for (uint k = 16; k > 0; k >>= 1)", "(16, 8, 4, 2, 1)"),
            ("for (uint k = 1; k < 16; k *= 2)", "(1, 2, 4, 8)"),
            ("for (uint k = 15; 0 != k; k /= 3)", "(15, 5, 1)"),
            ("for (uint k = 11; k > 2; k -= 3)", "(11, 8, 5)"),
            ("for (uint k = 2; k <= 16; k <<= 3)", "(2, 16)"),
            (f"for (uint k = {first}; k < {first + number}; k++)",
             f"range({first}, {first + number})")))
