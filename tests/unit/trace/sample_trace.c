// SPDX-License-Identifier: Apache-2.0
#include "sample_trace.h"

#include "array.h"

#include "vkrace/site.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// Values of Vulkan that the run uses.
#define STORAGE_BUFFER  7
#define COMPUTE_STAGE   0x20
#define COMPUTE_SHADER  0x800ull
#define HOST_STAGE      0x4000ull
#define SHADER_WRITE    0x40ull
#define FAMILY_IGNORED  UINT32_MAX
#define TRANSFER_BUFFER 3

#define ADD(trace, name, thread, structure, ...)                                                   \
	do {                                                                                       \
		const struct structure payload = {__VA_ARGS__};                                    \
		sample_trace_add(trace, VKR_TRACE_##name, thread, &payload, sizeof payload, NULL,  \
				 0);                                                               \
	} while (0)
#define ADD_TAIL(trace, name, thread, tail, tail_bytes, structure, ...)                            \
	do {                                                                                       \
		const struct structure payload = {__VA_ARGS__};                                    \
		sample_trace_add(trace, VKR_TRACE_##name, thread, &payload, sizeof payload, tail,  \
				 tail_bytes);                                                      \
	} while (0)

void sample_trace_add(struct sample_trace *trace, enum vkr_trace_type type, uint32_t thread,
		      const void *payload, size_t payload_bytes, const void *tail,
		      size_t tail_bytes)
{
	struct vkr_trace_event event = {.type = (uint16_t)type, .thread = thread};
	size_t bytes = (sizeof event + payload_bytes + tail_bytes + 7) / 8 * 8;
	bool reserved = VKR_ARRAY_RESERVE(trace, bytes);
	assert(reserved);
	(void)reserved;
	event.bytes = (uint32_t)bytes;
	unsigned char *to = trace->items + trace->count;
	memset(to, 0, bytes);
	memcpy(to, &event, sizeof event);
	memcpy(to + sizeof event, payload, payload_bytes);
	if (tail_bytes)
		memcpy(to + sizeof event + payload_bytes, tail, tail_bytes);
	trace->count += bytes;
	trace->events++;
}

// One variable, one segment of one store.
static const struct {
	struct vkr_site_table table;
	struct vkr_variable variable;
	struct vkr_segment segment;
	struct vkr_site site;
	char strings[40];
} sites = {
	.table = {.version = VKR_SITE_TABLE_VERSION,
		  .bytes = sizeof sites,
		  .chunk_words = 6,
		  .variable_count = 1,
		  .segment_count = 1,
		  .site_count = 1,
		  .string_bytes = sizeof sites.strings,
		  .workgroup_size = {1, 1, 1},
		  .stage = COMPUTE_STAGE,
		  .entry_point = 1,
		  .source_file = 6,
		  .memory_model = 3},
	.variable = {.kind = VKR_VARIABLE_BUFFER, .count = 1, .name = 19},
	.segment = {.site_count = 1, .words = 1},
	.site = {.operation = VKR_SITE_STORE,
		 .storage_class = VKR_CLASS_UNIFORM,
		 .flags = VKR_SITE_NONPRIVATE,
		 .words = 1,
		 .bytes = 4,
		 .spirv_word = 120,
		 .file = 6,
		 .line = 7,
		 .member = 26},
	.strings = "\0main\0example.comp\0result\0values[]",
};
static_assert(sizeof sites % 8 == 0, "a serialized table has no padding of the compiler's");

