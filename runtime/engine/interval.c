// SPDX-License-Identifier: Apache-2.0
// Barrier intervals (Vulkan specification, appendix "Memory Model": "Synchronizes-With",
// "Inter-Thread-Happens-Before", "Location-Ordered"). Knows nothing of locations.
#include "interval.h"

#include "site_scope.h"

void vkr_intervals_begin(struct vkr_intervals *intervals)
{
	*intervals = (struct vkr_intervals){0};
}

void vkr_intervals_barrier(struct vkr_intervals *intervals,
			   const struct vkr_engine_barrier *barrier)
{
	const uint32_t number = ++intervals->current;
	for (unsigned c = 0; c < VKR_CLASS_COUNT; c++) {
		if (!(barrier->ordered & (1u << c)))
			continue;
		intervals->ordered[c] = number;
		// Within one barrier, availability comes before visibility: the release half
		// synchronizes with the acquire half of every workgroup-mate.
		if (barrier->available & (1u << c))
			intervals->available[c] = number;
		if (barrier->visible & (1u << c)) {
			intervals->visible[c] = number;
			intervals->seen[c] = intervals->available[c];
		}
	}
}

static unsigned class_index(uint8_t storage_class)
{
	return (unsigned)__builtin_ctz((unsigned)storage_class | (1u << (VKR_CLASS_COUNT - 1)));
}

bool vkr_intervals_ordered(const struct vkr_intervals *intervals, uint8_t storage_class,
			   uint32_t interval)
{
	return intervals->ordered[class_index(storage_class)] > interval;
}

bool vkr_intervals_available(const struct vkr_intervals *intervals, uint8_t storage_class,
			     uint32_t interval)
{
	return intervals->available[class_index(storage_class)] > interval;
}

bool vkr_intervals_settled(const struct vkr_intervals *intervals, uint8_t storage_class,
			   uint32_t interval)
{
	return intervals->seen[class_index(storage_class)] > interval;
}

// "Scope": whether an atomic's scope instance takes in an agent of this relation.
static bool scope_includes(uint8_t scope, enum vkr_relation relation)
{
	switch (relation) {
	case VKR_SAME_INVOCATION:
		return true;
	case VKR_SAME_SUBGROUP:
		return scope != VKR_SCOPE_INVOCATION;
	case VKR_SAME_WORKGROUP:
		return vkr_scope_has_workgroup(scope);
	case VKR_OTHER_WORKGROUP:
	case VKR_OTHER_COMMAND:
		return vkr_scope_has_workgroup(scope) && scope != VKR_SCOPE_WORKGROUP;
	case VKR_OTHER_FAMILY:
		return scope == VKR_SCOPE_DEVICE || scope == VKR_SCOPE_CROSS_DEVICE;
	}
	return false;
}

// Whether the two accesses use references that the model distinguishes.
static bool other_references(const struct vkr_interval_access *x,
			     const struct vkr_interval_access *y)
{
	return x->reference != y->reference && !(x->flags & VKR_ENGINE_UNREFERENCED);
}

bool vkr_atomics_mutual(const struct vkr_interval_access *x, const struct vkr_interval_access *y,
			enum vkr_relation relation, uint32_t *shortfall)
{
	uint32_t lacking = 0;
	if (!(x->flags & y->flags & VKR_ENGINE_ATOMIC))
		return false;
	if (other_references(x, y))
		lacking |= VKR_SHORT_OTHER_REFERENCE;
	// Atomics are aligned to their size: those of one size that overlap are of the same bytes.
	if (x->bytes != y->bytes && !(x->flags & VKR_ENGINE_UNREFERENCED))
		lacking |= VKR_SHORT_ATOMIC_BYTES;
	if (!scope_includes(x->scope, relation) || !scope_includes(y->scope, relation) ||
	    (x->scope != y->scope && x->flags & VKR_ENGINE_EQUAL_SCOPES))
		lacking |= VKR_SHORT_ATOMIC_SCOPE;
	*shortfall |= lacking;
	return lacking == 0;
}

