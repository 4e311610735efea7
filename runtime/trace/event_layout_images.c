// SPDX-License-Identifier: Apache-2.0
// What events of images, their views, samplers and transfers are made of. Knows names and places,
// and not what they mean.
#include "event_layout_parts.h"

static const struct vkr_event_field image_subresource_fields[] = {
	FIELD(image_subresource, aspect, FLAGS),      FIELD(image_subresource, mip, NUMBER),
	FIELD(image_subresource, offset, NUMBER),     FIELD(image_subresource, bytes, NUMBER),
	FIELD(image_subresource, row_pitch, NUMBER),  FIELD(image_subresource, layer_pitch, NUMBER),
	FIELD(image_subresource, slice_pitch, NUMBER)};
static const struct vkr_event_field_list image_subresource_item = LIST(image_subresource);

// The members of a struct vkr_trace_image_box.
#define BOX_FIELD(structure, box, part)                                                            \
	{                                                                                          \
#box "." #part, offsetof(struct vkr_trace_##structure, box.part), 4, 1,            \
			VKR_EVENT_FIELD_NUMBER, NULL                                               \
	}
#define BOX_TRIPLE(structure, box, part)                                                           \
	{                                                                                          \
#box "." #part, offsetof(struct vkr_trace_##structure, box.part), 4, 3,            \
			VKR_EVENT_FIELD_NUMBER, NULL                                               \
	}
#define BOX_FIELDS(structure, box)                                                                 \
	BOX_FIELD(structure, box, aspects), BOX_FIELD(structure, box, mip),                        \
		BOX_FIELD(structure, box, first_layer), BOX_FIELD(structure, box, layer_count),    \
		BOX_TRIPLE(structure, box, offset), BOX_TRIPLE(structure, box, extent)
static const struct vkr_event_field image_region_fields[] = {BOX_FIELDS(image_region, source),
							     BOX_FIELDS(image_region, destination)};
static const struct vkr_event_field image_rows_fields[] = {
	FIELD(image_rows, offset, NUMBER), FIELD(image_rows, row_length, NUMBER),
	FIELD(image_rows, image_height, NUMBER), BOX_FIELDS(image_rows, box)};
static const struct vkr_event_field subresources_fields[] = {
	FIELD(subresources, aspects, FLAGS), FIELD(subresources, first_mip, NUMBER),
	FIELD(subresources, mip_count, NUMBER), FIELD(subresources, first_layer, NUMBER),
	FIELD(subresources, layer_count, NUMBER)};
static const struct vkr_event_field image_box_fields[] = {
	FIELD(image_box, aspects, NUMBER),     FIELD(image_box, mip, NUMBER),
	FIELD(image_box, first_layer, NUMBER), FIELD(image_box, layer_count, NUMBER),
	ARRAY(image_box, offset, NUMBER),      ARRAY(image_box, extent, NUMBER)};
static const struct vkr_event_field_list image_box_item = LIST(image_box);
static const struct vkr_event_field_list image_region_item = LIST(image_region);
static const struct vkr_event_field_list image_rows_item = LIST(image_rows);
static const struct vkr_event_field_list subresources_item = LIST(subresources);
static const struct vkr_event_field_name transfer_names[] = {{VKR_TRANSFER_COPY, "copy"},
							     {VKR_TRANSFER_BLIT, "blit"},
							     {VKR_TRANSFER_RESOLVE, "resolve"},
							     {0, NULL}};

static const struct vkr_event_field cmd_image_transfer_fields[] = {
	FIELD(cmd_image_transfer, command, NUMBER),
	NAMED(cmd_image_transfer, kind, transfer_names),
	FIELD(cmd_image_transfer, source, NUMBER),
	FIELD(cmd_image_transfer, destination, NUMBER),
	FIELD(cmd_image_transfer, source_layout, NUMBER),
	FIELD(cmd_image_transfer, destination_layout, NUMBER),
	FIELD(cmd_image_transfer, region_count, COUNT),
	FIELD(cmd_image_transfer, reserved, RESERVED)};
