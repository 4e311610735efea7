// SPDX-License-Identifier: Apache-2.0
// Which instructions stand between OpBeginInvocationInterlockEXT and OpEndInvocationInterlockEXT.
// Knows control flow; not what is accessed.
#pragma once

#include "analysis.h"

// Fills in analysis->interlocked. False for lack of memory.
bool vkr_interlock_find(struct vkr_analysis *analysis);

// Whether the instruction is executed between the two: some of the ways to it are.
bool vkr_is_interlocked(const struct vkr_analysis *analysis, uint32_t instruction);

// Whether the entry point's interlock orders fragments that cover a common sample, and not all
// fragments of one pixel (SPV_EXT_fragment_shader_interlock).
bool vkr_interlock_is_of_samples(const struct vkr_analysis *analysis);
