// SPDX-License-Identifier: Apache-2.0
// Twins of attachments: what load, store and resolve operations access, and when. Knows nothing of
// what is to be reported.
#include "gpu_draw.h"
#include "twins.h"

#define OUTPUT         VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT
#define EARLY          VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT
#define LATE           VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT
#define COLOR_READ     VK_ACCESS_COLOR_ATTACHMENT_READ_BIT
#define COLOR_WRITE    VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT
#define DEPTH_READ     VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT
#define DEPTH_WRITE    VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT
#define TRANSFER_READ  VK_ACCESS_TRANSFER_READ_BIT
#define TRANSFER_WRITE VK_ACCESS_TRANSFER_WRITE_BIT
#define GENERAL        VK_IMAGE_LAYOUT_GENERAL
#define LOAD           VK_ATTACHMENT_LOAD_OP_LOAD
#define CLEAR          VK_ATTACHMENT_LOAD_OP_CLEAR
#define STORE          VK_ATTACHMENT_STORE_OP_STORE
#define COLOR_FORMAT   VK_FORMAT_R8G8B8A8_UNORM

static struct gpu_draw_image color_image(struct gpu_test *test, const char *name)
{
	struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, name);
	gpu_draw_general(test, &image);
	return image;
}

static void draw_pass(struct gpu_test *test, const struct gpu_draw_pass *pass, VkRect2D area,
		      bool blends)
{
	gpu_draw_bind(test, pass, &(struct gpu_draw_pipeline){.blends = blends});
	gpu_draw_begin(test, pass, area);
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	if (blends)
		vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

static struct gpu_draw_attachment general(const struct gpu_draw_image *image,
					  VkAttachmentLoadOp load)
{
	return (struct gpu_draw_attachment){image, load, STORE, GENERAL, GENERAL, GENERAL};
}

static void copy_out(struct gpu_test *test, const struct gpu_draw_image *image,
		     VkImageAspectFlags aspect)
{
	const VkBufferImageCopy region = {
		.imageSubresource = {aspect, 0, 0, 1},
		.imageExtent = {GPU_DRAW_WIDTH, GPU_DRAW_HEIGHT, 1},
	};
	vkCmdCopyImageToBuffer(test->commands, image->handle, GENERAL, test->result.handle, 1,
			       &region);
}

// The pass has no dependency of its own to what stands behind it.
static void copied_attachment(struct gpu_test *test)
{
	const struct gpu_draw_image image = color_image(test, "target");
	struct gpu_draw_pass pass = {.color = general(&image, CLEAR)};
	gpu_draw_pass_make(test, &pass);
	draw_pass(test, &pass, gpu_draw_all(), false);
	if (test->fixed)
		gpu_test_barrier(test, OUTPUT, COLOR_WRITE, TRANSFER, TRANSFER_READ);
	copy_out(test, &image, VK_IMAGE_ASPECT_COLOR_BIT);
}

// Stores are no work of the fragment shader.
static void copied_wrong_stage(struct gpu_test *test)
{
	const struct gpu_draw_image image = color_image(test, "target");
	struct gpu_draw_pass pass = {.color = general(&image, CLEAR)};
	gpu_draw_pass_make(test, &pass);
	draw_pass(test, &pass, gpu_draw_all(), false);
	if (test->fixed)
		gpu_test_barrier(test, OUTPUT, COLOR_WRITE, TRANSFER, TRANSFER_READ);
	else
		gpu_test_barrier(test, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, WRITE, TRANSFER,
				 TRANSFER_READ);
	copy_out(test, &image, VK_IMAGE_ASPECT_COLOR_BIT);
}

// Without a layout transition there is no implicit dependency ("Subpass Dependencies"), and one of
// execution alone would not make the store visible to the load.
static void store_then_load(struct gpu_test *test)
{
	const struct gpu_draw_image image = color_image(test, "target");
	struct gpu_draw_pass first = {.color = general(&image, CLEAR)};
	const VkSubpassDependency dependency = {
		VK_SUBPASS_EXTERNAL, 0, OUTPUT, OUTPUT, COLOR_WRITE, COLOR_READ | COLOR_WRITE, 0};
	struct gpu_draw_pass second = {.color = general(&image, LOAD),
				       .dependencies = &dependency,
				       .dependency_count = test->fixed ? 1 : 0};
	gpu_draw_pass_make(test, &first);
	gpu_draw_pass_make(test, &second);
	draw_pass(test, &first, gpu_draw_all(), false);
	draw_pass(test, &second, gpu_draw_all(), false);
}

static void dependency_access(struct gpu_test *test)
{
	const struct gpu_draw_image image = color_image(test, "target");
	struct gpu_draw_pass first = {.color = general(&image, CLEAR)};
	const VkSubpassDependency dependency = {VK_SUBPASS_EXTERNAL,
						0,
						OUTPUT,
						OUTPUT,
						COLOR_WRITE,
						test->fixed ? COLOR_READ | COLOR_WRITE
							    : COLOR_WRITE,
						0};
	struct gpu_draw_pass second = {
		.color = general(&image, LOAD), .dependencies = &dependency, .dependency_count = 1};
	gpu_draw_pass_make(test, &first);
	gpu_draw_pass_make(test, &second);
	draw_pass(test, &first, gpu_draw_all(), false);
	draw_pass(test, &second, gpu_draw_all(), false);
}

// Both halves of the image are rendered without any order; the race is where they overlap.
static void render_areas(struct gpu_test *test)
{
	const struct gpu_draw_image image = color_image(test, "target");
	const uint32_t half = GPU_DRAW_HEIGHT / 2, overlap = test->fixed ? 0 : 1;
	const VkRect2D upper = {{0, 0}, {GPU_DRAW_WIDTH, half + overlap}};
	const VkRect2D lower = {{0, (int32_t)half}, {GPU_DRAW_WIDTH, half}};
	struct gpu_draw_pass pass = {.color = general(&image, CLEAR)};
	gpu_draw_pass_make(test, &pass);
	draw_pass(test, &pass, upper, false);
	draw_pass(test, &pass, lower, false);
}

// Draws of one subpass blend in rasterization order; only what follows the pass must be ordered.
static void blended_draws(struct gpu_test *test)
{
	const struct gpu_draw_image image = color_image(test, "target");
	struct gpu_draw_pass pass = {.color = general(&image, CLEAR)};
	gpu_draw_pass_make(test, &pass);
	draw_pass(test, &pass, gpu_draw_all(), true);
	if (test->fixed)
		gpu_test_barrier(test, OUTPUT, COLOR_WRITE, OUTPUT, COLOR_WRITE);
	draw_pass(test, &pass, gpu_draw_all(), true);
}

// Where a draw writes, all of the render area is discarded if nothing stores it.
static void unstored_draw(struct gpu_test *test)
{
	const struct gpu_draw_image image = color_image(test, "target");
	struct gpu_draw_pass pass = {.color = general(&image, LOAD)};
	pass.color.store = VK_ATTACHMENT_STORE_OP_NONE;
	if (!test->has_store_none)
		gpu_test_skip("no store operation that leaves attachments alone");
	gpu_draw_pass_make(test, &pass);
	draw_pass(test, &pass, gpu_draw_all(), false);
	if (test->fixed)
		gpu_test_barrier(test, OUTPUT, COLOR_WRITE, TRANSFER, VK_ACCESS_TRANSFER_READ_BIT);
	copy_out(test, &image, VK_IMAGE_ASPECT_COLOR_BIT);
}

// Depth is stored by late fragment tests.
static void copied_depth(struct gpu_test *test)
{
	const struct gpu_draw_image image =
		gpu_draw_image(test, VK_FORMAT_D32_SFLOAT, 1, VK_SAMPLE_COUNT_1_BIT, "depth");
	struct gpu_draw_pass pass = {.depth = general(&image, CLEAR)};
	gpu_draw_general(test, &image);
	gpu_draw_pass_make(test, &pass);
	draw_pass(test, &pass, gpu_draw_all(), false);
	gpu_test_barrier(test, test->fixed ? LATE : EARLY, DEPTH_WRITE, TRANSFER, TRANSFER_READ);
	copy_out(test, &image, VK_IMAGE_ASPECT_DEPTH_BIT);
}

// What has one sample and four while it is rendered to is resolved at the end, depth as color: also
// where the late tests store it behind that.
static void implicit_resolve(struct gpu_test *test)
{
	if (!test->has_implicit_samples || !test->has_dynamic_rendering)
		gpu_test_skip("no attachments with more samples than they have");
	const struct gpu_draw_image image =
		gpu_draw_image(test, VK_FORMAT_D32_SFLOAT, 1, VK_SAMPLE_COUNT_1_BIT, "depth");
	const VkMultisampledRenderToSingleSampledInfoEXT implicit = {
		.sType = VK_STRUCTURE_TYPE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT,
		.multisampledRenderToSingleSampledEnable = VK_TRUE,
		.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT,
	};
	const VkRenderingAttachmentInfo attachment = {
		.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
		.imageView = image.view,
		.imageLayout = GENERAL,
		.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
	};
	const VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
				      .pNext = &implicit,
				      .renderArea = gpu_draw_all(),
				      .layerCount = 1,
				      .pDepthAttachment = &attachment};
	gpu_draw_general(test, &image);
	vkCmdBeginRendering(test->commands, &info);
	vkCmdEndRendering(test->commands);
	gpu_test_barrier(test, EARLY | LATE | (test->fixed ? OUTPUT : 0),
			 DEPTH_WRITE | (test->fixed ? COLOR_WRITE : 0), TRANSFER, TRANSFER_READ);
	copy_out(test, &image, VK_IMAGE_ASPECT_DEPTH_BIT);
}

