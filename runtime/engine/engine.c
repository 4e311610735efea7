// SPDX-License-Identifier: Apache-2.0
// The engine's interface: objects, commands and results. Knows who keeps what; feeding of accesses
// is in engine_feed.c, judging in judge.c.
#include "array.h"
#include "engine_state.h"
#include "error.h"
#include "read_deferral.h"
#include "site_scope.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SERIAL 1u

enum vkr_result vkr_engine_create(const struct vkr_engine_options *options,
				  struct vkr_engine **engine, struct vkr_error *error)
{
	struct vkr_engine *made = calloc(1, sizeof *made);
	*engine = NULL;
	if (!made)
		return vkr_error_memory(error, "the engine");
	made->options = *options;
	made->next_serial = FIRST_SERIAL;
	vkr_queues_init(&made->queues);
	made->queues.execution_only = vkr_memory_is_hrf(&options->rules);
	vkr_epochs_init(&made->epochs);
	vkr_pool_init(&made->pool);
	vkr_map_init(&made->pair_of);
	*engine = made;
	return VKR_OK;
}

void vkr_engine_destroy(struct vkr_engine *engine)
{
	if (!engine)
		return;
	vkr_deferred_finish(engine);
	for (size_t i = 0; i < engine->memories.count; i++)
		vkr_shadow_finish(&engine->memories.items[i], &engine->pool);
	vkr_shadow_finish(&engine->workgroup_memory, &engine->pool);
	vkr_queues_finish(&engine->queues);
	vkr_epochs_finish(&engine->epochs);
	vkr_invocation_tables_finish(&engine->tables);
	vkr_pool_finish(&engine->pool);
	vkr_map_finish(&engine->pair_of);
	free(engine->sites.items);
	free(engine->pieces.items);
	free(engine->memories.items);
	for (size_t i = 0; i < engine->pairs.count; i++)
		vkr_byte_ranges_finish(&engine->pairs.items[i].extent);
	free(engine->pairs.items);
	free(engine->workgroup_races.items);
	free(engine->found.items);
	free(engine->found_rest.items);
	free(engine->iterations.items);
	free(engine->listed.offsets.items);
	free(engine->listed.locals.items);
	free(engine->lists.items);
	free(engine->own.offsets);
	free(engine->own.locals);
	free(engine->dealt.work);
	vkr_read_marks_finish(&engine->marks);
	vkr_noted_reads_finish(&engine->noted);
	vkr_shared_finish(&engine->shared);
	free(engine);
}

static struct vkr_shadow *memory_of(const struct vkr_engine *engine, uint32_t memory)
{
	struct vkr_shadow *shadow;
	if (memory == 0 || memory > engine->memories.count)
		return NULL;
	shadow = &engine->memories.items[memory - 1];
	return shadow->live ? shadow : NULL;
}

bool vkr_engine_is_mapped(const struct vkr_engine *engine, uint32_t memory)
{
	const struct vkr_shadow *shadow = memory_of(engine, memory);
	return shadow && shadow->mappings.count > 0;
}

bool vkr_engine_site_writes(const struct vkr_engine *engine, uint32_t site)
{
	return engine->sites.items[site - 1].flags & VKR_ENGINE_WRITE;
}

bool vkr_engine_has_locals(const struct vkr_engine *engine)
{
	return engine->queues.local_stages != 0;
}

enum vkr_result vkr_engine_queue(struct vkr_engine *engine, uint32_t family, uint32_t *timeline,
				 struct vkr_error *error)
{
	for (size_t i = 0; i < engine->queues.timelines.count; i++)
		engine->several_families = engine->several_families ||
					   (!engine->queues.timelines.items[i].host &&
					    engine->queues.timelines.items[i].family != family);
	return vkr_queues_timeline(&engine->queues, false, family, timeline, error);
}

void vkr_engine_command_keeps(struct vkr_engine *engine, uint32_t command)
{
	assert(command >= 1 && command <= engine->queues.commands.count);
	engine->queues.commands.items[command - 1].keeps = true;
}

enum vkr_result vkr_engine_exclusive(struct vkr_engine *engine, uint32_t memory, uint64_t offset,
				     uint64_t bytes, bool exclusive, struct vkr_error *error)
{
	struct vkr_shadow *shadow = memory_of(engine, memory);
	if (!shadow || offset > UINT64_MAX - bytes || engine->queues.execution_only)
		return VKR_OK;
	return vkr_ownership_range(&shadow->ownership, offset, offset + bytes, exclusive, error);
}

