// SPDX-License-Identifier: Apache-2.0
// What is missing between two invocations of one dispatch or draw, and the change that orders them,
// in words. Knows barriers, fences and atomics of shaders; nothing of commands.
#include "model_state.h"
#include "race_places.h"
#include "race_sentences.h"
#include "shader_sync.h"
#include "site_table.h"
#include "stage_text.h"

#include <string.h>

const char *vkr_memory_scope_name(uint8_t scope)
{
	switch ((enum vkr_scope)scope) {
	case VKR_SCOPE_CROSS_DEVICE:
		return "CrossDevice";
	case VKR_SCOPE_DEVICE:
		return "Device";
	case VKR_SCOPE_WORKGROUP:
		return "Workgroup";
	case VKR_SCOPE_SUBGROUP:
		return "Subgroup";
	case VKR_SCOPE_INVOCATION:
		return "Invocation";
	case VKR_SCOPE_QUEUE_FAMILY:
		return "QueueFamily";
	case VKR_SCOPE_SHADER_CALL:
		return "ShaderCall";
	}
	return "";
}

static const struct vkr_site *shader_site(const struct vkr_model *model,
					  const struct vkr_engine_access *access)
{
	const struct vkr_access_site *site = vkr_race_site(model, access);
	return &vkr_site_table_sites(site->shader->sites)[site->site];
}

// Invocations of a draw that no barrier in a shader can order: only those of one patch pass control
// barriers together.
static bool in_one_draw(const struct vkr_model *model, const struct vkr_engine_race *race)
{
	const struct vkr_access_site *first = vkr_race_site(model, &race->first);
	return vkr_in_one_dispatch(race) && first->shader->sites->identity != 0 &&
	       (first->stage != VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT ||
		race->first.workgroup != race->second.workgroup);
}

// The storage class that semantics must name to order what the race is on.
static unsigned class_of(const struct vkr_model *model, const struct vkr_engine_race *race)
{
	return shader_site(model, &race->first)->storage_class;
}

static const char *class_semantics(const struct vkr_model *model,
				   const struct vkr_engine_race *race)
{
	switch (class_of(model, race)) {
	case VKR_CLASS_WORKGROUP:
		return "WorkgroupMemory";
	case VKR_CLASS_OUTPUT:
		return "OutputMemory";
	case VKR_CLASS_IMAGE:
		return "ImageMemory";
	default:
		return "UniformMemory";
	}
}

static const struct vkr_site *site_named(struct vkr_model *model,
					 const struct vkr_engine_access *access, uint64_t name)
{
	const struct vkr_shader *shader = vkr_race_site(model, access)->shader;
	return name != 0 ? &vkr_site_table_sites(shader->sites)[name - 1] : NULL;
}

// The nearest release after the earlier access, and the nearest acquire before the later one, each
// of the same shader; NULL: there is none.
static const struct vkr_site *release_site(struct vkr_model *model,
					   const struct vkr_engine_race *race)
{
	return site_named(model, race->backward ? &race->second : &race->first, race->release);
}

static const struct vkr_site *acquire_site(struct vkr_model *model,
					   const struct vkr_engine_race *race)
{
	return site_named(model, race->backward ? &race->first : &race->second, race->acquire);
}

static void add_place(struct vkr_text *text, const char *what, const struct vkr_site *site)
{
	if (site->line != 0)
		vkr_text_add(text, "the %s in line %u", what, site->line);
	else
		vkr_text_add(text, "the %s at SPIR-V word %u", what, site->spirv_word);
}

