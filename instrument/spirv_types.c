// SPDX-License-Identifier: Apache-2.0
#include "spirv_types.h"

#include "array.h"
#include "pointer_forms.h"
#include "sort.h"

#include <stdlib.h>

#define BYTES_MOST    (UINT64_C(1) << 62)
#define POINTER_BYTES 8u

static uint32_t scalar_bytes(const struct vkr_module *module, const struct vkr_instruction *def)
{
	switch (def->opcode) {
	case SpvOpTypeBool:
		return VKR_BOOL_BYTES;
	case SpvOpTypeInt:
	case SpvOpTypeFloat:
		return vkr_module_word(module, def, 2) / 8;
	case SpvOpTypePointer:
	case VKR_OP_TYPE_UNTYPED_POINTER:
		return POINTER_BYTES;
	default:
		return 0;
	}
}

static uint64_t spirv_types_times(uint64_t a, uint64_t b)
{
	return b && a > BYTES_MOST / b ? UINT64_MAX : a * b;
}

static uint64_t spirv_types_plus(uint64_t a, uint64_t b)
{
	return a > BYTES_MOST || b > BYTES_MOST ? UINT64_MAX : a + b;
}

// Components of a vector, UINT64_MAX if unknown.
static uint64_t vector_length(const struct vkr_types *types, const struct vkr_instruction *def)
{
	uint64_t length = vkr_module_word(types->module, def, 3);
	if (def->opcode == VKR_OP_TYPE_VECTOR_ID &&
	    (!vkr_constant_value(types->constants, (uint32_t)length, &length) || !length))
		return UINT64_MAX;
	return length;
}

uint64_t vkr_type_array_length(const struct vkr_types *types, uint32_t array)
{
	const struct vkr_instruction *def = vkr_module_definition(types->module, array);
	uint64_t length;
	if (!vkr_constant_value(types->constants, vkr_module_word(types->module, def, 3), &length))
		return UINT64_MAX;
	return length;
}

static uint64_t array_stride(const struct vkr_types *types, const struct vkr_instruction *def,
			     struct vkr_layout layout)
{
	uint32_t stride;
	if (layout.is_explicit && vkr_module_decorated(types->module, def->result, VKR_NO_MEMBER,
						       SpvDecorationArrayStride, &stride))
		return stride;
	return vkr_type_bytes(types, vkr_module_word(types->module, def, 2), layout);
}

// The layout of a structure's member: its own matrix decorations.
static struct vkr_layout member_layout(const struct vkr_types *types, uint32_t structure,
				       uint32_t member, struct vkr_layout layout)
{
	struct vkr_layout inner = {.is_explicit = layout.is_explicit};
	if (!layout.is_explicit)
		return inner;
	uint32_t stride = 0;
	vkr_module_decorated(types->module, structure, member, SpvDecorationMatrixStride, &stride);
	inner.matrix_stride = stride;
	inner.row_major =
		vkr_module_decorated(types->module, structure, member, SpvDecorationRowMajor, NULL);
	return inner;
}

static uint64_t member_offset(const struct vkr_types *types, const struct vkr_instruction *def,
			      uint32_t member, struct vkr_layout layout)
{
	uint32_t offset;
	if (layout.is_explicit &&
	    vkr_module_decorated(types->module, def->result, member, SpvDecorationOffset, &offset))
		return offset;
	uint64_t at = 0;
	for (uint32_t m = 0; m < member; m++)
		at = spirv_types_plus(
			at,
			vkr_type_bytes(types, vkr_module_word(types->module, def, m + 2), layout));
	return at;
}

// A matrix's column, and the bytes from one column to the next.
static struct vkr_chain_step column_step(const struct vkr_types *types,
					 const struct vkr_instruction *matrix,
					 struct vkr_layout layout)
{
	struct vkr_chain_step step = {
		.type = vkr_module_word(types->module, matrix, 2),
		.layout = {.is_explicit = layout.is_explicit},
	};
	const struct vkr_instruction *column = vkr_module_definition(types->module, step.type);
	uint32_t scalar = scalar_bytes(
		types->module,
		vkr_module_definition(types->module, vkr_module_word(types->module, column, 2)));
	uint32_t rows = vkr_module_word(types->module, column, 3);
	if (!layout.matrix_stride) {
		step.stride = (uint64_t)scalar * rows;
	} else if (layout.row_major) {
		step.stride = scalar;
		step.layout.component_stride = layout.matrix_stride;
	} else {
		step.stride = layout.matrix_stride;
	}
	return step;
}

