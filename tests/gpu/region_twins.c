// SPDX-License-Identifier: Apache-2.0
// Twins of dependencies that are split by pixels or by views of the framebuffer. Knows nothing of
// what is to be reported.
#include "gpu_draw.h"
#include "twins.h"

#include "pixel_view_other.spv.h"
#include "pixel_view_own.spv.h"
#include "pixel_view_store.spv.h"
#include "region_area.spv.h"
#include "region_fetch.spv.h"
#include "region_fetch_left.spv.h"
#include "region_fetch_own.spv.h"
#include "region_layer.spv.h"
#include "region_layer_own.spv.h"
#include "region_other_sample.spv.h"
#include "region_own.spv.h"
#include "region_own_sample.spv.h"
#include "region_read.spv.h"
#include "region_write.spv.h"

#define OUTPUT       VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT
#define IN_FRAGMENT  VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT
#define COLOR_WRITE  VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT
#define BY_REGION    VK_DEPENDENCY_BY_REGION_BIT
#define GENERAL      VK_IMAGE_LAYOUT_GENERAL
#define COLOR_FORMAT VK_FORMAT_R8G8B8A8_UNORM

#define FRAGMENTS(name)                                                                            \
	(struct gpu_draw_shader)                                                                   \
	{                                                                                          \
		VK_SHADER_STAGE_FRAGMENT_BIT, name, sizeof name                                    \
	}

// ---- Attachments --------------------------------------------------------------------------------

struct images {
	struct gpu_draw_image before, target;
	struct gpu_draw_pass first, second;
	VkPipelineLayout layout;
	VkDescriptorSet set; // with the first image, for the second pass to fetch from
};

// Two passes: one clears the first image and draws, the other one draws to the second.
static void make_layers(struct gpu_test *test, struct images *images,
			const VkSubpassDependency *dependency, VkImageLayout within,
			uint32_t layers)
{
	if (!test->has_graphics)
		gpu_test_skip("no graphics queue");
	images->before =
		gpu_draw_image(test, COLOR_FORMAT, layers, VK_SAMPLE_COUNT_1_BIT, "before");
	images->target =
		gpu_draw_image(test, COLOR_FORMAT, layers, VK_SAMPLE_COUNT_1_BIT, "target");
	images->first = (struct gpu_draw_pass){
		.layers = layers,
		.color = {&images->before, VK_ATTACHMENT_LOAD_OP_CLEAR,
			  VK_ATTACHMENT_STORE_OP_STORE, within, within, GENERAL},
		.dependencies = dependency,
		.dependency_count = dependency != NULL};
	images->second = (struct gpu_draw_pass){
		.layers = layers,
		.color = {&images->target, VK_ATTACHMENT_LOAD_OP_CLEAR,
			  VK_ATTACHMENT_STORE_OP_STORE, GENERAL, GENERAL, GENERAL}};
	images->set = gpu_draw_set(test, &images->before, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
				   &images->layout);
	gpu_draw_general(test, &images->target);
	if (within == GENERAL)
		gpu_draw_general(test, &images->before);
	gpu_draw_pass_make(test, &images->first);
	gpu_draw_pass_make(test, &images->second);
}

static void make_images(struct gpu_test *test, struct images *images,
			const VkSubpassDependency *dependency, VkImageLayout within)
{
	make_layers(test, images, dependency, within, 1);
}

