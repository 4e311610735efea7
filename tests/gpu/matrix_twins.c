// SPDX-License-Identifier: Apache-2.0
// Twins of cooperative matrices, skipped where the shader compiler or the driver lacks them. Knows
// nothing of what is to be reported.
#include "twins.h"

#ifdef VKR_TEST_MATRICES
#include "matrix_lines.spv.h"
#include "matrix_parts_fixed.spv.h"
#include "matrix_parts_race.spv.h"

// One workgroup, with a word of push constants.
static void run(struct gpu_test *test, const uint32_t *words, size_t bytes, uint32_t pushed)
{
	const VkShaderModuleCreateInfo code = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = bytes,
		.pCode = words,
	};
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .pName = "main"},
		.layout = test->layout,
	};
	VkPipeline pipeline;
	if (!test->has_matrices)
		gpu_test_skip("no cooperative matrices");
	gpu_test_expect(vkCreateShaderModule(test->device, &code, NULL, &info.stage.module),
			"vkCreateShaderModule");
	gpu_test_expect(
		vkCreateComputePipelines(test->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline),
		"vkCreateComputePipelines");
	vkCmdBindPipeline(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	vkCmdPushConstants(test->commands, test->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
			   sizeof pushed, &pushed);
	vkCmdDispatch(test->commands, 1, 1, 1);
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	vkDestroyPipeline(test->device, pipeline, NULL);
	vkDestroyShaderModule(test->device, info.stage.module, NULL);
}

// What the invocations of one subgroup do together is no race; another subgroup's store is.
static void matrix_parts(struct gpu_test *test)
{
	if (test->fixed)
		run(test, matrix_parts_fixed, sizeof matrix_parts_fixed, 0);
	else
		run(test, matrix_parts_race, sizeof matrix_parts_race, 0);
}

// The stride decides whether two subgroups' lines meet: it is known when the shader runs.
static void matrix_stride(struct gpu_test *test)
{
	run(test, matrix_lines, sizeof matrix_lines, test->fixed ? 64 : 12);
}
#else
static void matrix_parts(struct gpu_test *test)
{
	(void)test;
	gpu_test_skip("a compiler without cooperative matrices");
}

static void matrix_stride(struct gpu_test *test)
{
	matrix_parts(test);
}
#endif

const struct gpu_twin gpu_matrix_twins[] = {
	{"matrix_parts", matrix_parts, 0}, {"matrix_stride", matrix_stride, 0}, {NULL, NULL, 0}};
