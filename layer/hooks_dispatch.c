// SPDX-License-Identifier: Apache-2.0
// Dispatches: recorded, led to their block, cut and stopped for so that logs fit.
// Knows how a dispatch finds its block; not what it logs.
#include "command_buffer.h"

#include "log_commands.h"
#include "settings.h"

#include "vkrace/gpu_log.h"

#include <string.h>

// How many invocations may log between two drains where it is not known how much each logs: what
// the smallest log of one execution (log_memory.c) holds at some kilobytes each.
#define INVOCATIONS_PER_DRAIN (UINT64_C(64) << 10)

// How many words each may log at least before that is, however small the log was made.
#define UNKNOWN_WORDS UINT64_C(1024)

struct dispatch {
	uint32_t base[3], groups[3];
};

// Setting INVOCATIONS_PER_DRAIN: so many, whatever they log. 0: not set.
static uint64_t invocations_setting(void)
{
	static _Atomic uint64_t setting = UINT64_MAX;
	uint64_t value = atomic_load_explicit(&setting, memory_order_relaxed);
	if (value == UINT64_MAX) {
		value = vkr_setting_number("INVOCATIONS_PER_DRAIN", 0);
		atomic_store_explicit(&setting, value, memory_order_relaxed);
	}
	return value;
}

// Words that one invocation of the bound pipeline logs, at most or by experience.
static uint64_t words_of_invocation(const struct vkr_command_buffer *buffer)
{
	uint64_t setting = invocations_setting();
	if (buffer->compute->log_words && !setting)
		return buffer->compute->log_words;
	uint64_t words =
		vkr_log_region_room(buffer->device) / (setting ? setting : INVOCATIONS_PER_DRAIN);
	if (setting)
		return words ? words : 1;
	return words > UNKNOWN_WORDS ? words : UNKNOWN_WORDS;
}

static void prepare_block(struct vkr_command_buffer *buffer, uint32_t command,
			  const uint32_t *groups)
{
	vkr_log_prepare_block(buffer, VK_PIPELINE_BIND_POINT_COMPUTE, command, groups);
}

static bool logs(const struct vkr_command_buffer *buffer)
{
	return buffer && buffer->compute && buffer->compute->logs;
}

static void dispatch_slice(struct vkr_command_buffer *buffer, const struct dispatch *slice)
{
	uint64_t groups = (uint64_t)slice->groups[0] * slice->groups[1] * slice->groups[2];
	vkr_log_stop_before(buffer, groups * buffer->compute->group_invocations *
					    words_of_invocation(buffer));
	buffer->device->next.CmdDispatchBase(buffer->handle, slice->base[0], slice->base[1],
					     slice->base[2], slice->groups[0], slice->groups[1],
					     slice->groups[2]);
}

// Cuts the dispatch along `axis` into slices of at most `groups` workgroups, and along the axes
// below where one step of this axis is too much.
static void dispatch_slices(struct vkr_command_buffer *buffer, const struct dispatch *whole,
			    int axis, uint64_t groups)
{
	uint64_t step = 1;
	for (int i = 0; i < axis; i++)
		step *= whole->groups[i];
	uint64_t steps = groups / step;
	struct dispatch slice = *whole;
	for (uint32_t at = 0; at < whole->groups[axis];) {
		uint32_t left = whole->groups[axis] - at;
		slice.base[axis] = whole->base[axis] + at;
		slice.groups[axis] = steps && steps < left ? (uint32_t)steps : left;
		if (!steps)
			slice.groups[axis] = 1;
		if (steps || axis == 0)
			dispatch_slice(buffer, &slice);
		else
			dispatch_slices(buffer, &slice, axis - 1, groups);
		at += slice.groups[axis];
	}
}

// Dispatches whole or in slices; false where nothing needs to be cut.
static bool dispatch_cut(struct vkr_command_buffer *buffer, uint32_t command,
			 const struct dispatch *whole)
{
	uint64_t words = buffer->compute->group_invocations * words_of_invocation(buffer);
	uint64_t groups = (uint64_t)whole->groups[0] * whole->groups[1] * whole->groups[2];
	uint64_t fit = vkr_log_region_room(buffer->device) / words;
	if (!vkr_log_can_stop(buffer) || groups <= fit)
		return false;
	prepare_block(buffer, command, whole->groups);
	dispatch_slices(buffer, whole, 2, fit ? fit : 1);
	return true;
}

static uint32_t record(struct vkr_command_buffer *buffer, const struct dispatch *dispatch)
{
	struct vkr_trace_cmd_dispatch payload = {.command = vkr_command_index(buffer)};
	memcpy(payload.base, dispatch->base, sizeof payload.base);
	memcpy(payload.groups, dispatch->groups, sizeof payload.groups);
	vkr_command_event(buffer, VKR_TRACE_CMD_DISPATCH, &payload, sizeof payload, 0);
	return payload.command;
}

// Records and prepares the dispatch. False where it was dispatched in slices.
static bool prepare_dispatch(struct vkr_command_buffer *buffer, const struct dispatch *dispatch)
{
	if (!buffer)
		return true;
	uint32_t command = record(buffer, dispatch);
	if (!logs(buffer))
		return true;
	if (dispatch_cut(buffer, command, dispatch))
		return false;
	prepare_block(buffer, command, NULL);
	vkr_log_stop_before(
		buffer, (uint64_t)dispatch->groups[0] * dispatch->groups[1] * dispatch->groups[2] *
				buffer->compute->group_invocations * words_of_invocation(buffer));
	return true;
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdDispatch(VkCommandBuffer handle, uint32_t x, uint32_t y,
					   uint32_t z)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_device *device = buffer ? buffer->device : vkr_device_of(handle);
	if (prepare_dispatch(buffer, &(struct dispatch){.groups = {x, y, z}}))
		device->next.CmdDispatch(handle, x, y, z);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdDispatchBase(VkCommandBuffer handle, uint32_t base_x,
					       uint32_t base_y, uint32_t base_z, uint32_t x,
					       uint32_t y, uint32_t z)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_device *device = buffer ? buffer->device : vkr_device_of(handle);
	struct dispatch dispatch = {{base_x, base_y, base_z}, {x, y, z}};
	if (prepare_dispatch(buffer, &dispatch))
		device->next.CmdDispatchBase(handle, base_x, base_y, base_z, x, y, z);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdDispatchIndirect(VkCommandBuffer handle, VkBuffer arguments,
						   VkDeviceSize offset)
{
	struct vkr_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_device *device = buffer ? buffer->device : vkr_device_of(handle);
	if (buffer) {
		const struct vkr_buffer *found = vkr_command_find_buffer(buffer, arguments);
		struct vkr_trace_cmd_dispatch_indirect payload = {
			.command = vkr_command_index(buffer),
			.buffer = found ? found->id : 0,
			.offset = offset,
		};
		vkr_command_event(buffer, VKR_TRACE_CMD_DISPATCH_INDIRECT, &payload, sizeof payload,
				  0);
		if (logs(buffer)) {
			prepare_block(buffer, payload.command, NULL);
			// How many there will be is not known: drained before and after.
			vkr_log_stop_before(buffer, vkr_log_region_room(buffer->device));
		}
	}
	device->next.CmdDispatchIndirect(handle, arguments, offset);
}
