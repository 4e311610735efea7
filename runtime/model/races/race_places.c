// SPDX-License-Identifier: Apache-2.0
// What the accesses of a race went through, and where that is in memory that is bound to sparse
// resources. Knows objects and places; not why the accesses race.
#include "race_places.h"

const struct vkr_buffer *vkr_race_buffer_of(const struct vkr_model *model,
					    const struct vkr_engine_race *race,
					    const struct vkr_engine_access *access)
{
	const struct vkr_access_site *site = vkr_race_site(model, access);
	if (site->kind == VKR_SITE_OF_COMMAND || site->buffer != NULL)
		return site->buffer;
	// A host thread goes through a pointer: what lies there is told by the other access.
	if (site->kind == VKR_SITE_OF_HOST) {
		const struct vkr_engine_access *other =
			access == &race->first ? &race->second : &race->first;
		const struct vkr_buffer *there =
			vkr_race_site(model, other)->kind != VKR_SITE_OF_HOST
				? vkr_race_buffer_of(model, race, other)
				: NULL;
		return there != NULL && !there->destroyed ? there : NULL;
	}
	if (race->memory == VKR_ENGINE_WORKGROUP || access->reference == 0)
		return NULL;
	return model->names.references.items[access->reference - 1].buffer;
}

struct vkr_race_object vkr_race_object_of(const struct vkr_model *model,
					  const struct vkr_engine_race *race,
					  const struct vkr_engine_access *access)
{
	const struct vkr_access_site *site = vkr_race_site(model, access);
	struct vkr_race_object object = {0};
	if (site->kind == VKR_SITE_OF_HOST || race->memory == VKR_ENGINE_WORKGROUP)
		return object;
	object.buffer = vkr_race_buffer_of(model, race, access);
	if (site->kind == VKR_SITE_OF_COMMAND)
		object.image = site->image;
	else if (access->reference != 0 &&
		 model->names.references.items[access->reference - 1].view != NULL)
		object.image = model->names.references.items[access->reference - 1].view->image;
	return object;
}

static const char *destroyed_name(const struct vkr_race_object *object)
{
	if (object->buffer != NULL)
		return object->buffer->destroyed ? object->buffer->name : NULL;
	return object->image != NULL && object->image->destroyed ? object->image->name : NULL;
}

const char *vkr_race_destroyed(const struct vkr_model *model, const struct vkr_engine_race *race)
{
	const struct vkr_race_object first = vkr_race_object_of(model, race, &race->first);
	const struct vkr_race_object second = vkr_race_object_of(model, race, &race->second);
	if (first.buffer == second.buffer && first.image == second.image)
		return NULL;
	const char *name = destroyed_name(&first);
	return name != NULL ? name : destroyed_name(&second);
}

struct vkr_engine_race vkr_race_in_object(const struct vkr_model *model,
					  const struct vkr_engine_race *race,
					  const struct vkr_race_object *object)
{
	struct vkr_engine_race own = *race;
	const struct vkr_memory *memory = NULL;
	if (object->buffer != NULL)
		memory = object->buffer->memory;
	else if (object->image != NULL && object->image->plane_count > 0)
		memory = object->image->planes[0].memory;
	if (memory != NULL && memory->id != race->memory &&
	    vkr_engine_unmapped(model->engine, memory->id, race->memory, &own.offset))
		own.memory = memory->id;
	return own;
}
