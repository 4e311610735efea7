// SPDX-License-Identifier: Apache-2.0
// Twins of commands that headers of Debian 12 do not have: skipped where the headers or the driver
// lack them. Knows nothing of what is to be reported.
#include "gpu_draw.h"
#include "gpu_texels.h"
#include "twins.h"

#include <string.h>

#ifdef VK_KHR_maintenance6
// The second dispatch gets its set and its constant by the second forms: without them it would
// touch the words of the first.
static void second_forms(struct gpu_test *test)
{
	PFN_vkCmdBindDescriptorSets2KHR bind = (PFN_vkCmdBindDescriptorSets2KHR)vkGetDeviceProcAddr(
		test->device, "vkCmdBindDescriptorSets2KHR");
	PFN_vkCmdPushConstants2KHR push = (PFN_vkCmdPushConstants2KHR)vkGetDeviceProcAddr(
		test->device, "vkCmdPushConstants2KHR");
	if (!test->has_maintenance6 || !bind || !push)
		gpu_test_skip("no maintenance6");
	VkDescriptorPool pool;
	const VkDescriptorSet set = gpu_test_swapped_set(test, &pool);
	const uint32_t far = 256;
	const VkBindDescriptorSetsInfoKHR swap = {
		.sType = VK_STRUCTURE_TYPE_BIND_DESCRIPTOR_SETS_INFO_KHR,
		.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
		.layout = test->layout,
		.descriptorSetCount = 1,
		.pDescriptorSets = &set,
	};
	const VkPushConstantsInfoKHR move = {
		.sType = VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO_KHR,
		.layout = test->layout,
		.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
		.size = sizeof far,
		.pValues = &far,
	};
	gpu_test_dispatch(test, "write_words", 1, 0);
	bind(test->commands, &swap);
	vkCmdDispatch(test->commands, 1, 1, 1); // writes the other buffer
	if (test->fixed)
		push(test->commands, &move);
	vkCmdDispatch(test->commands, 1, 1, 1); // writes it again, or further on
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyDescriptorPool(test->device, pool, NULL);
}
#else
static void second_forms(struct gpu_test *test)
{
	(void)test;
	gpu_test_skip("headers without maintenance6");
}
#endif

#ifdef VK_KHR_device_address_commands
// Vertices by their address, behind a barrier of a range of addresses.
static void vertex_address(struct gpu_test *test)
{
	static const float triangle[3][4] = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
	if (!test->has_address_commands)
		gpu_test_skip("no device address commands");
	const VkBufferDeviceAddressInfo of = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
		.buffer = test->data.handle,
	};
	const VkDeviceAddressRangeKHR range = {vkGetBufferDeviceAddress(test->device, &of) + 256,
					       sizeof triangle};
	const VkMemoryRangeBarrierKHR barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_RANGE_BARRIER_KHR,
		.srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
		.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT,
		.dstStageMask = test->fixed ? VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT
					    : VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT,
		.dstAccessMask = test->fixed ? VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT
					     : VK_ACCESS_2_SHADER_READ_BIT,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.addressRange = range,
	};
	const VkMemoryRangeBarriersInfoKHR barriers = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_RANGE_BARRIERS_INFO_KHR,
		.memoryRangeBarrierCount = 1,
		.pMemoryRangeBarriers = &barrier,
	};
	const VkDependencyInfo dependency = {
		.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
		.pNext = &barriers,
	};
	const VkBindVertexBuffer3InfoKHR vertices = {
		.sType = VK_STRUCTURE_TYPE_BIND_VERTEX_BUFFER_3_INFO_KHR,
		.addressRange = {range.address, range.size, 0},
	};
	struct gpu_draw_pass pass = {0};
	vkCmdUpdateBuffer(test->commands, test->data.handle, 256, sizeof triangle, triangle);
	vkCmdPipelineBarrier2(test->commands, &dependency);
	((PFN_vkCmdBindVertexBuffers3KHR)vkGetDeviceProcAddr(
		test->device, "vkCmdBindVertexBuffers3KHR"))(test->commands, 0, 1, &vertices);
	gpu_draw_pass_make(test, &pass);
	gpu_draw_bind(test, &pass, &(struct gpu_draw_pipeline){.fetches = true, .stride = 16});
	gpu_draw_begin(test, &pass, gpu_draw_all());
	vkCmdDraw(test->commands, 3, 1, 0, 0);
	vkCmdEndRenderPass(test->commands);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
}

static VkDeviceAddress address_of(const struct gpu_test *test, VkBuffer buffer)
{
	const VkBufferDeviceAddressInfo of = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
		.buffer = buffer,
	};
	return vkGetBufferDeviceAddress(test->device, &of);
}

