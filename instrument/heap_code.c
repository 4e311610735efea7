// SPDX-License-Identifier: Apache-2.0
#include "heap_code.h"

#include "array.h"
#include "log_code.h"

#include "vkrace/gpu_log.h"

#include <stdlib.h>

struct finding {
	struct vkr_pointer_code *pointers;
	struct vkr_maker *maker;
	struct vkr_spirv_words *code;
	uint32_t element; // raw
};

static uint32_t emit_binary(const struct finding *finding, SpvOp opcode, uint32_t a, uint32_t b)
{
	const uint32_t id = vkr_maker_id(finding->maker);
	VKR_PUT(finding->code, opcode, finding->maker->uint_type, id, a, b);
	return id;
}

static uint32_t heap_code_scaled(const struct finding *finding, uint32_t value, uint32_t factor)
{
	return factor == 1 ? value
			   : emit_binary(finding, SpvOpIMul, value,
					 vkr_maker_uint(finding->maker, factor));
}

static uint32_t emit_sum(const struct finding *finding, uint32_t a, uint32_t b)
{
	return !a ? b : !b ? a : emit_binary(finding, SpvOpIAdd, a, b);
}

// Members that are words one after the other: arrays of words have other strides in a uniform
// block of the standard layout.
static uint32_t make_block(struct vkr_maker *maker, uint32_t set, uint32_t binding, uint32_t words)
{
	const uint32_t structure = vkr_maker_id(maker);
	struct vkr_spirv_words operands = {0};
	vkr_spirv_words_raw(&operands, &structure, 1);
	for (uint32_t i = 0; i < words; i++) {
		vkr_spirv_words_raw(&operands, &maker->uint_type, 1);
		VKR_PUT(&maker->annotations, SpvOpMemberDecorate, structure, i, SpvDecorationOffset,
			4 * i);
	}
	vkr_spirv_words_put(&maker->globals, SpvOpTypeStruct, operands.items, operands.count);
	maker->globals.failed |= operands.failed;
	free(operands.items);
	VKR_PUT(&maker->annotations, SpvOpDecorate, structure, SpvDecorationBlock);
	const uint32_t variable = vkr_maker_variable(maker, SpvStorageClassUniform, structure, 0);
	VKR_PUT(&maker->annotations, SpvOpDecorate, variable, SpvDecorationDescriptorSet, set);
	VKR_PUT(&maker->annotations, SpvOpDecorate, variable, SpvDecorationBinding, binding);
	return variable;
}

uint32_t vkr_push_data_block(struct vkr_maker *maker, const struct vkr_instrument_options *options)
{
	return make_block(maker, options->heap_set, VKR_HEAP_BINDING_PUSH,
			  (options->push_constant_offset + VKR_PUSH_CONSTANT_BYTES) / 4);
}

// As many words as any of the shader's mappings reads.
static uint32_t record_words(const struct vkr_analysis *analysis)
{
	uint32_t words = 0;
	for (uint32_t id = 0; id < analysis->module->bound; id++) {
		const struct vkr_home *home = analysis->homes[id];
		if (!home || home->resource.index != VKR_INDEX_RECORD)
			continue;
		const uint32_t own = home->resource.where / 4 + 2,
			       other = home->sampler.where / 4 + 2;
		words = own > words ? own : words;
		words = other > words ? other : words;
	}
	return words;
}

static uint32_t record_block(const struct finding *finding)
{
	struct vkr_pointer_code *pointers = finding->pointers;
	struct vkr_heap_code *heap = pointers->heap;
	if (heap->record)
		return heap->record;
	heap->record = make_block(finding->maker, pointers->analysis->options->heap_set,
				  VKR_HEAP_BINDING_RECORD, record_words(pointers->analysis));
	if (VKR_ARRAY_RESERVE(&pointers->globals, 1))
		pointers->globals.items[pointers->globals.count++] = heap->record;
	else
		pointers->failed = true;
	return heap->record;
}

