// SPDX-License-Identifier: Apache-2.0
// The engine's state.
#pragma once

#include "byte_ranges.h"
#include "judge_access.h"
#include "judge_fast.h"
#include "judge_shared.h"
#include "map.h"
#include "noted_reads.h"
#include "read_marks.h"

#define VKR_VERDICT_CACHE 1024u

struct vkr_pair {
	uint64_t count;
	uint64_t commands, last_command; // that made the second access; the last one's number
	struct vkr_byte_ranges extent;   // bytes that raced
	// The last workgroup with a race in its memory, as struct vkr_dispatch_state counts them,
	// and where it is in vkr_engine.workgroup_races.
	uint64_t workgroup;
	size_t raced;
};

// Accesses of an epoch that the access races with, on adjoining bytes.
struct vkr_found_race {
	struct vkr_epoch first;
	uint64_t first_number; // as vkr_slot_number has it, at `low`
	uint64_t low, high;
	enum vkr_race_class race_class;
	uint32_t shortfall;
};

// Bytes of a race apart from those that are reported with it: an access in pieces has such.
struct vkr_found_rest {
	size_t found; // index
	uint64_t low, high;
};

// The open dispatch, or part of one.
struct vkr_dispatch_state {
	uint32_t command, local_size, workgroup;
	uint32_t subgroup_size; // 0: not known who shares one
	uint8_t local_bits;
	bool open, in_workgroup;
	bool accessed, conflicts; // workgroup memory: accesses of the present workgroup
	// Workgroup memory of a part: whether the present workgroup's is judged, and
	// whether a conflict in it was noted.
	bool judged, noted;
	// Of a part, where workgroups are dealt out: its own ones, by linear index.
	bool divided;
	uint32_t own_first;
	uint64_t own_end;
	// Of engine->accesses, those before the present workgroup; nothing is counted while `idle`.
	uint64_t counted;
	bool idle;
	uint64_t number;     // of those with workgroup memory, in the order in which they are fed
	uint64_t workgroups; // so far, of all dispatches
};

struct vkr_read_pages;
struct vkr_effect;

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
	struct {
		struct vkr_pair *items;
		size_t count, capacity;
	} pairs;
	struct vkr_map pair_of; // (sites, class) -> pair + 1
	struct {
		struct vkr_engine_raced *items;
		size_t count, capacity;
	} workgroup_races; // in the memory of the present workgroup
	struct {
		struct vkr_found_race *items;
		size_t count, capacity;
	} found; // in the access that is being judged
	struct {
		struct vkr_found_rest *items;
		size_t count, capacity;
	} found_rest;        // further bytes of these
	bool feeds_waiting;  // reads are fed that waited: they were held against all writes before
	bool probing, raced; // it is only looked for races for which each access counts
	struct vkr_dispatch_state dispatch;
	struct vkr_cached_verdict cache[VKR_VERDICT_CACHE];
	struct vkr_line_change line_changes[VKR_LINE_CHANGES];
	struct {
		uint32_t *items;
		size_t count, capacity;
	} iterations; // of the runs that are being fed (vkr_iterations_join)
	struct {
		struct {
			uint32_t *items;
			size_t count, capacity;
		} offsets, locals;
	} listed;                    // runs that are fed as a list (feed_runs.c)
	struct vkr_read_marks marks; // of the open dispatch
	struct vkr_noted_reads noted;
	struct vkr_shared shared; // of the present workgroup
	// Storage classes that some site reads, or writes, privately.
	uint8_t private_reads, private_writes;
	bool private_sharing; // some site accesses workgroup memory privately
	bool subgroup_scopes; // some site's accesses are of Subgroup scope
	struct {
		struct vkr_access *items;
		size_t count, capacity;
	} lists; // of elements that are being fed
	struct { // of a list, what is of the part that is judged
		uint32_t *offsets, *locals;
		size_t capacity;
	} own;
	struct {
		size_t bytes;                 // of what waits
		uint64_t groups;              // that were made
		bool reading;                 // a log (unread_reads.h)
		struct vkr_read_pages *pages; // of tables; NULL: none yet
		struct {
			uint64_t *items; // bits by epoch
			size_t count, capacity;
		} seen;          // epochs, while a range is looked at
	} deferred;              // reads (read_deferral.h)
	uint32_t next_part;      // for what is next bound to memory (shadow_share.h)
	struct {                 // commands' reads that are dealt out (engine_parts.h)
		uint64_t *work;  // by part, so far
		uint64_t before; // of `accesses`, those before the reads that are being dealt out
		bool open;
	} dealt;
	struct vkr_effect *effects; // all that there are (dispatch_effect.h); NULL: none
	uint64_t accesses, races;
	uint64_t asked;        // races between commands that options.ask has answered
	uint64_t conflicts;    // leaves that an access raced at, reported or not
	uint64_t may_accesses; // that may have been made, so far
};

// The serial of memory that is gone.
#define VKR_NO_SERIAL UINT32_MAX

// Reuse the numbers of epochs, and of ended commands, that no byte remembers, if there are many of
// them, and with the commands the dependencies that only they could have been the nearest to. So
// numbers never run out, and their memory does not grow unless shadow memory does. The second
// function: only between commands.
enum vkr_result vkr_engine_collect_epochs(struct vkr_engine *engine,
					  struct vkr_error *error) VKR_MUST_USE;
// As soon as it is called; no dispatch is open.
enum vkr_result vkr_engine_forget_commands(struct vkr_engine *engine,
					   struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_engine_collect_commands(struct vkr_engine *engine,
					    struct vkr_error *error) VKR_MUST_USE;

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

// Whether vkr_engine_command_keeps was called for the command.
static inline bool vkr_judge_keeps(const struct vkr_engine *engine, uint32_t command)
{
	return engine->queues.commands.items[command - 1].keeps;
}

// Against what an older access of another invocation stays remembered where an access of the site
// stands for it: an enum vkr_against, 0 for nothing. Workgroup memory is accessed through its
// storage class, and other memory through any of the others.
static inline uint8_t vkr_judge_remainder(const struct vkr_engine *engine,
					  const struct vkr_judge_site *site)
{
	const unsigned shared = VKR_CLASS_WORKGROUP;
	const unsigned here = site->storage_class & shared ? shared : ~shared;
	if (!(site->flags & VKR_ENGINE_NONPRIVATE))
		return 0;
	// Who has written a byte plainly reads no older value: only atomics stand for writes that
	// the reader's invocation has not overwritten.
	if (engine->private_reads & here && site->flags & VKR_ENGINE_WRITE &&
	    site->flags & VKR_ENGINE_ATOMIC)
		return VKR_AGAINST_PRIVATE;
	return engine->private_writes & here ? VKR_AGAINST_PRIVATE_WRITES : 0;
}
