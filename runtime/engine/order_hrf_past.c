// SPDX-License-Identifier: Apache-2.0
// Happens-before of the HRF models, computed forward into clocks (figures 9, 12, 14 and 17). Knows
// what synchronizes; nothing of conflicts.
//
// An operation has a place in each space that it is ordered in; orders of a space are between
// places in it. What joins the spaces leads from the one's places to the other's: a bridging pair
// of fences, a fence that names both (by the letter of the figures), and whatever Vulkan's
// system-synchronizes-with or OpenCL's commands order: coarse-grained synchronization points.
#include "order_hrf.h"

#define ALL_SPACES (VKR_ORDER_GLOBAL | VKR_ORDER_LOCAL)

// Bits of views: all clocks that are in use.
#define CLOCKS UINT16_C(0xf)

static const struct vkr_vector_clock *view_of(const struct vkr_hrf_past *past, unsigned space)
{
	return past ? past->spaces[space] : NULL;
}

static const struct vkr_vector_clock *order_hrf_past_join(struct vkr_order *order,
							  const struct vkr_vector_clock *one,
							  const struct vkr_vector_clock *other)
{
	return vkr_vector_clock_join(&order->memory, one, other, CLOCKS);
}

// ---- Lists of scopes ----------------------------------------------------------------------------

// The first of a list is that of no scope: system synchronization never is one of its own.
static const struct vkr_hrf_instance no_scope = {.scope = VKR_HRF_WORK_ITEM, .number = UINT64_MAX};

static int hrf_past_compare(const struct vkr_hrf_instance *one,
			    const struct vkr_hrf_instance *other)
{
	const bool one_is_none = one->number == no_scope.number && one->scope == no_scope.scope;
	const bool two_is_none = other->number == no_scope.number && other->scope == no_scope.scope;
	if (one_is_none || two_is_none)
		return (int)two_is_none - (int)one_is_none;
	if (one->scope != other->scope)
		return one->scope < other->scope ? -1 : 1;
	return one->number < other->number ? -1 : one->number > other->number;
}

static const struct vkr_hrf_past *order_hrf_past_listed(const struct vkr_hrf_past *past,
							const struct vkr_hrf_instance *within)
{
	for (; past; past = past->next) {
		const int side = hrf_past_compare(&past->within, within);
		if (side >= 0)
			return side == 0 ? past : NULL;
	}
	return NULL;
}

// What holds for the scope instance around an agent, listed or not. Where the union is taken for
// each agent, what a wider scope orders holds for the narrower ones in it.
static const struct vkr_hrf_past *hrf_past_find(const struct vkr_order *order,
						const struct vkr_hrf_past *past,
						const struct vkr_hrf_instance *within,
						uint64_t agent)
{
	const struct vkr_hrf_past *found = order_hrf_past_listed(past, within);
	if (found || hrf_past_compare(within, &no_scope) == 0)
		return found;
	for (unsigned scope = within->scope + 1u;
	     !found && scope < VKR_HRF_SCOPES && order->options.rules.readings.direct_union;
	     scope++) {
		const struct vkr_hrf_instance wider =
			vkr_hrf_instance_of(order, agent, (enum vkr_hrf_scope)scope);
		found = order_hrf_past_listed(past, &wider);
	}
	return found ? found : order_hrf_past_listed(past, &no_scope);
}

static const struct vkr_hrf_past *hrf_past_make(struct vkr_order *order,
						const struct vkr_hrf_past *next,
						const struct vkr_hrf_past *as)
{
	struct vkr_hrf_past *made = vkr_arena_alloc(&order->memory.arena, sizeof *made);
	if (!made) {
		order->memory.failed = true;
		return next;
	}
	*made = *as;
	made->next = next;
	return made;
}

// The list with one entry set.
static const struct vkr_hrf_past *hrf_past_set(struct vkr_order *order,
					       const struct vkr_hrf_past *past,
					       const struct vkr_hrf_past *entry)
{
	const int side = past ? hrf_past_compare(&past->within, &entry->within) : 1;
	if (side > 0)
		return hrf_past_make(order, past, entry);
	if (side < 0) {
		const struct vkr_hrf_past *rest = hrf_past_set(order, past->next, entry);
		return rest == past->next ? past : hrf_past_make(order, rest, past);
	}
	return past->spaces[0] == entry->spaces[0] && past->spaces[1] == entry->spaces[1]
		       ? past
		       : hrf_past_make(order, past->next, entry);
}

