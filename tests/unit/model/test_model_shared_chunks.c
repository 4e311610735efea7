// SPDX-License-Identifier: Apache-2.0
// Fragments that share chunks, and draws whose logs say what earlier ones said. Knows logs and the
// report; nothing of how shaders make them.
#include "model_fixture.h"

#include "vkrace/gpu_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FRAGMENT VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT

// So many fragments say enough that what they say is kept for draws that say it again.
#define MANY 1024u

struct shared {
	struct fixture fixture;
	uint32_t reader, writer; // pipelines: one word an invocation, segment 1
	uint32_t next;           // free index of the log
};

static void begin(struct shared *test)
{
	memset(test, 0, sizeof *test);
	fixture_init(&test->fixture, 4 * MANY);
	struct trace_builder *tb = &test->fixture.tb;
	test->reader = fixture_fragments(tb, VKR_SITE_LOAD, VKR_SITE_NONPRIVATE,
					 VKR_IDENTITY_SHARED, "reader");
	test->writer = fixture_fragments(tb, VKR_SITE_STORE, VKR_SITE_NONPRIVATE, 0, "writer");
	test->next = VKR_LOG_HEADER_WORDS;
	tb_record(tb);
	fixture_bind_draws(&test->fixture);
}

static void order(struct shared *test, uint32_t flags)
{
	const struct vkr_trace_barrier barriers[] = {
		{.kind = VKR_BARRIER_EXECUTION,
		 .source_stages = FRAGMENT,
		 .destination_stages = FRAGMENT},
		{.kind = VKR_BARRIER_MEMORY,
		 .source_stages = FRAGMENT,
		 .destination_stages = FRAGMENT,
		 .source_access = VK_ACCESS_2_SHADER_WRITE_BIT,
		 .destination_access = VK_ACCESS_2_SHADER_READ_BIT}};
	struct vkr_trace_cmd_barrier command = {.dependency_flags = flags, .barrier_count = 2};
	tb_command(&test->fixture.tb, VKR_TRACE_CMD_BARRIER, &command.command, sizeof command,
		   barriers, sizeof barriers);
}

// A chunk of `count` fragments at (first + i, 7), which read words first + i.
static void read_words(struct shared *test, uint32_t command, uint32_t first, uint32_t count)
{
	const uint32_t words = 2 + 4 * count;
	uint32_t *chunk = calloc(words, sizeof *chunk);
	assert_non_null(chunk);
	chunk[0] = count;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t part[] = {first + i, 7, 1, 4 * (first + i)};
		memcpy(chunk + 2 + 4 * (size_t)i, part, sizeof part);
	}
	tb_chunk(&test->fixture.tb, command, test->next, VK_SHADER_STAGE_FRAGMENT_BIT, chunk,
		 words);
	test->next += VKR_CHUNK_HEADER_WORDS + words;
	free(chunk);
}

static void write_word(struct shared *test, uint32_t command, uint32_t x, uint32_t word)
{
	const uint32_t words[] = {x, 7, 1, 4 * word};
	tb_chunk(&test->fixture.tb, command, test->next, VK_SHADER_STAGE_FRAGMENT_BIT, words, 4);
	test->next += VKR_CHUNK_HEADER_WORDS + 4;
}

// Expects this many races, the first of them, if any, by the fragment at (x, 7).
static void expect(struct shared *test, uint64_t times, uint32_t x)
{
	char invocation[64];
	struct vkr_session *session = fixture_judge(&test->fixture.tb);
	const struct vkr_report *report = vkr_session_report(session);
	snprintf(invocation, sizeof invocation, "fragment (%u, 7)", x);
	assert_int_equal(report->coverage_count, 0);
	assert_int_equal(report->race_count, times > 0);
	if (times > 0) {
		assert_int_equal(report->races[0].count, times);
		assert_non_null(strstr(report->races[0].first.invocation, invocation));
	}
	vkr_session_destroy(session);
	tb_finish(&test->fixture.tb);
}

enum between { NOTHING, ALL, SAME_PIXEL };

