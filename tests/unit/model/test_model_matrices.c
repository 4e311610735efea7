// SPDX-License-Identifier: Apache-2.0
// Cooperative matrices whose lines' distance is logged: who makes an access together, which bytes
// it has, and what orders it. Knows logs; nothing of how shaders make them.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

// Segments of the test's shader, one site each. Matrices are two lines of 8 bytes.
enum {
	STORE_MATRIX = 1, // offset, stride in units of 4 bytes
	LOAD_MATRIX,
	LOAD_WORD,
	SET, // atomic store, release
	GET, // atomic load, acquire
};

#define INVOCATIONS 16u // of a workgroup: two subgroups
#define SUBGROUP    8u

struct matrices {
	struct fixture fixture;
	uint32_t command, execution;
};

static struct vkr_site matrix_site(enum vkr_site_operation operation)
{
	return (struct vkr_site){.operation = (uint8_t)operation,
				 .storage_class = VKR_CLASS_UNIFORM,
				 .execution = VKR_SCOPE_SUBGROUP,
				 .flags = VKR_SITE_NONPRIVATE | VKR_SITE_COOPERATIVE |
					  VKR_SITE_STRIDED,
				 .words = 2,
				 .bytes = 8,
				 .lines = 2,
				 .stride_unit = 4};
}

static struct vkr_site atomic_site(enum vkr_site_operation operation, unsigned order)
{
	return (struct vkr_site){.operation = (uint8_t)operation,
				 .storage_class = VKR_CLASS_UNIFORM,
				 .scope = VKR_SCOPE_QUEUE_FAMILY,
				 .order = (uint8_t)order,
				 .semantics = VKR_CLASS_UNIFORM,
				 .flags = VKR_SITE_NONPRIVATE | VKR_SITE_VALUES,
				 .words = 2,
				 .bytes = 4};
}

static void begin(struct matrices *test)
{
	const struct vkr_variable variable = {
		.kind = VKR_VARIABLE_BUFFER, .count = 1, .spirv_id = 10};
	const struct vkr_site sites[] = {
		matrix_site(VKR_SITE_STORE),
		matrix_site(VKR_SITE_LOAD),
		{.operation = VKR_SITE_LOAD,
		 .storage_class = VKR_CLASS_UNIFORM,
		 .flags = VKR_SITE_NONPRIVATE,
		 .words = 1,
		 .bytes = 4},
		atomic_site(VKR_SITE_ATOMIC_STORE, VKR_ORDER_RELEASE | VKR_ORDER_MAKE_AVAILABLE),
		atomic_site(VKR_SITE_ATOMIC_LOAD, VKR_ORDER_ACQUIRE | VKR_ORDER_MAKE_VISIBLE),
	};
	const uint32_t segments[] = {1, 1, 1, 1, 1, 0};
	const struct tb_shader shader = {.variables = &variable,
					 .variable_count = 1,
					 .sites = sites,
					 .site_count = 5,
					 .segments = segments,
					 .workgroup_size = {INVOCATIONS, 1, 1},
					 .name = "matrices"};
	fixture_init(&test->fixture, 256);
	test->execution = fixture_dispatch(&test->fixture, &shader, &test->command);
}

// The invocations of one subgroup do all the same.
static void subgroup(struct matrices *test, uint32_t workgroup, uint32_t index,
		     const uint32_t *words, uint32_t count)
{
	for (uint32_t local = 0; local < SUBGROUP; local++)
		tb_chunk(&test->fixture.tb, test->command, workgroup, index * SUBGROUP + local,
			 words, count);
}

static void one(struct matrices *test, uint32_t workgroup, uint32_t index, uint32_t kind,
		uint32_t offset, uint32_t stride)
{
	subgroup(test, workgroup, index, (const uint32_t[]){kind, offset, stride, 0}, 4);
}

