// SPDX-License-Identifier: Apache-2.0
// All invocations of a workgroup go through the summary together as far as they go the same way;
// where they part, those go on first that stand at the earliest operation, so that they meet again
// where control flow joins. Knows operations, barriers and accesses; not integers' arithmetic.
#include "summary_state.h"

#include "error.h"
#include "noted_texels.h"
#include "site_table.h"
#include "texel_rows.h"
#include "workgroups_ahead.h"

#include <stdlib.h>
#include <string.h>

// Where an invocation stands that has ended, and what is added where it waits at a barrier.
#define ENDED   UINT32_MAX
#define WAITING (UINT32_C(1) << 31)

// Operations of a workgroup that nothing logged has led to, from which on it is taken to go on
// forever.
#define STEPS_MOST (UINT64_C(1) << 24)

static bool begin_summary(struct vkr_replay *replay, const struct vkr_site_table *table)
{
	if (replay->summary == NULL)
		replay->summary = calloc(1, sizeof *replay->summary);
	struct vkr_summary_state *state = replay->summary;
	if (state == NULL || !vkr_summary_space_begin(&state->space, table->summary_registers,
						      table->workgroup_size))
		return false;
	state->chunk = (struct vkr_chunk){
		.words = state->column, .count = state->space.local_size, .columns = 1};
	return vkr_summary_state_lanes(state, state->space.local_size) &&
	       vkr_summary_state_reads(state, table->site_count, state->space.local_size);
}

// ---- Barriers -----------------------------------------------------------------------------------

static void open_barrier(struct vkr_summary_running *running)
{
	running->state->passed = vkr_barrier_join_begin();
	running->state->passed_is_open = true;
}

// As many invocations that all do what this one does.
static void join_barrier(struct vkr_summary_running *running, uint32_t local, uint32_t count,
			 const struct vkr_site *site)
{
	struct vkr_summary_state *state = running->state;
	vkr_barrier_pass(&state->passed,
			 vkr_barrier_arrive(&state->passed, &state->fences[local], site, count));
}

static const struct vkr_site *site_of(const struct vkr_summary_running *running, uint32_t operation)
{
	return &vkr_site_table_sites(running->table)[running->operations[operation].a];
}

static void do_fence(struct vkr_summary_running *running, const struct vkr_site *site)
{
	struct vkr_summary_state *state = running->state;
	if (state->passed_is_open && state->space.together)
		vkr_fence_acquire(&state->passed.acquired, site);
	if (!vkr_fence_is(site, VKR_ORDER_RELEASE))
		return;
	running->has_fences = true;
	for (uint32_t local = 0; local < state->space.local_size; local++)
		if (state->space.mask[local])
			vkr_fence_release(&state->fences[local], site);
}

// All that live wait at barriers: they go on.
static enum vkr_result pass_barrier(struct vkr_summary_running *running)
{
	struct vkr_summary_state *state = running->state;
	const enum vkr_result result = vkr_summary_close_barrier(running);
	if (result != VKR_OK)
		return result;
	state->interval++;
	open_barrier(running);
	for (uint32_t local = 0; local < state->space.local_size; local++) {
		if (state->at[local] == ENDED)
			continue;
		state->at[local] -= WAITING;
		join_barrier(running, local, 1, site_of(running, state->at[local]));
		state->at[local]++;
	}
	return VKR_OK;
}

// ---- Which invocations go on --------------------------------------------------------------------

// Those that are here stand at this operation.
static void stand_at(struct vkr_summary_state *state, uint32_t operation)
{
	for (uint32_t local = 0; local < state->space.local_size; local++)
		state->at[local] = state->space.mask[local] ? operation : state->at[local];
}

