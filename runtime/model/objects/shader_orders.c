// SPDX-License-Identifier: Apache-2.0
#include "shader_orders.h"

#include "engine.h"
#include "model_objects.h"
#include "site_scope.h"
#include "site_table.h"

static bool is_atomic(const struct vkr_site *site)
{
	return site->operation == VKR_SITE_ATOMIC_LOAD ||
	       site->operation == VKR_SITE_ATOMIC_STORE || site->operation == VKR_SITE_ATOMIC_RMW;
}

// Whether the scope includes invocations of other workgroups.
static bool exceeds_workgroup(uint8_t scope)
{
	return vkr_scope_exceeds_subgroup(scope) && scope != VKR_SCOPE_WORKGROUP;
}

// Whether an access that others may see makes itself available or visible to other commands; one
// that does not leaves it to a fence, or to another access of its invocation.
static bool is_shared_access(const struct vkr_site *site)
{
	return site->flags & VKR_SITE_NONPRIVATE &&
	       site->storage_class & (VKR_CLASS_UNIFORM | VKR_CLASS_IMAGE) &&
	       (site->operation == VKR_SITE_STORE || site->operation == VKR_SITE_LOAD);
}

static bool makes_itself(const struct vkr_site *site)
{
	return site->operation == VKR_SITE_STORE ? site->flags & VKR_SITE_MAKE_AVAILABLE &&
							   vkr_scope_is_far(site->available_scope)
						 : site->flags & VKR_SITE_MAKE_VISIBLE &&
							   vkr_scope_is_far(site->visible_scope);
}

// Acquires and releases by atomics; fences where there are atomics of that reach for them to work
// through; control barriers of less than a workgroup.
void vkr_shader_find_order(struct vkr_shader *shader)
{
	const struct vkr_site_table *table = shader->sites;
	const struct vkr_site *sites = vkr_site_table_sites(table);
	bool atomics = false, far_atomics = false, evidence = false, leaves = false, hands = false;
	for (uint32_t at = 0; at < table->site_count; at++) {
		if (is_shared_access(&sites[at]))
			*(makes_itself(&sites[at]) ? &hands : &leaves) = true;
		shader->counts_apart = shader->counts_apart || vkr_site_is_near(&sites[at]);
		if (!is_atomic(&sites[at]))
			continue;
		atomics = atomics || sites[at].scope != VKR_SCOPE_INVOCATION;
		far_atomics = far_atomics || (exceeds_workgroup(sites[at].scope) &&
					      sites[at].storage_class != VKR_CLASS_WORKGROUP);
		evidence = evidence || sites[at].flags & VKR_SITE_VALUES;
		shader->carries_on =
			shader->carries_on ||
			(sites[at].operation == VKR_SITE_ATOMIC_RMW &&
			 sites[at].flags & VKR_SITE_VALUES && vkr_scope_is_far(sites[at].scope));
		shader->counts_apart =
			shader->counts_apart || sites[at].scope == VKR_SCOPE_SUBGROUP;
	}
	for (uint32_t at = 0; at < table->site_count; at++) {
		const struct vkr_site *site = &sites[at];
		const bool barrier = vkr_site_is_workgroup_barrier(site);
		const bool narrow = site->operation == VKR_SITE_CONTROL_BARRIER && !barrier;
		if (!(site->order & (VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE)))
			continue;
		hands = hands ||
			(site->order & (VKR_ORDER_MAKE_AVAILABLE | VKR_ORDER_MAKE_VISIBLE) &&
			 vkr_scope_is_far(site->scope));
		if (table->tag != 0 && site->operation == VKR_SITE_MEMORY_BARRIER &&
		    exceeds_workgroup(site->scope))
			shader->orders_calls |= site->semantics;
		if (!barrier && (atomics || narrow) && site->scope != VKR_SCOPE_INVOCATION)
			shader->orders_invocations |= site->semantics;
		// A control barrier is a memory barrier, too (OpControlBarrier): with atomics it
		// orders invocations of others.
		if (far_atomics && exceeds_workgroup(site->scope))
			shader->orders_workgroups |= site->semantics;
	}
	shader->orders_commands = (evidence && shader->orders_workgroups != 0) || (leaves && hands);
}
