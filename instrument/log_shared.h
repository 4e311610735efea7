// SPDX-License-Identifier: Apache-2.0
// What the fragments of a subgroup do together (VKR_IDENTITY_SHARED): find out where the log is,
// and log records, each with one addition to the log's head, and one header, for all of them. Knows
// chunks and their columns; not what records say.
#pragma once

#include "log_code.h"

// Makes the variables, and gives them values as an invocation begins.
void vkr_log_shared_make(struct vkr_log_code *code);
void vkr_log_shared_begin(struct vkr_log_code *code);

// Takes a chunk with room for so many words of records of each invocation that does so at once, and
// fills it with a record.
void vkr_log_shared_take(struct vkr_log_code *code, uint32_t words);
void vkr_log_shared_fill(struct vkr_log_code *code, const uint32_t *words, uint32_t count);

// Logs a record, the segment's number first, of all invocations that come to it at once; is_rare:
// most often that is one.
void vkr_log_shared_record(struct vkr_log_code *code, const uint32_t *words, uint32_t count,
			   bool is_rare);

// Logs where they are, and no more.
void vkr_log_shared_place(struct vkr_log_code *code);

// Opens what one invocation does for all, and helpers for themselves, at main's start: it sets the
// variables that say where the log is, which the others have from it once this is closed. CPU
// drivers load from memory lane by lane.
uint32_t vkr_log_shared_open_first(struct vkr_log_code *code);
void vkr_log_shared_close_first(struct vkr_log_code *code, uint32_t merge);
