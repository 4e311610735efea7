// SPDX-License-Identifier: Apache-2.0
#include "matrix_use.h"

#include "address.h"

// Where an instruction's operands stand, as words.
struct operands {
	uint32_t matrix_type, pointer, layout, stride, memory;
};

static bool find_operands(const struct vkr_module *module, const struct vkr_instruction *in,
			  struct operands *at, struct vkr_matrix_use *use)
{
	const bool is_store = in->opcode == VKR_OP_COOPERATIVE_MATRIX_STORE ||
			      in->opcode == SpvOpCooperativeMatrixStoreNV;
	const bool is_nv = in->opcode == SpvOpCooperativeMatrixLoadNV ||
			   in->opcode == SpvOpCooperativeMatrixStoreNV;
	if (!is_store && in->opcode != VKR_OP_COOPERATIVE_MATRIX_LOAD && !is_nv)
		return false;
	const uint32_t first = is_store ? 1 : 3;
	use->is_store = is_store;
	at->pointer = first;
	// A load's result stands before its pointer, a store's object after it.
	const uint32_t behind = is_store ? first + 2 : first + 1;
	at->layout = is_nv ? behind + 1 : behind;
	at->stride = is_nv ? behind : behind + 1;
	at->memory = behind + 2;
	at->matrix_type =
		is_store ? vkr_module_definition(module, vkr_module_word(module, in, 2))->type
			 : in->type;
	return true;
}

// The four operands of the matrix's type.
static bool read_type(const struct vkr_types *types, uint32_t id, uint64_t *component_bytes,
		      uint64_t values[3])
{
	const struct vkr_instruction *def = vkr_module_definition(types->module, id);
	if (def->opcode != VKR_OP_TYPE_COOPERATIVE_MATRIX &&
	    def->opcode != SpvOpTypeCooperativeMatrixNV)
		return false;
	const struct vkr_layout none = {.is_explicit = true};
	*component_bytes = vkr_type_bytes(types, vkr_module_word(types->module, def, 2), none);
	for (uint32_t i = 0; i < 3; i++) {
		if (!vkr_constant_value(types->constants,
					vkr_module_word(types->module, def, 3 + i), &values[i]))
			return false;
	}
	return *component_bytes <= 8;
}

// A constant, or a word that is logged.
static bool read_stride(const struct vkr_types *types, const struct vkr_instruction *in,
			uint32_t word, uint64_t *stride, struct vkr_matrix_use *use)
{
	const struct vkr_module *module = types->module;
	const uint32_t id = vkr_module_word(module, in, word);
	if (vkr_constant_value(types->constants, id, stride))
		return true;
	const uint32_t type = vkr_module_definition(module, id)->type;
	use->stride_id = id;
	return vkr_module_word(module, vkr_module_definition(module, type), 2) <= 32;
}

bool vkr_matrix_use_read(const struct vkr_types *types, const struct vkr_instruction *in,
			 struct vkr_matrix_use *use, const char **fault)
{
	const struct vkr_module *module = types->module;
	struct operands at;
	uint64_t component, values[3], layout, stride = 0;
	*use = (struct vkr_matrix_use){0};
	*fault = NULL;
	if (!find_operands(module, in, &at, use))
		return false;
	use->pointer = vkr_module_word(module, in, at.pointer);
	use->operands = at.memory;
	if (!read_type(types, at.matrix_type, &component, values)) {
		*fault = "cooperative matrices of a size that is no constant";
		return true;
	}
	if (!vkr_constant_value(types->constants, vkr_module_word(module, in, at.layout),
				&layout) ||
	    layout > VKR_MATRIX_COLUMN_MAJOR) {
		*fault = "cooperative matrices of another layout than rows or columns";
		return true;
	}
	if (in->length <= at.stride || !read_stride(types, in, at.stride, &stride, use)) {
		*fault = "cooperative matrices whose stride is of 64 bits";
		return true;
	}
	// The stride counts what the pointer points to, or bytes.
	const uint32_t pointee =
		vkr_pointer_pointee(module, vkr_module_definition(module, use->pointer)->type);
	const uint64_t unit =
		pointee ? vkr_type_bytes(types, pointee, (struct vkr_layout){.is_explicit = true})
			: 1;
	const uint64_t lines = layout == VKR_MATRIX_ROW_MAJOR ? values[1] : values[2];
	const uint64_t bytes = (layout == VKR_MATRIX_ROW_MAJOR ? values[2] : values[1]) * component;
	use->scope = (uint8_t)values[0];
	use->stride = unit * stride;
	use->unit = (uint16_t)unit;
	use->lines = (uint32_t)lines;
	use->line_bytes = (uint32_t)bytes;
	if (!unit || unit > 64 || !lines || !bytes || lines > UINT16_MAX || bytes > UINT16_MAX ||
	    stride > UINT32_MAX / lines / unit)
		*fault = "cooperative matrices of more than 4 GiB";
	return true;
}
