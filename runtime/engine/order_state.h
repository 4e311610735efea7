// SPDX-License-Identifier: Apache-2.0
// What the files of the location-order engine share: agents, fed events, and what is kept of them.
// Private to order*.c.
#pragma once

#include "map.h"
#include "order.h"
#include "order_clock.h"
#include "order_ladder.h"

// The latest fences of an agent, one for each (scope, semantics): an earlier fence with the same
// ones orders nothing that a later one does not. Immutable and shared.
struct vkr_order_recent {
	uint64_t event;
	unsigned key;
	const struct vkr_order_recent *older;
};

// An agent after one of its events, or before its first.
struct vkr_order_state {
	// What happens-before everything the agent does from here on.
	const struct vkr_vector_clock *base;
	// What its acquires brought: happens-before what the set of storage classes covers.
	const struct vkr_vector_clock *acquired;
	// What system-synchronizes with single earlier events of the agent, and therefore
	// happens-before its next release that covers these events.
	const struct vkr_vector_clock *gathered;
	// All that happens-before any of its events so far.
	const struct vkr_vector_clock *total;
	const struct vkr_order_recent *release_fences, *acquire_fences;
	uint64_t read, barrier; // latest atomic read, control barrier
	uint64_t acquire;       // latest of any kind
};

struct vkr_order_stream;
struct vkr_order_scratch;

struct vkr_order_node {
	struct vkr_order_event event;
	struct vkr_order_access access; // as a point: agent, position, step, event; and the access
	bool host;
	bool releases, acquires; // a release (acquire) operation or barrier
	const uint64_t *sources; // releases that synchronize-with this acquire
	size_t source_count;
	// Atomic reads by which it synchronizes with more of them: all those of the sites'
	// sequences.
	struct vkr_order_node *const *reads;
	size_t read_count;
	// Of an atomic write to a uniform site: what all releases bring that synchronize with an
	// acquire that reads its value.
	const struct vkr_vector_clock *handed;
	struct vkr_order_site *site;
	struct vkr_order_class *reads_class, *writes_class[2];
	struct vkr_order_class *doubt; // of an atomic write: that its value hangs on, or NULL
	const struct vkr_vector_clock *system; // what its own system-synchronizes-with edges bring
	const struct vkr_vector_clock *synced; // what its synchronizes-with edges bring
	const struct vkr_vector_clock
		*before; // what inter-thread-happens-before it, and for a release, itself
	uint64_t older_read, older_barrier; // of the same agent
	struct vkr_order_node *participant; // the next of the same control barrier instance
	struct vkr_order_state after;
};

struct vkr_order_nodes {
	struct vkr_order_node **items;
	size_t count, capacity;
};

struct vkr_order_agent {
	uint64_t id;
	size_t group;
	struct vkr_order_nodes events;
	struct vkr_order_state initial;
	struct vkr_order_stream *streams[2]; // of storage classes: of visibility, of availability
	struct vkr_order_agent *sibling;     // the next of its group that has events
	struct vkr_order_agent *near;        // the next in its vkr_order_near
	bool has_operations;
};

struct vkr_hrf_past;

struct vkr_order_group_record {
	uint64_t first;
	struct vkr_order_group is;
	const struct vkr_vector_clock *base;
	const struct vkr_hrf_past *past; // order_hrf.h
	struct vkr_order_agent *agents;
};

// Offsets in one page of a memory at which coverage by some operation begins or ends, ascending.
#define VKR_ORDER_PAGE 4096
struct vkr_order_cuts {
	uint64_t *items;
	size_t count, capacity;
};

// What a memory model makes of agents and events; one a family of models.
struct vkr_order_policy {
	size_t node_bytes; // struct vkr_order_node, or what begins with one
	// Takes up an event that was added, with its structure. False for lack of memory, as below.
	bool (*add)(struct vkr_order *order, struct vkr_order_node *node);
	// All events of its call have been added.
	void (*place)(const struct vkr_order *order, struct vkr_order_node *node);
	// Finds which events synchronize with it: depends on the structure alone, not on clocks.
	bool (*find_sources)(struct vkr_order *order, struct vkr_order_node *node);
	// Recomputes what happens-before the event and the state after it; true where that grew.
	bool (*propagate)(struct vkr_order *order, struct vkr_order_node *node);
	// Once all of the call have been recomputed: what goes another way than from lower to
	// higher visits. NULL: nothing does.
	void (*sweep)(struct vkr_order *order, struct vkr_order_node *const *nodes, size_t count);
	// All that the agent of `end` did before it comes before what that of `begin` does after
	// it.
	void (*follow)(struct vkr_order *order, const struct vkr_order_node *end,
		       struct vkr_order_node *begin);
	void (*follow_group)(struct vkr_order *order, const struct vkr_order_group_record *source,
			     struct vkr_order_group_record *target);
	// A plain access with operations of its own.
	bool (*operate)(struct vkr_order *order, const struct vkr_order_access *access);
	enum vkr_result (*compare)(const struct vkr_order *order,
				   const struct vkr_order_access *first,
				   const struct vkr_order_access *second,
				   bool (*report)(void *context, const struct vkr_order_run *run),
				   void *context, struct vkr_error *error);
};

