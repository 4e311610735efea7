// SPDX-License-Identifier: Apache-2.0
// Reads that wait (read_deferral.h) where a dispatch's effect is looked at: those that waited
// before it, which stand for what they would make of the pages, and its own. Knows tables of reads
// and ranges; not pages.
#pragma once

#include "kept_effects.h"

// NULL: the memory is gone, or another part's.
struct vkr_shadow *vkr_effect_memory(struct vkr_engine *engine, uint32_t memory);

bool vkr_effect_reads_wait(struct vkr_engine *engine, const struct effect_range *range);

// Feeds reads that wait in ranges that do not: all, or those that an effect cannot name.
enum vkr_result vkr_effect_feed(struct vkr_engine *engine, const struct vkr_effect *effect,
				bool all, struct vkr_error *error) VKR_MUST_USE;

// Takes up the tables that wait in the range under way before the dispatch. The class of each is
// its epoch, until it has one. False for lack of memory.
bool vkr_effect_keep_waiting(struct vkr_engine *engine, struct vkr_effect *effect);

// Whether there waits what waited then. Says which epochs and commands the effect's are now.
bool vkr_effect_waits_alike(struct vkr_engine *engine, struct vkr_effect *effect);

// The pages are what they were after the dispatch: what waited in them is in them.
void vkr_effect_forget_waiting(struct vkr_engine *engine, const struct vkr_effect *effect);

// Takes up what the dispatch has read in a range that waits. False for lack of memory.
bool vkr_effect_keep_reads(struct vkr_engine *engine, struct vkr_effect *effect, uint32_t range);

// *may: the effect's reads race with nothing and can wait; then the second function makes them
// wait.
enum vkr_result vkr_effect_may_read_again(struct vkr_engine *engine, struct vkr_effect *effect,
					  bool *may, struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_effect_read_again(struct vkr_engine *engine, struct vkr_effect *effect,
				      struct vkr_error *error) VKR_MUST_USE;
