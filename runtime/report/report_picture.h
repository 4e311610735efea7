// SPDX-License-Identifier: Apache-2.0
// A picture of one race as SVG: who accessed what, on which queue or thread, and the order that is
// missing. Knows what a report says of a race; not the page around it.
#pragma once

#include "arena.h"
#include "vkrace/report.h"

#include <stdbool.h>
#include <stdio.h>

// False for lack of memory.
bool vkr_report_picture(FILE *out, const struct vkr_race_report *race, struct vkr_arena *arena);
