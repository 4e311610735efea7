// SPDX-License-Identifier: Apache-2.0
// Sets of bytes as ranges against a table with a mark for each byte.
#include "byte_ranges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define BYTES    4096u
#define MEMORIES 2u

static uint32_t next(uint64_t *random, uint32_t below)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*random >> 33) % below;
}

static void check(struct vkr_byte_ranges *ranges, bool (*marks)[BYTES])
{
	bool found[MEMORIES][BYTES] = {0};
	vkr_byte_ranges_settle(ranges);
	for (size_t i = 0; i < ranges->count; i++) {
		const struct vkr_byte_range *range = &ranges->items[i];
		const struct vkr_byte_range *before = i > 0 ? range - 1 : NULL;
		assert_true(range->low < range->high && range->high <= BYTES);
		assert_true(!before || before->memory < range->memory ||
			    (before->memory == range->memory && before->high < range->low));
		memset(&found[range->memory][range->low], 1, range->high - range->low);
	}
	assert_memory_equal(found, marks, sizeof found);
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct vkr_byte_ranges ranges = {0};
		bool marks[MEMORIES][BYTES] = {0};
		uint64_t random = seed;
		for (uint32_t step = 0; step < 3000; step++) {
			const uint32_t memory = next(&random, MEMORIES);
			const uint32_t low = next(&random, BYTES);
			const uint32_t room = BYTES - low < 4 ? BYTES - low : 4;
			const uint32_t bytes = 1 + next(&random, room);
			assert_true(vkr_byte_ranges_add(&ranges, memory, low, low + bytes));
			memset(&marks[memory][low], 1, bytes);
			if (next(&random, 700) == 0)
				check(&ranges, marks);
		}
		check(&ranges, marks);
		vkr_byte_ranges_finish(&ranges);
	}
}

// What comes side by side stays one range, however much of it there is.
static void test_rows(void **state)
{
	(void)state;
	struct vkr_byte_ranges ranges = {0};
	for (uint32_t turn = 0; turn < 3; turn++)
		for (uint64_t at = 0; at < 1000000; at += 4)
			assert_true(vkr_byte_ranges_add(&ranges, 1, at, at + 4));
	assert_true(ranges.capacity < 1000);
	vkr_byte_ranges_settle(&ranges);
	assert_int_equal(ranges.count, 1);
	assert_int_equal(ranges.items[0].high, 1000000);
	vkr_byte_ranges_finish(&ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
					   cmocka_unit_test(test_rows)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
