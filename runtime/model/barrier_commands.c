// SPDX-License-Identifier: Apache-2.0
// Pipeline barriers as dependencies. Knows vkCmdPipelineBarrier and vkCmdPipelineBarrier2 only.
#include "command_walk.h"

#include "error.h"
#include "event_payload.h"
#include "scopes.h"

#include <stdlib.h>

#include <vulkan/vulkan_core.h>

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

static enum vkr_result note_transfers(struct vkr_walk *walk,
				      const struct vkr_trace_cmd_barrier *command)
{
	const struct vkr_trace_barrier *barriers = (const void *)(command + 1);
	for (uint32_t at = 0; at < command->barrier_count; at++) {
		const struct vkr_trace_barrier *barrier = &barriers[at];
		if (barrier->kind != VKR_BARRIER_BUFFER ||
		    barrier->source_family == barrier->destination_family)
			continue;
		return vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_SYNC, 0,
					"queue family ownership transfers are taken for plain "
					"barriers: a missing half is not found");
	}
	return VKR_OK;
}

// All barriers of one vkCmdPipelineBarrier share its stages and are one dependency; those of one
// vkCmdPipelineBarrier2 are dependencies of their own.
static uint32_t gather(const struct vkr_walk *walk, const struct vkr_trace_cmd_barrier *command,
		       struct vkr_engine_dependency *dependencies,
		       struct vkr_engine_barrier_access *accesses)
{
	const struct vkr_trace_barrier *barriers = (const void *)(command + 1);
	const bool together = !(command->flags & VKR_BARRIER_SYNC2);
	uint32_t count = 0, access_count = 0;
	for (uint32_t at = 0; at < command->barrier_count; at++) {
		struct vkr_engine_dependency made = {0};
		const bool memory = translate(walk, &barriers[at], &made, &accesses[access_count]);
		if (!together || count == 0) {
			made.accesses = &accesses[access_count];
			dependencies[count++] = made;
		}
		struct vkr_engine_dependency *into = &dependencies[count - 1];
		into->source_stages |= made.source_stages;
		into->destination_stages |= made.destination_stages;
		into->access_count += memory ? 1 : 0;
		access_count += memory ? 1 : 0;
	}
	return count;
}

enum vkr_result vkr_walk_barrier(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_barrier *command = vkr_event_payload(event);
	struct vkr_model *model = walk->model;
	const struct vkr_command_info like = {.name = command->flags & VKR_BARRIER_SYNC2
							      ? "vkCmdPipelineBarrier2"
							      : "vkCmdPipelineBarrier"};
	struct vkr_command_info *info =
		vkr_walk_info(walk, command->command, VKR_TRACE_CMD_BARRIER, &like);
	struct vkr_engine_dependency *dependencies =
		calloc(command->barrier_count + (size_t)1, sizeof *dependencies);
	struct vkr_engine_barrier_access *accesses =
		calloc(command->barrier_count + (size_t)1, sizeof *accesses);
	uint64_t tag = 0;
	enum vkr_result result = VKR_OK;
	if (info == NULL || dependencies == NULL || accesses == NULL ||
	    !vkr_access_names_executed(&model->names,
				       &(struct vkr_executed){.info = info,
							      .queue = walk->queue->id,
							      .submission = walk->submission},
				       &tag)) {
		result = vkr_error_memory(walk->error, "a barrier");
		goto done;
	}
	result = note_transfers(walk, command);
	if (result != VKR_OK)
		goto done;
	const uint32_t count = gather(walk, command, dependencies, accesses);
	if (count > 0)
		result = vkr_engine_dependencies(model->engine, walk->queue->timeline, tag,
						 dependencies, count, walk->error);
done:
	free(dependencies);
	free(accesses);
	return result;
}
