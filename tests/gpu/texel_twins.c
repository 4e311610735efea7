// SPDX-License-Identifier: Apache-2.0
// Twins of images and texel buffers in compute shaders. Knows nothing of what is to be reported.
#include "gpu_texels.h"
#include "twins.h"

#define BARRIER(from_stage, from, to_stage, to)                                                    \
	gpu_test_barrier(test, from_stage, from, to_stage, to)

// One kernel, as it should be or not.
static void one_kernel(struct gpu_test *test, const char *race, const char *fixed)
{
	struct gpu_texels texels;
	gpu_texels_init(&texels, test);
	gpu_texels_dispatch(&texels, test, test->fixed ? fixed : race, 2);
	gpu_texels_finish(&texels, test);
}

// A texel that one workgroup writes is read by another, or only its neighbours are.
static void image_exchange(struct gpu_test *test)
{
	one_kernel(test, "image_exchange_race", "image_exchange_fixed");
}

// Texels that follow from the sizes of images, from quotients of floats and from a loop, in
// functions that are called: what one workgroup writes is read by another, or another row is.
static void image_blurred(struct gpu_test *test)
{
	one_kernel(test, "image_blurred_race", "image_blurred_fixed");
}

// Texels that follow from square roots, bounds and mixtures of floats.
static void image_curved(struct gpu_test *test)
{
	one_kernel(test, "image_curved_race", "image_curved_fixed");
}

// An atomic and a store to one texel; atomics alone.
static void image_count(struct gpu_test *test)
{
	one_kernel(test, "image_count_race", "image_count_fixed");
}

// The image, and the sampler, that a function is given by several callers.
static void chosen_image(struct gpu_test *test)
{
	one_kernel(test, "chosen_image_race", "chosen_image_fixed");
}

static void chosen_sampler(struct gpu_test *test)
{
	one_kernel(test, "chosen_sampler_race", "chosen_sampler_fixed");
}

// Levels and layers are apart; two descriptors of one level are not.
static void image_parts(struct gpu_test *test)
{
	one_kernel(test, "image_parts_race", "image_layers_fixed");
}

static void image_levels(struct gpu_test *test)
{
	one_kernel(test, "image_parts_race", "image_levels_fixed");
}

// Written by one dispatch, sampled by the next, and no barrier in between.
static void image_sampled(struct gpu_test *test)
{
	struct gpu_texels texels;
	gpu_texels_init(&texels, test);
	gpu_texels_dispatch(&texels, test, "image_store", 2);
	if (test->fixed)
		BARRIER(COMPUTE, WRITE, COMPUTE, READ);
	gpu_texels_dispatch(&texels, test, "image_sample", 2);
	gpu_texels_finish(&texels, test);
}

// Workgroups that are tiles, some of them beyond the image: written by one dispatch, read at other
// places by the next.
static void image_tiles(struct gpu_test *test)
{
	struct gpu_texels texels;
	gpu_texels_init(&texels, test);
	gpu_texels_dispatch_rows(&texels, test, "tiles_store", 5, 5);
	if (test->fixed)
		BARRIER(COMPUTE, WRITE, COMPUTE, READ);
	gpu_texels_dispatch_rows(&texels, test, "tiles_read", 4, 4);
	gpu_texels_finish(&texels, test);
}

// Beside a dependency by region, which orders nothing here: what is found, and how often, is the
// same.
static void image_tiles_region(struct gpu_test *test)
{
	const VkPipelineStageFlags output = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
	if (!test->has_graphics)
		gpu_test_skip("no graphics");
	vkCmdPipelineBarrier(test->commands, output, output, VK_DEPENDENCY_BY_REGION_BIT, 0, NULL,
			     0, NULL, 0, NULL);
	image_tiles(test);
}

// All tiles are whole, and no two differ but in where they are: the last row is written later.
static void image_tiles_whole(struct gpu_test *test)
{
	struct gpu_texels texels;
	gpu_texels_init(&texels, test);
	gpu_texels_dispatch_rows(&texels, test, "tiles_whole", 4, 4);
	if (test->fixed)
		BARRIER(COMPUTE, READ, COMPUTE, WRITE);
	gpu_texels_dispatch(&texels, test, "image_store_last", 1);
	gpu_texels_finish(&texels, test);
}

// Several invocations of the last tile in each row write one texel.
static void image_tiles_shared(struct gpu_test *test)
{
	struct gpu_texels texels;
	gpu_texels_init(&texels, test);
	gpu_texels_dispatch_rows(&texels, test, test->fixed ? "tiles_store" : "tiles_store_twice",
				 5, 5);
	gpu_texels_finish(&texels, test);
}

// Which of its neighbours a sample between texels reads is the driver's affair: without the barrier
// there may be a race.
static void image_doubt(struct gpu_test *test)
{
	struct gpu_texels texels;
	gpu_texels_init(&texels, test);
	gpu_texels_dispatch(&texels, test, "image_store", 2);
	if (test->fixed)
		BARRIER(COMPUTE, WRITE, COMPUTE, READ);
	gpu_texels_dispatch(&texels, test, "image_sample_between", 2);
	gpu_texels_finish(&texels, test);
}

