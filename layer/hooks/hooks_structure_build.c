// SPDX-License-Identifier: Apache-2.0
// Builds of acceleration structures by the device, with all that their parameters say.
// Knows the parameters; not what is read and written.
#include "buffer_addresses.h"
#include "log_commands.h"
#include "record.h"
#include "snapshots.h"
#include "structure_instances.h"
#include "texel_format.h"

#include <stdlib.h>

// Both forms of the command: the ranges of the second are in memory.
struct build_command {
	uint32_t count;
	const VkAccelerationStructureBuildGeometryInfoKHR *infos;
	const VkAccelerationStructureBuildRangeInfoKHR *const *ranges; // NULL: indirect
	const VkDeviceAddress *addresses;
	const uint32_t *strides;
	const uint32_t *const *most; // primitives
};

static uint32_t structure_id(const struct vkr_layer_command_buffer *buffer,
			     VkAccelerationStructureKHR handle)
{
	const struct vkr_layer_structure *kept =
		vkr_handles_get(&buffer->device->objects.structures, VKR_KEY(handle));
	return kept ? kept->id : 0;
}

static const VkAccelerationStructureGeometryKHR *
geometry_of(const VkAccelerationStructureBuildGeometryInfoKHR *info, uint32_t index)
{
	return info->pGeometries ? &info->pGeometries[index] : info->ppGeometries[index];
}

static uint32_t index_bytes(VkIndexType type)
{
	switch (type) {
	case VK_INDEX_TYPE_UINT8_EXT:
		return 1;
	case VK_INDEX_TYPE_UINT16:
		return 2;
	case VK_INDEX_TYPE_UINT32:
		return 4;
	default: // VK_INDEX_TYPE_NONE_KHR
		return 0;
	}
}

static void note_chain(const void *chain, const char *what)
{
	for (const VkBaseInStructure *at = chain; at; at = at->pNext)
		vkr_record_coverage(
			VKR_COVERAGE_COMMAND, 0, 0,
			"a build of an acceleration structure has %s of a kind that is not "
			"modelled (structure type %d): its reads there are not observed",
			what, (int)at->sType);
}

static void describe_triangles(const VkAccelerationStructureGeometryTrianglesDataKHR *triangles,
			       struct vkr_trace_structure_geometry *geometry)
{
	note_chain(triangles->pNext, "triangles");
	geometry->max_vertex = triangles->maxVertex;
	geometry->vertex_bytes =
		vkr_format_block(triangles->vertexFormat, VK_IMAGE_ASPECT_COLOR_BIT).bytes;
	geometry->index_bytes = index_bytes(triangles->indexType);
	geometry->data = triangles->vertexData.deviceAddress;
	geometry->stride = triangles->vertexStride;
	geometry->indices = geometry->index_bytes ? triangles->indexData.deviceAddress : 0;
	geometry->transform = triangles->transformData.deviceAddress;
}

static void describe_geometry(const VkAccelerationStructureGeometryKHR *from,
			      struct vkr_trace_structure_geometry *geometry)
{
	geometry->kind = (uint32_t)from->geometryType;
	note_chain(from->pNext, "a geometry");
	switch (from->geometryType) {
	case VK_GEOMETRY_TYPE_TRIANGLES_KHR:
		describe_triangles(&from->geometry.triangles, geometry);
		return;
	case VK_GEOMETRY_TYPE_AABBS_KHR:
		geometry->data = from->geometry.aabbs.data.deviceAddress;
		geometry->stride = from->geometry.aabbs.stride;
		return;
	case VK_GEOMETRY_TYPE_INSTANCES_KHR:
		geometry->data = from->geometry.instances.data.deviceAddress;
		geometry->is_pointers = from->geometry.instances.arrayOfPointers;
		geometry->instance_bytes = sizeof(VkAccelerationStructureInstanceKHR);
		return;
	default:
		vkr_record_coverage(VKR_COVERAGE_COMMAND, 0, 0,
				    "a build of an acceleration structure has geometries of a kind "
				    "that is not modelled (%d): its reads there are not observed",
				    (int)from->geometryType);
		return;
	}
}

// Motion instances stand 160 bytes apart ("VkAccelerationStructureGeometryInstancesDataKHR"), and
// are not looked into.
static void describe_instances(struct vkr_layer_command_buffer *buffer,
			       const VkAccelerationStructureBuildGeometryInfoKHR *info,
			       struct vkr_trace_structure_geometry *geometry)
{
	const struct vkr_instance_read read = {
		.address = geometry->data + geometry->primitive_offset,
		.count = geometry->primitives,
		.is_pointers = geometry->is_pointers != 0,
	};
	if (info->flags & VK_BUILD_ACCELERATION_STRUCTURE_MOTION_BIT_NV)
		geometry->instance_bytes = 160;
	else
		vkr_instances_note(buffer, &read);
}

