// SPDX-License-Identifier: Apache-2.0
// From SPIR-V's values to operations on registers. Knows both; nothing of control flow.
#include "summary_writing.h"

#include "array.h"

#include <spirv/unified1/GLSL.std.450.h>

#define FLOAT_ONE UINT32_C(0x3f800000)

void vkr_summary_put(struct vkr_summary_writing *writing, struct vkr_summary_operation operation)
{
	if (!VKR_ARRAY_RESERVE(&writing->body, 1)) {
		writing->failed = true;
		return;
	}
	writing->body.items[writing->body.count++] = operation;
}

uint32_t vkr_summary_take(struct vkr_summary_writing *writing, uint32_t count)
{
	uint32_t first = writing->next_register;
	if (VKR_SUMMARY_REGISTERS - first < count) {
		writing->failed = true;
		return 1;
	}
	writing->next_register += count;
	return first;
}

// A register that is set before all else.
static uint32_t put_head(struct vkr_summary_writing *writing,
			 struct vkr_summary_operation operation)
{
	operation.result = vkr_summary_take(writing, 1);
	if (!VKR_ARRAY_RESERVE(&writing->head, 1)) {
		writing->failed = true;
		return operation.result;
	}
	writing->head.items[writing->head.count++] = operation;
	return operation.result;
}

// The one that does the same.
static uint32_t find_head(struct vkr_summary_writing *writing,
			  struct vkr_summary_operation operation)
{
	for (size_t i = 0; i < writing->head.count; i++) {
		const struct vkr_summary_operation *known = &writing->head.items[i];
		if (known->code == operation.code && known->a == operation.a &&
		    known->b == operation.b && known->c == operation.c)
			return known->result;
	}
	return put_head(writing, operation);
}

static uint32_t head_register(struct vkr_summary_writing *writing, enum vkr_summary_code code,
			      uint32_t a)
{
	return find_head(writing, (struct vkr_summary_operation){.code = (uint8_t)code, .a = a});
}

uint32_t vkr_summary_constant(struct vkr_summary_writing *writing, uint32_t value)
{
	uint64_t known = 0;
	if (vkr_map_get(&writing->constants, value, &known))
		return (uint32_t)known;
	uint32_t reg = put_head(
		writing, (struct vkr_summary_operation){.code = VKR_SUMMARY_CONSTANT, .a = value});
	if (!vkr_map_set(&writing->constants, value, reg))
		writing->failed = true;
	return reg;
}

uint32_t vkr_summary_near(struct vkr_summary_writing *writing, enum vkr_summary_code code,
			  uint32_t a, uint32_t b)
{
	uint32_t result = vkr_summary_take(writing, 1);
	vkr_summary_put(writing, (struct vkr_summary_operation){.code = (uint8_t)code,
								.flags = VKR_SUMMARY_NEAR,
								.result = result,
								.a = a,
								.b = b});
	return result;
}

uint32_t vkr_summary_components(const struct vkr_summary_writing *writing, uint32_t id)
{
	return vkr_slice_words(writing->module, id);
}

uint32_t vkr_summary_register(struct vkr_summary_writing *writing, uint32_t id, uint32_t component)
{
	uint32_t *reg = &writing->registers[id][component];
	if (*reg == 0)
		*reg = vkr_summary_take(writing, 1);
	return *reg;
}

void vkr_summary_alias(struct vkr_summary_writing *writing, uint32_t id, uint32_t component,
		       uint32_t reg)
{
	writing->registers[id][component] = reg;
}

// Whether the value is one of others, or is put together from such.
static bool is_made_of_others(const struct vkr_instruction *in)
{
	return in->opcode == SpvOpCompositeExtract || in->opcode == SpvOpCompositeConstruct ||
	       in->opcode == SpvOpVectorShuffle || in->opcode == SpvOpBitcast ||
	       in->opcode == SpvOpCopyObject;
}

void vkr_summary_spread_uses(struct vkr_summary_writing *writing)
{
	const struct vkr_module *module = writing->module;
	const struct vkr_function *function = writing->slice.function;
	for (uint32_t i = function->end; i-- > function->body;) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (!in->result || !writing->slice.is_far[in->result] || !is_made_of_others(in))
			continue;
		for (uint16_t use = 0; use < in->use_count; use++)
			writing->slice.is_far[module->words[module->uses[in->first_use + use]]] =
				true;
	}
}

