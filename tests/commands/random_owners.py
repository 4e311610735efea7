# SPDX-License-Identifier: Apache-2.0
"""Transfers of ownership in a random program, as often matched as not. Knows which queues are of one
family."""
from command_program import Line

FAMILIES = (0, 0, 1, 2) # of the queues


class Owners:
    """What is handed from family to family in a program while it is made."""

    def start_owners(self):
        self.next_queue = 0
        self.released = [] # with the queue that they are for

    def hand_over(self):
        """At the end of a command buffer: releases to the family of the next one."""
        if not self.options.exclusive or FAMILIES[self.queue] == FAMILIES[self.next_queue]:
            return
        families = {"from_queue": self.queue + 1, "to_queue": self.next_queue + 1}
        for whole in self.wholes():
            if self.chance(self.forget // 2):
                continue
            part = Line(whole.op, {**whole.words, **families})
            if self.chance(self.forget):
                part = self.smaller(part)
            self.half(part)
            self.released.append((self.next_queue, part))

    def take_over(self):
        """At the begin of one: acquires what was released to its family."""
        mine = [(queue, part) for queue, part in self.released
                if FAMILIES[queue] == FAMILIES[self.queue]]
        for kept in mine:
            if self.chance(self.forget):
                continue
            self.released.remove(kept)
            part = kept[1].copy()
            self.half(self.smaller(part) if self.chance(self.forget) else part)

    def half(self, part):
        """The masks of each half are its own."""
        all_there_is = (1 << 16, 3 << 15)
        second = self.chance(2)
        source, target = (all_there_is if self.forget == 100 else self.scope(second)
                          for _ in range(2))
        part.words |= {"from": source[0], "from_access": source[1], "to": target[0],
                       "to_access": target[1]}
        if second:
            self.emit("barrier2", [part.copy()])
        else:
            self.emit("barrier", [part.copy()], **{"from": source[0], "to": target[0]})

    def smaller(self, part):
        """Which matches no half of the whole."""
        part = part.copy()
        if part.op == "buffer":
            part.words["bytes"] //= 2
        else:
            part.words["layers"] = 1
        return part

    def wholes(self):
        for line in self.lines:
            if line.op == "buffer":
                yield Line("buffer", {"id": line["id"], "at": 0, "bytes": line["bytes"]})
            elif line.op == "image":
                yield Line("image", {"id": line["id"], "mip": 0, "mips": line["mips"], "layer": 0,
                                     "layers": line["layers"], "old": 1})
