// SPDX-License-Identifier: Apache-2.0
// The latest layout transition of each byte on a timeline, and since which position all earlier
// ones are ordered before it. Knows nothing of images or of other accesses.
//
// Transitions of one queue are ordered, which must not order anything else ("Image Layout
// Transitions"): what comes after one transition comes after the transitions before that one, but
// after nothing else. Most come after all earlier ones: then one span from the beginning represents
// all of them.
#include "queue.h"

#include "array.h"
#include "error.h"
#include "search.h"

#include <stdlib.h>
#include <string.h>

static int compare_place(const struct vkr_transitioned *a, uint32_t memory, uint64_t low)
{
	if (a->memory != memory)
		return a->memory < memory ? -1 : 1;
	return a->high <= low ? -1 : 1;
}

// The first that ends after an offset of a memory.
static size_t find_place(const struct vkr_timeline *on, uint32_t memory, uint64_t low)
{
	size_t first = 0;
	VKR_SEARCH(first, on->transitions.count, at,
		   compare_place(&on->transitions.items[at], memory, low) < 0);
	return first;
}

// A transition under way, and the places of it that there are so far.
struct making {
	const struct vkr_timeline *on;
	uint32_t timeline, memory;
	uint64_t position;
	const struct vkr_queue_clock *before;
	struct {
		struct vkr_transitioned *items;
		size_t count, capacity;
	} made;
};

static bool add_place(struct making *making, uint64_t low, uint64_t high, uint64_t behind)
{
	struct vkr_transitioned *last =
		making->made.count > 0 ? &making->made.items[making->made.count - 1] : NULL;
	if (low >= high)
		return true;
	if (last != NULL && last->high == low && last->behind == behind) {
		last->high = high;
		return true;
	}
	if (!VKR_ARRAY_RESERVE(&making->made, 1))
		return false;
	making->made.items[making->made.count++] =
		(struct vkr_transitioned){making->memory, low, high, making->position, behind};
	return true;
}

// Where an earlier transition was: what is known to it is known to this one, if that one is.
static bool add_known(struct making *making, const struct vkr_transitioned *earlier, uint64_t low,
		      uint64_t high)
{
	bool added = true;
	while (low < high && added) {
		struct vkr_verdict_range place = {
			.memory = making->memory, .offset = low, .high = UINT64_MAX};
		const bool known =
			earlier->position == making->position ||
			vkr_queue_clock_has(
				making->before,
				&(struct vkr_queue_point){making->timeline, earlier->position,
							  VKR_ENGINE_TRANSITION, VKR_EVERY_BIT},
				VKR_EVERY_BIT, &place);
		const uint64_t end = place.high < high ? place.high : high;
		added = add_place(making, low, end, known ? earlier->behind : earlier->position);
		low = end;
	}
	return added;
}

static bool make_places(struct making *making, uint64_t low, uint64_t high)
{
	bool added = true;
	for (size_t at = find_place(making->on, making->memory, low); low < high && added; at++) {
		const struct vkr_transitioned *earlier =
			at < making->on->transitions.count ? &making->on->transitions.items[at]
							   : NULL;
		if (earlier == NULL || earlier->memory != making->memory || earlier->low >= high)
			return add_place(making, low, high, 0);
		const uint64_t end = earlier->high < high ? earlier->high : high;
		if (earlier->low > low) {
			added = add_place(making, low, earlier->low, 0);
			low = earlier->low;
		}
		added = added && add_known(making, earlier, low, end);
		low = end;
	}
	return added;
}

// Puts what was made in the place of all that lies in [low, high).
static bool replace_transitions(struct vkr_timeline *on, const struct making *making, uint64_t low,
				uint64_t high)
{
	const size_t first = find_place(on, making->memory, low);
	struct vkr_transitioned left = {0}, right = {0};
	size_t end = first;
	while (end < on->transitions.count && on->transitions.items[end].memory == making->memory &&
	       on->transitions.items[end].low < high)
		end++;
	if (end > first && on->transitions.items[first].low < low) {
		left = on->transitions.items[first];
		left.high = low;
	}
	if (end > first && on->transitions.items[end - 1].high > high) {
		right = on->transitions.items[end - 1];
		right.low = high;
	}
	const size_t count = making->made.count + (left.memory != 0) + (right.memory != 0);
	if (!VKR_ARRAY_RESERVE(&on->transitions, count))
		return false;
	struct vkr_transitioned *to = on->transitions.items + first;
	memmove(to + count, on->transitions.items + end,
		(on->transitions.count - end) * sizeof *to);
	on->transitions.count += count - (end - first);
	if (left.memory != 0)
		*to++ = left;
	for (size_t at = 0; at < making->made.count; at++)
		*to++ = making->made.items[at];
	if (right.memory != 0)
		*to = right;
	return true;
}

static enum vkr_result learn_places(const struct making *making, struct vkr_queue_clock **set,
				    struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < making->made.count && result == VKR_OK; at++) {
		const struct vkr_transitioned *made = &making->made.items[at];
		const struct vkr_queue_span span = {.timeline = making->timeline,
						    .memory = made->memory,
						    .behind = made->behind,
						    .position = made->position,
						    .stages = VKR_ENGINE_TRANSITION,
						    .accesses = VKR_EVERY_BIT,
						    .readers = VKR_EVERY_BIT,
						    .low = made->low,
						    .high = made->high};
		result = vkr_queue_clock_put(set, &span, error);
	}
	return result;
}

enum vkr_result vkr_queues_transitioned(struct vkr_queues *queues, uint32_t timeline,
					const struct vkr_engine_transition *transition,
					uint64_t position, struct vkr_token *found,
					struct vkr_error *error)
{
	struct vkr_timeline *on = vkr_queues_on(queues, timeline);
	struct vkr_queue_clock *before = vkr_queue_clock_hold(found->before);
	struct making making = {
		.on = on, .timeline = timeline, .position = position, .before = before};
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < transition->range_count && result == VKR_OK; at++) {
		const struct vkr_engine_range *range = &transition->ranges[at];
		const uint64_t high = range->offset + range->bytes;
		making.memory = range->memory;
		making.made.count = 0;
		if (!make_places(&making, range->offset, high) ||
		    !replace_transitions(on, &making, range->offset, high))
			result = vkr_error_memory(error, "a layout transition");
		if (result == VKR_OK)
			result = learn_places(&making, &found->before, error);
		if (result == VKR_OK)
			result = learn_places(&making, &found->available, error);
	}
	vkr_queue_clock_drop(before);
	free(making.made.items);
	return result;
}
