# SPDX-License-Identifier: Apache-2.0
"""What render passes and dynamic rendering access, and which dependencies they make, by the letter of
the Vulkan specification, chapter "Render Pass". Section names stand in quotes."""
from command_scopes import (ATTACHMENT_ACCESSES, END, Scope, first_stages, named_accesses,
                            named_stages, second_stages)

LOAD, CLEAR, LOAD_NONE = 0, 1, 1000400000
STORE_NONE = 1000301000
BY_REGION = 1
BY_SECONDARY, SUSPENDING, RESUMING = 1, 2, 4
TOP, BOTTOM, ALL_COMMANDS = 1 << 0, 1 << 13, 1 << 16


class Attachments:
    """What load, store and resolve operations, draws and clears do to attachments."""

    def __init__(self, walk):
        self.walk = walk
        walk.passes += 1
        self.number = walk.passes
        self.written = set() # (image, mip, layer, aspect) of attachments

    def wrote(self, part, aspect):
        self.written.add((part["image"], part["mip"], part["layer"], aspect))

    def is_stored(self, part, aspect, store):
        """One that is none is a discard where values were written (VkAttachmentStoreOp)."""
        return (store != STORE_NONE or
                (part["image"], part["mip"], part["layer"], aspect) in self.written)

    def use(self, subpass, role="draw"):
        return (self.number, subpass, role)

    def aspects(self, part):
        """Of an attachment: aspect, stages of load and store operations, operations, accesses."""
        if not self.walk.images[part["image"]]["depth"]:
            return [(1, "COLOR_ATTACHMENT_OUTPUT", "COLOR_ATTACHMENT_OUTPUT", part["load"],
                     part["store"], "COLOR_ATTACHMENT")]
        return [(2, "EARLY_FRAGMENT_TESTS", "LATE_FRAGMENT_TESTS", part["load"], part["store"],
                 "DEPTH_STENCIL_ATTACHMENT"),
                (4, "EARLY_FRAGMENT_TESTS", "LATE_FRAGMENT_TESTS", part["stencil_load"],
                 part["stencil_store"], "DEPTH_STENCIL_ATTACHMENT")]

    def operated(self, parts, subpass):
        """The last access is a load, store or resolve operation on attachments."""

    def layers(self, part):
        """What of an attachment the commands of the subpass are in."""
        return [part["layer"]]

    def tells_draws(self):
        """Whether it is seen where draws are: of several views shaders do not tell theirs."""
        return True

    def cells(self, part, aspects=0, rows=None, layers=None):
        layers = self.layers(part) if layers is None else layers
        return self.walk.texels(part["image"], [part["mip"]], layers, rows, aspects)

    def load(self, part, subpass, layers=None):
        for aspect, stage, _, load, _, access in self.aspects(part):
            if load == CLEAR:
                self.wrote(part, aspect)
            if load == LOAD_NONE:
                continue
            self.walk.add(stage, access + ("_READ" if load == LOAD else "_WRITE"),
                          self.cells(part, aspect, layers=layers), self.use(subpass, "load"))
            self.operated([part], subpass)

    def store(self, part, subpass, layers=None):
        for aspect, _, stage, _, store, access in self.aspects(part):
            if self.is_stored(part, aspect, store):
                self.walk.add(stage, access + "_WRITE",
                              self.cells(part, aspect, layers=layers),
                              self.use(subpass, "store"))
                self.operated([part], subpass)

    def resolve(self, source, target, subpass):
        """"Render Pass Multisample Resolve Operations"."""
        for part, kind in ((source, "READ"), (target, "WRITE")):
            self.walk.add("COLOR_ATTACHMENT_OUTPUT", "COLOR_ATTACHMENT_" + kind, self.cells(part),
                          self.use(subpass))
            self.operated([source, target], subpass)
        self.wrote(target, 1)

    def drawn(self, line, color, depth, subpass):
        """A draw's blending and tests; those pass always."""
        use = self.use(subpass)
        if color and not line["masked"]:
            if line["blend"]:
                self.walk.add("COLOR_ATTACHMENT_OUTPUT", "COLOR_ATTACHMENT_READ",
                              self.cells(color), use)
            self.walk.add("COLOR_ATTACHMENT_OUTPUT", "COLOR_ATTACHMENT_WRITE", self.cells(color), use)
            self.wrote(color, 1)
        for aspect, test, write in ((2, "depth_test", "depth_write"),
                                    (4, "stencil_test", "stencil_write")):
            if not depth or not line[test]:
                continue
            if line[write]:
                self.wrote(depth, aspect)
            for stage in ("EARLY_FRAGMENT_TESTS", "LATE_FRAGMENT_TESTS"):
                self.walk.add(stage, "DEPTH_STENCIL_ATTACHMENT_" +
                              ("WRITE" if line[write] else "READ"), self.cells(depth, aspect),
                              use)

    def clear_rows(self, line, part, subpass):
        """vkCmdClearAttachments: color output, or the tests."""
        rows = (line["row"], line["rows"])
        for aspect in (1, 2, 4):
            if line["aspects"] & aspect:
                self.wrote(part, aspect)
        if line["aspects"] == 1:
            self.walk.add("COLOR_ATTACHMENT_OUTPUT", "COLOR_ATTACHMENT_WRITE",
                          self.cells(part, 1, rows), self.use(subpass))
            return
        for stage in ("EARLY_FRAGMENT_TESTS", "LATE_FRAGMENT_TESTS"):
            self.walk.add(stage, "DEPTH_STENCIL_ATTACHMENT_WRITE",
                          self.cells(part, line["aspects"], rows), self.use(subpass))


