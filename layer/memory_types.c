// SPDX-License-Identifier: Apache-2.0
#include "memory_types.h"

#include "settings.h"

// The value of most drivers with non-coherent memory.
#define PRESENTED_ATOM 64u

static bool memory_types_apart(void)
{
	return vkr_setting_flag(VKR_SETTING_NONCOHERENT, false);
}

static bool is_coherent(const VkMemoryType *type)
{
	const VkMemoryPropertyFlags both =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	return (type->propertyFlags & both) == both;
}

// In `second`, for each of the driver's types: where it is presented a second time; 0: it is not.
static void find_seconds(const VkPhysicalDeviceMemoryProperties *own,
			 uint32_t second[VK_MAX_MEMORY_TYPES])
{
	uint32_t next = own->memoryTypeCount;
	for (uint32_t i = 0; i < own->memoryTypeCount; i++) {
		const bool twice = memory_types_apart() && is_coherent(&own->memoryTypes[i]) &&
				   next < VK_MAX_MEMORY_TYPES;
		second[i] = twice ? next++ : 0;
	}
}

void vkr_memory_types_present(VkPhysicalDeviceMemoryProperties *properties)
{
	uint32_t second[VK_MAX_MEMORY_TYPES];
	const uint32_t count = properties->memoryTypeCount;
	find_seconds(properties, second);
	for (uint32_t i = 0; i < count; i++) {
		if (!second[i])
			continue;
		properties->memoryTypes[second[i]] = properties->memoryTypes[i];
		properties->memoryTypes[i].propertyFlags &=
			~(VkMemoryPropertyFlags)VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
		properties->memoryTypeCount++;
	}
}

void vkr_memory_types_limit(VkPhysicalDeviceLimits *limits)
{
	if (memory_types_apart() && limits->nonCoherentAtomSize == 1)
		limits->nonCoherentAtomSize = PRESENTED_ATOM;
}

VkMemoryPropertyFlags vkr_memory_types_flags(const struct vkr_layer_device *device, uint32_t type)
{
	VkPhysicalDeviceMemoryProperties presented = device->memory;
	vkr_memory_types_present(&presented);
	return type < presented.memoryTypeCount ? presented.memoryTypes[type].propertyFlags : 0;
}

uint32_t vkr_memory_types_own(const struct vkr_layer_device *device, uint32_t type)
{
	uint32_t second[VK_MAX_MEMORY_TYPES];
	find_seconds(&device->memory, second);
	for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++)
		if (second[i] && second[i] == type)
			return i;
	return type;
}

uint32_t vkr_memory_types_bits(const struct vkr_layer_device *device, uint32_t bits)
{
	uint32_t second[VK_MAX_MEMORY_TYPES];
	uint32_t presented = bits;
	find_seconds(&device->memory, second);
	for (uint32_t i = 0; i < device->memory.memoryTypeCount; i++)
		if (second[i] && (bits >> i & 1))
			presented |= 1u << second[i];
	return presented;
}
