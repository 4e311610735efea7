// SPDX-License-Identifier: Apache-2.0
// Rows: neighbouring invocations of one workgroup whose records are alike, read together instead of
// one by one. Knows where records stand in the log's chunks; not what their words mean.
#pragma once

#include "barrier_join.h"
#include "log_store.h"
#include "shader_program.h"

// Chunks of the invocations local, local + 1, ..., back to back and of equal size, or their columns
// of a column log, whose next chunks are again such ones.
struct vkr_row_chunks {
	const uint32_t *words; // the first one's header, or pair
	uint32_t local, count;
	uint32_t size;    // words of each; of a column log 2
	uint32_t columns; // of a column log
	size_t pitch;     // words from a pair to the invocation's next one
	uint32_t next;    // 1 + index of the invocations' next ones; 0: there are none
};

// The invocations local, local + 1, ...: all at the same record of chunks that stand back to back.
struct vkr_row {
	uint32_t local, count;
	uint32_t size;          // words from one invocation's to its neighbour's
	size_t pitch;           // words from a pair to the invocation's next one
	uint32_t chunks;        // their next ones, as in struct vkr_row_chunks
	const uint32_t *header; // of the first invocation: its chunk, and in it
	const uint32_t *record; // the present record's first pair: its segment's number, a word
	const uint32_t *at;     // the next record
	uint32_t left;          // pairs from there to the end of the chunk
	const struct vkr_program_step *step; // to be done next; NULL: the invocations have ended
	uint32_t again;     // how often the steps of the present record follow once more
	uint32_t iteration; // what by_iteration is multiplied with
	uint32_t iterations[VKR_SITE_ITERATIONS]; // records so far of the segments that count
	uint64_t even; // a bit for each word of the chunk from `window` on: it grows by the same
		       // from each invocation to the next
	uint32_t window;
	bool seen; // `even` and `window` are of the present chunk
	struct vkr_release_fences fences;
	struct vkr_acquired acquired; // at and right after the barrier last passed
};

struct vkr_pattern;

// The rows of one workgroup, kept from workgroup to workgroup; zeroed before the first.
struct vkr_rows {
	const struct vkr_program *program;
	uint32_t capacity;   // invocations that there is room for
	uint32_t most;       // of a workgroup of the dispatch
	uint32_t local_size; // of the present workgroup: local indices are below it
	struct vkr_row *active, *next, *waiting;
	struct vkr_row *cut; // parted from a row that has ended to be one; their next record is
			     // not read yet
	uint32_t cut_count;
	uint32_t *head; // by invocation: its first chunk, as in struct vkr_row_chunks
	struct {
		struct vkr_row_chunks *items;
		size_t count, capacity;
	} chunks;
	struct vkr_pattern *pattern; // which columns hold records is noted in; NULL: nowhere
	// Invocations of which something makes no sense; they are cut off there.
	uint64_t damaged;
	uint32_t damaged_local;   // the first
	uint64_t iterations_left; // of run-length records, that the present workgroup may still go
				  // through
	uint64_t unended;         // invocations whose run-length records go on for longer
};

// Room for workgroups of the program, of at most this many invocations; false for lack of memory.
bool vkr_rows_begin(struct vkr_rows *rows, const struct vkr_program *program, uint32_t most);
void vkr_rows_finish(struct vkr_rows *rows);

// Takes a workgroup's chunks: rows->head and rows->chunks say where those of an invocation are.
// False for lack of memory.
bool vkr_rows_take(struct vkr_rows *rows, const struct vkr_chunk *chunks, size_t count);

// Notes that words of this many invocations make no sense.
void vkr_rows_note_damage(struct vkr_rows *rows, uint32_t local, uint32_t count);

// Takes a workgroup's chunks: rows->active has *active rows of all its invocations, ascending, at
// their first steps. False for lack of memory.
bool vkr_rows_workgroup(struct vkr_rows *rows, const struct vkr_chunk *chunks, size_t count,
			uint32_t *active);

// Moves a row to its next step. Invocations that part from it are in rows->cut.
void vkr_row_advance(struct vkr_rows *rows, struct vkr_row *row);

// Goes to the first step of the row's present record, which is gone through `iterations` times
// where it is a run-length record; false where nothing is done in it.
bool vkr_row_begin_steps(struct vkr_row *row, const struct vkr_segment_start *start,
			 uint32_t iterations);

// Goes to the next step of the present record; false after its last.
bool vkr_row_next_step(struct vkr_row *row, const struct vkr_segment_start *start);

// How many iterations of run-length records are decoded in one workgroup, and how many of those
// left one record may take.
uint64_t vkr_iterations_of(uint32_t local_size);
uint32_t vkr_iterations_take(uint64_t *left, uint32_t iterations);

// The invocations that parted last, at their next step; false where none are left.
bool vkr_rows_take_cut(struct vkr_rows *rows, struct vkr_row *row);

// Word `word` of the first invocation's present record, counted after its segment's number. Its
// neighbour's is row->size words further.
static inline const uint32_t *vkr_row_word(const struct vkr_row *row, uint32_t word)
{
	return row->record + (size_t)((word + 1) >> 1) * row->pitch + ((word + 1) & 1);
}

// Copies the words of invocation `index` of the row's present record, after its segment's number.
void vkr_row_copy(const struct vkr_row *row, uint32_t index, uint32_t words, uint32_t *to);

// Whether a word of the present record, `words` for the first invocation, grows by the same from
// each invocation of the row to the next.
bool vkr_row_is_even(struct vkr_row *row, const uint32_t *words);

// Whether `count` words, `size` words apart, grow by equal steps.
bool vkr_text_are_even(const uint32_t *words, size_t size, uint32_t count);
