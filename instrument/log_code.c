// SPDX-License-Identifier: Apache-2.0
#include "log_code.h"

#include "array.h"
#include "fragment_end.h"
#include "log_build.h"
#include "log_columns.h"
#include "log_readers.h"
#include "log_shared.h"
#include "log_texel_marks.h"

#include <assert.h>
#include <stdlib.h>

#define BLOCK_ROOM      VKR_WORD_OF(vkr_gpu_block, room)
#define BLOCK_MARKS     VKR_WORD_OF(vkr_gpu_block, marks)
#define BLOCK_DRAW      VKR_WORD_OF(vkr_gpu_block, draw)
#define CELL_LOG        VKR_WORD_OF(vkr_gpu_cell, log)
#define CELL_GENERATION VKR_WORD_OF(vkr_gpu_cell, generation)

// A chunk of this many words stops growing.
#define CHUNK_WORDS_MOST 256u

// A block that is nothing but a runtime array.
static uint32_t make_list(struct vkr_maker *maker, uint32_t element, uint32_t stride)
{
	uint32_t array = vkr_maker_id(maker), structure = vkr_maker_id(maker);
	VKR_PUT(&maker->globals, SpvOpTypeRuntimeArray, array, element);
	VKR_PUT(&maker->globals, SpvOpTypeStruct, structure, array);
	VKR_PUT(&maker->annotations, SpvOpDecorate, array, SpvDecorationArrayStride, stride);
	VKR_PUT(&maker->annotations, SpvOpDecorate, structure, SpvDecorationBlock);
	VKR_PUT(&maker->annotations, SpvOpMemberDecorate, structure, 0, SpvDecorationOffset, 0);
	return structure;
}

// Chunks: what stages without a grid of workgroups log into.
static void make_chunks(struct vkr_log_code *code)
{
	const struct vkr_analysis *analysis = code->analysis;
	struct vkr_maker *maker = code->maker;
	uint32_t u = maker->uint_type;
	if (!analysis->shares) { // else the log is looked for where a chunk is taken
		if (code->base)
			code->offset = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
		code->capacity = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
		code->command = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
	}
	code->end = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
	vkr_identity_make(&code->inputs);
	if (analysis->has_run_lengths)
		code->iterations = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
	if (analysis->chunks_grow)
		code->chunk = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
	if (analysis->marks || analysis->texel_sites) {
		code->shared_reads.block = vkr_maker_variable(maker, SpvStorageClassPrivate,
							      vkr_build_place_type(code), 0);
		code->shared_reads.marks = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
		code->shared_reads.generation =
			vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
		code->shared_reads.needed = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
	}
	if (analysis->texel_sites)
		vkr_log_texels_init(code);
	if (analysis->chunks_grow || analysis->identity & VKR_IDENTITY_END || analysis->marks ||
	    analysis->texel_sites || analysis->shares)
		code->first = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
	if (analysis->shares)
		vkr_log_shared_make(code);
	if (analysis->identity & VKR_IDENTITY_END)
		vkr_fragment_end_make(code);
	if (analysis->identity & VKR_IDENTITY_NUMBER)
		code->number = vkr_maker_variable(maker, SpvStorageClassWorkgroup, u, 0);
	code->local_index = vkr_identity_variable(&code->inputs, VKR_IDENTITY_LOCAL);
	if (analysis->has_helpers)
		code->helper =
			vkr_input_make(&code->inputs, SpvBuiltInHelperInvocation, VKR_INPUT_BOOL);
}

