// SPDX-License-Identifier: Apache-2.0
// Building and changing a small execution in place. Knows the litmus format's rules of what an
// event may say, and no rule of the memory model.
#include "sample.h"

#include <assert.h>
#include <string.h>

static char agent_names[VKR_SAMPLE_AGENTS][4] = {"A", "B", "C", "D", "E", "F"};
static char location_names[VKR_SAMPLE_LOCATIONS][4] = {"x", "y", "z"};
static char reference_names[VKR_SAMPLE_REFERENCES][4] = {"", "r1", "r2", "r3", "r4", "r5"};
static char labels[VKR_SAMPLE_EVENTS][4] = {
	"e0",  "e1",  "e2",  "e3",  "e4",  "e5",  "e6",  "e7",  "e8",  "e9",  "e10", "e11",
	"e12", "e13", "e14", "e15", "e16", "e17", "e18", "e19", "e20", "e21", "e22", "e23",
	"e24", "e25", "e26", "e27", "e28", "e29", "e30", "e31", "e32", "e33", "e34", "e35",
	"e36", "e37", "e38", "e39", "e40", "e41", "e42", "e43", "e44", "e45", "e46", "e47",
};
static char sample_name[] = "random execution";

static void anchor(struct vkr_oracle_sample *sample)
{
	sample->execution.agents = sample->agents;
	sample->execution.locations = sample->locations;
	sample->execution.references = sample->references;
	sample->execution.events = sample->events;
	sample->execution.event_edges = sample->event_edges;
	sample->execution.agent_edges = sample->agent_edges;
	for (size_t i = 0; i < sample->execution.event_count; i++)
		sample->events[i].references = sample->ranges[i];
}

void vkr_sample_init(struct vkr_oracle_sample *sample)
{
	sample->execution = (struct vkr_litmus){.name = sample_name, .chains = true};
	anchor(sample);
}

void vkr_sample_copy(struct vkr_oracle_sample *sample, const struct vkr_oracle_sample *other)
{
	const struct vkr_litmus *execution = &other->execution;
	sample->execution = *execution;
	memcpy(sample->agents, other->agents, sizeof sample->agents);
	memcpy(sample->locations, other->locations, sizeof sample->locations);
	memcpy(sample->references, other->references, sizeof sample->references);
	memcpy(sample->events, other->events, execution->event_count * sizeof *sample->events);
	memcpy(sample->ranges, other->ranges, execution->event_count * sizeof *sample->ranges);
	memcpy(sample->event_edges, other->event_edges,
	       execution->event_edge_count * sizeof *sample->event_edges);
	memcpy(sample->agent_edges, other->agent_edges, sizeof sample->agent_edges);
	anchor(sample);
}

struct vkr_litmus_agent *vkr_sample_add_agent(struct vkr_oracle_sample *sample)
{
	size_t index = sample->execution.agent_count;
	if (index == VKR_SAMPLE_AGENTS)
		return NULL;
	sample->execution.agent_count++;
	sample->agents[index] = (struct vkr_litmus_agent){.name = agent_names[index]};
	return &sample->agents[index];
}

struct vkr_litmus_reference *vkr_sample_add_reference(struct vkr_oracle_sample *sample,
						      uint32_t location, uint32_t offset,
						      uint32_t size)
{
	size_t index = sample->execution.reference_count;
	if (index == VKR_SAMPLE_REFERENCES)
		return NULL;
	sample->execution.reference_count++;
	sample->references[index] = (struct vkr_litmus_reference){
		.name = reference_names[index],
		.location = location,
		.offset = offset,
		.size = size,
	};
	return &sample->references[index];
}

struct vkr_litmus_location *vkr_sample_add_location(struct vkr_oracle_sample *sample, uint32_t size)
{
	size_t index = sample->execution.location_count;
	if (index == VKR_SAMPLE_LOCATIONS || sample->execution.reference_count != index)
		return NULL;
	sample->execution.location_count++;
	sample->locations[index] =
		(struct vkr_litmus_location){.name = location_names[index], .size = size};
	vkr_sample_add_reference(sample, (uint32_t)index, 0, size)->name = location_names[index];
	return &sample->locations[index];
}

