// SPDX-License-Identifier: Apache-2.0
// Builds a trace in memory, event by event, and has it judged. Knows the trace format; nothing of
// what a judgement should be.
#include "trace_builder.h"

#include "chunk_writer.h"
#include "failing_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void put(struct bytes *bytes, const void *items, size_t count)
{
	if (bytes->count + count > bytes->capacity) {
		bytes->capacity = 2 * (bytes->count + count);
		bytes->items = realloc(bytes->items, bytes->capacity);
		assert_non_null(bytes->items);
	}
	if (count > 0)
		memcpy(bytes->items + bytes->count, items, count);
	bytes->count += count;
}

static void put_event(struct bytes *bytes, unsigned type, uint32_t thread, const void *payload,
		      size_t payload_bytes, const void *tail, size_t tail_bytes)
{
	const char zeros[8] = {0};
	const size_t padding = -(payload_bytes + tail_bytes) & 7;
	const size_t all = sizeof(struct vkr_trace_event) + payload_bytes + tail_bytes + padding;
	const struct vkr_trace_event event = {
		.bytes = (uint32_t)all, .type = (uint16_t)type, .thread = thread};
	put(bytes, &event, sizeof event);
	put(bytes, payload, payload_bytes);
	put(bytes, tail, tail_bytes);
	put(bytes, zeros, padding);
}

void tb_event(struct trace_builder *tb, unsigned type, const void *payload, size_t payload_bytes,
	      const void *tail, size_t tail_bytes)
{
	put_event(&tb->events, type, tb->thread > 0 ? tb->thread : 1, payload, payload_bytes, tail,
		  tail_bytes);
}

static void command(struct trace_builder *tb, unsigned type, const void *payload,
		    size_t payload_bytes, const void *tail, size_t tail_bytes)
{
	put_event(&tb->commands, type, tb->caller, payload, payload_bytes, tail, tail_bytes);
}

