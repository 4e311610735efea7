// SPDX-License-Identifier: Apache-2.0
// What a command buffer has in its push data (VK_EXT_descriptor_heap): the program's, and over some
// of it the place of a block. Knows bytes; not what reads them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

struct vkr_layer_command_buffer;
struct vkr_gpu_place;

// Of a device.
struct vkr_push_room {
	uint32_t bytes;  // the most that may be pushed
	uint32_t offset; // of the place
	// Commands can provide a copy of the push data for shaders that use the bytes where struct
	// vkr_gpu_place is.
	bool can_copy;
	_Atomic bool copies; // some shader asks for it
};

// Of a command buffer. Bytes that nothing was pushed to are undefined.
struct vkr_push_data {
	unsigned char *bytes; // the program's; NULL: none so far
	bool has_hidden;      // some of them are where the place goes
	bool hides;           // the place is there now
	bool lacks_copy;      // for lack of memory: shaders would find others
	uint64_t copy;        // device address of a copy of them, 0 none
};

// `bytes`: the most that may be pushed; `asked`: what the device is created with.
void vkr_push_room_start(struct vkr_push_room *room, uint32_t bytes,
			 const VkDeviceCreateInfo *asked);

// Whether a chain names another bank than the first (VK_NV_push_constant_bank): what is pushed
// there stands where no shader of ours looks.
bool vkr_push_is_banked(const void *chain);

// The program pushes these.
void vkr_push_data_keep(struct vkr_layer_command_buffer *buffer, size_t offset, const void *data,
			size_t bytes);

// Pushes the place of the next command's block.
void vkr_push_data_lead(struct vkr_layer_command_buffer *buffer, const struct vkr_gpu_place *place);

// The next command's shaders do not log: gives them the program's push data.
void vkr_push_data_leave(struct vkr_layer_command_buffer *buffer);

// Where the next command's shaders find a copy of them; 0 where none asks for one. False for lack
// of memory: the recording fails.
bool vkr_push_data_copy(struct vkr_layer_command_buffer *buffer, uint64_t *address);

// A recording begins, or its state is gone.
void vkr_push_data_forget(struct vkr_push_data *pushed);
