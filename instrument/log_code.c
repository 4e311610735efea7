// SPDX-License-Identifier: Apache-2.0
#include "log_code.h"

#include "array.h"
#include "vkrace/gpu_log.h"

#include <assert.h>
#include <stdlib.h>

// `end` of an invocation that logs nothing (any more): the host gave no log, or it is full.
#define END_NONE UINT32_MAX

// Word indices in struct vkr_gpu_block and struct vkr_gpu_cell.
#define WORD_OF(structure, member) ((uint32_t)(offsetof(struct structure, member) / 4))
#define BLOCK_CELL                 WORD_OF(vkr_gpu_block, cell)
#define BLOCK_COMMAND              WORD_OF(vkr_gpu_block, command)
#define BLOCK_GROUPS               WORD_OF(vkr_gpu_block, groups)
#define CELL_LOG                   WORD_OF(vkr_gpu_cell, log)
#define CELL_CAPACITY              WORD_OF(vkr_gpu_cell, capacity) // and command_base behind it

// A chunk of this many words stops growing.
#define CHUNK_WORDS_MOST 256u

static_assert(CELL_CAPACITY + 1 == WORD_OF(vkr_gpu_cell, command_base), "read as a pair");

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

static void make_inputs(struct vkr_log_code *code)
{
	const struct vkr_survey *survey = code->survey;
	struct vkr_inputs *inputs = &code->inputs;
	*inputs = (struct vkr_inputs){.maker = code->maker, .survey = survey};
	if (survey->identity) {
		vkr_identity_make(inputs);
		if (survey->chunks_grow)
			code->first = vkr_maker_variable(code->maker, SpvStorageClassPrivate,
							 code->maker->uint_type, 0);
		if (survey->identity & VKR_IDENTITY_NUMBER)
			code->number = vkr_maker_variable(code->maker, SpvStorageClassWorkgroup,
							  code->maker->uint_type, 0);
		code->local_index = vkr_identity_variable(inputs, VKR_IDENTITY_LOCAL);
		if (survey->has_helpers)
			code->helper =
				vkr_input_make(inputs, SpvBuiltInHelperInvocation, VKR_INPUT_BOOL);
		return;
	}
	code->workgroup =
		vkr_maker_variable(code->maker, SpvStorageClassPrivate, code->maker->uint_type, 0);
	code->workgroup_id = vkr_input_make(inputs, SpvBuiltInWorkgroupId, VKR_INPUT_UVEC3);
	code->num_workgroups = vkr_input_make(inputs, SpvBuiltInNumWorkgroups, VKR_INPUT_UVEC3);
	code->local_index = vkr_input_make(inputs, SpvBuiltInLocalInvocationIndex, VKR_INPUT_UINT);
}

void vkr_log_code_init(struct vkr_log_code *code, struct vkr_maker *maker,
		       const struct vkr_survey *survey, bool needs_groups)
{
	uint32_t u = maker->uint_type;
	*code = (struct vkr_log_code){
		.maker = maker, .survey = survey, .needs_groups = needs_groups};
	code->void_type = vkr_maker_type(maker, SpvOpTypeVoid, NULL, 0);
	code->bool_type = vkr_maker_type(maker, SpvOpTypeBool, NULL, 0);
	code->uvec2 = vkr_maker_vector(maker, u, 2);
	code->uvec3 = vkr_maker_vector(maker, u, 3);
	SpvStorageClass physical = SpvStorageClassPhysicalStorageBuffer;
	code->words_pointer = vkr_maker_pointer(maker, physical, make_list(maker, u, 4));
	code->word_pointer = vkr_maker_pointer(maker, physical, u);
	code->pairs_pointer =
		vkr_maker_pointer(maker, physical, make_list(maker, code->words_pointer, 8));
	code->pair_pointer = vkr_maker_pointer(maker, physical, code->words_pointer);
	code->log = vkr_maker_variable(maker, SpvStorageClassPrivate, code->uvec2, 0);
	code->capacity = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
	code->command = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
	code->cursor = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
	code->end = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
	if (survey->chunks_grow)
		code->chunk = vkr_maker_variable(maker, SpvStorageClassPrivate, u, 0);
	if (needs_groups)
		code->groups = vkr_maker_variable(maker, SpvStorageClassPrivate, code->uvec3, 0);
	make_inputs(code);
	code->begin = vkr_maker_id(maker);
	code->make_room = vkr_maker_id(maker);
}

