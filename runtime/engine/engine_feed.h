// SPDX-License-Identifier: Apache-2.0
// Feeding accesses: from runs, lists and ranges of the engine's user to accesses that are judged.
#pragma once

#include "engine_state.h"

// A memory that accesses are fed to; NULL where there is none.
struct vkr_shadow *vkr_shadow_fed(struct vkr_engine *engine, uint32_t memory);

// Accesses that were fed and counted, and of these, where memory is judged in parts, those that no
// other part counts (shard.h).
struct vkr_fed_counts {
	uint64_t accesses, own;
};

// What was counted so far, with all of the workgroup that is open.
struct vkr_fed_counts vkr_feed_counts(struct vkr_engine *engine);
void vkr_feed_add_counts(struct vkr_engine *engine, const struct vkr_fed_counts *counts);

// Where a target ends in its memory.
uint64_t vkr_target_end(const struct vkr_engine_target *target, const struct vkr_shadow *shadow);
// Bytes of the target that are of no part yet (shadow_share.h) get one. False for lack of memory.
bool vkr_target_place(struct vkr_engine *engine, const struct vkr_engine_target *target,
		      struct vkr_shadow *shadow);
struct vkr_marks_range vkr_marks_range_of(const struct vkr_engine_target *target,
					  const struct vkr_shadow *shadow);

// What an open dispatch needs again after reads of other workgroups, or of another dispatch.
struct vkr_left_dispatch {
	struct vkr_dispatch_state dispatch;
	struct vkr_intervals intervals;
	struct vkr_read_marks marks;
};

// Reads are fed that meet no other access of the open dispatch: each of its own workgroup, before
// any of its barriers.
static inline struct vkr_left_dispatch vkr_dispatch_leave(struct vkr_engine *engine)
{
	const struct vkr_left_dispatch left = {engine->dispatch, engine->intervals, engine->marks};
	engine->marks = (struct vkr_read_marks){.off = true};
	engine->dispatch.in_workgroup = true;
	vkr_intervals_begin(&engine->intervals);
	return left;
}

static inline void vkr_dispatch_return(struct vkr_engine *engine,
				       const struct vkr_left_dispatch *left)
{
	engine->dispatch = left->dispatch;
	engine->intervals = left->intervals;
	engine->marks = left->marks;
}

// What a dispatch that is open, whose accesses are about to be judged, needs again after accesses
// of another command, which were counted before.
struct vkr_interrupted {
	struct vkr_left_dispatch left;
	bool feeds_waiting;
	uint64_t accesses, conflicts;
};

static inline struct vkr_interrupted vkr_dispatch_interrupt(struct vkr_engine *engine)
{
	const struct vkr_interrupted was = {vkr_dispatch_leave(engine), engine->feeds_waiting,
					    engine->accesses, engine->conflicts};
	engine->dispatch.open = true;
	engine->dispatch.subgroup_size = 0;
	return was;
}

static inline void vkr_dispatch_resume(struct vkr_engine *engine, const struct vkr_interrupted *was)
{
	vkr_dispatch_return(engine, &was->left);
	engine->feeds_waiting = was->feeds_waiting;
	engine->accesses = was->accesses;
	engine->conflicts = was->conflicts;
}

// An access by invocations of the open dispatch, to be aimed.
enum vkr_result vkr_access_shader(struct vkr_engine *engine, uint32_t site_id,
				  const struct vkr_engine_target *target, struct vkr_shadow *shadow,
				  uint8_t shape, struct vkr_access *access,
				  struct vkr_error *error) VKR_MUST_USE;

// Accesses to elements, aimed at the first of them. No epochs are collected, which the caller has
// done, and that of the access stays until he does so again.
enum vkr_result vkr_access_elements(struct vkr_engine *engine,
				    const struct vkr_engine_elements *list,
				    struct vkr_shadow *shadow, uint8_t shape,
				    struct vkr_access *access,
				    struct vkr_error *error) VKR_MUST_USE;

// An access of a range, of the whole memory where `freeing`, to be aimed.
enum vkr_result vkr_access_plain(struct vkr_engine *engine, uint32_t command, uint32_t site_id,
				 struct vkr_shadow *shadow, bool freeing, struct vkr_access *access,
				 struct vkr_error *error) VKR_MUST_USE;

// Judges a range in the memory that is named. (feed_ranges.c)
enum vkr_result vkr_judge_access(struct vkr_engine *engine, uint32_t command, uint32_t site,
				 const struct vkr_engine_range *range,
				 struct vkr_error *error) VKR_MUST_USE;

// Whether neighbours in a run, each with so many elements, are neighbours in memory, in the way
// that an epoch's shape says. (feed_runs.c)
bool vkr_run_shape(const struct vkr_judge_site *site, int64_t stride, uint32_t count,
		   uint32_t iterations, uint64_t at, uint8_t *shape);

// Judges a run, runs of one site and target, or a list, in the memory that they are of: nothing of
// it waits. `iterations`: elements of each invocation, more than one only where vkr_run_shape says
// so. (feed_runs.c)
enum vkr_result vkr_feed_run(struct vkr_engine *engine, struct vkr_shadow *shadow,
			     const struct vkr_engine_run *run, uint32_t iterations,
			     struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_feed_rows(struct vkr_engine *engine, struct vkr_shadow *shadow,
			      const struct vkr_engine_run *runs, size_t count,
			      struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_feed_list(struct vkr_engine *engine, struct vkr_shadow *shadow,
			      const struct vkr_engine_scatter *scatter,
			      struct vkr_error *error) VKR_MUST_USE;

// As vkr_engine_elements, where no reads wait.
enum vkr_result vkr_feed_elements(struct vkr_engine *engine,
				  const struct vkr_engine_elements *lists, size_t count,
				  bool *apart, struct vkr_error *error) VKR_MUST_USE;

// Counts a run that another part judges.
void vkr_feed_run_count(struct vkr_engine *engine, const struct vkr_engine_run *run,
			uint32_t iterations);

// VKR_ERROR_STOPPED where the engine's user wants no more to be judged.
enum vkr_result vkr_engine_check_stop(const struct vkr_engine *engine,
				      struct vkr_error *error) VKR_MUST_USE;

// Whether some of these runs may be of one site; else each is one by itself. (engine_iterations.c)
bool vkr_iterations_repeat(const struct vkr_engine_run *runs, size_t count);

// How many runs are one with each of these, from it on, in engine->iterations: each of them right
// after the one before, as turns of a loop are; 0 where it is with an earlier one. False for lack
// of memory. (engine_iterations.c)
bool vkr_iterations_join(struct vkr_engine *engine, const struct vkr_engine_run *runs,
			 size_t count);

// In the memories that they are of.
enum vkr_result vkr_mapped_range(struct vkr_engine *engine, uint32_t command, uint32_t site,
				 const struct vkr_engine_range *range,
				 struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_mapped_runs(struct vkr_engine *engine, const struct vkr_engine_run *run,
				struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_mapped_scatter(struct vkr_engine *engine,
				   const struct vkr_engine_scatter *scatter,
				   struct vkr_error *error) VKR_MUST_USE;
