// SPDX-License-Identifier: Apache-2.0
// Twins of what shaders may be given: images of every form, device addresses, arrays of
// descriptors, specialization constants, wide and float atomics. Knows nothing of what is to be
// reported.
#include "gpu_draw.h"
#include "twins.h"

#include "address_ranges.spv.h"
#include "array_element.spv.h"
#include "bindless_element.spv.h"
#include "float_atomic_fixed.spv.h"
#include "float_atomic_race.spv.h"
#include "image_1d_fixed.spv.h"
#include "image_1d_race.spv.h"
#include "image_3d_fixed.spv.h"
#include "image_3d_race.spv.h"
#include "image_array_fixed.spv.h"
#include "image_array_race.spv.h"
#include "image_cube_fixed.spv.h"
#include "image_cube_race.spv.h"
#include "image_line_array_fixed.spv.h"
#include "image_line_array_race.spv.h"
#include "image_samples_fixed.spv.h"
#include "image_samples_race.spv.h"
#include "special_size.spv.h"
#include "wide_atomic_fixed.spv.h"
#include "wide_atomic_race.spv.h"

#define ELEMENTS 64u

// A kernel, and what test->layout does not have for it.
struct kernel {
	const uint32_t *words;
	size_t bytes;
	VkDescriptorSetLayoutBinding binding; // of set 0; descriptorCount 0: those of test->set
	VkDescriptorBindingFlags binding_flags;
	const VkSpecializationInfo *special;
	const void *push;
	uint32_t push_bytes;
	// Made by begin_kernel.
	VkDescriptorSet set;
	VkPipelineLayout layout;
};
#define KERNEL(name) .words = name, .bytes = sizeof name
#define TWIN(test, kernel, name)                                                                   \
	do {                                                                                       \
		(kernel)->words = (test)->fixed ? name##_fixed : name##_race;                      \
		(kernel)->bytes = (test)->fixed ? sizeof name##_fixed : sizeof name##_race;        \
	} while (0)

static VkDescriptorSetLayout make_set(struct gpu_test *test, struct kernel *kernel)
{
	const bool late = kernel->binding_flags & VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT;
	VkDescriptorSetLayoutBinding bindings[2] = {
		kernel->binding,
		{1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL}};
	const VkDescriptorBindingFlags flags[2] = {kernel->binding_flags, 0};
	const VkDescriptorSetLayoutBindingFlagsCreateInfo flags_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
		.bindingCount = 2,
		.pBindingFlags = flags,
	};
	const VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.pNext = kernel->binding_flags ? &flags_info : NULL,
		.flags = late ? VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT : 0u,
		.bindingCount = 2,
		.pBindings = bindings,
	};
	const VkDescriptorPoolSize sizes[2] = {
		{kernel->binding.descriptorType, kernel->binding.descriptorCount},
		{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
	const VkDescriptorPoolCreateInfo pool_info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.flags = late ? VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT : 0u,
		.maxSets = 1,
		.poolSizeCount = 2,
		.pPoolSizes = sizes,
	};
	VkDescriptorSetLayout layout;
	VkDescriptorPool pool;
	gpu_test_expect(vkCreateDescriptorSetLayout(test->device, &info, NULL, &layout),
			"vkCreateDescriptorSetLayout");
	gpu_draw_keep(test, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, (uint64_t)layout);
	gpu_test_expect(vkCreateDescriptorPool(test->device, &pool_info, NULL, &pool),
			"vkCreateDescriptorPool");
	gpu_draw_keep(test, VK_OBJECT_TYPE_DESCRIPTOR_POOL, (uint64_t)pool);
	const VkDescriptorSetAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &layout,
	};
	gpu_test_expect(vkAllocateDescriptorSets(test->device, &allocation, &kernel->set),
			"vkAllocateDescriptorSets");
	return layout;
}

static void make_layout(struct gpu_test *test, struct kernel *kernel)
{
	VkDescriptorSetLayout layout = test->set_layout;
	kernel->set = test->set;
	if (kernel->binding.descriptorCount)
		layout = make_set(test, kernel);
	const VkPushConstantRange range = {VK_SHADER_STAGE_ALL, 0, kernel->push_bytes};
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &layout,
		.pushConstantRangeCount = kernel->push_bytes > 0,
		.pPushConstantRanges = &range,
	};
	gpu_test_expect(vkCreatePipelineLayout(test->device, &info, NULL, &kernel->layout),
			"vkCreatePipelineLayout");
	gpu_draw_keep(test, VK_OBJECT_TYPE_PIPELINE_LAYOUT, (uint64_t)kernel->layout);
}

