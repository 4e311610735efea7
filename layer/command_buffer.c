// SPDX-License-Identifier: Apache-2.0
#include "command_buffer.h"

#include "array.h"

#include <string.h>

static struct vkr_handles buffers;

// Counts changes of them, so that a thread knows whether what it found last still holds.
static _Atomic uint64_t changes;

__attribute__((constructor)) static void init_buffers(void)
{
	vkr_handles_init(&buffers);
}

struct vkr_layer_command_buffer *vkr_command_buffer_find(VkCommandBuffer handle)
{
	// A thread records into one command buffer at a time: no lock on that path.
	static _Thread_local struct {
		VkCommandBuffer handle;
		struct vkr_layer_command_buffer *buffer;
		uint64_t changes;
	} last;
	uint64_t now = atomic_load_explicit(&changes, memory_order_acquire);
	if (last.handle == handle && last.buffer && last.changes == now)
		return last.buffer;
	last.buffer = vkr_handles_get(&buffers, VKR_KEY(handle));
	last.handle = handle;
	last.changes = now;
	return last.buffer;
}

bool vkr_command_buffer_know(VkCommandBuffer handle, struct vkr_layer_command_buffer *buffer)
{
	const bool known = vkr_handles_put(&buffers, VKR_KEY(handle), buffer);
	// A thread may have looked the same handle up in vain before.
	atomic_fetch_add_explicit(&changes, 1, memory_order_release);
	return known;
}

void vkr_command_buffer_forget(VkCommandBuffer handle)
{
	vkr_handles_take(&buffers, VKR_KEY(handle));
	atomic_fetch_add_explicit(&changes, 1, memory_order_release);
}

static bool has_id(const void *object, void *id)
{
	return ((const struct vkr_layer_command_buffer *)object)->id == *(const uint32_t *)id;
}

VkCommandBuffer vkr_command_buffer_of_id(uint32_t id)
{
	return (VkCommandBuffer)(uintptr_t)vkr_handles_find(&buffers, has_id, &id);
}

void *vkr_command_event(struct vkr_layer_command_buffer *buffer, enum vkr_trace_type type,
			const void *payload, size_t payload_bytes, size_t tail_bytes)
{
	struct vkr_trace_event header = {.type = (uint16_t)type, .caller = buffer->caller};
	size_t tail = (tail_bytes + 7) & ~(size_t)7;
	size_t bytes = sizeof header + payload_bytes + tail;
	// A recording is one event, whose size is 32 bits.
	if (bytes > UINT32_MAX / 2 - buffer->count || !VKR_ARRAY_RESERVE(buffer, bytes)) {
		buffer->lost = true;
		return NULL;
	}
	header.bytes = (uint32_t)bytes;
	unsigned char *at = buffer->items + buffer->count;
	memcpy(at, &header, sizeof header);
	memcpy(at + sizeof header, payload, payload_bytes);
	memset(at + sizeof header + payload_bytes, 0, tail);
	buffer->count += bytes;
	return at + sizeof header + payload_bytes;
}

void vkr_command_other(struct vkr_layer_command_buffer *buffer, uint32_t flags, const char *name)
{
	size_t length = strlen(name);
	struct vkr_trace_cmd_other payload = {
		.command = vkr_command_index(buffer),
		.flags = flags,
		.text_bytes = (uint32_t)length,
	};
	char *text =
		vkr_command_event(buffer, VKR_TRACE_CMD_OTHER, &payload, sizeof payload, length);
	if (text)
		memcpy(text, name, length);
}

// Bytes that are no UTF-8 must not reach the trace; labels are seldom anything but ASCII.
static void copy_label(char *to, const char *from, size_t length)
{
	for (size_t i = 0; i < length; i++)
		to[i] = (unsigned char)from[i] < 0x80 ? from[i] : '?';
}

void vkr_command_label(struct vkr_layer_command_buffer *buffer, enum vkr_trace_type type,
		       const char *text)
{
	size_t length = text ? strlen(text) : 0;
	struct vkr_trace_cmd_label payload = {.text_bytes = (uint32_t)length};
	char *tail = vkr_command_event(buffer, type, &payload, sizeof payload, length);
	if (tail)
		copy_label(tail, text, length);
}

struct vkr_layer_buffer *vkr_command_find_buffer(const struct vkr_layer_command_buffer *buffer,
						 VkBuffer handle)
{
	return vkr_handles_get(&buffer->device->objects.buffers, VKR_KEY(handle));
}

uint32_t vkr_command_buffer_id(const struct vkr_layer_command_buffer *buffer, VkBuffer handle)
{
	const struct vkr_layer_buffer *found = vkr_command_find_buffer(buffer, handle);
	return found ? found->id : 0;
}

struct vkr_layer_image *vkr_command_find_image(const struct vkr_layer_command_buffer *buffer,
					       VkImage handle)
{
	return vkr_handles_get(&buffer->device->objects.images, VKR_KEY(handle));
}
