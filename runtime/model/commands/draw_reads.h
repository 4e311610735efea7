// SPDX-License-Identifier: Apache-2.0
// The fast way to judge a draw whose shaders only read: what its invocations read is put together
// first, and judged in rows of neighbours. Knows records; no rule of what races.
//
// Reads of one command that nothing in it conflicts with are ordered alike with everything else:
// where one of them does not race at a byte, no other one of its site does. So each byte is judged
// once a site. Where something does race, or the draw is not of this kind, nothing is told, and all
// invocations are replayed one by one (log_replay.h).
#pragma once

#include "read_sheets.h"
#include "texel_plan.h"

#include "vkrace/result.h"

struct vkr_walk;
struct vkr_pipeline;
struct vkr_chunk;
struct vkr_draw_sorting;

// What is prepared for an access of the shader under way.
struct vkr_draw_read {
	bool made;
	uint32_t sheet; // of the plan's target; UINT32_MAX: none yet
	struct vkr_texel_plan plan;
};

// Kept from draw to draw; zeroed before the first.
struct vkr_draw_reads {
	struct vkr_read_sheets sheets;
	struct {
		struct vkr_draw_read *items; // by access
		size_t count, capacity;
	} accesses;
	struct vkr_texel_places *places; // of one invocation
};

void vkr_draw_reads_finish(struct vkr_draw_reads *reads);

// Whether the shaders of the pipeline only read, in the draw under way.
enum vkr_result vkr_draw_only_reads(struct vkr_walk *walk, const struct vkr_pipeline *pipeline,
				    bool *only) VKR_MUST_USE;

// Judges what the shader's invocations have read. *judged is false where they are to be replayed.
enum vkr_result vkr_draw_reads(struct vkr_draw_sorting *sorting, const struct vkr_chunk *chunks,
			       bool *judged) VKR_MUST_USE;
