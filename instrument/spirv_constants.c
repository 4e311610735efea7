// SPDX-License-Identifier: Apache-2.0
#include "spirv_constants.h"

// A specialization operation names only earlier ids (SPIR-V 2.4), so evaluation ends; the depth is
// bounded all the same, for the C stack.
#define DEPTH_MOST 256u

static bool evaluate(const struct vkr_constants *constants, uint32_t id, unsigned depth,
		     uint64_t *value);

// Cuts a value to the integer type's width and extends it by its signedness.
static bool fit(const struct vkr_module *module, uint32_t type, uint64_t *value)
{
	const struct vkr_instruction *def = vkr_module_definition(module, type);
	if (def->opcode == SpvOpTypeBool) {
		*value = *value != 0;
		return true;
	}
	if (def->opcode != SpvOpTypeInt)
		return false;
	uint32_t width = vkr_module_word(module, def, 2);
	if (width >= 64)
		return true;
	uint64_t mask = (UINT64_C(1) << width) - 1;
	*value &= mask;
	if (vkr_module_word(module, def, 3) && *value >> (width - 1))
		*value |= ~mask;
	return true;
}

static bool specialized(const struct vkr_constants *constants, uint32_t id, uint64_t *value)
{
	uint32_t spec_id;
	if (!vkr_module_decorated(constants->module, id, VKR_NO_MEMBER, SpvDecorationSpecId,
				  &spec_id))
		return false;
	for (size_t i = 0; i < constants->specialization_count; i++) {
		if (constants->specializations[i].id == spec_id) {
			*value = constants->specializations[i].value;
			return true;
		}
	}
	return false;
}

static unsigned width_of(const struct vkr_module *module, uint32_t type)
{
	const struct vkr_instruction *def = vkr_module_definition(module, type);
	return def->opcode == SpvOpTypeInt ? vkr_module_word(module, def, 2) : 1;
}

// Two operands sign- or zero-extended by their own types; the result is not yet fit to its type.
static bool binary(SpvOp operation, uint64_t a, uint64_t b, unsigned width, uint64_t *value)
{
	uint64_t mask = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
	uint64_t ua = a & mask, ub = b & mask;
	int64_t sa = (int64_t)a, sb = (int64_t)b;
	switch (operation) {
	case SpvOpIAdd:
		*value = a + b;
		return true;
	case SpvOpISub:
		*value = a - b;
		return true;
	case SpvOpIMul:
		*value = a * b;
		return true;
	case SpvOpUDiv:
		*value = ub ? ua / ub : 0;
		return ub != 0;
	case SpvOpUMod:
		*value = ub ? ua % ub : 0;
		return ub != 0;
	case SpvOpSDiv:
		if (sb == 0 || (sb == -1 && sa == INT64_MIN))
			return false;
		*value = (uint64_t)(sa / sb);
		return true;
	case SpvOpSRem:
	case SpvOpSMod:
		if (sb == 0 || sb == -1) {
			*value = 0;
			return sb != 0;
		}
		*value = (uint64_t)(sa % sb);
		if (operation == SpvOpSMod && *value && ((int64_t)*value < 0) != (sb < 0))
			*value += b;
		return true;
	case SpvOpShiftLeftLogical:
		*value = ub < width ? a << ub : 0;
		return true;
	case SpvOpShiftRightLogical:
		*value = ub < width ? ua >> ub : 0;
		return true;
	case SpvOpShiftRightArithmetic:
		*value = (uint64_t)(sa >> (ub < width ? ub : width - 1u));
		return true;
	case SpvOpBitwiseAnd:
		*value = a & b;
		return true;
	case SpvOpBitwiseOr:
		*value = a | b;
		return true;
	case SpvOpBitwiseXor:
		*value = a ^ b;
		return true;
	case SpvOpLogicalAnd:
		*value = a && b;
		return true;
	case SpvOpLogicalOr:
		*value = a || b;
		return true;
	case SpvOpLogicalEqual:
		*value = !a == !b;
		return true;
	case SpvOpLogicalNotEqual:
		*value = !a != !b;
		return true;
	case SpvOpIEqual:
		*value = ua == ub;
		return true;
	case SpvOpINotEqual:
		*value = ua != ub;
		return true;
	case SpvOpULessThan:
		*value = ua < ub;
		return true;
	case SpvOpUGreaterThan:
		*value = ua > ub;
		return true;
	case SpvOpULessThanEqual:
		*value = ua <= ub;
		return true;
	case SpvOpUGreaterThanEqual:
		*value = ua >= ub;
		return true;
	case SpvOpSLessThan:
		*value = sa < sb;
		return true;
	case SpvOpSGreaterThan:
		*value = sa > sb;
		return true;
	case SpvOpSLessThanEqual:
		*value = sa <= sb;
		return true;
	case SpvOpSGreaterThanEqual:
		*value = sa >= sb;
		return true;
	default:
		return false;
	}
}

