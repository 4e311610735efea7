# SPDX-License-Identifier: Apache-2.0
"""Random shaders as text, and which of their lines race: each is run here, access by access.

Knows nothing of vkrace.
"""
import itertools
import random

ITEMS = 32        # of the first buffer
ITEM_WORDS = 6    # struct Item { uint a; uvec2 b; uint c[2]; }, std430
WORDS = 64        # of the second buffer and of the shared array
OWN = 256         # where each invocation has a word of its own behind these
WIDE = 32         # numbers of 64 bits, and floats, in the same buffer
FAR = 64          # words of the first buffer that only a device address leads to
FAR_ADDRESS = 504 # of the second buffer: where the host has written that
DATA = 384        # of the second buffer: where 64 words that the host has written begin
HOST_WORDS = {DATA + at: (at * at * 7 + 3 * at) % 29 for at in range(64)}
SCALED = 448      # of the second buffer: up to FAR_ADDRESS, where factors in memory lead to
SMALL = 64        # bytes of the first buffer that numbers of 8 and 16 bits share
MATRICES = 8      # of each layout, behind them
BUFFERS = {"items", "words", "wide", "real", "far", "small", "columns", "rows"}
IMAGES = ("one", "other") # texel buffers of as many words as the second buffer
TEXELS = (*IMAGES, "flat") # and an image, where shaders have one
# Near ones are of subgroup scope, group ones of workgroup scope.
ATOMICS = {"atomic", "failed", "near atomic", "group atomic"}
MODELS = ("vulkan", "vulkan_private", "legacy")

HEADERS = {
    "vulkan": ("#extension GL_KHR_memory_scope_semantics : require\n"
               "#pragma use_vulkan_memory_model\n", "workgroupcoherent "),
    "vulkan_private": ("#extension GL_KHR_memory_scope_semantics : require\n"
                       "#pragma use_vulkan_memory_model\n", ""),
    "vulkan_near": ("#extension GL_KHR_memory_scope_semantics : require\n"
                    "#pragma use_vulkan_memory_model\n", "subgroupcoherent "),
    "legacy": ("", "coherent "),
}


def python(text):
    """A condition of GLSL."""
    for old, new in (("&&", " and "), ("||", " or "), ("!(", " not (")):
        text = text.replace(old, new)
    return text


def clamp(value, least, most):
    return min(max(value, least), most)


