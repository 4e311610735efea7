// SPDX-License-Identifier: Apache-2.0
// The trace format, continued: the events of host threads among themselves, and what their call
// stacks refer to. Knows nothing of Vulkan.
#pragma once

#include <stdint.h>

// Events of VKR_TRACE_EVENTS (trace.h).
#define VKR_TRACE_HOST_EVENTS(X)                                                                   \
	X(HOST_ORDER, 240, vkr_trace_host_order, 8)                                                \
	X(HOST_RELEASE, 241, vkr_trace_host_release, 16)                                           \
	X(HOST_ACQUIRE, 242, vkr_trace_host_acquire, 16)                                           \
	X(HOST_IGNORE, 243, vkr_trace_host_ignore, 8)                                              \
	X(MODULE, 244, vkr_trace_module, 32)                                                       \
	X(CALL_STACK, 245, vkr_trace_call_stack, 8)

// How the order of host threads is known. Without this event: VKR_HOST_ORDER_OBSERVED.
enum vkr_trace_host_order_kind {
	VKR_HOST_ORDER_OBSERVED = 1, // the order of events is taken as that of the threads
	VKR_HOST_ORDER_OWN,          // HOST_RELEASE and HOST_ACQUIRE are all that orders threads
};

// Before the first event of a thread.
struct vkr_trace_host_order {
	uint32_t order; // enum vkr_trace_host_order_kind
	uint32_t reserved;
};

// What host threads synchronize through; an object is named by its kind and its address.
enum vkr_trace_host_sync {
	VKR_HOST_SYNC_ANNOTATION = 1, // vkrace_happens_before, vkrace_happens_after (annotate.h)
	VKR_HOST_SYNC_MUTEX,          // mutexes and spin locks
	VKR_HOST_SYNC_RWLOCK,         // releases of writers; all acquire
	VKR_HOST_SYNC_READERS,        // of a read-write lock: releases of readers; writers acquire
	VKR_HOST_SYNC_SEMAPHORE,
	VKR_HOST_SYNC_BARRIER,
	VKR_HOST_SYNC_ONCE,
	VKR_HOST_SYNC_THREAD_START, // the address is a number of the layer's
	VKR_HOST_SYNC_THREAD_END,   // the same number
};

enum vkr_trace_host_release_flags {
	// The releasing thread already knows what the object's earlier releases ordered, or these
	// belong to an earlier object at this address. Without this flag releases add up.
	VKR_HOST_RELEASE_ALONE = 1u << 0,
};

// A host thread released an object: what it did before happens-before what comes after an acquire.
struct vkr_trace_host_release {
	uint64_t object; // address
	uint32_t kind;   // enum vkr_trace_host_sync
	uint32_t flags;  // enum vkr_trace_host_release_flags
};

// A host thread acquired an object: all of its releases that stand before this event.
struct vkr_trace_host_acquire {
	uint64_t object; // address
	uint32_t kind;   // enum vkr_trace_host_sync
	uint32_t reserved;
};

// The program asked that the thread's accesses be ignored from here on, or no more (annotate.h).
// Regions nest.
struct vkr_trace_host_ignore {
	uint32_t begins; // 1; 0: ends
	uint32_t reserved;
};

// A part of an executable or library in the process's memory, before the first frame within it. A
// later one at the same addresses takes its place. Tail: path_bytes bytes of text: the file's path;
// build_id_bytes bytes of text: its build id in hexadecimal digits.
struct vkr_trace_module {
	uint64_t first, end; // addresses
	uint64_t bias;       // address minus the file's virtual address
	uint32_t path_bytes, build_id_bytes;
};

// Where the thread's next event comes from. Tail: frame_count x uint64_t: as of HOST_ACCESS.
struct vkr_trace_call_stack {
	uint32_t frame_count, reserved;
};