void vkr_log_code_init(struct vkr_log_code *code, struct vkr_maker *maker,
		       const struct vkr_analysis *analysis, bool needs_groups)
{
	uint32_t u = maker->uint_type;
	*code = (struct vkr_log_code){
		.maker = maker, .analysis = analysis, .needs_groups = needs_groups};
	code->types.void_type = vkr_maker_type(maker, SpvOpTypeVoid, NULL, 0);
	code->types.bool_type = vkr_maker_type(maker, SpvOpTypeBool, NULL, 0);
	code->types.uvec2 = vkr_maker_vector(maker, u, 2);
	code->types.uvec3 = vkr_maker_vector(maker, u, 3);
	SpvStorageClass physical = SpvStorageClassPhysicalStorageBuffer;
	code->types.words_pointer = vkr_maker_pointer(maker, physical, make_list(maker, u, 4));
	code->types.word_pointer = vkr_maker_pointer(maker, physical, u);
	code->types.pairs_pointer =
		vkr_maker_pointer(maker, physical, make_list(maker, code->types.words_pointer, 8));
	code->types.pair_pointer = vkr_maker_pointer(maker, physical, code->types.words_pointer);
	vkr_build_log_base(code);
	if (!code->base)
		code->log = vkr_maker_variable(maker, SpvStorageClassPrivate, code->types.uvec2, 0);
	code->cursor = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
	code->inputs = (struct vkr_inputs){.maker = maker, .analysis = analysis};
	if (analysis->identity)
		make_chunks(code);
	else
		vkr_log_column_log_init(code);
	if (analysis->tells_subgroups)
		code->inputs.subgroup =
			vkr_input_make(&code->inputs, SpvBuiltInSubgroupId, VKR_INPUT_UINT);
	code->begin = vkr_maker_id(maker);
	code->make_room = vkr_maker_id(maker);
}

void vkr_log_code_finish(struct vkr_log_code *code)
{
	free(code->functions.items);
	free(code->logs.items);
}

void vkr_log_code_stop(struct vkr_log_code *code, struct vkr_spirv_words *words)
{
	if (code->analysis->identity)
		VKR_PUT(words, SpvOpStore, code->end,
			vkr_maker_uint(code->maker, VKR_LOG_END_NONE));
	else
		VKR_PUT(words, SpvOpStore, code->left, vkr_maker_uint(code->maker, 0));
}

void vkr_log_code_iteration(struct vkr_log_code *code, struct vkr_spirv_words *words)
{
	const uint32_t u = code->maker->uint_type, more = vkr_maker_id(code->maker);
	const uint32_t iterations = vkr_maker_id(code->maker);
	VKR_PUT(words, SpvOpLoad, u, iterations, code->iterations);
	VKR_PUT(words, SpvOpIAdd, u, more, iterations, vkr_maker_uint(code->maker, 1));
	VKR_PUT(words, SpvOpStore, code->iterations, more);
}

uint32_t vkr_log_code_iterations(struct vkr_log_code *code, struct vkr_spirv_words *words)
{
	const uint32_t iterations = vkr_maker_id(code->maker);
	VKR_PUT(words, SpvOpLoad, code->maker->uint_type, iterations, code->iterations);
	VKR_PUT(words, SpvOpStore, code->iterations, vkr_maker_uint(code->maker, 0));
	return iterations;
}

// Memory operands for Workgroup memory through which the workgroup's invocations exchange words.
static uint32_t shared_operands(const struct vkr_log_code *code)
{
	return code->analysis->is_legacy ? SpvMemoryAccessMaskNone
					 : SpvMemoryAccessNonPrivatePointerMask;
}

static uint32_t load_number(struct vkr_log_code *code)
{
	uint32_t value = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpLoad, code->maker->uint_type, value, code->number,
		shared_operands(code));
	return value;
}

// Whether begin has found a log.
static uint32_t has_log(struct vkr_log_code *code)
{
	if (!code->offset)
		return vkr_build_is_address(code,
					    vkr_build_load(code, code->types.uvec2, code->log));
	return vkr_build_binary(code, SpvOpINotEqual, code->types.bool_type,
				vkr_build_load(code, code->maker->uint_type, code->offset),
				vkr_build_number(code, VKR_LOG_END_NONE));
}

