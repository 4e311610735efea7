// SPDX-License-Identifier: Apache-2.0
// Draws through every stage of the graphics pipeline and prints a checksum of the image.
// Knows nothing of the layer.
#include "gpu_draw.h"

#include <stdio.h>
#include <string.h>

#include "paint_fragment.spv.h"
#include "paint_geometry.spv.h"
#include "paint_patch.spv.h"
#include "paint_points.spv.h"
#include "paint_vertex.spv.h"

#define IMAGE_BYTES (GPU_DRAW_WIDTH * GPU_DRAW_HEIGHT * 4u)

static const struct gpu_draw_shader
	vertex = {VK_SHADER_STAGE_VERTEX_BIT, paint_vertex, sizeof paint_vertex},
	patch = {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT, paint_patch, sizeof paint_patch},
	points = {VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, paint_points, sizeof paint_points},
	geometry = {VK_SHADER_STAGE_GEOMETRY_BIT, paint_geometry, sizeof paint_geometry},
	fragment = {VK_SHADER_STAGE_FRAGMENT_BIT, paint_fragment, sizeof paint_fragment};

// One range a stage, which the stages of a draw push one by one.
static VkPipelineLayout make_layout(struct gpu_test *test)
{
	const VkPushConstantRange ranges[2] = {{VK_SHADER_STAGE_VERTEX_BIT, 0, 16},
					       {VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16}};
	const VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &test->set_layout,
		.pushConstantRangeCount = 2,
		.pPushConstantRanges = ranges,
	};
	VkPipelineLayout layout;
	gpu_test_expect(vkCreatePipelineLayout(test->device, &info, NULL, &layout),
			"vkCreatePipelineLayout");
	return layout;
}

static void fill(struct gpu_test *test)
{
	const float turns[16] = {0.1f, 0.9f, 0.4f, 1.7f, 0.6f, 1.1f, 0.3f, 0.8f};
	const float scale[4] = {0.8f, 0.7f};
	float data[16];
	memcpy(data, turns, sizeof data);
	memcpy(data, scale, sizeof scale);
	vkCmdUpdateBuffer(test->commands, test->data.handle, 0, sizeof data, data);
	vkCmdFillBuffer(test->commands, test->result.handle, 0, 256, 0);
	gpu_test_barrier(test, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
			 VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
			 VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT |
				 VK_ACCESS_UNIFORM_READ_BIT);
}

static void paint(struct gpu_test *test, const struct gpu_draw_pass *pass, VkPipelineLayout layout,
		  struct gpu_draw_pipeline pipeline, float shift)
{
	const float at[4] = {shift, -shift}, wash[4] = {shift, 0.25f, 0.5f, 0.5f};
	pipeline.layout = layout;
	pipeline.blends = true;
	gpu_draw_bind(test, pass, &pipeline);
	vkCmdPushConstants(test->commands, layout, VK_SHADER_STAGE_VERTEX_BIT, 0, 16, at);
	vkCmdPushConstants(test->commands, layout, VK_SHADER_STAGE_FRAGMENT_BIT, 16, 16, wash);
	vkCmdDraw(test->commands, 3, 4, 0, 0);
}

static void paint_all(struct gpu_test *test, const struct gpu_draw_pass *pass,
		      VkPipelineLayout layout)
{
	gpu_draw_begin(test, pass, gpu_draw_all());
	paint(test, pass, layout,
	      (struct gpu_draw_pipeline){.shaders = {vertex, fragment}, .shader_count = 2}, 0.1f);
	if (test->has_tessellation)
		paint(test, pass, layout,
		      (struct gpu_draw_pipeline){.shaders = {vertex, patch, points, fragment},
						 .shader_count = 4,
						 .patch_points = 3},
		      -0.2f);
	if (test->has_geometry)
		paint(test, pass, layout,
		      (struct gpu_draw_pipeline){.shaders = {vertex, geometry, fragment},
						 .shader_count = 3},
		      0.3f);
	vkCmdEndRenderPass(test->commands);
}

