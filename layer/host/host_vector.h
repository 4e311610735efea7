// SPDX-License-Identifier: Apache-2.0
// Vector and mask registers as a signal frame holds them (Intel SDM 1, 13.4: the standard format of
// XSAVE). Knows no instruction.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

// Bytes [offset, offset + bytes) of vector register `number`; `offset` and `bytes` within one of
// its 16-byte parts. Registers in their initial state are zero.
uint64_t vkr_vector_read(const ucontext_t *context, unsigned number, unsigned offset,
			 unsigned bytes);

uint64_t vkr_mask_read(const ucontext_t *context, unsigned number);

// Bytes that xsave writes, or xrstor reads, for the components in `wanted`.
uint64_t vkr_state_bytes(uint64_t wanted);

// Sees to it that the registers in the frame leave the `bytes` bytes at `from` free: a frame on the
// program's own stack begins right below its red zone. Moves them to memory of the thread's, where
// the kernel finds them again. False for lack of memory.
bool vkr_vectors_make_way(ucontext_t *context, uint64_t from, uint64_t bytes);
