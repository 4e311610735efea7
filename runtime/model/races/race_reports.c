// SPDX-License-Identifier: Apache-2.0
// Races as reports describe them: both accesses alike. Knows names and masks; not how races are
// found or shown.
#include "race_reports.h"

#include "array.h"
#include "frame_notes.h"
#include "image_layout.h"
#include "invocation_groups.h"
#include "model_state.h"
#include "race_doubts.h"
#include "race_edits.h"
#include "race_identity.h"
#include "race_images.h"
#include "race_keys.h"
#include "race_notes.h"
#include "race_places.h"
#include "scopes.h"
#include "site_table.h"
#include "sort.h"

#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

void vkr_race_reports_finish(struct vkr_race_reports *races)
{
	free(races->groups.items);
	free(races->spots.items);
	free(races->pairs.items);
	free(races->possible.items);
	free(races->shown.items);
	vkr_map_finish(&races->places);
	vkr_map_finish(&races->identities);
	vkr_map_finish(&races->possible_identities);
	vkr_map_finish(&races->certain);
	vkr_map_finish(&races->host_sites);
}

static const struct vkr_site *table_site(const struct vkr_access_site *site)
{
	return &vkr_site_table_sites(site->shader->sites)[site->site];
}

static const struct vkr_variable *table_variable(const struct vkr_access_site *site)
{
	return &vkr_site_table_variables(site->shader->sites)[table_site(site)->variable];
}

static const char *table_string(const struct vkr_access_site *site, uint32_t offset)
{
	return vkr_site_table_string(site->shader->sites, offset);
}

static const char *operation_name(const struct vkr_access_site *site)
{
	if (site->kind != VKR_SITE_OF_SHADER)
		return site->operation;
	if (table_site(site)->texel != 0 || table_site(site)->flags & VKR_SITE_COOPERATIVE ||
	    table_variable(site)->kind == VKR_VARIABLE_ACCELERATION_STRUCTURE)
		return table_string(site, table_site(site)->instruction);
	switch ((enum vkr_site_operation)table_site(site)->operation) {
	case VKR_SITE_LOAD:
		return "OpLoad";
	case VKR_SITE_STORE:
		return "OpStore";
	case VKR_SITE_ATOMIC_LOAD:
		return "OpAtomicLoad";
	case VKR_SITE_ATOMIC_STORE:
		return "OpAtomicStore";
	case VKR_SITE_ATOMIC_RMW:
		return table_string(site, table_site(site)->instruction);
	case VKR_SITE_CONTROL_BARRIER:
	case VKR_SITE_MEMORY_BARRIER:
	case VKR_SITE_SHADER_CALL:
	case VKR_SITE_SHADER_RETURN:
	case VKR_SITE_SUBGROUP:
		break;
	}
	return "";
}

static const char *class_name(const struct vkr_variable *variable)
{
	switch ((enum vkr_variable_kind)variable->kind) {
	case VKR_VARIABLE_BUFFER:
		return variable->flags & VKR_VARIABLE_UNIFORM ? "Uniform" : "StorageBuffer";
	case VKR_VARIABLE_WORKGROUP:
		if (variable->flags & VKR_VARIABLE_OUTPUT)
			return "Output";
		return variable->flags & VKR_VARIABLE_PAYLOAD ? "TaskPayloadWorkgroupEXT"
							      : "Workgroup";
	case VKR_VARIABLE_POINTER:
		if (variable->flags & VKR_VARIABLE_UNIFORM)
			return "Uniform";
		return variable->spirv_id != 0 ? "StorageBuffer" : "PhysicalStorageBuffer";
	case VKR_VARIABLE_STORAGE_IMAGE:
	case VKR_VARIABLE_SAMPLED_IMAGE:
	case VKR_VARIABLE_TEXEL_BUFFER:
	case VKR_VARIABLE_INPUT_ATTACHMENT:
		return "Image";
	case VKR_VARIABLE_ACCELERATION_STRUCTURE:
		return "UniformConstant";
	case VKR_VARIABLE_SAMPLER:
		break;
	}
	return "";
}

