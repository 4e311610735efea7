// SPDX-License-Identifier: Apache-2.0
// What pipelines are put together of: stages, instrumented where that is possible, and libraries.
// Knows shader stages; not the rest of a pipeline's state.
#pragma once

#include "arena.h"
#include "objects.h"
#include "shader_cache.h"

struct vkr_stage_part {
	struct vkr_shader *shader; // NULL: its code is not known
	// Instrumented, for the length of the call: to log everything, and what a summary wants.
	VkShaderModule module, rest_module;
	const struct vkr_mappings *mappings; // for heaps (heap_mappings.h); else NULL
	bool logs;                           // made with instrumented code
	const char *entry_point;
	VkShaderStageFlagBits stage;
};

// One pipeline of a call.
struct vkr_pipeline_parts {
	struct vkr_pipeline_layout *layout;
	bool asks, asks_samples; // as in struct vkr_shader_use
	bool tells_values;       // likewise; before stages are read: of vkr_parts_are_linked
	struct vkr_stage_part *stages;
	uint32_t stage_count;
	const struct vkr_pipeline **libraries; // NULL: one that is not known
	uint32_t library_count;
};

// Makes room for so many stages; false for lack of memory.
bool vkr_parts_init(struct vkr_pipeline_parts *parts, struct vkr_arena *arena, uint32_t stages);

// Reads the stages, as many as there was made room for, and puts instrumented modules in their
// place. False where all stay as they are.
bool vkr_parts_stages(struct vkr_device *device, struct vkr_arena *arena,
		      struct vkr_pipeline_parts *parts, VkPipelineShaderStageCreateInfo *stages,
		      uint32_t count);

// Puts the module that logs what the shader's summary wants in a stage of vkr_parts_stages. False
// where it cannot be made.
bool vkr_parts_rest(const struct vkr_device *device, struct vkr_stage_part *part,
		    VkPipelineShaderStageCreateInfo *stage);

// Reads the libraries; false for lack of memory. `libraries` may be NULL.
bool vkr_parts_libraries(struct vkr_device *device, struct vkr_arena *arena,
			 const VkPipelineLibraryCreateInfoKHR *libraries,
			 struct vkr_pipeline_parts *parts);

// Whether shaders of other calls run with these: it has libraries, or is one.
bool vkr_parts_are_linked(const struct vkr_pipeline_parts *parts, const void *chain,
			  VkPipelineCreateFlags flags);

// A call that makes pipelines of one kind.
struct vkr_pipelines_call {
	struct vkr_device *device;
	VkPipelineCache cache;
	uint32_t count;
	const VkAllocationCallbacks *allocator;
	VkPipeline *pipelines;
	struct vkr_pipeline_parts *parts; // NULL for lack of memory
	bool ready;                       // all parts were read: what is made can be known
	bool by_library;                  // a library of one of the pipelines logs
	bool changed;                     // a stage has an instrumented module
	const void *infos, *own;          // with these modules; as the program gives them
	// The driver's command of this kind.
	VkResult (*create)(const struct vkr_pipelines_call *call, const void *infos);
};

// Whether one of the libraries logs; `libraries` may be NULL.
bool vkr_parts_by_library(struct vkr_device *device,
			  const VkPipelineLibraryCreateInfoKHR *libraries);

// Has the driver make the pipelines: where it refuses those with instrumented modules, without.
// Pipelines that would log by their libraries and cannot be known are not made.
VkResult vkr_parts_create(const struct vkr_pipelines_call *call);

// Some of the call's pipelines could not be kept: who binds one that logs must know it. All are
// made again as the program gives them, or, where they log by their libraries, the call fails.
VkResult vkr_parts_make_again(const struct vkr_pipelines_call *call);

// Records a pipeline that was made. NULL for lack of memory.
struct vkr_pipeline *vkr_parts_make(struct vkr_device *device, VkPipelineBindPoint point,
				    const struct vkr_pipeline_parts *parts);

// It is destroyed.
void vkr_parts_forget(struct vkr_pipeline *pipeline);

// Keeps and records a pipeline that was made. NULL for lack of memory.
struct vkr_pipeline *vkr_parts_know(struct vkr_device *device, VkPipeline handle,
				    VkPipelineBindPoint point,
				    const struct vkr_pipeline_parts *parts);
