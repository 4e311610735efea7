// SPDX-License-Identifier: Apache-2.0
// Which locations of vertex input a vertex shader reads, and which outputs of a vertex,
// tessellation evaluation or geometry shader are captured by transform feedback. Knows SPIR-V
// words; no pipeline.
#pragma once

#include "vkrace/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

// The locations in *inputs, to be released with free(), and their number. False if they cannot be
// determined: for lack of memory, or because of an array whose size is a specialization constant.
bool vkr_vertex_inputs(const uint32_t *words, size_t word_count, const char *entry_point,
		       struct vkr_trace_shader_input **inputs, uint32_t *count);

// The captured outputs, in the same form. False if they cannot be determined: for lack of memory,
// or because outputs are captured as members of blocks.
bool vkr_vertex_captures(const uint32_t *words, size_t word_count, const char *entry_point,
			 VkShaderStageFlagBits stage, struct vkr_trace_capture **captures,
			 uint32_t *count);
