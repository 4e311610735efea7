// SPDX-License-Identifier: Apache-2.0
// Cells, blocks, and the commands that set them on the device timeline.
// Knows the GPU-side layout; not what is logged.
#include "log_track.h"

#include "fragment_facts.h"

#include "array.h"
#include "log_buffer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A block alone, and one after its own place at an offset that a dynamic uniform
// buffer may have (minUniformBufferOffsetAlignment is at most 256).
#define BLOCK_BYTES       ((uint32_t)sizeof(struct vkr_gpu_block))
#define SET_ALIGNMENT     256u
#define SET_ADDRESS_BYTES ((uint32_t)sizeof(struct vkr_gpu_place))
#define CELL_BYTES        ((uint32_t)sizeof(struct vkr_gpu_cell))

struct vkr_track *vkr_track_create(struct vkr_layer_device *device)
{
	struct vkr_track *track = calloc(1, sizeof *track);
	if (!track)
		return NULL;
	track->device = device;
	track->page.faults = -1;
	atomic_init(&track->references, 1);
	return track;
}

struct vkr_track *vkr_track_hold(struct vkr_track *track)
{
	atomic_fetch_add_explicit(&track->references, 1, memory_order_relaxed);
	return track;
}

static void destroy_gate(struct vkr_track *track)
{
	struct vkr_layer_device *device = track->device;
	device->next.DestroyBuffer(device->handle, track->gate, NULL);
	device->next.FreeMemory(device->handle, track->gate_memory, NULL);
	track->gate = VK_NULL_HANDLE;
	track->gate_memory = VK_NULL_HANDLE;
	vkr_missing_page_finish(&track->page);
}

void vkr_track_release(struct vkr_track *track)
{
	if (!track || atomic_fetch_sub_explicit(&track->references, 1, memory_order_acq_rel) != 1)
		return;
	struct vkr_layer_device *device = track->device;
	while (track->pages) {
		struct vkr_log_page *page = track->pages;
		track->pages = page->next;
		vkr_log_page_give(device, page);
	}
	device->next.DestroyEvent(device->handle, track->filled, NULL);
	device->next.DestroyEvent(device->handle, track->drained, NULL);
	destroy_gate(track);
	for (size_t i = 0; i < track->count; i++)
		vkr_track_release(track->items[i].track);
	free(track->items);
	free(track->places.items);
	free(track->heaps.items);
	free(track->snapshots.items);
	free(track->column_logs.items);
	free(track->stretches.items);
	free(track);
}

void vkr_track_mix(struct vkr_track *track)
{
	atomic_store(&track->mixed, true);
	for (size_t i = 0; i < track->count; i++)
		atomic_store(&track->items[i].track->mixed, true);
}

bool vkr_track_is_mixed(const struct vkr_track *track)
{
	bool mixed = atomic_load(&track->mixed);
	for (size_t i = 0; i < track->count; i++)
		mixed |= atomic_load(&track->items[i].track->mixed);
	return mixed;
}

bool vkr_track_place(struct vkr_track *track, struct vkr_descriptor_place *place)
{
	// Most are bound again soon; one that stands there twice is read twice.
	for (size_t i = track->places.count; i > 0 && i + 8 > track->places.count; i--)
		if (track->places.items[i - 1] == place)
			return true;
	// Its contents are read when work is submitted, and checked when the work is done: as for
	// logs, but also if no shader logs.
	if (!vkr_track_need_cell(track) || !VKR_ARRAY_RESERVE(&track->places, 1))
		return false;
	track->places.items[track->places.count++] = place;
	return true;
}

bool vkr_track_heap(struct vkr_track *track, struct vkr_heap_place *place)
{
	for (size_t i = 0; i < track->heaps.count; i++)
		if (track->heaps.items[i] == place)
			return true;
	if (!vkr_track_need_cell(track) || !VKR_ARRAY_RESERVE(&track->heaps, 1))
		return false;
	track->heaps.items[track->heaps.count++] = place;
	return true;
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
	vkr_cell_set(vkr_track_cell_place(track), &track->device->log->nowhere);
	return true;
}

