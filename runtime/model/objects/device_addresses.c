// SPDX-License-Identifier: Apache-2.0
// Which buffer a device address is in. Knows live ranges of addresses; not who uses them.
#include "model_objects.h"

#include "array.h"
#include "error.h"
#include "object_table.h"
#include "search.h"

#include <string.h>

// The position of the first range that begins after the address.
static size_t first_after(const struct vkr_objects *objects, uint64_t address)
{
	size_t low = 0;
	VKR_SEARCH(low, objects->addresses.count, at,
		   objects->addresses.items[at].first <= address);
	return low;
}

const struct vkr_address *vkr_objects_address(const struct vkr_objects *objects, uint64_t address)
{
	// Aliasing buffers may share a first address and nest: look back over all that can reach.
	for (size_t at = first_after(objects, address); at > 0; at--) {
		const struct vkr_address *range = &objects->addresses.items[at - 1];
		if (address < range->end)
			return range;
	}
	return NULL;
}

enum vkr_result vkr_addresses_add(struct vkr_objects *objects,
				  const struct vkr_trace_buffer_address *event,
				  struct vkr_error *error)
{
	struct vkr_buffer *buffer = vkr_objects_buffer(objects, event->buffer);
	if (buffer == NULL)
		return vkr_table_unknown(error, VKR_TRACE_BUFFER_ADDRESS, "buffer", event->buffer);
	if (buffer->bytes > UINT64_MAX - event->address)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "BUFFER_ADDRESS: buffer %u reaches beyond the last address",
				     event->buffer);
	const size_t at = first_after(objects, event->address);
	if (at > 0 && objects->addresses.items[at - 1].buffer == buffer)
		return VKR_OK; // asked for again
	if (!VKR_ARRAY_RESERVE(&objects->addresses, 1))
		return vkr_error_memory(error, "device addresses");
	struct vkr_address *place = objects->addresses.items + at;
	memmove(place + 1, place, (objects->addresses.count - at) * sizeof *place);
	*place = (struct vkr_address){event->address, event->address + buffer->bytes, buffer};
	objects->addresses.count++;
	return VKR_OK;
}

void vkr_addresses_forget(struct vkr_objects *objects, const struct vkr_buffer *buffer)
{
	size_t kept = 0;
	for (size_t at = 0; at < objects->addresses.count; at++)
		if (objects->addresses.items[at].buffer != buffer)
			objects->addresses.items[kept++] = objects->addresses.items[at];
	objects->addresses.count = kept;
}
