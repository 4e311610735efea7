// SPDX-License-Identifier: Apache-2.0
// Order between invocations of several shaders of one draw or trace-ray command, by acquire and
// release through atomics: their logs are judged together, as shader_sync.h judges that of one
// shader. Knows which shaders can be; not what is read from logs.
#pragma once

#include "shader_sync.h"

struct vkr_model;
struct vkr_pipeline;

struct vkr_joint_order {
	bool is_active; // the shaders of the command under way are judged together
	struct vkr_sync sync;
	struct {
		struct vkr_site *items; // of all shaders that were collected
		size_t count, capacity;
	} sites;
	struct {
		uint32_t *items; // by place in `sites`: place in the shader's own table
		size_t count, capacity;
	} numbers;
};

// Whether several of the pipeline's shaders order invocations by atomics, and all that these could
// meet is logged. Not where shader calls order, too.
bool vkr_joint_is_for(const struct vkr_pipeline *pipeline);

// Collects what one shader has done to the ranges of joint->sync, and how it synchronizes.
enum vkr_result vkr_joint_collect(struct vkr_joint_order *joint,
				  struct vkr_dispatch_targets *targets,
				  const struct vkr_chunk *chunks, size_t count,
				  struct vkr_error *error) VKR_MUST_USE;

// Judges what was collected of the command, and tells the engine of the races. Leaves nothing
// behind but room.
enum vkr_result vkr_joint_judge(struct vkr_model *model, const struct vkr_device *device,
				uint32_t command, const char *name,
				struct vkr_error *error) VKR_MUST_USE;

void vkr_joint_finish(struct vkr_joint_order *joint);