uint32_t vkr_summary_value(struct vkr_summary_writing *writing, uint32_t id, uint32_t component)
{
	const struct vkr_constants *constants = writing->analysis->constants;
	uint64_t number;
	uint32_t count = vkr_summary_components(writing, id);
	if (writing->slice.home[id])
		return vkr_summary_register(writing, id, component < count ? component : 0);
	if (!vkr_constant_value(constants, id, &number) &&
	    !vkr_constant_component(constants, id, component, &number))
		writing->failed = true;
	return vkr_summary_constant(writing, (uint32_t)number);
}

static uint8_t flags_of(const struct vkr_summary_writing *writing, uint32_t id)
{
	return writing->slice.is_far[id] ? 0 : VKR_SUMMARY_NEAR;
}

// One component of a value of this instruction.
static void summary_operations_set(struct vkr_summary_writing *writing,
				   const struct vkr_instruction *in, uint32_t component,
				   struct vkr_summary_operation operation)
{
	operation.result = vkr_summary_register(writing, in->result, component);
	operation.flags = flags_of(writing, in->result);
	vkr_summary_put(writing, operation);
}

static void move_component(struct vkr_summary_writing *writing, const struct vkr_instruction *in,
			   uint32_t component, uint32_t from)
{
	summary_operations_set(writing, in, component,
			       (struct vkr_summary_operation){.code = VKR_SUMMARY_MOVE, .a = from});
}

// A word of a buffer that all invocations find alike.
static uint32_t uniform_register(struct vkr_summary_writing *writing,
				 const struct vkr_instruction *in, uint32_t element,
				 uint32_t offset, uint32_t component)
{
	struct vkr_pointer_target place;
	uint32_t variable = 0;
	if (!vkr_pointer_target_resolve(&writing->analysis->book,
					vkr_module_word(writing->module, in, 3), &place) ||
	    place.kind != VKR_TARGET_VARIABLE ||
	    !vkr_analysis_variable(writing->sites, &place, &variable))
		writing->failed = true;
	return find_head(writing,
			 (struct vkr_summary_operation){
				 .code = VKR_SUMMARY_UNIFORM,
				 .a = vkr_slice_uniform(&writing->slice, in, element) + component,
				 .b = variable,
				 .c = offset + 4 * component});
}

// ---- Values -------------------------------------------------------------------------------------

// Whether a value that is loaded from a local variable is what the variable is, for as long as the
// value is used.
static bool stays_loaded(const struct vkr_summary_writing *writing,
			 const struct vkr_instruction *in, uint32_t variable)
{
	const uint32_t at = (uint32_t)(in - writing->module->instructions);
	const uint32_t stored = writing->last_stores[variable];
	return !writing->slice.is_far[in->result] &&
	       (stored < at || stored > writing->slice.blocks[writing->block].terminator);
}

// A component of an element, of push constants or of a buffer.
static uint32_t element_register(struct vkr_summary_writing *writing,
				 const struct vkr_instruction *in, const struct vkr_origin *origin,
				 uint32_t element, uint32_t component)
{
	const uint32_t offset = origin->offset + element * origin->stride;
	return origin->kind == VKR_ORIGIN_PUSHED
		       ? head_register(writing, VKR_SUMMARY_PUSHED, offset + 4 * component)
		       : uniform_register(writing, in, element, offset, component);
}

// A component of the element that a value chooses.
static void write_chosen(struct vkr_summary_writing *writing, const struct vkr_instruction *in,
			 const struct vkr_origin *origin, uint32_t component)
{
	const uint32_t chooser = vkr_summary_value(writing, origin->chooser, 0);
	move_component(writing, in, component, element_register(writing, in, origin, 0, component));
	for (uint32_t at = 1; at < origin->count; at++) {
		const uint32_t is_it = vkr_summary_near(writing, VKR_SUMMARY_EQUAL, chooser,
							vkr_summary_constant(writing, at));
		summary_operations_set(
			writing, in, component,
			(struct vkr_summary_operation){
				.code = VKR_SUMMARY_SELECT,
				.a = is_it,
				.b = element_register(writing, in, origin, at, component),
				.c = vkr_summary_register(writing, in->result, component)});
	}
}

