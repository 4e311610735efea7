// SPDX-License-Identifier: Apache-2.0
// Order between invocations of one trace-ray command by memory barriers along shader calls. Knows
// the log's chunks and the reports' classes, not how these are found.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// The shaders of the pipeline, by tag.
enum { GENERATION = 1, ANY_HIT, CLOSEST_HIT, INTERSECTION, SHADERS };

// Their segments, one site each.
enum {
	STORE = 1,
	LOAD,
	PRIVATE_STORE,
	RELEASE, // makes available
	ACQUIRE, // makes visible
	BARE_RELEASE,
	BARE_ACQUIRE,
	CALL,
	RETURN,
	COUNT, // atomic
};

static struct vkr_site access_site(enum vkr_site_operation operation, unsigned flags)
{
	return (struct vkr_site){.operation = (uint8_t)operation,
				 .storage_class = VKR_CLASS_UNIFORM,
				 .scope = VKR_SCOPE_QUEUE_FAMILY,
				 .flags = (uint16_t)flags,
				 .words = 1,
				 .bytes = 4};
}

static struct vkr_site fence_site(unsigned order)
{
	return (struct vkr_site){.operation = VKR_SITE_MEMORY_BARRIER,
				 .scope = VKR_SCOPE_SHADER_CALL,
				 .order = (uint8_t)order,
				 .semantics = VKR_CLASS_UNIFORM,
				 .variable = UINT32_MAX};
}

static struct vkr_site call_site(enum vkr_site_operation operation)
{
	return (struct vkr_site){
		.operation = (uint8_t)operation, .words = 1, .variable = UINT32_MAX};
}

struct calls_test {
	struct fixture fixture;
	uint32_t command, execution;
};

static uint32_t add_shader(struct trace_builder *tb, uint32_t tag, bool counts)
{
	static const uint32_t stages[SHADERS] = {
		[GENERATION] = VK_SHADER_STAGE_RAYGEN_BIT_KHR,
		[ANY_HIT] = VK_SHADER_STAGE_ANY_HIT_BIT_KHR,
		[CLOSEST_HIT] = VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR,
		[INTERSECTION] = VK_SHADER_STAGE_INTERSECTION_BIT_KHR,
	};
	const struct vkr_variable variable = {
		.kind = VKR_VARIABLE_BUFFER, .count = 1, .spirv_id = 10};
	const struct vkr_site sites[] = {
		access_site(VKR_SITE_STORE, VKR_SITE_NONPRIVATE),
		access_site(VKR_SITE_LOAD, VKR_SITE_NONPRIVATE),
		access_site(VKR_SITE_STORE, 0),
		fence_site(VKR_ORDER_RELEASE | VKR_ORDER_MAKE_AVAILABLE),
		fence_site(VKR_ORDER_ACQUIRE | VKR_ORDER_MAKE_VISIBLE),
		fence_site(VKR_ORDER_RELEASE),
		fence_site(VKR_ORDER_ACQUIRE),
		call_site(VKR_SITE_SHADER_CALL),
		call_site(VKR_SITE_SHADER_RETURN),
		access_site(VKR_SITE_ATOMIC_RMW, VKR_SITE_NONPRIVATE),
	};
	const uint32_t segments[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, counts, 0};
	const struct tb_shader shader = {.variables = &variable,
					 .variable_count = 1,
					 .sites = sites,
					 .site_count = sizeof sites / sizeof *sites - !counts,
					 .segments = segments,
					 .workgroup_size = {1, 1, 1},
					 .name = "calls",
					 .stage = stages[tag],
					 .identity = VKR_IDENTITY_LAUNCH,
					 .tag = tag};
	return tb_shader(tb, &shader, "calls");
}

// `counts`: the shaders have an atomic, too.
static void begin_with(struct calls_test *test, bool counts)
{
	uint32_t shaders[SHADERS - 1];
	fixture_init(&test->fixture, 256);
	struct trace_builder *tb = &test->fixture.tb;
	for (uint32_t tag = 1; tag < SHADERS; tag++)
		shaders[tag - 1] = add_shader(tb, tag, counts);
	const uint32_t pipeline =
		tb_pipeline(tb, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, shaders, SHADERS - 1);
	struct vkr_trace_cmd_trace_rays rays = {.kind = VKR_RAYS_DIRECT, .extent = {2, 1, 1}};
	tb_record(tb);
	tb_bind_rays(tb, pipeline, test->fixture.layout, test->fixture.set);
	tb_command(tb, VKR_TRACE_CMD_TRACE_RAYS, &rays.command, sizeof rays, NULL, 0);
	test->command = 0;
	test->execution = tb_submit(tb, 1, tb_record_end(tb));
}