enum vkr_result vkr_engine_transfer(struct vkr_engine *engine,
				    const struct vkr_engine_transfer *half, struct vkr_error *error)
{
	struct vkr_shadow *shadow = memory_of(engine, half->memory);
	enum vkr_result result = VKR_OK;
	if (!shadow || half->offset > UINT64_MAX - half->bytes || engine->queues.execution_only)
		return VKR_OK;
	for (uint64_t done = 0; shadow->mappings.count > 0 && done < half->bytes;) {
		struct vkr_engine_range range = {half->memory, half->offset + done,
						 half->bytes - done};
		struct vkr_engine_transfer part = *half;
		vkr_engine_mapped(engine, &range);
		done += range.bytes;
		part.memory = range.memory;
		part.offset = range.offset;
		part.bytes = range.bytes;
		shadow = memory_of(engine, range.memory);
		if (shadow && result == VKR_OK)
			result = vkr_ownership_transfer(&shadow->ownership, &part,
							engine->queues.made, error);
		shadow = memory_of(engine, half->memory);
	}
	if (shadow->mappings.count > 0)
		return result;
	return vkr_ownership_transfer(&shadow->ownership, half, engine->queues.made, error);
}

enum vkr_result vkr_engine_host_thread(struct vkr_engine *engine, uint32_t *timeline,
				       struct vkr_error *error)
{
	return vkr_queues_timeline(&engine->queues, true, 0, timeline, error);
}

enum vkr_result vkr_engine_command(struct vkr_engine *engine, uint32_t timeline, uint64_t tag,
				   uint32_t *command, struct vkr_error *error)
{
	const enum vkr_result result = vkr_engine_collect_commands(engine, error);
	if (result != VKR_OK)
		return result;
	return vkr_queues_command(&engine->queues, timeline, tag, command, error);
}

void vkr_engine_command_group(struct vkr_engine *engine, uint32_t command, uint64_t group)
{
	engine->queues.commands.items[command - 1].group = group;
}

void vkr_engine_command_end(struct vkr_engine *engine, uint32_t command)
{
	vkr_queues_command_end(&engine->queues, command);
}

enum vkr_result vkr_engine_mark_create(struct vkr_engine *engine, uint32_t timeline,
				       struct vkr_engine_mark **mark, struct vkr_error *error)
{
	*mark = malloc(sizeof **mark);
	if (!*mark)
		return vkr_error_memory(error, "order between commands");
	**mark = vkr_queues_mark(&engine->queues, timeline);
	return VKR_OK;
}

void vkr_engine_mark_drop(struct vkr_engine_mark *mark)
{
	if (!mark)
		return;
	vkr_state_drop(mark->state);
	free(mark);
}

enum vkr_result vkr_engine_command_knows(struct vkr_engine *engine, uint32_t command,
					 const struct vkr_engine_mark *mark,
					 struct vkr_error *error)
{
	return vkr_queues_command_knows(&engine->queues, command, mark, error);
}

enum vkr_result vkr_engine_dependencies(struct vkr_engine *engine, uint32_t timeline, uint64_t tag,
					const struct vkr_engine_dependency *dependencies,
					uint32_t count, struct vkr_error *error)
{
	return vkr_engine_dependencies_since(engine, timeline, NULL, tag, dependencies, count,
					     error);
}

// Dependencies with the engine's own memory serials: the caller may reuse its numbers of memories,
// serials are never reused. For an unknown memory nothing can be made available.
struct own_dependencies {
	struct vkr_engine_dependency *items;
	struct vkr_engine_barrier_access *accesses;
	struct vkr_engine_transition *transitions;
	struct vkr_engine_range *ranges;
};

static void own_finish(struct own_dependencies *own)
{
	free(own->items);
	free(own->accesses);
	free(own->transitions);
	free(own->ranges);
}

static bool own_init(struct own_dependencies *own, const struct vkr_engine_dependency *dependencies,
		     uint32_t count)
{
	size_t accesses = 1, transitions = 1, ranges = 1; // a size of 0 might give NULL
	for (uint32_t i = 0; i < count; i++) {
		const struct vkr_engine_transition *transition = dependencies[i].transition;
		accesses += dependencies[i].access_count;
		transitions += transition != NULL;
		ranges += transition != NULL ? transition->range_count : 0;
	}
	*own = (struct own_dependencies){.items = calloc(count + (size_t)1, sizeof *own->items),
					 .accesses = calloc(accesses, sizeof *own->accesses),
					 .transitions =
						 calloc(transitions, sizeof *own->transitions),
					 .ranges = calloc(ranges, sizeof *own->ranges)};
	return own->items && own->accesses && own->transitions && own->ranges;
}

