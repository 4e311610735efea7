// SPDX-License-Identifier: Apache-2.0
// Sparse clocks and views: what joining keeps, shares and finds again.
#include "order_clock.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct vkr_clock_arena memory;

static int set_up(void **state)
{
	(void)state;
	vkr_arena_init(&memory.arena);
	memory.failed = false;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	vkr_arena_finish(&memory.arena);
	return 0;
}

static const struct vkr_vector_clock *add(const struct vkr_vector_clock *vector, uint64_t agent,
					  enum vkr_clock_kind kind, uint64_t position)
{
	return vkr_vector_clock_add(&memory, vector, agent, kind, position, VKR_SETS_ALL);
}

// The position in set 1 that the agent is known up to, 0 for none.
static uint64_t known(const struct vkr_vector_clock *vector, uint64_t agent)
{
	const struct vkr_clock *entry = vkr_clock_find(vector->clocks[1], agent, VKR_CLOCK_ALL, 0);
	return entry ? entry->position : 0;
}

static size_t count(const struct vkr_clock *clock)
{
	return clock ? 1 + count(clock->less) + count(clock->greater) : 0;
}

static void sets(void **state)
{
	(void)state;
	assert_int_equal(vkr_sets_within(0), 0);
	assert_int_equal(vkr_sets_within(5), 1u << 1 | 1u << 4 | 1u << 5);
	assert_int_equal(vkr_sets_within(15), VKR_SETS_THREAD);
	assert_int_equal(vkr_sets_with(0), 0);
	assert_int_equal(vkr_sets_with(8), 0xff00);
	assert_int_equal(vkr_sets_with(1), 0xaaaa);
}

static void later_position_wins(void **state)
{
	(void)state;
	const struct vkr_vector_clock *vector = add(NULL, 7, VKR_CLOCK_ALL, 4);
	const struct vkr_vector_clock *later = add(vector, 7, VKR_CLOCK_ALL, 9);
	assert_int_equal(known(later, 7), 9);
	// What adds nothing returns the view as it stands.
	assert_ptr_equal(add(later, 7, VKR_CLOCK_ALL, 9), later);
	assert_ptr_equal(add(later, 7, VKR_CLOCK_ALL, 3), later);
	// The earlier view is as it was.
	assert_int_equal(known(vector, 7), 4);
}

static void kinds_and_singles_stay_apart(void **state)
{
	(void)state;
	const struct vkr_vector_clock *vector = add(NULL, 7, VKR_CLOCK_ALL, 4);
	vector = add(vector, 7, VKR_CLOCK_QUALIFIED, 8);
	vector = add(vector, 7, VKR_CLOCK_SINGLE, 21);
	vector = add(vector, 7, VKR_CLOCK_SINGLE, 11);
	vector = add(vector, 7, VKR_CLOCK_SINGLE, 21);
	vector = add(vector, 6, VKR_CLOCK_GROUP, 0);
	vector = add(vector, 8, VKR_CLOCK_ALL, 1);
	const struct vkr_clock *clock = vector->clocks[1];
	assert_int_equal(count(clock), 6);
	assert_int_equal(known(vector, 7), 4);
	assert_int_equal(vkr_clock_find(clock, 7, VKR_CLOCK_QUALIFIED, 0)->position, 8);
	assert_non_null(vkr_clock_find(clock, 7, VKR_CLOCK_SINGLE, 11));
	assert_non_null(vkr_clock_find(clock, 7, VKR_CLOCK_SINGLE, 21));
	assert_null(vkr_clock_find(clock, 7, VKR_CLOCK_SINGLE, 12));
	assert_null(vkr_clock_find(clock, 7, VKR_CLOCK_ACQUIRED, 0));
	assert_non_null(vkr_clock_find(clock, 6, VKR_CLOCK_GROUP, 0));
}

static void join_takes_chosen_sets(void **state)
{
	(void)state;
	const struct vkr_vector_clock *left = add(NULL, 1, VKR_CLOCK_ALL, 2);
	const struct vkr_vector_clock *right = add(NULL, 3, VKR_CLOCK_ALL, 4);
	const struct vkr_vector_clock *both =
		vkr_vector_clock_join(&memory, left, right, vkr_sets_within(1));
	assert_int_equal(count(both->clocks[1]), 2);
	assert_ptr_equal(both->clocks[2], left->clocks[2]);
	assert_ptr_equal(both->clocks[0], left->clocks[0]);
	assert_ptr_equal(vkr_vector_clock_join(&memory, left, right, 0), left);
	assert_ptr_equal(vkr_vector_clock_join(&memory, left, NULL, VKR_SETS_ALL), left);
	assert_ptr_equal(vkr_vector_clock_join(&memory, NULL, right, VKR_SETS_ALL), right);
	assert_ptr_equal(vkr_vector_clock_join(&memory, both, left, VKR_SETS_ALL), both);
}

