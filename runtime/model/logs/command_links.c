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
	free(linked->values.items);
	free(linked->links.items);
	*linked = (struct vkr_linked){0};
}

void vkr_command_links_finish(struct vkr_command_links *links)
{
	for (size_t at = 0; at < links->commands.count; at++)
		finish_linked(&links->commands.items[at]);
	finish_linked(&links->own);
	free(links->commands.items);
	free(links->candidates.items);
	free(links->path.items);
	free(links->timelines.items);
	vkr_map_finish(&links->places);
	*links = (struct vkr_command_links){0};
}

// ---- What a command's atomics say ---------------------------------------------------------------

static int compare_values(const void *a, const void *b)
{
	const struct vkr_link_value *x = a, *y = b;
	if (x->memory != y->memory)
		return x->memory < y->memory ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	if (x->reference != y->reference)
		return x->reference < y->reference ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

static int compare_all(const void *a, const void *b)
{
	const struct vkr_link_value *x = a, *y = b;
	const int compared = compare_values(x, y);
	if (compared != 0)
		return compared;
	if (x->workgroup != y->workgroup)
		return x->workgroup < y->workgroup ? -1 : 1;
	if (x->wrote != y->wrote)
		return x->wrote ? 1 : -1;
	return (int)x->far - (int)y->far;
}

// What an update writes carries on the release sequence that it read of, whatever it is itself.
bool vkr_command_links_add(struct vkr_command_links *links, const struct vkr_sync *sync)
{
	struct vkr_linked *own = &links->own;
	for (size_t at = 0; at < sync->atomics.count; at++) {
		const struct vkr_sync_atomic *atomic = &sync->atomics.items[at];
		const struct vkr_sync_event *event = &sync->events.items[atomic->event];
		const uint8_t scope = sync->sites[event->site].scope;
		const bool far = scope == VKR_SCOPE_DEVICE || scope == VKR_SCOPE_CROSS_DEVICE;
		if (atomic->memory > UINT32_MAX || !(far || scope == VKR_SCOPE_QUEUE_FAMILY))
			continue;
		struct vkr_link_value value = {.memory = atomic->memory,
					       .offset = atomic->offset,
					       .value = atomic->read,
					       .reference = atomic->reference,
					       .bytes = atomic->bytes,
					       .workgroup =
						       sync->agents.items[event->agent].workgroup,
					       .far = far};
		if (!VKR_ARRAY_RESERVE(&own->values, 2))
			return false;
		if (atomic->reads && (atomic->acquires || atomic->writes)) {
			own->values.items[own->values.count++] = value;
			own->reads = true;
		}
		if (atomic->writes && (atomic->releases || atomic->reads)) {
			value.wrote = true;
			value.value = atomic->written;
			own->values.items[own->values.count++] = value;
			own->writes = true;
		}
	}
	return true;
}

static void sort_values(struct vkr_linked *own)
{
	size_t kept = 0;
	if (own->values.count == 0)
		return;
	qsort(own->values.items, own->values.count, sizeof *own->values.items, compare_all);
	for (size_t at = 1; at < own->values.count; at++)
		if (compare_all(&own->values.items[kept], &own->values.items[at]) != 0)
			own->values.items[++kept] = own->values.items[at];
	own->values.count = kept + 1;
}

// ---- Who met whose values -----------------------------------------------------------------------

static bool in_scope(const struct vkr_linked *x, const struct vkr_link_value *of_x,
		     const struct vkr_linked *y, const struct vkr_link_value *of_y)
{
	return x->family == y->family || (of_x->far && of_y->far);
}

static bool add_link(struct vkr_linked *reader, const struct vkr_link_value *read,
		     const struct vkr_linked *writer, const struct vkr_link_value *wrote)
{
	if (!in_scope(reader, read, writer, wrote))
		return true;
	const struct vkr_link link = {.from = writer->command,
				      .from_workgroup = writer->reads ? 0 : wrote->workgroup,
				      .workgroup = reader->writes ? 0 : read->workgroup};
	const struct vkr_link *last = reader->links.items + reader->links.count;
	if (reader->links.count > 0 && last[-1].from == link.from &&
	    last[-1].from_workgroup == link.from_workgroup && last[-1].workgroup == link.workgroup)
		return true;
	if (!VKR_ARRAY_RESERVE(&reader->links, 1))
		return false;
	reader->links.items[reader->links.count++] = link;
	return true;
}

// Values from `of_x` to `end_x` equal those from `of_y` to `end_y`: what either has read of the
// other.
static bool link_equal(struct vkr_linked *x, size_t of_x, size_t end_x, struct vkr_linked *y,
		       size_t of_y, size_t end_y)
{
	for (size_t at = of_x; at < end_x; at++) {
		const struct vkr_link_value *one = &x->values.items[at];
		for (size_t to = of_y; to < end_y; to++) {
			const struct vkr_link_value *other = &y->values.items[to];
			if (one->wrote == other->wrote)
				continue;
			if (one->wrote ? !add_link(y, other, x, one) : !add_link(x, one, y, other))
				return false;
		}
	}
	return true;
}

static size_t end_of_equal(const struct vkr_linked *linked, size_t first)
{
	size_t end = first + 1;
	while (end < linked->values.count &&
	       compare_values(&linked->values.items[first], &linked->values.items[end]) == 0)
		end++;
	return end;
}

static bool link_commands(struct vkr_linked *x, struct vkr_linked *y)
{
	size_t of_x = 0, of_y = 0;
	while (of_x < x->values.count && of_y < y->values.count) {
		const int compared = compare_values(&x->values.items[of_x], &y->values.items[of_y]);
		if (compared != 0) {
			of_x += compared < 0;
			of_y += compared > 0;
			continue;
		}
		const size_t end_x = end_of_equal(x, of_x), end_y = end_of_equal(y, of_y);
		if (!link_equal(x, of_x, end_x, y, of_y, end_y))
			return false;
		of_x = end_x;
		of_y = end_y;
	}
	return true;
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

// The engine may have given the command's number to another one, where no byte remembers it.
static bool is_gone(const struct vkr_model *model, const struct vkr_linked *linked)
{
	return linked->command == model->command_links.own.command ||
	       vkr_engine_tag(model->engine, linked->command) != linked->tag;
}

// Forgets what everything that may come is behind, but that it was there.
static void forget_past(struct vkr_model *model)
{
	struct vkr_command_links *links = &model->command_links;
	size_t kept = 0;
	for (size_t at = 0; at < links->commands.count; at++) {
		struct vkr_linked *linked = &links->commands.items[at];
		const bool gone = is_gone(model, linked);
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

// The present command among the others.
static bool keep_own(struct vkr_model *model)
{
	struct vkr_command_links *links = &model->command_links;
	bool good = true;
	sort_values(&links->own);
	for (size_t at = 0; at < links->commands.count && good; at++)
		good = link_commands(&links->commands.items[at], &links->own);
	if (!good || !VKR_ARRAY_RESERVE(&links->commands, 1))
		return false;
	links->commands.items[links->commands.count++] = links->own;
	links->own = (struct vkr_linked){0};
	return true;
}

// ---- What that may order ------------------------------------------------------------------------

static struct vkr_linked *find_linked(struct vkr_command_links *links, uint32_t command)
{
	for (size_t at = links->commands.count; at-- > 0;)
		if (links->commands.items[at].command == command)
			return &links->commands.items[at];
	return NULL;
}

// Within a command that reads and writes, what one workgroup met any other one may have been given.
static bool met(const struct vkr_linked *from, uint32_t from_workgroup, const struct vkr_linked *to,
		uint32_t workgroup)
{
	for (size_t at = 0; at < to->links.count; at++) {
		const struct vkr_link *link = &to->links.items[at];
		if (link->from == from->command &&
		    (from->reads || link->from_workgroup == from_workgroup) &&
		    (to->writes || link->workgroup == workgroup))
			return true;
	}
	return false;
}

// Through other commands that handed it on.
static bool met_through(struct vkr_command_links *links, const struct vkr_linked *from,
			const struct vkr_linked *to)
{
	for (size_t at = 0; at < links->commands.count; at++)
		links->commands.items[at].reached = false;
	if (!VKR_ARRAY_RESERVE(&links->path, links->commands.count + 1)) {
		links->failed = true;
		return false;
	}
	links->path.count = 0;
	links->path.items[links->path.count++] = (uint32_t)(to - links->commands.items);
	while (links->path.count > 0) {
		const struct vkr_linked *reader =
			&links->commands.items[links->path.items[--links->path.count]];
		for (size_t at = 0; at < reader->links.count; at++) {
			struct vkr_linked *writer =
				find_linked(links, reader->links.items[at].from);
			if (writer == from && reader != to)
				return true;
			if (writer == NULL || writer->reached || writer == from || writer == to ||
			    !writer->reads)
				continue;
			writer->reached = true;
			links->path.items[links->path.count++] =
				(uint32_t)(writer - links->commands.items);
		}
	}
	return false;
}

static bool may_be_ordered(struct vkr_model *model, const struct vkr_engine_race *race)
{
	struct vkr_command_links *links = &model->command_links;
	const struct vkr_linked *x = find_linked(links, race->first.command);
	const struct vkr_linked *y = find_linked(links, race->second.command);
	if (y == NULL)
		return false;
	if (x == NULL)
		return model->names.executed.items[race->first.tag].links_forgotten && y->reads;
	return met(x, race->first.workgroup, y, race->second.workgroup) ||
	       met(y, race->second.workgroup, x, race->first.workgroup) ||
	       met_through(links, x, y) || met_through(links, y, x);
}

// ---- Races that are put off ---------------------------------------------------------------------

static bool is_alike(const struct vkr_engine_race *x, const struct vkr_engine_race *y)
{
	return x->first.site == y->first.site && x->second.site == y->second.site &&
	       x->race_class == y->race_class && x->first.command == y->first.command &&
	       x->first.workgroup == y->first.workgroup &&
	       x->second.workgroup == y->second.workgroup;
}

static bool put_off(struct vkr_command_links *links, const struct vkr_engine_race *race)
{
	const uint64_t words[] = {(uint64_t)race->first.site << 32 | race->second.site,
				  (uint64_t)race->first.workgroup << 32 | race->second.workgroup,
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
	if (!(x->flags & y->flags & VKR_SITE_NONPRIVATE) ||
	    candidate->first.reference != candidate->second.reference ||
	    candidate->shortfall & VKR_SHORT_OWNERSHIP ||
	    !(first->shader->orders_workgroups & of_memory) ||
	    !(second->shader->orders_workgroups & of_memory))
		return candidate->race_class;
	if (!model->names.executed.items[candidate->first.tag].links_forgotten &&
	    find_linked(links, candidate->first.command) == NULL)
		return candidate->race_class;
	if (!put_off(links, candidate))
		links->failed = true;
	return VKR_RACE_NONE;
}

static enum vkr_result judge_candidates(struct vkr_walk *walk)
{
	struct vkr_model *model = walk->model;
	struct vkr_command_links *links = &model->command_links;
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < links->candidates.count && result == VKR_OK; at++) {
		const struct vkr_link_candidate *candidate = &links->candidates.items[at];
		const struct vkr_engine_race *race = &candidate->race;
		if (!may_be_ordered(model, race)) {
			result = vkr_engine_race_found(model->engine, race, candidate->count,
						       walk->error);
			continue;
		}
		const struct vkr_access_site *sites = model->names.sites.items;
		result = vkr_model_missed(
			model, walk->error, VKR_COVERAGE_SYNC, candidate->count,
			"atomics of %s have read what atomics of %s wrote in another command: "
			"accesses that these could order are not judged against each other",
			vkr_shader_title(sites[race->second.site_tag].shader),
			vkr_shader_title(sites[race->first.site_tag].shader));
	}
	links->candidates.count = 0;
	vkr_map_finish(&links->places);
	vkr_map_init(&links->places);
	return result;
}

static uint64_t stages_of(const struct vkr_pipeline *pipeline)
{
	uint64_t stages = 0;
	for (uint32_t at = 0; pipeline != NULL && at < pipeline->shader_count; at++)
		stages |= vkr_shader_pipeline_stage(pipeline->shaders[at]->stage);
	return stages;
}

enum vkr_result vkr_walk_links_end(struct vkr_walk *walk)
{
	struct vkr_model *model = walk->model;
	struct vkr_command_links *links = &model->command_links;
	struct vkr_linked *own = &links->own;
	enum vkr_result result = VKR_OK;
	if (own->values.count > 0) {
		own->command = walk->command;
		own->family = walk->queue->family;
		own->tag = vkr_engine_tag(model->engine, walk->command);
		own->stages = stages_of(walk->info->pipeline);
		links->stages |= own->stages;
		forget_past(model);
		links->failed |= !note_timeline(links, walk->queue->timeline) || !keep_own(model);
	}
	if (links->candidates.count > 0)
		result = judge_candidates(walk);
	return result == VKR_OK && links->failed
		       ? vkr_error_memory(walk->error, "order between commands")
		       : result;
}
