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

void vkr_queues_finish(struct vkr_queues *queues)
{
	for (size_t i = 0; i < queues->commands.count; i++)
		vkr_state_drop(queues->commands.items[i].state);
	for (size_t i = 0; i < queues->tokens.count; i++)
		vkr_token_empty(&queues->tokens.items[i]);
	for (size_t i = 0; i < queues->timelines.count; i++) {
		vkr_state_drop(queues->timelines.items[i].state);
		vkr_state_drop(queues->timelines.items[i].sections.base);
		free(queues->timelines.items[i].cuts.items);
		free(queues->timelines.items[i].transitions.items);
		free(queues->timelines.items[i].past.items);
		free(queues->timelines.items[i].past_accesses.items);
	}
	free(queues->commands.items);
	free(queues->spare.items);
	free(queues->open.items);
	free(queues->tokens.items);
	free(queues->dropped.items);
	free(queues->timelines.items);
	*queues = (struct vkr_queues){0};
}

// Ids are 32 bits wide and never used twice: running out is an error, not a wrap.
static enum vkr_result next_id(size_t count, uint32_t *id, struct vkr_error *error)
{
	if (count >= UINT32_MAX - 1)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "more than 4294967294 commands at once");
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
	struct vkr_timeline *on = vkr_queues_on(queues, timeline);
	uint32_t made = 0;
	if (!VKR_ARRAY_RESERVE(&queues->open, 1))
		return vkr_error_memory(error, "commands");
	if (queues->spare.count > 0) {
		made = queues->spare.items[--queues->spare.count];
	} else {
		const enum vkr_result result = next_id(queues->commands.count, &made, error);
		if (result != VKR_OK)
			return result;
		if (!VKR_ARRAY_RESERVE(&queues->commands, 1))
			return vkr_error_memory(error, "commands");
		queues->commands.count++;
	}
	queues->open.items[queues->open.count++] = made;
	*id = made;
	queues->commands.items[made - 1] =
		(struct vkr_command){.tag = tag,
				     .number = ++queues->made,
				     .position = ++on->position,
				     .section = on->sections.base ? on->sections.count : 0,
				     .timeline = timeline,
				     .state = vkr_state_hold(on->state)};
	return VKR_OK;
}

static void drop_unused(struct vkr_command *command)
{
	if (!command->over || command->holds > 0)
		return;
	vkr_state_drop(command->state);
	command->state = NULL;
}

void vkr_queues_command_end(struct vkr_queues *queues, uint32_t command)
{
	assert(command >= 1 && command <= queues->commands.count);
	struct vkr_command *of = &queues->commands.items[command - 1];
	size_t at = queues->open.count;
	assert(of->state && !of->over);
	while (queues->open.items[--at] != command)
		;
	queues->open.items[at] = queues->open.items[--queues->open.count];
	of->over = true;
	drop_unused(of);
}

void vkr_queues_command_hold(struct vkr_queues *queues, uint32_t command)
{
	queues->commands.items[command - 1].holds++;
}

void vkr_queues_command_release(struct vkr_queues *queues, uint32_t command)
{
	struct vkr_command *of = &queues->commands.items[command - 1];
	assert(of->holds > 0);
	of->holds--;
	drop_unused(of);
}

// A new token's place: one that was dropped, or after the last.
enum vkr_result vkr_queues_token_place(struct vkr_queues *queues, uint32_t *token,
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
	struct vkr_timeline *on = vkr_queues_on(queues, timeline);
	struct vkr_token made = {.live = true};
	struct vkr_queue_span span = vkr_queue_span_prefix(
		timeline, on->position, on->host ? VKR_HOST_STAGE : stages, VKR_EVERY_BIT);
	enum vkr_result result = vkr_state_gather(vkr_state_chained(on->state),
						  on->host ? VKR_EVERY_BIT : stages, &made, error);
	if (result == VKR_OK)
		result = vkr_queue_clock_put(&made.before, &span, error);
	if (on->host) {
		// Coherent writes are available to the host domain by themselves.
		span.accesses = VKR_HOST_COHERENT_WRITE;
		if (result == VKR_OK)
			result = vkr_queue_clock_put(&made.host, &span, error);
		if (to_device && result == VKR_OK)
			result = vkr_queue_clock_merge(&made.available, made.host, error);
		if (result == VKR_OK)
			result = vkr_queue_clock_merge(&made.seen, on->state->groups[0].visible,
						       error);
	} else if (result == VKR_OK) {
		result = vkr_queue_clock_put(&made.available, &span, error);
	}
	if (result == VKR_OK)
		result = vkr_queues_token_place(queues, token, error);
	if (result != VKR_OK) {
		vkr_token_empty(&made);
		return result;
	}
	queues->tokens.items[*token - 1] = made;
	on->changes++;
	return VKR_OK;
}

