// SPDX-License-Identifier: Apache-2.0
#include "draw_numbers.h"

#include "array.h"
#include "draw_members.h"
#include "model_state.h"
#include "site_table.h"

#include "vkrace/gpu_log.h"

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

// Puts the group on the list of this shader's groups; false for lack of memory.
static bool access_draw(struct vkr_draw_sorting *sorting, uint32_t id)
{
	struct vkr_draw_logs *logs = sorting->logs;
	struct vkr_invocation_group *group = &sorting->groups->items[id];
	const size_t slots = (size_t)1 << sorting->like.slot_bits;
	if (group->draw == logs->number)
		return true;
	if (!VKR_ARRAY_RESERVE(&logs->accessed, 1) || !VKR_ARRAY_RESERVE(&logs->counts, 1) ||
	    !VKR_ARRAY_RESERVE(&logs->same, slots))
		return false;
	group->draw = logs->number;
	group->others = 0;
	group->index = (uint32_t)logs->accessed.count;
	logs->accessed.items[logs->accessed.count++] = id;
	logs->counts.items[logs->counts.count++] = 0;
	memset(&logs->same.items[logs->same.count], 0, slots * sizeof *logs->same.items);
	logs->same.count += slots;
	return true;
}

// Numbers an invocation whose workgroup has a number: a group for each workgroup, in which its
// index is the local one. False for lack of memory.
static bool number_in_workgroup(struct vkr_draw_sorting *sorting,
				struct vkr_draw_invocation *invocation, const uint32_t *identity,
				uint32_t workgroup)
{
	struct vkr_draw_logs *logs = sorting->logs;
	uint64_t known = 0;
	uint32_t slot = 0;
	sorting->like.more = 0;
	uint32_t id = vkr_invocation_group(sorting->groups, &sorting->like, identity, &slot);
	if (id == UINT32_MAX)
		return false;
	if (vkr_map_get(&logs->numbered, workgroup, &known)) {
		id = (uint32_t)known;
	} else {
		const uint32_t first = id;
		if (sorting->groups->items[first].draw == logs->number) {
			sorting->like.more = ++sorting->groups->items[first].others;
			id = vkr_invocation_group(sorting->groups, &sorting->like, identity, &slot);
		}
		if (id == UINT32_MAX || !access_draw(sorting, id) ||
		    !vkr_map_set(&logs->numbered, workgroup, id))
			return false;
	}
	invocation->group = sorting->groups->items[id].index;
	invocation->local = slot;
	logs->counts.items[invocation->group]++;
	return true;
}

bool vkr_draw_number(struct vkr_draw_sorting *sorting, struct vkr_draw_invocation *invocation,
		     const uint32_t *identity, bool goes_on)
{
	struct vkr_draw_logs *logs = sorting->logs;
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
		index = sorting->groups->items[id].index;
		same = &logs->same.items[((size_t)index << bits) + slot];
	}
	const bool is_new = !goes_on || *same == 0;
	logs->counts.items[index]++;
	*same += is_new;
	invocation->group = index;
	invocation->local = slot | (*same - 1) << bits;
	return true;
}

void vkr_draw_numbers_begin(struct vkr_draw_logs *logs)
{
	logs->accessed.count = logs->counts.count = logs->same.count = 0;
	vkr_map_finish(&logs->numbered);
	vkr_map_init(&logs->numbered);
	logs->number++;
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
	struct vkr_draw_logs *logs = sorting->logs;
	vkr_draw_numbers_begin(logs);
	for (size_t at = 0; at < logs->invocations.count; at++) {
		struct vkr_draw_invocation *invocation = &logs->invocations.items[at];
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
					 .groups = &walk->model->invocation_groups,
					 .shader = shader_word(shader),
					 .like = {.stage = shader->stage,
						  .tag = shader->sites->tag,
						  .identity = identity,
						  .slot_bits = slot_bits(program),
						  .word_count = vkr_identity_total(identity)},
					 .program = program};
}
