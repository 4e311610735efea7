// SPDX-License-Identifier: Apache-2.0
// Accesses whose operands make others of their invocation available or visible. Knows accesses;
// nothing of events.
#include "error.h"
#include "sync_uses.h"

#include <string.h>

// The scopes that an agent's accesses make available and visible with, a byte each: the widest and
// the narrowest of writes, the same of reads.
struct made {
	uint8_t scopes[4];
};

static void sync_operations_widen(uint8_t *scopes, enum vkr_order_scope scope, bool is_first)
{
	if (is_first || (uint8_t)scope > scopes[0])
		scopes[0] = (uint8_t)scope;
	if (is_first || (uint8_t)scope < scopes[1])
		scopes[1] = (uint8_t)scope;
}

static bool note_made(struct vkr_map *agents, const struct vkr_order_access *access)
{
	struct made made = {{0, UINT8_MAX, 0, UINT8_MAX}};
	uint64_t value = 0;
	if (vkr_map_get(agents, access->agent, &value))
		memcpy(&made, &value, sizeof made);
	if (access->write)
		sync_operations_widen(made.scopes, access->available, made.scopes[1] == UINT8_MAX);
	if (access->read)
		sync_operations_widen(made.scopes + 2, access->visible,
				      made.scopes[3] == UINT8_MAX);
	value = 0;
	memcpy(&value, &made, sizeof made);
	return vkr_map_set(agents, access->agent, value);
}

// An access's own operands make its bytes available or visible through its reference, for
// everything that its agent did to them before, or does to them later ("Per-Instruction
// Availability and Visibility Semantics"). This is fed if the agent has other accesses that do
// less. The invocations that one agent represents are not distinguished.
static enum vkr_result order_one_operation(struct vkr_sync *sync, const struct vkr_map *agents,
					   const struct vkr_sync_access *access,
					   struct vkr_error *error)
{
	const struct vkr_order_access of = vkr_sync_order_access(sync, access, 0);
	struct made made = {{0}};
	uint64_t value = 0;
	if (access->agent != VKR_SYNC_NONE && sync->agents.items[access->agent].stand_in[0] !=
						      sync->agents.items[access->agent].stand_in[1])
		return VKR_OK;
	if (of.event != 0 || !vkr_map_get(agents, of.agent, &value))
		return VKR_OK;
	memcpy(&made, &value, sizeof made);
	return (of.write && (uint8_t)of.available > made.scopes[1]) ||
			       (of.read && (uint8_t)of.visible > made.scopes[3])
		       ? vkr_order_operate(sync->order, &of, error)
		       : VKR_OK;
}

enum vkr_result vkr_sync_feed_operations(struct vkr_sync *sync, struct vkr_error *error)
{
	struct vkr_map agents;
	enum vkr_result result = VKR_OK;
	vkr_map_init(&agents);
	for (size_t at = 0; at < sync->accesses.count && result == VKR_OK; at++) {
		const struct vkr_order_access of =
			vkr_sync_order_access(sync, &sync->accesses.items[at], 0);
		if (of.nonprivate && !note_made(&agents, &of))
			result = vkr_error_memory(error, "events");
	}
	for (size_t at = 0; at < sync->accesses.count && result == VKR_OK; at++)
		result = order_one_operation(sync, &agents, &sync->accesses.items[at], error);
	vkr_map_finish(&agents);
	return result;
}
