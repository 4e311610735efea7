// SPDX-License-Identifier: Apache-2.0
// Which texels of attachments rendering reads and writes by fixed function: each texel is copied to
// behind the pass without a barrier, and the races tell which. Knows passes, clears and the state
// of pipelines; not how they are judged.
#include "attachment_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Of some texels each way from one on.
static void begin_area(struct passes *test, const struct vkr_trace_rendering_attachment *attachment,
		       uint32_t first, uint32_t side)
{
	struct vkr_trace_cmd_begin_rendering rendering = {.x = first,
							  .y = first,
							  .width = side,
							  .height = side,
							  .layer_count = 1,
							  .attachment_count = 1};
	tb_command(&test->tb, VKR_TRACE_CMD_BEGIN_RENDERING, &rendering.command, sizeof rendering,
		   attachment, sizeof *attachment);
}

// One letter an operation that accesses what it is given: of two the first.
static void test_operations(void **state)
{
	static const struct {
		uint32_t load, store;
		bool reads_only;
		const char *letter; // "?": both
	} cases[] = {
		{VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_NONE, false, "l"},
		// What the clear has written is discarded.
		{VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_NONE, false, "d"},
		{VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_NONE, false, "d"},
		{VK_ATTACHMENT_LOAD_OP_NONE_EXT, VK_ATTACHMENT_STORE_OP_NONE, false, "."},
		{VK_ATTACHMENT_LOAD_OP_NONE_EXT, VK_ATTACHMENT_STORE_OP_STORE, false, "s"},
		{VK_ATTACHMENT_LOAD_OP_NONE_EXT, VK_ATTACHMENT_STORE_OP_DONT_CARE, false, "d"},
		{VK_ATTACHMENT_LOAD_OP_NONE_EXT, VK_ATTACHMENT_STORE_OP_STORE, true, "."},
		{VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE, true, "l"},
	};
	static const struct {
		uint32_t image, role, aspect, layout;
	} roles[] = {
		{COLOR, VKR_ATTACHMENT_COLOR, COLOR_ASPECT, VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL},
		{DEPTH_STENCIL, VKR_ATTACHMENT_DEPTH, DEPTH_ASPECT,
		 VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL},
		{DEPTH_STENCIL, VKR_ATTACHMENT_STENCIL, STENCIL_ASPECT,
		 VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL},
	};
	(void)state;
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		for (size_t of = 0; of < 3; of++) {
			char wanted[TEXELS + 1] = NONE;
			const struct vkr_trace_rendering_attachment attachment = {
				.view = roles[of].image,
				.role = roles[of].role,
				.layout = cases[at].reads_only ? roles[of].layout
							       : VK_IMAGE_LAYOUT_GENERAL,
				.load = cases[at].load,
				.store = cases[at].store};
			struct passes test;
			wanted[5] = wanted[6] = wanted[9] = wanted[10] = cases[at].letter[0];
			attachments_begin(&test);
			tb_record(&test.tb);
			attachments_render(&test, &attachment, 1, 1, 0);
			attachments_render_end(&test);
			attachments_expect(&test, roles[of].image, roles[of].aspect, 0, wanted);
		}
	}
}

