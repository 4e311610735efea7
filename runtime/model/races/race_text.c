// SPDX-License-Identifier: Apache-2.0
// What is missing between the two accesses of a race, and the smallest change that orders them, in
// words. Knows what the engine said falls short; not how it found out.
#include "framebuffer_places.h"
#include "model_state.h"
#include "owner_text.h"
#include "race_edits.h"
#include "race_places.h"
#include "race_sentences.h"
#include "scopes.h"
#include "site_table.h"

#include <string.h>

// Two parts of a command that are commands to the engine: builds.
static bool in_one_command(const struct vkr_engine_race *race)
{
	return race->first.tag == race->second.tag && race->first.command != race->second.command;
}

static bool same_submission(const struct vkr_race_report *report)
{
	return report->first.command.submission == report->second.command.submission &&
	       report->first.command.queue == report->second.command.queue;
}

// What a shader of a draw accesses, and the draw itself in an attachment.
static bool in_one_draw(const struct vkr_race_report *report)
{
	return same_submission(report) &&
	       strcmp(report->first.command.command_buffer,
		      report->second.command.command_buffer) == 0 &&
	       report->first.command.command == report->second.command.command &&
	       report->first.agent != report->second.agent &&
	       (report->first.agent == VKR_AGENT_INVOCATION ||
		report->second.agent == VKR_AGENT_INVOCATION);
}

// What is in no command buffer.
static bool is_presentation(const struct vkr_command_place *command)
{
	return command->command_buffer[0] == '\0';
}

// " of submission 3"; nothing for 0.
static void add_submission(struct vkr_text *text, uint32_t submission)
{
	if (submission != 0)
		vkr_text_add(text, " of submission %u", submission);
}

// "command 3 (vkCmdDispatch)", with the submission where the two differ in it.
static void add_command(struct vkr_text *text, const struct vkr_access_report *access,
			bool submission)
{
	const struct vkr_command_place *command = &access->command;
	if (access->agent == VKR_AGENT_HOST) {
		vkr_text_add(text, "the %s", access->operation);
		return;
	}
	if (is_presentation(command))
		vkr_text_add(text, "%s", command->name);
	else
		vkr_text_add(text, "command %u (%s)", command->command, command->name);
	if (submission)
		add_submission(text, command->submission);
}

static void add_subpass(struct vkr_text *text, uint32_t subpass)
{
	if (subpass == VKR_CHANGE_EXTERNAL)
		vkr_text_add(text, "VK_SUBPASS_EXTERNAL");
	else
		vkr_text_add(text, "subpass %u", subpass);
}

// "VkSubpassDependency 1 (subpass 0 to subpass 1) of the render pass that command 4 of submission 2
// begins"; dependency 0: one that the program does not write.
static void add_subpass_dependency(struct vkr_text *text, uint32_t dependency, uint32_t source,
				   uint32_t destination, uint32_t begin, uint32_t submission)
{
	if (dependency != 0)
		vkr_text_add(text, "VkSubpassDependency %u (", dependency - 1);
	else
		vkr_text_add(text, "the implicit VkSubpassDependency (");
	add_subpass(text, source);
	vkr_text_add(text, " to ");
	add_subpass(text, destination);
	vkr_text_add(text, ") of the render pass that command %u", begin);
	add_submission(text, submission);
	vkr_text_add(text, " begins");
}

// With its submission where the two accesses are of different ones.
static void add_dependency(struct vkr_text *text, const struct vkr_executed *dependency,
			   const struct vkr_race_report *report)
{
	const uint32_t submission = same_submission(report) ? 0 : dependency->submission;
	const char *name = dependency->info != NULL ? dependency->info->name : "a dependency";
	const uint32_t index = dependency->info != NULL ? dependency->info->index + 1 : 0;
	if (dependency->between_subpasses && dependency->pass_begin != NULL)
		add_subpass_dependency(text, dependency->dependency, dependency->source_subpass,
				       dependency->destination_subpass,
				       dependency->pass_begin->index + 1, submission);
	else {
		vkr_text_add(text, "%s in command %u", name, index);
		add_submission(text, submission);
	}
}

static void add_both(struct vkr_text *text, const struct vkr_race_report *report)
{
	const bool submission = !same_submission(report);
	add_command(text, &report->first, submission);
	vkr_text_add(text, " and ");
	add_command(text, &report->second, submission);
}

