// SPDX-License-Identifier: Apache-2.0
// What workgroups feed the engine, written down by a thread that takes them apart ahead of the one
// that judges, which plays it: the same calls in the same order. Knows calls; not what they are of.
#pragma once

#include "dispatch_targets.h"
#include "engine.h"

// A row of texels that is noted (noted_texels.h).
struct vkr_tape_row {
	uint32_t filter, local, count;
	uint64_t offset;
	int64_t stride;
};

// What a workgroup does by a pattern (log_pattern.h).
struct vkr_tape_pattern {
	size_t pattern; // a number of whoever writes the tape
	uint32_t id[3]; // the WorkgroupId
	uint32_t words; // on the tape: what the pattern's words are more by
};

// A view that may be read elsewhere, too (possible_texels.h).
struct vkr_tape_possible {
	struct vkr_bound_texels *bound;
	struct vkr_program_access *access;
};

// Accesses beyond the end of their descriptor or variable.
struct vkr_beyond {
	uint64_t accesses;
	uint64_t of_variable; // of them, those to workgroup memory
	uint64_t discarded;   // of them, those that robustBufferAccess2 discards
};

static inline void vkr_beyond_add(struct vkr_beyond *to, const struct vkr_beyond *more)
{
	to->accesses += more->accesses;
	to->of_variable += more->of_variable;
	to->discarded += more->discarded;
}

struct vkr_tape_workgroup {
	uint32_t number;
	uint64_t accesses; // that are only counted
	uint64_t length;   // steps that are its
	struct vkr_beyond beyond;
};

enum vkr_tape_call_kind {
	VKR_TAPE_WORKGROUP,
	VKR_TAPE_RUNS,
	VKR_TAPE_SCATTER,
	VKR_TAPE_BARRIER,
	VKR_TAPE_ROW,
	VKR_TAPE_PATTERN,
	VKR_TAPE_POSSIBLE,
};

// Calls of one kind in a row: so many items of its array; runs are of one call.
struct vkr_tape_call {
	enum vkr_tape_call_kind kind;
	uint32_t count;
};

// Zeroed before the first workgroup.
struct vkr_tape {
	struct {
		struct vkr_tape_call *items;
		size_t count, capacity;
	} calls;
	struct {
		struct vkr_tape_workgroup *items;
		size_t count, capacity;
	} workgroups;
	struct {
		struct vkr_engine_run *items;
		size_t count, capacity;
	} runs;
	struct {
		struct vkr_engine_scatter *items; // their offsets and locals are next below
		size_t count, capacity;
	} scatters;
	struct {
		uint32_t *items;
		size_t count, capacity;
	} words;
	struct {
		struct vkr_engine_barrier *items;
		size_t count, capacity;
	} barriers;
	struct {
		struct vkr_tape_row *items;
		size_t count, capacity;
	} rows;
	struct {
		struct vkr_tape_pattern *items; // their words are above
		size_t count, capacity;
	} patterns;
	size_t pattern_bytes; // of the patterns themselves, which are elsewhere
	struct {
		struct vkr_tape_possible *items;
		size_t count, capacity;
	} possible;
	bool missed; // there is something that cannot be written down
	bool full;   // there was no room for the last workgroup
};

void vkr_tape_finish(struct vkr_tape *tape);
void vkr_tape_clear(struct vkr_tape *tape);

// Written down; VKR_ERROR_STOPPED where it cannot be.
enum vkr_result vkr_tape_begin(struct vkr_tape *tape, uint32_t workgroup,
			       uint64_t length) VKR_MUST_USE;
enum vkr_result vkr_tape_runs(struct vkr_tape *tape, const struct vkr_engine_run *runs,
			      size_t count) VKR_MUST_USE;
enum vkr_result vkr_tape_scatter(struct vkr_tape *tape,
				 const struct vkr_engine_scatter *scatter) VKR_MUST_USE;
enum vkr_result vkr_tape_barrier(struct vkr_tape *tape,
				 const struct vkr_engine_barrier *barrier) VKR_MUST_USE;
void vkr_tape_count(struct vkr_tape *tape, uint64_t accesses);
void vkr_tape_count_beyond(struct vkr_tape *tape, const struct vkr_beyond *beyond);
enum vkr_result vkr_tape_add_row(struct vkr_tape *tape,
				 const struct vkr_tape_row *row) VKR_MUST_USE;
// `bytes`: of the pattern, where no other workgroup is on the tape by it.
enum vkr_result vkr_tape_add_pattern(struct vkr_tape *tape, const struct vkr_tape_pattern *pattern,
				     const uint32_t *words, size_t bytes) VKR_MUST_USE;
enum vkr_result vkr_tape_note_possible(struct vkr_tape *tape, struct vkr_bound_texels *bound,
				       struct vkr_program_access *access) VKR_MUST_USE;

// Where a tape is being played.
struct vkr_tape_place {
	size_t call, workgroup, run, scatter, word, barrier, row, pattern, possible;
};

// Plays the calls of the next workgroup. The engine takes those that are its own.
struct vkr_tape_player {
	struct vkr_engine *engine;
	void *user;
	enum vkr_result (*begin)(void *user, const struct vkr_tape_workgroup *workgroup);
	enum vkr_result (*row)(void *user, const struct vkr_tape_row *row);
	enum vkr_result (*pattern)(void *user, const struct vkr_tape_pattern *pattern,
				   const uint32_t *words);
	enum vkr_result (*possible)(void *user, const struct vkr_tape_possible *possible);
	struct vkr_error *error;
};
enum vkr_result vkr_tape_play(const struct vkr_tape *tape, struct vkr_tape_place *place,
			      const struct vkr_tape_player *player) VKR_MUST_USE;

// Feeds the engine, or, where there is a tape, writes it down.
static inline enum vkr_result vkr_feed_workgroup(struct vkr_tape *tape, struct vkr_engine *engine,
						 uint32_t workgroup, uint64_t length,
						 struct vkr_error *error)
{
	return tape != NULL ? vkr_tape_begin(tape, workgroup, length)
			    : vkr_engine_workgroup(engine, workgroup, error);
}

static inline enum vkr_result vkr_feed_runs(struct vkr_tape *tape, struct vkr_engine *engine,
					    const struct vkr_engine_run *runs, size_t count,
					    struct vkr_error *error)
{
	return tape != NULL ? vkr_tape_runs(tape, runs, count)
			    : vkr_engine_runs(engine, runs, count, error);
}

static inline enum vkr_result vkr_feed_scatter(struct vkr_tape *tape, struct vkr_engine *engine,
					       const struct vkr_engine_scatter *scatter,
					       struct vkr_error *error)
{
	return tape != NULL ? vkr_tape_scatter(tape, scatter)
			    : vkr_engine_scatter(engine, scatter, error);
}

static inline enum vkr_result vkr_feed_barrier(struct vkr_tape *tape, struct vkr_engine *engine,
					       const struct vkr_engine_barrier *barrier,
					       struct vkr_error *error)
{
	return tape != NULL ? vkr_tape_barrier(tape, barrier)
			    : vkr_engine_barrier(engine, barrier, error);
}

static inline void vkr_feed_count(struct vkr_tape *tape, struct vkr_engine *engine,
				  uint64_t accesses)
{
	if (tape != NULL)
		vkr_tape_count(tape, accesses);
	else
		vkr_engine_count_accesses(engine, accesses);
}
