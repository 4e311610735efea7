// SPDX-License-Identifier: Apache-2.0
// Replays one dispatch's log into the engine. Knows the records of vkrace/gpu_log.h; not where the
// log came from.
#include "log_replay.h"

#include "array.h"
#include "error.h"
#include "log_lines.h"
#include "log_spans.h"
#include "log_traversals.h"
#include "noted_texels.h"
#include "read_repeats.h"
#include "summary_state.h"
#include "texel_reads.h"
#include "texel_rows.h"
#include "workgroups_ahead.h"

#include <stdlib.h>
#include <string.h>

void vkr_replay_finish(struct vkr_replay *replay)
{
	vkr_rows_finish(&replay->rows);
	vkr_pattern_finish(&replay->pattern);
	free(replay->offsets);
	free(replay->round.locals);
	free(replay->elements);
	free(replay->wrote);
	free(replay->lanes);
	free(replay->records);
	free(replay->round.steps);
	free(replay->round.spans);
	free(replay->copies.items);
	vkr_texel_log_destroy(replay->texels);
	vkr_texel_rows_destroy(replay->texel_rows);
	vkr_texel_reads_destroy(replay->reads);
	vkr_read_repeats_destroy(replay->repeats);
	vkr_noted_texels_destroy(replay->noted);
	vkr_traversal_log_destroy(replay->traversals);
	vkr_summary_state_destroy(replay->summary);
	vkr_possible_texels_finish(&replay->possible);
	vkr_ahead_destroy(replay->ahead, vkr_replay_finish);
	free(replay->runs.items);
	*replay = (struct vkr_replay){0};
}

static bool make_room(struct vkr_replay *replay, const struct vkr_program *program,
		      uint32_t local_size)
{
	if (!vkr_rows_begin(&replay->rows, program, local_size))
		return false;
	if (program->step_count > replay->round.step_capacity) {
		free(replay->round.steps);
		replay->round.steps = calloc(program->step_count, sizeof *replay->round.steps);
		replay->round.step_capacity = replay->round.steps != NULL ? program->step_count : 0;
		if (replay->round.steps == NULL)
			return false;
	}
	if (local_size <= replay->local_capacity)
		return true;
	free(replay->offsets);
	free(replay->round.locals);
	free(replay->elements);
	free(replay->wrote);
	free(replay->lanes);
	free(replay->records);
	free(replay->round.spans);
	replay->offsets = calloc(local_size, sizeof *replay->offsets);
	replay->round.locals = calloc(local_size, sizeof *replay->round.locals);
	replay->elements = calloc(local_size, sizeof *replay->elements);
	replay->wrote = calloc(local_size, sizeof *replay->wrote);
	replay->lanes = calloc(local_size, VKR_TEXEL_LANE_WORDS * sizeof *replay->lanes);
	replay->records = calloc(local_size, sizeof *replay->records);
	replay->round.spans = calloc(local_size, sizeof *replay->round.spans);
	replay->local_capacity = 0;
	if (replay->offsets == NULL || replay->round.locals == NULL || replay->elements == NULL ||
	    replay->wrote == NULL || replay->lanes == NULL || replay->records == NULL ||
	    replay->round.spans == NULL)
		return false;
	replay->local_capacity = local_size;
	return true;
}

// ---- Accesses -----------------------------------------------------------------------------------

// A word of the present record of each invocation of the span.
static void read_words(const struct vkr_span *span, uint32_t word, uint32_t *to)
{
	for (uint32_t at = 0; at < span->row_count; at++) {
		const struct vkr_row *row = &span->rows[at];
		const uint32_t *words = vkr_row_word(row, word);
		const size_t size = row->size;
		for (uint32_t i = 0; i < row->count; i++)
			*to++ = words[i * size];
	}
}

// Room for the records of the span's invocations, one after the other: *words each, their
// segment's number left out. False for lack of memory.
static bool make_copies(struct vkr_replay_work *work, const struct vkr_span *span, uint32_t *words)
{
	struct vkr_replay *replay = work->replay;
	*words = work->program->starts[*span->rows[0].record - 1].words;
	replay->copies.count = 0;
	return VKR_ARRAY_RESERVE(&replay->copies, (size_t)*words * span->count + 1);
}

