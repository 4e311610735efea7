// SPDX-License-Identifier: Apache-2.0
// What is known to whole commands in each stage. Knows nothing of accesses.
#include "standing.h"

#include "engine_state.h"

#include <assert.h>

struct vkr_engine_standing vkr_engine_stand(const struct vkr_engine *engine, uint32_t command)
{
	assert(command >= 1 && command <= engine->queues.commands.count);
	const struct vkr_command *of = &engine->queues.commands.items[command - 1];
	assert(of->state); // it has not been ended
	return (struct vkr_engine_standing){.number = of->number,
					    .position = of->position,
					    .timeline = of->timeline,
					    .state = vkr_state_hold(of->state)};
}

void vkr_engine_standing_drop(struct vkr_engine_standing *standing)
{
	vkr_state_drop(standing->state);
	*standing = (struct vkr_engine_standing){0};
}

void vkr_engine_command_hold(struct vkr_engine *engine, uint32_t command)
{
	assert(command >= 1 && command <= engine->queues.commands.count);
	vkr_queues_command_hold(&engine->queues, command);
}

void vkr_engine_command_drop(struct vkr_engine *engine, uint32_t command)
{
	assert(command >= 1 && command <= engine->queues.commands.count);
	vkr_queues_command_release(&engine->queues, command);
}

bool vkr_engine_is_standing(const struct vkr_engine *engine, uint32_t command,
			    const struct vkr_engine_standing *standing)
{
	assert(command >= 1 && command <= engine->queues.commands.count);
	return engine->queues.commands.items[command - 1].number == standing->number;
}

static struct vkr_queue_point point_of(const struct vkr_engine_standing *standing, uint64_t stage,
				       uint64_t accesses)
{
	return (struct vkr_queue_point){standing->timeline, standing->position, stage, accesses};
}

// Whether all of `stages`, with any of `accesses`, are in the set everywhere, for any of the
// readers.
static bool clock_holds(const struct vkr_queue_clock *set,
			const struct vkr_engine_standing *standing, uint64_t stages,
			uint64_t accesses, uint64_t readers)
{
	for (uint64_t left = stages; left != 0; left &= left - 1) {
		const struct vkr_queue_point point = point_of(standing, left & -left, accesses);
		struct vkr_verdict_range place = {.high = UINT64_MAX};
		if (!vkr_queue_clock_has(set, &point, readers, &place))
			return false;
	}
	return true;
}

static bool queue_standing_knows(const struct vkr_state *state, uint64_t later,
				 const struct vkr_engine_standing *standing, uint64_t stages)
{
	for (uint32_t at = 0; at < state->group_count; at++)
		if (state->groups[at].stages & later &&
		    !clock_holds(state->groups[at].before, standing, stages, VKR_EVERY_BIT,
				 VKR_EVERY_BIT))
			return false;
	return true;
}

bool vkr_engine_stands_before(const struct vkr_engine_standing *one, uint64_t stages,
			      const struct vkr_engine_standing *other, uint64_t other_stages)
{
	bool before = queue_standing_knows(other->state, other_stages, one, stages);
	for (unsigned kind = 0; kind < VKR_ENGINE_LOCALS && before; kind++)
		before = other->state->apart[kind] == NULL ||
			 queue_standing_knows(other->state->apart[kind], other_stages, one, stages);
	return before;
}

// As clock_holds, at all bytes [low, high) of the memory.
static bool clock_covers(const struct vkr_queue_clock *set,
			 const struct vkr_engine_standing *standing, uint64_t stages,
			 uint64_t accesses, uint64_t readers, uint32_t memory, uint64_t low,
			 uint64_t high)
{
	for (uint64_t left = stages; left != 0; left &= left - 1)
		for (uint64_t at = low; at < high;) {
			const struct vkr_queue_point point =
				point_of(standing, left & -left, accesses);
			struct vkr_verdict_range place = {
				.memory = memory, .offset = at, .high = UINT64_MAX};
			if (!vkr_queue_clock_has(set, &point, readers, &place))
				return false;
			at = place.high;
		}
	return true;
}

bool vkr_engine_stands_available(const struct vkr_engine_standing *one, uint64_t stages,
				 uint64_t written, const struct vkr_engine_standing *other,
				 uint64_t other_stages, uint32_t memory, uint64_t low,
				 uint64_t high)
{
	for (unsigned kind = 0; kind <= VKR_ENGINE_LOCALS; kind++) {
		const struct vkr_state *state =
			kind < VKR_ENGINE_LOCALS ? other->state->apart[kind] : other->state;
		for (uint32_t at = 0; state != NULL && at < state->group_count; at++)
			if (state->groups[at].stages & other_stages &&
			    !clock_covers(state->groups[at].available, one, stages, written,
					  VKR_EVERY_BIT, memory, low, high))
				return false;
	}
	return true;
}

