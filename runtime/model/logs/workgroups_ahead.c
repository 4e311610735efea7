// SPDX-License-Identifier: Apache-2.0
#include "workgroups_ahead.h"

#include "crew.h"
#include "error.h"
#include "map.h"
#include "noted_texels.h"
#include "texel_rows.h"

#include <stdlib.h>

// Workgroups that are looked back at: where at least half of them were taken apart, and not found
// to be like others, some are given away.
#define WINDOW 8u

// Blocks of a dispatch that had to be taken apart again, from which on nothing of its shader's is
// given away.
#define MISSED_MOST 4u

// An operation of a summary takes as long as so many words of a log.
#define OPERATION_WORDS 2u

// As long as no dispatch is.
#define LENGTH_NEVER (UINT64_MAX / 4)

struct block {
	struct vkr_job job;
	const struct vkr_ahead_steps *steps;
	uint64_t first, end; // steps
	uint64_t whole;      // step up to which the tape goes
	uint64_t epoch;      // in which its state was prepared
	struct vkr_replay replay;
	struct vkr_program program;
	struct vkr_dispatch_targets targets;
	struct vkr_replay_work work;
	struct vkr_tape tape;
	struct vkr_pattern_shelf shelf; // of the tape's
	struct vkr_tape_place place;
	bool waited;
};

struct vkr_ahead {
	struct vkr_crew *crew;
	struct block *blocks; // in a circle
	uint32_t room, first, count;
	uint64_t epoch;       // goes on where what was prepared is out of date
	uint64_t next;        // step after those of the blocks
	uint64_t length;      // steps of a block
	uint64_t alone;       // steps before it are done here
	uint32_t seen, apart; // workgroups done here lately, and those of them taken apart
	uint64_t operations;  // of these
	uint32_t missed;
	// By shader: steps of a block, where tapes were too short for more, or it never has any.
	struct vkr_map lengths;
};

bool vkr_ahead_create(struct vkr_replay *replay, struct vkr_crew *crew)
{
	if (crew == NULL)
		return true;
	struct vkr_ahead *made = calloc(1, sizeof *made);
	if (made == NULL)
		return false;
	made->crew = crew;
	made->room = 2 * vkr_crew_threads(crew);
	made->blocks = calloc(made->room, sizeof *made->blocks);
	made->epoch = 1;
	vkr_map_init(&made->lengths);
	replay->ahead = made;
	return made->blocks != NULL;
}

void vkr_ahead_destroy(struct vkr_ahead *ahead, void (*finish)(struct vkr_replay *replay))
{
	if (ahead == NULL)
		return;
	for (uint32_t at = 0; ahead->blocks != NULL && at < ahead->room; at++) {
		finish(&ahead->blocks[at].replay);
		vkr_tape_finish(&ahead->blocks[at].tape);
		vkr_pattern_shelf_finish(&ahead->blocks[at].shelf);
	}
	vkr_map_finish(&ahead->lengths);
	free(ahead->blocks);
	free(ahead);
}

static struct block *block_at(const struct vkr_ahead *ahead, uint32_t at)
{
	return &ahead->blocks[(ahead->first + at) % ahead->room];
}

static void await_all(struct vkr_ahead *ahead)
{
	for (uint32_t at = 0; at < ahead->count; at++) {
		vkr_crew_wait(ahead->crew, &block_at(ahead, at)->job);
		block_at(ahead, at)->waited = true;
	}
}

void vkr_ahead_drop(struct vkr_replay *replay)
{
	struct vkr_ahead *ahead = replay->ahead;
	if (ahead == NULL)
		return;
	await_all(ahead);
	ahead->count = 0;
	ahead->epoch++;
	ahead->seen = ahead->apart = 0;
	ahead->operations = 0;
}

void vkr_ahead_begin(struct vkr_replay *replay)
{
	struct vkr_ahead *ahead = replay->ahead;
	if (ahead == NULL)
		return;
	vkr_ahead_drop(replay);
	ahead->missed = 0;
	ahead->alone = 0;
}

// ---- Elsewhere ----------------------------------------------------------------------------------

static void run_block(void *user)
{
	struct block *block = user;
	const struct vkr_ahead_steps *steps = block->steps;
	struct vkr_replay *replay = &block->replay;
	enum vkr_result result = VKR_OK;
	uint64_t length;
	for (block->whole = block->first; block->whole < block->end; block->whole += length) {
		result = steps->step(&block->work, steps->user, block->whole, &length);
		vkr_tape_count_beyond(&block->tape, &replay->beyond);
		replay->beyond = (struct vkr_beyond){0};
		if (result != VKR_OK)
			break;
	}
	if ((result != VKR_OK && !block->tape.full) || vkr_replay_has_losses(replay) ||
	    replay->divergent != NULL)
		block->tape.missed = true;
}

