// SPDX-License-Identifier: Apache-2.0
// Timelines and tokens as events of a trace, and back. Knows what they are made of; not when they
// are written.
#include "timeline_image.h"

#include "array.h"
#include "error.h"
#include "judge.h"
#include "sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Memory that is gone, in a trace.
#define NO_MEMORY UINT32_MAX

struct vkr_timeline_image {
	uint32_t references, timeline;
	uint64_t position, commands;
	struct vkr_sections sections;
	struct vkr_state *state;
	struct vkr_cut *cuts;
	struct vkr_transitioned *transitions;
	size_t cut_count, transition_count;
};

// ---- Holding ------------------------------------------------------------------------------------

static bool timeline_copy(void **to, const void *items, size_t bytes)
{
	*to = malloc(bytes + 1);
	if (*to && bytes)
		memcpy(*to, items, bytes);
	return *to != NULL;
}

enum vkr_result vkr_timeline_image_take(struct vkr_engine *engine, uint32_t timeline,
					struct vkr_timeline_image **image, struct vkr_error *error)
{
	const struct vkr_timeline *on = vkr_queues_on(&engine->queues, timeline);
	struct vkr_timeline_image *made = calloc(1, sizeof *made);
	if (!made)
		return vkr_error_memory(error, "order between commands");
	*made = (struct vkr_timeline_image){.references = 1,
					    .timeline = timeline,
					    .position = on->position,
					    .commands = engine->queues.made,
					    .sections = on->sections,
					    .state = vkr_state_hold(on->state),
					    .cut_count = on->cuts.count,
					    .transition_count = on->transitions.count};
	if (!timeline_copy((void **)&made->cuts, on->cuts.items,
			   on->cuts.count * sizeof *made->cuts) ||
	    !timeline_copy((void **)&made->transitions, on->transitions.items,
			   on->transitions.count * sizeof *made->transitions)) {
		vkr_timeline_image_drop(made);
		return vkr_error_memory(error, "order between commands");
	}
	*image = made;
	return VKR_OK;
}

struct vkr_timeline_image *vkr_timeline_image_hold(struct vkr_timeline_image *image)
{
	image->references++;
	return image;
}

void vkr_timeline_image_drop(struct vkr_timeline_image *image)
{
	if (!image || --image->references != 0)
		return;
	vkr_state_drop(image->state);
	free(image->cuts);
	free(image->transitions);
	free(image);
}

uint32_t vkr_timeline_image_timeline(const struct vkr_timeline_image *image)
{
	return image->timeline;
}

uint64_t vkr_timeline_image_position(const struct vkr_timeline_image *image)
{
	return image->position;
}

// ---- Writing ------------------------------------------------------------------------------------

void vkr_past_parts_finish(struct vkr_past_parts *parts)
{
	free(parts->groups.items);
	free(parts->sets.items);
	free(parts->spans.items);
	free(parts->cuts.items);
	free(parts->transitions.items);
	vkr_map_finish(&parts->memories);
	*parts = (struct vkr_past_parts){0};
}

enum vkr_result vkr_past_parts_begin(struct vkr_past_parts *parts, const struct vkr_engine *engine,
				     struct vkr_error *error)
{
	vkr_map_finish(&parts->memories);
	vkr_map_init(&parts->memories);
	for (size_t i = 0; i < engine->memories.count; i++)
		if (engine->memories.items[i].live &&
		    !vkr_map_set(&parts->memories, engine->memories.items[i].serial, i + 1))
			return vkr_error_memory(error, "order between commands");
	return VKR_OK;
}

static void empty_parts(struct vkr_past_parts *parts)
{
	parts->groups.count = parts->sets.count = parts->spans.count = 0;
	parts->cuts.count = parts->transitions.count = 0;
}

static uint32_t memory_of(const struct vkr_past_parts *parts, uint32_t serial)
{
	uint64_t memory = 0;
	if (serial == 0)
		return 0;
	return vkr_map_get(&parts->memories, serial, &memory) ? (uint32_t)memory : NO_MEMORY;
}

