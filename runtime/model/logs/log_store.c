// SPDX-License-Identifier: Apache-2.0
// GPU logs as they arrive, and their chunks put in order. Knows the chunks' headers, not the
// records.
#include "log_store.h"

#include "array.h"
#include "search.h"

#include "vkrace/gpu_log.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void vkr_log_store_init(struct vkr_log_store *store)
{
	*store = (struct vkr_log_store){0};
}

// Parts of 2^12 to 2^20 words come from blocks of 8 MiB in huge pages: the faults of small pages
// cost as much as judging what is in them.
#define CUT_ROOM_LEAST  12u
#define BLOCK_ROOM      21u
#define BLOCK_ALIGNMENT ((size_t)2 << 20)

static bool is_cut(unsigned room)
{
	return room >= CUT_ROOM_LEAST && room < BLOCK_ROOM;
}

// A block's pieces become spare, but for one that is returned.
static uint32_t *cut_block(struct vkr_log_store *store, unsigned room)
{
	const size_t bytes = ((size_t)1 << BLOCK_ROOM) * sizeof(uint32_t);
	const size_t pieces = (size_t)1 << (BLOCK_ROOM - room);
	struct vkr_spare_words *spare = &store->spare[room];
	if (!VKR_ARRAY_RESERVE(spare, pieces) || !VKR_ARRAY_RESERVE(&store->blocks, 1))
		return NULL;
	uint32_t *block = aligned_alloc(BLOCK_ALIGNMENT, bytes);
	if (block == NULL)
		return NULL;
	madvise(block, bytes, MADV_HUGEPAGE);
	store->blocks.items[store->blocks.count++] = block;
	for (size_t piece = pieces; piece-- > 1;)
		spare->items[spare->count++] = block + (piece << room);
	return block;
}

uint32_t *vkr_log_words_take(struct vkr_log_store *store, size_t count, unsigned *room)
{
	*room = 0;
	while ((size_t)1 << *room < count)
		++*room;
	struct vkr_spare_words *spare = &store->spare[*room];
	if (spare->count > 0)
		return spare->items[--spare->count];
	if (is_cut(*room))
		return cut_block(store, *room);
	return malloc(((size_t)1 << *room) * sizeof(uint32_t));
}

void vkr_log_words_give(struct vkr_log_store *store, uint32_t *words, unsigned room)
{
	struct vkr_spare_words *spare = &store->spare[room];
	if (VKR_ARRAY_RESERVE(spare, 1))
		spare->items[spare->count++] = words;
	else if (!is_cut(room))
		free(words);
}

static void give_part(struct vkr_log_store *store, const struct vkr_log_part *part)
{
	vkr_log_words_give(store, part->words, part->room);
}

static void free_log(struct vkr_log_store *store, struct vkr_log *log)
{
	for (size_t at = log->judged; at < log->count; at++)
		give_part(store, &log->items[at]);
	free(log->marks.items);
	free(log->heaps.items);
	free(log->items);
	free(log);
}

void vkr_log_store_finish(struct vkr_log_store *store)
{
	for (size_t at = 0; at < store->logs.capacity; at++)
		if (store->logs.slots[at].used)
			free_log(store, (struct vkr_log *)(uintptr_t)store->logs.slots[at].value);
	vkr_map_finish(&store->logs);
	vkr_map_finish(&store->to_end);
	for (unsigned room = 0; room < 64; room++) {
		for (size_t at = 0; at < store->spare[room].count && !is_cut(room); at++)
			free(store->spare[room].items[at]);
		free(store->spare[room].items);
	}
	for (size_t at = 0; at < store->blocks.count; at++)
		free(store->blocks.items[at]);
	free(store->blocks.items);
}

struct vkr_log *vkr_log_store_find(const struct vkr_log_store *store, uint32_t execution)
{
	uint64_t value = 0;
	return vkr_map_get(&store->logs, execution, &value) ? (struct vkr_log *)(uintptr_t)value
							    : NULL;
}

struct vkr_log *vkr_log_store_get(struct vkr_log_store *store, uint32_t execution)
{
	struct vkr_log *log = vkr_log_store_find(store, execution);
	if (log != NULL)
		return log;
	log = calloc(1, sizeof *log);
	if (log != NULL && !vkr_map_set(&store->logs, execution, (uintptr_t)log)) {
		free(log);
		return NULL;
	}
	return log;
}