void vkr_log_code_finish(struct vkr_log_code *code)
{
	free(code->functions.items);
	free(code->logs.items);
}

void vkr_log_code_stop(struct vkr_log_code *code, struct vkr_words *words)
{
	VKR_PUT(words, SpvOpStore, code->end, vkr_maker_uint(code->maker, END_NONE));
}

// Small instructions with a new result id.
static uint32_t unary(struct vkr_log_code *code, SpvOp opcode, uint32_t type, uint32_t a)
{
	uint32_t id = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, opcode, type, id, a);
	return id;
}

static uint32_t binary(struct vkr_log_code *code, SpvOp opcode, uint32_t type, uint32_t a,
		       uint32_t b)
{
	uint32_t id = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, opcode, type, id, a, b);
	return id;
}

static uint32_t number(struct vkr_log_code *code, uint32_t value)
{
	return vkr_maker_uint(code->maker, value);
}

static uint32_t load(struct vkr_log_code *code, uint32_t type, uint32_t pointer)
{
	return unary(code, SpvOpLoad, type, pointer);
}

static void store(struct vkr_log_code *code, uint32_t pointer, uint32_t value)
{
	VKR_PUT(&code->functions, SpvOpStore, pointer, value);
}

// A pointer to word `index` of the words at an address (uvec2).
static uint32_t word_at(struct vkr_log_code *code, uint32_t address, uint32_t index)
{
	uint32_t base = unary(code, SpvOpBitcast, code->words_pointer, address);
	uint32_t id = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpAccessChain, code->word_pointer, id, base, number(code, 0),
		index);
	return id;
}

// A pair of words is read and written as one device address: the widest scalar that needs no
// further capability. CPU drivers run a loop over the lanes for each scalar of an access, so this
// halves the log's cost there. Not reached by casting a pointer to a pointer: SwiftShader knows
// casts between pointers and integers only.
static uint32_t pair_at(struct vkr_log_code *code, uint32_t address, uint32_t index)
{
	uint32_t base = unary(code, SpvOpBitcast, code->pairs_pointer, address);
	uint32_t id = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpAccessChain, code->pair_pointer, id, base, number(code, 0),
		index);
	return id;
}

// The words `index` (even) and `index + 1` behind an address.
static uint32_t load_pair(struct vkr_log_code *code, uint32_t address, uint32_t index)
{
	uint32_t pair = pair_at(code, address, number(code, index / 2));
	uint32_t value = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpLoad, code->words_pointer, value, pair,
		SpvMemoryAccessAlignedMask, 8);
	return unary(code, SpvOpBitcast, code->uvec2, value);
}

static uint32_t load_word(struct vkr_log_code *code, uint32_t address, uint32_t index)
{
	uint32_t pointer = word_at(code, address, number(code, index));
	uint32_t value = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpLoad, code->maker->uint_type, value, pointer,
		SpvMemoryAccessAlignedMask, 4);
	return value;
}

// Stores an even number of words from an even index on.
static void store_words(struct vkr_log_code *code, uint32_t log, uint32_t index,
			const uint32_t *words, uint32_t count)
{
	uint32_t u = code->maker->uint_type;
	uint32_t first = binary(code, SpvOpShiftRightLogical, u, index, number(code, 1));
	for (uint32_t at = 0; at < count; at += 2) {
		uint32_t position = first;
		if (at)
			position = binary(code, SpvOpIAdd, u, first, number(code, at / 2));
		uint32_t pair = pair_at(code, log, position);
		uint32_t both = binary(code, SpvOpCompositeConstruct, code->uvec2, words[at],
				       words[at + 1]);
		uint32_t value = unary(code, SpvOpBitcast, code->words_pointer, both);
		VKR_PUT(&code->functions, SpvOpStore, pair, value, SpvMemoryAccessAlignedMask, 8);
	}
}

