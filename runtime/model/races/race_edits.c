// SPDX-License-Identifier: Apache-2.0
// What may order two accesses follows from where they stand: "Render Pass Creation" has
// dependencies between subpasses and to what is outside of the pass, vkCmdPipelineBarrier within a
// subpass only what a dependency of it on itself permits, and a pass that is ended and begun again
// is two passes.
#include "race_edits.h"

#include "change_place.h"
#include "framebuffer_places.h"
#include "model_state.h"
#include "race_keys.h"
#include "race_places.h"
#include "scopes.h"

#include <string.h>

#include <vulkan/vulkan_core.h>

#define DEPTH_STAGES                                                                               \
	(VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT)
#define DEPTH_WRITE  VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT
#define DEPTH_ACCESS (VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | DEPTH_WRITE)
#define COLOR_STAGE  VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT
#define COLOR_WRITE  VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT
#define COLOR_ACCESS (VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | COLOR_WRITE)

// One of the two accesses, and what made it.
struct side {
	const struct vkr_engine_access *access;
	const struct vkr_access_site *site;
	const struct vkr_executed *executed;
	// The command whose own access it is: a subpass's are of those that begin and end it.
	const struct vkr_command_info *info;
	bool transition; // by dependencies of a render pass
};

static struct side side_of(struct vkr_model *model, const struct vkr_engine_access *access)
{
	struct side side = {.access = access,
			    .site = vkr_race_site(model, access),
			    .executed = &model->names.executed.items[access->tag]};
	side.info = side.site->kind == VKR_SITE_OF_COMMAND ? side.site->info : side.executed->info;
	side.transition =
		access->stage == VKR_ENGINE_TRANSITION && side.executed->between_subpasses;
	return side;
}

// ---- Places -------------------------------------------------------------------------------------

// The command's place; false for lack of memory.
static bool make_place(struct vkr_model *model, const struct vkr_command_info *info,
		       struct vkr_change_place *place)
{
	*place = (struct vkr_change_place){
		.call = vkr_call_offset_text(&model->stacks, &model->texts, info->caller),
		.labels = info->labels,
		.command_buffer = info->command_buffer,
		.command = info->index + 1,
		.name = info->name,
		.recorded =
			vkr_call_place_text(&model->stacks, &model->texts, info->caller,
					    model->options.place_words, model->options.place_user)};
	return place->call != NULL && place->recorded != NULL;
}

// Calls that distinguish an access of the host from others: those of libraries stand within the
// program's.
#define HOST_CALLS 3u

// Where the host does it, in what calls; "" without a call stack.
static const char *host_calls(struct vkr_model *model, const struct side *side)
{
	const struct vkr_call_stack *stack = side->site->stack;
	const char *calls = "";
	for (uint32_t at = 0; stack != NULL && at < stack->frame_count && at < HOST_CALLS; at++) {
		const char *one =
			vkr_call_offset_text(&model->stacks, &model->texts, stack->frames[at]);
		if (one != NULL && *one == '\0')
			break;
		calls = one != NULL && calls != NULL
				? vkr_texts_format(&model->texts, "%s%s%s", calls,
						   at > 0 ? ", " : "", one)
				: NULL;
	}
	return calls;
}

// The place of what the host does; false for lack of memory.
static bool make_host_place(struct vkr_model *model, const struct side *side,
			    struct vkr_change_place *place)
{
	*place = (struct vkr_change_place){.call = host_calls(model, side),
					   .labels = "",
					   .command_buffer = "",
					   .name = side->site->operation,
					   .recorded = vkr_race_stack_text(model, side->site)};
	return place->call != NULL && place->recorded != NULL;
}

static bool is_called(const struct vkr_command_info *info, const char *name)
{
	return info != NULL && strncmp(info->name, name, strlen(name)) == 0;
}

// ---- Masks --------------------------------------------------------------------------------------

// Bits that Vulkan knows; the engine's own stages stand for others.
static bool are_vulkan(uint64_t stages, uint64_t accesses)
{
	const uint64_t own = VKR_ENGINE_QUERY | VKR_ENGINE_TRANSITION | VKR_STAGE_PRESENTATION |
			     VKR_STAGE_MARKER;
	return ((stages | accesses) & own) == 0;
}

