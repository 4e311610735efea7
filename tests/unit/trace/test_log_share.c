// SPDX-License-Identifier: Apache-2.0
// Log memory that two sides share: the words arrive, come back as zeros, and stand in the trace.
// Knows both sides by their headers, and reads the ring through a source.
#include "log_share.h"
#include "reader.h"
#include "source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#define SHARE_BYTES 65536u
#define SHARE_WORDS (SHARE_BYTES / sizeof(uint32_t))

struct world {
	struct vkr_ring producer, consumer;
	int sockets[2];
	struct vkr_log_share share;
	struct vkr_log_shares shares;
	int file;
	struct vkr_chunk_writer *copy;
	struct vkr_source *source;
};

// All tests are of memory that was moved after it was made.
static void move(struct vkr_log_share *share)
{
	void *place = mmap(NULL, vkr_log_share_mapped(share), PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(place != MAP_FAILED);
	assert_true(vkr_log_share_move(share, place));
	assert_ptr_equal(share->memory, place);
	assert_ptr_equal(share->end, (unsigned char *)place + SHARE_BYTES);
}

static int start(void **state)
{
	static struct world world;
	struct vkr_error error;
	*state = &world;
	assert_int_equal(vkr_ring_create(&world.producer, 65536, NULL, NULL, &error), VKR_OK);
	assert_int_equal(vkr_ring_attach(&world.consumer, world.producer.memory, &error), VKR_OK);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, world.sockets), 0);
	assert_true(vkr_log_share_create(&world.share, 1, SHARE_BYTES, world.sockets[0]));
	move(&world.share);
	vkr_log_shares_init(&world.shares, &world.consumer, world.sockets[1]);
	world.file = memfd_create("trace", MFD_CLOEXEC);
	assert_int_equal(vkr_chunk_writer_create(&world.copy, world.file, "trace", false, &error),
			 VKR_OK);
	assert_int_equal(vkr_source_open_ring(&world.source, &world.consumer, world.copy,
					      &world.shares, &error),
			 VKR_OK);
	return 0;
}

static int finish(void **state)
{
	struct world *world = *state;
	vkr_source_close(world->source);
	vkr_chunk_writer_destroy(world->copy);
	vkr_log_shares_finish(&world->shares);
	vkr_log_share_finish(&world->share);
	vkr_ring_finish(&world->consumer);
	vkr_ring_finish(&world->producer);
	close(world->file);
	if (world->sockets[0] >= 0)
		close(world->sockets[0]);
	close(world->sockets[1]);
	return 0;
}

static void put(struct world *world, const struct vkr_ring_log *event, uint32_t count)
{
	atomic_fetch_add(&world->share.lent, count);
	vkr_ring_lend(&world->producer, count);
	vkr_ring_begin(&world->producer, &event->event);
	vkr_ring_put(&world->producer, &event->share, sizeof *event - sizeof event->event);
	vkr_ring_commit(&world->producer);
}

static void lend(struct world *world, uint32_t share, uint32_t first, uint32_t count)
{
	const struct vkr_ring_log event = {
		.event = {.bytes = sizeof event, .type = VKR_RING_LOG},
		.share = share,
		.type = count ? VKR_TRACE_GPU_LOG : 0,
		.first_byte = first * sizeof(uint32_t),
		.log = {.execution = 7, .word_count = count, .first_word = first},
	};
	put(world, &event, count);
}

#define COLUMNS 3u
#define COLUMN  20u // words of each: 5 workgroups of 2

static const struct vkr_trace_gpu_column_log column_log_shape = {
	.execution = 7,
	.word_count = COLUMNS * COLUMN,
	.command = 1,
	.group_count = 5,
	.local_size = 2,
	.columns = COLUMNS,
	.groups = {5, 1, 1},
};

static void lend_column_log(struct world *world, uint32_t first, uint64_t pitch,
			    const struct vkr_trace_gpu_column_log *column_log)
{
	const struct vkr_ring_log event = {
		.event = {.bytes = sizeof event, .type = VKR_RING_LOG},
		.share = 1,
		.type = VKR_TRACE_GPU_COLUMN_LOG,
		.first_byte = first * sizeof(uint32_t),
		.pitch = pitch,
		.column_log = *column_log,
	};
	put(world, &event, column_log->word_count);
}

static void fill(struct world *world, uint32_t first, uint32_t count)
{
	uint32_t *words = (void *)world->share.memory;
	for (uint32_t i = first; i < first + count; i++)
		words[i] = i * 31 + 1;
}

static const struct vkr_trace_event *next_event(struct world *world)
{
	const struct vkr_trace_event *event;
	struct vkr_error error;
	assert_int_equal(vkr_source_next(world->source, &event, &error), VKR_OK);
	return event;
}

static void check_words(const uint32_t *words, uint32_t first, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(words[i], (first + i) * 31 + 1);
}

