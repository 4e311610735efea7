// SPDX-License-Identifier: Apache-2.0
// What each thread has accessed, in its order, until somebody takes it away. Written by the
// thread's fault handler without lock or malloc. Knows neither instructions nor pages.
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// Only this many innermost return addresses are kept: a fault handler allocates nothing, and
// recursion has no bound.
#define VKR_HOST_FRAMES 48u

// One access as it waits.
struct vkr_host_access {
	uint32_t memory;
	uint32_t operation; // enum vkr_trace_host_operation
	uint64_t offset, bytes;
	uint32_t frame_count, reserved;
	uint64_t frames[VKR_HOST_FRAMES]; // return addresses, innermost first
};

struct vkr_host_thread;

// The calling thread's; NULL for lack of memory. Async-signal-safe.
struct vkr_host_thread *vkr_host_thread_self(void);

// Number in the trace, 0 while it has none: belongs to whoever records.
_Atomic uint32_t *vkr_host_thread_number(struct vkr_host_thread *thread);
uint32_t vkr_host_thread_system_id(const struct vkr_host_thread *thread);

// Appends; false while the thread's queue is full.
bool vkr_host_thread_push(struct vkr_host_thread *thread, const struct vkr_host_access *access);

// True where much waits for being taken, so that the next accesses may find no room.
bool vkr_host_thread_is_filling(const struct vkr_host_thread *thread);

// True where anything waits.
bool vkr_host_threads_waiting(void);

// Takes all that waits, thread by thread, each in its order; neighbours of one place are one. One
// caller at a time.
void vkr_host_threads_take(void (*take)(struct vkr_host_thread *thread,
					const struct vkr_host_access *access));
