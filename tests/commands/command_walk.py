# SPDX-License-Identifier: Apache-2.0
"""What a program of commands accesses, and which dependencies it makes, by the letter of the Vulkan
specification. Section names stand in quotes. Knows nothing of what they are together."""
import itertools

from command_owners import Owners, half_of
from command_passes import BY_REGION, BY_SECONDARY, RESUMING, SUSPENDING, Pass, Rendering
from command_scopes import (ALL, END, HOST, Access, Dependency, Scope, first_stages,
                            named_accesses, named_stages, second_stages)

GENERAL = 1
SIDE = 4


class Walk:
    """The accesses and dependencies of a program."""

    """`wide`: more is ordered, where revisions of the specification differ; and layout transitions order
    what is ordered with them. `far`: more is accessed, where it is not known how much: both aspects of
    images of depth and stencil, and all pixels by draws whose arguments the device reads."""

    def __init__(self, program, noncoherent=False, wide=False, far=False):
        self.accesses, self.dependencies = [], []
        self.places, self.moments = {}, {}
        self.owners, self.writes = Owners(), {}
        self.host = 0
        self.images, self.buffers = {}, {}
        self.recorded, self.semaphores, self.fences, self.events = {}, {}, {}, {}
        self.signaled = {} # by queue: the first scopes of its signals so far
        self.noncoherent, self.wide, self.far = noncoherent, wide, far
        self.flushes, self.invalidates = [], []
        self.unmet = [] # waits whose signal is still to come
        self.condition = None # that the commands are conditional on
        self.queue = self.pass_ = self.rendering = None
        self.passes = 0
        self.number = 0
        recording = None
        for number, line in enumerate(program.lines, 1):
            if line.op == "begin":
                recording = self.recorded[line["id"]] = []
            elif line.op == "end":
                recording = None
            elif recording is not None:
                recording.append((number, line))
            else:
                self.number = number
                self.on_host(line)

    # Cells: ("b", id, word), ("i", id, aspect, mip, layer, texel)

    def words(self, buffer, at, size):
        of = self.buffers.get(buffer, {})
        if of.get("alias"):
            buffer, at = of["alias"] - 1, at + of["alias_at"]
        return {("b", buffer, word) for word in range(at // 4, (at + size) // 4)}

    def is_exclusive(self, cell):
        of = {"b": self.buffers, "i": self.images}.get(cell[0], {}).get(cell[1])
        return of is not None and not of.get("concurrent")

    def texels(self, image, mips, layers, rows=None, aspects=0):
        of = self.images[image]
        names = {"depth": 2, "stencil": 4} if of["depth"] else {"color": 1}
        cells = set()
        for name, bit in names.items():
            if aspects and not aspects & bit and not self.far:
                continue
            for mip, layer in itertools.product(mips, layers):
                side = SIDE >> mip
                span = range(side) if rows is None else range(rows[0], rows[0] + rows[1])
                cells |= {("i", image, name, mip, layer, y * SIDE + x)
                          for y in span for x in range(side)}
        return cells

    def writes_of(self, cell):
        """When it is written on queues."""
        if cell not in self.writes:
            self.writes[cell] = [self.moments[access.where, access.place]
                                 for access in self.accesses if access.write and
                                 access.where != "host" and cell in access.cells]
        return self.writes[cell]

    def place(self, where=None):
        where = self.queue if where is None else where
        self.places[where] = self.places.get(where, 0) + 1
        self.moments[where, self.places[where]] = len(self.moments)
        return self.places[where]

    def now(self, where=None):
        return self.places.get(self.queue if where is None else where, 0)

    def add(self, stage, kind, cells, use=None, at=0):
        access = Access(self.number, self.queue, self.place(), stage, kind, cells, use, at)
        self.accesses.append(access)
        return access

    def depend(self, *arguments, **named):
        self.dependencies.append(Dependency(self.number, *arguments, **named))
        return self.dependencies[-1]

    # ---- The host

    def on_host(self, line):
        """A line outside of command buffers."""
        handler = getattr(self, "do_" + line.op, None)
        if handler:
            handler(line)

    def do_buffer(self, line):
        self.buffers[line["id"]] = line.words

    def do_image(self, line):
        self.images[line["id"]] = {key: line[key] for key in
                                   ("depth", "mips", "layers", "multi", "concurrent")}

    def do_host_write(self, line):
        self.accesses.append(Access(self.number, "host", self.place("host"), "HOST", "HOST_WRITE",
                                    self.words(line["buffer"], line["at"], line["bytes"])))

    def do_host_read(self, line):
        self.accesses.append(Access(self.number, "host", self.place("host"), "HOST", "HOST_READ",
                                    self.words(line["buffer"], line["at"], line["bytes"])))

    def do_flush(self, line):
        self.flushes.append((self.place("host"),
                             self.words(line["buffer"], line["at"], line["bytes"])))

    def do_invalidate(self, line):
        self.invalidates.append((self.place("host"),
                                 self.words(line["buffer"], line["at"], line["bytes"])))

    def do_submit(self, line):
        self.submit(line, False)

    def do_submit2(self, line):
        self.submit(line, True)

    def submit(self, line, second_form):
        """"Queue Forward Progress", "Host Write Ordering Guarantees", vkQueueSubmit."""
        number = self.number
        queue = self.queue = line["queue"]
        host = Scope("host", 0, self.place("host"), HOST)
        self.depend(host, Scope(queue, self.place() + 1, END, ALL), all_second=True,
                    host_domain=True)
        for part in line.parts:
            if part.op == "wait":
                self.wait(part, queue)
        for part in line.parts:
            if part.op == "run":
                self.run(self.recorded[part["id"]])
        self.number = number
        self.signal(line, queue, second_form)

    def signal(self, line, queue, second_form):
        """"Semaphore Signaling", "Fences": with the signals earlier in "Signal Operation Order"."""
        signaled, place = [], self.place()
        for part in line.parts:
            if part.op == "signal":
                stages = first_stages(part["stages"]) if second_form else ALL
                signaled.append(Scope(queue, 0, place, stages | HOST | self.queries()))
                self.semaphores.setdefault(part["semaphore"], []).append(
                    (part["value"], signaled[-1:] + self.signaled.get(queue, [])))
        self.unmet = [wait for wait in self.unmet if not self.meet(*wait)]
        self.signaled[queue] = self.signaled.get(queue, []) + signaled
        if line["fence"]:
            whole = [Scope(queue, 0, place, ALL | HOST)]
            self.fences[line["fence"] - 1] = whole + self.signaled[queue]
            self.signaled[queue] = self.signaled[queue] + whole

    def signal_of(self, part):
        """The signal that a wait waits for, where it is known by now."""
        reached = [signal for signal in self.semaphores.get(part["semaphore"], ())
                   if signal[0] >= part["value"]]
        if not reached:
            return None
        return min(reached, key=lambda signal: signal[0])[1] if part["value"] else reached[-1][1]

    def wait(self, part, queue):
        """"Semaphore Waiting": all that the device does is in the access scopes. What is waited for
        may be signaled later."""
        second = Scope(queue, self.place() + 1, END,
                       second_stages(part["stages"]) | self.queries())
        if not self.meet(part, second):
            self.unmet.append((part, second))

    def meet(self, part, second):
        signal = self.signal_of(part)
        for first in signal or ():
            # No dependency of memory is said of host signals; `wide`: they are as submissions.
            self.depend(first, second, all_first=True, all_second=True,
                        host_domain=self.wide and first.where == "host")
        return signal is not None

    def queries(self):
        """No stage is named that is theirs; `wide`: they come before and behind all semaphores."""
        return {"QUERY"} if self.wide else set()

    def behind_on_host(self, firsts):
        """"Fences": the device's accesses are in the first access scope, none in the second."""
        place = self.place("host")
        for first in firsts:
            self.depend(first, Scope("host", place, END, HOST), all_first=True)

    def do_wait_fence(self, line):
        self.behind_on_host(self.fences[line["fence"]])

    def do_wait_semaphores(self, line):
        """Where any may have ended the wait, `wide` takes all."""
        if len(line.parts) == 1 or not line["any"] or self.wide:
            for part in line.parts:
                self.behind_on_host(self.signal_of(part))

    def do_signal_semaphore(self, line):
        self.semaphores.setdefault(line["semaphore"], []).append(
            (line["value"], [Scope("host", 0, self.place("host"), HOST)]))
        self.unmet = [wait for wait in self.unmet if not self.meet(*wait)]

    def do_wait_queue(self, line):
        self.behind_on_host([Scope(line["queue"], 0, self.now(line["queue"]) + 1, ALL | HOST)])

    def do_wait_device(self, _line):
        for queue in [where for where in self.places if where != "host"]:
            self.behind_on_host([Scope(queue, 0, self.now(queue) + 1, ALL | HOST)])

    def do_host_set(self, line):
        self.events[line["id"]] = ("host", self.place("host"), HOST)

    # ---- Commands

    def run(self, lines):
        labelled = None # what begins a subpass of secondary command buffers: labels all of it
        for number, line in lines:
            self.number = labelled or number
            if line.op == "execute":
                self.run(self.recorded[line["id"]])
                continue
            getattr(self, "cmd_" + line.op)(line)
            dynamic = line.op == "begin_rendering" and line["flags"] & BY_SECONDARY
            labelled = self.number if line["secondaries"] or dynamic else None

    def transfer(self, stage, read=(), written=()):
        """"Pipeline Stages": a command's own stage."""
        place = self.place()
        for kind, cells in (("TRANSFER_READ", read), ("TRANSFER_WRITE", written)):
            if cells:
                self.accesses.append(Access(self.number, self.queue, place, stage, kind, cells))

    def cmd_fill(self, line):
        self.transfer("CLEAR", written=self.words(line["to"], line["to_at"], line["bytes"]))

    def cmd_update(self, line):
        self.transfer("CLEAR", written=self.words(line["to"], line["to_at"], line["bytes"]))

    def cmd_copy(self, line):
        self.transfer("COPY", self.words(line["from"], line["from_at"], line["bytes"]),
                      self.words(line["to"], line["to_at"], line["bytes"]))

    def box(self, line, key, side=""):
        layer = line[side + "layer"]
        return self.texels(line[key], [line[side + "mip"]], range(layer, layer + line["layers"]),
                           (line[side + "row"], line["rows"]) if line["rows"] else None)

    def cmd_copy_image(self, line):
        self.transfer("COPY", self.box(line, "from"), self.box(line, "to", "to_"))

    def cmd_resolve(self, line):
        self.transfer("RESOLVE", self.box(line, "from"), self.box(line, "to", "to_"))

    def cmd_blit(self, line):
        self.transfer("BLIT", self.box(line, "from"), self.box(line, "to", "to_"))

    def in_buffer(self, line):
        side = SIDE >> line["mip"]
        return self.words(line["buffer"], line["at"], side * line["rows"] * line["layers"] * 4)

    def cmd_image_to_buffer(self, line):
        self.transfer("COPY", self.box(line, "image"), self.in_buffer(line))

    def cmd_buffer_to_image(self, line):
        self.transfer("COPY", self.in_buffer(line), self.box(line, "image"))

    def part_of(self, line, key):
        return self.texels(line[key], range(line["mip"], line["mip"] + line["mips"]),
                           range(line["layer"], line["layer"] + line["layers"]),
                           aspects=line["aspects"])

    def cmd_clear(self, line):
        self.transfer("CLEAR", written=self.part_of(line, "image"))

    def cmd_copy_queries(self, line):
        """It waits for the queries' results."""
        self.transfer("COPY", written=self.words(line["to"], line["to_at"], 8 * line["count"]))
        self.query(line, "QUERY_READ")

    def query(self, line, kind):
        self.add("QUERY", kind, {("q", line["pool"], line["first"] + at)
                                 for at in range(line["count"] or 1)})

    def cmd_reset_queries(self, line):
        self.query(line, "QUERY_WRITE")

    cmd_begin_query = cmd_end_query = cmd_reset_queries

    def cmd_begin_conditional(self, line):
        """Predicates are 0, as is all that is written. They are read here, or before each command
        that they are for."""
        self.condition = line
        self.predicate()

    def predicate(self):
        if self.condition is not None:
            self.add("CONDITIONAL_RENDERING", "CONDITIONAL_RENDERING_READ",
                     self.words(self.condition["buffer"], self.condition["at"], 4))

    def cmd_end_conditional(self, _line):
        self.condition = None

    def cmd_dispatch(self, line):
        """The shaders of play.comp."""
        if self.condition is not None and not self.condition["inverted"]:
            return
        place = self.place()
        texels = {key: self.texels(line[key] - 1, [line["mip"]], [line["layer"]])
                  for key in ("texels", "picture") if line[key]}
        size = 64 * line["groups"]
        uses = []
        if line["shader"] in (0, 4):
            uses.append(("SHADER_STORAGE_READ",
                         self.words(line["read"] - 1, line["read_at"], size)))
        if line["shader"] == 1:
            uses.append(("UNIFORM_READ",
                         self.words(line["uniform"] - 1, line["uniform_at"], size)))
        if line["shader"] == 2:
            uses.append(("SHADER_SAMPLED_READ", texels["picture"]))
        if line["shader"] == 3:
            uses.append(("SHADER_STORAGE_READ", texels["texels"]))
        if line["shader"] == 4:
            uses.append(("SHADER_STORAGE_WRITE", texels["texels"]))
        else:
            uses.append(("SHADER_STORAGE_WRITE",
                         self.words(line["write"] - 1, line["write_at"], size)))
        for kind, cells in uses:
            self.accesses.append(Access(self.number, self.queue, place, "COMPUTE_SHADER", kind,
                                        cells))

    def cmd_dispatch_indirect(self, line):
        self.add("DRAW_INDIRECT", "INDIRECT_COMMAND_READ",
                 self.words(line["from"], line["from_at"], 12))

    # ---- Barriers and events

    def barrier_cells(self, part):
        if part.op == "buffer":
            return self.words(part["id"], part["at"], part["bytes"])
        return self.part_of(part, "id") if part.op == "image" else None

    def barriers(self, line, second_form, before):
        """"Pipeline Barriers", "Events": each memory barrier's dependency has masks of its own in
        the second form, and in the first the stages are the command's."""
        place = self.place()
        parts = line.parts
        if not second_form:
            # The execution dependency, which all of its memory barriers share.
            self.one_barrier(line, line, before, place)
        for part in parts:
            self.one_barrier(part if second_form else line, part, before, place)

    def one_barrier(self, stages, part, before, place):
        cells = self.barrier_cells(part) if part is not stages or part.op in ("buffer", "image") \
            else None
        half = half_of(part, self.queue) if part.op in ("buffer", "image") else None
        first, second = self.scopes_of(stages, part, before, place, cells)
        if half and self.is_exclusive(next(iter(cells))):
            self.owners.half(part, half, cells, self.moments[self.queue, place])
            self.cut(first if half == "acquire" else second)
        made = self.depend(first, second, by_region=bool(part["flags"] & BY_REGION))
        if part.op == "image" and part["old"] != GENERAL:
            self.transition(cells, [made], [made], place)
        return made

    def cut(self, scope):
        """"The second synchronization scope does not apply" to a release, nor the first one to an
        acquire. `wide`: what they wait for and what waits for them is in order."""
        scope.kinds = frozenset()
        if not self.wide:
            scope.stages = frozenset()

    def scopes_of(self, stages, part, before, place, cells):
        where, end, signal_stages = before
        plain = part is stages and not part.op in ("memory", "buffer", "image")
        first = Scope(where, 0, end, signal_stages or first_stages(stages["from"]),
                      named_stages(stages["from"]),
                      frozenset() if plain else named_accesses(part["from_access"]), cells)
        second = Scope(self.queue, place + 1, END, second_stages(stages["to"]),
                       named_stages(stages["to"]),
                       frozenset() if plain else named_accesses(part["to_access"]), cells)
        if part["inside"]:
            self.pass_.limit(first, second)
        return first, second

    def transition(self, cells, into, out, place):
        """"Image Layout Transitions": between the halves of its dependency; in submission order on
        its queue."""
        access = Access(self.number, self.queue, place, "TRANSITION", "TRANSITION_WRITE", cells)
        if self.wide:
            # What is before it is before what is behind it.
            for before in into:
                out = [*out, *(self.depend(before.first, behind.second) for behind in out)]
        access.into, access.out = tuple(into), tuple(out)
        self.accesses.append(access)

    def cmd_barrier(self, line):
        self.barriers(line, False, (self.queue, self.now() + 1, None))

    def cmd_barrier2(self, line):
        self.barriers(line, True, (self.queue, self.now() + 1, None))

    def cmd_set_event(self, line):
        place = self.place()
        self.events[line["id"]] = (self.queue, place, first_stages(line["from"]))

    def cmd_wait_event(self, line):
        """vkCmdWaitEvents: the first scope is what happened before the event's signal."""
        self.wait_event(line, False)

    def wait_event(self, line, second_form):
        self.barriers(line, second_form, self.events[line["id"]])

    def cmd_set_event2(self, line):
        place = self.place()
        self.events[line["id"]] = (self.queue, place, None)

    def cmd_wait_event2(self, line):
        self.wait_event(line, True)

    # ---- Rendering

    def cmd_begin_pass(self, line):
        self.pass_ = Pass(self, line)

    def cmd_next_subpass(self, _line):
        self.pass_.next()

    def cmd_end_pass(self, _line):
        self.pass_.end()
        self.pass_ = None

    def cmd_begin_rendering(self, line):
        if not line["flags"] & RESUMING:
            self.rendering = Rendering(self, line)
        self.rendering.is_suspended = line["flags"] & SUSPENDING
        self.pass_ = self.rendering

    cmd_end_rendering = cmd_end_pass

    def cmd_clear_attachment(self, line):
        self.pass_.clear(line)

    def cmd_draw(self, line):
        """The shaders of play.vert and play.frag."""
        self.fetch(line)
        if line["indices"] or line["arguments"]:
            if self.far:
                self.pass_.draw(line)
            return # of one point, or none
        texels = SIDE * SIDE * 4
        reads = {1: ("SHADER_STORAGE_READ", "read"), 2: ("UNIFORM_READ", "uniform"),
                 4: ("SHADER_STORAGE_WRITE", "write")}
        if line["shader"] in reads:
            kind, key = reads[line["shader"]]
            cells = self.words(line[key] - 1, line[key + "_at"], texels)
            self.add("FRAGMENT_SHADER", kind, cells, at=min(word for _, _, word in cells))
        elif line["shader"] == 3:
            self.add("FRAGMENT_SHADER", "SHADER_SAMPLED_READ",
                     self.texels(line["picture"] - 1, [0], [line["layer"]]))
        if self.far or self.pass_.tells_draws():
            self.pass_.draw(line)

    def fetch(self, line):
        if line["arguments"]:
            self.add("DRAW_INDIRECT", "INDIRECT_COMMAND_READ",
                     self.words(line["arguments"] - 1, line["arguments_at"], 16))
            return
        if line["indices"]:
            self.add("INDEX_INPUT", "INDEX_READ",
                     self.words(line["indices"] - 1, line["indices_at"], 12))
        if line["vertices"]:
            self.add("VERTEX_ATTRIBUTE_INPUT", "VERTEX_ATTRIBUTE_READ",
                     self.words(line["vertices"] - 1, line["vertices_at"],
                                16 if line["indices"] else 48))
