// SPDX-License-Identifier: Apache-2.0
#include "command_links.h"

#include "array.h"
#include "error.h"
#include "link_pending.h"
#include "model_state.h"
#include "shader_logs.h"
#include "site_table.h"

#include <stdlib.h>

#include <vulkan/vulkan_core.h>

void vkr_command_links_finish(struct vkr_command_links *links)
{
	for (size_t at = 0; at < links->commands.count; at++)
		vkr_linked_finish(&links->commands.items[at]);
	for (size_t at = 0; at < links->own.count; at++)
		vkr_linked_finish(&links->own.items[at]);
	vkr_link_bytes_clear(links->bytes.items, links->bytes.count);
	for (size_t at = 0; at < links->pending.count; at++)
		vkr_link_pending_finish(&links->pending.items[at]);
	free(links->pending.items);
	free(links->within.ranges.items);
	vkr_link_reach_finish(&links->reach);
	vkr_joined_logs_finish(&links->logs);
	free(links->commands.items);
	free(links->own.items);
	free(links->candidates.items);
	free(links->bytes.items);
	free(links->parts.items);
	free(links->after.items);
	free(links->timelines.items);
	vkr_map_finish(&links->places);
	*links = (struct vkr_command_links){0};
}

// ---- What a command has done --------------------------------------------------------------------

bool vkr_command_links_keep(const struct vkr_model *model, const struct vkr_shader *shader)
{
	return shader->orders_commands || (shader->carries_on && model->objects.links);
}

bool vkr_command_links_add(struct vkr_command_links *links, const struct vkr_shader *shader,
			   const struct vkr_sync *sync)
{
	const uint64_t stage = vkr_shader_pipeline_stage(shader->stage);
	struct vkr_linked *own = NULL;
	for (size_t at = 0; at < links->own.count && own == NULL; at++)
		if (links->own.items[at].stage == stage)
			own = &links->own.items[at];
	if (own == NULL) {
		if (!VKR_ARRAY_RESERVE(&links->own, 1))
			return false;
		own = &links->own.items[links->own.count++];
		*own = (struct vkr_linked){.stage = stage};
		vkr_map_init(&own->kind_places);
	}
	return vkr_linked_add(own, sync);
}

// Whether the engine still knows the command: some byte remembers it, or it is not over.
static bool command_links_stands(const struct vkr_model *model, const struct vkr_linked *linked)
{
	return vkr_engine_is_standing(model->engine, linked->command, &linked->standing);
}

// Whether later commands need not be judged with it: all of them come after it, or it could never
// synchronize with another command and no byte remembers it.
static bool is_over(const struct vkr_model *model, const struct vkr_linked *linked)
{
	return (vkr_links_is_past(model, linked) ||
		(!linked->far && !command_links_stands(model, linked))) &&
	       !vkr_links_pending_need(&model->order.links, linked);
}

#define FORGET_FIRST 16u

// Forgets what is over, but that it was there. Looked for each time that there are twice as many.
static enum vkr_result forget_past(struct vkr_model *model, struct vkr_error *error)
{
	struct vkr_command_links *links = &model->order.links;
	size_t kept = 0;
	if (links->commands.count < links->forget_at)
		return VKR_OK;
	const enum vkr_result result = vkr_links_settle(model, false, error);
	if (result != VKR_OK)
		return result;
	bool *over = calloc(links->commands.count, sizeof *over);
	if (over == NULL)
		return vkr_error_memory(error, "order between commands");
	for (size_t at = 0; at < links->commands.count; at++)
		over[at] = is_over(model, &links->commands.items[at]);
	links->logged = 0;
	vkr_link_reach_forget(&links->reach);
	for (size_t at = 0; at < links->commands.count; at++) {
		struct vkr_linked *linked = &links->commands.items[at];
		if (!over[at]) {
			links->logged += vkr_linked_is_logged(linked);
			links->commands.items[kept++] = *linked;
			continue;
		}
		if (vkr_linked_is_logged(linked) && command_links_stands(model, linked))
			model->names.executed.items[linked->tag].links_forgotten = true;
		vkr_linked_finish(linked);
	}
	free(over);
	links->commands.count = kept;
	links->forget_at = kept > FORGET_FIRST / 2 ? 2 * kept : FORGET_FIRST;
	return VKR_OK;
}

