# SPDX-License-Identifier: Apache-2.0
"""Which accesses of a program race, by the letter of the Vulkan specification.

Written from the specification's chapters alone, to be simple and slow: for each pair of accesses to
one place every chain of dependencies is gone through. Shares nothing with what it is compared with.
"""
import itertools

from command_scopes import OF_REGIONS
from command_walk import Walk


FETCHES = {"INDEX_INPUT", "VERTEX_ATTRIBUTE_INPUT", "DRAW_INDIRECT"}


def starts(walk, access, cell):
    """Dependencies that the access is in the first scope of, and whether it is available there:
    "writes performed by a layout transition are automatically made available"."""
    found = [(dependency, True, False, None) for dependency in access.out]
    for dependency in walk.dependencies:
        if dependency.first.has(access):
            region = access.region(cell) if dependency.by_region else None
            found.append(state(walk, access, cell, dependency,
                               (None, access.is_transition, False, region)))
    return found


def state(walk, access, cell, dependency, at):
    """Where a chain is: at a dependency, whether the write is available there, and to the host, and
    of which region all operations of the framebuffer's stages are that it goes on to (None: any).
    `at`: where it was, with the region that it comes with."""
    _, available, told, region = at
    if not available and access.write:
        available = dependency.makes_available(access, cell) or dependency.host_domain
        available = available and flushed(walk, access, cell, dependency)
    return dependency, available, told or available and dependency.tells_host(cell), region


def behind(at, other, access):
    """"Framebuffer Region Dependencies": the region that a chain goes on with through what is in both
    dependencies, where these are for each region its own."""
    return at[3] if other.by_region and at[0].second.common(other.first, access) <= OF_REGIONS else None


def is_coherent(walk, cell):
    return not walk.noncoherent or cell[0] != "b" or walk.buffers[cell[1]].get("coherent", 0)


def flushed(walk, access, cell, dependency):
    """"Host Write Ordering Guarantees": what is available to the host domain when it submits."""
    if access.where != "host" or is_coherent(walk, cell):
        return True
    until = dependency.first.high if dependency.first.where == "host" else float("inf")
    return any(access.place < place < until and cell in cells for place, cells in walk.flushes)


def invalidated(walk, dependency, read, cell):
    """vkInvalidateMappedMemoryRanges, behind the wait."""
    return is_coherent(walk, cell) or any(
        dependency.second.low <= place < read.place and cell in cells
        for place, cells in walk.invalidates)


def reached(walk, access, cell):
    """All states of chains behind an access: "Execution dependency chains"."""
    pending = starts(walk, access, cell)
    seen = set()
    while pending:
        at = pending.pop()
        if at in seen:
            continue
        seen.add(at)
        for other in walk.dependencies:
            if at[0].second.common(other.first, access):
                region = behind(at, other, access)
                pending.append(state(walk, access, cell, other, (*at[:3], region)))
    return seen


class Verdict:
    """What orders a pair, one after the other: happens-before, available, visible; and between host
    and device the domain operation."""

    def __init__(self, walk, first, second, cell):
        self.before = self.available = self.visible = self.domain = False
        if first.is_transition and second.is_transition and first.where == second.where:
            self.before = self.available = self.domain = first.place < second.place
        for dependency, available, told, region in reached(walk, first, cell):
            if dependency not in second.into and not dependency.second.has(second):
                continue
            if region not in (None, second.region(cell)) and second.region(cell) is not None:
                continue
            self.before = True
            self.available |= available
            if second.where == "host":
                self.domain |= told and (second.write or
                                         invalidated(walk, dependency, second, cell))
                self.visible |= told
                continue
            self.domain |= available
            self.visible |= available and dependency.makes_visible(second, cell)


def plain_race_of(walk, first, second, cell):
    if walk.wide and first.line == second.line and FETCHES & {first.stage, second.stage}:
        return None # what a draw fetches is before what its fragments write
    if first.is_ordered_in_pass(second, walk.wide) or first.is_ordered_query(second):
        return None
    for one, other in ((first, second), (second, first)):
        if not other.follows(one):
            continue
        verdict = Verdict(walk, one, other, cell)
        if not verdict.before:
            continue
        if not one.write:
            return None
        if not verdict.available:
            return "domain" if one.where == "host" else "unavailable"
        if not verdict.domain:
            return "domain"
        if not other.write and (not verdict.visible or lacks_owner(walk, one, other, cell)):
            return "invisible"
        return None
    return "unordered"


def lacks_owner(walk, write, read, cell):
    """`wide`: what another write lies between is not what is read."""
    if "host" in (write.where, read.where) or not walk.is_exclusive(cell):
        return False
    times = [walk.moments[access.where, access.place] for access in (write, read)]
    if walk.wide and any(times[0] < time < times[1] for time in walk.writes_of(cell)):
        return False
    return walk.owners.lacks((write.where, times[0]), (read.where, times[1]), cell)


def race_of(walk, first, second, cell):
    """The class of the race of two accesses to a cell, or None. `wide`: none, where another write
    lies between that is ordered with both, or a load operation: it brings what it reads."""
    found = plain_race_of(walk, first, second, cell)
    if found is None or first.where != second.where or not walk.wide:
        return found
    between = [access for access in walk.accesses
               if (access.write or access.is_operation) and cell in access.cells and
               access.where == first.where and first.place < access.place < second.place]
    if found == "unordered":
        # Transitions on one queue are in order: what is ordered with one has its place taken; and
        # load operations are before all of their subpass, store operations behind.
        between = [access for access in between if access.is_transition and second.is_transition or
                   access.is_operation]
    hidden = any(not plain_race_of(walk, first, access, cell) and
                 not race_of(walk, access, second, cell) for access in between)
    return None if hidden else found


def signature(walk, cell):
    """Cells that the same dependencies, transfers, writes and flushes name are judged alike."""
    scopes = (scope for dependency in walk.dependencies
              for scope in (dependency.first, dependency.second))
    return (walk.owners.named(cell), tuple(walk.writes_of(cell)),
            tuple(scope.cells is None or cell in scope.cells for scope in scopes),
            tuple(cell in cells for _, cells in walk.flushes + walk.invalidates))


def races(program, noncoherent=False, wide=False, far=False):
    """(accesses, class, cells) of each pair that races."""
    walk = Walk(program, noncoherent, wide, far)
    found = []
    for first, second in itertools.combinations(walk.accesses, 2):
        if not (first.write or second.write) or (first.where, first.place) == (second.where,
                                                                               second.place):
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