// The record of one invocation of a row, after its segment's number: a pointer into a chunk, or a
// copy at `to`.
static const uint32_t *record_of(const struct vkr_row *row, uint32_t index, uint32_t words,
				 uint32_t *to)
{
	if (row->pitch == 2)
		return row->record + 1 + (size_t)index * row->size;
	vkr_row_copy(row, index, words, to);
	return to;
}

static enum vkr_result emit_site(struct vkr_replay_work *work, uint32_t site, uint32_t local,
				 const uint32_t *offsets, uint32_t count,
				 const struct vkr_engine_target *target)
{
	const struct vkr_engine_scatter accesses = {
		.site = site, .local = local, .count = count, .offsets = offsets, .target = target};
	return vkr_replay_accesses(work->replay, work->engine, &accesses, work->error);
}

// `wrote`: of each invocation's compare-exchange; NULL for other accesses.
static enum vkr_result emit_access(struct vkr_replay_work *work,
				   const struct vkr_program_access *access, uint32_t local,
				   const uint32_t *offsets, const uint32_t *wrote, uint32_t count,
				   const struct vkr_engine_target *target)
{
	if (target == NULL)
		return VKR_OK;
	vkr_replay_count_beyond(work->replay, access, target, offsets, count);
	if (wrote == NULL)
		return emit_site(work, access->site, local, offsets, count, target);
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0, length; at < count && result == VKR_OK; at += length) {
		length = 1;
		while (at + length < count && !wrote[at + length] == !wrote[at])
			length++;
		result = emit_site(work, wrote[at] ? access->wrote_site : access->site, local + at,
				   offsets + at, length, target);
	}
	return result;
}

static const uint32_t *read_wrote(struct vkr_replay_work *work,
				  const struct vkr_program_access *access,
				  const struct vkr_span *span)
{
	if (access->wrote_word == UINT32_MAX)
		return NULL;
	read_words(span, access->wrote_word, work->replay->wrote);
	return work->replay->wrote;
}

// Invocations of a span may pick different elements of a descriptor array.
static enum vkr_result emit_arrayed(struct vkr_replay_work *work,
				    const struct vkr_program_access *access,
				    const struct vkr_span *span)
{
	struct vkr_replay *replay = work->replay;
	const uint32_t *wrote = read_wrote(work, access, span);
	const struct vkr_offsets offsets = vkr_offsets_of(work->program, access, work->id);
	read_words(span, access->word, replay->elements);
	vkr_offsets_read(&offsets, span, replay->offsets);
	for (uint32_t at = 0; at < span->count;) {
		uint32_t length = 1;
		while (at + length < span->count &&
		       replay->elements[at + length] == replay->elements[at])
			length++;
		const enum vkr_result result = emit_access(
			work, access, span->local + at, replay->offsets + at,
			wrote != NULL ? wrote + at : NULL, length,
			vkr_dispatch_target(work->targets, access->variable, replay->elements[at]));
		if (result != VKR_OK)
			return result;
		at += length;
	}
	return VKR_OK;
}

// The record names the variable, its element and the offset.
static enum vkr_result emit_chosen(struct vkr_replay_work *work,
				   const struct vkr_program_access *access,
				   const struct vkr_span *span)
{
	uint32_t words;
	if (!make_copies(work, span, &words))
		return vkr_error_memory(work->error, "records");
	for (uint32_t at = 0; at < span->row_count; at++) {
		const struct vkr_row *row = &span->rows[at];
		for (uint32_t i = 0; i < row->count; i++) {
			const uint32_t *record =
				record_of(row, i, words, work->replay->copies.items);
			const uint32_t *place = record + access->word;
			const uint32_t *wrote = access->wrote_word != UINT32_MAX
							? record + access->wrote_word
							: NULL;
			const enum vkr_result result =
				emit_access(work, access, row->local + i, &place[2], wrote, 1,
					    vkr_dispatch_target(work->targets, place[0], place[1]));
			if (result != VKR_OK)
				return result;
		}
	}
	return VKR_OK;
}

