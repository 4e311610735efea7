// SPDX-License-Identifier: Apache-2.0
// Video sessions, their memory, and the commands of video coding scopes.
// Knows their parameters; not which texels or bytes they access.
#include "command_buffer.h"
#include "record.h"
#include "video_profiles.h"

#include <stdlib.h>

#ifdef VK_KHR_video_queue

VKAPI_ATTR VkResult VKAPI_CALL vkr_CreateVideoSessionKHR(VkDevice handle,
							 const VkVideoSessionCreateInfoKHR *info,
							 const VkAllocationCallbacks *allocator,
							 VkVideoSessionKHR *session)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	const VkVideoProfileInfoKHR *profile = info->pVideoProfile;
	const VkResult result =
		device->next.CreateVideoSessionKHR(handle, info, allocator, session);
	if (result != VK_SUCCESS)
		return result;
	struct vkr_layer_video_session *kept = calloc(1, sizeof *kept);
	if (!kept) {
		vkr_record_no_memory("a video session");
		return result;
	}
	VkExtent2D granularity = {1, 1};
	if (!vkr_video_granularity(device, profile, &granularity)) {
		granularity = (VkExtent2D){1, 1};
		vkr_record_coverage(VKR_COVERAGE_EXTENSION, device->id, 0,
				    "the access granularity of video codec 0x%x is not known: "
				    "races at the edges of coded pictures are missed",
				    (unsigned)profile->videoCodecOperation);
	}
	kept->id = vkr_record_id(VKR_OBJECT_VIDEO_SESSION);
	kept->has_separate_fields = vkr_video_separate_fields(profile);
	const struct vkr_trace_video_session payload = {
		.session = kept->id,
		.device = device->id,
		.codec = (uint32_t)profile->videoCodecOperation,
		.granularity = {granularity.width, granularity.height},
	};
	vkr_record_event(VKR_TRACE_VIDEO_SESSION, &payload, sizeof payload, NULL, 0);
	vkr_object_keep(&device->objects.video_sessions, VKR_KEY(*session), kept,
			"a video session");
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_DestroyVideoSessionKHR(VkDevice handle, VkVideoSessionKHR session,
						      const VkAllocationCallbacks *allocator)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	free(vkr_handles_take(&device->objects.video_sessions, VKR_KEY(session)));
	device->next.DestroyVideoSessionKHR(handle, session, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL
vkr_BindVideoSessionMemoryKHR(VkDevice handle, VkVideoSessionKHR session, uint32_t count,
			      const VkBindVideoSessionMemoryInfoKHR *infos)
{
	struct vkr_layer_device *device = vkr_device_of(handle);
	const VkResult result =
		device->next.BindVideoSessionMemoryKHR(handle, session, count, infos);
	const struct vkr_layer_video_session *kept =
		vkr_handles_get(&device->objects.video_sessions, VKR_KEY(session));
	for (uint32_t i = 0; result == VK_SUCCESS && kept && i < count; i++) {
		const struct vkr_layer_memory *memory =
			vkr_handles_get(&device->objects.memories, VKR_KEY(infos[i].memory));
		if (!memory)
			continue;
		const struct vkr_trace_video_session_bind payload = {
			.session = kept->id,
			.index = infos[i].memoryBindIndex,
			.memory = memory->id,
			.offset = infos[i].memoryOffset,
			.bytes = infos[i].memorySize,
		};
		vkr_record_event(VKR_TRACE_VIDEO_SESSION_BIND, &payload, sizeof payload, NULL, 0);
	}
	return result;
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdBeginVideoCodingKHR(VkCommandBuffer handle,
						      const VkVideoBeginCodingInfoKHR *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		const struct vkr_layer_video_session *kept = vkr_handles_get(
			&buffer->device->objects.video_sessions, VKR_KEY(info->videoSession));
		buffer->video = kept ? *kept : (struct vkr_layer_video_session){0};
	}
	vkr_command_device(buffer, handle)->next.CmdBeginVideoCodingKHR(handle, info);
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdControlVideoCodingKHR(VkCommandBuffer handle,
							const VkVideoCodingControlInfoKHR *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		const struct vkr_trace_cmd_video payload = {
			.command = vkr_command_index(buffer),
			.kind = VKR_VIDEO_CONTROL,
			.session = buffer->video.id,
		};
		vkr_command_event(buffer, VKR_TRACE_CMD_VIDEO, &payload, sizeof payload, 0);
	}
	vkr_command_device(buffer, handle)->next.CmdControlVideoCodingKHR(handle, info);
}

// What decode and encode operations have in common.
struct coding {
	uint32_t kind; // enum vkr_trace_video_command
	const void *chain;
	VkBuffer buffer;
	VkDeviceSize offset, bytes;
	const VkVideoPictureResourceInfoKHR *picture; // input or output
	uint32_t role;                                // its enum vkr_trace_video_role
	bool picture_is_field;
	const VkVideoReferenceSlotInfoKHR *setup; // or NULL
	uint32_t reference_count;
	const VkVideoReferenceSlotInfoKHR *references;
	// A quantization map, or VK_NULL_HANDLE.
	VkImageView map;
	VkExtent2D map_extent;
};

static uint32_t view_id(const struct vkr_layer_command_buffer *buffer, VkImageView view)
{
	const struct vkr_layer_image_view *kept =
		vkr_handles_get(&buffer->device->objects.image_views, VKR_KEY(view));
	return kept ? kept->id : 0;
}

static struct vkr_trace_video_picture picture_of(const struct vkr_layer_command_buffer *buffer,
						 const VkVideoPictureResourceInfoKHR *picture,
						 uint32_t role, bool is_field)
{
	return (struct vkr_trace_video_picture){
		.role = role,
		.view = view_id(buffer, picture->imageViewBinding),
		.layer = picture->baseArrayLayer,
		.is_field = is_field && buffer->video.has_separate_fields,
		.offset = {(uint32_t)picture->codedOffset.x, (uint32_t)picture->codedOffset.y},
		.extent = {picture->codedExtent.width, picture->codedExtent.height},
	};
}

static bool has_picture(const VkVideoReferenceSlotInfoKHR *slot)
{
	return slot && slot->pPictureResource;
}

static struct vkr_trace_video_picture slot_picture(const struct vkr_layer_command_buffer *buffer,
						   const VkVideoReferenceSlotInfoKHR *slot,
						   uint32_t role)
{
	return picture_of(buffer, slot->pPictureResource, role,
			  vkr_video_slot_is_field(slot->pNext));
}

static uint32_t count_pictures(const struct coding *coding)
{
	uint32_t count = 1u + has_picture(coding->setup) + (coding->map != VK_NULL_HANDLE);
	for (uint32_t i = 0; i < coding->reference_count; i++)
		count += has_picture(&coding->references[i]);
	return count;
}

static void fill_pictures(const struct vkr_layer_command_buffer *buffer,
			  const struct coding *coding, struct vkr_trace_video_picture *out)
{
	*out++ = picture_of(buffer, coding->picture, coding->role, coding->picture_is_field);
	if (has_picture(coding->setup))
		*out++ = slot_picture(buffer, coding->setup, VKR_VIDEO_RECONSTRUCTED);
	for (uint32_t i = 0; i < coding->reference_count; i++)
		if (has_picture(&coding->references[i]))
			*out++ = slot_picture(buffer, &coding->references[i], VKR_VIDEO_REFERENCE);
	if (coding->map != VK_NULL_HANDLE)
		*out = (struct vkr_trace_video_picture){
			.role = VKR_VIDEO_QUANTIZATION_MAP,
			.view = view_id(buffer, coding->map),
			.extent = {coding->map_extent.width, coding->map_extent.height},
		};
}

// VK_KHR_video_maintenance1, "Inline Queries".
static void add_queries(const struct vkr_layer_command_buffer *buffer, const void *chain,
			struct vkr_trace_cmd_video *payload)
{
#ifdef VK_KHR_video_maintenance1
	const VkVideoInlineQueryInfoKHR *queries =
		vkr_chain_find(chain, VK_STRUCTURE_TYPE_VIDEO_INLINE_QUERY_INFO_KHR);
	if (!queries)
		return;
	const struct vkr_layer_query_pool *pool =
		vkr_handles_get(&buffer->device->objects.query_pools, VKR_KEY(queries->queryPool));
	payload->pool = pool ? pool->id : 0;
	payload->first_query = queries->firstQuery;
	payload->query_count = queries->queryCount;
#else
	(void)buffer;
	(void)chain;
	(void)payload;
#endif
}

static void record_coding(struct vkr_layer_command_buffer *buffer, const struct coding *coding)
{
	struct vkr_trace_cmd_video payload = {
		.command = vkr_command_index(buffer),
		.kind = coding->kind,
		.session = buffer->video.id,
		.buffer = vkr_command_buffer_id(buffer, coding->buffer),
		.offset = coding->offset,
		.bytes = coding->bytes,
		.picture_count = count_pictures(coding),
	};
	add_queries(buffer, coding->chain, &payload);
	struct vkr_trace_video_picture *out =
		vkr_command_event(buffer, VKR_TRACE_CMD_VIDEO, &payload, sizeof payload,
				  payload.picture_count * sizeof *out);
	if (out)
		fill_pictures(buffer, coding, out);
}
#endif

#ifdef VK_KHR_video_decode_queue
VKAPI_ATTR void VKAPI_CALL vkr_CmdDecodeVideoKHR(VkCommandBuffer handle,
						 const VkVideoDecodeInfoKHR *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		const struct coding coding = {
			.kind = VKR_VIDEO_DECODE,
			.chain = info->pNext,
			.buffer = info->srcBuffer,
			.offset = info->srcBufferOffset,
			.bytes = info->srcBufferRange,
			.picture = &info->dstPictureResource,
			.role = VKR_VIDEO_OUTPUT,
			.picture_is_field = vkr_video_output_is_field(info->pNext),
			.setup = info->pSetupReferenceSlot,
			.reference_count = info->referenceSlotCount,
			.references = info->pReferenceSlots,
		};
		record_coding(buffer, &coding);
	}
	vkr_command_device(buffer, handle)->next.CmdDecodeVideoKHR(handle, info);
}
#endif

