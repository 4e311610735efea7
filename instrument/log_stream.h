// SPDX-License-Identifier: Apache-2.0
// The code that writes an invocation's stream (include/vkrace/gpu_log.h) into its columns.
// Knows columns; not where they begin, nor what is logged.
#pragma once

#include "log_code.h"

// Makes the variables.
void vkr_log_stream_init(struct vkr_log_code *code);

// In `begin`: the invocation's columns begin at pair `place`, `room` of them `pitch` pairs from one
// another, where the bool `is_some` says that there are any.
void vkr_log_stream_begin(struct vkr_log_code *code, uint32_t place, uint32_t pitch, uint32_t room,
			  uint32_t is_some);

// In `begin`: there are none.
void vkr_log_stream_nowhere(struct vkr_log_code *code);

// The body of a function that logs words, its first block open.
void vkr_log_stream_record(struct vkr_log_code *code, const uint32_t *words, uint32_t count);

// Writes the function `finish`.
void vkr_log_stream_finish(struct vkr_log_code *code);
