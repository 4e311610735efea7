// SPDX-License-Identifier: Apache-2.0
#include "block_source.h"

#include "error.h"
#include "heap_code.h"
#include "pointer_forms.h"

#include "vkrace/gpu_log.h"

#include <assert.h>
#include <stdlib.h>

// Members of the place.
#define WORDS (VKR_PUSH_CONSTANT_BYTES / 4u)

static bool is_push_constant(const struct vkr_module *module, uint32_t id)
{
	if (!module->ids[id].instruction)
		return false;
	const struct vkr_instruction *def = vkr_module_definition(module, id);
	return vkr_is_variable(def->opcode) &&
	       vkr_module_word(module, def, 3) == SpvStorageClassPushConstant;
}

// The first push-constant variable that one of the instructions names, 0 none.
static uint32_t first_named(const struct vkr_module *module, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		for (uint16_t u = 0; u < in->use_count; u++) {
			uint32_t id = module->words[module->uses[in->first_use + u]];
			if (is_push_constant(module, id))
				return id;
		}
	}
	return 0;
}

// The variable to grow: the one in use, else one that the interface lists, else any. An entry point
// may use only one, and drivers take the one they find.
static uint32_t find_variable(const struct vkr_analysis *analysis)
{
	const struct vkr_module *module = analysis->module;
	uint32_t id = 0;
	for (size_t f = 0; f < module->function_count && !id; f++) {
		if (analysis->reached[f])
			id = first_named(module, module->functions[f].first,
					 module->functions[f].end);
	}
	if (!id)
		id = first_named(module, analysis->entry_point, analysis->entry_point + 1);
	for (uint32_t i = module->first_global; i < module->first_function && !id; i++) {
		uint32_t result = module->instructions[i].result;
		if (result && is_push_constant(module, result))
			id = result;
	}
	return id;
}

static bool names_id(const struct vkr_module *module, const struct vkr_instruction *in, uint32_t id)
{
	for (uint16_t u = 0; u < in->use_count; u++) {
		if (module->words[module->uses[in->first_use + u]] == id)
			return true;
	}
	return false;
}

static bool allows_growth(const struct vkr_instruction *in, bool in_function)
{
	switch (in->opcode) {
	case SpvOpEntryPoint:
	case SpvOpName:
	case SpvOpDecorate:
	case SpvOpGroupDecorate:
	case SpvOpLoad:
		return true;
	case SpvOpAccessChain:
	case SpvOpInBoundsAccessChain:
		return in->length > 4;
	case VKR_OP_UNTYPED_ACCESS_CHAIN:
	case VKR_OP_UNTYPED_IN_BOUNDS_ACCESS_CHAIN:
		return true;
	case SpvOpExtInst:
		return !in_function || in->ext_set != VKR_EXT_GLSL_STD_450;
	default:
		return false;
	}
}

static enum vkr_result check_uses(const struct vkr_push_block *push,
				  const struct vkr_analysis *analysis, struct vkr_error *error)
{
	const struct vkr_module *module = analysis->module;
	for (uint32_t i = 0; i < module->instruction_count; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (names_id(module, in, push->variable) &&
		    !allows_growth(in, i >= module->first_function))
			return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
					     "SPIR-V word %u: Op%s of the push-constant block",
					     in->at, vkr_spirv_opcode_name(in->opcode));
	}
	uint64_t bytes = vkr_type_bytes(analysis->types, push->structure,
					(struct vkr_layout){.is_explicit = true});
	if (bytes > analysis->options->push_constant_offset)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "the shader's push constants reach to byte %llu, beyond the "
				     "byte %u kept for the log",
				     (unsigned long long)bytes,
				     analysis->options->push_constant_offset);
	return VKR_OK;
}

static void decorate_member(struct vkr_maker *maker, uint32_t structure, uint32_t member,
			    uint32_t offset)
{
	VKR_PUT(&maker->annotations, SpvOpMemberDecorate, structure, member, SpvDecorationOffset,
		offset);
}

