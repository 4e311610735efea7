// SPDX-License-Identifier: Apache-2.0
// Control flow of a slice: its blocks, and which of them are passed over. Knows SPIR-V's structured
// control flow; not what matters.
#include "summary_slice.h"

bool vkr_slice_read_blocks(struct vkr_slice *slice)
{
	const struct vkr_module *module = slice->analysis->module;
	for (uint32_t i = slice->function->body; i < slice->function->end; i++)
		slice->block_count += module->instructions[i].opcode == SpvOpLabel;
	slice->blocks =
		vkr_arena_alloc(slice->analysis->arena, slice->block_count * sizeof *slice->blocks);
	slice->seen_list = vkr_arena_alloc(slice->analysis->arena,
					   slice->block_count * sizeof *slice->seen_list);
	slice->seen = vkr_arena_alloc(slice->analysis->arena, slice->block_count);
	if (!slice->blocks || !slice->seen_list || !slice->seen)
		return false;
	uint32_t count = 0;
	for (uint32_t i = slice->function->body; i < slice->function->end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode == SpvOpLabel) {
			slice->block_of[in->result] = count;
			slice->blocks[count++] = (struct vkr_block){
				.first = i, .merge = VKR_NO_BLOCK, .next = VKR_NO_BLOCK};
		}
		if (in->result && in->opcode != SpvOpLabel && count)
			slice->home[in->result] = count;
		if (vkr_opcode_is(in->opcode, VKR_OPCODE_TERMINATOR) && count)
			slice->blocks[count - 1].terminator = i;
	}
	for (uint32_t b = 0; b < count; b++) {
		struct vkr_block *block = &slice->blocks[b];
		if (block->terminator <= block->first)
			return false;
		const struct vkr_instruction *in = &module->instructions[block->terminator - 1];
		if (!vkr_opcode_is(in->opcode, VKR_OPCODE_MERGE))
			continue;
		block->is_loop = in->opcode == SpvOpLoopMerge;
		block->merge = slice->block_of[vkr_module_word(module, in, 1)];
		if (!block->is_loop)
			continue;
		block->next = slice->block_of[vkr_module_word(module, in, 2)];
		// Compilers write a loop's blocks before its merge block. Nothing but what is
		// cheapest depends on it.
		for (uint32_t inner = b; inner < block->merge; inner++)
			slice->blocks[inner].loops++;
	}
	return true;
}

void vkr_slice_targets(const struct vkr_slice *slice, const struct vkr_block *block, void *user,
		       void (*visit)(uint32_t block, void *user))
{
	const struct vkr_module *module = slice->analysis->module;
	const struct vkr_instruction *in = &module->instructions[block->terminator];
	for (uint16_t u = 0; u < in->use_count; u++) {
		uint32_t id = module->words[module->uses[in->first_use + u]];
		if (vkr_module_definition(module, id)->opcode == SpvOpLabel)
			visit(slice->block_of[id], user);
	}
}

void vkr_slice_successors(const struct vkr_slice *slice, const struct vkr_block *block, void *user,
			  void (*visit)(uint32_t block, void *user))
{
	if (block->merge != VKR_NO_BLOCK && slice->blocks[block->merge].reached)
		visit(block->merge, user);
	if (block->passed)
		return;
	if (block->next != VKR_NO_BLOCK && slice->blocks[block->next].reached)
		visit(block->next, user);
	vkr_slice_targets(slice, block, user, visit);
}

struct search {
	struct vkr_slice *slice;
	uint32_t count;
};

static void visit_once(uint32_t block, void *user)
{
	struct search *search = user;
	if (search->slice->seen[block])
		return;
	search->slice->seen[block] = true;
	search->slice->seen_list[search->count++] = block;
}

// Whether nothing that matters happens between a header and its merge block, and all control that
// goes in comes out there.
static bool is_passed(struct vkr_slice *slice, uint32_t header)
{
	const struct vkr_module *module = slice->analysis->module;
	const struct vkr_block *block = &slice->blocks[header];
	struct search search = {slice, 0};
	if (block->merge == VKR_NO_BLOCK || (block->is_loop && block->matters))
		return false;
	for (uint32_t b = 0; b < slice->block_count; b++)
		slice->seen[b] = b == block->merge || b == header;
	vkr_slice_targets(slice, block, &search, visit_once);
	for (uint32_t i = 0; i < search.count; i++) {
		const struct vkr_block *inner = &slice->blocks[slice->seen_list[i]];
		uint16_t opcode = module->instructions[inner->terminator].opcode;
		if (inner->matters || (opcode != SpvOpBranch && opcode != SpvOpBranchConditional &&
				       opcode != SpvOpSwitch && opcode != SpvOpUnreachable))
			return false;
		// A break or continue of a loop around it leads after or before all of this.
		vkr_slice_targets(slice, inner, &search, visit_once);
	}
	return true;
}

void vkr_slice_reach_from(struct vkr_slice *slice, uint32_t block)
{
	struct search search = {slice, 0};
	visit_once(block, &search);
	for (uint32_t i = 0; i < search.count; i++)
		vkr_slice_targets(slice, &slice->blocks[slice->seen_list[i]], &search, visit_once);
}

void vkr_slice_reach(struct vkr_slice *slice)
{
	for (uint32_t b = 0; b < slice->block_count; b++) {
		slice->blocks[b].passed = is_passed(slice, b);
		slice->blocks[b].reached = false;
	}
	for (uint32_t b = 0; b < slice->block_count; b++)
		slice->seen[b] = false;
	struct search search = {slice, 0};
	visit_once(0, &search);
	for (uint32_t i = 0; i < search.count; i++) {
		struct vkr_block *block = &slice->blocks[slice->seen_list[i]];
		block->reached = true;
		if (block->passed)
			visit_once(block->merge, &search);
		else
			vkr_slice_targets(slice, block, &search, visit_once);
	}
}
