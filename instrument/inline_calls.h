// SPDX-License-Identifier: Apache-2.0
// A module with the calls of one function written out in their places, to be looked into, not to be
// run: variables stand where the callee had them. Knows SPIR-V's functions; not why.
#pragma once

#include "spirv_module.h"

struct vkr_inlined {
	struct vkr_module module; // its last function is the one whose calls are written out
	// By instruction of the new module: the instruction of the original module that it came
	// from; VKR_NO_ORIGIN: none, it leads into a callee or out of it.
	uint32_t *origins;
};
#define VKR_NO_ORIGIN UINT32_MAX

// Whether the function calls others.
bool vkr_has_calls(const struct vkr_module *module, const struct vkr_function *function);

// Writes out the calls of a function of a module in *inlined, all of it in the arena. *fits is
// false where it would become too long.
enum vkr_result vkr_inline_calls(const struct vkr_module *module,
				 const struct vkr_function *function, struct vkr_arena *arena,
				 uint32_t environment, struct vkr_inlined *inlined, bool *fits,
				 struct vkr_error *error) VKR_MUST_USE;
