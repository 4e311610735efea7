// SPDX-License-Identifier: Apache-2.0
// Twins whose descriptors lie in buffers that the program writes. Knows nothing of what is to be
// reported.
#include "gpu_texels.h"
#include "twins.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BYTES 8192u
#define SET   2048u // from one set to the next

// A descriptor buffer with what is bound from it.
struct descriptors {
	VkBuffer buffer;
	VkDeviceMemory memory;
	VkDeviceAddress address;
	unsigned char *mapped;
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkPipeline pipelines[2];
	PFN_vkGetDescriptorEXT get;
	PFN_vkGetDescriptorSetLayoutBindingOffsetEXT offset;
	PFN_vkCmdBindDescriptorBuffersEXT bind;
	PFN_vkCmdSetDescriptorBufferOffsetsEXT set;
	VkPhysicalDeviceDescriptorBufferPropertiesEXT properties;
};

#define LOAD(name) (PFN_##name) vkGetDeviceProcAddr(test->device, #name)

static void make_descriptors(struct gpu_test *test, struct descriptors *made)
{
	if (!test->has_descriptor_buffers)
		gpu_test_skip("no descriptor buffers");
	made->get = LOAD(vkGetDescriptorEXT);
	made->offset = LOAD(vkGetDescriptorSetLayoutBindingOffsetEXT);
	made->bind = LOAD(vkCmdBindDescriptorBuffersEXT);
	made->set = LOAD(vkCmdSetDescriptorBufferOffsetsEXT);
	made->properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT;
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
		.pNext = &made->properties};
	vkGetPhysicalDeviceProperties2(test->physical, &properties);
	made->buffer = gpu_test_addressed(
		test, BYTES,
		VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT |
			VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT |
			VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
		"descriptors", &made->memory);
	made->address = gpu_test_address(test, made->buffer);
	void *mapped;
	gpu_test_expect(vkMapMemory(test->device, made->memory, 0, VK_WHOLE_SIZE, 0, &mapped),
			"vkMapMemory");
	made->mapped = mapped;
	memset(made->mapped, 0, BYTES);
	test->pipeline_flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
}

// The layout of a set of these, one descriptor each.
static void make_set_layout(struct gpu_test *test, struct descriptors *made, uint32_t count,
			    const VkDescriptorType *types)
{
	VkDescriptorSetLayoutBinding bindings[4] = {{0}};
	for (uint32_t i = 0; i < count; i++)
		bindings[i] = (VkDescriptorSetLayoutBinding){
			.binding = i,
			.descriptorType = types[i],
			.descriptorCount = 1,
			.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
		};
	const VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT,
		.bindingCount = count,
		.pBindings = bindings,
	};
	gpu_test_expect(vkCreateDescriptorSetLayout(test->device, &info, NULL, &made->set_layout),
			"vkCreateDescriptorSetLayout");
}

static void make_layout(struct gpu_test *test, struct descriptors *made)
{
	const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(uint32_t)};
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &made->set_layout,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &range,
	};
	gpu_test_expect(vkCreatePipelineLayout(test->device, &info, NULL, &made->layout),
			"vkCreatePipelineLayout");
}

static void destroy(struct gpu_test *test, struct descriptors *made)
{
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	for (int i = 0; i < 2; i++)
		vkDestroyPipeline(test->device, made->pipelines[i], NULL);
	vkDestroyDescriptorSetLayout(test->device, made->set_layout, NULL);
	vkDestroyPipelineLayout(test->device, made->layout, NULL);
	vkDestroyBuffer(test->device, made->buffer, NULL);
	vkFreeMemory(test->device, made->memory, NULL);
}

// Gets a descriptor for a binding of a set.
static void get(struct gpu_test *test, const struct descriptors *made, uint32_t binding,
		const VkDescriptorGetInfoEXT *info, size_t bytes, uint32_t set, void *to)
{
	VkDeviceSize offset;
	made->offset(test->device, made->set_layout, binding, &offset);
	made->get(test->device, info, bytes, (char *)to + set * SET + offset);
}

