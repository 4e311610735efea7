// SPDX-License-Identifier: Apache-2.0
// One report of several: what stands once, what is added up, who has found what.
#include "report_merge.h"
#include "sample_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void merge(const char *const *samples, size_t count, struct vkr_arena *arena,
		  struct vkr_report *merged)
{
	const struct vkr_report *reports[4];
	struct vkr_error error;
	vkr_arena_init(arena);
	for (size_t i = 0; i < count; i++)
		reports[i] = vkr_sample_report(samples[i]);
	assert_int_equal(vkr_report_merge(reports, samples, count, arena, merged, &error), VKR_OK);
}

static void test_several(void **state)
{
	(void)state;
	static const char *const samples[] = {"full", "incomplete", "full", "huge"};
	const struct vkr_report *full = vkr_sample_report("full");
	struct vkr_report merged;
	struct vkr_arena arena;
	merge(samples, 4, &arena, &merged);
	assert_int_equal(merged.verdict, VKR_VERDICT_RACES);
	assert_int_equal(merged.race_count, full->race_count + 1);
	assert_int_equal(merged.race_total, 2 * full->race_total + 1000000000);
	assert_int_equal(merged.races[0].count, 2 * full->races[0].count);
	assert_int_equal(merged.races[0].run_count, 2);
	assert_int_equal(merged.races[0].runs[0], 0);
	assert_int_equal(merged.races[0].runs[1], 2);
	// The report of three runs brings these.
	assert_int_equal(merged.run_count, 3 + 3);
	assert_string_equal(merged.runs[1].name, "incomplete");
	assert_string_equal(merged.runs[5].name, "c.json");
	assert_int_equal(merged.races[8].run_count, 2);
	assert_int_equal(merged.races[8].runs[0], 3);
	assert_int_equal(merged.races[8].runs[1], 5);
	assert_int_equal(merged.coverage_count, 3 + 1);
	assert_int_equal(merged.coverage[0].count, 6);
	assert_int_equal(merged.coverage[1].amount, 24000);
	assert_int_equal(merged.possible_count, 1);
	assert_int_equal(merged.possible[0].run_count, 1);
	assert_int_equal(merged.possible[0].runs[0], 1);
	assert_int_equal(merged.change_count, full->change_count);
	assert_string_equal(merged.program, "several programs");
	vkr_arena_finish(&arena);
}

static void test_one_program(void **state)
{
	(void)state;
	static const char *const samples[] = {"full", "full"};
	struct vkr_report merged;
	struct vkr_arena arena;
	merge(samples, 2, &arena, &merged);
	assert_string_equal(merged.program, "./fluid --size 12");
	assert_int_equal(merged.known_count, 2);
	vkr_arena_finish(&arena);
}

static void test_nothing(void **state)
{
	(void)state;
	static const char *const samples[] = {"none", "none"};
	struct vkr_report merged;
	struct vkr_arena arena;
	merge(samples, 2, &arena, &merged);
	assert_int_equal(merged.verdict, VKR_VERDICT_NONE);
	assert_int_equal(merged.race_count, 0);
	assert_int_equal(merged.executions, 2);
	vkr_arena_finish(&arena);
}

// Judgements under two memory models say nothing together.
static void test_two_models(void **state)
{
	(void)state;
	static const char *const names[] = {"a.json", "b.json"};
	struct vkr_report other = *vkr_sample_report("none"), merged;
	other.model = "hrf-direct";
	const struct vkr_report *reports[] = {vkr_sample_report("none"), &other};
	struct vkr_error error;
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	assert_int_equal(vkr_report_merge(reports, names, 2, &arena, &merged, &error),
			 VKR_ERROR_UNSUPPORTED);
	assert_string_equal(error.message, "a.json was judged under vulkan, and b.json under "
					   "hrf-direct: these are not put together");
	vkr_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_one_program),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_two_models),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
