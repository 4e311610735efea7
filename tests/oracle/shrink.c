// SPDX-License-Identifier: Apache-2.0
// Shrinks an execution greedily: events, edges, agents and references go, then attributes become
// plainer. Knows the litmus format, and nothing of what is being kept.
#include "shrink.h"

struct shrinker {
	struct vkr_oracle_sample *sample;
	bool (*keeps)(const struct vkr_oracle_sample *sample, void *context);
	void *context;
};

// Accepts the candidate where it keeps what it has to.
static bool try_candidate(struct shrinker *shrinker, struct vkr_oracle_sample *candidate)
{
	if (!shrinker->keeps(candidate, shrinker->context))
		return false;
	vkr_sample_copy(shrinker->sample, candidate);
	return true;
}

static bool remove_events(struct shrinker *shrinker)
{
	bool changed = false;
	for (size_t i = shrinker->sample->execution.event_count; i-- > 0;) {
		struct vkr_oracle_sample candidate;
		vkr_sample_copy(&candidate, shrinker->sample);
		vkr_sample_remove_event(&candidate, (uint32_t)i);
		changed = try_candidate(shrinker, &candidate) || changed;
	}
	return changed;
}

static bool remove_edges(struct shrinker *shrinker)
{
	bool changed = false;
	for (size_t i = shrinker->sample->execution.event_edge_count; i-- > 0;) {
		struct vkr_oracle_sample candidate;
		vkr_sample_copy(&candidate, shrinker->sample);
		vkr_sample_remove_edge(&candidate, i);
		changed = try_candidate(shrinker, &candidate) || changed;
	}
	for (size_t i = shrinker->sample->execution.agent_edge_count; i-- > 0;) {
		struct vkr_oracle_sample candidate;
		vkr_sample_copy(&candidate, shrinker->sample);
		vkr_sample_remove_agent_edge(&candidate, i);
		changed = try_candidate(shrinker, &candidate) || changed;
	}
	return changed;
}

static bool agent_is_used(const struct vkr_oracle_sample *sample, size_t agent)
{
	for (size_t i = 0; i < sample->execution.event_count; i++) {
		if (sample->events[i].agent == agent)
			return true;
	}
	return false;
}

// By an access, or as the only range of a flush or invalidation.
static bool reference_is_used(const struct vkr_oracle_sample *sample, size_t reference)
{
	for (size_t i = 0; i < sample->execution.event_count; i++) {
		const struct vkr_litmus_event *event = &sample->events[i];
		if (event->reference == reference ||
		    (event->reference_count == 1 && event->references[0] == reference))
			return true;
	}
	return false;
}

static bool remove_names(struct shrinker *shrinker)
{
	struct vkr_oracle_sample *sample = shrinker->sample;
	bool changed = false;
	for (size_t i = sample->execution.agent_count; i-- > 0;) {
		struct vkr_oracle_sample candidate;
		if (agent_is_used(sample, i))
			continue;
		vkr_sample_copy(&candidate, sample);
		vkr_sample_remove_agent(&candidate, (uint32_t)i);
		changed = try_candidate(shrinker, &candidate) || changed;
	}
	for (size_t i = sample->execution.reference_count;
	     i-- > sample->execution.location_count;) {
		struct vkr_oracle_sample candidate;
		if (reference_is_used(sample, i))
			continue;
		vkr_sample_copy(&candidate, sample);
		vkr_sample_remove_reference(&candidate, (uint32_t)i);
		changed = try_candidate(shrinker, &candidate) || changed;
	}
	return changed;
}

// One plainer thing about an event; the number of them.
enum { PLAINER = 16 };

static void make_plainer(struct vkr_oracle_sample *sample, struct vkr_litmus_event *event,
			 unsigned what)
{
	switch (what) {
	case 0:
		if (!event->fence && event->operation != VKR_LITMUS_RMW)
			event->atomic = false;
		break;
	case 1:
		event->order &= VKR_LITMUS_RELEASE;
		break;
	case 2:
		event->order &= VKR_LITMUS_ACQUIRE;
		break;
	case 3:
		event->make_available = false;
		break;
	case 4:
		event->make_visible = false;
		break;
	case 5:
		event->available = event->atomic ? event->scope : VKR_LITMUS_SCOPE_NONE;
		break;
	case 6:
		event->visible = event->atomic ? event->scope : VKR_LITMUS_SCOPE_NONE;
		break;
	case 7:
		event->nonprivate = false;
		break;
	case 8:
		event->from = VKR_LITMUS_NONE;
		break;
	case 9:
		event->after = VKR_LITMUS_NONE;
		break;
	case 10:
		event->size = event->size > 1 ? 1 : event->size;
		break;
	case 11:
		event->reference = event->reference == VKR_LITMUS_NONE
					   ? VKR_LITMUS_NONE
					   : sample->references[event->reference].location;
		break;
	case 12:
		if (event->operation == VKR_LITMUS_RMW)
			event->operation = VKR_LITMUS_STORE;
		break;
	case 13:
		event->fence = false;
		break;
	case 14:
		event->storage_class = VKR_LITMUS_UNIFORM;
		break;
	case 15:
		event->reference_count -= event->reference_count > 1;
		break;
	}
	vkr_sample_normalize(sample, event);
}

static bool same_event(const struct vkr_litmus_event *a, const struct vkr_litmus_event *b)
{
	return a->operation == b->operation && a->reference == b->reference && a->size == b->size &&
	       a->atomic == b->atomic && a->nonprivate == b->nonprivate &&
	       a->storage_class == b->storage_class && a->scope == b->scope &&
	       a->order == b->order && a->fence == b->fence && a->semantics == b->semantics &&
	       a->make_available == b->make_available && a->make_visible == b->make_visible &&
	       a->available == b->available && a->visible == b->visible && a->from == b->from &&
	       a->after == b->after && a->reference_count == b->reference_count;
}

static bool simplify_events(struct shrinker *shrinker)
{
	bool changed = false;
	for (size_t i = 0; i < shrinker->sample->execution.event_count; i++) {
		for (unsigned what = 0; what < PLAINER + 4; what++) {
			struct vkr_oracle_sample candidate;
			vkr_sample_copy(&candidate, shrinker->sample);
			if (what < PLAINER) {
				make_plainer(&candidate, &candidate.events[i], what);
			} else {
				candidate.events[i].semantics &= ~(1u << (what - PLAINER));
			}
			if (same_event(&candidate.events[i], &shrinker->sample->events[i]))
				continue;
			changed = try_candidate(shrinker, &candidate) || changed;
		}
	}
	return changed;
}

static bool turn_chains_on(struct shrinker *shrinker)
{
	struct vkr_oracle_sample candidate;
	if (shrinker->sample->execution.chains)
		return false;
	vkr_sample_copy(&candidate, shrinker->sample);
	candidate.execution.chains = true;
	return try_candidate(shrinker, &candidate);
}

void vkr_shrink(struct vkr_oracle_sample *sample,
		bool (*keeps)(const struct vkr_oracle_sample *sample, void *context), void *context)
{
	struct shrinker shrinker = {.sample = sample, .keeps = keeps, .context = context};
	for (bool changed = true; changed;) {
		changed = remove_events(&shrinker);
		changed = remove_edges(&shrinker) || changed;
		changed = remove_names(&shrinker) || changed;
		changed = turn_chains_on(&shrinker) || changed;
		changed = simplify_events(&shrinker) || changed;
	}
}