// The structure's decorations, for its grown copy. Strings name source semantics: not needed.
static void copy_decorations(const struct vkr_push_block *push, struct vkr_maker *maker)
{
	const struct vkr_module *module = maker->module;
	for (uint32_t d = module->ids[push->structure].decorations; d;
	     d = module->decorations[d - 1].next) {
		const struct vkr_decoration *decoration = &module->decorations[d - 1];
		struct vkr_spirv_words operands = {0};
		bool of_member = decoration->member != VKR_NO_MEMBER;
		if (decoration->decoration == SpvDecorationUserSemantic ||
		    decoration->decoration == SpvDecorationUserTypeGOOGLE)
			continue;
		vkr_spirv_words_raw(&operands, &push->new_structure, 1);
		if (of_member)
			vkr_spirv_words_raw(&operands, &decoration->member, 1);
		vkr_spirv_words_raw(&operands, &decoration->decoration, 1);
		vkr_spirv_words_raw(&operands, decoration->literals, decoration->literal_count);
		maker->annotations.failed |= operands.failed;
		vkr_spirv_words_put(&maker->annotations,
				    of_member ? SpvOpMemberDecorate : SpvOpDecorate, operands.items,
				    operands.count);
		free(operands.items);
	}
}

static void grow_block(struct vkr_push_block *push, struct vkr_maker *maker, uint32_t offset)
{
	const struct vkr_module *module = maker->module;
	const struct vkr_instruction *def = vkr_module_definition(module, push->structure);
	uint32_t first = (uint32_t)(def->length + WORDS) << SpvWordCountShift | SpvOpTypeStruct;
	push->member_count = def->length - 2u;
	push->new_structure = vkr_maker_id(maker);
	push->new_pointer = vkr_maker_id(maker);
	vkr_spirv_words_raw(&push->definition, (const uint32_t[]){first, push->new_structure}, 2);
	vkr_spirv_words_raw(&push->definition, &module->words[def->at + 2], push->member_count);
	for (uint32_t i = 0; i < WORDS; i++)
		vkr_spirv_words_raw(&push->definition, &maker->uint_type, 1);
	VKR_PUT(&push->definition, SpvOpTypePointer, push->new_pointer, SpvStorageClassPushConstant,
		push->new_structure);
	VKR_PUT(&push->definition, SpvOpVariable, push->new_pointer, push->variable,
		SpvStorageClassPushConstant);
	copy_decorations(push, maker);
	for (uint32_t i = 0; i < WORDS; i++)
		decorate_member(maker, push->new_structure, push->member_count + i, offset + 4 * i);
	push->source = (struct vkr_block_source){push->variable, SpvStorageClassPushConstant,
						 push->member_count};
}

// A block of our own: the place at the byte offset.
static void make_block(struct vkr_push_block *push, struct vkr_maker *maker,
		       SpvStorageClass storage_class, uint32_t offset)
{
	const uint32_t structure = vkr_maker_id(maker), u = maker->uint_type;
	VKR_PUT(&maker->globals, SpvOpTypeStruct, structure, u, u, u, u);
	static_assert(WORDS == 4, "as many members");
	VKR_PUT(&maker->annotations, SpvOpDecorate, structure, SpvDecorationBlock);
	for (uint32_t i = 0; i < WORDS; i++)
		decorate_member(maker, structure, i, offset + 4 * i);
	uint32_t variable = vkr_maker_variable(maker, storage_class, structure, 0);
	push->source = (struct vkr_block_source){variable, storage_class, 0};
}

