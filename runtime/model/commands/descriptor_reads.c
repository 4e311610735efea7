// SPDX-License-Identifier: Apache-2.0
// Reads of the descriptors themselves, where these lie in buffers or heaps: by the stage of the
// shader that uses them (VK_EXT_descriptor_buffer, VK_EXT_descriptor_heap). Knows which a shader
// has used; not what it reached.
#include "command_walk.h"
#include "error.h"
#include "scopes.h"
#include "shader_logs.h"
#include "site_table.h"

static uint64_t access_of(const struct vkr_descriptor_set *set)
{
	if (set->heap.set == 0)
		return VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT;
	return set->heap.kind == VKR_HEAP_SAMPLERS ? VKR_ACCESS_SAMPLER_HEAP_READ
						   : VKR_ACCESS_RESOURCE_HEAP_READ;
}

static enum vkr_result read_one(struct vkr_walk *walk, const struct vkr_program *program,
				const struct vkr_descriptor_set *set, uint64_t address,
				uint32_t bytes)
{
	const struct vkr_address *range = vkr_objects_address(&walk->model->objects, address);
	const uint64_t access = access_of(set);
	if (range == NULL)
		return VKR_OK; // a destroyed buffer; its use is reported elsewhere
	const char *key =
		vkr_texts_format(&walk->model->texts, "descriptors %u %u %llx", range->buffer->id,
				 program->shader->stage, (unsigned long long)access);
	if (key == NULL)
		return vkr_error_memory(walk->error, "descriptors");
	return vkr_walk_access(walk, &(struct vkr_walk_access){.command = walk->command,
							       .info = walk->info,
							       .site = VKR_COMMAND_DESCRIPTORS,
							       .buffer = range->buffer,
							       .key = key,
							       .operation = "descriptor read",
							       .stage = vkr_shader_pipeline_stage(
								       program->shader->stage),
							       .access = access,
							       .offset = address - range->first,
							       .bytes = bytes});
}

// Where an element's descriptor lies, of how many bytes; 0 where it was never written.
static uint64_t place_of(const struct vkr_descriptor_set *set, uint32_t binding, uint32_t element,
			 uint32_t *bytes)
{
	const struct vkr_layout_binding *row = &set->layout->bindings[binding];
	const struct vkr_descriptor *descriptor = vkr_set_descriptor(set, binding, element);
	*bytes = row->row_bytes;
	if (set->heap.set != 0)
		*bytes = descriptor != NULL ? vkr_heap_descriptor_bytes(set, descriptor->type) : 0;
	return set->address + row->row_offset + (uint64_t)element * row->row_bytes;
}

// What is used of a block, that of elements from `first` on.
static enum vkr_result read_block(struct vkr_walk *walk, const struct vkr_program *program,
				  const struct vkr_bound_block *block,
				  const struct vkr_descriptor_set *set, uint32_t binding,
				  uint32_t first)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < VKR_BOUND_BLOCK && result == VKR_OK; at++) {
		uint32_t bytes;
		if (!(block->used >> at & 1))
			continue;
		const uint64_t address = place_of(set, binding, first + at, &bytes);
		if (bytes > 0)
			result = read_one(walk, program, set, address, bytes);
	}
	return result;
}

static enum vkr_result read_variable(struct vkr_walk *walk, const struct vkr_program *program,
				     const struct vkr_bound_variable *bound,
				     const struct vkr_descriptor_set *set, uint32_t binding)
{
	const uint32_t blocks = bound->blocks != NULL ? bound->count / VKR_BOUND_BLOCK + 1 : 0;
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < blocks && result == VKR_OK; at++)
		if (bound->blocks[at] != NULL)
			result = read_block(walk, program, bound->blocks[at], set, binding,
					    at * VKR_BOUND_BLOCK);
	for (size_t at = 0; at < bound->by_number.capacity && result == VKR_OK; at++) {
		const struct vkr_map_slot *slot = &bound->by_number.slots[at];
		if (slot->used)
			result = read_block(walk, program,
					    (const struct vkr_bound_block *)(uintptr_t)slot->value,
					    set, binding, (uint32_t)slot->key * VKR_BOUND_BLOCK);
	}
	return result;
}

enum vkr_result vkr_walk_descriptor_reads(struct vkr_walk *walk,
					  const struct vkr_dispatch_targets *targets)
{
	const struct vkr_site_table *sites = targets->program->shader->sites;
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < sites->variable_count && result == VKR_OK; at++) {
		const struct vkr_variable *variable = &vkr_site_table_variables(sites)[at];
		const struct vkr_bound_variable *bound = &targets->variables[at];
		uint32_t binding = 0;
		if ((bound->blocks == NULL && bound->by_number.count == 0) ||
		    variable->kind == VKR_VARIABLE_WORKGROUP ||
		    variable->flags & VKR_VARIABLE_HEAP_DATA)
			continue;
		const struct vkr_descriptor_set *set =
			vkr_dispatch_set(targets, variable, &binding);
		if (set != NULL && set->address != 0 &&
		    set->layout->bindings[binding].row_bytes != 0)
			result = read_variable(walk, targets->program, bound, set, binding);
	}
	return result;
}
