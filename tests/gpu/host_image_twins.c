// SPDX-License-Identifier: Apache-2.0
// Twins of what the host does to images without a queue. Knows nothing of what is to be reported.
#include "twins.h"

#ifdef VK_EXT_host_image_copy
#define SIDE    16u // texels of 4 bytes
#define GENERAL VK_IMAGE_LAYOUT_GENERAL
#define HOST    VK_PIPELINE_STAGE_HOST_BIT

struct host_images {
	VkImage handles[2];
	VkDeviceMemory memory;
	PFN_vkCopyMemoryToImageEXT copy_in;
	PFN_vkCopyImageToMemoryEXT copy_out;
	PFN_vkCopyImageToImageEXT copy;
	PFN_vkTransitionImageLayoutEXT transition;
	uint32_t texels[SIDE * SIDE];
};

static void move(struct gpu_test *test, struct host_images *images, uint32_t image,
		 VkImageLayout from, VkImageLayout to)
{
	const VkHostImageLayoutTransitionInfoEXT transition = {
		.sType = VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO_EXT,
		.image = images->handles[image],
		.oldLayout = from,
		.newLayout = to,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	gpu_test_expect(images->transition(test->device, 1, &transition),
			"vkTransitionImageLayoutEXT");
}

// Two images in one memory, moved to layout GENERAL by the host.
static void make_images(struct gpu_test *test, struct host_images *images)
{
	if (!test->has_host_copies)
		gpu_test_skip("no host image copies");
	images->copy_in = (PFN_vkCopyMemoryToImageEXT)vkGetDeviceProcAddr(test->device,
									  "vkCopyMemoryToImageEXT");
	images->copy_out = (PFN_vkCopyImageToMemoryEXT)vkGetDeviceProcAddr(
		test->device, "vkCopyImageToMemoryEXT");
	images->copy = (PFN_vkCopyImageToImageEXT)vkGetDeviceProcAddr(test->device,
								      "vkCopyImageToImageEXT");
	images->transition = (PFN_vkTransitionImageLayoutEXT)vkGetDeviceProcAddr(
		test->device, "vkTransitionImageLayoutEXT");
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = {SIDE, SIDE, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
			 VK_IMAGE_USAGE_HOST_TRANSFER_BIT_EXT,
	};
	VkMemoryRequirements needs;
	for (uint32_t i = 0; i < 2; i++)
		gpu_test_expect(vkCreateImage(test->device, &info, NULL, &images->handles[i]),
				"vkCreateImage");
	vkGetImageMemoryRequirements(test->device, images->handles[0], &needs);
	const VkDeviceSize second =
		(needs.size + needs.alignment - 1) / needs.alignment * needs.alignment;
	needs.size += second;
	images->memory = gpu_test_allocate(test, &needs, NULL);
	for (uint32_t i = 0; i < 2; i++) {
		gpu_test_expect(vkBindImageMemory(test->device, images->handles[i], images->memory,
						  i * second),
				"vkBindImageMemory");
		gpu_test_name(test, VK_OBJECT_TYPE_IMAGE, (uint64_t)images->handles[i],
			      i ? "other" : "image");
		move(test, images, i, VK_IMAGE_LAYOUT_UNDEFINED, GENERAL);
	}
}

static void destroy_images(struct gpu_test *test, struct host_images *images)
{
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	for (uint32_t i = 0; i < 2; i++)
		vkDestroyImage(test->device, images->handles[i], NULL);
	vkFreeMemory(test->device, images->memory, NULL);
}

// The host writes rows of the first image.
static void host_write(struct gpu_test *test, struct host_images *images, int32_t row,
		       uint32_t rows)
{
	const VkMemoryToImageCopyEXT region = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY_EXT,
		.pHostPointer = images->texels,
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageOffset = {0, row, 0},
		.imageExtent = {SIDE, rows, 1},
	};
	const VkCopyMemoryToImageInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO_EXT,
		.dstImage = images->handles[0],
		.dstImageLayout = GENERAL,
		.regionCount = 1,
		.pRegions = &region,
	};
	gpu_test_expect(images->copy_in(test->device, &info), "vkCopyMemoryToImageEXT");
}

static void host_read(struct gpu_test *test, struct host_images *images)
{
	const VkImageToMemoryCopyEXT region = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY_EXT,
		.pHostPointer = images->texels,
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageExtent = {SIDE, SIDE, 1},
	};
	const VkCopyImageToMemoryInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO_EXT,
		.srcImage = images->handles[0],
		.srcImageLayout = GENERAL,
		.regionCount = 1,
		.pRegions = &region,
	};
	gpu_test_expect(images->copy_out(test->device, &info), "vkCopyImageToMemoryEXT");
}

