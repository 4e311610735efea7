// SPDX-License-Identifier: Apache-2.0
// What the variables of one dispatch are bound to. Knows sets and buffers; not who accesses them.
#include "dispatch_targets.h"

#include "site_table.h"
#include "structures.h"

#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

static const struct vkr_variable *variable_at(const struct vkr_dispatch_targets *targets,
					      uint32_t variable)
{
	return &vkr_site_table_variables(targets->program->shader->sites)[variable];
}

// Bytes of the heap that a uniform block may begin at (VKR_VARIABLE_HEAP_DATA).
#define DATA_STEP 4u

static bool is_sampler(const struct vkr_variable *variable)
{
	return variable->kind == VKR_VARIABLE_SAMPLER;
}

static const struct vkr_descriptor_set *heap_of(const struct vkr_dispatch_targets *targets,
						const struct vkr_variable *variable)
{
	return targets->heaps[is_sampler(variable) ? VKR_HEAP_SAMPLERS : VKR_HEAP_RESOURCES];
}

const struct vkr_descriptor_set *vkr_dispatch_set(const struct vkr_dispatch_targets *targets,
						  const struct vkr_variable *variable,
						  uint32_t *binding)
{
	*binding = 0;
	if (variable->flags & VKR_VARIABLE_HEAP)
		return heap_of(targets, variable);
	if (variable->set >= targets->set_count || targets->sets[variable->set].set == NULL)
		return NULL;
	const struct vkr_descriptor_set *set = targets->sets[variable->set].set;
	*binding = vkr_set_layout_find(set->layout, variable->binding);
	return *binding != UINT32_MAX ? set : NULL;
}

static uint32_t element_count(const struct vkr_dispatch_targets *targets, uint32_t index)
{
	const struct vkr_variable *variable = variable_at(targets, index);
	uint32_t binding = 0;
	const struct vkr_descriptor_set *set = NULL;
	switch ((enum vkr_variable_kind)variable->kind) {
	case VKR_VARIABLE_WORKGROUP:
		return 1;
	case VKR_VARIABLE_BUFFER:
	case VKR_VARIABLE_STORAGE_IMAGE:
	case VKR_VARIABLE_SAMPLED_IMAGE:
	case VKR_VARIABLE_TEXEL_BUFFER:
	case VKR_VARIABLE_INPUT_ATTACHMENT:
	case VKR_VARIABLE_SAMPLER:
	case VKR_VARIABLE_ACCELERATION_STRUCTURE:
		if (variable->flags & VKR_VARIABLE_HEAP_DATA)
			return UINT32_MAX / DATA_STEP;
		set = vkr_dispatch_set(targets, variable, &binding);
		if (set != NULL && variable->flags & VKR_VARIABLE_HEAP)
			return set->bindings[binding].count;
		return set != NULL ? set->bindings[binding].written : 0;
	case VKR_VARIABLE_POINTER:
		break;
	}
	return 0;
}

bool vkr_dispatch_targets_init(struct vkr_dispatch_targets *targets,
			       const struct vkr_objects *objects, struct vkr_access_names *names,
			       const struct vkr_program *program, const struct vkr_bound_set *sets,
			       uint32_t set_count, const struct vkr_descriptor_set *const *heaps)
{
	*targets = (struct vkr_dispatch_targets){.objects = objects,
						 .names = names,
						 .program = program,
						 .sets = sets,
						 .set_count = set_count,
						 .heaps = heaps,
						 .local_size = program->local_size};
	const uint32_t count = program->shader->sites->variable_count;
	targets->variables = calloc(count + (size_t)1, sizeof *targets->variables);
	if (targets->variables == NULL)
		return false;
	for (uint32_t at = 0; at < count; at++) {
		targets->variables[at].count = element_count(targets, at);
		vkr_map_init(&targets->variables[at].by_number);
	}
	return true;
}

static uint32_t block_count(const struct vkr_bound_variable *variable)
{
	return variable->count / VKR_BOUND_BLOCK + 1;
}

static bool is_in_heap(const struct vkr_variable *variable)
{
	return variable->flags & (VKR_VARIABLE_HEAP | VKR_VARIABLE_HEAP_DATA);
}

