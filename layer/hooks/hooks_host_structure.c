// SPDX-License-Identifier: Apache-2.0
// Acceleration structures that the host builds, copies and asks itself, at once or as a deferred
// operation. Knows the parameters; not what orders them.
#include "call_stack.h"
#include "objects.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>

// The work of one call, until it is done.
struct vkr_host_work {
	struct vkr_host_work *next;
	struct vkr_trace_host_structure payload;
	uint32_t bottoms[];
};

static uint32_t structure_id(struct vkr_layer_device *device, VkAccelerationStructureKHR handle)
{
	const struct vkr_layer_structure *kept =
		vkr_handles_get(&device->objects.structures, VKR_KEY(handle));
	return kept ? kept->id : 0;
}

static struct vkr_host_work *work_make(uint32_t operation, uint32_t source, uint32_t destination,
				       uint32_t bottoms)
{
	struct vkr_host_work *work = calloc(1, sizeof *work + bottoms * sizeof *work->bottoms);
	if (work)
		work->payload = (struct vkr_trace_host_structure){.operation = operation,
								  .source = source,
								  .destination = destination,
								  .bottom_count = bottoms};
	else
		vkr_record_no_memory("what the host does to an acceleration structure");
	return work;
}

static void work_free(struct vkr_host_work *work)
{
	while (work) {
		struct vkr_host_work *next = work->next;
		free(work);
		work = next;
	}
}

static void work_record(const struct vkr_host_work *work)
{
	for (; work; work = work->next) {
		vkr_call_stack_record();
		vkr_record_event(VKR_TRACE_HOST_STRUCTURE, &work->payload, sizeof work->payload,
				 work->bottoms, work->payload.bottom_count * sizeof *work->bottoms);
	}
}

// The call has returned: it is done, or will be when threads have joined it.
static VkResult work_done(struct vkr_layer_device *device, VkDeferredOperationKHR operation,
			  struct vkr_host_work *work, VkResult result)
{
	if (result == VK_OPERATION_DEFERRED_KHR) {
		work_free(vkr_handles_take(&device->objects.deferred, VKR_KEY(operation)));
		if (work && !vkr_handles_put(&device->objects.deferred, VKR_KEY(operation), work)) {
			work_free(work);
			vkr_record_no_memory("a deferred operation");
		}
		return result;
	}
	if (result == VK_SUCCESS || result == VK_OPERATION_NOT_DEFERRED_KHR)
		work_record(work);
	work_free(work);
	return result;
}

// ---- Builds -------------------------------------------------------------------------------------

static const VkAccelerationStructureGeometryKHR *
geometry_of(const VkAccelerationStructureBuildGeometryInfoKHR *info, uint32_t index)
{
	return info->pGeometries ? &info->pGeometries[index] : info->ppGeometries[index];
}

// On the host instances refer to structures by their handles
// ("VkAccelerationStructureInstanceKHR").
static uint32_t list_instances(struct vkr_layer_device *device,
			       const VkAccelerationStructureGeometryInstancesDataKHR *data,
			       const VkAccelerationStructureBuildRangeInfoKHR *range,
			       uint32_t *bottoms)
{
	const char *first = (const char *)data->data.hostAddress + range->primitiveOffset;
	uint32_t count = 0;
	for (uint32_t i = 0; i < range->primitiveCount; i++) {
		VkAccelerationStructureInstanceKHR instance;
		const void *from = first + i * sizeof instance;
		if (data->arrayOfPointers)
			memcpy(&from, first + i * sizeof from, sizeof from);
		memcpy(&instance, from, sizeof instance);
		if (instance.accelerationStructureReference)
			bottoms[count++] = structure_id(
				device, (VkAccelerationStructureKHR)(uintptr_t)
						instance.accelerationStructureReference);
	}
	return count;
}

