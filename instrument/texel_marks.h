// SPDX-License-Identifier: Apache-2.0
// Reads of texels by many invocations of a draw: where an invocation reads texels that others have
// read at the same place of the shader, its read is not logged. Knows sites; not how marks are
// written (log_texel_marks.h).
//
// One invocation's read of a texel stands for the others' as it does of other bytes
// (uniform_reads.h).
#pragma once

#include "analysis.h"

// Gives segments marks whose sites are all such reads, in a shader whose invocations may log much:
// reads of two-dimensional images, layered or not, whose descriptor and coordinates alone say which
// texels they are. The segments and their room are known, and known again after it. Errors:
// VKR_ERROR_MEMORY, VKR_ERROR_UNSUPPORTED.
enum vkr_result vkr_texel_marks_make(struct vkr_analysis *analysis,
				     struct vkr_error *error) VKR_MUST_USE;