// ---- Edges --------------------------------------------------------------------------------------

// How one operation leads to another, by their spaces.
struct edge {
	unsigned spaces; // those of one and the same space; or of any to any:
	bool joins;
	bool coarse;
};

// The content, as it is past a coarse-grained synchronization point.
static const struct vkr_vector_clock *hrf_past_pass(struct vkr_order *order,
						    const struct vkr_vector_clock *vector)
{
	if (!vector || (!vector->clocks[0] && !vector->clocks[1]))
		return vector;
	struct vkr_vector_clock *moved = vkr_arena_alloc(&order->memory.arena, sizeof *moved);
	if (!moved) {
		order->memory.failed = true;
		return vector;
	}
	*moved = (struct vkr_vector_clock){
		.clocks = {NULL, NULL, vector->clocks[0], vector->clocks[1]}};
	return order_hrf_past_join(order, vector, moved);
}

static void hrf_past_cross(struct vkr_order *order, const struct edge *edge,
			   const struct vkr_hrf_past *from, struct vkr_hrf_past *to)
{
	for (unsigned source = 0; source < VKR_HRF_SPACES; source++) {
		const struct vkr_vector_clock *vector = view_of(from, source);
		if (edge->coarse)
			vector = hrf_past_pass(order, vector);
		for (unsigned target = 0; target < VKR_HRF_SPACES; target++) {
			if (edge->joins || (source == target && edge->spaces >> source & 1))
				to->spaces[target] =
					order_hrf_past_join(order, to->spaces[target], vector);
		}
	}
}

// The entry that the list has for the instance, or would have.
static struct vkr_hrf_past entry_of(const struct vkr_order *order, const struct vkr_hrf_past *past,
				    const struct vkr_hrf_instance *within, uint64_t agent)
{
	const struct vkr_hrf_past *found = hrf_past_find(order, past, within, agent);
	struct vkr_hrf_past entry = found ? *found : (struct vkr_hrf_past){0};
	entry.within = *within;
	entry.agent = agent;
	return entry;
}

// An edge that counts for one scope only.
static const struct vkr_hrf_past *add_within(struct vkr_order *order, const struct edge *edge,
					     const struct vkr_hrf_past *to,
					     const struct vkr_hrf_past *from,
					     const struct vkr_hrf_instance *within, uint64_t agent)
{
	struct vkr_hrf_past entry = entry_of(order, to, within, agent);
	hrf_past_cross(order, edge, hrf_past_find(order, from, within, agent), &entry);
	return hrf_past_set(order, to, &entry);
}

static bool is_inside(const struct vkr_order *order, const struct vkr_hrf_past *entry,
		      const struct vkr_hrf_instance *outer)
{
	const struct vkr_hrf_instance wider =
		vkr_hrf_instance_of(order, entry->agent, outer->scope);
	return hrf_past_compare(&entry->within, &no_scope) != 0 &&
	       entry->within.scope < outer->scope && wider.number == outer->number;
}

// An edge that counts for a scope, and for those in it that either list has.
static const struct vkr_hrf_past *add_inside(struct vkr_order *order, const struct edge *edge,
					     const struct vkr_hrf_past *to,
					     const struct vkr_hrf_past *from,
					     const struct vkr_hrf_instance *within, uint64_t agent)
{
	const struct vkr_hrf_past *lists[] = {from, to}, *made = to;
	for (unsigned i = 0; i < 2; i++) {
		for (const struct vkr_hrf_past *at = lists[i]; at; at = at->next) {
			if (!is_inside(order, at, within))
				continue;
			struct vkr_hrf_past entry = entry_of(order, to, &at->within, at->agent);
			const struct vkr_hrf_past *old = order_hrf_past_listed(made, &at->within);
			if (old)
				entry = *old;
			hrf_past_cross(order, edge,
				       hrf_past_find(order, from, &at->within, at->agent), &entry);
			made = hrf_past_set(order, made, &entry);
		}
	}
	// The scope itself comes last: what is not listed is found by way of it.
	struct vkr_hrf_past entry = entry_of(order, to, within, agent);
	hrf_past_cross(order, edge, hrf_past_find(order, from, within, agent), &entry);
	return hrf_past_set(order, made, &entry);
}

