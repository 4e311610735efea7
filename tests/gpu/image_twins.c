// SPDX-License-Identifier: Apache-2.0
// Twins of transfers of images and of barriers between them. Knows nothing of what is to be
// reported.
#include "twins.h"

#define SIDE           16u // texels
#define TRANSFER_READ  VK_ACCESS_TRANSFER_READ_BIT
#define TRANSFER_WRITE VK_ACCESS_TRANSFER_WRITE_BIT
#define TOP            VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT
#define UNDEFINED      VK_IMAGE_LAYOUT_UNDEFINED
#define GENERAL        VK_IMAGE_LAYOUT_GENERAL
#define TO_READ        VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL
#define TO_WRITE       VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL

struct made_image {
	VkImage handle;
	VkDeviceMemory memory;
	VkDeviceSize bytes;
};

static VkImageCreateInfo image_info(uint32_t mips, uint32_t layers)
{
	return (VkImageCreateInfo){
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = {SIDE, SIDE, 1},
		.mipLevels = mips,
		.arrayLayers = layers,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
}

// An image with memory of its own, named.
static struct made_image make_image(struct gpu_test *test, const VkImageCreateInfo *info,
				    const char *name)
{
	struct made_image made;
	VkMemoryRequirements needs;
	gpu_test_expect(vkCreateImage(test->device, info, NULL, &made.handle), "vkCreateImage");
	vkGetImageMemoryRequirements(test->device, made.handle, &needs);
	made.bytes = needs.size;
	made.memory = gpu_test_allocate(test, &needs, NULL);
	gpu_test_expect(vkBindImageMemory(test->device, made.handle, made.memory, 0),
			"vkBindImageMemory");
	gpu_test_name(test, VK_OBJECT_TYPE_IMAGE, (uint64_t)made.handle, name);
	return made;
}

// Submits what was recorded, and destroys the image.
static void finish_image(struct gpu_test *test, const struct made_image *image)
{
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyImage(test->device, image->handle, NULL);
	vkFreeMemory(test->device, image->memory, NULL);
}

static VkImageSubresourceRange part(uint32_t mip, uint32_t mips, uint32_t layer, uint32_t layers)
{
	return (VkImageSubresourceRange){VK_IMAGE_ASPECT_COLOR_BIT, mip, mips, layer, layers};
}

struct half {
	VkPipelineStageFlags stage;
	VkAccessFlags access;
	VkImageLayout layout;
};

static void image_barrier(struct gpu_test *test, const struct made_image *image, struct half from,
			  struct half to, VkImageSubresourceRange range)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = from.access,
		.dstAccessMask = to.access,
		.oldLayout = from.layout,
		.newLayout = to.layout,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image->handle,
		.subresourceRange = range,
	};
	vkCmdPipelineBarrier(test->commands, from.stage, to.stage, 0, 0, NULL, 0, NULL, 1,
			     &barrier);
}

#define EVERYTHING part(0, VK_REMAINING_MIP_LEVELS, 0, VK_REMAINING_ARRAY_LAYERS)

// All of it into a layout for transfers.
static void prepare(struct gpu_test *test, const struct made_image *image, VkImageLayout layout)
{
	image_barrier(test, image, (struct half){TOP, 0, UNDEFINED},
		      (struct half){TRANSFER, TRANSFER_READ | TRANSFER_WRITE, layout}, EVERYTHING);
}

static VkBufferImageCopy region_at(int32_t x, int32_t y, uint32_t width, uint32_t height)
{
	return (VkBufferImageCopy){
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageOffset = {x, y, 0},
		.imageExtent = {width, height, 1},
	};
}

static void upload(struct gpu_test *test, const struct made_image *image, VkImageLayout layout)
{
	const VkBufferImageCopy region = region_at(0, 0, SIDE, SIDE);
	vkCmdCopyBufferToImage(test->commands, test->data.handle, image->handle, layout, 1,
			       &region);
}

static void download(struct gpu_test *test, const struct made_image *image, VkImageLayout layout)
{
	const VkBufferImageCopy region = region_at(0, 0, SIDE, SIDE);
	vkCmdCopyImageToBuffer(test->commands, image->handle, layout, test->result.handle, 1,
			       &region);
}