struct scope {
	uint64_t stages, accesses;
};

// What a subpass does to its attachments.
static struct scope uses_of(const struct vkr_render_pass *pass, uint32_t subpass)
{
	struct scope scope = {0, 0};
	if (subpass >= pass->subpass_count)
		return scope;
	for (uint32_t at = pass->first_references[subpass];
	     at < pass->first_references[subpass + 1]; at++) {
		switch ((enum vkr_trace_attachment_role)pass->references[at].role) {
		case VKR_ATTACHMENT_INPUT:
			scope.stages |= VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
			scope.accesses |= VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT;
			break;
		case VKR_ATTACHMENT_COLOR:
		case VKR_ATTACHMENT_RESOLVE:
		case VKR_ATTACHMENT_DEPTH_STENCIL_RESOLVE:
			scope.stages |= COLOR_STAGE;
			scope.accesses |= COLOR_ACCESS;
			break;
		case VKR_ATTACHMENT_DEPTH_STENCIL:
		case VKR_ATTACHMENT_DEPTH:
		case VKR_ATTACHMENT_STENCIL:
			scope.stages |= DEPTH_STAGES;
			scope.accesses |= DEPTH_ACCESS;
			break;
		case VKR_ATTACHMENT_SHADING_RATE:
			scope.stages |=
				VK_PIPELINE_STAGE_2_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR;
			scope.accesses |= VK_ACCESS_2_FRAGMENT_SHADING_RATE_ATTACHMENT_READ_BIT_KHR;
			break;
		case VKR_ATTACHMENT_DENSITY_MAP:
			scope.stages |= VK_PIPELINE_STAGE_2_FRAGMENT_DENSITY_PROCESS_BIT_EXT;
			scope.accesses |= VK_ACCESS_2_FRAGMENT_DENSITY_MAP_READ_BIT_EXT;
			break;
		case VKR_ATTACHMENT_PRESERVE:
			break;
		}
	}
	return scope;
}

static uint64_t writes_among(uint64_t accesses)
{
	return accesses & (COLOR_WRITE | DEPTH_WRITE);
}

// The transition of an attachment that no subpass uses: at any time while the pass runs, so that
// only what holds all commands holds it.
static bool is_anytime(const struct side *side)
{
	return side->transition && side->executed->source_subpass == VK_SUBPASS_EXTERNAL &&
	       side->executed->destination_subpass == VK_SUBPASS_EXTERNAL;
}

// The side as a dependency has to name it. An attachment is tested early and late, and what loads
// it is followed by what writes it. Bits of the engine's own stay.
static void scope_of(const struct side *side, bool first, struct scope *scope)
{
	*scope = (struct scope){side->access->stage, side->access->access};
	if (is_anytime(side)) {
		scope->stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
		scope->accesses =
			VK_ACCESS_2_MEMORY_WRITE_BIT | (first ? 0 : VK_ACCESS_2_MEMORY_READ_BIT);
		return;
	}
	if (side->transition && side->executed->render_pass != NULL) {
		// What follows the first access, up to the dependency; what it leads into of the
		// second.
		const uint32_t destination = side->executed->destination_subpass;
		const uint32_t subpass = first && destination == VK_SUBPASS_EXTERNAL
						 ? side->executed->source_subpass
						 : destination;
		*scope = uses_of(side->executed->render_pass, subpass);
		if (first)
			scope->accesses = writes_among(scope->accesses);
		return;
	}
	if (scope->accesses & DEPTH_ACCESS) {
		scope->stages |= DEPTH_STAGES;
		scope->accesses |= first ? 0 : DEPTH_ACCESS;
	}
	if (scope->accesses & COLOR_ACCESS && !first)
		scope->accesses |= COLOR_ACCESS;
}

// A read needs nothing made available before it is overwritten.
static struct vkr_change_masks masks_of(const struct scope *first, const struct scope *second,
					bool memory)
{
	return (struct vkr_change_masks){first->stages, memory ? first->accesses : 0,
					 second->stages, memory ? second->accesses : 0};
}

