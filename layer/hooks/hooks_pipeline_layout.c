// SPDX-License-Identifier: Apache-2.0
// Pipeline layouts with room for a block's address, and the push constants beside it.
// Knows ranges and sets; not what pipelines are made with them.
#include "arena.h"
#include "command_buffer.h"
#include "log_memory.h"
#include "objects.h"
#include "record.h"

#include "vkrace/gpu_log.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

void vkr_pipeline_layout_release(struct vkr_layer_pipeline_layout *layout)
{
	if (!layout || atomic_fetch_sub_explicit(&layout->references, 1, memory_order_acq_rel) != 1)
		return;
	struct vkr_layer_device *device = layout->device;
	device->next.DestroyPipelineLayout(device->handle, layout->own, NULL);
	free(layout->shapes);
	free(layout);
}

#define EVERY_STAGE                                                                                \
	(VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_COMPUTE_BIT |                              \
	 VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT |                             \
	 VK_SHADER_STAGE_RAYGEN_BIT_KHR | VK_SHADER_STAGE_INTERSECTION_BIT_KHR |                   \
	 VK_SHADER_STAGE_ANY_HIT_BIT_KHR | VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR |                   \
	 VK_SHADER_STAGE_MISS_BIT_KHR | VK_SHADER_STAGE_CALLABLE_BIT_KHR)

// VK_SHADER_STAGE_ALL with some stages removed is no valid combination of bits
// (VUID-VkPushConstantRange-stageFlags-parameter), so each existing stage is named instead.
static VkShaderStageFlags each_stage(VkShaderStageFlags stages)
{
	return stages == VK_SHADER_STAGE_ALL ? EVERY_STAGE : stages;
}

static bool layout_reaches(const VkPipelineLayoutCreateInfo *info, uint32_t offset)
{
	for (uint32_t i = 0; i < info->pushConstantRangeCount; i++)
		if (info->pPushConstantRanges[i].offset + info->pPushConstantRanges[i].size >
		    offset)
			return true;
	return false;
}

// Where the program's range of this stage starts; its block where it has none.
static uint32_t range_start(const VkPipelineLayoutCreateInfo *info, VkShaderStageFlags stage,
			    uint32_t block)
{
	for (uint32_t i = 0; i < info->pushConstantRangeCount; i++)
		if (info->pPushConstantRanges[i].stageFlags & stage)
			return info->pPushConstantRanges[i].offset;
	return block;
}

static void add_start(struct vkr_layer_pipeline_layout *layout, uint32_t offset,
		      VkShaderStageFlags stage)
{
	uint32_t at = 0;
	while (at < layout->start_count && layout->starts[at].offset < offset)
		at++;
	if (at == layout->start_count || layout->starts[at].offset != offset) {
		memmove(&layout->starts[at + 1], &layout->starts[at],
			(layout->start_count - at) * sizeof *layout->starts);
		layout->starts[at] = (struct vkr_push_start){.offset = offset};
		layout->start_count++;
	}
	layout->starts[at].stages |= stage;
}

static struct vkr_block_push *push_of(struct vkr_layer_pipeline_layout *layout,
				      VkShaderStageFlags stage)
{
	return stage == VK_SHADER_STAGE_COMPUTE_BIT ? &layout->compute : &layout->others;
}

// The stages that have a push constant range where a block lies: its own range, and ranges that
// start before it and end after it.
static void name_stages(const VkPipelineLayoutCreateInfo *info,
			struct vkr_layer_pipeline_layout *layout)
{
	const VkShaderStageFlags compute = VK_SHADER_STAGE_COMPUTE_BIT,
				 others = layout->device->logged_stages & ~compute;
	const uint32_t start = range_start(info, compute, layout->compute.offset);
	const bool apart = layout->compute.offset != layout->others.offset;
	layout->compute.stages = compute | (apart ? 0 : others);
	layout->others.stages = others | (apart && start > layout->others.offset ? 0 : compute);
}

