// SPDX-License-Identifier: Apache-2.0
// Automatic layout transitions of render passes (Vulkan specification, "Render Pass Creation": from
// initialLayout through the subpasses' layouts to finalLayout). Knows which attachments change
// their layout, and the dependencies that order the change; not what else is done to attachments.
//
// A transition away from a subpass comes after the availability operations of all dependencies with
// that subpass as source; one away from initialLayout comes after those of all external
// dependencies whose destination uses the attachment. A transition into a subpass comes before the
// visibility operations of all dependencies with that subpass as destination; one into finalLayout
// comes before those of all dependencies to the outside whose source uses the attachment. To the
// engine that is one dependency with these two halves.
#include "array.h"
#include "barrier_walk.h"
#include "error.h"
#include "pass_scopes.h"

#include <stdlib.h>

// All stages of implicit dependencies' far side, and their accesses ("Subpass Dependencies").
#define IMPLICIT_WRITES                                                                            \
	(VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT)
#define IMPLICIT_ACCESSES                                                                          \
	(IMPLICIT_WRITES | VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT |                                 \
	 VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT)

// A transition of some aspects of an attachment.
struct change {
	uint32_t attachment, aspects;
	uint32_t from, to; // subpasses, or VK_SUBPASS_EXTERNAL
	uint32_t old_layout, new_layout;
};

// ---- Which transitions there are ----------------------------------------------------------------

// The layout that a subpass has an attachment in; false where it does not use it.
static bool layout_in(const struct vkr_render_pass *pass, uint32_t subpass, uint32_t attachment,
		      uint32_t aspects, uint32_t *layout)
{
	for (uint32_t i = pass->first_references[subpass]; i < pass->first_references[subpass + 1];
	     i++) {
		const struct vkr_trace_attachment_reference *reference = &pass->references[i];
		if (reference->attachment != attachment ||
		    reference->role == VKR_ATTACHMENT_PRESERVE)
			continue;
		*layout = aspects == VK_IMAGE_ASPECT_STENCIL_BIT ? reference->stencil_layout
								 : reference->layout;
		return true;
	}
	return false;
}

// The change on the way into change->to. False where the attachment keeps its layout, or is not
// used there. What no subpass uses changes from initialLayout to finalLayout at any time while the
// pass runs: no dependency of its orders that.
static bool find_change(const struct vkr_render_pass *pass, struct change *change)
{
	const struct vkr_trace_attachment *of = &pass->attachments[change->attachment];
	const bool stencil = change->aspects == VK_IMAGE_ASPECT_STENCIL_BIT;
	const bool ends = change->to == VK_SUBPASS_EXTERNAL;
	const uint32_t end = ends ? pass->subpass_count : change->to;
	change->new_layout = stencil ? of->stencil_final_layout : of->final_layout;
	if (!ends &&
	    !layout_in(pass, change->to, change->attachment, change->aspects, &change->new_layout))
		return false;
	change->from = VK_SUBPASS_EXTERNAL;
	change->old_layout = stencil ? of->stencil_initial_layout : of->initial_layout;
	for (uint32_t before = end; before > 0; before--)
		if (layout_in(pass, before - 1, change->attachment, change->aspects,
			      &change->old_layout)) {
			change->from = before - 1;
			break;
		}
	return change->old_layout != change->new_layout;
}

// ---- What orders them ---------------------------------------------------------------------------

// Whether the transition is after a dependency, and whether it is before it.
static bool is_source(const struct vkr_render_pass *pass, const struct change *change,
		      const struct vkr_trace_subpass_dependency *dependency)
{
	if (dependency->source != change->from || dependency->source == dependency->destination)
		return false;
	return change->from != VK_SUBPASS_EXTERNAL ||
	       vkr_render_pass_uses(pass, dependency->destination, change->attachment);
}

static bool is_destination(const struct vkr_render_pass *pass, const struct change *change,
			   const struct vkr_trace_subpass_dependency *dependency)
{
	if (dependency->destination != change->to || dependency->source == dependency->destination)
		return false;
	return change->to != VK_SUBPASS_EXTERNAL ||
	       vkr_render_pass_uses(pass, dependency->source, change->attachment);
}

// 1 + the index of the pass's dependency between the two, so that there is no implicit one; 0: it
// has none.
static uint32_t find_explicit(const struct vkr_render_pass *pass, uint32_t from, uint32_t to)
{
	for (uint32_t at = 0; at < pass->dependency_count; at++)
		if (pass->dependencies[at].source == from &&
		    pass->dependencies[at].destination == to)
			return at + 1;
	return 0;
}