// Takes those that stand earliest. *done: none is left.
static enum vkr_result select_earliest(struct vkr_summary_running *running, bool *done)
{
	struct vkr_summary_state *state = running->state;
	struct vkr_summary_space *space = &state->space;
	uint32_t first = ENDED;
	for (uint32_t local = 0; local < space->local_size; local++)
		first = state->at[local] < first ? state->at[local] : first;
	*done = first == ENDED;
	if (*done)
		return VKR_OK;
	if (first >= WAITING) {
		const enum vkr_result result = pass_barrier(running);
		return result == VKR_OK ? select_earliest(running, done) : result;
	}
	uint32_t count = 0, limit = ENDED;
	for (uint32_t local = 0; local < space->local_size; local++) {
		const uint32_t at = state->at[local];
		space->mask[local] = at == first;
		count += at == first;
		limit = at != first && at < limit ? at : limit;
	}
	space->active = count;
	state->space.together = count == state->live;
	state->limit = limit;
	state->current = first;
	return VKR_OK;
}

// Those that are here go on elsewhere. Returns whether they are still the ones that go on first.
static bool go_to(struct vkr_summary_state *state, uint32_t operation)
{
	state->current = operation;
	if (state->space.together || operation < state->limit)
		return true;
	stand_at(state, operation);
	return false;
}

// Some of the invocations at this branch take it, others do not.
static void summary_run_part(struct vkr_summary_state *state,
			     const struct vkr_summary_operation *operation, const uint32_t *truth)
{
	for (uint32_t local = 0; local < state->space.local_size; local++) {
		if (!state->space.mask[local])
			continue;
		state->at[local] = truth[local] ? operation->b : operation->c;
		if (truth[local])
			vkr_summary_decided(&state->space, local + UINT64_C(2));
	}
	state->space.together = false;
}

// ---- Operations ---------------------------------------------------------------------------------

static void do_leaf(struct vkr_summary_running *running,
		    const struct vkr_summary_operation *operation)
{
	const struct vkr_summary_dispatch *dispatch = running->dispatch;
	const uint32_t *size = running->state->space.size;
	struct vkr_form form = {0};
	switch (operation->code) {
	case VKR_SUMMARY_CONSTANT:
		form.constant = operation->a;
		break;
	case VKR_SUMMARY_PUSHED:
		if (operation->a / 4 < dispatch->pushed_count)
			form.constant = dispatch->pushed[operation->a / 4];
		break;
	case VKR_SUMMARY_UNIFORM:
		form.constant = dispatch->uniforms[operation->a];
		break;
	case VKR_SUMMARY_GROUP:
		form.by_group[operation->a] = 1;
		break;
	case VKR_SUMMARY_LOCAL:
		form.by_local[operation->a] = 1;
		break;
	case VKR_SUMMARY_INDEX:
		form.by_local[0] = 1;
		form.by_local[1] = size[0];
		form.by_local[2] = size[0] * size[1];
		break;
	default: // VKR_SUMMARY_GROUPS
		form.constant = dispatch->groups[operation->a];
		break;
	}
	vkr_summary_set(&running->state->space, operation, &form);
}

// Returns whether those that are here are still the ones that go on first.
static bool do_branch(struct vkr_summary_running *running,
		      const struct vkr_summary_operation *operation)
{
	struct vkr_summary_state *state = running->state;
	const uint32_t *truth = NULL;
	bool outcome = false;
	uint8_t moves = 0;
	const bool alike = vkr_summary_truth(&state->space, operation->a, &outcome, &truth, &moves);
	vkr_summary_depends(running, moves);
	vkr_summary_decided(&state->space, outcome);
	if (alike)
		return go_to(state, outcome ? operation->b : operation->c);
	summary_run_part(state, operation, truth);
	return false;
}

// Those that are here come to a barrier, or pass a fence; *goes: they go on.
static enum vkr_result do_sync(struct vkr_summary_running *running, bool *goes)
{
	struct vkr_summary_state *state = running->state;
	struct vkr_replay_work *work = running->work;
	const struct vkr_site *site = site_of(running, state->current);
	enum vkr_result result = vkr_replay_flush(work->replay, work->engine, work->error);
	*goes = true;
	if (result != VKR_OK)
		return result;
	state->interval++;
	if (!vkr_site_is_workgroup_barrier(site)) {
		do_fence(running, site);
		*goes = go_to(state, state->current + 1);
		return VKR_OK;
	}
	if (!state->space.together) {
		stand_at(state, state->current + WAITING);
		*goes = false;
		return VKR_OK;
	}
	result = vkr_summary_close_barrier(running);
	if (result != VKR_OK)
		return result;
	open_barrier(running);
	for (uint32_t local = 0; local < state->space.local_size; local++) {
		if (!state->space.mask[local])
			continue;
		join_barrier(running, local, running->has_fences ? 1 : state->live, site);
		if (!running->has_fences)
			break;
	}
	state->current++;
	return VKR_OK;
}

