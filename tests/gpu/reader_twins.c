// SPDX-License-Identifier: Apache-2.0
// Twins of reads that many invocations of a dispatch make of the same bytes. Knows nothing of what
// is to be reported.
#include "twins.h"

#include "read_stack_groups_fixed.spv.h"
#include "read_stack_groups_race.spv.h"
#include "read_stack_lane.spv.h"
#include "read_stack_others.spv.h"
#include "read_stack_own.spv.h"
#include "read_stack_phases_fixed.spv.h"
#include "read_stack_phases_race.spv.h"
#include "read_stack_quiet.spv.h"

#define GROUPS 16u
#define LAST   31u // the word that only the last invocations of workgroups read

#define KERNEL(name)                                                                               \
	{                                                                                          \
#name, name, sizeof name, VK_NULL_HANDLE                                           \
	}

// The test makes their pipelines, and destroys them.
static struct gpu_test_kernel kernels[] = {
	KERNEL(read_stack_own),          KERNEL(read_stack_others),
	KERNEL(read_stack_lane),         KERNEL(read_stack_quiet),
	KERNEL(read_stack_groups_race),  KERNEL(read_stack_groups_fixed),
	KERNEL(read_stack_phases_race),  KERNEL(read_stack_phases_fixed),
	{NULL, NULL, 0, VK_NULL_HANDLE},
};

static void dispatch(struct gpu_test *test, const char *kernel, uint32_t groups)
{
	if (!test->has_memory_model)
		gpu_test_skip("no Vulkan memory model");
	test->kernels = kernels;
	gpu_test_dispatch(test, kernel, groups, 0);
}

static void fill_last(struct gpu_test *test)
{
	if (test->fixed)
		vkCmdPipelineBarrier(test->commands, COMPUTE, TRANSFER, 0, 0, NULL, 0, NULL, 0,
				     NULL);
	vkCmdFillBuffer(test->commands, test->data.handle, LAST * sizeof(uint32_t),
			sizeof(uint32_t), 0);
}

// Of two readers of a word one is the invocation that writes it.
static void readers_two(struct gpu_test *test)
{
	dispatch(test, test->fixed ? "read_stack_own" : "read_stack_others", GROUPS);
}

// Where they read follows from what they log and from which invocation they are.
static void readers_lane(struct gpu_test *test)
{
	dispatch(test, "read_stack_lane", GROUPS);
	fill_last(test);
}

// Two readers before a barrier do not stand for one after it.
static void readers_phases(struct gpu_test *test)
{
	dispatch(test, test->fixed ? "read_stack_phases_fixed" : "read_stack_phases_race", 1);
}

// Of two workgroups that read a word one has a barrier after what is written there.
static void readers_groups(struct gpu_test *test)
{
	dispatch(test, test->fixed ? "read_stack_groups_fixed" : "read_stack_groups_race", GROUPS);
}

// Two readers in an earlier execution do not stand for one in a later one.
static void readers_again(struct gpu_test *test)
{
	dispatch(test, "read_stack_quiet", GROUPS);
	gpu_test_wait(test, gpu_test_submit_fence(test));
	dispatch(test, "read_stack_quiet", GROUPS);
	gpu_test_barrier(test, COMPUTE, WRITE, COMPUTE, READ | WRITE);
	dispatch(test, "read_stack_quiet", GROUPS);
	fill_last(test);
}

const struct gpu_twin gpu_reader_twins[] = {
	{"readers_two", readers_two, 0},       {"readers_lane", readers_lane, 0},
	{"readers_phases", readers_phases, 0}, {"readers_groups", readers_groups, 0},
	{"readers_again", readers_again, 0},   {NULL, NULL, 0},
};
