// SPDX-License-Identifier: Apache-2.0
// Dependencies: what is gathered from their first scopes, and what those in their second ones learn
// (Vulkan specification, "Execution and Memory Dependencies", "Framebuffer Region Dependencies").
// Knows nothing of tokens, and nothing of accesses that were really made.
#include "queue.h"

#include "array.h"
#include "error.h"

#include <assert.h>
#include <stdlib.h>
#include <xxhash.h>

// Where a dependency's first scope ends, and what is known there.
struct source {
	uint32_t timeline;
	uint64_t position;
	const struct vkr_state *state;
	struct vkr_scope_limit within;
	bool host;
	bool chain; // what chains into the scope only, not what is in it
};

// Splits a span into the part inside the first scope, by stages, accesses and place, and the rest.
static void split_first(const struct source *from, const struct vkr_queue_span *span,
			struct vkr_queue_span parts[2])
{
	const struct vkr_scope_limit *within = &from->within;
	parts[0] = parts[1] = *span;
	parts[0].stages &= within->stages;
	parts[0].behind = within->stages_behind;
	parts[1].stages &= ~within->stages;
	parts[1].behind = within->behind;
}

static enum vkr_result add_first(struct vkr_queue_clock **set, const struct source *from,
				 const struct vkr_queue_span *span, struct vkr_error *error)
{
	struct vkr_queue_span parts[2];
	split_first(from, span, parts);
	return vkr_queue_clock_put_all(set, parts, 2, error);
}

// What the access scopes make available.
static enum vkr_result add_writes(const struct source *from, const struct vkr_queue_span *first,
				  const struct vkr_engine_dependency *dependency,
				  struct vkr_token *found, struct vkr_error *error)
{
	const size_t count = dependency->access_count;
	struct vkr_queue_span *parts = calloc(2 * count + 1, sizeof *parts);
	if (!parts)
		return vkr_error_memory(error, "order between commands");
	for (size_t i = 0; i < count; i++) {
		const struct vkr_engine_barrier_access *access = &dependency->accesses[i];
		struct vkr_queue_span writes = *first;
		if (access->source_stages)
			writes.stages &= access->source_stages;
		writes.accesses = access->source_accesses;
		if ((access->source_accesses | access->source_stages) != 0)
			writes.accesses |= VKR_DEPENDED_ON;
		// What makes nothing available is limited by what it makes visible.
		if (access->memory && access->source_accesses != 0) {
			writes.memory = access->memory;
			writes.low = access->offset;
			writes.high = access->offset + access->bytes;
		}
		split_first(from, &writes, &parts[2 * i]);
	}
	const enum vkr_result result =
		vkr_queue_clock_put_all(&found->available, parts, 2 * count, error);
	free(parts);
	return result;
}

// The first half of a dependency: what its scopes hold. The order of the steps is the one that the
// appendix lists: host to device, availability, (visibility,) device to host.
static enum vkr_result dependency_source(const struct source *from,
					 const struct vkr_engine_dependency *dependency,
					 struct vkr_token *found, struct vkr_error *error)
{
	const uint64_t stages = from->host ? VKR_HOST_STAGE : dependency->source_stages;
	const struct vkr_queue_span first =
		vkr_queue_span_prefix(from->timeline, from->position, stages, VKR_EVERY_BIT);
	enum vkr_result result = vkr_state_gather(
		from->state, from->host ? VKR_EVERY_BIT : dependency->source_stages, found, error);
	if (from->host && result == VKR_OK) {
		// Coherent writes are available to the host domain by themselves.
		struct vkr_queue_span writes = first;
		writes.accesses = VKR_HOST_COHERENT_WRITE;
		result = vkr_queue_clock_put(&found->host, &writes, error);
	}
	if (result == VKR_OK && !from->chain)
		result = add_first(&found->before, from, &first, error);
	if (result == VKR_OK && !from->chain && first.stages & VKR_ENGINE_TRANSITION) {
		// "Writes performed by a layout transition are automatically made available"
		// ("Image Layout Transitions"): by whoever is after it, whatever it names.
		struct vkr_queue_span writes = first;
		writes.stages = VKR_ENGINE_TRANSITION;
		result = add_first(&found->available, from, &writes, error);
	}
	for (uint32_t i = 0; i < dependency->access_count && result == VKR_OK; i++)
		if (dependency->accesses[i].from_host)
			result = vkr_domain_operation(&found->available, found->host,
						      &dependency->accesses[i], error);
	if (result == VKR_OK && !from->host && !from->chain)
		result = add_writes(from, &first, dependency, found, error);
	for (uint32_t i = 0; i < dependency->access_count && result == VKR_OK; i++) {
		if (dependency->accesses[i].to_host)
			result = vkr_domain_operation(&found->host, found->available,
						      &dependency->accesses[i], error);
	}
	return result;
}

