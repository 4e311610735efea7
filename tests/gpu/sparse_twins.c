// SPDX-License-Identifier: Apache-2.0
// Twins of sparse resources: two on one memory, and memory that is bound anew. Knows nothing of
// what is to be reported.
#include "twins.h"

#include <string.h>

// What a buffer or an image is bound to: two blocks of each.
struct sparse {
	uint32_t bits; // memory types of buffers
	VkDeviceSize block;
	VkDeviceMemory memory, other;
	VkBuffer first, second; // of two blocks
};

static VkBuffer make_buffer(struct gpu_test *test, VkDeviceSize bytes, const char *name,
			    VkMemoryRequirements *needs)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.flags = VK_BUFFER_CREATE_SPARSE_BINDING_BIT |
			 VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT |
			 VK_BUFFER_CREATE_SPARSE_ALIASED_BIT,
		.size = bytes,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
	};
	VkBuffer buffer;
	gpu_test_expect(vkCreateBuffer(test->device, &info, NULL, &buffer), "vkCreateBuffer");
	vkGetBufferMemoryRequirements(test->device, buffer, needs);
	gpu_test_name(test, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer, name);
	return buffer;
}

static void make(struct gpu_test *test, struct sparse *sparse)
{
	VkMemoryRequirements needs;
	if (!test->has_sparse)
		gpu_test_skip("no sparse residency");
	vkDestroyBuffer(test->device, make_buffer(test, 1 << 16, "", &needs), NULL);
	sparse->block = needs.alignment;
	sparse->bits = needs.memoryTypeBits;
	sparse->first = make_buffer(test, 2 * needs.alignment, "first", &needs);
	sparse->second = make_buffer(test, 2 * sparse->block, "second", &needs);
	needs.size = 2 * sparse->block;
	sparse->memory = gpu_test_allocate(test, &needs, NULL);
	sparse->other = gpu_test_allocate(test, &needs, NULL);
}

static void finish(struct gpu_test *test, struct sparse *sparse)
{
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyBuffer(test->device, sparse->first, NULL);
	vkDestroyBuffer(test->device, sparse->second, NULL);
	vkFreeMemory(test->device, sparse->memory, NULL);
	vkFreeMemory(test->device, sparse->other, NULL);
}

// Binds blocks, and waits for it where `wait`.
static void bind(struct gpu_test *test, VkBuffer buffer, VkSparseMemoryBind place, bool wait)
{
	const VkSparseBufferMemoryBindInfo of = {
		.buffer = buffer, .bindCount = 1, .pBinds = &place};
	const VkBindSparseInfo info = {.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
				       .bufferBindCount = 1,
				       .pBufferBinds = &of};
	gpu_test_expect(vkQueueBindSparse(test->queue, 1, &info, VK_NULL_HANDLE),
			"vkQueueBindSparse");
	if (wait)
		gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
}

static VkSparseMemoryBind whole(const struct sparse *sparse)
{
	return (VkSparseMemoryBind){.size = 2 * sparse->block, .memory = sparse->memory};
}

// A barrier for the one covers the same bytes of the other.
static void sparse_alias(struct gpu_test *test)
{
	struct sparse sparse;
	make(test, &sparse);
	bind(test, sparse.first, whole(&sparse), true);
	bind(test, sparse.second,
	     (VkSparseMemoryBind){
		     .size = sparse.block, .memory = sparse.memory, .memoryOffset = sparse.block},
	     true);
	vkCmdFillBuffer(test->commands, sparse.first, sparse.block, 64, 7);
	const VkBufferMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.buffer = sparse.first,
		.offset = sparse.block,
		.size = 64,
	};
	if (test->fixed)
		vkCmdPipelineBarrier(test->commands, TRANSFER, TRANSFER, 0, 0, NULL, 1, &barrier, 0,
				     NULL);
	vkCmdFillBuffer(test->commands, sparse.second, 32, 32, 8);
	finish(test, &sparse);
}

// What shaders do through descriptors of both.
static void sparse_shaders(struct gpu_test *test)
{
	struct sparse sparse;
	make(test, &sparse);
	bind(test, sparse.first, whole(&sparse), true);
	bind(test, sparse.second,
	     (VkSparseMemoryBind){.size = sparse.block, .memory = sparse.memory}, true);
	const VkDescriptorBufferInfo buffers[] = {{sparse.first, 0, VK_WHOLE_SIZE},
						  {sparse.second, 0, VK_WHOLE_SIZE}};
	const VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = test->set,
		.descriptorCount = 2,
		.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		.pBufferInfo = buffers,
	};
	vkUpdateDescriptorSets(test->device, 1, &write, 0, NULL);
	gpu_test_dispatch(test, "write_words", 1, 0);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
	gpu_test_dispatch(test, "write_result", 1, 0);
	finish(test, &sparse);
}

