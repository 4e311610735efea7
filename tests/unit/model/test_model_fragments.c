// SPDX-License-Identifier: Apache-2.0
// Dependencies by region and by view between fragments of two draws, which say where they are.
// Knows logs and the reports' words; nothing of how shaders make them.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define FRAGMENT VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT
#define REGION   VK_DEPENDENCY_BY_REGION_BIT
#define VIEW     VK_DEPENDENCY_VIEW_LOCAL_BIT

// Segments of the shader.
enum { STORE = 1, LOAD };

struct fragments {
	struct fixture fixture;
	uint32_t draws[2]; // command indices
	uint32_t execution, next;
};

// Two draws with a dependency between them.
static void begin(struct fragments *test, uint32_t flags)
{
	const struct vkr_variable variable = {
		.kind = VKR_VARIABLE_BUFFER, .count = 1, .spirv_id = 10};
	const struct vkr_site sites[] = {{.operation = VKR_SITE_STORE,
					  .storage_class = VKR_CLASS_UNIFORM,
					  .flags = VKR_SITE_NONPRIVATE,
					  .words = 1,
					  .bytes = 4},
					 {.operation = VKR_SITE_LOAD,
					  .storage_class = VKR_CLASS_UNIFORM,
					  .flags = VKR_SITE_NONPRIVATE,
					  .words = 1,
					  .bytes = 4}};
	const struct tb_shader shader = {.variables = &variable,
					 .variable_count = 1,
					 .sites = sites,
					 .site_count = 2,
					 .segments = (const uint32_t[]){1, 1, 0},
					 .workgroup_size = {1, 1, 1},
					 .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
					 .identity = VKR_IDENTITY_FRAGMENT | VKR_IDENTITY_LAYER |
						     VKR_IDENTITY_VIEW};
	memset(test, 0, sizeof *test);
	fixture_init(&test->fixture, 64);
	struct trace_builder *tb = &test->fixture.tb;
	const uint32_t pipeline = fixture_draw_pipeline(tb, &shader, "fragment");
	const struct vkr_trace_barrier barriers[] = {
		{.kind = VKR_BARRIER_EXECUTION,
		 .source_stages = FRAGMENT,
		 .destination_stages = FRAGMENT},
		{.kind = VKR_BARRIER_MEMORY,
		 .source_stages = FRAGMENT,
		 .destination_stages = FRAGMENT,
		 .source_access = VK_ACCESS_2_SHADER_WRITE_BIT,
		 .destination_access = VK_ACCESS_2_SHADER_READ_BIT}};
	struct vkr_trace_cmd_barrier barrier = {.dependency_flags = flags, .barrier_count = 2};
	tb_record(tb);
	fixture_bind_draws(&test->fixture);
	for (int at = 0; at < 2; at++) {
		test->draws[at] = fixture_draw(&test->fixture, pipeline);
		if (at == 0)
			tb_command(tb, VKR_TRACE_CMD_BARRIER, &barrier.command, sizeof barrier,
				   barriers, sizeof barriers);
	}
	test->execution = tb_submit(tb, 1, tb_record_end(tb));
}

// x, y, layer, view.
struct place {
	uint32_t words[4];
};

static void shade(struct fragments *test, uint32_t draw, struct place at, uint32_t segment,
		  uint32_t word)
{
	uint32_t words[6];
	memcpy(words, at.words, sizeof at.words);
	words[4] = segment;
	words[5] = 4 * word;
	test->next += 16;
	tb_chunk(&test->fixture.tb, test->draws[draw], test->next, VK_SHADER_STAGE_FRAGMENT_BIT,
		 words, 6);
}

struct local_case {
	uint32_t flags;
	struct place first, second;
	const char *missing; // NULL: no race
};