#define EVENT(tb, type, ...)                                                                       \
	tb_event((tb), VKR_TRACE_##type, &(__VA_ARGS__), sizeof(__VA_ARGS__), NULL, 0)

void tb_init(struct trace_builder *tb)
{
	tb_init_on(tb, 0);
}

void tb_init_on(struct trace_builder *tb, uint32_t device_flags)
{
	memset(tb, 0, sizeof *tb);
	EVENT(tb, RUN_BEGIN, (struct vkr_trace_run_begin){.process = 1});
	EVENT(tb, THREAD, (struct vkr_trace_thread){.thread = 1, .system_id = 100});
	tb->ids[VKR_OBJECT_DEVICE] = 1;
	EVENT(tb, DEVICE,
	      (struct vkr_trace_device){.device = 1,
					.subgroup_size = 8,
					.flags = device_flags,
					.non_coherent_atom = 64});
	tb_queue(tb, 0);
}

void tb_finish(struct trace_builder *tb)
{
	free(tb->events.items);
	free(tb->commands.items);
	free(tb->log.items);
}

void tb_name(struct trace_builder *tb, uint32_t kind, uint32_t object, const char *name)
{
	const struct vkr_trace_name event = {
		.kind = kind, .object = object, .text_bytes = (uint32_t)strlen(name)};
	tb_event(tb, VKR_TRACE_NAME, &event, sizeof event, name, strlen(name));
}

uint32_t tb_queue(struct trace_builder *tb, uint32_t family)
{
	const uint32_t id = ++tb->ids[VKR_OBJECT_QUEUE];
	EVENT(tb, QUEUE, (struct vkr_trace_queue){.queue = id, .device = 1, .family = family});
	return id;
}

uint32_t tb_memory(struct trace_builder *tb, uint64_t bytes, uint32_t property_flags)
{
	const uint32_t id = ++tb->ids[VKR_OBJECT_MEMORY];
	EVENT(tb, MEMORY,
	      (struct vkr_trace_memory){
		      .memory = id, .device = 1, .bytes = bytes, .property_flags = property_flags});
	return id;
}

uint32_t tb_bound_buffer(struct trace_builder *tb, uint32_t memory, uint64_t offset, uint64_t bytes)
{
	const uint32_t id = ++tb->ids[VKR_OBJECT_BUFFER];
	EVENT(tb, BUFFER,
	      (struct vkr_trace_buffer){.buffer = id,
					.device = 1,
					.bytes = bytes,
					.usage = tb->usage,
					.sharing = tb->exclusive ? VK_SHARING_MODE_EXCLUSIVE
								 : VK_SHARING_MODE_CONCURRENT});
	EVENT(tb, BUFFER_BIND,
	      (struct vkr_trace_buffer_bind){.buffer = id, .memory = memory, .offset = offset});
	return id;
}

uint32_t tb_buffer(struct trace_builder *tb, uint64_t bytes, const char *name)
{
	const uint32_t memory = tb_memory(tb, bytes,
					  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
						  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
	const uint32_t buffer = tb_bound_buffer(tb, memory, 0, bytes);
	if (name != NULL)
		tb_name(tb, VKR_OBJECT_BUFFER, buffer, name);
	return buffer;
}

uint32_t tb_set_layout(struct trace_builder *tb, const struct vkr_trace_binding *bindings,
		       uint32_t count)
{
	const uint32_t id = ++tb->ids[VKR_OBJECT_SET_LAYOUT];
	const struct vkr_trace_set_layout event = {
		.layout = id, .device = 1, .binding_count = count};
	tb_event(tb, VKR_TRACE_SET_LAYOUT, &event, sizeof event, bindings,
		 count * sizeof *bindings);
	return id;
}

uint32_t tb_pipeline_layout(struct trace_builder *tb, uint32_t set_layout)
{
	const uint32_t id = ++tb->ids[VKR_OBJECT_PIPELINE_LAYOUT];
	const struct vkr_trace_pipeline_layout event = {.layout = id, .set_count = 1};
	tb_event(tb, VKR_TRACE_PIPELINE_LAYOUT, &event, sizeof event, &set_layout,
		 sizeof set_layout);
	return id;
}

uint32_t tb_set(struct trace_builder *tb, uint32_t layout)
{
	const uint32_t id = ++tb->ids[VKR_OBJECT_SET];
	EVENT(tb, SET,
	      (struct vkr_trace_set){.set = id, .layout = layout, .variable_count = UINT32_MAX});
	return id;
}

void tb_write(struct trace_builder *tb, uint32_t set, uint32_t binding, uint32_t element,
	      uint32_t type, const struct vkr_trace_descriptor *descriptors, uint32_t count)
{
	const struct vkr_trace_set_write event = {.set = set,
						  .binding = binding,
						  .element = element,
						  .type = type,
						  .descriptor_count = count};
	tb_event(tb, VKR_TRACE_SET_WRITE, &event, sizeof event, descriptors,
		 count * sizeof *descriptors);
}

uint32_t tb_pipeline(struct trace_builder *tb, uint32_t bind_point, const uint32_t *shaders,
		     uint32_t count)
{
	const uint32_t id = ++tb->ids[VKR_OBJECT_PIPELINE];
	const struct vkr_trace_pipeline event = {
		.pipeline = id, .device = 1, .bind_point = bind_point, .shader_count = count};
	tb_event(tb, VKR_TRACE_PIPELINE, &event, sizeof event, shaders, count * sizeof *shaders);
	return id;
}

uint32_t tb_shader_pipeline(struct trace_builder *tb, const struct tb_shader *shader,
			    const char *name)
{
	const uint32_t id = tb_shader(tb, shader, name);
	return tb_pipeline(tb, VK_PIPELINE_BIND_POINT_COMPUTE, &id, 1);
}

static uint32_t cut_segments(const struct tb_shader *shader, struct vkr_segment *segments)
{
	uint32_t count = 0, site = 0;
	for (; shader->segments[count] != 0; count++) {
		struct vkr_segment *segment = &segments[count];
		segment->first_site = site;
		segment->site_count = shader->segments[count];
		segment->kind = shader->lists != NULL && shader->lists[count]
					? VKR_SEGMENT_RUN_LENGTH
					: VKR_SEGMENT_ONCE;
		for (uint32_t at = 0; at < segment->site_count; at++)
			segment->words += shader->sites[site + at].words;
		segment->words |= 1; // records are padded to an even number of words
		site += segment->site_count;
	}
	return count;
}

uint32_t tb_shader(struct trace_builder *tb, const struct tb_shader *shader, const char *name)
{
	const uint32_t stage = shader->stage != 0 ? shader->stage : VK_SHADER_STAGE_COMPUTE_BIT;
	struct vkr_segment segments[16] = {0};
	struct vkr_site sites[32];
	struct vkr_variable variables[8];
	char strings[128] = {0};
	assert_true(shader->site_count <= 32 && shader->variable_count <= 8);
	if (shader->site_count > 0)
		memcpy(sites, shader->sites, shader->site_count * sizeof *sites);
	if (shader->variable_count > 0)
		memcpy(variables, shader->variables, shader->variable_count * sizeof *variables);
	const uint32_t segment_count = cut_segments(shader, segments);
	// Offset 1: the entry point; then the name.
	memcpy(strings + 1, "main", 5);
	strncpy(strings + 6, shader->name != NULL ? shader->name : "", 100);
	if (shader->name != NULL)
		variables[0].name = 6;

	const uint32_t id = ++tb->ids[VKR_OBJECT_SHADER];
	struct vkr_site_table table = {.version = VKR_SITE_TABLE_VERSION,
				       .chunk_words = 16,
				       .variable_count = shader->variable_count,
				       .segment_count = segment_count,
				       .site_count = shader->site_count,
				       .string_bytes = sizeof strings,
				       .stage = stage,
				       .identity = shader->identity,
				       .tag = shader->tag,
				       .entry_point = 1,
				       .source_file = shader->name != NULL ? 6 : 0,
				       .memory_model = 1,
				       .texel_count = shader->texel_count};
	memcpy(table.workgroup_size, shader->workgroup_size, sizeof table.workgroup_size);
	struct bytes all = {0};
	put(&all, &table, sizeof table);
	put(&all, variables, shader->variable_count * sizeof *variables);
	put(&all, segments, segment_count * sizeof *segments);
	put(&all, sites, shader->site_count * sizeof *sites);
	put(&all, shader->texels, shader->texel_count * sizeof *shader->texels);
	put(&all, strings, sizeof strings);
	put(&all, (char[8]){0}, -all.count & 7);
	((struct vkr_site_table *)all.items)->bytes = (uint32_t)all.count;
	const struct vkr_trace_shader event = {.shader = id,
					       .sites_bytes = (uint32_t)all.count,
					       .content_hash = id,
					       .stage = stage,
					       .flags = VKR_SHADER_INSTRUMENTED | shader->flags};
	tb_event(tb, VKR_TRACE_SHADER, &event, sizeof event, all.items, all.count);
	free(all.items);
	if (name != NULL)
		tb_name(tb, VKR_OBJECT_SHADER, id, name);
	return id;
}

void tb_record(struct trace_builder *tb)
{
	tb->commands.count = 0;
	tb->command_count = 0;
}

uint32_t tb_record_end_in(struct trace_builder *tb, uint32_t command_buffer)
{
	const uint32_t id = ++tb->recordings;
	const struct vkr_trace_recording event = {.recording = id,
						  .command_buffer = command_buffer,
						  .command_count = tb->command_count,
						  .event_bytes = (uint32_t)tb->commands.count};
	tb_event(tb, VKR_TRACE_RECORDING, &event, sizeof event, tb->commands.items,
		 tb->commands.count);
	return id;
}

uint32_t tb_record_end(struct trace_builder *tb)
{
	const uint32_t id = ++tb->ids[VKR_OBJECT_COMMAND_BUFFER];
	EVENT(tb, COMMAND_BUFFER, (struct vkr_trace_command_buffer){.command_buffer = id});
	return tb_record_end_in(tb, id);
}

void tb_bind_pipeline(struct trace_builder *tb, uint32_t bind_point, uint32_t pipeline)
{
	const struct vkr_trace_cmd_bind_pipeline bind = {.bind_point = bind_point,
							 .pipeline = pipeline};
	command(tb, VKR_TRACE_CMD_BIND_PIPELINE, &bind, sizeof bind, NULL, 0);
}

static void bind_set(struct trace_builder *tb, uint32_t bind_point, uint32_t layout, uint32_t set,
		     const uint32_t *dynamic, uint32_t dynamic_count)
{
	uint32_t tail[8] = {set};
	const struct vkr_trace_cmd_bind_sets sets = {.bind_point = bind_point,
						     .layout = layout,
						     .set_count = 1,
						     .dynamic_count = dynamic_count};
	for (uint32_t at = 0; at < dynamic_count; at++)
		tail[1 + at] = dynamic[at];
	command(tb, VKR_TRACE_CMD_BIND_SETS, &sets, sizeof sets, tail, 4 + 4 * dynamic_count);
}

void tb_bind(struct trace_builder *tb, uint32_t pipeline, uint32_t layout, uint32_t set,
	     const uint32_t *dynamic, uint32_t dynamic_count)
{
	tb_bind_pipeline(tb, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
	bind_set(tb, VK_PIPELINE_BIND_POINT_COMPUTE, layout, set, dynamic, dynamic_count);
}

void tb_bind_rays(struct trace_builder *tb, uint32_t pipeline, uint32_t layout, uint32_t set)
{
	tb_bind_pipeline(tb, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, pipeline);
	bind_set(tb, VK_PIPELINE_BIND_POINT_RAY_TRACING_KHR, layout, set, NULL, 0);
}

void tb_command(struct trace_builder *tb, unsigned type, uint32_t *payload, size_t payload_bytes,
		const void *tail, size_t tail_bytes)
{
	payload[0] = tb->command_count++;
	command(tb, type, payload, payload_bytes, tail, tail_bytes);
}

void tb_state(struct trace_builder *tb, unsigned type, const void *payload, size_t payload_bytes,
	      const void *tail, size_t tail_bytes)
{
	command(tb, type, payload, payload_bytes, tail, tail_bytes);
}

void tb_dynamic_state(struct trace_builder *tb, uint32_t state, uint32_t index, uint32_t value)
{
	const struct vkr_trace_cmd_set_state set = {
		.state = state, .first = index, .value_count = 1};
	command(tb, VKR_TRACE_CMD_SET_STATE, &set, sizeof set, &value, sizeof value);
}

uint32_t tb_dispatch(struct trace_builder *tb, uint32_t x, uint32_t y, uint32_t z)
{
	const struct vkr_trace_cmd_dispatch event = {.command = tb->command_count++,
						     .groups = {x, y, z}};
	command(tb, VKR_TRACE_CMD_DISPATCH, &event, sizeof event, NULL, 0);
	return event.command;
}

uint32_t tb_dispatch_indirect(struct trace_builder *tb, uint32_t buffer, uint64_t offset)
{
	const struct vkr_trace_cmd_dispatch_indirect event = {
		.command = tb->command_count++, .buffer = buffer, .offset = offset};
	command(tb, VKR_TRACE_CMD_DISPATCH_INDIRECT, &event, sizeof event, NULL, 0);
	return event.command;
}

uint32_t tb_fill(struct trace_builder *tb, uint32_t buffer, uint64_t offset, uint64_t bytes)
{
	const struct vkr_trace_cmd_fill_buffer event = {
		.command = tb->command_count++, .buffer = buffer, .offset = offset, .bytes = bytes};
	command(tb, VKR_TRACE_CMD_FILL_BUFFER, &event, sizeof event, NULL, 0);
	return event.command;
}

uint32_t tb_copy(struct trace_builder *tb, uint32_t from, uint32_t to, struct vkr_trace_copy copy)
{
	const struct vkr_trace_cmd_copy_buffer event = {.command = tb->command_count++,
							.source = from,
							.destination = to,
							.region_count = 1};
	command(tb, VKR_TRACE_CMD_COPY_BUFFER, &event, sizeof event, &copy, sizeof copy);
	return event.command;
}

uint32_t tb_barrier(struct trace_builder *tb, const struct vkr_trace_barrier *barriers,
		    uint32_t count, uint32_t flags)
{
	const struct vkr_trace_cmd_barrier event = {
		.command = tb->command_count++, .barrier_count = count, .flags = flags};
	command(tb, VKR_TRACE_CMD_BARRIER, &event, sizeof event, barriers,
		count * sizeof *barriers);
	return event.command;
}

uint32_t tb_memory_barrier(struct trace_builder *tb, uint64_t source_stages, uint64_t source_access,
			   uint64_t destination_stages, uint64_t destination_access)
{
	const struct vkr_trace_barrier barriers[] = {{.kind = VKR_BARRIER_EXECUTION,
						      .source_stages = source_stages,
						      .destination_stages = destination_stages},
						     {.kind = VKR_BARRIER_MEMORY,
						      .source_stages = source_stages,
						      .source_access = source_access,
						      .destination_stages = destination_stages,
						      .destination_access = destination_access}};
	return tb_barrier(tb, barriers, 2, 0);
}

void tb_execute(struct trace_builder *tb, uint32_t recording, uint32_t commands)
{
	const struct vkr_trace_cmd_execute event = {.command = tb->command_count,
						    .recording = recording};
	command(tb, VKR_TRACE_CMD_EXECUTE, &event, sizeof event, NULL, 0);
	tb->command_count += commands;
}

void tb_label(struct trace_builder *tb, const char *label)
{
	const struct vkr_trace_cmd_label_begin event = {.text_bytes = (uint32_t)strlen(label)};
	command(tb, VKR_TRACE_CMD_LABEL_BEGIN, &event, sizeof event, label, strlen(label));
}

void tb_label_end(struct trace_builder *tb)
{
	const struct vkr_trace_cmd_label_end event = {{0}};
	command(tb, VKR_TRACE_CMD_LABEL_END, &event, sizeof event, NULL, 0);
}

static uint32_t count_of(const struct tb_batch *batch)
{
	return (batch->recording != 0 ? 1u : 0u) + (batch->second != 0 ? 1u : 0u);
}

uint32_t tb_submit_batch(struct trace_builder *tb, uint32_t queue, const struct tb_batch *batch)
{
	const uint64_t all = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
	const struct vkr_trace_submit event = {.submission = ++tb->submissions,
					       .queue = queue,
					       .fence = batch->fence,
					       .batch_count = 1,
					       .wait_count = batch->wait != 0,
					       .execution_count = count_of(batch),
					       .signal_count = batch->signal != 0,
					       .sparse = batch->sparse};
	const struct vkr_trace_batch counts = {.wait_count = event.wait_count,
					       .execution_count = event.execution_count,
					       .signal_count = event.signal_count};
	const struct vkr_trace_semaphore_operation wait = {
		.semaphore = batch->wait,
		.value = batch->wait_value,
		.stages = batch->wait_stages != 0 ? batch->wait_stages : all};
	const struct vkr_trace_semaphore_operation signal = {
		.semaphore = batch->signal,
		.value = batch->signal_value,
		.stages = batch->signal_stages != 0 ? batch->signal_stages : all};
	const uint32_t recordings[] = {batch->recording, batch->second};
	struct bytes tail = {0};
	put(&tail, &counts, sizeof counts);
	if (batch->wait != 0)
		put(&tail, &wait, sizeof wait);
	for (size_t at = 0; at < sizeof recordings / sizeof recordings[0]; at++) {
		if (recordings[at] == 0)
			continue;
		const struct vkr_trace_execution execution = {.execution = ++tb->executions,
							      .recording = recordings[at]};
		put(&tail, &execution, sizeof execution);
	}
	if (batch->signal != 0)
		put(&tail, &signal, sizeof signal);
	tb_event(tb, VKR_TRACE_SUBMIT, &event, sizeof event, tail.items, tail.count);
	free(tail.items);
	return tb->executions;
}

uint32_t tb_submit(struct trace_builder *tb, uint32_t queue, uint32_t recording)
{
	return tb_submit_batch(tb, queue, &(struct tb_batch){.recording = recording});
}

uint32_t tb_semaphore(struct trace_builder *tb, bool timeline, uint64_t value)
{
	const uint32_t id = ++tb->ids[VKR_OBJECT_SEMAPHORE];
	EVENT(tb, SEMAPHORE,
	      (struct vkr_trace_semaphore){.semaphore = id,
					   .device = 1,
					   .type = timeline ? VK_SEMAPHORE_TYPE_TIMELINE
							    : VK_SEMAPHORE_TYPE_BINARY,
					   .value = value});
	return id;
}

uint32_t tb_fence(struct trace_builder *tb)
{
	const uint32_t id = ++tb->ids[VKR_OBJECT_FENCE];
	EVENT(tb, FENCE, (struct vkr_trace_fence){.fence = id, .device = 1});
	return id;
}

void tb_simple(struct trace_builder *tb, unsigned type, uint32_t id)
{
	const uint32_t payload[2] = {id, 0};
	tb_event(tb, type, payload, sizeof payload, NULL, 0);
}

void tb_chunk(struct trace_builder *tb, uint32_t command_index, uint32_t workgroup, uint32_t local,
	      const uint32_t *words, uint32_t count)
{
	const uint32_t zero = 0;
	const uint32_t header[VKR_CHUNK_HEADER_WORDS] = {
		command_index + 1, workgroup, local, VKR_CHUNK_HEADER_WORDS + count + (count & 1)};
	put(&tb->log, header, sizeof header);
	put(&tb->log, words, count * sizeof *words);
	put(&tb->log, &zero, (count & 1) * sizeof zero);
}

static void put_words(struct trace_builder *tb, uint32_t execution)
{
	const struct vkr_trace_gpu_log log = {.execution = execution,
					      .word_count = (uint32_t)(tb->log.count / 4)};
	if (tb->log.count > 0)
		tb_event(tb, VKR_TRACE_GPU_LOG, &log, sizeof log, tb->log.items, tb->log.count);
	tb->log.count = 0;
}

static void put_log(struct trace_builder *tb, uint32_t execution, uint32_t flags)
{
	put_words(tb, execution);
	EVENT(tb, EXECUTION_END,
	      (struct vkr_trace_execution_end){.execution = execution, .flags = flags});
}

void tb_log_end(struct trace_builder *tb, uint32_t execution)
{
	put_log(tb, execution, 0);
}

void tb_log_pause(struct trace_builder *tb, uint32_t execution)
{
	put_log(tb, execution, VKR_EXECUTION_PAUSED);
}

void tb_log_commands(struct trace_builder *tb, uint32_t execution, uint32_t command)
{
	put_words(tb, execution);
	EVENT(tb, COMMANDS_LOGGED,
	      (struct vkr_trace_commands_logged){.execution = execution, .command = command});
}

static const struct vkr_trace_event *at_offset(const struct trace_builder *tb, size_t offset)
{
	return (const void *)(tb->events.items + offset);
}

static void feed(struct vkr_session *session, const struct vkr_trace_event *event)
{
	struct vkr_error error = {.message = ""};
	if (vkr_session_event(session, event, &error) != VKR_OK)
		fail_msg("%s", error.message);
}

// The execution that an event of the log is of; 0 for other events.
static uint32_t execution_of(const struct vkr_trace_event *event)
{
	const uint32_t *payload = (const void *)(event + 1);
	return event->type == VKR_TRACE_GPU_LOG || event->type == VKR_TRACE_COMMANDS_LOGGED ||
			       event->type == VKR_TRACE_EXECUTION_END
		       ? payload[0]
		       : 0;
}

static void feed_all(const struct trace_builder *tb, struct vkr_session *session, bool all,
		     uint32_t execution)
{
	for (size_t at = 0; at < tb->events.count; at += at_offset(tb, at)->bytes)
		if (all || execution_of(at_offset(tb, at)) == execution)
			feed(session, at_offset(tb, at));
}

static void write_all(const struct trace_builder *tb, struct vkr_chunk_writer *writer, bool all,
		      uint32_t execution)
{
	struct vkr_error error = {.message = ""};
	for (size_t at = 0; at < tb->events.count; at += at_offset(tb, at)->bytes)
		if ((all || execution_of(at_offset(tb, at)) == execution) &&
		    vkr_chunk_writer_event(writer, at_offset(tb, at), &error) != VKR_OK)
			fail_msg("%s", error.message);
}

// With VKR_TEST_TRACES in the environment, a folder: writes the trace there, as it is judged.
static void keep_trace(const struct trace_builder *tb, bool put_off)
{
	static unsigned number;
	const char *folder = getenv("VKR_TEST_TRACES");
	struct vkr_chunk_writer *writer = NULL;
	struct vkr_error error = {.message = ""};
	char path[512];
	if (!folder)
		return;
	snprintf(path, sizeof path, "%s/%s-%u%s.vkrace", folder, program_invocation_short_name,
		 ++number, tb->options.any_image ? "-any-image" : "");
	const int file = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0666);
	if (file < 0 || vkr_chunk_writer_create(&writer, file, path, false, &error) != VKR_OK)
		fail_msg("%s: %s", path, error.message);
	write_all(tb, writer, !put_off, 0);
	for (uint32_t execution = tb->executions; put_off && execution > 0; execution--)
		write_all(tb, writer, false, execution);
	if (vkr_chunk_writer_flush(writer, &error) != VKR_OK)
		fail_msg("%s", error.message);
	vkr_chunk_writer_destroy(writer);
	close(file);
}

struct vkr_session *tb_judge(const struct trace_builder *tb, bool put_off)
{
	keep_trace(tb, put_off);
	struct vkr_session *session = NULL;
	struct vkr_error error = {.message = ""};
	assert_int_equal(vkr_session_create(&tb->options, &session, &error), VKR_OK);
	feed_all(tb, session, !put_off, 0);
	for (uint32_t execution = tb->executions; put_off && execution > 0; execution--)
		feed_all(tb, session, false, execution);
	if (vkr_session_end(session, &error) != VKR_OK)
		fail_msg("%s", error.message);
	return session;
}

struct vkr_session *tb_judge_failing(const struct trace_builder *tb, unsigned number, int forever,
				     unsigned *allocations)
{
	struct vkr_session *session = NULL;
	struct vkr_error error = {.message = ""};
	failing_memory(number, forever);
	enum vkr_result result = vkr_session_create(&tb->options, &session, &error);
	for (size_t at = 0; at < tb->events.count && result == VKR_OK;
	     at += at_offset(tb, at)->bytes)
		result = vkr_session_event(session, at_offset(tb, at), &error);
	if (result == VKR_OK)
		result = vkr_session_end(session, &error);
	*allocations = failing_memory(0, 0);
	if (result == VKR_OK)
		return session;
	if (result != VKR_ERROR_MEMORY)
		fail_msg("allocation %u: %s", number, error.message);
	if (session != NULL)
		vkr_session_report(session);
	vkr_session_destroy(session);
	return NULL;
}
