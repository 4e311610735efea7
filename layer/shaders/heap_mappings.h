// SPDX-License-Identifier: Apache-2.0
// The mappings that a shader stage has for descriptor heaps (VK_EXT_descriptor_heap): as the
// instrumenter reads them, and with those beside them that instrumented code needs. Knows their
// structures; not what the shader does.
#pragma once

#include "arena.h"
#include "instrument.h"
#include "objects.h"

// A sampler that they hold.
struct vkr_embedded_sampler {
	uint32_t set, binding;
	const VkSamplerCreateInfo *info;
};

struct vkr_heap_mappings {
	struct vkr_heap_mapping *items;
	size_t count;
	struct vkr_embedded_sampler *samplers;
	size_t sampler_count;
	uint32_t heap_set; // that the program has no mapping for
};

// Reads the mappings in a stage's chain; there may be none. NULL for lack of memory, or where the
// program has mappings for every set.
struct vkr_heap_mappings *vkr_mappings_read(struct vkr_arena *arena, const void *chain);

// Puts those that instrumented code needs beside the program's, in a copy of the chain. `offset`:
// of the place in the push data. False for lack of memory, or where the chain cannot be copied.
bool vkr_mappings_extend(struct vkr_arena *arena, const struct vkr_heap_mappings *mappings,
			 VkShaderStageFlagBits stage, uint32_t offset, const void **chain);
