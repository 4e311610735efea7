// SPDX-License-Identifier: Apache-2.0
// The tables of the events of commands whose parameters are in memory (vkrace/trace_parameters.h).
// Knows names and places, and not what they mean.
#include "event_layout_parts.h"

static const struct vkr_event_field_name copy_names[] = {
	{VKR_COPY_MEMORY, "copy"},
	{VKR_COPY_MEMORY_TO_IMAGE, "copy to image"},
	{VKR_COPY_MEMORY_NV, "copy NV"},
	{VKR_COPY_MEMORY_TO_IMAGE_NV, "copy to image NV"},
	{VKR_DECOMPRESS_INDIRECT, "decompress"},
	{0, NULL}};
static const struct vkr_event_field_name form_names[] = {{VKR_MOVE_DECOMPRESS, "decompress"},
							 {VKR_MOVE_DECOMPRESS_NV, "decompress NV"},
							 {VKR_MOVE_COPY, "copy"},
							 {VKR_MOVE_FILL, "fill"},
							 {VKR_MOVE_UPDATE, "update"},
							 {0, NULL}};
static const struct vkr_event_field moved_fields[] = {
	FIELD(moved, source, HEX), FIELD(moved, destination, HEX),
	FIELD(moved, source_bytes, NUMBER), FIELD(moved, destination_bytes, NUMBER)};
static const struct vkr_event_field_list moved_item = LIST(moved);
static const struct vkr_event_field snapshot_fields[] = {
	FIELD(snapshot, execution, NUMBER), FIELD(snapshot, command, NUMBER),
	FIELD(snapshot, address, HEX), FIELD(snapshot, word_count, COUNT),
	FIELD(snapshot, flags, FLAGS)};
static const struct vkr_event_field cmd_snapshot_fields[] = ID_FIELDS(cmd_snapshot, command);
static const struct vkr_event_field cmd_copy_memory_fields[] = {
	FIELD(cmd_copy_memory, command, NUMBER),   NAMED(cmd_copy_memory, kind, copy_names),
	FIELD(cmd_copy_memory, address, HEX),      FIELD(cmd_copy_memory, stride, NUMBER),
	FIELD(cmd_copy_memory, count, NUMBER),     FIELD(cmd_copy_memory, image, NUMBER),
	FIELD(cmd_copy_memory, count_address, HEX)};
static const struct vkr_event_field cmd_move_fields[] = {
	FIELD(cmd_move, command, NUMBER), NAMED(cmd_move, form, form_names),
	FIELD(cmd_move, region_count, COUNT), FIELD(cmd_move, reserved, RESERVED)};
static const struct vkr_event_field cmd_generated_fields[] = {
	FIELD(cmd_generated, command, NUMBER),
	FIELD(cmd_generated, flags, FLAGS),
	FIELD(cmd_generated, address, HEX),
	FIELD(cmd_generated, bytes, NUMBER),
	FIELD(cmd_generated, stride, NUMBER),
	FIELD(cmd_generated, preprocess, HEX),
	FIELD(cmd_generated, preprocess_bytes, NUMBER),
	FIELD(cmd_generated, count_address, HEX),
	FIELD(cmd_generated, max_count, NUMBER),
	FIELD(cmd_generated, max_draws, NUMBER),
	FIELD(cmd_generated, read_bytes, NUMBER),
	FIELD(cmd_generated, reserved, RESERVED)};

const struct vkr_event_layout vkr_trace_snapshot_layout = {
	"SNAPSHOT",
	LIST(snapshot),
	{{VKR_TAIL_WORDS, "words", offsetof(struct vkr_trace_snapshot, word_count), NULL}}};
const struct vkr_event_layout vkr_trace_cmd_snapshot_layout = {
	"CMD_SNAPSHOT", LIST(cmd_snapshot), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_copy_memory_layout = {
	"CMD_COPY_MEMORY", LIST(cmd_copy_memory), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_generated_layout = {
	"CMD_GENERATED", LIST(cmd_generated), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_move_layout = {
	"CMD_MOVE",
	LIST(cmd_move),
	{{VKR_TAIL_ITEMS, "region", offsetof(struct vkr_trace_cmd_move, region_count),
	  &moved_item}}};