static uint64_t vector_bytes(const struct vkr_types *types, const struct vkr_instruction *def,
			     struct vkr_layout layout)
{
	uint64_t scalar = scalar_bytes(
		types->module,
		vkr_module_definition(types->module, vkr_module_word(types->module, def, 2)));
	uint64_t stride = layout.component_stride ? layout.component_stride : scalar;
	const uint64_t length = vector_length(types, def);
	return length == UINT64_MAX
		       ? length
		       : spirv_types_plus(spirv_types_times(stride, length - 1), scalar);
}

uint64_t vkr_type_bytes(const struct vkr_types *types, uint32_t type, struct vkr_layout layout)
{
	const struct vkr_module *module = types->module;
	const struct vkr_instruction *def = vkr_module_definition(module, type);
	switch (def->opcode) {
	case SpvOpTypeVector:
	case VKR_OP_TYPE_VECTOR_ID:
		return vector_bytes(types, def, layout);
	case SpvOpTypeMatrix: {
		struct vkr_chain_step column = column_step(types, def, layout);
		return spirv_types_plus(
			spirv_types_times(column.stride, vkr_module_word(module, def, 3) - 1u),
			vkr_type_bytes(types, column.type, column.layout));
	}
	case SpvOpTypeArray: {
		uint64_t length = vkr_type_array_length(types, type);
		if (length == 0 || length == UINT64_MAX)
			return UINT64_MAX;
		return spirv_types_plus(
			spirv_types_times(array_stride(types, def, layout), length - 1),
			vkr_type_bytes(types, vkr_module_word(module, def, 2), layout));
	}
	case SpvOpTypeStruct: {
		uint64_t end = 0, packed = 0;
		for (uint32_t m = 0; m + 2u < def->length; m++) {
			struct vkr_layout inner = member_layout(types, type, m, layout);
			uint64_t bytes =
				vkr_type_bytes(types, vkr_module_word(module, def, m + 2), inner);
			uint64_t at =
				layout.is_explicit ? member_offset(types, def, m, layout) : packed;
			packed = spirv_types_plus(packed, bytes);
			uint64_t behind = spirv_types_plus(at, bytes);
			end = behind > end ? behind : end;
		}
		return end;
	}
	default: {
		uint32_t bytes = scalar_bytes(module, def);
		return bytes ? bytes : UINT64_MAX;
	}
	}
}

bool vkr_type_step(const struct vkr_types *types, uint32_t type, struct vkr_layout layout,
		   uint32_t member, struct vkr_chain_step *step)
{
	const struct vkr_module *module = types->module;
	const struct vkr_instruction *def = vkr_module_definition(module, type);
	*step = (struct vkr_chain_step){.layout = layout};
	switch (def->opcode) {
	case SpvOpTypeVector:
	case VKR_OP_TYPE_VECTOR_ID:
		step->type = vkr_module_word(module, def, 2);
		step->layout = (struct vkr_layout){.is_explicit = layout.is_explicit};
		step->stride = layout.component_stride
				       ? layout.component_stride
				       : vkr_type_bytes(types, step->type, step->layout);
		break;
	case SpvOpTypeMatrix:
		*step = column_step(types, def, layout);
		break;
	case SpvOpTypeArray:
	case SpvOpTypeRuntimeArray:
		step->type = vkr_module_word(module, def, 2);
		step->stride = array_stride(types, def, layout);
		break;
	case SpvOpTypeStruct:
		if (member + 2u >= def->length)
			return false;
		step->type = vkr_module_word(module, def, member + 2);
		step->offset = member_offset(types, def, member, layout);
		step->layout = member_layout(types, type, member, layout);
		break;
	default:
		return false;
	}
	return step->stride < BYTES_MOST && step->offset < BYTES_MOST;
}

