// SPDX-License-Identifier: Apache-2.0
// Counts races by pair of sites, and reports the first of each. Knows how an access is named in a
// race; nothing of which accesses race.
#include "judge.h"

#include "array.h"
#include "error.h"

static void fill_access(const struct vkr_engine *engine, struct vkr_engine_access *access,
			uint32_t command, uint32_t site_id, uint32_t reference)
{
	const struct vkr_judge_site *site = &engine->sites.items[site_id - 1];
	*access = (struct vkr_engine_access){.command = command,
					     .tag = engine->queues.commands.items[command - 1].tag,
					     .site = site_id,
					     .site_tag = site->tag,
					     .stage = site->stage,
					     .access = site->access,
					     .reference = reference};
}

static void fill_invocation(struct vkr_engine_access *access, uint64_t invocation, unsigned bits,
			    uint32_t interval)
{
	access->invocation = true;
	access->workgroup = (uint32_t)(invocation >> bits);
	access->local = (uint32_t)(invocation & (((uint64_t)1 << bits) - 1));
	access->interval = interval;
}

static uint64_t pair_key(uint32_t first_site, uint32_t second_site, enum vkr_race_class race_class,
			 bool possible)
{
	return (uint64_t)first_site << 35 | (uint64_t)second_site << 5 | (uint64_t)possible << 4 |
	       (uint64_t)race_class;
}

bool vkr_judge_asks(const struct vkr_engine *engine, const struct vkr_found_race *found,
		    const struct vkr_access *access)
{
	const struct vkr_epoch *x = &found->first;
	const unsigned flags = engine->sites.items[x->site - 1].flags & access->what->flags;
	if (!engine->options.ask)
		return false;
	if (x->invocation && !access->invocation && flags & VKR_ENGINE_PLACED &&
	    access->what->flags & VKR_ENGINE_RASTERIZED)
		return true;
	return found->shortfall & (VKR_SHORT_OTHER_REGION | VKR_SHORT_OTHER_VIEW) ||
	       (x->command == access->command ? x->invocation && access->invocation
					      : (flags & VKR_ENGINE_ASK) != 0);
}

bool vkr_judge_is_told(const struct vkr_engine *engine, const struct vkr_found_race *found,
		       const struct vkr_access *access)
{
	uint64_t pair;
	return !vkr_judge_asks(engine, found, access) &&
	       vkr_map_get(&engine->pair_of,
			   pair_key(found->first.site, access->site, found->race_class, false),
			   &pair);
}

// Counts a race, at the bytes up to `end`; `is_new`: it is the first of its pair.
static enum vkr_result count_race(struct vkr_engine *engine, struct vkr_engine_race *race,
				  uint64_t count, uint64_t end, bool *is_new,
				  struct vkr_error *error)
{
	const uint64_t key =
		pair_key(race->first.site, race->second.site, race->race_class, race->possible);
	const uint64_t command = engine->queues.commands.items[race->second.command - 1].number;
	uint64_t pair = 0;
	engine->races += !race->possible;
	if (engine->options.shard)
		engine->options.shard->together = true;
	*is_new = !vkr_map_get(&engine->pair_of, key, &pair);
	if (*is_new) {
		if (!VKR_ARRAY_RESERVE(&engine->pairs, 1) ||
		    !vkr_map_set(&engine->pair_of, key, engine->pairs.count + 1))
			return vkr_error_memory(error, "races");
		engine->pairs.items[engine->pairs.count++] = (struct vkr_pair){0};
		pair = engine->pairs.count;
	}
	struct vkr_pair *of = &engine->pairs.items[pair - 1];
	race->pair = (uint32_t)pair - 1;
	of->count += count;
	of->commands += of->last_command != command;
	of->last_command = command;
	return vkr_byte_ranges_add(&of->extent, race->memory, race->offset, end)
		       ? VKR_OK
		       : vkr_error_memory(error, "races");
}

