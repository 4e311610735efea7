// SPDX-License-Identifier: Apache-2.0
// Bytes of pairs of words in planes and back, compared with their places one by one. Knows
// byte_planes.h only.
#include "byte_planes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define PAIRS_MOST 200u
#define GUARD      0xa5

static void check_size(size_t pairs, uint64_t *random)
{
	const size_t bytes = pairs * 8;
	unsigned char from[PAIRS_MOST * 8], planes[PAIRS_MOST * 8 + 1], back[PAIRS_MOST * 8 + 1];
	for (size_t i = 0; i < bytes; i++) {
		*random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
		from[i] = (unsigned char)(*random >> 56);
	}
	planes[bytes] = back[bytes] = GUARD;
	vkr_planes_split(from, planes, bytes);
	for (size_t i = 0; i < bytes; i++)
		assert_int_equal(planes[i % 8 * pairs + i / 8], from[i]);
	vkr_planes_join(planes, back, bytes);
	assert_memory_equal(back, from, bytes);
	assert_int_equal(planes[bytes], GUARD);
	assert_int_equal(back[bytes], GUARD);
}

static void test_sizes(void **state)
{
	uint64_t random = 1;
	(void)state;
	for (size_t pairs = 1; pairs <= PAIRS_MOST; pairs++)
		check_size(pairs, &random);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_sizes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
