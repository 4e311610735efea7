// SPDX-License-Identifier: Apache-2.0
#include "input_code.h"

#include "interlock.h"

#include <assert.h>
#include <string.h>

// VkShaderStageFlagBits.
enum {
	STAGE_VERTEX = 0x1,
	STAGE_TESSELLATION_CONTROL = 0x2,
	STAGE_TESSELLATION_EVALUATION = 0x4,
	STAGE_GEOMETRY = 0x8,
	STAGE_FRAGMENT = 0x10,
	STAGE_TASK = 0x40,
	STAGE_MESH = 0x80,
	STAGES_RAY_TRACING = 0x3f00,
};

static const struct identity_source {
	enum vkr_identity bit;
	SpvBuiltIn builtin;
	enum vkr_input_type type;
	uint32_t stages; // that always have it
} sources[] = {
	{VKR_IDENTITY_VERTEX, SpvBuiltInVertexIndex, VKR_INPUT_UINT, STAGE_VERTEX},
	{VKR_IDENTITY_INSTANCE, SpvBuiltInInstanceIndex, VKR_INPUT_UINT, STAGE_VERTEX},
	{VKR_IDENTITY_FRAGMENT, SpvBuiltInFragCoord, VKR_INPUT_VEC4, STAGE_FRAGMENT},
	{VKR_IDENTITY_PRIMITIVE, SpvBuiltInPrimitiveId, VKR_INPUT_UINT,
	 STAGE_TESSELLATION_CONTROL | STAGE_TESSELLATION_EVALUATION | STAGE_GEOMETRY},
	{VKR_IDENTITY_INVOCATION, SpvBuiltInInvocationId, VKR_INPUT_UINT,
	 STAGE_TESSELLATION_CONTROL | STAGE_GEOMETRY},
	{VKR_IDENTITY_TESSELLATION, SpvBuiltInTessCoord, VKR_INPUT_VEC3,
	 STAGE_TESSELLATION_EVALUATION},
	{VKR_IDENTITY_SAMPLE, SpvBuiltInSampleId, VKR_INPUT_UINT, 0},
	{VKR_IDENTITY_LAYER, SpvBuiltInLayer, VKR_INPUT_UINT, 0},
	{VKR_IDENTITY_VIEW, SpvBuiltInViewIndex, VKR_INPUT_UINT, 0},
	{VKR_IDENTITY_DRAW, SpvBuiltInDrawIndex, VKR_INPUT_UINT, 0},
	{VKR_IDENTITY_WORKGROUP, SpvBuiltInWorkgroupId, VKR_INPUT_UVEC3, STAGE_TASK | STAGE_MESH},
	{VKR_IDENTITY_LOCAL, SpvBuiltInLocalInvocationIndex, VKR_INPUT_UINT,
	 STAGE_TASK | STAGE_MESH},
	{VKR_IDENTITY_NUMBER, SpvBuiltInMax, VKR_INPUT_UINT, 0}, // no builtin
	{VKR_IDENTITY_LAUNCH, SpvBuiltInLaunchIdKHR, VKR_INPUT_UVEC3, STAGES_RAY_TRACING},
	{VKR_IDENTITY_COVERAGE, SpvBuiltInSampleMask, VKR_INPUT_MASK, 0},
	{VKR_IDENTITY_END, SpvBuiltInMax, VKR_INPUT_UINT, 0}, // not known before
};
static_assert(sizeof sources / sizeof *sources == VKR_IDENTITY_BITS, "one a bit, in their order");

static const uint32_t all_stages = STAGE_VERTEX | STAGE_TESSELLATION_CONTROL |
				   STAGE_TESSELLATION_EVALUATION | STAGE_GEOMETRY | STAGE_FRAGMENT |
				   STAGE_TASK | STAGE_MESH | STAGES_RAY_TRACING;

// The opcode of a type's scalars, and how many there are.
static SpvOp shape_of(enum vkr_input_type type, uint32_t *components)
{
	*components = 1;
	switch (type) {
	case VKR_INPUT_UVEC3:
		*components = 3;
		return SpvOpTypeInt;
	case VKR_INPUT_BOOL:
		return SpvOpTypeBool;
	case VKR_INPUT_VEC3:
		*components = 3;
		return SpvOpTypeFloat;
	case VKR_INPUT_VEC4:
		*components = 4;
		return SpvOpTypeFloat;
	case VKR_INPUT_UINT:
	case VKR_INPUT_MASK:
		break;
	}
	return SpvOpTypeInt;
}

static bool has_shape(const struct vkr_module *module, uint32_t pointer, enum vkr_input_type type)
{
	uint32_t components;
	SpvOp scalar = shape_of(type, &components);
	const struct vkr_instruction *def =
		vkr_module_definition(module, vkr_pointer_pointee(module, pointer));
	if (components > 1) {
		if (def->opcode != SpvOpTypeVector || vkr_module_word(module, def, 3) != components)
			return false;
		def = vkr_module_definition(module, vkr_module_word(module, def, 2));
	}
	if (type == VKR_INPUT_MASK) {
		if (def->opcode != SpvOpTypeArray)
			return false;
		def = vkr_module_definition(module, vkr_module_word(module, def, 2));
	}
	return def->opcode == scalar &&
	       (scalar == SpvOpTypeBool || vkr_module_word(module, def, 2) == 32);
}