static void write_load(struct vkr_summary_writing *writing, const struct vkr_instruction *in)
{
	const uint32_t *size = writing->analysis->workgroup_size;
	struct vkr_origin origin = vkr_slice_origin(&writing->slice, in);
	uint32_t count = vkr_slice_components(writing->module, in->type);
	for (uint32_t c = 0; c < count; c++) {
		uint32_t axis = origin.component + c, from = 0;
		if (origin.chooser) {
			write_chosen(writing, in, &origin, c);
			continue;
		}
		if (origin.kind == VKR_ORIGIN_PUSHED || origin.kind == VKR_ORIGIN_UNIFORM) {
			from = element_register(writing, in, &origin, 0, c);
		} else if (origin.kind == VKR_ORIGIN_LOCAL) {
			const struct vkr_instruction *variable =
				vkr_module_definition(writing->module, origin.variable);
			from = vkr_summary_register(writing, variable->result, axis);
		} else if (origin.builtin == SpvBuiltInWorkgroupId) {
			from = head_register(writing, VKR_SUMMARY_GROUP, axis);
		} else if (origin.builtin == SpvBuiltInNumWorkgroups) {
			from = head_register(writing, VKR_SUMMARY_GROUPS, axis);
		} else if (origin.builtin == SpvBuiltInLocalInvocationIndex) {
			from = head_register(writing, VKR_SUMMARY_INDEX, 0);
		} else {
			from = head_register(writing, VKR_SUMMARY_LOCAL, axis);
		}
		if (origin.kind == VKR_ORIGIN_INPUT &&
		    origin.builtin == SpvBuiltInGlobalInvocationId) {
			uint32_t group = head_register(writing, VKR_SUMMARY_GROUP, axis);
			uint32_t of_group =
				vkr_summary_near(writing, VKR_SUMMARY_MULTIPLY, group,
						 vkr_summary_constant(writing, size[axis]));
			summary_operations_set(
				writing, in, c,
				(struct vkr_summary_operation){
					.code = VKR_SUMMARY_ADD, .a = of_group, .b = from});
		} else {
			if (origin.kind == VKR_ORIGIN_LOCAL &&
			    !stays_loaded(writing, in, origin.variable))
				move_component(writing, in, c, from);
			else
				vkr_summary_alias(writing, in->result, c, from);
		}
	}
}

static void write_shuffle(struct vkr_summary_writing *writing, const struct vkr_instruction *in)
{
	uint32_t first = vkr_module_word(writing->module, in, 3);
	uint32_t of_first = vkr_summary_components(writing, first);
	for (uint32_t c = 0; c + 5u < in->length; c++) {
		uint32_t from = vkr_module_word(writing->module, in, c + 5);
		if (from == UINT32_MAX) // undefined
			from = 0;
		vkr_summary_alias(
			writing, in->result, c,
			from < of_first ? vkr_summary_value(writing, first, from)
					: vkr_summary_value(writing,
							    vkr_module_word(writing->module, in, 4),
							    from - of_first));
	}
}

static void write_construct(struct vkr_summary_writing *writing, const struct vkr_instruction *in)
{
	uint32_t to = 0;
	for (uint32_t word = 3; word < in->length; word++) {
		uint32_t part = vkr_module_word(writing->module, in, word);
		for (uint32_t c = 0; c < vkr_summary_components(writing, part); c++)
			vkr_summary_alias(writing, in->result, to++,
					  vkr_summary_value(writing, part, c));
	}
}

static void write_select(struct vkr_summary_writing *writing, const struct vkr_instruction *in,
			 uint32_t c)
{
	uint32_t condition = vkr_module_word(writing->module, in, 3);
	uint32_t which = vkr_summary_components(writing, condition) > 1 ? c : 0;
	summary_operations_set(
		writing, in, c,
		(struct vkr_summary_operation){
			.code = VKR_SUMMARY_SELECT,
			.a = vkr_summary_value(writing, condition, which),
			.b = vkr_summary_value(writing, vkr_module_word(writing->module, in, 4), c),
			.c = vkr_summary_value(writing, vkr_module_word(writing->module, in, 5),
					       c)});
}

// The choice of `yes` where `low` is less than `high`, else of `no`; its result is not named yet.
static struct vkr_summary_operation select_less(struct vkr_summary_writing *writing, bool is_signed,
						uint32_t low, uint32_t high, uint32_t yes,
						uint32_t no)
{
	const uint32_t less = vkr_summary_near(
		writing, is_signed ? VKR_SUMMARY_LESS_SIGNED : VKR_SUMMARY_LESS, low, high);
	return (struct vkr_summary_operation){
		.code = VKR_SUMMARY_SELECT, .a = less, .b = yes, .c = no};
}

