// SPDX-License-Identifier: Apache-2.0
// Events as dependencies whose two scopes stand apart (Vulkan specification, "Events"). Knows
// vkCmdSetEvent, vkCmdResetEvent and vkCmdWaitEvents in both forms.
#include "assumed_order.h"
#include "barrier_walk.h"
#include "error.h"
#include "event_payload.h"
#include "scopes.h"

#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

// VK_DEPENDENCY_ASYMMETRIC_EVENT_BIT_KHR, written with its number: older headers lack it.
#define ASYMMETRIC_EVENT 0x40u

static uint32_t recording_of(const struct vkr_walk *walk)
{
	return walk->frames.items[walk->frames.count - 1].recording->id;
}

enum vkr_result vkr_walk_set_event(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_set_event *command = vkr_event_payload(event);
	const struct vkr_trace_barrier *barriers = (const void *)(command + 1);
	struct vkr_model *model = walk->model;
	struct vkr_event *set = vkr_sync_objects_event(&model->sync_objects, command->event);
	if (set == NULL)
		return VKR_OK; // its wait says so
	const enum vkr_result result =
		vkr_event_set(model, set, walk->queue->timeline, false, walk->error);
	if (result != VKR_OK)
		return result;
	struct vkr_event_signal *signal = set->signal;
	signal->recording = recording_of(walk);
	signal->form = command->flags & VKR_BARRIER_SYNC2;
	signal->asymmetric = command->dependency_flags & ASYMMETRIC_EVENT;
	signal->stages = command->barrier_count > 0 ? barriers->source_stages : 0;
	signal->barriers = calloc(command->barrier_count + (size_t)1, sizeof *barriers);
	if (signal->barriers == NULL)
		return vkr_error_memory(walk->error, "an event");
	signal->barrier_count = command->barrier_count;
	memcpy(signal->barriers, barriers, command->barrier_count * sizeof *barriers);
	return VKR_OK;
}

enum vkr_result vkr_walk_reset_event(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_reset_event *command = vkr_event_payload(event);
	struct vkr_event *reset =
		vkr_sync_objects_event(&walk->model->sync_objects, command->event);
	if (reset != NULL)
		vkr_event_reset(reset);
	return VKR_OK;
}

// Waiting for one event of a command.
struct wait {
	struct vkr_walk *walk;
	struct vkr_barrier_list barriers; // for this event
	struct vkr_barrier_command command;
	uint64_t tag;
};

static enum vkr_result wait_unseen(const struct wait *wait, uint32_t event, const char *what)
{
	struct vkr_walk *walk = wait->walk;
	const enum vkr_result result = vkr_model_missed(
		walk->model, walk->error, VKR_COVERAGE_SYNC, 0,
		"%s waited for %s (event %u): all that it could order is treated as ordered",
		wait->barriers.together ? "vkCmdWaitEvents" : "vkCmdWaitEvents2", what, event);
	if (result != VKR_OK)
		return result;
	return vkr_assume_ordered_here(walk->model, walk->queue->timeline, wait->tag, walk->error);
}

// The two calls must give equal dependencies, unless the set gave its stages alone, which the
// wait's must then be the union of (VK_KHR_maintenance9).
static bool event_commands_matches(const struct vkr_event_signal *event,
				   const struct vkr_barrier_list *waited)
{
	uint64_t stages = 0;
	for (uint32_t at = 0; at < waited->count; at++)
		stages |= waited->items[at].source_stages;
	if (event->asymmetric)
		return stages == event->stages;
	return event->barrier_count == waited->count &&
	       memcmp(event->barriers, waited->items, waited->count * sizeof *waited->items) == 0;
}

// A signal by vkCmdSetEvent is in the first scope where the latest of its stages is not later than
// the wait's; the wait's must be the union of all (VUID-vkCmdWaitEvents-srcStageMask-01158).
static bool limit_to_set(const struct vkr_event_signal *event,
			 const struct vkr_barrier_list *waited,
			 struct vkr_engine_dependency *dependency)
{
	const uint64_t set = vkr_scope_first(event->stages, 0).execution;
	const uint64_t asked = vkr_scope_first(waited->items[0].source_stages, 0).execution;
	if (set & ~asked)
		return false;
	dependency->source_stages = set;
	return true;
}

