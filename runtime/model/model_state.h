// SPDX-License-Identifier: Apache-2.0
// What the parts of the model share. Knows the parts; nothing outside runtime/model includes it.
#pragma once

#include "access_names.h"
#include "call_order.h"
#include "call_stacks.h"
#include "command_costs.h"
#include "command_links.h"
#include "descriptor_sets.h"
#include "draw_logs.h"
#include "engine.h"
#include "joint_order.h"
#include "log_replay.h"
#include "log_store.h"
#include "memory_snapshots.h"
#include "model.h"
#include "model_objects.h"
#include "pass_objects.h"
#include "past_units.h"
#include "query_pools.h"
#include "race_doubts.h"
#include "race_reports.h"
#include "recordings.h"
#include "run_coverage.h"
#include "shader_program.h"
#include "shader_sync.h"
#include "stand_ins.h"
#include "structures.h"
#include "submissions.h"
#include "thread_order.h"
#include "walk_state.h"

// What is read out of shaders.
struct vkr_model_programs {
	struct vkr_arena arena;
	struct vkr_map by_shader; // shader -> program
};

// How shaders themselves order what they do, in the command that is being judged.
struct vkr_model_order {
	struct vkr_sync sync; // of a dispatch
	bool failed;          // for lack of memory
	uint64_t tag;         // of a site that accesses sync.ranges
	bool between;         // shaders of one command may order their invocations by atomics
	struct vkr_joint_order joint; // of a draw or trace-ray command
	struct vkr_calls calls;       // of a trace-ray command
	struct vkr_command_links links;
};

// The host thread whose event is the present one.
struct vkr_model_host {
	uint32_t timeline;
	uint32_t command;               // open command of the host's accesses, 0 for none
	uint32_t thread;                // whose accesses it holds
	struct vkr_locations locations; // of the access under way
};

// The run, as the report tells of it.
struct vkr_model_run {
	const char *program; // command line
	const char *device;  // all of them, with their drivers
	uint64_t executions, dispatches, draws, log_bytes;
};

struct vkr_dispatch_repeats;

struct vkr_model {
	struct vkr_model_options options;
	struct vkr_engine *engine;
	struct vkr_texts texts;
	struct vkr_coverage coverage;
	struct {
		struct vkr_source_report *items;
		size_t count, capacity;
	} sources;
	struct vkr_objects objects;
	struct vkr_descriptors descriptors;
	struct vkr_recordings recordings;
	struct vkr_log_store logs;
	struct vkr_access_names names;
	struct vkr_submissions submissions;
	struct vkr_race_reports races;
	struct vkr_race_doubts doubts;
	bool hands_out; // what the engine finds now is no race (presentation.c)
	struct vkr_sync_objects sync_objects;
	struct vkr_pass_objects pass_objects;
	struct vkr_query_tokens query_tokens;
	struct vkr_stand_ins stand_ins;
	struct vkr_instances instances;
	struct vkr_snapshots snapshots;
	struct vkr_model_programs programs;
	struct vkr_walk walk; // of the execution that is being judged
	struct vkr_chunks chunks;
	struct vkr_replay replay;
	struct vkr_dispatch_repeats *repeats; // NULL until a dispatch is judged
	struct vkr_draw_logs draw_logs;
	struct vkr_invocation_groups invocation_groups;
	struct vkr_model_order order;
	struct vkr_call_stacks stacks;
	struct vkr_thread_order thread_order;
	struct vkr_past past;
	struct vkr_model_host host;
	struct vkr_costs costs;
	struct vkr_report report;
	struct vkr_model_run run;
	bool waiting;   // for the end of a log
	bool barriers2; // vkCmdPipelineBarrier2 has been executed
};

// Says that something was not observed; enough that lack of memory is an error.
enum vkr_result vkr_model_missed(struct vkr_model *model, struct vkr_error *error,
				 enum vkr_trace_coverage_kind kind, uint64_t amount,
				 const char *format, ...) VKR_PRINTF(5, 6) VKR_MUST_USE;
// Coverage: something in Vulkan for which the memory model in use has no counterpart.
enum vkr_result vkr_model_pass_over(struct vkr_model *model, const char *what,
				    struct vkr_error *error) VKR_MUST_USE;

// Hands the event to the part that knows it; an event that none does is an error (event_parts.c).
enum vkr_result vkr_model_hand_on(struct vkr_model *model, const struct vkr_trace_event *event,
				  struct vkr_error *error) VKR_MUST_USE;

