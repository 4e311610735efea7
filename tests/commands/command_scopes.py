# SPDX-License-Identifier: Apache-2.0
"""Stages, access types, and the scopes of dependencies, as the Vulkan specification's chapter
"Synchronization and Cache Control" has them. Section names stand in quotes. Knows no commands."""

# ---- "Pipeline Stages" --------------------------------------------------------------------------

GRAPHICS = ("DRAW_INDIRECT", "INDEX_INPUT", "VERTEX_ATTRIBUTE_INPUT", "VERTEX_SHADER",
            "TESSELLATION_CONTROL_SHADER", "TESSELLATION_EVALUATION_SHADER", "GEOMETRY_SHADER",
            "EARLY_FRAGMENT_TESTS", "FRAGMENT_SHADER", "LATE_FRAGMENT_TESTS",
            "COLOR_ATTACHMENT_OUTPUT")
COMPUTE = ("DRAW_INDIRECT", "COMPUTE_SHADER")
TRANSFERS = ("COPY", "RESOLVE", "BLIT", "CLEAR")
# ALL_COMMANDS is "all operations performed by all commands": layout transitions, too.
ALL = frozenset((*GRAPHICS, *COMPUTE, *TRANSFERS, "CONDITIONAL_RENDERING", "QUERY", "TRANSITION"))
HOST = frozenset(["HOST"])

STAGE_BITS = {
    1 << 1: {"DRAW_INDIRECT"}, 1 << 2: {"INDEX_INPUT", "VERTEX_ATTRIBUTE_INPUT"},
    1 << 3: {"VERTEX_SHADER"}, 1 << 4: {"TESSELLATION_CONTROL_SHADER"},
    1 << 5: {"TESSELLATION_EVALUATION_SHADER"}, 1 << 6: {"GEOMETRY_SHADER"},
    1 << 7: {"FRAGMENT_SHADER"}, 1 << 8: {"EARLY_FRAGMENT_TESTS"},
    1 << 9: {"LATE_FRAGMENT_TESTS"}, 1 << 10: {"COLOR_ATTACHMENT_OUTPUT"},
    1 << 11: {"COMPUTE_SHADER"}, 1 << 12: set(TRANSFERS), 1 << 14: {"HOST"},
    1 << 15: {*GRAPHICS, "CONDITIONAL_RENDERING"}, 1 << 16: set(ALL),
    1 << 18: {"CONDITIONAL_RENDERING"}, 1 << 32: {"COPY"}, 1 << 33: {"RESOLVE"},
    1 << 34: {"BLIT"}, 1 << 35: {"CLEAR"}, 1 << 36: {"INDEX_INPUT"},
    1 << 37: {"VERTEX_ATTRIBUTE_INPUT"},
    1 << 38: {"VERTEX_SHADER", "TESSELLATION_CONTROL_SHADER", "TESSELLATION_EVALUATION_SHADER",
              "GEOMETRY_SHADER"},
}
TOP, BOTTOM = 1 << 0, 1 << 13
# "Framebuffer Region Dependencies": "framebuffer-space stages".
OF_REGIONS = frozenset(["FRAGMENT_SHADER", "EARLY_FRAGMENT_TESTS", "LATE_FRAGMENT_TESTS",
                        "COLOR_ATTACHMENT_OUTPUT"])


def named_stages(mask):
    return frozenset().union(*(stages for bit, stages in STAGE_BITS.items() if mask & bit))


def first_stages(mask):
    """With the logically earlier ones: "Execution and Memory Dependencies", source masks."""
    named = set(named_stages(mask))
    for order in (GRAPHICS, COMPUTE):
        for at, stage in enumerate(order):
            if stage in named_stages(mask):
                named.update(order[:at])
    return ALL | named if mask & BOTTOM else frozenset(named)


def second_stages(mask):
    """With the logically later ones."""
    named = set(named_stages(mask))
    for order in (GRAPHICS, COMPUTE):
        for at, stage in enumerate(order):
            if stage in named_stages(mask):
                named.update(order[at:])
    return ALL | named if mask & TOP else frozenset(named)


# ---- "Access Types" -----------------------------------------------------------------------------

ACCESS_BITS = {
    1 << 0: {"INDIRECT_COMMAND_READ"}, 1 << 1: {"INDEX_READ"}, 1 << 2: {"VERTEX_ATTRIBUTE_READ"},
    1 << 3: {"UNIFORM_READ"}, 1 << 4: {"INPUT_ATTACHMENT_READ"},
    1 << 5: {"SHADER_SAMPLED_READ", "SHADER_STORAGE_READ"},
    1 << 6: {"SHADER_STORAGE_WRITE"}, 1 << 7: {"COLOR_ATTACHMENT_READ"},
    1 << 8: {"COLOR_ATTACHMENT_WRITE"}, 1 << 9: {"DEPTH_STENCIL_ATTACHMENT_READ"},
    1 << 10: {"DEPTH_STENCIL_ATTACHMENT_WRITE"}, 1 << 11: {"TRANSFER_READ"},
    1 << 12: {"TRANSFER_WRITE"}, 1 << 13: {"HOST_READ"}, 1 << 14: {"HOST_WRITE"},
    1 << 20: {"CONDITIONAL_RENDERING_READ"}, 1 << 32: {"SHADER_SAMPLED_READ"}, 1 << 33: {"SHADER_STORAGE_READ"},
    1 << 34: {"SHADER_STORAGE_WRITE"},
}
EVERY_ACCESS = frozenset().union(*ACCESS_BITS.values())
ATTACHMENT_ACCESSES = 1 << 4 | 0xf << 7


