// SPDX-License-Identifier: Apache-2.0
// Twins of the texels that draws access in attachments where tests, discards, layers and samples
// decide on it. Knows nothing of what is to be reported.
#include "gpu_draw.h"
#include "twins.h"

#include "texel_test_area.spv.h"
#include "texel_test_color.spv.h"
#include "texel_test_early.spv.h"
#include "texel_test_half.spv.h"
#include "texel_test_input.spv.h"
#include "texel_test_input_early.spv.h"
#include "texel_test_input_samples.spv.h"

#define GENERAL      VK_IMAGE_LAYOUT_GENERAL
#define COLOR_FORMAT VK_FORMAT_R8G8B8A8_UNORM
#define AREA         8u // pixels of draws each way
#define HALF         4u // of them, that leave nothing in some tests

static void need_graphics(const struct gpu_test *test)
{
	if (!test->has_graphics)
		gpu_test_skip("no graphics queue");
}

static struct gpu_draw_attachment general(const struct gpu_draw_image *image)
{
	return (struct gpu_draw_attachment){
		image,  VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE, GENERAL, GENERAL,
		GENERAL};
}

static struct gpu_draw_pipeline pipeline_of(const uint32_t *fragment, size_t bytes)
{
	return (struct gpu_draw_pipeline){
		.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, texel_test_area, sizeof texel_test_area},
			    {VK_SHADER_STAGE_FRAGMENT_BIT, fragment, bytes}},
		.shader_count = 2,
		.area = AREA};
}

// A draw, and in the same subpass one that reads as input what the first writes, in four by four
// pixels from a column on: what loads and stores it is in order with both.
static void draw_and_read(struct gpu_test *test, struct gpu_draw_pass *pass,
			  const struct gpu_draw_pipeline *pipeline,
			  const struct gpu_draw_image *image, uint32_t left)
{
	struct gpu_draw_pipeline reads =
		image->samples == VK_SAMPLE_COUNT_1_BIT
			? pipeline_of(texel_test_input, sizeof texel_test_input)
			: pipeline_of(texel_test_input_samples, sizeof texel_test_input_samples);
	reads.set = gpu_draw_set(test, image, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, &reads.layout);
	reads.area = HALF;
	reads.left = left;
	reads.leaves_color = true;
	reads.sets_depth = true;
	pass->reads = true;
	gpu_draw_pass_make(test, pass);
	gpu_draw_bind(test, pass, pipeline);
	gpu_draw_begin(test, pass, gpu_draw_all());
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	gpu_draw_bind(test, pass, &reads);
	vkCmdSetDepthTestEnable(test->commands, VK_FALSE);
	vkCmdSetDepthWriteEnable(test->commands, VK_FALSE);
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

// A color that is written where a depth test has its way, or passes always.
static void test_color(struct gpu_test *test, struct gpu_draw_pipeline pipeline)
{
	need_graphics(test);
	const struct gpu_draw_image color =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "target");
	const struct gpu_draw_image depth =
		gpu_draw_image(test, VK_FORMAT_D32_SFLOAT, 1, VK_SAMPLE_COUNT_1_BIT, "depth");
	struct gpu_draw_pass pass = {.color = general(&color),
				     .depth = {&depth, VK_ATTACHMENT_LOAD_OP_CLEAR,
					       VK_ATTACHMENT_STORE_OP_STORE, GENERAL, GENERAL,
					       GENERAL}};
	gpu_draw_general(test, &color);
	gpu_draw_general(test, &depth);
	draw_and_read(test, &pass, &pipeline, &color, test->fixed ? AREA : HALF);
}

// Whether the test passes is not seen: the race is no more than possible.
static void texel_tested(struct gpu_test *test)
{
	test_color(test, pipeline_of(texel_test_color, sizeof texel_test_color));
}

static void texel_passed(struct gpu_test *test)
{
	struct gpu_draw_pipeline pipeline = pipeline_of(texel_test_color, sizeof texel_test_color);
	pipeline.passes_depth = true;
	test_color(test, pipeline);
}

// Fragments that run behind the test have passed it.
static void texel_early(struct gpu_test *test)
{
	test_color(test, pipeline_of(texel_test_early, sizeof texel_test_early));
}

// Fragments that are discarded write nothing.
static void texel_discarded(struct gpu_test *test)
{
	need_graphics(test);
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "target");
	struct gpu_draw_pass pass = {.color = general(&image)};
	const struct gpu_draw_pipeline pipeline =
		pipeline_of(texel_test_half, sizeof texel_test_half);
	gpu_draw_general(test, &image);
	draw_and_read(test, &pass, &pipeline, &image, test->fixed ? 0 : HALF);
}

// Depth is written where fragments are, if the test passes always.
static void texel_depth(struct gpu_test *test)
{
	need_graphics(test);
	const struct gpu_draw_image image =
		gpu_draw_image(test, VK_FORMAT_D32_SFLOAT, 1, VK_SAMPLE_COUNT_1_BIT, "depth");
	struct gpu_draw_pass pass = {.depth = general(&image)};
	struct gpu_draw_pipeline pipeline = pipeline_of(texel_test_color, sizeof texel_test_color);
	pipeline.passes_depth = true;
	gpu_draw_general(test, &image);
	draw_and_read(test, &pass, &pipeline, &image, test->fixed ? AREA : HALF);
}

