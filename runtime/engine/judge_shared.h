// SPDX-License-Identifier: Apache-2.0
// Accesses to workgroup memory that wait for the next control barrier, in the hope that it settles
// all of them at once.
#pragma once

#include "engine.h"

// An access to workgroup memory that waits, with a copy of its target.
struct vkr_shared_access {
	struct vkr_engine_run run;
	struct vkr_engine_target target;
	bool scattered; // at offsets from `first` on
	size_t first;
};

// A variable of workgroup memory that was accessed since the last barrier that settles all.
struct vkr_shared_part {
	uint64_t base, bytes;
	uint32_t reference, size;
	bool waits; // by atomics of `size` bytes, all of which wait
};

// The part of workgroup memory that is put off (judge_shared.c); zeroed before the first dispatch.
struct vkr_shared {
	struct {
		struct vkr_shared_part *items;
		size_t count, capacity;
	} parts;
	struct {
		struct vkr_shared_access *items;
		size_t count, capacity;
	} waiting;
	struct {
		uint32_t *items;
		size_t count, capacity;
	} offsets;
	uint64_t accesses; // that wait
	uint64_t judged;   // since all was forgotten
};

void vkr_shared_finish(struct vkr_shared *shared);

// A workgroup begins, or the last one ends.
void vkr_shared_begin(struct vkr_engine *engine);

// A control barrier is about to be passed.
enum vkr_result vkr_shared_barrier(struct vkr_engine *engine,
				   const struct vkr_engine_barrier *barrier,
				   struct vkr_error *error) VKR_MUST_USE;

// Before an access to workgroup memory: a run, or a list with its site, first invocation, count and
// target in `run`. `may`: it may be put off. *waits: it is, else it is to be judged.
enum vkr_result vkr_shared_access(struct vkr_engine *engine, const struct vkr_engine_run *run,
				  const uint32_t *offsets, bool may, bool *waits,
				  struct vkr_error *error) VKR_MUST_USE;
