// SPDX-License-Identifier: Apache-2.0
// Twins of commands whose parameters the device reads from memory: skipped where the headers or the
// driver lack them. Knows nothing of what is to be reported.
#include "gpu_draw.h"
#include "twins.h"

#ifdef VK_KHR_copy_memory_indirect
// Where parameters and data are in the data buffer.
#define PARAMETERS 2048u
#define SOURCE     1024u

static VkDeviceAddress address_of(struct gpu_test *test, VkBuffer buffer)
{
	const VkBufferDeviceAddressInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = buffer};
	if (!test->has_memory_copies || !test->has_addresses || !test->has_synchronization2)
		gpu_test_skip("no VK_KHR_copy_memory_indirect");
	return vkGetBufferDeviceAddress(test->device, &info);
}

// What the device has written is read as parameters, or not.
static void parameter_barrier(struct gpu_test *test, bool parameters)
{
	const VkMemoryBarrier2 barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
		.srcStageMask = VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
		.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT,
		.dstStageMask = parameters ? VK_PIPELINE_STAGE_2_COPY_INDIRECT_BIT_KHR
					   : VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
		.dstAccessMask = VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT,
	};
	const VkDependencyInfo info = {.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
				       .memoryBarrierCount = 1,
				       .pMemoryBarriers = &barrier};
	((PFN_vkCmdPipelineBarrier2)vkGetDeviceProcAddr(test->device, "vkCmdPipelineBarrier2"))(
		test->commands, &info);
}

// The device writes the parameters of one copy of 64 bytes, to the result's start.
static void copy_indirect(struct gpu_test *test, bool ordered)
{
	const VkDeviceAddress data = address_of(test, test->data.handle);
	const VkCopyMemoryIndirectCommandKHR copy = {data + SOURCE,
						     address_of(test, test->result.handle), 64};
	const VkCopyMemoryIndirectInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_COPY_MEMORY_INDIRECT_INFO_KHR,
		.copyCount = 1,
		.copyAddressRange = {data + PARAMETERS, sizeof copy, sizeof copy},
	};
	vkCmdUpdateBuffer(test->commands, test->data.handle, PARAMETERS, sizeof copy, &copy);
	parameter_barrier(test, ordered);
	((PFN_vkCmdCopyMemoryIndirectKHR)vkGetDeviceProcAddr(
		test->device, "vkCmdCopyMemoryIndirectKHR"))(test->commands, &info);
}

static void memory_copied(struct gpu_test *test)
{
	copy_indirect(test, true);
	vkCmdFillBuffer(test->commands, test->result.handle, test->fixed ? 64 : 32, 64, 0);
}

static void memory_parameters(struct gpu_test *test)
{
	copy_indirect(test, test->fixed);
}

static VkImage make_image(struct gpu_test *test, VkDeviceMemory *memory)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.extent = {8, 8, 1},
		.mipLevels = 1,
		.arrayLayers = 1,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	VkMemoryRequirements needs;
	VkImage image;
	gpu_test_expect(vkCreateImage(test->device, &info, NULL, &image), "vkCreateImage");
	vkGetImageMemoryRequirements(test->device, image, &needs);
	*memory = gpu_test_allocate(test, &needs, NULL);
	gpu_test_expect(vkBindImageMemory(test->device, image, *memory, 0), "vkBindImageMemory");
	gpu_test_name(test, VK_OBJECT_TYPE_IMAGE, (uint64_t)image, "copied image");
	const VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.newLayout = VK_IMAGE_LAYOUT_GENERAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = image,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1},
	};
	vkCmdPipelineBarrier(test->commands, TRANSFER, TRANSFER, 0, 0, NULL, 0, NULL, 1, &barrier);
	return image;
}

