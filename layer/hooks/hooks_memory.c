// SPDX-License-Identifier: Apache-2.0
// Memory, buffers and buffer views: recorded as they come and go.
// Knows their creation structures; not who uses them.
#include "buffer_addresses.h"
#include "call_stack.h"
#include "device_features.h"
#include "got_patch.h"
#include "host_mappings.h"
#include "host_memory.h"
#include "memory_types.h"
#include "objects.h"
#include "record.h"
#include "shared_memory.h"
#include "sparse_memory.h"

#include <stdlib.h>

static void record_memory(const struct vkr_layer_device *device,
			  const struct vkr_layer_memory *kept, VkDeviceMemory memory,
			  const VkMemoryAllocateInfo *info)
{
	bool imported = vkr_chain_find(info->pNext,
				       VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT) ||
			vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR);
	bool exported = vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO);
	struct vkr_trace_memory payload = {
		.memory = kept->id,
		.device = device->id,
		.bytes = kept->bytes,
		.handle = VKR_KEY(memory),
		.property_flags = kept->property_flags,
		.flags = (imported ? VKR_MEMORY_IMPORTED : 0u) |
			 (exported ? VKR_MEMORY_EXPORTED : 0u),
	};
	vkr_record_event(VKR_TRACE_MEMORY, &payload, sizeof payload, NULL, 0);
}

// What memory is imported from: the driver owns the descriptor afterwards.
static struct vkr_payload_file imported_file(const VkMemoryAllocateInfo *info)
{
	const VkImportMemoryFdInfoKHR *from =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR);
	return from && from->handleType ? vkr_payload_file(from->fd) : (struct vkr_payload_file){0};
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_AllocateMemory(VkDevice handle, const VkMemoryAllocateInfo *info,
						  const VkAllocationCallbacks *allocator,
						  VkDeviceMemory *memory)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_memory *kept = calloc(1, sizeof *kept);
	VkMemoryAllocateInfo own = *info;
	own.memoryTypeIndex = vkr_memory_types_own(device, info->memoryTypeIndex);
	if (!kept) {
		vkr_record_no_memory("a memory object");
		return device->next.AllocateMemory(handle, &own, allocator, memory);
	}
	kept->bytes = info->allocationSize;
	kept->property_flags = vkr_memory_types_flags(device, info->memoryTypeIndex);
	const struct vkr_payload_file file = imported_file(info);
	VkResult result = vkr_host_memory_allocate(device, &own, allocator, memory, kept);
	if (result != VK_SUCCESS) {
		free(kept);
		return result;
	}
	if (!vkr_payload_imported(kept, file)) {
		kept->id = vkr_record_id(VKR_OBJECT_MEMORY);
		record_memory(device, kept, *memory, info);
		vkr_payload_exported(kept, file);
		vkr_shared_import(device->id, info);
	}
	if (kept->property_flags & VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD)
		vkr_extension_used(device->id, VK_AMD_DEVICE_COHERENT_MEMORY_EXTENSION_NAME);
	vkr_host_memory_watch(kept);
	vkr_object_keep(&device->objects.memories, VKR_KEY(*memory), kept, "a memory object");
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_FreeMemory(VkDevice handle, VkDeviceMemory memory,
					  const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	vkr_buffer_addresses_lock(device); // who reads it has it from there
	struct vkr_layer_memory *kept =
		vkr_handles_take(&device->objects.memories, VKR_KEY(memory));
	vkr_buffer_addresses_unlock(device);
	if (kept && kept->mapped)
		vkr_host_mappings_remove(kept->mapped);
	if (kept && !vkr_payload_left(kept)) {
		vkr_host_memory_unmap(kept);
		free(kept);
		kept = NULL;
	}
	if (kept) {
		struct vkr_trace_memory_free payload = {.memory = kept->id};
		vkr_call_stack_record();
		vkr_record_event(VKR_TRACE_MEMORY_FREE, &payload, sizeof payload, NULL, 0);
		vkr_host_memory_forget(kept);
	}
	device->next.FreeMemory(handle, memory, allocator);
	if (kept)
		vkr_host_memory_release(kept);
	free(kept);
}

