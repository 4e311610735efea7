// SPDX-License-Identifier: Apache-2.0
// What the host does to memory: accesses, flushes, invalidates, freeing. Knows these events only.
#include "model_state.h"

#include "array.h"
#include "error.h"
#include "event_payload.h"

#include "vkrace/host_place.h"

// The open run of the thread's accesses.
static enum vkr_result host_command(struct vkr_model *model, uint32_t thread, uint32_t *command,
				    struct vkr_error *error)
{
	uint64_t tag = 0;
	if (model->host.command != 0 && model->host.thread == thread) {
		*command = model->host.command;
		vkr_past_host_accesses(model);
		return VKR_OK;
	}
	vkr_model_host_point(model);
	if (!vkr_access_names_executed(
		    &model->names,
		    &(struct vkr_executed){.thread = vkr_objects_thread(&model->objects, thread)},
		    &tag))
		return vkr_error_memory(error, "host accesses");
	enum vkr_result result = vkr_past_host_run(model, error);
	if (result == VKR_OK)
		result = vkr_engine_command(model->engine, model->host.timeline, tag, command,
					    error);
	if (result != VKR_OK)
		return result;
	vkr_past_host_accesses(model);
	model->host.command = *command;
	model->host.thread = thread;
	return VKR_OK;
}

// The engine's site of a host operation at one place of the program.
static enum vkr_result host_site(struct vkr_model *model, const struct vkr_host_action *action,
				 uint32_t *site, struct vkr_error *error)
{
	const char *key =
		vkr_texts_format(&model->texts, "host %s %u %p %p %p", action->operation,
				 action->flags, (const void *)action->stack,
				 (const void *)action->image, (const void *)action->buffer);
	uint64_t found = 0;
	if (key == NULL)
		return vkr_error_memory(error, "host accesses");
	if (vkr_map_get(&model->names.host_sites, (uintptr_t)key, &found)) {
		*site = (uint32_t)found;
		return VKR_OK;
	}
	struct vkr_engine_site made = {.flags = action->flags | VKR_ENGINE_NONPRIVATE};
	if (!vkr_access_names_site(
		    &model->names,
		    &(struct vkr_access_site){.kind = VKR_SITE_OF_HOST,
					      .operation = action->operation,
					      .image = action->image,
					      .buffer = action->buffer,
					      .stack = action->stack,
					      .read = action->flags & VKR_ENGINE_READ,
					      .write = action->flags & VKR_ENGINE_WRITE},
		    &made.tag))
		return vkr_error_memory(error, "host accesses");
	const enum vkr_result result = vkr_engine_site_add(model->engine, &made, site, error);
	if (result == VKR_OK && !vkr_map_set(&model->names.host_sites, (uintptr_t)key, *site))
		return vkr_error_memory(error, "host accesses");
	return result;
}

enum vkr_result vkr_model_host_accesses(struct vkr_model *model,
					const struct vkr_host_action *action, uint32_t memory,
					uint64_t offset, uint64_t bytes, struct vkr_error *error)
{
	const uint64_t before = vkr_engine_races(model->engine);
	uint32_t command = 0, site = 0;
	uint64_t known = 0;
	enum vkr_result result = host_command(model, action->thread, &command, error);
	if (result == VKR_OK)
		result = host_site(model, action, &site, error);
	if (result == VKR_OK)
		result = vkr_engine_access_range(model->engine, command, site, memory, offset,
						 bytes, error);
	if (result == VKR_OK && action->place && model->options.host_raced &&
	    !model->past.replaying && vkr_engine_races(model->engine) != before &&
	    vkr_map_get(&model->races.host_sites, site, &known))
		model->options.host_raced(model->options.user, action->place);
	return result;
}

static enum vkr_result feed_host_access(struct vkr_model *model, uint32_t thread,
					const struct vkr_trace_host_access *access,
					struct vkr_error *error)
{
	const uint64_t *frames = (const uint64_t *)(access + 1);
	struct vkr_host_action action = {.thread = thread,
					 .operation = "host read",
					 .flags = VKR_ENGINE_READ,
					 .place = vkr_host_place(access->memory, access->operation,
								 frames, access->frame_count)};
	if (vkr_thread_order_ignores(model, thread))
		return VKR_OK;
	action.stack = vkr_call_stack_keep(&model->texts, frames, access->frame_count);
	if (action.stack == NULL)
		return vkr_error_memory(error, "a call stack");
	if (access->operation == VKR_HOST_WRITE) {
		action.operation = "host write";
		action.flags = VKR_ENGINE_WRITE;
	} else if (access->operation == VKR_HOST_ATOMIC) {
		action.operation = "host atomic";
		action.flags = VKR_ENGINE_READ | VKR_ENGINE_WRITE;
	}
	return vkr_model_host_accesses(model, &action, access->memory, access->offset,
				       access->bytes, error);
}

