// SPDX-License-Identifier: Apache-2.0
#include "same_value.h"

#include "pointer_forms.h"

#define DEPTH_MOST 8u // of expressions: what lies deeper is taken as different

static void forget_uses(struct vkr_values *values, const struct vkr_instruction *in)
{
	const struct vkr_module *module = values->module;
	for (uint16_t u = 0; u < in->use_count; u++) {
		uint32_t at = module->uses[in->first_use + u];
		bool is_whole =
			(in->opcode == SpvOpLoad && at == in->at + 3) ||
			(in->opcode == SpvOpStore && at == in->at + 1) ||
			(in->opcode == SpvOpExtInst && in->ext_set == VKR_EXT_SHADER_DEBUG_INFO);
		if (!is_whole)
			values->is_plain[module->words[at]] = false;
	}
}

// A load whose memory operands say nothing of order.
static bool is_simple_load(const struct vkr_module *module, const struct vkr_instruction *in)
{
	return in->opcode == SpvOpLoad && vkr_module_is_plain(module, in, 4);
}

// The last store to a plain variable, in the block whose label is at index - 1.
struct last_store {
	uint32_t block, value;
};

// In the order of instructions, in which what an id is made of comes before it.
static void find_sources(struct vkr_values *values, struct last_store *stores)
{
	const struct vkr_module *module = values->module;
	uint32_t block = 0;
	for (uint32_t id = 0; id < module->bound; id++)
		values->sources[id] = id;
	for (uint32_t i = module->first_function; i < module->instruction_count; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode == SpvOpLabel) {
			block = i + 1;
		} else if (in->opcode == SpvOpStore) {
			stores[vkr_module_word(module, in, 1)] =
				(struct last_store){block, vkr_module_word(module, in, 2)};
		} else if (in->opcode == SpvOpCopyObject) {
			values->sources[in->result] =
				values->sources[vkr_module_word(module, in, 3)];
		} else if (in->opcode == SpvOpLoad) {
			const uint32_t from = vkr_module_word(module, in, 3);
			values->blocks[in->result] = block;
			if (is_simple_load(module, in) && values->is_plain[from] &&
			    stores[from].block == block)
				values->sources[in->result] = values->sources[stores[from].value];
		}
	}
}

bool vkr_values_init(struct vkr_values *values, const struct vkr_module *module,
		     struct vkr_arena *arena)
{
	const size_t bound = module->bound;
	struct last_store *stores = vkr_arena_alloc(arena, bound * sizeof *stores);
	*values = (struct vkr_values){.module = module};
	values->is_plain = vkr_arena_alloc(arena, bound * sizeof *values->is_plain);
	values->sources = vkr_arena_alloc(arena, bound * sizeof *values->sources);
	values->blocks = vkr_arena_alloc(arena, bound * sizeof *values->blocks);
	if (!values->is_plain || !values->sources || !values->blocks || !stores)
		return false;
	for (uint32_t i = module->first_function; i < module->instruction_count; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode == SpvOpVariable)
			values->is_plain[in->result] = true;
	}
	for (uint32_t i = module->first_function; i < module->instruction_count; i++)
		forget_uses(values, &module->instructions[i]);
	find_sources(values, stores);
	return true;
}

uint32_t vkr_value_source(const struct vkr_values *values, uint32_t id)
{
	return values->sources[id];
}

static bool is_same(const struct vkr_values *values, uint32_t a, uint32_t b, unsigned depth);

// Operands from word 3 on: ids of the same values, equal literals.
static bool has_same_operands(const struct vkr_values *values, const struct vkr_instruction *a,
			      const struct vkr_instruction *b, unsigned depth)
{
	const struct vkr_module *module = values->module;
	uint16_t use = 0;
	if (a->length != b->length || a->use_count != b->use_count)
		return false;
	for (uint32_t w = 3; w < a->length; w++) {
		uint32_t x = vkr_module_word(module, a, w), y = vkr_module_word(module, b, w);
		bool is_id = use < a->use_count && module->uses[a->first_use + use] == a->at + w;
		use = (uint16_t)(use + is_id);
		if (is_id ? !is_same(values, x, y, depth + 1) : x != y)
			return false;
	}
	return true;
}

// Whether two loads find the same: in memory that nothing writes while the shader runs, or in a
// plain variable that nothing in their block writes before them.
static bool is_same_load(const struct vkr_values *values, const struct vkr_instruction *a,
			 const struct vkr_instruction *b, unsigned depth)
{
	const struct vkr_module *module = values->module;
	uint32_t p = vkr_module_word(module, a, 3), q = vkr_module_word(module, b, 3);
	if (!is_simple_load(module, a) || !is_simple_load(module, b))
		return false;
	if (p == q && values->is_plain[p])
		return values->blocks[a->result] == values->blocks[b->result];
	const struct vkr_instruction *pointer = vkr_module_definition(module, p);
	const struct vkr_instruction *other = vkr_module_definition(module, q);
	uint32_t storage_class =
		vkr_module_word(module, vkr_module_definition(module, pointer->type), 2);
	if ((storage_class != SpvStorageClassInput &&
	     storage_class != SpvStorageClassPushConstant) ||
	    pointer->type != other->type)
		return false;
	if (p == q)
		return true;
	struct vkr_chain chain, second;
	return vkr_chain_read(module, pointer, &chain) && vkr_chain_read(module, other, &second) &&
	       chain.base == second.base && chain.base_type == second.base_type &&
	       !chain.element == !second.element &&
	       has_same_operands(values, pointer, other, depth);
}

static bool is_same(const struct vkr_values *values, uint32_t a, uint32_t b, unsigned depth)
{
	a = vkr_value_source(values, a);
	b = vkr_value_source(values, b);
	if (a == b)
		return true;
	const struct vkr_instruction *x = vkr_module_definition(values->module, a);
	const struct vkr_instruction *y = vkr_module_definition(values->module, b);
	if (depth == DEPTH_MOST || x->opcode != y->opcode || x->type != y->type)
		return false;
	if (x->opcode == SpvOpLoad)
		return is_same_load(values, x, y, depth);
	return vkr_opcode_is(x->opcode, VKR_OPCODE_PURE) && has_same_operands(values, x, y, depth);
}

bool vkr_same_value(const struct vkr_values *values, uint32_t a, uint32_t b)
{
	return is_same(values, a, b, 0);
}
