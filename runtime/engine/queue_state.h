// SPDX-License-Identifier: Apache-2.0
// What is known at a place on a timeline, and tokens, which carry it to others.
//
// A timeline's state says, for what comes next in a stage: what happens-before it, which writes
// are available to the device and to the host domain, and what is visible to which accesses. Stages
// that know the same share one group. A command keeps the state that it was made in.
#pragma once

#include "engine.h"
#include "queue_clock.h"

// Accesses of host threads, in their own stage: bits of the engine's, not the caller's.
#define VKR_HOST_STAGE             UINT64_C(1)
#define VKR_HOST_COHERENT_WRITE    UINT64_C(1)
#define VKR_HOST_NONCOHERENT_WRITE UINT64_C(2)
#define VKR_HOST_ANY_READ          UINT64_C(4)
#define VKR_EVERY_BIT              UINT64_MAX
// Not an access: in a set of available writes, that the operations of a memory dependency come
// after all that is done there, whether they made writes of it available or not.
#define VKR_DEPENDED_ON (UINT64_C(1) << 63)

// What is known to everything that comes next in these stages.
struct vkr_group {
	uint64_t stages;
	struct vkr_queue_clock *before;    // happens-before
	struct vkr_queue_clock *available; // writes available to the device domain
	struct vkr_queue_clock *host;      // writes available to the host domain
	struct vkr_queue_clock *visible;   // what accesses see, by their types
	// What was learned last: most often what is learned next has come from that.
	struct {
		struct vkr_queue_clock *before, *available, *host;
	} learned;
};

// Immutable once it is a timeline's. The groups' stages are disjoint and together all bits.
struct vkr_state {
	uint32_t references;
	uint32_t group_count;
	struct vkr_group *groups;
	// For each kind of place (enum vkr_engine_local): what is known about accesses at another
	// place than the one that asks. NULL: the same as at its own. These states have no such
	// states themselves.
	struct vkr_state *apart[VKR_ENGINE_LOCALS];
	// What chains into a first scope that includes all commands so far: also what was known
	// only in sections, the open one and those that are over. NULL: the same as this state. It
	// has no such state itself, and its visibility is never used.
	struct vkr_state *chained;
};

struct vkr_token {
	bool live;
	struct vkr_queue_clock *before, *available, *host;
	struct vkr_queue_clock *seen; // of a host thread's: device writes visible to the host
};

// A copy of a timeline's state, to be changed and then to replace it; it has states for other
// places if there are some, or if the kind is in `local`.
enum vkr_result vkr_state_begin(const struct vkr_state *state, unsigned local,
				struct vkr_state **copy, struct vkr_error *error) VKR_MUST_USE;

// Changing a state: a copy that its maker may change until it is a timeline's.
struct vkr_state *vkr_state_create(void);
struct vkr_state *vkr_state_hold(struct vkr_state *state);
void vkr_state_drop(struct vkr_state *state);
// Cuts groups so that each lies within the mask or outside of it.
enum vkr_result vkr_state_split(struct vkr_state *state, uint64_t stages,
				struct vkr_error *error) VKR_MUST_USE;
// Makes one group of groups that know the same.
void vkr_state_merge(struct vkr_state *state);
// Whether two merged ones know the same.
bool vkr_state_equal(const struct vkr_state *a, const struct vkr_state *b);
// Adds all that another state knows, except what chains. States for other places are joined if that
// one has any.
enum vkr_result vkr_state_join(struct vkr_state *state, const struct vkr_state *more,
			       struct vkr_error *error) VKR_MUST_USE;
// Replaces *set by its union with more, or with a part of that.
enum vkr_result vkr_queue_clock_merge(struct vkr_queue_clock **set, struct vkr_queue_clock *more,
				      struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_queue_clock_merge_part(struct vkr_queue_clock **set,
					   struct vkr_queue_clock *more,
					   const struct vkr_clock_part *part,
					   struct vkr_error *error) VKR_MUST_USE;

void vkr_token_empty(struct vkr_token *token);

// What chains into a scope of these stages: what the groups know whose stages are in the scope
// ("Execution Dependency Chains").
enum vkr_result vkr_state_gather(const struct vkr_state *state, uint64_t stages,
				 struct vkr_token *found, struct vkr_error *error) VKR_MUST_USE;
// Adds spans to a clock, which others may hold.
enum vkr_result vkr_queue_clock_put_all(struct vkr_queue_clock **set, struct vkr_queue_span *spans,
					size_t count, struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_queue_clock_put(struct vkr_queue_clock **set, const struct vkr_queue_span *span,
				    struct vkr_error *error) VKR_MUST_USE;
// What a scope that holds all commands so far gathers from.
static inline const struct vkr_state *vkr_state_chained(const struct vkr_state *state)
{
	return state->chained ? state->chained : state;
}

struct vkr_queue_span vkr_queue_span_prefix(uint32_t timeline, uint64_t position, uint64_t stages,
					    uint64_t accesses);
// What lies in the range of an access scope, for these readers.
struct vkr_clock_part vkr_clock_part_of(const struct vkr_engine_barrier_access *access,
					uint64_t readers);
// Adds `from` to *to, where the range of an access scope allows it.
enum vkr_result vkr_domain_operation(struct vkr_queue_clock **to, struct vkr_queue_clock *from,
				     const struct vkr_engine_barrier_access *access,
				     struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_group_learn(struct vkr_group *group, const struct vkr_token *found,
				struct vkr_error *error) VKR_MUST_USE;
