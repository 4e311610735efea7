// SPDX-License-Identifier: Apache-2.0
// Acquire and release between the invocations of a dispatch: who read whose value, release
// sequences, doubts, fences, late logs. Knows the reports' words.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PAYLOAD 64u // offset of the payload; atomics lie before it
#define BOTH    (VKR_ORDER_ACQUIRE | VKR_ORDER_RELEASE)
#define DOMAINS (VKR_ORDER_MAKE_AVAILABLE | VKR_ORDER_MAKE_VISIBLE)

// Segments of the test's shader, one site each.
enum {
	STORE = 1,
	LOAD,
	RMW,          // release and acquire
	RELAXED,      // RMW
	ATOMIC_STORE, // release
	ATOMIC_LOAD,  // acquire
	FENCE,        // release and acquire
	RELAXED_STORE,
	BARRIER, // of the workgroup, release and acquire beyond it
	HALF,    // RMW of two bytes
};

static struct vkr_site site_of(enum vkr_site_operation operation, unsigned order)
{
	const bool atomic = operation >= VKR_SITE_ATOMIC_LOAD;
	const bool fence = operation >= VKR_SITE_CONTROL_BARRIER;
	return (struct vkr_site){
		.operation = (uint8_t)operation,
		.storage_class = fence ? 0 : VKR_CLASS_UNIFORM,
		.scope = VKR_SCOPE_QUEUE_FAMILY,
		.execution = VKR_SCOPE_WORKGROUP,
		.order = (uint8_t)order,
		.semantics = order ? VKR_CLASS_UNIFORM : 0,
		.flags = (uint16_t)(VKR_SITE_NONPRIVATE | (atomic && !fence ? VKR_SITE_VALUES : 0)),
		.words = (uint16_t)(fence                              ? 0
				    : operation == VKR_SITE_ATOMIC_RMW ? 3
				    : atomic                           ? 2
								       : 1),
		.variable = fence ? UINT32_MAX : 0,
		.bytes = fence ? 0 : 4};
}

struct order_test {
	struct fixture fixture;
	uint32_t command, execution;
};

// A recording that dispatches the shader next. `order`: of all but the control barrier.
static void prepare_with(struct order_test *test, unsigned order)
{
	const struct vkr_variable variable = {
		.kind = VKR_VARIABLE_BUFFER, .count = 1, .spirv_id = 10};
	struct vkr_site sites[] = {
		site_of(VKR_SITE_STORE, 0),
		site_of(VKR_SITE_LOAD, 0),
		site_of(VKR_SITE_ATOMIC_RMW, order),
		site_of(VKR_SITE_ATOMIC_RMW, 0),
		site_of(VKR_SITE_ATOMIC_STORE,
			order & (VKR_ORDER_RELEASE | VKR_ORDER_MAKE_AVAILABLE)),
		site_of(VKR_SITE_ATOMIC_LOAD, order & (VKR_ORDER_ACQUIRE | VKR_ORDER_MAKE_VISIBLE)),
		site_of(VKR_SITE_MEMORY_BARRIER, order),
		site_of(VKR_SITE_ATOMIC_STORE, 0),
		site_of(VKR_SITE_CONTROL_BARRIER, BOTH | DOMAINS),
		site_of(VKR_SITE_ATOMIC_RMW, order),
	};
	const uint32_t segments[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0};
	sites[HALF - 1].bytes = 2;
	const struct tb_shader shader = {.variables = &variable,
					 .variable_count = 1,
					 .sites = sites,
					 .site_count = 10,
					 .segments = segments,
					 .workgroup_size = {1, 1, 1},
					 .name = "order"};
	fixture_init(&test->fixture, 65536);
	struct trace_builder *tb = &test->fixture.tb;
	const uint32_t pipeline = tb_shader_pipeline(tb, &shader, "order");
	tb_record(tb);
	fixture_bind(&test->fixture, pipeline);
}

static void prepare(struct order_test *test)
{
	prepare_with(test, BOTH | DOMAINS);
}

