// SPDX-License-Identifier: Apache-2.0
// File descriptors in a program whose own are anything. Knows nothing of what they are of.
#pragma once

#include <stdint.h>

// Returns the descriptor or, if it has the number of a standard stream that the program has closed,
// a close-on-exec copy with another number: what the program still prints must not go there. On
// failure returns a number below 0, sets errno, and closes the descriptor.
int vkr_descriptor_above_streams(int descriptor);

// A memory file (memfd_create) of this many zeros, above the standard streams; below 0 (errno) if
// there is none. Works beyond RLIMIT_FSIZE too: the signal that would end the program does not
// reach it.
int vkr_descriptor_of_memory(const char *name, unsigned flags, uint64_t bytes);
