// SPDX-License-Identifier: Apache-2.0
#include "site_code.h"

#include "heap_code.h"
#include "image_code.h"

struct writer {
	struct vkr_pointer_code *pointers;
	const struct vkr_module *module;
	struct vkr_maker *maker;
	struct vkr_spirv_words *code;
	struct vkr_spirv_words *words;
};

static uint32_t emit_unary(struct writer *writer, SpvOp opcode, uint32_t type, uint32_t a)
{
	return vkr_maker_unary(writer->maker, writer->code, opcode, type, a);
}

static uint32_t emit_binary(struct writer *writer, SpvOp opcode, uint32_t type, uint32_t a,
			    uint32_t b)
{
	return vkr_maker_binary(writer->maker, writer->code, opcode, type, a, b);
}

static uint32_t emit_choice(struct writer *writer, uint32_t type, uint32_t condition, uint32_t a,
			    uint32_t b)
{
	uint32_t id = vkr_maker_id(writer->maker);
	VKR_PUT(writer->code, SpvOpSelect, type, id, condition, a, b);
	return id;
}

static void log_word(struct writer *writer, uint32_t id)
{
	vkr_spirv_words_raw(writer->words, &id, 1);
}

uint32_t vkr_index_word(struct vkr_maker *maker, struct vkr_spirv_words *code, uint32_t type,
			uint32_t index)
{
	const struct vkr_instruction *def = vkr_module_definition(maker->module, type);
	uint32_t width = vkr_module_word(maker->module, def, 2);
	uint32_t u = maker->uint_type;
	if (type == u)
		return index;
	bool is_signed = vkr_module_word(maker->module, def, 3);
	SpvOp convert = width < 32 && is_signed ? SpvOpSConvert : SpvOpUConvert;
	uint32_t id = vkr_maker_id(maker);
	VKR_PUT(code, width == 32 ? SpvOpBitcast : convert, u, id, index);
	return id;
}

uint32_t vkr_sum_word(struct vkr_maker *maker, struct vkr_spirv_words *code,
		      const struct vkr_sum *sum)
{
	struct writer own = {.module = maker->module, .maker = maker, .code = code};
	struct writer *writer = &own;
	uint32_t u = writer->maker->uint_type, total = 0;
	for (uint32_t t = 0; t < sum->term_count; t++) {
		uint32_t index = sum->terms[t].index;
		uint32_t part = vkr_index_word(
			maker, code, vkr_module_definition(maker->module, index)->type, index);
		const uint32_t scale = sum->terms[t].scale;
		if (scale)
			part = emit_binary(
				writer, SpvOpIMul, u, part,
				vkr_index_word(maker, code,
					       vkr_module_definition(maker->module, scale)->type,
					       scale));
		if (sum->terms[t].factor != 1)
			part = emit_binary(writer, SpvOpIMul, u, part,
					   vkr_maker_uint(writer->maker, sum->terms[t].factor));
		total = total ? emit_binary(writer, SpvOpIAdd, u, total, part) : part;
	}
	if (!total)
		return vkr_maker_uint(writer->maker, sum->constant);
	if (sum->constant)
		total = emit_binary(writer, SpvOpIAdd, u, total,
				    vkr_maker_uint(writer->maker, sum->constant));
	return total;
}

static void log_halves(struct writer *writer, uint32_t pair)
{
	const uint32_t u = writer->maker->uint_type;
	log_word(writer, emit_binary(writer, SpvOpCompositeExtract, u, pair, 0));
	log_word(writer, emit_binary(writer, SpvOpCompositeExtract, u, pair, 1));
}

static uint32_t as_pair(struct writer *writer, uint32_t value)
{
	uint32_t u = writer->maker->uint_type, uvec2 = vkr_maker_vector(writer->maker, u, 2);
	bool is_uvec2 = value < writer->module->bound &&
			vkr_module_definition(writer->module, value)->type == uvec2;
	return is_uvec2 ? value : emit_unary(writer, SpvOpBitcast, uvec2, value);
}

static void log_pair(struct writer *writer, uint32_t value)
{
	log_halves(writer, as_pair(writer, value));
}

