// SPDX-License-Identifier: Apache-2.0
// Twins of the texels that draws write in attachments where no load or store operation stands for
// them. Knows nothing of what is to be reported.
#include "gpu_draw.h"
#include "twins.h"

#include "texel_write_area.spv.h"
#include "texel_write_input.spv.h"
#include "texel_write_own.spv.h"

#define OUTPUT       VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT
#define IN_FRAGMENT  VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT
#define COLOR_WRITE  VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT
#define INPUT_READ   VK_ACCESS_INPUT_ATTACHMENT_READ_BIT
#define GENERAL      VK_IMAGE_LAYOUT_GENERAL
#define COLOR_FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define AREA         8u // pixels of draws each way

// One subpass that renders to an attachment and reads it as input.
static VkRenderPass make_feedback_pass(struct gpu_test *test, VkSubpassDescriptionFlags flags)
{
	const VkAttachmentDescription attachment = {
		.format = COLOR_FORMAT,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.initialLayout = GENERAL,
		.finalLayout = GENERAL,
	};
	const VkAttachmentReference reference = {0, GENERAL};
	const VkSubpassDescription subpass = {.flags = flags,
					      .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
					      .inputAttachmentCount = 1,
					      .pInputAttachments = &reference,
					      .colorAttachmentCount = 1,
					      .pColorAttachments = &reference};
	const VkSubpassDependency dependency = {
		0, 0, OUTPUT, IN_FRAGMENT, COLOR_WRITE, INPUT_READ, VK_DEPENDENCY_BY_REGION_BIT};
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &attachment,
		.subpassCount = 1,
		.pSubpasses = &subpass,
		.dependencyCount = 1,
		.pDependencies = &dependency,
	};
	VkRenderPass pass;
	if (!test->has_graphics)
		gpu_test_skip("no graphics queue");
	gpu_test_expect(vkCreateRenderPass(test->device, &info, NULL, &pass), "vkCreateRenderPass");
	gpu_draw_keep(test, VK_OBJECT_TYPE_RENDER_PASS, (uint64_t)pass);
	return pass;
}

static void output_to_input(struct gpu_test *test)
{
	const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
					 .srcAccessMask = COLOR_WRITE,
					 .dstAccessMask = INPUT_READ};
	vkCmdPipelineBarrier(test->commands, OUTPUT, IN_FRAGMENT, VK_DEPENDENCY_BY_REGION_BIT, 1,
			     &barrier, 0, NULL, 0, NULL);
}

static struct gpu_draw_pipeline input_pipeline(VkPipelineLayout layout, VkDescriptorSet set)
{
	return (struct gpu_draw_pipeline){
		.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, texel_write_area, sizeof texel_write_area},
			    {VK_SHADER_STAGE_FRAGMENT_BIT, texel_write_input,
			     sizeof texel_write_input}},
		.shader_count = 2,
		.area = AREA,
		.layout = layout,
		.set = set};
}

static void clear_all(struct gpu_test *test)
{
	const VkClearAttachment clear = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
	const VkClearRect all = {gpu_draw_all(), 0, 1};
	vkCmdClearAttachments(test->commands, 1, &clear, 1, &all);
}

// `clears`: instead of the first draw, and the second one only reads.
static void feedback(struct gpu_test *test, bool clears)
{
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "target");
	struct gpu_draw_pass pass = {.color = {.image = &image}};
	VkPipelineLayout layout;
	gpu_draw_general(test, &image);
	pass.handle = make_feedback_pass(test, 0);
	pass.frame = gpu_draw_frame(test, pass.handle, &image.view, 1, 1);
	const VkDescriptorSet set =
		gpu_draw_set(test, &image, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, &layout);
	struct gpu_draw_pipeline pipeline = input_pipeline(layout, set);
	pipeline.leaves_color = clears;
	gpu_draw_bind(test, &pass, &pipeline);
	gpu_draw_begin(test, &pass, gpu_draw_all());
	if (clears)
		clear_all(test);
	else
		vkCmdDraw(test->commands, 3, 1, 0, 0);
	if (test->fixed)
		output_to_input(test);
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

// Each draw reads what the one before has written, behind a barrier of the subpass with itself.
static void texel_feedback(struct gpu_test *test)
{
	feedback(test, false);
}

// A clear is no load operation: reads of input attachments are in no order with it.
static void cleared_input(struct gpu_test *test)
{
	feedback(test, true);
}

