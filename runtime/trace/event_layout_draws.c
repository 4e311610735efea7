// SPDX-License-Identifier: Apache-2.0
// The tables of the events of graphics commands (vkrace/trace_draws.h). Knows names and places, and
// not what they mean.
#include "event_layout_parts.h"

static const struct vkr_event_field_name draw_names[] = {
	{VKR_DRAW_VERTICES, "draw"},
	{VKR_DRAW_INDEXED, "indexed"},
	{VKR_DRAW_MULTI, "multi"},
	{VKR_DRAW_MULTI_INDEXED, "multi indexed"},
	{VKR_DRAW_INDIRECT, "indirect"},
	{VKR_DRAW_INDEXED_INDIRECT, "indexed indirect"},
	{VKR_DRAW_INDIRECT_COUNT, "indirect count"},
	{VKR_DRAW_INDEXED_INDIRECT_COUNT, "indexed indirect count"},
	{VKR_DRAW_INDIRECT_BYTE_COUNT, "indirect byte count"},
	{VKR_DRAW_MESH, "mesh"},
	{VKR_DRAW_MESH_INDIRECT, "mesh indirect"},
	{VKR_DRAW_MESH_INDIRECT_COUNT, "mesh indirect count"},
	{VKR_DRAW_MESH_NV, "mesh NV"},
	{VKR_DRAW_MESH_INDIRECT_NV, "mesh indirect NV"},
	{VKR_DRAW_MESH_INDIRECT_COUNT_NV, "mesh indirect count NV"},
	{VKR_DRAW_GENERATED, "generated"},
	{VKR_DRAW_GENERATED_MESH, "generated mesh"},
	{VKR_DRAW_GENERATED_INDEXED, "generated indexed"},
	{0, NULL}};

static const struct vkr_event_field vertex_binding_fields[] = {
	FIELD(vertex_binding, binding, NUMBER), FIELD(vertex_binding, stride, NUMBER),
	FIELD(vertex_binding, instance_rate, NUMBER), FIELD(vertex_binding, divisor, NUMBER)};
static const struct vkr_event_field vertex_attribute_fields[] = {
	FIELD(vertex_attribute, location, NUMBER), FIELD(vertex_attribute, binding, NUMBER),
	FIELD(vertex_attribute, offset, NUMBER), FIELD(vertex_attribute, bytes, NUMBER)};
static const struct vkr_event_field color_blend_fields[] = {FIELD(color_blend, flags, FLAGS),
							    FIELD(color_blend, write_mask, FLAGS)};
static const struct vkr_event_field draw_fields[] = {
	FIELD(draw, first, NUMBER), FIELD(draw, count, NUMBER), FIELD(draw, vertex_offset, NUMBER),
	FIELD(draw, reserved, RESERVED)};
static const struct vkr_event_field vertex_buffer_fields[] = {
	FIELD(vertex_buffer, buffer, NUMBER), FIELD(vertex_buffer, stride, OPTIONAL),
	FIELD(vertex_buffer, offset, NUMBER), FIELD(vertex_buffer, bytes, SIZE)};
static const struct vkr_event_field_list vertex_binding_item = LIST(vertex_binding);
static const struct vkr_event_field_list vertex_attribute_item = LIST(vertex_attribute);
static const struct vkr_event_field_list color_blend_item = LIST(color_blend);
static const struct vkr_event_field_list draw_item = LIST(draw);
static const struct vkr_event_field_list vertex_buffer_item = LIST(vertex_buffer);

static const struct vkr_event_field graphics_state_fields[] = {
	FIELD(graphics_state, pipeline, NUMBER),       FIELD(graphics_state, flags, FLAGS),
	FIELD(graphics_state, topology, NUMBER),       FIELD(graphics_state, binding_count, COUNT),
	FIELD(graphics_state, attribute_count, COUNT), FIELD(graphics_state, blend_count, COUNT),
	FIELD(graphics_state, dynamic_count, COUNT),   FIELD(graphics_state, view_mask, FLAGS)};
static const struct vkr_event_field cmd_draw_fields[] = {
	FIELD(cmd_draw, command, NUMBER),        NAMED(cmd_draw, kind, draw_names),
	FIELD(cmd_draw, instance_count, NUMBER), FIELD(cmd_draw, first_instance, NUMBER),
	FIELD(cmd_draw, draw_count, COUNT),      FIELD(cmd_draw, asked, FLAGS)};
