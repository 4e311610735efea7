// SPDX-License-Identifier: Apache-2.0
#include "shader_extensions.h"

enum {
	CAPABILITY_PUSH_CONSTANT_BANKS = 5423,
	MODE_64_BIT_INDEXING = 5427,
	CAPABILITY_SPLIT_BARRIER = 6141,
	OP_COLOR_ATTACHMENT_READ = 4160,
	OP_DEPTH_ATTACHMENT_READ = 4161,
	OP_STENCIL_ATTACHMENT_READ = 4162,
	OP_TENSOR_READ = 4164,
	OP_TENSOR_WRITE = 4165,
	OP_IMAGE_SAMPLE_WEIGHTED = 4480,
	OP_IMAGE_BOX_FILTER = 4481,
	OP_IMAGE_BLOCK_MATCH_SSD = 4482,
	OP_IMAGE_BLOCK_MATCH_SAD = 4483,
	OP_IMAGE_BLOCK_MATCH_WINDOW_SSD = 4500,
	OP_IMAGE_BLOCK_MATCH_WINDOW_SAD = 4501,
	OP_IMAGE_BLOCK_MATCH_GATHER_SSD = 4502,
	OP_IMAGE_BLOCK_MATCH_GATHER_SAD = 4503,
	OP_IMAGE_GATHER_QCOM = 4545,
	OP_COOPERATIVE_VECTOR_MATRIX_MUL = 5289,
	OP_COOPERATIVE_VECTOR_OUTER_PRODUCT_ACCUMULATE = 5290,
	OP_COOPERATIVE_VECTOR_REDUCE_SUM_ACCUMULATE = 5291,
	OP_COOPERATIVE_VECTOR_MATRIX_MUL_ADD = 5292,
	OP_FETCH_MICRO_TRIANGLE_VERTEX_POSITION_NV = 5300,
	OP_FETCH_MICRO_TRIANGLE_VERTEX_BARYCENTRIC_NV = 5301,
	OP_COOPERATIVE_VECTOR_LOAD = 5302,
	OP_COOPERATIVE_VECTOR_STORE = 5303,
	OP_COOPERATIVE_MATRIX_LOAD_TENSOR = 5367,
	OP_COOPERATIVE_MATRIX_STORE_TENSOR = 5368,
};

static const char *named(uint16_t opcode)
{
	switch ((uint32_t)opcode) {
	case SpvOpSubgroupBlockReadINTEL:
	case SpvOpSubgroupBlockWriteINTEL:
		return "subgroup block accesses";
	case SpvOpFragmentMaskFetchAMD:
	case SpvOpFragmentFetchAMD:
		return "fragments of multisampled images, and their masks";
	case OP_COLOR_ATTACHMENT_READ:
	case OP_DEPTH_ATTACHMENT_READ:
	case OP_STENCIL_ATTACHMENT_READ:
		return "attachments read by tile image instructions";
	case OP_TENSOR_READ:
	case OP_TENSOR_WRITE:
		return "tensors";
	case OP_IMAGE_SAMPLE_WEIGHTED:
	case OP_IMAGE_BOX_FILTER:
	case OP_IMAGE_BLOCK_MATCH_SSD:
	case OP_IMAGE_BLOCK_MATCH_SAD:
	case OP_IMAGE_BLOCK_MATCH_WINDOW_SSD:
	case OP_IMAGE_BLOCK_MATCH_WINDOW_SAD:
	case OP_IMAGE_BLOCK_MATCH_GATHER_SSD:
	case OP_IMAGE_BLOCK_MATCH_GATHER_SAD:
	case OP_IMAGE_GATHER_QCOM:
		return "texels read by image processing instructions";
	case SpvOpHitObjectRecordHitNV:
	case SpvOpHitObjectRecordHitMotionNV:
	case SpvOpHitObjectRecordHitWithIndexNV:
	case SpvOpHitObjectRecordHitWithIndexMotionNV:
		return "acceleration structures of hits that are recorded without a trace";
	case OP_FETCH_MICRO_TRIANGLE_VERTEX_POSITION_NV:
	case OP_FETCH_MICRO_TRIANGLE_VERTEX_BARYCENTRIC_NV:
		return "vertices of micromaps";
	case OP_COOPERATIVE_VECTOR_MATRIX_MUL:
	case OP_COOPERATIVE_VECTOR_OUTER_PRODUCT_ACCUMULATE:
	case OP_COOPERATIVE_VECTOR_REDUCE_SUM_ACCUMULATE:
	case OP_COOPERATIVE_VECTOR_MATRIX_MUL_ADD:
	case OP_COOPERATIVE_VECTOR_LOAD:
	case OP_COOPERATIVE_VECTOR_STORE:
		return "cooperative vectors";
	case OP_COOPERATIVE_MATRIX_LOAD_TENSOR:
	case OP_COOPERATIVE_MATRIX_STORE_TENSOR:
		return "cooperative matrices of tensors";
	default:
		return NULL;
	}
}

