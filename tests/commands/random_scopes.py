# SPDX-License-Identifier: Apache-2.0
"""The scopes of dependencies in random programs: stages with accesses that they have. Knows no
commands."""
from command_program import Line

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
CONDITIONAL, PREDICATE_READ = 1 << 18, 1 << 20
COLOR, COLOR_ACCESSES = 1 << 10, 3 << 7
TESTS, TEST_ACCESSES = 3 << 8, 3 << 9
FRAGMENT, INPUT_READ = 1 << 7, 1 << 4
VERTEX_INPUT, VERTEX_READS = 1 << 2, 3 << 1
ALL_GRAPHICS = 1 << 15
GRAPHICS_SCOPES = [
    (5, COLOR, COLOR_ACCESSES),
    (3, TESTS, TEST_ACCESSES),
    (2, FRAGMENT, SHADER_READ | SHADER_WRITE | UNIFORM_READ | INPUT_READ),
    (1, VERTEX_INPUT, VERTEX_READS),
    (1, ALL_GRAPHICS, MEMORY_READ | MEMORY_WRITE),
]
HOST_SCOPE = (3, HOST, HOST_READ | HOST_WRITE)
# What a queue of transfers alone has.
TRANSFER_STAGES = TRANSFER | ALL_COMMANDS | TOP | BOTTOM | HOST | COPY | CLEAR
SECOND_SCOPES = SCOPES + [
    (2, COPY, TRANSFER_READ | TRANSFER_WRITE),
    (1, CLEAR, TRANSFER_WRITE),
    (1, BLIT, TRANSFER_READ | TRANSFER_WRITE),
    (2, COMPUTE, SAMPLED_READ | STORAGE_READ | STORAGE_WRITE),
]


def full_barrier():
    masks = {"from": ALL_COMMANDS, "to": ALL_COMMANDS}
    accesses = MEMORY_READ | MEMORY_WRITE
    return Line("barrier", masks,
                [Line("memory", {**masks, "from_access": accesses, "to_access": accesses})])
