// SPDX-License-Identifier: Apache-2.0
// Acceleration structures: where each lies in its buffer, and its device address.
// Knows how they come and go; not what is done to them.
#include "objects.h"
#include "record.h"

#include <stdlib.h>

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateAccelerationStructureKHR(
	VkDevice handle, const VkAccelerationStructureCreateInfoKHR *info,
	const VkAllocationCallbacks *allocator, VkAccelerationStructureKHR *structure)
{
	struct vkr_device *device = vkr_device_of(handle);
	const VkResult result =
		device->next.CreateAccelerationStructureKHR(handle, info, allocator, structure);
	const struct vkr_buffer *buffer = vkr_handles_get(&device->buffers, VKR_KEY(info->buffer));
	if (result != VK_SUCCESS)
		return result;
	struct vkr_structure *kept = buffer ? calloc(1, sizeof *kept) : NULL;
	if (!kept) {
		vkr_record_no_memory("an acceleration structure");
		return result;
	}
	kept->id = vkr_record_id(VKR_OBJECT_STRUCTURE);
	const struct vkr_trace_structure payload = {
		.structure = kept->id,
		.device = device->id,
		.buffer = buffer->id,
		.type = (uint32_t)info->type,
		.offset = info->offset,
		.bytes = info->size,
		.handle = VKR_KEY(*structure),
	};
	vkr_record_event(VKR_TRACE_STRUCTURE, &payload, sizeof payload, NULL, 0);
	vkr_object_keep(&device->structures, VKR_KEY(*structure), kept,
			"an acceleration structure");
	return result;
}

VKAPI_ATTR void VKAPI_CALL
vkr_DestroyAccelerationStructureKHR(VkDevice handle, VkAccelerationStructureKHR structure,
				    const VkAllocationCallbacks *allocator)
{
	struct vkr_device *device = vkr_device_of(handle);
	struct vkr_structure *kept = vkr_handles_take(&device->structures, VKR_KEY(structure));
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
	struct vkr_device *device = vkr_device_of(handle);
	const VkDeviceAddress address =
		device->next.GetAccelerationStructureDeviceAddressKHR(handle, info);
	const struct vkr_structure *kept =
		vkr_handles_get(&device->structures, VKR_KEY(info->accelerationStructure));
	if (kept) {
		const struct vkr_trace_structure_address payload = {.structure = kept->id,
								    .address = address};
		vkr_record_event(VKR_TRACE_STRUCTURE_ADDRESS, &payload, sizeof payload, NULL, 0);
	}
	return address;
}