// The state of a transition: what the first half has found, and what dependencies brought whose
// second scope means all commands.
static enum vkr_result transition_state(const struct vkr_state *old, struct vkr_token *found,
					struct vkr_state **made, struct vkr_error *error)
{
	enum vkr_result result = vkr_state_gather(old, VKR_ENGINE_TRANSITION, found, error);
	*made = NULL;
	if (result != VKR_OK)
		return result;
	*made = vkr_state_create();
	if (!*made)
		return vkr_error_memory(error, "a layout transition");
	result = vkr_group_learn((*made)->groups, found, error);
	if (result == VKR_OK)
		result =
			vkr_queue_clock_merge(&(*made)->groups[0].visible, found->available, error);
	if (result != VKR_OK) {
		vkr_state_drop(*made);
		*made = NULL;
	}
	return result;
}

// The state that a transition is put on.
static const struct vkr_state *place_of(const struct vkr_timeline *on,
					const struct vkr_engine_transition *transition)
{
	return transition->place ? transition->place->state : on->state;
}

// Two dependencies of one number lead to the same commands, and make the same visible to them.
static uint64_t number_second_scope(const struct vkr_engine_dependency *dependency)
{
	uint64_t number =
		XXH3_64bits(&dependency->destination_stages, sizeof dependency->destination_stages);
	for (uint32_t i = 0; i < dependency->access_count; i++) {
		const struct vkr_engine_barrier_access *access = &dependency->accesses[i];
		const uint64_t of[4] = {access->destination_accesses,
					(uint64_t)access->memory << 1 | access->to_host,
					access->offset, access->bytes};
		number = XXH3_64bits_withSeed(of, sizeof of, number);
	}
	return number;
}

// The transition stands as a command of its own between the dependency's halves.
static enum vkr_result transition_between(struct vkr_queues *queues, uint32_t timeline,
					  uint64_t tag,
					  const struct vkr_engine_dependency *dependency,
					  struct vkr_token *found, struct vkr_error *error)
{
	struct vkr_engine_transition *transition = dependency->transition;
	struct vkr_state *state;
	enum vkr_result result = transition_state(
		place_of(vkr_queues_on(queues, timeline), transition), found, &state, error);
	if (result == VKR_OK)
		result = vkr_queues_command(queues, timeline, tag, &transition->command, error);
	if (result != VKR_OK) {
		vkr_state_drop(state);
		return result;
	}
	struct vkr_command *command = &queues->commands.items[transition->command - 1];
	struct vkr_sections *sections = &vkr_queues_on(queues, timeline)->sections;
	vkr_state_drop(command->state);
	command->state = state;
	command->transition = true;
	if (sections->base == NULL && dependency->local == 0 && transition->place == NULL)
		command->second_scope = number_second_scope(dependency);
	// Where a section begins, the transition comes before it: it belongs to the dependency, not
	// to the section.
	if (sections->base && sections->begin + 1 == command->position) {
		sections->begin++;
		command->section = 0;
	}
	result = vkr_queues_transitioned(queues, timeline, transition, command->position, found,
					 error);
	return result;
}

// The second half: what comes later in the second scope learns what was found.
static enum vkr_result dependency_destination(struct vkr_state *state,
					      const struct vkr_engine_dependency *dependency,
					      const struct vkr_token *found, bool sees,
					      struct vkr_error *error)
{
	const uint32_t access_count = sees ? dependency->access_count : 0;
	enum vkr_result result = vkr_state_split(state, dependency->destination_stages, error);
	for (uint32_t i = 0; i < access_count && result == VKR_OK; i++) {
		if (dependency->accesses[i].destination_stages)
			result = vkr_state_split(state, dependency->accesses[i].destination_stages,
						 error);
	}
	for (uint32_t g = 0; g < state->group_count && result == VKR_OK; g++) {
		struct vkr_group *group = &state->groups[g];
		if (!(group->stages & dependency->destination_stages))
			continue;
		result = vkr_group_learn(group, found, error);
		for (uint32_t i = 0; i < access_count && result == VKR_OK; i++) {
			const struct vkr_engine_barrier_access *access = &dependency->accesses[i];
			const struct vkr_clock_part part =
				vkr_clock_part_of(access, access->destination_accesses);
			if (access->destination_stages == 0 ||
			    (group->stages & access->destination_stages))
				result = vkr_queue_clock_merge_part(&group->visible,
								    found->available, &part, error);
		}
	}
	return result;
}

