// SPDX-License-Identifier: Apache-2.0
// A timeline's state: copying, cutting and merging groups of stages that know the same.
// Knows nothing of dependencies and tokens.
#include "queue.h"

#include "error.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void drop_views(struct vkr_group *group)
{
	for (uint32_t i = 0; i < group->view_count; i++)
		vkr_frontier_drop(group->views[i].writes);
	free(group->views);
}

static void group_drop(struct vkr_group *group)
{
	vkr_frontier_drop(group->before);
	vkr_frontier_drop(group->available);
	vkr_frontier_drop(group->host);
	drop_views(group);
}

// With what it sees, or without.
static bool group_copy(const struct vkr_group *group, bool sees, struct vkr_group *copy)
{
	*copy = *group;
	copy->views = NULL;
	copy->view_count = sees ? group->view_count : 0;
	copy->view_room = copy->view_count;
	if (copy->view_count) {
		copy->views = malloc(group->view_count * sizeof *copy->views);
		if (!copy->views)
			return false;
		memcpy(copy->views, group->views, group->view_count * sizeof *copy->views);
		for (uint32_t i = 0; i < group->view_count; i++)
			vkr_frontier_hold(copy->views[i].writes);
	}
	vkr_frontier_hold(copy->before);
	vkr_frontier_hold(copy->available);
	vkr_frontier_hold(copy->host);
	return true;
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
	if (!copy->groups)
		goto fail;
	for (uint32_t i = 0; i < state->group_count; i++) {
		if (!group_copy(&state->groups[i], sees, &copy->groups[i]))
			goto fail;
		copy->group_count++;
	}
	return copy;
fail:
	vkr_state_drop(copy);
	return NULL;
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
		if (!group_copy(&groups[i], true, &groups[state->group_count]))
			return vkr_error_memory(error, "order between commands");
		groups[state->group_count++].stages = inside;
		groups[i].stages &= ~stages;
	}
	return VKR_OK;
}

static bool views_equal(const struct vkr_group *a, const struct vkr_group *b)
{
	if (a->view_count != b->view_count)
		return false;
	for (uint32_t i = 0; i < a->view_count; i++) {
		const struct vkr_view *x = &a->views[i], *y = &b->views[i];
		if (x->accesses != y->accesses || x->memory != y->memory || x->low != y->low ||
		    x->high != y->high || !vkr_frontier_equal(x->writes, y->writes))
			return false;
	}
	return true;
}

static bool groups_equal(const struct vkr_group *a, const struct vkr_group *b)
{
	return vkr_frontier_equal(a->before, b->before) &&
	       vkr_frontier_equal(a->available, b->available) &&
	       vkr_frontier_equal(a->host, b->host) && views_equal(a, b);
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

enum vkr_result vkr_set_join(struct vkr_frontier **set, struct vkr_frontier *more,
			     struct vkr_error *error)
{
	struct vkr_frontier *joined;
	enum vkr_result result = vkr_frontier_join(*set, more, &joined, error);
	if (result != VKR_OK)
		return result;
	vkr_frontier_drop(*set);
	*set = joined;
	return VKR_OK;
}

// ---- Visibility ---------------------------------------------------------------------------------

static enum vkr_result add_view(struct vkr_group *group, const struct vkr_view *view,
				uint64_t accesses, struct vkr_frontier *writes,
				struct vkr_error *error)
{
	if (group->view_count == group->view_room) {
		const uint32_t room = group->view_room < 4 ? 8 : group->view_room * 2;
		struct vkr_view *views = realloc(group->views, (size_t)room * sizeof *views);
		if (!views)
			return vkr_error_memory(error, "visibility");
		group->views = views;
		group->view_room = room;
	}
	struct vkr_view *made = &group->views[group->view_count++];
	*made = *view;
	made->accesses = accesses;
	made->writes = vkr_frontier_hold(writes);
	return VKR_OK;
}

enum vkr_result vkr_group_see(struct vkr_group *group, const struct vkr_view *view,
			      struct vkr_error *error)
{
	if (!view->writes || !view->accesses)
		return VKR_OK;
	group->unsettled = true;
	return add_view(group, view, view->accesses, view->writes, error);
}

static int compare_places(const void *a, const void *b)
{
	const struct vkr_view *x = a, *y = b;
	if (x->memory != y->memory)
		return x->memory < y->memory ? -1 : 1;
	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->high > y->high) - (x->high < y->high);
}

static int compare_accesses(const void *a, const void *b)
{
	const struct vkr_view *x = a, *y = b;
	return (x->accesses > y->accesses) - (x->accesses < y->accesses);
}

// The last union that was made: places of one barrier see the same of it.
struct last_union {
	const struct vkr_frontier *old, *more;
	struct vkr_frontier *both;
};

