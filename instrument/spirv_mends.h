// SPDX-License-Identifier: Apache-2.0
// What a shader that the validator refuses may lack without harm to who reads its structure:
// declarations of types and operations, and scopes and semantics that are permitted. Makes copies
// that have them. Knows nothing of the validator.
#pragma once

#include "spirv_tools.h"

// One thing that may be mended: a declaration, or (`id`) a constant scope or semantics, wherever
// functions use it.
struct vkr_mend {
	uint32_t id;
	bool is_semantics;
	bool used; // in copies
};

// To be released with vkr_mends_finish.
struct vkr_mends {
	struct vkr_mend *items;
	size_t count, capacity;
	uint32_t integer; // a type of 32 bits, 0: the module has none
};

#define VKR_MENDS_ROOM 4096u // words that a copy may be longer

// Whether it declares itself a shader whose pointers are opaque or addresses of buffers, and whose
// functions are all here. A module for OpenCL does not.
bool vkr_spirv_is_shader(const struct vkr_parsed *parsed, const uint32_t *words);

// Lists what could be mended; nothing is yet. `mends` is zero before.
enum vkr_result vkr_mends_list(const struct vkr_parsed *parsed, const uint32_t *words,
			       struct vkr_mends *mends, struct vkr_error *error) VKR_MUST_USE;

// A capability brings all extensions: that its own is missing, too, is not one more broken rule.
void vkr_mends_use(struct vkr_mends *mends, size_t index);

// Copies a module with the mends that are used, which may have been listed for a module that this
// one was rewritten from, with its ids. `copy` has VKR_MENDS_ROOM words more. Returns its words.
size_t vkr_mends_apply(const struct vkr_mends *mends, const struct vkr_parsed *parsed,
		       const uint32_t *words, uint32_t *copy);

void vkr_mends_finish(struct vkr_mends *mends);