// `placed`: where the mapping is must stay as the program said.
static void record_map(struct vkr_layer_device *device, VkDeviceMemory memory, VkDeviceSize offset,
		       VkDeviceSize bytes, bool placed, void **data)
{
	struct vkr_layer_memory *kept = vkr_handles_get(&device->objects.memories, VKR_KEY(memory));
	if (!kept)
		return;
	kept->map_offset = offset;
	kept->map_bytes = bytes == VK_WHOLE_SIZE ? kept->bytes - offset : bytes;
	struct vkr_trace_map payload = {
		.memory = kept->id,
		.offset = offset,
		.bytes = kept->map_bytes,
	};
	vkr_call_stack_modules();
	vkr_got_patch_update();
	vkr_record_event(VKR_TRACE_MAP, &payload, sizeof payload, NULL, 0);
	if (!placed)
		vkr_host_memory_map(kept, offset, kept->map_bytes, data);
	else
		vkr_record_coverage(VKR_COVERAGE_HOST, 0, 0,
				    "memory is mapped at an address that the program chose: "
				    "accesses of host threads to it are not observed");
	kept->mapped = *data;
	vkr_sparse_mapped(kept);
	if (!vkr_host_mappings_add(&(struct vkr_host_mapping){.pointer = (uintptr_t)*data,
							      .bytes = kept->map_bytes,
							      .offset = offset,
							      .memory = kept->id}))
		vkr_record_no_memory("a mapping");
}

static void record_unmap(struct vkr_layer_device *device, VkDeviceMemory memory)
{
	struct vkr_layer_memory *kept = vkr_handles_get(&device->objects.memories, VKR_KEY(memory));
	if (!kept)
		return;
	struct vkr_trace_unmap payload = {.memory = kept->id};
	vkr_host_mappings_remove(kept->mapped);
	vkr_record_event(VKR_TRACE_UNMAP, &payload, sizeof payload, NULL, 0);
	vkr_buffer_addresses_lock(device);
	kept->mapped = NULL;
	vkr_host_memory_unmap(kept);
	vkr_buffer_addresses_unlock(device);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_MapMemory(VkDevice handle, VkDeviceMemory memory,
					     VkDeviceSize offset, VkDeviceSize bytes,
					     VkMemoryMapFlags flags, void **data)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.MapMemory(handle, memory, offset, bytes, flags, data);
	if (result == VK_SUCCESS)
		record_map(device, memory, offset, bytes, false, data);
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_UnmapMemory(VkDevice handle, VkDeviceMemory memory)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	record_unmap(device, memory);
	device->next.UnmapMemory(handle, memory);
}

#ifdef VK_KHR_map_memory2
static bool is_placed(const VkMemoryMapInfoKHR *info)
{
#ifdef VK_EXT_map_memory_placed
	return info->flags & VK_MEMORY_MAP_PLACED_BIT_EXT;
#else
	(void)info;
	return false;
#endif
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_MapMemory2KHR(VkDevice handle, const VkMemoryMapInfoKHR *info,
						 void **data)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.MapMemory2KHR(handle, info, data);
	if (result == VK_SUCCESS)
		record_map(device, info->memory, info->offset, info->size, is_placed(info), data);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_UnmapMemory2KHR(VkDevice handle,
						   const VkMemoryUnmapInfoKHR *info)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	record_unmap(device, info->memory);
	return device->next.UnmapMemory2KHR(handle, info);
}
#endif

VKAPI_ATTR VkResult VKAPI_CALL vkr_FlushMappedMemoryRanges(VkDevice handle, uint32_t count,
							   const VkMappedMemoryRange *ranges)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	for (uint32_t i = 0; i < count; i++) {
		const struct vkr_layer_memory *kept =
			vkr_handles_get(&device->objects.memories, VKR_KEY(ranges[i].memory));
		if (!kept)
			continue;
		struct vkr_trace_flush payload = {
			.memory = kept->id,
			.offset = ranges[i].offset,
			.bytes = ranges[i].size,
		};
		if (payload.bytes == VK_WHOLE_SIZE)
			payload.bytes = kept->map_offset + kept->map_bytes - payload.offset;
		vkr_record_event(VKR_TRACE_FLUSH, &payload, sizeof payload, NULL, 0);
	}
	return device->next.FlushMappedMemoryRanges(handle, count, ranges);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_InvalidateMappedMemoryRanges(VkDevice handle, uint32_t count,
								const VkMappedMemoryRange *ranges)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.InvalidateMappedMemoryRanges(handle, count, ranges);
	for (uint32_t i = 0; result == VK_SUCCESS && i < count; i++) {
		const struct vkr_layer_memory *kept =
			vkr_handles_get(&device->objects.memories, VKR_KEY(ranges[i].memory));
		if (!kept)
			continue;
		struct vkr_trace_invalidate payload = {
			.memory = kept->id,
			.offset = ranges[i].offset,
			.bytes = ranges[i].size,
		};
		if (payload.bytes == VK_WHOLE_SIZE)
			payload.bytes = kept->map_offset + kept->map_bytes - payload.offset;
		vkr_record_event(VKR_TRACE_INVALIDATE, &payload, sizeof payload, NULL, 0);
	}
	return result;
}

