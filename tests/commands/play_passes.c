// SPDX-License-Identifier: Apache-2.0
// Render passes and dynamic rendering of a program, over all of the first mip level of a layer.
// Knows nothing of what is drawn in them.
#include "play.h"

#include <string.h>

#define PARTS 16u

struct pass {
	VkAttachmentDescription2 attachments[PARTS];
	VkImageView views[PARTS];
	VkAttachmentReference2 color[PARTS][2], resolve[PARTS], depth[PARTS], input[PARTS];
	uint32_t preserved[PARTS];
	VkSubpassDescription2 subpasses[PARTS];
	VkSubpassDependency2 dependencies[PARTS];
	VkRenderPassCreateInfo2 info;
};

static void add_attachment(struct play *play, const struct play_line *part, struct pass *pass)
{
	const uint32_t at = pass->info.attachmentCount++;
	const struct play_image *image = play_image(play, part, "image");
	pass->views[at] = play_view(play, part, "image");
	pass->attachments[at] = (VkAttachmentDescription2){
		.sType = VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2,
		.format = image->format,
		.samples = image->samples,
		.loadOp = (VkAttachmentLoadOp)play_number(part, "load"),
		.storeOp = (VkAttachmentStoreOp)play_number(part, "store"),
		.stencilLoadOp = (VkAttachmentLoadOp)play_number(part, "stencil_load"),
		.stencilStoreOp = (VkAttachmentStoreOp)play_number(part, "stencil_store"),
		.initialLayout = (VkImageLayout)play_number(part, "initial"),
		.finalLayout = (VkImageLayout)play_number(part, "final"),
	};
	play->pass_samples = image->samples;
}

// Attachments are given by number from 1 on; 0: none.
static VkAttachmentReference2 reference(const struct play_line *part, const char *key,
					VkImageAspectFlags aspects)
{
	const uint32_t number = play_number(part, key);
	const char *layout = strcmp(key, "depth") == 0 && play_value(part, "depth_layout")
				     ? "depth_layout"
				     : "layout";
	return (VkAttachmentReference2){
		.sType = VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2,
		.attachment = number ? number - 1 : VK_ATTACHMENT_UNUSED,
		.layout = number ? (VkImageLayout)play_number(part, layout)
				 : VK_IMAGE_LAYOUT_UNDEFINED,
		.aspectMask = aspects,
	};
}

static void add_subpass(const struct play_line *part, struct pass *pass)
{
	const uint32_t at = pass->info.subpassCount++;
	pass->color[at][0] = reference(part, "color", VK_IMAGE_ASPECT_COLOR_BIT);
	pass->color[at][1] = reference(part, "other_color", VK_IMAGE_ASPECT_COLOR_BIT);
	pass->resolve[at] = reference(part, "resolve", VK_IMAGE_ASPECT_COLOR_BIT);
	pass->depth[at] = reference(part, "depth", 0);
	pass->input[at] = reference(part, "input", VK_IMAGE_ASPECT_COLOR_BIT);
	pass->preserved[at] = play_number(part, "preserve") - 1;
	pass->subpasses[at] = (VkSubpassDescription2){
		.sType = VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2,
		.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
		.inputAttachmentCount = play_value(part, "input") ? 1 : 0,
		.pInputAttachments = &pass->input[at],
		.colorAttachmentCount = play_value(part, "other_color") ? 2 : 1,
		.pColorAttachments = pass->color[at],
		.pResolveAttachments = play_value(part, "resolve") ? &pass->resolve[at] : NULL,
		.pDepthStencilAttachment = play_value(part, "depth") ? &pass->depth[at] : NULL,
		.preserveAttachmentCount = play_value(part, "preserve") ? 1 : 0,
		.pPreserveAttachments = &pass->preserved[at],
		.viewMask = play_number(part, "views"),
	};
}

// Subpasses are given by number from 1 on; 0: external.
static uint32_t subpass_of(const struct play_line *part, const char *key)
{
	const uint32_t number = play_number(part, key);
	return number ? number - 1 : VK_SUBPASS_EXTERNAL;
}

