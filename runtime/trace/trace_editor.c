// SPDX-License-Identifier: Apache-2.0
#include "trace_editor.h"

#include "array.h"
#include "change_place.h"
#include "error.h"
#include "event_layout.h"
#include "map.h"
#include "pass_edits.h"
#include "shader_edits.h"
#include "submit_edits.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A file in the program's memory, whose addresses are written as "nbody+0x1f20".
struct editor_module {
	uint64_t first, end, bias;
	char *path, *build_id;
	const char *name; // the path's, without folders
};

// VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT; this floor has no Vulkan.
#define STAGE_ALL_COMMANDS UINT64_C(0x10000)

// As reports join them (vkr_command_place).
#define LABELS_BETWEEN " / "

struct editor_label {
	size_t length; // of the joined labels before it
};

// The first command of a recording, by which submissions of it are named.
struct editor_first {
	char *call, *labels, *command_buffer;
	uint32_t command;
	uint64_t caller;
};

// The call stack that was recorded for the next event of a thread, as its event; NULL: for none.
struct editor_stack {
	uint32_t thread;
	struct vkr_trace_event *event;
};

// Somebody who looks at what synchronizes before it is edited.
struct editor_watch {
	void (*see)(void *user, const struct vkr_seen_sync *sync); // NULL: nobody
	void *user;
	struct vkr_map firsts;   // recording -> its struct editor_first
	struct vkr_map signaled; // semaphore and value -> the signaling batch's recording
};

struct vkr_trace_editor {
	const struct vkr_change *const *changes;
	size_t count;
	uint64_t *made; // by change
	struct {
		struct editor_module *items;
		size_t count, capacity;
	} modules;                   // the newest that holds an address counts
	struct vkr_map buffer_names; // command buffer -> its name, a char *
	struct vkr_pass_edits passes;
	struct vkr_submit_edits submits;
	struct vkr_trace_event *shader; // edited last; NULL: none
	struct {
		uint64_t *items;
		size_t count, capacity; // words of 8 bytes
	} out;
	struct {
		struct editor_label *items;
		size_t count, capacity;
	} label_stack; // in the recording
	struct {
		char *items;
		size_t count, capacity; // without a NUL
	} labels;                       // of the recording so far, joined
	struct {
		size_t *items;
		size_t count, capacity;
	} after_pass; // changes whose barrier is due when the render pass ends
	// Of the recording that is being edited.
	uint32_t command_buffer, recording, inserted;
	struct {
		struct editor_stack *items;
		size_t count, capacity;
	} stacks; // of threads
	struct editor_watch watch;
	bool in_pass, continues_pass; // continues: it is a secondary within a render pass
	size_t pass_at;               // in `out`: where the render pass begins
};

enum vkr_result vkr_trace_editor_create(const struct vkr_change *const *changes, size_t count,
					struct vkr_trace_editor **editor, struct vkr_error *error)
{
	struct vkr_trace_editor *made = calloc(1, sizeof *made);
	uint64_t *counts = calloc(count + 1, sizeof *counts);
	if (!made || !counts) {
		free(made);
		free(counts);
		return vkr_error_memory(error, "an editor of traces");
	}
	*made = (struct vkr_trace_editor){.changes = changes, .count = count, .made = counts};
	if (!vkr_submit_edits_init(&made->submits, changes, count)) {
		vkr_trace_editor_destroy(made);
		return vkr_error_memory(error, "an editor of traces");
	}
	*editor = made;
	return VKR_OK;
}

static void free_first(struct editor_first *first)
{
	if (!first)
		return;
	free(first->call);
	free(first->labels);
	free(first->command_buffer);
	free(first);
}

void vkr_trace_editor_destroy(struct vkr_trace_editor *editor)
{
	if (!editor)
		return;
	for (size_t i = 0; i < editor->modules.count; i++) {
		free(editor->modules.items[i].path);
		free(editor->modules.items[i].build_id);
	}
	for (size_t i = 0; i < editor->buffer_names.capacity; i++) {
		if (editor->buffer_names.slots[i].used)
			free((char *)(uintptr_t)editor->buffer_names.slots[i].value);
	}
	for (size_t i = 0; i < editor->watch.firsts.capacity; i++) {
		if (editor->watch.firsts.slots[i].used)
			free_first((void *)(uintptr_t)editor->watch.firsts.slots[i].value);
	}
	vkr_map_finish(&editor->watch.firsts);
	vkr_map_finish(&editor->watch.signaled);
	vkr_map_finish(&editor->buffer_names);
	vkr_pass_edits_finish(&editor->passes);
	vkr_submit_edits_finish(&editor->submits);
	free(editor->shader);
	for (size_t i = 0; i < editor->stacks.count; i++)
		free(editor->stacks.items[i].event);
	free(editor->stacks.items);
	free(editor->modules.items);
	free(editor->out.items);
	free(editor->label_stack.items);
	free(editor->labels.items);
	free(editor->after_pass.items);
	free(editor->made);
	free(editor);
}

uint64_t vkr_trace_editor_made(const struct vkr_trace_editor *editor, size_t index)
{
	return editor->made[index];
}

static enum vkr_result add_module(struct vkr_trace_editor *editor,
				  const struct vkr_trace_module *module, struct vkr_error *error)
{
	const char *texts = (const char *)(module + 1);
	struct editor_module made = {module->first,
				     module->end,
				     module->bias,
				     strndup(texts, module->path_bytes),
				     strndup(texts + module->path_bytes, module->build_id_bytes),
				     NULL};
	if (!made.path || !made.build_id || !VKR_ARRAY_RESERVE(&editor->modules, 1)) {
		free(made.path);
		free(made.build_id);
		return vkr_error_memory(error, "a module");
	}
	const char *slash = strrchr(made.path, '/');
	made.name = slash ? slash + 1 : made.path;
	editor->modules.items[editor->modules.count++] = made;
	return VKR_OK;
}

