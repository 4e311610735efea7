// SPDX-License-Identifier: Apache-2.0
// Spans' offsets put together to runs or fed as run-length records. Knows offsets and runs; not how
// records were come to.
#include "log_spans.h"

#include "array.h"
#include "error.h"

// What the pattern of the workgroup must know about the accesses of a span: runs that were appended
// to earlier ones, or the run-length record that was fed.
static enum vkr_result note_runs(struct vkr_replay_work *work,
				 const struct vkr_program_access *access,
				 const struct vkr_span *span, size_t before)
{
	struct vkr_replay *replay = work->replay;
	return vkr_pattern_runs(&replay->pattern, access, span, replay->runs.items + before,
				replay->runs.count - before)
		       ? VKR_OK
		       : vkr_error_memory(work->error, "a pattern");
}

static enum vkr_result feed_scatter(struct vkr_replay_work *work,
				    const struct vkr_program_access *access,
				    const struct vkr_span *span,
				    const struct vkr_engine_target *target)
{
	const struct vkr_engine_scatter scatter = {.site = access->site,
						   .local = span->local,
						   .count = span->count,
						   .offsets = work->replay->offsets,
						   .target = target};
	const enum vkr_result result =
		vkr_replay_flush_before(work->replay, work->engine, access->site, work->error);
	if (result != VKR_OK)
		return result;
	if (!vkr_pattern_scatter(&work->replay->pattern, access, span, &scatter))
		return vkr_error_memory(work->error, "a pattern");
	return vkr_feed_scatter(work->replay->tape, work->engine, &scatter, work->error);
}

static enum vkr_result emit_even(struct vkr_replay_work *work, const struct vkr_offsets *offsets,
				 const struct vkr_span *span,
				 const struct vkr_engine_target *target)
{
	struct vkr_replay *replay = work->replay;
	const size_t before = replay->runs.count;
	const uint32_t most = VKR_RUNS_MOST(span->count);
	if (!VKR_ARRAY_RESERVE(&replay->runs, most))
		return vkr_error_memory(work->error, "runs");
	struct vkr_joining joining = {.runs = replay->runs.items + before,
				      .most = most,
				      .site = offsets->access->site,
				      .local = span->local,
				      .target = target};
	if (vkr_offsets_join(offsets, span, &joining)) {
		replay->runs.count += joining.count;
		return note_runs(work, offsets->access, span, before);
	}
	vkr_offsets_read(offsets, span, replay->offsets);
	return feed_scatter(work, offsets->access, span, target);
}

// Whether the offsets join is found out on the way.
static enum vkr_result emit_uneven(struct vkr_replay_work *work,
				   const struct vkr_program_access *access,
				   const struct vkr_offsets *offsets, const struct vkr_span *span,
				   const struct vkr_engine_target *target)
{
	struct vkr_replay *replay = work->replay;
	vkr_offsets_read(offsets, span, replay->offsets);
	vkr_replay_count_beyond(replay, access, target, replay->offsets, span->count);
	const struct vkr_engine_scatter accesses = {.site = access->site,
						    .local = span->local,
						    .count = span->count,
						    .offsets = replay->offsets,
						    .target = target};
	const size_t before = replay->runs.count;
	bool joined = false;
	const enum vkr_result result = vkr_replay_join(replay, &accesses, &joined, work->error);
	if (result != VKR_OK)
		return result;
	return joined ? note_runs(work, access, span, before)
		      : feed_scatter(work, access, span, target);
}

enum vkr_result vkr_replay_span(struct vkr_replay_work *work,
				const struct vkr_program_access *access,
				const struct vkr_span *span, const struct vkr_engine_target *target)
{
	const struct vkr_offsets offsets = vkr_offsets_of(work->program, access, work->id);
	enum vkr_result result = vkr_replay_flush_many(work->replay, work->engine, work->error);
	if (result != VKR_OK)
		return result;
	if (vkr_offsets_are_uneven(&offsets, span))
		return emit_uneven(work, access, &offsets, span, target);
	vkr_replay_note_beyond(work->replay, access, target,
			       vkr_offsets_beyond(&offsets, span, target->bytes));
	return emit_even(work, &offsets, span, target);
}
