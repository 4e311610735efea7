// SPDX-License-Identifier: Apache-2.0
// The features of Vulkan 1.4 and its recent extensions that the GPU tests use. Knows names; nothing
// of what the tests do with them.
#pragma once

#include "gpu_device.h"

struct gpu_newer_features {
#ifdef VK_EXT_device_generated_commands
	VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT generated;
#endif
#ifdef VK_KHR_copy_memory_indirect
	VkPhysicalDeviceCopyMemoryIndirectFeaturesKHR memory_copies;
#endif
#ifdef VK_EXT_host_image_copy
	VkPhysicalDeviceHostImageCopyFeaturesEXT host_copies;
#endif
	VkPhysicalDeviceDescriptorBufferFeaturesEXT descriptor_buffers;
#ifdef VK_EXT_descriptor_heap
	VkPhysicalDeviceDescriptorHeapFeaturesEXT heaps;
#endif
#ifdef VK_KHR_device_address_commands
	VkPhysicalDeviceDeviceAddressCommandsFeaturesKHR address_commands;
#endif
	VkPhysicalDeviceSwapchainMaintenance1FeaturesEXT swapchains;
#ifdef VK_KHR_maintenance5
	VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5;
#endif
#ifdef VK_KHR_maintenance10
	VkPhysicalDeviceMaintenance10FeaturesKHR maintenance10;
#endif
#ifdef VK_EXT_image_sliced_view_of_3d
	VkPhysicalDeviceImageSlicedViewOf3DFeaturesEXT sliced_views;
#endif
#ifdef VK_KHR_maintenance11
	VkPhysicalDeviceMaintenance11FeaturesKHR maintenance11;
#endif
	VkPhysicalDeviceRasterizationOrderAttachmentAccessFeaturesEXT ordered_input;
#ifdef VK_KHR_dynamic_rendering_local_read
	VkPhysicalDeviceDynamicRenderingLocalReadFeaturesKHR local_read;
#endif
#ifdef VK_EXT_nested_command_buffer
	VkPhysicalDeviceNestedCommandBufferFeaturesEXT nested;
#endif
	VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR shared_blocks;
	VkPhysicalDeviceRobustness2FeaturesEXT robust;
	VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures shared_zeros;
#ifdef VK_KHR_shader_untyped_pointers
	VkPhysicalDeviceShaderUntypedPointersFeaturesKHR untyped;
#endif
};

// Asks for those that exist, and tells the test.
void gpu_newer_want(struct gpu_test *test, struct gpu_device_wants *wants,
		    struct gpu_newer_features *features);
