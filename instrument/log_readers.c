// SPDX-License-Identifier: Apache-2.0
#include "log_readers.h"

#include "log_build.h"

#define BLOCK_READER_MARKS VKR_WORD_OF(vkr_gpu_block, reader_marks)

void vkr_log_readers_init(struct vkr_log_code *code)
{
	uint32_t *const variables[] = {&code->shared_reads.marks, &code->shared_reads.words,
				       &code->shared_reads.self, &code->shared_reads.wanted};
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		*variables[i] = vkr_maker_variable(code->maker, SpvStorageClassPrivate,
						   code->maker->uint_type, 0);
}

void vkr_log_readers_begin(struct vkr_log_code *code, uint32_t block, uint32_t base,
			   uint32_t reader, uint32_t is_some)
{
	const uint32_t u = code->maker->uint_type;
	const uint32_t zero = vkr_build_number(code, 0), one = vkr_build_number(code, 1);
	const uint32_t low = vkr_build_number(code, VKR_READER_MARKS_ALIGNMENT - 1);
	const uint32_t given = vkr_build_load_word(code, block, BLOCK_READER_MARKS);
	const uint32_t logarithm = vkr_build_binary(code, SpvOpBitwiseAnd, u, given, low);
	const uint32_t pairs = vkr_build_binary(code, SpvOpISub, u, given, logarithm);
	const uint32_t count = vkr_build_binary(code, SpvOpShiftLeftLogical, u, one, logarithm);
	const uint32_t words = vkr_build_binary(code, SpvOpUDiv, u,
						vkr_build_binary(code, SpvOpISub, u, count, one),
						vkr_build_number(code, code->analysis->marks));
	vkr_build_store(code, code->shared_reads.words,
			vkr_build_select(code, u, is_some, words, zero));
	vkr_build_store(
		code, code->shared_reads.marks,
		vkr_build_binary(code, SpvOpIAdd, u, base,
				 vkr_build_binary(code, SpvOpShiftLeftLogical, u, pairs, one)));
	vkr_build_store(code, code->shared_reads.self,
			vkr_build_binary(code, SpvOpIAdd, u, reader, one));
}

void vkr_log_readers_nowhere(struct vkr_log_code *code)
{
	const uint32_t zero = vkr_build_number(code, 0);
	vkr_build_store(code, code->shared_reads.words, zero);
	vkr_build_store(code, code->shared_reads.marks, zero);
	vkr_build_store(code, code->shared_reads.self, zero);
}

uint32_t vkr_log_readers_mark(const struct vkr_log_code *code, struct vkr_spirv_words *words,
			      uint32_t first, uint32_t word)
{
	struct vkr_maker *maker = code->maker;
	const uint32_t u = maker->uint_type;
	if (!word)
		return vkr_maker_uint(maker, first);
	const uint32_t all = vkr_maker_id(maker), has_mark = vkr_maker_id(maker);
	const uint32_t found = vkr_maker_id(maker);
	VKR_PUT(words, SpvOpLoad, u, all, code->shared_reads.words);
	VKR_PUT(words, SpvOpULessThan, code->types.bool_type, has_mark, word, all);
	const uint32_t mark =
		vkr_maker_binary(maker, words, SpvOpIAdd, u,
				 vkr_maker_binary(maker, words, SpvOpIMul, u, word,
						  vkr_maker_uint(maker, code->analysis->marks)),
				 vkr_maker_uint(maker, first));
	VKR_PUT(words, SpvOpSelect, u, found, has_mark, mark, vkr_maker_uint(maker, 0));
	return found;
}

// Where the mark is `from`, makes it `to`. What it was.
static uint32_t log_readers_exchange(struct vkr_log_code *code, uint32_t place, uint32_t from,
				     uint32_t to)
{
	const uint32_t relaxed = vkr_build_number(code, SpvMemorySemanticsMaskNone);
	const uint32_t was = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpAtomicCompareExchange, code->maker->uint_type, was, place,
		vkr_build_log_scope(code), relaxed, relaxed, to, from);
	return was;
}

static uint32_t is_either(struct vkr_log_code *code, uint32_t value, uint32_t one, uint32_t other)
{
	const uint32_t boolean = code->types.bool_type;
	return vkr_build_binary(code, SpvOpLogicalOr, boolean,
				vkr_build_binary(code, SpvOpIEqual, boolean, value, one),
				vkr_build_binary(code, SpvOpIEqual, boolean, value, other));
}

