// SPDX-License-Identifier: Apache-2.0
// Checking a serialized site table: a sound one passes, each broken count, index or order is
// refused. Knows the table's layout only.
#include "error.h"
#include "site_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// One variable, one segment of a load with two pieces and a barrier, strings "" and "x".
struct table {
	struct vkr_site_table head;
	struct vkr_variable variable;
	struct vkr_segment segment;
	struct vkr_site sites[2];
	struct vkr_piece pieces[2];
	char strings[4];
};

static struct table sound(void)
{
	struct table table = {
		.head = {.version = VKR_SITE_TABLE_VERSION,
			 .bytes = sizeof table,
			 .variable_count = 1,
			 .segment_count = 1,
			 .site_count = 2,
			 .piece_count = 2,
			 .string_bytes = 3,
			 .entry_point = 1},
		.variable = {.kind = VKR_VARIABLE_BUFFER, .count = 1, .name = 1},
		.segment = {.site_count = 2, .words = 1},
		.sites = {{.operation = VKR_SITE_LOAD,
			   .words = 1,
			   .bytes = 12,
			   .piece_count = 2,
			   .member = 1},
			  {.operation = VKR_SITE_CONTROL_BARRIER, .variable = UINT32_MAX}},
		.pieces = {{0, 4}, {8, 4}},
		.strings = {0, 'x', 0},
	};
	return table;
}

static enum vkr_result check(const struct table *table)
{
	return vkr_site_table_check(table, sizeof *table, NULL);
}

static void accepts_sound_table(void **state)
{
	(void)state;
	struct table table = sound();
	assert_int_equal(check(&table), VKR_OK);
	assert_int_equal(vkr_site_table_variables(&table.head)->kind, VKR_VARIABLE_BUFFER);
	assert_int_equal(vkr_site_table_segments(&table.head)->site_count, 2);
	assert_int_equal(vkr_site_table_sites(&table.head)[1].operation, VKR_SITE_CONTROL_BARRIER);
	assert_int_equal(vkr_site_table_pieces(&table.head)[1].offset, 8);
	assert_string_equal(vkr_site_table_string(&table.head, 1), "x");
}

static void refuses_every_prefix(void **state)
{
	(void)state;
	struct table table = sound();
	for (size_t bytes = 0; bytes < sizeof table; bytes++) {
		void *copy = malloc(bytes ? bytes : 1);
		assert_non_null(copy);
		memcpy(copy, &table, bytes);
		assert_int_equal(vkr_site_table_check(copy, bytes, NULL), VKR_ERROR_FORMAT);
		free(copy);
	}
}

static void refuses_other_version(void **state)
{
	(void)state;
	struct table table = sound();
	table.head.version++;
	assert_int_equal(check(&table), VKR_ERROR_VERSION);
}

static void refuses_what_disagrees(void **state)
{
	(void)state;
	static const struct {
		size_t offset;
		uint32_t value;
	} breaks[] = {
		{offsetof(struct table, head.variable_count), 2},
		{offsetof(struct table, head.variable_count), UINT32_MAX},
		{offsetof(struct table, head.string_bytes), 0},
		{offsetof(struct table, head.string_bytes), 2},
		{offsetof(struct table, head.entry_point), 3},
		{offsetof(struct table, head.source_file), UINT32_MAX},
		{offsetof(struct table, head.streams), 1}, // of no summary
		{offsetof(struct table, variable.kind), 0},
		{offsetof(struct table, variable.name), 3},
		{offsetof(struct table, segment.first_site), 1},
		{offsetof(struct table, segment.site_count), 1},
		{offsetof(struct table, segment.site_count), 3},
		{offsetof(struct table, segment.words), 3},
		{offsetof(struct table, segment.kind),
		 VKR_SEGMENT_RUN_LENGTH}, // of a barrier and words
		{offsetof(struct table, segment.kind), VKR_SEGMENT_RUN_LENGTH + 1},
		{offsetof(struct table, sites[0].variable), 1},
		{offsetof(struct table, sites[0].bytes), 0},
		{offsetof(struct table, sites[0].bytes), 11},
		{offsetof(struct table, sites[0].first_piece), 1},
		{offsetof(struct table, sites[0].piece_count), UINT32_MAX},
		{offsetof(struct table, sites[0].file), 3},
		{offsetof(struct table, sites[0].member), 9},
		{offsetof(struct table, sites[1].variable), 0},
		{offsetof(struct table, pieces[0].bytes), 0},
		{offsetof(struct table, pieces[0].bytes), 9},
		{offsetof(struct table, pieces[1].offset), 3},
	};
	for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
		struct table table = sound();
		memcpy((char *)&table + breaks[i].offset, &breaks[i].value, 4);
		if (check(&table) != VKR_ERROR_FORMAT)
			fail_msg("break %zu is accepted", i);
	}
}

