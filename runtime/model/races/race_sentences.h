// SPDX-License-Identifier: Apache-2.0
// What the files share that put races into words. Knows nothing of the words.
#pragma once

#include "engine.h"
#include "text.h"

#include "vkrace/report.h"

#include <stdbool.h>

struct vkr_model;

static inline bool vkr_in_one_dispatch(const struct vkr_engine_race *race)
{
	return race->first.invocation && race->second.invocation &&
	       race->first.command == race->second.command;
}

// dispatch_text.c: of two invocations of one dispatch, what is missing and what to change.
void vkr_text_in_dispatch(struct vkr_model *model, struct vkr_text *text,
			  const struct vkr_engine_race *race, const struct vkr_race_report *report);
void vkr_text_change_in_dispatch(struct vkr_model *model, struct vkr_text *text,
				 const struct vkr_engine_race *race,
				 const struct vkr_race_report *report);

// That change as data in *edit: NULL where it cannot be written as such. False for lack of memory.
bool vkr_change_in_dispatch(struct vkr_model *model, const struct vkr_engine_race *race,
			    const struct vkr_race_report *report, const struct vkr_change **edit);