// Functions of integers.
static void write_integer_function(struct vkr_summary_writing *writing,
				   const struct vkr_instruction *in, uint32_t c)
{
	const struct vkr_module *module = writing->module;
	const uint32_t number = vkr_module_word(module, in, 4);
	struct vkr_summary_operation operation;
	uint32_t of[3] = {0};
	for (uint32_t word = 5; word < in->length && word < 8; word++)
		of[word - 5] = vkr_summary_value(writing, vkr_module_word(module, in, word), c);
	switch (number) {
	case GLSLstd450SAbs: {
		const uint32_t zero = vkr_summary_constant(writing, 0);
		const uint32_t minus = vkr_summary_near(writing, VKR_SUMMARY_SUBTRACT, zero, of[0]);
		operation = select_less(writing, true, of[0], zero, minus, of[0]);
		break;
	}
	case GLSLstd450UClamp:
	case GLSLstd450SClamp: { // min(max(x, least), most)
		const bool is_signed = number == GLSLstd450SClamp;
		const uint32_t raised = vkr_summary_take(writing, 1);
		operation = select_less(writing, is_signed, of[0], of[1], of[1], of[0]);
		operation.flags = VKR_SUMMARY_NEAR;
		operation.result = raised;
		vkr_summary_put(writing, operation);
		operation = select_less(writing, is_signed, raised, of[2], raised, of[2]);
		break;
	}
	case GLSLstd450UMin:
	case GLSLstd450SMin:
		operation =
			select_less(writing, number == GLSLstd450SMin, of[0], of[1], of[0], of[1]);
		break;
	default: // UMax, SMax
		operation =
			select_less(writing, number == GLSLstd450SMax, of[0], of[1], of[1], of[0]);
		break;
	}
	summary_operations_set(writing, in, c, operation);
}

// Functions of floats.
static void write_function(struct vkr_summary_writing *writing, const struct vkr_instruction *in,
			   uint32_t c)
{
	const struct vkr_module *module = writing->module;
	struct vkr_summary_operation operation = {.code = VKR_SUMMARY_FLOAT_MINIMUM};
	uint32_t of[3] = {0};
	for (uint32_t word = 5; word < in->length && word < 8; word++)
		of[word - 5] = vkr_summary_value(writing, vkr_module_word(module, in, word), c);
	operation.a = of[0];
	operation.b = of[1];
	switch (vkr_module_word(module, in, 4)) {
	case GLSLstd450Sqrt:
		operation.code = VKR_SUMMARY_FLOAT_SQUARE_ROOT;
		operation.b = 0;
		break;
	case GLSLstd450FAbs:
		operation.code = VKR_SUMMARY_FLOAT_MAXIMUM;
		operation.b = vkr_summary_near(writing, VKR_SUMMARY_FLOAT_SUBTRACT,
					       vkr_summary_constant(writing, 0), of[0]);
		break;
	case GLSLstd450FMax:
	case GLSLstd450NMax:
		operation.code = VKR_SUMMARY_FLOAT_MAXIMUM;
		break;
	case GLSLstd450FClamp:
	case GLSLstd450NClamp:
		operation.a = vkr_summary_near(writing, VKR_SUMMARY_FLOAT_MAXIMUM, of[0], of[1]);
		operation.b = of[2];
		break;
	case GLSLstd450FMix: { // "Derived from x * (1.0 - a) + y * a"
		const uint32_t one = vkr_summary_constant(writing, FLOAT_ONE);
		const uint32_t rest =
			vkr_summary_near(writing, VKR_SUMMARY_FLOAT_SUBTRACT, one, of[2]);
		operation.code = VKR_SUMMARY_FLOAT_ADD;
		operation.a = vkr_summary_near(writing, VKR_SUMMARY_FLOAT_MULTIPLY, of[0], rest);
		operation.b = vkr_summary_near(writing, VKR_SUMMARY_FLOAT_MULTIPLY, of[1], of[2]);
		break;
	}
	default: // FMin, NMin
		break;
	}
	summary_operations_set(writing, in, c, operation);
}

