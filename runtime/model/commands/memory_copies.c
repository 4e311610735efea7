// SPDX-License-Identifier: Apache-2.0
// Commands that move memory by its device addresses, which the program gives or the device reads
// from memory (Vulkan specification, "Indirect Copies", "Memory Decompression"). Knows these
// commands, and how their regions are laid out.
#include "structure_commands.h"

#include "error.h"
#include "event_payload.h"
#include "scopes.h"

#define COUNT_BYTES 4u

struct kind {
	const char *name;
	uint32_t bytes;       // of one region's parameters
	uint64_t stage, read; // of the parameters
	bool is_image, is_decompression;
	bool possible; // no stage is named for it
};

static const struct kind kinds[] = {
	[VKR_COPY_MEMORY] = {"vkCmdCopyMemoryIndirectKHR", 24, VKR_STAGE_COPY_INDIRECT,
			     VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT, false, false, false},
	[VKR_COPY_MEMORY_TO_IMAGE] = {"vkCmdCopyMemoryToImageIndirectKHR", 56,
				      VKR_STAGE_COPY_INDIRECT,
				      VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT, true, false, false},
	[VKR_COPY_MEMORY_NV] = {"vkCmdCopyMemoryIndirectNV", 24, VKR_STAGE_COPY_INDIRECT,
				VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT, false, false, true},
	[VKR_COPY_MEMORY_TO_IMAGE_NV] = {"vkCmdCopyMemoryToImageIndirectNV", 56,
					 VKR_STAGE_COPY_INDIRECT,
					 VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT, true, false, true},
	[VKR_DECOMPRESS_INDIRECT] = {"vkCmdDecompressMemoryIndirectCountEXT", 32,
				     VKR_STAGE_DECOMPRESSION, VKR_ACCESS_DECOMPRESSION_READ, false,
				     true, false},
};

// Those whose regions the program has given.
static const struct move {
	const char *name, *read_operation, *write_operation;
	uint64_t stage, read, write;
	bool possible; // no stage is named for it
} moves[] = {
	[VKR_MOVE_DECOMPRESS] = {"vkCmdDecompressMemoryEXT", "compressed read",
				 "decompressed write", VKR_STAGE_DECOMPRESSION,
				 VKR_ACCESS_DECOMPRESSION_READ, VKR_ACCESS_DECOMPRESSION_WRITE,
				 false},
	[VKR_MOVE_DECOMPRESS_NV] = {"vkCmdDecompressMemoryNV", "compressed read",
				    "decompressed write", VKR_STAGE_DECOMPRESSION,
				    VKR_ACCESS_DECOMPRESSION_READ, VKR_ACCESS_DECOMPRESSION_WRITE,
				    true},
	[VKR_MOVE_COPY] = {"vkCmdCopyMemoryKHR", "copy source", "copy destination",
			   VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT,
			   VK_ACCESS_2_TRANSFER_WRITE_BIT, false},
	[VKR_MOVE_FILL] = {"vkCmdFillMemoryKHR", "", "fill", VK_PIPELINE_STAGE_2_CLEAR_BIT, 0,
			   VK_ACCESS_2_TRANSFER_WRITE_BIT, false},
	[VKR_MOVE_UPDATE] = {"vkCmdUpdateMemoryKHR", "", "update", VK_PIPELINE_STAGE_2_CLEAR_BIT, 0,
			     VK_ACCESS_2_TRANSFER_WRITE_BIT, false},
};

// VkCopyMemoryIndirectCommandKHR.
struct copied {
	uint64_t source, destination, bytes;
};

struct copy {
	struct vkr_walk *walk;
	const struct vkr_trace_cmd_copy_memory *of;
	const struct kind *kind;
	struct vkr_walk_access read, write; // of what is copied
};

static bool memory_copies_captured(const struct copy *copy, uint64_t address, void *to,
				   size_t bytes)
{
	return vkr_walk_snapshot_read(copy->walk, copy->of->command, address, to, bytes);
}

// How many regions there are; *known is false where that is not.
static enum vkr_result count_regions(const struct copy *copy, uint32_t *count, bool *known)
{
	struct vkr_walk_access access = copy->read;
	*count = copy->of->count;
	*known = true;
	if (copy->of->count_address == 0)
		return VKR_OK;
	access.site = copy->kind->possible ? 0 : VKR_COMMAND_COUNT;
	access.possible = copy->kind->possible;
	access.operation = "region count read";
	access.stage = copy->kind->stage;
	access.access = copy->kind->read;
	*known = memory_copies_captured(copy, copy->of->count_address, count, sizeof *count);
	if (*known && *count > copy->of->count)
		*count = copy->of->count;
	return vkr_walk_access_address(copy->walk, &access, copy->of->count_address, COUNT_BYTES);
}

static enum vkr_result read_parameters(const struct copy *copy, uint32_t count)
{
	struct vkr_walk_access access = copy->read;
	enum vkr_result result = VKR_OK;
	access.site = copy->kind->possible ? 0 : VKR_COMMAND_ARGUMENTS;
	access.possible = copy->kind->possible;
	access.operation = "indirect command read";
	access.stage = copy->kind->stage;
	access.access = copy->kind->read;
	for (uint32_t at = 0; at < count && result == VKR_OK; at++)
		result = vkr_walk_access_address(copy->walk, &access,
						 copy->of->address + at * copy->of->stride,
						 copy->kind->bytes);
	return result;
}

static enum vkr_result copy_memory(const struct copy *copy, uint64_t from)
{
	struct copied region;
	if (!memory_copies_captured(copy, from, &region, sizeof region) || region.bytes == 0)
		return VKR_OK;
	const enum vkr_result result =
		vkr_walk_access_address(copy->walk, &copy->read, region.source, region.bytes);
	return result == VKR_OK ? vkr_walk_access_address(copy->walk, &copy->write,
							  region.destination, region.bytes)
				: result;
}

