// SPDX-License-Identifier: Apache-2.0
// The checksum of a chunk of a trace file. Knows the chunk's header, and not what it holds.
#pragma once

#include "vkrace/trace.h"

// Of the header, its checksum taken as 0, and chunk.stored_bytes bytes at `stored`.
uint64_t vkr_chunk_checksum(struct vkr_trace_chunk chunk, const void *stored);
