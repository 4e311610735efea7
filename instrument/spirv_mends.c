// SPDX-License-Identifier: Apache-2.0
#include "spirv_mends.h"

#include "array.h"
#include "error.h"
#include "spirv_stream.h"

#include <stdlib.h>
#include <string.h>

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

enum {
	CAPABILITIES = sizeof capabilities / sizeof *capabilities,
	EXTENSIONS = sizeof extensions / sizeof *extensions,
	DECLARATIONS = EXTENSIONS + CAPABILITIES,
};

// Whether it declares itself a shader whose pointers are opaque or addresses of buffers, and whose
// functions are all here. A module for OpenCL does not.
bool vkr_spirv_is_shader(const struct vkr_parsed *parsed, const uint32_t *words)
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

static struct vkr_mend *find_scope(const struct vkr_mends *mends, uint32_t id, bool is_semantics)
{
	for (size_t i = DECLARATIONS; i < mends->count; i++)
		if (mends->items[i].id == id && mends->items[i].is_semantics == is_semantics)
			return &mends->items[i];
	return NULL;
}

// The value of the 32-bit constant `id` where it is a scope that exists, or semantics.
static bool may_weaken(const uint32_t *constants, uint32_t bound, const uint32_t *words,
		       uint32_t id, bool is_semantics)
{
	return id < bound && constants[id] &&
	       (is_semantics || words[constants[id]] <= SpvScopeShaderCallKHR);
}

enum vkr_result vkr_mends_list(const struct vkr_parsed *parsed, const uint32_t *words,
			       struct vkr_mends *mends, struct vkr_error *error)
{
	// Of each integer type of 32 bits 1, and of each of their constants the value's word.
	uint32_t *found = calloc((size_t)parsed->bound + 1, sizeof *found);
	bool fits = found && VKR_ARRAY_RESERVE(mends, DECLARATIONS + parsed->scopes.count);
	mends->count = fits ? DECLARATIONS : 0;
	for (size_t i = 0; i < mends->count; i++)
		mends->items[i] = (struct vkr_mend){0};
	for (size_t i = 0; fits && i < parsed->instructions.count; i++) {
		const struct vkr_instruction *in = &parsed->instructions.items[i];
		if (in->result >= parsed->bound || in->type >= parsed->bound)
			continue;
		if (in->opcode == SpvOpTypeInt && words[in->at + 2] == 32) {
			found[in->result] = 1;
			mends->integer = in->result;
		}
		if (in->opcode == SpvOpConstant && found[in->type] == 1)
			found[in->result] = in->at + 3;
	}
	for (size_t i = 0; fits && i < parsed->scopes.count; i++) {
		const struct vkr_scope_use *use = &parsed->scopes.items[i];
		const uint32_t id = words[use->at];
		if (may_weaken(found, parsed->bound, words, id, use->is_semantics) &&
		    !find_scope(mends, id, use->is_semantics))
			mends->items[mends->count++] =
				(struct vkr_mend){.id = id, .is_semantics = use->is_semantics};
	}
	free(found);
	return fits ? VKR_OK : vkr_error_memory(error, "what a shader may lack");
}

void vkr_mends_use(struct vkr_mends *mends, size_t index)
{
	mends->items[index].used = true;
	for (size_t i = 0; i < EXTENSIONS && index >= EXTENSIONS && index < DECLARATIONS; i++)
		mends->items[i].used = true;
}

// A module that was valid as it came has none.
static bool is_used(const struct vkr_mends *mends, size_t index)
{
	return index < mends->count && mends->items[index].used;
}

static size_t declare_capabilities(const struct vkr_mends *mends, uint32_t version, uint32_t *copy)
{
	size_t at = 0;
	for (size_t i = 0; i < CAPABILITIES; i++) {
		if (!is_used(mends, EXTENSIONS + i) ||
		    (version >> 8 & 0xff) < capabilities[i].since)
			continue;
		copy[at++] = 2u << SpvWordCountShift | SpvOpCapability;
		copy[at++] = capabilities[i].capability;
	}
	return at;
}

static size_t declare_extensions(const struct vkr_mends *mends, uint32_t *copy)
{
	size_t at = 0;
	for (size_t i = 0; i < EXTENSIONS; i++) {
		if (!is_used(mends, i))
			continue;
		const size_t length = strlen(extensions[i]), count = length / 4 + 2;
		copy[at] = (uint32_t)count << SpvWordCountShift | SpvOpExtension;
		memset(copy + at + 1, 0, (count - 1) * sizeof *copy);
		memcpy(copy + at + 1, extensions[i], length);
		at += count;
	}
	return at;
}

