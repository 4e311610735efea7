// SPDX-License-Identifier: Apache-2.0
// Whether a module may be rewritten: SPIRV-Tools' validator, and how much of what it refuses is
// sound. Knows nothing of what the rewriter looks for.
#pragma once

#include "vkrace/result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Runs the validator. A module that breaks a rule of it, but whose ids, types and control flow are
// those of a shader, can be rewritten all the same: VKR_OK, and *broken is the rule that the
// validator came to first, to be freed. NULL: it breaks none. Where the module is refused, the
// result is `failure`, and the message says `what`, the word and the validator's reason.
enum vkr_result vkr_spirv_validate(const uint32_t *words, size_t word_count, uint32_t environment,
				   enum vkr_result failure, const char *what, char **broken,
				   struct vkr_error *error) VKR_MUST_USE;

// Whether two broken rules are one, whichever ids they name.
bool vkr_spirv_same_rule(const char *a, const char *b);