// An edge that counts for every scope.
static const struct vkr_hrf_past *add_everywhere(struct vkr_order *order, const struct edge *edge,
						 const struct vkr_hrf_past *to,
						 const struct vkr_hrf_past *from)
{
	const struct vkr_hrf_past *made = to;
	const struct vkr_hrf_past *lists[] = {from, to};
	for (unsigned i = 0; i < 2; i++) {
		for (const struct vkr_hrf_past *at = lists[i]; at; at = at->next) {
			if (i == 1 && order_hrf_past_listed(from, &at->within))
				continue;
			struct vkr_hrf_past entry = entry_of(order, to, &at->within, at->agent);
			hrf_past_cross(order, edge,
				       hrf_past_find(order, from, &at->within, at->agent), &entry);
			made = hrf_past_set(order, made, &entry);
		}
	}
	return made;
}

// What a release of that scope has given, to an acquire that is inclusive with it.
static const struct vkr_hrf_past *add_release(struct vkr_order *order,
					      const struct vkr_hrf_past *to,
					      const struct vkr_hrf_node *acquire,
					      const struct edge *edge, enum vkr_hrf_scope one,
					      const struct vkr_hrf_past *given)
{
	const enum vkr_hrf_scope two = vkr_hrf_scope_of(acquire->node.event.scope);
	const uint64_t agent = acquire->node.access.agent;
	if (order->options.rules.model != VKR_MEMORY_HRF_DIRECT)
		return add_within(order, edge, to, given, &no_scope, agent);
	const struct vkr_hrf_instance narrower =
		vkr_hrf_instance_of(order, agent, one < two ? one : two);
	return order->options.rules.readings.direct_union
		       ? add_inside(order, edge, to, given, &narrower, agent)
		       : add_within(order, edge, to, given, &narrower, agent);
}

static const struct vkr_hrf_past *add_source(struct vkr_order *order, const struct vkr_hrf_past *to,
					     const struct vkr_hrf_node *acquire,
					     const struct vkr_hrf_source *source)
{
	const struct vkr_hrf_node *release = vkr_hrf_node_at(order, source->event);
	const bool fences = release->node.event.kind != VKR_ORDER_ATOMIC &&
			    acquire->node.event.kind != VKR_ORDER_ATOMIC;
	// "When two memory fences each specify" both (section 6.1).
	const struct edge edge = {.spaces = source->spaces,
				  .joins = fences && release->spaces == ALL_SPACES &&
					   acquire->spaces == ALL_SPACES};
	return add_release(order, to, acquire, &edge, vkr_hrf_scope_of(release->node.event.scope),
			   release->given);
}

// ---- Handing on ---------------------------------------------------------------------------------

// Each atomic write hands on what the releases up to it in the coherent order of its bytes come to.
// Of releases by many groups an acquire asks for those of its own: hence a treap.

static int order_keys(const struct vkr_hrf_handed_key *one, const struct vkr_hrf_handed_key *other)
{
	if (one->release != other->release)
		return one->release < other->release ? -1 : 1;
	if (one->scope != other->scope)
		return one->scope < other->scope ? -1 : 1;
	if (one->narrower != other->narrower)
		return one->narrower < other->narrower ? -1 : 1;
	return one->number < other->number ? -1 : one->number > other->number;
}

static bool is_above(const struct vkr_hrf_handed *one, const struct vkr_hrf_handed *other)
{
	const uint64_t a = vkr_map_hash(one->key.number), b = vkr_map_hash(other->key.number);
	return a != b ? a > b : order_keys(&one->key, &other->key) < 0;
}

// The entry with other children or more in it; itself where nothing is other.
static const struct vkr_hrf_handed *hrf_past_remake(struct vkr_order *order,
						    const struct vkr_hrf_handed *entry,
						    const struct vkr_hrf_handed *less,
						    const struct vkr_hrf_handed *greater,
						    const struct vkr_hrf_past *past)
{
	if (entry->less == less && entry->greater == greater && entry->past == past)
		return entry;
	struct vkr_hrf_handed *made = vkr_arena_alloc(&order->memory.arena, sizeof *made);
	if (!made) {
		order->memory.failed = true;
		return entry;
	}
	*made = *entry;
	made->less = less;
	made->greater = greater;
	made->past = past;
	return made;
}