static const struct local_case locals[] = {
	{0, {{1, 2, 0, 0}}, {{1, 2, 0, 0}}, NULL},
	{0, {{1, 2, 0, 0}}, {{3, 2, 1, 1}}, NULL},
	{REGION, {{1, 2, 0, 0}}, {{1, 2, 0, 0}}, NULL},
	{REGION,
	 {{1, 2, 0, 0}},
	 {{3, 2, 0, 0}},
	 "vkCmdPipelineBarrier in command 2 has VK_DEPENDENCY_BY_REGION_BIT: it orders only "
	 "accesses to the same pixel, but the first access is at pixel (1, 2), the second at pixel "
	 "(3, 2)"},
	{REGION,
	 {{1, 2, 0, 0}},
	 {{1, 3, 0, 0}},
	 "vkCmdPipelineBarrier in command 2 has VK_DEPENDENCY_BY_REGION_BIT: it orders only "
	 "accesses to the same pixel, but the first access is at pixel (1, 2), the second at pixel "
	 "(1, 3)"},
	{REGION,
	 {{1, 2, 4, 0}},
	 {{1, 2, 5, 0}},
	 "vkCmdPipelineBarrier in command 2 has VK_DEPENDENCY_BY_REGION_BIT: it orders only "
	 "accesses to the same layer, but the first access is in layer 4, the second in layer 5"},
	{REGION, {{1, 2, 0, 0}}, {{1, 2, 0, 1}}, NULL},
	{VIEW, {{1, 2, 0, 3}}, {{1, 2, 0, 3}}, NULL},
	{VIEW, {{1, 2, 0, 3}}, {{4, 5, 0, 3}}, NULL},
	{VIEW,
	 {{1, 2, 0, 3}},
	 {{1, 2, 0, 6}},
	 "vkCmdPipelineBarrier in command 2 has VK_DEPENDENCY_VIEW_LOCAL_BIT: it orders only "
	 "accesses in the same view, but the first access is in view 3, the second in view 6"},
	{REGION | VIEW, {{1, 2, 0, 3}}, {{1, 2, 0, 3}}, NULL},
	{REGION | VIEW,
	 {{1, 2, 0, 3}},
	 {{4, 2, 0, 3}},
	 "vkCmdPipelineBarrier in command 2 has VK_DEPENDENCY_BY_REGION_BIT: it orders only "
	 "accesses to the same pixel, but the first access is at pixel (1, 2), the second at pixel "
	 "(4, 2)"},
	{REGION | VIEW,
	 {{1, 2, 0, 3}},
	 {{1, 2, 0, 4}},
	 "vkCmdPipelineBarrier in command 2 has VK_DEPENDENCY_VIEW_LOCAL_BIT: it orders only "
	 "accesses in the same view, but the first access is in view 3, the second in view 4"},
};

static void test_local_dependencies(void **state)
{
	(void)state;
	for (size_t at = 0; at < sizeof locals / sizeof *locals; at++) {
		const struct local_case *is = &locals[at];
		struct fragments test;
		begin(&test, is->flags);
		shade(&test, 0, is->first, STORE, 3);
		shade(&test, 1, is->second, LOAD, 3);
		shade(&test, 1, is->second, LOAD, 4);
		tb_log_end(&test.fixture.tb, test.execution);
		if (is->missing == NULL) {
			fixture_expect(&test.fixture, 0);
			continue;
		}
		struct vkr_session *session = fixture_judge(&test.fixture.tb);
		const struct vkr_report *report = vkr_session_report(session);
		assert_int_equal(report->race_count, 1);
		assert_int_equal(report->coverage_count, 0);
		assert_string_equal(report->races[0].missing, is->missing);
		vkr_session_destroy(session);
		tb_finish(&test.fixture.tb);
	}
}

// Two fragments that say the same of themselves are two all the same.
static void test_same_place(void **state)
{
	(void)state;
	for (uint32_t draw = 0; draw < 2; draw++) {
		struct fragments test;
		const struct place at = {{5, 6, 0, 0}};
		begin(&test, 0);
		shade(&test, 0, at, STORE, 3);
		shade(&test, draw, at, STORE, draw == 0 ? 3 : 4);
		tb_log_end(&test.fixture.tb, test.execution);
		fixture_expect(&test.fixture, draw == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_local_dependencies),
		cmocka_unit_test(test_same_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
