// SPDX-License-Identifier: Apache-2.0
// All invocations of a workgroup go through the summary together as far as they go the same way;
// where they part, those go on first that stand at the earliest operation, so that they meet again
// where control flow joins. Knows operations, barriers and accesses; not integers' arithmetic.
#include "summary_run.h"

#include "array.h"
#include "error.h"
#include "log_spans.h"
#include "site_table.h"
#include "summary_values.h"

#include <stdlib.h>
#include <string.h>

// Where an invocation stands that has ended, and what is added where it waits at a barrier.
#define ENDED   UINT32_MAX
#define WAITING (UINT32_C(1) << 31)

// Operations of a workgroup, from which on it is taken to go on forever.
#define STEPS_MOST (UINT64_C(1) << 24)

#define POOL_BITS 6u

// The control barrier last passed, which waits for the acquire fences that stand right behind it
// (as in log_replay.c).
struct passed {
	bool is_open;
	uint8_t order, released, acquired;
};

struct vkr_summary_state {
	struct vkr_summary_space space;
	uint32_t lanes_size;
	uint32_t *at;     // by invocation, unless `together`: the operation it stands at
	uint32_t *pairs;  // offsets by invocation, as in columns: each behind another word
	uint8_t *fences;  // by invocation: classes of release fences since the last access
	uint8_t *orders;  // and their enum vkr_site_order bits
	uint32_t live;    // invocations that have not ended
	bool together;    // all that live are here
	uint32_t limit;   // where the next ones stand that are not here
	uint32_t current; // the operation
	struct passed passed;
	// Accesses with their offsets here; those that a pattern may still use are in the pool.
	struct vkr_program_access access;
	struct {
		struct vkr_program_access **items; // 2^POOL_BITS each
		size_t count, capacity;            // count: of accesses
	} pool;
	size_t pool_blocks;
	// Stands for the log of any workgroup where patterns want one: a column that nobody reads.
	struct vkr_chunk chunk;
	uint32_t column[2];
};

struct running {
	struct vkr_replay_work *work;
	struct vkr_summary_state *state;
	const struct vkr_summary_dispatch *dispatch;
	const struct vkr_site_table *table;
	const struct vkr_summary_operation *operations;
	bool has_fences;
};

// ---- Room ---------------------------------------------------------------------------------------

static void free_lanes(struct vkr_summary_state *state)
{
	free(state->at);
	free(state->pairs);
	free(state->fences);
	free(state->orders);
	state->at = state->pairs = NULL;
	state->fences = state->orders = NULL;
	state->lanes_size = 0;
}

void vkr_summary_state_destroy(struct vkr_summary_state *state)
{
	if (state == NULL)
		return;
	for (size_t block = 0; block < state->pool_blocks; block++)
		free(state->pool.items[block]);
	free(state->pool.items);
	free_lanes(state);
	vkr_summary_space_finish(&state->space);
	free(state);
}

static bool make_lanes(struct vkr_summary_state *state, uint32_t local_size)
{
	if (local_size <= state->lanes_size)
		return true;
	free_lanes(state);
	state->at = calloc(local_size, sizeof *state->at);
	state->pairs = calloc(local_size, 2 * sizeof *state->pairs);
	state->fences = calloc(local_size, 1);
	state->orders = calloc(local_size, 1);
	if (state->at == NULL || state->pairs == NULL || state->fences == NULL ||
	    state->orders == NULL)
		return false;
	state->lanes_size = local_size;
	return true;
}

static bool begin(struct vkr_replay *replay, const struct vkr_site_table *table)
{
	if (replay->summary == NULL)
		replay->summary = calloc(1, sizeof *replay->summary);
	struct vkr_summary_state *state = replay->summary;
	if (state == NULL || !vkr_summary_space_begin(&state->space, table->summary_registers,
						      table->workgroup_size))
		return false;
	state->chunk = (struct vkr_chunk){
		.words = state->column, .count = state->space.local_size, .columns = 1};
	return make_lanes(state, state->space.local_size);
}

// An access to fill in; NULL for lack of memory.
static struct vkr_program_access *take_access(struct running *running)
{
	struct vkr_summary_state *state = running->state;
	const size_t block = state->pool.count >> POOL_BITS;
	if (!running->work->replay->pattern.taking)
		return &state->access;
	if (block == state->pool_blocks) {
		if (!vkr_array_reserve((void **)&state->pool.items, &state->pool.capacity,
				       block + 1, sizeof *state->pool.items))
			return NULL;
		state->pool.items[block] =
			calloc((size_t)1 << POOL_BITS, sizeof **state->pool.items);
		if (state->pool.items[block] == NULL)
			return NULL;
		state->pool_blocks++;
	}
	return &state->pool.items[block][state->pool.count++ & ((1u << POOL_BITS) - 1)];
}