bool vkr_engine_stands_seeing(const struct vkr_engine_standing *one, uint64_t stages,
			      const struct vkr_engine_standing *other, uint64_t other_stages,
			      uint64_t read, uint32_t memory, uint64_t low, uint64_t high)
{
	const struct vkr_state *state = other->state;
	for (uint32_t at = 0; at < state->group_count; at++)
		if (state->groups[at].stages & other_stages &&
		    !clock_covers(state->groups[at].visible, one, stages, VKR_DEPENDED_ON, read,
				  memory, low, high))
			return false;
	return true;
}

bool vkr_engine_is_past(const struct vkr_engine *engine, const struct vkr_engine_standing *standing,
			uint64_t stages, uint64_t written, uint32_t timeline, uint64_t later,
			uint64_t read)
{
	assert(timeline >= 1 && timeline <= engine->queues.timelines.count);
	const struct vkr_state *state = engine->queues.timelines.items[timeline - 1].state;
	for (uint32_t at = 0; at < state->group_count; at++) {
		const struct vkr_group *group = &state->groups[at];
		if (group->stages & later &&
		    !(clock_holds(group->before, standing, stages, VKR_EVERY_BIT, VKR_EVERY_BIT) &&
		      (written == 0 ||
		       (clock_holds(group->available, standing, stages, written, VKR_EVERY_BIT) &&
			clock_holds(group->visible, standing, stages, written, read)))))
			return false;
	}
	return true;
}

bool vkr_engine_is_known(const struct vkr_engine *engine,
			 const struct vkr_engine_standing *standing, uint64_t stages,
			 uint64_t written, uint32_t host)
{
	assert(host >= 1 && host <= engine->queues.timelines.count);
	const struct vkr_state *state = engine->queues.timelines.items[host - 1].state;
	for (uint32_t at = 0; at < state->group_count; at++)
		if (state->groups[at].stages & VKR_HOST_STAGE)
			return clock_holds(state->groups[at].before, standing, stages,
					   VKR_EVERY_BIT, VKR_EVERY_BIT) &&
			       (written == 0 || clock_holds(state->groups[at].available, standing,
							    stages, written, VKR_EVERY_BIT));
	return false;
}

// ---- What is settled ----------------------------------------------------------------------------

// In some stages, at all places of a framebuffer.
static bool state_settles(const struct vkr_state *state, uint64_t later,
			  const struct vkr_engine_standing *standing, uint64_t stages)
{
	bool settles = queue_standing_knows(state, later, standing, stages);
	for (unsigned kind = 0; kind < VKR_ENGINE_LOCALS && settles; kind++)
		settles = state->apart[kind] == NULL ||
			  queue_standing_knows(state->apart[kind], later, standing, stages);
	return settles;
}

static uint64_t stages_on(const struct vkr_engine *engine, uint32_t timeline)
{
	return engine->queues.timelines.items[timeline - 1].host ? VKR_HOST_STAGE
								 : engine->options.queue_stages;
}

// What comes on the timeline. After the section that is open, what was learned in it is not known.
static bool timeline_settles(const struct vkr_engine *engine, uint32_t timeline,
			     const struct vkr_engine_standing *standing, uint64_t stages,
			     uint32_t memory)
{
	const struct vkr_timeline *on = &engine->queues.timelines.items[timeline - 1];
	const uint64_t later = stages_on(engine, timeline);
	const enum vkr_engine_coming coming =
		on->host ? VKR_COMING_LATER
			 : engine->options.coming(engine->options.context, timeline, memory);
	return coming == VKR_COMING_SUBMITTED ||
	       (coming == VKR_COMING_LATER && state_settles(on->state, later, standing, stages) &&
		(on->sections.base == NULL ||
		 state_settles(on->sections.base, later, standing, stages)));
}

static bool command_settles(const struct vkr_engine *engine, uint32_t command,
			    const struct vkr_engine_standing *standing, uint64_t stages)
{
	const struct vkr_command *of = &engine->queues.commands.items[command - 1];
	return state_settles(of->state, stages_on(engine, of->timeline), standing, stages);
}

bool vkr_engine_is_settled(const struct vkr_engine *engine, uint32_t command, uint64_t stages,
			   uint32_t memory)
{
	const struct vkr_queues *queues = &engine->queues;
	const struct vkr_command *of = &queues->commands.items[command - 1];
	const struct vkr_engine_standing standing = {.position = of->position,
						     .timeline = of->timeline};
	bool settled = engine->options.coming != NULL;
	for (uint32_t at = 1; at <= queues->timelines.count && settled; at++)
		settled = timeline_settles(engine, at, &standing, stages, memory);
	for (size_t at = 0; at < queues->open.count && settled; at++)
		settled = command_settles(engine, queues->open.items[at], &standing, stages);
	return settled;
}
