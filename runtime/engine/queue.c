// SPDX-License-Identifier: Apache-2.0
// Timelines, dependencies and tokens: how order, availability and visibility move (Vulkan
// specification, "Synchronization and Cache Control"; appendix "Memory Model", "Availability,
// Visibility, and Domain Operations"). Knows nothing of accesses that were really made.
#include "queue.h"

#include "array.h"
#include "error.h"

#include <assert.h>
#include <stdlib.h>

void vkr_queues_init(struct vkr_queues *queues)
{
	*queues = (struct vkr_queues){0};
}

static void token_empty(struct vkr_token *token)
{
	vkr_frontier_drop(token->before);
	vkr_frontier_drop(token->available);
	vkr_frontier_drop(token->host);
	vkr_frontier_drop(token->seen);
	*token = (struct vkr_token){0};
}

void vkr_queues_finish(struct vkr_queues *queues)
{
	for (size_t i = 0; i < queues->commands.count; i++)
		vkr_state_drop(queues->commands.items[i].state);
	for (size_t i = 0; i < queues->tokens.count; i++)
		token_empty(&queues->tokens.items[i]);
	for (size_t i = 0; i < queues->timelines.count; i++) {
		vkr_state_drop(queues->timelines.items[i].state);
		free(queues->timelines.items[i].past.items);
		free(queues->timelines.items[i].past_accesses.items);
	}
	free(queues->commands.items);
	free(queues->tokens.items);
	free(queues->dropped.items);
	free(queues->timelines.items);
	*queues = (struct vkr_queues){0};
}

static struct vkr_timeline *timeline_of(struct vkr_queues *queues, uint32_t id)
{
	assert(id >= 1 && id <= queues->timelines.count);
	return &queues->timelines.items[id - 1];
}

// Ids are 32 bits wide and never used twice: running out is an error, not a wrap.
static enum vkr_result next_id(size_t count, uint32_t *id, struct vkr_error *error)
{
	if (count >= UINT32_MAX - 1)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "more than 4294967294 commands in one run");
	*id = (uint32_t)count + 1;
	return VKR_OK;
}

enum vkr_result vkr_queues_timeline(struct vkr_queues *queues, bool host, uint32_t family,
				    uint32_t *id, struct vkr_error *error)
{
	struct vkr_timeline made = {.host = host, .family = family};
	enum vkr_result result = next_id(queues->timelines.count, id, error);
	if (result != VKR_OK)
		return result;
	if (!VKR_ARRAY_RESERVE(&queues->timelines, 1))
		return vkr_error_memory(error, "timelines");
	made.state = vkr_state_create();
	if (!made.state)
		return vkr_error_memory(error, "timelines");
	queues->timelines.items[queues->timelines.count++] = made;
	return VKR_OK;
}

enum vkr_result vkr_queues_command(struct vkr_queues *queues, uint32_t timeline, uint64_t tag,
				   uint32_t *id, struct vkr_error *error)
{
	struct vkr_timeline *on = timeline_of(queues, timeline);
	enum vkr_result result = next_id(queues->commands.count, id, error);
	if (result != VKR_OK)
		return result;
	if (!VKR_ARRAY_RESERVE(&queues->commands, 1))
		return vkr_error_memory(error, "commands");
	queues->commands.items[queues->commands.count++] =
		(struct vkr_command){.tag = tag,
				     .position = ++on->position,
				     .timeline = timeline,
				     .state = vkr_state_hold(on->state)};
	return VKR_OK;
}

void vkr_queues_command_end(struct vkr_queues *queues, uint32_t command)
{
	assert(command >= 1 && command <= queues->commands.count);
	vkr_state_drop(queues->commands.items[command - 1].state);
	queues->commands.items[command - 1].state = NULL;
}

// A copy of the timeline's state, to be changed and then put in its place.
static enum vkr_result state_begin(const struct vkr_timeline *timeline, struct vkr_state **state,
				   struct vkr_error *error)
{
	*state = vkr_state_copy(timeline->state);
	return *state ? VKR_OK : vkr_error_memory(error, "order between commands");
}

static void state_commit(struct vkr_timeline *timeline, struct vkr_state *state)
{
	vkr_state_merge(state);
	vkr_state_drop(timeline->state);
	timeline->state = state;
	timeline->changes++;
}