// Judges: this many races, and the first one's overlap.
static void expect(struct matrices *test, uint32_t races, uint64_t offset, uint64_t bytes)
{
	tb_log_end(&test->fixture.tb, test->execution);
	if (races == 0) {
		fixture_expect(&test->fixture, 0);
		return;
	}
	struct vkr_session *session = fixture_judge(&test->fixture.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->coverage_count, 0);
	assert_int_equal(report->race_count, races);
	assert_int_equal(report->races[0].first.offset, offset);
	assert_int_equal(report->races[0].first.bytes, bytes);
	vkr_session_destroy(session);
	tb_finish(&test->fixture.tb);
}

// Two subgroups' lines stand between each other's, or on each other.
static void test_lines(void **state)
{
	(void)state;
	struct matrices test;
	begin(&test);
	one(&test, 0, 0, STORE_MATRIX, 0, 4);
	one(&test, 0, 1, STORE_MATRIX, 8, 4);
	expect(&test, 0, 0, 0);
	begin(&test);
	one(&test, 0, 0, STORE_MATRIX, 0, 4);
	one(&test, 0, 1, STORE_MATRIX, 8, 2);
	expect(&test, 1, 16, 8);
	begin(&test);
	one(&test, 0, 0, STORE_MATRIX, 0, 5);
	one(&test, 1, 0, LOAD_MATRIX, 24, 9);
	expect(&test, 1, 24, 4);
}

// What one subgroup makes together is no race; the same of two subgroups is one, and of the same
// subgroup in two workgroups, and what one of its invocations makes alone.
static void test_together(void **state)
{
	(void)state;
	struct matrices test;
	begin(&test);
	one(&test, 0, 0, STORE_MATRIX, 0, 4);
	expect(&test, 0, 0, 0);
	begin(&test);
	one(&test, 0, 0, STORE_MATRIX, 0, 4);
	one(&test, 0, 1, STORE_MATRIX, 0, 4);
	expect(&test, 1, 0, 8);
	begin(&test);
	one(&test, 0, 1, STORE_MATRIX, 0, 4);
	one(&test, 1, 1, STORE_MATRIX, 0, 4);
	expect(&test, 1, 0, 8);
	begin(&test);
	one(&test, 0, 0, STORE_MATRIX, 0, 4);
	subgroup(&test, 0, 1, (const uint32_t[]){LOAD_WORD, 20}, 2);
	expect(&test, 1, 20, 4);
}

static void test_beyond(void **state)
{
	(void)state;
	struct matrices test;
	begin(&test);
	one(&test, 0, 0, STORE_MATRIX, 240, 4);
	one(&test, 0, 1, STORE_MATRIX, 0, UINT32_MAX);
	tb_log_end(&test.fixture.tb, test.execution);
	struct vkr_session *session = fixture_judge(&test.fixture.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 0);
	assert_int_equal(report->coverage_count, 1);
	assert_int_equal(report->coverage[0].amount, 2);
	vkr_session_destroy(session);
	tb_finish(&test.fixture.tb);
}

// A flag of each of the storing invocations orders what reads all of them; one is too little.
static void test_released(void **state)
{
	(void)state;
	for (uint32_t seen = SUBGROUP; seen > SUBGROUP - 2; seen--) {
		struct matrices test;
		begin(&test);
		struct trace_builder *tb = &test.fixture.tb;
		for (uint32_t local = 0; local < SUBGROUP; local++) {
			const uint32_t words[] = {STORE_MATRIX, 128,       4,         0,
						  SET,          4 * local, local + 1, 0};
			tb_chunk(tb, test.command, 0, local, words, 8);
		}
		uint32_t words[4 * SUBGROUP + 4], count = 0;
		for (uint32_t local = 0; local < seen; local++) {
			words[count++] = GET;
			words[count++] = 4 * local;
			words[count++] = local + 1;
			words[count++] = 0;
		}
		words[count++] = LOAD_WORD;
		words[count++] = 148;
		tb_chunk(tb, test.command, 1, 3, words, count);
		expect(&test, seen < SUBGROUP, 148, 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_beyond),
		cmocka_unit_test(test_released),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
