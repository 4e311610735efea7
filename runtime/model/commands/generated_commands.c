// SPDX-License-Identifier: Apache-2.0
// What generated commands (Vulkan specification, "Device-Generated Commands") read and write
// themselves: sequences, their count, and preprocessed ones. Does not know what the generated draws
// and dispatches do.
#include "structure_commands.h"

#include "error.h"
#include "event_payload.h"
#include "scopes.h"

#define COUNT_BYTES 4u

static const struct vkr_command_info names[] = {
	{.name = "vkCmdExecuteGeneratedCommandsEXT", .indirect = true},
	{.name = "vkCmdPreprocessGeneratedCommandsEXT", .indirect = true},
};

const char *vkr_generated_name(void)
{
	return names[0].name;
}

// So many sequences, or as many at most.
static enum vkr_result read_sequences(struct vkr_walk *walk,
				      const struct vkr_trace_cmd_generated *of,
				      struct vkr_walk_access *access, uint32_t count)
{
	enum vkr_result result = VKR_OK;
	access->operation = "indirect command read";
	if (!access->possible)
		access->site = VKR_COMMAND_ARGUMENTS;
	if (of->stride == of->read_bytes)
		return count > 0 ? vkr_walk_access_address(walk, access, of->address,
							   count * of->stride)
				 : VKR_OK;
	for (uint32_t at = 0; at < count && of->read_bytes > 0 && result == VKR_OK; at++)
		result = vkr_walk_access_address(walk, access, of->address + at * of->stride,
						 of->read_bytes);
	return result;
}

bool vkr_walk_generated_count(const struct vkr_walk *walk, const struct vkr_trace_cmd_generated *of,
			      uint32_t *count)
{
	uint32_t captured = 0;
	*count = of->max_count;
	if (of->count_address == 0)
		return true;
	if (!vkr_walk_snapshot_read(walk, of->command, of->count_address, &captured,
				    sizeof captured))
		return false;
	if (captured < of->max_count)
		*count = captured;
	return true;
}

// If the number of sequences is in memory that could not be copied, any of them may be read.
static enum vkr_result read_inputs(struct vkr_walk *walk, const struct vkr_trace_cmd_generated *of,
				   const struct vkr_walk_access *like)
{
	struct vkr_walk_access access = *like;
	uint32_t count = 0;
	const bool known = vkr_walk_generated_count(walk, of, &count);
	enum vkr_result result = VKR_OK;
	if (of->count_address != 0) {
		access.site = VKR_COMMAND_COUNT;
		access.operation = "sequence count read";
		result = vkr_walk_access_address(walk, &access, of->count_address, COUNT_BYTES);
		access.possible = !known;
		access.doubt = "the number of sequences is not known";
		access.site = 0;
	}
	return result == VKR_OK ? read_sequences(walk, of, &access, count) : result;
}

enum vkr_result vkr_walk_generated_reads(struct vkr_walk *walk,
					 const struct vkr_trace_cmd_generated *of,
					 struct vkr_command_info *info, uint32_t command)
{
	const bool preprocess = of->flags & VKR_GENERATED_PREPROCESS;
	const bool preprocessed = of->flags & VKR_GENERATED_PREPROCESSED;
	struct vkr_walk_access access = {
		.command = command,
		.info = info,
		.stage = preprocess ? VK_PIPELINE_STAGE_2_COMMAND_PREPROCESS_BIT_NV
				    : VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT,
		.access = preprocess ? VK_ACCESS_2_COMMAND_PREPROCESS_READ_BIT_NV
				     : VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT};
	enum vkr_result result = VKR_OK;
	if (!preprocessed)
		result = read_inputs(walk, of, &access);
	if (result != VKR_OK || of->preprocess == 0 || of->preprocess_bytes == 0)
		return result;
	access.site = VKR_COMMAND_SCRATCH;
	access.operation = preprocessed ? "preprocessed command read" : "preprocess write";
	access.write = !preprocessed;
	if (!preprocessed) {
		access.stage = VK_PIPELINE_STAGE_2_COMMAND_PREPROCESS_BIT_NV;
		access.access = VK_ACCESS_2_COMMAND_PREPROCESS_WRITE_BIT_NV;
	}
	// Memory of an execution without preprocessing is for the driver's own use.
	access.possible = !preprocessed && !preprocess;
	return vkr_walk_access_address(walk, &access, of->preprocess, of->preprocess_bytes);
}

// A generated command that runs a modelled command is followed by that one's event, which makes the
// reads.
enum vkr_result vkr_walk_generated(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_generated *of = vkr_event_payload(event);
	uint32_t command = 0;
	walk->generated = of->flags & VKR_GENERATED_RUNS ? of : NULL;
	if (walk->generated != NULL)
		return VKR_OK;
	struct vkr_command_info *info =
		vkr_walk_info(walk, of->command, VKR_TRACE_CMD_GENERATED,
			      &names[of->flags & VKR_GENERATED_PREPROCESS ? 1 : 0]);
	enum vkr_result result = vkr_walk_begin_command(walk, info, &command);
	if (result == VKR_OK)
		result = vkr_walk_generated_reads(walk, of, info, command);
	if (result == VKR_OK)
		vkr_engine_command_end(walk->model->engine, command);
	return result;
}