static uint32_t block_word(const struct finding *finding, uint32_t block, uint32_t word)
{
	struct vkr_maker *maker = finding->maker;
	const uint32_t pointer = vkr_maker_id(maker), value = vkr_maker_id(maker);
	VKR_PUT(finding->code, SpvOpAccessChain,
		vkr_maker_pointer(maker, SpvStorageClassUniform, maker->uint_type), pointer, block,
		vkr_maker_uint(maker, word));
	VKR_PUT(finding->code, SpvOpLoad, maker->uint_type, value, pointer);
	return value;
}

static uint32_t heap_code_pair(const struct finding *finding, uint32_t low, uint32_t high)
{
	const uint32_t id = vkr_maker_id(finding->maker);
	VKR_PUT(finding->code, SpvOpCompositeConstruct, finding->pointers->heap->log->types.uvec2,
		id, low, high);
	return id;
}

static uint32_t block_pair(const struct finding *finding, uint32_t block, uint32_t word)
{
	return heap_code_pair(finding, block_word(finding, block, word),
			      block_word(finding, block, word + 1));
}

// Moves an address (uvec2) on by some bytes.
static uint32_t heap_code_moved(const struct finding *finding, uint32_t address, uint32_t bytes)
{
	struct vkr_maker *maker = finding->maker;
	const uint32_t low = vkr_maker_id(maker), high = vkr_maker_id(maker);
	const uint32_t bool_type = vkr_maker_type(maker, SpvOpTypeBool, NULL, 0);
	const uint32_t wraps = vkr_maker_id(maker), carry = vkr_maker_id(maker);
	VKR_PUT(finding->code, SpvOpCompositeExtract, maker->uint_type, low, address, 0);
	VKR_PUT(finding->code, SpvOpCompositeExtract, maker->uint_type, high, address, 1);
	const uint32_t moved_low = emit_binary(finding, SpvOpIAdd, low, bytes);
	VKR_PUT(finding->code, SpvOpULessThan, bool_type, wraps, moved_low, low);
	VKR_PUT(finding->code, SpvOpSelect, maker->uint_type, carry, wraps,
		vkr_maker_uint(maker, 1), vkr_maker_uint(maker, 0));
	return heap_code_pair(finding, moved_low, emit_binary(finding, SpvOpIAdd, high, carry));
}

static uint32_t word_behind(const struct finding *finding, uint32_t address, uint32_t index)
{
	const struct vkr_log_code *log = finding->pointers->heap->log;
	struct vkr_maker *maker = finding->maker;
	const uint32_t base = vkr_maker_id(maker), pointer = vkr_maker_id(maker),
		       value = vkr_maker_id(maker);
	VKR_PUT(finding->code, SpvOpBitcast, log->types.words_pointer, base, address);
	VKR_PUT(finding->code, SpvOpAccessChain, log->types.word_pointer, pointer, base,
		vkr_maker_uint(maker, 0), vkr_maker_uint(maker, index));
	VKR_PUT(finding->code, SpvOpLoad, maker->uint_type, value, pointer,
		SpvMemoryAccessAlignedMask, 4);
	return value;
}

// Where the half's index is in memory, as an address.
static uint32_t index_address(const struct finding *finding, const struct vkr_home_half *half)
{
	uint32_t bytes = vkr_maker_uint(finding->maker, half->address_offset);
	if (half->index == VKR_INDEX_INDIRECT_ARRAY)
		bytes = emit_sum(finding, bytes, heap_code_scaled(finding, finding->element, 4));
	return heap_code_moved(finding,
			       block_pair(finding, finding->pointers->heap->push, half->where / 4),
			       bytes);
}

// 0: there is none.
static uint32_t index_word(const struct finding *finding, const struct vkr_home_half *half)
{
	const uint32_t push = finding->pointers->heap->push;
	uint32_t word = 0;
	switch (half->index) {
	case VKR_INDEX_NONE:
		return 0;
	case VKR_INDEX_PUSHED:
		word = block_word(finding, push, half->where / 4);
		break;
	case VKR_INDEX_RECORD:
		word = block_word(finding, record_block(finding), half->where / 4);
		break;
	case VKR_INDEX_INDIRECT:
	case VKR_INDEX_INDIRECT_ARRAY:
		word = word_behind(finding, index_address(finding, half), 0);
		break;
	}
	if (half->shift)
		word = emit_binary(finding, SpvOpShiftRightLogical, word,
				   vkr_maker_uint(finding->maker, half->shift));
	return half->mask ? emit_binary(finding, SpvOpBitwiseAnd, word,
					vkr_maker_uint(finding->maker, half->mask))
			  : word;
}