static VkBufferImageCopy all_texels(void)
{
	return (VkBufferImageCopy){
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageExtent = {SIDE, SIDE, 1},
	};
}

static void device_write(struct gpu_test *test, struct host_images *images)
{
	const VkBufferImageCopy region = all_texels();
	vkCmdCopyBufferToImage(test->commands, test->data.handle, images->handles[0], GENERAL, 1,
			       &region);
}

static void device_read(struct gpu_test *test, struct host_images *images, uint32_t rows)
{
	VkBufferImageCopy region = all_texels();
	region.imageExtent.height = rows;
	vkCmdCopyImageToBuffer(test->commands, images->handles[0], GENERAL, test->result.handle, 1,
			       &region);
}

// What the host wrote before a submission needs no barrier; behind it, the device may still read.
static void host_image_late(struct gpu_test *test)
{
	struct host_images images = {0};
	make_images(test, &images);
	host_write(test, &images, 0, SIDE);
	device_read(test, &images, SIDE);
	VkFence fence = gpu_test_submit_fence(test);
	if (test->fixed)
		gpu_test_wait(test, fence);
	host_write(test, &images, 0, SIDE);
	if (!test->fixed)
		gpu_test_wait(test, fence);
	destroy_images(test, &images);
}

// The device reads the first rows, while the host writes from a row on.
static void host_image_rows(struct gpu_test *test)
{
	struct host_images images = {0};
	make_images(test, &images);
	host_write(test, &images, 0, SIDE);
	device_read(test, &images, 5);
	VkFence fence = gpu_test_submit_fence(test);
	host_write(test, &images, test->fixed ? 5 : 4, 3);
	gpu_test_wait(test, fence);
	destroy_images(test, &images);
}

// A fence alone does not bring the device's writes to the host.
static void host_image_read_back(struct gpu_test *test)
{
	struct host_images images = {0};
	make_images(test, &images);
	device_write(test, &images);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, HOST,
				 VK_ACCESS_HOST_READ_BIT);
	gpu_test_wait(test, gpu_test_submit_fence(test));
	host_read(test, &images);
	destroy_images(test, &images);
}

// A transition of what the device still reads.
static void host_image_moved(struct gpu_test *test)
{
	struct host_images images = {0};
	make_images(test, &images);
	device_read(test, &images, SIDE);
	VkFence fence = gpu_test_submit_fence(test);
	if (test->fixed)
		gpu_test_wait(test, fence);
	move(test, &images, 0, GENERAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
	if (!test->fixed)
		gpu_test_wait(test, fence);
	destroy_images(test, &images);
}

// The host copies what the device has not handed over: the other image's texels are its own.
static void host_image_copied(struct gpu_test *test)
{
	struct host_images images = {0};
	make_images(test, &images);
	device_write(test, &images);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT,
			 test->fixed ? HOST : TRANSFER,
			 test->fixed ? VK_ACCESS_HOST_READ_BIT : VK_ACCESS_TRANSFER_READ_BIT);
	gpu_test_wait(test, gpu_test_submit_fence(test));
	const VkImageCopy2 region = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_COPY_2,
		.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.srcOffset = {0, 4, 0},
		.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.extent = {SIDE, 2, 1},
	};
	const VkCopyImageToImageInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_COPY_IMAGE_TO_IMAGE_INFO_EXT,
		.srcImage = images.handles[0],
		.srcImageLayout = GENERAL,
		.dstImage = images.handles[1],
		.dstImageLayout = GENERAL,
		.regionCount = 1,
		.pRegions = &region,
	};
	gpu_test_expect(images.copy(test->device, &info), "vkCopyImageToImageEXT");
	destroy_images(test, &images);
}

const struct gpu_twin gpu_host_image_twins[] = {{"host_image_late", host_image_late, 0},
						{"host_image_rows", host_image_rows, 0},
						{"host_image_read_back", host_image_read_back, 0},
						{"host_image_moved", host_image_moved, 0},
						{"host_image_copied", host_image_copied, 0},
						{NULL, NULL, 0}};
#else
static void skipped(struct gpu_test *test)
{
	(void)test;
	gpu_test_skip("headers without host image copies");
}

const struct gpu_twin gpu_host_image_twins[] = {
	{"host_image_late", skipped, 0},      {"host_image_rows", skipped, 0},
	{"host_image_read_back", skipped, 0}, {"host_image_moved", skipped, 0},
	{"host_image_copied", skipped, 0},    {NULL, NULL, 0}};
#endif
