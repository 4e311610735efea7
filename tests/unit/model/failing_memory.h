// SPDX-License-Identifier: Apache-2.0
// Allocations that fail when a test wants it: its malloc(), calloc(), realloc() and aligned_alloc()
// are these, by the linker's --wrap. Knows nothing of who allocates.
#pragma once

// The `number`th allocation from now on fails, the first being 1, and all behind it where
// `forever`; 0: none. Returns how many were made since the last call.
unsigned failing_memory(unsigned number, int forever);
