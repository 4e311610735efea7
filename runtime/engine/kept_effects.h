// SPDX-License-Identifier: Apache-2.0
// The effects that are kept (dispatch_effect.h): pages before and after, the epochs in them, and
// how these were ordered. Knows who holds them; not when one is made or made again.
#pragma once

#include "dispatch_effect.h"
#include "engine_feed.h"
#include "engine_state.h"

// An epoch, whose command goes by its label: its index in vkr_effect.commands.
struct effect_epoch {
	struct vkr_epoch content;
	uint32_t class;
	uint32_t number; // the engine's, of the same now; 0: not known
};

// Epochs that are ordered alike with everything in a range. `command`: a label.
struct effect_class {
	uint32_t command, site, reference, range;
	bool invocation;
	uint32_t number; // the engine's, of one of them now
};

// Bytes [low, high) of a memory, in which targets of uses lie, and the pages [first, end) that they
// are on: of the first and the last one, what lies outside belongs to others.
struct effect_range {
	uint32_t memory;
	size_t first, end;
	uint64_t low, high;
	size_t first_use, end_use;
	size_t first_class, end_class; // of what was there before
	size_t first_order;            // in vkr_effect.order
	// All uses are reads, which may wait (read_deferral.h); some waited before the dispatch;
	// all do: then they are not fed before the pages are looked at, and once the effect is
	// made, it has no pages of the range.
	bool reads_only, waited, waits;
};

// What a use has read that waits.
struct effect_reads {
	struct vkr_access_filter filter;
	struct vkr_engine_target target;
};

// A table of reads that waited in a range before the dispatch.
struct effect_waiting {
	struct effect_reads reads;
	uint32_t range, class, label;
	uint32_t local_size;
	uint8_t local_bits;
};

// A page of a range: its trees before and after, their epochs by 1 + index in vkr_effect.epochs. A
// tree that stays as it was has no copy of what is after.
struct effect_page {
	size_t page;
	uint32_t range;
	uint64_t before[2], after[2]; // writes, accesses
	bool stays[2];
};

struct effect_pages {
	struct effect_page *items; // by range, ascending
	size_t count, capacity;
};

// What else what is remembered depends on.
struct effect_rules {
	uint64_t local_stages;
	uint32_t local_size, subgroup_size;
	uint8_t private_reads, private_writes;
	bool private_sharing, subgroup_scopes, several_families;
};

// How often a pair of sites has raced in the dispatch; while it is judged, before it.
struct effect_race {
	uint32_t pair; // index in vkr_engine.pairs
	uint64_t count;
};

struct effect_races {
	struct effect_race *items;
	size_t count, capacity;
	uint64_t all; // of vkr_engine.races
};

struct effect_reads_list {
	struct effect_reads *items;
	size_t count, capacity;
};

struct effect_waiting_list {
	struct effect_waiting *items;
	size_t count, capacity;
};

// What the engine had counted before.
struct effect_start {
	struct vkr_fed_counts counts;
	uint64_t races, asked, may_accesses;
	size_t sites;
};

struct vkr_effect {
	struct vkr_effect *next; // of the engine's
	struct effect_rules rules;
	struct {
		struct vkr_effect_use *items; // by range
		size_t count, capacity;
	} uses;
	struct {
		struct effect_range *items;
		size_t count, capacity;
	} ranges;
	struct effect_pages pages;
	struct effect_reads_list reads;     // in ranges that wait
	struct effect_waiting_list waiting; // in the others, by range, in their order
	struct {
		struct effect_epoch *items;
		size_t count, capacity;
	} epochs;
	struct vkr_map epoch_of; // while it is made: hash of range and content -> index in epochs
	struct {
		struct effect_class *items; // by range
		size_t count, capacity;
	} classes;
	struct {
		uint32_t *items; // by label, the engine's commands now, 0: not known. The first is
				 // the dispatch's own
		size_t count, capacity;
	} commands;
	struct {
		uint16_t *items; // how classes are ordered: with uses, and among each other
		size_t count, capacity;
	} order;
	struct effect_races races;
	uint64_t bytes;               // of copies of trees
	struct vkr_fed_counts counts; // of the dispatch
	// While it is made: the range under way.
	uint32_t range;
	bool is_over;   // what was there before has been looked at
	bool failed;    // for lack of memory, or it cannot be told
	uint64_t mixed; // ranges of which some reads wait and others do not (dispatch_effect.h)
	struct effect_start start;
};

// Releases what it says.
void vkr_effect_page_release(struct vkr_engine *engine, struct effect_page *page);

// Keeps the invocation tables that effects name.
void vkr_effects_mark(struct vkr_engine *engine);
