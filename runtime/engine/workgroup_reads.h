// SPDX-License-Identifier: Apache-2.0
// What a workgroup reads of buffers whose reads may be noted (noted_reads.h), for workgroups that
// read alike at other offsets: of each site the places, with the first invocation that reads each.
// An element of a matrix that is read by many invocations is noted once for each workgroup. Knows
// runs and lists; not what is noted already.
#pragma once

#include "access_filters.h"

// Places that are one step apart from each to the next.
struct vkr_read_places {
	uint64_t offset; // of the first one, from the lowest place of the site
	uint32_t step;   // bytes
	uint32_t count;
	size_t first; // of their invocations
};

// Of one site through one target.
struct vkr_site_reads {
	uint32_t site;
	const struct vkr_engine_target *target;
	bool odd;           // some do not lie at multiples of the site's bytes: all are fed singly
	uint64_t low;       // the lowest place, in the target
	uint64_t reach;     // from there up to the end of the highest one
	uint64_t accesses;  // with those of places that others have read
	size_t first, last; // places
};

// Zeroed before the first workgroup.
struct vkr_workgroup_reads {
	struct vkr_site_reads *items;
	size_t count, capacity;
	struct {
		struct vkr_read_places *items;
		size_t count, capacity;
	} places;
	struct {
		uint32_t *items; // local indices
		size_t count, capacity;
	} locals;
	struct vkr_access_filters filters; // while it is collected
};

void vkr_workgroup_reads_finish(struct vkr_workgroup_reads *reads);

// Collects a workgroup's reads: what one call of vkr_engine_runs would be given, and lists; others
// are passed over. False for lack of memory.
bool vkr_workgroup_reads_begin(struct vkr_workgroup_reads *reads);
bool vkr_workgroup_reads_runs(struct vkr_workgroup_reads *reads, struct vkr_engine *engine,
			      const struct vkr_engine_run *runs, size_t count);
bool vkr_workgroup_reads_list(struct vkr_workgroup_reads *reads, const struct vkr_engine *engine,
			      const struct vkr_engine_scatter *list);
bool vkr_workgroup_reads_end(struct vkr_workgroup_reads *reads);

// Notes such reads of one site by the present workgroup, whose lowest place is `low`. *taken is
// false where they are to be fed singly.
enum vkr_result vkr_workgroup_reads_note(const struct vkr_workgroup_reads *reads,
					 const struct vkr_site_reads *of, uint64_t low,
					 struct vkr_engine *engine, bool *taken,
					 struct vkr_error *error) VKR_MUST_USE;
