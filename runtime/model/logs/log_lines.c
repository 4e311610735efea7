// SPDX-License-Identifier: Apache-2.0
#include "log_lines.h"

#include <string.h>

const struct vkr_engine_target *vkr_record_target(struct vkr_dispatch_targets *targets,
						  const struct vkr_offsets *offsets, uint32_t local,
						  const uint32_t *record, uint64_t *offset)
{
	const struct vkr_program_access *access = offsets->access;
	const uint32_t *words = record + access->word;
	if (access->pointer)
		return vkr_dispatch_pointer(targets, words[0] | (uint64_t)words[1] << 32, offset);
	*offset = vkr_offset_at(offsets, local, record);
	if (access->chosen)
		return vkr_dispatch_target(targets, words[0], words[1]);
	return vkr_dispatch_target(targets, access->variable, access->arrayed ? words[0] : 0);
}

// Whether two invocations make the same access, and make it together.
static bool is_one(const struct vkr_dispatch_targets *targets, const struct vkr_offsets *offsets,
		   const struct vkr_texel_step *step, uint32_t a, uint32_t b)
{
	const struct vkr_program_access *access = step->access;
	const uint32_t first = step->local + a, second = step->local + b;
	const uint32_t *one = step->records[a], *other = step->records[b];
	return vkr_make_together(access->scope, targets->subgroup_size, first, second) &&
	       memcmp(one + access->word, other + access->word, access->words * sizeof *one) == 0 &&
	       vkr_offset_at(offsets, first, one) == vkr_offset_at(offsets, second, other);
}

// One access, of its first invocation.
static enum vkr_result emit_line(struct vkr_replay *replay, struct vkr_engine *engine,
				 struct vkr_dispatch_targets *targets,
				 const struct vkr_offsets *offsets,
				 const struct vkr_texel_step *step, uint32_t at,
				 struct vkr_error *error)
{
	const struct vkr_program_access *access = step->access;
	const uint32_t *record = step->records[at];
	struct vkr_engine_run run = {.site = access->site, .local = step->local + at, .count = 1};
	const uint64_t stride = vkr_line_stride(access, record);
	enum vkr_result result = VKR_OK;
	run.target = vkr_record_target(targets, offsets, run.local, record, &run.offset);
	if (run.target == NULL) {
		replay->unknown += access->pointer;
		return VKR_OK;
	}
	for (uint32_t line = 0; line < access->lines && result == VKR_OK; line++) {
		vkr_replay_note_beyond(replay, access, run.target,
				       run.offset + access->bytes > run.target->bytes);
		result = vkr_feed_runs(replay->tape, engine, &run, 1, error);
		run.offset += stride;
	}
	return result;
}

enum vkr_result vkr_replay_together(struct vkr_replay *replay, struct vkr_engine *engine,
				    struct vkr_dispatch_targets *targets,
				    const struct vkr_offsets *offsets,
				    const struct vkr_texel_step *step, struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < step->count && result == VKR_OK;) {
		uint32_t count = 1;
		while (at + count < step->count && is_one(targets, offsets, step, at, at + count))
			count++;
		result = emit_line(replay, engine, targets, offsets, step, at, error);
		at += count;
	}
	return result;
}