// Writes without a barrier, but the pipeline reads in rasterization order.
static void texel_ordered(struct gpu_test *test)
{
	if (!test->has_ordered_input)
		gpu_test_skip("no input in rasterization order");
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "target");
	struct gpu_draw_pass pass = {.color = {.image = &image}};
	VkPipelineLayout layout;
	gpu_draw_general(test, &image);
	pass.handle = make_feedback_pass(
		test, VK_SUBPASS_DESCRIPTION_RASTERIZATION_ORDER_ATTACHMENT_COLOR_ACCESS_BIT_EXT);
	pass.frame = gpu_draw_frame(test, pass.handle, &image.view, 1, 1);
	const VkDescriptorSet set =
		gpu_draw_set(test, &image, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, &layout);
	struct gpu_draw_pipeline pipeline = input_pipeline(layout, set);
	pipeline.orders_input = test->fixed;
	gpu_draw_bind(test, &pass, &pipeline);
	gpu_draw_begin(test, &pass, gpu_draw_all());
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

#ifdef VK_KHR_dynamic_rendering_local_read
static void begin_local(struct gpu_test *test, const struct gpu_draw_image *image)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.newLayout = VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ_KHR,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image->handle,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	const VkRenderingAttachmentInfo attachment = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = image->view,
		.imageLayout = VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ_KHR,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
	};
	const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
				      .renderArea = gpu_draw_all(),
				      .layerCount = 1,
				      .colorAttachmentCount = 1,
				      .pColorAttachments = &attachment};
	vkCmdPipelineBarrier(test->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
	vkCmdBeginRendering(test->commands, &info);
}

// Writes in dynamic rendering.
static void texel_local(struct gpu_test *test)
{
	if (!test->has_local_read)
		gpu_test_skip("no reads within dynamic rendering");
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "target");
	const struct gpu_draw_pass pass = {.color = {.image = &image}, .dynamic = true};
	VkPipelineLayout layout;
	const VkDescriptorSet set =
		gpu_draw_set(test, &image, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, &layout);
	const VkDescriptorImageInfo local = {VK_NULL_HANDLE, image.view,
					     VK_IMAGE_LAYOUT_RENDERING_LOCAL_READ_KHR};
	const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
					    .dstSet = set,
					    .descriptorCount = 1,
					    .descriptorType = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
					    .pImageInfo = &local};
	const struct gpu_draw_pipeline pipeline = input_pipeline(layout, set);
	vkUpdateDescriptorSets(test->device, 1, &write, 0, NULL);
	gpu_draw_bind(test, &pass, &pipeline);
	begin_local(test, &image);
	output_to_input(test);
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	if (test->fixed)
		output_to_input(test);
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRendering(test->commands);
}
#else
static void texel_local(struct gpu_test *test)
{
	(void)test;
	gpu_test_skip("headers without reads within dynamic rendering");
}
#endif

// Where a draw writes anything, all of the render area is discarded that is not stored.
static void texel_unstored(struct gpu_test *test)
{
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "target");
	struct gpu_draw_pass pass = {.color = {&image, VK_ATTACHMENT_LOAD_OP_LOAD,
					       VK_ATTACHMENT_STORE_OP_NONE, GENERAL, GENERAL,
					       GENERAL}};
	const VkBufferImageCopy elsewhere = {
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageOffset = {AREA, AREA, 0},
		.imageExtent = {AREA, AREA, 1},
	};
	if (!test->has_graphics || !test->has_store_none)
		gpu_test_skip("no store operation NONE");
	gpu_draw_general(test, &image);
	gpu_draw_pass_make(test, &pass);
	gpu_draw_bind(
		test, &pass,
		&(struct gpu_draw_pipeline){.shaders = {{VK_SHADER_STAGE_VERTEX_BIT,
							 texel_write_area, sizeof texel_write_area},
							{VK_SHADER_STAGE_FRAGMENT_BIT,
							 texel_write_own, sizeof texel_write_own}},
					    .shader_count = 2,
					    .leaves_color = test->fixed,
					    .area = AREA});
	gpu_draw_begin(test, &pass, gpu_draw_all());
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
	vkCmdCopyImageToBuffer(test->commands, image.handle, GENERAL, test->result.handle, 1,
			       &elsewhere);
}

const struct gpu_twin gpu_texel_write_twins[] = {
	{"texel_feedback", texel_feedback, 0}, {"cleared_input", cleared_input, 0},
	{"texel_ordered", texel_ordered, 0},   {"texel_local", texel_local, 0},
	{"texel_unstored", texel_unstored, 0}, {NULL, NULL, 0},
};
