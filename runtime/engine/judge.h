// SPDX-License-Identifier: Apache-2.0
// The engine's state, and judging one access or one run of them against what shadow memory
// remembers. Knows nothing of how accesses are fed.
#pragma once

#include "engine.h"
#include "interval.h"
#include "map.h"
#include "queue.h"
#include "read_marks.h"
#include "shadow.h"

// A site as judging needs it.
struct vkr_judge_site {
	uint64_t tag, stage, access;
	uint32_t flags; // enum vkr_engine_site_flags, the implied ones included
	uint32_t bytes;
	uint32_t first_piece, piece_count;
	uint32_t category; // equal where two sites' accesses conflict with the same others
	uint8_t storage_class, scope;
	// The epoch that was last found for it, in both shapes.
	struct {
		uint32_t command, interval, reference, high, epoch;
		uint8_t shape;
	} last[2];
};

// A verdict on two epochs of different commands: it does not depend on invocations.
struct vkr_cached_verdict {
	uint32_t x, y;         // epochs
	uint32_t memory;       // serial, where the verdict holds in [low, high) only; else 0
	uint8_t race_class;    // enum vkr_race_class
	bool before, subsumes; // x happens-before y; y stands for x in what follows
	bool only_in_order;    // vkr_queues_only_in_order
	uint32_t shortfall;
	uint64_t low, high;
};

#define VKR_VERDICT_CACHE 1024u

struct vkr_pair {
	uint64_t count;
};

// The access that is being judged: one, or a run of one site by neighbouring invocations.
struct vkr_access {
	uint32_t command, site, reference;
	uint32_t epoch, interval;
	const struct vkr_judge_site *what;
	struct vkr_shadow *shadow;
	struct vkr_paint paint; // its slot at the first byte, and how it goes on
	bool invocation, freeing;
	const struct vkr_invocation_table *table; // of its epoch
	bool by_range;                            // remembered by its range alone
	uint32_t workgroup, local;                // of the invocation at paint.base
	uint8_t local_bits;
};

// What a plain read makes of a line in parts (judge_parts.c): of the next line that is in such
// parts it makes the same.
struct vkr_line_change {
	// The access's epoch, 0 for none, its memory, and where this holds in it.
	uint32_t epoch, memory;
	uint64_t low, high;
	uint64_t before[2], after[2];    // a line's struct vkr_parts, without its slots
	uint32_t epochs[VKR_PARTS_MOST]; // of these, before
	uint8_t mine;                    // the span of the access, which comes behind
	uint8_t abuts;                   // 1 + the part that the access might lengthen; 0: none
	uint8_t kept;                    // parts that stay, in part at least
	bool cuts;                       // and which, and what their slots are more by:
	uint8_t from[VKR_PARTS_MOST];
	uint64_t more[VKR_PARTS_MOST];
};

#define VKR_LINE_CHANGES 64u

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

// The open dispatch, or part of one.
struct vkr_dispatch_state {
	uint32_t command, local_size, workgroup;
	uint32_t subgroup_size; // 0: not known who shares one
	uint8_t local_bits;
	bool open, in_workgroup;
	bool accessed, conflicts; // workgroup memory: accesses of the present workgroup
	// Workgroup memory of a part: whether the present workgroup's is judged, whether a
	// conflict in it was noted, and whether it is the dispatch's first.
	bool judged, noted, first;
	uint64_t number; // of the dispatch, in the order in which they are fed
};

struct vkr_deferred_readers;

