// SPDX-License-Identifier: Apache-2.0
// The tables of the events of render passes (vkrace/trace_passes.h). Knows names and places, and
// not what they mean.
#include "event_layout_parts.h"

static const struct vkr_event_field_name role_names[] = {
	{VKR_ATTACHMENT_INPUT, "input"},
	{VKR_ATTACHMENT_COLOR, "color"},
	{VKR_ATTACHMENT_RESOLVE, "resolve"},
	{VKR_ATTACHMENT_DEPTH_STENCIL, "depth stencil"},
	{VKR_ATTACHMENT_DEPTH_STENCIL_RESOLVE, "depth stencil resolve"},
	{VKR_ATTACHMENT_PRESERVE, "preserve"},
	{VKR_ATTACHMENT_DEPTH, "depth"},
	{VKR_ATTACHMENT_STENCIL, "stencil"},
	{VKR_ATTACHMENT_SHADING_RATE, "shading rate"},
	{VKR_ATTACHMENT_DENSITY_MAP, "density map"},
	{0, NULL}};
static const struct vkr_event_field subpass_dependency_fields[] = {
	FIELD(subpass_dependency, source, OPTIONAL),
	FIELD(subpass_dependency, destination, OPTIONAL),
	FIELD(subpass_dependency, source_stages, FLAGS),
	FIELD(subpass_dependency, source_access, FLAGS),
	FIELD(subpass_dependency, destination_stages, FLAGS),
	FIELD(subpass_dependency, destination_access, FLAGS),
	FIELD(subpass_dependency, flags, FLAGS),
	FIELD(subpass_dependency, view_offset, NUMBER)};
static const struct vkr_event_field_list subpass_dependency_item = LIST(subpass_dependency);
static const struct vkr_event_field attachment_fields[] = {
	FIELD(attachment, format, NUMBER),
	FIELD(attachment, samples, NUMBER),
	FIELD(attachment, flags, FLAGS),
	FIELD(attachment, load, NUMBER),
	FIELD(attachment, store, NUMBER),
	FIELD(attachment, stencil_load, NUMBER),
	FIELD(attachment, stencil_store, NUMBER),
	FIELD(attachment, initial_layout, NUMBER),
	FIELD(attachment, final_layout, NUMBER),
	FIELD(attachment, stencil_initial_layout, NUMBER),
	FIELD(attachment, stencil_final_layout, NUMBER),
	FIELD(attachment, reserved, RESERVED)};
static const struct vkr_event_field_list attachment_item = LIST(attachment);
static const struct vkr_event_field subpass_fields[] = {
	FIELD(subpass, reference_count, NUMBER),
	FIELD(subpass, view_mask, FLAGS),
	FIELD(subpass, flags, FLAGS),
	FIELD(subpass, depth_resolve_mode, NUMBER),
	FIELD(subpass, stencil_resolve_mode, NUMBER),
	FIELD(subpass, implicit_samples, NUMBER)};
static const struct vkr_event_field_list subpass_item = LIST(subpass);
static const struct vkr_event_field attachment_reference_fields[] = {
	FIELD(attachment_reference, attachment, NUMBER),
	NAMED(attachment_reference, role, role_names),
	FIELD(attachment_reference, index, NUMBER),
	FIELD(attachment_reference, layout, NUMBER),
	FIELD(attachment_reference, stencil_layout, NUMBER),
	FIELD(attachment_reference, aspects, FLAGS)};
static const struct vkr_event_field_list attachment_reference_item = LIST(attachment_reference);
static const struct vkr_event_field rendering_attachment_fields[] = {
	FIELD(rendering_attachment, view, NUMBER),
	FIELD(rendering_attachment, resolve_view, NUMBER),
	NAMED(rendering_attachment, role, role_names),
	FIELD(rendering_attachment, index, NUMBER),
	FIELD(rendering_attachment, layout, NUMBER),
	FIELD(rendering_attachment, resolve_layout, NUMBER),
	FIELD(rendering_attachment, load, NUMBER),
	FIELD(rendering_attachment, store, NUMBER),
	FIELD(rendering_attachment, resolve_mode, NUMBER),
	FIELD(rendering_attachment, flags, FLAGS)};
static const struct vkr_event_field_list rendering_attachment_item = LIST(rendering_attachment);
static const struct vkr_event_field clear_fields[] = {FIELD(clear, aspects, FLAGS),
						      FIELD(clear, index, NUMBER)};
static const struct vkr_event_field_list clear_item = LIST(clear);
static const struct vkr_event_field clear_rectangle_fields[] = {
	FIELD(clear_rectangle, x, NUMBER),           FIELD(clear_rectangle, y, NUMBER),
	FIELD(clear_rectangle, width, NUMBER),       FIELD(clear_rectangle, height, NUMBER),
	FIELD(clear_rectangle, first_layer, NUMBER), FIELD(clear_rectangle, layer_count, NUMBER)};
static const struct vkr_event_field_list clear_rectangle_item = LIST(clear_rectangle);
static const struct vkr_event_field render_pass_fields[] = {
	FIELD(render_pass, render_pass, NUMBER),     FIELD(render_pass, device, NUMBER),
	FIELD(render_pass, attachment_count, COUNT), FIELD(render_pass, subpass_count, COUNT),
	FIELD(render_pass, dependency_count, COUNT), FIELD(render_pass, reference_count, COUNT)};
static const struct vkr_event_field render_pass_destroy_fields[] = {
	FIELD(render_pass_destroy, render_pass, NUMBER),
	FIELD(render_pass_destroy, reserved, RESERVED)};