static void image_copy(struct gpu_test *test)
{
	const VkImageCreateInfo info = image_info(1, 1);
	const struct made_image image = make_image(test, &info, "image");
	prepare(test, &image, GENERAL);
	upload(test, &image, GENERAL);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, TRANSFER, TRANSFER_READ);
	download(test, &image, GENERAL);
	finish_image(test, &image);
}

// The barrier behind the upload is for shaders alone.
static void upload_compute_stage(struct gpu_test *test)
{
	const VkImageCreateInfo info = image_info(1, 1);
	const struct made_image image = make_image(test, &info, "image");
	prepare(test, &image, TO_WRITE);
	upload(test, &image, TO_WRITE);
	image_barrier(test, &image, (struct half){TRANSFER, TRANSFER_WRITE, TO_WRITE},
		      test->fixed ? (struct half){TRANSFER, TRANSFER_READ, TO_READ}
				  : (struct half){COMPUTE, READ, TO_READ},
		      EVERYTHING);
	download(test, &image, TO_READ);
	finish_image(test, &image);
}

// The level that is read from was made ready for writing.
static void mip_blit_access(struct gpu_test *test)
{
	const VkImageCreateInfo info = image_info(2, 1);
	const struct made_image image = make_image(test, &info, "image");
	const VkImageBlit blit = {
		.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.srcOffsets = {{0, 0, 0}, {SIDE, SIDE, 1}},
		.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 1, 0, 1},
		.dstOffsets = {{0, 0, 0}, {SIDE / 2, SIDE / 2, 1}},
	};
	prepare(test, &image, TO_WRITE);
	upload(test, &image, TO_WRITE);
	image_barrier(
		test, &image, (struct half){TRANSFER, TRANSFER_WRITE, TO_WRITE},
		(struct half){TRANSFER, test->fixed ? TRANSFER_READ : TRANSFER_WRITE, TO_READ},
		part(0, 1, 0, 1));
	vkCmdBlitImage(test->commands, image.handle, TO_READ, image.handle, TO_WRITE, 1, &blit,
		       VK_FILTER_LINEAR);
	finish_image(test, &image);
}

// Availability by one barrier, visibility by another; a transition in between changes nothing.
static void image_split_dependency(struct gpu_test *test)
{
	const VkImageCreateInfo info = image_info(1, 1);
	const struct made_image image = make_image(test, &info, "image");
	prepare(test, &image, GENERAL);
	upload(test, &image, GENERAL);
	image_barrier(test, &image, (struct half){TRANSFER, TRANSFER_WRITE, GENERAL},
		      (struct half){TRANSFER, 0, GENERAL}, EVERYTHING);
	image_barrier(test, &image, (struct half){TRANSFER, 0, GENERAL},
		      (struct half){TRANSFER, test->fixed ? TRANSFER_READ : 0, GENERAL},
		      EVERYTHING);
	download(test, &image, GENERAL);
	finish_image(test, &image);
}

// The transition may begin before the upload has ended.
static void transition_stage(struct gpu_test *test)
{
	const VkImageCreateInfo info = image_info(1, 1);
	const struct made_image image = make_image(test, &info, "image");
	prepare(test, &image, TO_WRITE);
	upload(test, &image, TO_WRITE);
	image_barrier(test, &image,
		      test->fixed ? (struct half){TRANSFER, TRANSFER_WRITE, TO_WRITE}
				  : (struct half){TOP, 0, TO_WRITE},
		      (struct half){TRANSFER, TRANSFER_READ, TO_READ}, EVERYTHING);
	download(test, &image, TO_READ);
	finish_image(test, &image);
}

// The transition's write is available to whatever is behind it in order, without an access mask.
static void transition_available(struct gpu_test *test)
{
	const VkImageCreateInfo info = image_info(1, 1);
	const struct made_image image = make_image(test, &info, "image");
	const VkPipelineStageFlags all = VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT;
	image_barrier(test, &image, (struct half){all, 0, UNDEFINED},
		      (struct half){all, 0, GENERAL}, EVERYTHING);
	gpu_test_barrier(test, test->fixed ? all : COMPUTE, 0, TRANSFER, TRANSFER_WRITE);
	upload(test, &image, GENERAL);
	finish_image(test, &image);
}

