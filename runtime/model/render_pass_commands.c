// SPDX-License-Identifier: Apache-2.0
// Render passes as the dependencies of their subpasses (Vulkan specification, "Render Pass
// Creation"). Knows where subpasses begin and end; not what is drawn in them.
//
// The implicit external dependencies are left out: their source stages before the pass, and their
// destination stages behind it, are none, and their accesses are those of attachments. Scopes that
// the specification limits to one subpass reach to whatever else stands before or behind it here:
// more is ordered, never less.
#include "array.h"
#include "assumed_order.h"
#include "command_walk.h"
#include "error.h"
#include "event_payload.h"

#include <stdlib.h>

#include <vulkan/vulkan_core.h>

void vkr_walk_leave_render_pass(struct vkr_walk *walk)
{
	for (size_t at = 0; at < walk->marks.count; at++)
		vkr_engine_mark_drop(walk->marks.items[at]);
	walk->marks.count = 0;
	walk->render_pass = NULL;
}

static enum vkr_result add_mark(struct vkr_walk *walk)
{
	struct vkr_engine_mark *mark = NULL;
	if (!VKR_ARRAY_RESERVE(&walk->marks, 1))
		return vkr_error_memory(walk->error, "a render pass");
	const enum vkr_result result = vkr_engine_mark_create(
		walk->model->engine, walk->queue->timeline, &mark, walk->error);
	if (result == VKR_OK)
		walk->marks.items[walk->marks.count++] = mark;
	return result;
}

// The dependencies into a subpass, or out of the pass (VK_SUBPASS_EXTERNAL), at the place where
// their second scope begins.
static enum vkr_result enter(struct vkr_walk *walk, uint32_t subpass, uint64_t tag)
{
	const struct vkr_render_pass *pass = walk->render_pass;
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < pass->dependency_count && result == VKR_OK; at++) {
		const struct vkr_trace_subpass_dependency *from = &pass->dependencies[at];
		// A dependency of a subpass on itself takes effect by barriers inside of it.
		if (from->destination != subpass || from->source == subpass)
			continue;
		const size_t mark =
			from->source == VK_SUBPASS_EXTERNAL ? 0 : from->source + (size_t)1;
		if (mark >= walk->marks.count)
			continue;
		const struct vkr_trace_barrier barrier = {
			.kind = VKR_BARRIER_MEMORY,
			.source_stages = from->source_stages,
			.source_access = from->source_access,
			.destination_stages = from->destination_stages,
			.destination_access = from->destination_access,
			.source_family = VK_QUEUE_FAMILY_IGNORED,
			.destination_family = VK_QUEUE_FAMILY_IGNORED,
		};
		const struct vkr_barrier_list list = {&barrier, 1, false};
		struct vkr_gathered gathered = {0};
		result = vkr_walk_gather_barriers(walk, &list, &gathered);
		if (result == VKR_OK)
			result = vkr_engine_dependencies_since(
				walk->model->engine, walk->queue->timeline, walk->marks.items[mark],
				tag, gathered.dependencies, gathered.count, walk->error);
		vkr_gathered_finish(&gathered);
	}
	return result;
}

static enum vkr_result unknown_pass(struct vkr_walk *walk, uint64_t tag)
{
	const enum vkr_result result = vkr_model_missed(
		walk->model, walk->error, VKR_COVERAGE_SYNC, 0,
		"a render pass was begun that was never seen made: what it could order is taken as "
		"ordered");
	if (result != VKR_OK)
		return result;
	return vkr_assume_ordered_here(walk->model, walk->queue->timeline, tag, walk->error);
}

enum vkr_result vkr_walk_begin_render_pass(struct vkr_walk *walk,
					   const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_begin_render_pass *command = vkr_event_payload(event);
	const struct vkr_command_info like = {.name = "vkCmdBeginRenderPass"};
	uint64_t tag = 0;
	vkr_walk_leave_render_pass(walk);
	walk->subpass = 0;
	walk->render_pass =
		vkr_sync_objects_render_pass(&walk->model->sync_objects, command->render_pass);
	enum vkr_result result =
		vkr_walk_tag(walk, command->command, VKR_TRACE_CMD_BEGIN_RENDER_PASS, &like, &tag);
	if (result != VKR_OK)
		return result;
	if (walk->render_pass == NULL)
		return unknown_pass(walk, tag);
	if (walk->render_pass->attachment_count > 0)
		result = vkr_model_missed(
			walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
			"attachments of render passes are not modelled: what is read and written "
			"there is not seen");
	if (result == VKR_OK)
		result = add_mark(walk);
	return result == VKR_OK ? enter(walk, 0, tag) : result;
}

enum vkr_result vkr_walk_next_subpass(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_next_subpass *command = vkr_event_payload(event);
	const struct vkr_command_info like = {.name = "vkCmdNextSubpass"};
	uint64_t tag = 0;
	enum vkr_result result =
		vkr_walk_tag(walk, command->command, VKR_TRACE_CMD_NEXT_SUBPASS, &like, &tag);
	if (result == VKR_OK && walk->render_pass == NULL)
		return unknown_pass(walk, tag);
	if (result == VKR_OK)
		result = add_mark(walk);
	return result == VKR_OK ? enter(walk, ++walk->subpass, tag) : result;
}

enum vkr_result vkr_walk_end_render_pass(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_end_render_pass *command = vkr_event_payload(event);
	const struct vkr_command_info like = {.name = "vkCmdEndRenderPass"};
	uint64_t tag = 0;
	enum vkr_result result =
		vkr_walk_tag(walk, command->command, VKR_TRACE_CMD_END_RENDER_PASS, &like, &tag);
	if (result == VKR_OK && walk->render_pass == NULL)
		return unknown_pass(walk, tag);
	if (result == VKR_OK)
		result = add_mark(walk);
	if (result == VKR_OK)
		result = enter(walk, VK_SUBPASS_EXTERNAL, tag);
	vkr_walk_leave_render_pass(walk);
	return result;
}
