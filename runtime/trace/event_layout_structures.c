// SPDX-License-Identifier: Apache-2.0
// The tables of the events of acceleration structures and of trace-ray commands
// (vkrace/trace_structures.h). Knows names and places, and not what they mean.
#include "event_layout_parts.h"

static const struct vkr_event_field_name ray_names[] = {{VKR_RAYS_DIRECT, "direct"},
							{VKR_RAYS_INDIRECT, "indirect"},
							{VKR_RAYS_INDIRECT2, "indirect2"},
							{0, NULL}};
static const struct vkr_event_field_name operation_names[] = {
	{VKR_STRUCTURE_BUILD, "build"},
	{VKR_STRUCTURE_UPDATE, "update"},
	{VKR_STRUCTURE_COPY, "copy"},
	{VKR_STRUCTURE_SERIALIZE, "serialize"},
	{VKR_STRUCTURE_DESERIALIZE, "deserialize"},
	{VKR_STRUCTURE_PROPERTIES, "properties"},
	{0, NULL}};
static const struct vkr_event_field structure_build_fields[] = {
	FIELD(structure_build, destination, NUMBER),
	FIELD(structure_build, source, NUMBER),
	FIELD(structure_build, mode, NUMBER),
	FIELD(structure_build, geometry_count, NUMBER),
	FIELD(structure_build, scratch, HEX),
	FIELD(structure_build, scratch_bytes, NUMBER),
	FIELD(structure_build, indirect, HEX),
	FIELD(structure_build, indirect_stride, NUMBER),
	FIELD(structure_build, reserved, RESERVED)};
static const struct vkr_event_field_list structure_build_item = LIST(structure_build);
static const struct vkr_event_field structure_geometry_fields[] = {
	FIELD(structure_geometry, kind, NUMBER),
	FIELD(structure_geometry, primitives, NUMBER),
	FIELD(structure_geometry, primitive_offset, NUMBER),
	FIELD(structure_geometry, first_vertex, NUMBER),
	FIELD(structure_geometry, transform_offset, NUMBER),
	FIELD(structure_geometry, max_vertex, NUMBER),
	FIELD(structure_geometry, vertex_bytes, NUMBER),
	FIELD(structure_geometry, index_bytes, NUMBER),
	FIELD(structure_geometry, is_pointers, NUMBER),
	FIELD(structure_geometry, instance_bytes, NUMBER),
	FIELD(structure_geometry, data, HEX),
	FIELD(structure_geometry, stride, NUMBER),
	FIELD(structure_geometry, indices, HEX),
	FIELD(structure_geometry, transform, HEX)};
static const struct vkr_event_field_list structure_geometry_item = LIST(structure_geometry);
static const struct vkr_event_field table_region_fields[] = {FIELD(table_region, address, HEX),
							     FIELD(table_region, stride, NUMBER),
							     FIELD(table_region, bytes, NUMBER)};
static const struct vkr_event_field_list table_region_item = LIST(table_region);
static const struct vkr_event_field structure_fields[] = {
	FIELD(structure, structure, NUMBER), FIELD(structure, device, NUMBER),
	FIELD(structure, buffer, NUMBER),    FIELD(structure, type, NUMBER),
	FIELD(structure, offset, NUMBER),    FIELD(structure, bytes, NUMBER),
	FIELD(structure, handle, HEX)};
static const struct vkr_event_field structure_destroy_fields[] =
	ID_FIELDS(structure_destroy, structure);
static const struct vkr_event_field structure_address_fields[] = {
	FIELD(structure_address, structure, NUMBER), FIELD(structure_address, reserved, RESERVED),
	FIELD(structure_address, address, HEX)};
static const struct vkr_event_field cmd_build_structures_fields[] = {
	FIELD(cmd_build_structures, command, NUMBER),
	FIELD(cmd_build_structures, build_count, COUNT),
	FIELD(cmd_build_structures, geometry_count, COUNT),
	FIELD(cmd_build_structures, reserved, RESERVED)};
