// SPDX-License-Identifier: Apache-2.0
// Two reports beside each other: which races are new, gone, in both, and what is said of them.
#include "report_diff.h"
#include "sample_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Races 0 to 3 before; 1, 7 and 0 after.
static void make(struct vkr_report *before, struct vkr_report *after,
		 struct vkr_race_report races[3])
{
	const struct vkr_report *full = vkr_sample_report("full");
	*before = (struct vkr_report){.races = full->races, .race_count = 4};
	races[0] = full->races[1];
	races[1] = full->races[7];
	races[2] = full->races[0];
	*after = (struct vkr_report){.races = races, .race_count = 3};
}

static void test_pairs(void **state)
{
	(void)state;
	struct vkr_report before, after;
	struct vkr_race_report races[3];
	struct vkr_report_diff diff;
	struct vkr_error error;
	make(&before, &after, races);
	assert_int_equal(vkr_report_diff_make(&diff, &before, &after, &error), VKR_OK);
	assert_int_equal(diff.races.count, 5);
	assert_int_equal(diff.races.added, 1);
	assert_int_equal(diff.races.gone, 2);
	assert_ptr_equal(diff.races.items[0].before, &before.races[1]);
	assert_ptr_equal(diff.races.items[0].after, &races[0]);
	assert_null(diff.races.items[1].before);
	assert_ptr_equal(diff.races.items[2].before, &before.races[0]);
	assert_ptr_equal(diff.races.items[3].before, &before.races[2]);
	assert_null(diff.races.items[3].after);
	assert_ptr_equal(diff.races.items[4].before, &before.races[3]);
	vkr_report_diff_finish(&diff);
}

// What was possible and is certain now is a new race, and possible no more.
static void test_possible(void **state)
{
	(void)state;
	const struct vkr_report *full = vkr_sample_report("full");
	const struct vkr_report before = {.possible = full->races, .possible_count = 2};
	const struct vkr_report after = {.races = full->races,
					 .race_count = 1,
					 .possible = full->races + 1,
					 .possible_count = 1};
	struct vkr_report_diff diff;
	struct vkr_error error;
	assert_int_equal(vkr_report_diff_make(&diff, &before, &after, &error), VKR_OK);
	assert_int_equal(diff.races.added, 1);
	assert_int_equal(diff.races.gone, 0);
	assert_int_equal(diff.possible.added, 0);
	assert_int_equal(diff.possible.gone, 1);
	assert_int_equal(diff.possible.count, 2);
	vkr_report_diff_finish(&diff);
}

static void test_empty(void **state)
{
	(void)state;
	const struct vkr_report empty = {.race_count = 0};
	struct vkr_report_diff diff;
	struct vkr_error error;
	assert_int_equal(vkr_report_diff_make(&diff, &empty, &empty, &error), VKR_OK);
	assert_int_equal(diff.races.count, 0);
	vkr_report_diff_finish(&diff);
}

static void test_texts(void **state)
{
	(void)state;
	const struct vkr_coverage_report lack = {"log", "records lost", 1, 0};
	const struct vkr_report_text_options options = {.brief = true};
	struct vkr_report before, after;
	struct vkr_race_report races[3];
	struct vkr_report_diff diff;
	struct vkr_error error;
	char *text = NULL;
	size_t bytes = 0;
	make(&before, &after, races);
	after.coverage = &lack;
	after.coverage_count = 1;
	FILE *memory = open_memstream(&text, &bytes);
	assert_non_null(memory);
	assert_int_equal(vkr_report_diff_make(&diff, &before, &after, &error), VKR_OK);
	assert_int_equal(vkr_report_diff_text(&diff, memory, &options, &error), VKR_OK);
	assert_int_equal(vkr_report_diff_json(&diff, memory, &error), VKR_OK);
	fclose(memory);
	assert_ptr_equal(strstr(text, "vkrace: free race"), text);
	assert_non_null(strstr(text, "vkrace: gone: invisible race"));
	assert_non_null(strstr(text, "vkrace: 1 new race, 2 gone, 2 in both; not everything was "
				     "observed, so that a race may be gone from sight only\n{"));
	assert_non_null(strstr(text, "\"id\": \"0123456789abcdef\",\n      \"before\": 4096"));
	free(text);
	vkr_report_diff_finish(&diff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_possible),
		cmocka_unit_test(test_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
