// SPDX-License-Identifier: Apache-2.0
// Whether one access is location-ordered before another of a different command (Vulkan
// specification, appendix "Memory Model", "Location-Ordered", last bullet: through the device and
// host domains). Changes nothing.
#include "order_ladder.h"
#include "queue.h"

#include <assert.h>

static const struct vkr_command *command_of(const struct vkr_queues *queues, uint32_t id)
{
	assert(id >= 1 && id <= queues->commands.count);
	return &queues->commands.items[id - 1];
}

static const struct vkr_timeline *timeline_of(const struct vkr_queues *queues, uint32_t id)
{
	return &queues->timelines.items[id - 1];
}

// A side with what its command adds to it.
struct placed {
	const struct vkr_command *command;
	bool host, transition, rasterized;
	uint64_t stage;
	uint64_t write_access; // the access bit of its write, or of its read if it writes nothing
	const struct vkr_group *group; // what it knows; of y only
};

static struct placed place_side(const struct vkr_queues *queues, const struct vkr_side *side,
				bool second)
{
	struct placed placed = {.command = command_of(queues, side->command)};
	placed.host = timeline_of(queues, placed.command->timeline)->host;
	placed.transition = placed.command->transition;
	placed.rasterized = side->rasterized;
	placed.stage = placed.host ? VKR_HOST_STAGE : side->stage;
	placed.write_access = !placed.host     ? side->access
			      : !side->write   ? VKR_HOST_ANY_READ
			      : side->coherent ? VKR_HOST_COHERENT_WRITE
					       : VKR_HOST_NONCOHERENT_WRITE;
	if (second) {
		const struct vkr_state *state = placed.command->state;
		assert(state); // the command has not been ended
		if (side->apart)
			state = state->apart[side->apart - 1];
		placed.group = &state->groups[0];
		for (uint32_t i = 1; i < state->group_count; i++) {
			if (state->groups[i].stages & placed.stage)
				placed.group = &state->groups[i];
		}
	}
	return placed;
}

// "Image layout transitions [...] execute in their entirety in submission order, relative to other
// image layout transitions submitted to the same queue" ("Image Layout Transitions"), which other
// commands must not rely on.
static bool transitions_in_order(const struct placed *x, const struct placed *y)
{
	return x->transition && y->transition && x->command->timeline == y->command->timeline &&
	       x->command->position <= y->command->position;
}

// Resetting, beginning and copying a query define execution dependencies with all other commands on
// that query in submission order ("Query Operation").
static bool stage_in_order(const struct placed *x, const struct placed *y)
{
	return x->stage == y->stage && x->stage & (VKR_ENGINE_QUERY | VKR_ENGINE_IN_ORDER) &&
	       !x->host && !y->host && x->command->timeline == y->command->timeline &&
	       x->command->position <= y->command->position;
}

// Fixed function's accesses to attachments in one subpass are in rasterization order, which is that
// of feeding ("Rasterization Order").
static bool rasterized_in_order(const struct placed *x, const struct placed *y)
{
	return x->rasterized && y->rasterized && x->command->group != 0 &&
	       x->command->group == y->command->group &&
	       x->command->timeline == y->command->timeline;
}

static bool in_order(const struct placed *x, const struct placed *y)
{
	return transitions_in_order(x, y) || stage_in_order(x, y) || rasterized_in_order(x, y);
}

// Whether dependencies order x before y.
static bool comes_before(const struct placed *x, const struct placed *y,
			 struct vkr_verdict_range *place)
{
	const struct vkr_queue_point point = {x->command->timeline, x->command->position, x->stage,
					      VKR_EVERY_BIT};
	return vkr_queue_clock_has(y->group->before, &point, VKR_EVERY_BIT, place);
}

static bool placed_before(const struct placed *x, const struct placed *y,
			  struct vkr_verdict_range *place)
{
	// A host thread's commands are in program order; a queue's submission order orders nothing.
	if (x->host && x->command->timeline == y->command->timeline)
		return x->command->position <= y->command->position;
	return in_order(x, y) || comes_before(x, y, place);
}

// Whether the set holds what x writes, for these types of accesses.
static bool queue_verdict_has(const struct vkr_queue_clock *set, const struct placed *x,
			      uint64_t readers, struct vkr_verdict_range *place)
{
	const struct vkr_queue_point point = {x->command->timeline, x->command->position, x->stage,
					      x->write_access};
	return vkr_queue_clock_has(set, &point, readers, place);
}

