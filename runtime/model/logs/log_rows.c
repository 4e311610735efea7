// SPDX-License-Identifier: Apache-2.0
// Rows of invocations through the chunks of a log. Knows chunks and segments' lengths; not what the
// words of a record mean.
#include "log_rows.h"

#include "array.h"
#include "log_pattern.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW_WORDS 64u

// Iterations of run-length records that are decoded in one workgroup: this many for each
// invocation, which CPU drivers let it take, but not less than this in all. A word can claim
// billions at no cost.
#define ITERATIONS_OF_ONE (UINT64_C(1) << 16)
#define ITERATIONS_LEAST  (UINT64_C(1) << 22)

void vkr_rows_finish(struct vkr_rows *rows)
{
	free(rows->active);
	free(rows->next);
	free(rows->waiting);
	free(rows->cut);
	free(rows->head);
	free(rows->chunks.items);
	*rows = (struct vkr_rows){0};
}

bool vkr_rows_begin(struct vkr_rows *rows, const struct vkr_program *program, uint32_t size)
{
	if (size > rows->capacity) {
		vkr_rows_finish(rows);
		rows->active = calloc(size, sizeof *rows->active);
		rows->next = calloc(size, sizeof *rows->next);
		rows->waiting = calloc(size, sizeof *rows->waiting);
		rows->cut = calloc(size, sizeof *rows->cut);
		rows->head = calloc(size, sizeof *rows->head);
		if (rows->active == NULL || rows->next == NULL || rows->waiting == NULL ||
		    rows->cut == NULL || rows->head == NULL)
			return false;
		rows->capacity = size;
	}
	rows->program = program;
	rows->most = size;
	rows->damaged = 0;
	rows->unended = 0;
	return true;
}

void vkr_rows_note_damage(struct vkr_rows *rows, uint32_t local, uint32_t count)
{
	if (rows->damaged == 0)
		rows->damaged_local = local;
	rows->damaged += count;
}

// ---- Which words go on evenly -------------------------------------------------------------------

// Four words at once.
typedef uint32_t four __attribute__((vector_size(16)));

static inline four four_at(const uint32_t *words)
{
	four loaded;
	memcpy(&loaded, words, sizeof loaded);
	return loaded;
}

// A bit for each of four words that is even over a row of three or more.
static unsigned even_four(const uint32_t *words, size_t size, uint32_t count)
{
	four last = four_at(words + size);
	const four step = last - four_at(words);
	four uneven = {0};
	unsigned even = 0;
	for (uint32_t i = 2; i < count; i++) {
		const four now = four_at(words + i * size);
		uneven |= (now - last) ^ step;
		last = now;
	}
	for (unsigned i = 0; i < 4; i++)
		even |= (unsigned)(uneven[i] == 0) << i;
	return even;
}

static bool even_one(const uint32_t *words, size_t size, uint32_t count)
{
	const uint32_t step = words[size] - words[0];
	uint32_t uneven = 0;
	for (uint32_t i = 2; i < count; i++)
		uneven |= (words[i * size] - words[(i - 1) * size]) ^ step;
	return uneven == 0;
}

static void log_rows_look(struct vkr_row *row, uint32_t word)
{
	const uint32_t first = word & ~(WINDOW_WORDS - 1);
	const uint32_t left = row->size - first;
	const uint32_t count = left < WINDOW_WORDS ? left : WINDOW_WORDS;
	const uint32_t *words = row->header + first;
	uint64_t even = 0;
	uint32_t at = 0;
	for (; at + 4 <= count; at += 4)
		even |= (uint64_t)even_four(words + at, row->size, row->count) << at;
	for (; at < count; at++)
		even |= (uint64_t)even_one(words + at, row->size, row->count) << at;
	row->even = even;
	row->window = first;
	row->seen = true;
}

