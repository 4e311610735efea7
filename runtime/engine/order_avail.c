// SPDX-License-Identifier: Apache-2.0
// Availability and visibility by shader invocations (appendix "Memory Model", sections
// "Availability and Visibility", "Availability and Visibility Semantics" and "Per-Instruction
// Availability and Visibility Semantics"). Knows domains, coverage and chains; of order only what
// it asks happens-before.
//
// Operations are kept one by one, not summarised in clocks: which one covers a write depends on its
// reference, its bytes and its storage classes, and happens-before is not transitive, so that the
// element of a chain that happens-before the next need not be the latest.
#include "array.h"
#include "order_state.h"

#include <string.h>

// Two pages that share a key share their cuts: too many cuts cost time, and change nothing.
static uint64_t page_key(uint64_t memory, uint64_t page)
{
	return vkr_map_hash(memory) ^ vkr_map_hash(~page);
}

static struct vkr_order_cuts *cuts_at(const struct vkr_order *order, uint64_t memory, uint64_t page)
{
	uint64_t value = 0;
	return vkr_map_get(&order->cuts, page_key(memory, page), &value)
		       ? (struct vkr_order_cuts *)(uintptr_t)value
		       : NULL;
}

bool vkr_order_add_cut(struct vkr_order *order, uint64_t memory, uint64_t offset)
{
	uint64_t page = offset / VKR_ORDER_PAGE;
	struct vkr_order_cuts *cuts = cuts_at(order, memory, page);
	if (!cuts) {
		cuts = vkr_arena_alloc(&order->memory.arena, sizeof *cuts);
		if (!cuts ||
		    !vkr_map_set(&order->cuts, page_key(memory, page), (uint64_t)(uintptr_t)cuts))
			return false;
	}
	size_t at = cuts->count;
	while (at > 0 && cuts->items[at - 1] > offset)
		at--;
	if (at > 0 && cuts->items[at - 1] == offset)
		return true;
	if (!VKR_ARRAY_RESERVE(cuts, 1))
		return false;
	memmove(&cuts->items[at + 1], &cuts->items[at], (cuts->count - at) * sizeof *cuts->items);
	cuts->items[at] = offset;
	cuts->count++;
	return true;
}

uint64_t vkr_order_next_cut(const struct vkr_order *order, uint64_t memory, uint64_t offset,
			    uint64_t end)
{
	for (uint64_t page = offset / VKR_ORDER_PAGE; page <= end / VKR_ORDER_PAGE; page++) {
		const struct vkr_order_cuts *cuts = cuts_at(order, memory, page);
		for (size_t i = 0; cuts && i < cuts->count; i++) {
			if (cuts->items[i] > offset)
				return cuts->items[i] < end ? cuts->items[i] : end;
		}
	}
	return end;
}

static bool append(struct vkr_order_operations *operations, struct vkr_order_operation *operation)
{
	if (!VKR_ARRAY_RESERVE(operations, 1))
		return false;
	operations->items[operations->count++] = operation;
	return true;
}

bool vkr_order_near_room(struct vkr_order *order, bool available, size_t count)
{
	struct vkr_order_operations *room =
		available ? &order->near_available : &order->near_visible;
	return vkr_array_reserve((void **)&room->items, &room->capacity, count,
				 sizeof *room->items);
}

static uint64_t workgroup_of(const struct vkr_order *order, uint64_t agent)
{
	const struct vkr_order_group_record *group = vkr_order_group_of(order, agent);
	return group->is.workgroup + (agent - group->first) / group->is.workgroup_size;
}

static const struct vkr_order_workgroup *workgroup_at(const struct vkr_order *order, uint64_t agent)
{
	uint64_t value = 0;
	return vkr_map_get(&order->workgroups, workgroup_of(order, agent), &value)
		       ? (const struct vkr_order_workgroup *)(uintptr_t)value
		       : NULL;
}

static bool append_near(struct vkr_order *order, bool available,
			struct vkr_order_operation *operation)
{
	uint64_t key = workgroup_of(order, operation->access.agent), value = 0;
	struct vkr_order_workgroup *workgroup;
	if (!order->options.one_dispatch)
		return true;
	if (vkr_map_get(&order->workgroups, key, &value)) {
		workgroup = (struct vkr_order_workgroup *)(uintptr_t)value;
	} else {
		workgroup = vkr_arena_alloc(&order->memory.arena, sizeof *workgroup);
		if (!workgroup ||
		    !vkr_map_set(&order->workgroups, key, (uint64_t)(uintptr_t)workgroup))
			return false;
	}
	return append(available ? &workgroup->available : &workgroup->visible, operation);
}

