// SPDX-License-Identifier: Apache-2.0
// Order between the invocations of one trace-ray command: by memory barriers along chains of shader
// calls ("Shader Call Order", "Synchronizes-With"). Knows what their logs say about calls and
// barriers; not how logs are put in order.
//
// A release barrier synchronizes with every acquire barrier that comes after it in shader call
// order. That order is transitive, so if a chain of several releases and acquires orders two
// accesses, one release and one acquire do: chains are not looked at.
//
// The engine judges the command as if nothing ordered its invocations. Bytes at which that leaves
// two accesses unordered are collected, and judged again here.
#pragma once

#include "map.h"
#include "site_scope.h"
#include "sync_log.h"

struct vkr_invocation_groups;

struct vkr_call_event {
	uint8_t operation; // enum vkr_site_operation: memory barriers, shader calls and returns
	uint8_t order, semantics, scope;
	uint32_t head; // of calls and returns: the log's head
};

// An invocation with accesses to bytes that matter, or that may have called one.
struct vkr_call_agent {
	const struct vkr_shader *shader;
	uint32_t group, local;
	uint32_t launch[3];
	uint32_t begin; // in the log: its first chunk
	size_t first_event, event_count;
	uint32_t caller; // index of an agent; VKR_SYNC_NONE: the command
	uint32_t call;   // of the caller's events: the call
	uint32_t callee; // 1 + the last agent that it has called; 0: none
	uint32_t older;  // 1 + the one that the same caller has called before it; 0: none
};

struct vkr_call_access {
	struct vkr_sync_access at; // its agent: as here; NONE: cannot be
	const struct vkr_site *of;
};

// Zeroed before the first command; kept from command to command.
struct vkr_calls {
	struct vkr_sync_ranges ranges;
	bool failed; // there was no memory for a range
	struct {
		struct vkr_call_event *items;
		size_t count, capacity;
	} events;
	struct {
		struct vkr_call_agent *items;
		size_t count, capacity;
	} agents;
	struct {
		struct vkr_call_access *items;
		size_t count, capacity;
	} accesses;
	// As in struct vkr_sync.
	struct {
		uint32_t *items;
		size_t count, capacity;
	} launch_order, launch_ends, released;
};

void vkr_calls_finish(struct vkr_calls *calls);

// Whether barriers of the two shaders could order accesses to memory of a class (or of two).
bool vkr_calls_order(const struct vkr_shader *first, const struct vkr_shader *second,
		     unsigned of_memory);

// Reads what one shader has logged. `begins`: by group << 32 | local, where invocations began.
enum vkr_result vkr_calls_collect(struct vkr_calls *calls, struct vkr_dispatch_targets *targets,
				  const struct vkr_chunk *chunks, size_t count,
				  const struct vkr_map *begins,
				  const struct vkr_invocation_groups *groups,
				  struct vkr_error *error) VKR_MUST_USE;

// Adds invocations when those to be judged were collected for it (joint_order.h): the agents of
// `sync`, in their order.
bool vkr_calls_add(struct vkr_calls *calls, const struct vkr_shader *shader,
		   const struct vkr_sync *sync, const struct vkr_map *begins,
		   const struct vkr_invocation_groups *groups);

// Gives *sync, whose agents are the added ones, the launch of each agent, and for each acquire
// barrier the release barriers that synchronize with it. False for lack of memory.
bool vkr_calls_release(struct vkr_calls *calls, struct vkr_sync *sync);

// Forgets what was collected, and the ranges.
void vkr_calls_clear(struct vkr_calls *calls);

// Whether what a barrier does reaches all invocations of a chain of calls: one command runs in one
// queue family.
static inline bool vkr_calls_reached(uint8_t scope)
{
	return scope == VKR_SCOPE_SHADER_CALL || vkr_scope_is_far(scope);
}

// Finds out who has called whom. False for lack of memory.
bool vkr_calls_link(struct vkr_calls *calls);

// Whether the call has returned to the agent.
bool vkr_calls_returned(const struct vkr_calls *calls, const struct vkr_call_agent *agent,
			size_t call);

// Judges all that was collected, and reports the races to the engine. Forgets it, and the ranges.
enum vkr_result vkr_calls_judge(struct vkr_calls *calls, struct vkr_engine *engine,
				uint32_t command, struct vkr_error *error) VKR_MUST_USE;
