// SPDX-License-Identifier: Apache-2.0
// Small pieces of the functions that write the log: arithmetic, branches, words behind addresses.
// Knows SPIR-V, not what is logged. Each appends to code->functions and returns a result id.
#pragma once

#include "log_code.h"

#include "vkrace/gpu_log.h"

#include <stddef.h>

// Word indices in struct vkr_gpu_block and struct vkr_gpu_cell.
#define VKR_WORD_OF(structure, member) ((uint32_t)(offsetof(struct structure, member) / 4))

uint32_t vkr_build_unary(struct vkr_log_code *code, SpvOp opcode, uint32_t type, uint32_t a);
uint32_t vkr_build_binary(struct vkr_log_code *code, SpvOp opcode, uint32_t type, uint32_t a,
			  uint32_t b);
uint32_t vkr_build_select(struct vkr_log_code *code, uint32_t type, uint32_t condition, uint32_t a,
			  uint32_t b);
uint32_t vkr_build_number(struct vkr_log_code *code, uint32_t value);
uint32_t vkr_build_load(struct vkr_log_code *code, uint32_t type, uint32_t pointer);
void vkr_build_store(struct vkr_log_code *code, uint32_t pointer, uint32_t value);
uint32_t vkr_build_load_input(struct vkr_log_code *code, uint32_t variable,
			      enum vkr_input_type type);
uint32_t vkr_build_component(struct vkr_log_code *code, uint32_t vector, uint32_t index);

// A pointer to word `index` of the words at an address (uvec2).
uint32_t vkr_build_word_at(struct vkr_log_code *code, uint32_t address, uint32_t index);
uint32_t vkr_build_load_word(struct vkr_log_code *code, uint32_t address, uint32_t index);
// The words `index` (even) and `index + 1` behind an address, as uvec2.
uint32_t vkr_build_load_pair(struct vkr_log_code *code, uint32_t address, uint32_t index);
// Stores an even number of words: the first pair at pair `first`, each next one `pitch` further.
void vkr_build_store_words(struct vkr_log_code *code, uint32_t log, uint32_t first, uint32_t pitch,
			   const uint32_t *words, uint32_t count);

// Stores a record of any number of words in the same way.
void vkr_build_store_record(struct vkr_log_code *code, uint32_t log, uint32_t first, uint32_t pitch,
			    const uint32_t *words, uint32_t count);

// Opens `if (condition) {`; returns the merge label for vkr_build_close_if.
uint32_t vkr_build_open_if(struct vkr_log_code *code, uint32_t condition);
void vkr_build_close_if(struct vkr_log_code *code, uint32_t merge);

// Opens `if (block is null) {`; closed by `return; }`.
uint32_t vkr_build_open_nowhere(struct vkr_log_code *code, uint32_t block);
void vkr_build_return_if(struct vkr_log_code *code, uint32_t merge);

// void(uint, ...). The first block's label is the caller's.
void vkr_build_open_function(struct vkr_log_code *code, uint32_t id, uint32_t parameters);
void vkr_build_close_function(struct vkr_log_code *code);

// Whether the invocation logs, and has taken a chunk, or may still take one: a bool.
uint32_t vkr_build_alive(struct vkr_log_code *code);

// The block's address, as uvec2, in code->functions, and the cell's.
uint32_t vkr_build_block_address(struct vkr_log_code *code, const struct vkr_block_source *source);
uint32_t vkr_build_cell_address(struct vkr_log_code *code, const struct vkr_block_source *source);

// The address that pairs are counted from. If it is a constant, CPU drivers know that it is the
// same for all invocations, even after barriers, at which they save each invocation's values.
uint32_t vkr_build_log_origin(struct vkr_log_code *code);

// The scope of atomics on words that invocations of the log share.
uint32_t vkr_build_log_scope(struct vkr_log_code *code);

// Moves the head of the log at an address on by this many words; where it was before.
uint32_t vkr_build_move_head(struct vkr_log_code *code, uint32_t log, uint32_t words);
