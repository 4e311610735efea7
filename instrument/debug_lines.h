// SPDX-License-Identifier: Apache-2.0
// Which source line an instruction came from: OpLine and NonSemantic.Shader.DebugInfo.100.
// Knows nothing of what the instructions do.
#pragma once

#include "spirv_constants.h"

struct vkr_line_reader {
	const struct vkr_constants *constants;
	const char *file; // "" unknown
	uint32_t line, column;
};

// Takes in the next instruction of a function, in order.
void vkr_line_reader_step(struct vkr_line_reader *reader, const struct vkr_instruction *in);

// The main source file's name, "" where the module has none.
const char *vkr_line_main_file(const struct vkr_module *module);
