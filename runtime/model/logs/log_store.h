// SPDX-License-Identifier: Apache-2.0
// GPU logs as they arrive, kept by execution until they are judged, and their chunks put in order:
// by command, workgroup, and for each invocation in program order. Knows the chunks' headers
// (vkrace/gpu_log.h), not the records.
#pragma once

#include "map.h"

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The shape of a column log's part.
struct vkr_log_column_log {
	uint32_t command; // index in the execution
	uint32_t first_group, group_count, local_size;
	uint32_t columns;   // 0: no column log, but chunks
	uint32_t groups[2]; // of the dispatch's whole grid, x and y
	size_t pitch;       // words from column to column
};

// One GPU_LOG or GPU_COLUMN_LOG event's words.
struct vkr_log_part {
	uint32_t *words;
	size_t count;
	unsigned room;       // of words, as a power of two
	uint64_t first_word; // in the log, of chunks
	struct vkr_log_column_log column_log;
};

// Up to where a log can be judged: the device stood still there, or all that some commands have
// logged is there.
struct vkr_log_mark {
	size_t parts;      // before it, ascending
	uint32_t commands; // all of those before this one, and nothing of others; 0: not known
};

struct vkr_log {
	struct vkr_log_part *items;
	size_t count, capacity;
	size_t judged; // parts that were judged and released
	// The words between two of these positions are judged together, so that the result does not
	// depend on when they arrive.
	struct {
		struct vkr_log_mark *items;
		size_t count, capacity;
	} marks;
	size_t marks_passed;
	struct {
		uint64_t *items; // HEAP_CHANGED events' payloads, back to back
		size_t count, capacity;
	} heaps;             // that changed meanwhile, which is not known to the sets yet
	bool ended;          // all of it has arrived
	uint32_t flags;      // enum vkr_trace_execution_flags
	uint32_t left_out;   // enum vkr_trace_left_out
	uint64_t lost_words; // that the log had no room for
	uint64_t words;      // of all parts
};

// Released words are kept and used again: logs are large, and fresh memory costs as much as judging
// what is in it.
struct vkr_spare_words {
	uint32_t **items;
	size_t count, capacity;
};

struct vkr_log_store {
	struct vkr_map logs;   // execution -> log
	struct vkr_map to_end; // executions that are judged, and whose end is to come -> 1
	struct vkr_spare_words spare[64]; // by the power of two of their size
	struct vkr_spare_words blocks;    // what parts of a middling size are cut from
};

// Room for so many words, a power of two that is said in *room; NULL for lack of memory. What was
// taken is given back before the store ends.
uint32_t *vkr_log_words_take(struct vkr_log_store *store, size_t count, unsigned *room);
void vkr_log_words_give(struct vkr_log_store *store, uint32_t *words, unsigned room);

void vkr_log_store_init(struct vkr_log_store *store);
void vkr_log_store_finish(struct vkr_log_store *store);

// The log of an execution, made on first use; NULL for lack of memory.
struct vkr_log *vkr_log_store_get(struct vkr_log_store *store, uint32_t execution);

// The log of an execution, NULL where nothing of it has arrived.
struct vkr_log *vkr_log_store_find(const struct vkr_log_store *store, uint32_t execution);

// The execution is judged: releases its log. Where it has not ended, for what logs nothing is
// judged before, its end will be of no use. False for lack of memory.
bool vkr_log_store_judged(struct vkr_log_store *store, uint32_t execution);

// An execution has ended: whether it is judged. Its submission may be unknown so far: events that
// submit are put off while the judge waits, events that end executions are not.
bool vkr_log_store_ended(struct vkr_log_store *store, uint32_t execution);

// Copies `part->count` words after the parts there are. False for lack of memory.
bool vkr_log_append(struct vkr_log_store *store, struct vkr_log *log, const uint32_t *words,
		    const struct vkr_log_part *part);

// A mark after the parts there are. False for lack of memory.
bool vkr_log_mark(struct vkr_log *log, uint32_t commands);

// A HEAP_CHANGED of the execution. False for lack of memory.
bool vkr_log_change(struct vkr_log *log, const struct vkr_trace_heap_changed *changed);

// Whether something of the log can be judged: it has a mark that was not passed, or has ended.
static inline bool vkr_log_is_ready(const struct vkr_log *log)
{
	return log->ended || log->marks_passed < log->marks.count;
}

