// SPDX-License-Identifier: Apache-2.0
// A race in the moment in which it is found: a line for its user, and a message for the program's
// debug messengers. Knows words; not who reads them.
#pragma once

#include "arena.h"

#include "vkrace/report.h"
#include "vkrace/result.h"

// "vkrace: found: unordered race on ...; no barrier ...; change: ...; id ..."; NULL for lack of
// memory.
const char *vkr_live_race_line(const struct vkr_race_report *race, struct vkr_arena *arena);

// A text as race_message.h has it, to be released with free(); NULL for lack of memory.
char *vkr_live_race_message(const struct vkr_race_report *race,
			    struct vkr_arena *arena) VKR_MUST_USE;
