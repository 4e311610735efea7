// SPDX-License-Identifier: Apache-2.0
// The beginning of a volume. Events of the volume before are gone through twice: first to find out
// which objects, recordings and descriptors the batches that are kept need, and which outlive the
// cut; then to write these, in their order, each kept batch at the place where it was judged.
// Knows what events make, change and destroy; not what that means.
#include "volume_begin.h"

#include "chunk_writer.h"
#include "error.h"
#include "model_state.h"
#include "presentation.h"
#include "reader.h"
#include "search.h"
#include "submission_state.h"

#include <stdlib.h>
#include <string.h>

// ---- Whether it can be cut ----------------------------------------------------------------------

static bool any_event_is_set(const struct vkr_model *model)
{
	const struct vkr_map *events = &model->sync_objects.events;
	for (size_t i = 0; i < events->capacity; i++)
		if (events->slots[i].used &&
		    ((const struct vkr_event *)(uintptr_t)events->slots[i].value)->set)
			return true;
	return false;
}

static bool is_sparse(const struct vkr_submissions *submissions)
{
	for (size_t i = 0; i < submissions->queues.count; i++)
		if (submissions->queues.items[i].sparse.timeline != 0)
			return true;
	return submissions->sparse_binds.count > 0 ||
	       submissions->sparse_places.of_resources.count > 0;
}

// Whether something is pending but the batches of the last submission.
static bool waits_for_other(const struct vkr_model *model)
{
	const struct vkr_submissions *submissions = &model->submissions;
	for (size_t i = 0; i < submissions->queues.count; i++)
		for (const struct vkr_pending_batch *batch = submissions->queues.items[i].first;
		     batch != NULL; batch = batch->next)
			if (batch->begun || batch->submission != model->past.last_submission)
				return true;
	return model->past.last_is_begun || model->past.last_place != model->past.place;
}

static bool is_pending(const struct vkr_submissions *submissions)
{
	for (size_t i = 0; i < submissions->queues.count; i++)
		if (submissions->queues.items[i].first != NULL)
			return true;
	return false;
}

const char *vkr_model_cannot_cut(const struct vkr_model *model, bool waits)
{
	const struct vkr_submissions *submissions = &model->submissions;
	if (model->past.replaying)
		return "the beginning of a volume is being read";
	if (waits ? waits_for_other(model) : is_pending(submissions))
		return "something submitted waits for something else than its log";
	if (submissions->host_wait.event != 0 || model->walk.begun)
		return "a wait or an execution is judged in part";
	if (model->objects.links)
		return "shaders may order commands by atomics";
	if (model->thread_order.own)
		return "each host thread has an order of its own (--host-sync)";
	if (is_sparse(submissions))
		return "memory is bound sparsely";
	if (any_event_is_set(model))
		return "a VkEvent is set";
	if (vkr_presentation_is_under_way(model))
		return "an image is being acquired";
	if (model->walk.feedback_counters.count > 0)
		return "transform feedback counters were written";
	return NULL;
}

// ---- What events do -----------------------------------------------------------------------------

enum role {
	ROLE_COMMAND, // in recordings only
	ROLE_KEEP,
	ROLE_DROP,      // what it does is in the states of timelines, or in units
	ROLE_MAKE,      // an object, whose id is its first member
	ROLE_DESTROY,   // the object of that id
	ROLE_CHANGE,    // the object of that id
	ROLE_HOST,      // an access: kept if that is live
	ROLE_EXECUTION, // of an execution, whose id is its first member
	ROLE_RECORDING,
	ROLE_CALL_STACK, // of the next event of its thread
	ROLE_LAST,       // an equal one after it takes its place
};

struct event_role {
	uint8_t role;
	uint16_t object; // the event that makes it
};

#define MAKES(type)         [VKR_TRACE_##type] = {ROLE_MAKE, VKR_TRACE_##type}
#define CHANGES(type, made) [VKR_TRACE_##type] = {ROLE_CHANGE, VKR_TRACE_##made}
#define DESTROYS(made)      [VKR_TRACE_##made##_DESTROY] = {ROLE_DESTROY, VKR_TRACE_##made}
#define IS(type, what)      [VKR_TRACE_##type] = {ROLE_##what, 0}