// ---- What is missing ----------------------------------------------------------------------------

// The masks of the nearest dependency that lack a bit, and the bit.
struct lack {
	const char *mask;
	uint64_t bit; // 0: it does not lack
	bool stage;
};

static bool nearest_lacks(const struct vkr_engine_race *race)
{
	return race->has_nearest &&
	       race->shortfall & (VKR_SHORT_SOURCE_STAGE | VKR_SHORT_SOURCE_ACCESS |
				  VKR_SHORT_DESTINATION_STAGE | VKR_SHORT_DESTINATION_ACCESS |
				  VKR_SHORT_RANGE);
}

// A semaphore is waited for, but it orders other stages. On one queue it may be other dependencies
// that order these.
static bool waits_elsewhere(const struct vkr_model *model, const struct vkr_engine_race *race,
			    const struct vkr_race_report *report)
{
	const struct vkr_executed *first = &model->names.executed.items[race->first.tag];
	const struct vkr_executed *second = &model->names.executed.items[race->second.tag];
	return !race->has_nearest && !same_submission(report) &&
	       race->shortfall & (VKR_SHORT_SOURCE_STAGE | VKR_SHORT_DESTINATION_STAGE) &&
	       (first->queue != second->queue ||
		vkr_submissions_waits(&model->submissions, second->queue, second->submission));
}

static void find_lacks(const struct vkr_model *model, const struct vkr_engine_race *race,
		       struct lack lacks[4])
{
	const uint32_t of = vkr_race_lacks(model, race);
	lacks[0] =
		(struct lack){"srcStageMask",
			      of & VKR_SHORT_SOURCE_STAGE ? vkr_race_source_stages(race) : 0, true};
	lacks[1] = (struct lack){"srcAccessMask",
				 of & VKR_SHORT_SOURCE_ACCESS ? race->first.access : 0, false};
	lacks[2] = (struct lack){"dstStageMask",
				 of & VKR_SHORT_DESTINATION_STAGE ? race->second.stage : 0, true};
	lacks[3] =
		(struct lack){"dstAccessMask",
			      of & VKR_SHORT_DESTINATION_ACCESS ? race->second.access : 0, false};
}

static void add_bits(struct vkr_text *text, uint64_t mask, bool stages)
{
	if (stages)
		vkr_scope_add_stages(text, mask);
	else
		vkr_scope_add_accesses(text, mask);
}

// The bits as a program of core Vulkan 1.0 can write them.
static void add_legacy_bits(struct vkr_text *text, uint64_t mask, bool stages)
{
	add_bits(text, stages ? vkr_scope_legacy_stages(mask) : vkr_scope_legacy_accesses(mask),
		 stages);
}

// "; it has COPY / TRANSFER_WRITE -> VERTEX_SHADER / NONE".
static void add_masks_of(struct vkr_text *text, const struct vkr_executed *dependency)
{
	const struct vkr_change_masks *masks = &dependency->masks;
	if (masks->source_stages == 0 && masks->destination_stages == 0)
		return;
	if (dependency->barriers < 2)
		vkr_text_add(text, "; it has ");
	else
		vkr_text_add(text, "; its %u barriers together have ", dependency->barriers);
	vkr_scope_add_stages(text, masks->source_stages);
	vkr_text_add(text, " / ");
	vkr_scope_add_accesses(text, masks->source_access);
	vkr_text_add(text, " -> ");
	vkr_scope_add_stages(text, masks->destination_stages);
	vkr_text_add(text, " / ");
	vkr_scope_add_accesses(text, masks->destination_access);
}

// "vkCmdPipelineBarrier in command 12: srcAccessMask lacks SHADER_STORAGE_WRITE".
static void add_nearest(struct vkr_model *model, struct vkr_text *text,
			const struct vkr_engine_race *race, const struct vkr_race_report *report)
{
	const struct vkr_executed *nearest = &model->names.executed.items[race->nearest];
	add_dependency(text, nearest, report);
	struct lack lacks[4];
	const char *before = ": ";
	find_lacks(model, race, lacks);
	for (size_t at = 0; at < 4; at++) {
		if (lacks[at].bit == 0)
			continue;
		vkr_text_add(text, "%s%s lacks ", before, lacks[at].mask);
		add_bits(text, lacks[at].bit, lacks[at].stage);
		before = ", ";
	}
	if (race->waiting_stages != 0)
		vkr_text_add(text, ", in which a semaphore is waited for");
	if (race->shortfall & VKR_SHORT_RANGE)
		vkr_text_add(text, "%sno range of its barriers covers the bytes", before);
	add_masks_of(text, nearest);
}