// Opens `if (condition) {`; returns the merge label for close_if.
static uint32_t open_if(struct vkr_log_code *code, uint32_t condition)
{
	uint32_t then = vkr_maker_id(code->maker), merge = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpSelectionMerge, merge, SpvSelectionControlMaskNone);
	VKR_PUT(&code->functions, SpvOpBranchConditional, condition, then, merge);
	VKR_PUT(&code->functions, SpvOpLabel, then);
	return merge;
}

static void close_if(struct vkr_log_code *code, uint32_t merge)
{
	VKR_PUT(&code->functions, SpvOpBranch, merge);
	VKR_PUT(&code->functions, SpvOpLabel, merge);
}

static void open_function(struct vkr_log_code *code, uint32_t id, uint32_t parameters)
{
	struct vkr_words types = {0};
	vkr_words_raw(&types, &code->void_type, 1);
	for (uint32_t i = 0; i < parameters; i++)
		vkr_words_raw(&types, &code->maker->uint_type, 1);
	uint32_t type = 0;
	if (!types.failed)
		type = vkr_maker_type(code->maker, SpvOpTypeFunction, types.items, types.count);
	code->functions.failed |= types.failed;
	free(types.items);
	VKR_PUT(&code->functions, SpvOpFunction, code->void_type, id, SpvFunctionControlMaskNone,
		type);
}

static void close_function(struct vkr_log_code *code)
{
	vkr_words_put(&code->functions, SpvOpReturn, NULL, 0);
	vkr_words_put(&code->functions, SpvOpFunctionEnd, NULL, 0);
}

static uint32_t load_input(struct vkr_log_code *code, uint32_t variable, enum vkr_input_type type)
{
	return vkr_input_load(&code->inputs, &code->functions, variable, type);
}

static uint32_t component(struct vkr_log_code *code, uint32_t vector, uint32_t index)
{
	return binary(code, SpvOpCompositeExtract, code->maker->uint_type, vector, index);
}

// The whole dispatch's NumWorkgroups into code->groups, and the workgroup's linear index in it.
static void write_workgroup(struct vkr_log_code *code, uint32_t block)
{
	uint32_t u = code->maker->uint_type;
	uint32_t builtin = load_input(code, code->num_workgroups, VKR_INPUT_UVEC3);
	uint32_t given[3] = {0}, size[3] = {0};
	uint32_t axes = code->needs_groups ? 3 : 2;
	uint32_t plane_size = load_pair(code, block, BLOCK_GROUPS);
	given[0] = component(code, plane_size, 0);
	given[1] = component(code, plane_size, 1);
	if (code->needs_groups)
		given[2] = load_word(code, block, BLOCK_GROUPS + 2);
	uint32_t is_given =
		binary(code, SpvOpINotEqual, code->bool_type, given[0], number(code, 0));
	for (uint32_t axis = 0; axis < axes; axis++) {
		size[axis] = vkr_maker_id(code->maker);
		uint32_t own = component(code, builtin, axis);
		VKR_PUT(&code->functions, SpvOpSelect, u, size[axis], is_given, given[axis], own);
	}
	if (code->needs_groups) {
		uint32_t all = vkr_maker_id(code->maker);
		VKR_PUT(&code->functions, SpvOpCompositeConstruct, code->uvec3, all, size[0],
			size[1], size[2]);
		store(code, code->groups, all);
	}
	uint32_t id = load_input(code, code->workgroup_id, VKR_INPUT_UVEC3);
	uint32_t plane = binary(code, SpvOpIMul, u, size[1], component(code, id, 2));
	uint32_t row = binary(code, SpvOpIAdd, u, component(code, id, 1), plane);
	uint32_t rows = binary(code, SpvOpIMul, u, size[0], row);
	store(code, code->workgroup, binary(code, SpvOpIAdd, u, component(code, id, 0), rows));
}

