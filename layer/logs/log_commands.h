// SPDX-License-Identifier: Apache-2.0
// How a command that logs finds its block, and where the log is drained so that it fits.
// Knows command buffers and tracks; not what commands do.
#pragma once

#include "command_buffer.h"

// Leads the shaders of the bound, logging pipeline to a block for this command, by push constants
// or a descriptor set. NULL: the command logs nothing.
void vkr_log_prepare_block(struct vkr_layer_command_buffer *buffer, VkPipelineBindPoint point,
			   const struct vkr_gpu_block *block);

// Leads a dispatch to a block where one invocation tells what all load alike.
void vkr_log_prepare_told(struct vkr_layer_command_buffer *buffer,
			  const struct vkr_gpu_block *block, const struct vkr_told *told);

// Binds the compute pipeline that logs once more, after a command that drivers implement by
// dispatches.
void vkr_log_bind_again(const struct vkr_layer_command_buffer *buffer);

// A primary command buffer can stop for its log to be drained, outside of render passes; a
// secondary may be called from several at once.
bool vkr_log_can_stop(const struct vkr_layer_command_buffer *buffer);

// Whether the column logs of an executed track fit after the existing ones. If not, a primary
// command buffer stops first; a secondary one cannot.
bool vkr_log_has_room(const struct vkr_layer_command_buffer *buffer,
		      const struct vkr_track *called);

// Makes sure that there is room for `words` more, at most or by experience, where a stop can make
// it.
void vkr_log_stop_for(struct vkr_layer_command_buffer *buffer, uint64_t words);

// A render pass begins that has this many pixels in all its layers and views: the log cannot be
// drained before it ends. Stops here unless at least half of the log is expected to be free.
void vkr_log_begin_pass(struct vkr_layer_command_buffer *buffer, uint64_t pixels);
// A suspended render pass resumes: nothing may be recorded in between.
void vkr_log_resume_pass(struct vkr_layer_command_buffer *buffer, uint64_t pixels);
void vkr_log_end_pass(struct vkr_layer_command_buffer *buffer);

// A subpass begins, or a secondary command buffer that continues it: its draws log where their
// fragments are, unless a load or store operation already covers what these write.
void vkr_log_enter_subpass(struct vkr_layer_command_buffer *buffer, VkRenderPass pass,
			   uint32_t subpass);

// A draw with the bound graphics pipeline and this many vertices in all its instances (UINT64_MAX:
// unknown). `asked`: as in struct vkr_gpu_block. Does nothing if its shaders log nothing.
void vkr_log_draw(struct vkr_layer_command_buffer *buffer, uint32_t command, uint64_t vertices,
		  uint32_t asked);

// A trace-ray command with the bound ray tracing pipeline and this many launches (UINT64_MAX:
// unknown), right before it is recorded. Does nothing if its shaders log nothing.
void vkr_log_trace_rays(struct vkr_layer_command_buffer *buffer, uint32_t command,
			uint64_t launches);

// Around one dispatch of which it is not known how many invocations it has: the bound pipeline
// logs.
void vkr_dispatch_begin_indirect(struct vkr_layer_command_buffer *buffer, uint32_t command);
void vkr_dispatch_end_indirect(struct vkr_layer_command_buffer *buffer);
