# SPDX-License-Identifier: Apache-2.0
"""What the host does in a random program: submissions, waits, accesses to mapped memory, and what it
sets and signals only when something waits for it. Knows no commands."""
from command_program import Line

SEMAPHORES, FENCES = 6, 4 # the first semaphore has a timeline
HOST_TIMELINE, OTHER_TIMELINE = 6, 7 # what the host signals, and one more of queues
TIMELINES = (0, HOST_TIMELINE, OTHER_TIMELINE)
HOST, HOST_ACCESSES = 1 << 14, 3 << 13
ALL_COMMANDS = 1 << 16


class Hosts:
    """The host of a program while it is made."""

    def start_host(self):
        self.semaphores, self.timelines = {}, {0: 0, OTHER_TIMELINE: 0}
        self.fences = {}
        self.host_value = 0 # that the host has signaled
        self.promised = False # the next one is waited for
        self.unset = [] # events that are waited for
        self.awaited = None # (queue that waits, semaphore, value) for a submission to come

    # ---- Submissions

    def device_stages(self, second):
        return self.scope(second, of_host=False)[0]

    def waits(self, second):
        parts = self.waits_ahead(second)
        for at, value in list(self.semaphores.items()):
            # Those of binary semaphores come behind all that they depend on.
            if value == "signaled" and not self.is_held() and (self.forget == 100 or
                                                               self.chance(2)):
                del self.semaphores[at]
                parts.append(Line("wait", {"semaphore": at, "stages": self.device_stages(second)}))
        for at, value in self.timelines.items():
            if value and (self.awaited is None or at != self.awaited[1]) and self.chance(3):
                parts.append(Line("wait", {"semaphore": at, "value": 1 + self.below(value),
                                           "stages": self.device_stages(second)}))
        if self.options.late:
            parts += [Line("wait", {**wait, "stages": self.device_stages(second)})
                      for wait in self.host_waits()]
        return parts

    def submit(self):
        second = self.chance(2)
        parts = self.waits(second) + [Line("run", {"id": buffer}) for buffer in self.runs]
        self.runs = []
        parts += [Line("signal", {**signal, "stages": self.device_stages(True) if second
                                  else ALL_COMMANDS}) for signal in self.signals()]
        words = {"queue": self.queue}
        free = [at for at in range(FENCES) if at not in self.fences]
        if free and self.options.host and self.chance(2):
            self.fences[free[0]] = "pending"
            words["fence"] = free[0] + 1
        # Not while what waits for it is pending (vkSetEvent).
        for at in self.unset:
            self.emit("host_set", id=at)
        self.unset = []
        self.emit("submit2" if second else "submit", parts, **words)

    def signals(self):
        found = []
        free = [at for at in range(1, SEMAPHORES) if at not in self.semaphores]
        if free and self.chance(2):
            self.semaphores[free[0]] = "signaled"
            found.append({"semaphore": free[0]})
        for at in self.timelines if self.options.queues > 1 else ():
            if self.is_awaited(at) or self.awaited is None and self.chance(3):
                self.timelines[at] += 1
                found.append({"semaphore": at, "value": self.timelines[at]})
        return found

    # ---- What is waited for before it is there

    def waits_ahead(self, second):
        """For what another queue will signal, but not in the first submission: all need its images."""
        if not self.options.ahead or self.awaited is not None or 0 in self.runs or self.chance(2):
            return []
        at = self.random.choice(list(self.timelines))
        self.awaited = (self.queue, at, self.timelines[at] + 1)
        return [Line("wait", {"semaphore": at, "value": self.awaited[2],
                              "stages": self.device_stages(second)})]

    def is_held(self):
        """Whether something submitted waits for what is to come: then the host must not wait."""
        return self.promised or self.awaited is not None

    def is_awaited(self, at):
        """Whether the submission signals what another queue waits for; what waits does not."""
        if self.awaited is None or self.awaited[0] == self.queue or self.awaited[1] != at:
            return False
        if self.chance(2):
            return False
        self.awaited = None
        return True

    def host_waits(self):
        """Of a submission: for what the host has signaled, or will."""
        if not self.promised and self.chance(3):
            self.promised = True
            return [{"semaphore": HOST_TIMELINE, "value": self.host_value + 1}]
        if self.host_value and self.chance(4):
            return [{"semaphore": HOST_TIMELINE, "value": 1 + self.below(self.host_value)}]
        return []

    def wait_host_event(self, at):
        """Set by the host behind the recording."""
        target = self.scope(False)
        accesses = HOST_ACCESSES if self.chance(2) else 1 << 14
        parts = self.of_one_transition([self.barrier_part((HOST, accesses), target)
                                        for _ in range(self.below(3))])
        if self.chance(2):
            parts = parts or [self.barrier_part((HOST, accesses), target)]
            for part in parts:
                part.words |= {"from": HOST, "to": target[0]}
            self.emit("wait_event2", parts, id=at)
        else:
            self.emit("wait_event", parts, id=at, **{"from": HOST, "to": target[0]})
        self.unset.append(at)

    def settle(self):
        """The host does what is waited for."""
        if self.promised:
            self.host_value += 1
            self.promised = False
            self.emit("signal_semaphore", semaphore=HOST_TIMELINE, value=self.host_value)
        if self.awaited is not None:
            queue, at, value = self.awaited
            self.awaited = None
            self.emit("submit2", [Line("signal", {"semaphore": at, "value": value,
                                                  "stages": ALL_COMMANDS})],
                      queue=(queue + 1) % self.options.queues)

    # ---- Waits and accesses

    def on_host(self):
        kind = self.below(8)
        if self.is_held() and kind < 4 and self.chance(2):
            self.settle()
        if kind < 4 and not self.is_held():
            self.one_wait(kind)
        if kind >= 4:
            self.one_access(kind < 6)

    def one_wait(self, kind):
        pending = [at for at, state in self.fences.items() if state == "pending"]
        reached = {at: value for at, value in
                   {**self.timelines, HOST_TIMELINE: self.host_value}.items() if value}
        if kind == 0 and pending:
            self.fences[pending[-1]] = "done"
            self.emit("wait_fence", fence=pending[-1])
        elif kind == 1 and reached:
            parts = [Line("semaphore", {"semaphore": at, "value": 1 + self.below(value)})
                     for at, value in reached.items() if len(reached) == 1 or self.below(3)]
            if parts:
                self.emit("wait_semaphores", parts, any=self.below(2))
        elif kind == 2:
            self.emit("wait_queue", queue=self.below(self.options.queues))
        elif kind == 3 and self.chance(3):
            self.emit("wait_device")

    def one_access(self, first_flushed):
        buffer, at, size = self.range()
        access = self.random.choice(["host_write", "host_read"])
        if first_flushed:
            self.emit(self.random.choice(["flush", "invalidate"]), buffer=buffer, at=at, bytes=size)
            self.emit(access, buffer=buffer, at=at, bytes=size)
        else:
            self.emit(access, buffer=buffer, at=at, bytes=size)
            self.emit("flush", buffer=buffer, at=at, bytes=size)
