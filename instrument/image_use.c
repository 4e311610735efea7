// SPDX-License-Identifier: Apache-2.0
#include "image_use.h"

#include <string.h>

static bool is_texel_pointer(uint16_t opcode)
{
	const struct vkr_opcode *row = vkr_opcode(opcode);
	return row->texel.form && !row->operation;
}

bool vkr_image_accesses(uint16_t opcode)
{
	const struct vkr_opcode *row = vkr_opcode(opcode);
	return row->texel.form && row->operation;
}

const struct vkr_instruction *vkr_image_texel_pointer(const struct vkr_module *module,
						      uint32_t pointer)
{
	const struct vkr_instruction *in = vkr_module_definition(module, pointer);
	while (in->opcode == SpvOpCopyObject)
		in = vkr_module_definition(module, vkr_module_word(module, in, 3));
	return is_texel_pointer(in->opcode) ? in : NULL;
}

static uint32_t axes_of(uint32_t dim)
{
	switch ((SpvDim)dim) {
	case SpvDim1D:
	case SpvDimBuffer:
		return 1;
	case SpvDim3D:
	case SpvDimCube:
		return 3;
	default:
		return 2;
	}
}

// In heaps the sampler of a combined image has a place of its own.
static void split_combined(struct vkr_image_use *use)
{
	if (!use->image.home || !use->image.home->is_combined)
		return;
	use->has_sampler = true;
	use->sampler = use->image;
	use->sampler.is_sampler_half = true;
	use->sampler.is_arrayed = !use->image.home->sampler.is_embedded;
}

static bool find_places(const struct vkr_address_book *book, uint32_t image,
			struct vkr_image_use *use)
{
	const struct vkr_instruction *in =
		vkr_module_definition(book->module, vkr_pointer_root(book->module, image));
	if (in->opcode != SpvOpSampledImage) {
		const bool resolved = vkr_pointer_target_resolve(book, image, &use->image);
		split_combined(use);
		return resolved;
	}
	use->has_sampler = true;
	return vkr_pointer_target_resolve(book, vkr_module_word(book->module, in, 3),
					  &use->image) &&
	       vkr_pointer_target_resolve(book, vkr_module_word(book->module, in, 4),
					  &use->sampler);
}

// Reads a constant offset, or four of them, into use->texel. False if it is not constant, or too
// large.
static bool constant_offsets(const struct vkr_constants *constants, uint32_t id, uint32_t count,
			     struct vkr_image_use *use)
{
	const struct vkr_instruction *def = vkr_module_definition(constants->module, id);
	uint32_t components = use->offset_components;
	for (uint32_t o = 0; o < count; o++) {
		uint32_t one = id;
		if (count > 1 && def->opcode == SpvOpConstantNull)
			continue;
		if (count > 1) {
			if (def->opcode != SpvOpConstantComposite &&
			    def->opcode != SpvOpSpecConstantComposite)
				return false;
			one = vkr_module_word(constants->module, def, 3 + o);
		}
		for (uint32_t c = 0; c < components; c++) {
			uint64_t value;
			bool is_known = components == 1
						? vkr_constant_value(constants, one, &value)
						: vkr_constant_component(constants, one, c, &value);
			int32_t offset = is_known ? (int32_t)(uint32_t)value : INT32_MAX;
			if (offset < INT8_MIN || offset > INT8_MAX)
				return false;
			use->texel.offsets[o][c] = (int8_t)offset;
		}
	}
	return true;
}

static void take_offset(const struct vkr_address_book *book, uint32_t id, uint32_t count,
			struct vkr_image_use *use)
{
	use->texel.offset_count = (uint8_t)count;
	use->texel.offset_components = (uint8_t)use->offset_components;
	if (constant_offsets(book->types->constants, id, count, use))
		return;
	memset(use->texel.offsets, 0, sizeof use->texel.offsets);
	use->texel.flags |= VKR_TEXEL_OFFSET_WORDS;
	use->offset = id;
	use->has_offsets = count > 1;
}

static void make_texel(bool available, uint8_t scope, struct vkr_image_use *use)
{
	use->memory.flags |= available ? VKR_SITE_MAKE_AVAILABLE : VKR_SITE_MAKE_VISIBLE;
	*(available ? &use->memory.available_scope : &use->memory.visible_scope) = scope;
}