// Two uploads side by side, or with one column of texels in both.
static void disjoint_regions(struct gpu_test *test)
{
	const VkImageCreateInfo info = image_info(1, 1);
	const struct made_image image = make_image(test, &info, "image");
	const VkBufferImageCopy left = region_at(0, 0, 8, SIDE);
	const VkBufferImageCopy right = region_at(test->fixed ? 8 : 7, 0, 8, SIDE);
	prepare(test, &image, GENERAL);
	vkCmdCopyBufferToImage(test->commands, test->data.handle, image.handle, GENERAL, 1, &left);
	vkCmdCopyBufferToImage(test->commands, test->data.handle, image.handle, GENERAL, 1, &right);
	finish_image(test, &image);
}

// Other layers, other levels.
static void disjoint_subresources(struct gpu_test *test)
{
	const VkImageCreateInfo info = image_info(3, 4);
	const struct made_image image = make_image(test, &info, "image");
	const VkClearColorValue color = {.float32 = {1, 0, 0, 1}};
	const VkImageSubresourceRange first[] = {part(0, 1, 0, 2), part(2, 1, 0, 4)};
	const VkImageSubresourceRange second[] = {part(0, 1, test->fixed ? 2 : 1, 2),
						  part(1, 1, 0, 4)};
	prepare(test, &image, TO_WRITE);
	vkCmdClearColorImage(test->commands, image.handle, TO_WRITE, &color, 2, first);
	vkCmdClearColorImage(test->commands, image.handle, TO_WRITE, &color, 2, second);
	finish_image(test, &image);
}

static void clear_copy(struct gpu_test *test)
{
	const VkImageCreateInfo info = image_info(1, 1);
	const struct made_image image = make_image(test, &info, "image");
	const VkClearColorValue color = {.float32 = {1, 0, 0, 1}};
	const VkImageSubresourceRange all = EVERYTHING;
	prepare(test, &image, GENERAL);
	vkCmdClearColorImage(test->commands, image.handle, GENERAL, &color, 1, &all);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, TRANSFER, TRANSFER_READ);
	download(test, &image, GENERAL);
	finish_image(test, &image);
}

static void resolve(struct gpu_test *test)
{
	VkImageCreateInfo info = image_info(1, 1);
	info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
	const struct made_image single = make_image(test, &info, "single");
	info.samples = VK_SAMPLE_COUNT_4_BIT;
	const struct made_image samples = make_image(test, &info, "samples");
	const VkClearColorValue color = {.float32 = {1, 0, 0, 1}};
	const VkImageSubresourceRange all = EVERYTHING;
	const VkImageResolve region = {
		.srcSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.dstSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.extent = {SIDE, SIDE, 1},
	};
	prepare(test, &single, GENERAL);
	prepare(test, &samples, GENERAL);
	vkCmdClearColorImage(test->commands, samples.handle, GENERAL, &color, 1, &all);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, TRANSFER, TRANSFER_READ);
	vkCmdResolveImage(test->commands, samples.handle, GENERAL, single.handle, GENERAL, 1,
			  &region);
	finish_image(test, &samples);
	finish_image(test, &single);
}

// The barrier is there, but the count passed with it is 0.
static void barrier_count(struct gpu_test *test)
{
	const VkImageCreateInfo info = image_info(1, 1);
	const struct made_image image = make_image(test, &info, "image");
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = TRANSFER_WRITE,
		.dstAccessMask = TRANSFER_READ,
		.oldLayout = GENERAL,
		.newLayout = GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image.handle,
		.subresourceRange = EVERYTHING,
	};
	prepare(test, &image, GENERAL);
	upload(test, &image, GENERAL);
	vkCmdPipelineBarrier(test->commands, TRANSFER, TRANSFER, 0, 0, NULL, 0, NULL,
			     test->fixed ? 1 : 0, &barrier);
	download(test, &image, GENERAL);
	finish_image(test, &image);
}