static const struct event_role roles[] = {
	IS(RUN_BEGIN, KEEP),
	IS(THREAD, KEEP),
	IS(DEVICE, KEEP),
	IS(QUEUE, KEEP),
	IS(SHADER, KEEP),
	IS(SHADER_INPUTS, KEEP),
	IS(SHADER_FEEDBACK, KEEP),
	IS(SHADER_SAMPLERS, KEEP),
	IS(SET_LAYOUT, KEEP),
	IS(DESCRIPTOR_ROWS, KEEP),
	IS(PIPELINE_LAYOUT, KEEP),
	IS(HOST_ORDER, KEEP),
	IS(HOST_IGNORE, KEEP),
	IS(VIDEO_SESSION, KEEP),
	IS(VIDEO_SESSION_BIND, KEEP),
	IS(MODULE, LAST),
	IS(COVERAGE, LAST),
	IS(NAME, LAST),
	IS(BUFFER_ADDRESS, LAST),
	IS(STRUCTURE_ADDRESS, LAST),
	IS(SET_WRITE, LAST),
	IS(SET_COPY, LAST),
	MAKES(MEMORY),
	[VKR_TRACE_MEMORY_FREE] = {ROLE_DESTROY, VKR_TRACE_MEMORY},
	MAKES(BUFFER),
	CHANGES(BUFFER_BIND, BUFFER),
	DESTROYS(BUFFER),
	MAKES(BUFFER_VIEW),
	DESTROYS(BUFFER_VIEW),
	MAKES(IMAGE),
	CHANGES(IMAGE_BIND, IMAGE),
	DESTROYS(IMAGE),
	MAKES(IMAGE_VIEW),
	DESTROYS(IMAGE_VIEW),
	MAKES(SAMPLER),
	DESTROYS(SAMPLER),
	MAKES(SET),
	CHANGES(HEAP, SET),
	DESTROYS(SET),
	MAKES(PIPELINE),
	CHANGES(GRAPHICS_STATE, PIPELINE),
	DESTROYS(PIPELINE),
	MAKES(RENDER_PASS),
	DESTROYS(RENDER_PASS),
	MAKES(FRAMEBUFFER),
	DESTROYS(FRAMEBUFFER),
	MAKES(COMMAND_BUFFER),
	DESTROYS(COMMAND_BUFFER),
	MAKES(FENCE),
	DESTROYS(FENCE),
	MAKES(SEMAPHORE),
	DESTROYS(SEMAPHORE),
	MAKES(EVENT),
	DESTROYS(EVENT),
	MAKES(QUERY_POOL),
	DESTROYS(QUERY_POOL),
	MAKES(STRUCTURE),
	DESTROYS(STRUCTURE),
	IS(RECORDING, RECORDING),
	IS(CALL_STACK, CALL_STACK),
	IS(HOST_ACCESS, HOST),
	IS(HOST_IMAGE_COPY, HOST),
	IS(HOST_IMAGE_TRANSFER, HOST),
	IS(HOST_TRANSITION, HOST),
	IS(HOST_STRUCTURE, HOST),
	IS(QUERY_RESET, HOST),
	IS(GPU_LOG, EXECUTION),
	IS(GPU_COLUMN_LOG, EXECUTION),
	IS(EXECUTION_END, EXECUTION),
	IS(COMMANDS_LOGGED, EXECUTION),
	IS(EXECUTION_LEFT_OUT, EXECUTION),
	IS(SNAPSHOT, EXECUTION),
	IS(STRUCTURE_INSTANCES, EXECUTION),
	IS(HEAP_CHANGED, EXECUTION),
	IS(SUBMIT, DROP),
	IS(SUBMIT_FAILED, DROP),
	IS(PRESENT, DROP),
	IS(ACQUIRE, DROP),
	IS(DEVICE_DESTROY, DROP),
	IS(RUN_END, DROP),
	IS(MAP, DROP),
	IS(UNMAP, DROP),
	IS(FLUSH, DROP),
	IS(INVALIDATE, DROP),
	IS(HOST_RELEASE, DROP),
	IS(HOST_ACQUIRE, DROP),
	IS(FENCE_RESET, DROP),
	IS(FENCE_WAIT, DROP),
	IS(QUEUE_IDLE, DROP),
	IS(DEVICE_IDLE, DROP),
	IS(SEMAPHORE_SIGNAL, DROP),
	IS(SEMAPHORE_WAIT, DROP),
	IS(EVENT_SET, DROP),
	IS(EVENT_RESET, DROP),
	IS(EVENT_SEEN, DROP),
	IS(QUERY_SEEN, DROP),
	IS(SPARSE_BIND, DROP),
	IS(VOLUME, DROP),
	IS(PAST_TIMELINE, DROP),
	IS(PAST_STATE, DROP),
	IS(PAST_TOKEN, DROP),
	IS(PAST_END, DROP),
	IS(VOLUME_END, DROP),
};

static struct event_role role_of(const struct vkr_trace_event *event)
{
	return event->type < sizeof roles / sizeof roles[0] ? roles[event->type]
							    : (struct event_role){ROLE_KEEP, 0};
}

static uint32_t first_member(const struct vkr_trace_event *event)
{
	return *(const uint32_t *)(event + 1);
}

// ---- First pass ---------------------------------------------------------------------------------

struct object {
	uint64_t made, destroyed; // indices of events; UINT64_MAX: not before the cut
	bool kept;
};

// One object, by its key, needs another one.
struct need {
	uint64_t by, what;
};

struct recording {
	uint64_t made;
	uint32_t id;
	bool newest, waits, kept; // waits: it has a wait for events
};

struct recording_need {
	uint32_t by, what; // ids
};

struct beginning {
	struct vkr_model *model;
	const struct vkr_volume_cut *cut;
	struct vkr_error *error;
	uint64_t *unit_places; // of live units, ascending
	size_t unit_count;
	struct vkr_map objects; // key -> 1 + index
	struct {
		struct object *items;
		size_t count, capacity;
	} made;
	struct {
		struct need *items;
		size_t count, capacity;
	} needs;
	struct vkr_map recordings; // id -> 1 + index
	struct vkr_map newest;     // command buffer -> id of its recording
	struct {
		struct recording *items;
		size_t count, capacity;
	} recorded;
	struct {
		struct recording_need *items;
		size_t count, capacity;
	} recording_needs;
	struct vkr_map last;       // key of what a ROLE_LAST event says -> 1 + index of the event
	struct vkr_map copied;     // set -> 1 + index of the last event that copied from it
	struct vkr_map superseded; // index of an event -> 1
	struct vkr_map judged;     // execution -> 1: some submission before the cut has it
	struct vkr_map live;       // execution -> 1: of a live unit
	// Second pass.
	struct vkr_past_parts parts;
	bool *lines;
	size_t line_count;
	uint64_t written; // events
	uint64_t behind;  // events after the boundary
	uint64_t first;   // index of the first of them in the next volume; 0: not reached
	size_t next_unit;
	const struct vkr_timeline_image *last_image; // that was written
	struct vkr_map call_stacks;                  // thread -> malloc'd event
};

static uint64_t object_key(uint32_t type, uint32_t id)
{
	return (uint64_t)type << 32 | id;
}

