// SPDX-License-Identifier: Apache-2.0
// Where the texels of one logged access lie (struct vkr_texel). Knows what images, texel buffers
// and samplers are bound; not who accesses them.
#pragma once

#include "dispatch_targets.h"
#include "texel_footprint.h"

struct vkr_texel_place {
	const struct vkr_engine_target *target;
	uint64_t offset; // from the target's base
	uint32_t bytes;
	uint32_t x, y, z, mip, sample; // as the view counts; of texel buffers: x
};

// Each texel in each of its planes.
#define VKR_TEXEL_PLACES (VKR_FOOTPRINT_MOST * VKR_IMAGE_PLANES)

struct vkr_texel_places {
	struct vkr_texel_place items[VKR_TEXEL_PLACES];
	uint32_t count;
	bool is_unknown; // what is bound is not known, or not modelled
	// The texels that an implementation may read besides; NULL: none.
	struct vkr_bound_texels *possible;
};

// `record`: behind its segment's number. Texels outside of the view are no accesses.
void vkr_texel_places_find(struct vkr_dispatch_targets *targets,
			   const struct vkr_program_access *access, const uint32_t *record,
			   struct vkr_texel_places *places);
