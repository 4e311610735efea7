// SPDX-License-Identifier: Apache-2.0
#include "spirv_module.h"

#include "error.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static uint32_t word_at(const struct vkr_module *module, size_t instruction, uint32_t index)
{
	return module->words[module->instructions[instruction].at + index];
}

// How many decorations the module's annotations come to, groups expanded. per_id is zeroed scratch
// of one number an id.
static size_t count_decorations(const struct vkr_module *module, size_t *per_id)
{
	size_t count = 0;
	for (size_t i = 0; i < module->first_global; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		const uint32_t *words = &module->words[in->at];
		switch ((uint32_t)in->opcode) {
		case SpvOpDecorate:
		case SpvOpDecorateId:
		case SpvOpDecorateString:
		case SpvOpMemberDecorate:
		case SpvOpMemberDecorateString:
		case VKR_OP_MEMBER_DECORATE_ID:
			per_id[words[1]]++;
			count++;
			break;
		case SpvOpGroupDecorate:
		case SpvOpGroupMemberDecorate:
			count += per_id[words[1]] * (in->length - 2u);
			break;
		default:
			break;
		}
	}
	return count;
}

static void spirv_module_decorate(struct vkr_module *module, uint32_t id,
				  struct vkr_decoration decoration)
{
	decoration.next = module->ids[id].decorations;
	module->decorations[module->decoration_count++] = decoration;
	module->ids[id].decorations = (uint32_t)module->decoration_count;
}

// Gives `target` (or its member) every decoration of the group.
static void decorate_as_group(struct vkr_module *module, uint32_t group, uint32_t target,
			      uint32_t member)
{
	for (uint32_t d = module->ids[group].decorations; d; d = module->decorations[d - 1].next) {
		struct vkr_decoration copy = module->decorations[d - 1];
		copy.member = member;
		spirv_module_decorate(module, target, copy);
	}
}

static void read_annotation(struct vkr_module *module, const struct vkr_instruction *in)
{
	const uint32_t *words = &module->words[in->at];
	switch ((uint32_t)in->opcode) {
	case SpvOpDecorate:
	case SpvOpDecorateId:
	case SpvOpDecorateString:
		spirv_module_decorate(module, words[1],
				      (struct vkr_decoration){.member = VKR_NO_MEMBER,
							      .decoration = words[2],
							      .literals = words + 3,
							      .literal_count = in->length - 3u});
		break;
	case SpvOpMemberDecorate:
	case SpvOpMemberDecorateString:
	case VKR_OP_MEMBER_DECORATE_ID:
		spirv_module_decorate(module, words[1],
				      (struct vkr_decoration){.member = words[2],
							      .decoration = words[3],
							      .literals = words + 4,
							      .literal_count = in->length - 4u});
		break;
	case SpvOpGroupDecorate:
		for (uint32_t w = 2; w < in->length; w++)
			decorate_as_group(module, words[1], words[w], VKR_NO_MEMBER);
		break;
	case SpvOpGroupMemberDecorate:
		for (uint32_t w = 2; w + 1 < in->length; w += 2)
			decorate_as_group(module, words[1], words[w], words[w + 1]);
		break;
	default:
		break;
	}
}

static bool is_before_globals(uint16_t opcode)
{
	switch ((uint32_t)opcode) {
	case SpvOpCapability:
	case SpvOpExtension:
	case SpvOpExtInstImport:
	case SpvOpMemoryModel:
	case SpvOpEntryPoint:
	case SpvOpExecutionMode:
	case SpvOpExecutionModeId:
	case SpvOpString:
	case SpvOpSource:
	case SpvOpSourceContinued:
	case SpvOpSourceExtension:
	case SpvOpName:
	case SpvOpMemberName:
	case SpvOpModuleProcessed:
	case SpvOpDecorate:
	case SpvOpMemberDecorate:
	case SpvOpDecorationGroup:
	case SpvOpGroupDecorate:
	case SpvOpGroupMemberDecorate:
	case SpvOpDecorateId:
	case SpvOpDecorateString:
	case SpvOpMemberDecorateString:
	case VKR_OP_MEMBER_DECORATE_ID:
		return true;
	default:
		return false;
	}
}

static void index_instructions(struct vkr_module *module)
{
	module->first_global = module->first_function = (uint32_t)module->instruction_count;
	for (uint32_t i = 0; i < module->instruction_count; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->result)
			module->ids[in->result].instruction = i + 1;
		if (in->opcode == SpvOpMemoryModel)
			module->memory_model = i;
		else if (in->opcode == SpvOpName)
			module->ids[word_at(module, i, 1)].name = i + 1;
		else if (in->opcode == SpvOpMemberName &&
			 !module->ids[word_at(module, i, 1)].member_names)
			module->ids[word_at(module, i, 1)].member_names = i + 1;
		if (i < module->first_global && !is_before_globals(in->opcode))
			module->first_global = i;
		if (i < module->first_function && in->opcode == SpvOpFunction)
			module->first_function = i;
		if (in->opcode == SpvOpFunction)
			module->function_count++;
	}
}

static void index_functions(struct vkr_module *module)
{
	struct vkr_function *function = module->functions;
	for (uint32_t i = module->first_function; i < module->instruction_count; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode == SpvOpFunction)
			*function = (struct vkr_function){.id = in->result, .first = i};
		else if (in->opcode == SpvOpLabel && !function->body)
			function->body = i;
		else if (in->opcode == SpvOpFunctionEnd) {
			function->end = i + 1;
			if (!function->body)
				function->body = function->end;
			function++;
		}
	}
}

