// SPDX-License-Identifier: Apache-2.0
// A timeline's state: copying, cutting and merging groups of stages that know the same.
// Knows nothing of dependencies and tokens.
#include "queue.h"

#include "error.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void group_drop(struct vkr_group *group)
{
	vkr_queue_clock_drop(group->before);
	vkr_queue_clock_drop(group->available);
	vkr_queue_clock_drop(group->host);
	vkr_queue_clock_drop(group->visible);
	vkr_queue_clock_drop(group->learned.before);
	vkr_queue_clock_drop(group->learned.available);
	vkr_queue_clock_drop(group->learned.host);
}

// With what it sees, or without.
static struct vkr_group group_copy(const struct vkr_group *group, bool sees)
{
	vkr_queue_clock_hold(group->before);
	vkr_queue_clock_hold(group->available);
	vkr_queue_clock_hold(group->host);
	vkr_queue_clock_hold(group->learned.before);
	vkr_queue_clock_hold(group->learned.available);
	vkr_queue_clock_hold(group->learned.host);
	struct vkr_group copy = *group;
	copy.visible = sees ? vkr_queue_clock_hold(group->visible) : NULL;
	return copy;
}

struct vkr_state *vkr_state_create(void)
{
	struct vkr_state *state = calloc(1, sizeof *state);
	struct vkr_group *groups = calloc(1, sizeof *groups);
	if (!state || !groups) {
		free(state);
		free(groups);
		return NULL;
	}
	groups[0].stages = VKR_EVERY_BIT;
	state->references = 1;
	state->group_count = 1;
	state->groups = groups;
	return state;
}

struct vkr_state *vkr_state_hold(struct vkr_state *state)
{
	state->references++;
	return state;
}

void vkr_state_drop(struct vkr_state *state)
{
	if (!state || --state->references != 0)
		return;
	for (uint32_t i = 0; i < state->group_count; i++)
		group_drop(&state->groups[i]);
	for (unsigned kind = 0; kind < VKR_ENGINE_LOCALS; kind++)
		vkr_state_drop(state->apart[kind]);
	vkr_state_drop(state->chained);
	free(state->groups);
	free(state);
}

// Without those of other places.
static struct vkr_state *copy_groups(const struct vkr_state *state, bool sees)
{
	struct vkr_state *copy = calloc(1, sizeof *copy);
	if (!copy)
		return NULL;
	copy->references = 1;
	copy->groups = calloc(state->group_count, sizeof *copy->groups);
	if (!copy->groups) {
		free(copy);
		return NULL;
	}
	for (uint32_t i = 0; i < state->group_count; i++)
		copy->groups[i] = group_copy(&state->groups[i], sees);
	copy->group_count = state->group_count;
	return copy;
}

enum vkr_result vkr_state_split(struct vkr_state *state, uint64_t stages, struct vkr_error *error)
{
	uint32_t count = state->group_count;
	assert(count > 0);
	struct vkr_group *groups = realloc(state->groups, 2 * (size_t)count * sizeof *groups);
	if (!groups)
		return vkr_error_memory(error, "order between commands");
	state->groups = groups;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t inside = groups[i].stages & stages;
		if (inside == 0 || inside == groups[i].stages)
			continue;
		groups[state->group_count] = group_copy(&groups[i], true);
		groups[state->group_count++].stages = inside;
		groups[i].stages &= ~stages;
	}
	return VKR_OK;
}

static bool groups_equal(const struct vkr_group *a, const struct vkr_group *b)
{
	return vkr_queue_clock_equal(a->before, b->before) &&
	       vkr_queue_clock_equal(a->available, b->available) &&
	       vkr_queue_clock_equal(a->host, b->host) &&
	       vkr_queue_clock_equal(a->visible, b->visible);
}

bool vkr_state_equal(const struct vkr_state *a, const struct vkr_state *b)
{
	if (a->group_count != b->group_count)
		return false;
	for (uint32_t i = 0; i < a->group_count; i++) {
		uint32_t same = 0;
		while (same < b->group_count && a->groups[i].stages != b->groups[same].stages)
			same++;
		if (same == b->group_count || !groups_equal(&a->groups[i], &b->groups[same]))
			return false;
	}
	return true;
}

void vkr_state_merge(struct vkr_state *state)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < state->group_count; i++) {
		struct vkr_group *group = &state->groups[i];
		uint32_t same = 0;
		while (same < kept && !groups_equal(&state->groups[same], group))
			same++;
		if (same < kept) {
			state->groups[same].stages |= group->stages;
			group_drop(group);
		} else {
			state->groups[kept++] = *group;
		}
	}
	state->group_count = kept;
}

enum vkr_result vkr_queue_clock_merge(struct vkr_queue_clock **set, struct vkr_queue_clock *more,
				      struct vkr_error *error)
{
	const struct vkr_clock_part all = {.high = UINT64_MAX, .readers = VKR_EVERY_BIT};
	return vkr_queue_clock_merge_part(set, more, &all, error);
}

