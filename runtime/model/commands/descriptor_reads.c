// SPDX-License-Identifier: Apache-2.0
// Reads of the descriptors themselves, where these lie in buffers: by the stage of the shader that
// uses them (VK_EXT_descriptor_buffer). Knows which a shader has used; not what it reached.
#include "command_walk.h"
#include "error.h"
#include "shader_logs.h"
#include "site_table.h"

static enum vkr_result read_one(struct vkr_walk *walk, const struct vkr_program *program,
				uint64_t address, uint32_t bytes)
{
	const struct vkr_address *range = vkr_objects_address(&walk->model->objects, address);
	if (range == NULL)
		return VKR_OK; // a buffer that is gone; what is used of it is told elsewhere
	const char *key = vkr_texts_format(&walk->model->texts, "descriptors %u %u",
					   range->buffer->id, program->shader->stage);
	if (key == NULL)
		return vkr_error_memory(walk->error, "descriptors");
	return vkr_walk_access(walk,
			       &(struct vkr_walk_access){
				       .command = walk->command,
				       .info = walk->info,
				       .site = VKR_COMMAND_DESCRIPTORS,
				       .buffer = range->buffer,
				       .key = key,
				       .operation = "descriptor read",
				       .stage = vkr_shader_pipeline_stage(program->shader->stage),
				       .access = VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT,
				       .offset = address - range->first,
				       .bytes = bytes});
}

enum vkr_result vkr_walk_descriptor_reads(struct vkr_walk *walk,
					  const struct vkr_dispatch_targets *targets)
{
	const struct vkr_site_table *sites = targets->program->shader->sites;
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < sites->variable_count && result == VKR_OK; at++) {
		const struct vkr_variable *variable = &vkr_site_table_variables(sites)[at];
		const struct vkr_bound_variable *bound = &targets->variables[at];
		const struct vkr_set *set = NULL;
		if (variable->kind != VKR_VARIABLE_WORKGROUP && variable->set < targets->set_count)
			set = targets->sets[variable->set].set;
		if (set == NULL || set->address == 0)
			continue;
		const uint32_t index = vkr_set_layout_find(set->layout, variable->binding);
		if (index == UINT32_MAX || set->layout->bindings[index].row_bytes == 0)
			continue;
		const struct vkr_layout_binding *row = &set->layout->bindings[index];
		for (uint32_t i = 0; i < bound->count && result == VKR_OK; i++)
			if (bound->known[i])
				result = read_one(walk, targets->program,
						  set->address + row->row_offset +
							  (uint64_t)i * row->row_bytes,
						  row->row_bytes);
	}
	return result;
}
