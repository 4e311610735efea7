// SPDX-License-Identifier: Apache-2.0
// From a slice of SPIR-V to the operations of a summary. Knows both; not what is done with these.
#include "summary_code.h"

#include "array.h"
#include "error.h"
#include "inline_calls.h"
#include "summary_writing.h"

#include <stdlib.h>

#define NO_SITE UINT32_MAX

// VK_SHADER_STAGE_COMPUTE_BIT.
#define STAGE_COMPUTE 0x20u

// ---- Accesses -----------------------------------------------------------------------------------

static void write_word(struct vkr_summary_writing *writing, uint32_t reg, uint32_t *count)
{
	vkr_summary_put(writing, (struct vkr_summary_operation){
					 .code = VKR_SUMMARY_WORD, .a = reg, .b = (*count)++});
}

static void write_texel(struct vkr_summary_writing *writing, const struct vkr_site_draft *draft,
			uint32_t site)
{
	const struct vkr_image_use *use = draft->image;
	uint32_t registers[VKR_SUMMARY_TEXEL_WORDS], count = 0, words = 0;
	if (draft->site.flags & VKR_SITE_ARRAYED)
		registers[count++] = vkr_summary_sum(writing, &use->image.element);
	for (uint32_t c = 0; c < use->texel.coordinates; c++)
		registers[count++] = vkr_summary_value(writing, use->coordinate, c);
	if (use->texel.level == VKR_LEVEL_LOGGED)
		registers[count++] = vkr_summary_value(writing, use->level, 0);
	for (uint32_t word = 0; word < count; word++)
		write_word(writing, registers[word], &words);
	vkr_summary_put(writing,
			(struct vkr_summary_operation){.code = VKR_SUMMARY_TEXEL, .a = site});
}

static void write_site(struct vkr_summary_writing *writing, uint32_t index)
{
	const struct vkr_site_draft *draft = &writing->analysis->drafts.items[index];
	const uint32_t site = writing->site_of ? writing->site_of[index] : index;
	struct vkr_summary_operation access = {.code = VKR_SUMMARY_ACCESS, .a = site};
	if (site == NO_SITE)
		return;
	if (draft->image) {
		write_texel(writing, draft, site);
		return;
	}
	if (!draft->pointer) {
		vkr_summary_put(writing, (struct vkr_summary_operation){.code = VKR_SUMMARY_SYNC,
									.a = site});
		return;
	}
	access.b = vkr_summary_sum(writing, &draft->place.offset);
	if (draft->site.flags & VKR_SITE_ARRAYED)
		access.c = vkr_summary_sum(writing, &draft->place.element);
	vkr_summary_put(writing, access);
}

// ---- Control flow -------------------------------------------------------------------------------

static bool is_needed_phi(const struct vkr_summary_writing *writing,
			  const struct vkr_instruction *in)
{
	return in->opcode == SpvOpPhi && writing->slice.needed[in->result] &&
	       !writing->slice.is_logged[in->result];
}

// What a phi takes on the way from the block's label.
static uint32_t summary_code_incoming(const struct vkr_summary_writing *writing,
				      const struct vkr_instruction *phi, uint32_t label)
{
	for (uint32_t word = 3; word + 1 < phi->length; word += 2)
		if (vkr_module_word(writing->module, phi, word + 1) == label)
			return vkr_module_word(writing->module, phi, word);
	return 0;
}

// Whether an operation reads what another one sets before it.
static bool is_read_later(const struct vkr_summary_writing *writing, size_t at)
{
	const struct vkr_summary_operation *items = writing->body.items;
	for (size_t later = at + 1; later < writing->body.count; later++)
		if (items[later].a == items[at].result)
			return true;
	return false;
}

// Has all operations from `first` on read before any sets.
static void part_moves(struct vkr_summary_writing *writing, size_t first)
{
	const size_t end = writing->body.count;
	for (size_t at = first; at < end && !writing->failed; at++) {
		struct vkr_summary_operation *made = &writing->body.items[at];
		const uint32_t result = made->result, between = vkr_summary_take(writing, 1);
		made->result = between;
		made->flags = VKR_SUMMARY_NEAR;
		vkr_summary_put(writing, (struct vkr_summary_operation){.code = VKR_SUMMARY_MOVE,
									.result = result,
									.a = between});
	}
}