// ---- Where the two stand ------------------------------------------------------------------------

static bool in_one_instance(const struct side *first, const struct side *second)
{
	return first->executed->pass_begin != NULL && second->executed->pass_begin != NULL &&
	       first->executed->pass_instance == second->executed->pass_instance;
}

// Draws, and what else stands in a subpass; not what begins and ends it.
static bool is_inside(const struct side *side)
{
	return !side->transition && side->info != NULL &&
	       !is_called(side->info, "vkCmdBeginRender") &&
	       !is_called(side->info, "vkCmdNextSubpass") &&
	       !is_called(side->info, "vkCmdEndRender");
}

static bool is_of_attachment(const struct side *side)
{
	return side->access->access &
	       (COLOR_ACCESS | DEPTH_ACCESS | VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT);
}

// What is being made of a race.
struct plan {
	struct vkr_change change;
	const struct vkr_command_info *place, *from;
	const struct side *host; // at which the change is, in place of `place`
	struct side first, second;
	struct scope first_scope, second_scope;
	bool memory;
	bool one_place; // of the framebuffer
};

static void plan_dependency(struct plan *plan, const struct side *of, uint32_t source,
			    uint32_t destination)
{
	plan->change.kind = VKR_CHANGE_DEPENDENCY;
	plan->change.subpasses.source = source;
	plan->change.subpasses.destination = destination;
	plan->place = of->executed->pass_begin;
}

// A pass that is ended and begun again also orders its own stores and loads of attachments.
static void plan_split(struct plan *plan)
{
	const struct vkr_executed *executed = plan->second.executed;
	const struct vkr_render_pass *pass = executed->render_pass;
	struct scope uses = {COLOR_STAGE | DEPTH_STAGES, COLOR_ACCESS | DEPTH_ACCESS};
	// What executes a secondary command buffer is not known here, and only a primary can end
	// the pass.
	if ((pass != NULL && pass->subpass_count != 1) ||
	    strcmp(plan->second.info->command_buffer, executed->pass_begin->command_buffer) != 0)
		return;
	if (pass != NULL)
		uses = uses_of(pass, 0);
	plan->change.kind = VKR_CHANGE_SPLIT;
	plan->change.subpasses.flags = 0;
	plan->place = plan->second.info;
	plan->from = executed->pass_begin;
	plan->memory = true;
	plan->first_scope.stages |= uses.stages;
	plan->first_scope.accesses |= writes_among(uses.accesses);
	plan->second_scope.stages |= uses.stages;
	plan->second_scope.accesses |= uses.accesses;
}

// Within one subpass. Where both stages are of the framebuffer, only what is at one place of it can
// be ordered there.
static void plan_inside(struct plan *plan)
{
	const bool first = vkr_scope_framebuffer_space(plan->first_scope.stages);
	const bool second = vkr_scope_framebuffer_space(plan->second_scope.stages);
	const bool one_place = plan->one_place && is_of_attachment(&plan->first) &&
			       is_of_attachment(&plan->second);
	if (!is_inside(&plan->first) || !is_inside(&plan->second))
		return;
	if (plan->second.executed->render_pass == NULL || (first && (!second || !one_place))) {
		plan_split(plan);
		return;
	}
	plan->change.kind = VKR_CHANGE_BARRIER_INSIDE;
	plan->change.subpasses.source = plan->change.subpasses.destination =
		plan->second.executed->subpass_index;
	plan->change.subpasses.flags = first && second ? VK_DEPENDENCY_BY_REGION_BIT : 0;
	plan->place = plan->second.info;
	plan->from = plan->second.executed->pass_begin;
}

// Where the side stands among the subpasses: a transition before the one that it leads into.
static uint32_t subpass_of(const struct side *side)
{
	return side->transition ? side->executed->destination_subpass
				: side->executed->subpass_index;
}

// The first access is the transition into the subpass of the second.
static void plan_transition(struct plan *plan, uint32_t to)
{
	const struct vkr_executed *executed = plan->first.executed;
	plan->first_scope = uses_of(executed->render_pass, executed->source_subpass);
	plan->first_scope.accesses = writes_among(plan->first_scope.accesses);
	plan_dependency(plan, &plan->first, executed->source_subpass, to);
}

