// SPDX-License-Identifier: Apache-2.0
// Draining column logs: random logs of which few invocations wrote much are recorded whole, each
// workgroup once, and without what others have not written; and nothing stays behind in them.
// Knows column logs by their layout (vkrace/gpu_log.h); not who reads what is recorded.
#include "column_logs.h"
#include "log_copy.h"
#include "record.h"

#include "vkrace/gpu_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LOGS   400u
#define GROUPS 90u
#define WIDEST 25u
// The most pairs that are looked at together, but for a workgroup that is larger.
#define BAND 512u

// ---- What the layer would do --------------------------------------------------------------------

// Allocations that succeed before one fails; UINT32_MAX: none does.
static uint32_t allocations = UINT32_MAX;

void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);

void *__wrap_calloc(size_t count, size_t bytes)
{
	return allocations != UINT32_MAX && allocations-- == 0 ? NULL : __real_calloc(count, bytes);
}

static struct {
	uint32_t *words; // as they were recorded, in the log's own layout
	uint8_t *seen;   // by workgroup: how often
	uint64_t count;  // of words
	uint64_t pitch;
	uint32_t local_size, groups;
} recorded;

static void take_columns(const struct vkr_trace_gpu_column_log *log, const uint32_t *words,
			 uint64_t pitch, uint32_t column)
{
	const uint64_t of_column = UINT64_C(2) * log->group_count * log->local_size;
	const uint64_t to =
		2 * (column * recorded.pitch + (uint64_t)log->first_group * log->local_size);
	assert_true(pitch >= of_column);
	memcpy(recorded.words + to, words, of_column * sizeof *words);
	recorded.count += of_column;
}

static void take_groups(const struct vkr_trace_gpu_column_log *log)
{
	assert_int_equal(log->word_count,
			 2 * log->columns * log->group_count * recorded.local_size);
	assert_int_equal(log->local_size, recorded.local_size);
	const uint32_t end = log->first_group + log->group_count;
	assert_true(end >= 1 && end <= recorded.groups);
	for (uint32_t group = 0; group < log->group_count; group++)
		recorded.seen[log->first_group + group]++;
}

void vkr_record_layer(enum vkr_trace_type type, const void *payload, size_t payload_bytes,
		      const struct vkr_bytes *pieces, size_t piece_count)
{
	const struct vkr_trace_gpu_column_log *log = payload;
	(void)payload_bytes;
	if (type != VKR_TRACE_GPU_COLUMN_LOG)
		return;
	take_groups(log);
	assert_int_equal(piece_count, log->columns);
	for (uint32_t column = 0; column < log->columns; column++) {
		assert_int_equal(pieces[column].bytes,
				 8 * (size_t)log->group_count * log->local_size);
		take_columns(log, pieces[column].data, recorded.pitch * 2, column);
	}
}

void vkr_log_region_need(struct vkr_log_region *region, uint64_t from, uint64_t to)
{
	assert_true(from <= to && to <= region->bytes / sizeof *region->words);
}

void vkr_log_region_wipe(struct vkr_log_region *region, uint64_t from, uint64_t to)
{
	assert_true(from <= to && to <= region->bytes / sizeof *region->words);
	memset(region->words + from, 0, (to - from) * sizeof *region->words);
}

void vkr_log_mirror_ask(struct vkr_log_mirror *mirror, uint64_t from, uint64_t to, uint64_t most)
{
	(void)mirror;
	(void)from;
	(void)to;
	(void)most;
	fail();
}

void vkr_log_mirror_wipe(struct vkr_log_mirror *mirror, uint64_t from, uint64_t to)
{
	(void)mirror;
	(void)from;
	(void)to;
	fail();
}

// ---- Random logs --------------------------------------------------------------------------------

// splitmix64: the same numbers each time.
static uint64_t next_random(uint64_t *state)
{
	uint64_t mixed = *state += 0x9e3779b97f4a7c15;
	mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
	mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
	return mixed ^ mixed >> 31;
}

static uint32_t below(uint64_t *random, uint32_t end)
{
	return (uint32_t)(next_random(random) % end);
}