// Whether there is an implicit dependency from outside into a subpass, or from it to the outside:
// one that some attachment's transition makes. It orders those of other attachments, too.
static bool is_implicit(const struct vkr_render_pass *pass, uint32_t from, uint32_t to)
{
	if ((from == VK_SUBPASS_EXTERNAL) == (to == VK_SUBPASS_EXTERNAL) ||
	    find_explicit(pass, from, to) != 0)
		return false;
	for (uint32_t at = 0; at < pass->attachment_count; at++)
		for (uint32_t stencil = 0; stencil < 2; stencil++) {
			struct change change = {.attachment = at,
						.to = to,
						.aspects = stencil ? VK_IMAGE_ASPECT_STENCIL_BIT
								   : VK_IMAGE_ASPECT_COLOR_BIT};
			if (find_change(pass, &change) && change.from == from)
				return true;
		}
	return false;
}

// The halves of dependencies around a transition: `halves` has room for two of each dependency and
// two more. Returns how many; *flags: what all of them are split by.
static uint32_t list_halves(const struct vkr_render_pass *pass, const struct change *change,
			    struct vkr_trace_barrier *halves, uint32_t *flags)
{
	const struct vkr_trace_barrier none = {.kind = VKR_BARRIER_MEMORY,
					       .source_family = VK_QUEUE_FAMILY_IGNORED,
					       .destination_family = VK_QUEUE_FAMILY_IGNORED};
	uint32_t count = 0;
	*flags = UINT32_MAX;
	if (change->from == change->to) { // no subpass uses it
		*flags = 0;
		halves[count++] = none;
	}
	for (uint32_t at = 0; at < pass->dependency_count; at++) {
		const struct vkr_trace_subpass_dependency *one = &pass->dependencies[at];
		if (is_source(pass, change, one) || is_destination(pass, change, one))
			*flags &= vkr_subpass_flags(one);
		if (is_source(pass, change, one)) {
			halves[count] = vkr_subpass_barrier(one);
			halves[count].destination_stages = halves[count].destination_access = 0;
			count++;
		}
		if (is_destination(pass, change, one)) {
			halves[count] = vkr_subpass_barrier(one);
			halves[count].source_stages = halves[count].source_access = 0;
			count++;
		}
	}
	if (is_implicit(pass, VK_SUBPASS_EXTERNAL, change->to)) {
		halves[count] = none;
		halves[count].destination_stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
		halves[count++].destination_access = IMPLICIT_ACCESSES;
	}
	if (is_implicit(pass, change->from, VK_SUBPASS_EXTERNAL)) {
		halves[count] = none;
		halves[count].source_stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
		halves[count++].source_access = IMPLICIT_WRITES;
	}
	return count;
}

// ---- Where they are -----------------------------------------------------------------------------

// Layers that are transitioned, from the view's first on.
static uint32_t layers_of(const struct vkr_walk *walk)
{
	const struct vkr_render_pass *pass = walk->render_pass;
	uint32_t views = 0;
	for (uint32_t at = 0; at < pass->subpass_count; at++)
		views |= pass->subpasses[at].view_mask;
	if (views != 0)
		return views;
	return walk->pass.layer_count >= 32 ? UINT32_MAX : (1u << walk->pass.layer_count) - 1;
}

// The image subresource that is attached; of a 3D image, the whole level.
static bool find_locations(struct vkr_walk *walk, const struct vkr_image_view *view,
			   uint32_t aspects)
{
	struct vkr_trace_subresources part = {.aspects = aspects & view->image->aspects,
					      .first_mip = view->subresources.first_mip,
					      .mip_count = 1,
					      .layer_count = 1};
	struct vkr_locations *locations = &walk->pass.locations;
	const uint32_t layers = layers_of(walk);
	locations->count = 0;
	if (view->image->type == VK_IMAGE_TYPE_3D)
		return vkr_image_add_subresources(view->image, &part, locations);
	for (uint32_t at = 0; at < view->subresources.layer_count; at++) {
		if (at < 32 && !(layers >> at & 1))
			continue;
		if (at >= 32 && at >= walk->pass.layer_count)
			break;
		part.first_layer = view->subresources.first_layer + at;
		if (!vkr_image_add_subresources(view->image, &part, locations))
			return false;
	}
	return true;
}

