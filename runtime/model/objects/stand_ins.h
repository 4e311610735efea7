// SPDX-License-Identifier: Apache-2.0
// Memories that represent memory which drivers do not show: of swapchain images, sparse resources,
// query pools. Knows who has them, and that they are freed with the last of these.
#pragma once

#include "vkrace/result.h"
#include "vkrace/trace.h"

#include <stddef.h>
#include <stdint.h>

struct vkr_model;
struct vkr_memory;

// Those that nothing has any more, and that pending commands may still reach.
struct vkr_stand_ins {
	uint32_t *items; // memory ids
	size_t count, capacity;
};

void vkr_stand_ins_finish(struct vkr_stand_ins *stand_ins);

// An object has the memory from now on. Does nothing for other memory, and for NULL.
void vkr_stand_in_used(struct vkr_memory *memory);

// BUFFER_DESTROY, IMAGE_DESTROY, QUERY_POOL_DESTROY: the object no longer does.
enum vkr_result vkr_stand_ins_event(struct vkr_model *model, const struct vkr_trace_event *event,
				    struct vkr_error *error) VKR_MUST_USE;
