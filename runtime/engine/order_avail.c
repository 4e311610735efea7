// SPDX-License-Identifier: Apache-2.0
// Availability and visibility by shader invocations (appendix "Memory Model", sections
// "Availability and Visibility", "Availability and Visibility Semantics" and "Per-Instruction
// Availability and Visibility Semantics"). Knows domains, coverage and chains; of order only what
// it asks happens-before.
//
// Operations are not summarised in clocks: which one covers a write depends on its reference, its
// bytes and its storage classes, and happens-before is not transitive. But operations of one agent
// that differ in nothing but their place form a stream, and in a stream happens-before is
// monotonic: what a later one happens-before, the earlier ones happen-before, and what
// happens-before an earlier one happens-before the later ones. So a search looks at one place of a
// stream, found by bisection. Only an edge of system-synchronizes-with to or from a single event
// breaks that: where there are such edges, each operation is searched by itself.
#include "array.h"
#include "order_state.h"
#include "search.h"

#include <stdlib.h>
#include <string.h>

// What availability or visibility operations of an agent have in common if they differ only in
// their position. An operation is folded into the event or access that performs it: "->rcpo" in
// "Location-Ordered" lets an access stand for its own operation, and happens-before to and from the
// operation is that of the instruction.
struct vkr_order_alike {
	bool available;             // else of visibility
	bool fed;                   // by events
	bool releases, acquires;    // and these
	unsigned semantics;         // classes covered; 0: the access's own reference and bytes
	unsigned event_semantics;   // of the events
	unsigned storage_class;     // of the accesses
	enum vkr_order_scope limit; // the widest domain
	uint64_t reference, memory, offset, size; // covered, where not semantics are
};

struct vkr_order_stream {
	struct vkr_order_agent *agent;
	struct vkr_order_alike is;
	const struct vkr_order_access **items; // that perform the operations, by step
	size_t count, capacity;
	const struct vkr_order_access *first; // room for one
	struct vkr_order_stream *next;        // of the agent's that cover storage classes
};

// The streams of operations on bytes that begin or end in one aligned power of two of bytes.
struct vkr_order_place {
	struct vkr_order_stream *stream;
	struct vkr_order_place *next;
};

// A stream in the search for one path.
struct vkr_order_chain {
	const struct vkr_order_access *const *items;
	size_t count;
	uint64_t agent;
	enum vkr_order_scope limit;
	bool semantics, available;
	unsigned domains; // of each operation
	bool grown;       // since it was last followed
	// By domain: from which operation on, counted away from the access, each is the outer
	// element of a chain that ends in the domain; `count`: none is.
	size_t reached[VKR_ORDER_SCOPES];
};

struct vkr_order_chains {
	struct vkr_order_chain *items;
	size_t count, capacity;
	bool failed; // for lack of memory
};

// A search's working space.
struct vkr_order_scratch {
	struct vkr_order_chains available, visible;
};

// The agents with operations, of all or of one workgroup.
struct vkr_order_near {
	struct vkr_order_agent *agents;
};

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

// The first cut above the offset.
static size_t upper_cut(const struct vkr_order_cuts *cuts, uint64_t offset)
{
	size_t low = 0;
	VKR_SEARCH(low, cuts->count, at, cuts->items[at] <= offset);
	return low;
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
	size_t at = upper_cut(cuts, offset);
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
		size_t at = cuts ? upper_cut(cuts, offset) : 0;
		if (cuts && at < cuts->count)
			return cuts->items[at] < end ? cuts->items[at] : end;
	}
	return end;
}

struct vkr_order_scratch *vkr_order_scratch_create(void)
{
	return calloc(1, sizeof(struct vkr_order_scratch));
}

void vkr_order_scratch_destroy(struct vkr_order_scratch *scratch)
{
	if (!scratch)
		return;
	free(scratch->available.items);
	free(scratch->visible.items);
	free(scratch);
}

bool vkr_order_scratch_failed(const struct vkr_order_scratch *scratch)
{
	return scratch->available.failed || scratch->visible.failed;
}

// ---- Streams ------------------------------------------------------------------------------------

