// SPDX-License-Identifier: Apache-2.0
// Twins of dispatches whose accesses follow from a uniform buffer. Knows nothing of what is to be
// reported.
#include "twins.h"

#include "uniform_steps.spv.h"
#include "uniform_steps_beside.spv.h"
#include "uniform_steps_own.spv.h"
#include "uniform_table.spv.h"

#define UNIFORM VK_ACCESS_UNIFORM_READ_BIT

#define KERNEL(name)                                                                               \
	{                                                                                          \
#name, name, sizeof name, VK_NULL_HANDLE                                           \
	}

// The test makes their pipelines, and destroys them.
static struct gpu_test_kernel kernels[] = {
	KERNEL(uniform_steps), KERNEL(uniform_steps_own),       KERNEL(uniform_steps_beside),
	KERNEL(uniform_table), {NULL, NULL, 0, VK_NULL_HANDLE},
};

// What the uniform buffer says.
struct params {
	uint32_t first, step, counts[2];
};

// All that was done so far is before, but what dispatches wrote is not available.
static void set_params(struct gpu_test *test, struct params params)
{
	test->kernels = kernels;
	gpu_test_barrier(test, COMPUTE, 0, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT);
	vkCmdUpdateBuffer(test->commands, test->data.handle, 0, sizeof params, &params);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE, UNIFORM);
}

// Neighbours write two words each, which overlap unless they are two words apart.
static struct params two_words(const struct gpu_test *test)
{
	return (struct params){.step = test->fixed ? 2 : 1, .counts = {0, 2}};
}

static void uniform_steps_twin(struct gpu_test *test)
{
	set_params(test, two_words(test));
	gpu_test_dispatch(test, "uniform_steps", 1, 0);
}

// A second dispatch of the same command buffer finds other words there than the first one did.
static void uniform_changed(struct gpu_test *test)
{
	set_params(test, (struct params){.step = 1});
	gpu_test_dispatch(test, "uniform_steps", 1, 0);
	set_params(test, (struct params){.first = test->fixed ? 32 : 31, .step = 1});
	gpu_test_dispatch(test, "uniform_steps", 1, 0);
}

// A secondary command buffer is executed twice, and finds other words then.
static void uniform_again(struct gpu_test *test)
{
	const VkCommandBufferInheritanceInfo inherits = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
	set_params(test, (struct params){.step = 4, .counts = {0, 2}});
	VkCommandBuffer primary = test->commands;
	test->commands = gpu_test_secondary(test, &inherits);
	vkCmdBindDescriptorSets(test->commands, VK_PIPELINE_BIND_POINT_COMPUTE, test->layout, 0, 1,
				&test->set, 0, NULL);
	gpu_test_dispatch(test, "uniform_steps", 1, 0);
	VkCommandBuffer secondary = test->commands;
	test->commands = primary;
	gpu_test_execute(test, secondary);
	gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, WRITE);
	set_params(test, two_words(test));
	vkCmdExecuteCommands(test->commands, 1, &secondary);
}

// The first workgroup is not that of number 0.
static void uniform_base(struct gpu_test *test)
{
	set_params(test, two_words(test));
	test->pipeline_flags = VK_PIPELINE_CREATE_DISPATCH_BASE;
	gpu_test_dispatch(test, "uniform_steps", 0, 0);
	vkCmdDispatchBase(test->commands, 3, 0, 0, 1, 1, 1);
}

// The dispatch writes the words that say where it writes, or others.
static void uniform_own(struct gpu_test *test)
{
	set_params(test, (struct params){.step = 1, .counts = {0, 2}});
	gpu_test_dispatch(test, test->fixed ? "uniform_steps_beside" : "uniform_steps_own", 1, 0);
}

// Each turn of a loop finds its place in a table.
static void uniform_table_twin(struct gpu_test *test)
{
	const uint32_t places[2][4] = {{7, 0}, {7, test->fixed ? 32 : 31}};
	test->kernels = kernels;
	vkCmdUpdateBuffer(test->commands, test->data.handle, 0, sizeof places, places);
	gpu_test_barrier(test, TRANSFER, VK_ACCESS_TRANSFER_WRITE_BIT, COMPUTE, UNIFORM);
	gpu_test_dispatch(test, "uniform_table", 1, 0);
}

const struct gpu_twin gpu_uniform_twins[] = {
	{"uniform_steps", uniform_steps_twin, 0},
	{"uniform_changed", uniform_changed, 0},
	{"uniform_again", uniform_again, 0},
	{"uniform_base", uniform_base, 0},
	{"uniform_own", uniform_own, 0},
	{"uniform_table", uniform_table_twin, 0},
	{NULL, NULL, 0},
};