// Image operands in the order of their bits (SPIR-V 3.14). False where a scope is no constant.
static bool read_operands(const struct vkr_address_book *book, const uint32_t *words,
			  uint32_t count, bool is_legacy, struct vkr_image_use *use)
{
	uint32_t at = 1;
	uint32_t *const values[] = {&use->bias, &use->level};
	if (!count)
		return true;
	for (uint32_t bit = 0; bit < 32 && at <= count; bit++) {
		uint32_t mask = words[0] & 1u << bit;
		uint32_t id = at < count ? words[at] : 0;
		uint8_t scope = 0;
		switch (mask) {
		case SpvImageOperandsBiasMask:
		case SpvImageOperandsLodMask:
			*values[mask == SpvImageOperandsLodMask] = id;
			at++;
			break;
		case SpvImageOperandsGradMask:
			use->gradient_x = id;
			use->gradient_y = at + 1 < count ? words[at + 1] : 0;
			at += 2;
			break;
		case SpvImageOperandsConstOffsetMask:
		case SpvImageOperandsOffsetMask:
			take_offset(book, id, 1, use);
			at++;
			break;
		case SpvImageOperandsConstOffsetsMask:
		case SpvImageOperandsOffsetsMask:
			take_offset(book, id, 4, use);
			at++;
			break;
		case SpvImageOperandsSampleMask:
			use->sample = id;
			at++;
			break;
		case SpvImageOperandsMinLodMask:
			use->min_lod = id;
			at++;
			break;
		case SpvImageOperandsMakeTexelAvailableMask:
		case SpvImageOperandsMakeTexelVisibleMask:
			if (!vkr_order_scope(book->types->constants, is_legacy, id, &scope))
				return false;
			make_texel(mask == SpvImageOperandsMakeTexelAvailableMask, scope, use);
			at++;
			break;
		case SpvImageOperandsNonPrivateTexelMask:
			use->memory.flags |= VKR_SITE_NONPRIVATE;
			break;
		case SpvImageOperandsVolatileTexelMask:
			use->memory.flags |= VKR_SITE_VOLATILE;
			break;
		default: // SignExtend, ZeroExtend, Nontemporal: nothing of where or in which order
			break;
		}
	}
	return true;
}

// The words of use->texel.
static void count_words(struct vkr_image_use *use)
{
	struct vkr_texel *texel = &use->texel;
	uint32_t words = texel->coordinates;
	if (texel->form == VKR_TEXEL_INTEGER && texel->coordinates > 1 &&
	    use->dim != SpvDimSubpassData) {
		texel->flags |= VKR_TEXEL_PACKED;
		words--;
	}
	words += vkr_descriptor_words(&use->image);
	if (use->has_sampler) {
		if (use->sampler.kind == VKR_TARGET_CHOSEN)
			texel->flags |= VKR_TEXEL_SAMPLER_CHOSEN;
		else if (use->sampler.is_arrayed)
			texel->flags |= VKR_TEXEL_SAMPLER_ELEMENT;
		words += vkr_descriptor_words(&use->sampler);
	}
	if (use->sample)
		texel->flags |= VKR_TEXEL_SAMPLE_INDEX;
	if (use->min_lod)
		texel->flags |= VKR_TEXEL_MIN_LOD;
	words += (use->sample ? 1u : 0u) + (use->min_lod ? 1u : 0u);
	if (texel->flags & VKR_TEXEL_OFFSET_WORDS)
		words += (uint32_t)texel->offset_count * texel->offset_components;
	if (texel->level == VKR_LEVEL_GRADIENTS)
		words += 2 * use->axes;
	else if (texel->level != VKR_LEVEL_BASE)
		words++;
	texel->words = (uint8_t)words;
}

// Whether a fetch names the view's level 0.
static bool is_base(const struct vkr_address_book *book, const struct vkr_image_use *use)
{
	uint64_t level = 1;
	return use->texel.form == VKR_TEXEL_INTEGER && use->level &&
	       vkr_constant_value(book->types->constants, use->level, &level) && level == 0;
}

static uint8_t level_of(const struct vkr_address_book *book, const struct vkr_image_use *use)
{
	if (use->gradient_x)
		return VKR_LEVEL_GRADIENTS;
	if (is_base(book, use))
		return VKR_LEVEL_BASE;
	if (use->level)
		return VKR_LEVEL_LOGGED;
	// A gather with a bias chooses its level as a sample does
	// (SPV_AMD_texture_gather_bias_lod).
	return use->is_implicit || use->bias ? VKR_LEVEL_QUERIED : VKR_LEVEL_BASE;
}

