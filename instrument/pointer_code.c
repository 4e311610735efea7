// SPDX-License-Identifier: Apache-2.0
#include "pointer_code.h"

#include "array.h"
#include "pointer_bases.h"
#include "site_code.h"

#include <stdlib.h>

struct vkr_pointer_ids {
	uint32_t words[VKR_POINTER_WORDS]; // of a base: values; of a variable: variables
	// Of a parameter, or of a call's result: the variables that carry its words between
	// functions.
	uint32_t carriers[VKR_POINTER_WORDS];
	uint32_t *incoming; // of a phi: the words, for each way in
};

static struct vkr_pointer_ids *add_ids(struct vkr_pointer_code *pointers, uint32_t id)
{
	struct vkr_pointer_ids *ids =
		vkr_arena_alloc(pointers->analysis->arena, sizeof *pointers->by_id[id]);
	if (ids)
		*ids = (struct vkr_pointer_ids){.incoming = NULL};
	pointers->failed |= !ids;
	pointers->by_id[id] = ids;
	return ids;
}

static void add_globals(struct vkr_pointer_code *pointers, uint32_t *variables)
{
	if (!VKR_ARRAY_RESERVE(&pointers->globals, VKR_POINTER_WORDS)) {
		pointers->failed = true;
		return;
	}
	for (uint32_t w = 0; w < VKR_POINTER_WORDS; w++) {
		variables[w] = vkr_maker_variable(pointers->maker, SpvStorageClassPrivate,
						  pointers->maker->uint_type, 0);
		pointers->globals.items[pointers->globals.count++] = variables[w];
	}
}

static void add_base(struct vkr_pointer_code *pointers, uint32_t id)
{
	const struct vkr_module *module = pointers->analysis->module;
	const struct vkr_instruction *in = vkr_module_definition(module, id);
	struct vkr_pointer_ids *ids = add_ids(pointers, id);
	if (!ids)
		return;
	for (uint32_t w = 0; w < VKR_POINTER_WORDS; w++)
		ids->words[w] = vkr_maker_id(pointers->maker);
	if (in->opcode == SpvOpFunctionParameter || in->opcode == SpvOpFunctionCall)
		add_globals(pointers, ids->carriers);
	if (in->opcode == SpvOpLoad) {
		uint32_t variable = vkr_module_word(module, in, 3);
		struct vkr_pointer_ids *of =
			pointers->by_id[variable] ? NULL : add_ids(pointers, variable);
		if (of)
			add_globals(pointers, of->words);
	}
	if (in->opcode != SpvOpPhi)
		return;
	uint32_t count = (in->length - 3u) / 2 * VKR_POINTER_WORDS;
	ids->incoming = vkr_arena_alloc(pointers->analysis->arena, count * sizeof *ids->incoming);
	pointers->failed |= !ids->incoming;
	for (uint32_t i = 0; ids->incoming && i < count; i++)
		ids->incoming[i] = vkr_maker_id(pointers->maker);
}

void vkr_pointer_code_init(struct vkr_pointer_code *pointers, const struct vkr_analysis *analysis,
			   struct vkr_maker *maker, struct vkr_heap_code *heap)
{
	*pointers = (struct vkr_pointer_code){.analysis = analysis, .maker = maker, .heap = heap};
	pointers->by_id =
		vkr_arena_alloc(analysis->arena, analysis->module->bound * sizeof(void *));
	pointers->failed = !pointers->by_id;
	for (size_t i = 0; analysis->bases[i] && !pointers->failed; i++) {
		if (!analysis->bases[i]->is_used)
			continue;
		pointers->is_needed = true;
		add_base(pointers, analysis->bases[i]->pointer);
	}
}

void vkr_pointer_code_finish(struct vkr_pointer_code *pointers)
{
	free(pointers->globals.items);
}

const uint32_t *vkr_pointer_code_ids(const struct vkr_pointer_code *pointers, uint32_t base)
{
	return pointers->by_id[base]->words;
}

static const struct vkr_instruction *pointer_code_at(const struct vkr_pointer_code *pointers,
						     uint32_t instruction)
{
	return &pointers->analysis->module->instructions[instruction];
}

// The words of any pointer, computed here.
static void words_of(struct vkr_pointer_code *pointers, uint32_t pointer,
		     struct vkr_spirv_words *code, uint32_t words[VKR_POINTER_WORDS])
{
	const struct vkr_analysis *analysis = pointers->analysis;
	struct vkr_pointer_target place;
	words[VKR_POINTER_VARIABLE] = vkr_maker_uint(pointers->maker, UINT32_MAX);
	words[VKR_POINTER_ELEMENT] = words[VKR_POINTER_OFFSET] = vkr_maker_uint(pointers->maker, 0);
	if (vkr_is_null_pointer(analysis->module, vkr_pointer_root(analysis->module, pointer)))
		return;
	if (!vkr_pointer_target_resolve(&analysis->book, pointer, &place)) {
		pointers->failed = true;
		return;
	}
	vkr_pointer_target_code(pointers, &place, code, words);
}

