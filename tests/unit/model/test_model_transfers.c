// SPDX-License-Identifier: Apache-2.0
// Which words copies of queries write, copies within one memory, and barriers of nothing. Knows
// commands and the bytes that they touch; not how races are found.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define WORDS 24u

struct copied {
	uint32_t type;   // VkQueryType
	uint32_t values; // that a pool of statistics or of feedback counts: a mask
	uint32_t first, count, flags;
	uint64_t offset, stride;
	const char *words; // "x" for a word of the buffer that is written
	bool known;
};

static const struct copied copies[] = {
	{VK_QUERY_TYPE_TIMESTAMP, 0, 0, 3, 0, 4, 4, ".xxx", true},
	{VK_QUERY_TYPE_TIMESTAMP, 0, 2, 2, 0, 4, 12, ".x..x", true},
	{VK_QUERY_TYPE_TIMESTAMP, 0, 0, 1, 0, 8, 0, "..x", true},
	{VK_QUERY_TYPE_TIMESTAMP, 0, 0, 3, 0, 8, 0, "..x", true},
	{VK_QUERY_TYPE_TIMESTAMP, 0, 0, 0, 0, 8, 4, "", true},
	{VK_QUERY_TYPE_TIMESTAMP, 0, 0, 2, VK_QUERY_RESULT_64_BIT, 0, 16, "xx..xx", true},
	{VK_QUERY_TYPE_TIMESTAMP, 0, 0, 2, VK_QUERY_RESULT_64_BIT, 0, 8, "xxxx", true},
	{VK_QUERY_TYPE_OCCLUSION, 0, 0, 2, VK_QUERY_RESULT_WITH_AVAILABILITY_BIT, 0, 12, "xx.xx",
	 true},
	{VK_QUERY_TYPE_OCCLUSION, 0, 0, 1,
	 VK_QUERY_RESULT_WITH_AVAILABILITY_BIT | VK_QUERY_RESULT_64_BIT, 0, 16, "xxxx", true},
	{VK_QUERY_TYPE_PIPELINE_STATISTICS, 0x15, 0, 2, 0, 0, 16, "xxx.xxx", true},
	{VK_QUERY_TYPE_PIPELINE_STATISTICS, 0, 0, 1, 0, 0, 16, "", false},
	{VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT, 0, 0, 1, 0, 0, 16, "xx", true},
	{1000999999, 0, 0, 1, 0, 0, 16, "", false},
	// Behind the buffer's end nothing is written.
	{VK_QUERY_TYPE_TIMESTAMP, 0, 0, 4, 0, 4 * (WORDS - 3), 8, ".....................x.x", true},
};

static void test_query_results(void **state)
{
	(void)state;
	for (size_t at = 0; at < sizeof copies / sizeof *copies; at++) {
		const struct copied *is = &copies[at];
		struct fixture fixture;
		struct trace_builder *tb = &fixture.tb;
		char words[WORDS + 1], wanted[WORDS + 1];
		fixture_init(&fixture, 4 * WORDS);
		const struct vkr_trace_query_pool pool = {.pool = 1,
							  .device = 1,
							  .memory = tb_memory(tb, 4, 0),
							  .type = is->type,
							  .count = 4,
							  .statistics = is->values};
		struct vkr_trace_cmd_copy_queries copy = {.pool = 1,
							  .first = is->first,
							  .count = is->count,
							  .buffer = fixture.buffer,
							  .flags = is->flags,
							  .offset = is->offset,
							  .stride = is->stride};
		tb_event(tb, VKR_TRACE_QUERY_POOL, &pool, sizeof pool, NULL, 0);
		tb_record(tb);
		tb_command(tb, VKR_TRACE_CMD_COPY_QUERIES, &copy.command, sizeof copy, NULL, 0);
		struct vkr_session *session = fixture_words(tb, fixture.buffer, WORDS, words);
		memset(wanted, '.', WORDS);
		wanted[WORDS] = '\0';
		memcpy(wanted, is->words, strlen(is->words));
		assert_string_equal(words, wanted);
		assert_int_equal(vkr_session_report(session)->coverage_count, !is->known);
		vkr_session_destroy(session);
		tb_finish(tb);
	}
}

// With WAIT a copy reads the queries, which a reset behind it must wait for as for any read.
static void test_query_copy_waits(void **state)
{
	(void)state;
	for (uint32_t at = 0; at < 4; at++) {
		const bool waits = at & 1, same = at & 2;
		struct fixture fixture;
		struct trace_builder *tb = &fixture.tb;
		fixture_init(&fixture, 64);
		const struct vkr_trace_query_pool pool = {.pool = 1,
							  .device = 1,
							  .memory = tb_memory(tb, 4, 0),
							  .type = VK_QUERY_TYPE_TIMESTAMP,
							  .count = 4};
		struct vkr_trace_cmd_copy_queries copy = {.pool = 1,
							  .first = 1,
							  .count = 2,
							  .buffer = fixture.buffer,
							  .flags = waits ? VK_QUERY_RESULT_WAIT_BIT
									 : 0,
							  .stride = 4};
		struct vkr_trace_cmd_query reset = {
			.operation = VKR_QUERY_RESET, .pool = 1, .first = same ? 2 : 3, .count = 1};
		tb_event(tb, VKR_TRACE_QUERY_POOL, &pool, sizeof pool, NULL, 0);
		tb_queue(tb, 0);
		tb_record(tb);
		tb_command(tb, VKR_TRACE_CMD_COPY_QUERIES, &copy.command, sizeof copy, NULL, 0);
		tb_submit(tb, 1, tb_record_end(tb));
		tb_record(tb);
		tb_command(tb, VKR_TRACE_CMD_QUERY, &reset.command, sizeof reset, NULL, 0);
		tb_submit(tb, 2, tb_record_end(tb));
		fixture_expect(&fixture, waits && same);
	}
}

