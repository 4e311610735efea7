// SPDX-License-Identifier: Apache-2.0
// Builds a trace in memory, event by event, and has it judged. Knows the trace format; nothing of
// what a judgement should be.
#pragma once

#include "session.h"

#include "vkrace/gpu_log.h"
#include "vkrace/site.h"
#include "vkrace/trace.h"

#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

struct bytes {
	char *items;
	size_t count, capacity;
};

struct trace_builder {
	struct bytes events;   // back to back
	struct bytes commands; // of the open recording
	struct bytes log;      // words of the open log
	uint32_t ids[16];      // last id by enum vkr_trace_object
	uint32_t recordings, submissions, executions, command_count;
	struct vkr_session_options options; // all zero: the defaults
	uint32_t queue_family;
	bool exclusive;  // buffers are one queue family's at a time
	uint32_t usage;  // of buffers: VkBufferUsageFlags
	uint32_t thread; // that makes the events; 0: thread 1
	uint32_t caller; // of commands; 0: not known
};

// A run with one device and one queue (1).
void tb_init(struct trace_builder *tb);
// Begins on a device with enum vkr_trace_device_flags.
void tb_init_on(struct trace_builder *tb, uint32_t device_flags);
void tb_finish(struct trace_builder *tb);

void tb_event(struct trace_builder *tb, unsigned type, const void *payload, size_t payload_bytes,
	      const void *tail, size_t tail_bytes);
void tb_name(struct trace_builder *tb, uint32_t kind, uint32_t object, const char *name);
uint32_t tb_queue(struct trace_builder *tb, uint32_t family);

// Host-visible coherent memory with the property flags that tb_memory_flags says.
uint32_t tb_memory(struct trace_builder *tb, uint64_t bytes, uint32_t property_flags);
uint32_t tb_bound_buffer(struct trace_builder *tb, uint32_t memory, uint64_t offset,
			 uint64_t bytes);
// A buffer with coherent memory of its own.
uint32_t tb_buffer(struct trace_builder *tb, uint64_t bytes, const char *name);

uint32_t tb_set_layout(struct trace_builder *tb, const struct vkr_trace_binding *bindings,
		       uint32_t count);
// A pipeline layout of one set layout.
uint32_t tb_pipeline_layout(struct trace_builder *tb, uint32_t set_layout);
uint32_t tb_set(struct trace_builder *tb, uint32_t layout);
void tb_write(struct trace_builder *tb, uint32_t set, uint32_t binding, uint32_t element,
	      uint32_t type, const struct vkr_trace_descriptor *descriptors, uint32_t count);

// A compute shader of one or more segments, and its pipeline. Segments: site counts, ended by 0.
struct tb_shader {
	const struct vkr_variable *variables;
	uint32_t variable_count;
	const struct vkr_site *sites;
	uint32_t site_count;
	const struct vkr_texel *texels;
	uint32_t texel_count;
	const uint32_t *segments;
	const uint32_t *lists; // by segment: whether it is one; NULL: none is
	uint32_t workgroup_size[3];
	const char *name;              // of variable 0, and of the source file
	uint32_t stage, identity, tag; // stage 0: compute
	uint32_t flags;                // enum vkr_trace_shader_flags beside INSTRUMENTED
};
uint32_t tb_shader(struct trace_builder *tb, const struct tb_shader *shader, const char *name);
uint32_t tb_pipeline(struct trace_builder *tb, uint32_t bind_point, const uint32_t *shaders,
		     uint32_t count);
// The two of a compute shader.
uint32_t tb_shader_pipeline(struct trace_builder *tb, const struct tb_shader *shader,
			    const char *name);

// The commands of a recording; each returns the command's index.
void tb_record(struct trace_builder *tb);
uint32_t tb_record_end(struct trace_builder *tb);
// Ends the recording of a given command buffer.
uint32_t tb_record_end_in(struct trace_builder *tb, uint32_t command_buffer);
void tb_bind_pipeline(struct trace_builder *tb, uint32_t bind_point, uint32_t pipeline);
void tb_bind(struct trace_builder *tb, uint32_t pipeline, uint32_t layout, uint32_t set,
	     const uint32_t *dynamic, uint32_t dynamic_count);
