// SPDX-License-Identifier: Apache-2.0
// What is missing between invocations of one draw, or of one trace-ray command, and the smallest
// change, in words. Knows stages without workgroups; not what was found.
#pragma once

#include "engine.h"

const char *vkr_stage_words_missing(const struct vkr_engine_race *race);
const char *vkr_stage_words_change(const struct vkr_engine_race *race);