// One invocation takes the workgroup's number and passes it to the others, at main's start: there,
// control flow is uniform. Drivers do not reach an agreement by Workgroup memory that starts as
// zeros: lavapipe zeroes that of compute shaders only.
static void write_number(struct vkr_log_code *code)
{
	uint32_t u = code->maker->uint_type;
	uint32_t semantics =
		SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask;
	uint32_t local = vkr_build_load_input(code, code->local_index, VKR_INPUT_UINT);
	uint32_t is_first = vkr_build_binary(code, SpvOpIEqual, code->types.bool_type, local,
					     vkr_build_number(code, 0));
	uint32_t merge = vkr_build_open_if(code, vkr_build_binary(code, SpvOpLogicalAnd,
								  code->types.bool_type, is_first,
								  has_log(code)));
	uint32_t before = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpAtomicIAdd, u, before,
		vkr_build_log_at(code, vkr_build_number(code, VKR_LOG_NUMBERS)),
		vkr_build_log_scope(code), vkr_build_number(code, SpvMemorySemanticsMaskNone),
		vkr_build_number(code, 1));
	VKR_PUT(&code->functions, SpvOpStore, code->number,
		vkr_build_binary(code, SpvOpIAdd, u, before, vkr_build_number(code, 1)),
		shared_operands(code));
	vkr_build_close_if(code, merge);
	if (!code->analysis->is_legacy)
		semantics |=
			SpvMemorySemanticsMakeAvailableMask | SpvMemorySemanticsMakeVisibleMask;
	VKR_PUT(&code->functions, SpvOpControlBarrier, vkr_build_number(code, SpvScopeWorkgroup),
		vkr_build_number(code, SpvScopeWorkgroup), vkr_build_number(code, semantics));
}

// The next chunk's size. Where chunks grow: twice the last one's, up to a most, so that invocations
// that do little take little, and others seldom pay for a chunk.
static uint32_t write_growth(struct vkr_log_code *code, uint32_t least)
{
	uint32_t u = code->maker->uint_type;
	if (!code->chunk)
		return least;
	uint32_t size = vkr_build_load(code, u, code->chunk);
	uint32_t doubled = vkr_build_binary(code, SpvOpIAdd, u, size, size);
	uint32_t is_most = vkr_build_binary(code, SpvOpUGreaterThanEqual, code->types.bool_type,
					    size, vkr_build_number(code, CHUNK_WORDS_MOST));
	uint32_t next = vkr_maker_id(code->maker), enough = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpSelect, u, next, is_most, size, doubled);
	vkr_build_store(code, code->chunk, next);
	uint32_t is_enough =
		vkr_build_binary(code, SpvOpUGreaterThanEqual, code->types.bool_type, size, least);
	VKR_PUT(&code->functions, SpvOpSelect, u, enough, is_enough, size, least);
	return enough;
}

// The index of the invocation's first chunk, `at` where this is it.
static uint32_t first_chunk(struct vkr_log_code *code, uint32_t at)
{
	uint32_t u = code->maker->uint_type;
	if (!code->first)
		return at;
	uint32_t known = vkr_build_load(code, u, code->first);
	uint32_t is_new = vkr_build_binary(code, SpvOpIEqual, code->types.bool_type, known,
					   vkr_build_number(code, 0));
	uint32_t first = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpSelect, u, first, is_new, at, known);
	vkr_build_store(code, code->first, first);
	return first;
}

// Of the chunk that begins at the log's word `at`.
static void write_header(struct vkr_log_code *code, uint32_t at, uint32_t size)
{
	uint32_t u = code->maker->uint_type;
	struct vkr_spirv_words words = {0};
	const uint32_t header[VKR_CHUNK_HEADER_WORDS] = {
		vkr_build_load(code, u, code->command), first_chunk(code, at),
		vkr_build_number(code, vkr_analysis_shader_word(code->analysis)), size};
	vkr_spirv_words_raw(&words, header, VKR_CHUNK_HEADER_WORDS);
	vkr_identity_load(&code->inputs, &code->functions, code->number ? load_number(code) : 0,
			  &words);
	if (!words.failed)
		vkr_build_store_at(code, at, words.items, (uint32_t)words.count);
	code->functions.failed |= words.failed;
	free(words.items);
}

