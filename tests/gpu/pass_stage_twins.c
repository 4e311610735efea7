// SPDX-License-Identifier: Apache-2.0
// Twins of the stages in which draws access attachments, and of what these see of other subpasses.
// Knows nothing of what is to be reported.
#include "gpu_draw.h"
#include "twins.h"

#include "pass_stage_area.spv.h"
#include "pass_stage_color.spv.h"
#include "pass_stage_input.spv.h"

#define OUTPUT       VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT
#define EARLY        VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT
#define LATE         VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT
#define IN_FRAGMENT  VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT
#define COLOR_READ   VK_ACCESS_COLOR_ATTACHMENT_READ_BIT
#define COLOR_WRITE  VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT
#define DEPTH_READ   VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT
#define DEPTH_WRITE  VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT
#define GENERAL      VK_IMAGE_LAYOUT_GENERAL
#define COLOR_FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define DEPTH_FORMAT VK_FORMAT_D32_SFLOAT

static struct gpu_draw_image image_of(struct gpu_test *test, VkFormat format, const char *name)
{
	if (!test->has_graphics)
		gpu_test_skip("no graphics queue");
	const struct gpu_draw_image image =
		gpu_draw_image(test, format, 1, VK_SAMPLE_COUNT_1_BIT, name);
	gpu_draw_general(test, &image);
	return image;
}

static struct gpu_draw_pipeline plain(void)
{
	return (struct gpu_draw_pipeline){
		.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, pass_stage_area, sizeof pass_stage_area},
			    {VK_SHADER_STAGE_FRAGMENT_BIT, pass_stage_color,
			     sizeof pass_stage_color}},
		.shader_count = 2,
		.passes_depth = true};
}

// A pass of two subpasses that both use one attachment, which the first clears and the second
// stores.
static struct gpu_draw_pass two_subpasses(struct gpu_test *test, const struct gpu_draw_image *image,
					  const VkSubpassDependency *dependencies, uint32_t count)
{
	const bool depth = image->format == DEPTH_FORMAT;
	const VkAttachmentDescription attachment = {
		.format = image->format,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
		.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
		.initialLayout = GENERAL,
		.finalLayout = GENERAL,
	};
	const VkAttachmentReference reference = {0, GENERAL};
	const VkSubpassDescription one = {
		.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
		.colorAttachmentCount = !depth,
		.pColorAttachments = &reference,
		.pDepthStencilAttachment = depth ? &reference : NULL,
	};
	const VkSubpassDescription subpasses[2] = {one, one};
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &attachment,
		.subpassCount = 2,
		.pSubpasses = subpasses,
		.dependencyCount = count,
		.pDependencies = dependencies,
	};
	struct gpu_draw_pass pass = {0};
	*(depth ? &pass.depth : &pass.color) = (struct gpu_draw_attachment){.image = image};
	gpu_test_expect(vkCreateRenderPass(test->device, &info, NULL, &pass.handle),
			"vkCreateRenderPass");
	gpu_draw_keep(test, VK_OBJECT_TYPE_RENDER_PASS, (uint64_t)pass.handle);
	pass.frame = gpu_draw_frame(test, pass.handle, &image->view, 1, 1);
	return pass;
}

static void draw(struct gpu_test *test, const struct gpu_draw_pass *pass,
		 const struct gpu_draw_pipeline *pipeline)
{
	gpu_draw_bind(test, pass, pipeline);
	vkCmdDraw(test->commands, 3, 1, 0, 0);
}

