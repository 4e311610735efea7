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

// A dynamic scope: a static one, and which instance of it. No host thread is in a subgroup or
// workgroup with another agent; all of them are one device.
struct vkr_hrf_instance {
	enum vkr_hrf_scope scope;
	uint64_t number;
};

// What happens-before some point of an agent's life: one clock for each space that it is reached in
// and each space that its operations are in. HRF-direct unites closures: one for each dynamic scope
// that synchronizes. A list of these in ascending order, of which the first is that of program
// order and coarse-grained synchronization alone, and holds for every scope that is not listed;
// the other HRF models have no more than that one. Immutable and shared; NULL: nothing.
struct vkr_hrf_past {
	struct vkr_hrf_instance within;
	uint64_t agent; // one in the instance; its wider instances hold this one
	// By the space in which the point is reached. Of the clocks in a view, number 0 and 1 are
	// of global and of local operations, 2 and 3 of those of them that a coarse-grained
	// synchronization point stands between.
	const struct vkr_vector_clock *spaces[VKR_HRF_SPACES];
	const struct vkr_hrf_past *next;
};

// An event that synchronizes with another one in some spaces.
struct vkr_hrf_source {
	uint64_t event;
	unsigned spaces;
};

struct vkr_hrf_node {
	struct vkr_order_node node;
	unsigned spaces; // that it is ordered in; all where it is neither access nor fence
	const struct vkr_hrf_source *sources;
	const struct vkr_hrf_past *given; // what it releases, itself included
	const struct vkr_hrf_past *after; // what happens-before what follows it
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
bool vkr_hrf_inclusive(const struct vkr_order *order, uint64_t agent, enum vkr_order_scope scope,
		       uint64_t other, enum vkr_order_scope other_scope, bool shared);
// "Observability" (figures 13 and 17).
bool vkr_hrf_observable(const struct vkr_order *order, const struct vkr_order_access *first,
			const struct vkr_order_access *second);

// order_hrf_sync.c
bool vkr_hrf_begin(struct vkr_order *order); // false for lack of memory
void vkr_hrf_finish(struct vkr_order *order);
bool vkr_hrf_add(struct vkr_order *order, struct vkr_order_node *node);
bool vkr_hrf_find_sources(struct vkr_order *order, struct vkr_order_node *node);

// order_hrf_past.c
bool vkr_hrf_propagate(struct vkr_order *order, struct vkr_order_node *node);
void vkr_hrf_follow(struct vkr_order *order, const struct vkr_order_node *end,
		    struct vkr_order_node *begin);
void vkr_hrf_follow_group(struct vkr_order *order, const struct vkr_order_group_record *source,
			  struct vkr_order_group_record *target);
// Whether the first access happens-before the second, in their space, with program order; with
// `coarse`: past a coarse-grained synchronization point.
bool vkr_hrf_before(const struct vkr_order *order, const struct vkr_order_access *first,
		    const struct vkr_order_access *second, bool coarse);
