// SPDX-License-Identifier: Apache-2.0
#include "buffer_addresses.h"

#include "array.h"
#include "host_regions.h"
#include "search.h"

#include <stdlib.h>
#include <string.h>

// The position of the first range that begins after the address.
static size_t first_after(const struct vkr_addressed *list, uint64_t address)
{
	size_t low = 0;
	VKR_SEARCH(low, list->count, at, list->items[at].first <= address);
	return low;
}

void vkr_buffer_addresses_add(struct vkr_layer_device *device, VkBuffer buffer, uint64_t address,
			      uint64_t bytes)
{
	struct vkr_addressed *list = &device->addressed;
	pthread_mutex_lock(&list->lock);
	if (VKR_ARRAY_RESERVE(list, 1)) {
		const size_t at = first_after(list, address);
		memmove(&list->items[at + 1], &list->items[at],
			(list->count - at) * sizeof *list->items);
		list->items[at] = (struct vkr_address_range){
			.first = address, .bytes = bytes, .buffer = VKR_KEY(buffer)};
		list->count++;
	}
	pthread_mutex_unlock(&list->lock);
}

void vkr_buffer_addresses_remove(struct vkr_layer_device *device, VkBuffer buffer)
{
	struct vkr_addressed *list = &device->addressed;
	pthread_mutex_lock(&list->lock);
	for (size_t at = list->count; at > 0; at--) {
		if (list->items[at - 1].buffer != VKR_KEY(buffer))
			continue;
		list->count--;
		memmove(&list->items[at - 1], &list->items[at],
			(list->count + 1 - at) * sizeof *list->items);
	}
	pthread_mutex_unlock(&list->lock);
}

void vkr_buffer_addresses_lock(struct vkr_layer_device *device)
{
	pthread_mutex_lock(&device->addressed.lock);
}

void vkr_buffer_addresses_unlock(struct vkr_layer_device *device)
{
	pthread_mutex_unlock(&device->addressed.lock);
}

void vkr_buffer_addresses_finish(struct vkr_layer_device *device)
{
	free(device->addressed.items);
	pthread_mutex_destroy(&device->addressed.lock);
}

// Buffers on one memory may have addresses in common: of several, the one that begins last.
const struct vkr_address_range *vkr_buffer_addresses_find(const struct vkr_layer_device *device,
							  uint64_t address)
{
	const struct vkr_addressed *list = &device->addressed;
	for (size_t at = first_after(list, address); at > 0; at--)
		if (address - list->items[at - 1].first < list->items[at - 1].bytes)
			return &list->items[at - 1];
	return NULL;
}

struct vkr_buffer_place vkr_buffer_addresses_place(struct vkr_layer_device *device,
						   uint64_t address)
{
	struct vkr_buffer_place place = {VK_NULL_HANDLE, 0};
	vkr_buffer_addresses_lock(device);
	const struct vkr_address_range *range = vkr_buffer_addresses_find(device, address);
	if (range) {
		memcpy(&place.buffer, &range->buffer, sizeof place.buffer);
		place.offset = address - range->first;
	}
	vkr_buffer_addresses_unlock(device);
	return place;
}

// Where the host finds the memory's byte, which the program's own pages need not be open for.
static const unsigned char *host_pointer(const struct vkr_layer_memory *memory, uint64_t offset,
					 uint64_t bytes)
{
	const struct vkr_region *region = memory->region;
	if (region) {
		const uint64_t at = offset - region->first;
		return at < region->bytes && bytes <= region->bytes - at ? region->open + at : NULL;
	}
	const uint64_t at = offset - memory->map_offset;
	return memory->mapped && at < memory->map_bytes && bytes <= memory->map_bytes - at
		       ? (const unsigned char *)memory->mapped + at
		       : NULL;
}

const unsigned char *vkr_buffer_addresses_bytes(struct vkr_layer_device *device, uint64_t address,
						uint64_t *bytes)
{
	const struct vkr_address_range *range = vkr_buffer_addresses_find(device, address);
	const struct vkr_layer_buffer *buffer =
		range ? vkr_handles_get(&device->objects.buffers, range->buffer) : NULL;
	const struct vkr_layer_memory *memory =
		buffer ? vkr_handles_get(&device->objects.memories, buffer->memory) : NULL;
	if (!memory)
		return NULL;
	const uint64_t offset = address - range->first;
	if (*bytes > range->bytes - offset)
		*bytes = range->bytes - offset;
	return host_pointer(memory, buffer->offset + offset, *bytes);
}

bool vkr_buffer_addresses_read(struct vkr_layer_device *device, uint64_t address, void *to,
			       size_t bytes)
{
	uint64_t visible = bytes;
	vkr_buffer_addresses_lock(device);
	const unsigned char *from = vkr_buffer_addresses_bytes(device, address, &visible);
	const bool there = from && visible == bytes;
	if (there)
		memcpy(to, from, bytes);
	vkr_buffer_addresses_unlock(device);
	return there;
}

bool vkr_buffer_addresses_may_change(struct vkr_layer_device *device, uint64_t address,
				     uint64_t bytes)
{
	uint64_t visible = bytes;
	vkr_buffer_addresses_lock(device);
	const struct vkr_address_range *range = vkr_buffer_addresses_find(device, address);
	const struct vkr_layer_buffer *buffer =
		range ? vkr_handles_get(&device->objects.buffers, range->buffer) : NULL;
	const bool seen = vkr_buffer_addresses_bytes(device, address, &visible) && visible == bytes;
	const bool changes = buffer && (buffer->device_writes || !seen);
	vkr_buffer_addresses_unlock(device);
	return changes;
}
