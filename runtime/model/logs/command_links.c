// SPDX-License-Identifier: Apache-2.0
#include "command_links.h"

#include "array.h"
#include "error.h"
#include "model_state.h"
#include "shader_logs.h"
#include "site_table.h"

#include <stdlib.h>

#include <vulkan/vulkan_core.h>

static void finish_linked(struct vkr_linked *linked)
{
	vkr_joined_logs_finish(&linked->logs);
	*linked = (struct vkr_linked){0};
}

static void clear_bytes(struct vkr_command_links *links)
{
	for (size_t at = 0; at < links->bytes.count; at++)
		free(links->bytes.items[at].ranges.items);
	links->bytes.count = 0;
}

void vkr_command_links_finish(struct vkr_command_links *links)
{
	for (size_t at = 0; at < links->commands.count; at++)
		finish_linked(&links->commands.items[at]);
	finish_linked(&links->own);
	clear_bytes(links);
	vkr_joined_logs_finish(&links->logs);
	free(links->commands.items);
	free(links->candidates.items);
	free(links->bytes.items);
	free(links->parts.items);
	free(links->timelines.items);
	vkr_map_finish(&links->places);
	*links = (struct vkr_command_links){0};
}

// ---- What a command has done --------------------------------------------------------------------

// What an update writes carries on the release sequence that it read of, whatever it is itself.
static bool reaches_others(const struct vkr_sync *sync)
{
	for (size_t at = 0; at < sync->atomics.count; at++) {
		const struct vkr_sync_atomic *atomic = &sync->atomics.items[at];
		const uint8_t scope = sync->sites[sync->events.items[atomic->event].site].scope;
		if (atomic->memory <= UINT32_MAX && vkr_scope_is_far(scope) &&
		    (atomic->acquires || atomic->releases || (atomic->reads && atomic->writes)))
			return true;
	}
	return false;
}

bool vkr_command_links_add(struct vkr_command_links *links, const struct vkr_sync *sync)
{
	struct vkr_linked *own = &links->own;
	own->far = own->far || reaches_others(sync);
	own->chains = sync->chains;
	return vkr_joined_logs_add(&own->logs, sync);
}

// Whether all that such commands may do from now on, on the timelines that had some, is behind the
// command.
static bool is_past(const struct vkr_model *model, const struct vkr_linked *linked)
{
	const struct vkr_command_links *links = &model->command_links;
	bool past = linked->stages != 0;
	for (size_t at = 0; at < links->timelines.count && past; at++)
		past = vkr_engine_is_past(model->engine, linked->command, linked->stages,
					  VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
					  links->timelines.items[at], links->stages);
	return past;
}

// Forgets what everything that may come is behind, but that it was there; and what could never
// synchronize with another command. The engine may have given a command's number to another one,
// where no byte remembers it.
static void forget_past(struct vkr_model *model)
{
	struct vkr_command_links *links = &model->command_links;
	size_t kept = 0;
	for (size_t at = 0; at < links->commands.count; at++) {
		struct vkr_linked *linked = &links->commands.items[at];
		const bool gone = !linked->far ||
				  vkr_engine_tag(model->engine, linked->command) != linked->tag;
		if (!gone && !is_past(model, linked)) {
			links->commands.items[kept++] = *linked;
			continue;
		}
		if (!gone)
			model->names.executed.items[linked->tag].links_forgotten = true;
		finish_linked(linked);
	}
	links->commands.count = kept;
}

static bool note_timeline(struct vkr_command_links *links, uint32_t timeline)
{
	for (size_t at = 0; at < links->timelines.count; at++)
		if (links->timelines.items[at] == timeline)
			return true;
	if (!VKR_ARRAY_RESERVE(&links->timelines, 1))
		return false;
	links->timelines.items[links->timelines.count++] = timeline;
	return true;
}

// ---- Races that are put off ---------------------------------------------------------------------

static struct vkr_linked *find_linked(struct vkr_command_links *links, uint32_t command)
{
	for (size_t at = links->commands.count; at-- > 0;)
		if (links->commands.items[at].command == command)
			return &links->commands.items[at];
	return NULL;
}

static bool is_alike(const struct vkr_engine_race *x, const struct vkr_engine_race *y)
{
	return x->first.site == y->first.site && x->second.site == y->second.site &&
	       x->race_class == y->race_class && x->first.command == y->first.command;
}