static void equal_clocks_share(void **state)
{
	(void)state;
	const struct vkr_vector_clock *left = add(NULL, 1, VKR_CLOCK_ALL, 2);
	const struct vkr_vector_clock *right = add(NULL, 3, VKR_CLOCK_ALL, 4);
	const struct vkr_vector_clock *both =
		vkr_vector_clock_join(&memory, left, right, VKR_SETS_ALL);
	for (unsigned set = 1; set < VKR_CLOCK_SETS; set++)
		assert_ptr_equal(both->clocks[set], both->clocks[0]);
}

// Joining agrees with a plain table of positions.
static void join_like_a_table(void **state)
{
	(void)state;
	enum { AGENTS = 40, ROUNDS = 500 };
	uint64_t table[2][AGENTS] = {{0}}, random = 1;
	const struct vkr_vector_clock *vectors[2] = {NULL, NULL};
	for (unsigned round = 0; round < ROUNDS; round++) {
		random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		unsigned side = random >> 40 & 1;
		uint64_t agent = (random >> 33) % AGENTS, at = (random >> 50) % 100 + 1;
		vectors[side] = add(vectors[side], agent, VKR_CLOCK_ALL, at);
		if (at > table[side][agent])
			table[side][agent] = at;
	}
	const struct vkr_vector_clock *joined =
		vkr_vector_clock_join(&memory, vectors[0], vectors[1], VKR_SETS_ALL);
	for (uint64_t agent = 0; agent < AGENTS; agent++) {
		uint64_t larger =
			table[0][agent] > table[1][agent] ? table[0][agent] : table[1][agent];
		assert_int_equal(known(joined, agent), larger);
	}
}

// A clock that grows by one entry a step shares nearly all of the one before.
static void growth_shares(void **state)
{
	(void)state;
	enum { STEPS = 10000 };
	const struct vkr_vector_clock *vector = NULL;
	for (uint64_t agent = 0; agent < STEPS; agent++)
		vector = add(vector, agent, VKR_CLOCK_ALL, 1);
	assert_int_equal(count(vector->clocks[1]), STEPS);
	assert_true(memory.arena.bytes < (size_t)STEPS * 4096);
}

// The larger one of two clocks is what comes of them, also where they are equal in part without
// sharing it: what is kept of both then goes on sharing.
static void the_larger_is_shared(void **state)
{
	(void)state;
	const struct vkr_vector_clock *small = NULL, *large = NULL;
	for (uint64_t i = 0; i < 1000; i++) {
		small = i % 3 ? add(small, i, VKR_CLOCK_ALL, 1) : small;
		large = add(large, 999 - i, VKR_CLOCK_ALL, 1);
	}
	assert_ptr_equal(vkr_vector_clock_join(&memory, small, large, VKR_SETS_ALL)->clocks[1],
			 large->clocks[1]);
	assert_ptr_equal(vkr_vector_clock_join(&memory, large, small, VKR_SETS_ALL), large);
}

// The order of joining does not matter to the shape: what is equal is found equal.
static void shape_is_canonical(void **state)
{
	(void)state;
	const struct vkr_vector_clock *up = NULL, *down = NULL;
	for (uint64_t i = 0; i < 1000; i++) {
		up = add(up, i, VKR_CLOCK_ALL, i + 1);
		down = add(down, 999 - i, VKR_CLOCK_ALL, 1000 - i);
	}
	assert_ptr_equal(vkr_vector_clock_join(&memory, up, down, VKR_SETS_ALL), up);
	assert_ptr_equal(vkr_vector_clock_join(&memory, down, up, VKR_SETS_ALL), down);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(sets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(later_position_wins, set_up, tear_down),
		cmocka_unit_test_setup_teardown(kinds_and_singles_stay_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(join_takes_chosen_sets, set_up, tear_down),
		cmocka_unit_test_setup_teardown(equal_clocks_share, set_up, tear_down),
		cmocka_unit_test_setup_teardown(join_like_a_table, set_up, tear_down),
		cmocka_unit_test_setup_teardown(growth_shares, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_larger_is_shared, set_up, tear_down),
		cmocka_unit_test_setup_teardown(shape_is_canonical, set_up, tear_down),
	};
	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