// GPU_LOG, GPU_COLUMN_LOG, COMMANDS_LOGGED, EXECUTION_END (log_events.c).
enum vkr_result vkr_model_log_event(struct vkr_model *model, const struct vkr_trace_event *event,
				    struct vkr_error *error) VKR_MUST_USE;

// Judges one execution of a recording on a queue (command_walk.c). *waiting: up to a dispatch whose
// log is awaited; the same call goes on from there.
enum vkr_result vkr_model_execute(struct vkr_model *model, const struct vkr_queue *queue,
				  uint32_t submission, uint32_t execution,
				  struct vkr_recording *recording, bool *waiting,
				  struct vkr_error *error) VKR_MUST_USE;

// Whether executing the recording yields a log: it dispatches shaders that log (command_walk.c).
bool vkr_model_logs(const struct vkr_model *model, const struct vkr_recording *recording);

// Events of the host's own accesses and of memory's lifetime (host_accesses.c).
enum vkr_result vkr_model_host_event(struct vkr_model *model, const struct vkr_trace_event *event,
				     struct vkr_error *error) VKR_MUST_USE;

// A buffer or image was bound: BUFFER_BIND, IMAGE_BIND (ownership_transfers.c).
enum vkr_result vkr_model_bound(struct vkr_model *model, const struct vkr_trace_event *event,
				struct vkr_error *error) VKR_MUST_USE;

// A host call that writes, where the layer has recorded its call stack (host_accesses.c).
enum vkr_result vkr_model_host_writes(struct vkr_model *model, uint32_t thread,
				      const char *operation, uint32_t memory, uint64_t offset,
				      uint64_t bytes, struct vkr_error *error) VKR_MUST_USE;

// One operation of a host thread on memory.
struct vkr_host_action {
	uint32_t thread;
	const char *operation; // kept text: "host write"
	const struct vkr_call_stack *stack;
	const struct vkr_image *image;   // whose memory it is; NULL: not one image's
	const struct vkr_buffer *buffer; // whose memory it is; NULL: not one buffer's
	unsigned flags;                  // VKR_ENGINE_READ, VKR_ENGINE_WRITE
	uint64_t place;                  // whom a race is reported to (host_place.h); 0: nobody
};
enum vkr_result vkr_model_host_accesses(struct vkr_model *model,
					const struct vkr_host_action *access, uint32_t memory,
					uint64_t offset, uint64_t bytes,
					struct vkr_error *error) VKR_MUST_USE;

// The execution's shaders are not judged (log_events.c). `reason`: enum vkr_trace_left_out.
enum vkr_result vkr_model_leave_out(struct vkr_model *model, uint32_t execution, uint32_t reason,
				    struct vkr_error *error) VKR_MUST_USE;

// HOST_IMAGE_COPY, HOST_IMAGE_TRANSFER, HOST_TRANSITION (host_images.c).
enum vkr_result vkr_model_host_image(struct vkr_model *model, const struct vkr_trace_event *event,
				     struct vkr_error *error) VKR_MUST_USE;

// HOST_STRUCTURE (host_structures.c).
enum vkr_result vkr_model_host_structure(struct vkr_model *model,
					 const struct vkr_trace_event *event,
					 struct vkr_error *error) VKR_MUST_USE;

// Ends the run of host accesses that share one point in the host's order.
void vkr_model_host_point(struct vkr_model *model);

// The engine's question about two invocations of one dispatch (shader_order.c).
enum vkr_race_class vkr_model_shader_order(void *model, const struct vkr_engine_race *candidate);

// Invocations of a subgroup, of a shader whose log does not say (VKR_SITE_SUBGROUP); 0: not known
// which share one (shader_order.c). `device` may be NULL.
uint32_t vkr_model_subgroup_size(const struct vkr_shader *shader, const struct vkr_device *device);

// Says that it is not known which invocations of the shader, by its name, share a subgroup.
enum vkr_result vkr_model_miss_subgroups(struct vkr_model *model, const char *name,
					 struct vkr_error *error) VKR_MUST_USE;

// After all of a dispatch's log has been replayed, judges what was collected, and reports
// ambiguities (shader_order.c). `name`: of what synchronizes.
enum vkr_result vkr_model_judge_sync(struct vkr_model *model, struct vkr_sync *sync,
				     const char *name, struct vkr_error *error) VKR_MUST_USE;
enum vkr_result vkr_model_judge_order(struct vkr_model *model, struct vkr_dispatch_targets *targets,
				      const struct vkr_device *device, uint32_t command,
				      const struct vkr_chunk *chunks, size_t count,
				      struct vkr_error *error) VKR_MUST_USE;
