// SPDX-License-Identifier: Apache-2.0
// Memory as a discrete GPU has it, made of the driver's first type, and the rules of what can be
// bound to it.
#include "discrete_layer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A buffer or an image: the types that it can have; memory: its type.
struct kept {
	struct kept *next;
	uint64_t handle;
	uint32_t types;
	bool host; // can be of host memory, or is
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct kept *memories, *buffers, *images;

#define NEXT(device, name) ((PFN_##name)next_device_of(device)->get(device, #name))

static void keep(struct kept **list, uint64_t handle, uint32_t types, bool host)
{
	struct kept *made = malloc(sizeof *made);
	if (!made)
		abort();
	pthread_mutex_lock(&lock);
	*made = (struct kept){*list, handle, types, host};
	*list = made;
	pthread_mutex_unlock(&lock);
}

// The newest of that handle; a copy.
static struct kept find(struct kept **list, uint64_t handle)
{
	pthread_mutex_lock(&lock);
	const struct kept *at = *list;
	while (at && at->handle != handle)
		at = at->next;
	const struct kept found = at ? *at : (struct kept){0};
	pthread_mutex_unlock(&lock);
	return found;
}

static void forget(struct kept **list, uint64_t handle)
{
	pthread_mutex_lock(&lock);
	struct kept **at = list;
	while (*at && (*at)->handle != handle)
		at = &(*at)->next;
	struct kept *gone = *at;
	if (gone)
		*at = gone->next;
	pthread_mutex_unlock(&lock);
	free(gone);
}

static void broken(const char *rule)
{
	fprintf(stderr, "discrete GPU: %s\n", rule);
	abort();
}

// ---- Buffers and images -------------------------------------------------------------------------

static bool buffer_of_host(const VkBufferCreateInfo *info)
{
	const VkExternalMemoryBufferCreateInfo *external =
		discrete_find(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO);
	return external && external->handleTypes & DISCRETE_HOST;
}

static uint32_t buffer_types(const VkBufferCreateInfo *info)
{
	return buffer_of_host(info) ? 0x0f : 0x1f;
}

static bool image_of_host(const VkImageCreateInfo *info)
{
	const VkExternalMemoryImageCreateInfo *external =
		discrete_find(info->pNext, VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO);
	return external && external->handleTypes & DISCRETE_HOST;
}

static uint32_t image_types(const VkImageCreateInfo *info)
{
	if (image_of_host(info) && info->tiling == VK_IMAGE_TILING_OPTIMAL)
		return 0;
	return info->tiling == VK_IMAGE_TILING_OPTIMAL ? 0x03 : 0x0f;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_buffer(VkDevice device, const VkBufferCreateInfo *info,
						    const VkAllocationCallbacks *allocator,
						    VkBuffer *buffer)
{
	const VkResult result = NEXT(device, vkCreateBuffer)(device, info, allocator, buffer);
	if (result == VK_SUCCESS)
		keep(&buffers, (uint64_t)*buffer, buffer_types(info), buffer_of_host(info));
	return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_buffer(VkDevice device, VkBuffer buffer,
						 const VkAllocationCallbacks *allocator)
{
	forget(&buffers, (uint64_t)buffer);
	NEXT(device, vkDestroyBuffer)(device, buffer, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_image(VkDevice device, const VkImageCreateInfo *info,
						   const VkAllocationCallbacks *allocator,
						   VkImage *image)
{
	if (image_of_host(info) && info->tiling == VK_IMAGE_TILING_OPTIMAL &&
	    info->usage != DISCRETE_CLAIMED)
		broken("an image of optimal tiling cannot be of host memory");
	const VkResult result = NEXT(device, vkCreateImage)(device, info, allocator, image);
	if (result == VK_SUCCESS)
		keep(&images, (uint64_t)*image, image_types(info), image_of_host(info));
	return result;
}

static VKAPI_ATTR void VKAPI_CALL destroy_image(VkDevice device, VkImage image,
						const VkAllocationCallbacks *allocator)
{
	forget(&images, (uint64_t)image);
	NEXT(device, vkDestroyImage)(device, image, allocator);
}

// ---- Requirements -------------------------------------------------------------------------------

static VKAPI_ATTR void VKAPI_CALL get_buffer(VkDevice device, VkBuffer buffer,
					     VkMemoryRequirements *needs)
{
	NEXT(device, vkGetBufferMemoryRequirements)(device, buffer, needs);
	needs->memoryTypeBits = find(&buffers, (uint64_t)buffer).types;
}

static VKAPI_ATTR void VKAPI_CALL get_image(VkDevice device, VkImage image,
					    VkMemoryRequirements *needs)
{
	NEXT(device, vkGetImageMemoryRequirements)(device, image, needs);
	needs->memoryTypeBits = find(&images, (uint64_t)image).types;
}

static VKAPI_ATTR void VKAPI_CALL get_buffer2(VkDevice device,
					      const VkBufferMemoryRequirementsInfo2 *info,
					      VkMemoryRequirements2 *needs)
{
	NEXT(device, vkGetBufferMemoryRequirements2)(device, info, needs);
	needs->memoryRequirements.memoryTypeBits = find(&buffers, (uint64_t)info->buffer).types;
}

static VKAPI_ATTR void VKAPI_CALL get_image2(VkDevice device,
					     const VkImageMemoryRequirementsInfo2 *info,
					     VkMemoryRequirements2 *needs)
{
	NEXT(device, vkGetImageMemoryRequirements2)(device, info, needs);
	needs->memoryRequirements.memoryTypeBits = find(&images, (uint64_t)info->image).types;
}

static VKAPI_ATTR void VKAPI_CALL get_buffer_of(VkDevice device,
						const VkDeviceBufferMemoryRequirements *info,
						VkMemoryRequirements2 *needs)
{
	NEXT(device, vkGetDeviceBufferMemoryRequirements)(device, info, needs);
	needs->memoryRequirements.memoryTypeBits = buffer_types(info->pCreateInfo);
}

static VKAPI_ATTR void VKAPI_CALL get_image_of(VkDevice device,
					       const VkDeviceImageMemoryRequirements *info,
					       VkMemoryRequirements2 *needs)
{
	NEXT(device, vkGetDeviceImageMemoryRequirements)(device, info, needs);
	needs->memoryRequirements.memoryTypeBits = image_types(info->pCreateInfo);
}

static VKAPI_ATTR VkResult VKAPI_CALL get_pointer(VkDevice device,
						  VkExternalMemoryHandleTypeFlagBits type,
						  const void *pointer,
						  VkMemoryHostPointerPropertiesEXT *properties)
{
	const VkResult result = NEXT(device, vkGetMemoryHostPointerPropertiesEXT)(
		device, type, pointer, properties);
	properties->memoryTypeBits = DISCRETE_IMPORTED;
	return result;
}

// ---- Memory -------------------------------------------------------------------------------------

static VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo *info,
					       const VkAllocationCallbacks *allocator,
					       VkDeviceMemory *memory)
{
	const uint32_t type = 1u << info->memoryTypeIndex;
	const bool host =
		discrete_find(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT);
	const VkMemoryDedicatedAllocateInfo *dedicated =
		discrete_find(info->pNext, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
	VkMemoryAllocateInfo real = *info;
	real.memoryTypeIndex = 0;
	if (host && !(type & DISCRETE_IMPORTED))
		return VK_ERROR_OUT_OF_DEVICE_MEMORY;
	if (host && dedicated && (dedicated->buffer || dedicated->image))
		broken("imported host memory cannot be dedicated");
	const VkResult result = NEXT(device, vkAllocateMemory)(device, &real, allocator, memory);
	if (result == VK_SUCCESS)
		keep(&memories, (uint64_t)*memory, type, host);
	return result;
}

static VKAPI_ATTR void VKAPI_CALL free_memory(VkDevice device, VkDeviceMemory memory,
					      const VkAllocationCallbacks *allocator)
{
	forget(&memories, (uint64_t)memory);
	NEXT(device, vkFreeMemory)(device, memory, allocator);
}

static VKAPI_ATTR VkResult VKAPI_CALL map(VkDevice device, VkDeviceMemory memory,
					  VkDeviceSize offset, VkDeviceSize size,
					  VkMemoryMapFlags flags, void **data)
{
	if (!(find(&memories, (uint64_t)memory).types & DISCRETE_MAPPED))
		return VK_ERROR_MEMORY_MAP_FAILED;
	return NEXT(device, vkMapMemory)(device, memory, offset, size, flags, data);
}

// VUID-vkBindBufferMemory-memory-01035 and -02985, and their like of images.
static void check_bind(struct kept **list, uint64_t handle, VkDeviceMemory memory)
{
	const struct kept of = find(list, handle), bound = find(&memories, (uint64_t)memory);
	if (bound.handle && of.handle && !(of.types & bound.types))
		broken("memory of a type that the buffer or image cannot have");
	if (bound.host && of.handle && !of.host)
		broken("host memory for a buffer or image that cannot be of it");
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_buffer(VkDevice device, VkBuffer buffer,
						  VkDeviceMemory memory, VkDeviceSize offset)
{
	check_bind(&buffers, (uint64_t)buffer, memory);
	return NEXT(device, vkBindBufferMemory)(device, buffer, memory, offset);
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_image(VkDevice device, VkImage image,
						 VkDeviceMemory memory, VkDeviceSize offset)
{
	check_bind(&images, (uint64_t)image, memory);
	return NEXT(device, vkBindImageMemory)(device, image, memory, offset);
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_buffer2(VkDevice device, uint32_t count,
						   const VkBindBufferMemoryInfo *infos)
{
	for (uint32_t i = 0; i < count; i++)
		check_bind(&buffers, (uint64_t)infos[i].buffer, infos[i].memory);
	return NEXT(device, vkBindBufferMemory2)(device, count, infos);
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_image2(VkDevice device, uint32_t count,
						  const VkBindImageMemoryInfo *infos)
{
	for (uint32_t i = 0; i < count; i++)
		check_bind(&images, (uint64_t)infos[i].image, infos[i].memory);
	return NEXT(device, vkBindImageMemory2)(device, count, infos);
}

// ---- Names --------------------------------------------------------------------------------------

static const struct {
	const char *name;
	PFN_vkVoidFunction function;
} hooks[] = {
	{"vkCreateBuffer", (PFN_vkVoidFunction)create_buffer},
	{"vkDestroyBuffer", (PFN_vkVoidFunction)destroy_buffer},
	{"vkCreateImage", (PFN_vkVoidFunction)create_image},
	{"vkDestroyImage", (PFN_vkVoidFunction)destroy_image},
	{"vkGetBufferMemoryRequirements", (PFN_vkVoidFunction)get_buffer},
	{"vkGetImageMemoryRequirements", (PFN_vkVoidFunction)get_image},
	{"vkGetBufferMemoryRequirements2", (PFN_vkVoidFunction)get_buffer2},
	{"vkGetBufferMemoryRequirements2KHR", (PFN_vkVoidFunction)get_buffer2},
	{"vkGetImageMemoryRequirements2", (PFN_vkVoidFunction)get_image2},
	{"vkGetImageMemoryRequirements2KHR", (PFN_vkVoidFunction)get_image2},
	{"vkGetDeviceBufferMemoryRequirements", (PFN_vkVoidFunction)get_buffer_of},
	{"vkGetDeviceBufferMemoryRequirementsKHR", (PFN_vkVoidFunction)get_buffer_of},
	{"vkGetDeviceImageMemoryRequirements", (PFN_vkVoidFunction)get_image_of},
	{"vkGetDeviceImageMemoryRequirementsKHR", (PFN_vkVoidFunction)get_image_of},
	{"vkGetMemoryHostPointerPropertiesEXT", (PFN_vkVoidFunction)get_pointer},
	{"vkAllocateMemory", (PFN_vkVoidFunction)allocate},
	{"vkFreeMemory", (PFN_vkVoidFunction)free_memory},
	{"vkMapMemory", (PFN_vkVoidFunction)map},
	{"vkBindBufferMemory", (PFN_vkVoidFunction)bind_buffer},
	{"vkBindImageMemory", (PFN_vkVoidFunction)bind_image},
	{"vkBindBufferMemory2", (PFN_vkVoidFunction)bind_buffer2},
	{"vkBindBufferMemory2KHR", (PFN_vkVoidFunction)bind_buffer2},
	{"vkBindImageMemory2", (PFN_vkVoidFunction)bind_image2},
	{"vkBindImageMemory2KHR", (PFN_vkVoidFunction)bind_image2},
};

PFN_vkVoidFunction discrete_memory_hook(const char *name)
{
	for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
		if (strcmp(hooks[i].name, name) == 0)
			return hooks[i].function;
	return NULL;
}
