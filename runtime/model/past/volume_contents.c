// SPDX-License-Identifier: Apache-2.0
// Finds out which events of a volume are needed again. Knows which objects and recordings need
// which; not what is made of them.
#include "volume_contents.h"

#include "event_roles.h"
#include "model_state.h"
#include "presentation.h"
#include "search.h"
#include "sort.h"
#include "submission_state.h"

#include <stdlib.h>

// ---- First pass ---------------------------------------------------------------------------------

static uint64_t object_key(uint32_t type, uint32_t id)
{
	return (uint64_t)type << 32 | id;
}

// Whether a live unit stands behind one event and not behind the other.
static bool unit_between(const struct vkr_volume_contents *contents, uint64_t first, uint64_t end)
{
	size_t low = 0;
	VKR_SEARCH(low, contents->unit_count, at, contents->unit_places[at] < first);
	return low < contents->unit_count && contents->unit_places[low] < end;
}

static bool note_need(struct vkr_volume_contents *contents, uint64_t by, uint32_t type, uint32_t id)
{
	if (id == 0)
		return true;
	if (!VKR_ARRAY_RESERVE(&contents->objects.needs, 1))
		return false;
	contents->objects.needs.items[contents->objects.needs.count++] =
		(struct vkr_object_need){by, object_key(type, id)};
	return true;
}

// What an object is made of: reading its event fails without these.
static bool note_needs(struct vkr_volume_contents *contents, const struct vkr_trace_event *event,
		       uint64_t by)
{
	const uint32_t *members = (const void *)(event + 1);
	const struct vkr_trace_framebuffer *framebuffer = (const void *)members;
	const struct vkr_trace_query_pool *pool = (const void *)members;
	const struct vkr_trace_structure *structure = (const void *)members;
	bool enough = true;
	switch (event->type) {
	case VKR_TRACE_BUFFER_BIND:
	case VKR_TRACE_IMAGE_BIND:
		return note_need(contents, by, VKR_TRACE_MEMORY, members[1]);
	case VKR_TRACE_BUFFER_VIEW:
		return note_need(contents, by, VKR_TRACE_BUFFER, members[1]);
	case VKR_TRACE_IMAGE_VIEW:
		return note_need(contents, by, VKR_TRACE_IMAGE, members[1]);
	case VKR_TRACE_FRAMEBUFFER:
		for (uint32_t i = 0; i < framebuffer->view_count && enough; i++)
			enough = note_need(contents, by, VKR_TRACE_IMAGE_VIEW,
					   ((const uint32_t *)(framebuffer + 1))[i]);
		return enough;
	case VKR_TRACE_QUERY_POOL:
		return note_need(contents, by, VKR_TRACE_MEMORY, pool->memory);
	case VKR_TRACE_STRUCTURE:
		return note_need(contents, by, VKR_TRACE_BUFFER, structure->buffer);
	default:
		return true;
	}
}

static struct vkr_kept_object *find_object(const struct vkr_volume_contents *contents, uint64_t key)
{
	uint64_t found = 0;
	return vkr_map_get(&contents->objects.places, key, &found)
		       ? &contents->objects.made.items[found - 1]
		       : NULL;
}

static bool is_stand_in(const struct vkr_trace_event *event)
{
	const struct vkr_trace_memory *memory = (const void *)(event + 1);
	return event->type == VKR_TRACE_MEMORY && memory->flags & VKR_MEMORY_STAND_IN;
}

static bool note_object(struct vkr_volume_contents *contents, const struct vkr_trace_event *event,
			struct vkr_event_role role, uint64_t index)
{
	const uint64_t key = object_key(role.object, vkr_event_first_member(event));
	struct vkr_kept_object *object = find_object(contents, key);
	if (role.role == VKR_ROLE_DESTROY) {
		if (object != NULL)
			object->destroyed = index;
		return true;
	}
	if (role.role == VKR_ROLE_MAKE) {
		if (!VKR_ARRAY_RESERVE(&contents->objects.made, 1) ||
		    !vkr_map_set(&contents->objects.places, key, contents->objects.made.count + 1))
			return false;
		contents->objects.made.items[contents->objects.made.count++] =
			(struct vkr_kept_object){.made = index,
						 .destroyed = UINT64_MAX,
						 .stand_in = is_stand_in(event)};
	}
	return note_needs(contents, event, key);
}