static void get_words(struct gpu_test *test, const struct descriptors *made, VkBuffer buffer,
		      uint32_t set, void *to)
{
	const VkDescriptorAddressInfoEXT words = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT,
		.address = gpu_test_address(test, buffer),
		.range = 1024,
	};
	const VkDescriptorGetInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT,
					     .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
					     .data = {.pStorageBuffer = &words}};
	get(test, made, 0, &info, made->properties.storageBufferDescriptorSize, set, to);
}

static void bind_set(struct gpu_test *test, const struct descriptors *made, uint32_t set)
{
	const VkDescriptorBufferBindingInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT,
		.address = made->address,
		.usage = VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT |
			 VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT |
			 VK_BUFFER_USAGE_TRANSFER_DST_BIT |
			 VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
	};
	const uint32_t index = 0;
	const VkDeviceSize offset = set * SET;
	made->bind(test->commands, 1, &info);
	made->set(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, made->layout, 0, 1, &index,
		  &offset);
}

static void dispatch(struct gpu_test *test, const struct descriptors *made, uint32_t pipeline,
		     uint32_t groups)
{
	const uint32_t first = 0;
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
			  made->pipelines[pipeline]);
	vkCmdPushConstants(test->commands, made->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
			   sizeof first, &first);
	vkCmdDispatch(test->commands, groups, 1, 1);
}

static void make_writer(struct gpu_test *test, struct descriptors *made)
{
	static const VkDescriptorType types[] = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
	make_descriptors(test, made);
	make_set_layout(test, made, 1, types);
	make_layout(test, made);
	made->pipelines[0] = gpu_test_pipeline(test, "write_words", made->layout);
}

// The descriptors of two sets lead to two buffers, or to one.
static void descriptor_sets(struct gpu_test *test)
{
	struct descriptors made = {0};
	make_writer(test, &made);
	get_words(test, &made, test->data.handle, 0, made.mapped);
	get_words(test, &made, test->result.handle, 1, made.mapped);
	bind_set(test, &made, 0);
	dispatch(test, &made, 0, 2);
	bind_set(test, &made, test->fixed ? 1 : 0);
	dispatch(test, &made, 0, 2);
	gpu_test_submit(test, 1);
	destroy(test, &made);
}

// A set's bytes are others by the time of the next submission, put there with memcpy.
static void descriptor_rewritten(struct gpu_test *test)
{
	struct descriptors made = {0};
	unsigned char kept[2][SET];
	make_writer(test, &made);
	get_words(test, &made, test->data.handle, 0, kept[0]);
	get_words(test, &made, test->result.handle, 0, kept[1]);
	memcpy(made.mapped, kept[1], made.properties.storageBufferDescriptorSize);
	bind_set(test, &made, 0);
	dispatch(test, &made, 0, 2);
	gpu_test_wait(test, gpu_test_submit_fence(test));
	memcpy(made.mapped, kept[test->fixed ? 1 : 0], made.properties.storageBufferDescriptorSize);
	memcpy(made.mapped + SET, kept[0], made.properties.storageBufferDescriptorSize);
	bind_set(test, &made, 0);
	dispatch(test, &made, 0, 2);
	bind_set(test, &made, 1);
	dispatch(test, &made, 0, 2);
	gpu_test_submit(test, 1);
	destroy(test, &made);
}

