// SPDX-License-Identifier: Apache-2.0
// The program's own SPIR-V in the trace, as far as reports show it. Knows SPIR-V's words; nothing
// of pipelines.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vkr_site_table;

// Whether some access or barrier has no line of source: a report can only show its instruction.
bool vkr_shader_lacks_lines(const struct vkr_site_table *sites);

// Records the module, without sources in it (SHADER_CODE).
void vkr_shader_code_record(const uint32_t *words, size_t word_count, uint64_t hash);

// Records the sources that the module holds (SOURCE): what OpSource has, or a DebugSource of
// NonSemantic.Shader.DebugInfo.100.
void vkr_shader_sources_record(const uint32_t *words, size_t word_count, uint64_t hash);
