// SPDX-License-Identifier: Apache-2.0
#include "spirv_constants.h"

// A specialization operation names only earlier ids (SPIR-V 2.4), so evaluation ends; the depth is
// bounded all the same, for the C stack.
#define DEPTH_MOST 256u

static bool spirv_constants_evaluate(const struct vkr_constants *constants, uint32_t id,
				     unsigned depth, uint64_t *value);

// Cuts a value to the integer type's width and extends it by its signedness.
static bool spirv_constants_fit(const struct vkr_module *module, uint32_t type, uint64_t *value)
{
	const struct vkr_instruction *def = vkr_module_definition(module, type);
	if (def->opcode == SpvOpTypeBool) {
		*value = *value != 0;
		return true;
	}
	if (def->opcode == SpvOpTypeFloat && vkr_module_word(module, def, 2) == 32) {
		*value &= UINT32_MAX;
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

static bool spirv_constants_specialized(const struct vkr_constants *constants, uint32_t id,
					uint64_t *value)
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

// Operands of all the operations below: extended to 64 bits by their signedness, and the bits of
// the type alone. Results are not yet fit to their type.
struct operands {
	uint64_t a, b;   // extended
	uint64_t ua, ub; // zero-extended
	int64_t sa, sb;
	unsigned width;
};

static bool spirv_constants_divide(SpvOp operation, const struct operands *in, uint64_t *value)
{
	bool is_unsigned = operation == SpvOpUDiv || operation == SpvOpUMod;
	if (is_unsigned ? !in->ub : !in->sb || (in->sb == -1 && in->sa == INT64_MIN))
		return false;
	switch (operation) {
	case SpvOpUDiv:
		*value = in->ua / in->ub;
		return true;
	case SpvOpUMod:
		*value = in->ua % in->ub;
		return true;
	case SpvOpSDiv:
		*value = (uint64_t)(in->sa / in->sb);
		return true;
	case SpvOpSRem:
		*value = (uint64_t)(in->sa % in->sb);
		return true;
	case SpvOpSMod: {
		int64_t rest = in->sa % in->sb;
		*value = (uint64_t)(rest && (rest < 0) != (in->sb < 0) ? rest + in->sb : rest);
		return true;
	}
	default:
		return false;
	}
}

static bool fold_comparison(SpvOp operation, const struct operands *in, uint64_t *value)
{
	switch (operation) {
	case SpvOpLogicalAnd:
		*value = in->a && in->b;
		return true;
	case SpvOpLogicalOr:
		*value = in->a || in->b;
		return true;
	case SpvOpLogicalEqual:
	case SpvOpIEqual:
		*value = in->ua == in->ub;
		return true;
	case SpvOpLogicalNotEqual:
	case SpvOpINotEqual:
		*value = in->ua != in->ub;
		return true;
	case SpvOpULessThan:
		*value = in->ua < in->ub;
		return true;
	case SpvOpUGreaterThan:
		*value = in->ua > in->ub;
		return true;
	case SpvOpULessThanEqual:
		*value = in->ua <= in->ub;
		return true;
	case SpvOpUGreaterThanEqual:
		*value = in->ua >= in->ub;
		return true;
	case SpvOpSLessThan:
		*value = in->sa < in->sb;
		return true;
	case SpvOpSGreaterThan:
		*value = in->sa > in->sb;
		return true;
	case SpvOpSLessThanEqual:
		*value = in->sa <= in->sb;
		return true;
	case SpvOpSGreaterThanEqual:
		*value = in->sa >= in->sb;
		return true;
	default:
		return spirv_constants_divide(operation, in, value);
	}
}

static bool fold_binary(SpvOp operation, const struct operands *in, uint64_t *value)
{
	switch (operation) {
	case SpvOpIAdd:
		*value = in->a + in->b;
		return true;
	case SpvOpISub:
		*value = in->a - in->b;
		return true;
	case SpvOpIMul:
		*value = in->a * in->b;
		return true;
	case SpvOpShiftLeftLogical:
		*value = in->ub < in->width ? in->a << in->ub : 0;
		return true;
	case SpvOpShiftRightLogical:
		*value = in->ub < in->width ? in->ua >> in->ub : 0;
		return true;
	case SpvOpShiftRightArithmetic:
		*value = (uint64_t)(in->sa >> (in->ub < in->width ? in->ub : in->width - 1u));
		return true;
	case SpvOpBitwiseAnd:
		*value = in->a & in->b;
		return true;
	case SpvOpBitwiseOr:
		*value = in->a | in->b;
		return true;
	case SpvOpBitwiseXor:
		*value = in->a ^ in->b;
		return true;
	default:
		return fold_comparison(operation, in, value);
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

bool vkr_constant_operation(SpvOp operation, unsigned width, uint64_t a, uint64_t b,
			    uint64_t *value)
{
	if (is_signed_operation(operation)) {
		a = as_signed(a, width);
		if (operation != SpvOpShiftRightArithmetic)
			b = as_signed(b, width);
	}
	uint64_t mask = width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
	struct operands operands = {a, b, a & mask, b & mask, (int64_t)a, (int64_t)b, width};
	return fold_binary(operation, &operands, value);
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
	if (in->length < 5 || !spirv_constants_evaluate(constants, words[4], depth, &a))
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
		return in->length == 7 &&
		       spirv_constants_evaluate(constants, words[a ? 5 : 6], depth, value);
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
	return in->length == 6 && spirv_constants_evaluate(constants, words[5], depth, &b) &&
	       vkr_constant_operation(operation, width, a, b, value);
}

static bool spirv_constants_evaluate(const struct vkr_constants *constants, uint32_t id,
				     unsigned depth, uint64_t *value)
{
	const struct vkr_module *module = constants->module;
	if (depth >= DEPTH_MOST || !module->ids[id].instruction)
		return false;
	const struct vkr_instruction *in = vkr_module_definition(module, id);
	switch (in->opcode) {
	case SpvOpConstant:
	case SpvOpSpecConstant:
		if (in->opcode == SpvOpConstant ||
		    !spirv_constants_specialized(constants, id, value)) {
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
		if (!spirv_constants_specialized(constants, id, value))
			*value = in->opcode == SpvOpSpecConstantTrue;
		break;
	case SpvOpSpecConstantOp:
		if (!operation_value(constants, in, depth + 1, value))
			return false;
		break;
	default:
		return false;
	}
	return spirv_constants_fit(module, in->type, value);
}

bool vkr_constant_value(const struct vkr_constants *constants, uint32_t id, uint64_t *value)
{
	return spirv_constants_evaluate(constants, id, 0, value);
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