// An operand of signed operations: its bits taken as signed whatever its type says.
static uint64_t as_signed(uint64_t value, unsigned width)
{
	if (width >= 64)
		return value;
	uint64_t sign = UINT64_C(1) << (width - 1);
	value &= (sign << 1) - 1;
	return (value ^ sign) - sign;
}

static bool is_signed_operation(SpvOp operation)
{
	switch (operation) {
	case SpvOpSDiv:
	case SpvOpSRem:
	case SpvOpSMod:
	case SpvOpShiftRightArithmetic:
	case SpvOpSLessThan:
	case SpvOpSGreaterThan:
	case SpvOpSLessThanEqual:
	case SpvOpSGreaterThanEqual:
		return true;
	default:
		return false;
	}
}

static bool operation_value(const struct vkr_constants *constants, const struct vkr_instruction *in,
			    unsigned depth, uint64_t *value)
{
	const struct vkr_module *module = constants->module;
	const uint32_t *words = &module->words[in->at];
	SpvOp operation = (SpvOp)words[3];
	uint64_t a, b;
	if (operation == SpvOpCompositeExtract)
		return in->length == 6 &&
		       vkr_constant_component(constants, words[4], words[5], value);
	if (in->length < 5 || !evaluate(constants, words[4], depth, &a))
		return false;
	switch (operation) {
	case SpvOpSNegate:
		*value = 0 - a;
		return true;
	case SpvOpNot:
		*value = ~a;
		return true;
	case SpvOpLogicalNot:
		*value = !a;
		return true;
	case SpvOpSelect:
		return in->length == 7 && evaluate(constants, words[a ? 5 : 6], depth, value);
	default:
		break;
	}
	unsigned width = width_of(module, vkr_module_definition(module, words[4])->type);
	if (operation == SpvOpSConvert || operation == SpvOpUConvert) {
		*value = as_signed(a, width);
		if (operation == SpvOpUConvert && width < 64)
			*value &= (UINT64_C(1) << width) - 1;
		return true;
	}
	if (in->length != 6 || !evaluate(constants, words[5], depth, &b))
		return false;
	if (is_signed_operation(operation)) {
		a = as_signed(a, width);
		if (operation != SpvOpShiftRightArithmetic)
			b = as_signed(b, width);
	}
	return binary(operation, a, b, width, value);
}

static bool evaluate(const struct vkr_constants *constants, uint32_t id, unsigned depth,
		     uint64_t *value)
{
	const struct vkr_module *module = constants->module;
	if (depth >= DEPTH_MOST || !module->ids[id].instruction)
		return false;
	const struct vkr_instruction *in = vkr_module_definition(module, id);
	switch (in->opcode) {
	case SpvOpConstant:
	case SpvOpSpecConstant:
		if (vkr_module_definition(module, in->type)->opcode != SpvOpTypeInt)
			return false;
		if (in->opcode == SpvOpConstant || !specialized(constants, id, value)) {
			*value = vkr_module_word(module, in, 3);
			if (in->length > 4)
				*value |= (uint64_t)vkr_module_word(module, in, 4) << 32;
		}
		break;
	case SpvOpConstantTrue:
		*value = 1;
		break;
	case SpvOpConstantFalse:
	case SpvOpConstantNull:
		*value = 0;
		break;
	case SpvOpSpecConstantTrue:
	case SpvOpSpecConstantFalse:
		if (!specialized(constants, id, value))
			*value = in->opcode == SpvOpSpecConstantTrue;
		break;
	case SpvOpSpecConstantOp:
		if (!operation_value(constants, in, depth + 1, value))
			return false;
		break;
	default:
		return false;
	}
	return fit(module, in->type, value);
}

bool vkr_constant_value(const struct vkr_constants *constants, uint32_t id, uint64_t *value)
{
	return evaluate(constants, id, 0, value);
}

bool vkr_constant_component(const struct vkr_constants *constants, uint32_t id, uint32_t component,
			    uint64_t *value)
{
	const struct vkr_instruction *in = vkr_module_definition(constants->module, id);
	if (in->opcode == SpvOpConstantNull) {
		*value = 0;
		return true;
	}
	if (in->opcode != SpvOpConstantComposite && in->opcode != SpvOpSpecConstantComposite)
		return false;
	return component + 3u < in->length &&
	       vkr_constant_value(constants, vkr_module_word(constants->module, in, component + 3),
				  value);
}
