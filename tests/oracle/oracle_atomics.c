// SPDX-License-Identifier: Apache-2.0
// The oracle's sections "Atomic Operation", "Scoped Modification Order" and "Release Sequence".
// Knows nothing of barriers and happens-before.
#include "evaluation.h"

// Atomic Operation: potentially-mutually-ordered, and the implementation supports concurrent
// host- and device-atomics.
static bool mutually_ordered(const struct vkr_evaluation *evaluation, uint32_t a, uint32_t b)
{
	const struct vkr_litmus_event *x = vkr_event(evaluation, a);
	const struct vkr_litmus_event *y = vkr_event(evaluation, b);
	if (a == b || !x->atomic || !y->atomic)
		return false;
	bool same_locations =
		vkr_event_location(evaluation, x) == vkr_event_location(evaluation, y) &&
		x->offset == y->offset && x->size == y->size;
	return vkr_demand(evaluation, VKR_CLAUSE_MUTUAL_LOCATIONS, same_locations) &&
	       vkr_demand(evaluation, VKR_CLAUSE_MUTUAL_REFERENCE, x->reference == y->reference) &&
	       vkr_demand(evaluation, VKR_CLAUSE_MUTUAL_SCOPE,
			  vkr_evaluate_scopes_meet(evaluation, a, b));
}

// The atomic writes in the order of the file, where after= has moved a write directly behind the
// one it names.
static uint32_t list_writes(const struct vkr_evaluation *evaluation,
			    uint32_t list[VKR_RELATION_MAX])
{
	uint32_t length = 0;
	for (uint32_t i = 0; i < evaluation->count; i++) {
		if (vkr_event(evaluation, i)->atomic && vkr_event_writes(vkr_event(evaluation, i)))
			list[length++] = i;
	}
	for (uint32_t event = 0; event < evaluation->count; event++) {
		uint32_t after = vkr_event(evaluation, event)->after;
		uint32_t from = length, to = length;
		for (uint32_t i = 0; i < length; i++) {
			from = list[i] == event ? i : from;
			to = list[i] == after ? i : to;
		}
		if (from == length || to == length || from == to)
			continue;
		for (; from > to + 1; from--)
			list[from] = list[from - 1];
		for (; from < to; from++)
			list[from] = list[from + 1];
		list[from] = event;
	}
	return length;
}

// Scoped Modification Order, before the restriction to what is mutually-ordered with A: the order
// of atomic writes to the same bytes.
static void order_writes(struct vkr_evaluation *evaluation, const uint32_t *list, uint32_t length)
{
	vkr_relation_clear(&evaluation->modification, evaluation->count);
	for (uint32_t i = 0; i < length; i++) {
		const struct vkr_litmus_event *x = vkr_event(evaluation, list[i]);
		for (uint32_t j = i + 1; j < length; j++) {
			const struct vkr_litmus_event *y = vkr_event(evaluation, list[j]);
			if (vkr_event_location(evaluation, x) ==
				    vkr_event_location(evaluation, y) &&
			    x->offset == y->offset && x->size == y->size)
				vkr_relation_add(&evaluation->modification, list[i], list[j]);
		}
	}
}

// Release Sequence: A, then the read-modify-writes that directly follow in A's scoped modification
// order. Computed for every atomic write, since a relaxed one may head a hypothetical release
// sequence; its users ask whether A releases.
static uint64_t release_sequence(const struct vkr_evaluation *evaluation, uint32_t head,
				 const uint32_t *list, uint32_t length)
{
	uint64_t sequence = vkr_set_of(head);
	bool reached = vkr_evaluation_left_out(evaluation, VKR_CLAUSE_SEQUENCE_AFTER);
	for (uint32_t i = 0; i < length; i++) {
		uint32_t write = list[i];
		if (write == head)
			reached = true;
		if (!reached || !vkr_relation_has(&evaluation->mutual, head, write))
			continue;
		bool rmw = vkr_event(evaluation, write)->operation == VKR_LITMUS_RMW;
		if (vkr_grant(evaluation, VKR_CLAUSE_SEQUENCE_RMW, rmw))
			sequence |= vkr_set_of(write);
		else if (!vkr_evaluation_left_out(evaluation, VKR_CLAUSE_SEQUENCE_CONTINUOUS))
			break;
	}
	return sequence;
}

void vkr_evaluate_atomics(struct vkr_evaluation *evaluation)
{
	uint32_t list[VKR_RELATION_MAX];
	vkr_relation_clear(&evaluation->mutual, evaluation->count);
	for (uint32_t a = 0; a < evaluation->count; a++) {
		for (uint32_t b = 0; b < evaluation->count; b++) {
			if (mutually_ordered(evaluation, a, b))
				vkr_relation_add(&evaluation->mutual, a, b);
		}
	}
	uint32_t length = list_writes(evaluation, list);
	order_writes(evaluation, list, length);
	vkr_relation_clear(&evaluation->sequence, evaluation->count);
	for (uint32_t i = 0; i < length; i++)
		evaluation->sequence.row[list[i]] =
			release_sequence(evaluation, list[i], list, length);
}
