// SPDX-License-Identifier: Apache-2.0
// The fast way to judge a draw whose shaders only read: the reads of its invocations are collected
// first, and judged in rows of neighbours. Knows records; no rule of what races.
//
// Several threads read a long log, and note what one would.
//
// If something races, or the draw is not of this kind, nothing is reported, and all invocations are
// replayed one by one (log_replay.h).
#pragma once

#include "texel_reads.h"

#include "vkrace/result.h"

struct vkr_walk;
struct vkr_pipeline;
struct vkr_chunk;
struct vkr_draw_sorting;
struct vkr_read_blocks;

// Whether the shaders of the pipeline only read, in the draw under way.
enum vkr_result vkr_draw_only_reads(struct vkr_walk *walk, const struct vkr_pipeline *pipeline,
				    bool *only) VKR_MUST_USE;

// Whether the shader, which only reads, reads nothing but memory that all parts judge
// (engine_parts.h), whatever its log says: in *common.
enum vkr_result vkr_draw_reads_common(struct vkr_draw_sorting *sorting, bool *common) VKR_MUST_USE;

// Judges what the shader's invocations have read. *judged is false where they are to be replayed.
enum vkr_result vkr_draw_reads(struct vkr_draw_sorting *sorting, const struct vkr_chunk *chunks,
			       bool *judged) VKR_MUST_USE;

// What draws keep for that. NULL is allowed.
void vkr_read_blocks_destroy(struct vkr_read_blocks *blocks);
