// SPDX-License-Identifier: Apache-2.0
// What is missing between the two accesses of a race, and the smallest change that orders them, in
// words. Knows what the engine said falls short; not how it found out.
#include "framebuffer_places.h"
#include "model_state.h"
#include "owner_words.h"
#include "scopes.h"
#include "site_table.h"
#include "stage_words.h"

#include <stdio.h>
#include <string.h>

#define WORDS 1024

// Sentences that grow piece by piece; what does not fit is cut.
struct words {
	char text[WORDS];
	size_t used;
};

static void add(struct words *words, const char *format, ...) VKR_PRINTF(2, 3);

static void add(struct words *words, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	const int length =
		vsnprintf(words->text + words->used, WORDS - words->used, format, arguments);
	va_end(arguments);
	if (length > 0)
		words->used += (size_t)length;
	if (words->used >= WORDS)
		words->used = WORDS - 1;
}

static const char *keep(struct vkr_model *model, const struct words *words)
{
	return vkr_texts_keep(&model->texts, words->text, words->used);
}

static const struct vkr_access_site *site_of(const struct vkr_model *model,
					     const struct vkr_engine_access *access)
{
	return &model->names.sites.items[access->site_tag];
}

static bool in_one_dispatch(const struct vkr_engine_race *race)
{
	return race->first.invocation && race->second.invocation &&
	       race->first.command == race->second.command;
}

// Two parts of a command that are commands to the engine: builds.
static bool in_one_command(const struct vkr_engine_race *race)
{
	return race->first.tag == race->second.tag && race->first.command != race->second.command;
}

// Invocations of a draw that no barrier in a shader can order: only those of one patch pass control
// barriers together.
static bool in_one_draw(const struct vkr_model *model, const struct vkr_engine_race *race)
{
	const struct vkr_access_site *first = site_of(model, &race->first);
	return in_one_dispatch(race) && first->shader->sites->identity != 0 &&
	       (first->stage != VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT ||
		race->first.workgroup != race->second.workgroup);
}

static bool same_submission(const struct vkr_race_report *report)
{
	return report->first.command.submission == report->second.command.submission &&
	       report->first.command.queue == report->second.command.queue;
}

// What is in no command buffer.
static bool is_presentation(const struct vkr_command_place *command)
{
	return command->command_buffer[0] == '\0';
}

// "command 3 (vkCmdDispatch)", with the submission where the two differ in it.
static void add_command(struct words *words, const struct vkr_access_report *access,
			bool submission)
{
	const struct vkr_command_place *command = &access->command;
	if (access->agent == VKR_AGENT_HOST) {
		add(words, "the %s", access->operation);
		return;
	}
	if (is_presentation(command))
		add(words, "%s", command->name);
	else
		add(words, "command %u (%s)", command->command, command->name);
	if (submission && command->submission != 0)
		add(words, " of submission %u", command->submission);
}

static bool of_pass(const char *name)
{
	return strstr(name, "RenderPass") != NULL || strstr(name, "NextSubpass") != NULL;
}

// "the VkSubpassDependency at vkCmdBeginRenderPass in command 4" for what render passes bring.
static void add_dependency(struct words *words, const struct vkr_executed *dependency)
{
	const char *name = dependency->info != NULL ? dependency->info->name : "a dependency";
	const uint32_t index = dependency->info != NULL ? dependency->info->index + 1 : 0;
	add(words, "%s%s in command %u", of_pass(name) ? "the VkSubpassDependency at " : "", name,
	    index);
}

static void add_both(struct words *words, const struct vkr_race_report *report)
{
	const bool submission = !same_submission(report);
	add_command(words, &report->first, submission);
	add(words, " and ");
	add_command(words, &report->second, submission);
}

// The storage class that semantics must name to order what the race is on.
static unsigned class_of(const struct vkr_model *model, const struct vkr_engine_race *race)
{
	if (race->memory != VKR_ENGINE_WORKGROUP)
		return VKR_CLASS_UNIFORM;
	const struct vkr_access_site *site = &model->names.sites.items[race->first.site_tag];
	return vkr_site_table_sites(site->shader->sites)[site->site].storage_class;
}

