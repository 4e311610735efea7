// SPDX-License-Identifier: Apache-2.0
// Second forms of commands that say what the first ones say, taken apart into these:
// VK_KHR_maintenance6. Knows their structures; what the commands mean stands where the first forms
// are.
#include "command_buffer.h"
#include "record.h"

#ifdef VK_KHR_maintenance6
static const struct {
	VkShaderStageFlags stages;
	VkPipelineBindPoint point;
} bind_points[] = {
	{VK_SHADER_STAGE_COMPUTE_BIT, VK_PIPELINE_BIND_POINT_COMPUTE},
	{VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT | VK_SHADER_STAGE_MESH_BIT_EXT,
	 VK_PIPELINE_BIND_POINT_GRAPHICS},
	{VKR_RAY_TRACING_STAGES, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR},
};
#define POINTS (sizeof bind_points / sizeof *bind_points)

// Whether the call has a first form: not with a pipeline layout in its chain
// (dynamicPipelineLayout), with which none of the program's logging pipelines was made.
static bool hooks_second_forms_plain(const void *chain, const char *name)
{
	if (!chain)
		return true;
	vkr_record_coverage(
		VKR_COVERAGE_COMMAND, 0, 0,
		"%s was used with a structure that is not known: what it binds is not observed",
		name);
	return false;
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBindDescriptorSets2KHR(VkCommandBuffer handle,
							 const VkBindDescriptorSetsInfoKHR *info)
{
	if (!hooks_second_forms_plain(info->pNext, "vkCmdBindDescriptorSets2")) {
		vkr_device_of(handle)->next.CmdBindDescriptorSets2KHR(handle, info);
		return;
	}
	for (size_t i = 0; i < POINTS; i++)
		if (info->stageFlags & bind_points[i].stages)
			vkr_CmdBindDescriptorSets(handle, bind_points[i].point, info->layout,
						  info->firstSet, info->descriptorSetCount,
						  info->pDescriptorSets, info->dynamicOffsetCount,
						  info->pDynamicOffsets);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdSetDescriptorBufferOffsets2EXT(
	VkCommandBuffer handle, const VkSetDescriptorBufferOffsetsInfoEXT *info)
{
	if (!hooks_second_forms_plain(info->pNext, "vkCmdSetDescriptorBufferOffsets2EXT")) {
		vkr_device_of(handle)->next.CmdSetDescriptorBufferOffsets2EXT(handle, info);
		return;
	}
	for (size_t i = 0; i < POINTS; i++)
		if (info->stageFlags & bind_points[i].stages)
			vkr_CmdSetDescriptorBufferOffsetsEXT(
				handle, bind_points[i].point, info->layout, info->firstSet,
				info->setCount, info->pBufferIndices, info->pOffsets);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBindDescriptorBufferEmbeddedSamplers2EXT(
	VkCommandBuffer handle, const VkBindDescriptorBufferEmbeddedSamplersInfoEXT *info)
{
	if (!hooks_second_forms_plain(info->pNext,
				      "vkCmdBindDescriptorBufferEmbeddedSamplers2EXT")) {
		vkr_device_of(handle)->next.CmdBindDescriptorBufferEmbeddedSamplers2EXT(handle,
											info);
		return;
	}
	for (size_t i = 0; i < POINTS; i++)
		if (info->stageFlags & bind_points[i].stages)
			vkr_CmdBindDescriptorBufferEmbeddedSamplersEXT(handle, bind_points[i].point,
								       info->layout, info->set);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdPushConstants2KHR(VkCommandBuffer handle,
						    const VkPushConstantsInfoKHR *info)
{
	if (hooks_second_forms_plain(info->pNext, "vkCmdPushConstants2")) {
		vkr_CmdPushConstants(handle, info->layout, info->stageFlags, info->offset,
				     info->size, info->pValues);
		return;
	}
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		buffer->push.known = 0;
	vkr_device_of(handle)->next.CmdPushConstants2KHR(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdPushDescriptorSet2KHR(VkCommandBuffer handle,
							const VkPushDescriptorSetInfoKHR *info)
{
	if (!hooks_second_forms_plain(info->pNext, "vkCmdPushDescriptorSet2")) {
		vkr_device_of(handle)->next.CmdPushDescriptorSet2KHR(handle, info);
		return;
	}
	for (size_t i = 0; i < POINTS; i++)
		if (info->stageFlags & bind_points[i].stages)
			vkr_CmdPushDescriptorSetKHR(handle, bind_points[i].point, info->layout,
						    info->set, info->descriptorWriteCount,
						    info->pDescriptorWrites);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdPushDescriptorSetWithTemplate2KHR(
	VkCommandBuffer handle, const VkPushDescriptorSetWithTemplateInfoKHR *info)
{
	if (!hooks_second_forms_plain(info->pNext, "vkCmdPushDescriptorSetWithTemplate2"))
		vkr_device_of(handle)->next.CmdPushDescriptorSetWithTemplate2KHR(handle, info);
	else
		vkr_CmdPushDescriptorSetWithTemplateKHR(handle, info->descriptorUpdateTemplate,
							info->layout, info->set, info->pData);
}
#endif