// What a phi takes from the one way to it; it is another one's value.
static void write_only_way(struct vkr_summary_writing *writing, const struct vkr_instruction *phi,
			   uint32_t id)
{
	for (uint32_t c = 0; c < vkr_summary_components(writing, id); c++)
		vkr_summary_alias(writing, phi->result, c, vkr_summary_value(writing, id, c));
}

// Sets what the phis of a block take on the way from this one.
static void write_edge(struct vkr_summary_writing *writing, uint32_t to)
{
	const struct vkr_module *module = writing->module;
	const struct vkr_block *block = &writing->slice.blocks[to];
	uint32_t label = module->instructions[writing->slice.blocks[writing->block].first].result;
	const size_t first = writing->body.count;
	for (uint32_t i = block->first + 1; i < block->terminator; i++) {
		const struct vkr_instruction *phi = &module->instructions[i];
		uint32_t id = is_needed_phi(writing, phi)
				      ? summary_code_incoming(writing, phi, label)
				      : 0;
		if (id && phi->length == 5) {
			write_only_way(writing, phi, id);
			continue;
		}
		for (uint32_t c = 0; id && c < vkr_summary_components(writing, id); c++)
			vkr_summary_put(writing, (struct vkr_summary_operation){
							 .code = VKR_SUMMARY_MOVE,
							 .result = vkr_summary_register(
								 writing, phi->result, c),
							 .a = vkr_summary_value(writing, id, c)});
	}
	for (size_t at = first; at < writing->body.count && !writing->failed; at++)
		if (is_read_later(writing, at)) {
			part_moves(writing, first);
			break;
		}
	vkr_summary_put(writing, (struct vkr_summary_operation){.code = VKR_SUMMARY_JUMP, .a = to});
}

// A branch to the two ways that follow: *no is where the second one's number is to stand.
static size_t write_branch(struct vkr_summary_writing *writing, uint32_t condition)
{
	uint32_t blocks = writing->slice.block_count;
	vkr_summary_put(writing,
			(struct vkr_summary_operation){.code = VKR_SUMMARY_BRANCH, .a = condition});
	if (!writing->failed)
		writing->body.items[writing->body.count - 1].b =
			blocks + (uint32_t)writing->body.count;
	return writing->body.count - 1;
}

static void end_branch(struct vkr_summary_writing *writing, size_t branch)
{
	if (!writing->failed)
		writing->body.items[branch].c =
			writing->slice.block_count + (uint32_t)writing->body.count;
}

static void write_switch(struct vkr_summary_writing *writing, const struct vkr_instruction *in)
{
	const struct vkr_module *module = writing->module;
	uint32_t selector = vkr_summary_value(writing, vkr_module_word(module, in, 1), 0);
	for (uint32_t word = 3; word + 1 < in->length; word += 2) {
		uint32_t literal = vkr_summary_constant(writing, vkr_module_word(module, in, word));
		uint32_t equal = vkr_summary_near(writing, VKR_SUMMARY_EQUAL, selector, literal);
		size_t branch = write_branch(writing, equal);
		write_edge(writing, writing->slice.block_of[vkr_module_word(module, in, word + 1)]);
		end_branch(writing, branch);
	}
	write_edge(writing, writing->slice.block_of[vkr_module_word(module, in, 2)]);
}

static void write_end(struct vkr_summary_writing *writing, const struct vkr_block *block)
{
	const struct vkr_module *module = writing->module;
	const struct vkr_instruction *in = &module->instructions[block->terminator];
	if (block->passed) {
		write_edge(writing, block->merge);
		return;
	}
	switch (in->opcode) {
	case SpvOpBranch:
		write_edge(writing, writing->slice.block_of[vkr_module_word(module, in, 1)]);
		break;
	case SpvOpBranchConditional: {
		size_t branch = write_branch(
			writing, vkr_summary_value(writing, vkr_module_word(module, in, 1), 0));
		write_edge(writing, writing->slice.block_of[vkr_module_word(module, in, 2)]);
		end_branch(writing, branch);
		write_edge(writing, writing->slice.block_of[vkr_module_word(module, in, 3)]);
		break;
	}
	case SpvOpSwitch:
		write_switch(writing, in);
		break;
	default:
		vkr_summary_put(writing, (struct vkr_summary_operation){.code = VKR_SUMMARY_END});
		break;
	}
}

