// SPDX-License-Identifier: Apache-2.0
// The access that is being judged, its site, and what a slot says of other invocations' accesses.
// Knows neither the engine nor what makes a race.
#pragma once

#include "interval.h"
#include "queue.h"
#include "shadow.h"

// A site as judging needs it.
struct vkr_judge_site {
	uint64_t tag, stage, access;
	uint32_t flags; // enum vkr_engine_site_flags, the implied ones included
	uint32_t bytes;
	uint32_t first_piece, piece_count;
	uint32_t category; // equal where two sites' accesses conflict with the same others
	uint8_t storage_class, scope;
	// 1 + which of the sites it is whose reads are noted in the open dispatch; 0: none.
	uint32_t noted;
	// Places whose noted reads were judged one by one in the open dispatch; in the last one
	// there were few reads for each.
	uint64_t noted_places;
	bool read_once;
	uint64_t last_reads, last_range; // of the last one: how many, of how many bytes
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
	bool kept;             // y does not take the place of x (vkr_engine_command_keeps)
	bool only_in_order;    // vkr_queues_only_in_order
	uint32_t shortfall;
	uint64_t low, high;
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

// The invocation number of the access at an offset: workgroup << local_bits | local.
static inline uint64_t vkr_access_invocation(const struct vkr_access *access, uint64_t offset)
{
	const uint64_t steps = (offset - access->paint.base) >> access->paint.shape;
	if (access->table)
		return access->table->items[steps] - UINT64_C(1);
	return ((uint64_t)access->workgroup << access->local_bits | access->local) + steps;
}

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

// Whether it is remembered beside what was accessed since the last write, and takes nobody's place.
static inline bool vkr_judge_remembers(const struct vkr_judge_site *site)
{
	return !(site->flags & VKR_ENGINE_WRITE) ||
	       (site->flags & (VKR_ENGINE_ATOMIC | VKR_ENGINE_MAY_ACCESS));
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
	access->paint.slot = vkr_slot_single(
		access->epoch, (uint64_t)access->workgroup << access->local_bits | local);
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
