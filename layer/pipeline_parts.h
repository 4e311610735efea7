// SPDX-License-Identifier: Apache-2.0
// What pipelines are put together of: stages, instrumented where that is possible, and libraries.
// Knows shader stages; not the rest of a pipeline's state.
#pragma once

#include "arena.h"
#include "objects.h"
#include "shader_cache.h"

struct vkr_stage_part {
	struct vkr_shader *shader; // NULL: its code is not known
	VkShaderModule module;     // instrumented, for the length of the call
	bool logs;                 // made with instrumented code
	const char *entry_point;
	VkShaderStageFlagBits stage;
};

// One pipeline of a call.
struct vkr_pipeline_parts {
	struct vkr_pipeline_layout *layout;
	struct vkr_stage_part *stages;
	uint32_t stage_count;
	const struct vkr_pipeline **libraries; // NULL: one that is not known
	uint32_t library_count;
};

// Makes room for so many stages; false for lack of memory.
bool vkr_parts_init(struct vkr_pipeline_parts *parts, struct vkr_arena *arena, uint32_t stages);

// Reads a stage, and puts an instrumented module in its place. False where it stays as it is.
bool vkr_parts_stage(struct vkr_device *device, struct vkr_arena *arena,
		     struct vkr_pipeline_parts *parts, VkPipelineShaderStageCreateInfo *stage);

// Once the driver has made the pipelines.
void vkr_parts_finish(struct vkr_device *device, uint32_t count, struct vkr_pipeline_parts *parts);

// The driver refused the pipelines with instrumented modules: they were made without.
void vkr_parts_refused(uint32_t count, struct vkr_pipeline_parts *parts);

// Records a pipeline that was made. NULL for lack of memory.
struct vkr_pipeline *vkr_parts_make(struct vkr_device *device, VkPipelineBindPoint point,
				    const struct vkr_pipeline_parts *parts);

// It is destroyed.
void vkr_parts_forget(struct vkr_pipeline *pipeline);

// Keeps and records a pipeline that was made. NULL for lack of memory.
struct vkr_pipeline *vkr_parts_know(struct vkr_device *device, VkPipeline handle,
				    VkPipelineBindPoint point,
				    const struct vkr_pipeline_parts *parts);

// A call failed: what it made all the same is destroyed.
void vkr_parts_destroy(struct vkr_device *device, uint32_t count, VkPipeline *pipelines,
		       const VkAllocationCallbacks *allocator);
