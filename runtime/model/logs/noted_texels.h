// SPDX-License-Identifier: Apache-2.0
// A dispatch's reads of images that it does not write, and its writes to images that it accesses
// in no other way, collected and judged texel by texel after its workgroups: a texel that several
// invocations read at one site is judged once, and counted once if it races. If accesses do not fit
// into filters, or a write races, the same workgroups are replayed again, access by access. Knows
// accesses; not where their records are.
#pragma once

#include "log_spans.h"
#include "log_texels.h"

// A dispatch begins. False for lack of memory.
bool vkr_noted_texels_begin(struct vkr_replay_work *work);
// Another thread's replay of the dispatch writes down what is noted. False for lack of memory.
bool vkr_noted_texels_like(struct vkr_replay *replay, const struct vkr_replay *like);
void vkr_noted_texels_destroy(struct vkr_noted_texels *noted);

// Whether the access is noted; else it is judged at once.
bool vkr_noted_texels_takes(const struct vkr_replay_work *work,
			    const struct vkr_program_access *access);

// Whether it is passed over: workgroups are gone through once more, for accesses of another kind.
bool vkr_noted_texels_passes(const struct vkr_replay_work *work,
			     const struct vkr_program_access *access);

// Notes an access of the present workgroup's invocations.
enum vkr_result vkr_noted_texels_note(struct vkr_replay_work *work,
				      const struct vkr_texel_step *step) VKR_MUST_USE;

// The filter for an access through a target whose texels have this many bytes.
enum vkr_result vkr_noted_texels_filter(struct vkr_replay_work *work,
					const struct vkr_program_access *access,
					const struct vkr_engine_run *like, uint32_t bytes,
					uint32_t *filter) VKR_MUST_USE;

// Notes accesses of the present workgroup's invocations local, local + 1, ..., each `stride` bytes
// after the one before, in a filter.
enum vkr_result vkr_noted_texels_row(struct vkr_replay_work *work, uint32_t filter, uint32_t local,
				     uint32_t count, uint64_t offset, int64_t stride) VKR_MUST_USE;

// Whether what was noted is to be judged before the next workgroup.
bool vkr_noted_texels_fill(const struct vkr_replay_work *work);

// Judges it; `steps` goes once more through all workgroups since the last time.
typedef enum vkr_result vkr_noted_texels_redo(struct vkr_replay_work *work, const void *user);
enum vkr_result vkr_noted_texels_settle(struct vkr_replay_work *work, vkr_noted_texels_redo *steps,
					const void *user) VKR_MUST_USE;
