# SPDX-License-Identifier: Apache-2.0
"""Random programs of commands (command_program.py): valid ones, with dependencies that are as often
right as wrong. Knows which commands go where; not what they mean together."""
import os
import random
import subprocess

from command_program import Line, Program
from random_hosts import FENCES, HOST_TIMELINE, OTHER_TIMELINE, SEMAPHORES, TIMELINES, Hosts
from random_owners import Owners
from random_passes import DEPTH_IMAGE, IMAGES, MULTI_IMAGE, SIDE, Passes
from random_scopes import (ALL_COMMANDS, CONDITIONAL, GENERAL, GRAPHICS_SCOPES, HOST_SCOPE,
                           MEMORY_READ, MEMORY_WRITE, PREDICATE_READ, SCOPES, SECOND_SCOPES, TOP,
                           TRANSFER_STAGES, UNDEFINED, full_barrier)

BUFFERS, EVENTS = 3, 2
ALIAS = BUFFERS # of the first buffer's second half
POOL, QUERIES = 0, 3
UNIT, UNITS = 64, 4


class Maker(Hosts, Owners, Passes):
    """One program while it is made."""

    def __init__(self, seed, options, lacks):
        self.random = random.Random(seed)
        self.options = options
        self.lacks = lacks
        self.lines = []
        self.set_events = {}
        self.queue = 0
        self.buffers_recorded = self.at_begin = 0
        self.runs = []
        self.in_secondary = False
        self.ended_queries = set()
        self.start_host()
        self.start_owners()
        # Some programs forget nearly all, some nearly nothing.
        self.forget = self.random.choice([4, 12, 100])

    def below(self, most):
        return self.random.randrange(most)

    def chance(self, one_in):
        return self.random.randrange(one_in) == 0

    def emit(self, op, parts=(), **words):
        self.lines.append(Line(op, words, parts))

    # ---- Objects

    def objects(self):
        many = self.options.queues > 1 and not self.options.exclusive
        for at in range(BUFFERS):
            self.emit("buffer", id=at, bytes=UNIT * UNITS, coherent=int(at != 1), mapped=1,
                      concurrent=int(many))
        if self.options.aliases:
            self.emit("buffer", id=ALIAS, bytes=UNIT * UNITS // 2, alias=1,
                      alias_at=UNIT * UNITS // 2, concurrent=int(many))
        for at in range(IMAGES):
            self.emit("image", id=at, mips=2, layers=2, concurrent=int(many))
        if self.options.passes:
            self.emit("image", id=DEPTH_IMAGE, mips=1, layers=1, depth=1, concurrent=int(many))
            self.emit("image", id=MULTI_IMAGE, mips=1, layers=1, multi=1, concurrent=int(many))
        for at in range(EVENTS):
            self.emit("event", id=at)
        if self.options.queries:
            self.emit("query_pool", id=POOL, count=QUERIES)
        for at in [*range(SEMAPHORES), HOST_TIMELINE, OTHER_TIMELINE]:
            self.emit("semaphore", id=at, timeline=int(at in TIMELINES))
        for at in range(FENCES):
            self.emit("fence", id=at)

    # ---- Scopes

    def scope(self, second_form, of_host=True):
        """`of_host`: the host may be in it (not where only a device can be)."""
        scopes = SECOND_SCOPES if second_form else SCOPES
        if self.options.host and of_host:
            scopes = scopes + [HOST_SCOPE]
        if self.options.passes and self.queue < 2:
            scopes = scopes + GRAPHICS_SCOPES
        if self.options.queries:
            scopes = scopes + [(1, CONDITIONAL, PREDICATE_READ)]
        if self.queue == 3:
            scopes = [scope for scope in scopes if scope[1] & TRANSFER_STAGES]
        weights = [scope[0] for scope in scopes]
        stages = accesses = 0
        for _ in range(1 + self.chance(4)):
            _, more, kinds = self.random.choices(scopes, weights)[0]
            stages |= more
            accesses |= kinds
        # Some forget what they wait for.
        for bit in range(64):
            if accesses >> bit & 1 and self.chance(self.forget):
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
            self.emit("barrier2", self.of_one_transition(parts))
            return
        source, target = self.scope(False), self.scope(False)
        parts = self.of_one_transition([self.barrier_part(source, target)
                                        for _ in range(self.below(3))])
        self.emit("barrier", parts, **{"from": source[0], "to": target[0]})

    @staticmethod
    def of_one_transition(parts):
        """Those of one command are in no order."""
        for part in [part for part in parts if part.op == "image"][1:]:
            part.words["old"] = GENERAL
        return parts

    def event(self):
        if self.queue == 3:
            return # transfers alone have none
        at = self.below(EVENTS)
        known = self.set_events.get(at)
        if known and known != "used" and known[2] != self.queue:
            return # events are of one queue
        self.set_events.pop(at, None)
        if known == "used":
            self.set_events[at] = known
        elif known is None and self.options.late and self.chance(2):
            self.wait_host_event(at)
            self.set_events[at] = "used"
        elif known is None:
            self.set_event(at)
        elif known[0] == "second":
            self.emit("wait_event2", [part.copy() for part in known[1]], id=at)
            self.set_events[at] = "used"
        else:
            target = self.scope(False)
            parts = self.of_one_transition([self.barrier_part(known[1], target)
                                            for _ in range(self.below(3))])
            self.emit("wait_event", parts, id=at, **{"from": known[1][0], "to": target[0]})
            self.set_events[at] = "used"

    def set_event(self, at):
        if self.chance(2):
            source, target = (self.scope(True, of_host=False) for _ in range(2))
            parts = [self.barrier_part(source, target)]
            self.set_events[at] = ("second", parts, self.queue)
            self.emit("set_event2", [part.copy() for part in parts], id=at)
            return
        source = self.scope(False, of_host=False)
        self.set_events[at] = ("first", source, self.queue)
        self.emit("set_event", id=at, **{"from": source[0]})

    # ---- Accesses

    def range(self):
        first = self.below(UNITS)
        buffer, at = self.below(BUFFERS), first * UNIT
        size = (1 + self.below(UNITS - first)) * UNIT
        half = UNIT * UNITS // 2
        if self.options.aliases and buffer == 0 and at >= half and \
                self.chance(2):
            return ALIAS, at - half, size
        return buffer, at, size

    def pair(self):
        one, one_at, one_size = self.range()
        other, other_at, other_size = self.range()
        if one == other or {one, other} == {0, ALIAS}:
            other = 1 if one != 1 else 2
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

    def query(self):
        """One that is reset, begun and ended, and perhaps copied; others are only copied."""
        first = self.below(QUERIES)
        if self.queue < 2 and (first not in self.ended_queries or self.chance(2)):
            self.emit("reset_queries", pool=POOL, first=first, count=1)
            self.emit("begin_query", pool=POOL, first=first)
            if self.chance(2):
                self.dispatch()
            self.emit("end_query", pool=POOL, first=first)
            self.ended_queries.add(first)
        if first in self.ended_queries and self.queue != 3:
            buffer, at, _ = self.range()
            self.emit("copy_queries", pool=POOL, first=first, count=1, to=buffer, to_at=at)

    def conditional(self):
        buffer, at, _ = self.range()
        self.emit("begin_conditional", buffer=buffer, at=at, inverted=self.below(2))
        self.dispatch()
        self.emit("end_conditional")

    def dispatch_indirect(self):
        buffer, at, _ = self.range()
        self.emit("dispatch_indirect", shader=5, **{"from": buffer, "from_at": at})

    def command(self):
        of_buffers = [self.fill, self.copy]
        of_images = [self.copy_image, self.between]
        if self.queue != 3:
            of_buffers += [self.dispatch, self.dispatch, self.dispatch_indirect]
            of_images += [self.clear, self.dispatch]
            if self.options.queries:
                of_buffers += [self.query, self.query] if self.queue < 2 else []
                of_buffers += [] if self.in_secondary else [self.conditional]
        if self.queue < 2:
            of_images.append(self.blit)
        if self.options.passes and self.queue < 2 and not self.in_secondary and self.below(3):
            self.one_frame()
            return
        kinds = (of_buffers if self.options.buffers else []) + (
            of_images if self.options.images else [])
        self.random.choice(kinds)()

    # ---- Programs

    def begin_images(self):
        sizes = [2] * IMAGES + ([1, 1] if self.options.passes else [])
        parts = [Line("image", {"from": TOP, "to": ALL_COMMANDS,
                                "to_access": MEMORY_READ | MEMORY_WRITE, "id": at, "mips": size,
                                "layers": size, "old": UNDEFINED}) for at, size in enumerate(sizes)]
        self.emit("barrier", parts, **{"from": TOP, "to": ALL_COMMANDS})
        for at, size in enumerate(sizes):
            self.emit("clear", image=at, mips=size, layers=size)
        self.full_barrier()

    def full_barrier(self):
        self.lines.append(full_barrier())

    # ---- Command buffers

    def next_buffer(self):
        self.buffers_recorded += 1
        return self.buffers_recorded - 1

    def begin(self):
        """One more that the next submission runs."""
        self.runs.append(self.next_buffer())
        self.at_begin = len(self.lines)
        self.emit("begin", id=self.runs[-1], queue=self.queue)

    def recorded_apart(self, lines, parts=(), **words):
        """A command buffer of lines, recorded before the one that is begun."""
        made = self.next_buffer()
        begin = Line("begin", {"id": made, "queue": self.queue, **words},
                     [part.copy() for part in parts])
        self.lines[self.at_begin:self.at_begin] = [begin, *lines, Line("end")]
        return made

    def secondary(self):
        """A command buffer that the next one executes."""
        self.in_secondary = True
        start = len(self.lines)
        for _ in range(1 + self.below(2)):
            if self.chance(2):
                self.barrier()
            self.command()
        emitted = self.lines[start:]
        del self.lines[start:]
        self.at_begin = len(self.lines)
        self.in_secondary = False
        return self.recorded_apart(emitted, secondary=1)

    # ---- Programs

    def make(self, number):
        self.objects()
        left = self.options.steps
        first = True
        while left > 0:
            self.queue = 0 if first else self.next_queue
            self.next_queue = self.below(self.options.queues)
            if self.awaited is not None and self.awaited[0] == self.queue:
                self.queue = (self.queue + 1) % self.options.queues
            called = self.secondary() if self.options.secondaries and self.chance(4) else None
            self.begin()
            if first and self.options.images:
                self.begin_images()
            first = False
            self.take_over()
            if called is not None:
                self.emit("execute", id=called)
            while left > 0:
                if self.chance(4):
                    self.event()
                if self.forget == 100 and self.chance(2):
                    self.full_barrier()
                elif self.chance(2):
                    self.barrier()
                self.command()
                left -= 1
                if self.chance(self.options.one_in):
                    break
            self.hand_over()
            self.emit("end")
            self.submit()
            while self.options.host and self.chance(2):
                self.on_host()
        self.settle()
        return Program(number, self.lines)


class Options:
    """What programs are made of: `steps` commands, of which one in `one_in` ends its submission."""

    def __init__(self, steps=4, **more):
        self.steps = steps
        self.buffers = more.get("buffers", True)
        self.images = more.get("images", True)
        self.queues = more.get("queues", 1)
        self.host = more.get("host", False)
        self.secondaries = more.get("secondaries", False)
        self.passes = more.get("passes", False)
        self.exclusive = more.get("exclusive", False) # resources are one queue family's at a time
        self.late = more.get("late", False) # the host signals what is waited for
        self.ahead = more.get("ahead", False) # queues wait for what is submitted later
        self.queries = more.get("queries", False) # and predicates
        self.aliases = more.get("aliases", False)
        self.one_in = more.get("one_in", 4)


KINDS = {
    "buffers": Options(images=False),
    "images": Options(buffers=False),
    "both": Options(5, secondaries=True),
    "queues": Options(6, queues=4, one_in=2, secondaries=True),
    "host": Options(4, host=True, one_in=2, images=False),
    "passes": Options(3, passes=True, buffers=False),
    "families": Options(6, queues=4, one_in=2, exclusive=True),
    "late": Options(5, queues=4, one_in=2, host=True, late=True, images=False),
    "ahead": Options(6, queues=4, one_in=2, ahead=True),
    "queries": Options(5, queues=4, one_in=2, images=False, queries=True, aliases=True),
    "all": Options(6, passes=True, host=True, one_in=2, queues=4, secondaries=True),
}


def make(number, kind, lacks=()):
    """`lacks`: what the driver does (play_commands.c)."""
    return Maker(f"{kind} {number}", KINDS[kind], lacks).make(number)


def lacking(player):
    """The words of what a player's driver lacks."""
    done = subprocess.run([player, "--lacks"], env={**os.environ, "VK_INSTANCE_LAYERS": ""},
                          capture_output=True, text=True, check=False)
    return tuple(done.stdout.split())