static uint64_t workgroup_of(const struct vkr_order *order, uint64_t agent)
{
	const struct vkr_order_group_record *group = vkr_order_group_of(order, agent);
	return group->is.workgroup + (agent - group->first) / group->is.workgroup_size;
}

// The agents whose operations may form chains, besides an access of the agent itself: with
// options.one_dispatch those of its workgroup, otherwise all.
static uint64_t near_key(const struct vkr_order *order, uint64_t agent)
{
	return order->options.one_dispatch ? workgroup_of(order, agent) : 0;
}

static const struct vkr_order_near *near_of(const struct vkr_order *order, uint64_t agent)
{
	uint64_t value = 0;
	return vkr_map_get(&order->near, near_key(order, agent), &value)
		       ? (const struct vkr_order_near *)(uintptr_t)value
		       : NULL;
}

static bool join_near(struct vkr_order *order, struct vkr_order_agent *agent)
{
	uint64_t key = near_key(order, agent->id), value = 0;
	struct vkr_order_near *near;
	if (agent->has_operations)
		return true;
	if (vkr_map_get(&order->near, key, &value)) {
		near = (struct vkr_order_near *)(uintptr_t)value;
	} else {
		near = vkr_arena_alloc(&order->memory.arena, sizeof *near);
		if (!near || !vkr_map_set(&order->near, key, (uint64_t)(uintptr_t)near))
			return false;
	}
	agent->near = near->agents;
	near->agents = agent;
	agent->has_operations = true;
	return true;
}

// Bytes are indexed by the smallest power of two that holds as many of them, aligned to it: an
// operation lies in one or two such blocks.
static unsigned level_of(uint64_t size)
{
	unsigned level = 0;
	while (level < 63 && (UINT64_C(1) << level) < size)
		level++;
	return level;
}

static uint64_t place_key(const struct vkr_order_agent *agent, bool available, uint64_t reference,
			  uint64_t memory, unsigned level, uint64_t offset)
{
	uint64_t hash = vkr_map_hash(agent->id << 1 | available);
	hash = vkr_map_hash(hash ^ reference);
	hash = vkr_map_hash(hash ^ memory);
	return vkr_map_hash((hash ^ offset >> level) + level);
}

static struct vkr_order_place *place_at(const struct vkr_order *order, uint64_t key)
{
	uint64_t value = 0;
	return vkr_map_get(&order->places, key, &value) ? (struct vkr_order_place *)(uintptr_t)value
							: NULL;
}

static bool add_place(struct vkr_order *order, uint64_t key, struct vkr_order_stream *stream)
{
	struct vkr_order_place *place = vkr_arena_alloc(&order->memory.arena, sizeof *place);
	if (!place)
		return false;
	*place = (struct vkr_order_place){.stream = stream, .next = place_at(order, key)};
	return vkr_map_set(&order->places, key, (uint64_t)(uintptr_t)place);
}

static bool index_stream(struct vkr_order *order, struct vkr_order_stream *stream)
{
	const struct vkr_order_alike *is = &stream->is;
	struct vkr_order_agent *agent = stream->agent;
	if (is->semantics) {
		stream->next = agent->streams[is->available];
		agent->streams[is->available] = stream;
		return true;
	}
	unsigned level = level_of(is->size);
	uint64_t last = is->offset + is->size - 1;
	order->levels |= UINT64_C(1) << level;
	if (!add_place(
		    order,
		    place_key(agent, is->available, is->reference, is->memory, level, is->offset),
		    stream))
		return false;
	return is->offset >> level == last >> level ||
	       add_place(order,
			 place_key(agent, is->available, is->reference, is->memory, level, last),
			 stream);
}

static bool is_alike(const struct vkr_order_stream *stream, const struct vkr_order_alike *is)
{
	const struct vkr_order_alike *other = &stream->is;
	return other->available == is->available && other->fed == is->fed &&
	       other->releases == is->releases && other->acquires == is->acquires &&
	       other->semantics == is->semantics && other->event_semantics == is->event_semantics &&
	       other->storage_class == is->storage_class && other->limit == is->limit &&
	       other->reference == is->reference && other->memory == is->memory &&
	       other->offset == is->offset && other->size == is->size;
}

