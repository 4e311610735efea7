// SPDX-License-Identifier: Apache-2.0
#include "snapshots.h"

#include "array.h"
#include "buffer_addresses.h"
#include "record.h"

// The buffer to copy from, and where in it; false where there is none that lets itself be copied.
static bool find_source(struct vkr_layer_device *device, uint64_t address, uint64_t bytes,
			VkBuffer *source, VkDeviceSize *offset)
{
	bool found = false;
	vkr_buffer_addresses_lock(device);
	const struct vkr_address_range *range = vkr_buffer_addresses_find(device, address);
	const struct vkr_layer_buffer *buffer =
		range ? vkr_handles_get(&device->objects.buffers, range->buffer) : NULL;
	if (buffer && buffer->copies && bytes <= range->bytes - (address - range->first)) {
		*source = (VkBuffer)(uintptr_t)range->buffer;
		*offset = address - range->first;
		found = true;
	}
	vkr_buffer_addresses_unlock(device);
	return found;
}

// All that came before has written what is copied, and all that comes after may write it anew.
static void snapshots_order(struct vkr_layer_command_buffer *buffer, bool before)
{
	const VkMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = before ? VK_ACCESS_MEMORY_WRITE_BIT : VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = before ? VK_ACCESS_TRANSFER_READ_BIT : VK_ACCESS_HOST_READ_BIT,
	};
	buffer->device->next.CmdPipelineBarrier(
		buffer->handle,
		before ? VK_PIPELINE_STAGE_ALL_COMMANDS_BIT : VK_PIPELINE_STAGE_TRANSFER_BIT,
		before ? VK_PIPELINE_STAGE_TRANSFER_BIT
		       : VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
		0, 1, &barrier, 0, NULL, 0, NULL);
}

bool vkr_snapshots_apply(const struct vkr_layer_command_buffer *buffer)
{
	return buffer->track && buffer->level == VK_COMMAND_BUFFER_LEVEL_PRIMARY;
}

// The copy alone; false for lack of memory.
static bool copy_source(struct vkr_layer_command_buffer *buffer,
			const struct vkr_snapshot_source *source)
{
	struct vkr_track *track = buffer->track;
	const size_t kept = track->snapshots.count;
	for (uint64_t done = 0; done < source->bytes;) {
		const struct vkr_layer_snapshot *piece = vkr_track_snapshot(
			track, source->command, source->address + done, source->bytes - done);
		if (!piece) {
			track->snapshots.count = kept;
			vkr_record_no_memory("a copy of a command's parameters");
			return false;
		}
		const VkBufferCopy region = {.srcOffset = source->offset + done,
					     .dstOffset = piece->page->offset + piece->offset,
					     .size = piece->bytes};
		buffer->device->next.CmdCopyBuffer(buffer->handle, source->buffer,
						   piece->page->slab->buffer, 1, &region);
		done += piece->bytes;
	}
	return true;
}

void vkr_snapshots_await(struct vkr_layer_command_buffer *buffer, uint32_t command)
{
	const struct vkr_trace_cmd_snapshot payload = {.command = command};
	vkr_command_event(buffer, VKR_TRACE_CMD_SNAPSHOT, &payload, sizeof payload, 0);
}

bool vkr_layer_snapshot(struct vkr_layer_command_buffer *buffer, uint32_t command, uint64_t address,
			uint64_t bytes)
{
	struct vkr_snapshot_source source = {
		.command = command, .bytes = bytes & ~UINT64_C(3), .address = address};
	if (!vkr_snapshots_apply(buffer) || buffer->render_pass.is_open || source.bytes == 0 ||
	    !find_source(buffer->device, address, source.bytes, &source.buffer, &source.offset))
		return false;
	snapshots_order(buffer, true);
	const bool copied = copy_source(buffer, &source);
	snapshots_order(buffer, false);
	if (copied)
		vkr_snapshots_await(buffer, command);
	return copied;
}

void vkr_snapshot_draw(struct vkr_layer_command_buffer *buffer,
		       const struct vkr_snapshot_source *source)
{
	const struct vkr_layer_buffer *from = vkr_command_find_buffer(buffer, source->buffer);
	if (!vkr_snapshots_apply(buffer) || !from || !from->copies || source->offset >= from->bytes)
		return;
	struct vkr_snapshot_source kept = *source;
	if (kept.bytes > from->bytes - kept.offset)
		kept.bytes = from->bytes - kept.offset;
	kept.bytes &= ~UINT64_C(3);
	if (kept.bytes == 0)
		return;
	if (!vkr_track_need_cell(buffer->track) || !VKR_ARRAY_RESERVE(&buffer->draw_sources, 1)) {
		vkr_record_no_memory("a copy of a command's parameters");
		return;
	}
	buffer->draw_sources.items[buffer->draw_sources.count++] = kept;
	vkr_snapshots_await(buffer, kept.command);
}

void vkr_snapshots_end_pass(struct vkr_layer_command_buffer *buffer)
{
	bool copied = true;
	if (buffer->draw_sources.count == 0)
		return;
	snapshots_order(buffer, true);
	for (size_t at = 0; at < buffer->draw_sources.count && copied; at++)
		copied = copy_source(buffer, &buffer->draw_sources.items[at]);
	snapshots_order(buffer, false);
	buffer->draw_sources.count = 0;
}

static bool is_last(const struct vkr_track *track, size_t at)
{
	const struct vkr_layer_snapshot *piece = &track->snapshots.items[at];
	return at + 1 == track->snapshots.count || piece[1].command != piece->command;
}

void vkr_snapshots_record(uint32_t execution, const struct vkr_track *track, size_t stretch)
{
	for (size_t at = 0; at < track->snapshots.count; at++) {
		const struct vkr_layer_snapshot *piece = &track->snapshots.items[at];
		const struct vkr_trace_snapshot payload = {
			.execution = execution,
			.command = piece->command,
			.address = piece->address,
			.word_count = piece->bytes / (uint32_t)sizeof(uint32_t),
			.flags = is_last(track, at) ? VKR_SNAPSHOT_LAST : 0u,
		};
		struct vkr_bytes words = {vkr_log_page_map(piece->page) + piece->offset,
					  piece->bytes};
		if (piece->stretch == stretch)
			vkr_record_layer(VKR_TRACE_SNAPSHOT, &payload, sizeof payload, &words, 1);
	}
}
