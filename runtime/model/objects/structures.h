// SPDX-License-Identifier: Apache-2.0
// Acceleration structures: the range of a buffer that each is, and the bottom-level structures that
// a top-level one holds (Vulkan specification, "Acceleration Structures"). Knows no command.
//
// How the trace names one: by its id, which a descriptor of type ACCELERATION_STRUCTURE_KHR has as
// its `object` (struct vkr_trace_descriptor), or by its device address, which STRUCTURE_ADDRESS
// says. A shader that traverses a structure reads it whole, and so each bottom-level structure that
// it holds: vkr_traversal_targets gives these ranges.
#pragma once

#include "access_names.h"
#include "engine.h"
#include "model_objects.h"

struct vkr_structure {
	uint32_t id;
	uint32_t type;                   // VkAccelerationStructureTypeKHR
	const struct vkr_buffer *buffer; // NULL: not known
	uint64_t offset;                 // in the buffer
	// Its bytes, as a buffer that goes by the structure's name. Its memory is set by
	// vkr_structure_locations.
	struct vkr_buffer locations;
	// Of one that was built of instances: the structures that these refer to.
	bool has_instances, bottoms_known;
	struct {
		struct vkr_structure **items;
		size_t count, capacity;
	} bottoms;
};

// The structure of an id, or that a device address is of; NULL where there is none.
struct vkr_structure *vkr_objects_structure(const struct vkr_objects *objects, uint32_t id);
struct vkr_structure *vkr_objects_structure_at(const struct vkr_objects *objects, uint64_t address);

// Its bytes where they are now: a buffer may be bound after a structure was made in it. The memory
// is NULL where it is not known.
const struct vkr_buffer *vkr_structure_locations(struct vkr_structure *structure);

// A structure takes the contents of another one: a copy. False for lack of memory.
bool vkr_structure_copy_bottoms(struct vkr_structure *to, const struct vkr_structure *from);

// STRUCTURE, STRUCTURE_DESTROY, STRUCTURE_ADDRESS.
enum vkr_result vkr_structures_event(struct vkr_objects *objects,
				     const struct vkr_trace_event *event,
				     struct vkr_error *error) VKR_MUST_USE;
void vkr_structures_finish(struct vkr_objects *objects);

// What memory held where instances are, by the executions that will read them.
struct vkr_instance_references {
	struct vkr_trace_structure_instances of;
	uint64_t *values; // its tail
};

struct vkr_instances {
	struct vkr_instance_references *items;
	size_t count, capacity;
};

enum vkr_result vkr_instances_add(struct vkr_instances *instances,
				  const struct vkr_trace_structure_instances *event,
				  struct vkr_error *error) VKR_MUST_USE;
// NULL where they are not known.
const struct vkr_instance_references *vkr_instances_find(const struct vkr_instances *instances,
							 uint32_t execution, uint64_t address,
							 uint32_t count);
void vkr_instances_drop(struct vkr_instances *instances, uint32_t execution);
void vkr_instances_finish(struct vkr_instances *instances);

// The memory that a traversal reads: targets of whole structures, the traversed one first. The
// engine's site of the access must have the target's bytes (vkr_program_texel_sites makes such
// sites), and access VK_ACCESS_2_ACCELERATION_STRUCTURE_READ_BIT_KHR. Zeroed before the first use;
// finish frees.
struct vkr_traversal {
	struct vkr_engine_target *items;
	size_t count, capacity;
	bool unknown; // there are bottom-level structures that are not known
};

// `like`: the reference that the shader goes through to the structure, whose buffer is filled in.
// As of the commands that were judged so far. False for lack of memory.
bool vkr_traversal_targets(struct vkr_access_names *names, struct vkr_structure *structure,
			   const struct vkr_reference *like, struct vkr_traversal *traversal);
void vkr_traversal_finish(struct vkr_traversal *traversal);
