// SPDX-License-Identifier: Apache-2.0
// Agents and the events they are fed with. Knows how the engine's records hang together; the rules
// of the memory model stand in the other order*.c.
#include "array.h"
#include "error.h"
#include "order_hrf.h"
#include "order_sequence.h"
#include "sort.h"

#include <stdlib.h>
#include <string.h>

struct vkr_order *vkr_order_create(const struct vkr_order_options *options)
{
	struct vkr_order *order = calloc(1, sizeof *order);
	if (!order)
		return NULL;
	order->options = *options;
	order->policy = vkr_memory_is_hrf(&options->rules) ? &vkr_order_hrf_policy
							   : &vkr_order_vulkan_policy;
	if (options->rules.model == VKR_MEMORY_VULKAN_2018)
		order->options.chains = false;
	order->next_agent = 1;
	vkr_arena_init(&order->memory.arena);
	vkr_map_init(&order->agents);
	vkr_map_init(&order->instances);
	vkr_map_init(&order->sites);
	vkr_map_init(&order->classes);
	vkr_map_init(&order->cuts);
	vkr_map_init(&order->near);
	vkr_map_init(&order->places);
	order->scratch = vkr_order_scratch_create();
	if (!order->scratch || (vkr_memory_is_hrf(&options->rules) && !vkr_hrf_begin(order))) {
		vkr_order_destroy(order);
		return NULL;
	}
	return order;
}

// The arena's records own heap arrays; the maps that lead to them are walked slot by slot.
static void finish_agents(struct vkr_order *order)
{
	for (size_t i = 0; i < order->agents.capacity; i++) {
		if (!order->agents.slots[i].used)
			continue;
		struct vkr_order_agent *agent =
			(struct vkr_order_agent *)(uintptr_t)order->agents.slots[i].value;
		free(agent->events.items);
	}
}

void vkr_order_destroy(struct vkr_order *order)
{
	if (!order)
		return;
	finish_agents(order);
	for (size_t i = 0; i < order->sites.capacity; i++) {
		struct vkr_order_site *site = NULL;
		if (order->sites.slots[i].used)
			site = (struct vkr_order_site *)(uintptr_t)order->sites.slots[i].value;
		for (; site; site = site->next) {
			free(site->heads.items);
			free(site->stores.items);
		}
	}
	for (size_t i = 0; i < order->classes.capacity; i++) {
		if (order->classes.slots[i].used)
			free(((struct vkr_order_class *)(uintptr_t)order->classes.slots[i].value)
				     ->writes.items);
	}
	for (size_t i = 0; i < order->cuts.capacity; i++) {
		if (order->cuts.slots[i].used)
			free(((struct vkr_order_cuts *)(uintptr_t)order->cuts.slots[i].value)
				     ->items);
	}
	for (size_t i = 0; i < sizeof order->api / sizeof *order->api; i++)
		free(order->api[i].items);
	vkr_hrf_finish(order);
	vkr_map_finish(&order->agents);
	vkr_map_finish(&order->instances);
	vkr_map_finish(&order->sites);
	vkr_map_finish(&order->classes);
	vkr_map_finish(&order->cuts);
	vkr_map_finish(&order->near);
	vkr_map_finish(&order->places);
	free(order->groups);
	free(order->nodes.items);
	vkr_order_scratch_destroy(order->scratch);
	vkr_arena_finish(&order->memory.arena);
	free(order);
}

enum vkr_result vkr_order_add_group(struct vkr_order *order, const struct vkr_order_group *group,
				    uint64_t *first, struct vkr_error *error)
{
	if (!vkr_array_reserve((void **)&order->groups, &order->group_capacity,
			       order->group_count + 1, sizeof *order->groups))
		return vkr_error_memory(error, "agents");
	*first = order->next_agent;
	order->groups[order->group_count++] =
		(struct vkr_order_group_record){.first = *first, .is = *group};
	order->next_agent += group->count;
	return VKR_OK;
}

uint64_t vkr_order_next_event(const struct vkr_order *order)
{
	return order->nodes.count + 1;
}

uint64_t vkr_order_position(const struct vkr_order *order, uint64_t agent)
{
	const struct vkr_order_agent *record = vkr_order_agent_at(order, agent);
	return record ? record->events.count * 2 : 0;
}

