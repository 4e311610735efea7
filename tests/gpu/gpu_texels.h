// SPDX-License-Identifier: Apache-2.0
// An image with its views and sampler, a texel buffer, and kernels over them. Knows Vulkan's
// objects; nothing of what is to be reported.
#pragma once

#include "gpu_test.h"

#define GPU_TEXELS_VIEWS 4

struct gpu_texels {
	VkImage image; // R32_UINT, 16 x 16, 2 mip levels, 2 array layers; in layout GENERAL
	VkDeviceMemory memory;
	// Level 0 of layer 0, of layer 1; level 1 of layer 0; level 0 of layer 0 again.
	VkImageView views[GPU_TEXELS_VIEWS];
	VkSampler sampler, clamping; // nearest texel; repeated beyond the edge, or its last
	VkBuffer words;              // of its own
	VkDeviceMemory words_memory;
	VkBufferView words_view;
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkDescriptorPool pool;
	VkDescriptorSet set;
	VkPipeline pipelines[8];
	uint32_t pipeline_count;
};

// Makes all of it, and records the transition to GENERAL.
void gpu_texels_init(struct gpu_texels *texels, struct gpu_test *test);
// Records a dispatch of the named kernel of test->kernels over `groups` workgroups.
void gpu_texels_dispatch(struct gpu_texels *texels, struct gpu_test *test, const char *kernel,
			 uint32_t groups);
// Likewise, over rows of workgroups.
void gpu_texels_dispatch_rows(struct gpu_texels *texels, struct gpu_test *test, const char *kernel,
			      uint32_t groups, uint32_t rows);
// Submits what was recorded, waits, and destroys everything.
void gpu_texels_finish(struct gpu_texels *texels, struct gpu_test *test);