// Whether a live unit stands after one event and not after the other.
static bool unit_between(const struct beginning *beginning, uint64_t first, uint64_t end)
{
	size_t low = 0;
	VKR_SEARCH(low, beginning->unit_count, at, beginning->unit_places[at] < first);
	return low < beginning->unit_count && beginning->unit_places[low] < end;
}

static bool note_need(struct beginning *beginning, uint64_t by, uint32_t type, uint32_t id)
{
	if (id == 0)
		return true;
	if (!VKR_ARRAY_RESERVE(&beginning->needs, 1))
		return false;
	beginning->needs.items[beginning->needs.count++] = (struct need){by, object_key(type, id)};
	return true;
}

// What an object is made of: reading its event fails without these.
static bool note_needs(struct beginning *beginning, const struct vkr_trace_event *event,
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
		return note_need(beginning, by, VKR_TRACE_MEMORY, members[1]);
	case VKR_TRACE_BUFFER_VIEW:
		return note_need(beginning, by, VKR_TRACE_BUFFER, members[1]);
	case VKR_TRACE_IMAGE_VIEW:
		return note_need(beginning, by, VKR_TRACE_IMAGE, members[1]);
	case VKR_TRACE_FRAMEBUFFER:
		for (uint32_t i = 0; i < framebuffer->view_count && enough; i++)
			enough = note_need(beginning, by, VKR_TRACE_IMAGE_VIEW,
					   ((const uint32_t *)(framebuffer + 1))[i]);
		return enough;
	case VKR_TRACE_QUERY_POOL:
		return note_need(beginning, by, VKR_TRACE_MEMORY, pool->memory);
	case VKR_TRACE_STRUCTURE:
		return note_need(beginning, by, VKR_TRACE_BUFFER, structure->buffer);
	default:
		return true;
	}
}

static struct object *find_object(const struct beginning *beginning, uint64_t key)
{
	uint64_t found = 0;
	return vkr_map_get(&beginning->objects, key, &found) ? &beginning->made.items[found - 1]
							     : NULL;
}

static bool note_object(struct beginning *beginning, const struct vkr_trace_event *event,
			struct event_role role, uint64_t index)
{
	const uint64_t key = object_key(role.object, first_member(event));
	struct object *object = find_object(beginning, key);
	if (role.role == ROLE_DESTROY) {
		if (object != NULL)
			object->destroyed = index;
		return true;
	}
	if (role.role == ROLE_MAKE) {
		if (!VKR_ARRAY_RESERVE(&beginning->made, 1) ||
		    !vkr_map_set(&beginning->objects, key, beginning->made.count + 1))
			return false;
		beginning->made.items[beginning->made.count++] =
			(struct object){.made = index, .destroyed = UINT64_MAX};
	}
	return note_needs(beginning, event, key);
}

static struct recording *find_recording(const struct beginning *beginning, uint32_t id)
{
	uint64_t found = 0;
	return vkr_map_get(&beginning->recordings, id, &found)
		       ? &beginning->recorded.items[found - 1]
		       : NULL;
}

static bool forget_newest(struct beginning *beginning, uint32_t command_buffer)
{
	uint64_t id = 0;
	if (!vkr_map_get(&beginning->newest, command_buffer, &id))
		return true;
	find_recording(beginning, (uint32_t)id)->newest = false;
	return true;
}

static bool note_recording(struct beginning *beginning, const struct vkr_trace_event *event,
			   uint64_t index)
{
	const struct vkr_trace_recording *made = (const void *)(event + 1);
	const struct vkr_trace_event *command = (const void *)(made + 1);
	const struct vkr_trace_event *end =
		(const void *)((const char *)command + made->event_bytes);
	struct recording recording = {.made = index, .id = made->recording, .newest = true};
	for (; command < end; command = (const void *)((const char *)command + command->bytes)) {
		const struct vkr_trace_cmd_execute *execute = (const void *)(command + 1);
		recording.waits |= command->type == VKR_TRACE_CMD_WAIT_EVENTS;
		if (command->type != VKR_TRACE_CMD_EXECUTE)
			continue;
		if (!VKR_ARRAY_RESERVE(&beginning->recording_needs, 1))
			return false;
		beginning->recording_needs.items[beginning->recording_needs.count++] =
			(struct recording_need){made->recording, execute->recording};
	}
	forget_newest(beginning, made->command_buffer);
	if (!VKR_ARRAY_RESERVE(&beginning->recorded, 1) ||
	    !vkr_map_set(&beginning->recordings, recording.id, beginning->recorded.count + 1) ||
	    !vkr_map_set(&beginning->newest, made->command_buffer, recording.id))
		return false;
	beginning->recorded.items[beginning->recorded.count++] = recording;
	return true;
}

// What an event says again when it comes again: its type, and the members that say which object,
// and which part of that, it is about.
static uint64_t last_key(const struct vkr_trace_event *event)
{
	const uint32_t *members = (const void *)(event + 1);
	const struct vkr_trace_set_write *write = (const void *)members;
	const struct vkr_trace_set_copy *copy = (const void *)members;
	const struct vkr_trace_coverage *coverage = (const void *)members;
	const struct vkr_trace_module *module = (const void *)members;
	uint64_t key = vkr_map_hash(event->type);
	switch (event->type) {
	case VKR_TRACE_SET_WRITE:
		key = vkr_map_hash(VKR_TRACE_SET_WRITE ^ (uint64_t)write->set << 32);
		key = vkr_map_hash(key ^ write->binding ^ (uint64_t)write->element << 32);
		return vkr_map_hash(key ^ write->descriptor_count);
	case VKR_TRACE_SET_COPY: // as a write of what it copies to
		key = vkr_map_hash(VKR_TRACE_SET_WRITE ^ (uint64_t)copy->set << 32);
		key = vkr_map_hash(key ^ copy->binding ^ (uint64_t)copy->element << 32);
		return vkr_map_hash(key ^ copy->descriptor_count);
	case VKR_TRACE_COVERAGE:
		key = vkr_map_hash(key ^ coverage->kind ^ (uint64_t)coverage->object << 32);
		for (uint32_t i = 0; i < coverage->text_bytes; i++)
			key = vkr_map_hash(key ^ ((const unsigned char *)(coverage + 1))[i]);
		return key;
	case VKR_TRACE_MODULE:
		return vkr_map_hash(vkr_map_hash(key ^ module->first) ^ module->end);
	default: // the object, and for names its kind
		key = vkr_map_hash(key ^ members[0] ^ (uint64_t)members[1] << 32);
		return event->type == VKR_TRACE_NAME
			       ? key
			       : vkr_map_hash(key ^ members[2] ^ (uint64_t)members[3] << 32);
	}
}