// Invocations that are here end where their log does. Returns whether some go on.
static bool do_record(struct vkr_summary_running *running,
		      const struct vkr_summary_operation *operation)
{
	struct vkr_summary_state *state = running->state;
	struct vkr_summary_space *space = &state->space;
	struct vkr_rows *rows = &running->work->replay->rows;
	uint32_t ended = 0;
	for (uint32_t local = 0; local < space->local_size; local++) {
		if (!space->mask[local] ||
		    vkr_record_take(rows, local, &state->places[local], operation))
			continue;
		space->mask[local] = 0;
		state->at[local] = ENDED;
		ended++;
	}
	if (ended > 0)
		vkr_pattern_spoil(&running->work->replay->pattern);
	space->active -= ended;
	state->live -= ended;
	state->current++;
	return space->active > 0;
}

// What is logged is the same in all workgroups that follow a pattern (fits_pattern).
static void do_logged(struct vkr_summary_state *state,
		      const struct vkr_summary_operation *operation)
{
	const uint32_t count = state->space.local_size;
	struct vkr_form form = {0};
	bool alike = true, any = false;
	for (uint32_t local = 0; local < count; local++) {
		if (!state->space.mask[local])
			continue;
		const uint32_t word = vkr_record_word(&state->places[local], operation->a);
		alike = alike && (!any || word == form.constant);
		any = true;
		form.constant = state->words[local] = word;
	}
	if (alike)
		vkr_summary_set(&state->space, operation, &form);
	else
		vkr_summary_set_list(&state->space, operation, state->words, 0);
	state->current++;
}

static void do_end(struct vkr_summary_running *running)
{
	struct vkr_summary_state *state = running->state;
	stand_at(state, ENDED);
	state->live -= state->space.active;
	for (uint32_t local = 0; local < state->space.local_size; local++)
		if (state->space.mask[local] && vkr_record_is_next(&state->places[local]))
			vkr_rows_note_damage(&running->work->replay->rows, local, 1);
}

// Goes on until those that are here part, end or wait.
static enum vkr_result go_on(struct vkr_summary_running *running, uint64_t *steps)
{
	struct vkr_summary_state *state = running->state;
	enum vkr_result result = VKR_OK;
	bool goes = true;
	while (goes && result == VKR_OK && ++*steps < STEPS_MOST) {
		running->work->replay->operations++;
		const struct vkr_summary_operation *operation =
			&running->operations[state->current];
		switch ((enum vkr_summary_code)operation->code) {
		case VKR_SUMMARY_CONSTANT:
		case VKR_SUMMARY_PUSHED:
		case VKR_SUMMARY_UNIFORM:
		case VKR_SUMMARY_GROUP:
		case VKR_SUMMARY_LOCAL:
		case VKR_SUMMARY_INDEX:
		case VKR_SUMMARY_GROUPS:
			do_leaf(running, operation);
			state->current++;
			break;
		case VKR_SUMMARY_ACCESS:
			result = vkr_summary_access(running, operation);
			state->current++;
			break;
		case VKR_SUMMARY_SYNC:
			result = do_sync(running, &goes);
			break;
		case VKR_SUMMARY_JUMP:
			goes = go_to(state, operation->a);
			break;
		case VKR_SUMMARY_BRANCH:
			goes = do_branch(running, operation);
			break;
		case VKR_SUMMARY_END:
			do_end(running);
			goes = false;
			break;
		case VKR_SUMMARY_RECORD:
			goes = do_record(running, operation);
			*steps = 0;
			break;
		case VKR_SUMMARY_LOGGED:
			do_logged(state, operation);
			break;
		case VKR_SUMMARY_SIZE:
			vkr_summary_size(running, operation);
			state->current++;
			break;
		case VKR_SUMMARY_WORD:
			state->texel_words[operation->b] = operation->a;
			state->texel_word_count = operation->b + 1;
			state->current++;
			break;
		case VKR_SUMMARY_TEXEL:
			result = vkr_summary_close_barrier(running);
			if (result == VKR_OK)
				result = vkr_summary_texel(running, operation);
			state->current++;
			break;
		default:
			vkr_summary_operate(&state->space, operation);
			state->current++;
			break;
		}
	}
	return result;
}