static enum vkr_result name_buffer(struct vkr_trace_editor *editor, uint32_t id, const char *text,
				   size_t bytes, struct vkr_error *error)
{
	uint64_t earlier = 0;
	char *name = strndup(text, bytes);
	vkr_map_get(&editor->buffer_names, id, &earlier);
	if (!name || !vkr_map_set(&editor->buffer_names, id, (uintptr_t)name)) {
		free(name);
		return vkr_error_memory(error, "names of command buffers");
	}
	free((char *)(uintptr_t)earlier);
	return VKR_OK;
}

// ---- Which command is meant ---------------------------------------------------------------------

static const struct editor_module *find_module(const struct vkr_trace_editor *editor,
					       uint64_t address)
{
	for (size_t at = editor->modules.count; address && at > 0; at--) {
		const struct editor_module *module = &editor->modules.items[at - 1];
		if (address >= module->first && address < module->end)
			return module;
	}
	return NULL;
}

// `call` is the first `length` bytes of a text.
static bool is_call(const struct vkr_trace_editor *editor, uint64_t address, const char *call,
		    size_t length)
{
	const struct editor_module *module = find_module(editor, address);
	const size_t name = module ? strlen(module->name) : 0;
	char offset[32];
	if (!module)
		return false;
	const int digits = snprintf(offset, sizeof offset, "+0x%" PRIx64, address - module->bias);
	return length == name + (size_t)digits && memcmp(call, module->name, name) == 0 &&
	       memcmp(call + name, offset, (size_t)digits) == 0;
}

// A recording's labels are the change's, or in a secondary the last of them: those before are of
// the primary that executes it.
static bool has_labels(const struct vkr_trace_editor *editor, const char *labels)
{
	const char *own = editor->labels.count ? editor->labels.items : "";
	for (;;) {
		if (vkr_change_labels_match(own, editor->labels.count, labels))
			return true;
		const char *inner = strstr(labels, LABELS_BETWEEN);
		if (!inner)
			return editor->labels.count == 0;
		labels = inner + strlen(LABELS_BETWEEN);
	}
}

// The number that a command's event begins with.
static bool command_of(const struct vkr_trace_event *event, uint32_t *command)
{
	const struct vkr_event_layout *layout = vkr_event_layout(event->type);
	if (!layout || !layout->payload.count ||
	    strcmp(layout->payload.fields[0].name, "command") != 0)
		return false;
	memcpy(command, event + 1, sizeof *command);
	return true;
}

// `own` is where an unnamed command buffer's name is put.
static const char *name_of_buffer(const struct vkr_trace_editor *editor, char own[32])
{
	uint64_t name = 0;
	if (vkr_map_get(&editor->buffer_names, editor->command_buffer, &name))
		return (const char *)(uintptr_t)name;
	snprintf(own, 32, "command buffer %" PRIu32, editor->command_buffer);
	return own;
}

static bool is_meant(const struct vkr_trace_editor *editor, const struct vkr_change_place *place,
		     const struct vkr_trace_event *event)
{
	char own[32];
	uint32_t command = 0;
	if (!command_of(event, &command))
		return false;
	if (*place->call)
		return is_call(editor, event->caller, place->call, strlen(place->call)) &&
		       has_labels(editor, place->labels);
	return command + 1 == place->command &&
	       strcmp(name_of_buffer(editor, own), place->command_buffer) == 0;
}

void vkr_trace_editor_watch(struct vkr_trace_editor *editor,
			    void (*see)(void *user, const struct vkr_seen_sync *sync), void *user)
{
	editor->watch.see = see;
	editor->watch.user = user;
}

// ---- What is seen -------------------------------------------------------------------------------

#define CALL_MOST (NAME_MAX + 32)

// "" where the address is in no module that is known.
static void print_call(const struct vkr_trace_editor *editor, uint64_t caller, char call[CALL_MOST])
{
	const struct editor_module *module = find_module(editor, caller);
	*call = 0;
	if (module)
		snprintf(call, CALL_MOST, "%s+0x%" PRIx64, module->name, caller - module->bias);
}

static void trace_editor_show(const struct vkr_trace_editor *editor, struct vkr_seen_sync *seen,
			      uint64_t caller)
{
	const struct editor_module *module = find_module(editor, caller);
	seen->path = module ? module->path : NULL;
	seen->build_id = module ? module->build_id : NULL;
	seen->address = module ? caller - module->bias : 0;
	editor->watch.see(editor->watch.user, seen);
}

static void show_dependencies(const struct vkr_trace_editor *editor,
			      const struct vkr_trace_event *event, struct vkr_seen_sync *seen)
{
	const struct vkr_trace_cmd_begin_render_pass *begin = (const void *)(event + 1);
	const struct vkr_trace_render_pass *pass =
		vkr_pass_edits_find(&editor->passes, begin->render_pass);
	const struct vkr_trace_subpass_dependency *dependencies = (const void *)(pass + 1);
	seen->removal.kind = VKR_CHANGE_REMOVE_DEPENDENCY;
	for (uint32_t i = 0; pass && i < pass->dependency_count; i++) {
		const struct vkr_trace_subpass_dependency *one = &dependencies[i];
		// One of a subpass on itself is what permits barriers in it.
		if (one->source == one->destination)
			continue;
		seen->removal.subpasses =
			(struct vkr_change_subpasses){.source = one->source,
						      .destination = one->destination,
						      .dependency = i + 1};
		seen->removal.masks =
			(struct vkr_change_masks){one->source_stages, one->source_access,
						  one->destination_stages, one->destination_access};
		trace_editor_show(editor, seen, event->caller);
	}
}

static void show_command(const struct vkr_trace_editor *editor, const struct vkr_trace_event *event)
{
	char own[32], call[CALL_MOST];
	uint32_t command = 0;
	if (!editor->watch.see || !command_of(event, &command))
		return;
	print_call(editor, event->caller, call);
	struct vkr_seen_sync seen = {
		.removal = {.kind = VKR_CHANGE_REMOVE,
			    .place = {.call = call,
				      .labels = editor->labels.count ? editor->labels.items : "",
				      .command_buffer = name_of_buffer(editor, own),
				      .command = command + 1,
				      .name = "",
				      .recorded = ""},
			    .from = VKR_CHANGE_NOWHERE}};
	if (event->type == VKR_TRACE_CMD_BARRIER || event->type == VKR_TRACE_CMD_WAIT_EVENTS) {
		seen.event = event;
		trace_editor_show(editor, &seen, event->caller);
	} else if (event->type == VKR_TRACE_CMD_BEGIN_RENDER_PASS) {
		show_dependencies(editor, event, &seen);
	}
}