// Memory operands of what the workgroup's invocations tell each other.
static uint32_t shared_operands(const struct vkr_log_code *code)
{
	return code->survey->is_legacy ? SpvMemoryAccessMaskNone
				       : SpvMemoryAccessNonPrivatePointerMask;
}

static uint32_t load_number(struct vkr_log_code *code)
{
	uint32_t value = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpLoad, code->maker->uint_type, value, code->number,
		shared_operands(code));
	return value;
}

// One invocation takes the workgroup's number and tells the others, at main's start: there, control
// flow is uniform. Drivers do not reach an agreement by Workgroup memory that starts as zeros:
// lavapipe zeroes that of compute shaders only.
static void write_number(struct vkr_log_code *code, uint32_t log, uint32_t is_some)
{
	uint32_t u = code->maker->uint_type;
	uint32_t semantics =
		SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsWorkgroupMemoryMask;
	SpvScope scope = code->survey->is_legacy ? SpvScopeDevice : SpvScopeQueueFamily;
	uint32_t local = load_input(code, code->local_index, VKR_INPUT_UINT);
	uint32_t is_first = binary(code, SpvOpIEqual, code->bool_type, local, number(code, 0));
	uint32_t merge =
		open_if(code, binary(code, SpvOpLogicalAnd, code->bool_type, is_first, is_some));
	uint32_t before = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpAtomicIAdd, u, before,
		word_at(code, log, number(code, VKR_LOG_NUMBERS)), number(code, (uint32_t)scope),
		number(code, SpvMemorySemanticsMaskNone), number(code, 1));
	VKR_PUT(&code->functions, SpvOpStore, code->number,
		binary(code, SpvOpIAdd, u, before, number(code, 1)), shared_operands(code));
	close_if(code, merge);
	if (!code->survey->is_legacy)
		semantics |=
			SpvMemorySemanticsMakeAvailableMask | SpvMemorySemanticsMakeVisibleMask;
	VKR_PUT(&code->functions, SpvOpControlBarrier, number(code, SpvScopeWorkgroup),
		number(code, SpvScopeWorkgroup), number(code, semantics));
}

// begin: block -> cell -> log, once an invocation.
static void write_begin(struct vkr_log_code *code, const struct vkr_block_source *source)
{
	uint32_t u = code->maker->uint_type;
	uint32_t member = vkr_maker_pointer(code->maker, source->storage_class, u);
	uint32_t half[2];
	open_function(code, code->begin, 0);
	VKR_PUT(&code->functions, SpvOpLabel, vkr_maker_id(code->maker));
	for (uint32_t i = 0; i < 2; i++)
		half[i] = load(code, u,
			       binary(code, SpvOpAccessChain, member, source->variable,
				      number(code, source->first_member + i)));
	uint32_t block = binary(code, SpvOpCompositeConstruct, code->uvec2, half[0], half[1]);
	uint32_t cell = load_pair(code, block, BLOCK_CELL);
	uint32_t log = load_pair(code, cell, CELL_LOG);
	uint32_t rest = load_pair(code, cell, CELL_CAPACITY);
	uint32_t own = load_word(code, block, BLOCK_COMMAND);
	uint32_t sum = binary(code, SpvOpIAdd, u, own, component(code, rest, 1));
	store(code, code->log, log);
	store(code, code->capacity, component(code, rest, 0));
	store(code, code->command, binary(code, SpvOpIAdd, u, sum, number(code, 1)));
	uint32_t bits =
		binary(code, SpvOpBitwiseOr, u, component(code, log, 0), component(code, log, 1));
	uint32_t is_some = binary(code, SpvOpINotEqual, code->bool_type, bits, number(code, 0));
	if (code->helper) {
		uint32_t is_real = unary(code, SpvOpLogicalNot, code->bool_type,
					 load_input(code, code->helper, VKR_INPUT_BOOL));
		is_some = binary(code, SpvOpLogicalAnd, code->bool_type, is_some, is_real);
	}
	store(code, code->end, number(code, END_NONE));
	// An invocation that begins when the log is full does not move the head, so that the head
	// cannot come round to 0 however many begin.
	uint32_t merge = open_if(code, is_some);
	uint32_t head = load_word(code, log, VKR_LOG_HEAD);
	uint32_t is_full =
		binary(code, SpvOpUGreaterThan, code->bool_type, head, component(code, rest, 0));
	uint32_t end = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpSelect, u, end, is_full, number(code, END_NONE),
		number(code, 0));
	store(code, code->end, end);
	close_if(code, merge);
	store(code, code->cursor, number(code, 0));
	if (code->chunk)
		store(code, code->chunk, number(code, code->survey->chunk_words));
	if (code->first)
		store(code, code->first, number(code, 0));
	if (code->workgroup)
		write_workgroup(code, block);
	if (code->number)
		write_number(code, log, is_some);
	close_function(code);
}

