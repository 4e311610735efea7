// SPDX-License-Identifier: Apache-2.0
#include "log_build.h"

#include <stdlib.h>

uint32_t vkr_build_unary(struct vkr_log_code *code, SpvOp opcode, uint32_t type, uint32_t a)
{
	return vkr_maker_unary(code->maker, &code->functions, opcode, type, a);
}

uint32_t vkr_build_binary(struct vkr_log_code *code, SpvOp opcode, uint32_t type, uint32_t a,
			  uint32_t b)
{
	return vkr_maker_binary(code->maker, &code->functions, opcode, type, a, b);
}

uint32_t vkr_build_number(struct vkr_log_code *code, uint32_t value)
{
	return vkr_maker_uint(code->maker, value);
}

uint32_t vkr_build_load(struct vkr_log_code *code, uint32_t type, uint32_t pointer)
{
	return vkr_build_unary(code, SpvOpLoad, type, pointer);
}

void vkr_build_store(struct vkr_log_code *code, uint32_t pointer, uint32_t value)
{
	VKR_PUT(&code->functions, SpvOpStore, pointer, value);
}

uint32_t vkr_build_word_at(struct vkr_log_code *code, uint32_t address, uint32_t index)
{
	uint32_t base = vkr_build_unary(code, SpvOpBitcast, code->types.words_pointer, address);
	uint32_t id = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpAccessChain, code->types.word_pointer, id, base,
		vkr_build_number(code, 0), index);
	return id;
}

// A pair of words is read and written as one device address: the widest scalar that needs no
// further capability. CPU drivers run a loop over the lanes for each scalar of an access. Not
// reached by casting a pointer to a pointer: SwiftShader knows casts between pointers and integers
// only.
static uint32_t pair_at(struct vkr_log_code *code, uint32_t address, uint32_t index)
{
	uint32_t base = vkr_build_unary(code, SpvOpBitcast, code->types.pairs_pointer, address);
	uint32_t id = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpAccessChain, code->types.pair_pointer, id, base,
		vkr_build_number(code, 0), index);
	return id;
}

void vkr_build_store_words(struct vkr_log_code *code, uint32_t log, uint32_t first, uint32_t pitch,
			   const uint32_t *words, uint32_t count)
{
	uint32_t u = code->maker->uint_type, position = first;
	for (uint32_t at = 0; at < count; at += 2) {
		if (at)
			position = vkr_build_binary(code, SpvOpIAdd, u, position, pitch);
		uint32_t pair = pair_at(code, log, position);
		uint32_t both = vkr_build_binary(code, SpvOpCompositeConstruct, code->types.uvec2,
						 words[at], words[at + 1]);
		uint32_t value =
			vkr_build_unary(code, SpvOpBitcast, code->types.words_pointer, both);
		VKR_PUT(&code->functions, SpvOpStore, pair, value, SpvMemoryAccessAlignedMask, 8);
	}
}

// Each word by itself: lavapipe takes a store of eight lanes out of a vector in memory, and
// processors do not forward parts of vectors that are as long as those of 64-bit values.
void vkr_build_store_record(struct vkr_log_code *code, uint32_t log, uint32_t first, uint32_t pitch,
			    const uint32_t *words, uint32_t count)
{
	uint32_t u = code->maker->uint_type, one = vkr_build_number(code, 1), index = 0;
	for (uint32_t at = 0; at < count; at++) {
		if (at && at % 2 == 0)
			first = vkr_build_binary(code, SpvOpIAdd, u, first, pitch);
		if (at % 2 == 0)
			index = vkr_build_binary(code, SpvOpShiftLeftLogical, u, first, one);
		else
			index = vkr_build_binary(code, SpvOpIAdd, u, index, one);
		VKR_PUT(&code->functions, SpvOpStore, vkr_build_word_at(code, log, index),
			words[at], SpvMemoryAccessAlignedMask, 4);
	}
}

uint32_t vkr_build_open_if(struct vkr_log_code *code, uint32_t condition)
{
	uint32_t then = vkr_maker_id(code->maker), merge = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpSelectionMerge, merge, SpvSelectionControlMaskNone);
	VKR_PUT(&code->functions, SpvOpBranchConditional, condition, then, merge);
	VKR_PUT(&code->functions, SpvOpLabel, then);
	return merge;
}

void vkr_build_close_if(struct vkr_log_code *code, uint32_t merge)
{
	VKR_PUT(&code->functions, SpvOpBranch, merge);
	VKR_PUT(&code->functions, SpvOpLabel, merge);
}

uint32_t vkr_build_is_address(struct vkr_log_code *code, uint32_t address)
{
	const uint32_t bits = vkr_build_binary(code, SpvOpBitwiseOr, code->maker->uint_type,
					       vkr_build_component(code, address, 0),
					       vkr_build_component(code, address, 1));
	return vkr_build_binary(code, SpvOpINotEqual, code->types.bool_type, bits,
				vkr_build_number(code, 0));
}

