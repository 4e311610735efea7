// SPDX-License-Identifier: Apache-2.0
// What the GPU tests need to trace rays: a scene, pipelines with their shader binding tables.
// Knows nothing of the layer.
#pragma once

#include "gpu_test.h"

struct gpu_rays_shader {
	VkShaderStageFlagBits stage;
	const uint32_t *words;
	size_t bytes;
};

#define GPU_RAYS_SHADERS 8u

// Shaders for one ray generation, miss and callable group each, and one group of all hit shaders.
struct gpu_rays_pipeline {
	struct gpu_rays_shader shaders[GPU_RAYS_SHADERS];
	uint32_t count;
	VkAccelerationStructureKHR scene; // binding 0 of set 1
	VkImageView image;                // binding 1 of set 1, in layout GENERAL; may be null
	bool deferred;                    // asked to be made later
	bool library;                     // linked of a library with all of it
	const void *heap_flags, *heap_mappings; // as of struct gpu_draw_pipeline
	uint32_t record;                        // a word of each shader's record behind its handle
};

struct gpu_rays;

// Makes the pipeline and its table; skips the test where the device traces no rays. Destroyed by
// gpu_rays_finish.
struct gpu_rays *gpu_rays_make(struct gpu_test *test, const struct gpu_rays_pipeline *pipeline);
void gpu_rays_finish(struct gpu_rays *rays);

// Records a trace of this many launches with the test's set as set 0.
void gpu_rays_trace(struct gpu_rays *rays, uint32_t width, uint32_t height);

// Records a trace of launches whose number three words at a device address give.
void gpu_rays_trace_indirect(struct gpu_rays *rays, VkDeviceAddress address);

// Records that the device writes the ray generation shader's handle into the table once more.
void gpu_rays_update_table(struct gpu_rays *rays);

// Records a dispatch of the test's named kernel with the same sets.
void gpu_rays_dispatch(struct gpu_rays *rays, const char *kernel, uint32_t groups);
