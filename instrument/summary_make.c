// SPDX-License-Identifier: Apache-2.0
// Whether an entry point has a summary, and which values its invocations log for it. Knows what is
// cheap to log, and to judge; not how it is written.
#include "inline_calls.h"
#include "summary_slice.h"

#include <stdlib.h>
#include <string.h>

// ---- What follows from what ---------------------------------------------------------------------

// Whether an instruction has an operand of those that are marked.
static bool uses_marked(const struct vkr_module *module, const struct vkr_instruction *in,
			const bool *marked)
{
	for (uint16_t use = 0; use < in->use_count; use++)
		if (marked[module->words[module->uses[in->first_use + use]]])
			return true;
	return false;
}

// Whether an instruction loads from memory.
static bool loads_memory(const struct vkr_module *module, const struct vkr_instruction *in)
{
	if (in->opcode != SpvOpLoad)
		return false;
	const struct vkr_instruction *root = vkr_module_definition(
		module, vkr_pointer_root(module, vkr_module_word(module, in, 3)));
	return root->opcode != SpvOpVariable ||
	       vkr_module_word(module, root, 3) != SpvStorageClassFunction;
}

// Marks what is computed with marked values and from marked variables; `through_memory`: and what
// is loaded from where they say.
static void spread_marks(const struct vkr_slice *slice, bool *marked, bool through_memory)
{
	const struct vkr_module *module = slice->analysis->module;
	bool changed = true;
	while (changed) {
		changed = false;
		for (uint32_t i = slice->function->body; i < slice->function->end; i++) {
			const struct vkr_instruction *in = &module->instructions[i];
			const uint32_t to =
				in->opcode == SpvOpStore
					? vkr_pointer_root(module, vkr_module_word(module, in, 1))
					: in->result;
			if (to == 0 || marked[to] || !uses_marked(module, in, marked) ||
			    (!through_memory && loads_memory(module, in)))
				continue;
			marked[to] = changed = true;
		}
	}
}

// Whether an instruction's result may be another one in each invocation, whatever its operands are.
static bool varies_by_itself(const struct vkr_slice *slice, const struct vkr_instruction *in,
			     bool in_workgroup)
{
	const struct vkr_module *module = slice->analysis->module;
	uint32_t builtin;
	if (in->opcode != SpvOpLoad)
		return in_workgroup && vkr_opcode_atomic(in->opcode);
	const uint32_t root = vkr_pointer_root(module, vkr_module_word(module, in, 3));
	return vkr_module_decorated(module, root, VKR_NO_MEMBER, SpvDecorationBuiltIn, &builtin) &&
	       !(in_workgroup && builtin == SpvBuiltInWorkgroupId) &&
	       builtin != SpvBuiltInNumWorkgroups && builtin != SpvBuiltInWorkgroupSize;
}

// Marks what may be another value in each invocation: `in_workgroup`: of one workgroup, also for
// what they find in memory; else what is computed from which one it is.
static void mark_varying(const struct vkr_slice *slice, bool in_workgroup, bool *marked)
{
	const struct vkr_module *module = slice->analysis->module;
	for (uint32_t i = slice->function->body; i < slice->function->end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->result)
			marked[in->result] = varies_by_itself(slice, in, in_workgroup);
	}
	spread_marks(slice, marked, in_workgroup);
}

static bool has_marked(const struct vkr_sum *sum, const bool *marked)
{
	for (uint32_t t = 0; t < sum->term_count; t++)
		if (marked[sum->terms[t].index])
			return true;
	return false;
}

