// SPDX-License-Identifier: Apache-2.0
// What pipelines are put together of: stages, instrumented where that is possible, and libraries.
// Knows shader stages; not the rest of a pipeline's state.
#pragma once

#include "arena.h"
#include "objects.h"
#include "shader_cache.h"

struct vkr_stage_part {
	struct vkr_layer_shader *shader; // NULL: its code is not known
	// Instrumented, for the length of the call: to log everything, and what a summary wants.
	VkShaderModule module, rest_module;
	const struct vkr_heap_mappings *mappings; // for heaps (heap_mappings.h); else NULL
	bool logs;                                // made with instrumented code
	const char *entry_point;
	VkShaderStageFlagBits stage;
};

// One pipeline of a call.
struct vkr_pipeline_parts {
	struct vkr_layer_pipeline_layout *layout;
	bool asks, asks_samples; // as in struct vkr_shader_use
	bool less_robust;        // VKR_PIPELINE_LESS_ROBUST
	bool tells_values;       // likewise; before stages are read: of vkr_parts_are_linked
	struct vkr_stage_part *stages;
	uint32_t stage_count;
	const struct vkr_layer_pipeline **libraries; // NULL: one that is not known
	uint32_t library_count;
	bool changed; // a stage has an instrumented module
	// Beside it: logs everything, where the pipeline itself need not.
	struct vkr_logging_pipeline *logging;
};

// Makes room for this many stages; false for lack of memory.
bool vkr_parts_init(struct vkr_pipeline_parts *parts, struct vkr_arena *arena, uint32_t stages);

// Notes what the pipeline's chain, or a stage's, says of robustness.
void vkr_parts_robustness(struct vkr_pipeline_parts *parts, const void *chain);

// Reads the stages, as many as there is room for, and replaces their modules by instrumented ones.
// False if all stay as they are.
bool vkr_parts_stages(struct vkr_layer_device *device, struct vkr_arena *arena,
		      struct vkr_pipeline_parts *parts, VkPipelineShaderStageCreateInfo *stages,
		      uint32_t count);

// Puts the module that logs what the shader's summary wants in a stage of vkr_parts_stages. False
// where it cannot be made.
bool vkr_parts_rest(const struct vkr_layer_device *device, struct vkr_stage_part *part,
		    VkPipelineShaderStageCreateInfo *stage);

// Reads the libraries; false for lack of memory. `libraries` may be NULL.
bool vkr_parts_libraries(struct vkr_layer_device *device, struct vkr_arena *arena,
			 const VkPipelineLibraryCreateInfoKHR *libraries,
			 struct vkr_pipeline_parts *parts);

// Whether shaders of other calls run with these: it has libraries, or is one.
bool vkr_parts_are_linked(const struct vkr_pipeline_parts *parts, const void *chain,
			  VkPipelineCreateFlags flags);

// Records a pipeline that was made. NULL for lack of memory.
struct vkr_layer_pipeline *vkr_parts_make(struct vkr_layer_device *device,
					  VkPipelineBindPoint point,
					  const struct vkr_pipeline_parts *parts);

// It is destroyed.
void vkr_parts_forget(struct vkr_layer_pipeline *pipeline);

// Keeps and records a pipeline that was made. NULL for lack of memory.
struct vkr_layer_pipeline *vkr_parts_know(struct vkr_layer_device *device, VkPipeline handle,
					  VkPipelineBindPoint point,
					  const struct vkr_pipeline_parts *parts);
