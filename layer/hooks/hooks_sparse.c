// SPDX-License-Identifier: Apache-2.0
// Binding memory to sparse resources on a queue.
// Knows what is bound and what is waited for; not what it orders.
#include "host_memory.h"
#include "objects.h"
#include "record.h"
#include "sparse_memory.h"

#include <stdlib.h>

// The known semaphores; order that any other semaphore makes is reported as missed.
static uint32_t list_semaphores(struct vkr_layer_device *device, uint32_t count,
				const VkSemaphore *semaphores, const uint64_t *values,
				uint32_t value_count, struct vkr_trace_semaphore_operation *list)
{
	uint32_t kept_count = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct vkr_layer_semaphore *kept =
			vkr_handles_get(&device->objects.semaphores, VKR_KEY(semaphores[i]));
		if (!kept) {
			vkr_record_coverage(
				VKR_COVERAGE_SYNC, device->id, 0,
				"vkQueueBindSparse names a semaphore whose creation was not "
				"recorded: accesses that it orders may be reported");
			continue;
		}
		list[kept_count++] = (struct vkr_trace_semaphore_operation){
			.semaphore = kept->id,
			.value = i < value_count ? values[i] : 0,
			.stages = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
		};
	}
	return kept_count;
}

void vkr_sparse_mapped(const struct vkr_layer_memory *memory)
{
	if (memory->mip_tail && memory->mapped)
		vkr_record_coverage(VKR_COVERAGE_HOST, 0, 0,
				    "memory that the host has mapped is bound to a sparse image "
				    "as its mip tail or metadata: races of the device with the "
				    "host there are missed");
}

// `mip_tail`: where what is in it has no known place.
static uint32_t memory_id(struct vkr_layer_device *device, VkDeviceMemory handle, bool mip_tail)
{
	struct vkr_layer_memory *memory =
		vkr_handles_get(&device->objects.memories, VKR_KEY(handle));
	if (!memory)
		return 0;
	vkr_host_memory_sparse(memory);
	memory->mip_tail |= mip_tail;
	vkr_sparse_mapped(memory);
	return memory->id;
}

static void record_range(struct vkr_layer_device *device, struct vkr_trace_sparse_bind *bind,
			 const VkSparseMemoryBind *from, bool mip_tail)
{
	bind->memory = memory_id(device, from->memory, mip_tail);
	bind->offset = from->resourceOffset;
	bind->bytes = from->size;
	bind->memory_offset = from->memoryOffset;
	vkr_record_event(VKR_TRACE_SPARSE_BIND, bind, sizeof *bind, NULL, 0);
}

// Records what the binding gives to the image's mip tails of one aspect. Returns whether it reaches
// any.
static bool record_tails(struct vkr_layer_device *device, const struct vkr_trace_sparse_bind *like,
			 const struct vkr_layer_image *image,
			 const VkSparseImageMemoryRequirements *needs,
			 const VkSparseMemoryBind *from)
{
	const bool single =
		needs->formatProperties.flags & VK_SPARSE_IMAGE_FORMAT_SINGLE_MIPTAIL_BIT;
	const VkDeviceSize end = from->resourceOffset + from->size;
	bool reached = false;
	if (needs->imageMipTailFirstLod >= image->mips || !needs->imageMipTailSize)
		return false;
	for (uint32_t layer = 0; layer < (single ? 1 : image->layers); layer++) {
		const VkDeviceSize low = needs->imageMipTailOffset +
					 (single ? 0 : layer * needs->imageMipTailStride),
				   high = low + needs->imageMipTailSize;
		if (low >= end || high <= from->resourceOffset)
			continue;
		reached = true;
		if (low < from->resourceOffset || high > end) {
			vkr_record_coverage(
				VKR_COVERAGE_SYNC, device->id, 0,
				"a part of a sparse image's mip tail is bound: which texels are "
				"there is not known, so races with the binding are missed");
			continue;
		}
		struct vkr_trace_sparse_bind bind = *like;
		bind.kind = VKR_SPARSE_TAIL;
		bind.memory = memory_id(device, from->memory, true);
		bind.offset = low;
		bind.bytes = needs->imageMipTailSize;
		bind.memory_offset = from->memoryOffset + (low - from->resourceOffset);
		bind.aspects = needs->formatProperties.aspectMask;
		bind.mip = needs->imageMipTailFirstLod;
		bind.layer = single ? UINT32_MAX : layer;
		vkr_record_event(VKR_TRACE_SPARSE_BIND, &bind, sizeof bind, NULL, 0);
	}
	return reached;
}