// What a workgroup shares, in words.
static const char *shared_kind(const struct vkr_access_site *site)
{
	const uint32_t flags = table_variable(site)->flags;
	if (flags & VKR_VARIABLE_OUTPUT)
		return site->shader->stage == VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT
			       ? "patch output"
			       : "mesh output";
	return flags & VKR_VARIABLE_PAYLOAD ? "task payload" : "shared memory";
}

static const char *semantics_text(struct vkr_model *model, const struct vkr_site *site)
{
	const bool acquire = site->order & VKR_ORDER_ACQUIRE;
	const bool release = site->order & VKR_ORDER_RELEASE;
	if (!acquire && !release)
		return "Relaxed";
	return vkr_texts_format(&model->texts, "%s%s%s%s%s%s%s",
				acquire && release ? "AcquireRelease"
				: acquire          ? "Acquire"
						   : "Release",
				site->semantics & VKR_CLASS_UNIFORM ? "|UniformMemory" : "",
				site->semantics & VKR_CLASS_WORKGROUP ? "|WorkgroupMemory" : "",
				site->semantics & VKR_CLASS_IMAGE ? "|ImageMemory" : "",
				site->semantics & VKR_CLASS_OUTPUT ? "|OutputMemory" : "",
				site->order & VKR_ORDER_MAKE_AVAILABLE ? "|MakeAvailable" : "",
				site->order & VKR_ORDER_MAKE_VISIBLE ? "|MakeVisible" : "");
}

static const char *stage_access_text(struct vkr_model *model, const struct vkr_access_site *site,
				     bool workgroup)
{
	if (site->kind == VKR_SITE_OF_HOST)
		return site->write ? "VK_PIPELINE_STAGE_2_HOST_BIT / VK_ACCESS_2_HOST_WRITE_BIT"
				   : "VK_PIPELINE_STAGE_2_HOST_BIT / VK_ACCESS_2_HOST_READ_BIT";
	struct vkr_text text = {0};
	vkr_scope_add_full_stages(&text, site->stage);
	if (!workgroup) {
		vkr_text_add(&text, " / ");
		vkr_scope_add_full_accesses(&text, site->access);
	}
	return vkr_texts_words(&model->texts, &text);
}

// Binding memory to one resource is nothing to what others do with the memory.
static bool is_bound_elsewhere(const struct vkr_model *model, const struct vkr_engine_race *race)
{
	const struct vkr_race_object first = vkr_race_object_of(model, race, &race->first);
	const struct vkr_race_object second = vkr_race_object_of(model, race, &race->second);
	return (vkr_race_site(model, &race->first)->binding ||
		vkr_race_site(model, &race->second)->binding) &&
	       (first.buffer != second.buffer || first.image != second.image);
}

static const char *binding_text(struct vkr_model *model, const struct vkr_engine_race *race,
				const struct vkr_engine_access *access)
{
	const struct vkr_access_site *site = vkr_race_site(model, access);
	if (site->kind != VKR_SITE_OF_SHADER || race->memory == VKR_ENGINE_WORKGROUP ||
	    access->reference == 0)
		return "";
	const struct vkr_reference *reference =
		&model->names.references.items[access->reference - 1];
	if (reference->address)
		return "device address";
	if (reference->heap)
		return vkr_texts_format(&model->texts, "resource heap byte %u", reference->element);
	if (table_variable(site)->count == 1)
		return vkr_texts_format(&model->texts, "set %u binding %u", reference->set,
					reference->binding);
	return vkr_texts_format(&model->texts, "set %u binding %u element %u", reference->set,
				reference->binding, reference->element);
}

