// SPDX-License-Identifier: Apache-2.0
// What events of the run and of objects are made of. Knows names and places, and not what they
// mean.
#include "event_layout_parts.h"

static const struct vkr_event_field_name object_names[] = {
	{VKR_OBJECT_DEVICE, "device"},
	{VKR_OBJECT_QUEUE, "queue"},
	{VKR_OBJECT_MEMORY, "memory"},
	{VKR_OBJECT_BUFFER, "buffer"},
	{VKR_OBJECT_BUFFER_VIEW, "buffer view"},
	{VKR_OBJECT_SET_LAYOUT, "set layout"},
	{VKR_OBJECT_SET, "set"},
	{VKR_OBJECT_PIPELINE_LAYOUT, "pipeline layout"},
	{VKR_OBJECT_SHADER, "shader"},
	{VKR_OBJECT_PIPELINE, "pipeline"},
	{VKR_OBJECT_COMMAND_BUFFER, "command buffer"},
	{VKR_OBJECT_FENCE, "fence"},
	{VKR_OBJECT_SEMAPHORE, "semaphore"},
	{VKR_OBJECT_EVENT, "event"},
	{VKR_OBJECT_RENDER_PASS, "render pass"},
	{VKR_OBJECT_IMAGE, "image"},
	{VKR_OBJECT_IMAGE_VIEW, "image view"},
	{VKR_OBJECT_SAMPLER, "sampler"},
	{VKR_OBJECT_FRAMEBUFFER, "framebuffer"},
	{VKR_OBJECT_QUERY_POOL, "query pool"},
	{VKR_OBJECT_STRUCTURE, "acceleration structure"},
	{VKR_OBJECT_VIDEO_SESSION, "video session"},
	{0, NULL}};
static const struct vkr_event_field_name coverage_names[] = {{VKR_COVERAGE_SHADER, "shader"},
							     {VKR_COVERAGE_COMMAND, "command"},
							     {VKR_COVERAGE_EXTENSION, "extension"},
							     {VKR_COVERAGE_LOG, "log"},
							     {VKR_COVERAGE_DEVICE, "device"},
							     {VKR_COVERAGE_MEMORY, "memory"},
							     {VKR_COVERAGE_HOST, "host"},
							     {VKR_COVERAGE_TRACE, "trace"},
							     {VKR_COVERAGE_SYNC, "sync"},
							     {VKR_COVERAGE_CHOICE, "choice"},
							     {0, NULL}};
static const struct vkr_event_field_name host_names[] = {
	{VKR_HOST_READ, "read"}, {VKR_HOST_WRITE, "write"}, {VKR_HOST_ATOMIC, "atomic"}, {0, NULL}};
static const struct vkr_event_field_name end_names[] = {
	{VKR_END_EXIT, "exit"}, {VKR_END_SIGNAL, "signal"}, {0, NULL}};
static const struct vkr_event_field binding_fields[] = {
	FIELD(binding, binding, NUMBER), FIELD(binding, type, NUMBER),
	FIELD(binding, count, NUMBER),   FIELD(binding, stages, FLAGS),
	FIELD(binding, flags, FLAGS),    FIELD(binding, samplers, NUMBER)};
static const struct vkr_event_field descriptor_fields[] = {
	FIELD(descriptor, object, NUMBER), FIELD(descriptor, sampler, NUMBER),
	FIELD(descriptor, layout, NUMBER), FIELD(descriptor, reserved, RESERVED),
	FIELD(descriptor, offset, NUMBER), FIELD(descriptor, bytes, SIZE)};
static const struct vkr_event_field run_begin_fields[] = {FIELD(run_begin, time_ns, NUMBER),
							  FIELD(run_begin, process, NUMBER),
							  FIELD(run_begin, text_bytes, COUNT)};
static const struct vkr_event_field thread_fields[] = {
	FIELD(thread, thread, NUMBER), FIELD(thread, system_id, NUMBER),
	FIELD(thread, text_bytes, COUNT), FIELD(thread, reserved, RESERVED)};
static const struct vkr_event_field device_fields[] = {FIELD(device, device, NUMBER),
						       FIELD(device, api_version, VERSION),
						       FIELD(device, driver_version, NUMBER),
						       FIELD(device, vendor, NUMBER),
						       FIELD(device, subgroup_size, NUMBER),
						       FIELD(device, flags, FLAGS),
						       FIELD(device, non_coherent_atom, NUMBER),
						       FIELD(device, text_bytes, COUNT),
						       FIELD(device, reserved, RESERVED)};