static struct vkr_kept_recording *find_recording(const struct vkr_volume_contents *contents,
						 uint32_t id)
{
	uint64_t found = 0;
	return vkr_map_get(&contents->recordings.places, id, &found)
		       ? &contents->recordings.made.items[found - 1]
		       : NULL;
}

static void forget_newest(struct vkr_volume_contents *contents, uint32_t command_buffer)
{
	uint64_t id = 0;
	if (vkr_map_get(&contents->recordings.newest, command_buffer, &id))
		find_recording(contents, (uint32_t)id)->newest = false;
}

static bool note_recording(struct vkr_volume_contents *contents,
			   const struct vkr_trace_event *event)
{
	const struct vkr_trace_recording *made = (const void *)(event + 1);
	const struct vkr_trace_event *command = (const void *)(made + 1);
	const struct vkr_trace_event *end =
		(const void *)((const char *)command + made->event_bytes);
	struct vkr_kept_recording recording = {.id = made->recording, .newest = true};
	for (; command < end; command = (const void *)((const char *)command + command->bytes)) {
		const struct vkr_trace_cmd_execute *execute = (const void *)(command + 1);
		if (command->type != VKR_TRACE_CMD_EXECUTE)
			continue;
		if (!VKR_ARRAY_RESERVE(&contents->recordings.needs, 1))
			return false;
		contents->recordings.needs.items[contents->recordings.needs.count++] =
			(struct vkr_recording_need){made->recording, execute->recording};
	}
	forget_newest(contents, made->command_buffer);
	if (!VKR_ARRAY_RESERVE(&contents->recordings.made, 1) ||
	    !vkr_map_set(&contents->recordings.places, recording.id,
			 contents->recordings.made.count + 1) ||
	    !vkr_map_set(&contents->recordings.newest, made->command_buffer, recording.id))
		return false;
	contents->recordings.made.items[contents->recordings.made.count++] = recording;
	return true;
}

static bool note_last(struct vkr_volume_contents *contents, const struct vkr_trace_event *event,
		      uint64_t index)
{
	const uint64_t key = vkr_event_last_key(event);
	const struct vkr_trace_set_write *write = (const void *)(event + 1);
	const struct vkr_trace_set_copy *copy = (const void *)(event + 1);
	const bool descriptors =
		event->type == VKR_TRACE_SET_WRITE || event->type == VKR_TRACE_SET_COPY;
	uint64_t before = 0, copied = 0;
	if (event->type == VKR_TRACE_SET_COPY &&
	    !vkr_map_set(&contents->sayings.copied, copy->source_set, index + 1))
		return false;
	if (vkr_map_get(&contents->sayings.last, key, &before)) {
		const uint32_t set = event->type == VKR_TRACE_SET_COPY ? copy->set : write->set;
		const bool needed =
			unit_between(contents, before - 1, index) ||
			(descriptors && vkr_map_get(&contents->sayings.copied, set, &copied) &&
			 copied > before);
		if (!needed && !vkr_map_set(&contents->sayings.superseded, before - 1, 1))
			return false;
	}
	return vkr_map_set(&contents->sayings.last, key, index + 1);
}

uint32_t vkr_volume_contents_pending(const struct vkr_volume_contents *contents,
				     const struct vkr_trace_event *event)
{
	// The first member of each names the submission.
	const struct vkr_trace_submit *submit = (const void *)(event + 1);
	uint64_t count = 0, unused = 0;
	if ((event->type != VKR_TRACE_SUBMIT && event->type != VKR_TRACE_PRESENT) ||
	    !vkr_map_get(&contents->submissions.pending, submit->submission, &count) ||
	    event->type == VKR_TRACE_PRESENT)
		return (uint32_t)count;
	const struct vkr_trace_batch *batches = (const void *)(submit + 1);
	const struct vkr_trace_semaphore_operation *waits =
		(const void *)(batches + submit->batch_count);
	const struct vkr_trace_execution *executions = (const void *)(waits + submit->wait_count);
	// A unit of the submission, which a volume has apart, is not what is pending.
	const bool executes =
		submit->batch_count > 0 && batches[submit->batch_count - 1].execution_count > 0;
	return !executes || vkr_map_get(&contents->submissions.waiting,
					executions[submit->execution_count - 1].execution, &unused)
		       ? (uint32_t)count
		       : 0;
}