static const char *texels_text(struct vkr_model *model, const struct vkr_image *image,
			       const struct vkr_engine_race *race)
{
	struct vkr_image_texel first, last;
	if (!vkr_image_place(image, race->memory, race->offset, &first) ||
	    !vkr_image_place(image, race->memory, race->offset + race->bytes - 1, &last))
		return "";
	const bool flat = image->type != VK_IMAGE_TYPE_3D;
	const bool same = first.mip == last.mip && first.layer == last.layer;
	const char *from =
		flat ? vkr_texts_format(&model->texts, "%smip %u layer %u (%u, %u)", first.aspect,
					first.mip, first.layer, first.x, first.y)
		     : vkr_texts_format(&model->texts, "%smip %u (%u, %u, %u)", first.aspect,
					first.mip, first.x, first.y, first.z);
	const char *to =
		!flat  ? vkr_texts_format(&model->texts, "(%u, %u, %u)", last.x, last.y, last.z)
		: same ? vkr_texts_format(&model->texts, "(%u, %u)", last.x, last.y)
		       : vkr_texts_format(&model->texts, "mip %u layer %u (%u, %u)", last.mip,
					  last.layer, last.x, last.y);
	return from != NULL && to != NULL ? vkr_texts_format(&model->texts, "%s to %s", from, to)
					  : NULL;
}

static const char *queries_text(struct vkr_model *model, uint64_t first, uint64_t count)
{
	return count < 2 ? vkr_texts_format(&model->texts, "query %llu", (unsigned long long)first)
			 : vkr_texts_format(&model->texts, "queries %llu to %llu",
					    (unsigned long long)first,
					    (unsigned long long)(first + count - 1));
}

// The image that an access of a shader went through.
static void describe_image(struct vkr_model *model, const struct vkr_engine_race *race,
			   const struct vkr_engine_access *access, struct vkr_access_report *report)
{
	report->image = vkr_race_no_image();
	if (vkr_race_site(model, access)->kind != VKR_SITE_OF_SHADER ||
	    race->memory == VKR_ENGINE_WORKGROUP || access->reference == 0)
		return;
	const struct vkr_image_view *view =
		model->names.references.items[access->reference - 1].view;
	if (view == NULL)
		return;
	report->object = view->image->name;
	report->object_kind = VKR_OBJECT_IMAGE;
	report->object_id = view->image->id;
	report->image = vkr_race_image_place(view->image, view, race->memory, race->offset);
	for (uint32_t at = 0; at < view->image->plane_count; at++) {
		const struct vkr_image_plane *plane = &view->image->planes[at];
		if (plane->memory != NULL && plane->memory->id == race->memory &&
		    race->offset >= plane->offset && race->offset - plane->offset < plane->bytes)
			report->offset = race->offset - view->image->planes[0].offset;
	}
}

static void describe_object(struct vkr_model *model, const struct vkr_engine_race *there,
			    const struct vkr_engine_access *access,
			    struct vkr_access_report *report)
{
	const struct vkr_race_object object = vkr_race_object_of(model, there, access);
	const struct vkr_engine_race own = vkr_race_in_object(model, there, &object);
	const struct vkr_engine_race *race = &own;
	const struct vkr_access_site *site = vkr_race_site(model, access);
	const struct vkr_buffer *buffer = vkr_race_buffer_of(model, there, access);
	const struct vkr_memory *memory = vkr_objects_memory(&model->objects, there->memory);
	report->bytes = race->bytes;
	report->offset = race->offset;
	report->memory_offset = there->offset;
	report->memory = memory != NULL ? memory->name : "";
	report->object = report->memory;
	report->object_kind = memory != NULL ? VKR_OBJECT_MEMORY : 0;
	report->object_id = memory != NULL ? memory->id : 0;
	report->texels = "";
	if (site->kind != VKR_SITE_OF_SHADER && site->image != NULL) {
		report->object = site->image->name;
		report->object_kind = VKR_OBJECT_IMAGE;
		report->object_id = site->image->id;
		report->offset = race->offset - site->image->planes[0].offset;
		report->texels = texels_text(model, site->image, race);
	} else if (buffer != NULL) {
		report->object = buffer->name;
		report->object_kind = buffer->id != 0 ? VKR_OBJECT_BUFFER : 0;
		report->object_id = buffer->id;
		report->offset = race->offset - buffer->offset;
		if (buffer->id == 0) // a query pool's
			report->texels = queries_text(model, report->offset, report->bytes);
	} else if (race->memory == VKR_ENGINE_WORKGROUP && site->kind == VKR_SITE_OF_SHADER) {
		const char *name = table_string(site, table_variable(site)->name);
		uint64_t program = 0;
		report->memory_offset = 0;
		if (vkr_map_get(&model->programs.by_shader, site->shader->id, &program))
			report->offset -= ((const struct vkr_program *)(uintptr_t)program)
						  ->workgroup_bases[table_site(site)->variable];
		report->object = vkr_texts_format(&model->texts, "%s%s%s", shared_kind(site),
						  name[0] != '\0' ? " " : "", name);
	}
	describe_image(model, race, access, report);
	report->binding = binding_text(model, race, access);
}

