// SPDX-License-Identifier: Apache-2.0
#include "log_columns.h"

#include "log_build.h"
#include "log_readers.h"
#include "log_stream.h"
#include "log_uniforms.h"

#include <assert.h>

// Word indices in struct vkr_gpu_block and struct vkr_gpu_cell.
#define BLOCK_ROOM       VKR_WORD_OF(vkr_gpu_block, room)
#define BLOCK_GROUPS     VKR_WORD_OF(vkr_gpu_block, groups)
#define BLOCK_PITCH      VKR_WORD_OF(vkr_gpu_block, pitch)
#define BLOCK_COLUMN_LOG VKR_WORD_OF(vkr_gpu_block, column_log)
#define BLOCK_COMMAND    VKR_WORD_OF(vkr_gpu_block, command)
#define CELL_LOG         VKR_WORD_OF(vkr_gpu_cell, log)
#define CELL_CAPACITY    VKR_WORD_OF(vkr_gpu_cell, capacity) // and command_base after it
#define CELL_COLUMN_LOGS VKR_WORD_OF(vkr_gpu_cell, column_logs)

// Words of a chunk that an invocation takes whose columns are full, unless it needs more at once.
#define CHUNK_WORDS 256u

static_assert(BLOCK_GROUPS % 2 == 0 && BLOCK_PITCH == BLOCK_GROUPS + 3, "read as two pairs");

// The most significant bits of a quotient of floats are right; what it is too large by is less
// than this part of it.
#define QUOTIENT_BITS 0x3f7fff00u // 1 - 2^-16, rounded

// The values that an invocation reads from its block.
struct dispatch {
	uint32_t groups[3]; // of the whole dispatch
	uint32_t is_direct; // bool
	uint32_t pitch, room;
	uint32_t column_log; // from the origin on
};

void vkr_log_column_log_init(struct vkr_log_code *code)
{
	struct vkr_maker *maker = code->maker;
	uint32_t u = maker->uint_type;
	if (code->analysis->streams)
		vkr_log_stream_init(code);
	else
		code->pitch = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
	code->left = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
	if (code->analysis->has_run_lengths)
		code->iterations = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
	if (code->analysis->spills) {
		code->capacity = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
		code->command = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
		code->place = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
		code->words =
			vkr_maker_variable(maker, SpvStorageClassPrivate, code->types.uvec2, 0);
	}
	if (code->analysis->marks)
		vkr_log_readers_init(code);
	if (code->needs_groups)
		code->groups =
			vkr_maker_variable(maker, SpvStorageClassPrivate, code->types.uvec3, 0);
	code->workgroup_id = vkr_input_make(&code->inputs, SpvBuiltInWorkgroupId, VKR_INPUT_UVEC3);
	code->num_workgroups =
		vkr_input_make(&code->inputs, SpvBuiltInNumWorkgroups, VKR_INPUT_UVEC3);
	code->local_index =
		vkr_input_make(&code->inputs, SpvBuiltInLocalInvocationIndex, VKR_INPUT_UINT);
}

static uint32_t local_size(const struct vkr_log_code *code)
{
	const uint32_t *size = code->analysis->workgroup_size;
	return size[0] * size[1] * size[2];
}

static uint32_t log_columns_product(struct vkr_log_code *code, uint32_t a, uint32_t b)
{
	return vkr_build_binary(code, SpvOpIMul, code->maker->uint_type, a, b);
}

static uint32_t emit_sum(struct vkr_log_code *code, uint32_t a, uint32_t b)
{
	return vkr_build_binary(code, SpvOpIAdd, code->maker->uint_type, a, b);
}

// The word behind the log's origin from which the block counts.
static uint32_t column_logs_word(struct vkr_log_code *code, uint32_t column_logs)
{
	return code->base ? vkr_build_words_behind_base(code, column_logs)
			  : vkr_build_number(code, 0);
}

// The whole dispatch's NumWorkgroups: the block's, or the builtin.
static void read_groups(struct vkr_log_code *code, struct dispatch *dispatch, const uint32_t *given)
{
	uint32_t u = code->maker->uint_type;
	uint32_t builtin = vkr_build_load_input(code, code->num_workgroups, VKR_INPUT_UVEC3);
	uint32_t is_given = vkr_build_binary(code, SpvOpINotEqual, code->types.bool_type, given[0],
					     vkr_build_number(code, 0));
	for (uint32_t axis = 0; axis < 3; axis++)
		dispatch->groups[axis] = vkr_build_select(code, u, is_given, given[axis],
							  vkr_build_component(code, builtin, axis));
	if (!code->needs_groups)
		return;
	uint32_t all = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpCompositeConstruct, code->types.uvec3, all,
		dispatch->groups[0], dispatch->groups[1], dispatch->groups[2]);
	vkr_build_store(code, code->groups, all);
}

