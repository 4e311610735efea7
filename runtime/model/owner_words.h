// SPDX-License-Identifier: Apache-2.0
// Races for want of a transfer of ownership, in words. Knows what was not handed on; not how that
// was found.
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