// A table with a summary of one operation, and the end.
struct summary_table {
	struct vkr_site_table head;
	struct vkr_variable variable;
	struct vkr_segment segment;
	struct vkr_site sites[2];
	struct vkr_piece pieces[2];
	struct vkr_summary_operation operations[2];
	char strings[4];
};

#define REGISTERS 4u

static enum vkr_result check_operation(struct vkr_summary_operation operation)
{
	const struct table plain = sound();
	struct summary_table table = {.head = plain.head,
				      .variable = plain.variable,
				      .segment = plain.segment,
				      .operations = {operation, {.code = VKR_SUMMARY_END}},
				      .strings = {0, 'x', 0}};
	memcpy(table.sites, plain.sites, sizeof table.sites);
	memcpy(table.pieces, plain.pieces, sizeof table.pieces);
	table.head.bytes = sizeof table;
	table.head.summary_count = 2;
	table.head.summary_registers = REGISTERS;
	for (size_t axis = 0; axis < 3; axis++)
		table.head.workgroup_size[axis] = 1;
	return vkr_site_table_check(&table, sizeof table, NULL);
}

static void checks_registers_of_summaries(void **state)
{
	(void)state;
	const uint8_t others[] = {VKR_SUMMARY_ACCESS, VKR_SUMMARY_SYNC, VKR_SUMMARY_JUMP,
				  VKR_SUMMARY_BRANCH, VKR_SUMMARY_END,  VKR_SUMMARY_RECORD,
				  VKR_SUMMARY_LOGGED, VKR_SUMMARY_SIZE, VKR_SUMMARY_WORD,
				  VKR_SUMMARY_TEXEL};
	for (uint8_t code = VKR_SUMMARY_CONSTANT; code < VKR_SUMMARY_CODES; code++) {
		const struct vkr_summary_operation sound = {.code = code};
		struct vkr_summary_operation wrong = {.code = code, .result = REGISTERS};
		if (memchr(others, code, sizeof others))
			continue;
		assert_int_equal(check_operation(sound), VKR_OK);
		assert_int_equal(check_operation(wrong), VKR_ERROR_FORMAT);
		if (code < VKR_SUMMARY_MOVE || code == VKR_SUMMARY_UNIFORM)
			continue;
		uint32_t *const operands[] = {&wrong.a, &wrong.b, &wrong.c};
		for (size_t at = 0; at < 3; at++) {
			wrong = sound;
			*operands[at] = REGISTERS;
			assert_int_equal(check_operation(wrong), VKR_ERROR_FORMAT);
		}
	}
}

static void checks_what_is_told(void **state)
{
	(void)state;
	struct vkr_summary_operation told = {.code = VKR_SUMMARY_UNIFORM,
					     .a = VKR_SUMMARY_UNIFORM_WORDS - 1};
	assert_int_equal(check_operation(told), VKR_OK);
	told.a++;
	assert_int_equal(check_operation(told), VKR_ERROR_FORMAT);
	told = (struct vkr_summary_operation){.code = VKR_SUMMARY_UNIFORM, .b = 1};
	assert_int_equal(check_operation(told), VKR_ERROR_FORMAT);
}

// A buffer, variable 0, has one size.
static void checks_sizes(void **state)
{
	(void)state;
	const struct vkr_summary_operation size = {.code = VKR_SUMMARY_SIZE};
	struct vkr_summary_operation wrong = size;
	assert_int_equal(check_operation(size), VKR_OK);
	wrong.a = 1;
	assert_int_equal(check_operation(wrong), VKR_ERROR_FORMAT);
	wrong = size;
	wrong.b = REGISTERS;
	assert_int_equal(check_operation(wrong), VKR_ERROR_FORMAT);
	wrong = size;
	wrong.c = 1;
	assert_int_equal(check_operation(wrong), VKR_ERROR_FORMAT);
}

// Two samples of a fragment shader's: the second one's coordinates and level follow from the first
// one's words.
struct derived_table {
	struct vkr_site_table head;
	struct vkr_variable variable;
	struct vkr_segment segment;
	struct vkr_site sites[2];
	struct vkr_texel texels[2];
	char strings[4];
};