struct vkr_litmus_event *vkr_sample_add_event(struct vkr_oracle_sample *sample, uint32_t agent,
					      enum vkr_litmus_operation operation)
{
	size_t index = sample->execution.event_count;
	if (index == VKR_SAMPLE_EVENTS)
		return NULL;
	// Where events have been removed the next label may be in use.
	size_t label = index;
	for (size_t i = 0; i < index; i++) {
		if (strcmp(sample->events[i].label, labels[label]) == 0) {
			label = (label + 1) % VKR_SAMPLE_EVENTS;
			i = SIZE_MAX;
		}
	}
	sample->execution.event_count++;
	sample->events[index] = (struct vkr_litmus_event){
		.label = labels[label],
		.agent = agent,
		.operation = operation,
		.reference = VKR_LITMUS_NONE,
		.from = VKR_LITMUS_NONE,
		.after = VKR_LITMUS_NONE,
		.references = sample->ranges[index],
	};
	return &sample->events[index];
}

bool vkr_sample_add_edge(struct vkr_oracle_sample *sample, uint32_t first, uint32_t second)
{
	size_t count = sample->execution.event_edge_count;
	for (size_t i = 0; i < count; i++) {
		if (sample->event_edges[i].first == first &&
		    sample->event_edges[i].second == second)
			return false;
	}
	if (count == VKR_SAMPLE_EVENT_EDGES)
		return false;
	sample->execution.event_edge_count++;
	sample->event_edges[count] = (struct vkr_litmus_edge){first, second};
	return true;
}

bool vkr_sample_reads(const struct vkr_litmus_event *event)
{
	return event->operation == VKR_LITMUS_LOAD || event->operation == VKR_LITMUS_RMW;
}

bool vkr_sample_writes(const struct vkr_litmus_event *event)
{
	return event->operation == VKR_LITMUS_STORE || event->operation == VKR_LITMUS_RMW;
}

// What only some operations say.
static void restrict_to_operation(struct vkr_litmus_event *event)
{
	bool access = vkr_sample_reads(event) || vkr_sample_writes(event);
	bool barrier = event->operation == VKR_LITMUS_BARRIER;
	event->atomic = access && (event->atomic || event->operation == VKR_LITMUS_RMW);
	event->fence = event->operation == VKR_LITMUS_FENCE || (barrier && event->fence);
	if (event->operation != VKR_LITMUS_FENCE && !barrier)
		event->spaces = 0;
	else if (event->spaces == 0)
		event->spaces = VKR_LITMUS_GLOBAL | VKR_LITMUS_LOCAL;
	if (!event->atomic && !event->fence) {
		event->scope = VKR_LITMUS_SCOPE_NONE;
		event->order = VKR_LITMUS_RELAXED;
		event->semantics = 0;
	}
	if (event->operation == VKR_LITMUS_LOAD && event->order != VKR_LITMUS_SEQ_CST)
		event->order &= VKR_LITMUS_ACQUIRE;
	if (event->operation == VKR_LITMUS_STORE && event->order != VKR_LITMUS_SEQ_CST)
		event->order &= VKR_LITMUS_RELEASE;
	if (!barrier)
		event->execution = VKR_LITMUS_SCOPE_NONE;
	if (!vkr_sample_writes(event)) {
		event->available = VKR_LITMUS_SCOPE_NONE;
		event->after = VKR_LITMUS_NONE;
	}
	if (!vkr_sample_reads(event)) {
		event->visible = VKR_LITMUS_SCOPE_NONE;
		event->from = VKR_LITMUS_NONE;
	}
	if (!event->atomic)
		event->after = VKR_LITMUS_NONE;
	if (!access) {
		event->storage_class = 0;
		event->nonprivate = false;
		event->reference = VKR_LITMUS_NONE;
		event->offset = event->size = 0;
	}
}

void vkr_sample_normalize(const struct vkr_oracle_sample *sample, struct vkr_litmus_event *event)
{
	restrict_to_operation(event);
	if (sample->agents[event->agent].host) {
		event->storage_class = 0;
		event->semantics = 0;
		event->make_available = event->make_visible = false;
		event->scope = event->atomic || event->fence ? VKR_LITMUS_CROSS_DEVICE
							     : VKR_LITMUS_SCOPE_NONE;
		event->available = event->visible = VKR_LITMUS_SCOPE_NONE;
	}
	event->make_available = event->make_available && (event->order & VKR_LITMUS_RELEASE);
	event->make_visible = event->make_visible && (event->order & VKR_LITMUS_ACQUIRE);
	if (event->atomic && vkr_sample_writes(event) && event->available < event->scope)
		event->available = event->scope;
	if (event->atomic && vkr_sample_reads(event) && event->visible < event->scope)
		event->visible = event->scope;
	if (event->atomic || event->available || event->visible)
		event->nonprivate = true;
}

// Event indices above the removed one move down by one.
static void shift(uint32_t *index, uint32_t removed)
{
	if (*index != VKR_LITMUS_NONE && *index > removed)
		(*index)--;
}