// The entry of the key or NULL, and the treaps of what is less and greater.
static const struct vkr_hrf_handed *hrf_past_split(struct vkr_order *order,
						   const struct vkr_hrf_handed *treap,
						   const struct vkr_hrf_handed_key *key,
						   const struct vkr_hrf_handed **less,
						   const struct vkr_hrf_handed **greater)
{
	const struct vkr_hrf_handed *inner = NULL, *found = NULL;
	*less = *greater = NULL;
	if (!treap)
		return NULL;
	const int side = order_keys(key, &treap->key);
	if (side == 0) {
		*less = treap->less;
		*greater = treap->greater;
		return treap;
	}
	if (side < 0) {
		found = hrf_past_split(order, treap->less, key, less, &inner);
		*greater = hrf_past_remake(order, treap, inner, treap->greater, treap->past);
	} else {
		found = hrf_past_split(order, treap->greater, key, &inner, greater);
		*less = hrf_past_remake(order, treap, treap->less, inner, treap->past);
	}
	return found;
}

// What both hand on; the left one itself where the right one has no more.
static const struct vkr_hrf_handed *hrf_past_unite(struct vkr_order *order,
						   const struct vkr_hrf_handed *left,
						   const struct vkr_hrf_handed *right)
{
	static const struct edge plain = {.spaces = ALL_SPACES};
	const struct vkr_hrf_handed *less, *greater;
	if (!right || left == right)
		return left;
	if (!left)
		return right;
	if (order_keys(&left->key, &right->key) != 0 && is_above(right, left)) {
		(void)hrf_past_split(order, left, &right->key, &less, &greater);
		return hrf_past_remake(order, right, hrf_past_unite(order, less, right->less),
				       hrf_past_unite(order, greater, right->greater), right->past);
	}
	const struct vkr_hrf_handed *other =
		hrf_past_split(order, right, &left->key, &less, &greater);
	const struct vkr_hrf_past *past =
		other ? add_everywhere(order, &plain, left->past, other->past) : left->past;
	return hrf_past_remake(order, left, hrf_past_unite(order, left->less, less),
			       hrf_past_unite(order, left->greater, greater), past);
}

static const struct vkr_hrf_handed *hand_to(struct vkr_order *order,
					    const struct vkr_hrf_handed *handed,
					    const struct vkr_hrf_node *release,
					    enum vkr_hrf_scope narrower)
{
	const uint64_t agent = release->node.access.agent;
	const struct vkr_hrf_instance within = vkr_hrf_instance_of(order, agent, narrower);
	const struct vkr_hrf_handed entry = {
		.key = {.release = release->node.event.kind == VKR_ORDER_ATOMIC
					   ? VKR_HRF_RELEASE_ATOMIC
				   : release->spaces == ALL_SPACES ? VKR_HRF_RELEASE_BRIDGING
								   : VKR_HRF_RELEASE_FENCE,
			.scope = vkr_hrf_scope_of(release->node.event.scope),
			.narrower = narrower,
			.number = narrower == VKR_HRF_SYSTEM
					  ? vkr_hrf_instance_of(order, agent, VKR_HRF_DEVICE).number
					  : within.number},
		.agent = agent,
	};
	const struct vkr_hrf_past *past = release->given;
	// The other scopes' closures are not asked for.
	if (order->options.rules.model == VKR_MEMORY_HRF_DIRECT &&
	    !order->options.rules.readings.direct_union) {
		const struct vkr_hrf_past only = entry_of(order, past, &within, agent);
		past = hrf_past_make(order, NULL, &only);
	}
	return hrf_past_unite(order, handed, hrf_past_remake(order, &entry, NULL, NULL, past));
}

// To acquires of its own scope, of wider ones, and of those narrower ones that there are.
static void hand_release(struct vkr_order *order, struct vkr_hrf_node *node,
			 const struct vkr_hrf_node *release)
{
	const enum vkr_hrf_scope own = vkr_hrf_scope_of(release->node.event.scope);
	// Of its call the release may be still to come.
	for (unsigned scope = 0; release->given && scope <= (unsigned)own; scope++) {
		if (scope == (unsigned)own || node->run->site->acquired >> scope & 1)
			node->handed =
				hand_to(order, node->handed, release, (enum vkr_hrf_scope)scope);
	}
}