static const struct vkr_event_field cmd_image_buffer_fields[] = {
	FIELD(cmd_image_buffer, command, NUMBER), FIELD(cmd_image_buffer, to_image, NUMBER),
	FIELD(cmd_image_buffer, buffer, NUMBER),  FIELD(cmd_image_buffer, image, NUMBER),
	FIELD(cmd_image_buffer, layout, NUMBER),  FIELD(cmd_image_buffer, region_count, COUNT)};
static const struct vkr_event_field cmd_clear_image_fields[] = {
	FIELD(cmd_clear_image, command, NUMBER), FIELD(cmd_clear_image, image, NUMBER),
	FIELD(cmd_clear_image, layout, NUMBER), FIELD(cmd_clear_image, range_count, COUNT)};
static const struct vkr_event_field host_image_copy_fields[] = {
	FIELD(host_image_copy, image, NUMBER), FIELD(host_image_copy, to_image, NUMBER),
	FIELD(host_image_copy, layout, NUMBER), FIELD(host_image_copy, box_count, COUNT)};
static const struct vkr_event_field host_image_transfer_fields[] = {
	FIELD(host_image_transfer, source, NUMBER),
	FIELD(host_image_transfer, destination, NUMBER),
	FIELD(host_image_transfer, source_layout, NUMBER),
	FIELD(host_image_transfer, destination_layout, NUMBER),
	FIELD(host_image_transfer, region_count, COUNT),
	FIELD(host_image_transfer, reserved, RESERVED)};
static const struct vkr_event_field host_transition_fields[] = {
	FIELD(host_transition, image, NUMBER), FIELD(host_transition, old_layout, NUMBER),
	FIELD(host_transition, new_layout, NUMBER), SUBRESOURCE_FIELDS(host_transition)};
static const struct vkr_event_field image_fields[] = {FIELD(image, image, NUMBER),
						      FIELD(image, device, NUMBER),
						      FIELD(image, handle, HEX),
						      FIELD(image, bytes, NUMBER),
						      FIELD(image, create_flags, FLAGS),
						      FIELD(image, type, NUMBER),
						      FIELD(image, format, NUMBER),
						      ARRAY(image, extent, NUMBER),
						      FIELD(image, mips, NUMBER),
						      FIELD(image, layers, NUMBER),
						      FIELD(image, samples, NUMBER),
						      FIELD(image, tiling, NUMBER),
						      FIELD(image, usage, FLAGS),
						      FIELD(image, sharing, NUMBER),
						      FIELD(image, initial_layout, NUMBER),
						      FIELD(image, flags, FLAGS),
						      FIELD(image, subresource_count, COUNT),
						      FIELD(image, reserved, RESERVED)};
static const struct vkr_event_field image_bind_fields[] = {
	FIELD(image_bind, image, NUMBER), FIELD(image_bind, memory, NUMBER),
	FIELD(image_bind, offset, NUMBER), FIELD(image_bind, aspects, FLAGS),
	FIELD(image_bind, reserved, RESERVED)};
static const struct vkr_event_field image_destroy_fields[] = ID_FIELDS(image_destroy, image);
static const struct vkr_event_field image_view_fields[] = {
	FIELD(image_view, view, NUMBER),        FIELD(image_view, image, NUMBER),
	FIELD(image_view, type, NUMBER),        FIELD(image_view, format, NUMBER),
	FIELD(image_view, flags, FLAGS),        FIELD(image_view, usage, FLAGS),
	SUBRESOURCE_FIELDS(image_view),         FIELD(image_view, min_lod, REAL),
	FIELD(image_view, first_slice, NUMBER), FIELD(image_view, slice_count, NUMBER)};
static const struct vkr_event_field image_view_destroy_fields[] =
	ID_FIELDS(image_view_destroy, view);
