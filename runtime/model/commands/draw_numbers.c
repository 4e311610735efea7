// SPDX-License-Identifier: Apache-2.0
#include "draw_numbers.h"

#include "array.h"
#include "draw_members.h"
#include "model_state.h"
#include "site_table.h"

#include "vkrace/gpu_log.h"

#include <stdlib.h>
#include <string.h>

// The word by which its chunks name the shader (vkrace/gpu_log.h).
static uint32_t shader_word(const struct vkr_shader *shader)
{
	return shader->sites->tag != 0 ? shader->sites->tag : shader->stage;
}

static uint32_t slot_bits(const struct vkr_program *program)
{
	uint32_t bits = VKR_DRAW_SLOT_BITS;
	if (program->shader->sites->identity & VKR_IDENTITY_FRAGMENT)
		return VKR_GROUP_ROW_BITS;
	while (bits < VKR_GROUP_BITS_MOST && 1u << bits < program->local_size)
		bits++;
	return bits;
}

// Whether the group is in the draw that is being sorted.
static bool is_in_draw(const struct vkr_draw_numbers *numbers, uint32_t id)
{
	return id < numbers->groups.count && numbers->groups.items[id].draw == numbers->number;
}

// Puts the group on the list of this shader's groups; false for lack of memory.
static bool access_draw(struct vkr_draw_sorting *sorting, uint32_t id)
{
	struct vkr_draw_numbers *numbers = sorting->numbers;
	const size_t slots = (size_t)1 << sorting->like.slot_bits;
	if (is_in_draw(numbers, id))
		return true;
	if (id >= numbers->groups.count) {
		const size_t more = sorting->groups->count - numbers->groups.count;
		if (!VKR_ARRAY_RESERVE(&numbers->groups, more))
			return false;
		memset(&numbers->groups.items[numbers->groups.count], 0,
		       more * sizeof *numbers->groups.items);
		numbers->groups.count += more;
	}
	struct vkr_draw_group *group = &numbers->groups.items[id];
	if (!VKR_ARRAY_RESERVE(&numbers->accessed, 1) || !VKR_ARRAY_RESERVE(&numbers->counts, 1) ||
	    !VKR_ARRAY_RESERVE(&numbers->same, slots))
		return false;
	group->draw = numbers->number;
	group->others = 0;
	group->index = (uint32_t)numbers->accessed.count;
	numbers->accessed.items[numbers->accessed.count++] = id;
	numbers->counts.items[numbers->counts.count++] = 0;
	memset(&numbers->same.items[numbers->same.count], 0, slots * sizeof *numbers->same.items);
	numbers->same.count += slots;
	return true;
}

// Numbers an invocation whose workgroup has a number: a group for each workgroup, in which its
// index is the local one. False for lack of memory.
static bool number_in_workgroup(struct vkr_draw_sorting *sorting,
				struct vkr_draw_invocation *invocation, const uint32_t *identity,
				uint32_t workgroup)
{
	struct vkr_draw_numbers *numbers = sorting->numbers;
	uint64_t known = 0;
	uint32_t slot = 0;
	sorting->like.more = 0;
	uint32_t id = vkr_invocation_group(sorting->groups, &sorting->like, identity, &slot);
	if (id == UINT32_MAX)
		return false;
	if (vkr_map_get(&numbers->numbered, workgroup, &known)) {
		id = (uint32_t)known;
	} else {
		const uint32_t first = id;
		if (is_in_draw(numbers, first)) {
			sorting->like.more = ++numbers->groups.items[first].others;
			id = vkr_invocation_group(sorting->groups, &sorting->like, identity, &slot);
		}
		if (id == UINT32_MAX || !access_draw(sorting, id) ||
		    !vkr_map_set(&numbers->numbered, workgroup, id))
			return false;
	}
	invocation->group = numbers->groups.items[id].index;
	invocation->local = slot;
	numbers->counts.items[invocation->group]++;
	return true;
}

