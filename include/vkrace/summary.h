// SPDX-License-Identifier: Apache-2.0
// A shader's summary: how its control flow and the offsets of its accesses follow from the
// invocation's IDs, from push constants, and from values that the invocation logs, so that a
// dispatch of it need log nothing else, or nothing at all. Part of the site table. Knows numbers
// and sites; nothing of SPIR-V's ids or of bound objects.
//
// A summary is a list of operations on the invocation's own 32-bit registers, which are all 0 at
// the start. Execution starts at the first operation and continues with the next one unless an
// operation names another. Booleans are 0 and 1. Integers wrap; a result that SPIR-V leaves
// undefined (a division by zero, a shift by 32 or more) is an arbitrary number. The sites that it
// reaches are those that the invocation executes, in program order. They are what segments would
// have logged, except that a driver may have cut the invocation off.
//
// Values that do not follow from these are logged as records (vkrace/gpu_log.h): a number, here
// that of a VKR_SUMMARY_RECORD, and the words that the VKR_SUMMARY_LOGGED operations after it name.
// If an invocation's next record has another number, or is missing, the invocation was cut off and
// ends there. Where the site table's `streams` is set, records have neither numbers nor padding
// words.
//
// Words at constant places of buffers that no access through their variable can write are the same
// for all invocations, unless others race with these reads, or the dispatch itself writes there.
// One invocation of each execution tells them (struct vkr_gpu_block), whether or not it comes to
// load them: the trace has them as a SNAPSHOT at VKR_SNAPSHOT_UNIFORMS.
#pragma once

#include <assert.h>
#include <stdint.h>

enum vkr_summary_code {
	VKR_SUMMARY_CONSTANT = 1, // result = a
	VKR_SUMMARY_PUSHED,       // result = the word at byte a of the push constants
	VKR_SUMMARY_GROUP,        // result = WorkgroupId[a]
	VKR_SUMMARY_LOCAL,        // result = LocalInvocationId[a]
	VKR_SUMMARY_INDEX,        // result = LocalInvocationIndex
	VKR_SUMMARY_GROUPS,       // result = NumWorkgroups[a]
	VKR_SUMMARY_MOVE,         // result = register a
	VKR_SUMMARY_SELECT,       // result = register a is not 0 ? register b : register c
	// result = register a OPERATION register b
	VKR_SUMMARY_ADD,
	VKR_SUMMARY_SUBTRACT,
	VKR_SUMMARY_MULTIPLY,
	VKR_SUMMARY_SHIFT_LEFT,
	VKR_SUMMARY_SHIFT_RIGHT,
	VKR_SUMMARY_SHIFT_RIGHT_SIGNED,
	VKR_SUMMARY_AND,
	VKR_SUMMARY_OR,
	VKR_SUMMARY_XOR,
	VKR_SUMMARY_DIVIDE,
	VKR_SUMMARY_REMAINDER,
	VKR_SUMMARY_DIVIDE_SIGNED,
	VKR_SUMMARY_REMAINDER_SIGNED, // of the dividend's sign
	VKR_SUMMARY_EQUAL,
	VKR_SUMMARY_NOT_EQUAL,
	VKR_SUMMARY_LESS,
	VKR_SUMMARY_LESS_EQUAL,
	VKR_SUMMARY_LESS_SIGNED,
	VKR_SUMMARY_LESS_EQUAL_SIGNED,
	// Arithmetic on 32-bit floats, which say where samples are and nothing else: how they are
	// rounded is the driver's to decide, within the precision of Vulkan's environment for
	// SPIR-V ("Precision and Operation of SPIR-V Instructions").
	VKR_SUMMARY_FLOAT_ADD,
	VKR_SUMMARY_FLOAT_SUBTRACT,
	VKR_SUMMARY_FLOAT_MULTIPLY,
	VKR_SUMMARY_FLOAT_DIVIDE,
	// result = the float of the integer in register a
	VKR_SUMMARY_FLOAT_OF_SIGNED,
	VKR_SUMMARY_FLOAT_OF_UNSIGNED,
	// No result.
	// Site a, at the offset in register b; VKR_SITE_ARRAYED: of the element in register c.
	VKR_SUMMARY_ACCESS,
	VKR_SUMMARY_SYNC,   // site a, a barrier of any kind
	VKR_SUMMARY_JUMP,   // goes on with operation a
	VKR_SUMMARY_BRANCH, // goes on with operation b where register a is not 0, else with c
	VKR_SUMMARY_END,    // the invocation ends
	VKR_SUMMARY_RECORD, // the invocation's next record: number a, b words after it
	VKR_SUMMARY_LOGGED, // result = word a of the last record, counted after its number
	// result = component c & 3 of the size of the image or texel buffer that element register b
	// of variable a is bound to, as OpImageQuerySizeLod returns it for level c >> 2; of a
	// buffer, how many bytes of it are bound, and c is 0. b is 0 if the variable is no array.
	VKR_SUMMARY_SIZE,
	// Register a is word b of the texel access that follows. The words are those of struct
	// vkr_texel, but that coordinates never share one.
	VKR_SUMMARY_WORD,
	VKR_SUMMARY_TEXEL, // site a, an access to texels
	// More arithmetic on floats: result = the lesser, or the greater, of registers a and b, or
	// the square root of register a.
	VKR_SUMMARY_FLOAT_MINIMUM,
	VKR_SUMMARY_FLOAT_MAXIMUM,
	VKR_SUMMARY_FLOAT_SQUARE_ROOT,
	// result = word a of those that all invocations find alike: at byte c of the buffer that is
	// bound to variable b.
	VKR_SUMMARY_UNIFORM,
};
#define VKR_SUMMARY_CODES (VKR_SUMMARY_UNIFORM + 1)

// Mip level that a summary asks for the size of, at most.
#define VKR_SUMMARY_LEVEL_MOST 31u

// Words of a texel access: an element, coordinates, a level.
#define VKR_SUMMARY_TEXEL_WORDS 6u

enum vkr_summary_flags {
	// Only operations up to the next jump use the result: it may be anything for invocations
	// that are elsewhere now.
	VKR_SUMMARY_NEAR = 1u << 0,
};

// Registers of a summary, at most.
#define VKR_SUMMARY_REGISTERS (1u << 16)

// Words of a record after its number, at most.
#define VKR_SUMMARY_RECORD_WORDS 65u

// Words that one invocation tells for all, at most.
#define VKR_SUMMARY_UNIFORM_WORDS 64u

// Bytes of push constants that a summary may read, at most.
#define VKR_SUMMARY_PUSHED_BYTES 256u

struct vkr_summary_operation {
	uint8_t code;      // enum vkr_summary_code
	uint8_t flags;     // enum vkr_summary_flags
	uint16_t reserved; // 0
	uint32_t result;   // register
	uint32_t a, b, c;
};

static_assert(sizeof(struct vkr_summary_operation) == 20, "serialized");