static void begin(struct calls_test *test)
{
	begin_with(test, false);
}

// A chunk of an invocation of launch (launch, 0, 0), which began at word `begin` of the log. Words:
// pairs of a segment and its word.
static void run(struct calls_test *test, uint32_t shader, uint32_t launch, uint32_t begin,
		const uint32_t *words, uint32_t count)
{
	uint32_t all[64] = {launch};
	memcpy(all + 4, words, count * sizeof *words);
	tb_chunk(&test->fixture.tb, test->command, begin, shader, all, count + 4);
}
#define RUN(test, shader, launch, begin, ...)                                                      \
	run(test, shader, launch, begin, (const uint32_t[]){__VA_ARGS__},                          \
	    sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

// Expects races of one class, or none.
static void expect(struct calls_test *test, uint32_t races, enum vkr_race_class race_class)
{
	tb_log_end(&test->fixture.tb, test->execution);
	struct vkr_session *session = fixture_judge(&test->fixture.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, races);
	assert_int_equal(report->coverage_count, 0);
	for (uint32_t at = 0; at < races; at++)
		assert_int_equal(report->races[at].race_class, race_class);
	vkr_session_destroy(session);
	tb_finish(&test->fixture.tb);
}

// A caller and what it has called, both ways: with all that it takes, and with each part missing.
static void test_call_and_return(void **state)
{
	(void)state;
	static const struct {
		uint32_t write, release, acquire;
		enum vkr_race_class race_class;
	} cases[] = {
		{STORE, RELEASE, ACQUIRE, VKR_RACE_NONE},
		{STORE, BARE_RELEASE, ACQUIRE, VKR_RACE_UNAVAILABLE},
		{STORE, RELEASE, BARE_ACQUIRE, VKR_RACE_INVISIBLE},
		{STORE, RELEASE, RELEASE, VKR_RACE_UNORDERED},
		{STORE, ACQUIRE, ACQUIRE, VKR_RACE_UNORDERED},
		{PRIVATE_STORE, RELEASE, ACQUIRE, VKR_RACE_PRIVATE},
	};
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		const uint32_t write = cases[at].write, release = cases[at].release;
		const uint32_t acquire = cases[at].acquire;
		const uint32_t races = cases[at].race_class != VKR_RACE_NONE;
		struct calls_test test;
		begin(&test);
		RUN(&test, GENERATION, 0, 100, write, 0, release, 0, CALL, 200, RETURN, 300);
		RUN(&test, CLOSEST_HIT, 0, 200, acquire, 0, LOAD, 0);
		expect(&test, races, cases[at].race_class);
		begin(&test);
		RUN(&test, GENERATION, 0, 100, CALL, 200, RETURN, 300, acquire, 0, LOAD, 0);
		RUN(&test, CLOSEST_HIT, 0, 200, write, 0, release, 0);
		expect(&test, races, cases[at].race_class);
	}
}

// The barrier stands on the wrong side of the call, or the acquire behind the access.
static void test_misplaced_barriers(void **state)
{
	(void)state;
	struct calls_test test;
	begin(&test);
	RUN(&test, GENERATION, 0, 100, STORE, 0, CALL, 200, RETURN, 300, RELEASE, 0);
	RUN(&test, CLOSEST_HIT, 0, 200, ACQUIRE, 0, LOAD, 0);
	expect(&test, 1, VKR_RACE_UNORDERED);
	begin(&test);
	RUN(&test, GENERATION, 0, 100, STORE, 0, RELEASE, 0, CALL, 200, RETURN, 300);
	RUN(&test, CLOSEST_HIT, 0, 200, LOAD, 0, ACQUIRE, 0);
	expect(&test, 1, VKR_RACE_UNORDERED);
	begin(&test);
	RUN(&test, GENERATION, 0, 100, ACQUIRE, 0, CALL, 200, RETURN, 300, LOAD, 0);
	RUN(&test, CLOSEST_HIT, 0, 200, STORE, 0, RELEASE, 0);
	expect(&test, 1, VKR_RACE_UNORDERED);
	begin(&test);
	RUN(&test, GENERATION, 0, 100, ACQUIRE, 0, LOAD, 0, CALL, 200, RETURN, 300);
	RUN(&test, CLOSEST_HIT, 0, 200, STORE, 0, RELEASE, 0);
	expect(&test, 1, VKR_RACE_UNORDERED);
}