static bool is_shared_class(uint32_t storage_class)
{
	switch (storage_class) {
	case SpvStorageClassUniformConstant:
	case SpvStorageClassUniform:
	case SpvStorageClassWorkgroup:
	case SpvStorageClassImage:
	case SpvStorageClassStorageBuffer:
	case SpvStorageClassPhysicalStorageBuffer:
	case SpvStorageClassTaskPayloadWorkgroupEXT:
		return true;
	default:
		return false;
	}
}

// The id that a word of the instruction names, where something defines it; else NULL.
static const struct vkr_instruction *named_by(const struct vkr_module *module,
					      const struct vkr_instruction *in, uint16_t use)
{
	const uint32_t id = module->words[module->uses[in->first_use + use]];
	return module->ids[id].instruction ? vkr_module_definition(module, id) : NULL;
}

// Whether the function, or one that it calls, names a pointer to memory that others reach.
static bool accesses_shared(const struct vkr_module *module, const struct vkr_function *function,
			    size_t depth)
{
	if (depth > module->function_count)
		return false; // recursion is not valid
	for (uint32_t i = function->first; i < function->end; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		for (uint16_t u = 0; u < in->use_count; u++) {
			const struct vkr_instruction *of = named_by(module, in, u);
			if (of && of->type && vkr_is_pointer_type(module, of->type) &&
			    is_shared_class(vkr_pointer_class(module, of->type)))
				return true;
			if (of && of->opcode == SpvOpFunction && of->result != function->id &&
			    accesses_shared(module, vkr_module_function(module, of->result),
					    depth + 1))
				return true;
		}
	}
	return false;
}

// An instruction other than OpFunctionCall that calls a function, for the elements of a cooperative
// matrix: it is unknown which invocation calls it.
static bool calls_unseen(const struct vkr_module *module, const struct vkr_instruction *in)
{
	for (uint16_t u = 0; u < in->use_count && in->opcode != SpvOpFunctionCall; u++) {
		const struct vkr_instruction *of = named_by(module, in, u);
		if (of && of->opcode == SpvOpFunction &&
		    accesses_shared(module, vkr_module_function(module, of->result), 0))
			return true;
	}
	return false;
}

const char *vkr_unlogged_access(const struct vkr_analysis *analysis,
				const struct vkr_instruction *in)
{
	const char *name = named(in->opcode);
	if (!name && in->opcode != SpvOpExtInst && calls_unseen(analysis->module, in))
		return "accesses of functions that are called for each element of a matrix";
	return name;
}

const char *vkr_refusal(const struct vkr_module *module,
			const struct vkr_instrument_options *options)
{
	if (!options->has_heaps &&
	    vkr_module_capability(module, (SpvCapability)VKR_CAPABILITY_DESCRIPTOR_HEAP))
		return "its pipeline is not made for descriptor heaps, which it uses";
	if (vkr_module_capability(module, (SpvCapability)CAPABILITY_SPLIT_BARRIER))
		return "split barriers are not modelled";
	if (vkr_module_capability(module, (SpvCapability)CAPABILITY_PUSH_CONSTANT_BANKS))
		return "banks of push constants are not modelled";
	for (uint32_t i = 0; i < module->first_global; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode == SpvOpExecutionMode &&
		    vkr_module_word(module, in, 2) == MODE_64_BIT_INDEXING)
			return "offsets of more than 32 bits are not followed";
	}
	return NULL;
}