// Samplers alone lead to no memory.
bool vkr_dispatch_lacks_set(const struct vkr_dispatch_targets *targets, uint32_t *set)
{
	const struct vkr_site_table *table = targets->program->shader->sites;
	for (uint32_t at = 0; at < table->site_count; at++) {
		const struct vkr_site *site = &vkr_site_table_sites(table)[at];
		if (site->variable >= table->variable_count)
			continue;
		const struct vkr_variable *variable = variable_at(targets, site->variable);
		*set = variable->set;
		if (variable->kind != VKR_VARIABLE_WORKGROUP &&
		    variable->kind != VKR_VARIABLE_POINTER && !is_sampler(variable) &&
		    !is_in_heap(variable) &&
		    (*set >= targets->set_count || targets->sets[*set].set == NULL))
			return true;
	}
	return false;
}

bool vkr_dispatch_targets_whole(const struct vkr_dispatch_targets *targets)
{
	for (uint32_t at = 0; at < targets->program->shader->sites->variable_count; at++)
		if (targets->variables[at].out_of_memory)
			return false;
	return true;
}

void vkr_dispatch_targets_finish(struct vkr_dispatch_targets *targets)
{
	if (targets->variables == NULL)
		return;
	for (uint32_t at = 0; at < targets->program->shader->sites->variable_count; at++) {
		struct vkr_bound_variable *variable = &targets->variables[at];
		for (uint32_t i = 0; variable->blocks != NULL && i < block_count(variable); i++)
			free(variable->blocks[i]);
		for (size_t i = 0; i < variable->by_number.capacity; i++)
			if (variable->by_number.slots[i].used)
				free((void *)(uintptr_t)variable->by_number.slots[i].value);
		free(variable->blocks);
		vkr_map_finish(&variable->by_number);
	}
	free(targets->samplers);
	free(targets->variables);
	targets->samplers = NULL;
	targets->variables = NULL;
}

bool vkr_dispatch_targets_seal(struct vkr_dispatch_targets *targets, bool *missed)
{
	const uint32_t count = targets->program->shader->sites->variable_count;
	const struct vkr_sampler **samplers = calloc(count + (size_t)1, sizeof *samplers);
	if (samplers == NULL)
		return false;
	for (uint32_t at = 0; at < count; at++)
		samplers[at] = vkr_dispatch_sampler(targets, at, 0);
	targets->samplers = samplers;
	targets->sets = NULL;
	targets->heaps = NULL;
	targets->set_count = 0;
	targets->missed = missed;
	return true;
}

// The element of its set or heap that the log names this way; UINT32_MAX: none.
static uint32_t set_element(const struct vkr_dispatch_targets *targets,
			    const struct vkr_variable *variable, uint32_t element)
{
	const struct vkr_descriptor_set *heap = NULL;
	if (variable->flags & VKR_VARIABLE_HEAP)
		heap = heap_of(targets, variable);
	else if (!(variable->flags & VKR_VARIABLE_HEAP_DATA))
		return element;
	if (heap != NULL)
		return vkr_heap_element(heap, element);
	return element % DATA_STEP == 0 ? element / DATA_STEP : UINT32_MAX;
}

// The bytes of a block whose runtime array has this many elements.
static size_t block_bytes(const struct vkr_variable *variable, uint32_t elements)
{
	const size_t each = variable->kind > VKR_VARIABLE_POINTER
				    ? sizeof(struct vkr_bound_texels)
				    : sizeof(struct vkr_engine_target);
	return offsetof(struct vkr_bound_block, texels) +
	       each * (elements < VKR_BOUND_BLOCK ? elements : VKR_BOUND_BLOCK);
}

static struct vkr_bound_block *heap_block(struct vkr_bound_variable *bound,
					  const struct vkr_variable *variable, uint32_t number)
{
	uint64_t found = 0;
	if (vkr_map_get(&bound->by_number, number, &found))
		return (struct vkr_bound_block *)(uintptr_t)found;
	struct vkr_bound_block *made = calloc(1, block_bytes(variable, VKR_BOUND_BLOCK));
	if (made != NULL && vkr_map_set(&bound->by_number, number, (uintptr_t)made))
		return made;
	free(made);
	bound->out_of_memory = true;
	return NULL;
}

