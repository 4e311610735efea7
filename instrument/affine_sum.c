// SPDX-License-Identifier: Apache-2.0
#include "affine_sum.h"

#include "address.h"

#define DEPTH_MOST 16u // of expressions: what lies deeper is taken as something else

// `written` of a variable that is used in any other way.
#define WRITTEN_OTHERWISE UINT32_MAX

static bool is_debug(const struct vkr_instruction *in)
{
	return in->opcode == SpvOpExtInst && in->ext_set == VKR_EXT_SHADER_DEBUG_INFO;
}

// Follows chains to the function's variable that they lead into; 0: they do not.
static uint32_t variable_of(const struct vkr_module *module, uint32_t pointer)
{
	for (;;) {
		const struct vkr_instruction *in = vkr_module_definition(module, pointer);
		if (in->opcode == SpvOpVariable &&
		    vkr_module_word(module, in, 3) == SpvStorageClassFunction)
			return in->result;
		if (!vkr_opcode_is(in->opcode, VKR_OPCODE_CHAIN))
			return 0;
		pointer = vkr_module_word(module, in, 3);
	}
}

static bool is_pointer(const struct vkr_module *module, uint32_t id)
{
	if (!module->ids[id].instruction)
		return false;
	const struct vkr_instruction *in = vkr_module_definition(module, id);
	return in->opcode == SpvOpVariable || vkr_opcode_is(in->opcode, VKR_OPCODE_CHAIN);
}

static void note_use(struct vkr_affine_values *values, const struct vkr_instruction *in,
		     uint32_t at)
{
	const struct vkr_module *module = values->module;
	uint32_t id = module->words[at];
	uint32_t variable = is_pointer(module, id) ? variable_of(module, id) : 0;
	if (!variable || is_debug(in) || (in->opcode == SpvOpLoad && at == in->at + 3) ||
	    (vkr_opcode_is(in->opcode, VKR_OPCODE_CHAIN) && at == in->at + 3))
		return;
	bool is_whole = in->opcode == SpvOpStore && at == in->at + 1 && id == variable &&
			!values->written[variable];
	values->written[variable] = is_whole ? vkr_module_word(module, in, 2) : WRITTEN_OTHERWISE;
}

bool vkr_affine_values_init(struct vkr_affine_values *values, const struct vkr_module *module,
			    const struct vkr_constants *constants, const uint32_t *workgroup_size,
			    struct vkr_arena *arena)
{
	*values = (struct vkr_affine_values){
		.module = module, .constants = constants, .workgroup_size = workgroup_size};
	values->written = vkr_arena_alloc(arena, module->bound * sizeof *values->written);
	if (!values->written)
		return false;
	for (uint32_t i = module->first_function; i < module->instruction_count; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode == SpvOpVariable && in->length > 4) // an initializer
			values->written[in->result] = WRITTEN_OTHERWISE;
		for (uint16_t u = 0; u < in->use_count; u++)
			note_use(values, in, module->uses[in->first_use + u]);
	}
	return true;
}

// ---- Sums ---------------------------------------------------------------------------------------

struct adding {
	const struct vkr_affine_values *values;
	struct vkr_affine_sum *sum;
};

static bool add_component(const struct adding *adding, uint32_t id, uint32_t component,
			  uint32_t factor, unsigned depth);

// Bits of the integers that a value is made of; 0: it is of no integers.
static uint32_t width_of(const struct vkr_module *module, uint32_t type)
{
	const struct vkr_instruction *def = vkr_module_definition(module, type);
	if (def->opcode == SpvOpTypeVector)
		def = vkr_module_definition(module, vkr_module_word(module, def, 2));
	return def->opcode == SpvOpTypeInt ? vkr_module_word(module, def, 2) : 0;
}

static bool is_vector(const struct vkr_module *module, uint32_t type)
{
	return vkr_module_definition(module, type)->opcode == SpvOpTypeVector;
}

