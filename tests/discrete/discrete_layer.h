// SPDX-License-Identifier: Apache-2.0
// The layer in two parts: instances and devices, which present what a device is like, and the
// commands of a device that have to do with memory. Its memory types are those of NVIDIA's driver
// 580 on an H100:
//
//   0  neither device-local nor for the host     2  for the host, coherent
//   1  device-local                              3  for the host, coherent and cached
//                                                4  device-local, for the host, coherent
//
// Buffers can have any of these, those of host memory any but 4; images of optimal tiling 0 and 1,
// linear ones all but 4. Host memory is imported as types 2 and 3, and images of optimal tiling
// cannot be of it. What breaks such a rule ends the program.
#pragma once

#include "next_layer.h"

#include <stdbool.h>

#define DISCRETE_TYPES    5u
#define DISCRETE_MAPPED   0x1cu // types that the host can map
#define DISCRETE_IMPORTED 0x0cu // types of imported host memory
#define DISCRETE_HOST     VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT

// The first structure of a type in a chain, or NULL.
const void *discrete_find(const void *chain, VkStructureType type);

// The layer's own form of a device command, or NULL.
PFN_vkVoidFunction discrete_memory_hook(const char *name);
