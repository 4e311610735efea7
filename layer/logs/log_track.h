// SPDX-License-Identifier: Apache-2.0
// A track: what one recording of a command buffer needs so that its dispatches can log — the cell,
// the blocks, and which executions of it are under way (vkrace/gpu_log.h).
// Knows the GPU-side layout; not what is logged.
#pragma once

#include "log_memory.h"
#include "missing_page.h"

#include "vkrace/gpu_log.h"

#include <stdatomic.h>

// A dispatch's column log.
struct vkr_column_log {
	uint64_t first; // pair where its header begins, from the command buffer's first column log
	uint64_t pairs; // header and columns
	// Of marks of reads (struct vkr_gpu_block), after them; 0: there are none.
	uint32_t mark_words;
	uint64_t marks;       // pair where they begin, counted as `first`
	uint32_t command;     // index in the command buffer
	uint32_t stretch;     // how many stops of the command buffer stand before it
	uint32_t pitch;       // 0: indirect
	uint32_t columns;     // that may be written; of an indirect dispatch 0
	uint32_t first_group; // linear index in the dispatch's whole grid
	uint32_t groups[3];   // of the whole grid; of an indirect dispatch not known
	uint32_t local_size;
	_Atomic uint32_t *learned; // the shader's: the most columns written so far
	uint32_t least;            // columns that an invocation needs to log at all
	uint32_t record;           // pairs of the longest record
	// Pairs at the end of its columns; if one of them is written, an invocation may have lacked
	// room. 0: none can lack any.
	uint32_t tail;
	bool streams; // invocations log streams: how many words each did stands in its first
	bool whole;   // of a summary: each of its workgroups is judged, also where none has logged
};

// A piece of the parameters that a command reads, copied before it does (snapshots.h).
struct vkr_layer_snapshot {
	uint32_t command; // index in the command buffer
	uint32_t stretch; // how many stops of the command buffer stand before it
	uint64_t address; // where from
	struct vkr_log_page *page;
	uint32_t offset, bytes; // in the page
};

struct vkr_track {
	_Atomic uint32_t references; // the command buffer, its executions, primaries that call it
	_Atomic uint32_t pending;    // executions submitted and not drained
	struct vkr_layer_queue *_Atomic queue; // of the newest execution
	// Executions were under way on two queues at once: their logs cannot be distinguished.
	_Atomic bool mixed;
	struct vkr_layer_device *device;
	struct vkr_log_page *pages; // newest first; the last holds the cell at its start
	struct vkr_log_page *cell_page;
	uint32_t used; // bytes of the newest page
	// The device stops between dispatches until the host has drained the log: it sets `filled`
	// and waits for `drained`.
	VkEvent filled, drained;
	// Drivers that run on the CPU may take up a core while they wait for an event, as lavapipe
	// does. There a command before that wait writes to a page that is missing until the log is
	// drained. Where there is no such page, `gate` is VK_NULL_HANDLE.
	struct vkr_missing_page page;
	VkBuffer gate;
	VkDeviceMemory gate_memory;
	uint64_t words; // at most, logged since the log was last known to be empty
	uint32_t draws; // with marks, so far, those of secondary command buffers included
	struct {
		struct vkr_column_log *items;
		size_t count, capacity;
	} column_logs;
	uint64_t column_log_pairs; // of the present stretch, secondary command buffers included
	struct {
		uint64_t *items; // column_log_pairs at the stops
		size_t count, capacity;
	} stretches;
	// Where sets in descriptor buffers are, that were bound (descriptor_buffers.h).
	struct {
		struct vkr_descriptor_place **items;
		size_t count, capacity;
	} places;
	// Descriptor heaps that were bound (descriptor_heaps.h).
	struct {
		struct vkr_heap_place **items;
		size_t count, capacity;
	} heaps;
	struct {
		struct vkr_layer_snapshot *items;
		size_t count, capacity;
	} snapshots;
	// The secondary command buffers that this one executes, each followed by those that it
	// executes itself (VK_EXT_nested_command_buffer).
	struct vkr_call *items;
	size_t count, capacity;
	// One of these is executed in a render pass and once more: one cell cannot say which of the
	// two logs, so nothing is logged.
	bool ambiguous;
};

// Where a cell is, or what is to become one.
struct vkr_cell_place {
	struct vkr_log_page *page;
	uint32_t offset; // bytes, in the page
};

struct vkr_call {
	struct vkr_track *track; // held
	bool is_nested;          // another one of these executes it
	uint32_t command_base;
	uint32_t stretch;     // of the caller
	uint64_t column_logs; // pair of the caller's where the called one's column logs begin
	uint32_t draws;       // the caller's before it
	// In a render pass nothing can be copied: there the cell itself is set before the caller
	// begins. Else the caller keeps it, and copies it in front of the call.
	bool in_pass;
	struct vkr_cell_place place; // of what is set
	struct vkr_track *reader;    // the track whose executions read it there
};

