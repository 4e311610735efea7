// SPDX-License-Identifier: Apache-2.0
// What a fragment leaves at main's end: the samples that its outputs are for (VKR_IDENTITY_END).
// Knows how fragments end and the sample mask, not where they log.
#pragma once

#include "log_code.h"

// Whether fragments of the entry point log how they end: if draws may ask for all fragments, and
// not every fragment writes all of its samples.
bool vkr_fragment_end_told(const struct vkr_analysis *analysis);

// Makes what vkr_fragment_end_write needs.
void vkr_fragment_end_make(struct vkr_log_code *code);

// Writes the function `code->finish`, to be called where main returns.
void vkr_fragment_end_write(struct vkr_log_code *code);
