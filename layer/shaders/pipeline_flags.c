// SPDX-License-Identifier: Apache-2.0
#include "pipeline_flags.h"

#include "chain_copy.h"
#include "layer.h"

#ifdef VK_KHR_maintenance5
#define SECOND VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR

static bool pipeline_flags_change(struct vkr_arena *arena, const void **chain, uint64_t more,
				  uint64_t less)
{
	const VkPipelineCreateFlags2CreateInfoKHR *second = vkr_chain_find(*chain, SECOND);
	VkPipelineCreateFlags2CreateInfoKHR *copy = vkr_arena_alloc(arena, sizeof *copy);
	if (!copy)
		return false;
	*copy = *second;
	copy->flags = (copy->flags | more) & ~less;
	return vkr_chain_replace(arena, chain, SECOND, (VkBaseOutStructure *)copy);
}

uint64_t vkr_pipeline_flags(const void *chain, VkPipelineCreateFlags flags)
{
	const VkPipelineCreateFlags2CreateInfoKHR *second = vkr_chain_find(chain, SECOND);
	return second ? second->flags : flags;
}

bool vkr_pipeline_flags_add(struct vkr_arena *arena, const void **chain,
			    VkPipelineCreateFlags *flags, VkPipelineCreateFlags more)
{
	if (!vkr_chain_find(*chain, SECOND)) {
		*flags |= more;
		return true;
	}
	return pipeline_flags_change(arena, chain, more, 0);
}

bool vkr_pipeline_flags_take(struct vkr_arena *arena, const void **chain, uint64_t flags)
{
	return !vkr_chain_find(*chain, SECOND) || pipeline_flags_change(arena, chain, 0, flags);
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

bool vkr_pipeline_flags_take(struct vkr_arena *arena, const void **chain, uint64_t flags)
{
	(void)arena;
	(void)chain;
	(void)flags;
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

bool vkr_pipeline_stays_plain(const void *chain, VkPipelineCreateFlags flags)
{
	return is_generated(vkr_pipeline_flags(chain, flags));
}