// One invocation's access through an address.
static enum vkr_result emit_pointer(struct vkr_replay_work *work,
				    const struct vkr_program_access *access, uint32_t local,
				    const uint32_t *record)
{
	const uint32_t *words = record + access->word;
	uint64_t offset = 0;
	const struct vkr_engine_target *target =
		vkr_dispatch_pointer(work->targets, words[0] | (uint64_t)words[1] << 32, &offset);
	if (target == NULL) {
		work->replay->unknown++;
		return VKR_OK;
	}
	work->replay->beyond.accesses += offset + access->bytes > target->bytes;
	const bool wrote = access->wrote_word != UINT32_MAX && record[access->wrote_word] != 0;
	const struct vkr_engine_run run = {.site = wrote ? access->wrote_site : access->site,
					   .local = local,
					   .count = 1,
					   .offset = offset,
					   .target = target};
	return vkr_feed_runs(work->replay->tape, work->engine, &run, 1, work->error);
}

static enum vkr_result emit_pointers(struct vkr_replay_work *work,
				     const struct vkr_program_access *access,
				     const struct vkr_span *span)
{
	uint32_t words;
	if (!make_copies(work, span, &words))
		return vkr_error_memory(work->error, "records");
	for (uint32_t at = 0; at < span->row_count; at++) {
		const struct vkr_row *row = &span->rows[at];
		for (uint32_t i = 0; i < row->count; i++) {
			const enum vkr_result result =
				emit_pointer(work, access, row->local + i,
					     record_of(row, i, words, work->replay->copies.items));
			if (result != VKR_OK)
				return result;
		}
	}
	return VKR_OK;
}

static enum vkr_result emit_span(struct vkr_replay_work *work,
				 const struct vkr_program_access *access,
				 const struct vkr_span *span)
{
	const struct vkr_engine_target *target =
		vkr_dispatch_target(work->targets, access->variable, 0);
	if (target == NULL)
		return VKR_OK;
	if (access->wrote_word == UINT32_MAX)
		return vkr_replay_span(work, access, span, target);
	const struct vkr_offsets offsets = vkr_offsets_of(work->program, access, work->id);
	const uint32_t *wrote = read_wrote(work, access, span);
	vkr_offsets_read(&offsets, span, work->replay->offsets);
	return emit_access(work, access, span->local, work->replay->offsets, wrote, span->count,
			   target);
}

// Accesses that are read record by record: to texels, of acceleration structures, of cooperative
// matrices; of `limit` invocations of the span, from `first` on.
static enum vkr_result emit_records(struct vkr_replay_work *work, struct vkr_program_access *access,
				    const struct vkr_span *span, uint32_t first, uint32_t limit)
{
	struct vkr_replay *replay = work->replay;
	uint32_t count = 0, words;
	const enum vkr_result flushed = vkr_replay_flush(replay, work->engine, work->error);
	if (flushed != VKR_OK)
		return flushed;
	if (!make_copies(work, span, &words))
		return vkr_error_memory(work->error, "records");
	for (uint32_t at = 0; at < span->row_count; at++)
		for (uint32_t i = 0; i < span->rows[at].count; i++, count++)
			replay->records[count] =
				record_of(&span->rows[at], i, words,
					  replay->copies.items + (size_t)count * words);
	const struct vkr_texel_step step = {.access = access,
					    .local = span->local + first,
					    .count = limit,
					    .records = replay->records + first};
	if (access->lines > 0) {
		const struct vkr_offsets offsets = vkr_offsets_of(work->program, access, work->id);
		return vkr_replay_together(replay, work->engine, work->targets, &offsets, &step,
					   work->error);
	}
	if (access->traced)
		return vkr_replay_traversals(replay, work->engine, work->targets, &step,
					     work->error);
	if (vkr_noted_texels_takes(work, access))
		return vkr_noted_texels_note(work, &step);
	return vkr_replay_texels(replay, work->engine, work->targets, &step, work->error);
}

// Accesses to texels: those of neighbours to the same element together.
static enum vkr_result emit_texels(struct vkr_replay_work *work, struct vkr_program_access *access,
				   const struct vkr_span *span)
{
	const bool noted = vkr_noted_texels_takes(work, access);
	uint32_t *lanes = work->replay->lanes;
	enum vkr_result result = VKR_OK;
	if (!vkr_texel_rows_take(access))
		return emit_records(work, access, span, 0, span->count);
	for (uint32_t word = 0; word < access->texel->words; word++)
		read_words(span, access->word + word, lanes + (size_t)word * span->count);
	for (uint32_t at = 0, length; at < span->count && result == VKR_OK; at += length) {
		struct vkr_texel_lanes of = {.local = span->local + at};
		bool done = false;
		length = access->arrayed ? 1 : span->count;
		while (at + length < span->count && lanes[at + length] == lanes[at])
			length++;
		of.count = length;
		for (uint32_t word = 0; word < access->texel->words; word++)
			of.words[word] = lanes + (size_t)word * span->count + at;
		result = vkr_texel_rows_do(work, access, access->arrayed ? lanes[at] : 0, &of,
					   noted, &done);
		if (result == VKR_OK && !done)
			result = emit_records(work, access, span, at, length);
	}
	return result;
}