bool vkr_log_store_judged(struct vkr_log_store *store, uint32_t execution)
{
	const struct vkr_log *log = vkr_log_store_find(store, execution);
	const bool ended = log != NULL && log->ended;
	vkr_log_store_drop(store, execution);
	return ended || vkr_map_set(&store->to_end, execution, 1);
}

bool vkr_log_store_ended(struct vkr_log_store *store, uint32_t execution)
{
	uint64_t unused = 0;
	const bool judged = vkr_map_get(&store->to_end, execution, &unused);
	vkr_map_remove(&store->to_end, execution);
	return judged;
}

bool vkr_log_append(struct vkr_log_store *store, struct vkr_log *log, const uint32_t *words,
		    const struct vkr_log_part *part)
{
	const size_t count = part->count;
	if (count == 0)
		return true;
	if (!VKR_ARRAY_RESERVE(log, 1))
		return false;
	unsigned room = 0;
	uint32_t *copy = vkr_log_words_take(store, count, &room);
	if (copy == NULL)
		return false;
	memcpy(copy, words, count * sizeof *copy);
	log->items[log->count] = *part;
	log->items[log->count].words = copy;
	log->items[log->count++].room = room;
	log->words += count;
	return true;
}

bool vkr_log_mark(struct vkr_log *log, uint32_t commands)
{
	if (!VKR_ARRAY_RESERVE(&log->marks, 1))
		return false;
	log->marks.items[log->marks.count++] = (struct vkr_log_mark){log->count, commands};
	return true;
}

struct vkr_log_mark vkr_log_next(const struct vkr_log *log, bool *last)
{
	*last = log->marks_passed == log->marks.count;
	return *last ? (struct vkr_log_mark){.parts = log->count}
		     : log->marks.items[log->marks_passed];
}

void vkr_log_pass(struct vkr_log *log)
{
	if (log->marks_passed < log->marks.count)
		log->marks_passed++;
}

void vkr_log_judged(struct vkr_log_store *store, struct vkr_log *log, size_t end)
{
	for (; log->judged < end; log->judged++)
		give_part(store, &log->items[log->judged]);
	vkr_log_pass(log);
}

bool vkr_log_change(struct vkr_log *log, const struct vkr_trace_heap_changed *changed)
{
	const size_t bytes =
		sizeof *changed + changed->descriptor_count * sizeof(struct vkr_trace_descriptor);
	const size_t words = bytes / sizeof *log->heaps.items;
	if (!VKR_ARRAY_RESERVE(&log->heaps, words))
		return false;
	memcpy(log->heaps.items + log->heaps.count, changed, bytes);
	log->heaps.count += words;
	return true;
}

void vkr_log_store_drop(struct vkr_log_store *store, uint32_t execution)
{
	struct vkr_log *log = vkr_log_store_find(store, execution);
	if (log == NULL)
		return;
	vkr_map_remove(&store->logs, execution);
	free_log(store, log);
}

static bool columns_agree(const struct vkr_chunk *a, const struct vkr_chunk *b)
{
	const size_t bytes = 2 * (size_t)a->count * sizeof *a->words;
	for (size_t column = 0; column < a->columns; column++)
		if (memcmp(a->words + column * a->pitch, b->words + column * b->pitch, bytes) != 0)
			return false;
	return true;
}

bool vkr_chunks_agree(const struct vkr_chunk *a, const struct vkr_chunk *b, uint32_t header_words)
{
	if (a->count != b->count || a->columns != b->columns)
		return false;
	if (a->columns > 0)
		return columns_agree(a, b);
	const size_t size = a->words[3];
	if (size != b->words[3] || size < header_words)
		return false;
	for (uint32_t at = 0; at < a->count; at++) {
		const uint32_t *of_a = a->words + at * size, *of_b = b->words + at * size;
		// Word 2: of which invocation it is.
		if (of_a[2] != of_b[2] || memcmp(of_a + header_words, of_b + header_words,
						 (size - header_words) * sizeof *of_a) != 0)
			return false;
	}
	return true;
}