// Races between places of the framebuffer and between queue families have words of their own; false
// where it is none of these.
static bool add_of_places(struct vkr_model *model, struct vkr_text *text,
			  const struct vkr_engine_race *race, const struct vkr_race_report *report,
			  bool change)
{
	if (race->shortfall & (VKR_SHORT_OTHER_REGION | VKR_SHORT_OTHER_VIEW)) {
		struct vkr_text split = {0};
		if (race->has_nearest)
			add_dependency(&split, &model->names.executed.items[race->nearest], report);
		else
			vkr_text_add(&split, "the dependency between the two");
		if (!split.failed)
			(change ? vkr_framebuffer_change : vkr_framebuffer_missing)(model, race,
										    &split, text);
		text->failed |= split.failed;
		vkr_text_finish(&split);
	} else if (race->shortfall & VKR_SHORT_OWNERSHIP) {
		(change ? vkr_owner_change : vkr_owner_missing)(model, race, report, text);
	} else if (race->race_class == VKR_RACE_SCOPE) {
		(change ? vkr_atomics_change : vkr_atomics_missing)(model, race, report, text);
	} else {
		return false;
	}
	return true;
}

static void add_between_commands(struct vkr_model *model, struct vkr_text *text,
				 const struct vkr_engine_race *race,
				 const struct vkr_race_report *report)
{
	if (race->race_class == VKR_RACE_FREE) {
		vkr_text_add(text, "the memory is freed while ");
		add_command(text, &report->first, false);
		vkr_text_add(text, " of submission %u may still use it",
			     report->first.command.submission);
	} else if (in_one_draw(report)) {
		vkr_text_add(text, "shaders of ");
		add_command(text, &report->first, false);
		vkr_text_add(text, " access texels of an attachment that it accesses itself: "
				   "no memory dependency is between the two");
	} else if (nearest_lacks(race)) {
		add_nearest(model, text, race, report);
	} else if (race->shortfall & VKR_SHORT_OTHER_SECTION) {
		add_dependency(text, &model->names.executed.items[race->nearest], report);
		vkr_text_add(text, ": it orders other subpasses");
	} else if (race->shortfall & VKR_SHORT_NOT_FLUSHED) {
		vkr_text_add(
			text,
			"no vkFlushMappedMemoryRanges covers the bytes between the host's write "
			"and the submission: the memory is not HOST_COHERENT");
	} else if (race->shortfall & VKR_SHORT_TO_HOST) {
		vkr_text_add(
			text,
			"no barrier with HOST in its dstStageMask and the host's access in its "
			"dstAccessMask");
	} else if (race->shortfall & VKR_SHORT_NOT_INVALIDATED) {
		vkr_text_add(text,
			     "no vkInvalidateMappedMemoryRanges covers the bytes between the wait "
			     "and the host's access: the memory is not HOST_COHERENT");
	} else if (race->shortfall & VKR_SHORT_TO_DEVICE) {
		vkr_text_add(text,
			     "no vkQueueSubmit, and no barrier with HOST_WRITE, between the host's "
			     "write and the device's access");
	} else if (waits_elsewhere(model, race, report)) {
		const bool source = race->shortfall & VKR_SHORT_SOURCE_STAGE;
		vkr_text_add(text, source ? "a semaphore that is waited for before "
					  : "a semaphore is waited for before ");
		add_command(text, &report->second, true);
		vkr_text_add(text, source ? " is signaled behind other stages than "
					  : " in other stages than ");
		add_bits(text, source ? race->first.stage : race->second.stage, true);
	} else if (race->shortfall & VKR_SHORT_NO_TOKEN && model->thread_order.own &&
		   report->first.agent == VKR_AGENT_HOST) {
		vkr_text_add(text, "nothing that host threads synchronize through orders ");
		add_both(text, report);
	} else if (race->shortfall & VKR_SHORT_NO_TOKEN) {
		vkr_text_add(text, "no semaphore, fence or wait orders ");
		add_both(text, report);
	} else if (in_one_command(race)) {
		vkr_text_add(text, "the builds of ");
		add_command(text, &report->first, false);
		vkr_text_add(text, " are in no order");
	} else {
		vkr_text_add(text, "no barrier between ");
		add_both(text, report);
	}
}