// The scratch memory that a build of this many primitives uses.
static uint64_t scratch_bytes(struct vkr_layer_device *device,
			      const VkAccelerationStructureBuildGeometryInfoKHR *info,
			      const struct vkr_trace_structure_geometry *geometries)
{
	VkAccelerationStructureBuildSizesInfoKHR sizes = {
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
	uint32_t *most = calloc(info->geometryCount + (size_t)1, sizeof *most);
	if (!most) {
		vkr_record_no_memory("a build of an acceleration structure");
		return 0;
	}
	for (uint32_t i = 0; i < info->geometryCount; i++)
		most[i] = geometries[i].primitives;
	device->next.GetAccelerationStructureBuildSizesKHR(
		device->handle, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, info, most,
		&sizes);
	free(most);
	return info->mode == VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR
		       ? sizes.updateScratchSize
		       : sizes.buildScratchSize;
}

static void describe_build(struct vkr_layer_command_buffer *buffer,
			   const struct build_command *command, uint32_t index,
			   struct vkr_trace_structure_build *build,
			   struct vkr_trace_structure_geometry *geometries)
{
	const VkAccelerationStructureBuildGeometryInfoKHR *info = &command->infos[index];
	const bool is_update = info->mode == VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR;
	for (uint32_t i = 0; i < info->geometryCount; i++) {
		struct vkr_trace_structure_geometry *geometry = &geometries[i];
		describe_geometry(geometry_of(info, i), geometry);
		if (!command->ranges) {
			geometry->primitives = command->most[index][i];
			continue;
		}
		const VkAccelerationStructureBuildRangeInfoKHR *range = &command->ranges[index][i];
		geometry->primitives = range->primitiveCount;
		geometry->primitive_offset = range->primitiveOffset;
		geometry->first_vertex = range->firstVertex;
		geometry->transform_offset = range->transformOffset;
		if (geometry->kind == VK_GEOMETRY_TYPE_INSTANCES_KHR)
			describe_instances(buffer, info, geometry);
	}
	*build = (struct vkr_trace_structure_build){
		.destination = structure_id(buffer, info->dstAccelerationStructure),
		.source = is_update ? structure_id(buffer, info->srcAccelerationStructure) : 0,
		.mode = (uint32_t)info->mode,
		.geometry_count = info->geometryCount,
		.scratch = info->scratchData.deviceAddress,
		.scratch_bytes = scratch_bytes(buffer->device, info, geometries),
		.indirect = command->ranges ? 0 : command->addresses[index],
		.indirect_stride = command->ranges ? 0 : command->strides[index],
	};
}

// Instances that the host may not see as the device will read them.
static void capture_instances(struct vkr_layer_command_buffer *buffer, uint32_t index,
			      const VkAccelerationStructureBuildGeometryInfoKHR *info,
			      const VkAccelerationStructureBuildRangeInfoKHR *ranges)
{
	const uint64_t each = sizeof(VkAccelerationStructureInstanceKHR);
	for (uint32_t i = 0; i < info->geometryCount; i++) {
		const VkAccelerationStructureGeometryKHR *geometry = geometry_of(info, i);
		const VkAccelerationStructureGeometryInstancesDataKHR *instances =
			&geometry->geometry.instances;
		if (geometry->geometryType != VK_GEOMETRY_TYPE_INSTANCES_KHR ||
		    instances->arrayOfPointers ||
		    info->flags & VK_BUILD_ACCELERATION_STRUCTURE_MOTION_BIT_NV)
			continue;
		const uint64_t address = instances->data.deviceAddress + ranges[i].primitiveOffset;
		const uint64_t bytes = ranges[i].primitiveCount * each;
		if (bytes && vkr_buffer_addresses_may_change(buffer->device, address, bytes))
			vkr_layer_snapshot(buffer, index, address, bytes);
	}
}

static void capture_build(struct vkr_layer_command_buffer *buffer, uint32_t index,
			  const struct build_command *command)
{
	const uint64_t each = sizeof(VkAccelerationStructureBuildRangeInfoKHR);
	for (uint32_t i = 0; i < command->count; i++) {
		const uint64_t geometries = command->infos[i].geometryCount;
		if (command->ranges)
			capture_instances(buffer, index, &command->infos[i], command->ranges[i]);
		else if (geometries)
			vkr_layer_snapshot(buffer, index, command->addresses[i],
					   (geometries - 1) * command->strides[i] + each);
	}
}

static void record_build(struct vkr_layer_command_buffer *buffer,
			 const struct build_command *command)
{
	struct vkr_trace_cmd_build_structures payload = {.command = vkr_command_index(buffer),
							 .build_count = command->count};
	for (uint32_t i = 0; i < command->count; i++)
		payload.geometry_count += command->infos[i].geometryCount;
	capture_build(buffer, payload.command, command);
	struct vkr_trace_structure_build *builds = vkr_command_event(
		buffer, VKR_TRACE_CMD_BUILD_STRUCTURES, &payload, sizeof payload,
		command->count * sizeof *builds +
			payload.geometry_count * sizeof(struct vkr_trace_structure_geometry));
	struct vkr_trace_structure_geometry *geometries = (void *)(builds + command->count);
	for (uint32_t i = 0; builds && i < command->count; i++) {
		describe_build(buffer, command, i, &builds[i], geometries);
		geometries += command->infos[i].geometryCount;
	}
}

VKAPI_ATTR void VKAPI_CALL
vkr_CmdBuildAccelerationStructuresKHR(VkCommandBuffer handle, uint32_t count,
				      const VkAccelerationStructureBuildGeometryInfoKHR *infos,
				      const VkAccelerationStructureBuildRangeInfoKHR *const *ranges)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		record_build(buffer, &(struct build_command){
					     .count = count, .infos = infos, .ranges = ranges});
	vkr_command_device(buffer, handle)
		->next.CmdBuildAccelerationStructuresKHR(handle, count, infos, ranges);
	vkr_log_bind_again(buffer);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBuildAccelerationStructuresIndirectKHR(
	VkCommandBuffer handle, uint32_t count,
	const VkAccelerationStructureBuildGeometryInfoKHR *infos, const VkDeviceAddress *addresses,
	const uint32_t *strides, const uint32_t *const *most)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		record_build(buffer, &(struct build_command){.count = count,
							     .infos = infos,
							     .addresses = addresses,
							     .strides = strides,
							     .most = most});
	vkr_command_device(buffer, handle)
		->next.CmdBuildAccelerationStructuresIndirectKHR(handle, count, infos, addresses,
								 strides, most);
	vkr_log_bind_again(buffer);
}