// Submits what is recorded, and waits on the host until the semaphore has reached the value.
static void submit_until(struct gpu_test *test, VkSemaphore semaphore, uint64_t value)
{
	VkCommandBuffer commands = gpu_test_end(test);
	const VkTimelineSemaphoreSubmitInfo values = {
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
		.signalSemaphoreValueCount = 1,
		.pSignalSemaphoreValues = &value,
	};
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.pNext = &values,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
		.signalSemaphoreCount = 1,
		.pSignalSemaphores = &semaphore,
	};
	const VkSemaphoreWaitInfo wait = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
		.semaphoreCount = 1,
		.pSemaphores = &semaphore,
		.pValues = &value,
	};
	gpu_test_expect(vkQueueSubmit(test->queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
	gpu_test_expect(vkWaitSemaphores(test->device, &wait, UINT64_MAX), "vkWaitSemaphores");
}

// Frame after frame, a set's bytes are written anew as soon as a timeline semaphore says that the
// last frame is over, and some time before the next is submitted. The device could write the
// buffer.
static void descriptor_recycled(struct gpu_test *test)
{
	const struct timespec pause = {.tv_nsec = 2000000};
	struct descriptors made = {0};
	unsigned char kept[2][SET];
	make_writer(test, &made);
	if (!test->has_timeline)
		gpu_test_skip("no timeline semaphores");
	VkSemaphore semaphore = gpu_test_semaphore(test, VK_SEMAPHORE_TYPE_TIMELINE);
	get_words(test, &made, test->data.handle, 0, kept[0]);
	get_words(test, &made, test->result.handle, 0, kept[1]);
	for (uint64_t frame = 0; frame < 30; frame++) {
		memcpy(made.mapped, kept[frame % 2], made.properties.storageBufferDescriptorSize);
		nanosleep(&pause, NULL);
		bind_set(test, &made, 0);
		dispatch(test, &made, 0, 2);
		submit_until(test, semaphore, frame + 1);
	}
	memcpy(made.mapped, kept[0], made.properties.storageBufferDescriptorSize);
	bind_set(test, &made, 0);
	dispatch(test, &made, 0, 2);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ | WRITE);
	dispatch(test, &made, 0, 2);
	submit_until(test, semaphore, 31);
	gpu_test_finish_semaphore(test, semaphore);
	destroy(test, &made);
}

// A descriptor is overwritten while the device may still read it.
static void descriptor_early(struct gpu_test *test)
{
	struct descriptors made = {0};
	make_writer(test, &made);
	get_words(test, &made, test->data.handle, 0, made.mapped);
	const unsigned char kept = made.mapped[0];
	bind_set(test, &made, 0);
	dispatch(test, &made, 0, 2);
	VkFence fence = gpu_test_submit_fence(test);
	if (test->fixed)
		gpu_test_wait(test, fence);
	*(volatile unsigned char *)made.mapped = kept; // as it was
	if (!test->fixed)
		gpu_test_wait(test, fence);
	destroy(test, &made);
}

// A descriptor that a copy has put there is read without a barrier for it.
static void descriptor_copied(struct gpu_test *test)
{
	struct descriptors made = {0};
	make_writer(test, &made);
	get_words(test, &made, test->data.handle, 0, made.mapped);
	const VkBufferCopy copy = {.dstOffset = SET, .size = 64};
	vkCmdCopyBuffer(test->commands, made.buffer, made.buffer, 1, &copy);
	gpu_test_wait(test, gpu_test_submit_fence(test)); // so that it is there
	vkCmdCopyBuffer(test->commands, made.buffer, made.buffer, 1, &copy);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE,
			 test->fixed ? VK_ACCESS_MEMORY_READ_BIT : READ);
	bind_set(test, &made, 1);
	dispatch(test, &made, 0, 2);
	gpu_test_submit(test, 1);
	destroy(test, &made);
}

// The device writes a descriptor before it is used: which it was the host does not see in time.
static void descriptor_updated(struct gpu_test *test)
{
	struct descriptors made = {0};
	make_writer(test, &made);
	unsigned char *kept = calloc(1, BYTES);
	if (!kept)
		abort();
	get_words(test, &made, test->data.handle, 0, kept);
	get_words(test, &made, test->data.handle, 1, made.mapped);
	vkCmdUpdateBuffer(test->commands, made.buffer, 0, 64, kept);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT,
			 VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT);
	bind_set(test, &made, 0);
	dispatch(test, &made, 0, 1);
	gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ | WRITE);
	bind_set(test, &made, 1);
	dispatch(test, &made, 0, 1);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ | WRITE);
	dispatch(test, &made, 0, 1);
	gpu_test_submit(test, 1);
	destroy(test, &made);
	free(kept);
}