// Depth that is not tested early is written in late tests; the load operation clears it in early
// ones.
static void late_write(struct gpu_test *test)
{
	const struct gpu_draw_image image = image_of(test, DEPTH_FORMAT, "depth");
	const VkSubpassDependency dependency = {0,
						1,
						test->fixed ? EARLY | LATE : EARLY,
						EARLY | LATE,
						DEPTH_WRITE,
						DEPTH_READ | DEPTH_WRITE,
						VK_DEPENDENCY_BY_REGION_BIT};
	struct gpu_draw_pass pass = two_subpasses(test, &image, &dependency, 1);
	const struct gpu_draw_pipeline pipeline = plain();
	gpu_draw_begin(test, &pass, gpu_draw_all());
	draw(test, &pass, &pipeline);
	vkCmdNextSubpass(test->commands, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdEndRenderPass(test->commands);
}

// vkCmdClearAttachments writes depth in both stages: the later one is not behind the earlier one.
static void late_clear(struct gpu_test *test)
{
	const struct gpu_draw_image image = image_of(test, DEPTH_FORMAT, "depth");
	const VkSubpassDependency dependency = {0,
						1,
						test->fixed ? EARLY | LATE : EARLY,
						EARLY | LATE,
						DEPTH_WRITE,
						DEPTH_READ | DEPTH_WRITE,
						VK_DEPENDENCY_BY_REGION_BIT};
	const struct gpu_draw_pass pass = two_subpasses(test, &image, &dependency, 1);
	const VkClearAttachment clear = {.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT,
					 .clearValue = {.depthStencil = {.depth = 1}}};
	const VkClearRect all = {gpu_draw_all(), 0, 1};
	gpu_draw_begin(test, &pass, gpu_draw_all());
	vkCmdClearAttachments(test->commands, 1, &clear, 1, &all);
	vkCmdNextSubpass(test->commands, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdEndRenderPass(test->commands);
}

static void clear_depth(struct gpu_test *test, const struct gpu_draw_image *image)
{
	const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1};
	const VkClearDepthStencilValue value = {.depth = 1};
	vkCmdClearDepthStencilImage(test->commands, image->handle, GENERAL, &value, 1, &all);
}

static struct gpu_draw_pass only_loaded(struct gpu_test *test, const struct gpu_draw_image *image)
{
	if (!test->has_store_none)
		gpu_test_skip("no store operation that leaves attachments alone");
	return (struct gpu_draw_pass){.depth = {image, VK_ATTACHMENT_LOAD_OP_LOAD,
						VK_ATTACHMENT_STORE_OP_NONE, GENERAL, GENERAL,
						GENERAL}};
}

// A draw that only tests depth, as commands say, behind the load operation; nothing is stored.
static void test_depth(struct gpu_test *test, VkPipelineStageFlags waits)
{
	const struct gpu_draw_image image = image_of(test, DEPTH_FORMAT, "depth");
	struct gpu_draw_pass pass = only_loaded(test, &image);
	struct gpu_draw_pipeline pipeline = plain();
	pipeline.sets_depth = true;
	gpu_draw_pass_make(test, &pass);
	gpu_draw_bind(test, &pass, &pipeline);
	vkCmdSetDepthTestEnable(test->commands, VK_TRUE);
	vkCmdSetDepthWriteEnable(test->commands, VK_FALSE);
	gpu_draw_begin(test, &pass, gpu_draw_all());
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
	if (waits)
		gpu_test_barrier(test, waits, 0, TRANSFER, 0);
	clear_depth(test, &image);
}

static void depth_tested(struct gpu_test *test)
{
	test_depth(test, test->fixed ? EARLY | LATE : 0);
}

// Nor are tests that read depth behind the load operation's stage.
static void late_read(struct gpu_test *test)
{
	test_depth(test, test->fixed ? EARLY | LATE : EARLY);
}

static struct gpu_draw_pipeline reading(struct gpu_test *test, const struct gpu_draw_image *image)
{
	struct gpu_draw_pipeline pipeline = plain();
	pipeline.shaders[1].words = pass_stage_input;
	pipeline.shaders[1].bytes = sizeof pass_stage_input;
	pipeline.set =
		gpu_draw_set(test, image, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, &pipeline.layout);
	return pipeline;
}

// Fragments read input behind early tests; nothing is stored that were behind what they read.
static void late_input(struct gpu_test *test)
{
	const struct gpu_draw_image image = image_of(test, DEPTH_FORMAT, "depth");
	struct gpu_draw_pass pass = only_loaded(test, &image);
	struct gpu_draw_pipeline pipeline = reading(test, &image);
	pipeline.sets_depth = true;
	pass.reads = true;
	gpu_draw_pass_make(test, &pass);
	gpu_draw_bind(test, &pass, &pipeline);
	vkCmdSetDepthTestEnable(test->commands, VK_FALSE);
	vkCmdSetDepthWriteEnable(test->commands, VK_FALSE);
	gpu_draw_begin(test, &pass, gpu_draw_all());
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
	gpu_test_barrier(test, test->fixed ? IN_FRAGMENT : EARLY, 0, TRANSFER, 0);
	clear_depth(test, &image);
}

// One draw's fragments read input, another draw writes there: rasterization order does not hold
// what shaders read.
static void input_overwritten(struct gpu_test *test)
{
	const struct gpu_draw_image image = image_of(test, COLOR_FORMAT, "target");
	const VkSubpassDependency dependency = {
		0, 0, IN_FRAGMENT, OUTPUT, 0, COLOR_WRITE, VK_DEPENDENCY_BY_REGION_BIT};
	const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
					 .dstAccessMask = COLOR_WRITE};
	struct gpu_draw_pass pass = {.color = {&image, VK_ATTACHMENT_LOAD_OP_CLEAR,
					       VK_ATTACHMENT_STORE_OP_STORE, GENERAL, GENERAL,
					       GENERAL},
				     .dependencies = &dependency,
				     .dependency_count = 1,
				     .reads = true};
	struct gpu_draw_pipeline reads = reading(test, &image);
	const struct gpu_draw_pipeline writes = plain();
	reads.leaves_color = true;
	gpu_draw_pass_make(test, &pass);
	gpu_draw_begin(test, &pass, gpu_draw_all());
	draw(test, &pass, &reads);
	if (test->fixed)
		vkCmdPipelineBarrier(test->commands, IN_FRAGMENT, OUTPUT,
				     VK_DEPENDENCY_BY_REGION_BIT, 1, &barrier, 0, NULL, 0, NULL);
	draw(test, &pass, &writes);
	vkCmdEndRenderPass(test->commands);
}

