// SPDX-License-Identifier: Apache-2.0
// Video decode and encode operations as accesses of their stages (Vulkan specification, "Video
// Decode Operations", "Video Encode Operations"). Knows these commands only.
//
// The specification does not say how a session's own memory is synchronized, and programs record
// the operations of a session one after the other without barriers: the implementation orders them.
// So an operation's access to that memory is a read, which does not conflict with other operations,
// but does with every write by others.
#include "command_walk.h"

#include "error.h"
#include "event_payload.h"
#include "query_pools.h"
#include "video_sessions.h"

// The oldest headers keep their names for a beta extension.
#define ENCODE_STAGE (1ull << 27) // VK_PIPELINE_STAGE_2_VIDEO_ENCODE_BIT_KHR
#define ENCODE_READ  (1ull << 37) // VK_ACCESS_2_VIDEO_ENCODE_READ_BIT_KHR
#define ENCODE_WRITE (1ull << 38) // VK_ACCESS_2_VIDEO_ENCODE_WRITE_BIT_KHR

// What the two kinds of operations differ in.
struct operation {
	const char *name;
	uint64_t stage, read, write;
};

static const struct operation operations[] = {
	[VKR_VIDEO_DECODE] = {"vkCmdDecodeVideoKHR", VK_PIPELINE_STAGE_2_VIDEO_DECODE_BIT_KHR,
			      VK_ACCESS_2_VIDEO_DECODE_READ_BIT_KHR,
			      VK_ACCESS_2_VIDEO_DECODE_WRITE_BIT_KHR},
	[VKR_VIDEO_ENCODE] = {"vkCmdEncodeVideoKHR", ENCODE_STAGE, ENCODE_READ, ENCODE_WRITE},
};

// Codecs' operations from this bit on encode (VkVideoCodecOperationFlagBitsKHR).
#define FIRST_ENCODE_CODEC 0x10000u

struct video {
	struct vkr_walk *walk;
	const struct vkr_trace_cmd_video *command;
	const struct operation *operation;
	struct vkr_video_session *session;
	struct vkr_walk_access access; // what all have in common
};

static enum vkr_result unknown_object(const struct video *video, const char *what)
{
	return vkr_model_missed(
		video->walk->model, video->walk->error, VKR_COVERAGE_COMMAND, 0,
		"%s uses %s whose creation was not recorded: races with it are missed",
		video->access.info->name, what);
}

static uint32_t rounded_down(uint32_t texels, uint32_t granularity)
{
	return texels - texels % granularity;
}

static uint32_t rounded_up(uint64_t texels, uint32_t granularity)
{
	const uint64_t rounded = (texels + granularity - 1) / granularity * granularity;
	return rounded > UINT32_MAX ? UINT32_MAX : (uint32_t)rounded;
}

// "The complete image subregion accessed by video coding operations" (of each codec, "Picture Data
// Access"). A quantization map's texels are what its extent says ("Encode Quantization Map").
static struct vkr_image_region region_of(const struct video *video,
					 const struct vkr_trace_video_picture *picture,
					 const struct vkr_image_view *view)
{
	static const uint32_t texel[2] = {1, 1};
	const uint32_t *granularity =
		picture->role == VKR_VIDEO_QUANTIZATION_MAP || video->session == NULL
			? texel
			: video->session->granularity;
	struct vkr_image_region region = {
		.aspects = view->subresources.aspects,
		.mip = view->subresources.first_mip,
		.first_layer = view->subresources.first_layer + picture->layer,
		.layer_count = picture->layer < view->subresources.layer_count ? 1 : 0,
		.extent[2] = 1};
	for (unsigned at = 0; at < 2; at++) {
		const uint32_t extent =
			picture->extent[at] / (at == 1 && picture->is_field ? 2 : 1);
		region.offset[at] = rounded_down(picture->offset[at], granularity[at]);
		region.extent[at] =
			rounded_up((uint64_t)picture->offset[at] + extent, granularity[at]) -
			region.offset[at];
	}
	return region;
}

static bool is_written(const struct vkr_trace_video_picture *picture)
{
	return picture->role == VKR_VIDEO_OUTPUT || picture->role == VKR_VIDEO_RECONSTRUCTED;
}

static const char *picture_operation(uint32_t role)
{
	switch ((enum vkr_trace_video_role)role) {
	case VKR_VIDEO_INPUT:
		return "input picture";
	case VKR_VIDEO_OUTPUT:
		return "output picture";
	case VKR_VIDEO_REFERENCE:
		return "reference picture";
	case VKR_VIDEO_RECONSTRUCTED:
		return "reconstructed picture";
	case VKR_VIDEO_QUANTIZATION_MAP:
		return "quantization map";
	}
	return "picture";
}