static struct vkr_order_stream *find_stream(const struct vkr_order *order,
					    const struct vkr_order_agent *agent,
					    const struct vkr_order_alike *is)
{
	if (is->semantics) {
		struct vkr_order_stream *stream = agent->streams[is->available];
		while (stream && !is_alike(stream, is))
			stream = stream->next;
		return stream;
	}
	struct vkr_order_place *place =
		place_at(order, place_key(agent, is->available, is->reference, is->memory,
					  level_of(is->size), is->offset));
	while (place && (place->stream->agent != agent || !is_alike(place->stream, is)))
		place = place->next;
	return place ? place->stream : NULL;
}

static bool append_operation(struct vkr_order *order, struct vkr_order_stream *stream,
			     const struct vkr_order_access *access)
{
	if (stream->count == stream->capacity) {
		size_t capacity = stream->capacity * 2;
		const struct vkr_order_access **items =
			vkr_arena_alloc(&order->memory.arena, capacity * sizeof *items);
		if (!items)
			return false;
		memcpy(items, stream->items, stream->count * sizeof *items);
		stream->items = items;
		stream->capacity = capacity;
	}
	size_t at = stream->count++;
	for (; at > 0 && stream->items[at - 1]->step > access->step; at--)
		stream->items[at] = stream->items[at - 1];
	stream->items[at] = access;
	return true;
}

static bool add_operation(struct vkr_order *order, bool available,
			  const struct vkr_order_access *access, const struct vkr_order_node *node,
			  unsigned semantics, enum vkr_order_scope scope)
{
	struct vkr_order_agent *agent = vkr_order_agent_at(order, access->agent);
	struct vkr_order_alike is = {
		.available = available,
		.fed = node != NULL,
		.semantics = semantics,
		.storage_class = access->storage_class,
		// CrossDevice names no domain of its own; the widest that shaders have is the
		// shader domain.
		.limit = scope > VKR_ORDER_DEVICE ? VKR_ORDER_DEVICE : scope,
	};
	if (node) {
		is.event_semantics = node->event.semantics;
		is.releases = node->releases;
		is.acquires = node->acquires;
	}
	if (!semantics) {
		is.reference = access->reference;
		is.memory = access->memory;
		is.offset = access->offset;
		is.size = access->size;
		if (!vkr_order_add_cut(order, access->memory, access->offset) ||
		    !vkr_order_add_cut(order, access->memory, access->offset + access->size))
			return false;
	}
	struct vkr_order_stream *stream = find_stream(order, agent, &is);
	if (stream)
		return append_operation(order, stream, access);
	stream = vkr_arena_alloc(&order->memory.arena, sizeof *stream);
	if (!stream)
		return false;
	*stream = (struct vkr_order_stream){.agent = agent, .is = is, .capacity = 1, .count = 1};
	stream->first = access;
	stream->items = &stream->first;
	return join_near(order, agent) && index_stream(order, stream);
}

bool vkr_order_add_operations(struct vkr_order *order, const struct vkr_order_access *access,
			      const struct vkr_order_node *node)
{
	// "Invocation: perform no availability/visibility operations"; hosts have no shader domain.
	if (vkr_order_host(order, access->agent))
		return true;
	if (access->write && access->available > VKR_ORDER_INVOCATION &&
	    !add_operation(order, true, access, node, 0, access->available))
		return false;
	if (access->read && access->visible > VKR_ORDER_INVOCATION &&
	    !add_operation(order, false, access, node, 0, access->visible))
		return false;
	if (!node || node->event.scope == VKR_ORDER_INVOCATION || !node->event.semantics)
		return true;
	// "MakeAvailable: semantics must be Release or AcquireRelease", MakeVisible likewise.
	if (node->event.make_available && node->releases &&
	    !add_operation(order, true, access, node, node->event.semantics, node->event.scope))
		return false;
	return !node->event.make_visible || !node->acquires ||
	       add_operation(order, false, access, node, node->event.semantics, node->event.scope);
}

// ---- Paths --------------------------------------------------------------------------------------