// ---- Barriers -----------------------------------------------------------------------------------

static bool is_wide(uint8_t scope)
{
	return scope != VKR_SCOPE_INVOCATION && scope != VKR_SCOPE_SUBGROUP;
}

// The barrier passed has its fences: the engine is told of it.
static bool close_barrier(struct running *running)
{
	struct passed *passed = &running->state->passed;
	if (!passed->is_open)
		return true;
	const uint8_t classes = passed->released & passed->acquired;
	passed->is_open = false;
	vkr_engine_control_barrier(running->work->engine, VKR_SCOPE_WORKGROUP, passed->order,
				   classes);
	return vkr_pattern_barrier(&running->work->replay->pattern, passed->order, classes);
}

static void open_barrier(struct running *running)
{
	running->state->passed =
		(struct passed){.is_open = true, .released = UINT8_MAX, .acquired = UINT8_MAX};
}

// What one invocation releases and acquires at its barrier.
static void join_barrier(struct running *running, uint32_t local, const struct vkr_site *site)
{
	struct vkr_summary_state *state = running->state;
	struct passed *passed = &state->passed;
	uint8_t released = state->fences[local], acquired = 0;
	passed->order |= released != 0 ? state->orders[local] : 0;
	if (is_wide(site->scope)) {
		released |= site->order & VKR_ORDER_RELEASE ? site->semantics : 0;
		acquired |= site->order & VKR_ORDER_ACQUIRE ? site->semantics : 0;
		passed->order |= site->order;
	}
	passed->released &= released;
	passed->acquired &= acquired;
	state->fences[local] = 0;
}

static const struct vkr_site *site_of(const struct running *running, uint32_t operation)
{
	return &vkr_site_table_sites(running->table)[running->operations[operation].a];
}

static void do_fence(struct running *running, const struct vkr_site *site)
{
	struct vkr_summary_state *state = running->state;
	const bool reaches = site->operation == VKR_SITE_MEMORY_BARRIER && is_wide(site->scope);
	if (reaches && state->passed.is_open && state->together &&
	    site->order & VKR_ORDER_ACQUIRE) {
		state->passed.acquired |= site->semantics;
		state->passed.order |= site->order;
	}
	if (!reaches || !(site->order & VKR_ORDER_RELEASE))
		return;
	running->has_fences = true;
	for (uint32_t local = 0; local < state->space.local_size; local++) {
		if (!state->space.mask[local])
			continue;
		state->fences[local] |= site->semantics;
		state->orders[local] |= site->order;
	}
}

// All that live wait at barriers: they go on.
static bool pass_barrier(struct running *running)
{
	struct vkr_summary_state *state = running->state;
	if (!close_barrier(running))
		return false;
	open_barrier(running);
	for (uint32_t local = 0; local < state->space.local_size; local++) {
		if (state->at[local] == ENDED)
			continue;
		state->at[local] -= WAITING;
		join_barrier(running, local, site_of(running, state->at[local]));
		state->at[local]++;
	}
	return true;
}

// ---- Which invocations go on --------------------------------------------------------------------

// Those that are here stand at this operation.
static void stand_at(struct vkr_summary_state *state, uint32_t operation)
{
	for (uint32_t local = 0; local < state->space.local_size; local++)
		state->at[local] = state->space.mask[local] ? operation : state->at[local];
}

// Takes those that stand earliest. *done: none is left.
static bool select_earliest(struct running *running, bool *done)
{
	struct vkr_summary_state *state = running->state;
	struct vkr_summary_space *space = &state->space;
	uint32_t first = ENDED;
	for (uint32_t local = 0; local < space->local_size; local++)
		first = state->at[local] < first ? state->at[local] : first;
	*done = first == ENDED;
	if (*done)
		return true;
	if (first >= WAITING)
		return pass_barrier(running) && select_earliest(running, done);
	uint32_t count = 0, limit = ENDED;
	for (uint32_t local = 0; local < space->local_size; local++) {
		const uint32_t at = state->at[local];
		space->mask[local] = at == first;
		count += at == first;
		limit = at != first && at < limit ? at : limit;
	}
	space->active = count;
	state->together = count == state->live;
	state->limit = limit;
	state->current = first;
	return true;
}

// Those that are here go on elsewhere. Returns whether they are still the ones that go on first.
static bool go_to(struct vkr_summary_state *state, uint32_t operation)
{
	state->current = operation;
	if (state->together || operation < state->limit)
		return true;
	stand_at(state, operation);
	return false;
}

// Some of those that are here go the one way, some the other.
static void part(struct vkr_summary_state *state, const struct vkr_summary_operation *operation,
		 const uint32_t *truth)
{
	for (uint32_t local = 0; local < state->space.local_size; local++)
		if (state->space.mask[local])
			state->at[local] = truth[local] ? operation->b : operation->c;
	state->together = false;
}