// Whether loops read where something logged leads to that is none of the invocation's own, such as
// the nodes of a tree: many invocations find the same, and it is cheaper to log what few of them
// read (VKR_REDUCE_READERS) than what leads all of them there.
static bool leads_to_the_same(const struct vkr_slice *slice, bool *logged, bool *own)
{
	const struct vkr_analysis *analysis = slice->analysis;
	memcpy(logged, slice->is_logged, analysis->module->bound * sizeof *logged);
	spread_marks(slice, logged, true);
	mark_varying(slice, true, own);
	for (size_t d = 0; d < analysis->drafts.count; d++) {
		const struct vkr_site_draft *draft = &analysis->drafts.items[d];
		const uint32_t id = analysis->module->instructions[draft->instruction].result;
		if (draft->site.operation == VKR_SITE_LOAD && draft->pointer &&
		    slice->home[id] > 0 && slice->blocks[slice->home[id] - 1].loops > 0 &&
		    has_marked(&draft->place.offset, logged) &&
		    !has_marked(&draft->place.offset, own))
			return true;
	}
	return false;
}

// ---- The slice ----------------------------------------------------------------------------------

// How often each instruction of the analysis that has the sites stands in the slice: 0, 1, or 2 for
// more. NULL for lack of memory.
static const uint8_t *count_copies(const struct vkr_slice *slice, const struct vkr_analysis *sites)
{
	uint8_t *copies =
		vkr_arena_alloc(sites->arena, sites->module->instruction_count + (size_t)1);
	for (uint32_t i = slice->function->body; copies && i < slice->function->end; i++) {
		const uint32_t at = vkr_slice_original(slice, i);
		if (at != VKR_NO_ORIGIN && copies[at] < 2)
			copies[at]++;
	}
	return copies;
}

// Whether anything is logged, or would have to be.
static bool summary_make_logs(const struct vkr_slice *slice)
{
	for (uint32_t id = 0; id < slice->analysis->module->bound; id++)
		if (slice->is_logged[id])
			return true;
	return slice->lacks;
}

// Finds the slice whose values follow from the fewest words.
static bool find_least(struct vkr_slice *slice, bool *no_memory)
{
	const struct vkr_analysis *analysis = slice->analysis;
	bool *logged = vkr_arena_alloc(analysis->arena, analysis->module->bound);
	bool *own = vkr_arena_alloc(analysis->arena, analysis->module->bound);
	slice->is_placed = vkr_arena_alloc(analysis->arena, analysis->module->bound);
	*no_memory = !logged || !own || !slice->is_placed;
	if (*no_memory || !vkr_slice_find(slice, NULL, no_memory))
		return false;
	if (!summary_make_logs(slice))
		return !slice->lacks;
	mark_varying(slice, false, slice->is_placed);
	*no_memory = !vkr_slice_note_needs(slice);
	const bool *is_cut = *no_memory ? NULL : vkr_slice_cut(slice, no_memory);
	free(slice->needs.items);
	slice->needs.items = NULL;
	slice->needs.count = slice->needs.capacity = 0;
	return is_cut && vkr_slice_find(slice, is_cut, no_memory) && !slice->lacks &&
	       !leads_to_the_same(slice, logged, own);
}

bool vkr_slice_make(struct vkr_slice *slice, const struct vkr_analysis *analysis,
		    const struct vkr_analysis *sites, const uint32_t *origins, bool *no_memory)
{
	bool is_full = analysis->options->without & VKR_REDUCE_UNIFORM;
	for (unsigned turn = 0; turn < 2; turn++) {
		*slice =
			(struct vkr_slice){.analysis = analysis,
					   .function = &analysis->module->functions[analysis->main],
					   .origins = origins};
		*no_memory = false;
		if (!vkr_slice_may_be(slice))
			return false;
		slice->copies = count_copies(slice, sites);
		if (!is_full)
			slice->uniforms =
				vkr_arena_alloc(analysis->arena, VKR_SUMMARY_UNIFORM_WORDS *
									 sizeof *slice->uniforms);
		if (!slice->copies || (!is_full && !slice->uniforms)) {
			*no_memory = true;
			return false;
		}
		if (find_least(slice, no_memory))
			return true;
		// What is too much to be told by one invocation is logged by each.
		if (*no_memory || !slice->is_full)
			return false;
		is_full = true;
	}
	return false;
}
