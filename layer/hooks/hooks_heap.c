// SPDX-License-Identifier: Apache-2.0
// Descriptor heaps: which descriptors have which bytes, where heaps are bound, and push data.
// Knows the commands' parameters; what the bytes stand for is descriptor_heaps.h's.
#include "command_buffer.h"
#include "descriptor_heaps.h"
#include "record.h"

#include "vkrace/gpu_log.h"

#include <stdlib.h>
#include <string.h>

#ifdef VK_EXT_descriptor_heap
#define STEP 16u // bytes that each descriptor begins at a multiple of, in the layer's copy

// Descriptors are mostly written straight into a heap, in memory that the host may read slowly, and
// the layer's reads there would look like the program's: so the driver writes them elsewhere first.
// Returns as many ranges as are asked for, followed by the memory that they point to. NULL if no
// heap is followed, or for lack of memory.
static VkHostAddressRangeEXT *own_ranges(const struct vkr_layer_device *device, uint32_t count,
					 const VkHostAddressRangeEXT *asked)
{
	size_t bytes = (count * sizeof *asked + STEP - 1) / STEP * STEP;
	size_t at = bytes;
	for (uint32_t i = 0; i < count; i++)
		bytes += (asked[i].size + STEP - 1) / STEP * STEP;
	VkHostAddressRangeEXT *ranges = device->heaps ? calloc(1, bytes + 1) : NULL;
	if (device->heaps && !ranges)
		vkr_record_no_memory("descriptors");
	for (uint32_t i = 0; ranges && i < count; i++) {
		ranges[i] = (VkHostAddressRangeEXT){(unsigned char *)ranges + at, asked[i].size};
		at += (asked[i].size + STEP - 1) / STEP * STEP;
	}
	return ranges;
}

// Several descriptors stand for one image of a format with conversion, or a subsampled one.
static bool is_several(const VkResourceDescriptorInfoEXT *info)
{
	const bool is_image = info->type == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE && info->data.pImage;
	return is_image && vkr_chain_find(info->data.pImage->pView->pNext,
					  VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_INFO);
}

static size_t hooks_heap_lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_WriteResourceDescriptorsEXT(
	VkDevice handle, uint32_t count, const VkResourceDescriptorInfoEXT *infos,
	const VkHostAddressRangeEXT *ranges)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkHostAddressRangeEXT *own = own_ranges(device, count, ranges);
	const VkResult result =
		device->next.WriteResourceDescriptorsEXT(handle, count, infos, own ? own : ranges);
	for (uint32_t i = 0; own && result == VK_SUCCESS && i < count; i++) {
		const size_t bytes = vkr_heaps_descriptor_bytes(device, infos[i].type);
		vkr_heap_know_resource(device, &infos[i], own[i].address);
		memcpy(ranges[i].address, own[i].address,
		       is_several(&infos[i]) ? own[i].size : hooks_heap_lesser(bytes, own[i].size));
	}
	free(own);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_WriteSamplerDescriptorsEXT(VkDevice handle, uint32_t count,
							      const VkSamplerCreateInfo *infos,
							      const VkHostAddressRangeEXT *ranges)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	VkHostAddressRangeEXT *own = own_ranges(device, count, ranges);
	const VkResult result =
		device->next.WriteSamplerDescriptorsEXT(handle, count, infos, own ? own : ranges);
	for (uint32_t i = 0; own && result == VK_SUCCESS && i < count; i++) {
		const size_t bytes = vkr_heaps_descriptor_bytes(device, VK_DESCRIPTOR_TYPE_SAMPLER);
		vkr_heap_know_sampler(device, &infos[i], own[i].address);
		memcpy(ranges[i].address, own[i].address, hooks_heap_lesser(bytes, own[i].size));
	}
	free(own);
	return result;
}

static void bind_heap(struct vkr_layer_command_buffer *buffer, enum vkr_trace_heap_kind kind,
		      const VkBindHeapInfoEXT *info)
{
	struct vkr_heap_place *place =
		buffer->device->heaps ? vkr_heap_place(buffer->device, kind, &info->heapRange)
				      : NULL;
	const struct vkr_trace_cmd_bind_heap payload = {
		.heap = place ? vkr_heap_place_set(place) : 0, .kind = kind};
	buffer->uses_heaps = true;
	vkr_command_event(buffer, VKR_TRACE_CMD_BIND_HEAP, &payload, sizeof payload, 0);
	if (!place || (buffer->track && !vkr_track_heap(buffer->track, place)))
		vkr_record_no_memory("a bound descriptor heap");
}

void vkr_heaps_inherit(struct vkr_layer_command_buffer *buffer,
		       const VkCommandBufferBeginInfo *info)
{
	const VkCommandBufferInheritanceInfo *inherited = info->pInheritanceInfo;
	const VkCommandBufferInheritanceDescriptorHeapInfoEXT *heaps = NULL;
	if (buffer->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY && inherited)
		heaps = vkr_chain_find(
			inherited->pNext,
			VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_DESCRIPTOR_HEAP_INFO_EXT);
	if (heaps && heaps->pResourceHeapBindInfo)
		bind_heap(buffer, VKR_HEAP_RESOURCES, heaps->pResourceHeapBindInfo);
	if (heaps && heaps->pSamplerHeapBindInfo)
		bind_heap(buffer, VKR_HEAP_SAMPLERS, heaps->pSamplerHeapBindInfo);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBindResourceHeapEXT(VkCommandBuffer handle,
						      const VkBindHeapInfoEXT *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		bind_heap(buffer, VKR_HEAP_RESOURCES, info);
	vkr_command_device(buffer, handle)->next.CmdBindResourceHeapEXT(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBindSamplerHeapEXT(VkCommandBuffer handle,
						     const VkBindHeapInfoEXT *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer)
		bind_heap(buffer, VKR_HEAP_SAMPLERS, info);
	vkr_command_device(buffer, handle)->next.CmdBindSamplerHeapEXT(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdPushDataEXT(VkCommandBuffer handle, const VkPushDataInfoEXT *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		buffer->uses_heaps = true;
		if (!vkr_push_is_banked(info->pNext))
			vkr_push_data_keep(buffer, info->offset, info->data.address,
					   info->data.size);
	}
	vkr_command_device(buffer, handle)->next.CmdPushDataEXT(handle, info);
}
#else
void vkr_heaps_inherit(struct vkr_layer_command_buffer *buffer,
		       const VkCommandBufferBeginInfo *info)
{
	(void)buffer;
	(void)info;
}
#endif
