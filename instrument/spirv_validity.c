// SPDX-License-Identifier: Apache-2.0
#include "spirv_validity.h"

#include "error.h"
// The C header defines this constant without `static`: two files that include it do not link.
#define kDefaultMaxIdBound kValidityMaxIdBound
#include "spirv_calls.h"
#include "spirv_newer.h"
#include "spirv_tools.h"

#include <spirv/unified1/spirv.h>
#include <stdlib.h>
#include <string.h>

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
		else if ((opcode == SpvOpExtInst || opcode == VKR_OP_EXT_INST_WITH_FORWARD_REFS) &&
			 count > 3 && contains(sets, set_count, words[at + 3]))
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

#define HEADER_WORDS 5u
#define BOUND_MOST   0x400000u // of ids ("Universal Limits" of the SPIR-V specification)

// Of each id its type, of each integer type its bits, and of each OpConstant the word of its value;
// else 0.
struct integers {
	uint32_t *types, *widths, *constants;
	uint32_t bound;
};

static bool read_integers(const struct vkr_parsed *parsed, const uint32_t *words,
			  struct integers *of)
{
	if (parsed->bound > BOUND_MOST)
		return false;
	of->types = calloc(3 * (size_t)parsed->bound + 1, sizeof *of->types);
	if (!of->types)
		return false;
	of->bound = parsed->bound;
	of->widths = of->types + of->bound;
	of->constants = of->widths + of->bound;
	for (size_t i = 0; i < parsed->instructions.count; i++) {
		const struct vkr_instruction *in = &parsed->instructions.items[i];
		if (in->result >= of->bound || in->type >= of->bound)
			return false;
		of->types[in->result] = in->type;
		if (in->opcode == SpvOpTypeInt)
			of->widths[in->result] = words[in->at + 2];
		if (in->opcode == SpvOpConstant)
			of->constants[in->result] = in->at + 3;
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
	struct integers of = {0};
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
	vkr_parsed_finish(&parsed);
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

#define COPY_ROOM 4096u // words that such a copy may be longer

// Whose absence harms nothing in a module that uses what they declare, and whose presence changes
// no other rule: types and operations.
static const struct {
	uint16_t capability, since; // version 1.SINCE
} capabilities[] = {
	{SpvCapabilityMatrix, 0},
	{SpvCapabilityShader, 0},
	{SpvCapabilityGeometry, 0},
	{SpvCapabilityTessellation, 0},
	{SpvCapabilityFloat16, 0},
	{SpvCapabilityFloat64, 0},
	{SpvCapabilityInt64, 0},
	{SpvCapabilityInt64Atomics, 0},
	{SpvCapabilityInt16, 0},
	{SpvCapabilityTessellationPointSize, 0},
	{SpvCapabilityGeometryPointSize, 0},
	{SpvCapabilityImageGatherExtended, 0},
	{SpvCapabilityStorageImageMultisample, 0},
	{SpvCapabilityUniformBufferArrayDynamicIndexing, 0},
	{SpvCapabilitySampledImageArrayDynamicIndexing, 0},
	{SpvCapabilityStorageBufferArrayDynamicIndexing, 0},
	{SpvCapabilityStorageImageArrayDynamicIndexing, 0},
	{SpvCapabilityClipDistance, 0},
	{SpvCapabilityCullDistance, 0},
	{SpvCapabilityImageCubeArray, 0},
	{SpvCapabilitySampleRateShading, 0},
	{SpvCapabilityImageRect, 0},
	{SpvCapabilitySampledRect, 0},
	{SpvCapabilityInt8, 0},
	{SpvCapabilityInputAttachment, 0},
	{SpvCapabilitySparseResidency, 0},
	{SpvCapabilityMinLod, 0},
	{SpvCapabilitySampled1D, 0},
	{SpvCapabilityImage1D, 0},
	{SpvCapabilitySampledCubeArray, 0},
	{SpvCapabilitySampledBuffer, 0},
	{SpvCapabilityImageBuffer, 0},
	{SpvCapabilityImageMSArray, 0},
	{SpvCapabilityStorageImageExtendedFormats, 0},
	{SpvCapabilityImageQuery, 0},
	{SpvCapabilityDerivativeControl, 0},
	{SpvCapabilityInterpolationFunction, 0},
	{SpvCapabilityTransformFeedback, 0},
	{SpvCapabilityGeometryStreams, 0},
	{SpvCapabilityStorageImageReadWithoutFormat, 0},
	{SpvCapabilityStorageImageWriteWithoutFormat, 0},
	{SpvCapabilityMultiViewport, 0},
	{SpvCapabilityGroupNonUniform, 3},
	{SpvCapabilityGroupNonUniformVote, 3},
	{SpvCapabilityGroupNonUniformArithmetic, 3},
	{SpvCapabilityGroupNonUniformBallot, 3},
	{SpvCapabilityGroupNonUniformShuffle, 3},
	{SpvCapabilityGroupNonUniformShuffleRelative, 3},
	{SpvCapabilityGroupNonUniformClustered, 3},
	{SpvCapabilityGroupNonUniformQuad, 3},
	{SpvCapabilityShaderLayer, 5},
	{SpvCapabilityShaderViewportIndex, 5},
	{SpvCapabilityFragmentShadingRateKHR, 0},
	{SpvCapabilitySubgroupBallotKHR, 0},
	{SpvCapabilityDrawParameters, 0},
	{SpvCapabilitySubgroupVoteKHR, 0},
	{SpvCapabilityStorageBuffer16BitAccess, 0},
	{SpvCapabilityUniformAndStorageBuffer16BitAccess, 0},
	{SpvCapabilityStoragePushConstant16, 0},
	{SpvCapabilityStorageInputOutput16, 0},
	{SpvCapabilityDeviceGroup, 0},
	{SpvCapabilityMultiView, 0},
	{SpvCapabilitySampleMaskPostDepthCoverage, 0},
	{SpvCapabilityStorageBuffer8BitAccess, 0},
	{SpvCapabilityUniformAndStorageBuffer8BitAccess, 0},
	{SpvCapabilityStoragePushConstant8, 0},
	{SpvCapabilityDenormPreserve, 0},
	{SpvCapabilityDenormFlushToZero, 0},
	{SpvCapabilitySignedZeroInfNanPreserve, 0},
	{SpvCapabilityRoundingModeRTE, 0},
	{SpvCapabilityRoundingModeRTZ, 0},
	{SpvCapabilityStencilExportEXT, 0},
	{SpvCapabilityInt64ImageEXT, 0},
	{SpvCapabilityShaderClockKHR, 0},
	{SpvCapabilityShaderViewportIndexLayerEXT, 0},
	{SpvCapabilityFragmentFullyCoveredEXT, 0},
	{SpvCapabilityFragmentBarycentricKHR, 0},
	{SpvCapabilityFragmentDensityEXT, 0},
	{SpvCapabilityShaderNonUniform, 0},
	{SpvCapabilityRuntimeDescriptorArray, 0},
	{SpvCapabilityInputAttachmentArrayDynamicIndexing, 0},
	{SpvCapabilityUniformTexelBufferArrayDynamicIndexing, 0},
	{SpvCapabilityStorageTexelBufferArrayDynamicIndexing, 0},
	{SpvCapabilityUniformBufferArrayNonUniformIndexing, 0},
	{SpvCapabilitySampledImageArrayNonUniformIndexing, 0},
	{SpvCapabilityStorageBufferArrayNonUniformIndexing, 0},
	{SpvCapabilityStorageImageArrayNonUniformIndexing, 0},
	{SpvCapabilityInputAttachmentArrayNonUniformIndexing, 0},
	{SpvCapabilityUniformTexelBufferArrayNonUniformIndexing, 0},
	{SpvCapabilityStorageTexelBufferArrayNonUniformIndexing, 0},
	{SpvCapabilityFragmentShaderSampleInterlockEXT, 0},
	{SpvCapabilityFragmentShaderPixelInterlockEXT, 0},
	{SpvCapabilityDemoteToHelperInvocation, 0},
	{SpvCapabilityAtomicFloat32MinMaxEXT, 0},
	{SpvCapabilityAtomicFloat64MinMaxEXT, 0},
	{SpvCapabilityAtomicFloat16MinMaxEXT, 0},
	{SpvCapabilityAtomicFloat32AddEXT, 0},
	{SpvCapabilityAtomicFloat64AddEXT, 0},
	{SpvCapabilityAtomicFloat16AddEXT, 0},
	{SpvCapabilityDotProductInputAll, 0},
	{SpvCapabilityDotProductInput4x8Bit, 0},
	{SpvCapabilityDotProductInput4x8BitPacked, 0},
	{SpvCapabilityDotProduct, 0},
};

static const char *const extensions[] = {
	"SPV_KHR_storage_buffer_storage_class",
	"SPV_KHR_16bit_storage",
	"SPV_KHR_8bit_storage",
	"SPV_EXT_descriptor_indexing",
	"SPV_KHR_shader_draw_parameters",
	"SPV_KHR_multiview",
	"SPV_KHR_device_group",
	"SPV_EXT_shader_stencil_export",
	"SPV_EXT_shader_viewport_index_layer",
	"SPV_EXT_fragment_fully_covered",
	"SPV_EXT_fragment_invocation_density",
	"SPV_KHR_shader_ballot",
	"SPV_KHR_subgroup_vote",
	"SPV_EXT_demote_to_helper_invocation",
	"SPV_EXT_shader_atomic_float_add",
	"SPV_EXT_shader_atomic_float_min_max",
	"SPV_EXT_shader_atomic_float16_add",
	"SPV_EXT_fragment_shader_interlock",
	"SPV_KHR_shader_clock",
	"SPV_KHR_float_controls",
	"SPV_KHR_no_integer_wrap_decoration",
	"SPV_GOOGLE_decorate_string",
	"SPV_GOOGLE_hlsl_functionality1",
	"SPV_GOOGLE_user_type",
	"SPV_EXT_shader_image_int64",
	"SPV_KHR_terminate_invocation",
	"SPV_KHR_non_semantic_info",
	"SPV_KHR_integer_dot_product",
	"SPV_KHR_post_depth_coverage",
	"SPV_KHR_fragment_shading_rate",
	"SPV_KHR_fragment_shader_barycentric",
};

// Whether it declares itself a shader whose pointers are opaque or addresses of buffers, and whose
// functions are all here. A module for OpenCL does not.
static bool is_shader(const struct vkr_parsed *parsed, const uint32_t *words)
{
	bool has_model = false, has_capability = false;
	for (size_t i = 0; i < parsed->instructions.count; i++) {
		const uint32_t *in = words + parsed->instructions.items[i].at;
		const uint16_t opcode = parsed->instructions.items[i].opcode;
		if (opcode == SpvOpCapability &&
		    (in[1] == SpvCapabilityKernel || in[1] == SpvCapabilityAddresses ||
		     in[1] == SpvCapabilityLinkage))
			return false;
		has_capability |= opcode == SpvOpCapability;
		if (opcode == SpvOpMemoryModel)
			has_model =
				(in[1] == SpvAddressingModelLogical ||
				 in[1] == SpvAddressingModelPhysicalStorageBuffer64) &&
				(in[2] == SpvMemoryModelGLSL450 || in[2] == SpvMemoryModelVulkan);
	}
	return has_model && has_capability;
}

static size_t declare_capabilities(uint32_t version, uint32_t *copy)
{
	size_t at = 0;
	for (size_t i = 0; i < sizeof capabilities / sizeof *capabilities; i++) {
		if ((version >> 8 & 0xff) < capabilities[i].since)
			continue;
		copy[at++] = 2u << SpvWordCountShift | SpvOpCapability;
		copy[at++] = capabilities[i].capability;
	}
	return at;
}

static size_t declare_extensions(uint32_t *copy)
{
	size_t at = 0;
	for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
		const size_t length = strlen(extensions[i]), count = length / 4 + 2;
		copy[at] = (uint32_t)count << SpvWordCountShift | SpvOpExtension;
		memset(copy + at + 1, 0, (count - 1) * sizeof *copy);
		memcpy(copy + at + 1, extensions[i], length);
		at += count;
	}
	return at;
}

// The weakest scope and order, of either sign.
struct weakest {
	uint32_t workgroup[2], relaxed[2]; // ids
	uint32_t types[2];
	uint32_t count; // of types
};

static size_t make_weakest(const struct integers *of, struct weakest *weakest, uint32_t *bound,
			   uint32_t *copy)
{
	size_t at = 0;
	for (uint32_t type = 0; type < of->bound && weakest->count < 2; type++) {
		if (of->widths[type] != 32)
			continue;
		const uint32_t workgroup = (*bound)++, relaxed = (*bound)++;
		const uint32_t constants[] = {
			4u << SpvWordCountShift | SpvOpConstant, type, workgroup, SpvScopeWorkgroup,
			4u << SpvWordCountShift | SpvOpConstant, type, relaxed,   0};
		memcpy(copy + at, constants, sizeof constants);
		at += sizeof constants / sizeof *constants;
		weakest->types[weakest->count] = type;
		weakest->workgroup[weakest->count] = workgroup;
		weakest->relaxed[weakest->count++] = relaxed;
	}
	return at;
}

// What stands in place of a constant scope that exists, or constant semantics; `id` elsewhere.
static uint32_t weaken(const struct integers *of, const struct weakest *weakest,
		       const uint32_t *words, uint32_t id, bool is_semantics)
{
	if (id >= of->bound || !of->constants[id])
		return id;
	if (!is_semantics && words[of->constants[id]] > SpvScopeShaderCallKHR)
		return id;
	for (uint32_t i = 0; i < weakest->count; i++)
		if (of->types[id] == weakest->types[i])
			return is_semantics ? weakest->relaxed[i] : weakest->workgroup[i];
	return id;
}

// Copies a shader so that it is valid where SPIR-V's own rules of ids, types, layout and control
// flow hold, whatever it lacks in declarations of types and operations, and whichever scopes and
// orders it names. `copy` has COPY_ROOM words more. Returns the words of the copy, 0 where it is no
// shader.
static size_t copy_structure(const uint32_t *words, size_t word_count, uint32_t environment,
			     uint32_t *copy)
{
	struct vkr_parsed parsed = {0};
	struct vkr_error ignored;
	struct integers of = {0};
	struct weakest weakest = {0};
	size_t kept = 0, scope = 0;
	if (vkr_spirv_parse(words, word_count, environment, &parsed, &ignored) != VKR_OK ||
	    !is_shader(&parsed, words) || !read_integers(&parsed, words, &of))
		goto done;
	memcpy(copy, words, HEADER_WORDS * sizeof *words);
	kept = HEADER_WORDS;
	kept += declare_capabilities(words[1], copy + kept);
	bool in_capabilities = true, in_globals = true;
	for (size_t i = 0; i < parsed.instructions.count; i++) {
		const struct vkr_instruction *in = &parsed.instructions.items[i];
		if (in_capabilities && in->opcode != SpvOpCapability) {
			kept += declare_extensions(copy + kept);
			in_capabilities = false;
		}
		if (in_globals && in->opcode == SpvOpFunction) {
			kept += make_weakest(&of, &weakest, &copy[3], copy + kept);
			in_globals = false;
		}
		memcpy(copy + kept, words + in->at, in->length * sizeof *words);
		for (; scope < parsed.scopes.count &&
		       parsed.scopes.items[scope].at < in->at + in->length;
		     scope++) {
			const struct vkr_scope_use *use = &parsed.scopes.items[scope];
			copy[kept + use->at - in->at] =
				weaken(&of, &weakest, words, words[use->at], use->is_semantics);
		}
		kept += in->length;
	}
done:
	free(of.types);
	vkr_parsed_finish(&parsed);
	return kept;
}

enum validity {
	INVALID, // or there was no memory to find out
	SOUND,   // breaks a rule, but its structure is that of a shader
	VALID,
};

// Newer validators are stricter than the compilers that built the programs. They reject debug
// information, which drivers do not read; layout where none is needed; and the signedness of
// atomics' values. A module whose only faults are of these kinds is valid for us. One that is
// refused for another rule may still be sound. `diagnostic` says why it was refused.
static enum validity look_closer(spv_context context, spv_validator_options options,
				 const uint32_t *words, size_t word_count, uint32_t environment,
				 spv_diagnostic diagnostic)
{
	enum validity validity = INVALID;
	if (word_count < HEADER_WORDS)
		return INVALID;
	uint32_t *copy = malloc((6 * word_count + COPY_ROOM) * sizeof *copy);
	if (!copy)
		return INVALID;
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
		if (vkr_spirv_check(context, options, rest, count, &of_copy) == SPV_SUCCESS ||
		    (is_of_layout(of_copy) && valid_elsewhere(options, rest, count)))
			validity = VALID;
		spvDiagnosticDestroy(of_copy);
	} else if (is_of_layout(diagnostic) && valid_elsewhere(options, words, word_count)) {
		validity = VALID;
	}
	if (validity != VALID) {
		uint32_t *structure = copy + 4 * word_count;
		const size_t length = copy_structure(rest, count, environment, structure);
		if (length && valid_elsewhere(options, structure, length))
			validity = SOUND;
	}
	free(copy);
	return validity;
}

