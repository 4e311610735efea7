// SPDX-License-Identifier: Apache-2.0
// Every form of every sample report against its golden file, and JSON read back. Knows the files'
// names; nothing of what must stand in them. `report_forms_test --refresh` writes them anew.
#include "report_causes.h"
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

static char *text_of(const struct vkr_report *report, struct vkr_report_text_options options)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *memory = open_memstream(&text, &bytes);
	assert_int_equal(vkr_report_text(report, memory, &options, NULL), VKR_OK);
	fclose(memory);
	return text;
}

static unsigned count_of(const char *text, const char *part)
{
	unsigned count = 0;
	while ((text = strstr(text, part)) != NULL) {
		text += strlen(part);
		count++;
	}
	return count;
}

// Races of one cause are one report: those of one change, and those without one where the same
// commands race on one object for the same reason.
static void test_causes(void **state)
{
	(void)state;
	const struct vkr_report *full = vkr_sample_report("full");
	struct vkr_race_report races[4];
	for (size_t i = 0; i < 4; i++) {
		races[i] = full->races[4];
		races[i].change = "use Device";
		races[i].id = (const char *const[]){"a", "b", "c", "d"}[i];
	}
	races[1].first = full->races[4].second; // the same two accesses
	races[1].second = full->races[4].first;
	races[2].second.object = "another";
	races[3].missing = "another reason";
	const struct vkr_report report = {.program = "",
					  .model = "vulkan",
					  .verdict = VKR_VERDICT_RACES,
					  .races = races,
					  .race_count = 4};
	struct vkr_report_causes causes;
	struct vkr_arena arena;
	vkr_arena_init(&arena);
	assert_true(vkr_report_causes_make(&report, &arena, &causes));
	assert_int_equal(causes.count, 3);
	assert_memory_equal(causes.first, ((const uint32_t[]){0, 0, 2, 3}), 4 * sizeof(uint32_t));
	assert_true(vkr_report_causes_make(full, &arena, &causes));
	assert_int_equal(causes.count, 7); // change 1 is for races 0 and 1
	assert_int_equal(causes.first[1], 0);
	vkr_arena_finish(&arena);

	char *text = text_of(&report, (struct vkr_report_text_options){.brief = true});
	assert_int_equal(count_of(text, "  missing"), 3);
	assert_int_equal(count_of(text, "1 more race of this cause"), 1);
	assert_int_equal(count_of(text, "4 races of 3 causes"), 1);
	free(text);
	text = text_of(&report, (struct vkr_report_text_options){.brief = true, .most = 1});
	assert_int_equal(count_of(text, "  missing"), 1);
	assert_int_equal(count_of(text, "vkrace: 2 more races\n"), 1);
	free(text);
	text = text_of(&report, (struct vkr_report_text_options){.brief = true, .all = true});
	assert_int_equal(count_of(text, "  missing"), 4);
	assert_int_equal(count_of(text, "of this cause"), 0);
	free(text);
}

// Of many races of one cause, the first ones have a line.
static void test_many_of_one_cause(void **state)
{
	(void)state;
	struct vkr_race_report races[12];
	for (size_t i = 0; i < 12; i++) {
		races[i] = vkr_sample_report("full")->races[4];
		races[i].change = "use Device";
	}
	const struct vkr_report report = {.program = "",
					  .model = "vulkan",
					  .verdict = VKR_VERDICT_RACES,
					  .races = races,
					  .race_count = 12};
	char *text = text_of(&report, (struct vkr_report_text_options){.brief = true});
	assert_int_equal(count_of(text, "11 more races of this cause"), 1);
	assert_int_equal(count_of(text, ", id "), 8);
	assert_int_equal(count_of(text, "and 3 more, which --all-races prints\n"), 1);
	free(text);
}

// Barriers that one shader lacks at two places are one cause with two changes, unless one is proved
// to be enough.
static void test_barriers(void **state)
{
	(void)state;
	const struct vkr_report *full = vkr_sample_report("full");
	static const char *const ids[] = {"a", "b"};
	struct vkr_race_report races[] = {full->races[4], full->races[4]};
	struct vkr_change_report changes[2];
	struct vkr_report report = {.program = "",
				    .model = "vulkan",
				    .verdict = VKR_VERDICT_RACES,
				    .races = races,
				    .race_count = 2,
				    .changes = changes,
				    .change_count = 2};
	for (size_t i = 0; i < 2; i++) {
		races[i].id = ids[i];
		changes[i] =
			(struct vkr_change_report){.change = {.kind = VKR_CHANGE_SHADER_BARRIER,
							      .place = VKR_CHANGE_NOWHERE,
							      .from = VKR_CHANGE_NOWHERE},
						   .where = "",
						   .code = "barrier();\n",
						   .races = &ids[i],
						   .race_count = 1};
		changes[i].change.place.name = i ? "shader 7" : "forces";
		changes[i].change.place.recorded = i ? "forces.comp:4" : "forces.comp:2";
	}
	char *text = text_of(&report, (struct vkr_report_text_options){.brief = true});
	assert_int_equal(count_of(text, "2 races of 1 cause"), 1);
	assert_int_equal(count_of(text, "in shader forces, add before forces.comp:2"), 1);
	assert_int_equal(count_of(text, "in shader 7, add before forces.comp:4"), 1);
	free(text);
	changes[0].checked = true;
	changes[0].places = 1;
	changes[0].gone = ids;
	changes[0].gone_count = 2;
	text = text_of(&report, (struct vkr_report_text_options){.brief = true});
	assert_int_equal(count_of(text, "checked: judged again with it at 1 place, 2 of 2 races"),
			 1);
	assert_int_equal(count_of(text, "  change"), 1);
	free(text);
	changes[0].missed = "some come not";
	text = text_of(&report, (struct vkr_report_text_options){.brief = true});
	assert_int_equal(count_of(text, "not proved: judged again with it at 1 place, 2 of 2"), 1);
	assert_int_equal(count_of(text, "none is new, but some come not"), 1);
	assert_int_equal(count_of(text, "  change"), 2);
	free(text);
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
		cmocka_unit_test(test_golden),   cmocka_unit_test(test_read_back),
		cmocka_unit_test(test_causes),   cmocka_unit_test(test_many_of_one_cause),
		cmocka_unit_test(test_barriers), cmocka_unit_test(test_unwritable),
	};
	refresh = argc > 1 && strcmp(argv[1], "--refresh") == 0;
	if (chdir(VKR_GOLDEN_DIR) != 0) {
		perror(VKR_GOLDEN_DIR);
		return EXIT_FAILURE;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