// Memory that represents what is bound to a sparse buffer, piece by piece.
static void stand_in(const struct vkr_layer_device *device, const struct vkr_layer_buffer *buffer)
{
	struct vkr_trace_memory memory = {
		.memory = vkr_record_id(VKR_OBJECT_MEMORY),
		.device = device->id,
		.bytes = buffer->bytes,
		.property_flags = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
		.flags = VKR_MEMORY_STAND_IN,
	};
	struct vkr_trace_buffer_bind bind = {.buffer = buffer->id, .memory = memory.memory};
	vkr_record_event(VKR_TRACE_MEMORY, &memory, sizeof memory, NULL, 0);
	vkr_record_event(VKR_TRACE_BUFFER_BIND, &bind, sizeof bind, NULL, 0);
}

static uint64_t usage_of(const VkBufferCreateInfo *info)
{
#ifdef VK_KHR_maintenance5
	// In its place ("VkBufferUsageFlags2CreateInfo").
	const VkBufferUsageFlags2CreateInfoKHR *second =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO_KHR);
	if (second)
		return second->usage;
#endif
	return info->usage;
}

// Usages through which commands or shaders write.
#define DEVICE_WRITES                                                                              \
	(VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |                   \
	 VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT)

// Allows the layer to copy the parameters that commands read (snapshots.h).
static void let_copy(const struct vkr_layer_device *device, VkBufferCreateInfo *info)
{
	const VkBufferUsageFlags asked =
		VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
		VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR;
	if (device->log && usage_of(info) == info->usage && info->usage & asked)
		info->usage |= VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
}

// What the layer creates in the buffer's place; with `external` in its chain.
static VkBufferCreateInfo watched_buffer(const struct vkr_layer_device *device,
					 const VkBufferCreateInfo *info,
					 VkExternalMemoryBufferCreateInfo *external)
{
	VkBufferCreateInfo watched = *info;
	let_copy(device, &watched);
	vkr_host_memory_buffer(device, &watched, external);
	return watched;
}

VKAPI_ATTR void VKAPI_CALL vkr_GetDeviceBufferMemoryRequirements(
	VkDevice handle, const VkDeviceBufferMemoryRequirements *info, VkMemoryRequirements2 *needs)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkExternalMemoryBufferCreateInfo external;
	const VkBufferCreateInfo watched = watched_buffer(device, info->pCreateInfo, &external);
	VkDeviceBufferMemoryRequirements own = *info;
	own.pCreateInfo = &watched;
	device->next.GetDeviceBufferMemoryRequirements(handle, &own, needs);
	needs->memoryRequirements.memoryTypeBits =
		vkr_memory_types_bits(device, needs->memoryRequirements.memoryTypeBits);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateBuffer(VkDevice handle, const VkBufferCreateInfo *info,
						const VkAllocationCallbacks *allocator,
						VkBuffer *buffer)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkExternalMemoryBufferCreateInfo external;
	const VkBufferCreateInfo watched = watched_buffer(device, info, &external);
	VkResult result = device->next.CreateBuffer(handle, &watched, allocator, buffer);
	if (result != VK_SUCCESS)
		return result;
	struct vkr_layer_buffer *kept = calloc(1, sizeof *kept);
	if (!kept) {
		vkr_record_no_memory("a buffer");
		return result;
	}
	kept->id = vkr_record_id(VKR_OBJECT_BUFFER);
	kept->bytes = info->size;
	kept->device_writes = usage_of(info) & DEVICE_WRITES;
	kept->copies = usage_of(&watched) & VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
	struct vkr_trace_buffer payload = {
		.buffer = kept->id,
		.device = device->id,
		.bytes = info->size,
		.handle = VKR_KEY(*buffer),
		.usage = (uint32_t)usage_of(info),
		.flags = info->flags,
		.sharing = (uint32_t)info->sharingMode,
	};
	vkr_record_event(VKR_TRACE_BUFFER, &payload, sizeof payload, NULL, 0);
	if (info->flags & VK_BUFFER_CREATE_SPARSE_BINDING_BIT)
		stand_in(device, kept);
	vkr_object_keep(&device->objects.buffers, VKR_KEY(*buffer), kept, "a buffer");
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyBuffer(VkDevice handle, VkBuffer buffer,
					     const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_buffer *kept = vkr_handles_take(&device->objects.buffers, VKR_KEY(buffer));
	if (kept) {
		struct vkr_trace_buffer_destroy payload = {.buffer = kept->id};
		vkr_record_event(VKR_TRACE_BUFFER_DESTROY, &payload, sizeof payload, NULL, 0);
		if (kept->addressed)
			vkr_buffer_addresses_remove(device, buffer);
		free(kept);
	}
	device->next.DestroyBuffer(handle, buffer, allocator);
}

