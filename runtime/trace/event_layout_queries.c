// SPDX-License-Identifier: Apache-2.0
// The tables of the events of queries, conditional rendering and transform feedback
// (vkrace/trace_queries.h). Knows names and places, and not what they mean.
#include "event_layout_parts.h"

static const struct vkr_event_field_name query_names[] = {{VKR_QUERY_RESET, "reset"},
							  {VKR_QUERY_BEGIN, "begin"},
							  {VKR_QUERY_END, "end"},
							  {VKR_QUERY_TIMESTAMP, "timestamp"},
							  {0, NULL}};
static const struct vkr_event_field_name feedback_names[] = {
	{VKR_FEEDBACK_BEGIN, "begin"}, {VKR_FEEDBACK_END, "end"}, {0, NULL}};
static const struct vkr_event_field feedback_buffer_fields[] = {
	FIELD(feedback_buffer, buffer, NUMBER), FIELD(feedback_buffer, reserved, RESERVED),
	FIELD(feedback_buffer, offset, NUMBER), FIELD(feedback_buffer, bytes, SIZE)};
static const struct vkr_event_field_list feedback_buffer_item = LIST(feedback_buffer);
static const struct vkr_event_field cmd_query_fields[] = {
	FIELD(cmd_query, command, NUMBER), NAMED(cmd_query, operation, query_names),
	FIELD(cmd_query, pool, NUMBER),    FIELD(cmd_query, first, NUMBER),
	FIELD(cmd_query, count, NUMBER),   FIELD(cmd_query, reserved, RESERVED),
	FIELD(cmd_query, stages, FLAGS)};
static const struct vkr_event_field cmd_copy_queries_fields[] = {
	FIELD(cmd_copy_queries, command, NUMBER), FIELD(cmd_copy_queries, pool, NUMBER),
	FIELD(cmd_copy_queries, first, NUMBER),   FIELD(cmd_copy_queries, count, NUMBER),
	FIELD(cmd_copy_queries, buffer, NUMBER),  FIELD(cmd_copy_queries, flags, FLAGS),
	FIELD(cmd_copy_queries, offset, NUMBER),  FIELD(cmd_copy_queries, stride, NUMBER)};
static const struct vkr_event_field cmd_begin_condition_fields[] = {
	FIELD(cmd_begin_condition, command, NUMBER), FIELD(cmd_begin_condition, buffer, NUMBER),
	FIELD(cmd_begin_condition, offset, NUMBER), FIELD(cmd_begin_condition, flags, FLAGS),
	FIELD(cmd_begin_condition, reserved, RESERVED)};
static const struct vkr_event_field cmd_end_condition_fields[] =
	ID_FIELDS(cmd_end_condition, command);
static const struct vkr_event_field cmd_bind_feedback_fields[] = {
	FIELD(cmd_bind_feedback, first, NUMBER), FIELD(cmd_bind_feedback, buffer_count, COUNT)};
static const struct vkr_event_field cmd_feedback_fields[] = {
	FIELD(cmd_feedback, command, NUMBER), NAMED(cmd_feedback, operation, feedback_names),
	FIELD(cmd_feedback, first, NUMBER), FIELD(cmd_feedback, counter_count, COUNT)};
static const struct vkr_event_field cmd_marker_fields[] = {
	FIELD(cmd_marker, command, NUMBER), FIELD(cmd_marker, buffer, NUMBER),
	FIELD(cmd_marker, offset, NUMBER), FIELD(cmd_marker, stages, FLAGS)};
static const struct vkr_event_field query_pool_fields[] = {
	FIELD(query_pool, pool, NUMBER),     FIELD(query_pool, device, NUMBER),
	FIELD(query_pool, memory, NUMBER),   FIELD(query_pool, type, NUMBER),
	FIELD(query_pool, count, NUMBER),    FIELD(query_pool, statistics, FLAGS),
	FIELD(query_pool, counters, NUMBER), FIELD(query_pool, feedback, FLAGS)};
static const struct vkr_event_field query_pool_destroy_fields[] =
	ID_FIELDS(query_pool_destroy, pool);
static const struct vkr_event_field query_reset_fields[] = {
	FIELD(query_reset, pool, NUMBER), FIELD(query_reset, first, NUMBER),
	FIELD(query_reset, count, NUMBER), FIELD(query_reset, reserved, RESERVED)};
static const struct vkr_event_field query_seen_fields[] = {
	FIELD(query_seen, pool, NUMBER), FIELD(query_seen, first, NUMBER),
	FIELD(query_seen, count, NUMBER), FIELD(query_seen, reserved, RESERVED)};