// Layer 0 is stored to, and layer 0 or 1 sampled.
static void image_layer(struct gpu_test *test)
{
	struct gpu_texels texels;
	gpu_texels_init(&texels, test);
	const VkImageViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = texels.image,
		.viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
		.format = VK_FORMAT_R32_UINT,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 2},
	};
	VkDescriptorImageInfo layers = {texels.sampler, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_GENERAL};
	gpu_test_expect(vkCreateImageView(test->device, &info, NULL, &layers.imageView),
			"vkCreateImageView");
	const VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = texels.set,
		.dstBinding = 3,
		.descriptorCount = 1,
		.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		.pImageInfo = &layers,
	};
	vkUpdateDescriptorSets(test->device, 1, &write, 0, NULL);
	gpu_texels_dispatch(&texels, test, "image_store", 2);
	gpu_texels_dispatch(&texels, test, test->fixed ? "image_layer_fixed" : "image_layer_race",
			    2);
	gpu_texels_finish(&texels, test);
	vkDestroyImageView(test->device, layers.imageView, NULL);
}

// The barrier makes the stores visible to stores only.
static void image_access(struct gpu_test *test)
{
	struct gpu_texels texels;
	gpu_texels_init(&texels, test);
	gpu_texels_dispatch(&texels, test, "image_store", 2);
	BARRIER(COMPUTE, WRITE, COMPUTE, test->fixed ? READ : WRITE);
	gpu_texels_dispatch(&texels, test, "image_sample", 2);
	gpu_texels_finish(&texels, test);
}

// The upload is ordered before another stage than the one that samples.
static void image_upload(struct gpu_test *test)
{
	const VkBufferImageCopy region = {
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageExtent = {16, 16, 1},
	};
	struct gpu_texels texels;
	if (!test->has_graphics)
		gpu_test_skip("no graphics queue");
	gpu_texels_init(&texels, test);
	vkCmdCopyBufferToImage(test->commands, texels.words, texels.image, VK_IMAGE_LAYOUT_GENERAL,
			       1, &region);
	BARRIER(TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT,
		test->fixed ? COMPUTE : VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, READ);
	gpu_texels_dispatch(&texels, test, "image_sample", 2);
	gpu_texels_finish(&texels, test);
}

// Uniform texel buffers are read as sampled images are, not as uniform buffers.
static void texel_access(struct gpu_test *test)
{
	const VkMemoryBarrier2 barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
		.srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
		.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT,
		.dstStageMask = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
		.dstAccessMask = test->fixed ? VK_ACCESS_2_SHADER_SAMPLED_READ_BIT
					     : VK_ACCESS_2_UNIFORM_READ_BIT,
	};
	const VkDependencyInfo dependency = {
		.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
		.memoryBarrierCount = 1,
		.pMemoryBarriers = &barrier,
	};
	struct gpu_texels texels;
	if (!test->has_synchronization2)
		gpu_test_skip("no synchronization2");
	gpu_texels_init(&texels, test);
	vkCmdFillBuffer(test->commands, texels.words, 0, VK_WHOLE_SIZE, 7);
	vkCmdPipelineBarrier2(test->commands, &dependency);
	gpu_texels_dispatch(&texels, test, "read_texels", 2);
	gpu_texels_finish(&texels, test);
}

// Lists whose heads are in an image and whose nodes are in a buffer: the barrier covers the heads.
static void list_nodes(struct gpu_test *test)
{
	struct gpu_texels texels;
	gpu_texels_init(&texels, test);
	const VkImageMemoryBarrier heads = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = WRITE,
		.dstAccessMask = READ,
		.oldLayout = VK_IMAGE_LAYOUT_GENERAL,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = texels.image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 2, 0, 2},
	};
	gpu_texels_dispatch(&texels, test, "list_link", 2);
	if (test->fixed)
		BARRIER(COMPUTE, WRITE, COMPUTE, READ);
	else
		vkCmdPipelineBarrier(test->commands, COMPUTE, COMPUTE, 0, 0, NULL, 0, NULL, 1,
				     &heads);
	gpu_texels_dispatch(&texels, test, "list_walk", 2);
	gpu_texels_finish(&texels, test);
}

const struct gpu_twin gpu_texel_twins[] = {
	{"image_exchange", image_exchange, 0},
	{"image_blurred", image_blurred, 0},
	{"image_count", image_count, 0},
	{"chosen_image", chosen_image, 0},
	{"chosen_sampler", chosen_sampler, 0},
	{"image_parts", image_parts, 0},
	{"image_curved", image_curved, 0},
	{"image_levels", image_levels, 0},
	{"image_sampled", image_sampled, 0},
	{"image_tiles", image_tiles, 0},
	{"image_tiles_region", image_tiles_region, 0},
	{"image_tiles_shared", image_tiles_shared, 0},
	{"image_tiles_whole", image_tiles_whole, 0},
	{"image_access", image_access, 0},
	{"image_layer", image_layer, 0},
	{"image_doubt", image_doubt, 0},
	{"image_upload", image_upload, 0},
	{"texel_access", texel_access, 0},
	{"list_nodes", list_nodes, 0},
	{NULL, NULL, 0},
};
