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
	uint32_t lone;           // a reader whose fragments share no chunks
	uint32_t plain;          // a reader whose logs may wait unread: its reads are private
	uint32_t next;           // free index of the log
};

static void begin(struct shared *test)
{
	memset(test, 0, sizeof *test);
	fixture_init(&test->fixture, 4 * MANY);
	struct trace_builder *tb = &test->fixture.tb;
	test->reader = fixture_fragments(tb, VKR_SITE_LOAD, VKR_SITE_NONPRIVATE,
					 VKR_IDENTITY_SHARED, "reader");
	test->lone = fixture_fragments(tb, VKR_SITE_LOAD, VKR_SITE_NONPRIVATE, 0, "lone reader");
	test->plain = fixture_fragments(tb, VKR_SITE_LOAD, 0, VKR_IDENTITY_SHARED, "plain reader");
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

static void add_chunk(struct shared *test, uint32_t command, const uint32_t *chunk, uint32_t words)
{
	tb_chunk(&test->fixture.tb, command, test->next, VK_SHADER_STAGE_FRAGMENT_BIT, chunk,
		 words);
	test->next += VKR_CHUNK_HEADER_WORDS + words;
}

// Chunks of `count` fragments at (first + i, 7), which read words first + i.
static void read_words(struct shared *test, uint32_t command, uint32_t first, uint32_t count)
{
	uint32_t chunk[FIXTURE_SHARED_WORDS];
	for (uint32_t done = 0; done < count; done += FIXTURE_SHARED_MOST) {
		const uint32_t left = count - done;
		const uint32_t words = fixture_shared_chunk(
			chunk, first + done, first + done,
			left < FIXTURE_SHARED_MOST ? left : FIXTURE_SHARED_MOST);
		add_chunk(test, command, chunk, words);
	}
}

static void write_at(struct shared *test, uint32_t command, uint32_t x, uint32_t y, uint32_t word)
{
	const uint32_t words[] = {x, y, 1, 4 * word};
	tb_chunk(&test->fixture.tb, command, test->next, VK_SHADER_STAGE_FRAGMENT_BIT, words, 4);
	test->next += VKR_CHUNK_HEADER_WORDS + 4;
}

static void write_word(struct shared *test, uint32_t command, uint32_t x, uint32_t word)
{
	write_at(test, command, x, 7, word);
}

// Expects this many races, the first of them, if any, by the fragment at (x, y), whose name ends
// so.
static void expect_at(struct shared *test, uint64_t times, uint32_t x, uint32_t y, const char *end)
{
	char invocation[64];
	struct vkr_session *session = fixture_judge(&test->fixture.tb);
	const struct vkr_report *report = vkr_session_report(session);
	snprintf(invocation, sizeof invocation, "fragment (%u, %u)%s", x, y, end);
	assert_int_equal(report->coverage_count, 0);
	assert_int_equal(report->race_count, times > 0);
	if (times > 0) {
		assert_int_equal(report->races[0].count, times);
		assert_string_equal(report->races[0].first.invocation, invocation);
	}
	vkr_session_destroy(session);
	tb_finish(&test->fixture.tb);
}

static void expect(struct shared *test, uint64_t times, uint32_t x)
{
	expect_at(test, times, x, 7, "");
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

// Reads of words `at` of fragments in quads side by side, of which the first is at (4, 6), whose
// chunk tells its place once; then a write of one of them, at the place of fragment `by`.
static void test_quads(void **state)
{
	(void)state;
	static const uint32_t places[][2] = {{4, 6}, {5, 6}, {4, 7}, {5, 7},
					     {6, 6}, {7, 6}, {6, 7}, {7, 7}};
	for (uint32_t by = 0; by < 8; by++) {
		struct shared test;
		uint32_t chunk[2 + 1 + 8 + 1] = {8 | 1u << VKR_SHARED_SEGMENT_SHIFT, 1,
						 4 | 6u << 16};
		begin(&test);
		for (uint32_t i = 0; i < 8; i++)
			chunk[3 + i] = 4 * i;
		const uint32_t reads = fixture_draw(&test.fixture, test.reader);
		order(&test, VK_DEPENDENCY_BY_REGION_BIT);
		const uint32_t same = fixture_draw(&test.fixture, test.writer);
		const uint32_t other = fixture_draw(&test.fixture, test.writer);
		const uint32_t execution =
			tb_submit(&test.fixture.tb, 1, tb_record_end(&test.fixture.tb));
		add_chunk(&test, reads, chunk, 2 + 1 + 8 + 1);
		write_at(&test, same, places[by][0], places[by][1], by);
		write_at(&test, other, places[by][0], places[by][1], (by + 3) % 8);
		tb_log_end(&test.fixture.tb, execution);
		expect_at(&test, 1, places[(by + 3) % 8][0], places[(by + 3) % 8][1], "");
	}
}

// Submits a draw that reads and then, with nothing between them, one that writes.
static uint32_t draw_both(struct shared *test, uint32_t *reads, uint32_t *writes)
{
	*reads = fixture_draw(&test->fixture, test->reader);
	*writes = fixture_draw(&test->fixture, test->writer);
	return tb_submit(&test->fixture.tb, 1, tb_record_end(&test->fixture.tb));
}

// Fragments that have logged before, or others at the same places, which then have other numbers:
// their words are told once. Where some read does not begin at a word, all are judged one by one.
static void test_going_on(void **state)
{
	(void)state;
	for (uint32_t way = 0; way < 4; way++) {
		const bool goes_on = way & 1, singly = way & 2;
		const uint32_t place = 3 | (goes_on ? VKR_SHARED_GOES_ON : 0) | 7u << 16;
		const uint32_t chunk[] = {
			2 | 1u << VKR_SHARED_SEGMENT_SHIFT, 2, place, place + 1, 4 * 9, 0};
		struct shared test;
		uint32_t reads = 0, writes = 0;
		begin(&test);
		const uint32_t execution = draw_both(&test, &reads, &writes);
		read_words(&test, reads, 3, 2);
		add_chunk(&test, reads, chunk, 6);
		if (singly)
			add_chunk(
				&test, reads,
				(const uint32_t[]){1 | 1u << VKR_SHARED_SEGMENT_SHIFT, 0, 100, 82},
				4);
		write_word(&test, writes, 20, 9);
		tb_log_end(&test.fixture.tb, execution);
		expect_at(&test, 1, 3, 7, goes_on ? "" : ", number 2");
	}
}

// Room for two records each, of which the second fragment has logged one and the third, as the
// first, two, in a chunk whose place is told once: words 9 and 11 are read by the first and the
// third one's second records. Where a read does not begin at a word, all are judged one by one.
static void test_room(void **state)
{
	(void)state;
	for (uint32_t way = 0; way < 4; way++) {
		const bool third = way & 1, singly = way & 2;
		const uint32_t chunk[] = {3 | VKR_SHARED_ROOM << VKR_SHARED_SEGMENT_SHIFT,
					  1,
					  4 | 6u << 16,
					  1,
					  1,
					  1,
					  4 * 3,
					  4 * 5,
					  singly ? 4 * 7 + 2 : 4 * 7,
					  1,
					  0,
					  1,
					  4 * 9,
					  0,
					  4 * 11,
					  0};
		struct shared test;
		uint32_t reads = 0, writes = 0;
		begin(&test);
		const uint32_t execution = draw_both(&test, &reads, &writes);
		add_chunk(&test, reads, chunk, sizeof chunk / sizeof *chunk);
		write_word(&test, writes, 20, third ? 11 : 9);
		write_word(&test, writes, 21, 0);
		tb_log_end(&test.fixture.tb, execution);
		expect_at(&test, 1, 4, third ? 7 : 6, "");
	}
}

// Fragments with chunks of their own, two of them side by side, the last one's longer: of each, the
// last read is of a word that is written.
static void test_side_by_side(void **state)
{
	(void)state;
	for (uint32_t by = 0; by < 3; by++) {
		struct shared test;
		begin(&test);
		struct trace_builder *tb = &test.fixture.tb;
		const uint32_t reads = fixture_draw(&test.fixture, test.lone);
		const uint32_t writes = fixture_draw(&test.fixture, test.writer);
		const uint32_t execution = tb_submit(tb, 1, tb_record_end(tb));
		for (uint32_t i = 0; i < 3; i++) {
			const uint32_t words[] = {i, 7, 1, 4 * (i < 2 ? 10 + i : 9), 1, 4 * 12};
			const uint32_t count = i < 2 ? 4 : 6;
			tb_chunk(tb, reads, test.next, VK_SHADER_STAGE_FRAGMENT_BIT, words, count);
			test.next += VKR_CHUNK_HEADER_WORDS + count;
			if (i == 0)
				write_word(&test, writes, 20, 10 + by);
		}
		tb_log_end(tb, execution);
		expect(&test, 1, by);
	}
}

// What makes no sense is damage, and said.
static void test_damaged(void **state)
{
	(void)state;
	static const struct {
		uint32_t words[6], count;
		bool good;
	} cases[] = {
		{{2 | 1u << VKR_SHARED_SEGMENT_SHIFT, 0, 1, 2, 4, 8}, 6, true},
		{{3 | 1u << VKR_SHARED_SEGMENT_SHIFT, 3, 1, 4}, 4, true},
		{{2, 0, 1, 2}, 4, true}, // where they are
		{{2 | VKR_SHARED_ROOM << VKR_SHARED_SEGMENT_SHIFT, 0, 1, 2, 1, 1},
		 6,
		 false},                                                         // half
		{{0 | 1u << VKR_SHARED_SEGMENT_SHIFT, 0, 1, 2, 4, 8}, 6, false}, // nobody
		{{3 | 1u << VKR_SHARED_SEGMENT_SHIFT, 0, 1, 2, 4, 8}, 6, false}, // longer
		{{1 | 1u << VKR_SHARED_SEGMENT_SHIFT, 0, 1, 2, 4, 8}, 6, false}, // shorter
		{{2 | 2u << VKR_SHARED_SEGMENT_SHIFT, 0, 1, 2, 4, 8}, 6, false}, // no such segment
		{{3 | 1u << VKR_SHARED_SEGMENT_SHIFT, 7, 1, 4}, 4, false},       // no such column
	};
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		struct shared test;
		begin(&test);
		const uint32_t reads = fixture_draw(&test.fixture, test.reader);
		const uint32_t execution =
			tb_submit(&test.fixture.tb, 1, tb_record_end(&test.fixture.tb));
		add_chunk(&test, reads, cases[at].words, cases[at].count);
		tb_log_end(&test.fixture.tb, execution);
		struct vkr_session *session = fixture_judge(&test.fixture.tb);
		const struct vkr_report *report = vkr_session_report(session);
		assert_int_equal(report->race_count, 0);
		assert_int_equal(report->coverage_count, !cases[at].good);
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

// Draws that read through a log that waits: writes of some of the words, or of all, meet it.
static void test_waiting(void **state)
{
	(void)state;
	for (uint32_t kind = 0; kind < 4; kind++) {
		const bool ordered = kind & 1, whole = kind & 2;
		struct shared test;
		begin(&test);
		const uint32_t first = fixture_draw(&test.fixture, test.plain);
		const uint32_t second = fixture_draw(&test.fixture, test.plain);
		if (ordered)
			order(&test, 0);
		const uint32_t writes = fixture_draw(&test.fixture, test.writer);
		const uint32_t execution =
			tb_submit(&test.fixture.tb, 1, tb_record_end(&test.fixture.tb));
		read_words(&test, first, 10, 20);
		read_words(&test, second, 20, 20);
		for (uint32_t word = whole ? 0 : 25; word < (whole ? MANY : 26); word++)
			write_word(&test, writes, word, word);
		tb_log_end(&test.fixture.tb, execution);
		// Words 20 to 29 were read by both.
		expect(&test, ordered ? 0 : whole ? 40 : 2, whole ? 10 : 25);
	}
}

// Reads of words that begin elsewhere than others do not wait.
static void test_unaligned(void **state)
{
	uint32_t chunk[FIXTURE_SHARED_WORDS];
	struct shared test;
	(void)state;
	begin(&test);
	const uint32_t reads = fixture_draw(&test.fixture, test.plain);
	const uint32_t writes = fixture_draw(&test.fixture, test.writer);
	const uint32_t execution = tb_submit(&test.fixture.tb, 1, tb_record_end(&test.fixture.tb));
	const uint32_t words = fixture_shared_chunk(chunk, 25, 25, 1);
	chunk[words - 1] += 2;
	add_chunk(&test, reads, chunk, words);
	write_word(&test, writes, 26, 26);
	tb_log_end(&test.fixture.tb, execution);
	struct vkr_session *session = fixture_judge(&test.fixture.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->coverage_count, 0);
	assert_int_equal(report->race_count, 1);
	assert_string_equal(report->races[0].first.invocation, "fragment (25, 7)");
	assert_string_equal(report->races[0].second.invocation, "fragment (26, 7)");
	vkr_session_destroy(session);
	tb_finish(&test.fixture.tb);
}

// Reads beyond the buffer are told, also where nothing ever meets what the draw has read.
static void test_beyond(void **state)
{
	(void)state;
	for (uint32_t beyond = 0; beyond < 2; beyond++) {
		struct shared test;
		begin(&test);
		const uint32_t reads = fixture_draw(&test.fixture, test.plain);
		const uint32_t execution =
			tb_submit(&test.fixture.tb, 1, tb_record_end(&test.fixture.tb));
		read_words(&test, reads, MANY - 3 + beyond, 3);
		tb_log_end(&test.fixture.tb, execution);
		struct vkr_session *session = fixture_judge(&test.fixture.tb);
		const struct vkr_report *report = vkr_session_report(session);
		assert_int_equal(report->accesses_judged, 3);
		assert_int_equal(report->coverage_count, beyond);
		if (beyond)
			assert_non_null(strstr(report->coverage[0].text, "reach beyond the end"));
		vkr_session_destroy(session);
		tb_finish(&test.fixture.tb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),   cmocka_unit_test(test_beyond),
		cmocka_unit_test(test_waiting), cmocka_unit_test(test_unaligned),
		cmocka_unit_test(test_quads),   cmocka_unit_test(test_going_on),
		cmocka_unit_test(test_room),    cmocka_unit_test(test_side_by_side),
		cmocka_unit_test(test_damaged), cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_others),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