static bool note_submission(struct vkr_volume_contents *contents,
			    const struct vkr_trace_submit *submit)
{
	const struct vkr_trace_batch *batches = (const void *)(submit + 1);
	const struct vkr_trace_semaphore_operation *waits =
		(const void *)(batches + submit->batch_count);
	const struct vkr_trace_execution *executions = (const void *)(waits + submit->wait_count);
	bool enough = vkr_map_set(&contents->submissions.submitted, submit->submission, 1);
	for (uint32_t i = 0; i < submit->execution_count && enough; i++)
		enough = vkr_map_set(&contents->submissions.judged, executions[i].execution, 1);
	return enough;
}

static bool note_pending(struct vkr_volume_contents *contents, const struct vkr_trace_event *event,
			 uint64_t index)
{
	const struct vkr_trace_acquire *acquire = (const void *)(event + 1);
	const bool acquires = event->type == VKR_TRACE_ACQUIRE;
	const bool pending =
		acquires ? vkr_presentation_is_acquiring(contents->model, acquire->image)
			 : vkr_volume_contents_pending(contents, event) > 0;
	if (pending && index < contents->submissions.first_pending)
		contents->submissions.first_pending = index;
	if (acquires)
		return vkr_map_set(&contents->submissions.acquired, acquire->image, index + 1);
	return event->type != VKR_TRACE_SUBMIT ||
	       note_submission(contents, (const void *)(event + 1));
}

bool vkr_volume_contents_note(struct vkr_volume_contents *contents,
			      const struct vkr_trace_event *event, uint64_t index)
{
	const struct vkr_event_role role = vkr_event_role(event);
	switch (role.role) {
	case VKR_ROLE_MAKE:
	case VKR_ROLE_CHANGE:
	case VKR_ROLE_DESTROY:
		if (event->type == VKR_TRACE_COMMAND_BUFFER_DESTROY)
			forget_newest(contents, vkr_event_first_member(event));
		return note_object(contents, event, role, index);
	case VKR_ROLE_RECORDING:
		return note_recording(contents, event);
	case VKR_ROLE_LAST:
		return note_last(contents, event, index);
	case VKR_ROLE_PENDING:
		return note_pending(contents, event, index);
	default:
		return true;
	}
}

