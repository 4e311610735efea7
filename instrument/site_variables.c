// SPDX-License-Identifier: Apache-2.0
// The variables, the texts and what is not observed, as sites name them. Knows declarations; no
// access.
#include "analysis.h"
#include "array.h"
#include "pointer_bases.h"

#include <string.h>

bool vkr_analysis_string(struct vkr_analysis *analysis, const char *text, uint32_t *offset)
{
	struct vkr_strings *strings = &analysis->strings;
	size_t bytes = strlen(text) + 1;
	for (size_t i = strings->offset_count; i-- > 0;) {
		if (!strcmp(strings->items + strings->offsets[i], text)) {
			*offset = strings->offsets[i];
			return true;
		}
	}
	if (!strings->count && bytes > 1 && !vkr_analysis_string(analysis, "", offset))
		return false;
	if (strings->count + bytes > UINT32_MAX || !VKR_ARRAY_RESERVE(strings, bytes) ||
	    !vkr_array_reserve((void **)&strings->offsets, &strings->offset_capacity,
			       strings->offset_count + 1, sizeof *strings->offsets))
		return false;
	*offset = (uint32_t)strings->count;
	strings->offsets[strings->offset_count++] = *offset;
	memcpy(strings->items + strings->count, text, bytes);
	strings->count += bytes;
	return true;
}

bool vkr_analysis_unobserved(struct vkr_analysis *analysis, const char *what)
{
	uint32_t offset;
	if (!vkr_analysis_string(analysis, what, &offset))
		return false;
	for (size_t i = 0; i < analysis->unobserved.count; i++) {
		if (analysis->unobserved.items[i] == offset)
			return true;
	}
	if (!VKR_ARRAY_RESERVE(&analysis->unobserved, 1))
		return false;
	analysis->unobserved.items[analysis->unobserved.count++] = offset;
	return true;
}

static void describe_buffer(struct vkr_analysis *analysis, uint32_t id,
			    struct vkr_variable *variable, const char **name)
{
	const struct vkr_module *module = analysis->module;
	uint32_t block = vkr_descriptor_block(analysis->types, id, &variable->count);
	variable->kind = VKR_VARIABLE_BUFFER;
	if (vkr_is_uniform_block(module, id, block))
		variable->flags |= VKR_VARIABLE_UNIFORM;
	if (vkr_buffer_is_read_only(module, id, block))
		variable->flags |= VKR_VARIABLE_READ_ONLY;
	vkr_module_decorated(module, id, VKR_NO_MEMBER, SpvDecorationDescriptorSet, &variable->set);
	vkr_module_decorated(module, id, VKR_NO_MEMBER, SpvDecorationBinding, &variable->binding);
	if (!**name)
		*name = vkr_module_name(module, block);
}

// Workgroup variables with an explicit layout share their memory (SPIR-V 2.18.1), except in modules
// with untyped pointers, where only Aliased ones do (SPV_KHR_untyped_pointers). They share an
// entry, with the largest one's size.
static bool is_aliased_block(const struct vkr_module *module, uint32_t variable, uint32_t type)
{
	return vkr_module_decorated(module, type, VKR_NO_MEMBER, SpvDecorationBlock, NULL) &&
	       (!vkr_module_capability(module, (SpvCapability)VKR_CAPABILITY_UNTYPED_POINTERS) ||
		vkr_module_decorated(module, variable, VKR_NO_MEMBER, SpvDecorationAliased, NULL));
}

static void describe_shared(struct vkr_analysis *analysis, const struct vkr_pointer_target *place,
			    struct vkr_variable *variable)
{
	const struct vkr_module *module = analysis->module;
	uint32_t type = vkr_variable_type(module, place->variable);
	if (place->storage_class == SpvStorageClassOutput)
		variable->flags |= VKR_VARIABLE_OUTPUT;
	else if (place->storage_class != SpvStorageClassWorkgroup)
		variable->flags |= VKR_VARIABLE_PAYLOAD;
	variable->kind = VKR_VARIABLE_WORKGROUP;
	const struct vkr_layout layout = {.is_explicit =
						  vkr_module_decorated(module, type, VKR_NO_MEMBER,
								       SpvDecorationBlock, NULL)};
	uint64_t bytes = vkr_type_bytes(analysis->types, type, layout);
	variable->bytes = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
	if (place->storage_class == SpvStorageClassWorkgroup &&
	    is_aliased_block(module, place->variable, type))
		variable->spirv_id = 0;
}

