// SPDX-License-Identifier: Apache-2.0
// Sections of a timeline: what is known becomes at their end what it was before, but for chains;
// and where scopes take in what stands in a section, and not what is before it. Knows nothing of
// accesses that were really made.
#include "queue.h"

#include "array.h"
#include "error.h"

#include <assert.h>
#include <string.h>

enum vkr_result vkr_queues_section_begin(struct vkr_queues *queues, uint32_t timeline,
					 uint64_t stages, struct vkr_error *error)
{
	struct vkr_timeline *on = vkr_queues_on(queues, timeline);
	struct vkr_sections *sections = &on->sections;
	assert(!sections->base);
	const enum vkr_result result = vkr_state_begin(on->state, 0, &sections->base, error);
	if (result != VKR_OK)
		return result;
	sections->count++;
	sections->begin = on->position;
	sections->stages = stages;
	on->changes++;
	return VKR_OK;
}

void vkr_queues_section_end(struct vkr_queues *queues, uint32_t timeline)
{
	struct vkr_timeline *on = vkr_queues_on(queues, timeline);
	struct vkr_sections *sections = &on->sections;
	struct vkr_state *base = sections->base;
	if (!base)
		return;
	// What was known only in the section is forgotten, but chains.
	vkr_state_drop(base->chained);
	base->chained = vkr_state_hold(on->state->chained ? on->state->chained : on->state);
	sections->base = NULL;
	sections->last_end = on->position;
	vkr_timeline_commit(on, base);
	for (size_t i = on->past.count; i > 0 && on->past.items[i - 1].position >= sections->begin;
	     i--)
		if (on->past.items[i - 1].section == sections->count)
			on->past.items[i - 1].second_end = on->position;
}

void vkr_queues_sections_over(struct vkr_queues *queues, uint32_t timeline)
{
	struct vkr_sections *sections = &vkr_queues_on(queues, timeline)->sections;
	assert(!sections->base);
	sections->over = sections->count;
}

// ---- Cuts ---------------------------------------------------------------------------------------

static bool note_cut(struct vkr_timeline *on, const struct vkr_cut *cut)
{
	size_t at = on->cuts.count;
	while (at > 0 && on->cuts.items[at - 1].behind > cut->behind)
		at--;
	if (at > 0 && on->cuts.items[at - 1].behind == cut->behind) {
		struct vkr_cut *known = &on->cuts.items[at - 1];
		known->stages |= cut->stages;
		if (known->position < cut->position)
			known->position = cut->position;
		return true;
	}
	if (!VKR_ARRAY_RESERVE(&on->cuts, 1))
		return false;
	memmove(&on->cuts.items[at + 1], &on->cuts.items[at],
		(on->cuts.count++ - at) * sizeof *on->cuts.items);
	on->cuts.items[at] = *cut;
	return true;
}

static bool note_spans(struct vkr_timeline *on, uint32_t timeline,
		       const struct vkr_queue_span *spans, uint32_t count)
{
	bool noted = true;
	for (uint32_t i = 0; i < count && noted; i++)
		if (spans[i].timeline == timeline && spans[i].behind != 0)
			noted = note_cut(on, &(struct vkr_cut){spans[i].behind, spans[i].position,
							       spans[i].stages});
	return noted;
}

static bool note_set(struct vkr_timeline *on, uint32_t timeline, const struct vkr_queue_clock *set)
{
	bool noted = set == NULL || note_spans(on, timeline, set->span, set->count);
	for (size_t at = 0; set != NULL && at < set->chunks.count && noted; at++) {
		const struct vkr_span_chunk *chunk = set->chunks.items[at];
		if (chunk->behind != 0)
			noted = note_spans(on, timeline, chunk->spans, chunk->count);
	}
	return noted;
}

static bool note_state(struct vkr_timeline *on, uint32_t timeline, const struct vkr_state *state)
{
	bool noted = true;
	for (uint32_t i = 0; i < state->group_count && noted; i++)
		noted = note_set(on, timeline, state->groups[i].before) &&
			note_set(on, timeline, state->groups[i].available);
	for (unsigned kind = 0; kind < VKR_ENGINE_LOCALS && noted; kind++)
		if (state->apart[kind])
			noted = note_state(on, timeline, state->apart[kind]);
	return noted;
}

enum vkr_result vkr_queues_note_cuts(struct vkr_queues *queues, uint32_t timeline,
				     const struct vkr_state *state, struct vkr_error *error)
{
	struct vkr_timeline *on = vkr_queues_on(queues, timeline);
	const bool noted = note_state(on, timeline, state) &&
			   note_state(on, timeline, vkr_state_chained(state));
	return noted ? VKR_OK : vkr_error_memory(error, "order between commands");
}

bool vkr_queues_cut(const struct vkr_queues *queues, const struct vkr_command *earlier,
		    const struct vkr_command *later, uint64_t stage)
{
	const struct vkr_timeline *on = &queues->timelines.items[later->timeline - 1];
	if (later->section > on->sections.over && later->section != earlier->section)
		return true; // dependencies may yet come
	for (size_t at = on->cuts.count; at > 0; at--) {
		const struct vkr_cut *cut = &on->cuts.items[at - 1];
		if (cut->behind < earlier->position)
			return false;
		if (cut->behind < later->position && later->position <= cut->position &&
		    (cut->stages & stage))
			return true;
	}
	return false;
}