static int compare_places(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

// The one batch of a unit, and its executions; NULL: it executes nothing.
static const struct vkr_trace_submit *executed_by(const struct vkr_past_unit *unit,
						  const struct vkr_trace_execution **executions)
{
	if (unit->event == NULL || unit->event->type != VKR_TRACE_SUBMIT)
		return NULL;
	const struct vkr_trace_submit *submit = (const void *)(unit->event + 1);
	*executions = (const void *)((const struct vkr_trace_batch *)(submit + 1) + 1);
	return submit;
}

static bool note_units(struct vkr_volume_contents *contents)
{
	const struct vkr_past *past = &contents->model->past;
	contents->unit_places = calloc(past->units.count + 1, sizeof *contents->unit_places);
	bool enough = contents->unit_places != NULL;
	for (size_t i = 0; i < past->units.count && enough; i++) {
		const struct vkr_past_unit *unit = &past->units.items[i];
		const struct vkr_trace_execution *executions = NULL;
		const struct vkr_trace_submit *submit = executed_by(unit, &executions);
		contents->unit_places[contents->unit_count++] = unit->place;
		for (uint32_t at = 0; submit != NULL && at < submit->execution_count && enough;
		     at++)
			enough = vkr_map_set(&contents->submissions.live, executions[at].execution,
					     1);
		if (unit->bind_count > 0 && enough)
			enough = vkr_map_set(&contents->submissions.bound, unit->binds->submission,
					     1);
	}
	if (enough)
		vkr_sort(contents->unit_places, contents->unit_count, sizeof *contents->unit_places,
			 compare_places);
	return enough;
}

static bool note_batch(struct vkr_volume_contents *contents, const struct vkr_pending_batch *batch)
{
	uint64_t count = 0;
	(void)vkr_map_get(&contents->submissions.pending, batch->submission, &count);
	bool enough = vkr_map_set(&contents->submissions.pending, batch->submission, count + 1);
	for (uint32_t at = 0; at < batch->execution_count && enough; at++)
		enough = vkr_map_set(&contents->submissions.live, batch->executions[at].execution,
				     1) &&
			 vkr_map_set(&contents->submissions.waiting,
				     batch->executions[at].execution, 1);
	return enough;
}

bool vkr_volume_contents_init(struct vkr_volume_contents *contents, const struct vkr_model *model)
{
	const struct vkr_submissions *submissions = &model->submissions;
	*contents = (struct vkr_volume_contents){.model = model,
						 .submissions = {.first_pending = UINT64_MAX}};
	bool enough = note_units(contents);
	for (size_t i = 0; i < submissions->queues.count; i++)
		for (const struct vkr_pending_batch *batch = submissions->queues.items[i].first;
		     batch != NULL && enough; batch = batch->next)
			enough = note_batch(contents, batch);
	return enough;
}

// What is pending may use whatever there was since it was submitted.
static void keep_objects(struct vkr_volume_contents *contents)
{
	bool more = true;
	for (size_t i = 0; i < contents->objects.made.count; i++) {
		struct vkr_kept_object *object = &contents->objects.made.items[i];
		object->kept = object->destroyed == UINT64_MAX ||
			       object->destroyed > contents->submissions.first_pending ||
			       unit_between(contents, object->made, object->destroyed);
	}
	for (size_t i = 0; i < contents->objects.needs.count; i++) {
		struct vkr_kept_object *what =
			find_object(contents, contents->objects.needs.items[i].what);
		if (what == NULL || !what->stand_in || what->needed)
			continue;
		what->needed = true;
		what->kept = false;
	}
	while (more) {
		more = false;
		for (size_t i = 0; i < contents->objects.needs.count; i++) {
			const struct vkr_object_need *need = &contents->objects.needs.items[i];
			const struct vkr_kept_object *by = find_object(contents, need->by);
			struct vkr_kept_object *what = find_object(contents, need->what);
			if (by == NULL || what == NULL || !by->kept || what->kept)
				continue;
			what->kept = more = true;
		}
	}
}

static void keep_executed(struct vkr_volume_contents *contents,
			  const struct vkr_trace_execution *executions, uint32_t count)
{
	for (uint32_t at = 0; at < count; at++) {
		struct vkr_kept_recording *recording =
			find_recording(contents, executions[at].recording);
		if (recording != NULL)
			recording->kept = true;
	}
}

static void keep_recordings(struct vkr_volume_contents *contents)
{
	const struct vkr_past *past = &contents->model->past;
	const struct vkr_submissions *submissions = &contents->model->submissions;
	for (size_t i = 0; i < contents->recordings.made.count; i++)
		contents->recordings.made.items[i].kept = contents->recordings.made.items[i].newest;
	for (size_t i = 0; i < past->units.count; i++) {
		const struct vkr_trace_execution *executions = NULL;
		const struct vkr_trace_submit *submit =
			executed_by(&past->units.items[i], &executions);
		if (submit != NULL)
			keep_executed(contents, executions, submit->execution_count);
	}
	for (size_t i = 0; i < submissions->queues.count; i++)
		for (const struct vkr_pending_batch *batch = submissions->queues.items[i].first;
		     batch != NULL; batch = batch->next)
			keep_executed(contents, batch->executions, batch->execution_count);
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < contents->recordings.needs.count; i++) {
			const struct vkr_recording_need *need =
				&contents->recordings.needs.items[i];
			const struct vkr_kept_recording *by = find_recording(contents, need->by);
			struct vkr_kept_recording *what = find_recording(contents, need->what);
			if (by == NULL || what == NULL || !by->kept || what->kept)
				continue;
			what->kept = more = true;
		}
	}
}