static void add_synchronization(struct vkr_model *model, struct vkr_text *text,
				const struct vkr_engine_race *race)
{
	const struct vkr_site *release = release_site(model, race);
	const struct vkr_site *acquire = acquire_site(model, race);
	const unsigned of_memory = class_of(model, race);
	const char *earlier = race->backward ? "second" : "first";
	const char *later = race->backward ? "first" : "second";
	if (release == NULL) {
		vkr_text_add(text, "the invocation of the %s access releases nothing behind it",
			     earlier);
	} else if (acquire == NULL) {
		vkr_text_add(text, "the invocation of the %s access acquires nothing before it",
			     later);
	} else if (race->race_class == VKR_RACE_SCOPE) {
		add_place(text, "release", release);
		vkr_text_add(text, " has %s scope and ", vkr_memory_scope_name(release->scope));
		add_place(text, "acquire", acquire);
		vkr_text_add(text, " %s scope, which do not hold both invocations",
			     vkr_memory_scope_name(acquire->scope));
	} else if (race->race_class == VKR_RACE_PRIVATE) {
		add_place(text, "release", release);
		vkr_text_add(text, " and ");
		add_place(text, "acquire", acquire);
		vkr_text_add(text, " do not order private accesses");
	} else if (race->race_class == VKR_RACE_UNAVAILABLE) {
		add_place(text, "release", release);
		vkr_text_add(text, " lacks MakeAvailable for %s", class_semantics(model, race));
	} else if (race->race_class == VKR_RACE_INVISIBLE) {
		add_place(text, "acquire", acquire);
		vkr_text_add(text, " lacks MakeVisible for %s", class_semantics(model, race));
	} else if (!(release->semantics & of_memory)) {
		add_place(text, "release", release);
		vkr_text_add(text, " behind the %s access is not for %s", earlier,
			     class_semantics(model, race));
	} else if (!(acquire->semantics & of_memory)) {
		add_place(text, "acquire", acquire);
		vkr_text_add(text, " before the %s access is not for %s", later,
			     class_semantics(model, race));
	} else {
		add_place(text, "acquire", acquire);
		vkr_text_add(text, " has not met ");
		add_place(text, "release", release);
		vkr_text_add(text,
			     ": no atomic of the one has read what an atomic of the other wrote");
	}
}

void vkr_text_in_dispatch(struct vkr_model *model, struct vkr_text *text,
			  const struct vkr_engine_race *race, const struct vkr_race_report *report)
{
	const uint32_t short_of = race->shortfall;
	if (report->same_instruction)
		vkr_text_add(text, "one instruction races with itself: ");
	if (short_of & VKR_SHORT_ATOMIC_BYTES)
		vkr_text_add(text, "the two atomics do not access the same bytes");
	else if (short_of & VKR_SHORT_ATOMIC_SCOPE)
		vkr_text_add(text, "the two invocations are not in each other's atomic scope");
	else if (short_of & VKR_SHORT_SYNCHRONIZATION)
		add_synchronization(model, text, race);
	else if (in_one_draw(model, race))
		vkr_text_add(text, "%s", vkr_stage_words_missing(race));
	else if (short_of & VKR_SHORT_OTHER_WORKGROUP)
		vkr_text_add(
			text,
			"the invocations are in different workgroups: no barrier in the shader "
			"orders these");
	else if (short_of & VKR_SHORT_NO_BARRIER)
		vkr_text_add(text, "no OpControlBarrier between the two accesses");
	else if (short_of & VKR_SHORT_PRIVATE_ACCESS)
		vkr_text_add(
			text,
			"the OpControlBarrier between the two does not order private accesses");
	else if (short_of & VKR_SHORT_BARRIER_SEMANTICS)
		vkr_text_add(text,
			     "the OpControlBarrier between the two lacks acquire and release "
			     "semantics for "
			     "%s",
			     class_semantics(model, race));
	else if (short_of & VKR_SHORT_BARRIER_AVAILABLE)
		vkr_text_add(text,
			     "the OpControlBarrier between the two lacks MakeAvailable for %s",
			     class_semantics(model, race));
	else if (short_of & VKR_SHORT_BARRIER_VISIBLE)
		vkr_text_add(text, "the OpControlBarrier between the two lacks MakeVisible for %s",
			     class_semantics(model, race));
	else if (short_of & VKR_SHORT_OTHER_REFERENCE)
		vkr_text_add(
			text,
			"the two go through different references: barriers in the shader do not "
			"join these");
	else
		vkr_text_add(text, "nothing orders the two accesses");
}

// ---- What would order the two -------------------------------------------------------------------

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

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash != NULL ? slash + 1 : path;
}