// Spans of memory that is gone hold no place, and those of timelines that are not written no
// command that anybody remembers: they are passed over. NULL after the last.
static const struct vkr_queue_span *next_written(const struct vkr_queue_clock *clock,
						 struct vkr_span_cursor *cursor,
						 const struct vkr_past_parts *parts)
{
	const struct vkr_queue_span *span;
	while ((span = vkr_queue_clock_next(clock, cursor)) != NULL)
		if (memory_of(parts, span->memory) != NO_MEMORY && parts->lines[span->timeline])
			break;
	return span;
}

static bool write_span(const struct vkr_queue_span *span, struct vkr_past_parts *parts)
{
	if (!VKR_ARRAY_RESERVE(&parts->spans, 1))
		return false;
	parts->spans.items[parts->spans.count++] =
		(struct vkr_trace_past_span){.timeline = span->timeline,
					     .memory = memory_of(parts, span->memory),
					     .behind = span->behind,
					     .position = span->position,
					     .stage_mask = span->stages,
					     .access_mask = span->accesses,
					     .low = span->low,
					     .high = span->high};
	return true;
}

static bool write_clock(const struct vkr_queue_clock *clock, struct vkr_past_parts *parts,
			uint32_t *count)
{
	struct vkr_span_cursor cursor = {0};
	const struct vkr_queue_span *span;
	for (*count = 0; (span = next_written(clock, &cursor, parts)) != NULL; ++*count)
		if (!write_span(span, parts))
			return false;
	return true;
}

// What is visible, in sets of spans of one place for the same accesses.
static bool write_sets(const struct vkr_queue_clock *visible, struct vkr_past_parts *parts,
		       uint32_t *count)
{
	struct vkr_span_cursor cursor = {0};
	const struct vkr_queue_span *span;
	struct vkr_trace_past_set *last = NULL;
	for (*count = 0; (span = next_written(visible, &cursor, parts)) != NULL;) {
		const uint32_t memory = memory_of(parts, span->memory);
		if (!last || last->access_mask != span->readers || last->memory != memory ||
		    last->low != span->low || last->high != span->high) {
			if (!VKR_ARRAY_RESERVE(&parts->sets, 1))
				return false;
			last = &parts->sets.items[parts->sets.count++];
			*last = (struct vkr_trace_past_set){.access_mask = span->readers,
							    .low = span->low,
							    .high = span->high,
							    .memory = memory};
			++*count;
		}
		last->span_count++;
		if (!write_span(span, parts))
			return false;
	}
	return true;
}

static bool write_groups(const struct vkr_state *state, uint32_t of, struct vkr_past_parts *parts)
{
	for (uint32_t i = 0; i < state->group_count; i++) {
		const struct vkr_group *group = &state->groups[i];
		struct vkr_trace_past_group written = {.stage_mask = group->stages, .of = of};
		if (!write_clock(group->before, parts, &written.before_count) ||
		    !write_clock(group->available, parts, &written.available_count) ||
		    !write_clock(group->host, parts, &written.host_count) ||
		    !write_sets(group->visible, parts, &written.set_count) ||
		    !VKR_ARRAY_RESERVE(&parts->groups, 1))
			return false;
		parts->groups.items[parts->groups.count++] = written;
	}
	for (unsigned kind = 0; kind < VKR_ENGINE_LOCALS; kind++)
		if (state->apart[kind] && !write_groups(state->apart[kind], of + 1 + kind, parts))
			return false;
	return !state->chained || write_groups(state->chained, VKR_PAST_CHAINED, parts);
}

static bool write_places(const struct vkr_timeline_image *image, struct vkr_past_parts *parts)
{
	if (!VKR_ARRAY_RESERVE(&parts->cuts, image->cut_count) ||
	    !VKR_ARRAY_RESERVE(&parts->transitions, image->transition_count))
		return false;
	for (size_t i = 0; i < image->cut_count; i++)
		parts->cuts.items[parts->cuts.count++] = (struct vkr_trace_past_cut){
			image->cuts[i].behind, image->cuts[i].position, image->cuts[i].stages};
	for (size_t i = 0; i < image->transition_count; i++) {
		const struct vkr_transitioned *transition = &image->transitions[i];
		const uint32_t memory = memory_of(parts, transition->memory);
		if (memory != NO_MEMORY)
			parts->transitions.items[parts->transitions.count++] =
				(struct vkr_trace_past_transition){.low = transition->low,
								   .high = transition->high,
								   .position = transition->position,
								   .behind = transition->behind,
								   .memory = memory};
	}
	return true;
}

