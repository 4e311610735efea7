// SPDX-License-Identifier: Apache-2.0
// Reading events that have passed vkr_event_check. Knows where a payload lies, not what it says.
#pragma once

#include "event_layout.h"

// An event's payload.
static inline const void *vkr_event_payload(const struct vkr_trace_event *event)
{
	return event + 1;
}

// "CMD_DISPATCH".
static inline const char *vkr_event_name(uint32_t type)
{
	const struct vkr_event_layout *layout = vkr_event_layout(type);
	return layout != NULL ? layout->name : "unknown event";
}
