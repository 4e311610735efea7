// SPDX-License-Identifier: Apache-2.0
// Images that are rendered to, and the texels of them that rendering accesses. Knows images; not
// what their judgement should be.
#include "attachment_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void add_image(struct trace_builder *tb, uint32_t id, VkFormat format)
{
	const struct vkr_trace_image image = {.image = id,
					      .device = 1,
					      .bytes = 4096,
					      .type = id == SLICES ? VK_IMAGE_TYPE_3D
								   : VK_IMAGE_TYPE_2D,
					      .format = (uint32_t)format,
					      .extent = {SIDE, SIDE, id == SLICES ? LAYERS : 1},
					      .mips = 1,
					      .layers = id == SLICES ? 1 : LAYERS,
					      .samples = 1};
	const struct vkr_trace_image_bind bind = {.image = id, .memory = tb_memory(tb, 4096, 0)};
	const struct vkr_trace_image_view view = {
		.view = id,
		.image = id,
		.type = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
		.format = (uint32_t)format,
		.subresources = {.aspects = id < DEPTH_STENCIL || id == SLICES
						    ? VK_IMAGE_ASPECT_COLOR_BIT
						    : VK_IMAGE_ASPECT_DEPTH_BIT |
							      VK_IMAGE_ASPECT_STENCIL_BIT,
				 .mip_count = 1,
				 .first_layer = id == SLICES,
				 .layer_count = id == SLICES ? 1 : LAYERS}};
	tb_event(tb, VKR_TRACE_IMAGE, &image, sizeof image, NULL, 0);
	tb_event(tb, VKR_TRACE_IMAGE_BIND, &bind, sizeof bind, NULL, 0);
	tb_event(tb, VKR_TRACE_IMAGE_VIEW, &view, sizeof view, NULL, 0);
}

void attachments_begin(struct passes *test)
{
	attachments_begin_on(test, 0);
}

void attachments_begin_on(struct passes *test, uint32_t device_flags)
{
	memset(test, 0, sizeof *test);
	tb_init_on(&test->tb, device_flags);
	test->texels = tb_buffer(&test->tb, 64, "texels");
	for (uint32_t id = 1; id <= IMAGES; id++)
		add_image(&test->tb, id,
			  id == DEPTH_STENCIL ? VK_FORMAT_D32_SFLOAT_S8_UINT
			  : id == DEPTH       ? VK_FORMAT_D32_SFLOAT
					      : VK_FORMAT_R8G8B8A8_UNORM);
}

// Of the middle four texels, suspended or not.
static void begin_part(struct passes *test,
		       const struct vkr_trace_rendering_attachment *attachments, uint32_t count,
		       struct vkr_trace_cmd_begin_rendering rendering)
{
	rendering.x = rendering.y = 1;
	rendering.width = rendering.height = 2;
	rendering.attachment_count = count;
	tb_command(&test->tb, VKR_TRACE_CMD_BEGIN_RENDERING, &rendering.command, sizeof rendering,
		   attachments, count * sizeof *attachments);
}

void attachments_render(struct passes *test,
			const struct vkr_trace_rendering_attachment *attachments, uint32_t count,
			uint32_t layers, uint32_t view_mask)
{
	begin_part(test, attachments, count,
		   (struct vkr_trace_cmd_begin_rendering){.layer_count = layers,
							  .view_mask = view_mask});
}

void attachments_render_suspended(struct passes *test,
				  const struct vkr_trace_rendering_attachment *attachments,
				  uint32_t count, uint32_t layers)
{
	begin_part(test, attachments, count,
		   (struct vkr_trace_cmd_begin_rendering){.layer_count = layers,
							  .flags = VK_RENDERING_SUSPENDING_BIT});
}

void attachments_render_end(struct passes *test)
{
	struct vkr_trace_cmd_end_rendering rendering = {0};
	tb_command(&test->tb, VKR_TRACE_CMD_END_RENDERING, &rendering.command, sizeof rendering,
		   NULL, 0);
}

void attachments_judge(struct passes *test, uint32_t image, uint32_t aspect, uint32_t layer,
		       char texels[TEXELS + 1])
{
	uint32_t first = test->tb.command_count;
	for (uint32_t texel = 0; texel < TEXELS; texel++) {
		struct vkr_trace_cmd_image_buffer copy = {.to_image = 1,
							  .buffer = test->texels,
							  .image = image,
							  .layout = VK_IMAGE_LAYOUT_GENERAL,
							  .region_count = 1};
		const struct vkr_trace_image_rows rows = {
			.box = {.aspects = aspect,
				.first_layer = image == SLICES ? 0 : layer,
				.layer_count = 1,
				.offset = {texel % SIDE, texel / SIDE, image == SLICES ? layer : 0},
				.extent = {1, 1, 1}}};
		tb_command(&test->tb, VKR_TRACE_CMD_IMAGE_BUFFER, &copy.command, sizeof copy, &rows,
			   sizeof rows);
	}
	tb_log_end(&test->tb, tb_submit(&test->tb, 1, tb_record_end(&test->tb)));
	test->session = fixture_judge(&test->tb);
	const struct vkr_report *report = vkr_session_report(test->session);
	memset(texels, '.', TEXELS);
	texels[TEXELS] = '\0';
	for (uint32_t at = 0; at < report->race_count; at++) {
		const struct vkr_race_report *race = &report->races[at];
		// "attachment load" and so on: its second word's first letter.
		const char *space = strchr(race->first.operation, ' ');
		char *texel = &texels[race->second.command.command - 1 - first];
		assert_int_equal(race->race_class, VKR_RACE_UNORDERED);
		*texel = *texel != '.' ? '?' : space != NULL ? space[1] : race->first.operation[0];
	}
}

const char *attachments_told(const struct passes *test, const char *what)
{
	const struct vkr_report *report = vkr_session_report(test->session);
	const char *other = "";
	for (uint32_t at = 0; at < report->coverage_count; at++) {
		const char *text = report->coverage[at].text;
		if (what[0] != '\0' ? strstr(text, what) != NULL
				    : strncmp(text, "how far the ", strlen("how far the ")) != 0)
			other = text;
	}
	return other;
}

void attachments_end(struct passes *test)
{
	vkr_session_destroy(test->session);
	tb_finish(&test->tb);
}

void attachments_expect(struct passes *test, uint32_t image, uint32_t aspect, uint32_t layer,
			const char *wanted)
{
	char texels[TEXELS + 1];
	attachments_judge(test, image, aspect, layer, texels);
	assert_string_equal(texels, wanted);
	assert_string_equal(attachments_told(test, ""), "");
	attachments_end(test);
}

#define NONE "................"
