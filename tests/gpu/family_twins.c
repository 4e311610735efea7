// SPDX-License-Identifier: Apache-2.0
// Twins of several queue families: who owns a resource, and what orders their queues. Knows nothing
// of what is to be reported.
#include "twins.h"

#include "family_words.spv.h"

#define SIDE           16u  // texels
#define HALF           256u // bytes of one workgroup's words
#define TRANSFER_READ  VK_ACCESS_TRANSFER_READ_BIT
#define TRANSFER_WRITE VK_ACCESS_TRANSFER_WRITE_BIT
#define TO_READ        VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL
#define TO_WRITE       VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL
#define GENERAL        VK_IMAGE_LAYOUT_GENERAL

// ---- Order --------------------------------------------------------------------------------------

// Submits what is recorded, and continues on another family. The submission waits for `wait` in a
// stage and signals `signal`, to 1; each may be null.
static void submit(struct gpu_test *test, VkSemaphore wait, VkPipelineStageFlags stage,
		   VkSemaphore signal, enum gpu_test_lane next)
{
	const uint64_t value = 1;
	VkCommandBuffer commands = gpu_test_end(test);
	const VkTimelineSemaphoreSubmitInfo values = {
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
		.waitSemaphoreValueCount = wait != VK_NULL_HANDLE,
		.pWaitSemaphoreValues = &value,
		.signalSemaphoreValueCount = signal != VK_NULL_HANDLE,
		.pSignalSemaphoreValues = &value,
	};
	const VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.pNext = &values,
		.waitSemaphoreCount = wait != VK_NULL_HANDLE,
		.pWaitSemaphores = &wait,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
		.signalSemaphoreCount = signal != VK_NULL_HANDLE,
		.pSignalSemaphores = &signal,
	};
	gpu_test_expect(vkQueueSubmit(test->queue, 1, &info, VK_NULL_HANDLE), "vkQueueSubmit");
	gpu_test_use(test, next);
}

// ---- Ownership of buffers -----------------------------------------------------------------------

// A half of a transfer of the data buffer.
struct half {
	VkPipelineStageFlags from_stage;
	VkAccessFlags from;
	VkPipelineStageFlags to_stage;
	VkAccessFlags to;
};

static const struct half release_writes = {COMPUTE, WRITE, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0};
static const struct half acquire_reads = {COMPUTE, 0, COMPUTE, READ};

static void hand_over(struct gpu_test *test, const struct half *half, enum gpu_test_lane from,
		      enum gpu_test_lane to, VkDeviceSize bytes)
{
	const VkBufferMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
		.srcAccessMask = half->from,
		.dstAccessMask = half->to,
		.srcQueueFamilyIndex = test->families[from],
		.dstQueueFamilyIndex = test->families[to],
		.buffer = test->data.handle,
		.size = bytes,
	};
	vkCmdPipelineBarrier(test->commands, half->from_stage, half->to_stage, 0, 0, NULL, 1,
			     &barrier, 0, NULL);
}

// The compute family writes the data, the main one reads it, and a semaphore is between. Each half
// of the transfer covers this many bytes; 0: there is none.
static void pass_data(struct gpu_test *test, VkDeviceSize released, VkDeviceSize acquired)
{
	VkSemaphore semaphore = gpu_test_semaphore(test, VK_SEMAPHORE_TYPE_BINARY);
	gpu_test_use(test, GPU_LANE_COMPUTE);
	gpu_test_dispatch(test, "write_words", 2, 0);
	if (released)
		hand_over(test, &release_writes, GPU_LANE_COMPUTE, GPU_LANE_MAIN, released);
	submit(test, VK_NULL_HANDLE, 0, semaphore, GPU_LANE_MAIN);
	if (acquired)
		hand_over(test, &acquire_reads, GPU_LANE_COMPUTE, GPU_LANE_MAIN, acquired);
	gpu_test_dispatch(test, "read_words", 2, 0);
	submit(test, semaphore, COMPUTE, VK_NULL_HANDLE, GPU_LANE_MAIN);
	gpu_test_finish_semaphore(test, semaphore);
}

static void unacquired(struct gpu_test *test)
{
	pass_data(test, VK_WHOLE_SIZE, test->fixed ? VK_WHOLE_SIZE : 0);
}

static void unreleased(struct gpu_test *test)
{
	pass_data(test, test->fixed ? VK_WHOLE_SIZE : 0, VK_WHOLE_SIZE);
}

