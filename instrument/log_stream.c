// SPDX-License-Identifier: Apache-2.0
#include "log_stream.h"

#include "log_build.h"
#include "log_columns.h"

void vkr_log_stream_init(struct vkr_log_code *code)
{
	struct vkr_maker *maker = code->maker;
	const uint32_t u = maker->uint_type;
	code->stream.start = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
	code->stream.count = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
	code->stream.step = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
	code->finish = vkr_maker_id(maker);
}

static uint32_t emit_sum(struct vkr_log_code *code, uint32_t a, uint32_t b)
{
	return vkr_build_binary(code, SpvOpIAdd, code->maker->uint_type, a, b);
}

// Twice the value, and less.
static uint32_t twice_less(struct vkr_log_code *code, uint32_t value, uint32_t less)
{
	const uint32_t u = code->maker->uint_type;
	const uint32_t twice =
		vkr_build_binary(code, SpvOpShiftLeftLogical, u, value, vkr_build_number(code, 1));
	return less ? vkr_build_binary(code, SpvOpISub, u, twice, vkr_build_number(code, less))
		    : twice;
}

void vkr_log_stream_begin(struct vkr_log_code *code, uint32_t place, uint32_t pitch, uint32_t room,
			  uint32_t is_some)
{
	const uint32_t u = code->maker->uint_type, zero = vkr_build_number(code, 0);
	const uint32_t has_room =
		vkr_build_binary(code, SpvOpINotEqual, code->types.bool_type, room, zero);
	const uint32_t logs =
		vkr_build_binary(code, SpvOpLogicalAnd, code->types.bool_type, is_some, has_room);
	const uint32_t start = twice_less(code, place, 0);
	vkr_build_store(code, code->stream.start, vkr_build_select(code, u, logs, start, zero));
	vkr_build_store(code, code->cursor, emit_sum(code, start, vkr_build_number(code, 1)));
	vkr_build_store(code, code->stream.step, twice_less(code, pitch, 1));
	vkr_build_store(code, code->left,
			vkr_build_select(code, u, logs, twice_less(code, room, 1), zero));
	vkr_build_store(code, code->stream.count, zero);
}

void vkr_log_stream_nowhere(struct vkr_log_code *code)
{
	const uint32_t zero = vkr_build_number(code, 0);
	vkr_build_store(code, code->stream.start, zero);
	vkr_build_store(code, code->cursor, zero);
	vkr_build_store(code, code->stream.step, zero);
	vkr_build_store(code, code->left, zero);
	vkr_build_store(code, code->stream.count, zero);
}

static void store_word(struct vkr_log_code *code, uint32_t at, uint32_t word)
{
	VKR_PUT(&code->functions, SpvOpStore,
		vkr_build_word_at(code, vkr_build_log_origin(code), at), word,
		SpvMemoryAccessAlignedMask, 4);
}

// The next word: the second one of its pair, or the first one of the pair in the next column.
static uint32_t next_word(struct vkr_log_code *code, uint32_t at)
{
	const uint32_t u = code->maker->uint_type, one = vkr_build_number(code, 1);
	const uint32_t odd = vkr_build_binary(code, SpvOpBitwiseAnd, u, at, one);
	const uint32_t is_first = vkr_build_binary(code, SpvOpIEqual, code->types.bool_type, odd,
						   vkr_build_number(code, 0));
	const uint32_t step = vkr_build_load(code, u, code->stream.step);
	return emit_sum(code, at, vkr_build_select(code, u, is_first, one, step));
}

// Words that do not fit are counted too, so that no later record fits either.
void vkr_log_stream_record(struct vkr_log_code *code, const uint32_t *words, uint32_t count)
{
	const uint32_t u = code->maker->uint_type;
	const uint32_t logged = emit_sum(code, vkr_build_load(code, u, code->stream.count),
					 vkr_build_number(code, count));
	const uint32_t left = vkr_build_load(code, u, code->left);
	const uint32_t fits =
		vkr_build_binary(code, SpvOpULessThanEqual, code->types.bool_type, logged, left);
	vkr_build_store(code, code->stream.count, logged);
	uint32_t at = vkr_build_load(code, u, code->cursor);
	const uint32_t merge = vkr_build_open_if(code, fits);
	for (uint32_t word = 0; word < count; word++) {
		store_word(code, at,
			   vkr_build_binary(code, SpvOpBitwiseXor, u, words[word],
					    vkr_build_number(code, VKR_STREAM_MARK)));
		at = next_word(code, at);
	}
	vkr_build_store(code, code->cursor, at);
	vkr_build_close_if(code, merge);
}

void vkr_log_stream_finish(struct vkr_log_code *code)
{
	const uint32_t u = code->maker->uint_type;
	vkr_build_open_function(code, code->finish, 0);
	VKR_PUT(&code->functions, SpvOpLabel, vkr_maker_id(code->maker));
	const uint32_t start = vkr_build_load(code, u, code->stream.start);
	const uint32_t logs = vkr_build_binary(code, SpvOpINotEqual, code->types.bool_type, start,
					       vkr_build_number(code, 0));
	const uint32_t merge = vkr_build_open_if(code, logs);
	store_word(code, start,
		   emit_sum(code, vkr_build_load(code, u, code->stream.count),
			    vkr_build_number(code, 1)));
	vkr_build_close_if(code, merge);
	vkr_build_close_function(code);
}