// The next chunk's size. Where chunks grow: twice the last one's, up to a most, so that invocations
// that do little take little, and others seldom pay for a chunk.
static uint32_t write_growth(struct vkr_log_code *code, uint32_t least)
{
	uint32_t u = code->maker->uint_type;
	if (!code->chunk)
		return least;
	uint32_t size = load(code, u, code->chunk);
	uint32_t doubled = binary(code, SpvOpIAdd, u, size, size);
	uint32_t is_most = binary(code, SpvOpUGreaterThanEqual, code->bool_type, size,
				  number(code, CHUNK_WORDS_MOST));
	uint32_t next = vkr_maker_id(code->maker), enough = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpSelect, u, next, is_most, size, doubled);
	store(code, code->chunk, next);
	uint32_t is_enough = binary(code, SpvOpUGreaterThanEqual, code->bool_type, size, least);
	VKR_PUT(&code->functions, SpvOpSelect, u, enough, is_enough, size, least);
	return enough;
}

// The index of the invocation's first chunk, `at` where this is it.
static uint32_t first_chunk(struct vkr_log_code *code, uint32_t at)
{
	uint32_t u = code->maker->uint_type;
	if (!code->first)
		return at;
	uint32_t known = load(code, u, code->first);
	uint32_t is_new = binary(code, SpvOpIEqual, code->bool_type, known, number(code, 0));
	uint32_t first = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpSelect, u, first, is_new, at, known);
	store(code, code->first, first);
	return first;
}

static void write_header(struct vkr_log_code *code, uint32_t log, uint32_t at, uint32_t size)
{
	uint32_t u = code->maker->uint_type;
	struct vkr_words words = {0};
	uint32_t who, where;
	if (code->survey->identity) {
		who = first_chunk(code, at);
		where = number(code, code->survey->options->stage);
	} else {
		who = load(code, u, code->workgroup);
		where = load_input(code, code->local_index, VKR_INPUT_UINT);
	}
	const uint32_t header[VKR_CHUNK_HEADER_WORDS] = {load(code, u, code->command), who, where,
							 size};
	vkr_words_raw(&words, header, VKR_CHUNK_HEADER_WORDS);
	vkr_identity_load(&code->inputs, &code->functions, code->number ? load_number(code) : 0,
			  &words);
	if (!words.failed)
		store_words(code, log, at, words.items, (uint32_t)words.count);
	code->functions.failed |= words.failed;
	free(words.items);
}

