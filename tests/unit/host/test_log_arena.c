// SPDX-License-Identifier: Apache-2.0
// The address space that logs are in: how much each of many has.
#include "log_arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/mman.h>

#include <cmocka.h>

#define ARENA_BYTES  (UINT64_C(1) << 33)
#define REGION_BYTES (UINT64_C(1) << 30)

static uint64_t take_part(struct vkr_log_arena *arena)
{
	const uint64_t bytes = vkr_log_arena_part(arena, REGION_BYTES);
	return vkr_log_arena_map(arena, bytes) ? bytes : 0;
}

static void give_back(struct vkr_log_arena arena)
{
	struct vkr_log_arena rest = arena;
	vkr_log_arena_finish(&rest);
	assert_int_equal(munmap(arena.memory, arena.used), 0);
}

static void first_logs_have_what_they_want(void **state)
{
	(void)state;
	struct vkr_log_arena arena;
	vkr_log_arena_start(&arena, ARENA_BYTES);
	assert_non_null(arena.memory);
	for (int taken = 0; taken < 4; taken++)
		assert_int_equal(take_part(&arena), REGION_BYTES);
	give_back(arena);
}

static void many_logs_have_less_and_less(void **state)
{
	(void)state;
	struct vkr_log_arena arena;
	vkr_log_arena_start(&arena, ARENA_BYTES);
	uint64_t bytes, before = REGION_BYTES, taken = 0;
	while ((bytes = take_part(&arena)) != 0) {
		assert_true(bytes <= before);
		before = bytes;
		assert_true(++taken < 1000);
		if (taken == 16)
			assert_true(bytes >= REGION_BYTES / 10 && bytes <= REGION_BYTES / 4);
	}
	assert_true(taken > 90);
	assert_true(arena.bytes - arena.used < UINT64_C(1) << 20);
	give_back(arena);
}

// In the arena one after the other, and without one anywhere.
static void logs_have_memory(void **state)
{
	(void)state;
	struct vkr_log_arena arena, none = {0};
	vkr_log_arena_start(&arena, ARENA_BYTES);
	unsigned char *first = vkr_log_arena_map(&arena, 1), *second = vkr_log_arena_map(&arena, 1);
	unsigned char *elsewhere = vkr_log_arena_map(&none, 1);
	assert_ptr_equal(first, arena.memory);
	assert_true(second - first >= 1 && second - first <= 65536);
	assert_non_null(elsewhere);
	assert_false(elsewhere >= arena.memory && elsewhere < arena.memory + ARENA_BYTES);
	assert_int_equal(*first + *second + *elsewhere, 0);
	*first = *second = *elsewhere = 1;
	assert_null(vkr_log_arena_map(&arena, ARENA_BYTES));
	munmap(elsewhere, 1);
	give_back(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_logs_have_what_they_want),
		cmocka_unit_test(many_logs_have_less_and_less),
		cmocka_unit_test(logs_have_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
