// SPDX-License-Identifier: Apache-2.0
// Whether an event is made as the format says: sizes, counts against tails, texts, site tables,
// values with a name. Knows one event, and not what stands before it.
#pragma once

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stddef.h>

// Checks the event at the beginning of `bytes` bytes, 8-byte aligned. VKR_ERROR_FORMAT: the message
// names the event's type and the reason. An event that passes can be taken apart by its own counts.
enum vkr_result vkr_event_check(const void *event, size_t bytes,
				struct vkr_error *error) VKR_MUST_USE;