void vkr_chunks_finish(struct vkr_chunks *chunks)
{
	free(chunks->items);
	free(chunks->spare);
	*chunks = (struct vkr_chunks){0};
}

#define RUNS_MOST 64u

// Of chunks one after the other: the highest command and workgroup, and the stretches in which the
// keys already ascend.
struct survey {
	uint64_t last_key;
	uint32_t command_bits, workgroup_bits; // all bits that are set in any
	size_t runs[RUNS_MOST + 1];            // where they begin, as far as there is room
	size_t run_count;
};

static void survey_chunk(struct survey *survey, const struct vkr_chunk *chunk, size_t at)
{
	if (chunk->key < survey->last_key || survey->run_count == 0) {
		if (survey->run_count < RUNS_MOST)
			survey->runs[survey->run_count] = at;
		survey->run_count++;
	}
	survey->last_key = chunk->key;
	survey->command_bits |= vkr_chunk_command(chunk);
	survey->workgroup_bits |= vkr_chunk_workgroup(chunk);
}

static bool add_chunk(struct vkr_chunks *chunks, const struct vkr_chunk *chunk,
		      struct survey *survey)
{
	if (chunks->count == chunks->capacity &&
	    !vkr_array_reserve((void **)&chunks->items, &chunks->capacity, chunks->count + 1,
			       sizeof *chunks->items))
		return false;
	survey_chunk(survey, chunk, chunks->count);
	chunks->items[chunks->count++] = *chunk;
	return true;
}

static bool scan_column_log(struct vkr_chunks *chunks, const struct vkr_log_part *part,
			    uint32_t command_count, struct survey *survey)
{
	const struct vkr_log_column_log *column_log = &part->column_log;
	const size_t of_group = 2 * (size_t)column_log->local_size;
	if (column_log->command >= command_count) {
		chunks->damaged++;
		return true;
	}
	for (uint32_t group = 0; group < column_log->group_count; group++) {
		const struct vkr_chunk chunk = {
			.key = ((uint64_t)column_log->command + 1) << 32 |
			       (uint32_t)(column_log->first_group + group),
			.words = part->words + group * of_group,
			.count = column_log->local_size,
			.columns = column_log->columns,
			.pitch = column_log->pitch,
			.groups = {column_log->groups[0], column_log->groups[1]}};
		if (!add_chunk(chunks, &chunk, survey))
			return false;
		chunks->total++;
	}
	return true;
}

static bool scan_part(struct vkr_chunks *chunks, const struct vkr_log_part *part,
		      uint32_t command_count, struct survey *survey)
{
	uint32_t last_words = 0; // of the chunk before, in this part
	size_t at = 0;
	while (at < part->count) {
		uint32_t *words = part->words + at;
		const size_t left = part->count - at;
		if (words[0] == 0)
			return true; // room that was never taken: the log's end
		if (left < VKR_CHUNK_HEADER_WORDS || words[3] < VKR_CHUNK_HEADER_WORDS ||
		    words[3] > left || words[0] > command_count) {
			if (chunks->damaged++ == 0)
				chunks->damaged_word = part->first_word + at;
			return true;
		}
		const uint64_t key = (uint64_t)words[0] << 32 | words[1];
		vkr_chunk_prefetch(words, words[3], left);
		if (words[3] == last_words && key == survey->last_key)
			chunks->items[chunks->count - 1].count++;
		else if (!add_chunk(chunks,
				    &(struct vkr_chunk){.key = key,
							.words = words,
							.count = 1,
							.pitch = words[3],
							.shader = words[2]},
				    survey))
			return false;
		last_words = words[3];
		chunks->total++;
		at += words[3];
	}
	return true;
}

#define DIGIT_BITS 11u

// A stable pass over the digit that begins at bit `shift` of the key.
static void sort_digit(const struct vkr_chunk *from, size_t count, unsigned shift,
		       struct vkr_chunk *to)
{
	size_t starts[1u << DIGIT_BITS] = {0};
	const uint64_t mask = (1u << DIGIT_BITS) - 1;
	for (size_t at = 0; at < count; at++)
		starts[from[at].key >> shift & mask]++;
	size_t start = 0;
	for (size_t digit = 0; digit <= mask; digit++) {
		const size_t digits = starts[digit];
		starts[digit] = start;
		start += digits;
	}
	for (size_t at = 0; at < count; at++)
		to[starts[from[at].key >> shift & mask]++] = from[at];
}

