// SPDX-License-Identifier: Apache-2.0
// What the judge says of a race that it has just found, on its way to the layer: a text, and which
// objects and labels it is about. Knows the message's form; not what a race is.
#pragma once

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stddef.h>
#include <stdint.h>

#define VKR_RACE_MESSAGE_OBJECTS 8u
#define VKR_RACE_MESSAGE_LABELS  16u

struct vkr_race_message_object {
	enum vkr_trace_object kind;
	uint32_t id; // in the trace; unique among objects of its kind
	const char *name;
};

struct vkr_race_message {
	int32_t number;   // of the race's class; it does not change between versions
	const char *name; // "vkrace-unordered"
	uint32_t object_count, label_count;
	struct vkr_race_message_object objects[VKR_RACE_MESSAGE_OBJECTS];
	const char *labels[VKR_RACE_MESSAGE_LABELS]; // of the later command, innermost first
	const char *text;                            // may have several lines
};

// As one text, to be released with free(); NULL for lack of memory. Line breaks in names and labels
// become blanks.
char *vkr_race_message_write(const struct vkr_race_message *message) VKR_MUST_USE;

// Takes such a text apart, in place: the message's texts point into it. What does not have the form
// becomes the message's text.
void vkr_race_message_read(char *text, struct vkr_race_message *message);
