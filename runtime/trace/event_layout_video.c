// SPDX-License-Identifier: Apache-2.0
// The tables of the events of video coding (vkrace/trace_video.h). Knows names and places, and not
// what they mean.
#include "event_layout_parts.h"

static const struct vkr_event_field_name role_names[] = {
	{VKR_VIDEO_INPUT, "input"},
	{VKR_VIDEO_OUTPUT, "output"},
	{VKR_VIDEO_REFERENCE, "reference"},
	{VKR_VIDEO_RECONSTRUCTED, "reconstructed"},
	{VKR_VIDEO_QUANTIZATION_MAP, "quantization map"},
	{0, NULL}};
static const struct vkr_event_field_name command_names[] = {{VKR_VIDEO_DECODE, "decode"},
							    {VKR_VIDEO_ENCODE, "encode"},
							    {VKR_VIDEO_CONTROL, "control"},
							    {0, NULL}};
static const struct vkr_event_field video_picture_fields[] = {
	NAMED(video_picture, role, role_names), FIELD(video_picture, view, NUMBER),
	FIELD(video_picture, layer, NUMBER),    FIELD(video_picture, is_field, NUMBER),
	ARRAY(video_picture, offset, NUMBER),   ARRAY(video_picture, extent, NUMBER)};
static const struct vkr_event_field_list video_picture_item = LIST(video_picture);
static const struct vkr_event_field video_session_fields[] = {
	FIELD(video_session, session, NUMBER), FIELD(video_session, device, NUMBER),
	FIELD(video_session, codec, FLAGS), FIELD(video_session, reserved, RESERVED),
	ARRAY(video_session, granularity, NUMBER)};
static const struct vkr_event_field video_session_bind_fields[] = {
	FIELD(video_session_bind, session, NUMBER), FIELD(video_session_bind, index, NUMBER),
	FIELD(video_session_bind, memory, NUMBER),  FIELD(video_session_bind, reserved, RESERVED),
	FIELD(video_session_bind, offset, NUMBER),  FIELD(video_session_bind, bytes, NUMBER)};
static const struct vkr_event_field cmd_video_fields[] = {
	FIELD(cmd_video, command, NUMBER),     NAMED(cmd_video, kind, command_names),
	FIELD(cmd_video, session, NUMBER),     FIELD(cmd_video, buffer, NUMBER),
	FIELD(cmd_video, offset, NUMBER),      FIELD(cmd_video, bytes, SIZE),
	FIELD(cmd_video, pool, NUMBER),        FIELD(cmd_video, first_query, NUMBER),
	FIELD(cmd_video, query_count, NUMBER), FIELD(cmd_video, picture_count, COUNT)};

const struct vkr_event_layout vkr_trace_video_session_layout = {
	"VIDEO_SESSION", LIST(video_session), {{0}}};
const struct vkr_event_layout vkr_trace_video_session_bind_layout = {
	"VIDEO_SESSION_BIND", LIST(video_session_bind), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_video_layout = {
	"CMD_VIDEO",
	LIST(cmd_video),
	{{VKR_TAIL_ITEMS, "picture", offsetof(struct vkr_trace_cmd_video, picture_count),
	  &video_picture_item}}};
