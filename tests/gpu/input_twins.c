// SPDX-License-Identifier: Apache-2.0
// Twins of input attachments: what one subpass renders, the next one's fragments read. Knows
// nothing of what is to be reported.
#include "gpu_draw.h"
#include "twins.h"

#include "fetch_attachment.spv.h"
#include "fetch_next.spv.h"
#include "input_area.spv.h"
#include "read_attachment.spv.h"
#include "sample_around.spv.h"
#include "sample_beside.spv.h"
#include "sample_implicit.spv.h"

#define OUTPUT       VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT
#define IN_FRAGMENT  VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT
#define COLOR_READ   VK_ACCESS_COLOR_ATTACHMENT_READ_BIT
#define GENERAL      VK_IMAGE_LAYOUT_GENERAL
#define COLOR_FORMAT VK_FORMAT_R8G8B8A8_UNORM

static VkAttachmentDescription described(VkAttachmentStoreOp store)
{
	return (VkAttachmentDescription){
		.format = COLOR_FORMAT,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
		.storeOp = store,
		.finalLayout = GENERAL,
	};
}

// The first subpass renders to the first attachment, which the second one reads as input.
static VkRenderPass make_pass(struct gpu_test *test, const VkSubpassDependency *dependencies,
			      uint32_t dependency_count)
{
	const VkAttachmentDescription attachments[2] = {described(VK_ATTACHMENT_STORE_OP_DONT_CARE),
							described(VK_ATTACHMENT_STORE_OP_STORE)};
	const VkAttachmentReference between = {0, GENERAL}, last = {1, GENERAL};
	const VkSubpassDescription subpasses[2] = {
		{.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
		 .colorAttachmentCount = 1,
		 .pColorAttachments = &between},
		{.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
		 .inputAttachmentCount = 1,
		 .pInputAttachments = &between,
		 .colorAttachmentCount = 1,
		 .pColorAttachments = &last}};
	const VkRenderPassCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.attachmentCount = 2,
		.pAttachments = attachments,
		.subpassCount = 2,
		.pSubpasses = subpasses,
		.dependencyCount = dependency_count,
		.pDependencies = dependencies,
	};
	VkRenderPass pass;
	if (!test->has_graphics)
		gpu_test_skip("no graphics queue");
	gpu_test_expect(vkCreateRenderPass(test->device, &info, NULL, &pass), "vkCreateRenderPass");
	gpu_draw_keep(test, VK_OBJECT_TYPE_RENDER_PASS, (uint64_t)pass);
	return pass;
}

static void begin_pass(struct gpu_test *test, const struct gpu_draw_pass *pass)
{
	const VkClearValue clear[2] = {{.color = {.float32 = {0, 0, 0, 1}}}};
	const VkRenderPassBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = pass->handle,
		.framebuffer = pass->frame,
		.renderArea = gpu_draw_all(),
		.clearValueCount = 2,
		.pClearValues = clear,
	};
	vkCmdBeginRenderPass(test->commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
}

// Two draws, one a subpass.
static void draw_and_read(struct gpu_test *test, const VkSubpassDependency *dependencies,
			  uint32_t dependency_count)
{
	const struct gpu_draw_image images[2] = {
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "between"),
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "last")};
	struct gpu_draw_pass pass = {.color = {.image = &images[0]}};
	VkPipelineLayout layout;
	pass.handle = make_pass(test, dependencies, dependency_count);
	pass.frame = gpu_draw_frame(test, pass.handle,
				    (const VkImageView[]){images[0].view, images[1].view}, 2, 1);
	const VkDescriptorSet set =
		gpu_draw_set(test, &images[0], VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, &layout);
	begin_pass(test, &pass);
	gpu_draw_bind(test, &pass, &(struct gpu_draw_pipeline){.blends = false});
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdNextSubpass(test->commands, VK_SUBPASS_CONTENTS_INLINE);
	pass.subpass = 1;
	gpu_draw_bind(
		test, &pass,
		&(struct gpu_draw_pipeline){
			.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, input_area, sizeof input_area},
				    {VK_SHADER_STAGE_FRAGMENT_BIT, read_attachment,
				     sizeof read_attachment}},
			.shader_count = 2,
			.layout = layout,
			.set = set});
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

static VkSubpassDependency to_input(VkAccessFlags access)
{
	return (VkSubpassDependency){0,
				     1,
				     OUTPUT,
				     VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
				     VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
				     access,
				     VK_DEPENDENCY_BY_REGION_BIT};
}

// An input attachment is not read by SHADER_READ.
static void input_access(struct gpu_test *test)
{
	const VkSubpassDependency dependency =
		to_input(test->fixed ? VK_ACCESS_INPUT_ATTACHMENT_READ_BIT : READ);
	draw_and_read(test, &dependency, 1);
}

// Subpasses are in no order without a dependency.
static void input_unordered(struct gpu_test *test)
{
	const VkSubpassDependency dependency = to_input(VK_ACCESS_INPUT_ATTACHMENT_READ_BIT);
	draw_and_read(test, &dependency, test->fixed);
}

