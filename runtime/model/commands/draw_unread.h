// SPDX-License-Identifier: Apache-2.0
// Draws whose shaders only read: what a shader of theirs has logged waits unread (unread_reads.h),
// with what it takes to read it without the draw. Knows logs, and what the shader's variables are
// bound to; not what ends the wait.
#pragma once

#include "draw_logs.h"
#include "log_replay.h"

#include "vkrace/result.h"

struct vkr_draw_sorting;

// What the logs that wait have in common.
struct vkr_unread_draws {
	uint64_t number;                 // of the next one
	uint64_t bytes;                  // of all of them
	uint64_t settle_at;              // bytes from which on is looked what is settled
	struct vkr_replay replay;        // of one that is read
	struct vkr_draw_numbers numbers; // of its invocations
};

// NULL is allowed.
void vkr_unread_draws_destroy(struct vkr_unread_draws *draws);

// Has the log of one shader of a draw, which only reads, wait, if it can. *waits: whether; else it
// is to be read.
enum vkr_result vkr_draw_put_off(struct vkr_draw_sorting *sorting, const struct vkr_chunk *chunks,
				 bool *waits) VKR_MUST_USE;