// Keeps the recording's first command.
static bool keep_first(struct vkr_trace_editor *editor, const struct vkr_trace_event *event)
{
	char own[32], call[CALL_MOST];
	uint64_t known = 0;
	uint32_t command = 0;
	if (!editor->watch.see || !command_of(event, &command) ||
	    vkr_map_get(&editor->watch.firsts, editor->recording, &known))
		return true;
	print_call(editor, event->caller, call);
	struct editor_first *first = calloc(1, sizeof *first);
	if (!first)
		return false;
	*first = (struct editor_first){
		strdup(call), strdup(editor->labels.count ? editor->labels.items : ""),
		strdup(name_of_buffer(editor, own)), command + 1, event->caller};
	if (first->call && first->labels && first->command_buffer &&
	    vkr_map_set(&editor->watch.firsts, editor->recording, (uintptr_t)first))
		return true;
	free_first(first);
	return false;
}

static struct vkr_change_place place_of(const struct editor_first *first)
{
	return (struct vkr_change_place){.call = first->call,
					 .labels = first->labels,
					 .command_buffer = first->command_buffer,
					 .command = first->command,
					 .name = "",
					 .recorded = ""};
}

static const struct editor_first *first_of(const struct vkr_trace_editor *editor,
					   uint64_t recording)
{
	uint64_t first = 0;
	vkr_map_get(&editor->watch.firsts, recording, &first);
	return (const void *)(uintptr_t)first;
}

static void show_wait(const struct vkr_trace_editor *editor, const struct editor_first *at,
		      const struct vkr_trace_semaphore_operation *wait)
{
	uint64_t recording = 0;
	vkr_map_get(&editor->watch.signaled, vkr_submit_signal_key(wait), &recording);
	const struct editor_first *from = recording ? first_of(editor, recording) : NULL;
	if (!at || !from)
		return;
	struct vkr_seen_sync seen = {
		.removal = {.kind = VKR_CHANGE_REMOVE_SEMAPHORE,
			    .place = place_of(at),
			    .from = place_of(from),
			    .masks = {STAGE_ALL_COMMANDS, 0, wait->stages, 0}}};
	trace_editor_show(editor, &seen, at->caller);
}

// The semaphores between batches that execute something.
static bool show_submission(struct vkr_trace_editor *editor, const struct vkr_trace_submit *submit)
{
	const struct vkr_trace_batch *batches = (const void *)(submit + 1);
	const struct vkr_trace_semaphore_operation *waits =
		(const void *)(batches + submit->batch_count);
	const struct vkr_trace_execution *executions = (const void *)(waits + submit->wait_count);
	const struct vkr_trace_semaphore_operation *signals =
		(const void *)(executions + submit->execution_count);
	for (uint32_t at = 0; at < submit->batch_count; at++) {
		const struct vkr_trace_batch *batch = &batches[at];
		const uint32_t recording = batch->execution_count ? executions->recording : 0;
		for (uint32_t i = 0; i < batch->wait_count; i++)
			show_wait(editor, first_of(editor, recording), &waits[i]);
		for (uint32_t i = 0; i < batch->signal_count; i++) {
			if (!vkr_map_set(&editor->watch.signaled,
					 vkr_submit_signal_key(&signals[i]), recording))
				return false;
		}
		waits += batch->wait_count;
		executions += batch->execution_count;
		signals += batch->signal_count;
	}
	return true;
}

// ---- What is written ----------------------------------------------------------------------------

static bool trace_editor_insert(struct vkr_trace_editor *editor, size_t at, const void *event,
				size_t bytes)
{
	const size_t words = bytes / sizeof *editor->out.items;
	if (!VKR_ARRAY_RESERVE(&editor->out, words))
		return false;
	uint64_t *to = editor->out.items + at;
	memmove(to + words, to, (editor->out.count - at) * sizeof *to);
	memcpy(to, event, bytes);
	editor->out.count += words;
	return true;
}

static bool trace_editor_append(struct vkr_trace_editor *editor, const void *event, size_t bytes)
{
	return trace_editor_insert(editor, editor->out.count, event, bytes);
}

static struct vkr_trace_barrier memory_barrier(const struct vkr_change *change)
{
	return (struct vkr_trace_barrier){.kind = VKR_BARRIER_MEMORY,
					  .source_stages = change->masks.source_stages,
					  .source_access = change->masks.source_access,
					  .destination_stages = change->masks.destination_stages,
					  .destination_access = change->masks.destination_access,
					  .source_family = UINT32_MAX,
					  .destination_family = UINT32_MAX};
}

// Numbers of new commands are beyond those of any recording, so that the others keep theirs.
#define FIRST_NEW_COMMAND 0x80000000u

static bool insert_barrier(struct vkr_trace_editor *editor, size_t index, size_t at)
{
	struct {
		struct vkr_trace_event event;
		struct vkr_trace_cmd_barrier command;
		struct vkr_trace_barrier barrier;
	} made = {{.bytes = sizeof made, .type = VKR_TRACE_CMD_BARRIER},
		  {.command = FIRST_NEW_COMMAND + editor->inserted++,
		   .dependency_flags = editor->changes[index]->subpasses.flags,
		   .barrier_count = 1},
		  memory_barrier(editor->changes[index])};
	static_assert(sizeof made % 8 == 0, "events are multiples of 8 bytes");
	editor->made[index]++;
	return trace_editor_insert(editor, at, &made, sizeof made);
}

// The barriers of a command that waits for what came before it; NULL: it has none.
static struct vkr_trace_barrier *find_barriers(struct vkr_trace_event *event, uint32_t **count)
{
	struct vkr_trace_cmd_barrier *command = (void *)(event + 1);
	struct vkr_trace_cmd_wait_events *waits = (void *)(event + 1);
	if (event->type == VKR_TRACE_CMD_BARRIER) {
		*count = &command->barrier_count;
		return (void *)(command + 1);
	}
	if (event->type == VKR_TRACE_CMD_WAIT_EVENTS) {
		*count = &waits->barrier_count;
		return (void *)((struct vkr_trace_event_wait *)(void *)(waits + 1) +
				waits->wait_count);
	}
	return NULL;
}