bool vkr_queues_tells_apart(const struct vkr_queues *queues, uint32_t command, unsigned kind)
{
	return command_of(queues, command)->state->apart[kind] != NULL;
}

// Two commands, of which x was fed first, and where the verdict on them holds.
struct queue_pair {
	const struct placed *from, *to;
	const struct vkr_side *y;
	struct vkr_verdict_range *place;
};

static inline bool queue_has(void *context, enum vkr_rung rung)
{
	const struct queue_pair *pair = context;
	const struct placed *from = pair->from, *to = pair->to;
	const struct vkr_group *known = to->group;
	switch (rung) {
	case VKR_RUNG_HAPPENS_BEFORE:
		return placed_before(from, to, pair->place);
	case VKR_RUNG_AVAILABLE:
		return queue_verdict_has(from->host ? known->host : known->available, from,
					 VKR_EVERY_BIT, pair->place);
	case VKR_RUNG_DOMAIN:
		return from->host == to->host ||
		       queue_verdict_has(to->host ? known->host : known->available, from,
					 VKR_EVERY_BIT, pair->place);
	case VKR_RUNG_VISIBLE:
		return (to->host && pair->y->coherent) ||
		       queue_verdict_has(known->visible, from,
					 to->host ? VKR_HOST_ANY_READ : pair->y->access,
					 pair->place);
	case VKR_RUNG_NONPRIVATE: // order of the API is system-synchronizes-with
	case VKR_RUNG_REFERENCE:  // through the device and host domains
	case VKR_RUNG_TOP:
		break;
	}
	return true;
}

// Whether order is enough for two commands, whatever x writes.
static bool needs_no_memory(const struct vkr_queues *queues, const struct placed *from,
			    const struct placed *to)
{
	// Among host threads the host language's memory model holds.
	return queues->execution_only || in_order(from, to) || from->stage == VKR_ENGINE_QUERY ||
	       to->stage == VKR_ENGINE_QUERY || (from->host && to->host);
}

// What a write lacks between host and device.
static uint32_t crossing_shortfall(enum vkr_rung lacks, const struct placed *from,
				   const struct vkr_side *x, const struct vkr_side *y)
{
	if (from->host)
		return lacks == VKR_RUNG_AVAILABLE && !x->coherent ? VKR_SHORT_NOT_FLUSHED
								   : VKR_SHORT_TO_DEVICE;
	return (lacks == VKR_RUNG_DOMAIN ? VKR_SHORT_TO_HOST : 0u) |
	       (y->read && !y->coherent ? VKR_SHORT_NOT_INVALIDATED : 0u);
}

enum vkr_race_class vkr_queues_verdict(const struct vkr_queues *queues, const struct vkr_side *x,
				       const struct vkr_side *y, struct vkr_verdict_range *place,
				       uint32_t *shortfall)
{
	const struct placed from = place_side(queues, x, false), to = place_side(queues, y, true);
	struct queue_pair pair = {&from, &to, y, place};
	const enum vkr_rung lacks = vkr_ladder_climb(
		queue_has, &pair, x->write && !needs_no_memory(queues, &from, &to), y->read);

	*shortfall = 0;
	// A step to or from the host's domain that is missing is not told from the domain's own:
	// both are up to flush, submission, dependency on the host and invalidate.
	if ((from.host && lacks == VKR_RUNG_AVAILABLE) || lacks == VKR_RUNG_DOMAIN ||
	    (to.host && lacks == VKR_RUNG_VISIBLE)) {
		*shortfall = crossing_shortfall(lacks, &from, x, y);
		return VKR_RACE_DOMAIN;
	}
	return vkr_rung_class(lacks);
}

// Whether all that comes after y by its dependency comes after x by its own.
static bool lead_alike(const struct placed *x, const struct placed *y)
{
	return x->command->second_scope != 0 &&
	       x->command->second_scope == y->command->second_scope;
}

bool vkr_queues_only_in_order(const struct vkr_queues *queues, const struct vkr_side *x,
			      const struct vkr_side *y, struct vkr_verdict_range *place)
{
	const struct placed from = place_side(queues, x, false), to = place_side(queues, y, true);
	return transitions_in_order(&from, &to) && !lead_alike(&from, &to) &&
	       !comes_before(&from, &to, place);
}

bool vkr_queues_before(const struct vkr_queues *queues, const struct vkr_side *x,
		       const struct vkr_side *y, struct vkr_verdict_range *place)
{
	const struct placed from = place_side(queues, x, false), to = place_side(queues, y, true);
	return placed_before(&from, &to, place);
}