enum vkr_result vkr_queue_clock_merge_part(struct vkr_queue_clock **set,
					   struct vkr_queue_clock *more,
					   const struct vkr_clock_part *part,
					   struct vkr_error *error)
{
	struct vkr_queue_clock *joined;
	enum vkr_result result = vkr_queue_clock_join_part(*set, more, part, &joined, error);
	if (result != VKR_OK)
		return result;
	vkr_queue_clock_drop(*set);
	*set = joined;
	return VKR_OK;
}

static enum vkr_result join_group(struct vkr_group *group, const struct vkr_group *more,
				  struct vkr_error *error)
{
	const struct vkr_token found = {
		.before = more->before, .available = more->available, .host = more->host};
	const enum vkr_result result = vkr_group_learn(group, &found, error);
	return result == VKR_OK ? vkr_queue_clock_merge(&group->visible, more->visible, error)
				: result;
}

static enum vkr_result join_groups(struct vkr_state *state, const struct vkr_state *more,
				   struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t i = 0; i < more->group_count && result == VKR_OK; i++) {
		result = vkr_state_split(state, more->groups[i].stages, error);
		for (uint32_t g = 0; g < state->group_count && result == VKR_OK; g++)
			if (state->groups[g].stages & more->groups[i].stages)
				result = join_group(&state->groups[g], &more->groups[i], error);
	}
	return result;
}

enum vkr_result vkr_state_join(struct vkr_state *state, const struct vkr_state *more,
			       struct vkr_error *error)
{
	enum vkr_result result = join_groups(state, more, error);
	for (unsigned kind = 0; kind < VKR_ENGINE_LOCALS && result == VKR_OK; kind++)
		if (state->apart[kind])
			result = join_groups(state->apart[kind],
					     more->apart[kind] ? more->apart[kind] : more, error);
	return result;
}

// ---- A timeline's state -------------------------------------------------------------------------

// Copies the state with those for other places, if there are some, or if the kind is in `local`.
static struct vkr_state *copy_places(const struct vkr_state *state, unsigned local, bool sees)
{
	struct vkr_state *made = copy_groups(state, sees);
	bool copied = made != NULL;
	for (unsigned kind = 0; kind < VKR_ENGINE_LOCALS && copied; kind++) {
		if (!state->apart[kind] && !(local >> kind & 1))
			continue;
		made->apart[kind] =
			copy_groups(state->apart[kind] ? state->apart[kind] : state, sees);
		copied = made->apart[kind] != NULL;
	}
	if (copied)
		return made;
	vkr_state_drop(made);
	return NULL;
}

enum vkr_result vkr_state_begin(const struct vkr_state *state, unsigned local,
				struct vkr_state **copy, struct vkr_error *error)
{
	struct vkr_state *made = copy_places(state, local, true);
	if (made && state->chained)
		made->chained = copy_places(state->chained, local, false);
	if (!made || (state->chained && !made->chained)) {
		vkr_state_drop(made);
		return vkr_error_memory(error, "order between commands");
	}
	*copy = made;
	return VKR_OK;
}

// Merges groups, and forgets those of other places that know the same.
static void settle_state(struct vkr_state *state)
{
	vkr_state_merge(state);
	for (unsigned kind = 0; kind < VKR_ENGINE_LOCALS; kind++) {
		if (!state->apart[kind])
			continue;
		vkr_state_merge(state->apart[kind]);
		if (vkr_state_equal(state->apart[kind], state)) {
			vkr_state_drop(state->apart[kind]);
			state->apart[kind] = NULL;
		}
	}
}

// Whether the same chains from both.
static bool chain_alike(const struct vkr_state *a, const struct vkr_state *b)
{
	for (uint32_t i = 0; i < a->group_count; i++)
		for (uint32_t j = 0; j < b->group_count; j++) {
			const struct vkr_group *x = &a->groups[i], *y = &b->groups[j];
			if ((x->stages & y->stages) &&
			    !(vkr_queue_clock_equal(x->before, y->before) &&
			      vkr_queue_clock_equal(x->available, y->available) &&
			      vkr_queue_clock_equal(x->host, y->host)))
				return false;
		}
	return true;
}

// Whether the same chains from both, also for accesses at other places.
static bool places_alike(const struct vkr_state *a, const struct vkr_state *b)
{
	for (unsigned kind = 0; kind < VKR_ENGINE_LOCALS; kind++)
		if (!chain_alike(a->apart[kind] ? a->apart[kind] : a,
				 b->apart[kind] ? b->apart[kind] : b))
			return false;
	return chain_alike(a, b);
}

void vkr_timeline_commit(struct vkr_timeline *timeline, struct vkr_state *state)
{
	settle_state(state);
	if (state->chained)
		settle_state(state->chained);
	if (state->chained && places_alike(state->chained, state)) {
		vkr_state_drop(state->chained);
		state->chained = NULL;
	}
	vkr_state_drop(timeline->state);
	timeline->state = state;
	timeline->changes++;
}