def named_accesses(mask):
    named = set().union(*(types for bit, types in ACCESS_BITS.items() if mask & bit))
    if mask & 1 << 15:
        named.update(access for access in EVERY_ACCESS if access.endswith("READ"))
    if mask & 1 << 16:
        named.update(access for access in EVERY_ACCESS if access.endswith("WRITE"))
    return frozenset(named)


# ---- Accesses and dependencies ------------------------------------------------------------------

END = float("inf")


class Access:
    """What one operation of a line does to cells: `where` it is (a queue, or "host") and its place
    in submission order there. `use`: as which attachment of which subpass of which render pass
    instance, (instance, subpass, role). Layout transitions have dependencies instead: they come behind the
    first halves of `into` and before the second halves of `out`. `at`: the word that the first pixel's
    fragment accesses, where each has its own."""

    def __init__(self, line, where, place, stage, kind, cells, use=None, at=0):
        self.line, self.where, self.place, self.use, self.at = line, where, place, use, at
        self.stage, self.kind, self.cells = stage, kind, frozenset(cells)
        self.write = kind.endswith("WRITE")
        self.into = self.out = ()

    def is_ordered_in_pass(self, other, wide):
        """"The load operation for each sample in an attachment happens-before any recorded command
        which accesses the sample in the first subpass where the attachment is used", and store
        operations behind those of the last (VkAttachmentDescription); "Rasterization Order".
        `wide`: behind and before those of all subpasses. What fragments read is before what their own
        draw writes to attachments at their pixels, and before no other: "Fragment Operations" lists
        what of shaders is in rasterization order."""
        if not self.use or not other.use or self.use[0] != other.use[0]:
            return False
        roles = {self.use[2], other.use[2]}
        if self.use[1] != other.use[1]:
            return wide and bool(roles & {"load", "store"})
        read = self if self.place < other.place else other
        return bool(roles & {"load", "store"}) or "input" not in roles or (
            read.use[2] == "input" and self.line == other.line)

    def is_ordered_query(self, other):
        """"Query Operation": commands on a query come behind those earlier in submission order."""
        return self.stage == other.stage == "QUERY" and self.where == other.where

    def region(self, cell):
        """The pixel whose operation accesses a cell; None: it is no pixel's."""
        if self.stage not in OF_REGIONS:
            return None
        return cell[2] - self.at if cell[0] == "b" else cell[5]

    def follows(self, other):
        """What is earlier in submission order is behind nothing of its queue."""
        return self.where != other.where or self.where == "host" or self.place > other.place

    @property
    def is_operation(self):
        """Of loading and storing, which all of a subpass is in order with."""
        return bool(self.use) and self.use[2] in ("load", "store")

    @property
    def is_transition(self):
        return self.kind == "TRANSITION_WRITE"

    def __repr__(self):
        return f"line {self.line} {self.stage}/{self.kind}"


class Scope:
    """Half of a dependency: stages of what is submitted in [low, high), and of it the memory
    accesses of some kinds to some cells; `cells` None: to all. `members`: what it holds beside that,
    wherever it stands."""

    def __init__(self, where, low, high, stages, access_stages=frozenset(), kinds=frozenset(),
                 cells=None):
        self.where, self.low, self.high = where, low, high
        self.stages, self.access_stages, self.kinds = stages, access_stages, kinds
        self.cells = cells
        self.members = set()

    def has(self, access):
        return (access.where == self.where and access.stage in self.stages and
                (self.low <= access.place < self.high or access in self.members))

    def has_access(self, access, cell):
        return (self.has(access) and access.stage in self.access_stages and
                access.kind in self.kinds and (self.cells is None or cell in self.cells))

    def names(self, stage, kinds, cell):
        return (stage in self.access_stages and bool(self.kinds & set(kinds)) and
                (self.cells is None or cell in self.cells))

    def common(self, other, start):
        """The stages of what could be in both, behind the access that a chain starts at: where there are
        any, dependencies chain."""
        meet = (self.where == other.where and
                max(self.low, other.low) <= min(self.high, other.high))
        return (self.stages & other.stages if meet else
                frozenset(access.stage for access in self.members | other.members
                          if access.follows(start) and self.has(access) and other.has(access)))


class Dependency:
    """`all_first`, `all_second`: its access scopes are all that the device does (semaphores,
    fences, submissions). `host_domain`: it makes the host's writes available to the device
    (submissions). `by_region`: VK_DEPENDENCY_BY_REGION_BIT."""

    def __init__(self, line, first, second, all_first=False, all_second=False, host_domain=False,
                 by_region=False):
        self.line, self.first, self.second, self.by_region = line, first, second, by_region
        self.all_first, self.all_second, self.host_domain = all_first, all_second, host_domain

    def makes_available(self, access, cell):
        """"Any type of access that is in a memory dependency's first access scope and occurs in"
        its first synchronization scope."""
        if access.where != "host":
            return self.first.has(access) and (self.all_first or
                                               self.first.has_access(access, cell))
        return not self.all_first and self.first.names("HOST", ["HOST_WRITE"], cell)

    def tells_host(self, cell):
        """What is available becomes so to the host: "memory domain operations"."""
        return self.second.names("HOST", ["HOST_READ", "HOST_WRITE"], cell)

    def makes_visible(self, access, cell):
        return self.second.has(access) and (self.all_second or self.second.has_access(access, cell))
