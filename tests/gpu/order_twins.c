// SPDX-License-Identifier: Apache-2.0
// Twins of queries. Knows nothing of what is to be reported.
#include "twins.h"

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
	vkResetQueryPool(test->device, pool, 1, 1);
	finish_pool(test, pool);
}

const struct gpu_twin gpu_order_twins[] = {
	{"query_results", query_results, 0},
	{"query_copy", query_copy, 0},
	{"query_reset", query_reset, 0},
	{NULL, NULL, 0},
};