static const char *class_semantics(const struct vkr_model *model,
				   const struct vkr_engine_race *race)
{
	switch (class_of(model, race)) {
	case VKR_CLASS_WORKGROUP:
		return "WorkgroupMemory";
	case VKR_CLASS_OUTPUT:
		return "OutputMemory";
	default:
		return "UniformMemory";
	}
}

// ---- What is missing --------------------------------------------------------------------------

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

// "vkCmdPipelineBarrier in command 12: srcAccessMask lacks SHADER_STORAGE_WRITE".
static void add_nearest(struct vkr_model *model, struct words *words,
			const struct vkr_engine_race *race, const struct vkr_race_report *report)
{
	const struct vkr_executed *nearest = &model->names.executed.items[race->nearest];
	add_dependency(words, nearest);
	if (!same_submission(report))
		add(words, " of submission %u", nearest->submission);
	struct lack lacks[4];
	const char *before = ": ";
	find_lacks(race, lacks);
	for (size_t at = 0; at < 4; at++) {
		char text[128];
		if (lacks[at].bit == 0)
			continue;
		add(words, "%s%s lacks %s", before, lacks[at].mask,
		    lacks[at].stage ? vkr_scope_stage_text(lacks[at].bit, text, sizeof text)
				    : vkr_scope_access_text(lacks[at].bit, text, sizeof text));
		before = ", ";
	}
	if (race->shortfall & VKR_SHORT_RANGE)
		add(words, "%sits range does not cover the bytes", before);
}

static void add_split(const struct vkr_model *model, struct words *words,
		      const struct vkr_engine_race *race)
{
	if (race->has_nearest)
		add_dependency(words, &model->names.executed.items[race->nearest]);
}

static void add_between_commands(struct vkr_model *model, struct words *words,
				 const struct vkr_engine_race *race,
				 const struct vkr_race_report *report)
{
	char text[WORDS];
	struct words split = {.used = 0};
	if (race->shortfall & (VKR_SHORT_OTHER_REGION | VKR_SHORT_OTHER_VIEW)) {
		add_split(model, &split, race);
		add(words, "%s",
		    vkr_framebuffer_missing(model, race, split.text, text, sizeof text));
	} else if (race->race_class == VKR_RACE_FREE) {
		add(words, "the memory is freed while ");
		add_command(words, &report->first, false);
		add(words, " of submission %u may still use it", report->first.command.submission);
	} else if (race->shortfall & VKR_SHORT_OWNERSHIP) {
		add(words, "%s", vkr_owner_missing(model, race, report, text, sizeof text));
	} else if (race->race_class == VKR_RACE_SCOPE) {
		add(words, "%s", vkr_atomics_missing(model, race, report, text, sizeof text));
	} else if (nearest_lacks(race)) {
		add_nearest(model, words, race, report);
	} else if (race->shortfall & VKR_SHORT_NOT_FLUSHED) {
		add(words, "no vkFlushMappedMemoryRanges covers the bytes between the host's write "
			   "and the submission: the memory is not HOST_COHERENT");
	} else if (race->shortfall & VKR_SHORT_NOT_INVALIDATED) {
		add(words, "no vkInvalidateMappedMemoryRanges covers the bytes between the wait "
			   "and the host's access: the memory is not HOST_COHERENT");
	} else if (race->shortfall & VKR_SHORT_TO_HOST) {
		add(words, "no barrier with HOST in its dstStageMask and the host's access in its "
			   "dstAccessMask");
	} else if (race->shortfall & VKR_SHORT_TO_DEVICE) {
		add(words, "no vkQueueSubmit, and no barrier with HOST_WRITE, between the host's "
			   "write and the device's access");
	} else if (race->shortfall & VKR_SHORT_NO_TOKEN && model->thread_order.own &&
		   report->first.agent == VKR_AGENT_HOST) {
		add(words, "nothing that host threads synchronize through orders ");
		add_both(words, report);
	} else if (race->shortfall & VKR_SHORT_NO_TOKEN) {
		add(words, "no semaphore, fence or wait orders ");
		add_both(words, report);
	} else if (in_one_command(race)) {
		add(words, "the builds of ");
		add_command(words, &report->first, false);
		add(words, " are in no order");
	} else {
		add(words, "no barrier between ");
		add_both(words, report);
	}
}

