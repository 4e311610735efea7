// SPDX-License-Identifier: Apache-2.0
// What the dependencies of subpasses include. Knows marks, subpasses and operations; not what these
// access.
//
// The scopes of a dependency include the commands of its subpass and, for each attachment that the
// subpass uses, all load, store and resolve operations, whichever subpass performs them
// (VkSubpassDependency). An operation of another subpass therefore has other scopes than the
// commands beside it: to the engine it is a command of its own. If both subpasses of a dependency
// use an attachment, an operation would be in both scopes, and so before itself: it is in the scope
// on whose side it stands.
#include "pass_scopes.h"
#include "barrier_walk.h"

#include "array.h"
#include "error.h"
#include "scopes.h"

#include <stdlib.h>

#include <vulkan/vulkan_core.h>

#define DEPTH_STAGES                                                                               \
	(VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT)

struct vkr_trace_barrier vkr_subpass_barrier(const struct vkr_trace_subpass_dependency *from)
{
	return (struct vkr_trace_barrier){
		.kind = VKR_BARRIER_MEMORY,
		.source_stages = from->source_stages,
		.source_access = from->source_access,
		.destination_stages = from->destination_stages,
		.destination_access = from->destination_access,
		.source_family = VK_QUEUE_FAMILY_IGNORED,
		.destination_family = VK_QUEUE_FAMILY_IGNORED,
	};
}

uint32_t vkr_subpass_flags(const struct vkr_trace_subpass_dependency *from)
{
	return from->view_offset == 0 ? from->flags
				      : from->flags & ~(uint32_t)VK_DEPENDENCY_VIEW_LOCAL_BIT;
}

// ---- Marks --------------------------------------------------------------------------------------

static enum vkr_result add_mark(struct vkr_walk *walk, struct vkr_walk_marks *marks)
{
	struct vkr_engine_mark *mark = NULL;
	if (!VKR_ARRAY_RESERVE(marks, 1))
		return vkr_error_memory(walk->error, "a render pass");
	const enum vkr_result result = vkr_engine_mark_create(
		walk->model->engine, walk->queue->timeline, &mark, walk->error);
	if (result == VKR_OK)
		marks->items[marks->count++] = mark;
	return result;
}

static void drop_marks(struct vkr_walk_marks *marks)
{
	for (size_t at = 0; at < marks->count; at++)
		vkr_engine_mark_drop(marks->items[at]);
	marks->count = 0;
}

enum vkr_result vkr_pass_mark_end(struct vkr_walk *walk)
{
	return add_mark(walk, &walk->pass.ends);
}

enum vkr_result vkr_pass_mark_begin(struct vkr_walk *walk)
{
	return add_mark(walk, &walk->pass.begins);
}

const struct vkr_engine_mark *vkr_pass_source(const struct vkr_walk *walk, uint32_t subpass)
{
	const struct vkr_walk_marks *ends = &walk->pass.ends;
	const size_t at = subpass == VK_SUBPASS_EXTERNAL ? 0 : subpass + (size_t)1;
	return at < ends->count ? ends->items[at] : NULL;
}

// ---- Dependencies -------------------------------------------------------------------------------

static bool uses_either(const struct vkr_walk *walk, uint32_t subpass,
			const uint32_t attachments[2])
{
	return vkr_render_pass_uses(walk->render_pass, subpass, attachments[0]) ||
	       vkr_render_pass_uses(walk->render_pass, subpass, attachments[1]);
}

enum vkr_result vkr_pass_members(struct vkr_walk *walk, uint32_t subpass,
				 const struct vkr_engine_member **members, uint32_t *count)
{
	struct vkr_walk_pass *pass = &walk->pass;
	pass->members.count = 0;
	if (!VKR_ARRAY_RESERVE(&pass->members, pass->operations.count))
		return vkr_error_memory(walk->error, "a render pass");
	for (size_t at = 0; at < pass->operations.count && subpass != VK_SUBPASS_EXTERNAL; at++) {
		const struct vkr_pass_operation *of = &pass->operations.items[at];
		if (uses_either(walk, subpass, of->attachments))
			pass->members.items[pass->members.count++] =
				(struct vkr_engine_member){of->command, of->stages};
	}
	*members = pass->members.items;
	*count = (uint32_t)pass->members.count;
	return VKR_OK;
}

static bool leads_into(const struct vkr_walk *walk, const struct vkr_trace_subpass_dependency *one,
		       uint32_t subpass)
{
	// A dependency of a subpass on itself takes effect by barriers inside of it.
	return one->destination == subpass && one->source != subpass &&
	       vkr_pass_source(walk, one->source) != NULL;
}

