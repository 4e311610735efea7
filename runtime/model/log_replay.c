// SPDX-License-Identifier: Apache-2.0
// Replays one dispatch's log into the engine. Knows the records of vkrace/gpu_log.h; not where the
// log came from.
#include "log_replay.h"

#include "array.h"
#include "error.h"

#include "vkrace/gpu_log.h"

#include <stdlib.h>
#include <string.h>

// Where one invocation's reading stands.
struct vkr_cursor {
	const uint32_t *record;   // the present record's words, behind its segment's number
	const uint32_t *at, *end; // the next record, and the end of the present chunk
	uint32_t chunk,
		chunk_end; // in headers: the next chunk of the invocation, and behind its last
	const struct vkr_step *step; // to be done next; NULL: the invocation has ended
	uint8_t released;            // classes of release fences since its last access
	uint8_t release_order;       // their enum vkr_site_order bits
};

// One dispatch being replayed.
struct work {
	struct vkr_replay *replay;
	struct vkr_engine *engine;
	struct vkr_dispatch_targets *targets;
	const struct vkr_program *program;
	uint32_t workgroup;
	struct vkr_error *error;
};

void vkr_replay_finish(struct vkr_replay *replay)
{
	free(replay->cursors);
	free(replay->headers);
	free(replay->active);
	free(replay->next);
	free(replay->waiting);
	free(replay->offsets);
	free(replay->elements);
	free(replay->runs.items);
	*replay = (struct vkr_replay){0};
}

static bool make_room(struct vkr_replay *replay, uint32_t local_size)
{
	if (local_size <= replay->local_capacity)
		return true;
	struct vkr_replay old = *replay;
	replay->cursors = calloc(local_size, sizeof *replay->cursors);
	replay->active = calloc(local_size, sizeof *replay->active);
	replay->next = calloc(local_size, sizeof *replay->next);
	replay->waiting = calloc(local_size, sizeof *replay->waiting);
	replay->offsets = calloc(local_size, sizeof *replay->offsets);
	replay->elements = calloc(local_size, sizeof *replay->elements);
	free(old.cursors);
	free(old.active);
	free(old.next);
	free(old.waiting);
	free(old.offsets);
	free(old.elements);
	replay->local_capacity = 0;
	if (replay->cursors == NULL || replay->active == NULL || replay->next == NULL ||
	    replay->waiting == NULL || replay->offsets == NULL || replay->elements == NULL)
		return false;
	replay->local_capacity = local_size;
	return true;
}

static void note_damage(struct work *work, uint32_t local)
{
	if (work->replay->damaged++ > 0)
		return;
	work->replay->damaged_local = local;
	work->replay->damaged_workgroup = work->workgroup;
}

// Takes the invocation's next chunk that holds a record; false where there is none.
static bool next_chunk(struct work *work, struct vkr_cursor *cursor)
{
	while (cursor->at == cursor->end || *cursor->at == 0) {
		if (cursor->chunk == cursor->chunk_end)
			return false;
		const uint32_t *header = work->replay->headers[cursor->chunk++];
		cursor->at = header + VKR_CHUNK_HEADER_WORDS;
		cursor->end = header + header[3];
	}
	return true;
}

// The invocation's next record, in this chunk or its next ones.
static inline void next_record(struct work *work, uint32_t local, struct vkr_cursor *cursor)
{
	if ((cursor->at == cursor->end || *cursor->at == 0) && !next_chunk(work, cursor)) {
		cursor->step = NULL;
		return;
	}
	const uint32_t segment = *cursor->at - 1;
	if (segment >= work->program->segment_count ||
	    work->program->starts[segment].words >= (size_t)(cursor->end - cursor->at)) {
		note_damage(work, local);
		cursor->step = NULL;
		return;
	}
	const struct vkr_segment_start *start = &work->program->starts[segment];
	cursor->record = cursor->at + 1;
	cursor->at += 1 + start->words;
	cursor->step = start->step;
}

static inline void advance(struct work *work, uint32_t local, struct vkr_cursor *cursor)
{
	if (cursor->step->last)
		next_record(work, local, cursor);
	else
		cursor->step++;
}

static enum vkr_result flush_runs(struct work *work)
{
	struct vkr_replay *replay = work->replay;
	if (replay->runs.count == 0)
		return VKR_OK;
	const size_t count = replay->runs.count;
	replay->runs.count = 0;
	return vkr_engine_runs(work->engine, replay->runs.items, count, work->error);
}

static void count_out_of_range(struct vkr_replay *replay, const uint32_t *offsets, uint32_t count,
			       uint64_t bytes, uint64_t room)
{
	uint64_t beyond = 0;
	for (uint32_t at = 0; at < count; at++)
		beyond += offsets[at] + bytes > room;
	replay->out_of_range += beyond;
}

