// SPDX-License-Identifier: Apache-2.0
// Which memory a pointer leads to: its variable, and the byte offset as a sum over index values.
// Knows pointers and layouts, not what is done through them.
#pragma once

#include "arena.h"
#include "heap_homes.h"
#include "pointer_forms.h"
#include "spirv_types.h"

enum vkr_target_kind {
	VKR_TARGET_UNLOGGED, // memory of the invocation's own, or an interface: never races
	VKR_TARGET_VARIABLE, // in a known buffer, or one that the workgroup shares;
			     // UniformConstant: the descriptor itself, no memory
	VKR_TARGET_CHOSEN,   // in one of several variables, which one is known at run time
	VKR_TARGET_ADDRESS,  // behind a device address: the pointer itself is the location; of an
			     // acceleration structure, what it was made from
	VKR_TARGET_UNKNOWN,  // shared memory, but the variable or offset is not known
};

// constant + the sum of the terms, modulo 2^32. Indices are ids of integers of any width.
struct vkr_term {
	uint32_t index;
	uint32_t factor;
	uint32_t scale; // id of one more factor, a constant that the driver knows; 0: none
};
struct vkr_sum {
	uint32_t constant;
	struct vkr_term *terms;
	uint32_t term_count;
};

// A pointer whose variable or offset is known only at run time: what it may lead to.
// (pointer_bases.c)
struct vkr_pointer_base {
	uint32_t pointer;    // id
	bool is_unknown;     // comes from where it cannot be followed
	uint32_t *variables; // ids of OpVariables
	uint32_t variable_count;
	bool is_address; // acceleration structures made from addresses, and no variables
	bool has_layout;
	struct vkr_layout layout; // of what it points to
	bool is_coherent, is_volatile;
	bool is_used; // a site's place starts from it
};

struct vkr_pointer_target {
	enum vkr_target_kind kind;
	uint32_t storage_class;
	uint32_t variable; // id of the OpVariable, of VKR_TARGET_VARIABLE; _CHOSEN: the first one
	// Of an acceleration structure with VKR_TARGET_ADDRESS and no base: the id of its device
	// address.
	uint32_t address;
	// Where the place starts from, NULL: the variable's start. Offset and element count from
	// what it is at run time.
	struct vkr_pointer_base *base;
	uint32_t type; // of the value the pointer leads to, 0 where the pointer has no type
	struct vkr_layout layout;
	struct vkr_sum offset; // bytes, from the descriptor's or Workgroup variable's start
	// Of a descriptor array, nested ones flattened; in a heap that is a variable, bytes.
	struct vkr_sum element;
	bool is_arrayed;               // which descriptor it is, is logged
	const struct vkr_home *home;   // of `variable`, with descriptor heaps; else NULL
	bool is_sampler_half;          // of a combined image, its sampler
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
	struct vkr_pointer_base *const *bases; // by id, NULL: none such
	struct vkr_home *const *homes;         // by id of a variable, NULL: none such
	bool shares_outputs;                   // Output variables are one for the workgroup
	bool shares_payload; // TaskPayloadWorkgroupEXT ones are, and may be written
};
#define VKR_ARGUMENT_MANY UINT32_MAX

// The id that a pointer starts from: a variable, a parameter, or what else is no access chain.
uint32_t vkr_pointer_root(const struct vkr_module *module, uint32_t pointer);

// Whether a workgroup shares one variable of the storage class.
bool vkr_is_group_class(const struct vkr_address_book *book, uint32_t storage_class);

// How many words identify a place's descriptor, in its variable or one of several variables.
uint32_t vkr_descriptor_words(const struct vkr_pointer_target *place);

// Where `pointer` leads. False for lack of memory.
bool vkr_pointer_target_resolve(const struct vkr_address_book *book, uint32_t pointer,
				struct vkr_pointer_target *place);

// A variable of a descriptor, of known type: the block's type below its arrays, and how many
// descriptors (0 for a runtime array).
uint32_t vkr_descriptor_block(const struct vkr_types *types, uint32_t variable, uint32_t *count);

// Of a buffer's variable and its block's type: whether it is a uniform buffer; whether no access
// through it can write (NonWritable on it or on all members, or a uniform buffer); and whether it
// is so, and says nothing of other invocations that write (Coherent, Volatile).
bool vkr_is_uniform_block(const struct vkr_module *module, uint32_t variable, uint32_t block);
bool vkr_buffer_is_read_only(const struct vkr_module *module, uint32_t variable, uint32_t block);
bool vkr_buffer_is_constant(const struct vkr_module *module, uint32_t variable, uint32_t block);