// What chains into a scope of these stages: what the groups know that the scope intersects
// ("Execution Dependency Chains").
static enum vkr_result gather(const struct vkr_state *state, uint64_t stages,
			      struct vkr_token *found, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t i = 0; i < state->group_count && result == VKR_OK; i++) {
		const struct vkr_group *group = &state->groups[i];
		if (!(group->stages & stages))
			continue;
		result = vkr_set_join(&found->before, group->before, error);
		if (result == VKR_OK)
			result = vkr_set_join(&found->available, group->available, error);
		if (result == VKR_OK)
			result = vkr_set_join(&found->host, group->host, error);
	}
	return result;
}

static enum vkr_result set_extend(struct vkr_frontier **set, const struct vkr_reach *reach,
				  struct vkr_error *error)
{
	struct vkr_frontier *extended;
	enum vkr_result result = vkr_frontier_extend(*set, reach, &extended, error);
	if (result != VKR_OK)
		return result;
	vkr_frontier_drop(*set);
	*set = extended;
	return VKR_OK;
}

static struct vkr_reach prefix_of(uint32_t timeline, uint64_t position, uint64_t stages,
				  uint64_t accesses)
{
	return (struct vkr_reach){.timeline = timeline,
				  .position = position,
				  .stages = stages,
				  .accesses = accesses,
				  .high = UINT64_MAX};
}

// Adds `from` to *to, where the range of an access scope allows it.
static enum vkr_result domain_operation(struct vkr_frontier **to, struct vkr_frontier *from,
					const struct vkr_engine_barrier_access *access,
					struct vkr_error *error)
{
	struct vkr_frontier *part;
	enum vkr_result result;
	if (access->memory == 0)
		return vkr_set_join(to, from, error);
	result = vkr_frontier_restrict(from, access->memory, access->offset,
				       access->offset + access->bytes, &part, error);
	if (result != VKR_OK)
		return result;
	result = vkr_set_join(to, part, error);
	vkr_frontier_drop(part);
	return result;
}

// The first half of a dependency: what its scopes hold. The order of the steps is the one that the
// appendix lists: host to device, availability, (visibility,) device to host.
static enum vkr_result dependency_source(const struct vkr_engine_mark *from, bool host,
					 const struct vkr_engine_dependency *dependency,
					 struct vkr_token *found, struct vkr_error *error)
{
	const uint64_t stages = host ? VKR_HOST_STAGE : dependency->source_stages;
	const struct vkr_reach first =
		prefix_of(from->timeline, from->position, stages, VKR_EVERY_BIT);
	enum vkr_result result =
		gather(from->state, host ? VKR_EVERY_BIT : dependency->source_stages, found, error);
	if (host && result == VKR_OK) {
		// Coherent writes are available to the host domain by themselves.
		struct vkr_reach writes = first;
		writes.accesses = VKR_HOST_COHERENT_WRITE;
		result = set_extend(&found->host, &writes, error);
	}
	if (result == VKR_OK)
		result = set_extend(&found->before, &first, error);
	for (uint32_t i = 0; i < dependency->access_count && result == VKR_OK; i++) {
		const struct vkr_engine_barrier_access *access = &dependency->accesses[i];
		struct vkr_reach writes = first;
		if (access->from_host)
			result = domain_operation(&found->available, found->host, access, error);
		if (access->source_stages)
			writes.stages &= access->source_stages;
		writes.accesses = access->source_accesses;
		if (access->memory) {
			writes.memory = access->memory;
			writes.low = access->offset;
			writes.high = access->offset + access->bytes;
		}
		if (result == VKR_OK && !host)
			result = set_extend(&found->available, &writes, error);
	}
	for (uint32_t i = 0; i < dependency->access_count && result == VKR_OK; i++) {
		if (dependency->accesses[i].to_host)
			result = domain_operation(&found->host, found->available,
						  &dependency->accesses[i], error);
	}
	return result;
}

static enum vkr_result group_learn(struct vkr_group *group, const struct vkr_token *found,
				   struct vkr_error *error)
{
	enum vkr_result result = vkr_set_join(&group->before, found->before, error);
	if (result == VKR_OK)
		result = vkr_set_join(&group->available, found->available, error);
	if (result == VKR_OK)
		result = vkr_set_join(&group->host, found->host, error);
	return result;
}

// Adds the transition's own accesses to a set, no others of its queue: the order among transitions
// must not order anything else.
static enum vkr_result add_transition(struct vkr_frontier **set,
				      const struct vkr_engine_transition *transition,
				      uint32_t timeline, uint64_t position, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t i = 0; i < transition->range_count && result == VKR_OK; i++) {
		const struct vkr_engine_range *range = &transition->ranges[i];
		const struct vkr_reach reach = {.timeline = timeline,
						.memory = range->memory,
						.position = position,
						.stages = VKR_ENGINE_TRANSITION,
						.accesses = VKR_EVERY_BIT,
						.low = range->offset,
						.high = range->offset + range->bytes};
		result = set_extend(set, &reach, error);
	}
	return result;
}

