# SPDX-License-Identifier: Apache-2.0
"""Render passes and dynamic rendering in a random program: their attachments, subpasses, draws, and
dependencies between and within subpasses. Knows no other commands."""
from command_program import Line
from random_scopes import (ALL_GRAPHICS, BOTTOM, COLOR, COLOR_ACCESSES, DRAW_INDIRECT, FRAGMENT,
                           GENERAL, INDIRECT_READ, INPUT_READ, SHADER_READ, SHADER_WRITE,
                           TEST_ACCESSES, TESTS, TOP, UNDEFINED, VERTEX_INPUT, VERTEX_READS)

IMAGES, DEPTH_IMAGE, MULTI_IMAGE = 2, 2, 3
SIDE = 4
LOAD_NONE, STORE_NONE = 1000400000, 1000301000
LOAD_OPS, STORE_OPS = 3, 2
LOAD_DISCARD = 2
COLOR_OPTIMAL = 2
BY_REGION, VIEW_LOCAL = 1, 2
BY_SECONDARY, SUSPENDING, RESUMING = 1, 2, 4 # of dynamic rendering

# Of dependencies of a subpass on itself: stages in order, so that it need not be by region; and
# those of the framebuffer, where it must.
OWN_MASKS = {"from": VERTEX_INPUT | DRAW_INDIRECT, "from_access": VERTEX_READS | INDIRECT_READ,
             "to": VERTEX_INPUT | FRAGMENT, "to_access": VERTEX_READS | SHADER_READ | SHADER_WRITE}
FRAME, FRAME_ACCESSES = COLOR | TESTS | FRAGMENT, COLOR_ACCESSES | TEST_ACCESSES | SHADER_READ | \
    SHADER_WRITE | INPUT_READ
FRAME_MASKS = {"from": FRAME, "from_access": FRAME_ACCESSES, "to": FRAME, "to_access": FRAME_ACCESSES}
ACCESSES = ((DRAW_INDIRECT, INDIRECT_READ), (VERTEX_INPUT, VERTEX_READS), (COLOR, COLOR_ACCESSES),
            (TESTS, TEST_ACCESSES), (FRAGMENT, SHADER_READ | SHADER_WRITE | INPUT_READ))


def accesses_of(stages):
    return sum(accesses for stage, accesses in ACCESSES if stages & stage)