// The nearest release and acquire of the shader around the two accesses; NULL: there is none.
static const struct vkr_site *
synchronization_site(struct vkr_model *model, const struct vkr_engine_race *race, uint64_t name)
{
	const struct vkr_shader *shader = site_of(model, &race->first)->shader;
	return name != 0 ? &vkr_site_table_sites(shader->sites)[name - 1] : NULL;
}

static void add_place(struct words *words, const char *what, const struct vkr_site *site)
{
	if (site->line != 0)
		add(words, "the %s in line %u", what, site->line);
	else
		add(words, "the %s at SPIR-V word %u", what, site->spirv_word);
}

static void add_synchronization(struct vkr_model *model, struct words *words,
				const struct vkr_engine_race *race)
{
	const struct vkr_site *release = synchronization_site(model, race, race->release);
	const struct vkr_site *acquire = synchronization_site(model, race, race->acquire);
	const unsigned of_memory = class_of(model, race);
	const char *earlier = race->backward ? "second" : "first";
	const char *later = race->backward ? "first" : "second";
	if (release == NULL) {
		add(words, "the invocation of the %s access releases nothing behind it", earlier);
	} else if (acquire == NULL) {
		add(words, "the invocation of the %s access acquires nothing before it", later);
	} else if (race->race_class == VKR_RACE_SCOPE) {
		add_place(words, "release", release);
		add(words, " has %s scope and ", vkr_memory_scope_name(release->scope));
		add_place(words, "acquire", acquire);
		add(words, " %s scope, which do not hold both invocations",
		    vkr_memory_scope_name(acquire->scope));
	} else if (race->race_class == VKR_RACE_PRIVATE) {
		add_place(words, "release", release);
		add(words, " and ");
		add_place(words, "acquire", acquire);
		add(words, " do not order private accesses");
	} else if (race->race_class == VKR_RACE_UNAVAILABLE) {
		add_place(words, "release", release);
		add(words, " lacks MakeAvailable for %s", class_semantics(model, race));
	} else if (race->race_class == VKR_RACE_INVISIBLE) {
		add_place(words, "acquire", acquire);
		add(words, " lacks MakeVisible for %s", class_semantics(model, race));
	} else if (!(release->semantics & of_memory)) {
		add_place(words, "release", release);
		add(words, " behind the %s access is not for %s", earlier,
		    class_semantics(model, race));
	} else if (!(acquire->semantics & of_memory)) {
		add_place(words, "acquire", acquire);
		add(words, " before the %s access is not for %s", later,
		    class_semantics(model, race));
	} else {
		add_place(words, "acquire", acquire);
		add(words, " has not met ");
		add_place(words, "release", release);
		add(words, ": no atomic of the one has read what an atomic of the other wrote");
	}
}

static void add_in_dispatch(struct vkr_model *model, struct words *words,
			    const struct vkr_engine_race *race,
			    const struct vkr_race_report *report)
{
	const uint32_t short_of = race->shortfall;
	if (report->same_instruction)
		add(words, "one instruction races with itself: ");
	if (short_of & VKR_SHORT_ATOMIC_BYTES)
		add(words, "the two atomics do not access the same bytes");
	else if (short_of & VKR_SHORT_ATOMIC_SCOPE)
		add(words, "the two invocations are not in each other's atomic scope");
	else if (short_of & VKR_SHORT_SYNCHRONIZATION)
		add_synchronization(model, words, race);
	else if (in_one_draw(model, race))
		add(words, "%s", vkr_stage_words_missing(race));
	else if (short_of & VKR_SHORT_OTHER_WORKGROUP)
		add(words, "the invocations are in different workgroups: no barrier in the shader "
			   "orders these");
	else if (short_of & VKR_SHORT_NO_BARRIER)
		add(words, "no OpControlBarrier between the two accesses");
	else if (short_of & VKR_SHORT_PRIVATE_ACCESS)
		add(words, "the OpControlBarrier between the two does not order private accesses");
	else if (short_of & VKR_SHORT_BARRIER_SEMANTICS)
		add(words,
		    "the OpControlBarrier between the two lacks acquire and release semantics for "
		    "%s",
		    class_semantics(model, race));
	else if (short_of & VKR_SHORT_BARRIER_AVAILABLE)
		add(words, "the OpControlBarrier between the two lacks MakeAvailable for %s",
		    class_semantics(model, race));
	else if (short_of & VKR_SHORT_BARRIER_VISIBLE)
		add(words, "the OpControlBarrier between the two lacks MakeVisible for %s",
		    class_semantics(model, race));
	else if (short_of & VKR_SHORT_OTHER_REFERENCE)
		add(words, "the two go through different references: barriers in the shader do not "
			   "join these");
	else
		add(words, "nothing orders the two accesses");
}

