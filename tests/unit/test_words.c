// SPDX-License-Identifier: Apache-2.0
// Words that outgrow any room. Knows no sentence of a report.
#include "text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_empty(void **state)
{
	(void)state;
	struct vkr_text words = {0};
	assert_string_equal(vkr_text_text(&words), "");
	vkr_text_add(&words, "%s", "");
	assert_string_equal(vkr_text_text(&words), "");
	vkr_text_finish(&words);
}

static void test_pieces(void **state)
{
	(void)state;
	struct vkr_text words = {0};
	for (unsigned i = 0; i < 3000; i++)
		vkr_text_add(&words, "%05u ", i);
	assert_int_equal(words.count, 3000 * 6);
	const char *text = vkr_text_text(&words);
	for (unsigned i = 0; i < 3000; i++)
		assert_int_equal(strtoul(text + (size_t)6 * i, NULL, 10), i);
	assert_int_equal(strlen(text), words.count);
	vkr_text_finish(&words);
	assert_string_equal(vkr_text_text(&words), "");
}

static void test_one_long_piece(void **state)
{
	(void)state;
	static char piece[100001];
	struct vkr_text words = {0};
	memset(piece, 'p', sizeof piece - 1);
	vkr_text_add(&words, "%s|%s", piece, piece);
	assert_int_equal(words.count, 2 * (sizeof piece - 1) + 1);
	assert_int_equal(vkr_text_text(&words)[sizeof piece - 1], '|');
	assert_string_equal(vkr_text_text(&words) + sizeof piece, piece);
	vkr_text_finish(&words);
}

// Words that lack a piece are not told as if they were whole.
static void test_no_memory(void **state)
{
	(void)state;
	struct vkr_text words = {.capacity = SIZE_MAX / 2, .count = SIZE_MAX / 2};
	vkr_text_add(&words, "%s", "more than there is room for");
	assert_null(vkr_text_text(&words));
	vkr_text_finish(&words);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_one_long_piece),
		cmocka_unit_test(test_no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
