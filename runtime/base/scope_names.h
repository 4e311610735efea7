// SPDX-License-Identifier: Apache-2.0
// Names of pipeline stages and access types (VkPipelineStageFlagBits2, VkAccessFlagBits2). Knows
// names and bits; not what they mean.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct vkr_bit_name {
	const char *name;   // "COMPUTE_SHADER"; NULL: the bit has none
	const char *suffix; // "_BIT", "_BIT_KHR"; NULL: the bit is one of ours, and not Vulkan's
};

struct vkr_scope_names {
	const char *prefix; // "VK_PIPELINE_STAGE_2_"
	struct vkr_bit_name bits[64];
};

extern const struct vkr_scope_names vkr_stage_names, vkr_access_type_names;

// The bit that is called so, with or without prefix and suffix, in *bit; false where none is.
bool vkr_scope_names_find(const struct vkr_scope_names *names, const char *text, uint64_t *bit);