// A range of an image with blocks is of mip tails, or of metadata.
static void record_opaque(struct vkr_layer_device *device, struct vkr_trace_sparse_bind *bind,
			  const struct vkr_layer_image *image, const VkSparseMemoryBind *from)
{
	bool tails = false;
	for (uint32_t at = 0; image && at < image->sparse_count; at++)
		if (!(image->sparse[at].formatProperties.aspectMask & VK_IMAGE_ASPECT_METADATA_BIT))
			tails |= record_tails(device, bind, image, &image->sparse[at], from);
	if (!tails)
		record_range(device, bind, from, !image || image->sparse_count > 0);
}

// The texels of one block.
static void note_block(const struct vkr_layer_image *image, struct vkr_trace_sparse_bind *bind)
{
	for (uint32_t i = 0; image && i < image->sparse_count; i++) {
		const VkSparseImageFormatProperties *format = &image->sparse[i].formatProperties;
		if (!(format->aspectMask & bind->aspects))
			continue;
		bind->block[0] = format->imageGranularity.width;
		bind->block[1] = format->imageGranularity.height;
		bind->block[2] = format->imageGranularity.depth;
	}
}

static void record_box(struct vkr_layer_device *device, struct vkr_trace_sparse_bind *bind,
		       const struct vkr_layer_image *image, const VkSparseImageMemoryBind *from)
{
	bind->memory_offset = from->memoryOffset;
	bind->aspects = from->subresource.aspectMask;
	bind->mip = from->subresource.mipLevel;
	bind->layer = from->subresource.arrayLayer;
	bind->box_offset[0] = (uint32_t)from->offset.x;
	bind->box_offset[1] = (uint32_t)from->offset.y;
	bind->box_offset[2] = (uint32_t)from->offset.z;
	bind->box_extent[0] = from->extent.width;
	bind->box_extent[1] = from->extent.height;
	bind->box_extent[2] = from->extent.depth;
	note_block(image, bind);
	bind->memory = memory_id(device, from->memory, bind->block[0] == 0);
	vkr_record_event(VKR_TRACE_SPARSE_BIND, bind, sizeof *bind, NULL, 0);
}

static void record_binds(struct vkr_layer_device *device, uint32_t submission,
			 const VkBindSparseInfo *info)
{
	struct vkr_trace_sparse_bind bind = {.submission = submission, .kind = VKR_SPARSE_BUFFER};
	for (uint32_t i = 0; i < info->bufferBindCount; i++) {
		const VkSparseBufferMemoryBindInfo *of = &info->pBufferBinds[i];
		const struct vkr_layer_buffer *buffer =
			vkr_handles_get(&device->objects.buffers, VKR_KEY(of->buffer));
		bind.object = buffer ? buffer->id : 0;
		for (uint32_t j = 0; j < of->bindCount; j++)
			record_range(device, &bind, &of->pBinds[j], false);
	}
	bind.kind = VKR_SPARSE_OPAQUE;
	for (uint32_t i = 0; i < info->imageOpaqueBindCount; i++) {
		const VkSparseImageOpaqueMemoryBindInfo *of = &info->pImageOpaqueBinds[i];
		const struct vkr_layer_image *image =
			vkr_handles_get(&device->objects.images, VKR_KEY(of->image));
		bind.object = image ? image->id : 0;
		for (uint32_t j = 0; j < of->bindCount; j++)
			record_opaque(device, &bind, image, &of->pBinds[j]);
	}
	for (uint32_t i = 0; i < info->imageBindCount; i++) {
		const VkSparseImageMemoryBindInfo *of = &info->pImageBinds[i];
		const struct vkr_layer_image *image =
			vkr_handles_get(&device->objects.images, VKR_KEY(of->image));
		bind = (struct vkr_trace_sparse_bind){.submission = submission,
						      .kind = VKR_SPARSE_IMAGE,
						      .object = image ? image->id : 0};
		for (uint32_t j = 0; j < of->bindCount; j++)
			record_box(device, &bind, image, &of->pBinds[j]);
	}
}

