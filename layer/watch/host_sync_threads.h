// SPDX-License-Identifier: Apache-2.0
// Creating and joining threads as synchronization, and how synchronization is recorded. Knows the
// C library's threads; used by host_sync.c only.
#pragma once

#include "vkrace/trace.h"

#include <stdbool.h>

// Record, unless the thread is recording something already; errno stays.
void vkr_host_sync_release(const volatile void *object, enum vkr_trace_host_sync kind, bool alone);
void vkr_host_sync_acquire(const volatile void *object, enum vkr_trace_host_sync kind);

// Leads the program's creating and joining of threads here (got_patch.h). False for lack of memory.
bool vkr_host_sync_threads_start(const char *const *spared);