// Bytes that a variable reads of the push data.
static uint64_t pushed_bytes(const struct vkr_analysis *analysis, uint32_t variable)
{
	const struct vkr_home *home = analysis->homes[variable];
	const struct vkr_layout layout = {.is_explicit = true};
	const uint32_t type = vkr_variable_type(analysis->module, variable);
	if (is_push_constant(analysis->module, variable))
		return type ? vkr_type_bytes(analysis->types, type, layout) : 0;
	if (!home || home->resource.index == VKR_INDEX_NONE ||
	    home->resource.index == VKR_INDEX_RECORD)
		return 0;
	if (home->kind == VKR_HOME_OWN)
		return home->resource.where + vkr_type_bytes(analysis->types, type, layout);
	const uint32_t own = home->resource.where, other = home->sampler.where;
	return (own > other ? own : other) + UINT64_C(8);
}

// Small types in push constants and in storage buffers are features of their own.
static bool may_move(const struct vkr_analysis *analysis, uint32_t variable)
{
	const struct vkr_module *module = analysis->module;
	return !analysis->options->lacks_pushed && is_push_constant(module, variable) &&
	       !vkr_module_capability(module, SpvCapabilityStoragePushConstant8) &&
	       !vkr_module_capability(module, SpvCapabilityStoragePushConstant16);
}

// The program's push constants become a storage block, which has the same layout ("Offset and
// Stride Assignment"): all of them, as an entry point may use any one.
static void move_constants(struct vkr_push_block *push, struct vkr_maker *maker,
			   const struct vkr_analysis *analysis)
{
	const struct vkr_module *module = analysis->module;
	push->is_moved = true;
	for (uint32_t i = module->first_global; i < module->first_function; i++) {
		const uint32_t id = module->instructions[i].result;
		if (!id || !is_push_constant(module, id))
			continue;
		VKR_PUT(&maker->annotations, SpvOpDecorate, id, SpvDecorationDescriptorSet,
			analysis->options->heap_set);
		VKR_PUT(&maker->annotations, SpvOpDecorate, id, SpvDecorationBinding,
			VKR_HEAP_BINDING_PUSHED);
		VKR_PUT(&maker->annotations, SpvOpDecorate, id, SpvDecorationNonWritable);
	}
}

static enum vkr_result find_push_data(struct vkr_push_block *push, struct vkr_maker *maker,
				      const struct vkr_analysis *analysis, struct vkr_error *error)
{
	const struct vkr_module *module = analysis->module;
	bool moves = false;
	for (uint32_t i = module->first_global; i < module->first_function; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		const uint64_t bytes =
			vkr_is_variable(in->opcode) ? pushed_bytes(analysis, in->result) : 0;
		if (bytes <= analysis->options->push_constant_offset)
			continue;
		if (!may_move(analysis, in->result))
			return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
					     "the shader's push data reaches to byte %llu, beyond "
					     "the byte %u kept for the log",
					     (unsigned long long)bytes,
					     analysis->options->push_constant_offset);
		moves = true;
	}
	if (moves)
		move_constants(push, maker, analysis);
	return VKR_OK;
}

bool vkr_block_source_global(const struct vkr_push_block *push, const struct vkr_module *module,
			     const struct vkr_instruction *in, struct vkr_spirv_words *out)
{
	const bool is_type =
		in->opcode == SpvOpTypePointer || in->opcode == VKR_OP_TYPE_UNTYPED_POINTER;
	const uint32_t at = is_type ? 2 : vkr_is_variable(in->opcode) ? 3 : 0;
	if (!push->is_moved || !at ||
	    vkr_module_word(module, in, at) != SpvStorageClassPushConstant)
		return false;
	const size_t first = out->count;
	vkr_spirv_words_raw(out, &module->words[in->at], in->length);
	if (!out->failed)
		out->items[first + at] = SpvStorageClassStorageBuffer;
	return true;
}

