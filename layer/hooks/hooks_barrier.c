// SPDX-License-Identifier: Apache-2.0
// Pipeline barriers in both forms, written down as the second.
// Knows their parameters; not what they order.
#include "barriers.h"
#include "fragment_facts.h"

static struct vkr_trace_barrier *hooks_barrier_record(struct vkr_layer_command_buffer *buffer,
						      VkDependencyFlags flags, uint32_t count,
						      uint32_t form)
{
	struct vkr_trace_cmd_barrier payload = {
		.command = vkr_command_index(buffer),
		.dependency_flags = flags,
		.barrier_count = count,
		.flags = form,
	};
	if (flags & (VK_DEPENDENCY_BY_REGION_BIT | VK_DEPENDENCY_VIEW_LOCAL_BIT))
		vkr_fragments_note(buffer->device, VKR_FRAGMENTS_LOCAL);
	return vkr_command_event(buffer, VKR_TRACE_CMD_BARRIER, &payload, sizeof payload,
				 count * sizeof(struct vkr_trace_barrier));
}

// The buffer's id and the range, VK_WHOLE_SIZE resolved.
static void set_buffer(const struct vkr_layer_command_buffer *buffer,
		       struct vkr_trace_barrier *barrier, VkBuffer handle, VkDeviceSize offset,
		       VkDeviceSize bytes)
{
	const struct vkr_layer_buffer *found = vkr_command_find_buffer(buffer, handle);
	barrier->object = found ? found->id : 0;
	barrier->offset = offset;
	barrier->bytes = bytes == VK_WHOLE_SIZE && found ? found->bytes - offset : bytes;
}

// The image's id and the range, VK_REMAINING_* resolved.
static void set_image(const struct vkr_layer_command_buffer *buffer,
		      struct vkr_trace_barrier *barrier, VkImage handle,
		      const VkImageSubresourceRange *range)
{
	const struct vkr_layer_image *found = vkr_command_find_image(buffer, handle);
	barrier->object = found ? found->id : 0;
	barrier->subresources = vkr_image_subresources(found, range);
	// With maintenance9 the layers of a 3D image may be slices; without it, it has one layer.
	if (found && found->slices > range->baseArrayLayer &&
	    range->layerCount == VK_REMAINING_ARRAY_LAYERS)
		barrier->subresources.layer_count = found->slices - range->baseArrayLayer;
}

void vkr_barriers_write_first(const struct vkr_layer_command_buffer *buffer,
			      const struct vkr_barriers *from, struct vkr_trace_barrier *to)
{
	struct vkr_trace_barrier stages = {
		.kind = VKR_BARRIER_EXECUTION,
		.source_stages = from->source_stages,
		.destination_stages = from->destination_stages,
		.source_family = VK_QUEUE_FAMILY_IGNORED,
		.destination_family = VK_QUEUE_FAMILY_IGNORED,
	};
	*to++ = stages;
	for (uint32_t i = 0; i < from->memory_count; i++, to++) {
		*to = stages;
		to->kind = VKR_BARRIER_MEMORY;
		to->source_access = from->memory[i].srcAccessMask;
		to->destination_access = from->memory[i].dstAccessMask;
	}
	for (uint32_t i = 0; i < from->buffer_count; i++, to++) {
		const VkBufferMemoryBarrier *barrier = &from->buffers[i];
		*to = stages;
		to->kind = VKR_BARRIER_BUFFER;
		to->source_access = barrier->srcAccessMask;
		to->destination_access = barrier->dstAccessMask;
		to->source_family = barrier->srcQueueFamilyIndex;
		to->destination_family = barrier->dstQueueFamilyIndex;
		set_buffer(buffer, to, barrier->buffer, barrier->offset, barrier->size);
	}
	for (uint32_t i = 0; i < from->image_count; i++, to++) {
		const VkImageMemoryBarrier *barrier = &from->images[i];
		*to = stages;
		to->kind = VKR_BARRIER_IMAGE;
		to->source_access = barrier->srcAccessMask;
		to->destination_access = barrier->dstAccessMask;
		to->source_family = barrier->srcQueueFamilyIndex;
		to->destination_family = barrier->dstQueueFamilyIndex;
		to->old_layout = (uint32_t)barrier->oldLayout;
		to->new_layout = (uint32_t)barrier->newLayout;
		set_image(buffer, to, barrier->image, &barrier->subresourceRange);
	}
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdPipelineBarrier(
	VkCommandBuffer handle, VkPipelineStageFlags source_stages,
	VkPipelineStageFlags destination_stages, VkDependencyFlags flags, uint32_t memory_count,
	const VkMemoryBarrier *memory, uint32_t buffer_count, const VkBufferMemoryBarrier *buffers,
	uint32_t image_count, const VkImageMemoryBarrier *images)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_layer_device *device = buffer ? buffer->device : vkr_device_of(handle);
	if (buffer) {
		struct vkr_barriers from = {
			source_stages, destination_stages,
			memory_count,  buffer_count,
			image_count,   memory,
			buffers,       images,
		};
		struct vkr_trace_barrier *to =
			hooks_barrier_record(buffer, flags, vkr_barriers_count_first(&from), 0);
		if (to)
			vkr_barriers_write_first(buffer, &from, to);
	}
	device->next.CmdPipelineBarrier(handle, source_stages, destination_stages, flags,
					memory_count, memory, buffer_count, buffers, image_count,
					images);
}

