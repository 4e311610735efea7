// SPDX-License-Identifier: Apache-2.0
#include "pointer_forms.h"

bool vkr_chain_read(const struct vkr_module *module, const struct vkr_instruction *in,
		    struct vkr_chain *chain)
{
	bool is_typed = true, has_element = false;
	switch (in->opcode) {
	case SpvOpAccessChain:
	case SpvOpInBoundsAccessChain:
	case SpvOpCopyObject:
	case SpvOpImage:
		break;
	case SpvOpLoad:
		if (!vkr_is_opaque_type(module, in->type))
			return false;
		*chain = (struct vkr_chain){.base = vkr_module_word(module, in, 3),
					    .first_index = in->length};
		return true;
	case VKR_OP_BUFFER_POINTER:
		*chain = (struct vkr_chain){.base = vkr_module_word(module, in, 3),
					    .first_index = in->length,
					    .enters_buffer = true};
		return true;
	case SpvOpPtrAccessChain:
	case SpvOpInBoundsPtrAccessChain:
		has_element = true;
		break;
	case VKR_OP_UNTYPED_ACCESS_CHAIN:
	case VKR_OP_UNTYPED_IN_BOUNDS_ACCESS_CHAIN:
		is_typed = false;
		break;
	case VKR_OP_UNTYPED_PTR_ACCESS_CHAIN:
	case VKR_OP_UNTYPED_IN_BOUNDS_PTR_ACCESS_CHAIN:
		is_typed = false;
		has_element = true;
		break;
	case VKR_OP_RAW_ACCESS_CHAIN:
		*chain = (struct vkr_chain){.base = vkr_module_word(module, in, 3),
					    .raw_stride = vkr_module_word(module, in, 4),
					    .element = vkr_module_word(module, in, 5),
					    .raw_offset = vkr_module_word(module, in, 6),
					    .first_index = in->length};
		return true;
	default:
		return false;
	}
	uint32_t word = 3;
	*chain = (struct vkr_chain){0};
	if (!is_typed)
		chain->base_type = vkr_module_word(module, in, word++);
	chain->base = vkr_module_word(module, in, word++);
	if (has_element)
		chain->element = vkr_module_word(module, in, word++);
	chain->first_index = word;
	return true;
}

bool vkr_is_opaque_type(const struct vkr_module *module, uint32_t type)
{
	switch (vkr_module_definition(module, type)->opcode) {
	case SpvOpTypeImage:
	case SpvOpTypeSampledImage:
	case SpvOpTypeSampler:
	case SpvOpTypeAccelerationStructureKHR:
		return true;
	default:
		return false;
	}
}

bool vkr_is_pointer_type(const struct vkr_module *module, uint32_t type)
{
	const uint16_t opcode = vkr_module_definition(module, type)->opcode;
	return opcode == SpvOpTypePointer || opcode == VKR_OP_TYPE_UNTYPED_POINTER;
}

uint32_t vkr_pointer_class(const struct vkr_module *module, uint32_t pointer_type)
{
	if (vkr_is_opaque_type(module, pointer_type))
		return SpvStorageClassUniformConstant;
	return vkr_module_word(module, vkr_module_definition(module, pointer_type), 2);
}

uint32_t vkr_pointer_pointee(const struct vkr_module *module, uint32_t pointer_type)
{
	if (vkr_is_opaque_type(module, pointer_type))
		return pointer_type;
	const struct vkr_instruction *def = vkr_module_definition(module, pointer_type);
	return def->opcode == SpvOpTypePointer ? vkr_module_word(module, def, 3) : 0;
}

bool vkr_is_variable(uint16_t opcode)
{
	return opcode == SpvOpVariable || opcode == VKR_OP_UNTYPED_VARIABLE;
}

uint32_t vkr_variable_type(const struct vkr_module *module, uint32_t variable)
{
	const struct vkr_instruction *def = vkr_module_definition(module, variable);
	if (def->opcode != VKR_OP_UNTYPED_VARIABLE)
		return vkr_pointer_pointee(module, def->type);
	return def->length > 4 ? vkr_module_word(module, def, 4) : 0;
}

uint32_t vkr_copied_type(const struct vkr_module *module, uint32_t to, uint32_t from)
{
	const uint32_t type = vkr_pointer_pointee(module, vkr_module_definition(module, to)->type);
	return type ? type : vkr_pointer_pointee(module, vkr_module_definition(module, from)->type);
}
