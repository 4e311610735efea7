// SPDX-License-Identifier: Apache-2.0
#include "pointer_bases.h"

#include <string.h>

static bool is_shared_class(uint32_t storage_class)
{
	return storage_class == SpvStorageClassStorageBuffer ||
	       storage_class == SpvStorageClassUniform ||
	       storage_class == SpvStorageClassWorkgroup ||
	       storage_class == SpvStorageClassUniformConstant;
}

static bool is_shared_type(const struct vkr_module *module, uint32_t type)
{
	return (vkr_is_pointer_type(module, type) || vkr_is_opaque_type(module, type)) &&
	       is_shared_class(vkr_pointer_class(module, type));
}

bool vkr_is_null_pointer(const struct vkr_module *module, uint32_t id)
{
	uint16_t opcode = vkr_module_definition(module, id)->opcode;
	return opcode == SpvOpConstantNull || opcode == SpvOpUndef;
}

static bool names_id(const struct vkr_module *module, const struct vkr_instruction *in, uint32_t id)
{
	for (uint16_t u = 0; u < in->use_count; u++) {
		if (module->words[module->uses[in->first_use + u]] == id)
			return true;
	}
	return false;
}

bool vkr_holds_pointer(const struct vkr_analysis *analysis, uint32_t variable)
{
	const struct vkr_module *module = analysis->module;
	const struct vkr_instruction *def = vkr_module_definition(module, variable);
	if (def->opcode != SpvOpVariable ||
	    !is_shared_type(module, vkr_pointer_pointee(module, def->type)))
		return false;
	for (size_t f = 0; f < module->function_count; f++) {
		const struct vkr_function *function = &module->functions[f];
		for (uint32_t i = function->body; analysis->reached[f] && i < function->end; i++) {
			const struct vkr_instruction *in = &module->instructions[i];
			bool is_plain = in->opcode == SpvOpLoad || in->opcode == SpvOpVariable ||
					(in->opcode == SpvOpStore &&
					 vkr_module_word(module, in, 2) != variable);
			bool is_debug =
				in->opcode == SpvOpExtInst && in->ext_set != VKR_EXT_GLSL_STD_450;
			if (!is_plain && !is_debug && names_id(module, in, variable))
				return false;
		}
	}
	return true;
}

typedef bool visit_source(void *user, uint32_t source, uint32_t at);

static uint32_t function_of(const struct vkr_module *module, uint32_t instruction)
{
	uint32_t f = 0;
	while (instruction >= module->functions[f].end)
		f++;
	return f;
}

// The position of a parameter among its function's.
static uint32_t parameter_index(const struct vkr_module *module, uint32_t instruction)
{
	uint32_t index = 0;
	for (uint32_t i = instruction - 1; module->instructions[i].opcode != SpvOpFunction; i--)
		index += module->instructions[i].opcode == SpvOpFunctionParameter;
	return index;
}

static bool visit_arguments(const struct vkr_analysis *analysis, uint32_t parameter,
			    visit_source *visit, void *user)
{
	const struct vkr_module *module = analysis->module;
	uint32_t callee = function_of(module, parameter);
	uint32_t index = parameter_index(module, parameter);
	for (size_t f = 0; f < module->function_count; f++) {
		const struct vkr_function *function = &module->functions[f];
		for (uint32_t i = function->body; analysis->reached[f] && i < function->end; i++) {
			const struct vkr_instruction *in = &module->instructions[i];
			if (in->opcode == SpvOpFunctionCall &&
			    vkr_module_callee(analysis->module, in) == callee &&
			    !visit(user, vkr_module_word(module, in, 4 + index), i))
				return false;
		}
	}
	return true;
}

static bool visit_returns(const struct vkr_analysis *analysis, const struct vkr_instruction *call,
			  visit_source *visit, void *user)
{
	const struct vkr_module *module = analysis->module;
	const struct vkr_function *callee =
		&module->functions[vkr_module_callee(analysis->module, call)];
	for (uint32_t i = callee->body; i < callee->end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode == SpvOpReturnValue &&
		    !visit(user, vkr_module_word(module, in, 1), i))
			return false;
	}
	return callee->body < callee->end;
}