// What operations that write may write back beside the render area is told, but where a feedback
// loop is enabled.
static void test_surroundings(void **state)
{
	static const struct {
		uint32_t first, side, load, store, layout, flags, layer;
		const char *told;
	} cases[] = {
		{1, 2, VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_NONE,
		 VK_IMAGE_LAYOUT_GENERAL, 0, 0, "attachment discard"},
		{0, 3, VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE,
		 VK_IMAGE_LAYOUT_GENERAL, 0, 0, "attachment store"},
		{1, 3, VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_DONT_CARE,
		 VK_IMAGE_LAYOUT_GENERAL, 0, 0, "attachment discard"},
		{1, 3, VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_DONT_CARE,
		 VK_IMAGE_LAYOUT_GENERAL, 0, 1, ""},
		// What is only read may be stored all the same.
		{1, 2, VK_ATTACHMENT_LOAD_OP_NONE_EXT, VK_ATTACHMENT_STORE_OP_STORE,
		 VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL, 0, 0, "attachment store"},
		{1, 2, VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_NONE,
		 VK_IMAGE_LAYOUT_GENERAL, 0, 0, ""},
		{0, 4, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE,
		 VK_IMAGE_LAYOUT_GENERAL, 0, 0, ""},
		{1, 2, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE,
		 VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT, 0, 0, ""},
		{1, 2, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE,
		 VK_IMAGE_LAYOUT_GENERAL, VKR_RENDERING_FEEDBACK_LOOP, 0, ""},
	};
	(void)state;
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		const struct vkr_trace_rendering_attachment attachment = {
			.view = COLOR,
			.role = VKR_ATTACHMENT_COLOR,
			.layout = cases[at].layout,
			.flags = cases[at].flags,
			.load = cases[at].load,
			.store = cases[at].store};
		struct passes test;
		char texels[TEXELS + 1];
		attachments_begin(&test);
		tb_record(&test.tb);
		begin_area(&test, &attachment, cases[at].first, cases[at].side);
		attachments_render_end(&test);
		attachments_judge(&test, COLOR, COLOR_ASPECT, cases[at].layer, texels);
		assert_non_null(strstr(attachments_told(&test, "how far"), cases[at].told));
		assert_int_equal(attachments_told(&test, "how far")[0] == '\0',
				 cases[at].told[0] == '\0');
		attachments_end(&test);
	}
}

// What writes depth may write the stencil of its image back, but where the device keeps the two
// apart, or where that is only read.
static void test_beside(void **state)
{
	static const struct {
		uint32_t device, load, stencil_layout;
		const char *told;
	} cases[] = {
		{0, VK_ATTACHMENT_LOAD_OP_DONT_CARE, 0, "attachment discard"},
		{0, VK_ATTACHMENT_LOAD_OP_LOAD, 0, ""},
		{VKR_DEVICE_SEPARATE_ASPECTS, VK_ATTACHMENT_LOAD_OP_DONT_CARE, 0, ""},
		{0, VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_IMAGE_LAYOUT_GENERAL, "attachment discard"},
		{0, VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_IMAGE_LAYOUT_STENCIL_READ_ONLY_OPTIMAL, ""},
	};
	(void)state;
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		const struct vkr_trace_rendering_attachment attachments[] = {
			{.view = DEPTH_STENCIL,
			 .role = VKR_ATTACHMENT_DEPTH,
			 .layout = VK_IMAGE_LAYOUT_GENERAL,
			 .load = cases[at].load,
			 .store = VK_ATTACHMENT_STORE_OP_NONE},
			{.view = DEPTH_STENCIL,
			 .role = VKR_ATTACHMENT_STENCIL,
			 .layout = cases[at].stencil_layout,
			 .load = VK_ATTACHMENT_LOAD_OP_NONE_EXT,
			 .store = VK_ATTACHMENT_STORE_OP_NONE}};
		struct passes test;
		char texels[TEXELS + 1];
		attachments_begin_on(&test, cases[at].device);
		tb_record(&test.tb);
		attachments_render(&test, attachments, cases[at].stencil_layout != 0 ? 2 : 1, 1, 0);
		attachments_render_end(&test);
		attachments_judge(&test, DEPTH_STENCIL, STENCIL_ASPECT, 0, texels);
		assert_string_equal(texels, NONE);
		assert_non_null(strstr(attachments_told(&test, "how far"), cases[at].told));
		assert_int_equal(attachments_told(&test, "how far")[0] == '\0',
				 cases[at].told[0] == '\0');
		attachments_end(&test);
	}
}

