// SPDX-License-Identifier: Apache-2.0
// Commands that the device generates (VK_EXT_device_generated_commands): their layouts kept, their
// execution recorded, and led to a block where it is one dispatch or are draws. Knows where the
// parameters are; not what they say.
#include "buffer_addresses.h"
#include "log_commands.h"
#include "record.h"
#include "snapshots.h"

#include <stdlib.h>

#ifdef VK_EXT_device_generated_commands
// Tokens that read a structure of each sequence: its bytes; what it makes happen, if it is an
// action; and of draws whose arguments are elsewhere, the bytes of these. Of a sequence's index
// nothing is read.
static const struct token_type {
	VkIndirectCommandsTokenTypeEXT type;
	enum vkr_generated_action action;
	uint32_t bytes, counted;
} token_types[] = {
#define TOKEN(name) VK_INDIRECT_COMMANDS_TOKEN_TYPE_##name##_EXT
#define COUNTED     sizeof(VkDrawIndirectCountIndirectCommandEXT)
	{TOKEN(INDEX_BUFFER), VKR_ACTION_OTHER, sizeof(VkBindIndexBufferIndirectCommandEXT), 0},
	{TOKEN(VERTEX_BUFFER), VKR_ACTION_OTHER, sizeof(VkBindVertexBufferIndirectCommandEXT), 0},
	{TOKEN(DRAW_INDEXED), VKR_ACTION_DRAW_INDEXED, sizeof(VkDrawIndexedIndirectCommand), 0},
	{TOKEN(DRAW), VKR_ACTION_DRAW, sizeof(VkDrawIndirectCommand), 0},
	{TOKEN(DRAW_INDEXED_COUNT), VKR_ACTION_DRAW_INDEXED, COUNTED,
	 sizeof(VkDrawIndexedIndirectCommand)},
	{TOKEN(DRAW_COUNT), VKR_ACTION_DRAW, COUNTED, sizeof(VkDrawIndirectCommand)},
	{TOKEN(DISPATCH), VKR_ACTION_DISPATCH, sizeof(VkDispatchIndirectCommand), 0},
	{TOKEN(DRAW_MESH_TASKS_NV), VKR_ACTION_DRAW_MESH, sizeof(VkDrawMeshTasksIndirectCommandNV),
	 0},
	{TOKEN(DRAW_MESH_TASKS_COUNT_NV), VKR_ACTION_DRAW_MESH, COUNTED,
	 sizeof(VkDrawMeshTasksIndirectCommandNV)},
	{TOKEN(DRAW_MESH_TASKS), VKR_ACTION_DRAW_MESH, sizeof(VkDrawMeshTasksIndirectCommandEXT),
	 0},
	{TOKEN(DRAW_MESH_TASKS_COUNT), VKR_ACTION_DRAW_MESH, COUNTED,
	 sizeof(VkDrawMeshTasksIndirectCommandEXT)},
	{TOKEN(TRACE_RAYS2), VKR_ACTION_OTHER, sizeof(VkTraceRaysIndirectCommand2KHR), 0},
#undef COUNTED
};

static struct token_type type_of(VkIndirectCommandsTokenTypeEXT type)
{
	for (size_t i = 0; i < sizeof token_types / sizeof *token_types; i++)
		if (token_types[i].type == type)
			return token_types[i];
	return (struct token_type){.type = type};
}

// Bytes that a token reads of each sequence.
static uint32_t token_bytes(const VkIndirectCommandsLayoutTokenEXT *token)
{
	if (token->type == TOKEN(PUSH_CONSTANT))
		return token->data.pPushConstant->updateRange.size;
	if (token->type != TOKEN(EXECUTION_SET))
		return type_of(token->type).bytes;
	if (token->data.pExecutionSet->type == VK_INDIRECT_EXECUTION_SET_INFO_TYPE_PIPELINES_EXT)
		return sizeof(uint32_t);
	return (uint32_t)__builtin_popcount(token->data.pExecutionSet->shaderStages) *
	       (uint32_t)sizeof(uint32_t);
}