static const struct vkr_event_field_name sparse_names[] = {{VKR_SPARSE_BUFFER, "buffer"},
							   {VKR_SPARSE_OPAQUE, "opaque"},
							   {VKR_SPARSE_IMAGE, "image"},
							   {VKR_SPARSE_TAIL, "tail"},
							   {0, NULL}};
static const struct vkr_event_field sparse_bind_fields[] = {
	FIELD(sparse_bind, submission, NUMBER),    NAMED(sparse_bind, kind, sparse_names),
	FIELD(sparse_bind, object, NUMBER),        FIELD(sparse_bind, memory, NUMBER),
	FIELD(sparse_bind, offset, NUMBER),        FIELD(sparse_bind, bytes, NUMBER),
	FIELD(sparse_bind, memory_offset, NUMBER), FIELD(sparse_bind, aspects, FLAGS),
	FIELD(sparse_bind, mip, NUMBER),           FIELD(sparse_bind, layer, NUMBER),
	ARRAY(sparse_bind, box_offset, NUMBER),    ARRAY(sparse_bind, box_extent, NUMBER),
	ARRAY(sparse_bind, block, NUMBER)};
static const struct vkr_event_field capture_fields[] = {
	FIELD(capture, buffer, NUMBER), FIELD(capture, stride, NUMBER),
	FIELD(capture, offset, NUMBER), FIELD(capture, bytes, NUMBER)};
static const struct vkr_event_field_list capture_item = LIST(capture);
static const struct vkr_event_field shader_feedback_fields[] = {
	FIELD(shader_feedback, shader, NUMBER), FIELD(shader_feedback, capture_count, COUNT)};
static const struct vkr_event_field shader_input_fields[] = {FIELD(shader_input, location, NUMBER),
							     FIELD(shader_input, count, NUMBER)};
static const struct vkr_event_field_list shader_input_item = LIST(shader_input);
static const struct vkr_event_field shader_inputs_fields[] = {
	FIELD(shader_inputs, shader, NUMBER), FIELD(shader_inputs, input_count, COUNT)};

const struct vkr_event_layout vkr_trace_cmd_query_layout = {"CMD_QUERY", LIST(cmd_query), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_copy_queries_layout = {
	"CMD_COPY_QUERIES", LIST(cmd_copy_queries), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_begin_condition_layout = {
	"CMD_BEGIN_CONDITION", LIST(cmd_begin_condition), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_end_condition_layout = {
	"CMD_END_CONDITION", LIST(cmd_end_condition), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_bind_feedback_layout = {
	"CMD_BIND_FEEDBACK",
	LIST(cmd_bind_feedback),
	{{VKR_TAIL_ITEMS, "buffer", offsetof(struct vkr_trace_cmd_bind_feedback, buffer_count),
	  &feedback_buffer_item}}};
const struct vkr_event_layout vkr_trace_cmd_feedback_layout = {
	"CMD_FEEDBACK",
	LIST(cmd_feedback),
	{{VKR_TAIL_ITEMS, "counter", offsetof(struct vkr_trace_cmd_feedback, counter_count),
	  &feedback_buffer_item}}};
const struct vkr_event_layout vkr_trace_cmd_marker_layout = {"CMD_MARKER", LIST(cmd_marker), {{0}}};
const struct vkr_event_layout vkr_trace_query_pool_layout = {"QUERY_POOL", LIST(query_pool), {{0}}};
const struct vkr_event_layout vkr_trace_query_pool_destroy_layout = {
	"QUERY_POOL_DESTROY", LIST(query_pool_destroy), {{0}}};
const struct vkr_event_layout vkr_trace_query_reset_layout = {
	"QUERY_RESET", LIST(query_reset), {{0}}};
const struct vkr_event_layout vkr_trace_query_seen_layout = {"QUERY_SEEN", LIST(query_seen), {{0}}};
const struct vkr_event_layout vkr_trace_shader_inputs_layout = {
	"SHADER_INPUTS",
	LIST(shader_inputs),
	{{VKR_TAIL_ITEMS, "input", offsetof(struct vkr_trace_shader_inputs, input_count),
	  &shader_input_item}}};
const struct vkr_event_layout vkr_trace_sparse_bind_layout = {
	"SPARSE_BIND", LIST(sparse_bind), {{0}}};
const struct vkr_event_layout vkr_trace_shader_feedback_layout = {
	"SHADER_FEEDBACK",
	LIST(shader_feedback),
	{{VKR_TAIL_ITEMS, "capture", offsetof(struct vkr_trace_shader_feedback, capture_count),
	  &capture_item}}};