// Makes the pass, and draws over all of it with fragments that read the image.
static void draw_reading(struct gpu_test *test, struct gpu_draw_pass *pass,
			 const struct gpu_draw_image *image, VkDescriptorType type,
			 const uint32_t *fragment, size_t bytes)
{
	VkPipelineLayout layout;
	gpu_draw_pass_make(test, pass);
	const VkDescriptorSet set = gpu_draw_set(test, image, type, &layout);
	gpu_draw_bind(
		test, pass,
		&(struct gpu_draw_pipeline){
			.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, input_area, sizeof input_area},
				    {VK_SHADER_STAGE_FRAGMENT_BIT, fragment, bytes}},
			.shader_count = 2,
			.layout = layout,
			.set = set});
	gpu_draw_begin(test, pass, gpu_draw_all());
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

// An attachment is sampled while it is rendered to, or another image is.
static void sampled_attachment(struct gpu_test *test)
{
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "target");
	const struct gpu_draw_image other =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "other");
	struct gpu_draw_pass pass = {.color = {&image, VK_ATTACHMENT_LOAD_OP_CLEAR,
					       VK_ATTACHMENT_STORE_OP_STORE, GENERAL, GENERAL,
					       GENERAL}};
	gpu_draw_general(test, &image);
	gpu_draw_general(test, &other);
	draw_reading(test, &pass, test->fixed ? &other : &image, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
		     fetch_attachment, sizeof fetch_attachment);
}

// Of each row all texels but the first one are fetched, by the fragment before. A copy behind the
// draw writes one that is, or one that is not.
static void sampled_texel(struct gpu_test *test)
{
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "texels");
	const VkBufferImageCopy one = {
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageOffset = {test->fixed ? 0 : 63, 5, 0},
		.imageExtent = {1, 1, 1},
	};
	struct gpu_draw_pass pass = {0};
	gpu_draw_general(test, &image);
	draw_reading(test, &pass, &image, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, fetch_next,
		     sizeof fetch_next);
	vkCmdCopyBufferToImage(test->commands, test->data.handle, image.handle, GENERAL, 1, &one);
}

// Samples beside the one whose coordinates are logged: of the right half and of the lower half. A
// copy behind the draw writes a texel of each, or of what is in both.
static void sampled_beside(struct gpu_test *test)
{
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "texels");
	const VkBufferImageCopy ones[2] = {
		{.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		 .imageOffset = {40, test->fixed ? 40 : 7, 0},
		 .imageExtent = {1, 1, 1}},
		{.bufferOffset = 16,
		 .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		 .imageOffset = {test->fixed ? 41 : 7, 40, 0},
		 .imageExtent = {1, 1, 1}},
	};
	struct gpu_draw_pass pass = {0};
	gpu_draw_general(test, &image);
	draw_reading(test, &pass, &image, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, sample_beside,
		     sizeof sample_beside);
	vkCmdCopyBufferToImage(test->commands, test->data.handle, image.handle, GENERAL, 2, ones);
}

// Draws with samples of the left of an image around each fragment.
static void draw_around(struct gpu_test *test, const struct gpu_draw_image *image)
{
	struct gpu_draw_pass pass = {0};
	draw_reading(test, &pass, image, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, sample_around,
		     sizeof sample_around);
}

static void copy_texel(struct gpu_test *test, const struct gpu_draw_image *image, int32_t x)
{
	const VkBufferImageCopy one = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
				       .imageOffset = {x, 5, 0},
				       .imageExtent = {1, 1, 1}};
	vkCmdCopyBufferToImage(test->commands, test->data.handle, image->handle, GENERAL, 1, &one);
}

// A texel that many fragments sample, or none.
static void sampled_around(struct gpu_test *test)
{
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "texels");
	gpu_draw_general(test, &image);
	draw_around(test, &image);
	copy_texel(test, &image, test->fixed ? 60 : 10);
}

// Draws again once a texel was written.
static void draw_once_more(struct gpu_test *test, const struct gpu_draw_image *image, int32_t x)
{
	gpu_test_barrier(test, IN_FRAGMENT, 0, VK_PIPELINE_STAGE_TRANSFER_BIT,
			 VK_ACCESS_TRANSFER_WRITE_BIT);
	copy_texel(test, image, x);
	if (test->fixed)
		gpu_test_barrier(test, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
				 IN_FRAGMENT, READ);
	draw_around(test, image);
}

// A texel that one draw samples is read by another one, too.
static void sampled_again(struct gpu_test *test)
{
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "texels");
	gpu_draw_general(test, &image);
	draw_around(test, &image);
	draw_once_more(test, &image, 10);
}

// After a draw that races, others race on more.
static void sampled_on(struct gpu_test *test)
{
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "texels");
	gpu_draw_general(test, &image);
	for (int32_t x = 10; x < 14; x++)
		draw_once_more(test, &image, x);
}

