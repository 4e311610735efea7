// SPDX-License-Identifier: Apache-2.0
#include "opcode.h"

// Flags as rows name them.
enum {
	CHAIN = VKR_OPCODE_CHAIN,
	TERMINATOR = VKR_OPCODE_TERMINATOR,
	MERGE = VKR_OPCODE_MERGE,
	PURE = VKR_OPCODE_PURE,
	FLOAT = VKR_OPCODE_FLOAT,
	SWAPPED = VKR_OPCODE_SWAPPED,
	STEP = VKR_OPCODE_STEP,
	EXTREME = VKR_OPCODE_EXTREME,
	IMPLICIT = VKR_OPCODE_IMPLICIT,
	PROJECTIVE = VKR_OPCODE_PROJECTIVE,
	SHADER_CALL = VKR_OPCODE_SHADER_CALL,
};

#define ROW(number, ...)                                                                           \
	case number: {                                                                             \
		static const struct vkr_opcode row = {__VA_ARGS__};                                \
		return &row;                                                                       \
	}
#define OTHER(number, operation_, flags_) ROW(number, .operation = operation_, .flags = flags_)
#define ATOMIC(number, operation_, updates_, flags_)                                               \
	ROW(number, .operation = operation_, .updates = updates_, .flags = flags_)
#define TEXELS(number, operation_, form, image, coordinate, component, operands_, flags_)          \
	ROW(number, .operation = operation_,                                                       \
	    .texel = {form, image, coordinate, component, operands_}, .flags = flags_)
#define RAYS(number, traced_, flags_) ROW(number, .traced = traced_, .flags = flags_)
#define VALUE(number, operands_, summary_, flags_)                                                 \
	ROW(number, .operands = operands_, .summary = summary_, .flags = flags_)
#define UNLOGGED(number, unlogged_) ROW(number, .unlogged = unlogged_)

const struct vkr_opcode *vkr_opcode(uint16_t opcode)
{
	static const struct vkr_opcode none = {0};
	switch ((uint32_t)opcode) {
#include "opcodes.def"
	default:
		return &none;
	}
}