static enum vkr_result access_picture(const struct video *video,
				      const struct vkr_trace_video_picture *picture)
{
	struct vkr_walk *walk = video->walk;
	const struct vkr_image_view *view =
		vkr_objects_image_view(&walk->model->objects, picture->view);
	struct vkr_walk_access access = video->access;
	if (view == NULL)
		return unknown_object(video, "an image view");
	access.image = view->image;
	access.write = is_written(picture);
	access.operation = picture_operation(picture->role);
	access.access = access.write ? video->operation->write : video->operation->read;
	if (picture->role == VKR_VIDEO_RECONSTRUCTED)
		access.site = VKR_COMMAND_RECONSTRUCTED_PICTURE;
	const struct vkr_image_region region = region_of(video, picture, view);
	walk->locations.count = 0;
	if (!vkr_image_add_region(view->image, &region, &walk->locations))
		return vkr_error_memory(walk->error, "a region of an image");
	return vkr_walk_access_image(walk, &access, &walk->locations);
}

// Reads come before writes: one picture may be output, reconstructed and reference at once, as for
// a frame's second field ("H.264 Decode Operations"). To the engine the accesses of one operation
// are in order.
static enum vkr_result access_pictures(const struct video *video)
{
	const struct vkr_trace_video_picture *pictures = (const void *)(video->command + 1);
	const uint32_t count = video->command->picture_count;
	enum vkr_result result = VKR_OK;
	for (int writes = 0; writes < 2; writes++)
		for (uint32_t at = 0; at < count && result == VKR_OK; at++)
			if (is_written(&pictures[at]) == (writes == 1))
				result = access_picture(video, &pictures[at]);
	return result;
}

static enum vkr_result access_bitstream(const struct video *video)
{
	struct vkr_walk_access access = video->access;
	if (video->command->kind == VKR_VIDEO_CONTROL)
		return VKR_OK;
	access.buffer = vkr_objects_buffer(&video->walk->model->objects, video->command->buffer);
	if (access.buffer == NULL)
		return unknown_object(video, "a buffer");
	access.write = video->command->kind == VKR_VIDEO_ENCODE;
	access.access = access.write ? video->operation->write : video->operation->read;
	access.operation = "bitstream";
	access.offset = video->command->offset;
	access.bytes = video->command->bytes;
	return vkr_walk_access(video->walk, &access);
}

static enum vkr_result access_session(const struct video *video)
{
	struct vkr_walk_access access = video->access;
	enum vkr_result result = VKR_OK;
	if (video->session == NULL)
		return unknown_object(video, "a video session");
	access.access = video->operation->read;
	access.operation = "session memory";
	for (struct vkr_video_part *part = video->session->parts; part != NULL && result == VKR_OK;
	     part = part->next) {
		part->locations.name = video->session->name; // it may have come later
		access.buffer = &part->locations;
		access.bytes = part->locations.bytes;
		result = vkr_walk_access(video->walk, &access);
	}
	return result;
}

// "Inline Queries".
static enum vkr_result access_queries(const struct video *video, struct vkr_query_pool *pool)
{
	struct vkr_walk_access access = video->access;
	if (video->command->pool == 0)
		return VKR_OK;
	if (pool == NULL)
		return unknown_object(video, "a query pool");
	access.buffer = &pool->locations;
	access.write = true;
	access.operation = "query write";
	access.stage = VKR_ENGINE_QUERY;
	access.access = VKR_ENGINE_QUERY;
	access.offset = video->command->first_query;
	access.bytes = video->command->query_count;
	return vkr_walk_access(video->walk, &access);
}

static const struct operation *operation_of(const struct vkr_trace_cmd_video *command,
					    const struct vkr_video_session *session)
{
	if (command->kind != VKR_VIDEO_CONTROL)
		return &operations[command->kind];
	return &operations[session != NULL && session->codec >= FIRST_ENCODE_CODEC
				   ? VKR_VIDEO_ENCODE
				   : VKR_VIDEO_DECODE];
}

enum vkr_result vkr_walk_video(struct vkr_walk *walk, const struct vkr_trace_event *event)
{
	const struct vkr_trace_cmd_video *command = vkr_event_payload(event);
	struct vkr_objects *objects = &walk->model->objects;
	struct vkr_query_pool *pool = vkr_query_pool_find(walk->model, command->pool);
	struct video video = {.walk = walk,
			      .command = command,
			      .session = vkr_objects_video_session(objects, command->session)};
	video.operation = operation_of(command, video.session);
	const struct vkr_command_info like = {
		.name = command->kind == VKR_VIDEO_CONTROL ? "vkCmdControlVideoCodingKHR"
							   : video.operation->name,
		.source = video.session,
		.destination = vkr_objects_buffer(objects, command->buffer)};
	video.access.info = vkr_walk_info(walk, command->command, VKR_TRACE_CMD_VIDEO, &like);
	video.access.stage = video.operation->stage;
	enum vkr_result result =
		vkr_walk_begin_command(walk, video.access.info, &video.access.command);
	if (result == VKR_OK)
		result = access_bitstream(&video);
	if (result == VKR_OK)
		result = access_pictures(&video);
	if (result == VKR_OK)
		result = access_session(&video);
	if (result == VKR_OK)
		result = access_queries(&video, pool);
	if (result == VKR_OK)
		vkr_engine_command_end(walk->model->engine, video.access.command);
	if (result != VKR_OK || pool == NULL)
		return result;
	const struct vkr_trace_cmd_query query = {.operation = VKR_QUERY_END,
						  .first = command->first_query,
						  .count = command->query_count};
	return vkr_walk_end_queries(walk, &query, pool);
}
