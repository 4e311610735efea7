// SPDX-License-Identifier: Apache-2.0
#include "descriptor_buffers.h"

#include "buffer_addresses.h"
#include "descriptor_contents.h"
#include "device_features.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>

void vkr_descriptor_buffers_start(struct vkr_layer_device *device, const VkDeviceCreateInfo *asked)
{
	if (!vkr_device_enables(asked, VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME) ||
	    !device->instance->next.GetPhysicalDeviceProperties2)
		return;
	struct vkr_descriptor_buffers *all = calloc(1, sizeof *all);
	if (!all) {
		vkr_record_no_memory("descriptor buffers");
		return;
	}
	const VkPhysicalDeviceFeatures2 *features =
		vkr_chain_find(asked->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
	all->robust = (features && features->features.robustBufferAccess) ||
		      (asked->pEnabledFeatures && asked->pEnabledFeatures->robustBufferAccess);
	all->properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT;
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
		.pNext = &all->properties,
	};
	device->instance->next.GetPhysicalDeviceProperties2(device->physical, &properties);
	pthread_mutex_init(&all->lock, NULL);
	vkr_handles_init(&all->known);
	device->descriptor_buffers = all;
}

static void free_place(void *object)
{
	struct vkr_descriptor_place *place = object;
	free(place->seen);
	free(place);
}

void vkr_descriptor_buffers_stop(struct vkr_layer_device *device)
{
	struct vkr_descriptor_buffers *all = device->descriptor_buffers;
	if (!all)
		return;
	while (all->shapes) {
		struct vkr_descriptor_shape *shape = all->shapes;
		all->shapes = shape->next;
		vkr_handles_finish(&shape->places, free_place);
		free(shape);
	}
	vkr_handles_finish(&all->known, free);
	pthread_mutex_destroy(&all->lock);
	free(all);
	device->descriptor_buffers = NULL;
}

static struct vkr_descriptor_place *make_place(struct vkr_descriptor_shape *shape,
					       VkDeviceAddress address)
{
	struct vkr_descriptor_place *place = calloc(1, sizeof *place);
	if (!place)
		return NULL;
	*place = (struct vkr_descriptor_place){
		.set = vkr_record_id(VKR_OBJECT_SET), .shape = shape, .address = address};
	if (!vkr_handles_put(&shape->places, address + 1, place)) {
		free(place);
		return NULL;
	}
	const struct vkr_trace_set payload = {.set = place->set,
					      .layout = shape->layout,
					      .variable_count = UINT32_MAX,
					      .handle = address};
	vkr_record_event(VKR_TRACE_SET, &payload, sizeof payload, NULL, 0);
	return place;
}

struct vkr_descriptor_place *vkr_descriptor_place(struct vkr_layer_device *device,
						  struct vkr_descriptor_shape *shape,
						  VkDeviceAddress address)
{
	struct vkr_descriptor_buffers *all = device->descriptor_buffers;
	// 0 is no handle.
	struct vkr_descriptor_place *place = vkr_handles_get(&shape->places, address + 1);
	if (place)
		return place;
	pthread_mutex_lock(&all->lock);
	place = vkr_handles_get(&shape->places, address + 1);
	if (!place)
		place = make_place(shape, address);
	pthread_mutex_unlock(&all->lock);
	return place;
}

uint32_t vkr_descriptor_place_set(const struct vkr_descriptor_place *place)
{
	return place->set;
}

static bool grow_seen(struct vkr_descriptor_place *place, uint64_t bytes)
{
	if (bytes <= place->seen_bytes)
		return true;
	unsigned char *grown = realloc(place->seen, bytes);
	if (!grown)
		return false;
	memset(grown + place->seen_bytes, 0, bytes - place->seen_bytes);
	place->seen = grown;
	place->seen_bytes = bytes;
	return true;
}

static void read_place(struct vkr_layer_device *device, struct vkr_descriptor_place *place)
{
	uint64_t bytes = place->shape->bytes;
	if (bytes == 0)
		return;
	const unsigned char *now = vkr_buffer_addresses_bytes(device, place->address, &bytes);
	if (!now)
		vkr_record_coverage(VKR_COVERAGE_SHADER, 0, 0,
				    "descriptors in a buffer whose memory the host cannot read: "
				    "accesses through them are not observed");
	else if (!grow_seen(place, bytes))
		vkr_record_no_memory("descriptors of a buffer");
	else if (memcmp(place->seen, now, bytes) != 0)
		vkr_descriptor_contents_record(device->descriptor_buffers, place, now, bytes);
}

static void check_place(struct vkr_layer_device *device, const struct vkr_descriptor_place *place)
{
	uint64_t bytes = place->shape->bytes;
	const unsigned char *now = vkr_buffer_addresses_bytes(device, place->address, &bytes);
	const struct vkr_address_range *in = vkr_buffer_addresses_find(device, place->address);
	const struct vkr_layer_buffer *buffer =
		in ? vkr_handles_get(&device->objects.buffers, in->buffer) : NULL;
	if (now && buffer && buffer->device_writes && bytes <= place->seen_bytes &&
	    memcmp(place->seen, now, bytes) != 0)
		vkr_record_coverage(
			VKR_COVERAGE_SHADER, 0, 0,
			"descriptors in buffer %u changed while submitted work was using them: "
			"accesses are attributed to what they referred to at the submission",
			buffer->id);
}

static void each_place(const struct vkr_track *track, bool read)
{
	for (size_t i = 0; i < track->places.count; i++) {
		if (read)
			read_place(track->device, track->places.items[i]);
		else
			check_place(track->device, track->places.items[i]);
	}
}

static void all_places(const struct vkr_track *track, bool read)
{
	struct vkr_layer_device *device = track->device;
	if (!device->descriptor_buffers)
		return;
	pthread_mutex_lock(&device->descriptor_buffers->lock);
	vkr_buffer_addresses_lock(device);
	each_place(track, read);
	for (size_t i = 0; i < track->count; i++)
		each_place(track->items[i].track, read);
	vkr_buffer_addresses_unlock(device);
	pthread_mutex_unlock(&device->descriptor_buffers->lock);
}

void vkr_descriptor_places_read(const struct vkr_track *track)
{
	all_places(track, true);
}

void vkr_descriptor_places_check(const struct vkr_track *track)
{
	all_places(track, false);
}