// True where that grew.
static bool hand_on(struct vkr_order *order, struct vkr_hrf_node *node)
{
	const struct vkr_order_node *of = &node->node;
	const struct vkr_hrf_handed *before = node->handed;
	if (of->event.kind != VKR_ORDER_ATOMIC || !of->access.write)
		return false;
	if (node->previous)
		node->handed = hrf_past_unite(order, node->handed, node->previous->handed);
	if (of->releases)
		hand_release(order, node, node);
	const struct vkr_order_recent *fences =
		vkr_order_state_at(order, of->access.agent, of->access.position).release_fences;
	for (; fences; fences = fences->older) {
		const struct vkr_hrf_node *fence = vkr_hrf_node_at(order, fences->event);
		if (fence->spaces & node->spaces)
			hand_release(order, node, fence);
	}
	bool grown = node->handed != before;
	for (unsigned i = 0; i < 2; i++) {
		struct vkr_hrf_class *class = vkr_hrf_class_of(order, of->event.writes_class[i]);
		if (!class)
			continue;
		before = class->handed;
		class->handed = hrf_past_unite(order, class->handed, node->handed);
		grown = grown || class->handed != before;
	}
	return grown;
}

static void hand_on_from(struct vkr_order *order, const struct vkr_hrf_run *run, size_t first)
{
	for (size_t at = first; at < run->writes.count; at++)
		(void)hand_on(order, vkr_hrf_node_of(run->writes.items[at]));
}

// Turns do not go with visits where several writes go back to one, nor with calls.
void vkr_hrf_sweep(struct vkr_order *order, struct vkr_order_node *const *nodes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct vkr_hrf_run *run = vkr_hrf_node_of(nodes[i])->run;
		if (run && run->writes.items[run->latest] == nodes[i])
			hand_on_from(order, run, run->latest + 1);
	}
}

void vkr_hrf_hand_to(struct vkr_order *order, struct vkr_hrf_site *site, enum vkr_hrf_scope scope)
{
	if (site->acquired >> scope & 1)
		return;
	site->acquired |= 1u << scope;
	for (size_t i = 0; i < site->runs.count; i++)
		hand_on_from(order, site->runs.items[i], 0);
}

// One acquire that takes what one of its reads is handed.
struct taking {
	struct vkr_order *order;
	const struct vkr_hrf_node *acquire;
	const struct vkr_order_node *read;
	const struct vkr_hrf_past *past;
};

static void take_entry(struct taking *taking, const struct vkr_hrf_handed *entry)
{
	struct vkr_order *order = taking->order;
	const struct vkr_order_node *acquire = &taking->acquire->node;
	const struct vkr_order_access *access = &taking->read->access;
	const bool fence = acquire->event.kind != VKR_ORDER_ATOMIC;
	const bool from_fence = entry->key.release != VKR_HRF_RELEASE_ATOMIC;
	const struct vkr_readings *readings = &order->options.rules.readings;
	const bool shared = !access->local && !access->coarse &&
			    !((fence || from_fence) && readings->fence_allocation);
	if ((fence != from_fence && !readings->fence_pair) ||
	    !vkr_hrf_inclusive(order, entry->agent, entry->key.scope, acquire->access.agent,
			       vkr_hrf_scope_of(acquire->event.scope), shared))
		return;
	const struct edge edge = {.spaces = vkr_hrf_space_of(access),
				  .joins = fence &&
					   entry->key.release == VKR_HRF_RELEASE_BRIDGING &&
					   taking->acquire->spaces == ALL_SPACES};
	taking->past = add_release(order, taking->past, taking->acquire, &edge, entry->key.scope,
				   entry->past);
}

// Takes the entry of the key; of the system's instance, those of all devices.
static void take_key(struct taking *taking, const struct vkr_hrf_handed *treap,
		     const struct vkr_hrf_handed_key *key)
{
	if (!treap)
		return;
	struct vkr_hrf_handed_key at = treap->key;
	if (key->narrower == VKR_HRF_SYSTEM)
		at.number = key->number;
	const int side = order_keys(key, &at);
	if (side <= 0)
		take_key(taking, treap->less, key);
	if (side == 0)
		take_entry(taking, treap);
	if (side >= 0)
		take_key(taking, treap->greater, key);
}

