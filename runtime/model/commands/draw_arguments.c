// SPDX-License-Identifier: Apache-2.0
#include "draw_arguments.h"

#include "structure_commands.h"

// VkDrawIndirectCommand and so on.
#define VERTICES_BYTES 16u
#define INDEXED_BYTES  20u
#define MESH_BYTES     12u
#define MESH_NV_BYTES  8u
#define COUNT_BYTES    4u

// ---- Indices ------------------------------------------------------------------------------------

uint64_t vkr_draw_whole_primitives(const struct vkr_walk_state *state, uint64_t count)
{
	const struct vkr_pipeline *pipeline = state->points[VKR_WALK_GRAPHICS].pipeline;
	uint32_t topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
	if (pipeline == NULL || pipeline->graphics == NULL)
		return count;
	topology = pipeline->graphics->topology;
	if (vkr_graphics_dynamic(pipeline->graphics, VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY) &&
	    !vkr_walk_state_value(state, VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY, 0, &topology))
		return count;
	switch (topology) {
	case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
		return count - count % 2;
	case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
		return count < 2 ? 0 : count;
	case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST:
		return count - count % 3;
	case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP:
	case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN:
		return count < 3 ? 0 : count;
	case VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY:
		return count - count % 4;
	case VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY:
		return count - count % 6;
	default:
		return count;
	}
}

// `count` indices from the bound range's `first` on.
static enum vkr_result read_indices(struct vkr_walk *walk, const struct vkr_draw *draw,
				    uint64_t first, uint64_t count, bool possible)
{
	const struct vkr_trace_cmd_bind_index_buffer *bound =
		&vkr_walk_top(walk)->state.index_buffer;
	const struct vkr_buffer *buffer = vkr_objects_buffer(&walk->model->objects, bound->buffer);
	if (buffer == NULL || bound->index_bytes == 0 || count == 0)
		return VKR_OK;
	return vkr_walk_access(walk, &(struct vkr_walk_access){
					     .command = draw->command,
					     .info = draw->info,
					     .site = possible ? 0 : VKR_COMMAND_INDICES,
					     .possible = possible,
					     .doubt = "the draw's arguments are not known",
					     .buffer = buffer,
					     .operation = "index read",
					     .stage = VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT,
					     .access = VK_ACCESS_2_INDEX_READ_BIT,
					     .offset = bound->offset + first * bound->index_bytes,
					     .bytes = count * bound->index_bytes});
}

enum vkr_result vkr_draw_read_indices(struct vkr_walk *walk, const struct vkr_draw *draw,
				      const struct vkr_trace_draw *indices)
{
	return read_indices(walk, draw, indices->first,
			    vkr_draw_whole_primitives(&vkr_walk_top(walk)->state, indices->count),
			    false);
}

static enum vkr_result may_read_indices(struct vkr_walk *walk, const struct vkr_draw *draw)
{
	return read_indices(walk, draw, 0, UINT64_MAX / 8, true);
}

// ---- Arguments ----------------------------------------------------------------------------------

static uint32_t argument_bytes(uint32_t kind)
{
	switch ((enum vkr_trace_draw_kind)kind) {
	case VKR_DRAW_INDEXED_INDIRECT:
	case VKR_DRAW_INDEXED_INDIRECT_COUNT:
		return INDEXED_BYTES;
	case VKR_DRAW_MESH_INDIRECT:
	case VKR_DRAW_MESH_INDIRECT_COUNT:
		return MESH_BYTES;
	case VKR_DRAW_MESH_INDIRECT_NV:
	case VKR_DRAW_MESH_INDIRECT_COUNT_NV:
		return MESH_NV_BYTES;
	case VKR_DRAW_INDIRECT_BYTE_COUNT:
		return COUNT_BYTES;
	default:
		return VERTICES_BYTES;
	}
}

// The number of draws, at most what the command says. *known: it was captured; else that.
static enum vkr_result read_count(struct vkr_walk *walk, struct vkr_walk_access access,
				  const struct vkr_trace_cmd_draw_indirect *command,
				  uint32_t *count, bool *known)
{
	uint32_t captured = 0;
	*known = vkr_walk_snapshot_read(walk, command->command,
					VKR_SNAPSHOT_COUNT + command->count_offset, &captured,
					sizeof captured);
	if (*known && captured < *count)
		*count = captured;
	access.site = VKR_COMMAND_COUNT;
	access.operation = "draw count read";
	access.buffer = vkr_objects_buffer(&walk->model->objects, command->count_buffer);
	access.offset = command->count_offset;
	access.bytes = COUNT_BYTES;
	return access.buffer != NULL ? vkr_walk_access(walk, &access) : VKR_OK;
}

static enum vkr_result read_each(struct vkr_walk *walk, struct vkr_walk_access access,
				 const struct vkr_trace_cmd_draw_indirect *command, uint32_t count)
{
	const uint32_t bytes = argument_bytes(command->kind);
	enum vkr_result result = VKR_OK;
	access.offset = command->offset;
	access.bytes = (uint64_t)count * bytes;
	if (count == 1 || command->stride == bytes)
		return count > 0 ? vkr_walk_access(walk, &access) : VKR_OK;
	access.bytes = bytes;
	for (uint32_t at = 0; at < count && result == VKR_OK; at++) {
		access.offset = command->offset + (uint64_t)at * command->stride;
		result = vkr_walk_access(walk, &access);
	}
	return result;
}

