// SPDX-License-Identifier: Apache-2.0
// Vertices that draws fetch with gaps between them, as reads of one place each that wait to be
// remembered (read_deferral.h). What a mesh is fetched as is made once, however often it is drawn.
// Knows strides; not vertex input.
#pragma once

#include "draw_fetch.h"

// Reads of `each` bytes, `count` times.
struct vkr_fetch_run {
	const struct vkr_walk_access *access; // by range: what reads, and of which buffer
	uint64_t base, end;     // the elements in the buffer, the last of which may end after it
	uint64_t first, stride; // from `base` on
	uint32_t each, count;
};

// Has the reads wait, if they race with nothing. *waits is false where they are to be judged one by
// one.
enum vkr_result vkr_fetch_wait(struct vkr_walk *walk, const struct vkr_fetch_run *run,
			       bool *waits) VKR_MUST_USE;

void vkr_fetch_reads_destroy(struct vkr_fetch_reads *reads);