const char *vkr_race_missing(struct vkr_model *model, const struct vkr_engine_race *race,
			     const struct vkr_race_report *report)
{
	struct words words = {.used = 0};
	if (in_one_dispatch(race))
		add_in_dispatch(model, &words, race, report);
	else
		add_between_commands(model, &words, race, report);
	return keep(model, &words);
}

// ---- What would order the two -------------------------------------------------------------------

static void add_mask(struct words *words, const char *name, uint64_t mask, bool stages)
{
	char text[256];
	add(words, "%s %s", name,
	    stages ? vkr_scope_stage_text(vkr_scope_legacy_stages(mask), text, sizeof text)
		   : vkr_scope_access_text(vkr_scope_legacy_accesses(mask), text, sizeof text));
}

// A read needs nothing made available before it is overwritten.
static void add_barrier(struct vkr_model *model, struct words *words,
			const struct vkr_engine_race *race)
{
	const struct vkr_access_site *first = site_of(model, &race->first);
	const bool memory = first->write;
	add_mask(words, "srcStageMask", race->first.stage, true);
	add_mask(words, ", srcAccessMask", memory ? race->first.access : 0, false);
	add_mask(words, ", dstStageMask", race->second.stage, true);
	add_mask(words, ", dstAccessMask", memory ? race->second.access : 0, false);
}

static void add_missing_bits(struct vkr_model *model, struct words *words,
			     const struct vkr_engine_race *race,
			     const struct vkr_race_report *report)
{
	const struct vkr_executed *nearest = &model->names.executed.items[race->nearest];
	struct lack lacks[4];
	const char *before = "";
	find_lacks(race, lacks);
	for (size_t at = 0; at < 4; at++) {
		char text[128];
		if (lacks[at].bit == 0)
			continue;
		const uint64_t bit = lacks[at].stage ? vkr_scope_legacy_stages(lacks[at].bit)
						     : vkr_scope_legacy_accesses(lacks[at].bit);
		add(words, "%sadd %s to the %s", before,
		    lacks[at].stage ? vkr_scope_stage_text(bit, text, sizeof text)
				    : vkr_scope_access_text(bit, text, sizeof text),
		    lacks[at].mask);
		before = ", ";
	}
	if (race->shortfall & VKR_SHORT_RANGE)
		add(words, "%swiden the range to cover %llu bytes at offset %llu of %s", before,
		    (unsigned long long)report->second.bytes,
		    (unsigned long long)report->second.offset, report->second.object);
	add(words, " of ");
	add_dependency(words, nearest);
	if (!same_submission(report))
		add(words, " of submission %u", nearest->submission);
}

