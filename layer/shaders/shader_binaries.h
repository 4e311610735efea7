// SPDX-License-Identifier: Apache-2.0
// Binaries of shader objects. A program gets an envelope around what the object was made from; this
// run, or any later one under the layer, makes the object from that again. The driver never sees a
// binary, and the program gets another UUID than the driver's, because binaries stored under the
// layer and without it are not compatible (Vulkan, "Binary Shader Compatibility"). Knows the calls'
// parameters; not how shaders are rewritten.
#pragma once

#include "arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <vulkan/vulkan.h>
#include <xxhash.h>

#ifdef VK_EXT_shader_object
struct vkr_shader_binary {
	size_t bytes;
	unsigned char data[]; // what the program gets
};

// Whether programs get envelopes: not where shaders are to be left as they are.
bool vkr_binary_wraps(void);

// The number that the program gets in place of a driver's number for compatible binaries: the
// layer's own one.
XXH128_hash_t vkr_binary_identity(const void *driver, size_t bytes);

// Tells the program of a UUID of the layer's own, where it gets envelopes.
void vkr_binary_present(VkPhysicalDeviceShaderObjectPropertiesEXT *properties);

// The envelope around the info's SPIR-V, to be freed with free(). NULL for lack of memory.
struct vkr_shader_binary *vkr_binary_wrap(const VkShaderCreateInfoEXT *info);

// The size of the envelope at `data`, of which `left` bytes can be read; 0 if there is none.
size_t vkr_binary_bytes(const void *data, size_t left);

enum vkr_binary_kind {
	VKR_BINARY_OTHER,   // no envelope
	VKR_BINARY_OPENED,  // the info has what was in it
	VKR_BINARY_SPOILED, // an envelope that is damaged, or another version's: not compatible
	VKR_BINARY_NO_MEMORY,
};
enum vkr_binary_kind vkr_binary_open(struct vkr_arena *arena, VkShaderCreateInfoEXT *info);
#endif
