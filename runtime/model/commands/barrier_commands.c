// SPDX-License-Identifier: Apache-2.0
// Barriers as dependencies of the engine. Knows barriers, and vkCmdPipelineBarrier in both forms.
#include "barrier_walk.h"

#include "array.h"
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
	if (!vkr_barrier_transfers(barrier))
		return;
	if (barrier->source_family == here) {
		access->destination_accesses = 0;
		access->to_host = false;
	} else if (barrier->destination_family == here) {
		access->source_accesses = 0;
		access->from_host = false;
	}
}

// A barrier's access scope without its place.
static bool access_scope(const struct vkr_walk *walk, const struct vkr_trace_barrier *barrier,
			 const struct vkr_sync_scope *first, const struct vkr_sync_scope *second,
			 struct vkr_engine_barrier_access *access)
{
	if ((first->stages == 0 || first->accesses == 0) &&
	    (second->stages == 0 || second->accesses == 0))
		return false;
	// An empty mask of stages has no accesses; to the engine, 0 stages mean the dependency's.
	const uint64_t host_accesses = VK_ACCESS_2_HOST_READ_BIT | VK_ACCESS_2_HOST_WRITE_BIT;
	*access = (struct vkr_engine_barrier_access){
		.source_stages = first->stages,
		.source_accesses = first->stages != 0 ? first->accesses : 0,
		.destination_stages = second->stages,
		.destination_accesses = second->stages != 0 ? second->accesses : 0,
		.from_host = first->stages & VK_PIPELINE_STAGE_2_HOST_BIT &&
			     first->accesses & VK_ACCESS_2_HOST_WRITE_BIT,
		.to_host = second->stages & VK_PIPELINE_STAGE_2_HOST_BIT &&
			   second->accesses & host_accesses};
	if (barrier->kind != VKR_BARRIER_MEMORY)
		cut_transfer(walk, barrier, access);
	return true;
}

static bool add_access(const struct vkr_walk *walk, struct vkr_gathered *gathered,
		       const struct vkr_engine_barrier_access *access)
{
	uint64_t done = 0;
	do {
		struct vkr_engine_range part = {access->memory, access->offset + done,
						access->bytes - done};
		if (!VKR_ARRAY_RESERVE(&gathered->accesses, 1))
			return false;
		if (access->memory != 0)
			vkr_engine_mapped(walk->model->engine, &part);
		done += part.bytes;
		struct vkr_engine_barrier_access *made =
			&gathered->accesses.items[gathered->accesses.count++];
		*made = *access;
		made->memory = part.memory;
		made->offset = part.offset;
		made->bytes = part.bytes;
	} while (done < access->bytes && access->memory != 0);
	return true;
}

bool vkr_gathered_add_range(const struct vkr_walk *walk, struct vkr_gathered *gathered,
			    const struct vkr_location *location, uint32_t *added)
{
	for (uint64_t done = 0; done < location->bytes;) {
		struct vkr_engine_range part = {location->memory->id, location->offset + done,
						location->bytes - done};
		if (!VKR_ARRAY_RESERVE(&gathered->ranges, 1))
			return false;
		vkr_engine_mapped(walk->model->engine, &part);
		done += part.bytes;
		gathered->ranges.items[gathered->ranges.count++] = part;
		++*added;
	}
	return true;
}

static bool add_buffer(const struct vkr_walk *walk, const struct vkr_trace_barrier *barrier,
		       struct vkr_engine_barrier_access *access, struct vkr_gathered *gathered)
{
	const struct vkr_buffer *buffer =
		vkr_objects_buffer(&walk->model->objects, barrier->object);
	if (buffer == NULL || buffer->memory == NULL || barrier->offset >= buffer->bytes)
		return true;
	const uint64_t room = buffer->bytes - barrier->offset;
	access->memory = buffer->memory->id;
	access->offset = buffer->offset + barrier->offset;
	access->bytes = barrier->bytes < room ? barrier->bytes : room;
	return add_access(walk, gathered, access);
}

// The image's ranges: each is an access scope of its own, or a range of the transition.
static bool add_image(struct vkr_walk *walk, const struct vkr_trace_barrier *barrier,
		      struct vkr_engine_barrier_access *access, struct vkr_gathered *gathered,
		      uint32_t *transitioned)
{
	const struct vkr_image *image = vkr_objects_image(&walk->model->objects, barrier->object);
	const bool transition = vkr_barrier_transition(walk, barrier);
	walk->locations.count = 0;
	if (image == NULL || (access == NULL && !transition))
		return true;
	if (!vkr_image_add_barrier(image, &barrier->subresources, &walk->locations))
		return false;
	for (size_t at = 0; at < walk->locations.count; at++) {
		const struct vkr_location *location = &walk->locations.items[at];
		if (access != NULL) {
			access->memory = location->memory->id;
			access->offset = location->offset;
			access->bytes = location->bytes;
			if (!add_access(walk, gathered, access))
				return false;
		}
		if (!transition)
			continue;
		if (!vkr_gathered_add_range(walk, gathered, location, transitioned))
			return false;
	}
	return true;
}

