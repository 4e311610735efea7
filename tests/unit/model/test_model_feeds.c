// SPDX-License-Identifier: Apache-2.0
// What copies with regions in memory and decompressions read and write, of which no driver of the
// tests has the latter. Knows the layout of parameters; not how they are captured.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define WORDS 24u
#define BASE  UINT64_C(0x10000) // address of the buffer's first byte

// Newer than the headers that the tests are built with.
#define DECOMPRESSION       (UINT64_C(1) << 45)
#define DECOMPRESSION_WRITE (UINT64_C(1) << 56)

struct feed {
	struct fixture fixture;
	struct trace_builder *tb;
};

static void begin(struct feed *feed)
{
	fixture_init(&feed->fixture, 4 * WORDS);
	feed->tb = &feed->fixture.tb;
	const struct vkr_trace_buffer_address address = {.buffer = feed->fixture.buffer,
							 .address = BASE};
	tb_event(feed->tb, VKR_TRACE_BUFFER_ADDRESS, &address, sizeof address, NULL, 0);
	tb_record(feed->tb);
}

// Ends the program: the words that were touched, and how many things were not observed.
static void expect(struct feed *feed, const char *touched, uint32_t coverage)
{
	char words[WORDS + 1], wanted[WORDS + 1];
	struct vkr_session *session = fixture_words(feed->tb, feed->fixture.buffer, WORDS, words);
	memset(wanted, '.', WORDS);
	wanted[WORDS] = '\0';
	memcpy(wanted, touched, strlen(touched));
	assert_string_equal(words, wanted);
	assert_int_equal(vkr_session_report(session)->coverage_count, coverage);
	vkr_session_destroy(session);
	tb_finish(feed->tb);
}

// ---- Regions that the program gives -------------------------------------------------------------

// Two words become four; and what is nowhere, nothing.
static const struct vkr_trace_moved regions[] = {
	{BASE + 4, BASE + 16, 8, 16},
	{BASE + 60, BASE + 80, 4, 8},
	{BASE, BASE, 0, 0},
};

static void decompress(struct feed *feed, uint32_t form)
{
	struct vkr_trace_cmd_move command = {.form = form, .region_count = 3};
	tb_command(feed->tb, VKR_TRACE_CMD_MOVE, &command.command, sizeof command, regions,
		   sizeof regions);
}

static void test_decompressed(void **state)
{
	(void)state;
	struct feed feed;
	begin(&feed);
	decompress(&feed, VKR_MOVE_DECOMPRESS);
	expect(&feed, ".xx.xxxx.......x....xx..", 0);
}

static void test_stage(void **state)
{
	(void)state;
	struct feed feed;
	begin(&feed);
	decompress(&feed, VKR_MOVE_DECOMPRESS);
	tb_memory_barrier(feed.tb, DECOMPRESSION, DECOMPRESSION_WRITE, COPY,
			  VK_ACCESS_TRANSFER_WRITE_BIT);
	expect(&feed, "", 0);
	begin(&feed);
	decompress(&feed, VKR_MOVE_DECOMPRESS);
	tb_memory_barrier(feed.tb, COPY, DECOMPRESSION_WRITE, COPY, VK_ACCESS_TRANSFER_WRITE_BIT);
	expect(&feed, ".xx.xxxx.......x....xx..", 0);
}

static void move_one(struct feed *feed, uint32_t form, struct vkr_trace_moved region)
{
	struct vkr_trace_cmd_move command = {.form = form, .region_count = 1};
	begin(feed);
	tb_command(feed->tb, VKR_TRACE_CMD_MOVE, &command.command, sizeof command, &region,
		   sizeof region);
}

// Fills and updates write alone.
static void test_by_address(void **state)
{
	(void)state;
	struct feed feed;
	move_one(&feed, VKR_MOVE_COPY, (struct vkr_trace_moved){BASE + 4, BASE + 16, 8, 8});
	expect(&feed, ".xx.xx", 0);
	move_one(&feed, VKR_MOVE_FILL, (struct vkr_trace_moved){0, BASE + 8, 0, 12});
	expect(&feed, "..xxx", 0);
	move_one(&feed, VKR_MOVE_UPDATE, (struct vkr_trace_moved){0, BASE + 8, 0, 12});
	tb_memory_barrier(feed.tb, VK_PIPELINE_STAGE_2_CLEAR_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
			  COPY, VK_ACCESS_TRANSFER_WRITE_BIT);
	expect(&feed, "", 0);
}

// No stage is said to be that of the older form: its reads and its writes may be ordered by any.
static void test_older_form(void **state)
{
	(void)state;
	struct feed feed;
	begin(&feed);
	decompress(&feed, VKR_MOVE_DECOMPRESS_NV);
	expect(&feed, "", 2);
}

// ---- Regions in memory --------------------------------------------------------------------------

// Parameters behind word 16, captured where `bytes` says so.
static void feed_memory(struct feed *feed, uint32_t kind, const void *parameters, uint32_t bytes,
			uint64_t count_address)
{
	struct vkr_trace_cmd_copy_memory command = {.kind = kind,
						    .address = BASE + 64,
						    .stride = 32,
						    .count = 1,
						    .count_address = count_address};
	const uint32_t one = 1;
	tb_command(feed->tb, VKR_TRACE_CMD_COPY_MEMORY, &command.command, sizeof command, NULL, 0);
	struct vkr_trace_snapshot captured = {.execution = feed->tb->executions + 1,
					      .command = command.command,
					      .address = BASE + 64,
					      .word_count = bytes / 4,
					      .flags = VKR_SNAPSHOT_LAST};
	if (bytes > 0)
		tb_event(feed->tb, VKR_TRACE_SNAPSHOT, &captured, sizeof captured, parameters,
			 bytes);
	captured.address = count_address;
	captured.word_count = 1;
	if (count_address != 0)
		tb_event(feed->tb, VKR_TRACE_SNAPSHOT, &captured, sizeof captured, &one,
			 sizeof one);
}

static const uint64_t copied[3] = {BASE + 4, BASE + 16, 8};

static void test_copied(void **state)
{
	(void)state;
	struct feed feed;
	begin(&feed);
	feed_memory(&feed, VKR_COPY_MEMORY, copied, sizeof copied, 0);
	expect(&feed, ".xx.xx..........xxxxxx..", 0);
}

// The older form names no stage for its parameters.
static void test_copied_older(void **state)
{
	(void)state;
	struct feed feed;
	begin(&feed);
	feed_memory(&feed, VKR_COPY_MEMORY_NV, copied, sizeof copied, 0);
	expect(&feed, ".xx.xx..................", 1);
}

static void test_not_captured(void **state)
{
	(void)state;
	struct feed feed;
	begin(&feed);
	feed_memory(&feed, VKR_COPY_MEMORY, NULL, 0, 0);
	expect(&feed, "................xxxxxx..", 1);
}

static void test_decompressed_indirect(void **state)
{
	(void)state;
	struct feed feed;
	begin(&feed);
	feed_memory(&feed, VKR_DECOMPRESS_INDIRECT, regions, sizeof *regions, BASE + 44);
	expect(&feed, ".xx.xxxx...x....xxxxxxxx", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decompressed), cmocka_unit_test(test_stage),
		cmocka_unit_test(test_by_address),   cmocka_unit_test(test_older_form),
		cmocka_unit_test(test_copied),       cmocka_unit_test(test_copied_older),
		cmocka_unit_test(test_not_captured), cmocka_unit_test(test_decompressed_indirect),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