// "between line 31 and line 24 of the next iteration": where a barrier stands between the two in
// the program's text, but none was between them, it is the way around the loop that has none.
// Functions stand in a module in another order than in the text, which then says nothing about
// loops.
static void add_lines(struct vkr_model *model, struct vkr_text *text,
		      const struct vkr_engine_race *race, const struct vkr_race_report *report)
{
	const struct vkr_access_site *first = vkr_race_site(model, &race->first);
	const struct vkr_access_site *second = vkr_race_site(model, &race->second);
	const bool swap = first->site > second->site;
	const uint32_t low = swap ? second->site : first->site;
	const uint32_t high = swap ? first->site : second->site;
	const uint32_t low_line = swap ? report->second.source.line : report->first.source.line;
	const uint32_t high_line = swap ? report->first.source.line : report->second.source.line;
	const char *low_file = swap ? report->second.source.file : report->first.source.file;
	const char *high_file = swap ? report->first.source.file : report->second.source.file;
	if (low_line == 0 || high_line == 0)
		vkr_text_add(text, " between the two accesses");
	else if (strcmp(low_file, high_file) != 0)
		vkr_text_add(text, " between %s:%u and %s:%u", base_name(low_file), low_line,
			     base_name(high_file), high_line);
	else if (low == high)
		vkr_text_add(text, " between line %u and its next execution", low_line);
	else if (race->shortfall & VKR_SHORT_NO_BARRIER && low_line <= high_line &&
		 barrier_between(first->shader, low, high))
		vkr_text_add(text, " between line %u and line %u of the next iteration", high_line,
			     low_line);
	else
		vkr_text_add(text, " between line %u and line %u", low_line, high_line);
}

// Vulkan's memory model has its own words in shaders, GLSL450 others for the same.
static void add_declaration(struct vkr_model *model, struct vkr_text *text,
			    const struct vkr_engine_race *race)
{
	const bool is_vulkan = vkr_race_site(model, &race->first)->shader->sites->memory_model == 3;
	const unsigned of_memory = class_of(model, race);
	vkr_text_add(text, "declare the %s %s",
		     of_memory == VKR_CLASS_UNIFORM ? "buffer"
		     : of_memory == VKR_CLASS_IMAGE ? "image"
						    : "variable",
		     is_vulkan ? "nonprivate" : "coherent");
}

static void add_fence(struct vkr_model *model, struct vkr_text *text,
		      const struct vkr_engine_race *race)
{
	vkr_text_add(text, "memoryBarrier%s()",
		     class_of(model, race) == VKR_CLASS_IMAGE ? "Image" : "Buffer");
}

static void add_one_descriptor(struct vkr_text *text, const struct vkr_engine_race *race)
{
	if (race->first.reference != race->second.reference)
		vkr_text_add(text, "access the bytes through one descriptor, ");
}

// A barrier alone orders what a workgroup shares; not what is outside, nor private accesses to it.
static void add_change_barrier(struct vkr_model *model, struct vkr_text *text,
			       const struct vkr_engine_race *race,
			       const struct vkr_race_report *report)
{
	add_one_descriptor(text, race);
	if (!vkr_sync_is_nonprivate(shader_site(model, &race->first)) ||
	    !vkr_sync_is_nonprivate(shader_site(model, &race->second))) {
		add_declaration(model, text, race);
		vkr_text_add(text, ", and ");
	}
	vkr_text_add(text, "call barrier()");
	// The one before it releases, the one after it acquires: barrier() is for shared memory.
	if (race->memory != VKR_ENGINE_WORKGROUP) {
		vkr_text_add(text, ", with ");
		add_fence(model, text, race);
		vkr_text_add(text, " before and after it,");
	}
	add_lines(model, text, race, report);
}