bool vkr_command_links_have(const struct vkr_command_links *links, uint32_t timeline)
{
	for (size_t at = 0; at < links->timelines.count; at++)
		if (links->timelines.items[at] == timeline)
			return true;
	return false;
}

bool vkr_command_links_note(struct vkr_command_links *links, uint32_t timeline)
{
	if (vkr_command_links_have(links, timeline))
		return true;
	if (!VKR_ARRAY_RESERVE(&links->timelines, 1))
		return false;
	links->timelines.items[links->timelines.count++] = timeline;
	return true;
}

void vkr_command_links_stages(struct vkr_command_links *links, uint64_t stages)
{
	links->stages |= stages;
}

bool vkr_command_links_put_off(struct vkr_command_links *links, const struct vkr_shader *shader,
			       uint64_t tag, const struct vkr_sync_ranges *ranges)
{
	links->within.tag = tag;
	links->within.stage = vkr_shader_pipeline_stage(shader->stage);
	for (size_t at = 0; at < ranges->count; at++)
		if (ranges->items[at].memory <= UINT32_MAX &&
		    !vkr_sync_ranges_add(&links->within.ranges, &ranges->items[at]))
			return false;
	return true;
}

// The present command's own accesses are the last of links->commands.
static bool add_within(struct vkr_command_links *links)
{
	size_t own = links->commands.count;
	if (links->within.ranges.count == 0)
		return true;
	while (own-- > 0 && links->commands.items[own].stage != links->within.stage)
		;
	if (!VKR_ARRAY_RESERVE(&links->bytes, 1))
		return false;
	links->bytes.items[links->bytes.count++] =
		(struct vkr_link_bytes){.first = own,
					.second_stage = links->within.stage,
					.race_class = VKR_RACE_UNORDERED,
					.first_writes = true,
					.second_writes = true,
					.within = true,
					.first_tag = links->within.tag,
					.second_tag = links->within.tag,
					.ranges = links->within.ranges};
	links->within.ranges = (struct vkr_sync_ranges){0};
	return true;
}

// ---- Races that are put off ---------------------------------------------------------------------

static bool is_of(const struct vkr_model *model, const struct vkr_linked *linked,
		  const struct vkr_engine_access *access)
{
	return linked->command == access->command && linked->stage == access->stage &&
	       command_links_stands(model, linked);
}

