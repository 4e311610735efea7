// SPDX-License-Identifier: Apache-2.0
// An event as text: one line, and indented lines below it for its parts (recorded commands, chunks
// of a GPU log, sites). Knows the events' members; not what they mean.
#pragma once

#include "vkrace/trace.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

// The names that the program gave to objects.
struct vkr_event_objects;

struct vkr_event_objects *vkr_event_objects_create(void); // NULL for lack of memory
void vkr_event_objects_destroy(struct vkr_event_objects *objects);

// Takes the name that a NAME event gives; does nothing for others. False for lack of memory.
bool vkr_event_objects_add(struct vkr_event_objects *objects, const struct vkr_trace_event *event);

struct vkr_event_text_options {
	const struct vkr_event_objects *objects; // NULL: without their names
	// Whether a command of a recording is printed, by its event's name; NULL: all are.
	bool (*shows)(void *user, const char *name);
	void *user;
};

// Prints an event that vkr_event_check has passed; `options` may be NULL. Commands are numbered as
// in reports, from 1. Failures of `out` are left for ferror().
void vkr_event_text(const struct vkr_trace_event *event, uint64_t number,
		    const struct vkr_event_text_options *options, FILE *out);
