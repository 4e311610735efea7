// SPDX-License-Identifier: Apache-2.0
// What is played from a tape is what was written down, workgroup by workgroup and in order.
#include "feed_tape.h"

#include "../engine_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define WORKGROUPS 200u
#define ROWS       300u

struct played {
	uint32_t workgroups, rows, bound;
	uint32_t rows_of; // the present workgroup, so far
};

// How many rows a workgroup has.
static uint32_t rows_of(uint32_t workgroup)
{
	return workgroup * 7919 % ROWS;
}

static enum vkr_result begin(void *user, const struct vkr_tape_workgroup *workgroup)
{
	struct played *played = user;
	assert_int_equal(workgroup->number, played->workgroups++);
	assert_int_equal(workgroup->length, workgroup->number + 1);
	assert_int_equal(workgroup->accesses, 2 * (uint64_t)rows_of(workgroup->number));
	played->rows_of = 0;
	return VKR_OK;
}

static enum vkr_result row(void *user, const struct vkr_tape_row *of)
{
	struct played *played = user;
	assert_int_equal(of->filter, played->workgroups - 1);
	assert_int_equal(of->offset, played->rows_of++);
	played->rows++;
	return VKR_OK;
}

static enum vkr_result possible(void *user, const struct vkr_tape_possible *of)
{
	struct played *played = user;
	assert_ptr_equal(of->access, NULL);
	// In the middle of the workgroup's rows.
	assert_int_equal(played->rows_of, rows_of(played->workgroups - 1) / 2);
	played->bound++;
	return VKR_OK;
}

static void write_workgroup(struct vkr_tape *tape, uint32_t workgroup,
			    struct vkr_bound_texels *bounds)
{
	const uint32_t count = rows_of(workgroup);
	assert_int_equal(vkr_tape_begin(tape, workgroup, workgroup + 1), VKR_OK);
	for (uint32_t at = 0; at <= count; at++) {
		if (at == count / 2) // twice the same is once
			for (unsigned i = 0; i < 2; i++)
				assert_int_equal(
					vkr_tape_note_possible(tape, &bounds[workgroup % 2], NULL),
					VKR_OK);
		if (at == count)
			break;
		vkr_tape_count(tape, 2);
		assert_int_equal(vkr_tape_add_row(tape, &(struct vkr_tape_row){.filter = workgroup,
									       .offset = at}),
				 VKR_OK);
	}
}

static void test_plays_what_was_written(void **state)
{
	static struct vkr_bound_texels bounds[2];
	struct vkr_tape tape = {.missed = false};
	struct vkr_tape_place place = {0};
	struct played played = {0};
	const struct vkr_tape_player player = {
		.user = &played, .begin = begin, .row = row, .possible = possible};
	uint32_t rows = 0;
	(void)state;
	for (uint32_t workgroup = 0; workgroup < WORKGROUPS; workgroup++) {
		write_workgroup(&tape, workgroup, bounds);
		rows += rows_of(workgroup);
	}
	for (uint32_t workgroup = 0; workgroup < WORKGROUPS; workgroup++) {
		assert_int_equal(vkr_tape_play(&tape, &place, &player), VKR_OK);
		assert_int_equal(played.workgroups, workgroup + 1);
		assert_int_equal(played.rows_of, rows_of(workgroup));
	}
	assert_int_equal(played.rows, rows);
	assert_int_equal(played.bound, WORKGROUPS);
	vkr_tape_finish(&tape);
}

