// SPDX-License-Identifier: Apache-2.0
// Where the variables of a shader that uses descriptor heaps live (VK_EXT_descriptor_heap): in a
// heap, behind an address, in push data. Knows mappings and variables; not what code finds them.
#pragma once

#include "instrument.h"
#include "spirv_constants.h"
#include "spirv_module.h"

enum vkr_home_kind {
	VKR_HOME_DIRECT = 1, // the variable is a heap, as bytes
	VKR_HOME_HEAP,       // a descriptor in a heap
	VKR_HOME_DATA,       // bytes of the resource heap
	VKR_HOME_ADDRESS,    // behind an address
	VKR_HOME_OWN,        // push data or the shader record: memory that nothing writes
	VKR_HOME_LOST,       // no mapping names it
};

enum vkr_home_index {
	VKR_INDEX_NONE,
	VKR_INDEX_PUSHED,         // a word of the push data
	VKR_INDEX_RECORD,         // a word of the shader record
	VKR_INDEX_INDIRECT,       // a word behind an address in the push data
	VKR_INDEX_INDIRECT_ARRAY, // the same, another one for each element
};

// A descriptor's place: constant + index * index_stride + element * array_stride, in bytes.
struct vkr_home_half {
	// Of VKR_HOME_ADDRESS: where the address stands, as two words; of VKR_HOME_OWN: which
	// memory it is.
	enum vkr_home_index index;
	uint32_t constant, index_stride, array_stride;
	uint32_t where, address_offset; // as in struct vkr_mapping_half
	uint32_t shift, mask;           // of the index's word; mask 0: all of it
	bool is_embedded;               // no descriptor: a sampler that the shader holds
};

struct vkr_home {
	enum vkr_home_kind kind;
	bool is_combined; // an image with its sampler
	struct vkr_home_half resource, sampler;
};

// The homes of a module's variables by id, NULL for those of sets; NULL for lack of memory.
struct vkr_home **vkr_homes_find(const struct vkr_module *module,
				 const struct vkr_instrument_options *options,
				 struct vkr_arena *arena);

// Whether variables with these homes can be distinguished only at run time. Either may be NULL.
bool vkr_homes_are_alike(const struct vkr_home *a, const struct vkr_home *b);

// Whether the half's index is read from memory.
static inline bool vkr_home_reads_index(const struct vkr_home_half *half)
{
	return !half->is_embedded && half->index >= VKR_INDEX_INDIRECT;
}
