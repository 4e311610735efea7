// SPDX-License-Identifier: Apache-2.0
// An image with its views and sampler, a texel buffer, and kernels over them.
// Knows Vulkan's objects; nothing of what is to be reported.
#include "gpu_texels.h"

#define SIZE       16
#define WORD_BYTES 1024
#define BINDINGS   8

static void make_image(struct gpu_texels *texels, const struct gpu_test *test)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R32_UINT,
		.extent = {SIZE, SIZE, 1},
		.mipLevels = 2,
		.arrayLayers = 2,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
			 VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	static const uint32_t parts[GPU_TEXELS_VIEWS][2] = {{0, 0}, {0, 1}, {1, 0}, {0, 0}};
	VkMemoryRequirements needs;
	gpu_test_expect(vkCreateImage(test->device, &info, NULL, &texels->image), "vkCreateImage");
	vkGetImageMemoryRequirements(test->device, texels->image, &needs);
	texels->memory = gpu_test_allocate(test, &needs, NULL);
	gpu_test_expect(vkBindImageMemory(test->device, texels->image, texels->memory, 0),
			"vkBindImageMemory");
	gpu_test_name(test, VK_OBJECT_TYPE_IMAGE, (uint64_t)texels->image, "image");
	for (uint32_t at = 0; at < GPU_TEXELS_VIEWS; at++) {
		const VkImageViewCreateInfo view = {
			.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
			.image = texels->image,
			.viewType = VK_IMAGE_VIEW_TYPE_2D,
			.format = info.format,
			.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, parts[at][0], 1,
					     parts[at][1], 1},
		};
		gpu_test_expect(vkCreateImageView(test->device, &view, NULL, &texels->views[at]),
				"vkCreateImageView");
	}
	VkSamplerCreateInfo sampler = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
		.maxLod = VK_LOD_CLAMP_NONE,
	};
	gpu_test_expect(vkCreateSampler(test->device, &sampler, NULL, &texels->sampler),
			"vkCreateSampler");
	sampler.addressModeU = sampler.addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
	gpu_test_expect(vkCreateSampler(test->device, &sampler, NULL, &texels->clamping),
			"vkCreateSampler");
}

static void make_words(struct gpu_texels *texels, const struct gpu_test *test)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = WORD_BYTES,
		.usage = VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
			 VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
	};
	VkMemoryRequirements needs;
	gpu_test_expect(vkCreateBuffer(test->device, &info, NULL, &texels->words),
			"vkCreateBuffer");
	vkGetBufferMemoryRequirements(test->device, texels->words, &needs);
	texels->words_memory = gpu_test_allocate(test, &needs, NULL);
	gpu_test_expect(vkBindBufferMemory(test->device, texels->words, texels->words_memory, 0),
			"vkBindBufferMemory");
	gpu_test_name(test, VK_OBJECT_TYPE_BUFFER, (uint64_t)texels->words, "words");
	const VkBufferViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
		.buffer = texels->words,
		.format = VK_FORMAT_R32_UINT,
		.range = VK_WHOLE_SIZE,
	};
	gpu_test_expect(vkCreateBufferView(test->device, &view, NULL, &texels->words_view),
			"vkCreateBufferView");
}

static const VkDescriptorType types[BINDINGS] = {
	VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
	VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
	VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
	VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
	VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER,
	VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
	VK_DESCRIPTOR_TYPE_SAMPLER,
	VK_DESCRIPTOR_TYPE_SAMPLER,
};

static uint32_t count_of(uint32_t binding)
{
	return binding == 5 ? GPU_TEXELS_VIEWS : binding == 6 ? 2 : 1;
}

static void make_layouts(struct gpu_texels *texels, const struct gpu_test *test)
{
	VkDescriptorSetLayoutBinding bindings[BINDINGS];
	VkDescriptorPoolSize sizes[BINDINGS];
	for (uint32_t at = 0; at < BINDINGS; at++) {
		bindings[at] = (VkDescriptorSetLayoutBinding){
			.binding = at,
			.descriptorType = types[at],
			.descriptorCount = count_of(at),
			.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
		};
		sizes[at] = (VkDescriptorPoolSize){types[at], count_of(at)};
	}
	const VkDescriptorSetLayoutCreateInfo set_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = BINDINGS,
		.pBindings = bindings,
	};
	gpu_test_expect(
		vkCreateDescriptorSetLayout(test->device, &set_info, NULL, &texels->set_layout),
		"vkCreateDescriptorSetLayout");
	const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(uint32_t)};
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &texels->set_layout,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &range,
	};
	gpu_test_expect(vkCreatePipelineLayout(test->device, &info, NULL, &texels->layout),
			"vkCreatePipelineLayout");
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 1,
		.poolSizeCount = BINDINGS,
		.pPoolSizes = sizes,
	};
	gpu_test_expect(vkCreateDescriptorPool(test->device, &pool, NULL, &texels->pool),
			"vkCreateDescriptorPool");
}

