// SPDX-License-Identifier: Apache-2.0
#include "log_shared.h"

#include "log_build.h"

#include <stdlib.h>

// CPU drivers go through the invocations of a subgroup one by one for each access to memory, vote
// and broadcast, and go through all code, whatever branches say: what one invocation can do for all
// is left to it, and as little as possible is passed on.

enum telling {
	TOLD_EACH,  // a word an invocation
	TOLD_ALIKE, // one for all if theirs are alike
	TOLD_EVEN,  // one for all, which stays 0
	TOLD_LATER, // as TOLD_EACH, at main's end
	TOLD_ROOM,  // as many words an invocation as it takes room for
};

struct column {
	enum telling told;
	uint32_t word;     // id: what the invocation tells
	uint32_t is_alike; // TOLD_ALIKE: id, whether one tells it
	uint32_t at;       // id: where it begins, in words behind the header
};

struct record {
	const uint32_t *words; // ids, of the segment's number first
	uint32_t count;
	uint32_t segment; // id of its number, a constant; of 0 where there are no words
	uint32_t room;    // id: words for records; 0: of this one
	bool is_rare;     // most often one invocation logs it
};

// A chunk that is being taken: ids.
struct taking {
	uint32_t is_first; // of the subgroup's invocations that take it
	uint32_t members;  // their number
	uint32_t rank;     // the invocation's number among them
	uint32_t at; // the chunk's first word, from the origin on; VKR_LOG_END_NONE: there is none
	uint32_t size;
	uint32_t once; // the header's bits
	bool is_alone; // there is one member
	struct column *columns;
	uint32_t column_count;
	uint32_t unasked_count; // of the columns, without those of samples
};

void vkr_log_shared_make(struct vkr_log_code *code)
{
	const uint32_t u = code->maker->uint_type;
	code->sharing.taken = vkr_maker_variable(code->maker, SpvStorageClassPrivate, u, 0);
	if (code->analysis->identity & VKR_IDENTITY_END)
		code->sharing.told = vkr_maker_variable(code->maker, SpvStorageClassPrivate, u, 0);
	if (code->analysis->shares_room)
		code->sharing.step = vkr_maker_variable(code->maker, SpvStorageClassPrivate, u, 0);
}

void vkr_log_shared_begin(struct vkr_log_code *code)
{
	if (code->sharing.told)
		vkr_build_store(code, code->sharing.told, vkr_build_number(code, 0));
	if (code->sharing.step)
		vkr_build_store(code, code->sharing.step, vkr_build_number(code, 1));
}

static uint32_t count_ballot(struct vkr_log_code *code, SpvGroupOperation operation,
			     uint32_t ballot)
{
	const uint32_t id = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpGroupNonUniformBallotBitCount, code->maker->uint_type, id,
		vkr_build_number(code, SpvScopeSubgroup), (uint32_t)operation, ballot);
	return id;
}

// Who takes the chunk: where that is most often one invocation, each takes its own.
static void find_members(struct vkr_log_code *code, struct taking *of)
{
	const uint32_t boolean = code->types.bool_type;
	const uint32_t yes = vkr_maker_id(code->maker);
	VKR_PUT(&code->maker->globals, SpvOpConstantTrue, boolean, yes);
	if (of->is_alone) {
		of->is_first = yes;
		of->members = vkr_build_number(code, 1);
		of->rank = vkr_build_number(code, 0);
		return;
	}
	const uint32_t uvec4 = vkr_maker_vector(code->maker, code->maker->uint_type, 4);
	const uint32_t ballot = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpGroupNonUniformBallot, uvec4, ballot,
		vkr_build_number(code, SpvScopeSubgroup), yes);
	of->members = count_ballot(code, SpvGroupOperationReduce, ballot);
	of->rank = count_ballot(code, SpvGroupOperationExclusiveScan, ballot);
	of->is_first =
		vkr_build_binary(code, SpvOpIEqual, boolean, of->rank, vkr_build_number(code, 0));
}

static uint32_t first_of(struct vkr_log_code *code, uint32_t type, uint32_t variable)
{
	const uint32_t value = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpGroupNonUniformBroadcastFirst, type, value,
		vkr_build_number(code, SpvScopeSubgroup), vkr_build_load(code, type, variable));
	return value;
}