static bool add(struct vkr_order *order, bool available, const struct vkr_order_access *access,
		unsigned semantics, enum vkr_order_scope scope)
{
	struct vkr_order_agent *agent = vkr_order_agent_at(order, access->agent);
	struct vkr_order_operation *operation =
		vkr_arena_alloc(&order->memory.arena, sizeof *operation);
	struct vkr_order_operations *all = available ? &order->available : &order->visible;
	if (!operation)
		return false;
	*operation = (struct vkr_order_operation){
		.access = *access,
		.semantics = semantics,
		// CrossDevice names no domain of its own; the widest that shaders have is the
		// shader domain.
		.limit = scope > VKR_ORDER_DEVICE ? VKR_ORDER_DEVICE : scope,
	};
	if (!vkr_array_reserve(
		    available ? (void **)&order->available_roles : (void **)&order->visible_roles,
		    available ? &order->available_room : &order->visible_room, all->count + 2, 1))
		return false;
	if (order->options.one_dispatch && !vkr_order_near_room(order, available, all->count + 2))
		return false;
	if (!semantics &&
	    (!vkr_order_add_cut(order, access->memory, access->offset) ||
	     !vkr_order_add_cut(order, access->memory, access->offset + access->size)))
		return false;
	return append(all, operation) && append_near(order, available, operation) &&
	       append(available ? &agent->available : &agent->visible, operation);
}

bool vkr_order_add_operations(struct vkr_order *order, const struct vkr_order_access *access,
			      const struct vkr_order_node *node)
{
	// "Invocation: perform no availability/visibility operations"; hosts have no shader domain.
	if (vkr_order_host(order, access->agent))
		return true;
	if (access->write && access->available > VKR_ORDER_INVOCATION &&
	    !add(order, true, access, 0, access->available))
		return false;
	if (access->read && access->visible > VKR_ORDER_INVOCATION &&
	    !add(order, false, access, 0, access->visible))
		return false;
	if (!node || node->event.scope == VKR_ORDER_INVOCATION || !node->event.semantics)
		return true;
	// "MakeAvailable: semantics must be Release or AcquireRelease", MakeVisible likewise.
	if (node->event.make_available && node->releases &&
	    !add(order, true, access, node->event.semantics, node->event.scope))
		return false;
	return !node->event.make_visible || !node->acquires ||
	       add(order, false, access, node->event.semantics, node->event.scope);
}

// One question: is X location-ordered before Y at one byte, through domains of shaders?
struct search {
	const struct vkr_order *order;
	const struct vkr_order_access *first, *second; // X and Y
	uint64_t offset;                               // the byte
	unsigned shared; // domains, by scope, that the agents of both access
	// What the two accesses' own operands say, whether or not they were fed.
	struct vkr_order_operation own_available, own_visible;
	// The operations that chains may consist of.
	const struct vkr_order_operations *available, *visible;
};

// Whether the operation's source (destination) scope holds the location through the reference of
// the access, whoever's it is. Elements of a chain after the first act on what others wrote: the
// agent is then replaced by the dual scope, reference and location are not, since availability
// operations alter the writes "which are included in their source scope".
static bool covers(const struct search *search, const struct vkr_order_operation *operation,
		   const struct vkr_order_access *access)
{
	if (operation->semantics)
		return (operation->semantics & access->storage_class) != 0;
	// Bytes below the operation's wrap round to far above it.
	return operation->access.reference == access->reference &&
	       operation->access.memory == access->memory &&
	       search->offset - operation->access.offset < operation->access.size;
}

// X ->rcpo AV, where AV covers (A_X, R_X, L). A semantics operation comes before its own
// instruction's access, which it does not cover.
static bool begins(const struct search *search, const struct vkr_order_operation *operation)
{
	const struct vkr_order_access *first = search->first;
	bool after = operation->semantics ? operation->access.step > first->step
					  : operation->access.step >= first->step;
	return after && covers(search, operation, first);
}

// VIS ->rcpo Y, where VIS covers (A_Y, R_Y, L).
static bool ends(const struct search *search, const struct vkr_order_operation *operation)
{
	const struct vkr_order_access *second = search->second;
	bool ahead = operation->semantics ? operation->access.step < second->step
					  : operation->access.step <= second->step;
	return ahead && covers(search, operation, second);
}

static bool happens_before(const struct search *search, const struct vkr_order_operation *first,
			   const struct vkr_order_operation *second)
{
	return vkr_order_happens_before(search->order, &first->access, &second->access);
}