// A column's words of neighbouring invocations stand side by side, each with its pair's other half
// between: two pairs at once.
static bool even_column(const uint32_t *words, uint32_t count)
{
	const uint32_t first = words[0], step = words[2] - first;
	const four steps = {2 * step, 0, 2 * step, 0};
	four expected = {first + 2 * step, 0, first + 3 * step, 0}, uneven = {0};
	uint32_t i = 2, rest = words[4] - words[2] - step;
	if (rest != 0) // most offsets that are uneven are uneven everywhere
		return false;
	for (; i + 2 < count; i += 2) { // the last pair's other half need not be there
		uneven |= four_at(words + 2 * (size_t)i) - expected;
		expected += steps;
	}
	for (; i < count; i++)
		rest |= words[2 * (size_t)i] - (first + i * step);
	return (uneven[0] | uneven[2] | rest) == 0;
}

bool vkr_text_are_even(const uint32_t *words, size_t size, uint32_t count)
{
	return count < 3 || (size == 2 ? even_column(words, count) : even_one(words, size, count));
}

bool vkr_row_is_even(struct vkr_row *row, const uint32_t *words)
{
	if (row->count < 3)
		return true;
	if (row->size == 2)
		return even_column(words, row->count);
	const uint32_t word = (uint32_t)(words - row->header);
	if (!row->seen || word - row->window >= WINDOW_WORDS)
		log_rows_look(row, word);
	return row->even >> (word - row->window) & 1;
}

void vkr_row_copy(const struct vkr_row *row, uint32_t index, uint32_t words, uint32_t *to)
{
	const size_t before = (size_t)index * row->size;
	for (uint32_t word = 0; word < words; word++)
		to[word] = vkr_row_word(row, word)[before];
}

// ---- From record to record ----------------------------------------------------------------------

// The number of invocations from the first on that have the same word.
static uint32_t log_rows_agreeing(struct vkr_row *row, const uint32_t *words)
{
	uint32_t count = 1;
	if (row->count > 1 && words[row->size] == words[0] && vkr_row_is_even(row, words))
		return row->count;
	while (count < row->count && words[(size_t)count * row->size] == words[0])
		count++;
	return count;
}

// Leaves the first `count` invocations in the row.
static void cut_row(struct vkr_rows *rows, struct vkr_row *row, uint32_t count)
{
	struct vkr_row *rest = &rows->cut[rows->cut_count++];
	const size_t words = (size_t)count * row->size;
	*rest = *row;
	rest->local += count;
	rest->count -= count;
	rest->header += words;
	rest->at += words;
	rest->seen = false;
	row->count = count;
	row->seen = false;
}

// Goes to the invocations' next chunks; false where there are none.
static bool next_chunks(struct vkr_rows *rows, struct vkr_row *row)
{
	if (row->chunks == 0)
		return false;
	const struct vkr_row_chunks *chunks = &rows->chunks.items[row->chunks - 1];
	row->header = chunks->words + (size_t)(row->local - chunks->local) * chunks->size;
	row->size = chunks->size;
	row->pitch = chunks->pitch;
	row->at = row->header;
	row->left = chunks->columns;
	if (chunks->columns == 0) {
		row->at += rows->program->header_words;
		row->left = (chunks->size - rows->program->header_words) / 2;
		if ((chunks->size - rows->program->header_words) % 2 != 0)
			vkr_rows_note_damage(rows, row->local, row->count); // no record ends there
	}
	row->chunks = chunks->next;
	row->seen = false;
	return true;
}

// Leaves those invocations in the row that agree with the first one on a word of the record at
// which the row is: 0 is its first.
static void log_rows_agree(struct vkr_rows *rows, struct vkr_row *row, uint32_t word)
{
	const uint32_t *pair = row->at + (word >> 1) * row->pitch;
	if (rows->pattern != NULL)
		vkr_pattern_decides(rows->pattern,
				    (uint32_t)((size_t)(pair - row->header) / row->pitch),
				    word & 1);
	const uint32_t same = log_rows_agreeing(row, pair + (word & 1));
	if (same < row->count)
		cut_row(rows, row, same);
}

bool vkr_row_begin_steps(struct vkr_row *row, const struct vkr_segment_start *start,
			 uint32_t iterations)
{
	row->iteration = row->again = 0;
	if (start->kind == VKR_SEGMENT_RUN_LENGTH) {
		if (iterations == 0)
			return false;
		row->again = iterations - 1;
	}
	row->step = start->step;
	if (start->iteration > 0)
		row->iteration = row->iterations[start->iteration - 1]++;
	return true;
}

