// SPDX-License-Identifier: Apache-2.0
// Breaks one thing at a time, so that many executions are one step from another verdict. Knows the
// litmus format; leaves every verdict to others.
#include "generate_break.h"

#include "oracle.h"

static enum vkr_litmus_scope any_scope(struct vkr_random *random)
{
	return (enum vkr_litmus_scope)vkr_random_below(random, VKR_LITMUS_CROSS_DEVICE + 1);
}

// Another reference to the same bytes; the event's own where there is none.
static uint32_t other_reference(const struct vkr_oracle_sample *sample, struct vkr_random *random,
				const struct vkr_litmus_event *event)
{
	const struct vkr_litmus *execution = &sample->execution;
	uint32_t picked = vkr_random_below(random, (uint32_t)execution->reference_count);
	const struct vkr_litmus_reference *reference = &execution->references[picked];
	bool holds = reference->location == execution->references[event->reference].location &&
		     reference->offset <= event->offset &&
		     event->offset + event->size <= reference->offset + reference->size;
	return holds ? picked : event->reference;
}

static void break_access(struct vkr_oracle_sample *sample, struct vkr_random *random,
			 struct vkr_litmus_event *event)
{
	switch (vkr_random_below(random, 8)) {
	case 0:
		event->nonprivate = !event->nonprivate;
		break;
	case 1:
		event->available = any_scope(random);
		event->visible = any_scope(random);
		break;
	case 2:
		event->available = event->visible = VKR_LITMUS_SCOPE_NONE;
		break;
	case 3:
		event->reference = other_reference(sample, random, event);
		break;
	case 4:
		event->storage_class = 1u << vkr_random_below(random, 4);
		break;
	case 5:
		event->from = VKR_LITMUS_NONE;
		break;
	case 6:
		event->size = 1 + vkr_random_below(random, event->size);
		break;
	case 7:
		event->operation = vkr_sample_reads(event) ? VKR_LITMUS_STORE : VKR_LITMUS_LOAD;
		break;
	}
}

static void break_synchronization(struct vkr_random *random, struct vkr_litmus_event *event)
{
	switch (vkr_random_below(random, 6)) {
	case 0:
		event->scope = any_scope(random);
		event->available = event->visible = VKR_LITMUS_SCOPE_NONE;
		break;
	case 1:
		event->order = (enum vkr_litmus_order)vkr_random_below(random, 4);
		break;
	case 2:
		event->semantics ^= 1u << vkr_random_below(random, 4);
		break;
	case 3:
		event->semantics &= ~(event->semantics & (0u - event->semantics));
		break;
	case 4:
		event->make_available = !event->make_available;
		break;
	case 5:
		event->make_visible = !event->make_visible;
		break;
	}
}

// All arrivals at a control barrier have its execution scope.
static void break_barrier(struct vkr_oracle_sample *sample, struct vkr_random *random,
			  uint32_t instance)
{
	enum vkr_litmus_scope scope = any_scope(random);
	if (scope == VKR_LITMUS_SCOPE_NONE)
		return;
	for (uint32_t i = 0; i < sample->execution.event_count; i++) {
		if (sample->events[i].operation == VKR_LITMUS_BARRIER &&
		    sample->events[i].instance == instance)
			sample->events[i].execution = scope;
	}
}

void vkr_generate_break(struct vkr_oracle_sample *sample, struct vkr_random *random)
{
	struct vkr_litmus *execution = &sample->execution;
	if (execution->event_count == 0)
		return;
	uint32_t index = vkr_random_below(random, (uint32_t)execution->event_count);
	struct vkr_litmus_event *event = &sample->events[index];
	if (vkr_random_percent(random, 15)) {
		vkr_sample_remove_event(sample, index);
		return;
	}
	if (execution->event_edge_count > 0 && vkr_random_percent(random, 25)) {
		vkr_sample_remove_edge(
			sample, vkr_random_below(random, (uint32_t)execution->event_edge_count));
		return;
	}
	if (vkr_random_percent(random, 3))
		execution->chains = !execution->chains;
	bool access = vkr_sample_reads(event) || vkr_sample_writes(event);
	if (access && (!event->atomic || vkr_random_percent(random, 30)))
		break_access(sample, random, event);
	else if (event->operation == VKR_LITMUS_BARRIER && vkr_random_percent(random, 25))
		break_barrier(sample, random, event->instance);
	else
		break_synchronization(random, event);
	vkr_sample_normalize(sample, event);
}

static bool overlap(const struct vkr_oracle_sample *sample, const struct vkr_litmus_event *a,
		    const struct vkr_litmus_event *b)
{
	return sample->references[a->reference].location ==
		       sample->references[b->reference].location &&
	       a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

static void read_latest(struct vkr_oracle_sample *sample, uint32_t read)
{
	struct vkr_litmus_event *event = &sample->events[read];
	event->from = event->after = VKR_LITMUS_NONE;
	for (uint32_t i = 0; i < read; i++) {
		if (vkr_sample_writes(&sample->events[i]) &&
		    overlap(sample, &sample->events[i], event))
			event->from = i;
	}
}

// after= names an atomic write to the same bytes.
static bool after_is_sound(const struct vkr_oracle_sample *sample,
			   const struct vkr_litmus_event *event)
{
	const struct vkr_litmus_event *other = &sample->events[event->after];
	return event->atomic && vkr_sample_writes(event) && other->atomic &&
	       vkr_sample_writes(other) && overlap(sample, event, other) &&
	       event->offset == other->offset && event->size == other->size;
}

void vkr_generate_order(struct vkr_oracle_sample *sample)
{
	for (uint32_t i = 0; i < sample->execution.event_count; i++) {
		struct vkr_litmus_event *event = &sample->events[i];
		if (event->after != VKR_LITMUS_NONE && !after_is_sound(sample, event))
			event->after = VKR_LITMUS_NONE;
		if (event->from == VKR_LITMUS_NONE)
			continue;
		const struct vkr_litmus_event *write = &sample->events[event->from];
		if (!vkr_sample_reads(event) || event->from >= i || !vkr_sample_writes(write) ||
		    !overlap(sample, write, event))
			event->from = VKR_LITMUS_NONE;
	}
}

void vkr_generate_settle(struct vkr_oracle_sample *sample)
{
	vkr_generate_order(sample);
	if (vkr_oracle_is_consistent(&sample->execution))
		return;
	for (uint32_t i = 0; i < sample->execution.event_count; i++) {
		sample->events[i].after = VKR_LITMUS_NONE;
		if (vkr_sample_reads(&sample->events[i]))
			read_latest(sample, i);
	}
}