static void ranges(struct gpu_test *test)
{
	pass_data(test, test->fixed ? 2 * HALF : HALF, 2 * HALF);
}

// Resources that are shared need no transfer; here by both families' transfers.
static void make_shared(struct gpu_test *test, VkSharingMode mode)
{
	const uint32_t both[] = {test->families[GPU_LANE_MAIN], test->families[GPU_LANE_COMPUTE]};
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = test->data.bytes,
		.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
		.sharingMode = mode,
		.queueFamilyIndexCount = 2,
		.pQueueFamilyIndices = both,
	};
	VkMemoryRequirements needs;
	vkDestroyBuffer(test->device, test->data.handle, NULL);
	vkFreeMemory(test->device, test->data.memory, NULL);
	gpu_test_expect(vkCreateBuffer(test->device, &info, NULL, &test->data.handle),
			"vkCreateBuffer");
	vkGetBufferMemoryRequirements(test->device, test->data.handle, &needs);
	test->data.memory = gpu_test_allocate(test, &needs, NULL);
	gpu_test_expect(vkBindBufferMemory(test->device, test->data.handle, test->data.memory, 0),
			"vkBindBufferMemory");
	gpu_test_name(test, VK_OBJECT_TYPE_BUFFER, (uint64_t)test->data.handle, "data");
	const VkDescriptorBufferInfo buffer = {test->data.handle, 0, VK_WHOLE_SIZE},
				     uniform = {test->data.handle, 0, HALF};
	const VkWriteDescriptorSet writes[2] = {
		{
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = test->set,
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.pBufferInfo = &buffer,
		},
		{
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = test->set,
			.dstBinding = 2,
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
			.pBufferInfo = &uniform,
		},
	};
	vkUpdateDescriptorSets(test->device, 2, writes, 0, NULL);
}

static void need_families(struct gpu_test *test)
{
	gpu_test_use(test, GPU_LANE_TRANSFER);
	gpu_test_use(test, GPU_LANE_COMPUTE);
}

static void concurrent(struct gpu_test *test)
{
	need_families(test);
	make_shared(test, test->fixed ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE);
	pass_data(test, 0, 0);
}

// What is written anew needs no transfer.
static void discarded(struct gpu_test *test)
{
	VkSemaphore semaphore = gpu_test_semaphore(test, VK_SEMAPHORE_TYPE_BINARY);
	gpu_test_use(test, GPU_LANE_COMPUTE);
	gpu_test_dispatch(test, "write_words", 2, 0);
	submit(test, VK_NULL_HANDLE, 0, semaphore, GPU_LANE_MAIN);
	if (test->fixed) {
		gpu_test_dispatch(test, "write_words", 2, 0);
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ);
	}
	gpu_test_dispatch(test, "read_words", 2, 0);
	submit(test, semaphore, COMPUTE, VK_NULL_HANDLE, GPU_LANE_MAIN);
	gpu_test_finish_semaphore(test, semaphore);
}

// Through the hands of the compute family to those of the main one: who has given bytes away cannot
// give them away again.
static void handed_on(struct gpu_test *test)
{
	static const struct half release = {TRANSFER, TRANSFER_WRITE, TRANSFER, 0},
				 pass_on = {COMPUTE, READ, COMPUTE, 0};
	VkSemaphore first = gpu_test_semaphore(test, VK_SEMAPHORE_TYPE_BINARY),
		    second = gpu_test_semaphore(test, VK_SEMAPHORE_TYPE_BINARY);
	gpu_test_use(test, GPU_LANE_TRANSFER);
	vkCmdFillBuffer(test->commands, test->data.handle, 0, 2 * HALF, 1);
	hand_over(test, &release, GPU_LANE_TRANSFER, GPU_LANE_COMPUTE, VK_WHOLE_SIZE);
	submit(test, VK_NULL_HANDLE, 0, first, GPU_LANE_COMPUTE);
	if (test->fixed) {
		hand_over(test, &acquire_reads, GPU_LANE_TRANSFER, GPU_LANE_COMPUTE, VK_WHOLE_SIZE);
		hand_over(test, &pass_on, GPU_LANE_COMPUTE, GPU_LANE_MAIN, VK_WHOLE_SIZE);
	}
	submit(test, first, COMPUTE, second, GPU_LANE_MAIN);
	hand_over(test, &acquire_reads, GPU_LANE_COMPUTE, GPU_LANE_MAIN, VK_WHOLE_SIZE);
	gpu_test_dispatch(test, "read_words", 2, 0);
	submit(test, second, COMPUTE, VK_NULL_HANDLE, GPU_LANE_MAIN);
	gpu_test_finish_semaphore(test, first);
	gpu_test_finish_semaphore(test, second);
}

