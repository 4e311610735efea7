// SPDX-License-Identifier: Apache-2.0
// Twins of queries, conditional rendering, transform feedback, exported memory. Knows nothing of
// what is to be reported.
#include "gpu_draw.h"
#include "twins.h"

#include "feedback.spv.h"
#include "feedback_color.spv.h"
#include "feedback_points.spv.h"

#include <time.h>
#include <unistd.h>

#define RESULT_BYTES  8u
#define RESULT_STRIDE 16u

static VkQueryPool make_timestamps(struct gpu_test *test, uint32_t count)
{
	const VkQueryPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
		.queryType = VK_QUERY_TYPE_TIMESTAMP,
		.queryCount = count,
	};
	VkPhysicalDeviceProperties properties;
	VkQueryPool pool;
	vkGetPhysicalDeviceProperties(test->physical, &properties);
	if (!properties.limits.timestampComputeAndGraphics)
		gpu_test_skip("no timestamps");
	gpu_test_expect(vkCreateQueryPool(test->device, &info, NULL, &pool), "vkCreateQueryPool");
	vkCmdResetQueryPool(test->commands, pool, 0, count);
	for (uint32_t i = 0; i < count; i++)
		vkCmdWriteTimestamp(test->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, i);
	return pool;
}

static void finish_pool(struct gpu_test *test, VkQueryPool pool)
{
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyQueryPool(test->device, pool, NULL);
}

// The copy writes two results with a gap in between: the fill may go there.
static void query_results(struct gpu_test *test)
{
	VkQueryPool pool = make_timestamps(test, 2);
	vkCmdCopyQueryPoolResults(test->commands, pool, 0, 2, test->data.handle, 0, RESULT_STRIDE,
				  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
	vkCmdFillBuffer(test->commands, test->data.handle,
			test->fixed ? RESULT_BYTES : RESULT_STRIDE, RESULT_BYTES, 0);
	finish_pool(test, pool);
}

// The copy is a transfer: the barrier before the reader must name that.
static void query_copy(struct gpu_test *test)
{
	VkQueryPool pool = make_timestamps(test, 2);
	vkCmdCopyQueryPoolResults(test->commands, pool, 0, 2, test->data.handle, 0, RESULT_BYTES,
				  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
	gpu_test_barrier(test, test->fixed ? TRANSFER : COMPUTE,
			 test->fixed ? VK_ACCESS_TRANSFER_WRITE_BIT : WRITE, COMPUTE, READ);
	gpu_test_dispatch(test, "read_words", 1, 0);
	finish_pool(test, pool);
}

// The host resets queries whose commands are not known to have completed.
static void query_reset(struct gpu_test *test)
{
	uint64_t results[2];
	if (!test->has_query_reset)
		gpu_test_skip("no vkResetQueryPool");
	VkQueryPool pool = make_timestamps(test, 2);
	gpu_test_submit(test, 1);
	if (test->fixed)
		gpu_test_expect(
			vkGetQueryPoolResults(test->device, pool, 0, 2, sizeof results, results,
					      sizeof *results,
					      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
			"vkGetQueryPoolResults");
	else // lavapipe does not survive it that the race is lost
		nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
	vkResetQueryPool(test->device, pool, 1, 1);
	finish_pool(test, pool);
}

// A query around the second dispatch, where no graphics pipeline was bound: with what the layer
// pushes for dispatches that log, this is the driver's first look at state of graphics.
static void query_dispatch(struct gpu_test *test)
{
	const VkQueryPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
		.queryType = VK_QUERY_TYPE_OCCLUSION,
		.queryCount = 1,
	};
	VkQueryPool pool;
	if (!test->has_graphics)
		gpu_test_skip("no queries of graphics");
	gpu_test_expect(vkCreateQueryPool(test->device, &info, NULL, &pool), "vkCreateQueryPool");
	vkCmdResetQueryPool(test->commands, pool, 0, 1);
	gpu_test_dispatch(test, "count_device", 1, 0);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ);
	vkCmdBeginQuery(test->commands, pool, 0, 0);
	gpu_test_dispatch(test, "read_words", 1, 0);
	vkCmdEndQuery(test->commands, pool, 0);
	finish_pool(test, pool);
}

#define PREDICATE 4096u // behind what shaders write

#define CONDITION        VK_PIPELINE_STAGE_CONDITIONAL_RENDERING_BIT_EXT
#define CONDITION_READ   VK_ACCESS_CONDITIONAL_RENDERING_READ_BIT_EXT
#define FEEDBACK         VK_PIPELINE_STAGE_TRANSFORM_FEEDBACK_BIT_EXT
#define COUNTER_WRITE    VK_ACCESS_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT
#define LOAD(test, name) ((PFN_##name)vkGetDeviceProcAddr((test)->device, #name))

static void begin_condition(struct gpu_test *test, VkBuffer buffer, VkDeviceSize offset)
{
	const VkConditionalRenderingBeginInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT,
		.buffer = buffer,
		.offset = offset,
	};
	LOAD(test, vkCmdBeginConditionalRenderingEXT)(test->commands, &info);
}