// The number of equal strides in a row from `at` on.
static uint32_t run_length(const uint32_t *offsets, uint32_t at, uint32_t count, int64_t *stride)
{
	*stride = 0;
	if (at + 1 == count)
		return 1;
	const uint32_t step = offsets[at + 1] - offsets[at];
	uint32_t length = 2;
	while (at + length < count && offsets[at + length] - offsets[at + length - 1] == step)
		length++;
	*stride = (int64_t)offsets[at + 1] - (int64_t)offsets[at];
	return length;
}

static enum vkr_result emit_site(struct work *work, uint32_t site, uint32_t local,
				 const uint32_t *offsets, uint32_t count,
				 const struct vkr_engine_target *target)
{
	struct vkr_replay *replay = work->replay;
	const size_t before = replay->runs.count;
	if (count > replay->runs.capacity - before && !VKR_ARRAY_RESERVE(&replay->runs, count))
		return vkr_error_memory(work->error, "runs");
	// Runs shorter than this on the average cost more than the accesses one by one.
	const uint32_t most = 1 + count / 4;
	for (uint32_t at = 0; at < count;) {
		int64_t stride = 0;
		const uint32_t length = run_length(offsets, at, count, &stride);
		if (replay->runs.count - before == most) {
			replay->runs.count = before;
			return vkr_engine_scatter(work->engine,
						  &(struct vkr_engine_scatter){.site = site,
									       .local = local,
									       .count = count,
									       .offsets = offsets,
									       .target = target},
						  work->error);
		}
		replay->runs.items[replay->runs.count++] =
			(struct vkr_engine_run){.site = site,
						.local = local + at,
						.count = length,
						.stride = stride,
						.offset = offsets[at],
						.target = target};
		at += length;
	}
	return VKR_OK;
}

static bool wrote(const struct work *work, const struct vkr_program_access *access, uint32_t local)
{
	return access->wrote_word == UINT32_MAX ||
	       work->replay->cursors[local].record[access->wrote_word] != 0;
}

// The write of a read-modify-write, by those invocations whose compare-exchange did not fail.
static enum vkr_result emit_write(struct work *work, const struct vkr_program_access *access,
				  uint32_t local, const uint32_t *offsets, uint32_t count,
				  const struct vkr_engine_target *target)
{
	for (uint32_t at = 0; at < count;) {
		uint32_t length = 0;
		while (at + length < count && wrote(work, access, local + at + length))
			length++;
		if (length > 0) {
			const enum vkr_result result = emit_site(
				work, access->write_site, local + at, offsets + at, length, target);
			if (result != VKR_OK)
				return result;
		}
		at += length + 1;
	}
	return VKR_OK;
}

static enum vkr_result emit(struct work *work, const struct vkr_program_access *access,
			    uint32_t local, const uint32_t *offsets, uint32_t count,
			    const struct vkr_engine_target *target)
{
	if (target == NULL)
		return VKR_OK;
	count_out_of_range(work->replay, offsets, count, access->bytes, target->bytes);
	const enum vkr_result result = emit_site(work, access->site, local, offsets, count, target);
	if (result != VKR_OK || access->write_site == 0)
		return result;
	return emit_write(work, access, local, offsets, count, target);
}

// Invocations of a group may pick different elements of a descriptor array.
static enum vkr_result emit_arrayed(struct work *work, const struct vkr_program_access *access,
				    uint32_t local, uint32_t count)
{
	struct vkr_replay *replay = work->replay;
	const struct vkr_cursor *cursors = &replay->cursors[local];
	for (uint32_t at = 0; at < count; at++) {
		replay->elements[at] = cursors[at].record[access->word];
		replay->offsets[at] = cursors[at].record[access->word + 1];
	}
	for (uint32_t at = 0; at < count;) {
		uint32_t length = 1;
		while (at + length < count && replay->elements[at + length] == replay->elements[at])
			length++;
		const enum vkr_result result = emit(
			work, access, local + at, replay->offsets + at, length,
			vkr_dispatch_target(work->targets, access->variable, replay->elements[at]));
		if (result != VKR_OK)
			return result;
		at += length;
	}
	return VKR_OK;
}

static enum vkr_result emit_pointers(struct work *work, const struct vkr_program_access *access,
				     uint32_t local, uint32_t count)
{
	const struct vkr_cursor *cursors = &work->replay->cursors[local];
	for (uint32_t at = 0; at < count; at++) {
		const uint32_t *words = cursors[at].record + access->word;
		uint64_t offset = 0;
		const struct vkr_engine_target *target = vkr_dispatch_pointer(
			work->targets, words[0] | (uint64_t)words[1] << 32, &offset);
		if (target == NULL) {
			work->replay->unknown++;
			continue;
		}
		work->replay->out_of_range += offset + access->bytes > target->bytes;
		struct vkr_engine_run run = {.site = access->site,
					     .local = local + at,
					     .count = 1,
					     .offset = offset,
					     .target = target};
		enum vkr_result result = vkr_engine_runs(work->engine, &run, 1, work->error);
		if (result == VKR_OK && access->write_site != 0 &&
		    wrote(work, access, local + at)) {
			run.site = access->write_site;
			result = vkr_engine_runs(work->engine, &run, 1, work->error);
		}
		if (result != VKR_OK)
			return result;
	}
	return VKR_OK;
}

