// SPDX-License-Identifier: Apache-2.0
// Races in memory that is bound to sparse resources, as each of these sees them. Knows objects and
// places; not why the accesses race.
#include "race_places.h"

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