static void render(struct gpu_test *test, struct images *images)
{
	gpu_draw_bind(test, &images->first, &(struct gpu_draw_pipeline){.blends = false});
	gpu_draw_begin(test, &images->first, gpu_draw_all());
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

static void fetch(struct gpu_test *test, struct images *images, struct gpu_draw_shader fragments)
{
	gpu_draw_bind(test, &images->second,
		      &(struct gpu_draw_pipeline){.shaders = {{VK_SHADER_STAGE_VERTEX_BIT,
							       region_area, sizeof region_area},
							      fragments},
						  .shader_count = 2,
						  .layout = images->layout,
						  .set = images->set});
	gpu_draw_begin(test, &images->second, gpu_draw_all());
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

static void barrier(struct gpu_test *test, VkPipelineStageFlags from_stage, VkAccessFlags from,
		    VkPipelineStageFlags to_stage, VkAccessFlags to, VkDependencyFlags flags)
{
	const VkMemoryBarrier memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
					.srcAccessMask = from,
					.dstAccessMask = to};
	vkCmdPipelineBarrier(test->commands, from_stage, to_stage, flags, 1, &memory, 0, NULL, 0,
			     NULL);
}

static void fetch_behind(struct gpu_test *test, struct gpu_draw_shader fragments)
{
	struct images images;
	make_images(test, &images, NULL, GENERAL);
	render(test, &images);
	barrier(test, OUTPUT, COLOR_WRITE, IN_FRAGMENT, READ, test->fixed ? 0 : BY_REGION);
	fetch(test, &images, fragments);
}

// Other pixels' texels are fetched behind a dependency by region, or one of the whole framebuffer.
static void fetched(struct gpu_test *test)
{
	fetch_behind(test, FRAGMENTS(region_fetch));
}

// Of two fragments that fetch a texel one is at its pixel.
static void fetched_twice(struct gpu_test *test)
{
	fetch_behind(test, FRAGMENTS(region_fetch_left));
}

// The dependency is by region; each fragment fetches the texel of another pixel, or its own.
static void own_texel(struct gpu_test *test)
{
	struct images images;
	make_images(test, &images, NULL, GENERAL);
	render(test, &images);
	barrier(test, OUTPUT, COLOR_WRITE, IN_FRAGMENT, READ, BY_REGION);
	fetch(test, &images, test->fixed ? FRAGMENTS(region_fetch_own) : FRAGMENTS(region_fetch));
}

// Regions are layers of the framebuffer: fragments are in the first of two.
static void own_layer(struct gpu_test *test)
{
	struct images images;
	if (!test->has_geometry)
		gpu_test_skip("no layers in fragment shaders");
	make_layers(test, &images, NULL, GENERAL, 2);
	render(test, &images);
	barrier(test, OUTPUT, COLOR_WRITE, IN_FRAGMENT, READ, BY_REGION);
	fetch(test, &images, test->fixed ? FRAGMENTS(region_layer_own) : FRAGMENTS(region_layer));
}

// The dependency out of the pass is by region, and with it the last layout transition.
static void out_of_pass(struct gpu_test *test)
{
	const VkSubpassDependency dependency = {
		0,    VK_SUBPASS_EXTERNAL,        OUTPUT, IN_FRAGMENT, COLOR_WRITE,
		READ, test->fixed ? 0 : BY_REGION};
	struct images images;
	make_images(test, &images, &dependency, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
	gpu_draw_general(test, &images.before);
	barrier(test, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
		0);
	render(test, &images);
	fetch(test, &images, FRAGMENTS(region_fetch));
}

// What other pixels fetch is overwritten.
static void overwritten(struct gpu_test *test)
{
	struct images images;
	make_images(test, &images, NULL, GENERAL);
	fetch(test, &images, FRAGMENTS(region_fetch));
	barrier(test, IN_FRAGMENT, 0, OUTPUT, 0, test->fixed ? 0 : BY_REGION);
	render(test, &images);
}

// A dependency by region and a whole one behind it order what is at all pixels.
static void chained(struct gpu_test *test)
{
	struct images images;
	make_images(test, &images, NULL, GENERAL);
	render(test, &images);
	barrier(test, OUTPUT, COLOR_WRITE, IN_FRAGMENT, READ, BY_REGION);
	barrier(test, IN_FRAGMENT, 0, IN_FRAGMENT, READ, test->fixed ? 0 : BY_REGION);
	fetch(test, &images, FRAGMENTS(region_fetch));
}

// ---- Buffers ------------------------------------------------------------------------------------

// Two draws of 8 x 8 pixels in one subpass; the barrier between them is by region, as it must be.
static void draw_both(struct gpu_test *test, const struct gpu_draw_pass *pass,
		      struct gpu_draw_shader first, struct gpu_draw_shader second,
		      VkDependencyFlags flags)
{
	struct gpu_draw_pipeline pipeline = {
		.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, region_area, sizeof region_area}, first},
		.shader_count = 2,
		.area = 8};
	if (!test->has_fragment_stores)
		gpu_test_skip("no stores in fragment shaders");
	gpu_draw_bind(test, pass, &pipeline);
	gpu_draw_begin(test, pass, (VkRect2D){.extent = {8, 8}});
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	barrier(test, IN_FRAGMENT, WRITE, IN_FRAGMENT, READ, flags);
	pipeline.shaders[1] = second;
	gpu_draw_bind(test, pass, &pipeline);
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

static void words_of_pixels(struct gpu_test *test)
{
	const VkSubpassDependency dependency = {0,     0,    IN_FRAGMENT, IN_FRAGMENT,
						WRITE, READ, BY_REGION};
	struct gpu_draw_pass pass = {.dependencies = &dependency, .dependency_count = 1};
	gpu_draw_pass_make(test, &pass);
	draw_both(test, &pass, FRAGMENTS(region_write),
		  test->fixed ? FRAGMENTS(region_own) : FRAGMENTS(region_read), BY_REGION);
}

// A barrier within a subpass of several views is for each of them.
static void words_of_views(struct gpu_test *test)
{
	const uint32_t views = 3;
	const VkRenderPassMultiviewCreateInfo multiview = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO,
		.subpassCount = 1,
		.pViewMasks = &views,
	};
	const VkSubpassDependency dependency = {0,
						0,
						IN_FRAGMENT,
						IN_FRAGMENT,
						WRITE,
						READ,
						BY_REGION | VK_DEPENDENCY_VIEW_LOCAL_BIT};
	const VkAttachmentDescription attachment = {
		.format = COLOR_FORMAT,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = VK_ATTACHMENT_STORE_OP_STORE,
		.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED,
		.finalLayout = GENERAL,
	};
	const VkAttachmentReference reference = {0, GENERAL};
	const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
					      .colorAttachmentCount = 1,
					      .pColorAttachments = &reference};
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.pNext = &multiview,
		.attachmentCount = 1,
		.pAttachments = &attachment,
		.subpassCount = 1,
		.pSubpasses = &subpass,
		.dependencyCount = 1,
		.pDependencies = &dependency,
	};
	struct gpu_draw_pass pass = {0};
	VkPhysicalDeviceProperties properties;
	vkGetPhysicalDeviceProperties(test->physical, &properties);
	if (!test->has_graphics || !test->has_multiview)
		gpu_test_skip("no views");
	if (properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU && properties.driverVersion == 1)
		gpu_test_skip("Mesa 22's lavapipe tells all fragments the first view's index");
	gpu_test_expect(vkCreateRenderPass(test->device, &info, NULL, &pass.handle),
			"vkCreateRenderPass");
	gpu_draw_keep(test, VK_OBJECT_TYPE_RENDER_PASS, (uint64_t)pass.handle);
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 2, VK_SAMPLE_COUNT_1_BIT, "target");
	pass.color.image = &image;
	pass.frame = gpu_draw_frame(test, pass.handle, &image.view, 1, 1);
	draw_both(test, &pass, FRAGMENTS(pixel_view_store),
		  test->fixed ? FRAGMENTS(pixel_view_own) : FRAGMENTS(pixel_view_other),
		  BY_REGION | VK_DEPENDENCY_VIEW_LOCAL_BIT);
}

