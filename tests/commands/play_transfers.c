// SPDX-License-Identifier: Apache-2.0
// Transfer commands, queries and predicates of a program. Knows nothing of what is between them.
#include "play.h"

#include <string.h>

static VkOffset3D offset(const struct play_line *line, const char *key)
{
	return (VkOffset3D){0, (int32_t)play_number(line, key), 0};
}

// Whole rows of a mip level.
static VkExtent3D rows(const struct play_line *line)
{
	return (VkExtent3D){PLAY_SIDE >> play_number(line, "mip"), play_number(line, "rows"), 1};
}

static void buffer_copy(struct play *play, const struct play_line *line)
{
	const VkBufferCopy region = {play_value(line, "from_at"), play_value(line, "to_at"),
				     play_value(line, "bytes")};
	vkCmdCopyBuffer(play->commands, play_buffer(play, line, "from")->handle,
			play_buffer(play, line, "to")->handle, 1, &region);
}

static void update(struct play *play, const struct play_line *line)
{
	static const uint32_t words[256]; // arguments of indirect commands are 0 always
	vkCmdUpdateBuffer(play->commands, play_buffer(play, line, "to")->handle,
			  play_value(line, "to_at"), play_value(line, "bytes"), words);
}

static void image_copy(struct play *play, const struct play_line *line)
{
	const VkImageSubresourceLayers from = play_layers(play, line, "from");
	VkImageSubresourceLayers to = play_layers(play, line, "to");
	to.mipLevel = play_number(line, "to_mip");
	to.baseArrayLayer = play_number(line, "to_layer");
	if (play_is(line, "copy_image")) {
		const VkImageCopy region = {from, offset(line, "row"), to, offset(line, "to_row"),
					    rows(line)};
		vkCmdCopyImage(play->commands, play_image(play, line, "from")->handle,
			       VK_IMAGE_LAYOUT_GENERAL, play_image(play, line, "to")->handle,
			       VK_IMAGE_LAYOUT_GENERAL, 1, &region);
		return;
	}
	const VkImageResolve region = {from, offset(line, "row"), to, offset(line, "to_row"),
				       rows(line)};
	vkCmdResolveImage(play->commands, play_image(play, line, "from")->handle,
			  VK_IMAGE_LAYOUT_GENERAL, play_image(play, line, "to")->handle,
			  VK_IMAGE_LAYOUT_GENERAL, 1, &region);
}

static void blit(struct play *play, const struct play_line *line)
{
	VkImageSubresourceLayers to = play_layers(play, line, "to");
	to.mipLevel = play_number(line, "to_mip");
	to.baseArrayLayer = play_number(line, "to_layer");
	const int32_t from_side = (int32_t)(PLAY_SIDE >> play_number(line, "mip"));
	const int32_t to_side = (int32_t)(PLAY_SIDE >> play_number(line, "to_mip"));
	const VkImageBlit region = {play_layers(play, line, "from"),
				    {{0, 0, 0}, {from_side, from_side, 1}},
				    to,
				    {{0, 0, 0}, {to_side, to_side, 1}}};
	vkCmdBlitImage(play->commands, play_image(play, line, "from")->handle,
		       VK_IMAGE_LAYOUT_GENERAL, play_image(play, line, "to")->handle,
		       VK_IMAGE_LAYOUT_GENERAL, 1, &region, VK_FILTER_NEAREST);
}

static void between(struct play *play, const struct play_line *line)
{
	const VkBufferImageCopy region = {
		.bufferOffset = play_value(line, "at"),
		.imageSubresource = play_layers(play, line, "image"),
		.imageOffset = offset(line, "row"),
		.imageExtent = rows(line),
	};
	VkBuffer buffer = play_buffer(play, line, "buffer")->handle;
	VkImage image = play_image(play, line, "image")->handle;
	if (play_is(line, "image_to_buffer"))
		vkCmdCopyImageToBuffer(play->commands, image, VK_IMAGE_LAYOUT_GENERAL, buffer, 1,
				       &region);
	else
		vkCmdCopyBufferToImage(play->commands, buffer, image, VK_IMAGE_LAYOUT_GENERAL, 1,
				       &region);
}

