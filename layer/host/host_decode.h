// SPDX-License-Identifier: Apache-2.0
// Steps of making a struct vkr_host_instruction: decoding its bytes, and writing its copy.
// Knows Zydis's view of x86-64; used by host_instruction.c alone.
#pragma once

#include "host_instruction.h"

#include <Zydis/Zydis.h>

struct vkr_decoded {
	ZydisDecodedInstruction in;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	int memory; // index of the operand that is watched memory, or -1
};

// Fills in all of `instruction` but its copy.
void vkr_decode(uint64_t address, struct vkr_decoded *decoded,
		struct vkr_host_instruction *instruction);

// The longest copy, including the code after it.
#define VKR_COPY_BYTES 64u

// Writes the instruction with its memory operand changed, followed by code that restores the
// scratch register and the stack pointer and jumps to the next instruction. False if it cannot be
// changed.
bool vkr_copy_write(const struct vkr_decoded *decoded,
		    const struct vkr_host_instruction *instruction, unsigned char *out);
