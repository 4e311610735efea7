// SPDX-License-Identifier: Apache-2.0
#include "pipeline_binaries.h"

#include "chain_copy.h"
#include "objects.h"
#include "pipeline_flags.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>

#ifdef VK_KHR_pipeline_binary
// The code of one stage, as an envelope has it. False for lack of memory.
static bool put_code(struct vkr_arena *arena, const struct vkr_shader_binary *binary, size_t *at,
		     VkPipelineShaderStageCreateInfo *stage)
{
	VkShaderCreateInfoEXT opened = {
		.codeSize = vkr_binary_bytes(binary->data + *at, binary->bytes - *at),
		.pCode = binary->data + *at,
	};
	*at += opened.codeSize;
	VkShaderModuleCreateInfo *code = vkr_arena_alloc(arena, sizeof *code);
	// Damaged ones were refused when the binary was made.
	if (!code || vkr_binary_open(arena, &opened) != VKR_BINARY_OPENED)
		return false;
	*code = (VkShaderModuleCreateInfo){
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.pNext = stage->pNext,
		.codeSize = opened.codeSize,
		.pCode = opened.pCode,
	};
	stage->pNext = code;
	stage->module = VK_NULL_HANDLE;
	return true;
}

// One binary holds all stages of its pipeline, in their order.
static bool put_stages(struct vkr_arena *arena, const VkPipelineBinaryInfoKHR *info,
		       const VkPipelineShaderStageCreateInfo **stages, uint32_t count)
{
	const struct vkr_shader_binary *binary =
		(const struct vkr_shader_binary *)(uintptr_t)info->pPipelineBinaries[0];
	VkPipelineShaderStageCreateInfo *copies =
		vkr_arena_alloc(arena, (count + (size_t)1) * sizeof *copies);
	bool good = copies != NULL;
	size_t at = 0;
	for (uint32_t i = 0; good && i < count; i++) {
		copies[i] = (*stages)[i];
		good = put_code(arena, binary, &at, &copies[i]);
	}
	*stages = copies;
	return good;
}

static bool pipeline_binaries_captures(const void *chain, VkPipelineCreateFlags flags)
{
	return vkr_pipeline_flags(chain, flags) & VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR;
}

bool vkr_pipeline_is_packed(const void *chain)
{
	return vkr_binary_wraps() &&
	       (vkr_chain_find(chain, VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR) ||
		pipeline_binaries_captures(chain, 0));
}

bool vkr_pipeline_unpack(struct vkr_arena *arena, const void **chain,
			 const VkPipelineShaderStageCreateInfo **stages, uint32_t count)
{
	const VkPipelineBinaryInfoKHR *info =
		vkr_chain_find(*chain, VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR);
	if (info && info->binaryCount && count && !put_stages(arena, info, stages, count))
		return false;
	return vkr_chain_replace(arena, chain, VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR, NULL) &&
	       (!pipeline_binaries_captures(*chain, 0) ||
		vkr_pipeline_flags_take(arena, chain, VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR));
}

// The stage's code in an envelope. NULL where it is not known, or for lack of memory.
static struct vkr_shader_binary *
pipeline_binaries_wrap(struct vkr_layer_device *device,
		       const VkPipelineShaderStageCreateInfo *stage)
{
	VkShaderCreateInfoEXT info = {.pName = stage->pName,
				      .pSpecializationInfo = stage->pSpecializationInfo};
	const VkShaderModuleCreateInfo *code =
		vkr_chain_find(stage->pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
	const struct vkr_layer_module *module =
		vkr_handles_get(&device->objects.modules, VKR_KEY(stage->module));
	if (!module && (!code || stage->module))
		return NULL;
	info.codeSize = module ? module->word_count * sizeof *module->words : code->codeSize;
	info.pCode = module ? module->words : code->pCode;
	return vkr_binary_wrap(&info);
}

// *whole with one more envelope after it; NULL where either is.
static struct vkr_shader_binary *append_stage(struct vkr_shader_binary *whole,
					      struct vkr_shader_binary *stage)
{
	struct vkr_shader_binary *made =
		whole && stage ? realloc(whole, sizeof *whole + whole->bytes + stage->bytes) : NULL;
	if (made) {
		memcpy(made->data + made->bytes, stage->data, stage->bytes);
		made->bytes += stage->bytes;
	} else {
		free(whole);
	}
	free(stage);
	return made;
}

void vkr_pipeline_capture(struct vkr_layer_device *device, struct vkr_layer_pipeline *pipeline,
			  const void *chain, VkPipelineCreateFlags flags,
			  const VkPipelineShaderStageCreateInfo *stages, uint32_t count)
{
	if (!vkr_binary_wraps() || !pipeline_binaries_captures(chain, flags))
		return;
	pipeline->binary = calloc(1, sizeof *pipeline->binary);
	for (uint32_t i = 0; i < count; i++)
		pipeline->binary =
			append_stage(pipeline->binary, pipeline_binaries_wrap(device, &stages[i]));
	if (!pipeline->binary)
		vkr_record_no_memory("a pipeline's binary");
}
#else
bool vkr_pipeline_is_packed(const void *chain)
{
	(void)chain;
	return false;
}

bool vkr_pipeline_unpack(struct vkr_arena *arena, const void **chain,
			 const VkPipelineShaderStageCreateInfo **stages, uint32_t count)
{
	(void)arena;
	(void)chain;
	(void)stages;
	(void)count;
	return true;
}

void vkr_pipeline_capture(struct vkr_layer_device *device, struct vkr_layer_pipeline *pipeline,
			  const void *chain, VkPipelineCreateFlags flags,
			  const VkPipelineShaderStageCreateInfo *stages, uint32_t count)
{
	(void)device;
	(void)pipeline;
	(void)chain;
	(void)flags;
	(void)stages;
	(void)count;
}
#endif
