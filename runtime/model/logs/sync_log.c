// SPDX-License-Identifier: Apache-2.0
// Reads a dispatch's log for its synchronization: one invocation after the other, each in program
// order. Knows the records of vkrace/gpu_log.h; not what orders what.
#include "sync_log.h"

#include "array.h"
#include "error.h"
#include "log_lines.h"
#include "search.h"
#include "site_table.h"
#include "texel_places.h"

#include "vkrace/gpu_log.h"

#include <stdlib.h>
#include <string.h>

// ---- Invocations --------------------------------------------------------------------------------

struct reading {
	struct vkr_sync *sync;
	struct vkr_dispatch_targets *targets;
	uint32_t workgroup, local;
	uint32_t id[3];                                 // WorkgroupId
	size_t first_event, first_access, first_atomic; // of the invocation
	size_t first_agent;                             // of the workgroup
	uint64_t turns_left;                            // of the workgroup's lists
	struct vkr_row row;                             // the invocation alone, at its record
	uint32_t barriers;
	struct vkr_error *error;
};

static uint64_t value_at(const uint32_t *words, uint32_t bytes)
{
	return bytes == 8 ? words[0] | (uint64_t)words[1] << 32 : words[0];
}

static bool add_event(struct reading *reading, uint32_t site, uint32_t atomic)
{
	struct vkr_sync *sync = reading->sync;
	if (!VKR_ARRAY_RESERVE(&sync->events, 1))
		return false;
	const uint32_t index = (uint32_t)sync->events.count;
	sync->events.items[sync->events.count++] = (struct vkr_sync_event){
		.site = site, .atomic = atomic, .mate = index, .barriers = reading->barriers};
	return true;
}

// `value`: a shader call's word.
static bool add_step(struct reading *reading, const struct vkr_site *site, uint32_t value)
{
	struct vkr_sync *sync = reading->sync;
	const bool is_call = site->operation >= VKR_SITE_SHADER_CALL;
	if (is_call && !sync->calls.each)
		return true;
	if (!add_event(reading, (uint32_t)(site - sync->sites), VKR_SYNC_NONE))
		return false;
	sync->events.items[sync->events.count - 1].value = is_call ? value : 0;
	return true;
}

static bool add_atomic(struct reading *reading, const struct vkr_program_access *access,
		       const struct vkr_sync_access *place, const uint32_t *record)
{
	struct vkr_sync *sync = reading->sync;
	const struct vkr_site *site = &sync->sites[access->table_site];
	const uint32_t value_words = access->bytes == 8 ? 2 : 1;
	const uint32_t *values = record + access->value_word;
	struct vkr_sync_atomic made = {
		.memory = place->memory,
		.offset = place->low,
		.reference = vkr_memory_is_hrf(&sync->rules) ? 0 : place->reference,
		.bytes = access->bytes,
		.reads = site->operation != VKR_SITE_ATOMIC_STORE,
		.writes = place->write,
		.event = (uint32_t)sync->events.count,
		.from = VKR_SYNC_NONE};
	if (made.reads) {
		made.read = value_at(values, access->bytes);
		values += value_words;
	}
	if (site->operation != VKR_SITE_ATOMIC_LOAD)
		made.written = value_at(values, access->bytes);
	if (!VKR_ARRAY_RESERVE(&sync->atomics, 1))
		return false;
	sync->atomics.items[sync->atomics.count++] = made;
	return add_event(reading, access->table_site, (uint32_t)sync->atomics.count - 1);
}

// Accesses that no release of a shader orders are private, or to the workgroup's own memory.
static bool is_shared(const struct vkr_sync *sync, const struct vkr_sync_access *access)
{
	return sync->shared && access->memory <= UINT32_MAX &&
	       vkr_sync_is_nonprivate(&sync->sites[access->table_site]);
}

static bool add_pieces(struct reading *reading, const struct vkr_sync_access *access)
{
	struct vkr_sync *sync = reading->sync;
	const struct vkr_site *site = &sync->sites[access->table_site];
	const struct vkr_piece *pieces =
		vkr_site_table_pieces(reading->targets->program->shader->sites);
	const uint32_t count = site->piece_count > 0 ? site->piece_count : 1;
	for (uint32_t at = 0; at < count; at++) {
		struct vkr_sync_access piece = *access;
		if (site->piece_count > 0) {
			piece.low = access->low + pieces[site->first_piece + at].offset;
			piece.high = piece.low + pieces[site->first_piece + at].bytes;
		}
		if (!is_shared(sync, &piece) && !vkr_sync_ranges_access(&sync->ranges, &piece))
			continue;
		if (!VKR_ARRAY_RESERVE(&sync->accesses, 1))
			return false;
		sync->accesses.items[sync->accesses.count++] = piece;
	}
	return true;
}