// Prepares the block's state for the dispatch. False for lack of memory.
static bool workgroups_ahead_prepare(struct block *block, const struct vkr_replay_work *work,
				     const struct vkr_ahead_steps *steps)
{
	struct vkr_replay *replay = &block->replay;
	block->program = *work->program;
	block->program.missed = &block->tape.missed;
	block->targets = *work->targets;
	block->targets.program = &block->program;
	block->targets.missed = &block->tape.missed;
	block->work = (struct vkr_replay_work){.replay = replay,
					       .engine = work->engine,
					       .targets = &block->targets,
					       .program = &block->program};
	replay->tape = &block->tape;
	replay->pattern.shelf = &block->shelf;
	return steps->begin(&block->work, work, steps->user) == VKR_OK &&
	       vkr_texel_rows_like(replay, work->replay) &&
	       vkr_noted_texels_like(replay, work->replay);
}

static void start_block(struct vkr_ahead *ahead, const struct vkr_replay_work *work,
			const struct vkr_ahead_steps *steps)
{
	struct block *block = block_at(ahead, ahead->count++);
	const uint64_t left = steps->count - ahead->next;
	block->steps = steps;
	block->first = ahead->next;
	block->end = ahead->next + (left < ahead->length ? left : ahead->length);
	while (steps->chunks != NULL && block->end < steps->count &&
	       steps->chunks[block->end].key == steps->chunks[block->end - 1].key)
		block->end++;
	block->place = (struct vkr_tape_place){0};
	block->waited = false;
	block->job.run = run_block;
	block->job.user = block;
	ahead->next = block->end;
	vkr_tape_clear(&block->tape);
	vkr_pattern_shelf_clear(&block->shelf, &block->replay.pattern);
	if (block->epoch != ahead->epoch && !workgroups_ahead_prepare(block, work, steps)) {
		block->epoch = 0;
		block->tape.missed = true;
		return;
	}
	block->epoch = ahead->epoch;
	vkr_crew_start(ahead->crew, &block->job);
}

// ---- Here ---------------------------------------------------------------------------------------

static enum vkr_result do_here(struct vkr_replay_work *work, const struct vkr_ahead_steps *steps,
			       uint64_t at, uint64_t *length)
{
	struct vkr_ahead *ahead = work->replay->ahead;
	const uint64_t before = work->replay->taken_apart, operations = work->replay->operations;
	const enum vkr_result result = steps->step(work, steps->user, at, length);
	if (at < steps->here)
		return result;
	ahead->apart += work->replay->taken_apart != before;
	ahead->operations += work->replay->operations - operations;
	if (++ahead->seen > WINDOW) {
		ahead->seen /= 2;
		ahead->apart /= 2;
		ahead->operations /= 2;
	}
	return result;
}

// Steps that are worth a block: as many words of a log, invocations or operations as are worth a
// job; of a shader whose last dispatch had shorter blocks as many as these. Where workgroups follow
// from others, few of a block are taken apart.
static uint64_t length_of(const struct vkr_ahead *ahead, const struct vkr_replay_work *work,
			  const struct vkr_ahead_steps *steps)
{
	const uint32_t local_size = work->targets->local_size > 0 ? work->targets->local_size : 1;
	const bool follow = steps->here > 0 || ahead->apart == 0;
	const uint64_t operations = follow ? 0 : ahead->operations / ahead->apart * OPERATION_WORDS;
	const uint64_t each = operations > local_size ? operations : local_size;
	const uint64_t length = vkr_crew_least(ahead->crew) / each;
	uint64_t learned = UINT64_MAX;
	if (vkr_map_get(&ahead->lengths, work->program->shader->id, &learned) &&
	    learned == LENGTH_NEVER)
		return LENGTH_NEVER;
	return learned < length ? learned : length > 0 ? length : 1;
}

static bool is_worth(struct vkr_ahead *ahead, const struct vkr_replay_work *work,
		     const struct vkr_ahead_steps *steps, uint64_t at)
{
	ahead->length = length_of(ahead, work, steps);
	// Elsewhere no workgroup follows from others where there is workgroup memory.
	const bool may = steps->here == 0 || work->program->workgroup_bytes == 0;
	uint64_t wanted = ahead->length < WINDOW / 2 ? ahead->length : WINDOW / 2;
	if (steps->here > 0) // the first ones of a row are often taken apart
		wanted = WINDOW;
	return may && at >= steps->here && ahead->missed < MISSED_MOST && ahead->seen >= wanted &&
	       2 * ahead->apart >= ahead->seen && steps->count - at > 2 * ahead->length &&
	       !vkr_engine_has_part(work->engine) && work->again == VKR_NOTED_NONE;
}