// The other aspect, the other layers and views are not touched.
static void test_subresources(void **state)
{
	static const struct {
		uint32_t role, layers, view_mask, aspect, layer;
		const char *texels;
	} cases[] = {
		{VKR_ATTACHMENT_DEPTH, 1, 0, STENCIL_ASPECT, 0, NONE},
		{VKR_ATTACHMENT_STENCIL, 1, 0, DEPTH_ASPECT, 0, NONE},
		{VKR_ATTACHMENT_DEPTH, 1, 0, DEPTH_ASPECT, 1, NONE},
		{VKR_ATTACHMENT_DEPTH, 2, 0, DEPTH_ASPECT, 0, AREA("d")},
		{VKR_ATTACHMENT_DEPTH, 2, 0, DEPTH_ASPECT, 1, AREA("d")},
		{VKR_ATTACHMENT_DEPTH, 1, 2, DEPTH_ASPECT, 0, NONE},
		{VKR_ATTACHMENT_DEPTH, 1, 2, DEPTH_ASPECT, 1, AREA("d")},
		{VKR_ATTACHMENT_DEPTH, 1, 3, DEPTH_ASPECT, 1, AREA("d")},
		{VKR_ATTACHMENT_DEPTH, 9, 0, DEPTH_ASPECT, 1, AREA("d")},
	};
	(void)state;
	for (size_t at = 0; at < sizeof cases / sizeof *cases; at++) {
		const struct vkr_trace_rendering_attachment attachment = {
			.view = DEPTH_STENCIL,
			.role = cases[at].role,
			.layout = VK_IMAGE_LAYOUT_GENERAL,
			.load = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
			.store = VK_ATTACHMENT_STORE_OP_NONE};
		struct passes test;
		attachments_begin(&test);
		tb_record(&test.tb);
		attachments_render(&test, &attachment, 1, cases[at].layers, cases[at].view_mask);
		attachments_render_end(&test);
		attachments_expect(&test, DEPTH_STENCIL, cases[at].aspect, cases[at].layer,
				   cases[at].texels);
	}
}

// A resolve reads the one and writes the other.
static void test_resolves(void **state)
{
	static const struct {
		uint32_t role, source, destination, aspect;
	} cases[] = {
		{VKR_ATTACHMENT_COLOR, COLOR, SECOND, COLOR_ASPECT},
		{VKR_ATTACHMENT_DEPTH, DEPTH_STENCIL, DEPTH, DEPTH_ASPECT},
	};
	(void)state;
	for (size_t at = 0; at < 4; at++) {
		const bool of_source = at % 2;
		const struct vkr_trace_rendering_attachment attachment = {
			.view = cases[at / 2].source,
			.resolve_view = cases[at / 2].destination,
			.role = cases[at / 2].role,
			.layout = VK_IMAGE_LAYOUT_GENERAL,
			.resolve_layout = VK_IMAGE_LAYOUT_GENERAL,
			.resolve_mode = VK_RESOLVE_MODE_AVERAGE_BIT,
			.load = VK_ATTACHMENT_LOAD_OP_NONE_EXT,
			.store = VK_ATTACHMENT_STORE_OP_NONE};
		struct passes test;
		attachments_begin(&test);
		tb_record(&test.tb);
		attachments_render(&test, &attachment, 1, 1, 0);
		attachments_render_end(&test);
		if (of_source)
			attachments_expect(&test, cases[at / 2].source, cases[at / 2].aspect, 0,
					   AREA("s"));
		else
			attachments_expect(&test, cases[at / 2].destination, cases[at / 2].aspect,
					   0, AREA("r"));
	}
}

// Clears within a pass, of their own rectangles and layers, attachment by attachment.
static const struct {
	struct vkr_trace_clear clears[2];
	uint32_t clear_count;
	struct {
		uint32_t image, aspect, layer;
		const char *texels;
	} of;
} cleared[] = {
	{{{COLOR_ASPECT, 0}}, 1, {COLOR, COLOR_ASPECT, 0, "c......c........"}},
	{{{COLOR_ASPECT, 0}}, 1, {COLOR, COLOR_ASPECT, 1, "c..............."}},
	{{{COLOR_ASPECT, 0}}, 1, {SECOND, COLOR_ASPECT, 0, NONE}},
	{{{COLOR_ASPECT, 1}}, 1, {SECOND, COLOR_ASPECT, 0, "c......c........"}},
	{{{COLOR_ASPECT, 1}}, 1, {COLOR, COLOR_ASPECT, 0, NONE}},
	{{{DEPTH_ASPECT, 0}}, 1, {DEPTH_STENCIL, DEPTH_ASPECT, 0, "c......c........"}},
	{{{DEPTH_ASPECT, 0}}, 1, {DEPTH_STENCIL, STENCIL_ASPECT, 0, NONE}},
	{{{DEPTH_ASPECT, 0}}, 1, {COLOR, COLOR_ASPECT, 0, NONE}},
	{{{STENCIL_ASPECT, 0}}, 1, {DEPTH_STENCIL, STENCIL_ASPECT, 1, "c..............."}},
	// Of two clears each has the texels of its own attachment.
	{{{COLOR_ASPECT, 0}, {COLOR_ASPECT, 1}}, 2, {COLOR, COLOR_ASPECT, 0, "c......c........"}},
	{{{COLOR_ASPECT, 1}, {DEPTH_ASPECT, 0}}, 2, {SECOND, COLOR_ASPECT, 0, "c......c........"}},
};
static const struct vkr_trace_clear_rectangle clear_rectangles[] = {
	{.width = 1, .height = 1, .layer_count = 2},
	{.x = 3, .y = 1, .width = 1, .height = 1, .layer_count = 1}};