// Four texels of a row of the image, which the device has chosen.
static void memory_to_image(struct gpu_test *test)
{
	const VkDeviceAddress data = address_of(test, test->data.handle);
	const VkImageSubresourceLayers layers = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
	const VkCopyMemoryToImageIndirectCommandKHR copy = {data + SOURCE, 0,         0,
							    layers,        {2, 3, 0}, {4, 1, 1}};
	VkDeviceMemory memory;
	const VkImage image = make_image(test, &memory);
	const VkCopyMemoryToImageIndirectInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INDIRECT_INFO_KHR,
		.copyCount = 1,
		.copyAddressRange = {data + PARAMETERS, sizeof copy, sizeof copy},
		.dstImage = image,
		.dstImageLayout = VK_IMAGE_LAYOUT_GENERAL,
		.pImageSubresources = &layers,
	};
	vkCmdUpdateBuffer(test->commands, test->data.handle, PARAMETERS, sizeof copy, &copy);
	parameter_barrier(test, true);
	((PFN_vkCmdCopyMemoryToImageIndirectKHR)vkGetDeviceProcAddr(
		test->device, "vkCmdCopyMemoryToImageIndirectKHR"))(test->commands, &info);
	const VkBufferImageCopy again = {.imageSubresource = layers,
					 .imageOffset = {5, test->fixed ? 4 : 3, 0},
					 .imageExtent = {2, 1, 1}};
	vkCmdCopyBufferToImage(test->commands, test->data.handle, image, VK_IMAGE_LAYOUT_GENERAL, 1,
			       &again);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyImage(test->device, image, NULL);
	vkFreeMemory(test->device, memory, NULL);
}
#else
static void memory_copied(struct gpu_test *test)
{
	(void)test;
	gpu_test_skip("headers without VK_KHR_copy_memory_indirect");
}
#define memory_parameters memory_copied
#define memory_to_image   memory_copied
#endif

#ifdef VK_EXT_device_generated_commands
#include "generated_color.spv.h"
#include "generated_read.spv.h"

#define GENERATED_LOAD(test, name) ((PFN_##name)vkGetDeviceProcAddr((test)->device, #name))

static void bind_kernel(struct gpu_test *test, VkPipeline pipeline)
{
	const uint32_t first = 0;
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, test->layout, 0, 1,
				&test->set, 0, NULL);
	vkCmdPushConstants(test->commands, test->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
			   sizeof first, &first);
}

static VkIndirectCommandsLayoutEXT make_layout(struct gpu_test *test,
					       const VkIndirectCommandsLayoutTokenEXT *tokens,
					       uint32_t count, uint32_t stride, bool apart)
{
	const VkShaderStageFlags drawn = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
	const VkIndirectCommandsLayoutCreateInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_CREATE_INFO_EXT,
		.flags = apart ? VK_INDIRECT_COMMANDS_LAYOUT_USAGE_EXPLICIT_PREPROCESS_BIT_EXT : 0u,
		.shaderStages =
			tokens[count - 1].type == VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT
				? VK_SHADER_STAGE_COMPUTE_BIT
				: drawn,
		.indirectStride = stride,
		.pipelineLayout = test->layout,
		.tokenCount = count,
		.pTokens = tokens,
	};
	VkIndirectCommandsLayoutEXT layout;
	gpu_test_expect(GENERATED_LOAD(test, vkCreateIndirectCommandsLayoutEXT)(test->device, &info,
										NULL, &layout),
			"vkCreateIndirectCommandsLayoutEXT");
	return layout;
}

// The end of the result, which nothing else touches.
static VkDeviceAddress preprocess_address(struct gpu_test *test)
{
	const VkBufferDeviceAddressInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
		.buffer = test->result.handle};
	return vkGetBufferDeviceAddress(test->device, &info) + 2048;
}

// The room there is what the device asks for.
static void need_preprocess_room(struct gpu_test *test, const VkGeneratedCommandsInfoEXT *of)
{
	const VkGeneratedCommandsMemoryRequirementsInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_MEMORY_REQUIREMENTS_INFO_EXT,
		.pNext = (void *)(uintptr_t)of->pNext, // the pipeline
		.indirectCommandsLayout = of->indirectCommandsLayout,
		.maxSequenceCount = of->maxSequenceCount,
		.maxDrawCount = of->maxDrawCount,
	};
	VkMemoryRequirements2 needs = {.sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
	GENERATED_LOAD(test, vkGetGeneratedCommandsMemoryRequirementsEXT)
	(test->device, &info, &needs);
	if (needs.memoryRequirements.size > of->preprocessSize)
		gpu_test_skip("the device asks for more room to preprocess in");
}