// A buffer on an image's memory, from its beginning on.
static VkBuffer alias_of(struct gpu_test *test, const struct made_image *image)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = image->bytes,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkBuffer alias;
	VkMemoryRequirements needs;
	gpu_test_expect(vkCreateBuffer(test->device, &info, NULL, &alias), "vkCreateBuffer");
	vkGetBufferMemoryRequirements(test->device, alias, &needs);
	if (needs.size > image->bytes)
		gpu_test_skip("a buffer asks for more memory than an image");
	gpu_test_expect(vkBindBufferMemory(test->device, alias, image->memory, 0),
			"vkBindBufferMemory");
	return alias;
}

static void aliased_image(struct gpu_test *test)
{
	const VkImageCreateInfo info = image_info(1, 1);
	const struct made_image image = make_image(test, &info, "image");
	VkBuffer alias = alias_of(test, &image);
	prepare(test, &image, GENERAL);
	upload(test, &image, GENERAL);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, TRANSFER, TRANSFER_WRITE);
	vkCmdFillBuffer(test->commands, alias, 0, VK_WHOLE_SIZE, 7);
	finish_image(test, &image);
	vkDestroyBuffer(test->device, alias, NULL);
}

// A row of a linear image lies where its driver says: the buffer's fill is for the same row, or
// for the one behind it.
static void linear_rows(struct gpu_test *test)
{
	VkImageCreateInfo info = image_info(1, 1);
	const VkImageSubresource which = {.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT};
	VkSubresourceLayout layout;
	info.tiling = VK_IMAGE_TILING_LINEAR;
	const struct made_image image = make_image(test, &info, "image");
	VkBuffer alias = alias_of(test, &image);
	const VkBufferImageCopy row = region_at(0, test->fixed ? 4 : 5, SIDE, 1);
	vkGetImageSubresourceLayout(test->device, image.handle, &which, &layout);
	prepare(test, &image, GENERAL);
	vkCmdCopyBufferToImage(test->commands, test->data.handle, image.handle, GENERAL, 1, &row);
	vkCmdFillBuffer(test->commands, alias, layout.offset + 5 * layout.rowPitch,
			4 * (VkDeviceSize)SIDE, 7);
	finish_image(test, &image);
	vkDestroyBuffer(test->device, alias, NULL);
}

static void need_format(struct gpu_test *test, const VkImageCreateInfo *info)
{
	VkImageFormatProperties properties;
	if (vkGetPhysicalDeviceImageFormatProperties(test->physical, info->format, info->imageType,
						     info->tiling, info->usage, info->flags,
						     &properties) != VK_SUCCESS)
		gpu_test_skip("no such images");
}

static void make_general(struct gpu_test *test, const struct made_image *image,
			 VkImageAspectFlags aspects)
{
	VkImageSubresourceRange range = EVERYTHING;
	range.aspectMask = aspects;
	image_barrier(test, image, (struct half){TOP, 0, UNDEFINED},
		      (struct half){TRANSFER, TRANSFER_READ | TRANSFER_WRITE, GENERAL}, range);
}

static void copy_region(struct gpu_test *test, const struct made_image *image, bool to_image,
			const VkBufferImageCopy *region)
{
	if (to_image)
		vkCmdCopyBufferToImage(test->commands, test->data.handle, image->handle, GENERAL, 1,
				       region);
	else
		vkCmdCopyImageToBuffer(test->commands, image->handle, GENERAL, test->result.handle,
				       1, region);
}

// One aspect is cleared while the same, or the other one, is copied.
static void depth_stencil(struct gpu_test *test)
{
	const VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
	const VkClearDepthStencilValue value = {.depth = 1};
	const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1};
	VkImageCreateInfo info = image_info(1, 1);
	VkBufferImageCopy region = region_at(0, 0, SIDE, SIDE);
	info.format = VK_FORMAT_D32_SFLOAT_S8_UINT;
	need_format(test, &info);
	const struct made_image image = make_image(test, &info, "depth and stencil");
	region.imageSubresource.aspectMask =
		test->fixed ? VK_IMAGE_ASPECT_STENCIL_BIT : VK_IMAGE_ASPECT_DEPTH_BIT;
	make_general(test, &image, both);
	vkCmdClearDepthStencilImage(test->commands, image.handle, GENERAL, &value, 1, &range);
	copy_region(test, &image, false, &region);
	finish_image(test, &image);
}