// The ranges that start there, up to the ends of their stages' blocks: how many there are.
static uint32_t end_ranges(struct vkr_layer_pipeline_layout *layout,
			   const struct vkr_push_start *start, VkPushConstantRange *ranges)
{
	const VkShaderStageFlags compute = VK_SHADER_STAGE_COMPUTE_BIT;
	const VkShaderStageFlags stages[] = {start->stages & ~compute, start->stages & compute};
	uint32_t count = 0;
	if (layout->compute.offset == layout->others.offset) {
		ranges[0] = (VkPushConstantRange){start->stages, start->offset,
						  layout->others.offset + VKR_PUSH_CONSTANT_BYTES -
							  start->offset};
		return 1;
	}
	for (uint32_t i = 0; i < 2; i++)
		if (stages[i])
			ranges[count++] = (VkPushConstantRange){stages[i], start->offset,
								push_of(layout, stages[i])->offset +
									VKR_PUSH_CONSTANT_BYTES -
									start->offset};
	return count;
}

// The program's ranges; those of stages that may log are extended to the end of their block. A
// stage may be in one range only (VUID-VkPipelineLayoutCreateInfo-pPushConstantRanges-00292).
static bool extend_ranges(struct vkr_arena *arena, struct vkr_layer_pipeline_layout *layout,
			  VkPipelineLayoutCreateInfo *info)
{
	uint32_t count = info->pushConstantRangeCount, kept = 0;
	VkShaderStageFlags logged = layout->device->logged_stages, before = 0;
	for (uint32_t bit = 0; bit < 32; bit++)
		if (logged >> bit & 1)
			add_start(layout,
				  range_start(info, 1u << bit, push_of(layout, 1u << bit)->offset),
				  1u << bit);
	// A range of each start, and one more for compute shaders' own end.
	VkPushConstantRange *ranges =
		vkr_arena_alloc(arena, (count + layout->start_count + (size_t)1) * sizeof *ranges);
	if (!ranges) {
		layout->start_count = 0;
		return false;
	}
	for (uint32_t i = 0; i < count; i++) {
		ranges[kept] = info->pPushConstantRanges[i];
		ranges[kept].stageFlags = each_stage(ranges[kept].stageFlags) & ~logged;
		kept += ranges[kept].stageFlags != 0;
	}
	for (uint32_t i = 0; i < layout->start_count; i++) {
		struct vkr_push_start *start = &layout->starts[i];
		kept += end_ranges(layout, start, &ranges[kept]);
		before = start->stages |= before;
	}
	name_stages(info, layout);
	info->pPushConstantRanges = ranges;
	info->pushConstantRangeCount = kept;
	return true;
}

static bool set_fits(struct vkr_layer_device *device, const VkPipelineLayoutCreateInfo *info)
{
	const VkPhysicalDeviceLimits *limits = &device->properties.limits;
	uint64_t dynamic = 1;
	for (uint32_t i = 0; i < info->setLayoutCount; i++) {
		const struct vkr_layer_set_layout *set = vkr_handles_get(
			&device->objects.set_layouts, VKR_KEY(info->pSetLayouts[i]));
		dynamic += set ? set->dynamic_uniforms : 0;
		// Sets and descriptor buffers are not bound beside each other
		// (VUID-VkPipelineLayoutCreateInfo-pSetLayouts-08008).
		if (set && set->shape)
			return false;
	}
	return info->setLayoutCount < limits->maxBoundDescriptorSets &&
	       dynamic <= limits->maxDescriptorSetUniformBuffersDynamic;
}

// The program's sets, then empty ones, then the block's as the last that can be bound.
static bool extend_sets(struct vkr_arena *arena, const struct vkr_layer_pipeline_layout *layout,
			VkPipelineLayoutCreateInfo *info)
{
	const struct vkr_log_memory *log = layout->device->log;
	uint32_t count = layout->block_set + 1;
	VkDescriptorSetLayout *sets = vkr_arena_alloc(arena, count * sizeof *sets);
	if (!sets)
		return false;
	for (uint32_t i = 0; i < count; i++)
		sets[i] = i < info->setLayoutCount ? info->pSetLayouts[i] : log->empty_layout;
	sets[layout->block_set] = log->block_layout;
	info->pSetLayouts = sets;
	info->setLayoutCount = count;
	return true;
}