// What waits for events in the first form names the stages that they were set after.
static void widen_sets(struct vkr_trace_editor *editor, const struct vkr_change *change, size_t at)
{
	const struct vkr_trace_event *event = (const void *)(editor->out.items + at);
	const struct vkr_trace_cmd_wait_events *command = (const void *)(event + 1);
	const struct vkr_trace_event_wait *waits = (const void *)(command + 1);
	const size_t head = sizeof *event + sizeof(struct vkr_trace_recording);
	if (event->type != VKR_TRACE_CMD_WAIT_EVENTS || command->flags & VKR_BARRIER_SYNC2)
		return;
	for (size_t word = head / sizeof *editor->out.items; word < at;) {
		struct vkr_trace_event *set = (void *)(editor->out.items + word);
		struct vkr_trace_cmd_set_event *of = (void *)(set + 1);
		struct vkr_trace_barrier *barriers = (void *)(of + 1);
		word += set->bytes / sizeof *editor->out.items;
		for (uint32_t i = 0; set->type == VKR_TRACE_CMD_SET_EVENT && of->barrier_count &&
				     i < command->wait_count;
		     i++) {
			if (waits[i].event == of->event)
				barriers->source_stages |= change->masks.source_stages;
		}
	}
}

// Adds the change's bits to a barrier command, the last event of `out`.
static bool add_masks(struct vkr_trace_editor *editor, size_t index, size_t at)
{
	const struct vkr_change *change = editor->changes[index];
	struct vkr_trace_event *event = (void *)(editor->out.items + at);
	uint32_t *count = NULL;
	struct vkr_trace_barrier *barriers = find_barriers(event, &count);
	if (!barriers)
		return true;
	widen_sets(editor, change, at);
	bool memory = false;
	editor->made[index]++;
	for (uint32_t i = 0; i < *count; i++) {
		barriers[i].source_stages |= change->masks.source_stages;
		barriers[i].destination_stages |= change->masks.destination_stages;
		if (barriers[i].kind == VKR_BARRIER_EXECUTION)
			continue;
		barriers[i].source_access |= change->masks.source_access;
		barriers[i].destination_access |= change->masks.destination_access;
		memory = true;
	}
	if (memory || !(change->masks.source_access | change->masks.destination_access))
		return true;
	// What was a matter of execution alone becomes one of memory, of the last event where each
	// has its own.
	if (event->type == VKR_TRACE_CMD_WAIT_EVENTS) {
		struct vkr_trace_cmd_wait_events *command = (void *)(event + 1);
		struct vkr_trace_event_wait *waits = (void *)(command + 1);
		if (command->flags & VKR_BARRIER_SYNC2 && command->wait_count)
			waits[command->wait_count - 1].barrier_count++;
	}
	struct vkr_trace_barrier more = memory_barrier(change);
	for (uint32_t i = 0; i < *count; i++) {
		more.source_stages |= barriers[i].source_stages;
		more.destination_stages |= barriers[i].destination_stages;
	}
	++*count;
	event->bytes += (uint32_t)sizeof more;
	return trace_editor_append(editor, &more, sizeof more);
}

static bool does_more(const struct vkr_trace_barrier *barrier)
{
	return (barrier->kind == VKR_BARRIER_IMAGE && barrier->old_layout != barrier->new_layout) ||
	       ((barrier->kind == VKR_BARRIER_IMAGE || barrier->kind == VKR_BARRIER_BUFFER) &&
		barrier->source_family != barrier->destination_family);
}

const struct vkr_trace_barrier *vkr_barriers_of(const struct vkr_trace_event *event,
						uint32_t *count)
{
	const struct vkr_trace_cmd_barrier *command = (const void *)(event + 1);
	const struct vkr_trace_cmd_wait_events *waits = (const void *)(event + 1);
	if (event->type == VKR_TRACE_CMD_BARRIER) {
		*count = command->barrier_count;
		return (const void *)(command + 1);
	}
	if (event->type != VKR_TRACE_CMD_WAIT_EVENTS)
		return NULL;
	*count = waits->barrier_count;
	return (const void *)((const struct vkr_trace_event_wait *)(const void *)(waits + 1) +
			      waits->wait_count);
}

// Whether a command's barriers of execution alone hold the stages of one that does more.
static bool any_does_more(const struct vkr_trace_event *event)
{
	uint32_t count = 0;
	const struct vkr_trace_barrier *barriers = vkr_barriers_of(event, &count);
	for (uint32_t i = 0; barriers && i < count; i++) {
		if (does_more(&barriers[i]))
			return true;
	}
	return false;
}

bool vkr_barrier_stays(const struct vkr_trace_event *event, uint32_t index)
{
	uint32_t count = 0;
	const struct vkr_trace_barrier *barriers = vkr_barriers_of(event, &count);
	if (event->type == VKR_TRACE_CMD_WAIT_EVENTS ||
	    barriers[index].kind == VKR_BARRIER_EXECUTION)
		return any_does_more(event);
	return does_more(&barriers[index]);
}

// Takes away a wait for events, the last event of `out`, unless something of it stays.
static void remove_wait(struct vkr_trace_editor *editor, size_t index, size_t at)
{
	if (any_does_more((const void *)(editor->out.items + at)))
		return;
	editor->made[index]++;
	editor->out.count = at;
}