// What no subpass uses is brought into its last layout all the same, at any time while the pass
// runs: it waits for nothing but what holds all commands, and nothing else waits for it.
static void unused_layout(struct gpu_test *test)
{
	const struct gpu_draw_image image = image_of(test, COLOR_FORMAT, "unused");
	const VkAttachmentDescription attachment = {
		.format = COLOR_FORMAT,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.loadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
		.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
		.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE,
		.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE,
		.initialLayout = GENERAL,
		.finalLayout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
	};
	const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS};
	const VkSubpassDependency out = {
		0,        VK_SUBPASS_EXTERNAL, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
		TRANSFER, COLOR_WRITE,         VK_ACCESS_TRANSFER_READ_BIT,
		0};
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &attachment,
		.subpassCount = 1,
		.pSubpasses = &subpass,
		.dependencyCount = 1,
		.pDependencies = &out,
	};
	const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
					  .imageExtent = {GPU_DRAW_WIDTH, GPU_DRAW_HEIGHT, 1}};
	struct gpu_draw_pass pass = {0};
	gpu_test_expect(vkCreateRenderPass(test->device, &info, NULL, &pass.handle),
			"vkCreateRenderPass");
	gpu_draw_keep(test, VK_OBJECT_TYPE_RENDER_PASS, (uint64_t)pass.handle);
	pass.frame = gpu_draw_frame(test, pass.handle, &image.view, 1, 1);
	gpu_draw_begin(test, &pass, gpu_draw_all());
	vkCmdEndRenderPass(test->commands);
	if (test->fixed)
		gpu_test_barrier(test, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, TRANSFER,
				 VK_ACCESS_TRANSFER_READ_BIT);
	vkCmdCopyImageToBuffer(test->commands, image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
			       test->result.handle, 1, &region);
}

