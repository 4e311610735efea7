// SPDX-License-Identifier: Apache-2.0
// What a dispatch did that logged nothing, or only what does not follow: found out from its
// shader's summary, workgroup by workgroup. Knows summaries and the engine; not where the dispatch
// came from.
#pragma once

#include "log_replay.h"

#include "vkrace/summary.h"

struct vkr_summary_state;

struct vkr_summary_dispatch {
	uint32_t base[3], groups[3];
	const uint32_t *pushed; // the first words of the push constants
	uint32_t pushed_count;
	const uint32_t *uniforms; // what one invocation has told for all: as many as it needs
	// By workgroup, of those to be judged; NULL: all of them, of which none has logged.
	const struct vkr_chunk *chunks;
	size_t count;
};

// Finds out which sites the dispatch may come to (struct vkr_dispatch_targets). False for lack of
// memory.
bool vkr_summary_find_sites(struct vkr_replay *replay, struct vkr_dispatch_targets *targets,
			    const struct vkr_summary_dispatch *dispatch);

// The engine's dispatch is open, the program's shader has a summary. replay->unfinished counts
// workgroups that did not come to an end.
enum vkr_result vkr_summary_replay(struct vkr_replay *replay, struct vkr_engine *engine,
				   struct vkr_dispatch_targets *targets,
				   const struct vkr_summary_dispatch *dispatch,
				   struct vkr_error *error) VKR_MUST_USE;

// A size of what is bound, as OpImageQuerySizeLod tells it, or the bytes of a buffer; 0 of what
// nothing is bound to. False where it is not known. (summary_texels.c)
bool vkr_summary_size_find(struct vkr_dispatch_targets *targets,
			   const struct vkr_summary_operation *operation, uint32_t element,
			   uint32_t *size);