// Pairs that an invocation logs: few log much, and some that stand side by side nothing.
static uint32_t pick_length(uint64_t *random, uint32_t columns, bool is_silent)
{
	const uint32_t kind = below(random, 400);
	if (is_silent)
		return 0;
	if (kind == 0)
		return below(random, columns) + 1;
	return kind < 100 ? 0 : below(random, 3 < columns ? 3 : columns) + 1;
}

// Records one after the other, most words of which may be zero.
static uint32_t write_records(uint64_t *random, const struct vkr_column_log *log, uint32_t *words,
			      uint32_t pairs)
{
	const size_t pitch = 2 * (size_t)log->pitch;
	uint32_t at = 0;
	while (at < pairs) {
		const uint32_t length = below(random, log->record) + 1;
		if (length > pairs - at)
			break;
		for (uint32_t word = 0; word < 2 * length; word++)
			words[(at + word / 2) * pitch + word % 2] =
				word == 0 ? 7 : below(random, 4) / 3;
		at += length;
	}
	return at;
}

// The first word says how many follow, which are not zero, or would with enough room; 0: the
// invocation was cut off. Returns how many had no room.
static uint64_t write_stream(uint64_t *random, const struct vkr_column_log *log, uint32_t *words,
			     uint32_t pairs)
{
	const size_t pitch = 2 * (size_t)log->pitch;
	for (uint32_t word = 1; word < 2 * pairs; word++)
		words[(word / 2) * pitch + word % 2] = 1 + below(random, 9);
	words[0] = below(random, 20) == 0 ? 0 : pairs > 0 ? 2 * pairs : 1;
	if (pairs < log->columns || below(random, 2) || words[0] == 0)
		return 0;
	words[0] += 3;
	return 3;
}

struct log {
	struct vkr_column_log column_log;
	_Atomic uint32_t learned;
	uint32_t groups;
	uint64_t word_count;        // of the region
	uint32_t *words, *expected; // the latter without the region's and the log's header
	uint64_t lost;              // invocations' pairs in the tail, words that had no room
};

static void make_log(uint64_t *random, struct log *log)
{
	static const uint32_t sizes[] = {1, 8, 32, 64, 192, 1024};
	const uint32_t local_size = sizes[below(random, 6)];
	log->groups = below(random, GROUPS) + 1;
	struct vkr_column_log *of = &log->column_log;
	*of = (struct vkr_column_log){.pitch = log->groups * local_size,
				      .columns = below(random, WIDEST) + 1,
				      .local_size = local_size,
				      .record = below(random, 4) + 1,
				      .streams = below(random, 3) == 0,
				      .whole = below(random, 2),
				      .learned = &log->learned};
	of->groups[0] = log->groups;
	of->groups[1] = of->groups[2] = 1;
	of->record = of->record < of->columns ? of->record : of->columns;
	of->tail = !of->streams && of->columns > of->record ? below(random, 2) * of->record : 0;
	const uint64_t body = UINT64_C(2) * of->columns * of->pitch;
	const uint64_t before = VKR_LOG_HEADER_WORDS + UINT64_C(2) * VKR_COLUMN_LOG_HEADER_PAIRS;
	of->pairs = VKR_COLUMN_LOG_HEADER_PAIRS + body / 2;
	log->word_count = before + body;
	log->words = calloc(log->word_count, sizeof *log->words);
	log->expected = calloc(body, sizeof *log->words);
	assert_true(log->words && log->expected);
	log->lost = log->learned = 0;
	const uint32_t silent = below(random, 3) * (of->pitch / 2); // from there on
	for (uint32_t pair = 0; pair < of->pitch; pair++) {
		uint32_t *words = log->words + before + 2 * (size_t)pair;
		const uint32_t length = pick_length(random, of->columns, pair >= silent);
		if (of->streams && pair < silent)
			log->lost += write_stream(random, of, words, length);
		else if (!of->streams)
			write_records(random, of, words, length);
		for (uint32_t at = of->columns - of->tail; at < of->columns; at++)
			log->lost += words[(size_t)2 * at * of->pitch] != 0;
	}
	memcpy(log->expected, log->words + before, body * sizeof *log->words);
}

