// SPDX-License-Identifier: Apache-2.0
// Judging one access, or one run of them, against what shadow memory remembers: the rules. Knows
// nothing of how accesses are fed.
#pragma once

#include "engine_state.h"

// A range of the accessed memory, all of it by access->what, judged and remembered.
enum vkr_result vkr_judge_range(struct vkr_engine *engine, const struct vkr_access *access,
				uint64_t low, uint64_t high, struct vkr_error *error) VKR_MUST_USE;

// Sets engine->raced where the access races with something in the range in a way that has not been
// reported yet. Remembers nothing. With engine->probing set.
enum vkr_result vkr_judge_probe(struct vkr_engine *engine, const struct vkr_access *access,
				uint64_t low, uint64_t high, struct vkr_error *error) VKR_MUST_USE;

// What a slot of kind single and the access are to each other on [low, high).
enum vkr_result vkr_judge_slot(struct vkr_engine *engine, const struct vkr_access *access,
			       uint64_t slot, uint64_t low, uint64_t high,
			       struct vkr_error *error) VKR_MUST_USE;

// Reads that may have been made (judge_may_access.c). They are of whole views, and there are new
// ones with every draw: they are remembered by their range, not byte by byte.
enum vkr_result vkr_may_access_add(struct vkr_engine *engine, const struct vkr_access *access,
				   uint64_t low, uint64_t high,
				   struct vkr_error *error) VKR_MUST_USE;
// A write of a range against these.
enum vkr_result vkr_may_access_judge(struct vkr_engine *engine, const struct vkr_access *access,
				     uint64_t low, uint64_t high,
				     struct vkr_error *error) VKR_MUST_USE;
// Whether a write within [low, high), by whatever invocation, does not race with any of them.
bool vkr_may_access_harmless(struct vkr_engine *engine, const struct vkr_access *access,
			     uint64_t low, uint64_t high);

// Whether accesses of the command may stand for others in all that follows it.
bool vkr_judge_stands(const struct vkr_engine *engine, uint32_t command);

// Whether y stands for x in all that follows y's command, for accesses since the last write.
bool vkr_judge_subsumes(const struct vkr_engine *engine, const struct vkr_epoch *y,
			const struct vkr_epoch *x);

// The cached verdict on what a slot of another command's epoch and the access are to each other at
// an offset.
const struct vkr_cached_verdict *vkr_judge_commands(struct vkr_engine *engine, uint32_t epoch,
						    const struct vkr_access *access,
						    uint64_t offset);

// What the access reads of x, which is ordered before it, must be its queue family's: else the
// verdict is a race (judge_owner.c). Narrows the place that the verdict holds in.
void vkr_judge_owner(const struct vkr_engine *engine, const struct vkr_judge_site *x,
		     uint32_t x_command, const struct vkr_access *access,
		     struct vkr_verdict_range *place, struct vkr_cached_verdict *cached);
void vkr_judge_owner_explain(const struct vkr_engine *engine, const struct vkr_access *access,
			     const struct vkr_found_race *found, struct vkr_engine_race *race);

// Remembers the access in a leaf of what was accessed since the last write (judge_history.c), which
// lies wholly within it.
enum vkr_result vkr_judge_remember(struct vkr_engine *engine, const struct vkr_access *access,
				   struct vkr_leaf *leaf, struct vkr_error *error) VKR_MUST_USE;

// What a slot of kind single or pair says `distance` bytes after its node's start, of one of its
// invocations, as a slot that is remembered against less: *made, of kind single and of the shape.
enum vkr_result vkr_judge_restrict(struct vkr_engine *engine, uint64_t slot, uint64_t distance,
				   bool second, uint8_t shape, uint8_t against, uint64_t *made,
				   struct vkr_error *error) VKR_MUST_USE;

// Notes a race at the bytes of one leaf (judge_event.c). Shadow memory may hold the bytes of one
// access in several leaves: races are counted, asked about and reported by pairs of accesses, when
// all bytes of the access have been judged.
enum vkr_result vkr_judge_found(struct vkr_engine *engine, const struct vkr_access *access,
				const struct vkr_found_race *found,
				struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_judge_found_end(struct vkr_engine *engine, const struct vkr_access *access,
				    struct vkr_error *error) VKR_MUST_USE;

// Of a part: accesses conflict in the present workgroup's memory. False for lack of memory.
bool vkr_judge_note_workgroup(struct vkr_engine *engine);

// Whether somebody is asked about races of the access with accesses of an epoch, one by one.
bool vkr_judge_asks(const struct vkr_engine *engine, const struct vkr_found_race *found,
		    const struct vkr_access *access);

// Whether a race of this kind has been reported, so that others need only be counted.
bool vkr_judge_is_told(const struct vkr_engine *engine, const struct vkr_found_race *found,
		       const struct vkr_access *access);

// Counts `count` races of the access with accesses of an epoch, which are at all bytes from `low`
// to `end`, and reports the one at [low, high) where the pair is new. *pair: the pair's, UINT32_MAX
// where it is no race after all.
enum vkr_result vkr_judge_race(struct vkr_engine *engine, const struct vkr_access *access,
			       const struct vkr_found_race *found, uint64_t count, uint64_t end,
			       uint32_t *pair, struct vkr_error *error) VKR_MUST_USE;