static const struct vkr_event_field cmd_copy_structure_fields[] = {
	FIELD(cmd_copy_structure, command, NUMBER), FIELD(cmd_copy_structure, mode, NUMBER),
	FIELD(cmd_copy_structure, source, NUMBER), FIELD(cmd_copy_structure, destination, NUMBER),
	FIELD(cmd_copy_structure, address, HEX)};
static const struct vkr_event_field cmd_structure_properties_fields[] = {
	FIELD(cmd_structure_properties, command, NUMBER),
	FIELD(cmd_structure_properties, pool, NUMBER),
	FIELD(cmd_structure_properties, first, NUMBER),
	FIELD(cmd_structure_properties, type, NUMBER),
	FIELD(cmd_structure_properties, structure_count, COUNT),
	FIELD(cmd_structure_properties, reserved, RESERVED)};
static const struct vkr_event_field cmd_trace_rays_fields[] = {
	FIELD(cmd_trace_rays, command, NUMBER), NAMED(cmd_trace_rays, kind, ray_names),
	ARRAY(cmd_trace_rays, extent, NUMBER), FIELD(cmd_trace_rays, region_count, COUNT),
	FIELD(cmd_trace_rays, indirect, HEX)};
static const struct vkr_event_field structure_instances_fields[] = {
	FIELD(structure_instances, execution, NUMBER),
	FIELD(structure_instances, instance_count, NUMBER),
	FIELD(structure_instances, reference_count, COUNT),
	FIELD(structure_instances, pointer_count, COUNT), FIELD(structure_instances, address, HEX)};
static const struct vkr_event_field host_structure_fields[] = {
	NAMED(host_structure, operation, operation_names), FIELD(host_structure, source, NUMBER),
	FIELD(host_structure, destination, NUMBER), FIELD(host_structure, bottom_count, COUNT)};

const struct vkr_event_layout vkr_trace_structure_layout = {"STRUCTURE", LIST(structure), {{0}}};
const struct vkr_event_layout vkr_trace_structure_destroy_layout = {
	"STRUCTURE_DESTROY", LIST(structure_destroy), {{0}}};
const struct vkr_event_layout vkr_trace_structure_address_layout = {
	"STRUCTURE_ADDRESS", LIST(structure_address), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_build_structures_layout = {
	"CMD_BUILD_STRUCTURES",
	LIST(cmd_build_structures),
	{{VKR_TAIL_ITEMS, "build", offsetof(struct vkr_trace_cmd_build_structures, build_count),
	  &structure_build_item},
	 {VKR_TAIL_ITEMS, "geometry",
	  offsetof(struct vkr_trace_cmd_build_structures, geometry_count),
	  &structure_geometry_item}}};
const struct vkr_event_layout vkr_trace_cmd_copy_structure_layout = {
	"CMD_COPY_STRUCTURE", LIST(cmd_copy_structure), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_structure_properties_layout = {
	"CMD_STRUCTURE_PROPERTIES",
	LIST(cmd_structure_properties),
	{{VKR_TAIL_WORDS, "structures",
	  offsetof(struct vkr_trace_cmd_structure_properties, structure_count), NULL}}};
const struct vkr_event_layout vkr_trace_cmd_trace_rays_layout = {
	"CMD_TRACE_RAYS",
	LIST(cmd_trace_rays),
	{{VKR_TAIL_ITEMS, "region", offsetof(struct vkr_trace_cmd_trace_rays, region_count),
	  &table_region_item}}};
const struct vkr_event_layout vkr_trace_structure_instances_layout = {
	"STRUCTURE_INSTANCES",
	LIST(structure_instances),
	{{VKR_TAIL_FRAMES, "references",
	  offsetof(struct vkr_trace_structure_instances, reference_count), NULL},
	 {VKR_TAIL_FRAMES, "pointers",
	  offsetof(struct vkr_trace_structure_instances, pointer_count), NULL}}};
const struct vkr_event_layout vkr_trace_host_structure_layout = {
	"HOST_STRUCTURE",
	LIST(host_structure),
	{{VKR_TAIL_WORDS, "bottoms", offsetof(struct vkr_trace_host_structure, bottom_count),
	  NULL}}};