// Domains up to the operation's own, beyond `scope`: an operation on a domain is one on each
// smaller domain that its agent accesses.
static unsigned domains_beyond(const struct search *search,
			       const struct vkr_order_operation *operation, unsigned scope)
{
	const struct vkr_order_group_record *group =
		vkr_order_group_of(search->order, operation->access.agent);
	unsigned domains = 0;
	for (unsigned at = scope + 1; at <= (unsigned)operation->limit; at++)
		domains |= 1u << at;
	if (!group->is.shader_call)
		domains &= ~(1u << VKR_ORDER_SHADER_CALL);
	if (!group->is.interlock)
		domains &= ~(1u << VKR_ORDER_FRAGMENT_INTERLOCK);
	return domains;
}

// The narrowest of `roles` whose instance holds both agents, or VKR_ORDER_SCOPES.
static unsigned narrowest_shared(const struct search *search, unsigned roles, uint64_t agent,
				 uint64_t other)
{
	for (unsigned scope = VKR_ORDER_SUBGROUP; scope <= VKR_ORDER_DEVICE; scope++) {
		if ((roles >> scope & 1) &&
		    vkr_order_within(search->order, (enum vkr_order_scope)scope, agent, other))
			return scope;
	}
	return VKR_ORDER_SCOPES;
}

// Grows the roles of one operation by those it gets behind (before) another with `roles`:
// increasingly broad domains away from the access, each performed in the dual scope instance of the
// last.
static unsigned extend(const struct search *search, const struct vkr_order_operation *reached,
		       unsigned roles, const struct vkr_order_operation *next, bool available)
{
	unsigned scope = narrowest_shared(search, roles, reached->access.agent, next->access.agent);
	if (scope >= (unsigned)next->limit)
		return 0;
	if (!covers(search, next, available ? search->first : search->second))
		return 0;
	if (available ? !happens_before(search, reached, next)
		      : !happens_before(search, next, reached))
		return 0;
	return domains_beyond(search, next, scope);
}

// Roles: the domains for which an operation is the outer element of some chain from X (to Y).
static void grow_chains(const struct search *search, const struct vkr_order_operations *all,
			uint8_t *roles, bool available)
{
	bool grown = search->order->options.chains;
	while (grown) {
		grown = false;
		for (size_t i = 0; i < all->count; i++) {
			for (size_t k = 0; roles[i] && k < all->count; k++) {
				unsigned more = domains_beyond(search, all->items[k], 0) &
						~(unsigned)roles[k];
				if (!more || i == k)
					continue;
				more &= extend(search, all->items[i], roles[i], all->items[k],
					       available);
				roles[k] = (uint8_t)(roles[k] | more);
				grown = grown || more;
			}
		}
	}
}

static void find_chains(const struct search *search, uint8_t *available, uint8_t *visible)
{
	for (size_t i = 0; i < search->available->count; i++) {
		const struct vkr_order_operation *operation = search->available->items[i];
		available[i] = 0;
		if (operation->access.agent == search->first->agent && begins(search, operation))
			available[i] = (uint8_t)domains_beyond(search, operation, 0);
	}
	for (size_t i = 0; i < search->visible->count; i++) {
		const struct vkr_order_operation *operation = search->visible->items[i];
		visible[i] = 0;
		if (search->second->read && operation->access.agent == search->second->agent &&
		    ends(search, operation))
			visible[i] = (uint8_t)domains_beyond(search, operation, 0);
	}
	grow_chains(search, search->available, available, true);
	grow_chains(search, search->visible, visible, false);
}

// The i-th operation of an access's agent; behind the last one the access's own, where it has one.
static const struct vkr_order_operation *operation_at(const struct vkr_order_operations *operations,
						      const struct vkr_order_operation *own,
						      size_t i)
{
	size_t count = operations ? operations->count : 0;
	if (i < count)
		return operations->items[i];
	return i == count && own->limit > VKR_ORDER_INVOCATION ? own : NULL;
}

// A single availability and, for a read, a single visibility operation: what nearly all race-free
// pairs have.
static bool direct(const struct search *search)
{
	const struct vkr_order *order = search->order;
	const struct vkr_order_agent *one = vkr_order_agent_at(order, search->first->agent);
	const struct vkr_order_agent *two = vkr_order_agent_at(order, search->second->agent);
	const struct vkr_order_operation *from, *to;
	for (size_t i = 0;
	     (from = operation_at(one ? &one->available : NULL, &search->own_available, i)); i++) {
		if (!begins(search, from) || !(domains_beyond(search, from, 0) & search->shared))
			continue;
		if (search->second->write &&
		    vkr_order_happens_before(order, &from->access, search->second))
			return true;
		for (size_t k = 0;
		     search->second->read &&
		     (to = operation_at(two ? &two->visible : NULL, &search->own_visible, k));
		     k++) {
			if (ends(search, to) &&
			    (domains_beyond(search, from, 0) & domains_beyond(search, to, 0) &
			     search->shared) &&
			    happens_before(search, from, to))
				return true;
		}
	}
	return false;
}

