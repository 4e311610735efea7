// SPDX-License-Identifier: Apache-2.0
// Whether and how host threads are watched, and what they accessed as events of the trace.
// Knows the setting VKRACE_HOST; not which memory there is.
#pragma once

#include <stdbool.h>

enum vkr_host_mode {
	VKR_HOST_UNWATCHED,
	VKR_HOST_NEEDED,  // where a race is possible
	VKR_HOST_PRECISE, // every access
};

// The mode that the setting asks for, once the handler of faults could be installed; says so
// where not. From then on what host threads have accessed is recorded before each event of a thread
// (record.h): what it did before stands before it.
enum vkr_host_mode vkr_host_watch_start(void);

enum vkr_host_mode vkr_host_watch_mode(void);
