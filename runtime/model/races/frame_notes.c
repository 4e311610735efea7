// SPDX-License-Identifier: Apache-2.0
// What the author of a race between frames wants to know of descriptor sets. Says something only
// where the frame that comes later overwrites without reading, so that nothing is handed on, and
// where each command buffer binds one set only at the number. Knows sets and recordings; not how
// races are found.
#include "frame_notes.h"

#include "event_payload.h"
#include "model_state.h"
#include "race_places.h"
#include "site_table.h"

#include <string.h>

#include <vulkan/vulkan_core.h>

// A command's access to a buffer through a descriptor.
struct use {
	const struct vkr_access_report *access;
	const struct vkr_shader *shader;
	const struct vkr_reference *reference;
	const struct vkr_recording *recording;
	const struct vkr_command_info *info;
	const struct vkr_descriptor_set *set;
	uint32_t point; // VkPipelineBindPoint
};

// Whether an event of a recording only says what later ones are done with.
static bool is_state(const struct vkr_trace_event *event)
{
	return event->type == VKR_TRACE_CMD_BIND_PIPELINE ||
	       event->type == VKR_TRACE_CMD_BIND_SETS || event->type == VKR_TRACE_CMD_BARRIER ||
	       event->type == VKR_TRACE_CMD_LABEL_BEGIN || event->type == VKR_TRACE_CMD_LABEL_END ||
	       event->type == VKR_TRACE_CMD_LABEL;
}

// The one set that is bound at a number for what a recording does; NULL: none, or several.
static const struct vkr_descriptor_set *one_set(const struct vkr_model *model,
						const struct vkr_recording *recording,
						uint32_t point, uint32_t number)
{
	const struct vkr_trace_event *event = NULL;
	uint32_t found = 0, bound = 0;
	while ((event = vkr_recording_next(recording, event)) != NULL) {
		if (event->type == VKR_TRACE_CMD_PUSH_SET || (found != 0 && bound != found))
			return NULL;
		if (!is_state(event))
			found = bound;
		if (event->type != VKR_TRACE_CMD_BIND_SETS)
			continue;
		const struct vkr_trace_cmd_bind_sets *bind = vkr_event_payload(event);
		if (bind->bind_point != point || number < bind->first_set ||
		    number - bind->first_set >= bind->set_count)
			continue;
		bound = ((const uint32_t *)(bind + 1))[number - bind->first_set];
	}
	return vkr_descriptors_set(&model->descriptors, found);
}

// What a set has where a reference is; NULL where that is no whole descriptor of a buffer. Dynamic
// offsets are not the set's, and sets in buffers have no names of their own.
static const struct vkr_descriptor *descriptor_at(const struct vkr_descriptor_set *set,
						  const struct vkr_reference *reference)
{
	const uint32_t binding = vkr_set_layout_find(set->layout, reference->binding);
	if (binding == UINT32_MAX || set->layout->bindings[binding].row_bytes != 0)
		return NULL;
	const struct vkr_descriptor *found = vkr_set_descriptor(set, binding, reference->element);
	return found != NULL && (found->type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
				 found->type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER)
		       ? found
		       : NULL;
}

static bool same_bytes(const struct vkr_descriptor *a, const struct vkr_descriptor *b)
{
	return a->type == b->type && a->offset == b->offset && a->bytes == b->bytes;
}

// Whether two sets name the same bytes there.
static bool name_one(const struct vkr_descriptor_set *a, const struct vkr_descriptor_set *b,
		     const struct vkr_reference *reference)
{
	const struct vkr_descriptor *first = descriptor_at(a, reference);
	const struct vkr_descriptor *second = descriptor_at(b, reference);
	return first != NULL && second != NULL && a->layout == b->layout &&
	       first->object == second->object && same_bytes(first, second);
}

