// SPDX-License-Identifier: Apache-2.0
// Pointers that are chosen at run time, opaque values among them (pointer_forms.h): parameters,
// phis, selects, results of calls, pointers stored in variables of the invocation's own. Knows
// where they come from, not what is done through them.
#pragma once

#include "analysis.h"

// Finds them in the functions that are reached, and fills in analysis->bases and the address book.
// False for lack of memory.
bool vkr_pointer_bases_find(struct vkr_analysis *analysis);

// Marks the base and all that its sources start from as used. False for lack of memory.
bool vkr_pointer_bases_use(struct vkr_analysis *analysis, struct vkr_pointer_base *base);

// Calls visit with each pointer that the base may be. `at` is the index of the instruction that
// passes it on: a call, a return, a store; of phis and selects the instruction itself.
// False where the base, or one of them, cannot be followed, or visit returns false.
bool vkr_pointer_sources(const struct vkr_analysis *analysis, uint32_t pointer,
			 bool (*visit)(void *user, uint32_t source, uint32_t at), void *user);

// Whether a variable of the invocation's own holds such a pointer, and nothing but loads and stores
// of it reach the variable.
bool vkr_holds_pointer(const struct vkr_analysis *analysis, uint32_t variable);

// A pointer that leads nowhere.
bool vkr_is_null_pointer(const struct vkr_module *module, uint32_t id);