static const struct vkr_event_field device_destroy_fields[] = ID_FIELDS(device_destroy, device);
static const struct vkr_event_field queue_fields[] = {
	FIELD(queue, queue, NUMBER),      FIELD(queue, device, NUMBER),
	FIELD(queue, family, NUMBER),     FIELD(queue, index, NUMBER),
	FIELD(queue, queue_flags, FLAGS), FIELD(queue, reserved, RESERVED)};
static const struct vkr_event_field name_fields[] = {
	NAMED(name, kind, object_names), FIELD(name, object, NUMBER),
	FIELD(name, text_bytes, COUNT), FIELD(name, reserved, RESERVED)};
static const struct vkr_event_field coverage_fields[] = {
	NAMED(coverage, kind, coverage_names), FIELD(coverage, object, NUMBER),
	FIELD(coverage, amount, NUMBER), FIELD(coverage, text_bytes, COUNT),
	FIELD(coverage, reserved, RESERVED)};
static const struct vkr_event_field run_end_fields[] = {NAMED(run_end, status, end_names),
							FIELD(run_end, reserved, RESERVED)};
static const struct vkr_event_field memory_fields[] = {
	FIELD(memory, memory, NUMBER),        FIELD(memory, device, NUMBER),
	FIELD(memory, bytes, NUMBER),         FIELD(memory, handle, HEX),
	FIELD(memory, property_flags, FLAGS), FIELD(memory, flags, FLAGS)};
static const struct vkr_event_field memory_free_fields[] = ID_FIELDS(memory_free, memory);
static const struct vkr_event_field map_fields[] = {
	FIELD(map, memory, NUMBER), FIELD(map, reserved, RESERVED), FIELD(map, offset, NUMBER),
	FIELD(map, bytes, NUMBER)};
static const struct vkr_event_field unmap_fields[] = ID_FIELDS(unmap, memory);
static const struct vkr_event_field flush_fields[] = {
	FIELD(flush, memory, NUMBER), FIELD(flush, reserved, RESERVED),
	FIELD(flush, offset, NUMBER), FIELD(flush, bytes, NUMBER)};
static const struct vkr_event_field invalidate_fields[] = {
	FIELD(invalidate, memory, NUMBER), FIELD(invalidate, reserved, RESERVED),
	FIELD(invalidate, offset, NUMBER), FIELD(invalidate, bytes, NUMBER)};
static const struct vkr_event_field host_access_fields[] = {
	FIELD(host_access, memory, NUMBER),     NAMED(host_access, operation, host_names),
	FIELD(host_access, offset, NUMBER),     FIELD(host_access, bytes, NUMBER),
	FIELD(host_access, frame_count, COUNT), FIELD(host_access, reserved, RESERVED)};
static const struct vkr_event_field buffer_fields[] = {
	FIELD(buffer, buffer, NUMBER),  FIELD(buffer, device, NUMBER),
	FIELD(buffer, bytes, NUMBER),   FIELD(buffer, handle, HEX),
	FIELD(buffer, usage, FLAGS),    FIELD(buffer, flags, FLAGS),
	FIELD(buffer, sharing, NUMBER), FIELD(buffer, reserved, RESERVED)};
static const struct vkr_event_field buffer_bind_fields[] = {FIELD(buffer_bind, buffer, NUMBER),
							    FIELD(buffer_bind, memory, NUMBER),
							    FIELD(buffer_bind, offset, NUMBER)};
static const struct vkr_event_field buffer_destroy_fields[] = ID_FIELDS(buffer_destroy, buffer);
static const struct vkr_event_field buffer_address_fields[] = {
	FIELD(buffer_address, buffer, NUMBER), FIELD(buffer_address, reserved, RESERVED),
	FIELD(buffer_address, address, HEX)};
static const struct vkr_event_field buffer_view_fields[] = {
	FIELD(buffer_view, view, NUMBER),   FIELD(buffer_view, buffer, NUMBER),
	FIELD(buffer_view, offset, NUMBER), FIELD(buffer_view, bytes, NUMBER),
	FIELD(buffer_view, format, NUMBER), FIELD(buffer_view, reserved, RESERVED)};