// A dispatch of workgroups of one invocation.
static void begin(struct order_test *test, uint32_t groups)
{
	struct trace_builder *tb = &test->fixture.tb;
	prepare(test);
	test->command = tb_dispatch(tb, groups, 1, 1);
	test->execution = tb_submit(tb, 1, tb_record_end(tb));
}

// Dispatches with nothing between them; their commands follow each other.
static void begin_several(struct order_test *test, uint32_t groups, uint32_t count)
{
	struct trace_builder *tb = &test->fixture.tb;
	prepare(test);
	test->command = tb_dispatch(tb, groups, 1, 1);
	for (uint32_t at = 1; at < count; at++)
		tb_dispatch(tb, groups, 1, 1);
	test->execution = tb_submit(tb, 1, tb_record_end(tb));
}

// Records are padded to an even number of words.
#define SET(at, value) ATOMIC_STORE, at, value, 0
#define PUT(at, value) RELAXED_STORE, at, value, 0
#define GET(at, value) ATOMIC_LOAD, at, value, 0
#define FENCED         FENCE, 0

// The records of one workgroup's invocation.
static void run(struct order_test *test, uint32_t workgroup, const uint32_t *words, uint32_t count)
{
	tb_chunk(&test->fixture.tb, test->command, workgroup, 0, words, count);
}
#define RUN(test, workgroup, ...)                                                                  \
	run(test, workgroup, (const uint32_t[]){__VA_ARGS__},                                      \
	    sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

// Expects this many races, certain and possible ones, and coverage or none.
static void expect_possible(struct order_test *test, uint32_t races, bool doubt, uint32_t possible)
{
	tb_log_end(&test->fixture.tb, test->execution);
	struct vkr_session *session = fixture_judge(&test->fixture.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, races);
	assert_int_equal(report->possible_count, possible);
	assert_int_equal(report->coverage_count, doubt);
	if (doubt)
		assert_string_equal(report->coverage[0].kind, "synchronization");
	vkr_session_destroy(session);
	tb_finish(&test->fixture.tb);
}

static void expect(struct order_test *test, uint32_t races, bool doubt)
{
	expect_possible(test, races, doubt, 0);
}

// The consumer stands before the producer in the log, and is later all the same.
static void test_either_direction(void **state)
{
	(void)state;
	for (uint32_t swap = 0; swap < 2; swap++) {
		struct order_test test;
		begin(&test, 2);
		RUN(&test, swap, STORE, PAYLOAD, SET(0, 5));
		RUN(&test, !swap, GET(0, 5), LOAD, PAYLOAD);
		expect(&test, 0, false);
	}
}

// What was there before, or another's value, orders nothing.
static void test_other_value(void **state)
{
	(void)state;
	struct order_test test;
	begin(&test, 2);
	RUN(&test, 0, STORE, PAYLOAD, SET(0, 5));
	RUN(&test, 1, GET(0, 0), LOAD, PAYLOAD);
	expect(&test, 1, false);
	begin(&test, 3);
	RUN(&test, 0, STORE, PAYLOAD, SET(0, 5));
	RUN(&test, 1, SET(0, 6));
	RUN(&test, 2, GET(0, 6), LOAD, PAYLOAD);
	expect(&test, 1, false);
}

// A relaxed update in between keeps the release sequence, a store ends it.
static void test_release_sequence(void **state)
{
	(void)state;
	struct order_test test;
	begin(&test, 3);
	RUN(&test, 0, STORE, PAYLOAD, SET(0, 5));
	RUN(&test, 1, RELAXED, 0, 5, 6);
	RUN(&test, 2, GET(0, 6), LOAD, PAYLOAD);
	expect(&test, 0, false);
	begin(&test, 3);
	RUN(&test, 0, STORE, PAYLOAD, SET(0, 5));
	RUN(&test, 1, RELAXED, 0, 5, 6, PUT(0, 7));
	RUN(&test, 2, GET(0, 7), LOAD, PAYLOAD);
	expect(&test, 1, false);
}

// Of atomics to the same bytes, and of other sizes, it is not known which came first: the HRF
// models, which have one coherent order for both, order nothing by it.
static void test_sizes(void **state)
{
	(void)state;
	for (uint32_t other = 0; other < 2; other++) {
		struct order_test test;
		begin(&test, 5);
		test.fixture.tb.options.rules.model = VKR_MEMORY_HRF_INDIRECT;
		RUN(&test, 0, STORE, PAYLOAD, SET(0, 5));
		RUN(&test, 1, GET(0, 5));
		RUN(&test, 2, HALF, 0, 0, 1);
		RUN(&test, 3, HALF, 0, 1, 2, LOAD, other ? PAYLOAD + 16 : PAYLOAD);
		expect(&test, !other, false);
	}
}

// Tickets: each knows all before it, in whatever order of workgroups they were taken.
static void test_tickets(void **state)
{
	(void)state;
	const uint32_t order[] = {2, 0, 3, 1};
	for (uint32_t pattern = 0; pattern < 3; pattern++) {
		struct order_test test;
		begin(&test, 4);
		for (uint32_t at = 0; at < 4; at++) {
			const uint32_t own = PAYLOAD + 4 * at;
			if (pattern == 0)
				RUN(&test, order[at], STORE, own, RMW, 0, at, at + 1);
			else if (pattern == 1)
				RUN(&test, order[at], STORE, own, FENCED, RELAXED, 0, at, at + 1,
				    FENCED);
			else
				RUN(&test, order[at], STORE, own, RELAXED, 0, at, at + 1);
			for (uint32_t before = 0; at == 3 && before < 3; before++)
				RUN(&test, order[at], LOAD, PAYLOAD + 4 * before);
		}
		expect(&test, pattern == 2, false);
	}
}

// Only what was written behind the fence is not ordered.
static void test_store_behind_release(void **state)
{
	(void)state;
	struct order_test test;
	begin(&test, 2);
	RUN(&test, 0, SET(0, 5), STORE, PAYLOAD);
	RUN(&test, 1, GET(0, 5), LOAD, PAYLOAD);
	expect(&test, 1, false);
}

// Two have written the value that the third read: it may have met either.
static void test_doubt(void **state)
{
	(void)state;
	struct order_test test;
	for (uint32_t met = 0; met < 2; met++) {
		begin(&test, 3);
		RUN(&test, 0, STORE, PAYLOAD, SET(0, 1));
		RUN(&test, 1, STORE, PAYLOAD + 4, SET(0, 1));
		RUN(&test, 2, GET(0, 1), LOAD, PAYLOAD + 4 * met);
		expect_possible(&test, 0, true, 1);
	}
	// Nothing hangs on the doubt.
	begin(&test, 3);
	RUN(&test, 0, STORE, PAYLOAD, SET(0, 1));
	RUN(&test, 1, STORE, PAYLOAD + 4, SET(0, 1));
	RUN(&test, 2, GET(0, 1), LOAD, PAYLOAD + 8);
	expect(&test, 0, false);
	// What is certain stays so, and is not possible as well: nobody has met the third write.
	begin(&test, 3);
	RUN(&test, 0, STORE, PAYLOAD, SET(0, 1));
	RUN(&test, 1, STORE, PAYLOAD + 4, SET(0, 1), STORE, PAYLOAD + 8);
	RUN(&test, 2, GET(0, 1), LOAD, PAYLOAD + 4, LOAD, PAYLOAD + 8);
	expect(&test, 1, true);
}

// A lock that goes round with the same two values: in whichever order, what it protects is in
// order. Who accesses it without the lock, before or behind, or lets it go too early, may race.
static void test_lock(void **state)
{
	(void)state;
	struct order_test test;
	begin(&test, 8);
	for (uint32_t at = 0; at < 8; at++)
		RUN(&test, at, RMW, 0, 0, 1, LOAD, PAYLOAD, STORE, PAYLOAD, SET(0, 0));
	expect(&test, 0, false);
	// Waiting for it, which reads the other value, orders nothing that is certain.
	begin(&test, 8);
	for (uint32_t at = 0; at < 8; at++)
		RUN(&test, at, RMW, 0, 1, 1, RMW, 0, 0, 1, LOAD, PAYLOAD, STORE, PAYLOAD,
		    SET(0, 0));
	expect(&test, 0, false);
	// One accesses it before it has the lock, or when it has given it back.
	for (uint32_t behind = 0; behind < 2; behind++) {
		begin(&test, 3);
		for (uint32_t at = 0; at < 2; at++)
			RUN(&test, at, RMW, 0, 0, 1, STORE, PAYLOAD, SET(0, 0));
		if (behind)
			RUN(&test, 2, RMW, 0, 0, 1, SET(0, 0), STORE, PAYLOAD);
		else
			RUN(&test, 2, STORE, PAYLOAD, RMW, 0, 0, 1, SET(0, 0));
		expect_possible(&test, 0, true, 1);
	}
	// One gives back what it has not taken: two may hold it at once.
	begin(&test, 3);
	for (uint32_t at = 0; at < 2; at++)
		RUN(&test, at, RMW, 0, 0, 1, STORE, PAYLOAD, SET(0, 0));
	RUN(&test, 2, SET(0, 0));
	expect_possible(&test, 0, true, 1);
	// Two locks, of which each has one.
	begin(&test, 4);
	for (uint32_t at = 0; at < 4; at++)
		RUN(&test, at, RMW, 4 * (at % 2), 0, 1, STORE, PAYLOAD, SET(4 * (at % 2), 0));
	expect(&test, 1, false);
}

// A lock that has gone round as often as locks do: who keeps to it has no race, who does not has.
static void test_long_lock(void **state)
{
	enum { ROUNDS = 500, WORDS = 10 };
	static const uint32_t round[WORDS] = {RMW, 0, 0, 1, STORE, PAYLOAD, SET(0, 0)};
	uint32_t *words = malloc(ROUNDS * sizeof round);
	(void)state;
	assert_non_null(words);
	for (uint32_t at = 0; at < ROUNDS; at++)
		memcpy(words + at * WORDS, round, sizeof round);
	for (uint32_t racy = 0; racy < 2; racy++) {
		struct order_test test;
		begin(&test, 3);
		run(&test, 0, words, ROUNDS * WORDS);
		run(&test, 1, words, ROUNDS * WORDS);
		if (racy)
			RUN(&test, 2, STORE, PAYLOAD);
		expect(&test, racy, false);
	}
	free(words);
}

// A write that is ordered after one and before another must not hide these from a third.
static void test_history(void **state)
{
	(void)state;
	struct order_test test;
	begin(&test, 4);
	// In order: 3, 2; workgroup 0 is in no order with 3, though it is with 2.
	RUN(&test, 3, STORE, PAYLOAD, SET(0, 5));
	RUN(&test, 2, LOAD, PAYLOAD, SET(4, 7));
	RUN(&test, 0, GET(4, 7), STORE, PAYLOAD);
	tb_log_end(&test.fixture.tb, test.execution);
	struct vkr_session *session = fixture_judge(&test.fixture.tb);
	const struct vkr_report *report = vkr_session_report(session);
	// 3 with 2, 3 with 0; 2 with 0 is in order.
	assert_int_equal(report->race_count, 2);
	vkr_session_destroy(session);
	tb_finish(&test.fixture.tb);
}

// A control barrier whose memory scope reaches beyond its workgroup is a fence, too.
static void test_control_barrier(void **state)
{
	(void)state;
	for (int fenced = 0; fenced < 2; fenced++) {
		struct order_test test;
		prepare_with(&test, 0);
		test.command = tb_dispatch(&test.fixture.tb, 2, 1, 1);
		test.execution = tb_submit(&test.fixture.tb, 1, tb_record_end(&test.fixture.tb));
		if (fenced)
			RUN(&test, 0, STORE, PAYLOAD, BARRIER, 0, RELAXED, 0, 0, 1);
		else
			RUN(&test, 0, BARRIER, 0, STORE, PAYLOAD, RELAXED, 0, 0, 1);
		RUN(&test, 1, RELAXED, 0, 1, 2, BARRIER, 0, LOAD, PAYLOAD);
		expect(&test, !fenced, false);
	}
}

// The parts of a dispatch between which the device stood still are judged together.
static void test_pause(void **state)
{
	(void)state;
	struct order_test test;
	begin(&test, 2);
	RUN(&test, 1, GET(0, 5), LOAD, PAYLOAD);
	tb_log_pause(&test.fixture.tb, test.execution);
	RUN(&test, 0, STORE, PAYLOAD, SET(0, 5));
	expect(&test, 0, false);
}

// The log of the next of several dispatches.
static void go_on(struct order_test *test)
{
	test->command++;
}

// A dispatch reads what atomics of another one wrote that nothing else orders, whichever the engine
// comes to first.
static void test_between_commands(void **state)
{
	(void)state;
	struct order_test test;
	for (int swap = 0; swap < 2; swap++) {
		begin_several(&test, 1, 2);
		if (swap)
			RUN(&test, 0, GET(0, 5), LOAD, PAYLOAD);
		else
			RUN(&test, 0, STORE, PAYLOAD, SET(0, 5));
		go_on(&test);
		if (swap)
			RUN(&test, 0, STORE, PAYLOAD, SET(0, 5));
		else
			RUN(&test, 0, GET(0, 5), LOAD, PAYLOAD);
		expect(&test, 0, false);
	}
	// By fences, and by an update that carries on what it read.
	begin_several(&test, 1, 3);
	RUN(&test, 0, STORE, PAYLOAD, FENCED, PUT(0, 5));
	go_on(&test);
	RUN(&test, 0, RELAXED, 0, 5, 6, GET(4, 0));
	go_on(&test);
	RUN(&test, 0, GET(0, 6), LOAD, PAYLOAD);
	expect(&test, 0, false);
}

// Only what is before the release and behind the acquire.
static void test_places_between_commands(void **state)
{
	(void)state;
	struct order_test test;
	begin_several(&test, 1, 2);
	RUN(&test, 0, SET(0, 5), STORE, PAYLOAD);
	go_on(&test);
	RUN(&test, 0, GET(0, 5), LOAD, PAYLOAD);
	expect(&test, 1, false);
	begin_several(&test, 1, 2);
	RUN(&test, 0, STORE, PAYLOAD, SET(0, 5));
	go_on(&test);
	RUN(&test, 0, LOAD, PAYLOAD, GET(0, 5));
	expect(&test, 1, false);
}

// One of two has written what was read: only that which no choice orders is a race.
static void test_doubt_between_commands(void **state)
{
	(void)state;
	for (uint32_t met = 0; met < 3; met++) {
		struct order_test test;
		begin_several(&test, 2, 2);
		RUN(&test, 0, STORE, PAYLOAD, SET(0, 1));
		RUN(&test, 1, STORE, PAYLOAD + 4, SET(0, 1), STORE, PAYLOAD + 8);
		go_on(&test);
		RUN(&test, 0, GET(0, 1), LOAD, PAYLOAD + 4 * met);
		expect_possible(&test, met == 2, met < 2, met < 2);
	}
}

// A shader that runs twice with equal values: each may have met either's releases, and who has
// acquired nothing is ordered behind nothing.
static void test_repeated_command(void **state)
{
	(void)state;
	struct order_test test;
	begin_several(&test, 2, 2);
	for (int pass = 0; pass < 2; pass++) {
		RUN(&test, 0, STORE, PAYLOAD, SET(0, 1));
		RUN(&test, 1, GET(0, 1), LOAD, PAYLOAD);
		go_on(&test);
	}
	// The stores with each other; possibly a store with the other command's load.
	expect_possible(&test, 1, true, 1);
}

// What is ordered and not made available by the release.
static void test_unavailable_between_commands(void **state)
{
	(void)state;
	struct order_test test;
	prepare_with(&test, BOTH);
	struct trace_builder *tb = &test.fixture.tb;
	test.command = tb_dispatch(tb, 1, 1, 1);
	tb_dispatch(tb, 1, 1, 1);
	test.execution = tb_submit(tb, 1, tb_record_end(tb));
	RUN(&test, 0, STORE, PAYLOAD, SET(0, 5));
	go_on(&test);
	RUN(&test, 0, GET(0, 5), LOAD, PAYLOAD);
	tb_log_end(tb, test.execution);
	struct vkr_session *session = fixture_judge(tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 1);
	assert_int_equal(report->races[0].race_class, VKR_RACE_UNAVAILABLE);
	vkr_session_destroy(session);
	tb_finish(tb);
}

// What orders nothing between commands: another value, another place, relaxed atomics, another
// workgroup's acquire, and release.
static void test_between_commands_unordered(void **state)
{
	(void)state;
	struct order_test test;
	begin_several(&test, 2, 2);
	RUN(&test, 0, STORE, PAYLOAD, SET(0, 5));
	go_on(&test);
	RUN(&test, 0, GET(0, 6), LOAD, PAYLOAD);
	expect(&test, 1, false);
	begin_several(&test, 2, 2);
	RUN(&test, 0, STORE, PAYLOAD, SET(0, 5));
	go_on(&test);
	RUN(&test, 0, GET(4, 5), LOAD, PAYLOAD);
	expect(&test, 1, false);
	begin_several(&test, 2, 2);
	RUN(&test, 0, STORE, PAYLOAD, PUT(0, 5));
	go_on(&test);
	RUN(&test, 0, GET(0, 5), LOAD, PAYLOAD);
	expect(&test, 1, false);
	begin_several(&test, 2, 2);
	RUN(&test, 0, STORE, PAYLOAD, SET(0, 5));
	go_on(&test);
	RUN(&test, 0, LOAD, PAYLOAD);
	RUN(&test, 1, GET(0, 5));
	expect(&test, 1, false);
	begin_several(&test, 2, 2);
	RUN(&test, 0, STORE, PAYLOAD);
	RUN(&test, 1, SET(0, 5));
	go_on(&test);
	RUN(&test, 0, GET(0, 5), LOAD, PAYLOAD);
	expect(&test, 1, false);
}

// Through a third dispatch.
static void test_along_commands(void **state)
{
	(void)state;
	for (int along = 0; along < 2; along++) {
		struct order_test test;
		begin_several(&test, 1, 3);
		RUN(&test, 0, STORE, PAYLOAD, SET(0, 5));
		go_on(&test);
		RUN(&test, 0, GET(0, along ? 5 : 4), SET(4, 6));
		go_on(&test);
		RUN(&test, 0, GET(4, 6), LOAD, PAYLOAD);
		expect(&test, !along, false);
	}
}

// Atomics of a queue family's scope reach no queue of another one.
static void test_between_families(void **state)
{
	(void)state;
	for (uint32_t family = 0; family < 2; family++) {
		struct order_test test;
		prepare(&test);
		struct trace_builder *tb = &test.fixture.tb;
		const uint32_t queue = tb_queue(tb, family);
		test.command = tb_dispatch(tb, 1, 1, 1);
		const uint32_t recording = tb_record_end(tb);
		test.execution = tb_submit(tb, 1, recording);
		const uint32_t second = tb_submit(tb, queue, recording);
		RUN(&test, 0, STORE, PAYLOAD, SET(0, 5));
		tb_log_end(tb, test.execution);
		test.execution = second;
		RUN(&test, 0, GET(0, 5), LOAD, PAYLOAD);
		if (family == 0) {
			expect(&test, 0, false);
			continue;
		}
		tb_log_end(tb, second);
		struct vkr_session *session = fixture_judge(tb);
		const struct vkr_report *report = vkr_session_report(session);
		// The flag itself, and the payload.
		assert_int_equal(report->race_count, 2);
		assert_int_equal(report->coverage_count, 0);
		vkr_session_destroy(session);
		tb_finish(tb);
	}
}

// Dispatches that all to come is behind are no more than noted: a race with a later one is told
// where a barrier makes nothing available, and nothing makes it visible before it is read.
static void test_commands_behind_barriers(void **state)
{
	(void)state;
	struct order_test test;
	prepare(&test);
	struct trace_builder *tb = &test.fixture.tb;
	test.command = tb_dispatch(tb, 1, 1, 1);
	tb_memory_barrier(tb, COMPUTE, 0, COMPUTE, 0);
	const uint32_t second = tb_dispatch(tb, 1, 1, 1);
	tb_memory_barrier(tb, COMPUTE, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT, COMPUTE,
			  VK_ACCESS_2_SHADER_STORAGE_READ_BIT |
				  VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
	const uint32_t third = tb_dispatch(tb, 1, 1, 1);
	test.execution = tb_submit(tb, 1, tb_record_end(tb));
	RUN(&test, 0, STORE, PAYLOAD, SET(0, 5));
	test.command = second;
	RUN(&test, 0, LOAD, PAYLOAD, GET(0, 7), SET(4, 5));
	test.command = third;
	RUN(&test, 0, GET(0, 5), LOAD, PAYLOAD, GET(4, 5));
	tb_log_end(tb, test.execution);
	struct vkr_session *session = fixture_judge(tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 1);
	assert_int_equal(report->races[0].race_class, VKR_RACE_UNAVAILABLE);
	assert_int_equal(report->coverage_count, 0);
	vkr_session_destroy(session);
	tb_finish(tb);
}

// Races that an unknown value leaves open, many of them, with and without barriers behind which
// nothing can bring them into order any more: each is counted once.
static void test_many_open_races(void **state)
{
	enum { ROUNDS = 40 };
	(void)state;
	for (int barriers = 0; barriers < 2; barriers++) {
		struct order_test test;
		uint32_t commands[2 * ROUNDS];
		prepare(&test);
		struct trace_builder *tb = &test.fixture.tb;
		for (uint32_t at = 0; at < 2 * ROUNDS; at++) {
			if (barriers && at % 2 == 0)
				tb_memory_barrier(tb, COMPUTE, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
						  COMPUTE,
						  VK_ACCESS_2_SHADER_STORAGE_READ_BIT |
							  VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT);
			commands[at] = tb_dispatch(tb, 1, 1, 1);
		}
		test.execution = tb_submit(tb, 1, tb_record_end(tb));
		for (uint32_t at = 0; at < 2 * ROUNDS; at++) {
			const uint32_t own = PAYLOAD + 4 * (at / 2);
			test.command = commands[at];
			if (at % 2 == 0)
				RUN(&test, 0, STORE, own, SET(0, 1000 + at));
			else
				RUN(&test, 0, GET(0, 7), LOAD, own);
		}
		tb_log_end(tb, test.execution);
		struct vkr_session *session = fixture_judge(tb);
		const struct vkr_report *report = vkr_session_report(session);
		assert_int_equal(report->race_count, 1);
		assert_int_equal(report->races[0].count, ROUNDS);
		assert_int_equal(report->coverage_count, 0);
		vkr_session_destroy(session);
		tb_finish(tb);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_either_direction),
		cmocka_unit_test(test_other_value),
		cmocka_unit_test(test_release_sequence),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_tickets),
		cmocka_unit_test(test_store_behind_release),
		cmocka_unit_test(test_doubt),
		cmocka_unit_test(test_lock),
		cmocka_unit_test(test_long_lock),
		cmocka_unit_test(test_history),
		cmocka_unit_test(test_control_barrier),
		cmocka_unit_test(test_pause),
		cmocka_unit_test(test_between_commands),
		cmocka_unit_test(test_places_between_commands),
		cmocka_unit_test(test_doubt_between_commands),
		cmocka_unit_test(test_repeated_command),
		cmocka_unit_test(test_unavailable_between_commands),
		cmocka_unit_test(test_between_commands_unordered),
		cmocka_unit_test(test_along_commands),
		cmocka_unit_test(test_between_families),
		cmocka_unit_test(test_commands_behind_barriers),
		cmocka_unit_test(test_many_open_races),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
