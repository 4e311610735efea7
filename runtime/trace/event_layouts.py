#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the layouts of a trace's events from the headers that define them: event_layouts.py
event_layouts.c vulkan_core.h vkrace/trace*.h.

A struct and its comments are all that has to be written for an event. Checking, printing and editing
of traces follow from them:

  in front of the struct  "Tail:" and the parts of the tail, each "X_count x struct vkr_trace_Y",
                          "X_count x uint32_t", "X_count x uint64_t", "X_bytes bytes of text",
                          "X_bytes bytes of CMD_ events", "X_bytes bytes of a site table"; a part may be
                          named: `text_bytes bytes of text "label"`
  and, of a command,      "Device:" and which memory the device accesses at most, for the host watch:
  after it                "nothing", "anything", "images", "runs compute", "runs graphics", "runs rays",
                          "reads addressed", "writes addressed", or "reads", "transfers to", "encodes to"
                          or "writes" BUFFER at OFFSET[, BYTES bytes], with members, or members of items of
                          the tail as PART.MEMBER; then perhaps "if" or "unless" MEMBER [is|has VALUE];
                          several are separated by ";". "bindings" is what the walk of the watch itself
                          follows
  behind a member         its form. "enum vkr_trace_Y": one of these values, no other. A type whose name
                          ends in Flags, Flags2, FlagBits or _flags: hexadecimal, as members that are
                          named *_mask and 64 bits that are named *address, *handle or *hash, or that
                          the comment calls an address. Values and bits of a type of vulkan_core.h have
                          their names, others stay numbers. "Vulkan version". "UINT32_MAX": a number or
                          none. "VK_WHOLE_SIZE stays": a size or all. Otherwise a number
  behind an enumerator    its name in quotation marks, where it is not that of the enumerator
  reserved, reserved2     must be 0
"""
import re
import sys

LOGS = {"gpu_log": "LOG", "gpu_column_log": "COLUMN_LOG"}  # words that are printed as what they are
BYTES = {"uint32_t": 4, "uint64_t": 8, "float": 4}
FLAGS = re.compile(r"\bVk\w*(Flags|Flags2|FlagBits|FlagBits2)([A-Z]{2,5})?\b|\benum vkr_trace_\w+_flags\b")
TAIL = re.compile(r'(?P<count>\w+) x (?:struct vkr_trace_(?P<item>\w+)|(?P<type>uint32_t|uint64_t))'
                  r'(?: "(?P<name>\w+)")?|'
                  r'(?P<bytes>\w+_bytes) bytes of (?P<of>text|CMD_ events|a site table)'
                  r'(?: "(?P<called>\w+)")?')
CLAUSE = re.compile(
    r"(?:(?P<plain>nothing|bindings|anything|images|runs (?:compute|graphics|rays)|(?:reads|writes) addressed)|"
    r"(?P<does>reads|transfers to|encodes to|writes) (?P<buffer>[\w.]+) at (?P<offset>[\w.]+)"
    r"(?:, (?P<count>[\w.]+) bytes)?)"
    r"(?: (?P<when>if|unless) (?P<member>\w+)(?: (?P<how>is|has) (?P<value>VKR_\w+))?)?")
WRITERS = {"reads": "NONE", "transfers to": "TRANSFER", "encodes to": "VIDEO", "writes": "UNKNOWN"}
KINDS = {"text": "TEXT", "CMD_ events": "EVENTS", "a site table": "SITES"}


VK_TYPE = re.compile(r"\bVk\w+")


class Wrong(Exception):
    """The headers do not say what an event is made of."""


def vulkan_names(text):
    """Type -> pairs of value and name, of vulkan_core.h's enums; bits are of the type of their masks."""
    types = {}
    for body, name in re.findall(r"^typedef enum \w+ \{(.*?)^\} (\w+);", text, re.M | re.S):
        found = re.findall(r"^\s*(VK_\w+) = (-?\d+|0x[0-9A-Fa-f]+),?$", body, re.M)
        types[name] = [(int(value, 0), what) for what, value in found]
    for name, what, value in re.findall(r"^static const (Vk\w+) (VK_\w+) = (0x[0-9A-F]+)ULL;", text,
                                        re.M):
        types.setdefault(name, []).append((int(value, 16), what))
    made = {}
    for name, values in types.items():
        is_bits = "FlagBits" in name
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z])(?=[0-9])", "_", name.replace("FlagBits", ""))
        prefix = re.sub(r"_(KHR|EXT|NV|AMD|QCOM|ARM|INTEL|HUAWEI)$", "", words.upper()) + "_"
        known = {}
        for value, what in values:
            short = re.sub(r"_BIT(?=_[A-Z]{2,6}$|$)", "", what.removeprefix(prefix)) if is_bits \
                else what.removeprefix(prefix)
            single = value > 0 and value & (value - 1) == 0
            if what.endswith("MAX_ENUM") or value < 0 or value in known or (is_bits and not single):
                continue
            known[value] = short
        made[name.replace("FlagBits", "Flags")] = sorted(known.items())
    return made