// Takes the next chunk, with room for at least so many words of records, or none any more.
static void write_take(struct vkr_log_code *code, uint32_t room)
{
	uint32_t u = code->maker->uint_type;
	const uint32_t header = code->analysis->header_words;
	if (code->analysis->shares) {
		vkr_log_shared_take(code, room);
		return;
	}
	uint32_t size = write_growth(
		code, vkr_build_binary(code, SpvOpIAdd, u, room, vkr_build_number(code, header)));
	uint32_t head = vkr_build_log_at(code, vkr_build_number(code, VKR_LOG_HEAD));
	uint32_t capacity = vkr_build_load(code, u, code->capacity);
	uint32_t at = vkr_build_move_head(code, head, size, capacity);
	uint32_t last = vkr_build_binary(code, SpvOpISub, u, capacity, size);
	uint32_t enough = vkr_build_binary(code, SpvOpUGreaterThanEqual, code->types.bool_type,
					   capacity, size);
	uint32_t before =
		vkr_build_binary(code, SpvOpULessThanEqual, code->types.bool_type, at, last);
	uint32_t fits =
		vkr_build_binary(code, SpvOpLogicalAnd, code->types.bool_type, enough, before);
	uint32_t start = vkr_build_log_word(code, at);
	uint32_t behind = vkr_build_binary(code, SpvOpIAdd, u, start, size);
	uint32_t end = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpSelect, u, end, fits, behind,
		vkr_build_number(code, VKR_LOG_END_NONE));
	vkr_build_store(code, code->end, end);
	vkr_build_store(
		code, code->cursor,
		vkr_build_binary(code, SpvOpIAdd, u, start, vkr_build_number(code, header)));
	uint32_t merge = vkr_build_open_if(code, fits);
	write_header(code, at, size);
	vkr_build_close_if(code, merge);
}

// Takes the first chunk at once if the draw asks for it, with room up to the first reservation
// after it.
static void write_asked(struct vkr_log_code *code, uint32_t block)
{
	const struct vkr_analysis *analysis = code->analysis;
	uint32_t bits = vkr_build_binary(code, SpvOpBitwiseAnd, code->maker->uint_type,
					 vkr_build_load_word(code, block, BLOCK_ROOM),
					 vkr_build_number(code, analysis->options->stage));
	uint32_t is_asked = vkr_build_binary(code, SpvOpINotEqual, code->types.bool_type, bits,
					     vkr_build_number(code, 0));
	uint32_t merge = vkr_build_open_if(code, vkr_build_binary(code, SpvOpLogicalAnd,
								  code->types.bool_type, is_asked,
								  vkr_build_alive(code)));
	if (analysis->shares && !analysis->shares_room)
		vkr_log_shared_place(code);
	else
		write_take(code, vkr_build_number(code, analysis->entry_room));
	vkr_build_close_if(code, merge);
}

// Where the stage's marks are.
static void write_marks(struct vkr_log_code *code, uint32_t block, uint32_t cell)
{
	const uint32_t slot = vkr_draw_marks_slot(code->analysis->options->stage);
	const uint32_t u = code->maker->uint_type, boolean = code->types.bool_type;
	const uint32_t marks = vkr_build_load_word(code, block, BLOCK_MARKS + slot);
	const uint32_t zero = vkr_build_number(code, 0);
	const uint32_t first = vkr_build_load_word(code, cell, CELL_GENERATION);
	const uint32_t is_some =
		vkr_build_binary(code, SpvOpLogicalAnd, boolean,
				 vkr_build_binary(code, SpvOpINotEqual, boolean, marks, zero),
				 vkr_build_binary(code, SpvOpINotEqual, boolean, first, zero));
	const uint32_t draw = vkr_build_load_word(code, block, BLOCK_DRAW);
	vkr_build_store(code, code->shared_reads.marks, marks);
	vkr_build_store(code, code->shared_reads.needed, zero);
	vkr_build_store(code, code->shared_reads.generation,
			vkr_build_select(code, u, is_some,
					 vkr_build_binary(code, SpvOpIAdd, u, first, draw), zero));
	if (code->analysis->texel_sites)
		vkr_log_texels_begin(code, cell, is_some);
}

