// SPDX-License-Identifier: Apache-2.0
#include "object_table.h"

#include "error.h"
#include "event_payload.h"
#include "image_objects.h"

#include <stdlib.h>
#include <string.h>

void *vkr_table_find(const struct vkr_map *map, uint32_t id)
{
	uint64_t value = 0;
	return vkr_map_get(map, id, &value) ? (void *)(uintptr_t)value : NULL;
}

enum vkr_result vkr_table_keep(struct vkr_map *map, uint32_t id, const char *what, void *object,
			       struct vkr_error *error)
{
	enum vkr_result result = VKR_OK;
	if (object == NULL)
		return vkr_error_memory(error, what);
	if (id == 0 || vkr_table_find(map, id) != NULL)
		result = vkr_error_set(error, VKR_ERROR_FORMAT, "%s %u is created twice, or is 0",
				       what, id);
	else if (!vkr_map_set(map, id, (uintptr_t)object))
		result = vkr_error_memory(error, what);
	if (result != VKR_OK)
		free(object);
	return result;
}

struct vkr_device *vkr_objects_device(const struct vkr_objects *objects, uint32_t id)
{
	return vkr_table_find(&objects->devices, id);
}

struct vkr_queue *vkr_objects_queue(const struct vkr_objects *objects, uint32_t id)
{
	return vkr_table_find(&objects->queues, id);
}

struct vkr_memory *vkr_objects_memory(const struct vkr_objects *objects, uint32_t id)
{
	return vkr_table_find(&objects->memories, id);
}

struct vkr_buffer *vkr_objects_buffer(const struct vkr_objects *objects, uint32_t id)
{
	return vkr_table_find(&objects->buffers, id);
}

struct vkr_buffer_view *vkr_objects_view(const struct vkr_objects *objects, uint32_t id)
{
	return vkr_table_find(&objects->views, id);
}

struct vkr_shader *vkr_objects_shader(const struct vkr_objects *objects, uint32_t id)
{
	return vkr_table_find(&objects->shaders, id);
}

struct vkr_pipeline *vkr_objects_pipeline(const struct vkr_objects *objects, uint32_t id)
{
	return vkr_table_find(&objects->pipelines, id);
}

struct vkr_command_buffer *vkr_objects_command_buffer(const struct vkr_objects *objects,
						      uint32_t id)
{
	return vkr_table_find(&objects->command_buffers, id);
}

const char *vkr_objects_thread(const struct vkr_objects *objects, uint32_t id)
{
	const char *name = vkr_table_find(&objects->threads, id);
	return name != NULL ? name : "";
}

enum vkr_result vkr_table_unknown(struct vkr_error *error, unsigned type, const char *what,
				  uint32_t id)
{
	return vkr_error_set(error, VKR_ERROR_FORMAT, "%s: there is no %s %u", vkr_event_name(type),
			     what, id);
}

enum vkr_result vkr_table_make(struct vkr_objects *objects, struct vkr_map *map, uint32_t id,
			       size_t size, const char *what, void *object, struct vkr_error *error)
{
	void *made = NULL;
	if (id == 0 || vkr_table_find(map, id) != NULL)
		return vkr_error_set(error, VKR_ERROR_FORMAT, "%s %u is created twice, or is 0",
				     what, id);
	made = vkr_arena_alloc(&objects->arena, size);
	if (made == NULL || !vkr_map_set(map, id, (uintptr_t)made))
		return vkr_error_memory(error, what);
	memcpy(object, &made, sizeof made);
	return VKR_OK;
}

enum vkr_result vkr_table_name(struct vkr_objects *objects, const char **name, const char *what,
			       uint32_t id, struct vkr_error *error)
{
	*name = vkr_texts_format(objects->texts, "%s %u", what, id);
	return *name != NULL ? VKR_OK : vkr_error_memory(error, "a name");
}

struct vkr_image *vkr_objects_image(const struct vkr_objects *objects, uint32_t id)
{
	return vkr_table_find(&objects->images, id);
}
