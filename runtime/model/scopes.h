// SPDX-License-Identifier: Apache-2.0
// Pipeline stages and access types: names, expansion of masks, logical order of stages (Vulkan
// specification, "Pipeline Stages" and "Access Types"). Knows no commands and no objects.
#pragma once

#include "engine.h"
#include "text.h"

#include <stdbool.h>
#include <stdint.h>

// The stage of buffer markers, of ours: part of transfers to those who name these.
#define VKR_STAGE_MARKER VKR_ENGINE_IN_ORDER

// One side of a dependency. Masks hold only single stages and single access types: the bits that
// stand for several, or for none, are expanded.
struct vkr_sync_scope {
	uint64_t execution; // stages of the execution scope: logically earlier (later) included
	uint64_t stages;    // stages of the access scope: those named only
	uint64_t accesses;  // access types of the access scope
};

// Of newer headers.
#define VKR_STAGE_DECOMPRESSION        (UINT64_C(1) << 45)
#define VKR_STAGE_COPY_INDIRECT        (UINT64_C(1) << 46)
#define VKR_ACCESS_DECOMPRESSION_READ  (UINT64_C(1) << 55)
#define VKR_ACCESS_DECOMPRESSION_WRITE (UINT64_C(1) << 56)
#define VKR_ACCESS_SAMPLER_HEAP_READ   (UINT64_C(1) << 57)
#define VKR_ACCESS_RESOURCE_HEAP_READ  (UINT64_C(1) << 58)

// The stage and access of the presentation engine's reads, a bit of ours.
#define VKR_STAGE_PRESENTATION (UINT64_C(1) << 60)

// Every stage that commands execute (ALL_COMMANDS); HOST is not among them.
uint64_t vkr_scope_all_commands(void);

// The first scope of a signal, of a fence or semaphore, whose own is `stages`: with what barriers
// before it have handed to HOST, so that who waits for the signal has it. The specification names
// HOST in no signal's scope, and means such barriers to be followed by a fence ("vkWaitForFences").
uint64_t vkr_scope_signal(uint64_t stages);

// The first (source) and second (destination) scopes of masks as the application wrote them.
struct vkr_sync_scope vkr_scope_first(uint64_t stages, uint64_t accesses);
struct vkr_sync_scope vkr_scope_second(uint64_t stages, uint64_t accesses);

// A mask of few bits whose second scope's stages these are, as a program writes it: stages that
// stand for several in place of them, and none that follows another.
uint64_t vkr_scope_written(uint64_t stages);

// Stages that work on places of the framebuffer ("Framebuffer Region Dependencies"): those named
// only, and no bits that stand for several.
bool vkr_scope_framebuffer_space(uint64_t stages);

// Stages that only commands within render pass instances have.
uint64_t vkr_scope_in_passes(void);

// "COMPUTE_SHADER", "SHADER_STORAGE_WRITE"; "NONE" for 0, "bit 61" for what has no name;
// several joined with "|".
void vkr_scope_add_stages(struct vkr_text *words, uint64_t stages);
void vkr_scope_add_accesses(struct vkr_text *words, uint64_t accesses);

// Adds whole names, which a program can hold: "VK_PIPELINE_STAGE_2_COPY_BIT".
void vkr_scope_add_full_stages(struct vkr_text *words, uint64_t stages);
void vkr_scope_add_full_accesses(struct vkr_text *words, uint64_t accesses);

// The narrowest bits a program of core Vulkan 1.0 could write for these accesses ("SHADER_WRITE"
// for SHADER_STORAGE_WRITE, "TRANSFER" for COPY), for advice that fits every program.
uint64_t vkr_scope_legacy_stages(uint64_t stages);
uint64_t vkr_scope_legacy_accesses(uint64_t accesses);