struct vkr_engine {
	struct vkr_engine_options options;
	struct vkr_queues queues;
	struct vkr_epochs epochs;
	struct vkr_invocation_tables tables;
	struct vkr_pool pool;
	struct vkr_intervals intervals;
	struct {
		struct vkr_judge_site *items;
		size_t count, capacity;
	} sites; // index: id - 1
	struct {
		struct vkr_piece *items;
		size_t count, capacity;
	} pieces;
	struct {
		struct vkr_shadow *items;
		size_t count, capacity;
	} memories; // index: id - 1
	struct vkr_shadow workgroup_memory;
	uint32_t next_serial;
	bool several_families; // there are queues of more than one
	bool links;            // vkr_engine_links
	struct {
		struct vkr_pair *items;
		size_t count, capacity;
	} pairs;
	struct vkr_map pair_of; // (sites, class) -> pair + 1
	struct {
		struct vkr_found_race *items;
		size_t count, capacity;
	} found;            // in the access that is being judged
	bool trying, raced; // races are not told, but that there is one (vkr_engine_try_runs)
	bool probing;       // that there is one that has not been told yet is all that is asked
	struct vkr_dispatch_state dispatch;
	struct vkr_cached_verdict cache[VKR_VERDICT_CACHE];
	struct vkr_line_change line_changes[VKR_LINE_CHANGES];
	struct {
		uint32_t *items;
		size_t count, capacity;
	} iterations;                // of the runs that are being fed (vkr_iterations_join)
	struct vkr_read_marks marks; // of the open dispatch
	struct vkr_shared shared;    // of the present workgroup
	bool private_sharing;        // some site accesses workgroup memory privately
	struct {
		struct vkr_access *items;
		size_t count, capacity;
	} lists; // of elements that are being fed
	struct { // of a list, what is of the part that is judged
		uint32_t *offsets, *locals;
		size_t capacity;
	} own;
	struct {
		size_t bytes;                         // of what waits
		uint64_t groups;                      // that were made
		struct vkr_deferred_readers *readers; // that were made last; NULL: none
		bool feeding;                         // what has waited is being judged
	} deferred;                                   // reads (read_deferral.h)
	uint32_t next_part; // for what is next bound to memory (shadow_share.h)
	uint64_t accesses, races;
	uint64_t conflicts; // leaves that an access raced at, be it told or not
};

// The serial of memory that is gone.
#define VKR_NO_SERIAL UINT32_MAX

