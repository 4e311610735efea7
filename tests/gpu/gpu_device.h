// SPDX-License-Identifier: Apache-2.0
// The instance, the device and its queues of a GPU test. Knows nothing of what it does with them.
#pragma once

#include "gpu_test.h"

// What a device is asked for: names of extensions, and their structures of features.
struct gpu_device_wants {
	const char *names[64];
	uint32_t count;
	void *chain;
};

// Asks for the extension with its feature structure, which may be NULL, where it exists.
bool gpu_device_want(const struct gpu_test *test, struct gpu_device_wants *wants, const char *name,
		     void *features);

// Skips the test where there is no device of Vulkan 1.2 that computes.
void gpu_device_open(struct gpu_test *test);
