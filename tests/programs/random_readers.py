# SPDX-License-Identifier: Apache-2.0
"""Random shaders without barriers that read through variables which they do not write through, of
descriptors that they also write through: whose reads of the same bytes are logged of two
invocations, and where any invocation may be the one that writes. Knows nothing of vkrace."""
from random_shader import DATA, HEADERS, ITEM_WORDS, Shader


class Readers(Shader):
    has_barriers = False

    def __init__(self, seed):
        super().__init__(seed, True, False, 0)

    def make_head(self, coherent):
        super().make_head(coherent)
        qualifier = self.random.choice(("", HEADERS[self.model][1]))
        self.lines += [f"layout(set = 0, binding = 0) {qualifier}readonly buffer Seen "
                       "{ Item seen_items[]; };",
                       f"layout(set = 0, binding = 1) {qualifier}readonly buffer SeenWords "
                       "{ uint seen_words[]; };"]

    def access(self, loop):
        if self.random.random() < 0.5:
            return self.led_to(loop)
        text, accesses = super().access(loop)
        if self.random.random() < 0.8:
            for name in ("items", "words"):
                text = text.replace(f"sum += {name}[", f"sum += seen_{name}[")
        return text, accesses

    def led_to(self, loop):
        """A read of what words in memory lead to, and the invocation, or how often the loop has
        been gone through."""
        value = f"words[{DATA} + {self.random.choice(('l', 'g', 'g * 4 + l', '7'))}]"
        more = self.random.choice(("0", "0", "3", "l", "g * 8", *(("k", "k") if loop else ())))
        if self.random.random() < 0.3:
            word, number = self.random.choice(((".a", 0), (".b.y", 3), (".c[1]", 5)))
            index = f"{value} + {self.random.randrange(3)}"
            return (f"sum += seen_items[{index}]{word};",
                    [("read", "items", f"({index}) * {ITEM_WORDS} + {number}", 1)])
        index = f"{value} + {more}"
        return f"sum += seen_words[{index}];", [("read", "words", index, 1)]