// What one call has made is in no order, what two have made one after the other is.
static void test_siblings(void **state)
{
	(void)state;
	struct calls_test test;
	begin(&test);
	RUN(&test, GENERATION, 0, 100, CALL, 200, RETURN, 400);
	RUN(&test, ANY_HIT, 0, 200, ACQUIRE, 0, STORE, 0, RELEASE, 0);
	RUN(&test, ANY_HIT, 0, 300, ACQUIRE, 0, STORE, 0, RELEASE, 0);
	expect(&test, 1, VKR_RACE_UNORDERED);
	begin(&test);
	RUN(&test, GENERATION, 0, 100, CALL, 200, RETURN, 300, CALL, 300, RETURN, 400);
	RUN(&test, ANY_HIT, 0, 200, ACQUIRE, 0, STORE, 0, RELEASE, 0);
	RUN(&test, ANY_HIT, 0, 300, ACQUIRE, 0, STORE, 0, RELEASE, 0);
	expect(&test, 0, VKR_RACE_NONE);
}

// Of another launch, nothing is called: its chunks stand between by chance.
static void test_other_launch(void **state)
{
	(void)state;
	struct calls_test test;
	begin(&test);
	RUN(&test, GENERATION, 0, 100, STORE, 0, RELEASE, 0, CALL, 200, RETURN, 300);
	RUN(&test, CLOSEST_HIT, 1, 200, ACQUIRE, 0, LOAD, 0);
	expect(&test, 1, VKR_RACE_UNORDERED);
}

// Calls within calls: the release of the first is behind all of it.
static void test_nested_calls(void **state)
{
	(void)state;
	struct calls_test test;
	begin(&test);
	RUN(&test, GENERATION, 0, 100, STORE, 0, RELEASE, 0, CALL, 200, RETURN, 400);
	RUN(&test, INTERSECTION, 0, 200, CALL, 300, RETURN, 400);
	RUN(&test, ANY_HIT, 0, 300, ACQUIRE, 0, LOAD, 0);
	expect(&test, 0, VKR_RACE_NONE);
	begin(&test);
	RUN(&test, GENERATION, 0, 100, CALL, 200, RETURN, 400);
	RUN(&test, INTERSECTION, 0, 200, STORE, 0, RELEASE, 0, CALL, 300, RETURN, 400);
	RUN(&test, ANY_HIT, 0, 300, ACQUIRE, 0, LOAD, 0);
	expect(&test, 0, VKR_RACE_NONE);
}

// An any-hit shader ends the ray, and with it the intersection shader: the closest hit is called by
// who has traced the ray, in no order with either.
static void test_terminated_ray(void **state)
{
	(void)state;
	struct calls_test test;
	begin(&test);
	RUN(&test, GENERATION, 0, 100, CALL, 200, RETURN, 500);
	RUN(&test, INTERSECTION, 0, 200, STORE, 0, RELEASE, 0, CALL, 300);
	RUN(&test, ANY_HIT, 0, 300, LOAD, 4);
	RUN(&test, CLOSEST_HIT, 0, 400, ACQUIRE, 0, LOAD, 0);
	expect(&test, 1, VKR_RACE_UNORDERED);
}

// Atomics are ordered by themselves; a plain access against them is not.
static void test_atomics(void **state)
{
	(void)state;
	struct calls_test test;
	begin_with(&test, true);
	RUN(&test, GENERATION, 0, 100, COUNT, 0, CALL, 200, RETURN, 300);
	RUN(&test, GENERATION, 1, 150, COUNT, 0);
	RUN(&test, CLOSEST_HIT, 0, 200, COUNT, 0);
	expect(&test, 0, VKR_RACE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_call_and_return), cmocka_unit_test(test_misplaced_barriers),
		cmocka_unit_test(test_siblings),        cmocka_unit_test(test_other_launch),
		cmocka_unit_test(test_nested_calls),    cmocka_unit_test(test_terminated_ray),
		cmocka_unit_test(test_atomics),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