// A resolve writes its target at the end of the subpass, as a color attachment.
static void copied_resolve(struct gpu_test *test)
{
	const struct gpu_draw_image many =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_4_BIT, "samples");
	const struct gpu_draw_image one = color_image(test, "target");
	struct gpu_draw_pass pass = {.color = general(&many, CLEAR),
				     .resolve = general(&one, VK_ATTACHMENT_LOAD_OP_DONT_CARE)};
	gpu_draw_general(test, &many);
	gpu_draw_pass_make(test, &pass);
	draw_pass(test, &pass, gpu_draw_all(), false);
	if (test->fixed)
		gpu_test_barrier(test, OUTPUT, COLOR_WRITE, TRANSFER, TRANSFER_READ);
	else
		gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, TRANSFER, TRANSFER_READ);
	copy_out(test, &one, VK_IMAGE_ASPECT_COLOR_BIT);
}

// The transition into a pass that loads waits for no read before: what orders it has to make it
// visible to the load, as the implicit dependency did.
static void read_initial_layout(struct gpu_test *test)
{
	const struct gpu_draw_image image = color_image(test, "target");
	const VkSubpassDependency dependency = {VK_SUBPASS_EXTERNAL,      0, TRANSFER, OUTPUT, 0,
						COLOR_READ | COLOR_WRITE, 0};
	struct gpu_draw_pass pass = {.color = general(&image, LOAD),
				     .dependencies = &dependency,
				     .dependency_count = test->fixed ? 1 : 0};
	pass.color.within = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
	gpu_draw_pass_make(test, &pass);
	copy_out(test, &image, VK_IMAGE_ASPECT_COLOR_BIT);
	draw_pass(test, &pass, gpu_draw_all(), false);
}

