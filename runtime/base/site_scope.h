// SPDX-License-Identifier: Apache-2.0
// How far the scopes of sites reach (SPIR-V, "Scope <id>"). Knows enum vkr_scope; not who is in a
// scope's instance.
#pragma once

#include "vkrace/site.h"

#include <stdbool.h>

// Whether the scope includes all invocations of a device.
static inline bool vkr_scope_is_device(uint8_t scope)
{
	return scope == VKR_SCOPE_DEVICE || scope == VKR_SCOPE_CROSS_DEVICE;
}

// Whether it includes all invocations of a queue family.
static inline bool vkr_scope_is_far(uint8_t scope)
{
	return scope == VKR_SCOPE_QUEUE_FAMILY || vkr_scope_is_device(scope);
}

// Whether it includes all invocations of a workgroup.
static inline bool vkr_scope_has_workgroup(uint8_t scope)
{
	return scope == VKR_SCOPE_WORKGROUP || vkr_scope_is_far(scope);
}

// Whether it includes more than a subgroup. Shader calls do; they are in no workgroup.
static inline bool vkr_scope_exceeds_subgroup(uint8_t scope)
{
	return scope != VKR_SCOPE_INVOCATION && scope != VKR_SCOPE_SUBGROUP;
}

// Whether a whole workgroup waits at the site.
static inline bool vkr_site_is_workgroup_barrier(const struct vkr_site *site)
{
	return site->operation == VKR_SITE_CONTROL_BARRIER &&
	       vkr_scope_exceeds_subgroup(site->execution);
}

// Whether two invocations of a workgroup make an access of such a scope together. `subgroup_size`
// 0: not known which invocations share one.
static inline bool vkr_make_together(uint8_t scope, uint32_t subgroup_size, uint32_t first,
				     uint32_t second)
{
	return scope != VKR_SCOPE_SUBGROUP || subgroup_size == 0 ||
	       first / subgroup_size == second / subgroup_size;
}