// Whether pipeline libraries may be made with this layout: then each library may have a different
// layout, and no single one describes all sets.
static bool are_independent(const VkPipelineLayoutCreateInfo *info)
{
	return info->flags & VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT;
}

// Decides how the block is reached and changes *info for it.
static void make_room(struct vkr_layer_device *device, struct vkr_arena *arena,
		      struct vkr_layer_pipeline_layout *layout, VkPipelineLayoutCreateInfo *info)
{
	const VkPhysicalDeviceLimits *limits = &device->properties.limits;
	if (!device->logging)
		return;
	const uint32_t last = (limits->maxPushConstantsSize - VKR_PUSH_CONSTANT_BYTES) & ~3u;
	const bool apart = last >= VKR_PUSH_CONSTANT_BYTES &&
			   !layout_reaches(info, last - VKR_PUSH_CONSTANT_BYTES);
	layout->compute.offset = last;
	layout->others.offset = apart ? last - VKR_PUSH_CONSTANT_BYTES : last;
	layout->block_set = limits->maxBoundDescriptorSets - 1;
	if (!layout_reaches(info, last)) {
		if (extend_ranges(arena, layout, info))
			layout->way = VKR_BLOCK_PUSH;
	} else if (!are_independent(info) && set_fits(device, info) &&
		   extend_sets(arena, layout, info)) {
		layout->way = VKR_BLOCK_SET;
	}
}

static void record_layout(struct vkr_layer_device *device, uint32_t id,
			  const VkPipelineLayoutCreateInfo *info)
{
	struct vkr_trace_pipeline_layout payload = {
		.layout = id,
		.set_count = info->setLayoutCount,
	};
	uint32_t *sets = calloc(info->setLayoutCount + 1, sizeof *sets);
	if (!sets) {
		vkr_record_no_memory("a pipeline layout");
		return;
	}
	for (uint32_t i = 0; i < info->setLayoutCount; i++) {
		const struct vkr_layer_set_layout *set = vkr_handles_get(
			&device->objects.set_layouts, VKR_KEY(info->pSetLayouts[i]));
		sets[i] = set ? set->id : 0;
	}
	vkr_record_event(VKR_TRACE_PIPELINE_LAYOUT, &payload, sizeof payload, sets,
			 info->setLayoutCount * sizeof *sets);
	free(sets);
}

// The shapes of the sets that stand in descriptor buffers.
static void keep_shapes(struct vkr_layer_device *device, struct vkr_layer_pipeline_layout *layout,
			const VkPipelineLayoutCreateInfo *info)
{
	for (uint32_t i = 0; device->descriptor_buffers && i < info->setLayoutCount; i++) {
		const struct vkr_layer_set_layout *set = vkr_handles_get(
			&device->objects.set_layouts, VKR_KEY(info->pSetLayouts[i]));
		if (!set || !set->shape)
			continue;
		if (!layout->shapes) {
			layout->shapes = calloc(info->setLayoutCount, sizeof(void *));
			layout->shape_count = layout->shapes ? info->setLayoutCount : 0;
		}
		if (layout->shapes)
			layout->shapes[i] = set->shape;
	}
}

