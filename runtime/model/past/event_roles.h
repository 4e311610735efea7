// SPDX-License-Identifier: Apache-2.0
// What events make, change and destroy, and which say the same thing again: what decides whether a
// later volume has them. Knows each event alone; not what came before it.
#pragma once

#include "vkrace/trace.h"

#include <stdint.h>

enum vkr_role {
	VKR_ROLE_COMMAND, // in recordings only
	VKR_ROLE_KEEP,
	VKR_ROLE_DROP,      // what it does is in the states of timelines, or in units
	VKR_ROLE_MAKE,      // an object, whose id is its first member
	VKR_ROLE_DESTROY,   // the object of that id
	VKR_ROLE_CHANGE,    // the object of that id
	VKR_ROLE_HOST,      // an access: kept if that is live
	VKR_ROLE_EXECUTION, // of an execution, whose id is its first member
	VKR_ROLE_RECORDING,
	VKR_ROLE_CALL_STACK, // of the next event of its thread
	VKR_ROLE_LAST,       // an equal one behind it takes its place
	VKR_ROLE_PENDING,    // of what is submitted: kept while that is pending
};

struct vkr_event_role {
	uint8_t role;    // enum vkr_role
	uint16_t object; // the event that makes it
};

struct vkr_event_role vkr_event_role(const struct vkr_trace_event *event);

// What names the object, execution or recording that the event is about.
uint32_t vkr_event_first_member(const struct vkr_trace_event *event);

// What an event says again when it comes again: its type, and the members that tell which object,
// and which part of that, it is about.
uint64_t vkr_event_last_key(const struct vkr_trace_event *event);

// The object that a VKR_ROLE_LAST event is about, and another one, as the event that makes it and
// an id; 0: none.
struct vkr_named_objects {
	uint32_t type, id, source_type, source_id;
};
struct vkr_named_objects vkr_event_named(const struct vkr_trace_event *event);
