// SPDX-License-Identifier: Apache-2.0
// The common accesses to texels, prepared: of a plain image's levels, whose blocks stand in rows.
// Says the same as vkr_texel_places_find, faster, or nothing.
#pragma once

#include "texel_places.h"

enum vkr_texel_plan_kind {
	VKR_PLAN_NONE, // nothing is prepared
	VKR_PLAN_FETCH,
	VKR_PLAN_SAMPLE,
};

// Levels of at most 2^16 texels a side have no more.
#define VKR_PLAN_LEVELS 17u
// Four texels of each of two levels.
#define VKR_PLAN_TEXELS 8u

struct vkr_plan_level {
	uint32_t size[2];     // texels
	uint64_t base, pitch; // of texel (0, 0), and from row to row of blocks
};

// An access to one element of its variable.
struct vkr_texel_plan {
	enum vkr_texel_plan_kind kind;
	bool linear;       // filter
	bool magnifies;    // the filter holds as far as levels are magnified
	bool bias_is_open; // whether the bias is in the level that is logged
	bool packed;       // coordinates of a fetch
	uint32_t word;     // of the coordinates, in the record
	uint32_t lod_word; // UINT32_MAX: none
	// Of the sampler: what is added to the level, and where it ends then.
	double bias, least, most;
	double view_least; // level of the view
	uint32_t mip_mode, address[2];
	int32_t offset[2];
	struct vkr_bound_texels *bound;
	const struct vkr_engine_target *target;
	uint32_t bytes, block[2]; // of a block, and its texels
	uint32_t level_count;
	struct vkr_plan_level levels[VKR_PLAN_LEVELS];
};

// The plan for element 0 of the access's variable.
void vkr_texel_plan_make(struct vkr_dispatch_targets *targets,
			 const struct vkr_program_access *access, struct vkr_texel_plan *plan);

// The offsets in the plan's target of the texels that a record says; those of one block may be the
// same. *possible: an implementation may read others of the view. False: vkr_texel_places_find is
// to be asked.
bool vkr_texel_plan_find(const struct vkr_texel_plan *plan, const uint32_t *record,
			 uint64_t offsets[VKR_PLAN_TEXELS], uint32_t *count, bool *possible);
