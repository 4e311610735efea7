// SPDX-License-Identifier: Apache-2.0
// What the files of the HRF models share: scope instances, what synchronizes with what, and what
// happens-before what in each address space (Gaster, Hower, Howes: "HRF-Relaxed", TACO 12 (2015) 7;
// figures and definitions are that paper's). Private to order*.c; knows nothing of Vulkan's rules.
#pragma once

#include "order_state.h"

#define VKR_HRF_SPACES 2u

// Static scopes, from narrow to wide.
enum vkr_hrf_scope {
	VKR_HRF_WORK_ITEM,
	VKR_HRF_SUBGROUP,
	VKR_HRF_WORKGROUP,
	VKR_HRF_DEVICE,
	VKR_HRF_SYSTEM,
	VKR_HRF_SCOPES,
};

// A dynamic scope: a static scope and the number of its instance. A host thread shares no subgroup
// or workgroup with another agent; all host threads are one device.
struct vkr_hrf_instance {
	enum vkr_hrf_scope scope;
	uint64_t number;
};

// What happens-before some point of an agent's execution: one clock for each space in which it is
// reached and each space of its operations. HRF-direct unites closures, one for each dynamic scope
// that synchronizes: so this is a list of them in ascending order of scope. The first one holds for
// every scope that is not listed, and contains only program order and coarse-grained
// synchronization; the other HRF models have no more than that one. Immutable and shared; NULL:
// nothing.
struct vkr_hrf_past {
	struct vkr_hrf_instance within;
	uint64_t agent; // one in the instance; its wider instances hold this one
	// By the space in which the point is reached. Clocks 0 and 1 are those of global and of
	// local operations; clocks 2 and 3 hold only operations after which a coarse-grained
	// synchronization point follows.
	const struct vkr_vector_clock *spaces[VKR_HRF_SPACES];
	const struct vkr_hrf_past *next;
};

// An event that synchronizes with another one in some spaces.
struct vkr_hrf_source {
	uint64_t event;
	unsigned spaces;
};

enum vkr_hrf_release {
	VKR_HRF_RELEASE_ATOMIC,
	VKR_HRF_RELEASE_FENCE,    // before an atomic write
	VKR_HRF_RELEASE_BRIDGING, // such a fence that names both spaces
};

// What some releases bring to whoever comes after them in the coherent order of a location. An
// entry is for the releases of one kind and scope, and the acquires of another one or of the same,
// that are in one instance of the narrower of the two: either all of these releases are inclusive
// with such an acquire or none is. A persistent treap of entries, in the order of the key, with a
// hash of it as heap order.
struct vkr_hrf_handed {
	const struct vkr_hrf_handed *less, *greater;
	struct vkr_hrf_handed_key {
		enum vkr_hrf_release release;
		enum vkr_hrf_scope scope; // of the releases
		enum vkr_hrf_scope narrower;
		uint64_t number; // of the instance; of the system's: of the releases' device
	} key;
	uint64_t agent;                  // one of the releases'
	const struct vkr_hrf_past *past; // what all that they release comes to
};

struct vkr_hrf_node {
	struct vkr_order_node node;
	unsigned spaces; // that it is ordered in; all where it is neither access nor fence
	const struct vkr_hrf_source *sources;
	const struct vkr_hrf_past *given; // what it releases, itself included
	const struct vkr_hrf_past *after; // what happens-before what follows it
	// Of an atomic write: its run, the write before it there, and what it and those before it
	// bring.
	struct vkr_hrf_run *run;
	const struct vkr_hrf_node *previous;
	const struct vkr_hrf_handed *handed;
};

// Atomic writes of one site that stand in the coherent order in a row, as far as is known.
struct vkr_hrf_run {
	uint64_t since;                // the least turn of them
	struct vkr_order_nodes writes; // by their turns, once settled
	size_t settled;                // how many of them are
	size_t latest;                 // the first that the last call moved
	struct vkr_hrf_site *site;
};