static uint32_t read_place(struct vkr_log_code *code, const struct vkr_block_source *source,
			   uint32_t word)
{
	uint32_t u = code->maker->uint_type;
	uint32_t member = vkr_maker_pointer(code->maker, source->storage_class, u);
	uint32_t half[2];
	for (uint32_t i = 0; i < 2; i++)
		half[i] = vkr_build_load(
			code, u,
			vkr_build_binary(code, SpvOpAccessChain, member, source->variable,
					 vkr_build_number(code, source->first_member + word + i)));
	return vkr_build_binary(code, SpvOpCompositeConstruct, code->types.uvec2, half[0], half[1]);
}

uint32_t vkr_build_open_nowhere(struct vkr_log_code *code, const struct vkr_block_source *source,
				uint32_t *block)
{
	*block = read_place(code, source, VKR_WORD_OF(vkr_gpu_place, block));
	return vkr_build_open_if(code, vkr_build_unary(code, SpvOpLogicalNot, code->types.bool_type,
						       vkr_build_is_address(code, *block)));
}

void vkr_build_return_if(struct vkr_log_code *code, uint32_t merge)
{
	vkr_spirv_words_put(&code->functions, SpvOpReturn, NULL, 0);
	VKR_PUT(&code->functions, SpvOpLabel, merge);
}

void vkr_build_open_function(struct vkr_log_code *code, uint32_t id, uint32_t parameters)
{
	struct vkr_spirv_words types = {0};
	vkr_spirv_words_raw(&types, &code->types.void_type, 1);
	for (uint32_t i = 0; i < parameters; i++)
		vkr_spirv_words_raw(&types, &code->maker->uint_type, 1);
	uint32_t type = 0;
	if (!types.failed)
		type = vkr_maker_type(code->maker, SpvOpTypeFunction, types.items, types.count);
	code->functions.failed |= types.failed;
	free(types.items);
	VKR_PUT(&code->functions, SpvOpFunction, code->types.void_type, id,
		SpvFunctionControlMaskNone, type);
}

void vkr_build_close_function(struct vkr_log_code *code)
{
	vkr_spirv_words_put(&code->functions, SpvOpReturn, NULL, 0);
	vkr_spirv_words_put(&code->functions, SpvOpFunctionEnd, NULL, 0);
}

uint32_t vkr_build_load_input(struct vkr_log_code *code, uint32_t variable,
			      enum vkr_input_type type)
{
	return vkr_input_load(&code->inputs, &code->functions, variable, type);
}

uint32_t vkr_build_component(struct vkr_log_code *code, uint32_t vector, uint32_t index)
{
	return vkr_build_binary(code, SpvOpCompositeExtract, code->maker->uint_type, vector, index);
}

uint32_t vkr_build_select(struct vkr_log_code *code, uint32_t type, uint32_t condition, uint32_t a,
			  uint32_t b)
{
	uint32_t id = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpSelect, type, id, condition, a, b);
	return id;
}

uint32_t vkr_build_alive(struct vkr_log_code *code)
{
	return vkr_build_binary(code, SpvOpINotEqual, code->types.bool_type,
				vkr_build_load(code, code->maker->uint_type, code->end),
				vkr_build_number(code, VKR_LOG_END_NONE));
}

void vkr_build_log_base(struct vkr_log_code *code)
{
	const uint64_t base = code->analysis->options->log_base;
	if (!base)
		return;
	const uint32_t low = vkr_build_number(code, (uint32_t)base);
	const uint32_t high = vkr_build_number(code, (uint32_t)(base >> 32));
	code->base = vkr_maker_id(code->maker);
	VKR_PUT(&code->maker->globals, SpvOpConstantComposite, code->types.uvec2, code->base, low,
		high);
}

// How much further an address is than the base, in units of 4 GiB.
static uint32_t high_distance(struct vkr_log_code *code, uint32_t address)
{
	const uint64_t base = code->analysis->options->log_base;
	return vkr_build_binary(code, SpvOpISub, code->maker->uint_type,
				vkr_build_component(code, address, 1),
				vkr_build_number(code, (uint32_t)(base >> 32)));
}

uint32_t vkr_build_in_reach(struct vkr_log_code *code, uint32_t address)
{
	const uint32_t reach = (uint32_t)(VKR_INSTRUMENT_LOG_REACH >> 32);
	return vkr_build_binary(code, SpvOpULessThan, code->types.bool_type,
				high_distance(code, address), vkr_build_number(code, reach));
}

uint32_t vkr_build_pairs_behind_base(struct vkr_log_code *code, uint32_t address)
{
	const uint32_t u = code->maker->uint_type;
	const uint32_t low =
		vkr_build_binary(code, SpvOpShiftRightLogical, u,
				 vkr_build_component(code, address, 0), vkr_build_number(code, 3));
	const uint32_t high =
		vkr_build_binary(code, SpvOpShiftLeftLogical, u, high_distance(code, address),
				 vkr_build_number(code, 29));
	return vkr_build_binary(code, SpvOpBitwiseOr, u, low, high);
}

