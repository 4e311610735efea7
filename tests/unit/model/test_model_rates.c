// SPDX-License-Identifier: Apache-2.0
// Attachments that say how coarse fragments are, and such as have more samples while they are
// rendered to. Knows dynamic rendering and draws; not how they are judged.
#include "attachment_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void rendering(struct passes *test, const struct vkr_trace_rendering_attachment *attachment,
		      struct vkr_trace_cmd_begin_rendering begin, uint32_t graphics)
{
	const struct vkr_trace_graphics_state state = {
		.pipeline = tb_pipeline(&test->tb, VK_PIPELINE_BIND_POINT_GRAPHICS, NULL, 0),
		.flags = graphics};
	struct vkr_trace_cmd_draw draw = {
		.kind = VKR_DRAW_VERTICES, .instance_count = 1, .draw_count = 1};
	struct vkr_trace_cmd_end_rendering end = {0};
	const struct vkr_trace_draw part = {.count = 3};
	begin.layer_count = begin.attachment_count = 1;
	tb_event(&test->tb, VKR_TRACE_GRAPHICS_STATE, &state, sizeof state, NULL, 0);
	tb_record(&test->tb);
	tb_bind_pipeline(&test->tb, VK_PIPELINE_BIND_POINT_GRAPHICS, state.pipeline);
	tb_command(&test->tb, VKR_TRACE_CMD_BEGIN_RENDERING, &begin.command, sizeof begin,
		   attachment, sizeof *attachment);
	tb_command(&test->tb, VKR_TRACE_CMD_DRAW, &draw.command, sizeof draw, &part, sizeof part);
	tb_command(&test->tb, VKR_TRACE_CMD_END_RENDERING, &end.command, sizeof end, NULL, 0);
}

// Whether a copy to a texel behind a draw may race with what that reads.
static bool may_read(const struct vkr_trace_rendering_attachment *attachment,
		     struct vkr_trace_cmd_begin_rendering begin, uint32_t graphics, uint32_t texel,
		     const char *operation)
{
	const struct vkr_trace_image_rows rows = {.box = {.aspects = COLOR_ASPECT,
							  .layer_count = 1,
							  .offset = {texel % SIDE, texel / SIDE, 0},
							  .extent = {1, 1, 1}}};
	struct passes test;
	attachments_begin(&test);
	struct vkr_trace_cmd_image_buffer copy = {.to_image = 1,
						  .buffer = test.texels,
						  .image = COLOR,
						  .layout = VK_IMAGE_LAYOUT_GENERAL,
						  .region_count = 1};
	rendering(&test, attachment, begin, graphics);
	tb_command(&test.tb, VKR_TRACE_CMD_IMAGE_BUFFER, &copy.command, sizeof copy, &rows,
		   sizeof rows);
	tb_log_end(&test.tb, tb_submit(&test.tb, 1, tb_record_end(&test.tb)));
	test.session = fixture_judge(&test.tb);
	assert_int_equal(vkr_session_report(test.session)->race_count, 0);
	const bool told = attachments_told(&test, operation)[0] != '\0';
	assert_int_equal(vkr_session_report(test.session)->coverage_count, told);
	attachments_end(&test);
	return told;
}

// The texels that cover the render area, this many pixels each.
static void test_shading_rates(void **state)
{
	static const struct {
		uint32_t role, pixels, graphics;
		struct vkr_trace_cmd_begin_rendering begin;
		const char *operation, *texels;
	} cases[] = {
		{VKR_ATTACHMENT_SHADING_RATE,
		 8u << 16 | 4,
		 0,
		 {.x = 8, .y = 4, .width = 9, .height = 4},
		 "shading rate read",
		 ".....xx........."},
		{VKR_ATTACHMENT_SHADING_RATE,
		 8u << 16 | 8,
		 0,
		 {.width = 64, .height = 8},
		 "shading rate read",
		 "xxxx............"},
		{VKR_ATTACHMENT_SHADING_RATE,
		 8u << 16 | 8,
		 0,
		 {.x = 32, .width = 8, .height = 8},
		 "shading rate read",
		 NONE},
		{VKR_ATTACHMENT_SHADING_RATE,
		 8u << 16 | 8,
		 VKR_GRAPHICS_RASTERIZER_DISCARD,
		 {.width = 64, .height = 8},
		 "shading rate read",
		 NONE},
		// The host reads it.
		{VKR_ATTACHMENT_DENSITY_MAP,
		 0,
		 0,
		 {.width = 8, .height = 8},
		 "density map read",
		 NONE},
	};
	(void)state;
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		const struct vkr_trace_rendering_attachment attachment = {
			.view = COLOR, .role = cases[at].role, .index = cases[at].pixels};
		char texels[TEXELS + 1] = NONE;
		for (uint32_t texel = 0; texel < TEXELS; texel++)
			if (may_read(&attachment, cases[at].begin, cases[at].graphics, texel,
				     cases[at].operation))
				texels[texel] = 'x';
		assert_string_equal(texels, cases[at].texels);
	}
}

// What has one sample and several while it is rendered to is resolved onto itself, in the stage of
// color whatever it holds; what is only read is not.
static void test_implicit_resolves(void **state)
{
	static const struct {
		uint32_t image, role, aspect, samples, layout;
		const char *texels;
	} cases[] = {
		{COLOR, VKR_ATTACHMENT_COLOR, COLOR_ASPECT, 4, VK_IMAGE_LAYOUT_GENERAL, AREA("r")},
		{COLOR, VKR_ATTACHMENT_COLOR, COLOR_ASPECT, 0, VK_IMAGE_LAYOUT_GENERAL, NONE},
		{DEPTH, VKR_ATTACHMENT_DEPTH, DEPTH_ASPECT, 4, VK_IMAGE_LAYOUT_GENERAL, AREA("r")},
		{DEPTH, VKR_ATTACHMENT_DEPTH, DEPTH_ASPECT, 4,
		 VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL, NONE},
	};
	(void)state;
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		const struct vkr_trace_rendering_attachment attachment = {
			.view = cases[at].image,
			.role = cases[at].role,
			.layout = cases[at].layout,
			.load = VK_ATTACHMENT_LOAD_OP_NONE_EXT,
			.store = VK_ATTACHMENT_STORE_OP_NONE};
		struct passes test;
		attachments_begin(&test);
		rendering(&test, &attachment,
			  (struct vkr_trace_cmd_begin_rendering){.x = 1,
								 .y = 1,
								 .width = 2,
								 .height = 2,
								 .implicit_samples =
									 cases[at].samples},
			  VKR_GRAPHICS_RASTERIZER_DISCARD);
		attachments_expect(&test, cases[at].image, cases[at].aspect, 0, cases[at].texels);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shading_rates),
		cmocka_unit_test(test_implicit_resolves),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