static void get_texels(struct gpu_test *test, const struct descriptors *made,
		       const struct gpu_texels *texels, VkBuffer words)
{
	const VkDescriptorImageInfo image = {.imageView = texels->views[0],
					     .imageLayout = VK_IMAGE_LAYOUT_GENERAL};
	const VkDescriptorAddressInfoEXT row = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT,
		.address = gpu_test_address(test, words) + 256,
		.range = 256,
		.format = VK_FORMAT_R32_UINT,
	};
	VkDescriptorGetInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT,
				       .type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
				       .data = {.pStorageImage = &image}};
	get(test, made, 0, &info, made->properties.storageImageDescriptorSize, 0, made->mapped);
	info.type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
	info.data.pUniformTexelBuffer = &row;
	get(test, made, 1, &info, made->properties.uniformTexelBufferDescriptorSize, 0,
	    made->mapped);
	info.type = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
	info.data.pSampledImage = &image;
	get(test, made, 2, &info, made->properties.sampledImageDescriptorSize, 0, made->mapped);
	info.type = VK_DESCRIPTOR_TYPE_SAMPLER;
	info.data.pSampler = &texels->sampler;
	get(test, made, 3, &info, made->properties.samplerDescriptorSize, 0, made->mapped);
}

// Texels of a buffer go to an image, and from there, sampled, to its next row. One of the two
// barriers may be missing.
static void through_texels(struct gpu_test *test, bool fetch_ordered, bool sample_ordered)
{
	static const VkDescriptorType types[] = {
		VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
		VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, VK_DESCRIPTOR_TYPE_SAMPLER};
	struct descriptors made = {0};
	struct gpu_texels texels;
	VkDeviceMemory memory;
	make_descriptors(test, &made);
	test->pipeline_flags = 0;
	gpu_texels_init(&texels, test);
	test->pipeline_flags = VK_PIPELINE_CREATE_DESCRIPTOR_BUFFER_BIT_EXT;
	VkBuffer words = gpu_test_addressed(test, BYTES,
					    VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
						    VK_BUFFER_USAGE_TRANSFER_DST_BIT,
					    "texels", &memory);
	make_set_layout(test, &made, 4, types);
	make_layout(test, &made);
	made.pipelines[0] = gpu_test_pipeline(test, "descriptor_store", made.layout);
	made.pipelines[1] = gpu_test_pipeline(test, "descriptor_sample", made.layout);
	get_texels(test, &made, &texels, words);
	vkCmdFillBuffer(test->commands, words, 0, VK_WHOLE_SIZE, 7);
	if (fetch_ordered)
		gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE, READ);
	bind_set(test, &made, 0);
	dispatch(test, &made, 0, 1);
	if (sample_ordered)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ);
	dispatch(test, &made, 1, 1);
	gpu_test_submit(test, 1);
	destroy(test, &made);
	vkDestroyBuffer(test->device, words, NULL);
	vkFreeMemory(test->device, memory, NULL);
	gpu_texels_finish(&texels, test);
}

static void descriptor_fetched(struct gpu_test *test)
{
	through_texels(test, test->fixed, true);
}

static void descriptor_sampled(struct gpu_test *test)
{
	through_texels(test, true, test->fixed);
}

const struct gpu_twin gpu_descriptor_twins[] = {{"descriptor_sets", descriptor_sets, 0},
						{"descriptor_rewritten", descriptor_rewritten, 0},
						{"descriptor_recycled", descriptor_recycled, 0},
						{"descriptor_early", descriptor_early, 0},
						{"descriptor_copied", descriptor_copied, 0},
						{"descriptor_updated", descriptor_updated, 0},
						{"descriptor_fetched", descriptor_fetched, 0},
						{"descriptor_sampled", descriptor_sampled, 0},
						{NULL, NULL, 0}};
