// SPDX-License-Identifier: Apache-2.0
// Sentences about a race that grow piece by piece, as the files share them that write these. Knows
// nothing of races.
#pragma once

#include "engine.h"
#include "error.h"

#include "vkrace/report.h"

#include <stdarg.h>
#include <stddef.h>

#define VKR_WORDS 1024

// What does not fit is cut.
struct vkr_words {
	char text[VKR_WORDS];
	size_t used;
};

void vkr_words_add(struct vkr_words *words, const char *format, ...) VKR_PRINTF(2, 3);

struct vkr_model;

static inline bool vkr_in_one_dispatch(const struct vkr_engine_race *race)
{
	return race->first.invocation && race->second.invocation &&
	       race->first.command == race->second.command;
}

// dispatch_words.c: of two invocations of one dispatch, what is missing and what to change.
void vkr_words_in_dispatch(struct vkr_model *model, struct vkr_words *words,
			   const struct vkr_engine_race *race,
			   const struct vkr_race_report *report);
void vkr_words_change_in_dispatch(struct vkr_model *model, struct vkr_words *words,
				  const struct vkr_engine_race *race,
				  const struct vkr_race_report *report);