// ---- Marks and what is limited ------------------------------------------------------------------

static struct vkr_engine_mark mark_here(const struct vkr_timeline *on, uint32_t timeline)
{
	struct vkr_engine_mark mark = {timeline, on->position, on->state, {.limited = false}};
	if (on->sections.base)
		mark.within = (struct vkr_scope_limit){true, on->sections.begin,
						       on->sections.stages, on->sections.last_end};
	return mark;
}

struct vkr_engine_mark vkr_queues_mark(struct vkr_queues *queues, uint32_t timeline)
{
	struct vkr_timeline *on = vkr_queues_on(queues, timeline);
	on->changes++;
	vkr_state_hold(on->state);
	return mark_here(on, timeline);
}

enum vkr_result vkr_queues_command_knows(struct vkr_queues *queues, uint32_t command,
					 const struct vkr_engine_mark *mark,
					 struct vkr_error *error)
{
	struct vkr_command *of = &queues->commands.items[command - 1];
	struct vkr_state *known;
	unsigned local = 0;
	for (unsigned kind = 0; kind < VKR_ENGINE_LOCALS; kind++)
		local |= mark->state->apart[kind] ? 1u << kind : 0;
	enum vkr_result result = vkr_state_begin(of->state, local, &known, error);
	if (result != VKR_OK)
		return result;
	result = vkr_state_join(known, mark->state, error);
	if (result == VKR_OK)
		result = vkr_queues_note_cuts(queues, of->timeline, known, error);
	if (result != VKR_OK) {
		vkr_state_drop(known);
		return result;
	}
	vkr_state_drop(of->state);
	of->state = known;
	vkr_queues_on(queues, of->timeline)->changes++;
	return VKR_OK;
}

// ---- Putting in place ---------------------------------------------------------------------------

// What is known at the same place or, with a kind of place, about accesses at another one.
static const struct vkr_state *state_of(const struct vkr_state *state, unsigned kind)
{
	return kind < VKR_ENGINE_LOCALS && state->apart[kind] ? state->apart[kind] : state;
}

// Dependencies that are being put in place.
struct putting {
	struct vkr_queues *queues;
	uint32_t timeline;
	uint64_t tag;
	const struct vkr_engine_mark *from;
	struct source source;
	struct vkr_learners learners;
	struct vkr_error *error;
};

static enum vkr_result learn_dependency(const struct putting *put,
					const struct vkr_engine_dependency *dependency,
					const struct vkr_token *found)
{
	enum vkr_result result = VKR_OK;
	for (unsigned i = 0; i < put->learners.count && result == VKR_OK; i++)
		result = dependency_destination(put->learners.items[i], dependency, found,
						i != put->learners.chained, put->error);
	return result;
}

static enum vkr_result learn_apart(const struct putting *put, unsigned kind,
				   const struct vkr_engine_dependency *dependency,
				   const struct vkr_token *found)
{
	enum vkr_result result = VKR_OK;
	for (unsigned i = 0; i < put->learners.count && result == VKR_OK; i++)
		if (put->learners.items[i]->apart[kind])
			result = dependency_destination(put->learners.items[i]->apart[kind],
							dependency, found,
							i != put->learners.chained, put->error);
	return result;
}

// Gathers what everything in a dependency's first scope knows; with a kind of place, what is known
// about another place and chains.
static enum vkr_result find_before(const struct putting *put, unsigned kind,
				   const struct vkr_engine_dependency *dependency,
				   struct vkr_token *found)
{
	struct source source = put->source;
	struct vkr_engine_dependency part = *dependency;
	source.chain = kind < VKR_ENGINE_LOCALS;
	source.state = state_of(source.state, kind);
	enum vkr_result result = dependency_source(&source, dependency, found, put->error);
	for (uint32_t i = 0; i < dependency->member_count && result == VKR_OK; i++) {
		const struct vkr_engine_member *member = &dependency->members[i];
		const struct vkr_command *command =
			&put->queues->commands.items[member->command - 1];
		source.timeline = command->timeline;
		source.position = command->position;
		source.state = state_of(command->state, kind);
		source.within = (struct vkr_scope_limit){true, command->position - 1, 0, 0};
		part.source_stages = dependency->source_stages & member->stages;
		if (part.source_stages != 0)
			result = dependency_source(&source, &part, found, put->error);
	}
	return result;
}

