// SPDX-License-Identifier: Apache-2.0
// The code that writes a dispatch's records into its column log (include/vkrace/gpu_log.h).
// Knows column logs; not chunks, nor where accesses happen.
#pragma once

#include "log_code.h"

// Makes the variables.
void vkr_log_column_log_init(struct vkr_log_code *code);

// Writes the functions `begin` and `make_room`.
void vkr_log_column_log_common(struct vkr_log_code *code, const struct vkr_block_source *source);

// The body of a function that logs one record, its first block open. `seldom`: most invocations
// that come here do not log it.
void vkr_log_column_log_record(struct vkr_log_code *code, const uint32_t *words, uint32_t count,
			       bool seldom);
