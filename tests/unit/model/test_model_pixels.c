// SPDX-License-Identifier: Apache-2.0
// Which texels of attachments draws access if the log has their fragments. Knows fragments that log
// where they are, and pipelines; not how they are judged.
#include "attachment_fixture.h"

#include "vkrace/gpu_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static uint32_t add_fragments(struct passes *test, uint32_t flags, uint32_t identity)
{
	const struct vkr_variable variable = {
		.kind = VKR_VARIABLE_POINTER, .count = 1, .spirv_id = 10};
	const struct vkr_site site = {.operation = VKR_SITE_LOAD,
				      .storage_class = VKR_CLASS_UNIFORM,
				      .flags = VKR_SITE_POINTER,
				      .words = 2,
				      .bytes = 4};
	const struct tb_shader shader = {.variables = &variable,
					 .variable_count = 1,
					 .sites = &site,
					 .site_count = 1,
					 .segments = (const uint32_t[]){1, 0},
					 .workgroup_size = {1, 1, 1},
					 .stage = VK_SHADER_STAGE_FRAGMENT_BIT,
					 .identity = VKR_IDENTITY_FRAGMENT | VKR_IDENTITY_ALL |
						     identity,
					 .flags = flags};
	return tb_shader(&test->tb, &shader, NULL);
}

struct pixels {
	uint32_t view, role, load;
	uint32_t graphics, shader; // flags
	bool stores;               // else the pass is left suspended
	bool shared;               // they log together, and which samples they leave
};

static const uint32_t pixels[][2] = {{3, 2}, {1, 0}, {0, 2}, {2, 0}, {1, 2}};
#define PIXEL_COUNT (uint32_t)(sizeof pixels / sizeof *pixels)

static void log_pixels(struct passes *test, uint32_t command)
{
	for (uint32_t at = 0; at < PIXEL_COUNT; at++) {
		const uint32_t words[] = {pixels[at][0], pixels[at][1], 0, 0};
		tb_chunk(&test->tb, command, 16 * at + 16, VK_SHADER_STAGE_FRAGMENT_BIT, words, 4);
	}
}

// The last one leaves nothing. Then, at all places, chunks of fragments that have logged before.
static void log_pixels_shared(struct passes *test, uint32_t command)
{
	uint32_t words[2 + 2 * PIXEL_COUNT] = {PIXEL_COUNT | VKR_SHARED_SAMPLES};
	for (uint32_t at = 0; at < PIXEL_COUNT; at++) {
		words[2 + at] = pixels[at][0] | pixels[at][1] << 16;
		words[2 + PIXEL_COUNT + at] = at + 1 < PIXEL_COUNT;
	}
	tb_chunk(&test->tb, command, 16, VK_SHADER_STAGE_FRAGMENT_BIT, words, 2 + 2 * PIXEL_COUNT);
	for (uint32_t at = 0; at < TEXELS; at++) {
		const uint32_t more[] = {1, 0, at % 4 | VKR_SHARED_GOES_ON | at / 4 << 16};
		tb_chunk(&test->tb, command, 64 + 16 * at, VK_SHADER_STAGE_FRAGMENT_BIT, more, 3);
	}
}

static void draw_pixels(struct passes *test, const struct pixels *of)
{
	const struct vkr_trace_rendering_attachment attachment = {
		.view = of->view,
		.role = of->role,
		.load = of->load,
		.store = VK_ATTACHMENT_STORE_OP_NONE};
	const uint32_t shader = add_fragments(
		test, of->shader, of->shared ? VKR_IDENTITY_END | VKR_IDENTITY_SHARED : 0);
	const struct vkr_trace_graphics_state state = {
		.pipeline = tb_pipeline(&test->tb, VK_PIPELINE_BIND_POINT_GRAPHICS, &shader, 1),
		.flags = of->graphics,
		.blend_count = 1};
	const struct vkr_trace_color_blend blend = {.write_mask = 15};
	struct vkr_trace_cmd_draw draw = {
		.kind = VKR_DRAW_VERTICES, .instance_count = 1, .draw_count = 1};
	const struct vkr_trace_draw part = {.count = 3};
	tb_event(&test->tb, VKR_TRACE_GRAPHICS_STATE, &state, sizeof state, &blend, sizeof blend);
	tb_record(&test->tb);
	tb_bind_pipeline(&test->tb, VK_PIPELINE_BIND_POINT_GRAPHICS, state.pipeline);
	if (of->stores)
		attachments_render(test, &attachment, 1, 1, 0);
	else
		attachments_render_suspended(test, &attachment, 1, 1);
	tb_command(&test->tb, VKR_TRACE_CMD_DRAW, &draw.command, sizeof draw, &part, sizeof part);
	attachments_render_end(test);
	if (of->shared)
		log_pixels_shared(test, draw.command);
	else
		log_pixels(test, draw.command);
}

// The texels that fragments write, where no load or store operation stands for them.
static void test_pixels(void **state)
{
	static const struct {
		uint32_t view, layer, load;
		const char *texels;
	} cases[] = {
		{COLOR, 0, VK_ATTACHMENT_LOAD_OP_NONE_EXT, ".ww.....ww.w...."},
		{COLOR, 1, VK_ATTACHMENT_LOAD_OP_NONE_EXT, NONE},
		{SLICES, 1, VK_ATTACHMENT_LOAD_OP_NONE_EXT, ".ww.....ww.w...."},
		{SLICES, 0, VK_ATTACHMENT_LOAD_OP_NONE_EXT, NONE},
		{COLOR, 0, VK_ATTACHMENT_LOAD_OP_CLEAR, AREA("c")},
	};
	(void)state;
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		struct passes test;
		attachments_begin(&test);
		draw_pixels(&test, &(struct pixels){.view = cases[at].view,
						    .role = VKR_ATTACHMENT_COLOR,
						    .load = cases[at].load});
		attachments_expect(&test, cases[at].view, COLOR_ASPECT, cases[at].layer,
				   cases[at].texels);
	}
}