static enum vkr_result build_tables(struct vkr_module *module, struct vkr_arena *arena,
				    struct vkr_error *error)
{
	module->ids = vkr_arena_alloc(arena, module->bound * sizeof *module->ids);
	if (!module->ids)
		return vkr_error_memory(error, "SPIR-V ids");
	index_instructions(module);
	size_t *per_id = vkr_arena_alloc(arena, module->bound * sizeof *per_id);
	if (!per_id)
		return vkr_error_memory(error, "SPIR-V decorations");
	size_t decorations = count_decorations(module, per_id);
	module->decorations = vkr_arena_alloc(arena, decorations * sizeof *module->decorations);
	module->functions =
		vkr_arena_alloc(arena, module->function_count * sizeof *module->functions);
	if (!module->decorations || !module->functions)
		return vkr_error_memory(error, "SPIR-V decorations and functions");
	for (uint32_t i = 0; i < module->first_global; i++)
		read_annotation(module, &module->instructions[i]);
	index_functions(module);
	return VKR_OK;
}

// The validator has not looked at debug information.
static enum vkr_result check_ids(const struct vkr_module *module, struct vkr_error *error)
{
	for (size_t i = 0; i < module->instruction_count; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		bool in_bound = in->result < module->bound;
		for (uint16_t u = 0; u < in->use_count; u++)
			in_bound &= module->words[module->uses[in->first_use + u]] < module->bound;
		if (!in_bound)
			return vkr_error_set(error, VKR_ERROR_FORMAT,
					     "invalid SPIR-V, word %u: an id beyond the bound",
					     in->at);
	}
	return VKR_OK;
}

enum vkr_result vkr_module_read(struct vkr_module *module, struct vkr_arena *arena,
				const uint32_t *words, size_t word_count, uint32_t environment,
				struct vkr_error *error)
{
	struct vkr_parsed parsed;
	*module = (struct vkr_module){.words = words, .word_count = word_count};
	enum vkr_result result = vkr_spirv_parse(words, word_count, environment, &parsed, error);
	if (result != VKR_OK)
		goto done;
	module->version = parsed.version;
	module->bound = parsed.bound;
	module->instruction_count = parsed.instructions.count;
	module->use_count = parsed.uses.count;
	size_t instruction_bytes = parsed.instructions.count * sizeof *module->instructions;
	size_t use_bytes = parsed.uses.count * sizeof *module->uses;
	module->instructions = vkr_arena_alloc(arena, instruction_bytes);
	module->uses = vkr_arena_alloc(arena, use_bytes);
	if (!module->instructions || !module->uses) {
		result = vkr_error_memory(error, "SPIR-V instructions");
		goto done;
	}
	if (instruction_bytes)
		memcpy(module->instructions, parsed.instructions.items, instruction_bytes);
	if (use_bytes)
		memcpy(module->uses, parsed.uses.items, use_bytes);
	result = check_ids(module, error);
	if (result == VKR_OK)
		result = build_tables(module, arena, error);
done:
	vkr_parsed_finish(&parsed);
	return result;
}

const struct vkr_instruction *vkr_module_definition(const struct vkr_module *module, uint32_t id)
{
	assert(id < module->bound && module->ids[id].instruction);
	return &module->instructions[module->ids[id].instruction - 1];
}

uint32_t vkr_module_word(const struct vkr_module *module, const struct vkr_instruction *in,
			 uint32_t index)
{
	assert(index < in->length);
	return module->words[in->at + index];
}

bool vkr_module_is_plain(const struct vkr_module *module, const struct vkr_instruction *in,
			 uint32_t operands)
{
	const uint32_t known = SpvMemoryAccessAlignedMask | SpvMemoryAccessNontemporalMask;
	return in->length <= operands || !(vkr_module_word(module, in, operands) & ~known);
}

const char *vkr_module_string(const struct vkr_module *module, const struct vkr_instruction *in,
			      uint32_t index)
{
	assert(index < in->length);
	return (const char *)&module->words[in->at + index];
}

const char *vkr_module_name(const struct vkr_module *module, uint32_t id)
{
	uint32_t name = module->ids[id].name;
	return name ? vkr_module_string(module, &module->instructions[name - 1], 2) : "";
}

const char *vkr_module_member_name(const struct vkr_module *module, uint32_t id, uint32_t member)
{
	uint32_t first = module->ids[id].member_names;
	if (!first)
		return "";
	for (size_t i = first - 1; i < module->first_global; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode == SpvOpMemberName && vkr_module_word(module, in, 1) == id &&
		    vkr_module_word(module, in, 2) == member)
			return vkr_module_string(module, in, 3);
	}
	return "";
}

bool vkr_module_decorated(const struct vkr_module *module, uint32_t id, uint32_t member,
			  SpvDecoration decoration, uint32_t *literal)
{
	for (uint32_t d = module->ids[id].decorations; d; d = module->decorations[d - 1].next) {
		const struct vkr_decoration *at = &module->decorations[d - 1];
		if (at->decoration == (uint32_t)decoration && at->member == member) {
			if (literal && at->literal_count)
				*literal = at->literals[0];
			return true;
		}
	}
	return false;
}

bool vkr_module_capability(const struct vkr_module *module, SpvCapability capability)
{
	for (size_t i = 0; i < module->first_global; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode != SpvOpCapability)
			return false;
		if (vkr_module_word(module, in, 1) == (uint32_t)capability)
			return true;
	}
	return false;
}

const struct vkr_function *vkr_module_function(const struct vkr_module *module, uint32_t id)
{
	for (size_t i = 0; i < module->function_count; i++) {
		if (module->functions[i].id == id)
			return &module->functions[i];
	}
	return NULL;
}

uint32_t vkr_module_callee(const struct vkr_module *module, const struct vkr_instruction *call)
{
	const struct vkr_function *callee =
		vkr_module_function(module, vkr_module_word(module, call, 3));
	return (uint32_t)(callee - module->functions);
}