static void note_token(struct vkr_indirect_layout *layout,
		       const VkIndirectCommandsLayoutTokenEXT *token)
{
	switch (token->type) {
	case VK_INDIRECT_COMMANDS_TOKEN_TYPE_EXECUTION_SET_EXT:
		layout->has_set = true;
		return;
	case VK_INDIRECT_COMMANDS_TOKEN_TYPE_VERTEX_BUFFER_EXT:
	case VK_INDIRECT_COMMANDS_TOKEN_TYPE_INDEX_BUFFER_EXT:
		layout->binds_buffers = true;
		return;
	case VK_INDIRECT_COMMANDS_TOKEN_TYPE_SEQUENCE_INDEX_EXT:
		layout->has_index = true;
		return;
	case VK_INDIRECT_COMMANDS_TOKEN_TYPE_PUSH_CONSTANT_EXT:
		return;
	default: // the action, which is the last one
		layout->action = type_of(token->type).action;
		layout->counted = type_of(token->type).counted;
		return;
	}
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateIndirectCommandsLayoutEXT(
	VkDevice handle, const VkIndirectCommandsLayoutCreateInfoEXT *info,
	const VkAllocationCallbacks *allocator, VkIndirectCommandsLayoutEXT *made)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkResult result =
		device->next.CreateIndirectCommandsLayoutEXT(handle, info, allocator, made);
	if (result != VK_SUCCESS)
		return result;
	struct vkr_indirect_layout *kept = calloc(1, sizeof *kept);
	if (!kept) {
		vkr_record_no_memory("a layout of indirect commands");
		return result;
	}
	kept->stride = info->indirectStride;
	for (uint32_t i = 0; i < info->tokenCount; i++) {
		const VkIndirectCommandsLayoutTokenEXT *token = &info->pTokens[i];
		const uint32_t end = token->offset + token_bytes(token);
		if (kept->bytes < end)
			kept->bytes = end;
		note_token(kept, token);
	}
	vkr_object_keep(&device->objects.indirect_layouts, VKR_KEY(*made), kept,
			"a layout of indirect commands");
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyIndirectCommandsLayoutEXT(
	VkDevice handle, VkIndirectCommandsLayoutEXT layout, const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	free(vkr_handles_take(&device->objects.indirect_layouts, VKR_KEY(layout)));
	device->next.DestroyIndirectCommandsLayoutEXT(handle, layout, allocator);
}

static struct vkr_trace_cmd_generated describe_commands(const struct vkr_indirect_layout *layout,
							const VkGeneratedCommandsInfoEXT *info,
							uint32_t flags)
{
	return (struct vkr_trace_cmd_generated){
		.flags = flags,
		.address = info->indirectAddress,
		.bytes = info->indirectAddressSize,
		.stride = layout->stride,
		.read_bytes = layout->bytes,
		.preprocess = info->preprocessAddress,
		.preprocess_bytes = info->preprocessSize,
		.count_address = info->sequenceCountAddress,
		.max_count = info->maxSequenceCount,
		.max_draws = info->maxDrawCount,
	};
}

static void not_observed(const char *why)
{
	vkr_record_coverage(
		VKR_COVERAGE_LOG, 0, 0,
		"accesses by shaders of vkCmdExecuteGeneratedCommandsEXT are not observed: %s",
		why);
}

// Behind the render pass that the command is in, where copies cannot stand.
static void generated_snapshot(struct vkr_layer_command_buffer *buffer, uint32_t command,
			       uint64_t address, uint64_t bytes)
{
	if (!buffer->render_pass.is_open) {
		vkr_layer_snapshot(buffer, command, address, bytes);
		return;
	}
	const struct vkr_buffer_place at = vkr_buffer_addresses_place(buffer->device, address);
	vkr_snapshot_draw(buffer, &(struct vkr_snapshot_source){.command = command,
								.buffer = at.buffer,
								.offset = at.offset,
								.bytes = bytes,
								.address = address});
}

// Copies the parts of sequences that name an index buffer, or draws.
static void capture_sequences(struct vkr_layer_command_buffer *buffer,
			      const struct vkr_indirect_layout *layout,
			      const struct vkr_trace_cmd_generated *of)
{
	const bool leads = layout->action == VKR_ACTION_DRAW_INDEXED || layout->counted;
	if (of->count_address)
		generated_snapshot(buffer, of->command, of->count_address, sizeof(uint32_t));
	if (leads && of->max_count && !(of->flags & VKR_GENERATED_PREPROCESSED))
		generated_snapshot(buffer, of->command, of->address,
				   (of->max_count - 1) * of->stride + of->read_bytes);
}

// One sequence is one indirect dispatch. With several, the dispatch that logs could not be
// identified.
static bool run_dispatch(struct vkr_layer_command_buffer *buffer, uint32_t command,
			 const struct vkr_indirect_layout *layout,
			 const VkGeneratedCommandsInfoEXT *info)
{
	const struct vkr_trace_cmd_dispatch_indirect payload = {.command = command};
	if (info->maxSequenceCount != 1 || layout->has_set) {
		not_observed(layout->has_set ? "they come from an execution set"
					     : "there may be several sequences of dispatches");
		return false;
	}
	vkr_command_event(buffer, VKR_TRACE_CMD_DISPATCH_INDIRECT, &payload, sizeof payload, 0);
	vkr_dispatch_begin_indirect(buffer, command);
	return true;
}

static bool run_draws(struct vkr_layer_command_buffer *buffer, uint32_t command,
		      const struct vkr_indirect_layout *layout,
		      const VkGeneratedCommandsInfoEXT *info)
{
	const bool meshes = layout->action == VKR_ACTION_DRAW_MESH,
		   indexed = layout->action == VKR_ACTION_DRAW_INDEXED;
	const struct vkr_trace_cmd_draw_indirect payload = {
		.command = command,
		.kind = meshes    ? VKR_DRAW_GENERATED_MESH
			: indexed ? VKR_DRAW_GENERATED_INDEXED
				  : VKR_DRAW_GENERATED,
		.draw_count = layout->counted ? info->maxDrawCount : 0,
		.stride = layout->counted,
		.asked = buffer->asked | (meshes ? 0u : (uint32_t)VK_SHADER_STAGE_VERTEX_BIT),
	};
	if (layout->has_set || layout->binds_buffers) {
		not_observed(layout->has_set ? "they come from an execution set"
					     : "their buffers are bound by the device");
		return false;
	}
	vkr_command_event(buffer, VKR_TRACE_CMD_DRAW_INDIRECT, &payload, sizeof payload, 0);
	vkr_log_draw(buffer, command, UINT64_MAX, payload.asked);
	return true;
}

static void record_execution(struct vkr_layer_command_buffer *buffer,
			     const struct vkr_indirect_layout *layout,
			     const VkGeneratedCommandsInfoEXT *info,
			     struct vkr_trace_cmd_generated payload)
{
	const bool dispatch = layout->action == VKR_ACTION_DISPATCH;
	const bool draw = layout->action != VKR_ACTION_OTHER && !dispatch;
	const bool runs = dispatch ? info->maxSequenceCount == 1 && !layout->has_set
			  : draw   ? !layout->has_set && !layout->binds_buffers
				   : false;
	payload.command = vkr_command_index(buffer);
	payload.flags |= runs ? VKR_GENERATED_RUNS : 0;
	capture_sequences(buffer, layout, &payload);
	vkr_command_event(buffer, VKR_TRACE_CMD_GENERATED, &payload, sizeof payload, 0);
	if (dispatch && run_dispatch(buffer, payload.command, layout, info))
		return;
	if (draw && run_draws(buffer, payload.command, layout, info))
		return;
	if (!dispatch && !draw)
		not_observed("its action is not modelled");
	vkr_command_unobserved(buffer);
}

// Whether its dispatches can be generated one by one, so that each has a log of its own: what they
// do is the same, as no order is between sequences but that of submission.
static bool comes_apart(const struct vkr_layer_command_buffer *buffer,
			const struct vkr_indirect_layout *layout, VkBool32 preprocessed,
			const VkGeneratedCommandsInfoEXT *info)
{
	return layout->action == VKR_ACTION_DISPATCH && !layout->has_set && !layout->has_index &&
	       !preprocessed && info->maxSequenceCount > 1 && !info->sequenceCountAddress &&
	       buffer->compute && buffer->compute->logs;
}

// The next preprocessing uses the same memory for the driver's data.
static void await_preprocess(const struct vkr_layer_command_buffer *buffer)
{
	const VkMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
	};
	buffer->device->next.CmdPipelineBarrier(buffer->handle, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
						VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier,
						0, NULL, 0, NULL);
}

