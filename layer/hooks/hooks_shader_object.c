// SPDX-License-Identifier: Apache-2.0
// Shader objects (VK_EXT_shader_object): each is kept as the pipeline that it would be alone, and
// graphics objects that are bound together as the pipeline that they form. Knows how they are made
// and bound; not how shaders are rewritten.
#include "command_buffer.h"
#include "descriptor_heaps.h"
#include "heap_mappings.h"
#include "pipeline_parts.h"
#include "record.h"
#include "shader_binaries.h"
#include "shader_combinations.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#ifdef VK_EXT_shader_object
// What one shader object of a call is made of.
struct object_parts {
	struct vkr_layer_pipeline_layout *layout; // of its own, for its block
	struct vkr_pipeline_parts pipeline;
	bool changed;
};

static bool uses_heaps(const VkShaderCreateInfoEXT *info)
{
#ifdef VK_EXT_descriptor_heap
	return info->flags & VK_SHADER_CREATE_DESCRIPTOR_HEAP_BIT_EXT;
#else
	(void)info;
	return false;
#endif
}

// Objects of layouts that are independent know some of the sets only, and have no handles for the
// rest.
static VkPipelineLayoutCreateFlags layout_flags(const VkShaderCreateInfoEXT *info)
{
	VkPipelineLayoutCreateFlags flags = 0;
#ifdef VK_KHR_maintenance11
	if (info->flags & VK_SHADER_CREATE_INDEPENDENT_SETS_BIT_KHR) {
		flags |= VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT;
		if (info->flags & VK_SHADER_CREATE_NO_TASK_SHADER_BIT_EXT)
			flags |= VK_PIPELINE_LAYOUT_CREATE_NO_TASK_SHADER_BIT_KHR;
	}
#else
	(void)info;
#endif
	return flags;
}

// The layout that a pipeline of this shader alone would have, with room for the block.
static struct vkr_layer_pipeline_layout *
layout_of(struct vkr_layer_device *device, struct vkr_arena *arena, VkShaderCreateInfoEXT *info)
{
	if (uses_heaps(info)) {
		struct vkr_layer_pipeline_layout *heaps =
			vkr_layout_of(device, VK_NULL_HANDLE, VKR_HEAP_FLAG);
		if (heaps)
			atomic_fetch_add(&heaps->references, 1);
		return heaps;
	}
	VkPipelineLayoutCreateInfo wanted = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.flags = layout_flags(info),
		.setLayoutCount = info->setLayoutCount,
		.pSetLayouts = info->pSetLayouts,
		.pushConstantRangeCount = info->pushConstantRangeCount,
		.pPushConstantRanges = info->pPushConstantRanges,
	};
	struct vkr_layer_pipeline_layout *layout =
		vkr_pipeline_layout_extend(device, arena, &wanted);
	if (!layout || layout->way == VKR_BLOCK_NONE)
		return layout;
	info->setLayoutCount = wanted.setLayoutCount;
	info->pSetLayouts = wanted.pSetLayouts;
	info->pushConstantRangeCount = wanted.pushConstantRangeCount;
	info->pPushConstantRanges = wanted.pPushConstantRanges;
	return layout;
}

static void say_unobserved(const VkShaderCreateInfoEXT *info, const char *reason)
{
	vkr_record_coverage(VKR_COVERAGE_SHADER, 0, 0,
			    "entry point %s of a shader object is not observed: %s", info->pName,
			    reason);
}

// Reads one shader object of a call, and puts instrumented code in its place where it can. False
// for lack of memory.
static bool prepare_objects(struct vkr_layer_device *device, struct vkr_arena *arena,
			    struct object_parts *parts, VkShaderCreateInfoEXT *info)
{
	if (!vkr_parts_init(&parts->pipeline, arena, 1))
		return false;
	if (info->codeType != VK_SHADER_CODE_TYPE_SPIRV_EXT) {
		say_unobserved(info, "its code came as a binary that was not stored under vkrace");
		return true;
	}
	parts->layout = parts->pipeline.layout = layout_of(device, arena, info);
	if (!parts->layout)
		return false;
	const struct vkr_heap_mappings *mappings =
		parts->layout->way == VKR_BLOCK_HEAP ? vkr_mappings_read(arena, info->pNext) : NULL;
	const struct vkr_shader_use use = {
		.words = info->pCode,
		.word_count = info->codeSize / sizeof(uint32_t),
		.hash = XXH3_64bits(info->pCode, info->codeSize),
		.entry_point = info->pName,
		.stage = info->stage,
		.specialization = info->pSpecializationInfo,
		.layout = parts->layout,
		.mappings = mappings,
		.asks = info->stage == VK_SHADER_STAGE_FRAGMENT_BIT && device->writes_alone,
		.tells_values =
			info->stage != VK_SHADER_STAGE_COMPUTE_BIT, // others are bound with it
	};
	struct vkr_stage_part *part = &parts->pipeline.stages[parts->pipeline.stage_count++];
	*part = (struct vkr_stage_part){.entry_point = info->pName, .stage = info->stage};
	part->shader = vkr_shader_get(device, &use);
	// The layout stays extended, because all objects that are bound together must have the same
	// one (VUID-vkCmdDraw-None-08878).
	if (!part->shader || !part->shader->words)
		return true;
	if (mappings && !vkr_mappings_extend(arena, mappings, info->stage, device->push_room.offset,
					     &info->pNext)) {
		say_unobserved(info, "its chain has a structure that is not known");
		return true;
	}
	info->pCode = part->shader->words;
	info->codeSize = part->shader->word_count * sizeof *part->shader->words;
	// Large dispatches are cut.
	if (info->stage == VK_SHADER_STAGE_COMPUTE_BIT)
		info->flags |= VK_SHADER_CREATE_DISPATCH_BASE_BIT_EXT;
	part->logs = parts->changed = true;
	return true;
}

