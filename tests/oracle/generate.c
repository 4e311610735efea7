// SPDX-License-Identifier: Apache-2.0
// Makes executions link by link: an access, a hand-over to the next agent by atomics, fences,
// control barriers or the API, the next agent's access, and so on; then breaks things. Knows which
// synchronization usually works, and leaves every verdict to others.
#include "generate.h"

#include "generate_agents.h"
#include "generate_break.h"
#include "random.h"

enum {
	LINKS_MAX = 4,
	SOUP_MAX = 8,
	LONG_SOUP_MAX = 40,
};

// What one execution tends to; percentages.
struct style {
	uint32_t noise;       // an attribute is random instead of useful
	uint32_t alias;       // an access goes through another reference
	uint32_t api;         // a hand-over goes through the API
	uint32_t instruction; // an access has its own availability or visibility operation
	uint32_t flags;       // an atomic or barrier has MakeAvailable, MakeVisible
	uint32_t part;        // an access is to part of its reference
	uint32_t doubled;     // an agent accesses the data twice
	uint32_t sequence;    // another atomic write comes between release and acquire
	bool relay;           // along several agents, each making available or visible for the next
	uint32_t edge;        // an ssw edge that a hand-over through the API needs is there
	uint32_t data_location;
	unsigned data_class, flag_class;
};

// An ssw edge from `first` to the events of `agent` yet to come.
struct pending {
	uint32_t first, agent;
};

struct maker {
	struct vkr_oracle_sample *sample;
	struct vkr_random random;
	struct style style;
	struct pending pending[VKR_SAMPLE_EVENTS];
	uint32_t pending_count;
	uint32_t instances; // of control barriers so far
};

static uint32_t below(struct maker *maker, uint32_t count)
{
	return vkr_random_below(&maker->random, count);
}

static bool percent(struct maker *maker, uint32_t chance)
{
	return vkr_random_percent(&maker->random, chance);
}

static bool noise(struct maker *maker)
{
	return percent(maker, maker->style.noise);
}

static uint32_t last_index(const struct maker *maker)
{
	return (uint32_t)maker->sample->execution.event_count - 1;
}

static unsigned random_class(struct maker *maker)
{
	return 1u << below(maker, 4);
}

// Mostly the narrowest scope that holds both agents, or a wider one.
static enum vkr_litmus_scope pick_scope(struct maker *maker, uint32_t a, uint32_t b)
{
	if (noise(maker))
		return (enum vkr_litmus_scope)below(maker, VKR_LITMUS_CROSS_DEVICE + 1);
	enum vkr_litmus_scope scope =
		vkr_generate_common_scope(&maker->sample->agents[a], &maker->sample->agents[b]);
	while (scope < VKR_LITMUS_DEVICE && percent(maker, 25))
		scope++;
	return scope;
}

static unsigned pick_semantics(struct maker *maker)
{
	unsigned useful = maker->style.data_class | maker->style.flag_class;
	return noise(maker) ? below(maker, 16) : useful;
}

static struct vkr_litmus_event *add_event(struct maker *maker, uint32_t agent,
					  enum vkr_litmus_operation operation)
{
	struct vkr_litmus_event *event = vkr_sample_add_event(maker->sample, agent, operation);
	if (!event)
		return NULL;
	uint32_t index = last_index(maker);
	for (uint32_t i = 0; i < maker->pending_count; i++) {
		if (maker->pending[i].agent == agent && percent(maker, maker->style.edge))
			(void)vkr_sample_add_edge(maker->sample, maker->pending[i].first, index);
	}
	return event;
}

static void pend(struct maker *maker, uint32_t first, uint32_t agent)
{
	if (maker->pending_count < VKR_SAMPLE_EVENTS)
		maker->pending[maker->pending_count++] = (struct pending){first, agent};
}

// The location's own reference, or another one to it.
static uint32_t pick_reference(struct maker *maker, uint32_t location)
{
	const struct vkr_litmus *execution = &maker->sample->execution;
	uint32_t extra = (uint32_t)(execution->reference_count - execution->location_count);
	if (extra == 0 || !percent(maker, maker->style.alias))
		return location;
	uint32_t picked = (uint32_t)execution->location_count + below(maker, extra);
	return execution->references[picked].location == location ? picked : location;
}

