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
struct vkr_unread_log;
struct vkr_log_targets;

// Whether the shaders of the pipeline only read, in the draw under way.
enum vkr_result vkr_draw_only_reads(struct vkr_walk *walk, const struct vkr_pipeline *pipeline,
				    bool *only) VKR_MUST_USE;

// Whether the shader, which only reads, reads nothing but memory that all parts judge
// (engine_parts.h), whatever its log says: in *common.
enum vkr_result vkr_draw_reads_common(struct vkr_draw_sorting *sorting, bool *common) VKR_MUST_USE;

// Judges what the shader's invocations have read. *judged is false where they are to be replayed.
enum vkr_result vkr_draw_reads(struct vkr_draw_sorting *sorting, const struct vkr_chunk *chunks,
			       bool *judged) VKR_MUST_USE;

// What the shader's variables stand for in the draw.
enum vkr_result vkr_draw_find_targets(struct vkr_draw_sorting *sorting,
				      struct vkr_log_targets *bound) VKR_MUST_USE;

// Whether a shader's log, which has this many bytes, may say what an earlier one said, which is
// found faster than the log is read.
bool vkr_draw_reads_may_repeat(const struct vkr_draw_sorting *sorting, uint64_t bytes);

// How many bytes the shader's invocations have logged.
uint64_t vkr_draw_reads_bytes(const struct vkr_draw_sorting *sorting,
			      const struct vkr_chunk *chunks);

// Whether the draw under way may write there as an attachment.
bool vkr_draw_may_write(const struct vkr_walk *walk, const struct vkr_engine_target *target);

// Where accesses to a buffer may begin, by access: at offsets up to `most` that have none of these
// bits.
struct vkr_draw_limit {
	uint32_t most, bits;
};

// How many accesses the shader's invocations have logged, in *count. False: the log is damaged, or,
// with limits, an access to a buffer is beyond its own.
bool vkr_draw_reads_count(const struct vkr_draw_sorting *sorting, const struct vkr_chunk *chunks,
			  const struct vkr_draw_limit *limits, uint64_t *count);

// A log that is read later than its draw (draw_unread.h).
struct vkr_draw_late {
	const struct vkr_unread_log *log;
	struct vkr_replay *replay; // of such logs
	struct vkr_dispatch_targets *targets;
	const struct vkr_texel_prepared *prepared;
	size_t prepared_count;
	const bool *skipped; // by access: it is not to be read now
};

// Judges what the shader's invocations have read. *whole is false where part of it was not read.
enum vkr_result vkr_draw_reads_late(struct vkr_draw_sorting *sorting,
				    const struct vkr_chunk *chunks,
				    const struct vkr_draw_late *late, bool *whole) VKR_MUST_USE;

// What draws keep for that. NULL is allowed.
void vkr_read_blocks_destroy(struct vkr_read_blocks *blocks);
