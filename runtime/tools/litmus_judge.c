// SPDX-License-Identifier: Apache-2.0
#include "litmus_judge.h"

#include "array.h"
#include "error.h"
#include "litmus_candidate.h"
#include "litmus_sort.h"
#include "order.h"

#include <stdlib.h>

struct judge {
	const struct vkr_litmus *execution;
	const struct vkr_memory_rules *rules;
	struct vkr_order *order;
	struct vkr_error *error;
	struct vkr_litmus_sort sort;
	uint64_t *agents;                  // the engine's
	uint64_t *fed;                     // the engine's event of each event, or 0
	struct vkr_order_access *accesses; // of each event that is one
	uint32_t *group_sizes;
	// The engine's events of one group, and the arrays that they borrow.
	struct vkr_order_event *batch;
	struct vkr_order_range *ranges;
	uint64_t *system;
	size_t range_capacity, system_capacity;
	struct vkr_litmus_race *races;
	size_t race_count, race_capacity;
	uint32_t first, second; // the pair at hand
};

static enum vkr_order_scope scope_of(enum vkr_litmus_scope scope)
{
	switch (scope) {
	case VKR_LITMUS_SCOPE_NONE:
	case VKR_LITMUS_INVOCATION:
		break;
	case VKR_LITMUS_SUBGROUP:
		return VKR_ORDER_SUBGROUP;
	case VKR_LITMUS_WORKGROUP_SCOPE:
		return VKR_ORDER_WORKGROUP;
	case VKR_LITMUS_QUEUE_FAMILY:
		return VKR_ORDER_QUEUE_FAMILY;
	case VKR_LITMUS_DEVICE:
		return VKR_ORDER_DEVICE;
	case VKR_LITMUS_CROSS_DEVICE:
		return VKR_ORDER_CROSS_DEVICE;
	}
	return VKR_ORDER_INVOCATION;
}

// The memory scope. For the HRF models the default is the device, and of a barrier its execution
// scope.
static enum vkr_order_scope memory_scope(const struct judge *judge,
					 const struct vkr_litmus_event *event)
{
	if (!vkr_memory_is_hrf(judge->rules) || event->scope != VKR_LITMUS_SCOPE_NONE)
		return scope_of(event->scope);
	return event->operation == VKR_LITMUS_BARRIER ? scope_of(event->execution)
						      : VKR_ORDER_DEVICE;
}

static enum vkr_order_kind kind_of(const struct vkr_litmus_event *event)
{
	switch (event->operation) {
	case VKR_LITMUS_LOAD:
	case VKR_LITMUS_STORE:
	case VKR_LITMUS_RMW:
		break;
	case VKR_LITMUS_FENCE:
		return VKR_ORDER_FENCE;
	case VKR_LITMUS_BARRIER:
		return VKR_ORDER_BARRIER;
	case VKR_LITMUS_AVAILABLE:
	case VKR_LITMUS_FLUSH:
		return VKR_ORDER_AVAILABLE;
	case VKR_LITMUS_VISIBLE:
	case VKR_LITMUS_INVALIDATE:
		return VKR_ORDER_VISIBLE;
	case VKR_LITMUS_DOMAIN_HOST_DEVICE:
		return VKR_ORDER_HOST_DEVICE;
	case VKR_LITMUS_DOMAIN_DEVICE_HOST:
		return VKR_ORDER_DEVICE_HOST;
	}
	return event->atomic ? VKR_ORDER_ATOMIC : VKR_ORDER_ACCESS;
}

static bool is_access(const struct vkr_litmus_event *event)
{
	return event->reference != VKR_LITMUS_NONE;
}

static const struct vkr_litmus_location *location_of(const struct judge *judge,
						     const struct vkr_litmus_event *event)
{
	const struct vkr_litmus *execution = judge->execution;
	return &execution->locations[execution->references[event->reference].location];
}

static void describe_access(struct judge *judge, uint32_t index)
{
	const struct vkr_litmus_event *event = &judge->execution->events[index];
	struct vkr_order_access *access = &judge->accesses[index];
	access->agent = judge->agents[event->agent];
	access->step = (uint64_t)index + 1;
	if (!is_access(event))
		return;
	access->reference = (uint64_t)event->reference + 1;
	access->memory = (uint64_t)judge->execution->references[event->reference].location + 1;
	access->offset = event->offset;
	access->size = event->size;
	access->storage_class = event->storage_class;
	access->read = event->operation != VKR_LITMUS_STORE;
	access->write = event->operation != VKR_LITMUS_LOAD;
	access->atomic = event->atomic;
	access->nonprivate = event->nonprivate;
	access->scope = memory_scope(judge, event);
	access->local = location_of(judge, event)->local;
	access->coarse = location_of(judge, event)->alloc != VKR_LITMUS_ALLOC_ATOMIC;
	access->available = scope_of(event->available);
	access->visible = scope_of(event->visible);
}