// One command is one: what it reads and what it writes of one memory is no race.
static void test_copy_within(void **state)
{
	(void)state;
	for (uint32_t to_image = 0; to_image < 2; to_image++) {
		struct fixture fixture;
		struct trace_builder *tb = &fixture.tb;
		fixture_init(&fixture, 64);
		const uint32_t memory = tb_memory(tb, 256, 0);
		const uint32_t buffer = tb_bound_buffer(tb, memory, 0, 256);
		const struct vkr_trace_image image = {.image = 1,
						      .device = 1,
						      .bytes = 256,
						      .type = VK_IMAGE_TYPE_2D,
						      .format = VK_FORMAT_R8G8B8A8_UNORM,
						      .extent = {4, 4, 1},
						      .mips = 1,
						      .layers = 1,
						      .samples = 1};
		const struct vkr_trace_image_bind bind = {.image = 1, .memory = memory};
		struct vkr_trace_cmd_image_buffer copy = {.to_image = to_image,
							  .buffer = buffer,
							  .image = 1,
							  .layout = VK_IMAGE_LAYOUT_GENERAL,
							  .region_count = 1};
		const struct vkr_trace_image_rows rows = {
			.box = {.aspects = VK_IMAGE_ASPECT_COLOR_BIT,
				.layer_count = 1,
				.extent = {4, 4, 1}}};
		tb_event(tb, VKR_TRACE_IMAGE, &image, sizeof image, NULL, 0);
		tb_event(tb, VKR_TRACE_IMAGE_BIND, &bind, sizeof bind, NULL, 0);
		tb_record(tb);
		tb_command(tb, VKR_TRACE_CMD_IMAGE_BUFFER, &copy.command, sizeof copy, &rows,
			   sizeof rows);
		tb_submit(tb, 1, tb_record_end(tb));
		fixture_expect(&fixture, 0);
	}
}

// Texels of a linear image lie where the driver says: in each of its slices and rows.
static void test_linear_slices(void **state)
{
	static const struct {
		uint32_t x, y, z;
		uint32_t word; // of the buffer on the same memory
	} cases[] = {{0, 0, 0, 1}, {1, 0, 0, 2}, {0, 1, 0, 4}, {0, 0, 1, 10}, {1, 1, 1, 14}};
	(void)state;
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		struct fixture fixture;
		struct trace_builder *tb = &fixture.tb;
		char words[WORDS + 1], wanted[WORDS + 1];
		fixture_init(&fixture, 64);
		const uint32_t memory = tb_memory(tb, 4 * WORDS, 0);
		const uint32_t buffer = tb_bound_buffer(tb, memory, 0, 4 * WORDS);
		const struct vkr_trace_image image = {.image = 1,
						      .device = 1,
						      .bytes = 4 * WORDS,
						      .type = VK_IMAGE_TYPE_3D,
						      .format = VK_FORMAT_R8G8B8A8_UNORM,
						      .extent = {2, 2, 2},
						      .mips = 1,
						      .layers = 1,
						      .samples = 1,
						      .tiling = VK_IMAGE_TILING_LINEAR,
						      .subresource_count = 1};
		const struct vkr_trace_image_subresource told = {.aspect =
									 VK_IMAGE_ASPECT_COLOR_BIT,
								 .offset = 4,
								 .bytes = 56,
								 .row_pitch = 12,
								 .slice_pitch = 36,
								 .layer_pitch = 72};
		const struct vkr_trace_image_bind bind = {.image = 1, .memory = memory};
		struct vkr_trace_cmd_image_buffer copy = {.buffer = fixture.buffer,
							  .image = 1,
							  .layout = VK_IMAGE_LAYOUT_GENERAL,
							  .region_count = 1};
		const struct vkr_trace_image_rows rows = {
			.box = {.aspects = VK_IMAGE_ASPECT_COLOR_BIT,
				.layer_count = 1,
				.offset = {cases[at].x, cases[at].y, cases[at].z},
				.extent = {1, 1, 1}}};
		tb_event(tb, VKR_TRACE_IMAGE, &image, sizeof image, &told, sizeof told);
		tb_event(tb, VKR_TRACE_IMAGE_BIND, &bind, sizeof bind, NULL, 0);
		tb_record(tb);
		tb_command(tb, VKR_TRACE_CMD_IMAGE_BUFFER, &copy.command, sizeof copy, &rows,
			   sizeof rows);
		struct vkr_session *session = fixture_words(tb, buffer, WORDS, words);
		memset(wanted, '.', WORDS);
		wanted[WORDS] = '\0';
		wanted[cases[at].word] = 'x';
		assert_string_equal(words, wanted);
		vkr_session_destroy(session);
		tb_finish(tb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_query_results),
		cmocka_unit_test(test_query_copy_waits),
		cmocka_unit_test(test_copy_within),
		cmocka_unit_test(test_linear_slices),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