static void hrf_past_take(struct taking *taking, const struct vkr_hrf_handed *treap)
{
	const struct vkr_order_node *acquire = &taking->acquire->node;
	const enum vkr_hrf_scope own = vkr_hrf_scope_of(acquire->event.scope);
	for (unsigned release = 0; release <= VKR_HRF_RELEASE_BRIDGING && treap; release++) {
		for (unsigned scope = 0; scope < VKR_HRF_SCOPES; scope++) {
			struct vkr_hrf_handed_key key = {
				.release = (enum vkr_hrf_release)release,
				.scope = (enum vkr_hrf_scope)scope,
				.narrower = scope < (unsigned)own ? (enum vkr_hrf_scope)scope : own,
			};
			key.number = vkr_hrf_instance_of(taking->order, acquire->access.agent,
							 key.narrower)
					     .number;
			take_key(taking, treap, &key);
		}
	}
}

static bool take_site(void *context, struct vkr_hrf_site *site)
{
	struct taking *taking = context;
	const struct vkr_order_event *read = &taking->read->event;
	const struct vkr_hrf_run *run = vkr_hrf_run_of(site, read->since);
	const struct vkr_hrf_node *last = run ? vkr_hrf_last_of(run, read->seen) : NULL;
	if (last)
		hrf_past_take(taking, last->handed);
	return true;
}

static const struct vkr_hrf_past *take_read(struct vkr_order *order,
					    const struct vkr_hrf_past *past,
					    const struct vkr_hrf_node *acquire,
					    const struct vkr_order_node *read)
{
	struct taking taking = {.order = order, .acquire = acquire, .read = read, .past = past};
	const struct vkr_hrf_class *class = vkr_hrf_class_of(order, read->event.reads_class);
	vkr_hrf_each_site(order, &read->access, take_site, &taking);
	if (class)
		hrf_past_take(&taking, class->handed);
	return taking.past;
}

// ---- Events -------------------------------------------------------------------------------------

static const struct vkr_hrf_past *past_at(const struct vkr_order *order, uint64_t agent,
					  uint64_t position)
{
	const struct vkr_order_agent *record = vkr_order_agent_at(order, agent);
	uint64_t events = position / 2;
	if (record && events > record->events.count)
		events = record->events.count;
	return record && events > 0 ? vkr_hrf_node_of(record->events.items[events - 1])->after
				    : vkr_order_group_of(order, agent)->past;
}

// The operation itself, in its places.
static const struct vkr_hrf_past *add_itself(struct vkr_order *order,
					     const struct vkr_hrf_past *past,
					     const struct vkr_hrf_node *node, unsigned spaces)
{
	const struct vkr_order_access *access = &node->node.access;
	const bool merges = order->options.rules.readings.join && spaces == ALL_SPACES &&
			    (node->node.event.kind == VKR_ORDER_FENCE ||
			     node->node.event.kind == VKR_ORDER_BARRIER);
	const struct vkr_hrf_past *made = past;
	for (const struct vkr_hrf_past *at = made; at; at = at->next) {
		struct vkr_hrf_past entry = *at;
		for (unsigned space = 0; space < VKR_HRF_SPACES; space++) {
			if (spaces >> space & 1)
				entry.spaces[space] = vkr_vector_clock_add(
					&order->memory, entry.spaces[space], access->agent,
					VKR_CLOCK_ALL, access->position, (uint16_t)(1u << space));
		}
		// One fence that names both spaces is one operation in both orders.
		if (merges)
			entry.spaces[0] = entry.spaces[1] =
				order_hrf_past_join(order, entry.spaces[0], entry.spaces[1]);
		made = hrf_past_set(order, made, &entry);
	}
	return made;
}

// The old list with what the new one has more; the old one itself where that is nothing.
static const struct vkr_hrf_past *hrf_past_grow(struct vkr_order *order,
						const struct vkr_hrf_past *old,
						const struct vkr_hrf_past *new)
{
	for (; old != new &&new; new = new->next) {
		const struct vkr_hrf_past *known = order_hrf_past_listed(old, &new->within);
		struct vkr_hrf_past entry = *new;
		for (unsigned space = 0; known && space < VKR_HRF_SPACES; space++)
			entry.spaces[space] = order_hrf_past_join(order, known->spaces[space],
								  new->spaces[space]);
		old = hrf_past_set(order, old, &entry);
	}
	return old;
}