static void clear(struct play *play, const struct play_line *line)
{
	const VkImageSubresourceRange range = play_range(play, line, "image");
	VkImage image = play_image(play, line, "image")->handle;
	const VkClearColorValue color = {.float32 = {0}};
	const VkClearDepthStencilValue depth = {1, 0};
	if (range.aspectMask == VK_IMAGE_ASPECT_COLOR_BIT)
		vkCmdClearColorImage(play->commands, image, VK_IMAGE_LAYOUT_GENERAL, &color, 1,
				     &range);
	else
		vkCmdClearDepthStencilImage(play->commands, image, VK_IMAGE_LAYOUT_GENERAL, &depth,
					    1, &range);
}

// 64 bits of each, one behind the other, where the line does not say otherwise.
static void copy_queries(struct play *play, const struct play_line *line, VkQueryPool pool)
{
	const uint64_t stride = play_value(line, "stride");
	const VkQueryResultFlags format = play_value(line, "short") ? 0 : VK_QUERY_RESULT_64_BIT;
	vkCmdCopyQueryPoolResults(play->commands, pool, play_number(line, "first"),
				  play_number(line, "count"), play_buffer(play, line, "to")->handle,
				  play_value(line, "to_at"), stride ? stride : 8,
				  format | VK_QUERY_RESULT_WAIT_BIT | play_number(line, "flags"));
}

static bool query(struct play *play, const struct play_line *line)
{
	VkQueryPool pool = play->queries[play_value(line, "pool") % PLAY_OBJECTS];
	if (play_is(line, "reset_queries"))
		vkCmdResetQueryPool(play->commands, pool, play_number(line, "first"),
				    play_number(line, "count"));
	else if (play_is(line, "begin_query"))
		vkCmdBeginQuery(play->commands, pool, play_number(line, "first"), 0);
	else if (play_is(line, "end_query"))
		vkCmdEndQuery(play->commands, pool, play_number(line, "first"));
	else if (play_is(line, "timestamp"))
		vkCmdWriteTimestamp2(play->commands, play_value(line, "stages"), pool,
				     play_number(line, "first"));
	else if (play_is(line, "copy_queries"))
		copy_queries(play, line, pool);
	else
		return false;
	return true;
}

static bool condition(struct play *play, const struct play_line *line)
{
	if (play_is(line, "end_conditional")) {
		play->end_conditional(play->commands);
		return true;
	}
	if (!play_is(line, "begin_conditional"))
		return false;
	const VkConditionalRenderingBeginInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
		.buffer = play_buffer(play, line, "buffer")->handle,
		.offset = play_value(line, "at"),
		.flags = play_value(line, "inverted") ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT
						      : 0,
	};
	if (!play->begin_conditional)
		gpu_test_skip("no VK_EXT_conditional_rendering");
	play->begin_conditional(play->commands, &info);
	return true;
}

bool play_transfer(struct play *play, const struct play_line *line)
{
	if (play_is(line, "fill"))
		vkCmdFillBuffer(play->commands, play_buffer(play, line, "to")->handle,
				play_value(line, "to_at"), play_value(line, "bytes"), 0);
	else if (play_is(line, "update"))
		update(play, line);
	else if (play_is(line, "copy"))
		buffer_copy(play, line);
	else if (play_is(line, "copy_image") || play_is(line, "resolve"))
		image_copy(play, line);
	else if (play_is(line, "blit"))
		blit(play, line);
	else if (play_is(line, "image_to_buffer") || play_is(line, "buffer_to_image"))
		between(play, line);
	else if (play_is(line, "clear"))
		clear(play, line);
	else
		return query(play, line) || condition(play, line);
	return true;
}
