// SPDX-License-Identifier: Apache-2.0
// What each bit of a mask of stages or access types stands for, on both sides of a dependency.
// Knows the tables of the specification, as numbers of bits.
#include "scopes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

// All that does not stand for itself alone. Of a second scope only what differs from the first.
static const char *const rows[] = {
	"stages first 0:",
	"execution first 0:",
	"stages first 2: 36 37",
	"execution first 2: 1 36 37",
	"execution first 3: 1 3 36 37",
	"execution first 4: 1 3 4 36 37",
	"execution first 5: 1 3 4 5 36 37",
	"accesses first 5: 5 32 33 40",
	"execution first 6: 1 3 4 5 6 36 37",
	"accesses first 6: 34",
	"execution first 7: 1 3 4 5 6 7 8 19 20 22 23 24 36 37",
	"execution first 8: 1 3 4 5 6 8 19 20 22 23 24 36 37",
	"execution first 9: 1 3 4 5 6 7 8 9 19 20 22 23 24 36 37",
	"execution first 10: 1 3 4 5 6 7 8 9 10 19 20 22 23 24 36 37",
	"execution first 11: 1 11",
	"stages first 12: 28 32 33 34 35 59",
	"execution first 12: 28 32 33 34 35 46 59",
	"stages first 13:",
	"execution first 13: 1 3 4 5 6 7 8 9 10 11 17 18 19 20 21 22 23 24 25 26 27 28 29 30 32 33 "
	"34 35 36 37 39 40 41 45 46 59 60 61 62",
	"stages first 15: 1 3 4 5 6 7 8 9 10 18 19 20 22 23 24 36 37 39 40 41",
	"execution first 15: 1 3 4 5 6 7 8 9 10 18 19 20 22 23 24 36 37 39 40 41",
	"accesses first 15: 0 1 2 3 4 5 7 9 11 13 17 19 20 21 23 24 26 32 33 35 37 39 40 41 42 44 "
	"55 57 58 60 61 62",
	"stages first 16: 1 3 4 5 6 7 8 9 10 11 17 18 19 20 21 22 23 24 25 26 27 28 29 30 32 33 34 "
	"35 36 37 39 40 41 45 46 59 60 61 62",
	"execution first 16: 1 3 4 5 6 7 8 9 10 11 17 18 19 20 21 22 23 24 25 26 27 28 29 30 32 33 "
	"34 35 36 37 39 40 41 45 46 59 60 61 62",
	"accesses first 16: 8 10 12 14 18 22 25 27 34 36 38 43 45 56",
	"execution first 19: 1 19",
	"execution first 20: 1 19 20",
	"execution first 21: 1 21",
	"execution first 22: 1 3 4 5 6 19 20 22 24 36 37",
	"execution first 24: 1 3 4 5 6 24 36 37",
	"stages first 25: 25 28",
	"execution first 25: 25 28",
	"accesses first 26: 0 26",
	"legacy_stages first 28: 25",
	"stages first 32: 32 59",
	"execution first 32: 32 46 59",
	"legacy_stages first 32: 12",
	"legacy_accesses first 32: 5",
	"accesses first 33: 5 33",
	"legacy_stages first 33: 12",
	"legacy_accesses first 33: 5",
	"legacy_stages first 34: 12",
	"legacy_accesses first 34: 6",
	"legacy_stages first 35: 12",
	"execution first 36: 1 36",
	"legacy_stages first 36: 2",
	"execution first 37: 1 36 37",
	"legacy_stages first 37: 2",
	"stages first 38: 3 4 5 6 19 20 41",
	"execution first 38: 1 3 4 5 6 19 20 36 37 41",
	"legacy_accesses first 40: 5",
	"legacy_stages first 62: 16",
	"legacy_accesses first 62: 16",
	"execution second 0: 1 3 4 5 6 7 8 9 10 11 17 18 19 20 21 22 23 24 25 26 27 28 29 30 32 33 "
	"34 35 36 37 39 40 41 45 46 59 60 61 62",
	"execution second 1: 1 3 4 5 6 7 8 9 10 11 19 20 21 22 24 36 37",
	"execution second 2: 3 4 5 6 7 8 9 10 22 24 36 37",
	"execution second 3: 3 4 5 6 7 8 9 10 22 24",
	"execution second 4: 4 5 6 7 8 9 10 22 24",
	"execution second 5: 5 6 7 8 9 10 22 24",
	"execution second 6: 6 7 8 9 10 22 24",
	"execution second 7: 7 9 10",
	"execution second 8: 7 8 9 10",
	"execution second 9: 9 10",
	"execution second 12: 28 32 33 34 35 59",
	"execution second 13:",
	"execution second 15: 1 3 4 5 6 7 8 9 10 11 18 19 20 21 22 23 24 36 37 39 40 41",
	"execution second 16: 1 3 4 5 6 7 8 9 10 11 17 18 19 20 21 22 23 24 25 26 27 28 29 30 32 "
	"33 34 35 36 37 39 40 41 45 46 59 60 61 62",
	"execution second 19: 7 8 9 10 19 20 22",
	"execution second 20: 7 8 9 10 20 22",
	"execution second 22: 7 8 9 10 22",
	"execution second 23: 7 8 9 10 23",
	"execution second 24: 7 8 9 10 22 24",
	"execution second 25: 25 28",
	"execution second 32: 32 59",
	"execution second 36: 3 4 5 6 7 8 9 10 22 24 36 37",
	"execution second 37: 3 4 5 6 7 8 9 10 22 24 37",
	"execution second 38: 3 4 5 6 7 8 9 10 19 20 22 24 41",
	"execution second 46: 32 46",
};