// What a transition knows: what the first half has found, and who meant all commands by a second
// scope before it.
static enum vkr_result transition_state(const struct vkr_state *old, struct vkr_token *found,
					struct vkr_state **made, struct vkr_error *error)
{
	const struct vkr_view everything = {.accesses = VKR_EVERY_BIT, .high = UINT64_MAX};
	struct vkr_view view = everything;
	enum vkr_result result = gather(old, VKR_ENGINE_TRANSITION, found, error);
	*made = NULL;
	if (result != VKR_OK)
		return result;
	*made = vkr_state_create();
	if (!*made)
		return vkr_error_memory(error, "a layout transition");
	view.writes = found->available;
	result = group_learn((*made)->groups, found, error);
	if (result == VKR_OK)
		result = vkr_group_see((*made)->groups, &view, error);
	if (result != VKR_OK) {
		vkr_state_drop(*made);
		*made = NULL;
	}
	return result;
}

// The transition stands as a command of its own between the dependency's halves.
static enum vkr_result transition_between(struct vkr_queues *queues, uint32_t timeline,
					  uint64_t tag, struct vkr_engine_transition *transition,
					  struct vkr_token *found, struct vkr_error *error)
{
	struct vkr_state *state;
	enum vkr_result result =
		transition_state(timeline_of(queues, timeline)->state, found, &state, error);
	if (result == VKR_OK)
		result = vkr_queues_command(queues, timeline, tag, &transition->command, error);
	if (result != VKR_OK) {
		vkr_state_drop(state);
		return result;
	}
	struct vkr_command *command = &queues->commands.items[transition->command - 1];
	vkr_state_drop(command->state);
	command->state = state;
	command->transition = true;
	result = add_transition(&found->before, transition, timeline, command->position, error);
	if (result == VKR_OK)
		result = add_transition(&found->available, transition, timeline, command->position,
					error);
	return result;
}

// The second half: what comes later in the second scope learns what was found.
static enum vkr_result dependency_destination(struct vkr_state *state,
					      const struct vkr_engine_dependency *dependency,
					      const struct vkr_token *found,
					      struct vkr_error *error)
{
	enum vkr_result result = vkr_state_split(state, dependency->destination_stages, error);
	for (uint32_t i = 0; i < dependency->access_count && result == VKR_OK; i++) {
		if (dependency->accesses[i].destination_stages)
			result = vkr_state_split(state, dependency->accesses[i].destination_stages,
						 error);
	}
	for (uint32_t g = 0; g < state->group_count && result == VKR_OK; g++) {
		struct vkr_group *group = &state->groups[g];
		if (!(group->stages & dependency->destination_stages))
			continue;
		result = group_learn(group, found, error);
		for (uint32_t i = 0; i < dependency->access_count && result == VKR_OK; i++) {
			const struct vkr_engine_barrier_access *access = &dependency->accesses[i];
			const struct vkr_view view = {.accesses = access->destination_accesses,
						      .memory = access->memory,
						      .low = access->memory ? access->offset : 0,
						      .high = access->memory ? access->offset +
										       access->bytes
									     : UINT64_MAX,
						      .writes = found->available};
			if (view.accesses && (access->destination_stages == 0 ||
					      (group->stages & access->destination_stages)))
				result = vkr_group_see(group, &view, error);
		}
	}
	return result;
}

static enum vkr_result remember(struct vkr_timeline *on, uint64_t first_end, uint64_t tag,
				const struct vkr_engine_dependency *dependency,
				struct vkr_error *error)
{
	const struct vkr_past_dependency past = {
		.tag = tag,
		.position = on->position,
		.transition = dependency->transition ? on->position : 0,
		.first_end = first_end,
		.source_stages = dependency->source_stages,
		.destination_stages = dependency->destination_stages,
		.first_access = (uint32_t)on->past_accesses.count,
		.access_count = dependency->access_count};
	if (on->past_accesses.count + dependency->access_count > UINT32_MAX)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "more than 4294967295 barriers on one queue");
	if (!VKR_ARRAY_RESERVE(&on->past, 1) ||
	    !VKR_ARRAY_RESERVE(&on->past_accesses, dependency->access_count))
		return vkr_error_memory(error, "dependencies");
	on->past.items[on->past.count++] = past;
	for (uint32_t i = 0; i < dependency->access_count; i++)
		on->past_accesses.items[on->past_accesses.count++] = dependency->accesses[i];
	return VKR_OK;
}

