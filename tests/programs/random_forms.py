# SPDX-License-Identifier: Apache-2.0
"""Random shaders of forms that few shaders have: pointers that are chosen, moved and passed to
functions, memory copied without a load, shared blocks over one another, images that are stored to
and sampled, atomics of narrow scope, subgroups that elect and count, and fragments that end or go
on as helpers.

Knows how compilers write such functions; nothing of vkrace.
"""
import pathlib
import random
import re
import subprocess

from random_shader import ITEM_WORDS, ITEMS, WORDS, Shader, python

FRAGMENTS = 8 # each way
IMAGE_WIDTH = 16
# What each function of pointers does, in GLSL: with indices, that the compiler makes one of.
FUNCTIONS = {
    "pick": "uint pick(const bool c, const uint i, const uint j) { return %s[c ? i : j]; }",
    "put": "void put(const bool c, const uint i, const uint j, const uint v) { %s[c ? i : j] = v; }",
    "copy": "void copy(const uint i, const uint j) { %s[i] = %s[j]; }",
    "copy_item": "void copy_item(const uint i, const uint j) { items[i] = items[j]; }",
}
BALLOTS = (
    ("subgroupBallotBitCount(subgroupBallot({}))", "sum(bool(c(x)) for x in lanes)"),
    ("subgroupBallotExclusiveBitCount(subgroupBallot({}))",
     "sum(bool(c(x)) for x in lanes if x < l)"),
    ("subgroupAdd(uint({}))", "sum(bool(c(x)) for x in lanes)"),
    ("uint(subgroupAny({}))", "int(any(c(x) for x in lanes))"),
    ("subgroupBroadcastFirst(l)", "lanes[0]"),
)