// Whether two sets name buffers there that are alike.
static bool name_two(const struct vkr_model *model, const struct vkr_descriptor_set *a,
		     const struct vkr_descriptor_set *b, const struct vkr_reference *reference)
{
	const struct vkr_descriptor *first = descriptor_at(a, reference);
	const struct vkr_descriptor *second = descriptor_at(b, reference);
	if (first == NULL || second == NULL || a->layout != b->layout ||
	    first->object == second->object || !same_bytes(first, second))
		return false;
	const struct vkr_buffer *one = vkr_objects_buffer(&model->objects, first->object);
	const struct vkr_buffer *other = vkr_objects_buffer(&model->objects, second->object);
	return one != NULL && other != NULL && one->bytes == other->bytes;
}

static bool point_of(const struct vkr_shader *shader, uint32_t *point)
{
	const uint32_t graphics = VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_TASK_BIT_EXT |
				  VK_SHADER_STAGE_MESH_BIT_EXT;
	*point = shader->stage == VK_SHADER_STAGE_COMPUTE_BIT ? VK_PIPELINE_BIND_POINT_COMPUTE
							      : VK_PIPELINE_BIND_POINT_GRAPHICS;
	return (shader->stage & (graphics | VK_SHADER_STAGE_COMPUTE_BIT)) != 0;
}

// Whether nothing was presented since a submission, by a program that presents: the host is still
// in its frame.
static bool in_frame(const struct vkr_submissions *submissions, uint32_t submission)
{
	const size_t count = submissions->presents.count;
	return count > 0 ? submissions->presents.items[count - 1] < submission
			 : submissions->presentables.count > 0;
}

// False where the access is another one, or the set is not known any more.
static bool find_use(const struct vkr_model *model, const struct vkr_engine_access *access,
		     const struct vkr_access_report *report, struct use *use)
{
	const struct vkr_access_site *site = vkr_race_site(model, access);
	const struct vkr_executed *executed = &model->names.executed.items[access->tag];
	*use = (struct use){.access = report, .info = executed->info};
	if (site->kind != VKR_SITE_OF_SHADER || access->reference == 0)
		return false;
	use->shader = site->shader;
	use->reference = &model->names.references.items[access->reference - 1];
	use->recording = vkr_recordings_find(&model->recordings, executed->recording);
	if (use->reference->address || use->reference->heap || use->reference->buffer == NULL ||
	    use->recording == NULL || use->info == NULL || !point_of(site->shader, &use->point))
		return false;
	use->set = one_set(model, use->recording, use->point, use->reference->set);
	const struct vkr_descriptor *there =
		use->set != NULL ? descriptor_at(use->set, use->reference) : NULL;
	return there != NULL && there->object == use->reference->buffer->id;
}

static bool names_buffer(const struct vkr_model *model, const struct use *use,
			 const struct vkr_variable *variable)
{
	const struct vkr_descriptor_set *set =
		one_set(model, use->recording, use->point, variable->set);
	const uint32_t binding =
		set != NULL ? vkr_set_layout_find(set->layout, variable->binding) : UINT32_MAX;
	if (binding == UINT32_MAX)
		return true; // perhaps
	for (uint32_t at = 0; at < set->bindings[binding].written; at++) {
		const struct vkr_descriptor *named = vkr_set_descriptor(set, binding, at);
		if (named != NULL && named->object == use->reference->buffer->id)
			return true;
	}
	return false;
}

static bool is_of(const struct vkr_site *site, bool writes)
{
	switch ((enum vkr_site_operation)site->operation) {
	case VKR_SITE_LOAD:
	case VKR_SITE_ATOMIC_LOAD:
		return !writes;
	case VKR_SITE_STORE:
	case VKR_SITE_ATOMIC_STORE:
		return writes;
	case VKR_SITE_ATOMIC_RMW:
		return true;
	case VKR_SITE_CONTROL_BARRIER:
	case VKR_SITE_MEMORY_BARRIER:
	case VKR_SITE_SHADER_CALL:
	case VKR_SITE_SHADER_RETURN:
	case VKR_SITE_SUBGROUP:
		break;
	}
	return false;
}