// Atomics of the same bytes.
struct vkr_hrf_site {
	uint64_t memory, offset, size;
	unsigned acquired; // scopes of the acquires that its writes are handed to, a bit each
	struct vkr_order_nodes atomics; // reads, too
	struct {
		struct vkr_hrf_run **items;
		size_t count, capacity;
	} runs;
	struct vkr_map by_since; // to struct vkr_hrf_run *
};

// Writes of which a read takes its value from one, it is not known which.
struct vkr_hrf_class {
	struct vkr_order_nodes writes;
	const struct vkr_hrf_handed *handed; // by all of them
};

static inline struct vkr_hrf_node *vkr_hrf_node_of(struct vkr_order_node *node)
{
	return (struct vkr_hrf_node *)node;
}

static inline const struct vkr_hrf_node *vkr_hrf_node_at(const struct vkr_order *order,
							 uint64_t event)
{
	return (const struct vkr_hrf_node *)vkr_order_node_at(order, event);
}

static inline unsigned vkr_hrf_space_of(const struct vkr_order_access *access)
{
	return access->local ? VKR_ORDER_LOCAL : VKR_ORDER_GLOBAL;
}

// order_hrf_scope.c
enum vkr_hrf_scope vkr_hrf_scope_of(enum vkr_order_scope scope);
struct vkr_hrf_instance vkr_hrf_instance_of(const struct vkr_order *order, uint64_t agent,
					    enum vkr_hrf_scope scope);
// Whether two operations' scopes include each other, by the model's notion of it. `shared`: both
// are to an allocation that all agents observe (definition 6.1's fga).
bool vkr_hrf_inclusive(const struct vkr_order *order, uint64_t agent, enum vkr_hrf_scope one,
		       uint64_t other, enum vkr_hrf_scope two, bool shared);
// "Observability" (figures 13 and 17).
bool vkr_hrf_observable(const struct vkr_order *order, const struct vkr_order_access *first,
			const struct vkr_order_access *second);

// order_hrf_site.c
bool vkr_hrf_begin(struct vkr_order *order); // false for lack of memory
void vkr_hrf_finish(struct vkr_order *order);
bool vkr_hrf_add(struct vkr_order *order, struct vkr_order_node *node);
// Calls `meet` for the sites of which some bytes are the access's, now and then twice, until it
// returns false.
bool vkr_hrf_each_site(const struct vkr_order *order, const struct vkr_order_access *access,
		       bool (*meet)(void *context, struct vkr_hrf_site *site), void *context);
// NULL where there is none.
struct vkr_hrf_run *vkr_hrf_run_of(const struct vkr_hrf_site *site, uint64_t since);
struct vkr_hrf_class *vkr_hrf_class_of(const struct vkr_order *order, uint64_t number);
void vkr_hrf_place(const struct vkr_order *order, struct vkr_order_node *node);
// The last write of a settled run up to the turn, or NULL.
const struct vkr_hrf_node *vkr_hrf_last_of(const struct vkr_hrf_run *run, uint64_t modification);

// order_hrf_sync.c
bool vkr_hrf_find_sources(struct vkr_order *order, struct vkr_order_node *node);

// order_hrf_past.c
// The site's writes are handed to acquires of that scope, too.
void vkr_hrf_hand_to(struct vkr_order *order, struct vkr_hrf_site *site, enum vkr_hrf_scope scope);
bool vkr_hrf_propagate(struct vkr_order *order, struct vkr_order_node *node);
void vkr_hrf_sweep(struct vkr_order *order, struct vkr_order_node *const *nodes, size_t count);
void vkr_hrf_follow(struct vkr_order *order, const struct vkr_order_node *end,
		    struct vkr_order_node *begin);
void vkr_hrf_follow_group(struct vkr_order *order, const struct vkr_order_group_record *source,
			  struct vkr_order_group_record *target);
// Whether the first access happens-before the second, in their space, with program order; with
// `coarse`: past a coarse-grained synchronization point.
bool vkr_hrf_before(const struct vkr_order *order, const struct vkr_order_access *first,
		    const struct vkr_order_access *second, bool coarse);
