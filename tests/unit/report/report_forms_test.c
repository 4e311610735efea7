// SPDX-License-Identifier: Apache-2.0
// Every form of every sample report against its golden file, and JSON read back. Knows the files'
// names; nothing of what must stand in them. `report_forms_test --refresh` writes them anew.
#include "report_github.h"
#include "report_html.h"
#include "report_json.h"
#include "report_junit.h"
#include "report_sarif.h"
#include "report_text.h"
#include "sample_report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static bool refresh;

static enum vkr_result write_text(const struct vkr_report *report, FILE *out,
				  struct vkr_error *error)
{
	const struct vkr_report_text_options options = {.quote = true};
	return vkr_report_text(report, out, &options, error);
}

static enum vkr_result write_colours(const struct vkr_report *report, FILE *out,
				     struct vkr_error *error)
{
	const struct vkr_report_text_options options = {.colour = true};
	return vkr_report_text(report, out, &options, error);
}

// All but one of the samples' files are relative, and so below any folder.
static enum vkr_result write_sarif(const struct vkr_report *report, FILE *out,
				   struct vkr_error *error)
{
	return vkr_report_sarif(report, NULL, out, error);
}

static enum vkr_result write_sarif_below(const struct vkr_report *report, FILE *out,
					 struct vkr_error *error)
{
	return vkr_report_sarif(report, "/home/a b", out, error);
}

static enum vkr_result write_github(const struct vkr_report *report, FILE *out,
				    struct vkr_error *error)
{
	return vkr_report_github(report, "/home/a b", out, error);
}

typedef enum vkr_result write_report(const struct vkr_report *, FILE *, struct vkr_error *);

static const struct {
	const char *extension;
	write_report *write;
} forms[] = {
	{"txt", write_text},       {"colours.txt", write_colours},     {"json", vkr_report_json},
	{"sarif", write_sarif},    {"below.sarif", write_sarif_below}, {"github.txt", write_github},
	{"xml", vkr_report_junit}, {"html", vkr_report_html},
};

// The written report, to be freed.
static char *written(write_report *write, const struct vkr_report *report, size_t *bytes)
{
	char *text = NULL;
	struct vkr_error error;
	FILE *memory = open_memstream(&text, bytes);
	assert_non_null(memory);
	assert_int_equal(write(report, memory, &error), VKR_OK);
	assert_int_equal(fclose(memory), 0);
	return text;
}

static void refresh_file(const char *path, const char *text, size_t bytes)
{
	FILE *file = fopen(path, "we");
	assert_non_null(file);
	assert_int_equal(fwrite(text, 1, bytes, file), bytes);
	assert_int_equal(fclose(file), 0);
}

static char *read_file(const char *path, size_t *bytes)
{
	char *text = NULL;
	int c;
	FILE *file = fopen(path, "re");
	FILE *memory = open_memstream(&text, bytes);
	if (!file)
		fail_msg("%s is missing: run report_forms_test --refresh", path);
	assert_non_null(memory);
	while ((c = getc(file)) != EOF)
		putc(c, memory);
	fclose(file);
	fclose(memory);
	return text;
}

static void compare_form(const char *name, const struct vkr_report *report, size_t form)
{
	char path[128];
	size_t bytes, golden_bytes;
	char *text = written(forms[form].write, report, &bytes);
	snprintf(path, sizeof path, "report_%s.%s", name, forms[form].extension);
	if (refresh)
		refresh_file(path, text, bytes);
	char *golden = read_file(path, &golden_bytes);
	if (bytes != golden_bytes || memcmp(text, golden, bytes) != 0)
		fail_msg("%s differs, written now:\n%s", path, text);
	free(golden);
	free(text);
}

static void test_golden(void **state)
{
	(void)state;
	for (const struct vkr_report_sample *sample = vkr_samples; sample->name; sample++) {
		for (size_t form = 0; form < sizeof forms / sizeof *forms; form++)
			compare_form(sample->name, sample->report, form);
	}
}

// What is read back writes the same JSON, and the same text where all of it is UTF-8.
static void test_read_back(void **state)
{
	(void)state;
	for (const struct vkr_report_sample *sample = vkr_samples; sample->name; sample++) {
		size_t bytes, again_bytes;
		struct vkr_report_copy copy;
		struct vkr_error error;
		char *json = written(vkr_report_json, sample->report, &bytes);
		if (vkr_report_read_json(&copy, "x", json, bytes, &error) != VKR_OK)
			fail_msg("%s: %s", sample->name, error.message);
		char *again = written(vkr_report_json, &copy.report, &again_bytes);
		assert_string_equal(again, json);
		free(again);
		if (strcmp(sample->name, "odd") != 0) {
			char *text = written(write_text, sample->report, &bytes);
			again = written(write_text, &copy.report, &again_bytes);
			assert_string_equal(again, text);
			free(again);
			free(text);
		}
		vkr_report_copy_finish(&copy);
		free(json);
	}
}

static void test_one_race(void **state)
{
	(void)state;
	const struct vkr_report *report = vkr_sample_report("full");
	const struct vkr_report_text_options options = {.quote = true};
	size_t whole_bytes, bytes = 0;
	char *text = NULL, *whole = written(write_text, report, &whole_bytes);
	FILE *memory = open_memstream(&text, &bytes);
	for (uint32_t i = 0; i < report->race_count; i++)
		assert_int_equal(vkr_report_text_race(&report->races[i], memory, &options, NULL),
				 VKR_OK);
	fclose(memory);
	assert_true(bytes < whole_bytes);
	assert_memory_equal(text, whole, bytes);
	free(text);
	free(whole);
}

static void test_unwritable(void **state)
{
	(void)state;
	for (size_t form = 0; form < sizeof forms / sizeof *forms; form++) {
		struct vkr_error error = {0};
		FILE *full = fopen("/dev/full", "we");
		assert_non_null(full);
		assert_int_equal(forms[form].write(vkr_sample_report("full"), full, &error),
				 VKR_ERROR_IO);
		assert_non_null(strstr(error.message, "No space left"));
		fclose(full);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_read_back),
		cmocka_unit_test(test_one_race),
		cmocka_unit_test(test_unwritable),
	};
	refresh = argc > 1 && strcmp(argv[1], "--refresh") == 0;
	if (chdir(VKR_GOLDEN_DIR) != 0) {
		perror(VKR_GOLDEN_DIR);
		return EXIT_FAILURE;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