// Without a dependency from outside, the transition from initialLayout waits for nothing: the
// implicit one has no source stage ("Subpass Dependencies").
static void pass_initial_layout(struct gpu_test *test)
{
	const struct gpu_draw_image image = color_image(test, "target");
	const VkSubpassDependency dependency = {
		VK_SUBPASS_EXTERNAL,      0, TRANSFER, OUTPUT, TRANSFER_WRITE,
		COLOR_READ | COLOR_WRITE, 0};
	struct gpu_draw_pass pass = {.color = general(&image, LOAD),
				     .dependencies = &dependency,
				     .dependency_count = test->fixed ? 1 : 0};
	pass.color.within = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
	pass.color.final = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
	gpu_draw_pass_make(test, &pass);
	vkCmdClearColorImage(test->commands, image.handle, GENERAL, &(VkClearColorValue){{0}}, 1,
			     &(VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1});
	gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, OUTPUT, COLOR_READ | COLOR_WRITE);
	draw_pass(test, &pass, gpu_draw_all(), false);
}

// With a layout transition there is an implicit dependency ("Subpass Dependencies"), which has no
// source stage: the transition does not wait for the store of the pass before.
static void implicit_dependency(struct gpu_test *test)
{
	const struct gpu_draw_image image = color_image(test, "target");
	struct gpu_draw_pass first = {.color = general(&image, CLEAR)};
	const VkSubpassDependency dependency = {
		VK_SUBPASS_EXTERNAL, 0, OUTPUT, OUTPUT, COLOR_WRITE, COLOR_READ | COLOR_WRITE, 0};
	struct gpu_draw_pass second = {.color = general(&image, LOAD),
				       .dependencies = &dependency,
				       .dependency_count = test->fixed ? 1 : 0};
	second.color.within = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
	second.color.final = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
	gpu_draw_pass_make(test, &first);
	gpu_draw_pass_make(test, &second);
	draw_pass(test, &first, gpu_draw_all(), false);
	draw_pass(test, &second, gpu_draw_all(), false);
}