static struct vkr_host_work *build_work(struct vkr_layer_device *device,
					const VkAccelerationStructureBuildGeometryInfoKHR *info,
					const VkAccelerationStructureBuildRangeInfoKHR *ranges)
{
	const bool update = info->mode == VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
	const VkAccelerationStructureGeometryKHR *first =
		info->geometryCount ? geometry_of(info, 0) : NULL;
	const bool top = first && first->geometryType == VK_GEOMETRY_TYPE_INSTANCES_KHR &&
			 !(info->flags & VK_BUILD_ACCELERATION_STRUCTURE_MOTION_BIT_NV);
	struct vkr_host_work *work =
		work_make(update ? VKR_STRUCTURE_UPDATE : VKR_STRUCTURE_BUILD,
			  update ? structure_id(device, info->srcAccelerationStructure) : 0,
			  structure_id(device, info->dstAccelerationStructure),
			  top ? ranges[0].primitiveCount : 0);
	if (work && top)
		work->payload.bottom_count = list_instances(device, &first->geometry.instances,
							    &ranges[0], work->bottoms);
	return work;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_BuildAccelerationStructuresKHR(
	VkDevice handle, VkDeferredOperationKHR operation, uint32_t count,
	const VkAccelerationStructureBuildGeometryInfoKHR *infos,
	const VkAccelerationStructureBuildRangeInfoKHR *const *ranges)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_host_work *all = NULL, **last = &all;
	for (uint32_t i = 0; i < count; i++) {
		*last = build_work(device, &infos[i], ranges[i]);
		if (*last)
			last = &(*last)->next;
	}
	return work_done(device, operation, all,
			 device->next.BuildAccelerationStructuresKHR(handle, operation, count,
								     infos, ranges));
}

// ---- Copies and questions -----------------------------------------------------------------------

VKAPI_ATTR VkResult VKAPI_CALL
vkr_CopyAccelerationStructureKHR(VkDevice handle, VkDeferredOperationKHR operation,
				 const VkCopyAccelerationStructureInfoKHR *info)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_host_work *work = work_make(VKR_STRUCTURE_COPY, structure_id(device, info->src),
					       structure_id(device, info->dst), 0);
	return work_done(device, operation, work,
			 device->next.CopyAccelerationStructureKHR(handle, operation, info));
}

VKAPI_ATTR VkResult VKAPI_CALL
vkr_CopyAccelerationStructureToMemoryKHR(VkDevice handle, VkDeferredOperationKHR operation,
					 const VkCopyAccelerationStructureToMemoryInfoKHR *info)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_host_work *work =
		work_make(VKR_STRUCTURE_SERIALIZE, structure_id(device, info->src), 0, 0);
	return work_done(
		device, operation, work,
		device->next.CopyAccelerationStructureToMemoryKHR(handle, operation, info));
}

VKAPI_ATTR VkResult VKAPI_CALL
vkr_CopyMemoryToAccelerationStructureKHR(VkDevice handle, VkDeferredOperationKHR operation,
					 const VkCopyMemoryToAccelerationStructureInfoKHR *info)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	struct vkr_host_work *work =
		work_make(VKR_STRUCTURE_DESERIALIZE, 0, structure_id(device, info->dst), 0);
	return work_done(
		device, operation, work,
		device->next.CopyMemoryToAccelerationStructureKHR(handle, operation, info));
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_WriteAccelerationStructuresPropertiesKHR(
	VkDevice handle, uint32_t count, const VkAccelerationStructureKHR *structures,
	VkQueryType type, size_t bytes, void *data, size_t stride)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	for (uint32_t i = 0; i < count; i++) {
		struct vkr_host_work *work = work_make(VKR_STRUCTURE_PROPERTIES,
						       structure_id(device, structures[i]), 0, 0);
		work_record(work);
		work_free(work);
	}
	return device->next.WriteAccelerationStructuresPropertiesKHR(handle, count, structures,
								     type, bytes, data, stride);
}

// ---- Deferred operations ------------------------------------------------------------------------

// Success means to the thread that no other thread has work left.
VKAPI_ATTR VkResult VKAPI_CALL vkr_DeferredOperationJoinKHR(VkDevice handle,
							    VkDeferredOperationKHR operation)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	const VkResult result = device->next.DeferredOperationJoinKHR(handle, operation);
	if (result == VK_SUCCESS) {
		struct vkr_host_work *work =
			vkr_handles_take(&device->objects.deferred, VKR_KEY(operation));
		work_record(work);
		work_free(work);
	}
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyDeferredOperationKHR(VkDevice handle,
							   VkDeferredOperationKHR operation,
							   const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	work_free(vkr_handles_take(&device->objects.deferred, VKR_KEY(operation)));
	device->next.DestroyDeferredOperationKHR(handle, operation, allocator);
}
