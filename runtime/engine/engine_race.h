// SPDX-License-Identifier: Apache-2.0
// What the engine reports of a race.
#pragma once

#include "vkrace/race_class.h"

#include <stdbool.h>
#include <stdint.h>

// One of the two accesses of a race.
struct vkr_engine_access {
	uint32_t command; // as vkr_engine_command returned it
	uint64_t tag;     // the caller's name of the command
	uint32_t site;    // as vkr_engine_site_add returned it
	uint64_t site_tag;
	uint64_t stage, access; // one bit each
	uint32_t reference;
	bool invocation;           // made by a shader invocation: the next three are valid
	uint32_t workgroup, local; // linear indices
	uint32_t interval;         // control barriers that the workgroup had passed
};

// Why the nearest dependency does not order two accesses of different commands.
enum vkr_engine_shortfall {
	VKR_SHORT_NO_DEPENDENCY = 1u << 0, // there is none between the two at all
	// Of `nearest` or, if there is none, of what the later access's timeline has acquired.
	VKR_SHORT_SOURCE_STAGE = 1u << 1,
	VKR_SHORT_SOURCE_ACCESS = 1u << 2,
	VKR_SHORT_DESTINATION_STAGE = 1u << 3,
	VKR_SHORT_DESTINATION_ACCESS = 1u << 4,
	VKR_SHORT_RANGE = 1u << 5,
	VKR_SHORT_NOT_FLUSHED = 1u << 6,     // host write in non-coherent memory, no flush
	VKR_SHORT_NOT_INVALIDATED = 1u << 7, // host read in non-coherent memory, no invalidate
	VKR_SHORT_TO_DEVICE = 1u << 8,       // no domain operation from the host to the device
	VKR_SHORT_TO_HOST = 1u << 9,         // no domain operation from the device to the host
	VKR_SHORT_NO_TOKEN = 1u << 10,       // different timelines, nothing orders them
	// Within one dispatch:
	VKR_SHORT_NO_BARRIER = 1u << 11,        // no control barrier between the two
	VKR_SHORT_BARRIER_SEMANTICS = 1u << 12, // barriers, but none with acquire and release on
						// this storage class at workgroup scope or wider
	VKR_SHORT_BARRIER_AVAILABLE = 1u << 13, // barriers without MakeAvailable for it
	VKR_SHORT_BARRIER_VISIBLE = 1u << 14,   // barriers without MakeVisible for it
	VKR_SHORT_OTHER_WORKGROUP = 1u << 15,   // control barriers do not reach that far
	VKR_SHORT_OTHER_REFERENCE = 1u << 16,   // shader-level operations do not join references
	VKR_SHORT_PRIVATE_ACCESS = 1u << 17,    // one of the two accesses is private
	VKR_SHORT_ATOMIC_SCOPE = 1u << 18,      // atomics outside of each other's scope
	VKR_SHORT_ATOMIC_BYTES = 1u << 19,      // atomics that do not cover the same bytes
	VKR_SHORT_SYNCHRONIZATION = 1u << 20,   // atomics and fences fall short: see `release`
	// Between queues of different families, where both accesses are ordered:
	VKR_SHORT_OWNERSHIP = 1u << 21,    // the bytes are another family's
	VKR_SHORT_NOT_ACQUIRED = 1u << 22, // they were released, and not acquired: `nearest`
	VKR_SHORT_NOT_RELEASED = 1u << 23, // they were acquired, and not released: `nearest`
	// Local dependencies order the two only if they are at one place of the kind.
	VKR_SHORT_OTHER_REGION = 1u << 24,
	VKR_SHORT_OTHER_VIEW = 1u << 25,
	// There is none between the two, but one that lacks nothing but their sections: `nearest`.
	VKR_SHORT_OTHER_SECTION = 1u << 26,
};

struct vkr_engine_race {
	uint32_t pair; // dense, from 0, in order of first occurrence; for vkr_engine_pair_count
	enum vkr_race_class race_class;
	bool possible; // set by who calls vkr_engine_race_found: something not known decides on it
	struct vkr_engine_access first, second; // `first` was fed earlier
	uint32_t memory;                        // VKR_ENGINE_WORKGROUP for workgroup memory
	uint64_t offset, bytes;                 // the overlap, in the memory
	uint32_t shortfall;                     // enum vkr_engine_shortfall bits
	bool has_nearest;
	uint64_t nearest; // tag of the nearest dependency, where has_nearest
	// With VKR_SHORT_SOURCE_STAGE: the stages that do wait for the earlier access, for a
	// semaphore, where it is these that the dependency of a layout transition lacks; else 0.
	uint64_t waiting_stages;
	// Of a race reported through vkr_engine_race_found, with VKR_SHORT_SYNCHRONIZATION: the
	// caller's names of the nearest release after the access that would be the earlier one
	// (`first`, unless `backward`) and of the nearest acquire before the other access; 0: none.
	uint64_t release, acquire;
	bool backward;
};
