// SPDX-License-Identifier: Apache-2.0
// Work with as many objects as are asked for, as programs have them that load a scene or stream
// one: what bench_growth.py runs at several sizes. An ordinary Vulkan program without a race; knows
// nothing of the layer.
//
//   bench_objects KIND COUNT
#include "gpu_test.h"

#include "objects_words.spv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE       16u   // of an image
#define IMAGES     256u  // in one memory object
#define BYTES      4096u // of a buffer
#define RING_BYTES (UINT64_C(16) << 20)

static struct gpu_test_kernel kernels[] = {
	{"words", objects_words, sizeof objects_words, VK_NULL_HANDLE},
	{NULL, NULL, 0, VK_NULL_HANDLE}};

// Objects of which each has memory, or a part of it.
struct objects {
	uint64_t *items; // handles
	VkDeviceMemory *memories;
	uint32_t memory_count;
};

static struct objects make_objects(uint32_t count)
{
	struct objects made = {calloc(count, sizeof *made.items),
			       calloc(count, sizeof *made.memories), 0};
	if (!made.items || !made.memories)
		abort();
	return made;
}

static void begin_frame(struct gpu_test *test)
{
	const VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	gpu_test_expect(vkResetCommandPool(test->device, test->pool, 0), "vkResetCommandPool");
	gpu_test_expect(vkBeginCommandBuffer(test->commands, &begin), "vkBeginCommandBuffer");
}

// `values`: of the semaphores, if they are timelines; else NULL.
static void submit_frame(struct gpu_test *test, VkSemaphore wait, VkSemaphore signal,
			 const VkTimelineSemaphoreSubmitInfo *values)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
	const VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				     .pNext = values,
				     .waitSemaphoreCount = wait != VK_NULL_HANDLE,
				     .pWaitSemaphores = &wait,
				     .pWaitDstStageMask = &stage,
				     .commandBufferCount = 1,
				     .pCommandBuffers = &test->commands,
				     .signalSemaphoreCount = signal != VK_NULL_HANDLE,
				     .pSignalSemaphores = &signal};
	const VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkFence fence;
	gpu_test_expect(vkEndCommandBuffer(test->commands), "vkEndCommandBuffer");
	gpu_test_expect(vkCreateFence(test->device, &info, NULL, &fence), "vkCreateFence");
	gpu_test_expect(vkQueueSubmit(test->queue, 1, &submit, fence), "vkQueueSubmit");
	gpu_test_expect(vkWaitForFences(test->device, 1, &fence, VK_TRUE, UINT64_MAX),
			"vkWaitForFences");
	vkDestroyFence(test->device, fence, NULL);
}

// ---- Images -------------------------------------------------------------------------------------

static VkImage make_image(struct gpu_test *test, struct objects *objects, uint32_t at)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = {SIDE, SIDE, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
	};
	VkImage image;
	VkMemoryRequirements needs;
	gpu_test_expect(vkCreateImage(test->device, &info, NULL, &image), "vkCreateImage");
	vkGetImageMemoryRequirements(test->device, image, &needs);
	const VkDeviceSize bytes =
		(needs.size + needs.alignment - 1) / needs.alignment * needs.alignment;
	if (at % IMAGES == 0) {
		needs.size = bytes * IMAGES;
		objects->memories[objects->memory_count++] = gpu_test_allocate(test, &needs, NULL);
	}
	gpu_test_expect(vkBindImageMemory(test->device, image, objects->memories[at / IMAGES],
					  at % IMAGES * bytes),
			"vkBindImageMemory");
	return image;
}

static void change_layout(struct gpu_test *test, VkImage image, VkImageLayout from,
			  VkImageLayout to)
{
	const bool first = from == VK_IMAGE_LAYOUT_UNDEFINED;
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = first ? 0 : VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = first ? VK_ACCESS_TRANSFER_WRITE_BIT : VK_ACCESS_SHADER_READ_BIT,
		.oldLayout = from,
		.newLayout = to,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
	vkCmdPipelineBarrier(
		test->commands,
		first ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT : VK_PIPELINE_STAGE_TRANSFER_BIT,
		first ? VK_PIPELINE_STAGE_TRANSFER_BIT : VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0,
		NULL, 0, NULL, 1, &barrier);
}