enum vkr_result vkr_timeline_image_write(const struct vkr_timeline_image *image,
					 struct vkr_past_parts *parts,
					 struct vkr_trace_past_state *state,
					 struct vkr_error *error)
{
	empty_parts(parts);
	if (!write_groups(image->state, VKR_PAST_OWN, parts) || !write_places(image, parts))
		return vkr_error_memory(error, "order between commands");
	*state = (struct vkr_trace_past_state){.timeline = image->timeline,
					       .position = image->position,
					       .commands = image->commands,
					       .sections = image->sections.count,
					       .sections_over = image->sections.over,
					       .section_begin = image->sections.begin,
					       .last_section_end = image->sections.last_end,
					       .section_stage_mask = image->sections.stages,
					       .group_count = (uint32_t)parts->groups.count,
					       .set_count = (uint32_t)parts->sets.count,
					       .span_count = (uint32_t)parts->spans.count,
					       .cut_count = (uint32_t)parts->cuts.count,
					       .transition_count =
						       (uint32_t)parts->transitions.count};
	return VKR_OK;
}

enum vkr_result vkr_token_write(const struct vkr_engine *engine, uint32_t token,
				struct vkr_past_parts *parts, struct vkr_trace_past_token *event,
				struct vkr_error *error)
{
	const struct vkr_token *from = &engine->queues.tokens.items[token - 1];
	empty_parts(parts);
	return write_clock(from->before, parts, &event->before_count) &&
			       write_clock(from->available, parts, &event->available_count) &&
			       write_clock(from->host, parts, &event->host_count) &&
			       write_clock(from->seen, parts, &event->seen_count)
		       ? VKR_OK
		       : vkr_error_memory(error, "order between commands");
}

enum vkr_result vkr_mark_write(const struct vkr_engine_mark *mark, struct vkr_past_parts *parts,
			       struct vkr_trace_past_event *event, struct vkr_error *error)
{
	empty_parts(parts);
	if (!write_groups(mark->state, VKR_PAST_OWN, parts))
		return vkr_error_memory(error, "order between commands");
	event->timeline = mark->timeline;
	event->position = mark->position;
	event->flags |= mark->within.limited ? VKR_PAST_EVENT_LIMITED : 0;
	event->behind = mark->within.behind;
	event->section_stage_mask = mark->within.stages;
	event->section_behind = mark->within.stages_behind;
	event->group_count = (uint32_t)parts->groups.count;
	event->set_count = (uint32_t)parts->sets.count;
	event->span_count = (uint32_t)parts->spans.count;
	return VKR_OK;
}

// ---- Reading ------------------------------------------------------------------------------------

// An event's tail, as far as it has been read.
struct past_reader {
	struct vkr_engine *engine;
	const uint32_t *lines;
	size_t line_count;
	const struct vkr_trace_past_span *spans, *span_end;
	const struct vkr_trace_past_set *sets, *set_end;
	struct vkr_error *error;
};

static enum vkr_result timeline_image_damaged(struct vkr_error *error, const char *what)
{
	return vkr_error_set(error, VKR_ERROR_FORMAT, "PAST_STATE, PAST_TOKEN or PAST_EVENT: %s",
			     what);
}

static uint32_t serial_of(const struct past_reader *reader, uint32_t memory)
{
	const struct vkr_engine *engine = reader->engine;
	if (memory == 0)
		return 0;
	return memory <= engine->memories.count && engine->memories.items[memory - 1].live
		       ? engine->memories.items[memory - 1].serial
		       : VKR_NO_SERIAL;
}

