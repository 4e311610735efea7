// SPDX-License-Identifier: Apache-2.0
// The words that one site logs, computed from the program's own values.
// Knows places and atomics, not where the words go.
#pragma once

#include "sites.h"
#include "spirv_words.h"

// Appends to `code` what computes the site's words, and to `words` their ids (32-bit unsigned), as
// many as draft->site.words.
void vkr_site_code(const struct vkr_survey *survey, const struct vkr_draft *draft,
		   struct vkr_maker *maker, struct vkr_words *code, struct vkr_words *words);