// Whether the use's shader may read, or write, the buffer anywhere.
static bool may_access(const struct vkr_model *model, const struct use *use, bool writes)
{
	const struct vkr_site_table *table = use->shader->sites;
	for (uint32_t at = 0; at < table->site_count; at++) {
		const struct vkr_site *site = &vkr_site_table_sites(table)[at];
		if (site->variable == UINT32_MAX || !is_of(site, writes))
			continue;
		const struct vkr_variable *variable =
			&vkr_site_table_variables(table)[site->variable];
		if (variable->flags & VKR_VARIABLE_HEAP || variable->kind == VKR_VARIABLE_POINTER ||
		    variable->kind == VKR_VARIABLE_TEXEL_BUFFER ||
		    (variable->kind == VKR_VARIABLE_BUFFER && names_buffer(model, use, variable)))
			return true;
	}
	return false;
}

// Whether nothing but bindings and barriers is before a dispatch in its recording.
static bool comes_first(const struct use *use)
{
	const struct vkr_trace_event *event = NULL;
	while ((event = vkr_recording_next(use->recording, event)) != NULL) {
		if (is_state(event))
			continue;
		return event->type == VKR_TRACE_CMD_DISPATCH &&
		       ((const struct vkr_trace_cmd_dispatch *)vkr_event_payload(event))->command ==
			       use->info->index;
	}
	return false;
}

// Another recording that is kept, binds one set at the use's number, and passes.
struct other {
	const struct vkr_recording *recording;
	const struct vkr_descriptor_set *set;
};

static struct other find_other(const struct vkr_model *model, const struct use *use, bool same)
{
	const struct vkr_map *map = &model->recordings.recordings;
	struct other found = {0};
	for (size_t at = 0; at < map->capacity; at++) {
		const struct vkr_recording *recording =
			map->slots[at].used
				? (const struct vkr_recording *)(uintptr_t)map->slots[at].value
				: NULL;
		if (recording == NULL || recording == use->recording ||
		    (found.recording != NULL && recording->id < found.recording->id))
			continue;
		const struct vkr_descriptor_set *set =
			one_set(model, recording, use->point, use->reference->set);
		if (set != NULL &&
		    (same ? set == use->set
			  : set != use->set && name_one(set, use->set, use->reference)))
			found = (struct other){recording, set};
	}
	return found;
}

static bool frame_notes_binds(const struct vkr_recording *recording, uint32_t set)
{
	const struct vkr_trace_event *event = NULL;
	while ((event = vkr_recording_next(recording, event)) != NULL) {
		if (event->type != VKR_TRACE_CMD_BIND_SETS)
			continue;
		const struct vkr_trace_cmd_bind_sets *bind = vkr_event_payload(event);
		for (uint32_t at = 0; at < bind->set_count; at++)
			if (((const uint32_t *)(bind + 1))[at] == set)
				return true;
	}
	return false;
}

static bool is_bound(const struct vkr_model *model, uint32_t set)
{
	const struct vkr_map *map = &model->recordings.recordings;
	for (size_t at = 0; at < map->capacity; at++)
		if (map->slots[at].used &&
		    frame_notes_binds((const struct vkr_recording *)(uintptr_t)map->slots[at].value,
				      set))
			return true;
	return false;
}

// A set that could stand in the place of the use's, and that no command buffer binds: the one made
// first. NULL: there is none.
static const struct vkr_descriptor_set *find_idle(const struct vkr_model *model,
						  const struct use *use)
{
	const struct vkr_map *map = &model->descriptors.sets;
	const struct vkr_descriptor_set *found = NULL;
	for (size_t at = 0; at < map->capacity; at++) {
		const struct vkr_descriptor_set *set =
			map->slots[at].used
				? (const struct vkr_descriptor_set *)(uintptr_t)map->slots[at].value
				: NULL;
		if (set != NULL && (found == NULL || set->id < found->id) &&
		    name_two(model, set, use->set, use->reference) && !is_bound(model, set->id))
			found = set;
	}
	return found;
}

// ---- In words -----------------------------------------------------------------------------------

static void add_set(struct vkr_text *text, const struct vkr_descriptor_set *set)
{
	vkr_text_add(text, "descriptor set %u", set->id);
	if (set->name != NULL)
		vkr_text_add(text, " (\"%s\")", set->name);
}

static void add_use(struct vkr_text *text, const struct use *use)
{
	vkr_text_add(text, "command %u of submission %u", use->info->index + 1,
		     use->access->command.submission);
}