// ---- Workgroups ---------------------------------------------------------------------------------

static void enter_branch(struct vkr_summary_running *running)
{
	struct vkr_summary_state *state = running->state;
	const uint32_t local_size = state->space.local_size;
	vkr_summary_space_enter(&state->space, running->work->id);
	state->live = local_size;
	state->space.together = true;
	state->limit = ENDED;
	state->current = 0;
	state->passed_is_open = false;
	state->interval++;
	running->has_fences = false;
	memset(state->at, 0, local_size * sizeof *state->at);
	memset(state->fences, 0, local_size * sizeof *state->fences);
}

static enum vkr_result run_workgroup(struct vkr_summary_running *running)
{
	struct vkr_replay_work *work = running->work;
	struct vkr_summary_state *state = running->state;
	uint64_t steps = 0;
	bool done = false;
	enter_branch(running);
	while (!done) {
		enum vkr_result result = go_on(running, &steps);
		if (result == VKR_OK)
			result = vkr_replay_flush(work->replay, work->engine, work->error);
		if (result == VKR_OK && state->space.failed)
			return vkr_error_memory(work->error, "a summary");
		if (result == VKR_OK)
			result = select_earliest(running, &done);
		if (result != VKR_OK)
			return result;
		if (steps >= STEPS_MOST && !done) {
			work->replay->unfinished++;
			vkr_pattern_spoil(&work->replay->pattern);
			done = true;
		}
	}
	return vkr_summary_close_barrier(running);
}

// The record of workgroups with a first component of WorkgroupId.
static struct vkr_texel_record *record_at(const struct vkr_summary_running *running, uint32_t x)
{
	return &running->state->repeats.items[x - running->dispatch->base[0]];
}

// What is known of such workgroups: from the last one, or from one of another thread.
static const struct vkr_texel_record *known_record(const struct vkr_summary_running *running,
						   uint32_t x)
{
	const struct vkr_texel_record *record = record_at(running, x);
	const struct vkr_texel_repeats *known = running->state->known;
	return record->whole || known == NULL ? record
					      : &known->items[x - running->dispatch->base[0]];
}

// Whether the pattern's guards hold for the workgroup.
static bool guards_hold(struct vkr_summary_running *running)
{
	const struct vkr_pattern *pattern = &running->work->replay->pattern;
	struct vkr_summary_state *state = running->state;
	const uint32_t *id = running->work->id;
	const bool known = id[1] == pattern->id[1] && id[2] == pattern->id[2] &&
			   id[0] > pattern->id[0] && id[0] < state->row_end;
	return known || vkr_summary_guards_hold(&state->space, id);
}

// Whether the workgroup has logged what the one of the pattern has.
static bool logged_alike(const struct vkr_summary_running *running, const struct vkr_chunk *chunks,
			 size_t count)
{
	const struct vkr_summary_state *state = running->state;
	if (count != state->logged_count)
		return false;
	for (size_t at = 0; at < count; at++)
		if (!vkr_chunks_agree(&state->logged[at], &chunks[at],
				      running->work->program->header_words))
			return false;
	return true;
}

// Whether the workgroup does what the pattern says. Where its texels are is known from the one of
// the pattern, of the same row, and from one of an earlier row.
static bool fits_pattern(struct vkr_summary_running *running, const struct vkr_chunk *chunks,
			 size_t count)
{
	struct vkr_pattern *pattern = &running->work->replay->pattern;
	struct vkr_summary_state *state = running->state;
	const uint32_t *id = running->work->id;
	if (pattern->chunk == NULL || !vkr_pattern_reaches(pattern, id) ||
	    !vkr_pattern_judges(pattern, running->work->engine))
		return false;
	if (state->texels && !vkr_texel_records_agree(known_record(running, id[0]),
						      record_at(running, pattern->id[0])))
		return false;
	return guards_hold(running) && logged_alike(running, chunks, count) &&
	       vkr_pattern_fits(pattern, &state->chunk, 1, id);
}

