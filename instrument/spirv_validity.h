// SPDX-License-Identifier: Apache-2.0
// Whether a module may be rewritten: SPIRV-Tools' validator, and how much of what it refuses is
// sound. Knows nothing of what the rewriter looks for.
#pragma once

#include "spirv_mends.h"

// The rules that a sound module breaks, in the validator's words. To be released with
// vkr_broken_rules_finish.
struct vkr_broken_rules {
	char **items;
	size_t count, capacity;
	struct vkr_mends mends; // with those that are used the module is valid
	bool only_spirv;        // by the rules of SPIR-V without Vulkan's
};

// Runs the validator. A module that breaks rules of it, but whose ids, types and control flow are
// those of a shader, can be rewritten all the same: VKR_OK, and `broken` (zero before) says which.
// Of rules that are Vulkan's and that no mend helps against it is the first. VKR_ERROR_FORMAT where
// the module is refused: the message has the place and the validator's reason.
enum vkr_result vkr_spirv_validate(const uint32_t *words, size_t word_count, uint32_t environment,
				   struct vkr_broken_rules *broken,
				   struct vkr_error *error) VKR_MUST_USE;

// Runs it on what a module was rewritten to, which may break no rule but the module's own.
// VKR_ERROR_UNSUPPORTED where it is refused.
enum vkr_result vkr_spirv_validate_rewritten(const uint32_t *words, size_t word_count,
					     uint32_t environment,
					     const struct vkr_broken_rules *broken,
					     struct vkr_error *error) VKR_MUST_USE;

void vkr_broken_rules_finish(struct vkr_broken_rules *broken);