static void put_unary(struct vkr_pointer_code *pointers, SpvOp opcode, uint32_t result,
		      uint32_t operand, struct vkr_spirv_words *code)
{
	VKR_PUT(code, opcode, pointers->maker->uint_type, result, operand);
}

static void store_pointer(struct vkr_pointer_code *pointers, uint32_t pointer,
			  const uint32_t *variables, struct vkr_spirv_words *code)
{
	uint32_t words[VKR_POINTER_WORDS];
	words_of(pointers, pointer, code, words);
	for (uint32_t w = 0; w < VKR_POINTER_WORDS; w++)
		VKR_PUT(code, SpvOpStore, variables[w], words[w]);
}

static void load_pointer(struct vkr_pointer_code *pointers, const uint32_t *variables,
			 const uint32_t *results, struct vkr_spirv_words *code)
{
	for (uint32_t w = 0; w < VKR_POINTER_WORDS; w++)
		put_unary(pointers, SpvOpLoad, results[w], variables[w], code);
}

static const struct vkr_function *function_of(const struct vkr_module *module, uint32_t instruction)
{
	const struct vkr_function *function = module->functions;
	while (instruction >= function->end)
		function++;
	return function;
}

static bool is_reached(const struct vkr_pointer_code *pointers, const struct vkr_function *function)
{
	return pointers->analysis->reached[function - pointers->analysis->module->functions];
}

// At a function's start: its parameters' words, and those of stored pointers with an initializer.
static void enter_function(struct vkr_pointer_code *pointers, const struct vkr_function *function,
			   struct vkr_spirv_words *code)
{
	const struct vkr_module *module = pointers->analysis->module;
	bool is_main = function == &module->functions[pointers->analysis->main];
	uint32_t end = vkr_analysis_entry(module, function);
	for (uint32_t i = function->first; i < end; i++) {
		const struct vkr_instruction *in = pointer_code_at(pointers, i);
		const struct vkr_pointer_ids *ids = in->result ? pointers->by_id[in->result] : NULL;
		if (ids && in->opcode == SpvOpFunctionParameter)
			load_pointer(pointers, ids->carriers, ids->words, code);
		else if (ids && in->opcode == SpvOpVariable && in->length > 4)
			store_pointer(pointers, vkr_module_word(module, in, 4), ids->words, code);
	}
	for (uint32_t i = module->first_global; is_main && i < module->first_function; i++) {
		const struct vkr_instruction *in = pointer_code_at(pointers, i);
		if (in->opcode == SpvOpVariable && in->length > 4 && pointers->by_id[in->result])
			store_pointer(pointers, vkr_module_word(module, in, 4),
				      pointers->by_id[in->result]->words, code);
	}
}

static uint32_t block_of(const struct vkr_pointer_code *pointers, uint32_t instruction)
{
	while (pointer_code_at(pointers, instruction)->opcode != SpvOpLabel)
		instruction--;
	return pointer_code_at(pointers, instruction)->result;
}

// At a block's end: the words that the phis after it take.
static void leave_block(struct vkr_pointer_code *pointers, const struct vkr_function *function,
			uint32_t block, struct vkr_spirv_words *code)
{
	const struct vkr_module *module = pointers->analysis->module;
	for (uint32_t i = function->body; i < function->end; i++) {
		const struct vkr_instruction *in = pointer_code_at(pointers, i);
		if (in->opcode != SpvOpPhi || !pointers->by_id[in->result])
			continue;
		uint32_t *incoming = pointers->by_id[in->result]->incoming;
		for (uint32_t w = 3; w < in->length; w += 2, incoming += VKR_POINTER_WORDS) {
			uint32_t words[VKR_POINTER_WORDS];
			if (vkr_module_word(module, in, w + 1) != block)
				continue;
			words_of(pointers, vkr_module_word(module, in, w), code, words);
			for (uint32_t k = 0; k < VKR_POINTER_WORDS; k++)
				put_unary(pointers, SpvOpCopyObject, incoming[k], words[k], code);
		}
	}
}

static bool is_block_end(const struct vkr_pointer_code *pointers, uint32_t instruction)
{
	uint16_t opcode = pointer_code_at(pointers, instruction)->opcode;
	if (vkr_opcode_is(opcode, VKR_OPCODE_MERGE))
		return true;
	uint16_t before = pointer_code_at(pointers, instruction - 1)->opcode;
	return vkr_opcode_is(opcode, VKR_OPCODE_TERMINATOR) &&
	       !vkr_opcode_is(before, VKR_OPCODE_MERGE);
}

static void pass_arguments(struct vkr_pointer_code *pointers, const struct vkr_instruction *call,
			   struct vkr_spirv_words *code)
{
	const struct vkr_analysis *analysis = pointers->analysis;
	const struct vkr_module *module = analysis->module;
	const struct vkr_function *callee =
		&module->functions[vkr_module_callee(analysis->module, call)];
	uint32_t word = 4;
	for (uint32_t i = callee->first; i < callee->body; i++) {
		const struct vkr_instruction *in = pointer_code_at(pointers, i);
		if (in->opcode != SpvOpFunctionParameter)
			continue;
		if (pointers->by_id[in->result])
			store_pointer(pointers, vkr_module_word(module, call, word),
				      pointers->by_id[in->result]->carriers, code);
		word++;
	}
}