// Removes a barrier command, the last event of `out`, except for the barriers that stay.
static void remove_barriers(struct vkr_trace_editor *editor, size_t index, size_t at)
{
	struct vkr_trace_event *event = (void *)(editor->out.items + at);
	struct vkr_trace_cmd_barrier *command = (void *)(event + 1);
	struct vkr_trace_barrier *barriers = (void *)(command + 1);
	uint32_t kept = 0;
	if (event->type == VKR_TRACE_CMD_WAIT_EVENTS)
		remove_wait(editor, index, at);
	if (event->type != VKR_TRACE_CMD_BARRIER)
		return;
	const bool any = any_does_more(event);
	for (uint32_t i = 0; i < command->barrier_count; i++) {
		const bool execution = barriers[i].kind == VKR_BARRIER_EXECUTION;
		if (execution ? any : does_more(&barriers[i]))
			barriers[kept++] = barriers[i];
	}
	if (kept < command->barrier_count)
		editor->made[index]++;
	command->barrier_count = kept;
	event->bytes = (uint32_t)(sizeof *event + sizeof *command + kept * sizeof *barriers);
	editor->out.count = at + event->bytes / sizeof *editor->out.items;
}

// Limits the masks of a barrier command, the last event of `out`, but for what a removal leaves.
static void narrow_barriers(struct vkr_trace_editor *editor, size_t index, size_t at)
{
	const struct vkr_change_masks *limit = &editor->changes[index]->masks;
	struct vkr_trace_event *event = (void *)(editor->out.items + at);
	struct vkr_trace_cmd_barrier *command = (void *)(event + 1);
	struct vkr_trace_barrier *barriers = (void *)(command + 1);
	bool made = false;
	for (uint32_t i = 0; event->type == VKR_TRACE_CMD_BARRIER && i < command->barrier_count;
	     i++) {
		struct vkr_trace_barrier *barrier = &barriers[i];
		if (vkr_barrier_stays(event, i))
			continue;
		const struct vkr_change_masks was =
			vkr_change_masks_expand(&(struct vkr_change_masks){
				barrier->source_stages, barrier->source_access,
				barrier->destination_stages, barrier->destination_access});
		barrier->source_stages = was.source_stages & limit->source_stages;
		barrier->source_access = was.source_access & limit->source_access;
		barrier->destination_stages = was.destination_stages & limit->destination_stages;
		barrier->destination_access = was.destination_access & limit->destination_access;
		made = true;
	}
	editor->made[index] += made;
}

// ---- Recordings ---------------------------------------------------------------------------------

static bool begins_pass(uint16_t type)
{
	return type == VKR_TRACE_CMD_BEGIN_RENDER_PASS || type == VKR_TRACE_CMD_BEGIN_RENDERING;
}

static bool ends_pass(uint16_t type)
{
	return type == VKR_TRACE_CMD_END_RENDER_PASS || type == VKR_TRACE_CMD_END_RENDERING;
}

static bool keep_labels(struct vkr_trace_editor *editor, const struct vkr_trace_event *event)
{
	if (event->type == VKR_TRACE_CMD_LABEL_BEGIN) {
		const struct vkr_trace_cmd_label_begin *label = (const void *)(event + 1);
		const size_t before = editor->labels.count;
		const size_t blank = before ? strlen(LABELS_BETWEEN) : 0;
		if (!VKR_ARRAY_RESERVE(&editor->label_stack, 1) ||
		    !VKR_ARRAY_RESERVE(&editor->labels, blank + label->text_bytes + 1))
			return false;
		editor->label_stack.items[editor->label_stack.count++].length = before;
		memcpy(editor->labels.items + before, LABELS_BETWEEN, blank);
		memcpy(editor->labels.items + before + blank, label + 1, label->text_bytes);
		editor->labels.count += blank + label->text_bytes;
		editor->labels.items[editor->labels.count] = 0;
	} else if (event->type == VKR_TRACE_CMD_LABEL_END && editor->label_stack.count) {
		editor->labels.count =
			editor->label_stack.items[--editor->label_stack.count].length;
		editor->labels.items[editor->labels.count] = 0;
	}
	return true;
}

// One command may be several events: a barrier stands before the first of them.
static bool same_command(const struct vkr_trace_event *before, const struct vkr_trace_event *event)
{
	uint32_t first = 0, second = 0;
	return before && before->caller == event->caller && command_of(before, &first) &&
	       command_of(event, &second) && first == second;
}

// Barriers that are due before the event; a recording within a render pass has no place for them.
static bool put_before(struct vkr_trace_editor *editor, const struct vkr_trace_event *event)
{
	for (size_t i = 0; i < editor->count; i++) {
		if (editor->changes[i]->kind != VKR_CHANGE_BARRIER_BEFORE ||
		    editor->continues_pass || !is_meant(editor, &editor->changes[i]->place, event))
			continue;
		const size_t before = editor->out.count;
		const size_t at = editor->in_pass ? editor->pass_at : before;
		if (!insert_barrier(editor, i, at))
			return false;
		if (editor->in_pass)
			editor->pass_at += editor->out.count - before;
	}
	return true;
}

// Lets the render pass of a command that begins one, the last event of `out`, permit what changes
// do in it.
static bool edit_pass(struct vkr_trace_editor *editor, size_t at)
{
	for (size_t i = 0; i < editor->count; i++) {
		const struct vkr_change *change = editor->changes[i];
		struct vkr_trace_event *event = (void *)(editor->out.items + at);
		struct vkr_trace_cmd_begin_render_pass *begin = (void *)(event + 1);
		const bool inside = change->kind == VKR_CHANGE_BARRIER_INSIDE;
		const bool removed = change->kind == VKR_CHANGE_REMOVE_DEPENDENCY;
		if ((!inside && !removed && change->kind != VKR_CHANGE_DEPENDENCY) ||
		    !is_meant(editor, inside ? &change->from : &change->place, event))
			continue;
		const uint32_t was = begin->render_pass;
		if (!(removed ? vkr_pass_edits_remove(&editor->passes, change, &begin->render_pass)
			      : vkr_pass_edits_dependency(&editor->passes, change,
							  &begin->render_pass)))
			return false;
		editor->made[i] += !inside && begin->render_pass != was;
	}
	return true;
}

static bool put_inside(struct vkr_trace_editor *editor, const struct vkr_trace_event *event)
{
	for (size_t i = 0; i < editor->count; i++) {
		if (editor->changes[i]->kind == VKR_CHANGE_BARRIER_INSIDE &&
		    (editor->in_pass || editor->continues_pass) &&
		    is_meant(editor, &editor->changes[i]->place, event) &&
		    !insert_barrier(editor, i, editor->out.count))
			return false;
	}
	return true;
}

