// SPDX-License-Identifier: Apache-2.0
// Twins of video coding: bitstreams, pictures, sessions and their queries. Knows nothing of what is
// to be reported.
#include "twins.h"

#include "vkrace/annotate.h"

#include <string.h>

#define SIDE        64u // texels of a picture
#define LAYERS      4u
#define BITSTREAM   512u // bytes
#define DECODE      VK_PIPELINE_STAGE_2_VIDEO_DECODE_BIT_KHR
#define DECODE_READ VK_ACCESS_2_VIDEO_DECODE_READ_BIT_KHR
#define DECODED     VK_ACCESS_2_VIDEO_DECODE_WRITE_BIT_KHR
#define COPY        VK_PIPELINE_STAGE_2_COPY_BIT

#define LOAD(name) ((PFN_##name)vkGetDeviceProcAddr(test->device, #name))

// A session, and an image of pictures, one a layer.
struct video {
	VkVideoSessionKHR session;
	VkDeviceMemory session_memory;
	VkImage image;
	VkDeviceMemory memory;
	VkImageView view;
};

static void make_session(struct gpu_test *test, struct video *video,
			 VkVideoCodecOperationFlagBitsKHR codec)
{
	const VkVideoDecodeH264ProfileInfoKHR h264 = {
		.sType = VK_STRUCTURE_TYPE_VIDEO_DECODE_H264_PROFILE_INFO_KHR,
		.pictureLayout =
			VK_VIDEO_DECODE_H264_PICTURE_LAYOUT_INTERLACED_INTERLEAVED_LINES_BIT_KHR,
	};
	const VkVideoProfileInfoKHR profile = {
		.sType = VK_STRUCTURE_TYPE_VIDEO_PROFILE_INFO_KHR,
		.pNext = codec == VK_VIDEO_CODEC_OPERATION_DECODE_H264_BIT_KHR ? &h264 : NULL,
		.videoCodecOperation = codec,
	};
	const VkVideoSessionCreateInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_VIDEO_SESSION_CREATE_INFO_KHR,
		.queueFamilyIndex = test->families[GPU_LANE_VIDEO],
		.pVideoProfile = &profile,
		.pictureFormat = VK_FORMAT_R8G8B8A8_UNORM,
		.maxCodedExtent = {SIDE, SIDE},
		.maxDpbSlots = LAYERS,
		.maxActiveReferencePictures = LAYERS,
	};
	VkVideoSessionMemoryRequirementsKHR needs = {
		.sType = VK_STRUCTURE_TYPE_VIDEO_SESSION_MEMORY_REQUIREMENTS_KHR};
	uint32_t count = 1;
	gpu_test_expect(LOAD(vkCreateVideoSessionKHR)(test->device, &info, NULL, &video->session),
			"vkCreateVideoSessionKHR");
	gpu_test_expect(LOAD(vkGetVideoSessionMemoryRequirementsKHR)(test->device, video->session,
								     &count, &needs),
			"vkGetVideoSessionMemoryRequirementsKHR");
	video->session_memory = gpu_test_allocate(test, &needs.memoryRequirements, NULL);
	const VkBindVideoSessionMemoryInfoKHR bind = {
		.sType = VK_STRUCTURE_TYPE_BIND_VIDEO_SESSION_MEMORY_INFO_KHR,
		.memoryBindIndex = needs.memoryBindIndex,
		.memory = video->session_memory,
		.memorySize = needs.memoryRequirements.size,
	};
	gpu_test_expect(LOAD(vkBindVideoSessionMemoryKHR)(test->device, video->session, 1, &bind),
			"vkBindVideoSessionMemoryKHR");
	gpu_test_name(test, VK_OBJECT_TYPE_VIDEO_SESSION_KHR, (uint64_t)video->session, "session");
}