// Through one descriptor, at an offset: what comes of them does not hang on their values.
static bool is_plain(const struct vkr_program_access *access)
{
	return access->texel == NULL && vkr_access_is_direct(access);
}

static enum vkr_result do_access(struct vkr_replay_work *work, struct vkr_program_access *access,
				 const struct vkr_span *span)
{
	const bool by_records = access->traced || access->lines > 0;
	enum vkr_result result;
	if (is_plain(access))
		return emit_span(work, access, span);
	vkr_pattern_spoil(&work->replay->pattern);
	if (access->texel != NULL)
		return emit_texels(work, access, span);
	if (access->pointer && !by_records) {
		result = vkr_replay_flush(work->replay, work->engine, work->error);
		return result == VKR_OK ? emit_pointers(work, access, span) : result;
	}
	if (!by_records)
		return access->arrayed  ? emit_arrayed(work, access, span)
		       : access->chosen ? emit_chosen(work, access, span)
					: emit_span(work, access, span);
	result = emit_records(work, access, span, 0, span->count);
	// The targets of texels are not kept.
	return result == VKR_OK ? vkr_replay_flush(work->replay, work->engine, work->error)
				: result;
}

// ---- Steps --------------------------------------------------------------------------------------

// The rows from `first` on that are neighbours at one step.
static struct vkr_span take_span(struct vkr_row *rows, uint32_t first, uint32_t active)
{
	struct vkr_span span = {&rows[first], 1, rows[first].local, rows[first].count};
	while (first + span.row_count < active &&
	       span.rows[span.row_count].local == span.local + span.count &&
	       span.rows[span.row_count].step == span.rows[0].step) {
		span.count += span.rows[span.row_count].count;
		span.row_count++;
	}
	return span;
}

static void advance_row(struct vkr_rows *rows, struct vkr_row row, uint32_t *left)
{
	vkr_row_advance(rows, &row);
	do {
		if (row.step != NULL)
			rows->next[(*left)++] = row;
	} while (vkr_rows_take_cut(rows, &row));
}

// Links the spans that make accesses in this round, those of one step together.
static void link_spans(struct vkr_replay_work *work, uint32_t active)
{
	struct vkr_round *round = &work->replay->round;
	round->span_count = 0;
	for (uint32_t first = 0; first < active;) {
		const struct vkr_span span = take_span(work->replay->rows.active, first, active);
		const struct vkr_program_step *step = span.rows[0].step;
		first += span.row_count;
		if (step->kind != VKR_STEP_ACCESSES)
			continue;
		struct vkr_step_spans *of = &round->steps[step - work->program->steps];
		struct vkr_linked_span *link = &round->spans[round->span_count++];
		*link = (struct vkr_linked_span){.span = span};
		if (of->count == 0)
			of->first = link;
		else
			of->last->next = link;
		of->last = link;
		of->count++;
		of->invocations += span.count;
	}
}

// An access of the invocations of many spans as one list, which the pattern has span by span.
static enum vkr_result emit_list(struct vkr_replay_work *work,
				 const struct vkr_program_access *access,
				 const struct vkr_step_spans *of)
{
	struct vkr_replay *replay = work->replay;
	const struct vkr_offsets offsets = vkr_offsets_of(work->program, access, work->id);
	struct vkr_engine_scatter list = {
		.site = access->site,
		.offsets = replay->offsets,
		.locals = replay->round.locals,
		.target = vkr_dispatch_target(work->targets, access->variable, 0)};
	if (list.target == NULL)
		return VKR_OK;
	const enum vkr_result result =
		vkr_replay_flush_before(replay, work->engine, access->site, work->error);
	if (result != VKR_OK)
		return result;
	for (const struct vkr_linked_span *link = of->first; link != NULL; link = link->next) {
		const struct vkr_engine_scatter part = {.site = access->site,
							.local = link->span.local,
							.count = link->span.count,
							.offsets = replay->offsets + list.count,
							.target = list.target};
		vkr_offsets_read(&offsets, &link->span, replay->offsets + list.count);
		if (!vkr_pattern_scatter(&replay->pattern, access, &link->span, &part))
			return vkr_error_memory(work->error, "a pattern");
		for (uint32_t i = 0; i < part.count; i++)
			replay->round.locals[list.count++] = part.local + i;
	}
	vkr_replay_count_beyond(replay, access, list.target, list.offsets, list.count);
	return vkr_feed_scatter(replay->tape, work->engine, &list, work->error);
}