struct vkr_layer_pipeline_layout *vkr_pipeline_layout_extend(struct vkr_layer_device *device,
							     struct vkr_arena *arena,
							     VkPipelineLayoutCreateInfo *info)
{
	struct vkr_layer_pipeline_layout *kept = calloc(1, sizeof *kept);
	if (!kept)
		return NULL;
	const VkPipelineLayoutCreateInfo asked = *info;
	kept->device = device;
	atomic_init(&kept->references, 1);
	keep_shapes(device, kept, info);
	make_room(device, arena, kept, info);
	if (kept->way != VKR_BLOCK_NONE &&
	    device->next.CreatePipelineLayout(device->handle, info, NULL, &kept->own) !=
		    VK_SUCCESS) {
		kept->own = VK_NULL_HANDLE;
		kept->way = VKR_BLOCK_NONE;
		*info = asked;
	}
	return kept;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreatePipelineLayout(VkDevice handle,
							const VkPipelineLayoutCreateInfo *info,
							const VkAllocationCallbacks *allocator,
							VkPipelineLayout *layout)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	VkPipelineLayoutCreateInfo changed = *info;
	struct vkr_layer_pipeline_layout *kept =
		vkr_pipeline_layout_extend(device, &arena, &changed);
	VkResult result = device->next.CreatePipelineLayout(handle, &changed, allocator, layout);
	vkr_arena_finish(&arena);
	if (result != VK_SUCCESS || !kept) {
		if (!kept)
			vkr_record_no_memory("a pipeline layout");
		vkr_pipeline_layout_release(kept);
		return result;
	}
	kept->id = vkr_record_id(VKR_OBJECT_PIPELINE_LAYOUT);
	record_layout(device, kept->id, info);
	if (!vkr_handles_put(&device->objects.pipeline_layouts, VKR_KEY(*layout), kept)) {
		vkr_pipeline_layout_release(kept);
		vkr_record_no_memory("a pipeline layout");
	}
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyPipelineLayout(VkDevice handle, VkPipelineLayout layout,
						     const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	vkr_pipeline_layout_release(
		vkr_handles_take(&device->objects.pipeline_layouts, VKR_KEY(layout)));
	device->next.DestroyPipelineLayout(handle, layout, allocator);
}

// Words of push constants that dispatches may read.
static void know_pushed(struct vkr_layer_command_buffer *buffer, uint32_t offset, uint32_t size,
			const void *values)
{
	const uint32_t count = VKR_SUMMARY_PUSHED_BYTES / 4;
	for (uint32_t word = 0; word < size / 4 && offset / 4 + word < count; word++) {
		memcpy(&buffer->push.words[offset / 4 + word],
		       (const char *)values + (size_t)4 * word, 4);
		buffer->push.known |= UINT64_C(1) << (offset / 4 + word);
	}
}

// The ranges of all stages that may log reach on to the block's address, so pushes that overlap
// them must name these stages (VUID-vkCmdPushConstants-offset-01796). What a stage's shader does
// not declare means nothing to it.
VKAPI_ATTR void VKAPI_CALL vkr_CmdPushConstants(VkCommandBuffer handle, VkPipelineLayout layout,
						VkShaderStageFlags stages, uint32_t offset,
						uint32_t size, const void *values)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_layer_device *device = buffer ? buffer->device : vkr_device_of(handle);
	const struct vkr_layer_pipeline_layout *kept =
		vkr_handles_get(&device->objects.pipeline_layouts, VKR_KEY(layout));
	const uint32_t end = offset + size;
	VkShaderStageFlags named = kept && kept->start_count ? each_stage(stages) : stages;
	vkr_command_uses_sets(buffer);
	// Another layout's may reach to where the block's address is.
	if (buffer && (!kept || kept->own != buffer->quiet))
		buffer->quiet = VK_NULL_HANDLE;
	if (buffer && stages & VK_SHADER_STAGE_COMPUTE_BIT)
		know_pushed(buffer, offset, size, values);
	for (uint32_t i = 0; kept && i < kept->start_count; i++) {
		const struct vkr_push_start *start = &kept->starts[i];
		if (start->offset > offset && start->offset < end &&
		    (named | start->stages) != named) {
			device->next.CmdPushConstants(handle, layout, named, offset,
						      start->offset - offset, values);
			values = (const char *)values + (start->offset - offset);
			offset = start->offset;
		}
		if (start->offset <= offset)
			named |= start->stages;
	}
	device->next.CmdPushConstants(handle, layout, named, offset, end - offset, values);
}