// What is sampled again when the commands are executed again is read again.
static void sampled_twice(struct gpu_test *test)
{
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "texels");
	gpu_draw_general(test, &image);
	gpu_test_submit(test, 1);
	if (test->fixed)
		gpu_test_barrier(test, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
				 IN_FRAGMENT, READ);
	draw_around(test, &image);
	gpu_test_barrier(test, IN_FRAGMENT | VK_PIPELINE_STAGE_TRANSFER_BIT,
			 VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
			 VK_ACCESS_TRANSFER_WRITE_BIT);
	copy_texel(test, &image, 10);
	gpu_test_submit(test, 2);
}

// Which texels an anisotropic sample reads is the driver's affair. All draws do the same; the last
// one is not ordered before the copy.
static void draw_anisotropic(struct gpu_test *test, uint32_t draws)
{
	struct gpu_draw_pass pass = {0};
	VkPipelineLayout layout;
	if (!test->has_anisotropy)
		gpu_test_skip("no anisotropic samples");
	const struct gpu_draw_image image =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "texels");
	gpu_draw_general(test, &image);
	gpu_draw_pass_make(test, &pass);
	const VkDescriptorSet set =
		gpu_draw_set(test, &image, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, &layout);
	gpu_draw_set_anisotropic(test, set, &image);
	gpu_draw_bind(
		test, &pass,
		&(struct gpu_draw_pipeline){
			.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, input_area, sizeof input_area},
				    {VK_SHADER_STAGE_FRAGMENT_BIT, sample_implicit,
				     sizeof sample_implicit}},
			.shader_count = 2,
			.layout = layout,
			.set = set});
	for (uint32_t draw = 0; draw < draws; draw++) {
		gpu_test_barrier(test, IN_FRAGMENT, READ,
				 IN_FRAGMENT | VK_PIPELINE_STAGE_TRANSFER_BIT, READ);
		gpu_draw_begin(test, &pass, gpu_draw_all());
		vkCmdDraw(test->commands, 3, 1, 0, 0);
		vkCmdEndRenderPass(test->commands);
	}
	if (test->fixed)
		gpu_test_barrier(test, IN_FRAGMENT, READ, VK_PIPELINE_STAGE_TRANSFER_BIT,
				 VK_ACCESS_TRANSFER_WRITE_BIT);
	copy_texel(test, &image, 10);
}

static void sampled_anisotropic(struct gpu_test *test)
{
	draw_anisotropic(test, 1);
}

static void sampled_anisotropic_again(struct gpu_test *test)
{
	draw_anisotropic(test, 4);
}

// What no load operation reads, a resolve does at the end of the subpass: behind the barriers in
// it.
static void resolve_behind_barrier(struct gpu_test *test)
{
	const VkSubpassDependency dependencies[2] = {
		{VK_SUBPASS_EXTERNAL, 0, VK_PIPELINE_STAGE_TRANSFER_BIT, IN_FRAGMENT,
		 VK_ACCESS_TRANSFER_WRITE_BIT, READ, 0},
		{0, 0, IN_FRAGMENT, OUTPUT, 0, COLOR_READ, VK_DEPENDENCY_BY_REGION_BIT}};
	const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
					 .dstAccessMask = COLOR_READ};
	const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	const VkClearColorValue color = {.float32 = {0}};
	if (!test->has_load_none)
		gpu_test_skip("no load operation that does nothing");
	const struct gpu_draw_image many =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_4_BIT, "samples");
	const struct gpu_draw_image one =
		gpu_draw_image(test, COLOR_FORMAT, 1, VK_SAMPLE_COUNT_1_BIT, "resolved");
	struct gpu_draw_pass pass = {
		.color = {&many, VK_ATTACHMENT_LOAD_OP_NONE_EXT, VK_ATTACHMENT_STORE_OP_NONE,
			  GENERAL, GENERAL, GENERAL},
		.resolve = {&one, VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_STORE,
			    GENERAL, GENERAL, GENERAL},
		.dependencies = dependencies,
		.dependency_count = 2};
	gpu_draw_general(test, &many);
	gpu_draw_general(test, &one);
	gpu_draw_pass_make(test, &pass);
	vkCmdClearColorImage(test->commands, many.handle, GENERAL, &color, 1, &all);
	gpu_draw_begin(test, &pass, gpu_draw_all());
	if (test->fixed)
		vkCmdPipelineBarrier(test->commands, IN_FRAGMENT, OUTPUT,
				     VK_DEPENDENCY_BY_REGION_BIT, 1, &barrier, 0, NULL, 0, NULL);
	vkCmdEndRenderPass(test->commands);
}

const struct gpu_twin gpu_input_twins[] = {
	{"input_access", input_access, 0},
	{"input_unordered", input_unordered, 0},
	{"sampled_again", sampled_again, 0},
	{"sampled_anisotropic", sampled_anisotropic, 0},
	{"sampled_anisotropic_again", sampled_anisotropic_again, 0},
	{"sampled_around", sampled_around, 0},
	{"sampled_attachment", sampled_attachment, 0},
	{"sampled_beside", sampled_beside, 0},
	{"sampled_on", sampled_on, 0},
	{"sampled_texel", sampled_texel, 0},
	{"sampled_twice", sampled_twice, 0},
	{"resolve_behind_barrier", resolve_behind_barrier, 0},
	{NULL, NULL, 0},
};
