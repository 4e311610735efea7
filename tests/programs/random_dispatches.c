// SPDX-License-Identifier: Apache-2.0
// Dispatches one compute shader after the other, with all ordered in between: what races is within
// a dispatch. Knows nothing of what the shaders do.
//
// random_dispatches GROUPS FILE.spv...
#include "gpu_test.h"

#include <stdio.h>
#include <stdlib.h>

static void read_file(struct gpu_test_kernel *kernel, const char *path)
{
	FILE *file = fopen(path, "rb");
	uint32_t *words = NULL;
	long bytes = -1;
	if (file && fseek(file, 0, SEEK_END) == 0)
		bytes = ftell(file);
	if (bytes > 0)
		words = malloc((size_t)bytes);
	if (!words || fseek(file, 0, SEEK_SET) != 0 ||
	    fread(words, 1, (size_t)bytes, file) != (size_t)bytes) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(2);
	}
	fclose(file);
	*kernel = (struct gpu_test_kernel){path, words, (size_t)bytes, VK_NULL_HANDLE};
}

// The words of the first buffer from byte 1024 on, which shaders reach through the address at word
// 504 of the second.
static void tell_address(struct gpu_test *test)
{
	const VkBufferDeviceAddressInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
		.buffer = test->data.handle,
	};
	if (!test->has_addresses || !test->has_wide_atomics || !test->has_float_atomics)
		gpu_test_skip("no device addresses, or no atomics on wide numbers or floats");
	const VkDeviceAddress address = vkGetBufferDeviceAddress(test->device, &info) + 1024;
	vkCmdUpdateBuffer(test->commands, test->result.handle, 504 * sizeof(uint32_t),
			  sizeof address, &address);
}

// Words 384 to 447 of the second buffer, which shaders read and never write.
static void write_data(struct gpu_test *test)
{
	uint32_t data[64];
	for (uint32_t at = 0; at < 64; at++)
		data[at] = (at * at * 7 + 3 * at) % 29;
	vkCmdUpdateBuffer(test->commands, test->result.handle, 384 * sizeof *data, sizeof data,
			  data);
}

int main(int count, char **arguments)
{
	const VkAccessFlags all = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
	struct gpu_test test;
	if (count < 3)
		return 2;
	struct gpu_test_kernel *kernels = calloc((size_t)count - 1, sizeof *kernels);
	if (!kernels)
		return 2;
	for (int at = 2; at < count; at++)
		read_file(&kernels[at - 2], arguments[at]);
	gpu_test_init(&test, kernels, false);
	tell_address(&test);
	write_data(&test);
	gpu_test_barrier(&test, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
			 VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
	for (int at = 2; at < count; at++) {
		gpu_test_dispatch(&test, arguments[at], (uint32_t)atoi(arguments[1]), 0);
		gpu_test_barrier(&test, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, all,
				 VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, all);
	}
	gpu_test_submit(&test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test.device), "vkDeviceWaitIdle");
	gpu_test_finish(&test);
	for (int at = 2; at < count; at++)
		free((void *)(uintptr_t)kernels[at - 2].words);
	free(kernels);
	return 0;
}