// "run() main.c:100", of "run() /src/main.c:100".
static void add_call(struct vkr_text *text, const char *call)
{
	const char *path = strstr(call, ") ");
	path = path != NULL ? path + 2 : call;
	const char *slash = strrchr(path, '/');
	vkr_text_add(text, "%.*s%s", slash != NULL ? (int)(path - call) : 0, call,
		     slash != NULL ? slash + 1 : call);
}

// What the host waited for last before its access, which is not enough.
static void add_last_wait(struct vkr_model *model, struct vkr_text *text,
			  const struct vkr_engine_race *race, const struct vkr_race_report *report)
{
	const struct vkr_host_wait *wait = &model->submissions.last_wait;
	if (report->first.agent == VKR_AGENT_HOST || report->second.agent != VKR_AGENT_HOST ||
	    !(race->shortfall & VKR_SHORT_NO_TOKEN))
		return;
	if (wait->event == 0) {
		vkr_text_add(text, "; the host has waited for nothing before");
		return;
	}
	vkr_text_add(text, "; the last wait before is %s",
		     wait->event == VKR_TRACE_FENCE_WAIT    ? "for a fence"
		     : wait->event == VKR_TRACE_QUEUE_IDLE  ? "vkQueueWaitIdle"
		     : wait->event == VKR_TRACE_DEVICE_IDLE ? "vkDeviceWaitIdle"
							    : "for a semaphore");
	if (wait->submission != 0)
		vkr_text_add(text, " of submission %u", wait->submission);
	else if (wait->event == VKR_TRACE_FENCE_WAIT)
		vkr_text_add(text, " that no submission has signaled");
	if (wait->event == VKR_TRACE_SEMAPHORE_WAIT)
		vkr_text_add(text, ", value %llu", (unsigned long long)wait->value);
	const char *call =
		wait->stack->frame_count > 0
			? vkr_call_place_text(&model->stacks, &model->texts, wait->stack->frames[0],
					      model->options.place_words, model->options.place_user)
			: "";
	text->failed |= call == NULL;
	if (call != NULL && *call != '\0') {
		vkr_text_add(text, ", at ");
		add_call(text, call);
	}
}

const char *vkr_race_missing(struct vkr_model *model, const struct vkr_engine_race *race,
			     const struct vkr_race_report *report)
{
	struct vkr_text text = {0};
	if (vkr_in_one_dispatch(race))
		vkr_text_in_dispatch(model, &text, race, report);
	else if (!add_of_places(model, &text, race, report, false))
		add_between_commands(model, &text, race, report);
	add_last_wait(model, &text, race, report);
	return vkr_texts_words(&model->texts, &text);
}

// ---- What would order the two -------------------------------------------------------------------

static void add_mask(struct vkr_text *text, const char *name, uint64_t mask, bool stages)
{
	vkr_text_add(text, "%s ", name);
	add_legacy_bits(text, mask, stages);
}

// A read needs nothing made available before it is overwritten.
static void add_barrier(struct vkr_model *model, struct vkr_text *text,
			const struct vkr_engine_race *race)
{
	const struct vkr_access_site *first = vkr_race_site(model, &race->first);
	const bool memory = first->write;
	add_mask(text, "srcStageMask", race->first.stage, true);
	add_mask(text, ", srcAccessMask", memory ? race->first.access : 0, false);
	add_mask(text, ", dstStageMask", race->second.stage, true);
	add_mask(text, ", dstAccessMask", memory ? race->second.access : 0, false);
}