static void add_change_between(struct vkr_model *model, struct words *words,
			       const struct vkr_engine_race *race,
			       const struct vkr_race_report *report)
{
	const bool first_host = report->first.agent == VKR_AGENT_HOST;
	const bool second_host = report->second.agent == VKR_AGENT_HOST;
	char text[WORDS];
	struct words split = {.used = 0};
	if (race->shortfall & (VKR_SHORT_OTHER_REGION | VKR_SHORT_OTHER_VIEW)) {
		add_split(model, &split, race);
		add(words, "%s",
		    vkr_framebuffer_change(model, race, split.text, text, sizeof text));
	} else if (race->race_class == VKR_RACE_FREE)
		add(words, "wait for submission %u to complete before vkFreeMemory",
		    report->first.command.submission);
	else if (race->shortfall & VKR_SHORT_OWNERSHIP)
		add(words, "%s", vkr_owner_change(model, race, report, text, sizeof text));
	else if (race->race_class == VKR_RACE_SCOPE)
		add(words, "%s", vkr_atomics_change(model, race, report, text, sizeof text));
	else if (nearest_lacks(race))
		add_missing_bits(model, words, race, report);
	else if (race->shortfall & VKR_SHORT_NOT_FLUSHED)
		add(words, "call vkFlushMappedMemoryRanges for these bytes between the write and "
			   "vkQueueSubmit, or use HOST_COHERENT memory");
	else if (race->shortfall & VKR_SHORT_NOT_INVALIDATED)
		add(words,
		    "call vkInvalidateMappedMemoryRanges for these bytes between the wait and the "
		    "access, or use HOST_COHERENT memory");
	else if (race->shortfall & VKR_SHORT_TO_HOST)
		add(words,
		    "add a vkCmdPipelineBarrier behind command %u: dstStageMask HOST, "
		    "dstAccessMask %s",
		    report->first.command.command,
		    report->second.write ? "HOST_WRITE" : "HOST_READ");
	else if (first_host && second_host)
		add(words, "order the two host accesses");
	else if (first_host && model->thread_order.own)
		add(words,
		    "let %s release a mutex, or the like, behind its access, that the thread which "
		    "submits command %u acquires before vkQueueSubmit",
		    report->first.thread, report->second.command.command);
	else if (first_host)
		add(words, "submit command %u behind the host's access",
		    report->second.command.command);
	else if (second_host)
		add(words, "wait for a fence of submission %u before the host's access",
		    report->first.command.submission);
	else if (race->first.stage == VKR_STAGE_PRESENTATION)
		add(words,
		    "let submission %u wait for the semaphore of vkAcquireNextImageKHR, in a stage "
		    "that command %u waits for",
		    report->second.command.submission, report->second.command.command);
	else if (race->second.stage == VKR_STAGE_PRESENTATION)
		add(words,
		    "signal a semaphore in submission %u and let vkQueuePresentKHR wait for it",
		    report->first.command.submission);
	else if (race->shortfall & VKR_SHORT_NO_TOKEN)
		add(words, "signal a semaphore in submission %u and wait for it in submission %u",
		    report->first.command.submission, report->second.command.submission);
	else if (in_one_command(race)) {
		add(words,
		    "give each build memory of its own, or make command %u two, with a "
		    "vkCmdPipelineBarrier between: ",
		    report->first.command.command);
		add_barrier(model, words, race);
	} else if (same_submission(report)) {
		add(words, "add a vkCmdPipelineBarrier%s between commands %u and %u: ",
		    of_pass(report->first.command.name) &&
				    (of_pass(report->second.command.name) ||
				     race->second.access == VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT)
			    ? ", or within one render pass a VkSubpassDependency,"
			    : "",
		    report->first.command.command, report->second.command.command);
		add_barrier(model, words, race);
	} else {
		add(words, "add a vkCmdPipelineBarrier before command %u of submission %u: ",
		    report->second.command.command, report->second.command.submission);
		add_barrier(model, words, race);
	}
}

// Whether a control barrier of a workgroup stands between two sites of one shader.
static bool barrier_between(const struct vkr_shader *shader, uint32_t low, uint32_t high)
{
	const struct vkr_site *sites = vkr_site_table_sites(shader->sites);
	for (uint32_t at = low + 1; at < high; at++)
		if (sites[at].operation == VKR_SITE_CONTROL_BARRIER &&
		    sites[at].execution != VKR_SCOPE_SUBGROUP &&
		    sites[at].execution != VKR_SCOPE_INVOCATION)
			return true;
	return false;
}

// "between line 31 and line 24 of the next iteration": where a barrier already stands between the
// two in the program's text, it is the way around the loop that has none.
static void add_lines(struct vkr_model *model, struct words *words,
		      const struct vkr_engine_race *race, const struct vkr_race_report *report)
{
	const struct vkr_access_site *first = site_of(model, &race->first);
	const struct vkr_access_site *second = site_of(model, &race->second);
	const bool swap = first->site > second->site;
	const uint32_t low = swap ? second->site : first->site;
	const uint32_t high = swap ? first->site : second->site;
	const uint32_t low_line = swap ? report->second.source.line : report->first.source.line;
	const uint32_t high_line = swap ? report->first.source.line : report->second.source.line;
	if (low_line == 0 || high_line == 0)
		add(words, " between the two accesses");
	else if (low == high)
		add(words, " between line %u and its next execution", low_line);
	else if (barrier_between(first->shader, low, high))
		add(words, " between line %u and line %u of the next iteration", high_line,
		    low_line);
	else
		add(words, " between line %u and line %u", low_line, high_line);
}