static void add_objects(struct sample_trace *trace)
{
	const struct vkr_trace_binding binding = {
		.type = STORAGE_BUFFER, .count = 1, .stages = COMPUTE_STAGE};
	const struct vkr_trace_descriptor descriptor = {.object = 1, .bytes = UINT64_MAX};
	const uint32_t one = 1;
	ADD_TAIL(trace, RUN_BEGIN, 0, "sample \"run\"", 12, vkr_trace_run_begin, 1000000000, 4321,
		 12);
	ADD_TAIL(trace, THREAD, 0, "main", 4, vkr_trace_thread, 1, 4321, 4, 0);
	ADD_TAIL(trace, DEVICE, 1, "toy", 3, vkr_trace_device, .device = 1,
		 .api_version = 1u << 22 | 3u << 12, .subgroup_size = 8, .non_coherent_atom = 64,
		 .text_bytes = 3);
	ADD(trace, QUEUE, 1, vkr_trace_queue, .queue = 1, .device = 1, .queue_flags = 7);
	ADD(trace, MEMORY, 1, vkr_trace_memory, 1, 1, 65536, 0x1000, 7, 0);
	ADD(trace, BUFFER, 1, vkr_trace_buffer, 1, 1, 1024, 0x2000, 0x20 | TRANSFER_BUFFER, 0, 0,
	    0);
	ADD(trace, BUFFER_BIND, 1, vkr_trace_buffer_bind, 1, 1, 256);
	ADD_TAIL(trace, NAME, 1, "results \xc3\xa9", 10, vkr_trace_name, VKR_OBJECT_BUFFER, 1, 10,
		 0);
	ADD_TAIL(trace, SET_LAYOUT, 1, &binding, sizeof binding, vkr_trace_set_layout, 1, 1, 0, 1,
		 0, 0);
	ADD(trace, SET, 1, vkr_trace_set, 1, 1, UINT32_MAX, 0, 0x3000);
	ADD_TAIL(trace, SET_WRITE, 1, &descriptor, sizeof descriptor, vkr_trace_set_write, 1, 0, 0,
		 STORAGE_BUFFER, 1, 0);
	ADD_TAIL(trace, PIPELINE_LAYOUT, 1, &one, sizeof one, vkr_trace_pipeline_layout, 1, 1);
	ADD_TAIL(trace, SHADER, 1, &sites, sizeof sites, vkr_trace_shader, 1, sizeof sites,
		 0x0123456789abcdef, COMPUTE_STAGE, VKR_SHADER_INSTRUMENTED);
	ADD_TAIL(trace, PIPELINE, 1, &one, sizeof one, vkr_trace_pipeline, 1, 1, 1, 1, 1, 0);
}

static void add_recording(struct sample_trace *trace)
{
	struct sample_trace commands = {0};
	const uint32_t one = 1;
	const struct vkr_trace_barrier barrier = {.kind = VKR_BARRIER_BUFFER,
						  .object = 1,
						  .source_stages = COMPUTE_SHADER,
						  .source_access = SHADER_WRITE,
						  .destination_stages = HOST_STAGE,
						  .destination_access = 0,
						  .bytes = 1024,
						  .source_family = FAMILY_IGNORED,
						  .destination_family = FAMILY_IGNORED};
	const struct {
		struct vkr_trace_event_wait wait;
		struct vkr_trace_barrier barrier;
	} waits = {{1, 1}, barrier};
	const struct vkr_trace_copy copy = {0, 512, 16};
	ADD_TAIL(&commands, CMD_LABEL_BEGIN, 0, "frame", 5, vkr_trace_cmd_label_begin, 5, 0);
	ADD(&commands, CMD_BIND_PIPELINE, 0, vkr_trace_cmd_bind_pipeline, 1, 1);
	ADD_TAIL(&commands, CMD_BIND_SETS, 0, &one, sizeof one, vkr_trace_cmd_bind_sets, 1, 1, 0, 1,
		 0, 0);
	ADD(&commands, CMD_DISPATCH, 0, vkr_trace_cmd_dispatch, .groups = {2, 1, 1});
	ADD_TAIL(&commands, CMD_BARRIER, 0, &barrier, sizeof barrier, vkr_trace_cmd_barrier, 1, 0,
		 1, VKR_BARRIER_SYNC2);
	ADD_TAIL(&commands, CMD_COPY_BUFFER, 0, &copy, sizeof copy, vkr_trace_cmd_copy_buffer, 2, 1,
		 1, 1);
	ADD_TAIL(&commands, CMD_SET_EVENT, 0, &barrier, sizeof barrier, vkr_trace_cmd_set_event, 3,
		 1, 0, VKR_BARRIER_SYNC2, 1, 0);
	ADD_TAIL(&commands, CMD_WAIT_EVENTS, 0, &waits, sizeof waits, vkr_trace_cmd_wait_events, 4,
		 VKR_BARRIER_SYNC2, 1, 1);
	ADD(&commands, CMD_RESET_EVENT, 0, vkr_trace_cmd_reset_event, 5, 1, COMPUTE_SHADER);
	ADD(&commands, CMD_BEGIN_RENDER_PASS, 0, vkr_trace_cmd_begin_render_pass, .command = 6,
	    .render_pass = 1);
	ADD(&commands, CMD_NEXT_SUBPASS, 0, vkr_trace_cmd_next_subpass, 7, 0);
	ADD(&commands, CMD_END_RENDER_PASS, 0, vkr_trace_cmd_end_render_pass, 8, 0);
	ADD(&commands, CMD_LABEL_END, 0, vkr_trace_cmd_label_end, {0});
	ADD_TAIL(trace, RECORDING, 1, commands.items, commands.count, vkr_trace_recording, 1, 1, 0,
		 9, (uint32_t)commands.count, 0);
	sample_trace_finish(&commands);
}

