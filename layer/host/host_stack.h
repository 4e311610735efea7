// SPDX-License-Identifier: Apache-2.0
// The call stack at a place where a thread was stopped. Knows unwinding; not why it stopped.
#pragma once

#include <stdint.h>
#include <ucontext.h>

// The instruction's address and the return addresses behind it, innermost first, at most `limit`.
// Returns their number. Async-signal-safe; a stack seen before costs little.
uint32_t vkr_host_stack(const ucontext_t *context, uint64_t *frames, uint32_t limit);
