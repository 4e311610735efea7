# SPDX-License-Identifier: Apache-2.0
"""Command lines of several programs on one: each after a "--"."""


def split(words):
    """Of ["--", "a", "b", "--", "c"]: [["a", "b"], ["c"]]."""
    commands = []
    for word in words:
        if word == "--":
            commands.append([])
        else:
            commands[-1].append(word)
    return commands
