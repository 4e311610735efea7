// SPDX-License-Identifier: Apache-2.0
// Where in the program a host thread is: its call stack as addresses, and the files that these lie
// in. Knows nothing of names and lines, which the judge finds in the files.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Calls farther out than these are not shown: each recorded command carries its stack, and
// recursion has no bound.
#define VKR_STACK_FRAMES 32u

// Records a MODULE event for each executable or library that has been loaded since the last call.
// Cheap if there is none. Must not be called from a signal handler.
void vkr_call_stack_modules(void);

// The calling thread's stack: addresses within instructions, innermost first, without the layer's
// own. Frames that lie in files not recorded yet bring their MODULE events. Returns how many there
// are.
uint32_t vkr_call_stack_capture(uint64_t frames[VKR_STACK_FRAMES]);

// Records the calling thread's stack as that of its next event.
void vkr_call_stack_record(void);
