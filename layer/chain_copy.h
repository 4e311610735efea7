// SPDX-License-Identifier: Apache-2.0
// Copies of structures in the program's pNext chains.
// Knows how far a structure can be read; nothing of what it says.
#pragma once

#include "arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <vulkan/vulkan_core.h>

// A copy of one structure. `bytes`: its size; 0 where this build does not know the type: then as
// much is copied as any structure of Vulkan takes, or as can be read there, and who knows the type
// finds all of it. NULL for lack of memory, or where it cannot be read.
void *vkr_chain_copy(struct vkr_arena *arena, const VkBaseInStructure *from, size_t bytes);

// Puts `with` in the place of the chain's first structure of `type`, or leaves that out where it is
// NULL: what stands before it is copied, what follows is shared. False as vkr_chain_copy; true also
// where there is none.
bool vkr_chain_replace(struct vkr_arena *arena, const void **chain, VkStructureType type,
		       VkBaseOutStructure *with);