// The block of an element that was looked up, in a copy.
static struct vkr_bound_block *known_block(const struct vkr_dispatch_targets *targets,
					   const struct vkr_bound_variable *bound, bool by_number,
					   uint32_t number, uint32_t slot)
{
	struct vkr_bound_block *block = NULL;
	uint64_t found = 0;
	if (by_number && vkr_map_get(&bound->by_number, number, &found))
		block = (struct vkr_bound_block *)(uintptr_t)found;
	else if (!by_number && bound->blocks != NULL)
		block = bound->blocks[number];
	if (block != NULL && block->used >> slot & 1)
		return block;
	*targets->missed = true;
	return NULL;
}

// The block of an element, *slot its place in it, made on first use. NULL: there is no such
// element, or there was no memory.
static struct vkr_bound_block *block_of(const struct vkr_dispatch_targets *targets,
					uint32_t variable, uint32_t element, uint32_t *slot)
{
	if (variable >= targets->program->shader->sites->variable_count)
		return NULL;
	struct vkr_bound_variable *bound = &targets->variables[variable];
	const struct vkr_variable *of = variable_at(targets, variable);
	const uint32_t at = set_element(targets, of, element), number = at / VKR_BOUND_BLOCK;
	if (at >= bound->count)
		return NULL;
	*slot = at % VKR_BOUND_BLOCK;
	if (targets->missed != NULL)
		return known_block(targets, bound, is_in_heap(of), number, *slot);
	if (is_in_heap(of))
		return heap_block(bound, of, number);
	if (bound->blocks == NULL)
		bound->blocks = calloc(block_count(bound), sizeof *bound->blocks);
	struct vkr_bound_block **block = bound->blocks != NULL ? &bound->blocks[number] : NULL;
	if (block != NULL && *block == NULL)
		*block = calloc(1, block_bytes(of, bound->count - number * VKR_BOUND_BLOCK));
	bound->out_of_memory |= block == NULL || *block == NULL;
	return block != NULL ? *block : NULL;
}