// The agent's record, made with what its group inherits.
static struct vkr_order_agent *record_agent(struct vkr_order *order, uint64_t id)
{
	struct vkr_order_agent *agent = vkr_order_agent_at(order, id);
	if (agent)
		return agent;
	struct vkr_order_state initial = vkr_order_state_at(order, id, 0);
	agent = vkr_arena_alloc(&order->memory.arena, sizeof *agent);
	if (!agent || !vkr_map_set(&order->agents, id, (uint64_t)(uintptr_t)agent))
		return NULL;
	agent->id = id;
	agent->group = vkr_order_group_index(order, id);
	agent->initial = initial;
	agent->sibling = order->groups[agent->group].agents;
	order->groups[agent->group].agents = agent;
	return agent;
}

// The list with the fence put in front and without an older fence of the same key.
static const struct vkr_order_recent *
renew(struct vkr_order *order, const struct vkr_order_recent *list, uint64_t event, unsigned key)
{
	struct vkr_order_recent *front = vkr_arena_alloc(&order->memory.arena, sizeof *front);
	if (!front) {
		order->memory.failed = true;
		return list;
	}
	*front = (struct vkr_order_recent){.event = event, .key = key};
	struct vkr_order_recent *last = front;
	for (; list; list = list->older) {
		if (list->key == key) {
			last->older = list->older;
			return front;
		}
		struct vkr_order_recent *copy = vkr_arena_alloc(&order->memory.arena, sizeof *copy);
		if (!copy) {
			order->memory.failed = true;
			return front;
		}
		*copy = (struct vkr_order_recent){.event = list->event, .key = list->key};
		last->older = copy;
		last = copy;
	}
	return front;
}

// Sets the part of the state after the event that does not depend on clocks.
static void shape_state(struct vkr_order *order, struct vkr_order_node *node,
			const struct vkr_order_state *before)
{
	struct vkr_order_state *after = &node->after;
	uint64_t event = node->access.event;
	bool fence = node->event.kind != VKR_ORDER_ATOMIC;
	unsigned key =
		((unsigned)node->event.scope * 16 + node->event.semantics) * 4 + node->event.spaces;
	*after = *before;
	node->older_read = before->read;
	node->older_barrier = before->barrier;
	if (node->releases && fence)
		after->release_fences = renew(order, before->release_fences, event, key);
	if (node->acquires) {
		after->acquire = event;
		if (fence)
			after->acquire_fences = renew(order, before->acquire_fences, event, key);
	}
	if (node->event.kind == VKR_ORDER_ATOMIC && node->access.read)
		after->read = event;
	if (node->event.kind == VKR_ORDER_BARRIER)
		after->barrier = event;
}

static bool join_instance(struct vkr_order *order, struct vkr_order_node *node)
{
	uint64_t value = 0;
	if (node->event.kind != VKR_ORDER_BARRIER || !node->event.instance)
		return true;
	if (vkr_map_get(&order->instances, node->event.instance, &value))
		node->participant = (struct vkr_order_node *)(uintptr_t)value;
	return vkr_map_set(&order->instances, node->event.instance, (uint64_t)(uintptr_t)node);
}

static void *keep_items(struct vkr_order *order, const void *items, size_t count, size_t size)
{
	void *kept = vkr_arena_alloc(&order->memory.arena, count * size + 1);
	if (kept && count)
		memcpy(kept, items, count * size);
	if (!kept)
		order->memory.failed = true;
	return kept;
}

static bool cut_ranges(struct vkr_order *order, const struct vkr_order_event *event)
{
	for (size_t i = 0; i < event->range_count; i++) {
		const struct vkr_order_range *range = &event->ranges[i];
		if (!vkr_order_add_cut(order, range->memory, range->offset))
			return false;
		if (range->size < UINT64_MAX - range->offset &&
		    !vkr_order_add_cut(order, range->memory, range->offset + range->size))
			return false;
	}
	return true;
}

// Whether the event does what its semantics say ("Memory Semantics").
static void find_roles(struct vkr_order_node *node)
{
	const struct vkr_order_event *event = &node->event;
	bool fence = event->kind == VKR_ORDER_FENCE || event->kind == VKR_ORDER_BARRIER;
	bool atomic = event->kind == VKR_ORDER_ATOMIC;
	node->releases = event->release && (fence || (atomic && event->access.write));
	node->acquires = event->acquire && (fence || (atomic && event->access.read));
}

