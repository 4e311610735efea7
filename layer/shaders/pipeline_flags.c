// SPDX-License-Identifier: Apache-2.0
#include "pipeline_flags.h"

#include "chain_copy.h"
#include "layer.h"

#ifdef VK_KHR_maintenance5
uint64_t vkr_pipeline_flags(const void *chain, VkPipelineCreateFlags flags)
{
	const VkPipelineCreateFlags2CreateInfoKHR *second =
		vkr_chain_find(chain, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR);
	return second ? second->flags : flags;
}

bool vkr_pipeline_flags_add(struct vkr_arena *arena, const void **chain,
			    VkPipelineCreateFlags *flags, VkPipelineCreateFlags more)
{
	const VkStructureType type = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR;
	VkBaseOutStructure *last = NULL;
	const void *first = NULL;
	if (!vkr_chain_find(*chain, type)) {
		*flags |= more;
		return true;
	}
	for (const VkBaseInStructure *at = *chain;; at = at->pNext) {
		VkBaseOutStructure *copy = vkr_chain_copy(
			arena, at,
			at->sType == type ? sizeof(VkPipelineCreateFlags2CreateInfoKHR) : 0);
		if (!copy)
			return false;
		if (last)
			last->pNext = copy;
		else
			first = copy;
		last = copy;
		if (at->sType == type)
			break;
	}
	((VkPipelineCreateFlags2CreateInfoKHR *)last)->flags |= more;
	*chain = first;
	return true;
}
#else
uint64_t vkr_pipeline_flags(const void *chain, VkPipelineCreateFlags flags)
{
	(void)chain;
	return flags;
}

bool vkr_pipeline_flags_add(struct vkr_arena *arena, const void **chain,
			    VkPipelineCreateFlags *flags, VkPipelineCreateFlags more)
{
	(void)arena;
	(void)chain;
	*flags |= more;
	return true;
}
#endif

static bool is_generated(uint64_t flags)
{
	uint64_t generated = VK_PIPELINE_CREATE_INDIRECT_BINDABLE_BIT_NV;
#ifdef VK_EXT_device_generated_commands
	generated |= VK_PIPELINE_CREATE_2_INDIRECT_BINDABLE_BIT_EXT;
#endif
	return flags & generated;
}

static bool is_binary(const void *chain, uint64_t flags)
{
#ifdef VK_KHR_pipeline_binary
	const VkPipelineBinaryInfoKHR *binaries =
		vkr_chain_find(chain, VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR);
	return flags & VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR ||
	       (binaries && binaries->binaryCount > 0);
#else
	(void)chain;
	(void)flags;
	return false;
#endif
}

bool vkr_pipeline_stays_plain(const void *chain, VkPipelineCreateFlags flags)
{
	const uint64_t all = vkr_pipeline_flags(chain, flags);
	return is_generated(all) || is_binary(chain, all);
}
