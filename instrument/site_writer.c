// SPDX-License-Identifier: Apache-2.0
// Makes the tables behind the sites: variables, strings, and the serialized whole.
#include "array.h"
#include "debug_lines.h"
#include "error.h"
#include "matrix_use.h"
#include "pointer_bases.h"
#include "sites.h"

#include <stdlib.h>
#include <string.h>

bool vkr_survey_string(struct vkr_survey *survey, const char *text, uint32_t *offset)
{
	struct vkr_strings *strings = &survey->strings;
	size_t bytes = strlen(text) + 1;
	for (size_t i = strings->offset_count; i-- > 0;) {
		if (!strcmp(strings->items + strings->offsets[i], text)) {
			*offset = strings->offsets[i];
			return true;
		}
	}
	if (!strings->count && bytes > 1 && !vkr_survey_string(survey, "", offset))
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

bool vkr_survey_unobserved(struct vkr_survey *survey, const char *what)
{
	uint32_t offset;
	if (!vkr_survey_string(survey, what, &offset))
		return false;
	for (size_t i = 0; i < survey->unobserved.count; i++) {
		if (survey->unobserved.items[i] == offset)
			return true;
	}
	if (!VKR_ARRAY_RESERVE(&survey->unobserved, 1))
		return false;
	survey->unobserved.items[survey->unobserved.count++] = offset;
	return true;
}

// No access through the variable can write: NonWritable on it or on all of the block's members, or
// a uniform block.
static bool is_read_only(const struct vkr_module *module, uint32_t variable, uint32_t block,
			 bool is_uniform)
{
	if (is_uniform ||
	    vkr_module_decorated(module, variable, VKR_NO_MEMBER, SpvDecorationNonWritable, NULL))
		return true;
	const struct vkr_instruction *def = vkr_module_definition(module, block);
	if (def->opcode != SpvOpTypeStruct)
		return false;
	for (uint32_t m = 0; m + 2u < def->length; m++) {
		if (!vkr_module_decorated(module, block, m, SpvDecorationNonWritable, NULL))
			return false;
	}
	return true;
}

static void describe_buffer(struct vkr_survey *survey, uint32_t id, uint32_t storage_class,
			    struct vkr_variable *variable, const char **name)
{
	const struct vkr_module *module = survey->module;
	uint32_t block = vkr_descriptor_block(survey->types, id, &variable->count);
	bool is_uniform =
		storage_class == SpvStorageClassUniform &&
		!vkr_module_decorated(module, block, VKR_NO_MEMBER, SpvDecorationBufferBlock, NULL);
	variable->kind = VKR_VARIABLE_BUFFER;
	if (is_uniform)
		variable->flags |= VKR_VARIABLE_UNIFORM;
	if (is_read_only(module, id, block, is_uniform))
		variable->flags |= VKR_VARIABLE_READ_ONLY;
	vkr_module_decorated(module, id, VKR_NO_MEMBER, SpvDecorationDescriptorSet, &variable->set);
	vkr_module_decorated(module, id, VKR_NO_MEMBER, SpvDecorationBinding, &variable->binding);
	if (!**name)
		*name = vkr_module_name(module, block);
}

// Workgroup variables with an explicit layout are one memory (SPIR-V 2.18.1), but in modules with
// pointers without types only those that are Aliased (SPV_KHR_untyped_pointers). They share an
// entry, of the largest one's size.
static bool is_aliased_block(const struct vkr_module *module, uint32_t variable, uint32_t type)
{
	return vkr_module_decorated(module, type, VKR_NO_MEMBER, SpvDecorationBlock, NULL) &&
	       (!vkr_module_capability(module, (SpvCapability)VKR_CAPABILITY_UNTYPED_POINTERS) ||
		vkr_module_decorated(module, variable, VKR_NO_MEMBER, SpvDecorationAliased, NULL));
}

static void describe_shared(struct vkr_survey *survey, const struct vkr_place *place,
			    struct vkr_variable *variable)
{
	const struct vkr_module *module = survey->module;
	uint32_t type = vkr_variable_type(module, place->variable);
	if (place->storage_class == SpvStorageClassOutput)
		variable->flags |= VKR_VARIABLE_OUTPUT;
	else if (place->storage_class != SpvStorageClassWorkgroup)
		variable->flags |= VKR_VARIABLE_PAYLOAD;
	variable->kind = VKR_VARIABLE_WORKGROUP;
	const struct vkr_layout layout = {.is_explicit =
						  vkr_module_decorated(module, type, VKR_NO_MEMBER,
								       SpvDecorationBlock, NULL)};
	uint64_t bytes = vkr_type_bytes(survey->types, type, layout);
	variable->bytes = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
	if (place->storage_class == SpvStorageClassWorkgroup &&
	    is_aliased_block(module, place->variable, type))
		variable->spirv_id = 0;
}

// What is reached through a heap that is a variable has no other one: its type tells it apart.
static void describe_direct(struct vkr_survey *survey, const struct vkr_place *place,
			    struct vkr_variable *variable)
{
	variable->count = 0;
	if (place->storage_class == SpvStorageClassUniformConstant) {
		vkr_survey_describe_image(survey, place->variable, place->type, variable);
		variable->spirv_id = place->type;
	} else {
		variable->kind = VKR_VARIABLE_BUFFER;
		if (place->storage_class == SpvStorageClassUniform)
			variable->flags = VKR_VARIABLE_UNIFORM | VKR_VARIABLE_READ_ONLY;
	}
	variable->set = variable->binding = UINT32_MAX;
	variable->flags |= VKR_VARIABLE_HEAP;
}

// What its home makes of a variable of a set.
static void describe_home(const struct vkr_place *place, struct vkr_variable *variable)
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

static void describe(struct vkr_survey *survey, const struct vkr_place *place,
		     struct vkr_variable *variable, const char **name)
{
	const bool is_opaque = place->storage_class == SpvStorageClassUniformConstant;
	if (!place->variable) {
		variable->kind =
			is_opaque ? VKR_VARIABLE_ACCELERATION_STRUCTURE : VKR_VARIABLE_POINTER;
		variable->flags = is_opaque ? VKR_VARIABLE_READ_ONLY : 0;
		return;
	}
	*name = vkr_module_name(survey->module, place->variable);
	if (vkr_is_group_class(&survey->book, place->storage_class)) {
		describe_shared(survey, place, variable);
		return;
	}
	if (place->home && place->home->kind == VKR_HOME_DIRECT) {
		describe_direct(survey, place, variable);
		return;
	}
	if (is_opaque)
		vkr_survey_describe_image(
			survey, place->variable,
			vkr_descriptor_block(survey->types, place->variable, &variable->count),
			variable);
	else
		describe_buffer(survey, place->variable, place->storage_class, variable, name);
	if (place->home)
		describe_home(place, variable);
}

static bool add_variable(struct vkr_survey *survey, struct vkr_variable *variable, const char *name,
			 uint32_t *index)
{
	for (*index = 0; *index < survey->variables.count; ++*index) {
		struct vkr_variable *known = &survey->variables.items[*index];
		if (known->kind == variable->kind && known->spirv_id == variable->spirv_id &&
		    known->flags == variable->flags) {
			if (known->bytes < variable->bytes)
				known->bytes = variable->bytes;
			return true;
		}
	}
	if (!vkr_survey_string(survey, name, &variable->name) ||
	    !VKR_ARRAY_RESERVE(&survey->variables, 1))
		return false;
	survey->variables.items[survey->variables.count++] = *variable;
	return true;
}

bool vkr_survey_variable(struct vkr_survey *survey, const struct vkr_place *place, uint32_t *index)
{
	struct vkr_variable variable = {.spirv_id = place->variable, .count = 1};
	const char *name = "";
	describe(survey, place, &variable, &name);
	return add_variable(survey, &variable, name, index);
}

bool vkr_survey_variables(struct vkr_survey *survey, const struct vkr_place *place, uint32_t *index,
			  bool *is_alike)
{
	*is_alike = true;
	if (!vkr_survey_variable(survey, place, index))
		return false;
	if (!place->base)
		return true;
	for (uint32_t i = 0; i < place->base->variable_count; i++) {
		struct vkr_place of = *place;
		uint32_t other;
		of.variable = place->base->variables[i];
		of.home = survey->homes[of.variable];
		if (!vkr_survey_variable(survey, &of, &other))
			return false;
		const struct vkr_variable *variables = survey->variables.items;
		*is_alike &= !((variables[*index].flags ^ variables[other].flags) &
			       VKR_VARIABLE_UNIFORM) &&
			     vkr_homes_are_alike(survey->homes[place->variable],
						 survey->homes[of.variable]);
	}
	return !*is_alike || vkr_pointer_bases_use(survey, place->base);
}

// Workgroup variables of explicit layout share an entry, which names none of them.
uint32_t vkr_survey_variable_index(const struct vkr_survey *survey, const struct vkr_place *place)
{
	uint32_t shared = UINT32_MAX;
	for (uint32_t i = 0; i < survey->variables.count; i++) {
		const struct vkr_variable *known = &survey->variables.items[i];
		const bool is_half = place->is_sampler_half && place->home;
		if (known->spirv_id == place->variable &&
		    (!is_half || known->kind == VKR_VARIABLE_SAMPLER))
			return i;
		if (known->kind == VKR_VARIABLE_WORKGROUP && !known->spirv_id)
			shared = i;
	}
	return shared;
}

bool vkr_survey_index_variable(struct vkr_survey *survey, uint32_t *index)
{
	struct vkr_variable variable = {.kind = VKR_VARIABLE_POINTER,
					.count = 1,
					.flags = VKR_VARIABLE_UNIFORM | VKR_VARIABLE_READ_ONLY};
	return add_variable(survey, &variable, "", index);
}

bool vkr_survey_lines(struct vkr_survey *survey, struct vkr_draft *draft,
		      const struct vkr_matrix_use *use)
{
	if (use->stride <= use->line_bytes || use->lines == 1)
		return true;
	if (!VKR_ARRAY_RESERVE(&survey->pieces, use->lines))
		return false;
	draft->site.first_piece = (uint32_t)survey->pieces.count;
	draft->site.piece_count = use->lines;
	for (uint32_t i = 0; i < use->lines; i++)
		survey->pieces.items[survey->pieces.count++] =
			(struct vkr_piece){(uint32_t)(i * use->stride), use->line_bytes};
	return true;
}

static size_t put(unsigned char *bytes, size_t at, const void *items, size_t size)
{
	if (size)
		memcpy(bytes + at, items, size);
	return at + size;
}

enum vkr_result vkr_survey_write(struct vkr_survey *survey, struct vkr_site_table **table,
				 struct vkr_error *error)
{
	const struct vkr_module *module = survey->module;
	struct vkr_site_table head = {
		.version = VKR_SITE_TABLE_VERSION,
		.chunk_words = survey->chunk_words,
		.stage = survey->options->stage,
		.identity = survey->identity |
			    (survey->identity && survey->all_log ? VKR_IDENTITY_ALL : 0) |
			    (survey->asks ? VKR_IDENTITY_ASKED : 0),
		.memory_model =
			vkr_module_word(module, &module->instructions[module->memory_model], 2),
		.tag = survey->identity & VKR_IDENTITY_LAUNCH ? survey->options->tag : 0,
		.summary_count = (uint32_t)survey->summary.count,
		.summary_registers = survey->summary_registers,
		.turn_value_count = (uint32_t)survey->turn_values.count,
		.streams = survey->wants_streams && survey->records.count > 0,
	};
	memcpy(head.workgroup_size, survey->workgroup_size, sizeof head.workgroup_size);
	if (!vkr_survey_string(survey, survey->options->entry_point, &head.entry_point) ||
	    !vkr_survey_string(survey, vkr_line_main_file(module), &head.source_file))
		return vkr_error_memory(error, "the site table");
	head.variable_count = (uint32_t)survey->variables.count;
	head.segment_count = (uint32_t)survey->runs.count;
	head.site_count = (uint32_t)survey->drafts.count;
	head.piece_count = (uint32_t)survey->pieces.count;
	head.texel_count = (uint32_t)survey->texels.count;
	size_t used = sizeof head + survey->variables.count * sizeof(struct vkr_variable) +
		      survey->runs.count * sizeof(struct vkr_segment) +
		      survey->drafts.count * sizeof(struct vkr_site) +
		      survey->pieces.count * sizeof(struct vkr_piece) +
		      survey->texels.count * sizeof(struct vkr_texel) +
		      survey->summary.count * sizeof(struct vkr_summary_operation) +
		      survey->turn_values.count * sizeof(uint32_t) + survey->strings.count;
	size_t bytes = (used + 7) / 8 * 8;
	if (bytes > UINT32_MAX)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "a site table of more than 4 GiB");
	head.bytes = (uint32_t)bytes;
	head.string_bytes = (uint32_t)survey->strings.count;
	unsigned char *all = calloc(1, bytes);
	if (!all)
		return vkr_error_memory(error, "the site table");
	size_t at = put(all, 0, &head, sizeof head);
	at = put(all, at, survey->variables.items,
		 survey->variables.count * sizeof(struct vkr_variable));
	for (size_t i = 0; i < survey->runs.count; i++)
		at = put(all, at, &survey->runs.items[i].segment, sizeof(struct vkr_segment));
	for (size_t i = 0; i < survey->drafts.count; i++)
		at = put(all, at, &survey->drafts.items[i].site, sizeof(struct vkr_site));
	at = put(all, at, survey->pieces.items, survey->pieces.count * sizeof(struct vkr_piece));
	at = put(all, at, survey->texels.items, survey->texels.count * sizeof(struct vkr_texel));
	at = put(all, at, survey->summary.items,
		 survey->summary.count * sizeof(struct vkr_summary_operation));
	at = put(all, at, survey->turn_values.items, survey->turn_values.count * sizeof(uint32_t));
	put(all, at, survey->strings.items, survey->strings.count);
	*table = (struct vkr_site_table *)(void *)all;
	return VKR_OK;
}
