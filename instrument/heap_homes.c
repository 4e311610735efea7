// SPDX-License-Identifier: Apache-2.0
#include "heap_homes.h"

#include "pointer_forms.h"

// VkDescriptorMappingSourceEXT.
enum {
	SOURCE_CONSTANT_OFFSET,
	SOURCE_PUSH_INDEX,
	SOURCE_INDIRECT_INDEX,
	SOURCE_INDIRECT_INDEX_ARRAY,
	SOURCE_HEAP_DATA,
	SOURCE_PUSH_DATA,
	SOURCE_PUSH_ADDRESS,
	SOURCE_INDIRECT_ADDRESS,
	SOURCE_RECORD_INDEX,
	SOURCE_RECORD_DATA,
	SOURCE_RECORD_ADDRESS,
};

// VkSpirvResourceTypeFlagBitsEXT.
enum {
	RESOURCE_SAMPLER = 0x1,
	RESOURCE_SAMPLED_IMAGE = 0x2,
	RESOURCE_READ_ONLY_IMAGE = 0x4,
	RESOURCE_READ_WRITE_IMAGE = 0x8,
	RESOURCE_COMBINED = 0x10,
	RESOURCE_UNIFORM_BUFFER = 0x20,
	RESOURCE_READ_ONLY_BUFFER = 0x40,
	RESOURCE_READ_WRITE_BUFFER = 0x80,
	RESOURCE_STRUCTURE = 0x100,
	RESOURCE_ALL = 0x7fffffff,
};

static const struct vkr_instruction *type_below_arrays(const struct vkr_module *module,
						       uint32_t variable)
{
	const struct vkr_instruction *type =
		vkr_module_definition(module, vkr_variable_type(module, variable));
	while (type->opcode == SpvOpTypeArray || type->opcode == SpvOpTypeRuntimeArray)
		type = vkr_module_definition(module, vkr_module_word(module, type, 2));
	return type;
}

static uint32_t image_resources(const struct vkr_module *module, const struct vkr_instruction *type,
				bool is_read_only)
{
	if (vkr_module_word(module, type, 7) == 1)
		return RESOURCE_SAMPLED_IMAGE;
	if (vkr_module_word(module, type, 3) == SpvDimSubpassData)
		return RESOURCE_READ_ONLY_IMAGE | RESOURCE_READ_WRITE_IMAGE;
	return is_read_only ? RESOURCE_READ_ONLY_IMAGE : RESOURCE_READ_WRITE_IMAGE;
}

// The bits that match the variable's declaration.
static uint32_t resources_of(const struct vkr_module *module, const struct vkr_instruction *in)
{
	const struct vkr_instruction *type = type_below_arrays(module, in->result);
	const bool is_read_only = vkr_module_decorated(module, in->result, VKR_NO_MEMBER,
						       SpvDecorationNonWritable, NULL);
	switch (type->opcode) {
	case SpvOpTypeSampler:
		return RESOURCE_SAMPLER;
	case SpvOpTypeSampledImage:
		return RESOURCE_COMBINED;
	case SpvOpTypeImage:
		return image_resources(module, type, is_read_only);
	case SpvOpTypeAccelerationStructureKHR:
		return RESOURCE_STRUCTURE;
	case SpvOpTypeStruct:
		if (vkr_module_word(module, in, 3) == SpvStorageClassUniform &&
		    !vkr_module_decorated(module, type->result, VKR_NO_MEMBER,
					  SpvDecorationBufferBlock, NULL))
			return RESOURCE_UNIFORM_BUFFER;
		// Blocks whose members alone are NonWritable are so declared, too.
		return is_read_only ? RESOURCE_READ_ONLY_BUFFER
				    : RESOURCE_READ_ONLY_BUFFER | RESOURCE_READ_WRITE_BUFFER;
	default:
		return 0;
	}
}

static const struct vkr_heap_mapping *mapping_of(const struct vkr_instrument_options *options,
						 uint32_t set, uint32_t binding, uint32_t resources)
{
	for (size_t i = 0; i < options->mapping_count; i++) {
		const struct vkr_heap_mapping *mapping = &options->mappings[i];
		if (mapping->set == set && binding >= mapping->first_binding &&
		    binding - mapping->first_binding < mapping->binding_count &&
		    (mapping->resources == RESOURCE_ALL || mapping->resources & resources))
			return mapping;
	}
	return NULL;
}

static enum vkr_home_kind kind_of(uint32_t source)
{
	switch (source) {
	case SOURCE_CONSTANT_OFFSET:
	case SOURCE_PUSH_INDEX:
	case SOURCE_INDIRECT_INDEX:
	case SOURCE_INDIRECT_INDEX_ARRAY:
	case SOURCE_RECORD_INDEX:
		return VKR_HOME_HEAP;
	case SOURCE_HEAP_DATA:
		return VKR_HOME_DATA;
	case SOURCE_PUSH_DATA:
	case SOURCE_RECORD_DATA:
		return VKR_HOME_OWN;
	case SOURCE_PUSH_ADDRESS:
	case SOURCE_INDIRECT_ADDRESS:
	case SOURCE_RECORD_ADDRESS:
		return VKR_HOME_ADDRESS;
	default:
		return VKR_HOME_LOST;
	}
}