enum vkr_result vkr_block_source_make(struct vkr_push_block *push, struct vkr_maker *maker,
				      const struct vkr_analysis *analysis, struct vkr_error *error)
{
	const struct vkr_instrument_options *options = analysis->options;
	const struct vkr_module *module = analysis->module;
	*push = (struct vkr_push_block){0};
	if (options->has_heaps) {
		push->source = (struct vkr_block_source){vkr_push_data_block(maker, options),
							 SpvStorageClassUniform,
							 options->push_constant_offset / 4};
		return find_push_data(push, maker, analysis, error);
	}
	if (options->block_set != VKR_INSTRUMENT_NO_SET) {
		make_block(push, maker, SpvStorageClassUniform, 0);
		VKR_PUT(&maker->annotations, SpvOpDecorate, push->source.variable,
			SpvDecorationDescriptorSet, options->block_set);
		VKR_PUT(&maker->annotations, SpvOpDecorate, push->source.variable,
			SpvDecorationBinding, 0);
		return VKR_OK;
	}
	uint32_t variable = find_variable(analysis);
	if (!variable) {
		make_block(push, maker, SpvStorageClassPushConstant, options->push_constant_offset);
		return VKR_OK;
	}
	push->variable = variable;
	push->structure = vkr_variable_type(module, variable);
	if (vkr_module_definition(module, variable)->opcode == VKR_OP_UNTYPED_VARIABLE)
		push->untyped = vkr_module_definition(module, variable)->type;
	if (!push->structure ||
	    vkr_module_definition(module, push->structure)->opcode != SpvOpTypeStruct)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "push constants that are no block");
	enum vkr_result result = check_uses(push, analysis, error);
	if (result != VKR_OK)
		return result;
	grow_block(push, maker, options->push_constant_offset);
	return VKR_OK;
}

void vkr_block_source_finish(struct vkr_push_block *push)
{
	free(push->definition.items);
}

// The variable has a type now: a pointer without one leads to its start.
static void load_untyped(const struct vkr_push_block *push, struct vkr_maker *maker,
			 const struct vkr_instruction *load, struct vkr_spirv_words *code)
{
	const uint32_t pointer = vkr_maker_id(maker);
	struct vkr_spirv_words operands = {0};
	VKR_PUT(code, (SpvOp)VKR_OP_UNTYPED_ACCESS_CHAIN, push->untyped, pointer, load->type,
		push->variable);
	vkr_spirv_words_raw(&operands, (const uint32_t[]){load->type, load->result, pointer}, 3);
	vkr_spirv_words_raw(&operands, &maker->module->words[load->at + 4], load->length - 4u);
	vkr_spirv_words_put(code, SpvOpLoad, operands.items, operands.count);
	code->failed |= operands.failed;
	free(operands.items);
}

void vkr_block_source_load(const struct vkr_push_block *push, struct vkr_maker *maker,
			   const struct vkr_instruction *load, struct vkr_spirv_words *code)
{
	const struct vkr_module *module = maker->module;
	if (push->untyped) {
		load_untyped(push, maker, load, code);
		return;
	}
	const struct vkr_instruction *def = vkr_module_definition(module, push->structure);
	uint32_t whole = vkr_maker_id(maker);
	struct vkr_spirv_words operands = {0};
	VKR_PUT(&operands, SpvOpLoad, push->new_structure, whole);
	operands.items[0] = (uint32_t)load->length << SpvWordCountShift | SpvOpLoad;
	vkr_spirv_words_raw(&operands, &module->words[load->at + 3], load->length - 3u);
	vkr_spirv_words_raw(code, operands.items, operands.count);
	operands.count = 0;
	vkr_spirv_words_raw(&operands, (const uint32_t[]){load->type, load->result}, 2);
	for (uint32_t m = 0; m < push->member_count; m++) {
		uint32_t part = vkr_maker_id(maker);
		VKR_PUT(code, SpvOpCompositeExtract, vkr_module_word(module, def, m + 2), part,
			whole, m);
		vkr_spirv_words_raw(&operands, &part, 1);
	}
	vkr_spirv_words_put(code, SpvOpCompositeConstruct, operands.items, operands.count);
	code->failed |= operands.failed;
	free(operands.items);
}