static enum vkr_result read_clock(struct past_reader *reader, uint32_t count,
				  struct vkr_queue_clock **clock)
{
	*clock = NULL;
	if (count > (size_t)(reader->span_end - reader->spans))
		return timeline_image_damaged(reader->error, "its spans do not add up");
	if (count == 0)
		return VKR_OK;
	struct vkr_queue_span *spans = calloc(count, sizeof *spans);
	if (!spans)
		return vkr_error_memory(reader->error, "order between commands");
	for (uint32_t i = 0; i < count; i++, reader->spans++) {
		const struct vkr_trace_past_span *from = reader->spans;
		spans[i] =
			(struct vkr_queue_span){.timeline = from->timeline < reader->line_count
								    ? reader->lines[from->timeline]
								    : 0,
						.memory = serial_of(reader, from->memory),
						.behind = from->behind,
						.position = from->position,
						.stages = from->stage_mask,
						.accesses = from->access_mask,
						.readers = VKR_EVERY_BIT,
						.low = from->low,
						.high = from->high};
		if (spans[i].timeline == 0) {
			free(spans);
			return timeline_image_damaged(reader->error, "there is no such timeline");
		}
	}
	const enum vkr_result result =
		vkr_queue_clock_extend(NULL, spans, count, clock, reader->error);
	free(spans);
	return result;
}

static enum vkr_result read_sets(struct past_reader *reader, uint32_t count,
				 struct vkr_group *group)
{
	enum vkr_result result = VKR_OK;
	if (count > (size_t)(reader->set_end - reader->sets))
		return timeline_image_damaged(reader->error, "its sets do not add up");
	for (uint32_t i = 0; i < count && result == VKR_OK; i++, reader->sets++) {
		const struct vkr_clock_part part = {serial_of(reader, reader->sets->memory),
						    reader->sets->low, reader->sets->high,
						    reader->sets->access_mask};
		struct vkr_queue_clock *writes = NULL;
		result = read_clock(reader, reader->sets->span_count, &writes);
		if (result == VKR_OK)
			result = vkr_queue_clock_merge_part(&group->visible, writes, &part,
							    reader->error);
		vkr_queue_clock_drop(writes);
	}
	return result;
}

static enum vkr_result read_group(struct past_reader *reader,
				  const struct vkr_trace_past_group *from, struct vkr_group *group)
{
	enum vkr_result result = read_clock(reader, from->before_count, &group->before);
	if (result == VKR_OK)
		result = read_clock(reader, from->available_count, &group->available);
	if (result == VKR_OK)
		result = read_clock(reader, from->host_count, &group->host);
	return result == VKR_OK ? read_sets(reader, from->set_count, group) : result;
}

// The state that the groups of one kind make, in front of others; NULL where there are none.
static enum vkr_result read_state(struct past_reader *reader, uint32_t of,
				  const struct vkr_trace_past_group **groups,
				  const struct vkr_trace_past_group *end, struct vkr_state **state)
{
	uint64_t stages = 0;
	enum vkr_result result = VKR_OK;
	*state = NULL;
	if (*groups == end || (*groups)->of != of)
		return VKR_OK;
	struct vkr_state *made = vkr_state_create();
	if (!made)
		return vkr_error_memory(reader->error, "order between commands");
	for (; *groups < end && (*groups)->of == of && result == VKR_OK; ++*groups) {
		const uint64_t mask = (*groups)->stage_mask;
		if (mask == 0 || mask & stages) {
			result = timeline_image_damaged(reader->error, "two groups share stages");
			break;
		}
		stages |= mask;
		result = vkr_state_split(made, mask, reader->error);
		for (uint32_t i = 0; i < made->group_count && result == VKR_OK; i++)
			if (made->groups[i].stages == mask) {
				result = read_group(reader, *groups, &made->groups[i]);
				break;
			}
	}
	if (result == VKR_OK && stages != VKR_EVERY_BIT)
		result = timeline_image_damaged(reader->error, "its groups leave stages out");
	if (result != VKR_OK)
		vkr_state_drop(made);
	else
		*state = made;
	return result;
}

