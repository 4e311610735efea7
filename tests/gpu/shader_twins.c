// SPDX-License-Identifier: Apache-2.0
// Twins of what few shaders use: pointers without a type, shared blocks that alias, shared memory
// that begins as zeros, accesses
// beyond the end of buffers. Knows nothing of what is to be reported.
#include "twins.h"

#include "beyond_rows_fixed.spv.h"
#include "beyond_rows_race.spv.h"
#include "robust_buffers_fixed.spv.h"
#include "robust_buffers_race.spv.h"
#include "shared_blocks_fixed.spv.h"
#include "shared_blocks_race.spv.h"
#include "shared_zeros_fixed.spv.h"
#include "shared_zeros_race.spv.h"
#ifdef VKR_TEST_UNTYPED
#include "untyped_copy_fixed.spv.h"
#include "untyped_copy_race.spv.h"
#include "untyped_words_fixed.spv.h"
#include "untyped_words_race.spv.h"
#endif

#include <stdio.h>

#define KERNEL(name)                                                                               \
	{                                                                                          \
#name, name, sizeof name, VK_NULL_HANDLE                                           \
	}
#define KERNELS(name) KERNEL(name##_race), KERNEL(name##_fixed)

// The test makes their pipelines, and destroys them.
static struct gpu_test_kernel kernels[] = {
	KERNELS(shared_blocks),          KERNELS(shared_zeros),
	KERNELS(robust_buffers),         KERNELS(beyond_rows),
#ifdef VKR_TEST_UNTYPED
	KERNELS(untyped_copy),           KERNELS(untyped_words),
#endif
	{NULL, NULL, 0, VK_NULL_HANDLE},
};

// Dispatches one workgroup of the kernel NAME_race or NAME_fixed.
static void run(struct gpu_test *test, const char *name)
{
	char kernel[64];
	snprintf(kernel, sizeof kernel, "%s_%s", name, test->fixed ? "fixed" : "race");
	test->kernels = kernels;
	gpu_test_dispatch(test, kernel, 1, 0);
}

static void run_untyped(struct gpu_test *test, const char *name)
{
	if (!test->has_untyped_pointers)
		gpu_test_skip("no pointers without a type");
	run(test, name);
}

// Vectors and words of one buffer.
static void untyped_words(struct gpu_test *test)
{
	run_untyped(test, "untyped_words");
}

// Copies of a number of bytes, to where others copy from.
static void untyped_copy(struct gpu_test *test)
{
	run_untyped(test, "untyped_copy");
}

// Words of one block, vectors of another one in the same memory.
static void shared_blocks(struct gpu_test *test)
{
	if (!test->has_shared_blocks)
		gpu_test_skip("no shared blocks");
	run(test, "shared_blocks");
}

// What memory holds before the shader begins is no write of an invocation.
static void shared_zeros(struct gpu_test *test)
{
	if (!test->has_shared_zeros)
		gpu_test_skip("no zeros in shared memory");
	run(test, "shared_zeros");
}

// What robustBufferAccess2 makes of accesses beyond the end of a storage buffer is all known.
static void robust_buffers(struct gpu_test *test)
{
	if (!test->has_robust_buffers)
		gpu_test_skip("no robustBufferAccess2");
	run(test, "robust_buffers");
}

// Each workgroup reads another number of words there; without robustBufferAccess2 it is the
// driver's choice what that reads.
static void beyond_rows(struct gpu_test *test)
{
	test->kernels = kernels;
	vkCmdFillBuffer(test->commands, test->data.handle, 0, 256, 0);
	gpu_test_barrier(test, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
			 VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
	gpu_test_dispatch(test, test->fixed ? "beyond_rows_fixed" : "beyond_rows_race", 24, 0);
}

const struct gpu_twin gpu_shader_twins[] = {
	{"untyped_copy", untyped_copy, 0},
	{"untyped_words", untyped_words, 0},
	{"shared_blocks", shared_blocks, 0},
	{"shared_zeros", shared_zeros, 0},
	{"robust_buffers", robust_buffers, 0},
	{"beyond_rows", beyond_rows, 0},
	{NULL, NULL, 0},
};
