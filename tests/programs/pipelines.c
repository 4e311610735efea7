// SPDX-License-Identifier: Apache-2.0
// Makes pipelines with a cache, with feedback, again from the cache's data, and many from several
// threads in an order that differs. Knows nothing of the layer; prints what Vulkan answered and
// what the pipelines computed, which must be the same without it.
#include "gpu_test.h"
#include "special_value.spv.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS   4u
#define OF_THREAD 8u
#define PIPELINES (THREADS * OF_THREAD)

static struct gpu_test_kernel kernels[] = {
	{"special_value", special_value, sizeof special_value, VK_NULL_HANDLE},
	{NULL, NULL, 0, VK_NULL_HANDLE},
};

struct making {
	struct gpu_test *test;
	VkPipelineCache cache;
	uint32_t thread;
	VkPipeline *pipelines; // of all threads
};

static VkPipelineCache make_cache(struct gpu_test *test, const void *data, size_t bytes)
{
	const VkPipelineCacheCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO,
		.initialDataSize = bytes,
		.pInitialData = data,
	};
	VkPipelineCache cache;
	gpu_test_expect(vkCreatePipelineCache(test->device, &info, NULL, &cache),
			"vkCreatePipelineCache");
	return cache;
}

// The kernel that stores `value`, from a module of its own. *feedback where it is not NULL.
static VkPipeline make(struct gpu_test *test, VkPipelineCache cache, uint32_t value,
		       VkPipelineCreationFeedback *feedback)
{
	const VkShaderModuleCreateInfo module_info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = kernels[0].bytes,
		.pCode = kernels[0].words,
	};
	const VkSpecializationMapEntry entry = {0, 0, sizeof value};
	const VkSpecializationInfo special = {1, &entry, sizeof value, &value};
	VkPipelineCreationFeedback of_stage = {0};
	const VkPipelineCreationFeedbackCreateInfo wanted = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO,
		.pPipelineCreationFeedback = feedback,
		.pipelineStageCreationFeedbackCount = 1,
		.pPipelineStageCreationFeedbacks = &of_stage,
	};
	VkShaderModule module;
	VkPipeline pipeline;
	gpu_test_expect(vkCreateShaderModule(test->device, &module_info, NULL, &module),
			"vkCreateShaderModule");
	const VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.pNext = feedback ? &wanted : NULL,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .module = module,
			  .pName = "main",
			  .pSpecializationInfo = &special},
		.layout = test->layout,
	};
	gpu_test_expect(vkCreateComputePipelines(test->device, cache, 1, &info, NULL, &pipeline),
			"vkCreateComputePipelines");
	vkDestroyShaderModule(test->device, module, NULL);
	return pipeline;
}

static void print_feedback(const char *when, const VkPipelineCreationFeedback *feedback)
{
	printf("%s: %s, %s\n", when,
	       feedback->flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT ? "feedback" : "none",
	       feedback->flags & VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT
		       ? "hit"
		       : "no hit");
}

static void make_once(struct gpu_test *test, VkPipelineCache cache, const char *when)
{
	VkPipelineCreationFeedback feedback = {0};
	VkPipeline pipeline = make(test, cache, 1000, &feedback);
	print_feedback(when, &feedback);
	vkDestroyPipeline(test->device, pipeline, NULL);
}

// One shader twice with one cache, then with another cache that has the first one's data.
static void use_cache(struct gpu_test *test)
{
	size_t bytes = 0;
	VkPipelineCache cache = make_cache(test, NULL, 0);
	make_once(test, cache, "first");
	make_once(test, cache, "again");
	gpu_test_expect(vkGetPipelineCacheData(test->device, cache, &bytes, NULL),
			"vkGetPipelineCacheData");
	void *data = calloc(1, bytes + 1);
	if (!data)
		abort();
	gpu_test_expect(vkGetPipelineCacheData(test->device, cache, &bytes, data),
			"vkGetPipelineCacheData");
	VkPipelineCache loaded = make_cache(test, data, bytes);
	make_once(test, loaded, "from data");
	vkDestroyPipelineCache(test->device, loaded, NULL);
	vkDestroyPipelineCache(test->device, cache, NULL);
	free(data);
}

// Each value twice, by two threads.
static uint32_t value_of(uint32_t pipeline)
{
	return 1 + pipeline % (PIPELINES / 2);
}

static void *make_many(void *user)
{
	const struct making *making = user;
	for (uint32_t i = 0; i < OF_THREAD; i++) {
		uint32_t number = making->thread * OF_THREAD + i;
		making->pipelines[number] =
			make(making->test, making->cache, value_of(number), NULL);
	}
	return NULL;
}

// Those of every second thread with arguments in memory, which other pipelines of vkrace's log.
static void dispatch_all(struct gpu_test *test, const VkPipeline *pipelines)
{
	static const VkDispatchIndirectCommand once = {1, 1, 1};
	vkCmdUpdateBuffer(test->commands, test->result.handle, 0, sizeof once, &once);
	gpu_test_barrier(test, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
			 VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, VK_ACCESS_INDIRECT_COMMAND_READ_BIT);
	for (uint32_t i = 0; i < PIPELINES; i++) {
		vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[i]);
		vkCmdPushConstants(test->commands, test->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
				   sizeof i, &i);
		if (i / OF_THREAD % 2)
			vkCmdDispatchIndirect(test->commands, test->result.handle, 0);
		else
			vkCmdDispatch(test->commands, 1, 1, 1);
	}
	gpu_test_barrier(test, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
			 VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
}

static void use_threads(struct gpu_test *test)
{
	pthread_t threads[THREADS];
	struct making making[THREADS];
	VkPipeline pipelines[PIPELINES];
	VkPipelineCache cache = make_cache(test, NULL, 0);
	for (uint32_t i = 0; i < THREADS; i++) {
		making[i] = (struct making){test, cache, i, pipelines};
		if (pthread_create(&threads[i], NULL, make_many, &making[i]))
			abort();
	}
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	dispatch_all(test, pipelines);
	void *mapped;
	gpu_test_expect(
		vkMapMemory(test->device, test->data.memory, 0, VK_WHOLE_SIZE, 0, (void **)&mapped),
		"vkMapMemory");
	for (uint32_t i = 0; i < PIPELINES; i++)
		printf("pipeline %u stored %u\n", i, ((const uint32_t *)mapped)[i]);
	vkUnmapMemory(test->device, test->data.memory);
	for (uint32_t i = 0; i < PIPELINES; i++)
		vkDestroyPipeline(test->device, pipelines[i], NULL);
	vkDestroyPipelineCache(test->device, cache, NULL);
}

int main(void)
{
	struct gpu_test test;
	gpu_test_init(&test, kernels, true);
	use_cache(&test);
	use_threads(&test);
	gpu_test_finish(&test);
	return 0;
}