static enum vkr_result read_states(struct past_reader *reader,
				   const struct vkr_trace_past_group *groups, uint32_t count,
				   struct vkr_state **state)
{
	const struct vkr_trace_past_group *end = groups + count;
	struct vkr_state *made = NULL, *of = NULL;
	enum vkr_result result = read_state(reader, VKR_PAST_OWN, &groups, end, &made);
	if (result == VKR_OK && !made)
		return timeline_image_damaged(reader->error, "it has no groups");
	of = made;
	for (uint32_t kind = VKR_PAST_OTHER_REGION; kind < VKR_PAST_OF_KINDS && result == VKR_OK;
	     kind++) {
		struct vkr_state *more = NULL;
		result = read_state(reader, kind, &groups, end, &more);
		if (!more)
			continue;
		if (kind == VKR_PAST_CHAINED)
			of = made->chained = more;
		else if (kind > VKR_PAST_CHAINED && of == made)
			vkr_state_drop(more);
		else
			of->apart[(kind - 1) % VKR_PAST_CHAINED] = more;
	}
	if (result == VKR_OK && groups != end)
		result = timeline_image_damaged(reader->error, "its groups are out of order");
	if (result != VKR_OK)
		vkr_state_drop(made);
	else
		*state = made;
	return result;
}

// The groups, sets and spans that follow an event's payload, as a state; *end: what is behind them.
static enum vkr_result read_tail(struct past_reader *reader, const void *tail, uint32_t group_count,
				 uint32_t set_count, uint32_t span_count, struct vkr_state **state,
				 const void **end)
{
	const struct vkr_trace_past_group *groups = tail;
	reader->sets = (const void *)(groups + group_count);
	reader->set_end = reader->sets + set_count;
	reader->spans = (const void *)reader->set_end;
	reader->span_end = reader->spans + span_count;
	*end = reader->span_end;
	const enum vkr_result result = read_states(reader, groups, group_count, state);
	for (unsigned kind = 0; result == VKR_OK && kind < VKR_ENGINE_LOCALS; kind++)
		if ((*state)->apart[kind] != NULL)
			vkr_engine_note_local(reader->engine);
	return result;
}

static bool read_places(struct vkr_timeline *on, const struct past_reader *reader,
			const struct vkr_trace_past_state *from,
			const struct vkr_trace_past_cut *cuts,
			const struct vkr_trace_past_transition *transitions)
{
	on->cuts.count = on->transitions.count = 0;
	if (!VKR_ARRAY_RESERVE(&on->cuts, from->cut_count) ||
	    !VKR_ARRAY_RESERVE(&on->transitions, from->transition_count))
		return false;
	for (uint32_t i = 0; i < from->cut_count; i++)
		on->cuts.items[on->cuts.count++] =
			(struct vkr_cut){cuts[i].behind, cuts[i].position, cuts[i].stage_mask};
	for (uint32_t i = 0; i < from->transition_count; i++)
		on->transitions.items[on->transitions.count++] = (struct vkr_transitioned){
			serial_of(reader, transitions[i].memory), transitions[i].low,
			transitions[i].high, transitions[i].position, transitions[i].behind};
	return true;
}

static int compare_transitions(const void *a, const void *b)
{
	const struct vkr_transitioned *x = a, *y = b;
	if (x->memory != y->memory)
		return x->memory < y->memory ? -1 : 1;
	return x->low < y->low ? -1 : x->low > y->low;
}

enum vkr_result vkr_timeline_image_read(struct vkr_engine *engine, uint32_t timeline,
					const struct vkr_trace_past_state *from,
					const uint32_t *lines, size_t line_count,
					struct vkr_error *error)
{
	struct vkr_timeline *on = vkr_queues_on(&engine->queues, timeline);
	struct past_reader reader = {
		.engine = engine, .lines = lines, .line_count = line_count, .error = error};
	struct vkr_state *state = NULL;
	const void *behind = NULL;
	const enum vkr_result result =
		read_tail(&reader, from + 1, from->group_count, from->set_count, from->span_count,
			  &state, &behind);
	if (result != VKR_OK)
		return result;
	const struct vkr_trace_past_cut *cuts = behind;
	vkr_state_drop(on->sections.base); // of a section that was never ended
	vkr_timeline_commit(on, state);
	on->position = from->position;
	on->sections = (struct vkr_sections){.count = from->sections,
					     .over = from->sections_over,
					     .begin = from->section_begin,
					     .last_end = from->last_section_end,
					     .stages = from->section_stage_mask};
	engine->queues.made = from->commands;
	if (!read_places(on, &reader, from, cuts, (const void *)(cuts + from->cut_count)))
		return vkr_error_memory(error, "order between commands");
	vkr_sort(on->transitions.items, on->transitions.count, sizeof *on->transitions.items,
		 compare_transitions);
	return VKR_OK;
}

