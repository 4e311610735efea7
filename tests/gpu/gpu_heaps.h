// SPDX-License-Identifier: Apache-2.0
// The little of VK_EXT_descriptor_heap that the GPU tests need: a heap of resources and one of
// samplers, descriptors of buffers in them, mappings and push data. Knows nothing of the layer.
#pragma once

#include "gpu_test.h"

#ifdef VK_EXT_descriptor_heap
#define GPU_HEAPS_BYTES     16384u
#define GPU_HEAPS_SLOT      256u // from one descriptor to the next
#define GPU_HEAPS_TRANSFERS (VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT)

enum { GPU_RESOURCE_HEAP, GPU_SAMPLER_HEAP, GPU_HEAPS };

struct gpu_heaps {
	VkBuffer buffers[GPU_HEAPS];
	VkDeviceMemory memories[GPU_HEAPS];
	VkDeviceAddress addresses[GPU_HEAPS];
	unsigned char *mapped[GPU_HEAPS];
	VkPipeline pipelines[2];
	VkPhysicalDeviceDescriptorHeapPropertiesEXT properties;
	PFN_vkWriteResourceDescriptorsEXT write;
	PFN_vkWriteSamplerDescriptorsEXT write_sampler;
	PFN_vkCmdPushDataEXT push;
};

// Skips the test where there are no heaps; waits for the device and destroys everything.
void gpu_heaps_make(struct gpu_test *test, struct gpu_heaps *made);
void gpu_heaps_finish(struct gpu_test *test, struct gpu_heaps *made);

// Memory of GPU_HEAPS_BYTES, all zeros.
void *gpu_heaps_map(struct gpu_test *test, VkDeviceMemory memory);

// A compute pipeline of the named kernel; the caller destroys it.
VkPipeline gpu_heaps_pipeline(struct gpu_test *test, const char *name, uint32_t count,
			      const VkDescriptorSetAndBindingMappingEXT *mappings);

// A mapping of one binding of set 0, of all that may be declared there.
VkDescriptorSetAndBindingMappingEXT gpu_heaps_mapping(uint32_t binding,
						      VkDescriptorMappingSourceEXT source);
VkDescriptorSetAndBindingMappingEXT gpu_heaps_at(uint32_t binding, uint32_t slot);

// The descriptor of a storage buffer of 1024 bytes.
void gpu_heaps_write(struct gpu_test *test, const struct gpu_heaps *made, VkBuffer buffer,
		     void *to);

// The test's data in slot 0, its result in slot 1.
void gpu_heaps_write_both(struct gpu_test *test, const struct gpu_heaps *made);

// Records that both are bound, of which this structure is passed; and that push data is set.
VkBindHeapInfoEXT gpu_heaps_info(const struct gpu_heaps *made, int heap);
void gpu_heaps_bind(struct gpu_test *test, const struct gpu_heaps *made);
void gpu_heaps_push(struct gpu_test *test, const struct gpu_heaps *made, uint32_t offset,
		    const void *data, size_t bytes);
#endif