// Reuse the numbers of epochs, and of ended commands, that no byte remembers, if there are many of
// them, and with the commands the dependencies that only they could have been the nearest to. So
// numbers never run out, and their memory does not grow unless shadow memory does. The second
// function: only between commands.
enum vkr_result vkr_engine_collect_epochs(struct vkr_engine *engine,
					  struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_engine_collect_commands(struct vkr_engine *engine,
					    struct vkr_error *error) VKR_MUST_USE;

// A range of the accessed memory, all of it by access->what, judged and remembered.
enum vkr_result vkr_judge_range(struct vkr_engine *engine, const struct vkr_access *access,
				uint64_t low, uint64_t high, struct vkr_error *error) VKR_MUST_USE;

// Sets engine->raced where the access races with something in the range in a way that has not been
// told yet. Remembers nothing. With engine->probing set.
enum vkr_result vkr_judge_probe(struct vkr_engine *engine, const struct vkr_access *access,
				uint64_t low, uint64_t high, struct vkr_error *error) VKR_MUST_USE;

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

void vkr_fast_begin(struct vkr_fast *fast, struct vkr_engine *engine,
		    const struct vkr_access *access);

// Judges as vkr_judge_range does, but faster if whole lines agree with what is remembered: for runs
// of neighbours. The access may be aimed anew in between.
enum vkr_result vkr_judge_lines(struct vkr_fast *fast, uint64_t low, uint64_t high,
				struct vkr_error *error) VKR_MUST_USE;

// Judges single invocations' accesses of few bytes.
enum vkr_result vkr_judge_words(struct vkr_fast *fast, uint64_t low, uint64_t high,
				struct vkr_error *error) VKR_MUST_USE;

// Whether a slot of kind single or pair surely does not race with the access at `offset` and behind
// it in its line, `distance` bytes behind where the slot's node begins; false for other kinds.
// *safe: see above.
bool vkr_judge_harmless(struct vkr_fast *fast, uint64_t slot, uint64_t distance, uint64_t offset,
			struct vkr_known *safe);

// Judges a plain read or write of some words of one line that is in parts, or may become so: from
// `low` on, at most to `high`. *done is where it ends, `low` if it is left to judge.c
// (judge_parts.c).
enum vkr_result vkr_judge_parts(struct vkr_fast *fast, uint64_t low, uint64_t high, uint64_t *done,
				struct vkr_error *error) VKR_MUST_USE;

// Judges one invocation's access at access->paint.base if the line is in parts and only one of them
// has to be replaced or added; false: nothing has changed.
bool vkr_judge_in_place(const struct vkr_fast *fast, uint64_t low, uint64_t high);

// One invocation's access at `at`, cut off at `end` (engine_feed.c).
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

// Lets a plain write of the command, remembered beside others, be the last write.
enum vkr_result vkr_judge_settle(struct vkr_engine *engine, uint32_t command,
				 struct vkr_shadow *shadow, uint64_t low, uint64_t high,
				 struct vkr_error *error) VKR_MUST_USE;

// Remembers a slot of kind single beside all others since the last write.
enum vkr_result vkr_judge_restore(struct vkr_engine *engine, struct vkr_shadow *shadow,
				  uint64_t slot, uint64_t low, uint64_t high,
				  struct vkr_error *error) VKR_MUST_USE;

// Accesses of an epoch that the access races with, on adjoining bytes.
struct vkr_found_race {
	struct vkr_epoch first;
	uint64_t first_number; // as vkr_slot_number has it, at `low`
	uint64_t low, high;
	enum vkr_race_class race_class;
	uint32_t shortfall;
};

// Notes a race at the bytes of one leaf (judge_event.c). Shadow memory may hold the bytes of one
// access in several leaves: races are counted, asked about and told by pairs of accesses, when all
// bytes of the access have been judged.
enum vkr_result vkr_judge_found(struct vkr_engine *engine, const struct vkr_access *access,
				const struct vkr_found_race *found,
				struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_judge_found_end(struct vkr_engine *engine, const struct vkr_access *access,
				    struct vkr_error *error) VKR_MUST_USE;

// Whether somebody is asked about races of the access with accesses of an epoch, one by one.
bool vkr_judge_asks(const struct vkr_engine *engine, const struct vkr_found_race *found,
		    const struct vkr_access *access);

// Whether a race of this kind has been told, so that others need only be counted.
bool vkr_judge_is_told(const struct vkr_engine *engine, const struct vkr_found_race *found,
		       const struct vkr_access *access);

// Counts `count` races of the access with accesses of an epoch, and tells the one at [low, high)
// where the pair is new.
enum vkr_result vkr_judge_race(struct vkr_engine *engine, const struct vkr_access *access,
			       const struct vkr_found_race *found, uint64_t count,
			       struct vkr_error *error) VKR_MUST_USE;

// Whether order after an access of a site now is order after one of an earlier interval by any
// workgroup-mate.
static inline bool vkr_judge_passed(const struct vkr_intervals *intervals,
				    const struct vkr_judge_site *site, uint32_t interval)
{
	return site->flags & VKR_ENGINE_WRITE
		       ? vkr_intervals_settled(intervals, site->storage_class, interval)
		       : vkr_intervals_ordered(intervals, site->storage_class, interval);
}

// Where that is not so: whether a barrier that orders, but does not settle, stands between. Later
// writers may then be ordered after an older atomic write and not after a new one.
static inline bool vkr_judge_half_passed(const struct vkr_intervals *intervals,
					 const struct vkr_judge_site *site, uint32_t interval)
{
	return (site->flags & VKR_ENGINE_WRITE) &&
	       vkr_intervals_ordered(intervals, site->storage_class, interval);
}

// Whether an older access of a workgroup-mate, or of the same invocation, must stay beside a plain
// write that it is ordered before: where it may race with what is ordered after the write, as it is
// private and the write is not, or was not made available as the write is.
static inline bool vkr_judge_must_keep(const struct vkr_intervals *intervals,
				       const struct vkr_judge_site *older, uint32_t interval,
				       const struct vkr_judge_site *write)
{
	if ((write->flags & VKR_ENGINE_NONPRIVATE) && !(older->flags & VKR_ENGINE_NONPRIVATE))
		return true;
	return (older->flags & VKR_ENGINE_WRITE) && (write->flags & VKR_ENGINE_MAKE_AVAILABLE) &&
	       !(older->flags & VKR_ENGINE_MAKE_AVAILABLE) &&
	       !vkr_intervals_available(intervals, older->storage_class, interval);
}

// The invocation number of the access at an offset: workgroup << local_bits | local.
// ---- Feeding (engine_feed.c, engine_runs.c, engine_map.c) ---------------------------------------

// A memory that accesses are fed to; NULL where there is none.
struct vkr_shadow *vkr_shadow_fed(struct vkr_engine *engine, uint32_t memory);

// Where a target ends in its memory.
uint64_t vkr_target_end(const struct vkr_engine_target *target, const struct vkr_shadow *shadow);
struct vkr_marks_range vkr_marks_range_of(const struct vkr_engine_target *target,
					  const struct vkr_shadow *shadow);

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

// In the memories that are named.
enum vkr_result vkr_judge_access(struct vkr_engine *engine, uint32_t command, uint32_t site,
				 const struct vkr_engine_range *range,
				 struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_judge_run(struct vkr_engine *engine, const struct vkr_engine_run *run,
			      struct vkr_error *error) VKR_MUST_USE;

// VKR_ERROR_STOPPED where the engine's user wants no more to be judged.
enum vkr_result vkr_engine_check_stop(const struct vkr_engine *engine,
				      struct vkr_error *error) VKR_MUST_USE;

// Judges a list that is not of workgroup memory, or that is to be judged now.
enum vkr_result vkr_judge_list(struct vkr_engine *engine, const struct vkr_engine_scatter *scatter,
			       struct vkr_error *error) VKR_MUST_USE;

void vkr_shared_finish(struct vkr_shared *shared);

// A workgroup begins, or the last one ends.
void vkr_shared_begin(struct vkr_engine *engine);

// A control barrier is about to be passed.
enum vkr_result vkr_shared_barrier(struct vkr_engine *engine, uint8_t scope, uint8_t order,
				   uint8_t classes, struct vkr_error *error) VKR_MUST_USE;

// Before an access to workgroup memory: a run, or a list with its site, first invocation, count and
// target in `run`. `may`: it may be put off. *waits: it is, else it is to be judged.
enum vkr_result vkr_shared_access(struct vkr_engine *engine, const struct vkr_engine_run *run,
				  const uint32_t *offsets, bool may, bool *waits,
				  struct vkr_error *error) VKR_MUST_USE;

// Whether some of these runs may be of one site; else each is one by itself. (engine_iterations.c)
bool vkr_iterations_repeat(const struct vkr_engine_run *runs, size_t count);

// How many runs are one with each of these, from it on, in engine->iterations: each of them right
// behind the one before, as turns of a loop are; 0 where it is with an earlier one. False for lack
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

// Whether it is remembered beside what was accessed since the last write, and takes nobody's place.
static inline bool vkr_judge_remembers(const struct vkr_judge_site *site)
{
	return !(site->flags & VKR_ENGINE_WRITE) ||
	       (site->flags & (VKR_ENGINE_ATOMIC | VKR_ENGINE_MAY_ACCESS));
}

static inline uint64_t vkr_access_invocation(const struct vkr_access *access, uint64_t offset)
{
	const uint64_t steps = (offset - access->paint.base) >> access->paint.shape;
	if (access->table)
		return access->table->items[steps] - UINT64_C(1);
	return ((uint64_t)access->workgroup << access->local_bits | access->local) + steps;
}

// How an invocation of the open dispatch is related to the access's invocation, `own` ("Scope").
// This many bits of its number are its place in the workgroup.
static inline enum vkr_relation vkr_judge_relation(const struct vkr_engine *engine,
						   const struct vkr_access *access, uint64_t own,
						   uint64_t other, unsigned local_bits)
{
	const uint32_t size = engine->dispatch.subgroup_size;
	if (other == own)
		return VKR_SAME_INVOCATION;
	if (other >> local_bits != access->workgroup)
		return VKR_OTHER_WORKGROUP;
	other &= (UINT64_C(1) << local_bits) - 1;
	own &= (UINT64_C(1) << access->local_bits) - 1;
	return size == 0 || other / size == own / size ? VKR_SAME_SUBGROUP : VKR_SAME_WORKGROUP;
}

// One side of a pair of accesses of different commands. A read-modify-write is ordered as a write
// is: "X is a write and Y is a write" asks for no visibility ("Location-Ordered").
static inline struct vkr_side vkr_judge_side(const struct vkr_judge_site *site, uint32_t command,
					     bool coherent)
{
	const bool updates = site->flags & VKR_ENGINE_ATOMIC && site->flags & VKR_ENGINE_WRITE;
	return (struct vkr_side){.command = command,
				 .stage = site->stage,
				 .access = site->access,
				 .read = site->flags & VKR_ENGINE_READ && !updates,
				 .write = site->flags & VKR_ENGINE_WRITE,
				 .rasterized = site->flags & VKR_ENGINE_RASTERIZED,
				 .coherent = coherent};
}

// Aims the access at one invocation's access.
static inline void vkr_access_aim(struct vkr_access *access, uint32_t local, uint64_t base)
{
	access->local = local;
	access->paint.base = base;
	access->paint.slot =
		vkr_slot_make(VKR_SLOT_SINGLE, access->epoch,
			      (uint64_t)access->workgroup << access->local_bits | local);
}

static inline struct vkr_interval_access vkr_judge_step(const struct vkr_judge_site *site,
							uint32_t reference, uint32_t interval)
{
	return (struct vkr_interval_access){.flags = site->flags,
					    .bytes = site->bytes,
					    .reference = reference,
					    .interval = interval,
					    .storage_class = site->storage_class,
					    .scope = site->scope};
}

// The whole number that a slot of kind single or pair holds at a distance from its node's start: of
// an invocation, or a place in the epoch's table; `second`: of the other one of a pair.
static inline uint64_t vkr_slot_number(uint64_t slot, const struct vkr_epoch *epoch,
				       uint64_t distance, bool second)
{
	const uint64_t field = vkr_slot_field(slot);
	const uint64_t steps = distance >> epoch->shape;
	const unsigned bits = epoch->local_bits;
	if (!epoch->pair)
		return ((uint64_t)epoch->high << VKR_SLOT_FIELD_BITS | field) + steps;
	{
		const uint64_t mask = ((uint64_t)1 << bits) - 1;
		const uint64_t local = second ? field >> bits & mask : field & mask;
		const uint64_t workgroup =
			field >> (2 * bits) | (uint64_t)epoch->high
						      << (VKR_SLOT_FIELD_BITS - 2 * bits);
		return (workgroup << bits | local) + steps;
	}
}

// The invocation that such a number says.
static inline uint64_t vkr_epoch_invocation(const struct vkr_epoch *epoch, uint64_t number)
{
	return epoch->table ? epoch->table->items[number] - UINT64_C(1) : number;
}

// Whether such a slot of the access's dispatch is of the access's workgroup. What a table is of was
// accessed by several, and stands for all of them.
static inline bool vkr_slot_is_mate(uint64_t slot, const struct vkr_epoch *epoch,
				    const struct vkr_access *access)
{
	return !epoch->table && !access->table &&
	       vkr_slot_number(slot, epoch, 0, false) >> epoch->local_bits == access->workgroup;
}
