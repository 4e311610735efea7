// SPDX-License-Identifier: Apache-2.0
// Where the bytes of a type lie: sizes, strides, offsets, and which bytes an access covers.
// Knows nothing of variables or instructions that access memory.
#pragma once

#include "spirv_constants.h"
#include "vkrace/site.h"

// Bools have no size of their own in SPIR-V; in Workgroup memory they get this many bytes.
#define VKR_BOOL_BYTES 4u

// How a type is laid out where the type alone does not say. Matrices take stride and majorness from
// the structure member they belong to. A row-major matrix's column is a vector whose components lie
// component_stride bytes apart.
struct vkr_layout {
	bool is_explicit; // false: the packed layout of our own, for Workgroup variables without
			  // one
	bool row_major;
	uint32_t matrix_stride;    // bytes; 0 for none
	uint32_t component_stride; // bytes; 0: components lie side by side
};

struct vkr_types {
	const struct vkr_module *module;
	const struct vkr_constants *constants;
};

// The size of a value in bytes, without trailing padding, or UINT64_MAX if the type has no size
// (runtime arrays, opaque types) or its size is beyond 2^62.
uint64_t vkr_type_bytes(const struct vkr_types *types, uint32_t type, struct vkr_layout layout);

// One step of an access chain from `type`: the part's type, where it starts, how it is laid out.
// A dynamic index (index_known false) yields the stride; a known one the offset as well.
struct vkr_chain_step {
	uint32_t type;
	struct vkr_layout layout;
	uint64_t stride; // bytes an index; 0 for members of structures
	uint64_t offset; // of structure members
};
bool vkr_type_step(const struct vkr_types *types, uint32_t type, struct vkr_layout layout,
		   uint32_t member, struct vkr_chain_step *step);

// Elements of an OpTypeArray, UINT64_MAX where its length is not known.
uint64_t vkr_type_array_length(const struct vkr_types *types, uint32_t array);

// The bytes that an access to a whole value covers, as contiguous pieces in ascending order.
// False where they are beyond what can be listed (VKR_PIECES_MOST) or the type has no size, or for
// lack of memory.
#define VKR_PIECES_MOST ((size_t)1 << 20)
struct vkr_pieces {
	struct vkr_piece *items;
	size_t count, capacity;
	bool failed;
};
bool vkr_type_pieces(const struct vkr_types *types, uint32_t type, struct vkr_layout layout,
		     struct vkr_pieces *pieces);
