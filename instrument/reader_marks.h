// SPDX-License-Identifier: Apache-2.0
// Reads of the same bytes by many invocations of a dispatch: of each place that a shader reads, two
// readers are logged. Knows sites and what is logged of their offsets; not how marks are written.
//
// Where nothing in the shader orders its invocations, an invocation that writes a byte races with
// every other invocation of the dispatch that reads it. Of two readers one at least is another one,
// so two stand for all. Whatever is outside of the dispatch is ordered alike with all of them.
// Where barriers order invocations of one workgroup, the same is true of workgroups: all reads by
// the first workgroup are logged, and one by a second.
// What the shader writes through the same variable is left alone: of an invocation that reads a
// byte, writes it and reads it again, the last read says more than the first.
#pragma once

#include "analysis.h"

// Gives the reads of a compute shader that is logged, and has no summary, their marks. The segments
// and their room are known, and known again after it. Errors: VKR_ERROR_MEMORY.
enum vkr_result vkr_reader_marks_make(struct vkr_analysis *analysis,
				      struct vkr_error *error) VKR_MUST_USE;