static const struct vkr_trace_rendering_attachment of_clears[] = {
	{.view = COLOR,
	 .role = VKR_ATTACHMENT_COLOR,
	 .load = VK_ATTACHMENT_LOAD_OP_NONE_EXT,
	 .store = VK_ATTACHMENT_STORE_OP_NONE},
	{.view = SECOND,
	 .role = VKR_ATTACHMENT_COLOR,
	 .index = 1,
	 .load = VK_ATTACHMENT_LOAD_OP_NONE_EXT,
	 .store = VK_ATTACHMENT_STORE_OP_NONE},
	{.view = DEPTH_STENCIL,
	 .role = VKR_ATTACHMENT_DEPTH,
	 .load = VK_ATTACHMENT_LOAD_OP_NONE_EXT,
	 .store = VK_ATTACHMENT_STORE_OP_NONE},
	{.view = DEPTH_STENCIL,
	 .role = VKR_ATTACHMENT_STENCIL,
	 .load = VK_ATTACHMENT_LOAD_OP_NONE_EXT,
	 .store = VK_ATTACHMENT_STORE_OP_NONE}};

static void test_clears(void **state)
{
	(void)state;
	for (size_t at = 0; at < sizeof cleared / sizeof *cleared; at++) {
		struct vkr_trace_cmd_clear_attachments clear = {
			.clear_count = cleared[at].clear_count, .rectangle_count = 2};
		struct {
			struct vkr_trace_clear clears[2];
			struct vkr_trace_clear_rectangle rectangles[2];
		} tail;
		unsigned char *bytes = (unsigned char *)&tail;
		const size_t clears = clear.clear_count * sizeof *cleared[at].clears;
		struct passes test;
		memcpy(bytes, cleared[at].clears, clears);
		memcpy(bytes + clears, clear_rectangles, sizeof clear_rectangles);
		attachments_begin(&test);
		tb_record(&test.tb);
		attachments_render_suspended(&test, of_clears, 4, LAYERS);
		tb_command(&test.tb, VKR_TRACE_CMD_CLEAR_ATTACHMENTS, &clear.command, sizeof clear,
			   bytes, clears + sizeof clear_rectangles);
		attachments_render_end(&test);
		attachments_expect(&test, cleared[at].of.image, cleared[at].of.aspect,
				   cleared[at].of.layer, cleared[at].of.texels);
	}
}

// ---- What draws do ------------------------------------------------------------------------------

struct effect {
	uint32_t flags, blend, write_mask; // of the pipeline; blend: of color attachment 0
	uint32_t dynamic[3];               // VkDynamicState, ended by 0
	struct {
		uint32_t state, index, value;
	} set[3]; // ended by state 0
	uint32_t attachment;
	const char *told; // WRITES, READS, "": neither
};

static void bind_pipeline(struct passes *test, const struct effect *effect)
{
	struct vkr_trace_graphics_state state = {.flags = effect->flags, .blend_count = 1};
	struct {
		struct vkr_trace_color_blend blend;
		uint32_t dynamic[3];
	} tail = {.blend = {effect->blend, effect->write_mask}};
	state.pipeline = tb_pipeline(&test->tb, VK_PIPELINE_BIND_POINT_GRAPHICS, NULL, 0);
	while (state.dynamic_count < 3 && effect->dynamic[state.dynamic_count] != 0) {
		tail.dynamic[state.dynamic_count] = effect->dynamic[state.dynamic_count];
		state.dynamic_count++;
	}
	tb_event(&test->tb, VKR_TRACE_GRAPHICS_STATE, &state, sizeof state, &tail,
		 sizeof tail.blend + state.dynamic_count * sizeof *tail.dynamic);
	tb_record(&test->tb);
	tb_bind_pipeline(&test->tb, VK_PIPELINE_BIND_POINT_GRAPHICS, state.pipeline);
	for (size_t at = 0; at < 3 && effect->set[at].state != 0; at++)
		tb_dynamic_state(&test->tb, effect->set[at].state, effect->set[at].index,
				 effect->set[at].value);
}