// How many columns an indirect dispatch has: the pairs of all of them, divided among its
// invocations. In floats, since drivers of CPUs divide vectors of integers one by one; rounded
// down.
static uint32_t indirect_room(struct vkr_log_code *code, const struct dispatch *dispatch,
			      uint32_t pairs)
{
	struct vkr_maker *maker = code->maker;
	uint32_t f = vkr_maker_type(maker, SpvOpTypeFloat, (const uint32_t[]){32}, 1);
	uint32_t size = vkr_build_number(code, local_size(code));
	uint32_t all = vkr_build_unary(code, SpvOpConvertUToF, f, size);
	for (uint32_t axis = 0; axis < 3; axis++)
		all = vkr_build_binary(
			code, SpvOpFMul, f, all,
			vkr_build_unary(code, SpvOpConvertUToF, f, dispatch->groups[axis]));
	uint32_t least =
		vkr_build_unary(code, SpvOpBitcast, f, vkr_build_number(code, QUOTIENT_BITS));
	uint32_t most = vkr_build_binary(code, SpvOpFMul, f,
					 vkr_build_unary(code, SpvOpConvertUToF, f, pairs), least);
	return vkr_build_unary(code, SpvOpConvertFToU, maker->uint_type,
			       vkr_build_binary(code, SpvOpFDiv, f, most, all));
}

static void read_dispatch(struct vkr_log_code *code, struct dispatch *dispatch, uint32_t block)
{
	uint32_t u = code->maker->uint_type, given[3];
	uint32_t plane = vkr_build_load_pair(code, block, BLOCK_GROUPS);
	uint32_t rest = vkr_build_load_pair(code, block, BLOCK_GROUPS + 2);
	given[0] = vkr_build_component(code, plane, 0);
	given[1] = vkr_build_component(code, plane, 1);
	given[2] = vkr_build_component(code, rest, 0);
	uint32_t pitch = vkr_build_component(code, rest, 1);
	uint32_t room = vkr_build_load_word(code, block, BLOCK_ROOM);
	dispatch->column_log = vkr_build_load_word(code, block, BLOCK_COLUMN_LOG);
	read_groups(code, dispatch, given);
	dispatch->is_direct = vkr_build_binary(code, SpvOpINotEqual, code->types.bool_type, pitch,
					       vkr_build_number(code, 0));
	uint32_t all = vkr_build_number(code, local_size(code));
	for (uint32_t axis = 0; axis < 3; axis++)
		all = log_columns_product(code, all, dispatch->groups[axis]);
	dispatch->pitch = vkr_build_select(code, u, dispatch->is_direct, pitch, all);
	dispatch->room = vkr_build_select(code, u, dispatch->is_direct, room,
					  indirect_room(code, dispatch, room));
}

// The first two invocations of an indirect dispatch log how large it is.
static void write_size(struct vkr_log_code *code, const struct dispatch *dispatch,
		       uint32_t invocation, uint32_t is_some)
{
	uint32_t u = code->maker->uint_type, boolean = code->types.bool_type;
	uint32_t is_early = vkr_build_binary(code, SpvOpULessThan, boolean, invocation,
					     vkr_build_number(code, 2));
	uint32_t is_told = vkr_build_binary(code, SpvOpLogicalAnd, boolean, is_early, is_some);
	uint32_t is_indirect = vkr_build_unary(code, SpvOpLogicalNot, boolean, dispatch->is_direct);
	is_told = vkr_build_binary(code, SpvOpLogicalAnd, boolean, is_told, is_indirect);
	uint32_t is_first =
		vkr_build_binary(code, SpvOpIEqual, boolean, invocation, vkr_build_number(code, 0));
	uint32_t words[2] = {
		vkr_build_select(code, u, is_first, dispatch->groups[0], dispatch->groups[2]),
		vkr_build_select(code, u, is_first, dispatch->groups[1],
				 vkr_build_number(code, 0))};
	uint32_t merge = vkr_build_open_if(code, is_told);
	uint32_t header = vkr_build_binary(code, SpvOpISub, u, dispatch->column_log,
					   vkr_build_number(code, VKR_COLUMN_LOG_HEADER_PAIRS));
	vkr_build_store_words(code, vkr_build_log_origin(code), emit_sum(code, header, invocation),
			      vkr_build_number(code, 1), words, 2);
	vkr_build_close_if(code, merge);
}

