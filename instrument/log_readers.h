// SPDX-License-Identifier: Apache-2.0
// The code that reads and writes the marks of a dispatch's reads (include/vkrace/gpu_log.h).
// Knows marks; not which reads have some.
#pragma once

#include "log_code.h"

// Makes the variables.
void vkr_log_readers_init(struct vkr_log_code *code);

// Finds the marks: as the block says, counted from word `base` behind the log's origin on, where
// the condition `is_some` is met. `reader`: which invocation of the whole grid it is, or which
// workgroup, where marks tell these apart.
void vkr_log_readers_begin(struct vkr_log_code *code, uint32_t block, uint32_t base,
			   uint32_t reader, uint32_t is_some);

// There are no marks.
void vkr_log_readers_nowhere(struct vkr_log_code *code);

// In the program's code: the mark of a record, by the first mark of its group and its word (0: it
// has none).
uint32_t vkr_log_readers_mark(const struct vkr_log_code *code, struct vkr_spirv_words *words,
			      uint32_t first, uint32_t word);

// Opens `if (the record is to be logged) {`, and marks it as logged; returns the merge label for
// vkr_build_close_if.
uint32_t vkr_log_readers_open(struct vkr_log_code *code, uint32_t mark);