class Headers:
    def __init__(self, texts, vulkan=""):
        self.structs, self.enums, self.events = {}, {}, []
        self.vulkan = vulkan_names(vulkan)
        for name, text in texts:
            self.read(name, text)

    def read(self, name, text):
        for tag, structure in re.findall(r"^\s*X\((\w+), \d+, vkr_trace_(\w+), \d+\)", text, re.M):
            self.events.append((tag, structure))
        for found in re.finditer(r"((?:^//[^\n]*\n)*)^struct vkr_trace_(\w+) \{\n(.*?)^\};", text,
                                 re.M | re.S):
            self.structs[found[2]] = (f"{name}: struct vkr_trace_{found[2]}",
                                      re.sub(r"\n?// ?", " ", found[1]), found[3])
        for found in re.finditer(r"^enum vkr_trace_(\w+) \{\n(.*?)^\};", text, re.M | re.S):
            self.enums[found[1]] = list(values_of(found[2]))

    def struct(self, name):
        """Where it is defined, the comment in front of it, and its members."""
        if name not in self.structs:
            raise Wrong(f"there is no struct vkr_trace_{name}")
        return self.structs[name]


def values_of(body):
    """Enumerators and their names: what all begin with is left out, NV is not made small."""
    found = re.findall(r'^\t(VKR_\w+)\b[^,]*?,(?:[ \t]*// "([^"]+)")?', body, re.M)
    found = [(value, name) for value, name in found if not value.endswith("_KINDS")]
    parts = [value.split("_")[1:] for value, _ in found]
    shared = 0
    while parts and all(len(part) > shared + 1 and part[shared] == parts[0][shared]
                        for part in parts):
        shared += 1
    for (value, name), words in zip(found, parts):
        yield value, name or " ".join(word if word == "NV" else word.lower()
                                      for word in words[shared:])


def members_of(where, body):
    """Type, name, number of elements and comment of each member. A comment in front of a member or
    behind it goes on in the lines below it."""
    lines, above, after = [], "", False
    for line in body.split("\n"):
        code, _, comment = (part.strip() for part in line.partition("//"))
        if code and lines and not lines[-1][0].endswith(";"):
            lines[-1] = [lines[-1][0] + " " + code, lines[-1][1] + comment]
        elif code:
            lines.append([code, above + comment])
            above, after = "", bool(comment)
        elif comment and after and line.startswith("\t\t"):
            lines[-1][1] += " " + comment
        elif comment:
            above, after = above + comment + " ", False
    for code, comment in lines:
        found = re.fullmatch(r"(uint32_t|uint64_t|float|struct vkr_trace_\w+) (.+);", code)
        if not found:
            raise Wrong(f"{where}: '{code}' is no member that a trace can have")
        names, types = found[2].split(", "), VK_TYPE.findall(comment)
        for at, declared in enumerate(names):
            name, _, count = declared.rstrip("]").partition("[")
            # As many types as members: each has its own.
            own = types[at] if len(types) == len(names) else comment
            yield found[1], name, int(count or 1), own if len(names) > 1 else comment


def form_of(kind, name, comment, counts, enums):
    """The form of a member, and the enum of a NAMED one."""
    named = re.search(r"\benum vkr_trace_(\w+)", comment)
    if re.fullmatch(r"reserved\d?", name):
        return "RESERVED", None
    if name in counts:
        return "COUNT", None
    if kind == "float":
        return "REAL", None
    if FLAGS.search(comment) or name.endswith("_mask"):
        return "FLAGS", None
    if named and named[1] in enums:
        return "NAMED", named[1]
    if kind == "uint64_t" and (re.search(r"\baddress(es)?\b", comment) or
                               re.search(r"(^|_)(address|handle|hash)$", name)):
        return "HEX", None
    for words, form in (("Vulkan version", "VERSION"), ("VK_WHOLE_SIZE stays", "SIZE"),
                        ("UINT32_MAX", "OPTIONAL")):
        if words in comment:
            return form, None
    return "NUMBER", None


