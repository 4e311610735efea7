// SPDX-License-Identifier: Apache-2.0
// Trace-ray commands: recorded with their shader binding tables, and led to their block. Knows the
// parameters; not what the shaders do.
#include "log_commands.h"

// ray generation, miss, hit, callable
#define REGIONS 4u

// UINT64_MAX: not known.
static uint64_t launches_of(const struct vkr_trace_cmd_trace_rays *rays)
{
	const uint64_t plane = (uint64_t)rays->extent[0] * rays->extent[1];
	if (rays->kind != VKR_RAYS_DIRECT || (plane && rays->extent[2] > UINT64_MAX / plane))
		return UINT64_MAX;
	return plane * rays->extent[2];
}

static void record_trace(struct vkr_layer_command_buffer *buffer,
			 const struct vkr_trace_cmd_trace_rays *rays,
			 const VkStridedDeviceAddressRegionKHR *const *regions)
{
	struct vkr_trace_cmd_trace_rays payload = *rays;
	payload.command = vkr_command_index(buffer);
	payload.region_count = regions ? REGIONS : 0;
	struct vkr_trace_table_region *tail =
		vkr_command_event(buffer, VKR_TRACE_CMD_TRACE_RAYS, &payload, sizeof payload,
				  payload.region_count * sizeof *tail);
	for (uint32_t i = 0; tail && i < payload.region_count; i++)
		if (regions[i])
			tail[i] = (struct vkr_trace_table_region){
				.address = regions[i]->deviceAddress,
				.stride = regions[i]->stride,
				.bytes = regions[i]->size,
			};
	vkr_log_trace_rays(buffer, payload.command, launches_of(&payload));
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdTraceRaysKHR(VkCommandBuffer handle,
					       const VkStridedDeviceAddressRegionKHR *generation,
					       const VkStridedDeviceAddressRegionKHR *miss,
					       const VkStridedDeviceAddressRegionKHR *hit,
					       const VkStridedDeviceAddressRegionKHR *callable,
					       uint32_t width, uint32_t height, uint32_t depth)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	const VkStridedDeviceAddressRegionKHR *const regions[REGIONS] = {generation, miss, hit,
									 callable};
	if (buffer)
		record_trace(buffer,
			     &(struct vkr_trace_cmd_trace_rays){.kind = VKR_RAYS_DIRECT,
								.extent = {width, height, depth}},
			     regions);
	vkr_command_device(buffer, handle)
		->next.CmdTraceRaysKHR(handle, generation, miss, hit, callable, width, height,
				       depth);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdTraceRaysIndirectKHR(
	VkCommandBuffer handle, const VkStridedDeviceAddressRegionKHR *generation,
	const VkStridedDeviceAddressRegionKHR *miss, const VkStridedDeviceAddressRegionKHR *hit,
	const VkStridedDeviceAddressRegionKHR *callable, VkDeviceAddress address)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	const VkStridedDeviceAddressRegionKHR *const regions[REGIONS] = {generation, miss, hit,
									 callable};
	if (buffer)
		record_trace(buffer,
			     &(struct vkr_trace_cmd_trace_rays){.kind = VKR_RAYS_INDIRECT,
								.indirect = address},
			     regions);
	vkr_command_device(buffer, handle)
		->next.CmdTraceRaysIndirectKHR(handle, generation, miss, hit, callable, address);
}

#ifdef VK_KHR_ray_tracing_maintenance1
VKAPI_ATTR void VKAPI_CALL vkr_CmdTraceRaysIndirect2KHR(VkCommandBuffer handle,
							VkDeviceAddress address)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		record_trace(buffer,
			     &(struct vkr_trace_cmd_trace_rays){.kind = VKR_RAYS_INDIRECT2,
								.indirect = address},
			     NULL);
	vkr_command_device(buffer, handle)->next.CmdTraceRaysIndirect2KHR(handle, address);
}
#endif