static void execute_each(struct vkr_layer_command_buffer *buffer,
			 const struct vkr_indirect_layout *layout,
			 const VkGeneratedCommandsInfoEXT *info)
{
	for (uint32_t at = 0; at < info->maxSequenceCount; at++) {
		VkGeneratedCommandsInfoEXT one = *info;
		const uint64_t before = (uint64_t)at * layout->stride;
		one.maxSequenceCount = 1;
		one.indirectAddress += before;
		one.indirectAddressSize -= before;
		struct vkr_trace_cmd_generated payload = describe_commands(layout, &one, 0);
		if (at > 0) { // it was one command to the program, which used it once
			payload.preprocess = 0;
			await_preprocess(buffer);
		}
		record_execution(buffer, layout, &one, payload);
		buffer->device->next.CmdExecuteGeneratedCommandsEXT(buffer->handle, VK_FALSE, &one);
		vkr_dispatch_end_indirect(buffer);
	}
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdExecuteGeneratedCommandsEXT(
	VkCommandBuffer handle, VkBool32 preprocessed, const VkGeneratedCommandsInfoEXT *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	const struct vkr_indirect_layout *layout =
		buffer ? vkr_handles_get(&buffer->device->objects.indirect_layouts,
					 VKR_KEY(info->indirectCommandsLayout))
		       : NULL;
	if (layout && comes_apart(buffer, layout, preprocessed, info)) {
		execute_each(buffer, layout, info);
		return;
	}
	if (layout) {
		record_execution(buffer, layout, info,
				 describe_commands(layout, info,
						   preprocessed ? VKR_GENERATED_PREPROCESSED : 0));
	} else if (buffer) {
		vkr_command_other(buffer, VKR_OTHER_ACCESSES, "vkCmdExecuteGeneratedCommandsEXT");
		vkr_command_unobserved(buffer);
	}
	vkr_command_device(buffer, handle)
		->next.CmdExecuteGeneratedCommandsEXT(handle, preprocessed, info);
	vkr_dispatch_end_indirect(buffer);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdPreprocessGeneratedCommandsEXT(
	VkCommandBuffer handle, const VkGeneratedCommandsInfoEXT *info, VkCommandBuffer state)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	const struct vkr_indirect_layout *layout =
		buffer ? vkr_handles_get(&buffer->device->objects.indirect_layouts,
					 VKR_KEY(info->indirectCommandsLayout))
		       : NULL;
	if (layout) {
		struct vkr_trace_cmd_generated payload =
			describe_commands(layout, info, VKR_GENERATED_PREPROCESS);
		payload.command = vkr_command_index(buffer);
		if (payload.count_address)
			vkr_layer_snapshot(buffer, payload.command, payload.count_address,
					   sizeof(uint32_t));
		vkr_command_event(buffer, VKR_TRACE_CMD_GENERATED, &payload, sizeof payload, 0);
	} else if (buffer) {
		vkr_command_other(buffer, VKR_OTHER_ACCESSES,
				  "vkCmdPreprocessGeneratedCommandsEXT");
	}
	vkr_command_device(buffer, handle)
		->next.CmdPreprocessGeneratedCommandsEXT(handle, info, state);
}
#endif