// Records all but the dispatch; kernel->set may still be written where its flags permit.
static void begin_kernel(struct gpu_test *test, struct kernel *kernel)
{
	const VkShaderModuleCreateInfo module_info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = kernel->bytes,
		.pCode = kernel->words,
	};
	VkShaderModule module;
	VkPipeline pipeline;
	make_layout(test, kernel);
	gpu_test_expect(vkCreateShaderModule(test->device, &module_info, NULL, &module),
			"vkCreateShaderModule");
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .module = module,
			  .pName = "main",
			  .pSpecializationInfo = kernel->special},
		.layout = kernel->layout,
	};
	gpu_test_expect(
		vkCreateComputePipelines(test->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
		"vkCreateComputePipelines");
	gpu_draw_keep(test, VK_OBJECT_TYPE_PIPELINE, (uint64_t)pipeline);
	vkDestroyShaderModule(test->device, module, NULL);
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	if (kernel->push_bytes)
		vkCmdPushConstants(test->commands, kernel->layout, VK_SHADER_STAGE_ALL, 0,
				   kernel->push_bytes, kernel->push);
}

static void dispatch(struct gpu_test *test, const struct kernel *kernel, uint32_t groups)
{
	vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0,
				1, &kernel->set, 0, NULL);
	vkCmdDispatch(test->commands, groups, 1, 1);
}

// ---- Images -------------------------------------------------------------------------------------

// A view of all of a new image, 8 texels each way, in layout GENERAL; or of what a chain says.
static VkImageView make_image(struct gpu_test *test, VkImageCreateInfo info, VkImageViewType type,
			      const void *chain, VkImage *made)
{
	VkImage image;
	VkImageView view;
	VkMemoryRequirements needs;
	info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
	info.format = VK_FORMAT_R32_UINT;
	info.mipLevels = 1;
	info.usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
	gpu_test_expect(vkCreateImage(test->device, &info, NULL, &image), "vkCreateImage");
	vkGetImageMemoryRequirements(test->device, image, &needs);
	VkDeviceMemory memory = gpu_test_allocate(test, &needs, NULL);
	gpu_draw_keep(test, VK_OBJECT_TYPE_DEVICE_MEMORY, (uint64_t)memory);
	gpu_draw_keep(test, VK_OBJECT_TYPE_IMAGE, (uint64_t)image);
	gpu_test_expect(vkBindImageMemory(test->device, image, memory, 0), "vkBindImageMemory");
	gpu_test_name(test, VK_OBJECT_TYPE_IMAGE, (uint64_t)image, "image");
	const VkImageViewCreateInfo view_info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.pNext = chain,
		.image = image,
		.viewType = type,
		.format = info.format,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, info.arrayLayers},
	};
	gpu_test_expect(vkCreateImageView(test->device, &view_info, NULL, &view),
			"vkCreateImageView");
	gpu_draw_keep(test, VK_OBJECT_TYPE_IMAGE_VIEW, (uint64_t)view);
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = READ | WRITE | VK_ACCESS_TRANSFER_READ_BIT,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image,
		.subresourceRange = view_info.subresourceRange,
	};
	vkCmdPipelineBarrier(test->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, COMPUTE | TRANSFER,
			     0, 0, NULL, 0, NULL, 1, &barrier);
	*made = image;
	return view;
}

// The texel that one workgroup writes is the one that another reads, or its neighbour.
static VkImage image_form_of(struct gpu_test *test, struct kernel *kernel,
			     const VkImageCreateInfo *info, VkImageViewType type, const void *chain)
{
	VkImage made;
	const VkDescriptorImageInfo image = {VK_NULL_HANDLE,
					     make_image(test, *info, type, chain, &made),
					     VK_IMAGE_LAYOUT_GENERAL};
	const VkDescriptorBufferInfo result = {test->result.handle, 0, VK_WHOLE_SIZE};
	kernel->binding = (VkDescriptorSetLayoutBinding){0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1,
							 VK_SHADER_STAGE_COMPUTE_BIT, NULL};
	begin_kernel(test, kernel);
	const VkWriteDescriptorSet writes[2] = {
		{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		 .dstSet = kernel->set,
		 .descriptorCount = 1,
		 .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
		 .pImageInfo = &image},
		{.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		 .dstSet = kernel->set,
		 .dstBinding = 1,
		 .descriptorCount = 1,
		 .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		 .pBufferInfo = &result}};
	vkUpdateDescriptorSets(test->device, 2, writes, 0, NULL);
	dispatch(test, kernel, 2);
	return made;
}

static void image_form(struct gpu_test *test, struct kernel *kernel, const VkImageCreateInfo *info,
		       VkImageViewType type)
{
	image_form_of(test, kernel, info, type, NULL);
}

