// SPDX-License-Identifier: Apache-2.0
// The trace format, continued: video sessions, their memory, and the commands of video coding
// scopes. Knows nothing of what these access.
#pragma once

#include <assert.h>
#include <stdint.h>

// X(NAME, number, structure, payload bytes): a part of VKR_TRACE_EVENTS (vkrace/trace.h).
#define VKR_TRACE_VIDEO_EVENTS(X)                                                                  \
	X(VIDEO_SESSION, 510, vkr_trace_video_session, 24)                                         \
	X(VIDEO_SESSION_BIND, 511, vkr_trace_video_session_bind, 32)                               \
	X(CMD_VIDEO, 512, vkr_trace_cmd_video, 48)

// Items of tails.

// VkVideoPictureResourceInfoKHR, or a quantization map.
struct vkr_trace_video_picture {
	uint32_t role;     // enum vkr_trace_video_role
	uint32_t view;     // image view
	uint32_t layer;    // of the view
	uint32_t is_field; // it is every other line of a frame, in a subregion of its own
	uint32_t offset[2], extent[2]; // texels, as the program says
};

// Values of members.

enum vkr_trace_video_role {
	VKR_VIDEO_INPUT = 1, // of an encode operation
	VKR_VIDEO_OUTPUT,    // of a decode operation
	VKR_VIDEO_REFERENCE,
	VKR_VIDEO_RECONSTRUCTED,
	VKR_VIDEO_QUANTIZATION_MAP,
};

enum vkr_trace_video_command {
	VKR_VIDEO_DECODE = 1, // vkCmdDecodeVideoKHR
	VKR_VIDEO_ENCODE,     // vkCmdEncodeVideoKHR
	VKR_VIDEO_CONTROL,    // vkCmdControlVideoCodingKHR
};

// Events.

// vkCreateVideoSessionKHR.
struct vkr_trace_video_session {
	uint32_t session, device;
	uint32_t codec; // VkVideoCodecOperationFlagBitsKHR
	uint32_t reserved;
	uint32_t granularity[2]; // VkVideoCapabilitiesKHR::pictureAccessGranularity, at least 1
};

// One binding of vkBindVideoSessionMemoryKHR.
struct vkr_trace_video_session_bind {
	uint32_t session, index;
	uint32_t memory, reserved;
	uint64_t offset, bytes; // in the memory
};

// Tail: picture_count x struct vkr_trace_video_picture. Device: images if picture_count; reads
// buffer at offset, bytes bytes unless kind is VKR_VIDEO_ENCODE; encodes to buffer at offset, bytes
// bytes if kind is VKR_VIDEO_ENCODE.
struct vkr_trace_cmd_video {
	uint32_t command;
	uint32_t kind;    // enum vkr_trace_video_command
	uint32_t session; // that the scope has bound
	uint32_t buffer;  // of the bitstream; 0: none
	uint64_t offset;
	uint64_t bytes; // VK_WHOLE_SIZE stays
	uint32_t pool;  // of inline queries; 0: none
	uint32_t first_query, query_count;
	uint32_t picture_count;
};

static_assert(sizeof(struct vkr_trace_video_picture) == 32, "on disk");
