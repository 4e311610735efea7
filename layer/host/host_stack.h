// SPDX-License-Identifier: Apache-2.0
// The call stack at a place where a thread was stopped. Knows unwinding; not why it stopped.
#pragma once

#include <stdint.h>
#include <ucontext.h>

// Learns where the C library and this library lie: what they do on behalf of the program is the
// program's doing, one place for all of memcpy. Not async-signal-safe.
void vkr_host_stack_start(void);

// Leaves out the innermost frames that lie in those libraries, as long as one is left. Returns the
// number of the others.
uint32_t vkr_host_stack_trim(uint64_t *frames, uint32_t count);

// The instruction's address and the return addresses less one, innermost first, at most `limit`.
// Returns their number. Async-signal-safe; a stack seen before costs little.
uint32_t vkr_host_stack(const ucontext_t *context, uint64_t *frames, uint32_t limit);