static const struct vkr_event_field sampler_fields[] = {
	FIELD(sampler, sampler, NUMBER),      FIELD(sampler, device, NUMBER),
	FIELD(sampler, create_flags, FLAGS),  FIELD(sampler, mag_filter, NUMBER),
	FIELD(sampler, min_filter, NUMBER),   FIELD(sampler, mip_mode, NUMBER),
	ARRAY(sampler, address, NUMBER),      FIELD(sampler, mip_bias, REAL),
	FIELD(sampler, min_lod, REAL),        FIELD(sampler, max_lod, REAL),
	FIELD(sampler, max_anisotropy, REAL), FIELD(sampler, compare, NUMBER),
	FIELD(sampler, border, NUMBER),       FIELD(sampler, unnormalized, NUMBER),
	FIELD(sampler, reduction, NUMBER),    FIELD(sampler, chroma_filter, OPTIONAL),
	ARRAY(sampler, reserved, RESERVED)};
static const struct vkr_event_field sampler_destroy_fields[] = ID_FIELDS(sampler_destroy, sampler);

const struct vkr_event_layout vkr_trace_image_layout = {
	"IMAGE",
	LIST(image),
	{{VKR_TAIL_ITEMS, "subresource", offsetof(struct vkr_trace_image, subresource_count),
	  &image_subresource_item}}};
const struct vkr_event_layout vkr_trace_image_bind_layout = {"IMAGE_BIND", LIST(image_bind), {{0}}};
const struct vkr_event_layout vkr_trace_image_destroy_layout = {
	"IMAGE_DESTROY", LIST(image_destroy), {{0}}};
const struct vkr_event_layout vkr_trace_image_view_layout = {"IMAGE_VIEW", LIST(image_view), {{0}}};
const struct vkr_event_layout vkr_trace_image_view_destroy_layout = {
	"IMAGE_VIEW_DESTROY", LIST(image_view_destroy), {{0}}};
const struct vkr_event_layout vkr_trace_sampler_layout = {"SAMPLER", LIST(sampler), {{0}}};
const struct vkr_event_layout vkr_trace_sampler_destroy_layout = {
	"SAMPLER_DESTROY", LIST(sampler_destroy), {{0}}};

const struct vkr_event_layout vkr_trace_cmd_image_transfer_layout = {
	"CMD_IMAGE_TRANSFER",
	LIST(cmd_image_transfer),
	{{VKR_TAIL_ITEMS, "region", offsetof(struct vkr_trace_cmd_image_transfer, region_count),
	  &image_region_item}}};
const struct vkr_event_layout vkr_trace_cmd_image_buffer_layout = {
	"CMD_IMAGE_BUFFER",
	LIST(cmd_image_buffer),
	{{VKR_TAIL_ITEMS, "region", offsetof(struct vkr_trace_cmd_image_buffer, region_count),
	  &image_rows_item}}};
const struct vkr_event_layout vkr_trace_cmd_clear_image_layout = {
	"CMD_CLEAR_IMAGE",
	LIST(cmd_clear_image),
	{{VKR_TAIL_ITEMS, "range", offsetof(struct vkr_trace_cmd_clear_image, range_count),
	  &subresources_item}}};
const struct vkr_event_layout vkr_trace_host_image_copy_layout = {
	"HOST_IMAGE_COPY",
	LIST(host_image_copy),
	{{VKR_TAIL_ITEMS, "box", offsetof(struct vkr_trace_host_image_copy, box_count),
	  &image_box_item}}};
const struct vkr_event_layout vkr_trace_host_image_transfer_layout = {
	"HOST_IMAGE_TRANSFER",
	LIST(host_image_transfer),
	{{VKR_TAIL_ITEMS, "region", offsetof(struct vkr_trace_host_image_transfer, region_count),
	  &image_region_item}}};
const struct vkr_event_layout vkr_trace_host_transition_layout = {
	"HOST_TRANSITION", LIST(host_transition), {{0}}};
