// SPDX-License-Identifier: Apache-2.0
// The dependencies that were given, each as long as it may be the nearest one to some race, and
// which one is. Does not know what they order.
#include "queue.h"

#include "array.h"
#include "error.h"
#include "map.h"
#include "search.h"
#include "sort.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_FORGET ((size_t)1 << 10)

// Positions of commands on one timeline, ascending.
struct positions {
	uint64_t *items;
	size_t count;
};

static int compare_positions(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

// Positions of all commands that are remembered, or only of those that have not ended.
static bool positions_init(struct positions *positions, const struct vkr_queues *queues,
			   uint32_t timeline, bool open)
{
	*positions = (struct positions){0};
	for (size_t i = 0; i < queues->commands.count; i++) {
		const struct vkr_command *command = &queues->commands.items[i];
		positions->count += command->timeline == timeline && (!open || command->state);
	}
	positions->items = malloc((positions->count + 1) * sizeof *positions->items);
	if (!positions->items)
		return false;
	positions->count = 0;
	for (size_t i = 0; i < queues->commands.count; i++) {
		const struct vkr_command *command = &queues->commands.items[i];
		if (command->timeline == timeline && (!open || command->state))
			positions->items[positions->count++] = command->position;
	}
	vkr_sort(positions->items, positions->count, sizeof *positions->items, compare_positions);
	return true;
}

// How many stand at `position` or before.
static size_t positions_until(const struct positions *positions, uint64_t position)
{
	size_t low = 0;
	VKR_SEARCH(low, positions->count, at, positions->items[at] <= position);
	return low;
}

static uint64_t access_hash(uint64_t hash, const struct vkr_engine_barrier_access *access)
{
	hash = vkr_map_hash(hash ^ access->source_stages);
	hash = vkr_map_hash(hash ^ access->source_accesses);
	hash = vkr_map_hash(hash ^ access->destination_stages);
	hash = vkr_map_hash(hash ^ access->destination_accesses);
	hash = vkr_map_hash(hash ^ access->memory);
	hash = vkr_map_hash(hash ^ access->offset);
	return vkr_map_hash(hash ^ access->bytes);
}

static uint64_t past_hash(const struct vkr_timeline *on, const struct vkr_past_dependency *past)
{
	uint64_t hash = vkr_map_hash(past->source_stages);
	hash = vkr_map_hash(hash ^ past->destination_stages);
	for (uint32_t i = 0; i < past->access_count; i++)
		hash = access_hash(hash, &on->past_accesses.items[past->first_access + i]);
	return hash;
}

static bool access_equal(const struct vkr_engine_barrier_access *a,
			 const struct vkr_engine_barrier_access *b)
{
	return a->source_stages == b->source_stages && a->source_accesses == b->source_accesses &&
	       a->destination_stages == b->destination_stages &&
	       a->destination_accesses == b->destination_accesses && a->memory == b->memory &&
	       a->offset == b->offset && a->bytes == b->bytes;
}

// Whether two dependencies lack the same for a pair of accesses that are not their transitions.
static bool past_equal(const struct vkr_timeline *on, const struct vkr_past_dependency *a,
		       const struct vkr_past_dependency *b)
{
	if (a->source_stages != b->source_stages ||
	    a->destination_stages != b->destination_stages || a->access_count != b->access_count)
		return false;
	for (uint32_t i = 0; i < a->access_count; i++)
		if (!access_equal(&on->past_accesses.items[a->first_access + i],
				  &on->past_accesses.items[b->first_access + i]))
			return false;
	return true;
}

// Takes out those that were marked.
static void drop_marked(struct vkr_timeline *on)
{
	size_t kept = 0, kept_accesses = 0;
	for (size_t i = 0; i < on->past.count; i++) {
		struct vkr_past_dependency past = on->past.items[i];
		if (past.forgotten)
			continue;
		memmove(&on->past_accesses.items[kept_accesses],
			&on->past_accesses.items[past.first_access],
			past.access_count * sizeof *on->past_accesses.items);
		past.first_access = kept_accesses;
		kept_accesses += past.access_count;
		on->past.items[kept++] = past;
	}
	on->past.count = kept;
	on->past_accesses.count = kept_accesses;
}

// Of two dependencies that lack the same, the later one is nearer to everything after it. The
// earlier one is nearer only to a command between the two that has not ended; or to what comes
// after the earlier one's first scope, if the first scope of the later one ends before; or if one
// of the later one's scopes is limited to a section.
static enum vkr_result mark_repeated(struct vkr_timeline *on, const struct positions *open,
				     struct vkr_error *error)
{
	struct vkr_map latest; // hash -> 1 + index
	bool known = true;
	vkr_map_init(&latest);
	for (size_t i = on->past.count; i-- > 0 && known;) {
		struct vkr_past_dependency *past = &on->past.items[i];
		const uint64_t hash = past_hash(on, past);
		uint64_t found = 0;
		if (vkr_map_get(&latest, hash, &found)) {
			const struct vkr_past_dependency *later = &on->past.items[found - 1];
			past->forgotten = past->transition == 0 && past_equal(on, past, later) &&
					  past->first_begin >= later->first_begin &&
					  past->first_end <= later->first_end &&
					  past->second_end <= later->second_end &&
					  positions_until(open, past->position) ==
						  positions_until(open, later->position);
		}
		// Nothing is in its second scope any more.
		past->forgotten |= past->second_end != UINT64_MAX &&
				   positions_until(open, past->position) ==
					   positions_until(open, past->second_end);
		if (!past->forgotten)
			known = vkr_map_set(&latest, hash, i + 1);
	}
	vkr_map_finish(&latest);
	return known ? VKR_OK : vkr_error_memory(error, "dependencies");
}

static enum vkr_result forget_repeated(struct vkr_queues *queues, uint32_t timeline,
				       struct vkr_error *error)
{
	struct vkr_timeline *on = vkr_queues_on(queues, timeline);
	struct positions open;
	if (!positions_init(&open, queues, timeline, true))
		return vkr_error_memory(error, "dependencies");
	const enum vkr_result result = mark_repeated(on, &open, error);
	free(open.items);
	if (result != VKR_OK)
		return result;
	drop_marked(on);
	// As many pass before the next time as are looked through then.
	on->forget_at = on->past.count + queues->commands.count / 4;
	on->forget_at = on->forget_at * 2 > FIRST_FORGET ? on->forget_at * 2 : FIRST_FORGET;
	return VKR_OK;
}

enum vkr_result vkr_queues_remember(struct vkr_queues *queues, uint32_t timeline,
				    const struct vkr_engine_mark *from, uint64_t tag,
				    const struct vkr_engine_dependency *dependency,
				    struct vkr_error *error)
{
	struct vkr_timeline *on = vkr_queues_on(queues, timeline);
	if (on->past.count >= (on->forget_at ? on->forget_at : FIRST_FORGET)) {
		const enum vkr_result result = forget_repeated(queues, timeline, error);
		if (result != VKR_OK)
			return result;
	}
	const struct vkr_past_dependency past = {
		.tag = tag,
		.position = on->position,
		.transition = dependency->transition ? on->position : 0,
		.first_begin = from->within.behind,
		.first_end = from->position,
		.section = on->sections.base && !dependency->beyond ? on->sections.count : 0,
		.second_end = UINT64_MAX,
		.source_stages = dependency->source_stages,
		.destination_stages = dependency->destination_stages,
		.first_access = on->past_accesses.count,
		.access_count = dependency->access_count};
	if (!VKR_ARRAY_RESERVE(&on->past, 1) ||
	    !VKR_ARRAY_RESERVE(&on->past_accesses, dependency->access_count))
		return vkr_error_memory(error, "dependencies");
	on->past.items[on->past.count++] = past;
	for (uint32_t i = 0; i < dependency->access_count; i++)
		on->past_accesses.items[on->past_accesses.count++] = dependency->accesses[i];
	return VKR_OK;
}

// Cuts with no command before them do not matter, and of several cuts between two commands one
// suffices.
static void join_cuts(struct vkr_timeline *on, const struct positions *known)
{
	size_t kept = 0;
	for (size_t i = 0; i < on->cuts.count; i++) {
		const struct vkr_cut cut = on->cuts.items[i];
		struct vkr_cut *last = kept > 0 ? &on->cuts.items[kept - 1] : NULL;
		const size_t before = positions_until(known, cut.behind);
		if (before == 0)
			continue;
		if (last == NULL || positions_until(known, last->behind) != before) {
			on->cuts.items[kept++] = cut;
			continue;
		}
		last->stages |= cut.stages;
		last->behind = cut.behind;
		if (last->position < cut.position)
			last->position = cut.position;
	}
	on->cuts.count = kept;
}

enum vkr_result vkr_queues_forget(struct vkr_queues *queues, uint32_t timeline,
				  struct vkr_error *error)
{
	struct vkr_timeline *on = vkr_queues_on(queues, timeline);
	struct positions known;
	if (on->past.count == 0 && on->cuts.count == 0)
		return VKR_OK;
	if (!positions_init(&known, queues, timeline, false))
		return vkr_error_memory(error, "dependencies");
	for (size_t i = 0; i < on->past.count; i++) {
		struct vkr_past_dependency *past = &on->past.items[i];
		const size_t before = positions_until(&known, past->position);
		if (past->transition != 0 &&
		    (before == 0 || known.items[before - 1] != past->transition))
			past->transition = 0;
		past->forgotten =
			past->transition == 0 && positions_until(&known, past->first_begin) ==
							 positions_until(&known, past->first_end);
	}
	join_cuts(on, &known);
	free(known.items);
	drop_marked(on);
	return forget_repeated(queues, timeline, error);
}

// The two sides of a race, beside one dependency.
struct pair {
	const struct vkr_side *x, *y;
	bool from_own, to_own; // the side is the dependency's layout transition
};

// What a layout transition writes is available by itself.
static bool is_available(const struct pair *pair)
{
	return pair->from_own || pair->x->stage == VKR_ENGINE_TRANSITION;
}

// Whether an access scope lacks a stage. A scope that names no stage of its own (TOP_OF_PIPE or
// BOTTOM_OF_PIPE) and no accesses is empty, whatever stages the dependency orders.
static bool queue_past_misses(uint64_t stages, uint64_t accesses, uint64_t stage)
{
	return stages != 0 ? !(stages & stage) : accesses == 0;
}

// What one memory dependency lacks to make visible what `x` wrote: bits and ranges of its access
// scopes. Unlike its first and second scope, these include only the stages that the masks name.
static uint32_t access_lacks(const struct vkr_engine_barrier_access *access,
			     const struct pair *pair, uint32_t memory, uint64_t offset)
{
	const struct vkr_side *x = pair->x, *y = pair->y;
	uint32_t bits = 0;

	if (!is_available(pair)) {
		if (queue_past_misses(access->source_stages, access->source_accesses, x->stage))
			bits |= VKR_SHORT_SOURCE_STAGE;
		if (!(access->source_accesses & x->access))
			bits |= VKR_SHORT_SOURCE_ACCESS;
	}
	if (y->read && !pair->to_own) {
		if (queue_past_misses(access->destination_stages, access->destination_accesses,
				      y->stage))
			bits |= VKR_SHORT_DESTINATION_STAGE;
		if (!(access->destination_accesses & y->access))
			bits |= VKR_SHORT_DESTINATION_ACCESS;
	}
	if (access->memory != 0 && (access->memory != memory || offset < access->offset ||
				    offset - access->offset >= access->bytes))
		bits |= VKR_SHORT_RANGE;
	return bits;
}

// What one dependency lacks to order the two by itself. Its own layout transition stands between
// its two scopes.
static uint32_t queue_past_lacks(const struct vkr_timeline *on,
				 const struct vkr_past_dependency *past, const struct pair *pair,
				 uint32_t memory, uint64_t offset)
{
	const struct vkr_side *x = pair->x, *y = pair->y;
	uint32_t stages = 0, least = 0;
	int least_bits = INT_MAX;

	if (!pair->from_own && !(past->source_stages & x->stage))
		stages |= VKR_SHORT_SOURCE_STAGE;
	if (!pair->to_own && !(past->destination_stages & y->stage))
		stages |= VKR_SHORT_DESTINATION_STAGE;
	if (!x->write)
		return stages;
	if (past->access_count == 0)
		return stages | (is_available(pair) ? 0u : VKR_SHORT_SOURCE_ACCESS) |
		       (y->read && !pair->to_own ? VKR_SHORT_DESTINATION_ACCESS : 0u);
	for (uint32_t i = 0; i < past->access_count; i++) {
		const uint32_t bits =
			stages | access_lacks(&on->past_accesses.items[past->first_access + i],
					      pair, memory, offset);
		if (__builtin_popcount(bits) < least_bits) {
			least_bits = __builtin_popcount(bits);
			least = bits;
		}
	}
	return least;
}

// Whether the two do not stand where the dependency's scopes are.
static bool is_elsewhere(const struct vkr_past_dependency *past, const struct vkr_command *from,
			 const struct vkr_command *to, const struct pair *pair)
{
	const bool first = past->first_end < from->position || past->first_begin >= from->position;
	return (first && !pair->from_own) || (past->second_end < to->position && !pair->to_own);
}

// Whether a happens-before set includes x, in this stage.
static bool clock_holds(const struct vkr_queue_clock *before, const struct vkr_command *x,
			uint64_t stage)
{
	struct vkr_verdict_range place = {.high = UINT64_MAX};
	const struct vkr_queue_point point = {x->timeline, x->position, stage, VKR_EVERY_BIT};
	return vkr_queue_clock_has(before, &point, VKR_EVERY_BIT, &place);
}

// Stages that a program can name.
#define VKR_PROGRAM_STAGES                                                                         \
	(VKR_EVERY_BIT & ~(VKR_ENGINE_TRANSITION | VKR_ENGINE_QUERY | VKR_ENGINE_IN_ORDER))

// Which stages are wrong in the dependency that orders x before y in other stages. It is a
// semaphore: a barrier would be the nearest dependency.
static uint32_t wrong_stages(const struct vkr_command *from, const struct vkr_side *x,
			     const struct vkr_command *to, const struct vkr_side *y)
{
	const struct vkr_state *state = to->state;
	if (!(x->stage & VKR_PROGRAM_STAGES) || !(y->stage & VKR_PROGRAM_STAGES) || state == NULL)
		return 0;
	for (uint32_t i = 0; i < state->group_count; i++) {
		const struct vkr_group *group = &state->groups[i];
		if (!(group->stages & y->stage) && clock_holds(group->before, from, x->stage))
			return VKR_SHORT_DESTINATION_STAGE;
		for (uint64_t left = group->stages & y->stage ? VKR_PROGRAM_STAGES : 0; left != 0;
		     left &= left - 1)
			if (clock_holds(group->before, from, left & -left))
				return VKR_SHORT_SOURCE_STAGE;
	}
	return 0;
}

// The stages of the timeline, among those that a program can name, that come after x.
static uint64_t stages_after(const struct vkr_timeline *on, const struct vkr_command *from,
			     const struct vkr_side *x)
{
	uint64_t stages = 0;
	for (uint32_t at = 0; on->state != NULL && at < on->state->group_count; at++) {
		const struct vkr_group *group = &on->state->groups[at];
		if (clock_holds(group->before, from, x->stage))
			stages |= group->stages & VKR_PROGRAM_STAGES;
	}
	return stages;
}

// What orders commands of different timelines is a semaphore. Where stages wait for it that the
// dependency of a layout transition lacks, that dependency is the nearest.
static void explain_unacquired(const struct vkr_queues *queues, const struct vkr_command *from,
			       const struct vkr_side *x, const struct vkr_command *to,
			       const struct vkr_side *y, struct vkr_engine_race *race)
{
	race->shortfall |= VKR_SHORT_NO_TOKEN | wrong_stages(from, x, to, y);
	if (!to->transition)
		return;
	race->waiting_stages = stages_after(&queues->timelines.items[to->timeline - 1], from, x);
	if (race->waiting_stages == 0)
		return;
	race->shortfall |= VKR_SHORT_SOURCE_STAGE;
	race->has_nearest = true;
	race->nearest = to->tag;
}

void vkr_queues_explain(const struct vkr_queues *queues, const struct vkr_side *x,
			const struct vkr_side *y, uint32_t memory, uint64_t offset,
			struct vkr_engine_race *race)
{
	const struct vkr_command *from = &queues->commands.items[x->command - 1];
	const struct vkr_command *to = &queues->commands.items[y->command - 1];
	const struct vkr_timeline *on = &queues->timelines.items[from->timeline - 1];
	const struct vkr_past_dependency *elsewhere = NULL;
	const uint32_t verdict = race->shortfall;
	int best_bits = INT_MAX;

	if (from->timeline != to->timeline) {
		if (race->race_class == VKR_RACE_UNORDERED || race->race_class == VKR_RACE_FREE)
			explain_unacquired(queues, from, x, to, y, race);
		else if (race->race_class == VKR_RACE_INVISIBLE && y->stage & VKR_PROGRAM_STAGES)
			race->shortfall |= VKR_SHORT_DESTINATION_STAGE;
		return;
	}
	for (size_t i = on->past.count; i > 0; i--) {
		const struct vkr_past_dependency *past = &on->past.items[i - 1];
		uint32_t bits;
		const struct pair pair = {x, y,
					  from->transition && past->transition == from->position,
					  to->transition && past->transition == to->position};
		if (past->position >= to->position && !pair.to_own)
			continue;
		if (past->position < from->position)
			break;
		const bool outside = is_elsewhere(past, from, to, &pair);
		if (outside && past->section == 0 && past->first_begin == 0)
			continue; // the event was set before
		if ((to->transition && !pair.to_own) ||
		    (from->transition && !pair.from_own && !(past->source_stages & x->stage)))
			continue; // no stage that a program could name
		bits = queue_past_lacks(on, past, &pair, memory, offset);
		if (outside && bits == 0)
			elsewhere = past;
		if (outside || __builtin_popcount(bits) >= best_bits)
			continue;
		best_bits = __builtin_popcount(bits);
		race->shortfall = verdict | bits;
		race->has_nearest = true;
		race->nearest = past->tag;
	}
	if (race->has_nearest)
		return;
	race->shortfall |= elsewhere ? VKR_SHORT_OTHER_SECTION : VKR_SHORT_NO_DEPENDENCY;
	if (!elsewhere && race->race_class == VKR_RACE_UNORDERED)
		race->shortfall |= wrong_stages(from, x, to, y);
	race->has_nearest = elsewhere;
	race->nearest = elsewhere ? elsewhere->tag : 0;
}