// Reports name each dependency of a place.
static bool name_dependency(struct vkr_walk *walk, const struct vkr_trace_subpass_dependency *one,
			    uint64_t place, uint64_t *tag)
{
	struct vkr_executed named = walk->model->names.executed.items[place];
	named.between_subpasses = true;
	named.source_subpass = one->source;
	named.destination_subpass = one->destination;
	named.dependency = 1 + (uint32_t)(one - walk->render_pass->dependencies);
	return vkr_access_names_executed(&walk->model->names, &named, tag);
}

static enum vkr_result put_dependency(struct vkr_walk *walk,
				      const struct vkr_trace_subpass_dependency *one,
				      uint64_t place)
{
	uint64_t tag = 0;
	const struct vkr_trace_barrier barrier = vkr_subpass_barrier(one);
	const struct vkr_barrier_list list = {&barrier, 1, false, vkr_subpass_flags(one)};
	struct vkr_gathered gathered = {0};
	if (!name_dependency(walk, one, place, &tag))
		return vkr_error_memory(walk->error, "a subpass dependency");
	vkr_walk_name_masks(walk, tag, &list);
	enum vkr_result result = vkr_walk_gather_barriers(walk, &list, &gathered);
	if (result == VKR_OK)
		result = vkr_pass_members(walk, one->source, &gathered.dependencies[0].members,
					  &gathered.dependencies[0].member_count);
	if (result == VKR_OK)
		result = vkr_engine_dependencies_since(walk->model->engine, walk->queue->timeline,
						       vkr_pass_source(walk, one->source), tag,
						       gathered.dependencies, gathered.count,
						       walk->error);
	vkr_gathered_finish(&gathered);
	return result;
}

enum vkr_result vkr_pass_dependencies(struct vkr_walk *walk, uint32_t subpass, uint64_t tag)
{
	const struct vkr_render_pass *pass = walk->render_pass;
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < pass->dependency_count && result == VKR_OK; at++)
		if (leads_into(walk, &pass->dependencies[at], subpass))
			result = put_dependency(walk, &pass->dependencies[at], tag);
	return result;
}

// ---- Operations ---------------------------------------------------------------------------------

// The other attachment of a resolve operation; without one, the same.
static uint32_t partner_of(const struct vkr_walk *walk, const struct vkr_attachment_use *use)
{
	static const uint32_t partners[][2] = {
		{VKR_ATTACHMENT_COLOR, VKR_ATTACHMENT_RESOLVE},
		{VKR_ATTACHMENT_RESOLVE, VKR_ATTACHMENT_COLOR},
		{VKR_ATTACHMENT_DEPTH_STENCIL, VKR_ATTACHMENT_DEPTH_STENCIL_RESOLVE},
		{VKR_ATTACHMENT_DEPTH_STENCIL_RESOLVE, VKR_ATTACHMENT_DEPTH_STENCIL}};
	const struct vkr_render_pass *pass = walk->render_pass;
	if (use->itself)
		return use->attachment;
	for (uint32_t i = pass->first_references[walk->subpass];
	     i < pass->first_references[walk->subpass + 1]; i++)
		for (size_t at = 0; at < sizeof partners / sizeof *partners; at++)
			if (use->role == partners[at][0] &&
			    pass->references[i].role == partners[at][1] &&
			    pass->references[i].index == use->index)
				return pass->references[i].attachment;
	return use->attachment;
}

static bool has_operations(const struct vkr_attachment_use *use)
{
	return use->load_views != 0 || use->store_views != 0 || use->resolved;
}

// Whether another subpass uses one of the attachments.
static bool is_elsewhere(const struct vkr_walk *walk, const uint32_t attachments[2])
{
	for (uint32_t at = 0; at < walk->render_pass->subpass_count; at++)
		if (at != walk->subpass && uses_either(walk, at, attachments))
			return true;
	return false;
}

// Whether a dependency into a later subpass holds the operations of this one on the attachments.
static bool is_foreseen(const struct vkr_walk *walk, const struct vkr_trace_subpass_dependency *one,
			const uint32_t attachments[2])
{
	return one->destination != VK_SUBPASS_EXTERNAL && one->destination > walk->subpass &&
	       leads_into(walk, one, one->destination) &&
	       uses_either(walk, one->destination, attachments);
}

static bool pass_scopes_foresees(const struct vkr_walk *walk, const uint32_t attachments[2])
{
	const struct vkr_render_pass *pass = walk->render_pass;
	for (uint32_t at = 0; at < pass->dependency_count; at++)
		if (is_foreseen(walk, &pass->dependencies[at], attachments))
			return true;
	return false;
}

