// SPDX-License-Identifier: Apache-2.0
// Logs in device memory: a queue of the layer's own (copy_queue.h) copies what was logged to where
// the host reads it, and makes it zero again. Knows buffers and words; not what is logged.
//
// What is copied is known only when some of it was read: the header tells how far chunks go, and
// the first columns of a column log whether there are more. So pieces are asked for, all at once as
// far as experience goes, and each grows as more of it is needed.
#pragma once

#include "layer.h"

struct vkr_log_region;

// One of a device.
struct vkr_log_copies {
	pthread_mutex_t lock; // one copy at a time
	VkQueue queue;
	VkCommandPool pool;
	VkCommandBuffer commands;
	VkFence fence;
	bool failed; // for good: the device was lost, or a copy does not end
	// Of the queues that write and copy logs.
	uint32_t family_count, *families;
};

// Words of a log. Those before `to` are in the mirror, and zero on the device.
struct vkr_log_piece {
	uint64_t from, to;
	uint64_t most; // up to where it may grow
};

// What the host sees of one log at a time.
struct vkr_log_mirror {
	struct vkr_layer_device *device;
	uint32_t *words; // of the whole log; what is in no piece is older
	uint64_t bytes;
	struct vkr_log_region *region;
	uint64_t first;       // where the log's chunks begin from now on
	uint64_t chunk_words; // that the last log had
	struct {
		struct vkr_log_piece *items;
		size_t count, capacity;
	} pieces, wipes; // by where they begin
	// What the device copies into, memory that host and device see alike, and what it copies at
	// once: the words, one after the other.
	VkBuffer staging;
	VkDeviceMemory memory;
	const uint32_t *staged;
	struct {
		struct vkr_log_piece *items;
		size_t count, capacity;
		uint64_t words; // of all of them
	} step;
};

// Starts using the queue that was planned. False where something cannot be had: logs are then in
// the host's memory.
bool vkr_log_copies_start(struct vkr_layer_device *device, const VkDeviceCreateInfo *created,
			  uint32_t family, uint32_t index);
void vkr_log_copies_stop(struct vkr_layer_device *device);

// Between the two nobody uses the queue, where there is one: nothing may wait for a stop meanwhile.
void vkr_log_copies_enter(struct vkr_layer_device *device);
void vkr_log_copies_leave(struct vkr_layer_device *device);

// Makes a log of nothing but zeros, or only its first word something else: where chunks begin.
// False where the device fails.
bool vkr_log_copies_reset(struct vkr_layer_device *device, struct vkr_log_region *region,
			  uint64_t first);
bool vkr_log_copies_set_head(struct vkr_layer_device *device, struct vkr_log_region *region,
			     uint64_t first);

// A mirror for logs of this device. NULL where it cannot be had.
struct vkr_log_mirror *vkr_log_mirror_create(struct vkr_layer_device *device);
void vkr_log_mirror_destroy(struct vkr_log_mirror *mirror);

// The mirror is of this log now, whose execution is over or has stopped, and has its header. What
// follows is asked for in the order in which it stands there.
void vkr_log_mirror_open(struct vkr_log_mirror *mirror, struct vkr_log_region *region);

// Asks for words [from, to), which may become up to `most`.
void vkr_log_mirror_ask(struct vkr_log_mirror *mirror, uint64_t from, uint64_t to, uint64_t most);

// Asks for words to become zero unread.
void vkr_log_mirror_wipe(struct vkr_log_mirror *mirror, uint64_t from, uint64_t to);

// Gets all that was asked for. The log's chunks begin at `first` from now on. False where that
// fails: the region has, and nothing of the log is known.
bool vkr_log_mirror_fetch(struct vkr_log_mirror *mirror, uint64_t first);

// Gets the words [from, to) of one of the pieces. Where that fails they are zero, and the region
// has failed: they may not be zero on the device.
void vkr_log_mirror_need(struct vkr_log_mirror *mirror, uint64_t from, uint64_t to);

// The mirror is of no log any more.
void vkr_log_mirror_close(struct vkr_log_mirror *mirror);