static bool add_builtin(const struct adding *adding, uint32_t variable, uint32_t component,
			uint32_t factor)
{
	const uint32_t *size = adding->values->workgroup_size;
	struct vkr_affine_sum *sum = adding->sum;
	uint32_t builtin;
	if (!vkr_module_decorated(adding->values->module, variable, VKR_NO_MEMBER,
				  SpvDecorationBuiltIn, &builtin) ||
	    component > 2)
		return false;
	switch (builtin) {
	case SpvBuiltInWorkgroupId:
		sum->by_group[component] += factor;
		return true;
	case SpvBuiltInGlobalInvocationId:
		sum->by_group[component] += factor * size[component];
		sum->by_local[component] += factor;
		return true;
	case SpvBuiltInLocalInvocationId:
		sum->by_local[component] += factor;
		return true;
	case SpvBuiltInLocalInvocationIndex:
		sum->by_local[0] += factor;
		sum->by_local[1] += factor * size[0];
		sum->by_local[2] += factor * size[0] * size[1];
		return true;
	default:
		return false;
	}
}

// Adds the result of a load: an input, or the single value that is stored to a variable.
static bool add_load(const struct adding *adding, const struct vkr_instruction *load,
		     uint32_t component, uint32_t factor, unsigned depth)
{
	const struct vkr_module *module = adding->values->module;
	const struct vkr_instruction *pointer =
		vkr_module_definition(module, vkr_module_word(module, load, 3));
	if (vkr_opcode_is(pointer->opcode, VKR_OPCODE_CHAIN)) {
		uint64_t index;
		if (pointer->length != 5 || is_vector(module, load->type) ||
		    !vkr_constant_value(adding->values->constants,
					vkr_module_word(module, pointer, 4), &index) ||
		    index > 3)
			return false;
		component = (uint32_t)index;
		pointer = vkr_module_definition(module, vkr_module_word(module, pointer, 3));
		if (pointer->opcode != SpvOpVariable ||
		    !is_vector(module, vkr_pointer_pointee(module, pointer->type)))
			return false;
	}
	if (pointer->opcode != SpvOpVariable)
		return false;
	if (vkr_module_word(module, pointer, 3) == SpvStorageClassInput)
		return add_builtin(adding, pointer->result, component, factor);
	if (vkr_module_word(module, pointer, 3) != SpvStorageClassFunction)
		return false;
	uint32_t written = adding->values->written[pointer->result];
	return written && written != WRITTEN_OTHERWISE &&
	       add_component(adding, written, component, factor, depth + 1);
}

// The component of a constant, or of an integer constant itself.
static bool constant_of(const struct adding *adding, uint32_t id, uint32_t component,
			uint64_t *value)
{
	const struct vkr_module *module = adding->values->module;
	uint32_t type = vkr_module_definition(module, id)->type;
	return type && width_of(module, type) >= 32 &&
	       (is_vector(module, type)
			? vkr_constant_component(adding->values->constants, id, component, value)
			: vkr_constant_value(adding->values->constants, id, value));
}

static bool add_product(const struct adding *adding, const struct vkr_instruction *in,
			uint32_t component, uint32_t factor, unsigned depth)
{
	const struct vkr_module *module = adding->values->module;
	uint32_t a = vkr_module_word(module, in, 3), b = vkr_module_word(module, in, 4);
	uint64_t value;
	if (in->opcode == SpvOpShiftLeftLogical)
		return constant_of(adding, b, component, &value) && value < 32 &&
		       add_component(adding, a, component, factor << value, depth + 1);
	if (constant_of(adding, b, component, &value))
		return add_component(adding, a, component, factor * (uint32_t)value, depth + 1);
	return constant_of(adding, a, component, &value) &&
	       add_component(adding, b, component, factor * (uint32_t)value, depth + 1);
}

