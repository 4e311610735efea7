// SPDX-License-Identifier: Apache-2.0
// Workgroups that other threads take apart ahead of the one that judges: block by block, each on a
// tape (feed_tape.h), which is played when its turn comes. So the engine is fed what it is fed by
// one thread, in the same order. Knows steps; not what is done in one.
//
// A thread that works ahead reads what was looked up before it began. Where it meets something
// else, or something that is lost otherwise than beyond an end, its block is taken apart again by
// the thread that judges, after all that is under way is done.
#pragma once

#include "log_spans.h"

struct vkr_crew;
struct vkr_ahead;

// The steps of a dispatch: workgroups, or chunks of these.
struct vkr_ahead_steps {
	uint64_t count;
	const struct vkr_chunk *chunks; // by step; NULL: each step is a workgroup
	uint64_t here;                  // steps that are done here, as others follow from them
	// Begins the replay of another thread, before the first one of its; `here`: of this one.
	enum vkr_result (*begin)(struct vkr_replay_work *work, const struct vkr_replay_work *here,
				 const void *user);
	// One workgroup; *length steps are its.
	enum vkr_result (*step)(struct vkr_replay_work *work, const void *user, uint64_t at,
				uint64_t *length);
	const void *user;
};

// A crew for the replay's dispatches. False for lack of memory.
bool vkr_ahead_create(struct vkr_replay *replay, struct vkr_crew *crew);
void vkr_ahead_destroy(struct vkr_ahead *ahead, void (*finish)(struct vkr_replay *replay));

// A dispatch begins.
void vkr_ahead_begin(struct vkr_replay *replay);

// The workgroup of step `at`; *length steps are its.
enum vkr_result vkr_ahead_step(struct vkr_replay_work *work, const struct vkr_ahead_steps *steps,
			       uint64_t at, uint64_t *length) VKR_MUST_USE;

// Waits for what is under way, and drops it: before something is looked up elsewhere, and when the
// dispatch has ended.
void vkr_ahead_drop(struct vkr_replay *replay);