static enum vkr_result add_agents(struct judge *judge)
{
	for (size_t i = 0; i < judge->execution->agent_count; i++) {
		const struct vkr_litmus_agent *agent = &judge->execution->agents[i];
		struct vkr_order_group group = {
			.count = 1,
			.host = agent->host,
			.device = agent->device,
			.queue_family = agent->queue_family,
			.workgroup = agent->workgroup,
			.workgroup_size = 1,
			.subgroup = agent->subgroup,
			.subgroup_size = 1,
		};
		enum vkr_result result =
			vkr_order_add_group(judge->order, &group, &judge->agents[i], judge->error);
		if (result != VKR_OK)
			return result;
	}
	return VKR_OK;
}

// Whether the agent edge is one between lives that do not overlap in the sorted order.
static bool litmus_judge_clean(const struct judge *judge, const struct vkr_litmus_edge *edge)
{
	uint32_t last = judge->sort.last_events[edge->first];
	uint32_t first = judge->sort.first_events[edge->second];
	return judge->sort.groups[last] < judge->sort.groups[first];
}

static bool litmus_judge_lives(const struct judge *judge, const struct vkr_litmus_edge *edge)
{
	return judge->sort.last_events[edge->first] != VKR_LITMUS_NONE &&
	       judge->sort.first_events[edge->second] != VKR_LITMUS_NONE;
}

// Only what synchronizes, or is synchronized one by one, is an event to the engine.
static bool must_feed(const struct judge *judge, uint32_t index)
{
	const struct vkr_litmus *execution = judge->execution;
	const struct vkr_litmus_event *event = &execution->events[index];
	if (kind_of(event) != VKR_ORDER_ACCESS || judge->group_sizes[judge->sort.groups[index]] > 1)
		return true;
	for (size_t i = 0; i < execution->event_edge_count; i++) {
		if (execution->event_edges[i].first == index ||
		    execution->event_edges[i].second == index)
			return true;
	}
	for (size_t i = 0; i < execution->agent_edge_count; i++) {
		const struct vkr_litmus_edge *edge = &execution->agent_edges[i];
		if ((edge->first == event->agent || edge->second == event->agent) &&
		    litmus_judge_lives(judge, edge) && !litmus_judge_clean(judge, edge))
			return true;
	}
	return false;
}

static bool add_system(struct judge *judge, size_t *count, uint32_t from)
{
	if (!vkr_array_reserve((void **)&judge->system, &judge->system_capacity, *count + 1,
			       sizeof *judge->system))
		return false;
	judge->system[(*count)++] = judge->fed[from];
	return true;
}

// The events that system-synchronize-with this one, after those already gathered.
static bool gather_system(struct judge *judge, uint32_t index, size_t *count)
{
	const struct vkr_litmus *execution = judge->execution;
	for (size_t i = 0; i < execution->event_edge_count; i++) {
		const struct vkr_litmus_edge *edge = &execution->event_edges[i];
		if (edge->second == index && !add_system(judge, count, edge->first))
			return false;
	}
	for (size_t i = 0; i < execution->agent_edge_count; i++) {
		const struct vkr_litmus_edge *edge = &execution->agent_edges[i];
		if (edge->second != execution->events[index].agent ||
		    !litmus_judge_lives(judge, edge) || litmus_judge_clean(judge, edge))
			continue;
		for (uint32_t from = 0; from < execution->event_count; from++) {
			if (execution->events[from].agent == edge->first &&
			    !add_system(judge, count, from))
				return false;
		}
	}
	return true;
}

static bool gather_ranges(struct judge *judge, const struct vkr_litmus_event *event, size_t *count)
{
	if (!vkr_array_reserve((void **)&judge->ranges, &judge->range_capacity,
			       *count + event->reference_count, sizeof *judge->ranges))
		return false;
	for (size_t i = 0; i < event->reference_count; i++) {
		const struct vkr_litmus_reference *reference =
			&judge->execution->references[event->references[i]];
		judge->ranges[(*count)++] = (struct vkr_order_range){
			.reference = (uint64_t)event->references[i] + 1,
			.memory = (uint64_t)reference->location + 1,
			.offset = reference->offset,
			.size = reference->size,
		};
	}
	return true;
}

