// SPDX-License-Identifier: Apache-2.0
// Draining logs: a thread a queue waits for executions in their order and records what they logged.
// Knows submissions only as flights: executions behind one fence of the layer's own.
#pragma once

#include "log_track.h"

struct vkr_flight_execution {
	uint32_t execution;      // 0: of a secondary command buffer that another execution calls
	struct vkr_track *track; // held
	struct vkr_log_region *region; // NULL: could not be had, nothing is logged
	size_t stretch;                // stops that were answered
};

// A value that a timeline semaphore reaches right before the layer's fence is signaled.
struct vkr_flight_signal {
	uint32_t semaphore;
	uint64_t value;
};

struct vkr_flight {
	struct vkr_flight *next;
	uint64_t number; // in the queue, from 1
	VkFence fence;
	struct vkr_flight_execution *items;
	size_t count, capacity;
	// Command buffers of the layer's own that set cells, for use again once the flight is over.
	VkCommandBuffer *updates;
	size_t update_count, update_capacity, updates_used;
	struct vkr_flight_signal *signals;
	size_t signal_count, signal_capacity;
};

// A flight to fill in, with its fence unsignaled; NULL for lack of memory. The program serializes
// submissions to a queue.
struct vkr_flight *vkr_flight_take(struct vkr_layer_queue *queue);

// The next command buffer of the flight for setting a cell, begun; VK_NULL_HANDLE for lack of
// memory.
VkCommandBuffer vkr_flight_update(struct vkr_layer_queue *queue, struct vkr_flight *flight);

// The flight was not submitted after all: all it holds is released.
void vkr_flight_cancel(struct vkr_layer_queue *queue, struct vkr_flight *flight);

// The flight was submitted without its fence: what it logs is not observed.
void vkr_flight_abandon(struct vkr_layer_queue *queue, struct vkr_flight *flight);

// The flight was submitted, its fence after it. Returns its number.
uint64_t vkr_flight_add(struct vkr_layer_queue *queue, struct vkr_flight *flight);

// The number of the newest flight.
uint64_t vkr_drain_newest(struct vkr_layer_queue *queue);

// Waits until the logs of all flights up to `number` are recorded.
void vkr_drain_wait(struct vkr_layer_queue *queue, uint64_t number);

// Whether the logs of all flights are recorded.
bool vkr_drain_is_done(struct vkr_layer_queue *queue);

// Waits for the oldest flight that is under way; false where there is none, or it takes too long,
// as it did the last time.
bool vkr_drain_wait_oldest(struct vkr_layer_queue *queue);

// Nothing stands between the queue's newest flight and what reaches this value.
void vkr_drain_signal(struct vkr_layer_queue *queue, uint32_t semaphore, uint64_t value);

// The semaphore was seen to have reached the value: waits for the logs of all submissions that are
// complete then, which does not take long.
void vkr_drain_wait_signal(struct vkr_layer_device *device, uint32_t semaphore, uint64_t value);

// Waits until no execution of the track is under way; false after a while in vain.
bool vkr_drain_wait_track(struct vkr_track *track);

// Drains what is over, waits a while for the rest, and ends the thread. What is not over by then
// is recorded as unobserved.
void vkr_drain_stop(struct vkr_layer_queue *queue, uint64_t patience_ms);

// Destroys what the queue's flights were made of; the device is idle.
void vkr_drain_finish(struct vkr_layer_queue *queue);
