// SPDX-License-Identifier: Apache-2.0
// The memory objects of the engine: their lives, host domains, owners and mappings.
#pragma once

#include "vkrace/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_engine;

struct vkr_engine_range {
	uint32_t memory;
	uint64_t offset, bytes;
};

// The memory number of workgroup memory in targets and races: locations of their own in each
// workgroup.
#define VKR_ENGINE_WORKGROUP UINT32_MAX

// Bytes of the largest memory object: all that a 64-bit process can address.
#define VKR_ENGINE_MEMORY_MOST (UINT64_C(1) << 47)

// A new memory object. Ids are the caller's, dense from 1. `coherent`: host accesses need neither
// flush nor invalidate.
enum vkr_result vkr_engine_memory(struct vkr_engine *engine, uint32_t memory, uint64_t bytes,
				  bool coherent, struct vkr_error *error) VKR_MUST_USE;

// vkFreeMemory as command `command` of a host timeline through `site`: races of class `free` with
// every access that does not happen-before it. The id may be used anew. The site is a write. A
// memory that was never made is no error.
enum vkr_result vkr_engine_memory_free(struct vkr_engine *engine, uint32_t memory, uint32_t command,
				       uint32_t site, struct vkr_error *error) VKR_MUST_USE;

// A resource is bound to bytes of a memory: they get their part, where the engine has one of it, or
// are of all parts (engine_parts.h).
enum vkr_result vkr_engine_place(struct vkr_engine *engine, uint32_t memory, uint64_t offset,
				 uint64_t bytes, bool common, struct vkr_error *error) VKR_MUST_USE;

// Forgets a memory that nothing can reach any more, unjudged. One that was never made is no error.
void vkr_engine_memory_drop(struct vkr_engine *engine, uint32_t memory);

// Bytes [low, high) of a memory that are another's from `to` on; memory 0: no longer.
struct vkr_mapping {
	uint64_t low, high;
	uint32_t memory;
	uint64_t to;
};

// From now on, accesses to the memory are made, and reported, in the memories that its parts are
// mapped onto, which are not mapped themselves. Parts are in order of offset and disjoint.
enum vkr_result vkr_engine_map(struct vkr_engine *engine, uint32_t memory,
			       const struct vkr_mapping *parts, size_t count,
			       struct vkr_error *error) VKR_MUST_USE;

// Where the range begins, and how many of its bytes are contiguous there.
void vkr_engine_mapped(struct vkr_engine *engine, struct vkr_engine_range *range);

// The other way: *offset in `onto` becomes the one in `memory`. False where that has it not.
bool vkr_engine_unmapped(struct vkr_engine *engine, uint32_t memory, uint32_t onto,
			 uint64_t *offset);

// vkFlushMappedMemoryRanges, vkInvalidateMappedMemoryRanges on a host thread.
enum vkr_result vkr_engine_flush(struct vkr_engine *engine, uint32_t timeline, uint32_t memory,
				 uint64_t offset, uint64_t bytes,
				 struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_engine_invalidate(struct vkr_engine *engine, uint32_t timeline, uint32_t memory,
				      uint64_t offset, uint64_t bytes,
				      struct vkr_error *error) VKR_MUST_USE;

// Bytes of a resource that one queue family owns at a time or, if not `exclusive`, that all
// families may access; replaces what an earlier call said about these bytes. A read of exclusive
// bytes by another queue family than that of their last write sees the write only if the ownership
// was transferred in between; otherwise it is a race of class `invisible`. Bytes without such a
// call are not exclusive.
enum vkr_result vkr_engine_exclusive(struct vkr_engine *engine, uint32_t memory, uint64_t offset,
				     uint64_t bytes, bool exclusive,
				     struct vkr_error *error) VKR_MUST_USE;

// Half of a transfer: the release, after all commands made so far, or the acquire, before all later
// ones. They match if memory, range, families and key are equal.
#define VKR_ENGINE_ANY_FAMILY UINT32_MAX // somebody's outside, who takes and gives unseen
struct vkr_engine_transfer {
	uint32_t memory;
	uint64_t offset, bytes;
	uint32_t from, to; // families, as vkr_engine_queue has them
	uint64_t key;      // the caller's
	uint64_t tag;      // of the command
	bool acquire;
};
enum vkr_result vkr_engine_transfer(struct vkr_engine *engine,
				    const struct vkr_engine_transfer *half,
				    struct vkr_error *error) VKR_MUST_USE;
