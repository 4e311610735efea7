// SPDX-License-Identifier: Apache-2.0
// The graphics shader objects that are bound together, kept as the pipeline that they form. Knows
// which are bound together; not how they are made.
#pragma once

#include "layer.h"

struct vkr_layer_pipeline;

// Graphics stages, task and mesh included.
#define VKR_OBJECT_STAGES 7u

// The place of a graphics stage among them; VKR_OBJECT_STAGES for another one.
uint32_t vkr_object_place(VkShaderStageFlagBits stage);

// The pipeline of the bound objects, NULL for none at a stage. NULL if there are none at all, or
// for lack of memory.
struct vkr_layer_pipeline *vkr_combination_get(struct vkr_layer_device *device,
					       const struct vkr_layer_pipeline *const *objects);

// An object is destroyed: what it stood in goes with it.
void vkr_combinations_forget(struct vkr_layer_device *device,
			     const struct vkr_layer_pipeline *object);

// The device is: combinations whose objects are still there.
void vkr_combinations_finish(struct vkr_layer_device *device);