static enum vkr_result move_bytes(struct vkr_walk *walk, const struct vkr_walk_access *read,
				  const struct vkr_walk_access *write,
				  const struct vkr_trace_moved *region)
{
	enum vkr_result result = VKR_OK;
	if (region->source_bytes > 0)
		result = vkr_walk_access_address(walk, read, region->source, region->source_bytes);
	return result == VKR_OK && region->destination_bytes > 0
		       ? vkr_walk_access_address(walk, write, region->destination,
						 region->destination_bytes)
		       : result;
}

// VkDecompressMemoryRegionEXT is as the trace has regions.
static enum vkr_result decompress_captured(const struct copy *copy, uint64_t from)
{
	struct vkr_trace_moved region;
	return memory_copies_captured(copy, from, &region, sizeof region)
		       ? move_bytes(copy->walk, &copy->read, &copy->write, &region)
		       : VKR_OK;
}

// VkCopyMemoryToImageIndirectCommandKHR is as the trace has rows, but for the address in place of
// an offset.
static enum vkr_result copy_to_image(struct copy *copy, uint64_t from)
{
	struct vkr_trace_image_rows rows;
	const struct vkr_image *image =
		vkr_objects_image(&copy->walk->model->objects, copy->of->image);
	if (image == NULL || !memory_copies_captured(copy, from, &rows, sizeof rows))
		return VKR_OK;
	const struct vkr_address *range =
		vkr_objects_address(&copy->walk->model->objects, rows.offset);
	if (range == NULL)
		return vkr_model_missed(copy->walk->model, copy->walk->error, VKR_COVERAGE_COMMAND,
					0, "%s reads from an address in no buffer",
					copy->kind->name);
	rows.offset -= range->first;
	copy->read.buffer = range->buffer;
	copy->write.image = image;
	return vkr_walk_copy_rows(copy->walk, &copy->read, &copy->write, &rows);
}

static enum vkr_result copy_regions(struct copy *copy, uint32_t count)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < count && result == VKR_OK; at++) {
		const uint64_t from = copy->of->address + at * copy->of->stride;
		result = copy->kind->is_image           ? copy_to_image(copy, from)
			 : copy->kind->is_decompression ? decompress_captured(copy, from)
							: copy_memory(copy, from);
	}
	return result;
}

static void begin_copy(struct copy *copy, struct vkr_command_info *info)
{
	const bool decompresses = copy->kind->is_decompression;
	copy->read = (struct vkr_walk_access){
		.info = info,
		.operation = decompresses ? "compressed read" : "copy source",
		.possible = decompresses && copy->kind->possible,
		.stage = decompresses ? VKR_STAGE_DECOMPRESSION : VK_PIPELINE_STAGE_2_COPY_BIT,
		.access = decompresses ? VKR_ACCESS_DECOMPRESSION_READ
				       : VK_ACCESS_2_TRANSFER_READ_BIT};
	copy->write = copy->read;
	copy->write.write = true;
	copy->write.operation = decompresses ? "decompressed write" : "copy destination";
	copy->write.access =
		decompresses ? VKR_ACCESS_DECOMPRESSION_WRITE : VK_ACCESS_2_TRANSFER_WRITE_BIT;
}

enum vkr_result vkr_walk_copy_memory(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_copy_memory *of = vkr_event_payload(event);
	struct copy copy = {.walk = walk, .of = of, .kind = &kinds[of->kind]};
	const struct vkr_command_info like = {.name = copy.kind->name, .indirect = true};
	struct vkr_command_info *info =
		vkr_walk_info(walk, of->command, VKR_TRACE_CMD_COPY_MEMORY, &like);
	uint32_t count = 0, parameters;
	bool known = false;
	begin_copy(&copy, info);
	enum vkr_result result = vkr_walk_begin_command(walk, info, &copy.read.command);
	copy.write.command = copy.read.command;
	if (result == VKR_OK)
		result = count_regions(&copy, &count, &known);
	if (result == VKR_OK && known)
		result = read_parameters(&copy, count);
	known = known &&
		(count == 0 || memory_copies_captured(&copy, of->address + (count - 1) * of->stride,
						      &parameters, sizeof parameters));
	if (result == VKR_OK && known)
		result = copy_regions(&copy, count);
	else if (result == VKR_OK)
		result = vkr_model_missed(
			walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
			"what %s copies is not observed: its parameters could not be read",
			copy.kind->name);
	if (result == VKR_OK)
		vkr_engine_command_end(walk->model->engine, copy.read.command);
	return result;
}

enum vkr_result vkr_walk_move(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_move *of = vkr_event_payload(event);
	const struct vkr_trace_moved *regions = (const void *)(of + 1);
	const struct move *kind = &moves[of->form];
	const struct vkr_command_info like = {.name = kind->name};
	struct vkr_walk_access read = {
		.info = vkr_walk_info(walk, of->command, VKR_TRACE_CMD_MOVE, &like),
		.operation = kind->read_operation,
		.possible = kind->possible,
		.stage = kind->stage,
		.access = kind->read};
	enum vkr_result result = vkr_walk_begin_command(walk, read.info, &read.command);
	struct vkr_walk_access write = read;
	write.write = true;
	write.operation = kind->write_operation;
	write.access = kind->write;
	for (uint32_t at = 0; at < of->region_count && result == VKR_OK; at++)
		result = move_bytes(walk, &read, &write, &regions[at]);
	if (result == VKR_OK)
		vkr_engine_command_end(walk->model->engine, read.command);
	return result;
}
