// SPDX-License-Identifier: Apache-2.0
// Which source line an instruction came from: OpLine and NonSemantic.Shader.DebugInfo.100.
// Knows nothing of what the instructions do.
#pragma once

#include "spirv_constants.h"

struct vkr_line {
	const char *file; // "" unknown
	uint32_t line, column;
};

struct vkr_line_reader {
	const struct vkr_constants *constants;
	struct vkr_line at;
	// By the label's id: the line that the block begins with; its file is NULL while that is
	// unknown. A line holds until the end of its block (SPIR-V 3.42.3), but compilers do not
	// repeat it in the next block, which continues with the line at the end of the selection or
	// loop.
	struct vkr_line *blocks;
};

// Takes in the next instruction of a function, in order.
void vkr_line_reader_step(struct vkr_line_reader *reader, const struct vkr_instruction *in);

// The main source file's name, "" where the module has none.
const char *vkr_line_main_file(const struct vkr_module *module);