// The write that a read takes its value from: mostly the last to overlap it, now and then an older
// one or the initial value.
static void take_value(struct maker *maker, struct vkr_litmus_event *read, uint32_t old)
{
	const struct vkr_oracle_sample *sample = maker->sample;
	uint32_t location = sample->references[read->reference].location;
	read->from = VKR_LITMUS_NONE;
	for (uint32_t i = last_index(maker); i-- > 0;) {
		const struct vkr_litmus_event *write = &sample->events[i];
		if (!vkr_sample_writes(write) ||
		    sample->references[write->reference].location != location ||
		    write->offset >= read->offset + read->size ||
		    read->offset >= write->offset + write->size)
			continue;
		read->from = i;
		if (!percent(maker, old))
			return;
		read->from = VKR_LITMUS_NONE;
	}
}

static struct vkr_litmus_event *add_access(struct maker *maker, uint32_t agent, uint32_t location,
					   enum vkr_litmus_operation operation)
{
	struct vkr_litmus_event *event = add_event(maker, agent, operation);
	if (!event)
		return NULL;
	const struct vkr_litmus_reference *reference =
		&maker->sample->references[pick_reference(maker, location)];
	event->reference = (uint32_t)(reference - maker->sample->references);
	event->offset = reference->offset;
	event->size = reference->size;
	return event;
}

// An access to the data, which the execution is about; `peer` is who it should be ordered with.
static void add_data_access(struct maker *maker, uint32_t agent, uint32_t peer, bool write)
{
	struct style *style = &maker->style;
	enum vkr_litmus_operation operation = write ? VKR_LITMUS_STORE : VKR_LITMUS_LOAD;
	bool atomic = percent(maker, 4) || noise(maker);
	if (atomic && percent(maker, 40))
		operation = VKR_LITMUS_RMW;
	struct vkr_litmus_event *event = add_access(maker, agent, style->data_location, operation);
	if (!event)
		return;
	if (percent(maker, style->part)) {
		uint32_t skip = below(maker, event->size);
		event->offset += skip;
		event->size = 1 + below(maker, event->size - skip);
	}
	event->storage_class = percent(maker, 4) ? random_class(maker) : style->data_class;
	event->nonprivate = !noise(maker) && percent(maker, 95);
	event->atomic = atomic;
	enum vkr_litmus_scope scope = pick_scope(maker, agent, peer);
	if (atomic)
		event->scope = scope;
	if (event->nonprivate && percent(maker, style->instruction)) {
		event->available = write ? scope : VKR_LITMUS_SCOPE_NONE;
		event->visible = write ? VKR_LITMUS_SCOPE_NONE : scope;
	}
	if (atomic && percent(maker, 30)) {
		event->order = write ? VKR_LITMUS_RELEASE : VKR_LITMUS_ACQUIRE;
		event->semantics = pick_semantics(maker);
	}
	if (vkr_sample_reads(event))
		take_value(maker, event, 5);
}

// Memory semantics of one side of a hand-over.
static void add_semantics(struct maker *maker, struct vkr_litmus_event *event,
			  enum vkr_litmus_order order)
{
	event->order = noise(maker) ? (enum vkr_litmus_order)below(maker, 4) : order;
	if (order != VKR_LITMUS_RELAXED && percent(maker, 10))
		event->order = VKR_LITMUS_ACQ_REL;
	event->semantics = pick_semantics(maker);
	event->make_available = percent(maker, maker->style.flags);
	event->make_visible = percent(maker, maker->style.flags);
}

static void add_fence(struct maker *maker, uint32_t agent, uint32_t peer,
		      enum vkr_litmus_order order)
{
	struct vkr_litmus_event *event = add_event(maker, agent, VKR_LITMUS_FENCE);
	if (!event)
		return;
	event->fence = true;
	event->scope = pick_scope(maker, agent, peer);
	add_semantics(maker, event, order);
}

static void add_flag_access(struct maker *maker, uint32_t agent, uint32_t peer, uint32_t flag,
			    enum vkr_litmus_operation operation, enum vkr_litmus_order order)
{
	struct vkr_litmus_event *event = add_access(maker, agent, flag, operation);
	if (!event)
		return;
	event->atomic = true;
	event->storage_class = percent(maker, 4) ? random_class(maker) : maker->style.flag_class;
	event->scope = pick_scope(maker, agent, peer);
	if (order != VKR_LITMUS_RELAXED)
		add_semantics(maker, event, order);
	if (!vkr_sample_reads(event))
		return;
	take_value(maker, event, 10);
	// A read-modify-write comes immediately after the write it reads from.
	if (operation == VKR_LITMUS_RMW && event->from != VKR_LITMUS_NONE &&
	    maker->sample->events[event->from].atomic)
		event->after = event->from;
}

