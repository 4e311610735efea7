// SPDX-License-Identifier: Apache-2.0
// The flags of pipelines, which stand in one of two places (VkPipelineCreateFlags2CreateInfo).
// Knows the places; not what the flags mean.
#pragma once

#include "arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

// The flags that count; `flags` are those of the create info itself.
uint64_t vkr_pipeline_flags(const void *chain, VkPipelineCreateFlags flags);

// Adds flags where they take effect, in a copy of the chain if that is where they are. False if the
// chain cannot be copied.
bool vkr_pipeline_flags_add(struct vkr_arena *arena, const void **chain,
			    VkPipelineCreateFlags *flags, VkPipelineCreateFlags more);

// Takes flags away that stand in the second place only. False where that cannot be copied.
bool vkr_pipeline_flags_take(struct vkr_arena *arena, const void **chain, uint64_t flags);

// Whether the pipeline must not log: generated commands may bind it, which cannot be observed, so
// that it would not find a block.
bool vkr_pipeline_stays_plain(const void *chain, VkPipelineCreateFlags flags);