// Where the object of the report's first access lies, and how large it is.
static struct vkr_race_spot spot_of(struct vkr_model *model, const struct vkr_engine_race *race,
				    struct vkr_race_report *report)
{
	const struct vkr_access_site *site = vkr_race_site(model, &race->first);
	const struct vkr_race_object object = vkr_race_object_of(model, race, &race->first);
	const struct vkr_buffer *buffer = vkr_race_buffer_of(model, race, &race->first);
	const struct vkr_memory *memory = vkr_objects_memory(&model->objects, race->memory);
	uint64_t *bytes = &report->extent.object_bytes;
	if (race->memory == VKR_ENGINE_WORKGROUP)
		*bytes = site->kind == VKR_SITE_OF_SHADER ? table_variable(site)->bytes : 0;
	else if (vkr_race_in_object(model, race, &object).memory != race->memory)
		return (struct vkr_race_spot){0}; // in parts of a sparse resource
	else if (object.image != NULL)
		*bytes = object.image->plane_count == 1 ? object.image->planes[0].bytes : 0;
	else if (buffer != NULL)
		*bytes = buffer->bytes;
	else
		*bytes = memory != NULL ? memory->bytes : 0;
	// Of query pools the engine counts queries.
	return (struct vkr_race_spot){.known = buffer == NULL || buffer->id != 0,
				      .memory = race->memory,
				      .base = race->offset - report->first.offset};
}

// "bodies[].velocity"; a path that begins with an index has its variable before it: "tile[]".
static const char *expression_text(struct vkr_model *model, const struct vkr_access_site *site)
{
	const char *member = table_string(site, table_site(site)->member);
	const char *name = table_string(site, table_variable(site)->name);
	if (member[0] == '\0' && table_variable(site)->kind == VKR_VARIABLE_WORKGROUP)
		return name;
	return member[0] == '[' ? vkr_texts_format(&model->texts, "%s%s", name, member) : member;
}

// Of instructions without a line.
static const char *instruction_text(struct vkr_model *model, const struct vkr_access_site *site)
{
	const struct vkr_site *of = table_site(site);
	const struct vkr_trace_shader_code *code =
		of->line == 0 ? vkr_objects_code(&model->objects, site->shader) : NULL;
	if (code == NULL || model->options.instruction_words == NULL)
		return "";
	char *text = model->options.instruction_words(model->options.place_user,
						      (const uint32_t *)(code + 1),
						      code->word_count, of->spirv_word);
	const char *kept = text != NULL ? vkr_texts_keep(&model->texts, text, strlen(text)) : NULL;
	free(text);
	return kept != NULL ? kept : "";
}

static void describe_source(struct vkr_model *model, struct vkr_access_report *report,
			    const struct vkr_access_site *site)
{
	const struct vkr_site *of = table_site(site);
	const struct vkr_site_table *table = site->shader->sites;
	const char *file = table_string(site, of->file);
	report->source = (struct vkr_source_place){
		.shader = site->shader->name,
		.stage = vkr_stage_name(site->shader->stage),
		.entry_point = table_string(site, table->entry_point),
		.file = file[0] != '\0' ? file : table_string(site, table->source_file),
		.line = of->line,
		.column = of->column,
		.spirv_word = of->spirv_word,
		.shader_hash = site->shader->content_hash,
		.expression = expression_text(model, site),
		.instruction = instruction_text(model, site)};
}