static uint64_t saturating_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

// So many bytes of the newest page, or of a new one. False for lack of memory.
static bool take_bytes(struct vkr_track *track, uint32_t bytes, uint32_t alignment, uint32_t *at)
{
	*at = (track->used + alignment - 1) / alignment * alignment;
	if (*at + bytes > VKR_LOG_PAGE_BYTES) {
		if (!add_page(track))
			return false;
		*at = 0;
	}
	track->used = *at + bytes;
	return true;
}

bool vkr_track_bytes(struct vkr_track *track, const void *data, uint32_t bytes, uint64_t *address)
{
	const uint64_t alignment = track->device->properties.limits.minStorageBufferOffsetAlignment;
	uint32_t at;
	if (!vkr_track_need_cell(track) || !take_bytes(track, bytes, (uint32_t)alignment, &at))
		return false;
	memcpy(vkr_log_page_map(track->pages) + at, data, bytes);
	*address = vkr_log_page_address(track->pages) + at;
	return true;
}

// Where the stages' marks are, after the block and the pushed address.
static uint32_t lay_out_marks(struct vkr_gpu_block *block, const uint32_t *marks, uint32_t bytes)
{
	for (uint32_t slot = 0; slot < VKR_DRAW_STAGES; slot++) {
		block->marks[slot] = marks[slot] ? bytes / (uint32_t)sizeof(uint32_t) : 0;
		bytes += marks[slot] * (uint32_t)sizeof(uint32_t);
	}
	return bytes;
}

// Where an invocation tells what all load alike, likewise: which one does stands before that.
static uint32_t lay_out_told(struct vkr_gpu_block *block, const struct vkr_told *told,
			     uint32_t bytes)
{
	if (told->words == 0)
		return bytes;
	block->uniforms = bytes / (uint32_t)sizeof(uint32_t);
	return bytes + (1 + told->words) * (uint32_t)sizeof(uint32_t);
}

bool vkr_track_block(struct vkr_track *track, const struct vkr_gpu_block *from, bool by_set,
		     const struct vkr_block_tail *tail, struct vkr_block_place *place)
{
	struct vkr_gpu_block block = *from;
	*place = vkr_track_no_block(track->device);
	uint32_t alignment = by_set ? SET_ALIGNMENT : BLOCK_BYTES;
	uint32_t before = by_set ? SET_ADDRESS_BYTES : 0, at;
	uint32_t bytes = BLOCK_BYTES + (tail->pushed ? (uint32_t)sizeof tail->pushed : 0);
	if (tail->marks) {
		bytes = lay_out_marks(&block, tail->marks, bytes);
		block.draw = track->draws++;
	}
	bytes = lay_out_told(&block, &tail->told, bytes) + before;
	if (!vkr_track_need_cell(track) || !VKR_ARRAY_RESERVE(&track->snapshots, 1) ||
	    !take_bytes(track, bytes, alignment, &at))
		return false;
	unsigned char *map = vkr_log_page_map(track->pages) + at;
	place->addresses = vkr_log_place(vkr_log_page_address(track->pages) + at + before,
					 vkr_log_page_address(track->cell_page));
	place->page = track->pages;
	place->offset = track->pages->offset + at;
	if (by_set)
		memcpy(map, &place->addresses, sizeof place->addresses);
	memcpy(map + before, &block, sizeof block);
	if (tail->pushed)
		memcpy(map + before + VKR_BLOCK_PUSHED, &tail->pushed, sizeof tail->pushed);
	if (tail->told.words > 0) {
		const uint32_t told = before + block.uniforms * (uint32_t)sizeof(uint32_t);
		memcpy(map + told, &tail->told.invocation, sizeof tail->told.invocation);
		track->snapshots.items[track->snapshots.count++] = (struct vkr_layer_snapshot){
			.command = block.command,
			.stretch = (uint32_t)track->stretches.count,
			.address = VKR_SNAPSHOT_UNIFORMS,
			.page = track->pages,
			.offset = at + told + (uint32_t)sizeof(uint32_t),
			.bytes = tail->told.words * (uint32_t)sizeof(uint32_t),
		};
	}
	return true;
}

