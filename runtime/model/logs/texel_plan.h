// SPDX-License-Identifier: Apache-2.0
// The common accesses to texels, prepared: of texel buffers, and of a plain image's levels, whose
// blocks stand in rows. Says the same as vkr_texel_places_find, faster, or nothing.
#pragma once

#include "texel_places.h"

enum vkr_texel_plan_kind {
	VKR_PLAN_NONE, // nothing is prepared
	VKR_PLAN_FETCH,
	VKR_PLAN_SAMPLE,       // of one layer
	VKR_PLAN_SAMPLE_LAYER, // one that a coordinate says
	VKR_PLAN_SAMPLE_CUBE,  // where a direction leads
	VKR_PLAN_OPEN, // no texel is certainly read, and any of the view's may be: no target
};

// Levels of at most 2^16 texels a side have no more.
#define VKR_PLAN_LEVELS 17u
// Four texels of each of two levels.
#define VKR_PLAN_TEXELS 8u

struct vkr_plan_level {
	uint32_t size[3];     // texels; of the last axis slices, or layers
	uint64_t base, pitch; // of texel (0, 0, 0), and from row to row of blocks
	uint64_t slice;       // from slice to slice, or layer to layer
	double scale[2];      // of a sample's coordinates
};

// Not logged: the coordinate is 0, the level 0.
#define VKR_PLAN_NO_WORD UINT32_MAX

// An access to one element of its variable.
struct vkr_texel_plan {
	enum vkr_texel_plan_kind kind;
	bool linear;       // filter
	bool magnifies;    // the filter holds as far as levels are magnified
	bool bias_is_open; // whether the bias is in the level that is logged
	bool packed;       // x and y of a fetch, in the first word
	bool unnormalized; // coordinates of a sample
	// In the record, or VKR_PLAN_NO_WORD: of x, y and z, and of the level.
	uint32_t words[3], lod_word;
	const struct vkr_texel *derived; // VKR_TEXEL_DERIVED; NULL: it is not
	uint32_t sums; // a bit for each coordinate that its parts say, not `words`
	// Of the sampler: what is added to the level, and where it ends then.
	double bias, least, most;
	double view_least; // level of the view
	uint32_t mip_mode, address[2];
	int32_t offset[3];
	struct vkr_bound_texels *bound;
	const struct vkr_engine_target *target;
	uint32_t bytes, block[2]; // of a block, and its texels
	uint32_t level_count;
	struct vkr_plan_level levels[VKR_PLAN_LEVELS];
};

// The plan for an element of the access's variable.
void vkr_texel_plan_make(struct vkr_dispatch_targets *targets,
			 const struct vkr_program_access *access, uint32_t element,
			 struct vkr_texel_plan *plan);

// Whether all its offsets are multiples of 2^shift.
bool vkr_texel_plan_is_aligned(const struct vkr_texel_plan *plan, unsigned shift);

// Whether two plans find the same offsets, each in its own target.
bool vkr_texel_plan_is_same(const struct vkr_texel_plan *a, const struct vkr_texel_plan *b);

// Coordinates along one axis, and what they may be off by: each by an error of its own, or all by
// errors[0].
struct vkr_texel_points {
	const float *at;
	const double *errors;
	uint32_t count;
	bool error_each;
};

// The texels along one axis that samples of a level certainly read, for each of the coordinates:
// `first` and `second`, which are equal if there is only one, and -1 if there is none. Whether an
// implementation may read other texels.
bool vkr_texel_plan_taps(const struct vkr_texel_plan *plan, const struct vkr_plan_level *level,
			 uint32_t axis, const struct vkr_texel_points *points, int32_t *first,
			 int32_t *second);

// The levels that samples with this level's bits read, or with one that is `spread` from it; false:
// vkr_texel_places_find is to be asked.
bool vkr_texel_plan_levels(const struct vkr_texel_plan *plan, uint32_t lod, double spread,
			   uint32_t levels[2], uint32_t *count, bool *possible);

// A sample's coordinate, and what it may be off by.
float vkr_texel_plan_point(const struct vkr_texel_plan *plan, const uint32_t *record, uint32_t axis,
			   double *error);

// Whether samples read level 0, whatever else the level's bits say than that it is no number.
static inline bool vkr_texel_plan_has_one_level(const struct vkr_texel_plan *plan,
						uint32_t lod_bits)
{
	const bool is_number = (lod_bits & INT32_MAX) <= 0x7f800000;
	return plan->unnormalized || (plan->level_count == 1 && !plan->magnifies &&
				      (plan->lod_word == VKR_PLAN_NO_WORD || is_number));
}

// How far a sample's level may be from the one that is logged.
double vkr_texel_plan_spread(const struct vkr_texel_plan *plan, const uint32_t *record);

// The layer of a sample of VKR_PLAN_SAMPLE_LAYER, from its word; false: nobody can say.
bool vkr_texel_plan_layer(const struct vkr_texel_plan *plan, uint32_t word, uint32_t *layer);

// Where a texel of a level is in the plan's target.
static inline uint64_t vkr_texel_plan_offset(const struct vkr_texel_plan *plan,
					     const struct vkr_plan_level *level, uint32_t x,
					     uint32_t y, uint32_t z)
{
	if (plan->block[0] > 1 || plan->block[1] > 1) {
		x /= plan->block[0];
		y /= plan->block[1];
	}
	return level->base + z * level->slice + y * level->pitch + (uint64_t)x * plan->bytes;
}

// The offsets in the plan's target of the texels that a record names; those of one block may be
// equal. *possible: an implementation may read other texels of the view. False: use
// vkr_texel_places_find.
bool vkr_texel_plan_find(const struct vkr_texel_plan *plan, const uint32_t *record,
			 uint64_t offsets[VKR_PLAN_TEXELS], uint32_t *count, bool *possible);