// Linear indices to three dimensions. The workgroup's counts by its absolute place (gpu_log.h), so
// a base of vkCmdDispatchBase is taken off first.
static void describe_invocation(struct vkr_access_report *report,
				const struct vkr_access_site *site,
				const struct vkr_command_info *info,
				const struct vkr_engine_access *access)
{
	const uint32_t *size = site->shader->sites->workgroup_size;
	report->workgroup_linear = access->workgroup;
	report->local_linear = access->local;
	if (size[0] > 0 && size[1] > 0) {
		report->local[0] = access->local % size[0];
		report->local[1] = access->local / size[0] % size[1];
		report->local[2] = access->local / size[0] / size[1];
	}
	report->workgroup[0] = access->workgroup;
	if (info == NULL || info->indirect || info->groups[0] == 0 || info->groups[1] == 0)
		return;
	const uint32_t *groups = info->groups, *base = info->base;
	const uint32_t from =
		access->workgroup - (base[0] + groups[0] * (base[1] + groups[1] * base[2]));
	report->workgroup[0] = base[0] + from % groups[0];
	report->workgroup[1] = base[1] + from / groups[0] % groups[1];
	report->workgroup[2] = base[2] + from / groups[0] / groups[1];
}

// An invocation that has no place on a grid.
static const char *invocation_text(struct vkr_model *model, const struct vkr_access_site *site,
				   const struct vkr_engine_access *access)
{
	if (site->shader->sites->identity == 0 ||
	    access->workgroup >= model->invocation_groups.count)
		return "";
	struct vkr_text text = {0};
	vkr_invocation_words(&model->invocation_groups.items[access->workgroup], access->local,
			     &text);
	return vkr_texts_words(&model->texts, &text);
}

static void describe_command(struct vkr_model *model, const struct vkr_executed *executed,
			     const struct vkr_access_site *site, struct vkr_access_report *report)
{
	// What a subpass does to its attachments is of the commands that begin and end it.
	const struct vkr_command_info *info =
		site->kind == VKR_SITE_OF_COMMAND ? site->info : executed->info;
	const struct vkr_queue *queue = vkr_objects_queue(&model->objects, executed->queue);
	report->command = (struct vkr_command_place){.name = "",
						     .labels = "",
						     .queue = "",
						     .command_buffer = "",
						     .pipeline = "",
						     .recorded = ""};
	if (info == NULL)
		return;
	report->command = (struct vkr_command_place){
		.command = info->index + 1,
		.name = info->name,
		.labels = info->labels,
		.queue = queue != NULL ? queue->name : "",
		.command_buffer = info->command_buffer,
		.submission = executed->submission,
		.frame = vkr_submissions_frame(&model->submissions, executed->submission),
		.queue_id = executed->queue,
		.command_buffer_id = executed->command_buffer,
		.pipeline_id = info->pipeline != NULL ? info->pipeline->id : 0,
		.pipeline = info->pipeline != NULL ? info->pipeline->name : "",
		.recorded =
			vkr_call_place_text(&model->stacks, &model->texts, info->caller,
					    model->options.place_words, model->options.place_user)};
}

