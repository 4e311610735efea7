// SPDX-License-Identifier: Apache-2.0
// Shader modules, and pipelines made with instrumented shaders.
// Knows how pipelines are put together; not how shaders are rewritten.
#include "descriptor_heaps.h"
#include "device_features.h"
#include "graphics_state.h"
#include "logging_pipeline.h"
#include "pipeline_binaries.h"
#include "pipeline_calls.h"
#include "pipeline_flags.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateShaderModule(VkDevice handle,
						      const VkShaderModuleCreateInfo *info,
						      const VkAllocationCallbacks *allocator,
						      VkShaderModule *module)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateShaderModule(handle, info, allocator, module);
	if (result != VK_SUCCESS)
		return result;
	struct vkr_layer_module *kept = calloc(1, sizeof *kept + info->codeSize);
	if (!kept) {
		vkr_record_no_memory("a shader module");
		return result;
	}
	kept->word_count = info->codeSize / sizeof *info->pCode;
	memcpy(kept->words, info->pCode, info->codeSize);
	kept->hash = XXH3_64bits(info->pCode, info->codeSize);
	vkr_object_keep(&device->objects.modules, VKR_KEY(*module), kept, "a shader module");
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyShaderModule(VkDevice handle, VkShaderModule module,
						   const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_module *kept = vkr_handles_take(&device->objects.modules, VKR_KEY(module));
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

// Whether the pipeline is to be made as the program asked, with another one beside it that logs.
// Not with flags that refer to other pipelines, or that may make the creation fail: they apply to a
// single pipeline.
static bool is_summarized(const struct vkr_pipeline_parts *parts,
			  const VkComputePipelineCreateInfo *info)
{
	const uint64_t others = VK_PIPELINE_CREATE_DERIVATIVE_BIT |
				VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT |
				VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
	return parts->stages[0].logs && parts->stages[0].shader->summarized &&
	       !(vkr_pipeline_flags(info->pNext, info->flags) & others);
}

// Keeps the pipeline that logs everything, and leaves the other one to be made; where one of them
// cannot be, this one is the only one.
static struct vkr_logging_pipeline *keep_logging(const struct vkr_layer_device *device,
						 VkPipelineCache cache,
						 const VkComputePipelineCreateInfo *info,
						 struct vkr_pipeline_parts *parts,
						 VkComputePipelineCreateInfo *changed)
{
	const struct vkr_layer_shader *shader = parts->stages[0].shader;
	VkComputePipelineCreateInfo other = *info;
	if (shader->rest_words) {
		other = *changed;
		if (!vkr_parts_rest(device, &parts->stages[0], &other.stage))
			return NULL;
	}
	struct vkr_logging_pipeline *kept = vkr_logging_pipeline_keep(
		device, cache, changed, shader->words, shader->word_count);
	if (kept)
		*changed = other;
	return kept;
}

static bool prepare_compute(const struct vkr_pipelines_call *call, struct vkr_arena *arena,
			    void *infos, struct vkr_pipeline_parts *parts)
{
	VkComputePipelineCreateInfo *info = infos;
	const VkComputePipelineCreateInfo own = *info;
	if (!vkr_parts_init(parts, arena, 1))
		return false;
	vkr_parts_robustness(parts, info->pNext);
	// Large dispatches are cut.
	if (!vkr_pipeline_stays_plain(info->pNext, info->flags) &&
	    vkr_pipeline_flags_add(arena, &info->pNext, &info->flags,
				   VK_PIPELINE_CREATE_DISPATCH_BASE_BIT))
		parts->layout = vkr_layout_of(call->device, info->layout,
					      vkr_pipeline_flags(info->pNext, info->flags));
	parts->changed = vkr_parts_stages(call->device, arena, parts, &info->stage, 1);
	if (is_summarized(parts, &own))
		parts->logging = keep_logging(call->device, call->cache, &own, parts, info);
	return true;
}

static bool unpack_compute(struct vkr_arena *arena, void *infos)
{
	VkComputePipelineCreateInfo *info = infos;
	const VkPipelineShaderStageCreateInfo *stage = &info->stage;
	if (!vkr_pipeline_unpack(arena, &info->pNext, &stage, 1))
		return false;
	info->stage = *stage;
	return true;
}

static void known_compute(struct vkr_layer_device *device, struct vkr_layer_pipeline *pipeline,
			  const void *given, const void *info,
			  const struct vkr_pipeline_parts *parts)
{
	const VkComputePipelineCreateInfo *asked = given, *made = info;
	vkr_pipeline_capture(device, pipeline, asked->pNext, asked->flags, &made->stage,
			     parts->stage_count);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateComputePipelines(VkDevice handle, VkPipelineCache cache,
							  uint32_t count,
							  const VkComputePipelineCreateInfo *infos,
							  const VkAllocationCallbacks *allocator,
							  VkPipeline *pipelines)
{
	static const struct vkr_pipelines_kind compute = {
		.name = "compute pipelines",
		.point = VK_PIPELINE_BIND_POINT_COMPUTE,
		.info_bytes = sizeof *infos,
		.unpack = unpack_compute,
		.prepare = prepare_compute,
		.create = create_compute,
		.known = known_compute,
	};
	const struct vkr_pipelines_call call = {
		&compute, vkr_device_of(handle), cache, count, infos, allocator, pipelines};
	return vkr_pipelines_make(&call);
}

// Whether pStages means something.
static bool has_stages(const VkGraphicsPipelineCreateInfo *info)
{
	return vkr_graphics_parts(info) & (VKR_PART_PRE_RASTERIZATION | VKR_PART_FRAGMENT_SHADER) &&
	       info->pStages;
}

// Whether its draws may write texels of attachments that no load or store operation covers: in
// dynamic rendering with extensions that allow this.
static bool may_write_alone(struct vkr_layer_device *device,
			    const VkGraphicsPipelineCreateInfo *info)
{
	if (!(vkr_graphics_parts(info) & VKR_PART_FRAGMENT_SHADER))
		return false;
	const struct vkr_layer_render_pass *pass =
		info->renderPass
			? vkr_handles_get(&device->objects.render_passes, VKR_KEY(info->renderPass))
			: NULL;
	if (!pass)
		return !info->renderPass && device->writes_alone;
	return info->subpass < pass->subpass_count &&
	       pass->subpass_uses[info->subpass] & VKR_SUBPASS_ALONE;
}

static const VkPipelineLibraryCreateInfoKHR *libraries_of(const void *infos)
{
	const VkGraphicsPipelineCreateInfo *info = infos;
	return vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR);
}

static void check_order(const struct vkr_layer_device *device,
			const VkGraphicsPipelineCreateInfo *info)
{
	const VkPipelineRasterizationStateRasterizationOrderAMD *order = NULL;
	if (vkr_graphics_parts(info) & VKR_PART_PRE_RASTERIZATION && info->pRasterizationState)
		order = vkr_chain_find(
			info->pRasterizationState->pNext,
			VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_RASTERIZATION_ORDER_AMD);
	if (order && order->rasterizationOrder != VK_RASTERIZATION_ORDER_STRICT_AMD)
		vkr_extension_used(device->id, VK_AMD_RASTERIZATION_ORDER_EXTENSION_NAME);
}

static bool prepare_graphics(const struct vkr_pipelines_call *call, struct vkr_arena *arena,
			     void *infos, struct vkr_pipeline_parts *parts)
{
	VkGraphicsPipelineCreateInfo *info = infos;
	struct vkr_layer_device *device = call->device;
	uint32_t count = has_stages(info) ? info->stageCount : 0;
	check_order(device, info);
	VkPipelineShaderStageCreateInfo *stages =
		vkr_arena_alloc(arena, (count + (size_t)1) * sizeof *stages);
	if (!stages || !vkr_parts_init(parts, arena, count) ||
	    !vkr_parts_libraries(device, arena, libraries_of(info), parts))
		return false;
	vkr_parts_robustness(parts, info->pNext);
	if (!vkr_pipeline_stays_plain(info->pNext, info->flags))
		parts->layout = vkr_layout_of(device, info->layout,
					      vkr_pipeline_flags(info->pNext, info->flags));
	parts->asks = may_write_alone(device, info);
	parts->asks_samples = parts->asks && vkr_graphics_samples(info);
	parts->tells_values = vkr_parts_are_linked(parts, info->pNext, info->flags);
	for (uint32_t i = 0; i < count; i++)
		stages[i] = info->pStages[i];
	parts->changed = vkr_parts_stages(device, arena, parts, stages, count);
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

static bool unpack_graphics(struct vkr_arena *arena, void *infos)
{
	VkGraphicsPipelineCreateInfo *info = infos;
	const uint32_t stages = has_stages(info) ? info->stageCount : 0;
	return vkr_pipeline_unpack(arena, &info->pNext, &info->pStages, stages);
}

static void known_graphics(struct vkr_layer_device *device, struct vkr_layer_pipeline *pipeline,
			   const void *given, const void *info,
			   const struct vkr_pipeline_parts *parts)
{
	const VkGraphicsPipelineCreateInfo *asked = given, *made = info;
	vkr_record_graphics_state(device, pipeline, made, parts->libraries, parts->library_count);
	vkr_pipeline_capture(device, pipeline, asked->pNext, asked->flags, made->pStages,
			     parts->stage_count);
}

VKAPI_ATTR VkResult VKAPI_CALL
vkr_CreateGraphicsPipelines(VkDevice handle, VkPipelineCache cache, uint32_t count,
			    const VkGraphicsPipelineCreateInfo *infos,
			    const VkAllocationCallbacks *allocator, VkPipeline *pipelines)
{
	static const struct vkr_pipelines_kind graphics = {
		.name = "graphics pipelines",
		.point = VK_PIPELINE_BIND_POINT_GRAPHICS,
		.info_bytes = sizeof *infos,
		.unpack = unpack_graphics,
		.libraries = libraries_of,
		.prepare = prepare_graphics,
		.create = create_graphics,
		.known = known_graphics,
	};
	const struct vkr_pipelines_call call = {
		&graphics, vkr_device_of(handle), cache, count, infos, allocator, pipelines};
	return vkr_pipelines_make(&call);
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyPipeline(VkDevice handle, VkPipeline pipeline,
					       const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_pipeline *kept =
		vkr_handles_take(&device->objects.pipelines, VKR_KEY(pipeline));
	if (kept)
		vkr_parts_forget(kept);
	device->next.DestroyPipeline(handle, pipeline, allocator);
}