static const struct vkr_event_field buffer_view_destroy_fields[] =
	ID_FIELDS(buffer_view_destroy, view);
static const struct vkr_event_field descriptor_row_fields[] = {
	FIELD(descriptor_row, binding, NUMBER), FIELD(descriptor_row, bytes, NUMBER),
	FIELD(descriptor_row, offset, NUMBER)};
static const struct vkr_event_field_list descriptor_row_item = LIST(descriptor_row);
static const struct vkr_event_field descriptor_rows_fields[] = {
	FIELD(descriptor_rows, layout, NUMBER), FIELD(descriptor_rows, row_count, COUNT),
	FIELD(descriptor_rows, bytes, NUMBER)};
static const struct vkr_event_field heap_fields[] = {
	FIELD(heap, set, NUMBER),           FIELD(heap, kind, NUMBER),
	FIELD(heap, image_bytes, NUMBER),   FIELD(heap, buffer_bytes, NUMBER),
	FIELD(heap, sampler_bytes, NUMBER), FIELD(heap, reserved, RESERVED)};
static const struct vkr_event_field cmd_bind_heap_fields[] = {FIELD(cmd_bind_heap, heap, NUMBER),
							      FIELD(cmd_bind_heap, kind, NUMBER)};
static const struct vkr_event_field heap_changed_fields[] = {
	FIELD(heap_changed, execution, NUMBER),       FIELD(heap_changed, set, NUMBER),
	FIELD(heap_changed, element, NUMBER),         FIELD(heap_changed, type, NUMBER),
	FIELD(heap_changed, descriptor_count, COUNT), FIELD(heap_changed, reserved, RESERVED)};
static const struct vkr_event_field shader_sampler_fields[] = {
	FIELD(shader_sampler, set, NUMBER), FIELD(shader_sampler, binding, NUMBER),
	FIELD(shader_sampler, sampler, NUMBER), FIELD(shader_sampler, reserved, RESERVED)};
static const struct vkr_event_field_list shader_sampler_item = LIST(shader_sampler);
static const struct vkr_event_field shader_samplers_fields[] = {
	FIELD(shader_samplers, shader, NUMBER), FIELD(shader_samplers, sampler_count, COUNT)};
static const struct vkr_event_field set_layout_fields[] = {
	FIELD(set_layout, layout, NUMBER),       FIELD(set_layout, device, NUMBER),
	FIELD(set_layout, flags, FLAGS),         FIELD(set_layout, binding_count, COUNT),
	FIELD(set_layout, sampler_count, COUNT), FIELD(set_layout, reserved, RESERVED)};
static const struct vkr_event_field set_fields[] = {
	FIELD(set, set, NUMBER), FIELD(set, layout, NUMBER), FIELD(set, variable_count, OPTIONAL),
	FIELD(set, reserved, RESERVED), FIELD(set, handle, HEX)};
static const struct vkr_event_field set_destroy_fields[] = ID_FIELDS(set_destroy, set);
static const struct vkr_event_field set_write_fields[] = {FIELD(set_write, set, NUMBER),
							  FIELD(set_write, binding, NUMBER),
							  FIELD(set_write, element, NUMBER),
							  FIELD(set_write, type, NUMBER),
							  FIELD(set_write, descriptor_count, COUNT),
							  FIELD(set_write, reserved, RESERVED)};
static const struct vkr_event_field set_copy_fields[] = {
	FIELD(set_copy, source_set, NUMBER),       FIELD(set_copy, source_binding, NUMBER),
	FIELD(set_copy, source_element, NUMBER),   FIELD(set_copy, set, NUMBER),
	FIELD(set_copy, binding, NUMBER),          FIELD(set_copy, element, NUMBER),
	FIELD(set_copy, descriptor_count, NUMBER), FIELD(set_copy, reserved, RESERVED)};
static const struct vkr_event_field pipeline_layout_fields[] = {
	FIELD(pipeline_layout, layout, NUMBER), FIELD(pipeline_layout, set_count, COUNT)};
static const struct vkr_event_field shader_fields[] = {
	FIELD(shader, shader, NUMBER), FIELD(shader, sites_bytes, COUNT),
	FIELD(shader, content_hash, HEX), FIELD(shader, stage, NUMBER),
	FIELD(shader, flags, FLAGS)};
