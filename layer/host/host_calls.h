// SPDX-License-Identifier: Apache-2.0
// Calls of the program's that reach watched memory by way of the kernel. Knows the C library's
// functions; not what is watched.
#pragma once

#include <stdbool.h>

// Replaces the C library's functions that read and write memory through system calls: they would
// fail with EFAULT on closed pages. They use the other mapping, and what they accessed is noted.
// Calls that a program makes past the C library are not seen. Files loaded later:
// vkr_got_patch_update. False for lack of memory.
bool vkr_calls_start(void);
