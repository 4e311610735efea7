// SPDX-License-Identifier: Apache-2.0
// Two draws whose fragments read a uniform buffer, judged in two parts: each part judges one draw's
// reads, unless shaders may write the buffer. Knows the model's interface.
#include "model_fixture.h"

#include "shard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define UNIFORM VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT
#define STORAGE VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
#define BYTES   64u

struct draws {
	struct fixture fixture;
	uint32_t commands[2], execution;
};

static void begin(struct draws *test, uint32_t usage, bool written)
{
	const struct vkr_variable variable = {.kind = VKR_VARIABLE_BUFFER,
					      .count = 1,
					      .flags =
						      VKR_VARIABLE_READ_ONLY | VKR_VARIABLE_UNIFORM,
					      .spirv_id = 10};
	const struct vkr_site site = {.operation = VKR_SITE_LOAD,
				      .storage_class = VKR_CLASS_UNIFORM,
				      .words = 1,
				      .bytes = 4};
	const struct tb_shader shader = {.variables = &variable,
					 .variable_count = 1,
					 .sites = &site,
					 .site_count = 1,
					 .segments = (const uint32_t[]){1, 0},
					 .workgroup_size = {1, 1, 1},
					 .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
					 .identity = VKR_IDENTITY_FRAGMENT};
	memset(test, 0, sizeof *test);
	struct trace_builder *tb = &test->fixture.tb;
	fixture_init(&test->fixture, BYTES);
	tb->usage = usage;
	const uint32_t buffer = tb_buffer(tb, BYTES, "uniform");
	const struct vkr_trace_descriptor descriptor = {.object = buffer, .bytes = VK_WHOLE_SIZE};
	tb_write(tb, test->fixture.set, 0, 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, &descriptor, 1);
	const uint32_t pipeline = fixture_draw_pipeline(tb, &shader, "fragment");
	tb_record(tb);
	fixture_bind_draws(&test->fixture);
	for (int at = 0; at < 2; at++)
		test->commands[at] = fixture_draw(&test->fixture, pipeline);
	if (written)
		tb_fill(tb, buffer, 12, 4);
	test->execution = tb_submit(tb, 1, tb_record_end(tb));
}

static void shade(struct draws *test, uint32_t draw, uint32_t word)
{
	const uint32_t words[] = {1 + draw, 2, 1, 4 * word};
	tb_chunk(&test->fixture.tb, test->commands[draw], 16 * (1 + word),
		 VK_SHADER_STAGE_FRAGMENT_BIT, words, 4);
}

// What a part of two, or where `shard` is NULL all memory, comes to.
static uint64_t judge(struct draws *test, struct vkr_shard *shard, uint32_t *races)
{
	test->fixture.tb.options.shard = shard;
	struct vkr_session *session = tb_judge(&test->fixture.tb, false);
	const struct vkr_report *report = vkr_session_report(session);
	const uint64_t accesses = report->accesses_judged;
	*races = report->race_count;
	vkr_session_destroy(session);
	return accesses;
}

struct part_case {
	uint32_t usage, words[2]; // that the draws read
	bool written;
	uint32_t races;
	uint32_t own[2];  // accesses that only this part counts
	bool together[2]; // the parts' reports are not the whole
};

static const struct part_case cases[] = {
	{UNIFORM, {3, 3}, false, 0, {1, 1}, {false, false}},
	{UNIFORM | STORAGE, {3, 3}, false, 0, {0, 0}, {false, false}},
	{STORAGE, {3, 3}, false, 0, {0, 0}, {false, false}},
	{UNIFORM, {3, BYTES / 4}, false, 0, {1, 1}, {false, true}},
	{UNIFORM, {BYTES / 4, BYTES / 4}, false, 0, {1, 1}, {true, true}},
	{UNIFORM, {3, 4}, true, 1, {1, 1}, {true, false}},
	{UNIFORM, {4, 3}, true, 1, {1, 1}, {false, true}},
};

static void test_draws_dealt_out(void **state)
{
	(void)state;
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		const struct part_case *is = &cases[at];
		struct draws test;
		uint32_t races = 0;
		begin(&test, is->usage, is->written);
		for (uint32_t draw = 0; draw < 2; draw++) {
			shade(&test, draw, 5);
			shade(&test, draw, is->words[draw]);
		}
		tb_log_end(&test.fixture.tb, test.execution);
		const uint64_t whole = judge(&test, NULL, &races);
		uint64_t own = 0, others[2];
		assert_int_equal(races, is->races);
		struct vkr_shard last = {.index = 2, .count = 2};
		for (uint32_t part = 0; part < 2; part++) {
			struct vkr_shard shard = {.index = part, .count = 2};
			const uint64_t accesses = judge(&test, &shard, &races);
			own += shard.accesses;
			others[part] = accesses - shard.accesses;
			assert_int_equal(shard.accesses > 0, is->own[part]);
			assert_int_equal(shard.together, is->together[part]);
			assert_true(vkr_shard_pages_join(&last.also, &shard.conflicts));
			vkr_shard_finish(&shard);
		}
		for (uint32_t part = 0; part < 2 && is->races == 0; part++)
			assert_int_equal(others[part] + own, whole);
		vkr_shard_pages_sort(&last.also);
		judge(&test, &last, &races);
		assert_int_equal(races, is->races);
		vkr_shard_finish(&last);
		tb_finish(&test.fixture.tb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_draws_dealt_out)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