bool vkr_row_next_step(struct vkr_row *row, const struct vkr_segment_start *start)
{
	if (!row->step->last) {
		row->step++;
		return true;
	}
	if (row->again > 0) {
		row->again--;
		row->iteration++;
		row->step = start->step;
		return true;
	}
	return false;
}

uint32_t vkr_iterations_take(uint64_t *left, uint32_t iterations)
{
	if (iterations > *left)
		iterations = (uint32_t)*left;
	*left -= iterations;
	return iterations;
}

// Begins the record that is next; false where nothing is done in it.
static bool begin_record(struct vkr_rows *rows, struct vkr_row *row,
			 const struct vkr_segment_start *start)
{
	const uint32_t pairs = start->words / 2 + 1;
	uint32_t iterations = 0;
	for (uint32_t word = 0; word < start->deciding; word++)
		log_rows_agree(rows, row, 1 + word);
	row->record = row->at;
	row->at += pairs * row->pitch;
	row->left -= pairs;
	if (start->kind == VKR_SEGMENT_RUN_LENGTH) {
		iterations = vkr_iterations_take(&rows->iterations_left, row->record[1]);
		if (iterations < row->record[1])
			rows->unended += row->count;
	}
	return vkr_row_begin_steps(row, start, iterations);
}

// The next record, in the row's chunks or their next ones.
static void next_record(struct vkr_rows *rows, struct vkr_row *row)
{
	const struct vkr_program *program = rows->program;
	row->step = NULL;
	do {
		for (;;) {
			if (row->left == 0) {
				if (!next_chunks(rows, row))
					return;
				continue;
			}
			log_rows_agree(rows, row, 0);
			if (*row->at != 0)
				break;
			row->left = 0;
		}
		const uint32_t segment = *row->at - 1;
		if (segment >= program->segment_count ||
		    program->starts[segment].words / 2 >= row->left) {
			vkr_rows_note_damage(rows, row->local, row->count);
			return;
		}
	} while (!begin_record(rows, row, &program->starts[*row->at - 1]));
}

void vkr_row_advance(struct vkr_rows *rows, struct vkr_row *row)
{
	if (!vkr_row_next_step(row, &rows->program->starts[*row->record - 1]))
		next_record(rows, row);
}

bool vkr_rows_take_cut(struct vkr_rows *rows, struct vkr_row *row)
{
	if (rows->cut_count == 0)
		return false;
	*row = rows->cut[--rows->cut_count];
	next_record(rows, row);
	return true;
}

// ---- A workgroup's chunks -----------------------------------------------------------------------

// Takes chunks of a list, from *end backwards, as many as form one row. False if they belong to no
// invocation.
static bool take_chunks(struct vkr_rows *rows, const struct vkr_chunk *stretch, uint32_t *end)
{
	const size_t size = stretch->words[3];
	const uint32_t *words = stretch->words + (size_t)(*end - 1) * size;
	uint32_t local = words[2], count = 1;
	--*end;
	if (local >= rows->local_size || size < rows->program->header_words)
		return false;
	const uint32_t next = rows->head[local];
	while (*end > 0 && words[2] == (words - size)[2] + 1 && rows->head[local - 1] == next) {
		words -= size;
		local--;
		count++;
		--*end;
	}
	rows->chunks.items[rows->chunks.count++] = (struct vkr_row_chunks){.words = words,
									   .local = local,
									   .count = count,
									   .size = (uint32_t)size,
									   .pitch = 2,
									   .next = next};
	for (uint32_t i = 0; i < count; i++)
		rows->head[local + i] = (uint32_t)rows->chunks.count;
	return true;
}

