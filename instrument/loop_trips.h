// SPDX-License-Identifier: Apache-2.0
// How often a loop is gone through at most, where its counter begins at a constant, moves by one
// and is held against one. Knows SPIR-V's loops; not what the number is for.
#pragma once

#include "spirv_constants.h"

// Of the loop whose OpLoopMerge has this index: how often its body is executed each time that
// control comes to the loop, at most; 0: not known, or more than `most`.
uint32_t vkr_loop_trips(const struct vkr_module *module, const struct vkr_constants *constants,
			const struct vkr_function *function, uint32_t merge, uint32_t most);