static struct vkr_order_event describe_event(const struct judge *judge, uint32_t index)
{
	const struct vkr_litmus_event *event = &judge->execution->events[index];
	// For the HRF models a barrier is a release by all its members followed by an acquire.
	const bool both = vkr_memory_is_hrf(judge->rules) && event->operation == VKR_LITMUS_BARRIER;
	struct vkr_order_event described = {
		.kind = kind_of(event),
		.agent = judge->agents[event->agent],
		.step = (uint64_t)index + 1,
		.access = judge->accesses[index],
		.acquire = both || (event->order & VKR_LITMUS_ACQUIRE),
		.release = both || (event->order & VKR_LITMUS_RELEASE),
		.make_available = event->make_available,
		.make_visible = event->make_visible,
		.scope = memory_scope(judge, event),
		.semantics = event->semantics,
		.spaces = event->spaces,
		.seen = judge->sort.seen[index],
		.modification = judge->sort.turns[index],
		.execution = scope_of(event->execution),
		.host_domain = event->operation == VKR_LITMUS_FLUSH ||
			       event->operation == VKR_LITMUS_INVALIDATE,
		.all_memory = event->operation == VKR_LITMUS_AVAILABLE ||
			      event->operation == VKR_LITMUS_VISIBLE,
	};
	if (event->from != VKR_LITMUS_NONE && judge->execution->events[event->from].atomic)
		described.from = judge->fed[event->from];
	if (event->operation == VKR_LITMUS_BARRIER && event->instance != VKR_LITMUS_NONE)
		described.instance = (uint64_t)event->instance + 1;
	return described;
}

// Feeds the events [begin, end) of the sorted order, which bind one another.
static enum vkr_result feed_group(struct judge *judge, const uint32_t *events, size_t count)
{
	size_t system_count = 0, range_count = 0;
	for (size_t i = 0; i < count; i++)
		judge->fed[events[i]] = vkr_order_next_event(judge->order) + i;
	for (size_t i = 0; i < count; i++) {
		struct vkr_order_event *event = &judge->batch[i];
		size_t system = system_count, range = range_count;
		*event = describe_event(judge, events[i]);
		if (!gather_system(judge, events[i], &system_count) ||
		    !gather_ranges(judge, &judge->execution->events[events[i]], &range_count))
			return vkr_error_memory(judge->error, "litmus events");
		event->system_count = system_count - system;
		event->range_count = range_count - range;
	}
	// The arrays no longer move.
	size_t system = 0, range = 0;
	for (size_t i = 0; i < count; i++) {
		struct vkr_order_event *event = &judge->batch[i];
		const uint64_t agent = event->agent;
		event->system = event->system_count ? &judge->system[system] : NULL;
		event->ranges = event->range_count ? &judge->ranges[range] : NULL;
		system += event->system_count;
		range += event->range_count;
		judge->accesses[events[i]].event = judge->fed[events[i]];
		judge->accesses[events[i]].position = vkr_order_position(judge->order, agent) + 1;
		for (size_t k = 0; k < i; k++)
			judge->accesses[events[i]].position +=
				judge->batch[k].agent == agent ? 2 : 0;
	}
	return vkr_order_feed(judge->order, judge->batch, count, judge->error);
}

static enum vkr_result feed_agent_edges(struct judge *judge, uint32_t index)
{
	const struct vkr_litmus *execution = judge->execution;
	uint32_t agent = execution->events[index].agent;
	for (size_t i = 0; i < execution->agent_edge_count; i++) {
		const struct vkr_litmus_edge *edge = &execution->agent_edges[i];
		if (edge->second != agent || judge->sort.first_events[agent] != index ||
		    !litmus_judge_lives(judge, edge) || !litmus_judge_clean(judge, edge))
			continue;
		enum vkr_result result = vkr_order_system(judge->order, judge->agents[edge->first],
							  judge->agents[agent], judge->error);
		if (result != VKR_OK)
			return result;
	}
	return VKR_OK;
}

static enum vkr_result feed_all(struct judge *judge)
{
	const uint32_t *events = judge->sort.events;
	size_t count = judge->execution->event_count;
	for (size_t begin = 0, end; begin < count; begin = end) {
		enum vkr_result result = VKR_OK;
		end = begin + judge->group_sizes[judge->sort.groups[events[begin]]];
		for (size_t i = begin; result == VKR_OK && i < end; i++)
			result = feed_agent_edges(judge, events[i]);
		if (result != VKR_OK)
			return result;
		if (must_feed(judge, events[begin])) {
			result = feed_group(judge, &events[begin], end - begin);
		} else {
			struct vkr_order_access *access = &judge->accesses[events[begin]];
			access->position = vkr_order_position(judge->order, access->agent);
			if (access->available || access->visible)
				result = vkr_order_operate(judge->order, access, judge->error);
		}
		if (result != VKR_OK)
			return result;
	}
	return VKR_OK;
}

