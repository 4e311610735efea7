// SPDX-License-Identifier: Apache-2.0
// What the variables of one dispatch are bound to. Knows sets and buffers; not who accesses them.
#include "dispatch_targets.h"

#include "site_table.h"
#include "structures.h"

#include <stdlib.h>

#include <vulkan/vulkan_core.h>

static const struct vkr_variable *variable_at(const struct vkr_dispatch_targets *targets,
					      uint32_t variable)
{
	return &vkr_site_table_variables(targets->program->shader->sites)[variable];
}

// The set that a variable's set number stands for, and its binding's index in the layout.
static const struct vkr_bound_set *set_of(const struct vkr_dispatch_targets *targets,
					  const struct vkr_variable *variable, uint32_t *binding)
{
	if (variable->set >= targets->set_count || targets->sets[variable->set].set == NULL)
		return NULL;
	const struct vkr_bound_set *bound = &targets->sets[variable->set];
	*binding = vkr_set_layout_find(bound->set->layout, variable->binding);
	return *binding != UINT32_MAX ? bound : NULL;
}

static uint32_t element_count(const struct vkr_dispatch_targets *targets, uint32_t index)
{
	const struct vkr_variable *variable = variable_at(targets, index);
	uint32_t binding = 0;
	const struct vkr_bound_set *bound = NULL;
	switch ((enum vkr_variable_kind)variable->kind) {
	case VKR_VARIABLE_WORKGROUP:
		return 1;
	case VKR_VARIABLE_BUFFER:
	case VKR_VARIABLE_STORAGE_IMAGE:
	case VKR_VARIABLE_SAMPLED_IMAGE:
	case VKR_VARIABLE_TEXEL_BUFFER:
	case VKR_VARIABLE_INPUT_ATTACHMENT:
	case VKR_VARIABLE_SAMPLER:
		bound = set_of(targets, variable, &binding);
		return bound != NULL ? bound->set->bindings[binding].written : 0;
	case VKR_VARIABLE_POINTER:
	case VKR_VARIABLE_ACCELERATION_STRUCTURE:
		break;
	}
	return 0;
}

bool vkr_dispatch_targets_init(struct vkr_dispatch_targets *targets,
			       const struct vkr_objects *objects, struct vkr_access_names *names,
			       const struct vkr_program *program, const struct vkr_bound_set *sets,
			       uint32_t set_count)
{
	*targets = (struct vkr_dispatch_targets){.objects = objects,
						 .names = names,
						 .program = program,
						 .sets = sets,
						 .set_count = set_count,
						 .local_size = program->local_size};
	const uint32_t count = program->shader->sites->variable_count;
	targets->variables = calloc(count + (size_t)1, sizeof *targets->variables);
	if (targets->variables == NULL)
		return false;
	for (uint32_t at = 0; at < count; at++) {
		struct vkr_bound_variable *variable = &targets->variables[at];
		variable->count = element_count(targets, at);
		if (variable->count == 0)
			continue;
		const bool has_texels = variable_at(targets, at)->kind > VKR_VARIABLE_POINTER;
		if (has_texels)
			variable->texels = calloc(variable->count, sizeof *variable->texels);
		else
			variable->targets = calloc(variable->count, sizeof *variable->targets);
		variable->known = calloc(variable->count, sizeof *variable->known);
		if ((has_texels ? (void *)variable->texels : (void *)variable->targets) == NULL ||
		    variable->known == NULL) {
			vkr_dispatch_targets_finish(targets);
			return false;
		}
	}
	return true;
}

void vkr_dispatch_targets_finish(struct vkr_dispatch_targets *targets)
{
	if (targets->variables == NULL)
		return;
	for (uint32_t at = 0; at < targets->program->shader->sites->variable_count; at++) {
		free(targets->variables[at].targets);
		free(targets->variables[at].texels);
		free(targets->variables[at].known);
	}
	free(targets->variables);
	targets->variables = NULL;
}