static void make_image(struct gpu_test *test, struct video *video, VkFormat format, uint32_t layers)
{
	const VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = format,
		.extent = {SIDE, SIDE, 1},
		.mipLevels = 1,
		.arrayLayers = layers,
		.samples = VK_SAMPLE_COUNT_1_BIT,
		.tiling = VK_IMAGE_TILING_OPTIMAL,
		.usage = VK_IMAGE_USAGE_VIDEO_DECODE_DPB_BIT_KHR |
			 VK_IMAGE_USAGE_VIDEO_DECODE_DST_BIT_KHR | VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
			 VK_IMAGE_USAGE_TRANSFER_DST_BIT,
	};
	VkMemoryRequirements needs;
	gpu_test_expect(vkCreateImage(test->device, &info, NULL, &video->image), "vkCreateImage");
	vkGetImageMemoryRequirements(test->device, video->image, &needs);
	video->memory = gpu_test_allocate(test, &needs, NULL);
	gpu_test_expect(vkBindImageMemory(test->device, video->image, video->memory, 0),
			"vkBindImageMemory");
	gpu_test_name(test, VK_OBJECT_TYPE_IMAGE, (uint64_t)video->image, "pictures");
	const VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = video->image,
		.viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
		.format = format,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, layers},
	};
	gpu_test_expect(vkCreateImageView(test->device, &view, NULL, &video->view),
			"vkCreateImageView");
}

static void barrier(struct gpu_test *test, VkPipelineStageFlags2 from_stage, VkAccessFlags2 from,
		    VkPipelineStageFlags2 to_stage, VkAccessFlags2 to)
{
	const VkMemoryBarrier2 memory = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
		.srcStageMask = from_stage,
		.srcAccessMask = from,
		.dstStageMask = to_stage,
		.dstAccessMask = to,
	};
	const VkDependencyInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
		.memoryBarrierCount = 1,
		.pMemoryBarriers = &memory,
	};
	LOAD(vkCmdPipelineBarrier2)(test->commands, &info);
}

static void begin_coding(struct gpu_test *test, const struct video *video)
{
	const VkVideoBeginCodingInfoKHR begin = {
		.sType = VK_STRUCTURE_TYPE_VIDEO_BEGIN_CODING_INFO_KHR,
		.videoSession = video->session,
	};
	LOAD(vkCmdBeginVideoCodingKHR)(test->commands, &begin);
}

static void end_coding(struct gpu_test *test)
{
	const VkVideoEndCodingInfoKHR end = {
		.sType = VK_STRUCTURE_TYPE_VIDEO_END_CODING_INFO_KHR,
	};
	LOAD(vkCmdEndVideoCodingKHR)(test->commands, &end);
}

// A command buffer of the video family, with a session that was reset and pictures that were
// discarded.
static void open_video(struct gpu_test *test, struct video *video,
		       VkVideoCodecOperationFlagBitsKHR codec, VkFormat format, uint32_t layers)
{
	if (!test->has_video || !test->has_synchronization2 || !LOAD(vkCmdPipelineBarrier2))
		gpu_test_skip("no video decoding");
	const VkVideoCodingControlInfoKHR control = {
		.sType = VK_STRUCTURE_TYPE_VIDEO_CODING_CONTROL_INFO_KHR,
		.flags = VK_VIDEO_CODING_CONTROL_RESET_BIT_KHR,
	};
	gpu_test_use(test, GPU_LANE_VIDEO);
	make_session(test, video, codec);
	make_image(test, video, format, layers);
	begin_coding(test, video);
	LOAD(vkCmdControlVideoCodingKHR)(test->commands, &control);
	end_coding(test);
}

static void open_decoder(struct gpu_test *test, struct video *video)
{
	open_video(test, video, VK_VIDEO_CODEC_OPERATION_DECODE_H264_BIT_KHR,
		   VK_FORMAT_R8G8B8A8_UNORM, LAYERS);
}

static void close_video(struct gpu_test *test, struct video *video)
{
	gpu_test_submit(test, 1);
	gpu_test_expect(vkDeviceWaitIdle(test->device), "vkDeviceWaitIdle");
	LOAD(vkDestroyVideoSessionKHR)(test->device, video->session, NULL);
	vkFreeMemory(test->device, video->session_memory, NULL);
	vkDestroyImageView(test->device, video->view, NULL);
	vkDestroyImage(test->device, video->image, NULL);
	vkFreeMemory(test->device, video->memory, NULL);
}

