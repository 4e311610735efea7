// SPDX-License-Identifier: Apache-2.0
#include "gpu_newer.h"

#include <stdlib.h>

static void want_shaders(struct gpu_test *test, struct gpu_device_wants *wants,
			 struct gpu_newer_features *features)
{
	features->shared_blocks = (VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR){
		.sType =
			VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR,
		.workgroupMemoryExplicitLayout = VK_TRUE,
	};
	features->shared_zeros = (VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures){
		.sType =
			VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES,
		.shaderZeroInitializeWorkgroupMemory = VK_TRUE,
	};
	features->robust = (VkPhysicalDeviceRobustness2FeaturesEXT){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT,
		.robustBufferAccess2 = VK_TRUE,
	};
	test->has_robust_buffers =
		getenv("GPU_TEST_ROBUST") != NULL &&
		gpu_device_want(test, wants, VK_EXT_ROBUSTNESS_2_EXTENSION_NAME, &features->robust);
	test->has_shared_blocks =
		gpu_device_want(test, wants, VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME,
				&features->shared_blocks);
	test->has_shared_zeros =
		gpu_device_want(test, wants, VK_KHR_ZERO_INITIALIZE_WORKGROUP_MEMORY_EXTENSION_NAME,
				&features->shared_zeros);
#ifdef VK_KHR_shader_untyped_pointers
	features->untyped = (VkPhysicalDeviceShaderUntypedPointersFeaturesKHR){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_UNTYPED_POINTERS_FEATURES_KHR,
		.shaderUntypedPointers = VK_TRUE,
	};
	test->has_untyped_pointers = gpu_device_want(
		test, wants, VK_KHR_SHADER_UNTYPED_POINTERS_EXTENSION_NAME, &features->untyped);
#endif
}

// What draws write, read by other draws of the same rendering.
static void want_draws(struct gpu_test *test, struct gpu_device_wants *wants,
		       struct gpu_newer_features *features)
{
	features->ordered_input = (VkPhysicalDeviceRasterizationOrderAttachmentAccessFeaturesEXT){
		.sType =
			VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_FEATURES_EXT,
		.rasterizationOrderColorAttachmentAccess = VK_TRUE,
	};
	test->has_ordered_input = gpu_device_want(
		test, wants, VK_EXT_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_EXTENSION_NAME,
		&features->ordered_input);
#ifdef VK_KHR_dynamic_rendering_local_read
	features->local_read = (VkPhysicalDeviceDynamicRenderingLocalReadFeaturesKHR){
		.sType =
			VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_LOCAL_READ_FEATURES_KHR,
		.dynamicRenderingLocalRead = VK_TRUE,
	};
	test->has_local_read =
		test->has_dynamic_rendering &&
		gpu_device_want(test, wants, VK_KHR_DYNAMIC_RENDERING_LOCAL_READ_EXTENSION_NAME,
				&features->local_read);
#endif
}

static void want_commands(struct gpu_test *test, struct gpu_device_wants *wants,
			  struct gpu_newer_features *features)
{
#ifdef VK_EXT_nested_command_buffer
	features->nested = (VkPhysicalDeviceNestedCommandBufferFeaturesEXT){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_FEATURES_EXT,
		.nestedCommandBuffer = VK_TRUE,
		.nestedCommandBufferRendering = VK_TRUE,
	};
	test->has_nested_buffers = gpu_device_want(
		test, wants, VK_EXT_NESTED_COMMAND_BUFFER_EXTENSION_NAME, &features->nested);
#endif
#ifdef VK_EXT_device_generated_commands
	features->generated = (VkPhysicalDeviceDeviceGeneratedCommandsFeaturesEXT){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_GENERATED_COMMANDS_FEATURES_EXT,
		.deviceGeneratedCommands = VK_TRUE,
	};
	test->has_generated =
		test->has_maintenance5 && test->has_addresses &&
		gpu_device_want(test, wants, VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME,
				&features->generated);
#endif
#ifdef VK_KHR_copy_memory_indirect
	features->memory_copies = (VkPhysicalDeviceCopyMemoryIndirectFeaturesKHR){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COPY_MEMORY_INDIRECT_FEATURES_KHR,
		.indirectMemoryCopy = VK_TRUE,
		.indirectMemoryToImageCopy = VK_TRUE,
	};
	test->has_memory_copies = gpu_device_want(
		test, wants, VK_KHR_COPY_MEMORY_INDIRECT_EXTENSION_NAME, &features->memory_copies);
#else
	(void)test;
	(void)wants;
	(void)features;
#endif
}

