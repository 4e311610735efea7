// SPDX-License-Identifier: Apache-2.0
// The common accesses to texels, prepared: of one level of a plain image, whose texels stand in
// rows. Says the same as vkr_texel_places_find, faster, or nothing.
#pragma once

#include "texel_places.h"

enum vkr_texel_plan_kind {
	VKR_PLAN_NONE, // nothing is prepared
	VKR_PLAN_FETCH,
	VKR_PLAN_SAMPLE,
};

// An access to one element of its variable.
struct vkr_texel_plan {
	enum vkr_texel_plan_kind kind;
	bool linear;       // filter
	bool all_levels;   // there is one level, whatever the shader asks for
	bool packed;       // coordinates of a fetch
	uint32_t word;     // of the coordinates, in the record
	uint32_t lod_word; // UINT32_MAX: none
	float bias_most;   // that may be added to the level
	uint32_t width, height;
	int32_t offset[2];
	struct vkr_bound_texels *bound;
	const struct vkr_engine_target *target;
	uint64_t base, pitch; // of texel (0, 0), and from row to row
	uint32_t bytes;
};

// The plan for element 0 of the access's variable.
void vkr_texel_plan_make(struct vkr_dispatch_targets *targets,
			 const struct vkr_program_access *access, struct vkr_texel_plan *plan);

// The offsets in the plan's target of the texels that a record says. *possible: an implementation
// may read others of the view. False: vkr_texel_places_find is to be asked.
bool vkr_texel_plan_find(const struct vkr_texel_plan *plan, const uint32_t *record,
			 uint64_t offsets[4], uint32_t *count, bool *possible);