void vkr_volume_contents_settle(struct vkr_volume_contents *contents)
{
	keep_objects(contents);
	keep_recordings(contents);
}

// ---- Asking -------------------------------------------------------------------------------------

static bool keeps_submitted(const struct vkr_volume_contents *contents,
			    const struct vkr_trace_event *event, uint64_t index)
{
	const struct vkr_trace_acquire *acquire = (const void *)(event + 1);
	const struct vkr_trace_sparse_bind *bind = (const void *)(event + 1);
	const struct vkr_trace_submit_failed *failed = (const void *)(event + 1);
	uint64_t found = 0;
	switch (event->type) {
	case VKR_TRACE_ACQUIRE:
		return vkr_presentation_is_acquiring(contents->model, acquire->image) &&
		       vkr_map_get(&contents->submissions.acquired, acquire->image, &found) &&
		       found == index + 1;
	case VKR_TRACE_SPARSE_BIND:
		return !vkr_map_get(&contents->submissions.submitted, bind->submission, &found) ||
		       vkr_map_get(&contents->submissions.pending, bind->submission, &found) ||
		       vkr_map_get(&contents->submissions.bound, bind->submission, &found);
	case VKR_TRACE_SUBMIT_FAILED:
		return vkr_map_get(&contents->submissions.pending, failed->submission, &found);
	default:
		return vkr_volume_contents_pending(contents, event) > 0;
	}
}

static bool is_kept(const struct vkr_volume_contents *contents, uint32_t type, uint32_t id)
{
	const struct vkr_kept_object *object =
		type != 0 ? find_object(contents, object_key(type, id)) : NULL;
	return object == NULL || object->kept;
}

bool vkr_volume_contents_keep(const struct vkr_volume_contents *contents,
			      const struct vkr_trace_event *event, uint64_t index)
{
	const struct vkr_event_role role = vkr_event_role(event);
	const struct vkr_named_objects about = vkr_event_named(event);
	const struct vkr_kept_recording *recording = NULL;
	uint64_t unused = 0;
	switch (role.role) {
	case VKR_ROLE_DROP:
		return false;
	case VKR_ROLE_MAKE:
	case VKR_ROLE_CHANGE:
	case VKR_ROLE_DESTROY:
		return is_kept(contents, role.object, vkr_event_first_member(event));
	case VKR_ROLE_RECORDING:
		recording = find_recording(contents, vkr_event_first_member(event));
		return recording != NULL && recording->kept;
	case VKR_ROLE_EXECUTION:
		return !vkr_map_get(&contents->submissions.judged, vkr_event_first_member(event),
				    &unused) ||
		       vkr_map_get(&contents->submissions.live, vkr_event_first_member(event),
				   &unused);
	case VKR_ROLE_LAST: // the set that descriptors are written to may be gone
		return !vkr_map_get(&contents->sayings.superseded, index, &unused) &&
		       is_kept(contents, about.type, about.id) &&
		       is_kept(contents, about.source_type, about.source_id);
	case VKR_ROLE_PENDING:
		return keeps_submitted(contents, event, index);
	default:
		return true;
	}
}

void vkr_volume_contents_finish(struct vkr_volume_contents *contents)
{
	struct vkr_map *maps[] = {&contents->objects.places,        &contents->recordings.places,
				  &contents->recordings.newest,     &contents->sayings.last,
				  &contents->sayings.copied,        &contents->sayings.superseded,
				  &contents->submissions.judged,    &contents->submissions.live,
				  &contents->submissions.submitted, &contents->submissions.pending,
				  &contents->submissions.waiting,   &contents->submissions.bound,
				  &contents->submissions.acquired};
	for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
		vkr_map_finish(maps[i]);
	free(contents->unit_places);
	free(contents->objects.made.items);
	free(contents->objects.needs.items);
	free(contents->recordings.made.items);
	free(contents->recordings.needs.items);
}
