// SPDX-License-Identifier: Apache-2.0
// Descriptor buffers: which descriptors have which bytes, and where sets of them are bound.
// Knows the commands' parameters; what the bytes stand for is descriptor_contents.h's.
#include "array.h"
#include "command_buffer.h"
#include "descriptor_buffers.h"
#include "record.h"

VKAPI_ATTR void VKAPI_CALL vkr_GetDescriptorEXT(VkDevice handle, const VkDescriptorGetInfoEXT *info,
						size_t bytes, void *descriptor)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	device->next.GetDescriptorEXT(handle, info, bytes, descriptor);
	if (device->descriptor_buffers)
		vkr_descriptor_known(device, info, descriptor, bytes);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBindDescriptorBuffersEXT(
	VkCommandBuffer handle, uint32_t count, const VkDescriptorBufferBindingInfoEXT *infos)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	vkr_command_uses_sets(buffer);
	if (buffer) {
		buffer->descriptor_buffers.count = 0;
		if (!VKR_ARRAY_RESERVE(&buffer->descriptor_buffers, count))
			vkr_record_no_memory("bound descriptor buffers");
		else
			buffer->descriptor_buffers.count = count;
		for (size_t i = 0; i < buffer->descriptor_buffers.count; i++)
			buffer->descriptor_buffers.items[i] = infos[i].address;
	}
	vkr_command_device(buffer, handle)->next.CmdBindDescriptorBuffersEXT(handle, count, infos);
}

// Binds the set at an address (0: one that has no memory) as the set number of the layout.
static void bind_place(struct vkr_layer_command_buffer *buffer, VkPipelineBindPoint point,
		       VkPipelineLayout layout, uint32_t number, VkDeviceAddress address)
{
	const struct vkr_layer_pipeline_layout *kept =
		vkr_handles_get(&buffer->device->objects.pipeline_layouts, VKR_KEY(layout));
	struct vkr_descriptor_shape *shape =
		kept && number < kept->shape_count ? kept->shapes[number] : NULL;
	struct vkr_descriptor_place *place =
		shape ? vkr_descriptor_place(buffer->device, shape, address) : NULL;
	struct vkr_trace_cmd_bind_sets payload = {
		.bind_point = (uint32_t)point,
		.layout = kept ? kept->id : 0,
		.first_set = number,
		.set_count = 1,
	};
	uint32_t *tail = vkr_command_event(buffer, VKR_TRACE_CMD_BIND_SETS, &payload,
					   sizeof payload, sizeof *tail);
	if (!place) {
		vkr_record_coverage(VKR_COVERAGE_SHADER, 0, 0,
				    "a set in a descriptor buffer whose layout is not known: "
				    "accesses through it are not observed");
		return;
	}
	if (tail)
		*tail = vkr_descriptor_place_set(place);
	if (buffer->track && !vkr_track_place(buffer->track, place))
		vkr_record_no_memory("bound descriptor buffers");
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdSetDescriptorBufferOffsetsEXT(
	VkCommandBuffer handle, VkPipelineBindPoint point, VkPipelineLayout layout, uint32_t first,
	uint32_t count, const uint32_t *indices, const VkDeviceSize *offsets)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	for (uint32_t i = 0; buffer && i < count; i++)
		if (indices[i] < buffer->descriptor_buffers.count)
			bind_place(buffer, point, layout, first + i,
				   buffer->descriptor_buffers.items[indices[i]] + offsets[i]);
	vkr_command_device(buffer, handle)
		->next.CmdSetDescriptorBufferOffsetsEXT(handle, point, layout, first, count,
							indices, offsets);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBindDescriptorBufferEmbeddedSamplersEXT(VkCommandBuffer handle,
									  VkPipelineBindPoint point,
									  VkPipelineLayout layout,
									  uint32_t set)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		bind_place(buffer, point, layout, set, 0);
	vkr_command_device(buffer, handle)
		->next.CmdBindDescriptorBufferEmbeddedSamplersEXT(handle, point, layout, set);
}
