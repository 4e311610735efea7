// SPDX-License-Identifier: Apache-2.0
// The state of one walk through a recording's commands, shared by the files that give them their
// meaning. Knows what is bound; nothing outside runtime/model includes it.
#pragma once

#include "model_state.h"

// Sets bound to a bind point, by set number.
struct vkr_walk_set {
	struct vkr_bound_set bound;
	struct vkr_set pushed; // owned; of push descriptors
};

// What a command buffer has bound for compute. A secondary begins with nothing.
struct vkr_walk_state {
	const struct vkr_pipeline *pipeline;
	struct {
		struct vkr_walk_set *items;
		size_t count, capacity;
	} sets;
	struct {
		const char **items; // labels before each that is open
		size_t count, capacity;
	} label_stack;
	const char *labels; // joined
};

struct vkr_walk {
	struct vkr_model *model;
	const struct vkr_queue *queue;
	uint32_t submission, execution;
	struct vkr_recording *primary;
	const struct vkr_recording *recording; // present: the primary or a secondary
	uint32_t base;                         // index of its first command in the primary
	struct vkr_walk_state *state;
	const struct vkr_walk *caller; // of a secondary
	const struct vkr_log *log;     // NULL: nothing was logged
	size_t *chunks_used;
	struct vkr_error *error;
};

// The info of a command of the present recording; NULL for lack of memory. `like` is asked for only
// where the command is new.
struct vkr_command_info *vkr_walk_info(struct vkr_walk *walk, uint32_t command, uint32_t event_type,
				       const struct vkr_command_info *like);

// A new engine command on the queue for it.
enum vkr_result vkr_walk_begin_command(struct vkr_walk *walk, struct vkr_command_info *info,
				       uint32_t *command) VKR_MUST_USE;

// A range of a buffer read or written by the command itself.
struct vkr_walk_access {
	uint32_t command; // the engine's
	struct vkr_command_info *info;
	const struct vkr_buffer *buffer;
	bool write;
	const char *operation;
	uint64_t stage, access;
	uint64_t offset, bytes; // in the buffer
};
enum vkr_result vkr_walk_access(struct vkr_walk *walk,
				const struct vkr_walk_access *access) VKR_MUST_USE;

// dispatch_commands.c
enum vkr_result vkr_walk_dispatch(struct vkr_walk *walk,
				  const struct vkr_trace_event *event) VKR_MUST_USE;
// transfer_commands.c
enum vkr_result vkr_walk_transfer(struct vkr_walk *walk,
				  const struct vkr_trace_event *event) VKR_MUST_USE;
// barrier_commands.c
enum vkr_result vkr_walk_barrier(struct vkr_walk *walk,
				 const struct vkr_trace_event *event) VKR_MUST_USE;