uint32_t vkr_build_words_behind_base(struct vkr_log_code *code, uint32_t address)
{
	return vkr_build_binary(code, SpvOpShiftLeftLogical, code->maker->uint_type,
				vkr_build_pairs_behind_base(code, address),
				vkr_build_number(code, 1));
}

// ---- Blocks and cells --------------------------------------------------------------------------

static bool is_near(const struct vkr_log_code *code)
{
	return code->base && code->analysis->options->near_blocks;
}

uint32_t vkr_build_place_type(const struct vkr_log_code *code)
{
	return is_near(code) ? code->maker->uint_type : code->types.uvec2;
}

static uint32_t find_place(struct vkr_log_code *code, const struct vkr_block_source *source,
			   uint32_t word)
{
	const uint32_t address = read_place(code, source, word);
	return is_near(code) ? vkr_build_words_behind_base(code, address) : address;
}

uint32_t vkr_build_block(struct vkr_log_code *code, const struct vkr_block_source *source)
{
	return find_place(code, source, VKR_WORD_OF(vkr_gpu_place, block));
}

uint32_t vkr_build_cell(struct vkr_log_code *code, const struct vkr_block_source *source)
{
	return find_place(code, source, VKR_WORD_OF(vkr_gpu_place, cell));
}

uint32_t vkr_build_place_at(struct vkr_log_code *code, uint32_t place, uint32_t index)
{
	if (!is_near(code))
		return vkr_build_word_at(code, place, index);
	return vkr_build_word_at(
		code, code->base,
		vkr_build_binary(code, SpvOpIAdd, code->maker->uint_type, place, index));
}

uint32_t vkr_build_load_word(struct vkr_log_code *code, uint32_t place, uint32_t index)
{
	uint32_t pointer = vkr_build_place_at(code, place, vkr_build_number(code, index));
	uint32_t value = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpLoad, code->maker->uint_type, value, pointer,
		SpvMemoryAccessAlignedMask, 4);
	return value;
}

static uint32_t place_pair_at(struct vkr_log_code *code, uint32_t place, uint32_t index)
{
	const uint32_t u = code->maker->uint_type, pair = vkr_build_number(code, index / 2);
	if (!is_near(code))
		return pair_at(code, place, pair);
	const uint32_t first =
		vkr_build_binary(code, SpvOpShiftRightLogical, u, place, vkr_build_number(code, 1));
	return pair_at(code, code->base, vkr_build_binary(code, SpvOpIAdd, u, first, pair));
}

uint32_t vkr_build_load_pair(struct vkr_log_code *code, uint32_t place, uint32_t index)
{
	uint32_t pair = place_pair_at(code, place, index);
	uint32_t value = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpLoad, code->types.words_pointer, value, pair,
		SpvMemoryAccessAlignedMask, 8);
	return vkr_build_unary(code, SpvOpBitcast, code->types.uvec2, value);
}

// ---- The log -----------------------------------------------------------------------------------

uint32_t vkr_build_log_word(struct vkr_log_code *code, uint32_t word)
{
	const uint32_t u = code->maker->uint_type;
	return code->offset ? vkr_build_binary(code, SpvOpIAdd, u,
					       vkr_build_load(code, u, code->offset), word)
			    : word;
}

uint32_t vkr_build_log_origin(struct vkr_log_code *code)
{
	return code->base ? code->base : vkr_build_load(code, code->types.uvec2, code->log);
}

uint32_t vkr_build_log_at(struct vkr_log_code *code, uint32_t word)
{
	return vkr_build_word_at(code, vkr_build_log_origin(code), vkr_build_log_word(code, word));
}

void vkr_build_store_at(struct vkr_log_code *code, uint32_t at, const uint32_t *words,
			uint32_t count)
{
	const uint32_t pair =
		vkr_build_binary(code, SpvOpShiftRightLogical, code->maker->uint_type,
				 vkr_build_log_word(code, at), vkr_build_number(code, 1));
	vkr_build_store_words(code, vkr_build_log_origin(code), pair, vkr_build_number(code, 1),
			      words, count);
}

uint32_t vkr_build_log_scope(struct vkr_log_code *code)
{
	return vkr_build_number(code,
				code->analysis->is_legacy ? SpvScopeDevice : SpvScopeQueueFamily);
}

uint32_t vkr_build_move_head(struct vkr_log_code *code, uint32_t head, uint32_t words,
			     uint32_t capacity)
{
	const uint32_t u = code->maker->uint_type, scope = vkr_build_log_scope(code);
	const uint32_t relaxed = vkr_build_number(code, SpvMemorySemanticsMaskNone);
	const uint32_t seen = vkr_maker_id(code->maker), before = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpAtomicLoad, u, seen, head, scope, relaxed);
	const uint32_t is_full =
		vkr_build_binary(code, SpvOpUGreaterThan, code->types.bool_type, seen, capacity);
	VKR_PUT(&code->functions, SpvOpAtomicIAdd, u, before, head, scope, relaxed,
		vkr_build_select(code, u, is_full, vkr_build_number(code, 0), words));
	return before;
}
