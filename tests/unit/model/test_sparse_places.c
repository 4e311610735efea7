// SPDX-License-Identifier: Apache-2.0
// Places of sparse resources against a table with a line for each byte.
#include "sparse_places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define BYTES     24u
#define RESOURCES 3u
#define MEMORIES  2u // numbers from 1; 0: none

struct byte {
	uint64_t memory, at;
};

static uint32_t next(uint64_t *random, uint32_t below)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*random >> 33) % below;
}

static bool is_behind_other(struct byte table[RESOURCES][BYTES],
			    const struct vkr_sparse_place *place)
{
	for (uint32_t resource = 0; resource < RESOURCES; resource++)
		for (uint32_t at = 0; resource != place->resource && at < BYTES; at++)
			if (place->memory != 0 && table[resource][at].memory == place->memory &&
			    table[resource][at].at >= place->memory_low &&
			    table[resource][at].at < place->memory_low + place->high - place->low)
				return true;
	return false;
}

static void test_random(void **state)
{
	uint64_t random = 5;
	(void)state;
	for (int round = 0; round < 200; round++) {
		struct byte table[RESOURCES][BYTES];
		struct vkr_sparse_places places = {.widest = 0};
		memset(table, 0, sizeof table);
		for (int step = 0; step < 40; step++) {
			struct vkr_sparse_place place = {.resource = next(&random, RESOURCES),
							 .low = next(&random, BYTES - 1),
							 .memory = next(&random, MEMORIES + 1),
							 .memory_low = next(&random, BYTES)};
			bool shared = true;
			place.high =
				place.low + 1 + next(&random, (uint32_t)(BYTES - place.low - 1));
			assert_true(vkr_sparse_places_bind(&places, &place, &shared));
			assert_int_equal(shared, is_behind_other(table, &place));
			for (uint64_t at = place.low; at < place.high; at++)
				table[place.resource][at] = (struct byte){
					place.memory, place.memory_low + at - place.low};
		}
		size_t bound = 0;
		for (uint32_t resource = 0; resource < RESOURCES; resource++)
			for (uint32_t at = 0; at < BYTES; at++)
				bound += table[resource][at].memory != 0;
		for (size_t at = 0; at < places.of_resources.count; at++)
			bound -= places.of_resources.items[at].high -
				 places.of_resources.items[at].low;
		assert_int_equal(bound, 0);
		assert_int_equal(places.of_resources.count, places.of_memory.count);
		vkr_sparse_places_finish(&places);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
