// SPDX-License-Identifier: Apache-2.0
// Shader modules, and pipelines made with instrumented shaders.
// Knows how pipelines are put together; not how shaders are rewritten.
#include "descriptor_heaps.h"
#include "device_features.h"
#include "graphics_state.h"
#include "pipeline_binaries.h"
#include "pipeline_flags.h"
#include "pipeline_parts.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

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

static VkResult create_compute(const struct vkr_pipelines_call *call, const void *infos)
{
	return call->device->next.CreateComputePipelines(call->device->handle, call->cache,
							 call->count, infos, call->allocator,
							 call->pipelines);
}

// Reads one pipeline of a call. False for lack of memory.
static bool prepare_compute(struct vkr_device *device, struct vkr_arena *arena,
			    VkComputePipelineCreateInfo *info, struct vkr_pipeline_parts *parts,
			    bool *any)
{
	if (!vkr_parts_init(parts, arena, 1))
		return false;
	// Large dispatches are cut.
	if (!vkr_pipeline_stays_plain(info->pNext, info->flags) &&
	    vkr_pipeline_flags_add(arena, &info->pNext, &info->flags,
				   VK_PIPELINE_CREATE_DISPATCH_BASE_BIT))
		parts->layout = vkr_layout_of(device, info->layout,
					      vkr_pipeline_flags(info->pNext, info->flags));
	*any |= vkr_parts_stages(device, arena, parts, &info->stage, 1);
	return true;
}

// Whether the pipeline is to be as the program asked, with another one that logs beside it. What
// the flags say of other pipelines, or of when to give up, was said of one pipeline alone.
static bool is_summarized(const struct vkr_pipeline_parts *parts,
			  const VkComputePipelineCreateInfo *info)
{
	const uint64_t others = VK_PIPELINE_CREATE_DERIVATIVE_BIT |
				VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT |
				VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
	return parts->stages[0].logs && parts->stages[0].shader->summarized &&
	       !(vkr_pipeline_flags(info->pNext, info->flags) & others);
}

// Makes the pipeline that logs everything, and leaves the other one to be made; where one of them
// cannot be, this one is the only one.
static VkPipeline make_logging(const struct vkr_device *device, VkPipelineCache cache,
			       const VkComputePipelineCreateInfo *info,
			       struct vkr_pipeline_parts *parts,
			       VkComputePipelineCreateInfo *changed)
{
	VkPipeline made = VK_NULL_HANDLE;
	VkComputePipelineCreateInfo other = *info;
	if (parts->stages[0].shader->rest_words) {
		other = *changed;
		if (!vkr_parts_rest(device, &parts->stages[0], &other.stage))
			return VK_NULL_HANDLE;
	}
	if (device->next.CreateComputePipelines(device->handle, cache, 1, changed, NULL, &made) !=
	    VK_SUCCESS)
		return VK_NULL_HANDLE;
	*changed = other;
	return made;
}

// NULL where there is no pipeline, or for lack of memory.
static struct vkr_pipeline *know_compute(struct vkr_device *device, VkPipeline pipeline,
					 VkPipeline logging, const struct vkr_pipeline_parts *parts)
{
	struct vkr_pipeline *kept = NULL;
	if (pipeline)
		kept = vkr_parts_know(device, pipeline, VK_PIPELINE_BIND_POINT_COMPUTE, parts);
	if (kept && kept->logs && logging) {
		kept->plain_handle = pipeline;
		kept->logging_handle = logging;
	} else {
		device->next.DestroyPipeline(device->handle, logging, NULL);
	}
	return kept;
}

static VkResult no_pipelines(uint32_t count, VkPipeline *pipelines)
{
	for (uint32_t i = 0; i < count; i++)
		pipelines[i] = VK_NULL_HANDLE;
	return VK_ERROR_OUT_OF_HOST_MEMORY;
}