static uint32_t pick_flag(struct maker *maker)
{
	return below(maker, (uint32_t)maker->sample->execution.location_count);
}

// Atomics, each with its own semantics or relaxed with a fence beside it.
static void hand_over_by_atomics(struct maker *maker, uint32_t a, uint32_t b)
{
	uint32_t flag = noise(maker) ? 0 : pick_flag(maker);
	bool fence = percent(maker, 40);
	if (fence)
		add_fence(maker, a, b, VKR_LITMUS_RELEASE);
	if (noise(maker))
		add_data_access(maker, a, b, percent(maker, 50));
	add_flag_access(maker, a, b, flag, percent(maker, 15) ? VKR_LITMUS_RMW : VKR_LITMUS_STORE,
			fence ? VKR_LITMUS_RELAXED : VKR_LITMUS_RELEASE);
	while (percent(maker, maker->style.sequence)) {
		uint32_t other = below(maker, (uint32_t)maker->sample->execution.agent_count);
		add_flag_access(maker, other, b, flag,
				percent(maker, 75) ? VKR_LITMUS_RMW : VKR_LITMUS_STORE,
				percent(maker, 70) ? VKR_LITMUS_RELAXED : VKR_LITMUS_ACQ_REL);
	}
	fence = percent(maker, 40);
	add_flag_access(maker, b, a, flag, percent(maker, 15) ? VKR_LITMUS_RMW : VKR_LITMUS_LOAD,
			fence ? VKR_LITMUS_RELAXED : VKR_LITMUS_ACQUIRE);
	if (noise(maker))
		add_data_access(maker, b, a, percent(maker, 50));
	if (fence)
		add_fence(maker, b, a, VKR_LITMUS_ACQUIRE);
}

// One instance of a control barrier, a fence as well or between fences. Who arrives need not be in
// its execution scope.
static void hand_over_by_barrier(struct maker *maker, uint32_t a, uint32_t b)
{
	struct vkr_litmus_event event = {.execution = pick_scope(maker, a, b)};
	if (event.execution == VKR_LITMUS_SCOPE_NONE)
		event.execution = VKR_LITMUS_SUBGROUP;
	uint32_t fences = below(maker, 100); // where the release and acquire stand
	uint32_t instance = ++maker->instances;
	event.scope = pick_scope(maker, a, b);
	event.fence = fences < 70;
	if (fences >= 50)
		add_fence(maker, a, b, VKR_LITMUS_RELEASE);
	if (event.fence)
		add_semantics(maker, &event, VKR_LITMUS_ACQ_REL);
	for (uint32_t agent = 0; agent < maker->sample->execution.agent_count; agent++) {
		bool partner = agent == a || agent == b;
		if (maker->sample->agents[agent].host || (!partner && percent(maker, 50)))
			continue;
		struct vkr_litmus_event *arrival = add_event(maker, agent, VKR_LITMUS_BARRIER);
		if (!arrival)
			continue;
		arrival->execution = event.execution;
		arrival->instance = noise(maker) ? ++maker->instances : instance;
		arrival->fence = event.fence;
		arrival->scope = event.scope;
		arrival->order = event.order;
		arrival->semantics = event.semantics;
		arrival->make_available = event.make_available;
		arrival->make_visible = event.make_visible;
		if (noise(maker)) {
			arrival->scope = pick_scope(maker, a, b);
			if (event.fence)
				add_semantics(maker, arrival, VKR_LITMUS_ACQ_REL);
		}
	}
	if (fences >= 50)
		add_fence(maker, b, a, VKR_LITMUS_ACQUIRE);
}

// An operation of the API, behind the one before it.
static void add_command(struct maker *maker, uint32_t agent, enum vkr_litmus_operation operation,
			uint32_t *previous)
{
	struct vkr_litmus_event *event = add_event(maker, agent, operation);
	if (!event)
		return;
	if (operation == VKR_LITMUS_FLUSH || operation == VKR_LITMUS_INVALIDATE) {
		uint32_t references = (uint32_t)maker->sample->execution.reference_count;
		uint32_t certain = below(maker, references);
		for (uint32_t i = 0; i < references; i++) {
			if (i == certain || percent(maker, 80))
				event->references[event->reference_count++] = i;
		}
	}
	if (*previous != VKR_LITMUS_NONE && percent(maker, maker->style.edge))
		(void)vkr_sample_add_edge(maker->sample, *previous, last_index(maker));
	*previous = last_index(maker);
}