// The plane that is written, or another one.
static void planes(struct gpu_test *test)
{
	VkImageCreateInfo info = image_info(1, 1);
	VkBufferImageCopy region = region_at(0, 0, SIDE / 2, SIDE / 2);
	info.format = VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM;
	need_format(test, &info);
	const struct made_image image = make_image(test, &info, "planes");
	make_general(test, &image, VK_IMAGE_ASPECT_COLOR_BIT);
	region.imageSubresource.aspectMask = VK_IMAGE_ASPECT_PLANE_1_BIT;
	copy_region(test, &image, true, &region);
	if (test->fixed)
		region.imageSubresource.aspectMask = VK_IMAGE_ASPECT_PLANE_2_BIT;
	copy_region(test, &image, false, &region);
	finish_image(test, &image);
}

// The slices that are written, and the last of them or the one behind.
static void slices(struct gpu_test *test)
{
	VkImageCreateInfo info = image_info(1, 1);
	VkBufferImageCopy region = region_at(0, 0, SIDE, SIDE);
	info.imageType = VK_IMAGE_TYPE_3D;
	info.extent.depth = 4;
	need_format(test, &info);
	const struct made_image image = make_image(test, &info, "slices");
	make_general(test, &image, VK_IMAGE_ASPECT_COLOR_BIT);
	region.imageExtent.depth = 2;
	copy_region(test, &image, true, &region);
	region.imageOffset.z = test->fixed ? 2 : 1;
	region.imageExtent.depth = 1;
	copy_region(test, &image, false, &region);
	finish_image(test, &image);
}

// An image's memory is freed behind a copy that the program only knows to be over by what it sees
// in memory.
static void image_free(struct gpu_test *test)
{
	const VkImageCreateInfo info = image_info(1, 1);
	const struct made_image image = make_image(test, &info, "image");
	void *mapped = NULL;
	gpu_test_expect(
		vkMapMemory(test->device, test->result.memory, 0, VK_WHOLE_SIZE, 0, &mapped),
		"vkMapMemory");
	volatile const uint32_t *end = (const uint32_t *)mapped + SIDE * SIDE;
	prepare(test, &image, GENERAL);
	download(test, &image, GENERAL);
	gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, TRANSFER, TRANSFER_WRITE);
	vkCmdFillBuffer(test->commands, test->result.handle, 4 * (VkDeviceSize)SIDE * SIDE, 4, 1);
	VkFence fence = gpu_test_submit_fence(test);
	if (test->fixed)
		gpu_test_wait(test, fence);
	while (*end != 1)
		;
	vkFreeMemory(test->device, image.memory, NULL);
	if (!test->fixed)
		gpu_test_wait(test, fence);
	vkDestroyImage(test->device, image.handle, NULL);
}

const struct gpu_twin gpu_image_twins[] = {
	{"image_copy", image_copy, 0},
	{"upload_compute_stage", upload_compute_stage, 0},
	{"mip_blit_access", mip_blit_access, 0},
	{"image_split_dependency", image_split_dependency, 0},
	{"transition_stage", transition_stage, 0},
	{"transition_available", transition_available, 0},
	{"disjoint_regions", disjoint_regions, 0},
	{"disjoint_subresources", disjoint_subresources, 0},
	{"clear_copy", clear_copy, 0},
	{"resolve", resolve, 0},
	{"barrier_count", barrier_count, 0},
	{"aliased_image", aliased_image, 0},
	{"linear_rows", linear_rows, 0},
	{"depth_stencil", depth_stencil, 0},
	{"planes", planes, 0},
	{"slices", slices, 0},
	{"image_free", image_free, 0},
	{NULL, NULL, 0},
};