static bool visit_stores(const struct vkr_analysis *analysis, uint32_t variable,
			 visit_source *visit, void *user)
{
	const struct vkr_module *module = analysis->module;
	if (!vkr_holds_pointer(analysis, variable))
		return false;
	const struct vkr_instruction *def = vkr_module_definition(module, variable);
	if (def->length > 4 &&
	    !visit(user, vkr_module_word(module, def, 4), (uint32_t)(def - module->instructions)))
		return false;
	for (size_t f = 0; f < module->function_count; f++) {
		const struct vkr_function *function = &module->functions[f];
		for (uint32_t i = function->body; analysis->reached[f] && i < function->end; i++) {
			const struct vkr_instruction *in = &module->instructions[i];
			if (in->opcode == SpvOpStore &&
			    vkr_module_word(module, in, 1) == variable &&
			    !visit(user, vkr_module_word(module, in, 2), i))
				return false;
		}
	}
	return true;
}

bool vkr_pointer_sources(const struct vkr_analysis *analysis, uint32_t pointer, visit_source *visit,
			 void *user)
{
	const struct vkr_module *module = analysis->module;
	const struct vkr_instruction *in = vkr_module_definition(module, pointer);
	uint32_t at = (uint32_t)(in - module->instructions);
	switch (in->opcode) {
	case SpvOpPhi:
		for (uint32_t w = 3; w < in->length; w += 2) {
			if (!visit(user, vkr_module_word(module, in, w), at))
				return false;
		}
		return true;
	case SpvOpSelect:
		return visit(user, vkr_module_word(module, in, 4), at) &&
		       visit(user, vkr_module_word(module, in, 5), at);
	case SpvOpFunctionParameter:
		return visit_arguments(analysis, at, visit, user);
	case SpvOpFunctionCall:
		return visit_returns(analysis, in, visit, user);
	case SpvOpLoad:
		return visit_stores(analysis, vkr_module_word(module, in, 3), visit, user);
	default:
		return false;
	}
}

struct finding {
	struct vkr_analysis *analysis;
	struct vkr_pointer_base *base; // whose sources are looked at
	bool changed, failed;
};

static void add_variable(struct finding *finding, uint32_t variable)
{
	struct vkr_pointer_base *base = finding->base;
	for (uint32_t i = 0; i < base->variable_count; i++) {
		if (base->variables[i] == variable)
			return;
	}
	// Few and seldom: a new list for each.
	uint32_t *list = vkr_arena_alloc(finding->analysis->arena,
					 (base->variable_count + 1) * sizeof *list);
	if (!list) {
		finding->failed = true;
		return;
	}
	for (uint32_t i = 0; i < base->variable_count; i++)
		list[i] = base->variables[i];
	list[base->variable_count++] = variable;
	base->variables = list;
	finding->changed = true;
}

static bool is_same_layout(const struct vkr_layout *a, const struct vkr_layout *b)
{
	return a->is_explicit == b->is_explicit && a->row_major == b->row_major &&
	       a->matrix_stride == b->matrix_stride && a->component_stride == b->component_stride;
}

// Takes over what the source's place says. False where the source cannot be followed.
static bool pointer_bases_merge(struct finding *finding, const struct vkr_pointer_target *place)
{
	struct vkr_pointer_base *base = finding->base;
	if (place->kind == VKR_TARGET_ADDRESS) {
		finding->changed |= !base->is_address;
		base->is_address = true;
		return !base->variable_count;
	}
	if (base->is_address ||
	    (place->kind != VKR_TARGET_VARIABLE && place->kind != VKR_TARGET_CHOSEN))
		return false;
	if (base->has_layout && !is_same_layout(&base->layout, &place->layout))
		return false;
	bool more = !base->has_layout || base->is_coherent < place->is_coherent ||
		    base->is_volatile < place->is_volatile;
	base->has_layout = true;
	base->layout = place->layout;
	base->is_coherent |= place->is_coherent;
	base->is_volatile |= place->is_volatile;
	finding->changed |= more;
	if (!place->base) {
		add_variable(finding, place->variable);
	} else {
		for (uint32_t i = 0; i < place->base->variable_count; i++)
			add_variable(finding, place->base->variables[i]);
	}
	return true;
}