// An atomic's value, of an integer or floating-point type or a vector of halves.
static void log_value(struct writer *writer, uint32_t type, uint32_t value)
{
	const struct vkr_instruction *def = vkr_module_definition(writer->module, type);
	uint32_t width = vkr_module_word(writer->module, def, 2);
	uint32_t u = writer->maker->uint_type;
	if (def->opcode == SpvOpTypeVector) // two or four halves (SPV_NV_shader_atomic_fp16_vector)
		width = 16 * vkr_module_word(writer->module, def, 3);
	if (width == 64) {
		log_pair(writer, value);
	} else if (type == u) {
		log_word(writer, value);
	} else if (width == 32) {
		log_word(writer, emit_unary(writer, SpvOpBitcast, u, value));
	} else if (def->opcode == SpvOpTypeInt) {
		log_word(writer, emit_unary(writer, SpvOpUConvert, u, value));
	} else {
		// Widening keeps different values different; a module may lack 16-bit integers.
		uint32_t wide =
			vkr_maker_type(writer->maker, SpvOpTypeFloat, (const uint32_t[]){32}, 1);
		uint32_t widened = emit_unary(writer, SpvOpFConvert, wide, value);
		log_word(writer, emit_unary(writer, SpvOpBitcast, u, widened));
	}
}

// min and max without GLSL.std.450, which the module may not import.
static uint32_t site_code_extreme(struct writer *writer, SpvOp compare, uint32_t type, uint32_t old,
				  uint32_t operand)
{
	const struct vkr_instruction *def = vkr_module_definition(writer->module, type);
	uint32_t bool_type = vkr_maker_type(writer->maker, SpvOpTypeBool, NULL, 0);
	if (def->opcode == SpvOpTypeVector)
		bool_type = vkr_maker_vector(writer->maker, bool_type,
					     vkr_module_word(writer->module, def, 3));
	uint32_t keeps = emit_binary(writer, compare, bool_type, old, operand);
	return emit_choice(writer, type, keeps, old, operand);
}

// A value of an atomic, of its result's type: it may be given as an integer of the other signedness
// (spirv_validity.c).
static uint32_t value_of(struct writer *writer, const struct vkr_instruction *in, uint32_t word,
			 uint32_t type)
{
	const uint32_t value = vkr_module_word(writer->module, in, word);
	return vkr_module_definition(writer->module, value)->type == type
		       ? value
		       : emit_unary(writer, SpvOpBitcast, type, value);
}

// The value that an atomic read-modify-write wrote, from the value read and its operand.
static uint32_t written_value(struct writer *writer, const struct vkr_instruction *in,
			      uint32_t type)
{
	uint32_t old = in->result;
	uint32_t operand = in->length > 6 ? value_of(writer, in, 6, type) : 0;
	const struct vkr_opcode *row = vkr_opcode(in->opcode);
	if (row->flags & VKR_OPCODE_STEP)
		operand = vkr_maker_integer(writer->maker, type, 1);
	if (row->flags & VKR_OPCODE_EXTREME)
		return site_code_extreme(writer, row->updates, type, old, operand);
	return row->updates ? emit_binary(writer, row->updates, type, old, operand) : operand;
}

static void log_evidence(struct writer *writer, const struct vkr_site_draft *draft,
			 const struct vkr_instruction *in)
{
	uint32_t type = draft->value_type;
	bool is_conditional = draft->site.flags & VKR_SITE_CONDITIONAL;
	if (in->opcode == SpvOpAtomicStore) {
		log_value(writer, type, vkr_module_word(writer->module, in, 4));
		return;
	}
	log_value(writer, type, in->result);
	if (in->opcode == SpvOpAtomicLoad)
		return;
	if (!is_conditional) {
		log_value(writer, type, written_value(writer, in, type));
		return;
	}
	uint32_t bool_type = vkr_maker_type(writer->maker, SpvOpTypeBool, NULL, 0);
	uint32_t value = value_of(writer, in, 7, type);
	uint32_t comparator = vkr_module_word(writer->module, in, 8);
	uint32_t wrote = emit_binary(writer, SpvOpIEqual, bool_type, in->result, comparator);
	log_value(writer, type, emit_choice(writer, type, wrote, value, in->result));
	uint32_t one = vkr_maker_uint(writer->maker, 1), zero = vkr_maker_uint(writer->maker, 0);
	log_word(writer, emit_choice(writer, writer->maker->uint_type, wrote, one, zero));
}

// The sum, counted from what the base is at run time.
static uint32_t place_word(struct writer *writer, const struct vkr_pointer_target *place,
			   const struct vkr_sum *sum, uint32_t which)
{
	if (!place->base)
		return vkr_sum_word(writer->maker, writer->code, sum);
	uint32_t base = vkr_pointer_code_ids(writer->pointers, place->base->pointer)[which];
	if (!sum->term_count && !sum->constant)
		return base;
	return emit_binary(writer, SpvOpIAdd, writer->maker->uint_type, base,
			   vkr_sum_word(writer->maker, writer->code, sum));
}