static const char *class_name(enum vkr_race_class race_class)
{
	switch (race_class) {
	case VKR_RACE_NONE:
		break;
#define VKR_RACE_CLASS(name, text, meaning)                                                        \
	case VKR_RACE_##name:                                                                      \
		return text;
		VKR_RACE_CLASSES(VKR_RACE_CLASS)
#undef VKR_RACE_CLASS
	}
	return "none";
}

static bool add_race(void *context, const struct vkr_order_run *run)
{
	struct judge *judge = context;
	if (run->relation != VKR_ORDER_NEITHER)
		return true;
	// Bytes that race in a row are one entry, though what is missing may differ among them.
	struct vkr_litmus_race *last =
		judge->race_count ? &judge->races[judge->race_count - 1] : NULL;
	if (last && last->first == judge->first && last->second == judge->second &&
	    last->offset + last->size == run->offset) {
		last->size += (uint32_t)run->size;
		return true;
	}
	if (!vkr_array_reserve((void **)&judge->races, &judge->race_capacity, judge->race_count + 1,
			       sizeof *judge->races))
		return false;
	uint32_t reference = judge->execution->events[judge->first].reference;
	judge->races[judge->race_count++] = (struct vkr_litmus_race){
		.first = judge->first,
		.second = judge->second,
		.location = judge->execution->references[reference].location,
		.offset = (uint32_t)run->offset,
		.size = (uint32_t)run->size,
		.reason = class_name(run->separation.race_class),
	};
	return true;
}

static enum vkr_result compare_all(struct judge *judge)
{
	const struct vkr_litmus *execution = judge->execution;
	for (uint32_t i = 0; i < execution->event_count; i++) {
		for (uint32_t k = i + 1;
		     k < execution->event_count && is_access(&execution->events[i]); k++) {
			if (!is_access(&execution->events[k]))
				continue;
			judge->first = i;
			judge->second = k;
			enum vkr_result result = vkr_order_compare(
				judge->order, &judge->accesses[i], &judge->accesses[k], add_race,
				judge, judge->error);
			if (result != VKR_OK)
				return result;
		}
	}
	return VKR_OK;
}

static enum vkr_result prepare_execution(struct judge *judge)
{
	// Whether an implementation supports concurrent host and device atomics the format does not
	// say; what an execution shows is taken to be supported.
	const struct vkr_order_options options = {
		.chains = judge->execution->chains,
		.concurrent_host_atomics = true,
		.rules = *judge->rules,
	};
	size_t events = judge->execution->event_count;
	judge->order = vkr_order_create(&options);
	judge->agents = calloc(judge->execution->agent_count + 1, sizeof *judge->agents);
	judge->fed = calloc(events + 1, sizeof *judge->fed);
	judge->accesses = calloc(events + 1, sizeof *judge->accesses);
	judge->group_sizes = calloc(events + 1, sizeof *judge->group_sizes);
	judge->batch = calloc(events + 1, sizeof *judge->batch);
	if (!judge->order || !judge->agents || !judge->fed || !judge->accesses ||
	    !judge->group_sizes || !judge->batch)
		return vkr_error_memory(judge->error, "litmus judge");
	enum vkr_result result = vkr_litmus_sort(judge->execution, vkr_memory_is_hrf(judge->rules),
						 &judge->sort, judge->error);
	if (result == VKR_OK)
		result = add_agents(judge);
	for (uint32_t i = 0; result == VKR_OK && i < events; i++) {
		describe_access(judge, i);
		judge->group_sizes[judge->sort.groups[i]]++;
	}
	return result;
}

enum vkr_result vkr_litmus_judge(const struct vkr_litmus *execution,
				 const struct vkr_memory_rules *rules,
				 struct vkr_litmus_verdict *verdict, struct vkr_error *error)
{
	struct judge judge = {.execution = execution, .rules = rules, .error = error};
	*verdict = (struct vkr_litmus_verdict){0};
	enum vkr_result result = prepare_execution(&judge);
	if (result == VKR_OK)
		result = feed_all(&judge);
	if (result == VKR_OK)
		result = compare_all(&judge);
	const char *broken = NULL;
	if (result == VKR_OK)
		result = vkr_litmus_find_broken(
			&(struct vkr_litmus_orders){execution, rules, judge.order, judge.accesses,
						    &judge.sort},
			&broken, error);
	vkr_order_destroy(judge.order);
	vkr_litmus_sort_finish(&judge.sort);
	free(judge.agents);
	free(judge.fed);
	free(judge.accesses);
	free(judge.group_sizes);
	free(judge.batch);
	free(judge.ranges);
	free(judge.system);
	if (result == VKR_OK) {
		*verdict = (struct vkr_litmus_verdict){judge.races, judge.race_count, broken};
	} else {
		free(judge.races);
	}
	return result;
}
