// SPDX-License-Identifier: Apache-2.0
// VKRACE_HOST_SYNC=1: what orders the program's threads among themselves, as it happens in the C
// library: mutexes, read-write locks, condition variables, semaphores, barriers, once, creating and
// joining threads, of POSIX, C11 and, through these, C++. Knows which calls order what; nothing of
// memory.
#pragma once

#include "layer.h"

// Begins with the first device, where the setting is on. The calls of the Vulkan loader and of the
// driver are not the program's, and order nothing.
void vkr_host_sync_start(const struct vkr_layer_device *device);
