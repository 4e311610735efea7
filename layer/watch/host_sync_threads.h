// SPDX-License-Identifier: Apache-2.0
// Creating and joining threads as synchronization. Knows the C library's threads; used by
// host_sync.c only.
#pragma once

#include <stdbool.h>

// Leads the program's creating and joining of threads here (got_patch.h). False for lack of memory.
bool vkr_host_sync_threads_start(const char *const *spared);