// Every call of the function whose result is used takes its words from variables of its own.
static void pass_result(struct vkr_pointer_code *pointers, const struct vkr_function *function,
			uint32_t pointer, struct vkr_spirv_words *code)
{
	const struct vkr_analysis *analysis = pointers->analysis;
	const struct vkr_module *module = analysis->module;
	for (uint32_t i = module->first_function; i < module->instruction_count; i++) {
		const struct vkr_instruction *in = pointer_code_at(pointers, i);
		if (in->opcode == SpvOpFunctionCall && pointers->by_id[in->result] &&
		    &module->functions[vkr_module_callee(analysis->module, in)] == function)
			store_pointer(pointers, pointer, pointers->by_id[in->result]->carriers,
				      code);
	}
}

void vkr_pointer_code_before(struct vkr_pointer_code *pointers, uint32_t instruction,
			     struct vkr_spirv_words *code)
{
	const struct vkr_module *module = pointers->analysis->module;
	if (pointers->failed || !pointers->is_needed)
		return;
	const struct vkr_instruction *in = pointer_code_at(pointers, instruction);
	const struct vkr_function *function = function_of(module, instruction);
	if (!is_reached(pointers, function) || instruction <= function->body)
		return;
	if (instruction == vkr_analysis_entry(module, function))
		enter_function(pointers, function, code);
	if (in->opcode == SpvOpFunctionCall)
		pass_arguments(pointers, in, code);
	if (in->opcode == SpvOpReturnValue)
		pass_result(pointers, function, vkr_module_word(module, in, 1), code);
	if (is_block_end(pointers, instruction))
		leave_block(pointers, function, block_of(pointers, instruction), code);
}

static void behind_phi(struct vkr_pointer_code *pointers, const struct vkr_instruction *in,
		       const struct vkr_pointer_ids *ids, struct vkr_spirv_words *code)
{
	const struct vkr_module *module = pointers->analysis->module;
	for (uint32_t w = 0; w < VKR_POINTER_WORDS; w++) {
		struct vkr_spirv_words operands = {0};
		vkr_spirv_words_raw(&operands,
				    (const uint32_t[]){pointers->maker->uint_type, ids->words[w]},
				    2);
		for (uint32_t i = 0; i + 3u < in->length; i += 2) {
			uint32_t path[] = {ids->incoming[i / 2 * VKR_POINTER_WORDS + w],
					   vkr_module_word(module, in, 4 + i)};
			vkr_spirv_words_raw(&operands, path, 2);
		}
		vkr_spirv_words_put(code, SpvOpPhi, operands.items, operands.count);
		code->failed |= operands.failed;
		free(operands.items);
	}
}

static void behind_select(struct vkr_pointer_code *pointers, const struct vkr_instruction *in,
			  const struct vkr_pointer_ids *ids, struct vkr_spirv_words *code)
{
	const struct vkr_module *module = pointers->analysis->module;
	uint32_t a[VKR_POINTER_WORDS], b[VKR_POINTER_WORDS];
	words_of(pointers, vkr_module_word(module, in, 4), code, a);
	words_of(pointers, vkr_module_word(module, in, 5), code, b);
	for (uint32_t w = 0; w < VKR_POINTER_WORDS; w++)
		VKR_PUT(code, SpvOpSelect, pointers->maker->uint_type, ids->words[w],
			vkr_module_word(module, in, 3), a[w], b[w]);
}

void vkr_pointer_code_behind(struct vkr_pointer_code *pointers, uint32_t instruction,
			     struct vkr_spirv_words *code)
{
	const struct vkr_module *module = pointers->analysis->module;
	if (pointers->failed || !pointers->is_needed ||
	    !is_reached(pointers, function_of(module, instruction)))
		return;
	const struct vkr_instruction *in = pointer_code_at(pointers, instruction);
	const struct vkr_pointer_ids *ids = in->result ? pointers->by_id[in->result] : NULL;
	if (in->opcode == SpvOpStore && pointers->by_id[vkr_module_word(module, in, 1)]) {
		uint32_t variable = vkr_module_word(module, in, 1);
		if (vkr_module_definition(module, variable)->opcode == SpvOpVariable)
			store_pointer(pointers, vkr_module_word(module, in, 2),
				      pointers->by_id[variable]->words, code);
	}
	if (!ids)
		return;
	switch (in->opcode) {
	case SpvOpPhi:
		behind_phi(pointers, in, ids, code);
		break;
	case SpvOpSelect:
		behind_select(pointers, in, ids, code);
		break;
	case SpvOpFunctionCall:
		load_pointer(pointers, ids->carriers, ids->words, code);
		break;
	case SpvOpLoad:
		load_pointer(pointers, pointers->by_id[vkr_module_word(module, in, 3)]->words,
			     ids->words, code);
		break;
	default:
		break;
	}
}
