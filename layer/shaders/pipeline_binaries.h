// SPDX-License-Identifier: Apache-2.0
// Binaries of pipelines (VK_KHR_pipeline_binary). A program gets the envelopes of
// shader_binaries.h, one for each stage. A pipeline that is made from them, in this run or in any
// later one under the layer, is made from the code inside. The driver never sees a binary and is
// not asked to capture any. The program gets another global key than the driver's, so that it
// stores binaries made under the layer separately ("vkGetPipelineKeyKHR"). Knows chains and stages;
// not how shaders are rewritten.
#pragma once

#include "arena.h"
#include "layer.h"
#include "shader_binaries.h"

struct vkr_layer_pipeline;

// Whether a pipeline's chain holds what a driver is not to see.
bool vkr_pipeline_is_packed(const void *chain);

// A pipeline that the program wants made, without what a driver is not to see: its stages have the
// code that stands in its binaries. Both are copied where they change. False for lack of memory.
bool vkr_pipeline_unpack(struct vkr_arena *arena, const void **chain,
			 const VkPipelineShaderStageCreateInfo **stages, uint32_t count);

// Keeps the stages' code with the pipeline where the program has said, in the chain as it gave it,
// that it will ask for binaries. Stages as vkr_pipeline_unpack leaves them.
void vkr_pipeline_capture(struct vkr_layer_device *device, struct vkr_layer_pipeline *pipeline,
			  const void *chain, VkPipelineCreateFlags flags,
			  const VkPipelineShaderStageCreateInfo *stages, uint32_t count);
