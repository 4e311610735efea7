// SPDX-License-Identifier: Apache-2.0
// Two sentences on races that their authors would call false. Knows what made the accesses; not how
// races are found.
#pragma once

#include "engine.h"

#include "vkrace/report.h"

struct vkr_model;

// Sets the report's note, and whether it is a race by the specification's letter only.
void vkr_race_note(const struct vkr_model *model, const struct vkr_engine_race *race,
		   struct vkr_race_report *report);
