// SPDX-License-Identifier: Apache-2.0
// Release sequences of atomic writes (order_sequence.c), and what they hand to who reads them.
// Knows atomic writes; not what an acquire makes of it. Private to order*.c.
#pragma once

#include "order_state.h"

// The atomic writes to one set of bytes through one reference: those that may head a release
// sequence, and those that read nothing and so end one.
struct vkr_order_site {
	uint64_t memory, offset, size, reference;
	struct vkr_order_nodes heads, stores; // by turn, once vkr_order_each_head needs it
	bool sorted;
	// All writes so far, and all release fences before them, have one scope, or scopes of a
	// queue family and more, and are in one instance of the narrowest: then all are in one
	// modification order, and whoever is in the instance too synchronizes with all of a
	// sequence.
	bool uniform;
	uint64_t agent;             // of the first write
	enum vkr_order_scope scope; // the narrowest
	unsigned shared;            // scopes, a bit each, whose instance around the agent holds all
	struct vkr_order_site *next;
};

// Writes that an atomic perhaps read the value of.
struct vkr_order_class {
	struct vkr_order_nodes writes;
	const struct vkr_vector_clock *handed; // by all of them
	uint64_t search;                       // that met it last
	struct vkr_order_class *next;          // that the search is to go on with
};

bool vkr_order_add_atomic(struct vkr_order *order, struct vkr_order_node *node);
// Of a write: finds whether it comes right after the write that it reads from, and on which class
// its value depends. The write that it reads from must have been placed before.
void vkr_order_place_write(const struct vkr_order *order, struct vkr_order_node *node);
// Whether the acquire, which is the read or a fence after it, synchronizes with all releases of the
// sequences that the read takes its value from, and with all release fences before these.
bool vkr_order_takes_all(const struct vkr_order *order, const struct vkr_order_node *read,
			 const struct vkr_order_node *acquire);
// The clock that these releases bring, if so; otherwise NULL.
const struct vkr_vector_clock *vkr_order_handed_to(const struct vkr_order *order,
						   const struct vkr_order_node *read);
// Recomputes what a write hands on; true where that grew.
bool vkr_order_hand_on(struct vkr_order *order, struct vkr_order_node *node);
// Calls `head` with each atomic write X that is mutually ordered with the atomic read and whose
// release sequence, hypothetical where X is no release, holds the write that it reads from.
bool vkr_order_each_head(struct vkr_order *order, const struct vkr_order_node *read,
			 bool (*head)(void *context, const struct vkr_order_node *write),
			 void *context);