// Whether the element is used for the first time.
static bool dispatch_targets_use(struct vkr_bound_block *block, uint32_t slot)
{
	const bool is_new = !(block->used >> slot & 1);
	if (is_new)
		block->used |= 1u << slot;
	return is_new;
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

static struct vkr_reference reference_of(const struct vkr_dispatch_targets *targets,
					 const struct vkr_variable *variable, uint32_t element)
{
	if (is_in_heap(variable))
		return (struct vkr_reference){.heap = true, .element = element};
	return (struct vkr_reference){.set = naming_set(targets, variable->set),
				      .binding = variable->binding,
				      .element = element};
}

// The descriptor of a variable's element, as the log names that; NULL for none.
static const struct vkr_descriptor *descriptor_of(const struct vkr_dispatch_targets *targets,
						  const struct vkr_variable *variable,
						  uint32_t element)
{
	uint32_t binding = 0;
	const struct vkr_descriptor_set *set = vkr_dispatch_set(targets, variable, &binding);
	const uint32_t at = set_element(targets, variable, element);
	return set != NULL ? vkr_set_descriptor(set, binding, at) : NULL;
}

// The heap's own memory from a byte on.
static void find_data(const struct vkr_dispatch_targets *targets,
		      const struct vkr_variable *variable, uint32_t byte,
		      struct vkr_engine_target *target)
{
	const struct vkr_descriptor_set *heap = targets->heaps[VKR_HEAP_RESOURCES];
	const uint64_t address = heap != NULL ? heap->address + byte : 0;
	const struct vkr_address *range =
		heap != NULL ? vkr_objects_address(targets->objects, address) : NULL;
	if (range == NULL || range->buffer->memory == NULL)
		return;
	struct vkr_reference reference = reference_of(targets, variable, byte);
	reference.buffer = range->buffer;
	*target = (struct vkr_engine_target){
		.memory = range->buffer->memory->id,
		.reference = vkr_access_names_reference(targets->names, &reference),
		.base = range->buffer->offset + (address - range->first),
		.bytes = range->end - address};
}

static uint64_t dynamic_offset(const struct vkr_dispatch_targets *targets,
			       const struct vkr_variable *variable, uint32_t element)
{
	const struct vkr_bound_set *bound = &targets->sets[variable->set];
	const uint32_t place = vkr_set_layout_find(bound->set->layout, variable->binding);
	const uint64_t dynamic =
		(uint64_t)bound->set->layout->bindings[place].first_dynamic + element;
	return dynamic < bound->dynamic_count ? bound->dynamic_offsets[dynamic] : 0;
}

// Memory of a heap may hold bytes that were never written as a descriptor.
static bool is_unknown(const struct vkr_variable *variable, const struct vkr_descriptor *descriptor)
{
	return variable->flags & VKR_VARIABLE_HEAP &&
	       (descriptor == NULL || descriptor->type == UINT32_MAX);
}

static void find_descriptor(struct vkr_dispatch_targets *targets,
			    const struct vkr_variable *variable, uint32_t element,
			    struct vkr_engine_target *target)
{
	const struct vkr_descriptor *descriptor = descriptor_of(targets, variable, element);
	targets->unknown_descriptors += is_unknown(variable, descriptor);
	if (descriptor == NULL)
		return;
	const struct vkr_buffer *buffer = NULL;
	uint64_t offset = descriptor->offset, bytes = descriptor->bytes;
	if (is_buffer(descriptor->type))
		buffer = vkr_objects_buffer(targets->objects, descriptor->object);
	if (buffer == NULL || buffer->memory == NULL)
		return;
	if (is_dynamic(descriptor->type))
		offset += dynamic_offset(targets, variable, element);
	if (offset > buffer->bytes)
		return;
	if (bytes > buffer->bytes - offset)
		bytes = buffer->bytes - offset;
	struct vkr_reference reference = reference_of(targets, variable, element);
	reference.buffer = buffer;
	*target = (struct vkr_engine_target){
		.memory = buffer->memory->id,
		.reference = vkr_access_names_reference(targets->names, &reference),
		.base = buffer->offset + offset,
		.bytes = bytes,
	};
}

const struct vkr_engine_target *vkr_dispatch_target(struct vkr_dispatch_targets *targets,
						    uint32_t variable, uint32_t element)
{
	uint32_t slot = 0;
	struct vkr_bound_block *block = block_of(targets, variable, element, &slot);
	const struct vkr_variable *of = block != NULL ? variable_at(targets, variable) : NULL;
	if (of == NULL || of->kind > VKR_VARIABLE_POINTER ||
	    (targets->mixes_patches && of->flags & VKR_VARIABLE_OUTPUT))
		return NULL;
	struct vkr_engine_target *target = &block->targets[slot];
	if (dispatch_targets_use(block, slot)) {
		if (of->flags & VKR_VARIABLE_HEAP_DATA)
			find_data(targets, of, element, target);
		else if (of->kind == VKR_VARIABLE_WORKGROUP)
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
	if (targets->missed != NULL) {
		*targets->missed = true;
		return NULL;
	}
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
	uint32_t slot = 0;
	struct vkr_bound_block *block = block_of(targets, variable, element, &slot);
	if (block == NULL)
		return NULL;
	const struct vkr_variable *of = variable_at(targets, variable);
	const struct vkr_descriptor *descriptor = descriptor_of(targets, of, element);
	dispatch_targets_use(block, slot);
	if (descriptor == NULL || descriptor->type != VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR)
		return NULL;
	*reference = reference_of(targets, of, element);
	// Heaps name structures by their addresses.
	return descriptor->object == 0 && descriptor->offset != 0
		       ? vkr_objects_structure_at(targets->objects, descriptor->offset)
		       : vkr_objects_structure(targets->objects, descriptor->object);
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
	const struct vkr_descriptor *descriptor = descriptor_of(targets, variable, element);
	bound->kind = is_unknown(variable, descriptor) ? VKR_BOUND_UNKNOWN : VKR_BOUND_NOTHING;
	if (descriptor == NULL)
		return;
	const struct vkr_reference reference = reference_of(targets, variable, element);
	const struct vkr_descriptor_set *set = vkr_dispatch_set(targets, variable, &place);
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
		bound->sampler = vkr_objects_sampler(
			targets->objects,
			vkr_set_sampler(set, place, set_element(targets, variable, element)));
		break;
	default:
		break;
	}
}

struct vkr_bound_texels *vkr_dispatch_texels(struct vkr_dispatch_targets *targets,
					     uint32_t variable, uint32_t element)
{
	uint32_t slot = 0;
	struct vkr_bound_block *block = block_of(targets, variable, element, &slot);
	if (block == NULL || variable_at(targets, variable)->kind <= VKR_VARIABLE_POINTER)
		return NULL;
	if (dispatch_targets_use(block, slot))
		find_texels(targets, variable_at(targets, variable), element, &block->texels[slot]);
	return &block->texels[slot];
}

uint32_t vkr_dispatch_ranges(struct vkr_dispatch_targets *targets, uint32_t variable,
			     uint32_t element, struct vkr_engine_target ranges[VKR_IMAGE_PLANES])
{
	const struct vkr_variable *of = variable_at(targets, variable);
	struct vkr_bound_texels bound = {0};
	if (of->kind > VKR_VARIABLE_POINTER)
		find_texels(targets, of, element, &bound);
	else
		find_descriptor(targets, of, element, &bound.planes[0]);
	memcpy(ranges, bound.planes, sizeof bound.planes);
	return of->kind > VKR_VARIABLE_POINTER ? bound.plane_count : bound.planes[0].memory != 0;
}

bool vkr_dispatch_is_in_set(const struct vkr_dispatch_targets *targets, uint32_t variable)
{
	uint32_t binding = 0;
	const struct vkr_descriptor_set *set =
		vkr_dispatch_set(targets, variable_at(targets, variable), &binding);
	return set == NULL || set->layout->bindings[binding].row_bytes == 0;
}

// Whether the range has bytes of the target; true where either is mapped onto other memory.
static bool may_overlap(struct vkr_engine *engine, const struct vkr_engine_target *target,
			const struct vkr_engine_range *range)
{
	struct vkr_engine_range at = *range, of = {target->memory, target->base, target->bytes};
	if (target->memory == VKR_ENGINE_WORKGROUP)
		return false;
	vkr_engine_mapped(engine, &at);
	vkr_engine_mapped(engine, &of);
	if (at.memory != range->memory || of.memory != target->memory)
		return true;
	return of.memory == range->memory && of.offset < range->offset + range->bytes &&
	       (range->offset <= of.offset || range->offset - of.offset < target->bytes);
}

bool vkr_dispatch_may_write(struct vkr_dispatch_targets *targets, struct vkr_engine *engine,
			    const struct vkr_engine_range *range)
{
	const struct vkr_site_table *sites = targets->program->shader->sites;
	for (uint32_t site = 0; site < sites->site_count; site++) {
		const struct vkr_program_access *access = targets->program->by_site[site];
		struct vkr_engine_target ranges[VKR_IMAGE_PLANES];
		if (access == NULL || vkr_site_table_sites(sites)[site].operation == VKR_SITE_LOAD)
			continue;
		if (!vkr_access_is_direct(access) ||
		    is_in_heap(variable_at(targets, access->variable)) ||
		    !vkr_dispatch_is_in_set(targets, access->variable))
			return true;
		const uint32_t count = vkr_dispatch_ranges(targets, access->variable, 0, ranges);
		for (uint32_t at = 0; at < count; at++)
			if (may_overlap(engine, &ranges[at], range))
				return true;
	}
	return false;
}

static uint32_t embedded_sampler(const struct vkr_shader *shader,
				 const struct vkr_variable *variable)
{
	for (uint32_t at = 0; at < shader->sampler_count; at++)
		if (shader->samplers[at].set == variable->set &&
		    shader->samplers[at].binding == variable->binding)
			return shader->samplers[at].sampler;
	return 0;
}

const struct vkr_sampler *vkr_dispatch_sampler(const struct vkr_dispatch_targets *targets,
					       uint32_t variable, uint32_t element)
{
	uint32_t place = 0, slot = 0;
	if (variable >= targets->program->shader->sites->variable_count)
		return NULL;
	if (targets->samplers != NULL && element == 0)
		return targets->samplers[variable];
	const struct vkr_variable *of = variable_at(targets, variable);
	if (of->flags & VKR_VARIABLE_EMBEDDED)
		return vkr_objects_sampler(targets->objects,
					   embedded_sampler(targets->program->shader, of));
	const struct vkr_descriptor_set *set = vkr_dispatch_set(targets, of, &place);
	const uint32_t at = set_element(targets, of, element);
	if (set == NULL || at >= set->bindings[place].count)
		return NULL;
	struct vkr_bound_block *block = block_of(targets, variable, element, &slot);
	if (block != NULL && is_sampler(of))
		dispatch_targets_use(block, slot);
	return vkr_objects_sampler(targets->objects, vkr_set_sampler(set, place, at));
}