static void add_change_synchronization(struct vkr_model *model, struct vkr_text *text,
				       const struct vkr_engine_race *race)
{
	const struct vkr_site *release = release_site(model, race);
	const struct vkr_site *acquire = acquire_site(model, race);
	if (race->race_class == VKR_RACE_SCOPE)
		vkr_text_add(text, "use %s scope",
			     race->first.workgroup == race->second.workgroup ? "Workgroup"
									     : "QueueFamily");
	else if (race->race_class == VKR_RACE_PRIVATE)
		add_declaration(model, text, race);
	else if (race->race_class == VKR_RACE_UNAVAILABLE)
		vkr_text_add(text, "add MakeAvailable to the release");
	else if (race->race_class == VKR_RACE_INVISIBLE)
		vkr_text_add(text, "add MakeVisible to the acquire");
	else if (release != NULL && acquire != NULL && release->semantics & acquire->semantics &&
		 (release->semantics & class_of(model, race)))
		vkr_text_add(
			text,
			"let the later invocation go on only where its atomic has read what the "
			"earlier one has written behind its release");
	else
		vkr_text_add(text,
			     "release %s behind the earlier access before an atomic write, and "
			     "acquire it "
			     "before the later access behind an atomic read of that value",
			     class_semantics(model, race));
}

static void add_change_atomic(struct vkr_text *text, const struct vkr_access_report *plain)
{
	vkr_text_add(text, "make the %s ", plain->operation);
	if (plain->source.line != 0)
		vkr_text_add(text, "at line %u", plain->source.line);
	else
		vkr_text_add(text, "at SPIR-V word %u", plain->source.spirv_word);
	vkr_text_add(text, " atomic too");
}

// What is to be changed in the shader.
enum repair {
	REPAIR_BYTES,           // of atomics
	REPAIR_SCOPE,           // of atomics
	REPAIR_SYNCHRONIZATION, // atomics and fences
	REPAIR_ATOMIC,          // the plain access
	REPAIR_DRAW,
	REPAIR_WORKGROUPS,
	REPAIR_ALONE, // one invocation
	REPAIR_DESCRIPTOR,
	REPAIR_DECLARATION,
	REPAIR_BARRIER,
};

// The two have met at a control barrier of less than both: subgroupBarrier().
static bool has_narrow_barrier(struct vkr_model *model, const struct vkr_engine_race *race)
{
	const struct vkr_site *release = release_site(model, race);
	return race->race_class == VKR_RACE_SCOPE && release != NULL &&
	       release == acquire_site(model, race) &&
	       release->operation == VKR_SITE_CONTROL_BARRIER;
}

static enum repair repair_of(struct vkr_model *model, const struct vkr_engine_race *race,
			     const struct vkr_race_report *report)
{
	const uint32_t short_of = race->shortfall;
	const bool shared = race->memory == VKR_ENGINE_WORKGROUP;
	if (short_of & VKR_SHORT_ATOMIC_BYTES)
		return REPAIR_BYTES;
	if (short_of & VKR_SHORT_ATOMIC_SCOPE)
		return REPAIR_SCOPE;
	if (has_narrow_barrier(model, race))
		return race->first.workgroup == race->second.workgroup ? REPAIR_BARRIER
								       : REPAIR_WORKGROUPS;
	if (short_of & VKR_SHORT_SYNCHRONIZATION && !(short_of & VKR_SHORT_OTHER_REFERENCE))
		return REPAIR_SYNCHRONIZATION;
	if (report->first.atomic != report->second.atomic &&
	    (!shared || !(short_of & VKR_SHORT_NO_BARRIER)))
		return REPAIR_ATOMIC;
	if (in_one_draw(model, race))
		return REPAIR_DRAW;
	if (short_of & VKR_SHORT_OTHER_WORKGROUP)
		return REPAIR_WORKGROUPS;
	if (report->same_instruction && short_of & VKR_SHORT_NO_BARRIER)
		return REPAIR_ALONE;
	if (short_of & VKR_SHORT_OTHER_REFERENCE)
		return REPAIR_DESCRIPTOR;
	return short_of & VKR_SHORT_PRIVATE_ACCESS ? REPAIR_DECLARATION : REPAIR_BARRIER;
}

