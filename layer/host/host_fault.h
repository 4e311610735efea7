// SPDX-License-Identifier: Apache-2.0
// Faults in watched memory: what was accessed is noted, and the instruction runs on the other
// mapping. Knows pages and instructions; not Vulkan, nor who takes the notes.
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct vkr_host_thread;
struct vkr_host_access;

struct vkr_fault_counts {
	uint64_t faults;  // in watched memory
	uint64_t unknown; // whose instruction could not be followed: its page was opened
	uint64_t lost;    // accesses that found no room
};

// Starts handling faults; false where no handler can be installed. `drain` is called, on a thread
// whose queue is filling, to take what waits: it must end in vkr_host_threads_take(). `raced`:
// whether a race of accesses at the place (vkrace/host_place.h) is known. Then only some of them
// are noted (vkr_region_sample_page). Both are called in fault handlers.
bool vkr_fault_start(void (*drain)(void), bool (*raced)(uint64_t place));

// Records an access to bytes at an address of the program's as if it had faulted. Bytes that are
// not watched are left out. `operation` is an enum vkr_trace_host_operation.
void vkr_fault_note(const void *address, uint64_t bytes, uint32_t operation);

struct vkr_fault_counts vkr_fault_counts(void);
