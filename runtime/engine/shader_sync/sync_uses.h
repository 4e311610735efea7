// SPDX-License-Identifier: Apache-2.0
// Which events of a dispatch, or of several commands, are fed to vkr_order, and which agents
// represent others. Knows agents and events; not the order in which they are fed. Private to
// sync_*.c.
#pragma once

#include "map.h"
#include "sync_parts.h"

// Atomic writes that one or more atomics could have read from. A reader excludes those of its own
// agent that come later; in a class of all writes to one location, all of its own agent.
struct vkr_sync_class {
	size_t first, count; // places in vkr_sync's `members`
};

struct vkr_sync_member {
	uint32_t atomic, class; // indices
};

static inline bool vkr_sync_matters(const struct vkr_sync *sync, const struct vkr_sync_event *event)
{
	if (event->atomic != VKR_SYNC_NONE)
		return sync->atomics.items[event->atomic].matters;
	return sync->sites[event->site].operation < VKR_SITE_SHADER_CALL;
}

// The release barriers that synchronize with an acquire barrier along shader calls.
static inline const uint32_t *vkr_sync_released(const struct vkr_sync *sync,
						const struct vkr_sync_event *event)
{
	static const uint32_t none = VKR_SYNC_NONE;
	const bool has_some = sync->calls.released != NULL && event->value != 0 &&
			      sync->sites[event->site].operation == VKR_SITE_MEMORY_BARRIER;
	return has_some ? &sync->calls.released[event->value - 1] : &none;
}

// The agent of an atomic.
static inline uint32_t vkr_sync_agent_of(const struct vkr_sync *sync, uint32_t atomic)
{
	return sync->events.items[sync->atomics.items[atomic].event].agent;
}

static inline bool vkr_sync_is_fed(const struct vkr_sync *sync, uint32_t agent)
{
	const uint32_t *stand_in = sync->agents.items[agent].stand_in;
	return stand_in[0] == agent || stand_in[1] == agent;
}

static inline uint32_t vkr_sync_event_part(const struct vkr_sync *sync,
					   const struct vkr_sync_event *event)
{
	const uint32_t workgroup = sync->agents.items[event->agent].workgroup;
	return (uint32_t)(vkr_sync_part_of(sync, workgroup) - sync->commands.parts);
}

// Finds which agents represent others, and which of their events come before which.
void vkr_sync_find_stand_ins(struct vkr_sync *sync);

// Events of the agent that are fed and stand before an access.
uint32_t vkr_sync_fed_before(const struct vkr_sync *sync, const struct vkr_sync_access *access);

// In *last, by workgroup: the number of barriers before the last event that matters. False for lack
// of memory.
bool vkr_sync_find_uses(struct vkr_sync *sync, struct vkr_map *last);

// Whether what an acquire brings could get anywhere: to a later access or release of its own agent,
// or through a later barrier to its workgroup.
bool vkr_sync_is_of_use(const struct vkr_sync *sync, const struct vkr_map *last,
			const struct vkr_sync_event *event);

// What accesses make available and visible for others of their agent (sync_operations.c).
enum vkr_result vkr_sync_feed_operations(struct vkr_sync *sync,
					 struct vkr_error *error) VKR_MUST_USE;
