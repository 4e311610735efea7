// SPDX-License-Identifier: Apache-2.0
// What a control barrier orders, together with the memory barriers right before and right after it:
// a release barrier before the control barrier synchronizes-with an acquire barrier after it
// (memory model, "Synchronizes-With"). Knows sites; not how invocations come to them.
#pragma once

#include "site_scope.h"

// The release fences of an invocation since its last access.
struct vkr_release_fences {
	uint8_t classes; // enum vkr_site_class
	uint8_t order;   // enum vkr_site_order
};

// What all invocations of the workgroup have released before the barrier and acquired after it.
struct vkr_barrier_join {
	uint8_t released, acquired; // enum vkr_site_class
	uint8_t order;              // enum vkr_site_order
};

static inline struct vkr_barrier_join vkr_barrier_join_begin(void)
{
	return (struct vkr_barrier_join){.released = UINT8_MAX, .acquired = UINT8_MAX};
}

// Whether the site is a memory barrier of this kind for the workgroup.
static inline bool vkr_fence_is(const struct vkr_site *site, uint8_t order)
{
	return site->operation == VKR_SITE_MEMORY_BARRIER &&
	       vkr_scope_exceeds_subgroup(site->scope) && (site->order & order) != 0;
}

static inline void vkr_fence_release(struct vkr_release_fences *fences, const struct vkr_site *site)
{
	if (!vkr_fence_is(site, VKR_ORDER_RELEASE))
		return;
	fences->classes |= site->semantics;
	fences->order |= site->order;
}

// An access: only later fences release it. What earlier ones released stands before a control
// barrier that comes with no access in between, and before later ones.
static inline void vkr_fence_access(struct vkr_release_fences *fences)
{
	*fences = (struct vkr_release_fences){0};
}

// An invocation passes a memory barrier right after the control barrier. Returns what it acquires.
static inline uint8_t vkr_fence_acquire(struct vkr_barrier_join *join, const struct vkr_site *site)
{
	if (!vkr_fence_is(site, VKR_ORDER_ACQUIRE))
		return 0;
	join->order |= site->order;
	return site->semantics;
}

// An invocation comes to the control barrier. Returns what it acquires there by itself.
static inline uint8_t vkr_barrier_arrive(struct vkr_barrier_join *join,
					 const struct vkr_release_fences *fences,
					 const struct vkr_site *site)
{
	uint8_t released = fences->classes, acquired = 0;
	join->order |= released != 0 ? fences->order : 0;
	if (vkr_scope_exceeds_subgroup(site->scope)) {
		released |= site->order & VKR_ORDER_RELEASE ? site->semantics : 0;
		acquired |= site->order & VKR_ORDER_ACQUIRE ? site->semantics : 0;
		join->order |= site->order;
	}
	join->released &= released;
	return acquired;
}
