// SPDX-License-Identifier: Apache-2.0
// What a workgroup did, as a pattern for the workgroups after it. If a workgroup's words differ
// from the pattern's by the same amount in all invocations, it did the same at other offsets, and
// is not decoded again. Knows column logs, and what was fed to the engine; not what records mean.
//
// Which words of the column log matter is noted while the first workgroup is decoded: the numbers
// that begin records, the zeros that end them, and the counts of run-length records must be equal;
// words of offsets may differ, by one amount in a whole column; the other words do not matter.
// Workgroup memory is not judged again: equal accesses to equal bytes of it, between the same
// barriers, race as the first workgroup's did, and are counted.
#pragma once

#include "feed_tape.h"
#include "log_offsets.h"
#include "log_store.h"
#include "workgroup_reads.h"

struct vkr_pattern_step {
	const struct vkr_engine_target *target; // NULL: a control barrier
	bool scattered;
	uint32_t site, bytes;
	uint32_t factor, by_group[3]; // of the offsets, as the access has them
	size_t word;                  // that the offsets are computed from; VKR_PATTERN_NO_WORD
	size_t first, count;          // of the runs, or of the offsets
	uint32_t low, high;           // the lowest and the highest offset
	uint64_t accesses;            // set as the workgroup ends
	uint32_t noted; // 1 + index of reads (workgroup_reads.h) that it is among; 0: none
	uint32_t local; // the first invocation of what is scattered
	struct vkr_engine_barrier barrier;
};

#define VKR_PATTERN_NO_WORD SIZE_MAX

struct vkr_pattern_steps {
	struct vkr_pattern_step *items;
	size_t count, capacity;
};

struct vkr_pattern_noted {
	size_t step; // one of theirs
	bool taken;  // those of the present workgroup were noted
};

// What is read that may be noted.
struct vkr_pattern_reads {
	bool collected; // once another workgroup fits
	struct vkr_workgroup_reads all;
	struct {
		struct vkr_pattern_noted *items; // by their index
		size_t count, capacity;
	} noted;
};

// Zeroed before the first dispatch.
struct vkr_pattern {
	const struct vkr_chunk *chunk;   // of the workgroup; NULL: there is none
	struct vkr_pattern_shelf *shelf; // for what is on a tape; NULL: there is no tape
	bool on_tape;                    // it is to be played
	uint32_t offset_words;           // its offsets are computed from words before this one
	uint32_t id[3];                  // its WorkgroupId
	bool taking;                     // it is being noted
	bool stays;                      // it is kept while another workgroup is taken apart
	uint32_t served, strange;        // workgroups since it was noted that fitted it, or did not
	bool judged;                     // its workgroup memory was: what raced there is known
	bool row_only;          // it holds where only the first component of the ID differs
	uint32_t misses, pause; // in a row; workgroups that are not noted
	struct vkr_pattern_steps steps;
	struct vkr_pattern_steps runs_behind; // steps of the runs that are not fed yet
	struct {
		struct vkr_engine_run *items;
		size_t count, capacity;
	} runs, moved_runs;
	struct {
		uint32_t *items;
		size_t count, capacity;
	} offsets, moved_offsets;
	struct {
		uint8_t *items; // by column, twice: what the word decides
		size_t count, capacity;
	} uses;
	struct {
		uint32_t *items; // by word: what it is more by in the present workgroup
		size_t count, capacity;
	} differences;
	struct vkr_pattern_reads reads;
	// To workgroup memory, how many of these reach beyond their variable, and their races.
	uint64_t workgroup_accesses, workgroup_beyond;
	struct {
		struct vkr_engine_raced *items;
		size_t count, capacity;
	} workgroup_races;
};

void vkr_pattern_finish(struct vkr_pattern *pattern);

// Patterns that a tape speaks of by their index, before the one that there is.
struct vkr_pattern_shelf {
	struct vkr_pattern *items;
	size_t count, capacity;
};