// False where there is no such memory. A range ends with the address space.
static bool own_memory(const struct vkr_engine *engine, uint32_t *memory, uint64_t offset,
		       uint64_t *bytes)
{
	const struct vkr_shadow *shadow = memory_of(engine, *memory);
	if (!shadow)
		return false;
	*memory = shadow->serial;
	if (*bytes > UINT64_MAX - offset)
		*bytes = UINT64_MAX - offset;
	return true;
}

static void own_fill(const struct vkr_engine *engine, struct own_dependencies *own,
		     const struct vkr_engine_dependency *dependencies, uint32_t count)
{
	struct vkr_engine_barrier_access *accesses = own->accesses;
	struct vkr_engine_transition *transitions = own->transitions;
	struct vkr_engine_range *ranges = own->ranges;
	for (uint32_t i = 0; i < count; i++) {
		own->items[i] = dependencies[i];
		own->items[i].accesses = accesses;
		for (uint32_t j = 0; j < dependencies[i].access_count; j++) {
			*accesses = dependencies[i].accesses[j];
			if (accesses->memory == 0 || own_memory(engine, &accesses->memory,
								accesses->offset, &accesses->bytes))
				accesses++;
		}
		own->items[i].access_count = (uint32_t)(accesses - own->items[i].accesses);
		if (!dependencies[i].transition)
			continue;
		*transitions = *dependencies[i].transition;
		transitions->ranges = ranges;
		for (uint32_t j = 0; j < dependencies[i].transition->range_count; j++) {
			*ranges = dependencies[i].transition->ranges[j];
			if (own_memory(engine, &ranges->memory, ranges->offset, &ranges->bytes))
				ranges++;
		}
		transitions->range_count = (uint32_t)(ranges - transitions->ranges);
		own->items[i].transition = transitions++;
	}
}

enum vkr_result vkr_engine_dependencies_since(struct vkr_engine *engine, uint32_t timeline,
					      const struct vkr_engine_mark *mark, uint64_t tag,
					      const struct vkr_engine_dependency *dependencies,
					      uint32_t count, struct vkr_error *error)
{
	struct own_dependencies own;
	enum vkr_result result = VKR_OK;
	for (uint32_t i = 0; i < count && result == VKR_OK; i++)
		if (vkr_queues_local_stages(&dependencies[i]) & ~engine->queues.local_stages)
			result = vkr_deferral_feed_all(engine, error);
	if (result != VKR_OK)
		return result;
	if (!own_init(&own, dependencies, count)) {
		own_finish(&own);
		return vkr_error_memory(error, "dependencies");
	}
	own_fill(engine, &own, dependencies, count);
	result = vkr_queues_dependencies(&engine->queues, timeline, mark, tag, own.items, count,
					 error);
	for (uint32_t i = 0; i < count; i++)
		if (dependencies[i].transition)
			dependencies[i].transition->command = own.items[i].transition->command;
	own_finish(&own);
	return result;
}

enum vkr_result vkr_engine_section_begin(struct vkr_engine *engine, uint32_t timeline,
					 uint64_t stages, struct vkr_error *error)
{
	return vkr_queues_section_begin(&engine->queues, timeline, stages, error);
}

void vkr_engine_section_end(struct vkr_engine *engine, uint32_t timeline)
{
	vkr_queues_section_end(&engine->queues, timeline);
}

void vkr_engine_sections_over(struct vkr_engine *engine, uint32_t timeline)
{
	vkr_queues_sections_over(&engine->queues, timeline);
}

enum vkr_result vkr_engine_release(struct vkr_engine *engine, uint32_t timeline, uint64_t stages,
				   bool to_device, uint32_t *token, struct vkr_error *error)
{
	return vkr_queues_release(&engine->queues, timeline, stages, to_device, token, error);
}

enum vkr_result vkr_engine_acquire(struct vkr_engine *engine, uint32_t timeline, uint32_t token,
				   uint64_t stages, struct vkr_error *error)
{
	return vkr_queues_acquire(&engine->queues, timeline, token, stages, error);
}

enum vkr_result vkr_engine_token_join(struct vkr_engine *engine, uint32_t token, uint32_t more,
				      struct vkr_error *error)
{
	return vkr_queues_token_join(&engine->queues, token, more, error);
}

void vkr_engine_token_drop(struct vkr_engine *engine, uint32_t token)
{
	vkr_queues_token_drop(&engine->queues, token);
}