static void end_condition(struct gpu_test *test)
{
	LOAD(test, vkCmdEndConditionalRenderingEXT)(test->commands);
}

static void need_conditional(const struct gpu_test *test)
{
	if (!test->has_conditional)
		gpu_test_skip("no VK_EXT_conditional_rendering");
}

// The predicate is read in a stage of its own, not where indirect arguments are.
static void predicate_stage(struct gpu_test *test)
{
	need_conditional(test);
	gpu_test_dispatch(test, "write_words", 1, 0);
	gpu_test_barrier(test, COMPUTE, WRITE, test->fixed ? CONDITION : INDIRECT,
			 test->fixed ? CONDITION_READ : VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
	begin_condition(test, test->data.handle, 4);
	end_condition(test);
}

static void set_predicate(struct gpu_test *test, uint32_t value)
{
	vkCmdFillBuffer(test->commands, test->result.handle, PREDICATE, 4, value);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, CONDITION, CONDITION_READ);
}

// A dispatch that was discarded races with nothing.
static void predicate_discard(struct gpu_test *test)
{
	need_conditional(test);
	set_predicate(test, test->fixed ? 0 : 1);
	gpu_test_dispatch(test, "write_words", 1, 0);
	begin_condition(test, test->result.handle, PREDICATE);
	gpu_test_dispatch(test, "update_words", 1, 0);
	end_condition(test);
}

// What was not discarded has read its arguments. They are there before, in case that the dispatch
// comes before they are written again.
static void predicate_arguments(struct gpu_test *test)
{
	const uint32_t groups[3] = {1, 1, 1};
	need_conditional(test);
	vkCmdUpdateBuffer(test->commands, test->data.handle, 0, sizeof groups, groups);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkQueueWaitIdle(test->queue), "vkQueueWaitIdle");
	set_predicate(test, 1);
	vkCmdUpdateBuffer(test->commands, test->data.handle, 0, sizeof groups, groups);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, INDIRECT,
				 VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE, WRITE);
	begin_condition(test, test->result.handle, PREDICATE);
	gpu_test_dispatch_indirect(test, "write_result");
	end_condition(test);
}

struct capture {
	VkDeviceSize offset, counter; // in the data buffer: of 1024 bytes, of the counter
	bool resume;                  // at the counter
	bool counted;                 // as many vertices as the counter says
	bool geometry;                // behind a geometry shader
	bool called;                  // in a secondary command buffer
};

// Draws three vertices.
static void capture(struct gpu_test *test, const struct capture *how)
{
	struct gpu_draw_pass pass = {0};
	const struct gpu_draw_pipeline pipeline = {
		.shaders = {{VK_SHADER_STAGE_VERTEX_BIT, feedback, sizeof feedback},
			    {VK_SHADER_STAGE_FRAGMENT_BIT, feedback_color, sizeof feedback_color},
			    {VK_SHADER_STAGE_GEOMETRY_BIT, feedback_points,
			     sizeof feedback_points}},
		.shader_count = how->geometry ? 3 : 2};
	const VkBuffer data = test->data.handle;
	const VkDeviceSize bytes = 1024;
	if (!test->has_feedback || (how->geometry && !test->has_geometry))
		gpu_test_skip("no VK_EXT_transform_feedback");
	gpu_draw_pass_make(test, &pass);
	const VkCommandBuffer primary = how->called ? gpu_draw_begin_called(test, &pass) : NULL;
	gpu_draw_bind(test, &pass, &pipeline);
	if (!how->called)
		gpu_draw_begin(test, &pass, gpu_draw_all());
	LOAD(test, vkCmdBindTransformFeedbackBuffersEXT)
	(test->commands, 0, 1, &data, &how->offset, &bytes);
	LOAD(test, vkCmdBeginTransformFeedbackEXT)
	(test->commands, 0, how->resume, &data, &how->counter);
	if (how->counted)
		LOAD(test, vkCmdDrawIndirectByteCountEXT)
	(test->commands, 1, 0, data, how->counter, 0, 32);
	else vkCmdDraw(test->commands, 3, 1, 0, 0);
	LOAD(test, vkCmdEndTransformFeedbackEXT)
	(test->commands, 0, !how->counted, &data, &how->counter);
	if (how->called)
		gpu_draw_end_called(test, primary);
	else
		vkCmdEndRenderPass(test->commands);
}

