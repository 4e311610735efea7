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
	OTHER_STORE, // through another descriptor of the buffer
	COUNT,       // atomics, with the values read and written
	RELEASE_COUNT,
	ACQUIRE_COUNT,
};

enum atomics { NONE, SILENT, LOGGED }; // whether the shaders have any, and whether these log values

// In every test: with atomics all is judged together, which makes no difference.
static enum atomics every = NONE;

static enum vkr_scope fences = VKR_SCOPE_SHADER_CALL;

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
				 .scope = (uint8_t)fences,
				 .order = (uint8_t)order,
				 .semantics = VKR_CLASS_UNIFORM,
				 .variable = UINT32_MAX};
}

static struct vkr_site atomic_site(enum atomics atomics, unsigned order)
{
	struct vkr_site site =
		access_site(VKR_SITE_ATOMIC_RMW,
			    VKR_SITE_NONPRIVATE | (atomics == LOGGED ? VKR_SITE_VALUES : 0));
	site.order = (uint8_t)order;
	site.semantics = order != 0 ? VKR_CLASS_UNIFORM : 0;
	site.words = atomics == LOGGED ? 3 : 1;
	return site;
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

static uint32_t add_shader(struct trace_builder *tb, uint32_t tag, enum atomics atomics)
{
	static const uint32_t stages[SHADERS] = {
		[GENERATION] = VK_SHADER_STAGE_RAYGEN_BIT_KHR,
		[ANY_HIT] = VK_SHADER_STAGE_ANY_HIT_BIT_KHR,
		[CLOSEST_HIT] = VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR,
		[INTERSECTION] = VK_SHADER_STAGE_INTERSECTION_BIT_KHR,
	};
	const struct vkr_variable variables[] = {
		{.kind = VKR_VARIABLE_BUFFER, .count = 1, .spirv_id = 10},
		{.kind = VKR_VARIABLE_BUFFER, .count = 1, .spirv_id = 11, .binding = 1}};
	struct vkr_site other_store = access_site(VKR_SITE_STORE, VKR_SITE_NONPRIVATE);
	other_store.variable = 1;
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
		other_store,
		atomic_site(atomics, 0),
		atomic_site(atomics, VKR_ORDER_RELEASE | VKR_ORDER_MAKE_AVAILABLE),
		atomic_site(atomics, VKR_ORDER_ACQUIRE | VKR_ORDER_MAKE_VISIBLE),
	};
	const uint32_t segments[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, atomics != NONE, 1, 1, 0};
	const struct tb_shader shader = {.variables = variables,
					 .variable_count = 2,
					 .sites = sites,
					 .site_count = atomics == NONE ? COUNT - 1 : ACQUIRE_COUNT,
					 .segments = segments,
					 .workgroup_size = {1, 1, 1},
					 .name = "calls",
					 .stage = stages[tag],
					 .identity = VKR_IDENTITY_LAUNCH,
					 .tag = tag};
	return tb_shader(tb, &shader, "calls");
}