static struct derived_table derived(void)
{
	const uint8_t none = VKR_TEXEL_NO_WORD;
	struct derived_table table = {
		.head = {.version = VKR_SITE_TABLE_VERSION,
			 .bytes = sizeof table,
			 .variable_count = 1,
			 .segment_count = 1,
			 .site_count = 2,
			 .texel_count = 2,
			 .string_bytes = 3,
			 .identity = VKR_IDENTITY_FRAGMENT,
			 .entry_point = 1},
		.variable = {.kind = VKR_VARIABLE_SAMPLED_IMAGE, .count = 1, .dim = 1, .name = 1},
		.segment = {.site_count = 2, .words = 3},
		.sites = {{.operation = VKR_SITE_LOAD, .words = 3, .texel = 1},
			  {.operation = VKR_SITE_LOAD, .texel = 2}},
		.texels = {{.form = VKR_TEXEL_SAMPLE,
			    .level = VKR_LEVEL_QUERIED,
			    .flags = VKR_TEXEL_DERIVED,
			    .coordinates = 2,
			    .words = 3,
			    .sampler = UINT32_MAX,
			    .level_word = 2,
			    .level_spread = none,
			    .parts = {{.word = 0, .scaled_word = none},
				      {.word = 1, .scaled_word = none}}},
			   {.form = VKR_TEXEL_SAMPLE,
			    .level = VKR_LEVEL_QUERIED,
			    .flags = VKR_TEXEL_DERIVED | VKR_TEXEL_LEVEL_NEAR,
			    .coordinates = 2,
			    .sampler = UINT32_MAX,
			    .level_word = 2,
			    .level_spread = 0,
			    .parts = {{.word = none, .scaled_word = 1, .factor = 2},
				      {.word = 0, .scaled_word = none, .constant = 1}}}},
		.strings = {0, 'x', 0},
	};
	return table;
}

static void checks_derived_coordinates(void **state)
{
	(void)state;
	static const struct {
		size_t offset;
		uint8_t value;
	} breaks[] = {
		{offsetof(struct derived_table, variable.dim), 3},
		{offsetof(struct derived_table, texels[0].parts[1].word), 3},
		{offsetof(struct derived_table, texels[0].level_word), 3},
		{offsetof(struct derived_table, texels[0].level_word), VKR_TEXEL_NO_WORD},
		{offsetof(struct derived_table, texels[0].level), VKR_LEVEL_GRADIENTS},
		{offsetof(struct derived_table, texels[0].flags), VKR_TEXEL_LEVEL_NEAR},
		{offsetof(struct derived_table, texels[0].flags),
		 VKR_TEXEL_DERIVED | VKR_TEXEL_MIN_LOD},
		{offsetof(struct derived_table, texels[0].coordinates), 3},
		{offsetof(struct derived_table, texels[0].form), VKR_TEXEL_INTEGER},
		{offsetof(struct derived_table, texels[1].parts[0].scaled_word), 3},
		{offsetof(struct derived_table, texels[1].level_spread), 3},
		{offsetof(struct derived_table, texels[1].level_spread), VKR_TEXEL_NO_WORD},
	};
	struct derived_table table = derived();
	assert_int_equal(vkr_site_table_check(&table, sizeof table, NULL), VKR_OK);
	for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
		table = derived();
		memcpy((char *)&table + breaks[i].offset, &breaks[i].value, 1);
		if (vkr_site_table_check(&table, sizeof table, NULL) != VKR_ERROR_FORMAT)
			fail_msg("break %zu is accepted", i);
	}
}

static void names_offset_and_reason(void **state)
{
	(void)state;
	struct table table = sound();
	struct vkr_error error;
	table.segment.words = 9;
	assert_int_equal(vkr_site_table_check(&table, sizeof table, &error), VKR_ERROR_FORMAT);
	assert_string_equal(error.message,
			    "site table, byte 124: a segment's words and its sites' disagree");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_sound_table),
		cmocka_unit_test(refuses_every_prefix),
		cmocka_unit_test(refuses_other_version),
		cmocka_unit_test(refuses_what_disagrees),
		cmocka_unit_test(checks_registers_of_summaries),
		cmocka_unit_test(checks_what_is_told),
		cmocka_unit_test(checks_sizes),
		cmocka_unit_test(checks_derived_coordinates),
		cmocka_unit_test(names_offset_and_reason),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
