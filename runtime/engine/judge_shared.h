// SPDX-License-Identifier: Apache-2.0
// Accesses to workgroup memory that wait for the next control barrier, in the hope that it settles
// all of them at once.
#pragma once

#include "engine.h"

// An access to workgroup memory that waits, with a copy of its target.
struct vkr_shared_access {
	struct vkr_engine_run run;
	struct vkr_engine_target target;
	uint32_t iterations;    // of a run
	bool scattered, listed; // at offsets, and by locals, from `first` on
	size_t first;
};

enum vkr_shared_kind {
	VKR_SHARED_JUDGED,
	VKR_SHARED_ATOMICS,
	VKR_SHARED_READS,
};

// A variable of workgroup memory that was accessed since the last barrier that settles all.
struct vkr_shared_part {
	uint64_t base, bytes;
	uint32_t reference, size;  // of atomics: each is of `size` bytes
	enum vkr_shared_kind kind; // of accesses, all of which wait, unless they are judged
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
	} words;           // offsets, and locals after them
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

// Before an access to workgroup memory: `iterations` of a run, or one of a list, with its site,
// first invocation, count and target in `run`, and NULL or its locals. *waits: it is put off, else
// it is to be judged.
enum vkr_result vkr_shared_access(struct vkr_engine *engine, const struct vkr_engine_run *run,
				  uint32_t iterations, const uint32_t *offsets,
				  const uint32_t *locals, bool *waits,
				  struct vkr_error *error) VKR_MUST_USE;