static uint32_t invocation_index(struct vkr_log_code *code, const struct dispatch *dispatch)
{
	uint32_t id = vkr_build_load_input(code, code->workgroup_id, VKR_INPUT_UVEC3);
	uint32_t row = emit_sum(
		code, vkr_build_component(code, id, 1),
		log_columns_product(code, dispatch->groups[1], vkr_build_component(code, id, 2)));
	uint32_t group = emit_sum(code, vkr_build_component(code, id, 0),
				  log_columns_product(code, dispatch->groups[0], row));
	uint32_t before =
		log_columns_product(code, group, vkr_build_number(code, local_size(code)));
	return emit_sum(code, before,
			vkr_build_load_input(code, code->local_index, VKR_INPUT_UINT));
}

// Whom marks of reads tell from others.
static uint32_t reader_index(struct vkr_log_code *code, uint32_t invocation)
{
	return code->analysis->marks_groups
		       ? vkr_build_binary(code, SpvOpUDiv, code->maker->uint_type, invocation,
					  vkr_build_number(code, local_size(code)))
		       : invocation;
}

// Stores what an invocation needs in order to take chunks when its columns are full. Returns
// whether it may take any: only if its columns hold the longest record, so that an invocation with
// chunks has written into its columns, which identify it.
static uint32_t begin_chunks(struct vkr_log_code *code, uint32_t block, uint32_t cell,
			     uint32_t place, uint32_t room)
{
	uint32_t rest = vkr_build_load_pair(code, cell, CELL_CAPACITY);
	uint32_t command = emit_sum(code, vkr_build_load_word(code, block, BLOCK_COMMAND),
				    vkr_build_component(code, rest, 1));
	vkr_build_store(code, code->words, vkr_build_load_pair(code, cell, CELL_LOG));
	vkr_build_store(code, code->capacity, vkr_build_component(code, rest, 0));
	vkr_build_store(code, code->command, emit_sum(code, command, vkr_build_number(code, 1)));
	vkr_build_store(code, code->place, place);
	return vkr_build_binary(code, SpvOpUGreaterThanEqual, code->types.bool_type, room,
				vkr_build_number(code, code->analysis->most_room / 2));
}

// Has the column log counted from the origin. Returns whether there is one, and in reach.
static uint32_t find_origin(struct vkr_log_code *code, struct dispatch *dispatch,
			    uint32_t column_logs)
{
	if (code->base) {
		dispatch->column_log = emit_sum(code, dispatch->column_log,
						vkr_build_pairs_behind_base(code, column_logs));
		return vkr_build_in_reach(code, column_logs);
	}
	uint32_t bits = vkr_build_binary(code, SpvOpBitwiseOr, code->maker->uint_type,
					 vkr_build_component(code, column_logs, 0),
					 vkr_build_component(code, column_logs, 1));
	vkr_build_store(code, code->log, column_logs);
	return vkr_build_binary(code, SpvOpINotEqual, code->types.bool_type, bits,
				vkr_build_number(code, 0));
}

// A place of zeros leads to no log.
static void write_nowhere(struct vkr_log_code *code, const struct vkr_block_source *source)
{
	const uint32_t zero = vkr_build_number(code, 0);
	uint32_t block = 0;
	const uint32_t merge = vkr_build_open_nowhere(code, source, &block);
	if (!code->base)
		vkr_build_store(code, code->log, block);
	if (code->iterations)
		vkr_build_store(code, code->iterations, zero);
	if (code->analysis->streams) {
		vkr_log_stream_nowhere(code);
		vkr_build_return_if(code, merge);
		return;
	}
	if (code->analysis->spills) {
		vkr_build_store(code, code->words, block);
		vkr_build_store(code, code->capacity, zero);
		vkr_build_store(code, code->command, zero);
		vkr_build_store(code, code->place, zero);
	}
	if (code->analysis->marks)
		vkr_log_readers_nowhere(code);
	vkr_build_store(code, code->cursor, zero);
	vkr_build_store(code, code->pitch, zero);
	vkr_build_store(code, code->left, zero);
	vkr_build_return_if(code, merge);
}