class Forms(Shader):
    def __init__(self, seed, data, types, subgroup):
        super().__init__(seed, data, False, types)
        self.subgroup = subgroup
        self.stage = "frag" if self.random.random() < 0.3 else "comp"
        self.has_barriers = self.stage == "comp"
        self.has_blocks = self.random.random() < 0.4 # and no other shared memory
        self.pointed = self.random.choice(("words", "tile") if self.has_barriers else ("words",))
        self.chosen = self.random.choice(("select", "phi", "moved", "passed", "kept"))
        if self.pointed == "tile" and self.chosen == "moved":
            self.chosen = "select" # without an explicit layout the distance is unknown
        self.target = "vulkan1.2"
        self.at = {} # the lines of functions
        if self.has_barriers and self.model == "vulkan" and random.Random(seed).random() < 0.4:
            self.model = "vulkan_near"
        if not self.has_barriers:
            self.size, self.local = (FRAGMENTS, 1), FRAGMENTS

    # -- Text ------------------------------------------------------------------------------------

    def make_head(self, coherent):
        if self.stage == "frag": # which are of no workgroup
            coherent = coherent.replace("workgroup", "queuefamily")
        extensions = ("KHR_shader_subgroup_ballot", "KHR_shader_subgroup_vote",
                      "KHR_shader_subgroup_arithmetic", "EXT_shared_memory_block",
                      "EXT_demote_to_helper_invocation")
        for name in extensions:
            self.add(0, f"#extension GL_{name} : require")
        super().make_head(coherent)
        if self.stage == "frag":
            self.drop(("layout(local_size_x", "shared "))
        else:
            self.add(0, f"layout(set = 2, binding = 2, r32ui) uniform {coherent}uimage2D plane;")
            self.add(0, "layout(set = 2, binding = 3) uniform usampler2D picture;")
        if self.has_blocks and self.stage == "comp":
            self.drop(("shared ",))
            self.add(0, f"shared Tile {{ uint tile[{WORDS}]; }};")
            self.add(0, f"shared Pairs {{ uvec2 pairs[{WORDS // 2}]; }};")
            self.add(0, f"shared Fours {{ uvec4 fours[{WORDS // 4}]; }};")
        for name, text in FUNCTIONS.items():
            self.at[name] = self.add(0, text.replace("%s", self.pointed))

    def drop(self, beginnings):
        self.lines = [line for line in self.lines if not line.startswith(beginnings)]

    def where(self):
        if self.stage == "comp":
            return super().where()
        return (f"\tconst uint W = {self.local}, l = uint(gl_FragCoord.x), "
                "g = uint(gl_FragCoord.y);")

    def ends(self):
        if self.stage == "comp":
            return super().ends()
        return self.random.choice(("discard", "demote", "return"))

    def barrier(self):
        return self.image_barrier() if self.random.random() < 0.3 else super().barrier()

    def place(self, loop):
        found = super().place(loop)
        while self.stage == "frag" and found[1] == "tile":
            found = super().place(loop)
        return found

    def lanes(self, l):
        first = l - l % self.subgroup
        return list(range(first, min(first + self.subgroup, self.local)))

    def statement(self, depth, loop, divergent):
        roll = self.random.random()
        if self.stage == "frag" and roll < 0.15:
            condition = self.condition(loop)
            self.add(depth, f"if ({condition}) {self.ends()};")
            return "return", condition
        if not divergent and not loop and roll < 0.3:
            return self.elected(depth) if self.random.random() < 0.5 else self.counted(depth)
        if roll < 0.65:
            source, accesses = self.form_access(loop)
            return "one", self.add(depth, source), accesses
        return super().statement(depth, loop, divergent)

    def elected(self, depth):
        """An access by one invocation of each subgroup, of those where a condition holds."""
        condition = self.condition()
        known = python(condition)
        self.add(depth, f"if ({condition}) if (subgroupElect()) {{")
        source, accesses = self.form_access(False)
        block = [("one", self.add(depth + 1, source), accesses)]
        self.add(depth, "}")
        return "if", f"next((x for x in lanes if (lambda l: {known})(x)), None) == l", block

    def counted(self, depth):
        """A variable of what a subgroup's invocations have in common."""
        name, condition = f"n{len(self.lines)}", self.condition()
        source, value = self.random.choice(BALLOTS)
        self.add(depth, f"uint {name} = {source.format(condition)};")
        if depth == 1: # where all that follows sees it
            self.values = [*self.values, name, f"l + {name}"]
        return "let", name, f"(lambda c: {value})(lambda l: {python(condition)})"

    def form_access(self, loop):
        forms = [self.pointer_access]
        if self.stage == "comp":
            forms += [self.plane_access, self.plane_access]
        if self.stage == "comp" and self.has_blocks:
            forms += [self.block_access]
        if self.stage == "comp" and self.model != "legacy":
            forms += [self.scoped_access]
        return self.random.choice(forms)(loop)

    def pointer_access(self, loop):
        form = self.random.choice(tuple(FUNCTIONS))
        most, line = ITEMS if form == "copy_item" else WORDS, self.at[form]
        to, start = self.index(most, loop), self.index(most, loop)
        if form == "copy_item":
            return f"copy_item({to}, {start});", [
                (kind, "items", f"({index}) * {ITEM_WORDS} + {word}", words, line)
                for kind, index in (("read", start), ("write", to))
                for word, words in ((0, 1), (2, 4))]
        if form == "copy":
            return f"copy({to}, {start});", [("read", self.pointed, start, 1, line),
                                             ("write", self.pointed, to, 1, line)]
        condition = self.condition(loop)
        word = f"({to}) if ({python(condition)}) else ({start})"
        if form == "put":
            return (f"put({condition}, {to}, {start}, sum);",
                    [("write", self.pointed, word, 1, line)])
        return f"sum += pick({condition}, {to}, {start});", [("read", self.pointed, word, 1, line)]

    def block_access(self, loop):
        name, words = self.random.choice((("pairs", 2), ("fours", 4)))
        index, part = self.index(WORDS // words, loop), self.random.randrange(words)
        text, first = f"{name}[{index}]", f"({index}) * {words}"
        form = self.random.choice(("read", "write", "part"))
        if form == "part":
            return f"{text}[{part}] = sum;", [("write", "tile", f"{first} + {part}", 1)]
        if form == "read":
            return f"sum += {text}.{'xyzw'[part]};", [("read", "tile", f"{first} + {part}", 1)]
        return f"{text} = uvec{words}(sum);", [("write", "tile", first, words)]

    def plane_access(self, loop):
        index = self.index(WORDS, loop)
        x, y = f"(({index}) & 7)", f"(({index}) >> 3)"
        at, word = f"ivec2({x}, {y})", f"{x} + {y} * {IMAGE_WIDTH}"
        order = "" if self.model == "legacy" else ", gl_ScopeQueueFamily, 0, 0"
        center = f"(vec2({at}) + 0.5) / {IMAGE_WIDTH}"
        forms = [(f"imageStore(plane, {at}, uvec4(sum));", "write"),
                 (f"sum += imageLoad(plane, {at}).x;", "read"),
                 (f"imageAtomicAdd(plane, {at}, 1u{order});", "atomic"),
                 (f"sum += texelFetch(picture, {at}, 0).x;", "sample"),
                 (f"sum += textureLod(picture, {center}, 0).x;", "sample"),
                 (f"sum += textureGather(picture, {center} + 0.5 / {IMAGE_WIDTH}).x;", "gather")]
        text, kind = self.random.choice(forms)
        if kind == "gather":
            return text, [("sample", "flat", f"{word} + {behind}", 1)
                          for behind in (0, 1, IMAGE_WIDTH, IMAGE_WIDTH + 1)]
        return text, [(kind, "flat", word, 1)]

    def scoped_access(self, loop):
        text, memory, word, words = self.place(loop)
        while words > 1 or memory in ("wide", "real"):
            text, memory, word, words = self.place(loop)
        near = self.random.random() < 0.5
        scope = "Subgroup" if near else "Workgroup"
        return (f"atomicAdd({text}, 1u, gl_Scope{scope}, 0, 0);",
                [("near atomic" if near else "group atomic", memory, word, 1)])

    def orders_by_atomics(self):
        text = "\n".join(self.lines)
        return "tomic" in text and "memoryBarrier" in text

    # -- Pointers --------------------------------------------------------------------------------

    def assemble(self, path):
        text = subprocess.run(["spirv-dis", path], check=True, capture_output=True,
                              text=True).stdout
        source = pathlib.Path(path).with_suffix(".spvasm")
        source.write_text(with_pointers(text, self.chosen, self.pointed == "words"))
        subprocess.run(["spirv-as", "--target-env", "spv1.5", "--preserve-numeric-ids", source,
                        "-o", path], check=True)
        subprocess.run(["spirv-val", "--target-env", "vulkan1.2", "--scalar-block-layout", path],
                       check=True)


def lines_of(function, pattern):
    return [line.strip() for line in function.splitlines() if re.search(pattern, line)]


def operands(line):
    """(result, type and operands) of an instruction with a result."""
    result, rest = line.split(" = ", 1)
    return result.strip(), rest.split()[1:]


# How a pointer `%p` is had of `%pa` where `%c` holds, else of `%pb`.
def chosen_pointer(how, kind, line):
    select = f"%NAMEp = OpSelect {kind} %NAMEc %NAMEa %NAMEb"
    return {
        "select": [select],
        "phi": ["OpSelectionMerge %NAMEm None", "OpBranchConditional %NAMEc %NAMEt %NAMEf",
                "%NAMEt = OpLabel", "OpBranch %NAMEm", "%NAMEf = OpLabel", "OpBranch %NAMEm",
                "%NAMEm = OpLabel", f"%NAMEp = OpPhi {kind} %NAMEa %NAMEt %NAMEb %NAMEf", line],
        # From the one element to the other, which may be in front of it.
        "moved": ["%NAMEd = OpISub %uint %NAMEi %NAMEj",
                  "%NAMEe = OpSelect %uint %NAMEc %NAMEd %uint_0",
                  f"%NAMEp = OpPtrAccessChain {kind} %NAMEb %NAMEe"],
        "kept": [select.replace("%NAMEp", "%NAMEq"), "OpStore %NAMEv %NAMEq",
                 f"%NAMEp = OpLoad {kind} %NAMEv"],
        "passed": [select],
    }[how]


def pick_or_put(function, name, how):
    """The function again, with pointers; and the type of these."""
    line = lines_of(function, r"OpLine")[0]
    c, i, j, *v = (operands(line)[0] for line in lines_of(function, r"OpFunctionParameter"))
    _, (kind, *chain) = operands(lines_of(function, r"OpAccessChain .*")[-1])
    head = function.splitlines()[:5 if name == "pick" else 6]
    accesses = lines_of(function, r"OpLoad %uint" if name == "pick" else r"OpStore .*" +
                        re.escape(v[0]))
    order = " ".join(accesses[-1].split()[5 if name == "pick" else 3:])
    body = [f"%NAMEv = OpVariable %kept Function"] if how == "kept" else []
    body += [line, *(f"%NAME{to} = OpAccessChain {kind} {' '.join(chain[:-1])} {at}"
                     for to, at in (("a", i), ("b", j)))]
    body += chosen_pointer(how, kind, line)
    if name == "put":
        body += [f"OpStore %NAMEp {v[0]} {order}", "OpReturn"]
    elif how == "passed":
        body += ["%NAMEx = OpFunctionCall %uint %load_at %NAMEp", "OpReturnValue %NAMEx"]
    else:
        body += [f"%NAMEx = OpLoad %uint %NAMEp {order}", "OpReturnValue %NAMEx"]
    text = "\n".join([*head, *body, "OpFunctionEnd"])
    for letter, given in (("c", c), ("i", i), ("j", j)):
        text = re.sub(rf"%NAME{letter}\b", given, text)
    text = text.replace("%NAME", f"%made_{name}_")
    if name == "pick" and how == "passed":
        text += "\n" + "\n".join([
            "%load_at = OpFunction %uint None %loads", f"%from = OpFunctionParameter {kind}",
            "%load_entry = OpLabel", line, f"%loaded = OpLoad %uint %from {order}",
            "OpReturnValue %loaded", "OpFunctionEnd"])
    return text, kind


def copied(function):
    """The function again: memory goes to memory, with the orders of both ends."""
    load, store = lines_of(function, r"OpLoad")[-1], lines_of(function, r"OpStore")[-1]
    value, (_, start, *visible) = operands(load)
    _, to, stored, *available = store.split()
    assert stored == value
    kept = [line for line in function.splitlines() if line.strip() not in (load, store)]
    orders = [*(available or (["None"] if visible else [])), *(visible or
                                                               (["None"] if available else []))]
    at = [number for number, line in enumerate(kept) if "OpReturn" in line][0]
    kept.insert(at, f"OpCopyMemory {to} {start} {' '.join(orders)}")
    return "\n".join(kept)


def with_pointers(text, how, has_layout):
    first = text.index("= OpFunction ")
    first = text.rindex("\n", 0, first) + 1
    head, functions = text[:first], re.findall(r"[^\n]*= OpFunction .*?OpFunctionEnd",
                                               text[first:], re.DOTALL)
    kinds = {}
    for number, function in enumerate(functions):
        name = function.split("=")[0].strip()
        if name.startswith("%copy"):
            functions[number] = copied(function)
        for form in ("pick", "put"):
            if name.startswith(f"%{form}_"):
                functions[number], kinds[form] = pick_or_put(function, form, how)
    if not kinds: # compilers leave out what is not called
        return head + "\n".join(functions) + "\n"
    kind = [*kinds.values()][0]
    types = []
    if how == "kept":
        types += [f"%kept = OpTypePointer Function {kind}"]
    if how == "passed" and "pick" in kinds:
        types += [f"%loads = OpTypeFunction %uint {kind}"]
    if "%uint_0 = " not in head:
        types += ["%uint_0 = OpConstant %uint 0"]
    decoration = f"OpDecorate {kind} ArrayStride 4\n" if has_layout else ""
    head = re.sub(r"\n([^\n]*= OpTypeVoid)", "\n" + decoration + r"\1", head, count=1)
    last = head.rindex("OpCapability")
    end = head.index("\n", last)
    head = head[:end] + "\nOpCapability VariablePointers" + head[end:]
    return head + "\n".join(types) + "\n" + "\n".join(functions) + "\n"