// What has to be recorded at most: as far as each band's records may go.
static uint64_t most_words(const struct log *log)
{
	const struct vkr_column_log *of = &log->column_log;
	const uint64_t groups = (BAND + of->local_size - 1) / of->local_size;
	const uint64_t band = groups * of->local_size;
	uint64_t words = 0;
	for (uint64_t first = 0; first < of->pitch; first += band) {
		const uint64_t end = first + band < of->pitch ? first + band : of->pitch;
		uint64_t columns = 0;
		for (uint64_t at = 0; at < of->columns; at++)
			for (uint64_t pair = first; pair < end; pair++) {
				const uint32_t *both = log->expected + 2 * (at * of->pitch + pair);
				columns = both[0] | both[1] ? at + 1 : columns;
			}
		words += 2 * (end - first) * (columns + 2 * of->record);
	}
	return words;
}

static void check_log(struct log *log)
{
	const struct vkr_column_log *of = &log->column_log;
	const uint64_t body = UINT64_C(2) * of->columns * of->pitch;
	struct vkr_log_region region = {.words = log->words,
					.bytes = log->word_count * sizeof *log->words};
	struct vkr_track track = {.column_logs = {.items = &log->column_log, .count = 1}};
	bool any = false;
	recorded.words = calloc(body, sizeof *recorded.words);
	recorded.seen = calloc(log->groups, 1);
	recorded.count = 0;
	recorded.pitch = of->pitch;
	recorded.local_size = of->local_size;
	recorded.groups = log->groups;
	assert_true(recorded.words && recorded.seen);
	assert_int_equal(vkr_column_logs_drain(1, &track, 0, &region), log->lost);
	assert_memory_equal(recorded.words, log->expected, body * sizeof *log->words);
	for (uint64_t at = 0; at < body; at++)
		any |= log->expected[at] != 0;
	for (uint32_t group = 0; group < log->groups; group++)
		assert_int_equal(recorded.seen[group], any || of->whole);
	for (uint64_t at = 0; at < log->word_count; at++)
		assert_int_equal(log->words[at], 0);
	assert_true(recorded.count <= most_words(log));
	free(recorded.words);
	free(recorded.seen);
}

static void test_random(void **state)
{
	uint64_t random = 1;
	(void)state;
	for (uint32_t i = 0; i < LOGS; i++) {
		struct log log;
		make_log(&random, &log);
		check_log(&log);
		free(log.words);
		free(log.expected);
	}
}

// An invocation that was cut off stands beside one that tells how far it went, of which a column in
// between is zero.
static void test_told(void **state)
{
	uint32_t words[VKR_LOG_HEADER_WORDS + 2 * VKR_COLUMN_LOG_HEADER_PAIRS + 2 * 2 * 5] = {0};
	uint32_t expected[2 * 2 * 5] = {0, 3, 10, 3, 0, 0, 0, 0, 0, 0,
					0, 0, 0,  0, 4, 5, 0, 0, 6, 7};
	struct log log = {.column_log = {.pitch = 2,
					 .columns = 5,
					 .local_size = 2,
					 .record = 1,
					 .streams = true,
					 .groups = {1, 1, 1}},
			  .groups = 1,
			  .word_count = sizeof words / sizeof *words,
			  .words = words,
			  .expected = expected};
	(void)state;
	log.column_log.learned = &log.learned;
	memcpy(words + log.word_count - 20, expected, sizeof expected);
	check_log(&log);
}

// Where there is no memory all counts as lost, and nothing stays behind.
static void test_memory(void **state)
{
	(void)state;
	for (uint32_t fails = 0; fails < 2; fails++) {
		uint64_t random = 9;
		struct log log;
		make_log(&random, &log);
		assert_true(log.expected[0] != 0);
		struct vkr_log_region region = {.words = log.words,
						.bytes = log.word_count * sizeof *log.words};
		struct vkr_track track = {.column_logs = {.items = &log.column_log, .count = 1}};
		recorded.count = 0;
		allocations = fails;
		assert_true(vkr_column_logs_drain(1, &track, 0, &region) >=
			    UINT64_C(2) * log.column_log.columns * log.column_log.pitch);
		assert_int_equal(allocations, UINT32_MAX);
		assert_int_equal(recorded.count, 0);
		for (uint64_t at = 0; at < log.word_count; at++)
			assert_int_equal(log.words[at], 0);
		free(log.words);
		free(log.expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_told),
		cmocka_unit_test(test_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