// After a stop was answered: the device may go on. And once it has: the next stop waits again.
void vkr_track_pass(struct vkr_track *track);
void vkr_track_passed(struct vkr_track *track);

// How a command's block is found.
struct vkr_block_place {
	struct vkr_gpu_place addresses; // of it and its cell
	struct vkr_log_page *page;      // where, for the way by a descriptor set, these are stored
	uint32_t offset;                // in the slab, of them
};

// The logs of this track's executions, and of the tracks that it executes, cannot be distinguished,
// now or later.
void vkr_track_mix(struct vkr_track *track);
bool vkr_track_is_mixed(const struct vkr_track *track);

// NULL for lack of memory.
struct vkr_track *vkr_track_create(struct vkr_layer_device *device);
struct vkr_track *vkr_track_hold(struct vkr_track *track);
void vkr_track_release(struct vkr_track *track);

// Words that one invocation of a dispatch tells for all (vkrace/summary.h).
struct vkr_told {
	uint32_t invocation; // of the whole grid
	uint32_t words;      // 0: it tells none
};

// What stands behind a command's block.
struct vkr_block_tail {
	uint64_t pushed;       // address of push data; 0: none
	const uint32_t *marks; // words of each stage of a draw; NULL: it has none
	struct vkr_told told;  // what is told is recorded as a snapshot
};

// Makes a block for its command. False for lack of memory: *place is then the block that logs
// nothing.
bool vkr_track_block(struct vkr_track *track, const struct vkr_gpu_block *block, bool by_set,
		     const struct vkr_block_tail *tail, struct vkr_block_place *place);

// A copy of the bytes for shaders, as a storage buffer. False for lack of memory.
bool vkr_track_bytes(struct vkr_track *track, const void *data, uint32_t bytes, uint64_t *address);

// Notes that the place was bound. False for lack of memory.
struct vkr_descriptor_place;
bool vkr_track_place(struct vkr_track *track, struct vkr_descriptor_place *place);

// Notes that the heap was bound. False for lack of memory.
struct vkr_heap_place;
bool vkr_track_heap(struct vkr_track *track, struct vkr_heap_place *place);

// Room for the first of these bytes, in the newest page or a new one. NULL for lack of memory.
const struct vkr_layer_snapshot *vkr_track_snapshot(struct vkr_track *track, uint32_t command,
						    uint64_t address, uint64_t bytes);

// Gives the column log, and its marks, their place in the present stretch. False for lack of
// memory.
bool vkr_track_column_log(struct vkr_track *track, struct vkr_column_log *column_log);

// The word of the log where chunks begin in a stretch.
uint64_t vkr_track_chunks_start(const struct vkr_track *track, size_t stretch);

// Words that a log must have for the column logs of each stretch.
uint64_t vkr_track_least_words(const struct vkr_track *track);

// The block that logs nothing.
struct vkr_block_place vkr_track_no_block(const struct vkr_layer_device *device);

// True once the track has a cell: something in it logs.
static inline bool vkr_track_logs(const struct vkr_track *track)
{
	return track && track->cell_page;
}

// The cell for an execution of the track that logs into `region` (NULL: into nothing).
struct vkr_gpu_cell vkr_track_cell(const struct vkr_track *track,
				   const struct vkr_log_region *region);
// The cell of a secondary command buffer that this execution calls, itself or through others.
// It is the track's call of this number.
struct vkr_gpu_cell vkr_track_call_cell(const struct vkr_gpu_cell *cell,
					const struct vkr_track *track, size_t at);

// Where the track's own cell is.
struct vkr_cell_place vkr_track_cell_place(const struct vkr_track *track);

// Writes a cell from the host: no execution may be under way.
void vkr_cell_set(struct vkr_cell_place place, const struct vkr_gpu_cell *cell);

// Records into `buffer` that a cell is set, ordered after all earlier reads of it on the queue and
// before all later ones.
void vkr_cell_record(struct vkr_layer_device *device, VkCommandBuffer buffer,
		     struct vkr_cell_place place, const struct vkr_gpu_cell *cell);

// Notes a call (track, command_base and in_pass), and records into the caller's command buffer that
// the cells of the called track, and of all tracks that it executes, are set to the ones kept for
// this call. False for lack of memory.
bool vkr_track_record_call(struct vkr_track *caller, VkCommandBuffer buffer,
			   const struct vkr_call *call);

// Makes sure that a called track, and all that it executes, log nothing in this call.
void vkr_track_silence_call(VkCommandBuffer buffer, const struct vkr_call *call);

// Makes sure that the track has a cell. False for lack of memory.
bool vkr_track_need_cell(struct vkr_track *track);

// Records a stop at which the host drains the log. False where events cannot be made.
bool vkr_track_record_stop(struct vkr_track *track, VkCommandBuffer buffer);