// ---- Samples ------------------------------------------------------------------------------------

#define AREA 8u // pixels of draws each way

// Behind a barrier by region fragments of single samples read the own one of what was drawn before,
// or the next one.
static void read_samples(struct gpu_test *test, VkSubpassDescriptionFlags flags, bool own)
{
	const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
					 .srcAccessMask = COLOR_WRITE,
					 .dstAccessMask = VK_ACCESS_INPUT_ATTACHMENT_READ_BIT};
	const VkSubpassDependency itself = {
		0,        0, OUTPUT, IN_FRAGMENT, COLOR_WRITE, VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
		BY_REGION};
	const struct gpu_draw_shader area = {VK_SHADER_STAGE_VERTEX_BIT, region_area,
					     sizeof region_area};
	struct gpu_draw_pipeline pipeline = {.shaders = {area, FRAGMENTS(region_other_sample)},
					     .shader_count = 2,
					     .leaves_color = true,
					     .area = AREA};
	if (!test->has_graphics || !test->has_sample_shading)
		gpu_test_skip("no fragments of samples");
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_4_BIT, "target");
	struct gpu_draw_pass pass = {.color = {&image, VK_ATTACHMENT_LOAD_OP_LOAD,
					       VK_ATTACHMENT_STORE_OP_STORE, GENERAL, GENERAL,
					       GENERAL},
				     .dependencies = &itself,
				     .dependency_count = 1,
				     .flags = flags,
				     .reads = true};
	if (own)
		pipeline.shaders[1] = FRAGMENTS(region_own_sample);
	pipeline.set =
		gpu_draw_set(test, &image, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, &pipeline.layout);
	gpu_draw_general(test, &image);
	gpu_draw_pass_make(test, &pass);
	gpu_draw_bind(test, &pass, &(struct gpu_draw_pipeline){.area = AREA});
	gpu_draw_begin(test, &pass, gpu_draw_all());
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdPipelineBarrier(test->commands, OUTPUT, IN_FRAGMENT, BY_REGION, 1, &barrier, 0, NULL,
			     0, NULL);
	gpu_draw_bind(test, &pass, &pipeline);
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

static void region_samples(struct gpu_test *test)
{
	read_samples(test, 0, test->fixed);
}

// Regions of a subpass may be said to be whole fragments.
static void region_fragments(struct gpu_test *test)
{
	read_samples(test, test->fixed ? VK_SUBPASS_DESCRIPTION_FRAGMENT_REGION_BIT_QCOM : 0,
		     false);
}

const struct gpu_twin gpu_region_twins[] = {
	{"region_fetched", fetched, 0},
	{"region_fetched_twice", fetched_twice, 0},
	{"region_own_texel", own_texel, 0},
	{"region_own_layer", own_layer, 0},
	{"region_out_of_pass", out_of_pass, 0},
	{"region_overwritten", overwritten, 0},
	{"region_chained", chained, 0},
	{"region_words", words_of_pixels, 0},
	{"region_views", words_of_views, 0},
	{"region_samples", region_samples, 0},
	{"region_fragments", region_fragments, 0},
	{NULL, NULL, 0},
};
