// SPDX-License-Identifier: Apache-2.0
// Cells, blocks, and the commands that set them on the device timeline.
// Knows the GPU-side layout; not what is logged.
#include "log_track.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

// A block alone, and one behind its own address (16 bytes) at an offset that a dynamic uniform
// buffer may have (minUniformBufferOffsetAlignment is at most 256).
#define BLOCK_BYTES        ((uint32_t)sizeof(struct vkr_gpu_block))
#define SET_ALIGNMENT      256u
#define SET_ADDRESS_BYTES  16u
#define COMMAND_BASE_BYTES 4u

static_assert(offsetof(struct vkr_gpu_cell, command_base) + COMMAND_BASE_BYTES ==
		      sizeof(struct vkr_gpu_cell),
	      "a call copies what is before it and writes the command base");

struct vkr_track *vkr_track_create(struct vkr_device *device)
{
	struct vkr_track *track = calloc(1, sizeof *track);
	if (!track)
		return NULL;
	track->device = device;
	atomic_init(&track->references, 1);
	return track;
}

struct vkr_track *vkr_track_hold(struct vkr_track *track)
{
	atomic_fetch_add_explicit(&track->references, 1, memory_order_relaxed);
	return track;
}

void vkr_track_release(struct vkr_track *track)
{
	if (!track || atomic_fetch_sub_explicit(&track->references, 1, memory_order_acq_rel) != 1)
		return;
	struct vkr_device *device = track->device;
	while (track->pages) {
		struct vkr_log_page *page = track->pages;
		track->pages = page->next;
		vkr_log_page_give(device, page);
	}
	device->next.DestroyEvent(device->handle, track->filled, NULL);
	device->next.DestroyEvent(device->handle, track->drained, NULL);
	for (size_t i = 0; i < track->count; i++)
		vkr_track_release(track->items[i].track);
	free(track->items);
	free(track);
}

static bool add_page(struct vkr_track *track)
{
	struct vkr_log_page *page = vkr_log_page_take(track->device);
	if (!page)
		return false;
	page->next = track->pages;
	track->pages = page;
	track->used = 0;
	return true;
}

bool vkr_track_need_cell(struct vkr_track *track)
{
	if (track->cell_page)
		return true;
	if (!add_page(track))
		return false;
	track->cell_page = track->pages;
	track->used = sizeof(struct vkr_gpu_cell);
	return true;
}

static uint64_t cell_address(const struct vkr_track *track)
{
	return vkr_log_page_address(track->cell_page);
}

bool vkr_track_block(struct vkr_track *track, uint32_t command, const uint32_t *groups, bool by_set,
		     struct vkr_block_place *place)
{
	*place = vkr_track_no_block(track->device);
	uint32_t alignment = by_set ? SET_ALIGNMENT : BLOCK_BYTES;
	uint32_t before = by_set ? SET_ADDRESS_BYTES : 0;
	if (!vkr_track_need_cell(track))
		return false;
	uint32_t at = (track->used + alignment - 1) / alignment * alignment;
	if (at + before + BLOCK_BYTES > VKR_LOG_PAGE_BYTES) {
		if (!add_page(track))
			return false;
		at = 0;
	}
	track->used = at + before + BLOCK_BYTES;

	uint64_t cell = cell_address(track);
	struct vkr_gpu_block block = {
		.cell = {(uint32_t)cell, (uint32_t)(cell >> 32)},
		.command = command,
	};
	if (groups)
		memcpy(block.groups, groups, sizeof block.groups);
	unsigned char *map = vkr_log_page_map(track->pages) + at;
	place->address = vkr_log_page_address(track->pages) + at + before;
	place->page = track->pages;
	place->offset = track->pages->offset + at;
	if (by_set)
		memcpy(map, &place->address, sizeof place->address);
	memcpy(map + before, &block, sizeof block);
	return true;
}

struct vkr_block_place vkr_track_no_block(const struct vkr_device *device)
{
	return (struct vkr_block_place){
		.address = device->log->null_block,
		.page = device->log->null_page,
		.offset = device->log->null_page->offset,
	};
}

struct vkr_gpu_cell vkr_track_cell(const struct vkr_log_region *region)
{
	if (!region)
		return (struct vkr_gpu_cell){0};
	return (struct vkr_gpu_cell){
		.log = {(uint32_t)region->address, (uint32_t)(region->address >> 32)},
		.capacity = (uint32_t)(region->bytes / sizeof *region->words),
	};
}

void vkr_track_set_cell(struct vkr_track *track, const struct vkr_gpu_cell *cell)
{
	memcpy(vkr_log_page_map(track->cell_page), cell, sizeof *cell);
}

