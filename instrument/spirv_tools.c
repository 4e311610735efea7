// SPDX-License-Identifier: Apache-2.0
#include "spirv_tools.h"

#include "array.h"
#include "error.h"
#include "spirv_calls.h"

#include <spirv/unified1/spirv.h>
#include <stdlib.h>
#include <string.h>

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
	    !VKR_ARRAY_RESERVE(&parsed->uses, in->num_operands))
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

// SpvOpExtInstWithForwardRefsKHR, newer than Debian 12's headers.
#define FORWARD_REFERENCES 4433u

static bool contains(const uint32_t *ids, size_t count, uint32_t id)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

// Copies a module without what means nothing to the program (SPV_KHR_non_semantic_info), such as
// debug information. `sets` has room for its imports. Returns the words of the copy, 0 where it is
// no shorter.
static size_t copy_meaning(const uint32_t *words, size_t word_count, uint32_t *copy, uint32_t *sets)
{
	static const char prefix[] = "NonSemantic.";
	size_t kept = 5, set_count = 0;
	memcpy(copy, words, kept * sizeof *words);
	for (size_t at = 5, count; at < word_count; at += count) {
		const uint32_t opcode = words[at] & SpvOpCodeMask;
		count = words[at] >> SpvWordCountShift;
		if (count == 0 || count > word_count - at)
			return 0;
		if (opcode == SpvOpExtInstImport && count >= 5 &&
		    memcmp(&words[at + 2], prefix, sizeof prefix - 1) == 0)
			sets[set_count++] = words[at + 1];
		else if ((opcode == SpvOpExtInst || opcode == FORWARD_REFERENCES) && count > 3 &&
			 contains(sets, set_count, words[at + 3]))
			continue;
		memcpy(copy + kept, words + at, count * sizeof *words);
		kept += count;
	}
	return kept < word_count ? kept : 0;
}

// Operands of an atomic that are of its result's type: the first one's word, and how many.
static uint32_t atomic_values(uint32_t opcode, uint32_t *first)
{
	*first = 6;
	if (opcode == SpvOpAtomicCompareExchange)
		*first = 7;
	if (opcode == SpvOpAtomicCompareExchange)
		return 2;
	return opcode == SpvOpAtomicExchange ||
	       (opcode >= SpvOpAtomicIAdd && opcode <= SpvOpAtomicXor);
}

#define BOUND_MOST 0x400000u // of ids ("Universal Limits" of the SPIR-V specification)

// Of each id its type, and of each integer type its bits; else 0.
struct integers {
	uint32_t *types, *widths;
	uint32_t bound;
};

static bool read_integers(const struct vkr_parsed *parsed, const uint32_t *words,
			  struct integers *of)
{
	if (parsed->bound > BOUND_MOST)
		return false;
	of->types = calloc(2 * (size_t)parsed->bound + 1, sizeof *of->types);
	if (!of->types)
		return false;
	of->bound = parsed->bound;
	of->widths = of->types + of->bound;
	for (size_t i = 0; i < parsed->instructions.count; i++) {
		const struct vkr_instruction *in = &parsed->instructions.items[i];
		if (in->result >= of->bound || in->type >= of->bound)
			return false;
		of->types[in->result] = in->type;
		if (in->opcode == SpvOpTypeInt)
			of->widths[in->result] = words[in->at + 2];
	}
	return true;
}

// Copies an instruction; if it is an atomic, with a cast before it for each value that is an
// integer of the other signedness. Returns the words of the copy.
static size_t copy_casting(const struct integers *of, const struct vkr_instruction *in,
			   const uint32_t *words, uint32_t *copy, uint32_t *bound)
{
	uint32_t first, cast[2] = {0, 0};
	const uint32_t values = atomic_values(in->opcode, &first);
	size_t kept = 0;
	for (uint32_t v = 0; v < values; v++) {
		const uint32_t value = words[first + v];
		const uint32_t type = value < of->bound ? of->types[value] : 0;
		if (type == in->type || !of->widths[type] ||
		    of->widths[type] != of->widths[in->type])
			continue;
		cast[v] = (*bound)++;
		const uint32_t bitcast[] = {4u << SpvWordCountShift | SpvOpBitcast, in->type,
					    cast[v], value};
		memcpy(copy + kept, bitcast, sizeof bitcast);
		kept += 4;
	}
	memcpy(copy + kept, words, in->length * sizeof *words);
	for (uint32_t v = 0; v < values; v++)
		if (cast[v])
			copy[kept + first + v] = cast[v];
	return kept + in->length;
}

