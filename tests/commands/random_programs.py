# SPDX-License-Identifier: Apache-2.0
"""Random programs of commands (command_program.py): valid ones, with dependencies that are as often
right as wrong. Knows which commands go where; not what they mean together."""
import random

from command_program import Line, Program

BUFFERS, IMAGES, EVENTS = 3, 2, 2
UNIT, UNITS = 64, 4
SIDE = 4

COPY, CLEAR, BLIT, RESOLVE = 1 << 32, 1 << 35, 1 << 34, 1 << 33
TRANSFER, COMPUTE, ALL_COMMANDS = 1 << 12, 1 << 11, 1 << 16
TOP, BOTTOM, HOST = 1 << 0, 1 << 13, 1 << 14
DRAW_INDIRECT = 1 << 1
TRANSFER_READ, TRANSFER_WRITE = 1 << 11, 1 << 12
SHADER_READ, SHADER_WRITE, UNIFORM_READ = 1 << 5, 1 << 6, 1 << 3
SAMPLED_READ, STORAGE_READ, STORAGE_WRITE = 1 << 32, 1 << 33, 1 << 34
MEMORY_READ, MEMORY_WRITE = 1 << 15, 1 << 16
INDIRECT_READ = 1 << 0
HOST_READ, HOST_WRITE = 1 << 13, 1 << 14
GENERAL, UNDEFINED = 1, 0

# Stages and the accesses that they have, as often as they are chosen; of the first form's bits, and
# of those that only the second has.
SCOPES = [
    (4, TRANSFER, TRANSFER_READ | TRANSFER_WRITE),
    (4, COMPUTE, SHADER_READ | SHADER_WRITE | UNIFORM_READ),
    (3, ALL_COMMANDS, MEMORY_READ | MEMORY_WRITE),
    (1, DRAW_INDIRECT, INDIRECT_READ),
    (1, TOP, 0),
    (1, BOTTOM, 0),
]
SECOND_SCOPES = SCOPES + [
    (2, COPY, TRANSFER_READ | TRANSFER_WRITE),
    (1, CLEAR, TRANSFER_WRITE),
    (1, BLIT, TRANSFER_READ | TRANSFER_WRITE),
    (2, COMPUTE, SAMPLED_READ | STORAGE_READ | STORAGE_WRITE),
]


