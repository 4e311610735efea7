// SPDX-License-Identifier: Apache-2.0
// String instructions, run as a whole in C. Knows their operands; not which memory is watched.
#pragma once

#include "host_instruction.h"

// Runs movs, stos, lods, cmps or scas, with its repetitions, on the addresses that `translate`
// gives for the program's addresses (each valid up to the end of its page), and leaves the
// registers as the instruction would. Reports each contiguous range accessed.
void vkr_string_run(const struct vkr_host_instruction *instruction, ucontext_t *context,
		    void *(*translate)(uint64_t address),
		    void (*accessed)(void *user, uint64_t address, uint64_t bytes, bool write),
		    void *user);