// The pipelines as the driver may see them: the program's structures, or copies where something is
// not for the driver. NULL for lack of memory.
static const VkComputePipelineCreateInfo *
unpack_compute(struct vkr_arena *arena, const VkComputePipelineCreateInfo *infos, uint32_t count)
{
	bool packed = false;
	for (uint32_t i = 0; i < count; i++)
		packed |= vkr_pipeline_is_packed(infos[i].pNext);
	if (!packed)
		return infos;
	VkComputePipelineCreateInfo *own = vkr_arena_alloc(arena, count * sizeof *own);
	for (uint32_t i = 0; own && i < count; i++) {
		const VkPipelineShaderStageCreateInfo *stage = &infos[i].stage;
		own[i] = infos[i];
		if (!vkr_pipeline_unpack(arena, &own[i].pNext, &stage, 1))
			return NULL;
		own[i].stage = *stage;
	}
	return own;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateComputePipelines(VkDevice handle, VkPipelineCache cache,
							  uint32_t count,
							  const VkComputePipelineCreateInfo *infos,
							  const VkAllocationCallbacks *allocator,
							  VkPipeline *pipelines)
{
	struct vkr_device *device = vkr_device_of(handle);
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	struct vkr_pipeline_parts *parts = vkr_arena_alloc(&arena, count * sizeof *parts);
	VkComputePipelineCreateInfo *changed = vkr_arena_alloc(&arena, count * sizeof *changed);
	const VkComputePipelineCreateInfo *own = unpack_compute(&arena, infos, count);
	VkPipeline *logging = vkr_arena_alloc(&arena, count * sizeof *logging);
	if (!own) {
		vkr_arena_finish(&arena);
		return no_pipelines(count, pipelines);
	}
	bool ready = parts && changed && logging, any = false;
	for (uint32_t i = 0; ready && i < count; i++) {
		changed[i] = own[i];
		ready = prepare_compute(device, &arena, &changed[i], &parts[i], &any);
		if (ready && is_summarized(&parts[i], &own[i]))
			logging[i] = make_logging(device, cache, &own[i], &parts[i], &changed[i]);
	}
	const struct vkr_pipelines_call call = {
		.device = device,
		.cache = cache,
		.count = count,
		.allocator = allocator,
		.pipelines = pipelines,
		.parts = parts,
		.ready = ready,
		.changed = ready && any,
		.infos = ready ? changed : own,
		.own = own,
		.create = create_compute,
	};
	VkResult result = vkr_parts_create(&call);
	bool known = true;
	if (!ready)
		vkr_record_no_memory("compute pipelines");
	for (uint32_t i = 0; ready && i < count; i++) {
		struct vkr_pipeline *kept =
			know_compute(device, pipelines[i], logging[i], &parts[i]);
		if (kept)
			vkr_pipeline_capture(device, kept, infos[i].pNext, infos[i].flags,
					     &own[i].stage, 1);
		known &= kept || !pipelines[i];
	}
	if (!known)
		result = vkr_parts_make_again(&call);
	for (uint32_t i = 0; !ready && logging && i < count; i++)
		device->next.DestroyPipeline(handle, logging[i], NULL);
	vkr_arena_finish(&arena);
	return result;
}

// Whether pStages means something.
static bool has_stages(const VkGraphicsPipelineCreateInfo *info)
{
	return vkr_graphics_parts(info) & (VKR_PART_PRE_RASTERIZATION | VKR_PART_FRAGMENT_SHADER) &&
	       info->pStages;
}

// Whether its draws may write texels of attachments that no load or store operation stands for: in
// dynamic rendering, where extensions are enabled that are for this.
static bool may_write_alone(struct vkr_device *device, const VkGraphicsPipelineCreateInfo *info)
{
	if (!(vkr_graphics_parts(info) & VKR_PART_FRAGMENT_SHADER))
		return false;
	const struct vkr_render_pass *pass =
		info->renderPass
			? vkr_handles_get(&device->render_passes, VKR_KEY(info->renderPass))
			: NULL;
	if (!pass)
		return !info->renderPass && device->writes_alone;
	return info->subpass < pass->subpass_count &&
	       pass->subpass_uses[info->subpass] & VKR_SUBPASS_ALONE;
}

static const VkPipelineLibraryCreateInfoKHR *libraries_of(const VkGraphicsPipelineCreateInfo *info)
{
	return vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
}

static void check_order(const struct vkr_device *device, const VkGraphicsPipelineCreateInfo *info)
{
	const VkPipelineRasterizationStateRasterizationOrderAMD *order = NULL;
	if (vkr_graphics_parts(info) & VKR_PART_PRE_RASTERIZATION && info->pRasterizationState)
		order = vkr_chain_find(
			info->pRasterizationState->pNext,
			VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_RASTERIZATION_ORDER_AMD);
	if (order && order->rasterizationOrder != VK_RASTERIZATION_ORDER_STRICT_AMD)
		vkr_extension_used(device->id, VK_AMD_RASTERIZATION_ORDER_EXTENSION_NAME);
}

// Reads one pipeline of a call. False for lack of memory.
static bool prepare_graphics(struct vkr_device *device, struct vkr_arena *arena,
			     VkGraphicsPipelineCreateInfo *info, struct vkr_pipeline_parts *parts,
			     bool *any)
{
	uint32_t count = has_stages(info) ? info->stageCount : 0;
	check_order(device, info);
	VkPipelineShaderStageCreateInfo *stages =
		vkr_arena_alloc(arena, (count + (size_t)1) * sizeof *stages);
	if (!stages || !vkr_parts_init(parts, arena, count) ||
	    !vkr_parts_libraries(device, arena, libraries_of(info), parts))
		return false;
	if (!vkr_pipeline_stays_plain(info->pNext, info->flags))
		parts->layout = vkr_layout_of(device, info->layout,
					      vkr_pipeline_flags(info->pNext, info->flags));
	parts->asks = may_write_alone(device, info);
	parts->asks_samples = parts->asks && vkr_graphics_samples(info);
	parts->tells_values = vkr_parts_are_linked(parts, info->pNext, info->flags);
	for (uint32_t i = 0; i < count; i++)
		stages[i] = info->pStages[i];
	*any |= vkr_parts_stages(device, arena, parts, stages, count);
	if (count)
		info->pStages = stages;
	return true;
}

static VkResult create_graphics(const struct vkr_pipelines_call *call, const void *infos)
{
	return call->device->next.CreateGraphicsPipelines(call->device->handle, call->cache,
							  call->count, infos, call->allocator,
							  call->pipelines);
}

// The pipelines as the driver may see them: the program's structures, or copies where something is
// not for the driver. NULL for lack of memory.
static const VkGraphicsPipelineCreateInfo *
unpack_graphics(struct vkr_arena *arena, const VkGraphicsPipelineCreateInfo *infos, uint32_t count)
{
	bool packed = false;
	for (uint32_t i = 0; i < count; i++)
		packed |= vkr_pipeline_is_packed(infos[i].pNext);
	if (!packed)
		return infos;
	VkGraphicsPipelineCreateInfo *own = vkr_arena_alloc(arena, count * sizeof *own);
	for (uint32_t i = 0; own && i < count; i++) {
		own[i] = infos[i];
		if (!vkr_pipeline_unpack(arena, &own[i].pNext, &own[i].pStages,
					 has_stages(&infos[i]) ? infos[i].stageCount : 0))
			return NULL;
	}
	return own;
}

VKAPI_ATTR VkResult VKAPI_CALL
vkr_CreateGraphicsPipelines(VkDevice handle, VkPipelineCache cache, uint32_t count,
			    const VkGraphicsPipelineCreateInfo *infos,
			    const VkAllocationCallbacks *allocator, VkPipeline *pipelines)
{
	struct vkr_device *device = vkr_device_of(handle);
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	struct vkr_pipeline_parts *parts = vkr_arena_alloc(&arena, count * sizeof *parts);
	VkGraphicsPipelineCreateInfo *changed = vkr_arena_alloc(&arena, count * sizeof *changed);
	const VkGraphicsPipelineCreateInfo *own = unpack_graphics(&arena, infos, count);
	if (!own) {
		vkr_arena_finish(&arena);
		return no_pipelines(count, pipelines);
	}
	bool ready = parts && changed, any = false, by_library = false;
	for (uint32_t i = 0; i < count; i++)
		by_library |= vkr_parts_by_library(device, libraries_of(&infos[i]));
	for (uint32_t i = 0; ready && i < count; i++) {
		changed[i] = own[i];
		ready = prepare_graphics(device, &arena, &changed[i], &parts[i], &any);
	}
	const struct vkr_pipelines_call call = {
		.device = device,
		.cache = cache,
		.count = count,
		.allocator = allocator,
		.pipelines = pipelines,
		.parts = parts,
		.ready = ready,
		.by_library = by_library,
		.changed = ready && any,
		.infos = ready ? changed : own,
		.own = own,
		.create = create_graphics,
	};
	VkResult result = vkr_parts_create(&call);
	bool known = true;
	if (!ready)
		vkr_record_no_memory("graphics pipelines");
	for (uint32_t i = 0; ready && i < count; i++) {
		struct vkr_pipeline *kept = NULL;
		if (pipelines[i])
			kept = vkr_parts_know(device, pipelines[i], VK_PIPELINE_BIND_POINT_GRAPHICS,
					      &parts[i]);
		known &= kept || !pipelines[i];
		if (!kept)
			continue;
		vkr_record_graphics_state(device, kept, &own[i], parts[i].libraries,
					  parts[i].library_count);
		vkr_pipeline_capture(device, kept, infos[i].pNext, infos[i].flags, own[i].pStages,
				     parts[i].stage_count);
	}
	if (!known)
		result = vkr_parts_make_again(&call);
	vkr_arena_finish(&arena);
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyPipeline(VkDevice handle, VkPipeline pipeline,
					       const VkAllocationCallbacks *allocator)
{
	struct vkr_device *device = vkr_device_of(handle);
	struct vkr_pipeline *kept = vkr_handles_take(&device->pipelines, VKR_KEY(pipeline));
	if (kept && kept->logging_handle)
		device->next.DestroyPipeline(handle, kept->logging_handle, NULL);
	if (kept)
		vkr_parts_forget(kept);
	device->next.DestroyPipeline(handle, pipeline, allocator);
}