// The acquire's barrier is the memory dependency of the reader's family, too.
static void acquire_stage(struct gpu_test *test)
{
	static const struct half wrong = {COMPUTE, 0, TRANSFER, TRANSFER_READ};
	VkSemaphore semaphore = gpu_test_semaphore(test, VK_SEMAPHORE_TYPE_BINARY);
	gpu_test_use(test, GPU_LANE_COMPUTE);
	gpu_test_dispatch(test, "write_words", 2, 0);
	hand_over(test, &release_writes, GPU_LANE_COMPUTE, GPU_LANE_MAIN, VK_WHOLE_SIZE);
	submit(test, VK_NULL_HANDLE, 0, semaphore, GPU_LANE_MAIN);
	hand_over(test, test->fixed ? &acquire_reads : &wrong, GPU_LANE_COMPUTE, GPU_LANE_MAIN,
		  VK_WHOLE_SIZE);
	gpu_test_dispatch(test, "read_words", 2, 0);
	submit(test, semaphore, test->fixed ? COMPUTE : TRANSFER, VK_NULL_HANDLE, GPU_LANE_MAIN);
	gpu_test_finish_semaphore(test, semaphore);
}

// ---- Ownership of images ------------------------------------------------------------------------

struct made_image {
	VkImage handle;
	VkDeviceMemory memory;
};

static struct made_image make_image(struct gpu_test *test)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = {SIDE, SIDE, 1},
		.mipLevels = 1,
		.arrayLayers = 2,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	struct made_image image;
	VkMemoryRequirements needs;
	gpu_test_expect(vkCreateImage(test->device, &info, NULL, &image.handle), "vkCreateImage");
	vkGetImageMemoryRequirements(test->device, image.handle, &needs);
	image.memory = gpu_test_allocate(test, &needs, NULL);
	gpu_test_expect(vkBindImageMemory(test->device, image.handle, image.memory, 0),
			"vkBindImageMemory");
	gpu_test_name(test, VK_OBJECT_TYPE_IMAGE, (uint64_t)image.handle, "image");
	return image;
}

// Layers of an image from one family to another, into another layout.
struct image_transfer {
	enum gpu_test_lane from, to;
	VkImageLayout old_layout, new_layout;
	uint32_t first_layer, layer_count;
};

static void image_barrier(struct gpu_test *test, const struct made_image *image, VkAccessFlags from,
			  VkAccessFlags to, const struct image_transfer *transfer)
{
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = from,
		.dstAccessMask = to,
		.oldLayout = transfer->old_layout,
		.newLayout = transfer->new_layout,
		.srcQueueFamilyIndex = test->families[transfer->from],
		.dstQueueFamilyIndex = test->families[transfer->to],
		.image = image->handle,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, transfer->first_layer,
				     transfer->layer_count},
	};
	vkCmdPipelineBarrier(test->commands, TRANSFER, TRANSFER, 0, 0, NULL, 0, NULL, 1, &barrier);
}

// The main family clears both layers, the transfer family copies one of them, in `layout`.
static void pass_image(struct gpu_test *test, const struct image_transfer *released,
		       const struct image_transfer *acquired, uint32_t layer, VkImageLayout layout)
{
	static const struct image_transfer prepare = {
		GPU_LANE_MAIN, GPU_LANE_MAIN, VK_IMAGE_LAYOUT_UNDEFINED, TO_WRITE, 0, 2};
	const VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 2};
	const VkBufferImageCopy region = {
		.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, layer, 1},
		.imageExtent = {SIDE, SIDE, 1}};
	const VkClearColorValue color = {{0}};
	VkSemaphore semaphore = gpu_test_semaphore(test, VK_SEMAPHORE_TYPE_BINARY);
	need_families(test);
	gpu_test_use(test, GPU_LANE_MAIN);
	const struct made_image image = make_image(test);
	image_barrier(test, &image, 0, TRANSFER_WRITE, &prepare);
	vkCmdClearColorImage(test->commands, image.handle, TO_WRITE, &color, 1, &all);
	image_barrier(test, &image, TRANSFER_WRITE, 0, released);
	submit(test, VK_NULL_HANDLE, 0, semaphore, GPU_LANE_TRANSFER);
	image_barrier(test, &image, 0, TRANSFER_READ, acquired);
	vkCmdCopyImageToBuffer(test->commands, image.handle, layout, test->result.handle, 1,
			       &region);
	submit(test, semaphore, TRANSFER, VK_NULL_HANDLE, GPU_LANE_MAIN);
	gpu_test_finish_semaphore(test, semaphore);
	vkDestroyImage(test->device, image.handle, NULL);
	vkFreeMemory(test->device, image.memory, NULL);
}

