// SPDX-License-Identifier: Apache-2.0
// Pipeline layouts with room for a block's address, shader modules, and pipelines made with
// instrumented shaders. Knows how pipelines are put together; not how shaders are rewritten.
#include "arena.h"
#include "graphics_state.h"
#include "log_memory.h"
#include "objects.h"
#include "record.h"
#include "shader_cache.h"

#include "vkrace/gpu_log.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

void vkr_pipeline_layout_release(struct vkr_pipeline_layout *layout)
{
	if (!layout || atomic_fetch_sub_explicit(&layout->references, 1, memory_order_acq_rel) != 1)
		return;
	struct vkr_device *device = layout->device;
	device->next.DestroyPipelineLayout(device->handle, layout->own, NULL);
	free(layout);
}

static bool reaches(const VkPipelineLayoutCreateInfo *info, uint32_t offset)
{
	for (uint32_t i = 0; i < info->pushConstantRangeCount; i++)
		if (info->pPushConstantRanges[i].offset + info->pPushConstantRanges[i].size >
		    offset)
			return true;
	return false;
}

// The program's ranges, the compute stage's reaching to the block's end: a stage may stand in one
// range only (VUID-VkPipelineLayoutCreateInfo-pPushConstantRanges-00292).
static bool extend_ranges(struct vkr_arena *arena, struct vkr_pipeline_layout *layout,
			  VkPipelineLayoutCreateInfo *info)
{
	uint32_t count = info->pushConstantRangeCount,
		 end = layout->block_offset + VKR_PUSH_CONSTANT_BYTES;
	VkPushConstantRange *ranges = vkr_arena_alloc(arena, (count + 1) * sizeof *ranges);
	if (!ranges)
		return false;
	layout->compute_offset = layout->block_offset;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		VkPushConstantRange range = info->pPushConstantRanges[i];
		if (range.stageFlags & VK_SHADER_STAGE_COMPUTE_BIT) {
			layout->compute_offset = range.offset;
			range.stageFlags &= ~(VkShaderStageFlags)VK_SHADER_STAGE_COMPUTE_BIT;
		}
		if (range.stageFlags)
			ranges[kept++] = range;
	}
	ranges[kept++] = (VkPushConstantRange){
		.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
		.offset = layout->compute_offset,
		.size = end - layout->compute_offset,
	};
	info->pPushConstantRanges = ranges;
	info->pushConstantRangeCount = kept;
	return true;
}

static bool set_fits(struct vkr_device *device, const VkPipelineLayoutCreateInfo *info)
{
	const VkPhysicalDeviceLimits *limits = &device->properties.limits;
	uint64_t dynamic = 1;
	for (uint32_t i = 0; i < info->setLayoutCount; i++) {
		const struct vkr_set_layout *set =
			vkr_handles_get(&device->set_layouts, VKR_KEY(info->pSetLayouts[i]));
		dynamic += set ? set->dynamic_uniforms : 0;
	}
	return info->setLayoutCount < limits->maxBoundDescriptorSets &&
	       dynamic <= limits->maxDescriptorSetUniformBuffersDynamic;
}