struct generation {
	bool ordered;       // behind what writes its parameters
	bool other;         // a dispatch reads what it writes
	bool apart, behind; // preprocessed by a command of its own; executed behind that
};

// A command of its own writes what the execution reads.
static void preprocess(struct gpu_test *test, const VkGeneratedCommandsInfoEXT *info, bool behind)
{
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COMMAND_PREPROCESS_BIT_EXT;
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, stage,
			 VK_ACCESS_COMMAND_PREPROCESS_READ_BIT_EXT);
	GENERATED_LOAD(test, vkCmdPreprocessGeneratedCommandsEXT)
	(test->commands, info, test->commands);
	if (behind)
		gpu_test_barrier(test, stage, VK_ACCESS_COMMAND_PREPROCESS_WRITE_BIT_EXT, INDIRECT,
				 VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
}

// The device writes the parameters of one dispatch of one workgroup, and generates it.
static void generate(struct gpu_test *test, const struct generation *how)
{
	const VkDispatchIndirectCommand one = {1, 1, 1};
	if (!test->has_generated || !test->has_addresses)
		gpu_test_skip("no VK_EXT_device_generated_commands");
	const VkBufferDeviceAddressInfo data = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, .buffer = test->data.handle};
	const VkPipeline pipeline = gpu_test_pipeline(test, "write_words", test->layout);
	const VkIndirectCommandsLayoutTokenEXT token = {
		.sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT,
		.type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT,
	};
	const VkIndirectCommandsLayoutEXT layout =
		make_layout(test, &token, 1, sizeof one, how->apart);
	const VkGeneratedCommandsPipelineInfoEXT runs = {
		.sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT,
		.pipeline = pipeline,
	};
	const VkGeneratedCommandsInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT,
		.pNext = (void *)(uintptr_t)&runs,
		.shaderStages = VK_SHADER_STAGE_COMPUTE_BIT,
		.indirectCommandsLayout = layout,
		.indirectAddress = vkGetBufferDeviceAddress(test->device, &data) + 2048,
		.indirectAddressSize = sizeof one,
		.preprocessAddress = preprocess_address(test),
		.preprocessSize = 2048,
		.maxSequenceCount = 1,
	};
	need_preprocess_room(test, &info);
	vkCmdUpdateBuffer(test->commands, test->data.handle, 2048, sizeof one, &one);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, INDIRECT,
			 how->ordered ? VK_ACCESS_INDIRECT_COMMAND_READ_BIT
				      : VK_ACCESS_INDEX_READ_BIT);
	bind_kernel(test, pipeline);
	if (how->apart)
		preprocess(test, &info, how->behind);
	GENERATED_LOAD(test, vkCmdExecuteGeneratedCommandsEXT)(test->commands, how->apart, &info);
	if (how->other && test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ);
	if (how->other)
		gpu_test_dispatch(test, "read_words", 1, 0);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	GENERATED_LOAD(test, vkDestroyIndirectCommandsLayoutEXT)(test->device, layout, NULL);
	vkDestroyPipeline(test->device, pipeline, NULL);
}

static void generated_dispatch(struct gpu_test *test)
{
	generate(test, &(struct generation){.ordered = true, .other = true});
}

static void generated_parameters(struct gpu_test *test)
{
	generate(test, &(struct generation){.ordered = test->fixed});
}

static void generated_apart(struct gpu_test *test)
{
	generate(test, &(struct generation){.apart = true, .behind = test->fixed});
}