// The indices that a captured VkDrawIndexedIndirectCommand leads to. False where none was.
static bool find_indices(const struct vkr_walk *walk, uint32_t command, uint64_t address,
			 struct vkr_trace_draw *indices)
{
	uint32_t words[INDEXED_BYTES / 4];
	if (!vkr_walk_snapshot_read(walk, command, address, words, sizeof words))
		return false;
	*indices = (struct vkr_trace_draw){.first = words[2]};
	if (words[1] > 0) // instances
		indices->count = words[0];
	return true;
}

// The indices that captured arguments lead to; of others any that are bound may be read.
static enum vkr_result read_indices_of(struct vkr_walk *walk, const struct vkr_draw *draw,
				       const struct vkr_trace_cmd_draw_indirect *command,
				       uint32_t count, bool known)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < count && result == VKR_OK; at++) {
		struct vkr_trace_draw indices;
		const uint64_t offset = command->offset + (uint64_t)at * command->stride;
		if (!known || !find_indices(walk, command->command, VKR_SNAPSHOT_ARGUMENTS + offset,
					    &indices))
			return may_read_indices(walk, draw);
		result = vkr_draw_read_indices(walk, draw, &indices);
	}
	return result;
}

enum vkr_result vkr_draw_read_arguments(struct vkr_walk *walk, const struct vkr_draw *draw,
					const struct vkr_trace_cmd_draw_indirect *command,
					const struct vkr_buffer *buffer)
{
	struct vkr_walk_access access = {.command = draw->command,
					 .info = draw->info,
					 .site = VKR_COMMAND_ARGUMENTS,
					 .buffer = buffer,
					 .operation = "indirect command read",
					 .stage = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
					 .access = VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT};
	const bool indexed = command->kind == VKR_DRAW_INDEXED_INDIRECT ||
			     command->kind == VKR_DRAW_INDEXED_INDIRECT_COUNT;
	uint32_t count = command->kind == VKR_DRAW_INDIRECT_BYTE_COUNT ? 1 : command->draw_count;
	bool known = true;
	enum vkr_result result = VKR_OK;
	if (command->count_buffer != 0)
		result = read_count(walk, access, command, &count, &known);
	access.possible = !known;
	access.doubt = "the number of draws is not known";
	access.site = known ? VKR_COMMAND_ARGUMENTS : 0;
	if (result == VKR_OK)
		result = read_each(walk, access, command, count);
	return result == VKR_OK && indexed ? read_indices_of(walk, draw, command, count, known)
					   : result;
}

// ---- Draws that the device generates ------------------------------------------------------------

// VkDrawIndirectCountIndirectCommandEXT.
struct counted {
	uint64_t address;
	uint32_t stride, count;
};

// The draws that one sequence says the place and the number of.
static enum vkr_result read_counted(struct vkr_walk *walk, const struct vkr_draw *draw,
				    const struct vkr_trace_cmd_draw_indirect *command,
				    const struct counted *counted)
{
	const struct vkr_walk_access access = {
		.command = draw->command,
		.info = draw->info,
		.site = VKR_COMMAND_ARGUMENTS,
		.operation = "indirect command read",
		.stage = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
		.access = VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT,
	};
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < counted->count && at < command->draw_count && result == VKR_OK;
	     at++)
		result = vkr_walk_access_address(walk, &access,
						 counted->address + (uint64_t)at * counted->stride,
						 command->stride);
	return result;
}

// Reads the sequence at the address if its contents are known; otherwise anything that is bound may
// be read.
static enum vkr_result read_sequence(struct vkr_walk *walk, const struct vkr_draw *draw,
				     const struct vkr_trace_cmd_draw_indirect *command,
				     uint64_t end, bool *known)
{
	const bool indexed = command->kind == VKR_DRAW_GENERATED_INDEXED;
	struct vkr_trace_draw indices;
	struct counted counted;
	if (command->draw_count > 0) {
		*known = *known &&
			 vkr_walk_snapshot_read(walk, command->command, end - sizeof counted,
						&counted, sizeof counted);
		if (*known)
			return read_counted(walk, draw, command, &counted);
		return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
					"where draws of %s read their arguments is not observed",
					draw->info->name);
	}
	if (!indexed)
		return VKR_OK;
	*known = *known && find_indices(walk, command->command, end - INDEXED_BYTES, &indices);
	return *known ? vkr_draw_read_indices(walk, draw, &indices) : VKR_OK;
}

enum vkr_result vkr_draw_read_generated(struct vkr_walk *walk, const struct vkr_draw *draw,
					const struct vkr_trace_cmd_draw_indirect *command)
{
	const struct vkr_trace_cmd_generated *of = walk->generated;
	uint32_t count = 0;
	bool known = vkr_walk_generated_count(walk, of, &count);
	enum vkr_result result = vkr_walk_generated_reads(walk, of, draw->info, draw->command);
	if (command->kind == VKR_DRAW_GENERATED_MESH && command->draw_count == 0)
		return result;
	for (uint32_t at = 0; at < count && result == VKR_OK; at++) {
		result = read_sequence(walk, draw, command,
				       of->address + at * of->stride + of->read_bytes, &known);
		if (!known)
			break;
	}
	// The parameters of counted draws are elsewhere, in memory that the device finds.
	known = known && command->draw_count == 0;
	return result == VKR_OK && !known && command->kind == VKR_DRAW_GENERATED_INDEXED
		       ? may_read_indices(walk, draw)
		       : result;
}