static void plan_in_instance(struct plan *plan)
{
	const struct side *first = &plan->first, *second = &plan->second;
	if (second->executed->render_pass == NULL) {
		plan_inside(plan);
		return;
	}
	const uint32_t from = subpass_of(first), to = subpass_of(second);
	if (second->transition &&
	    second->executed->source_subpass == first->executed->subpass_index)
		plan_dependency(plan, second, second->executed->source_subpass, to);
	else if (second->transition && second->executed->source_subpass != VK_SUBPASS_EXTERNAL &&
		 from < second->executed->source_subpass)
		plan_dependency(plan, second, from, second->executed->source_subpass);
	else if (second->transition)
		return;
	else if (first->transition && from == to)
		plan_transition(plan, to);
	else if (from < to)
		plan_dependency(plan, second, from, to);
	else if (from == to)
		plan_inside(plan);
}

static bool is_transition_of_barrier(const struct side *side)
{
	return side->access->stage == VKR_ENGINE_TRANSITION && !side->transition &&
	       is_called(side->info, "vkCmdPipelineBarrier");
}

// The kind of dependency that orders the two.
static void plan_between(struct plan *plan)
{
	const struct side *first = &plan->first, *second = &plan->second;
	const bool anytime = is_anytime(first) || is_anytime(second);
	if (in_one_instance(first, second)) {
		if (!anytime)
			plan_in_instance(plan);
		return;
	}
	if (!anytime && second->transition &&
	    second->executed->source_subpass == VK_SUBPASS_EXTERNAL) {
		plan_dependency(plan, second, VK_SUBPASS_EXTERNAL,
				second->executed->destination_subpass);
		return;
	}
	if (!anytime && first->transition &&
	    first->executed->destination_subpass == VK_SUBPASS_EXTERNAL) {
		plan_dependency(plan, first, first->executed->source_subpass, VK_SUBPASS_EXTERNAL);
		return;
	}
	// A barrier's own layout transition is between its two halves.
	if (is_transition_of_barrier(second)) {
		plan->change.kind = VKR_CHANGE_MASKS;
		plan->place = second->info;
		plan->second_scope = (struct scope){0, 0};
		plan->memory = true;
		return;
	}
	if (is_transition_of_barrier(first)) {
		plan->change.kind = VKR_CHANGE_MASKS;
		plan->place = first->info;
		plan->first_scope = (struct scope){0, 0};
		return;
	}
	plan->change.kind = VKR_CHANGE_BARRIER_BEFORE;
	plan->place =
		second->executed->pass_begin != NULL ? second->executed->pass_begin : second->info;
}

// Whether a subpass dependency holds the two where they stand: its masks can be made wider.
static bool race_edits_holds(const struct vkr_executed *dependency, const struct side *first,
			     const struct side *second)
{
	const uint64_t instance = dependency->pass_instance;
	const bool from_outside = dependency->source_subpass == VK_SUBPASS_EXTERNAL;
	const bool to_outside = dependency->destination_subpass == VK_SUBPASS_EXTERNAL;
	const bool first_in =
		first->executed->pass_begin != NULL && first->executed->pass_instance == instance;
	const bool second_in =
		second->executed->pass_begin != NULL && second->executed->pass_instance == instance;
	if (from_outside == first_in || to_outside == second_in || (from_outside && to_outside))
		return false;
	return (from_outside || first->transition ||
		first->executed->subpass_index == dependency->source_subpass) &&
	       (to_outside || second->transition ||
		second->executed->subpass_index == dependency->destination_subpass);
}

uint32_t vkr_race_lacks(const struct vkr_model *model, const struct vkr_engine_race *race)
{
	const struct vkr_change_masks *masks;
	uint32_t lacks = race->shortfall;
	if (!race->has_nearest)
		return lacks;
	masks = &model->names.executed.items[race->nearest].masks;
	if (masks->source_stages == 0 && masks->destination_stages == 0)
		return lacks; // not known
	if (lacks & VKR_SHORT_SOURCE_ACCESS && are_vulkan(race->first.stage, 0) &&
	    !(vkr_scope_first(masks->source_stages, 0).stages & race->first.stage))
		lacks |= VKR_SHORT_SOURCE_STAGE;
	if (lacks & VKR_SHORT_DESTINATION_ACCESS && are_vulkan(race->second.stage, 0) &&
	    !(vkr_scope_second(masks->destination_stages, 0).stages & race->second.stage))
		lacks |= VKR_SHORT_DESTINATION_STAGE;
	return lacks;
}