const struct vkr_layer_snapshot *vkr_track_snapshot(struct vkr_track *track, uint32_t command,
						    uint64_t address, uint64_t bytes)
{
	const uint32_t most = VKR_LOG_PAGE_BYTES - CELL_BYTES;
	struct vkr_layer_snapshot piece = {.command = command,
					   .stretch = (uint32_t)track->stretches.count,
					   .address = address,
					   .bytes = bytes < most ? (uint32_t)bytes : most};
	if (!vkr_track_need_cell(track) || !VKR_ARRAY_RESERVE(&track->snapshots, 1) ||
	    !take_bytes(track, piece.bytes, sizeof(uint64_t), &piece.offset))
		return NULL;
	piece.page = track->pages;
	track->snapshots.items[track->snapshots.count] = piece;
	return &track->snapshots.items[track->snapshots.count++];
}

static uint64_t round_up(uint64_t value, uint64_t step)
{
	return (value + step - 1) / step * step;
}

bool vkr_track_column_log(struct vkr_track *track, struct vkr_column_log *column_log)
{
	const uint64_t whole = VKR_COLUMN_LOG_HEADER_PAIRS; // columns begin at multiples of this
	if (!VKR_ARRAY_RESERVE(&track->column_logs, 1))
		return false;
	column_log->stretch = (uint32_t)track->stretches.count;
	column_log->first = track->column_log_pairs;
	uint64_t end = column_log->first + column_log->pairs;
	if (column_log->mark_words) {
		column_log->marks = round_up(end, VKR_READER_MARKS_ALIGNMENT);
		end = column_log->marks + column_log->mark_words / 2;
	}
	track->column_logs.items[track->column_logs.count++] = *column_log;
	track->column_log_pairs = round_up(end, whole);
	track->words =
		saturating_sum(track->words, 2 * (track->column_log_pairs - column_log->first));
	return true;
}

uint64_t vkr_track_chunks_start(const struct vkr_track *track, size_t stretch)
{
	const uint64_t pairs = stretch < track->stretches.count ? track->stretches.items[stretch]
								: track->column_log_pairs;
	return VKR_LOG_HEADER_WORDS + 2 * pairs;
}

uint64_t vkr_track_least_words(const struct vkr_track *track)
{
	uint64_t most = 0;
	for (size_t stretch = 0; stretch <= track->stretches.count; stretch++) {
		const uint64_t words = vkr_track_chunks_start(track, stretch);
		most = words > most ? words : most;
	}
	return most;
}

struct vkr_block_place vkr_track_no_block(const struct vkr_layer_device *device)
{
	return (struct vkr_block_place){
		.addresses = device->log->null_place,
		.page = device->log->null_page,
		.offset = device->log->null_page->offset,
	};
}

struct vkr_gpu_cell vkr_track_cell(const struct vkr_track *track,
				   const struct vkr_log_region *region)
{
	if (!region)
		return track->device->log->nowhere;
	const uint64_t column_logs = region->address + VKR_LOG_HEADER_WORDS * sizeof *region->words;
	const uint32_t count = track->draws + 1;
	_Atomic uint32_t *generations = &track->device->log->generations;
	uint32_t before = atomic_load(generations);
	while (before < UINT32_MAX - count &&
	       !atomic_compare_exchange_weak(generations, &before, before + count))
		;
	return (struct vkr_gpu_cell){
		.log = {(uint32_t)region->address, (uint32_t)(region->address >> 32)},
		.capacity = (uint32_t)(region->bytes / sizeof *region->words),
		.column_logs = {(uint32_t)column_logs, (uint32_t)(column_logs >> 32)},
		.generation = before < UINT32_MAX - count ? before + 1 : 0,
		.texel_marks = atomic_load(&track->device->fragment_facts) & VKR_SAMPLERS_ODD
				       ? 0
				       : region->texel_marks,
	};
}