// A part of what two had in common is bound anew: the rest still is in common.
static void sparse_parts(struct gpu_test *test)
{
	struct sparse sparse;
	make(test, &sparse);
	bind(test, sparse.first, whole(&sparse), true);
	bind(test, sparse.second, whole(&sparse), true);
	bind(test, sparse.first, (VkSparseMemoryBind){.size = sparse.block, .memory = sparse.other},
	     true);
	const VkDeviceSize offset = test->fixed ? 0 : sparse.block;
	vkCmdFillBuffer(test->commands, sparse.first, offset, 64, 7);
	vkCmdFillBuffer(test->commands, sparse.second, offset, 64, 8);
	finish(test, &sparse);
}

// Only a wait orders a binding with the use of what was bound there before.
static void sparse_rebound(struct gpu_test *test)
{
	struct sparse sparse;
	make(test, &sparse);
	bind(test, sparse.first, whole(&sparse), true);
	vkCmdFillBuffer(test->commands, sparse.first, 0, 64, 7);
	gpu_test_submit(test, 1);
	if (test->fixed)
		gpu_test_expect(vkQueueWaitIdle(test->queue), "vkQueueWaitIdle");
	bind(test, sparse.first, (VkSparseMemoryBind){.size = sparse.block, .memory = sparse.other},
	     true);
	finish(test, &sparse);
}

// The host reads what is written through the buffer, in memory that was mapped before it was bound.
static void sparse_host(struct gpu_test *test)
{
	struct sparse sparse;
	volatile uint32_t sum = 0;
	void *mapped;
	make(test, &sparse);
	if (!gpu_test_mappable(test, sparse.bits))
		gpu_test_skip("no sparse buffers in memory that the host can map");
	gpu_test_expect(vkMapMemory(test->device, sparse.memory, 0, VK_WHOLE_SIZE, 0, &mapped),
			"vkMapMemory");
	const volatile uint32_t *words = mapped;
	bind(test, sparse.first, whole(&sparse), true);
	vkCmdFillBuffer(test->commands, sparse.first, sparse.block, 64, 7);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
			 VK_ACCESS_HOST_READ_BIT);
	gpu_test_submit(test, 1);
	if (test->fixed)
		gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	sum += words[sparse.block / 4];
	(void)sum;
	finish(test, &sparse);
}

static VkImage make_image(struct gpu_test *test, uint32_t mips, const char *name)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT |
			 VK_IMAGE_CREATE_SPARSE_ALIASED_BIT,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R32_UINT,
		.extent = {512, 512, 1},
		.mipLevels = mips,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
	};
	VkImage image;
	gpu_test_expect(vkCreateImage(test->device, &info, NULL, &image), "vkCreateImage");
	gpu_test_name(test, VK_OBJECT_TYPE_IMAGE, (uint64_t)image, name);
	return image;
}

// Binds the second block of the image's first row to the memory's start.
static void bind_block(struct gpu_test *test, VkImage image, VkExtent3D block,
		       VkDeviceMemory memory)
{
	const VkSparseImageMemoryBind place = {
		.subresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0},
		.offset = {(int32_t)block.width, 0, 0},
		.extent = block,
		.memory = memory,
	};
	const VkSparseImageMemoryBindInfo of = {.image = image, .bindCount = 1, .pBinds = &place};
	const VkBindSparseInfo info = {.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
				       .imageBindCount = 1,
				       .pImageBinds = &of};
	gpu_test_expect(vkQueueBindSparse(test->queue, 1, &info, VK_NULL_HANDLE),
			"vkQueueBindSparse");
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
}

static void to_layout(struct gpu_test *test, VkImage image)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0, 1},
	};
	vkCmdPipelineBarrier(test->commands, TRANSFER, TRANSFER, 0, 0, NULL, 0, NULL, 1, &barrier);
}

static void copy_to(struct gpu_test *test, VkImage image, uint32_t mip, int32_t x, int32_t y)
{
	const VkBufferImageCopy region = {
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, mip, 0, 1},
		.imageOffset = {x, y, 0},
		.imageExtent = {mip < 8 ? 4 : 1, 1, 1},
	};
	vkCmdCopyBufferToImage(test->commands, test->data.handle, image, VK_IMAGE_LAYOUT_GENERAL, 1,
			       &region);
}