// The accesses of the invocations that do one step in this round.
static enum vkr_result do_step(struct vkr_replay_work *work, const struct vkr_step_spans *of)
{
	const struct vkr_program_step *step = of->first->span.rows[0].step;
	const bool is_list = of->count > VKR_RUNS_MOST(of->invocations);
	enum vkr_result result = VKR_OK;
	for (uint32_t index = 0; index < step->access_count && result == VKR_OK; index++) {
		struct vkr_program_access *access =
			&work->program->accesses[step->first_access + index];
		if (vkr_noted_texels_passes(work, access))
			continue;
		if (is_list && is_plain(access)) {
			result = emit_list(work, access, of);
			continue;
		}
		for (const struct vkr_linked_span *link = of->first;
		     link != NULL && result == VKR_OK; link = link->next)
			result = do_access(work, access, &link->span);
	}
	return result;
}

static enum vkr_result do_accesses(struct vkr_replay_work *work, uint32_t active)
{
	const struct vkr_round *round = &work->replay->round;
	enum vkr_result result = VKR_OK;
	link_spans(work, active);
	for (uint32_t at = 0; at < round->span_count; at++) {
		const struct vkr_program_step *step = round->spans[at].span.rows[0].step;
		struct vkr_step_spans *of = &round->steps[step - work->program->steps];
		if (of->count > 0 && result == VKR_OK)
			result = do_step(work, of);
		*of = (struct vkr_step_spans){0};
	}
	return result;
}

// Every active row does one step; rows that reach a barrier wait, rows that end drop out. Returns
// the number still active in *active.
static enum vkr_result do_round(struct vkr_replay_work *work, uint32_t *active, uint32_t *waiting)
{
	struct vkr_rows *rows = &work->replay->rows;
	const enum vkr_result result = do_accesses(work, *active);
	uint32_t left = 0;
	if (result != VKR_OK)
		return result;
	for (uint32_t at = 0; at < *active; at++) {
		struct vkr_row *row = &rows->active[at];
		if (row->step->kind == VKR_STEP_BARRIER) {
			rows->waiting[(*waiting)++] = *row;
			continue;
		}
		if (row->step->access_count > 0)
			vkr_fence_access(&row->fences);
		else if (row->step->kind == VKR_STEP_FENCE)
			vkr_fence_release(&row->fences, row->step->site);
		advance_row(rows, *row, &left);
	}
	struct vkr_row *next = rows->next;
	rows->next = rows->active;
	rows->active = next;
	*active = left;
	return VKR_OK;
}

// Passes the fences right after the control barrier.
static void pass_fences(struct vkr_rows *rows, struct vkr_row *row)
{
	while (row->step != NULL && row->step->kind == VKR_STEP_FENCE) {
		vkr_fence_acquire(&row->acquired, row->step->site);
		vkr_fence_release(&row->fences, row->step->site);
		vkr_row_advance(rows, row);
	}
}

enum vkr_result vkr_replay_barrier(const struct vkr_replay_work *work,
				   const struct vkr_barrier_join *join)
{
	const struct vkr_engine_barrier barrier = vkr_barrier_of(join);
	if (join->added != NULL && (join->apart || join->arrived != work->targets->local_size))
		work->replay->divergent = join->added;
	if (!vkr_pattern_barrier(&work->replay->pattern, &barrier))
		return vkr_error_memory(work->error, "a pattern");
	return vkr_feed_barrier(work->replay->tape, work->engine, &barrier, work->error);
}