// The two halves of an acceleration structure's device address.
static void address_words(struct writer *writer, const struct vkr_pointer_target *place,
			  uint32_t words[VKR_POINTER_WORDS])
{
	const uint32_t u = writer->maker->uint_type;
	const uint32_t *base =
		place->base ? vkr_pointer_code_ids(writer->pointers, place->base->pointer) : NULL;
	const uint32_t pair = base ? 0 : as_pair(writer, place->address);
	words[VKR_POINTER_VARIABLE] = vkr_maker_uint(writer->maker, 0);
	words[VKR_POINTER_LOW] = base ? base[VKR_POINTER_LOW]
				      : emit_binary(writer, SpvOpCompositeExtract, u, pair, 0);
	words[VKR_POINTER_HIGH] = base ? base[VKR_POINTER_HIGH]
				       : emit_binary(writer, SpvOpCompositeExtract, u, pair, 1);
}

static void place_words(struct writer *writer, const struct vkr_pointer_target *place,
			uint32_t words[VKR_POINTER_WORDS])
{
	if (place->kind == VKR_TARGET_ADDRESS) {
		address_words(writer, place, words);
		return;
	}
	if (place->kind == VKR_TARGET_CHOSEN)
		words[VKR_POINTER_VARIABLE] = vkr_pointer_code_ids(
			writer->pointers, place->base->pointer)[VKR_POINTER_VARIABLE];
	else
		words[VKR_POINTER_VARIABLE] = vkr_maker_uint(
			writer->maker,
			vkr_analysis_variable_index(writer->pointers->analysis, place));
	words[VKR_POINTER_ELEMENT] =
		place_word(writer, place, &place->element, VKR_POINTER_ELEMENT);
	words[VKR_POINTER_OFFSET] = place_word(writer, place, &place->offset, VKR_POINTER_OFFSET);
}

void vkr_pointer_target_code(struct vkr_pointer_code *pointers,
			     const struct vkr_pointer_target *place, struct vkr_spirv_words *code,
			     uint32_t words[VKR_POINTER_WORDS])
{
	struct writer writer = {pointers, pointers->analysis->module, pointers->maker, code, NULL};
	place_words(&writer, place, words);
}

// The variable of a sampler that is separate from its image.
static uint32_t sampler_variable(struct writer *writer, const struct vkr_pointer_target *place,
				 uint32_t image)
{
	const struct vkr_analysis *analysis = writer->pointers->analysis;
	struct vkr_pointer_target of = *place;
	uint32_t found = vkr_maker_uint(writer->maker, vkr_analysis_variable_index(analysis, &of));
	for (uint32_t i = 1; i < place->base->variable_count; i++) {
		of.variable = place->base->variables[i];
		of.home = analysis->homes[of.variable];
		const uint32_t sampler =
			vkr_maker_uint(writer->maker, vkr_analysis_variable_index(analysis, &of));
		of.is_sampler_half = false;
		const uint32_t own =
			vkr_maker_uint(writer->maker, vkr_analysis_variable_index(analysis, &of));
		of.is_sampler_half = true;
		const uint32_t is_own = emit_binary(
			writer, SpvOpIEqual, vkr_maker_type(writer->maker, SpvOpTypeBool, NULL, 0),
			image, own);
		found = emit_choice(writer, writer->maker->uint_type, is_own, sampler, found);
	}
	return found;
}

void vkr_descriptor_code(struct vkr_pointer_code *pointers, const struct vkr_pointer_target *place,
			 struct vkr_spirv_words *code, struct vkr_spirv_words *words)
{
	uint32_t of[VKR_POINTER_WORDS];
	struct vkr_pointer_target image = *place;
	if (!vkr_descriptor_words(place))
		return;
	image.is_sampler_half = false;
	vkr_pointer_target_code(pointers, &image, code, of);
	const uint32_t element = vkr_mapped_element(pointers, place, of, code);
	if (place->kind == VKR_TARGET_CHOSEN) {
		struct writer writer = {pointers, pointers->analysis->module, pointers->maker, code,
					NULL};
		const uint32_t variable =
			place->is_sampler_half
				? sampler_variable(&writer, place, of[VKR_POINTER_VARIABLE])
				: of[VKR_POINTER_VARIABLE];
		vkr_spirv_words_raw(words, &variable, 1);
	}
	vkr_spirv_words_raw(words, &element, 1);
}