// Sorts [first, end) by the word of the key that begins at bit `shift`.
static void sort_word(struct vkr_chunks *chunks, size_t first, size_t end, unsigned shift,
		      uint32_t bits)
{
	struct vkr_chunk *from = chunks->items + first, *to = chunks->spare + first;
	for (unsigned digit = 0; digit < 32 && bits >> digit != 0; digit += DIGIT_BITS) {
		struct vkr_chunk *const sorted = to;
		sort_digit(from, end - first, shift + digit, to);
		to = from;
		from = sorted;
	}
	if (from != chunks->items + first)
		memcpy(to, from, (end - first) * sizeof *to);
}

// The first of items [low, high) with a key above (`equal`: not below) the given one.
static size_t log_store_bound(const struct vkr_chunk *items, size_t low, size_t high, uint64_t key,
			      bool equal)
{
	VKR_SEARCH(low, high, at, equal ? items[at].key < key : items[at].key <= key);
	return low;
}

// Merges the ascending stretches [low, middle) and [middle, high): what is in its place stays.
static void merge_runs(struct vkr_chunks *chunks, size_t low, size_t middle, size_t high)
{
	struct vkr_chunk *items = chunks->items, *spare = chunks->spare;
	low = log_store_bound(items, low, middle, items[middle].key, false);
	if (low == middle)
		return;
	high = log_store_bound(items, middle, high, items[middle - 1].key, true);
	const size_t first = middle - low;
	memcpy(spare, items + low, first * sizeof *spare);
	size_t at = 0, next = middle;
	for (size_t to = low; at < first; to++)
		items[to] = next < high && items[next].key < spare[at].key ? items[next++]
									   : spare[at++];
}

// Merges neighbouring stretches, of which the last one ends at `end`, until there is one.
static void merge_all(struct vkr_chunks *chunks, struct survey *survey, size_t end)
{
	survey->runs[survey->run_count] = end;
	while (survey->run_count > 1) {
		size_t kept = 0;
		for (size_t at = 0; at < survey->run_count; at += 2) {
			if (at + 1 < survey->run_count)
				merge_runs(chunks, survey->runs[at], survey->runs[at + 1],
					   survey->runs[at + 2]);
			survey->runs[kept++] = survey->runs[at];
		}
		survey->runs[kept] = end;
		survey->run_count = kept;
	}
}

// Sorts the chunks of one command, from `first` on, and returns where they end. Those of a draw are
// named after their places in the log: few of them are out of order, if any are.
static size_t sort_command(struct vkr_chunks *chunks, size_t first)
{
	struct survey survey = {0};
	const uint32_t command = vkr_chunk_command(&chunks->items[first]);
	size_t end = first;
	for (; end < chunks->count && vkr_chunk_command(&chunks->items[end]) == command; end++)
		survey_chunk(&survey, &chunks->items[end], end);
	if (survey.run_count > RUNS_MOST)
		sort_word(chunks, first, end, 0, survey.workgroup_bits);
	else
		merge_all(chunks, &survey, end);
	return end;
}

bool vkr_chunks_gather(struct vkr_chunks *chunks, const struct vkr_log *log, size_t end,
		       uint32_t command_count)
{
	struct survey survey = {0};
	chunks->count = 0;
	chunks->total = 0;
	chunks->damaged = 0;
	chunks->damaged_word = 0;
	for (size_t at = log->judged; at < end; at++)
		if (!(log->items[at].column_log.columns > 0 ? scan_column_log : scan_part)(
			    chunks, &log->items[at], command_count, &survey))
			return false;
	if (survey.run_count <= 1)
		return true;
	if (!vkr_array_reserve((void **)&chunks->spare, &chunks->spare_capacity, chunks->count,
			       sizeof *chunks->spare))
		return false;
	if (survey.run_count <= RUNS_MOST) {
		merge_all(chunks, &survey, chunks->count);
		return true;
	}
	sort_word(chunks, 0, chunks->count, 32, survey.command_bits);
	for (size_t at = 0; at < chunks->count;)
		at = sort_command(chunks, at);
	return true;
}