static bool is_listed(const struct vkr_analysis *analysis, uint32_t id)
{
	const struct vkr_module *module = analysis->module;
	const struct vkr_instruction *in = &module->instructions[analysis->entry_point];
	const uint32_t *words = &module->words[in->at];
	size_t first = 3 + strlen((const char *)&words[3]) / 4 + 1;
	for (size_t i = first; i < in->length; i++) {
		if (words[i] == id)
			return true;
	}
	return false;
}

uint32_t vkr_input_find(const struct vkr_analysis *analysis, SpvBuiltIn builtin,
			enum vkr_input_type type)
{
	const struct vkr_module *module = analysis->module;
	uint32_t found = 0;
	for (uint32_t i = module->first_global; i < module->first_function; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		uint32_t value;
		if (in->opcode != SpvOpVariable ||
		    vkr_module_word(module, in, 3) != SpvStorageClassInput ||
		    !vkr_module_decorated(module, in->result, VKR_NO_MEMBER, SpvDecorationBuiltIn,
					  &value) ||
		    value != (uint32_t)builtin || !has_shape(module, in->type, type))
			continue;
		if (is_listed(analysis, in->result))
			return in->result;
		if (!found)
			found = in->result;
	}
	return found;
}

static uint32_t type_id(struct vkr_maker *maker, enum vkr_input_type type)
{
	uint32_t components, scalar = maker->uint_type;
	SpvOp opcode = shape_of(type, &components);
	if (opcode == SpvOpTypeBool)
		scalar = vkr_maker_type(maker, SpvOpTypeBool, NULL, 0);
	else if (opcode == SpvOpTypeFloat)
		scalar = vkr_maker_type(maker, SpvOpTypeFloat, (const uint32_t[]){32}, 1);
	return components > 1 ? vkr_maker_vector(maker, scalar, components) : scalar;
}

// An array type of our own: those of the module may have a layout.
static uint32_t mask_type(struct vkr_maker *maker)
{
	const uint32_t one = vkr_maker_uint(maker, 1), type = vkr_maker_id(maker);
	VKR_PUT(&maker->globals, SpvOpTypeArray, type, maker->uint_type, one);
	return type;
}

uint32_t vkr_input_make(struct vkr_inputs *inputs, SpvBuiltIn builtin, enum vkr_input_type type)
{
	uint32_t id = vkr_input_find(inputs->analysis, builtin, type);
	if (!id) {
		const bool is_mask = type == VKR_INPUT_MASK;
		id = vkr_maker_variable(
			inputs->maker, SpvStorageClassInput,
			is_mask ? mask_type(inputs->maker) : type_id(inputs->maker, type), 0);
		if (is_mask)
			VKR_PUT(&inputs->maker->annotations, SpvOpDecorate, id, SpvDecorationFlat);
		VKR_PUT(&inputs->maker->annotations, SpvOpDecorate, id, SpvDecorationBuiltIn,
			(uint32_t)builtin);
	}
	assert(inputs->count < VKR_INPUTS_MOST);
	inputs->items[inputs->count++] = id;
	return id;
}

uint32_t vkr_sample_mask_find(const struct vkr_analysis *analysis)
{
	const struct vkr_module *module = analysis->module;
	for (uint32_t i = module->first_global; i < module->first_function; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		uint32_t value;
		if (in->opcode == SpvOpVariable &&
		    vkr_module_word(module, in, 3) == SpvStorageClassOutput &&
		    vkr_module_decorated(module, in->result, VKR_NO_MEMBER, SpvDecorationBuiltIn,
					 &value) &&
		    value == SpvBuiltInSampleMask && is_listed(analysis, in->result))
			return in->result;
	}
	return 0;
}

uint32_t vkr_sample_mask_type(const struct vkr_module *module, uint32_t variable)
{
	const uint32_t array =
		vkr_pointer_pointee(module, vkr_module_definition(module, variable)->type);
	return vkr_module_word(module, vkr_module_definition(module, array), 2);
}

static uint32_t emit_unary(const struct vkr_inputs *inputs, struct vkr_spirv_words *code,
			   SpvOp opcode, uint32_t type, uint32_t a)
{
	uint32_t id = vkr_maker_id(inputs->maker);
	VKR_PUT(code, opcode, type, id, a);
	return id;
}