// Clears one image after the other, in one command buffer: a scene that is loaded.
static void load_images(struct gpu_test *test, uint32_t count)
{
	const VkClearColorValue color = {{0}};
	const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
	struct objects images = make_objects(count);
	for (uint32_t at = 0; at < count; at++) {
		const VkImage image = make_image(test, &images, at);
		images.items[at] = (uint64_t)(uintptr_t)image;
		change_layout(test, image, VK_IMAGE_LAYOUT_UNDEFINED,
			      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
		vkCmdClearColorImage(test->commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
				     &color, 1, &range);
		change_layout(test, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
			      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
	}
	submit_frame(test, VK_NULL_HANDLE, VK_NULL_HANDLE, NULL);
	for (uint32_t at = 0; at < count; at++)
		vkDestroyImage(test->device, (VkImage)(uintptr_t)images.items[at], NULL);
	for (uint32_t at = 0; at < images.memory_count; at++)
		vkFreeMemory(test->device, images.memories[at], NULL);
	free(images.items);
	free(images.memories);
}

// ---- Buffers ------------------------------------------------------------------------------------

static VkBuffer make_buffer(struct gpu_test *test, VkDeviceSize bytes, VkDeviceMemory *memory)
{
	const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
					 .size = bytes,
					 .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
						  VK_BUFFER_USAGE_TRANSFER_DST_BIT |
						  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
	VkBuffer buffer;
	VkMemoryRequirements needs;
	gpu_test_expect(vkCreateBuffer(test->device, &info, NULL, &buffer), "vkCreateBuffer");
	vkGetBufferMemoryRequirements(test->device, buffer, &needs);
	*memory = gpu_test_allocate(test, &needs, NULL);
	gpu_test_expect(vkBindBufferMemory(test->device, buffer, *memory, 0), "vkBindBufferMemory");
	return buffer;
}

static void destroy_buffer(struct gpu_test *test, VkBuffer buffer, VkDeviceMemory memory)
{
	vkDestroyBuffer(test->device, buffer, NULL);
	vkFreeMemory(test->device, memory, NULL);
}

static void *map_all(struct gpu_test *test, VkDeviceMemory memory)
{
	void *bytes;
	gpu_test_expect(vkMapMemory(test->device, memory, 0, VK_WHOLE_SIZE, 0, &bytes),
			"vkMapMemory");
	return bytes;
}

static void flush_range(struct gpu_test *test, VkDeviceMemory memory, VkDeviceSize offset,
			VkDeviceSize bytes)
{
	const VkMappedMemoryRange range = {.sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
					   .memory = memory,
					   .offset = offset,
					   .size = bytes};
	gpu_test_expect(vkFlushMappedMemoryRanges(test->device, 1, &range),
			"vkFlushMappedMemoryRanges");
}

static void order_buffer(struct gpu_test *test, VkBuffer buffer)
{
	const VkBufferMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
					       .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
					       .dstAccessMask = VK_ACCESS_SHADER_READ_BIT,
					       .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
					       .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
					       .buffer = buffer,
					       .size = VK_WHOLE_SIZE};
	vkCmdPipelineBarrier(test->commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
			     VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 0, NULL, 1, &barrier, 0,
			     NULL);
}

// Each with memory of its own, all filled in one command buffer.
static void load_buffers(struct gpu_test *test, uint32_t count)
{
	struct objects buffers = make_objects(count);
	for (uint32_t at = 0; at < count; at++) {
		const VkBuffer buffer = make_buffer(test, BYTES, &buffers.memories[at]);
		buffers.items[at] = (uint64_t)(uintptr_t)buffer;
		vkCmdFillBuffer(test->commands, buffer, 0, VK_WHOLE_SIZE, at);
		order_buffer(test, buffer);
	}
	submit_frame(test, VK_NULL_HANDLE, VK_NULL_HANDLE, NULL);
	for (uint32_t at = 0; at < count; at++) {
		vkDestroyBuffer(test->device, (VkBuffer)(uintptr_t)buffers.items[at], NULL);
		vkFreeMemory(test->device, buffers.memories[at], NULL);
	}
	free(buffers.items);
	free(buffers.memories);
}

// Each frame makes a buffer that the host writes, copies it, and frees it.
static void stream_buffers(struct gpu_test *test, uint32_t count)
{
	const VkBufferCopy copy = {.size = BYTES};
	VkDeviceMemory memory;
	const VkBuffer target = make_buffer(test, BYTES, &memory);
	for (uint32_t at = 0; at < count; at++) {
		VkDeviceMemory staged;
		const VkBuffer stage = make_buffer(test, BYTES, &staged);
		memset(map_all(test, staged), (int)at, BYTES);
		flush_range(test, staged, 0, VK_WHOLE_SIZE);
		if (at > 0)
			begin_frame(test);
		vkCmdCopyBuffer(test->commands, stage, target, 1, &copy);
		order_buffer(test, target);
		submit_frame(test, VK_NULL_HANDLE, VK_NULL_HANDLE, NULL);
		destroy_buffer(test, stage, staged);
	}
	destroy_buffer(test, target, memory);
}

// Each frame writes, flushes and copies another part of one ring, of another size.
static void write_ring(struct gpu_test *test, uint32_t count)
{
	VkDeviceMemory memory, ring_memory;
	const VkBuffer target = make_buffer(test, BYTES, &memory);
	const VkBuffer ring = make_buffer(test, RING_BYTES, &ring_memory);
	VkDeviceSize offset = 0;
	char *bytes = map_all(test, ring_memory);
	for (uint32_t at = 0; at < count; at++) {
		const VkBufferCopy copy = {.srcOffset = offset, .size = 64 + at * 64 % BYTES};
		memset(bytes + offset, (int)at, copy.size);
		flush_range(test, ring_memory, offset, copy.size);
		if (at > 0)
			begin_frame(test);
		vkCmdCopyBuffer(test->commands, ring, target, 1, &copy);
		order_buffer(test, target);
		submit_frame(test, VK_NULL_HANDLE, VK_NULL_HANDLE, NULL);
		offset = (offset + copy.size) % (RING_BYTES - BYTES);
	}
	destroy_buffer(test, target, memory);
	destroy_buffer(test, ring, ring_memory);
}

// Each frame waits for a semaphore of the one before, and is the last to use it.
static void chain_semaphores(struct gpu_test *test, uint32_t count)
{
	const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
	VkDeviceMemory memory;
	const VkBuffer target = make_buffer(test, BYTES, &memory);
	VkSemaphore last = VK_NULL_HANDLE;
	for (uint32_t at = 0; at < count; at++) {
		VkSemaphore next;
		gpu_test_expect(vkCreateSemaphore(test->device, &info, NULL, &next),
				"vkCreateSemaphore");
		if (at > 0)
			begin_frame(test);
		vkCmdFillBuffer(test->commands, target, 0, VK_WHOLE_SIZE, at);
		submit_frame(test, last, next, NULL);
		vkDestroySemaphore(test->device, last, NULL);
		last = next;
	}
	vkDestroySemaphore(test->device, last, NULL);
	destroy_buffer(test, target, memory);
}

// Each frame waits for the value of one timeline that the one before signals, and the host for its
// fence.
static void count_up(struct gpu_test *test, uint32_t count)
{
	VkDeviceMemory memory;
	const VkBuffer target = make_buffer(test, BYTES, &memory);
	const VkSemaphore timeline = gpu_test_semaphore(test, VK_SEMAPHORE_TYPE_TIMELINE);
	for (uint64_t at = 0; at < count; at++) {
		const uint64_t next = at + 1;
		const VkTimelineSemaphoreSubmitInfo values = {
			.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
			.waitSemaphoreValueCount = 1,
			.pWaitSemaphoreValues = &at,
			.signalSemaphoreValueCount = 1,
			.pSignalSemaphoreValues = &next};
		if (at > 0)
			begin_frame(test);
		vkCmdFillBuffer(test->commands, target, 0, VK_WHOLE_SIZE, (uint32_t)at);
		submit_frame(test, timeline, timeline, &values);
	}
	gpu_test_finish_semaphore(test, timeline);
	destroy_buffer(test, target, memory);
}

// ---- Sets and pipelines -------------------------------------------------------------------------

#define RANGE 256u // bytes of a set's range

// A set for each dispatch, all of one command buffer, each of a range of its own.
static void bind_sets(struct gpu_test *test, uint32_t count)
{
	const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2 * count},
					      {VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, count}};
	const VkDescriptorPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = count,
		.poolSizeCount = 2,
		.pPoolSizes = sizes};
	VkDescriptorPool pool;
	VkDeviceMemory memory;
	const VkBuffer buffer = make_buffer(test, (VkDeviceSize)RANGE * count, &memory);
	gpu_test_expect(vkCreateDescriptorPool(test->device, &info, NULL, &pool),
			"vkCreateDescriptorPool");
	for (uint32_t at = 0; at < count; at++) {
		const VkDescriptorSetAllocateInfo wanted = {
			.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
			.descriptorPool = pool,
			.descriptorSetCount = 1,
			.pSetLayouts = &test->set_layout};
		const VkDescriptorBufferInfo range = {buffer, (VkDeviceSize)RANGE * at, RANGE};
		VkWriteDescriptorSet writes[2] = {
			{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			 .descriptorCount = 1,
			 .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			 .pBufferInfo = &range}};
		VkDescriptorSet set;
		gpu_test_expect(vkAllocateDescriptorSets(test->device, &wanted, &set),
				"vkAllocateDescriptorSets");
		writes[0].dstSet = set;
		writes[1] = writes[0];
		writes[1].dstBinding = 1;
		vkUpdateDescriptorSets(test->device, 2, writes, 0, NULL);
		vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
					test->layout, 0, 1, &set, 0, NULL);
		gpu_test_dispatch(test, "words", 1, 0);
	}
	submit_frame(test, VK_NULL_HANDLE, VK_NULL_HANDLE, NULL);
	vkDestroyDescriptorPool(test->device, pool, NULL);
	destroy_buffer(test, buffer, memory);
}

