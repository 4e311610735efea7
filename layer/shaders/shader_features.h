// SPDX-License-Identifier: Apache-2.0
// The features of a shader that decide where draws write attachments, and the capabilities that it
// declares. Knows SPIR-V words; no pipeline.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// enum vkr_trace_shader_flags bits: VKR_SHADER_PARTIAL, _EARLY and _LAYERS. Of modules with several
// entry points, those that hold for any of them.
uint32_t vkr_shader_features(const uint32_t *words, size_t word_count, uint32_t stage);

// Whether the module declares the capability.
bool vkr_shader_declares(const uint32_t *words, size_t word_count, uint32_t capability);
