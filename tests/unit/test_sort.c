// SPDX-License-Identifier: Apache-2.0
// Sorting of items that may be none.
#include "sort.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static int compare(const void *a, const void *b)
{
	const int x = *(const int *)a, y = *(const int *)b;
	return (x > y) - (x < y);
}

// UndefinedBehaviorSanitizer refuses a NULL that is given to qsort().
static void test_nothing(void **state)
{
	(void)state;
	vkr_sort(NULL, 0, sizeof(int), compare);
}

static void test_some(void **state)
{
	int one[] = {7}, some[] = {3, 1, 2}, two[] = {2, 1};
	(void)state;
	vkr_sort(one, 1, sizeof *one, compare);
	vkr_sort(two, 2, sizeof *two, compare);
	vkr_sort(some, 3, sizeof *some, compare);
	assert_int_equal(one[0], 7);
	assert_true(two[0] == 1 && two[1] == 2);
	assert_true(some[0] == 1 && some[1] == 2 && some[2] == 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_some),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