static enum vkr_result feed_pattern(struct vkr_summary_running *running)
{
	struct vkr_replay_work *work = running->work;
	const struct vkr_pattern *pattern = &work->replay->pattern;
	const enum vkr_result result = vkr_replay_feed_pattern(work);
	if (result != VKR_OK || !running->state->texels)
		return result;
	return vkr_texel_rows_repeat(work, known_record(running, work->id[0]),
				     record_at(running, pattern->id[0]));
}

// Begins to record the workgroup's texels.
static void begin_record(struct vkr_summary_running *running)
{
	struct vkr_summary_state *state = running->state;
	struct vkr_pattern *pattern = &running->work->replay->pattern;
	// That a record is missing says nothing against the pattern.
	if (pattern->chunk != NULL && state->texels)
		pattern->misses = pattern->pause = 0;
	state->texels = false;
	state->row_end = 0;
	if (state->repeats.count == 0)
		return;
	struct vkr_texel_record *record = record_at(running, running->work->id[0]);
	record->whole = false;
	record->accesses.count = record->segments.count = 0;
}

// The workgroup is whole, and may be a pattern: up to where in its row guards hold is found out.
static void end_record(struct vkr_summary_running *running)
{
	struct vkr_summary_state *state = running->state;
	const struct vkr_summary_dispatch *dispatch = running->dispatch;
	const uint32_t *id = running->work->id;
	if (!state->texels || running->work->replay->pattern.chunk == NULL)
		return;
	struct vkr_texel_record *record = record_at(running, id[0]);
	record->whole = true;
	record->decisions = state->space.decisions;
	for (uint32_t count = dispatch->base[0] + dispatch->groups[0] - id[0] - 1; count > 0;
	     count /= 2)
		if (vkr_summary_guards_hold_row(&state->space, id, count)) {
			state->row_end = id[0] + count + 1;
			return;
		}
}

static enum vkr_result do_workgroup(struct vkr_summary_running *running,
				    const struct vkr_chunk *chunks, size_t count)
{
	struct vkr_replay_work *work = running->work;
	struct vkr_replay *replay = work->replay;
	struct vkr_summary_state *state = running->state;
	struct vkr_pattern *pattern = &replay->pattern;
	const uint64_t beyond = vkr_replay_out_of_descriptor(replay),
		       damaged = replay->rows.damaged;
	const uint64_t out_of_variable = replay->beyond.of_variable;
	enum vkr_result result = vkr_feed_workgroup(replay->tape, work->engine, work->workgroup,
						    chunks != NULL ? count : 1, work->error);
	if (result != VKR_OK)
		return result;
	if (fits_pattern(running, chunks, count))
		return feed_pattern(running);
	replay->taken_apart++;
	begin_record(running);
	// Where texels are recorded, it is for the last workgroup.
	if (!vkr_pattern_begin(pattern, &state->chunk, 1, work->id, state->space.local_size,
			       state->repeats.count == 0) ||
	    !vkr_records_begin(&replay->rows, chunks, count, state->places))
		return vkr_error_memory(work->error, "a workgroup");
	state->space.notes = pattern->taking;
	if (!pattern->stays) {
		state->space.guards.count = 0;
		state->logged = chunks;
		state->logged_count = count;
	}
	result = run_workgroup(running);
	if (damaged == 0 && replay->rows.damaged > 0)
		replay->damaged_workgroup = work->workgroup;
	if (beyond != vkr_replay_out_of_descriptor(replay) || damaged != replay->rows.damaged)
		vkr_pattern_spoil(pattern);
	if (result == VKR_OK)
		result = vkr_replay_end_pattern(work, out_of_variable);
	end_record(running);
	return result;
}

static uint64_t first_workgroup(const struct vkr_summary_dispatch *dispatch)
{
	const uint32_t *base = dispatch->base, *groups = dispatch->groups;
	return base[0] + groups[0] * (base[1] + groups[1] * base[2]);
}