class Maker:
    """One program while it is made."""

    def __init__(self, seed, options):
        self.random = random.Random(seed)
        self.options = options
        self.lines = []
        self.set_events = {}

    def below(self, most):
        return self.random.randrange(most)

    def chance(self, one_in):
        return self.random.randrange(one_in) == 0

    def emit(self, op, parts=(), **words):
        self.lines.append(Line(op, words, parts))

    # ---- Objects

    def objects(self):
        for at in range(BUFFERS):
            self.emit("buffer", id=at, bytes=UNIT * UNITS, coherent=1)
        for at in range(IMAGES):
            self.emit("image", id=at, mips=2, layers=2)
        for at in range(EVENTS):
            self.emit("event", id=at)
            self.emit("semaphore", id=at)

    # ---- Scopes

    def scope(self, second_form):
        scopes = SECOND_SCOPES if second_form else SCOPES
        weights = [scope[0] for scope in scopes]
        stages = accesses = 0
        for _ in range(1 + self.chance(4)):
            _, more, kinds = self.random.choices(scopes, weights)[0]
            stages |= more
            accesses |= kinds
        # Some forget what they wait for.
        for bit in range(64):
            if accesses >> bit & 1 and self.chance(6):
                accesses &= ~(1 << bit)
        return stages, accesses

    def barrier_part(self, source, target):
        words = {"from": source[0], "from_access": source[1], "to": target[0],
                 "to_access": target[1]}
        kind = self.below(6)
        if kind < 3:
            return Line("memory", words)
        if kind < 5 and self.options.buffers or not self.options.images:
            buffer, at, size = self.range()
            return Line("buffer", {**words, "id": buffer, "at": at, "bytes": size})
        return self.image_part(words)

    def image_part(self, words):
        image, mip, layer = self.below(IMAGES), self.below(2), self.below(2)
        return Line("image", {**words, "id": image, "mip": mip, "mips": 1 + self.below(2 - mip),
                              "layer": layer, "layers": 1 + self.below(2 - layer),
                              "old": UNDEFINED if self.chance(3) else GENERAL})

    def barrier(self):
        if self.chance(2):
            parts = [self.barrier_part(self.scope(True), self.scope(True))
                     for _ in range(1 + self.below(2))]
            self.emit("barrier2", parts)
            return
        source, target = self.scope(False), self.scope(False)
        parts = [self.barrier_part(source, target) for _ in range(self.below(3))]
        self.emit("barrier", parts, **{"from": source[0], "to": target[0]})

    def event(self):
        at = self.below(EVENTS)
        known = self.set_events.pop(at, None)
        if known == "used":
            self.set_events[at] = known
        elif known is None:
            self.set_event(at)
        elif known[0] == "second":
            self.emit("wait_event2", [part.copy() for part in known[1]], id=at)
            self.set_events[at] = "used"
        else:
            target = self.scope(False)
            parts = [self.barrier_part(known[1], target) for _ in range(self.below(3))]
            self.emit("wait_event", parts, id=at, **{"from": known[1][0], "to": target[0]})
            self.set_events[at] = "used"

    def set_event(self, at):
        if self.chance(2):
            parts = [self.barrier_part(self.scope(True), self.scope(True))]
            self.set_events[at] = ("second", parts)
            self.emit("set_event2", [part.copy() for part in parts], id=at)
            return
        source = self.scope(False)
        self.set_events[at] = ("first", source)
        self.emit("set_event", id=at, **{"from": source[0]})

    # ---- Accesses

    def range(self):
        first = self.below(UNITS)
        return self.below(BUFFERS), first * UNIT, (1 + self.below(UNITS - first)) * UNIT

    def pair(self):
        one, one_at, one_size = self.range()
        other, other_at, other_size = self.range()
        if one == other:
            other = (one + 1) % BUFFERS
        return one, one_at, other, other_at, min(one_size, other_size)

    def fill(self):
        buffer, at, size = self.range()
        self.emit(self.random.choice(["fill", "update"]), to=buffer, to_at=at, bytes=size)

    def copy(self):
        one, one_at, other, other_at, size = self.pair()
        self.emit("copy", **{"from": one, "from_at": one_at, "to": other, "to_at": other_at,
                             "bytes": size})

    def rows(self, mip):
        side = SIDE >> mip
        row = self.below(side)
        return row, 1 + self.below(side - row)

    def copy_image(self):
        image, mip, layer = self.below(IMAGES), self.below(2), self.below(2)
        layers = 1 + self.below(2 - layer)
        row, rows = self.rows(mip)
        self.emit("copy_image", **{"from": image, "to": 1 - image}, mip=mip, to_mip=mip,
                  layer=layer, to_layer=self.below(3 - layers), layers=layers, row=row, rows=rows,
                  to_row=self.below((SIDE >> mip) - rows + 1))

    def blit(self):
        image = self.below(IMAGES)
        self.emit("blit", **{"from": image, "to": 1 - image}, mip=self.below(2),
                  to_mip=self.below(2), layer=self.below(2), to_layer=self.below(2), layers=1)

    def between(self):
        mip, layer = self.below(2), self.below(2)
        layers = 1 + self.below(2 - layer)
        row, rows = self.rows(mip)
        size = (SIDE >> mip) * rows * layers * 4
        at = 4 * self.below((UNIT * UNITS - size) // 4 + 1)
        self.emit(self.random.choice(["image_to_buffer", "buffer_to_image"]),
                  image=self.below(IMAGES), buffer=self.below(BUFFERS), at=at, mip=mip,
                  layer=layer, layers=layers, row=row, rows=rows)

    def clear(self):
        mip, layer = self.below(2), self.below(2)
        self.emit("clear", image=self.below(IMAGES), mip=mip, mips=1 + self.below(2 - mip),
                  layer=layer, layers=1 + self.below(2 - layer))

    def dispatch(self):
        one, one_at, other, other_at, size = self.pair()
        shader = self.below(2) if not self.options.images else self.below(5)
        words = {"shader": shader, "groups": size // UNIT}
        if shader in (1, 2, 3, 4):
            words["groups"] = 1
        if shader in (0, 4):
            words |= {"read": one + 1, "read_at": one_at}
        if shader == 1:
            words |= {"uniform": one + 1, "uniform_at": one_at}
        if shader in (2, 3, 4):
            words |= {"picture" if shader == 2 else "texels": 1 + self.below(IMAGES),
                      "mip": self.below(2), "layer": self.below(2)}
        if shader != 4:
            words |= {"write": other + 1, "write_at": other_at}
        self.emit("dispatch", **words)

    def dispatch_indirect(self):
        buffer, at, _ = self.range()
        self.emit("dispatch_indirect", shader=5, **{"from": buffer, "from_at": at})

    def command(self):
        of_buffers = [self.fill, self.copy, self.dispatch, self.dispatch, self.dispatch_indirect]
        of_images = [self.copy_image, self.between, self.clear, self.blit, self.dispatch]
        kinds = (of_buffers if self.options.buffers else []) + (
            of_images if self.options.images else [])
        self.random.choice(kinds)()

    # ---- Programs

    def begin_images(self):
        parts = [Line("image", {"from": TOP, "to": ALL_COMMANDS,
                                "to_access": MEMORY_READ | MEMORY_WRITE, "id": at, "mips": 2,
                                "layers": 2, "old": UNDEFINED}) for at in range(IMAGES)]
        self.emit("barrier", parts, **{"from": TOP, "to": ALL_COMMANDS})
        for at in range(IMAGES):
            self.emit("clear", image=at, mips=2, layers=2)
        self.full_barrier()

    def full_barrier(self):
        self.emit("barrier", [Line("memory", {"from": ALL_COMMANDS, "to": ALL_COMMANDS,
                                              "from_access": MEMORY_READ | MEMORY_WRITE,
                                              "to_access": MEMORY_READ | MEMORY_WRITE})],
                  **{"from": ALL_COMMANDS, "to": ALL_COMMANDS})

    def submit(self, buffer, waits, signals):
        second = self.chance(2)
        parts = [Line("wait", {"semaphore": at, "stages": self.scope(second)[0]}) for at in waits]
        parts.append(Line("run", {"id": buffer}))
        parts += [Line("signal", {"semaphore": at,
                                  "stages": self.scope(True)[0] if second else ALL_COMMANDS})
                  for at in signals]
        self.emit("submit2" if second else "submit", parts, queue=0)

    def make(self, number):
        self.objects()
        semaphore, signaled = 0, []
        self.emit("begin", id=0, queue=0)
        if self.options.images:
            self.begin_images()
        buffer = 0
        for step in range(self.options.steps):
            if self.chance(4):
                self.event()
            if self.chance(2):
                self.barrier()
            self.command()
            if step + 1 < self.options.steps and self.chance(4):
                signals = [semaphore] if self.chance(2) and semaphore < EVENTS else []
                self.emit("end")
                self.submit(buffer, signaled, signals)
                semaphore += len(signals)
                signaled = signals
                buffer += 1
                self.emit("begin", id=buffer, queue=0)
        self.emit("end")
        self.submit(buffer, signaled, [])
        return Program(number, self.lines)


class Options:
    """What programs are made of."""

    def __init__(self, steps=4, buffers=True, images=True):
        self.steps, self.buffers, self.images = steps, buffers, images


KINDS = {
    "buffers": Options(steps=4, images=False),
    "images": Options(steps=4, buffers=False),
    "both": Options(steps=5),
}


def make(number, kind):
    return Maker(f"{kind} {number}", KINDS[kind]).make(number)
