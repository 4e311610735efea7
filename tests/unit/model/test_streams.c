// SPDX-License-Identifier: Apache-2.0
// What invocations log as streams, read record by record. Knows columns (vkrace/gpu_log.h); not
// what their words mean.
#include "log_records.h"
#include "model_objects.h"

#include "vkrace/gpu_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define INVOCATIONS 4u
#define COLUMNS     3u

#define WORD(value) ((value) ^ VKR_STREAM_MARK)

// By column and invocation: pairs. The first logged 10 to 14, the second nothing, the third was cut
// off behind two words, the fourth would have logged more than there was room for.
static const uint32_t words[COLUMNS][INVOCATIONS][2] = {
	{{6, WORD(10)}, {1, 0}, {0, WORD(30)}, {9, WORD(40)}},
	{{WORD(11), WORD(12)}, {0, 0}, {WORD(0), 0}, {WORD(41), WORD(42)}},
	{{WORD(13), WORD(14)}, {0, 0}, {0, 0}, {WORD(43), WORD(44)}},
};

struct world {
	struct vkr_site_table table;
	struct vkr_shader shader;
	struct vkr_program program;
	struct vkr_row_chunks chunks;
	struct vkr_rows rows;
	struct vkr_record_place place;
};

static void init(struct world *world)
{
	*world = (struct world){
		.table = {.streams = 1},
		.shader = {.sites = &world->table},
		.program = {.shader = &world->shader},
		.chunks = {.words = words[0][0],
			   .count = INVOCATIONS,
			   .size = 2,
			   .columns = COLUMNS,
			   .pitch = 2 * INVOCATIONS},
		.rows = {.program = &world->program, .chunks = {&world->chunks, 1, 1}},
		.place = {.chunks = 1},
	};
}

static bool take(struct world *world, uint32_t local, uint32_t count)
{
	const struct vkr_summary_operation wanted = {
		.code = VKR_SUMMARY_RECORD, .a = 1, .b = count};
	return vkr_record_take(&world->rows, local, &world->place, &wanted);
}

static void reads_words_one_behind_the_other(void **state)
{
	(void)state;
	struct world world;
	init(&world);
	assert_true(take(&world, 0, 1));
	assert_int_equal(vkr_record_word(&world.place, 0), 10);
	assert_true(take(&world, 0, 3));
	for (uint32_t word = 0; word < 3; word++)
		assert_int_equal(vkr_record_word(&world.place, word), 11 + word);
	assert_true(vkr_record_is_next(&world.place));
	assert_true(take(&world, 0, 1));
	assert_int_equal(vkr_record_word(&world.place, 0), 14);
	assert_false(vkr_record_is_next(&world.place));
	assert_int_equal(world.rows.damaged, 0);
	// The shader has logged less than its summary wants.
	assert_false(take(&world, 0, 1));
	assert_int_equal(world.rows.damaged, 1);
}

static void ends_where_an_invocation_was_cut_off(void **state)
{
	(void)state;
	struct world world;
	init(&world);
	assert_true(take(&world, 2, 1));
	assert_int_equal(vkr_record_word(&world.place, 0), 30);
	assert_true(take(&world, 2, 1));
	assert_int_equal(vkr_record_word(&world.place, 0), 0);
	assert_false(take(&world, 2, 1));
	assert_int_equal(world.rows.damaged, 0);
}

static void ends_where_room_did(void **state)
{
	(void)state;
	struct world world;
	init(&world);
	assert_true(take(&world, 3, 4));
	assert_int_equal(vkr_record_word(&world.place, 3), 43);
	assert_false(take(&world, 3, 2));
	assert_int_equal(world.rows.damaged, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_words_one_behind_the_other),
		cmocka_unit_test(ends_where_an_invocation_was_cut_off),
		cmocka_unit_test(ends_where_room_did),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