static VkVideoPictureResourceInfoKHR whole_picture(const struct video *video, uint32_t layer)
{
	return (VkVideoPictureResourceInfoKHR){
		.sType = VK_STRUCTURE_TYPE_VIDEO_PICTURE_RESOURCE_INFO_KHR,
		.codedExtent = {SIDE, SIDE},
		.baseArrayLayer = layer,
		.imageViewBinding = video->view,
	};
}

// Decodes the start of the data buffer into a picture, which is the reconstructed one too, with
// another one as reference where it is not NULL.
static void decode(struct gpu_test *test, const struct video *video,
		   const VkVideoPictureResourceInfoKHR *picture,
		   const VkVideoPictureResourceInfoKHR *reference)
{
	const VkVideoReferenceSlotInfoKHR setup = {
		.sType = VK_STRUCTURE_TYPE_VIDEO_REFERENCE_SLOT_INFO_KHR,
		.slotIndex = (int32_t)picture->baseArrayLayer,
		.pPictureResource = picture,
	};
	const VkVideoReferenceSlotInfoKHR used = {
		.sType = VK_STRUCTURE_TYPE_VIDEO_REFERENCE_SLOT_INFO_KHR,
		.slotIndex = reference ? (int32_t)reference->baseArrayLayer : -1,
		.pPictureResource = reference,
	};
	const VkVideoDecodeInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_VIDEO_DECODE_INFO_KHR,
		.srcBuffer = test->data.handle,
		.srcBufferRange = BITSTREAM,
		.dstPictureResource = *picture,
		.pSetupReferenceSlot = &setup,
		.referenceSlotCount = reference != NULL,
		.pReferenceSlots = &used,
	};
	begin_coding(test, video);
	LOAD(vkCmdDecodeVideoKHR)(test->commands, &info);
	end_coding(test);
}

static void decode_layer(struct gpu_test *test, const struct video *video, uint32_t layer)
{
	const VkVideoPictureResourceInfoKHR picture = whole_picture(video, layer);
	decode(test, video, &picture, NULL);
}

static void copy_out(struct gpu_test *test, const struct video *video, VkImageAspectFlags aspect,
		     uint32_t side)
{
	const VkBufferImageCopy region = {.imageSubresource = {aspect, 0, 0, 1},
					  .imageExtent = {side, side, 1}};
	vkCmdCopyImageToBuffer(test->commands, video->image, VK_IMAGE_LAYOUT_GENERAL,
			       test->result.handle, 1, &region);
}

// The barrier names transfers where pictures are decoded.
static void output(struct gpu_test *test)
{
	struct video video;
	open_decoder(test, &video);
	decode_layer(test, &video, 0);
	barrier(test, test->fixed ? DECODE : COPY,
		test->fixed ? DECODED : VK_ACCESS_2_TRANSFER_WRITE_BIT, COPY,
		VK_ACCESS_2_TRANSFER_READ_BIT);
	copy_out(test, &video, VK_IMAGE_ASPECT_COLOR_BIT, 8);
	close_video(test, &video);
}

// A reference that the decoder has just made.
static void reference(struct gpu_test *test)
{
	struct video video;
	open_decoder(test, &video);
	const VkVideoPictureResourceInfoKHR first = whole_picture(&video, 0);
	const VkVideoPictureResourceInfoKHR second = whole_picture(&video, 1);
	decode(test, &video, &first, NULL);
	if (test->fixed)
		barrier(test, DECODE, DECODED, DECODE, DECODE_READ);
	decode(test, &video, &second, &first);
	close_video(test, &video);
}

// The second field of a frame is decoded into the picture of the first, with that as reference.
static void fields(struct gpu_test *test)
{
	struct video video;
	open_decoder(test, &video);
	const VkVideoPictureResourceInfoKHR frame = whole_picture(&video, 2);
	decode(test, &video, &frame, NULL);
	if (test->fixed)
		barrier(test, DECODE, DECODED, DECODE, DECODE_READ | DECODED);
	decode(test, &video, &frame, &frame);
	close_video(test, &video);
}