enum vkr_result vkr_mark_read(struct vkr_engine *engine, const struct vkr_trace_past_event *event,
			      const uint32_t *lines, size_t line_count,
			      struct vkr_engine_mark **mark, struct vkr_error *error)
{
	struct past_reader reader = {
		.engine = engine, .lines = lines, .line_count = line_count, .error = error};
	struct vkr_engine_mark made = {
		.timeline = event->timeline < line_count ? lines[event->timeline] : 0,
		.position = event->position,
		.within = {.limited = event->flags & VKR_PAST_EVENT_LIMITED,
			   .behind = event->behind,
			   .stages = event->section_stage_mask,
			   .stages_behind = event->section_behind}};
	const void *behind = NULL;
	if (made.timeline == 0)
		return timeline_image_damaged(error, "there is no such timeline");
	const enum vkr_result result =
		read_tail(&reader, event + 1, event->group_count, event->set_count,
			  event->span_count, &made.state, &behind);
	if (result != VKR_OK)
		return result;
	*mark = malloc(sizeof **mark);
	if (!*mark) {
		vkr_state_drop(made.state);
		return vkr_error_memory(error, "order between commands");
	}
	**mark = made;
	return VKR_OK;
}

enum vkr_result vkr_token_read(struct vkr_engine *engine, const struct vkr_trace_past_token *event,
			       const uint32_t *lines, size_t line_count, uint32_t *token,
			       struct vkr_error *error)
{
	struct past_reader reader = {.engine = engine,
				     .lines = lines,
				     .line_count = line_count,
				     .spans = (const void *)(event + 1),
				     .error = error};
	struct vkr_token made = {.live = true};
	reader.span_end = reader.spans + event->before_count;
	enum vkr_result result = read_clock(&reader, event->before_count, &made.before);
	reader.span_end += event->available_count;
	if (result == VKR_OK)
		result = read_clock(&reader, event->available_count, &made.available);
	reader.span_end += event->host_count;
	if (result == VKR_OK)
		result = read_clock(&reader, event->host_count, &made.host);
	reader.span_end += event->seen_count;
	if (result == VKR_OK)
		result = read_clock(&reader, event->seen_count, &made.seen);
	if (result == VKR_OK)
		result = vkr_queues_token_place(&engine->queues, token, error);
	if (result != VKR_OK) {
		vkr_token_empty(&made);
		return result;
	}
	engine->queues.tokens.items[*token - 1] = made;
	return VKR_OK;
}

// ---- What is remembered -------------------------------------------------------------------------

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

void vkr_engine_remembered_finish(struct vkr_engine_remembered *remembered)
{
	free(remembered->commands);
	free(remembered->halves);
	free(remembered->dependencies);
	*remembered = (struct vkr_engine_remembered){0};
}