// The type of the image, below pointers and sampled images; NULL where it is no image.
static const struct vkr_instruction *image_type(const struct vkr_module *module,
						const struct vkr_instruction *in, uint32_t image)
{
	if (in->opcode == VKR_OP_UNTYPED_IMAGE_TEXEL_POINTER)
		return vkr_module_definition(module, vkr_module_word(module, in, 3));
	const struct vkr_instruction *type =
		vkr_module_definition(module, vkr_module_definition(module, image)->type);
	if (type->opcode == SpvOpTypePointer)
		type = vkr_module_definition(module, vkr_module_word(module, type, 3));
	if (type->opcode == SpvOpTypeSampledImage)
		type = vkr_module_definition(module, vkr_module_word(module, type, 2));
	return type->opcode == SpvOpTypeImage ? type : NULL;
}

static void read_type(const struct vkr_module *module, const struct vkr_instruction *type,
		      struct vkr_image_use *use)
{
	bool is_arrayed = vkr_module_word(module, type, 5);
	use->is_arrayed = is_arrayed;
	use->is_multisampled = vkr_module_word(module, type, 6);
	use->dim = vkr_module_word(module, type, 3);
	use->axes = axes_of(use->dim);
	use->offset_components = use->dim == SpvDimCube ? 2 : use->axes;
	// Integer coordinates of cubes name face and layer in one number.
	if (use->texel.form == VKR_TEXEL_INTEGER && use->dim == SpvDimCube)
		is_arrayed = false;
	use->texel.coordinates = (uint8_t)(use->axes + is_arrayed);
}

static bool read_component(const struct vkr_address_book *book, const struct vkr_instruction *in,
			   const struct vkr_opcode_texel *at, struct vkr_image_use *use)
{
	uint64_t component = 0;
	if (at->component &&
	    (!vkr_constant_value(book->types->constants,
				 vkr_module_word(book->module, in, at->component), &component) ||
	     component > 3))
		return false;
	use->texel.component = (uint8_t)component;
	return true;
}

static bool is_known(const struct vkr_pointer_target *place)
{
	return place->kind == VKR_TARGET_VARIABLE || place->kind == VKR_TARGET_CHOSEN;
}

bool vkr_image_use_read(const struct vkr_address_book *book, const struct vkr_instruction *in,
			bool is_legacy, struct vkr_image_use *use, const char **fault)
{
	const struct vkr_module *module = book->module;
	const uint32_t *words = &module->words[in->at];
	const struct vkr_opcode *row = vkr_opcode(in->opcode);
	const struct vkr_opcode_texel *at = &row->texel;
	*fault = NULL;
	*use = (struct vkr_image_use){.texel.sampler = UINT32_MAX};
	if (!at->form)
		return true;
	const struct vkr_instruction *type = image_type(module, in, words[at->image]);
	const bool is_pointer = is_texel_pointer(in->opcode);
	*fault = "texels of an image whose variable is not known statically";
	if (!type)
		return true;
	if (!find_places(book, words[at->image], use))
		return false;
	if (!is_known(&use->image))
		return true;
	if (!use->image.type)
		use->image.type = type->result;
	if (at->form != VKR_TEXEL_INTEGER && use->has_sampler && !is_known(&use->sampler)) {
		*fault = "texels that are read by a sampler whose variable is not known statically";
		return true;
	}
	use->texel.form = at->form;
	use->has_sampler &= at->form != VKR_TEXEL_INTEGER;
	use->is_projective = row->flags & VKR_OPCODE_PROJECTIVE;
	use->is_implicit = row->flags & VKR_OPCODE_IMPLICIT;
	use->coordinate = words[at->coordinate];
	use->sampled = at->form == VKR_TEXEL_INTEGER ? 0 : words[at->image];
	use->read = at->form == VKR_TEXEL_INTEGER && !is_pointer ? words[at->image] : 0;
	read_type(module, type, use);
	*fault = "texels chosen by a scope or a component that is no constant";
	if (!read_component(book, in, at, use))
		return true;
	if (is_pointer && vkr_module_word(module, type, 6))
		use->sample = words[at->coordinate + 1];
	if (at->operands && in->length > at->operands &&
	    !read_operands(book, words + at->operands, in->length - at->operands, is_legacy, use))
		return true;
	*fault = NULL;
	use->texel.level = level_of(book, use);
	count_words(use);
	return true;
}