static bool put_off(struct vkr_command_links *links, const struct vkr_engine_race *race)
{
	const uint64_t words[] = {(uint64_t)race->first.site << 32 | race->second.site,
				  (uint64_t)race->first.command << 8 | race->race_class};
	uint64_t hash = 0, place = 0;
	for (size_t at = 0; at < sizeof words / sizeof *words; at++)
		hash = vkr_map_hash(hash ^ words[at]);
	if (vkr_map_get(&links->places, hash, &place) &&
	    is_alike(&links->candidates.items[place - 1].race, race)) {
		links->candidates.items[place - 1].count++;
		return true;
	}
	if (!VKR_ARRAY_RESERVE(&links->candidates, 1))
		return false;
	links->candidates.items[links->candidates.count++] = (struct vkr_link_candidate){*race, 1};
	return vkr_map_set(&links->places, hash, links->candidates.count);
}

static bool add_bytes(struct vkr_command_links *links, const struct vkr_engine_race *race)
{
	const bool first_writes = race->first.access & VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
	const bool second_writes = race->second.access & VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
	const struct vkr_sync_range range = {
		.memory = race->memory, .low = race->offset, .high = race->offset + race->bytes};
	for (size_t at = 0; at < links->bytes.count; at++) {
		struct vkr_link_bytes *bytes = &links->bytes.items[at];
		if (bytes->command == race->first.command &&
		    bytes->race_class == race->race_class && bytes->first_writes == first_writes &&
		    bytes->second_writes == second_writes)
			return vkr_sync_ranges_add(&bytes->ranges, &range);
	}
	if (!VKR_ARRAY_RESERVE(&links->bytes, 1))
		return false;
	struct vkr_link_bytes *made = &links->bytes.items[links->bytes.count++];
	*made = (struct vkr_link_bytes){.command = race->first.command,
					.race_class = race->race_class,
					.first_writes = first_writes,
					.second_writes = second_writes,
					.first_tag = race->first.site_tag,
					.second_tag = race->second.site_tag};
	return vkr_sync_ranges_add(&made->ranges, &range);
}

// No release of a shader orders private accesses, nor those through different references.
enum vkr_race_class vkr_command_links_ask(struct vkr_model *model,
					  const struct vkr_engine_race *candidate,
					  const struct vkr_access_site *first,
					  const struct vkr_access_site *second)
{
	struct vkr_command_links *links = &model->command_links;
	const struct vkr_site *x = &vkr_site_table_sites(first->shader->sites)[first->site];
	const struct vkr_site *y = &vkr_site_table_sites(second->shader->sites)[second->site];
	const unsigned of_memory = x->storage_class | y->storage_class;
	if (!vkr_sync_is_nonprivate(x) || !vkr_sync_is_nonprivate(y) ||
	    candidate->first.reference != candidate->second.reference ||
	    candidate->shortfall & VKR_SHORT_OWNERSHIP || !first->shader->orders_commands ||
	    !second->shader->orders_commands ||
	    !(first->shader->orders_workgroups & second->shader->orders_workgroups & of_memory))
		return candidate->race_class;
	const bool is_known = find_linked(links, candidate->first.command) != NULL;
	if (!is_known && !model->names.executed.items[candidate->first.tag].links_forgotten)
		return candidate->race_class;
	if (!(is_known ? add_bytes(links, candidate) : put_off(links, candidate)))
		links->failed = true;
	return VKR_RACE_NONE;
}

// ---- Several commands as one --------------------------------------------------------------------

// All commands but their accesses: any may have handed something on. *fits: there are numbers for
// their workgroups.
static bool join_all(struct vkr_command_links *links, struct vkr_joined_at *places, bool *fits)
{
	struct vkr_sync *sync = &links->logs.sync;
	uint64_t workgroup = 0;
	links->parts.count = 0;
	if (!VKR_ARRAY_RESERVE(&links->parts, links->commands.count))
		return false;
	for (size_t at = 0; at < links->commands.count; at++) {
		struct vkr_linked *linked = &links->commands.items[at];
		uint32_t last = 0;
		links->parts.items[links->parts.count++] = (struct vkr_sync_part){
			(uint32_t)workgroup, linked->command, linked->family};
		vkr_joined_logs_close(&linked->logs);
		if (!vkr_joined_logs_append(&links->logs, &linked->logs.sync, (uint32_t)workgroup,
					    &places[at]))
			return false;
		for (size_t i = 0; i < linked->logs.sync.agents.count; i++)
			if (linked->logs.sync.agents.items[i].workgroup > last)
				last = linked->logs.sync.agents.items[i].workgroup;
		for (size_t i = 0; i < linked->logs.sync.accesses.count; i++)
			if (linked->logs.sync.accesses.items[i].workgroup > last)
				last = linked->logs.sync.accesses.items[i].workgroup;
		workgroup += (uint64_t)last + 1;
		sync->chains = sync->chains || linked->chains;
	}
	*fits = workgroup < UINT32_MAX && sync->events.count < VKR_SYNC_NONE;
	sync->parts = links->parts.items;
	sync->part_count = (uint32_t)links->parts.count;
	sync->workgroup_end = (uint32_t)workgroup;
	return true;
}