static void describe_access(struct vkr_model *model, const struct vkr_engine_race *race,
			    const struct vkr_engine_access *access,
			    struct vkr_access_report *report)
{
	const struct vkr_access_site *site = vkr_race_site(model, access);
	const struct vkr_executed *executed = &model->names.executed.items[access->tag];
	*report = (struct vkr_access_report){
		.read = site->read,
		.write = site->write,
		.operation = operation_name(site),
		.storage_class = "",
		.scope = "",
		.semantics = "",
		.stage_access =
			stage_access_text(model, site, race->memory == VKR_ENGINE_WORKGROUP),
		.invocation = "",
		.subgroup = -1,
		.thread = executed->thread != NULL ? executed->thread : "",
		.stack = vkr_race_stack_text(model, site),
		.source = {.shader = "",
			   .stage = "",
			   .entry_point = "",
			   .file = "",
			   .expression = "",
			   .instruction = ""}};
	describe_object(model, race, access, report);
	describe_command(model, executed, site, report);
	switch (site->kind) {
	case VKR_SITE_OF_SHADER:
		report->agent = VKR_AGENT_INVOCATION;
		report->storage_class = class_name(table_variable(site));
		if (table_site(site)->operation == VKR_SITE_ATOMIC_RMW)
			report->read = report->write = true;
		if (table_site(site)->operation >= VKR_SITE_ATOMIC_LOAD) {
			report->atomic = true;
			report->scope = vkr_memory_scope_name(table_site(site)->scope);
			report->semantics = semantics_text(model, table_site(site));
		}
		describe_source(model, report, site);
		report->invocation = invocation_text(model, site, access);
		if (site->shader->sites->identity == 0)
			describe_invocation(report, site, executed->info, access);
		break;
	case VKR_SITE_OF_COMMAND:
		report->agent = VKR_AGENT_FIXED_FUNCTION;
		break;
	case VKR_SITE_OF_HOST:
		report->agent = VKR_AGENT_HOST;
		break;
	}
}

static bool is_whole(const struct vkr_access_report *access)
{
	return access->stack != NULL && access->command.recorded != NULL &&
	       access->object != NULL && access->texels != NULL && access->binding != NULL &&
	       access->invocation != NULL && access->semantics != NULL &&
	       access->stage_access != NULL;
}

// Memory may be used again, by who knows nothing of what did so before: that is reported as well.
static const char *with_destroyed(struct vkr_model *model, const struct vkr_engine_race *race,
				  const char *missing)
{
	const char *name = vkr_race_destroyed(model, race);
	return missing == NULL || name == NULL
		       ? missing
		       : vkr_texts_format(
				 &model->texts,
				 "%s; %s has been destroyed: its memory may be in use again",
				 missing, name);
}

// Races of one identity are numbered in the order in which they are found.
static const char *identity_text(struct vkr_model *model, struct vkr_map *identities,
				 const struct vkr_race_report *report)
{
	const uint64_t identity = vkr_race_identity(report);
	uint64_t earlier = 0;
	vkr_map_get(identities, identity, &earlier);
	if (!vkr_map_set(identities, identity, earlier + 1))
		return NULL;
	return earlier == 0
		       ? vkr_texts_format(&model->texts, "%016llx", (unsigned long long)identity)
		       : vkr_texts_format(&model->texts, "%016llx-%llu",
					  (unsigned long long)identity,
					  (unsigned long long)earlier + 1);
}

static bool describe_race(struct vkr_model *model, const struct vkr_engine_race *race,
			  bool same_instruction, struct vkr_race_report *report,
			  struct vkr_race_spot *spot)
{
	*report = (struct vkr_race_report){
		.race_class = race->race_class, .count = 1, .same_instruction = same_instruction};
	describe_access(model, race, &race->first, &report->first);
	describe_access(model, race, &race->second, &report->second);
	*spot = spot_of(model, race, report);
	vkr_race_note(model, race, report);
	if (report->note[0] == '\0')
		report->note = vkr_frame_note(model, race, report);
	report->missing = with_destroyed(model, race, vkr_race_missing(model, race, report));
	if (!is_whole(&report->first) || !is_whole(&report->second) || report->missing == NULL ||
	    report->note == NULL || !vkr_race_change(model, race, report))
		return false;
	report->id = identity_text(model,
				   race->possible ? &model->races.possible_identities
						  : &model->races.identities,
				   report);
	return report->id != NULL;
}