static void add_missing_bits(struct vkr_model *model, struct vkr_text *text,
			     const struct vkr_engine_race *race,
			     const struct vkr_race_report *report)
{
	const struct vkr_executed *nearest = &model->names.executed.items[race->nearest];
	struct lack lacks[4];
	const char *before = "";
	find_lacks(model, race, lacks);
	for (size_t at = 0; at < 4; at++) {
		if (lacks[at].bit == 0)
			continue;
		vkr_text_add(text, "%sadd ", before);
		add_legacy_bits(text, lacks[at].bit, lacks[at].stage);
		vkr_text_add(text, " to the %s", lacks[at].mask);
		before = ", ";
	}
	if (race->shortfall & VKR_SHORT_RANGE)
		vkr_text_add(
			text,
			"%swiden a range, or add one, to cover %llu byte%s at offset %llu of %s",
			before, (unsigned long long)report->second.bytes,
			report->second.bytes == 1 ? "" : "s",
			(unsigned long long)report->second.offset, report->second.object);
	vkr_text_add(text, " of ");
	add_dependency(text, nearest, report);
	if (lacks[0].bit != 0 && nearest->info != NULL &&
	    strcmp(nearest->info->name, "vkCmdWaitEvents") == 0)
		vkr_text_add(text, ", and to the stageMask of vkCmdSetEvent");
}

static void add_barrier_to_host(struct vkr_text *text, const struct vkr_engine_race *race,
				const struct vkr_race_report *report)
{
	vkr_text_add(text, "add a vkCmdPipelineBarrier behind command %u: ",
		     report->first.command.command);
	add_mask(text, "srcStageMask", race->first.stage, true);
	add_mask(text, ", srcAccessMask", race->first.access, false);
	vkr_text_add(text, ", dstStageMask HOST, dstAccessMask %s",
		     report->second.write ? "HOST_WRITE" : "HOST_READ");
	if (race->shortfall & VKR_SHORT_NOT_INVALIDATED)
		vkr_text_add(text, ", and vkInvalidateMappedMemoryRanges between the wait and "
				   "the access, for the memory is not HOST_COHERENT");
}

// Describes what would order an access of the host, or two of them.
static void add_change_of_host(const struct vkr_model *model, struct vkr_text *text,
			       const struct vkr_race_report *report)
{
	const bool first_host = report->first.agent == VKR_AGENT_HOST;
	const bool second_host = report->second.agent == VKR_AGENT_HOST;
	if (first_host && second_host)
		vkr_text_add(text, "order the two host accesses");
	else if (first_host && model->thread_order.own)
		vkr_text_add(text,
			     "let %s release a mutex, or the like, behind its access, that the "
			     "thread which "
			     "submits command %u acquires before vkQueueSubmit",
			     report->first.thread, report->second.command.command);
	else if (first_host)
		vkr_text_add(text, "submit command %u behind the host's access",
			     report->second.command.command);
	else
		vkr_text_add(
			text,
			report->first.write
				? "wait for a fence of submission %u before the host's access, "
				  "with a barrier to HOST behind command %u"
				: "wait for a fence of submission %u before the host's access",
			report->first.command.submission, report->first.command.command);
}

// Whether the two are of one subpass, or of one instance of dynamic rendering.
static bool in_one_subpass(const struct vkr_model *model, const struct vkr_engine_race *race)
{
	const struct vkr_executed *first = &model->names.executed.items[race->first.tag];
	const struct vkr_executed *second = &model->names.executed.items[race->second.tag];
	return first->pass_begin != NULL && second->pass_begin != NULL &&
	       first->subpass == second->subpass;
}

static void add_barrier_between(struct vkr_model *model, struct vkr_text *text,
				const struct vkr_engine_race *race,
				const struct vkr_race_report *report)
{
	if (in_one_command(race)) {
		vkr_text_add(text,
			     "give each build memory of its own, or make command %u two, with a "
			     "vkCmdPipelineBarrier between: ",
			     report->first.command.command);
	} else if (in_one_subpass(model, race)) {
		// What loads and stores attachments cannot be ordered with their subpass's draws.
		vkr_text_add(text, "let ");
		add_both(text, report);
		vkr_text_add(text, " access different images, or stand in different render passes, "
				   "with a vkCmdPipelineBarrier between: ");
	} else if (same_submission(report)) {
		vkr_text_add(text, "add a vkCmdPipelineBarrier between commands %u and %u: ",
			     report->first.command.command, report->second.command.command);
	} else {
		vkr_text_add(text,
			     "add a vkCmdPipelineBarrier before command %u of submission %u: ",
			     report->second.command.command, report->second.command.submission);
	}
	add_barrier(model, text, race);
}

// Whether the stages of a semaphore's signal lack the first access, and not those that wait for it
// the second.
static bool lacks_signal(const struct vkr_engine_race *race)
{
	return race->shortfall & VKR_SHORT_SOURCE_STAGE ||
	       !(race->shortfall & VKR_SHORT_DESTINATION_STAGE);
}

