// SPDX-License-Identifier: Apache-2.0
// Locks: locations whose atomics must have taken turns, whichever of equal values each has read.
// Knows atomics and their values; nothing of what they protect.
//
// Every change of such a location's value takes the lock (from the one value that says that it is
// free, by an update that acquires) or gives it back (to that value, which releases), and each
// invocation takes and gives by turns. An update comes right after the write whose value it read
// ("Atomic Operation", modification order), so that each write of the free value was taken at most
// once. Since a taker gives only after it has taken, all earlier takers have given when the next
// one takes, and it has read what the last of them wrote: by induction, what invocations do between
// taking and giving is totally ordered. In which order is not known, and accesses outside are in
// none.
#pragma once

#include "shader_sync.h"

struct vkr_sync_locks {
	uint32_t *held; // by event: 1 + index of what its invocation holds after it; 0: none
	struct {
		struct vkr_sync_held {
			uint32_t lock, others; // others: 1 + index, 0: none
		} * items;
		size_t count, capacity;
	} holdings;
};

// False for lack of memory.
bool vkr_sync_locks_find(struct vkr_sync_locks *locks, const struct vkr_sync *sync);
void vkr_sync_locks_finish(struct vkr_sync_locks *locks);

// Whether both accesses are made while the same locks are held, and at least one.
bool vkr_sync_locks_protect(const struct vkr_sync_locks *locks, const struct vkr_sync *sync,
			    const struct vkr_sync_access *a, const struct vkr_sync_access *b);