// Accesses at other places of a kind learn only what chains into a local dependency.
static enum vkr_result put_apart(const struct putting *put, unsigned kind,
				 const struct vkr_engine_dependency *dependency)
{
	struct vkr_token found = {0};
	enum vkr_result result = find_before(put, kind, dependency, &found);
	if (result == VKR_OK && dependency->transition) {
		const struct vkr_state *old =
			place_of(vkr_queues_on(put->queues, put->timeline), dependency->transition);
		const struct vkr_command *command =
			&put->queues->commands.items[dependency->transition->command - 1];
		result = transition_state(old->apart[kind] ? old->apart[kind] : old, &found,
					  &command->state->apart[kind], put->error);
	}
	if (result == VKR_OK)
		result = learn_apart(put, kind, dependency, &found);
	vkr_token_empty(&found);
	return result;
}

static enum vkr_result put_one(const struct putting *put,
			       const struct vkr_engine_dependency *dependency)
{
	struct vkr_token found = {0};
	enum vkr_result result = find_before(put, VKR_ENGINE_LOCALS, dependency, &found);
	if (result == VKR_OK && dependency->transition)
		result = transition_between(put->queues, put->timeline, put->tag, dependency,
					    &found, put->error);
	if (result == VKR_OK)
		result = learn_dependency(put, dependency, &found);
	for (unsigned kind = 0; kind < VKR_ENGINE_LOCALS && result == VKR_OK; kind++) {
		if (dependency->local >> kind & 1)
			result = put_apart(put, kind, dependency);
		else
			result = learn_apart(put, kind, dependency, &found);
	}
	vkr_token_empty(&found);
	return result;
}

static enum vkr_result put_all(const struct putting *put,
			       const struct vkr_engine_dependency *dependencies, uint32_t count)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t i = 0; i < count && result == VKR_OK; i++) {
		result = put_one(put, &dependencies[i]);
		if (result == VKR_OK && put->from->timeline == put->timeline)
			result = vkr_queues_remember(put->queues, put->timeline, put->from,
						     put->tag, &dependencies[i], put->error);
	}
	return result;
}

enum vkr_result vkr_queues_dependencies(struct vkr_queues *queues, uint32_t timeline,
					const struct vkr_engine_mark *since, uint64_t tag,
					const struct vkr_engine_dependency *dependencies,
					uint32_t count, struct vkr_error *error)
{
	struct vkr_timeline *on = vkr_queues_on(queues, timeline);
	// Every source is gathered from the old state: dependencies at one place do not chain.
	struct vkr_engine_mark here = mark_here(on, timeline);
	const struct vkr_engine_mark *from = since ? since : &here;
	struct vkr_state *known;
	unsigned local = 0;
	for (uint32_t i = 0; i < count; i++) {
		local |= dependencies[i].local;
		queues->local_stages |= vkr_queues_local_stages(&dependencies[i]);
	}
	enum vkr_result result = vkr_state_begin(on->state, local, &known, error);
	if (result != VKR_OK)
		return result;
	const bool beyond = count > 0 && dependencies[0].beyond;
	if (beyond)
		here.within = (struct vkr_scope_limit){.limited = false};
	const struct putting put = {
		.queues = queues,
		.timeline = timeline,
		.tag = tag,
		.from = from,
		.source = {from->timeline, from->position,
			   from->within.limited ? from->state : vkr_state_chained(from->state),
			   from->within, vkr_queues_on(queues, from->timeline)->host, false},
		.learners = vkr_timeline_learners(on, known, !beyond),
		.error = error};
	result = put_all(&put, dependencies, count);
	if (result != VKR_OK) {
		vkr_state_drop(known);
		return result;
	}
	vkr_timeline_commit(on, known);
	return from->within.limited ? vkr_queues_note_cuts(queues, timeline, known, error) : VKR_OK;
}
