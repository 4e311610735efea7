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
	if (submission && command->submission != 0)
		vkr_text_add(text, " of submission %u", command->submission);
}

static bool of_pass(const char *name)
{
	return strstr(name, "RenderPass") != NULL || strstr(name, "NextSubpass") != NULL;
}

// "the VkSubpassDependency at vkCmdBeginRenderPass in command 4" for what render passes bring.
static void add_dependency(struct vkr_text *text, const struct vkr_executed *dependency)
{
	const char *name = dependency->info != NULL ? dependency->info->name : "a dependency";
	const uint32_t index = dependency->info != NULL ? dependency->info->index + 1 : 0;
	const char *pass = dependency->implicit ? "the implicit VkSubpassDependency at "
						: "the VkSubpassDependency at ";
	vkr_text_add(text, "%s%s in command %u", of_pass(name) ? pass : "", name, index);
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

// A semaphore is waited for, but it orders other stages.
static bool waits_elsewhere(const struct vkr_engine_race *race)
{
	return !race->has_nearest &&
	       race->shortfall & (VKR_SHORT_SOURCE_STAGE | VKR_SHORT_DESTINATION_STAGE);
}

static void find_lacks(const struct vkr_engine_race *race, struct lack lacks[4])
{
	const uint32_t of = race->shortfall;
	lacks[0] = (struct lack){"srcStageMask",
				 of & VKR_SHORT_SOURCE_STAGE ? race->first.stage : 0, true};
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

// The same as a program of core Vulkan 1.0 can write them.
static void add_legacy_bits(struct vkr_text *text, uint64_t mask, bool stages)
{
	add_bits(text, stages ? vkr_scope_legacy_stages(mask) : vkr_scope_legacy_accesses(mask),
		 stages);
}

// "vkCmdPipelineBarrier in command 12: srcAccessMask lacks SHADER_STORAGE_WRITE".
static void add_nearest(struct vkr_model *model, struct vkr_text *text,
			const struct vkr_engine_race *race, const struct vkr_race_report *report)
{
	const struct vkr_executed *nearest = &model->names.executed.items[race->nearest];
	add_dependency(text, nearest);
	if (!same_submission(report))
		vkr_text_add(text, " of submission %u", nearest->submission);
	struct lack lacks[4];
	const char *before = ": ";
	find_lacks(race, lacks);
	for (size_t at = 0; at < 4; at++) {
		if (lacks[at].bit == 0)
			continue;
		vkr_text_add(text, "%s%s lacks ", before, lacks[at].mask);
		add_bits(text, lacks[at].bit, lacks[at].stage);
		before = ", ";
	}
	if (race->shortfall & VKR_SHORT_RANGE)
		vkr_text_add(text, "%sno range of its barriers covers the bytes", before);
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
			add_dependency(&split, &model->names.executed.items[race->nearest]);
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
		add_dependency(text, &model->names.executed.items[race->nearest]);
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
	} else if (waits_elsewhere(race)) {
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

const char *vkr_race_missing(struct vkr_model *model, const struct vkr_engine_race *race,
			     const struct vkr_race_report *report)
{
	struct vkr_text text = {0};
	if (vkr_in_one_dispatch(race))
		vkr_text_in_dispatch(model, &text, race, report);
	else if (!add_of_places(model, &text, race, report, false))
		add_between_commands(model, &text, race, report);
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
	find_lacks(race, lacks);
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
	vkr_text_add(text,
		     nearest->implicit ? " of one that the program writes, in place of " : " of ");
	add_dependency(text, nearest);
	if (!same_submission(report))
		vkr_text_add(text, " of submission %u", nearest->submission);
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

// What would order the host's access, or two of them.
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

static void add_barrier_between(struct vkr_model *model, struct vkr_text *text,
				const struct vkr_engine_race *race,
				const struct vkr_race_report *report)
{
	if (in_one_command(race)) {
		vkr_text_add(text,
			     "give each build memory of its own, or make command %u two, with a "
			     "vkCmdPipelineBarrier between: ",
			     report->first.command.command);
	} else if (same_submission(report)) {
		vkr_text_add(text, "add a vkCmdPipelineBarrier%s between commands %u and %u: ",
			     of_pass(report->first.command.name) &&
					     (of_pass(report->second.command.name) ||
					      race->second.access ==
						      VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT)
				     ? ", or within one render pass a VkSubpassDependency,"
				     : "",
			     report->first.command.command, report->second.command.command);
	} else {
		vkr_text_add(text,
			     "add a vkCmdPipelineBarrier before command %u of submission %u: ",
			     report->second.command.command, report->second.command.submission);
	}
	add_barrier(model, text, race);
}

static void add_change_of_stage(struct vkr_text *text, const struct vkr_engine_race *race,
				const struct vkr_race_report *report)
{
	const bool source = race->shortfall & VKR_SHORT_SOURCE_STAGE;
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

static enum change_kind change_between(const struct vkr_engine_race *race,
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
		return CHANGE_ACQUIRE;
	if (race->second.stage == VKR_STAGE_PRESENTATION)
		return CHANGE_PRESENT;
	if (waits_elsewhere(race))
		return CHANGE_STAGE;
	if (race->shortfall & VKR_SHORT_NO_TOKEN)
		return CHANGE_SEMAPHORE;
	return CHANGE_BARRIER;
}

static void add_change_between(struct vkr_model *model, struct vkr_text *text,
			       const struct vkr_engine_race *race,
			       const struct vkr_race_report *report)
{
	const uint32_t first = report->first.command.submission;
	const uint32_t second = report->second.command.submission;
	switch (change_between(race, report)) {
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

static enum vkr_race_remedy remedy_of(const struct vkr_engine_race *race,
				      const struct vkr_race_report *report)
{
	const bool invalidate = race->shortfall & VKR_SHORT_NOT_INVALIDATED;
	switch (change_between(race, report)) {
	case CHANGE_MASKS:
		return VKR_REMEDY_MASKS;
	case CHANGE_TO_HOST:
		return invalidate ? VKR_REMEDY_OTHER : VKR_REMEDY_TO_HOST;
	case CHANGE_BARRIER:
		return in_one_command(race) ? VKR_REMEDY_OTHER : VKR_REMEDY_BARRIER;
	case CHANGE_FREE:
	case CHANGE_DRAW:
	case CHANGE_FLUSH:
	case CHANGE_INVALIDATE:
	case CHANGE_HOST:
	case CHANGE_ACQUIRE:
	case CHANGE_PRESENT:
	case CHANGE_STAGE:
	case CHANGE_SEMAPHORE:
		break;
	}
	return VKR_REMEDY_OTHER;
}

bool vkr_race_change(struct vkr_model *model, const struct vkr_engine_race *race,
		     struct vkr_race_report *report)
{
	struct vkr_text text = {0};
	enum vkr_race_remedy remedy = VKR_REMEDY_OTHER;
	if (vkr_in_one_dispatch(race)) {
		vkr_text_change_in_dispatch(model, &text, race, report);
	} else if (!add_of_places(model, &text, race, report, true)) {
		add_change_between(model, &text, race, report);
		remedy = remedy_of(race, report);
	}
	report->change = vkr_texts_words(&model->texts, &text);
	return report->change != NULL &&
	       vkr_race_edit_make(model, race, report, remedy, &report->edit);
}