// An outer availability element that happens-before Y, or before an outer visibility element of a
// domain that both chains have in common with both agents.
static enum vkr_order_stage meet(const struct search *search, const uint8_t *available,
				 const uint8_t *visible, struct vkr_order_evidence *evidence)
{
	const struct vkr_order *order = search->order;
	enum vkr_order_stage stage = VKR_ORDER_STAGE_WRITTEN;
	for (size_t i = 0; i < search->available->count; i++) {
		const struct vkr_order_operation *from = search->available->items[i];
		if (!available[i])
			continue;
		if (!evidence->available)
			evidence->available = from->access.event;
		unsigned domains = available[i] & search->shared;
		if (domains && vkr_order_happens_before(order, &from->access, search->second)) {
			stage = VKR_ORDER_STAGE_DOMAIN;
			evidence->available = from->access.event;
			if (search->second->write)
				return VKR_ORDER_STAGE_DONE;
		}
		for (size_t k = 0; k < search->visible->count; k++) {
			const struct vkr_order_operation *to = search->visible->items[k];
			if (!(domains & visible[k]))
				continue;
			evidence->visible = to->access.event;
			if (happens_before(search, from, to))
				return VKR_ORDER_STAGE_DONE;
		}
	}
	return stage;
}

// The operation that an access's operand demands of it; limit INVOCATION: none.
static struct vkr_order_operation own_operation(const struct vkr_order_access *access,
						enum vkr_order_scope scope)
{
	return (struct vkr_order_operation){
		.access = *access, .limit = scope > VKR_ORDER_DEVICE ? VKR_ORDER_DEVICE : scope};
}

// The operations of a workgroup's agents and one more. There is room for them: these are some of
// all operations, and the one.
static struct vkr_order_operations put_together(const struct vkr_order_operations *room,
						const struct vkr_order_operations *near,
						struct vkr_order_operation *own)
{
	struct vkr_order_operations all = {.items = room->items};
	if (near && near->count) {
		memcpy(all.items, near->items, near->count * sizeof *all.items);
		all.count = near->count;
	}
	if (own->limit > VKR_ORDER_INVOCATION)
		all.items[all.count++] = own;
	return all;
}

static enum vkr_order_stage near_path(struct search *search, struct vkr_order_evidence *evidence)
{
	const struct vkr_order *order = search->order;
	const struct vkr_order_workgroup *one = workgroup_at(order, search->first->agent);
	const struct vkr_order_workgroup *two = workgroup_at(order, search->second->agent);
	struct vkr_order_operations available = put_together(
		&order->near_available, one ? &one->available : NULL, &search->own_available);
	struct vkr_order_operations visible = put_together(
		&order->near_visible, two ? &two->visible : NULL, &search->own_visible);
	search->available = &available;
	search->visible = &visible;
	find_chains(search, order->available_roles, order->visible_roles);
	return meet(search, order->available_roles, order->visible_roles, evidence);
}

enum vkr_order_stage vkr_order_shader_path(const struct vkr_order *order,
					   const struct vkr_order_access *first,
					   const struct vkr_order_access *second, uint64_t offset,
					   struct vkr_order_evidence *evidence)
{
	struct search search = {.order = order,
				.first = first,
				.second = second,
				.offset = offset,
				.own_available = own_operation(first, first->available),
				.own_visible = own_operation(second, second->visible),
				.available = &order->available,
				.visible = &order->visible};
	if (vkr_order_host(order, first->agent) || vkr_order_host(order, second->agent))
		return VKR_ORDER_STAGE_WRITTEN;
	for (unsigned scope = VKR_ORDER_SUBGROUP; scope <= VKR_ORDER_DEVICE; scope++) {
		if (vkr_order_within(order, (enum vkr_order_scope)scope, first->agent,
				     second->agent))
			search.shared |= 1u << scope;
	}
	if (direct(&search))
		return VKR_ORDER_STAGE_DONE;
	if (order->options.one_dispatch)
		return near_path(&search, evidence);
	find_chains(&search, order->available_roles, order->visible_roles);
	return meet(&search, order->available_roles, order->visible_roles, evidence);
}