// What the first subpass wrote is there to be written over, and not for blending to read.
static void blend_invisible(struct gpu_test *test)
{
	const struct gpu_draw_image image = image_of(test, COLOR_FORMAT, "target");
	const VkSubpassDependency dependency = {0,
						1,
						OUTPUT,
						OUTPUT,
						COLOR_WRITE,
						test->fixed ? COLOR_READ | COLOR_WRITE
							    : COLOR_WRITE,
						VK_DEPENDENCY_BY_REGION_BIT};
	struct gpu_draw_pass pass = two_subpasses(test, &image, &dependency, 1);
	struct gpu_draw_pipeline pipeline = plain();
	pipeline.blends = true;
	gpu_draw_begin(test, &pass, gpu_draw_all());
	vkCmdNextSubpass(test->commands, VK_SUBPASS_CONTENTS_INLINE);
	pass.subpass = 1;
	draw(test, &pass, &pipeline);
	vkCmdEndRenderPass(test->commands);
}

// The depth test without visibility.
static void test_invisible(struct gpu_test *test)
{
	const struct gpu_draw_image image = image_of(test, DEPTH_FORMAT, "depth");
	const VkSubpassDependency dependency = {0,
						1,
						EARLY | LATE,
						EARLY | LATE,
						DEPTH_WRITE,
						test->fixed ? DEPTH_READ | DEPTH_WRITE
							    : DEPTH_WRITE,
						VK_DEPENDENCY_BY_REGION_BIT};
	struct gpu_draw_pass pass = two_subpasses(test, &image, &dependency, 1);
	const struct gpu_draw_pipeline pipeline = plain();
	gpu_draw_begin(test, &pass, gpu_draw_all());
	vkCmdNextSubpass(test->commands, VK_SUBPASS_CONTENTS_INLINE);
	pass.subpass = 1;
	draw(test, &pass, &pipeline);
	vkCmdEndRenderPass(test->commands);
}

// A dependency of the second subpass, which uses the attachment, too, holds the load operation of
// the first one, and not what that draws.
static void drawn_before(struct gpu_test *test)
{
	const struct gpu_draw_image image = image_of(test, COLOR_FORMAT, "target");
	const VkSubpassDependency dependencies[] = {
		{1, VK_SUBPASS_EXTERNAL, OUTPUT, TRANSFER, COLOR_WRITE, VK_ACCESS_TRANSFER_READ_BIT,
		 0},
		{0, 1, OUTPUT, OUTPUT, COLOR_WRITE, COLOR_READ | COLOR_WRITE, 0},
	};
	const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
					  .imageExtent = {GPU_DRAW_WIDTH, GPU_DRAW_HEIGHT, 1}};
	const struct gpu_draw_pass pass =
		two_subpasses(test, &image, dependencies, test->fixed ? 2 : 1);
	const struct gpu_draw_pipeline pipeline = plain();
	gpu_draw_begin(test, &pass, gpu_draw_all());
	draw(test, &pass, &pipeline);
	vkCmdNextSubpass(test->commands, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdEndRenderPass(test->commands);
	vkCmdCopyImageToBuffer(test->commands, image.handle, GENERAL, test->result.handle, 1,
			       &region);
}

const struct gpu_twin gpu_pass_stage_twins[] = {
	{"drawn_before", drawn_before, 0},
	{"late_write", late_write, 0},
	{"late_clear", late_clear, 0},
	{"depth_tested", depth_tested, 0},
	{"late_read", late_read, 0},
	{"late_input", late_input, 0},
	{"input_overwritten", input_overwritten, 0},
	{"unused_layout", unused_layout, 0},
	{"blend_invisible", blend_invisible, 0},
	{"test_invisible", test_invisible, 0},
	{NULL, NULL, 0},
};