// The class of a race between two that nothing orders.
static enum vkr_race_class unordered_class(uint32_t shortfall)
{
	if (shortfall & VKR_SHORT_ATOMIC_SCOPE)
		return VKR_RACE_SCOPE;
	if (shortfall & VKR_SHORT_OTHER_REFERENCE)
		return VKR_RACE_REFERENCE;
	return VKR_RACE_UNORDERED;
}

static enum vkr_race_class same_invocation(const struct vkr_interval_access *x,
					   const struct vkr_interval_access *y, uint32_t *shortfall)
{
	const bool private = !(x->flags & y->flags & VKR_ENGINE_NONPRIVATE);
	if (!other_references(x, y))
		return VKR_RACE_NONE;
	// Only the first bullet of "Location-Ordered" needs no availability, and it asks for one
	// reference.
	if (!(x->flags & VKR_ENGINE_WRITE) && !private)
		return VKR_RACE_NONE;
	*shortfall |= VKR_SHORT_OTHER_REFERENCE;
	return VKR_RACE_REFERENCE;
}

// Whether an access makes itself available, or visible, to the other one.
static bool makes_itself(const struct vkr_interval_access *step, uint32_t to_workgroup,
			 uint32_t to_subgroup, enum vkr_relation relation)
{
	return step->flags & to_workgroup ||
	       (step->flags & to_subgroup && relation == VKR_SAME_SUBGROUP);
}

enum vkr_race_class vkr_intervals_verdict(const struct vkr_intervals *intervals,
					  const struct vkr_interval_access *x,
					  const struct vkr_interval_access *y,
					  enum vkr_relation relation, uint32_t *shortfall)
{
	const unsigned c = class_index(x->storage_class);
	const bool at_once =
		makes_itself(x, VKR_ENGINE_MAKE_AVAILABLE, VKR_ENGINE_NEAR_AVAILABLE, relation);
	uint32_t between;

	if (vkr_atomics_mutual(x, y, relation, shortfall))
		return VKR_RACE_NONE;
	if (relation == VKR_SAME_INVOCATION)
		return same_invocation(x, y, shortfall);
	if (relation != VKR_SAME_SUBGROUP && relation != VKR_SAME_WORKGROUP) {
		const enum vkr_race_class found = unordered_class(*shortfall);
		*shortfall |= VKR_SHORT_OTHER_WORKGROUP;
		return found;
	}
	between = intervals->current > x->interval ? VKR_SHORT_BARRIER_SEMANTICS
						   : VKR_SHORT_NO_BARRIER;
	if (intervals->ordered[c] <= x->interval) {
		const enum vkr_race_class found = unordered_class(*shortfall);
		*shortfall |= between;
		return found;
	}
	*shortfall = 0;
	if (!(x->flags & y->flags & VKR_ENGINE_NONPRIVATE)) {
		*shortfall = VKR_SHORT_PRIVATE_ACCESS;
		return VKR_RACE_PRIVATE;
	}
	if (!(x->flags & VKR_ENGINE_WRITE))
		return VKR_RACE_NONE;
	if (other_references(x, y)) {
		*shortfall = VKR_SHORT_OTHER_REFERENCE;
		return VKR_RACE_REFERENCE;
	}
	if (!at_once && intervals->available[c] <= x->interval) {
		*shortfall = VKR_SHORT_BARRIER_AVAILABLE;
		return VKR_RACE_UNAVAILABLE;
	}
	if (y->flags & VKR_ENGINE_WRITE ||
	    makes_itself(y, VKR_ENGINE_MAKE_VISIBLE, VKR_ENGINE_NEAR_VISIBLE, relation))
		return VKR_RACE_NONE;
	if ((at_once ? intervals->visible[c] : intervals->seen[c]) > x->interval)
		return VKR_RACE_NONE;
	*shortfall = VKR_SHORT_BARRIER_VISIBLE;
	return VKR_RACE_INVISIBLE;
}