static const struct vkr_event_field cmd_draw_indirect_fields[] = {
	FIELD(cmd_draw_indirect, command, NUMBER),
	NAMED(cmd_draw_indirect, kind, draw_names),
	FIELD(cmd_draw_indirect, buffer, NUMBER),
	FIELD(cmd_draw_indirect, count_buffer, NUMBER),
	FIELD(cmd_draw_indirect, offset, NUMBER),
	FIELD(cmd_draw_indirect, count_offset, NUMBER),
	FIELD(cmd_draw_indirect, draw_count, NUMBER),
	FIELD(cmd_draw_indirect, stride, NUMBER),
	FIELD(cmd_draw_indirect, asked, FLAGS),
	FIELD(cmd_draw_indirect, reserved, RESERVED)};
static const struct vkr_event_field cmd_draw_mesh_fields[] = {
	FIELD(cmd_draw_mesh, command, NUMBER), NAMED(cmd_draw_mesh, kind, draw_names),
	ARRAY(cmd_draw_mesh, groups, NUMBER),  FIELD(cmd_draw_mesh, first_task, NUMBER),
	FIELD(cmd_draw_mesh, asked, FLAGS),    FIELD(cmd_draw_mesh, reserved, RESERVED)};
static const struct vkr_event_field cmd_bind_vertex_buffers_fields[] = {
	FIELD(cmd_bind_vertex_buffers, first, NUMBER),
	FIELD(cmd_bind_vertex_buffers, buffer_count, COUNT)};
static const struct vkr_event_field cmd_bind_index_buffer_fields[] = {
	FIELD(cmd_bind_index_buffer, buffer, NUMBER),
	FIELD(cmd_bind_index_buffer, index_bytes, NUMBER),
	FIELD(cmd_bind_index_buffer, offset, NUMBER)};
static const struct vkr_event_field cmd_vertex_input_fields[] = {
	FIELD(cmd_vertex_input, binding_count, COUNT),
	FIELD(cmd_vertex_input, attribute_count, COUNT)};
static const struct vkr_event_field cmd_set_state_fields[] = {
	FIELD(cmd_set_state, state, NUMBER), FIELD(cmd_set_state, first, NUMBER),
	FIELD(cmd_set_state, value_count, COUNT), FIELD(cmd_set_state, reserved, RESERVED)};

const struct vkr_event_layout vkr_trace_graphics_state_layout = {
	"GRAPHICS_STATE",
	LIST(graphics_state),
	{{VKR_TAIL_ITEMS, "binding", offsetof(struct vkr_trace_graphics_state, binding_count),
	  &vertex_binding_item},
	 {VKR_TAIL_ITEMS, "attribute", offsetof(struct vkr_trace_graphics_state, attribute_count),
	  &vertex_attribute_item},
	 {VKR_TAIL_ITEMS, "blend", offsetof(struct vkr_trace_graphics_state, blend_count),
	  &color_blend_item},
	 {VKR_TAIL_WORDS, "dynamic", offsetof(struct vkr_trace_graphics_state, dynamic_count),
	  NULL}}};
const struct vkr_event_layout vkr_trace_cmd_draw_layout = {
	"CMD_DRAW",
	LIST(cmd_draw),
	{{VKR_TAIL_ITEMS, "draw", offsetof(struct vkr_trace_cmd_draw, draw_count), &draw_item}}};
const struct vkr_event_layout vkr_trace_cmd_draw_indirect_layout = {
	"CMD_DRAW_INDIRECT", LIST(cmd_draw_indirect), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_draw_mesh_layout = {
	"CMD_DRAW_MESH", LIST(cmd_draw_mesh), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_bind_vertex_buffers_layout = {
	"CMD_BIND_VERTEX_BUFFERS",
	LIST(cmd_bind_vertex_buffers),
	{{VKR_TAIL_ITEMS, "buffer",
	  offsetof(struct vkr_trace_cmd_bind_vertex_buffers, buffer_count), &vertex_buffer_item}}};
const struct vkr_event_layout vkr_trace_cmd_bind_index_buffer_layout = {
	"CMD_BIND_INDEX_BUFFER", LIST(cmd_bind_index_buffer), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_vertex_input_layout = {
	"CMD_VERTEX_INPUT",
	LIST(cmd_vertex_input),
	{{VKR_TAIL_ITEMS, "binding", offsetof(struct vkr_trace_cmd_vertex_input, binding_count),
	  &vertex_binding_item},
	 {VKR_TAIL_ITEMS, "attribute", offsetof(struct vkr_trace_cmd_vertex_input, attribute_count),
	  &vertex_attribute_item}}};
const struct vkr_event_layout vkr_trace_cmd_set_state_layout = {
	"CMD_SET_STATE",
	LIST(cmd_set_state),
	{{VKR_TAIL_WORDS, "values", offsetof(struct vkr_trace_cmd_set_state, value_count), NULL}}};