static void add_change_of_stage(struct vkr_text *text, const struct vkr_engine_race *race,
				const struct vkr_race_report *report)
{
	const bool source = lacks_signal(race);
	vkr_text_add(text, "add ");
	add_legacy_bits(text, source ? race->first.stage : race->second.stage, true);
	vkr_text_add(
		text,
		source ? " to the stages behind which the semaphore is signaled that is waited "
			 "for before command %u of submission %u"
		       : " to the stages that wait for the semaphore before command %u of "
			 "submission %u",
		report->second.command.command, report->second.command.submission);
}

// ---- A change that is there as data -------------------------------------------------------------

static void add_bits_of(struct vkr_text *text, const char *mask, uint64_t bits, bool stages,
			const char **before)
{
	if (bits == 0)
		return;
	vkr_text_add(text, "%sadd ", *before);
	add_bits(text, bits, stages);
	vkr_text_add(text, " to the %s", mask);
	*before = ", ";
}

static void add_masks(struct vkr_text *text, const struct vkr_change_masks *masks)
{
	vkr_text_add(text, "srcStageMask ");
	add_bits(text, masks->source_stages, true);
	vkr_text_add(text, ", srcAccessMask ");
	add_bits(text, masks->source_access, false);
	vkr_text_add(text, ", dstStageMask ");
	add_bits(text, masks->destination_stages, true);
	vkr_text_add(text, ", dstAccessMask ");
	add_bits(text, masks->destination_access, false);
}

static void add_change_of_pass(struct vkr_text *text, const struct vkr_change *edit)
{
	const uint32_t source = edit->subpasses.source, destination = edit->subpasses.destination;
	const uint32_t dependency = edit->subpasses.dependency;
	const char *before = "";
	if (edit->subpasses.flags != 0) {
		vkr_text_add(text, "leave VK_DEPENDENCY_BY_REGION_BIT and "
				   "VK_DEPENDENCY_VIEW_LOCAL_BIT out of the flags of ");
		add_subpass_dependency(text, dependency, source, destination, edit->place.command,
				       0);
		return;
	}
	if (dependency == 0) {
		vkr_text_add(text,
			     "give the render pass that command %u begins a "
			     "VkSubpassDependency from ",
			     edit->place.command);
		add_subpass(text, source);
		vkr_text_add(text, " to ");
		add_subpass(text, destination);
		vkr_text_add(text, ": ");
		add_masks(text, &edit->legacy);
		return;
	}
	add_bits_of(text, "srcStageMask", edit->legacy.source_stages, true, &before);
	add_bits_of(text, "srcAccessMask", edit->legacy.source_access, false, &before);
	add_bits_of(text, "dstStageMask", edit->legacy.destination_stages, true, &before);
	add_bits_of(text, "dstAccessMask", edit->legacy.destination_access, false, &before);
	vkr_text_add(text, " of ");
	add_subpass_dependency(text, dependency, source, destination, edit->place.command, 0);
}

// False where the words are made from the race.
static bool add_edit(struct vkr_text *text, const struct vkr_change *edit,
		     const struct vkr_race_report *report)
{
	switch (edit->kind) {
	case VKR_CHANGE_BARRIER_BEFORE:
		if (!same_submission(report))
			vkr_text_add(
				text,
				"add a vkCmdPipelineBarrier before command %u of submission %u: ",
				edit->place.command, report->second.command.submission);
		else
			vkr_text_add(text,
				     "add a vkCmdPipelineBarrier between commands %u and %u: ",
				     report->first.command.command, edit->place.command);
		add_masks(text, &edit->legacy);
		return true;
	case VKR_CHANGE_BARRIER_INSIDE:
		vkr_text_add(text,
			     "add a vkCmdPipelineBarrier%s before command %u, and a "
			     "VkSubpassDependency from subpass %u to itself that permits it: ",
			     edit->subpasses.flags != 0 ? " with VK_DEPENDENCY_BY_REGION_BIT" : "",
			     edit->place.command, edit->subpasses.source);
		add_masks(text, &edit->legacy);
		return true;
	case VKR_CHANGE_SPLIT:
		vkr_text_add(text,
			     "end the render pass before command %u and begin it again, with its "
			     "attachments stored and loaded, and a vkCmdPipelineBarrier between: ",
			     edit->place.command);
		add_masks(text, &edit->legacy);
		return true;
	case VKR_CHANGE_DEPENDENCY:
		add_change_of_pass(text, edit);
		return true;
	case VKR_CHANGE_BARRIER_AFTER:
	case VKR_CHANGE_MASKS:
	case VKR_CHANGE_REMOVE:
	case VKR_CHANGE_REMOVE_DEPENDENCY:
	case VKR_CHANGE_REMOVE_SEMAPHORE:
	case VKR_CHANGE_NARROW:
	case VKR_CHANGE_WAIT:
	case VKR_CHANGE_SIGNAL:
	case VKR_CHANGE_SEMAPHORE:
	case VKR_CHANGE_HOST_WAIT:
	case VKR_CHANGE_FLUSH:
	case VKR_CHANGE_INVALIDATE:
	case VKR_CHANGE_SHADER_BARRIER:
	case VKR_CHANGE_SHADER_BARRIER_AFTER:
	case VKR_CHANGE_SHADER_ORDER:
	case VKR_CHANGE_SHADER_COHERENT:
	case VKR_CHANGE_SHADER_ATOMIC:
		break;
	}
	return false;
}

