// SPDX-License-Identifier: Apache-2.0
// What a control barrier orders, together with the memory barriers right before and right after it:
// a release barrier before the control barrier synchronizes-with an acquire barrier after it
// (memory model, "Synchronizes-With"). Knows sites; not how invocations come to them.
#pragma once

#include "engine.h"
#include "site_scope.h"

// The release fences of an invocation since its last access: the classes that they release, and
// make available. All are enum vkr_site_class.
struct vkr_release_fences {
	uint8_t classes, available;
};

// What an invocation acquires, and makes visible, at the barrier and right after it.
struct vkr_acquired {
	uint8_t classes, visible;
};

// What all invocations of the workgroup have released before the barrier and acquired after it.
struct vkr_barrier_join {
	struct vkr_release_fences released;
	struct vkr_acquired acquired;
	uint32_t arrived;             // invocations
	const struct vkr_site *added; // VKR_SITE_ADDED that one has come to; NULL: none
	bool apart;                   // they have come to different barriers
	const struct vkr_site *site;  // of the last one that has come
};

static inline struct vkr_barrier_join vkr_barrier_join_begin(void)
{
	return (struct vkr_barrier_join){.released = {UINT8_MAX, UINT8_MAX},
					 .acquired = {UINT8_MAX, UINT8_MAX}};
}

// Whether the site is a memory barrier of this kind for the workgroup.
static inline bool vkr_fence_is(const struct vkr_site *site, uint8_t order)
{
	return site->operation == VKR_SITE_MEMORY_BARRIER &&
	       vkr_scope_exceeds_subgroup(site->scope) && (site->order & order) != 0;
}

// The classes for which the site does all that is in `order`.
static inline uint8_t vkr_barrier_classes(const struct vkr_site *site, unsigned order)
{
	return (site->order & order) == order ? site->semantics : 0;
}

static inline void vkr_fence_release(struct vkr_release_fences *fences, const struct vkr_site *site)
{
	if (!vkr_fence_is(site, VKR_ORDER_RELEASE))
		return;
	fences->classes |= site->semantics;
	fences->available |=
		vkr_barrier_classes(site, VKR_ORDER_RELEASE | VKR_ORDER_MAKE_AVAILABLE);
}

// An access: only later fences release it. What earlier ones released stands before a control
// barrier that comes with no access in between, and before later ones.
static inline void vkr_fence_access(struct vkr_release_fences *fences)
{
	*fences = (struct vkr_release_fences){0};
}

// An invocation passes a memory barrier right after the control barrier.
static inline void vkr_fence_acquire(struct vkr_acquired *acquired, const struct vkr_site *site)
{
	if (!vkr_fence_is(site, VKR_ORDER_ACQUIRE))
		return;
	acquired->classes |= site->semantics;
	acquired->visible |= vkr_barrier_classes(site, VKR_ORDER_ACQUIRE | VKR_ORDER_MAKE_VISIBLE);
}

// As many invocations come to the control barrier. Returns what they acquire there by themselves.
static inline struct vkr_acquired vkr_barrier_arrive(struct vkr_barrier_join *join,
						     const struct vkr_release_fences *fences,
						     const struct vkr_site *site, uint32_t count)
{
	struct vkr_release_fences released = *fences;
	struct vkr_acquired acquired = {0};
	join->arrived += count;
	join->apart |= join->site != NULL && join->site != site;
	join->site = site;
	if (site->flags & VKR_SITE_ADDED)
		join->added = site;
	if (vkr_scope_exceeds_subgroup(site->scope)) {
		released.classes |= vkr_barrier_classes(site, VKR_ORDER_RELEASE);
		released.available |=
			vkr_barrier_classes(site, VKR_ORDER_RELEASE | VKR_ORDER_MAKE_AVAILABLE);
		acquired.classes = vkr_barrier_classes(site, VKR_ORDER_ACQUIRE);
		acquired.visible =
			vkr_barrier_classes(site, VKR_ORDER_ACQUIRE | VKR_ORDER_MAKE_VISIBLE);
	}
	join->released.classes &= released.classes;
	join->released.available &= released.available;
	return acquired;
}

// It has passed the barrier and what acquires right after it.
static inline void vkr_barrier_pass(struct vkr_barrier_join *join, struct vkr_acquired acquired)
{
	join->acquired.classes &= acquired.classes;
	join->acquired.visible &= acquired.visible;
}

static inline struct vkr_engine_barrier vkr_barrier_of(const struct vkr_barrier_join *join)
{
	const uint8_t ordered = join->released.classes & join->acquired.classes;
	return (struct vkr_engine_barrier){.ordered = ordered,
					   .available = ordered & join->released.available,
					   .visible = ordered & join->acquired.visible};
}
