// SPDX-License-Identifier: Apache-2.0
// How often a loop is gone through at most, where its counter begins at a constant, moves by one
// and is held against one. Knows SPIR-V's loops; not what the number is for.
#pragma once

#include "spirv_constants.h"

// Blocks that an iteration comes to before its counter is tested, at most.
#define VKR_LOOP_TEST_BLOCKS 8u

struct vkr_loop_trips {
	uint32_t most; // at least 1
	// Labels of the blocks up to the test, which are executed once more than the others.
	uint32_t blocks[VKR_LOOP_TEST_BLOCKS], block_count;
};

// Of the loop whose OpLoopMerge has this index: how often its body is executed each time that
// control comes to the loop. False: not known, or more than `most`.
bool vkr_loop_trips_find(const struct vkr_module *module, const struct vkr_constants *constants,
			 const struct vkr_function *function, uint32_t merge, uint32_t most,
			 struct vkr_loop_trips *trips);