void vkr_sample_remove_edge(struct vkr_oracle_sample *sample, size_t edge)
{
	sample->event_edges[edge] = sample->event_edges[--sample->execution.event_edge_count];
}

void vkr_sample_remove_agent_edge(struct vkr_oracle_sample *sample, size_t edge)
{
	sample->agent_edges[edge] = sample->agent_edges[--sample->execution.agent_edge_count];
}

void vkr_sample_remove_event(struct vkr_oracle_sample *sample, uint32_t event)
{
	uint32_t from = sample->events[event].from, after = sample->events[event].after;
	for (size_t i = sample->execution.event_edge_count; i-- > 0;) {
		struct vkr_litmus_edge *edge = &sample->event_edges[i];
		if (edge->first == event || edge->second == event)
			vkr_sample_remove_edge(sample, i);
	}
	for (size_t i = 0; i < sample->execution.event_edge_count; i++) {
		shift(&sample->event_edges[i].first, event);
		shift(&sample->event_edges[i].second, event);
	}
	sample->execution.event_count--;
	for (uint32_t i = event; i < sample->execution.event_count; i++) {
		sample->events[i] = sample->events[i + 1];
		memcpy(sample->ranges[i], sample->ranges[i + 1], sizeof *sample->ranges);
	}
	for (uint32_t i = 0; i < sample->execution.event_count; i++) {
		struct vkr_litmus_event *other = &sample->events[i];
		if (other->from == event)
			other->from = from;
		if (other->after == event)
			other->after = after;
		shift(&other->from, event);
		shift(&other->after, event);
	}
	anchor(sample);
}

void vkr_sample_remove_agent(struct vkr_oracle_sample *sample, uint32_t agent)
{
	for (size_t i = sample->execution.agent_edge_count; i-- > 0;) {
		struct vkr_litmus_edge *edge = &sample->agent_edges[i];
		if (edge->first == agent || edge->second == agent)
			vkr_sample_remove_agent_edge(sample, i);
	}
	for (size_t i = 0; i < sample->execution.agent_edge_count; i++) {
		shift(&sample->agent_edges[i].first, agent);
		shift(&sample->agent_edges[i].second, agent);
	}
	sample->execution.agent_count--;
	for (size_t i = agent; i < sample->execution.agent_count; i++)
		sample->agents[i] = sample->agents[i + 1];
	for (size_t i = 0; i < sample->execution.event_count; i++)
		shift(&sample->events[i].agent, agent);
}

void vkr_sample_remove_reference(struct vkr_oracle_sample *sample, uint32_t reference)
{
	assert(reference >= sample->execution.location_count);
	sample->execution.reference_count--;
	for (size_t i = reference; i < sample->execution.reference_count; i++)
		sample->references[i] = sample->references[i + 1];
	for (size_t i = 0; i < sample->execution.event_count; i++) {
		struct vkr_litmus_event *event = &sample->events[i];
		shift(&event->reference, reference);
		size_t kept = 0;
		for (size_t j = 0; j < event->reference_count; j++) {
			uint32_t listed = event->references[j];
			if (listed == reference)
				continue;
			shift(&listed, reference);
			event->references[kept++] = listed;
		}
		event->reference_count = kept;
	}
}

void vkr_sample_permute(struct vkr_oracle_sample *sample, const uint32_t *order)
{
	struct vkr_litmus_event events[VKR_SAMPLE_EVENTS];
	uint32_t ranges[VKR_SAMPLE_EVENTS][VKR_SAMPLE_REFERENCES];
	uint32_t place[VKR_SAMPLE_EVENTS];
	size_t count = sample->execution.event_count;
	memcpy(events, sample->events, count * sizeof *events);
	memcpy(ranges, sample->ranges, count * sizeof *ranges);
	for (uint32_t i = 0; i < count; i++)
		place[order[i]] = i;
	for (uint32_t i = 0; i < count; i++) {
		struct vkr_litmus_event *event = &sample->events[i];
		*event = events[order[i]];
		memcpy(sample->ranges[i], ranges[order[i]], sizeof *ranges);
		if (event->from != VKR_LITMUS_NONE)
			event->from = place[event->from];
		if (event->after != VKR_LITMUS_NONE)
			event->after = place[event->after];
	}
	for (size_t i = 0; i < sample->execution.event_edge_count; i++) {
		struct vkr_litmus_edge *edge = &sample->event_edges[i];
		*edge = (struct vkr_litmus_edge){place[edge->first], place[edge->second]};
	}
	anchor(sample);
}
