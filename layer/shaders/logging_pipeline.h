// SPDX-License-Identifier: Apache-2.0
// Compute pipelines that log everything, beside the program's own ones whose dispatches need not
// log: made when a dispatch first needs one, because compiling takes longer than most of what they
// are needed for. Knows what a pipeline is made of; not what needs it.
#pragma once

#include "layer.h"

struct vkr_logging_pipeline;

// Keeps what the pipeline is made of: info has the instrumented module of `words`, which live as
// long as the device. Where the info cannot be kept the pipeline is made at once. NULL for lack of
// memory, or if the driver refuses it.
struct vkr_logging_pipeline *vkr_logging_pipeline_keep(const struct vkr_layer_device *device,
						       VkPipelineCache cache,
						       const VkComputePipelineCreateInfo *info,
						       const uint32_t *words, size_t word_count);

// The pipeline, made with this layout where it is not yet. VK_NULL_HANDLE if the driver refuses it.
// Threads may call this at once.
VkPipeline vkr_logging_pipeline_get(struct vkr_logging_pipeline *logging, VkPipelineLayout layout);

// `logging` may be NULL.
void vkr_logging_pipeline_destroy(struct vkr_logging_pipeline *logging);
