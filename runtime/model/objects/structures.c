// SPDX-License-Identifier: Apache-2.0
// Acceleration structures, found by their ids and device addresses. Knows no command.
#include "structures.h"

#include "array.h"
#include "error.h"
#include "event_payload.h"
#include "object_table.h"

#include <stdlib.h>
#include <string.h>

struct vkr_structure *vkr_objects_structure(const struct vkr_objects *objects, uint32_t id)
{
	return vkr_table_find(&objects->structures, id);
}

struct vkr_structure *vkr_objects_structure_at(const struct vkr_objects *objects, uint64_t address)
{
	uint64_t value = 0;
	return vkr_map_get(&objects->structure_addresses, address, &value)
		       ? (struct vkr_structure *)(uintptr_t)value
		       : NULL;
}

const struct vkr_buffer *vkr_structure_locations(struct vkr_structure *structure)
{
	const struct vkr_buffer *buffer = structure->buffer;
	if (buffer != NULL) {
		structure->locations.memory = buffer->memory;
		structure->locations.offset = buffer->offset + structure->offset;
	}
	return &structure->locations;
}

static enum vkr_result make_structure(struct vkr_objects *objects,
				      const struct vkr_trace_structure *made,
				      struct vkr_error *error)
{
	struct vkr_structure *structure = NULL;
	const struct vkr_buffer *buffer = vkr_objects_buffer(objects, made->buffer);
	if (buffer == NULL)
		return vkr_table_unknown(error, VKR_TRACE_STRUCTURE, "buffer", made->buffer);
	if (made->offset > buffer->bytes || made->bytes > buffer->bytes - made->offset)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "STRUCTURE: acceleration structure %u does not fit in buffer "
				     "%u",
				     made->structure, made->buffer);
	const enum vkr_result result =
		vkr_table_make(objects, &objects->structures, made->structure, sizeof *structure,
			       "acceleration structure", &structure, error);
	if (result != VKR_OK)
		return result;
	structure->id = made->structure;
	structure->type = made->type;
	structure->buffer = buffer;
	structure->offset = made->offset;
	structure->locations.id = made->structure;
	structure->locations.bytes = made->bytes;
	structure->locations.concurrent = buffer->concurrent;
	return vkr_table_name(objects, &structure->locations.name, "acceleration structure",
			      structure->id, error);
}

// Addresses of structures that were destroyed come again.
static void forget_addresses(struct vkr_objects *objects, const struct vkr_structure *structure)
{
	struct vkr_map *addresses = &objects->structure_addresses;
	for (size_t at = 0; at < addresses->capacity;) {
		const struct vkr_map_slot *slot = &addresses->slots[at];
		if (!slot->used || slot->value != (uintptr_t)structure)
			at++;
		else // another may move here
			vkr_map_remove(addresses, slot->key);
	}
}

enum vkr_result vkr_structures_event(struct vkr_objects *objects,
				     const struct vkr_trace_event *event, struct vkr_error *error)
{
	const void *payload = vkr_event_payload(event);
	const struct vkr_trace_structure_address *address = payload;
	if (event->type == VKR_TRACE_STRUCTURE)
		return make_structure(objects, payload, error);
	struct vkr_structure *structure = vkr_objects_structure(objects, address->structure);
	if (structure == NULL)
		return vkr_table_unknown(error, event->type, "acceleration structure",
					 address->structure);
	if (event->type == VKR_TRACE_STRUCTURE_DESTROY)
		forget_addresses(objects, structure);
	else if (!vkr_map_set(&objects->structure_addresses, address->address,
			      (uintptr_t)structure))
		return vkr_error_memory(error, "device addresses");
	return VKR_OK;
}

