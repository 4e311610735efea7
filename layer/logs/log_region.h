// SPDX-License-Identifier: Apache-2.0
// Regions: memory that executions log into, one each at a time. Knows how it is allocated, cleared
// and used again; not what is logged (vkrace/gpu_log.h).
#pragma once

#include "layer.h"

// One execution's log, and the memory that it is in.
struct vkr_log_region {
	struct vkr_log_region *next, *next_of_all;
	VkBuffer buffer;
	VkDeviceMemory memory;
	// The log: coherent words. Where it is in device memory, what its mirror has of it, NULL
	// while it has none.
	uint32_t *words;
	uint64_t bytes, address;
	uint32_t texel_marks; // words behind them, for draws (vkrace/gpu_log.h)
	bool imported;        // a mapping of the layer's own, imported by the driver
	bool is_local;        // in device memory (log_copy.h)
	bool failed;          // and not to be used again: what is in it is not known
	uint64_t head;        // the value that its word VKR_LOG_HEAD has before it is logged into
	struct vkr_log_mirror *mirror;
	uint64_t first; // word where chunks begin
	// Of this execution: words drained before those that are in the region now, and words lost.
	uint64_t drained, lost;
};

// Finds out what regions can be made of, and makes one. False where there can be none.
bool vkr_log_regions_start(struct vkr_layer_device *device);
void vkr_log_regions_stop(struct vkr_layer_device *device);

// Words that a region has room for. If many regions are in use, they have fewer.
uint64_t vkr_log_region_room(struct vkr_layer_device *device);

// What an execution needs of its region.
struct vkr_log_region_want {
	uint64_t first; // word where chunks begin
	uint64_t least; // words of the log
	bool is_whole;  // of full size: there are smaller ones once many are in use
};

// A region ready to log into; NULL where there is none such, or no memory.
struct vkr_log_region *vkr_log_region_take(struct vkr_layer_device *device,
					   const struct vkr_log_region_want *want);

// The device is done with it, and it is empty; or it has failed, and nobody gets it again.
void vkr_log_region_give(struct vkr_layer_device *device, struct vkr_log_region *region);

// Makes sure that the words [from, to) of a column log, or of chunks, can be read.
void vkr_log_region_need(struct vkr_log_region *region, uint64_t from, uint64_t to);

// Makes words [from, to) zero that were drained, as long as they are in the caches. What stands
// beyond the memory that is kept waits for vkr_log_region_clear, and in device memory words are
// zero already when they can be read.
void vkr_log_region_wipe(struct vkr_log_region *region, uint64_t from, uint64_t to);

// Makes words [from, used) zero, those before being so already, and the log empty of chunks.
void vkr_log_region_clear(struct vkr_log_region *region, uint64_t from, uint64_t used);
