// SPDX-License-Identifier: Apache-2.0
// A name for a race that is the same in another run, so that baselines, diffs and code hosts
// recognise it. Knows a race's report; not how races are found or grouped.
#pragma once

#include "vkrace/report.h"

#include <stdint.h>

// A hash of the class and of both accesses' places, whichever of them comes first. It holds what
// stays as the program is edited elsewhere: names of files, functions, variables, objects, shaders
// and commands. It leaves out line numbers, offsets, counts, invocations, threads and submissions.
// Places without a name are distinguished by what they have: a shader without debug information by
// the SPIR-V word.
uint64_t vkr_race_identity(const struct vkr_race_report *race);
