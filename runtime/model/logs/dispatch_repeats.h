// SPDX-License-Identifier: Apache-2.0
// Dispatches that do what an earlier one has done: what that one has made of shadow memory is made
// again (dispatch_effect.h). Knows what a dispatch is given and what it has logged; not what shadow
// memory remembers.
#pragma once

#include "summary_run.h"

struct vkr_dispatch_repeats;

// A dispatch, or a part of one, that is to be judged: by its summary, or, where that is NULL, by
// its chunks alone.
struct vkr_dispatch_run {
	struct vkr_dispatch_targets *targets;
	const struct vkr_summary_dispatch *summary;
	const struct vkr_chunk *chunks;
	size_t count;
};

// Before it is judged; the engine's dispatch is open. *done: it need not be. `*repeats` is made on
// first use.
enum vkr_result vkr_dispatch_repeats_begin(struct vkr_dispatch_repeats **repeats,
					   struct vkr_engine *engine,
					   const struct vkr_dispatch_run *run, bool *done,
					   struct vkr_error *error) VKR_MUST_USE;

// It need not be judged: notes in a replay that begins what is to be said of it besides its
// accesses. False for lack of memory.
bool vkr_dispatch_repeats_note(const struct vkr_dispatch_repeats *repeats,
			       struct vkr_dispatch_targets *targets, struct vkr_replay *replay);

// It was judged, by this replay.
enum vkr_result vkr_dispatch_repeats_end(struct vkr_dispatch_repeats *repeats,
					 struct vkr_engine *engine,
					 struct vkr_dispatch_targets *targets,
					 const struct vkr_replay *replay,
					 struct vkr_error *error) VKR_MUST_USE;

// Dispatches, or parts of them, that need not be judged so far. NULL is allowed.
uint64_t vkr_dispatch_repeats_done(const struct vkr_dispatch_repeats *repeats);

// Before the engine is destroyed. NULL is allowed.
void vkr_dispatch_repeats_destroy(struct vkr_dispatch_repeats *repeats, struct vkr_engine *engine);
