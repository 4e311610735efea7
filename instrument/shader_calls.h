// SPDX-License-Identifier: Apache-2.0
// Instructions of ray tracing: which of them run other shaders, and which read an acceleration
// structure. Knows SPIR-V's ray tracing; not how invocations are ordered by it.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Shader call instructions (Vulkan, "Shader Call Instructions").
bool vkr_is_shader_call(uint16_t opcode);

// The word of the instruction that holds the acceleration structure which it reads; 0: it reads
// none.
uint32_t vkr_traced_operand(uint16_t opcode);