static bool add_accesses(struct vkr_command_links *links, const struct vkr_joined_at *places,
			 const struct vkr_link_bytes *bytes, uint32_t command, bool writes)
{
	const struct vkr_linked *linked = find_linked(links, command);
	const struct vkr_joined_at *at = &places[linked - links->commands.items];
	for (size_t i = 0; i < linked->logs.sync.accesses.count; i++) {
		const struct vkr_sync_access *access = &linked->logs.sync.accesses.items[i];
		if ((writes ? access->write : access->read) &&
		    vkr_sync_ranges_touch(&bytes->ranges, access) &&
		    !vkr_joined_logs_access(&links->logs, at, access))
			return false;
	}
	return true;
}

static bool add_all_accesses(struct vkr_command_links *links, const struct vkr_joined_at *places,
			     uint32_t command)
{
	for (size_t at = 0; at < links->bytes.count; at++) {
		struct vkr_link_bytes *bytes = &links->bytes.items[at];
		vkr_sync_ranges_merge(&bytes->ranges);
		if (!add_accesses(links, places, bytes, bytes->command, bytes->first_writes) ||
		    !add_accesses(links, places, bytes, command, bytes->second_writes))
			return false;
		bytes->accesses = links->logs.sync.accesses.count;
	}
	return true;
}

// What is not certain orders nothing.
static void drop_doubts(struct vkr_sync *sync)
{
	for (size_t at = 0; at < sync->atomics.count; at++) {
		struct vkr_sync_atomic *atomic = &sync->atomics.items[at];
		if (atomic->perhaps_count > 0)
			atomic->from = VKR_SYNC_NONE;
		atomic->perhaps_count = 0;
	}
}

// The accesses of each entry of links->bytes by themselves: which of the others' race with those of
// the present command nothing else orders.
static enum vkr_result judge_each(struct vkr_command_links *links, struct vkr_engine *engine,
				  struct vkr_error *error)
{
	struct vkr_sync *sync = &links->logs.sync;
	struct vkr_sync_access *items = sync->accesses.items;
	const size_t count = sync->accesses.count;
	enum vkr_result result = vkr_sync_feed(sync, error);
	for (size_t at = 0, first = 0; at < links->bytes.count && result == VKR_OK; at++) {
		struct vkr_link_bytes *bytes = &links->bytes.items[at];
		sync->accesses.items = items + first;
		sync->accesses.count = bytes->accesses - first;
		sync->races = 0;
		sync->between = bytes->race_class;
		result = vkr_sync_judge(sync, engine, error);
		*(sync->only_count ? &bytes->certain : &bytes->races) = sync->races;
		first = bytes->accesses;
	}
	sync->accesses.items = items;
	sync->accesses.count = count;
	return result;
}

// All commands as one. With `certain` doubts order nothing, and where there are some, races are
// counted, and not told. *unknown: too much for any of it.
static enum vkr_result judge_joined(struct vkr_walk *walk, struct vkr_joined_at *places,
				    bool certain, bool *ambiguous, bool *unknown)
{
	struct vkr_command_links *links = &walk->model->command_links;
	struct vkr_sync *sync = &links->logs.sync;
	enum vkr_result result = VKR_OK;
	bool fits = true;
	if (!join_all(links, places, &fits) || !add_all_accesses(links, places, walk->command))
		result = vkr_error_memory(walk->error, "order between commands");
	vkr_joined_logs_close(&links->logs);
	if (result == VKR_OK && fits)
		result = vkr_sync_match(sync, walk->error);
	*unknown = !fits || sync->too_many;
	*ambiguous = sync->ambiguous;
	sync->only_count = certain && sync->ambiguous;
	if (sync->only_count)
		drop_doubts(sync);
	if (result == VKR_OK && !*unknown)
		result = judge_each(links, walk->model->engine, walk->error);
	vkr_joined_logs_clear(&links->logs);
	return result;
}