static void log_place(struct writer *writer, const struct vkr_site_draft *draft)
{
	const struct vkr_pointer_target *place = &draft->place;
	uint32_t words[VKR_POINTER_WORDS] = {0};
	if (draft->site.flags & VKR_SITE_POINTER) {
		log_pair(writer, draft->pointer);
		return;
	}
	if (draft->site.flags & VKR_SITE_CHOSEN) {
		place_words(writer, place, words);
		words[VKR_POINTER_ELEMENT] =
			vkr_mapped_element(writer->pointers, place, words, writer->code);
		vkr_spirv_words_raw(writer->words, words, VKR_POINTER_WORDS);
		return;
	}
	if (draft->site.flags & VKR_SITE_ARRAYED) {
		words[VKR_POINTER_ELEMENT] =
			place_word(writer, place, &place->element, VKR_POINTER_ELEMENT);
		log_word(writer, vkr_mapped_element(writer->pointers, place, words, writer->code));
	}
	if (draft->site.flags & VKR_SITE_SHARED)
		return;
	if (!(draft->site.flags & VKR_SITE_COMPUTED))
		log_word(writer, place_word(writer, place, &place->offset, VKR_POINTER_OFFSET));
	else if (draft->site.factor)
		log_word(writer, vkr_sum_word(writer->maker, writer->code, &draft->affine));
}

static void log_structure(struct writer *writer, const struct vkr_site_draft *draft)
{
	uint32_t words[VKR_POINTER_WORDS];
	if (draft->place.kind != VKR_TARGET_ADDRESS) {
		vkr_descriptor_code(writer->pointers, &draft->place, writer->code, writer->words);
		return;
	}
	place_words(writer, &draft->place, words);
	log_word(writer, words[VKR_POINTER_LOW]);
	log_word(writer, words[VKR_POINTER_HIGH]);
}

static void log_mapped(struct writer *writer, const struct vkr_site_draft *draft)
{
	uint32_t words[VKR_POINTER_WORDS];
	place_words(writer, &draft->place, words);
	log_halves(writer, vkr_mapped_address(writer->pointers, &draft->place, words,
					      draft->reads_index, writer->code));
}

void vkr_site_code(struct vkr_pointer_code *pointers, const struct vkr_inputs *inputs,
		   const struct vkr_site_draft *draft, struct vkr_spirv_words *code,
		   struct vkr_spirv_words *words)
{
	const struct vkr_module *module = pointers->analysis->module;
	struct writer writer = {pointers, module, pointers->maker, code, words};
	const struct vkr_instruction *in = &module->instructions[draft->instruction];
	if (draft->site.operation == VKR_SITE_SUBGROUP)
		log_word(&writer, vkr_input_load(inputs, code, inputs->subgroup, VKR_INPUT_UINT));
	else if (draft->mapped)
		log_mapped(&writer, draft);
	else if (draft->image)
		vkr_image_code(draft->image, pointers, inputs, code, words);
	else if (draft->pointer)
		log_place(&writer, draft);
	else if (draft->is_traced)
		log_structure(&writer, draft);
	else
		return;
	if (draft->site.flags & VKR_SITE_VALUES)
		log_evidence(&writer, draft, in);
	if (draft->stride)
		log_word(&writer, vkr_index_word(pointers->maker, code,
						 vkr_module_definition(module, draft->stride)->type,
						 draft->stride));
}

static void log_scalar(struct writer *writer, uint32_t type, uint32_t value)
{
	uint32_t u = writer->maker->uint_type;
	if (vkr_module_definition(writer->module, type)->opcode == SpvOpTypeBool)
		value = emit_choice(writer, u, value, vkr_maker_uint(writer->maker, 1),
				    vkr_maker_uint(writer->maker, 0));
	else
		value = vkr_index_word(writer->maker, writer->code, type, value);
	log_word(writer, value);
}

void vkr_value_code(struct vkr_pointer_code *pointers, uint32_t value, struct vkr_spirv_words *code,
		    struct vkr_spirv_words *words)
{
	const struct vkr_module *module = pointers->analysis->module;
	struct writer writer = {pointers, module, pointers->maker, code, words};
	uint32_t type = vkr_module_definition(module, value)->type;
	const struct vkr_instruction *def = vkr_module_definition(module, type);
	if (def->opcode != SpvOpTypeVector) {
		log_scalar(&writer, type, value);
		return;
	}
	uint32_t element = vkr_module_word(module, def, 2);
	for (uint32_t c = 0; c < vkr_module_word(module, def, 3); c++)
		log_scalar(&writer, element,
			   emit_binary(&writer, SpvOpCompositeExtract, element, value, c));
}