enum vkr_result vkr_engine_memory(struct vkr_engine *engine, uint32_t memory, uint64_t bytes,
				  bool coherent, struct vkr_error *error)
{
	assert(memory != 0 && memory != VKR_ENGINE_WORKGROUP);
	while (engine->memories.count < memory) {
		if (!VKR_ARRAY_RESERVE(&engine->memories, 1))
			return vkr_error_memory(error, "memory objects");
		engine->memories.items[engine->memories.count++] = (struct vkr_shadow){0};
	}
	vkr_deferred_drop(engine, &engine->memories.items[memory - 1]);
	vkr_shadow_finish(&engine->memories.items[memory - 1], &engine->pool);
	if (engine->next_serial == VKR_NO_SERIAL)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "more than 4294967294 memory objects in one run");
	struct vkr_shadow *shadow = &engine->memories.items[memory - 1];
	const enum vkr_result result =
		vkr_shadow_init(shadow, memory, engine->next_serial++, bytes, coherent, error);
	if (result == VKR_OK &&
	    !vkr_share_init(&shadow->share, engine->options.shard, shadow->serial, bytes))
		return vkr_error_memory(error, "shadow memory");
	return result;
}

enum vkr_result vkr_engine_place(struct vkr_engine *engine, uint32_t memory, uint64_t offset,
				 uint64_t bytes, bool common, struct vkr_error *error)
{
	struct vkr_shadow *shadow = memory_of(engine, memory);
	if (!shadow || offset >= shadow->bytes)
		return VKR_OK;
	const uint64_t end = bytes < shadow->bytes - offset ? offset + bytes : shadow->bytes;
	return vkr_share_place(&shadow->share, engine->options.shard, offset, end,
			       common ? NULL : &engine->next_part)
		       ? VKR_OK
		       : vkr_error_memory(error, "shadow memory");
}

enum vkr_result vkr_engine_flush(struct vkr_engine *engine, uint32_t timeline, uint32_t memory,
				 uint64_t offset, uint64_t bytes, struct vkr_error *error)
{
	const struct vkr_shadow *shadow = memory_of(engine, memory);
	if (!shadow || shadow->coherent)
		return VKR_OK;
	return vkr_queues_flush(&engine->queues, timeline, shadow->serial, offset, offset + bytes,
				error);
}

enum vkr_result vkr_engine_invalidate(struct vkr_engine *engine, uint32_t timeline, uint32_t memory,
				      uint64_t offset, uint64_t bytes, struct vkr_error *error)
{
	const struct vkr_shadow *shadow = memory_of(engine, memory);
	if (!shadow || shadow->coherent)
		return VKR_OK;
	return vkr_queues_invalidate(&engine->queues, timeline, shadow->serial, offset,
				     offset + bytes, error);
}

// Flags that follow from others (appendix "Memory Model", "Atomic Operation": atomics are
// non-private, and have availability and visibility operations of their scope).
static uint32_t implied_flags(const struct vkr_engine_site *site)
{
	uint32_t flags = site->flags;
	if (!(flags & VKR_ENGINE_ATOMIC))
		return flags;
	flags |= VKR_ENGINE_NONPRIVATE;
	if (site->scope == VKR_SCOPE_SUBGROUP)
		return flags | (flags & VKR_ENGINE_WRITE ? VKR_ENGINE_NEAR_AVAILABLE : 0) |
		       (flags & VKR_ENGINE_READ ? VKR_ENGINE_NEAR_VISIBLE : 0);
	if (site->scope == VKR_SCOPE_INVOCATION)
		return flags;
	const bool far = vkr_scope_is_far(site->scope);
	const bool device = vkr_scope_is_device(site->scope);
	if (flags & VKR_ENGINE_WRITE)
		flags |= VKR_ENGINE_MAKE_AVAILABLE | (far ? VKR_ENGINE_FAR_AVAILABLE : 0) |
			 (device ? VKR_ENGINE_DEVICE_AVAILABLE : 0);
	if (flags & VKR_ENGINE_READ)
		flags |= VKR_ENGINE_MAKE_VISIBLE | (far ? VKR_ENGINE_FAR_VISIBLE : 0) |
			 (device ? VKR_ENGINE_DEVICE_VISIBLE : 0);
	return flags;
}