static enum vkr_home_index index_of(uint32_t source)
{
	switch (source) {
	case SOURCE_PUSH_INDEX:
	case SOURCE_HEAP_DATA:
	case SOURCE_PUSH_DATA:
	case SOURCE_PUSH_ADDRESS:
		return VKR_INDEX_PUSHED;
	case SOURCE_INDIRECT_INDEX:
	case SOURCE_INDIRECT_ADDRESS:
		return VKR_INDEX_INDIRECT;
	case SOURCE_INDIRECT_INDEX_ARRAY:
		return VKR_INDEX_INDIRECT_ARRAY;
	case SOURCE_RECORD_INDEX:
	case SOURCE_RECORD_DATA:
	case SOURCE_RECORD_ADDRESS:
		return VKR_INDEX_RECORD;
	default:
		return VKR_INDEX_NONE;
	}
}

// `number`: the variable's binding, counted from the mapping's first.
static struct vkr_home_half half_of(const struct vkr_heap_mapping *mapping,
				    const struct vkr_mapping_half *half, uint32_t number)
{
	struct vkr_home_half home = {
		.index = index_of(mapping->source),
		.constant = half->heap_offset + number * half->array_stride,
		.index_stride = half->index_stride,
		.array_stride = half->array_stride,
		.where = half->where,
		.address_offset = half->address_offset,
		.is_embedded = half->is_embedded != 0,
	};
	if (home.index == VKR_INDEX_INDIRECT_ARRAY) {
		home.constant = half->heap_offset;
		home.array_stride = 0;
		home.address_offset += 4 * number;
	}
	return home;
}

// One word holds both indices, that of the image (20 bits) below that of the sampler.
static void split_index(struct vkr_home *home)
{
	const bool is_embedded = home->sampler.is_embedded;
	const struct vkr_home_half own = home->sampler;
	home->sampler = home->resource;
	home->sampler.constant = own.constant;
	home->sampler.index_stride = own.index_stride;
	home->sampler.array_stride = own.array_stride;
	home->sampler.is_embedded = is_embedded;
	home->resource.mask = 0xfffff;
	home->sampler.shift = 20;
	home->sampler.mask = 0xfff;
}

static struct vkr_home home_of(const struct vkr_heap_mapping *mapping, uint32_t binding,
			       uint32_t resources)
{
	struct vkr_home home = {.kind = VKR_HOME_LOST};
	if (!mapping)
		return home;
	const uint32_t number = binding - mapping->first_binding;
	home.kind = kind_of(mapping->source);
	home.is_combined = resources == RESOURCE_COMBINED;
	home.resource = half_of(mapping, &mapping->resource, number);
	home.sampler = half_of(mapping, &mapping->sampler, number);
	if (home.is_combined && mapping->has_combined_index)
		split_index(&home);
	// An embedded sampler stands in the base's place, and with an image beside it.
	home.sampler.is_embedded |= mapping->resource.is_embedded != 0;
	if (resources != RESOURCE_SAMPLER)
		home.resource.is_embedded = false;
	return home;
}

struct vkr_home **vkr_homes_find(const struct vkr_module *module,
				 const struct vkr_instrument_options *options,
				 struct vkr_arena *arena)
{
	struct vkr_home **homes = vkr_arena_alloc(arena, module->bound * sizeof(void *));
	for (uint32_t i = module->first_global;
	     homes && options->has_heaps && i < module->first_function; i++) {
		const struct vkr_instruction *in = &module->instructions[i];
		uint32_t builtin = 0, set = 0, binding = 0;
		if (!vkr_is_variable(in->opcode))
			continue;
		vkr_module_decorated(module, in->result, VKR_NO_MEMBER, SpvDecorationBuiltIn,
				     &builtin);
		const bool is_heap =
			builtin == VKR_BUILTIN_SAMPLER_HEAP || builtin == VKR_BUILTIN_RESOURCE_HEAP;
		if (!is_heap && !vkr_module_decorated(module, in->result, VKR_NO_MEMBER,
						      SpvDecorationDescriptorSet, &set))
			continue;
		struct vkr_home *home = vkr_arena_alloc(arena, sizeof *home);
		if (!home)
			return NULL;
		vkr_module_decorated(module, in->result, VKR_NO_MEMBER, SpvDecorationBinding,
				     &binding);
		if (is_heap) {
			*home = (struct vkr_home){.kind = VKR_HOME_DIRECT};
		} else if (vkr_variable_type(module, in->result)) {
			const uint32_t resources = resources_of(module, in);
			*home = home_of(mapping_of(options, set, binding, resources), binding,
					resources);
		} else {
			home->kind = VKR_HOME_LOST;
		}
		homes[in->result] = home;
	}
	return homes;
}

bool vkr_homes_are_alike(const struct vkr_home *a, const struct vkr_home *b)
{
	if (!a || !b)
		return a == b;
	return a->kind == b->kind && a->resource.is_embedded == b->resource.is_embedded &&
	       a->sampler.is_embedded == b->sampler.is_embedded;
}