// Binds a ray tracing pipeline.
void tb_bind_rays(struct trace_builder *tb, uint32_t pipeline, uint32_t layout, uint32_t set);
uint32_t tb_dispatch(struct trace_builder *tb, uint32_t x, uint32_t y, uint32_t z);
uint32_t tb_dispatch_indirect(struct trace_builder *tb, uint32_t buffer, uint64_t offset);
uint32_t tb_fill(struct trace_builder *tb, uint32_t buffer, uint64_t offset, uint64_t bytes);
uint32_t tb_copy(struct trace_builder *tb, uint32_t from, uint32_t to, struct vkr_trace_copy copy);
uint32_t tb_barrier(struct trace_builder *tb, const struct vkr_trace_barrier *barriers,
		    uint32_t count, uint32_t flags);
// One vkCmdPipelineBarrier with one memory barrier.
uint32_t tb_memory_barrier(struct trace_builder *tb, uint64_t source_stages, uint64_t source_access,
			   uint64_t destination_stages, uint64_t destination_access);
void tb_execute(struct trace_builder *tb, uint32_t recording, uint32_t commands);
void tb_label(struct trace_builder *tb, const char *label);
void tb_label_end(struct trace_builder *tb);

// A command of any kind, whose payload begins with the command's index.
void tb_command(struct trace_builder *tb, unsigned type, uint32_t *payload, size_t payload_bytes,
		const void *tail, size_t tail_bytes);

// A command that has no index: it sets what later ones use.
void tb_state(struct trace_builder *tb, unsigned type, const void *payload, size_t payload_bytes,
	      const void *tail, size_t tail_bytes);
// One value of a VkDynamicState, of the attachment or face.
void tb_dynamic_state(struct trace_builder *tb, uint32_t state, uint32_t index, uint32_t value);

// Submits one recording; the execution's id. Its log must follow, if it logs.
uint32_t tb_submit(struct trace_builder *tb, uint32_t queue, uint32_t recording);

struct tb_batch {
	uint32_t recording; // 0: none
	uint32_t second;    // executed behind it; 0: none
	uint32_t wait, signal, fence;
	bool sparse;                                                   // of vkQueueBindSparse
	uint64_t wait_value, signal_value, wait_stages, signal_stages; // stages 0: ALL_COMMANDS
};
// The execution of the last recording.
uint32_t tb_submit_batch(struct trace_builder *tb, uint32_t queue, const struct tb_batch *batch);

uint32_t tb_semaphore(struct trace_builder *tb, bool timeline, uint64_t value);
uint32_t tb_fence(struct trace_builder *tb);
// An event whose payload is one id.
void tb_simple(struct trace_builder *tb, unsigned type, uint32_t id);

// A chunk of one record of an invocation: `command` is its index in the recording.
void tb_chunk(struct trace_builder *tb, uint32_t command, uint32_t workgroup, uint32_t local,
	      const uint32_t *words, uint32_t count);
// The chunks since the last log as the execution's log, and its end.
void tb_log_end(struct trace_builder *tb, uint32_t execution);

// Ends a part of the log: the device stands still there, and more of the execution's log follows.
void tb_log_pause(struct trace_builder *tb, uint32_t execution);

// All that the commands before this one have logged is there.
void tb_log_commands(struct trace_builder *tb, uint32_t execution, uint32_t command);

// Judges the trace. `put_off`: the events of logs come as late as they can: all at
// the end, in reverse order of executions. Fails the test on an error.
struct vkr_session *tb_judge(const struct trace_builder *tb, bool put_off);

// The judgement without memory (failing_memory.h); NULL where that is said. *allocations: how many
// there were.
struct vkr_session *tb_judge_failing(const struct trace_builder *tb, unsigned number, int forever,
				     unsigned *allocations);
