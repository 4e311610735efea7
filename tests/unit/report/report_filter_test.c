// SPDX-License-Identifier: Apache-2.0
// Suppression files and --only: what they hide, what they count, what they refuse.
#include "report_filter.h"
#include "report_suppressions.h"
#include "sample_report.h"
#include "temporary_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static enum vkr_result read_rules(struct vkr_report_filter *filter, const char *rules, size_t bytes,
				  struct vkr_error *error)
{
	char *path = temporary_file_make(rules, bytes);
	enum vkr_result result = vkr_report_filter_read(filter, path, error);
	temporary_file_remove(path);
	return result;
}

// Bit i is set where race i of the sample "full" is hidden by the rules.
static unsigned hidden(const char *rules)
{
	const struct vkr_report *report = vkr_sample_report("full");
	struct vkr_report_filter filter;
	struct vkr_error error;
	unsigned bits = 0;
	vkr_report_filter_init(&filter);
	if (read_rules(&filter, rules, strlen(rules), &error) != VKR_OK)
		fail_msg("%s", error.message);
	for (uint32_t i = 0; i < report->race_count; i++)
		bits |= vkr_report_filter_ask(&filter, &report->races[i]) == VKR_FILTER_SHOWS
				? 0
				: 1u << i;
	vkr_report_filter_finish(&filter);
	return bits;
}

static void test_rules(void **state)
{
	(void)state;
	assert_int_equal(hidden(""), 0);
	assert_int_equal(hidden("# nothing\n\n   # more\n"), 0);
	assert_int_equal(hidden("* * *"), 0xff);
	assert_int_equal(hidden("unordered,private * *"), 0x41);
	assert_int_equal(hidden("* velocities *"), 0xa5 | 0x08);
	assert_int_equal(hidden("* velocit[x-z]es *"), 0);
	assert_int_equal(hidden("* velocit?es report_quoted.comp:7"), 0x25);
	assert_int_equal(hidden("* velocit?es report_quoted.comp:*"), 0x25);
	assert_int_equal(hidden("* * vkCmdCopyBuffer # a comment"), 0x02);
	assert_int_equal(hidden("* * \"host write\"\n* * count"), 0x38);
	assert_int_equal(hidden("* * \"copy destination\" \"copy source\""), 0x02);
	assert_int_equal(hidden("* * vkCmdDispatchIndirect forces"), 0x24);
	assert_int_equal(hidden("* * forces vkCmdDispatchIndirect"), 0x24);
	assert_int_equal(hidden("free \"\" vkFreeMemory"), 0x80);
	assert_int_equal(hidden("* * shader:forces"), 0x65);
	assert_int_equal(hidden("* * shader:fedcba98*"), 0x25);
	assert_int_equal(hidden("* * function:step"), 0x25);
	assert_int_equal(hidden("* * function:step()"), 0x25);
	assert_int_equal(hidden("* * function:ste"), 0);
	assert_int_equal(hidden("* * label:forces"), 0x65);
	assert_int_equal(hidden("* * \"label:step ? / forces\""), 0x25);
	assert_int_equal(hidden("* * label:step"), 0);
	assert_int_equal(
		hidden("free * nothing\nprivate \"shared memory tile\" forces.comp:32\r\n"), 0x40);
}