uint64_t vkr_race_source_stages(const struct vkr_engine_race *race)
{
	return race->waiting_stages != 0 ? vkr_scope_written(race->waiting_stages)
					 : race->first.stage;
}

// The bits that the nearest dependency lacks, all of them.
static void plan_masks(struct plan *plan, uint32_t lacks, const struct vkr_executed *nearest)
{
	if (nearest->between_subpasses) {
		if (!race_edits_holds(nearest, &plan->first, &plan->second)) {
			plan_between(plan);
			return;
		}
		plan_dependency(plan,
				nearest->source_subpass == VK_SUBPASS_EXTERNAL ? &plan->second
									       : &plan->first,
				nearest->source_subpass, nearest->destination_subpass);
		if (nearest->implicit)
			return; // all of a new one
	} else if ((!is_called(nearest->info, "vkCmdPipelineBarrier") &&
		    !is_called(nearest->info, "vkCmdWaitEvents")) ||
		   // What the event was set with would have to be changed as well, wherever that
		   // is.
		   is_called(nearest->info, "vkCmdWaitEvents2") ||
		   (nearest->set_elsewhere && lacks & VKR_SHORT_SOURCE_STAGE) ||
		   lacks & VKR_SHORT_RANGE || nearest->pass_begin != NULL) {
		plan_between(plan);
		return;
	} else {
		plan->change.kind = VKR_CHANGE_MASKS;
		plan->place = nearest->info;
	}
	plan->memory = true;
	if (!(lacks & VKR_SHORT_SOURCE_STAGE))
		plan->first_scope.stages = 0;
	if (!(lacks & VKR_SHORT_SOURCE_ACCESS))
		plan->first_scope.accesses = 0;
	if (!(lacks & VKR_SHORT_DESTINATION_STAGE))
		plan->second_scope.stages = 0;
	if (!(lacks & VKR_SHORT_DESTINATION_ACCESS))
		plan->second_scope.accesses = 0;
}

static void plan_region(struct plan *plan, const struct vkr_engine_race *race,
			const struct vkr_executed *nearest)
{
	if (!race->has_nearest || !nearest->between_subpasses ||
	    nearest->source_subpass == nearest->destination_subpass) {
		// Within a subpass nothing orders what is at different places.
		if (in_one_instance(&plan->first, &plan->second) &&
		    subpass_of(&plan->first) == subpass_of(&plan->second) &&
		    is_inside(&plan->first) && is_inside(&plan->second))
			plan_split(plan);
		else
			plan_between(plan);
		return;
	}
	if (!race_edits_holds(nearest, &plan->first, &plan->second)) {
		plan_between(plan);
		return;
	}
	plan_dependency(
		plan, nearest->source_subpass == VK_SUBPASS_EXTERNAL ? &plan->second : &plan->first,
		nearest->source_subpass, nearest->destination_subpass);
	plan->change.subpasses.flags = VK_DEPENDENCY_BY_REGION_BIT | VK_DEPENDENCY_VIEW_LOCAL_BIT;
}

// An implicit dependency of the pass is not there beside one that the program writes: the new one
// orders what the subpass does to all of its attachments.
static void complete_dependency(struct plan *plan)
{
	const struct vkr_executed *executed = plan->place == plan->second.executed->pass_begin
						      ? plan->second.executed
						      : plan->first.executed;
	const struct vkr_render_pass *pass = executed->render_pass;
	const uint32_t source = plan->change.subpasses.source;
	const uint32_t destination = plan->change.subpasses.destination;
	for (uint32_t at = 0; at < pass->dependency_count; at++)
		if (pass->dependencies[at].source == source &&
		    pass->dependencies[at].destination == destination) {
			plan->change.subpasses.dependency = at + 1;
			return;
		}
	if (source == VK_SUBPASS_EXTERNAL) {
		const struct scope uses = uses_of(pass, destination);
		plan->first_scope.accesses = plan->memory ? plan->first_scope.accesses : 0;
		plan->memory = true;
		plan->second_scope.stages |= uses.stages;
		plan->second_scope.accesses |= uses.accesses;
	} else if (destination == VK_SUBPASS_EXTERNAL) {
		const struct scope uses = uses_of(pass, source);
		plan->first_scope.stages |= uses.stages;
		plan->first_scope.accesses |= writes_among(uses.accesses);
	}
}