uint32_t vkr_input_load(const struct vkr_inputs *inputs, struct vkr_spirv_words *code,
			uint32_t variable, enum vkr_input_type type)
{
	const struct vkr_module *module = inputs->maker->module;
	uint32_t wanted = type_id(inputs->maker, type), pointee = wanted;
	if (variable < module->bound)
		pointee =
			vkr_pointer_pointee(module, vkr_module_definition(module, variable)->type);
	if (type == VKR_INPUT_MASK) {
		if (pointee != wanted)
			pointee =
				vkr_module_word(module, vkr_module_definition(module, pointee), 2);
		const uint32_t first = vkr_maker_id(inputs->maker);
		VKR_PUT(code, SpvOpAccessChain,
			vkr_maker_pointer(inputs->maker, SpvStorageClassInput, pointee), first,
			variable, vkr_maker_uint(inputs->maker, 0));
		variable = first;
	}
	uint32_t value = emit_unary(inputs, code, SpvOpLoad, pointee, variable);
	return pointee == wanted ? value : emit_unary(inputs, code, SpvOpBitcast, wanted, value);
}

uint32_t vkr_identity_of(const struct vkr_analysis *analysis)
{
	uint32_t identity = 0, stage = analysis->options->stage;
	if (!(stage & all_stages))
		return 0;
	for (uint32_t bit = 0; bit < VKR_IDENTITY_BITS; bit++) {
		const struct identity_source *source = &sources[bit];
		if (source->bit == VKR_IDENTITY_COVERAGE) {
			if (stage == STAGE_FRAGMENT && (vkr_interlock_is_of_samples(analysis) ||
							analysis->options->asks_samples))
				identity |= VKR_IDENTITY_COVERAGE;
			continue;
		}
		uint32_t own = vkr_input_find(analysis, source->builtin, source->type);
		if ((stage & source->stages) || (own && is_listed(analysis, own)))
			identity |= (uint32_t)source->bit;
	}
	return identity;
}

void vkr_identity_make(struct vkr_inputs *inputs)
{
	for (uint32_t bit = 0; bit < VKR_IDENTITY_BITS; bit++) {
		if (inputs->analysis->identity >> bit & 1 && sources[bit].builtin != SpvBuiltInMax)
			inputs->identity[bit] =
				vkr_input_make(inputs, sources[bit].builtin, sources[bit].type);
	}
}

uint32_t vkr_identity_variable(const struct vkr_inputs *inputs, enum vkr_identity wanted)
{
	uint32_t bit = 0;
	while ((uint32_t)wanted >> bit != 1)
		bit++;
	return inputs->identity[bit];
}

// A component as a word: the bits of TessCoord's floats, FragCoord's as whole pixels, integers.
static uint32_t input_code_component(const struct vkr_inputs *inputs, struct vkr_spirv_words *code,
				     const struct identity_source *source, uint32_t vector,
				     uint32_t index)
{
	uint32_t u = inputs->maker->uint_type;
	uint32_t scalar = vkr_maker_type(inputs->maker, SpvOpTypeFloat, (const uint32_t[]){32}, 1);
	uint32_t part = vkr_maker_id(inputs->maker);
	if (source->type == VKR_INPUT_UVEC3) {
		VKR_PUT(code, SpvOpCompositeExtract, u, part, vector, index);
		return part;
	}
	VKR_PUT(code, SpvOpCompositeExtract, scalar, part, vector, index);
	return emit_unary(inputs, code,
			  source->bit == VKR_IDENTITY_FRAGMENT ? SpvOpConvertFToU : SpvOpBitcast, u,
			  part);
}

uint32_t vkr_fragment_position(const struct vkr_inputs *inputs, struct vkr_spirv_words *code,
			       uint32_t axis)
{
	uint32_t bit = 0;
	while (sources[bit].bit != VKR_IDENTITY_FRAGMENT)
		bit++;
	uint32_t position = vkr_input_load(inputs, code, inputs->identity[bit], sources[bit].type);
	return input_code_component(inputs, code, &sources[bit], position, axis);
}

void vkr_identity_load(const struct vkr_inputs *inputs, struct vkr_spirv_words *code,
		       uint32_t number, struct vkr_spirv_words *words)
{
	const uint32_t zero = vkr_maker_uint(inputs->maker, 0);
	size_t before = words->count;
	for (uint32_t bit = 0; bit < VKR_IDENTITY_BITS; bit++) {
		const struct identity_source *source = &sources[bit];
		if (inputs->analysis->identity & (uint32_t)source->bit & VKR_IDENTITY_NUMBER)
			vkr_spirv_words_raw(words, &number, 1);
		if (inputs->analysis->identity & (uint32_t)source->bit & VKR_IDENTITY_END)
			vkr_spirv_words_raw(words, &zero, 1);
		if (!inputs->identity[bit])
			continue;
		uint32_t count = vkr_identity_words(source->bit);
		uint32_t value = vkr_input_load(inputs, code, inputs->identity[bit], source->type);
		for (uint32_t i = 0; i < count; i++) {
			uint32_t word =
				count > 1 ? input_code_component(inputs, code, source, value, i)
					  : value;
			vkr_spirv_words_raw(words, &word, 1);
		}
	}
	if ((words->count - before) % 2)
		vkr_spirv_words_raw(words, &zero, 1);
}