// VkRenderingFlags, VkAttachmentLoadOp, VkAttachmentStoreOp.
#define RENDERING_SUSPENDS 0x2u
#define RENDERING_RESUMES  0x4u
#define LOAD_OP_LOAD       0u
#define STORE_OP_STORE     0u

// What begins one half of a render pass that is split.
static bool make_half(struct vkr_trace_editor *editor, struct vkr_trace_event *event, bool second)
{
	if (event->type == VKR_TRACE_CMD_BEGIN_RENDER_PASS) {
		struct vkr_trace_cmd_begin_render_pass *begin = (void *)(event + 1);
		return vkr_pass_edits_half(&editor->passes, second, &begin->render_pass);
	}
	struct vkr_trace_cmd_begin_rendering *begin = (void *)(event + 1);
	struct vkr_trace_rendering_attachment *attachments = (void *)(begin + 1);
	begin->flags &= ~(second ? RENDERING_RESUMES : RENDERING_SUSPENDS);
	for (uint32_t i = 0; i < begin->attachment_count; i++) {
		if (second)
			attachments[i].load = LOAD_OP_LOAD;
		else
			attachments[i].store = STORE_OP_STORE;
	}
	return true;
}

// Ends the render pass that is under way, and begins it again after a barrier. What has several
// subpasses cannot be begun in the middle.
static bool split_pass(struct vkr_trace_editor *editor, size_t index)
{
	struct vkr_trace_event *begin = (void *)(editor->out.items + editor->pass_at);
	const bool rendering = begin->type == VKR_TRACE_CMD_BEGIN_RENDERING;
	const struct vkr_trace_cmd_begin_render_pass *pass = (const void *)(begin + 1);
	struct {
		struct vkr_trace_event event;
		uint32_t command, reserved;
	} end = {{.bytes = sizeof end,
		  .type = rendering ? VKR_TRACE_CMD_END_RENDERING : VKR_TRACE_CMD_END_RENDER_PASS,
		  .caller = begin->caller},
		 FIRST_NEW_COMMAND + editor->inserted++,
		 0};
	if (!rendering && vkr_pass_edits_subpasses(&editor->passes, pass->render_pass) != 1)
		return true;
	struct vkr_trace_event *again = malloc(begin->bytes);
	if (!again)
		return false;
	memcpy(again, begin, begin->bytes);
	const uint32_t number = FIRST_NEW_COMMAND + editor->inserted++;
	memcpy(again + 1, &number, sizeof number);
	bool whole = make_half(editor, begin, false) && make_half(editor, again, true) &&
		     trace_editor_append(editor, &end, sizeof end) &&
		     insert_barrier(editor, index, editor->out.count);
	editor->pass_at = editor->out.count;
	whole = whole && trace_editor_append(editor, again, again->bytes);
	free(again);
	return whole;
}

static bool put_split(struct vkr_trace_editor *editor, const struct vkr_trace_event *event)
{
	for (size_t i = 0; i < editor->count; i++) {
		if (editor->changes[i]->kind == VKR_CHANGE_SPLIT && editor->in_pass &&
		    is_meant(editor, &editor->changes[i]->place, event) && !split_pass(editor, i))
			return false;
	}
	return true;
}

// Notes which submissions changes are about.
static bool note_submission(struct vkr_trace_editor *editor, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_execute *execute = (const void *)(event + 1);
	if (event->type == VKR_TRACE_CMD_EXECUTE &&
	    !vkr_submit_edits_execute(&editor->submits, editor->recording, execute->recording))
		return false;
	for (size_t i = 0; i < editor->count; i++) {
		const struct vkr_change *change = editor->changes[i];
		struct vkr_submit_edit *edit = &editor->submits.edits[i];
		if (!vkr_is_submit_edit(change->kind))
			continue;
		if (is_meant(editor, &change->place, event) &&
		    !vkr_map_set(&edit->places, editor->recording, 1))
			return false;
		if (vkr_change_has_signal(change->kind) && is_meant(editor, &change->from, event) &&
		    !vkr_map_set(&edit->from, editor->recording, 1))
			return false;
	}
	return true;
}

// The place after which a change has a barrier; NULL: it has none.
static const struct vkr_change_place *place_after(const struct vkr_change *change)
{
	if (change->kind == VKR_CHANGE_BARRIER_AFTER)
		return &change->place;
	return change->kind == VKR_CHANGE_HOST_WAIT && change->masks.source_stages ? &change->from
										   : NULL;
}

static bool put_after(struct vkr_trace_editor *editor, const struct vkr_trace_event *event)
{
	for (size_t i = 0; i < editor->count; i++) {
		const struct vkr_change_place *place = place_after(editor->changes[i]);
		if (!place || editor->continues_pass || !is_meant(editor, place, event))
			continue;
		if (!editor->in_pass) {
			if (!insert_barrier(editor, i, editor->out.count))
				return false;
		} else if (!VKR_ARRAY_RESERVE(&editor->after_pass, 1)) {
			return false;
		} else {
			editor->after_pass.items[editor->after_pass.count++] = i;
		}
	}
	return true;
}

static bool put_after_pass(struct vkr_trace_editor *editor)
{
	editor->in_pass = false;
	for (size_t i = 0; i < editor->after_pass.count; i++) {
		if (!insert_barrier(editor, editor->after_pass.items[i], editor->out.count))
			return false;
	}
	editor->after_pass.count = 0;
	return true;
}

static bool put_event(struct vkr_trace_editor *editor, const struct vkr_trace_event *event)
{
	const size_t at = editor->out.count;
	if (!trace_editor_insert(editor, at, event, event->bytes))
		return false;
	show_command(editor, event);
	for (size_t i = 0; i < editor->count && editor->out.count > at; i++) {
		const enum vkr_change_kind kind = editor->changes[i]->kind;
		if ((kind != VKR_CHANGE_MASKS && kind != VKR_CHANGE_REMOVE &&
		     kind != VKR_CHANGE_NARROW) ||
		    !is_meant(editor, &editor->changes[i]->place, event))
			continue;
		if (kind == VKR_CHANGE_REMOVE)
			remove_barriers(editor, i, at);
		else if (kind == VKR_CHANGE_NARROW)
			narrow_barriers(editor, i, at);
		else if (!add_masks(editor, i, at))
			return false;
	}
	return true;
}

