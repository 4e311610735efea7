// SPDX-License-Identifier: Apache-2.0
// What the accesses of a race went through, and where that is in memory that is bound to sparse
// resources. Knows objects and places; not why the accesses race.
#pragma once

#include "model_state.h"

// What an access went through: one of the two, or none where the host or nobody known did.
struct vkr_race_object {
	const struct vkr_buffer *buffer;
	const struct vkr_image *image;
};

static inline const struct vkr_access_site *vkr_race_site(const struct vkr_model *model,
							  const struct vkr_engine_access *access)
{
	return &model->names.sites.items[access->site_tag];
}

struct vkr_race_object vkr_race_object_of(const struct vkr_model *model,
					  const struct vkr_engine_race *race,
					  const struct vkr_engine_access *access);

// The buffer of an access, a host thread's too; NULL for workgroup memory.
const struct vkr_buffer *vkr_race_buffer_of(const struct vkr_model *model,
					    const struct vkr_engine_race *race,
					    const struct vkr_engine_access *access);

// The name of one of two objects that the program has destroyed; NULL: both accesses went through
// the same one, or both are there.
const char *vkr_race_destroyed(const struct vkr_model *model, const struct vkr_engine_race *race);

// The race with its place in the object's own memory, where that is another.
struct vkr_engine_race vkr_race_in_object(const struct vkr_model *model,
					  const struct vkr_engine_race *race,
					  const struct vkr_race_object *object);
