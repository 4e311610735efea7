// SPDX-License-Identifier: Apache-2.0
#include "image_code.h"

#include "site_code.h"

#define COMPONENTS_MOST 4u

// The packed coordinate that stands for all larger ones.
#define PACKED_MOST 0xffffu

struct writer {
	const struct vkr_image_use *use;
	const struct vkr_inputs *inputs;
	const struct vkr_module *module;
	struct vkr_maker *maker;
	struct vkr_spirv_words *code, *words;
	uint32_t float_type;
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

static void log_word(struct writer *writer, uint32_t id)
{
	vkr_spirv_words_raw(writer->words, &id, 1);
}

// One component of a scalar or vector of the program's; *type is its scalar type.
static uint32_t image_code_component(struct writer *writer, uint32_t value, uint32_t index,
				     uint32_t *type)
{
	*type = vkr_module_definition(writer->module, value)->type;
	const struct vkr_instruction *def = vkr_module_definition(writer->module, *type);
	if (def->opcode != SpvOpTypeVector)
		return value;
	*type = vkr_module_word(writer->module, def, 2);
	return emit_binary(writer, SpvOpCompositeExtract, *type, value, index);
}

static uint32_t last_component(const struct writer *writer, uint32_t value)
{
	const struct vkr_instruction *def = vkr_module_definition(
		writer->module, vkr_module_definition(writer->module, value)->type);
	return def->opcode == SpvOpTypeVector ? vkr_module_word(writer->module, def, 3) - 1 : 0;
}

// A 32-bit float: shaders may also sample with 16-bit coordinates.
static uint32_t float_component(struct writer *writer, uint32_t value, uint32_t index)
{
	uint32_t type;
	uint32_t id = image_code_component(writer, value, index, &type);
	return type == writer->float_type
		       ? id
		       : emit_unary(writer, SpvOpFConvert, writer->float_type, id);
}

static uint32_t integer_component(struct writer *writer, uint32_t value, uint32_t index)
{
	uint32_t type;
	uint32_t id = image_code_component(writer, value, index, &type);
	return vkr_index_word(writer->maker, writer->code, type, id);
}

static void log_float(struct writer *writer, uint32_t value)
{
	log_word(writer, emit_unary(writer, SpvOpBitcast, writer->maker->uint_type, value));
}

static uint32_t image_code_saturated(struct writer *writer, uint32_t value)
{
	uint32_t bool_type = vkr_maker_type(writer->maker, SpvOpTypeBool, NULL, 0);
	uint32_t most = vkr_maker_uint(writer->maker, PACKED_MOST);
	uint32_t is_below = emit_binary(writer, SpvOpULessThan, bool_type, value, most);
	uint32_t id = vkr_maker_id(writer->maker);
	VKR_PUT(writer->code, SpvOpSelect, writer->maker->uint_type, id, is_below, value, most);
	return id;
}

static void log_integers(struct writer *writer)
{
	const struct vkr_texel *texel = &writer->use->texel;
	uint32_t u = writer->maker->uint_type, first = 0;
	if (texel->flags & VKR_TEXEL_PACKED) {
		uint32_t x = image_code_saturated(
			writer, integer_component(writer, writer->use->coordinate, 0));
		uint32_t y = image_code_saturated(
			writer, integer_component(writer, writer->use->coordinate, 1));
		uint32_t high = emit_binary(writer, SpvOpShiftLeftLogical, u, y,
					    vkr_maker_uint(writer->maker, 16));
		log_word(writer, emit_binary(writer, SpvOpBitwiseOr, u, x, high));
		first = 2;
	}
	for (uint32_t c = first; c < texel->coordinates; c++) {
		uint32_t value = integer_component(writer, writer->use->coordinate, c);
		// Counted from where the fragment stands (Vulkan, "Input Attachment Interface").
		if (writer->use->dim == SpvDimSubpassData)
			value = emit_binary(writer, SpvOpIAdd, u, value,
					    vkr_fragment_position(writer->inputs, writer->code, c));
		log_word(writer, value);
	}
}

// Logs the words that coordinates follow from, and keeps the coordinates where the level asks for
// them.
static void log_derived(struct writer *writer, uint32_t *coordinates)
{
	const struct vkr_image_use *use = writer->use;
	for (uint32_t i = 0; i < use->logged_count; i++)
		log_float(writer,
			  float_component(writer, use->logged[i].id, use->logged[i].component));
	for (uint32_t c = 0; c < use->axes && use->logs_level; c++)
		coordinates[c] = float_component(writer, use->coordinate, c);
}

// Logs the float coordinates, and keeps them in `coordinates`.
static void log_floats(struct writer *writer, uint32_t *coordinates)
{
	const struct vkr_image_use *use = writer->use;
	uint32_t divisor = 0;
	if (use->texel.flags & VKR_TEXEL_DERIVED) {
		log_derived(writer, coordinates);
		return;
	}
	if (use->is_projective)
		divisor = float_component(writer, use->coordinate,
					  last_component(writer, use->coordinate));
	for (uint32_t c = 0; c < use->texel.coordinates; c++) {
		coordinates[c] = float_component(writer, use->coordinate, c);
		if (divisor && c < use->axes)
			coordinates[c] = emit_binary(writer, SpvOpFDiv, writer->float_type,
						     coordinates[c], divisor);
		log_float(writer, coordinates[c]);
	}
}

// lambda' of an implicit level: derivatives as they are where the program samples, since the code
// stands in the same block.
static uint32_t queried_level(struct writer *writer, const struct vkr_image_use *use,
			      const uint32_t *coordinates)
{
	uint32_t pair = vkr_maker_vector(writer->maker, writer->float_type, 2);
	uint32_t point = coordinates[0];
	if (use->axes > 1) {
		uint32_t type = vkr_maker_vector(writer->maker, writer->float_type, use->axes);
		point = vkr_maker_id(writer->maker);
		if (use->axes == 2)
			VKR_PUT(writer->code, SpvOpCompositeConstruct, type, point, coordinates[0],
				coordinates[1]);
		else
			VKR_PUT(writer->code, SpvOpCompositeConstruct, type, point, coordinates[0],
				coordinates[1], coordinates[2]);
	}
	uint32_t levels = emit_binary(writer, SpvOpImageQueryLod, pair, use->sampled, point);
	uint32_t level = emit_binary(writer, SpvOpCompositeExtract, writer->float_type, levels, 1);
	if (use->bias)
		level = emit_binary(writer, SpvOpFAdd, writer->float_type, level,
				    float_component(writer, use->bias, 0));
	return level;
}

static uint32_t level_of(struct writer *writer, const struct vkr_image_use *use)
{
	uint32_t coordinates[COMPONENTS_MOST] = {0};
	for (uint32_t c = 0; c < use->axes; c++)
		coordinates[c] = float_component(writer, use->coordinate, c);
	return queried_level(writer, use, coordinates);
}

// How far two levels are from each other: 0 where they are the same, of any kind.
static uint32_t image_code_distance(struct writer *writer, uint32_t a, uint32_t b)
{
	struct vkr_maker *maker = writer->maker;
	const uint32_t u = maker->uint_type,
		       bool_type = vkr_maker_type(maker, SpvOpTypeBool, NULL, 0);
	const uint32_t is_same =
		emit_binary(writer, SpvOpIEqual, bool_type, emit_unary(writer, SpvOpBitcast, u, a),
			    emit_unary(writer, SpvOpBitcast, u, b));
	const uint32_t apart = emit_binary(writer, SpvOpFSub, writer->float_type, a, b);
	// Without its sign: the module may not import GLSL.std.450.
	const uint32_t bits =
		emit_binary(writer, SpvOpBitwiseAnd, u, emit_unary(writer, SpvOpBitcast, u, apart),
			    vkr_maker_uint(maker, INT32_MAX));
	const uint32_t chosen = vkr_maker_id(maker);
	VKR_PUT(writer->code, SpvOpSelect, u, chosen, is_same, vkr_maker_uint(maker, 0), bits);
	return emit_unary(writer, SpvOpBitcast, writer->float_type, chosen);
}

// The sum of all distances: not less than any, and no number where one is none.
static void log_spread(struct writer *writer, const struct vkr_image_levels *levels)
{
	const uint32_t level = level_of(writer, levels->of);
	uint32_t sum = 0;
	for (uint32_t i = 0; i < levels->count; i++) {
		const uint32_t apart =
			image_code_distance(writer, level_of(writer, levels->near[i]), level);
		sum = sum ? emit_binary(writer, SpvOpFAdd, writer->float_type, sum, apart) : apart;
	}
	log_float(writer, sum);
}

static void log_level(struct writer *writer, const uint32_t *coordinates)
{
	const struct vkr_image_use *use = writer->use;
	switch ((enum vkr_level_choice)use->texel.level) {
	case VKR_LEVEL_BASE:
		break;
	case VKR_LEVEL_LOGGED:
		if (use->texel.form == VKR_TEXEL_INTEGER)
			log_word(writer, integer_component(writer, use->level, 0));
		else
			log_float(writer, float_component(writer, use->level, 0));
		break;
	case VKR_LEVEL_QUERIED:
		log_float(writer, queried_level(writer, use, coordinates));
		break;
	case VKR_LEVEL_GRADIENTS:
		for (uint32_t c = 0; c < use->axes; c++)
			log_float(writer, float_component(writer, use->gradient_x, c));
		for (uint32_t c = 0; c < use->axes; c++)
			log_float(writer, float_component(writer, use->gradient_y, c));
		break;
	}
}

static void log_offsets(struct writer *writer)
{
	const struct vkr_image_use *use = writer->use;
	const struct vkr_module *module = writer->module;
	if (!(use->texel.flags & VKR_TEXEL_OFFSET_WORDS))
		return;
	for (uint32_t o = 0; o < use->texel.offset_count; o++) {
		uint32_t type = vkr_module_definition(module, use->offset)->type;
		uint32_t offset = use->offset;
		if (use->has_offsets) {
			type = vkr_module_word(module, vkr_module_definition(module, type), 2);
			offset = emit_binary(writer, SpvOpCompositeExtract, type, offset, o);
		}
		const struct vkr_instruction *def = vkr_module_definition(module, type);
		bool is_vector = def->opcode == SpvOpTypeVector;
		uint32_t scalar = is_vector ? vkr_module_word(module, def, 2) : type;
		for (uint32_t c = 0; c < use->texel.offset_components; c++) {
			uint32_t part = offset;
			if (is_vector)
				part = emit_binary(writer, SpvOpCompositeExtract, scalar, offset,
						   c);
			log_word(writer, vkr_index_word(writer->maker, writer->code, scalar, part));
		}
	}
}

void vkr_image_code(const struct vkr_image_use *use, struct vkr_pointer_code *pointers,
		    const struct vkr_inputs *inputs, struct vkr_spirv_words *code,
		    struct vkr_spirv_words *words)
{
	struct vkr_maker *maker = inputs->maker;
	uint32_t coordinates[COMPONENTS_MOST] = {0};
	struct writer writer = {.use = use,
				.inputs = inputs,
				.module = maker->module,
				.maker = maker,
				.code = code,
				.words = words};
	vkr_descriptor_code(pointers, &use->image, code, words);
	if (use->has_sampler)
		vkr_descriptor_code(pointers, &use->sampler, code, words);
	if (use->texel.form == VKR_TEXEL_INTEGER) {
		log_integers(&writer);
	} else {
		writer.float_type =
			vkr_maker_type(maker, SpvOpTypeFloat, (const uint32_t[]){32}, 1);
		log_floats(&writer, coordinates);
	}
	if (!(use->texel.flags & VKR_TEXEL_DERIVED) || use->logs_level)
		log_level(&writer, coordinates);
	if (use->logs_spread)
		log_spread(&writer, use->logs_spread);
	if (use->sample)
		log_word(&writer, integer_component(&writer, use->sample, 0));
	if (use->min_lod)
		log_float(&writer, float_component(&writer, use->min_lod, 0));
	log_offsets(&writer);
}

// ---- Marks of texels ----------------------------------------------------------------------------

// The image itself, of OpTypeImage, in *type its type.
static uint32_t plain_image(struct writer *writer, uint32_t *type)
{
	const struct vkr_image_use *use = writer->use;
	const uint32_t image = use->sampled ? use->sampled : use->read;
	const struct vkr_instruction *of = vkr_module_definition(
		writer->module, vkr_module_definition(writer->module, image)->type);
	*type = of->result;
	if (of->opcode != SpvOpTypeSampledImage)
		return image;
	*type = vkr_module_word(writer->module, of, 2);
	return emit_unary(writer, SpvOpImage, *type, image);
}

// Width, height and layers of the view's level 0.
static void put_size(struct writer *writer, uint32_t image, uint32_t type)
{
	const bool is_arrayed = writer->use->is_arrayed;
	const uint32_t u = writer->maker->uint_type;
	const uint32_t sizes = vkr_maker_vector(writer->maker, u, is_arrayed ? 3 : 2);
	const bool is_storage =
		vkr_module_word(writer->module, vkr_module_definition(writer->module, type), 7) ==
		2;
	const uint32_t size = is_storage ? emit_unary(writer, SpvOpImageQuerySize, sizes, image)
					 : emit_binary(writer, SpvOpImageQuerySizeLod, sizes, image,
						       vkr_maker_uint(writer->maker, 0));
	for (uint32_t axis = 0; axis < 3; axis++)
		log_word(writer, axis < 2 || is_arrayed
					 ? emit_binary(writer, SpvOpCompositeExtract, u, size, axis)
					 : vkr_maker_uint(writer->maker, 1));
}

static void put_coordinates(struct writer *writer)
{
	const struct vkr_image_use *use = writer->use;
	const bool is_integer = use->texel.form == VKR_TEXEL_INTEGER;
	const uint32_t divisor = use->is_projective
					 ? float_component(writer, use->coordinate,
							   last_component(writer, use->coordinate))
					 : 0;
	for (uint32_t c = 0; c < use->texel.coordinates; c++) {
		uint32_t at = is_integer ? integer_component(writer, use->coordinate, c)
					 : float_component(writer, use->coordinate, c);
		if (divisor && c < use->axes)
			at = emit_binary(writer, SpvOpFDiv, writer->float_type, at, divisor);
		if (is_integer)
			log_word(writer, at);
		else
			log_float(writer, at);
	}
	if (!use->is_arrayed)
		log_word(writer, vkr_maker_uint(writer->maker, 0));
}

void vkr_image_mark_code(const struct vkr_image_use *use, const struct vkr_inputs *inputs,
			 uint32_t level, struct vkr_spirv_words *code,
			 struct vkr_spirv_words *words)
{
	struct vkr_maker *maker = inputs->maker;
	struct writer writer = {
		.use = use,
		.inputs = inputs,
		.module = maker->module,
		.maker = maker,
		.code = code,
		.words = words,
		.float_type = vkr_maker_type(maker, SpvOpTypeFloat, (const uint32_t[]){32}, 1)};
	uint32_t type;
	put_coordinates(&writer);
	log_word(&writer, level ? level : vkr_maker_uint(maker, 0));
	const uint32_t image = plain_image(&writer, &type);
	put_size(&writer, image, type);
	if (use->texel.form == VKR_TEXEL_INTEGER)
		return;
	log_word(&writer,
		 level ? emit_unary(&writer, SpvOpImageQueryLevels, maker->uint_type, image)
		       : vkr_maker_uint(maker, 1));
	log_word(&writer, vkr_maker_uint(maker, use->texel.form == VKR_TEXEL_GATHER));
}
