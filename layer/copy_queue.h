// SPDX-License-Identifier: Apache-2.0
// A queue of the layer's own, which copies logs out of device memory while the program's queues
// work, or stop. Knows queue families; not what is copied (logs/log_copy.h).
#pragma once

#include "device_features.h"

// Adds the queue to what the device is created with, where its logs are better in device memory
// than in the host's, and it has a queue left beside those that the program asks for.
void vkr_copy_queue_plan(struct vkr_device_plan *plan, const struct vkr_layer_device *device);