struct vkr_learners vkr_timeline_learners(struct vkr_timeline *timeline, struct vkr_state *known,
					  bool limited)
{
	struct vkr_learners learners = {.items = {known}, .count = 1, .chained = VKR_LEARNERS};
	if (known->chained) {
		learners.chained = learners.count;
		learners.items[learners.count++] = known->chained;
	}
	if (!limited && timeline->sections.base)
		learners.items[learners.count++] = timeline->sections.base;
	return learners;
}

// What chains into a scope of these stages: what the groups know that the scope intersects
// ("Execution Dependency Chains").
enum vkr_result vkr_state_gather(const struct vkr_state *state, uint64_t stages,
				 struct vkr_token *found, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	// The state of the query stage is for queries only: a wait that names no stage includes
	// that stage too.
	if (stages != VKR_ENGINE_QUERY)
		stages &= ~VKR_ENGINE_QUERY;
	for (uint32_t i = 0; i < state->group_count && result == VKR_OK; i++) {
		const struct vkr_group *group = &state->groups[i];
		if (!(group->stages & stages))
			continue;
		result = vkr_queue_clock_merge(&found->before, group->before, error);
		if (result == VKR_OK)
			result = vkr_queue_clock_merge(&found->available, group->available, error);
		if (result == VKR_OK)
			result = vkr_queue_clock_merge(&found->host, group->host, error);
	}
	return result;
}

enum vkr_result vkr_queue_clock_put_all(struct vkr_queue_clock **set, struct vkr_queue_span *spans,
					size_t count, struct vkr_error *error)
{
	struct vkr_queue_clock *extended;
	enum vkr_result result = vkr_queue_clock_extend(*set, spans, count, &extended, error);
	if (result != VKR_OK)
		return result;
	vkr_queue_clock_drop(*set);
	*set = extended;
	return VKR_OK;
}

enum vkr_result vkr_queue_clock_put(struct vkr_queue_clock **set, const struct vkr_queue_span *span,
				    struct vkr_error *error)
{
	struct vkr_queue_span one = *span;
	return vkr_queue_clock_put_all(set, &one, 1, error);
}

struct vkr_queue_span vkr_queue_span_prefix(uint32_t timeline, uint64_t position, uint64_t stages,
					    uint64_t accesses)
{
	return (struct vkr_queue_span){.timeline = timeline,
				       .position = position,
				       .stages = stages,
				       .accesses = accesses,
				       .readers = VKR_EVERY_BIT,
				       .high = UINT64_MAX};
}

struct vkr_clock_part vkr_clock_part_of(const struct vkr_engine_barrier_access *access,
					uint64_t readers)
{
	const struct vkr_clock_part all = {.high = UINT64_MAX, .readers = readers};
	if (access->memory == 0)
		return all;
	return (struct vkr_clock_part){access->memory, access->offset,
				       access->offset + access->bytes, readers};
}

// Adds `from` to *to, where the range of an access scope allows it.
enum vkr_result vkr_domain_operation(struct vkr_queue_clock **to, struct vkr_queue_clock *from,
				     const struct vkr_engine_barrier_access *access,
				     struct vkr_error *error)
{
	const struct vkr_clock_part part = vkr_clock_part_of(access, VKR_EVERY_BIT);
	return vkr_queue_clock_merge_part(to, from, &part, error);
}

static enum vkr_result learn_clock(struct vkr_queue_clock **set, struct vkr_queue_clock *found,
				   struct vkr_queue_clock **learned, struct vkr_error *error)
{
	struct vkr_queue_clock *joined;
	if (!found)
		return VKR_OK;
	enum vkr_result result = vkr_queue_clock_join_since(*set, found, *learned, &joined, error);
	if (result != VKR_OK)
		return result;
	vkr_queue_clock_drop(*set);
	*set = joined;
	vkr_queue_clock_drop(*learned);
	*learned = vkr_queue_clock_hold(found);
	return VKR_OK;
}

enum vkr_result vkr_group_learn(struct vkr_group *group, const struct vkr_token *found,
				struct vkr_error *error)
{
	enum vkr_result result =
		learn_clock(&group->before, found->before, &group->learned.before, error);
	if (result == VKR_OK)
		result = learn_clock(&group->available, found->available, &group->learned.available,
				     error);
	if (result == VKR_OK)
		result = learn_clock(&group->host, found->host, &group->learned.host, error);
	return result;
}

void vkr_token_empty(struct vkr_token *token)
{
	vkr_queue_clock_drop(token->before);
	vkr_queue_clock_drop(token->available);
	vkr_queue_clock_drop(token->host);
	vkr_queue_clock_drop(token->seen);
	*token = (struct vkr_token){0};
}

struct vkr_timeline *vkr_queues_on(struct vkr_queues *queues, uint32_t id)
{
	assert(id >= 1 && id <= queues->timelines.count);
	return &queues->timelines.items[id - 1];
}