static void check_log(const struct vkr_trace_event *event, uint32_t first, uint32_t count)
{
	const struct vkr_trace_gpu_log *log = (const void *)(event + 1);
	assert_non_null(event);
	assert_int_equal(event->type, VKR_TRACE_GPU_LOG);
	assert_int_equal(event->bytes, 32 + (count + 1) / 2 * 8);
	assert_int_equal(log->execution, 7);
	assert_int_equal(log->word_count, count);
	assert_int_equal(log->first_word, first);
}

static void check_column_log(const struct vkr_trace_event *event)
{
	assert_non_null(event);
	assert_int_equal(event->type, VKR_TRACE_GPU_COLUMN_LOG);
	assert_int_equal(event->bytes, sizeof *event + sizeof column_log_shape +
					       COLUMNS * COLUMN * sizeof(uint32_t));
	assert_memory_equal(event + 1, &column_log_shape, sizeof column_log_shape);
}

// The trace, to be closed by close_trace.
struct trace {
	struct vkr_reader *reader;
	void *data;
	size_t bytes;
};

static struct trace open_trace(struct world *world)
{
	struct trace trace = {.bytes = (size_t)lseek(world->file, 0, SEEK_END)};
	struct vkr_error error;
	trace.data = mmap(NULL, trace.bytes, PROT_READ, MAP_SHARED, world->file, 0);
	assert_ptr_not_equal(trace.data, MAP_FAILED);
	assert_int_equal(
		vkr_reader_open_memory(&trace.reader, "trace", trace.data, trace.bytes, &error),
		VKR_OK);
	return trace;
}

static void close_trace(struct trace *trace)
{
	vkr_reader_close(trace->reader);
	munmap(trace->data, trace->bytes);
}

static void check_trace(struct world *world)
{
	struct vkr_error error;
	const struct vkr_trace_event *event;
	struct trace trace = open_trace(world);
	static const uint32_t parts[][2] = {{16, 101}, {117, 1000}};
	for (int i = 0; i < 2; i++) {
		assert_int_equal(vkr_reader_next(trace.reader, &event, &error), VKR_OK);
		check_log(event, parts[i][0], parts[i][1]);
		check_words((const void *)((const char *)event + 32), parts[i][0], parts[i][1]);
	}
	close_trace(&trace);
}

// One part that is taken and given back late, and one that nobody takes.
static void test_lent_words(void **state)
{
	struct world *world = *state;
	struct vkr_lent_words lent, other;
	fill(world, 16, 1101);
	assert_true(vkr_log_share_is_back(&world->share));
	lend(world, 1, 16, 101);
	lend(world, 1, 117, 1000);
	vkr_ring_end(&world->producer, false);
	check_log(next_event(world), 16, 101);
	assert_true(vkr_source_take_lent(world->source, &lent));
	assert_false(vkr_source_take_lent(world->source, &other));
	check_log(next_event(world), 117, 1000);
	assert_null(next_event(world));
	assert_false(vkr_log_share_is_back(&world->share));
	assert_int_equal(lent.count, 101);
	check_words(lent.words, 16, 101);
	vkr_lent_words_give_back(&lent);
	assert_true(vkr_log_share_is_back(&world->share));
	for (uint32_t i = 16; i < 1117; i++)
		assert_int_equal(((uint32_t *)(void *)world->share.memory)[i], 0);
	check_trace(world);
}

// A sheet's columns stand apart: what is between them is not lent, and none of the event's words.
static void test_lent_column_log(void **state)
{
	struct world *world = *state;
	const uint32_t first = 32, pitch = 50;
	const uint32_t *memory = (const void *)world->share.memory;
	const struct vkr_trace_event *event;
	struct vkr_lent_words lent;
	struct vkr_error error;
	fill(world, 0, SHARE_WORDS);
	lend_column_log(world, first, pitch, &column_log_shape);
	vkr_ring_end(&world->producer, false);
	check_column_log(next_event(world));
	assert_true(vkr_source_take_lent(world->source, &lent));
	assert_int_equal(lent.count, COLUMNS * COLUMN);
	assert_int_equal(lent.columns, COLUMNS);
	assert_int_equal(lent.pitch, pitch);
	for (uint32_t column = 0; column < COLUMNS; column++)
		check_words(lent.words + column * pitch, first + column * pitch, COLUMN);
	assert_null(next_event(world));
	assert_false(vkr_log_share_is_back(&world->share));
	vkr_lent_words_give_back(&lent);
	assert_true(vkr_log_share_is_back(&world->share));
	for (uint32_t i = 0; i < SHARE_WORDS; i++) {
		const bool was_lent =
			i >= first && (i - first) / pitch < COLUMNS && (i - first) % pitch < COLUMN;
		assert_int_equal(memory[i], was_lent ? 0 : i * 31 + 1);
	}

	struct trace trace = open_trace(world);
	assert_int_equal(vkr_reader_next(trace.reader, &event, &error), VKR_OK);
	check_column_log(event);
	for (uint32_t column = 0; column < COLUMNS; column++)
		check_words((const uint32_t *)(const void *)((const char *)(event + 1) +
							     sizeof column_log_shape) +
				    column * COLUMN,
			    first + column * pitch, COLUMN);
	close_trace(&trace);
}