static const struct vkr_event_field framebuffer_fields[] = {
	FIELD(framebuffer, framebuffer, NUMBER), FIELD(framebuffer, device, NUMBER),
	FIELD(framebuffer, flags, FLAGS),        FIELD(framebuffer, width, NUMBER),
	FIELD(framebuffer, height, NUMBER),      FIELD(framebuffer, layers, NUMBER),
	FIELD(framebuffer, view_count, COUNT),   FIELD(framebuffer, reserved, RESERVED)};
static const struct vkr_event_field framebuffer_destroy_fields[] = {
	FIELD(framebuffer_destroy, framebuffer, NUMBER),
	FIELD(framebuffer_destroy, reserved, RESERVED)};
static const struct vkr_event_field cmd_begin_render_pass_fields[] = {
	FIELD(cmd_begin_render_pass, command, NUMBER),
	FIELD(cmd_begin_render_pass, render_pass, NUMBER),
	FIELD(cmd_begin_render_pass, framebuffer, NUMBER),
	FIELD(cmd_begin_render_pass, x, NUMBER),
	FIELD(cmd_begin_render_pass, y, NUMBER),
	FIELD(cmd_begin_render_pass, width, NUMBER),
	FIELD(cmd_begin_render_pass, height, NUMBER),
	FIELD(cmd_begin_render_pass, view_count, COUNT)};
static const struct vkr_event_field cmd_next_subpass_fields[] = {
	FIELD(cmd_next_subpass, command, NUMBER), FIELD(cmd_next_subpass, reserved, RESERVED)};
static const struct vkr_event_field cmd_end_render_pass_fields[] = {
	FIELD(cmd_end_render_pass, command, NUMBER),
	FIELD(cmd_end_render_pass, reserved, RESERVED)};
static const struct vkr_event_field cmd_begin_rendering_fields[] = {
	FIELD(cmd_begin_rendering, command, NUMBER),
	FIELD(cmd_begin_rendering, flags, FLAGS),
	FIELD(cmd_begin_rendering, x, NUMBER),
	FIELD(cmd_begin_rendering, y, NUMBER),
	FIELD(cmd_begin_rendering, width, NUMBER),
	FIELD(cmd_begin_rendering, height, NUMBER),
	FIELD(cmd_begin_rendering, layer_count, NUMBER),
	FIELD(cmd_begin_rendering, view_mask, FLAGS),
	FIELD(cmd_begin_rendering, attachment_count, COUNT),
	FIELD(cmd_begin_rendering, implicit_samples, NUMBER)};
static const struct vkr_event_field cmd_end_rendering_fields[] = {
	FIELD(cmd_end_rendering, command, NUMBER), FIELD(cmd_end_rendering, reserved, RESERVED)};
static const struct vkr_event_field cmd_clear_attachments_fields[] = {
	FIELD(cmd_clear_attachments, command, NUMBER),
	FIELD(cmd_clear_attachments, clear_count, COUNT),
	FIELD(cmd_clear_attachments, rectangle_count, COUNT),
	FIELD(cmd_clear_attachments, reserved, RESERVED)};

const struct vkr_event_layout vkr_trace_render_pass_layout = {
	"RENDER_PASS",
	LIST(render_pass),
	{{VKR_TAIL_ITEMS, "dependency", offsetof(struct vkr_trace_render_pass, dependency_count),
	  &subpass_dependency_item},
	 {VKR_TAIL_ITEMS, "attachment", offsetof(struct vkr_trace_render_pass, attachment_count),
	  &attachment_item},
	 {VKR_TAIL_ITEMS, "subpass", offsetof(struct vkr_trace_render_pass, subpass_count),
	  &subpass_item},
	 {VKR_TAIL_ITEMS, "reference", offsetof(struct vkr_trace_render_pass, reference_count),
	  &attachment_reference_item}}};
const struct vkr_event_layout vkr_trace_render_pass_destroy_layout = {
	"RENDER_PASS_DESTROY", LIST(render_pass_destroy), {{0}}};
const struct vkr_event_layout vkr_trace_framebuffer_layout = {
	"FRAMEBUFFER",
	LIST(framebuffer),
	{{VKR_TAIL_WORDS, "views", offsetof(struct vkr_trace_framebuffer, view_count), NULL}}};
const struct vkr_event_layout vkr_trace_framebuffer_destroy_layout = {
	"FRAMEBUFFER_DESTROY", LIST(framebuffer_destroy), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_begin_render_pass_layout = {
	"CMD_BEGIN_RENDER_PASS",
	LIST(cmd_begin_render_pass),
	{{VKR_TAIL_WORDS, "views", offsetof(struct vkr_trace_cmd_begin_render_pass, view_count),
	  NULL}}};
const struct vkr_event_layout vkr_trace_cmd_next_subpass_layout = {
	"CMD_NEXT_SUBPASS", LIST(cmd_next_subpass), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_end_render_pass_layout = {
	"CMD_END_RENDER_PASS", LIST(cmd_end_render_pass), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_begin_rendering_layout = {
	"CMD_BEGIN_RENDERING",
	LIST(cmd_begin_rendering),
	{{VKR_TAIL_ITEMS, "attachment",
	  offsetof(struct vkr_trace_cmd_begin_rendering, attachment_count),
	  &rendering_attachment_item}}};
const struct vkr_event_layout vkr_trace_cmd_end_rendering_layout = {
	"CMD_END_RENDERING", LIST(cmd_end_rendering), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_clear_attachments_layout = {
	"CMD_CLEAR_ATTACHMENTS",
	LIST(cmd_clear_attachments),
	{{VKR_TAIL_ITEMS, "clear", offsetof(struct vkr_trace_cmd_clear_attachments, clear_count),
	  &clear_item},
	 {VKR_TAIL_ITEMS, "rectangle",
	  offsetof(struct vkr_trace_cmd_clear_attachments, rectangle_count),
	  &clear_rectangle_item}}};