// Scopes and semantics that every use of their kind may have.
enum harmless {
	HARMLESS_EXECUTION, // of control barriers
	HARMLESS_GROUP,     // of subgroup operations and the like
	HARMLESS_MEMORY,
	HARMLESS_ORDER,
	HARMLESS_FENCE, // semantics of memory barriers, which must be some
	HARMLESS_COUNT,
};

static void find_harmless(const struct vkr_parsed *parsed, const uint32_t *words,
			  uint32_t values[HARMLESS_COUNT])
{
	values[HARMLESS_EXECUTION] = SpvScopeSubgroup;
	values[HARMLESS_GROUP] = SpvScopeSubgroup;
	values[HARMLESS_MEMORY] = SpvScopeDevice;
	values[HARMLESS_ORDER] = SpvMemorySemanticsMaskNone;
	values[HARMLESS_FENCE] =
		SpvMemorySemanticsAcquireReleaseMask | SpvMemorySemanticsUniformMemoryMask;
	for (size_t i = 0; i < parsed->instructions.count; i++) {
		const uint32_t *in = words + parsed->instructions.items[i].at;
		const uint16_t opcode = parsed->instructions.items[i].opcode;
		if (opcode == SpvOpMemoryModel && in[2] == SpvMemoryModelVulkan)
			values[HARMLESS_MEMORY] = SpvScopeQueueFamily;
		if (opcode == SpvOpEntryPoint &&
		    (in[1] == SpvExecutionModelGLCompute ||
		     in[1] == SpvExecutionModelTessellationControl ||
		     in[1] == SpvExecutionModelTaskNV || in[1] == SpvExecutionModelMeshNV ||
		     in[1] == SpvExecutionModelTaskEXT || in[1] == SpvExecutionModelMeshEXT))
			values[HARMLESS_EXECUTION] = SpvScopeWorkgroup;
	}
}

static enum harmless kind_of(const struct vkr_instruction *in, const struct vkr_scope_use *use)
{
	if (use->is_semantics)
		return in->opcode == SpvOpMemoryBarrier ? HARMLESS_FENCE : HARMLESS_ORDER;
	if (in->opcode == SpvOpControlBarrier && use->at == in->at + 1)
		return HARMLESS_EXECUTION;
	return strncmp(vkr_spirv_opcode_name(in->opcode), "Group", 5) == 0 ||
			       in->opcode == SpvOpReadClockKHR
		       ? HARMLESS_GROUP
		       : HARMLESS_MEMORY;
}

size_t vkr_mends_apply(const struct vkr_mends *mends, const struct vkr_parsed *parsed,
		       const uint32_t *words, uint32_t *copy)
{
	uint32_t values[HARMLESS_COUNT], harmless = 0; // the first one's id
	size_t kept = VKR_SPIRV_HEADER_WORDS, scope = 0;
	bool in_capabilities = true;
	find_harmless(parsed, words, values);
	memcpy(copy, words, VKR_SPIRV_HEADER_WORDS * sizeof *words);
	kept += declare_capabilities(mends, words[1], copy + kept);
	for (size_t i = 0; i < parsed->instructions.count; i++) {
		const struct vkr_instruction *in = &parsed->instructions.items[i];
		if (in_capabilities && in->opcode != SpvOpCapability) {
			kept += declare_extensions(mends, copy + kept);
			in_capabilities = false;
		}
		if (!harmless && mends->integer && in->opcode == SpvOpFunction) {
			harmless = copy[3];
			for (uint32_t v = 0; v < HARMLESS_COUNT; v++) {
				const uint32_t constant[] = {4u << SpvWordCountShift |
								     SpvOpConstant,
							     mends->integer, copy[3]++, values[v]};
				memcpy(copy + kept, constant, sizeof constant);
				kept += sizeof constant / sizeof *constant;
			}
		}
		memcpy(copy + kept, words + in->at, in->length * sizeof *words);
		for (; scope < parsed->scopes.count &&
		       parsed->scopes.items[scope].at < in->at + in->length;
		     scope++) {
			const struct vkr_scope_use *use = &parsed->scopes.items[scope];
			const struct vkr_mend *mend =
				find_scope(mends, words[use->at], use->is_semantics);
			if (harmless && mend && mend->used)
				copy[kept + use->at - in->at] = harmless + kind_of(in, use);
		}
		kept += in->length;
	}
	return kept;
}

void vkr_mends_finish(struct vkr_mends *mends)
{
	free(mends->items);
	*mends = (struct vkr_mends){0};
}
