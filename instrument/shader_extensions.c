// SPDX-License-Identifier: Apache-2.0
#include "shader_extensions.h"

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
	const char *name = vkr_opcode(in->opcode)->unlogged;
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
	if (vkr_module_capability(module, (SpvCapability)VKR_CAPABILITY_SPLIT_BARRIER))
		return "split barriers are not modelled";
	if (vkr_module_capability(module, (SpvCapability)VKR_CAPABILITY_PUSH_CONSTANT_BANKS))
		return "banks of push constants are not modelled";
	for (uint32_t i = 0; i < module->first_global; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		if (in->opcode == SpvOpExecutionMode &&
		    vkr_module_word(module, in, 2) == VKR_MODE_64_BIT_INDEXING)
			return "offsets of more than 32 bits are not followed";
	}
	return NULL;
}