class Shader:
    """A block is a list of statements: ("one", line, accesses), ("if", condition, block),
    ("loop", values of k, block), ("barrier", classes), ("subgroup barrier", classes),
    ("return", condition), ("break", condition),
    ("continue", condition), ("switch", value, blocks), the last one for all other values,
    ("let", name, value)."""
    stage = "comp"
    has_barriers = True

    def __init__(self, seed, data, images, types):
        self.random = random.Random(seed)
        self.data = data # accesses and control flow depend on what the host has written
        self.images = images
        self.types = types # the size of a subgroup; 0: no such types, and no such barriers
        self.image_lines = {} # of the functions that load and store texels
        self.name = f"s{seed}"
        self.model = self.random.choice(MODELS)
        self.size = self.random.choice(((8, 1), (16, 1), (4, 4), (32, 1)))
        self.local = self.size[0] * self.size[1]
        self.kinds = 10 if self.random.random() < 0.5 else 6
        self.lines = []
        self.block = []
        self.values = [] # of variables that indices may have
        self.target = "vulkan1.2" if self.kinds > 6 or types else "vulkan1.1"

    # -- Text ------------------------------------------------------------------------------------

    def index(self, most, loop):
        number = self.random.randrange
        forms = ["l", "g * W + l", f"l + {number(8)}", f"l ^ {1 << number(3)}", f"l >> {number(3)}",
                 f"l * {number(1, 4)} + g * {number(0, 40)} + {number(4)}", f"{number(most)}",
                 f"g * {number(1, 20)} + l", "W - 1 - l", f"(l * {number(1, 9)}) & 15"]
        forms += self.values
        if loop:
            forms += ["l + k", f"l * {number(1, 4)} + k", "g * W + l + k * W", "k"]
        if loop and number(2): # within bounds: how often the loop was gone through tells it
            few = ("k",) if most >= ITEMS else (f"k % {most}",)
            return self.random.choice(few if most < WORDS else
                                      ("k", "l + k", "k * 2", "k + 9", "l + k + 1"))
        return self.by_data(f"({self.random.choice(forms)}) % {most}", most)

    def by_data(self, value, most):
        """The value, or one that it leads to."""
        if not self.data or self.random.random() < 0.5:
            return value
        return f"(words[{DATA} + ({value}) % 64]) % {most}"

    def place(self, loop):
        """Where an access goes: text, object, and an expression of its first word; words."""
        kind = self.random.randrange(self.kinds)
        if kind == 6:
            index = self.index(WIDE, loop)
            return f"wide[{index}]", "wide", f"({index}) * 2", 2
        if kind == 7:
            index = self.index(WIDE, loop)
            return f"real[{index}]", "real", index, 1
        if kind > 7:
            index = self.index(FAR, loop)
            return f"far.w[{index}]", "far", index, 1
        if kind == 0:
            index = self.index(ITEMS, loop)
            member, word, words = self.random.choice(
                ((".a", 0, 1), (".b", 2, 2), (".b.y", 3, 1), (".c[0]", 4, 1), (".c[1]", 5, 1)))
            return f"items[{index}]{member}", "items", f"({index}) * {ITEM_WORDS} + {word}", words
        index = self.index(WORDS, loop)
        if kind < 3:
            return f"words[{index}]", "words", index, 1
        # An array of specialized size takes no constant index.
        return f"tile[{index}{' + g * 0' if self.types else ''}]", "tile", index, 1

    def access(self, loop):
        """A statement's text and its accesses: kind, object, first word, words, and the line where
        it is another one than the statement's."""
        if self.images and self.random.random() < 0.4:
            return self.image_access(loop)
        if self.types and self.random.random() < 0.5:
            return self.typed_access(loop)
        text, memory, word, words = self.place(loop)
        kind = self.random.choice(("read", "read", "write", "write", "atomic", "bump", "copy",
                                   "failed", "failed") if self.kinds > 6 else
                                  ("read", "read", "write", "write", "atomic", "bump", "copy"))
        if kind == "copy": # of a structure: all but its padding
            to, start = (self.index(ITEMS, loop) for _ in range(2))
            return f"items[{to}] = items[{start}];", [
                (kind, "items", f"({index}) * {ITEM_WORDS} + {word}", words)
                for kind, index in (("read", start), ("write", to))
                for word, words in ((0, 1), (2, 4))]
        if memory in ("wide", "real"):
            return self.number_access(kind, text, memory, word, words)
        if words > 1 and kind in ("atomic", "bump", "failed"):
            kind = "write"
        if kind == "failed": # no word is ever this: it only reads
            order = "" if self.model == "legacy" else ", gl_ScopeQueueFamily, 0, 0, 0, 0"
            return (f"sum += atomicCompSwap({text}, 0xfedcba98u, sum{order});",
                    [(kind, memory, word, 1)])
        if kind == "read": # of a vector: a component
            return f"sum += {text}{'.x' if words > 1 else ''};", [(kind, memory, word, 1)]
        if kind == "write":
            return (f"{text} = {'uvec2(sum)' if words > 1 else 'sum'};",
                    [(kind, memory, word, words)])
        if kind == "bump": # by a function
            return f"bump({text});", [("read", memory, word, 1), ("write", memory, word, 1)]
        order = "" if self.model == "legacy" else ", gl_ScopeQueueFamily, 0, 0"
        return f"atomicAdd({text}, 1u{order});", [(kind, memory, word, 1)]

    def image_access(self, loop):
        memory, index = self.random.choice(IMAGES), self.index(WORDS, loop)
        kind = self.random.choice(("read", "write"))
        if self.random.random() < 0.3:
            return (f"sum += imageLoad({memory}, int({index})).x;" if kind == "read" else
                    f"imageStore({memory}, int({index}), uvec4(sum));",
                    [(kind, memory, index, 1)])
        return (f"sum += load({memory}, int({index}));" if kind == "read" else
                f"store({memory}, int({index}), sum);",
                [(kind, memory, index, 1, self.image_lines[kind])])

    def typed_access(self, loop):
        """An access to a small number, in bytes, or to a matrix, in words."""
        write = self.random.random() < 0.5
        kind = "write" if write else "read"
        form = self.random.randrange(6)
        if form < 3:
            bytes_, name, number = ((1, "tiny", "uint8_t"), (2, "halves", "uint16_t"),
                                    (4, "quads", "u8vec4"))[form]
            index = self.index(SMALL // bytes_, loop)
            text, read = f"{name}[{index}]", ".z" if bytes_ == 4 else ""
            if not write and bytes_ == 4: # a component
                return f"sum += uint({text}{read});", [(kind, "small", f"({index}) * 4 + 2", 1)]
            return (f"{text} = {number}(sum);" if write else f"sum += uint({text});",
                    [(kind, "small", f"({index}) * {bytes_}", bytes_)])
        memory, index = self.random.choice(("columns", "rows")), self.index(MATRICES, loop)
        column, row = self.random.randrange(2), self.random.randrange(2)
        text, first = f"{memory}[{index}]", f"({index}) * 4"
        words = [(column * 2 + row, 1) if memory == "columns" else (row * 2 + column, 1)]
        if form == 3:
            text, value, part, words = text, "mat2(float(sum))", "[1][0]", [(0, 4)]
            if not write: # an element
                words = [(2, 1) if memory == "columns" else (1, 1)]
        elif form == 4:
            text, value, part = f"{text}[{column}]", "vec2(float(sum))", ".x"
            words = [(column * 2, 2)] if memory == "columns" else [(column, 1), (2 + column, 1)]
            if not write:
                words = [(column * 2, 1)] if memory == "columns" else [(column, 1)]
        else:
            text, value, part = f"{text}[{column}][{row}]", "float(sum)", ""
        return (f"{text} = {value};" if write else f"sum += uint({text}{part});",
                [(kind, memory, f"{first} + {word}", count) for word, count in words])

    def number_access(self, kind, text, memory, word, words):
        """An access to a number of 64 bits, or to a float."""
        order = "" if self.model == "legacy" else ", gl_ScopeQueueFamily, 0, 0"
        number = "uint64_t(sum)" if memory == "wide" else "float(sum)"
        if kind in ("read", "bump", "failed"):
            return f"sum += uint({text});", [("read", memory, word, words)]
        if kind == "write":
            return f"{text} = {number};", [("write", memory, word, words)]
        function = self.random.choice(("atomicAdd", "atomicExchange"))
        return f"{function}({text}, {number}{order});", [("atomic", memory, word, words)]

    def scaled(self):
        """An access whose offset is, with nothing that wraps it, a value in memory times what an
        invocation is, and more of that. What is random of it changes nothing of the rest."""
        own = random.Random(self.name)
        number = own.choice((f"{own.randrange(64)}", "g", "l"))
        value = f"(words[{DATA} + {number}] & {1 if self.local > 16 else 3})"
        terms = own.choice((f"{value} * l + g", f"{value} * g + l", f"g + (l + 1) * {value}"))
        index = f"{SCALED} + {terms}"
        if own.random() < 0.3:
            return "one", self.add(1, f"sum += words[{index}];"), [("read", "words", index, 1)]
        return "one", self.add(1, f"words[{index}] = sum;"), [("write", "words", index, 1)]

    def barrier(self):
        if self.images and self.random.random() < 0.5:
            return self.image_barrier()
        if self.model == "legacy":
            return self.random.choice(
                (("barrier();", {"tile"}),
                 ("memoryBarrierBuffer(); barrier(); memoryBarrierBuffer();",
                  {"tile", *BUFFERS})))
        semantics, classes = self.random.choice(
            (("gl_StorageSemanticsShared", {"tile"}),
             ("gl_StorageSemanticsBuffer", BUFFERS),
             ("gl_StorageSemanticsBuffer | gl_StorageSemanticsShared",
              {"tile", *BUFFERS})))
        return (f"controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, {semantics}, "
                "gl_SemanticsAcquireRelease);"), classes

    def subgroup_barrier(self):
        if self.model == "legacy":
            return "subgroupBarrier();", {"tile", *BUFFERS, *TEXELS}
        semantics, classes = self.random.choice(
            (("gl_StorageSemanticsShared", {"tile"}),
             ("gl_StorageSemanticsBuffer | gl_StorageSemanticsShared", {"tile", *BUFFERS})))
        return (f"controlBarrier(gl_ScopeSubgroup, gl_ScopeSubgroup, {semantics}, "
                "gl_SemanticsAcquireRelease);"), classes

    def image_barrier(self):
        if self.model == "legacy":
            return self.random.choice(
                (("memoryBarrierImage(); barrier(); memoryBarrierImage();", {"tile", *TEXELS}),
                 ("memoryBarrier(); barrier(); memoryBarrier();", {"tile", *BUFFERS, *TEXELS})))
        semantics, classes = self.random.choice(
            (("gl_StorageSemanticsImage", TEXELS),
             ("gl_StorageSemanticsImage | gl_StorageSemanticsBuffer", {*TEXELS, *BUFFERS})))
        return (f"controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, {semantics}, "
                "gl_SemanticsAcquireRelease);"), classes

    def add(self, depth, source):
        self.lines.append("\t" * depth + source)
        return len(self.lines)

    def condition(self, loop=False):
        forms = ["l < 4", "(l & 1) == 0", "g == 0", "l == W - 1", "(l + g) % 3 == 1",
                 "l > 2 && g * W + l < 40", "g == 1 || l >= 5", "!(l * 3 < g * 20)",
                 "abs(int(l) - 4) <= int(g)", "clamp(l, 1, 3) == max(g, 2)"]
        if loop:
            forms += ["k == 2", "k > l", "(k + g & 1) == 0"]
        if self.data:
            forms += [f"words[{DATA} + {self.random.choice(('l', 'g', 'l % 4 + g'))}] % 3 == 1",
                      f"words[{DATA} + g * 5] > l", f"words[{DATA} + l] > 9 && (l & 1) == 0"]
        if self.data and loop:
            forms += [f"words[{DATA} + k] > 12", f"words[{DATA} + k + l] == 3"]
        return self.random.choice(forms)

    def loop(self, divergent):
        """A loop's head, and the values of k."""
        number = self.random.randrange(1, 4)
        heads = [(f"for (uint k = 0; k < {number}; k++)", f"range({number})"),
                 (f"for (uint k = 8; k > {number}; k >>= 1)",
                  f"[k for k in (8, 4, 2) if k > {number}]"),
                 (f"for (uint k = g; k < g + {number}; k++)", f"range(g, g + {number})")]
        if divergent:
            heads += [("for (uint k = l; k < W; k += 5)", "range(l, W, 5)"),
                      ("for (uint k = 0; k < l % 3; k++)", "range(l % 3)")]
        if divergent and self.data:
            most = f"words[{DATA} + (l + g) % 64] & 3"
            heads += [(f"for (uint k = 0; k < ({most}); k++)", f"range({most})")]
        return self.random.choice(heads)

    def make_switch(self, depth, loop):
        value = self.by_data(self.random.choice(("l % 4", "g", "(l >> 1) & 3")), 4)
        self.add(depth, f"switch ({value}) {{")
        blocks = []
        for case in ("case 0:", "case 2:", "default:"):
            self.add(depth, case)
            blocks.append(self.make_block(depth + 1, loop, True))
            self.add(depth + 1, "break;")
        self.add(depth, "}")
        return ("switch", value, dict(zip((0, 2, None), blocks)))

    def make_loop(self, depth, divergent):
        apart = divergent or self.random.random() < 0.5 # no barriers in it
        head, values = self.loop(apart)
        self.add(depth, f"{head} {{")
        leaves = []
        if apart and self.random.random() < 0.4:
            leave, condition = self.random.choice(("break", "continue")), self.condition(True)
            self.add(depth + 1, f"if ({condition}) {leave};")
            leaves = [(leave, condition)]
        block = self.make_block(depth + 1, True, apart)
        self.add(depth, "}")
        return ("loop", values, leaves + block)

    def statement(self, depth, loop, _divergent):
        source, accesses = self.access(loop)
        return "one", self.add(depth, source), accesses

    def make_block(self, depth, loop, divergent):
        block = []
        for _ in range(self.random.randrange(2, 5) if depth == 1 else
                       self.random.randrange(1, 3)):
            form = self.random.randrange(9)
            if form == 0 and depth < 3:
                condition = self.condition(loop)
                self.add(depth, f"if ({condition}) {{")
                block.append(("if", condition, self.make_block(depth + 1, loop, True)))
                self.add(depth, "}")
            elif form <= 2 and not loop:
                block.append(self.make_loop(depth, divergent))
            elif form == 3 and depth < 3:
                block.append(self.make_switch(depth, loop))
            else:
                block.append(self.statement(depth, loop, divergent))
            if not divergent and self.random.random() < 0.4:
                near = self.types and self.random.random() < 0.5
                source, classes = self.subgroup_barrier() if near else self.barrier()
                self.add(depth, source)
                block.append(("subgroup barrier" if near else "barrier", classes))
        return block

    def make_head(self, coherent):
        self.lines += [
            f"layout(local_size_x = {self.size[0]}, local_size_y = {self.size[1]}) in;",
            "struct Item { uint a; uvec2 b; uint c[2]; };",
            f"layout(set = 0, binding = 0) {coherent}buffer Items {{ Item items[]; }};",
            *(self.numbers(coherent) if self.kinds > 6 else
              [f"layout(set = 0, binding = 1) {coherent}buffer Words {{ uint words[]; }};"]),
            *(self.typed(coherent) if self.types else []),
            f"shared uint tile[{'TILE' if self.types else WORDS}];", "void bump(inout uint word) { word += 3; }"]
        if self.images:
            self.add_images(coherent)

    def where(self):
        """The names of where an invocation is."""
        return (f"\tconst uint W = {self.local}, l = gl_LocalInvocationIndex, "
                "g = gl_WorkGroupID.x;")

    def ends(self):
        """How some invocations end before others."""
        return "return"

    def make(self):
        extension, coherent = HEADERS[self.model]
        self.lines = ["#version 450", *extension.splitlines()]
        self.make_head(coherent)
        self.lines += ["void main()", "{", self.where(), "\tuint sum = l;"]
        if self.kinds > 6:
            self.lines.append(f"\tFar far = Far(uvec2(words[{FAR_ADDRESS}], "
                              f"words[{FAR_ADDRESS + 1}]));")
        self.block = self.make_block(1, False, not self.has_barriers)
        if self.random.random() < 0.3: # some invocations end before others
            condition = self.condition()
            self.add(1, f"if ({condition}) {self.ends()};")
            self.block.append(("return", condition))
            source, accesses = self.access(False)
            self.block.append(("one", self.add(1, source), accesses))
        if self.data and self.stage == "comp":
            self.block.append(self.scaled())
        self.add(1, f"words[{OWN} + g * W + l] = sum;")
        self.add(0, "}")
        return "\n".join(self.lines) + "\n"

    def assemble(self, _path):
        """Changes the compiled module, where what it shows cannot be said in GLSL."""

    def add_images(self, coherent):
        self.lines.insert(1, "#extension GL_EXT_shader_image_load_formatted : require")
        for binding, name in enumerate(IMAGES):
            self.add(0, f"layout(set = 1, binding = {binding}) uniform {coherent}uimageBuffer "
                     f"{name};")
        self.image_lines = {
            "read": self.add(0, f"uint load({coherent}uimageBuffer of, int at) "
                             "{ return imageLoad(of, at).x; }"),
            "write": self.add(0, f"void store({coherent}uimageBuffer of, int at, uint value) "
                              "{ imageStore(of, at, uvec4(value)); }")}

    def typed(self, coherent):
        """The same bytes as three arrays, matrices of both layouts, and sizes by constants."""
        layout = f"layout(set = 0, binding = 0) {coherent}buffer"
        return [*(f"#extension GL_{name} : require" for name in (
            "EXT_shader_explicit_arithmetic_types_int8", "KHR_shader_subgroup_basic",
            "EXT_shader_explicit_arithmetic_types_int16")),
                "layout(local_size_x_id = 7) in;",
                f"layout(constant_id = 8) const uint HALF = {WORDS // 2};",
                "const uint TILE = HALF * 2;",
                *(f"{layout} {block} {{ layout(offset = 2048) {kind} {name}[{SMALL // size}]; }};"
                  for block, kind, name, size in (("Tiny", "uint8_t", "tiny", 1),
                                                  ("Halves", "uint16_t", "halves", 2),
                                                  ("Quads", "u8vec4", "quads", 4))),
                f"{layout} Matrices {{", f"\tlayout(offset = 2304) mat2 columns[{MATRICES}];",
                f"\tlayout(row_major) mat2 rows[{MATRICES}];", "};"]

    @staticmethod
    def numbers(coherent):
        extensions = ("shader_explicit_arithmetic_types_int64", "shader_atomic_int64",
                      "shader_atomic_float", "buffer_reference", "buffer_reference_uvec2")
        return [*(f"#extension GL_EXT_{name} : require" for name in extensions),
                f"layout(set = 0, binding = 1) {coherent}buffer Words {{",
                f"\tuint words[512]; uint64_t wide[{WIDE}]; float real[{WIDE}];", "};",
                f"layout(buffer_reference, std430) {coherent}buffer Far {{ uint w[]; }};"]

    # -- Races -----------------------------------------------------------------------------------

    def accesses(self, groups):
        """Place -> {(line, kind, intervals): invocations}; intervals by class of memory: between
        barriers of the workgroup, and of the subgroup."""
        touched = {}

        def touch(line, access, names, intervals):
            kind, memory, word, words, *own = access
            first = eval(word.replace("/", "//"), names) # an index of our own making
            for at in range(first, first + words):
                where = (memory, at) if memory != "tile" else (memory, names["g"], at)
                key = (own[0] if own else line, kind, intervals[memory])
                touched.setdefault(where, {}).setdefault(key, set()).add((names["g"], names["l"]))

        def value(text, names):
            return eval(python(text), names)

        def run(block, names, intervals):
            """How it was left: None, "break", "continue" or "return"."""
            for what, of, *more in block:
                left = None
                if what == "one":
                    for access in more[0]:
                        touch(of, access, names, intervals)
                elif what == "barrier":
                    for name in of:
                        intervals[name] = intervals[name][0] + 1, intervals[name][1]
                elif what == "subgroup barrier":
                    for name in of:
                        intervals[name] = intervals[name][0], intervals[name][1] + 1
                elif what == "let":
                    names[of] = value(more[0], names)
                elif what in ("return", "break", "continue"):
                    left = what if value(of, names) else None
                elif what == "loop":
                    for k in value(of, names):
                        left = run(more[0], {**names, "k": k}, intervals)
                        if left in ("break", "return"):
                            break
                    left = left if left == "return" else None
                elif what == "switch":
                    at = value(of, names)
                    left = run(more[0][at if at in more[0] else None], names, intervals)
                elif value(of, names):
                    left = run(more[0], names, intervals)
                if left:
                    return left
            return None

        for g, l in itertools.product(range(groups), range(self.local)):
            run(self.block, {**self.names(), "g": g, "l": l, "W": self.local, "words": HOST_WORDS,
                             "lanes": self.lanes(l), "clamp": clamp},
                {name: (0, 0) for name in ("tile", *BUFFERS, *TEXELS)})
        return touched

    def names(self):
        """What expressions may name that is the same for all invocations, and what it is."""
        return {}

    def lanes(self, l):
        """The invocations of its subgroup, where that is known."""
        return [l]

    def orders_by_atomics(self):
        """Fences with atomics between them may order more than barriers do."""
        text = "\n".join(self.lines)
        return "atomic" in text and any(fence in text for fence in (
            "memoryBarrier", "subgroupBarrier", "gl_ScopeSubgroup"))

    def is_private(self, memory, kind):
        return kind == "sample" or (self.model == "vulkan_private" and memory != "tile" and
                kind not in ATOMICS)

    def is_near(self, memory, kind):
        """Whether it is available and visible to its subgroup alone."""
        return kind == "near atomic" or (self.model == "vulkan_near" and memory != "tile" and
                                         kind not in ATOMICS)

    def in_scope(self, kinds, a, b):
        """Whether atomics of these kinds are in each other's scope."""
        if kinds <= {"atomic", "failed"}:
            return True
        return a[0] == b[0] and ("near atomic" not in kinds or b[1] in self.lanes(a[1]))

    def are_ordered(self, memory, x, y, a, b):
        """Whether barriers order an access of one invocation and one of another."""
        if a[0] != b[0] or {x[1], y[1]} & {"sample"}:
            return False
        near = self.types and a[1] // self.types == b[1] // self.types
        if x[2][0] == y[2][0] and not (near and x[2][1] != y[2][1]):
            return False
        first, last = (key[1] for key in sorted((x, y), key=lambda key: key[2]))
        if first in ("read", "failed") or b[1] in self.lanes(a[1]):
            return True
        # What is written must become available, and visible to what reads.
        return not (self.is_near(memory, first) or
                    (last != "write" and self.is_near(memory, last)))

    def races(self, groups):
        """Of each place that has races: pairs of lines; and those that it may have, too: an image
        is another reference than the same one with a sampler, even to one invocation."""
        places = set()
        for where, keys in self.accesses(groups).items():
            found, others = set(), set()
            for (x, xs), (y, ys) in itertools.combinations_with_replacement(keys.items(), 2):
                kinds = {x[1], y[1]}
                if kinds <= {"read", "failed", "sample"} or kinds <= {"atomic", "failed"}:
                    continue
                private = any(self.is_private(where[0], key[1]) for key in (x, y))

                def is_race(a, b, x=x, y=y, kinds=kinds, private=private, memory=where[0]):
                    if a == b or (kinds <= ATOMICS and self.in_scope(kinds, a, b)):
                        return False
                    return private or not self.are_ordered(memory, x, y, a, b)

                lines = tuple(sorted((x[0], y[0])))
                if any(is_race(a, b) for a in xs for b in ys):
                    found.add(lines)
                elif "sample" in kinds:
                    others.add(lines)
            if found or others:
                places.add((frozenset(found), frozenset(others)))
        return places