// ---- Columns ------------------------------------------------------------------------------------

static void add_column(struct taking *of, enum telling told, uint32_t word)
{
	const bool may_be_once = of->column_count < VKR_SHARED_ONCE_MOST;
	of->columns[of->column_count++] =
		(struct column){.told = may_be_once ? told : TOLD_EACH, .word = word};
}

static uint32_t are_alike(struct vkr_log_code *code, uint32_t word)
{
	const uint32_t id = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpGroupNonUniformAllEqual, code->types.bool_type, id,
		vkr_build_number(code, SpvScopeSubgroup), word);
	return id;
}

// How far an invocation is from a position that is told once (vkrace/gpu_log.h).
static uint32_t step_of(struct vkr_log_code *code, uint32_t rank)
{
	const uint32_t u = code->maker->uint_type, one = vkr_build_number(code, 1);
	const uint32_t quad =
		vkr_build_binary(code, SpvOpShiftRightLogical, u, rank, vkr_build_number(code, 2));
	const uint32_t x = vkr_build_binary(code, SpvOpIAdd, u,
					    vkr_build_binary(code, SpvOpBitwiseAnd, u, rank, one),
					    vkr_build_binary(code, SpvOpIAdd, u, quad, quad));
	const uint32_t row =
		vkr_build_binary(code, SpvOpBitwiseAnd, u,
				 vkr_build_binary(code, SpvOpShiftRightLogical, u, rank, one), one);
	return vkr_build_binary(
		code, SpvOpBitwiseOr, u, x,
		vkr_build_binary(code, SpvOpShiftLeftLogical, u, row, vkr_build_number(code, 16)));
}

// Whether the invocation has a chunk before this one.
static uint32_t has_chunk(struct vkr_log_code *code)
{
	return vkr_build_binary(code, SpvOpINotEqual, code->types.bool_type,
				vkr_build_load(code, code->maker->uint_type, code->first),
				vkr_build_number(code, 0));
}

static void add_position(struct vkr_log_code *code, struct taking *of, const uint32_t *pixel)
{
	const uint32_t u = code->maker->uint_type;
	const uint32_t goes_on = vkr_build_select(code, u, has_chunk(code),
						  vkr_build_number(code, VKR_SHARED_GOES_ON),
						  vkr_build_number(code, 0));
	const uint32_t y = vkr_build_binary(code, SpvOpShiftLeftLogical, u, pixel[1],
					    vkr_build_number(code, 16));
	const uint32_t word =
		vkr_build_binary(code, SpvOpBitwiseOr, u,
				 vkr_build_binary(code, SpvOpBitwiseOr, u, pixel[0], y), goes_on);
	add_column(of, of->is_alone ? TOLD_EACH : TOLD_ALIKE, word);
	if (!of->is_alone)
		of->columns[0].is_alike = are_alike(
			code, vkr_build_binary(code, SpvOpISub, u, word, step_of(code, of->rank)));
}

// What bits of the identity tell.
static void add_identity(struct vkr_log_code *code, struct taking *of, uint32_t bits)
{
	struct vkr_spirv_words words = {0};
	uint32_t at = 0;
	vkr_identity_load(&code->inputs, &code->functions, 0, &words);
	code->functions.failed |= words.failed;
	for (uint32_t bit = 0; bit < VKR_IDENTITY_BITS && !words.failed; bit++) {
		const enum vkr_identity told = (enum vkr_identity)(1u << bit);
		if (!(code->analysis->identity & told))
			continue;
		if (bits & told & VKR_IDENTITY_FRAGMENT)
			add_position(code, of, &words.items[at]);
		else if (bits & told)
			add_column(of,
				   told == VKR_IDENTITY_END                        ? TOLD_LATER
				   : told == VKR_IDENTITY_COVERAGE || of->is_alone ? TOLD_EACH
										   : TOLD_ALIKE,
				   words.items[at]);
		at += vkr_identity_words(told);
	}
	free(words.items);
}

// The words behind the record's first, of which the number is made odd.
static void add_record(struct taking *of, const uint32_t *words, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		add_column(of, TOLD_EACH, words[i]);
	if (count % 2)
		add_column(of, TOLD_EVEN, 0);
}