static uint32_t variable_kind(const struct vkr_module *module, const struct vkr_instruction *type)
{
	if (type->opcode == SpvOpTypeSampler)
		return VKR_VARIABLE_SAMPLER;
	if (type->opcode == SpvOpTypeAccelerationStructureKHR)
		return VKR_VARIABLE_ACCELERATION_STRUCTURE;
	const bool is_combined = type->opcode == SpvOpTypeSampledImage;
	if (is_combined)
		type = vkr_module_definition(module, vkr_module_word(module, type, 2));
	switch ((SpvDim)vkr_module_word(module, type, 3)) {
	case SpvDimBuffer:
		return VKR_VARIABLE_TEXEL_BUFFER;
	case SpvDimSubpassData:
		return VKR_VARIABLE_INPUT_ATTACHMENT;
	default:
		return !is_combined && vkr_module_word(module, type, 7) == 2
			       ? VKR_VARIABLE_STORAGE_IMAGE
			       : VKR_VARIABLE_SAMPLED_IMAGE;
	}
}

static void describe_image(struct vkr_analysis *analysis, uint32_t id, uint32_t type_id,
			   struct vkr_variable *variable)
{
	const struct vkr_module *module = analysis->module;
	const struct vkr_instruction *type = vkr_module_definition(module, type_id);
	variable->kind = variable_kind(module, type);
	vkr_module_decorated(module, id, VKR_NO_MEMBER, SpvDecorationDescriptorSet, &variable->set);
	vkr_module_decorated(module, id, VKR_NO_MEMBER, SpvDecorationBinding, &variable->binding);
	vkr_module_decorated(module, id, VKR_NO_MEMBER, SpvDecorationInputAttachmentIndex,
			     &variable->attachment);
	if (type->opcode == SpvOpTypeSampledImage)
		type = vkr_module_definition(module, vkr_module_word(module, type, 2));
	bool is_image = type->opcode == SpvOpTypeImage;
	bool is_sampled = is_image && vkr_module_word(module, type, 7) == 1;
	if (!is_image || is_sampled || variable->kind == VKR_VARIABLE_INPUT_ATTACHMENT ||
	    vkr_module_decorated(module, id, VKR_NO_MEMBER, SpvDecorationNonWritable, NULL))
		variable->flags |= VKR_VARIABLE_READ_ONLY;
	if (!is_image)
		return;
	variable->dim = (uint8_t)vkr_module_word(module, type, 3);
	variable->format = (uint8_t)vkr_module_word(module, type, 8);
	if (is_sampled && variable->kind == VKR_VARIABLE_TEXEL_BUFFER)
		variable->flags |= VKR_VARIABLE_UNIFORM;
	if (vkr_module_word(module, type, 5))
		variable->flags |= VKR_VARIABLE_ARRAYED;
	if (vkr_module_word(module, type, 6))
		variable->flags |= VKR_VARIABLE_MULTISAMPLED;
}

// A heap has no variables besides the one that is accessed directly, so its type distinguishes the
// entry.
static void describe_direct(struct vkr_analysis *analysis, const struct vkr_pointer_target *place,
			    struct vkr_variable *variable)
{
	variable->count = 0;
	if (place->storage_class == SpvStorageClassUniformConstant) {
		describe_image(analysis, place->variable, place->type, variable);
		variable->spirv_id = place->type;
	} else {
		variable->kind = VKR_VARIABLE_BUFFER;
		if (place->storage_class == SpvStorageClassUniform)
			variable->flags = VKR_VARIABLE_UNIFORM | VKR_VARIABLE_READ_ONLY;
	}
	variable->set = variable->binding = UINT32_MAX;
	variable->flags |= VKR_VARIABLE_HEAP;
}

// Describes a variable of a set by its home.
static void describe_home(const struct vkr_pointer_target *place, struct vkr_variable *variable)
{
	const struct vkr_home *home = place->home;
	const struct vkr_home_half *half =
		place->is_sampler_half ? &home->sampler : &home->resource;
	if (place->is_sampler_half)
		variable->kind = VKR_VARIABLE_SAMPLER;
	if (half->is_embedded)
		variable->flags |= VKR_VARIABLE_EMBEDDED;
	else if (home->kind == VKR_HOME_HEAP)
		variable->flags |= VKR_VARIABLE_HEAP;
	else if (home->kind == VKR_HOME_DATA)
		variable->flags |= VKR_VARIABLE_HEAP_DATA;
	else if (home->kind == VKR_HOME_ADDRESS && variable->kind == VKR_VARIABLE_BUFFER)
		variable->kind = VKR_VARIABLE_POINTER;
}