// Another group, the last of its kind of races. NULL for lack of memory.
static struct vkr_race_report *make_group(struct vkr_race_reports *races, const char *places,
					  bool possible, size_t *group, struct vkr_race_spot **spot)
{
	if (!possible) {
		if (!VKR_ARRAY_RESERVE(&races->groups, 1) || !VKR_ARRAY_RESERVE(&races->spots, 1) ||
		    !vkr_map_set(&races->certain, (uintptr_t)places, 1))
			return NULL;
		*group = races->groups.count;
		*spot = &races->spots.items[*group];
		return &races->groups.items[*group];
	}
	if (!VKR_ARRAY_RESERVE(&races->possible, 1))
		return NULL;
	*group = races->possible.count;
	races->possible.items[*group].places = places;
	*spot = &races->possible.items[*group].spot;
	return &races->possible.items[*group].report;
}

// The group of a race in *group, made where it is the first of its kind (*made).
static bool find_group(struct vkr_model *model, const struct vkr_engine_race *race, size_t *group,
		       bool *made)
{
	struct vkr_race_reports *races = &model->races;
	const struct vkr_access_site *sites[] = {vkr_race_site(model, &race->first),
						 vkr_race_site(model, &race->second)};
	const bool across = race->first.tag != race->second.tag;
	const char *first = vkr_race_site_key(model, sites[0], across);
	const char *second = vkr_race_site_key(model, sites[1], across);
	if (first == NULL || second == NULL)
		return false;
	const bool swap = strcmp(first, second) > 0;
	const char *places = vkr_texts_format(&model->texts, "%s and %s", swap ? second : first,
					      swap ? first : second);
	if (places == NULL)
		return false;
	const char *key =
		vkr_texts_format(&model->texts, "%srace %d of %s",
				 race->possible ? "possible " : "", race->race_class, places);
	uint64_t found = 0;
	*made = false;
	if (key == NULL)
		return false;
	if (vkr_map_get(&races->places, (uintptr_t)key, &found)) {
		*group = (size_t)found - 1;
		return race->possible ||
		       vkr_race_edit_add(model, race, &races->groups.items[*group].edit);
	}
	struct vkr_race_spot *spot = NULL;
	struct vkr_race_report *report = make_group(races, places, race->possible, group, &spot);
	if (report == NULL || !vkr_map_set(&races->places, (uintptr_t)key, *group + 1) ||
	    !describe_race(model, race, first == second && sites[0]->site == sites[1]->site, report,
			   spot))
		return false;
	*(race->possible ? &races->possible.count : &races->groups.count) += 1;
	races->spots.count = races->groups.count;
	*made = true;
	return true;
}

static bool keep_host_site(struct vkr_model *model, const struct vkr_engine_access *access)
{
	return vkr_race_site(model, access)->kind != VKR_SITE_OF_HOST ||
	       vkr_map_set(&model->races.host_sites, access->site, 1);
}

void vkr_race_reports_add(void *context, const struct vkr_engine_race *race)
{
	struct vkr_model *model = context;
	struct vkr_race_reports *races = &model->races;
	size_t group = 0;
	bool made = false;
	// A command of which some reference got no number is reported as not judged.
	if (model->names.lost || model->options.hidden_classes >> race->race_class & 1 ||
	    model->hands_out || is_bound_elsewhere(model, race))
		return;
	const struct vkr_access_site *sites[] = {vkr_race_site(model, &race->first),
						 vkr_race_site(model, &race->second)};
	if (sites[0]->possible || sites[1]->possible) {
		races->failed |= !vkr_race_doubts_add(
			model, race, operation_name(sites[sites[0]->possible ? 1 : 0]));
		return;
	}
	if (!find_group(model, race, &group, &made) ||
	    (!race->possible && !vkr_race_doubts_certain(model, race)) ||
	    !keep_host_site(model, &race->first) || !keep_host_site(model, &race->second) ||
	    !VKR_ARRAY_RESERVE(&races->pairs, 1)) {
		races->failed = true;
		return;
	}
	races->pairs.items[races->pairs.count++] =
		(struct vkr_race_pair){race->pair, (uint32_t)group, race->possible};
	if (made && !race->possible && model->options.race_found != NULL && !model->past.replaying)
		model->options.race_found(model->options.user, &races->groups.items[group]);
}

