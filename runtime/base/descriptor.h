// SPDX-License-Identifier: Apache-2.0
// File descriptors in a program whose own are anything. Knows nothing of what they are of.
#pragma once

#include <stdint.h>

// The descriptor, or, where it has the number of a standard stream that the program has closed, a
// copy of it that has none, close-on-exec: what the program still prints must not go there. Below
// 0 (errno): there is none, and the descriptor is closed.
int vkr_descriptor_above_streams(int descriptor);

// A memory file (memfd_create) of so many zeros, above the standard streams; below 0 (errno) where
// it cannot be had. Beyond RLIMIT_FSIZE, too: the signal that then ends a program does not reach
// it.
int vkr_descriptor_of_memory(const char *name, unsigned flags, uint64_t bytes);
