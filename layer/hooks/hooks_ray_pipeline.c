// SPDX-License-Identifier: Apache-2.0
// Ray tracing pipelines, made with instrumented shaders. Knows how these pipelines are put together
// of stages, groups and libraries; not how shaders are rewritten, nor how rays are traced.
//
// Shader groups stay as the program gives them: stages keep their places, so handles of groups mean
// what they mean without the layer.
#include "descriptor_heaps.h"
#include "pipeline_binaries.h"
#include "pipeline_flags.h"
#include "pipeline_parts.h"
#include "record.h"

#include <string.h>

// The program wants the handles of groups to be those of another run, in which the shaders may have
// been others ("shaderGroupHandleCaptureReplay").
static bool replays_handles(const VkRayTracingPipelineCreateInfoKHR *info)
{
	for (uint32_t i = 0; i < info->groupCount; i++)
		if (info->pGroups[i].pShaderGroupCaptureReplayHandle)
			return true;
	return false;
}

// Reads one pipeline of a call. False for lack of memory.
static bool prepare(struct vkr_device *device, struct vkr_arena *arena,
		    VkRayTracingPipelineCreateInfoKHR *info, struct vkr_pipeline_parts *parts,
		    bool *any)
{
	const uint32_t count = info->stageCount;
	VkPipelineShaderStageCreateInfo *stages =
		vkr_arena_alloc(arena, (count + (size_t)1) * sizeof *stages);
	if (!stages || !vkr_parts_init(parts, arena, count) ||
	    !vkr_parts_libraries(device, arena, info->pLibraryInfo, parts))
		return false;
	if (replays_handles(info)) {
		vkr_record_coverage(VKR_COVERAGE_SHADER, 0, 0,
				    "shaders of ray tracing pipelines whose group handles are "
				    "replayed are not observed");
		return true;
	}
	if (!vkr_pipeline_stays_plain(info->pNext, info->flags))
		parts->layout = vkr_layout_of(device, info->layout,
					      vkr_pipeline_flags(info->pNext, info->flags));
	parts->tells_values = vkr_parts_are_linked(parts, info->pNext, info->flags);
	for (uint32_t i = 0; i < count; i++)
		stages[i] = info->pStages[i];
	*any |= vkr_parts_stages(device, arena, parts, stages, count);
	if (count)
		info->pStages = stages;
	return true;
}

// The pipelines as the driver may see them: the program's structures, or copies where something is
// not for the driver. NULL for lack of memory.
static const VkRayTracingPipelineCreateInfoKHR *
unpack(struct vkr_arena *arena, const VkRayTracingPipelineCreateInfoKHR *infos, uint32_t count)
{
	bool packed = false;
	for (uint32_t i = 0; i < count; i++)
		packed |= vkr_pipeline_is_packed(infos[i].pNext);
	if (!packed)
		return infos;
	VkRayTracingPipelineCreateInfoKHR *own = vkr_arena_alloc(arena, count * sizeof *own);
	for (uint32_t i = 0; own && i < count; i++) {
		own[i] = infos[i];
		if (!vkr_pipeline_unpack(arena, &own[i].pNext, &own[i].pStages, own[i].stageCount))
			return NULL;
	}
	return own;
}

// Nothing is deferred: what is made of the infos lives as long as this call, and the pipelines are
// known when it ends.
static VkResult create_at_once(const struct vkr_pipelines_call *call, const void *infos)
{
	return call->device->next.CreateRayTracingPipelinesKHR(call->device->handle, VK_NULL_HANDLE,
							       call->cache, call->count, infos,
							       call->allocator, call->pipelines);
}

static VkResult create(struct vkr_device *device, VkPipelineCache cache, uint32_t count,
		       const VkRayTracingPipelineCreateInfoKHR *infos,
		       const VkAllocationCallbacks *allocator, VkPipeline *pipelines)
{
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	struct vkr_pipeline_parts *parts = vkr_arena_alloc(&arena, count * sizeof *parts);
	VkRayTracingPipelineCreateInfoKHR *changed =
		vkr_arena_alloc(&arena, count * sizeof *changed);
	const VkRayTracingPipelineCreateInfoKHR *own = unpack(&arena, infos, count);
	if (!own) {
		for (uint32_t i = 0; i < count; i++)
			pipelines[i] = VK_NULL_HANDLE;
		vkr_arena_finish(&arena);
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	bool ready = parts && changed, any = false, by_library = false;
	for (uint32_t i = 0; i < count; i++)
		by_library |= vkr_parts_by_library(device, infos[i].pLibraryInfo);
	for (uint32_t i = 0; ready && i < count; i++) {
		changed[i] = own[i];
		ready = prepare(device, &arena, &changed[i], &parts[i], &any);
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
		.create = create_at_once,
	};
	VkResult result = vkr_parts_create(&call);
	bool known = true;
	if (!ready)
		vkr_record_no_memory("ray tracing pipelines");
	for (uint32_t i = 0; ready && i < count; i++) {
		struct vkr_pipeline *kept = NULL;
		if (pipelines[i])
			kept = vkr_parts_know(device, pipelines[i],
					      VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, &parts[i]);
		known &= kept || !pipelines[i];
		if (kept)
			vkr_pipeline_capture(device, kept, infos[i].pNext, infos[i].flags,
					     own[i].pStages, own[i].stageCount);
	}
	if (!known)
		result = vkr_parts_make_again(&call);
	vkr_arena_finish(&arena);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateRayTracingPipelinesKHR(
	VkDevice handle, VkDeferredOperationKHR operation, VkPipelineCache cache, uint32_t count,
	const VkRayTracingPipelineCreateInfoKHR *infos, const VkAllocationCallbacks *allocator,
	VkPipeline *pipelines)
{
	const VkResult result =
		create(vkr_device_of(handle), cache, count, infos, allocator, pipelines);
	// An implementation may choose not to defer, which it says so ("Requesting Deferral").
	return operation && result == VK_SUCCESS ? VK_OPERATION_NOT_DEFERRED_KHR : result;
}

VKAPI_ATTR VkResult VKAPI_CALL
vkr_CreateRayTracingPipelinesNV(VkDevice handle, VkPipelineCache cache, uint32_t count,
				const VkRayTracingPipelineCreateInfoNV *infos,
				const VkAllocationCallbacks *allocator, VkPipeline *pipelines)
{
	struct vkr_device *device = vkr_device_of(handle);
	vkr_record_coverage(VKR_COVERAGE_SHADER, 0, 0,
			    "shaders of pipelines of VK_NV_ray_tracing are not observed");
	return device->next.CreateRayTracingPipelinesNV(handle, cache, count, infos, allocator,
							pipelines);
}
