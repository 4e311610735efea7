// SPDX-License-Identifier: Apache-2.0
// Render passes as the dependencies of their subpasses (Vulkan specification, "Render Pass
// Creation"), and dynamic rendering. Knows where subpasses begin and end; not what is done to
// attachments.
//
// The implicit external dependencies order only layout transitions, which pass_transitions.c
// handles: their source stages before the pass, and their destination stages after it, are none.
//
// Each subpass, and each instance of dynamic rendering, is a section of the engine, to which its
// dependencies are limited (VkSubpassDependency, vkCmdPipelineBarrier).
#include "array.h"
#include "assumed_order.h"
#include "attachments.h"
#include "barrier_walk.h"
#include "error.h"
#include "event_payload.h"
#include "pass_scopes.h"
#include "scopes.h"

#include <stdlib.h>

#include <vulkan/vulkan_core.h>

static enum vkr_result begin_section(struct vkr_walk *walk)
{
	walk->pass.timeline = walk->queue->timeline;
	return vkr_engine_section_begin(walk->model->engine, walk->pass.timeline,
					vkr_scope_in_passes(), walk->error);
}

static void end_section(const struct vkr_walk *walk)
{
	vkr_engine_section_end(walk->model->engine, walk->pass.timeline);
}

// A suspended render pass ends, too.
static void end_sections(struct vkr_walk *walk)
{
	if (walk->pass.timeline != 0) {
		end_section(walk);
		vkr_engine_sections_over(walk->model->engine, walk->pass.timeline);
	}
	walk->pass.timeline = 0;
	walk->pass.suspends = false;
	walk->subpasses++;
}

void vkr_walk_leave_render_pass(struct vkr_walk *walk)
{
	struct vkr_walk_pass *pass = &walk->pass;
	vkr_pass_scopes_end(walk);
	pass->uses.count = 0;
	// A suspended render pass continues.
	if (pass->flags & VK_RENDERING_SUSPENDING_BIT)
		pass->suspends = true;
	if (!pass->suspends)
		end_sections(walk);
	pass->flags = 0;
	pass->begin = NULL;
	walk->subpass = 0;
	walk->render_pass = NULL;
}

// The dependencies into a subpass, or out of the pass (VK_SUBPASS_EXTERNAL), all of them at the
// place where their second scope begins, and the layout transitions that they order.
static enum vkr_result enter_subpass(struct vkr_walk *walk, uint32_t subpass, uint64_t tag,
				     const struct vkr_barrier_command *command)
{
	struct vkr_engine_mark *place = NULL;
	enum vkr_result result = vkr_engine_mark_create(walk->model->engine, walk->queue->timeline,
							&place, walk->error);
	if (result != VKR_OK)
		return result;
	result = vkr_pass_dependencies(walk, subpass, tag);
	if (result == VKR_OK)
		result = vkr_pass_transitions(walk, subpass, place, command);
	vkr_engine_mark_drop(place);
	return result;
}

static enum vkr_result unknown_pass(struct vkr_walk *walk, uint64_t tag)
{
	const enum vkr_result result =
		vkr_model_missed(walk->model, walk->error, VKR_COVERAGE_SYNC, 0,
				 "a render pass was begun whose creation was not recorded: all "
				 "that it could order is treated as ordered");
	if (result != VKR_OK)
		return result;
	return vkr_assume_ordered_here(walk->model, walk->queue->timeline, tag, walk->error);
}

// The image views of a pass that is begun, by attachment, and where it renders.
static enum vkr_result find_views(struct vkr_walk *walk,
				  const struct vkr_trace_cmd_begin_render_pass *begin)
{
	struct vkr_walk_pass *pass = &walk->pass;
	const struct vkr_framebuffer *framebuffer =
		vkr_pass_objects_framebuffer(&walk->model->pass_objects, begin->framebuffer);
	const uint32_t *ids = (const uint32_t *)(begin + 1);
	uint32_t count = begin->view_count;
	bool unknown = false;
	if (count == 0 && framebuffer != NULL) {
		ids = framebuffer->views;
		count = framebuffer->view_count;
	}
	pass->views.count = 0;
	pass->area = (struct vkr_trace_clear_rectangle){
		.x = begin->x, .y = begin->y, .width = begin->width, .height = begin->height};
	pass->layer_count = framebuffer != NULL ? framebuffer->layers : 0;
	if (!VKR_ARRAY_RESERVE(&pass->views, walk->render_pass->attachment_count))
		return vkr_error_memory(walk->error, "attachments");
	for (uint32_t at = 0; at < walk->render_pass->attachment_count; at++) {
		const struct vkr_image_view *view =
			at < count ? vkr_objects_image_view(&walk->model->objects, ids[at]) : NULL;
		unknown |= view == NULL || view->image->aspects == 0;
		pass->views.items[pass->views.count++] = view;
	}
	if (!unknown)
		return VKR_OK;
	return vkr_model_missed(
		walk->model, walk->error, VKR_COVERAGE_COMMAND, 0,
		"attachments of a render pass are not known: accesses to them are not observed");
}

static enum vkr_result load_attachments(struct vkr_walk *walk, uint32_t command, uint32_t type,
					const struct vkr_command_info *like)
{
	struct vkr_command_info *info = vkr_walk_info(walk, command, type, like);
	if (info == NULL)
		return vkr_error_memory(walk->error, "a command");
	return vkr_attachments_load(walk, info);
}