// One question: is X location-ordered before Y at one byte, through domains of shaders?
struct search {
	const struct vkr_order *order;
	const struct vkr_order_access *first, *second; // X and Y
	uint64_t offset;                               // the byte
	unsigned shared; // domains, by scope, that the agents of both access
	// Implied by the two accesses' own operands, whether or not they were fed.
	struct vkr_order_stream own_available, own_visible;
};

// Whether the operations' source (destination) scope holds the location through the reference of
// the access, whoever's it is. Elements of a chain after the first act on what others wrote: the
// agent is then replaced by the dual scope, reference and location are not, since availability
// operations alter the writes "which are included in their source scope".
static bool operation_covers(const struct search *search, const struct vkr_order_alike *is,
			     const struct vkr_order_access *access)
{
	if (is->semantics)
		return (is->semantics & access->storage_class) != 0;
	// Bytes below the operation's wrap round to far above it.
	return is->reference == access->reference && is->memory == access->memory &&
	       search->offset - is->offset < is->size;
}

// Domains up to the operations' own, beyond `scope`: an operation on a domain is one on each
// smaller domain that its agent accesses.
static unsigned domains_beyond(const struct search *search, uint64_t agent,
			       enum vkr_order_scope limit, unsigned scope)
{
	const struct vkr_order_group_record *group = vkr_order_group_of(search->order, agent);
	unsigned domains = 0;
	for (unsigned at = scope + 1; at <= (unsigned)limit; at++)
		domains |= 1u << at;
	if (!group->is.shader_call)
		domains &= ~(1u << VKR_ORDER_SHADER_CALL);
	if (!group->is.interlock)
		domains &= ~(1u << VKR_ORDER_FRAGMENT_INTERLOCK);
	return domains;
}

// Operations of a stream, counted away from the access that the chain belongs to: from X on, or
// from Y back.
static const struct vkr_order_access *operation_at(const struct vkr_order_chain *chain, size_t at)
{
	return chain->available ? chain->items[at] : chain->items[chain->count - 1 - at];
}

static void add_chain(const struct search *search, struct vkr_order_chains *chains,
		      const struct vkr_order_stream *stream,
		      const struct vkr_order_access *const *items, size_t count)
{
	if (!VKR_ARRAY_RESERVE(chains, 1)) {
		chains->failed = true;
		return;
	}
	struct vkr_order_chain *chain = &chains->items[chains->count++];
	*chain = (struct vkr_order_chain){
		.items = items,
		.count = count,
		.agent = items[0]->agent,
		.limit = stream->is.limit,
		.semantics = stream->is.semantics != 0,
		.available = stream->is.available,
		.domains = domains_beyond(search, items[0]->agent, stream->is.limit, 0),
	};
	for (unsigned scope = 0; scope < VKR_ORDER_SCOPES; scope++)
		chain->reached[scope] = count;
}

static void add_stream(const struct search *search, struct vkr_order_chains *chains,
		       const struct vkr_order_stream *stream)
{
	if (!operation_covers(search, &stream->is,
			      stream->is.available ? search->first : search->second))
		return;
	if (!search->order->single_edges) {
		add_chain(search, chains, stream, stream->items, stream->count);
		return;
	}
	for (size_t at = 0; at < stream->count; at++)
		add_chain(search, chains, stream, stream->items + at, 1);
}

// The agent's streams that cover the location.
static void add_agent(const struct search *search, struct vkr_order_chains *chains,
		      const struct vkr_order_agent *agent, bool available)
{
	const struct vkr_order *order = search->order;
	const struct vkr_order_access *access = available ? search->first : search->second;
	for (const struct vkr_order_stream *stream = agent->streams[available]; stream;
	     stream = stream->next)
		add_stream(search, chains, stream);
	for (unsigned level = 0; level < 64 && order->levels >> level; level++) {
		if (!(order->levels >> level & 1))
			continue;
		const struct vkr_order_place *place =
			place_at(order, place_key(agent, available, access->reference,
						  access->memory, level, search->offset));
		for (; place; place = place->next) {
			if (place->stream->agent == agent &&
			    place->stream->is.available == available)
				add_stream(search, chains, place->stream);
		}
	}
}