// Where the log is, at an address; is_there (bool), 0: it is not.
static void note_log(struct vkr_log_code *code, uint32_t log, uint32_t is_there)
{
	const uint32_t u = code->maker->uint_type;
	const uint32_t none = vkr_build_number(code, VKR_LOG_END_NONE);
	if (!code->base) {
		vkr_build_store(code, code->log, log);
		return;
	}
	if (!code->offset)
		return;
	vkr_build_store(code, code->offset,
			is_there ? vkr_build_select(code, u, is_there,
						    vkr_build_words_behind_base(code, log), none)
				 : none);
}

// A place of zeros, which drivers have been seen to make of ours, leads to no log.
static void write_nowhere(struct vkr_log_code *code, const struct vkr_block_source *source)
{
	const uint32_t zero = vkr_build_number(code, 0);
	uint32_t block = 0;
	const uint32_t merge = vkr_build_open_nowhere(code, source, &block);
	note_log(code, block, 0);
	if (code->capacity)
		vkr_build_store(code, code->capacity, zero);
	if (code->command)
		vkr_build_store(code, code->command, zero);
	vkr_build_store(code, code->end, vkr_build_number(code, VKR_LOG_END_NONE));
	vkr_build_store(code, code->cursor, zero);
	vkr_log_shared_begin(code);
	if (code->chunk)
		vkr_build_store(code, code->chunk,
				vkr_build_number(code, code->analysis->chunk_words));
	if (code->shared_reads.marks) {
		vkr_build_store(code, code->shared_reads.block, vkr_build_block(code, source));
		vkr_build_store(code, code->shared_reads.marks, zero);
		vkr_build_store(code, code->shared_reads.generation, zero);
		vkr_build_store(code, code->shared_reads.needed, zero);
	}
	if (code->analysis->texel_sites)
		vkr_log_texels_nowhere(code);
	if (code->first)
		vkr_build_store(code, code->first, zero);
	if (code->iterations)
		vkr_build_store(code, code->iterations, zero);
	vkr_build_return_if(code, merge);
}

// Reads where the log is. `end` is 0 where there is one.
static void write_cell(struct vkr_log_code *code, uint32_t block, uint32_t cell)
{
	uint32_t u = code->maker->uint_type;
	uint32_t log = vkr_build_load_pair(code, cell, CELL_LOG);
	uint32_t rest = vkr_build_load_pair(code, cell, VKR_CELL_CAPACITY);
	uint32_t is_there = vkr_build_is_address(code, log);
	if (code->base)
		is_there = vkr_build_binary(code, SpvOpLogicalAnd, code->types.bool_type, is_there,
					    vkr_build_in_reach(code, log));
	note_log(code, log, is_there);
	uint32_t own = vkr_build_load_word(code, block, VKR_BLOCK_COMMAND);
	uint32_t sum =
		vkr_build_binary(code, SpvOpIAdd, u, own, vkr_build_component(code, rest, 1));
	vkr_build_store(code, code->capacity, vkr_build_component(code, rest, 0));
	vkr_build_store(code, code->command,
			vkr_build_binary(code, SpvOpIAdd, u, sum, vkr_build_number(code, 1)));
	if (code->shared_reads.marks)
		write_marks(code, block, cell);
	vkr_build_store(code, code->end,
			vkr_build_select(code, u, is_there, vkr_build_number(code, 0),
					 vkr_build_number(code, VKR_LOG_END_NONE)));
}

// Of what shares chunks, one invocation reads it for all, where it is needed before chunks are
// taken.
static void write_cell_shared(struct vkr_log_code *code, uint32_t block, uint32_t cell)
{
	vkr_build_store(code, code->end, vkr_build_number(code, 0));
	if (code->base && !code->shared_reads.marks)
		return;
	const uint32_t first = vkr_log_shared_open_first(code);
	if (!code->base)
		vkr_build_store(code, code->log, vkr_build_load_pair(code, cell, CELL_LOG));
	if (code->shared_reads.marks)
		write_marks(code, block, cell);
	vkr_log_shared_close_first(code, first);
}