// Coded pictures that do not overlap, with edges within one unit of what the decoder touches.
static void granularity(struct gpu_test *test)
{
	const uint32_t edge = test->fixed ? 32 : 40;
	struct video video;
	open_decoder(test, &video);
	VkVideoPictureResourceInfoKHR left = whole_picture(&video, 0), right = left;
	left.codedExtent = (VkExtent2D){edge, 16};
	right.codedOffset = (VkOffset2D){(int32_t)edge, 0};
	right.codedExtent = (VkExtent2D){SIDE - edge, 16};
	decode(test, &video, &left, NULL);
	decode(test, &video, &right, NULL);
	close_video(test, &video);
}

// Two queues of the family decode into one slot.
static void slots(struct gpu_test *test)
{
	struct video video;
	open_decoder(test, &video);
	if (test->video_queue_count < 2)
		gpu_test_skip("one video queue");
	decode_layer(test, &video, 0);
	gpu_test_submit(test, 1);
	test->queue = test->other_video_queue;
	decode_layer(test, &video, test->fixed ? 1 : 0);
	close_video(test, &video);
}

// The chroma plane alone is copied.
static void planes(struct gpu_test *test)
{
	struct video video;
	open_video(test, &video, VK_VIDEO_CODEC_OPERATION_DECODE_H264_BIT_KHR,
		   VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, 1);
	decode_layer(test, &video, 0);
	if (test->fixed)
		barrier(test, DECODE, DECODED, COPY, VK_ACCESS_2_TRANSFER_READ_BIT);
	copy_out(test, &video, VK_IMAGE_ASPECT_PLANE_1_BIT, SIDE / 2);
	close_video(test, &video);
}

static char *map_data(struct gpu_test *test)
{
	void *mapped = NULL;
	VKRACE_ATTACH(test->device, vkGetDeviceProcAddr);
	gpu_test_expect(vkMapMemory(test->device, test->data.memory, 0, VK_WHOLE_SIZE, 0, &mapped),
			"vkMapMemory");
	return mapped;
}

static void host_write(char *to, size_t bytes)
{
	vkrace_write(to, bytes);
	memset(to, 1, bytes);
}

// The next frame's bytes are written over those that are being decoded.
static void bitstream(struct gpu_test *test)
{
	struct video video;
	open_decoder(test, &video);
	char *mapped = map_data(test);
	decode_layer(test, &video, 0);
	VkFence fence = gpu_test_submit_fence(test);
	if (test->fixed)
		gpu_test_wait(test, fence);
	host_write(mapped, 64);
	if (!test->fixed)
		gpu_test_wait(test, fence);
	close_video(test, &video);
}

// Reads the status of query 0, behind `values` others; 0 while it is not over.
static int32_t status_of(struct gpu_test *test, VkQueryPool pool, uint32_t values)
{
	int32_t results[4] = {0};
	const VkResult result =
		vkGetQueryPoolResults(test->device, pool, 0, 1, (values + 1) * sizeof *results,
				      results, sizeof results, VK_QUERY_RESULT_WITH_STATUS_BIT_KHR);
	if (result != VK_NOT_READY)
		gpu_test_expect(result, "vkGetQueryPoolResults");
	return results[values];
}

static VkQueryPool make_queries(struct gpu_test *test, VkQueryType type, const void *chain)
{
	const VkQueryPoolCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
		.pNext = chain,
		.queryType = type,
		.queryCount = 1,
	};
	VkQueryPool pool;
	gpu_test_expect(vkCreateQueryPool(test->device, &info, NULL, &pool), "vkCreateQueryPool");
	vkCmdResetQueryPool(test->commands, pool, 0, 1);
	return pool;
}

