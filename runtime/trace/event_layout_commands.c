// SPDX-License-Identifier: Apache-2.0
// What commands in a recording are made of. Knows names and places, and not what they mean.
#include "event_layout_parts.h"

static const struct vkr_event_field_name barrier_names[] = {{VKR_BARRIER_EXECUTION, "execution"},
							    {VKR_BARRIER_MEMORY, "memory"},
							    {VKR_BARRIER_BUFFER, "buffer"},
							    {VKR_BARRIER_IMAGE, "image"},
							    {0, NULL}};
static const struct vkr_event_field copy_fields[] = {FIELD(copy, source_offset, NUMBER),
						     FIELD(copy, destination_offset, NUMBER),
						     FIELD(copy, bytes, NUMBER)};
static const struct vkr_event_field barrier_fields[] = {
	NAMED(barrier, kind, barrier_names),
	FIELD(barrier, object, NUMBER),
	FIELD(barrier, source_stages, FLAGS),
	FIELD(barrier, source_access, FLAGS),
	FIELD(barrier, destination_stages, FLAGS),
	FIELD(barrier, destination_access, FLAGS),
	FIELD(barrier, offset, NUMBER),
	FIELD(barrier, bytes, NUMBER),
	FIELD(barrier, source_family, OPTIONAL),
	FIELD(barrier, destination_family, OPTIONAL),
	FIELD(barrier, old_layout, NUMBER),
	FIELD(barrier, new_layout, NUMBER),
	SUBRESOURCE_FIELDS(barrier),
	FIELD(barrier, reserved, RESERVED)};
static const struct vkr_event_field event_wait_fields[] = {
	FIELD(event_wait, event, NUMBER), FIELD(event_wait, barrier_count, NUMBER)};
static const struct vkr_event_field cmd_set_event_fields[] = {
	FIELD(cmd_set_event, command, NUMBER),         FIELD(cmd_set_event, event, NUMBER),
	FIELD(cmd_set_event, dependency_flags, FLAGS), FIELD(cmd_set_event, flags, FLAGS),
	FIELD(cmd_set_event, barrier_count, COUNT),    FIELD(cmd_set_event, reserved, RESERVED)};
static const struct vkr_event_field cmd_reset_event_fields[] = {
	FIELD(cmd_reset_event, command, NUMBER), FIELD(cmd_reset_event, event, NUMBER),
	FIELD(cmd_reset_event, stages, FLAGS)};
static const struct vkr_event_field cmd_wait_events_fields[] = {
	FIELD(cmd_wait_events, command, NUMBER), FIELD(cmd_wait_events, flags, FLAGS),
	FIELD(cmd_wait_events, wait_count, COUNT), FIELD(cmd_wait_events, barrier_count, COUNT)};
static const struct vkr_event_field cmd_bind_pipeline_fields[] = {
	FIELD(cmd_bind_pipeline, bind_point, NUMBER), FIELD(cmd_bind_pipeline, pipeline, NUMBER)};
static const struct vkr_event_field cmd_bind_sets_fields[] = {
	FIELD(cmd_bind_sets, bind_point, NUMBER),   FIELD(cmd_bind_sets, layout, NUMBER),
	FIELD(cmd_bind_sets, first_set, NUMBER),    FIELD(cmd_bind_sets, set_count, COUNT),
	FIELD(cmd_bind_sets, dynamic_count, COUNT), FIELD(cmd_bind_sets, reserved, RESERVED)};
static const struct vkr_event_field cmd_push_set_fields[] = {
	FIELD(cmd_push_set, bind_point, NUMBER),      FIELD(cmd_push_set, layout, NUMBER),
	FIELD(cmd_push_set, set_number, NUMBER),      FIELD(cmd_push_set, binding, NUMBER),
	FIELD(cmd_push_set, element, NUMBER),         FIELD(cmd_push_set, type, NUMBER),
	FIELD(cmd_push_set, descriptor_count, COUNT), FIELD(cmd_push_set, reserved, RESERVED)};
static const struct vkr_event_field cmd_dispatch_fields[] = {
	FIELD(cmd_dispatch, command, NUMBER),     FIELD(cmd_dispatch, flags, FLAGS),
	ARRAY(cmd_dispatch, base, NUMBER),        ARRAY(cmd_dispatch, groups, NUMBER),
	FIELD(cmd_dispatch, pushed_count, COUNT), FIELD(cmd_dispatch, reserved, RESERVED)};
static const struct vkr_event_field cmd_dispatch_indirect_fields[] = {
	FIELD(cmd_dispatch_indirect, command, NUMBER), FIELD(cmd_dispatch_indirect, buffer, NUMBER),
	FIELD(cmd_dispatch_indirect, offset, NUMBER)};
static const struct vkr_event_field cmd_copy_buffer_fields[] = {
	FIELD(cmd_copy_buffer, command, NUMBER), FIELD(cmd_copy_buffer, source, NUMBER),
	FIELD(cmd_copy_buffer, destination, NUMBER), FIELD(cmd_copy_buffer, region_count, COUNT)};
static const struct vkr_event_field cmd_fill_buffer_fields[] = {
	FIELD(cmd_fill_buffer, command, NUMBER), FIELD(cmd_fill_buffer, buffer, NUMBER),
	FIELD(cmd_fill_buffer, offset, NUMBER), FIELD(cmd_fill_buffer, bytes, NUMBER)};
static const struct vkr_event_field cmd_update_buffer_fields[] = {
	FIELD(cmd_update_buffer, command, NUMBER), FIELD(cmd_update_buffer, buffer, NUMBER),
	FIELD(cmd_update_buffer, offset, NUMBER), FIELD(cmd_update_buffer, bytes, NUMBER)};
