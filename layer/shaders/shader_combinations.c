// SPDX-License-Identifier: Apache-2.0
#include "shader_combinations.h"

#include "graphics_state.h"
#include "pipeline_parts.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct vkr_combination {
	struct vkr_combination *next;    // of the device; under its shader_lock
	uint32_t ids[VKR_OBJECT_STAGES]; // 0: none
	uint64_t key;                    // of the device's table
	struct vkr_layer_pipeline *pipeline;
};

static const VkShaderStageFlagBits stages[VKR_OBJECT_STAGES] = {
	VK_SHADER_STAGE_VERTEX_BIT,
	VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
	VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
	VK_SHADER_STAGE_GEOMETRY_BIT,
	VK_SHADER_STAGE_FRAGMENT_BIT,
	VK_SHADER_STAGE_TASK_BIT_NV, // the EXT stages have the same values
	VK_SHADER_STAGE_MESH_BIT_NV,
};

uint32_t vkr_object_place(VkShaderStageFlagBits stage)
{
	uint32_t place = 0;
	while (place < VKR_OBJECT_STAGES && stages[place] != stage)
		place++;
	return place;
}

// With shader objects, all state is set by commands.
static void record_state(struct vkr_layer_device *device, struct vkr_layer_pipeline *pipeline,
			 bool meshes)
{
	static const VkDynamicState states[] = {
		VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,
		VK_DYNAMIC_STATE_PRIMITIVE_RESTART_ENABLE,
		VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE,
		VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE,
		VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE,
		VK_DYNAMIC_STATE_DEPTH_BOUNDS_TEST_ENABLE,
		VK_DYNAMIC_STATE_STENCIL_TEST_ENABLE,
		VK_DYNAMIC_STATE_STENCIL_OP,
		VK_DYNAMIC_STATE_STENCIL_WRITE_MASK,
		VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE,
		VK_DYNAMIC_STATE_VERTEX_INPUT_EXT,
		VK_DYNAMIC_STATE_LOGIC_OP_ENABLE_EXT,
		VK_DYNAMIC_STATE_COLOR_BLEND_ENABLE_EXT,
		VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT,
		VK_DYNAMIC_STATE_RASTERIZATION_SAMPLES_EXT,
	};
	const VkPipelineDynamicStateCreateInfo dynamic = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
		.dynamicStateCount = sizeof states / sizeof *states,
		.pDynamicStates = states,
	};
	const VkPipelineShaderStageCreateInfo mesh = {.stage = VK_SHADER_STAGE_MESH_BIT_NV};
	const VkGraphicsPipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
		.stageCount = meshes,
		.pStages = &mesh,
		.pDynamicState = &dynamic,
	};
	vkr_record_graphics_state(device, pipeline, &info, NULL, 0);
}

static struct vkr_combination *make_combination(struct vkr_layer_device *device,
						const struct vkr_layer_pipeline *const *objects,
						const uint32_t *ids)
{
	const struct vkr_layer_pipeline *bound[VKR_OBJECT_STAGES];
	struct vkr_pipeline_parts parts = {.libraries = bound};
	struct vkr_combination *made = calloc(1, sizeof *made);
	for (uint32_t i = 0; i < VKR_OBJECT_STAGES; i++)
		if (objects[i])
			bound[parts.library_count++] = objects[i];
	if (made)
		made->pipeline = vkr_parts_make(device, VK_PIPELINE_BIND_POINT_GRAPHICS, &parts);
	if (!made || !made->pipeline) {
		free(made);
		return NULL;
	}
	memcpy(made->ids, ids, sizeof made->ids);
	record_state(device, made->pipeline,
		     objects[vkr_object_place(VK_SHADER_STAGE_MESH_BIT_NV)] != NULL);
	return made;
}

static uint64_t key_of(const uint32_t *ids)
{
	return XXH3_64bits(ids, VKR_OBJECT_STAGES * sizeof *ids);
}

static void release_combination(struct vkr_combination *combination)
{
	vkr_parts_forget(combination->pipeline);
	free(combination);
}

struct vkr_layer_pipeline *vkr_combination_get(struct vkr_layer_device *device,
					       const struct vkr_layer_pipeline *const *objects)
{
	uint32_t ids[VKR_OBJECT_STAGES] = {0}, any = 0;
	for (uint32_t i = 0; i < VKR_OBJECT_STAGES; i++)
		any |= ids[i] = objects[i] ? objects[i]->id : 0;
	if (!any)
		return NULL;
	uint64_t key = key_of(ids);
	struct vkr_combination *found = NULL;
	// One whose key is another's has the next.
	while ((found = vkr_handles_get(&device->combinations, key)) != NULL) {
		if (memcmp(found->ids, ids, sizeof ids) == 0)
			return found->pipeline;
		key++;
	}
	found = make_combination(device, objects, ids);
	if (found)
		found->key = key;
	if (found && !vkr_handles_put(&device->combinations, key, found)) {
		release_combination(found);
		found = NULL;
	}
	if (!found) {
		vkr_record_no_memory("shader objects");
		return NULL;
	}
	pthread_mutex_lock(&device->shader_lock);
	found->next = device->combination_list;
	device->combination_list = found;
	pthread_mutex_unlock(&device->shader_lock);
	return found->pipeline;
}

// Takes those that the object stands in from the list; NULL: all.
static struct vkr_combination *take_combination(struct vkr_layer_device *device,
						const struct vkr_layer_pipeline *object)
{
	struct vkr_combination *taken = NULL;
	pthread_mutex_lock(&device->shader_lock);
	for (struct vkr_combination **at = &device->combination_list; *at;) {
		struct vkr_combination *combination = *at;
		bool stands = !object;
		for (uint32_t i = 0; i < VKR_OBJECT_STAGES && object; i++)
			stands |= combination->ids[i] == object->id;
		if (!stands) {
			at = &combination->next;
			continue;
		}
		*at = combination->next;
		combination->next = taken;
		taken = combination;
	}
	pthread_mutex_unlock(&device->shader_lock);
	return taken;
}

static void release_all(struct vkr_layer_device *device, struct vkr_combination *list)
{
	while (list) {
		struct vkr_combination *next = list->next;
		vkr_handles_take(&device->combinations, list->key);
		release_combination(list);
		list = next;
	}
}

void vkr_combinations_forget(struct vkr_layer_device *device,
			     const struct vkr_layer_pipeline *object)
{
	release_all(device, take_combination(device, object));
}

void vkr_combinations_finish(struct vkr_layer_device *device)
{
	release_all(device, take_combination(device, NULL));
}