enum vkr_result vkr_model_host_writes(struct vkr_model *model, uint32_t thread,
				      const char *operation, uint32_t memory, uint64_t offset,
				      uint64_t bytes, struct vkr_error *error)
{
	const struct vkr_host_action action = {
		.thread = thread,
		.operation = operation,
		.stack = vkr_call_stacks_take(&model->stacks, &model->texts, thread),
		.flags = VKR_ENGINE_WRITE};
	if (action.stack == NULL)
		return vkr_error_memory(error, "a call stack");
	return vkr_model_host_accesses(model, &action, memory, offset, bytes, error);
}

static enum vkr_result free_memory(struct vkr_model *model, uint32_t thread, uint32_t id,
				   struct vkr_error *error)
{
	struct vkr_memory *memory = vkr_objects_memory(&model->objects, id);
	const struct vkr_host_action action = {
		.thread = thread,
		.operation = "vkFreeMemory",
		.stack = vkr_call_stacks_take(&model->stacks, &model->texts, thread),
		.flags = VKR_ENGINE_WRITE};
	uint32_t command = 0, site = 0;
	if (action.stack == NULL)
		return vkr_error_memory(error, "a call stack");
	if (memory == NULL || memory->freed)
		return vkr_error_set(error, VKR_ERROR_FORMAT, "MEMORY_FREE: there is no memory %u",
				     id);
	memory->freed = true;
	enum vkr_result result = host_command(model, thread, &command, error);
	if (result == VKR_OK)
		result = host_site(model, &action, &site, error);
	if (result == VKR_OK)
		result = vkr_engine_memory_free(model->engine, id, command, site, error);
	return result;
}

// A flush or an invalidate covers whole atoms: each of which a byte is in the range
// ("vkFlushMappedMemoryRanges"). Memory that was never made is left as it is.
static void extend_to_atoms(const struct vkr_model *model, uint32_t id, uint64_t *offset,
			    uint64_t *bytes)
{
	const struct vkr_memory *memory = vkr_objects_memory(&model->objects, id);
	const struct vkr_device *device =
		memory != NULL ? vkr_objects_device(&model->objects, memory->device) : NULL;
	const uint64_t atom = device != NULL ? device->non_coherent_atom : 1;
	if (memory == NULL || *offset >= memory->bytes || *bytes == 0)
		return;
	uint64_t end = *bytes < memory->bytes - *offset ? *offset + *bytes : memory->bytes;
	const uint64_t over = end % atom;
	*offset -= *offset % atom;
	if (over != 0)
		end = atom - over < memory->bytes - end ? end + (atom - over) : memory->bytes;
	*bytes = end - *offset;
}

enum vkr_result vkr_model_host_event(struct vkr_model *model, const struct vkr_trace_event *event,
				     struct vkr_error *error)
{
	const void *payload = vkr_event_payload(event);
	struct vkr_trace_flush flush;
	struct vkr_trace_invalidate invalidate;
	const uint32_t type = event->type;
	switch (type) {
	case VKR_TRACE_HOST_ACCESS:
		return feed_host_access(model, event->thread, payload, error);
	case VKR_TRACE_FLUSH:
		vkr_model_host_point(model);
		flush = *(const struct vkr_trace_flush *)payload;
		extend_to_atoms(model, flush.memory, &flush.offset, &flush.bytes);
		return vkr_engine_flush(model->engine, model->host.timeline, flush.memory,
					flush.offset, flush.bytes, error);
	case VKR_TRACE_INVALIDATE:
		vkr_model_host_point(model);
		invalidate = *(const struct vkr_trace_invalidate *)payload;
		extend_to_atoms(model, invalidate.memory, &invalidate.offset, &invalidate.bytes);
		return vkr_engine_invalidate(model->engine, model->host.timeline, invalidate.memory,
					     invalidate.offset, invalidate.bytes, error);
	default:
		return free_memory(model, event->thread,
				   ((const struct vkr_trace_memory_free *)payload)->memory, error);
	}
}
