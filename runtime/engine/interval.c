// SPDX-License-Identifier: Apache-2.0
// Barrier intervals (Vulkan specification, appendix "Memory Model": "Synchronizes-With",
// "Inter-Thread-Happens-Before", "Location-Ordered"). Knows nothing of locations.
#include "interval.h"

#include "order_ladder.h"
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

// Two invocations of one dispatch, of which x was fed first.
struct interval_pair {
	const struct vkr_intervals *intervals;
	const struct vkr_interval_access *x, *y;
	enum vkr_relation relation;
	unsigned class_index;
	bool at_once; // x makes itself available to y
};

static inline bool is_mate(enum vkr_relation relation)
{
	return relation == VKR_SAME_SUBGROUP || relation == VKR_SAME_WORKGROUP;
}

static inline bool interval_has(void *context, enum vkr_rung rung)
{
	const struct interval_pair *pair = context;
	const struct vkr_intervals *intervals = pair->intervals;
	const struct vkr_interval_access *x = pair->x, *y = pair->y;
	const unsigned c = pair->class_index;
	switch (rung) {
	case VKR_RUNG_HAPPENS_BEFORE:
		return is_mate(pair->relation) && intervals->ordered[c] > x->interval;
	case VKR_RUNG_NONPRIVATE:
		return x->flags & y->flags & VKR_ENGINE_NONPRIVATE;
	case VKR_RUNG_REFERENCE:
		return !other_references(x, y);
	case VKR_RUNG_AVAILABLE:
		return pair->at_once || intervals->available[c] > x->interval;
	case VKR_RUNG_VISIBLE:
		return makes_itself(y, VKR_ENGINE_MAKE_VISIBLE, VKR_ENGINE_NEAR_VISIBLE,
				    pair->relation) ||
		       (pair->at_once ? intervals->visible[c] : intervals->seen[c]) > x->interval;
	case VKR_RUNG_DOMAIN: // both are of one workgroup
	case VKR_RUNG_TOP:
		break;
	}
	return true;
}

static uint32_t interval_shortfall(const struct interval_pair *pair)
{
	if (!is_mate(pair->relation))
		return VKR_SHORT_OTHER_WORKGROUP;
	return pair->intervals->current > pair->x->interval ? VKR_SHORT_BARRIER_SEMANTICS
							    : VKR_SHORT_NO_BARRIER;
}

enum vkr_race_class vkr_intervals_verdict(const struct vkr_intervals *intervals,
					  const struct vkr_interval_access *x,
					  const struct vkr_interval_access *y,
					  enum vkr_relation relation, uint32_t *shortfall)
{
	static const uint32_t shortfalls[VKR_RUNG_TOP + 1] = {
		[VKR_RUNG_NONPRIVATE] = VKR_SHORT_PRIVATE_ACCESS,
		[VKR_RUNG_REFERENCE] = VKR_SHORT_OTHER_REFERENCE,
		[VKR_RUNG_AVAILABLE] = VKR_SHORT_BARRIER_AVAILABLE,
		[VKR_RUNG_VISIBLE] = VKR_SHORT_BARRIER_VISIBLE,
	};
	struct interval_pair pair = {
		intervals,
		x,
		y,
		relation,
		class_index(x->storage_class),
		makes_itself(x, VKR_ENGINE_MAKE_AVAILABLE, VKR_ENGINE_NEAR_AVAILABLE, relation)};

	if (vkr_atomics_mutual(x, y, relation, shortfall))
		return VKR_RACE_NONE;
	if (relation == VKR_SAME_INVOCATION)
		return same_invocation(x, y, shortfall);
	const enum vkr_rung lacks = vkr_ladder_climb(
		interval_has, &pair, x->flags & VKR_ENGINE_WRITE, !(y->flags & VKR_ENGINE_WRITE));
	if (lacks == VKR_RUNG_HAPPENS_BEFORE) {
		const enum vkr_race_class found = unordered_class(*shortfall);
		*shortfall |= interval_shortfall(&pair);
		return found;
	}
	*shortfall = shortfalls[lacks];
	return vkr_rung_class(lacks);
}
