// SPDX-License-Identifier: Apache-2.0
// Acceleration structures: where each lies in its buffer, and its device address.
// Knows how they come and go; not what is done to them.
#include "buffer_addresses.h"
#include "objects.h"
#include "record.h"

#include <stdlib.h>

// Bytes of a buffer, or of none that is known.
struct place {
	const struct vkr_layer_buffer *buffer;
	uint64_t offset, bytes;
};

static void keep_structure(struct vkr_layer_device *device, VkAccelerationStructureKHR structure,
			   VkAccelerationStructureTypeKHR type, const struct place *place)
{
	struct vkr_layer_structure *kept = place->buffer ? calloc(1, sizeof *kept) : NULL;
	if (!kept) {
		vkr_record_no_memory("an acceleration structure");
		return;
	}
	kept->id = vkr_record_id(VKR_OBJECT_STRUCTURE);
	const struct vkr_trace_structure payload = {
		.structure = kept->id,
		.device = device->id,
		.buffer = place->buffer->id,
		.type = (uint32_t)type,
		.offset = place->offset,
		.bytes = place->bytes,
		.handle = VKR_KEY(structure),
	};
	vkr_record_event(VKR_TRACE_STRUCTURE, &payload, sizeof payload, NULL, 0);
	vkr_object_keep(&device->objects.structures, VKR_KEY(structure), kept,
			"an acceleration structure");
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateAccelerationStructureKHR(
	VkDevice handle, const VkAccelerationStructureCreateInfoKHR *info,
	const VkAllocationCallbacks *allocator, VkAccelerationStructureKHR *structure)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	const VkResult result =
		device->next.CreateAccelerationStructureKHR(handle, info, allocator, structure);
	const struct place place = {
		vkr_handles_get(&device->objects.buffers, VKR_KEY(info->buffer)), info->offset,
		info->size};
	if (result == VK_SUCCESS)
		keep_structure(device, *structure, info->type, &place);
	return result;
}

#ifdef VK_KHR_device_address_commands
VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateAccelerationStructure2KHR(
	VkDevice handle, const VkAccelerationStructureCreateInfo2KHR *info,
	const VkAllocationCallbacks *allocator, VkAccelerationStructureKHR *structure)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	const VkResult result =
		device->next.CreateAccelerationStructure2KHR(handle, info, allocator, structure);
	if (result != VK_SUCCESS)
		return result;
	const struct vkr_buffer_place at =
		vkr_buffer_addresses_place(device, info->addressRange.address);
	const struct place place = {vkr_handles_get(&device->objects.buffers, VKR_KEY(at.buffer)),
				    at.offset, info->addressRange.size};
	keep_structure(device, *structure, info->type, &place);
	return result;
}
#endif

VKAPI_ATTR void VKAPI_CALL
vkr_DestroyAccelerationStructureKHR(VkDevice handle, VkAccelerationStructureKHR structure,
				    const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_layer_structure *kept =
		vkr_handles_take(&device->objects.structures, VKR_KEY(structure));
	if (kept) {
		const struct vkr_trace_structure_destroy payload = {.structure = kept->id};
		vkr_record_event(VKR_TRACE_STRUCTURE_DESTROY, &payload, sizeof payload, NULL, 0);
		free(kept);
	}
	device->next.DestroyAccelerationStructureKHR(handle, structure, allocator);
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL vkr_GetAccelerationStructureDeviceAddressKHR(
	VkDevice handle, const VkAccelerationStructureDeviceAddressInfoKHR *info)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	const VkDeviceAddress address =
		device->next.GetAccelerationStructureDeviceAddressKHR(handle, info);
	const struct vkr_layer_structure *kept =
		vkr_handles_get(&device->objects.structures, VKR_KEY(info->accelerationStructure));
	if (kept) {
		const struct vkr_trace_structure_address payload = {.structure = kept->id,
								    .address = address};
		vkr_record_event(VKR_TRACE_STRUCTURE_ADDRESS, &payload, sizeof payload, NULL, 0);
	}
	return address;
}
