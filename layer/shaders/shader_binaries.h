// SPDX-License-Identifier: Apache-2.0
// The shader objects that the program asked for, as it asked: made where it wants their binaries,
// and found again where it comes with these. Knows what calls said; not how shaders are rewritten.
#pragma once

#include "layer.h"

#ifdef VK_EXT_shader_object
// The shader objects of one call, which may be linked. Kept by each object that was made of it.
struct vkr_plain_shaders;

// Copies a call. It is kept once. NULL for lack of memory, and where a structure of its chains is
// not known here.
struct vkr_plain_shaders *vkr_plain_shaders_copy(struct vkr_device *device, uint32_t count,
						 const VkShaderCreateInfoEXT *infos);

void vkr_plain_shaders_keep(struct vkr_plain_shaders *plain);

// The last one that lets go destroys what was made. NULL is nothing.
void vkr_plain_shaders_release(struct vkr_plain_shaders *plain);

// Makes them where that was not done yet, and returns the one that the call's `index` is of.
// VK_NULL_HANDLE where they cannot be made: a set layout of the call is gone, or the driver fails.
VkShaderEXT vkr_plain_shader(struct vkr_plain_shaders *plain, uint32_t index);

// Notes what the driver's binary was made from: the shader of this index in the call, or, where
// `plain` is NULL, one that accesses nothing to be logged.
void vkr_binary_learn(struct vkr_device *device, const void *data, size_t bytes,
		      const struct vkr_plain_shaders *plain, uint32_t index);

// Whether it is known what the info's binary was made from. Where that accesses something, the info
// gets the code that it was made from, which lives as long as the device.
bool vkr_binary_known(struct vkr_device *device, VkShaderCreateInfoEXT *info);
#endif