// The stage of an earlier command; if there is none, the index after the last one.
static size_t find_linked(struct vkr_model *model, const struct vkr_engine_access *access)
{
	struct vkr_command_links *links = &model->order.links;
	if (links->found < links->commands.count &&
	    is_of(model, &links->commands.items[links->found], access))
		return links->found;
	for (size_t at = links->commands.count; at-- > 0;)
		if (is_of(model, &links->commands.items[at], access)) {
			links->found = at;
			return at;
		}
	return links->commands.count;
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

static struct vkr_link_bytes *find_bytes(struct vkr_command_links *links,
					 const struct vkr_link_bytes *wanted)
{
	for (size_t at = links->bytes.count; at-- > 0;) {
		struct vkr_link_bytes *bytes = &links->bytes.items[at];
		if (bytes->first == wanted->first && bytes->second_stage == wanted->second_stage &&
		    bytes->race_class == wanted->race_class &&
		    bytes->first_writes == wanted->first_writes &&
		    bytes->second_writes == wanted->second_writes)
			return bytes;
	}
	if (!VKR_ARRAY_RESERVE(&links->bytes, 1))
		return NULL;
	links->bytes.items[links->bytes.count] = *wanted;
	return &links->bytes.items[links->bytes.count++];
}

// The engine asks piece by piece about what an invocation accesses as a whole.
static bool goes_on(struct vkr_sync_access *last, const struct vkr_sync_access *access,
		    uint32_t bytes)
{
	if (last->workgroup != access->workgroup || last->local != access->local ||
	    last->site != access->site || last->reference != access->reference ||
	    last->memory != access->memory)
		return false;
	if (last->low <= access->low && access->high <= last->high)
		return true;
	if (last->high != access->low || access->high - last->low > bytes)
		return false;
	last->high = access->high;
	return true;
}

static bool is_kept(const struct vkr_model *model, const struct vkr_access_site *site)
{
	return site->shader != NULL && vkr_command_links_keep(model, site->shader);
}

// Fixed function has no storage class.
static struct vkr_site site_of(const struct vkr_access_site *from)
{
	return from->shader != NULL ? vkr_site_table_sites(from->shader->sites)[from->site]
				    : (struct vkr_site){.operation = from->write ? VKR_SITE_STORE
										 : VKR_SITE_LOAD,
							.flags = VKR_SITE_NONPRIVATE};
}

// The access of fixed function, or of a shader whose log is not kept.
static bool add_example(struct vkr_link_examples *examples, const struct vkr_engine_race *race,
			const struct vkr_engine_access *access, const struct vkr_access_site *from)
{
	const struct vkr_site of = site_of(from);
	const bool stores = of.operation == VKR_SITE_STORE || of.operation == VKR_SITE_ATOMIC_STORE;
	const struct vkr_link_example made = {.of = of,
					      .access = {.memory = race->memory,
							 .low = race->offset,
							 .high = race->offset + race->bytes,
							 .agent = VKR_SYNC_NONE,
							 .workgroup = access->workgroup,
							 .local = access->local,
							 .barriers = access->interval,
							 .table_site = (uint32_t)from->site,
							 .site = access->site,
							 .reference = access->reference,
							 .atomic = VKR_SYNC_NONE,
							 .read = !stores,
							 .write = from->write}};
	if (examples->count > 0 &&
	    goes_on(&examples->items[examples->count - 1].access, &made.access, of.bytes))
		return true;
	if (!VKR_ARRAY_RESERVE(examples, 1))
		return false;
	examples->items[examples->count++] = made;
	return true;
}

static bool add_bytes(struct vkr_model *model, size_t first_index,
		      const struct vkr_engine_race *race, const struct vkr_access_site *first,
		      const struct vkr_access_site *second)
{
	struct vkr_command_links *links = &model->order.links;
	const struct vkr_sync_range range = {
		.memory = race->memory, .low = race->offset, .high = race->offset + race->bytes};
	struct vkr_linked *linked = &links->commands.items[first_index];
	struct vkr_link_bytes *bytes =
		find_bytes(links, &(struct vkr_link_bytes){.first = first_index,
							   .second_stage = race->second.stage,
							   .race_class = race->race_class,
							   .first_writes = first->write,
							   .second_writes = second->write,
							   .first_tag = race->first.site_tag,
							   .second_tag = race->second.site_tag});
	if (bytes == NULL || !vkr_sync_ranges_add(&bytes->ranges, &range))
		return false;
	if (race->first.workgroup >= linked->workgroup_end)
		linked->workgroup_end = race->first.workgroup + 1;
	return (is_kept(model, first) ||
		add_example(&bytes->examples[0], race, &race->first, first)) &&
	       (is_kept(model, second) ||
		add_example(&bytes->examples[1], race, &race->second, second));
}

// No release of a shader orders private accesses ("Location-Ordered").
enum vkr_race_class vkr_command_links_ask(struct vkr_model *model,
					  const struct vkr_engine_race *candidate,
					  const struct vkr_access_site *first,
					  const struct vkr_access_site *second)
{
	struct vkr_command_links *links = &model->order.links;
	const struct vkr_site x = site_of(first), y = site_of(second);
	if (!vkr_sync_is_nonprivate(&x) || !vkr_sync_is_nonprivate(&y) ||
	    candidate->shortfall & VKR_SHORT_OWNERSHIP ||
	    !(links->logged > 0 || is_kept(model, second)))
		return candidate->race_class;
	const size_t index = find_linked(model, &candidate->first);
	const bool is_known = index < links->commands.count;
	if (!is_known && !model->names.executed.items[candidate->first.tag].links_forgotten)
		return candidate->race_class;
	if (!(is_known ? add_bytes(model, index, candidate, first, second)
		       : put_off(links, candidate)))
		links->failed = true;
	return VKR_RACE_NONE;
}

// Judges races with commands of which it is only known that they synchronized with others.
static enum vkr_result judge_candidates(struct vkr_walk *walk)
{
	struct vkr_command_links *links = &walk->model->order.links;
	bool is_linked = false;
	for (size_t at = links->commands.count;
	     at-- > 0 && links->commands.items[at].command == walk->command;)
		is_linked = is_linked || vkr_linked_is_logged(&links->commands.items[at]);
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < links->candidates.count && result == VKR_OK; at++) {
		const struct vkr_link_candidate *candidate = &links->candidates.items[at];
		const struct vkr_engine_race *race = &candidate->race;
		result = is_linked ? vkr_links_miss(walk->model, race->first.site_tag,
						    race->second.site_tag, candidate->count,
						    walk->error)
				   : vkr_engine_race_found(walk->model->engine, race,
							   candidate->count, walk->error);
	}
	return result;
}