static bool is_beyond(const struct vkr_order_chain *chain, uint64_t step, uint64_t access)
{
	return (chain->available ? step > access : step < access) ||
	       (!chain->semantics && step == access);
}

// X ->rcpo AV, where AV covers (A_X, R_X, L), and VIS ->rcpo Y, where VIS covers (A_Y, R_Y, L):
// from which operation of the stream on. A semantics operation comes before its own instruction's
// access, which it does not cover.
static size_t order_avail_nearest(const struct search *search, const struct vkr_order_chain *chain)
{
	const struct vkr_order_access *access = chain->available ? search->first : search->second;
	size_t low = 0;
	VKR_SEARCH(low, chain->count, at,
		   !is_beyond(chain, operation_at(chain, at)->step, access->step));
	return low;
}

// The streams of the access's own agent, as outer elements of chains of one.
static void begin_chains(const struct search *search, struct vkr_order_chains *chains,
			 bool available)
{
	const struct vkr_order_access *access = available ? search->first : search->second;
	const struct vkr_order_agent *agent = vkr_order_agent_at(search->order, access->agent);
	const struct vkr_order_stream *own =
		available ? &search->own_available : &search->own_visible;
	chains->count = 0;
	if (agent)
		add_agent(search, chains, agent, available);
	if (own->count)
		add_stream(search, chains, own);
	for (size_t i = 0; i < chains->count; i++) {
		struct vkr_order_chain *chain = &chains->items[i];
		for (unsigned scope = 0; scope < VKR_ORDER_SCOPES; scope++)
			if (chain->domains >> scope & 1)
				chain->reached[scope] = order_avail_nearest(search, chain);
		chain->grown = true;
	}
}

// Happens-before from the inner to the outer element of a chain from X, the other way of one to Y.
static bool in_order(const struct search *search, const struct vkr_order_access *inner,
		     const struct vkr_order_access *outer, bool available)
{
	return available ? vkr_order_happens_before(search->order, inner, outer)
			 : vkr_order_happens_before(search->order, outer, inner);
}

// Grows the outer elements of one stream by those that come after elements of another in `domain`:
// increasingly broad domains away from the access, each performed in the dual scope instance of the
// last.
static void order_avail_extend(const struct search *search, const struct vkr_order_chain *from,
			       unsigned domain, struct vkr_order_chain *to)
{
	const struct vkr_order_access *inner = operation_at(from, from->reached[domain]);
	unsigned domains = domains_beyond(search, to->agent, to->limit, domain);
	size_t low = 0, high = 0;
	if (!vkr_order_within(search->order, (enum vkr_order_scope)domain, from->agent, to->agent))
		return;
	for (unsigned scope = 0; scope < VKR_ORDER_SCOPES; scope++) {
		if ((domains >> scope & 1) && to->reached[scope] > high)
			high = to->reached[scope];
	}
	if (high == 0 || !in_order(search, inner, operation_at(to, high - 1), from->available))
		return;
	VKR_SEARCH(low, high - 1, at,
		   !in_order(search, inner, operation_at(to, at), from->available));
	for (unsigned scope = 0; scope < VKR_ORDER_SCOPES; scope++) {
		if ((domains >> scope & 1) && to->reached[scope] > low) {
			to->reached[scope] = low;
			to->grown = true;
		}
	}
}

// Adds the operations of other agents, and finds for which domains they are the outer elements of
// some chain from X (to Y).
static void grow_chains(const struct search *search, struct vkr_order_chains *chains,
			bool available)
{
	const struct vkr_order_access *access = available ? search->first : search->second;
	const struct vkr_order_near *near = near_of(search->order, access->agent);
	if (!near)
		return;
	for (const struct vkr_order_agent *agent = near->agents; agent; agent = agent->near) {
		if (agent->id != access->agent)
			add_agent(search, chains, agent, available);
	}
	for (bool grown = true; grown;) {
		grown = false;
		for (size_t i = 0; i < chains->count; i++) {
			struct vkr_order_chain *from = &chains->items[i];
			if (!from->grown)
				continue;
			from->grown = false;
			grown = true;
			for (unsigned domain = VKR_ORDER_SUBGROUP; domain <= VKR_ORDER_DEVICE;
			     domain++) {
				for (size_t k = 0;
				     from->reached[domain] < from->count && k < chains->count; k++)
					if (k != i)
						order_avail_extend(search, from, domain,
								   &chains->items[k]);
			}
		}
	}
}

