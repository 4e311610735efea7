// SPDX-License-Identifier: Apache-2.0
// Copies of acceleration structures and questions about them (Vulkan specification, "Copying
// Acceleration Structures"). Knows these commands only.
#include "structure_commands.h"

#include "error.h"
#include "event_payload.h"
#include "query_pools.h"

// What a serialized structure begins with: two UUIDs, two sizes and the number of handles.
#define HEADER_BYTES 56u

enum vkr_result vkr_walk_access_address(struct vkr_walk *walk, const struct vkr_walk_access *access,
					uint64_t address, uint64_t bytes)
{
	struct vkr_walk_access of = *access;
	if (address == 0 || bytes == 0)
		return VKR_OK;
	const struct vkr_address *range = vkr_objects_address(&walk->model->objects, address);
	if (range == NULL)
		return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
					"%s uses a device address that is in no known buffer (%s): "
					"races with this access are missed",
					access->info->name, access->operation);
	of.buffer = range->buffer;
	of.offset = address - range->first;
	of.bytes = bytes;
	return vkr_walk_access(walk, &of);
}

enum vkr_result vkr_walk_access_structure(struct vkr_walk *walk,
					  const struct vkr_walk_access *access,
					  struct vkr_structure *structure)
{
	struct vkr_walk_access of = *access;
	if (structure == NULL)
		return vkr_model_missed(
			walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
			"%s uses an acceleration structure whose creation was not recorded",
			access->info->name);
	of.buffer = vkr_structure_locations(structure);
	of.offset = 0;
	of.bytes = of.buffer->bytes;
	return vkr_walk_access(walk, &of);
}

static enum vkr_result take_over(struct vkr_walk *walk, struct vkr_structure *to,
				 const struct vkr_structure *from)
{
	if (to == NULL)
		return VKR_OK;
	if (from != NULL)
		return vkr_structure_copy_bottoms(to, from)
			       ? VKR_OK
			       : vkr_error_memory(walk->error, "instances");
	// Out of memory: bottom-level structures are none that a traversal could go on to.
	to->has_instances = to->type != VK_ACCELERATION_STRUCTURE_TYPE_BOTTOM_LEVEL_KHR;
	to->bottoms_known = false;
	to->bottoms.count = 0;
	return VKR_OK;
}

// How long a serialized structure is stands in its header: only that is known to be accessed.
static enum vkr_result access_memory(struct vkr_walk *walk, const struct vkr_walk_access *access,
				     uint64_t address)
{
	const enum vkr_result result = vkr_walk_access_address(walk, access, address, HEADER_BYTES);
	if (result != VKR_OK)
		return result;
	return vkr_model_missed(
		walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
		"how much memory %s %s is not known: races beyond its header are missed",
		access->info->name, access->write ? "writes" : "reads");
}

static const char *copy_name(const struct vkr_trace_cmd_copy_structure *copy)
{
	switch (copy->mode) {
	case VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR:
		return "vkCmdCopyAccelerationStructureToMemoryKHR";
	case VK_COPY_ACCELERATION_STRUCTURE_MODE_DESERIALIZE_KHR:
		return "vkCmdCopyMemoryToAccelerationStructureKHR";
	default:
		return "vkCmdCopyAccelerationStructureKHR";
	}
}

// The stage of copies, which is part of the builds' to those who name that (scopes.c).
enum vkr_result vkr_walk_copy_structure(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_copy_structure *copy = vkr_event_payload(event);
	const bool out = copy->mode == VK_COPY_ACCELERATION_STRUCTURE_MODE_SERIALIZE_KHR;
	const bool in = copy->mode == VK_COPY_ACCELERATION_STRUCTURE_MODE_DESERIALIZE_KHR;
	struct vkr_structure *source = vkr_objects_structure(&walk->model->objects, copy->source);
	struct vkr_structure *destination =
		vkr_objects_structure(&walk->model->objects, copy->destination);
	const struct vkr_command_info like = {
		.name = copy_name(copy), .source = source, .destination = destination};
	struct vkr_walk_access access = {
		.info = vkr_walk_info(walk, copy->command, VKR_TRACE_CMD_COPY_STRUCTURE, &like),
		.stage = VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_COPY_BIT_KHR,
		.operation = "copy source",
		.access = in ? VK_ACCESS_2_TRANSFER_READ_BIT
			     : VK_ACCESS_2_ACCELERATION_STRUCTURE_READ_BIT_KHR};
	enum vkr_result result = vkr_walk_begin_command(walk, access.info, &access.command);
	if (result == VKR_OK)
		result = in ? access_memory(walk, &access, copy->address)
			    : vkr_walk_access_structure(walk, &access, source);
	access.write = true;
	access.operation = "copy destination";
	access.access = out ? VK_ACCESS_2_TRANSFER_WRITE_BIT
			    : VK_ACCESS_2_ACCELERATION_STRUCTURE_WRITE_BIT_KHR;
	if (result == VKR_OK)
		result = out ? access_memory(walk, &access, copy->address)
			     : vkr_walk_access_structure(walk, &access, destination);
	if (result == VKR_OK && !out)
		result = take_over(walk, destination, in ? NULL : source);
	if (result == VKR_OK)
		vkr_engine_command_end(walk->model->engine, access.command);
	return result;
}

enum vkr_result vkr_walk_structure_properties(struct vkr_walk *walk,
					      const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_structure_properties *asked = vkr_event_payload(event);
	const uint32_t *ids = (const uint32_t *)(asked + 1);
	struct vkr_query_pool *pool = vkr_query_pool_find(walk->model, asked->pool);
	const struct vkr_command_info like = {
		.name = "vkCmdWriteAccelerationStructuresPropertiesKHR",
		.destination = pool != NULL ? &pool->locations : NULL};
	const struct vkr_trace_cmd_query query = {
		.operation = VKR_QUERY_END, .first = asked->first, .count = asked->structure_count};
	struct vkr_walk_access access = {
		.info = vkr_walk_info(walk, asked->command, VKR_TRACE_CMD_STRUCTURE_PROPERTIES,
				      &like),
		.stage = VK_PIPELINE_STAGE_2_ACCELERATION_STRUCTURE_BUILD_BIT_KHR,
		.operation = "property read",
		.access = VK_ACCESS_2_ACCELERATION_STRUCTURE_READ_BIT_KHR};
	enum vkr_result result = vkr_walk_begin_command(walk, access.info, &access.command);
	for (uint32_t at = 0; at < asked->structure_count && result == VKR_OK; at++)
		result = vkr_walk_access_structure(
			walk, &access, vkr_objects_structure(&walk->model->objects, ids[at]));
	if (result == VKR_OK && pool == NULL)
		result = vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
					  "%s uses a query pool whose creation was not recorded",
					  like.name);
	access = (struct vkr_walk_access){.command = access.command,
					  .info = access.info,
					  .buffer = pool != NULL ? &pool->locations : NULL,
					  .write = true,
					  .operation = "query write",
					  .stage = VKR_ENGINE_QUERY,
					  .access = VKR_ENGINE_QUERY,
					  .offset = asked->first,
					  .bytes = asked->structure_count};
	if (result == VKR_OK && pool != NULL)
		result = vkr_walk_access(walk, &access);
	if (result == VKR_OK)
		vkr_engine_command_end(walk->model->engine, access.command);
	if (result == VKR_OK && pool != NULL)
		result = vkr_walk_end_queries(walk, &query, pool);
	return result;
}