// One piece of memory that an access covers.
struct accessed {
	const struct vkr_engine_target *target;
	uint64_t offset;
	uint32_t bytes, site, wrote_site;
};

static bool read_accessed(struct reading *reading, const struct vkr_program_access *access,
			  const struct accessed *accessed, const uint32_t *record, uint32_t step)
{
	struct vkr_sync *sync = reading->sync;
	const struct vkr_site *site = &sync->sites[access->table_site];
	const struct vkr_engine_target *target = accessed->target;
	const uint64_t offset = accessed->offset;
	const bool wrote = access->wrote_word == UINT32_MAX || record[access->wrote_word] != 0;
	const bool stores =
		site->operation == VKR_SITE_STORE || site->operation == VKR_SITE_ATOMIC_STORE;
	const bool changes = site->operation == VKR_SITE_ATOMIC_RMW;
	const bool separation = vkr_sync_is_atomic(site) && (site->flags & VKR_SITE_VALUES);
	const struct vkr_sync_access made = {
		.memory = vkr_sync_memory(target->memory, reading->workgroup),
		.low = target->base + offset,
		.high = target->base + offset + accessed->bytes,
		.agent = VKR_SYNC_NONE,
		.workgroup = reading->workgroup,
		.local = reading->local,
		.events = (uint32_t)(sync->events.count - reading->first_event),
		.barriers = reading->barriers,
		.step = step,
		.table_site = access->table_site,
		.site = wrote && accessed->wrote_site != 0 ? accessed->wrote_site : accessed->site,
		.reference = target->reference,
		.atomic = separation ? (uint32_t)sync->atomics.count : VKR_SYNC_NONE,
		.read = !stores,
		.write = stores || (changes && wrote)};
	return add_pieces(reading, &made) &&
	       (!separation || add_atomic(reading, access, &made, record));
}

// Each texel; their sites were made when the log was replayed.
static bool read_texels(struct reading *reading, const struct vkr_program_access *access,
			const uint32_t *record, uint32_t step)
{
	struct vkr_texel_places *places = malloc(sizeof *places);
	bool good = places != NULL;
	if (good)
		vkr_texel_places_find(reading->targets, access, record, places);
	for (uint32_t at = 0; good && at < places->count; at++) {
		const struct vkr_texel_place *place = &places->items[at];
		const struct vkr_texel_sites *sites = access->texel_sites;
		while (sites != NULL && sites->bytes != place->bytes)
			sites = sites->next;
		if (sites != NULL)
			good = read_accessed(reading, access,
					     &(struct accessed){place->target, place->offset,
								place->bytes, sites->site,
								sites->wrote_site},
					     record, step);
	}
	free(places);
	return good;
}

static bool read_access(struct reading *reading, const struct vkr_program_access *access,
			const uint32_t *record, uint32_t step)
{
	struct accessed accessed = {
		.bytes = access->bytes, .site = access->site, .wrote_site = access->wrote_site};
	if (access->traced)
		return true; // no shader synchronizes with what builds a structure
	if (access->texel != NULL)
		return read_texels(reading, access, record, step);
	struct vkr_offsets offsets = vkr_offsets_of(reading->targets->program, access, reading->id);
	const uint32_t lines = access->stride_unit != 0 ? access->lines : 1;
	vkr_offsets_iteration(&offsets, &reading->row);
	accessed.target = vkr_record_target(reading->targets, &offsets, reading->local, record,
					    &accessed.offset);
	for (uint32_t line = 0; line < lines && accessed.target != NULL; line++) {
		if (accessed.offset + access->bytes <= accessed.target->bytes &&
		    !read_accessed(reading, access, &accessed, record, step))
			return false;
		accessed.offset += vkr_line_stride(access, record);
	}
	return true;
}

// Step by step; false for lack of memory.
static bool read_record(struct reading *reading, const struct vkr_segment_start *start,
			uint32_t *step)
{
	const struct vkr_program *program = reading->targets->program;
	struct vkr_row *row = &reading->row;
	const uint32_t *record = row->record + 1;
	const uint32_t iterations = start->kind == VKR_SEGMENT_RUN_LENGTH
					    ? vkr_iterations_take(&reading->turns_left, record[0])
					    : 0;
	for (bool more = vkr_row_begin_steps(row, start, iterations); more;
	     more = vkr_row_next_step(row, start)) {
		const struct vkr_program_step *part = row->step;
		for (uint32_t i = 0; i < part->access_count; i++)
			if (!read_access(reading, &program->accesses[part->first_access + i],
					 record, (*step)++))
				return false;
		if (part->kind != VKR_STEP_ACCESSES && !add_step(reading, part->site, record[0]))
			return false;
		reading->barriers += part->kind == VKR_STEP_BARRIER;
	}
	return true;
}