// Reads of eight fragments, then a write of one of the words at some pixel.
static void test_parts(void **state)
{
	(void)state;
	static const struct {
		enum between between;
		uint32_t x;
		uint64_t times;
	} cases[] = {{NOTHING, 5, 1}, {ALL, 5, 0}, {SAME_PIXEL, 5, 0}, {SAME_PIXEL, 6, 1}};
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		struct shared test;
		begin(&test);
		const uint32_t reads = fixture_draw(&test.fixture, test.reader);
		if (cases[at].between != NOTHING)
			order(&test,
			      cases[at].between == SAME_PIXEL ? VK_DEPENDENCY_BY_REGION_BIT : 0);
		const uint32_t writes = fixture_draw(&test.fixture, test.writer);
		const uint32_t execution =
			tb_submit(&test.fixture.tb, 1, tb_record_end(&test.fixture.tb));
		read_words(&test, reads, 0, 3);
		read_words(&test, reads, 3, 5);
		write_word(&test, writes, cases[at].x, 5);
		tb_log_end(&test.fixture.tb, execution);
		expect(&test, cases[at].times, 5);
	}
}

// A part's number that makes no sense is damage, and said.
static void test_damaged(void **state)
{
	(void)state;
	for (uint32_t count = 0; count < 4; count++) {
		const uint32_t words[] = {count, 0, 1, 7, 1, 4};
		struct shared test;
		begin(&test);
		const uint32_t reads = fixture_draw(&test.fixture, test.reader);
		const uint32_t execution =
			tb_submit(&test.fixture.tb, 1, tb_record_end(&test.fixture.tb));
		tb_chunk(&test.fixture.tb, reads, test.next, VK_SHADER_STAGE_FRAGMENT_BIT, words,
			 6);
		tb_log_end(&test.fixture.tb, execution);
		struct vkr_session *session = fixture_judge(&test.fixture.tb);
		const struct vkr_report *report = vkr_session_report(session);
		assert_int_equal(report->race_count, 0);
		// Two parts of nothing but their places make sense.
		assert_int_equal(report->coverage_count, count == 0 || count == 3);
		vkr_session_destroy(session);
		tb_finish(&test.fixture.tb);
	}
}

// Draws that say the same, chunk by chunk in any order, each followed by a write: what is behind
// the last of them orders nothing.
static void test_repeats(void **state)
{
	(void)state;
	for (uint32_t ordered = 0; ordered < 2; ordered++) {
		struct shared test;
		uint32_t reads[3], writes[3];
		begin(&test);
		for (uint32_t i = 0; i < 3; i++) {
			if (i > 0)
				order(&test, 0);
			reads[i] = fixture_draw(&test.fixture, test.reader);
			if (i < 2 || ordered)
				order(&test, 0);
			writes[i] = fixture_draw(&test.fixture, test.writer);
		}
		const uint32_t execution =
			tb_submit(&test.fixture.tb, 1, tb_record_end(&test.fixture.tb));
		for (uint32_t i = 0; i < 3; i++) {
			read_words(&test, reads[i], i == 1 ? MANY / 2 : 0, MANY / 2);
			read_words(&test, reads[i], i == 1 ? 0 : MANY / 2, MANY / 2);
			write_word(&test, writes[i], 9, 600 + i);
		}
		tb_log_end(&test.fixture.tb, execution);
		expect(&test, !ordered, 602);
	}
}

// A draw that says something else after all: it reads all words but one.
static void test_others(void **state)
{
	(void)state;
	for (uint32_t other = 0; other < 2; other++) {
		struct shared test;
		begin(&test);
		const uint32_t first = fixture_draw(&test.fixture, test.reader);
		const uint32_t second = fixture_draw(&test.fixture, test.reader);
		const uint32_t writes = fixture_draw(&test.fixture, test.writer);
		const uint32_t execution =
			tb_submit(&test.fixture.tb, 1, tb_record_end(&test.fixture.tb));
		read_words(&test, first, 0, MANY);
		read_words(&test, second, other, MANY - other);
		write_word(&test, writes, 9, 0);
		tb_log_end(&test.fixture.tb, execution);
		expect(&test, 2 - other, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