// A subpass of a pass that is known.
static enum vkr_result begin_subpass(struct vkr_walk *walk, uint64_t tag,
				     const struct vkr_barrier_command *command)
{
	enum vkr_result result = vkr_attachments_of_subpass(walk, walk->subpass);
	if (result == VKR_OK)
		result = vkr_pass_foresee(walk, tag);
	if (result == VKR_OK)
		result = begin_section(walk);
	if (result == VKR_OK)
		result = enter_subpass(walk, walk->subpass, tag, command);
	if (result == VKR_OK)
		result = vkr_pass_mark_begin(walk);
	return result == VKR_OK
		       ? load_attachments(walk, command->index, command->event_type, command->like)
		       : result;
}

static enum vkr_result store_attachments(struct vkr_walk *walk, uint32_t command, uint32_t type,
					 const struct vkr_command_info *like)
{
	struct vkr_command_info *info = vkr_walk_info(walk, command, type, like);
	if (info == NULL)
		return vkr_error_memory(walk->error, "a command");
	return vkr_attachments_store(walk, info);
}

enum vkr_result vkr_walk_begin_rendering(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_begin_rendering *command = vkr_event_payload(event);
	const struct vkr_command_info like = {.name = "vkCmdBeginRendering"};
	const bool resumes = (command->flags & VK_RENDERING_RESUMING_BIT) && walk->pass.suspends;
	vkr_walk_leave_render_pass(walk);
	if (!resumes)
		end_sections(walk);
	walk->pass.suspends = false;
	struct vkr_command_info *info =
		vkr_walk_info(walk, command->command, VKR_TRACE_CMD_BEGIN_RENDERING, &like);
	if (info == NULL)
		return vkr_error_memory(walk->error, "a command");
	walk->pass.flags = command->flags;
	// Nothing may stand between the parts of a suspended instance: it begins with the first.
	walk->pass.first_part = resumes ? walk->pass.first_part : info;
	walk->pass.begin = walk->pass.first_part;
	walk->pass.instance += !resumes;
	walk->pass.layer_count = command->layer_count;
	walk->pass.area = (struct vkr_trace_clear_rectangle){.x = command->x,
							     .y = command->y,
							     .width = command->width,
							     .height = command->height};
	enum vkr_result result = resumes ? VKR_OK : begin_section(walk);
	if (result == VKR_OK)
		result = vkr_attachments_of_rendering(walk, command);
	return result == VKR_OK ? vkr_attachments_load(walk, info) : result;
}

enum vkr_result vkr_walk_end_rendering(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_end_rendering *command = vkr_event_payload(event);
	const struct vkr_command_info like = {.name = "vkCmdEndRendering"};
	const enum vkr_result result =
		store_attachments(walk, command->command, VKR_TRACE_CMD_END_RENDERING, &like);
	vkr_walk_leave_render_pass(walk);
	return result;
}

enum vkr_result vkr_walk_begin_render_pass(struct vkr_walk *walk,
					   const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_begin_render_pass *command = vkr_event_payload(event);
	const struct vkr_command_info like = {.name = "vkCmdBeginRenderPass"};
	uint64_t tag = 0;
	vkr_walk_leave_render_pass(walk);
	end_sections(walk);
	walk->render_pass =
		vkr_pass_objects_render_pass(&walk->model->pass_objects, command->render_pass);
	walk->pass.begin =
		vkr_walk_info(walk, command->command, VKR_TRACE_CMD_BEGIN_RENDER_PASS, &like);
	walk->pass.instance++;
	if (walk->pass.begin == NULL)
		return vkr_error_memory(walk->error, "a render pass");
	enum vkr_result result =
		vkr_walk_tag(walk, command->command, VKR_TRACE_CMD_BEGIN_RENDER_PASS, &like, &tag);
	if (result == VKR_OK && walk->render_pass == NULL)
		result = unknown_pass(walk, tag);
	else if (result == VKR_OK)
		result = find_views(walk, command);
	if (result == VKR_OK)
		result = vkr_pass_mark_end(walk);
	if (result == VKR_OK && walk->render_pass == NULL)
		return begin_section(walk);
	return result == VKR_OK ? begin_subpass(walk, tag,
						&(struct vkr_barrier_command){command->command,
									      event->type, &like})
				: result;
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
		result = store_attachments(walk, command->command, VKR_TRACE_CMD_NEXT_SUBPASS,
					   &like);
	if (result == VKR_OK)
		result = vkr_pass_mark_end(walk);
	end_section(walk);
	if (result != VKR_OK)
		return result;
	walk->subpasses++;
	walk->subpass++;
	return begin_subpass(walk, tag,
			     &(struct vkr_barrier_command){command->command, event->type, &like});
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
		result = store_attachments(walk, command->command, VKR_TRACE_CMD_END_RENDER_PASS,
					   &like);
	if (result == VKR_OK)
		result = vkr_pass_mark_end(walk);
	end_section(walk);
	if (result == VKR_OK)
		result = enter_subpass(
			walk, VK_SUBPASS_EXTERNAL, tag,
			&(struct vkr_barrier_command){command->command, event->type, &like});
	vkr_walk_leave_render_pass(walk);
	return result;
}