static bool add_vulkan(struct vkr_order *order, struct vkr_order_node *node)
{
	const struct vkr_order_event *event = &node->event;
	bool access = event->kind == VKR_ORDER_ACCESS || event->kind == VKR_ORDER_ATOMIC;
	bool atomic = event->kind == VKR_ORDER_ATOMIC;
	return (access || vkr_order_append(&order->api[event->kind], node)) &&
	       (!atomic || vkr_order_add_atomic(order, node)) &&
	       vkr_order_add_operations(order, &node->access, node) && cut_ranges(order, event);
}

static struct vkr_order_node *add_node(struct vkr_order *order, const struct vkr_order_event *event)
{
	struct vkr_order_agent *agent = record_agent(order, event->agent);
	struct vkr_order_node *node =
		vkr_arena_alloc(&order->memory.arena, order->policy->node_bytes);
	if (!agent || !node)
		return NULL;
	node->event = *event;
	node->event.semantics &= VKR_ORDER_CLASSES;
	node->event.ranges =
		keep_items(order, event->ranges, event->range_count, sizeof *event->ranges);
	node->event.system =
		keep_items(order, event->system, event->system_count, sizeof *event->system);
	node->event.released =
		keep_items(order, event->released, event->released_count, sizeof *event->released);
	node->access = event->access;
	node->access.agent = event->agent;
	node->access.step = event->step;
	node->access.position = agent->events.count * 2 + 1;
	node->access.event = vkr_order_next_event(order);
	node->host = vkr_order_host(order, event->agent);
	order->single_edges = order->single_edges || event->system_count > 0;
	find_roles(node);
	struct vkr_order_state before =
		vkr_order_state_at(order, event->agent, node->access.position);
	shape_state(order, node, &before);
	bool kept = !order->memory.failed && vkr_order_append(&agent->events, node) &&
		    vkr_order_append(&order->nodes, node) && join_instance(order, node) &&
		    order->policy->add(order, node);
	return kept ? node : NULL;
}

static int compare_visits(const void *a, const void *b)
{
	const struct vkr_order_node *x = *(struct vkr_order_node *const *)a;
	const struct vkr_order_node *y = *(struct vkr_order_node *const *)b;
	if (x->event.visit != y->event.visit)
		return x->event.visit < y->event.visit ? -1 : 1;
	return x->access.event < y->access.event ? -1 : x->access.event > y->access.event;
}

// Which events synchronize depends on the structure alone, never on clocks.
static bool order_synchronize(struct vkr_order *order, struct vkr_order_node *const *nodes,
			      size_t count)
{
	for (size_t i = 0; i < count; i++)
		order->policy->place(order, nodes[i]);
	for (size_t i = 0; i < count; i++) {
		if (!order->policy->find_sources(order, nodes[i]))
			return false;
	}
	return true;
}

static void order_propagate(struct vkr_order *order, struct vkr_order_node *const *nodes,
			    size_t count)
{
	for (bool grown = count > 0; grown && !order->memory.failed;) {
		grown = false;
		for (size_t i = 0; i < count; i++)
			grown = order->policy->propagate(order, nodes[i]) || grown;
		if (grown && order->policy->sweep)
			order->policy->sweep(order, nodes, count);
		grown = grown && count > 1;
	}
}

enum vkr_result vkr_order_feed(struct vkr_order *order, const struct vkr_order_event *events,
			       size_t count, struct vkr_error *error)
{
	struct vkr_order_node *one, **nodes = count > 1 ? calloc(count, sizeof *nodes) : &one;
	bool good = nodes != NULL;
	for (size_t i = 0; i < count && good; i++) {
		nodes[i] = add_node(order, &events[i]);
		good = nodes[i] != NULL;
	}
	if (good)
		vkr_sort(nodes, count, sizeof *nodes, compare_visits);
	good = good && order_synchronize(order, nodes, count);
	if (good)
		order_propagate(order, nodes, count);
	if (count > 1)
		free(nodes);
	return good && !order->memory.failed ? VKR_OK : vkr_error_memory(error, "events");
}

