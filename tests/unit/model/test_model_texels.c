// SPDX-License-Identifier: Apache-2.0
// Texels that dispatches load, which are judged together where nothing there is written. Knows one
// texel buffer.
#include "model_fixture.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

// A texel buffer of four words, and shaders that store to them (segment 1) and load them (segment
// 2), or only load them (segment 1).
struct texel_buffer {
	struct fixture fixture;
	uint32_t layout, set, both, loads;
};

static uint32_t texel_shader(struct trace_builder *tb, const struct vkr_site *sites, uint32_t count)
{
	const struct vkr_variable variable = {
		.kind = VKR_VARIABLE_TEXEL_BUFFER, .count = 1, .dim = 5};
	const struct vkr_texel texel = {
		.form = VKR_TEXEL_INTEGER, .coordinates = 1, .words = 1, .sampler = UINT32_MAX};
	const uint32_t segments[] = {1, count - 1, 0};
	const struct tb_shader shader = {.variables = &variable,
					 .variable_count = 1,
					 .texels = &texel,
					 .texel_count = 1,
					 .sites = sites,
					 .site_count = count,
					 .segments = segments,
					 .workgroup_size = {1, 1, 1}};
	return tb_shader_pipeline(tb, &shader, "texels");
}

static void texel_buffer(struct texel_buffer *of)
{
	const struct vkr_site sites[] = {{.operation = VKR_SITE_STORE,
					  .storage_class = VKR_CLASS_IMAGE,
					  .words = 1,
					  .texel = 1,
					  .line = 11},
					 {.operation = VKR_SITE_LOAD,
					  .storage_class = VKR_CLASS_IMAGE,
					  .words = 1,
					  .texel = 1,
					  .line = 12}};
	fixture_init(&of->fixture, 64);
	struct trace_builder *tb = &of->fixture.tb;
	const uint32_t type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
	const struct vkr_trace_binding binding = {.type = type, .count = 1};
	const struct vkr_trace_buffer_view view = {.view = 1,
						   .buffer = of->fixture.buffer,
						   .offset = 32,
						   .bytes = 16,
						   .format = VK_FORMAT_R32_UINT};
	const struct vkr_trace_descriptor texels = {.object = 1};
	tb_event(tb, VKR_TRACE_BUFFER_VIEW, &view, sizeof view, NULL, 0);
	const uint32_t layout = tb_set_layout(tb, &binding, 1);
	of->layout = tb_pipeline_layout(tb, layout);
	of->set = tb_set(tb, layout);
	tb_write(tb, of->set, 0, 0, type, &texels, 1);
	of->both = texel_shader(tb, sites, 2);
	of->loads = texel_shader(tb, &sites[1], 1);
}

// One invocation of each workgroup does what its records say, each a segment and a texel.
static void texel_dispatch(struct texel_buffer *of, uint32_t pipeline, const uint32_t *const *logs,
			   const uint32_t *words, uint32_t count)
{
	struct trace_builder *tb = &of->fixture.tb;
	tb_record(tb);
	tb_bind(tb, pipeline, of->layout, of->set, NULL, 0);
	const uint32_t command = tb_dispatch(tb, count, 1, 1);
	const uint32_t execution = tb_submit(tb, 1, tb_record_end(tb));
	for (uint32_t at = 0; at < count; at++)
		tb_chunk(tb, command, at, 0, logs[at], words[at]);
	tb_log_end(tb, execution);
}

// A load stands for those of others only where its dispatch does not write there: workgroup 0 loads
// what it has stored itself, workgroup 1 the same after it.
static void test_texels_written_here(void **state)
{
	(void)state;
	for (uint32_t apart = 0; apart < 2; apart++) {
		const uint32_t first[] = {1, 0, 2, 0}, second[] = {2, apart};
		const uint32_t *const logs[] = {first, second};
		struct texel_buffer of;
		texel_buffer(&of);
		texel_dispatch(&of, of.both, logs, (const uint32_t[]){4, 2}, 2);
		fixture_expect(&of.fixture, apart ? 0 : 1);
	}
}

// Loads that race with another dispatch are told with all invocations that make them, in order.
static void test_texels_written_before(void **state)
{
	(void)state;
	const uint32_t store[] = {1, 0}, load[] = {1, 0}, other[] = {1, 1};
	const uint32_t *const stores[] = {store}, *const loads[] = {other, load, load, load};
	struct texel_buffer of;
	texel_buffer(&of);
	texel_dispatch(&of, of.both, stores, (const uint32_t[]){2}, 1);
	texel_dispatch(&of, of.loads, loads, (const uint32_t[]){2, 2, 2, 2}, 4);
	struct vkr_session *session = fixture_judge(&of.fixture.tb);
	const struct vkr_report *report = vkr_session_report(session);
	assert_int_equal(report->race_count, 1);
	// Three workgroups read the texel: the first one counts, and is named.
	assert_int_equal(report->races[0].count, 1);
	assert_int_equal(report->races[0].first.source.line, 11);
	assert_int_equal(report->races[0].second.source.line, 12);
	assert_int_equal(report->races[0].second.workgroup[0], 1);
	vkr_session_destroy(session);
	tb_finish(&of.fixture.tb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texels_written_here),
		cmocka_unit_test(test_texels_written_before),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