// ---- Accesses -----------------------------------------------------------------------------------

static void compute(const struct vkr_form *form, const uint32_t *size,
		    struct vkr_program_access *access)
{
	access->factor = 0;
	access->addend = form->constant;
	memcpy(access->by_group, form->by_group, sizeof access->by_group);
	memcpy(access->by_local, form->by_local, sizeof access->by_local);
	access->is_linear =
		(size[1] == 1 || access->by_local[1] == access->by_local[0] * size[0]) &&
		(size[2] == 1 || access->by_local[2] == access->by_local[0] * size[0] * size[1]);
}

// The offset is in the words of `pairs`.
static void read_list(struct running *running, const struct vkr_summary_value *value,
		      struct vkr_program_access *access)
{
	struct vkr_summary_state *state = running->state;
	for (uint32_t local = 0; local < state->space.local_size; local++)
		state->pairs[2 * (size_t)local + 1] = value->lanes[local];
	access->factor = 1;
	access->offset_word = 0;
	access->addend = 0;
	memset(access->by_group, 0, sizeof access->by_group);
	memset(access->by_local, 0, sizeof access->by_local);
	access->is_linear = true;
	if (value->moves)
		vkr_pattern_spoil(&running->work->replay->pattern);
}

// Neighbouring invocations that are here, from `first` on.
static uint32_t count_neighbours(const struct vkr_summary_space *space, uint32_t first)
{
	uint32_t end = first + 1;
	if (space->active == space->local_size)
		return space->local_size - first;
	while (end < space->local_size && space->mask[end])
		end++;
	return end - first;
}

static enum vkr_result do_access(struct running *running,
				 const struct vkr_summary_operation *operation)
{
	struct vkr_replay_work *work = running->work;
	struct vkr_summary_state *state = running->state;
	const struct vkr_summary_space *space = &state->space;
	const struct vkr_program_access *known = work->program->by_site[operation->a];
	const struct vkr_summary_value *value = &space->registers[operation->b];
	const struct vkr_engine_target *target =
		vkr_dispatch_target(work->targets, known->variable, 0);
	if (running->has_fences)
		for (uint32_t local = 0; local < space->local_size; local++)
			state->fences[local] = space->mask[local] ? 0 : state->fences[local];
	if (target == NULL)
		return VKR_OK;
	struct vkr_program_access *access = take_access(running);
	if (access == NULL || !close_barrier(running))
		return vkr_error_memory(work->error, "a summary");
	*access = *known;
	access->summarized = true;
	if (value->is_list)
		read_list(running, value, access);
	else
		compute(&value->form, space->size, access);
	for (uint32_t local = 0; local < space->local_size;) {
		if (!space->mask[local]) {
			local++;
			continue;
		}
		const uint32_t count = count_neighbours(space, local);
		struct vkr_row row = {.local = local,
				      .count = count,
				      .size = 2,
				      .pitch = 2,
				      .header = state->pairs + 2 * (size_t)local,
				      .record = state->pairs + 2 * (size_t)local};
		const struct vkr_span span = {&row, 1, local, count};
		const enum vkr_result result = vkr_replay_span(work, access, &span, target);
		if (result != VKR_OK)
			return result;
		local += count;
	}
	return VKR_OK;
}

// ---- Operations ---------------------------------------------------------------------------------

static void do_leaf(struct running *running, const struct vkr_summary_operation *operation)
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
static bool do_branch(struct running *running, const struct vkr_summary_operation *operation)
{
	struct vkr_summary_state *state = running->state;
	const uint32_t *truth = NULL;
	bool outcome = false, moves = false;
	const bool alike = vkr_summary_truth(&state->space, operation->a, &outcome, &truth, &moves);
	if (moves)
		vkr_pattern_spoil(&running->work->replay->pattern);
	if (alike)
		return go_to(state, outcome ? operation->b : operation->c);
	part(state, operation, truth);
	return false;
}

// Those that are here come to a barrier, or pass a fence; *goes: they go on.
static enum vkr_result do_sync(struct running *running, bool *goes)
{
	struct vkr_summary_state *state = running->state;
	struct vkr_replay_work *work = running->work;
	const struct vkr_site *site = site_of(running, state->current);
	const enum vkr_result result = vkr_replay_flush(work);
	*goes = true;
	if (result != VKR_OK)
		return result;
	if (site->operation != VKR_SITE_CONTROL_BARRIER || !is_wide(site->execution)) {
		do_fence(running, site);
		*goes = go_to(state, state->current + 1);
		return VKR_OK;
	}
	if (!state->together) {
		stand_at(state, state->current + WAITING);
		*goes = false;
		return VKR_OK;
	}
	if (!close_barrier(running))
		return vkr_error_memory(work->error, "a pattern");
	open_barrier(running);
	for (uint32_t local = 0; local < state->space.local_size; local++)
		if (state->space.mask[local])
			join_barrier(running, local, site);
	state->current++;
	return VKR_OK;
}