// Both halves must name the same layouts.
static void image_layouts(struct gpu_test *test)
{
	static const struct image_transfer
		here = {GPU_LANE_MAIN, GPU_LANE_TRANSFER, TO_WRITE, TO_READ, 0, 2},
		other = {GPU_LANE_MAIN, GPU_LANE_TRANSFER, TO_WRITE, GENERAL, 0, 2};
	pass_image(test, &here, test->fixed ? &here : &other, 0, test->fixed ? TO_READ : GENERAL);
}

// One layer alone is handed on.
static void image_layer(struct gpu_test *test)
{
	static const struct image_transfer one = {
		GPU_LANE_MAIN, GPU_LANE_TRANSFER, TO_WRITE, TO_READ, 0, 1};
	pass_image(test, &one, &one, test->fixed ? 0 : 1, test->fixed ? TO_READ : TO_WRITE);
}

// ---- Order of queues ----------------------------------------------------------------------------

// The timeline's wait must cover the reader's stage, in another family too.
static void timeline(struct gpu_test *test)
{
	if (!test->has_timeline)
		gpu_test_skip("no timeline semaphores");
	VkSemaphore semaphore = gpu_test_semaphore(test, VK_SEMAPHORE_TYPE_TIMELINE);
	need_families(test);
	make_shared(test, VK_SHARING_MODE_CONCURRENT);
	gpu_test_use(test, GPU_LANE_COMPUTE);
	gpu_test_dispatch(test, "write_words", 2, 0);
	submit(test, VK_NULL_HANDLE, 0, semaphore, GPU_LANE_MAIN);
	gpu_test_dispatch(test, "read_words", 2, 0);
	submit(test, semaphore, test->fixed ? COMPUTE : TRANSFER, VK_NULL_HANDLE, GPU_LANE_MAIN);
	gpu_test_finish_semaphore(test, semaphore);
}

// Atomics of two families, which a scope of one family does not hold together.
static void scopes(struct gpu_test *test)
{
	const char *kernel = test->fixed ? "count_device" : "count_family";
	if (!test->has_device_scope)
		gpu_test_skip("no device scope");
	need_families(test);
	make_shared(test, VK_SHARING_MODE_CONCURRENT);
	gpu_test_use(test, GPU_LANE_COMPUTE);
	gpu_test_dispatch(test, kernel, 1, 0);
	submit(test, VK_NULL_HANDLE, 0, VK_NULL_HANDLE, GPU_LANE_MAIN);
	gpu_test_dispatch(test, kernel, 1, 0);
}

// ---- Buffer markers -----------------------------------------------------------------------------

// They are everywhere where the layer below has them.
static void write_marker(struct gpu_test *test, VkPipelineStageFlagBits stage)
{
	PFN_vkCmdWriteBufferMarkerAMD write = (PFN_vkCmdWriteBufferMarkerAMD)vkGetDeviceProcAddr(
		test->device, "vkCmdWriteBufferMarkerAMD");
	if (!test->has_markers || !write)
		gpu_test_skip("no buffer markers");
	write(test->commands, stage, test->data.handle, 0, 1);
}

static void write_marker2(struct gpu_test *test, VkPipelineStageFlags2 stage)
{
	PFN_vkCmdWriteBufferMarker2AMD write = (PFN_vkCmdWriteBufferMarker2AMD)vkGetDeviceProcAddr(
		test->device, "vkCmdWriteBufferMarker2AMD");
	if (!test->has_markers || !write)
		gpu_test_skip("no buffer markers");
	write(test->commands, stage, test->data.handle, 0, 1);
}