enum vkr_result vkr_order_operate(struct vkr_order *order, const struct vkr_order_access *access,
				  struct vkr_error *error)
{
	const struct vkr_order_access *kept = keep_items(order, access, 1, sizeof *access);
	if (!kept || !record_agent(order, access->agent) || !order->policy->operate(order, kept))
		return vkr_error_memory(error, "operations");
	return VKR_OK;
}

static bool operate_vulkan(struct vkr_order *order, const struct vkr_order_access *access)
{
	return vkr_order_add_operations(order, access, NULL);
}

static void follow_vulkan(struct vkr_order *order, const struct vkr_order_node *end,
			  struct vkr_order_node *begin)
{
	struct vkr_clock_arena *memory = &order->memory;
	struct vkr_order_state *state = &begin->after;
	state->base = vkr_vector_clock_join(memory, state->base, end->after.total, VKR_SETS_ALL);
	state->base = vkr_vector_clock_add(memory, state->base, end->access.agent, VKR_CLOCK_ALL,
					   end->access.position, VKR_SETS_ALL);
	state->total = vkr_vector_clock_join(memory, state->total, state->base, VKR_SETS_ALL);
}

enum vkr_result vkr_order_system(struct vkr_order *order, uint64_t from, uint64_t to,
				 struct vkr_error *error)
{
	// An event that is no operation cuts the stretch of plain accesses on either side.
	struct vkr_order_event cut = {.kind = VKR_ORDER_ACCESS, .agent = from};
	enum vkr_result result = vkr_order_feed(order, &cut, 1, error);
	if (result != VKR_OK)
		return result;
	const struct vkr_order_node *end = order->nodes.items[order->nodes.count - 1];
	cut.agent = to;
	result = vkr_order_feed(order, &cut, 1, error);
	if (result != VKR_OK)
		return result;
	order->policy->follow(order, end, order->nodes.items[order->nodes.count - 1]);
	return order->memory.failed ? vkr_error_memory(error, "clocks") : VKR_OK;
}

static void follow_group_vulkan(struct vkr_order *order,
				const struct vkr_order_group_record *source,
				struct vkr_order_group_record *target)
{
	struct vkr_clock_arena *memory = &order->memory;
	const struct vkr_vector_clock *base =
		vkr_vector_clock_join(memory, target->base, source->base, VKR_SETS_ALL);
	for (const struct vkr_order_agent *agent = source->agents; agent; agent = agent->sibling) {
		struct vkr_order_state state = vkr_order_state_at(order, agent->id, UINT64_MAX);
		base = vkr_vector_clock_join(memory, base, state.total, VKR_SETS_ALL);
	}
	target->base = vkr_vector_clock_add(memory, base, source->first, VKR_CLOCK_GROUP,
					    UINT64_MAX, VKR_SETS_ALL);
}

enum vkr_result vkr_order_system_groups(struct vkr_order *order, uint64_t from, uint64_t to,
					struct vkr_error *error)
{
	const struct vkr_order_group_record *source = vkr_order_group_of(order, from);
	struct vkr_order_group_record *target = &order->groups[vkr_order_group_index(order, to)];
	if (target->agents)
		return vkr_error_set(error, VKR_ERROR_UNSUPPORTED,
				     "a group of agents is ordered after its first event");
	order->policy->follow_group(order, source, target);
	return order->memory.failed ? vkr_error_memory(error, "clocks") : VKR_OK;
}

enum vkr_result vkr_order_compare(const struct vkr_order *order,
				  const struct vkr_order_access *first,
				  const struct vkr_order_access *second,
				  bool (*report)(void *context, const struct vkr_order_run *run),
				  void *context, struct vkr_error *error)
{
	return order->policy->compare(order, first, second, report, context, error);
}

const struct vkr_order_policy vkr_order_vulkan_policy = {
	.node_bytes = sizeof(struct vkr_order_node),
	.add = add_vulkan,
	.place = vkr_order_place_write,
	.find_sources = vkr_order_find_sources,
	.propagate = vkr_order_propagate,
	.follow = follow_vulkan,
	.follow_group = follow_group_vulkan,
	.operate = operate_vulkan,
	.compare = vkr_order_compare_vulkan,
};
