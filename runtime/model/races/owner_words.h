// SPDX-License-Identifier: Apache-2.0
// Races between queue families in words: for want of a transfer of ownership, and of atomics in
// scopes that do not hold both. Knows families; not how the race was found.
#pragma once

#include "engine.h"

#include "vkrace/report.h"

#include <stddef.h>

struct vkr_model;

// What is missing, and what to add; each writes at most `size` bytes and returns `text`.
const char *vkr_owner_missing(const struct vkr_model *model, const struct vkr_engine_race *race,
			      const struct vkr_race_report *report, char *text, size_t size);
const char *vkr_owner_change(const struct vkr_model *model, const struct vkr_engine_race *race,
			     const struct vkr_race_report *report, char *text, size_t size);

// The same of two atomics of different commands whose scopes do not hold both.
const char *vkr_atomics_missing(const struct vkr_model *model, const struct vkr_engine_race *race,
				const struct vkr_race_report *report, char *text, size_t size);
const char *vkr_atomics_change(const struct vkr_model *model, const struct vkr_engine_race *race,
			       const struct vkr_race_report *report, char *text, size_t size);