// The tape is empty again.
void vkr_pattern_shelf_clear(struct vkr_pattern_shelf *shelf, struct vkr_pattern *pattern);
void vkr_pattern_shelf_finish(struct vkr_pattern_shelf *shelf);

// The dispatch begins: there is no pattern yet.
void vkr_pattern_reset(struct vkr_pattern *pattern);

// The workgroup is about to be taken apart: begins to note what it does, where that may help;
// `may_stay`: unless the pattern that there is serves most others. False for lack of memory.
bool vkr_pattern_begin(struct vkr_pattern *pattern, const struct vkr_chunk *chunks, size_t count,
		       const uint32_t *id, uint32_t local_size, bool may_stay);

// This workgroup must not become a pattern after all.
void vkr_pattern_spoil(struct vkr_pattern *pattern);

// It holds only for workgroups whose ID differs in the first component alone.
void vkr_pattern_keep_row(struct vkr_pattern *pattern);

// Whether the ID is one for which the pattern may hold.
static inline bool vkr_pattern_reaches(const struct vkr_pattern *pattern, const uint32_t *id)
{
	return !pattern->row_only || (id[1] == pattern->id[1] && id[2] == pattern->id[2]);
}

// Whether it knows all that is judged of the engine's present workgroup.
static inline bool vkr_pattern_judges(const struct vkr_pattern *pattern,
				      const struct vkr_engine *engine)
{
	return pattern->chunk == NULL || pattern->judged || !vkr_engine_judges_workgroup(engine);
}

// Word `half` of the column, 0 or 1, decides what is done: which record begins there, or that none
// does, or how often a run-length record was gone through.
static inline void vkr_pattern_decides(struct vkr_pattern *pattern, uint32_t column, unsigned half)
{
	if (pattern->taking)
		pattern->uses.items[2 * (size_t)column + half] = 2;
}

// Runs, and accesses without a pattern, of the span's invocations through `access`, none of them
// beyond the target unless this is workgroup memory. False for lack of memory.
bool vkr_pattern_runs(struct vkr_pattern *pattern, const struct vkr_program_access *access,
		      const struct vkr_span *span, const struct vkr_engine_run *runs, size_t count);
bool vkr_pattern_scatter(struct vkr_pattern *pattern, const struct vkr_program_access *access,
			 const struct vkr_span *span, const struct vkr_engine_scatter *scatter);

// The runs so far were fed.
bool vkr_pattern_fed(struct vkr_pattern *pattern);
bool vkr_pattern_barrier(struct vkr_pattern *pattern, const struct vkr_engine_barrier *barrier);

// The workgroup is whole. `orders`: what its invocations do may order them, so that equal accesses
// may race in one workgroup and not in the other; `beyond`: so many of its accesses to workgroup
// memory reach beyond their variable. `engine` NULL: it was not fed, so that of workgroups that
// access workgroup memory, or may be ordered, nothing is known. False for lack of memory.
bool vkr_pattern_end(struct vkr_pattern *pattern, const struct vkr_engine *engine, bool orders,
		     uint64_t beyond);

// Whether the workgroup does what the pattern says.
bool vkr_pattern_fits(struct vkr_pattern *pattern, const struct vkr_chunk *chunks, size_t count,
		      const uint32_t *id);

// Feeds what the workgroup does that fits.
enum vkr_result vkr_pattern_feed(struct vkr_pattern *pattern, struct vkr_engine *engine,
				 const uint32_t *id, struct vkr_error *error) VKR_MUST_USE;

// Writes on a tape that it does so, and feeds it when the tape is played; `present` is the pattern
// that there was in the end.
enum vkr_result vkr_pattern_write(struct vkr_pattern *pattern, struct vkr_tape *tape,
				  const uint32_t *id) VKR_MUST_USE;
enum vkr_result vkr_pattern_play(struct vkr_pattern_shelf *shelf, struct vkr_pattern *present,
				 const struct vkr_tape_pattern *played, const uint32_t *words,
				 struct vkr_engine *engine, struct vkr_error *error) VKR_MUST_USE;