// Whether accesses of the shader could race with another command's and not do so for what shaders
// synchronize.
static bool command_links_shares(const struct vkr_shader *shader)
{
	const struct vkr_site_table *table = shader->sites;
	for (uint32_t at = 0; table != NULL && at < table->site_count; at++) {
		const struct vkr_site *site = &vkr_site_table_sites(table)[at];
		if (site->operation < VKR_SITE_CONTROL_BARRIER &&
		    site->storage_class != VKR_CLASS_WORKGROUP && vkr_sync_is_nonprivate(site))
			return true;
	}
	return false;
}

static uint64_t sharing_stages(const struct vkr_pipeline *pipeline)
{
	uint64_t stages = 0;
	for (uint32_t at = 0; pipeline != NULL && at < pipeline->shader_count; at++)
		if (command_links_shares(pipeline->shaders[at]))
			stages |= vkr_shader_pipeline_stage(pipeline->shaders[at]->stage);
	return stages;
}

static bool orders_others(const struct vkr_model *model, const struct vkr_pipeline *pipeline)
{
	for (uint32_t at = 0; pipeline != NULL && at < pipeline->shader_count; at++)
		if (vkr_command_links_keep(model, pipeline->shaders[at]))
			return true;
	return false;
}

// Only through atomics that reach other commands can accesses yet to be fed come before some that
// were fed: those of the command itself, or of one that is before it, or before the access that it
// would take the place of.
void vkr_command_links_begin(struct vkr_model *model, const struct vkr_pipeline *pipeline,
			     uint32_t command)
{
	struct vkr_command_links *links = &model->order.links;
	if (!model->objects.links)
		return;
	links->stages |= sharing_stages(pipeline);
	bool keeps = orders_others(model, pipeline);
	for (size_t at = 0; at < links->commands.count && !keeps; at++) {
		const struct vkr_linked *linked = &links->commands.items[at];
		keeps = linked->far &&
			!vkr_links_is_past_everywhere(model, &linked->standing, linked->stage,
						      VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
	}
	if (keeps)
		vkr_engine_command_keeps(model->engine, command);
}

// Of its shaders.
static uint64_t stages_of(const struct vkr_walk *walk)
{
	const struct vkr_command_links *links = &walk->model->order.links;
	uint64_t stages = sharing_stages(walk->info->pipeline);
	for (size_t at = 0; at < links->own.count; at++)
		stages |= links->own.items[at].stage;
	return stages;
}

// The stage of a command that has not ended among the others; it may be there. NULL for lack of
// memory.
static struct vkr_linked *add_linked(struct vkr_walk *walk, uint32_t command, uint64_t stage)
{
	struct vkr_model *model = walk->model;
	struct vkr_command_links *links = &model->order.links;
	for (size_t at = links->commands.count; at-- > 0;)
		if (links->commands.items[at].command == command &&
		    links->commands.items[at].stage == stage &&
		    command_links_stands(model, &links->commands.items[at]))
			return &links->commands.items[at];
	if (!VKR_ARRAY_RESERVE(&links->commands, 1))
		return NULL;
	struct vkr_linked *added = &links->commands.items[links->commands.count++];
	*added = (struct vkr_linked){.command = command,
				     .stage = stage,
				     .family = walk->queue->family,
				     .tag = vkr_engine_tag(model->engine, command),
				     .standing = vkr_engine_stand(model->engine, command)};
	vkr_map_init(&added->kind_places);
	return added;
}

// A stage of the present command among the others.
static bool keep_stage(struct vkr_walk *walk, uint64_t stage)
{
	struct vkr_command_links *links = &walk->model->order.links;
	struct vkr_linked *kept = add_linked(walk, walk->command, stage);
	if (kept == NULL)
		return false;
	for (size_t at = 0; at < links->own.count; at++)
		if (links->own.items[at].stage == stage) {
			vkr_linked_take_log(kept, &links->own.items[at]);
			links->own.items[at] = links->own.items[--links->own.count];
		}
	if ((kept->read | kept->written) == 0) {
		kept->read = VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
		kept->written = VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT;
	}
	for (size_t at = 0; at < links->bytes.count; at++) {
		const struct vkr_link_examples *examples = &links->bytes.items[at].examples[1];
		if (links->bytes.items[at].second_stage != stage)
			continue;
		for (size_t i = 0; i < examples->count; i++)
			if (examples->items[i].access.workgroup >= kept->workgroup_end)
				kept->workgroup_end = examples->items[i].access.workgroup + 1;
	}
	links->logged += vkr_linked_is_logged(kept);
	return true;
}

// The present command among the others.
static bool keep_own(struct vkr_walk *walk)
{
	struct vkr_command_links *links = &walk->model->order.links;
	const uint64_t stages = stages_of(walk);
	bool good = stages == 0 || vkr_command_links_note(links, walk->queue->timeline);
	uint64_t kept = stages;
	links->stages |= stages;
	for (size_t at = 0; at < links->bytes.count; at++)
		kept |= links->bytes.items[at].second_stage;
	for (uint64_t left = kept; left != 0 && good; left &= left - 1)
		good = keep_stage(walk, left & -left);
	return good;
}

enum vkr_result vkr_links_access_begin(struct vkr_walk *walk, uint32_t command, uint64_t stage,
				       uint64_t read, uint64_t written)
{
	if (!walk->model->objects.links)
		return VKR_OK;
	struct vkr_linked *kept = add_linked(walk, command, stage);
	if (kept == NULL ||
	    !vkr_command_links_note(&walk->model->order.links, walk->queue->timeline))
		return vkr_error_memory(walk->error, "order between commands");
	kept->read |= read;
	kept->written |= written;
	return VKR_OK;
}

enum vkr_result vkr_links_access_end(struct vkr_walk *walk, uint32_t command)
{
	const struct vkr_command_links *links = &walk->model->order.links;
	return links->bytes.count > 0 && command != walk->command
		       ? vkr_links_judge_now(walk->model, command, walk->error)
		       : VKR_OK;
}

enum vkr_result vkr_walk_links_end(struct vkr_walk *walk)
{
	struct vkr_model *model = walk->model;
	struct vkr_command_links *links = &model->order.links;
	enum vkr_result result = VKR_OK;
	if (model->objects.links)
		links->failed |= !keep_own(walk) || !add_within(links);
	if (links->failed)
		return vkr_error_memory(walk->error, "order between commands");
	if (links->bytes.count > 0)
		result = vkr_links_judge_now(model, walk->command, walk->error);
	if (result == VKR_OK && links->candidates.count > 0)
		result = judge_candidates(walk);
	if (links->candidates.count > 0) {
		links->candidates.count = 0;
		vkr_map_finish(&links->places);
		vkr_map_init(&links->places);
	}
	return result == VKR_OK ? forget_past(model, walk->error) : result;
}
