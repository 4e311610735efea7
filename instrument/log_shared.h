// SPDX-License-Identifier: Apache-2.0
// What the fragments of a subgroup do together (VKR_IDENTITY_SHARED): find out where the log is,
// and take chunks, with one addition to the log's head, and one header, for all of them. Knows
// chunks; not their records.
#pragma once

#include "log_code.h"

// Makes the variables.
void vkr_log_shared_make(struct vkr_log_code *code);

// Takes the next chunk with all invocations that do so now, each with a part of `words` words.
void vkr_log_shared_take(struct vkr_log_code *code, uint32_t words);

// Opens what one invocation does for all, and helpers for themselves, at main's start: it sets the
// variables that say where the log is, which the others have from it once this is closed. CPU
// drivers load from memory lane by lane.
uint32_t vkr_log_shared_open_first(struct vkr_log_code *code);
void vkr_log_shared_close_first(struct vkr_log_code *code, uint32_t merge);