// The words of a chunk whose columns have so many, with the header and, at the end, padding.
static uint32_t size_of(struct vkr_log_code *code, uint32_t words)
{
	const uint32_t u = code->maker->uint_type;
	const uint32_t most = vkr_build_binary(code, SpvOpIAdd, u, words,
					       vkr_build_number(code, VKR_SHARED_HEADER_WORDS + 1));
	return vkr_build_binary(code, SpvOpBitwiseAnd, u, most, vkr_build_number(code, ~1u));
}

// Finds out whether the column is told once; the words of it.
static uint32_t lay_column(struct vkr_log_code *code, struct taking *of, uint32_t index)
{
	const uint32_t u = code->maker->uint_type, one = vkr_build_number(code, 1);
	struct column *column = &of->columns[index];
	if (column->told == TOLD_EACH || column->told == TOLD_LATER)
		return of->members;
	if (column->told == TOLD_ROOM)
		return vkr_build_binary(code, SpvOpIMul, u, of->members, column->word);
	uint32_t bit = vkr_build_number(code, UINT32_C(1) << index), words = one;
	if (column->told == TOLD_ALIKE) {
		if (!column->is_alike)
			column->is_alike = are_alike(code, column->word);
		words = vkr_build_select(code, u, column->is_alike, one, of->members);
		bit = vkr_build_select(code, u, column->is_alike, bit, vkr_build_number(code, 0));
	}
	of->once = vkr_build_binary(code, SpvOpBitwiseOr, u, of->once, bit);
	return words;
}

// Finds out where columns begin, and how long the chunk is: *unasked, without samples.
static void lay_out(struct vkr_log_code *code, struct taking *of, uint32_t *unasked)
{
	const uint32_t u = code->maker->uint_type;
	uint32_t at = vkr_build_number(code, 0);
	of->once = *unasked = at;
	for (uint32_t i = 0; i < of->column_count; i++) {
		if (i == of->unasked_count)
			*unasked = size_of(code, at);
		of->columns[i].at = at;
		at = vkr_build_binary(code, SpvOpIAdd, u, at, lay_column(code, of, i));
	}
	of->size = size_of(code, at);
	if (of->unasked_count == of->column_count)
		*unasked = of->size;
}

// Where the invocation's word of a column is, from the origin on.
static uint32_t place_in(struct vkr_log_code *code, const struct taking *of,
			 const struct column *column)
{
	const uint32_t u = code->maker->uint_type;
	return vkr_build_binary(code, SpvOpIAdd, u,
				vkr_build_binary(code, SpvOpIAdd, u, of->at,
						 vkr_build_number(code, VKR_SHARED_HEADER_WORDS)),
				vkr_build_binary(code, SpvOpIAdd, u, column->at, of->rank));
}

// Where all tell the same, the first one tells it.
static void write_column(struct vkr_log_code *code, const struct taking *of,
			 const struct column *column)
{
	const uint32_t boolean = code->types.bool_type;
	uint32_t merge = 0;
	if (column->told == TOLD_EVEN || column->told == TOLD_LATER || column->told == TOLD_ROOM)
		return;
	if (column->told == TOLD_ALIKE)
		merge = vkr_build_open_if(
			code, vkr_build_binary(code, SpvOpLogicalOr, boolean, of->is_first,
					       vkr_build_unary(code, SpvOpLogicalNot, boolean,
							       column->is_alike)));
	VKR_PUT(&code->functions, SpvOpStore,
		vkr_build_word_at(code, vkr_build_log_origin(code), place_in(code, of, column)),
		column->word, SpvMemoryAccessAlignedMask, 4);
	if (merge)
		vkr_build_close_if(code, merge);
}

// ---- Chunks -------------------------------------------------------------------------------------

// Whether the chunk that begins at index `at` of the log is whole in it.
static uint32_t log_shared_fits(struct vkr_log_code *code, const struct taking *of, uint32_t at,
				uint32_t capacity)
{
	const uint32_t u = code->maker->uint_type, b = code->types.bool_type;
	return vkr_build_binary(
		code, SpvOpLogicalAnd, b,
		vkr_build_binary(code, SpvOpUGreaterThanEqual, b, capacity, of->size),
		vkr_build_binary(code, SpvOpULessThanEqual, b, at,
				 vkr_build_binary(code, SpvOpISub, u, capacity, of->size)));
}

