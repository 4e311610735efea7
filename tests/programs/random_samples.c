// SPDX-License-Identifier: Apache-2.0
// random_samples SEED FRAGMENT.spv [all]: draws once with the shader, which samples image 0 of its
// set, of 64 x 64 texels and 7 levels, with a sampler that the seed chooses, then copies over some
// of its texels without a barrier. With `all`, the image has two layers, and all of it is copied
// over. Knows nothing of what is to be reported.
#include "gpu_draw.h"

#include "samples_area.spv.h"

#include <stdio.h>
#include <stdlib.h>

#define SIZE   64u
#define LEVELS 7u
#define COPIES 40u
#define FORMAT VK_FORMAT_R8G8B8A8_UNORM

static const float steps[4] = {1.0f / SIZE, 1.5f / SIZE, -0.25f, 3};

struct scene {
	VkImage image;
	VkImageView view;
	VkSampler sampler;
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkDescriptorSet set;
	bool all;
};

static uint32_t below(uint32_t *random, uint32_t end)
{
	*random = *random * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)(*random >> 8) * end) >> 24);
}

static void make_image(struct gpu_test *test, struct scene *scene)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = FORMAT,
		.extent = {SIZE, SIZE, 1},
		.mipLevels = LEVELS,
		.arrayLayers = scene->all ? 2 : 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
	};
	VkMemoryRequirements needs;
	gpu_test_expect(vkCreateImage(test->device, &info, NULL, &scene->image), "vkCreateImage");
	gpu_test_name(test, VK_OBJECT_TYPE_IMAGE, (uint64_t)scene->image, "texels");
	vkGetImageMemoryRequirements(test->device, scene->image, &needs);
	VkDeviceMemory memory = gpu_test_allocate(test, &needs, NULL);
	gpu_draw_keep(test, VK_OBJECT_TYPE_DEVICE_MEMORY, (uint64_t)memory);
	gpu_test_expect(vkBindImageMemory(test->device, scene->image, memory, 0),
			"vkBindImageMemory");
	gpu_draw_keep(test, VK_OBJECT_TYPE_IMAGE, (uint64_t)scene->image);
}

// One level, or several.
static void make_view(struct gpu_test *test, struct scene *scene, uint32_t *random)
{
	const VkImageViewCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = scene->image,
		.viewType = scene->all ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
		.format = FORMAT,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0,
				     below(random, 2) == 0 ? 1 : LEVELS, 0,
				     VK_REMAINING_ARRAY_LAYERS},
	};
	gpu_test_expect(vkCreateImageView(test->device, &info, NULL, &scene->view),
			"vkCreateImageView");
	gpu_draw_keep(test, VK_OBJECT_TYPE_IMAGE_VIEW, (uint64_t)scene->view);
}

static void make_sampler(struct gpu_test *test, struct scene *scene, uint32_t *random)
{
	VkSamplerCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
		.magFilter = (VkFilter)below(random, 2),
		.minFilter = (VkFilter)below(random, 2),
		.mipmapMode = (VkSamplerMipmapMode)below(random, 2),
		.addressModeU = (VkSamplerAddressMode)below(random, 4),
		.addressModeV = (VkSamplerAddressMode)below(random, 4),
		.maxLod = VK_LOD_CLAMP_NONE,
	};
	if (below(random, 2) == 0)
		info.minFilter = info.magFilter;
	if (below(random, 3) == 0)
		info.mipLodBias = 1.25f;
	gpu_test_expect(vkCreateSampler(test->device, &info, NULL, &scene->sampler),
			"vkCreateSampler");
	gpu_draw_keep(test, VK_OBJECT_TYPE_SAMPLER, (uint64_t)scene->sampler);
}

static void make_layout(struct gpu_test *test, struct scene *scene)
{
	const VkDescriptorType type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
	const VkDescriptorSetLayoutBinding binding = {0, type, 1, VK_SHADER_STAGE_FRAGMENT_BIT,
						      NULL};
	const VkDescriptorSetLayoutCreateInfo set_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = 1,
		.pBindings = &binding,
	};
	const VkPushConstantRange range = {VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof steps};
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &scene->set_layout,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &range,
	};
	gpu_test_expect(
		vkCreateDescriptorSetLayout(test->device, &set_info, NULL, &scene->set_layout),
		"vkCreateDescriptorSetLayout");
	gpu_draw_keep(test, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, (uint64_t)scene->set_layout);
	gpu_test_expect(vkCreatePipelineLayout(test->device, &info, NULL, &scene->layout),
			"vkCreatePipelineLayout");
	gpu_draw_keep(test, VK_OBJECT_TYPE_PIPELINE_LAYOUT, (uint64_t)scene->layout);
}

