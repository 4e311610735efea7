// SPDX-License-Identifier: Apache-2.0
// Runs one shader after the other, with all ordered in between: what races is within a dispatch, or
// within a draw of 8 x 8 fragments. Beside the buffers of the GPU tests there are two texel buffers
// in set 1, and for compute shaders an image in set 2. Knows nothing of what the shaders do.
//
// random_dispatches GROUPS FILE...: FILE.frag.spv is a fragment shader, any other a compute shader;
// without files, it prints how large subgroups are
#include "gpu_draw.h"
#include "gpu_texels.h"

#include "random_area.spv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_file(struct gpu_test_kernel *kernel, const char *path)
{
	FILE *file = fopen(path, "rb");
	uint32_t *words = NULL;
	long bytes = -1;
	if (file && fseek(file, 0, SEEK_END) == 0)
		bytes = ftell(file);
	if (bytes > 0)
		words = malloc((size_t)bytes);
	if (!words || fseek(file, 0, SEEK_SET) != 0 ||
	    fread(words, 1, (size_t)bytes, file) != (size_t)bytes) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(2);
	}
	fclose(file);
	*kernel = (struct gpu_test_kernel){path, words, (size_t)bytes, VK_NULL_HANDLE};
}

// The words of the first buffer from byte 1024 on, which shaders reach through the address at word
// 504 of the second.
static void tell_address(struct gpu_test *test)
{
	const VkBufferDeviceAddressInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
		.buffer = test->data.handle,
	};
	if (!test->has_addresses || !test->has_wide_atomics || !test->has_float_atomics)
		gpu_test_skip("no device addresses, or no atomics on wide numbers or floats");
	const VkDeviceAddress address = vkGetBufferDeviceAddress(test->device, &info) + 1024;
	vkCmdUpdateBuffer(test->commands, test->result.handle, 504 * sizeof(uint32_t),
			  sizeof address, &address);
}

// Words 384 to 447 of the second buffer, which shaders read and never write.
static void write_data(struct gpu_test *test)
{
	uint32_t data[64];
	for (uint32_t at = 0; at < 64; at++)
		data[at] = (at * at * 7 + 3 * at) % 29;
	vkCmdUpdateBuffer(test->commands, test->result.handle, 384 * sizeof *data, sizeof data,
			  data);
}

// Where shaders find the first of these words as a uniform buffer.
static void bind_data(const struct gpu_test *test)
{
	const VkDescriptorBufferInfo data = {test->result.handle, 384 * sizeof(uint32_t), 256};
	const VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = test->set,
		.dstBinding = 2,
		.descriptorCount = 1,
		.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
		.pBufferInfo = &data,
	};
	vkUpdateDescriptorSets(test->device, 1, &write, 0, NULL);
}

#define IMAGES      2
#define IMAGE_BYTES 256

// Two ranges of one buffer.
struct images {
	VkBuffer buffer;
	VkDeviceMemory memory;
	VkBufferView views[IMAGES];
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout; // sets 0 and 2 are others'
	VkDescriptorPool pool;
	VkDescriptorSet set;
};

static void make_views(struct images *images, const struct gpu_test *test)
{
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = IMAGES * IMAGE_BYTES,
		.usage = VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT,
	};
	VkMemoryRequirements needs;
	gpu_test_expect(vkCreateBuffer(test->device, &info, NULL, &images->buffer),
			"vkCreateBuffer");
	vkGetBufferMemoryRequirements(test->device, images->buffer, &needs);
	images->memory = gpu_test_allocate(test, &needs, NULL);
	gpu_test_expect(vkBindBufferMemory(test->device, images->buffer, images->memory, 0),
			"vkBindBufferMemory");
	for (uint32_t at = 0; at < IMAGES; at++) {
		const VkBufferViewCreateInfo view = {
			.sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
			.buffer = images->buffer,
			.format = VK_FORMAT_R32_UINT,
			.offset = at * IMAGE_BYTES,
			.range = IMAGE_BYTES,
		};
		gpu_test_expect(vkCreateBufferView(test->device, &view, NULL, &images->views[at]),
				"vkCreateBufferView");
	}
}

static void make_set(struct images *images, const struct gpu_test *test)
{
	const VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
	VkDescriptorSetLayoutBinding bindings[IMAGES];
	VkWriteDescriptorSet writes[IMAGES];
	for (uint32_t at = 0; at < IMAGES; at++)
		bindings[at] = (VkDescriptorSetLayoutBinding){
			.binding = at,
			.descriptorType = type,
			.descriptorCount = 1,
			.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
		};
	const VkDescriptorSetLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = IMAGES,
		.pBindings = bindings,
	};
	gpu_test_expect(
		vkCreateDescriptorSetLayout(test->device, &layout, NULL, &images->set_layout),
		"vkCreateDescriptorSetLayout");
	const VkDescriptorPoolSize size = {type, IMAGES};
	const VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 1,
		.poolSizeCount = 1,
		.pPoolSizes = &size,
	};
	gpu_test_expect(vkCreateDescriptorPool(test->device, &pool, NULL, &images->pool),
			"vkCreateDescriptorPool");
	const VkDescriptorSetAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = images->pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &images->set_layout,
	};
	gpu_test_expect(vkAllocateDescriptorSets(test->device, &allocation, &images->set),
			"vkAllocateDescriptorSets");
	for (uint32_t at = 0; at < IMAGES; at++)
		writes[at] = (VkWriteDescriptorSet){
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = images->set,
			.dstBinding = at,
			.descriptorCount = 1,
			.descriptorType = type,
			.pTexelBufferView = &images->views[at],
		};
	vkUpdateDescriptorSets(test->device, IMAGES, writes, 0, NULL);
}

