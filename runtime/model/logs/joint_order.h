// SPDX-License-Identifier: Apache-2.0
// Order between invocations of several shaders of one draw or trace-ray command, by acquire and
// release through atomics, and with it by memory barriers along shader calls: their logs are judged
// together, as shader_sync.h judges that of one shader. Knows which shaders can be; not what is
// read from logs.
#pragma once

#include "call_order.h"
#include "joined_logs.h"

struct vkr_model;
struct vkr_pipeline;

enum vkr_joint_kind {
	VKR_JOINT_NONE,    // each shader is judged by itself
	VKR_JOINT_ATOMICS, // nothing but atomics orders
	VKR_JOINT_CALLS,   // memory barriers order shader calls, too
};

struct vkr_joint_order {
	enum vkr_joint_kind kind; // of the command under way
	struct vkr_joined_logs logs;
};

// How the pipeline's shaders are to be judged together: where one orders invocations by atomics and
// others meet these or shader calls order, too; and all that they could meet is logged.
enum vkr_joint_kind vkr_joint_is_for(const struct vkr_pipeline *pipeline);

// Collects what one shader has done to the ranges of joint->logs.sync, and how it synchronizes; in
// *calls, where these order, how it was called. `begins`: as for vkr_calls_collect.
enum vkr_result vkr_joint_collect(struct vkr_joint_order *joint, struct vkr_calls *calls,
				  struct vkr_dispatch_targets *targets,
				  const struct vkr_chunk *chunks, size_t count,
				  const struct vkr_map *begins,
				  const struct vkr_invocation_groups *groups,
				  struct vkr_error *error) VKR_MUST_USE;

// Judges what was collected for the command and reports the races to the engine. Keeps only
// allocated memory.
enum vkr_result vkr_joint_judge(struct vkr_model *model, const struct vkr_device *device,
				uint32_t command, const char *name,
				struct vkr_error *error) VKR_MUST_USE;

void vkr_joint_finish(struct vkr_joint_order *joint);