static void counter_barrier(struct gpu_test *test)
{
	gpu_test_barrier(test, FEEDBACK, COUNTER_WRITE, FEEDBACK | INDIRECT,
			 VK_ACCESS_TRANSFORM_FEEDBACK_COUNTER_READ_BIT_EXT | COUNTER_WRITE |
				 VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
}

// The counter that one capture writes is read by the next one.
static void feedback_counter(struct gpu_test *test)
{
	capture(test, &(struct capture){.counter = 2048});
	if (test->fixed)
		counter_barrier(test);
	else
		gpu_test_barrier(test, FEEDBACK, COUNTER_WRITE, INDIRECT,
				 VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
	capture(test, &(struct capture){.offset = 1024, .counter = 2048, .resume = true});
}

// Of each 32 bytes a vertex writes 16, from byte 8 on; there are three vertices.
static void feedback_write(struct gpu_test *test)
{
	capture(test, &(struct capture){.counter = 2048});
	vkCmdFillBuffer(test->commands, test->data.handle, 64, 8, 0);
	vkCmdFillBuffer(test->commands, test->data.handle, test->fixed ? 96 : 80, 32, 0);
}

// Feedback in a secondary command buffer.
static void feedback_called(struct gpu_test *test)
{
	capture(test, &(struct capture){.counter = 2048, .called = true});
	vkCmdFillBuffer(test->commands, test->data.handle, test->fixed ? 96 : 80, 32, 0);
}

// Capturing goes on behind 96 bytes, where the counter says.
static void feedback_resumed(struct gpu_test *test)
{
	capture(test, &(struct capture){.counter = 2048});
	counter_barrier(test);
	capture(test, &(struct capture){.counter = 2048, .resume = true});
	vkCmdFillBuffer(test->commands, test->data.handle, test->fixed ? 96 : 104, 8, 0);
}

// A draw of as many vertices as were captured captures them once more.
static void feedback_counted(struct gpu_test *test)
{
	capture(test, &(struct capture){.counter = 2048});
	counter_barrier(test);
	capture(test, &(struct capture){.offset = 1024, .counter = 2048, .counted = true});
	vkCmdFillBuffer(test->commands, test->data.handle, test->fixed ? 1120 : 1096, 8, 0);
}

// How much a geometry shader emits is not known: it may be any part of the bound range.
static void feedback_geometry(struct gpu_test *test)
{
	capture(test, &(struct capture){.counter = 2048, .geometry = true});
	vkCmdFillBuffer(test->commands, test->data.handle, test->fixed ? 1024 : 512, 8, 0);
}

static VkBuffer shared_buffer(struct gpu_test *test, const void *chain, const char *name,
			      VkDeviceMemory *memory)
{
	const VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
	};
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.pNext = &external,
		.size = 4096,
		.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
	};
	VkBuffer buffer;
	VkMemoryRequirements needs;
	gpu_test_expect(vkCreateBuffer(test->device, &info, NULL, &buffer), "vkCreateBuffer");
	vkGetBufferMemoryRequirements(test->device, buffer, &needs);
	*memory = gpu_test_allocate(test, &needs, chain);
	gpu_test_expect(vkBindBufferMemory(test->device, buffer, *memory, 0), "vkBindBufferMemory");
	gpu_test_name(test, VK_OBJECT_TYPE_BUFFER, (uint64_t)(uintptr_t)buffer, name);
	return buffer;
}

static int export_file(struct gpu_test *test, VkDeviceMemory memory)
{
	const VkMemoryGetFdInfoKHR get = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
		.memory = memory,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
	};
	int file = -1;
	gpu_test_expect(LOAD(test, vkGetMemoryFdKHR)(test->device, &get, &file),
			"vkGetMemoryFdKHR");
	return file;
}

static const VkExportMemoryAllocateInfo shared_export = {
	.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
	.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
};