// A workgroup's columns of a column log. Invocations that have written nothing drop out as what
// they wrote is read.
static bool take_column_log(struct vkr_rows *rows, const struct vkr_chunk *column_log)
{
	if (column_log->count != rows->local_size)
		return false;
	for (uint32_t local = 0; local < column_log->count;) {
		const uint32_t next = rows->head[local], first = local;
		for (; local < column_log->count && rows->head[local] == next; local++)
			rows->head[local] = (uint32_t)rows->chunks.count + 1;
		rows->chunks.items[rows->chunks.count++] =
			(struct vkr_row_chunks){.words = column_log->words + 2 * (size_t)first,
						.local = first,
						.count = local - first,
						.size = 2,
						.columns = column_log->columns,
						.pitch = column_log->pitch,
						.next = next};
	}
	return true;
}

static void note_beyond(struct vkr_rows *rows, const struct vkr_chunk *chunks, size_t count)
{
	for (size_t at = 0; at < count; at++) {
		if (chunks[at].columns > 0) {
			if (chunks[at].count != rows->local_size)
				vkr_rows_note_damage(rows, 0, chunks[at].count);
			continue;
		}
		const size_t size = chunks[at].words[3];
		for (uint32_t i = 0; i < chunks[at].count; i++) {
			const uint32_t local = chunks[at].words[i * size + 2];
			if (local >= rows->local_size)
				vkr_rows_note_damage(rows, local, 1);
		}
	}
}

// Groups of invocations without a grid are smaller than the largest, most of them.
static uint32_t size_of(const struct vkr_rows *rows, const struct vkr_chunk *chunks, size_t count)
{
	uint32_t end = 0;
	if (rows->program->shader->sites->identity == 0)
		return rows->most;
	for (size_t at = 0; at < count; at++)
		for (uint32_t i = 0; i < chunks[at].count && chunks[at].columns == 0; i++) {
			const uint32_t local =
				chunks[at].words[(size_t)i * chunks[at].words[3] + 2];
			if (local >= end)
				end = local < rows->most ? local + 1 : rows->most;
		}
	return end;
}

// From the end, so that each invocation's next chunk is known.
static bool take_all_chunks(struct vkr_rows *rows, const struct vkr_chunk *chunks, size_t count)
{
	uint64_t most = 0;
	rows->chunks.count = 0;
	memset(rows->head, 0, rows->local_size * sizeof *rows->head);
	for (size_t at = 0; at < count; at++)
		most += chunks[at].count;
	if (most > UINT32_MAX || !VKR_ARRAY_RESERVE(&rows->chunks, (size_t)most))
		return false;
	bool good = true;
	for (size_t at = count; at-- > 0;) {
		if (chunks[at].columns > 0) {
			good = take_column_log(rows, &chunks[at]) && good;
			continue;
		}
		for (uint32_t end = chunks[at].count; end > 0;)
			good = take_chunks(rows, &chunks[at], &end) && good;
	}
	if (!good)
		note_beyond(rows, chunks, count);
	return true;
}

uint64_t vkr_iterations_of(uint32_t local_size)
{
	const uint64_t iterations = local_size * ITERATIONS_OF_ONE;
	return iterations < ITERATIONS_LEAST ? ITERATIONS_LEAST : iterations;
}

bool vkr_rows_take(struct vkr_rows *rows, const struct vkr_chunk *chunks, size_t count)
{
	rows->local_size = size_of(rows, chunks, count);
	rows->cut_count = 0;
	rows->iterations_left = vkr_iterations_of(rows->local_size);
	return take_all_chunks(rows, chunks, count);
}

bool vkr_rows_workgroup(struct vkr_rows *rows, const struct vkr_chunk *chunks, size_t count,
			uint32_t *active)
{
	*active = 0;
	if (!vkr_rows_take(rows, chunks, count))
		return false;
	const uint32_t size = rows->local_size;
	for (uint32_t local = 0; local < size;) {
		const uint32_t head = rows->head[local];
		struct vkr_row row = {.local = local, .count = 1, .chunks = head};
		while (local + row.count < size && rows->head[local + row.count] == head)
			row.count++;
		local += row.count;
		if (head == 0)
			continue;
		next_record(rows, &row);
		do {
			if (row.step != NULL)
				rows->active[(*active)++] = row;
		} while (vkr_rows_take_cut(rows, &row));
	}
	return true;
}