// Of a structure that names stages and accesses as VkMemoryBarrier2 does.
#define OF_ALL_MEMORY(barrier)                                                                     \
	((struct vkr_trace_barrier){                                                               \
		.kind = VKR_BARRIER_MEMORY,                                                        \
		.source_stages = (barrier)->srcStageMask,                                          \
		.source_access = (barrier)->srcAccessMask,                                         \
		.destination_stages = (barrier)->dstStageMask,                                     \
		.destination_access = (barrier)->dstAccessMask,                                    \
		.source_family = VK_QUEUE_FAMILY_IGNORED,                                          \
		.destination_family = VK_QUEUE_FAMILY_IGNORED,                                     \
	})

#ifdef VK_KHR_device_address_commands
static const VkMemoryRangeBarriersInfoKHR *ranges_of(const VkDependencyInfo *from)
{
	return vkr_chain_find(from->pNext, VK_STRUCTURE_TYPE_MEMORY_RANGE_BARRIERS_INFO_KHR);
}

// Barriers of address ranges are treated as barriers of all memory: they order more then, not less.
static void write_ranges(const VkDependencyInfo *from, struct vkr_trace_barrier *to)
{
	const VkMemoryRangeBarriersInfoKHR *ranges = ranges_of(from);
	for (uint32_t i = 0; ranges && i < ranges->memoryRangeBarrierCount; i++, to++) {
		const VkMemoryRangeBarrierKHR *barrier = &ranges->pMemoryRangeBarriers[i];
		*to = OF_ALL_MEMORY(barrier);
	}
}
#endif

uint32_t vkr_barriers_count_second(const VkDependencyInfo *from)
{
	uint32_t count = from->memoryBarrierCount + from->bufferMemoryBarrierCount +
			 from->imageMemoryBarrierCount;
#ifdef VK_KHR_device_address_commands
	const VkMemoryRangeBarriersInfoKHR *ranges = ranges_of(from);
	count += ranges ? ranges->memoryRangeBarrierCount : 0;
#endif
	return count;
}

void vkr_barriers_write_second(const struct vkr_layer_command_buffer *buffer,
			       const VkDependencyInfo *from, struct vkr_trace_barrier *to)
{
	for (uint32_t i = 0; i < from->memoryBarrierCount; i++, to++) {
		const VkMemoryBarrier2 *barrier = &from->pMemoryBarriers[i];
		*to = OF_ALL_MEMORY(barrier);
	}
	for (uint32_t i = 0; i < from->bufferMemoryBarrierCount; i++, to++) {
		const VkBufferMemoryBarrier2 *barrier = &from->pBufferMemoryBarriers[i];
		*to = (struct vkr_trace_barrier){
			.kind = VKR_BARRIER_BUFFER,
			.source_stages = barrier->srcStageMask,
			.source_access = barrier->srcAccessMask,
			.destination_stages = barrier->dstStageMask,
			.destination_access = barrier->dstAccessMask,
			.source_family = barrier->srcQueueFamilyIndex,
			.destination_family = barrier->dstQueueFamilyIndex,
		};
		set_buffer(buffer, to, barrier->buffer, barrier->offset, barrier->size);
	}
	for (uint32_t i = 0; i < from->imageMemoryBarrierCount; i++, to++) {
		const VkImageMemoryBarrier2 *barrier = &from->pImageMemoryBarriers[i];
		*to = (struct vkr_trace_barrier){
			.kind = VKR_BARRIER_IMAGE,
			.source_stages = barrier->srcStageMask,
			.source_access = barrier->srcAccessMask,
			.destination_stages = barrier->dstStageMask,
			.destination_access = barrier->dstAccessMask,
			.source_family = barrier->srcQueueFamilyIndex,
			.destination_family = barrier->dstQueueFamilyIndex,
			.old_layout = (uint32_t)barrier->oldLayout,
			.new_layout = (uint32_t)barrier->newLayout,
		};
		set_image(buffer, to, barrier->image, &barrier->subresourceRange);
	}
#ifdef VK_KHR_device_address_commands
	write_ranges(from, to);
#endif
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdPipelineBarrier2(VkCommandBuffer handle,
						   const VkDependencyInfo *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	struct vkr_layer_device *device = buffer ? buffer->device : vkr_device_of(handle);
	if (buffer) {
		struct vkr_trace_barrier *to =
			hooks_barrier_record(buffer, info->dependencyFlags,
					     vkr_barriers_count_second(info), VKR_BARRIER_SYNC2);
		if (to)
			vkr_barriers_write_second(buffer, info, to);
	}
	device->next.CmdPipelineBarrier2(handle, info);
}
