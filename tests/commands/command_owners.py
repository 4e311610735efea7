# SPDX-License-Identifier: Apache-2.0
"""Which queue family owns which cells, by the letter of the Vulkan specification, "Queue Family
Ownership Transfer". Section names stand in quotes. Knows no dependencies."""

FAMILIES = (0, 0, 1, 2) # of the queues


def family(queue):
    return FAMILIES[queue]


def half_of(part, queue):
    """"release", "acquire", or None: what a barrier is on a queue."""
    source, target = part["from_queue"], part["to_queue"]
    if not source or not target or family(source - 1) == family(target - 1):
        return None
    if family(queue) == family(source - 1):
        return "release"
    return "acquire" if family(queue) == family(target - 1) else None


class Owners:
    """Halves of transfers, each with its moment in the order of submission."""

    def __init__(self):
        self.released = {} # by what must be equal: moments that nobody has acquired
        self.transfers = [] # (released, acquired, from, to, cells)
        self.releases = [] # (released, from, cells)

    def half(self, part, kind, cells, moment):
        key = (part.op, family(part["from_queue"] - 1), family(part["to_queue"] - 1),
               frozenset(cells))
        if kind == "release":
            self.releases.append((moment, key[1], cells))
            self.released[key] = moment
        elif key in self.released:
            self.transfers.append((self.released.pop(key), moment, key[1], key[2], cells))

    def named(self, cell):
        """Cells that the same halves name are owned alike."""
        return tuple(cell in cells for *_, cells in self.releases)

    def lacks(self, write, read, cell):
        """"If [...] no ownership transfer is defined, the contents of that resource are undefined
        for any read accesses performed by the second queue family". Each is (queue, moment)."""
        here, there = family(write[0]), family(read[0])
        away = any(owner == here and write[1] < moment < read[1] and cell in cells
                   for moment, owner, cells in self.releases)
        if here == there and not away:
            return False
        pending, seen = [(here, write[1])], set()
        while pending:
            at = pending.pop()
            if at in seen:
                continue
            seen.add(at)
            for released, acquired, source, target, cells in self.transfers:
                if (source == at[0] and released > at[1] and acquired < read[1] and
                        cell in cells):
                    if target == there:
                        return False
                    pending.append((target, acquired))
        return True
