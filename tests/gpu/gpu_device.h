// SPDX-License-Identifier: Apache-2.0
// The instance, the device and its queues of a GPU test. Knows nothing of what it does with them.
#pragma once

#include "gpu_test.h"

// Skips the test where there is no device of Vulkan 1.2 that computes.
void gpu_device_open(struct gpu_test *test);
