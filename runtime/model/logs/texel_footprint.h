// SPDX-License-Identifier: Apache-2.0
// Which texels a sample or a gather certainly reads (Vulkan specification, "Image Operations").
// Knows samplers and coordinates; not which image is meant, or where its texels lie.
//
// The specification leaves precision to the implementation: of coordinates between texels
// (subTexelPrecisionBits, at least 4), of the level (mipmapPrecisionBits, at least 4), of
// anisotropy, of cube edges. A texel belongs to the footprint only where every implementation reads
// it with a weight that is not zero.
#pragma once

#include "vkrace/site.h"
#include "vkrace/trace.h"

#include <math.h>
#include <stdbool.h>

// The uncertainty of 4 bits of precision, in texels: every implementation has at least that many.
#define VKR_FOOTPRINT_DOUBT (1.0 / 16)
// Beyond this much nobody can say which texels are surely read.
#define VKR_FOOTPRINT_DOUBT_MOST 0.25
// A weight below this is zero in every precision that there is: leaving its texel out is exact.
#define VKR_FOOTPRINT_ZERO_WEIGHT (1.0 / 65536)
// Coordinates and products of 32-bit floats: a few units in the last place.
#define VKR_FOOTPRINT_FLOAT_DOUBT (1.0 / (1 << 20))

// How far from u, counted in texels, implementations may sample; what is logged may be off by
// `error`. No number where one of them is none.
static inline double vkr_footprint_doubt(double u, double error)
{
	const double of_float = fabs(u) * VKR_FOOTPRINT_FLOAT_DOUBT;
	return (of_float < VKR_FOOTPRINT_DOUBT ? VKR_FOOTPRINT_DOUBT : of_float) + error;
}

struct vkr_footprint_view {
	bool is_cube;
	uint32_t extent[3]; // texels of its level 0
	uint32_t mips, layers;
	float min_lod; // counted from its level 0
};

struct vkr_footprint_ask {
	const struct vkr_trace_sampler *sampler;
	struct vkr_footprint_view view;
	bool is_gather, is_arrayed;
	uint32_t axes;        // of the coordinates, an array layer not counted: 1 to 3
	float coordinates[4]; // an array layer after the axes
	double errors[3];     // of these, by axis
	enum vkr_level_choice level;
	float lod;             // VKR_LEVEL_LOGGED, VKR_LEVEL_QUERIED
	double spread;         // of VKR_LEVEL_QUERIED: it may be so far from `lod`
	float gradients[6];    // VKR_LEVEL_GRADIENTS: those by x, then those by y
	float least_lod;       // MinLod; 0 where there is none
	uint32_t offset_count; // 0, 1, or 4 of a gather
	int32_t offsets[4][3];
};

struct vkr_footprint_texel {
	uint32_t x, y;
	uint32_t z; // slice of a volume; else layer, of cubes 6 * cube + face
	uint32_t mip;
};

// Two levels of 4 x 4 x 4 texels: no sample has more (Vulkan specification, "Texel Filtering").
#define VKR_FOOTPRINT_MOST 128

struct vkr_footprint {
	struct vkr_footprint_texel texels[VKR_FOOTPRINT_MOST];
	uint32_t count;
	bool is_inexact; // an implementation may read other texels as well
};

void vkr_footprint_find(const struct vkr_footprint_ask *ask, struct vkr_footprint *footprint);

// "Wrapping Operation", by VkSamplerAddressMode. False: the border colour, no texel.
bool vkr_footprint_wrap(uint32_t mode, int32_t size, int32_t *at);

// The face that a direction meets, and where, normalized ("Cube Map Face Selection"). False where
// two axes are too close to call.
bool vkr_footprint_face(const float direction[3], uint32_t *face, double point[2]);

// The texels along an axis of a face that a sample with a nearest or linear filter surely reads, u
// counted in texels. Returns how many. *is_inexact is set where others may be read.
uint32_t vkr_footprint_face_taps(uint32_t filter, double u, uint32_t size, int32_t at[2],
				 bool *is_inexact);

// The layer that a coordinate selects ("(u,v,w,a) to (i,j,k,l,n) Transformation"): halves may be
// rounded up or to even. False where it is one of several.
bool vkr_footprint_layer(float a, uint32_t layers, uint32_t *layer);

// The levels that a level parameter d' in [low, high] selects for certain ("Image Level(s)
// Selection"), by VkSamplerMipmapMode. Returns how many. *is_inexact is set where others may be.
uint32_t vkr_footprint_levels_within(uint32_t mode, double low, double high, uint32_t levels[2],
				     bool *is_inexact);
