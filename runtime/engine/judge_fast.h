// SPDX-License-Identifier: Apache-2.0
// The fast paths of judging, for lines, words and scattered accesses, and what they keep. They know
// no rule of their own: where they cannot say that nothing races they leave the bytes to judge.h.
#pragma once

#include "judge_access.h"

struct vkr_engine;

// What a plain read makes of a line in parts (judge_parts.c): of the next line that is in such
// parts it makes the same.
struct vkr_line_change {
	// The access's epoch, 0 for none, its memory, and where this holds in it.
	uint32_t epoch, memory;
	uint64_t low, high;
	uint64_t before[2], after[2];    // a line's struct vkr_parts, without its slots
	uint32_t epochs[VKR_PARTS_MOST]; // of these, before
	uint8_t mine;                    // the span of the access, which comes after
	uint8_t abuts;                   // 1 + the part that the access might lengthen; 0: none
	uint8_t kept;                    // parts that stay, in part at least
	bool cuts;                       // and which, and what their slots are more by:
	uint8_t from[VKR_PARTS_MOST];
	uint64_t more[VKR_PARTS_MOST];
};

#define VKR_LINE_CHANGES 64u

// An epoch of which something is known in lines of the accessed memory: [low, high).
struct vkr_known {
	uint32_t epoch;
	uint64_t low, high;
};

// Whether it is known of a slot of kind single or pair, in the line of an offset.
static inline bool vkr_known_has(const struct vkr_known *known, uint64_t slot, uint64_t offset)
{
	return vkr_slot_epoch(slot) == known->epoch &&
	       offset - known->low < known->high - known->low;
}

static inline struct vkr_known vkr_known_everywhere(uint32_t epoch)
{
	return (struct vkr_known){epoch, 0, UINT64_MAX};
}

// Where a verdict between commands holds in whole lines.
static inline struct vkr_known vkr_known_of(uint32_t epoch, const struct vkr_cached_verdict *cached)
{
	struct vkr_known known = vkr_known_everywhere(epoch);
	if (cached->memory == 0)
		return known;
	known.low = (cached->low + VKR_LINE_BYTES - 1) & ~(VKR_LINE_BYTES - 1);
	known.high = cached->high & ~(VKR_LINE_BYTES - 1);
	if (known.high < known.low)
		known.high = known.low;
	return known;
}

// What the fast judgement of one access keeps between its nodes.
struct vkr_fast {
	struct vkr_engine *engine;
	const struct vkr_access *access;
	struct vkr_interval_access step; // the access's
	bool read_only;
	bool remembers; // a read or an atomic: remembered beside others
	bool sparse;    // few words of each line are accessed: set by who knows it
	bool in_place;  // and vkr_judge_in_place may be asked first
	bool packed;    // pages may be made cells of
	// Of a stride that is a power of two: its binary logarithm, for cells of that many bytes;
	// else 0.
	uint8_t granule;
	// Epochs that are known not to race with the access, whatever the invocation, in the place
	// of the last write and of later accesses, and one that the access stands for.
	struct vkr_known safe_write, safe_access, replaced;
};

// Whether a slot's node was accessed by the invocation of the access alone.
static inline bool vkr_fast_is_own(uint64_t slot, const struct vkr_epoch *x,
				   const struct vkr_access *access, uint64_t distance,
				   uint64_t offset)
{
	return x->shape == access->paint.shape && !x->pair &&
	       vkr_slot_kind(slot) == VKR_SLOT_SINGLE &&
	       vkr_slot_number(slot, x, distance, false) == vkr_access_invocation(access, offset);
}

void vkr_fast_begin(struct vkr_fast *fast, struct vkr_engine *engine,
		    const struct vkr_access *access);

// Judges as vkr_judge_range does, but faster if whole lines agree with what is remembered: for runs
// of neighbours. The access may be aimed anew in between.
enum vkr_result vkr_judge_lines(struct vkr_fast *fast, uint64_t low, uint64_t high,
				struct vkr_error *error) VKR_MUST_USE;

// Judges single invocations' accesses of few bytes.
enum vkr_result vkr_judge_words(struct vkr_fast *fast, uint64_t low, uint64_t high,
				struct vkr_error *error) VKR_MUST_USE;

// Whether a slot of kind single or pair surely does not race with the access at `offset` and after
// it in its line, `distance` bytes after where the slot's node begins; false for other kinds.
// *safe: see above (judge_harmless.c).
bool vkr_judge_harmless(struct vkr_fast *fast, uint64_t slot, uint64_t distance, uint64_t offset,
			struct vkr_known *safe);

// Whether something of another command leaves a list of reads as judge_history.c would: it stands
// where nothing is to be dropped but by the access itself (judge_parts.c).
bool vkr_judge_is_simple_beside(const struct vkr_fast *fast, const struct vkr_epoch *x);

// Judges a plain read or write of some words of one line that is in parts, or may become so: from
// `low` on, at most to `high`. *done is where it ends, `low` if it is left to judge.c
// (judge_parts.c).
enum vkr_result vkr_judge_parts(struct vkr_fast *fast, uint64_t low, uint64_t high, uint64_t *done,
				struct vkr_error *error) VKR_MUST_USE;

// Judges one invocation's access at access->paint.base if the line is in parts and only one of them
// has to be replaced or added; false: nothing has changed.
bool vkr_judge_in_place(const struct vkr_fast *fast, uint64_t low, uint64_t high);

// One invocation's access at `at`, cut off at `end` (judge_scatter.c).
enum vkr_result vkr_judge_one(struct vkr_fast *fast, struct vkr_access *access, uint32_t local,
			      uint64_t at, uint64_t end, struct vkr_error *error) VKR_MUST_USE;

// Accesses without a pattern, up to `end` of the accessed memory (judge_scatter.c).
enum vkr_result vkr_judge_scatter(struct vkr_fast *fast, struct vkr_access *access,
				  const struct vkr_engine_scatter *scatter, uint64_t end,
				  struct vkr_error *error) VKR_MUST_USE;

// Accesses at a stride, likewise.
enum vkr_result vkr_judge_strided(struct vkr_fast *fast, struct vkr_access *access,
				  const struct vkr_engine_run *run, uint64_t end,
				  struct vkr_error *error) VKR_MUST_USE;
