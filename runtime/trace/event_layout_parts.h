// SPDX-License-Identifier: Apache-2.0
// How tables of members and tails are written down, and the tables that several files share. Knows
// no event.
#pragma once

#include "event_layout.h"

#define FIELD(structure, member, form)                                                             \
	{                                                                                          \
#member, offsetof(struct vkr_trace_##structure, member),                           \
			sizeof(((struct vkr_trace_##structure *)0)->member), 1,                    \
			VKR_EVENT_FIELD_##form, NULL                                               \
	}
#define ARRAY(structure, member, form)                                                             \
	{                                                                                          \
#member, offsetof(struct vkr_trace_##structure, member),                           \
			sizeof(((struct vkr_trace_##structure *)0)->member[0]),                    \
			sizeof(((struct vkr_trace_##structure *)0)->member) /                      \
				sizeof(((struct vkr_trace_##structure *)0)->member[0]),            \
			VKR_EVENT_FIELD_##form, NULL                                               \
	}
#define NAMED(structure, member, names)                                                            \
	{                                                                                          \
#member, offsetof(struct vkr_trace_##structure, member),                           \
			sizeof(((struct vkr_trace_##structure *)0)->member), 1,                    \
			VKR_EVENT_FIELD_NAMED, names                                               \
	}
// The members of a struct vkr_trace_subresources named subresources.
#define SUBRESOURCE_FIELD(structure, part)                                                         \
	{                                                                                          \
#part, offsetof(struct vkr_trace_##structure, subresources.part), 4, 1,            \
			VKR_EVENT_FIELD_NUMBER, NULL                                               \
	}
#define SUBRESOURCE_FIELDS(structure)                                                              \
	{"aspects",                                                                                \
	 offsetof(struct vkr_trace_##structure, subresources.aspects),                             \
	 4,                                                                                        \
	 1,                                                                                        \
	 VKR_EVENT_FIELD_FLAGS,                                                                    \
	 NULL},                                                                                    \
		SUBRESOURCE_FIELD(structure, first_mip), SUBRESOURCE_FIELD(structure, mip_count),  \
		SUBRESOURCE_FIELD(structure, first_layer),                                         \
		SUBRESOURCE_FIELD(structure, layer_count)
#define ID_FIELDS(structure, member)                                                               \
	{                                                                                          \
		FIELD(structure, member, NUMBER), FIELD(structure, reserved, RESERVED)             \
	}
#define LIST(structure)                                                                            \
	{                                                                                          \
		structure##_fields, sizeof structure##_fields / sizeof structure##_fields[0],      \
			sizeof(struct vkr_trace_##structure)                                       \
	}

// Each event's layout is defined in one of the event_layout_*.c.
#define VKR_LAYOUT_DECLARE(name, number, structure, size)                                          \
	extern const struct vkr_event_layout structure##_layout;
VKR_TRACE_EVENTS(VKR_LAYOUT_DECLARE)
#undef VKR_LAYOUT_DECLARE

// Items of tails that events in more than one file have.
extern const struct vkr_event_field_list vkr_descriptor_item;