// Of the chunk at index `at` of the log, which is word `place` from the origin on.
static void write_header(struct vkr_log_code *code, const struct taking *of, uint32_t at,
			 uint32_t place, uint32_t command, uint32_t counted)
{
	const uint32_t u = code->maker->uint_type;
	const uint32_t header[VKR_SHARED_HEADER_WORDS] = {
		command,
		at,
		vkr_build_number(code, vkr_analysis_shader_word(code->analysis)),
		of->size,
		vkr_build_binary(code, SpvOpBitwiseOr, u, of->members, counted),
		of->once};
	const uint32_t pair =
		vkr_build_binary(code, SpvOpShiftRightLogical, u, place, vkr_build_number(code, 1));
	vkr_build_store_words(code, vkr_build_log_origin(code), pair, vkr_build_number(code, 1),
			      header, VKR_SHARED_HEADER_WORDS);
}

// Where the log is, and the number that its chunks have.
struct found {
	uint32_t is_there; // bool
	uint32_t start;    // words from the origin on
	uint32_t capacity, command;
	uint32_t room; // of the block
};

static struct found find_log(struct vkr_log_code *code)
{
	const uint32_t u = code->maker->uint_type;
	const uint32_t cell = vkr_build_cell(code, code->source);
	const uint32_t log = vkr_build_load_pair(code, cell, VKR_WORD_OF(vkr_gpu_cell, log));
	const uint32_t rest = vkr_build_load_pair(code, cell, VKR_CELL_CAPACITY);
	const uint32_t own =
		vkr_build_load_pair(code, vkr_build_block(code, code->source), VKR_BLOCK_COMMAND);
	struct found found = {.is_there = vkr_build_is_address(code, log),
			      .start = vkr_build_number(code, 0),
			      .capacity = vkr_build_component(code, rest, 0),
			      .room = vkr_build_component(code, own, 1)};
	found.command = vkr_build_binary(code, SpvOpIAdd, u,
					 vkr_build_binary(code, SpvOpIAdd, u,
							  vkr_build_component(code, own, 0),
							  vkr_build_component(code, rest, 1)),
					 vkr_build_number(code, 1));
	if (!code->base)
		return found;
	found.start = vkr_build_words_behind_base(code, log);
	found.is_there = vkr_build_binary(code, SpvOpLogicalAnd, code->types.bool_type,
					  found.is_there, vkr_build_in_reach(code, log));
	return found;
}

// Whether the samples are told, which the low bit of the chunk's place says: it is even.
static uint32_t asks_for_samples(struct vkr_log_code *code, struct taking *of, uint32_t room,
				 uint32_t unasked)
{
	const uint32_t u = code->maker->uint_type, zero = vkr_build_number(code, 0);
	const uint32_t stage = vkr_build_number(code, code->analysis->options->stage);
	if (of->unasked_count == of->column_count)
		return zero;
	const uint32_t asked =
		vkr_build_binary(code, SpvOpINotEqual, code->types.bool_type,
				 vkr_build_binary(code, SpvOpBitwiseAnd, u, room, stage), zero);
	of->size = vkr_build_select(code, u, asked, of->size, unasked);
	return vkr_build_select(code, u, asked, vkr_build_number(code, 1), zero);
}