static int compare_places(const void *a, const void *b)
{
	const struct vkr_remembered_place *x = a, *y = b;
	if (x->timeline != y->timeline)
		return x->timeline < y->timeline ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

static bool gather_dependencies(const struct vkr_queues *queues,
				struct vkr_engine_remembered *remembered)
{
	size_t count = 0;
	for (size_t i = 0; i < queues->timelines.count; i++)
		count += queues->timelines.items[i].past.count;
	remembered->dependencies = calloc(count + 1, sizeof *remembered->dependencies);
	if (!remembered->dependencies)
		return false;
	for (size_t i = 0; i < queues->timelines.count; i++)
		for (size_t j = 0; j < queues->timelines.items[i].past.count; j++)
			remembered->dependencies[remembered->dependency_count++] =
				(struct vkr_remembered_place){
					(uint32_t)i + 1,
					queues->timelines.items[i].past.items[j].position};
	vkr_sort(remembered->dependencies, remembered->dependency_count,
		 sizeof *remembered->dependencies, compare_places);
	return true;
}

static bool gather_halves(const struct vkr_engine *engine, struct vkr_engine_remembered *remembered)
{
	size_t count = 0;
	for (size_t i = 0; i < engine->memories.count; i++)
		count += 4 * engine->memories.items[i].ownership.transfers.count;
	remembered->halves = calloc(count + 1, sizeof *remembered->halves);
	if (!remembered->halves)
		return false;
	for (size_t i = 0; i < engine->memories.count; i++) {
		const struct vkr_ownership *ownership = &engine->memories.items[i].ownership;
		for (size_t j = 0; j < ownership->transfers.count; j++) {
			const struct vkr_transfer *transfer = &ownership->transfers.items[j];
			const struct vkr_transfer_half *halves[] = {
				&transfer->released, &transfer->transferred_from,
				&transfer->transferred_to, &transfer->unmatched};
			for (size_t k = 0; k < sizeof halves / sizeof halves[0]; k++)
				if (halves[k]->order != 0)
					remembered->halves[remembered->half_count++] =
						halves[k]->commands;
		}
	}
	return true;
}

enum vkr_result vkr_engine_remembered(struct vkr_engine *engine,
				      struct vkr_engine_remembered *remembered,
				      struct vkr_error *error)
{
	const struct vkr_queues *queues = &engine->queues;
	*remembered = (struct vkr_engine_remembered){0};
	enum vkr_result result = vkr_engine_forget_commands(engine, error);
	if (result != VKR_OK)
		return result;
	remembered->commands = calloc(queues->commands.count + 1, sizeof *remembered->commands);
	if (!remembered->commands || !gather_dependencies(queues, remembered) ||
	    !gather_halves(engine, remembered)) {
		vkr_engine_remembered_finish(remembered);
		return vkr_error_memory(error, "what is remembered");
	}
	for (size_t i = 0; i < queues->commands.count; i++)
		if (queues->commands.items[i].timeline != 0)
			remembered->commands[remembered->command_count++] =
				queues->commands.items[i].number;
	vkr_sort(remembered->commands, remembered->command_count, sizeof *remembered->commands,
		 compare_numbers);
	vkr_sort(remembered->halves, remembered->half_count, sizeof *remembered->halves,
		 compare_numbers);
	return VKR_OK;
}

uint64_t vkr_engine_commands(const struct vkr_engine *engine)
{
	return engine->queues.made;
}

uint64_t vkr_engine_command_position(const struct vkr_engine *engine, uint32_t command)
{
	return engine->queues.commands.items[command - 1].position;
}

uint32_t vkr_engine_command_timeline(const struct vkr_engine *engine, uint32_t command)
{
	return engine->queues.commands.items[command - 1].timeline;
}

uint64_t vkr_engine_timeline_position(const struct vkr_engine *engine, uint32_t timeline)
{
	return engine->queues.timelines.items[timeline - 1].position;
}

void vkr_engine_note_local(struct vkr_engine *engine)
{
	engine->queues.local_stages = UINT64_MAX;
}

bool vkr_engine_in_section(const struct vkr_engine *engine)
{
	for (size_t i = 0; i < engine->queues.timelines.count; i++)
		if (engine->queues.timelines.items[i].sections.base)
			return true;
	return false;
}

uint32_t vkr_engine_timelines(const struct vkr_engine *engine)
{
	return (uint32_t)engine->queues.timelines.count;
}

void vkr_engine_begin_count(struct vkr_engine *engine)
{
	for (size_t at = 0; at < engine->pairs.count; at++)
		vkr_byte_ranges_finish(&engine->pairs.items[at].extent);
	engine->pairs.count = 0;
	vkr_map_finish(&engine->pair_of);
	vkr_map_init(&engine->pair_of);
	engine->accesses = engine->races = engine->conflicts = 0;
}
