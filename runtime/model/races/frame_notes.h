// SPDX-License-Identifier: Apache-2.0
// What the author of a race between frames wants to know of descriptor sets: that another frame's
// set names the same buffer, or that another one was to be bound. Knows sets and recordings; not
// how races are found.
#pragma once

#include "engine.h"

#include "vkrace/report.h"

struct vkr_model;

// Words, "" where nothing is sure; NULL for lack of memory.
const char *vkr_frame_note(struct vkr_model *model, const struct vkr_engine_race *race,
			   const struct vkr_race_report *report);