// The records of one chunk, as far as they make sense; false for lack of memory.
static bool read_chunk(struct reading *reading, const uint32_t *at, const uint32_t *end,
		       uint32_t *step)
{
	const struct vkr_program *program = reading->targets->program;
	while (at < end && *at != 0 && *at <= program->segment_count) {
		const struct vkr_segment_start *start = &program->starts[*at - 1];
		if (start->words >= (size_t)(end - at))
			return true;
		reading->row.record = at;
		if (!read_record(reading, start, step))
			return false;
		at += 1 + start->words;
	}
	return true;
}

static uint32_t subgroup_of(const struct vkr_sync *sync, uint32_t local)
{
	return sync->subgroup_size > 0 ? local / sync->subgroup_size : 0;
}

static bool same_sites(const struct vkr_sync *sync, const struct vkr_sync_agent *agent,
		       size_t first, size_t count)
{
	if (agent->event_count != count)
		return false;
	for (size_t at = 0; at < count; at++)
		if (sync->events.items[agent->first_event + at].site !=
		    sync->events.items[first + at].site)
			return false;
	return true;
}

// The invocation that represents this one, which has no atomics and is ordered like others of its
// workgroup, or VKR_SYNC_NONE.
static uint32_t find_alike(const struct reading *reading, size_t count)
{
	const struct vkr_sync *sync = reading->sync;
	const uint32_t subgroup = subgroup_of(sync, reading->local);
	for (size_t at = reading->first_agent; at < sync->agents.count; at++) {
		const struct vkr_sync_agent *agent = &sync->agents.items[at];
		if (!agent->has_atomics && agent->subgroup == subgroup &&
		    agent->stand_in[0] == at &&
		    same_sites(sync, agent, reading->first_event, count))
			return (uint32_t)at;
	}
	return VKR_SYNC_NONE;
}

// Makes an agent of the invocation, unless two like it are there.
static bool end_invocation(struct reading *reading)
{
	struct vkr_sync *sync = reading->sync;
	const size_t count = sync->events.count - reading->first_event;
	const bool has_atomics = sync->atomics.count > reading->first_atomic;
	uint32_t index = (uint32_t)sync->agents.count;
	if (count == 0 && !(sync->calls.each && sync->accesses.count > reading->first_access))
		return true;
	const uint32_t alike =
		has_atomics || sync->calls.each ? VKR_SYNC_NONE : find_alike(reading, count);
	if (alike != VKR_SYNC_NONE && sync->agents.items[alike].stand_in[1] != alike) {
		sync->events.count = reading->first_event;
		index = alike;
	} else {
		if (!VKR_ARRAY_RESERVE(&sync->agents, 1))
			return false;
		sync->agents.items[sync->agents.count++] =
			(struct vkr_sync_agent){.workgroup = reading->workgroup,
						.local = reading->local,
						.subgroup = subgroup_of(sync, reading->local),
						.event_count = (uint32_t)count,
						.first_event = reading->first_event,
						.stand_in = {index, index},
						.has_atomics = has_atomics};
		if (alike != VKR_SYNC_NONE) {
			sync->agents.items[alike].stand_in[1] = index;
			sync->agents.items[index].stand_in[0] = alike;
		}
		for (size_t at = reading->first_event; at < sync->events.count; at++)
			sync->events.items[at].agent = index;
	}
	for (size_t at = reading->first_access; at < sync->accesses.count; at++)
		sync->accesses.items[at].agent = index;
	return true;
}

// ---- Workgroups ---------------------------------------------------------------------------------

// Chunks of one workgroup as lists by invocation, in program order.
struct lists {
	size_t *first; // by local index: 1 + index of a chunk; 0: none
	struct {
		struct {
			const uint32_t *words, *end; // after the header
			size_t next;                 // as first
		} * items;
		size_t count, capacity;
	} chunks;
	struct {
		uint32_t *items; // a column log's invocations, each one's columns put together
		size_t count, capacity;
	} copies;
};

static void list_one(struct lists *lists, uint32_t local, const uint32_t *words,
		     const uint32_t *end)
{
	lists->chunks.items[lists->chunks.count].words = words;
	lists->chunks.items[lists->chunks.count].end = end;
	lists->chunks.items[lists->chunks.count].next = lists->first[local];
	lists->first[local] = ++lists->chunks.count;
}