static void show_possible(struct vkr_race_reports *races)
{
	races->shown.count = 0;
	if (!VKR_ARRAY_RESERVE(&races->shown, races->possible.count)) {
		races->failed = true;
		return;
	}
	for (size_t at = 0; at < races->possible.count; at++) {
		const struct vkr_race_possible *possible = &races->possible.items[at];
		uint64_t certain = 0;
		if (!vkr_map_get(&races->certain, (uintptr_t)possible->places, &certain))
			races->shown.items[races->shown.count++] = possible->report;
	}
}

// The bytes of all pairs of one group that lie in its first example's object.
static bool find_extent(struct vkr_model *model, const struct vkr_race_pair *pairs, size_t count,
			const struct vkr_race_spot *spot, struct vkr_race_extent *extent)
{
	struct vkr_byte_ranges all = {0};
	const uint64_t object_bytes = extent->object_bytes;
	bool whole = true;
	*extent = (struct vkr_race_extent){.object_bytes = object_bytes};
	for (size_t at = 0; at < count; at++) {
		const struct vkr_byte_ranges *of =
			vkr_engine_pair_extent(model->engine, pairs[at].pair);
		extent->commands += vkr_engine_pair_commands(model->engine, pairs[at].pair);
		for (size_t i = 0; i < of->count && whole; i++)
			whole = vkr_byte_ranges_add(&all, of->items[i].memory, of->items[i].low,
						    of->items[i].high);
	}
	vkr_byte_ranges_settle(&all);
	for (size_t i = 0; i < all.count; i++) {
		const struct vkr_byte_range *range = &all.items[i];
		if (range->memory != spot->memory || range->low < spot->base ||
		    range->high - spot->base > object_bytes)
			continue;
		if (extent->bytes == 0)
			extent->first = range->low - spot->base;
		extent->bytes += range->high - range->low;
		extent->end = range->high - spot->base;
	}
	vkr_byte_ranges_finish(&all);
	return whole;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct vkr_race_pair *x = a, *y = b;
	if (x->possible != y->possible)
		return x->possible ? 1 : -1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->pair < y->pair ? -1 : x->pair > y->pair;
}

static bool find_extents(struct vkr_model *model)
{
	struct vkr_race_reports *races = &model->races;
	struct vkr_race_pair *pairs = races->pairs.items;
	bool whole = true;
	vkr_sort(pairs, races->pairs.count, sizeof *pairs, compare_pairs);
	for (size_t at = 0, end; at < races->pairs.count && whole; at = end) {
		const struct vkr_race_pair *first = &pairs[at];
		struct vkr_race_possible *possible =
			first->possible ? &races->possible.items[first->group] : NULL;
		struct vkr_race_report *report =
			possible != NULL ? &possible->report : &races->groups.items[first->group];
		const struct vkr_race_spot *spot =
			possible != NULL ? &possible->spot : &races->spots.items[first->group];
		for (end = at + 1; end < races->pairs.count && pairs[end].group == first->group &&
				   pairs[end].possible == first->possible;)
			end++;
		if (spot->known)
			whole = find_extent(model, first, end - at, spot, &report->extent);
	}
	return whole;
}

uint64_t vkr_race_reports_count(struct vkr_model *model)
{
	struct vkr_race_reports *races = &model->races;
	uint64_t total = 0;
	for (size_t at = 0; at < races->groups.count; at++)
		races->groups.items[at].count = 0;
	for (size_t at = 0; at < races->possible.count; at++)
		races->possible.items[at].report.count = 0;
	for (size_t at = 0; at < races->pairs.count; at++) {
		const struct vkr_race_pair *pair = &races->pairs.items[at];
		struct vkr_race_report *report =
			pair->possible ? &races->possible.items[pair->group].report
				       : &races->groups.items[pair->group];
		report->count += vkr_engine_pair_count(model->engine, pair->pair);
	}
	races->failed |= !find_extents(model);
	show_possible(races);
	for (size_t at = 0; at < races->groups.count; at++)
		total += races->groups.items[at].count;
	return total;
}