enum vkr_result vkr_engine_site_add(struct vkr_engine *engine, const struct vkr_engine_site *site,
				    uint32_t *id, struct vkr_error *error)
{
	const struct vkr_memory_rules *rules = &engine->options.rules;
	const uint32_t flags =
		implied_flags(site) | (vkr_memory_is_hrf(rules) ? VKR_ENGINE_UNREFERENCED : 0) |
		(rules->model == VKR_MEMORY_HRF_OPENCL ? VKR_ENGINE_EQUAL_SCOPES : 0);
	struct vkr_judge_site made = {.tag = site->tag,
				      .stage = site->stage,
				      .access = site->access,
				      .flags = flags,
				      .bytes = site->bytes,
				      .first_piece = (uint32_t)engine->pieces.count,
				      .piece_count = site->pieces ? site->piece_count : 0,
				      .storage_class = site->storage_class,
				      .scope = site->scope};
	// The limit of a pair's key.
	if (engine->sites.count >= (1u << 30) - 1)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED, "more than 2^30 sites");
	if (!VKR_ARRAY_RESERVE(&engine->sites, 1) ||
	    !VKR_ARRAY_RESERVE(&engine->pieces, made.piece_count))
		return vkr_error_memory(error, "sites");
	made.category = (flags & (VKR_ENGINE_WRITE | VKR_ENGINE_ATOMIC | VKR_ENGINE_NONPRIVATE)) |
			(uint32_t)site->storage_class << 4 |
			(flags & VKR_ENGINE_MAKE_AVAILABLE ? 1u << 8 : 0) |
			(flags & VKR_ENGINE_FAR_AVAILABLE ? 1u << 9 : 0) |
			(flags & VKR_ENGINE_DEVICE_AVAILABLE ? 1u << 10 : 0) |
			(flags & VKR_ENGINE_SILENT ? 1u << 11 : 0);
	if (flags & VKR_ENGINE_ATOMIC)
		made.category |= (uint32_t)site->scope << 12 | (site->bytes & 0xffff) << 16;
	else if (flags & VKR_ENGINE_NEAR_AVAILABLE)
		made.category |= 1u << 12;
	engine->private_sharing =
		engine->private_sharing ||
		(site->storage_class & VKR_CLASS_WORKGROUP && !(flags & VKR_ENGINE_NONPRIVATE));
	if (!(flags & VKR_ENGINE_NONPRIVATE) && flags & VKR_ENGINE_READ)
		engine->private_reads |= site->storage_class;
	if (!(flags & VKR_ENGINE_NONPRIVATE) && flags & VKR_ENGINE_WRITE)
		engine->private_writes |= site->storage_class;
	engine->subgroup_scopes = engine->subgroup_scopes ||
				  flags & (VKR_ENGINE_NEAR_AVAILABLE | VKR_ENGINE_NEAR_VISIBLE);
	for (uint32_t i = 0; i < made.piece_count; i++)
		engine->pieces.items[engine->pieces.count++] = site->pieces[i];
	engine->sites.items[engine->sites.count++] = made;
	*id = (uint32_t)engine->sites.count;
	return VKR_OK;
}

uint64_t vkr_engine_tag(const struct vkr_engine *engine, uint32_t command)
{
	assert(command >= 1 && command <= engine->queues.commands.count);
	return engine->queues.commands.items[command - 1].tag;
}

uint64_t vkr_engine_changes(const struct vkr_engine *engine, uint32_t timeline)
{
	assert(timeline >= 1 && timeline <= engine->queues.timelines.count);
	return engine->queues.timelines.items[timeline - 1].changes;
}

uint64_t vkr_engine_pair_count(const struct vkr_engine *engine, uint32_t pair)
{
	assert(pair < engine->pairs.count);
	return engine->pairs.items[pair].count;
}

uint64_t vkr_engine_pair_commands(const struct vkr_engine *engine, uint32_t pair)
{
	assert(pair < engine->pairs.count);
	return engine->pairs.items[pair].commands;
}

const struct vkr_byte_ranges *vkr_engine_pair_extent(struct vkr_engine *engine, uint32_t pair)
{
	assert(pair < engine->pairs.count);
	vkr_byte_ranges_settle(&engine->pairs.items[pair].extent);
	return &engine->pairs.items[pair].extent;
}

uint64_t vkr_engine_races(const struct vkr_engine *engine)
{
	return engine->races;
}

uint64_t vkr_engine_accesses(const struct vkr_engine *engine)
{
	return engine->accesses;
}

void vkr_engine_statistics(const struct vkr_engine *engine,
			   struct vkr_engine_statistics *statistics)
{
	uint64_t tables = vkr_shadow_table_bytes(&engine->workgroup_memory);
	for (size_t i = 0; i < engine->memories.count; i++)
		tables += vkr_shadow_table_bytes(&engine->memories.items[i]);
	*statistics =
		(struct vkr_engine_statistics){.accesses = engine->accesses,
					       .commands = engine->queues.made,
					       .shadow_bytes = engine->pool.held + tables,
					       .shadow_peak = engine->pool.peak + tables,
					       .epoch_bytes = vkr_epochs_bytes(&engine->epochs)};
}