// begin: block, cell -> log, once an invocation.
static void write_begin(struct vkr_log_code *code, const struct vkr_block_source *source)
{
	vkr_build_open_function(code, code->begin, 0);
	VKR_PUT(&code->functions, SpvOpLabel, vkr_maker_id(code->maker));
	write_nowhere(code, source);
	uint32_t block = vkr_build_block(code, source);
	uint32_t cell = vkr_build_cell(code, source);
	if (code->shared_reads.marks)
		vkr_build_store(code, code->shared_reads.block, block);
	if (code->analysis->shares)
		write_cell_shared(code, block, cell);
	else
		write_cell(code, block, cell);
	if (code->helper) {
		const uint32_t helper = vkr_build_load_input(code, code->helper, VKR_INPUT_BOOL);
		const uint32_t end = vkr_build_load(code, code->maker->uint_type, code->end);
		vkr_build_store(code, code->end,
				vkr_build_select(code, code->maker->uint_type, helper,
						 vkr_build_number(code, VKR_LOG_END_NONE), end));
	}
	vkr_build_store(code, code->cursor, vkr_build_number(code, 0));
	vkr_log_shared_begin(code);
	if (code->chunk)
		vkr_build_store(code, code->chunk,
				vkr_build_number(code, code->analysis->chunk_words));
	if (code->first)
		vkr_build_store(code, code->first, vkr_build_number(code, 0));
	if (code->iterations)
		vkr_build_store(code, code->iterations, vkr_build_number(code, 0));
	if (code->analysis->asks)
		write_asked(code, block);
	if (code->number)
		write_number(code);
	vkr_build_close_function(code);
}

// make_room(words): takes a chunk where the last one has less room left. An invocation that logs
// nothing any more has its `end` beyond every cursor.
static void write_make_room(struct vkr_log_code *code)
{
	uint32_t u = code->maker->uint_type;
	uint32_t words = vkr_maker_id(code->maker);
	vkr_build_open_function(code, code->make_room, 1);
	VKR_PUT(&code->functions, SpvOpFunctionParameter, u, words);
	VKR_PUT(&code->functions, SpvOpLabel, vkr_maker_id(code->maker));
	uint32_t end = vkr_build_load(code, u, code->end);
	uint32_t more = code->sharing.step
				? vkr_build_binary(code, SpvOpIMul, u, words,
						   vkr_build_load(code, u, code->sharing.step))
				: words;
	uint32_t behind =
		vkr_build_binary(code, SpvOpIAdd, u, vkr_build_load(code, u, code->cursor), more);
	uint32_t merge =
		vkr_build_open_if(code, vkr_build_binary(code, SpvOpUGreaterThan,
							 code->types.bool_type, behind, end));
	write_take(code, words);
	vkr_build_close_if(code, merge);
	vkr_build_close_function(code);
}

void vkr_log_code_common(struct vkr_log_code *code, const struct vkr_block_source *source)
{
	if (!code->analysis->identity) {
		vkr_log_column_log_common(code, source);
		return;
	}
	code->source = source;
	write_begin(code, source);
	if (!code->analysis->shares || code->analysis->shares_room)
		write_make_room(code);
	if (code->finish)
		vkr_fragment_end_write(code);
}

// Stores a record at the cursor and moves it on, to an even word.
static void write_record(struct vkr_log_code *code, const uint32_t *words, uint32_t count)
{
	uint32_t u = code->maker->uint_type;
	if (code->sharing.step) {
		vkr_log_shared_fill(code, words, count);
		return;
	}
	uint32_t cursor = vkr_build_load(code, u, code->cursor);
	uint32_t first = vkr_build_binary(code, SpvOpShiftRightLogical, u, cursor,
					  vkr_build_number(code, 1));
	vkr_build_store_record(code, vkr_build_log_origin(code), first, vkr_build_number(code, 1),
			       words, count);
	vkr_build_store(code, code->cursor,
			vkr_build_binary(code, SpvOpIAdd, u, cursor,
					 vkr_build_number(code, count + count % 2)));
}