// Takes the chunk in the log, and notes where it begins. The segment's number is a constant.
static void take_room(struct vkr_log_code *code, struct taking *of, const struct found *log,
		      uint32_t segment, uint32_t unasked)
{
	const uint32_t u = code->maker->uint_type;
	const uint32_t asked = asks_for_samples(code, of, log->room, unasked);
	const uint32_t head =
		vkr_build_word_at(code, vkr_build_log_origin(code),
				  vkr_build_binary(code, SpvOpIAdd, u, log->start,
						   vkr_build_number(code, VKR_LOG_HEAD)));
	const uint32_t at = vkr_build_move_head(code, head, of->size, log->capacity);
	const uint32_t merge =
		vkr_build_open_if(code, log_shared_fits(code, of, at, log->capacity));
	const uint32_t place = vkr_build_binary(code, SpvOpIAdd, u, log->start, at);
	vkr_build_store(code, code->sharing.taken,
			vkr_build_binary(code, SpvOpBitwiseOr, u, place, asked));
	const uint32_t counted =
		vkr_build_binary(code, SpvOpBitwiseOr, u,
				 vkr_build_binary(code, SpvOpShiftLeftLogical, u, segment,
						  vkr_build_number(code, VKR_SHARED_SEGMENT_SHIFT)),
				 vkr_build_binary(code, SpvOpIMul, u, asked,
						  vkr_build_number(code, VKR_SHARED_SAMPLES)));
	write_header(code, of, at, place, log->command, counted);
	vkr_build_close_if(code, merge);
}

// The first one takes the chunk for all, where there is a log and has room.
static void take_chunk(struct vkr_log_code *code, struct taking *of, uint32_t segment,
		       uint32_t unasked)
{
	const uint32_t u = code->maker->uint_type;
	vkr_build_store(code, code->sharing.taken, vkr_build_number(code, VKR_LOG_END_NONE));
	const uint32_t merge = vkr_build_open_if(code, of->is_first);
	const struct found log = find_log(code);
	const uint32_t there = vkr_build_open_if(code, log.is_there);
	take_room(code, of, &log, segment, unasked);
	vkr_build_close_if(code, there);
	vkr_build_close_if(code, merge);
	of->at = of->is_alone ? vkr_build_load(code, u, code->sharing.taken)
			      : first_of(code, u, code->sharing.taken);
}

// Where the invocation's records go.
static void note_room(struct vkr_log_code *code, const struct taking *of,
		      const struct column *column)
{
	const uint32_t u = code->maker->uint_type, place = place_in(code, of, column);
	vkr_build_store(code, code->cursor, place);
	vkr_build_store(code, code->sharing.step, of->members);
	vkr_build_store(
		code, code->end,
		vkr_build_binary(code, SpvOpIAdd, u, place,
				 vkr_build_binary(code, SpvOpIMul, u, of->members, column->word)));
}

// An invocation notes where the samples that it leaves are to stand, in its first chunk.
static void write_columns(struct vkr_log_code *code, struct taking *of)
{
	const uint32_t u = code->maker->uint_type, one = vkr_build_number(code, 1);
	const uint32_t asked = vkr_build_binary(
		code, SpvOpINotEqual, code->types.bool_type,
		vkr_build_binary(code, SpvOpBitwiseAnd, u, of->at, one), vkr_build_number(code, 0));
	of->at = vkr_build_binary(code, SpvOpBitwiseAnd, u, of->at, vkr_build_number(code, ~1u));
	for (uint32_t i = 0; i < of->unasked_count; i++) {
		write_column(code, of, &of->columns[i]);
		if (of->columns[i].told == TOLD_ROOM)
			note_room(code, of, &of->columns[i]);
	}
	const bool tells = of->unasked_count < of->column_count;
	const uint32_t merge = tells ? vkr_build_open_if(code, asked) : 0;
	for (uint32_t i = of->unasked_count; i < of->column_count; i++) {
		const struct column *column = &of->columns[i];
		write_column(code, of, column);
		if (column->told == TOLD_LATER)
			vkr_build_store(
				code, code->sharing.told,
				vkr_build_select(code, u, has_chunk(code),
						 vkr_build_load(code, u, code->sharing.told),
						 place_in(code, of, column)));
	}
	if (merge)
		vkr_build_close_if(code, merge);
	vkr_build_store(code, code->first, one);
}

// Takes a chunk, and writes it: who finds no room logs nothing any more.
static void write_chunk(struct vkr_log_code *code, struct taking *of, uint32_t segment)
{
	const uint32_t u = code->maker->uint_type;
	const uint32_t none = vkr_build_number(code, VKR_LOG_END_NONE);
	uint32_t unasked;
	lay_out(code, of, &unasked);
	take_chunk(code, of, segment, unasked);
	const uint32_t has_room =
		vkr_build_binary(code, SpvOpINotEqual, code->types.bool_type, of->at, none);
	vkr_build_store(code, code->end,
			vkr_build_select(code, u, has_room, vkr_build_number(code, 0), none));
	const uint32_t merge = vkr_build_open_if(code, has_room);
	write_columns(code, of);
	vkr_build_close_if(code, merge);
}

