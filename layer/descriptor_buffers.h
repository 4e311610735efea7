// SPDX-License-Identifier: Apache-2.0
// Descriptors in buffers (VK_EXT_descriptor_buffer): which descriptor has which bytes, and sets of
// descriptors in a buffer as sets of the trace. Knows bytes and addresses; not which shader reads
// them.
//
// A place is where a set of one layout begins in a buffer. It is one set of the trace, whose
// contents are read from the buffer's memory and recorded when work that has the place bound is
// submitted.
#pragma once

#include "log_track.h"
#include "objects.h"

struct vkr_descriptor_buffers;
struct vkr_descriptor_shape;
struct vkr_descriptor_place;

// Where the device was created with the extension (`asked`); for lack of memory it is as if not.
void vkr_descriptor_buffers_start(struct vkr_layer_device *device, const VkDeviceCreateInfo *asked);
// The device's queues are drained.
void vkr_descriptor_buffers_stop(struct vkr_layer_device *device);

// The shape of a layout for descriptor buffers; NULL for lack of memory. It lives as long as the
// device, as command buffers that were recorded with it may.
struct vkr_descriptor_shape *
vkr_descriptor_shape_create(struct vkr_layer_device *device, uint32_t layout,
			    VkDescriptorSetLayout handle,
			    const VkDescriptorSetLayoutCreateInfo *info);

// vkGetDescriptorEXT gave these bytes.
void vkr_descriptor_known(struct vkr_layer_device *device, const VkDescriptorGetInfoEXT *info,
			  const void *bytes, size_t count);

// The place of a set of this shape at an address (0: one that has no memory); NULL for lack of
// memory.
struct vkr_descriptor_place *vkr_descriptor_place(struct vkr_layer_device *device,
						  struct vkr_descriptor_shape *shape,
						  VkDeviceAddress address);
// Its set's id in the trace.
uint32_t vkr_descriptor_place_set(const struct vkr_descriptor_place *place);

// Records the contents of the track's places, and of the places of tracks that it calls.
void vkr_descriptor_places_read(const struct vkr_track *track);
// Checks, when an execution of the track has ended, that these places still hold what
// vkr_descriptor_places_read has recorded; if not, that is coverage.
void vkr_descriptor_places_check(const struct vkr_track *track);
