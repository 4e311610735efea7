// SPDX-License-Identifier: Apache-2.0
#include "effect_races.h"

#include "array.h"

bool vkr_effect_races_begin(const struct vkr_engine *engine, struct vkr_effect *effect)
{
	effect->start.races = engine->races;
	effect->start.asked = engine->asked;
	if (!VKR_ARRAY_RESERVE(&effect->races, engine->pairs.count))
		return false;
	effect->races.count = engine->pairs.count;
	for (size_t at = 0; at < engine->pairs.count; at++)
		effect->races.items[at] =
			(struct effect_race){(uint32_t)at, engine->pairs.items[at].count};
	return true;
}

// The bytes that raced are known after the first time, and when it repeats they are the same. What
// was asked about another command may be answered otherwise then; of two of the dispatch's own
// invocations, which nothing but barriers orders, the answer is the same.
bool vkr_effect_races_end(const struct vkr_engine *engine, struct vkr_effect *effect)
{
	const size_t before = effect->races.count;
	size_t kept = 0;
	if (engine->asked != effect->start.asked ||
	    !VKR_ARRAY_RESERVE(&effect->races, engine->pairs.count - before))
		return false;
	effect->races.all = engine->races - effect->start.races;
	for (size_t at = 0; at < engine->pairs.count; at++) {
		const uint64_t was = at < before ? effect->races.items[at].count : 0;
		if (engine->pairs.items[at].count != was)
			effect->races.items[kept++] = (struct effect_race){
				(uint32_t)at, engine->pairs.items[at].count - was};
	}
	effect->races.count = kept;
	return true;
}

void vkr_effect_races_repeat(struct vkr_engine *engine, const struct vkr_effect *effect)
{
	const uint32_t command = engine->dispatch.command;
	const uint64_t number = engine->queues.commands.items[command - 1].number;
	engine->races += effect->races.all;
	for (size_t at = 0; at < effect->races.count; at++) {
		const struct effect_race *race = &effect->races.items[at];
		struct vkr_pair *pair = &engine->pairs.items[race->pair];
		pair->count += race->count;
		pair->commands += pair->last_command != number;
		pair->last_command = number;
	}
}