struct vkr_engine_mark vkr_queues_mark(struct vkr_queues *queues, uint32_t timeline)
{
	struct vkr_timeline *on = timeline_of(queues, timeline);
	on->changes++;
	return (struct vkr_engine_mark){timeline, on->position, vkr_state_hold(on->state)};
}

enum vkr_result vkr_queues_dependencies(struct vkr_queues *queues, uint32_t timeline,
					const struct vkr_engine_mark *since, uint64_t tag,
					const struct vkr_engine_dependency *dependencies,
					uint32_t count, struct vkr_error *error)
{
	struct vkr_timeline *on = timeline_of(queues, timeline);
	const struct vkr_engine_mark here = {timeline, on->position, on->state};
	const struct vkr_engine_mark *from = since ? since : &here;
	const bool host = timeline_of(queues, from->timeline)->host;
	struct vkr_state *state;
	// Every source is gathered from the old state: dependencies at one place do not chain.
	enum vkr_result result = state_begin(on, &state, error);
	if (result != VKR_OK)
		return result;
	for (uint32_t i = 0; i < count && result == VKR_OK; i++) {
		struct vkr_token found = {0};
		result = dependency_source(from, host, &dependencies[i], &found, error);
		if (result == VKR_OK && dependencies[i].transition)
			result = transition_between(queues, timeline, tag,
						    dependencies[i].transition, &found, error);
		if (result == VKR_OK)
			result = dependency_destination(state, &dependencies[i], &found, error);
		if (result == VKR_OK && from->timeline == timeline)
			result = remember(on, from->position, tag, &dependencies[i], error);
		token_empty(&found);
	}
	if (result != VKR_OK) {
		vkr_state_drop(state);
		return result;
	}
	state_commit(on, state);
	return VKR_OK;
}

// What is visible to a host thread, for other host threads: it is the host domain's, not its own.
static enum vkr_result gather_seen(const struct vkr_group *group, struct vkr_token *found,
				   struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t i = 0; i < group->view_count && result == VKR_OK; i++) {
		const struct vkr_view *view = &group->views[i];
		const struct vkr_engine_barrier_access place = {.memory = view->memory,
								.offset = view->low,
								.bytes = view->high - view->low};
		result = domain_operation(&found->seen, view->writes, &place, error);
	}
	return result;
}

// A new token's place: one that was dropped, or behind the last.
static enum vkr_result token_place(struct vkr_queues *queues, uint32_t *token,
				   struct vkr_error *error)
{
	if (queues->dropped.count > 0) {
		*token = queues->dropped.items[--queues->dropped.count];
		return VKR_OK;
	}
	const enum vkr_result result = next_id(queues->tokens.count, token, error);
	if (result != VKR_OK)
		return result;
	if (!VKR_ARRAY_RESERVE(&queues->tokens, 1))
		return vkr_error_memory(error, "tokens");
	queues->tokens.items[queues->tokens.count++] = (struct vkr_token){0};
	return VKR_OK;
}

enum vkr_result vkr_queues_release(struct vkr_queues *queues, uint32_t timeline, uint64_t stages,
				   bool to_device, uint32_t *token, struct vkr_error *error)
{
	struct vkr_timeline *on = timeline_of(queues, timeline);
	struct vkr_token made = {.live = true};
	struct vkr_reach reach = prefix_of(timeline, on->position,
					   on->host ? VKR_HOST_STAGE : stages, VKR_EVERY_BIT);
	enum vkr_result result = gather(on->state, on->host ? VKR_EVERY_BIT : stages, &made, error);
	if (result == VKR_OK)
		result = set_extend(&made.before, &reach, error);
	if (on->host) {
		// Coherent writes are available to the host domain by themselves.
		reach.accesses = VKR_HOST_COHERENT_WRITE;
		if (result == VKR_OK)
			result = set_extend(&made.host, &reach, error);
		if (to_device && result == VKR_OK)
			result = vkr_set_join(&made.available, made.host, error);
		if (result == VKR_OK)
			result = gather_seen(&on->state->groups[0], &made, error);
	} else if (result == VKR_OK) {
		result = set_extend(&made.available, &reach, error);
	}
	if (result == VKR_OK)
		result = token_place(queues, token, error);
	if (result != VKR_OK) {
		token_empty(&made);
		return result;
	}
	queues->tokens.items[*token - 1] = made;
	on->changes++;
	return VKR_OK;
}

