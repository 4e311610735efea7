// SPDX-License-Identifier: Apache-2.0
// What an instruction is, whatever its operands: opcodes.def has a row for each one that matters.
// Knows SPIR-V's numbers; nothing of modules.
#pragma once

#include "spirv_newer.h"
#include "vkrace/site.h"
#include "vkrace/summary.h"

#include <spirv/unified1/spirv.h>
#include <stdbool.h>
#include <stdint.h>

enum vkr_opcode_flags {
	VKR_OPCODE_TERMINATOR = 1 << 0, // ends a block
	VKR_OPCODE_MERGE = 1 << 1,      // stands before the end of a block
	VKR_OPCODE_CHAIN = 1 << 2,      // an access chain whose result has a pointer type
	// Its result, of integers, follows from its operands alone.
	VKR_OPCODE_PURE = 1 << 3,
	// Of floats: a summary computes it where their precision is known.
	VKR_OPCODE_FLOAT = 1 << 4,
	VKR_OPCODE_SWAPPED = 1 << 5,      // `summary` takes the operands in the other order
	VKR_OPCODE_STEP = 1 << 6,         // an atomic whose operand is 1
	VKR_OPCODE_EXTREME = 1 << 7,      // the old value stays where `updates` holds
	VKR_OPCODE_IMPLICIT = 1 << 8,     // the level follows from derivatives
	VKR_OPCODE_PROJECTIVE = 1 << 9,   // the last coordinate divides the others
	VKR_OPCODE_SHADER_CALL = 1 << 10, // other invocations execute before it has ended
};

// Where operands stand: words from the instruction's first on; 0: there is none.
struct vkr_opcode_texel {
	uint8_t form; // enum vkr_texel_form; 0: it accesses no texel
	uint8_t image, coordinate, component, operands;
};

#define VKR_ALL_OPERANDS UINT8_MAX

struct vkr_opcode {
	uint16_t flags;    // enum vkr_opcode_flags
	uint16_t updates;  // of an atomic: makes the new value of the old one and the operand
	uint8_t operation; // enum vkr_site_operation; 0: none by itself
	uint8_t operands;  // how many a summary computes the value from; 0: it does not do so
	uint8_t summary;   // enum vkr_summary_code, of two operands; 0: none by itself
	uint8_t traced;    // the word of the acceleration structure that is traversed; 0: none
	struct vkr_opcode_texel texel;
	const char *unlogged; // an access that is not observed, in words for the report
};

// All zero for an instruction that has no row.
const struct vkr_opcode *vkr_opcode(uint16_t opcode);

static inline bool vkr_opcode_is(uint16_t opcode, enum vkr_opcode_flags flag)
{
	return vkr_opcode(opcode)->flags & flag;
}

// VKR_SITE_ATOMIC_LOAD, VKR_SITE_ATOMIC_STORE or VKR_SITE_ATOMIC_RMW; 0 for what is no atomic.
static inline enum vkr_site_operation vkr_opcode_atomic(uint16_t opcode)
{
	const uint8_t operation = vkr_opcode(opcode)->operation;
	return operation >= VKR_SITE_ATOMIC_LOAD && operation <= VKR_SITE_ATOMIC_RMW ? operation
										     : 0;
}