bool vkr_draw_number(struct vkr_draw_sorting *sorting, struct vkr_draw_invocation *invocation,
		     const uint32_t *identity, bool goes_on)
{
	struct vkr_draw_numbers *numbers = sorting->numbers;
	const uint32_t bits = sorting->like.slot_bits;
	const uint32_t workgroup = vkr_invocation_number(sorting->like.identity, identity);
	if (workgroup != 0)
		return number_in_workgroup(sorting, invocation, identity, workgroup);
	// So many that no two of one group get the same local index.
	const uint32_t most = 1u << (VKR_GROUP_BITS_MOST - bits);
	uint32_t slot = 0, index = 0, *same = NULL;
	for (sorting->like.more = 0; same == NULL || *same >= most; sorting->like.more++) {
		const uint32_t id =
			vkr_invocation_group(sorting->groups, &sorting->like, identity, &slot);
		if (id == UINT32_MAX || !access_draw(sorting, id))
			return false;
		index = numbers->groups.items[id].index;
		same = &numbers->same.items[((size_t)index << bits) + slot];
	}
	const bool is_new = !goes_on || *same == 0;
	numbers->counts.items[index]++;
	*same += is_new;
	invocation->group = index;
	invocation->local = slot | (*same - 1) << bits;
	return true;
}

void vkr_draw_numbers_finish(struct vkr_draw_numbers *numbers)
{
	free(numbers->invocations.items);
	free(numbers->accessed.items);
	free(numbers->counts.items);
	free(numbers->same.items);
	free(numbers->groups.items);
	vkr_map_finish(&numbers->numbered);
	*numbers = (struct vkr_draw_numbers){0};
}

void vkr_draw_numbers_begin(struct vkr_draw_numbers *numbers)
{
	numbers->accessed.count = numbers->counts.count = numbers->same.count = 0;
	vkr_map_finish(&numbers->numbered);
	vkr_map_init(&numbers->numbered);
	numbers->number++;
}

// Numbers an invocation that has a chunk of its own.
static bool number_chunk(struct vkr_draw_sorting *sorting, struct vkr_draw_invocation *invocation,
			 const uint32_t *identity)
{
	uint32_t words[VKR_IDENTITY_WORDS_MOST];
	if (!(sorting->like.identity & VKR_IDENTITY_SHARED))
		return vkr_draw_number(sorting, invocation, identity, false);
	memcpy(words, identity, sorting->like.word_count * sizeof *words);
	words[0] &= ~VKR_SPLIT_GOES_ON;
	return vkr_draw_number(sorting, invocation, words, identity[0] & VKR_SPLIT_GOES_ON);
}

bool vkr_draw_number_all(struct vkr_draw_sorting *sorting, const struct vkr_chunk *chunks,
			 uint64_t *damaged)
{
	struct vkr_draw_numbers *numbers = sorting->numbers;
	vkr_draw_numbers_begin(numbers);
	for (size_t at = 0; at < numbers->invocations.count; at++) {
		struct vkr_draw_invocation *invocation = &numbers->invocations.items[at];
		const uint32_t *words = chunks[invocation->first_chunk].words;
		if (invocation->shader != sorting->shader)
			continue;
		if (words[3] < sorting->program->header_words) {
			invocation->shader = 0;
			++*damaged;
		} else if (!number_chunk(sorting, invocation, words + VKR_CHUNK_HEADER_WORDS)) {
			return false;
		}
	}
	return true;
}

struct vkr_draw_sorting vkr_draw_sorting(struct vkr_walk *walk, const struct vkr_shader *shader,
					 struct vkr_program *program)
{
	const uint32_t identity = vkr_program_identity(shader->sites);
	return (struct vkr_draw_sorting){.walk = walk,
					 .logs = &walk->model->draw_logs,
					 .numbers = &walk->model->draw_logs.numbers,
					 .groups = &walk->model->invocation_groups,
					 .shader = shader_word(shader),
					 .like = {.stage = shader->stage,
						  .tag = shader->sites->tag,
						  .identity = identity,
						  .slot_bits = slot_bits(program),
						  .word_count = vkr_identity_total(identity)},
					 .program = program};
}