// An outer availability element that happens-before an outer visibility element of a domain that
// both chains have in common with both agents.
static bool meet_visible(const struct search *search, const struct vkr_order_access *from,
			 unsigned domain)
{
	const struct vkr_order_chains *visible = &search->order->scratch->visible;
	for (size_t k = 0; k < visible->count; k++) {
		const struct vkr_order_chain *chain = &visible->items[k];
		if (chain->reached[domain] < chain->count &&
		    in_order(search, from, operation_at(chain, chain->reached[domain]), true))
			return true;
	}
	return false;
}

// An outer availability element that happens-before Y where Y is a write, and else one that meets a
// visibility element.
static enum vkr_rung meet_operations(const struct search *search,
				     struct vkr_order_separation *separation)
{
	const struct vkr_order_chains *available = &search->order->scratch->available;
	enum vkr_rung lacks = VKR_RUNG_AVAILABLE;
	for (size_t i = 0; i < available->count; i++) {
		const struct vkr_order_chain *chain = &available->items[i];
		for (unsigned domain = 0; domain < VKR_ORDER_SCOPES; domain++) {
			if (chain->reached[domain] == chain->count)
				continue;
			const struct vkr_order_access *from =
				operation_at(chain, chain->reached[domain]);
			if (!separation->available)
				separation->available = from->event;
			if (!(search->shared >> domain & 1))
				continue;
			if (vkr_order_happens_before(search->order, from, search->second)) {
				lacks = VKR_RUNG_VISIBLE;
				separation->available = from->event;
				if (search->second->write)
					return VKR_RUNG_TOP;
			}
			if (search->second->read && meet_visible(search, from, domain))
				return VKR_RUNG_TOP;
		}
	}
	return lacks;
}

// The operation that an access's operand demands of it; none: an empty stream.
static struct vkr_order_stream own_operation(const struct vkr_order_access *access,
					     enum vkr_order_scope scope, bool available)
{
	return (struct vkr_order_stream){
		.is = {.available = available,
		       .limit = scope > VKR_ORDER_DEVICE ? VKR_ORDER_DEVICE : scope,
		       .reference = access->reference,
		       .memory = access->memory,
		       .offset = access->offset,
		       .size = access->size},
		.first = access,
		.count = scope > VKR_ORDER_INVOCATION,
	};
}

enum vkr_rung vkr_order_shader_path(const struct vkr_order *order,
				    const struct vkr_order_access *first,
				    const struct vkr_order_access *second, uint64_t offset,
				    struct vkr_order_separation *separation)
{
	struct vkr_order_chains *available = &order->scratch->available;
	struct vkr_order_chains *visible = &order->scratch->visible;
	struct search search = {.order = order,
				.first = first,
				.second = second,
				.offset = offset,
				.own_available = own_operation(first, first->available, true),
				.own_visible = own_operation(second, second->visible, false)};
	search.own_available.items = &search.own_available.first;
	search.own_visible.items = &search.own_visible.first;
	if (vkr_order_host(order, first->agent) || vkr_order_host(order, second->agent))
		return VKR_RUNG_AVAILABLE;
	for (unsigned scope = VKR_ORDER_SUBGROUP; scope <= VKR_ORDER_DEVICE; scope++) {
		if (vkr_order_within(order, (enum vkr_order_scope)scope, first->agent,
				     second->agent))
			search.shared |= 1u << scope;
	}
	begin_chains(&search, available, true);
	visible->count = 0;
	if (second->read)
		begin_chains(&search, visible, false);
	// A single availability and, for a read, a single visibility operation: what nearly all
	// race-free pairs have.
	enum vkr_rung lacks = meet_operations(&search, separation);
	if (lacks == VKR_RUNG_TOP || !order->options.chains)
		return lacks;
	grow_chains(&search, available, true);
	if (second->read)
		grow_chains(&search, visible, false);
	return meet_operations(&search, separation);
}