// What a memory dependency, a flush, a submission and an invalidation do, with the execution
// dependencies between them.
static void hand_over_by_api(struct maker *maker, uint32_t a, uint32_t b)
{
	const struct vkr_oracle_sample *sample = maker->sample;
	bool from_host = sample->agents[a].host, to_host = sample->agents[b].host;
	uint32_t others[] = {a, b, below(maker, (uint32_t)sample->execution.agent_count)};
	uint32_t performer = others[below(maker, 3)];
	uint32_t begin = (uint32_t)sample->execution.event_count, previous = VKR_LITMUS_NONE;
	if (!noise(maker))
		add_command(maker, performer, from_host ? VKR_LITMUS_FLUSH : VKR_LITMUS_AVAILABLE,
			    &previous);
	if ((from_host || to_host || noise(maker)) && !noise(maker))
		add_command(maker, performer,
			    from_host ? VKR_LITMUS_DOMAIN_HOST_DEVICE
				      : VKR_LITMUS_DOMAIN_DEVICE_HOST,
			    &previous);
	if (!noise(maker) && percent(maker, 90))
		add_command(maker, performer, to_host ? VKR_LITMUS_INVALIDATE : VKR_LITMUS_VISIBLE,
			    &previous);
	uint32_t end = (uint32_t)sample->execution.event_count;
	if (begin == end)
		return;
	for (uint32_t i = 0; i < begin; i++) {
		if (sample->events[i].agent == a && percent(maker, maker->style.edge))
			(void)vkr_sample_add_edge(maker->sample, i, begin);
	}
	pend(maker, end - 1, b);
}

// Execution dependencies alone, between barriers or none.
static void hand_over_by_edge(struct maker *maker, uint32_t a, uint32_t b)
{
	if (percent(maker, 40))
		add_fence(maker, a, b, VKR_LITMUS_RELEASE);
	pend(maker, last_index(maker), b);
	if (percent(maker, 40))
		add_fence(maker, b, a, VKR_LITMUS_ACQUIRE);
}

static void hand_over(struct maker *maker, uint32_t a, uint32_t b)
{
	const struct vkr_oracle_sample *sample = maker->sample;
	uint32_t choice = below(maker, 100);
	bool host = sample->agents[a].host || sample->agents[b].host;
	bool both = sample->agents[a].host && sample->agents[b].host;
	if (percent(maker, both ? 50 : host ? 85 : maker->style.api))
		hand_over_by_api(maker, a, b);
	else if (choice < 12)
		hand_over_by_edge(maker, a, b);
	else if (choice < 60)
		hand_over_by_atomics(maker, a, b);
	else
		hand_over_by_barrier(maker, a, b);
}

static uint32_t random_agent(struct maker *maker)
{
	return below(maker, (uint32_t)maker->sample->execution.agent_count);
}

// An access, hand-overs along a line of agents, an access: message passing, write after write and
// write after read.
static void make_line(struct maker *maker)
{
	uint32_t agents[LINKS_MAX + 1];
	bool relay = maker->style.relay;
	uint32_t links = 1 + (percent(maker, 40) ? below(maker, LINKS_MAX) : 0);
	links = relay ? 2 + below(maker, 2) : links;
	bool first_writes = percent(maker, 80);
	agents[0] = random_agent(maker);
	for (uint32_t i = 1; i <= links; i++) {
		agents[i] = random_agent(maker);
		if (agents[i] == agents[i - 1] && (relay || percent(maker, 90)))
			agents[i] =
				(agents[i] + 1) % (uint32_t)maker->sample->execution.agent_count;
	}
	// A scope that reaches the next agent alone needs a chain, one that reaches the last does
	// not.
	bool reach = !relay && percent(maker, 50);
	uint32_t first_peer = agents[reach ? links : 1], last_peer = agents[reach ? 0 : links - 1];
	// Another access of the same agent may cover some of the first's bytes with its operation.
	bool doubled = percent(maker, maker->style.doubled);
	uint32_t instruction = maker->style.instruction;
	maker->style.instruction = doubled && percent(maker, 70) ? 0 : instruction;
	add_data_access(maker, agents[0], first_peer, first_writes);
	maker->style.instruction = instruction;
	if (doubled)
		add_data_access(maker, agents[0], first_peer, first_writes);
	for (uint32_t i = 0; i < links; i++) {
		if (percent(maker, 12))
			add_data_access(maker, random_agent(maker), agents[i], percent(maker, 40));
		hand_over(maker, agents[i], agents[i + 1]);
	}
	bool last_writes = !first_writes || percent(maker, 40);
	if (percent(maker, 12))
		add_data_access(maker, agents[links], last_peer, last_writes);
	maker->style.instruction = doubled && percent(maker, 50) ? 0 : instruction;
	add_data_access(maker, agents[links], last_peer, last_writes);
}

