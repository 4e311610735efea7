// SPDX-License-Identifier: Apache-2.0
#include "logging_pipeline.h"

#include "arena.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct vkr_logging_pipeline {
	const struct vkr_layer_device *device;
	const uint32_t *words;
	size_t word_count;
	struct vkr_arena arena;           // of what info refers to
	VkComputePipelineCreateInfo info; // without module and layout
	pthread_mutex_t lock;             // of what follows
	bool made;                        // or refused
	VkPipeline handle;
};

// Structures that are kept, all without pointers, and those that are left out: they are for the
// program, which does not see this pipeline. 0: left out.
static const struct {
	VkStructureType type;
	size_t bytes;
} kept_structures[] = {
	{VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO, 0},
	{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, 0},
	{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
	 sizeof(VkPipelineShaderStageRequiredSubgroupSizeCreateInfo)},
#ifdef VK_KHR_maintenance5
	{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
	 sizeof(VkPipelineCreateFlags2CreateInfoKHR)},
#endif
#ifdef VK_EXT_pipeline_robustness
	{VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT,
	 sizeof(VkPipelineRobustnessCreateInfoEXT)},
#endif
};

// Copies a chain, in the order of its structures. False where it has something else.
static bool keep_chain(struct vkr_arena *arena, const void **chain)
{
	const size_t known = sizeof kept_structures / sizeof *kept_structures;
	const void *first = NULL;
	VkBaseOutStructure *last = NULL;
	for (const VkBaseInStructure *at = *chain; at; at = at->pNext) {
		size_t i = 0;
		while (i < known && kept_structures[i].type != at->sType)
			i++;
		if (i == known)
			return false;
		if (!kept_structures[i].bytes)
			continue;
		VkBaseOutStructure *copy = vkr_arena_alloc(arena, kept_structures[i].bytes);
		if (!copy)
			return false;
		memcpy(copy, at, kept_structures[i].bytes);
		copy->pNext = NULL;
		if (last)
			last->pNext = copy;
		else
			first = copy;
		last = copy;
	}
	*chain = first;
	return true;
}

static const void *keep_bytes(struct vkr_arena *arena, const void *from, size_t bytes)
{
	void *copy = vkr_arena_alloc(arena, bytes);
	if (copy && bytes)
		memcpy(copy, from, bytes);
	return copy;
}

static bool keep_specialization(struct vkr_arena *arena, const VkSpecializationInfo **kept)
{
	const VkSpecializationInfo *from = *kept;
	if (!from)
		return true;
	VkSpecializationInfo *copy = vkr_arena_alloc(arena, sizeof *copy);
	if (!copy)
		return false;
	*copy = *from;
	copy->pMapEntries = keep_bytes(arena, from->pMapEntries,
				       from->mapEntryCount * sizeof *from->pMapEntries);
	copy->pData = keep_bytes(arena, from->pData, from->dataSize);
	*kept = copy;
	return copy->pMapEntries && copy->pData;
}

static bool keep_info(struct vkr_logging_pipeline *logging, const VkComputePipelineCreateInfo *from)
{
	VkComputePipelineCreateInfo *info = &logging->info;
	VkPipelineShaderStageCreateInfo *stage = &info->stage;
	*info = *from;
	info->layout = VK_NULL_HANDLE;
	stage->module = VK_NULL_HANDLE;
	stage->pName = vkr_arena_string(&logging->arena, stage->pName, strlen(stage->pName));
	return stage->pName && keep_chain(&logging->arena, &info->pNext) &&
	       keep_chain(&logging->arena, &stage->pNext) &&
	       keep_specialization(&logging->arena, &stage->pSpecializationInfo);
}

static void make_handle(struct vkr_logging_pipeline *logging, VkPipelineCache cache,
			const VkComputePipelineCreateInfo *info)
{
	const struct vkr_layer_device *device = logging->device;
	logging->made = true;
	if (device->next.CreateComputePipelines(device->handle, cache, 1, info, NULL,
						&logging->handle) != VK_SUCCESS)
		logging->handle = VK_NULL_HANDLE;
}

struct vkr_logging_pipeline *vkr_logging_pipeline_keep(const struct vkr_layer_device *device,
						       VkPipelineCache cache,
						       const VkComputePipelineCreateInfo *info,
						       const uint32_t *words, size_t word_count)
{
	struct vkr_logging_pipeline *logging = calloc(1, sizeof *logging);
	if (!logging)
		return NULL;
	logging->device = device;
	logging->words = words;
	logging->word_count = word_count;
	pthread_mutex_init(&logging->lock, NULL);
	vkr_arena_init(&logging->arena);
	if (!keep_info(logging, info)) {
		make_handle(logging, cache, info);
		if (!logging->handle) {
			vkr_logging_pipeline_destroy(logging);
			return NULL;
		}
	}
	return logging;
}

static void make_late(struct vkr_logging_pipeline *logging, VkPipelineLayout layout)
{
	const struct vkr_layer_device *device = logging->device;
	const VkShaderModuleCreateInfo code = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = logging->word_count * sizeof *logging->words,
		.pCode = logging->words,
	};
	VkComputePipelineCreateInfo info = logging->info;
	info.layout = layout;
	logging->made = true;
	if (device->next.CreateShaderModule(device->handle, &code, NULL, &info.stage.module) !=
	    VK_SUCCESS)
		return;
	make_handle(logging, VK_NULL_HANDLE, &info);
	device->next.DestroyShaderModule(device->handle, info.stage.module, NULL);
}

VkPipeline vkr_logging_pipeline_get(struct vkr_logging_pipeline *logging, VkPipelineLayout layout)
{
	pthread_mutex_lock(&logging->lock);
	if (!logging->made)
		make_late(logging, layout);
	const VkPipeline handle = logging->handle;
	pthread_mutex_unlock(&logging->lock);
	return handle;
}

void vkr_logging_pipeline_destroy(struct vkr_logging_pipeline *logging)
{
	if (!logging)
		return;
	if (logging->handle)
		logging->device->next.DestroyPipeline(logging->device->handle, logging->handle,
						      NULL);
	pthread_mutex_destroy(&logging->lock);
	vkr_arena_finish(&logging->arena);
	free(logging);
}