// A pipeline for each dispatch, all of one shader.
static void bind_pipelines(struct gpu_test *test, uint32_t count)
{
	VkPipeline *pipelines = calloc(count, sizeof *pipelines);
	if (!pipelines)
		abort();
	gpu_test_dispatch(test, "words", 1, 0);
	for (uint32_t at = 0; at < count; at++) {
		pipelines[at] = gpu_test_pipeline(test, "words", test->layout);
		gpu_test_barrier(test, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
				 VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
				 VK_ACCESS_SHADER_WRITE_BIT);
		vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[at]);
		vkCmdDispatch(test->commands, 1, 1, 1);
	}
	submit_frame(test, VK_NULL_HANDLE, VK_NULL_HANDLE, NULL);
	for (uint32_t at = 0; at < count; at++)
		vkDestroyPipeline(test->device, pipelines[at], NULL);
	free(pipelines);
}

static const struct {
	const char *name;
	void (*run)(struct gpu_test *test, uint32_t count);
} kinds[] = {
	{"images", load_images},          {"buffers", load_buffers},
	{"streams", stream_buffers},      {"ring", write_ring},
	{"semaphores", chain_semaphores}, {"sets", bind_sets},
	{"pipelines", bind_pipelines},    {"timeline", count_up},
};

int main(int argc, char **argv)
{
	const uint32_t count = argc == 3 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
	for (size_t at = 0; count > 0 && at < sizeof kinds / sizeof *kinds; at++) {
		if (strcmp(kinds[at].name, argv[1]) != 0)
			continue;
		struct gpu_test test;
		gpu_test_init(&test, kernels, true);
		kinds[at].run(&test, count);
		gpu_test_finish(&test);
		return EXIT_SUCCESS;
	}
	fprintf(stderr, "usage: bench_objects KIND COUNT\n");
	return EXIT_FAILURE;
}