static void note_stores(struct vkr_summary_writing *writing, const struct vkr_block *block)
{
	uint32_t component, value;
	for (uint32_t i = block->first + 1; i < block->terminator; i++) {
		const struct vkr_instruction *in = &writing->module->instructions[i];
		const uint32_t variable = vkr_slice_stored(&writing->slice, in, &component, &value);
		if (variable)
			writing->last_stores[variable] = i;
	}
}

static void write_block(struct vkr_summary_writing *writing, uint32_t index)
{
	const struct vkr_analysis *analysis = writing->analysis;
	const struct vkr_block *block = &writing->slice.blocks[index];
	uint32_t site = 0;
	writing->block = index;
	writing->starts[index] = (uint32_t)writing->body.count;
	while (site < analysis->drafts.count &&
	       analysis->drafts.items[site].instruction < block->first)
		site++;
	vkr_summary_write_record(writing, block);
	note_stores(writing, block);
	for (uint32_t i = block->first + 1; i < block->terminator; i++) {
		const struct vkr_instruction *in = &writing->module->instructions[i];
		for (;
		     site < analysis->drafts.count && analysis->drafts.items[site].instruction == i;
		     site++)
			write_site(writing, site);
		if (in->opcode == SpvOpStore || in->opcode == SpvOpVariable)
			vkr_summary_write_store(writing, in);
		else if (in->result && writing->slice.needed[in->result])
			vkr_summary_write_value(writing, in);
	}
	write_end(writing, block);
}

// ---- The whole ----------------------------------------------------------------------------------

struct walk {
	struct vkr_summary_writing *writing;
	uint32_t *stack, *path; // blocks to visit; and on the way
	bool *seen;
	uint32_t count;
};

static void push_block(uint32_t block, void *user)
{
	struct walk *walk = user;
	if (!walk->seen[block])
		walk->stack[walk->count++] = block;
}

// Blocks such that those of a loop stand together and what joins stands after what is joined:
// reverse postorder, where merge blocks are gone to first. Those that lie deepest on the stack are
// visited last, so successors are pushed in reverse.
static bool order_blocks(struct vkr_summary_writing *writing)
{
	struct vkr_slice *slice = &writing->slice;
	struct vkr_arena *arena = writing->analysis->arena;
	size_t edges = 2 * (size_t)slice->block_count + slice->analysis->module->use_count + 1;
	struct walk walk = {.writing = writing,
			    .stack = vkr_arena_alloc(arena, edges * sizeof *walk.stack),
			    .seen = vkr_arena_alloc(arena, slice->block_count)};
	bool *done = vkr_arena_alloc(arena, slice->block_count);
	writing->order = vkr_arena_alloc(arena, slice->block_count * sizeof *writing->order);
	if (!walk.stack || !walk.seen || !done || !writing->order)
		return false;
	uint32_t at = slice->block_count;
	push_block(0, &walk);
	while (walk.count) {
		uint32_t block = walk.stack[walk.count - 1];
		if (walk.seen[block]) {
			walk.count--;
			if (!done[block])
				writing->order[--at] = block;
			done[block] = true;
			continue;
		}
		walk.seen[block] = true;
		uint32_t first = walk.count;
		vkr_slice_successors(slice, &slice->blocks[block], &walk, push_block);
		for (uint32_t low = first, high = walk.count; low + 1 < high; low++) {
			uint32_t other = walk.stack[--high];
			walk.stack[high] = walk.stack[low];
			walk.stack[low] = other;
		}
	}
	writing->order += at;
	writing->order_count = slice->block_count - at;
	return true;
}