// What has to be changed between two commands, or a command and the host.
enum change_kind {
	CHANGE_FREE,
	CHANGE_DRAW,
	CHANGE_MASKS,
	CHANGE_FLUSH,
	CHANGE_TO_HOST,
	CHANGE_INVALIDATE,
	CHANGE_HOST,
	CHANGE_ACQUIRE,
	CHANGE_PRESENT,
	CHANGE_STAGE,
	CHANGE_SEMAPHORE,
	CHANGE_BARRIER,
};

static enum change_kind change_between(const struct vkr_model *model,
				       const struct vkr_engine_race *race,
				       const struct vkr_race_report *report)
{
	if (race->race_class == VKR_RACE_FREE)
		return CHANGE_FREE;
	if (in_one_draw(report))
		return CHANGE_DRAW;
	if (nearest_lacks(race))
		return CHANGE_MASKS;
	if (race->shortfall & VKR_SHORT_NOT_FLUSHED)
		return CHANGE_FLUSH;
	if (race->shortfall & VKR_SHORT_TO_HOST)
		return CHANGE_TO_HOST;
	if (race->shortfall & VKR_SHORT_NOT_INVALIDATED)
		return CHANGE_INVALIDATE;
	if (report->first.agent == VKR_AGENT_HOST || report->second.agent == VKR_AGENT_HOST)
		return CHANGE_HOST;
	if (race->first.stage == VKR_STAGE_PRESENTATION)
		return waits_elsewhere(model, race, report) ? CHANGE_STAGE : CHANGE_ACQUIRE;
	if (race->second.stage == VKR_STAGE_PRESENTATION)
		return CHANGE_PRESENT;
	if (waits_elsewhere(model, race, report))
		return CHANGE_STAGE;
	if (race->shortfall & VKR_SHORT_NO_TOKEN)
		return CHANGE_SEMAPHORE;
	// A barrier on one queue makes available what is of that queue.
	if (strcmp(report->first.command.queue, report->second.command.queue) != 0)
		return CHANGE_STAGE;
	return CHANGE_BARRIER;
}

static void add_change_between(struct vkr_model *model, struct vkr_text *text,
			       const struct vkr_engine_race *race,
			       const struct vkr_race_report *report)
{
	const uint32_t first = report->first.command.submission;
	const uint32_t second = report->second.command.submission;
	switch (change_between(model, race, report)) {
	case CHANGE_FREE:
		vkr_text_add(text, "wait for submission %u to complete before vkFreeMemory", first);
		break;
	case CHANGE_DRAW:
		vkr_text_add(text,
			     "let the shaders of command %u access another image than the "
			     "attachment, or texels that it does not render to",
			     report->first.command.command);
		break;
	case CHANGE_MASKS:
		add_missing_bits(model, text, race, report);
		break;
	case CHANGE_FLUSH:
		vkr_text_add(text,
			     "call vkFlushMappedMemoryRanges for these bytes between the write and "
			     "vkQueueSubmit, or use HOST_COHERENT memory");
		break;
	case CHANGE_TO_HOST:
		add_barrier_to_host(text, race, report);
		break;
	case CHANGE_INVALIDATE:
		vkr_text_add(text, "call vkInvalidateMappedMemoryRanges for these bytes between "
				   "the wait and the access, or use HOST_COHERENT memory");
		break;
	case CHANGE_HOST:
		add_change_of_host(model, text, report);
		break;
	case CHANGE_ACQUIRE:
		vkr_text_add(text,
			     "let submission %u wait for the semaphore of vkAcquireNextImageKHR, "
			     "in a stage that command %u waits for",
			     second, report->second.command.command);
		break;
	case CHANGE_PRESENT:
		vkr_text_add(text,
			     "signal a semaphore in submission %u and let vkQueuePresentKHR wait "
			     "for it",
			     first);
		break;
	case CHANGE_STAGE:
		add_change_of_stage(text, race, report);
		break;
	case CHANGE_SEMAPHORE:
		vkr_text_add(text,
			     "signal a semaphore in submission %u and wait for it in submission "
			     "%u",
			     first, second);
		break;
	case CHANGE_BARRIER:
		add_barrier_between(model, text, race, report);
		break;
	}
}

