// SPDX-License-Identifier: Apache-2.0
#include "log_buffer.h"

#include <stddef.h>

static const VkMemoryPropertyFlags wanted_flags =
	VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

// Host-visible and coherent; cached where there is such a type. UINT32_MAX: none.
static uint32_t find_memory_type(const struct vkr_layer_device *device, uint32_t allowed)
{
	uint32_t found = UINT32_MAX;
	for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++) {
		VkMemoryPropertyFlags flags = device->memory.memoryTypes[i].propertyFlags;
		if (!(allowed >> i & 1) || (flags & wanted_flags) != wanted_flags)
			continue;
		if (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT)
			return i;
		if (found == UINT32_MAX)
			found = i;
	}
	return found;
}

static uint64_t address_of(struct vkr_layer_device *device, VkBuffer buffer)
{
	VkBufferDeviceAddressInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
		.buffer = buffer,
	};
	return device->next.GetBufferDeviceAddress(device->handle, &info);
}

bool vkr_log_buffer_bind(struct vkr_layer_device *device, VkBuffer buffer, void *import,
			 uint64_t import_bytes, VkDeviceMemory *memory, uint64_t *address)
{
	VkDevice handle = device->handle;
	VkMemoryRequirements needs;
	device->next.GetBufferMemoryRequirements(handle, buffer, &needs);
	VkImportMemoryHostPointerInfoEXT import_info = {
		.sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
		.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
		.pHostPointer = import,
	};
	VkMemoryAllocateFlagsInfo flags = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
		.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
	};
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.allocationSize = needs.size,
	};
	if (import) {
		VkMemoryHostPointerPropertiesEXT properties = {
			.sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT,
		};
		if (needs.size > import_bytes ||
		    device->next.GetMemoryHostPointerPropertiesEXT(
			    handle, import_info.handleType, import, &properties) != VK_SUCCESS)
			return false;
		needs.memoryTypeBits &= properties.memoryTypeBits;
		info.allocationSize = import_bytes;
		info.pNext = &import_info;
	}
	// The EXT form of device addresses has no such flag.
	if (!device->device_addresses_ext) {
		flags.pNext = info.pNext;
		info.pNext = &flags;
	}
	info.memoryTypeIndex = find_memory_type(device, needs.memoryTypeBits);
	if (info.memoryTypeIndex == UINT32_MAX ||
	    device->next.AllocateMemory(handle, &info, NULL, memory) != VK_SUCCESS) {
		*memory = VK_NULL_HANDLE;
		return false;
	}
	if (device->next.BindBufferMemory(handle, buffer, *memory, 0) != VK_SUCCESS)
		return false;
	*address = address_of(device, buffer);
	return *address != 0;
}

VkBuffer vkr_log_buffer_create(struct vkr_layer_device *device, uint64_t bytes,
			       VkBufferUsageFlags usage, bool import)
{
	VkExternalMemoryBufferCreateInfo external = {
		.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
		.handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
	};
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.pNext = import ? &external : NULL,
		.size = bytes,
		.usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
	};
	VkBuffer buffer = VK_NULL_HANDLE;
	if (device->next.CreateBuffer(device->handle, &info, NULL, &buffer) != VK_SUCCESS)
		return VK_NULL_HANDLE;
	return buffer;
}
