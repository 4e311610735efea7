// SPDX-License-Identifier: Apache-2.0
// Calls that make pipelines, with instrumented shaders where that is possible. Knows what is the
// same for every kind of pipelines; not what is in their infos.
#pragma once

#include "pipeline_parts.h"

struct vkr_pipelines_call {
	const struct vkr_pipelines_kind *kind;
	struct vkr_layer_device *device;
	VkPipelineCache cache;
	uint32_t count;
	const void *infos; // as the program gives them
	const VkAllocationCallbacks *allocator;
	VkPipeline *pipelines;
};

// One kind of pipelines. An info is of its structure, which begins as VkBaseInStructure.
struct vkr_pipelines_kind {
	const char *name; // of several
	VkPipelineBindPoint point;
	size_t info_bytes;

	// Makes an info what a driver may see (vkr_pipeline_unpack). False for lack of memory.
	bool (*unpack)(struct vkr_arena *arena, void *info);

	// NULL where these pipelines have none; it may return NULL.
	const VkPipelineLibraryCreateInfoKHR *(*libraries)(const void *info);

	// Reads one pipeline and changes the info to be made. False for lack of memory.
	bool (*prepare)(const struct vkr_pipelines_call *call, struct vkr_arena *arena, void *info,
			struct vkr_pipeline_parts *parts);

	// The driver's command.
	VkResult (*create)(const struct vkr_pipelines_call *call, const void *infos);

	// One that was made is known. Of its info, the chain and the flags are as the program gave
	// them in `given`, the rest as a driver may see it in `info`.
	void (*known)(struct vkr_layer_device *device, struct vkr_layer_pipeline *pipeline,
		      const void *given, const void *info, const struct vkr_pipeline_parts *parts);
};

// Has the driver make the pipelines: where it refuses those with instrumented modules, without.
// Pipelines that would log by their libraries and cannot be known are not made.
VkResult vkr_pipelines_make(const struct vkr_pipelines_call *call);