// Two dispatches, which find in memory where to write.
static void generated_several(struct gpu_test *test)
{
	struct sequence {
		uint32_t first;
		VkDispatchIndirectCommand groups;
	};
	const struct sequence sequences[] = {{0, {1, 1, 1}}, {test->fixed ? 64 : 0, {1, 1, 1}}};
	const VkIndirectCommandsPushConstantTokenEXT pushed = {
		.updateRange = {VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof sequences->first}};
	const VkIndirectCommandsLayoutTokenEXT tokens[] = {
		{.sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT,
		 .type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT,
		 .data.pPushConstant = &pushed},
		{.sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT,
		 .type = VK_INDIRECT_COMMANDS_TOKEN_TYPE_DISPATCH_EXT,
		 .offset = offsetof(struct sequence, groups)},
	};
	if (!test->has_generated || !test->has_addresses)
		gpu_test_skip("no VK_EXT_device_generated_commands");
	const VkGeneratedCommandsPipelineInfoEXT runs = {
		.sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT,
		.pipeline = gpu_test_pipeline(test, "write_words", test->layout),
	};
	const VkIndirectCommandsLayoutEXT layout =
		make_layout(test, tokens, 2, sizeof *sequences, false);
	const VkGeneratedCommandsInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT,
		.pNext = (void *)(uintptr_t)&runs,
		.shaderStages = VK_SHADER_STAGE_COMPUTE_BIT,
		.indirectCommandsLayout = layout,
		.indirectAddress = gpu_test_address(test, test->data.handle) + 2048,
		.indirectAddressSize = sizeof sequences,
		.preprocessAddress = preprocess_address(test),
		.preprocessSize = 2048,
		.maxSequenceCount = 2,
	};
	need_preprocess_room(test, &info);
	vkCmdUpdateBuffer(test->commands, test->data.handle, 2048, sizeof sequences, sequences);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, INDIRECT,
			 VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
	bind_kernel(test, runs.pipeline);
	GENERATED_LOAD(test, vkCmdExecuteGeneratedCommandsEXT)(test->commands, VK_FALSE, &info);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	GENERATED_LOAD(test, vkDestroyIndirectCommandsLayoutEXT)(test->device, layout, NULL);
	vkDestroyPipeline(test->device, runs.pipeline, NULL);
}

// What a draw is generated of, from 2048 on.
struct drawn {
	uint32_t indices[4];
	VkDrawIndexedIndirectCommand indexed;
	VkDrawIndirectCommand counted;
	VkDrawIndirectCountIndirectCommandEXT where;
};

struct drawing {
	VkIndirectCommandsTokenTypeEXT action;
	uint32_t offset, bytes; // of the sequence
	VkAccessFlags reads;    // that its parameters are made visible to
	bool behind;            // its vertices read what a dispatch has written before it
	uint32_t again;         // where a word is written that is not ordered with the draw
};

static void begin_drawing(struct gpu_test *test, const struct drawing *how)
{
	const struct drawn drawn = {
		.indices = {0, 1, 2, 0},
		.indexed = {3, 1, 0, 0, 0},
		.counted = {3, 1, 0, 0},
		.where = {gpu_test_address(test, test->data.handle) + 2048 +
				  offsetof(struct drawn, counted),
			  sizeof(VkDrawIndirectCommand), 1},
	};
	vkCmdUpdateBuffer(test->commands, test->data.handle, 2048, sizeof drawn, &drawn);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT,
			 INDIRECT | VK_PIPELINE_STAGE_VERTEX_INPUT_BIT | TRANSFER,
			 how->reads | VK_ACCESS_TRANSFER_WRITE_BIT);
	if (how->again)
		vkCmdFillBuffer(test->commands, test->data.handle, 2048 + how->again, 4, 0);
	if (!how->behind)
		return;
	gpu_test_dispatch(test, "write_words", 1, 0);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, VK_PIPELINE_STAGE_VERTEX_SHADER_BIT, READ);
}