// begin: block, cell -> column log, once an invocation.
static void write_begin(struct vkr_log_code *code, const struct vkr_block_source *source)
{
	uint32_t u = code->maker->uint_type, zero = vkr_build_number(code, 0);
	struct dispatch dispatch;
	vkr_build_open_function(code, code->begin, 0);
	VKR_PUT(&code->functions, SpvOpLabel, vkr_maker_id(code->maker));
	write_nowhere(code, source);
	uint32_t block = vkr_build_block(code, source);
	uint32_t cell = vkr_build_cell(code, source);
	read_dispatch(code, &dispatch, block);
	uint32_t invocation = invocation_index(code, &dispatch);
	if (code->analysis->tells_uniforms)
		vkr_log_uniforms_tell(code, block, invocation);
	if (!code->analysis->segments.count) { // there may be no column log
		vkr_build_close_function(code);
		return;
	}
	uint32_t column_logs = vkr_build_load_pair(code, cell, CELL_COLUMN_LOGS);
	uint32_t is_some = find_origin(code, &dispatch, column_logs);
	if (code->iterations)
		vkr_build_store(code, code->iterations, zero);
	const uint32_t place = emit_sum(code, dispatch.column_log, invocation);
	if (code->analysis->streams) {
		vkr_log_stream_begin(code, place, dispatch.pitch, dispatch.room, is_some);
		vkr_build_close_function(code);
		return;
	}
	vkr_build_store(code, code->cursor, place);
	if (code->analysis->marks)
		vkr_log_readers_begin(code, block, column_logs_word(code, column_logs),
				      reader_index(code, invocation), is_some);
	write_size(code, &dispatch, invocation, is_some);
	if (code->analysis->spills)
		is_some = vkr_build_binary(
			code, SpvOpLogicalAnd, code->types.bool_type, is_some,
			begin_chunks(code, block, cell, invocation, dispatch.room));
	vkr_build_store(code, code->pitch,
			vkr_build_select(code, u, is_some, dispatch.pitch, zero));
	vkr_build_store(code, code->left, vkr_build_select(code, u, is_some, dispatch.room, zero));
	vkr_build_close_function(code);
}

static void write_chunk_header(struct vkr_log_code *code, uint32_t pair, uint32_t size)
{
	uint32_t u = code->maker->uint_type;
	uint32_t place = vkr_build_load(code, u, code->place);
	uint32_t all = vkr_build_number(code, local_size(code));
	uint32_t header[VKR_CHUNK_HEADER_WORDS] = {vkr_build_load(code, u, code->command),
						   vkr_build_binary(code, SpvOpUDiv, u, place, all),
						   vkr_build_binary(code, SpvOpUMod, u, place, all),
						   size};
	vkr_build_store_words(code, vkr_build_log_origin(code), pair, vkr_build_number(code, 1),
			      header, VKR_CHUNK_HEADER_WORDS);
}

// Pairs from the origin to an even word of the log.
static uint32_t pair_of_word(struct vkr_log_code *code, uint32_t log, uint32_t at)
{
	const uint32_t u = code->maker->uint_type;
	if (code->base)
		return emit_sum(code, vkr_build_pairs_behind_base(code, log),
				vkr_build_binary(code, SpvOpShiftRightLogical, u, at,
						 vkr_build_number(code, 1)));
	// Counted from the column logs, which begin after word 0, less than 4 GiB away.
	uint32_t column_logs = vkr_build_load(code, code->types.uvec2, code->log);
	uint32_t distance = vkr_build_binary(code, SpvOpISub, u, vkr_build_component(code, log, 0),
					     vkr_build_component(code, column_logs, 0));
	uint32_t bytes =
		emit_sum(code, distance, log_columns_product(code, at, vkr_build_number(code, 4)));
	return vkr_build_binary(code, SpvOpShiftRightLogical, u, bytes, vkr_build_number(code, 3));
}

