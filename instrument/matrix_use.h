// SPDX-License-Identifier: Apache-2.0
// What memory an instruction on cooperative matrices accesses: lines of it, one after the other.
// Knows the instructions' operands; not where their pointers lead.
#pragma once

#include "spirv_types.h"

// The invocations of one scope make the access together.
struct vkr_matrix_use {
	uint32_t pointer;  // id, to the first component
	uint32_t operands; // the word that memory operands stand from on
	uint32_t lines;    // rows, or columns, each of whose components lie side by side
	uint32_t line_bytes;
	uint64_t stride;    // bytes from one line to the next, where it is a constant
	uint32_t stride_id; // else what counts it in units; 0: a constant
	uint16_t unit;      // bytes
	uint8_t scope;      // enum vkr_scope
	bool is_store;
};

// Whether the instruction accesses memory by a cooperative matrix; then *fault names what keeps it
// from being observed, NULL: nothing.
bool vkr_matrix_use_read(const struct vkr_types *types, const struct vkr_instruction *in,
			 struct vkr_matrix_use *use, const char **fault);