static uint32_t target_of(const struct vkr_summary_writing *writing, uint32_t target)
{
	uint32_t blocks = writing->slice.block_count, head = (uint32_t)writing->head.count;
	return head + (target < blocks ? writing->starts[target] : target - blocks);
}

// Head and body become one list.
static bool join_branches(struct vkr_summary_writing *writing)
{
	struct vkr_analysis *analysis = writing->sites;
	size_t head = writing->head.count;
	if (!VKR_ARRAY_RESERVE(&analysis->summary, head + writing->body.count))
		return false;
	for (size_t i = 0; i < head; i++)
		analysis->summary.items[i] = writing->head.items[i];
	for (size_t i = 0; i < writing->body.count; i++) {
		struct vkr_summary_operation operation = writing->body.items[i];
		if (operation.code == VKR_SUMMARY_JUMP)
			operation.a = target_of(writing, operation.a);
		if (operation.code == VKR_SUMMARY_BRANCH) {
			operation.b = target_of(writing, operation.b);
			operation.c = target_of(writing, operation.c);
		}
		analysis->summary.items[head + i] = operation;
	}
	analysis->summary.count = head + writing->body.count;
	analysis->summary_registers = writing->next_register;
	return true;
}

static bool write_summary(struct vkr_summary_writing *writing)
{
	struct vkr_arena *arena = writing->analysis->arena;
	writing->next_register = 1;
	writing->registers =
		vkr_arena_alloc(arena, writing->module->bound * sizeof *writing->registers);
	writing->starts =
		vkr_arena_alloc(arena, writing->slice.block_count * sizeof *writing->starts);
	writing->last_stores =
		vkr_arena_alloc(arena, writing->module->bound * sizeof *writing->last_stores);
	if (!writing->registers || !writing->starts || !writing->last_stores ||
	    !order_blocks(writing))
		return false;
	vkr_summary_spread_uses(writing);
	for (uint32_t i = 0; i < writing->order_count && !writing->failed; i++)
		write_block(writing, writing->order[i]);
	return writing->failed || join_branches(writing);
}

// Makes the summary of an analysis, perhaps of one with all calls written out. No summary is no
// error.
static bool summarize_main(struct vkr_analysis *looked_into, struct vkr_analysis *sites,
			   const uint32_t *site_of, const uint32_t *origins)
{
	struct vkr_summary_writing writing = {.analysis = looked_into,
					      .sites = sites,
					      .module = looked_into->module,
					      .site_of = site_of};
	bool no_memory;
	if (vkr_slice_make(&writing.slice, looked_into, sites, origins, &no_memory) &&
	    vkr_slice_records(&writing.slice, sites, &no_memory))
		no_memory = !write_summary(&writing);
	if (sites->summary.count) {
		sites->uniforms = writing.slice.uniforms;
		sites->uniform_count = writing.slice.uniform_count;
	} else {
		sites->records.count = 0;
	}
	free(writing.head.items);
	free(writing.body.items);
	vkr_map_finish(&writing.constants);
	return !no_memory;
}

// Whether two accesses to texels are logged alike: which sampler it is may be known where calls are
// written out, and not before.
static bool is_same_use(const struct vkr_image_use *one, const struct vkr_image_use *other)
{
	if (!one || !other)
		return one == other;
	const struct vkr_texel *a = &one->texel, *b = &other->texel;
	return a->form == b->form && a->level == b->level && a->flags == b->flags &&
	       a->coordinates == b->coordinates && a->words == b->words;
}

// Whether two drafts are of the same access.
static bool is_same_site(const struct vkr_analysis *of_one, const struct vkr_site_draft *one,
			 const struct vkr_analysis *of_other, const struct vkr_site_draft *other)
{
	const struct vkr_site *a = &one->site, *b = &other->site;
	const unsigned made = VKR_SITE_COMPUTED | VKR_SITE_SHARED;
	if (a->operation != b->operation || (a->flags | made) != (b->flags | made) ||
	    (a->variable == UINT32_MAX) != (b->variable == UINT32_MAX) ||
	    !is_same_use(one->image, other->image))
		return false;
	return a->variable == UINT32_MAX || of_one->variables.items[a->variable].spirv_id ==
						    of_other->variables.items[b->variable].spirv_id;
}