// Nor does a barrier that waits for the pass's stages wait for the transition into finalLayout.
static void pass_final_layout(struct gpu_test *test)
{
	const struct gpu_draw_image image = color_image(test, "target");
	const VkSubpassDependency dependency = {0,           VK_SUBPASS_EXTERNAL, OUTPUT, TRANSFER,
						COLOR_WRITE, TRANSFER_READ,       0};
	struct gpu_draw_pass pass = {.color = general(&image, CLEAR),
				     .dependencies = &dependency,
				     .dependency_count = test->fixed ? 1 : 0};
	pass.color.within = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
	gpu_draw_pass_make(test, &pass);
	draw_pass(test, &pass, gpu_draw_all(), false);
	if (!test->fixed)
		gpu_test_barrier(test, OUTPUT, COLOR_WRITE, TRANSFER, TRANSFER_READ);
	copy_out(test, &image, VK_IMAGE_ASPECT_COLOR_BIT);
}

// Transitions of one queue are in order, and what is behind the later one, into the second pass, is
// not behind the earlier one, out of the first: nothing leads on from the implicit dependency.
static void transition_behind(struct gpu_test *test)
{
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "target");
	const VkSubpassDependency out = {0,           VK_SUBPASS_EXTERNAL,      OUTPUT, OUTPUT,
					 COLOR_WRITE, COLOR_READ | COLOR_WRITE, 0};
	const VkSubpassDependency into = {VK_SUBPASS_EXTERNAL,      0, OUTPUT, OUTPUT, COLOR_WRITE,
					  COLOR_READ | COLOR_WRITE, 0};
	struct gpu_draw_pass first = {.color = {&image, CLEAR, STORE, VK_IMAGE_LAYOUT_UNDEFINED,
						GENERAL, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL},
				      .dependencies = &out,
				      .dependency_count = test->fixed};
	struct gpu_draw_pass second = {.color = {&image, CLEAR, STORE,
						 VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, GENERAL,
						 GENERAL},
				       .dependencies = &into,
				       .dependency_count = 1};
	gpu_draw_pass_make(test, &first);
	gpu_draw_pass_make(test, &second);
	draw_pass(test, &first, gpu_draw_all(), false);
	draw_pass(test, &second, gpu_draw_all(), false);
}

const struct gpu_twin gpu_pass_twins[] = {
	{"transition_behind", transition_behind, 0},
	{"copied_attachment", copied_attachment, 0},
	{"copied_wrong_stage", copied_wrong_stage, 0},
	{"store_then_load", store_then_load, 0},
	{"dependency_access", dependency_access, 0},
	{"render_areas", render_areas, 0},
	{"blended_draws", blended_draws, 0},
	{"unstored_draw", unstored_draw, 0},
	{"copied_depth", copied_depth, 0},
	{"copied_resolve", copied_resolve, 0},
	{"implicit_resolve", implicit_resolve, 0},
	{"read_initial_layout", read_initial_layout, 0},
	{"pass_initial_layout", pass_initial_layout, 0},
	{"implicit_dependency", implicit_dependency, 0},
	{"pass_final_layout", pass_final_layout, 0},
	{NULL, NULL, 0},
};
