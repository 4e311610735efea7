// SPDX-License-Identifier: Apache-2.0
// How often a dispatch whose effect is looked at has raced. Knows counts of pairs of sites; neither
// which accesses race nor what is remembered.
#pragma once

#include "kept_effects.h"

// Before the dispatch is judged. False for lack of memory.
bool vkr_effect_races_begin(const struct vkr_engine *engine, struct vkr_effect *effect);

// After it. False where races may be others when it repeats, or for lack of memory.
bool vkr_effect_races_end(const struct vkr_engine *engine, struct vkr_effect *effect);

// Counts them again, as the open dispatch's.
void vkr_effect_races_repeat(struct vkr_engine *engine, const struct vkr_effect *effect);
