// SPDX-License-Identifier: Apache-2.0
#include "gpu_structures.h"

#include <stdlib.h>
#include <string.h>

#define SCRATCH_BYTES  65536u
#define INSTANCES_FROM 1024u
#define MOST_BUILDS    2u

#define CALL(all, name) ((PFN_##name)vkGetDeviceProcAddr((all)->test->device, #name))

static void make_buffer(const struct gpu_structures *all, struct gpu_test_buffer *buffer,
			VkDeviceSize bytes, VkBufferUsageFlags usage, const char *name)
{
	const struct gpu_test *test = all->test;
	const VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = bytes,
		.usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
			 VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
	};
	const VkMemoryAllocateFlagsInfo addressed = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
		.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
	};
	VkMemoryRequirements needs;
	buffer->bytes = bytes;
	gpu_test_expect(vkCreateBuffer(test->device, &info, NULL, &buffer->handle),
			"vkCreateBuffer");
	vkGetBufferMemoryRequirements(test->device, buffer->handle, &needs);
	buffer->memory = gpu_test_allocate(test, &needs, &addressed);
	gpu_test_expect(vkBindBufferMemory(test->device, buffer->handle, buffer->memory, 0),
			"vkBindBufferMemory");
	gpu_test_name(test, VK_OBJECT_TYPE_BUFFER, (uint64_t)buffer->handle, name);
}

VkDeviceAddress gpu_structures_address(const struct gpu_structures *all,
				       const struct gpu_test_buffer *buffer)
{
	const VkBufferDeviceAddressInfo of = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
					      .buffer = buffer->handle};
	return vkGetBufferDeviceAddress(all->test->device, &of);
}

static void write_input(const struct gpu_structures *all, VkDeviceSize offset, const void *data,
			size_t bytes)
{
	const VkDeviceMemory memory = all->inputs.memory;
	char *mapped;
	gpu_test_expect(
		vkMapMemory(all->test->device, memory, 0, VK_WHOLE_SIZE, 0, (void **)&mapped),
		"vkMapMemory");
	memcpy(mapped + offset, data, bytes);
	vkUnmapMemory(all->test->device, memory);
}

// By the address of its place, where there is such a command.
static bool make_by_address(struct gpu_structures *all, uint32_t index,
			    VkAccelerationStructureTypeKHR type)
{
#ifdef VK_KHR_device_address_commands
	const VkAccelerationStructureCreateInfo2KHR info = {
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_2_KHR,
		.addressRange = {gpu_structures_address(all, &all->storage) +
					 index * GPU_STRUCTURE_BYTES,
				 GPU_STRUCTURE_BYTES},
		.type = type,
	};
	if (all->test->has_address_commands)
		gpu_test_expect(CALL(all, vkCreateAccelerationStructure2KHR)(
					all->test->device, &info, NULL, &all->items[index]),
				"vkCreateAccelerationStructure2KHR");
	return all->test->has_address_commands;
#else
	(void)all;
	(void)index;
	(void)type;
	return false;
#endif
}

// Each other one by address, so that they meet.
static void make_structure(struct gpu_structures *all, uint32_t index, bool top)
{
	static const char *const names[GPU_STRUCTURES] = {"structure 0", "structure 1",
							  "structure 2", "structure 3"};
	const VkAccelerationStructureCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_CREATE_INFO_KHR,
		.buffer = all->storage.handle,
		.offset = index * GPU_STRUCTURE_BYTES,
		.size = GPU_STRUCTURE_BYTES,
		.type = top ? VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR
			    : VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR,
	};
	if (index % 2 == 0 || !make_by_address(all, index, info.type))
		gpu_test_expect(CALL(all, vkCreateAccelerationStructureKHR)(
					all->test->device, &info, NULL, &all->items[index]),
				"vkCreateAccelerationStructureKHR");
	gpu_test_name(all->test, VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR,
		      (uint64_t)all->items[index], names[index]);
}

void gpu_structures_make(struct gpu_structures *all, struct gpu_test *test, uint32_t top)
{
	static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
	if (!test->has_rays)
		gpu_test_skip("no acceleration structures");
	*all = (struct gpu_structures){.test = test};
	make_buffer(all, &all->storage, GPU_STRUCTURES * GPU_STRUCTURE_BYTES,
		    VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_STORAGE_BIT_KHR, "storage");
	make_buffer(all, &all->inputs, 4096,
		    VK_BUFFER_USAGE_ACCELERATION_STRUCTURE_BUILD_INPUT_READ_ONLY_BIT_KHR, "inputs");
	make_buffer(all, &all->scratch, 2 * SCRATCH_BYTES, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
		    "scratch");
	write_input(all, 0, triangle, sizeof triangle);
	for (uint32_t i = 0; i < GPU_STRUCTURES; i++)
		make_structure(all, i, i == top);
}

void gpu_structures_finish(struct gpu_structures *all)
{
	const VkDevice device = all->test->device;
	const struct gpu_test_buffer *const buffers[] = {&all->storage, &all->inputs,
							 &all->scratch};
	gpu_test_submit(all->test, 1);
	gpu_test_expect(vkDeviceWaitIdle(device), "vkDeviceWaitIdle");
	for (uint32_t i = 0; i < GPU_STRUCTURES; i++)
		CALL(all, vkDestroyAccelerationStructureKHR)(device, all->items[i], NULL);
	for (uint32_t i = 0; i < 3; i++) {
		vkDestroyBuffer(device, buffers[i]->handle, NULL);
		vkFreeMemory(device, buffers[i]->memory, NULL);
	}
}

