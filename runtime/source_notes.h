// SPDX-License-Identifier: Apache-2.0
// What a trace is given of a running program's sources, so that reports can show them elsewhere:
// what debug information says of its calls, and the lines around what its reports may name. Knows
// events and files; not what is reported.
#pragma once

#include "source.h"

struct vkr_source_notes;

// NULL for lack of memory.
struct vkr_source_notes *vkr_source_notes_create(void);

// Implements vkr_note_events (source.h): CALL_PLACE and SOURCE events. What cannot be read, or kept
// for lack of memory, is left out: reports then look for it where they are made.
struct vkr_noted_events vkr_source_notes_event(void *notes, const struct vkr_trace_event *event);

// NULL is allowed.
void vkr_source_notes_destroy(struct vkr_source_notes *notes);