static void image_1d(struct gpu_test *test)
{
	struct kernel kernel = {0};
	TWIN(test, &kernel, image_1d);
	image_form(test, &kernel,
		   &(VkImageCreateInfo){.imageType = VK_IMAGE_TYPE_1D,
					.extent = {8, 1, 1},
					.arrayLayers = 1,
					.samples = VK_SAMPLE_COUNT_1_BIT},
		   VK_IMAGE_VIEW_TYPE_1D);
}

static void image_line_array(struct gpu_test *test)
{
	struct kernel kernel = {0};
	TWIN(test, &kernel, image_line_array);
	image_form(test, &kernel,
		   &(VkImageCreateInfo){.imageType = VK_IMAGE_TYPE_1D,
					.extent = {8, 1, 1},
					.arrayLayers = 4,
					.samples = VK_SAMPLE_COUNT_1_BIT},
		   VK_IMAGE_VIEW_TYPE_1D_ARRAY);
}

static void image_3d(struct gpu_test *test)
{
	struct kernel kernel = {0};
	TWIN(test, &kernel, image_3d);
	image_form(test, &kernel,
		   &(VkImageCreateInfo){.imageType = VK_IMAGE_TYPE_3D,
					.extent = {8, 8, 8},
					.arrayLayers = 1,
					.samples = VK_SAMPLE_COUNT_1_BIT},
		   VK_IMAGE_VIEW_TYPE_3D);
}

// A view of some slices: the texel of its slice 2 is in the image's slice 3, which is copied, or
// the one before it.
static void image_sliced(struct gpu_test *test)
{
#ifdef VK_EXT_image_sliced_view_of_3d
	const VkImageViewSlicedCreateInfoEXT sliced = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_SLICED_CREATE_INFO_EXT,
		.sliceOffset = 1,
		.sliceCount = 4,
	};
	const VkBufferImageCopy texel = {
		.bufferOffset = 256,
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageOffset = {5, 6, test->fixed ? 2 : 3},
		.imageExtent = {1, 1, 1},
	};
	struct kernel kernel = {.words = image_3d_fixed, .bytes = sizeof image_3d_fixed};
	if (!test->has_sliced_views)
		gpu_test_skip("no VK_EXT_image_sliced_view_of_3d");
	const VkImage image = image_form_of(test, &kernel,
					    &(VkImageCreateInfo){.imageType = VK_IMAGE_TYPE_3D,
								 .extent = {8, 8, 8},
								 .arrayLayers = 1,
								 .samples = VK_SAMPLE_COUNT_1_BIT},
					    VK_IMAGE_VIEW_TYPE_3D, &sliced);
	vkCmdCopyImageToBuffer(test->commands, image, VK_IMAGE_LAYOUT_GENERAL, test->result.handle,
			       1, &texel);
#else
	(void)test;
	gpu_test_skip("headers without VK_EXT_image_sliced_view_of_3d");
#endif
}

static void image_array(struct gpu_test *test)
{
	struct kernel kernel = {0};
	TWIN(test, &kernel, image_array);
	image_form(test, &kernel,
		   &(VkImageCreateInfo){.imageType = VK_IMAGE_TYPE_2D,
					.extent = {8, 8, 1},
					.arrayLayers = 4,
					.samples = VK_SAMPLE_COUNT_1_BIT},
		   VK_IMAGE_VIEW_TYPE_2D_ARRAY);
}

static void image_cube(struct gpu_test *test)
{
	struct kernel kernel = {0};
	if (!test->has_cube_arrays)
		gpu_test_skip("no imageCubeArray");
	TWIN(test, &kernel, image_cube);
	image_form(test, &kernel,
		   &(VkImageCreateInfo){.flags = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
					.imageType = VK_IMAGE_TYPE_2D,
					.extent = {8, 8, 1},
					.arrayLayers = 12,
					.samples = VK_SAMPLE_COUNT_1_BIT},
		   VK_IMAGE_VIEW_TYPE_CUBE_ARRAY);
}

static void image_samples(struct gpu_test *test)
{
	VkPhysicalDeviceProperties properties;
	struct kernel kernel = {0};
	vkGetPhysicalDeviceProperties(test->physical, &properties);
	if (!test->has_storage_samples ||
	    !(properties.limits.storageImageSampleCounts & VK_SAMPLE_COUNT_4_BIT))
		gpu_test_skip("no storage images of 4 samples");
	TWIN(test, &kernel, image_samples);
	image_form(test, &kernel,
		   &(VkImageCreateInfo){.imageType = VK_IMAGE_TYPE_2D,
					.extent = {8, 8, 1},
					.arrayLayers = 1,
					.samples = VK_SAMPLE_COUNT_4_BIT},
		   VK_IMAGE_VIEW_TYPE_2D);
}

// ---- Buffers ------------------------------------------------------------------------------------