// Two images have one block of memory: equal texels of it are equal bytes.
static void sparse_images(struct gpu_test *test)
{
	struct sparse sparse;
	VkSparseImageMemoryRequirements blocks[4];
	uint32_t count = 4;
	make(test, &sparse);
	const VkImage first = make_image(test, 1, "first image"),
		      second = make_image(test, 1, "second");
	vkGetImageSparseMemoryRequirements(test->device, first, &count, blocks);
	const VkExtent3D block = blocks[0].formatProperties.imageGranularity;
	bind_block(test, first, block, sparse.memory);
	bind_block(test, second, block, sparse.memory);
	to_layout(test, first);
	to_layout(test, second);
	copy_to(test, first, 0, (int32_t)block.width + 2, 3);
	copy_to(test, second, 0, (int32_t)block.width + 4, test->fixed ? 4 : 3);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyImage(test->device, first, NULL);
	vkDestroyImage(test->device, second, NULL);
	finish(test, &sparse);
}

// An image with a mip tail; what the tail is.
static VkImage make_tail(struct gpu_test *test, const char *name,
			 VkSparseImageMemoryRequirements *tail)
{
	VkSparseImageMemoryRequirements all[4];
	const VkImage image = make_image(test, 10, name);
	uint32_t count = 4;
	vkGetImageSparseMemoryRequirements(test->device, image, &count, all);
	*tail = all[0];
	if (tail->imageMipTailFirstLod > 8 || tail->imageMipTailSize == 0)
		gpu_test_skip("no mip tail of two levels");
	return image;
}

// Binds the whole tail to the memory's start.
static void bind_tail(struct gpu_test *test, VkImage image,
		      const VkSparseImageMemoryRequirements *tail, VkDeviceMemory memory)
{
	const VkSparseMemoryBind place = {.resourceOffset = tail->imageMipTailOffset,
					  .size = tail->imageMipTailSize,
					  .memory = memory};
	const VkSparseImageOpaqueMemoryBindInfo of = {
		.image = image, .bindCount = 1, .pBinds = &place};
	const VkBindSparseInfo info = {.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
				       .imageOpaqueBindCount = 1,
				       .pImageOpaqueBinds = &of};
	gpu_test_expect(vkQueueBindSparse(test->queue, 1, &info, VK_NULL_HANDLE),
			"vkQueueBindSparse");
}

static VkDeviceMemory allocate_tail(struct gpu_test *test, VkImage image,
				    const VkSparseImageMemoryRequirements *tail)
{
	VkMemoryRequirements needs;
	vkGetImageMemoryRequirements(test->device, image, &needs);
	needs.size = tail->imageMipTailSize;
	return gpu_test_allocate(test, &needs, NULL);
}

// Two images have one memory for their tails: equal texels of equal levels are equal bytes.
static void sparse_tails(struct gpu_test *test)
{
	VkSparseImageMemoryRequirements tail;
	if (!test->has_sparse)
		gpu_test_skip("no sparse residency");
	const VkImage first = make_tail(test, "first image", &tail),
		      second = make_tail(test, "second", &tail);
	const VkDeviceMemory memory = allocate_tail(test, first, &tail);
	bind_tail(test, first, &tail, memory);
	bind_tail(test, second, &tail, memory);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	to_layout(test, first);
	to_layout(test, second);
	copy_to(test, first, 8, 0, 0);
	copy_to(test, second, test->fixed ? 9 : 8, 0, 0);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyImage(test->device, first, NULL);
	vkDestroyImage(test->device, second, NULL);
	vkFreeMemory(test->device, memory, NULL);
}

// Only a wait orders a binding with the use of what was bound there before.
static void sparse_tail_rebound(struct gpu_test *test)
{
	VkSparseImageMemoryRequirements tail;
	if (!test->has_sparse)
		gpu_test_skip("no sparse residency");
	const VkImage image = make_tail(test, "image", &tail);
	const VkDeviceMemory memory = allocate_tail(test, image, &tail),
			     other = allocate_tail(test, image, &tail);
	bind_tail(test, image, &tail, memory);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	to_layout(test, image);
	gpu_test_submit(test, 1);
	if (test->fixed)
		gpu_test_expect(vkQueueWaitIdle(test->queue), "vkQueueWaitIdle");
	bind_tail(test, image, &tail, other);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyImage(test->device, image, NULL);
	vkFreeMemory(test->device, memory, NULL);
	vkFreeMemory(test->device, other, NULL);
}

const struct gpu_twin gpu_sparse_twins[] = {
	{"sparse_alias", sparse_alias, 0},
	{"sparse_shaders", sparse_shaders, 0},
	{"sparse_parts", sparse_parts, 0},
	{"sparse_rebound", sparse_rebound, 0},
	{"sparse_images", sparse_images, 0},
	{"sparse_tails", sparse_tails, 0},
	{"sparse_tail_rebound", sparse_tail_rebound, 0},
	{"sparse_host", sparse_host, 0},
	{NULL, NULL, 0},
};
