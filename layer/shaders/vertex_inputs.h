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

// The locations in *inputs, to be released with free(), and how many ranges of them there are.
// False where they cannot be told: for lack of memory, or by an array of specialized size.
bool vkr_vertex_inputs(const uint32_t *words, size_t word_count, const char *entry_point,
		       struct vkr_trace_shader_input **inputs, uint32_t *count);

// What is captured, likewise. False where it cannot be told: for lack of memory, or where outputs
// are captured as members of blocks.
bool vkr_vertex_captures(const uint32_t *words, size_t word_count, const char *entry_point,
			 VkShaderStageFlagBits stage, struct vkr_trace_capture **captures,
			 uint32_t *count);