static void shader_object_finish(uint32_t count, struct object_parts *parts)
{
	for (uint32_t i = 0; i < count; i++)
		vkr_pipeline_layout_release(parts[i].layout);
}

static void destroy_made(struct vkr_layer_device *device, uint32_t count, VkShaderEXT *shaders,
			 const VkAllocationCallbacks *allocator)
{
	for (uint32_t i = 0; i < count; i++) {
		device->next.DestroyShaderEXT(device->handle, shaders[i], allocator);
		shaders[i] = VK_NULL_HANDLE;
	}
}

// The driver refused the instrumented code: the objects were made without.
static void shader_object_refused(uint32_t count, const VkShaderCreateInfoEXT *infos,
				  struct object_parts *parts)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!parts[i].changed)
			continue;
		parts[i].pipeline.stages[0].logs = false;
		say_unobserved(&infos[i], "the driver refused the instrumented code");
	}
}

// False for lack of memory.
static bool know_shader(struct vkr_layer_device *device, VkShaderEXT handle,
			const struct object_parts *parts, const VkShaderCreateInfoEXT *own)
{
	const bool computes = parts->pipeline.stages[0].stage == VK_SHADER_STAGE_COMPUTE_BIT;
	struct vkr_layer_pipeline *kept = vkr_parts_make(
		device, computes ? VK_PIPELINE_BIND_POINT_COMPUTE : VK_PIPELINE_BIND_POINT_GRAPHICS,
		&parts->pipeline);
	if (kept && !vkr_handles_put(&device->objects.shader_objects, VKR_KEY(handle), kept)) {
		vkr_parts_forget(kept);
		vkr_record_no_memory("a shader object");
		return false;
	}
	if (kept && vkr_binary_wraps() && !uses_heaps(own))
		kept->binary = vkr_binary_wrap(own);
	return kept != NULL;
}

// Who binds an object that logs must know it: those that were made are destroyed.
static void destroy_known(struct vkr_layer_device *device, uint32_t count, VkShaderEXT *shaders,
			  const VkAllocationCallbacks *allocator)
{
	for (uint32_t i = 0; i < count; i++) {
		struct vkr_layer_pipeline *kept =
			vkr_handles_take(&device->objects.shader_objects, VKR_KEY(shaders[i]));
		if (kept)
			vkr_parts_forget(kept);
	}
	destroy_made(device, count, shaders, allocator);
}

// Opens the binaries among the infos. *count: how many objects are made. If one cannot be opened,
// these are the ones before it, without those linked with it ("vkCreateShadersEXT"). False for lack
// of memory.
static bool open_binaries(struct vkr_arena *arena, VkShaderCreateInfoEXT *infos, uint32_t *count)
{
	for (uint32_t i = 0; i < *count; i++) {
		const enum vkr_binary_kind kind =
			infos[i].codeType == VK_SHADER_CODE_TYPE_BINARY_EXT
				? vkr_binary_open(arena, &infos[i])
				: VKR_BINARY_OTHER;
		if (kind == VKR_BINARY_NO_MEMORY)
			return false;
		if (kind != VKR_BINARY_SPOILED)
			continue;
		for (*count = 0; *count < i; ++*count)
			if (infos[*count].flags & infos[i].flags &
			    VK_SHADER_CREATE_LINK_STAGE_BIT_EXT)
				break;
	}
	return true;
}

