// SPDX-License-Identifier: Apache-2.0
// Judges a litmus execution with the location-order engine. Knows how the format's statements
// become the engine's events; no rule of the memory model.
#pragma once

#include "litmus.h"

struct vkr_litmus_verdict {
	// All racing pairs, in the order of the file: ascending first, then second, then offset.
	// The array is the caller's, to be released with free().
	struct vkr_litmus_race *races;
	size_t count;
	const char *broken; // the rule by which it is no candidate execution, static, or NULL
};

// Where it fails the verdict is empty.
enum vkr_result vkr_litmus_judge(const struct vkr_litmus *execution,
				 const struct vkr_memory_rules *rules,
				 struct vkr_litmus_verdict *verdict,
				 struct vkr_error *error) VKR_MUST_USE;