struct vkr_gpu_cell vkr_track_call_cell(const struct vkr_gpu_cell *cell,
					const struct vkr_track *track, size_t at)
{
	const struct vkr_call *call = &track->items[at];
	struct vkr_gpu_cell made = *cell;
	if (made.generation)
		made.generation += call->draws;
	uint64_t column_logs = made.column_logs[0] | (uint64_t)made.column_logs[1] << 32;
	made.command_base = call->command_base;
	if (column_logs)
		column_logs += call->column_logs * 2 * sizeof(uint32_t);
	made.column_logs[0] = (uint32_t)column_logs;
	made.column_logs[1] = (uint32_t)(column_logs >> 32);
	return made;
}

struct vkr_cell_place vkr_track_cell_place(const struct vkr_track *track)
{
	return (struct vkr_cell_place){.page = track->cell_page};
}

void vkr_cell_set(struct vkr_cell_place place, const struct vkr_gpu_cell *cell)
{
	memcpy(vkr_log_page_map(place.page) + place.offset, cell, sizeof *cell);
}

static void record_barrier(struct vkr_layer_device *device, VkCommandBuffer buffer,
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

static void before_cell_write(struct vkr_layer_device *device, VkCommandBuffer buffer)
{
	record_barrier(device, buffer, reading_stages, VK_ACCESS_TRANSFER_WRITE_BIT,
		       VK_PIPELINE_STAGE_TRANSFER_BIT,
		       VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
}

static void after_cell_write(struct vkr_layer_device *device, VkCommandBuffer buffer)
{
	record_barrier(device, buffer, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
		       reading_stages, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT);
}

void vkr_cell_record(struct vkr_layer_device *device, VkCommandBuffer buffer,
		     struct vkr_cell_place place, const struct vkr_gpu_cell *cell)
{
	before_cell_write(device, buffer);
	device->next.CmdUpdateBuffer(buffer, place.page->slab->buffer,
				     place.page->offset + place.offset, sizeof *cell, cell);
	after_cell_write(device, buffer);
}

// The cells that a caller sets for a call: the cell of the called track, and after it the cells of
// the tracks that this one calls.
static struct vkr_cell_place target_of(const struct vkr_track *called, size_t at)
{
	return at ? called->items[at - 1].place : vkr_track_cell_place(called);
}

// Adds one of the items of a call, for the target of this number. False for lack of memory.
static bool add_item(struct vkr_track *caller, const struct vkr_call *call, size_t at)
{
	const struct vkr_track *called = call->track;
	struct vkr_call item = *call;
	item.stretch = (uint32_t)caller->stretches.count;
	item.column_logs = caller->column_log_pairs;
	item.draws = caller->draws;
	item.reader = caller;
	if (at) {
		const struct vkr_call *inner = &called->items[at - 1];
		item.track = inner->track;
		item.is_nested = true;
		item.command_base += inner->command_base;
		item.column_logs += inner->column_logs;
		item.draws += inner->draws;
	}
	if (call->in_pass) {
		item.place = target_of(called, at);
		item.reader = at ? called->items[at - 1].reader : call->track;
	} else {
		if (!take_bytes(caller, CELL_BYTES, CELL_BYTES, &item.place.offset))
			return false;
		item.place.page = caller->pages;
	}
	caller->items[caller->count++] = item;
	vkr_track_hold(item.track);
	return true;
}

// One cell cannot be set twice before the caller begins, nor once and be copied over.
static void find_ambiguous(struct vkr_track *caller, size_t first)
{
	for (size_t i = first; i < caller->count; i++)
		for (size_t k = 0; k < first; k++)
			caller->ambiguous |= caller->items[i].track == caller->items[k].track &&
					     (caller->items[i].in_pass || caller->items[k].in_pass);
}

bool vkr_track_record_call(struct vkr_track *caller, VkCommandBuffer buffer,
			   const struct vkr_call *call)
{
	struct vkr_layer_device *device = caller->device;
	const struct vkr_track *called = call->track;
	const size_t first = caller->count;
	bool added = vkr_track_need_cell(caller) && VKR_ARRAY_RESERVE(caller, 1 + called->count);
	for (size_t at = 0; added && at <= called->count; at++)
		added = add_item(caller, call, at);
	if (!added) {
		while (caller->count > first)
			vkr_track_release(caller->items[--caller->count].track);
		return false;
	}
	find_ambiguous(caller, first);
	caller->ambiguous |= called->ambiguous;
	caller->column_log_pairs += called->column_log_pairs;
	caller->draws += called->draws;
	caller->words = saturating_sum(caller->words, called->words);
	if (call->in_pass)
		return true;
	before_cell_write(device, buffer);
	for (size_t at = 0; at <= called->count; at++) {
		const struct vkr_cell_place from = caller->items[first + at].place;
		const struct vkr_cell_place to = target_of(called, at);
		const VkBufferCopy copy = {
			.srcOffset = from.page->offset + from.offset,
			.dstOffset = to.page->offset + to.offset,
			.size = CELL_BYTES,
		};
		device->next.CmdCopyBuffer(buffer, from.page->slab->buffer, to.page->slab->buffer,
					   1, &copy);
	}
	after_cell_write(device, buffer);
	return true;
}

void vkr_track_silence_call(VkCommandBuffer buffer, const struct vkr_call *call)
{
	const struct vkr_track *called = call->track;
	const struct vkr_gpu_cell *nowhere = &called->device->log->nowhere;
	for (size_t at = 0; at <= called->count; at++) {
		if (call->in_pass)
			vkr_cell_set(target_of(called, at), nowhere);
		else
			vkr_cell_record(called->device, buffer, target_of(called, at), nowhere);
	}
}

// What a stop writes to; none where the driver does not run on the CPU, or takes no memory of ours.
static void make_gate(struct vkr_track *track)
{
	struct vkr_layer_device *device = track->device;
	const VkDeviceSize bytes = 4; // of the page
	uint64_t address;
	if (device->properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU || !device->log->import ||
	    !vkr_missing_page_init(&track->page))
		return;
	track->gate = vkr_log_buffer_create(device, bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
	if (!track->gate ||
	    !vkr_log_buffer_bind(device, track->gate, track->page.memory,
				 (uint64_t)sysconf(_SC_PAGESIZE), &track->gate_memory, &address))
		destroy_gate(track);
}

void vkr_track_pass(struct vkr_track *track)
{
	vkr_missing_page_give(&track->page);
}

void vkr_track_passed(struct vkr_track *track)
{
	struct vkr_layer_device *device = track->device;
	if (track->page.present &&
	    device->next.GetEventStatus(device->handle, track->drained) == VK_EVENT_RESET)
		vkr_missing_page_take(&track->page);
}

static bool need_events(struct vkr_track *track)
{
	struct vkr_layer_device *device = track->device;
	VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
	if (!track->filled &&
	    device->next.CreateEvent(device->handle, &info, NULL, &track->filled) != VK_SUCCESS)
		track->filled = VK_NULL_HANDLE;
	if (!track->drained)
		make_gate(track);
	if (!track->drained &&
	    device->next.CreateEvent(device->handle, &info, NULL, &track->drained) != VK_SUCCESS)
		track->drained = VK_NULL_HANDLE;
	return track->filled && track->drained;
}

bool vkr_track_record_stop(struct vkr_track *track, VkCommandBuffer buffer)
{
	struct vkr_layer_device *device = track->device;
	if (!need_events(track) || !VKR_ARRAY_RESERVE(&track->stretches, 1))
		return false;
	// The host sees the logged words before it sees `filled` set.
	record_barrier(device, buffer, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
		       VK_ACCESS_SHADER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
		       VK_ACCESS_HOST_READ_BIT);
	device->next.CmdSetEvent(buffer, track->filled, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
	if (track->gate)
		device->next.CmdFillBuffer(buffer, track->gate, 0, VK_WHOLE_SIZE, 0);
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
	track->stretches.items[track->stretches.count++] = track->column_log_pairs;
	track->column_log_pairs = 0;
	return true;
}