// Makes the objects, of instrumented code where they can be.
static VkResult create_objects(struct vkr_layer_device *device, struct vkr_arena *arena,
			       uint32_t count, const VkShaderCreateInfoEXT *own,
			       const VkAllocationCallbacks *allocator, VkShaderEXT *shaders)
{
	PFN_vkCreateShadersEXT next = device->next.CreateShadersEXT;
	struct object_parts *parts = vkr_arena_alloc(arena, count * sizeof *parts);
	VkShaderCreateInfoEXT *changed = vkr_arena_alloc(arena, count * sizeof *changed);
	bool ready = parts && changed, any = false, known = true;
	for (uint32_t i = 0; ready && i < count; i++) {
		changed[i] = own[i];
		ready = prepare_objects(device, arena, &parts[i], &changed[i]);
		any |= parts[i].changed;
	}
	VkResult result = next(device->handle, count, ready ? changed : own, allocator, shaders);
	if (result < 0 && ready && any) {
		destroy_made(device, count, shaders, allocator);
		result = next(device->handle, count, own, allocator, shaders);
		if (result >= 0)
			shader_object_refused(count, own, parts);
	}
	if (!ready)
		vkr_record_no_memory("shader objects");
	for (uint32_t i = 0; ready && i < count; i++)
		if (shaders[i] && parts[i].layout)
			known &= know_shader(device, shaders[i], &parts[i], &own[i]);
	if (!known) {
		destroy_known(device, count, shaders, allocator);
		result = next(device->handle, count, own, allocator, shaders);
	}
	if (parts)
		shader_object_finish(count, parts);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateShadersEXT(VkDevice handle, uint32_t count,
						    const VkShaderCreateInfoEXT *infos,
						    const VkAllocationCallbacks *allocator,
						    VkShaderEXT *shaders)
{
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	uint32_t made = count;
	VkShaderCreateInfoEXT *own = vkr_arena_alloc(&arena, count * sizeof *own);
	VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
	for (uint32_t i = 0; i < count; i++)
		shaders[i] = VK_NULL_HANDLE;
	if (own) {
		memcpy(own, infos, count * sizeof *own);
		if (open_binaries(&arena, own, &made))
			result = VK_SUCCESS;
	}
	if (result == VK_SUCCESS && made)
		result = create_objects(vkr_device_of(handle), &arena, made, own, allocator,
					shaders);
	if (result == VK_SUCCESS && made < count) // the name that all headers have
		result = VK_ERROR_INCOMPATIBLE_SHADER_BINARY_EXT;
	vkr_arena_finish(&arena);
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyShaderEXT(VkDevice handle, VkShaderEXT shader,
						const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_pipeline *kept =
		vkr_handles_take(&device->objects.shader_objects, VKR_KEY(shader));
	if (kept) {
		vkr_combinations_forget(device, kept);
		vkr_parts_forget(kept);
	}
	device->next.DestroyShaderEXT(handle, shader, allocator);
}

// Instrumented code must not come back in a run without the layer: what was made of SPIR-V is given
// as that.
VKAPI_ATTR VkResult VKAPI_CALL vkr_GetShaderBinaryDataEXT(VkDevice handle, VkShaderEXT shader,
							  size_t *bytes, void *data)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	const struct vkr_layer_pipeline *kept =
		vkr_handles_get(&device->objects.shader_objects, VKR_KEY(shader));
	if (!kept || !vkr_binary_wraps())
		return device->next.GetShaderBinaryDataEXT(handle, shader, bytes, data);
	if (!kept->binary)
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	const bool fits = !data || *bytes >= kept->binary->bytes;
	*bytes = fits ? kept->binary->bytes : 0;
	if (data && fits)
		memcpy(data, kept->binary->data, kept->binary->bytes);
	return fits ? VK_SUCCESS : VK_INCOMPLETE;
}

static void bind_shader(struct vkr_layer_command_buffer *buffer, VkPipelineBindPoint point,
			struct vkr_layer_pipeline *pipeline)
{
	const struct vkr_trace_cmd_bind_pipeline payload = {
		.bind_point = (uint32_t)point,
		.pipeline = pipeline ? pipeline->id : 0,
	};
	vkr_command_event(buffer, VKR_TRACE_CMD_BIND_PIPELINE, &payload, sizeof payload, 0);
	if (point == VK_PIPELINE_BIND_POINT_COMPUTE)
		buffer->compute = pipeline;
	else
		buffer->graphics = pipeline;
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBindShadersEXT(VkCommandBuffer handle, uint32_t count,
						 const VkShaderStageFlagBits *stages,
						 const VkShaderEXT *shaders)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_layer_device *device = buffer ? buffer->device : vkr_device_of(handle);
	bool graphics = false;
	for (uint32_t i = 0; buffer && i < count; i++) {
		const uint32_t place = vkr_object_place(stages[i]);
		struct vkr_layer_pipeline *object =
			shaders && shaders[i] ? vkr_handles_get(&device->objects.shader_objects,
								VKR_KEY(shaders[i]))
					      : NULL;
		if (stages[i] == VK_SHADER_STAGE_COMPUTE_BIT)
			bind_shader(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, object);
		if (place == VKR_OBJECT_STAGES)
			continue;
		graphics = true;
		buffer->objects[place] = object;
	}
	if (graphics)
		bind_shader(buffer, VK_PIPELINE_BIND_POINT_GRAPHICS,
			    vkr_combination_get(device, buffer->objects));
	device->next.CmdBindShadersEXT(handle, count, stages, shaders);
}
#endif