// 64 words behind each of two addresses in one buffer, 32 or 64 words apart.
static void record_address_ranges(struct gpu_test *test)
{
	if (!test->has_addresses)
		gpu_test_skip("no bufferDeviceAddress");
	const VkBufferDeviceAddressInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
		.buffer = test->data.handle,
	};
	const VkDeviceAddress first = vkGetBufferDeviceAddress(test->device, &info);
	const VkDeviceAddress ranges[2] = {first, first + (test->fixed ? 256 : 128)};
	struct kernel kernel = {KERNEL(address_ranges), .push = ranges,
				.push_bytes = sizeof ranges};
	begin_kernel(test, &kernel);
	dispatch(test, &kernel, 2);
}

// Two of 64 descriptors are bound, to two buffers, after the set was.
static void record_bindless_element(struct gpu_test *test)
{
	const uint32_t chosen[2] = {3, test->fixed ? 7 : 3};
	struct kernel kernel = {
		KERNEL(bindless_element),
		.binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, ELEMENTS,
			    VK_SHADER_STAGE_COMPUTE_BIT, NULL},
		.binding_flags = VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT |
				 VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT,
		.push = chosen,
		.push_bytes = sizeof chosen,
	};
	if (!test->has_bindless)
		gpu_test_skip("no descriptor indexing");
	begin_kernel(test, &kernel);
	dispatch(test, &kernel, 2);
	const VkDescriptorBufferInfo buffers[2] = {{test->data.handle, 0, VK_WHOLE_SIZE},
						   {test->result.handle, 0, VK_WHOLE_SIZE}};
	for (uint32_t i = 0; i < 2; i++) {
		const VkWriteDescriptorSet write = {
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = kernel.set,
			.dstArrayElement = i ? 7 : 3,
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.pBufferInfo = &buffers[i],
		};
		vkUpdateDescriptorSets(test->device, 1, &write, 0, NULL);
	}
}

// Each workgroup writes an element of an array of descriptors, or both the same.
static void record_array_element(struct gpu_test *test)
{
	const uint32_t step = test->fixed;
	struct kernel kernel = {
		KERNEL(array_element),
		.binding = {0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2, VK_SHADER_STAGE_COMPUTE_BIT,
			    NULL},
		.push = &step,
		.push_bytes = sizeof step,
	};
	if (!test->has_buffer_arrays)
		gpu_test_skip("no dynamic indexing of buffers");
	begin_kernel(test, &kernel);
	const VkDescriptorBufferInfo buffers[2] = {{test->data.handle, 0, VK_WHOLE_SIZE},
						   {test->result.handle, 0, VK_WHOLE_SIZE}};
	const VkWriteDescriptorSet write = {
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = kernel.set,
		.descriptorCount = 2,
		.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		.pBufferInfo = buffers,
	};
	vkUpdateDescriptorSets(test->device, 1, &write, 0, NULL);
	dispatch(test, &kernel, 2);
}

// Specialized, 48 invocations read each its neighbour's element, or each its own.
static void record_special_size(struct gpu_test *test)
{
	const uint32_t values[3] = {48, 48, test->fixed ? 0 : 1};
	const VkSpecializationMapEntry entries[3] = {{0, 0, 4}, {1, 4, 4}, {2, 8, 4}};
	const VkSpecializationInfo special = {3, entries, sizeof values, values};
	struct kernel kernel = {KERNEL(special_size), .special = &special};
	begin_kernel(test, &kernel);
	dispatch(test, &kernel, 1);
}

static void wide_atomic(struct gpu_test *test)
{
	struct kernel kernel = {0};
	if (!test->has_wide_atomics)
		gpu_test_skip("no shaderBufferInt64Atomics");
	TWIN(test, &kernel, wide_atomic);
	begin_kernel(test, &kernel);
	dispatch(test, &kernel, 2);
}

static void float_atomic(struct gpu_test *test)
{
	struct kernel kernel = {0};
	if (!test->has_float_atomics)
		gpu_test_skip("no VK_EXT_shader_atomic_float");
	TWIN(test, &kernel, float_atomic);
	begin_kernel(test, &kernel);
	dispatch(test, &kernel, 2);
}

const struct gpu_twin gpu_form_twins[] = {
	{"image_1d", image_1d, 0},
	{"image_line_array", image_line_array, 0},
	{"image_3d", image_3d, 0},
	{"image_sliced", image_sliced, 0},
	{"image_array", image_array, 0},
	{"image_cube", image_cube, 0},
	{"image_samples", image_samples, 0},
	{"address_ranges", record_address_ranges, 0},
	{"bindless_element", record_bindless_element, 0},
	{"array_element", record_array_element, 0},
	{"special_size", record_special_size, 0},
	{"wide_atomic", wide_atomic, 0},
	{"float_atomic", float_atomic, 0},
	{NULL, NULL, 0},
};