static void copy_data(struct gpu_test *test)
{
	const VkBufferCopy region = {.size = HALF};
	vkCmdCopyBuffer(test->commands, test->data.handle, test->result.handle, 1, &region);
}

// A marker comes behind what its stage has read before it, no other.
static void marker_behind(struct gpu_test *test)
{
	copy_data(test);
	write_marker(test, test->fixed ? TRANSFER : VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT);
}

// Markers of any stages are in order, and what reads them is not.
static void marker_copied(struct gpu_test *test)
{
	write_marker2(test, VK_PIPELINE_STAGE_2_NONE);
	write_marker(test, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, TRANSFER_WRITE, TRANSFER, TRANSFER_READ);
	copy_data(test);
}

// ---- Stored pipelines ---------------------------------------------------------------------------

// Writes the same words twice, with or without order. Destroys the pipeline.
static void write_twice(struct gpu_test *test, VkPipeline pipeline)
{
	const uint32_t first = 0;
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, test->layout, 0, 1,
				&test->set, 0, NULL);
	vkCmdPushConstants(test->commands, test->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
			   sizeof first, &first);
	vkCmdDispatch(test->commands, 1, 1, 1);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
	vkCmdDispatch(test->commands, 1, 1, 1);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyPipeline(test->device, pipeline, NULL);
}

static VkResult make_pipeline(const struct gpu_test *test, VkShaderModule module,
			      const VkShaderModuleIdentifierEXT *identifier, VkPipeline *pipeline)
{
	const VkPipelineShaderStageModuleIdentifierCreateInfoEXT named = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT,
		.identifierSize = identifier->identifierSize,
		.pIdentifier = identifier->identifier,
	};
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.flags = module ? 0 : VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .pNext = module ? NULL : &named,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .module = module,
			  .pName = "main"},
		.layout = test->layout,
	};
	return vkCreateComputePipelines(test->device, VK_NULL_HANDLE, 1, &info, NULL, pipeline);
}

// A program has stored the identifier of a module that the driver knows: what it makes of that
// alone nobody else sees, so that the module is asked for, as from any program at its first run.
static void module_identifier(struct gpu_test *test)
{
	PFN_vkGetShaderModuleIdentifierEXT identify =
		(PFN_vkGetShaderModuleIdentifierEXT)vkGetDeviceProcAddr(
			test->device, "vkGetShaderModuleIdentifierEXT");
	const VkShaderModuleCreateInfo code = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = sizeof family_words,
		.pCode = family_words,
	};
	VkShaderModuleIdentifierEXT identifier = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_IDENTIFIER_EXT};
	VkShaderModule module;
	VkPipeline pipeline = VK_NULL_HANDLE;
	if (!test->has_identifiers || !identify)
		gpu_test_skip("no shaderModuleIdentifier");
	gpu_test_expect(vkCreateShaderModule(test->device, &code, NULL, &module),
			"vkCreateShaderModule");
	identify(test->device, module, &identifier);
	if (make_pipeline(test, VK_NULL_HANDLE, &identifier, &pipeline) ==
	    VK_PIPELINE_COMPILE_REQUIRED)
		gpu_test_expect(make_pipeline(test, module, &identifier, &pipeline),
				"vkCreateComputePipelines");
	vkDestroyShaderModule(test->device, module, NULL);
	write_twice(test, pipeline);
}

#ifdef VK_KHR_pipeline_binary
// The pipeline of code, or of a binary.
static VkPipeline make_of(const struct gpu_test *test, const VkShaderModuleCreateInfo *code,
			  VkPipelineBinaryKHR binary)
{
	const VkPipelineBinaryInfoKHR binaries = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR,
		.binaryCount = 1,
		.pPipelineBinaries = &binary,
	};
	const VkPipelineCreateFlags2CreateInfoKHR captured = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR,
		.flags = VK_PIPELINE_CREATE_2_CAPTURE_DATA_BIT_KHR,
	};
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.pNext = code ? (const void *)&captured : &binaries,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .pNext = code,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .pName = "main"},
		.layout = test->layout,
	};
	VkPipeline pipeline = VK_NULL_HANDLE;
	gpu_test_expect(
		vkCreateComputePipelines(test->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
		"vkCreateComputePipelines");
	return pipeline;
}

#define COMMAND(name) ((PFN_##name)vkGetDeviceProcAddr(test->device, #name))