// `samples`: they are told where the draw asks for them.
static void log_shared_write(struct vkr_log_code *code, const struct record *record, bool samples)
{
	const uint32_t identity = code->analysis->identity;
	struct taking of = {.is_alone = record->is_rare};
	of.columns = calloc(record->count + VKR_IDENTITY_BITS + 1u, sizeof *of.columns);
	if (!of.columns) {
		code->functions.failed = true;
		return;
	}
	find_members(code, &of);
	add_identity(code, &of, identity & ~VKR_SHARED_IDENTITY_ASKED);
	if (record->room)
		add_column(&of, TOLD_ROOM, record->room);
	else
		add_record(&of, record->words, record->count);
	of.unasked_count = of.column_count;
	if (samples)
		add_identity(code, &of, identity & VKR_SHARED_IDENTITY_ASKED);
	write_chunk(code, &of, record->segment);
	free(of.columns);
}

void vkr_log_shared_record(struct vkr_log_code *code, const uint32_t *words, uint32_t count,
			   bool is_rare)
{
	const struct record record = {
		.words = words, .count = count, .segment = words[0], .is_rare = is_rare};
	log_shared_write(code, &record, code->analysis->all_log);
}

void vkr_log_shared_place(struct vkr_log_code *code)
{
	log_shared_write(code, &(struct record){.segment = vkr_build_number(code, 0)}, true);
}

void vkr_log_shared_take(struct vkr_log_code *code, uint32_t words)
{
	const struct record record = {.segment = vkr_build_number(code, VKR_SHARED_ROOM),
				      .room = words};
	log_shared_write(code, &record, true);
}

void vkr_log_shared_fill(struct vkr_log_code *code, const uint32_t *words, uint32_t count)
{
	const uint32_t u = code->maker->uint_type,
		       step = vkr_build_load(code, u, code->sharing.step);
	uint32_t at = vkr_build_load(code, u, code->cursor);
	for (uint32_t i = 0; i < count + count % 2; i++) {
		if (i < count)
			VKR_PUT(&code->functions, SpvOpStore,
				vkr_build_word_at(code, vkr_build_log_origin(code), at), words[i],
				SpvMemoryAccessAlignedMask, 4);
		at = vkr_build_binary(code, SpvOpIAdd, u, at, step);
	}
	vkr_build_store(code, code->cursor, at);
}

// ---- Where the log is ---------------------------------------------------------------------------

uint32_t vkr_log_shared_open_first(struct vkr_log_code *code)
{
	const uint32_t is_first = vkr_maker_id(code->maker);
	uint32_t goes_in = is_first;
	VKR_PUT(&code->functions, SpvOpGroupNonUniformElect, code->types.bool_type, is_first,
		vkr_build_number(code, SpvScopeSubgroup));
	// "For group operations other than derivative and quad operations, helper invocations may
	// be treated as inactive" ("Helper Invocations"): by one of them, and not by the next, so
	// that a helper's values may be those that are passed on.
	if (code->helper)
		goes_in =
			vkr_build_binary(code, SpvOpLogicalOr, code->types.bool_type, is_first,
					 vkr_build_load_input(code, code->helper, VKR_INPUT_BOOL));
	return vkr_build_open_if(code, goes_in);
}

static void pass_on(struct vkr_log_code *code, uint32_t type, uint32_t variable)
{
	if (variable)
		vkr_build_store(code, variable, first_of(code, type, variable));
}

void vkr_log_shared_close_first(struct vkr_log_code *code, uint32_t merge)
{
	const uint32_t u = code->maker->uint_type;
	vkr_build_close_if(code, merge);
	pass_on(code, code->types.uvec2, code->log);
	pass_on(code, u, code->shared_reads.marks);
	pass_on(code, u, code->shared_reads.generation);
	if (code->shared_reads.needed)
		vkr_build_store(code, code->shared_reads.needed, vkr_build_number(code, 0));
}