// Who sees a decode operation's status may write over its bitstream.
static void status(struct gpu_test *test)
{
	struct video video;
	open_decoder(test, &video);
	char *mapped = map_data(test);
	VkQueryPool pool = make_queries(test, VK_QUERY_TYPE_RESULT_STATUS_ONLY_KHR, NULL);
	vkCmdBeginQuery(test->commands, pool, 0, 0);
	decode_layer(test, &video, 0);
	vkCmdEndQuery(test->commands, pool, 0);
	gpu_test_submit(test, 1);
	while (test->fixed && status_of(test, pool, 0) == 0)
		;
	host_write(mapped, 64);
	close_video(test, &video);
	vkDestroyQueryPool(test->device, pool, NULL);
}

// A session's memory is given back while it decodes.
static void session_freed(struct gpu_test *test)
{
	struct video video;
	open_decoder(test, &video);
	decode_layer(test, &video, 0);
	gpu_test_submit(test, 1);
	if (test->fixed)
		gpu_test_expect(vkQueueWaitIdle(test->queue), "vkQueueWaitIdle");
	vkFreeMemory(test->device, video.session_memory, NULL);
	video.session_memory = VK_NULL_HANDLE;
	close_video(test, &video);
}

// ---- Encoding -----------------------------------------------------------------------------------

#ifdef VK_KHR_video_encode_queue
#define ENCODE      VK_PIPELINE_STAGE_2_VIDEO_ENCODE_BIT_KHR
#define ENCODE_READ VK_ACCESS_2_VIDEO_ENCODE_READ_BIT_KHR
#define ENCODED     VK_ACCESS_2_VIDEO_ENCODE_WRITE_BIT_KHR
#define INPUT_LAYER 0u
#define MAP_LAYER   2u
#define SETUP_LAYER 1u

static void open_encoder(struct gpu_test *test, struct video *video)
{
	if (!test->has_encoding)
		gpu_test_skip("no video encoding");
	open_video(test, video, VK_VIDEO_CODEC_OPERATION_ENCODE_H264_BIT_KHR,
		   VK_FORMAT_R8G8B8A8_UNORM, LAYERS);
}

static void encode_with(struct gpu_test *test, const struct video *video, const void *chain,
			VkVideoEncodeFlagsKHR flags)
{
	const VkVideoPictureResourceInfoKHR input = whole_picture(video, INPUT_LAYER);
	const VkVideoPictureResourceInfoKHR made = whole_picture(video, SETUP_LAYER);
	const VkVideoReferenceSlotInfoKHR setup = {
		.sType = VK_STRUCTURE_TYPE_VIDEO_REFERENCE_SLOT_INFO_KHR,
		.pPictureResource = &made,
	};
	const VkVideoEncodeInfoKHR info = {
		.sType = VK_STRUCTURE_TYPE_VIDEO_ENCODE_INFO_KHR,
		.pNext = chain,
		.flags = flags,
		.dstBuffer = test->data.handle,
		.dstBufferRange = BITSTREAM,
		.srcPictureResource = input,
		.pSetupReferenceSlot = &setup,
	};
	begin_coding(test, video);
	LOAD(vkCmdEncodeVideoKHR)(test->commands, &info);
	end_coding(test);
}

static void clear_layer(struct gpu_test *test, const struct video *video, uint32_t layer)
{
	const VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, layer, 1};
	const VkClearColorValue color = {{0}};
	vkCmdClearColorImage(test->commands, video->image, VK_IMAGE_LAYOUT_GENERAL, &color, 1,
			     &range);
}

static void host_read(const volatile char *from, size_t bytes)
{
	vkrace_read(from, bytes);
	for (size_t i = 0; i < bytes; i++)
		(void)from[i];
}

// A fence alone does not bring the bitstream to the host.
static void encoded(struct gpu_test *test)
{
	struct video video;
	open_encoder(test, &video);
	const char *mapped = map_data(test);
	encode_with(test, &video, NULL, 0);
	if (test->fixed)
		barrier(test, ENCODE, ENCODED, VK_PIPELINE_STAGE_2_HOST_BIT,
			VK_ACCESS_2_HOST_READ_BIT);
	gpu_test_wait(test, gpu_test_submit_fence(test));
	host_read(mapped, 64);
	close_video(test, &video);
}