// A buffer that the host can read.
static void make_pixels(struct gpu_test *test, struct gpu_test_buffer *buffer)
{
	const VkMemoryPropertyFlags wanted =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = buffer->bytes,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
	};
	VkPhysicalDeviceMemoryProperties memory;
	VkMemoryRequirements needs;
	gpu_test_expect(vkCreateBuffer(test->device, &info, NULL, &buffer->handle),
			"vkCreateBuffer");
	vkGetBufferMemoryRequirements(test->device, buffer->handle, &needs);
	vkGetPhysicalDeviceMemoryProperties(test->physical, &memory);
	VkMemoryAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.allocationSize = needs.size,
	};
	while (!(needs.memoryTypeBits >> allocation.memoryTypeIndex & 1) ||
	       (memory.memoryTypes[allocation.memoryTypeIndex].propertyFlags & wanted) != wanted)
		allocation.memoryTypeIndex++;
	gpu_test_expect(vkAllocateMemory(test->device, &allocation, NULL, &buffer->memory),
			"vkAllocateMemory");
	gpu_test_expect(vkBindBufferMemory(test->device, buffer->handle, buffer->memory, 0),
			"vkBindBufferMemory");
}

static void print_image(struct gpu_test *test, const struct gpu_draw_image *image)
{
	struct gpu_test_buffer pixels = {.bytes = IMAGE_BYTES};
	make_pixels(test, &pixels);
	const VkBufferImageCopy copy = {
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageExtent = {GPU_DRAW_WIDTH, GPU_DRAW_HEIGHT, 1},
	};
	vkCmdCopyImageToBuffer(test->commands, image->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
			       pixels.handle, 1, &copy);
	gpu_test_barrier(test, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
			 VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
	gpu_test_submit(test, 1);
	vkDeviceWaitIdle(test->device);
	void *map;
	gpu_test_expect(vkMapMemory(test->device, pixels.memory, 0, VK_WHOLE_SIZE, 0, &map),
			"vkMapMemory");
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	size_t painted = 0;
	for (size_t i = 0; i < IMAGE_BYTES; i++) {
		const unsigned char byte = ((const unsigned char *)map)[i];
		hash = (hash ^ byte) * UINT64_C(0x100000001b3);
		painted += i % 4 == 0 && byte != 0;
	}
	printf("%016llx, %zu pixels\n", (unsigned long long)hash, painted);
	vkDestroyBuffer(test->device, pixels.handle, NULL);
	vkFreeMemory(test->device, pixels.memory, NULL);
}

int main(void)
{
	struct gpu_test_kernel none = {NULL, NULL, 0, VK_NULL_HANDLE};
	struct gpu_test test;
	gpu_test_init(&test, &none, true);
	if (!test.has_fragment_stores)
		gpu_test_skip("no fragmentStoresAndAtomics");
	struct gpu_draw_image image =
		gpu_draw_image(&test, VK_FORMAT_R8G8B8A8_UNORM, 1, VK_SAMPLE_COUNT_1_BIT, "image");
	struct gpu_draw_image depth =
		gpu_draw_image(&test, VK_FORMAT_D32_SFLOAT, 1, VK_SAMPLE_COUNT_1_BIT, "depth");
	const VkSubpassDependency behind = {
		.srcSubpass = 0,
		.dstSubpass = VK_SUBPASS_EXTERNAL,
		.srcStageMask = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
		.dstStageMask = VK_PIPELINE_STAGE_TRANSFER_BIT,
		.srcAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT,
	};
	struct gpu_draw_pass pass = {
		.color = {&image, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_STORE,
			  VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
			  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL},
		.depth = {&depth, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_ATTACHMENT_STORE_OP_DONT_CARE,
			  VK_IMAGE_LAYOUT_UNDEFINED,
			  VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
			  VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL},
		.dependencies = &behind,
		.dependency_count = 1,
	};
	gpu_draw_pass_make(&test, &pass);
	VkPipelineLayout layout = make_layout(&test);
	fill(&test);
	paint_all(&test, &pass, layout);
	print_image(&test, &image);
	vkDestroyPipelineLayout(test.device, layout, NULL);
	gpu_test_finish(&test);
	return 0;
}
