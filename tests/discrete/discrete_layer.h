// SPDX-License-Identifier: Apache-2.0
// The layer in three parts: instances and devices, which present what a device is like, the
// commands of a device that have to do with memory, and a queue that only copies. Its memory types
// are those of NVIDIA's driver 580 on an H100:
//
//   0  neither device-local nor for the host     2  for the host, coherent
//   1  device-local                              3  for the host, coherent and cached
//                                                4  device-local, for the host, coherent
//
// Buffers can have any of these, those of host memory any but 4; images of optimal tiling 0 and 1,
// linear ones all but 4. Host memory is imported as types 2 and 3, and images of optimal tiling
// cannot be of it. What breaks such a rule ends the program. Of images that only commands copy the
// layer claims that they can, and then has no type for them, as the driver does of those that the
// host copies.
//
// VKR_TEST_DISCRETE_COPIES: the program is ended if nothing was copied; VKR_TEST_DISCRETE_FAILS:
// the number, from 1 on, of the submission to the queue that copies that fails.
#pragma once

#include "next_layer.h"

#include <stdbool.h>

#define DISCRETE_TYPES    5u
#define DISCRETE_MAPPED   0x1cu // types that the host can map
#define DISCRETE_IMPORTED 0x0cu // types of imported host memory
#define DISCRETE_CLAIMED  (VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT)
#define DISCRETE_HOST     VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT

// The first structure of a type in a chain, or NULL.
const void *discrete_find(const void *chain, VkStructureType type);

// The layer's own form of a device command, or NULL.
PFN_vkVoidFunction discrete_memory_hook(const char *name);
PFN_vkVoidFunction discrete_copies_hook(const char *name);

// Adds the family of the queue that copies to the driver's `*count` families, as the calls that
// list them do: `families` has `room`, or is NULL.
void discrete_add_family(uint32_t room, uint32_t *count, VkQueueFamilyProperties *families);

// What the driver is asked for in place of it.
VkDeviceCreateInfo discrete_without_family(const VkDeviceCreateInfo *info);

// Ends the program if VKR_TEST_DISCRETE_COPIES is set and the queue has copied nothing.
void discrete_check_copies(void);