// The engine's transition among its dependencies: *command is what it made of it, 0 for none.
static enum vkr_result order_change(struct vkr_walk *walk, const struct change *change,
				    const struct vkr_engine_mark *place, uint64_t tag,
				    uint32_t *command)
{
	const struct vkr_locations *locations = &walk->pass.locations;
	struct vkr_trace_barrier *halves =
		calloc(2 * (size_t)walk->render_pass->dependency_count + 2, sizeof *halves);
	struct vkr_gathered gathered = {0};
	enum vkr_result result = VKR_OK;
	uint32_t added = 0;
	bool whole = true;
	if (halves == NULL) {
		result = vkr_error_memory(walk->error, "a layout transition");
		goto end;
	}
	struct vkr_barrier_list list = {.items = halves, .together = true};
	list.count = list_halves(walk->render_pass, change, halves, &list.flags);
	result = vkr_walk_gather_barriers(walk, &list, &gathered);
	if (result != VKR_OK)
		goto end;
	struct vkr_engine_transition *transition = &gathered.transitions[0];
	for (size_t at = 0; at < locations->count; at++)
		whole = whole &&
			vkr_gathered_add_range(walk, &gathered, &locations->items[at], &added);
	if (!whole) {
		result = vkr_error_memory(walk->error, "a layout transition");
		goto end;
	}
	transition->ranges = gathered.ranges.items;
	transition->range_count = added;
	transition->place = place;
	gathered.dependencies[0].transition = transition;
	result = vkr_pass_members(walk, change->from, &gathered.dependencies[0].members,
				  &gathered.dependencies[0].member_count);
	if (result != VKR_OK)
		goto end;
	result = vkr_engine_dependencies_since(walk->model->engine, walk->queue->timeline,
					       vkr_pass_source(walk, change->from), tag,
					       gathered.dependencies, 1, walk->error);
	*command = transition->command;
end:
	vkr_gathered_finish(&gathered);
	free(halves);
	return result;
}

static enum vkr_result make_change(struct vkr_walk *walk, const struct change *change,
				   const struct vkr_engine_mark *place,
				   const struct vkr_barrier_command *command)
{
	const struct vkr_image_view *view = walk->pass.views.items[change->attachment];
	uint64_t tag = 0;
	struct vkr_image_transition made = {.image = view->image,
					    .old_layout = change->old_layout,
					    .new_layout = change->new_layout};
	struct vkr_command_info *info =
		vkr_walk_info(walk, command->index, command->event_type, command->like);
	if (info == NULL || !find_locations(walk, view, change->aspects))
		return vkr_error_memory(walk->error, "a layout transition");
	// No place in memory, which is said where it is used; or subpasses that were never begun.
	if (walk->pass.locations.count == 0 || vkr_pass_source(walk, change->from) == NULL)
		return VKR_OK;
	enum vkr_result result =
		vkr_walk_tag(walk, command->index, command->event_type, command->like, &tag);
	if (result == VKR_OK) {
		struct vkr_executed *named = &walk->model->names.executed.items[tag];
		named->dependency = find_explicit(walk->render_pass, change->from, change->to);
		named->implicit = named->dependency == 0;
		named->between_subpasses = true;
		named->source_subpass = change->from;
		named->destination_subpass = change->to;
		result = order_change(walk, change, place, tag, &made.command);
	}
	if (result == VKR_OK)
		result = vkr_walk_transition(walk, info, &made, &walk->pass.locations);
	if (made.command != 0)
		vkr_engine_command_end(walk->model->engine, made.command);
	return result;
}

enum vkr_result vkr_pass_transitions(struct vkr_walk *walk, uint32_t subpass,
				     const struct vkr_engine_mark *place,
				     const struct vkr_barrier_command *command)
{
	static const uint32_t of_depth[2] = {VK_IMAGE_ASPECT_DEPTH_BIT,
					     VK_IMAGE_ASPECT_STENCIL_BIT};
	static const uint32_t of_color[2] = {UINT32_MAX, 0};
	const struct vkr_render_pass *pass = walk->render_pass;
	enum vkr_result result = VKR_OK;
	if (subpass != VK_SUBPASS_EXTERNAL && subpass >= pass->subpass_count)
		return VKR_OK;
	for (uint32_t at = 0; at < walk->pass.views.count && result == VKR_OK; at++) {
		const struct vkr_image_view *view = walk->pass.views.items[at];
		if (view == NULL)
			continue;
		const uint32_t *parts =
			view->image->aspects & (of_depth[0] | of_depth[1]) ? of_depth : of_color;
		for (unsigned part = 0; part < 2 && result == VKR_OK; part++) {
			struct change change = {
				.attachment = at, .aspects = parts[part], .to = subpass};
			if ((view->image->aspects & parts[part]) && find_change(pass, &change))
				result = make_change(walk, &change, place, command);
		}
	}
	return result;
}