static void add_run(struct sample_trace *trace)
{
	const struct {
		struct vkr_trace_batch batch;
		struct vkr_trace_execution execution;
	} submission = {{0, 1, 0, 0}, {1, 1}};
	// Both workgroups: segment 1, offset 0.
	static const uint32_t log[] = {1, 0, 0, 6, 1, 0, 1, 1, 0, 6, 1, 0};
	static const uint64_t frames[] = {0x401000, 0x400800};
	const struct {
		struct vkr_trace_subpass_dependency dependency;
		struct vkr_trace_subpass subpasses[2];
	} pass = {.dependency = {UINT32_MAX, 0, COMPUTE_SHADER, SHADER_WRITE, COMPUTE_SHADER, 0, 0,
				 0}};
	ADD(trace, COMMAND_BUFFER, 1, vkr_trace_command_buffer, 1, 0, 0, 0, 0x4000);
	ADD(trace, EVENT, 1, vkr_trace_sync_event, 1, 1, 0, 0);
	ADD_TAIL(trace, RENDER_PASS, 1, &pass, sizeof pass, vkr_trace_render_pass, 1, 1, 0, 2, 1,
		 0);
	add_recording(trace);
	ADD(trace, FENCE, 1, vkr_trace_fence, 1, 1, 0, 0);
	ADD(trace, EXECUTION_LEFT_OUT, 0, vkr_trace_execution_left_out, 2, VKR_LEFT_OUT_FRAME);
	ADD_TAIL(trace, SUBMIT, 1, &submission, sizeof submission, vkr_trace_submit,
		 .submission = 1, .queue = 1, .fence = 1, .batch_count = 1, .execution_count = 1);
	ADD_TAIL(trace, GPU_LOG, 0, log, sizeof log, vkr_trace_gpu_log, 1, 12, 0);
	ADD(trace, COMMANDS_LOGGED, 0, vkr_trace_commands_logged, 1, 1);
	ADD(trace, EXECUTION_END, 0, vkr_trace_execution_end, 1, 0, 0);
	ADD(trace, FENCE_WAIT, 1, vkr_trace_fence_wait, 1, 0);
	ADD(trace, MAP, 1, vkr_trace_map, 1, 0, 0, 65536);
	ADD_TAIL(trace, MODULE, 1, "/bin/program1a2b", 16, vkr_trace_module, 0x400000, 0x402000,
		 0x400000, 12, 4);
	ADD(trace, HOST_ORDER, 1, vkr_trace_host_order, VKR_HOST_ORDER_OBSERVED, 0);
	ADD(trace, HOST_ACQUIRE, 1, vkr_trace_host_acquire, 0x601000, VKR_HOST_SYNC_MUTEX, 0);
	ADD_TAIL(trace, HOST_ACCESS, 1, frames, sizeof frames, vkr_trace_host_access, 1,
		 VKR_HOST_READ, 256, 4, 2, 0);
	ADD(trace, HOST_IGNORE, 1, vkr_trace_host_ignore, 1, 0);
	ADD(trace, HOST_IGNORE, 1, vkr_trace_host_ignore, 0, 0);
	ADD(trace, HOST_RELEASE, 1, vkr_trace_host_release, 0x601000, VKR_HOST_SYNC_MUTEX,
	    VKR_HOST_RELEASE_ALONE);
	ADD_TAIL(trace, CALL_STACK, 1, frames, sizeof frames, vkr_trace_call_stack, 2, 0);
	ADD(trace, UNMAP, 1, vkr_trace_unmap, 1, 0);
	ADD(trace, EVENT_SET, 1, vkr_trace_sync_event_set, 1, 0);
	ADD(trace, EVENT_SEEN, 1, vkr_trace_sync_event_seen, 1, 0);
	ADD(trace, EVENT_RESET, 1, vkr_trace_sync_event_reset, 1, 0);
	ADD(trace, EVENT_DESTROY, 1, vkr_trace_sync_event_destroy, 1, 0);
	ADD(trace, RENDER_PASS_DESTROY, 1, vkr_trace_render_pass_destroy, 1, 0);
	ADD_TAIL(trace, COVERAGE, 0, "a thing was not seen", 20, vkr_trace_coverage,
		 VKR_COVERAGE_EXTENSION, 0, 0, 20, 0);
	ADD(trace, RUN_END, 0, vkr_trace_run_end, VKR_END_EXIT, 0);
}

void sample_trace_make(struct sample_trace *trace)
{
	*trace = (struct sample_trace){0};
	add_objects(trace);
	add_run(trace);
}

void sample_trace_finish(struct sample_trace *trace)
{
	free(trace->items);
	*trace = (struct sample_trace){0};
}
