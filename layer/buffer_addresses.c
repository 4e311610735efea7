// SPDX-License-Identifier: Apache-2.0
#include "buffer_addresses.h"

#include "array.h"
#include "host_regions.h"

#include <stdlib.h>
#include <string.h>

void vkr_addresses_add(struct vkr_device *device, VkBuffer buffer, uint64_t address, uint64_t bytes)
{
	struct vkr_addressed *list = &device->addressed;
	pthread_mutex_lock(&list->lock);
	size_t at = 0;
	while (at < list->count && list->items[at].buffer != VKR_KEY(buffer))
		at++;
	if (at == list->count && VKR_ARRAY_RESERVE(list, 1))
		list->items[list->count++] = (struct vkr_address_range){
			.first = address, .bytes = bytes, .buffer = VKR_KEY(buffer)};
	pthread_mutex_unlock(&list->lock);
}

void vkr_addresses_remove(struct vkr_device *device, VkBuffer buffer)
{
	struct vkr_addressed *list = &device->addressed;
	pthread_mutex_lock(&list->lock);
	for (size_t at = list->count; at > 0; at--)
		if (list->items[at - 1].buffer == VKR_KEY(buffer))
			list->items[at - 1] = list->items[--list->count];
	pthread_mutex_unlock(&list->lock);
}

void vkr_addresses_finish(struct vkr_device *device)
{
	free(device->addressed.items);
	pthread_mutex_destroy(&device->addressed.lock);
}

static bool find(struct vkr_device *device, uint64_t address, size_t bytes,
		 struct vkr_address_range *found)
{
	struct vkr_addressed *list = &device->addressed;
	bool there = false;
	pthread_mutex_lock(&list->lock);
	for (size_t at = 0; at < list->count && !there; at++) {
		const struct vkr_address_range *range = &list->items[at];
		there = address >= range->first && address - range->first < range->bytes &&
			bytes <= range->bytes - (address - range->first);
		*found = *range;
	}
	pthread_mutex_unlock(&list->lock);
	return there;
}

// Where the host finds the memory's byte, which the program's own pages need not be open for.
static const unsigned char *host_pointer(const struct vkr_memory *memory, uint64_t offset,
					 size_t bytes)
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

bool vkr_addresses_read(struct vkr_device *device, uint64_t address, void *to, size_t bytes)
{
	struct vkr_address_range range;
	if (!find(device, address, bytes, &range))
		return false;
	const struct vkr_buffer *buffer = vkr_handles_get(&device->buffers, range.buffer);
	const struct vkr_memory *memory =
		buffer ? vkr_handles_get(&device->memories, buffer->memory) : NULL;
	const unsigned char *from =
		memory ? host_pointer(memory, buffer->offset + (address - range.first), bytes)
		       : NULL;
	if (!from)
		return false;
	memcpy(to, from, bytes);
	return true;
}