static const struct vkr_event_field cmd_barrier_fields[] = {
	FIELD(cmd_barrier, command, NUMBER), FIELD(cmd_barrier, dependency_flags, FLAGS),
	FIELD(cmd_barrier, barrier_count, COUNT), FIELD(cmd_barrier, flags, FLAGS)};
static const struct vkr_event_field cmd_execute_fields[] = {FIELD(cmd_execute, command, NUMBER),
							    FIELD(cmd_execute, recording, NUMBER)};
static const struct vkr_event_field cmd_label_begin_fields[] = {
	FIELD(cmd_label_begin, text_bytes, COUNT), FIELD(cmd_label_begin, reserved, RESERVED)};
static const struct vkr_event_field cmd_label_end_fields[] = {
	ARRAY(cmd_label_end, reserved, RESERVED)};
static const struct vkr_event_field cmd_label_fields[] = {FIELD(cmd_label, text_bytes, COUNT),
							  FIELD(cmd_label, reserved, RESERVED)};
static const struct vkr_event_field cmd_other_fields[] = {
	FIELD(cmd_other, command, NUMBER), FIELD(cmd_other, flags, FLAGS),
	FIELD(cmd_other, text_bytes, COUNT), FIELD(cmd_other, reserved, RESERVED)};
static const struct vkr_event_field_list event_wait_item = LIST(event_wait);
static const struct vkr_event_field_list copy_item = LIST(copy);
static const struct vkr_event_field_list barrier_item = LIST(barrier);

const struct vkr_event_layout vkr_trace_cmd_bind_pipeline_layout = {
	"CMD_BIND_PIPELINE", LIST(cmd_bind_pipeline), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_bind_sets_layout = {
	"CMD_BIND_SETS",
	LIST(cmd_bind_sets),
	{{VKR_TAIL_WORDS, "sets", offsetof(struct vkr_trace_cmd_bind_sets, set_count), NULL},
	 {VKR_TAIL_WORDS, "dynamic", offsetof(struct vkr_trace_cmd_bind_sets, dynamic_count),
	  NULL}}};
const struct vkr_event_layout vkr_trace_cmd_push_set_layout = {
	"CMD_PUSH_SET",
	LIST(cmd_push_set),
	{{VKR_TAIL_ITEMS, "descriptor", offsetof(struct vkr_trace_cmd_push_set, descriptor_count),
	  &vkr_descriptor_item}}};
const struct vkr_event_layout vkr_trace_cmd_dispatch_layout = {
	"CMD_DISPATCH",
	LIST(cmd_dispatch),
	{{VKR_TAIL_WORDS, "pushed", offsetof(struct vkr_trace_cmd_dispatch, pushed_count), NULL}}};
const struct vkr_event_layout vkr_trace_cmd_dispatch_indirect_layout = {
	"CMD_DISPATCH_INDIRECT", LIST(cmd_dispatch_indirect), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_copy_buffer_layout = {
	"CMD_COPY_BUFFER",
	LIST(cmd_copy_buffer),
	{{VKR_TAIL_ITEMS, "region", offsetof(struct vkr_trace_cmd_copy_buffer, region_count),
	  &copy_item}}};
const struct vkr_event_layout vkr_trace_cmd_fill_buffer_layout = {
	"CMD_FILL_BUFFER", LIST(cmd_fill_buffer), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_update_buffer_layout = {
	"CMD_UPDATE_BUFFER", LIST(cmd_update_buffer), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_barrier_layout = {
	"CMD_BARRIER",
	LIST(cmd_barrier),
	{{VKR_TAIL_ITEMS, "barrier", offsetof(struct vkr_trace_cmd_barrier, barrier_count),
	  &barrier_item}}};
const struct vkr_event_layout vkr_trace_cmd_execute_layout = {
	"CMD_EXECUTE", LIST(cmd_execute), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_label_begin_layout = {
	"CMD_LABEL_BEGIN",
	LIST(cmd_label_begin),
	{{VKR_TAIL_TEXT, "label", offsetof(struct vkr_trace_cmd_label_begin, text_bytes), NULL}}};
const struct vkr_event_layout vkr_trace_cmd_label_end_layout = {
	"CMD_LABEL_END", LIST(cmd_label_end), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_label_layout = {
	"CMD_LABEL",
	LIST(cmd_label),
	{{VKR_TAIL_TEXT, "label", offsetof(struct vkr_trace_cmd_label, text_bytes), NULL}}};
const struct vkr_event_layout vkr_trace_cmd_other_layout = {
	"CMD_OTHER",
	LIST(cmd_other),
	{{VKR_TAIL_TEXT, "name", offsetof(struct vkr_trace_cmd_other, text_bytes), NULL}}};
const struct vkr_event_layout vkr_trace_cmd_set_event_layout = {
	"CMD_SET_EVENT",
	LIST(cmd_set_event),
	{{VKR_TAIL_ITEMS, "barrier", offsetof(struct vkr_trace_cmd_set_event, barrier_count),
	  &barrier_item}}};
const struct vkr_event_layout vkr_trace_cmd_reset_event_layout = {
	"CMD_RESET_EVENT", LIST(cmd_reset_event), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_wait_events_layout = {
	"CMD_WAIT_EVENTS",
	LIST(cmd_wait_events),
	{{VKR_TAIL_ITEMS, "wait", offsetof(struct vkr_trace_cmd_wait_events, wait_count),
	  &event_wait_item},
	 {VKR_TAIL_ITEMS, "barrier", offsetof(struct vkr_trace_cmd_wait_events, barrier_count),
	  &barrier_item}}};