static bool note_last(struct beginning *beginning, const struct vkr_trace_event *event,
		      uint64_t index)
{
	const uint64_t key = last_key(event);
	const struct vkr_trace_set_write *write = (const void *)(event + 1);
	const struct vkr_trace_set_copy *copy = (const void *)(event + 1);
	const bool descriptors =
		event->type == VKR_TRACE_SET_WRITE || event->type == VKR_TRACE_SET_COPY;
	uint64_t before = 0, copied = 0;
	if (event->type == VKR_TRACE_SET_COPY &&
	    !vkr_map_set(&beginning->copied, copy->source_set, index + 1))
		return false;
	if (vkr_map_get(&beginning->last, key, &before)) {
		const uint32_t set = event->type == VKR_TRACE_SET_COPY ? copy->set : write->set;
		const bool needed = unit_between(beginning, before - 1, index) ||
				    (descriptors && vkr_map_get(&beginning->copied, set, &copied) &&
				     copied > before);
		if (!needed && !vkr_map_set(&beginning->superseded, before - 1, 1))
			return false;
	}
	return vkr_map_set(&beginning->last, key, index + 1);
}

static bool note_submission(struct beginning *beginning, const struct vkr_trace_event *event)
{
	const struct vkr_trace_submit *submit = (const void *)(event + 1);
	const struct vkr_trace_batch *batches = (const void *)(submit + 1);
	const struct vkr_trace_semaphore_operation *waits =
		(const void *)(batches + submit->batch_count);
	const struct vkr_trace_execution *executions = (const void *)(waits + submit->wait_count);
	bool enough = true;
	for (uint32_t i = 0; i < submit->execution_count && enough; i++)
		enough = vkr_map_set(&beginning->judged, executions[i].execution, 1);
	return enough;
}

static bool note_event(struct beginning *beginning, const struct vkr_trace_event *event,
		       uint64_t index)
{
	const struct event_role role = role_of(event);
	switch (role.role) {
	case ROLE_MAKE:
	case ROLE_CHANGE:
	case ROLE_DESTROY:
		return (event->type != VKR_TRACE_COMMAND_BUFFER_DESTROY ||
			forget_newest(beginning, first_member(event))) &&
		       note_object(beginning, event, role, index);
	case ROLE_RECORDING:
		return note_recording(beginning, event, index);
	case ROLE_LAST:
		return note_last(beginning, event, index);
	default:
		return event->type != VKR_TRACE_SUBMIT || note_submission(beginning, event);
	}
}

// Calls `each` for the events of the volume.
static enum vkr_result go_through(struct beginning *beginning,
				  enum vkr_result (*each)(struct beginning *beginning,
							  const struct vkr_trace_event *event,
							  uint64_t index))
{
	struct vkr_reader *reader = NULL;
	const struct vkr_trace_event *event = NULL;
	enum vkr_result result = vkr_reader_open(&reader, beginning->cut->path, beginning->error);
	if (result != VKR_OK)
		return result;
	for (uint64_t index = 0; result == VKR_OK; index++) {
		result = vkr_reader_next(reader, &event, beginning->error);
		if (result == VKR_OK && event == NULL)
			break;
		if (result == VKR_OK)
			result = each(beginning, event, index);
	}
	vkr_reader_close(reader);
	return result;
}

static enum vkr_result note_one(struct beginning *beginning, const struct vkr_trace_event *event,
				uint64_t index)
{
	if (index >= beginning->cut->boundary) {
		beginning->behind++;
		return VKR_OK;
	}
	return note_event(beginning, event, index)
		       ? VKR_OK
		       : vkr_error_memory(beginning->error, "what a volume begins with");
}