static enum vkr_result unite(struct last_union *last, struct vkr_frontier *old,
			     struct vkr_frontier *more, struct vkr_error *error)
{
	if (last->both && last->old == old && last->more == more)
		return VKR_OK;
	vkr_frontier_drop(last->both);
	*last = (struct last_union){.old = old, .more = more};
	return vkr_frontier_join(old, more, &last->both, error);
}

// Adds a view to those from `first` on, all of its place: a visibility operation adds to what the
// same accesses saw there before.
static enum vkr_result settle_view(struct vkr_group *made, uint32_t first,
				   const struct vkr_view *view, struct last_union *last,
				   struct vkr_error *error)
{
	const uint32_t count = made->view_count;
	uint64_t left = view->accesses;
	for (uint32_t i = first; i < count && left; i++) {
		struct vkr_view *known = &made->views[i];
		const uint64_t both = known->accesses & left;
		if (!both)
			continue;
		enum vkr_result result = unite(last, known->writes, view->writes, error);
		if (result != VKR_OK)
			return result;
		left &= ~both;
		if (both == known->accesses) {
			struct vkr_frontier *old = known->writes;
			known->writes = vkr_frontier_hold(last->both);
			vkr_frontier_drop(old);
			continue;
		}
		known->accesses &= ~both;
		result = add_view(made, view, both, last->both, error);
		if (result != VKR_OK)
			return result;
	}
	return left ? add_view(made, view, left, view->writes, error) : VKR_OK;
}

// Those of one place with the same contents are one of more accesses.
static void merge_place(struct vkr_group *made, uint32_t first)
{
	uint32_t kept = first;
	for (uint32_t i = first; i < made->view_count; i++) {
		const struct vkr_view view = made->views[i];
		uint32_t same = first;
		while (same < kept && !vkr_frontier_equal(made->views[same].writes, view.writes))
			same++;
		if (same < kept) {
			made->views[same].accesses |= view.accesses;
			vkr_frontier_drop(view.writes);
		} else {
			made->views[kept++] = view;
		}
	}
	made->view_count = kept;
	if (kept - first > 1)
		qsort(&made->views[first], kept - first, sizeof *made->views, compare_accesses);
}

static enum vkr_result settle_group(struct vkr_group *group, struct vkr_error *error)
{
	struct vkr_group made = {0};
	struct last_union last = {0};
	enum vkr_result result = VKR_OK;
	uint32_t first = 0;
	if (!group->unsettled)
		return VKR_OK;
	qsort(group->views, group->view_count, sizeof *group->views, compare_places);
	for (uint32_t i = 0; i < group->view_count && result == VKR_OK; i++) {
		if (i > 0 && compare_places(&group->views[i - 1], &group->views[i]) != 0) {
			merge_place(&made, first);
			first = made.view_count;
		}
		result = settle_view(&made, first, &group->views[i], &last, error);
	}
	vkr_frontier_drop(last.both);
	if (result != VKR_OK) {
		drop_views(&made);
		return result;
	}
	merge_place(&made, first);
	drop_views(group);
	group->views = made.views;
	group->view_count = made.view_count;
	group->view_room = made.view_room;
	group->unsettled = false;
	return VKR_OK;
}

enum vkr_result vkr_state_settle(struct vkr_state *state, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t i = 0; i < state->group_count && result == VKR_OK; i++)
		result = settle_group(&state->groups[i], error);
	for (unsigned kind = 0; kind < VKR_ENGINE_LOCALS && result == VKR_OK; kind++)
		if (state->apart[kind])
			result = vkr_state_settle(state->apart[kind], error);
	if (result == VKR_OK && state->chained)
		result = vkr_state_settle(state->chained, error);
	return result;
}

static enum vkr_result join_group(struct vkr_group *group, const struct vkr_group *more,
				  struct vkr_error *error)
{
	const struct vkr_token found = {
		.before = more->before, .available = more->available, .host = more->host};
	enum vkr_result result = vkr_group_learn(group, &found, error);
	for (uint32_t i = 0; i < more->view_count && result == VKR_OK; i++)
		result = vkr_group_see(group, &more->views[i], error);
	return result;
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
	return result == VKR_OK ? vkr_state_settle(state, error) : result;
}

// ---- A timeline's state -------------------------------------------------------------------------

// With those of other places where there are some, or where the kind is in `local`.
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
static void settle(struct vkr_state *state)
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
			    !(vkr_frontier_equal(x->before, y->before) &&
			      vkr_frontier_equal(x->available, y->available) &&
			      vkr_frontier_equal(x->host, y->host)))
				return false;
		}
	return true;
}

// The same, from what is at other places too.
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
	settle(state);
	if (state->chained)
		settle(state->chained);
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
