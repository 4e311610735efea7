// SPDX-License-Identifier: Apache-2.0
// Code that carries along where a pointer chosen at run time leads: beside each such pointer three
// words, its variable's index in the site table, the descriptor array element, the byte offset; or
// the address that an acceleration structure was made from.
// Knows pointer_bases.h, nothing of logs.
#pragma once

#include "analysis.h"
#include "spirv_words.h"

enum {
	VKR_POINTER_VARIABLE,
	VKR_POINTER_ELEMENT,
	VKR_POINTER_OFFSET,
	VKR_POINTER_WORDS,
	// Of an acceleration structure made from an address: its halves.
	VKR_POINTER_LOW = VKR_POINTER_ELEMENT,
	VKR_POINTER_HIGH = VKR_POINTER_OFFSET,
};

struct vkr_pointer_ids;
struct vkr_heap_code;

struct vkr_pointer_code {
	const struct vkr_analysis *analysis;
	struct vkr_maker *maker;
	struct vkr_pointer_ids **by_id; // by id of a base, or of a variable that holds pointers
	struct {
		uint32_t *items; // global variables that were added
		size_t count, capacity;
	} globals;
	struct vkr_heap_code *heap; // for mappings (heap_code.h)
	bool is_needed;             // some base is used
	bool failed;                // for lack of memory
};

void vkr_pointer_code_init(struct vkr_pointer_code *pointers, const struct vkr_analysis *analysis,
			   struct vkr_maker *maker, struct vkr_heap_code *heap);
void vkr_pointer_code_finish(struct vkr_pointer_code *pointers);

// The three words' ids (32-bit unsigned) of a base that is used.
const uint32_t *vkr_pointer_code_ids(const struct vkr_pointer_code *pointers, uint32_t base);

// The code to insert right before and right after the instruction of this index.
void vkr_pointer_code_before(struct vkr_pointer_code *pointers, uint32_t instruction,
			     struct vkr_spirv_words *code);
void vkr_pointer_code_behind(struct vkr_pointer_code *pointers, uint32_t instruction,
			     struct vkr_spirv_words *code);