uint32_t vkr_log_code_call(struct vkr_log_code *code)
{
	uint32_t u = code->maker->uint_type;
	if (code->call)
		return code->call;
	code->call = vkr_maker_id(code->maker);
	uint32_t segment = vkr_maker_id(code->maker), head = vkr_maker_id(code->maker);
	vkr_build_open_function(code, code->call, 1);
	VKR_PUT(&code->functions, SpvOpFunctionParameter, u, segment);
	VKR_PUT(&code->functions, SpvOpLabel, vkr_maker_id(code->maker));
	uint32_t merge = vkr_build_open_if(code, vkr_build_alive(code));
	VKR_PUT(&code->functions, SpvOpAtomicLoad, u, head,
		vkr_build_log_at(code, vkr_build_number(code, VKR_LOG_HEAD)),
		vkr_build_log_scope(code), vkr_build_number(code, SpvMemorySemanticsMaskNone));
	write_record(code, (const uint32_t[]){segment, head}, 2);
	vkr_build_close_if(code, merge);
	vkr_build_close_function(code);
	return code->call;
}

// Writes a record for which no room was made: what was made for others stays.
static void write_roomy(struct vkr_log_code *code, const uint32_t *words, uint32_t count)
{
	const uint32_t room = count + count % 2 + code->analysis->most_room;
	VKR_PUT(&code->functions, SpvOpFunctionCall, code->types.void_type,
		vkr_maker_id(code->maker), code->make_room, vkr_build_number(code, room));
	const uint32_t merge = vkr_build_open_if(code, vkr_build_alive(code));
	write_record(code, words, count);
	vkr_build_close_if(code, merge);
}

// Sets a mark that was found unset. Whether the record is needed: of several invocations that do so
// at once, it is for one, or for all where exchanges are costly and few come at once.
static uint32_t set_mark(struct vkr_log_code *code, uint32_t place, uint32_t before)
{
	const uint32_t u = code->maker->uint_type, one = vkr_build_number(code, 1);
	const uint32_t relaxed = vkr_build_number(code, SpvMemorySemanticsMaskNone);
	const uint32_t generation = vkr_build_load(code, u, code->shared_reads.generation);
	const uint32_t found = vkr_maker_id(code->maker);
	if (!code->analysis->options->exchanges) {
		VKR_PUT(&code->functions, SpvOpAtomicStore, place, vkr_build_log_scope(code),
			relaxed, generation);
		return one;
	}
	VKR_PUT(&code->functions, SpvOpAtomicExchange, u, found, place, vkr_build_log_scope(code),
		relaxed, generation);
	return vkr_build_select(
		code, u,
		vkr_build_binary(code, SpvOpINotEqual, code->types.bool_type, found, generation),
		one, before);
}

static void write_mark(struct vkr_log_code *code, uint32_t mark)
{
	const uint32_t u = code->maker->uint_type, boolean = code->types.bool_type;
	const uint32_t zero = vkr_build_number(code, 0), one = vkr_build_number(code, 1);
	const uint32_t generation = vkr_build_load(code, u, code->shared_reads.generation);
	const uint32_t before = vkr_build_load(code, u, code->shared_reads.needed);
	const uint32_t has_mark =
		vkr_build_binary(code, SpvOpLogicalAnd, boolean,
				 vkr_build_binary(code, SpvOpINotEqual, boolean, mark, zero),
				 vkr_build_binary(code, SpvOpINotEqual, boolean, generation, zero));
	const uint32_t place = vkr_build_place_at(
		code, vkr_build_load(code, vkr_build_place_type(code), code->shared_reads.block),
		vkr_build_binary(code, SpvOpIAdd, u,
				 vkr_build_load(code, u, code->shared_reads.marks),
				 vkr_build_select(code, u, has_mark, mark, zero)));
	const uint32_t seen = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpLoad, u, seen, place, SpvMemoryAccessAlignedMask, 4);
	const uint32_t is_unset = vkr_build_binary(code, SpvOpINotEqual, boolean, seen, generation);
	vkr_build_store(code, code->shared_reads.needed,
			vkr_build_select(code, u, has_mark, before, one));
	const uint32_t marking = vkr_build_open_if(
		code, vkr_build_binary(code, SpvOpLogicalAnd, boolean, has_mark, is_unset));
	vkr_build_store(code, code->shared_reads.needed, set_mark(code, place, before));
	vkr_build_close_if(code, marking);
}