static enum vkr_race_remedy remedy_of(const struct vkr_model *model,
				      const struct vkr_engine_race *race,
				      const struct vkr_race_report *report)
{
	const bool invalidate = race->shortfall & VKR_SHORT_NOT_INVALIDATED;
	switch (change_between(model, race, report)) {
	case CHANGE_MASKS:
		return VKR_REMEDY_MASKS;
	case CHANGE_TO_HOST:
		return invalidate ? VKR_REMEDY_OTHER : VKR_REMEDY_TO_HOST;
	case CHANGE_BARRIER:
		return in_one_command(race) ? VKR_REMEDY_OTHER : VKR_REMEDY_BARRIER;
	case CHANGE_FREE:
	case CHANGE_HOST:
		return report->first.agent != VKR_AGENT_HOST &&
				       report->second.agent == VKR_AGENT_HOST
			       ? VKR_REMEDY_HOST_WAIT
			       : VKR_REMEDY_OTHER;
	case CHANGE_FLUSH:
		return report->first.agent == VKR_AGENT_HOST ? VKR_REMEDY_FLUSH : VKR_REMEDY_OTHER;
	case CHANGE_INVALIDATE:
		return report->second.agent == VKR_AGENT_HOST ? VKR_REMEDY_INVALIDATE
							      : VKR_REMEDY_OTHER;
	case CHANGE_DRAW:
	case CHANGE_ACQUIRE:
	case CHANGE_PRESENT:
		break;
	case CHANGE_STAGE:
		return lacks_signal(race) ? VKR_REMEDY_SIGNAL : VKR_REMEDY_WAIT;
	case CHANGE_SEMAPHORE:
		return VKR_REMEDY_SEMAPHORE;
	}
	return VKR_REMEDY_OTHER;
}

static enum vkr_race_remedy remedy_for(const struct vkr_model *model,
				       const struct vkr_engine_race *race,
				       const struct vkr_race_report *report)
{
	if (vkr_in_one_dispatch(race) || race->race_class == VKR_RACE_SCOPE)
		return VKR_REMEDY_OTHER;
	if (race->shortfall & (VKR_SHORT_OTHER_REGION | VKR_SHORT_OTHER_VIEW))
		return VKR_REMEDY_REGION;
	return race->shortfall & VKR_SHORT_OWNERSHIP ? VKR_REMEDY_OTHER
						     : remedy_of(model, race, report);
}

bool vkr_race_change(struct vkr_model *model, const struct vkr_engine_race *race,
		     struct vkr_race_report *report)
{
	struct vkr_text text = {0};
	if (!(vkr_in_one_dispatch(race)
		      ? vkr_change_in_dispatch(model, race, report, &report->edit)
		      : vkr_race_edit_make(model, race, report, remedy_for(model, race, report),
					   &report->edit)))
		return false;
	// A range that is too short is better made longer than another barrier put beside it.
	const bool said = report->edit != NULL && !(race->shortfall & VKR_SHORT_RANGE) &&
			  add_edit(&text, report->edit, report);
	if (!said && vkr_in_one_dispatch(race))
		vkr_text_change_in_dispatch(model, &text, race, report);
	else if (!said && !add_of_places(model, &text, race, report, true))
		add_change_between(model, &text, race, report);
	report->change = vkr_texts_words(&model->texts, &text);
	return report->change != NULL;
}