VkDeviceSize gpu_structures_instances(void)
{
	return INSTANCES_FROM;
}

VkAccelerationStructureInstanceKHR gpu_structures_instance(struct gpu_structures *all,
							   uint32_t bottom)
{
	const VkAccelerationStructureDeviceAddressInfoKHR of = {
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_DEVICE_ADDRESS_INFO_KHR,
		.accelerationStructure = all->items[bottom],
	};
	return (VkAccelerationStructureInstanceKHR){
		.transform = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}},
		.mask = 0xff,
		.accelerationStructureReference = CALL(
			all, vkGetAccelerationStructureDeviceAddressKHR)(all->test->device, &of),
	};
}

void gpu_structures_refer(struct gpu_structures *all, uint32_t bottom)
{
	const VkAccelerationStructureInstanceKHR instance = gpu_structures_instance(all, bottom);
	write_input(all, INSTANCES_FROM, &instance, sizeof instance);
}

static VkAccelerationStructureGeometryKHR geometry_of(const struct gpu_structures *all, bool top)
{
	const VkDeviceAddress inputs = gpu_structures_address(all, &all->inputs);
	VkAccelerationStructureGeometryKHR geometry = {
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_KHR,
		.geometryType =
			top ? VK_GEOMETRY_TYPE_INSTANCES_KHR : VK_GEOMETRY_TYPE_TRIANGLES_KHR,
	};
	if (top)
		geometry.geometry.instances = (VkAccelerationStructureGeometryInstancesDataKHR){
			.sType =
				VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_INSTANCES_DATA_KHR,
			.data.deviceAddress = inputs + INSTANCES_FROM,
		};
	else
		geometry.geometry.triangles = (VkAccelerationStructureGeometryTrianglesDataKHR){
			.sType =
				VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_GEOMETRY_TRIANGLES_DATA_KHR,
			.vertexFormat = VK_FORMAT_R32G32B32_SFLOAT,
			.vertexData.deviceAddress = inputs,
			.vertexStride = 12,
			.maxVertex = 2,
			.indexType = VK_INDEX_TYPE_NONE_KHR,
		};
	return geometry;
}

static VkAccelerationStructureBuildGeometryInfoKHR
info_of(struct gpu_structures *all, const struct gpu_build *build,
	const VkAccelerationStructureGeometryKHR *geometry)
{
	const uint32_t one = 1;
	VkAccelerationStructureBuildSizesInfoKHR sizes = {
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_SIZES_INFO_KHR};
	const VkAccelerationStructureBuildGeometryInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_ACCELERATION_STRUCTURE_BUILD_GEOMETRY_INFO_KHR,
		.type = build->top ? VK_ACCELERATION_STRUCTURE_TYPE_TOP_LEVEL_KHR
				   : VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR,
		.flags = build->compactable
				 ? VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_COMPACTION_BIT_KHR
				 : VK_BUILD_ACCELERATION_STRUCTURE_ALLOW_UPDATE_BIT_KHR,
		.mode = build->update ? VK_BUILD_ACCELERATION_STRUCTURE_MODE_UPDATE_KHR
				      : VK_BUILD_ACCELERATION_STRUCTURE_MODE_BUILD_KHR,
		.srcAccelerationStructure = build->update ? all->items[build->to] : VK_NULL_HANDLE,
		.dstAccelerationStructure = all->items[build->to],
		.geometryCount = 1,
		.pGeometries = geometry,
		.scratchData.deviceAddress = gpu_structures_address(all, &all->scratch) +
					     build->scratch * (VkDeviceAddress)SCRATCH_BYTES,
	};
	CALL(all, vkGetAccelerationStructureBuildSizesKHR)
	(all->test->device, VK_ACCELERATION_STRUCTURE_BUILD_TYPE_DEVICE_KHR, &info, &one, &sizes);
	if (sizes.accelerationStructureSize > GPU_STRUCTURE_BYTES ||
	    sizes.buildScratchSize > SCRATCH_BYTES || sizes.updateScratchSize > SCRATCH_BYTES)
		gpu_test_skip("acceleration structures of one triangle are large");
	return info;
}

void gpu_structures_build(struct gpu_structures *all, const struct gpu_build *builds,
			  uint32_t count)
{
	VkAccelerationStructureGeometryKHR geometries[MOST_BUILDS];
	VkAccelerationStructureBuildGeometryInfoKHR infos[MOST_BUILDS];
	const VkAccelerationStructureBuildRangeInfoKHR range = {.primitiveCount = 1};
	const VkAccelerationStructureBuildRangeInfoKHR *ranges[MOST_BUILDS];
	if (count > MOST_BUILDS)
		abort();
	for (uint32_t i = 0; i < count; i++) {
		geometries[i] = geometry_of(all, builds[i].top);
		infos[i] = info_of(all, &builds[i], &geometries[i]);
		ranges[i] = &range;
	}
	CALL(all, vkCmdBuildAccelerationStructuresKHR)(all->test->commands, count, infos, ranges);
}

void gpu_structures_copy(struct gpu_structures *all, uint32_t from, uint32_t to,
			 VkCopyAccelerationStructureModeKHR mode)
{
	const VkCopyAccelerationStructureInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_COPY_ACCELERATION_STRUCTURE_INFO_KHR,
		.src = all->items[from],
		.dst = all->items[to],
		.mode = mode,
	};
	CALL(all, vkCmdCopyAccelerationStructureKHR)(all->test->commands, &info);
}