class Passes:
    """The passes of a program while it is made."""

    # ---- Attachments and dependencies

    def one_frame(self):
        """Of passes some kind."""
        self.frame = set() # (image, layer) of attachments
        self.random.choice([self.one_pass, self.one_pass, self.two_subpasses,
                            self.three_subpasses, self.views, self.rendering,
                            self.rendering])()

    def load_op(self):
        if not self.chance(6):
            return self.below(LOAD_OPS)
        return LOAD_DISCARD if "load_none" in self.lacks else LOAD_NONE

    def attachment(self, image, layer, layout, resolved=False):
        self.frame.add((image, layer))
        load = 2 if resolved else self.load_op()
        store = STORE_NONE if self.chance(6) else self.below(STORE_OPS)
        initial = self.random.choice([GENERAL, layout])
        if load and self.chance(3):
            initial = UNDEFINED
        return Line("attachment", {
            "image": image, "layer": layer, "load": load, "store": store,
            "stencil_load": self.load_op() if initial != UNDEFINED else 1,
            "stencil_store": self.below(STORE_OPS),
            "initial": GENERAL if initial == COLOR_OPTIMAL else initial, "final": GENERAL})

    def unused(self, image, layer):
        """An attachment that no subpass uses: it changes its layout, and nothing else."""
        self.frame.add((image, layer))
        return Line("attachment", {"image": image, "layer": layer, "load": LOAD_DISCARD, "store": 1,
                                   "initial": UNDEFINED, "final": GENERAL})

    def dependencies(self, pairs, flags=BY_REGION, own=True):
        """`flags`: some of these. `own`: with some for barriers in the first subpass."""
        parts = []
        for before, behind in pairs:
            if self.chance(3):
                continue
            source, target = self.scope(False), self.scope(False)
            # Subpasses have the stages of graphics.
            graphics = ALL_GRAPHICS | COLOR | TESTS | FRAGMENT | VERTEX_INPUT | DRAW_INDIRECT
            if before and not source[0] & ~(TOP | BOTTOM | graphics) == 0:
                source = (COLOR | TESTS, COLOR_ACCESSES | TEST_ACCESSES)
            if behind and not target[0] & ~(TOP | BOTTOM | graphics) == 0:
                target = (COLOR | TESTS | FRAGMENT,
                          COLOR_ACCESSES | TEST_ACCESSES | INPUT_READ | SHADER_READ)
            parts.append(Line("dependency", {
                "before": before, "behind": behind, "from": source[0], "from_access": source[1],
                "to": target[0], "to_access": target[1],
                "flags": flags & self.below(4) if before and behind else 0}))
        if own:
            parts += [Line("dependency", {"before": 1, "behind": 1, **OWN_MASKS}),
                      Line("dependency", {"before": 1, "behind": 1, "flags": BY_REGION,
                                          **FRAME_MASKS})]
        return parts

    def inner_barrier(self):
        """Within what one of the subpass's dependencies on itself allows."""
        by_region = self.below(2)
        masks = FRAME_MASKS if by_region else OWN_MASKS
        words = {key: mask & (mask if self.forget == 100 else self.random.getrandbits(32))
                 for key, mask in masks.items()}
        stages = {"from": words["from"] or (COLOR if by_region else VERTEX_INPUT),
                  "to": words["to"] or FRAGMENT}
        words |= {side + "_access": words[side + "_access"] & accesses_of(stages[side])
                  for side in stages}
        common = {**stages, "inside": 1, "flags": by_region * BY_REGION}
        self.emit("barrier", [Line("memory", {**words, **common})], **common)

    # ---- Passes

    def contents(self, line, subpass, body):
        """What `body` emits into a subpass; perhaps it is other command buffers' that the last line
        says to be executed, in the pass that `line` begins."""
        if not self.chance(4):
            body()
            return
        dynamic, flags = line.op == "begin_rendering", line["flags"]
        word, bit = ("flags", BY_SECONDARY) if dynamic else ("secondaries", 1)
        self.lines[-1].words[word] = self.lines[-1][word] | bit
        start = len(self.lines)
        body()
        emitted = self.lines[start:]
        cut = self.below(len(emitted) + 1)
        del self.lines[start:]
        for part in (emitted[:cut], emitted[cut:]):
            called = self.recorded_apart(part, line.parts, secondary=1, continues=1 + dynamic,
                                         subpass=subpass - 1, flags=flags)
            self.emit("execute", id=called)

    def one_pass(self):
        image, layer = self.below(IMAGES), self.below(2)
        layout = self.random.choice([GENERAL, COLOR_OPTIMAL])
        kind = self.below(5)
        parts = [self.attachment(image, layer, layout)]
        subpass = {"color": 1, "layout": layout}
        if kind == 0:
            parts = [self.attachment(MULTI_IMAGE, 0, layout),
                     self.attachment(image, layer, layout, resolved=True)]
            subpass["resolve"] = 2
        elif kind == 1:
            subpass["layout"] = GENERAL
            parts = [self.attachment(image, layer, GENERAL),
                     self.attachment(DEPTH_IMAGE, 0, GENERAL)]
            subpass["depth"] = 2
        elif kind == 2:
            subpass |= {"layout": GENERAL, "input": 1}
            parts = [self.attachment(image, layer, GENERAL)]
        if self.chance(4):
            parts.append(self.unused(1 - image, layer))
        self.emit("begin_pass", [*parts, Line("subpass", subpass),
                                 *self.dependencies([(0, 1), (1, 0)])])
        feedback = {"input": image + 1, "layer": layer, "masked": 1} if kind == 2 else None
        self.contents(self.lines[-1], 1, lambda: self.draws(kind == 1, kind == 0, inner=True,
                                                            reads=feedback))
        self.emit("end_pass")

    def two_subpasses(self):
        image, layer = self.below(IMAGES), self.below(2)
        layout = self.random.choice([GENERAL, COLOR_OPTIMAL])
        parts = [self.attachment(image, layer, layout),
                 self.attachment(1 - image, layer, GENERAL)]
        pairs = [(0, 1), (1, 2), (2, 0), (0, 2), (1, 0)]
        self.emit("begin_pass", [*parts, Line("subpass", {"color": 1, "layout": layout}),
                                 Line("subpass", {"color": 2, "input": 1, "layout": GENERAL}),
                                 *self.dependencies(pairs)])
        begin = self.lines[-1]
        self.contents(begin, 1, lambda: self.draws(inner=True))
        self.emit("next_subpass")
        self.contents(begin, 2, lambda: self.input_draw(image, layer))
        self.emit("end_pass")

    def three_subpasses(self):
        """The second one preserves what the first one writes."""
        image, layer = self.below(IMAGES), self.below(2)
        layout = self.random.choice([GENERAL, COLOR_OPTIMAL])
        parts = [self.attachment(image, layer, layout),
                 self.attachment(1 - image, layer, GENERAL)]
        reads = self.chance(2)
        last = {"color": 2, "input": 1} if reads else {"color": 1, "preserve": 2}
        pairs = [(0, 1), (1, 2), (2, 3), (1, 3), (0, 2), (3, 0), (2, 0)]
        self.emit("begin_pass", [*parts, Line("subpass", {"color": 1, "layout": layout}),
                                 Line("subpass", {"color": 2, "preserve": 1, "layout": GENERAL}),
                                 Line("subpass", {**last, "layout": GENERAL}),
                                 *self.dependencies(pairs)])
        begin = self.lines[-1]
        self.contents(begin, 1, lambda: self.draws(inner=True))
        self.emit("next_subpass")
        self.contents(begin, 2, lambda: self.draws())
        self.emit("next_subpass")
        self.contents(begin, 3, lambda: self.input_draw(image, layer) if reads
                      else self.draws())
        self.emit("end_pass")

    def views(self):
        """Subpasses that render to views of one attachment, or of two."""
        if "multiview" in self.lacks:
            self.one_pass()
            return
        image = self.below(IMAGES)
        layout = self.random.choice([GENERAL, COLOR_OPTIMAL])
        parts = [self.attachment(at, 0, layout) for at in (image, 1 - image)]
        for part in parts:
            part.words["all_layers"] = 1
            self.frame.add((part["image"], 1))
        masks = [1 + self.below(3) for _ in range(2)]
        subpasses = [Line("subpass", {"color": 1, "layout": layout, "views": masks[0]}),
                     Line("subpass", {"color": 1 + self.below(2), "layout": GENERAL,
                                      "views": masks[1]})]
        # Each view of one subpass with the same of the other, where they have the same.
        flags = BY_REGION | VIEW_LOCAL if masks[0] == masks[1] else BY_REGION
        if subpasses[1]["color"] == 1:
            parts.pop()
        pairs = [(0, 1), (1, 2), (2, 0), (0, 2), (1, 0)]
        self.emit("begin_pass", [*parts, *subpasses, *self.dependencies(pairs, flags, own=False)])
        begin = self.lines[-1]
        self.contents(begin, 1, lambda: self.draws(multi=True))
        self.emit("next_subpass")
        self.contents(begin, 2, lambda: self.draws(multi=True))
        self.emit("end_pass")

    def rendering(self):
        """Perhaps suspended, and resumed in the same command buffer or in the next one."""
        image, layer = self.below(IMAGES), self.below(2)
        kind = self.below(3)
        made = self.attachment(image, layer, GENERAL)
        parts = [Line("color", made.words)]
        if kind == 0:
            parts.append(Line("depth", self.attachment(DEPTH_IMAGE, 0, GENERAL).words))
        elif kind == 1:
            parts = [Line("color", self.attachment(MULTI_IMAGE, 0, GENERAL).words),
                     Line("resolve", {"image": image, "layer": layer})]
        self.frame.add((image, layer))
        suspended = self.chance(3)
        for flags in (SUSPENDING, RESUMING) if suspended else (0,):
            self.emit("begin_rendering", [part.copy() for part in parts], flags=flags)
            self.contents(self.lines[-1], 1, lambda: self.draws(kind == 0, kind == 1))
            self.emit("end_rendering")
            # Those that resume one and suspend another validation takes for none that resume.
            if flags == SUSPENDING and len(self.runs) == 1 and self.chance(2):
                self.emit("end")
                self.begin()

    # ---- Draws

    def input_draw(self, image, layer):
        if self.chance(2):
            self.emit("draw", shader=5, input=image + 1, layer=layer)

    def draws(self, depth=False, multi=False, inner=False, reads=None):
        """`reads`: words of a draw that reads what others write."""
        for _ in range(self.below(3) + bool(reads)):
            if inner and self.chance(3 - bool(reads)):
                self.inner_barrier()
            if reads and self.chance(2):
                self.emit("draw", shader=5, **reads)
            elif self.chance(4):
                self.emit("clear_attachment", aspects=self.random.choice([1, 2, 4]) if depth else 1,
                          row=(row := self.below(SIDE)), rows=1 + self.below(SIDE - row))
            else:
                self.draw(depth, multi)

    def draw(self, depth, multi):
        buffer, at, _ = self.range()
        # Fragments of multisampled pixels may run more than once, and race with themselves.
        shader = self.below(4 if multi else 5)
        # What is an attachment is not sampled.
        free = [(image + 1, layer) for image in range(IMAGES) for layer in range(2)
                if (image, layer) not in self.frame]
        if shader == 3 and not free:
            shader = 0
        words = {"shader": shader, "blend": self.below(2)}
        key = {1: "read", 2: "uniform", 4: "write"}.get(shader)
        if key:
            words |= {key: buffer + 1, key + "_at": at}
        if shader == 3:
            words |= dict(zip(("picture", "layer"), self.random.choice(free)))
        if depth:
            words |= {"depth_test": self.below(2), "depth_write": self.below(2),
                      "stencil_test": self.below(2), "stencil_write": self.below(2)}
        for key in ("vertices", "indices", "arguments"):
            if self.chance(5):
                buffer, at, _ = self.range()
                words |= {key: buffer + 1, key + "_at": at}
        if "arguments" in words:
            words = {key: value for key, value in words.items()
                     if not key.startswith(("vertices", "indices"))}
        self.emit("draw", **words)
