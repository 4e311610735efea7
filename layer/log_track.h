// SPDX-License-Identifier: Apache-2.0
// A track: what one recording of a command buffer needs so that its dispatches can log — the cell,
// the blocks, and which executions of it are under way (vkrace/gpu_log.h).
// Knows the GPU-side layout; not what is logged.
#pragma once

#include "log_memory.h"

#include "vkrace/gpu_log.h"

#include <stdatomic.h>

struct vkr_track {
	_Atomic uint32_t references; // the command buffer, its executions, primaries that call it
	_Atomic uint32_t pending;    // executions submitted and not drained
	struct vkr_queue *_Atomic queue; // of the newest execution
	// Executions were under way on two queues at once: what they logged cannot be told apart.
	_Atomic bool mixed;
	struct vkr_device *device;
	struct vkr_log_page *pages; // newest first; the last holds the cell at its start
	struct vkr_log_page *cell_page;
	uint32_t used; // bytes of the newest page
	// The device stops between dispatches until the host has drained the log: it sets `filled`
	// and waits for `drained`.
	VkEvent filled, drained;
	uint64_t words; // at most, logged since the log was last known to be empty
	// The secondary command buffers that this one executes.
	struct vkr_call *items;
	size_t count, capacity;
	// One of these is executed in a render pass and once more: one cell cannot say which of the
	// two logs, so nothing is logged.
	bool ambiguous;
};

struct vkr_call {
	struct vkr_track *track; // held
	uint32_t command_base;
	// In a render pass, where nothing can be copied: the cell is set before the primary begins.
	bool in_pass;
};

// How a command's block is found.
struct vkr_block_place {
	uint64_t address;          // of the struct vkr_gpu_block
	struct vkr_log_page *page; // where, for the way by a descriptor set, the address is stored
	uint32_t offset;           // in the slab, of that address
};

// NULL for lack of memory.
struct vkr_track *vkr_track_create(struct vkr_device *device);
struct vkr_track *vkr_track_hold(struct vkr_track *track);
void vkr_track_release(struct vkr_track *track);

// A block for the command; `groups` (may be NULL) is the whole dispatch where it is cut. False for
// lack of memory: *place is then the block that logs nothing.
bool vkr_track_block(struct vkr_track *track, uint32_t command, const uint32_t *groups, bool by_set,
		     struct vkr_block_place *place);

// The block that logs nothing.
struct vkr_block_place vkr_track_no_block(const struct vkr_device *device);

// True once the track has a cell: something in it logs.
static inline bool vkr_track_logs(const struct vkr_track *track)
{
	return track && track->cell_page;
}

// The cell for an execution that logs into `region` (NULL: into nothing).
struct vkr_gpu_cell vkr_track_cell(const struct vkr_log_region *region);

// Writes the cell from the host: no execution may be under way.
void vkr_track_set_cell(struct vkr_track *track, const struct vkr_gpu_cell *cell);

// Records into `buffer` that the cell is set, ordered after all earlier reads of it on the queue
// and before all later ones.
void vkr_track_record_cell(struct vkr_track *track, VkCommandBuffer buffer,
			   const struct vkr_gpu_cell *cell);

// Records into the primary's command buffer that the secondary's cell becomes the primary's, with
// this command base. In a render pass nothing is recorded: who submits sets the cell. False for
// lack of memory.
bool vkr_track_record_call(struct vkr_track *primary, VkCommandBuffer buffer,
			   const struct vkr_call *call);

// Makes sure that the track has a cell. False for lack of memory.
bool vkr_track_need_cell(struct vkr_track *track);

// Records a stop at which the host drains the log. False where events cannot be made.
bool vkr_track_record_stop(struct vkr_track *track, VkCommandBuffer buffer);