// The program's sets, then empty ones, then the block's as the last that can be bound.
static bool extend_sets(struct vkr_arena *arena, const struct vkr_pipeline_layout *layout,
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

// Decides how the block is reached and changes *info for it.
static void make_room(struct vkr_device *device, struct vkr_arena *arena,
		      struct vkr_pipeline_layout *layout, VkPipelineLayoutCreateInfo *info)
{
	const VkPhysicalDeviceLimits *limits = &device->properties.limits;
	layout->compute_offset = UINT32_MAX;
	if (!device->logging)
		return;
	layout->block_offset = (limits->maxPushConstantsSize - VKR_PUSH_CONSTANT_BYTES) & ~3u;
	layout->block_set = limits->maxBoundDescriptorSets - 1;
	if (!reaches(info, layout->block_offset)) {
		if (extend_ranges(arena, layout, info))
			layout->way = VKR_BLOCK_PUSH;
	} else if (set_fits(device, info) && extend_sets(arena, layout, info)) {
		layout->way = VKR_BLOCK_SET;
	}
}

static void record_layout(struct vkr_device *device, uint32_t id,
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
		const struct vkr_set_layout *set =
			vkr_handles_get(&device->set_layouts, VKR_KEY(info->pSetLayouts[i]));
		sets[i] = set ? set->id : 0;
	}
	vkr_record_event(VKR_TRACE_PIPELINE_LAYOUT, &payload, sizeof payload, sets,
			 info->setLayoutCount * sizeof *sets);
	free(sets);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreatePipelineLayout(VkDevice handle,
							const VkPipelineLayoutCreateInfo *info,
							const VkAllocationCallbacks *allocator,
							VkPipelineLayout *layout)
{
	struct vkr_device *device = vkr_device_of(handle);
	struct vkr_pipeline_layout *kept = calloc(1, sizeof *kept);
	if (!kept) {
		vkr_record_no_memory("a pipeline layout");
		return device->next.CreatePipelineLayout(handle, info, allocator, layout);
	}
	kept->device = device;
	atomic_init(&kept->references, 1);
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	VkPipelineLayoutCreateInfo changed = *info;
	make_room(device, &arena, kept, &changed);
	VkResult result = device->next.CreatePipelineLayout(handle, &changed, allocator, layout);
	if (result == VK_SUCCESS && kept->way != VKR_BLOCK_NONE &&
	    device->next.CreatePipelineLayout(handle, &changed, NULL, &kept->own) != VK_SUCCESS) {
		kept->own = VK_NULL_HANDLE;
		kept->way = VKR_BLOCK_NONE;
	}
	vkr_arena_finish(&arena);
	if (result != VK_SUCCESS) {
		free(kept);
		return result;
	}
	kept->id = vkr_record_id(VKR_OBJECT_PIPELINE_LAYOUT);
	record_layout(device, kept->id, info);
	if (!vkr_handles_put(&device->pipeline_layouts, VKR_KEY(*layout), kept)) {
		vkr_pipeline_layout_release(kept);
		vkr_record_no_memory("a pipeline layout");
	}
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyPipelineLayout(VkDevice handle, VkPipelineLayout layout,
						     const VkAllocationCallbacks *allocator)
{
	struct vkr_device *device = vkr_device_of(handle);
	vkr_pipeline_layout_release(vkr_handles_take(&device->pipeline_layouts, VKR_KEY(layout)));
	device->next.DestroyPipelineLayout(handle, layout, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateShaderModule(VkDevice handle,
						      const VkShaderModuleCreateInfo *info,
						      const VkAllocationCallbacks *allocator,
						      VkShaderModule *module)
{
	struct vkr_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateShaderModule(handle, info, allocator, module);
	if (result != VK_SUCCESS)
		return result;
	struct vkr_module *kept = calloc(1, sizeof *kept + info->codeSize);
	if (!kept) {
		vkr_record_no_memory("a shader module");
		return result;
	}
	kept->word_count = info->codeSize / sizeof *info->pCode;
	memcpy(kept->words, info->pCode, info->codeSize);
	kept->hash = XXH3_64bits(info->pCode, info->codeSize);
	vkr_object_keep(&device->modules, VKR_KEY(*module), kept, "a shader module");
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyShaderModule(VkDevice handle, VkShaderModule module,
						   const VkAllocationCallbacks *allocator)
{
	struct vkr_device *device = vkr_device_of(handle);
	struct vkr_module *kept = vkr_handles_take(&device->modules, VKR_KEY(module));
	if (kept)
		vkr_shader_forget_module(device, kept);
	device->next.DestroyShaderModule(handle, module, allocator);
}

// 0 for a structure that is not known to stand in a shader stage's chain.
static size_t stage_chain_size(VkStructureType type)
{
	switch (type) {
	case VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO:
		return sizeof(VkPipelineShaderStageRequiredSubgroupSizeCreateInfo);
	case VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT:
		return sizeof(VkDebugUtilsObjectNameInfoEXT);
#ifdef VK_EXT_pipeline_robustness
	case VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO_EXT:
		return sizeof(VkPipelineRobustnessCreateInfoEXT);
#endif
	default:
		return 0;
	}
}

// The chain without the structure of `type`: what stands before it is copied, what follows is
// shared. False where something before it is not known.
static bool chain_without(struct vkr_arena *arena, const void *chain, VkStructureType type,
			  const void **without)
{
	VkBaseOutStructure *last = NULL;
	*without = chain;
	if (!vkr_chain_find(chain, type))
		return true;
	for (const VkBaseInStructure *at = chain; at->sType != type; at = at->pNext) {
		size_t size = stage_chain_size(at->sType);
		VkBaseOutStructure *copy = size ? vkr_arena_alloc(arena, size) : NULL;
		if (!copy)
			return false;
		memcpy(copy, at, size);
		if (last)
			last->pNext = copy;
		else
			*without = copy;
		last = copy;
	}
	const VkBaseInStructure *found = vkr_chain_find(chain, type);
	if (last)
		last->pNext = (VkBaseOutStructure *)(uintptr_t)found->pNext;
	else
		*without = found->pNext;
	return true;
}

// What one pipeline of a call is made of.
struct pipeline_parts {
	const struct vkr_shader *shader; // NULL: its code is not known
	struct vkr_pipeline_layout *layout;
	VkShaderModule module; // instrumented, for the length of the call
};

static const struct vkr_shader *shader_of_stage(struct vkr_device *device,
						const VkPipelineShaderStageCreateInfo *stage,
						const struct vkr_pipeline_layout *layout)
{
	struct vkr_shader_use use = {
		.entry_point = stage->pName,
		.stage = stage->stage,
		.specialization = stage->pSpecializationInfo,
		.layout = layout,
	};
	const VkShaderModuleCreateInfo *code =
		vkr_chain_find(stage->pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
	use.module = vkr_handles_get(&device->modules, VKR_KEY(stage->module));
	if (use.module) {
		use.words = use.module->words;
		use.word_count = use.module->word_count;
		use.hash = use.module->hash;
	} else if (code && !stage->module) {
		use.words = code->pCode;
		use.word_count = code->codeSize / sizeof *code->pCode;
		use.hash = XXH3_64bits(code->pCode, code->codeSize);
	} else {
		vkr_record_coverage(VKR_COVERAGE_SHADER, 0, 0,
				    "entry point %s is not observed: its code came by identifier",
				    stage->pName);
		return NULL;
	}
	return vkr_shader_get(device, &use);
}

// Puts the instrumented module in the stage's place. False where it stays as it is.
static bool replace_code(struct vkr_device *device, struct vkr_arena *arena,
			 struct pipeline_parts *parts, VkComputePipelineCreateInfo *info)
{
	if (!parts->shader || !parts->shader->words)
		return false;
	const void *chain;
	if (!chain_without(arena, info->stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
			   &chain)) {
		vkr_record_coverage(VKR_COVERAGE_SHADER, parts->shader->id, 0,
				    "entry point %s is not observed: its pipeline stage carries a "
				    "structure that is not known",
				    info->stage.pName);
		return false;
	}
	VkShaderModuleCreateInfo module = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = parts->shader->word_count * sizeof *parts->shader->words,
		.pCode = parts->shader->words,
	};
	if (device->next.CreateShaderModule(device->handle, &module, NULL, &parts->module) !=
	    VK_SUCCESS) {
		parts->module = VK_NULL_HANDLE;
		vkr_record_coverage(VKR_COVERAGE_SHADER, parts->shader->id, 0,
				    "entry point %s is not observed: the driver refused the "
				    "instrumented module",
				    info->stage.pName);
		return false;
	}
	info->stage.module = parts->module;
	info->stage.pNext = chain;
	// Large dispatches are cut.
	info->flags |= VK_PIPELINE_CREATE_DISPATCH_BASE_BIT;
	return true;
}

// The pipeline's id, 0 where it could not be kept.
static uint32_t know_pipeline(struct vkr_device *device, VkPipeline handle,
			      VkPipelineBindPoint point, const struct pipeline_parts *parts)
{
	struct vkr_pipeline *kept = calloc(1, sizeof *kept);
	if (!kept) {
		vkr_record_no_memory("a pipeline");
		return 0;
	}
	const uint32_t id = kept->id = vkr_record_id(VKR_OBJECT_PIPELINE);
	uint32_t shader = parts->shader ? parts->shader->id : 0;
	struct vkr_trace_pipeline payload = {
		.pipeline = kept->id,
		.device = device->id,
		.bind_point = (uint32_t)point,
		.layout = parts->layout ? parts->layout->id : 0,
		.shader_count = shader ? 1 : 0,
	};
	if (parts->module) {
		kept->logs = true;
		kept->group_invocations = parts->shader->group_invocations;
		kept->log_words = parts->shader->log_words;
		kept->layout = parts->layout;
		atomic_fetch_add(&kept->layout->references, 1);
	}
	vkr_record_event(VKR_TRACE_PIPELINE, &payload, sizeof payload, &shader,
			 payload.shader_count * sizeof shader);
	if (!vkr_handles_put(&device->pipelines, VKR_KEY(handle), kept)) {
		vkr_pipeline_layout_release(kept->layout);
		free(kept);
		vkr_record_no_memory("a pipeline");
	}
	return id;
}

static void destroy_pipelines(struct vkr_device *device, uint32_t count, VkPipeline *pipelines,
			      const VkAllocationCallbacks *allocator)
{
	for (uint32_t i = 0; i < count; i++) {
		device->next.DestroyPipeline(device->handle, pipelines[i], allocator);
		pipelines[i] = VK_NULL_HANDLE;
	}
}

static void destroy_modules(struct vkr_device *device, uint32_t count, struct pipeline_parts *parts)
{
	for (uint32_t i = 0; i < count; i++)
		device->next.DestroyShaderModule(device->handle, parts[i].module, NULL);
}

static void say_refused(uint32_t count, const VkComputePipelineCreateInfo *infos,
			struct pipeline_parts *parts)
{
	for (uint32_t i = 0; i < count; i++) {
		if (parts[i].module)
			vkr_record_coverage(VKR_COVERAGE_SHADER, parts[i].shader->id, 0,
					    "entry point %s is not observed: the driver refused a "
					    "pipeline with the instrumented module",
					    infos[i].stage.pName);
		parts[i].module = VK_NULL_HANDLE;
	}
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateComputePipelines(VkDevice handle, VkPipelineCache cache,
							  uint32_t count,
							  const VkComputePipelineCreateInfo *infos,
							  const VkAllocationCallbacks *allocator,
							  VkPipeline *pipelines)
{
	struct vkr_device *device = vkr_device_of(handle);
	PFN_vkCreateComputePipelines create = device->next.CreateComputePipelines;
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	struct pipeline_parts *parts = vkr_arena_alloc(&arena, count * sizeof *parts);
	VkComputePipelineCreateInfo *changed = vkr_arena_alloc(&arena, count * sizeof *changed);
	if (!parts || !changed) {
		vkr_arena_finish(&arena);
		vkr_record_no_memory("compute pipelines");
		return create(handle, cache, count, infos, allocator, pipelines);
	}
	bool any = false;
	for (uint32_t i = 0; i < count; i++) {
		changed[i] = infos[i];
		parts[i].layout =
			vkr_handles_get(&device->pipeline_layouts, VKR_KEY(infos[i].layout));
		parts[i].shader = shader_of_stage(device, &infos[i].stage, parts[i].layout);
		any |= replace_code(device, &arena, &parts[i], &changed[i]);
	}
	VkResult result = create(handle, cache, count, changed, allocator, pipelines);
	destroy_modules(device, count, parts);
	if (result < 0 && any) {
		destroy_pipelines(device, count, pipelines, allocator);
		result = create(handle, cache, count, infos, allocator, pipelines);
		if (result >= 0)
			say_refused(count, infos, parts);
	}
	for (uint32_t i = 0; i < count; i++)
		if (pipelines[i])
			know_pipeline(device, pipelines[i], VK_PIPELINE_BIND_POINT_COMPUTE,
				      &parts[i]);
	vkr_arena_finish(&arena);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
vkr_CreateGraphicsPipelines(VkDevice handle, VkPipelineCache cache, uint32_t count,
			    const VkGraphicsPipelineCreateInfo *infos,
			    const VkAllocationCallbacks *allocator, VkPipeline *pipelines)
{
	struct vkr_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateGraphicsPipelines(handle, cache, count, infos,
							       allocator, pipelines);
	for (uint32_t i = 0; i < count; i++) {
		struct pipeline_parts parts = {
			.layout = vkr_handles_get(&device->pipeline_layouts,
						  VKR_KEY(infos[i].layout)),
		};
		if (!pipelines[i])
			continue;
		vkr_record_coverage(VKR_COVERAGE_SHADER, 0, 0,
				    "shaders of graphics pipelines are not observed");
		uint32_t id = know_pipeline(device, pipelines[i], VK_PIPELINE_BIND_POINT_GRAPHICS,
					    &parts);
		if (id)
			vkr_record_graphics_state(device, id, &infos[i]);
	}
	return result;
}

static void note_ray_tracing(void)
{
	vkr_record_coverage(VKR_COVERAGE_SHADER, 0, 0,
			    "shaders of ray tracing pipelines are not observed");
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateRayTracingPipelinesKHR(
	VkDevice handle, VkDeferredOperationKHR operation, VkPipelineCache cache, uint32_t count,
	const VkRayTracingPipelineCreateInfoKHR *infos, const VkAllocationCallbacks *allocator,
	VkPipeline *pipelines)
{
	struct vkr_device *device = vkr_device_of(handle);
	note_ray_tracing();
	return device->next.CreateRayTracingPipelinesKHR(handle, operation, cache, count, infos,
							 allocator, pipelines);
}

VKAPI_ATTR VkResult VKAPI_CALL
vkr_CreateRayTracingPipelinesNV(VkDevice handle, VkPipelineCache cache, uint32_t count,
				const VkRayTracingPipelineCreateInfoNV *infos,
				const VkAllocationCallbacks *allocator, VkPipeline *pipelines)
{
	struct vkr_device *device = vkr_device_of(handle);
	note_ray_tracing();
	return device->next.CreateRayTracingPipelinesNV(handle, cache, count, infos, allocator,
							pipelines);
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyPipeline(VkDevice handle, VkPipeline pipeline,
					       const VkAllocationCallbacks *allocator)
{
	struct vkr_device *device = vkr_device_of(handle);
	struct vkr_pipeline *kept = vkr_handles_take(&device->pipelines, VKR_KEY(pipeline));
	if (kept) {
		struct vkr_trace_pipeline_destroy payload = {.pipeline = kept->id};
		vkr_record_event(VKR_TRACE_PIPELINE_DESTROY, &payload, sizeof payload, NULL, 0);
		vkr_pipeline_layout_release(kept->layout);
		free(kept);
	}
	device->next.DestroyPipeline(handle, pipeline, allocator);
}