static void describe_variable(struct vkr_analysis *analysis, const struct vkr_pointer_target *place,
			      struct vkr_variable *variable, const char **name)
{
	const bool is_opaque = place->storage_class == SpvStorageClassUniformConstant;
	if (!place->variable) {
		variable->kind =
			is_opaque ? VKR_VARIABLE_ACCELERATION_STRUCTURE : VKR_VARIABLE_POINTER;
		variable->flags = is_opaque ? VKR_VARIABLE_READ_ONLY : 0;
		return;
	}
	*name = vkr_module_name(analysis->module, place->variable);
	if (vkr_is_group_class(&analysis->book, place->storage_class)) {
		describe_shared(analysis, place, variable);
		return;
	}
	if (place->home && place->home->kind == VKR_HOME_DIRECT) {
		describe_direct(analysis, place, variable);
		return;
	}
	if (is_opaque)
		describe_image(
			analysis, place->variable,
			vkr_descriptor_block(analysis->types, place->variable, &variable->count),
			variable);
	else
		describe_buffer(analysis, place->variable, variable, name);
	if (place->home)
		describe_home(place, variable);
}

static bool add_variable(struct vkr_analysis *analysis, struct vkr_variable *variable,
			 const char *name, uint32_t *index)
{
	for (*index = 0; *index < analysis->variables.count; ++*index) {
		struct vkr_variable *known = &analysis->variables.items[*index];
		if (known->kind == variable->kind && known->spirv_id == variable->spirv_id &&
		    known->flags == variable->flags) {
			if (known->bytes < variable->bytes)
				known->bytes = variable->bytes;
			return true;
		}
	}
	if (!vkr_analysis_string(analysis, name, &variable->name) ||
	    !VKR_ARRAY_RESERVE(&analysis->variables, 1))
		return false;
	analysis->variables.items[analysis->variables.count++] = *variable;
	return true;
}

bool vkr_analysis_variable(struct vkr_analysis *analysis, const struct vkr_pointer_target *place,
			   uint32_t *index)
{
	struct vkr_variable variable = {.spirv_id = place->variable, .count = 1};
	const char *name = "";
	describe_variable(analysis, place, &variable, &name);
	return add_variable(analysis, &variable, name, index);
}

bool vkr_analysis_variables(struct vkr_analysis *analysis, const struct vkr_pointer_target *place,
			    uint32_t *index, bool *is_alike)
{
	*is_alike = true;
	if (!vkr_analysis_variable(analysis, place, index))
		return false;
	if (!place->base)
		return true;
	for (uint32_t i = 0; i < place->base->variable_count; i++) {
		struct vkr_pointer_target of = *place;
		uint32_t other;
		of.variable = place->base->variables[i];
		of.home = analysis->homes[of.variable];
		if (!vkr_analysis_variable(analysis, &of, &other))
			return false;
		const struct vkr_variable *variables = analysis->variables.items;
		*is_alike &= !((variables[*index].flags ^ variables[other].flags) &
			       VKR_VARIABLE_UNIFORM) &&
			     vkr_homes_are_alike(analysis->homes[place->variable],
						 analysis->homes[of.variable]);
	}
	return !*is_alike || vkr_pointer_bases_use(analysis, place->base);
}

// Workgroup variables of explicit layout share an entry, which names none of them.
uint32_t vkr_analysis_variable_index(const struct vkr_analysis *analysis,
				     const struct vkr_pointer_target *place)
{
	uint32_t shared = UINT32_MAX;
	for (uint32_t i = 0; i < analysis->variables.count; i++) {
		const struct vkr_variable *known = &analysis->variables.items[i];
		const bool is_half = place->is_sampler_half && place->home;
		if (known->spirv_id == place->variable &&
		    (!is_half || known->kind == VKR_VARIABLE_SAMPLER))
			return i;
		if (known->kind == VKR_VARIABLE_WORKGROUP && !known->spirv_id)
			shared = i;
	}
	return shared;
}

bool vkr_analysis_index_variable(struct vkr_analysis *analysis, uint32_t *index)
{
	struct vkr_variable variable = {.kind = VKR_VARIABLE_POINTER,
					.count = 1,
					.flags = VKR_VARIABLE_UNIFORM | VKR_VARIABLE_READ_ONLY};
	return add_variable(analysis, &variable, "", index);
}
