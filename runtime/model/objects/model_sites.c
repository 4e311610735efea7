// SPDX-License-Identifier: Apache-2.0
#include "model_sites.h"

#include "site_table.h"

#define GLOBAL (VKR_CLASS_UNIFORM | VKR_CLASS_IMAGE | VKR_CLASS_OUTPUT)

// The scopes that came later are nobody's; the interlock orders nothing.
static void map_to_2018(struct vkr_site *site)
{
	site->flags &= (uint16_t)~VKR_SITE_INTERLOCKED;
	if (site->scope == VKR_SCOPE_SHADER_CALL)
		site->scope = VKR_SCOPE_INVOCATION;
	if (site->available_scope == VKR_SCOPE_SHADER_CALL)
		site->available_scope = VKR_SCOPE_INVOCATION;
	if (site->visible_scope == VKR_SCOPE_SHADER_CALL)
		site->visible_scope = VKR_SCOPE_INVOCATION;
}

// What happens-before is visible: every access makes itself available and visible. Storage classes
// are two address spaces, and there are no queue families.
static void map_to_hrf(struct vkr_site *site)
{
	if (site->operation < VKR_SITE_CONTROL_BARRIER) {
		site->flags |=
			VKR_SITE_NONPRIVATE | VKR_SITE_MAKE_AVAILABLE | VKR_SITE_MAKE_VISIBLE;
		site->available_scope = site->visible_scope = VKR_SCOPE_CROSS_DEVICE;
	}
	if (site->storage_class & GLOBAL)
		site->storage_class = VKR_CLASS_UNIFORM;
	if (site->scope == VKR_SCOPE_QUEUE_FAMILY || site->scope == VKR_SCOPE_SHADER_CALL)
		site->scope = VKR_SCOPE_DEVICE;
	if (site->semantics & GLOBAL)
		site->semantics |= GLOBAL;
	if (site->order & VKR_ORDER_RELEASE)
		site->order |= VKR_ORDER_MAKE_AVAILABLE;
	if (site->order & VKR_ORDER_ACQUIRE)
		site->order |= VKR_ORDER_MAKE_VISIBLE;
}

bool vkr_model_map_sites(struct vkr_site_table *table, const struct vkr_memory_rules *rules)
{
	// The table is the caller's to change; its accessors only read.
	struct vkr_site *sites = (struct vkr_site *)(uintptr_t)vkr_site_table_sites(table);
	bool lacks = false;
	for (uint32_t at = 0; at < table->site_count; at++) {
		const bool calls = sites[at].scope == VKR_SCOPE_SHADER_CALL;
		if (rules->model == VKR_MEMORY_VULKAN_2018)
			lacks = lacks || calls || sites[at].flags & VKR_SITE_INTERLOCKED;
		else if (vkr_memory_is_hrf(rules))
			lacks = lacks || calls;
		if (rules->model == VKR_MEMORY_VULKAN_2018)
			map_to_2018(&sites[at]);
		else if (vkr_memory_is_hrf(rules))
			map_to_hrf(&sites[at]);
	}
	return lacks;
}