void vkr_structures_finish(struct vkr_objects *objects)
{
	for (size_t at = 0; at < objects->structures.capacity; at++) {
		const struct vkr_map_slot *slot = &objects->structures.slots[at];
		if (slot->used)
			free(((struct vkr_structure *)(uintptr_t)slot->value)->bottoms.items);
	}
	vkr_map_finish(&objects->structures);
	vkr_map_finish(&objects->structure_addresses);
}

enum vkr_result vkr_instances_add(struct vkr_instances *instances,
				  const struct vkr_trace_structure_instances *event,
				  struct vkr_error *error)
{
	const size_t count = (size_t)event->reference_count + event->pointer_count;
	uint64_t *values = calloc(count + 1, sizeof *values);
	if (values == NULL || !VKR_ARRAY_RESERVE(instances, 1)) {
		free(values);
		return vkr_error_memory(error, "instances");
	}
	memcpy(values, event + 1, count * sizeof *values);
	instances->items[instances->count++] = (struct vkr_instance_references){*event, values};
	return VKR_OK;
}

const struct vkr_instance_references *vkr_instances_find(const struct vkr_instances *instances,
							 uint32_t execution, uint64_t address,
							 uint32_t count)
{
	for (size_t at = 0; at < instances->count; at++) {
		const struct vkr_trace_structure_instances *of = &instances->items[at].of;
		if (of->execution == execution && of->address == address &&
		    of->instance_count == count)
			return &instances->items[at];
	}
	return NULL;
}

void vkr_instances_drop(struct vkr_instances *instances, uint32_t execution)
{
	size_t kept = 0;
	for (size_t at = 0; at < instances->count; at++) {
		if (instances->items[at].of.execution == execution)
			free(instances->items[at].values);
		else
			instances->items[kept++] = instances->items[at];
	}
	instances->count = kept;
}

void vkr_instances_finish(struct vkr_instances *instances)
{
	for (size_t at = 0; at < instances->count; at++)
		free(instances->items[at].values);
	free(instances->items);
}

bool vkr_structure_copy_bottoms(struct vkr_structure *to, const struct vkr_structure *from)
{
	if (to == from)
		return true;
	to->has_instances = from->has_instances;
	to->bottoms_known = from->bottoms_known;
	to->bottoms.count = 0;
	if (!VKR_ARRAY_RESERVE(&to->bottoms, from->bottoms.count))
		return false;
	if (from->bottoms.count > 0)
		memcpy(to->bottoms.items, from->bottoms.items,
		       from->bottoms.count * sizeof(struct vkr_structure *));
	to->bottoms.count = from->bottoms.count;
	return true;
}

static bool add_target(struct vkr_access_names *names, struct vkr_structure *structure,
		       struct vkr_reference reference, struct vkr_traversal *traversal)
{
	const struct vkr_buffer *locations = vkr_structure_locations(structure);
	if (locations->memory == NULL) {
		traversal->unknown = true;
		return true;
	}
	reference.buffer = locations;
	reference.structure = true;
	const uint32_t number = vkr_access_names_reference(names, &reference);
	if (number == 0 || !VKR_ARRAY_RESERVE(traversal, 1))
		return false;
	traversal->items[traversal->count++] =
		(struct vkr_engine_target){.memory = locations->memory->id,
					   .reference = number,
					   .base = locations->offset,
					   .bytes = locations->bytes};
	return true;
}

bool vkr_traversal_targets(struct vkr_access_names *names, struct vkr_structure *structure,
			   const struct vkr_reference *like, struct vkr_traversal *traversal)
{
	traversal->count = 0;
	traversal->unknown = structure->has_instances && !structure->bottoms_known;
	if (!add_target(names, structure, *like, traversal))
		return false;
	for (size_t at = 0; at < structure->bottoms.count; at++)
		if (!add_target(names, structure->bottoms.items[at],
				(struct vkr_reference){.address = true}, traversal))
			return false;
	return true;
}

void vkr_traversal_finish(struct vkr_traversal *traversal)
{
	free(traversal->items);
	*traversal = (struct vkr_traversal){0};
}