static void images_init(struct images *images, const struct gpu_test *test,
			const struct gpu_texels *texels)
{
	make_views(images, test);
	make_set(images, test);
	const VkDescriptorSetLayout sets[3] = {test->set_layout, images->set_layout,
					       texels->set_layout};
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 3,
		.pSetLayouts = sets,
	};
	gpu_test_expect(vkCreatePipelineLayout(test->device, &info, NULL, &images->layout),
			"vkCreatePipelineLayout");
}

static void images_finish(struct images *images, const struct gpu_test *test)
{
	vkDestroyPipelineLayout(test->device, images->layout, NULL);
	vkDestroyDescriptorPool(test->device, images->pool, NULL);
	vkDestroyDescriptorSetLayout(test->device, images->set_layout, NULL);
	for (uint32_t at = 0; at < IMAGES; at++)
		vkDestroyBufferView(test->device, images->views[at], NULL);
	vkDestroyBuffer(test->device, images->buffer, NULL);
	vkFreeMemory(test->device, images->memory, NULL);
}

// The kernel's pipeline belongs to the test, which destroys it.
static void dispatch(struct gpu_test *test, const struct images *images,
		     const struct gpu_texels *texels, struct gpu_test_kernel *kernel,
		     uint32_t groups)
{
	const VkDescriptorSet sets[3] = {test->set, images->set, texels->set};
	kernel->pipeline = gpu_test_pipeline(test, kernel->name, images->layout);
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
	vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, images->layout, 0,
				3, sets, 0, NULL);
	vkCmdDispatch(test->commands, groups, 1, 1);
}

static bool is_fragment(const struct gpu_test_kernel *kernel)
{
	static const char end[] = ".frag.spv";
	const size_t length = strlen(kernel->name);
	return length >= sizeof end && strcmp(kernel->name + length + 1 - sizeof end, end) == 0;
}

// One fragment for each of 8 x 8 pixels, without an attachment.
static void draw(struct gpu_test *test, const struct gpu_test_kernel *kernel)
{
	struct gpu_draw_pass pass = {0};
	const struct gpu_draw_pipeline pipeline = {
		.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, random_area, sizeof random_area},
			    {VK_SHADER_STAGE_FRAGMENT_BIT, kernel->words, kernel->bytes}},
		.shader_count = 2,
		.area = 8};
	if (!test->has_fragment_stores || !test->has_demote)
		gpu_test_skip("no stores by fragments, or no demotion to helper invocations");
	gpu_draw_pass_make(test, &pass);
	gpu_draw_begin(test, &pass, gpu_draw_all());
	gpu_draw_bind(test, &pass, &pipeline);
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
}

static int tell_subgroups(void)
{
	struct gpu_test_kernel none = {0};
	struct gpu_test test;
	VkPhysicalDeviceSubgroupProperties subgroups = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &subgroups};
	gpu_test_init(&test, &none, false);
	vkGetPhysicalDeviceProperties2(test.physical, &properties);
	printf("%u\n", subgroups.subgroupSize);
	gpu_test_submit(&test, 1);
	gpu_test_finish(&test);
	return 0;
}

static struct gpu_test_kernel *read_kernels(int count, char **files)
{
	struct gpu_test_kernel *kernels = calloc((size_t)count + 1, sizeof *kernels);
	if (!kernels)
		exit(2);
	for (int at = 0; at < count; at++)
		read_file(&kernels[at], files[at]);
	return kernels;
}

int main(int count, char **arguments)
{
	const VkAccessFlags all = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
	const VkPipelineStageFlags stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	struct gpu_test test;
	struct gpu_texels texels;
	struct images images;
	if (count == 2)
		return tell_subgroups();
	if (count < 3)
		return 2;
	struct gpu_test_kernel *kernels = read_kernels(count - 2, arguments + 2);
	gpu_test_init(&test, kernels, false);
	tell_address(&test);
	write_data(&test);
	bind_data(&test);
	gpu_texels_init(&texels, &test);
	images_init(&images, &test, &texels);
	gpu_test_barrier(&test, stages, all, stages, all);
	for (struct gpu_test_kernel *kernel = kernels; kernel->name; kernel++) {
		if (is_fragment(kernel))
			draw(&test, kernel);
		else
			dispatch(&test, &images, &texels, kernel, (uint32_t)atoi(arguments[1]));
		gpu_test_barrier(&test, stages, all, stages, all);
	}
	gpu_texels_finish(&texels, &test);
	images_finish(&images, &test);
	gpu_test_finish(&test);
	for (const struct gpu_test_kernel *kernel = kernels; kernel->name; kernel++)
		free((void *)(uintptr_t)kernel->words);
	free(kernels);
	return 0;
}