static void expect_effect(const struct effect *effect)
{
	const struct vkr_trace_rendering_attachment attachment = {
		.view = effect->attachment == VKR_ATTACHMENT_COLOR ? COLOR : DEPTH_STENCIL,
		.role = effect->attachment,
		.load = VK_ATTACHMENT_LOAD_OP_NONE_EXT,
		.store = VK_ATTACHMENT_STORE_OP_NONE};
	struct vkr_trace_cmd_draw draw = {
		.kind = VKR_DRAW_VERTICES, .instance_count = 1, .draw_count = 1};
	const struct vkr_trace_draw part = {.count = 3};
	struct passes test;
	char texels[TEXELS + 1];
	attachments_begin(&test);
	bind_pipeline(&test, effect);
	attachments_render_suspended(&test, &attachment, 1, 1);
	tb_command(&test.tb, VKR_TRACE_CMD_DRAW, &draw.command, sizeof draw, &part, sizeof part);
	attachments_render_end(&test);
	attachments_judge(&test, attachment.view,
			  effect->attachment == VKR_ATTACHMENT_COLOR   ? COLOR_ASPECT
			  : effect->attachment == VKR_ATTACHMENT_DEPTH ? DEPTH_ASPECT
								       : STENCIL_ASPECT,
			  0, texels);
	assert_string_equal(texels, NONE);
	const bool writes = attachments_told(&test, WRITES)[0] != '\0';
	const bool reads = attachments_told(&test, READS)[0] != '\0';
	assert_string_equal(writes ? WRITES : reads ? READS : "", effect->told);
	attachments_end(&test);
}