// Records a batch without commands. Returns its id, 0 if it could not be recorded.
static uint32_t record_batch(struct vkr_layer_queue *queue, const VkBindSparseInfo *info,
			     VkFence fence)
{
	struct vkr_layer_device *device = queue->device;
	const struct vkr_layer_fence *known =
		vkr_handles_get(&device->objects.fences, VKR_KEY(fence));
	const VkTimelineSemaphoreSubmitInfo *values =
		vkr_chain_find(info->pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
	const VkTimelineSemaphoreSubmitInfo none = {0};
	struct vkr_trace_semaphore_operation *list = calloc(
		(size_t)info->waitSemaphoreCount + info->signalSemaphoreCount + 1, sizeof *list);
	if (!list) {
		vkr_record_no_memory("semaphores of a queue");
		return 0;
	}
	if (!values)
		values = &none;
	uint32_t waits = list_semaphores(device, info->waitSemaphoreCount, info->pWaitSemaphores,
					 values->pWaitSemaphoreValues,
					 values->waitSemaphoreValueCount, list);
	uint32_t signals = list_semaphores(device, info->signalSemaphoreCount,
					   info->pSignalSemaphores, values->pSignalSemaphoreValues,
					   values->signalSemaphoreValueCount, list + waits);
	struct vkr_trace_batch batch = {.wait_count = waits, .signal_count = signals};
	struct vkr_trace_submit payload = {
		.submission = vkr_record_id(VKR_ID_SUBMISSION),
		.queue = queue->id,
		.fence = known ? known->id : 0,
		.batch_count = 1,
		.wait_count = waits,
		.signal_count = signals,
		.sparse = 1,
	};
	struct vkr_bytes pieces[] = {{&batch, sizeof batch},
				     {list, (waits + (size_t)signals) * sizeof *list}};
	record_binds(device, payload.submission, info);
	vkr_record_pieces(VKR_TRACE_SUBMIT, &payload, sizeof payload, pieces, 2);
	free(list);
	return payload.submission;
}

VKAPI_ATTR VkResult VKAPI_CALL vkr_QueueBindSparse(VkQueue handle, uint32_t count,
						   const VkBindSparseInfo *infos, VkFence fence)
{
	struct vkr_layer_queue *queue = vkr_queue_of(handle);
	const VkBindSparseInfo nothing = {0};
	uint32_t first = 0, last = 0;
	vkr_queue_enter(queue);
	for (uint32_t i = 0; queue && i < count; i++) {
		last = record_batch(queue, &infos[i], i + 1 == count ? fence : VK_NULL_HANDLE);
		first = first ? first : last;
	}
	if (queue && count == 0 && fence)
		first = last = record_batch(queue, &nothing, fence);
	VkResult result = vkr_device_of(handle)->next.QueueBindSparse(handle, count, infos, fence);
	vkr_queue_leave(queue);
	// Batches of other threads may lie between these.
	if (result != VK_SUCCESS && first == last && last) {
		struct vkr_trace_submit_failed failed = {.submission = last,
							 .result = (uint32_t)result};
		vkr_record_event(VKR_TRACE_SUBMIT_FAILED, &failed, sizeof failed, NULL, 0);
	} else if (result != VK_SUCCESS && last) {
		vkr_record_coverage(
			VKR_COVERAGE_SYNC, 0, 0,
			"vkQueueBindSparse failed: its batches are treated as executed");
	}
	return result;
}
