// SPDX-License-Identifier: Apache-2.0
// Replays one dispatch's log into the engine: workgroup by workgroup, barrier interval by barrier
// interval, neighbouring invocations together. Knows the records of vkrace/gpu_log.h; not where
// the log came from.
#pragma once

#include "dispatch_targets.h"
#include "feed_tape.h"
#include "log_offsets.h"
#include "log_pattern.h"
#include "log_rows.h"
#include "possible_texels.h"

struct vkr_noted_texels;
struct vkr_texel_log;
struct vkr_texel_reads;
struct vkr_texel_record;
struct vkr_texel_rows;
struct vkr_traversal_log;
struct vkr_summary_state;

// Neighbouring invocations at one step, and the next ones that are at it.
struct vkr_linked_span {
	struct vkr_span span;
	struct vkr_linked_span *next;
};

// Those at one step; zeroed where there are none.
struct vkr_step_spans {
	struct vkr_linked_span *first, *last;
	uint32_t count, invocations;
};

// What the invocations of a workgroup do next.
struct vkr_round {
	struct vkr_step_spans *steps; // by step of the program
	uint32_t step_capacity, span_count;
	struct vkr_linked_span *spans;
	uint32_t *locals; // of accesses that are fed together
};

// As many runs of accesses, or spans, are worth it: where they are shorter on the average, the
// accesses cost less one by one.
#define VKR_RUNS_MOST(accesses) (1 + (accesses) / 4)

// Buffers that are kept from dispatch to dispatch; zeroed before the first.
struct vkr_replay {
	struct vkr_rows rows;
	struct vkr_pattern pattern;
	// Of one access of neighbouring invocations.
	uint32_t *offsets, *elements, *wrote;
	uint32_t *lanes; // words of an access to texels, one after the other
	const uint32_t **records;
	struct vkr_round round;
	struct {
		uint32_t *items; // records out of columns, put together
		size_t count, capacity;
	} copies;
	struct vkr_texel_log *texels;         // NULL until texels are accessed one by one
	struct vkr_texel_rows *texel_rows;    // NULL until a command accesses texels
	struct vkr_texel_reads *reads;        // NULL until some are judged together
	struct vkr_read_repeats *repeats;     // NULL until those of draws are kept
	struct vkr_noted_texels *noted;       // NULL until those of a dispatch are
	struct vkr_traversal_log *traversals; // NULL until structures are traversed
	struct vkr_summary_state *summary;    // NULL until a dispatch has logged nothing
	struct vkr_possible_texels possible;
	struct vkr_tape *tape;   // on which is written what is fed; NULL: the engine is fed
	struct vkr_ahead *ahead; // NULL: this thread alone takes workgroups apart
	uint64_t taken_apart;    // workgroups that were not like others
	uint64_t operations;     // of summaries, that were done for these
	bool robust;             // struct vkr_dispatch_targets
	uint32_t local_capacity;
	struct {
		struct vkr_engine_run *items;
		size_t count, capacity;
		size_t seen;    // of these is known
		bool any_write; // whether one writes
	} runs;                 // in program order, not fed yet
	// Parts of the last dispatch's log that could not be judged.
	uint32_t damaged_workgroup; // of the first of rows.damaged
	struct vkr_beyond beyond;
	uint64_t unknown;        // accesses through addresses or descriptors of no known buffer
	uint64_t unknown_texels; // accesses to images that are not known
	uint64_t
		unknown_structures; // traversals of structures not known, or not in all their parts
	// A barrier of a change that some invocations of a workgroup have passed without others;
	// NULL: none.
	const struct vkr_site *divergent;
	uint64_t
		unfinished; // workgroups whose summary or run-length records did not come to an end
};

// Chunks [first, first + count) are of one command, by workgroup. The engine's dispatch is open.
enum vkr_result vkr_replay_dispatch(struct vkr_replay *replay, struct vkr_engine *engine,
				    struct vkr_dispatch_targets *targets,
				    const struct vkr_chunk *first, size_t count,
				    struct vkr_error *error) VKR_MUST_USE;

// A dispatch of these targets begins: nothing is lost yet. False for lack of memory.
bool vkr_replay_begin(struct vkr_replay *replay, const struct vkr_dispatch_targets *targets);
void vkr_replay_finish(struct vkr_replay *replay);

// Those that reach beyond the end of a descriptor: which do differs from workgroup to workgroup.
static inline uint64_t vkr_replay_out_of_descriptor(const struct vkr_replay *replay)
{
	return replay->beyond.accesses - replay->beyond.of_variable;
}

// Whether something of the dispatch is not known.
static inline bool vkr_replay_has_unknown(const struct vkr_replay *replay)
{
	return replay->rows.damaged > 0 || replay->unknown > 0 || replay->unknown_texels > 0 ||
	       replay->unknown_structures > 0 || replay->unfinished > 0;
}

// Whether something of the dispatch could not be judged.
static inline bool vkr_replay_has_losses(const struct vkr_replay *replay)
{
	return vkr_replay_has_unknown(replay) || replay->beyond.accesses > replay->beyond.discarded;
}

// A view may be read elsewhere, too (possible_texels.h). False for lack of memory.
static inline bool vkr_replay_possible(struct vkr_replay *replay, struct vkr_bound_texels *bound,
				       struct vkr_program_access *access)
{
	return replay->tape != NULL ? vkr_tape_note_possible(replay->tape, bound, access) == VKR_OK
				    : vkr_possible_texels_note(&replay->possible, bound, access);
}

// So many accesses reach beyond the end of their target.
void vkr_replay_note_beyond(struct vkr_replay *replay, const struct vkr_program_access *access,
			    const struct vkr_engine_target *target, uint64_t count);

// Counts the offsets that reach beyond the target.
void vkr_replay_count_beyond(struct vkr_replay *replay, const struct vkr_program_access *access,
			     const struct vkr_engine_target *target, const uint32_t *offsets,
			     uint32_t count);

// Feeds the runs that wait in replay->runs.
enum vkr_result vkr_replay_flush(struct vkr_replay *replay, struct vkr_engine *engine,
				 struct vkr_error *error) VKR_MUST_USE;

// Feeds them if they are many. Otherwise they keep waiting, because the iterations of a loop are
// judged faster together.
enum vkr_result vkr_replay_flush_many(struct vkr_replay *replay, struct vkr_engine *engine,
				      struct vkr_error *error) VKR_MUST_USE;

// Feeds them if accesses of `site` must not come before them: an invocation's accesses to the same
// bytes are fed in program order, except reads.
enum vkr_result vkr_replay_flush_before(struct vkr_replay *replay, struct vkr_engine *engine,
					uint32_t site, struct vkr_error *error) VKR_MUST_USE;

// Accesses of neighbouring invocations (`locals` NULL) as runs of equal strides, which wait in
// replay->runs; *joined is false, and nothing waits, where these would be short. (log_runs.c)
enum vkr_result vkr_replay_join(struct vkr_replay *replay,
				const struct vkr_engine_scatter *accesses, bool *joined,
				struct vkr_error *error) VKR_MUST_USE;

// Accesses of neighbouring invocations (`locals` NULL) on to the engine: as runs of equal strides,
// which wait in replay->runs, or, where these would be short, all of them now. (log_runs.c)
enum vkr_result vkr_replay_accesses(struct vkr_replay *replay, struct vkr_engine *engine,
				    const struct vkr_engine_scatter *accesses,
				    struct vkr_error *error) VKR_MUST_USE;