// A signal by vkSetEvent is in the first scope where that names HOST.
static uint32_t keep_host(struct vkr_engine_dependency *dependencies, uint32_t count)
{
	uint32_t kept = 0;
	for (uint32_t at = 0; at < count; at++)
		if (dependencies[at].source_stages & VK_PIPELINE_STAGE_2_HOST_BIT)
			dependencies[kept++] = dependencies[at];
	return kept;
}

static enum vkr_result wait_for(const struct wait *wait, const struct vkr_event *event)
{
	struct vkr_walk *walk = wait->walk;
	const struct vkr_barrier_list *waited = &wait->barriers;
	const bool first_form = waited->together;
	const struct vkr_event_signal *signal = event->signal;
	struct vkr_gathered gathered = {0};
	if (!signal->by_host && signal->timeline != walk->queue->timeline)
		return VKR_OK; // an event orders one queue only
	if (!signal->by_host && (first_form ? signal->form != 0 || waited->count == 0
					    : signal->form != VKR_BARRIER_SYNC2 ||
						      !event_commands_matches(signal, waited)))
		return wait_unseen(wait, event->id, "an event that was set otherwise");
	vkr_walk_name_masks(walk, wait->tag, waited);
	walk->model->names.executed.items[wait->tag].set_elsewhere =
		signal->recording != recording_of(walk);
	enum vkr_result result = vkr_walk_gather_barriers(walk, waited, &gathered);
	if (result != VKR_OK)
		return result;
	// Its second scope is what comes later, whatever subpass it is recorded in: of barriers
	// alone it is said that those in a render pass instance are limited to it
	// (vkCmdWaitEvents2, vkCmdPipelineBarrier2, "Description").
	for (uint32_t at = 0; at < gathered.count; at++)
		gathered.dependencies[at].beyond = true;
	if (signal->by_host)
		gathered.count = keep_host(gathered.dependencies, gathered.count);
	else if (first_form && !limit_to_set(signal, waited, gathered.dependencies))
		gathered.count = 0;
	if (gathered.count > 0)
		result = vkr_engine_dependencies_since(
			walk->model->engine, walk->queue->timeline, signal->mark, wait->tag,
			gathered.dependencies, gathered.count, walk->error);
	if (result == VKR_OK)
		result = vkr_walk_transitions(walk, &wait->command, waited, &gathered);
	if (result == VKR_OK)
		result = vkr_walk_transfers(walk, waited, wait->tag);
	vkr_gathered_finish(&gathered);
	return result;
}

enum vkr_result vkr_walk_wait_events(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_wait_events *command = vkr_event_payload(event);
	const struct vkr_trace_event_wait *waits = (const void *)(command + 1);
	const struct vkr_trace_barrier *barriers = (const void *)(waits + command->wait_count);
	const bool first_form = !(command->flags & VKR_BARRIER_SYNC2);
	const struct vkr_command_info like = {.name = first_form ? "vkCmdWaitEvents"
								 : "vkCmdWaitEvents2"};
	struct wait wait = {.walk = walk,
			    .command = {command->command, VKR_TRACE_CMD_WAIT_EVENTS, &like}};
	uint32_t left = command->barrier_count;
	enum vkr_result result =
		vkr_walk_tag(walk, command->command, VKR_TRACE_CMD_WAIT_EVENTS, &like, &wait.tag);
	for (uint32_t at = 0; at < command->wait_count && result == VKR_OK; at++) {
		const struct vkr_event *waited =
			vkr_sync_objects_event(&walk->model->sync_objects, waits[at].event);
		const uint32_t own =
			waits[at].barrier_count < left ? waits[at].barrier_count : left;
		wait.barriers = (struct vkr_barrier_list){
			.items = barriers,
			.count = first_form ? command->barrier_count : own,
			.together = first_form};
		result = waited != NULL && waited->signal != NULL
				 ? wait_for(&wait, waited)
				 : wait_unseen(&wait, waits[at].event,
					       "an event whose set was not recorded");
		if (!first_form) {
			barriers += own;
			left -= own;
		}
	}
	return result;
}