void vkr_text_change_in_dispatch(struct vkr_model *model, struct vkr_text *text,
				 const struct vkr_engine_race *race,
				 const struct vkr_race_report *report)
{
	switch (repair_of(model, race, report)) {
	case REPAIR_BYTES:
		vkr_text_add(text, "access the same bytes by both atomics");
		break;
	case REPAIR_SCOPE:
		vkr_text_add(text, "widen the scope of the atomics to hold both invocations");
		break;
	case REPAIR_SYNCHRONIZATION:
		add_change_synchronization(model, text, race);
		break;
	case REPAIR_ATOMIC:
		add_change_atomic(text, report->first.atomic ? &report->second : &report->first);
		break;
	case REPAIR_DRAW:
		vkr_text_add(text, "%s", vkr_stage_words_change(race));
		break;
	case REPAIR_WORKGROUPS:
		vkr_text_add(text,
			     "let the workgroups access different bytes, or use atomics, or do the "
			     "second access in a dispatch behind a vkCmdPipelineBarrier");
		break;
	case REPAIR_ALONE:
		vkr_text_add(
			text,
			"let one invocation alone do it, or each access bytes of its own, or use "
			"an atomic");
		break;
	case REPAIR_DESCRIPTOR:
		vkr_text_add(text, "access the bytes through one descriptor");
		break;
	case REPAIR_DECLARATION:
		add_one_descriptor(text, race);
		add_declaration(model, text, race);
		break;
	case REPAIR_BARRIER:
		add_change_barrier(model, text, race, report);
		break;
	}
}

// ---- The change as data -------------------------------------------------------------------------

// SPIR-V's Memory Semantics.
#define ACQUIRE_RELEASE  0x8u
#define WORKGROUP_MEMORY 0x100u
#define MAKE_AVAILABLE   0x2000u
#define MAKE_VISIBLE     0x4000u

static uint32_t semantics_of(unsigned classes)
{
	return (classes & VKR_CLASS_UNIFORM ? 0x40u : 0u) |
	       (classes & VKR_CLASS_WORKGROUP ? WORKGROUP_MEMORY : 0u) |
	       (classes & VKR_CLASS_IMAGE ? 0x800u : 0u) |
	       (classes & VKR_CLASS_OUTPUT ? 0x1000u : 0u);
}

// The instruction of a site; false for lack of memory.
static bool place_at(struct vkr_model *model, const struct vkr_shader *shader,
		     const struct vkr_site *site, struct vkr_change_place *place)
{
	const char *file = base_name(vkr_site_table_string(shader->sites, site->file));
	*place = (struct vkr_change_place)VKR_CHANGE_NOWHERE;
	place->call = vkr_texts_format(&model->texts, "%016llx+%u",
				       (unsigned long long)shader->content_hash, site->spirv_word);
	place->name = vkr_shader_title(shader);
	place->recorded =
		site->line != 0
			? vkr_texts_format(&model->texts, "%s:%u", file, site->line)
			: vkr_texts_format(&model->texts, "SPIR-V word %u", site->spirv_word);
	return place->call != NULL && place->recorded != NULL;
}

// More in the semantics of a release or an acquire, or both.
static bool plan_synchronization(struct vkr_model *model, const struct vkr_engine_race *race,
				 struct vkr_change *change, const struct vkr_site *sites[2])
{
	const struct vkr_site *release = release_site(model, race);
	const struct vkr_site *acquire = acquire_site(model, race);
	if (race->race_class == VKR_RACE_PRIVATE) {
		change->kind = VKR_CHANGE_SHADER_COHERENT;
		return true;
	}
	if (release == NULL || acquire == NULL)
		return false;
	change->kind = VKR_CHANGE_SHADER_ORDER;
	change->shader.scope = VKR_SCOPE_INVOCATION; // as they are
	sites[0] = release;
	sites[1] = acquire;
	if (race->race_class == VKR_RACE_SCOPE)
		change->shader.scope = race->first.workgroup == race->second.workgroup
					       ? VKR_SCOPE_WORKGROUP
					       : VKR_SCOPE_QUEUE_FAMILY;
	else if (race->race_class == VKR_RACE_UNAVAILABLE)
		change->shader.semantics = MAKE_AVAILABLE;
	else if (race->race_class == VKR_RACE_INVISIBLE)
		change->shader.semantics = MAKE_VISIBLE;
	else if (!(release->semantics & acquire->semantics & class_of(model, race)))
		change->shader.semantics = semantics_of(class_of(model, race));
	else
		return false;
	if (race->race_class == VKR_RACE_UNAVAILABLE)
		sites[1] = release;
	if (race->race_class == VKR_RACE_INVISIBLE)
		sites[0] = acquire;
	return true;
}

