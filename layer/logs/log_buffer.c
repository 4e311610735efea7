// SPDX-License-Identifier: Apache-2.0
#include "log_buffer.h"

#include "log_copy.h"
#include "log_memory.h"

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

// Device-local; such that the host does not see where there is such a type. UINT32_MAX: none.
static uint32_t find_local_type(const struct vkr_layer_device *device, uint32_t allowed)
{
	uint32_t found = UINT32_MAX;
	for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++) {
		VkMemoryPropertyFlags flags = device->memory.memoryTypes[i].propertyFlags;
		if (!(allowed >> i & 1) || !(flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) ||
		    flags & VK_MEMORY_PROPERTY_PROTECTED_BIT)
			continue;
		if (!(flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT))
			return i;
		if (found == UINT32_MAX)
			found = i;
	}
	return found;
}

bool vkr_log_buffers_are_local(const struct vkr_layer_device *device)
{
	const uint32_t near = find_memory_type(device, UINT32_MAX);
	return near != UINT32_MAX && find_local_type(device, UINT32_MAX) != UINT32_MAX &&
	       !(device->memory.memoryTypes[near].propertyFlags &
		 VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

uint64_t vkr_log_buffers_local_bytes(const struct vkr_layer_device *device)
{
	const uint32_t type = find_local_type(device, UINT32_MAX);
	return type == UINT32_MAX
		       ? 0
		       : device->memory.memoryHeaps[device->memory.memoryTypes[type].heapIndex]
				 .size;
}

static uint64_t address_of(struct vkr_layer_device *device, VkBuffer buffer)
{
	VkBufferDeviceAddressInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
		.buffer = buffer,
	};
	return device->next.GetBufferDeviceAddress(device->handle, &info);
}

// Allocates what is asked for, of the type, and binds the buffer to it.
static bool log_buffer_allocate(struct vkr_layer_device *device, VkBuffer buffer,
				VkMemoryAllocateInfo info, VkDeviceMemory *memory,
				uint64_t *address)
{
	VkDevice handle = device->handle;
	VkMemoryAllocateFlagsInfo flags = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
		.pNext = info.pNext,
		.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
	};
	// The EXT form of device addresses has no such flag.
	if (!device->device_addresses_ext)
		info.pNext = &flags;
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
	info.memoryTypeIndex = find_memory_type(device, needs.memoryTypeBits);
	return log_buffer_allocate(device, buffer, info, memory, address);
}

bool vkr_log_buffer_bind_local(struct vkr_layer_device *device, VkBuffer buffer,
			       VkDeviceMemory *memory, uint64_t *address)
{
	VkMemoryRequirements needs;
	device->next.GetBufferMemoryRequirements(device->handle, buffer, &needs);
	const VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.allocationSize = needs.size,
		.memoryTypeIndex = find_local_type(device, needs.memoryTypeBits),
	};
	return log_buffer_allocate(device, buffer, info, memory, address);
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
	const struct vkr_log_copies *copies = device->log->copies;
	if (copies && copies->family_count > 1) {
		info.sharingMode = VK_SHARING_MODE_CONCURRENT;
		info.queueFamilyIndexCount = copies->family_count;
		info.pQueueFamilyIndices = copies->families;
	}
	VkBuffer buffer = VK_NULL_HANDLE;
	if (device->next.CreateBuffer(device->handle, &info, NULL, &buffer) != VK_SUCCESS)
		return VK_NULL_HANDLE;
	return buffer;
}