// Lists of invocations that are no neighbours, and of such that are, one after the other.
static void test_plays_lists(void **state)
{
	static const uint32_t offsets[] = {16, 4, 8}, locals[] = {5, 1, 3}, behind[] = {4, 8};
	static const struct vkr_engine_target target = {1, 1, 0, 64};
	struct vkr_tape tape = {.missed = false};
	struct vkr_tape_place place = {0};
	struct world world;
	(void)state;
	world_begin(&world);
	const struct vkr_tape_player player = {.engine = world.engine, .error = &world.error};
	const struct vkr_engine_scatter lists[] = {
		{.site = world.store,
		 .count = 3,
		 .offsets = offsets,
		 .locals = locals,
		 .target = &target},
		{.site = world.load, .local = 2, .count = 2, .offsets = behind, .target = &target},
	};
	const uint32_t command = world_command(&world, world.queue);
	OK(vkr_engine_dispatch_begin(world.engine, command, 8, 0, &world.error));
	OK(vkr_engine_workgroup(world.engine, 0, &world.error));
	for (unsigned i = 0; i < 2; i++)
		OK(vkr_tape_scatter(&tape, &lists[i]));
	OK(vkr_tape_play(&tape, &place, &player));
	// Invocation 1 wrote what 2 reads, and 3 what it reads itself.
	expect_race(&world, VKR_RACE_UNORDERED);
	assert_int_equal(world.races[0].offset, 4);
	assert_int_equal(world.races[0].first.local, 1);
	assert_int_equal(world.races[0].second.local, 2);
	vkr_tape_finish(&tape);
	world_end(&world);
}

static enum vkr_result add_numbers(void *user, const struct vkr_tape_pattern *pattern,
				   const uint32_t *words)
{
	struct played *played = user;
	assert_int_equal(pattern->pattern, played->rows++);
	assert_int_equal(pattern->id[1], 7);
	for (uint32_t at = 0; at < pattern->words; at++)
		played->bound = 10 * played->bound + words[at];
	return VKR_OK;
}

// Patterns have words of their own, some of them none, and those that are on the tape for the first
// time count for its room.
static void test_plays_patterns(void **state)
{
	static const uint32_t words[] = {1, 2, 3, 4, 5};
	static const uint32_t counts[] = {2, 0, 3};
	struct vkr_tape tape = {.missed = false};
	struct vkr_tape_place place = {0};
	struct played played = {0};
	const struct vkr_tape_player player = {.user = &played, .pattern = add_numbers};
	const uint32_t *from = words;
	(void)state;
	for (unsigned at = 0; at < 3; from += counts[at++])
		OK(vkr_tape_add_pattern(&tape,
					&(struct vkr_tape_pattern){.pattern = at,
								   .id = {0, 7, 0},
								   .words = counts[at]},
					from, 100));
	OK(vkr_tape_play(&tape, &place, &player));
	assert_int_equal(played.rows, 3);
	assert_int_equal(played.bound, 12345);
	const struct vkr_tape_pattern large = {.pattern = 3};
	assert_int_equal(vkr_tape_add_pattern(&tape, &large, NULL, SIZE_MAX / 2), VKR_OK);
	assert_int_equal(vkr_tape_add_pattern(&tape, &large, NULL, 0), VKR_ERROR_STOPPED);
	assert_true(tape.full);
	vkr_tape_clear(&tape);
	assert_int_equal(vkr_tape_add_pattern(&tape, &large, NULL, 0), VKR_OK);
	vkr_tape_finish(&tape);
}

// What does not fit is said, and what was written before stays.
static void test_is_full(void **state)
{
	struct vkr_tape tape = {.missed = false};
	enum vkr_result result = vkr_tape_begin(&tape, 0, 1);
	(void)state;
	for (uint32_t at = 0; at < UINT32_C(1) << 24 && result == VKR_OK; at++)
		result = vkr_tape_add_row(&tape, &(struct vkr_tape_row){.offset = at});
	assert_int_equal(result, VKR_ERROR_STOPPED);
	assert_true(tape.full);
	assert_false(tape.missed);
	assert_int_equal(tape.calls.items[1].count, tape.rows.count);
	vkr_tape_clear(&tape);
	assert_int_equal(vkr_tape_begin(&tape, 0, 1), VKR_OK);
	vkr_tape_finish(&tape);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plays_what_was_written),
		cmocka_unit_test(test_plays_lists),
		cmocka_unit_test(test_plays_patterns),
		cmocka_unit_test(test_is_full),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
