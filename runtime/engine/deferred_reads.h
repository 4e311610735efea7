// SPDX-License-Identifier: Apache-2.0
// The tables of reads that wait (read_deferral.h): by memory, by range, by command. Knows who holds
// them; not what they wait for.
#pragma once

#include "engine_state.h"
#include "read_table.h"
#include "unread_reads.h"

// A command's reads at one site through one target.
struct vkr_deferred_table {
	struct vkr_access_filter filter; // without pages
	struct vkr_engine_target target;
	struct vkr_read_table *reads;
	struct vkr_reads_left left;
	uint32_t command, local_size, epoch;
	uint8_t local_bits;
	// While superseded reads are taken out: whether its command stands for older ones, and
	// whether all newer ones that do stand for it.
	bool stands, is_subsumed;
};

struct vkr_deferred_group {
	uint64_t low, high; // in the memory
	uint64_t number;    // in the order in which groups were made
	struct {
		struct vkr_deferred_table *items; // in the order in which the reads were made
		size_t count, capacity;
	} tables;
	struct {
		// By sites of commands whose logs wait (unread_reads.h).
		struct vkr_deferred_unread {
			struct vkr_unread_log *log;
			uint32_t access; // of the log
			uint32_t site, epoch;
		} * items; // in the order of the commands, after those of all tables
		size_t count, capacity;
	} unread;
	// Epochs that shadow memory remembers in the range, of writes and of reads.
	struct vkr_deferred_epochs {
		uint32_t *items;
		size_t count, capacity;
		bool too_many;
	} writes, reads;
	bool looked; // which these are is known
};

// The groups of one memory, by range; no two overlap.
struct vkr_deferred {
	struct vkr_deferred_group **items;
	size_t count, capacity;
};

// The index of the first group that ends after `low`.
size_t vkr_deferred_from(const struct vkr_deferred *deferred, uint64_t low);

// Whether reads wait in a range that overlaps [low, high).
bool vkr_deferred_waits(const struct vkr_shadow *shadow, uint64_t low, uint64_t high);

// The group of a range; NULL where there is none.
struct vkr_deferred_group *vkr_deferred_find(const struct vkr_shadow *shadow, uint64_t low,
					     uint64_t high);

// A group of a range without tables, which overlaps no other one; NULL for lack of memory.
struct vkr_deferred_group *vkr_deferred_group_make(struct vkr_engine *engine,
						   struct vkr_shadow *shadow, uint64_t low,
						   uint64_t high);

// Reads a log, all of it or what it says of a range.
enum vkr_result vkr_deferred_read_log(struct vkr_engine *engine, struct vkr_unread_log *log,
				      const struct vkr_engine_range *range,
				      struct vkr_error *error) VKR_MUST_USE;

// Has the logs read that wait in a range of a group, unless one is being read.
enum vkr_result vkr_deferred_read(struct vkr_engine *engine, const struct vkr_shadow *shadow,
				  uint64_t low, uint64_t high,
				  struct vkr_error *error) VKR_MUST_USE;

// Forgets as many of what is unread, the oldest, or all of it.
void vkr_deferred_forget(struct vkr_engine *engine, struct vkr_deferred_group *group, size_t count);

// Releases one of its tables.
void vkr_deferred_group_remove(struct vkr_engine *engine, struct vkr_deferred_group *group,
			       size_t at);

// Takes the group out of its memory's.
void vkr_deferred_group_detach(struct vkr_shadow *shadow, struct vkr_deferred_group *group);
// Releases a group that was taken out, with all its tables.
void vkr_deferred_group_release(struct vkr_engine *engine, struct vkr_deferred_group *group);
// Does both.
void vkr_deferred_group_destroy(struct vkr_engine *engine, struct vkr_shadow *shadow,
				struct vkr_deferred_group *group);

// Releases tables in which nothing is left, and the group if none is left, nor anything unread.
void vkr_deferred_group_tidy(struct vkr_engine *engine, struct vkr_shadow *shadow,
			     struct vkr_deferred_group *group);

// Forgets the reads that wait for a memory, or all.
void vkr_deferred_drop(struct vkr_engine *engine, struct vkr_shadow *shadow);
void vkr_deferred_finish(struct vkr_engine *engine);

// Marks their epochs (engine_collect.c).
void vkr_deferred_mark(struct vkr_engine *engine, const struct vkr_shadow *shadow);
