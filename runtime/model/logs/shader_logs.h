// SPDX-License-Identifier: Apache-2.0
// The part of a log that one command's shaders wrote: found, replayed, its losses reported. Knows
// chunks of a command; not which shaders it ran.
#pragma once

#include "command_walk.h"

// The shader's program, made on first use. VKR_ERROR_FORMAT: its site table makes no sense.
enum vkr_result vkr_walk_program(struct vkr_walk *walk, const struct vkr_shader *shader,
				 struct vkr_program **program) VKR_MUST_USE;

struct vkr_summary_dispatch;

// What one shader of the command under way has logged.
struct vkr_shader_log {
	const struct vkr_program *program;
	const struct vkr_walk_point *point; // what is bound
	const struct vkr_chunk *chunks;     // by workgroup
	size_t count;
	uint32_t local_size; // invocations of a workgroup at most
	bool mixes_patches;  // as in struct vkr_dispatch_targets
	// Not NULL: its accesses are collected for the order of shader calls (call_order.h), or to
	// be judged with other shaders' (joint_order.h), not replayed.
	const struct vkr_map *begins;
	bool is_joint; // the latter
	// Not NULL: what it did follows from its summary, and what it has logged beside that.
	// Compute only.
	const struct vkr_summary_dispatch *summary;
};

// What the shader's variables are bound to.
struct vkr_log_targets {
	struct vkr_bound_set *sets;
	struct vkr_dispatch_targets targets;
};
enum vkr_result vkr_walk_targets(struct vkr_walk *walk, const struct vkr_shader_log *log,
				 struct vkr_log_targets *bound) VKR_MUST_USE;
void vkr_walk_targets_finish(struct vkr_log_targets *bound);

// Says which of a shader's accesses could not be judged.
enum vkr_result vkr_walk_note_losses(struct vkr_walk *walk, const struct vkr_shader *shader,
				     const struct vkr_replay *replay) VKR_MUST_USE;

// The end of judging, after the shader's own accesses.
enum vkr_result vkr_walk_replayed(struct vkr_walk *walk,
				  const struct vkr_dispatch_targets *targets) VKR_MUST_USE;

enum vkr_result vkr_walk_replay(struct vkr_walk *walk,
				const struct vkr_shader_log *log) VKR_MUST_USE;

// Calls `replay` for the chunks of the command under way that have arrived: once for each part of
// the log in which the device did not pause or, if `whole`, once for all of them. walk->waiting:
// more is to come; call it again then, and it continues from there.
enum vkr_result vkr_walk_log(struct vkr_walk *walk, bool whole,
			     enum vkr_result (*replay)(struct vkr_walk *walk, void *user,
						       struct vkr_chunk *chunks, size_t count),
			     void *user) VKR_MUST_USE;

// Says so where the log of the execution is not there, or not whole. `kind`: "dispatches", "draws".
enum vkr_result vkr_walk_log_missing(struct vkr_walk *walk, const char *kind,
				     const struct vkr_shader *shader) VKR_MUST_USE;

// The commands that run the pipeline, in words.
const char *vkr_pipeline_commands(const struct vkr_pipeline *pipeline);

// Says so of the pipeline's shaders that do not log.
// Whether the user chose not to observe the shaders of the command, with this pipeline. It is
// counted as not observed, what its log says is passed over, and what its shaders may order is
// taken as ordered.
enum vkr_result vkr_walk_leave_out(struct vkr_walk *walk, const struct vkr_pipeline *pipeline,
				   bool *left_out) VKR_MUST_USE;

enum vkr_result vkr_walk_note_unobserved(struct vkr_walk *walk,
					 const struct vkr_pipeline *pipeline) VKR_MUST_USE;

// Reads of the descriptors that the replay has looked at, where they lie in buffers
// (descriptor_reads.c).
enum vkr_result vkr_walk_descriptor_reads(struct vkr_walk *walk,
					  const struct vkr_dispatch_targets *targets) VKR_MUST_USE;