static enum vkr_result miss(struct vkr_walk *walk, uint64_t first_tag, uint64_t second_tag,
			    uint64_t count)
{
	const struct vkr_access_site *sites = walk->model->names.sites.items;
	return vkr_model_missed(
		walk->model, walk->error, VKR_COVERAGE_SYNC, count,
		"atomics of %s may have read what atomics of %s wrote in another command: "
		"accesses that these could order are not judged against each other",
		vkr_shader_title(sites[second_tag].shader),
		vkr_shader_title(sites[first_tag].shader));
}

static enum vkr_result judge_bytes(struct vkr_walk *walk)
{
	struct vkr_command_links *links = &walk->model->command_links;
	struct vkr_joined_at *places = calloc(links->commands.count, sizeof *places);
	bool ambiguous = false, unknown = false;
	if (places == NULL)
		return vkr_error_memory(walk->error, "order between commands");
	enum vkr_result result = judge_joined(walk, places, true, &ambiguous, &unknown);
	uint64_t certain = 0;
	for (size_t at = 0; at < links->bytes.count; at++)
		certain += links->bytes.items[at].certain;
	if (result == VKR_OK && ambiguous && certain > 0 && !unknown)
		result = judge_joined(walk, places, false, &ambiguous, &unknown);
	for (size_t at = 0; at < links->bytes.count && result == VKR_OK; at++) {
		const struct vkr_link_bytes *bytes = &links->bytes.items[at];
		if (unknown || (ambiguous && bytes->certain != bytes->races))
			result = miss(walk, bytes->first_tag, bytes->second_tag, 0);
	}
	free(places);
	return result;
}

// What the command races with of which no more is known than that it synchronized with others.
static enum vkr_result judge_candidates(struct vkr_walk *walk)
{
	struct vkr_command_links *links = &walk->model->command_links;
	const bool is_linked = find_linked(links, walk->command) != NULL;
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < links->candidates.count && result == VKR_OK; at++) {
		const struct vkr_link_candidate *candidate = &links->candidates.items[at];
		const struct vkr_engine_race *race = &candidate->race;
		result = is_linked ? miss(walk, race->first.site_tag, race->second.site_tag,
					  candidate->count)
				   : vkr_engine_race_found(walk->model->engine, race,
							   candidate->count, walk->error);
	}
	return result;
}

static uint64_t stages_of(const struct vkr_pipeline *pipeline)
{
	uint64_t stages = 0;
	for (uint32_t at = 0; pipeline != NULL && at < pipeline->shader_count; at++)
		stages |= vkr_shader_pipeline_stage(pipeline->shaders[at]->stage);
	return stages;
}

// The present command among the others.
static bool keep_own(struct vkr_walk *walk)
{
	struct vkr_model *model = walk->model;
	struct vkr_command_links *links = &model->command_links;
	struct vkr_linked *own = &links->own;
	own->command = walk->command;
	own->family = walk->queue->family;
	own->tag = vkr_engine_tag(model->engine, walk->command);
	own->stages = stages_of(walk->info->pipeline);
	links->stages |= own->stages;
	if (!note_timeline(links, walk->queue->timeline) || !VKR_ARRAY_RESERVE(&links->commands, 1))
		return false;
	links->commands.items[links->commands.count++] = *own;
	*own = (struct vkr_linked){0};
	return true;
}

enum vkr_result vkr_walk_links_end(struct vkr_walk *walk)
{
	struct vkr_model *model = walk->model;
	struct vkr_command_links *links = &model->command_links;
	enum vkr_result result = VKR_OK;
	const bool has_log = links->own.logs.sites.count > 0;
	if (has_log)
		links->failed |= !keep_own(walk);
	if (links->failed)
		return vkr_error_memory(walk->error, "order between commands");
	if (links->bytes.count > 0)
		result = judge_bytes(walk);
	if (result == VKR_OK && links->candidates.count > 0)
		result = judge_candidates(walk);
	clear_bytes(links);
	links->candidates.count = 0;
	vkr_map_finish(&links->places);
	vkr_map_init(&links->places);
	forget_past(model);
	return result;
}
