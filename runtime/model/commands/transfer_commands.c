// SPDX-License-Identifier: Apache-2.0
// Copies, fills and updates of buffers as accesses of their stages. Knows these commands only.
#include "command_walk.h"

#include "error.h"
#include "event_payload.h"

#include <vulkan/vulkan_core.h>

static enum vkr_result unknown_buffer(struct vkr_walk *walk, const char *name)
{
	return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
				"%s uses a buffer whose creation was not recorded", name);
}

static const struct vkr_buffer *buffer_of(const struct vkr_walk *walk, uint32_t id)
{
	return vkr_objects_buffer(&walk->model->objects, id);
}

static enum vkr_result copy_buffer(struct vkr_walk *walk,
				   const struct vkr_trace_cmd_copy_buffer *copy)
{
	const struct vkr_trace_copy *regions = (const void *)(copy + 1);
	const struct vkr_buffer *source = buffer_of(walk, copy->source);
	const struct vkr_buffer *destination = buffer_of(walk, copy->destination);
	const struct vkr_command_info like = {.source = source, .destination = destination};
	if (source == NULL || destination == NULL)
		return unknown_buffer(walk, "vkCmdCopyBuffer");
	struct vkr_walk_access access = {
		.info = vkr_walk_info(walk, copy->command, VKR_TRACE_CMD_COPY_BUFFER, &like),
		.stage = VK_PIPELINE_STAGE_2_COPY_BIT};
	enum vkr_result result = vkr_walk_begin_command(walk, access.info, &access.command);
	for (uint32_t at = 0; at < copy->region_count && result == VKR_OK; at++) {
		access.buffer = source;
		access.write = false;
		access.operation = "copy source";
		access.access = VK_ACCESS_2_TRANSFER_READ_BIT;
		access.offset = regions[at].source_offset;
		access.bytes = regions[at].bytes;
		result = vkr_walk_access(walk, &access);
		if (result != VKR_OK)
			break;
		access.buffer = destination;
		access.write = true;
		access.operation = "copy destination";
		access.access = VK_ACCESS_2_TRANSFER_WRITE_BIT;
		access.offset = regions[at].destination_offset;
		result = vkr_walk_access(walk, &access);
	}
	if (result == VKR_OK)
		vkr_engine_command_end(walk->model->engine, access.command);
	return result;
}

// vkCmdFillBuffer and vkCmdUpdateBuffer: clear commands.
static enum vkr_result write_buffer(struct vkr_walk *walk, uint32_t type, uint32_t command,
				    uint32_t id, const char *operation, uint64_t offset,
				    uint64_t bytes)
{
	const struct vkr_buffer *destination = buffer_of(walk, id);
	const struct vkr_command_info like = {.destination = destination};
	if (destination == NULL)
		return unknown_buffer(walk, operation);
	struct vkr_walk_access access = {.info = vkr_walk_info(walk, command, type, &like),
					 .buffer = destination,
					 .write = true,
					 .operation = operation,
					 .stage = VK_PIPELINE_STAGE_2_CLEAR_BIT,
					 .access = VK_ACCESS_2_TRANSFER_WRITE_BIT,
					 .offset = offset,
					 .bytes = bytes};
	enum vkr_result result = vkr_walk_begin_command(walk, access.info, &access.command);
	if (result == VKR_OK)
		result = vkr_walk_access(walk, &access);
	if (result == VKR_OK)
		vkr_engine_command_end(walk->model->engine, access.command);
	return result;
}

enum vkr_result vkr_walk_transfer(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const void *payload = vkr_event_payload(event);
	const struct vkr_trace_cmd_fill_buffer *fill = payload;
	const struct vkr_trace_cmd_update_buffer *update = payload;
	const uint32_t type = event->type;
	switch (type) {
	case VKR_TRACE_CMD_COPY_BUFFER:
		return copy_buffer(walk, payload);
	case VKR_TRACE_CMD_FILL_BUFFER:
		return write_buffer(walk, type, fill->command, fill->buffer, "fill", fill->offset,
				    fill->bytes);
	default:
		return write_buffer(walk, type, update->command, update->buffer, "update",
				    update->offset, update->bytes);
	}
}
