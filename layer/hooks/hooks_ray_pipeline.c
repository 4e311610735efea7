// SPDX-License-Identifier: Apache-2.0
// Ray tracing pipelines, made with instrumented shaders. Knows how these pipelines are put together
// of stages, groups and libraries; not how shaders are rewritten, nor how rays are traced.
//
// Shader groups stay as the program gives them: stages keep their places, so handles of groups mean
// what they mean without the layer.
#include "descriptor_heaps.h"
#include "pipeline_binaries.h"
#include "pipeline_calls.h"
#include "pipeline_flags.h"
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

static bool prepare_ray_pipelines(const struct vkr_pipelines_call *call, struct vkr_arena *arena,
				  void *infos, struct vkr_pipeline_parts *parts)
{
	VkRayTracingPipelineCreateInfoKHR *info = infos;
	struct vkr_layer_device *device = call->device;
	const uint32_t count = info->stageCount;
	VkPipelineShaderStageCreateInfo *stages =
		vkr_arena_alloc(arena, (count + (size_t)1) * sizeof *stages);
	if (!stages || !vkr_parts_init(parts, arena, count) ||
	    !vkr_parts_libraries(device, arena, info->pLibraryInfo, parts))
		return false;
	vkr_parts_robustness(parts, info->pNext);
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
	parts->changed = vkr_parts_stages(device, arena, parts, stages, count);
	if (count)
		info->pStages = stages;
	return true;
}

static bool ray_pipeline_unpack(struct vkr_arena *arena, void *infos)
{
	VkRayTracingPipelineCreateInfoKHR *info = infos;
	return vkr_pipeline_unpack(arena, &info->pNext, &info->pStages, info->stageCount);
}

static const VkPipelineLibraryCreateInfoKHR *libraries_of(const void *infos)
{
	const VkRayTracingPipelineCreateInfoKHR *info = infos;
	return info->pLibraryInfo;
}

static void hooks_ray_pipeline_known(struct vkr_layer_device *device,
				     struct vkr_layer_pipeline *pipeline, const void *given,
				     const void *info, const struct vkr_pipeline_parts *parts)
{
	const VkRayTracingPipelineCreateInfoKHR *asked = given, *made = info;
	(void)parts;
	vkr_pipeline_capture(device, pipeline, asked->pNext, asked->flags, made->pStages,
			     made->stageCount);
}

// Nothing is deferred: what is made of the infos lives as long as this call, and the pipelines are
// known when it ends.
static VkResult create_at_once(const struct vkr_pipelines_call *call, const void *infos)
{
	return call->device->next.CreateRayTracingPipelinesKHR(call->device->handle, VK_NULL_HANDLE,
							       call->cache, call->count, infos,
							       call->allocator, call->pipelines);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateRayTracingPipelinesKHR(
	VkDevice handle, VkDeferredOperationKHR operation, VkPipelineCache cache, uint32_t count,
	const VkRayTracingPipelineCreateInfoKHR *infos, const VkAllocationCallbacks *allocator,
	VkPipeline *pipelines)
{
	static const struct vkr_pipelines_kind rays = {
		.name = "ray tracing pipelines",
		.point = VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR,
		.info_bytes = sizeof *infos,
		.unpack = ray_pipeline_unpack,
		.libraries = libraries_of,
		.prepare = prepare_ray_pipelines,
		.create = create_at_once,
		.known = hooks_ray_pipeline_known,
	};
	const struct vkr_pipelines_call call = {
		&rays, vkr_device_of(handle), cache, count, infos, allocator, pipelines};
	const VkResult result = vkr_pipelines_make(&call);
	// An implementation may choose not to defer, which it says so ("Requesting Deferral").
	return operation && result == VK_SUCCESS ? VK_OPERATION_NOT_DEFERRED_KHR : result;
}

VKAPI_ATTR VkResult VKAPI_CALL
vkr_CreateRayTracingPipelinesNV(VkDevice handle, VkPipelineCache cache, uint32_t count,
				const VkRayTracingPipelineCreateInfoNV *infos,
				const VkAllocationCallbacks *allocator, VkPipeline *pipelines)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	vkr_record_coverage(VKR_COVERAGE_SHADER, 0, 0,
			    "shaders of pipelines of VK_NV_ray_tracing are not observed");
	return device->next.CreateRayTracingPipelinesNV(handle, cache, count, infos, allocator,
							pipelines);
}