static const struct vkr_event_field pipeline_fields[] = {
	FIELD(pipeline, pipeline, NUMBER),    FIELD(pipeline, device, NUMBER),
	FIELD(pipeline, bind_point, NUMBER),  FIELD(pipeline, layout, NUMBER),
	FIELD(pipeline, shader_count, COUNT), FIELD(pipeline, flags, FLAGS)};
static const struct vkr_event_field pipeline_destroy_fields[] =
	ID_FIELDS(pipeline_destroy, pipeline);
static const struct vkr_event_field command_buffer_fields[] = {
	FIELD(command_buffer, command_buffer, NUMBER), FIELD(command_buffer, queue_family, NUMBER),
	FIELD(command_buffer, level, NUMBER), FIELD(command_buffer, reserved, RESERVED),
	FIELD(command_buffer, handle, HEX)};
static const struct vkr_event_field recording_fields[] = {
	FIELD(recording, recording, NUMBER),  FIELD(recording, command_buffer, NUMBER),
	FIELD(recording, usage, FLAGS),       FIELD(recording, command_count, NUMBER),
	FIELD(recording, event_bytes, COUNT), FIELD(recording, reserved, RESERVED)};
static const struct vkr_event_field command_buffer_destroy_fields[] =
	ID_FIELDS(command_buffer_destroy, command_buffer);
static const struct vkr_event_field_list binding_item = LIST(binding);
const struct vkr_event_field_list vkr_descriptor_item = LIST(descriptor);

const struct vkr_event_layout vkr_trace_run_begin_layout = {
	"RUN_BEGIN",
	LIST(run_begin),
	{{VKR_TAIL_TEXT, "command", offsetof(struct vkr_trace_run_begin, text_bytes), NULL}}};
const struct vkr_event_layout vkr_trace_thread_layout = {
	"THREAD",
	LIST(thread),
	{{VKR_TAIL_TEXT, "name", offsetof(struct vkr_trace_thread, text_bytes), NULL}}};
const struct vkr_event_layout vkr_trace_device_layout = {
	"DEVICE",
	LIST(device),
	{{VKR_TAIL_TEXT, "name", offsetof(struct vkr_trace_device, text_bytes), NULL}}};
const struct vkr_event_layout vkr_trace_device_destroy_layout = {
	"DEVICE_DESTROY", LIST(device_destroy), {{0}}};
const struct vkr_event_layout vkr_trace_queue_layout = {"QUEUE", LIST(queue), {{0}}};
const struct vkr_event_layout vkr_trace_name_layout = {
	"NAME",
	LIST(name),
	{{VKR_TAIL_TEXT, "name", offsetof(struct vkr_trace_name, text_bytes), NULL}}};
const struct vkr_event_layout vkr_trace_coverage_layout = {
	"COVERAGE",
	LIST(coverage),
	{{VKR_TAIL_TEXT, "text", offsetof(struct vkr_trace_coverage, text_bytes), NULL}}};
const struct vkr_event_layout vkr_trace_run_end_layout = {"RUN_END", LIST(run_end), {{0}}};
const struct vkr_event_layout vkr_trace_memory_layout = {"MEMORY", LIST(memory), {{0}}};
const struct vkr_event_layout vkr_trace_memory_free_layout = {
	"MEMORY_FREE", LIST(memory_free), {{0}}};
const struct vkr_event_layout vkr_trace_map_layout = {"MAP", LIST(map), {{0}}};
const struct vkr_event_layout vkr_trace_unmap_layout = {"UNMAP", LIST(unmap), {{0}}};
const struct vkr_event_layout vkr_trace_flush_layout = {"FLUSH", LIST(flush), {{0}}};
const struct vkr_event_layout vkr_trace_invalidate_layout = {"INVALIDATE", LIST(invalidate), {{0}}};
const struct vkr_event_layout vkr_trace_host_access_layout = {
	"HOST_ACCESS",
	LIST(host_access),
	{{VKR_TAIL_FRAMES, "frames", offsetof(struct vkr_trace_host_access, frame_count), NULL}}};
const struct vkr_event_layout vkr_trace_buffer_layout = {"BUFFER", LIST(buffer), {{0}}};
const struct vkr_event_layout vkr_trace_buffer_bind_layout = {
	"BUFFER_BIND", LIST(buffer_bind), {{0}}};
const struct vkr_event_layout vkr_trace_buffer_destroy_layout = {
	"BUFFER_DESTROY", LIST(buffer_destroy), {{0}}};