static void write_component(struct vkr_summary_writing *writing, const struct vkr_instruction *in,
			    uint32_t c)
{
	const struct vkr_module *module = writing->module;
	const struct vkr_opcode *row = vkr_opcode(in->opcode);
	uint32_t a = vkr_summary_value(writing, vkr_module_word(module, in, 3), c);
	struct vkr_summary_operation operation = {.code = row->summary, .a = a};
	switch (in->opcode) {
	case SpvOpConvertSToF:
	case SpvOpConvertUToF:
		break;
	case SpvOpVectorTimesScalar:
		operation.b = vkr_summary_value(writing, vkr_module_word(module, in, 4), 0);
		break;
	case SpvOpFNegate: // the sign of 0 matters to no coordinate
	case SpvOpSNegate:
		operation.a = vkr_summary_constant(writing, 0);
		operation.b = a;
		break;
	case SpvOpNot:
		operation.b = vkr_summary_constant(writing, UINT32_MAX);
		break;
	case SpvOpLogicalNot:
		operation.b = vkr_summary_constant(writing, 1);
		break;
	default:
		operation.b = vkr_summary_value(writing, vkr_module_word(module, in, 4), c);
		break;
	}
	if (row->flags & VKR_OPCODE_SWAPPED) {
		operation.a = operation.b;
		operation.b = a;
	}
	summary_operations_set(writing, in, c, operation);
}

// Whether any, or all, of a vector's components are true.
static void write_truth(struct vkr_summary_writing *writing, const struct vkr_instruction *in)
{
	const uint32_t vector = vkr_module_word(writing->module, in, 3);
	const enum vkr_summary_code code = vkr_opcode(in->opcode)->summary;
	const uint32_t last = vkr_summary_components(writing, vector) - 1;
	uint32_t truth = vkr_summary_value(writing, vector, 0);
	for (uint32_t c = 1; c < last; c++)
		truth = vkr_summary_near(writing, code, truth,
					 vkr_summary_value(writing, vector, c));
	summary_operations_set(
		writing, in, 0,
		(struct vkr_summary_operation){.code = (uint8_t)code,
					       .a = truth,
					       .b = vkr_summary_value(writing, vector, last)});
}

// An operation before all else, or here for what is near.
static uint32_t put_once(struct vkr_summary_writing *writing, bool before_all,
			 struct vkr_summary_operation operation)
{
	if (before_all)
		return find_head(writing, operation);
	operation.flags = VKR_SUMMARY_NEAR;
	operation.result = vkr_summary_take(writing, 1);
	vkr_summary_put(writing, operation);
	return operation.result;
}

// The length of an array, in elements: from its offset to the end of the bytes that are bound.
static void write_length(struct vkr_summary_writing *writing, const struct vkr_instruction *in,
			 const struct vkr_size_query *query, uint32_t variable, uint32_t element)
{
	const bool alike = !query->of.is_arrayed;
	const uint32_t offset = vkr_summary_constant(writing, query->offset);
	const uint32_t stride = vkr_summary_constant(writing, query->stride);
	uint32_t size = put_once(writing, alike,
				 (struct vkr_summary_operation){
					 .code = VKR_SUMMARY_SIZE, .a = variable, .b = element});
	if (query->offset > 0) {
		const uint32_t less =
			put_once(writing, alike,
				 (struct vkr_summary_operation){
					 .code = VKR_SUMMARY_LESS, .a = size, .b = offset});
		size = put_once(
			writing, alike,
			(struct vkr_summary_operation){
				.code = VKR_SUMMARY_SELECT, .a = less, .b = offset, .c = size});
		size = put_once(writing, alike,
				(struct vkr_summary_operation){
					.code = VKR_SUMMARY_SUBTRACT, .a = size, .b = offset});
	}
	const uint32_t length = put_once(
		writing, alike,
		(struct vkr_summary_operation){.code = VKR_SUMMARY_DIVIDE, .a = size, .b = stride});
	if (alike)
		vkr_summary_alias(writing, in->result, 0, length);
	else
		move_component(writing, in, 0, length);
}

// The sizes of what is bound to a variable.
static void write_sizes(struct vkr_summary_writing *writing, const struct vkr_instruction *in)
{
	struct vkr_size_query query;
	uint32_t count = vkr_slice_components(writing->module, in->type), variable = 0, element = 0;
	if (!vkr_slice_query(&writing->slice, in, &query) ||
	    !vkr_analysis_variable(writing->sites, &query.of, &variable)) {
		writing->failed = true;
		return;
	}
	if (query.of.is_arrayed)
		element = vkr_summary_sum(writing, &query.of.element);
	if (query.stride > 0) {
		write_length(writing, in, &query, variable, element);
		return;
	}
	for (uint32_t c = 0; c < count; c++)
		summary_operations_set(
			writing, in, c,
			(struct vkr_summary_operation){.code = VKR_SUMMARY_SIZE,
						       .a = variable,
						       .b = element,
						       .c = c | (uint32_t)query.level << 2});
}