// Room for copies of all column logs among the chunks, so that none moves. False for lack of
// memory.
static bool make_copies(struct lists *lists, const struct vkr_chunk *chunks, size_t count)
{
	size_t words = 0;
	for (size_t at = 0; at < count; at++)
		words += 2 * (size_t)chunks[at].columns * chunks[at].count;
	lists->copies.count = 0;
	return words == 0 || VKR_ARRAY_RESERVE(&lists->copies, words);
}

static bool list_filter(struct lists *lists, const struct vkr_chunk *filter, uint32_t size)
{
	if (filter->count != size)
		return true;
	if (!VKR_ARRAY_RESERVE(&lists->chunks, filter->count))
		return false;
	for (uint32_t local = filter->count; local-- > 0;) {
		uint32_t *words = lists->copies.items + lists->copies.count;
		uint32_t used = 0;
		for (uint32_t column = 0; column < filter->columns; column++) {
			const uint32_t *pair =
				filter->words + column * filter->pitch + 2 * (size_t)local;
			words[used++] = pair[0];
			words[used++] = pair[1];
		}
		lists->copies.count += used;
		list_one(lists, local, words, words + used);
	}
	return true;
}

static bool list_chunks(struct lists *lists, const struct vkr_chunk *chunks, size_t count,
			uint32_t size, uint32_t header_words)
{
	memset(lists->first, 0, size * sizeof *lists->first);
	lists->chunks.count = 0;
	if (!make_copies(lists, chunks, count))
		return false;
	for (size_t at = count; at-- > 0;) {
		if (chunks[at].columns > 0) {
			if (!list_filter(lists, &chunks[at], size))
				return false;
			continue;
		}
		const size_t words = chunks[at].words[3];
		if (!VKR_ARRAY_RESERVE(&lists->chunks, chunks[at].count))
			return false;
		for (uint32_t i = chunks[at].count; i-- > 0;) {
			const uint32_t *header = chunks[at].words + i * words;
			if (header[2] < size && words >= header_words)
				list_one(lists, header[2], header + header_words, header + words);
		}
	}
	return true;
}

static bool read_workgroup(struct reading *reading, const struct vkr_chunk *chunks, size_t count,
			   struct lists *lists)
{
	struct vkr_sync *sync = reading->sync;
	const uint32_t size = sync->local_size;
	if (!list_chunks(lists, chunks, count, size, reading->targets->program->header_words))
		return false;
	reading->workgroup = vkr_chunk_workgroup(chunks);
	vkr_chunk_id(chunks, reading->targets->base, reading->id);
	reading->first_agent = sync->agents.count;
	reading->turns_left = vkr_iterations_of(size);
	for (uint32_t local = 0; local < size; local++) {
		uint32_t step = 0;
		reading->local = local;
		reading->row = (struct vkr_row){.local = local, .count = 1, .pitch = 2};
		reading->barriers = 0;
		reading->first_event = sync->events.count;
		reading->first_access = sync->accesses.count;
		reading->first_atomic = sync->atomics.count;
		for (size_t at = lists->first[local]; at != 0;
		     at = lists->chunks.items[at - 1].next)
			if (!read_chunk(reading, lists->chunks.items[at - 1].words,
					lists->chunks.items[at - 1].end, &step))
				return false;
		if (!end_invocation(reading))
			return false;
	}
	return true;
}

enum vkr_result vkr_sync_collect(struct vkr_sync *sync, struct vkr_dispatch_targets *targets,
				 const struct vkr_chunk *chunks, size_t count,
				 struct vkr_error *error)
{
	struct reading reading = {.sync = sync, .targets = targets, .error = error};
	struct lists lists = {.first = calloc(sync->local_size, sizeof *lists.first)};
	bool good = lists.first != NULL;
	for (size_t at = 0; at < count && good;) {
		size_t length = 1;
		while (at + length < count && chunks[at + length].key == chunks[at].key)
			length++;
		good = read_workgroup(&reading, chunks + at, length, &lists);
		at += length;
	}
	free(lists.first);
	free(lists.chunks.items);
	free(lists.copies.items);
	if (!good)
		return vkr_error_memory(error, "a dispatch's synchronization");
	if (sync->events.count >= VKR_SYNC_NONE || sync->accesses.count >= VKR_SYNC_NONE)
		return vkr_error_set(
			error, VKR_ERROR_UNSUPPORTED,
			"more than 4,294,967,294 synchronizing events of one dispatch");
	vkr_sync_find_roles(sync);
	return VKR_OK;
}
