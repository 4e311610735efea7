// SPDX-License-Identifier: Apache-2.0
// UTF-8 at its edges (Unicode Standard, table 3-7), and what is escaped where.
#include "report_escape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_sequence(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t length;
	} cases[] = {
		{"", 0},
		{"a", 1},
		{"\x7f", 1},
		{"\x80", 0},
		{"\xbf", 0},
		{"\xc1\xbf", 0},
		{"\xc2\x80", 2},
		{"\xdf\xbf", 2},
		{"\xdf", 0},
		{"\xdf\x7f", 0},
		{"\xe0\x9f\xbf", 0},
		{"\xe0\xa0\x80", 3},
		{"\xed\x9f\xbf", 3},
		{"\xed\xa0\x80", 0},
		{"\xee\x80\x80", 3},
		{"\xef\xbf\xbf", 3},
		{"\xef\xbf", 0},
		{"\xf0\x8f\xbf\xbf", 0},
		{"\xf0\x90\x80\x80", 4},
		{"\xf4\x8f\xbf\xbf", 4},
		{"\xf4\x90\x80\x80", 0},
		{"\xf4\x8f\xbf", 0},
		{"\xf5\x80\x80\x80", 0},
		{"\xff", 0},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(vkr_escape_sequence(cases[i].text), cases[i].length);
}

typedef void escape(FILE *, const char *);

static void expect(escape *write, const char *text, const char *escaped)
{
	char *result = NULL;
	size_t bytes;
	FILE *memory = open_memstream(&result, &bytes);
	write(memory, text);
	fclose(memory);
	assert_string_equal(result, escaped);
	free(result);
}

static void test_escape(void **state)
{
	(void)state;
	// U+061C, U+200E, U+2028, U+202E, U+2066, U+FEFF; and what is beside them.
	expect(vkr_escape_plain,
	       "\xd8\x9c\xe2\x80\x8e\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6\xef\xbb\xbf",
	       "\\xd8\\x9c\\xe2\\x80\\x8e\\xe2\\x80\\xa8\\xe2\\x80\\xae\\xe2\\x81\\xa6\\xef\\xbb\\x"
	       "bf");
	expect(vkr_escape_plain, "\xd8\x9d\xe2\x80\x8a\xe2\x80\xaf",
	       "\xd8\x9d\xe2\x80\x8a\xe2\x80\xaf");
	expect(vkr_escape_plain, "a<\xc3\xa9\n\x1b\xc2\x9b\xff",
	       "a<\xc3\xa9\\x0a\\x1b\\xc2\\x9b\\xff");
	expect(vkr_escape_markup, "<&>'\"\n\xef\xbf\xbe",
	       "&lt;&amp;&gt;&#39;&quot;\\x0a\\xef\\xbf\\xbe");
	expect(vkr_escape_markup_lines, "<\n>\r", "&lt;\n&gt;\\x0d");
}

static void test_utf8(void **state)
{
	(void)state;
	struct vkr_arena arena;
	const char *right = "\xc3\xa9\n";
	vkr_arena_init(&arena);
	assert_ptr_equal(vkr_escape_utf8(&arena, right), right);
	assert_string_equal(vkr_escape_utf8(&arena, "a\xff\xc3\xa9\xe2\x82"),
			    "a\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd");
	vkr_arena_finish(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sequence),
		cmocka_unit_test(test_escape),
		cmocka_unit_test(test_utf8),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
