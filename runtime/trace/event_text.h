// SPDX-License-Identifier: Apache-2.0
// An event as text: one line, and indented lines below it for its parts (recorded commands, chunks
// of a GPU log, sites). Knows the events' members; not what they mean.
#pragma once

#include "vkrace/trace.h"

#include <stdint.h>
#include <stdio.h>

// Prints an event that vkr_event_check has passed. Failures of `out` are left for ferror().
void vkr_event_text(const struct vkr_trace_event *event, uint64_t number, FILE *out);