// The control barrier that the waiting rows have reached.
static enum vkr_result pass_barrier(struct vkr_replay_work *work, uint32_t *active,
				    uint32_t waiting)
{
	struct vkr_rows *rows = &work->replay->rows;
	struct vkr_barrier_join join = vkr_barrier_join_begin();
	for (uint32_t at = 0; at < waiting; at++) {
		struct vkr_row row = rows->waiting[at];
		row.acquired = vkr_barrier_arrive(&join, &row.fences, row.step->site, row.count);
		vkr_row_advance(rows, &row);
		do {
			pass_fences(rows, &row);
			vkr_barrier_pass(&join, row.acquired);
			if (row.step != NULL)
				rows->active[(*active)++] = row;
		} while (vkr_rows_take_cut(rows, &row));
	}
	return vkr_replay_barrier(work, &join);
}

// Takes the workgroup's chunks apart.
static enum vkr_result do_rows(struct vkr_replay_work *work, const struct vkr_chunk *chunks,
			       size_t count)
{
	struct vkr_rows *rows = &work->replay->rows;
	uint32_t active = 0;
	enum vkr_result result = VKR_OK;
	if (!vkr_rows_workgroup(rows, chunks, count, &active))
		return vkr_error_memory(work->error, "the chunks of a workgroup");
	while (result == VKR_OK && active > 0) {
		uint32_t waiting = 0;
		while (result == VKR_OK && active > 0)
			result = do_round(work, &active, &waiting);
		if (result == VKR_OK)
			result = vkr_replay_flush(work->replay, work->engine, work->error);
		if (result == VKR_OK && waiting > 0)
			result = pass_barrier(work, &active, waiting);
	}
	return result;
}

enum vkr_result vkr_replay_end_pattern(struct vkr_replay_work *work, uint64_t out_of_variable)
{
	const struct vkr_shader *shader = work->program->shader;
	const bool orders =
		shader->orders_invocations || shader->orders_workgroups || shader->orders_calls;
	const bool is_fed = work->replay->tape == NULL;
	return vkr_pattern_end(&work->replay->pattern, is_fed ? work->engine : NULL, orders,
			       work->replay->beyond.of_variable - out_of_variable)
		       ? VKR_OK
		       : vkr_error_memory(work->error, "a pattern");
}

enum vkr_result vkr_replay_feed_pattern(struct vkr_replay_work *work)
{
	struct vkr_pattern *pattern = &work->replay->pattern;
	work->replay->beyond.accesses += pattern->workgroup_beyond;
	work->replay->beyond.of_variable += pattern->workgroup_beyond;
	return work->replay->tape != NULL
		       ? vkr_pattern_write(pattern, work->replay->tape, work->id)
		       : vkr_pattern_feed(pattern, work->engine, work->id, work->error);
}

static enum vkr_result do_workgroup(struct vkr_replay_work *work, const struct vkr_chunk *chunks,
				    size_t count)
{
	struct vkr_replay *replay = work->replay;
	const uint64_t damaged = replay->rows.damaged, unended = replay->rows.unended;
	const uint64_t beyond = vkr_replay_out_of_descriptor(replay);
	const uint64_t out_of_variable = replay->beyond.of_variable;
	enum vkr_result result =
		vkr_feed_workgroup(replay->tape, work->engine, work->workgroup, count, work->error);
	if (result != VKR_OK)
		return result;
	if (vkr_pattern_judges(&replay->pattern, work->engine) &&
	    vkr_pattern_fits(&replay->pattern, chunks, count, work->id))
		return vkr_replay_feed_pattern(work);
	replay->taken_apart++;
	if (!vkr_pattern_begin(&replay->pattern, chunks, count, work->id, replay->rows.most, true))
		return vkr_error_memory(work->error, "a pattern");
	result = do_rows(work, chunks, count);
	if (damaged == 0 && replay->rows.damaged > 0)
		replay->damaged_workgroup = work->workgroup;
	replay->unfinished += unended != replay->rows.unended;
	if (damaged != replay->rows.damaged || beyond != vkr_replay_out_of_descriptor(replay) ||
	    unended != replay->rows.unended)
		vkr_pattern_spoil(&replay->pattern);
	return result == VKR_OK ? vkr_replay_end_pattern(work, out_of_variable) : result;
}