// Takes a chunk, in which records then stand as in columns of a single invocation; or none any more
// where the log is full.
static void write_take(struct vkr_log_code *code, uint32_t least)
{
	uint32_t u = code->maker->uint_type, boolean = code->types.bool_type;
	uint32_t zero = vkr_build_number(code, 0), usual = vkr_build_number(code, CHUNK_WORDS);
	uint32_t is_usual = vkr_build_binary(code, SpvOpULessThanEqual, boolean, least, usual);
	uint32_t size = vkr_build_select(code, u, is_usual, usual, least);
	uint32_t words = vkr_build_load(code, code->types.uvec2, code->words);
	uint32_t head = vkr_build_word_at(code, words, vkr_build_number(code, VKR_LOG_HEAD));
	uint32_t capacity = vkr_build_load(code, u, code->capacity);
	uint32_t at = vkr_build_move_head(code, head, size, capacity);
	uint32_t is_there = vkr_build_binary(code, SpvOpUGreaterThan, boolean, capacity, at);
	uint32_t behind = vkr_build_binary(code, SpvOpISub, u, capacity, at);
	uint32_t is_enough = vkr_build_binary(code, SpvOpUGreaterThanEqual, boolean, behind, size);
	uint32_t fits = vkr_build_binary(code, SpvOpLogicalAnd, boolean, is_there, is_enough);
	uint32_t pair = pair_of_word(code, words, at);
	uint32_t merge = vkr_build_open_if(code, fits);
	write_chunk_header(code, pair, size);
	vkr_build_close_if(code, merge);
	uint32_t room = vkr_build_binary(
		code, SpvOpISub, u,
		vkr_build_binary(code, SpvOpShiftRightLogical, u, size, vkr_build_number(code, 1)),
		vkr_build_number(code, VKR_CHUNK_HEADER_WORDS / 2));
	vkr_build_store(code, code->pitch,
			vkr_build_select(code, u, fits, vkr_build_number(code, 1), zero));
	vkr_build_store(code, code->left, vkr_build_select(code, u, fits, room, zero));
	vkr_build_store(code, code->cursor,
			emit_sum(code, pair, vkr_build_number(code, VKR_CHUNK_HEADER_WORDS / 2)));
}

// make_room(words): where fewer columns are left, takes a chunk; an invocation without a pitch logs
// nothing any more.
static void write_make_room(struct vkr_log_code *code)
{
	uint32_t u = code->maker->uint_type, boolean = code->types.bool_type;
	uint32_t words = vkr_maker_id(code->maker);
	vkr_build_open_function(code, code->make_room, 1);
	VKR_PUT(&code->functions, SpvOpFunctionParameter, u, words);
	VKR_PUT(&code->functions, SpvOpLabel, vkr_maker_id(code->maker));
	uint32_t left = vkr_build_load(code, u, code->left);
	uint32_t pairs =
		vkr_build_binary(code, SpvOpShiftRightLogical, u, words, vkr_build_number(code, 1));
	uint32_t is_short = vkr_build_binary(code, SpvOpULessThan, boolean, left, pairs);
	if (!code->analysis->spills) {
		vkr_build_store(
			code, code->left,
			vkr_build_select(code, u, is_short, vkr_build_number(code, 0), left));
		vkr_build_close_function(code);
		return;
	}
	uint32_t logs =
		vkr_build_binary(code, SpvOpINotEqual, boolean,
				 vkr_build_load(code, u, code->pitch), vkr_build_number(code, 0));
	uint32_t merge = vkr_build_open_if(
		code, vkr_build_binary(code, SpvOpLogicalAnd, boolean, is_short, logs));
	write_take(code, emit_sum(code, words, vkr_build_number(code, VKR_CHUNK_HEADER_WORDS)));
	vkr_build_close_if(code, merge);
	vkr_build_close_function(code);
}

void vkr_log_column_log_common(struct vkr_log_code *code, const struct vkr_block_source *source)
{
	write_begin(code, source);
	if (code->analysis->streams)
		vkr_log_stream_finish(code);
	else
		write_make_room(code);
}

void vkr_log_column_log_record(struct vkr_log_code *code, const uint32_t *words, uint32_t count,
			       bool seldom)
{
	uint32_t u = code->maker->uint_type;
	if (code->analysis->streams) {
		vkr_log_stream_record(code, words + 1, count - 1);
		return;
	}
	uint32_t left = vkr_build_load(code, u, code->left);
	uint32_t pairs = vkr_build_number(code, (count + 1) / 2);
	uint32_t merge = vkr_build_open_if(code, vkr_build_binary(code, SpvOpINotEqual,
								  code->types.bool_type, left,
								  vkr_build_number(code, 0)));
	uint32_t cursor = vkr_build_load(code, u, code->cursor);
	uint32_t pitch = vkr_build_load(code, u, code->pitch);
	if (count > 2 || (count > 1 && !seldom))
		vkr_build_store_record(code, vkr_build_log_origin(code), cursor, pitch, words,
				       count);
	else
		vkr_build_store_words(
			code, vkr_build_log_origin(code), cursor, pitch,
			(const uint32_t[]){words[0],
					   count > 1 ? words[1] : vkr_build_number(code, 0)},
			2);
	vkr_build_store(code, code->cursor,
			emit_sum(code, cursor, log_columns_product(code, pitch, pairs)));
	vkr_build_store(code, code->left, vkr_build_binary(code, SpvOpISub, u, left, pairs));
	vkr_build_close_if(code, merge);
}
