// SPDX-License-Identifier: Apache-2.0
// Synchronization between the invocations of one dispatch, from its log: events, accesses to the
// bytes that matter, which atomic read which other's value, and the order that follows. Knows site
// tables; neither logs (sync_log.h), nor how races are found where only barriers order invocations.
//
// The engine judges a dispatch as if control barriers were its only order. Bytes at which that
// leaves two accesses unordered are collected; then all accesses of the dispatch to these bytes are
// judged again, with all of its synchronization. A dispatch without such bytes costs nothing.
//
// Invocations of one workgroup that have passed the same sites and no atomic that matters are
// ordered alike with respect to all others: two of them represent all.
#pragma once

#include "engine.h"
#include "order.h"
#include "sync_events.h"

// The order along shader calls that is known (call_order.h).
struct vkr_sync_calls {
	bool each; // every invocation is an agent, and shader calls are events, too
	// With these, by agent: its number among the invocations of all launches, launch by launch,
	// and by launch, counted from 0: where its invocations end (call_order.h). Else NULL.
	const uint32_t *launch_order, *launch_ends;
	uint32_t launch_count;
	// Events: the release barriers that synchronize with an acquire barrier along shader calls;
	// VKR_SYNC_NONE after the last of each list.
	const uint32_t *released;
};

struct vkr_sync_part; // sync_parts.h

// Several commands in feeding order; only accesses of different ones are judged against each other.
struct vkr_sync_commands {
	struct vkr_sync_part *parts; // NULL: there is one command
	uint32_t part_count;
	uint32_t workgroup_end;      // of the last part
	bool one_family;             // of queues: all parts', known with the order
	enum vkr_race_class between; // of two parts, where atomics do not bring them into order
	bool within;                 // accesses of one command are judged against each other
	bool reversed; // some access comes before one of a command that was fed earlier
	// Whether atomics outside the parts may have written unknown values to it. NULL: no.
	bool (*is_silent)(void *context, const struct vkr_sync_atomic *atomic);
	void *silent_context;
	// What operations of the API do for the bytes of an access. Whether they make what the part
	// `of` writes there available before the part `at` begins; whether, after all of the part
	// `of`, they make these bytes visible to what the part `at` reads.
	bool (*is_available)(void *context, const struct vkr_sync_range *bytes, uint32_t of,
			     uint32_t at);
	bool (*is_visible)(void *context, const struct vkr_sync_range *bytes, uint32_t of,
			   uint32_t at);
	void *parts_context;
	uint64_t points; // the first agent of sync->order that stands for a point of a part
};

// Which writes atomics may have read from (sync_uses.h).
struct vkr_sync_candidates {
	struct {
		struct vkr_sync_class *items;
		size_t count, capacity;
	} classes;
	struct {
		struct vkr_sync_member *items;
		size_t count, capacity;
	} members; // of classes, of each in ascending order of atomics
};

struct vkr_sync_judging {
	bool only_count; // races are counted, and not reported
	bool possible;   // races are reported as possible: ambiguous values order nothing
	// Of parts, merged ranges; NULL: every race is reported. Only accesses outside `judged`
	// race, by 2 * (the access fed earlier writes) + (the other one writes), and none where the
	// one fed earlier is ordered before the other; nor in `overwritten`, since somebody has
	// written.
	const struct vkr_sync_ranges *judged, *overwritten;
	uint64_t races;
};

struct vkr_sync {
	const struct vkr_site *sites;
	const uint32_t *site_numbers; // of each its place in its shader's table; NULL: the same
	size_t site_count;
	uint32_t local_size;    // invocations of a workgroup at most
	uint32_t subgroup_size; // 0: not known which invocations share one
	bool chains;
	struct vkr_memory_rules rules;
	struct vkr_sync_calls calls;
	uint32_t command; // the engine's
	struct vkr_sync_commands commands;
	uint64_t modifications; // atomic writes that have their place in a modification order
	bool shared;            // collect, beside what is in the ranges, all that atomics may order
				// with other commands
	struct vkr_sync_ranges ranges;
	struct {
		struct vkr_sync_event *items;
		size_t count, capacity;
	} events;
	struct {
		struct vkr_sync_atomic *items;
		size_t count, capacity;
	} atomics;
	struct {
		struct vkr_sync_agent *items;
		size_t count, capacity;
	} agents;
	struct {
		struct vkr_sync_access *items;
		size_t count, capacity;
	} accesses;
	struct vkr_sync_candidates candidates;
	struct {
		uint32_t *items;
		size_t count, capacity;
	} fed; // index: vkr_order's event - 1; indices of events
	struct vkr_order *order;
	uint64_t stride; // agents of vkr_order a workgroup
	bool ambiguous;  // some atomic's value could be of several writes
	bool in_circle;  // what was read contradicts the order of parts
	struct vkr_sync_judging judging;
};

// Workgroup memory is another one in each workgroup.
static inline uint64_t vkr_sync_memory(uint32_t memory, uint32_t workgroup)
{
	return memory == VKR_ENGINE_WORKGROUP ? (UINT64_C(1) << 32) + workgroup : memory;
}

static inline bool vkr_sync_is_atomic(const struct vkr_site *site)
{
	return site->operation == VKR_SITE_ATOMIC_LOAD ||
	       site->operation == VKR_SITE_ATOMIC_STORE || site->operation == VKR_SITE_ATOMIC_RMW;
}

static inline bool vkr_sync_is_nonprivate(const struct vkr_site *site)
{
	return vkr_sync_is_atomic(site) || site->flags & VKR_SITE_NONPRIVATE;
}

// Whether an atomic may have acquired, or handed on, what another command released.
bool vkr_sync_reads_others(const struct vkr_sync *sync);
void vkr_sync_drop_doubts(struct vkr_sync *sync); // ambiguous values order nothing
void vkr_sync_take_back(struct vkr_sync *sync);   // vkr_sync_feed, but for the accesses

// Leaves only accesses to sync->ranges (sync_events.c).
void vkr_sync_keep_ranges(struct vkr_sync *sync);
// Finds which atomics release and acquire, for the collected bytes (sync_values.c).
void vkr_sync_find_roles(struct vkr_sync *sync);
// Finds which atomics matter, and which one read which other's value (sync_values.c).
enum vkr_result vkr_sync_match(struct vkr_sync *sync, struct vkr_error *error) VKR_MUST_USE;

// Makes sync->order, and its agents in groups (sync_agents.c).
enum vkr_result vkr_sync_make_order(struct vkr_sync *sync, struct vkr_error *error) VKR_MUST_USE;

// Converts terms of SPIR-V and of the log into those of vkr_order (sync_agents.c).
enum vkr_order_scope vkr_sync_scope(uint8_t scope);
uint64_t vkr_sync_agent_id(const struct vkr_sync *sync, uint32_t index);

// An access as vkr_order knows it, by the first or second of agents ordered alike (sync_agents.c).
struct vkr_order_access vkr_sync_order_access(const struct vkr_sync *sync,
					      const struct vkr_sync_access *access,
					      unsigned stand_in);

// Feeds the events to sync->order, and gives each access its component (sync_feed.c).
enum vkr_result vkr_sync_feed(struct vkr_sync *sync, struct vkr_error *error) VKR_MUST_USE;

// Judges the accesses and tells the engine of their races, or counts these (sync_judge.c).
enum vkr_result vkr_sync_judge(struct vkr_sync *sync, struct vkr_engine *engine,
			       struct vkr_error *error) VKR_MUST_USE;

// Releases all but the ranges' room, which is kept for the next dispatch.
void vkr_sync_clear(struct vkr_sync *sync);