bool vkr_replay_begin(struct vkr_replay *replay, const struct vkr_dispatch_targets *targets)
{
	replay->robust = targets->robust;
	replay->beyond = (struct vkr_beyond){0};
	replay->unknown = 0;
	replay->unknown_texels = 0;
	replay->unknown_structures = 0;
	replay->unfinished = 0;
	replay->divergent = NULL;
	vkr_traversal_log_forget(replay);
	replay->possible.views.count = 0;
	vkr_pattern_reset(&replay->pattern);
	replay->runs.count = replay->runs.seen = 0;
	replay->runs.any_write = false;
	vkr_ahead_begin(replay);
	if (!make_room(replay, targets->program, targets->local_size) ||
	    !vkr_texel_rows_begin(replay, targets->program, targets->local_size))
		return false;
	replay->rows.pattern = &replay->pattern;
	return true;
}

static size_t workgroup_length(const struct vkr_chunk *first, size_t count)
{
	size_t length = 1;
	while (length < count && first[length].key == first[0].key)
		length++;
	return length;
}

static enum vkr_result
do_workgroups(struct vkr_replay_work *work, const struct vkr_chunk *first, size_t count,
	      enum vkr_result (*judge)(struct vkr_replay_work *work, const struct vkr_chunk *chunks,
				       size_t count))
{
	enum vkr_result result = VKR_OK;
	for (size_t at = 0, length; at < count && result == VKR_OK; at += length) {
		length = workgroup_length(first + at, count - at);
		work->workgroup = vkr_chunk_workgroup(&first[at]);
		vkr_chunk_id(&first[at], work->targets->base, work->id);
		result = judge(work, first + at, length);
	}
	return result;
}

// The noted accesses of a workgroup, one by one.
static enum vkr_result do_noted(struct vkr_replay_work *work, const struct vkr_chunk *chunks,
				size_t count)
{
	const enum vkr_result result =
		vkr_engine_workgroup(work->engine, work->workgroup, work->error);
	return result == VKR_OK ? do_rows(work, chunks, count) : result;
}

// Chunks whose workgroups may be gone through once more.
struct chunks {
	const struct vkr_chunk *first;
	size_t count;
};

static enum vkr_result redo_chunks(struct vkr_replay_work *work, const void *user)
{
	const struct chunks *chunks = user;
	return do_workgroups(work, chunks->first, chunks->count, do_noted);
}

// Another thread goes through chunks, too.
static enum vkr_result begin_elsewhere(struct vkr_replay_work *work,
				       const struct vkr_replay_work *here, const void *user)
{
	(void)here;
	(void)user;
	return vkr_replay_begin(work->replay, work->targets) ? VKR_OK : VKR_ERROR_MEMORY;
}

// The workgroup whose chunks begin at `at`.
static enum vkr_result do_chunks(struct vkr_replay_work *work, const void *user, uint64_t at,
				 uint64_t *length)
{
	const struct chunks *chunks = user;
	*length = workgroup_length(chunks->first + at, chunks->count - (size_t)at);
	return do_workgroups(work, chunks->first + at, (size_t)*length, do_workgroup);
}

enum vkr_result vkr_replay_dispatch(struct vkr_replay *replay, struct vkr_engine *engine,
				    struct vkr_dispatch_targets *targets,
				    const struct vkr_chunk *first, size_t count,
				    struct vkr_error *error)
{
	struct vkr_replay_work work = {.replay = replay,
				       .engine = engine,
				       .targets = targets,
				       .program = targets->program,
				       .error = error};
	enum vkr_result result = VKR_OK;
	size_t settled = 0;
	if (!vkr_replay_begin(replay, targets) || !vkr_noted_texels_begin(&work))
		return vkr_error_memory(error, "a workgroup");
	const struct chunks all = {first, count};
	const struct vkr_ahead_steps steps = {.count = count,
					      .chunks = first,
					      .begin = begin_elsewhere,
					      .step = do_chunks,
					      .user = &all};
	for (uint64_t at = 0, length; at < count && result == VKR_OK;) {
		result = vkr_ahead_step(&work, &steps, at, &length);
		at += length;
		if (result == VKR_OK && (at == count || vkr_noted_texels_fill(&work))) {
			const struct chunks chunks = {first + settled, (size_t)at - settled};
			vkr_ahead_drop(replay);
			result = vkr_noted_texels_settle(&work, redo_chunks, &chunks);
			settled = (size_t)at;
		}
	}
	vkr_ahead_drop(replay);
	return result == VKR_OK ? vkr_engine_judge_noted(engine, error) : result;
}
