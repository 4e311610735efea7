// SPDX-License-Identifier: Apache-2.0
// Which device memory lies behind which pointer of the program. Knows current mappings; not who
// accesses them.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A mapping as the program has it: `pointer` stands for the byte `offset` of the memory.
struct vkr_host_mapping {
	uintptr_t pointer;
	uint64_t bytes, offset;
	uint32_t memory; // id
};

// False for lack of memory. What overlaps is forgotten.
bool vkr_host_mappings_add(const struct vkr_host_mapping *mapping);
// The mapping that begins at this pointer, if there is one.
void vkr_host_mappings_remove(const void *pointer);

// The lowest mapping that overlaps [pointer, pointer + bytes), cut to it. False where none does.
bool vkr_host_mappings_find(uintptr_t pointer, size_t bytes, struct vkr_host_mapping *found);
