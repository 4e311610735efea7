// SPDX-License-Identifier: Apache-2.0
// Memories that represent memory which drivers do not show. Knows who has them; not what is in
// them.
#include "stand_ins.h"

#include "array.h"
#include "error.h"
#include "event_payload.h"
#include "model_state.h"
#include "object_table.h"

#include <stdlib.h>

void vkr_stand_ins_finish(struct vkr_stand_ins *stand_ins)
{
	free(stand_ins->items);
}

void vkr_stand_in_used(struct vkr_memory *memory)
{
	if (memory != NULL && memory->stand_in)
		memory->users++;
}

static bool leave_memory(struct vkr_stand_ins *stand_ins, struct vkr_memory *memory)
{
	if (memory == NULL || !memory->stand_in || memory->users == 0 || --memory->users > 0)
		return true;
	if (!VKR_ARRAY_RESERVE(stand_ins, 1))
		return false;
	stand_ins->items[stand_ins->count++] = memory->id;
	return true;
}

static bool leave_image(struct vkr_stand_ins *stand_ins, const struct vkr_image *image)
{
	bool left = true;
	for (uint32_t at = 0; image != NULL && at < image->plane_count; at++)
		left = leave_memory(stand_ins, image->planes[at].memory) && left;
	return left;
}

// All uses have completed as an object is destroyed, but they may not be judged yet.
static void stand_ins_drop(struct vkr_model *model)
{
	struct vkr_stand_ins *stand_ins = &model->stand_ins;
	for (size_t at = 0; at < model->submissions.queues.count; at++)
		if (model->submissions.queues.items[at].first != NULL)
			return;
	for (size_t at = 0; at < stand_ins->count; at++)
		vkr_engine_memory_drop(model->engine, stand_ins->items[at]);
	stand_ins->count = 0;
}

enum vkr_result vkr_stand_ins_event(struct vkr_model *model, const struct vkr_trace_event *event,
				    struct vkr_error *error)
{
	// The first member of each of these names the object.
	const uint32_t id = *(const uint32_t *)vkr_event_payload(event);
	const struct vkr_buffer *buffer = NULL;
	const struct vkr_query_pool *pool = NULL;
	bool left = true;
	switch (event->type) {
	case VKR_TRACE_BUFFER_DESTROY:
		buffer = vkr_objects_buffer(&model->objects, id);
		left = buffer == NULL || leave_memory(&model->stand_ins, buffer->memory);
		break;
	case VKR_TRACE_IMAGE_DESTROY:
		left = leave_image(&model->stand_ins, vkr_objects_image(&model->objects, id));
		break;
	default:
		pool = vkr_table_find(&model->objects.query_pools, id);
		left = pool == NULL || leave_memory(&model->stand_ins, pool->locations.memory);
		break;
	}
	stand_ins_drop(model);
	return left ? VKR_OK : vkr_error_memory(error, "a destroyed object");
}