static uint32_t heap_byte(const struct finding *finding, const struct vkr_home_half *half)
{
	uint32_t byte = index_word(finding, half);
	if (byte)
		byte = heap_code_scaled(finding, byte, half->index_stride);
	if (half->array_stride)
		byte = emit_sum(finding, byte,
				heap_code_scaled(finding, finding->element, half->array_stride));
	return half->constant || !byte
		       ? emit_sum(finding, byte, vkr_maker_uint(finding->maker, half->constant))
		       : byte;
}

static uint32_t address_of(const struct finding *finding, const struct vkr_home_half *half)
{
	const uint32_t push = finding->pointers->heap->push;
	if (half->index == VKR_INDEX_PUSHED)
		return block_pair(finding, push, half->where / 4);
	if (half->index == VKR_INDEX_RECORD)
		return block_pair(finding, record_block(finding), half->where / 4);
	const uint32_t at = index_address(finding, half);
	return heap_code_pair(finding, word_behind(finding, at, 0), word_behind(finding, at, 1));
}

static const struct vkr_home_half *half_of(const struct vkr_pointer_target *place,
					   const struct vkr_home *home)
{
	return place->is_sampler_half ? &home->sampler : &home->resource;
}

// By the variable that the place is in: known here, or one of several.
static uint32_t emit_choice(const struct finding *finding, const struct vkr_pointer_target *place,
			    const uint32_t *words, uint32_t type,
			    uint32_t (*find)(const struct finding *finding,
					     const struct vkr_home_half *half))
{
	const struct vkr_analysis *analysis = finding->pointers->analysis;
	struct vkr_maker *maker = finding->maker;
	uint32_t found = find(finding, half_of(place, place->home));
	for (uint32_t i = 1; place->kind == VKR_TARGET_CHOSEN && i < place->base->variable_count;
	     i++) {
		struct vkr_pointer_target of = *place;
		of.variable = place->base->variables[i];
		of.home = analysis->homes[of.variable];
		const uint32_t other = find(finding, half_of(&of, of.home));
		const uint32_t is_other = vkr_maker_id(maker), either = vkr_maker_id(maker);
		VKR_PUT(finding->code, SpvOpIEqual, vkr_maker_type(maker, SpvOpTypeBool, NULL, 0),
			is_other, words[VKR_POINTER_VARIABLE],
			vkr_maker_uint(maker, vkr_analysis_variable_index(analysis, &of)));
		VKR_PUT(finding->code, SpvOpSelect, type, either, is_other, other, found);
		found = either;
	}
	return found;
}

uint32_t vkr_mapped_element(struct vkr_pointer_code *pointers,
			    const struct vkr_pointer_target *place, const uint32_t *words,
			    struct vkr_spirv_words *code)
{
	const struct vkr_home *home = place->home;
	if (!home || home->kind == VKR_HOME_DIRECT || half_of(place, home)->is_embedded)
		return words[VKR_POINTER_ELEMENT];
	const struct finding finding = {pointers, pointers->maker, code,
					words[VKR_POINTER_ELEMENT]};
	return emit_choice(&finding, place, words, pointers->maker->uint_type, heap_byte);
}

uint32_t vkr_mapped_address(struct vkr_pointer_code *pointers,
			    const struct vkr_pointer_target *place, const uint32_t *words,
			    bool reads_index, struct vkr_spirv_words *code)
{
	const struct finding finding = {pointers, pointers->maker, code,
					words[VKR_POINTER_ELEMENT]};
	if (reads_index)
		return index_address(&finding, half_of(place, place->home));
	const uint32_t address =
		emit_choice(&finding, place, words, pointers->heap->log->types.uvec2, address_of);
	return heap_code_moved(&finding, address, words[VKR_POINTER_OFFSET]);
}