// Vulkan's memory model has its own words in shaders, GLSL450 others for the same.
static void add_change_synchronization(struct vkr_model *model, struct words *words,
				       const struct vkr_engine_race *race)
{
	const struct vkr_shader *shader = site_of(model, &race->first)->shader;
	const struct vkr_site *release = synchronization_site(model, race, race->release);
	const struct vkr_site *acquire = synchronization_site(model, race, race->acquire);
	const bool is_vulkan = shader->sites->memory_model == 3;
	if (race->race_class == VKR_RACE_SCOPE)
		add(words, "use %s scope",
		    race->first.workgroup == race->second.workgroup ? "Workgroup" : "QueueFamily");
	else if (race->race_class == VKR_RACE_PRIVATE)
		add(words, "declare the buffer %s", is_vulkan ? "nonprivate" : "coherent");
	else if (race->race_class == VKR_RACE_UNAVAILABLE)
		add(words, "add MakeAvailable to the release");
	else if (race->race_class == VKR_RACE_INVISIBLE)
		add(words, "add MakeVisible to the acquire");
	else if (release != NULL && acquire != NULL && release->semantics & acquire->semantics &&
		 (release->semantics & class_of(model, race)))
		add(words, "let the later invocation go on only where its atomic has read what the "
			   "earlier one has written behind its release");
	else
		add(words,
		    "release %s behind the earlier access before an atomic write, and acquire it "
		    "before the later access behind an atomic read of that value",
		    class_semantics(model, race));
}

static void add_change_in_dispatch(struct vkr_model *model, struct words *words,
				   const struct vkr_engine_race *race,
				   const struct vkr_race_report *report)
{
	const uint32_t short_of = race->shortfall;
	const bool shared = race->memory == VKR_ENGINE_WORKGROUP;
	if (short_of & VKR_SHORT_ATOMIC_BYTES)
		add(words, "access the same bytes by both atomics");
	else if (short_of & VKR_SHORT_ATOMIC_SCOPE)
		add(words, "widen the scope of the atomics to hold both invocations");
	else if (short_of & VKR_SHORT_SYNCHRONIZATION && !(short_of & VKR_SHORT_OTHER_REFERENCE))
		add_change_synchronization(model, words, race);
	else if (report->first.atomic != report->second.atomic)
		add(words, "make the %s at line %u atomic too",
		    report->first.atomic ? report->second.operation : report->first.operation,
		    report->first.atomic ? report->second.source.line : report->first.source.line);
	else if (in_one_draw(model, race))
		add(words, "%s", vkr_stage_words_change(race));
	else if (short_of & VKR_SHORT_OTHER_WORKGROUP)
		add(words, "let the workgroups access different bytes, or use atomics, or do the "
			   "second access in a dispatch behind a vkCmdPipelineBarrier");
	else if (report->same_instruction && short_of & VKR_SHORT_NO_BARRIER)
		add(words,
		    "let one invocation alone do it, or each access bytes of its own, or use "
		    "an atomic");
	else if (short_of & VKR_SHORT_OTHER_REFERENCE)
		add(words, "access the bytes through one descriptor");
	else if (short_of & VKR_SHORT_PRIVATE_ACCESS)
		add(words, "declare the buffer coherent, and call memoryBarrierBuffer() before "
			   "barrier()");
	else {
		add(words, "call %sbarrier()", shared ? "" : "memoryBarrierBuffer() and ");
		add_lines(model, words, race, report);
	}
}

const char *vkr_race_change(struct vkr_model *model, const struct vkr_engine_race *race,
			    const struct vkr_race_report *report)
{
	struct words words = {.used = 0};
	if (in_one_dispatch(race))
		add_change_in_dispatch(model, &words, race, report);
	else
		add_change_between(model, &words, race, report);
	return keep(model, &words);
}