static int compare_places(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static bool note_units(struct beginning *beginning)
{
	const struct vkr_past *past = &beginning->model->past;
	beginning->unit_places = calloc(past->units.count + 1, sizeof *beginning->unit_places);
	if (beginning->unit_places == NULL)
		return false;
	for (size_t i = 0; i < past->units.count; i++) {
		const struct vkr_past_unit *unit = &past->units.items[i];
		beginning->unit_places[beginning->unit_count++] = unit->place;
		if (unit->event == NULL || unit->event->type != VKR_TRACE_SUBMIT)
			continue;
		const struct vkr_trace_submit *submit = (const void *)(unit->event + 1);
		const struct vkr_trace_execution *executions =
			(const void *)((const struct vkr_trace_batch *)(submit + 1) + 1);
		for (uint32_t at = 0; at < submit->execution_count; at++)
			if (!vkr_map_set(&beginning->live, executions[at].execution, 1))
				return false;
	}
	qsort(beginning->unit_places, beginning->unit_count, sizeof *beginning->unit_places,
	      compare_places);
	return true;
}

static void keep_objects(struct beginning *beginning)
{
	bool more = true;
	for (size_t i = 0; i < beginning->made.count; i++) {
		struct object *object = &beginning->made.items[i];
		object->kept = object->destroyed == UINT64_MAX ||
			       unit_between(beginning, object->made, object->destroyed);
	}
	while (more) {
		more = false;
		for (size_t i = 0; i < beginning->needs.count; i++) {
			const struct need *need = &beginning->needs.items[i];
			const struct object *by = find_object(beginning, need->by);
			struct object *what = find_object(beginning, need->what);
			if (by == NULL || what == NULL || !by->kept || what->kept)
				continue;
			what->kept = more = true;
		}
	}
}

static void keep_recording(struct beginning *beginning, uint32_t id)
{
	struct recording *recording = find_recording(beginning, id);
	if (recording != NULL)
		recording->kept = true;
}

// *waits: some batch that is kept waits for events, which its volume would not know.
static void keep_recordings(struct beginning *beginning, bool *waits)
{
	const struct vkr_past *past = &beginning->model->past;
	bool more = true;
	for (size_t i = 0; i < past->units.count; i++) {
		const struct vkr_trace_event *event = past->units.items[i].event;
		if (event == NULL || event->type != VKR_TRACE_SUBMIT)
			continue;
		const struct vkr_trace_submit *submit = (const void *)(event + 1);
		const struct vkr_trace_execution *executions =
			(const void *)((const struct vkr_trace_batch *)(submit + 1) + 1);
		for (uint32_t at = 0; at < submit->execution_count; at++)
			keep_recording(beginning, executions[at].recording);
	}
	*waits = false;
	for (int newest = 0; newest < 2; newest++) {
		for (more = true; more;) {
			more = false;
			for (size_t i = 0; i < beginning->recording_needs.count; i++) {
				const struct recording_need *need =
					&beginning->recording_needs.items[i];
				const struct recording *by = find_recording(beginning, need->by);
				struct recording *what = find_recording(beginning, need->what);
				if (by == NULL || what == NULL || !by->kept || what->kept)
					continue;
				what->kept = more = true;
			}
		}
		if (newest)
			return;
		for (size_t i = 0; i < beginning->recorded.count; i++) {
			struct recording *recording = &beginning->recorded.items[i];
			*waits |= recording->kept && recording->waits;
			recording->kept |= recording->newest;
		}
	}
}

// ---- Second pass --------------------------------------------------------------------------------

static enum vkr_result put(struct beginning *beginning, const struct vkr_trace_event *event)
{
	beginning->written++;
	return vkr_chunk_writer_event(beginning->cut->into, event, beginning->error);
}

struct tail {
	const void *items;
	size_t bytes;
};

static enum vkr_result put_parts(struct beginning *beginning, enum vkr_trace_type type,
				 const void *payload, size_t payload_bytes,
				 const struct tail *tails, size_t count)
{
	uint64_t bytes = sizeof(struct vkr_trace_event) + payload_bytes;
	for (size_t i = 0; i < count; i++)
		bytes += tails[i].bytes;
	struct vkr_trace_event *event = bytes <= UINT32_MAX ? calloc(1, bytes) : NULL;
	if (event == NULL)
		return vkr_error_memory(beginning->error, "what a volume begins with");
	event->bytes = (uint32_t)bytes;
	event->type = (uint16_t)type;
	memcpy(event + 1, payload, payload_bytes);
	char *to = (char *)(event + 1) + payload_bytes;
	for (size_t i = 0; i < count; i++) {
		if (tails[i].bytes > 0)
			memcpy(to, tails[i].items, tails[i].bytes);
		to += tails[i].bytes;
	}
	const enum vkr_result result = put(beginning, event);
	free(event);
	return result;
}

static enum vkr_result put_state(struct beginning *beginning,
				 const struct vkr_timeline_image *image)
{
	struct vkr_past_parts *parts = &beginning->parts;
	struct vkr_trace_past_state state;
	const enum vkr_result result =
		vkr_timeline_image_write(image, parts, &state, beginning->error);
	const struct tail tails[] = {
		{parts->groups.items, parts->groups.count * sizeof *parts->groups.items},
		{parts->sets.items, parts->sets.count * sizeof *parts->sets.items},
		{parts->spans.items, parts->spans.count * sizeof *parts->spans.items},
		{parts->cuts.items, parts->cuts.count * sizeof *parts->cuts.items},
		{parts->transitions.items,
		 parts->transitions.count * sizeof *parts->transitions.items}};
	return result == VKR_OK ? put_parts(beginning, VKR_TRACE_PAST_STATE, &state, sizeof state,
					    tails, sizeof tails / sizeof tails[0])
				: result;
}

static enum vkr_result put_token(struct beginning *beginning, struct vkr_trace_past_token event,
				 uint32_t token)
{
	struct vkr_past_parts *parts = &beginning->parts;
	enum vkr_result result = VKR_OK;
	parts->spans.count = 0;
	if (token == 0)
		event.flags |= VKR_PAST_TOKEN_NONE;
	else
		result = vkr_token_write(beginning->model->engine, token, parts, &event,
					 beginning->error);
	const struct tail tail = {parts->spans.items,
				  parts->spans.count * sizeof *parts->spans.items};
	return result == VKR_OK
		       ? put_parts(beginning, VKR_TRACE_PAST_TOKEN, &event, sizeof event, &tail, 1)
		       : result;
}

static enum vkr_result put_line(struct beginning *beginning,
				const struct vkr_trace_past_timeline *line)
{
	beginning->lines[line->timeline] = true;
	return put_parts(beginning, VKR_TRACE_PAST_TIMELINE, line, sizeof *line, NULL, 0);
}

static enum vkr_result put_lines(struct beginning *beginning)
{
	struct vkr_model *model = beginning->model;
	const struct vkr_map *presentables = &model->submissions.presentables;
	struct vkr_trace_past_timeline line = {.timeline = model->host, .kind = VKR_PAST_LINE_HOST};
	beginning->line_count = vkr_engine_timelines(model->engine) + (size_t)1;
	beginning->lines = calloc(beginning->line_count, sizeof *beginning->lines);
	if (beginning->lines == NULL)
		return vkr_error_memory(beginning->error, "timelines");
	beginning->parts.lines = beginning->lines;
	enum vkr_result result = put_line(beginning, &line);
	for (size_t i = 0; i < model->submissions.queues.count && result == VKR_OK; i++) {
		const struct vkr_queue *queue = model->submissions.queues.items[i].queue;
		line = (struct vkr_trace_past_timeline){.timeline = queue->timeline,
							.kind = VKR_PAST_LINE_QUEUE,
							.object = queue->id};
		result = put_line(beginning, &line);
	}
	for (size_t i = 0; i < presentables->capacity && result == VKR_OK; i++)
		if (presentables->slots[i].used &&
		    vkr_presentation_save(model, presentables->slots[i].value, &line))
			result = put_line(beginning, &line);
	return result;
}

static enum vkr_result put_states(struct beginning *beginning)
{
	enum vkr_result result = VKR_OK;
	for (uint32_t timeline = 1; timeline < beginning->line_count && result == VKR_OK;
	     timeline++) {
		struct vkr_timeline_image *image = NULL;
		if (!beginning->lines[timeline])
			continue;
		result = vkr_timeline_image_take(beginning->model->engine, timeline, &image,
						 beginning->error);
		if (result == VKR_OK)
			result = put_state(beginning, image);
		vkr_timeline_image_drop(image);
	}
	return result;
}

static enum vkr_result put_semaphore(struct beginning *beginning,
				     const struct vkr_semaphore *semaphore)
{
	enum vkr_result result = VKR_OK;
	if (!semaphore->timeline && !semaphore->signaled)
		return VKR_OK;
	for (size_t i = 0; i < semaphore->signals.count && result == VKR_OK; i++)
		result = put_token(
			beginning,
			(struct vkr_trace_past_token){.kind = VKR_PAST_SEMAPHORE,
						      .object = semaphore->id,
						      .value = semaphore->signals.items[i].value},
			semaphore->signals.items[i].token);
	return result;
}

// A submission that waits for its log comes again: its fence is as it was before.
static enum vkr_result put_fence(struct beginning *beginning, const struct vkr_fence *fence)
{
	const bool submitted = fence->submitted && !fence->pending;
	return put_token(beginning,
			 (struct vkr_trace_past_token){
				 .kind = VKR_PAST_FENCE,
				 .object = fence->id,
				 .flags = (submitted ? VKR_PAST_SUBMITTED : 0u) |
					  (fence->made_signaled ? VKR_PAST_SIGNALED : 0u),
				 .queue = fence->queue != NULL ? fence->queue->id : 0},
			 fence->token);
}

static enum vkr_result put_tokens(struct beginning *beginning)
{
	const struct vkr_model *model = beginning->model;
	const struct vkr_submissions *submissions = &model->submissions;
	const struct vkr_map *semaphores = &submissions->semaphores, *fences = &submissions->fences;
	const struct vkr_map *queries = &model->query_tokens.ends;
	enum vkr_result result = VKR_OK;
	for (size_t i = 0; i < semaphores->capacity && result == VKR_OK; i++)
		if (semaphores->slots[i].used)
			result = put_semaphore(beginning,
					       (const void *)(uintptr_t)semaphores->slots[i].value);
	for (size_t i = 0; i < fences->capacity && result == VKR_OK; i++)
		if (fences->slots[i].used)
			result = put_fence(beginning,
					   (const void *)(uintptr_t)fences->slots[i].value);
	for (size_t i = 0; i < queries->capacity && result == VKR_OK; i++)
		if (queries->slots[i].used)
			result =
				put_token(beginning,
					  (struct vkr_trace_past_token){
						  .kind = VKR_PAST_QUERY,
						  .object = (uint32_t)(queries->slots[i].key >> 32),
						  .value = (uint32_t)queries->slots[i].key},
					  (uint32_t)queries->slots[i].value);
	for (size_t i = 0; i < submissions->queues.count && result == VKR_OK; i++)
		if (submissions->queues.items[i].signaled != 0)
			result =
				put_token(beginning,
					  (struct vkr_trace_past_token){
						  .kind = VKR_PAST_SIGNALS,
						  .object = submissions->queues.items[i].queue->id},
					  submissions->queues.items[i].signaled);
	return result;
}

// The next unit, if it is the one that the event at this place makes by itself.
static struct vkr_past_unit *host_unit(const struct beginning *beginning, uint64_t place)
{
	const struct vkr_past *past = &beginning->model->past;
	struct vkr_past_unit *unit = &past->units.items[beginning->next_unit];
	return beginning->next_unit < past->units.count && unit->place == place &&
			       unit->event == NULL
		       ? unit
		       : NULL;
}

static bool is_kept(const struct beginning *beginning, const struct vkr_trace_event *event,
		    uint64_t index)
{
	const struct event_role role = role_of(event);
	const struct object *object = NULL;
	const struct recording *recording = NULL;
	uint64_t unused = 0;
	switch (role.role) {
	case ROLE_DROP:
		return false;
	case ROLE_MAKE:
	case ROLE_CHANGE:
	case ROLE_DESTROY:
		object = find_object(beginning, object_key(role.object, first_member(event)));
		return object == NULL || object->kept;
	case ROLE_RECORDING:
		recording = find_recording(beginning, first_member(event));
		return recording != NULL && recording->kept;
	case ROLE_HOST:
		return host_unit(beginning, index) != NULL;
	case ROLE_EXECUTION:
		return !vkr_map_get(&beginning->judged, first_member(event), &unused) ||
		       vkr_map_get(&beginning->live, first_member(event), &unused);
	case ROLE_LAST:
		return !vkr_map_get(&beginning->superseded, index, &unused);
	default:
		return true;
	}
}

// The set that descriptors are written to, or the object that is named, may be gone.
static bool is_of_gone(const struct beginning *beginning, const struct vkr_trace_event *event)
{
	static const uint16_t named[VKR_OBJECT_KINDS] = {
		[VKR_OBJECT_MEMORY] = VKR_TRACE_MEMORY,
		[VKR_OBJECT_BUFFER] = VKR_TRACE_BUFFER,
		[VKR_OBJECT_BUFFER_VIEW] = VKR_TRACE_BUFFER_VIEW,
		[VKR_OBJECT_SET] = VKR_TRACE_SET,
		[VKR_OBJECT_PIPELINE] = VKR_TRACE_PIPELINE,
		[VKR_OBJECT_COMMAND_BUFFER] = VKR_TRACE_COMMAND_BUFFER,
		[VKR_OBJECT_FENCE] = VKR_TRACE_FENCE,
		[VKR_OBJECT_SEMAPHORE] = VKR_TRACE_SEMAPHORE,
		[VKR_OBJECT_EVENT] = VKR_TRACE_EVENT,
		[VKR_OBJECT_RENDER_PASS] = VKR_TRACE_RENDER_PASS,
		[VKR_OBJECT_IMAGE] = VKR_TRACE_IMAGE,
		[VKR_OBJECT_IMAGE_VIEW] = VKR_TRACE_IMAGE_VIEW,
		[VKR_OBJECT_SAMPLER] = VKR_TRACE_SAMPLER,
		[VKR_OBJECT_FRAMEBUFFER] = VKR_TRACE_FRAMEBUFFER,
		[VKR_OBJECT_QUERY_POOL] = VKR_TRACE_QUERY_POOL,
		[VKR_OBJECT_STRUCTURE] = VKR_TRACE_STRUCTURE,
	};
	const uint32_t *members = (const void *)(event + 1);
	const struct vkr_trace_set_copy *copy = (const void *)members;
	uint32_t type = 0, id = members[0];
	switch (event->type) {
	case VKR_TRACE_SET_WRITE:
		type = VKR_TRACE_SET;
		break;
	case VKR_TRACE_SET_COPY:
		type = VKR_TRACE_SET;
		id = copy->set;
		break;
	case VKR_TRACE_BUFFER_ADDRESS:
		type = VKR_TRACE_BUFFER;
		break;
	case VKR_TRACE_STRUCTURE_ADDRESS:
		type = VKR_TRACE_STRUCTURE;
		break;
	case VKR_TRACE_NAME:
		type = members[0] < VKR_OBJECT_KINDS ? named[members[0]] : 0;
		id = members[1];
		break;
	default:
		return false;
	}
	const struct object *object = type ? find_object(beginning, object_key(type, id)) : NULL;
	const struct object *source =
		event->type == VKR_TRACE_SET_COPY
			? find_object(beginning, object_key(VKR_TRACE_SET, copy->source_set))
			: NULL;
	return (object != NULL && !object->kept) || (source != NULL && !source->kept);
}

// A call stack is of its thread's next event, and kept with that.
static enum vkr_result put_call_stack(struct beginning *beginning,
				      const struct vkr_trace_event *event, bool kept)
{
	uint64_t held = 0;
	enum vkr_result result = VKR_OK;
	if (!vkr_map_get(&beginning->call_stacks, event->thread, &held))
		return VKR_OK;
	struct vkr_trace_event *stack = (void *)(uintptr_t)held;
	if (kept)
		result = put(beginning, stack);
	vkr_map_remove(&beginning->call_stacks, event->thread);
	free(stack);
	return result;
}

static enum vkr_result hold_call_stack(struct beginning *beginning,
				       const struct vkr_trace_event *event)
{
	enum vkr_result result = put_call_stack(beginning, event, false);
	struct vkr_trace_event *stack = malloc(event->bytes);
	if (stack != NULL)
		memcpy(stack, event, event->bytes);
	if (stack == NULL ||
	    !vkr_map_set(&beginning->call_stacks, event->thread, (uintptr_t)stack)) {
		free(stack);
		return vkr_error_memory(beginning->error, "a call stack");
	}
	return result;
}

// Units that were judged after the event at this place: the event of each, and before it how its
// timeline stood. What the event at the place did itself, and was not written, is left out.
static enum vkr_result put_units(struct beginning *beginning, uint64_t place)
{
	struct vkr_past *past = &beginning->model->past;
	enum vkr_result result = VKR_OK;
	while (beginning->next_unit < past->units.count && result == VKR_OK) {
		struct vkr_past_unit *unit = &past->units.items[beginning->next_unit];
		if (unit->place != place)
			break;
		beginning->next_unit++;
		if (unit->event == NULL)
			continue;
		result = put_state(beginning, unit->image);
		beginning->last_image = NULL;
		if (result == VKR_OK)
			result = put(beginning, unit->event);
		unit->place = beginning->written - 1;
		unit->live = true;
	}
	return result;
}

// The event, and before it how the host stood if it makes accesses that may still race.
static enum vkr_result put_kept(struct beginning *beginning, const struct vkr_trace_event *event,
				uint64_t place)
{
	struct vkr_past_unit *unit = host_unit(beginning, place);
	enum vkr_result result = VKR_OK;
	if (unit != NULL && unit->image != beginning->last_image) {
		result = put_state(beginning, unit->image);
		beginning->last_image = unit->image;
	}
	if (result == VKR_OK)
		result = put_call_stack(beginning, event, true);
	if (result == VKR_OK)
		result = put(beginning, event);
	if (unit != NULL) {
		unit->place = beginning->written - 1;
		unit->live = true;
		beginning->next_unit++;
	}
	return result;
}

static enum vkr_result put_past(struct beginning *beginning, const struct vkr_trace_event *event,
				uint64_t index)
{
	enum vkr_result result = VKR_OK;
	if (role_of(event).role == ROLE_CALL_STACK)
		return hold_call_stack(beginning, event);
	const bool kept = is_kept(beginning, event, index) && !is_of_gone(beginning, event);
	result = kept ? put_kept(beginning, event, index) : put_call_stack(beginning, event, false);
	return result == VKR_OK ? put_units(beginning, index) : result;
}

// How all stands at the boundary.
static enum vkr_result put_present(struct beginning *beginning)
{
	const struct vkr_trace_past_end end = {.repeated = beginning->behind};
	enum vkr_result result = put_states(beginning);
	if (result == VKR_OK)
		result = put_tokens(beginning);
	if (result == VKR_OK)
		result = put_parts(beginning, VKR_TRACE_PAST_END, &end, sizeof end, NULL, 0);
	beginning->first = beginning->written;
	return result;
}

static enum vkr_result put_event(struct beginning *beginning, const struct vkr_trace_event *event,
				 uint64_t index)
{
	if (index < beginning->cut->boundary)
		return put_past(beginning, event, index);
	const enum vkr_result result = beginning->first ? VKR_OK : put_present(beginning);
	return result == VKR_OK ? put(beginning, event) : result;
}

static enum vkr_result put_all(struct beginning *beginning)
{
	enum vkr_result result = put_parts(beginning, VKR_TRACE_VOLUME, &beginning->cut->next,
					   sizeof beginning->cut->next, NULL, 0);
	if (result == VKR_OK)
		result = vkr_past_parts_begin(&beginning->parts, beginning->model->engine,
					      beginning->error);
	if (result == VKR_OK)
		result = put_lines(beginning);
	if (result == VKR_OK)
		result = go_through(beginning, put_event);
	return result == VKR_OK && !beginning->first ? put_present(beginning) : result;
}

// What was written is kept: accesses of a host's open run that no byte remembers need not be.
static void forget_units(struct vkr_past *past)
{
	size_t kept = 0;
	for (size_t i = 0; i < past->units.count; i++) {
		struct vkr_past_unit unit = past->units.items[i];
		if (!unit.live) {
			vkr_past_unit_finish(&unit);
			continue;
		}
		unit.live = false;
		past->units.items[kept++] = unit;
	}
	past->units.count = kept;
}

// Whether all units are of timelines that the next volume can name.
static bool can_name(const struct vkr_model *model)
{
	const struct vkr_past *past = &model->past;
	const struct vkr_map *presentables = &model->submissions.presentables;
	for (size_t i = 0; i < past->units.count; i++) {
		const uint32_t timeline = vkr_timeline_image_timeline(past->units.items[i].image);
		bool named = timeline == model->host;
		for (size_t at = 0; at < model->submissions.queues.count && !named; at++)
			named = model->submissions.queues.items[at].queue->timeline == timeline;
		for (size_t at = 0; at < presentables->capacity && !named; at++) {
			struct vkr_trace_past_timeline line;
			named = presentables->slots[at].used &&
				vkr_presentation_save(model, presentables->slots[at].value,
						      &line) &&
				line.timeline == timeline;
		}
		if (!named)
			return false;
	}
	return true;
}

static void finish(struct beginning *beginning)
{
	for (size_t i = 0; i < beginning->call_stacks.capacity; i++)
		if (beginning->call_stacks.slots[i].used)
			free((void *)(uintptr_t)beginning->call_stacks.slots[i].value);
	struct vkr_map *maps[] = {
		&beginning->objects, &beginning->recordings, &beginning->newest,
		&beginning->last,    &beginning->copied,     &beginning->superseded,
		&beginning->judged,  &beginning->live,       &beginning->call_stacks};
	for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
		vkr_map_finish(maps[i]);
	free(beginning->unit_places);
	free(beginning->made.items);
	free(beginning->needs.items);
	free(beginning->recorded.items);
	free(beginning->recording_needs.items);
	free(beginning->lines);
	vkr_past_parts_finish(&beginning->parts);
}

enum vkr_result vkr_model_cut(struct vkr_model *model, const struct vkr_volume_cut *cut,
			      const char **reason, uint64_t *first, struct vkr_error *error)
{
	struct beginning beginning = {.model = model, .cut = cut, .error = error};
	bool whole = false, waits = false;
	*reason = NULL;
	enum vkr_result result = vkr_past_sweep(model, &whole, error);
	if (result != VKR_OK)
		return result;
	if (!whole || !can_name(model)) {
		*reason = "an access that may still race is of no batch and no host call";
		return VKR_OK;
	}
	if (!note_units(&beginning))
		result = vkr_error_memory(error, "what a volume begins with");
	if (result == VKR_OK)
		result = go_through(&beginning, note_one);
	if (result == VKR_OK) {
		keep_objects(&beginning);
		keep_recordings(&beginning, &waits);
		if (waits)
			*reason = "a batch that may still race waits for a VkEvent";
		else
			result = put_all(&beginning);
		if (result == VKR_OK && !waits) {
			forget_units(&model->past);
			*first = beginning.first;
			model->past.place = *first - (model->past.place < cut->boundary);
			model->past.last_place = model->past.place;
		}
	}
	finish(&beginning);
	return result;
}
