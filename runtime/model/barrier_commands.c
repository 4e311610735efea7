// SPDX-License-Identifier: Apache-2.0
// Barriers as dependencies of the engine. Knows barriers, and vkCmdPipelineBarrier in both forms.
#include "command_walk.h"

#include "error.h"
#include "event_payload.h"
#include "scopes.h"

#include <stdlib.h>

#include <vulkan/vulkan_core.h>

// The half of a queue family ownership transfer that a barrier on this queue is ("Queue Family
// Ownership Transfer"): a release has no second access scope, an acquire no first one.
static void cut_transfer(const struct vkr_walk *walk, const struct vkr_trace_barrier *barrier,
			 struct vkr_engine_barrier_access *access)
{
	const uint32_t here = walk->queue->family;
	if (barrier->source_family == barrier->destination_family)
		return;
	if (barrier->source_family == here) {
		access->destination_accesses = 0;
		access->to_host = false;
	} else if (barrier->destination_family == here) {
		access->source_accesses = 0;
		access->from_host = false;
	}
}

// The execution scopes of one barrier and, where it is a memory dependency, its access scopes.
// True where it has access scopes.
static bool translate(const struct vkr_walk *walk, const struct vkr_trace_barrier *barrier,
		      struct vkr_engine_dependency *dependency,
		      struct vkr_engine_barrier_access *access)
{
	const struct vkr_sync_scope first =
		vkr_scope_first(barrier->source_stages, barrier->source_access);
	const struct vkr_sync_scope second =
		vkr_scope_second(barrier->destination_stages, barrier->destination_access);
	*dependency = (struct vkr_engine_dependency){.source_stages = first.execution,
						     .destination_stages = second.execution};
	if (barrier->kind != VKR_BARRIER_MEMORY && barrier->kind != VKR_BARRIER_BUFFER)
		return false; // images lie in no buffer
	if ((first.stages == 0 || first.accesses == 0) &&
	    (second.stages == 0 || second.accesses == 0))
		return false;

	// An empty mask of stages has no accesses; to the engine, 0 stages mean the dependency's.
	const uint64_t host_accesses = VK_ACCESS_2_HOST_READ_BIT | VK_ACCESS_2_HOST_WRITE_BIT;
	*access = (struct vkr_engine_barrier_access){
		.source_stages = first.stages,
		.source_accesses = first.stages != 0 ? first.accesses : 0,
		.destination_stages = second.stages,
		.destination_accesses = second.stages != 0 ? second.accesses : 0,
		.from_host = first.stages & VK_PIPELINE_STAGE_2_HOST_BIT &&
			     first.accesses & VK_ACCESS_2_HOST_WRITE_BIT,
		.to_host = second.stages & VK_PIPELINE_STAGE_2_HOST_BIT &&
			   second.accesses & host_accesses};
	if (barrier->kind == VKR_BARRIER_MEMORY)
		return true;
	cut_transfer(walk, barrier, access);
	const struct vkr_buffer *buffer =
		vkr_objects_buffer(&walk->model->objects, barrier->object);
	if (buffer == NULL || buffer->memory == NULL || barrier->offset >= buffer->bytes)
		return false;
	const uint64_t room = buffer->bytes - barrier->offset;
	access->memory = buffer->memory->id;
	access->offset = buffer->offset + barrier->offset;
	access->bytes = barrier->bytes < room ? barrier->bytes : room;
	return true;
}

static enum vkr_result note_transfers(struct vkr_walk *walk, const struct vkr_barrier_list *list)
{
	for (uint32_t at = 0; at < list->count; at++) {
		const struct vkr_trace_barrier *barrier = &list->items[at];
		if (barrier->kind != VKR_BARRIER_BUFFER ||
		    barrier->source_family == barrier->destination_family)
			continue;
		return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_SYNC, 0,
					"queue family ownership is not followed: a release or an "
					"acquire that is missing is not found");
	}
	return VKR_OK;
}

void vkr_gathered_finish(struct vkr_gathered *gathered)
{
	free(gathered->dependencies);
	free(gathered->accesses);
	*gathered = (struct vkr_gathered){0};
}

enum vkr_result vkr_walk_gather_barriers(struct vkr_walk *walk, const struct vkr_barrier_list *list,
					 struct vkr_gathered *gathered)
{
	uint32_t count = 0, access_count = 0;
	gathered->dependencies = calloc(list->count + (size_t)1, sizeof *gathered->dependencies);
	gathered->accesses = calloc(list->count + (size_t)1, sizeof *gathered->accesses);
	if (gathered->dependencies == NULL || gathered->accesses == NULL) {
		vkr_gathered_finish(gathered);
		return vkr_error_memory(walk->error, "a barrier");
	}
	for (uint32_t at = 0; at < list->count; at++) {
		struct vkr_engine_dependency made = {0};
		const bool memory =
			translate(walk, &list->items[at], &made, &gathered->accesses[access_count]);
		if (!list->together || count == 0) {
			made.accesses = &gathered->accesses[access_count];
			gathered->dependencies[count++] = made;
		}
		struct vkr_engine_dependency *into = &gathered->dependencies[count - 1];
		into->source_stages |= made.source_stages;
		into->destination_stages |= made.destination_stages;
		into->access_count += memory ? 1 : 0;
		access_count += memory ? 1 : 0;
	}
	gathered->count = count;
	const enum vkr_result result = note_transfers(walk, list);
	if (result != VKR_OK)
		vkr_gathered_finish(gathered);
	return result;
}

enum vkr_result vkr_walk_barrier(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_barrier *command = vkr_event_payload(event);
	const bool first_form = !(command->flags & VKR_BARRIER_SYNC2);
	const struct vkr_command_info like = {.name = first_form ? "vkCmdPipelineBarrier"
								 : "vkCmdPipelineBarrier2"};
	const struct vkr_barrier_list list = {(const void *)(command + 1), command->barrier_count,
					      first_form};
	struct vkr_gathered gathered = {0};
	uint64_t tag = 0;
	enum vkr_result result =
		vkr_walk_tag(walk, command->command, VKR_TRACE_CMD_BARRIER, &like, &tag);
	if (result == VKR_OK)
		result = vkr_walk_gather_barriers(walk, &list, &gathered);
	if (result == VKR_OK && gathered.count > 0)
		result =
			vkr_engine_dependencies(walk->model->engine, walk->queue->timeline, tag,
						gathered.dependencies, gathered.count, walk->error);
	vkr_gathered_finish(&gathered);
	return result;
}