static bool is_dynamic(uint32_t type)
{
	return type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC ||
	       type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

static bool is_buffer(uint32_t type)
{
	return is_dynamic(type) || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
	       type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

// A descriptor bound under two set numbers is one reference: the lowest number names it.
static uint32_t naming_set(const struct vkr_dispatch_targets *targets, uint32_t number)
{
	for (uint32_t at = 0; at < number; at++)
		if (targets->sets[at].set == targets->sets[number].set)
			return at;
	return number;
}

static void find_descriptor(const struct vkr_dispatch_targets *targets,
			    const struct vkr_variable *variable, uint32_t element,
			    struct vkr_engine_target *target)
{
	uint32_t place = 0;
	const struct vkr_bound_set *bound = set_of(targets, variable, &place);
	const struct vkr_descriptor *descriptor =
		bound != NULL ? vkr_set_descriptor(bound->set, place, element) : NULL;
	if (descriptor == NULL)
		return;
	const struct vkr_buffer *buffer = NULL;
	uint64_t offset = descriptor->offset, bytes = descriptor->bytes;
	if (is_buffer(descriptor->type))
		buffer = vkr_objects_buffer(targets->objects, descriptor->object);
	if (buffer == NULL || buffer->memory == NULL)
		return;
	const struct vkr_layout_binding *binding = &bound->set->layout->bindings[place];
	const uint64_t dynamic = (uint64_t)binding->first_dynamic + element;
	if (is_dynamic(descriptor->type) && dynamic < bound->dynamic_count)
		offset += bound->dynamic_offsets[dynamic];
	if (offset > buffer->bytes)
		return;
	if (bytes > buffer->bytes - offset)
		bytes = buffer->bytes - offset;
	*target = (struct vkr_engine_target){
		.memory = buffer->memory->id,
		.reference = vkr_access_names_reference(
			targets->names,
			&(struct vkr_reference){.buffer = buffer,
						.set = naming_set(targets, variable->set),
						.binding = variable->binding,
						.element = element}),
		.base = buffer->offset + offset,
		.bytes = bytes,
	};
}

const struct vkr_engine_target *vkr_dispatch_target(struct vkr_dispatch_targets *targets,
						    uint32_t variable, uint32_t element)
{
	if (variable >= targets->program->shader->sites->variable_count)
		return NULL;
	struct vkr_bound_variable *bound = &targets->variables[variable];
	if (element >= bound->count || bound->targets == NULL ||
	    (targets->mixes_patches && variable_at(targets, variable)->flags & VKR_VARIABLE_OUTPUT))
		return NULL;
	struct vkr_engine_target *target = &bound->targets[element];
	if (!bound->known[element]) {
		const struct vkr_variable *of = variable_at(targets, variable);
		bound->known[element] = true;
		if (of->kind == VKR_VARIABLE_WORKGROUP)
			*target = (struct vkr_engine_target){
				.memory = VKR_ENGINE_WORKGROUP,
				.reference = variable + 1,
				.base = targets->program->workgroup_bases[variable],
				.bytes = of->bytes};
		else
			find_descriptor(targets, of, element, target);
	}
	return target->memory != 0 ? target : NULL;
}

const struct vkr_engine_target *vkr_dispatch_pointer(struct vkr_dispatch_targets *targets,
						     uint64_t address, uint64_t *offset)
{
	const struct vkr_address *range = targets->last_address;
	if (range == NULL || address < range->first || address >= range->end) {
		range = vkr_objects_address(targets->objects, address);
		targets->last_address = range;
		if (range == NULL || range->buffer->memory == NULL) {
			targets->last_address = NULL;
			return NULL;
		}
		targets->pointer = (struct vkr_engine_target){
			.memory = range->buffer->memory->id,
			.reference = vkr_access_names_reference(
				targets->names,
				&(struct vkr_reference){.buffer = range->buffer, .address = true}),
			.base = range->buffer->offset,
			.bytes = range->buffer->bytes,
		};
	}
	*offset = address - range->first;
	return &targets->pointer;
}

struct vkr_structure *vkr_dispatch_structure(const struct vkr_dispatch_targets *targets,
					     uint32_t variable, uint32_t element,
					     struct vkr_reference *reference)
{
	if (variable >= targets->program->shader->sites->variable_count)
		return NULL;
	const struct vkr_variable *of = variable_at(targets, variable);
	uint32_t place = 0;
	const struct vkr_bound_set *bound = set_of(targets, of, &place);
	const struct vkr_descriptor *descriptor =
		bound != NULL ? vkr_set_descriptor(bound->set, place, element) : NULL;
	if (descriptor == NULL)
		return NULL;
	*reference = (struct vkr_reference){
		.set = naming_set(targets, of->set), .binding = of->binding, .element = element};
	return descriptor->type == VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR
		       ? vkr_objects_structure(targets->objects, descriptor->object)
		       : NULL;
}

// ---- Images and texel buffers -------------------------------------------------------------------

static void bind_buffer(const struct vkr_dispatch_targets *targets, struct vkr_reference reference,
			uint32_t id, struct vkr_bound_texels *bound)
{
	const struct vkr_buffer_view *view = vkr_objects_view(targets->objects, id);
	const struct vkr_buffer *buffer = view != NULL ? view->buffer : NULL;
	if (buffer == NULL || buffer->memory == NULL || view->offset > buffer->bytes)
		return;
	const uint64_t rest = buffer->bytes - view->offset;
	bound->texel_bytes =
		vkr_format_block((VkFormat)view->format, VK_IMAGE_ASPECT_COLOR_BIT).bytes;
	bound->kind = bound->texel_bytes > 0 ? VKR_BOUND_BUFFER : VKR_BOUND_UNKNOWN;
	reference.buffer = buffer;
	bound->plane_count = 1;
	bound->planes[0] = (struct vkr_engine_target){
		.memory = buffer->memory->id,
		.reference = vkr_access_names_reference(targets->names, &reference),
		.base = buffer->offset + view->offset,
		.bytes = view->bytes < rest ? view->bytes : rest};
}

static void bind_image(const struct vkr_dispatch_targets *targets, struct vkr_reference reference,
		       uint32_t id, struct vkr_bound_texels *bound)
{
	const struct vkr_image_view *view = vkr_objects_image_view(targets->objects, id);
	if (view == NULL)
		return;
	reference.view = view;
	bound->view = view;
	bound->kind = view->image->plane_count > 0 ? VKR_BOUND_IMAGE : VKR_BOUND_UNKNOWN;
	for (uint32_t at = 0; at < view->image->plane_count; at++) {
		const struct vkr_image_plane *plane = &view->image->planes[at];
		if (plane->memory == NULL)
			continue;
		bound->planes[bound->plane_count++] = (struct vkr_engine_target){
			.memory = plane->memory->id,
			.reference = vkr_access_names_reference(targets->names, &reference),
			.base = plane->offset,
			.bytes = plane->bytes};
	}
}

static void find_texels(const struct vkr_dispatch_targets *targets,
			const struct vkr_variable *variable, uint32_t element,
			struct vkr_bound_texels *bound)
{
	uint32_t place = 0;
	const struct vkr_bound_set *set = set_of(targets, variable, &place);
	bound->kind = VKR_BOUND_NOTHING;
	const struct vkr_descriptor *descriptor =
		set != NULL ? vkr_set_descriptor(set->set, place, element) : NULL;
	if (descriptor == NULL)
		return;
	const struct vkr_reference reference = {.set = naming_set(targets, variable->set),
						.binding = variable->binding,
						.element = element};
	switch (descriptor->type) {
	case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
	case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
		bind_buffer(targets, reference, descriptor->object, bound);
		break;
	case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
	case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
	case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
	case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
		bind_image(targets, reference, descriptor->object, bound);
		bound->sampler = vkr_objects_sampler(targets->objects,
						     vkr_set_sampler(set->set, place, element));
		break;
	default:
		break;
	}
}

struct vkr_bound_texels *vkr_dispatch_texels(struct vkr_dispatch_targets *targets,
					     uint32_t variable, uint32_t element)
{
	if (variable >= targets->program->shader->sites->variable_count)
		return NULL;
	struct vkr_bound_variable *bound = &targets->variables[variable];
	if (element >= bound->count || bound->texels == NULL)
		return NULL;
	if (!bound->known[element]) {
		bound->known[element] = true;
		find_texels(targets, variable_at(targets, variable), element,
			    &bound->texels[element]);
	}
	return &bound->texels[element];
}

const struct vkr_sampler *vkr_dispatch_sampler(const struct vkr_dispatch_targets *targets,
					       uint32_t variable, uint32_t element)
{
	uint32_t place = 0;
	if (variable >= targets->program->shader->sites->variable_count)
		return NULL;
	const struct vkr_bound_set *set = set_of(targets, variable_at(targets, variable), &place);
	if (set == NULL || element >= set->set->bindings[place].count)
		return NULL;
	return vkr_objects_sampler(targets->objects, vkr_set_sampler(set->set, place, element));
}