// Thousands of invocations that begin at once find the same mark zero: exchanges let one of them be
// the first and one the second, and the others know of both.
static uint32_t exchange_mark(struct vkr_log_code *code, uint32_t place, uint32_t self,
			      uint32_t two)
{
	const uint32_t u = code->maker->uint_type, boolean = code->types.bool_type;
	const uint32_t zero = vkr_build_number(code, 0), one = vkr_build_number(code, 1);
	const uint32_t first = log_readers_exchange(code, place, zero, self);
	const uint32_t is_first = is_either(code, first, zero, self);
	const uint32_t second = log_readers_exchange(
		code, place, vkr_build_select(code, u, is_first, two, first), two);
	const uint32_t is_second =
		vkr_build_binary(code, SpvOpLogicalAnd, boolean,
				 vkr_build_binary(code, SpvOpIEqual, boolean, second, first),
				 vkr_build_binary(code, SpvOpINotEqual, boolean, first, two));
	return vkr_build_select(
		code, u, vkr_build_binary(code, SpvOpLogicalOr, boolean, is_first, is_second), one,
		zero);
}

// Few find out about one mark at the same time, and all of them log: marks only spare records.
static uint32_t store_mark(struct vkr_log_code *code, uint32_t place, uint32_t seen, uint32_t self,
			   uint32_t two)
{
	const uint32_t is_first = is_either(code, seen, vkr_build_number(code, 0), self);
	VKR_PUT(&code->functions, SpvOpAtomicStore, place, vkr_build_log_scope(code),
		vkr_build_number(code, SpvMemorySemanticsMaskNone),
		vkr_build_select(code, code->maker->uint_type, is_first, self, two));
	return vkr_build_number(code, 1);
}

static void write_mark(struct vkr_log_code *code, uint32_t mark)
{
	const uint32_t u = code->maker->uint_type, boolean = code->types.bool_type;
	const uint32_t two = vkr_build_number(code, VKR_READER_MARKS_TWO);
	const uint32_t self = vkr_build_load(code, u, code->shared_reads.self);
	const uint32_t place = vkr_build_word_at(
		code, vkr_build_log_origin(code),
		vkr_build_binary(code, SpvOpIAdd, u,
				 vkr_build_load(code, u, code->shared_reads.marks), mark));
	const uint32_t seen = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpAtomicLoad, u, seen, place, vkr_build_log_scope(code),
		vkr_build_number(code, SpvMemorySemanticsMaskNone));
	const uint32_t is_known = code->analysis->marks_groups
					  ? vkr_build_binary(code, SpvOpIEqual, boolean, seen, two)
					  : is_either(code, seen, self, two);
	vkr_build_store(code, code->shared_reads.wanted, vkr_build_number(code, 0));
	const uint32_t merge =
		vkr_build_open_if(code, vkr_build_unary(code, SpvOpLogicalNot, boolean, is_known));
	vkr_build_store(code, code->shared_reads.wanted,
			code->analysis->options->exchanges
				? exchange_mark(code, place, self, two)
				: store_mark(code, place, seen, self, two));
	vkr_build_close_if(code, merge);
}

uint32_t vkr_log_readers_open(struct vkr_log_code *code, uint32_t mark)
{
	const uint32_t u = code->maker->uint_type, boolean = code->types.bool_type;
	const uint32_t zero = vkr_build_number(code, 0);
	const uint32_t words = vkr_build_load(code, u, code->shared_reads.words);
	vkr_build_store(code, code->shared_reads.wanted, vkr_build_number(code, 1));
	const uint32_t merge = vkr_build_open_if(
		code,
		vkr_build_binary(code, SpvOpLogicalAnd, boolean,
				 vkr_build_binary(code, SpvOpINotEqual, boolean, mark, zero),
				 vkr_build_binary(code, SpvOpINotEqual, boolean, words, zero)));
	write_mark(code, mark);
	vkr_build_close_if(code, merge);
	return vkr_build_open_if(
		code, vkr_build_binary(code, SpvOpINotEqual, boolean,
				       vkr_build_load(code, u, code->shared_reads.wanted), zero));
}
