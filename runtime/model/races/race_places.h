// SPDX-License-Identifier: Apache-2.0
// Races in memory that is bound to sparse resources, as each of these sees them. Knows objects and
// places; not why the accesses race.
#pragma once

#include "model_state.h"

// What an access went through: one of the two, or none where the host or nobody known did.
struct vkr_race_object {
	const struct vkr_buffer *buffer;
	const struct vkr_image *image;
};

// The race with its place in the object's own memory, where that is another.
struct vkr_engine_race vkr_race_in_object(const struct vkr_model *model,
					  const struct vkr_engine_race *race,
					  const struct vkr_race_object *object);