static void make_set(struct gpu_texels *texels, const struct gpu_test *test)
{
	const VkDescriptorSetAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = texels->pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &texels->set_layout,
	};
	gpu_test_expect(vkAllocateDescriptorSets(test->device, &allocation, &texels->set),
			"vkAllocateDescriptorSets");
	const VkDescriptorBufferInfo buffers[2] = {{test->data.handle, 0, VK_WHOLE_SIZE},
						   {test->result.handle, 0, VK_WHOLE_SIZE}};
	const VkDescriptorImageInfo clamping = {.sampler = texels->clamping};
	VkDescriptorImageInfo images[GPU_TEXELS_VIEWS];
	VkWriteDescriptorSet writes[BINDINGS];
	for (uint32_t at = 0; at < GPU_TEXELS_VIEWS; at++)
		images[at] = (VkDescriptorImageInfo){texels->sampler, texels->views[at],
						     VK_IMAGE_LAYOUT_GENERAL};
	for (uint32_t at = 0; at < BINDINGS; at++)
		writes[at] = (VkWriteDescriptorSet){
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = texels->set,
			.dstBinding = at,
			.descriptorCount = count_of(at),
			.descriptorType = types[at],
			.pBufferInfo = &buffers[at < 2 ? at : 0],
			.pImageInfo = at == 7 ? &clamping : images,
			.pTexelBufferView = &texels->words_view,
		};
	vkUpdateDescriptorSets(test->device, BINDINGS, writes, 0, NULL);
}

void gpu_texels_init(struct gpu_texels *texels, struct gpu_test *test)
{
	*texels = (struct gpu_texels){.pipeline_count = 0};
	make_image(texels, test);
	make_words(texels, test);
	make_layouts(texels, test);
	make_set(texels, test);
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = texels->image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 2, 0, 2},
	};
	vkCmdPipelineBarrier(test->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
			     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0, NULL, 1, &barrier);
}

void gpu_texels_dispatch(struct gpu_texels *texels, struct gpu_test *test, const char *kernel,
			 uint32_t groups)
{
	gpu_texels_dispatch_rows(texels, test, kernel, groups, 1);
}

void gpu_texels_dispatch_rows(struct gpu_texels *texels, struct gpu_test *test, const char *kernel,
			      uint32_t groups, uint32_t rows)
{
	const uint32_t first = 0;
	VkPipeline pipeline = gpu_test_pipeline(test, kernel, texels->layout);
	texels->pipelines[texels->pipeline_count++] = pipeline;
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, texels->layout, 0,
				1, &texels->set, 0, NULL);
	vkCmdPushConstants(test->commands, texels->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
			   sizeof first, &first);
	vkCmdDispatch(test->commands, groups, rows, 1);
}

void gpu_texels_finish(struct gpu_texels *texels, struct gpu_test *test)
{
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	for (uint32_t at = 0; at < texels->pipeline_count; at++)
		vkDestroyPipeline(test->device, texels->pipelines[at], NULL);
	vkDestroyDescriptorPool(test->device, texels->pool, NULL);
	vkDestroyPipelineLayout(test->device, texels->layout, NULL);
	vkDestroyDescriptorSetLayout(test->device, texels->set_layout, NULL);
	vkDestroySampler(test->device, texels->sampler, NULL);
	vkDestroySampler(test->device, texels->clamping, NULL);
	for (uint32_t at = 0; at < GPU_TEXELS_VIEWS; at++)
		vkDestroyImageView(test->device, texels->views[at], NULL);
	vkDestroyImage(test->device, texels->image, NULL);
	vkFreeMemory(test->device, texels->memory, NULL);
	vkDestroyBufferView(test->device, texels->words_view, NULL);
	vkDestroyBuffer(test->device, texels->words, NULL);
	vkFreeMemory(test->device, texels->words_memory, NULL);
}