// The plain access is of what the atomic is of.
static bool plan_atomic(const struct vkr_engine_race *race, const struct vkr_race_report *report,
			struct vkr_change *change)
{
	change->kind = VKR_CHANGE_SHADER_ATOMIC;
	// Other workgroups may race as the first example does.
	change->shader.scope =
		race->memory == VKR_ENGINE_WORKGROUP ? VKR_SCOPE_WORKGROUP : VKR_SCOPE_QUEUE_FAMILY;
	return report->first.bytes == report->second.bytes &&
	       report->first.offset == report->second.offset;
}

// Before the second access, at first; what its place allows is found out by trying.
static bool plan_barrier(struct vkr_model *model, const struct vkr_engine_race *race,
			 struct vkr_change *change)
{
	const struct vkr_site *first = shader_site(model, &race->first);
	const struct vkr_site *second = shader_site(model, &race->second);
	const struct vkr_shader *shader = vkr_race_site(model, &race->first)->shader;
	if (race->first.reference != race->second.reference ||
	    first->storage_class == VKR_CLASS_OUTPUT)
		return false;
	change->kind = VKR_CHANGE_SHADER_BARRIER;
	change->shader.scope = VKR_SCOPE_WORKGROUP;
	change->shader.semantics =
		ACQUIRE_RELEASE | WORKGROUP_MEMORY | semantics_of(first->storage_class) |
		(shader->sites->memory_model == 3 ? MAKE_AVAILABLE | MAKE_VISIBLE : 0u);
	change->shader.coherent = !vkr_sync_is_nonprivate(first) || !vkr_sync_is_nonprivate(second);
	return true;
}

bool vkr_change_in_dispatch(struct vkr_model *model, const struct vkr_engine_race *race,
			    const struct vkr_race_report *report, const struct vkr_change **edit)
{
	const struct vkr_shader *shader = vkr_race_site(model, &race->first)->shader;
	struct vkr_change change = {.place = VKR_CHANGE_NOWHERE, .from = VKR_CHANGE_NOWHERE};
	const struct vkr_site *sites[2] = {shader_site(model, &race->first),
					   shader_site(model, &race->second)};
	bool there = false, swap = false; // swap: the change is at the second access
	*edit = NULL;
	if (vkr_race_site(model, &race->second)->shader != shader)
		return true; // two stages of a draw
	switch (repair_of(model, race, report)) {
	case REPAIR_SCOPE:
		there = true;
		change.kind = VKR_CHANGE_SHADER_ORDER;
		change.shader.scope = race->first.workgroup == race->second.workgroup
					      ? VKR_SCOPE_WORKGROUP
					      : VKR_SCOPE_QUEUE_FAMILY;
		break;
	case REPAIR_SYNCHRONIZATION:
		there = plan_synchronization(model, race, &change, sites);
		break;
	case REPAIR_DECLARATION:
		there = race->first.reference == race->second.reference;
		change.kind = VKR_CHANGE_SHADER_COHERENT;
		break;
	case REPAIR_BARRIER:
		there = plan_barrier(model, race, &change);
		break;
	case REPAIR_ATOMIC:
		there = plan_atomic(race, report, &change);
		swap = report->first.atomic;
		break;
	case REPAIR_BYTES:
	case REPAIR_DRAW:
	case REPAIR_WORKGROUPS:
	case REPAIR_ALONE:
	case REPAIR_DESCRIPTOR:
		break;
	}
	if (!there)
		return true;
	swap = swap || change.kind == VKR_CHANGE_SHADER_BARRIER;
	struct vkr_change *kept = vkr_arena_alloc(&model->names.arena, sizeof *kept);
	if (kept == NULL || !place_at(model, shader, sites[swap], &change.place) ||
	    !place_at(model, shader, sites[!swap], &change.from))
		return false;
	*kept = change;
	*edit = kept;
	return true;
}
