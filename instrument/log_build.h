// SPDX-License-Identifier: Apache-2.0
// Small pieces of the functions that write the log: arithmetic, branches, words behind addresses.
// Knows SPIR-V, not what is logged. Each appends to code->functions and returns a result id.
#pragma once

#include "log_code.h"

#include "vkrace/gpu_log.h"

#include <stddef.h>

// Word indices in struct vkr_gpu_block and struct vkr_gpu_cell.
#define VKR_WORD_OF(structure, member) ((uint32_t)(offsetof(struct structure, member) / 4))
#define VKR_BLOCK_COMMAND              VKR_WORD_OF(vkr_gpu_block, command) // and room after it
static_assert(VKR_BLOCK_COMMAND + 1 == VKR_WORD_OF(vkr_gpu_block, room), "read as a pair");
#define VKR_CELL_CAPACITY VKR_WORD_OF(vkr_gpu_cell, capacity) // and command_base after it
static_assert(VKR_CELL_CAPACITY + 1 == VKR_WORD_OF(vkr_gpu_cell, command_base), "read as a pair");

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
// Stores an even number of words: the first pair at pair `first`, each next one `pitch` further.
void vkr_build_store_words(struct vkr_log_code *code, uint32_t log, uint32_t first, uint32_t pitch,
			   const uint32_t *words, uint32_t count);

// Stores a record of any number of words in the same way.
void vkr_build_store_record(struct vkr_log_code *code, uint32_t log, uint32_t first, uint32_t pitch,
			    const uint32_t *words, uint32_t count);

// Opens `if (condition) {`; returns the merge label for vkr_build_close_if.
uint32_t vkr_build_open_if(struct vkr_log_code *code, uint32_t condition);
void vkr_build_close_if(struct vkr_log_code *code, uint32_t merge);

// Whether an address (uvec2) is not null: a bool.
uint32_t vkr_build_is_address(struct vkr_log_code *code, uint32_t address);

// Opens `if (block is null) {`; closed by `return; }`. *block: its address, uvec2.
uint32_t vkr_build_open_nowhere(struct vkr_log_code *code, const struct vkr_block_source *source,
				uint32_t *block);
void vkr_build_return_if(struct vkr_log_code *code, uint32_t merge);

// void(uint, ...). The first block's label is the caller's.
void vkr_build_open_function(struct vkr_log_code *code, uint32_t id, uint32_t parameters);
void vkr_build_close_function(struct vkr_log_code *code);

// Whether the invocation logs, and has taken a chunk, or may still take one: a bool.
uint32_t vkr_build_alive(struct vkr_log_code *code);

// Makes the constant that logs are counted from, if there is one.
void vkr_build_log_base(struct vkr_log_code *code);

// Where logs are counted from a constant: whether an address (uvec2) is in its reach, and how many
// pairs or words behind it.
uint32_t vkr_build_in_reach(struct vkr_log_code *code, uint32_t address);
uint32_t vkr_build_pairs_behind_base(struct vkr_log_code *code, uint32_t address);
uint32_t vkr_build_words_behind_base(struct vkr_log_code *code, uint32_t address);

// Of stages that log in chunks: where a word of the log is, counted from the origin, and a pointer
// to it.
uint32_t vkr_build_log_word(struct vkr_log_code *code, uint32_t word);
uint32_t vkr_build_log_at(struct vkr_log_code *code, uint32_t word);
// Stores words one after the other, from an even word of the log on.
void vkr_build_store_at(struct vkr_log_code *code, uint32_t at, const uint32_t *words,
			uint32_t count);

// The block and the cell, of the type below: where they are near the base, how many words behind
// it, for CPU drivers take 32 bits out of a vector of them faster than 64; else an address, uvec2.
uint32_t vkr_build_place_type(const struct vkr_log_code *code);
uint32_t vkr_build_block(struct vkr_log_code *code, const struct vkr_block_source *source);
uint32_t vkr_build_cell(struct vkr_log_code *code, const struct vkr_block_source *source);
// A pointer to a word of one of them, the word itself, and the words `index` (even) and `index + 1`
// as uvec2.
uint32_t vkr_build_place_at(struct vkr_log_code *code, uint32_t place, uint32_t index);
uint32_t vkr_build_load_word(struct vkr_log_code *code, uint32_t place, uint32_t index);
uint32_t vkr_build_load_pair(struct vkr_log_code *code, uint32_t place, uint32_t index);

// The address that pairs are counted from. If it is a constant, CPU drivers know that it is the
// same for all invocations, even after barriers, at which they save each invocation's values.
uint32_t vkr_build_log_origin(struct vkr_log_code *code);

// The scope of atomics on words that invocations of the log share.
uint32_t vkr_build_log_scope(struct vkr_log_code *code);

// Moves the head of a log of `capacity` words, a pointer, on by this many words; where it was
// before. Once the log is full, the head stays, so that it cannot come round to 0 however many
// invocations there are.
uint32_t vkr_build_move_head(struct vkr_log_code *code, uint32_t head, uint32_t words,
			     uint32_t capacity);