// The device generates a draw of three vertices.
static void generate_draw(struct gpu_test *test, const struct drawing *how)
{
	const struct gpu_draw_pipeline shaders = {
		.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, generated_read, sizeof generated_read},
			    {VK_SHADER_STAGE_FRAGMENT_BIT, generated_color,
			     sizeof generated_color}},
		.shader_count = 2,
	};
	const VkIndirectCommandsLayoutTokenEXT token = {
		.sType = VK_STRUCTURE_TYPE_INDIRECT_COMMANDS_LAYOUT_TOKEN_EXT,
		.type = how->action,
	};
	if (!test->has_generated || !test->has_graphics)
		gpu_test_skip("no VK_EXT_device_generated_commands");
	struct gpu_draw_pass pass = {0};
	gpu_draw_pass_make(test, &pass);
	const VkGeneratedCommandsPipelineInfoEXT runs = {
		.sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_PIPELINE_INFO_EXT,
		.pipeline = gpu_draw_pipeline_make(test, &pass, &shaders),
	};
	const VkIndirectCommandsLayoutEXT layout = make_layout(test, &token, 1, how->bytes, false);
	const VkGeneratedCommandsInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_GENERATED_COMMANDS_INFO_EXT,
		.pNext = (void *)(uintptr_t)&runs,
		.shaderStages = VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT,
		.indirectCommandsLayout = layout,
		.indirectAddress = gpu_test_address(test, test->data.handle) + 2048 + how->offset,
		.indirectAddressSize = how->bytes,
		.preprocessAddress = preprocess_address(test),
		.preprocessSize = 2048,
		.maxSequenceCount = 1,
		.maxDrawCount = 1,
	};
	need_preprocess_room(test, &info);
	begin_drawing(test, how);
	vkCmdBindIndexBuffer(test->commands, test->data.handle, 2048, VK_INDEX_TYPE_UINT32);
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, runs.pipeline);
	vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, test->layout, 0, 1,
				&test->set, 0, NULL);
	gpu_draw_begin(test, &pass, gpu_draw_all());
	GENERATED_LOAD(test, vkCmdExecuteGeneratedCommandsEXT)(test->commands, VK_FALSE, &info);
	vkCmdEndRenderPass(test->commands);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	GENERATED_LOAD(test, vkDestroyIndirectCommandsLayoutEXT)(test->device, layout, NULL);
}

static struct drawing indexed_drawing(void)
{
	return (struct drawing){
		.action = VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_INDEXED_EXT,
		.offset = offsetof(struct drawn, indexed),
		.bytes = sizeof(VkDrawIndexedIndirectCommand),
		.reads = VK_ACCESS_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_INDEX_READ_BIT,
	};
}

static void generated_indexed(struct gpu_test *test)
{
	struct drawing how = indexed_drawing();
	how.behind = true;
	generate_draw(test, &how);
}

// The last of the indices that it reads is written anew, or the one behind it.
static void generated_indices(struct gpu_test *test)
{
	struct drawing how = indexed_drawing();
	how.again = test->fixed ? 12 : 8;
	generate_draw(test, &how);
}

// The device finds where the arguments are, and how many.
static void generated_counted(struct gpu_test *test)
{
	generate_draw(test,
		      &(struct drawing){
			      .action = VK_INDIRECT_COMMANDS_TOKEN_TYPE_DRAW_COUNT_EXT,
			      .offset = offsetof(struct drawn, where),
			      .bytes = sizeof(VkDrawIndirectCountIndirectCommandEXT),
			      .reads = VK_ACCESS_INDIRECT_COMMAND_READ_BIT,
			      .again = test->fixed ? 0u
						   : (uint32_t)offsetof(struct drawn,
									counted.firstInstance),
		      });
}
#else
static void generated_dispatch(struct gpu_test *test)
{
	(void)test;
	gpu_test_skip("headers without VK_EXT_device_generated_commands");
}
#define generated_parameters generated_dispatch
#define generated_apart      generated_dispatch
#define generated_several    generated_dispatch
#define generated_indexed    generated_dispatch
#define generated_indices    generated_dispatch
#define generated_counted    generated_dispatch
#endif

const struct gpu_twin gpu_feed_twins[] = {
	{"memory_copied", memory_copied, 0},
	{"memory_parameters", memory_parameters, 0},
	{"memory_to_image", memory_to_image, 0},
	{"generated_dispatch", generated_dispatch, 0},
	{"generated_parameters", generated_parameters, 0},
	{"generated_apart", generated_apart, 0},
	{"generated_several", generated_several, 0},
	{"generated_indexed", generated_indexed, 0},
	{"generated_indices", generated_indices, 0},
	{"generated_counted", generated_counted, 0},
	{NULL, NULL, 0},
};