static void add_dependency(const struct play_line *part, struct pass *pass)
{
	pass->dependencies[pass->info.dependencyCount++] = (VkSubpassDependency2){
		.sType = VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2,
		.srcSubpass = subpass_of(part, "before"),
		.dstSubpass = subpass_of(part, "behind"),
		.srcStageMask = play_number(part, "from"),
		.dstStageMask = play_number(part, "to"),
		.srcAccessMask = play_number(part, "from_access"),
		.dstAccessMask = play_number(part, "to_access"),
		.dependencyFlags = play_number(part, "flags"),
	};
}

static VkRenderPass make_pass(struct play *play, const struct play_line *line, struct pass *pass)
{
	VkRenderPass made;
	pass->info = (VkRenderPassCreateInfo2){
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2,
		.pAttachments = pass->attachments,
		.pSubpasses = pass->subpasses,
		.pDependencies = pass->dependencies,
	};
	for (uint32_t at = 0; at < line->part_count; at++) {
		const struct play_line *part = &line->parts[at];
		if (play_is(part, "attachment"))
			add_attachment(play, part, pass);
		else if (play_is(part, "subpass"))
			add_subpass(part, pass);
		else
			add_dependency(part, pass);
	}
	// Those that are resolved are multisampled, and come first.
	if (pass->info.attachmentCount > 0)
		play->pass_samples = pass->attachments[0].samples;
	gpu_test_expect(vkCreateRenderPass2(play->test->device, &pass->info, NULL, &made),
			"vkCreateRenderPass2");
	play_keep(play, VK_OBJECT_TYPE_RENDER_PASS, (uint64_t)made);
	return made;
}

// Rows of the frame, or all.
static VkRect2D render_area(const struct play_line *line)
{
	const uint32_t rows = play_number(line, "rows");
	return (VkRect2D){{0, (int32_t)play_number(line, "row")},
			  {PLAY_SIDE, rows ? rows : PLAY_SIDE}};
}

static uint32_t frame_layers(const struct play_line *line)
{
	const uint32_t layers = play_number(line, "layers");
	return layers ? layers : 1;
}

static VkSubpassContents contents(const struct play_line *line)
{
	return play_value(line, "secondaries") ? VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS
					       : VK_SUBPASS_CONTENTS_INLINE;
}

static void begin_pass(struct play *play, const struct play_line *line)
{
	static const VkClearValue zeros[PARTS];
	struct pass pass;
	VkFramebuffer frame;
	play->pass = make_pass(play, line, &pass);
	play->subpass = 0;
	play->color_count = 1;
	const VkFramebufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
		.renderPass = play->pass,
		.attachmentCount = pass.info.attachmentCount,
		.pAttachments = pass.views,
		.width = PLAY_SIDE,
		.height = PLAY_SIDE,
		.layers = frame_layers(line),
	};
	gpu_test_expect(vkCreateFramebuffer(play->test->device, &info, NULL, &frame),
			"vkCreateFramebuffer");
	play_keep(play, VK_OBJECT_TYPE_FRAMEBUFFER, (uint64_t)frame);
	const VkRenderPassBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = play->pass,
		.framebuffer = frame,
		.renderArea = render_area(line),
		.clearValueCount = PARTS,
		.pClearValues = zeros,
	};
	vkCmdBeginRenderPass(play->commands, &begin, contents(line));
}

static VkRenderingAttachmentInfo rendering_attachment(struct play *play,
						      const struct play_line *part,
						      const char *load, const char *store)
{
	return (VkRenderingAttachmentInfo){
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = play_view(play, part, "image"),
		.imageLayout = VK_IMAGE_LAYOUT_GENERAL,
		.loadOp = (VkAttachmentLoadOp)play_number(part, load),
		.storeOp = (VkAttachmentStoreOp)play_number(part, store),
	};
}