const struct vkr_event_layout vkr_trace_buffer_address_layout = {
	"BUFFER_ADDRESS", LIST(buffer_address), {{0}}};
const struct vkr_event_layout vkr_trace_buffer_view_layout = {
	"BUFFER_VIEW", LIST(buffer_view), {{0}}};
const struct vkr_event_layout vkr_trace_buffer_view_destroy_layout = {
	"BUFFER_VIEW_DESTROY", LIST(buffer_view_destroy), {{0}}};
const struct vkr_event_layout vkr_trace_descriptor_rows_layout = {
	"DESCRIPTOR_ROWS",
	LIST(descriptor_rows),
	{{VKR_TAIL_ITEMS, "row", offsetof(struct vkr_trace_descriptor_rows, row_count),
	  &descriptor_row_item}}};
const struct vkr_event_layout vkr_trace_heap_layout = {"HEAP", LIST(heap), {{0}}};
const struct vkr_event_layout vkr_trace_cmd_bind_heap_layout = {
	"CMD_BIND_HEAP", LIST(cmd_bind_heap), {{0}}};
const struct vkr_event_layout vkr_trace_heap_changed_layout = {
	"HEAP_CHANGED",
	LIST(heap_changed),
	{{VKR_TAIL_ITEMS, "descriptor", offsetof(struct vkr_trace_heap_changed, descriptor_count),
	  &vkr_descriptor_item}}};
const struct vkr_event_layout vkr_trace_shader_samplers_layout = {
	"SHADER_SAMPLERS",
	LIST(shader_samplers),
	{{VKR_TAIL_ITEMS, "sampler", offsetof(struct vkr_trace_shader_samplers, sampler_count),
	  &shader_sampler_item}}};
const struct vkr_event_layout vkr_trace_set_layout_layout = {
	"SET_LAYOUT",
	LIST(set_layout),
	{{VKR_TAIL_ITEMS, "binding", offsetof(struct vkr_trace_set_layout, binding_count),
	  &binding_item},
	 {VKR_TAIL_WORDS, "samplers", offsetof(struct vkr_trace_set_layout, sampler_count), NULL}}};
const struct vkr_event_layout vkr_trace_set_layout = {"SET", LIST(set), {{0}}};
const struct vkr_event_layout vkr_trace_set_destroy_layout = {
	"SET_DESTROY", LIST(set_destroy), {{0}}};
const struct vkr_event_layout vkr_trace_set_write_layout = {
	"SET_WRITE",
	LIST(set_write),
	{{VKR_TAIL_ITEMS, "descriptor", offsetof(struct vkr_trace_set_write, descriptor_count),
	  &vkr_descriptor_item}}};
const struct vkr_event_layout vkr_trace_set_copy_layout = {"SET_COPY", LIST(set_copy), {{0}}};
const struct vkr_event_layout vkr_trace_pipeline_layout_layout = {
	"PIPELINE_LAYOUT",
	LIST(pipeline_layout),
	{{VKR_TAIL_WORDS, "sets", offsetof(struct vkr_trace_pipeline_layout, set_count), NULL}}};
const struct vkr_event_layout vkr_trace_shader_layout = {
	"SHADER",
	LIST(shader),
	{{VKR_TAIL_SITES, "sites", offsetof(struct vkr_trace_shader, sites_bytes), NULL}}};
const struct vkr_event_layout vkr_trace_pipeline_layout = {
	"PIPELINE",
	LIST(pipeline),
	{{VKR_TAIL_WORDS, "shaders", offsetof(struct vkr_trace_pipeline, shader_count), NULL}}};
const struct vkr_event_layout vkr_trace_pipeline_destroy_layout = {
	"PIPELINE_DESTROY", LIST(pipeline_destroy), {{0}}};
const struct vkr_event_layout vkr_trace_command_buffer_layout = {
	"COMMAND_BUFFER", LIST(command_buffer), {{0}}};
const struct vkr_event_layout vkr_trace_recording_layout = {
	"RECORDING",
	LIST(recording),
	{{VKR_TAIL_EVENTS, "events", offsetof(struct vkr_trace_recording, event_bytes), NULL}}};
const struct vkr_event_layout vkr_trace_command_buffer_destroy_layout = {
	"COMMAND_BUFFER_DESTROY", LIST(command_buffer_destroy), {{0}}};
