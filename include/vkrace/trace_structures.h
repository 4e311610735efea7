// SPDX-License-Identifier: Apache-2.0
// The trace format, continued: acceleration structures, the commands that build, copy and ask them,
// and the trace-ray commands. Knows nothing of what these access.
#pragma once

#include <assert.h>
#include <stdint.h>

// X(NAME, number, structure, payload bytes): a part of VKR_TRACE_EVENTS (vkrace/trace.h).
#define VKR_TRACE_STRUCTURE_EVENTS(X)                                                              \
	X(STRUCTURE, 340, vkr_trace_structure, 40)                                                 \
	X(STRUCTURE_DESTROY, 341, vkr_trace_structure_destroy, 8)                                  \
	X(STRUCTURE_ADDRESS, 342, vkr_trace_structure_address, 16)                                 \
	X(CMD_BUILD_STRUCTURES, 343, vkr_trace_cmd_build_structures, 16)                           \
	X(CMD_COPY_STRUCTURE, 344, vkr_trace_cmd_copy_structure, 24)                               \
	X(CMD_STRUCTURE_PROPERTIES, 345, vkr_trace_cmd_structure_properties, 24)                   \
	X(CMD_TRACE_RAYS, 346, vkr_trace_cmd_trace_rays, 32)                                       \
	X(STRUCTURE_INSTANCES, 347, vkr_trace_structure_instances, 24)                             \
	X(HOST_STRUCTURE, 348, vkr_trace_host_structure, 16)

// Items of tails.

// One build of vkCmdBuildAccelerationStructuresKHR.
struct vkr_trace_structure_build {
	uint32_t destination; // acceleration structure
	uint32_t source;      // of an update; else 0
	uint32_t mode;        // VkBuildAccelerationStructureModeKHR
	uint32_t geometry_count;
	uint64_t scratch;       // device address
	uint64_t scratch_bytes; // by vkGetAccelerationStructureBuildSizesKHR
	// Of an indirect build: the address of its VkAccelerationStructureBuildRangeInfoKHR; 0: the
	// call gave the ranges.
	uint64_t indirect;
	uint32_t indirect_stride, reserved;
};

// A geometry of a build. Members that its kind does not use are 0.
struct vkr_trace_structure_geometry {
	uint32_t kind;                                             // VkGeometryTypeKHR
	uint32_t primitives;                                       // of an indirect build: at most
	uint32_t primitive_offset, first_vertex, transform_offset; // as the range says
	uint32_t max_vertex;
	uint32_t vertex_bytes;       // of one position; 0: a format that is not known
	uint32_t index_bytes;        // of one index; 0: no indices
	uint32_t is_pointers;        // of instances: an array of pointers to them
	uint32_t instance_bytes;     // of one that is in the array
	uint64_t data;               // device address of vertices, boxes or instances
	uint64_t stride;             // of vertices or boxes
	uint64_t indices, transform; // device addresses
};

// VkStridedDeviceAddressRegionKHR.
struct vkr_trace_table_region {
	uint64_t address, stride, bytes;
};

// Values of members.

enum vkr_trace_ray_command {
	VKR_RAYS_DIRECT = 1, // vkCmdTraceRaysKHR
	VKR_RAYS_INDIRECT,   // vkCmdTraceRaysIndirectKHR: 12 bytes are read
	VKR_RAYS_INDIRECT2,  // vkCmdTraceRaysIndirect2KHR: 104 bytes, and the regions are in them
};

enum vkr_trace_structure_operation {
	VKR_STRUCTURE_BUILD = 1, // vkBuildAccelerationStructuresKHR
	VKR_STRUCTURE_UPDATE,
	VKR_STRUCTURE_COPY, // vkCopyAccelerationStructureKHR
	VKR_STRUCTURE_SERIALIZE,
	VKR_STRUCTURE_DESERIALIZE,
	VKR_STRUCTURE_PROPERTIES, // vkWriteAccelerationStructuresPropertiesKHR
};

// Events.

// vkCreateAccelerationStructureKHR. Its memory is this range of the buffer.
struct vkr_trace_structure {
	uint32_t structure, device, buffer;
	uint32_t type; // VkAccelerationStructureTypeKHR
	uint64_t offset, bytes;
	uint64_t handle; // VkAccelerationStructureKHR
};

struct vkr_trace_structure_destroy {
	uint32_t structure, reserved;
};

// vkGetAccelerationStructureDeviceAddressKHR.
struct vkr_trace_structure_address {
	uint32_t structure, reserved;
	uint64_t address;
};

// vkCmdBuildAccelerationStructuresKHR, vkCmdBuildAccelerationStructuresIndirectKHR. Tail:
// build_count x struct vkr_trace_structure_build; geometry_count x struct
// vkr_trace_structure_geometry: of one build after the other. Device: writes addressed.
struct vkr_trace_cmd_build_structures {
	uint32_t command, build_count, geometry_count, reserved;
};

// vkCmdCopyAccelerationStructureKHR, vkCmdCopyAccelerationStructureToMemoryKHR,
// vkCmdCopyMemoryToAccelerationStructureKHR. Device: writes addressed.
struct vkr_trace_cmd_copy_structure {
	uint32_t command;
	uint32_t mode;                // VkCopyAccelerationStructureModeKHR
	uint32_t source, destination; // 0: the memory at `address`
	uint64_t address;
};

// vkCmdWriteAccelerationStructuresPropertiesKHR. Tail: structure_count x uint32_t: structures.
// Device: reads addressed.
struct vkr_trace_cmd_structure_properties {
	uint32_t command, pool, first;
	uint32_t type; // VkQueryType
	uint32_t structure_count, reserved;
};

// Tail: region_count x struct vkr_trace_table_region: of ray generation, miss, hit and callable
// shaders; none of INDIRECT2. Device: reads addressed; runs rays.
struct vkr_trace_cmd_trace_rays {
	uint32_t command;
	uint32_t kind;         // enum vkr_trace_ray_command
	uint32_t extent[3];    // of a direct one
	uint32_t region_count; // 4 or 0
	uint64_t indirect;     // address of the parameters
};

// Where the instances lie that a build in the command buffer reads, as host-visible memory held
// them when the command buffer was submitted. Stands before the SUBMIT event. Tail: reference_count
// x uint64_t: device addresses of bottom-level structures; pointer_count x uint64_t: addresses of
// the instances that an array of pointers leads to. Each once, ascending.
struct vkr_trace_structure_instances {
	uint32_t execution, instance_count, reference_count, pointer_count;
	uint64_t address; // of the first instance, or of the first pointer to one
};

// A command on the host has read or written structures, or threads have run what was deferred.
// Tail: bottom_count x uint32_t: the structures that instances of a build refer to.
struct vkr_trace_host_structure {
	uint32_t operation;           // enum vkr_trace_structure_operation
	uint32_t source, destination; // structures; 0: none
	uint32_t bottom_count;
};

static_assert(sizeof(struct vkr_trace_structure_build) == 48, "on disk");
static_assert(sizeof(struct vkr_trace_structure_geometry) == 72, "on disk");