// Sheets that do not lie in the share, or whose counts contradict one another.
static void test_damaged_column_logs(void **state)
{
	struct world *world = *state;
	struct vkr_trace_gpu_column_log bad[] = {column_log_shape, column_log_shape,
						 column_log_shape};
	static const uint64_t places[][2] = {
		{SHARE_WORDS - 3 * COLUMN + 1, COLUMN},
		{SHARE_WORDS - 200, 91},
		{0, UINT64_MAX / 2 + 1},
		{0, COLUMN - 1},
		{SHARE_WORDS + 1, COLUMN},
	};
	uint32_t *words = (void *)world->share.memory;
	struct vkr_lent_words lent;
	for (size_t at = 0; at < sizeof places / sizeof *places; at++) {
		lend_column_log(world, (uint32_t)places[at][0], places[at][1], &column_log_shape);
		assert_int_equal(next_event(world)->type, VKR_TRACE_COVERAGE);
		assert_false(vkr_source_take_lent(world->source, &lent));
	}
	assert_int_equal(atomic_load(&world->consumer.shared->returned),
			 atomic_load(&world->producer.lent));
	bad[0].columns = 0;
	bad[1].word_count--;
	bad[2].reserved = 1;
	for (size_t at = 0; at < sizeof bad / sizeof *bad; at++) {
		lend_column_log(world, 0, COLUMN, &bad[at]);
		assert_int_equal(next_event(world)->type, VKR_TRACE_COVERAGE);
		assert_false(vkr_source_take_lent(world->source, &lent));
	}
	words[SHARE_WORDS - 1] = 1;
	lend_column_log(world, SHARE_WORDS - 200, 90, &column_log_shape);
	vkr_ring_end(&world->producer, false);
	check_column_log(next_event(world));
	assert_null(next_event(world));
	assert_int_equal(words[SHARE_WORDS - 1], 0);
}

// The waiting ends once all events are dealt with, and once enough is back.
static void test_waiting(void **state)
{
	struct world *world = *state;
	struct vkr_lent_words lent;
	vkr_ring_wait_returned(&world->producer, 0);
	lend(world, 1, 16, 100);
	vkr_ring_wait_returned(&world->producer, 100);
	next_event(world);
	assert_true(vkr_source_take_lent(world->source, &lent));
	vkr_lent_words_give_back(&lent);
	vkr_ring_wait_returned(&world->producer, 0);
	lend(world, 1, 16, 100);
	vkr_ring_end(&world->producer, false);
	next_event(world);
	assert_true(vkr_source_take_lent(world->source, &lent));
	assert_null(next_event(world));
	vkr_ring_wait_returned(&world->producer, 0);
	vkr_lent_words_give_back(&lent);
}

// What the judge cannot find is told, and nothing waits for it.
static void test_no_such_words(void **state)
{
	static const uint32_t bad[][3] = {{1, SHARE_WORDS - 10, 11}, {2, 0, 10}, {0, 0, 10}};
	struct world *world = *state;
	for (int i = 0; i < 3; i++) {
		lend(world, bad[i][0], bad[i][1], bad[i][2]);
		assert_int_equal(next_event(world)->type, VKR_TRACE_COVERAGE);
	}
	vkr_ring_end(&world->producer, false);
	assert_null(next_event(world));
	assert_int_equal(atomic_load(&world->consumer.shared->returned),
			 atomic_load(&world->producer.lent));
}

// The program ended, with a message of the judge's unread: its logs are judged all the same.
static void test_program_gone(void **state)
{
	struct world *world = *state;
	fill(world, 16, 100);
	lend(world, 1, 16, 100);
	vkr_ring_end(&world->producer, false);
	assert_int_equal(send(world->sockets[1], "race", 4, 0), 4);
	close(world->sockets[0]);
	world->sockets[0] = -1;
	check_log(next_event(world), 16, 100);
	assert_null(next_event(world));
}

// The program is done with a share, part of which is still lent.
static void test_ended_share(void **state)
{
	struct world *world = *state;
	struct vkr_lent_words lent;
	fill(world, 16, 100);
	lend(world, 1, 16, 100);
	lend(world, 1, 0, 0);
	lend(world, 1, 16, 100);
	vkr_ring_end(&world->producer, false);
	next_event(world);
	assert_true(vkr_source_take_lent(world->source, &lent));
	assert_int_equal(next_event(world)->type, VKR_TRACE_COVERAGE);
	check_words(lent.words, 16, 100);
	vkr_lent_words_give_back(&lent);
	assert_null(next_event(world));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_lent_words, start, finish),
		cmocka_unit_test_setup_teardown(test_lent_column_log, start, finish),
		cmocka_unit_test_setup_teardown(test_damaged_column_logs, start, finish),
		cmocka_unit_test_setup_teardown(test_waiting, start, finish),
		cmocka_unit_test_setup_teardown(test_no_such_words, start, finish),
		cmocka_unit_test_setup_teardown(test_program_gone, start, finish),
		cmocka_unit_test_setup_teardown(test_ended_share, start, finish),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