// Takes the next chunk, of at least so many words, or none any more.
static void write_take(struct vkr_log_code *code, uint32_t least)
{
	uint32_t u = code->maker->uint_type;
	uint32_t size = write_growth(code, least);
	uint32_t log = load(code, code->uvec2, code->log);
	uint32_t head = word_at(code, log, number(code, VKR_LOG_HEAD));
	uint32_t at = vkr_maker_id(code->maker);
	SpvScope scope = code->survey->is_legacy ? SpvScopeDevice : SpvScopeQueueFamily;
	VKR_PUT(&code->functions, SpvOpAtomicIAdd, u, at, head, number(code, (uint32_t)scope),
		number(code, SpvMemorySemanticsMaskNone), size);
	uint32_t capacity = load(code, u, code->capacity);
	uint32_t last = binary(code, SpvOpISub, u, capacity, size);
	uint32_t enough = binary(code, SpvOpUGreaterThanEqual, code->bool_type, capacity, size);
	uint32_t before = binary(code, SpvOpULessThanEqual, code->bool_type, at, last);
	uint32_t fits = binary(code, SpvOpLogicalAnd, code->bool_type, enough, before);
	uint32_t behind = binary(code, SpvOpIAdd, u, at, size);
	uint32_t end = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpSelect, u, end, fits, behind, number(code, END_NONE));
	store(code, code->end, end);
	store(code, code->cursor,
	      binary(code, SpvOpIAdd, u, at, number(code, code->survey->header_words)));
	uint32_t merge = open_if(code, fits);
	write_header(code, log, at, size);
	close_if(code, merge);
}

// make_room(words): takes a chunk where the last one has less room left. An invocation that logs
// nothing any more has its `end` beyond every cursor.
static void write_make_room(struct vkr_log_code *code)
{
	uint32_t u = code->maker->uint_type;
	uint32_t words = vkr_maker_id(code->maker);
	open_function(code, code->make_room, 1);
	VKR_PUT(&code->functions, SpvOpFunctionParameter, u, words);
	VKR_PUT(&code->functions, SpvOpLabel, vkr_maker_id(code->maker));
	uint32_t end = load(code, u, code->end);
	uint32_t behind = binary(code, SpvOpIAdd, u, load(code, u, code->cursor), words);
	uint32_t merge =
		open_if(code, binary(code, SpvOpUGreaterThan, code->bool_type, behind, end));
	write_take(code,
		   binary(code, SpvOpIAdd, u, words, number(code, code->survey->header_words)));
	close_if(code, merge);
	close_function(code);
}

void vkr_log_code_common(struct vkr_log_code *code, const struct vkr_block_source *source)
{
	write_begin(code, source);
	write_make_room(code);
}

static void write_log(struct vkr_log_code *code, const struct vkr_log_function *function,
		      const uint32_t *parameters)
{
	uint32_t u = code->maker->uint_type, record = function->words + 1;
	open_function(code, function->id, record);
	for (uint32_t i = 0; i < record; i++)
		VKR_PUT(&code->functions, SpvOpFunctionParameter, u, parameters[i]);
	VKR_PUT(&code->functions, SpvOpLabel, vkr_maker_id(code->maker));
	uint32_t alive = binary(code, SpvOpINotEqual, code->bool_type, load(code, u, code->end),
				number(code, END_NONE));
	uint32_t merge = open_if(code, alive);
	uint32_t cursor = load(code, u, code->cursor);
	store_words(code, load(code, code->uvec2, code->log), cursor, parameters, record);
	store(code, code->cursor, binary(code, SpvOpIAdd, u, cursor, number(code, record)));
	close_if(code, merge);
	close_function(code);
}

uint32_t vkr_log_code_function(struct vkr_log_code *code, uint32_t words)
{
	for (size_t i = 0; i < code->logs.count; i++) {
		if (code->logs.items[i].words == words)
			return code->logs.items[i].id;
	}
	uint32_t *parameters = calloc(words + 1u, sizeof *parameters);
	if (!parameters || !VKR_ARRAY_RESERVE(&code->logs, 1)) {
		code->functions.failed = true;
		free(parameters);
		return 0;
	}
	struct vkr_log_function *function = &code->logs.items[code->logs.count++];
	*function = (struct vkr_log_function){words, vkr_maker_id(code->maker)};
	for (uint32_t i = 0; i <= words; i++)
		parameters[i] = vkr_maker_id(code->maker);
	write_log(code, function, parameters);
	free(parameters);
	return function->id;
}