static void add_piece(struct vkr_pieces *pieces, uint64_t at, uint64_t bytes)
{
	if (bytes > UINT32_MAX || at + bytes > UINT32_MAX) {
		pieces->failed = true;
		return;
	}
	if (pieces->count) {
		struct vkr_piece *last = &pieces->items[pieces->count - 1];
		if ((uint64_t)last->offset + last->bytes == at) {
			last->bytes += (uint32_t)bytes;
			return;
		}
	}
	if (pieces->count >= VKR_PIECES_MOST || !VKR_ARRAY_RESERVE(pieces, 1)) {
		pieces->failed = true;
		return;
	}
	pieces->items[pieces->count++] = (struct vkr_piece){(uint32_t)at, (uint32_t)bytes};
}

static void spirv_types_list(const struct vkr_types *types, uint32_t type, struct vkr_layout layout,
			     uint64_t at, struct vkr_pieces *pieces);

// `count` parts of one type, `stride` bytes apart; one piece where the parts have no gaps.
static void list_parts(const struct vkr_types *types, const struct vkr_chain_step *part,
		       uint64_t count, uint64_t at, struct vkr_pieces *pieces)
{
	struct vkr_pieces first = {0};
	spirv_types_list(types, part->type, part->layout, 0, &first);
	if (first.failed || !first.count) {
		pieces->failed = true;
	} else if (first.count == 1 && !first.items[0].offset &&
		   first.items[0].bytes == part->stride) {
		add_piece(pieces, at, spirv_types_times(part->stride, count));
	} else {
		for (uint64_t i = 0; i < count && !pieces->failed; i++) {
			for (size_t p = 0; p < first.count; p++)
				add_piece(pieces, at + i * part->stride + first.items[p].offset,
					  first.items[p].bytes);
		}
	}
	free(first.items);
}

static void spirv_types_list(const struct vkr_types *types, uint32_t type, struct vkr_layout layout,
			     uint64_t at, struct vkr_pieces *pieces)
{
	const struct vkr_module *module = types->module;
	const struct vkr_instruction *def = vkr_module_definition(module, type);
	struct vkr_chain_step step;
	if (pieces->failed)
		return;
	if (at > UINT32_MAX) {
		pieces->failed = true;
		return;
	}
	switch (def->opcode) {
	case SpvOpTypeVector:
	case VKR_OP_TYPE_VECTOR_ID:
	case SpvOpTypeMatrix:
	case SpvOpTypeArray: {
		uint64_t count = vector_length(types, def); // a matrix's columns
		if (def->opcode == SpvOpTypeArray)
			count = vkr_type_array_length(types, type);
		if (count == UINT64_MAX || !vkr_type_step(types, type, layout, 0, &step)) {
			pieces->failed = true;
			return;
		}
		list_parts(types, &step, count, at, pieces);
		break;
	}
	case SpvOpTypeStruct:
		for (uint32_t m = 0; m + 2u < def->length; m++) {
			if (!vkr_type_step(types, type, layout, m, &step)) {
				pieces->failed = true;
				return;
			}
			spirv_types_list(types, step.type, step.layout, at + step.offset, pieces);
		}
		break;
	default: {
		uint32_t bytes = scalar_bytes(module, def);
		if (!bytes)
			pieces->failed = true;
		else
			add_piece(pieces, at, bytes);
	}
	}
}

static int by_offset(const void *a, const void *b)
{
	const struct vkr_piece *x = a, *y = b;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

bool vkr_type_pieces(const struct vkr_types *types, uint32_t type, struct vkr_layout layout,
		     struct vkr_pieces *pieces)
{
	*pieces = (struct vkr_pieces){0};
	spirv_types_list(types, type, layout, 0, pieces);
	if (pieces->failed || !pieces->count)
		return false;
	// Row-major matrices list their bytes by column, structures by member: sort, then join.
	vkr_sort(pieces->items, pieces->count, sizeof *pieces->items, by_offset);
	size_t joined = 0;
	for (size_t i = 1; i < pieces->count; i++) {
		struct vkr_piece *last = &pieces->items[joined], *piece = &pieces->items[i];
		uint32_t last_end = last->offset + last->bytes;
		if (piece->offset > last_end) {
			pieces->items[++joined] = *piece;
		} else if (piece->offset + piece->bytes > last_end) {
			last->bytes = piece->offset + piece->bytes - last->offset;
		}
	}
	pieces->count = joined + 1;
	return true;
}