static void test_refused(void **state)
{
	(void)state;
	static const struct {
		const char *rules, *message;
	} cases[] = {
		{"disorder * *", ": line 1: \"disorder\" is no class of races"},
		{"* * *\n\nunordered,, * *", ": line 3: \"\" is no class of races"},
		{"*", ": line 1: a rule is CLASS OBJECT PLACE [PLACE]"},
		{"* *", ": line 1: a rule is CLASS OBJECT PLACE [PLACE]"},
		{"* * a b c", ": line 1: a rule has four words at most"},
		{"* \"a *", ": line 1: no quote at the end of the pattern"},
		{"* \"a\"b *", ": line 1: no blank behind a pattern in quotes"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct vkr_report_filter filter;
		struct vkr_error error = {0};
		vkr_report_filter_init(&filter);
		assert_int_equal(
			read_rules(&filter, cases[i].rules, strlen(cases[i].rules), &error),
			VKR_ERROR_FORMAT);
		if (!strstr(error.message, cases[i].message))
			fail_msg("\"%s\" does not say \"%s\"", error.message, cases[i].message);
		vkr_report_filter_finish(&filter);
	}
}

static void test_refused_file(void **state)
{
	(void)state;
	struct vkr_report_filter filter;
	struct vkr_error error = {0};
	vkr_report_filter_init(&filter);
	assert_int_equal(vkr_report_filter_read(&filter, "/nowhere/rules", &error), VKR_ERROR_IO);
	assert_string_equal(error.message, "/nowhere/rules: No such file or directory");
	assert_int_equal(read_rules(&filter, "* \0*", 4, &error), VKR_ERROR_FORMAT);
	assert_non_null(strstr(error.message, "line 1: holds a NUL"));
	vkr_report_filter_finish(&filter);
}

static void test_only(void **state)
{
	(void)state;
	struct vkr_report_filter filter;
	struct vkr_report_view view;
	struct vkr_error error = {0};
	vkr_report_filter_init(&filter);
	assert_int_equal(vkr_report_filter_only(&filter, "private,odd", &error), VKR_ERROR_FORMAT);
	assert_string_equal(error.message, "\"odd\" is no class of races");
	assert_int_equal(vkr_report_filter_only(&filter, "", &error), VKR_ERROR_FORMAT);
	assert_int_equal(vkr_report_filter_only(&filter, "private,domain", &error), VKR_OK);
	assert_int_equal(vkr_report_filter_apply(&filter, vkr_sample_report("full"), &view, &error),
			 VKR_OK);
	assert_int_equal(view.report.race_count, 2);
	assert_int_equal(view.report.races[0].race_class, VKR_RACE_DOMAIN);
	assert_int_equal(view.report.races[1].race_class, VKR_RACE_PRIVATE);
	assert_int_equal(view.report.race_total, 67);
	assert_int_equal(view.report.suppressed_count, 2 + 6);
	assert_int_equal(view.report.suppressed_total, 40 + 4096 + 1 + 2 + 7 + 1 + 1);
	assert_int_equal(view.report.verdict, VKR_VERDICT_RACES);
	vkr_report_view_finish(&view);
	vkr_report_filter_finish(&filter);
}

// A race by the letter only is left out, and counted apart; with classes beside it, also those.
static void test_practical(void **state)
{
	(void)state;
	const char *const lists[] = {"practical", "reference,practical,private"};
	for (size_t i = 0; i < 2; i++) {
		struct vkr_report_filter filter;
		struct vkr_report_view view;
		struct vkr_error error = {0};
		vkr_report_filter_init(&filter);
		assert_int_equal(vkr_report_filter_only(&filter, lists[i], &error), VKR_OK);
		assert_int_equal(
			vkr_report_filter_apply(&filter, vkr_sample_report("full"), &view, &error),
			VKR_OK);
		assert_int_equal(view.report.race_count, i == 0 ? 7 : 1);
		assert_int_equal(view.report.letter_count, 1);
		assert_int_equal(view.report.letter_total, 1);
		assert_int_equal(view.report.suppressed_count, i == 0 ? 2 : 2 + 6);
		vkr_report_view_finish(&view);
		vkr_report_filter_finish(&filter);
	}
}

static void test_baseline(void **state)
{
	(void)state;
	struct vkr_race_report earlier[2] = {vkr_sample_report("full")->races[3],
					     vkr_sample_report("full")->races[1]};
	struct vkr_report baseline = {.races = earlier, .race_count = 2};
	struct vkr_report_filter filter;
	struct vkr_report_view view;
	struct vkr_error error = {0};
	vkr_report_filter_init(&filter);
	assert_int_equal(vkr_report_filter_baseline(&filter, &baseline, &error), VKR_OK);
	earlier[0].id = "0123456789abcdef"; // the filter has copies
	assert_int_equal(vkr_report_filter_apply(&filter, vkr_sample_report("full"), &view, &error),
			 VKR_OK);
	assert_int_equal(view.report.race_count, 6);
	assert_string_equal(view.report.races[0].id, "0123456789abcdef");
	assert_int_equal(view.report.known_count, 1 + 2);
	assert_int_equal(view.report.known_total, 5 + 1 + 3);
	assert_int_equal(view.report.suppressed_count, 2);
	vkr_report_view_finish(&view);
	vkr_report_filter_finish(&filter);
}

// What is only possible in a baseline is no new possible race, and new where it is certain.
static void test_possible_baseline(void **state)
{
	(void)state;
	const struct vkr_race_report *races = vkr_sample_report("full")->races;
	const struct vkr_report baseline = {
		.races = races, .race_count = 1, .possible = races + 1, .possible_count = 2};
	const struct vkr_race_report now[] = {races[0], races[2], races[3]};
	const struct vkr_report report = {
		.races = races + 1, .race_count = 1, .possible = now, .possible_count = 3};
	struct vkr_report_filter filter;
	struct vkr_report_view view;
	struct vkr_error error = {0};
	vkr_report_filter_init(&filter);
	assert_int_equal(vkr_report_filter_baseline(&filter, &baseline, &error), VKR_OK);
	assert_int_equal(vkr_report_filter_apply(&filter, &report, &view, &error), VKR_OK);
	assert_int_equal(view.report.race_count, 1);
	assert_int_equal(view.report.possible_count, 1);
	assert_string_equal(view.report.possible[0].id, races[3].id);
	vkr_report_view_finish(&view);
	vkr_report_filter_finish(&filter);
}

static void test_reasons(void **state)
{
	static const char rules[] = "# counted on\n# purpose\n* * vkCmdCopyBuffer\n* * nothing\n"
				    "# another\n* * forces # beside it\n\n* velocities *\n";
	static const struct vkr_rule_report expected[] = {
		{"", 3, "counted on purpose", 1, 4},
		{"", 4, "counted on purpose", 0, 0},
		{"", 6, "beside it", 0, 0},
		{"", 8, "", 0, 0},
	};
	struct vkr_report_filter filter;
	struct vkr_report_view view;
	struct vkr_error error;
	(void)state;
	vkr_report_filter_init(&filter);
	assert_int_equal(read_rules(&filter, rules, strlen(rules), &error), VKR_OK);
	const struct vkr_report *report = vkr_sample_report("full");
	assert_int_equal(vkr_report_filter_apply(&filter, report, &view, &error), VKR_OK);
	assert_int_equal(view.report.rule_count, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct vkr_rule_report *rule = &view.report.rules[i];
		assert_int_equal(rule->line, expected[i].line);
		assert_string_equal(rule->reason, expected[i].reason);
		assert_int_equal(rule->races == 0, i == 1);
	}
	// A race counts for each rule that matches it.
	assert_int_equal(view.report.rules[0].races, 1);
	assert_int_equal(view.report.rules[0].race_total, report->races[1].count);
	assert_int_equal(view.report.rules[2].races, 4);
	assert_int_equal(view.report.rules[3].races, 5);
	vkr_report_view_finish(&view);
	vkr_report_filter_finish(&filter);
}

// What is written for a report's races leaves out all of them.
static void test_written(void **state)
{
	static const char *const samples[] = {"full", "huge", "odd"};
	(void)state;
	for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
		const struct vkr_report *report = vkr_sample_report(samples[i]);
		struct vkr_report_filter filter;
		struct vkr_error error;
		char *text = NULL;
		size_t bytes = 0;
		FILE *out = open_memstream(&text, &bytes);
		assert_non_null(out);
		assert_int_equal(vkr_report_suppressions(report, out, &error), VKR_OK);
		fclose(out);
		vkr_report_filter_init(&filter);
		if (read_rules(&filter, text, bytes, &error) != VKR_OK)
			fail_msg("%s\n%s", error.message, text);
		assert_int_equal(filter.count, report->race_count);
		for (uint32_t race = 0; race < report->race_count; race++) {
			if (vkr_report_filter_ask(&filter, &report->races[race]) ==
			    VKR_FILTER_SHOWS)
				fail_msg("race %u of %s is not left out by\n%s", race, samples[i],
					 text);
		}
		vkr_report_filter_finish(&filter);
		free(text);
	}
}

