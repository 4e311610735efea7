// SPDX-License-Identifier: Apache-2.0
#include "push_data.h"

#include "command_buffer.h"
#include "device_features.h"
#include "record.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef VK_EXT_descriptor_heap
static void push_words(const struct vkr_layer_command_buffer *buffer, const void *words)
{
	const VkPushDataInfoEXT info = {.sType = VK_STRUCTURE_TYPE_PUSH_DATA_INFO_EXT,
					.offset = buffer->device->push_room.offset,
					.data = {words, VKR_PUSH_CONSTANT_BYTES}};
	buffer->device->next.CmdPushDataEXT(buffer->handle, &info);
}
#else
static void push_words(const struct vkr_layer_command_buffer *buffer, const void *words)
{
	(void)buffer;
	(void)words;
}
#endif

void vkr_push_room_start(struct vkr_push_room *room, uint32_t bytes,
			 const VkDeviceCreateInfo *asked)
{
	room->bytes = bytes;
	room->offset = (bytes - VKR_PUSH_CONSTANT_BYTES) & ~7u;
	// A page limits the room; commands do not know what the device itself pushes.
	room->can_copy = bytes <= VKR_LOG_PAGE_BYTES / 2 &&
			 !vkr_device_enables(asked, "VK_EXT_device_generated_commands") &&
			 !vkr_device_enables(asked, VK_NV_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME);
}

bool vkr_push_is_banked(const void *chain)
{
#ifdef VK_NV_push_constant_bank
	const VkPushConstantBankInfoNV *info =
		vkr_chain_find(chain, VK_STRUCTURE_TYPE_PUSH_CONSTANT_BANK_INFO_NV);
	return info && info->bank;
#else
	(void)chain;
	return false;
#endif
}

static bool has_bytes(struct vkr_layer_command_buffer *buffer)
{
	struct vkr_push_data *pushed = &buffer->push_data;
	if (!pushed->bytes)
		pushed->bytes = calloc(1, buffer->device->push_room.bytes);
	if (!pushed->bytes)
		vkr_record_no_memory("push data");
	return pushed->bytes;
}

void vkr_push_data_keep(struct vkr_layer_command_buffer *buffer, size_t offset, const void *data,
			size_t bytes)
{
	const struct vkr_push_room *room = &buffer->device->push_room;
	struct vkr_push_data *pushed = &buffer->push_data;
	const size_t first = room->offset, last = first + VKR_PUSH_CONSTANT_BYTES;
	if (offset > room->bytes || bytes > room->bytes - offset || !has_bytes(buffer))
		return;
	memcpy(pushed->bytes + offset, data, bytes);
	pushed->copy = 0;
	pushed->has_hidden |= offset < last && offset + bytes > first;
	pushed->hides &= offset > first || offset + bytes < last;
}

void vkr_push_data_lead(struct vkr_layer_command_buffer *buffer, const struct vkr_gpu_place *place)
{
	push_words(buffer, place);
	buffer->push_data.hides = true;
}

void vkr_push_data_leave(struct vkr_layer_command_buffer *buffer)
{
	struct vkr_push_data *pushed = &buffer->push_data;
	if (!buffer->uses_heaps || !pushed->hides || !pushed->has_hidden)
		return;
	push_words(buffer, pushed->bytes + buffer->device->push_room.offset);
	pushed->hides = false;
}

bool vkr_push_data_copy(struct vkr_layer_command_buffer *buffer, uint64_t *address)
{
	const struct vkr_push_room *room = &buffer->device->push_room;
	struct vkr_push_data *pushed = &buffer->push_data;
	*address = 0;
	if (!atomic_load_explicit(&room->copies, memory_order_relaxed))
		return true;
	if (!pushed->copy &&
	    (!has_bytes(buffer) || !buffer->track ||
	     !vkr_track_bytes(buffer->track, pushed->bytes, room->bytes, &pushed->copy)))
		pushed->lacks_copy = true;
	*address = pushed->copy;
	return *address;
}

void vkr_push_data_forget(struct vkr_push_data *pushed)
{
	pushed->has_hidden = pushed->hides = pushed->lacks_copy = false;
	pushed->copy = 0;
}