// The same step of invocations local .. local + count - 1.
static enum vkr_result do_accesses(struct work *work, const struct vkr_step *step, uint32_t local,
				   uint32_t count)
{
	struct vkr_replay *replay = work->replay;
	const struct vkr_cursor *cursors = &replay->cursors[local];
	for (uint32_t index = 0; index < step->access_count; index++) {
		const struct vkr_program_access *access =
			&work->program->accesses[step->first_access + index];
		enum vkr_result result = VKR_OK;
		if (access->pointer) {
			result = emit_pointers(work, access, local, count);
		} else if (access->arrayed) {
			result = emit_arrayed(work, access, local, count);
		} else {
			for (uint32_t at = 0; at < count; at++)
				replay->offsets[at] = cursors[at].record[access->word];
			result = emit(work, access, local, replay->offsets, count,
				      vkr_dispatch_target(work->targets, access->variable, 0));
		}
		if (result != VKR_OK)
			return result;
	}
	return flush_runs(work);
}

static bool reaches_workgroup(uint8_t scope)
{
	return scope != VKR_SCOPE_INVOCATION && scope != VKR_SCOPE_SUBGROUP;
}

static void do_fence(struct vkr_cursor *cursor, const struct vkr_site *site)
{
	if (site->operation != VKR_SITE_MEMORY_BARRIER || !reaches_workgroup(site->scope) ||
	    !(site->order & VKR_ORDER_RELEASE))
		return;
	cursor->released |= site->semantics;
	cursor->release_order |= site->order;
}

// Every active invocation does one step; those that come to a barrier wait, those that end drop
// out. Returns the number still active through *active.
static enum vkr_result do_round(struct work *work, uint32_t *active, uint32_t *waiting)
{
	struct vkr_replay *replay = work->replay;
	uint32_t left = 0;
	for (uint32_t first = 0; first < *active;) {
		const uint32_t local = replay->active[first];
		const struct vkr_step *step = replay->cursors[local].step;
		uint32_t count = 1;
		while (first + count < *active && replay->active[first + count] == local + count &&
		       replay->cursors[local + count].step == step)
			count++;
		first += count;
		if (step->kind == VKR_STEP_BARRIER) {
			for (uint32_t at = local; at < local + count; at++)
				replay->waiting[(*waiting)++] = at;
			continue;
		}
		if (step->kind == VKR_STEP_ACCESSES) {
			const enum vkr_result result = do_accesses(work, step, local, count);
			if (result != VKR_OK)
				return result;
		}
		const bool accessed = step->access_count > 0;
		for (uint32_t at = local; at < local + count; at++) {
			struct vkr_cursor *cursor = &replay->cursors[at];
			if (accessed)
				cursor->released = 0;
			else if (step->kind == VKR_STEP_FENCE)
				do_fence(cursor, step->site);
			advance(work, at, cursor);
			replay->next[left] = at;
			left += cursor->step != NULL;
		}
	}
	uint32_t *active_list = replay->active;
	replay->active = replay->next;
	replay->next = active_list;
	*active = left;
	return VKR_OK;
}

// The control barrier that the waiting invocations stand at, together with the memory barriers
// right before and right behind it: a release barrier before the control barrier
// synchronizes-with an acquire barrier behind it (memory model, "Synchronizes-With").
static void pass_barrier(struct work *work, uint32_t *active, uint32_t waiting)
{
	struct vkr_replay *replay = work->replay;
	uint8_t released = UINT8_MAX, acquired = UINT8_MAX, order = 0;
	for (uint32_t at = 0; at < waiting; at++) {
		const uint32_t local = replay->waiting[at];
		struct vkr_cursor *cursor = &replay->cursors[local];
		const struct vkr_site *site = cursor->step->site;
		uint8_t before = cursor->released, behind = 0;
		order |= cursor->released != 0 ? cursor->release_order : 0;
		if (reaches_workgroup(site->scope)) {
			before |= site->order & VKR_ORDER_RELEASE ? site->semantics : 0;
			behind |= site->order & VKR_ORDER_ACQUIRE ? site->semantics : 0;
			order |= site->order;
		}
		cursor->released = 0;
		advance(work, local, cursor);
		while (cursor->step != NULL && cursor->step->kind == VKR_STEP_FENCE) {
			const struct vkr_site *fence = cursor->step->site;
			if (fence->operation == VKR_SITE_MEMORY_BARRIER &&
			    reaches_workgroup(fence->scope) && fence->order & VKR_ORDER_ACQUIRE) {
				behind |= fence->semantics;
				order |= fence->order;
			}
			do_fence(cursor, fence);
			advance(work, local, cursor);
		}
		released &= before;
		acquired &= behind;
		if (cursor->step != NULL)
			replay->active[(*active)++] = local;
	}
	vkr_engine_control_barrier(work->engine, VKR_SCOPE_WORKGROUP, order, released & acquired);
}