static enum vkr_verdict verdict_without_races(const char *sample)
{
	struct vkr_report_filter filter;
	struct vkr_report_view view;
	struct vkr_error error;
	vkr_report_filter_init(&filter);
	assert_int_equal(read_rules(&filter, "* * *", 5, &error), VKR_OK);
	assert_int_equal(vkr_report_filter_apply(&filter, vkr_sample_report(sample), &view, &error),
			 VKR_OK);
	assert_int_equal(view.report.race_count, 0);
	enum vkr_verdict verdict = view.report.verdict;
	vkr_report_view_finish(&view);
	vkr_report_filter_finish(&filter);
	return verdict;
}

static void test_verdict(void **state)
{
	(void)state;
	assert_int_equal(verdict_without_races("full"), VKR_VERDICT_INCOMPLETE);
	assert_int_equal(verdict_without_races("huge"), VKR_VERDICT_NONE);
	assert_int_equal(verdict_without_races("none"), VKR_VERDICT_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules),        cmocka_unit_test(test_refused),
		cmocka_unit_test(test_refused_file), cmocka_unit_test(test_only),
		cmocka_unit_test(test_practical),    cmocka_unit_test(test_possible_baseline),
		cmocka_unit_test(test_baseline),     cmocka_unit_test(test_verdict),
		cmocka_unit_test(test_reasons),      cmocka_unit_test(test_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