// What draws need to know of the attachments of dynamic rendering.
static void note_rendering(struct play *play, const struct play_line *line)
{
	play->pass = VK_NULL_HANDLE;
	play->subpass = play->color_count = 0;
	play->pass_color = play->pass_depth = VK_FORMAT_UNDEFINED;
	play->pass_samples = VK_SAMPLE_COUNT_1_BIT;
	for (uint32_t at = 0; at < line->part_count; at++) {
		const struct play_line *part = &line->parts[at];
		const struct play_image *image = play_image(play, part, "image");
		if (play_is(part, "color")) {
			play->color_count = 1;
			play->pass_color = image->format;
			play->pass_samples = image->samples;
		} else if (play_is(part, "depth")) {
			play->pass_depth = image->format;
		}
	}
}

static void begin_rendering(struct play *play, const struct play_line *line)
{
	VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
	VkRenderingAttachmentInfo depth = color, stencil = color;
	VkRenderingInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
		.flags = play_number(line, "flags"),
		.renderArea = render_area(line),
		.layerCount = frame_layers(line),
		.pColorAttachments = &color,
	};
	note_rendering(play, line);
	info.colorAttachmentCount = play->color_count;
	for (uint32_t at = 0; at < line->part_count; at++) {
		const struct play_line *part = &line->parts[at];
		if (play_is(part, "color")) {
			color = rendering_attachment(play, part, "load", "store");
		} else if (play_is(part, "resolve")) {
			color.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
			color.resolveImageView = play_view(play, part, "image");
			color.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
		} else {
			info.pDepthAttachment = &depth;
			info.pStencilAttachment = &stencil;
			depth = rendering_attachment(play, part, "load", "store");
			stencil = rendering_attachment(play, part, "stencil_load", "stencil_store");
		}
	}
	vkCmdBeginRendering(play->commands, &info);
}

void play_continue(struct play *play, const struct play_line *line,
		   VkCommandBufferInheritanceInfo *inherited,
		   VkCommandBufferInheritanceRenderingInfo *rendering)
{
	struct pass pass;
	if (play_value(line, "continues") == 1) {
		inherited->renderPass = play->pass = make_pass(play, line, &pass);
		inherited->subpass = play->subpass = play_number(line, "subpass");
		play->color_count = 1;
		return;
	}
	note_rendering(play, line);
	*rendering = (VkCommandBufferInheritanceRenderingInfo){
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO,
		.flags = play_number(line, "flags"),
		.colorAttachmentCount = play->color_count,
		.pColorAttachmentFormats = &play->pass_color,
		.depthAttachmentFormat = play->pass_depth,
		.stencilAttachmentFormat = play->pass_depth,
		.rasterizationSamples = play->pass_samples,
	};
	inherited->pNext = rendering;
}

static void clear(struct play *play, const struct play_line *line)
{
	const VkClearAttachment attachment = {.aspectMask = play_number(line, "aspects")};
	const VkClearRect rows = {
		{{0, (int32_t)play_number(line, "row")}, {PLAY_SIDE, play_number(line, "rows")}},
		play_number(line, "layer"),
		1};
	vkCmdClearAttachments(play->commands, 1, &attachment, 1, &rows);
}

static bool begin_or_end(struct play *play, const struct play_line *line)
{
	bool executes = play_value(line, "secondaries");
	if (play_is(line, "begin_pass")) {
		begin_pass(play, line);
	} else if (play_is(line, "begin_rendering")) {
		begin_rendering(play, line);
		executes = play_value(line, "flags") &
			   VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT;
	} else if (play_is(line, "next_subpass")) {
		vkCmdNextSubpass(play->commands, contents(line));
		play->subpass++;
	} else if (play_is(line, "end_pass")) {
		vkCmdEndRenderPass(play->commands);
	} else if (play_is(line, "end_rendering")) {
		vkCmdEndRendering(play->commands);
	} else {
		return false;
	}
	play->executes = executes;
	return true;
}

bool play_pass(struct play *play, const struct play_line *line)
{
	if (!play_is(line, "clear_attachment"))
		return begin_or_end(play, line);
	clear(play, line);
	return true;
}