// The first line of a diagnostic: what follows shows the instruction. NULL where there is no
// memory.
static char *copy_rule(spv_diagnostic diagnostic)
{
	const char *rule = diagnostic && diagnostic->error ? diagnostic->error : "refused";
	return strndup(rule, strcspn(rule, "\n"));
}

enum vkr_result vkr_spirv_validate(const uint32_t *words, size_t word_count, uint32_t environment,
				   enum vkr_result failure, const char *what, char **broken,
				   struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	spv_diagnostic diagnostic = NULL;
	*broken = NULL;
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
	if (checked == SPV_SUCCESS)
		goto done;
	if (checked == SPV_ERROR_OUT_OF_MEMORY) {
		result = vkr_error_memory(error, "the SPIR-V validator");
		goto done;
	}
	switch (look_closer(context, options, words, word_count, environment, diagnostic)) {
	case VALID:
		break;
	case SOUND:
		*broken = copy_rule(diagnostic);
		if (!*broken)
			result = vkr_error_memory(error, "a broken rule of SPIR-V");
		break;
	case INVALID:
		result = vkr_error_set(error, failure, "%s, word %zu: %s", what,
				       diagnostic ? diagnostic->position.index : (size_t)0,
				       diagnostic && diagnostic->error ? diagnostic->error
								       : "refused");
		break;
	}
done:
	spvDiagnosticDestroy(diagnostic);
	if (options)
		spvValidatorOptionsDestroy(options);
	if (context)
		spvContextDestroy(context);
	return result;
}

bool vkr_spirv_same_rule(const char *a, const char *b)
{
	static const char digits[] = "0123456789";
	for (;;) {
		a += strspn(a, digits);
		b += strspn(b, digits);
		if (*a != *b)
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}