bool vkr_hrf_propagate(struct vkr_order *order, struct vkr_order_node *of)
{
	static const struct edge system = {.joins = true, .coarse = true};
	struct vkr_hrf_node *node = vkr_hrf_node_of(of);
	const struct vkr_hrf_past *given = node->given, *after = node->after;
	const struct vkr_hrf_past *past = past_at(order, of->access.agent, of->access.position);
	if (!past) // the list that all others fall back on
		past = hrf_past_make(order, NULL, &(struct vkr_hrf_past){.within = no_scope});
	for (size_t i = 0; i < of->event.system_count; i++) {
		const struct vkr_hrf_node *from = vkr_hrf_node_at(order, of->event.system[i]);
		// An operation that system-synchronizes has a place in every space.
		past = add_everywhere(order, &system, past,
				      add_itself(order, from->after, from, ALL_SPACES));
	}
	// A barrier is a release followed by an acquire, and not both at once.
	if (of->event.kind == VKR_ORDER_BARRIER)
		node->given =
			hrf_past_grow(order, given, add_itself(order, past, node, node->spaces));
	for (size_t i = 0; i < of->source_count; i++)
		past = add_source(order, past, node, &node->sources[i]);
	for (size_t i = 0; i < of->read_count; i++)
		past = take_read(order, past, node, of->reads[i]);
	node->after = hrf_past_grow(order, after, add_itself(order, past, node, node->spaces));
	if (of->event.kind != VKR_ORDER_BARRIER)
		node->given = node->after;
	return hand_on(order, node) || given != node->given || after != node->after;
}

void vkr_hrf_follow(struct vkr_order *order, const struct vkr_order_node *end,
		    struct vkr_order_node *begin)
{
	static const struct edge system = {.joins = true, .coarse = true};
	const struct vkr_hrf_node *from = (const struct vkr_hrf_node *)end;
	struct vkr_hrf_node *to = vkr_hrf_node_of(begin);
	to->after = add_everywhere(order, &system, to->after, from->after);
	to->given = to->after;
}

void vkr_hrf_follow_group(struct vkr_order *order, const struct vkr_order_group_record *source,
			  struct vkr_order_group_record *target)
{
	static const struct edge system = {.joins = true, .coarse = true};
	const uint16_t all = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 3;
	const struct vkr_hrf_past *past = target->past;
	if (source->past)
		past = add_everywhere(order, &system, past, source->past);
	for (const struct vkr_order_agent *agent = source->agents; agent; agent = agent->sibling)
		past = add_everywhere(order, &system, past, past_at(order, agent->id, UINT64_MAX));
	struct vkr_hrf_past whole = {.within = no_scope};
	for (unsigned space = 0; space < VKR_HRF_SPACES; space++)
		whole.spaces[space] = vkr_vector_clock_add(&order->memory, NULL, source->first,
							   VKR_CLOCK_GROUP, UINT64_MAX, all);
	target->past = add_everywhere(order, &system, past, &whole);
}

// ---- Questions ----------------------------------------------------------------------------------

static bool hrf_past_holds(const struct vkr_order *order, const struct vkr_vector_clock *vector,
			   unsigned clock, const struct vkr_order_access *access)
{
	if (!vector)
		return false;
	const struct vkr_clock *entry =
		vkr_clock_find(vector->clocks[clock], access->agent, VKR_CLOCK_ALL, 0);
	if (entry && access->position <= entry->position)
		return true;
	return vkr_clock_find(vector->clocks[clock],
			      vkr_order_group_of(order, access->agent)->first, VKR_CLOCK_GROUP,
			      0) != NULL;
}

bool vkr_hrf_before(const struct vkr_order *order, const struct vkr_order_access *first,
		    const struct vkr_order_access *second, bool coarse)
{
	const unsigned space = first->local ? 1 : 0, target = second->local ? 1 : 0;
	if (first->agent == second->agent && (space == target || first->step > second->step))
		return !coarse && first->step < second->step;
	// The state after an event has the event itself, which is the second's own.
	const uint64_t position = second->position + (second->event != 0);
	for (const struct vkr_hrf_past *at = past_at(order, second->agent, position); at;
	     at = at->next) {
		if (hrf_past_holds(order, at->spaces[target], space + (coarse ? 2 : 0), first))
			return true;
	}
	return false;
}