static uint64_t count_workgroups(const struct vkr_summary_dispatch *dispatch)
{
	const uint32_t *groups = dispatch->groups;
	return (uint64_t)groups[0] * groups[1] * groups[2];
}

// Workgroups, or chunks of these.
static uint64_t count_steps(const struct vkr_summary_dispatch *dispatch)
{
	return dispatch->chunks != NULL ? dispatch->count : count_workgroups(dispatch);
}

// The workgroup of step `at`; *length steps are its.
static enum vkr_result do_step(struct vkr_summary_running *running, uint64_t at, uint64_t count,
			       uint64_t *length)
{
	struct vkr_replay_work *work = running->work;
	const struct vkr_summary_dispatch *dispatch = running->dispatch;
	const uint32_t *base = dispatch->base, *groups = dispatch->groups;
	*length = 1;
	if (dispatch->chunks != NULL) { // those that have logged, or might have
		const struct vkr_chunk *first = dispatch->chunks + at;
		while (at + *length < count && first[*length].key == first->key)
			++*length;
		work->workgroup = vkr_chunk_workgroup(first);
		vkr_chunk_id(first, base, work->id);
		return do_workgroup(running, first, (size_t)*length);
	}
	work->workgroup = base[0] + groups[0] * (base[1] + groups[1] * base[2]) + (uint32_t)at;
	work->id[0] = base[0] + (uint32_t)(at % groups[0]);
	work->id[1] = base[1] + (uint32_t)(at / groups[0] % groups[1]);
	work->id[2] = base[2] + (uint32_t)(at / groups[0] / groups[1]);
	return do_workgroup(running, NULL, 0);
}

// ---- Parts of memory ----------------------------------------------------------------------------

// Blocks of this many invocations are not looked at in halves: while none is passed over, blocks of
// twice as many, up to BLOCK_TIMES as many.
#define BLOCK_LEAST 512u
#define BLOCK_TIMES 16u
#define BLOCKS_MOST 64u

// Goes through workgroups in order. Where memory is judged in parts, those that are not the part's
// own are passed over, block by block, if all they access is elsewhere.
struct passing {
	bool on;
	struct vkr_engine_workgroups own;
	uint64_t ends[BLOCKS_MOST]; // of the blocks that the next workgroup is in, the least last
	uint32_t count;
	uint64_t run;   // those before it are not passed over
	uint64_t least; // workgroups of a block that is not looked at in halves
};

static uint64_t block_least(const struct vkr_summary_running *running)
{
	const uint32_t local_size = running->state->space.local_size;
	return local_size < BLOCK_LEAST ? BLOCK_LEAST / local_size : 1;
}

// A box that holds workgroups [first, end), counted from the dispatch's first.
static struct vkr_reach_box box_of(const struct vkr_summary_dispatch *dispatch, uint64_t first,
				   uint64_t end)
{
	const uint32_t *base = dispatch->base, *groups = dispatch->groups;
	const uint64_t rows[2] = {first / groups[0], (end - 1) / groups[0]};
	const uint64_t slices[2] = {rows[0] / groups[1], rows[1] / groups[1]};
	struct vkr_reach_box box;
	for (unsigned side = 0; side < 2; side++) {
		const uint64_t at = side ? end - 1 : first;
		uint32_t *of = side ? box.high : box.low;
		of[0] = base[0] +
			(rows[0] == rows[1] ? (uint32_t)(at % groups[0]) : side * (groups[0] - 1));
		of[1] = base[1] + (slices[0] == slices[1] ? (uint32_t)(rows[side] % groups[1])
							  : side * (groups[1] - 1));
		of[2] = base[2] + (uint32_t)slices[side];
	}
	return box;
}

