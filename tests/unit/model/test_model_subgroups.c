// SPDX-License-Identifier: Apache-2.0
// Which invocations share a subgroup is what they log of it, as far as that makes stretches of one
// size. Knows logs; nothing of how shaders read it.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

// Workgroups of two dimensions: nothing follows from the device.
#define INVOCATIONS 16u

// What each invocation of a workgroup says: it counts in the scope of its subgroup.
typedef uint32_t told(uint32_t local);

static uint32_t eights(uint32_t local)
{
	return local / 8;
}

static uint32_t fours(uint32_t local)
{
	return local / 4;
}

static uint32_t all_one(uint32_t local)
{
	return 0 * local;
}

static uint32_t in_turn(uint32_t local)
{
	return local % 2;
}

struct subgroups {
	struct fixture fixture;
	uint32_t command, execution;
};

static void begin(struct subgroups *test)
{
	const struct vkr_variable variable = {
		.kind = VKR_VARIABLE_WORKGROUP, .bytes = 8, .count = 1, .spirv_id = 10};
	const struct vkr_site sites[] = {
		{.operation = VKR_SITE_SUBGROUP, .variable = UINT32_MAX, .words = 1},
		{.operation = VKR_SITE_ATOMIC_RMW,
		 .storage_class = VKR_CLASS_WORKGROUP,
		 .scope = VKR_SCOPE_SUBGROUP,
		 .flags = VKR_SITE_NONPRIVATE,
		 .words = 1,
		 .bytes = 4},
	};
	const uint32_t segments[] = {2, 0};
	const struct tb_shader shader = {.variables = &variable,
					 .variable_count = 1,
					 .sites = sites,
					 .site_count = 2,
					 .segments = segments,
					 .workgroup_size = {INVOCATIONS / 2, 2, 1},
					 .name = "subgroups"};
	fixture_init(&test->fixture, 256);
	test->execution = fixture_dispatch(&test->fixture, &shader, &test->command);
}

// Each four, or all, count in a word of theirs.
static void workgroup(struct subgroups *test, uint32_t index, told *subgroup, bool apart)
{
	for (uint32_t local = 0; local < INVOCATIONS; local++) {
		const uint32_t words[] = {1, subgroup(local), apart ? local / 8 * 4 : 0, 0};
		tb_chunk(&test->fixture.tb, test->command, index, local, words, 4);
	}
}

static void expect_unknown(struct subgroups *test)
{
	tb_log_end(&test->fixture.tb, test->execution);
	struct vkr_session *session = fixture_judge(&test->fixture.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 0);
	assert_int_equal(report->coverage_count, 1);
	assert_string_equal(report->coverage[0].kind, "synchronization");
	vkr_session_destroy(session);
	tb_finish(&test->fixture.tb);
}

static void expect(struct subgroups *test, bool race)
{
	tb_log_end(&test->fixture.tb, test->execution);
	if (race)
		fixture_expect_class(&test->fixture, VKR_RACE_SCOPE);
	else
		fixture_expect(&test->fixture, 0);
}

// Subgroups race with each other's atomics, and not with their own.
static void test_known(void **state)
{
	(void)state;
	struct subgroups test;
	begin(&test);
	workgroup(&test, 0, eights, false);
	expect(&test, true);
	begin(&test);
	workgroup(&test, 0, eights, true);
	workgroup(&test, 1, eights, true);
	expect(&test, false);
	begin(&test);
	workgroup(&test, 0, fours, true);
	expect(&test, true);
	begin(&test);
	workgroup(&test, 0, all_one, false);
	workgroup(&test, 1, all_one, false);
	expect(&test, false);
}

// They are no stretches, or not of one size, or some do not say.
static void test_unknown(void **state)
{
	(void)state;
	struct subgroups test;
	begin(&test);
	workgroup(&test, 0, in_turn, false);
	expect_unknown(&test);
	begin(&test);
	workgroup(&test, 0, eights, false);
	workgroup(&test, 1, fours, false);
	expect_unknown(&test);
	begin(&test);
	workgroup(&test, 0, all_one, false);
	workgroup(&test, 1, eights, false);
	expect_unknown(&test);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