static void make_set(struct gpu_test *test, struct scene *scene)
{
	const VkDescriptorType type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
	const VkDescriptorPoolSize size = {type, 1};
	const VkDescriptorPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 1,
		.poolSizeCount = 1,
		.pPoolSizes = &size,
	};
	VkDescriptorPool pool;
	gpu_test_expect(vkCreateDescriptorPool(test->device, &info, NULL, &pool),
			"vkCreateDescriptorPool");
	gpu_draw_keep(test, VK_OBJECT_TYPE_DESCRIPTOR_POOL, (uint64_t)pool);
	const VkDescriptorSetAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &scene->set_layout,
	};
	gpu_test_expect(vkAllocateDescriptorSets(test->device, &allocation, &scene->set),
			"vkAllocateDescriptorSets");
	const VkDescriptorImageInfo image = {scene->sampler, scene->view, VK_IMAGE_LAYOUT_GENERAL};
	const VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = scene->set,
		.descriptorCount = 1,
		.descriptorType = type,
		.pImageInfo = &image,
	};
	vkUpdateDescriptorSets(test->device, 1, &write, 0, NULL);
}

static void make_general(struct gpu_test *test, const struct scene *scene)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = scene->image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, LEVELS, 0,
				     VK_REMAINING_ARRAY_LAYERS},
	};
	vkCmdPipelineBarrier(test->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
			     VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
			     0, 0, NULL, 0, NULL, 1, &barrier);
}

// Texels of rows of their own: no two are the same.
static void copy(struct gpu_test *test, const struct scene *scene, uint32_t *random)
{
	for (uint32_t at = 0; at < COPIES; at++) {
		const uint32_t level = at < 32 ? 0 : 1 + at % 2, size = SIZE >> level;
		const VkBufferImageCopy one = {
			.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1},
			.imageOffset = {(int32_t)below(random, size),
					(int32_t)((level == 0 ? 2 * at : at - 30) % size), 0},
			.imageExtent = {1, 1, 1}};
		vkCmdCopyBufferToImage(test->commands, test->data.handle, scene->image,
				       VK_IMAGE_LAYOUT_GENERAL, 1, &one);
	}
}

static void copy_all(struct gpu_test *test, const struct scene *scene)
{
	for (uint32_t level = 0; level < LEVELS; level++) {
		const VkBufferImageCopy one = {
			.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 2},
			.imageExtent = {SIZE >> level, SIZE >> level, 1}};
		vkCmdCopyBufferToImage(test->commands, test->data.handle, scene->image,
				       VK_IMAGE_LAYOUT_GENERAL, 1, &one);
	}
}

static size_t read_words(const char *path, uint32_t *words, size_t bytes)
{
	FILE *file = fopen(path, "rb");
	const size_t got = file ? fread(words, 1, bytes, file) : 0;
	if (file)
		fclose(file);
	return got;
}

int main(int argc, char **argv)
{
	static uint32_t words[1u << 16];
	struct gpu_test_kernel none = {0};
	struct gpu_test test;
	struct scene scene = {.all = argc > 3};
	if (argc < 3)
		return 2;
	uint32_t random = (uint32_t)strtoul(argv[1], NULL, 10) * 2654435761u;
	const size_t bytes = read_words(argv[2], words, sizeof words);
	gpu_test_init(&test, &none, false);
	make_image(&test, &scene);
	make_view(&test, &scene, &random);
	make_sampler(&test, &scene, &random);
	make_layout(&test, &scene);
	make_set(&test, &scene);
	make_general(&test, &scene);
	struct gpu_draw_pass pass = {0};
	gpu_draw_pass_make(&test, &pass);
	gpu_draw_bind(
		&test, &pass,
		&(struct gpu_draw_pipeline){
			.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, samples_area, sizeof samples_area},
				    {VK_SHADER_STAGE_FRAGMENT_BIT, words, bytes}},
			.shader_count = 2,
			.layout = scene.layout,
			.set = scene.set});
	vkCmdPushConstants(test.commands, scene.layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0,
			   sizeof steps, steps);
	gpu_draw_begin(&test, &pass, gpu_draw_all());
	vkCmdDraw(test.commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test.commands);
	if (scene.all)
		copy_all(&test, &scene);
	else
		copy(&test, &scene, &random);
	gpu_test_submit(&test, 1);
	gpu_test_finish(&test);
	return 0;
}