// Whether chunk i is the only one of local index i.
static bool are_in_order(const struct vkr_chunk *chunks, size_t count, uint32_t size)
{
	if (count > size)
		return false;
	size_t at = 0;
	while (at < count && chunks[at].words[2] == at)
		at++;
	return at == count;
}

// Puts the workgroup's chunks in order of local index; those of one invocation keep their order.
static void place_chunks(struct work *work, const struct vkr_chunk *chunks, size_t count)
{
	struct vkr_replay *replay = work->replay;
	struct vkr_cursor *cursors = replay->cursors;
	const uint32_t size = work->program->local_size;
	if (are_in_order(chunks, count, size)) {
		for (uint32_t at = 0; at < count; at++) {
			replay->headers[at] = chunks[at].words;
			cursors[at].chunk = at;
			cursors[at].chunk_end = at + 1;
		}
		return;
	}
	for (size_t at = 0; at < count; at++) {
		const uint32_t local = chunks[at].words[2];
		if (local < size)
			cursors[local].chunk_end++;
		else
			note_damage(work, local);
	}
	uint32_t place = 0;
	for (uint32_t local = 0; local < size; local++) {
		const uint32_t of_local = cursors[local].chunk_end;
		cursors[local].chunk = place;
		cursors[local].chunk_end = place;
		place += of_local;
	}
	for (size_t at = 0; at < count; at++)
		if (chunks[at].words[2] < size)
			replay->headers[cursors[chunks[at].words[2]].chunk_end++] =
				chunks[at].words;
}

// Every invocation's cursor at its first record.
static enum vkr_result begin_invocations(struct work *work, const struct vkr_chunk *chunks,
					 size_t count, uint32_t *active)
{
	struct vkr_replay *replay = work->replay;
	struct vkr_cursor *cursors = replay->cursors;
	const uint32_t size = work->program->local_size;
	if (count > UINT32_MAX)
		return vkr_error_set(work->error, VKR_ERROR_UNSUPPORTED,
				     "more than 4,294,967,295 chunks of one workgroup");
	if (!vkr_array_reserve((void **)&replay->headers, &replay->header_capacity, count,
			       sizeof *replay->headers))
		return vkr_error_memory(work->error, "chunks");
	memset(cursors, 0, size * sizeof *cursors);
	place_chunks(work, chunks, count);
	*active = 0;
	for (uint32_t local = 0; local < size; local++) {
		if (cursors[local].chunk == cursors[local].chunk_end)
			continue;
		next_record(work, local, &cursors[local]);
		if (cursors[local].step != NULL)
			replay->active[(*active)++] = local;
	}
	return VKR_OK;
}

static enum vkr_result do_workgroup(struct work *work, const struct vkr_chunk *chunks, size_t count)
{
	uint32_t active = 0;
	enum vkr_result result = vkr_engine_workgroup(work->engine, work->workgroup, work->error);
	if (result == VKR_OK)
		result = begin_invocations(work, chunks, count, &active);
	while (result == VKR_OK && active > 0) {
		uint32_t waiting = 0;
		while (result == VKR_OK && active > 0)
			result = do_round(work, &active, &waiting);
		if (result == VKR_OK && waiting > 0)
			pass_barrier(work, &active, waiting);
	}
	return result;
}

enum vkr_result vkr_replay_dispatch(struct vkr_replay *replay, struct vkr_engine *engine,
				    struct vkr_dispatch_targets *targets,
				    const struct vkr_chunk *first, size_t count,
				    struct vkr_error *error)
{
	struct work work = {.replay = replay,
			    .engine = engine,
			    .targets = targets,
			    .program = targets->program,
			    .error = error};
	replay->damaged = 0;
	replay->out_of_range = 0;
	replay->unknown = 0;
	if (!make_room(replay, targets->program->local_size))
		return vkr_error_memory(error, "a workgroup");
	for (size_t at = 0; at < count;) {
		size_t length = 1;
		while (at + length < count && first[at + length].key == first[at].key)
			length++;
		work.workgroup = vkr_chunk_workgroup(&first[at]);
		const enum vkr_result result = do_workgroup(&work, first + at, length);
		if (result != VKR_OK)
			return result;
		at += length;
	}
	return VKR_OK;
}