class Rendering(Attachments):
    """Dynamic rendering: no dependencies of its own. One that is suspended goes on where it is resumed."""

    def __init__(self, walk, line):
        super().__init__(walk)
        self.is_suspended = False
        self.parts = {part.op: part for part in line.parts}
        for part in line.parts:
            if part.op != "resolve":
                self.load(part, 0)

    def draw(self, line):
        self.drawn(line, self.parts.get("color"), self.parts.get("depth"), 0)

    def clear(self, line):
        self.clear_rows(line, self.parts["color" if line["aspects"] == 1 else "depth"], 0)

    def end(self):
        if self.is_suspended:
            return
        if "resolve" in self.parts:
            self.resolve(self.parts["color"], self.parts["resolve"], 0)
        for part in self.parts.values():
            if part.op != "resolve":
                self.store(part, 0)


class Pass(Attachments):
    """A render pass instance while it is walked through. Subpasses have numbers from 1 on; 0 is
    VK_SUBPASS_EXTERNAL, as in the text."""

    def __init__(self, walk, line):
        super().__init__(walk)
        self.attachments = [part for part in line.parts if part.op == "attachment"]
        self.subpasses = [part for part in line.parts if part.op == "subpass"]
        self.has_views = any(part["views"] for part in self.subpasses)
        self.begin = walk.place()
        self.current = 0
        self.scopes = [] # (subpass, scope, first half): bounds that are set while it goes on
        self.made = [(part["before"], part["behind"], self.dependency(part["before"],
                                                                      part["behind"], part.words))
                     for part in line.parts
                     if part.op == "dependency" and part["before"] != part["behind"]]
        self.add_implicit()
        self.next()

    def layouts(self, at):
        """(subpass, layout) of an attachment's uses."""
        return [(number, subpass["layout"]) for number, subpass in enumerate(self.subpasses, 1)
                if at + 1 in (subpass["color"], subpass["resolve"], subpass["depth"],
                              subpass["input"])]

    def dependency(self, before, behind, words):
        get = lambda key: words.get(key, 0)
        where = self.walk.queue
        first = Scope(where, 0 if before == 0 else END, self.begin if before == 0 else -1,
                      first_stages(get("from")), named_stages(get("from")),
                      named_accesses(get("from_access")))
        second = Scope(where, END, END if behind == 0 else -1, second_stages(get("to")),
                       named_stages(get("to")), named_accesses(get("to_access")))
        self.scopes += [(before, first, True), (behind, second, False)]
        return self.walk.depend(first, second, by_region=bool(get("flags") & BY_REGION))

    # Multiview: "a view is represented by one layer of the framebuffer attachments".

    def views(self, subpass):
        """Without it there is one, which stands for the layer of an attachment."""
        return self.subpasses[subpass - 1]["views"] or 1

    def layers_of(self, part, views):
        return [view for view in range(2) if views >> view & 1] if self.has_views \
            else [part["layer"]]

    def tells_draws(self):
        return self.views(self.current) != 3

    def layers(self, part):
        return self.layers_of(part, self.views(self.current))

    def changing(self, part):
        """"Automatic layout transitions": of the layers of all subpasses' views."""
        views = 0
        for number in range(1, len(self.subpasses) + 1):
            views |= self.views(number)
        return self.cells(part, layers=self.layers_of(part, views))

    def operations(self, operate, is_elsewhere):
        """Load or store operations of the views that no subpass before or behind this one uses an
        attachment in."""
        for at, part in enumerate(self.attachments):
            uses = [number for number, _ in self.layouts(at)]
            views = self.views(self.current) if self.current in uses else 0
            for number in uses:
                if is_elsewhere(number):
                    views &= ~self.views(number)
            if views:
                operate(part, self.current, self.layers_of(part, views))

    def add_implicit(self):
        """"If there is no subpass dependency from VK_SUBPASS_EXTERNAL to the first subpass that
        uses an attachment", and alike at the end, where there is a layout transition."""
        for at, part in enumerate(self.attachments):
            if not self.layouts(at):
                continue
            (first, layout), (last, last_layout) = self.layouts(at)[0], self.layouts(at)[-1]
            known = {made[:2] for made in self.made}
            if part["initial"] != layout and (0, first) not in known:
                words = {"from": TOP, "to": ALL_COMMANDS, "to_access": ATTACHMENT_ACCESSES}
                self.made.append((0, first, self.dependency(0, first, words)))
            if part["final"] != last_layout and (last, 0) not in known:
                words = {"from": ALL_COMMANDS, "from_access": ATTACHMENT_ACCESSES, "to": BOTTOM}
                self.made.append((last, 0, self.dependency(last, 0, words)))

    def between(self, before=None, behind=None):
        return [made for from_, to, made in self.made
                if before in (None, from_) and behind in (None, to)]

    def initial_transition(self, at):
        """"Automatic layout transitions away from initialLayout": behind all dependencies from
        outside into subpasses that use the attachment."""
        part, uses = self.attachments[at], self.layouts(at)
        first, layout = uses[0]
        if part["initial"] != layout:
            into = [made for number, _ in uses for made in self.between(0, number)]
            self.walk.transition(self.changing(part), into, self.between(None, first),
                                 self.begin)

    def inner_transitions(self):
        """Between two subpasses that use an attachment in different layouts."""
        for at, part in enumerate(self.attachments):
            uses = self.layouts(at)
            for (before, old), (behind, new) in zip(uses, uses[1:]):
                if behind == self.current and old != new:
                    self.walk.transition(self.changing(part), self.between(before),
                                         self.between(None, behind), self.walk.place())

    def next(self):
        if self.current:
            self.leave()
            self.walk.place() # the next one does not begin where this one ends
        self.current += 1
        for at in range(len(self.attachments)):
            if self.layouts(at) and self.layouts(at)[0][0] == self.current:
                self.initial_transition(at)
        self.inner_transitions()
        self.low = self.walk.now() + 1
        for number, scope, _ in self.scopes:
            if number == self.current:
                scope.low = self.walk.now() + 1
                scope.high = END
        self.operations(self.load, lambda number: number < self.current)

    def operated(self, parts, subpass):
        """VkSubpassDependency: its scopes hold "any load, store or multisample resolve operations on
        attachments used in" its subpass. What the two subpasses use would be in both, and before
        itself: it is where it stands that makes it earlier or later."""
        used = {number for part in parts
                for number, _ in self.layouts(self.attachments.index(part))} - {subpass}
        operation = self.walk.accesses[-1]
        for before, behind, made in self.made:
            if before in used and (before > subpass or behind == 0 or behind > subpass):
                made.first.members.add(operation)
            if behind in used and (behind < subpass or before < subpass):
                made.second.members.add(operation)

    def limit(self, first, second):
        """A barrier's scopes are those of commands in the same subpass (vkCmdPipelineBarrier)."""
        first.low = self.low
        self.scopes.append((self.current, second, False))

    def part(self, key):
        number = self.subpasses[self.current - 1][key]
        return self.attachments[number - 1] if number else None

    def leave(self):
        """The subpass's end."""
        if self.part("resolve"):
            self.resolve(self.part("color"), self.part("resolve"), self.current)
        self.operations(self.store, lambda number: number > self.current)
        for number, scope, _ in self.scopes:
            if number == self.current:
                scope.high = self.walk.now() + 1

    def draw(self, line):
        if line["shader"] == 5:
            self.walk.add("FRAGMENT_SHADER", "INPUT_ATTACHMENT_READ",
                          self.cells(self.part("input")), self.use(self.current, "input"))
        self.drawn(line, self.part("color"), self.part("depth"), self.current)

    def clear(self, line):
        self.clear_rows(line, self.part("color" if line["aspects"] == 1 else "depth"),
                        self.current)

    def end(self):
        self.leave()
        place = self.walk.place()
        for number, scope, is_first in self.scopes:
            if number == 0 and not is_first:
                scope.low = place + 1
        for at, part in enumerate(self.attachments):
            uses = self.layouts(at)
            if not uses: # "Automatic layout transitions": no dependency names it
                if part["initial"] != part["final"]:
                    self.walk.transition(self.changing(part), [], [], place)
                continue
            if part["final"] == uses[-1][1]:
                continue
            out = [made for number, _ in uses for made in self.between(number, 0)]
            self.walk.transition(self.changing(part), self.between(uses[-1][0]), out, place)