// Goes on until those that are here part, end or wait.
static enum vkr_result go_on(struct running *running, uint64_t *steps)
{
	struct vkr_summary_state *state = running->state;
	enum vkr_result result = VKR_OK;
	bool goes = true;
	while (goes && result == VKR_OK && ++*steps < STEPS_MOST) {
		const struct vkr_summary_operation *operation =
			&running->operations[state->current];
		switch ((enum vkr_summary_code)operation->code) {
		case VKR_SUMMARY_CONSTANT:
		case VKR_SUMMARY_PUSHED:
		case VKR_SUMMARY_GROUP:
		case VKR_SUMMARY_LOCAL:
		case VKR_SUMMARY_INDEX:
		case VKR_SUMMARY_GROUPS:
			do_leaf(running, operation);
			state->current++;
			break;
		case VKR_SUMMARY_ACCESS:
			result = do_access(running, operation);
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
			stand_at(state, ENDED);
			state->live -= state->space.active;
			goes = false;
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

static void enter(struct running *running)
{
	struct vkr_summary_state *state = running->state;
	const uint32_t local_size = state->space.local_size;
	vkr_summary_space_enter(&state->space, running->work->id);
	state->live = local_size;
	state->together = true;
	state->limit = ENDED;
	state->current = 0;
	state->passed.is_open = false;
	running->has_fences = false;
	memset(state->at, 0, local_size * sizeof *state->at);
	memset(state->fences, 0, local_size);
	memset(state->orders, 0, local_size);
}

static enum vkr_result run_workgroup(struct running *running)
{
	struct vkr_replay_work *work = running->work;
	struct vkr_summary_state *state = running->state;
	uint64_t steps = 0;
	bool done = false;
	enter(running);
	while (!done) {
		enum vkr_result result = go_on(running, &steps);
		if (result == VKR_OK)
			result = vkr_replay_flush(work);
		if (result != VKR_OK)
			return result;
		if (state->space.failed || !select_earliest(running, &done))
			return vkr_error_memory(work->error, "a summary");
		if (steps >= STEPS_MOST && !done) {
			work->replay->unfinished++;
			vkr_pattern_spoil(&work->replay->pattern);
			done = true;
		}
	}
	return close_barrier(running) ? VKR_OK : vkr_error_memory(work->error, "a pattern");
}

static enum vkr_result do_workgroup(struct running *running)
{
	struct vkr_replay_work *work = running->work;
	struct vkr_summary_state *state = running->state;
	struct vkr_pattern *pattern = &work->replay->pattern;
	const uint64_t out_of_range = work->replay->out_of_range;
	enum vkr_result result = vkr_engine_workgroup(work->engine, work->workgroup, work->error);
	if (result != VKR_OK)
		return result;
	if (pattern->chunk != NULL && vkr_summary_guards_hold(&state->space, work->id) &&
	    vkr_pattern_fits(pattern, &state->chunk, 1, work->id))
		return vkr_pattern_feed(pattern, work->engine, work->id, work->error);
	if (!vkr_pattern_begin(pattern, &state->chunk, 1, work->id, state->space.local_size))
		return vkr_error_memory(work->error, "a pattern");
	state->pool.count = 0;
	state->space.guards.count = 0;
	state->space.notes = pattern->taking;
	result = run_workgroup(running);
	if (out_of_range != work->replay->out_of_range)
		vkr_pattern_spoil(pattern);
	vkr_pattern_end(pattern, !vkr_engine_workgroup_conflicts(work->engine));
	return result;
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
	const struct vkr_site_table *table = targets->program->shader->sites;
	const uint32_t *base = dispatch->base, *groups = dispatch->groups;
	if (!vkr_replay_begin(replay, targets) || !begin(replay, table))
		return vkr_error_memory(error, "a workgroup");
	struct running running = {.work = &work,
				  .state = replay->summary,
				  .dispatch = dispatch,
				  .table = table,
				  .operations = vkr_site_table_summary(table)};
	const uint64_t count = (uint64_t)groups[0] * groups[1] * groups[2];
	const uint32_t first = base[0] + groups[0] * (base[1] + groups[1] * base[2]);
	for (uint64_t at = 0; at < count; at++) {
		work.workgroup = first + (uint32_t)at;
		work.id[0] = base[0] + (uint32_t)(at % groups[0]);
		work.id[1] = base[1] + (uint32_t)(at / groups[0] % groups[1]);
		work.id[2] = base[2] + (uint32_t)(at / groups[0] / groups[1]);
		const enum vkr_result result = do_workgroup(&running);
		if (result != VKR_OK)
			return result;
	}
	return VKR_OK;
}