static void make_soup(struct maker *maker)
{
	uint32_t moves = 2 + below(maker, percent(maker, 10) ? LONG_SOUP_MAX : SOUP_MAX);
	for (uint32_t i = 0; i < moves; i++) {
		uint32_t a = random_agent(maker), b = random_agent(maker);
		if (i > 0 && percent(maker, 35))
			hand_over(maker, a, b);
		else
			add_data_access(maker, a, b, percent(maker, 50));
	}
}

static void pick_style(struct maker *maker)
{
	static const uint32_t noises[] = {0, 0, 2, 5, 10, 25};
	static const uint32_t aliases[] = {0, 0, 0, 10, 40};
	struct style *style = &maker->style;
	style->noise = noises[below(maker, 6)];
	style->alias = aliases[below(maker, 5)];
	style->api = percent(maker, 25) ? 60 : 5;
	style->instruction = percent(maker, 60) ? 95 : 25;
	style->flags = style->instruction == 25 || percent(maker, 30) ? 90 : 20;
	style->part = percent(maker, 35) ? 50 : 5;
	style->edge = percent(maker, 70) ? 98 : 75;
	style->doubled = percent(maker, 15) ? 70 : 5;
	if (style->doubled > 50 && percent(maker, 50))
		style->alias = 40;
	style->sequence = percent(maker, 20) ? 60 : 5;
	style->relay = percent(maker, 20);
	if (style->relay) {
		style->flags = 95;
		style->api = 0;
	}
	style->data_class = random_class(maker);
	style->flag_class = percent(maker, 50) ? style->data_class : random_class(maker);
}

static void make_memory(struct maker *maker)
{
	static const uint32_t sizes[] = {1, 2, 4, 4, 8, 16};
	struct vkr_oracle_sample *sample = maker->sample;
	uint32_t locations = 2 + below(maker, 2);
	for (uint32_t i = 0; i < locations; i++)
		vkr_sample_add_location(sample, i == 0 ? sizes[below(maker, 6)] : 4);
	for (uint32_t extra = below(maker, 3); extra > 0; extra--) {
		uint32_t location = percent(maker, 70) ? 0 : below(maker, locations);
		uint32_t size = sample->locations[location].size;
		uint32_t offset = percent(maker, 50) ? 0 : below(maker, size);
		uint32_t length =
			percent(maker, 50) ? size - offset : 1 + below(maker, size - offset);
		vkr_sample_add_reference(sample, location, offset, length);
	}
}

// An execution dependency between any two events.
static void add_any_edge(struct maker *maker)
{
	uint32_t count = (uint32_t)maker->sample->execution.event_count;
	uint32_t first = below(maker, count), second = below(maker, count);
	if (first < second)
		(void)vkr_sample_add_edge(maker->sample, first, second);
}

// Agents whose events all come before another's may be ordered as a whole.
static void order_agents(struct maker *maker)
{
	struct vkr_oracle_sample *sample = maker->sample;
	uint32_t a = random_agent(maker), b = random_agent(maker);
	for (uint32_t i = 0; i < sample->execution.event_count; i++) {
		for (uint32_t j = i + 1; j < sample->execution.event_count; j++) {
			if (sample->events[i].agent == b && sample->events[j].agent == a)
				return;
		}
	}
	if (a != b)
		sample->agent_edges[sample->execution.agent_edge_count++] =
			(struct vkr_litmus_edge){a, b};
}

void vkr_generate(struct vkr_oracle_sample *sample, uint64_t seed)
{
	struct maker maker = {.sample = sample, .random = {seed}};
	vkr_sample_init(sample);
	pick_style(&maker);
	vkr_generate_agents(sample, &maker.random);
	make_memory(&maker);
	sample->execution.chains = !percent(&maker, 20);
	if (percent(&maker, 80))
		make_line(&maker);
	else
		make_soup(&maker);
	if (percent(&maker, 10))
		order_agents(&maker);
	while (percent(&maker, 6))
		add_any_edge(&maker);
	for (uint32_t i = 0; i < sample->execution.event_count; i++)
		vkr_sample_normalize(sample, &sample->events[i]);
	while (percent(&maker, 40))
		vkr_generate_break(sample, &maker.random);
	vkr_generate_settle(sample);
}
