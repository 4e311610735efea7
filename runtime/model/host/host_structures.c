// SPDX-License-Identifier: Apache-2.0
// What the host does to acceleration structures itself ("Host Acceleration Structure Operations").
// Knows this event only.
#include "array.h"
#include "error.h"
#include "event_payload.h"
#include "model_state.h"

static const char *command_name(uint32_t operation)
{
	switch ((enum vkr_trace_structure_operation)operation) {
	case VKR_STRUCTURE_BUILD:
	case VKR_STRUCTURE_UPDATE:
		return "vkBuildAccelerationStructuresKHR";
	case VKR_STRUCTURE_COPY:
		return "vkCopyAccelerationStructureKHR";
	case VKR_STRUCTURE_SERIALIZE:
		return "vkCopyAccelerationStructureToMemoryKHR";
	case VKR_STRUCTURE_DESERIALIZE:
		return "vkCopyMemoryToAccelerationStructureKHR";
	case VKR_STRUCTURE_PROPERTIES:
		return "vkWriteAccelerationStructuresPropertiesKHR";
	}
	return "a host command";
}

// The implementation keeps structures in memory that the program need not have mapped, and so could
// not flush or invalidate: that is taken as done.
static enum vkr_result access_structure(struct vkr_model *model, struct vkr_host_action *of,
					struct vkr_structure *structure, unsigned flags,
					struct vkr_error *error)
{
	const struct vkr_buffer *locations =
		structure != NULL ? vkr_structure_locations(structure) : NULL;
	enum vkr_result result = VKR_OK;
	if (locations == NULL || locations->memory == NULL)
		return vkr_model_missed(model, error, VKR_COVERAGE_HOST, 0,
					"%s uses an acceleration structure whose memory is not "
					"known",
					of->operation);
	of->flags = flags;
	of->buffer = locations;
	vkr_model_host_point(model);
	if (flags & VKR_ENGINE_READ)
		result = vkr_engine_invalidate(model->engine, model->host.timeline,
					       locations->memory->id, locations->offset,
					       locations->bytes, error);
	if (result == VKR_OK)
		result = vkr_model_host_accesses(model, of, locations->memory->id,
						 locations->offset, locations->bytes, error);
	vkr_model_host_point(model);
	if (result == VKR_OK && flags & VKR_ENGINE_WRITE)
		result =
			vkr_engine_flush(model->engine, model->host.timeline, locations->memory->id,
					 locations->offset, locations->bytes, error);
	return result;
}

// What a structure holds from now on.
static enum vkr_result host_structures_hold(struct vkr_model *model,
					    const struct vkr_trace_host_structure *event,
					    struct vkr_structure *to,
					    const struct vkr_structure *from,
					    struct vkr_error *error)
{
	const uint32_t *bottoms = (const uint32_t *)(event + 1);
	if (to == NULL || event->operation == VKR_STRUCTURE_PROPERTIES)
		return VKR_OK;
	if (event->operation == VKR_STRUCTURE_COPY && from != NULL)
		return vkr_structure_copy_bottoms(to, from) ? VKR_OK
							    : vkr_error_memory(error, "instances");
	to->has_instances = to->type != VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR;
	to->bottoms_known = event->operation != VKR_STRUCTURE_DESERIALIZE;
	to->bottoms.count = 0;
	if (!VKR_ARRAY_RESERVE(&to->bottoms, event->bottom_count))
		return vkr_error_memory(error, "instances");
	for (uint32_t at = 0; at < event->bottom_count; at++) {
		struct vkr_structure *bottom = vkr_objects_structure(&model->objects, bottoms[at]);
		if (bottom != NULL)
			to->bottoms.items[to->bottoms.count++] = bottom;
		else
			to->bottoms_known = false;
	}
	return VKR_OK;
}

enum vkr_result vkr_model_host_structure(struct vkr_model *model,
					 const struct vkr_trace_event *event,
					 struct vkr_error *error)
{
	const struct vkr_trace_host_structure *of = vkr_event_payload(event);
	struct vkr_structure *source = vkr_objects_structure(&model->objects, of->source);
	struct vkr_structure *destination = vkr_objects_structure(&model->objects, of->destination);
	struct vkr_host_action by = {
		.thread = event->thread,
		.operation = command_name(of->operation),
		.stack = vkr_call_stacks_take(&model->stacks, &model->texts, event->thread)};
	enum vkr_result result = VKR_OK;
	if (by.stack == NULL)
		return vkr_error_memory(error, "a call stack");
	if (of->source != 0)
		result = access_structure(model, &by, source, VKR_ENGINE_READ, error);
	if (result == VKR_OK)
		result = host_structures_hold(model, of, destination, source, error);
	const bool builds =
		of->operation == VKR_STRUCTURE_BUILD || of->operation == VKR_STRUCTURE_UPDATE;
	for (size_t at = 0;
	     result == VKR_OK && builds && destination != NULL && at < destination->bottoms.count;
	     at++)
		result = access_structure(model, &by, destination->bottoms.items[at],
					  VKR_ENGINE_READ, error);
	if (result == VKR_OK && of->destination != 0)
		result = access_structure(model, &by, destination, VKR_ENGINE_WRITE, error);
	return result;
}
