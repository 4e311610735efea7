// SPDX-License-Identifier: Apache-2.0
// Binary search against going through the items one by one.
#include "search.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ITEMS 9u

static void test_all(void **state)
{
	(void)state;
	// Each item is twice its index; from each start, to each end, for each number.
	const unsigned items[ITEMS] = {0, 2, 4, 6, 8, 10, 12, 14, 16};
	for (size_t from = 0; from <= ITEMS; from++)
		for (size_t end = 0; end <= ITEMS; end++)
			for (unsigned number = 0; number < 2 * ITEMS; number++) {
				size_t found = from, expected = from;
				VKR_SEARCH(found, end, at, items[at] < number);
				while (expected < end && items[expected] < number)
					expected++;
				assert_int_equal(found, expected);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