// Memory is reported as shared once it is shared; everything else is judged as ever.
static void memory_exported(struct gpu_test *test)
{
	if (!test->has_export)
		gpu_test_skip("no VK_KHR_external_memory_fd");
	VkDeviceMemory memory = gpu_test_allocate(
		test, &(VkMemoryRequirements){.size = 4096, .memoryTypeBits = UINT32_MAX},
		&shared_export);
	const int file = export_file(test, memory);
	gpu_test_dispatch(test, "write_words", 1, 0);
	if (test->fixed)
		gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ);
	gpu_test_dispatch(test, "read_words", 1, 0);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	close(file);
	vkFreeMemory(test->device, memory, NULL);
}

// Exported memory and what is imported of its file, each with a buffer.
static void share_memory(struct gpu_test *test, VkDeviceMemory memories[2], VkBuffer buffers[2])
{
	if (!test->has_export)
		gpu_test_skip("no VK_KHR_external_memory_fd");
	buffers[0] = shared_buffer(test, &shared_export, "exported", &memories[0]);
	const VkImportMemoryFdInfoKHR import = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT,
		.fd = export_file(test, memories[0]),
	};
	buffers[1] = shared_buffer(test, &import, "imported", &memories[1]);
}

// Memory is imported from the file that other memory is exported as: what is written through the
// one is read through the other. The one is freed first, while its bytes are used.
static void memory_imported(struct gpu_test *test)
{
	VkDeviceMemory memories[2];
	VkBuffer buffers[2];
	share_memory(test, memories, buffers);
	const VkBufferCopy copy = {256, 0, 64};
	vkCmdFillBuffer(test->commands, buffers[0], 256, 64, 1);
	if (test->fixed)
		gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, TRANSFER,
				 VK_ACCESS_TRANSFER_READ_BIT);
	vkCmdCopyBuffer(test->commands, buffers[1], test->result.handle, 1, &copy);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyBuffer(test->device, buffers[0], NULL);
	vkFreeMemory(test->device, memories[0], NULL);
	vkCmdFillBuffer(test->commands, buffers[1], 0, 256, 1);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyBuffer(test->device, buffers[1], NULL);
	vkFreeMemory(test->device, memories[1], NULL);
}

static volatile uint32_t *map_all(struct gpu_test *test, VkDeviceMemory memory)
{
	void *mapped = NULL;
	gpu_test_expect(vkMapMemory(test->device, memory, 0, VK_WHOLE_SIZE, 0, &mapped),
			"vkMapMemory");
	return mapped;
}

// The host writes through a mapping of imported memory what the device reads through the exported
// one, whose own mapping came and went.
static void watch_imported(struct gpu_test *test)
{
	const VkBufferCopy copy = {256, 0, 64};
	VkDeviceMemory memories[2];
	VkBuffer buffers[2];
	share_memory(test, memories, buffers);
	volatile uint32_t *words = map_all(test, memories[1]);
	map_all(test, memories[0])[64] = 1;
	vkUnmapMemory(test->device, memories[0]);
	vkCmdCopyBuffer(test->commands, buffers[0], test->result.handle, 1, &copy);
	const VkFence fence = gpu_test_submit_fence(test);
	if (test->fixed)
		gpu_test_wait(test, fence);
	words[64] = 2;
	if (!test->fixed)
		gpu_test_wait(test, fence);
	for (int i = 0; i < 2; i++) {
		vkDestroyBuffer(test->device, buffers[i], NULL);
		vkFreeMemory(test->device, memories[i], NULL);
	}
}

const struct gpu_twin gpu_order_twins[] = {
	{"query_results", query_results, 0},
	{"query_copy", query_copy, 0},
	{"query_reset", query_reset, 0},
	{"query_dispatch", query_dispatch, 0},
	{"predicate_stage", predicate_stage, 0},
	{"predicate_discard", predicate_discard, 0},
	{"predicate_arguments", predicate_arguments, 0},
	{"feedback_counter", feedback_counter, 0},
	{"feedback_write", feedback_write, 0},
	{"feedback_called", feedback_called, 0},
	{"feedback_resumed", feedback_resumed, 0},
	{"feedback_counted", feedback_counted, 0},
	{"feedback_geometry", feedback_geometry, 0},
	{"memory_exported", memory_exported, 0},
	{"memory_imported", memory_imported, 0},
	{"watch_imported", watch_imported, 0},
	{NULL, NULL, 0},
};