static void record_bind(struct vkr_layer_device *device, VkBuffer buffer, VkDeviceMemory memory,
			VkDeviceSize offset)
{
	struct vkr_layer_buffer *kept = vkr_handles_get(&device->objects.buffers, VKR_KEY(buffer));
	const struct vkr_layer_memory *bound =
		vkr_handles_get(&device->objects.memories, VKR_KEY(memory));
	if (!kept || !bound)
		return;
	kept->memory = VKR_KEY(memory);
	kept->offset = offset;
	struct vkr_trace_buffer_bind payload = {
		.buffer = kept->id,
		.memory = bound->id,
		.offset = offset,
	};
	vkr_record_event(VKR_TRACE_BUFFER_BIND, &payload, sizeof payload, NULL, 0);
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_BindBufferMemory(VkDevice handle, VkBuffer buffer,
						    VkDeviceMemory memory, VkDeviceSize offset)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.BindBufferMemory(handle, buffer, memory, offset);
	if (result == VK_SUCCESS)
		record_bind(device, buffer, memory, offset);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_BindBufferMemory2(VkDevice handle, uint32_t count,
						     const VkBindBufferMemoryInfo *infos)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.BindBufferMemory2(handle, count, infos);
	for (uint32_t i = 0; result == VK_SUCCESS && i < count; i++)
		record_bind(device, infos[i].buffer, infos[i].memory, infos[i].memoryOffset);
	return result;
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL
vkr_GetBufferDeviceAddress(VkDevice handle, const VkBufferDeviceAddressInfo *info)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkDeviceAddress address = device->next.GetBufferDeviceAddress(handle, info);
	struct vkr_layer_buffer *kept =
		vkr_handles_get(&device->objects.buffers, VKR_KEY(info->buffer));
	if (kept) {
		struct vkr_trace_buffer_address payload = {
			.buffer = kept->id,
			.address = address,
		};
		vkr_record_event(VKR_TRACE_BUFFER_ADDRESS, &payload, sizeof payload, NULL, 0);
		if (!kept->addressed)
			vkr_buffer_addresses_add(device, info->buffer, address, kept->bytes);
		kept->addressed = true;
	}
	return address;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateBufferView(VkDevice handle,
						    const VkBufferViewCreateInfo *info,
						    const VkAllocationCallbacks *allocator,
						    VkBufferView *view)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result = device->next.CreateBufferView(handle, info, allocator, view);
	if (result != VK_SUCCESS)
		return result;
	const struct vkr_layer_buffer *buffer =
		vkr_handles_get(&device->objects.buffers, VKR_KEY(info->buffer));
	struct vkr_layer_buffer_view *kept = calloc(1, sizeof *kept);
	if (!kept || !buffer) {
		free(kept);
		vkr_record_no_memory("a buffer view");
		return result;
	}
	kept->id = vkr_record_id(VKR_OBJECT_BUFFER_VIEW);
	struct vkr_trace_buffer_view payload = {
		.view = kept->id,
		.buffer = buffer->id,
		.offset = info->offset,
		.bytes = info->range == VK_WHOLE_SIZE ? buffer->bytes - info->offset : info->range,
		.format = (uint32_t)info->format,
	};
	vkr_record_event(VKR_TRACE_BUFFER_VIEW, &payload, sizeof payload, NULL, 0);
	vkr_object_keep(&device->objects.views, VKR_KEY(*view), kept, "a buffer view");
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyBufferView(VkDevice handle, VkBufferView view,
						 const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_buffer_view *kept =
		vkr_handles_take(&device->objects.views, VKR_KEY(view));
	if (kept) {
		struct vkr_trace_buffer_view_destroy payload = {.view = kept->id};
		vkr_record_event(VKR_TRACE_BUFFER_VIEW_DESTROY, &payload, sizeof payload, NULL, 0);
		free(kept);
	}
	device->next.DestroyBufferView(handle, view, allocator);
}
