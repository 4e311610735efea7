// SPDX-License-Identifier: Apache-2.0
// Giving executions their logs as they are submitted, or leaving them out.
// Knows cells and flights; not what else a submission is made of.
#pragma once

#include "log_drain.h"

struct vkr_log_want {
	struct vkr_track *track; // something in it logs
	uint32_t execution;
	bool may_update; // a command buffer of the layer's own may stand before it
	bool nothing;    // it is to log nothing
};

// Gives the execution a log, in `*flight`, which is taken from the queue if it is NULL. `*update`
// becomes the command buffer that must be submitted before it, or VK_NULL_HANDLE. False for lack of
// memory: then the execution must not log.
bool vkr_log_give(struct vkr_layer_queue *queue, struct vkr_flight **flight,
		  const struct vkr_log_want *want, VkCommandBuffer *update);

// What the track's executions log is no longer used. False if the device would stop until the host
// empties the log: then it must not be submitted.
bool vkr_log_leave_out(struct vkr_track *track);

// The flight is submitted without the command buffers that had to stand before its executions.
void vkr_log_without_updates(struct vkr_flight *flight);