// What was cleared is encoded behind a barrier for another stage.
static void input(struct gpu_test *test)
{
	struct video video;
	open_encoder(test, &video);
	clear_layer(test, &video, INPUT_LAYER);
	barrier(test, VK_PIPELINE_STAGE_2_CLEAR_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
		test->fixed ? ENCODE : COPY,
		test->fixed ? ENCODE_READ : VK_ACCESS_2_TRANSFER_READ_BIT);
	encode_with(test, &video, NULL, 0);
	close_video(test, &video);
}

// A quantization map is read as far as its extent says.
static void map(struct gpu_test *test)
{
	struct video video;
	open_encoder(test, &video);
	const VkImageViewCreateInfo of = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = video.image,
		.viewType = VK_IMAGE_VIEW_TYPE_2D,
		.format = VK_FORMAT_R8G8B8A8_UNORM,
		.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, MAP_LAYER, 1},
	};
	VkVideoEncodeQuantizationMapInfoKHR quantization = {
		.sType = VK_STRUCTURE_TYPE_VIDEO_ENCODE_QUANTIZATION_MAP_INFO_KHR,
		.quantizationMapExtent = {4, 4},
	};
	gpu_test_expect(vkCreateImageView(test->device, &of, NULL, &quantization.quantizationMap),
			"vkCreateImageView");
	clear_layer(test, &video, MAP_LAYER);
	if (test->fixed)
		barrier(test, VK_PIPELINE_STAGE_2_CLEAR_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT, ENCODE,
			ENCODE_READ);
	encode_with(test, &video, &quantization,
		    VK_VIDEO_ENCODE_WITH_QUANTIZATION_DELTA_MAP_BIT_KHR);
	close_video(test, &video);
	vkDestroyImageView(test->device, quantization.quantizationMap, NULL);
}

// Who sees an encode operation's feedback may reset its query.
static void feedback(struct gpu_test *test)
{
	const VkQueryPoolVideoEncodeFeedbackCreateInfoKHR both = {
		.sType = VK_STRUCTURE_TYPE_QUERY_POOL_VIDEO_ENCODE_FEEDBACK_CREATE_INFO_KHR,
		.encodeFeedbackFlags = VK_VIDEO_ENCODE_FEEDBACK_BITSTREAM_BUFFER_OFFSET_BIT_KHR |
				       VK_VIDEO_ENCODE_FEEDBACK_BITSTREAM_BYTES_WRITTEN_BIT_KHR,
	};
	struct video video;
	open_encoder(test, &video);
	if (!test->has_query_reset)
		gpu_test_skip("no vkResetQueryPool");
	VkVideoInlineQueryInfoKHR query = {
		.sType = VK_STRUCTURE_TYPE_VIDEO_INLINE_QUERY_INFO_KHR,
		.queryPool = make_queries(test, VK_QUERY_TYPE_VIDEO_ENCODE_FEEDBACK_KHR, &both),
		.queryCount = 1,
	};
	encode_with(test, &video, &query, 0);
	gpu_test_submit(test, 1);
	while (test->fixed && status_of(test, query.queryPool, 2) == 0)
		;
	vkResetQueryPool(test->device, query.queryPool, 0, 1);
	close_video(test, &video);
	vkDestroyQueryPool(test->device, query.queryPool, NULL);
}
#else
static void encoded(struct gpu_test *test)
{
	(void)test;
	gpu_test_skip("no video encoding");
}

static void input(struct gpu_test *test)
{
	encoded(test);
}

static void map(struct gpu_test *test)
{
	encoded(test);
}

static void feedback(struct gpu_test *test)
{
	encoded(test);
}
#endif

const struct gpu_twin gpu_video_twins[] = {
	{"video_output", output, 0},
	{"video_reference", reference, 0},
	{"video_fields", fields, 0},
	{"video_granularity", granularity, 0},
	{"video_slots", slots, 0},
	{"video_planes", planes, 0},
	{"video_bitstream", bitstream, 0},
	{"video_status", status, 0},
	{"video_session_freed", session_freed, 0},
	{"video_encoded", encoded, 0},
	{"video_input", input, 0},
	{"video_map", map, 0},
	{"video_feedback", feedback, 0},
	{NULL, NULL, 0},
};
