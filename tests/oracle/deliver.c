// SPDX-License-Identifier: Apache-2.0
// Random linear extensions of what orders the events of an execution, whether it synchronizes or
// not: a superset of happens-before that needs no rule of the memory model.
#include "deliver.h"

#include "relation.h"

static bool same_bytes(const struct vkr_oracle_sample *sample, const struct vkr_litmus_event *a,
		       const struct vkr_litmus_event *b)
{
	return sample->references[a->reference].location ==
		       sample->references[b->reference].location &&
	       a->offset == b->offset && a->size == b->size;
}

// Arrivals at one control barrier: what comes before one of them comes before the other, and what
// comes behind one comes behind the other.
static void order_arrivals(const struct vkr_oracle_sample *sample, uint32_t c, uint32_t d,
			   struct vkr_relation *before)
{
	for (uint32_t i = 0; i < sample->execution.event_count; i++) {
		if (sample->events[i].agent == sample->events[c].agent && i < c)
			vkr_relation_add(before, i, d);
		if (sample->events[i].agent == sample->events[d].agent && i > d)
			vkr_relation_add(before, c, i);
	}
}

static bool same_location(const struct vkr_oracle_sample *sample, const struct vkr_litmus_event *a,
			  const struct vkr_litmus_event *b)
{
	return a->reference != VKR_LITMUS_NONE && b->reference != VKR_LITMUS_NONE &&
	       sample->references[a->reference].location ==
		       sample->references[b->reference].location;
}

static bool are_ordered(const struct vkr_oracle_sample *sample, bool coherent, uint32_t a,
			uint32_t b)
{
	const struct vkr_litmus_event *x = &sample->events[a], *y = &sample->events[b];
	// The coherent order is one of a whole location: a load of many bytes comes after stores to
	// different ones of them.
	if (coherent && same_location(sample, x, y))
		return true;
	if (x->agent == y->agent || (vkr_sample_reads(y) && y->from == a))
		return true;
	if (x->atomic && y->atomic && vkr_sample_writes(x) && vkr_sample_writes(y) &&
	    same_bytes(sample, x, y))
		return true;
	for (size_t i = 0; i < sample->execution.agent_edge_count; i++) {
		if (sample->agent_edges[i].first == x->agent &&
		    sample->agent_edges[i].second == y->agent)
			return true;
	}
	return false;
}

void vkr_deliver_order(const struct vkr_oracle_sample *sample, bool coherent,
		       struct vkr_random *random, uint32_t order[VKR_SAMPLE_EVENTS])
{
	uint32_t count = (uint32_t)sample->execution.event_count;
	struct vkr_relation before;
	vkr_relation_clear(&before, count);
	for (size_t i = 0; i < sample->execution.event_edge_count; i++)
		vkr_relation_add(&before, sample->event_edges[i].first,
				 sample->event_edges[i].second);
	for (uint32_t a = 0; a < count; a++) {
		for (uint32_t b = 0; b < count; b++) {
			const struct vkr_litmus_event *x = &sample->events[a],
						      *y = &sample->events[b];
			if (a < b && are_ordered(sample, coherent, a, b))
				vkr_relation_add(&before, a, b);
			if (x->operation == VKR_LITMUS_BARRIER && x->agent != y->agent &&
			    y->operation == VKR_LITMUS_BARRIER && x->instance == y->instance)
				order_arrivals(sample, a, b, &before);
		}
	}
	uint64_t left = count == VKR_RELATION_MAX ? UINT64_MAX : vkr_set_of(count) - 1;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t ready = left;
		uint32_t ready_count = 0;
		for (uint32_t a = 0; a < count; a++) {
			if (vkr_set_has(left, a))
				ready &= ~before.row[a];
		}
		for (uint64_t set = ready; set; set &= set - 1)
			ready_count++;
		uint64_t set = ready;
		for (uint32_t skip = vkr_random_below(random, ready_count); skip > 0; skip--)
			set &= set - 1;
		order[i] = vkr_set_first(set);
		left &= ~vkr_set_of(order[i]);
	}
}