// In a section of its own, nothing else learns of it.
static enum vkr_result pass_scopes_foresee(struct vkr_walk *walk, const uint32_t attachments[2],
					   uint64_t tag)
{
	const struct vkr_render_pass *pass = walk->render_pass;
	enum vkr_result result = vkr_engine_section_begin(
		walk->model->engine, walk->queue->timeline, vkr_scope_in_passes(), walk->error);
	for (uint32_t at = 0; at < pass->dependency_count && result == VKR_OK; at++)
		if (is_foreseen(walk, &pass->dependencies[at], attachments))
			result = put_dependency(walk, &pass->dependencies[at], tag);
	if (result == VKR_OK)
		result = add_mark(walk, &walk->pass.foreseen);
	vkr_engine_section_end(walk->model->engine, walk->queue->timeline);
	return result;
}

enum vkr_result vkr_pass_foresee(struct vkr_walk *walk, uint64_t tag)
{
	struct vkr_walk_pass *pass = &walk->pass;
	enum vkr_result result = VKR_OK;
	drop_marks(&pass->foreseen);
	for (size_t at = 0; at < pass->uses.count && result == VKR_OK; at++) {
		struct vkr_attachment_use *use = &pass->uses.items[at];
		const uint32_t attachments[2] = {use->attachment, partner_of(walk, use)};
		if (!has_operations(use) || !pass_scopes_foresees(walk, attachments))
			continue;
		result = pass_scopes_foresee(walk, attachments, tag);
		if (result == VKR_OK)
			use->foreseen = pass->foreseen.items[pass->foreseen.count - 1];
	}
	return result;
}

// The operation knows what is known where it stands, and what all dependencies bring whose second
// scope includes it.
static enum vkr_result learn_attachment(struct vkr_walk *walk, const struct vkr_attachment_use *use,
					const uint32_t attachments[2], uint32_t command)
{
	const struct vkr_walk_marks *begins = &walk->pass.begins;
	enum vkr_result result = VKR_OK;
	for (uint32_t at = 0; at < walk->subpass && at < begins->count && result == VKR_OK; at++)
		if (uses_either(walk, at, attachments))
			result = vkr_engine_command_knows(walk->model->engine, command,
							  begins->items[at], walk->error);
	if (result == VKR_OK && use->foreseen != NULL)
		result = vkr_engine_command_knows(walk->model->engine, command, use->foreseen,
						  walk->error);
	return result;
}

// The stages that an operation is in (VkAttachmentDescription, "Render Pass Resolve Operations").
static uint64_t stages_of(const struct vkr_attachment_use *use, enum vkr_pass_operation_kind kind)
{
	const uint32_t depth = VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
	if (kind == VKR_PASS_RESOLVE || !(use->aspects & depth))
		return VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
	return kind == VKR_PASS_LOAD ? VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT
				     : VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
}

static const struct vkr_pass_operation *
find_operation(const struct vkr_walk *walk, uint32_t attachment, enum vkr_pass_operation_kind kind)
{
	for (size_t at = 0; at < walk->pass.operations.count; at++) {
		const struct vkr_pass_operation *of = &walk->pass.operations.items[at];
		if (of->kind == kind && of->subpass == walk->subpass &&
		    (of->attachments[0] == attachment || of->attachments[1] == attachment))
			return of;
	}
	return NULL;
}

enum vkr_result vkr_pass_operation(struct vkr_walk *walk, const struct vkr_attachment_use *use,
				   enum vkr_pass_operation_kind kind, struct vkr_command_info *info,
				   uint32_t *common, uint32_t *command)
{
	struct vkr_pass_operation made = {.kind = kind,
					  .subpass = walk->subpass,
					  .attachments = {use->attachment, use->attachment},
					  .stages = stages_of(use, kind)};
	enum vkr_result result = VKR_OK;
	if (walk->render_pass != NULL && kind == VKR_PASS_RESOLVE)
		made.attachments[1] = partner_of(walk, use);
	if (walk->render_pass == NULL || !is_elsewhere(walk, made.attachments)) {
		if (*common == 0)
			result = vkr_walk_begin_command(walk, info, &made.command);
		if (result == VKR_OK && *common == 0)
			*common = made.command;
		*command = *common;
		return result;
	}
	// The two sides of a resolve, and depth and stencil of one attachment, are one's.
	const struct vkr_pass_operation *known = find_operation(walk, use->attachment, kind);
	if (known != NULL) {
		*command = known->command;
		return VKR_OK;
	}
	if (!VKR_ARRAY_RESERVE(&walk->pass.operations, 1))
		return vkr_error_memory(walk->error, "a render pass");
	result = vkr_walk_begin_command(walk, info, &made.command);
	if (result != VKR_OK)
		return result;
	walk->pass.operations.items[walk->pass.operations.count++] = made;
	*command = made.command;
	return learn_attachment(walk, use, made.attachments, made.command);
}