static bool look_at(void *user, uint32_t source, uint32_t at)
{
	struct finding *finding = user;
	const struct vkr_analysis *analysis = finding->analysis;
	struct vkr_pointer_target place;
	(void)at;
	uint32_t root = vkr_pointer_root(analysis->module, source);
	if (vkr_is_null_pointer(analysis->module, root))
		return true;
	struct vkr_pointer_base *from = analysis->book.bases[root];
	if (from && from->is_unknown)
		return false;
	if (from && !from->variable_count && !from->is_address)
		return true; // not known yet
	if (!vkr_pointer_target_resolve(&analysis->book, source, &place)) {
		finding->failed = true;
		return false;
	}
	return pointer_bases_merge(finding, &place);
}

static bool may_be_base(const struct vkr_module *module, const struct vkr_instruction *in)
{
	switch (in->opcode) {
	case SpvOpPhi:
	case SpvOpSelect:
	case SpvOpFunctionParameter:
	case SpvOpFunctionCall:
		return is_shared_type(module, in->type);
	case SpvOpLoad: // of an opaque value: from its descriptor
		return vkr_is_pointer_type(module, in->type) && is_shared_type(module, in->type);
	default:
		return false;
	}
}

// Lists the bases; NULL stands at the end. NULL for lack of memory.
static struct vkr_pointer_base **list_bases(struct vkr_analysis *analysis,
					    struct vkr_pointer_base **by_id)
{
	const struct vkr_module *module = analysis->module;
	size_t count = 0;
	struct vkr_pointer_base **list =
		vkr_arena_alloc(analysis->arena, (module->instruction_count + 1) * sizeof(void *));
	for (size_t f = 0; list && f < module->function_count; f++) {
		const struct vkr_function *function = &module->functions[f];
		for (uint32_t i = function->first; analysis->reached[f] && i < function->end; i++) {
			const struct vkr_instruction *in = &module->instructions[i];
			if (!may_be_base(module, in))
				continue;
			list[count] = vkr_arena_alloc(analysis->arena, sizeof **list);
			if (!list[count])
				return NULL;
			*list[count] = (struct vkr_pointer_base){.pointer = in->result};
			by_id[in->result] = list[count++];
		}
	}
	return list;
}

bool vkr_pointer_bases_find(struct vkr_analysis *analysis)
{
	struct vkr_pointer_base **by_id =
		vkr_arena_alloc(analysis->arena, analysis->module->bound * sizeof *by_id);
	struct vkr_pointer_base **list = by_id ? list_bases(analysis, by_id) : NULL;
	struct finding finding = {.analysis = analysis};
	if (!list)
		return false;
	analysis->bases = list;
	analysis->book.bases = by_id;
	// Sets only grow, and what is unknown stays so: this ends.
	do {
		finding.changed = false;
		for (size_t i = 0; list[i]; i++) {
			finding.base = list[i];
			if (list[i]->is_unknown ||
			    vkr_pointer_sources(analysis, list[i]->pointer, look_at, &finding))
				continue;
			if (finding.failed)
				return false;
			list[i]->is_unknown = finding.changed = true;
		}
	} while (finding.changed);
	return true;
}

static bool use_source(void *user, uint32_t source, uint32_t at)
{
	struct finding *finding = user;
	struct vkr_pointer_target place;
	(void)at;
	if (vkr_is_null_pointer(finding->analysis->module,
				vkr_pointer_root(finding->analysis->module, source)))
		return true;
	if (!vkr_pointer_target_resolve(&finding->analysis->book, source, &place))
		return false;
	return !place.base || vkr_pointer_bases_use(finding->analysis, place.base);
}

bool vkr_pointer_bases_use(struct vkr_analysis *analysis, struct vkr_pointer_base *base)
{
	struct finding finding = {.analysis = analysis};
	if (base->is_used)
		return true;
	base->is_used = true;
	return vkr_pointer_sources(analysis, base->pointer, use_source, &finding);
}
