// SPDX-License-Identifier: Apache-2.0
// Copies of structures in the program's pNext chains. Knows how far a structure can be read; not
// what it means.
#pragma once

#include "arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <vulkan/vulkan_core.h>

// A copy of one structure. `bytes`: its size; 0 if this build does not know the type: then as many
// bytes are copied as the largest Vulkan structure has, or as can be read, so that a reader that
// knows the type finds all of it. NULL for lack of memory, or if the structure cannot be read.
void *vkr_chain_copy(struct vkr_arena *arena, const VkBaseInStructure *from, size_t bytes);

// Replaces the chain's first structure of `type` by `with`, or removes it if `with` is NULL:
// structures before it are copied, those after it are shared. False as for vkr_chain_copy; true
// also if there is no such structure.
bool vkr_chain_replace(struct vkr_arena *arena, const void **chain, VkStructureType type,
		       VkBaseOutStructure *with);
