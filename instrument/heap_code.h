// SPDX-License-Identifier: Apache-2.0
// Code that finds what a mapping leads to (heap_homes.h) as the driver does: a descriptor's byte in
// its heap, or an address. Knows homes and push data; not what is logged of it.
#pragma once

#include "pointer_code.h"

struct vkr_log_code;

struct vkr_heap_code {
	struct vkr_log_code *log; // for its types
	uint32_t push, record;    // uniform blocks of words; 0: not made
};

// The program's push data, up to the block's place, as words: a uniform block, its variable.
uint32_t vkr_push_data_block(struct vkr_maker *maker, const struct vkr_instrument_options *options);

// What a place's raw element is in the log: for a variable in a heap, a byte. `words` are the
// place's as vkr_pointer_target_code has them.
uint32_t vkr_mapped_element(struct vkr_pointer_code *pointers,
			    const struct vkr_pointer_target *place, const uint32_t *words,
			    struct vkr_spirv_words *code);

// The address that a place in a mapped block is at, as uvec2; `reads_index`: where it, or the
// index of its descriptor, is read.
uint32_t vkr_mapped_address(struct vkr_pointer_code *pointers,
			    const struct vkr_pointer_target *place, const uint32_t *words,
			    bool reads_index, struct vkr_spirv_words *code);
