// SPDX-License-Identifier: Apache-2.0
// One benchmark kernel as an ordinary Vulkan program: set up, run again and again, check the
// result. Knows nothing of the layer.
#pragma once

#include <stdint.h>

struct kernel_times {
	double pipeline; // processor seconds of vkCreateComputePipelines and one workgroup's
			 // dispatch, at which drivers may compile
	double dispatch; // median seconds of a submission of one dispatch, until its fence
};

// The benchmark's kernels by number; NULL behind the last.
const char *kernel_name(uint32_t kernel);

// Runs the kernel `repetitions` times after a warm-up. Ends the program with a message where Vulkan
// fails or the kernel's result is wrong.
struct kernel_times kernel_run(uint32_t kernel, uint32_t repetitions);
