// SPDX-License-Identifier: Apache-2.0
#include "log_shared.h"

#include "log_build.h"

#include <stdlib.h>

// A chunk that is being taken: ids.
struct taking {
	uint32_t is_first; // of the subgroup's invocations that take it
	uint32_t members;  // their number
	uint32_t rank;     // the invocation's number among them
	uint32_t at, size;
};

void vkr_log_shared_make(struct vkr_log_code *code)
{
	code->taken =
		vkr_maker_variable(code->maker, SpvStorageClassPrivate, code->maker->uint_type, 0);
}

static uint32_t count_ballot(struct vkr_log_code *code, SpvGroupOperation operation,
			     uint32_t ballot)
{
	const uint32_t id = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpGroupNonUniformBallotBitCount, code->maker->uint_type, id,
		vkr_build_number(code, SpvScopeSubgroup), (uint32_t)operation, ballot);
	return id;
}

static void find_members(struct vkr_log_code *code, struct taking *of)
{
	const uint32_t uvec4 = vkr_maker_vector(code->maker, code->maker->uint_type, 4);
	const uint32_t yes = vkr_maker_id(code->maker), ballot = vkr_maker_id(code->maker);
	VKR_PUT(&code->maker->globals, SpvOpConstantTrue, code->types.bool_type, yes);
	VKR_PUT(&code->functions, SpvOpGroupNonUniformBallot, uvec4, ballot,
		vkr_build_number(code, SpvScopeSubgroup), yes);
	of->members = count_ballot(code, SpvGroupOperationReduce, ballot);
	of->rank = count_ballot(code, SpvGroupOperationExclusiveScan, ballot);
	of->is_first = vkr_build_binary(code, SpvOpIEqual, code->types.bool_type, of->rank,
					vkr_build_number(code, 0));
}

// The first one moves the log's head for all.
static void move_head(struct vkr_log_code *code, struct taking *of)
{
	const uint32_t u = code->maker->uint_type;
	vkr_build_store(code, code->taken, vkr_build_number(code, 0));
	const uint32_t merge = vkr_build_open_if(code, of->is_first);
	const uint32_t head = vkr_build_log_at(code, vkr_build_number(code, VKR_LOG_HEAD));
	vkr_build_store(code, code->taken, vkr_build_move_head(code, head, of->size));
	vkr_build_close_if(code, merge);
	of->at = vkr_maker_id(code->maker);
	VKR_PUT(&code->functions, SpvOpGroupNonUniformBroadcastFirst, u, of->at,
		vkr_build_number(code, SpvScopeSubgroup), vkr_build_load(code, u, code->taken));
}

static uint32_t log_shared_fits(struct vkr_log_code *code, const struct taking *of)
{
	const uint32_t u = code->maker->uint_type, b = code->types.bool_type;
	const uint32_t capacity = vkr_build_load(code, u, code->capacity);
	return vkr_build_binary(
		code, SpvOpLogicalAnd, b,
		vkr_build_binary(code, SpvOpUGreaterThanEqual, b, capacity, of->size),
		vkr_build_binary(code, SpvOpULessThanEqual, b, of->at,
				 vkr_build_binary(code, SpvOpISub, u, capacity, of->size)));
}

static void write_header(struct vkr_log_code *code, const struct taking *of)
{
	const uint32_t merge = vkr_build_open_if(code, of->is_first);
	const uint32_t header[VKR_SHARED_HEADER_WORDS] = {
		vkr_build_load(code, code->maker->uint_type, code->command),
		of->at,
		vkr_build_number(code, vkr_analysis_shader_word(code->analysis)),
		of->size,
		of->members,
		vkr_build_number(code, 0)};
	vkr_build_store_at(code, of->at, header, VKR_SHARED_HEADER_WORDS);
	vkr_build_close_if(code, merge);
}

// Where the invocation's first part is noted, in code->first: whether it has one before this.
static uint32_t goes_on(struct vkr_log_code *code, uint32_t word, uint32_t part)
{
	const uint32_t u = code->maker->uint_type;
	if (!code->first)
		return word;
	const uint32_t before = vkr_build_load(code, u, code->first);
	const uint32_t is_new = vkr_build_binary(code, SpvOpIEqual, code->types.bool_type, before,
						 vkr_build_number(code, 0));
	vkr_build_store(code, code->first, vkr_build_select(code, u, is_new, part, before));
	return vkr_build_select(code, u, is_new, word,
				vkr_build_binary(code, SpvOpBitwiseOr, u, word,
						 vkr_build_number(code, VKR_IDENTITY_GOES_ON)));
}

static void write_identity(struct vkr_log_code *code, uint32_t part)
{
	struct vkr_spirv_words words = {0};
	vkr_identity_load(&code->inputs, &code->functions, 0, &words);
	if (!words.failed) {
		words.items[0] = goes_on(code, words.items[0], part);
		vkr_build_store_at(code, part, words.items, (uint32_t)words.count);
	}
	code->functions.failed |= words.failed;
	free(words.items);
}

void vkr_log_shared_take(struct vkr_log_code *code, uint32_t words)
{
	const uint32_t u = code->maker->uint_type;
	struct taking of = {0};
	find_members(code, &of);
	of.size = vkr_build_binary(code, SpvOpIAdd, u,
				   vkr_build_binary(code, SpvOpIMul, u, of.members, words),
				   vkr_build_number(code, VKR_SHARED_HEADER_WORDS));
	move_head(code, &of);
	const uint32_t has_room = log_shared_fits(code, &of);
	const uint32_t first_part = vkr_build_binary(
		code, SpvOpIAdd, u, of.at, vkr_build_number(code, VKR_SHARED_HEADER_WORDS));
	const uint32_t part =
		vkr_build_binary(code, SpvOpIAdd, u, first_part,
				 vkr_build_binary(code, SpvOpIMul, u, of.rank, words));
	const uint32_t start = vkr_build_log_word(code, part);
	vkr_build_store(code, code->end,
			vkr_build_select(code, u, has_room,
					 vkr_build_binary(code, SpvOpIAdd, u, start, words),
					 vkr_build_number(code, VKR_LOG_END_NONE)));
	const uint32_t identity = vkr_identity_total(code->analysis->identity);
	vkr_build_store(
		code, code->cursor,
		vkr_build_binary(code, SpvOpIAdd, u, start, vkr_build_number(code, identity)));
	const uint32_t merge = vkr_build_open_if(code, has_room);
	write_header(code, &of);
	write_identity(code, part);
	vkr_build_close_if(code, merge);
}

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
	const uint32_t value = vkr_maker_id(code->maker);
	if (!variable)
		return;
	VKR_PUT(&code->functions, SpvOpGroupNonUniformBroadcastFirst, type, value,
		vkr_build_number(code, SpvScopeSubgroup), vkr_build_load(code, type, variable));
	vkr_build_store(code, variable, value);
}

void vkr_log_shared_close_first(struct vkr_log_code *code, uint32_t merge)
{
	const uint32_t u = code->maker->uint_type;
	vkr_build_close_if(code, merge);
	pass_on(code, code->types.uvec2, code->log);
	pass_on(code, u, code->offset);
	pass_on(code, u, code->capacity);
	pass_on(code, u, code->command);
	pass_on(code, u, code->end);
	pass_on(code, u, code->shared_reads.marks);
	pass_on(code, u, code->shared_reads.generation);
	pass_on(code, u, code->shared_reads.needed);
}