// A layout transition is in no stage that a semaphore could name: all commands hold it.
static void hold_transitions(struct plan *plan)
{
	if (plan->first.access->stage == VKR_ENGINE_TRANSITION && plan->first_scope.stages != 0)
		plan->first_scope = (struct scope){VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0};
	if (plan->second.access->stage == VKR_ENGINE_TRANSITION && plan->second_scope.stages != 0)
		plan->second_scope = (struct scope){VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, 0};
}

// ---- The change ---------------------------------------------------------------------------------

// The scope of a barrier to the host's access. What was only read is done with when it was waited
// for.
static void plan_to_host(struct plan *plan, const struct vkr_race_report *report)
{
	plan->memory = true;
	if (plan->first.access->stage == VKR_ENGINE_TRANSITION)
		plan->first_scope = (struct scope){VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
						   VK_ACCESS_2_MEMORY_WRITE_BIT};
	plan->second_scope = (struct scope){VK_PIPELINE_STAGE_2_HOST_BIT,
					    report->second.write ? VK_ACCESS_2_HOST_WRITE_BIT
								 : VK_ACCESS_2_HOST_READ_BIT};
	if (!report->first.write || report->race_class == VKR_RACE_FREE)
		plan->first_scope = plan->second_scope = (struct scope){0, 0};
}

static void plan_remedy(struct vkr_model *model, const struct vkr_engine_race *race,
			const struct vkr_race_report *report, enum vkr_race_remedy remedy,
			struct plan *plan)
{
	const struct vkr_executed *nearest =
		race->has_nearest ? &model->names.executed.items[race->nearest] : NULL;
	switch (remedy) {
	case VKR_REMEDY_OTHER:
		break;
	case VKR_REMEDY_BARRIER:
		plan_between(plan);
		break;
	case VKR_REMEDY_MASKS:
		plan_masks(plan, vkr_race_lacks(model, race), nearest);
		break;
	case VKR_REMEDY_REGION:
		plan_region(plan, race, nearest);
		break;
	case VKR_REMEDY_TO_HOST:
		plan->change.kind = VKR_CHANGE_BARRIER_AFTER;
		plan->place = plan->first.info;
		plan_to_host(plan, report);
		break;
	case VKR_REMEDY_WAIT:
	case VKR_REMEDY_SIGNAL:
		if (remedy == VKR_REMEDY_WAIT)
			plan->first_scope = (struct scope){0, 0};
		else
			plan->second_scope = (struct scope){0, 0};
		hold_transitions(plan);
		plan->change.kind = remedy == VKR_REMEDY_WAIT ? VKR_CHANGE_WAIT : VKR_CHANGE_SIGNAL;
		plan->place = remedy == VKR_REMEDY_WAIT ? plan->second.info : plan->first.info;
		break;
	case VKR_REMEDY_SEMAPHORE:
		hold_transitions(plan);
		plan->change.kind = VKR_CHANGE_SEMAPHORE;
		plan->place = plan->second.info;
		plan->from = plan->first.info;
		break;
	case VKR_REMEDY_HOST_WAIT:
		plan->change.kind = VKR_CHANGE_HOST_WAIT;
		plan->host = &plan->second;
		plan->from = plan->first.info;
		plan_to_host(plan, report);
		break;
	case VKR_REMEDY_FLUSH:
	case VKR_REMEDY_INVALIDATE:
		plan->change.kind =
			remedy == VKR_REMEDY_FLUSH ? VKR_CHANGE_FLUSH : VKR_CHANGE_INVALIDATE;
		plan->host = remedy == VKR_REMEDY_FLUSH ? &plan->first : &plan->second;
		plan->first_scope = plan->second_scope = (struct scope){0, 0};
		break;
	}
}