// The mark up to which parts from log->judged on are to be judged next, if the log is ready or will
// never be; after the last mark, all parts. *last: nothing follows.
struct vkr_log_mark vkr_log_next(const struct vkr_log *log, bool *last);

// The part up to the next mark is to be judged together with what follows it.
void vkr_log_pass(struct vkr_log *log);

// Releases the parts up to `end`: they were judged.
void vkr_log_judged(struct vkr_log_store *store, struct vkr_log *log, size_t end);

// The execution will never end: releases its log.
void vkr_log_store_drop(struct vkr_log_store *store, uint32_t execution);

// Chunks of one workgroup, back to back in the log and of equal size: what a subgroup took at once,
// or several did. Or a workgroup's columns of a column log. They are ordered by their key: command
// above workgroup; those of one workgroup stay in the log's order, so that an invocation's are in
// program order.
struct vkr_chunk {
	uint64_t key;
	// The first one's header, in the store's copy: who judges may number it anew; of a column
	// log the first invocation's pair of the first column.
	uint32_t *words;
	uint32_t count;   // chunks; of a column log its invocations
	uint32_t columns; // of a column log; 0: these are chunks
	size_t pitch;     // words: of each chunk; of a column log from column to column
	union {
		uint32_t groups[2]; // of the dispatch's whole grid, x and y, of a column log
		uint32_t shader;    // of chunks: word 2 of the first one
	};
};

// The chunks of one execution.
struct vkr_chunks {
	struct vkr_chunk *items;
	size_t count, capacity; // of items
	struct vkr_chunk *spare;
	size_t spare_capacity;
	uint64_t total;        // chunks and workgroups of column logs, of all items
	uint64_t damaged_word; // in the log: the first word of the first chunk that makes no sense
	uint64_t damaged;      // parts cut short by such a chunk
};

static inline uint32_t vkr_chunk_command(const struct vkr_chunk *chunk)
{
	return (uint32_t)(chunk->key >> 32); // from 1
}

// How many of vkr_chunks.total it is.
static inline uint32_t vkr_chunk_total(const struct vkr_chunk *chunk)
{
	return chunk->columns > 0 ? 1 : chunk->count;
}

// Words of the log that it is.
static inline uint64_t vkr_chunk_words(const struct vkr_chunk *chunk)
{
	return chunk->columns > 0 ? (uint64_t)2 * chunk->columns * chunk->count
				  : (uint64_t)chunk->count * chunk->pitch;
}

static inline uint64_t vkr_chunks_bytes(const struct vkr_chunk *chunks, size_t count)
{
	uint64_t words = 0;
	for (size_t at = 0; at < count; at++)
		words += vkr_chunk_words(&chunks[at]);
	return words * sizeof *chunks->words;
}

static inline uint32_t vkr_chunk_workgroup(const struct vkr_chunk *chunk)
{
	return (uint32_t)chunk->key;
}

// Whether two hold the same words, of the invocations of two workgroups.
bool vkr_chunks_agree(const struct vkr_chunk *a, const struct vkr_chunk *b, uint32_t header_words);

// The WorkgroupId of a column log's workgroup; `base` is the dispatch's first one. Chunks do not
// say.
static inline void vkr_chunk_id(const struct vkr_chunk *chunk, const uint32_t *base, uint32_t *id)
{
	const uint32_t *groups = chunk->groups;
	const uint32_t linear = vkr_chunk_workgroup(chunk);
	id[0] = linear;
	id[1] = id[2] = 0;
	if (chunk->columns == 0)
		return;
	const uint32_t first = base[0] + groups[0] * (base[1] + groups[1] * base[2]);
	id[0] = base[0] + (linear - first) % groups[0];
	id[1] = base[1] + (linear - first) / groups[0] % groups[1];
	id[2] = base[2] + (linear - first) / groups[0] / groups[1];
}

// Gathers the chunks of the log's parts [log->judged, end) in order; `chunks` is reused from call
// to call and zeroed before the first. A part whose chunks do not chain up (damage) is taken up to
// the damage. Chunks of command numbers above `command_count` are damage. False for lack of memory.
bool vkr_chunks_gather(struct vkr_chunks *chunks, const struct vkr_log *log, size_t end,
		       uint32_t command_count);
void vkr_chunks_finish(struct vkr_chunks *chunks);