static const struct vkr_trace_event *next_event(const struct vkr_trace_event *event)
{
	return (const void *)((const char *)event + event->bytes);
}

static bool edit_commands(struct vkr_trace_editor *editor,
			  const struct vkr_trace_recording *recording)
{
	const struct vkr_trace_event *event = (const void *)(recording + 1), *before = NULL;
	const struct vkr_trace_event *end =
		(const void *)((const char *)event + recording->event_bytes);
	for (; event < end; before = event, event = next_event(event)) {
		const struct vkr_trace_event *next = next_event(event);
		if (!same_command(before, event) &&
		    (!put_before(editor, event) || !put_split(editor, event) ||
		     !put_inside(editor, event)))
			return false;
		const size_t at = editor->out.count;
		if (!keep_first(editor, event) || !put_event(editor, event) ||
		    !keep_labels(editor, event) || !note_submission(editor, event))
			return false;
		if (event->type == VKR_TRACE_CMD_BEGIN_RENDER_PASS && !edit_pass(editor, at))
			return false;
		if (begins_pass(event->type)) {
			editor->in_pass = true;
			editor->pass_at = at;
		}
		if (ends_pass(event->type) && !put_after_pass(editor))
			return false;
		if ((next == end || !same_command(event, next)) && !put_after(editor, event))
			return false;
	}
	return true;
}

// VkCommandBufferUsageFlagBits; this floor has no Vulkan.
#define USAGE_CONTINUES_PASS 0x2u

static enum vkr_result edit_recording(struct vkr_trace_editor *editor,
				      const struct vkr_trace_event *event,
				      struct vkr_edited_events *edited, struct vkr_error *error)
{
	const struct vkr_trace_recording *recording = (const void *)(event + 1);
	editor->out.count = editor->label_stack.count = editor->labels.count = 0;
	editor->after_pass.count = 0;
	editor->inserted = 0;
	editor->in_pass = false;
	editor->passes.events.count = 0;
	editor->command_buffer = recording->command_buffer;
	editor->recording = recording->recording;
	editor->continues_pass = recording->usage & USAGE_CONTINUES_PASS;
	const size_t head = sizeof *event + sizeof *recording;
	if (!trace_editor_insert(editor, 0, event, head) || !edit_commands(editor, recording))
		return vkr_error_memory(error, "an edited recording");
	struct vkr_trace_event *made = (void *)editor->out.items;
	const size_t bytes = editor->out.count * sizeof *editor->out.items;
	if (bytes > UINT32_MAX)
		return vkr_error_set(error, VKR_ERROR_FORMAT,
				     "recording %" PRIu32 " is too large for the changes",
				     recording->recording);
	made->bytes = (uint32_t)bytes;
	((struct vkr_trace_recording *)(made + 1))->event_bytes = (uint32_t)(bytes - head);
	// The render passes that it begins come before it.
	const size_t before = editor->passes.events.count * sizeof *editor->out.items;
	if (before && !trace_editor_insert(editor, 0, editor->passes.events.items, before))
		return vkr_error_memory(error, "edited render passes");
	*edited = (struct vkr_edited_events){(void *)editor->out.items, before + bytes};
	return VKR_OK;
}

static enum vkr_result edit_submission(struct vkr_trace_editor *editor,
				       const struct vkr_trace_event *event,
				       struct vkr_edited_events *edited, struct vkr_error *error)
{
	if ((editor->watch.see && !show_submission(editor, (const void *)(event + 1))) ||
	    !vkr_submit_edits_submit(&editor->submits, event, editor->made))
		return vkr_error_memory(error, "an edited submission");
	*edited = (struct vkr_edited_events){(void *)editor->submits.out.items,
					     editor->submits.out.count *
						     sizeof *editor->submits.out.items};
	return VKR_OK;
}

static bool edit_shader(struct vkr_trace_editor *editor, const struct vkr_trace_event *event,
			struct vkr_edited_events *edited)
{
	struct vkr_trace_event *shader = NULL;
	if (!vkr_shader_edits_make(editor->changes, editor->count, event, editor->made, &shader))
		return false;
	if (shader) {
		free(editor->shader);
		editor->shader = shader;
		*edited = (struct vkr_edited_events){shader, shader->bytes};
	}
	return true;
}

// ---- The host -----------------------------------------------------------------------------------

static struct editor_stack *stack_of(struct vkr_trace_editor *editor, uint32_t thread)
{
	for (size_t i = 0; i < editor->stacks.count; i++) {
		if (editor->stacks.items[i].thread == thread)
			return &editor->stacks.items[i];
	}
	if (!VKR_ARRAY_RESERVE(&editor->stacks, 1))
		return NULL;
	editor->stacks.items[editor->stacks.count] = (struct editor_stack){thread, NULL};
	return &editor->stacks.items[editor->stacks.count++];
}

static bool keep_stack(struct vkr_trace_editor *editor, const struct vkr_trace_event *event)
{
	struct editor_stack *stack = stack_of(editor, event->thread);
	struct vkr_trace_event *kept = stack ? realloc(stack->event, event->bytes) : NULL;
	if (!kept)
		return false;
	memcpy(kept, event, event->bytes);
	stack->event = kept;
	return true;
}

// Whether a call stack begins with the calls, up to those of another instruction.
static bool has_calls(const struct vkr_trace_editor *editor, const uint64_t *frames, uint32_t count,
		      const char *calls)
{
	const char *const end = calls + vkr_change_call_length(calls);
	for (uint32_t at = 0; calls < end; at++) {
		const size_t length = strcspn(calls, ",;");
		if (at == count || !is_call(editor, frames[at], calls, length))
			return false;
		calls += length;
		calls += strspn(calls, ", ");
	}
	return true;
}

static bool is_host_change(enum vkr_change_kind kind)
{
	return kind == VKR_CHANGE_HOST_WAIT || kind == VKR_CHANGE_FLUSH ||
	       kind == VKR_CHANGE_INVALIDATE;
}