void vkr_summary_write_record(struct vkr_summary_writing *writing, const struct vkr_block *block)
{
	uint32_t word = 0;
	if (!block->record)
		return;
	vkr_summary_put(writing,
			(struct vkr_summary_operation){.code = VKR_SUMMARY_RECORD,
						       .a = block->record,
						       .b = block->record_words |
							    !writing->analysis->wants_streams});
	for (uint32_t i = block->first + 1; i < block->terminator; i++) {
		uint32_t id = writing->module->instructions[i].result;
		if (!id || !writing->slice.is_logged[id])
			continue;
		uint32_t count = vkr_summary_components(writing, id);
		for (uint32_t c = 0; c < count; c++)
			vkr_summary_put(writing,
					(struct vkr_summary_operation){
						.code = VKR_SUMMARY_LOGGED,
						.flags = flags_of(writing, id),
						.result = vkr_summary_register(writing, id, c),
						.a = word++});
	}
}

static void write_call(struct vkr_summary_writing *writing, const struct vkr_instruction *in,
		       uint32_t c)
{
	if (vkr_slice_is_float(writing->module, in->type))
		write_function(writing, in, c);
	else
		write_integer_function(writing, in, c);
}

void vkr_summary_write_value(struct vkr_summary_writing *writing, const struct vkr_instruction *in)
{
	const struct vkr_module *module = writing->module;
	uint32_t count = vkr_slice_components(module, in->type);
	if (writing->slice.is_logged[in->result])
		return;
	switch (in->opcode) {
	case SpvOpPhi: // set on the way here
		return;
	case SpvOpLoad:
		write_load(writing, in);
		return;
	case SpvOpCompositeExtract:
		vkr_summary_alias(writing, in->result, 0,
				  vkr_summary_value(writing, vkr_module_word(module, in, 3),
						    vkr_module_word(module, in, 4)));
		return;
	case SpvOpBitcast:
	case SpvOpCopyObject:
		for (uint32_t c = 0; c < count; c++)
			vkr_summary_alias(
				writing, in->result, c,
				vkr_summary_value(writing, vkr_module_word(module, in, 3), c));
		return;
	case SpvOpVectorShuffle:
		write_shuffle(writing, in);
		return;
	case SpvOpCompositeConstruct:
		write_construct(writing, in);
		return;
	case SpvOpAny:
	case SpvOpAll:
		write_truth(writing, in);
		return;
	case SpvOpArrayLength:
	case SpvOpImageQuerySize:
	case SpvOpImageQuerySizeLod:
		write_sizes(writing, in);
		return;
	default:
		break;
	}
	for (uint32_t c = 0; c < count; c++) {
		if (in->opcode == SpvOpSelect)
			write_select(writing, in, c);
		else if (in->opcode == SpvOpExtInst)
			write_call(writing, in, c);
		else
			write_component(writing, in, c);
	}
}

void vkr_summary_write_store(struct vkr_summary_writing *writing, const struct vkr_instruction *in)
{
	uint32_t component, from,
		variable = vkr_slice_stored(&writing->slice, in, &component, &from);
	if (!variable)
		return;
	for (uint32_t c = 0; c < vkr_summary_components(writing, from); c++)
		vkr_summary_put(writing, (struct vkr_summary_operation){
						 .code = VKR_SUMMARY_MOVE,
						 .result = vkr_summary_register(writing, variable,
										component + c),
						 .a = vkr_summary_value(writing, from, c)});
}

uint32_t vkr_summary_sum(struct vkr_summary_writing *writing, const struct vkr_sum *sum)
{
	uint32_t total = 0;
	for (uint32_t t = 0; t < sum->term_count; t++) {
		uint32_t part = vkr_summary_value(writing, sum->terms[t].index, 0);
		if (sum->terms[t].factor != 1)
			part = vkr_summary_near(
				writing, VKR_SUMMARY_MULTIPLY, part,
				vkr_summary_constant(writing, sum->terms[t].factor));
		total = total ? vkr_summary_near(writing, VKR_SUMMARY_ADD, total, part) : part;
	}
	if (!total)
		return vkr_summary_constant(writing, sum->constant);
	if (sum->constant)
		total = vkr_summary_near(writing, VKR_SUMMARY_ADD, total,
					 vkr_summary_constant(writing, sum->constant));
	return total;
}
