// SPDX-License-Identifier: Apache-2.0
// Which sites a dispatch comes to, and whether whole blocks of its workgroups access nothing that
// is judged here, or read it as others have: a summary is gone through once for all of them, with
// an interval for each register. Knows intervals and targets; nothing of what is judged elsewhere,
// nor of single invocations.
#pragma once

#include "dispatch_targets.h"
#include "possible_texels.h"
#include "summary_run.h"
#include "texel_plan.h"

#include "vkrace/summary.h"

struct vkr_reach_pending;
struct vkr_reach_value;
struct vkr_reach_plan;

// Kept from dispatch to dispatch; zeroed before the first.
struct vkr_summary_reach {
	struct vkr_dispatch_targets *targets;
	const struct vkr_summary_dispatch *dispatch;
	struct vkr_engine *engine;
	struct vkr_possible_texels *possible;
	uint32_t size[3], registers;
	bool on;        // false: nothing is found out about the dispatch
	uint64_t steps; // for boxes that did not pass
	struct {
		struct vkr_reach_value *items; // of `registers` each: where execution is, and waits
		size_t count, capacity;
	} values;
	struct {
		uint32_t *items; // the operations at which it waits; the values behind the first
		size_t count, capacity;
	} waiting;
	struct {
		struct vkr_reach_plan *items;
		size_t count, capacity;
	} plans;
	uint32_t words[VKR_SUMMARY_TEXEL_WORDS];
	uint64_t steps_most;
	bool only_sites; // nothing is asked about accesses but which there are
	struct {
		bool *items; // by site: execution has come to it
		size_t count, capacity;
	} sites;
};

void vkr_summary_reach_finish(struct vkr_summary_reach *reach);

// A dispatch begins, of which only a part of memory is judged. Samples of boxes that pass may be
// such as may read any texel of their view, which is noted in `possible`.
void vkr_summary_reach_begin(struct vkr_summary_reach *reach, struct vkr_engine *engine,
			     struct vkr_dispatch_targets *targets,
			     const struct vkr_summary_dispatch *dispatch,
			     struct vkr_possible_texels *possible);

// Finds out which sites a dispatch's invocations may come to: in targets->reached until the next
// dispatch. That stays NULL where it would cost too much. False for lack of memory.
bool vkr_summary_reach_sites(struct vkr_summary_reach *reach, struct vkr_dispatch_targets *targets,
			     const struct vkr_summary_dispatch *dispatch);

// A box of workgroups: each component of WorkgroupId is at least `low` and at most `high`.
struct vkr_reach_box {
	uint32_t low[3], high[3];
};

// Whether all that the box's workgroups access is elsewhere, or their own memory, or was read by
// others in the same way: in *passes. False
// where that is not certain, or would cost too much with `done` workgroups so far.
enum vkr_result vkr_summary_reach_passes(struct vkr_summary_reach *reach,
					 const struct vkr_reach_box *box, uint64_t done,
					 bool *passes, struct vkr_error *error) VKR_MUST_USE;
