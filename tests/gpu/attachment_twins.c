// SPDX-License-Identifier: Apache-2.0
// Twins of attachments that fragments read. Knows nothing of what is to be reported.
#include "gpu_draw.h"
#include "twins.h"

#include "attachment_area.spv.h"
#include "attachment_read.spv.h"

#define AREA 8u

// A pass whose only attachment is read as input attachment 0.
static void make_pass(struct gpu_test *test, const struct gpu_draw_image *image,
		      struct gpu_draw_pass *pass)
{
	const VkAttachmentDescription attachment = {
		.format = image->format,
		.samples = image->samples,
		.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.initialLayout = VK_IMAGE_LAYOUT_GENERAL,
		.finalLayout = VK_IMAGE_LAYOUT_GENERAL,
	};
	const VkAttachmentReference input = {0, VK_IMAGE_LAYOUT_GENERAL};
	const VkSubpassDescription subpass = {
		.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
		.inputAttachmentCount = 1,
		.pInputAttachments = &input,
	};
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &attachment,
		.subpassCount = 1,
		.pSubpasses = &subpass,
	};
	gpu_test_expect(vkCreateRenderPass(test->device, &info, NULL, &pass->handle),
			"vkCreateRenderPass");
	gpu_draw_keep(test, VK_OBJECT_TYPE_RENDER_PASS, (uint64_t)pass->handle);
	pass->frame = gpu_draw_frame(test, pass->handle, &image->view, 1, 1);
}

static void to_general(struct gpu_test *test, const struct gpu_draw_image *image)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask =
			VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT |
			VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image->handle,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	vkCmdPipelineBarrier(test->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

// The pass follows unordered on a copy to texels, of which its area has the last one or none. What
// it only reads may be stored all the same.
static void input_attachment(struct gpu_test *test)
{
	const VkBufferImageCopy region = {
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageOffset = {test->fixed ? AREA : AREA - 1, AREA - 1, 0},
		.imageExtent = {AREA, AREA, 1},
	};
	struct gpu_draw_pass pass = {0};
	VkPipelineLayout layout;
	if (!test->has_graphics)
		gpu_test_skip("no graphics queue");
	const struct gpu_draw_image image =
		gpu_draw_image(test, VK_FORMAT_R8G8B8A8_UNORM, 1, VK_SAMPLE_COUNT_1_BIT, "picture");
	make_pass(test, &image, &pass);
	const VkDescriptorSet set =
		gpu_draw_set(test, &image, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, &layout);
	const VkPipeline pipeline = gpu_draw_pipeline_make(
		test, &pass,
		&(struct gpu_draw_pipeline){
			.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, attachment_area,
				     sizeof attachment_area},
				    {VK_SHADER_STAGE_FRAGMENT_BIT, attachment_read,
				     sizeof attachment_read}},
			.shader_count = 2,
			.area = AREA,
			.layout = layout,
		});
	to_general(test, &image);
	vkCmdCopyBufferToImage(test->commands, test->data.handle, image.handle,
			       VK_IMAGE_LAYOUT_GENERAL, 1, &region);
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set,
				0, NULL);
	gpu_draw_begin(test, &pass, (VkRect2D){.extent = {AREA, AREA}});
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

const struct gpu_twin gpu_attachment_twins[] = {
	{"input_attachment", input_attachment, 0},
	{NULL, NULL, 0},
};