// Whether the host does with this call stack what a change is made for.
static bool is_made_at(const struct vkr_trace_editor *editor, const uint64_t *frames,
		       uint32_t count, const struct vkr_change *change)
{
	const char *calls = change->place.call;
	if (!is_host_change(change->kind))
		return false;
	while (*calls) {
		if (has_calls(editor, frames, count, calls))
			return true;
		calls += vkr_change_call_length(calls);
		calls += *calls ? strlen(VKR_CHANGE_OTHER_CALL) : 0;
	}
	return false;
}

static bool put_wait(struct vkr_trace_editor *editor, size_t index, uint32_t thread)
{
	struct {
		struct vkr_trace_event event;
		struct vkr_trace_semaphore_wait wait;
	} made = {{.bytes = sizeof made, .type = VKR_TRACE_SEMAPHORE_WAIT, .thread = thread}, {0}};
	made.wait.semaphore = vkr_submit_edits_signal(&editor->submits, index, &made.wait.value);
	if (!made.wait.semaphore)
		return true; // nothing was submitted yet
	editor->made[index]++;
	return trace_editor_append(editor, &made, sizeof made);
}

// FLUSH and INVALIDATE hold the same.
static bool put_range(struct vkr_trace_editor *editor, size_t index, bool flush,
		      const struct vkr_trace_event *event)
{
	const struct vkr_trace_host_access *access = (const void *)(event + 1);
	const struct {
		struct vkr_trace_event event;
		struct vkr_trace_flush range;
	} made = {{.bytes = sizeof made,
		   .type = flush ? VKR_TRACE_FLUSH : VKR_TRACE_INVALIDATE,
		   .thread = event->thread},
		  {.memory = access->memory, .offset = access->offset, .bytes = access->bytes}};
	if (event->type != VKR_TRACE_HOST_ACCESS)
		return true;
	editor->made[index]++;
	return trace_editor_append(editor, &made, sizeof made);
}

// An action of the host, with what it has to do before and after it.
static bool put_host(struct vkr_trace_editor *editor, const struct vkr_trace_event *event,
		     const struct vkr_trace_event *stack, const uint64_t *frames, uint32_t count)
{
	bool whole = true;
	editor->out.count = 0;
	for (size_t i = 0; i < editor->count && whole; i++) {
		const struct vkr_change *change = editor->changes[i];
		if (!is_made_at(editor, frames, count, change))
			continue;
		if (change->kind == VKR_CHANGE_HOST_WAIT)
			whole = put_wait(editor, i, event->thread);
		else if (change->kind == VKR_CHANGE_INVALIDATE)
			whole = put_range(editor, i, false, event);
	}
	// What stands before it has taken its call stack.
	if (stack && editor->out.count)
		whole = whole && trace_editor_append(editor, stack, stack->bytes);
	whole = whole && trace_editor_append(editor, event, event->bytes);
	for (size_t i = 0; i < editor->count && whole; i++) {
		const struct vkr_change *change = editor->changes[i];
		if (change->kind == VKR_CHANGE_FLUSH && is_made_at(editor, frames, count, change))
			whole = put_range(editor, i, true, event);
	}
	return whole;
}

static bool edit_host(struct vkr_trace_editor *editor, const struct vkr_trace_event *event,
		      struct vkr_edited_events *edited)
{
	const struct vkr_trace_host_access *access = (const void *)(event + 1);
	struct editor_stack *stack = stack_of(editor, event->thread);
	if (!stack)
		return false;
	struct vkr_trace_event *before = stack->event;
	const struct vkr_trace_call_stack *calls = before ? (const void *)(before + 1) : NULL;
	bool whole = true, changed = event->type == VKR_TRACE_HOST_ACCESS || calls;
	stack->event = NULL;
	if (event->type == VKR_TRACE_HOST_ACCESS)
		whole = put_host(editor, event, before, (const void *)(access + 1),
				 access->frame_count);
	else if (calls)
		whole = put_host(editor, event, before, (const void *)(calls + 1),
				 calls->frame_count);
	free(before);
	if (changed)
		*edited = (struct vkr_edited_events){(void *)editor->out.items,
						     editor->out.count * sizeof *editor->out.items};
	return whole;
}

static bool has_host_changes(const struct vkr_trace_editor *editor)
{
	for (size_t i = 0; i < editor->count; i++) {
		if (is_host_change(editor->changes[i]->kind))
			return true;
	}
	return false;
}

enum vkr_result vkr_trace_editor_edit(struct vkr_trace_editor *editor,
				      const struct vkr_trace_event *event,
				      struct vkr_edited_events *edited, struct vkr_error *error)
{
	const void *payload = event + 1;
	*edited = (struct vkr_edited_events){event, event->bytes};
	if (event->type == VKR_TRACE_MODULE)
		return add_module(editor, payload, error);
	if (event->type == VKR_TRACE_RECORDING)
		return edit_recording(editor, event, edited, error);
	if (event->type == VKR_TRACE_SUBMIT)
		return edit_submission(editor, event, edited, error);
	if (event->type == VKR_TRACE_SHADER)
		return edit_shader(editor, event, edited) ? VKR_OK
							  : vkr_error_memory(error, "a shader");
	if (event->type == VKR_TRACE_RENDER_PASS && !vkr_pass_edits_keep(&editor->passes, event))
		return vkr_error_memory(error, "a render pass");
	if (event->type == VKR_TRACE_QUEUE && !vkr_submit_edits_queue(&editor->submits, payload))
		return vkr_error_memory(error, "a queue");
	if (event->type == VKR_TRACE_CALL_STACK && has_host_changes(editor))
		return keep_stack(editor, event) ? VKR_OK : vkr_error_memory(error, "a call stack");
	const struct vkr_trace_name *name = payload;
	if (event->type == VKR_TRACE_NAME && name->kind == VKR_OBJECT_COMMAND_BUFFER)
		return name_buffer(editor, name->object, (const char *)(name + 1), name->text_bytes,
				   error);
	if (has_host_changes(editor) && !edit_host(editor, event, edited))
		return vkr_error_memory(error, "edited accesses of the host");
	return VKR_OK;
}