// Counts races in the memory of the present workgroup as its own.
static bool count_in_workgroup(struct vkr_engine *engine, uint32_t number, uint64_t count)
{
	struct vkr_pair *pair = &engine->pairs.items[number];
	if (pair->workgroup == engine->dispatch.workgroups) {
		engine->workgroup_races.items[pair->raced].count += count;
		return true;
	}
	if (!VKR_ARRAY_RESERVE(&engine->workgroup_races, 1))
		return false;
	pair->workgroup = engine->dispatch.workgroups;
	pair->raced = engine->workgroup_races.count;
	engine->workgroup_races.items[engine->workgroup_races.count++] =
		(struct vkr_engine_raced){number, count};
	return true;
}

static void complete_access(const struct vkr_engine *engine, struct vkr_engine_access *access)
{
	const struct vkr_engine_access given = *access;
	fill_access(engine, access, given.command, given.site, given.reference);
	access->invocation = given.invocation;
	access->workgroup = given.workgroup;
	access->local = given.local;
	access->interval = given.interval;
}

// What order between their commands falls short of.
static void judge_race_explain(const struct vkr_engine *engine, const struct vkr_shadow *shadow,
			       struct vkr_engine_race *race)
{
	const struct vkr_judge_site *sites = engine->sites.items;
	const struct vkr_side from =
		vkr_judge_side(&sites[race->first.site - 1], race->first.command, shadow->coherent);
	const struct vkr_side to = vkr_judge_side(&sites[race->second.site - 1],
						  race->second.command, shadow->coherent);
	vkr_queues_explain(&engine->queues, &from, &to, shadow->serial, race->offset, race);
}

enum vkr_result vkr_engine_race_found(struct vkr_engine *engine, const struct vkr_engine_race *race,
				      uint64_t count, struct vkr_error *error)
{
	struct vkr_engine_race told = *race;
	bool is_new = false;
	enum vkr_result result;

	complete_access(engine, &told.first);
	complete_access(engine, &told.second);
	result = count_race(engine, &told, count, told.offset + told.bytes, &is_new, error);
	if (result != VKR_OK || !is_new)
		return result;
	if (race->first.command != race->second.command)
		judge_race_explain(engine, &engine->memories.items[race->memory - 1], &told);
	if (engine->options.race)
		engine->options.race(engine->options.context, &told);
	return result;
}

enum vkr_result vkr_judge_race(struct vkr_engine *engine, const struct vkr_access *access,
			       const struct vkr_found_race *found, uint64_t count, uint64_t end,
			       uint32_t *pair, struct vkr_error *error)
{
	const struct vkr_epoch *x = &found->first;
	struct vkr_engine_race race = {.race_class = found->race_class,
				       .memory = access->shadow->memory,
				       .offset = found->low,
				       .bytes = found->high - found->low,
				       .shortfall = found->shortfall};
	bool is_new = false;
	enum vkr_result result;

	*pair = UINT32_MAX;
	if (access->shadow == &engine->workgroup_memory)
		engine->dispatch.conflicts = true;
	fill_access(engine, &race.first, x->command, x->site, x->reference);
	if (x->invocation)
		fill_invocation(&race.first, vkr_epoch_invocation(x, found->first_number),
				x->local_bits, x->interval);
	fill_access(engine, &race.second, access->command, access->site, access->reference);
	if (access->invocation)
		fill_invocation(&race.second, vkr_access_invocation(access, found->low),
				access->local_bits, access->interval);
	if (vkr_judge_asks(engine, found, access)) {
		engine->asked += x->command != access->command;
		race.race_class = engine->options.ask(engine->options.context, &race);
		if (race.race_class == VKR_RACE_NONE)
			return VKR_OK;
	}
	result = count_race(engine, &race, count, end, &is_new, error);
	*pair = race.pair;
	if (result == VKR_OK && access->shadow == &engine->workgroup_memory &&
	    !count_in_workgroup(engine, race.pair, count))
		result = vkr_error_memory(error, "races");
	if (result != VKR_OK || !is_new)
		return result;
	if (race.shortfall & VKR_SHORT_OWNERSHIP)
		vkr_judge_owner_explain(engine, access, found, &race);
	else if (x->command != access->command)
		judge_race_explain(engine, access->shadow, &race);
	if (engine->options.race)
		engine->options.race(engine->options.context, &race);
	return VKR_OK;
}
