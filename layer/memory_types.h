// SPDX-License-Identifier: Apache-2.0
// Memory types as the program sees them. With VKRACE_NONCOHERENT=1 host-visible memory is presented
// as not coherent, so that a program's flushes and invalidates can be judged on drivers that have
// only coherent memory. Knows types and limits; nothing of what is allocated.
//
// Each type that is HOST_VISIBLE and HOST_COHERENT is presented twice: at its own index without
// HOST_COHERENT, and unchanged after all others. Programs that ask for coherent memory find it, as
// the specification promises ("Device Memory": at least one such type, and one such for every
// buffer); programs that take the first HOST_VISIBLE type get memory that they must flush.
#pragma once

#include "layer.h"

// Changes what a physical device says to what the program shall see. Nothing without the setting.
void vkr_memory_types_present(VkPhysicalDeviceMemoryProperties *properties);
void vkr_memory_types_limit(VkPhysicalDeviceLimits *limits);

// The properties of a type as the program sees it, and the driver's index of the type.
VkMemoryPropertyFlags vkr_memory_types_flags(const struct vkr_layer_device *device, uint32_t type);
uint32_t vkr_memory_types_own(const struct vkr_layer_device *device, uint32_t type);

// The program's memoryTypeBits for the driver's.
uint32_t vkr_memory_types_bits(const struct vkr_layer_device *device, uint32_t bits);