static enum vkr_result learn_token(struct vkr_state *state, const struct vkr_token *from, bool host,
				   uint64_t stages, struct vkr_error *error)
{
	enum vkr_result result = vkr_state_split(state, stages, error);
	for (uint32_t i = 0; i < state->group_count && result == VKR_OK; i++) {
		if (!(state->groups[i].stages & stages))
			continue;
		result = vkr_group_learn(&state->groups[i], from, error);
		// A host thread sees device writes through the host domain alone: what was made
		// visible to another one before.
		if (result == VKR_OK)
			result = vkr_queue_clock_merge(&state->groups[i].visible,
						       host ? from->seen : from->available, error);
	}
	return result;
}

enum vkr_result vkr_queues_acquire(struct vkr_queues *queues, uint32_t timeline, uint32_t token,
				   uint64_t stages, struct vkr_error *error)
{
	struct vkr_timeline *on = vkr_queues_on(queues, timeline);
	struct vkr_state *known;
	enum vkr_result result = vkr_state_begin(on->state, 0, &known, error);
	if (result != VKR_OK)
		return result;
	assert(token >= 1 && token <= queues->tokens.count);
	const struct vkr_token *from = &queues->tokens.items[token - 1];
	assert(from->live);
	if (on->host)
		stages = VKR_EVERY_BIT;
	const struct vkr_learners learners = vkr_timeline_learners(on, known, false);
	for (unsigned i = 0; i < learners.count && result == VKR_OK; i++) {
		struct vkr_state *learner = learners.items[i];
		result = learn_token(learner, from, on->host, stages, error);
		for (unsigned kind = 0; kind < VKR_ENGINE_LOCALS && result == VKR_OK; kind++)
			if (learner->apart[kind])
				result = learn_token(learner->apart[kind], from, on->host, stages,
						     error);
	}
	if (result != VKR_OK) {
		vkr_state_drop(known);
		return result;
	}
	vkr_timeline_commit(on, known);
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
	enum vkr_result result = vkr_queue_clock_merge(&into->before, from->before, error);
	if (result == VKR_OK)
		result = vkr_queue_clock_merge(&into->available, from->available, error);
	if (result == VKR_OK)
		result = vkr_queue_clock_merge(&into->host, from->host, error);
	if (result == VKR_OK)
		result = vkr_queue_clock_merge(&into->seen, from->seen, error);
	return result;
}

void vkr_queues_token_drop(struct vkr_queues *queues, uint32_t token)
{
	assert(token >= 1 && token <= queues->tokens.count);
	struct vkr_token *dropped = &queues->tokens.items[token - 1];
	if (!dropped->live)
		return;
	vkr_token_empty(dropped);
	// Without memory the id is lost, and nothing else.
	if (VKR_ARRAY_RESERVE(&queues->dropped, 1))
		queues->dropped.items[queues->dropped.count++] = token;
}

enum vkr_result vkr_queues_flush(struct vkr_queues *queues, uint32_t timeline, uint32_t memory,
				 uint64_t low, uint64_t high, struct vkr_error *error)
{
	struct vkr_timeline *on = vkr_queues_on(queues, timeline);
	struct vkr_state *known;
	struct vkr_queue_clock *before;
	enum vkr_result result = vkr_state_begin(on->state, 0, &known, error);
	if (result != VKR_OK)
		return result;
	// Its source scope is all host threads: what they wrote before it, here and elsewhere.
	before = known->groups[0].before;
	for (size_t i = 0; result == VKR_OK && i <= (before ? before->count : 0); i++) {
		struct vkr_queue_span span = {.timeline = timeline, .position = on->position};
		if (i > 0)
			span = before->span[i - 1];
		if (!vkr_queues_on(queues, span.timeline)->host)
			continue;
		span.stages = VKR_HOST_STAGE;
		span.readers = VKR_EVERY_BIT;
		span.accesses = VKR_HOST_NONCOHERENT_WRITE;
		span.memory = memory;
		span.low = low;
		span.high = high;
		result = vkr_queue_clock_put(&known->groups[0].host, &span, error);
	}
	if (result != VKR_OK) {
		vkr_state_drop(known);
		return result;
	}
	vkr_timeline_commit(on, known);
	return VKR_OK;
}

enum vkr_result vkr_queues_invalidate(struct vkr_queues *queues, uint32_t timeline, uint32_t memory,
				      uint64_t low, uint64_t high, struct vkr_error *error)
{
	struct vkr_timeline *on = vkr_queues_on(queues, timeline);
	struct vkr_state *known;
	const struct vkr_clock_part part = {memory, low, high, VKR_EVERY_BIT};
	enum vkr_result result = vkr_state_begin(on->state, 0, &known, error);
	if (result != VKR_OK)
		return result;
	result = vkr_queue_clock_merge_part(&known->groups[0].visible, known->groups[0].host, &part,
					    error);
	if (result != VKR_OK) {
		vkr_state_drop(known);
		return result;
	}
	vkr_timeline_commit(on, known);
	return VKR_OK;
}