// Filled and copied by address.
static void memory_address(struct gpu_test *test)
{
	if (!test->has_address_commands)
		gpu_test_skip("no device address commands");
	const VkDeviceAddressRangeKHR filled = {address_of(test, test->data.handle) + 256, 64};
	const VkDeviceMemoryCopyKHR region = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_MEMORY_COPY_KHR,
		.srcRange = filled,
		.dstRange = {address_of(test, test->result.handle), 64},
	};
	const VkCopyDeviceMemoryInfoKHR copy = {
		.sType = VK_STRUCTURE_TYPE_COPY_DEVICE_MEMORY_INFO_KHR,
		.regionCount = 1,
		.pRegions = &region,
	};
	((PFN_vkCmdFillMemoryKHR)vkGetDeviceProcAddr(test->device, "vkCmdFillMemoryKHR"))(
		test->commands, &filled, 0, 7);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, TRANSFER,
				 VK_ACCESS_TRANSFER_READ_BIT);
	((PFN_vkCmdCopyMemoryKHR)vkGetDeviceProcAddr(test->device, "vkCmdCopyMemoryKHR"))(
		test->commands, &copy);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
}

#define LOAD(test, name) ((PFN_##name)vkGetDeviceProcAddr((test)->device, #name))

// Arguments at offset 2048, ordered before what reads them, or not.
static void put_arguments(struct gpu_test *test, uint32_t bytes, const void *arguments)
{
	if (!test->has_address_commands)
		gpu_test_skip("no device address commands");
	vkCmdUpdateBuffer(test->commands, test->data.handle, 2048, bytes, arguments);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, INDIRECT,
				 VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
}

// A draw whose arguments, and whose number, are at addresses.
static void draw_address(struct gpu_test *test)
{
	const struct {
		uint32_t count, none[3];
		VkDrawIndirectCommand draw;
	} arguments = {1, {0, 0, 0}, {3, 1, 0, 0}};
	put_arguments(test, sizeof arguments, &arguments);
	const VkDeviceAddress at = address_of(test, test->data.handle) + 2048;
	const VkDrawIndirectCount2InfoKHR counted = {
		.sType = VK_STRUCTURE_TYPE_DRAW_INDIRECT_COUNT_2_INFO_KHR,
		.addressRange = {at + 16, sizeof arguments.draw, sizeof arguments.draw},
		.countAddressRange = {at, 4},
		.maxDrawCount = 1,
	};
	const VkDrawIndirect2InfoKHR single = {
		.sType = VK_STRUCTURE_TYPE_DRAW_INDIRECT_2_INFO_KHR,
		.addressRange = counted.addressRange,
		.drawCount = 1,
	};
	struct gpu_draw_pass pass = {0};
	gpu_draw_pass_make(test, &pass);
	gpu_draw_bind(test, &pass, &(struct gpu_draw_pipeline){0});
	gpu_draw_begin(test, &pass, gpu_draw_all());
	LOAD(test, vkCmdDrawIndirect2KHR)(test->commands, &single);
	if (test->has_draw_count)
		LOAD(test, vkCmdDrawIndirectCount2KHR)(test->commands, &counted);
	vkCmdEndRenderPass(test->commands);
}

// A dispatch whose arguments are at an address, behind one that writes the same.
static void dispatch_address(struct gpu_test *test)
{
	const VkDispatchIndirectCommand one = {1, 1, 1};
	put_arguments(test, sizeof one, &one);
	const VkDispatchIndirect2InfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_DISPATCH_INDIRECT_2_INFO_KHR,
		.addressRange = {address_of(test, test->data.handle) + 2048, sizeof one},
	};
	gpu_test_dispatch(test, "write_words", 1, 0);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
	LOAD(test, vkCmdDispatchIndirect2KHR)(test->commands, &info);
}

// An image is filled from an address and copied to another one.
static void image_address(struct gpu_test *test)
{
	struct gpu_texels texels;
	if (!test->has_address_commands)
		gpu_test_skip("no device address commands");
	VkDeviceMemoryImageCopyKHR region = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_MEMORY_IMAGE_COPY_KHR,
		.addressRange = {address_of(test, test->data.handle) + 256, 64},
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
		.imageLayout = VK_IMAGE_LAYOUT_GENERAL,
		.imageExtent = {16, 1, 1},
	};
	VkCopyDeviceMemoryImageInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_COPY_DEVICE_MEMORY_IMAGE_INFO_KHR,
		.regionCount = 1,
		.pRegions = &region,
	};
	gpu_texels_init(&texels, test);
	info.image = texels.image;
	vkCmdFillBuffer(test->commands, test->data.handle, 256, 64, 7);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, TRANSFER,
				 VK_ACCESS_TRANSFER_READ_BIT);
	LOAD(test, vkCmdCopyMemoryToImageKHR)(test->commands, &info);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, TRANSFER,
				 VK_ACCESS_TRANSFER_READ_BIT);
	region.addressRange.address = address_of(test, test->result.handle);
	LOAD(test, vkCmdCopyImageToMemoryKHR)(test->commands, &info);
	gpu_texels_finish(&texels, test);
}
#else
static void vertex_address(struct gpu_test *test)
{
	(void)test;
	gpu_test_skip("headers without VK_KHR_device_address_commands");
}