class Writer:
    def __init__(self, headers):
        self.headers, self.written, self.out = headers, set(), []

    def tail_of(self, structure):
        where, comment, _ = self.headers.struct(structure)
        _, found, tail = comment.partition("Device:")[0].partition("Tail:")
        parts = list(TAIL.finditer(tail))
        if found and not parts:
            raise Wrong(f"{where}: its tail is not understood")
        for part in parts:
            count = part["count"] or part["bytes"]
            base = re.sub(r"_(count|bytes)$", "", count)
            if part["item"]:
                yield "ITEMS", part["name"] or base, count, part["item"]
            elif part["bytes"]:
                yield KINDS[part["of"]], part["called"] or base, count, None
            else:
                words = "FRAMES" if part["type"] == "uint64_t" else "WORDS"
                yield LOGS.get(structure, words), part["name"] or base + "s", count, None

    def fields_of(self, structure, outer, path, counts):
        """The initializers of a structure's members, those of structures in it in their place."""
        where, _, body = self.headers.struct(structure)
        for kind, name, count, comment in members_of(where, body):
            if kind not in BYTES:
                yield from self.fields_of(kind.removeprefix("struct vkr_trace_"), outer,
                                          path + name + ".", ())
                continue
            form, values = form_of(kind, name, comment, counts, self.headers.enums)
            if values:
                self.names(values)
            elif form in ("FLAGS", "NUMBER"):
                values = self.vulkan_names(comment)
                form = "VALUE" if values and form == "NUMBER" else form
            shown = (path + name).removeprefix("subresources.")
            yield (f'{{"{shown}", offsetof(struct vkr_trace_{outer}, {path}{name}), {BYTES[kind]}, '
                   f'{count}, VKR_EVENT_FIELD_{form}, {values + "_names" if values else "NULL"}}}')

    def vulkan_names(self, comment):
        """The names of the first type of Vulkan, or of flags of ours, in a comment that has some; None:
        there are none."""
        own = re.search(r"\benum vkr_trace_(\w+_flags)\b", comment)
        if own and own[1] in self.headers.enums:
            self.names(own[1])
            return own[1]
        for found in VK_TYPE.findall(comment):
            values = self.headers.vulkan.get(found.replace("FlagBits", "Flags"))
            if not values:
                continue
            if ("names", found) not in self.written:
                self.written.add(("names", found))
                self.out.append(f"static const struct vkr_event_field_name {found}_names[] = {{")
                self.out += [f'\t{{UINT64_C({value}), "{name}"}},' for value, name in values]
                self.out.append("\t{0, NULL}};")
            return found
        return None

    def names(self, values):
        if ("names", values) in self.written:
            return
        self.written.add(("names", values))
        self.out.append(f"static const struct vkr_event_field_name {values}_names[] = {{")
        self.out += [f'\t{{{value}, "{name}"}},' for value, name in self.headers.enums[values]]
        self.out.append("\t{0, NULL}};")

    def fields(self, structure):
        if ("fields", structure) in self.written:
            return
        self.written.add(("fields", structure))
        counts = {count for _, _, count, _ in self.tail_of(structure)}
        fields = list(self.fields_of(structure, structure, "", counts))
        for count in counts:
            if not any(f'"{count}"' in field for field in fields):
                raise Wrong(f"{self.headers.struct(structure)[0]}: has no member {count}")
        self.out.append(f"static const struct vkr_event_field {structure}_fields[] = {{")
        self.out += [f"\t{field}," for field in fields]
        self.out.append("};")

    def member(self, structure, path):
        """The initializer of a struct vkr_event_member."""
        where = self.headers.struct(structure)[0]
        name, _, of_item = path.rpartition(".")
        part, holder = 0, structure
        if name:
            parts = [(at, item) for at, (kind, called, _, item) in enumerate(self.tail_of(structure), 1)
                     if kind == "ITEMS" and called == name]
            if not parts:
                raise Wrong(f"{where}: has no items {name}")
            part, holder = parts[0]
        body = self.headers.struct(holder)[2]
        for kind, member, count, _ in members_of(where, body):
            if member == of_item and count == 1 and kind in ("uint32_t", "uint64_t"):
                return f"{{offsetof(struct vkr_trace_{holder}, {member}), {BYTES[kind]}, {part}}}"
        raise Wrong(f"{where}: has no member {path}")

    def access(self, structure, clause):
        """The initializer of a struct vkr_event_access; None: there is no access."""
        found = CLAUSE.fullmatch(clause)
        if not found:
            raise Wrong(f"{self.headers.struct(structure)[0]}: '{clause}' is no access")
        plain, parts = found["plain"], []
        if plain in ("nothing", "bindings"):
            return None
        if plain:
            parts.append(f".kind = VKR_ACCESS_{plain.split()[-1].upper()}")
            writer = WRITERS.get(plain.split()[0], "NONE")
        else:
            parts.append(".kind = VKR_ACCESS_BUFFER")
            parts += [f".{name} = {self.member(structure, found[name])}" for name in ("buffer", "offset")]
            writer, count = WRITERS[found["does"]], found["count"]
            if len({path.partition(".")[0] for path in found.group("buffer", "offset", "count")
                    if path and "." in path}) > 1:
                raise Wrong(f"{self.headers.struct(structure)[0]}: '{clause}' is of two parts of the tail")
            if count and not count.isdigit():
                parts.append(f".count = {self.member(structure, count)}")
            else:
                parts.append(f".bytes = {count or 'UINT64_MAX'}")
        parts.append(f".writer = VKR_WRITER_{writer}")
        if found["when"]:
            value = found["value"] or "0"
            mask = value if found["how"] == "has" else "UINT32_MAX"
            equals = (found["how"] == "is") == (found["when"] == "if")
            parts.append(f".condition = {self.member(structure, found['member'])}, .mask = {mask}, "
                         f".value = {value if found['how'] == 'is' else '0'}, .equals = {str(equals).lower()}")
        return "{" + ", ".join(parts) + "}"

    def accesses(self, tag, structure):
        """The name of the list of a command's accesses; NULL for what is no command."""
        where, comment, _ = self.headers.struct(structure)
        said = re.search(r"Device: (.*?)\.(?: |$)", comment)
        if not tag.startswith("CMD_"):
            return "NULL"
        if not said:
            raise Wrong(f"{where}: does not say what the device accesses")
        made = [self.access(structure, clause) for clause in said[1].split("; ")]
        self.out.append(f"static const struct vkr_event_access {structure}_accesses[] = {{")
        self.out += [f"\t{access}," for access in made if access]
        self.out.append("\t{.kind = VKR_ACCESS_END}};")
        return f"{structure}_accesses"

    @staticmethod
    def list_of(structure):
        return (f"{{{structure}_fields, sizeof {structure}_fields / sizeof {structure}_fields[0], "
                f"sizeof(struct vkr_trace_{structure})}}")

    def item(self, structure):
        if ("item", structure) not in self.written:
            self.written.add(("item", structure))
            self.fields(structure)
            self.out.append(f"static const struct vkr_event_field_list {structure}_item = "
                            f"{self.list_of(structure)};")

    def event(self, tag, structure):
        self.fields(structure)
        parts = list(self.tail_of(structure))
        for kind, _, _, item in parts:
            if kind == "ITEMS":
                self.item(item)
        accesses = self.accesses(tag, structure)
        self.out.append(f"const struct vkr_event_layout vkr_trace_{structure}_layout = {{")
        self.out.append(f'\t"{tag}", {self.list_of(structure)}, {{')
        self.out += [f'\t{{VKR_TAIL_{kind}, "{name}", offsetof(struct vkr_trace_{structure}, '
                     f'{count}), {"&" + item + "_item" if item else "NULL"}}},'
                     for kind, name, count, item in parts]
        self.out.append(f"\t{{VKR_TAIL_END, NULL, 0, NULL}}}}, {accesses}}};")