// Whether a load is no site because an earlier one is of the same bytes (VKR_REDUCE_REPEATS).
static bool is_left_out(const struct vkr_analysis *sites, const struct vkr_site_draft *draft,
			uint32_t origin)
{
	if (draft->site.operation != VKR_SITE_LOAD || sites->options->without & VKR_REDUCE_REPEATS)
		return false;
	for (size_t at = 0; at < sites->drafts.count; at++)
		if (sites->drafts.items[at].instruction == origin)
			return false;
	return true;
}

// Which of the sites those of what calls were written out to are, or NO_SITE; NULL where they are
// not, or for lack of memory.
static uint32_t *find_sites(const struct vkr_analysis *looked_into,
			    const struct vkr_analysis *sites, const uint32_t *origins)
{
	const struct vkr_site_draft *drafts = looked_into->drafts.items;
	uint32_t *site_of =
		vkr_arena_alloc(sites->arena, (looked_into->drafts.count + 1) * sizeof *site_of);
	for (size_t d = 0; site_of && d < looked_into->drafts.count; d++) {
		const uint32_t origin = origins[drafts[d].instruction];
		size_t at = 0;
		while (at < sites->drafts.count && sites->drafts.items[at].instruction != origin)
			at++;
		// Those of one instruction follow each other.
		for (size_t e = d; e > 0 && drafts[e - 1].instruction == drafts[d].instruction; e--)
			at++;
		if (is_left_out(sites, &drafts[d], origin)) {
			site_of[d] = NO_SITE;
			continue;
		}
		if (at >= sites->drafts.count || sites->drafts.items[at].instruction != origin ||
		    !is_same_site(looked_into, &drafts[d], sites, &sites->drafts.items[at]))
			return NULL;
		site_of[d] = (uint32_t)at;
	}
	return site_of;
}

// The summary where the entry point calls functions: of what it is with these written out. What it
// wants logged is logged where it stood before.
static enum vkr_result summarize_calls(struct vkr_analysis *analysis, struct vkr_error *error)
{
	struct vkr_inlined inlined;
	struct vkr_constants constants = *analysis->constants;
	struct vkr_types types = {&inlined.module, &constants};
	struct vkr_analysis looked_into = {.module = &inlined.module,
					   .types = &types,
					   .constants = &constants,
					   .options = analysis->options,
					   .arena = analysis->arena,
					   .wants_streams = analysis->wants_streams};
	bool fits = false;
	enum vkr_result result = vkr_inline_calls(
		analysis->module, &analysis->module->functions[analysis->main], analysis->arena,
		analysis->options->environment, &inlined, &fits, error);
	if (result != VKR_OK || !fits)
		return result;
	constants.module = &inlined.module;
	result = vkr_analysis_read(&looked_into, error);
	if (result == VKR_OK) {
		const uint32_t *site_of = find_sites(&looked_into, analysis, inlined.origins);
		if (site_of && !summarize_main(&looked_into, analysis, site_of, inlined.origins))
			result = vkr_error_memory(error, "a summary");
	}
	vkr_analysis_finish(&looked_into);
	return result;
}

enum vkr_result vkr_analysis_summary(struct vkr_analysis *analysis, struct vkr_error *error)
{
	// Where descriptors are in heaps, and which invocations share a subgroup, is known as the
	// shader runs.
	if (analysis->options->without & VKR_REDUCE_SUMMARIES || analysis->options->has_heaps ||
	    analysis->tells_subgroups || analysis->identity ||
	    analysis->options->stage != STAGE_COMPUTE)
		return VKR_OK;
	if (vkr_has_calls(analysis->module, &analysis->module->functions[analysis->main])) {
		const enum vkr_result result = summarize_calls(analysis, error);
		if (result != VKR_OK || analysis->summary.count)
			return result;
	}
	return summarize_main(analysis, analysis, NULL, NULL)
		       ? VKR_OK
		       : vkr_error_memory(error, "a summary");
}
