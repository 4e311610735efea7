// SPDX-License-Identifier: Apache-2.0
#include "spirv_tools.h"

#include "array.h"
#include "error.h"
#include "spirv_calls.h"

#include <stdlib.h>

static spv_result_t on_header(void *user, spv_endianness_t endian, uint32_t magic, uint32_t version,
			      uint32_t generator, uint32_t bound, uint32_t reserved)
{
	(void)endian, (void)magic, (void)generator, (void)reserved;
	struct vkr_parsed *parsed = user;
	parsed->bound = bound;
	parsed->version = version;
	return SPV_SUCCESS;
}

static enum vkr_ext_set ext_set(spv_ext_inst_type_t type)
{
	switch (type) {
	case SPV_EXT_INST_TYPE_NONE:
		return VKR_EXT_NONE;
	case SPV_EXT_INST_TYPE_GLSL_STD_450:
		return VKR_EXT_GLSL_STD_450;
	case SPV_EXT_INST_TYPE_NONSEMANTIC_SHADER_DEBUGINFO_100:
		return VKR_EXT_SHADER_DEBUG_INFO;
	default:
		return VKR_EXT_OTHER;
	}
}

static spv_result_t on_instruction(void *user, const spv_parsed_instruction_t *in)
{
	struct vkr_parsed *parsed = user;
	if (!VKR_ARRAY_RESERVE(&parsed->instructions, 1) ||
	    !VKR_ARRAY_RESERVE(&parsed->uses, in->num_operands) ||
	    !VKR_ARRAY_RESERVE(&parsed->scopes, in->num_operands))
		return SPV_ERROR_OUT_OF_MEMORY;
	struct vkr_instruction *added = &parsed->instructions.items[parsed->instructions.count++];
	*added = (struct vkr_instruction){
		.at = parsed->words,
		.opcode = in->opcode,
		.length = in->num_words,
		.type = in->type_id,
		.result = in->result_id,
		.first_use = (uint32_t)parsed->uses.count,
		.ext_set = (uint16_t)ext_set(in->ext_inst_type),
	};
	for (uint16_t i = 0; i < in->num_operands; i++) {
		spv_operand_type_t type = in->operands[i].type;
		if (type == SPV_OPERAND_TYPE_ID || type == SPV_OPERAND_TYPE_SCOPE_ID ||
		    type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID)
			parsed->uses.items[parsed->uses.count++] =
				parsed->words + in->operands[i].offset;
		if (type == SPV_OPERAND_TYPE_SCOPE_ID ||
		    type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID)
			parsed->scopes.items[parsed->scopes.count++] = (struct vkr_scope_use){
				.at = parsed->words + in->operands[i].offset,
				.is_semantics = type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID,
			};
	}
	added->use_count = (uint16_t)(parsed->uses.count - added->first_use);
	parsed->words += in->num_words;
	return SPV_SUCCESS;
}

enum vkr_result vkr_spirv_parse(const uint32_t *words, size_t word_count, uint32_t environment,
				struct vkr_parsed *parsed, struct vkr_error *error)
{
	*parsed = (struct vkr_parsed){.words = 5};
	spv_context context = vkr_spirv_context((spv_target_env)environment);
	if (!context)
		return vkr_error_memory(error, "a SPIR-V context");
	spv_result_t result =
		vkr_spirv_read(context, parsed, words, word_count, on_header, on_instruction);
	spvContextDestroy(context);
	if (result == SPV_ERROR_OUT_OF_MEMORY)
		return vkr_error_memory(error, "SPIR-V instructions");
	if (result != SPV_SUCCESS)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "invalid SPIR-V, word %u: not an instruction", parsed->words);
	return VKR_OK;
}

void vkr_parsed_finish(struct vkr_parsed *parsed)
{
	free(parsed->instructions.items);
	free(parsed->uses.items);
	free(parsed->scopes.items);
}

const char *vkr_spirv_opcode_name(uint16_t opcode)
{
	return spvOpcodeString(opcode);
}

uint32_t vkr_spirv_environment(uint32_t api_version)
{
	uint32_t major = api_version >> 22 & 0x7f, minor = api_version >> 12 & 0x3ff;
	if (major > 1 || minor >= 3)
		return SPV_ENV_VULKAN_1_3;
	if (minor == 2)
		return SPV_ENV_VULKAN_1_2;
	// SPIR-V 1.4 is an extension to Vulkan 1.1 whose use cannot be seen from here.
	return minor == 1 ? SPV_ENV_VULKAN_1_1_SPIRV_1_4 : SPV_ENV_VULKAN_1_0;
}
