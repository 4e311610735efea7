// SPDX-License-Identifier: Apache-2.0
// Which memory a pointer leads to: its variable, and the byte offset as a sum over index values.
// Knows pointers and layouts, not what is done through them.
#pragma once

#include "arena.h"
#include "spirv_types.h"

enum vkr_place_kind {
	VKR_PLACE_UNLOGGED, // memory of the invocation's own, or an interface: never races
	VKR_PLACE_VARIABLE, // in a known buffer or Workgroup variable
	VKR_PLACE_ADDRESS,  // behind a device address: the pointer itself is the location
	VKR_PLACE_UNKNOWN,  // shared memory, but the variable or offset cannot be told
};

// constant + the sum of the terms, modulo 2^32. Indices are ids of integers of any width.
struct vkr_term {
	uint32_t index;
	uint32_t factor;
};
struct vkr_sum {
	uint32_t constant;
	struct vkr_term *terms;
	uint32_t term_count;
};

struct vkr_place {
	enum vkr_place_kind kind;
	uint32_t storage_class;
	uint32_t variable; // id of the OpVariable, of VKR_PLACE_VARIABLE
	uint32_t type;     // of the value the pointer leads to
	struct vkr_layout layout;
	struct vkr_sum offset;  // bytes, from the descriptor's or Workgroup variable's start
	struct vkr_sum element; // of a descriptor array, nested ones flattened
	bool is_arrayed;
	bool is_coherent, is_volatile; // decorations on the way
	const char *member;            // "bodies[].velocity"
};

struct vkr_address_book {
	const struct vkr_module *module;
	const struct vkr_types *types;
	struct vkr_arena *arena;
	// By id of a function's pointer parameter: the pointer that every reachable call passes, 0
	// for none, VKR_ARGUMENT_MANY where calls differ.
	const uint32_t *arguments;
};
#define VKR_ARGUMENT_MANY UINT32_MAX

// Where `pointer` leads. False for lack of memory.
bool vkr_place_resolve(const struct vkr_address_book *book, uint32_t pointer,
		       struct vkr_place *place);

// A variable of a descriptor: the block's type below its arrays, and how many descriptors (0 for a
// runtime array).
uint32_t vkr_descriptor_block(const struct vkr_types *types, uint32_t variable, uint32_t *count);

// The storage class and pointee type of a pointer type.
uint32_t vkr_pointer_class(const struct vkr_module *module, uint32_t pointer_type);
uint32_t vkr_pointer_pointee(const struct vkr_module *module, uint32_t pointer_type);
