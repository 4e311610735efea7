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

// Of tails only those of images that are made alike, bound to the same place, have their bytes
// where the other's are.
static void test_shapes(void **state)
{
	(void)state;
	for (uint64_t shape = 0; shape < 3; shape++) {
		for (uint64_t moved = 0; moved < 2; moved++) {
			struct vkr_sparse_places places = {.widest = 0};
			struct vkr_sparse_place place = {.resource = 1,
							 .high = 8,
							 .memory = 1,
							 .mapped = true,
							 .shape = shape == 0 ? 0 : 1};
			bool shared = true;
			assert_true(vkr_sparse_places_bind(&places, &place, &shared));
			assert_false(shared);
			place.resource = 2;
			place.shape = shape;
			place.memory_low = moved;
			assert_true(vkr_sparse_places_bind(&places, &place, &shared));
			assert_int_equal(shared, shape == 2 || (shape == 1 && moved));
			vkr_sparse_places_finish(&places);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
					   cmocka_unit_test(test_shapes)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
