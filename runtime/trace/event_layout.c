// SPDX-License-Identifier: Apache-2.0
#include "event_layout.h"

#include <string.h>

#define FIELD(structure, member, form)                                                             \
	{                                                                                          \
#member, offsetof(struct vkr_trace_##structure, member),                           \
			sizeof(((struct vkr_trace_##structure *)0)->member), 1, VKR_FIELD_##form,  \
			NULL                                                                       \
	}
#define ARRAY(structure, member, form)                                                             \
	{                                                                                          \
#member, offsetof(struct vkr_trace_##structure, member),                           \
			sizeof(((struct vkr_trace_##structure *)0)->member[0]),                    \
			sizeof(((struct vkr_trace_##structure *)0)->member) /                      \
				sizeof(((struct vkr_trace_##structure *)0)->member[0]),            \
			VKR_FIELD_##form, NULL                                                     \
	}
#define NAMED(structure, member, names)                                                            \
	{                                                                                          \
#member, offsetof(struct vkr_trace_##structure, member),                           \
			sizeof(((struct vkr_trace_##structure *)0)->member), 1, VKR_FIELD_NAMED,   \
			names                                                                      \
	}
#define ID_FIELDS(structure, member)                                                               \
	{                                                                                          \
		FIELD(structure, member, NUMBER), FIELD(structure, reserved, RESERVED)             \
	}
#define LIST(structure)                                                                            \
	{                                                                                          \
		structure##_fields, sizeof structure##_fields / sizeof structure##_fields[0],      \
			sizeof(struct vkr_trace_##structure)                                       \
	}

static const struct vkr_field_name object_names[] = {
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
	{0, NULL}};
static const struct vkr_field_name coverage_names[] = {
	{VKR_COVERAGE_SHADER, "shader"},       {VKR_COVERAGE_COMMAND, "command"},
	{VKR_COVERAGE_EXTENSION, "extension"}, {VKR_COVERAGE_LOG, "log"},
	{VKR_COVERAGE_DEVICE, "device"},       {VKR_COVERAGE_MEMORY, "memory"},
	{VKR_COVERAGE_HOST, "host"},           {VKR_COVERAGE_TRACE, "trace"},
	{VKR_COVERAGE_SYNC, "sync"},           {0, NULL}};
static const struct vkr_field_name host_names[] = {
	{VKR_HOST_READ, "read"}, {VKR_HOST_WRITE, "write"}, {VKR_HOST_ATOMIC, "atomic"}, {0, NULL}};
static const struct vkr_field_name end_names[] = {
	{VKR_END_EXIT, "exit"}, {VKR_END_SIGNAL, "signal"}, {0, NULL}};
static const struct vkr_field_name barrier_names[] = {{VKR_BARRIER_EXECUTION, "execution"},
						      {VKR_BARRIER_MEMORY, "memory"},
						      {VKR_BARRIER_BUFFER, "buffer"},
						      {VKR_BARRIER_IMAGE, "image"},
						      {0, NULL}};

static const struct vkr_field binding_fields[] = {
	FIELD(binding, binding, NUMBER), FIELD(binding, type, NUMBER),
	FIELD(binding, count, NUMBER),   FIELD(binding, stages, FLAGS),
	FIELD(binding, flags, FLAGS),    FIELD(binding, reserved, RESERVED)};
static const struct vkr_field descriptor_fields[] = {
	FIELD(descriptor, object, NUMBER), FIELD(descriptor, reserved, RESERVED),
	FIELD(descriptor, offset, NUMBER), FIELD(descriptor, bytes, SIZE)};
static const struct vkr_field copy_fields[] = {FIELD(copy, source_offset, NUMBER),
					       FIELD(copy, destination_offset, NUMBER),
					       FIELD(copy, bytes, NUMBER)};
static const struct vkr_field barrier_fields[] = {NAMED(barrier, kind, barrier_names),
						  FIELD(barrier, object, NUMBER),
						  FIELD(barrier, source_stages, FLAGS),
						  FIELD(barrier, source_access, FLAGS),
						  FIELD(barrier, destination_stages, FLAGS),
						  FIELD(barrier, destination_access, FLAGS),
						  FIELD(barrier, offset, NUMBER),
						  FIELD(barrier, bytes, NUMBER),
						  FIELD(barrier, source_family, OPTIONAL),
						  FIELD(barrier, destination_family, OPTIONAL)};
static const struct vkr_field range_fields[] = {FIELD(range, offset, NUMBER),
						FIELD(range, bytes, NUMBER)};
static const struct vkr_field batch_fields[] = {
	FIELD(batch, wait_count, NUMBER), FIELD(batch, execution_count, NUMBER),
	FIELD(batch, signal_count, NUMBER), FIELD(batch, reserved, RESERVED)};
static const struct vkr_field semaphore_operation_fields[] = {
	FIELD(semaphore_operation, semaphore, NUMBER),
	FIELD(semaphore_operation, reserved, RESERVED), FIELD(semaphore_operation, value, NUMBER),
	FIELD(semaphore_operation, stages, FLAGS)};
static const struct vkr_field execution_fields[] = {FIELD(execution, execution, NUMBER),
						    FIELD(execution, recording, NUMBER)};
static const struct vkr_field subpass_dependency_fields[] = {
	FIELD(subpass_dependency, source, OPTIONAL),
	FIELD(subpass_dependency, destination, OPTIONAL),
	FIELD(subpass_dependency, source_stages, FLAGS),
	FIELD(subpass_dependency, source_access, FLAGS),
	FIELD(subpass_dependency, destination_stages, FLAGS),
	FIELD(subpass_dependency, destination_access, FLAGS),
	FIELD(subpass_dependency, flags, FLAGS),
	FIELD(subpass_dependency, reserved, RESERVED)};
static const struct vkr_field event_wait_fields[] = {FIELD(event_wait, event, NUMBER),
						     FIELD(event_wait, barrier_count, NUMBER)};
static const struct vkr_field_list binding_item = LIST(binding);
static const struct vkr_field_list subpass_dependency_item = LIST(subpass_dependency);
static const struct vkr_field_list event_wait_item = LIST(event_wait);
static const struct vkr_field_list descriptor_item = LIST(descriptor);
static const struct vkr_field_list copy_item = LIST(copy);
static const struct vkr_field_list barrier_item = LIST(barrier);
static const struct vkr_field_list range_item = LIST(range);
static const struct vkr_field_list batch_item = LIST(batch);
static const struct vkr_field_list semaphore_operation_item = LIST(semaphore_operation);
static const struct vkr_field_list execution_item = LIST(execution);
static const struct vkr_field run_begin_fields[] = {FIELD(run_begin, time_ns, NUMBER),
						    FIELD(run_begin, process, NUMBER),
						    FIELD(run_begin, text_bytes, COUNT)};
static const struct vkr_field thread_fields[] = {
	FIELD(thread, thread, NUMBER), FIELD(thread, system_id, NUMBER),
	FIELD(thread, text_bytes, COUNT), FIELD(thread, reserved, RESERVED)};
static const struct vkr_field device_fields[] = {FIELD(device, device, NUMBER),
						 FIELD(device, api_version, VERSION),
						 FIELD(device, driver_version, NUMBER),
						 FIELD(device, vendor, NUMBER),
						 FIELD(device, subgroup_size, NUMBER),
						 FIELD(device, flags, FLAGS),
						 FIELD(device, non_coherent_atom, NUMBER),
						 FIELD(device, text_bytes, COUNT),
						 FIELD(device, reserved, RESERVED)};
static const struct vkr_field device_destroy_fields[] = ID_FIELDS(device_destroy, device);
static const struct vkr_field queue_fields[] = {
	FIELD(queue, queue, NUMBER),      FIELD(queue, device, NUMBER),
	FIELD(queue, family, NUMBER),     FIELD(queue, index, NUMBER),
	FIELD(queue, queue_flags, FLAGS), FIELD(queue, reserved, RESERVED)};
static const struct vkr_field name_fields[] = {
	NAMED(name, kind, object_names), FIELD(name, object, NUMBER),
	FIELD(name, text_bytes, COUNT), FIELD(name, reserved, RESERVED)};
static const struct vkr_field coverage_fields[] = {
	NAMED(coverage, kind, coverage_names), FIELD(coverage, object, NUMBER),
	FIELD(coverage, amount, NUMBER), FIELD(coverage, text_bytes, COUNT),
	FIELD(coverage, reserved, RESERVED)};
static const struct vkr_field run_end_fields[] = {NAMED(run_end, status, end_names),
						  FIELD(run_end, reserved, RESERVED)};
static const struct vkr_field memory_fields[] = {
	FIELD(memory, memory, NUMBER),        FIELD(memory, device, NUMBER),
	FIELD(memory, bytes, NUMBER),         FIELD(memory, handle, HEX),
	FIELD(memory, property_flags, FLAGS), FIELD(memory, flags, FLAGS)};
static const struct vkr_field memory_free_fields[] = ID_FIELDS(memory_free, memory);
static const struct vkr_field map_fields[] = {
	FIELD(map, memory, NUMBER), FIELD(map, reserved, RESERVED), FIELD(map, offset, NUMBER),
	FIELD(map, bytes, NUMBER)};
static const struct vkr_field unmap_fields[] = ID_FIELDS(unmap, memory);
static const struct vkr_field flush_fields[] = {
	FIELD(flush, memory, NUMBER), FIELD(flush, reserved, RESERVED),
	FIELD(flush, offset, NUMBER), FIELD(flush, bytes, NUMBER)};
static const struct vkr_field invalidate_fields[] = {
	FIELD(invalidate, memory, NUMBER), FIELD(invalidate, reserved, RESERVED),
	FIELD(invalidate, offset, NUMBER), FIELD(invalidate, bytes, NUMBER)};
static const struct vkr_field host_access_fields[] = {
	FIELD(host_access, memory, NUMBER),     NAMED(host_access, operation, host_names),
	FIELD(host_access, offset, NUMBER),     FIELD(host_access, bytes, NUMBER),
	FIELD(host_access, frame_count, COUNT), FIELD(host_access, reserved, RESERVED)};
static const struct vkr_field buffer_fields[] = {
	FIELD(buffer, buffer, NUMBER), FIELD(buffer, device, NUMBER), FIELD(buffer, bytes, NUMBER),
	FIELD(buffer, handle, HEX),    FIELD(buffer, usage, FLAGS),   FIELD(buffer, flags, FLAGS)};
static const struct vkr_field buffer_bind_fields[] = {FIELD(buffer_bind, buffer, NUMBER),
						      FIELD(buffer_bind, memory, NUMBER),
						      FIELD(buffer_bind, offset, NUMBER)};
static const struct vkr_field buffer_destroy_fields[] = ID_FIELDS(buffer_destroy, buffer);
static const struct vkr_field buffer_address_fields[] = {FIELD(buffer_address, buffer, NUMBER),
							 FIELD(buffer_address, reserved, RESERVED),
							 FIELD(buffer_address, address, HEX)};
static const struct vkr_field buffer_view_fields[] = {
	FIELD(buffer_view, view, NUMBER),   FIELD(buffer_view, buffer, NUMBER),
	FIELD(buffer_view, offset, NUMBER), FIELD(buffer_view, bytes, NUMBER),
	FIELD(buffer_view, format, NUMBER), FIELD(buffer_view, reserved, RESERVED)};
static const struct vkr_field buffer_view_destroy_fields[] = ID_FIELDS(buffer_view_destroy, view);
static const struct vkr_field set_layout_fields[] = {
	FIELD(set_layout, layout, NUMBER), FIELD(set_layout, device, NUMBER),
	FIELD(set_layout, flags, FLAGS), FIELD(set_layout, binding_count, COUNT)};
static const struct vkr_field set_fields[] = {
	FIELD(set, set, NUMBER), FIELD(set, layout, NUMBER), FIELD(set, variable_count, OPTIONAL),
	FIELD(set, reserved, RESERVED), FIELD(set, handle, HEX)};
static const struct vkr_field set_destroy_fields[] = ID_FIELDS(set_destroy, set);
static const struct vkr_field set_write_fields[] = {FIELD(set_write, set, NUMBER),
						    FIELD(set_write, binding, NUMBER),
						    FIELD(set_write, element, NUMBER),
						    FIELD(set_write, type, NUMBER),
						    FIELD(set_write, descriptor_count, COUNT),
						    FIELD(set_write, reserved, RESERVED)};
static const struct vkr_field set_copy_fields[] = {
	FIELD(set_copy, source_set, NUMBER),       FIELD(set_copy, source_binding, NUMBER),
	FIELD(set_copy, source_element, NUMBER),   FIELD(set_copy, set, NUMBER),
	FIELD(set_copy, binding, NUMBER),          FIELD(set_copy, element, NUMBER),
	FIELD(set_copy, descriptor_count, NUMBER), FIELD(set_copy, reserved, RESERVED)};
static const struct vkr_field pipeline_layout_fields[] = {FIELD(pipeline_layout, layout, NUMBER),
							  FIELD(pipeline_layout, set_count, COUNT)};
static const struct vkr_field shader_fields[] = {
	FIELD(shader, shader, NUMBER), FIELD(shader, sites_bytes, COUNT),
	FIELD(shader, content_hash, HEX), FIELD(shader, stage, NUMBER),
	FIELD(shader, flags, FLAGS)};
static const struct vkr_field pipeline_fields[] = {
	FIELD(pipeline, pipeline, NUMBER),    FIELD(pipeline, device, NUMBER),
	FIELD(pipeline, bind_point, NUMBER),  FIELD(pipeline, layout, NUMBER),
	FIELD(pipeline, shader_count, COUNT), FIELD(pipeline, reserved, RESERVED)};
static const struct vkr_field pipeline_destroy_fields[] = ID_FIELDS(pipeline_destroy, pipeline);
static const struct vkr_field render_pass_fields[] = {
	FIELD(render_pass, render_pass, NUMBER),      FIELD(render_pass, device, NUMBER),
	FIELD(render_pass, attachment_count, NUMBER), FIELD(render_pass, subpass_count, NUMBER),
	FIELD(render_pass, dependency_count, COUNT),  FIELD(render_pass, reserved, RESERVED)};
static const struct vkr_field render_pass_destroy_fields[] =
	ID_FIELDS(render_pass_destroy, render_pass);
static const struct vkr_field cmd_set_event_fields[] = {
	FIELD(cmd_set_event, command, NUMBER),         FIELD(cmd_set_event, event, NUMBER),
	FIELD(cmd_set_event, dependency_flags, FLAGS), FIELD(cmd_set_event, flags, FLAGS),
	FIELD(cmd_set_event, barrier_count, COUNT),    FIELD(cmd_set_event, reserved, RESERVED)};
static const struct vkr_field cmd_reset_event_fields[] = {FIELD(cmd_reset_event, command, NUMBER),
							  FIELD(cmd_reset_event, event, NUMBER),
							  FIELD(cmd_reset_event, stages, FLAGS)};
static const struct vkr_field cmd_wait_events_fields[] = {
	FIELD(cmd_wait_events, command, NUMBER), FIELD(cmd_wait_events, flags, FLAGS),
	FIELD(cmd_wait_events, wait_count, COUNT), FIELD(cmd_wait_events, barrier_count, COUNT)};
static const struct vkr_field cmd_begin_render_pass_fields[] = {
	FIELD(cmd_begin_render_pass, command, NUMBER),
	FIELD(cmd_begin_render_pass, render_pass, NUMBER)};
static const struct vkr_field cmd_next_subpass_fields[] = ID_FIELDS(cmd_next_subpass, command);
static const struct vkr_field cmd_end_render_pass_fields[] =
	ID_FIELDS(cmd_end_render_pass, command);
static const struct vkr_field sync_event_fields[] = {
	FIELD(sync_event, event, NUMBER), FIELD(sync_event, device, NUMBER),
	FIELD(sync_event, flags, FLAGS), FIELD(sync_event, reserved, RESERVED)};
static const struct vkr_field sync_event_destroy_fields[] = ID_FIELDS(sync_event_destroy, event);
static const struct vkr_field sync_event_set_fields[] = ID_FIELDS(sync_event_set, event);
static const struct vkr_field sync_event_reset_fields[] = ID_FIELDS(sync_event_reset, event);
static const struct vkr_field sync_event_seen_fields[] = ID_FIELDS(sync_event_seen, event);
static const struct vkr_field command_buffer_fields[] = {
	FIELD(command_buffer, command_buffer, NUMBER), FIELD(command_buffer, queue_family, NUMBER),
	FIELD(command_buffer, level, NUMBER), FIELD(command_buffer, reserved, RESERVED),
	FIELD(command_buffer, handle, HEX)};
static const struct vkr_field recording_fields[] = {
	FIELD(recording, recording, NUMBER),  FIELD(recording, command_buffer, NUMBER),
	FIELD(recording, usage, FLAGS),       FIELD(recording, command_count, NUMBER),
	FIELD(recording, event_bytes, COUNT), FIELD(recording, reserved, RESERVED)};
static const struct vkr_field command_buffer_destroy_fields[] =
	ID_FIELDS(command_buffer_destroy, command_buffer);
static const struct vkr_field cmd_bind_pipeline_fields[] = {
	FIELD(cmd_bind_pipeline, bind_point, NUMBER), FIELD(cmd_bind_pipeline, pipeline, NUMBER)};
static const struct vkr_field cmd_bind_sets_fields[] = {
	FIELD(cmd_bind_sets, bind_point, NUMBER),   FIELD(cmd_bind_sets, layout, NUMBER),
	FIELD(cmd_bind_sets, first_set, NUMBER),    FIELD(cmd_bind_sets, set_count, COUNT),
	FIELD(cmd_bind_sets, dynamic_count, COUNT), FIELD(cmd_bind_sets, reserved, RESERVED)};
static const struct vkr_field cmd_push_set_fields[] = {
	FIELD(cmd_push_set, bind_point, NUMBER),      FIELD(cmd_push_set, layout, NUMBER),
	FIELD(cmd_push_set, set_number, NUMBER),      FIELD(cmd_push_set, binding, NUMBER),
	FIELD(cmd_push_set, element, NUMBER),         FIELD(cmd_push_set, type, NUMBER),
	FIELD(cmd_push_set, descriptor_count, COUNT), FIELD(cmd_push_set, reserved, RESERVED)};
static const struct vkr_field cmd_dispatch_fields[] = {
	FIELD(cmd_dispatch, command, NUMBER), FIELD(cmd_dispatch, reserved, RESERVED),
	ARRAY(cmd_dispatch, base, NUMBER), ARRAY(cmd_dispatch, groups, NUMBER)};
static const struct vkr_field cmd_dispatch_indirect_fields[] = {
	FIELD(cmd_dispatch_indirect, command, NUMBER), FIELD(cmd_dispatch_indirect, buffer, NUMBER),
	FIELD(cmd_dispatch_indirect, offset, NUMBER)};
static const struct vkr_field cmd_copy_buffer_fields[] = {
	FIELD(cmd_copy_buffer, command, NUMBER), FIELD(cmd_copy_buffer, source, NUMBER),
	FIELD(cmd_copy_buffer, destination, NUMBER), FIELD(cmd_copy_buffer, region_count, COUNT)};
static const struct vkr_field cmd_fill_buffer_fields[] = {
	FIELD(cmd_fill_buffer, command, NUMBER), FIELD(cmd_fill_buffer, buffer, NUMBER),
	FIELD(cmd_fill_buffer, offset, NUMBER), FIELD(cmd_fill_buffer, bytes, NUMBER)};
static const struct vkr_field cmd_update_buffer_fields[] = {
	FIELD(cmd_update_buffer, command, NUMBER), FIELD(cmd_update_buffer, buffer, NUMBER),
	FIELD(cmd_update_buffer, offset, NUMBER), FIELD(cmd_update_buffer, bytes, NUMBER)};
static const struct vkr_field cmd_barrier_fields[] = {
	FIELD(cmd_barrier, command, NUMBER), FIELD(cmd_barrier, dependency_flags, FLAGS),
	FIELD(cmd_barrier, barrier_count, COUNT), FIELD(cmd_barrier, flags, FLAGS)};
static const struct vkr_field cmd_execute_fields[] = {FIELD(cmd_execute, command, NUMBER),
						      FIELD(cmd_execute, recording, NUMBER)};
static const struct vkr_field cmd_label_begin_fields[] = {
	FIELD(cmd_label_begin, text_bytes, COUNT), FIELD(cmd_label_begin, reserved, RESERVED)};
static const struct vkr_field cmd_label_end_fields[] = {ARRAY(cmd_label_end, reserved, RESERVED)};
static const struct vkr_field cmd_label_fields[] = {FIELD(cmd_label, text_bytes, COUNT),
						    FIELD(cmd_label, reserved, RESERVED)};
static const struct vkr_field cmd_other_fields[] = {
	FIELD(cmd_other, command, NUMBER), FIELD(cmd_other, flags, FLAGS),
	FIELD(cmd_other, text_bytes, COUNT), FIELD(cmd_other, reserved, RESERVED)};
static const struct vkr_field cmd_copy_buffer_image_fields[] = {
	FIELD(cmd_copy_buffer_image, command, NUMBER), FIELD(cmd_copy_buffer_image, buffer, NUMBER),
	FIELD(cmd_copy_buffer_image, to_image, NUMBER),
	FIELD(cmd_copy_buffer_image, range_count, COUNT)};
static const struct vkr_field submit_fields[] = {
	FIELD(submit, submission, NUMBER),  FIELD(submit, queue, NUMBER),
	FIELD(submit, fence, NUMBER),       FIELD(submit, batch_count, COUNT),
	FIELD(submit, wait_count, COUNT),   FIELD(submit, execution_count, COUNT),
	FIELD(submit, signal_count, COUNT), FIELD(submit, reserved, RESERVED)};
static const struct vkr_field submit_failed_fields[] = {FIELD(submit_failed, submission, NUMBER),
							FIELD(submit_failed, result, NUMBER)};
static const struct vkr_field gpu_log_fields[] = {FIELD(gpu_log, execution, NUMBER),
						  FIELD(gpu_log, word_count, COUNT),
						  FIELD(gpu_log, first_word, NUMBER)};
static const struct vkr_field execution_end_fields[] = {FIELD(execution_end, execution, NUMBER),
							FIELD(execution_end, flags, FLAGS),
							FIELD(execution_end, lost_words, NUMBER)};
static const struct vkr_field fence_fields[] = {
	FIELD(fence, fence, NUMBER), FIELD(fence, device, NUMBER), FIELD(fence, signaled, NUMBER),
	FIELD(fence, reserved, RESERVED)};
static const struct vkr_field fence_destroy_fields[] = ID_FIELDS(fence_destroy, fence);
static const struct vkr_field fence_reset_fields[] = ID_FIELDS(fence_reset, fence);
static const struct vkr_field fence_wait_fields[] = ID_FIELDS(fence_wait, fence);
static const struct vkr_field queue_idle_fields[] = ID_FIELDS(queue_idle, queue);
static const struct vkr_field device_idle_fields[] = ID_FIELDS(device_idle, device);
static const struct vkr_field semaphore_fields[] = {
	FIELD(semaphore, semaphore, NUMBER), FIELD(semaphore, device, NUMBER),
	FIELD(semaphore, type, NUMBER), FIELD(semaphore, reserved, RESERVED),
	FIELD(semaphore, value, NUMBER)};
static const struct vkr_field semaphore_destroy_fields[] = ID_FIELDS(semaphore_destroy, semaphore);
static const struct vkr_field semaphore_signal_fields[] = {
	FIELD(semaphore_signal, semaphore, NUMBER), FIELD(semaphore_signal, reserved, RESERVED),
	FIELD(semaphore_signal, value, NUMBER)};
static const struct vkr_field semaphore_wait_fields[] = {FIELD(semaphore_wait, semaphore, NUMBER),
							 FIELD(semaphore_wait, reserved, RESERVED),
							 FIELD(semaphore_wait, value, NUMBER)};

static const struct vkr_event_layout vkr_trace_run_begin_layout = {
	"RUN_BEGIN",
	LIST(run_begin),
	{{VKR_TAIL_TEXT, "command", offsetof(struct vkr_trace_run_begin, text_bytes), NULL}}};
static const struct vkr_event_layout vkr_trace_thread_layout = {
	"THREAD",
	LIST(thread),
	{{VKR_TAIL_TEXT, "name", offsetof(struct vkr_trace_thread, text_bytes), NULL}}};
static const struct vkr_event_layout vkr_trace_device_layout = {
	"DEVICE",
	LIST(device),
	{{VKR_TAIL_TEXT, "name", offsetof(struct vkr_trace_device, text_bytes), NULL}}};
static const struct vkr_event_layout vkr_trace_device_destroy_layout = {
	"DEVICE_DESTROY", LIST(device_destroy), {{0}}};
static const struct vkr_event_layout vkr_trace_queue_layout = {"QUEUE", LIST(queue), {{0}}};
static const struct vkr_event_layout vkr_trace_name_layout = {
	"NAME",
	LIST(name),
	{{VKR_TAIL_TEXT, "name", offsetof(struct vkr_trace_name, text_bytes), NULL}}};
static const struct vkr_event_layout vkr_trace_coverage_layout = {
	"COVERAGE",
	LIST(coverage),
	{{VKR_TAIL_TEXT, "text", offsetof(struct vkr_trace_coverage, text_bytes), NULL}}};
static const struct vkr_event_layout vkr_trace_run_end_layout = {"RUN_END", LIST(run_end), {{0}}};
static const struct vkr_event_layout vkr_trace_memory_layout = {"MEMORY", LIST(memory), {{0}}};
static const struct vkr_event_layout vkr_trace_memory_free_layout = {
	"MEMORY_FREE", LIST(memory_free), {{0}}};
static const struct vkr_event_layout vkr_trace_map_layout = {"MAP", LIST(map), {{0}}};
static const struct vkr_event_layout vkr_trace_unmap_layout = {"UNMAP", LIST(unmap), {{0}}};
static const struct vkr_event_layout vkr_trace_flush_layout = {"FLUSH", LIST(flush), {{0}}};
static const struct vkr_event_layout vkr_trace_invalidate_layout = {
	"INVALIDATE", LIST(invalidate), {{0}}};
static const struct vkr_event_layout vkr_trace_host_access_layout = {
	"HOST_ACCESS",
	LIST(host_access),
	{{VKR_TAIL_FRAMES, "frames", offsetof(struct vkr_trace_host_access, frame_count), NULL}}};
static const struct vkr_event_layout vkr_trace_buffer_layout = {"BUFFER", LIST(buffer), {{0}}};
static const struct vkr_event_layout vkr_trace_buffer_bind_layout = {
	"BUFFER_BIND", LIST(buffer_bind), {{0}}};
static const struct vkr_event_layout vkr_trace_buffer_destroy_layout = {
	"BUFFER_DESTROY", LIST(buffer_destroy), {{0}}};
static const struct vkr_event_layout vkr_trace_buffer_address_layout = {
	"BUFFER_ADDRESS", LIST(buffer_address), {{0}}};
static const struct vkr_event_layout vkr_trace_buffer_view_layout = {
	"BUFFER_VIEW", LIST(buffer_view), {{0}}};
static const struct vkr_event_layout vkr_trace_buffer_view_destroy_layout = {
	"BUFFER_VIEW_DESTROY", LIST(buffer_view_destroy), {{0}}};
static const struct vkr_event_layout vkr_trace_set_layout_layout = {
	"SET_LAYOUT",
	LIST(set_layout),
	{{VKR_TAIL_ITEMS, "binding", offsetof(struct vkr_trace_set_layout, binding_count),
	  &binding_item}}};
static const struct vkr_event_layout vkr_trace_set_layout = {"SET", LIST(set), {{0}}};
static const struct vkr_event_layout vkr_trace_set_destroy_layout = {
	"SET_DESTROY", LIST(set_destroy), {{0}}};
static const struct vkr_event_layout vkr_trace_set_write_layout = {
	"SET_WRITE",
	LIST(set_write),
	{{VKR_TAIL_ITEMS, "descriptor", offsetof(struct vkr_trace_set_write, descriptor_count),
	  &descriptor_item}}};
static const struct vkr_event_layout vkr_trace_set_copy_layout = {
	"SET_COPY", LIST(set_copy), {{0}}};
static const struct vkr_event_layout vkr_trace_pipeline_layout_layout = {
	"PIPELINE_LAYOUT",
	LIST(pipeline_layout),
	{{VKR_TAIL_WORDS, "sets", offsetof(struct vkr_trace_pipeline_layout, set_count), NULL}}};
static const struct vkr_event_layout vkr_trace_shader_layout = {
	"SHADER",
	LIST(shader),
	{{VKR_TAIL_SITES, "sites", offsetof(struct vkr_trace_shader, sites_bytes), NULL}}};
static const struct vkr_event_layout vkr_trace_pipeline_layout = {
	"PIPELINE",
	LIST(pipeline),
	{{VKR_TAIL_WORDS, "shaders", offsetof(struct vkr_trace_pipeline, shader_count), NULL}}};
static const struct vkr_event_layout vkr_trace_pipeline_destroy_layout = {
	"PIPELINE_DESTROY", LIST(pipeline_destroy), {{0}}};
static const struct vkr_event_layout vkr_trace_command_buffer_layout = {
	"COMMAND_BUFFER", LIST(command_buffer), {{0}}};
static const struct vkr_event_layout vkr_trace_recording_layout = {
	"RECORDING",
	LIST(recording),
	{{VKR_TAIL_EVENTS, "events", offsetof(struct vkr_trace_recording, event_bytes), NULL}}};
static const struct vkr_event_layout vkr_trace_command_buffer_destroy_layout = {
	"COMMAND_BUFFER_DESTROY", LIST(command_buffer_destroy), {{0}}};
static const struct vkr_event_layout vkr_trace_cmd_bind_pipeline_layout = {
	"CMD_BIND_PIPELINE", LIST(cmd_bind_pipeline), {{0}}};
static const struct vkr_event_layout vkr_trace_cmd_bind_sets_layout = {
	"CMD_BIND_SETS",
	LIST(cmd_bind_sets),
	{{VKR_TAIL_WORDS, "sets", offsetof(struct vkr_trace_cmd_bind_sets, set_count), NULL},
	 {VKR_TAIL_WORDS, "dynamic", offsetof(struct vkr_trace_cmd_bind_sets, dynamic_count),
	  NULL}}};
static const struct vkr_event_layout vkr_trace_cmd_push_set_layout = {
	"CMD_PUSH_SET",
	LIST(cmd_push_set),
	{{VKR_TAIL_ITEMS, "descriptor", offsetof(struct vkr_trace_cmd_push_set, descriptor_count),
	  &descriptor_item}}};
static const struct vkr_event_layout vkr_trace_cmd_dispatch_layout = {
	"CMD_DISPATCH", LIST(cmd_dispatch), {{0}}};
static const struct vkr_event_layout vkr_trace_cmd_dispatch_indirect_layout = {
	"CMD_DISPATCH_INDIRECT", LIST(cmd_dispatch_indirect), {{0}}};
static const struct vkr_event_layout vkr_trace_cmd_copy_buffer_layout = {
	"CMD_COPY_BUFFER",
	LIST(cmd_copy_buffer),
	{{VKR_TAIL_ITEMS, "region", offsetof(struct vkr_trace_cmd_copy_buffer, region_count),
	  &copy_item}}};
static const struct vkr_event_layout vkr_trace_cmd_fill_buffer_layout = {
	"CMD_FILL_BUFFER", LIST(cmd_fill_buffer), {{0}}};
static const struct vkr_event_layout vkr_trace_cmd_update_buffer_layout = {
	"CMD_UPDATE_BUFFER", LIST(cmd_update_buffer), {{0}}};
static const struct vkr_event_layout vkr_trace_cmd_barrier_layout = {
	"CMD_BARRIER",
	LIST(cmd_barrier),
	{{VKR_TAIL_ITEMS, "barrier", offsetof(struct vkr_trace_cmd_barrier, barrier_count),
	  &barrier_item}}};
static const struct vkr_event_layout vkr_trace_cmd_execute_layout = {
	"CMD_EXECUTE", LIST(cmd_execute), {{0}}};
static const struct vkr_event_layout vkr_trace_cmd_label_begin_layout = {
	"CMD_LABEL_BEGIN",
	LIST(cmd_label_begin),
	{{VKR_TAIL_TEXT, "label", offsetof(struct vkr_trace_cmd_label_begin, text_bytes), NULL}}};
static const struct vkr_event_layout vkr_trace_cmd_label_end_layout = {
	"CMD_LABEL_END", LIST(cmd_label_end), {{0}}};
static const struct vkr_event_layout vkr_trace_cmd_label_layout = {
	"CMD_LABEL",
	LIST(cmd_label),
	{{VKR_TAIL_TEXT, "label", offsetof(struct vkr_trace_cmd_label, text_bytes), NULL}}};
static const struct vkr_event_layout vkr_trace_cmd_other_layout = {
	"CMD_OTHER",
	LIST(cmd_other),
	{{VKR_TAIL_TEXT, "name", offsetof(struct vkr_trace_cmd_other, text_bytes), NULL}}};
static const struct vkr_event_layout vkr_trace_cmd_copy_buffer_image_layout = {
	"CMD_COPY_BUFFER_IMAGE",
	LIST(cmd_copy_buffer_image),
	{{VKR_TAIL_ITEMS, "range", offsetof(struct vkr_trace_cmd_copy_buffer_image, range_count),
	  &range_item}}};
static const struct vkr_event_layout vkr_trace_submit_layout = {
	"SUBMIT",
	LIST(submit),
	{{VKR_TAIL_ITEMS, "batch", offsetof(struct vkr_trace_submit, batch_count), &batch_item},
	 {VKR_TAIL_ITEMS, "wait", offsetof(struct vkr_trace_submit, wait_count),
	  &semaphore_operation_item},
	 {VKR_TAIL_ITEMS, "execution", offsetof(struct vkr_trace_submit, execution_count),
	  &execution_item},
	 {VKR_TAIL_ITEMS, "signal", offsetof(struct vkr_trace_submit, signal_count),
	  &semaphore_operation_item}}};
static const struct vkr_event_layout vkr_trace_submit_failed_layout = {
	"SUBMIT_FAILED", LIST(submit_failed), {{0}}};
static const struct vkr_event_layout vkr_trace_gpu_log_layout = {
	"GPU_LOG",
	LIST(gpu_log),
	{{VKR_TAIL_LOG, "words", offsetof(struct vkr_trace_gpu_log, word_count), NULL}}};
static const struct vkr_event_layout vkr_trace_execution_end_layout = {
	"EXECUTION_END", LIST(execution_end), {{0}}};
static const struct vkr_event_layout vkr_trace_fence_layout = {"FENCE", LIST(fence), {{0}}};
static const struct vkr_event_layout vkr_trace_fence_destroy_layout = {
	"FENCE_DESTROY", LIST(fence_destroy), {{0}}};
static const struct vkr_event_layout vkr_trace_fence_reset_layout = {
	"FENCE_RESET", LIST(fence_reset), {{0}}};
static const struct vkr_event_layout vkr_trace_fence_wait_layout = {
	"FENCE_WAIT", LIST(fence_wait), {{0}}};
static const struct vkr_event_layout vkr_trace_queue_idle_layout = {
	"QUEUE_IDLE", LIST(queue_idle), {{0}}};
static const struct vkr_event_layout vkr_trace_device_idle_layout = {
	"DEVICE_IDLE", LIST(device_idle), {{0}}};
static const struct vkr_event_layout vkr_trace_semaphore_layout = {
	"SEMAPHORE", LIST(semaphore), {{0}}};
static const struct vkr_event_layout vkr_trace_semaphore_destroy_layout = {
	"SEMAPHORE_DESTROY", LIST(semaphore_destroy), {{0}}};
static const struct vkr_event_layout vkr_trace_semaphore_signal_layout = {
	"SEMAPHORE_SIGNAL", LIST(semaphore_signal), {{0}}};
static const struct vkr_event_layout vkr_trace_semaphore_wait_layout = {
	"SEMAPHORE_WAIT", LIST(semaphore_wait), {{0}}};

static const struct vkr_event_layout vkr_trace_render_pass_layout = {
	"RENDER_PASS",
	LIST(render_pass),
	{{VKR_TAIL_ITEMS, "dependency", offsetof(struct vkr_trace_render_pass, dependency_count),
	  &subpass_dependency_item}}};
static const struct vkr_event_layout vkr_trace_render_pass_destroy_layout = {
	"RENDER_PASS_DESTROY", LIST(render_pass_destroy), {{0}}};
static const struct vkr_event_layout vkr_trace_cmd_set_event_layout = {
	"CMD_SET_EVENT",
	LIST(cmd_set_event),
	{{VKR_TAIL_ITEMS, "barrier", offsetof(struct vkr_trace_cmd_set_event, barrier_count),
	  &barrier_item}}};
static const struct vkr_event_layout vkr_trace_cmd_reset_event_layout = {
	"CMD_RESET_EVENT", LIST(cmd_reset_event), {{0}}};
static const struct vkr_event_layout vkr_trace_cmd_wait_events_layout = {
	"CMD_WAIT_EVENTS",
	LIST(cmd_wait_events),
	{{VKR_TAIL_ITEMS, "wait", offsetof(struct vkr_trace_cmd_wait_events, wait_count),
	  &event_wait_item},
	 {VKR_TAIL_ITEMS, "barrier", offsetof(struct vkr_trace_cmd_wait_events, barrier_count),
	  &barrier_item}}};
static const struct vkr_event_layout vkr_trace_cmd_begin_render_pass_layout = {
	"CMD_BEGIN_RENDER_PASS", LIST(cmd_begin_render_pass), {{0}}};
static const struct vkr_event_layout vkr_trace_cmd_next_subpass_layout = {
	"CMD_NEXT_SUBPASS", LIST(cmd_next_subpass), {{0}}};
static const struct vkr_event_layout vkr_trace_cmd_end_render_pass_layout = {
	"CMD_END_RENDER_PASS", LIST(cmd_end_render_pass), {{0}}};
static const struct vkr_event_layout vkr_trace_sync_event_layout = {
	"EVENT", LIST(sync_event), {{0}}};
static const struct vkr_event_layout vkr_trace_sync_event_destroy_layout = {
	"EVENT_DESTROY", LIST(sync_event_destroy), {{0}}};
static const struct vkr_event_layout vkr_trace_sync_event_set_layout = {
	"EVENT_SET", LIST(sync_event_set), {{0}}};
static const struct vkr_event_layout vkr_trace_sync_event_reset_layout = {
	"EVENT_RESET", LIST(sync_event_reset), {{0}}};
static const struct vkr_event_layout vkr_trace_sync_event_seen_layout = {
	"EVENT_SEEN", LIST(sync_event_seen), {{0}}};

const struct vkr_event_layout *vkr_event_layout(uint32_t type)
{
	switch (type) {
#define LAYOUT_CASE(name, number, structure, size)                                                 \
	case number:                                                                               \
		return &structure##_layout;
		VKR_TRACE_EVENTS(LAYOUT_CASE)
#undef LAYOUT_CASE
	}
	return NULL;
}

uint64_t vkr_tail_part_bytes(const struct vkr_tail_part *part, uint32_t count)
{
	switch (part->kind) {
	case VKR_TAIL_END:
		return 0;
	case VKR_TAIL_TEXT:
	case VKR_TAIL_SITES:
	case VKR_TAIL_EVENTS:
		return count;
	case VKR_TAIL_ITEMS:
		return (uint64_t)count * part->item->bytes;
	case VKR_TAIL_WORDS:
	case VKR_TAIL_LOG:
		return (uint64_t)count * sizeof(uint32_t);
	case VKR_TAIL_FRAMES:
		return (uint64_t)count * sizeof(uint64_t);
	}
	return 0;
}

uint64_t vkr_field_value(const struct vkr_field *field, const void *structure, unsigned element)
{
	const unsigned char *at = (const unsigned char *)structure + field->offset;
	if (field->bytes == sizeof(uint64_t)) {
		uint64_t value;
		memcpy(&value, at + element * sizeof value, sizeof value);
		return value;
	}
	uint32_t value;
	memcpy(&value, at + element * sizeof value, sizeof value);
	return value;
}

const char *vkr_field_value_name(const struct vkr_field *field, uint64_t value)
{
	for (const struct vkr_field_name *name = field->names; name->name; name++) {
		if (name->value == value)
			return name->name;
	}
	return NULL;
}