static bool add_shuffle(const struct adding *adding, const struct vkr_instruction *in,
			uint32_t component, uint32_t factor, unsigned depth)
{
	const struct vkr_module *module = adding->values->module;
	if (component + 5u >= in->length)
		return false;
	uint32_t from = vkr_module_word(module, in, component + 5);
	uint32_t first = vkr_module_word(module, in, 3);
	uint32_t type = vkr_module_definition(module, first)->type;
	uint32_t count = vkr_module_word(module, vkr_module_definition(module, type), 3);
	if (from == UINT32_MAX)
		return false;
	return from < count ? add_component(adding, first, from, factor, depth + 1)
			    : add_component(adding, vkr_module_word(module, in, 4), from - count,
					    factor, depth + 1);
}

// One of scalars; a vector among them makes places unclear.
static bool add_construct(const struct adding *adding, const struct vkr_instruction *in,
			  uint32_t component, uint32_t factor, unsigned depth)
{
	const struct vkr_module *module = adding->values->module;
	if (!is_vector(module, in->type) || component + 3u >= in->length ||
	    in->length - 3u != vkr_module_word(module, vkr_module_definition(module, in->type), 3))
		return false;
	return add_component(adding, vkr_module_word(module, in, component + 3), 0, factor,
			     depth + 1);
}

static bool add_extract(const struct adding *adding, const struct vkr_instruction *in,
			uint32_t factor, unsigned depth)
{
	const struct vkr_module *module = adding->values->module;
	uint32_t composite = vkr_module_word(module, in, 3);
	return in->length == 5 &&
	       is_vector(module, vkr_module_definition(module, composite)->type) &&
	       add_component(adding, composite, vkr_module_word(module, in, 4), factor, depth + 1);
}

static bool add_component(const struct adding *adding, uint32_t id, uint32_t component,
			  uint32_t factor, unsigned depth)
{
	const struct vkr_module *module = adding->values->module;
	const struct vkr_instruction *in = vkr_module_definition(module, id);
	uint64_t value;
	// Integers of less than 32 bits wrap earlier.
	if (depth > DEPTH_MOST || !in->type || width_of(module, in->type) < 32)
		return false;
	if (constant_of(adding, id, component, &value)) {
		adding->sum->constant += (uint32_t)value * factor;
		return true;
	}
	switch (in->opcode) {
	case SpvOpLoad:
		return add_load(adding, in, component, factor, depth);
	case SpvOpCompositeExtract:
		return add_extract(adding, in, factor, depth);
	case SpvOpVectorShuffle:
		return add_shuffle(adding, in, component, factor, depth);
	case SpvOpCompositeConstruct:
		return add_construct(adding, in, component, factor, depth);
	case SpvOpCopyObject:
	case SpvOpUConvert:
	case SpvOpSConvert:
		return add_component(adding, vkr_module_word(module, in, 3), component, factor,
				     depth + 1);
	case SpvOpBitcast: // between integers of one width, component by component
		return width_of(module,
				vkr_module_definition(module, vkr_module_word(module, in, 3))
					->type) == width_of(module, in->type) &&
		       add_component(adding, vkr_module_word(module, in, 3), component, factor,
				     depth + 1);
	case SpvOpIAdd:
	case SpvOpISub:
		return add_component(adding, vkr_module_word(module, in, 3), component, factor,
				     depth + 1) &&
		       add_component(adding, vkr_module_word(module, in, 4), component,
				     in->opcode == SpvOpIAdd ? factor : 0 - factor, depth + 1);
	case SpvOpSNegate:
		return add_component(adding, vkr_module_word(module, in, 3), component, 0 - factor,
				     depth + 1);
	case SpvOpIMul:
	case SpvOpShiftLeftLogical:
		return add_product(adding, in, component, factor, depth);
	default:
		return false;
	}
}

bool vkr_affine_sum_add(const struct vkr_affine_values *values, uint32_t id, uint32_t factor,
			struct vkr_affine_sum *sum)
{
	struct vkr_affine_sum made = *sum;
	const struct adding adding = {values, &made};
	if (is_vector(values->module, vkr_module_definition(values->module, id)->type) ||
	    !add_component(&adding, id, 0, factor, 0))
		return false;
	*sum = made;
	return true;
}