// The execution scopes of one barrier into a dependency of its own or, where barriers are together,
// into the first; then its access scopes and layout transition.
static bool add_barrier(struct vkr_walk *walk, const struct vkr_trace_barrier *barrier,
			struct vkr_gathered *gathered, uint32_t into)
{
	const struct vkr_sync_scope first =
		vkr_scope_first(barrier->source_stages, barrier->source_access);
	const struct vkr_sync_scope second =
		vkr_scope_second(barrier->destination_stages, barrier->destination_access);
	struct vkr_engine_dependency *dependency = &gathered->dependencies[into];
	struct vkr_engine_transition *transition = &gathered->transitions[into];
	struct vkr_engine_barrier_access access;
	const size_t before = gathered->accesses.count;
	const bool memory = barrier->kind != VKR_BARRIER_EXECUTION &&
			    access_scope(walk, barrier, &first, &second, &access);
	bool added = true;
	dependency->source_stages |= first.execution;
	dependency->destination_stages |= second.execution;
	if (barrier->kind == VKR_BARRIER_IMAGE)
		added = add_image(walk, barrier, memory ? &access : NULL, gathered,
				  &transition->range_count);
	else if (memory && barrier->kind == VKR_BARRIER_BUFFER)
		added = add_buffer(walk, barrier, &access, gathered);
	else if (memory)
		added = add_access(walk, gathered, &access);
	dependency->access_count += (uint32_t)(gathered->accesses.count - before);
	if (transition->range_count > 0)
		dependency->transition = transition;
	return added;
}

// Where a dependency is split by places: only between stages of the framebuffer, all of whose
// operations have one. Transitions outside of render passes are of images that need not be
// attachments.
static unsigned local_of(const struct vkr_barrier_list *list, uint32_t dependency, bool transition)
{
	uint64_t stages = 0;
	for (uint32_t at = 0; at < list->count; at++)
		if (list->together || at == dependency)
			stages |=
				list->items[at].source_stages | list->items[at].destination_stages;
	if (transition || stages == 0 || !vkr_scope_framebuffer_space(stages))
		return 0;
	return (list->flags & VK_DEPENDENCY_BY_REGION_BIT ? VKR_ENGINE_BY_REGION : 0u) |
	       (list->flags & VK_DEPENDENCY_VIEW_LOCAL_BIT ? VKR_ENGINE_BY_VIEW : 0u);
}

void vkr_gathered_finish(struct vkr_gathered *gathered)
{
	free(gathered->dependencies);
	free(gathered->transitions);
	free(gathered->accesses.items);
	free(gathered->ranges.items);
	*gathered = (struct vkr_gathered){0};
}

enum vkr_result vkr_walk_gather_barriers(struct vkr_walk *walk, const struct vkr_barrier_list *list,
					 struct vkr_gathered *gathered)
{
	gathered->dependencies = calloc(list->count + (size_t)1, sizeof *gathered->dependencies);
	gathered->transitions = calloc(list->count + (size_t)1, sizeof *gathered->transitions);
	if (gathered->dependencies == NULL || gathered->transitions == NULL)
		goto fail;
	for (uint32_t at = 0; at < list->count; at++)
		if (!add_barrier(walk, &list->items[at], gathered, list->together ? 0 : at))
			goto fail;
	gathered->count = list->together && list->count > 0 ? 1 : list->count;
	// The lists have stopped growing, and stand in the order of the dependencies.
	const struct vkr_engine_barrier_access *accesses = gathered->accesses.items;
	const struct vkr_engine_range *ranges = gathered->ranges.items;
	for (uint32_t at = 0; at < gathered->count; at++) {
		gathered->dependencies[at].accesses = accesses;
		gathered->transitions[at].ranges = ranges;
		gathered->dependencies[at].local =
			local_of(list, at, gathered->dependencies[at].transition != NULL);
		// NULL where there are none, to which C adds nothing, not even 0 (C17 6.5.6).
		if (accesses != NULL)
			accesses += gathered->dependencies[at].access_count;
		if (ranges != NULL)
			ranges += gathered->transitions[at].range_count;
	}
	return VKR_OK;
fail:
	vkr_gathered_finish(gathered);
	return vkr_error_memory(walk->error, "a barrier");
}

void vkr_walk_name_masks(struct vkr_walk *walk, uint64_t tag, const struct vkr_barrier_list *list)
{
	struct vkr_executed *executed = &walk->model->names.executed.items[tag];
	for (uint32_t at = 0; at < list->count; at++) {
		executed->masks.source_stages |= list->items[at].source_stages;
		executed->masks.source_access |= list->items[at].source_access;
		executed->masks.destination_stages |= list->items[at].destination_stages;
		executed->masks.destination_access |= list->items[at].destination_access;
		executed->barriers += list->items[at].kind != VKR_BARRIER_EXECUTION;
	}
}

enum vkr_result vkr_walk_barrier(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_barrier *command = vkr_event_payload(event);
	const bool first_form = !(command->flags & VKR_BARRIER_SYNC2);
	const struct vkr_command_info like = {.name = first_form ? "vkCmdPipelineBarrier"
								 : "vkCmdPipelineBarrier2"};
	const struct vkr_barrier_list list = {(const void *)(command + 1), command->barrier_count,
					      first_form, command->dependency_flags};
	struct vkr_gathered gathered = {0};
	uint64_t tag = 0;
	walk->model->barriers2 |= !first_form;
	enum vkr_result result =
		vkr_walk_tag(walk, command->command, VKR_TRACE_CMD_BARRIER, &like, &tag);
	if (result == VKR_OK)
		vkr_walk_name_masks(walk, tag, &list);
	if (result == VKR_OK)
		result = vkr_walk_gather_barriers(walk, &list, &gathered);
	if (result == VKR_OK && gathered.count > 0)
		result =
			vkr_engine_dependencies(walk->model->engine, walk->queue->timeline, tag,
						gathered.dependencies, gathered.count, walk->error);
	if (result == VKR_OK)
		result = vkr_walk_transitions(
			walk, &(struct vkr_barrier_command){command->command, event->type, &like},
			&list, &gathered);
	if (result == VKR_OK)
		result = vkr_walk_transfers(walk, &list, tag);
	vkr_gathered_finish(&gathered);
	return result;
}