// Up to where the workgroups from `at` on are passed over: `at`, if it is not.
static enum vkr_result pass_over(struct vkr_summary_running *running, struct passing *passing,
				 uint64_t at, uint64_t *end)
{
	const struct vkr_summary_dispatch *dispatch = running->dispatch;
	const uint64_t first = first_workgroup(dispatch);
	enum vkr_result result = VKR_OK;
	*end = at;
	if (!passing->on || at < passing->run ||
	    (at >= passing->own.first && at < passing->own.end))
		return VKR_OK;
	while (passing->count > 0 && passing->ends[passing->count - 1] <= at)
		passing->count--;
	if (passing->count == 0)
		passing->ends[passing->count++] = at < passing->own.first
							  ? passing->own.first
							  : first + count_workgroups(dispatch);
	for (;;) {
		const uint64_t block = passing->ends[passing->count - 1];
		const struct vkr_reach_box box = box_of(dispatch, at - first, block - first);
		bool passes = false;
		result = vkr_summary_reach_passes(&running->state->reach, &box, at - first, &passes,
						  running->work->error);
		if (result != VKR_OK)
			return result;
		if (passes) {
			passing->least = block_least(running);
			*end = block;
			return VKR_OK;
		}
		if (block - at <= passing->least || passing->count == BLOCKS_MOST) {
			passing->run = block;
			if (passing->least < BLOCK_TIMES * block_least(running))
				passing->least *= 2;
			return VKR_OK;
		}
		passing->ends[passing->count++] = at + (block - at) / 2;
	}
}

// The workgroup of step `at`; false where it is not known.
static bool workgroup_of(const struct vkr_summary_dispatch *dispatch, uint64_t at,
			 uint64_t *workgroup)
{
	*workgroup = first_workgroup(dispatch) + at;
	if (dispatch->chunks == NULL)
		return true;
	*workgroup = vkr_chunk_workgroup(&dispatch->chunks[at]);
	return dispatch->chunks[at].columns > 0;
}

// How many steps from `at` on, before `count`, are passed over.
static enum vkr_result pass_steps(struct vkr_summary_running *running, struct passing *passing,
				  uint64_t at, uint64_t count, uint64_t *length)
{
	uint64_t workgroup, end;
	*length = 0;
	if (!passing->on || !workgroup_of(running->dispatch, at, &workgroup))
		return VKR_OK;
	const enum vkr_result result = pass_over(running, passing, workgroup, &end);
	if (running->dispatch->chunks == NULL)
		*length = end - workgroup < count - at ? end - workgroup : count - at;
	else
		while (at + *length < count &&
		       workgroup_of(running->dispatch, at + *length, &workgroup) && workgroup < end)
			++*length;
	return result;
}

// The step `at`, and those that are passed over before it.
static enum vkr_result next_step(struct vkr_summary_running *running, struct passing *passing,
				 uint64_t at, uint64_t count, uint64_t *length)
{
	const enum vkr_result result = pass_steps(running, passing, at, count, length);
	return result != VKR_OK || *length > 0 ? result : do_step(running, at, count, length);
}

// Steps that may be gone through once more.
struct steps {
	struct vkr_summary_running *running;
	const struct passing *passing;
	uint64_t first, end;
};

static enum vkr_result redo_steps(struct vkr_replay_work *work, const void *user)
{
	const struct steps *steps = user;
	struct passing passing = {.on = steps->passing->on,
				  .own = steps->passing->own,
				  .least = block_least(steps->running)};
	enum vkr_result result = VKR_OK;
	(void)work;
	for (uint64_t at = steps->first, length; at < steps->end && result == VKR_OK; at += length)
		result = next_step(steps->running, &passing, at, steps->end, &length);
	return result;
}

// What goes through the dispatch of `user` here, or elsewhere (workgroups_ahead.h).
static struct vkr_summary_running running_of(struct vkr_replay_work *work,
					     const struct vkr_summary_dispatch *dispatch)
{
	const struct vkr_site_table *table = work->program->shader->sites;
	return (struct vkr_summary_running){.work = work,
					    .state = work->replay->summary,
					    .dispatch = dispatch,
					    .table = table,
					    .operations = vkr_site_table_summary(table)};
}