// Fragments read the depth that they themselves are to write: behind early tests they have done so.
static void texel_early_depth(struct gpu_test *test)
{
	need_graphics(test);
	const struct gpu_draw_image image =
		gpu_draw_image(test, VK_FORMAT_D32_SFLOAT, 1, VK_SAMPLE_COUNT_1_BIT, "depth");
	struct gpu_draw_pass pass = {.depth = general(&image), .reads = true};
	struct gpu_draw_pipeline pipeline =
		test->fixed ? pipeline_of(texel_test_input, sizeof texel_test_input)
			    : pipeline_of(texel_test_input_early, sizeof texel_test_input_early);
	pipeline.passes_depth = true;
	pipeline.set =
		gpu_draw_set(test, &image, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, &pipeline.layout);
	gpu_draw_general(test, &image);
	gpu_draw_pass_make(test, &pass);
	gpu_draw_bind(test, &pass, &pipeline);
	gpu_draw_begin(test, &pass, gpu_draw_all());
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

// Without a fragment shader it is unknown whether depth is written, and nothing stores it: a race
// is only possible.
static void texel_depth_only(struct gpu_test *test)
{
	const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1},
					  .imageExtent = {HALF, HALF, 1}};
	if (!test->has_graphics || !test->has_store_none)
		gpu_test_skip("no store operation NONE");
	const struct gpu_draw_image image =
		gpu_draw_image(test, VK_FORMAT_D32_SFLOAT, 1, VK_SAMPLE_COUNT_1_BIT, "depth");
	struct gpu_draw_pass pass = {.depth = general(&image)};
	struct gpu_draw_pipeline pipeline = pipeline_of(texel_test_color, sizeof texel_test_color);
	pass.depth.store = VK_ATTACHMENT_STORE_OP_NONE;
	pipeline.shader_count = 1;
	gpu_draw_general(test, &image);
	gpu_draw_pass_make(test, &pass);
	gpu_draw_bind(test, &pass, &pipeline);
	gpu_draw_begin(test, &pass, gpu_draw_all());
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
	if (test->fixed)
		gpu_test_barrier(test, VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT,
				 VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT, TRANSFER,
				 VK_ACCESS_TRANSFER_READ_BIT);
	vkCmdCopyImageToBuffer(test->commands, image.handle, GENERAL, test->result.handle, 1,
			       &region);
}

// Without a shader that says otherwise, all is drawn in the first layer: there a test reads depth
// that nothing loads or stores.
static void texel_layer(struct gpu_test *test)
{
	const VkBufferImageCopy region = {
		.imageSubresource = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, test->fixed ? 1 : 0, 1},
		.imageOffset = {HALF, 0, 0},
		.imageExtent = {HALF, HALF, 1}};
	if (!test->has_graphics || !test->has_load_none || !test->has_store_none)
		gpu_test_skip("no load operation NONE");
	const struct gpu_draw_image image =
		gpu_draw_image(test, VK_FORMAT_D32_SFLOAT, 2, VK_SAMPLE_COUNT_1_BIT, "depth");
	struct gpu_draw_pass pass = {.depth = general(&image), .layers = 2};
	struct gpu_draw_pipeline pipeline = pipeline_of(texel_test_color, sizeof texel_test_color);
	pass.depth.load = VK_ATTACHMENT_LOAD_OP_NONE_EXT;
	pass.depth.store = VK_ATTACHMENT_STORE_OP_NONE;
	pipeline.sets_depth = true;
	gpu_draw_general(test, &image);
	gpu_draw_pass_make(test, &pass);
	gpu_draw_bind(test, &pass, &pipeline);
	vkCmdSetDepthTestEnable(test->commands, VK_TRUE);
	vkCmdSetDepthWriteEnable(test->commands, VK_FALSE);
	gpu_draw_begin(test, &pass, gpu_draw_all());
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
	vkCmdCopyBufferToImage(test->commands, test->data.handle, image.handle, GENERAL, 1,
			       &region);
}

// Of several samples, those that a fragment covers are written.
static void texel_samples(struct gpu_test *test)
{
	need_graphics(test);
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_4_BIT, "target");
	struct gpu_draw_pass pass = {.color = general(&image)};
	const struct gpu_draw_pipeline pipeline =
		pipeline_of(texel_test_half, sizeof texel_test_half);
	gpu_draw_general(test, &image);
	draw_and_read(test, &pass, &pipeline, &image, test->fixed ? 0 : HALF);
}

const struct gpu_twin gpu_texel_test_twins[] = {
	{"texel_tested", texel_tested, 0},         {"texel_passed", texel_passed, 0},
	{"texel_early", texel_early, 0},           {"texel_discarded", texel_discarded, 0},
	{"texel_depth", texel_depth, 0},           {"texel_early_depth", texel_early_depth, 0},
	{"texel_depth_only", texel_depth_only, 0}, {"texel_layer", texel_layer, 0},
	{"texel_samples", texel_samples, 0},       {NULL, NULL, 0},
};