static void begin_with(struct calls_test *test, enum atomics atomics)
{
	static const struct vkr_trace_binding bindings[] = {
		{.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .count = 1},
		{.binding = 1, .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .count = 1}};
	uint32_t shaders[SHADERS - 1];
	fixture_init(&test->fixture, 256);
	struct trace_builder *tb = &test->fixture.tb;
	const struct vkr_trace_descriptor descriptor = {.object = test->fixture.buffer,
							.bytes = VK_WHOLE_SIZE};
	test->fixture.set_layout = tb_set_layout(tb, bindings, 2);
	test->fixture.layout = tb_pipeline_layout(tb, test->fixture.set_layout);
	test->fixture.set = tb_set(tb, test->fixture.set_layout);
	for (uint32_t binding = 0; binding < 2; binding++)
		tb_write(tb, test->fixture.set, binding, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			 &descriptor, 1);
	for (uint32_t tag = 1; tag < SHADERS; tag++)
		shaders[tag - 1] = add_shader(tb, tag, atomics);
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
	begin_with(test, every);
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

// A read that comes first need not be made available: of "Location-Ordered", "X is a read" asks for
// no common reference, and "X is a write" does.
static void test_other_reference(void **state)
{
	(void)state;
	static const uint32_t first[] = {LOAD, STORE};
	for (uint32_t writes = 0; writes < 2; writes++) {
		struct calls_test test;
		begin(&test);
		RUN(&test, GENERATION, 0, 100, first[writes], 0, RELEASE, 0, CALL, 200, RETURN,
		    300);
		RUN(&test, CLOSEST_HIT, 0, 200, ACQUIRE, 0, OTHER_STORE, 0);
		expect(&test, writes, VKR_RACE_REFERENCE);
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
	expect(&test, 1, every == NONE ? VKR_RACE_UNORDERED : VKR_RACE_SCOPE);
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
	begin_with(&test, SILENT);
	RUN(&test, GENERATION, 0, 100, COUNT, 0, CALL, 200, RETURN, 300);
	RUN(&test, GENERATION, 1, 150, COUNT, 0);
	RUN(&test, CLOSEST_HIT, 0, 200, COUNT, 0);
	expect(&test, 0, VKR_RACE_NONE);
}

// What one launch has been handed by the hit that it called, atomics hand to another launch: every
// step of that chain is needed.
static void test_calls_and_atomics(void **state)
{
	(void)state;
	static const struct {
		uint32_t release, acquire, hand, take;
		enum vkr_scope fences;
		enum vkr_race_class race_class;
	} cases[] = {
		{RELEASE, ACQUIRE, RELEASE_COUNT, ACQUIRE_COUNT, VKR_SCOPE_QUEUE_FAMILY,
		 VKR_RACE_NONE},
		{ACQUIRE, ACQUIRE, RELEASE_COUNT, ACQUIRE_COUNT, VKR_SCOPE_QUEUE_FAMILY,
		 VKR_RACE_UNORDERED},
		{RELEASE, RELEASE, RELEASE_COUNT, ACQUIRE_COUNT, VKR_SCOPE_QUEUE_FAMILY,
		 VKR_RACE_UNORDERED},
		{RELEASE, ACQUIRE, COUNT, ACQUIRE_COUNT, VKR_SCOPE_QUEUE_FAMILY,
		 VKR_RACE_UNORDERED},
		{RELEASE, ACQUIRE, RELEASE_COUNT, COUNT, VKR_SCOPE_QUEUE_FAMILY,
		 VKR_RACE_UNORDERED},
		// Available to the launch alone.
		{RELEASE, ACQUIRE, RELEASE_COUNT, ACQUIRE_COUNT, VKR_SCOPE_SHADER_CALL,
		 VKR_RACE_UNAVAILABLE},
	};
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		struct calls_test test;
		fences = cases[at].fences;
		begin_with(&test, LOGGED);
		RUN(&test, GENERATION, 0, 100, STORE, 0, cases[at].release, 0, CALL, 200, RETURN,
		    300);
		RUN(&test, CLOSEST_HIT, 0, 200, cases[at].acquire, 0, cases[at].hand, 64, 0, 1);
		RUN(&test, GENERATION, 1, 150, cases[at].take, 64, 1, 2, LOAD, 0);
		expect(&test, cases[at].race_class != VKR_RACE_NONE, cases[at].race_class);
	}
}

// A relaxed atomic of one shader continues the release of another one; a launch of another scope
// tree does not.
static void test_continued_release(void **state)
{
	(void)state;
	struct calls_test test;
	begin_with(&test, LOGGED);
	RUN(&test, GENERATION, 0, 100, STORE, 0, RELEASE_COUNT, 64, 0, 1);
	RUN(&test, ANY_HIT, 1, 150, COUNT, 64, 1, 2);
	RUN(&test, CLOSEST_HIT, 2, 200, ACQUIRE_COUNT, 64, 2, 3, LOAD, 0);
	expect(&test, 0, VKR_RACE_NONE);
	begin_with(&test, LOGGED);
	RUN(&test, GENERATION, 0, 100, STORE, 0, RELEASE_COUNT, 64, 0, 1);
	RUN(&test, ANY_HIT, 1, 150, COUNT, 68, 1, 2);
	RUN(&test, CLOSEST_HIT, 2, 200, ACQUIRE_COUNT, 64, 2, 3, LOAD, 0);
	expect(&test, 1, VKR_RACE_UNORDERED);
}

// What was handed on along many calls is handed on by the last of them: a hit that acquires and
// releases, and a caller that does.
static void test_handed_on(void **state)
{
	(void)state;
	static const uint32_t racing[] = {0, 0, 1};
	for (uint32_t variant = 0; variant < 3; variant++) {
		struct calls_test test;
		begin(&test);
		RUN(&test, GENERATION, 0, 100, STORE, 0, RELEASE, 0, CALL, 200, RETURN, 300, CALL,
		    300, RETURN, 400, variant == 1 ? ACQUIRE : RELEASE, 0, RELEASE, 0, CALL, 400,
		    RETURN, 500);
		RUN(&test, CLOSEST_HIT, 0, 200, STORE, 4, RELEASE, 0);
		RUN(&test, CLOSEST_HIT, 0, 300, variant == 2 ? RELEASE : ACQUIRE, 0, STORE, 8,
		    RELEASE, 0, LOAD, 4);
		RUN(&test, CLOSEST_HIT, 0, 400, ACQUIRE, 0, LOAD, 0, LOAD, 4, LOAD, 8);
		expect(&test, racing[variant], VKR_RACE_UNORDERED);
	}
}

static int judge_together(void **state)
{
	(void)state;
	every = LOGGED;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_call_and_return),    cmocka_unit_test(test_other_reference),
		cmocka_unit_test(test_misplaced_barriers), cmocka_unit_test(test_siblings),
		cmocka_unit_test(test_other_launch),       cmocka_unit_test(test_nested_calls),
		cmocka_unit_test(test_terminated_ray),     cmocka_unit_test(test_atomics),
		cmocka_unit_test(test_calls_and_atomics),  cmocka_unit_test(test_continued_release),
		cmocka_unit_test(test_handed_on),
	};
	const int apart = cmocka_run_group_tests(tests, NULL, NULL);
	return apart + cmocka_run_group_tests(tests, judge_together, NULL);
}