static enum vkr_result begin_running(struct vkr_replay_work *work, const void *user)
{
	const struct vkr_summary_dispatch *dispatch = user;
	const struct vkr_site_table *table = work->program->shader->sites;
	// What is logged differs from workgroup to workgroup.
	const bool records = table->texel_count > 0 && dispatch->chunks == NULL;
	if (!begin_summary(work->replay, table) ||
	    !vkr_texel_repeats_begin(&work->replay->summary->repeats,
				     records ? dispatch->groups[0] : 0))
		return vkr_error_memory(work->error, "a workgroup");
	work->replay->summary->texels = false;
	work->replay->summary->known = NULL;
	return VKR_OK;
}

static enum vkr_result begin_elsewhere(struct vkr_replay_work *work,
				       const struct vkr_replay_work *here, const void *user)
{
	if (!vkr_replay_begin(work->replay, work->targets))
		return VKR_ERROR_MEMORY;
	const enum vkr_result result = begin_running(work, user);
	if (result == VKR_OK)
		work->replay->summary->known = &here->replay->summary->repeats;
	return result;
}

static enum vkr_result ahead_step(struct vkr_replay_work *work, const void *user, uint64_t at,
				  uint64_t *length)
{
	const struct vkr_summary_dispatch *dispatch = user;
	struct vkr_summary_running running = running_of(work, dispatch);
	return do_step(&running, at, count_steps(dispatch), length);
}

static enum vkr_result do_dispatch(struct vkr_summary_running *running)
{
	const struct vkr_summary_dispatch *dispatch = running->dispatch;
	struct vkr_replay_work *work = running->work;
	const uint64_t count = count_steps(dispatch);
	struct passing passing = {.least = block_least(running)};
	enum vkr_result result = VKR_OK;
	uint64_t settled = 0;
	passing.on = vkr_engine_divide(work->engine, (uint32_t)first_workgroup(dispatch),
				       count_workgroups(dispatch), &passing.own);
	if (passing.on)
		vkr_summary_reach_begin(&running->state->reach, work->engine, work->targets,
					dispatch, &work->replay->possible);
	// A row of workgroups says where those below it find their texels.
	const uint64_t row = running->state->repeats.count;
	const uint64_t here = count > 4 * row ? row : 0;
	const struct vkr_ahead_steps ahead = {.count = count,
					      .chunks = dispatch->chunks,
					      .here = here,
					      .begin = begin_elsewhere,
					      .step = ahead_step,
					      .user = dispatch};
	for (uint64_t at = 0, length; at < count && result == VKR_OK;) {
		result = passing.on ? next_step(running, &passing, at, count, &length)
				    : vkr_ahead_step(work, &ahead, at, &length);
		at += length;
		if (result == VKR_OK && (at == count || vkr_noted_texels_fill(work))) {
			const struct steps steps = {running, &passing, settled, at};
			vkr_ahead_drop(work->replay);
			result = vkr_noted_texels_settle(work, redo_steps, &steps);
			settled = at;
		}
	}
	vkr_ahead_drop(work->replay);
	return result;
}

bool vkr_summary_find_sites(struct vkr_replay *replay, struct vkr_dispatch_targets *targets,
			    const struct vkr_summary_dispatch *dispatch)
{
	return begin_summary(replay, targets->program->shader->sites) &&
	       vkr_summary_reach_sites(&replay->summary->reach, targets, dispatch);
}

enum vkr_result vkr_summary_replay(struct vkr_replay *replay, struct vkr_engine *engine,
				   struct vkr_dispatch_targets *targets,
				   const struct vkr_summary_dispatch *dispatch,
				   struct vkr_error *error)
{
	struct vkr_replay_work work = {.replay = replay,
				       .engine = engine,
				       .targets = targets,
				       .program = targets->program,
				       .error = error};
	if (!vkr_replay_begin(replay, targets) || !vkr_noted_texels_begin(&work))
		return vkr_error_memory(error, "a workgroup");
	enum vkr_result result = begin_running(&work, dispatch);
	if (result != VKR_OK)
		return result;
	struct vkr_summary_running running = running_of(&work, dispatch);
	result = do_dispatch(&running);
	if (result == VKR_OK)
		result = vkr_engine_judge_noted(engine, error);
	// What the report says of losses is to count those of all workgroups.
	if (vkr_replay_has_losses(replay))
		vkr_engine_part_differs(engine);
	return result;
}