void vkr_pass_scopes_end(struct vkr_walk *walk)
{
	struct vkr_walk_pass *pass = &walk->pass;
	for (size_t at = 0; at < pass->operations.count; at++)
		vkr_engine_command_end(walk->model->engine, pass->operations.items[at].command);
	pass->operations.count = 0;
	drop_marks(&pass->ends);
	drop_marks(&pass->begins);
	drop_marks(&pass->foreseen);
}

void vkr_pass_scopes_finish(struct vkr_walk_pass *pass)
{
	free(pass->operations.items);
	free(pass->members.items);
	free(pass->ends.items);
	free(pass->begins.items);
	free(pass->foreseen.items);
}

// ---- Draws beside them --------------------------------------------------------------------------

static struct vkr_sync_scope first_of(const struct vkr_trace_subpass_dependency *one)
{
	return vkr_scope_first(one->source_stages, one->source_access);
}

static struct vkr_sync_scope second_of(const struct vkr_trace_subpass_dependency *one)
{
	return vkr_scope_second(one->destination_stages, one->destination_access);
}

// Whether a dependency holds what draws do to the attachment, on its side.
static bool holds_draws(const struct vkr_attachment_use *use, const struct vkr_sync_scope *scope,
			bool first)
{
	const bool color =
		stages_of(use, VKR_PASS_LOAD) == VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
	const uint64_t stages =
		color ? VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT : DEPTH_STAGES;
	const uint64_t writes = color ? VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT
				      : VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
	const uint64_t reads = color ? VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT
				     : VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT;
	const uint64_t accesses = first ? writes : reads;
	return !(stages & ~scope->stages) && !(accesses & ~scope->accesses);
}

// Whether draws of the subpass are before a dependency from another one, as a load operation is:
// by one from here that chains with it.
static bool draws_lead_to(const struct vkr_walk *walk, const struct vkr_attachment_use *use,
			  const struct vkr_trace_subpass_dependency *other)
{
	const struct vkr_render_pass *pass = walk->render_pass;
	const struct vkr_sync_scope end = first_of(other);
	for (uint32_t at = 0; at < pass->dependency_count; at++) {
		const struct vkr_trace_subpass_dependency *one = &pass->dependencies[at];
		const struct vkr_sync_scope first = first_of(one), second = second_of(one);
		if (one->source == walk->subpass && one->destination == other->source &&
		    holds_draws(use, &first, true) && (second.execution & end.execution))
			return true;
	}
	return false;
}

// Whether draws of the subpass come after a dependency to another subpass, as a store operation
// does: by a dependency to this subpass that chains with it.
static bool draws_follow(const struct vkr_walk *walk, const struct vkr_attachment_use *use,
			 const struct vkr_trace_subpass_dependency *other)
{
	const struct vkr_render_pass *pass = walk->render_pass;
	const struct vkr_sync_scope begin = second_of(other);
	for (uint32_t at = 0; at < pass->dependency_count; at++) {
		const struct vkr_trace_subpass_dependency *one = &pass->dependencies[at];
		const struct vkr_sync_scope first = first_of(one), second = second_of(one);
		if (one->destination == walk->subpass && one->source == other->destination &&
		    holds_draws(use, &second, false) && (begin.execution & first.execution))
			return true;
	}
	return false;
}

void vkr_pass_find_apart(struct vkr_walk *walk)
{
	const struct vkr_render_pass *pass = walk->render_pass;
	for (size_t i = 0; i < walk->pass.uses.count; i++) {
		struct vkr_attachment_use *use = &walk->pass.uses.items[i];
		for (uint32_t at = 0; at < pass->dependency_count; at++) {
			const struct vkr_trace_subpass_dependency *one = &pass->dependencies[at];
			if (one->source == one->destination)
				continue;
			if (use->load_views != 0 && one->source > walk->subpass &&
			    vkr_render_pass_uses(pass, one->source, use->attachment))
				use->load_apart |= !draws_lead_to(walk, use, one);
			if (use->store_views != 0 && one->destination < walk->subpass &&
			    vkr_render_pass_uses(pass, one->destination, use->attachment))
				use->store_apart |= !draws_follow(walk, use, one);
		}
	}
}