struct playing {
	struct vkr_replay_work *work;
	struct block *block;
	uint64_t length;
};

static enum vkr_result begin_workgroup(void *user, const struct vkr_tape_workgroup *workgroup)
{
	struct playing *playing = user;
	struct vkr_replay_work *work = playing->work;
	playing->length = workgroup->length;
	work->workgroup = workgroup->number;
	const enum vkr_result result =
		vkr_engine_workgroup(work->engine, workgroup->number, work->error);
	vkr_engine_count_accesses(work->engine, workgroup->accesses);
	vkr_beyond_add(&work->replay->beyond, &workgroup->beyond);
	return result;
}

static enum vkr_result note_row(void *user, const struct vkr_tape_row *row)
{
	const struct playing *playing = user;
	return vkr_noted_texels_row(playing->work, row->filter, row->local, row->count, row->offset,
				    row->stride);
}

static enum vkr_result play_pattern(void *user, const struct vkr_tape_pattern *pattern,
				    const uint32_t *words)
{
	const struct playing *playing = user;
	return vkr_pattern_play(&playing->block->shelf, &playing->block->replay.pattern, pattern,
				words, playing->work->engine, playing->work->error);
}

static enum vkr_result note_possible(void *user, const struct vkr_tape_possible *possible)
{
	const struct playing *playing = user;
	return vkr_possible_texels_note(&playing->work->replay->possible, possible->bound,
					possible->access)
		       ? VKR_OK
		       : vkr_error_memory(playing->work->error, "texels");
}

static enum vkr_result workgroups_ahead_play(struct vkr_replay_work *work, struct block *block,
					     uint64_t *length)
{
	struct playing playing = {.work = work, .block = block, .length = 1};
	const struct vkr_tape_player player = {.engine = work->engine,
					       .user = &playing,
					       .begin = begin_workgroup,
					       .row = note_row,
					       .pattern = play_pattern,
					       .possible = note_possible,
					       .error = work->error};
	const enum vkr_result result = vkr_tape_play(&block->tape, &block->place, &player);
	*length = playing.length;
	return result;
}

static void leave_block(struct vkr_ahead *ahead)
{
	ahead->first = (ahead->first + 1) % ahead->room;
	ahead->count--;
}

// What is under way is done first: it reads what is looked up here.
static void give_up_block(struct vkr_ahead *ahead, const struct block *block)
{
	await_all(ahead);
	ahead->alone = block->end;
	ahead->missed += block->tape.missed;
	if (ahead->missed == MISSED_MOST) // without memory it is learned again
		(void)vkr_map_set(&ahead->lengths, block->program.shader->id, LENGTH_NEVER);
	leave_block(ahead);
}

// Where a tape was too short for a block, those to come are shorter.
static void learn_length(struct vkr_ahead *ahead, const struct block *block)
{
	const uint64_t fits = (block->whole - block->first) / 2;
	if (block->tape.missed || block->whole == block->end || fits >= ahead->length)
		return;
	ahead->length = fits > 0 ? fits : 1;
	// Without memory it is learned again.
	(void)vkr_map_set(&ahead->lengths, block->work.program->shader->id, ahead->length);
}

enum vkr_result vkr_ahead_step(struct vkr_replay_work *work, const struct vkr_ahead_steps *steps,
			       uint64_t at, uint64_t *length)
{
	struct vkr_ahead *ahead = work->replay->ahead;
	if (ahead == NULL)
		return steps->step(work, steps->user, at, length);
	if (at < ahead->alone)
		return do_here(work, steps, at, length);
	if (ahead->count == 0) {
		if (!is_worth(ahead, work, steps, at))
			return do_here(work, steps, at, length);
		ahead->next = at;
	}
	while (ahead->count < ahead->room && ahead->next < steps->count &&
	       ahead->missed < MISSED_MOST)
		start_block(ahead, work, steps);
	if (ahead->count == 0)
		return do_here(work, steps, at, length);
	struct block *block = block_at(ahead, 0);
	if (!block->waited)
		vkr_crew_wait(ahead->crew, &block->job);
	block->waited = true;
	learn_length(ahead, block);
	if (block->tape.missed || at == block->whole) {
		block->epoch = 0; // it stands within a workgroup
		give_up_block(ahead, block);
		return do_here(work, steps, at, length);
	}
	const enum vkr_result result = workgroups_ahead_play(work, block, length);
	if (at + *length == block->end)
		leave_block(ahead);
	return result;
}