// Fragments that log together, some of them again.
static void test_shared(void **state)
{
	struct passes test;
	(void)state;
	attachments_begin(&test);
	draw_pixels(&test, &(struct pixels){.view = COLOR,
					    .role = VKR_ATTACHMENT_COLOR,
					    .load = VK_ATTACHMENT_LOAD_OP_NONE_EXT,
					    .shared = true});
	attachments_expect(&test, COLOR, COLOR_ASPECT, 0, ".ww.....w..w....");
}

// Fragments that fail early tests tell nothing: what they read, and what they write in the stencil,
// may be anywhere. What the stencil's operations do to those that pass is not known either, which
// is not said where what these read is known to race.
static void test_unshaded(void **state)
{
	static const struct {
		uint32_t role, aspect, graphics, shader;
		bool may_read, may_write;
	} cases[] = {
		{VKR_ATTACHMENT_DEPTH, DEPTH_ASPECT, VKR_GRAPHICS_DEPTH_TEST, VKR_SHADER_EARLY,
		 true, false},
		{VKR_ATTACHMENT_DEPTH, DEPTH_ASPECT,
		 VKR_GRAPHICS_DEPTH_TEST | VKR_GRAPHICS_DEPTH_ALWAYS, VKR_SHADER_EARLY, false,
		 false},
		{VKR_ATTACHMENT_DEPTH, DEPTH_ASPECT, VKR_GRAPHICS_DEPTH_TEST, 0, false, false},
		{VKR_ATTACHMENT_STENCIL, STENCIL_ASPECT,
		 VKR_GRAPHICS_STENCIL_TEST | VKR_GRAPHICS_STENCIL_WRITE, VKR_SHADER_EARLY, true,
		 true},
		{VKR_ATTACHMENT_STENCIL, STENCIL_ASPECT,
		 VKR_GRAPHICS_STENCIL_TEST | VKR_GRAPHICS_STENCIL_WRITE |
			 VKR_GRAPHICS_STENCIL_ALWAYS,
		 VKR_SHADER_EARLY, false, false},
	};
	(void)state;
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		struct passes test;
		char texels[TEXELS + 1];
		attachments_begin(&test);
		draw_pixels(&test, &(struct pixels){.view = DEPTH_STENCIL,
						    .role = cases[at].role,
						    .load = VK_ATTACHMENT_LOAD_OP_NONE_EXT,
						    .graphics = cases[at].graphics,
						    .shader = cases[at].shader});
		attachments_judge(&test, DEPTH_STENCIL, cases[at].aspect, 0, texels);
		assert_string_equal(texels, ".rr.....rr.r....");
		assert_int_equal(attachments_told(&test, READS)[0] != '\0', cases[at].may_read);
		assert_int_equal(attachments_told(&test, WRITES)[0] != '\0', cases[at].may_write);
		attachments_end(&test);
	}
}

// A store operation that is none accesses nothing where no values were written, and else the whole
// render area: perhaps, where it is not known whether they were.
static void test_unstored(void **state)
{
	static const struct {
		uint32_t role, aspect, graphics, shader;
		const char *texels;
		bool told; // what may be discarded, the surroundings with it
	} cases[] = {
		{VKR_ATTACHMENT_COLOR, COLOR_ASPECT, 0, 0, ".ww..dd.wddw....", true},
		{VKR_ATTACHMENT_COLOR, COLOR_ASPECT, VKR_GRAPHICS_DEPTH_TEST, 0, NONE, true},
		{VKR_ATTACHMENT_COLOR, COLOR_ASPECT, VKR_GRAPHICS_DEPTH_TEST, VKR_SHADER_EARLY,
		 ".ww..dd.wddw....", true},
		{VKR_ATTACHMENT_DEPTH, DEPTH_ASPECT, VKR_GRAPHICS_DEPTH_TEST, 0, ".rr.....rr.r....",
		 false},
		{VKR_ATTACHMENT_DEPTH, DEPTH_ASPECT,
		 VKR_GRAPHICS_DEPTH_TEST | VKR_GRAPHICS_DEPTH_ALWAYS | VKR_GRAPHICS_DEPTH_WRITE, 0,
		 ".ww..dd.wddw....", true},
		{VKR_ATTACHMENT_STENCIL, STENCIL_ASPECT,
		 VKR_GRAPHICS_STENCIL_TEST | VKR_GRAPHICS_STENCIL_WRITE, 0, ".rr.....rr.r....",
		 true},
	};
	(void)state;
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		const bool color = cases[at].role == VKR_ATTACHMENT_COLOR;
		struct passes test;
		char texels[TEXELS + 1];
		attachments_begin(&test);
		draw_pixels(&test, &(struct pixels){.view = color ? COLOR : DEPTH_STENCIL,
						    .role = cases[at].role,
						    .load = VK_ATTACHMENT_LOAD_OP_NONE_EXT,
						    .graphics = cases[at].graphics,
						    .shader = cases[at].shader,
						    .stores = true});
		attachments_judge(&test, color ? COLOR : DEPTH_STENCIL, cases[at].aspect, 0,
				  texels);
		assert_string_equal(texels, cases[at].texels);
		assert_int_equal(attachments_told(&test, "attachment discard")[0] != '\0',
				 cases[at].told);
		attachments_end(&test);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pixels),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_unshaded),
		cmocka_unit_test(test_unstored),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