static VkPipelineBinaryKHR make_binary(const struct gpu_test *test,
				       const VkPipelineBinaryCreateInfoKHR *info)
{
	VkPipelineBinaryKHR made = VK_NULL_HANDLE;
	VkPipelineBinaryHandlesInfoKHR binaries = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_HANDLES_INFO_KHR,
		.pipelineBinaryCount = 1,
		.pPipelineBinaries = &made,
	};
	gpu_test_expect(COMMAND(vkCreatePipelineBinariesKHR)(test->device, info, NULL, &binaries),
			"vkCreatePipelineBinariesKHR");
	return made;
}

// The data that a program would store of a pipeline, made a binary again.
static VkPipelineBinaryKHR store_and_load(const struct gpu_test *test, VkPipeline pipeline)
{
	static unsigned char room[1 << 16];
	const VkPipelineBinaryCreateInfoKHR of_pipeline = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR, .pipeline = pipeline};
	const VkPipelineBinaryDataInfoKHR wanted = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_DATA_INFO_KHR,
		.pipelineBinary = make_binary(test, &of_pipeline)};
	const VkReleaseCapturedPipelineDataInfoKHR captured = {
		.sType = VK_STRUCTURE_TYPE_RELEASE_CAPTURED_PIPELINE_DATA_INFO_KHR,
		.pipeline = pipeline};
	VkPipelineBinaryKeyKHR key = {.sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_KEY_KHR};
	size_t bytes = sizeof room;
	gpu_test_expect(
		COMMAND(vkGetPipelineBinaryDataKHR)(test->device, &wanted, &key, &bytes, room),
		"vkGetPipelineBinaryDataKHR");
	COMMAND(vkDestroyPipelineBinaryKHR)(test->device, wanted.pipelineBinary, NULL);
	COMMAND(vkReleaseCapturedPipelineDataKHR)(test->device, &captured, NULL);
	const VkPipelineBinaryDataKHR data = {bytes, room};
	const VkPipelineBinaryKeysAndDataKHR stored = {1, &key, &data};
	return make_binary(test, &(VkPipelineBinaryCreateInfoKHR){
					 .sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR,
					 .pKeysAndDataInfo = &stored});
}

// A pipeline of a binary is observed, and no driver is asked to make or to read one: the program is
// told that what it has stored without the layer is another driver's.
static void pipeline_binary(struct gpu_test *test)
{
	const VkShaderModuleCreateInfo code = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = sizeof family_words,
		.pCode = family_words,
	};
	VkPipelineBinaryKeyKHR key = {.sType = VK_STRUCTURE_TYPE_PIPELINE_BINARY_KEY_KHR};
	if (!test->has_binaries)
		gpu_test_skip("no pipelineBinaries");
	gpu_test_expect(COMMAND(vkGetPipelineKeyKHR)(test->device, NULL, &key),
			"vkGetPipelineKeyKHR");
	gpu_test_expect(key.keySize == 1 ? VK_ERROR_UNKNOWN : VK_SUCCESS, "the global key");
	const VkPipeline captured = make_of(test, &code, VK_NULL_HANDLE);
	const VkPipelineBinaryKHR binary = store_and_load(test, captured);
	const VkPipeline pipeline = make_of(test, NULL, binary);
	COMMAND(vkDestroyPipelineBinaryKHR)(test->device, binary, NULL);
	vkDestroyPipeline(test->device, captured, NULL);
	write_twice(test, pipeline);
}
#else
static void pipeline_binary(struct gpu_test *test)
{
	(void)test;
	gpu_test_skip("headers without VK_KHR_pipeline_binary");
}
#endif

const struct gpu_twin gpu_family_twins[] = {
	{"family_unacquired", unacquired, 0},
	{"family_unreleased", unreleased, 0},
	{"family_ranges", ranges, 0},
	{"family_concurrent", concurrent, 0},
	{"family_discarded", discarded, 0},
	{"family_handed_on", handed_on, 0},
	{"family_acquire_stage", acquire_stage, 0},
	{"family_image_layouts", image_layouts, 0},
	{"family_image_layer", image_layer, 0},
	{"family_timeline", timeline, 0},
	{"family_scopes", scopes, 0},
	{"family_marker_behind", marker_behind, 0},
	{"family_marker_copied", marker_copied, 0},
	{"family_module_identifier", module_identifier, 0},
	{"family_pipeline_binary", pipeline_binary, 0},
	{NULL, NULL, 0},
};