static void record_barrier(struct vkr_device *device, VkCommandBuffer buffer,
			   VkPipelineStageFlags source_stages, VkAccessFlags source_access,
			   VkPipelineStageFlags destination_stages,
			   VkAccessFlags destination_access)
{
	VkMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = source_access,
		.dstAccessMask = destination_access,
	};
	device->next.CmdPipelineBarrier(buffer, source_stages, destination_stages, 0, 1, &barrier,
					0, NULL, 0, NULL);
}

// Shaders of the stages that log, and copies, read cells. Not every queue has each of the stages,
// but every one takes all of them.
static const VkPipelineStageFlags reading_stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

static void before_cell_write(struct vkr_device *device, VkCommandBuffer buffer)
{
	record_barrier(device, buffer, reading_stages, VK_ACCESS_TRANSFER_WRITE_BIT,
		       VK_PIPELINE_STAGE_TRANSFER_BIT,
		       VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
}

static void after_cell_write(struct vkr_device *device, VkCommandBuffer buffer)
{
	record_barrier(device, buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
		       reading_stages, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT);
}

void vkr_track_record_cell(struct vkr_track *track, VkCommandBuffer buffer,
			   const struct vkr_gpu_cell *cell)
{
	struct vkr_device *device = track->device;
	before_cell_write(device, buffer);
	device->next.CmdUpdateBuffer(buffer, track->cell_page->slab->buffer,
				     track->cell_page->offset, sizeof *cell, cell);
	after_cell_write(device, buffer);
}

bool vkr_track_record_call(struct vkr_track *primary, VkCommandBuffer buffer,
			   const struct vkr_call *call)
{
	struct vkr_device *device = primary->device;
	struct vkr_track *secondary = call->track;
	if (!vkr_track_need_cell(primary) || !VKR_ARRAY_RESERVE(primary, 1))
		return false;
	for (size_t i = 0; i < primary->count; i++)
		primary->ambiguous |= primary->items[i].track == secondary &&
				      (call->in_pass || primary->items[i].in_pass);
	primary->items[primary->count++] = *call;
	vkr_track_hold(secondary);
	primary->words = primary->words > UINT64_MAX - secondary->words
				 ? UINT64_MAX
				 : primary->words + secondary->words;
	if (call->in_pass)
		return true;
	const struct vkr_log_page *from = primary->cell_page, *to = secondary->cell_page;
	VkBufferCopy copy = {
		.srcOffset = from->offset,
		.dstOffset = to->offset,
		.size = offsetof(struct vkr_gpu_cell, command_base),
	};
	before_cell_write(device, buffer);
	device->next.CmdCopyBuffer(buffer, from->slab->buffer, to->slab->buffer, 1, &copy);
	device->next.CmdUpdateBuffer(buffer, to->slab->buffer, to->offset + copy.size,
				     COMMAND_BASE_BYTES, &call->command_base);
	after_cell_write(device, buffer);
	return true;
}

static bool need_events(struct vkr_track *track)
{
	struct vkr_device *device = track->device;
	VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
	if (!track->filled &&
	    device->next.CreateEvent(device->handle, &info, NULL, &track->filled) != VK_SUCCESS)
		track->filled = VK_NULL_HANDLE;
	if (!track->drained &&
	    device->next.CreateEvent(device->handle, &info, NULL, &track->drained) != VK_SUCCESS)
		track->drained = VK_NULL_HANDLE;
	return track->filled && track->drained;
}

bool vkr_track_record_stop(struct vkr_track *track, VkCommandBuffer buffer)
{
	struct vkr_device *device = track->device;
	if (!need_events(track))
		return false;
	// What was logged reaches the host, then `filled` tells it so.
	record_barrier(device, buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		       VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
		       VK_ACCESS_HOST_READ_BIT);
	device->next.CmdSetEvent(buffer, track->filled, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
	// The host empties the log, resets `filled` and sets `drained`.
	VkMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_HOST_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
	};
	device->next.CmdWaitEvents(buffer, 1, &track->drained, VK_PIPELINE_STAGE_HOST_BIT,
				   VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 1, &barrier, 0, NULL, 0,
				   NULL);
	// A reset needs an execution dependency on the wait before it (vkCmdResetEvent).
	record_barrier(device, buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
		       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0);
	device->next.CmdResetEvent(buffer, track->drained, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
	// The next stop's `drained` must not be set before this reset: order it before what logs.
	record_barrier(device, buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
		       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0);
	track->words = 0;
	return true;
}
