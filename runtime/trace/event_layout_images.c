// SPDX-License-Identifier: Apache-2.0
// What events of images, their views and samplers are made of. Knows names and places, and not what
// they mean.
#include "event_layout_parts.h"

static const struct vkr_field image_subresource_fields[] = {
	FIELD(image_subresource, aspect, FLAGS),      FIELD(image_subresource, mip, NUMBER),
	FIELD(image_subresource, offset, NUMBER),     FIELD(image_subresource, bytes, NUMBER),
	FIELD(image_subresource, row_pitch, NUMBER),  FIELD(image_subresource, layer_pitch, NUMBER),
	FIELD(image_subresource, slice_pitch, NUMBER)};
static const struct vkr_field_list image_subresource_item = LIST(image_subresource);

static const struct vkr_field image_fields[] = {FIELD(image, image, NUMBER),
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
static const struct vkr_field image_bind_fields[] = {
	FIELD(image_bind, image, NUMBER), FIELD(image_bind, memory, NUMBER),
	FIELD(image_bind, offset, NUMBER), FIELD(image_bind, aspects, FLAGS),
	FIELD(image_bind, reserved, RESERVED)};
static const struct vkr_field image_destroy_fields[] = ID_FIELDS(image_destroy, image);
static const struct vkr_field image_view_fields[] = {
	FIELD(image_view, view, NUMBER), FIELD(image_view, image, NUMBER),
	FIELD(image_view, type, NUMBER), FIELD(image_view, format, NUMBER),
	FIELD(image_view, flags, FLAGS), FIELD(image_view, usage, FLAGS),
	SUBRESOURCE_FIELDS(image_view),  FIELD(image_view, min_lod, REAL)};
static const struct vkr_field image_view_destroy_fields[] = ID_FIELDS(image_view_destroy, view);
static const struct vkr_field sampler_fields[] = {
	FIELD(sampler, sampler, NUMBER),      FIELD(sampler, device, NUMBER),
	FIELD(sampler, create_flags, FLAGS),  FIELD(sampler, mag_filter, NUMBER),
	FIELD(sampler, min_filter, NUMBER),   FIELD(sampler, mip_mode, NUMBER),
	ARRAY(sampler, address, NUMBER),      FIELD(sampler, mip_bias, REAL),
	FIELD(sampler, min_lod, REAL),        FIELD(sampler, max_lod, REAL),
	FIELD(sampler, max_anisotropy, REAL), FIELD(sampler, compare, NUMBER),
	FIELD(sampler, border, NUMBER),       FIELD(sampler, unnormalized, NUMBER),
	FIELD(sampler, reduction, NUMBER),    FIELD(sampler, chroma_filter, OPTIONAL),
	ARRAY(sampler, reserved, RESERVED)};
static const struct vkr_field sampler_destroy_fields[] = ID_FIELDS(sampler_destroy, sampler);

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
