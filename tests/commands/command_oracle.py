# SPDX-License-Identifier: Apache-2.0
"""Which accesses of a program race, by the letter of the Vulkan specification.

Written from the specification's chapters alone, to be simple and slow: for each pair of accesses to
one place every chain of dependencies is gone through. Shares nothing with what it is compared with.
"""
import itertools

from command_walk import Walk

def starts(walk, access, cell):
    """Dependencies that the access is in the first scope of, and whether it is available there:
    "writes performed by a layout transition are automatically made available"."""
    found = [(dependency, True) for dependency in access.out]
    for dependency in walk.dependencies:
        if dependency.first.has(access):
            available = access.is_transition or dependency.makes_available(access, cell)
            if dependency.host_domain:
                available = flushed(walk, access, cell, dependency)
            found.append((dependency, available))
    return found


def flushed(walk, access, cell, dependency):
    """"Host Write Ordering Guarantees": what is available to the host domain when it submits."""
    if not walk.noncoherent or walk.buffers[cell[1]]["coherent"]:
        return True
    return any(access.place < place < dependency.first.high and cell in cells
               for place, cells in walk.flushes)


def reached(walk, access, cell):
    """All (dependency, available there) in chains behind an access: "Execution dependency chains"."""
    pending = starts(walk, access, cell)
    seen = set()
    while pending:
        state = pending.pop()
        if state in seen:
            continue
        seen.add(state)
        dependency, available = state
        for other in walk.dependencies:
            if dependency.second.meets(other.first):
                pending.append((other, available or other.makes_available(access, cell)))
    return seen


class Verdict:
    """What orders a pair, one after the other: happens-before, available, visible."""

    def __init__(self, walk, first, second, cell):
        self.before = self.available = self.visible = False
        if first.is_transition and second.is_transition and first.where == second.where:
            self.before = self.available = first.place < second.place
        for dependency, available in reached(walk, first, cell):
            if dependency not in second.into and not dependency.second.has(second):
                continue
            self.before = True
            self.available |= available
            self.visible |= available and dependency.makes_visible(second, cell)


def race_of(walk, first, second, cell):
    """The class of the race of two accesses to a cell, or None."""
    if first.group is not None and first.group == second.group:
        return None
    for one, other in ((first, second), (second, first)):
        verdict = Verdict(walk, one, other, cell)
        if not verdict.before:
            continue
        if not one.write:
            return None
        if not verdict.available:
            return "unavailable"
        if not other.write and not verdict.visible:
            return "invisible"
        return None
    return "unordered"


def signature(walk, cell):
    """Cells that the same dependencies name are judged alike."""
    return tuple(scope.cells is None or cell in scope.cells for dependency in walk.dependencies
                 for scope in (dependency.first, dependency.second))


def races(program, noncoherent=False):
    """(accesses, class, cells) of each pair that races."""
    walk = Walk(program, noncoherent)
    found = []
    for first, second in itertools.combinations(walk.accesses, 2):
        if not (first.write or second.write) or (first.line == second.line and
                                                 first.where == second.where):
            continue
        if first.where == second.where == "host":
            continue
        classes, known = {}, {}
        for cell in first.cells & second.cells:
            key = signature(walk, cell)
            if key not in known:
                known[key] = race_of(walk, first, second, cell)
            if known[key]:
                classes.setdefault(known[key], set()).add(cell)
        found += [(first, second, kind, cells) for kind, cells in classes.items()]
    return found