// What a draw may do to an attachment without a load or store operation that stands for it is told:
// by the pipeline's state, and where that is dynamic by what commands set, or may have set.
static const struct effect effects[] = {
	{.attachment = VKR_ATTACHMENT_COLOR, .write_mask = 15, .told = WRITES},
	{.attachment = VKR_ATTACHMENT_COLOR, .write_mask = 0, .told = ""},
	{.attachment = VKR_ATTACHMENT_COLOR, .blend = VKR_BLEND_ENABLED, .told = ""},
	{.attachment = VKR_ATTACHMENT_COLOR, .flags = VKR_GRAPHICS_LOGIC_OP, .told = ""},
	{.attachment = VKR_ATTACHMENT_COLOR,
	 .write_mask = 15,
	 .flags = VKR_GRAPHICS_RASTERIZER_DISCARD,
	 .told = ""},
	{.attachment = VKR_ATTACHMENT_COLOR, .flags = VKR_GRAPHICS_UNKNOWN, .told = WRITES},
	{.attachment = VKR_ATTACHMENT_COLOR,
	 .dynamic = {VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT},
	 .told = WRITES},
	{.attachment = VKR_ATTACHMENT_COLOR,
	 .dynamic = {VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT},
	 .set = {{VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT, 0, 0}},
	 .told = ""},
	{.attachment = VKR_ATTACHMENT_COLOR,
	 .dynamic = {VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT},
	 .set = {{VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT, 0, 0},
		 {VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT, 0, 15}},
	 .told = WRITES},
	{.attachment = VKR_ATTACHMENT_COLOR,
	 .dynamic = {VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT},
	 .set = {{VK_DYNAMIC_STATE_COLOR_WRITE_MASK_EXT, 1, 0}},
	 .told = WRITES},
	{.attachment = VKR_ATTACHMENT_COLOR,
	 .write_mask = 15,
	 .dynamic = {VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT},
	 .set = {{VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT, 0, 0}},
	 .told = ""},
	{.attachment = VKR_ATTACHMENT_COLOR,
	 .write_mask = 15,
	 .dynamic = {VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE},
	 .set = {{VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE, 0, 1}},
	 .told = ""},
	{.attachment = VKR_ATTACHMENT_COLOR,
	 .write_mask = 15,
	 .dynamic = {VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE},
	 .told = WRITES},
	{.attachment = VKR_ATTACHMENT_DEPTH, .write_mask = 15, .told = ""},
	{.attachment = VKR_ATTACHMENT_DEPTH, .flags = VKR_GRAPHICS_DEPTH_TEST, .told = READS},
	{.attachment = VKR_ATTACHMENT_DEPTH,
	 .flags = VKR_GRAPHICS_DEPTH_BOUNDS_TEST,
	 .told = READS},
	{.attachment = VKR_ATTACHMENT_DEPTH, .flags = VKR_GRAPHICS_DEPTH_WRITE, .told = ""},
	{.attachment = VKR_ATTACHMENT_DEPTH,
	 .flags = VKR_GRAPHICS_DEPTH_TEST | VKR_GRAPHICS_DEPTH_WRITE,
	 .told = WRITES},
	{.attachment = VKR_ATTACHMENT_DEPTH,
	 .flags = VKR_GRAPHICS_STENCIL_TEST | VKR_GRAPHICS_STENCIL_WRITE,
	 .told = ""},
	{.attachment = VKR_ATTACHMENT_DEPTH,
	 .flags = VKR_GRAPHICS_DEPTH_TEST,
	 .dynamic = {VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE},
	 .set = {{VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, 0, 1},
		 {VK_DYNAMIC_STATE_DEPTH_WRITE_ENABLE, 0, 0}},
	 .told = READS},
	{.attachment = VKR_ATTACHMENT_DEPTH,
	 .dynamic = {VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE},
	 .set = {{VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, 0, 1}},
	 .told = WRITES},
	{.attachment = VKR_ATTACHMENT_DEPTH,
	 .flags = VKR_GRAPHICS_DEPTH_TEST | VKR_GRAPHICS_DEPTH_WRITE,
	 .dynamic = {VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE},
	 .set = {{VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE, 0, 0}},
	 .told = ""},
	{.attachment = VKR_ATTACHMENT_STENCIL, .flags = VKR_GRAPHICS_STENCIL_TEST, .told = READS},
	{.attachment = VKR_ATTACHMENT_STENCIL,
	 .flags = VKR_GRAPHICS_STENCIL_TEST | VKR_GRAPHICS_STENCIL_WRITE,
	 .told = WRITES},
	{.attachment = VKR_ATTACHMENT_STENCIL, .flags = VKR_GRAPHICS_STENCIL_WRITE, .told = ""},
	{.attachment = VKR_ATTACHMENT_STENCIL,
	 .flags = VKR_GRAPHICS_DEPTH_TEST | VKR_GRAPHICS_DEPTH_WRITE,
	 .told = ""},
	{.attachment = VKR_ATTACHMENT_STENCIL,
	 .flags = VKR_GRAPHICS_STENCIL_TEST,
	 .dynamic = {VK_DYNAMIC_STATE_STENCIL_WRITE_MASK},
	 .told = WRITES},
	{.attachment = VKR_ATTACHMENT_STENCIL,
	 .flags = VKR_GRAPHICS_STENCIL_TEST,
	 .dynamic = {VK_DYNAMIC_STATE_STENCIL_WRITE_MASK},
	 .set = {{VK_DYNAMIC_STATE_STENCIL_WRITE_MASK, 0, 0},
		 {VK_DYNAMIC_STATE_STENCIL_WRITE_MASK, 1, 0}},
	 .told = READS},
	{.attachment = VKR_ATTACHMENT_STENCIL,
	 .flags = VKR_GRAPHICS_STENCIL_TEST,
	 .dynamic = {VK_DYNAMIC_STATE_STENCIL_WRITE_MASK},
	 .set = {{VK_DYNAMIC_STATE_STENCIL_WRITE_MASK, 0, 0},
		 {VK_DYNAMIC_STATE_STENCIL_WRITE_MASK, 1, 255}},
	 .told = WRITES},
};

static void test_effects(void **state)
{
	(void)state;
	for (size_t at = 0; at < sizeof effects / sizeof *effects; at++)
		expect_effect(&effects[at]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operations), cmocka_unit_test(test_subresources),
		cmocka_unit_test(test_resolves),   cmocka_unit_test(test_clears),
		cmocka_unit_test(test_effects),    cmocka_unit_test(test_surroundings),
		cmocka_unit_test(test_beside),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