// Of several samples, a fragment may access others than its own.
static bool is_of_one_sample(const struct vkr_model *model, const struct vkr_engine_race *race,
			     const struct vkr_engine_access *access)
{
	const struct vkr_image *image = vkr_race_object_of(model, race, access).image;
	return image == NULL || image->samples <= 1;
}

bool vkr_race_edit_add(struct vkr_model *model, const struct vkr_engine_race *race,
		       const struct vkr_change **edit)
{
	if (*edit == NULL || (*edit)->kind != VKR_CHANGE_FLUSH)
		return true;
	const struct side host = side_of(model, &race->first);
	const char *calls = (*edit)->place.call, *call = host_calls(model, &host);
	if (call == NULL || *call == '\0')
		return call != NULL;
	// In one order, whatever the order is in which races are found.
	bool there = false;
	const char *after = vkr_change_call_find(calls, call, &there);
	if (there)
		return true;
	struct vkr_change *more = vkr_arena_alloc(&model->names.arena, sizeof *more);
	if (more == NULL)
		return false;
	*more = **edit;
	more->place.call =
		*after != '\0'
			? vkr_texts_format(&model->texts, "%.*s%s" VKR_CHANGE_OTHER_CALL "%s",
					   (int)(after - calls), calls, call, after)
			: vkr_texts_format(&model->texts, "%s" VKR_CHANGE_OTHER_CALL "%s", calls,
					   call);
	*edit = more;
	return more->place.call != NULL;
}

bool vkr_race_edit_make(struct vkr_model *model, const struct vkr_engine_race *race,
			const struct vkr_race_report *report, enum vkr_race_remedy remedy,
			const struct vkr_change **edit)
{
	struct plan plan = {.change = {.place = VKR_CHANGE_NOWHERE, .from = VKR_CHANGE_NOWHERE},
			    .first = side_of(model, &race->first),
			    .second = side_of(model, &race->second),
			    .memory = report->first.write,
			    .one_place = is_of_one_sample(model, race, &race->first) &&
					 is_of_one_sample(model, race, &race->second) &&
					 vkr_framebuffer_same_pixel(model, race)};
	*edit = NULL;
	scope_of(&plan.first, true, &plan.first_scope);
	scope_of(&plan.second, false, &plan.second_scope);
	if (race->waiting_stages != 0)
		plan.first_scope = (struct scope){vkr_race_source_stages(race), 0};
	plan_remedy(model, race, report, remedy, &plan);
	if (plan.place == NULL && plan.host == NULL)
		return true;
	if (plan.change.kind == VKR_CHANGE_DEPENDENCY)
		complete_dependency(&plan);
	plan.change.masks = masks_of(&plan.first_scope, &plan.second_scope, plan.memory);
	struct vkr_change_masks *masks = &plan.change.masks;
	if (plan.change.subpasses.flags != 0 && plan.change.kind == VKR_CHANGE_DEPENDENCY)
		*masks = (struct vkr_change_masks){0};
	if (!are_vulkan(masks->source_stages | masks->destination_stages,
			masks->source_access | masks->destination_access))
		return true;
	plan.change.legacy =
		(struct vkr_change_masks){vkr_scope_legacy_stages(masks->source_stages),
					  vkr_scope_legacy_accesses(masks->source_access),
					  vkr_scope_legacy_stages(masks->destination_stages),
					  vkr_scope_legacy_accesses(masks->destination_access)};
	struct vkr_change *kept = vkr_arena_alloc(&model->names.arena, sizeof *kept);
	if (kept == NULL ||
	    !(plan.host != NULL ? make_host_place(model, plan.host, &plan.change.place)
				: make_place(model, plan.place, &plan.change.place)) ||
	    (plan.from != NULL && !make_place(model, plan.from, &plan.change.from)))
		return false;
	if (plan.host != NULL && *plan.change.place.call == '\0')
		return true;
	*kept = plan.change;
	*edit = kept;
	return true;
}
