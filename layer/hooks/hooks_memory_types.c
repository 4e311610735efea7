// SPDX-License-Identifier: Apache-2.0
// What says what a device is like, and which memory types an object can have, as the program shall
// see it. Knows the commands; how types and binaries are presented is memory_types.h's and
// shader_binaries.h's.
#include "host_memory.h"
#include "memory_types.h"
#include "shader_binaries.h"

VKAPI_ATTR void VKAPI_CALL vkr_GetPhysicalDeviceProperties(VkPhysicalDevice physical,
							   VkPhysicalDeviceProperties *properties)
{
	vkr_instance_of(physical)->next.GetPhysicalDeviceProperties(physical, properties);
	vkr_memory_types_limit(&properties->limits);
}

VKAPI_ATTR void VKAPI_CALL vkr_GetPhysicalDeviceProperties2(VkPhysicalDevice physical,
							    VkPhysicalDeviceProperties2 *properties)
{
	vkr_instance_of(physical)->next.GetPhysicalDeviceProperties2(physical, properties);
	vkr_memory_types_limit(&properties->properties.limits);
#ifdef VK_EXT_shader_object
	for (VkBaseOutStructure *at = properties->pNext; at; at = at->pNext)
		if (at->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_PROPERTIES_EXT)
			vkr_binary_present((VkPhysicalDeviceShaderObjectPropertiesEXT *)at);
#endif
}

VKAPI_ATTR void VKAPI_CALL vkr_GetPhysicalDeviceMemoryProperties(
	VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties *properties)
{
	vkr_instance_of(physical)->next.GetPhysicalDeviceMemoryProperties(physical, properties);
	vkr_memory_types_present(properties);
}

VKAPI_ATTR void VKAPI_CALL vkr_GetPhysicalDeviceMemoryProperties2(
	VkPhysicalDevice physical, VkPhysicalDeviceMemoryProperties2 *properties)
{
	vkr_instance_of(physical)->next.GetPhysicalDeviceMemoryProperties2(physical, properties);
	vkr_memory_types_present(&properties->memoryProperties);
}

static void present_bits(const struct vkr_layer_device *device, uint32_t *bits)
{
	*bits = vkr_memory_types_bits(device, *bits);
}

VKAPI_ATTR void VKAPI_CALL vkr_GetBufferMemoryRequirements(VkDevice handle, VkBuffer buffer,
							   VkMemoryRequirements *needs)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	device->next.GetBufferMemoryRequirements(handle, buffer, needs);
	present_bits(device, &needs->memoryTypeBits);
}

VKAPI_ATTR void VKAPI_CALL vkr_GetImageMemoryRequirements(VkDevice handle, VkImage image,
							  VkMemoryRequirements *needs)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	device->next.GetImageMemoryRequirements(handle, image, needs);
	present_bits(device, &needs->memoryTypeBits);
}

#define REQUIREMENTS(name, info_type)                                                              \
	VKAPI_ATTR void VKAPI_CALL vkr_##name(VkDevice handle, const info_type *info,              \
					      VkMemoryRequirements2 *needs)                        \
	{                                                                                          \
		struct vkr_layer_device *device = vkr_device_of(handle);                           \
		device->next.name(handle, info, needs);                                            \
		present_bits(device, &needs->memoryRequirements.memoryTypeBits);                   \
	}

REQUIREMENTS(GetBufferMemoryRequirements2, VkBufferMemoryRequirementsInfo2)
REQUIREMENTS(GetImageMemoryRequirements2, VkImageMemoryRequirementsInfo2)
REQUIREMENTS(GetImageMemoryRequirements2KHR, VkImageMemoryRequirementsInfo2)

// As the layer will create the image.
VKAPI_ATTR void VKAPI_CALL vkr_GetDeviceImageMemoryRequirements(
	VkDevice handle, const VkDeviceImageMemoryRequirements *info, VkMemoryRequirements2 *needs)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkImageCreateInfo watched = *info->pCreateInfo;
	VkExternalMemoryImageCreateInfo external;
	VkDeviceImageMemoryRequirements own = *info;
	own.pCreateInfo = &watched;
	vkr_host_memory_image(device, info->pCreateInfo, &watched, &external);
	device->next.GetDeviceImageMemoryRequirements(handle, &own, needs);
	if (!needs->memoryRequirements.memoryTypeBits)
		device->next.GetDeviceImageMemoryRequirements(handle, info, needs);
	present_bits(device, &needs->memoryRequirements.memoryTypeBits);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_GetMemoryHostPointerPropertiesEXT(
	VkDevice handle, VkExternalMemoryHandleTypeFlagBits type, const void *pointer,
	VkMemoryHostPointerPropertiesEXT *properties)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result =
		device->next.GetMemoryHostPointerPropertiesEXT(handle, type, pointer, properties);
	if (result == VK_SUCCESS)
		present_bits(device, &properties->memoryTypeBits);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_GetMemoryFdPropertiesKHR(VkDevice handle,
							    VkExternalMemoryHandleTypeFlagBits type,
							    int fd,
							    VkMemoryFdPropertiesKHR *properties)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.GetMemoryFdPropertiesKHR(handle, type, fd, properties);
	if (result == VK_SUCCESS)
		present_bits(device, &properties->memoryTypeBits);
	return result;
}