#ifdef VK_KHR_video_encode_queue
static void add_map(struct coding *coding, const VkVideoEncodeInfoKHR *info)
{
#ifdef VK_KHR_video_encode_quantization_map
	const VkVideoEncodeQuantizationMapInfoKHR *map = vkr_chain_find(
		info->pNext, VK_STRUCTURE_TYPE_VIDEO_ENCODE_QUANTIZATION_MAP_INFO_KHR);
	if (!map || !(info->flags & (VK_VIDEO_ENCODE_WITH_QUANTIZATION_DELTA_MAP_BIT_KHR |
				     VK_VIDEO_ENCODE_WITH_EMPHASIS_MAP_BIT_KHR)))
		return;
	coding->map = map->quantizationMap;
	coding->map_extent = map->quantizationMapExtent;
#else
	(void)coding;
	(void)info;
#endif
}

VKAPI_ATTR void VKAPI_CALL vkr_CmdEncodeVideoKHR(VkCommandBuffer handle,
						 const VkVideoEncodeInfoKHR *info)
{
	struct vkr_layer_command_buffer *buffer = vkr_command_buffer_of(handle);
	if (buffer) {
		struct coding coding = {
			.kind = VKR_VIDEO_ENCODE,
			.chain = info->pNext,
			.buffer = info->dstBuffer,
			.offset = info->dstBufferOffset,
			.bytes = info->dstBufferRange,
			.picture = &info->srcPictureResource,
			.role = VKR_VIDEO_INPUT,
			.setup = info->pSetupReferenceSlot,
			.reference_count = info->referenceSlotCount,
			.references = info->pReferenceSlots,
		};
		add_map(&coding, info);
		record_coding(buffer, &coding);
	}
	vkr_command_device(buffer, handle)->next.CmdEncodeVideoKHR(handle, info);
}
#endif