struct vkr_order_hrf;

struct vkr_order {
	struct vkr_order_options options;
	const struct vkr_order_policy *policy;
	struct vkr_order_hrf *hrf; // order_hrf_sync.c; NULL under Vulkan's models
	struct vkr_clock_arena memory;
	struct vkr_order_group_record *groups; // ascending
	size_t group_count, group_capacity;
	uint64_t next_agent;
	struct vkr_map agents;    // id to struct vkr_order_agent *
	struct vkr_map instances; // of control barriers: to the newest struct vkr_order_node *
	struct vkr_map sites;     // hash to struct vkr_order_site *
	struct vkr_map classes;   // to struct vkr_order_class *
	uint64_t searches;        // for heads of release sequences
	struct vkr_map cuts;      // hash of memory and page to struct vkr_order_cuts *
	struct vkr_order_nodes nodes;
	// Operations by shader invocations: agents by vkr_order_near, and streams by their bytes.
	struct vkr_map near;   // to struct vkr_order_near *
	struct vkr_map places; // hash to struct vkr_order_place *
	uint64_t levels;       // of places: powers of two that there are, a bit each
	bool single_edges;     // some event system-synchronizes-with another by itself
	struct vkr_order_nodes api[VKR_ORDER_DEVICE_HOST + 1]; // API-level operations by kind
	struct vkr_order_scratch *scratch;
};

// order.c
extern const struct vkr_order_policy vkr_order_vulkan_policy;

// order_state.c
size_t vkr_order_group_index(const struct vkr_order *order, uint64_t agent);
struct vkr_order_agent *vkr_order_agent_at(const struct vkr_order *order, uint64_t agent);
const struct vkr_order_group_record *vkr_order_group_of(const struct vkr_order *order,
							uint64_t agent);
struct vkr_order_node *vkr_order_node_at(const struct vkr_order *order, uint64_t event);
// The agent's state right before the position.
struct vkr_order_state vkr_order_state_at(const struct vkr_order *order, uint64_t agent,
					  uint64_t position);
bool vkr_order_append(struct vkr_order_nodes *nodes, struct vkr_order_node *node);

// order_hrf.c
extern const struct vkr_order_policy vkr_order_hrf_policy;

// order_scope.c
bool vkr_order_host(const struct vkr_order *order, uint64_t agent);
// Whether agent `other` is in the instance of the scope around `agent`.
bool vkr_order_within(const struct vkr_order *order, enum vkr_order_scope scope, uint64_t agent,
		      uint64_t other);
// Each in the instance of the other's scope.
bool vkr_order_in_scope(const struct vkr_order *order, uint64_t agent, enum vkr_order_scope scope,
			uint64_t other, enum vkr_order_scope other_scope);

// order_sync.c
bool vkr_order_find_sources(struct vkr_order *order, struct vkr_order_node *node);

// order_happens.c
// Recomputes what happens-before the event and the state after it; true where that grew.
bool vkr_order_propagate(struct vkr_order *order, struct vkr_order_node *node);

// order_location.c
// The nearest release of the earlier access's agent after it and acquire of the later one's before.
void vkr_order_find_nearest(const struct vkr_order *order, const struct vkr_order_access *earlier,
			    const struct vkr_order_access *later,
			    struct vkr_order_separation *separation);
enum vkr_result
vkr_order_compare_vulkan(const struct vkr_order *order, const struct vkr_order_access *first,
			 const struct vkr_order_access *second,
			 bool (*report)(void *context, const struct vkr_order_run *run),
			 void *context, struct vkr_error *error);

// order_avail.c
struct vkr_order_scratch *vkr_order_scratch_create(void);
void vkr_order_scratch_destroy(struct vkr_order_scratch *scratch);
// Whether some search so far has lacked memory.
bool vkr_order_scratch_failed(const struct vkr_order_scratch *scratch);
bool vkr_order_add_operations(struct vkr_order *order, const struct vkr_order_access *access,
			      const struct vkr_order_node *node);
// What the path between shader invocations lacks that gets furthest.
enum vkr_rung vkr_order_shader_path(const struct vkr_order *order,
				    const struct vkr_order_access *first,
				    const struct vkr_order_access *second, uint64_t offset,
				    struct vkr_order_separation *separation);
bool vkr_order_add_cut(struct vkr_order *order, uint64_t memory, uint64_t offset);
// The first cut of the memory after `offset`, at most `end`.
uint64_t vkr_order_next_cut(const struct vkr_order *order, uint64_t memory, uint64_t offset,
			    uint64_t end);

// order_device.c
// What the path through the device and host domains lacks that gets furthest.
enum vkr_rung vkr_order_device_path(const struct vkr_order *order,
				    const struct vkr_order_access *first,
				    const struct vkr_order_access *second, uint64_t offset,
				    struct vkr_order_separation *separation);

// For qsort(), of pointers to nodes: in modification order, then in that of their events.
int vkr_order_compare_modifications(const void *a, const void *b);
