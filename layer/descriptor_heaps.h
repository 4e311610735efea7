// SPDX-License-Identifier: Apache-2.0
// Descriptor heaps (VK_EXT_descriptor_heap): which descriptor was written with which bytes, and the
// memory where heaps were bound. Knows bytes and addresses; not which shader reads them.
//
// A heap is a set of the trace. Its contents are read from its memory when work that has it bound
// is submitted, and recorded where they have changed.
#pragma once

#include "log_track.h"
#include "objects.h"

struct vkr_heaps;
struct vkr_heap_place;

#ifdef VK_EXT_descriptor_heap
// Where the device was created with the extension (`asked`); for lack of memory it is as if not.
void vkr_heaps_start(struct vkr_layer_device *device, const VkDeviceCreateInfo *asked);
// The device's queues are drained.
void vkr_heaps_stop(struct vkr_layer_device *device);

// The bytes of a descriptor; more than one may be written for an image.
size_t vkr_heaps_descriptor_bytes(const struct vkr_layer_device *device, VkDescriptorType type);

// These bytes were written for a resource, or for a sampler.
void vkr_heap_know_resource(struct vkr_layer_device *device,
			    const VkResourceDescriptorInfoEXT *info, const void *bytes);
void vkr_heap_know_sampler(struct vkr_layer_device *device, const VkSamplerCreateInfo *info,
			   const void *bytes);

// The heap of this kind in this range; NULL for lack of memory.
struct vkr_heap_place *vkr_heap_place(struct vkr_layer_device *device,
				      enum vkr_trace_heap_kind kind,
				      const VkDeviceAddressRangeEXT *range);
// Its set's id in the trace.
uint32_t vkr_heap_place_set(const struct vkr_heap_place *place);

// How the shaders of pipelines that use heaps find their block: in the push data.
struct vkr_layer_pipeline_layout *vkr_heap_layout(struct vkr_layer_device *device);
#else
static inline void vkr_heaps_start(struct vkr_layer_device *device, const VkDeviceCreateInfo *asked)
{
	(void)device;
	(void)asked;
}
static inline void vkr_heaps_stop(struct vkr_layer_device *device)
{
	(void)device;
}
#endif

// VK_PIPELINE_CREATE_2_DESCRIPTOR_HEAP_BIT_EXT
#define VKR_HEAP_FLAG (UINT64_C(1) << 36)

// The layout of a pipeline: of its handle, or where its flags say that it uses heaps, theirs. NULL:
// not known.
struct vkr_layer_pipeline_layout *vkr_layout_of(struct vkr_layer_device *device,
						VkPipelineLayout layout, uint64_t flags);

// Records the contents of the track's heaps, and of the heaps of tracks that it calls.
void vkr_heaps_read(const struct vkr_track *track);
// Records what became other descriptors while an execution of the track was under way, which is
// over.
void vkr_heaps_check(const struct vkr_track *track, uint32_t execution);