enum vkr_result vkr_queues_acquire(struct vkr_queues *queues, uint32_t timeline, uint32_t token,
				   uint64_t stages, struct vkr_error *error)
{
	struct vkr_timeline *on = timeline_of(queues, timeline);
	struct vkr_state *state;
	const struct vkr_token *from;
	enum vkr_result result = state_begin(on, &state, error);

	if (result != VKR_OK)
		return result;
	assert(token >= 1 && token <= queues->tokens.count);
	from = &queues->tokens.items[token - 1];
	assert(from->live);
	if (on->host)
		stages = VKR_EVERY_BIT;
	result = vkr_state_split(state, stages, error);
	for (uint32_t i = 0; i < state->group_count && result == VKR_OK; i++) {
		// A host thread sees device writes through the host domain alone: what was made
		// visible to another one before.
		const struct vkr_view all = {.accesses = VKR_EVERY_BIT,
					     .high = UINT64_MAX,
					     .writes = on->host ? from->seen : from->available};
		if (!(state->groups[i].stages & stages))
			continue;
		result = group_learn(&state->groups[i], from, error);
		if (result == VKR_OK)
			result = vkr_group_see(&state->groups[i], &all, error);
	}
	if (result != VKR_OK) {
		vkr_state_drop(state);
		return result;
	}
	state_commit(on, state);
	return VKR_OK;
}

enum vkr_result vkr_queues_token_join(struct vkr_queues *queues, uint32_t token, uint32_t more,
				      struct vkr_error *error)
{
	assert(token >= 1 && token <= queues->tokens.count);
	assert(more >= 1 && more <= queues->tokens.count);
	struct vkr_token *into = &queues->tokens.items[token - 1];
	const struct vkr_token *from = &queues->tokens.items[more - 1];
	assert(into->live && from->live);
	enum vkr_result result = vkr_set_join(&into->before, from->before, error);
	if (result == VKR_OK)
		result = vkr_set_join(&into->available, from->available, error);
	if (result == VKR_OK)
		result = vkr_set_join(&into->host, from->host, error);
	if (result == VKR_OK)
		result = vkr_set_join(&into->seen, from->seen, error);
	return result;
}

void vkr_queues_token_drop(struct vkr_queues *queues, uint32_t token)
{
	assert(token >= 1 && token <= queues->tokens.count);
	struct vkr_token *dropped = &queues->tokens.items[token - 1];
	if (!dropped->live)
		return;
	token_empty(dropped);
	// Without memory the id is lost, and nothing else.
	if (VKR_ARRAY_RESERVE(&queues->dropped, 1))
		queues->dropped.items[queues->dropped.count++] = token;
}

enum vkr_result vkr_queues_flush(struct vkr_queues *queues, uint32_t timeline, uint32_t memory,
				 uint64_t low, uint64_t high, struct vkr_error *error)
{
	struct vkr_timeline *on = timeline_of(queues, timeline);
	struct vkr_state *state;
	struct vkr_frontier *before;
	enum vkr_result result = state_begin(on, &state, error);
	if (result != VKR_OK)
		return result;
	// Its source scope is all host threads: what they wrote before it, here and elsewhere.
	before = state->groups[0].before;
	for (size_t i = 0; result == VKR_OK && i <= (before ? before->count : 0); i++) {
		struct vkr_reach reach = {.timeline = timeline, .position = on->position};
		if (i > 0)
			reach = before->reach[i - 1];
		if (!timeline_of(queues, reach.timeline)->host)
			continue;
		reach.stages = VKR_HOST_STAGE;
		reach.accesses = VKR_HOST_NONCOHERENT_WRITE;
		reach.memory = memory;
		reach.low = low;
		reach.high = high;
		result = set_extend(&state->groups[0].host, &reach, error);
	}
	if (result != VKR_OK) {
		vkr_state_drop(state);
		return result;
	}
	state_commit(on, state);
	return VKR_OK;
}

enum vkr_result vkr_queues_invalidate(struct vkr_queues *queues, uint32_t timeline, uint32_t memory,
				      uint64_t low, uint64_t high, struct vkr_error *error)
{
	struct vkr_timeline *on = timeline_of(queues, timeline);
	struct vkr_state *state;
	struct vkr_view view = {
		.accesses = VKR_EVERY_BIT, .memory = memory, .low = low, .high = high};
	enum vkr_result result = state_begin(on, &state, error);
	if (result != VKR_OK)
		return result;
	view.writes = state->groups[0].host;
	result = vkr_group_see(&state->groups[0], &view, error);
	if (result != VKR_OK) {
		vkr_state_drop(state);
		return result;
	}
	state_commit(on, state);
	return VKR_OK;
}