uint32_t vkr_log_code_mark(struct vkr_log_code *code)
{
	if (code->shared_reads.mark)
		return code->shared_reads.mark;
	code->shared_reads.mark = vkr_maker_id(code->maker);
	const uint32_t mark = vkr_maker_id(code->maker);
	vkr_build_open_function(code, code->shared_reads.mark, 1);
	VKR_PUT(&code->functions, SpvOpFunctionParameter, code->maker->uint_type, mark);
	VKR_PUT(&code->functions, SpvOpLabel, vkr_maker_id(code->maker));
	const uint32_t merge = vkr_build_open_if(code, vkr_build_alive(code));
	write_mark(code, mark);
	vkr_build_close_if(code, merge);
	vkr_build_close_function(code);
	return code->shared_reads.mark;
}

// Opens `if (the record is needed) {`. The next one is not needed yet.
static uint32_t open_needed(struct vkr_log_code *code)
{
	const uint32_t zero = vkr_build_number(code, 0), boolean = code->types.bool_type;
	const uint32_t needed =
		vkr_build_load(code, code->maker->uint_type, code->shared_reads.needed);
	vkr_build_store(code, code->shared_reads.needed, zero);
	return vkr_build_open_if(
		code,
		vkr_build_binary(code, SpvOpLogicalAnd, boolean, vkr_build_alive(code),
				 vkr_build_binary(code, SpvOpINotEqual, boolean, needed, zero)));
}

// Of a stage without a grid of workgroups.
static void write_chunk_log(struct vkr_log_code *code, enum vkr_log_kind kind,
			    const uint32_t *parameters, uint32_t record)
{
	const uint32_t merge = kind == VKR_LOG_NEEDED
				       ? open_needed(code)
				       : vkr_build_open_if(code, vkr_build_alive(code));
	if (code->analysis->shares && !code->analysis->shares_room)
		vkr_log_shared_record(code, parameters, record, kind == VKR_LOG_NEEDED);
	else if (kind == VKR_LOG_NEEDED)
		write_roomy(code, parameters, record);
	else
		write_record(code, parameters, record);
	vkr_build_close_if(code, merge);
}

static void write_log(struct vkr_log_code *code, const struct vkr_log_function *function,
		      const uint32_t *parameters)
{
	uint32_t u = code->maker->uint_type, record = function->words + 1;
	const uint32_t marks = function->kind == VKR_LOG_UNMARKED ? 1 : 0;
	vkr_build_open_function(code, function->id, marks + record);
	for (uint32_t i = 0; i < marks + record; i++)
		VKR_PUT(&code->functions, SpvOpFunctionParameter, u, parameters[i]);
	VKR_PUT(&code->functions, SpvOpLabel, vkr_maker_id(code->maker));
	if (code->analysis->identity) {
		write_chunk_log(code, function->kind, parameters, record);
	} else {
		const uint32_t wanted = marks ? vkr_log_readers_open(code, parameters[0]) : 0;
		vkr_log_column_log_record(code, parameters + marks, record, marks);
		if (marks)
			vkr_build_close_if(code, wanted);
	}
	vkr_build_close_function(code);
}

uint32_t vkr_log_code_function(struct vkr_log_code *code, uint32_t words, enum vkr_log_kind kind)
{
	for (size_t i = 0; i < code->logs.count; i++)
		if (code->logs.items[i].words == words && code->logs.items[i].kind == kind)
			return code->logs.items[i].id;
	const uint32_t count = words + (kind == VKR_LOG_UNMARKED ? 2u : 1u);
	uint32_t *parameters = calloc(count, sizeof *parameters);
	if (!parameters || !VKR_ARRAY_RESERVE(&code->logs, 1)) {
		code->functions.failed = true;
		free(parameters);
		return 0;
	}
	struct vkr_log_function *function = &code->logs.items[code->logs.count++];
	*function = (struct vkr_log_function){words, kind, vkr_maker_id(code->maker)};
	for (uint32_t i = 0; i < count; i++)
		parameters[i] = vkr_maker_id(code->maker);
	write_log(code, function, parameters);
	free(parameters);
	return function->id;
}