static void add_recording(struct vkr_text *text, const struct vkr_model *model,
			  const struct vkr_recording *recording)
{
	const struct vkr_command_buffer *buffer =
		vkr_objects_command_buffer(&model->objects, recording->command_buffer);
	vkr_text_add(text, "command buffer %u", recording->command_buffer);
	if (buffer != NULL && strncmp(buffer->name, "command buffer ", 15) != 0)
		vkr_text_add(text, " (\"%s\")", buffer->name);
}

// `second` NULL: the host's is the other access, and `other` stands in its place.
static void add_one_buffer(struct vkr_text *text, const struct vkr_model *model,
			   const struct use *use, const struct use *second,
			   const struct other *other)
{
	add_set(text, use->set);
	vkr_text_add(text, ", which ");
	add_use(text, use);
	vkr_text_add(text, " uses, and ");
	add_set(text, other->set);
	vkr_text_add(text, ", which ");
	if (second != NULL)
		add_use(text, second);
	else
		add_recording(text, model, other->recording);
	vkr_text_add(text,
		     " uses, name the same buffer: unless one frame is to see what another has "
		     "written, a buffer for each frame needs no wait");
}

static void add_idle_set(struct vkr_text *text, const struct vkr_model *model,
			 const struct use *use, const struct use *second, const struct other *other,
			 const struct vkr_descriptor_set *idle)
{
	add_use(text, use);
	vkr_text_add(text, " and ");
	if (second != NULL)
		add_use(text, second);
	else
		add_recording(text, model, other->recording);
	vkr_text_add(text, " both use ");
	add_set(text, use->set);
	vkr_text_add(text, "; ");
	add_set(text, idle);
	vkr_text_add(text, " of the same layout names another buffer of this size, and no command "
			   "buffer that is known binds it: if one of the two is to use it, no wait "
			   "is needed");
}

// The host overwrites what a submission only reads.
static void add_of_host(struct vkr_text *text, const struct vkr_model *model, const struct use *use)
{
	if (!use->access->read || use->access->write ||
	    in_frame(&model->submissions, use->access->command.submission) ||
	    may_access(model, use, true))
		return;
	struct other other = find_other(model, use, false);
	if (other.set != NULL) {
		add_one_buffer(text, model, use, NULL, &other);
		return;
	}
	other = find_other(model, use, true);
	const struct vkr_descriptor_set *idle = other.set != NULL ? find_idle(model, use) : NULL;
	if (idle != NULL)
		add_idle_set(text, model, use, NULL, &other, idle);
}

// The dispatch that a later submission begins with overwrites what an earlier one accesses.
static void add_of_dispatch(struct vkr_text *text, const struct vkr_model *model,
			    const struct use *first, const struct use *second)
{
	const struct vkr_command_place *one = &first->access->command;
	const struct vkr_command_place *two = &second->access->command;
	const struct other other = {second->recording, second->set};
	if (one->submission == two->submission || first->recording == second->recording ||
	    (one->frame != 0 && one->frame == two->frame) || first->point != second->point ||
	    first->reference != second->reference || !comes_first(second) ||
	    may_access(model, second, false))
		return;
	if (first->set != second->set && name_one(first->set, second->set, first->reference)) {
		add_one_buffer(text, model, first, second, &other);
		return;
	}
	const struct vkr_descriptor_set *idle =
		first->set == second->set ? find_idle(model, second) : NULL;
	if (idle != NULL)
		add_idle_set(text, model, first, second, &other, idle);
}

const char *vkr_frame_note(struct vkr_model *model, const struct vkr_engine_race *race,
			   const struct vkr_race_report *report)
{
	struct vkr_text text = {0};
	struct use first, second;
	if (race->race_class != VKR_RACE_UNORDERED || race->memory == VKR_ENGINE_WORKGROUP ||
	    !report->second.write || !find_use(model, &race->first, &report->first, &first))
		return "";
	if (report->second.agent == VKR_AGENT_HOST)
		add_of_host(&text, model, &first);
	else if (find_use(model, &race->second, &report->second, &second))
		add_of_dispatch(&text, model, &first, &second);
	return vkr_texts_words(&model->texts, &text);
}