static void expect_row(size_t *row, const char *what, unsigned side, unsigned bit, uint64_t mask)
{
	struct vkr_text words = {0};
	vkr_text_add(&words, "%s %s %u:", what, side ? "second" : "first", bit);
	for (unsigned at = 0; at < 64; at++) {
		if (mask >> at & 1)
			vkr_text_add(&words, " %u", at);
	}
	assert_true(*row < sizeof rows / sizeof rows[0]);
	assert_string_equal(vkr_text_text(&words), rows[(*row)++]);
	vkr_text_finish(&words);
}

static void test_single_bits(void **state)
{
	size_t row = 0;
	(void)state;
	for (unsigned at = 0; at < 128; at++) {
		const unsigned side = at / 64, bit = at % 64;
		const uint64_t self = UINT64_C(1) << bit;
		const struct vkr_sync_scope first = vkr_scope_first(self, 0),
					    second = vkr_scope_second(self, 0);
		const uint64_t accesses = vkr_scope_first(0, self).accesses;
		const uint64_t execution = side ? second.execution : first.execution;
		assert_true(first.stages == second.stages);
		assert_true(accesses == vkr_scope_second(0, self).accesses);
		if (!side && first.stages != self)
			expect_row(&row, "stages", side, bit, first.stages);
		if (execution != self)
			expect_row(&row, "execution", side, bit, execution);
		if (!side && accesses != self)
			expect_row(&row, "accesses", side, bit, accesses);
		if (!side && vkr_scope_legacy_stages(self) != self)
			expect_row(&row, "legacy_stages", side, bit, vkr_scope_legacy_stages(self));
		if (!side && vkr_scope_legacy_accesses(self) != self)
			expect_row(&row, "legacy_accesses", side, bit,
				   vkr_scope_legacy_accesses(self));
	}
	assert_int_equal(row, sizeof rows / sizeof rows[0]);
}

// Stages of places of the framebuffer, and those that only passes have.
static void test_in_passes(void **state)
{
	const unsigned framebuffer[] = {7, 8, 9, 10};
	const unsigned passes[] = {3, 4, 5, 6, 7, 8, 9, 10, 19, 20, 36, 37, 41};
	uint64_t of_framebuffer = 0, of_passes = 0;
	(void)state;
	for (size_t at = 0; at < sizeof framebuffer / sizeof *framebuffer; at++)
		of_framebuffer |= UINT64_C(1) << framebuffer[at];
	for (size_t at = 0; at < sizeof passes / sizeof *passes; at++)
		of_passes |= UINT64_C(1) << passes[at];
	for (unsigned bit = 0; bit < 64; bit++)
		assert_true(vkr_scope_framebuffer_space(UINT64_C(1) << bit) ==
			    (of_framebuffer >> bit & 1));
	assert_true(vkr_scope_in_passes() == of_passes);
}

// A signal takes HOST and queries along; a counter of transform feedback may be read by draws.
static void test_additions(void **state)
{
	const uint64_t counter = UINT64_C(1) << 26, draw = UINT64_C(1) << 1;
	(void)state;
	assert_true(vkr_scope_signal(1) == (1 | UINT64_C(1) << 14 | UINT64_C(1) << 61));
	assert_true(vkr_scope_second(draw, counter).stages == (draw | UINT64_C(1) << 24));
	assert_true(vkr_scope_second(draw, 1).stages == draw);
}

static uint64_t waited_for(uint64_t mask)
{
	return vkr_scope_second(mask, 0).execution & ~(UINT64_C(13) << 59);
}

// A mask that waits for what any two bits wait for, in no more bits.
static void test_written(void **state)
{
	(void)state;
	for (unsigned one = 1; one < 59; one++)
		for (unsigned other = one; other < 59; other++) {
			const uint64_t mask = UINT64_C(1) << one | UINT64_C(1) << other;
			const uint64_t written = vkr_scope_written(waited_for(mask));
			assert_true(waited_for(written) == waited_for(mask));
			assert_true(__builtin_popcountll(written) <= __builtin_popcountll(mask));
		}
	assert_true(vkr_scope_written(waited_for(UINT64_C(1) << 12)) == UINT64_C(1) << 12);
	assert_true(vkr_scope_written(waited_for(UINT64_C(9) << 7)) == UINT64_C(1) << 7);
	assert_true(vkr_scope_written(waited_for(UINT64_C(3) << 10)) == UINT64_C(3) << 10);
	assert_true(vkr_scope_written(waited_for(UINT64_C(3) << 15)) == UINT64_C(1) << 16);
	assert_true(vkr_scope_written(0) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written),
		cmocka_unit_test(test_single_bits),
		cmocka_unit_test(test_in_passes),
		cmocka_unit_test(test_additions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