// Copies a module so that atomics have values of their result's signedness, which bits do not tell:
// compilers that know no signs (Mesa's of OpenCL) name constants by one type or the other, and
// drivers do not mind. `copy` has room for twice the words. Returns the words of the copy, 0 where
// it is no longer.
static size_t copy_signs(const uint32_t *words, size_t word_count, uint32_t environment,
			 uint32_t *copy)
{
	struct vkr_parsed parsed;
	struct vkr_error ignored;
	struct integers of = {NULL, NULL, 0};
	size_t kept = 0;
	if (vkr_spirv_parse(words, word_count, environment, &parsed, &ignored) == VKR_OK &&
	    read_integers(&parsed, words, &of)) {
		memcpy(copy, words, 5 * sizeof *words);
		kept = 5;
		for (size_t i = 0; i < parsed.instructions.count; i++) {
			const struct vkr_instruction *in = &parsed.instructions.items[i];
			kept += copy_casting(&of, in, words + in->at, copy + kept, &copy[3]);
		}
	}
	free(of.types);
	free(parsed.instructions.items);
	free(parsed.uses.items);
	return kept > word_count ? kept : 0;
}

// Explicit layout where Vulkan allows none, in variables of Workgroup and the like ("Universal
// Validation Rules" of the SPIR-V specification let it be). Compilers that use one array type for
// buffers and for shared memory write it, and drivers do not mind.
static bool is_of_layout(const spv_diagnostic diagnostic)
{
	return diagnostic && diagnostic->error &&
	       strstr(diagnostic->error, "VUID-StandaloneSpirv-None-10684");
}

// Validity but for such layout.
static bool valid_elsewhere(spv_validator_options options, const uint32_t *words, size_t word_count)
{
	spv_context context = vkr_spirv_context(SPV_ENV_UNIVERSAL_1_6);
	const bool valid = context && vkr_spirv_check(context, options, words, word_count, NULL) ==
					      SPV_SUCCESS;
	if (context)
		spvContextDestroy(context);
	return valid;
}

// Newer validators are stricter than the compilers that built the programs. They reject debug
// information, which drivers do not read; layout where none is needed; and the signedness of
// atomics' values. A module whose only faults are of these kinds is valid for us. `diagnostic` says
// why it was refused.
static bool valid_in_meaning(spv_context context, spv_validator_options options,
			     const uint32_t *words, size_t word_count, uint32_t environment,
			     spv_diagnostic diagnostic)
{
	bool valid = false;
	if (word_count < 5)
		return false;
	uint32_t *copy = malloc(4 * word_count * sizeof *copy);
	if (!copy)
		return false;
	const size_t kept = copy_meaning(words, word_count, copy, copy + word_count);
	const uint32_t *rest = kept ? copy : words;
	size_t count = kept ? kept : word_count;
	const size_t signs = copy_signs(rest, count, environment, copy + 2 * word_count);
	if (signs) {
		rest = copy + 2 * word_count;
		count = signs;
	}
	if (kept || signs) {
		spv_diagnostic of_copy = NULL;
		valid = vkr_spirv_check(context, options, rest, count, &of_copy) == SPV_SUCCESS ||
			(is_of_layout(of_copy) && valid_elsewhere(options, rest, count));
		spvDiagnosticDestroy(of_copy);
	} else if (is_of_layout(diagnostic)) {
		valid = valid_elsewhere(options, words, word_count);
	}
	free(copy);
	return valid;
}

enum vkr_result vkr_spirv_validate(const uint32_t *words, size_t word_count, uint32_t environment,
				   enum vkr_result failure, const char *what,
				   struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	spv_diagnostic diagnostic = NULL;
	if (environment >= SPV_ENV_MAX)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "no environment %u of the SPIR-V validator", environment);
	spv_context context = vkr_spirv_context((spv_target_env)environment);
	spv_validator_options options = vkr_spirv_options();
	if (!context || !options) {
		result = vkr_error_memory(error, "the SPIR-V validator");
		goto done;
	}
	// The device's features are not known here: every layout that one of them permits is valid.
	spvValidatorOptionsSetScalarBlockLayout(options, true);
	spvValidatorOptionsSetWorkgroupScalarBlockLayout(options, true);
	spvValidatorOptionsSetUniformBufferStandardLayout(options, true);
	spvValidatorOptionsSetAllowLocalSizeId(options, true);
	spvValidatorOptionsSetFriendlyNames(options, false); // takes time, for messages alone
	const spv_result_t checked =
		vkr_spirv_check(context, options, words, word_count, &diagnostic);
	if (checked == SPV_ERROR_OUT_OF_MEMORY)
		result = vkr_error_memory(error, "the SPIR-V validator");
	else if (checked != SPV_SUCCESS &&
		 !valid_in_meaning(context, options, words, word_count, environment, diagnostic))
		result = vkr_error_set(error, failure, "%s, word %zu: %s", what,
				       diagnostic ? diagnostic->position.index : (size_t)0,
				       diagnostic && diagnostic->error ? diagnostic->error
								       : "refused");
done:
	spvDiagnosticDestroy(diagnostic);
	if (options)
		spvValidatorOptionsDestroy(options);
	if (context)
		spvContextDestroy(context);
	return result;
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