#define draw_address     vertex_address
#define dispatch_address vertex_address
#define image_address    vertex_address

static void memory_address(struct gpu_test *test)
{
	vertex_address(test);
}
#endif

#ifdef VK_KHR_maintenance5
// A pipeline whose code stands in its stage, and whose flags in the structure of the second ones.
static VkPipeline inline_pipeline(struct gpu_test *test, const char *name)
{
	const struct gpu_test_kernel *kernel = test->kernels;
	while (strcmp(kernel->name, name) != 0)
		kernel++;
	const VkShaderModuleCreateInfo code = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = kernel->bytes,
		.pCode = kernel->words,
	};
	const VkPipelineCreateFlags2CreateInfoKHR flags = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
		.flags = VK_PIPELINE_CREATE_2_DISABLE_OPTIMIZATION_BIT_KHR,
	};
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.pNext = &flags,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .pNext = &code,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .pName = "main"},
		.layout = test->layout,
	};
	VkPipeline pipeline;
	gpu_test_expect(
		vkCreateComputePipelines(test->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
		"vkCreateComputePipelines");
	return pipeline;
}

static void inline_code(struct gpu_test *test)
{
	const uint32_t first = 0;
	if (!test->has_maintenance5)
		gpu_test_skip("no maintenance5");
	const VkPipeline pipeline = inline_pipeline(test, "write_words");
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, test->layout, 0, 1,
				&test->set, 0, NULL);
	vkCmdPushConstants(test->commands, test->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
			   sizeof first, &first);
	vkCmdDispatch(test->commands, 2, 1, 1);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
	vkCmdDispatch(test->commands, 2, 1, 1);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyPipeline(test->device, pipeline, NULL);
}
#else
static void inline_code(struct gpu_test *test)
{
	(void)test;
	gpu_test_skip("headers without maintenance5");
}
#endif

// The host writes a buffer that is copied from: one whose usages are in the structure of the second
// ones, where there is one, in memory of the type that the device tells before it is made.
static void watch_usages(struct gpu_test *test)
{
	const PFN_vkGetDeviceBufferMemoryRequirements get =
		(PFN_vkGetDeviceBufferMemoryRequirements)vkGetDeviceProcAddr(
			test->device, "vkGetDeviceBufferMemoryRequirements");
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
				   .size = 256,
				   .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT};
#ifdef VK_KHR_maintenance5
	const VkBufferUsageFlags2CreateInfoKHR usages = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR,
		.usage = VK_BUFFER_USAGE_2_TRANSFER_SRC_BIT_KHR};
	if (test->has_maintenance5) {
		info.usage = 0;
		info.pNext = &usages;
	}
#endif
	const VkDeviceBufferMemoryRequirements of = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS, .pCreateInfo = &info};
	VkMemoryRequirements2 needs = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
	VkBuffer buffer;
	void *mapped;
	if (!get)
		gpu_test_skip("no vkGetDeviceBufferMemoryRequirements");
	get(test->device, &of, &needs);
	const VkDeviceMemory memory = gpu_test_allocate(test, &needs.memoryRequirements, NULL);
	gpu_test_expect(vkCreateBuffer(test->device, &info, NULL, &buffer), "vkCreateBuffer");
	gpu_test_expect(vkBindBufferMemory(test->device, buffer, memory, 0), "vkBindBufferMemory");
	gpu_test_name(test, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer, "usages");
	gpu_test_expect(vkMapMemory(test->device, memory, 0, VK_WHOLE_SIZE, 0, &mapped),
			"vkMapMemory");
	const VkBufferCopy copy = {0, 0, 64};
	vkCmdCopyBuffer(test->commands, buffer, test->result.handle, 1, &copy);
	const VkFence fence = gpu_test_submit_fence(test);
	if (test->fixed)
		gpu_test_wait(test, fence);
	*(volatile uint32_t *)mapped = 2;
	if (!test->fixed)
		gpu_test_wait(test, fence);
	vkDestroyBuffer(test->device, buffer, NULL);
	vkFreeMemory(test->device, memory, NULL);
}

const struct gpu_twin gpu_newer_twins[] = {{"inline_code", inline_code, 0},
					   {"watch_usages", watch_usages, 0},

					   {"second_forms", second_forms, 0},
					   {"vertex_address", vertex_address, 0},
					   {"memory_address", memory_address, 0},
					   {"draw_address", draw_address, 0},
					   {"dispatch_address", dispatch_address, 0},
					   {"image_address", image_address, 0},
					   {NULL, NULL, 0}};