def layouts(texts, vulkan=""):
    """The source of the layouts that the headers, pairs of name and text, define."""
    headers = Headers(texts, vulkan)
    writer = Writer(headers)
    writer.out += ["// Made by event_layouts.py from vkrace/trace*.h.", '#include "event_layout.h"']
    for tag, structure in headers.events:
        writer.event(tag, structure)
    if ("names", "VkImageLayout") in writer.written:
        writer.out.append("const struct vkr_event_field_name *const vkr_image_layout_names = "
                          "VkImageLayout_names;")
    return "\n".join(writer.out) + "\n"


def main():
    if len(sys.argv) < 4 or sys.argv[1].startswith("-"):
        sys.exit("usage: event_layouts.py OUTPUT VULKAN_CORE_H TRACE_H...")
    texts = []
    with open(sys.argv[2], encoding="utf-8") as stream:
        vulkan = stream.read()
    for path in sys.argv[3:]:
        with open(path, encoding="utf-8") as stream:
            texts.append((path, stream.read()))
    try:
        made = layouts(texts, vulkan)
    except Wrong as wrong:
        sys.exit(f"event_layouts.py: {wrong}")
    with open(sys.argv[1], "w", encoding="utf-8") as stream:
        stream.write(made)


if __name__ == "__main__":
    main()