static void want_views(struct gpu_test *test, struct gpu_device_wants *wants,
		       struct gpu_newer_features *features)
{
#ifdef VK_EXT_image_sliced_view_of_3d
	features->sliced_views = (VkPhysicalDeviceImageSlicedViewOf3DFeaturesEXT){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_SLICED_VIEW_OF_3D_FEATURES_EXT,
		.imageSlicedViewOf3D = VK_TRUE,
	};
	test->has_sliced_views =
		gpu_device_want(test, wants, VK_EXT_IMAGE_SLICED_VIEW_OF_3D_EXTENSION_NAME,
				&features->sliced_views);
#else
	(void)test;
	(void)wants;
	(void)features;
#endif
}

static void want_heaps(struct gpu_test *test, struct gpu_device_wants *wants,
		       struct gpu_newer_features *features)
{
#ifdef VK_EXT_descriptor_heap
	features->heaps = (VkPhysicalDeviceDescriptorHeapFeaturesEXT){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_HEAP_FEATURES_EXT,
		.descriptorHeap = VK_TRUE,
	};
	test->has_heaps = test->has_maintenance5 && test->has_untyped_pointers &&
			  test->has_synchronization2 &&
			  gpu_device_want(test, wants, VK_EXT_DESCRIPTOR_HEAP_EXTENSION_NAME,
					  &features->heaps);
#else
	(void)test;
	(void)wants;
	(void)features;
#endif
}

static void want_maintenance(struct gpu_test *test, struct gpu_device_wants *wants,
			     struct gpu_newer_features *features)
{
#ifdef VK_KHR_maintenance5
	features->maintenance5 = (VkPhysicalDeviceMaintenance5FeaturesKHR){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
		.maintenance5 = VK_TRUE,
	};
	test->has_maintenance5 = test->has_dynamic_rendering &&
				 gpu_device_want(test, wants, VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
						 &features->maintenance5);
#endif
#ifdef VK_KHR_maintenance10
	features->maintenance10 = (VkPhysicalDeviceMaintenance10FeaturesKHR){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_10_FEATURES_KHR,
		.maintenance10 = VK_TRUE,
	};
	test->has_maintenance10 = gpu_device_want(test, wants, VK_KHR_MAINTENANCE_10_EXTENSION_NAME,
						  &features->maintenance10);
#endif
#ifdef VK_KHR_maintenance11
	features->maintenance11 = (VkPhysicalDeviceMaintenance11FeaturesKHR){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_11_FEATURES_KHR,
		.maintenance11 = VK_TRUE,
	};
	test->has_maintenance11 = gpu_device_want(test, wants, VK_KHR_MAINTENANCE_11_EXTENSION_NAME,
						  &features->maintenance11);
#endif
	(void)test;
	(void)wants;
	(void)features;
}

void gpu_newer_want(struct gpu_test *test, struct gpu_device_wants *wants,
		    struct gpu_newer_features *features)
{
#ifdef VK_EXT_host_image_copy
	features->host_copies = (VkPhysicalDeviceHostImageCopyFeaturesEXT){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_FEATURES_EXT,
		.hostImageCopy = VK_TRUE,
	};
	test->has_host_copies = gpu_device_want(test, wants, VK_EXT_HOST_IMAGE_COPY_EXTENSION_NAME,
						&features->host_copies);
#endif
	features->swapchains = (VkPhysicalDeviceSwapchainMaintenance1FeaturesEXT){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SWAPCHAIN_MAINTENANCE_1_FEATURES_EXT,
		.swapchainMaintenance1 = VK_TRUE,
	};
	test->has_present_fences =
		test->has_headless && test->has_surface_maintenance &&
		gpu_device_want(test, wants, VK_EXT_SWAPCHAIN_MAINTENANCE_1_EXTENSION_NAME,
				&features->swapchains);
	features->descriptor_buffers = (VkPhysicalDeviceDescriptorBufferFeaturesEXT){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_FEATURES_EXT,
		.descriptorBuffer = VK_TRUE,
	};
	test->has_descriptor_buffers =
		test->has_addresses &&
		gpu_device_want(test, wants, VK_EXT_DESCRIPTOR_BUFFER_EXTENSION_NAME,
				&features->descriptor_buffers);
#ifdef VK_KHR_device_address_commands
	features->address_commands = (VkPhysicalDeviceDeviceAddressCommandsFeaturesKHR){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DEVICE_ADDRESS_COMMANDS_FEATURES_KHR,
		.deviceAddressCommands = VK_TRUE,
	};
	test->has_address_commands =
		test->has_addresses &&
		gpu_device_want(test, wants, VK_KHR_DEVICE_ADDRESS_COMMANDS_EXTENSION_NAME,
				&features->address_commands);
#endif
	want_maintenance(test, wants, features);
	want_draws(test, wants, features);
	want_commands(test, wants, features);
	want_shaders(test, wants, features);
	want_heaps(test, wants, features);
	want_views(test, wants, features);
}
