// SPDX-License-Identifier: Apache-2.0
// Races between queue families in words: for want of a transfer of ownership, and of atomics in
// scopes that do not hold both. Knows families; not how the race was found.
#pragma once

#include "engine.h"
#include "text.h"

#include "vkrace/report.h"

struct vkr_model;

// Writes what is missing, and what to add, at the end of the text.
void vkr_owner_missing(const struct vkr_model *model, const struct vkr_engine_race *race,
		       const struct vkr_race_report *report, struct vkr_text *text);
void vkr_owner_change(const struct vkr_model *model, const struct vkr_engine_race *race,
		      const struct vkr_race_report *report, struct vkr_text *text);

// What two atomics of different commands lack whose scopes do not include both.
void vkr_atomics_missing(const struct vkr_model *model, const struct vkr_engine_race *race,
			 const struct vkr_race_report *report, struct vkr_text *text);
void vkr_atomics_change(const struct vkr_model *model, const struct vkr_engine_race *race,
			const struct vkr_race_report *report, struct vkr_text *text);
