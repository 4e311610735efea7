// SPDX-License-Identifier: Apache-2.0
// Which texels a sample or a gather certainly reads. Knows samplers and coordinates; not which
// image is meant, or where its texels lie.
#include "texel_footprint.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

// Of a level, likewise.
#define DOUBT       VKR_FOOTPRINT_DOUBT
#define ZERO_WEIGHT VKR_FOOTPRINT_ZERO_WEIGHT
#define FLOAT_DOUBT VKR_FOOTPRINT_FLOAT_DOUBT

#define TAPS_MOST 4

// The texels that one axis contributes.
struct taps {
	int32_t at[TAPS_MOST];
	uint32_t count;
};

// The mip levels of a sample, as the view counts them, and the filter within them.
struct levels {
	uint32_t at[2];
	uint32_t count;
	VkFilter filter;
};

static void add_tap(struct taps *taps, int32_t at)
{
	for (uint32_t i = 0; i < taps->count; i++)
		if (taps->at[i] == at)
			return;
	taps->at[taps->count++] = at;
}

// "(u,v,w,a) to (i,j,k,l,n) Transformation", along one axis, before wrapping. `error` in texels.
static struct taps find_taps(VkFilter filter, double u, double error, bool *is_inexact)
{
	struct taps taps = {0};
	const double doubt = vkr_footprint_doubt(u, error);
	if (!(doubt <= VKR_FOOTPRINT_DOUBT_MOST)) {
		*is_inexact = true;
		return taps;
	}
	if (filter == VK_FILTER_NEAREST) {
		// Both where it could be either: wrapping may make one of them.
		add_tap(&taps, (int32_t)floor(u - doubt));
		add_tap(&taps, (int32_t)floor(u + doubt));
		return taps;
	}
	const double first = floor(u - 0.5);
	const double weight = u - 0.5 - first;
	const int32_t at = (int32_t)first;
	if (weight < doubt || weight > 1 - doubt) {
		// Only the texel that is nearly hit has a weight for certain.
		if (weight > ZERO_WEIGHT && weight < 1 - ZERO_WEIGHT)
			*is_inexact = true;
		add_tap(&taps, weight < doubt ? at : at + 1);
		return taps;
	}
	if (filter == VK_FILTER_CUBIC_EXT)
		add_tap(&taps, at - 1);
	add_tap(&taps, at);
	add_tap(&taps, at + 1);
	if (filter == VK_FILTER_CUBIC_EXT)
		add_tap(&taps, at + 2);
	return taps;
}

static int32_t texel_footprint_modulo(int32_t value, int32_t size)
{
	const int32_t rest = value % size;
	return rest < 0 ? rest + size : rest;
}

static int32_t texel_footprint_mirror(int32_t value)
{
	return value >= 0 ? value : -(1 + value);
}

static int32_t texel_footprint_clamp(int32_t value, int32_t most)
{
	return value < 0 ? 0 : value > most ? most : value;
}

bool vkr_footprint_wrap(uint32_t mode, int32_t size, int32_t *at)
{
	switch ((VkSamplerAddressMode)mode) {
	case VK_SAMPLER_ADDRESS_MODE_REPEAT:
		*at = texel_footprint_modulo(*at, size);
		break;
	case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT:
		*at = size - 1 -
		      texel_footprint_mirror(texel_footprint_modulo(*at, 2 * size) - size);
		break;
	case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE:
		*at = texel_footprint_clamp(*at, size - 1);
		break;
	case VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE:
		*at = texel_footprint_clamp(texel_footprint_mirror(*at), size - 1);
		break;
	default: // clamp to border
		break;
	}
	return *at >= 0 && *at < size;
}

static struct taps wrap_taps(uint32_t mode, VkFilter filter, uint32_t size, const struct taps *taps,
			     bool *is_inexact)
{
	struct taps wrapped = {0};
	bool is_border = false;
	for (uint32_t i = 0; i < taps->count; i++) {
		int32_t at = taps->at[i];
		if (vkr_footprint_wrap(mode, (int32_t)size, &at))
			add_tap(&wrapped, at);
		else
			is_border = true;
	}
	if (filter == VK_FILTER_NEAREST && wrapped.count > 0 && (wrapped.count > 1 || is_border)) {
		*is_inexact = true;
		wrapped.count = 0;
	}
	return wrapped;
}

static uint32_t level_size(uint32_t size, uint32_t mip)
{
	const uint32_t at = mip < 32 ? size >> mip : 0;
	return at > 0 ? at : 1;
}

// ---- Levels -------------------------------------------------------------------------------------

struct range {
	double low, high;
};

// "Scale Factor Operation": lambda from derivatives, within what approximations may yield.
static struct range lambda_of_gradients(const struct vkr_footprint_ask *ask)
{
	double low = 0, high = 0;
	for (uint32_t direction = 0; direction < 2; direction++) {
		double most = 0, sum = 0;
		for (uint32_t axis = 0; axis < ask->axes; axis++) {
			const float slope = ask->gradients[direction * ask->axes + axis];
			const double scaled = fabs((double)slope) * ask->view.extent[axis];
			most = scaled > most ? scaled : most;
			sum += scaled;
		}
		low = most > low ? most : low;
		high = sum * sqrt(2) > high ? sum * sqrt(2) : high;
	}
	return (struct range){log2(low), log2(high)};
}

static uint32_t levels_at(uint32_t mode, double d, uint32_t levels[2], bool *is_inexact)
{
	uint32_t count = 0;
	const double whole = floor(d), rest = d - whole;
	const uint32_t at = (uint32_t)whole;
	if (mode == VK_SAMPLER_MIPMAP_MODE_NEAREST) {
		if (fabs(rest - 0.5) < DOUBT)
			*is_inexact = true;
		else
			levels[count++] = rest < 0.5 ? at : at + 1;
		return count;
	}
	if (rest <= 1 - DOUBT)
		levels[count++] = at;
	if (rest >= DOUBT)
		levels[count++] = at + 1;
	if ((rest < DOUBT || rest > 1 - DOUBT) && rest > ZERO_WEIGHT && rest < 1 - ZERO_WEIGHT)
		*is_inexact = true;
	return count;
}

uint32_t vkr_footprint_levels_within(uint32_t mode, double low, double high, uint32_t levels[2],
				     bool *is_inexact)
{
	uint32_t last[2], both = 0;
	const uint32_t count = levels_at(mode, low, levels, is_inexact);
	if (!(low < high))
		return count;
	const uint32_t last_count = levels_at(mode, high, last, is_inexact);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < last_count; k++)
			if (levels[i] == last[k])
				levels[both++] = levels[i];
	if (both < count || both < last_count)
		*is_inexact = true;
	return both;
}

static double texel_footprint_bounded(double value, double least, double most)
{
	const double above = value > least ? value : least;
	return above < most ? above : most;
}

static struct levels levels_within(const struct vkr_footprint_ask *ask, struct range lambda,
				   bool *is_inexact)
{
	const double q = ask->view.mips - 1.0;
	const double least = ask->view.min_lod > 0 ? ask->view.min_lod : 0;
	const double low = texel_footprint_bounded(lambda.low, 0, q),
		     high = texel_footprint_bounded(lambda.high, 0, q);
	struct levels levels = {0};
	levels.count = vkr_footprint_levels_within(
		ask->sampler->mip_mode, texel_footprint_bounded(low, least, q),
		texel_footprint_bounded(high, least, q), levels.at, is_inexact);
	return levels;
}

// Magnified or minified; where both could be, the texel that both filters read: the nearest.
static VkFilter filter_of(const struct vkr_footprint_ask *ask, struct range lambda,
			  bool *is_inexact)
{
	const struct vkr_trace_sampler *sampler = ask->sampler;
	// A level that the program gives is at most rounded, and not across zero.
	const double least = ask->level == VKR_LEVEL_LOGGED ? 0 : -DOUBT;
	if (sampler->mag_filter == sampler->min_filter || lambda.high <= least)
		return (VkFilter)sampler->mag_filter;
	if (lambda.low > DOUBT)
		return (VkFilter)sampler->min_filter;
	*is_inexact = true;
	return VK_FILTER_NEAREST;
}

static struct levels find_levels(const struct vkr_footprint_ask *ask, bool *is_inexact)
{
	const struct vkr_trace_sampler *sampler = ask->sampler;
	struct levels none = {0};
	struct range lambda = {0, 0};
	if (ask->is_gather)
		return (struct levels){.count = 1, .filter = VK_FILTER_LINEAR};
	if (sampler->unnormalized)
		return (struct levels){.count = 1, .filter = (VkFilter)sampler->mag_filter};
	switch (ask->level) {
	case VKR_LEVEL_BASE:
		break;
	case VKR_LEVEL_LOGGED:
		lambda.low = lambda.high = (double)ask->lod + (double)sampler->mip_bias;
		break;
	case VKR_LEVEL_QUERIED:
		// Drivers do not agree on whether the sampler's bias is in it.
		lambda.low = (double)ask->lod - ask->spread +
			     texel_footprint_bounded((double)sampler->mip_bias, -HUGE_VAL, 0);
		lambda.high = (double)ask->lod + ask->spread +
			      texel_footprint_bounded((double)sampler->mip_bias, 0, HUGE_VAL);
		break;
	case VKR_LEVEL_GRADIENTS:
		lambda = lambda_of_gradients(ask);
		lambda.low += (double)sampler->mip_bias;
		lambda.high += (double)sampler->mip_bias;
		break;
	}
	const bool is_derived =
		ask->level == VKR_LEVEL_QUERIED || ask->level == VKR_LEVEL_GRADIENTS;
	if (isnan(lambda.low) || isnan(lambda.high) ||
	    (is_derived && sampler->max_anisotropy > 1)) {
		*is_inexact = true;
		return none;
	}
	const double least = sampler->min_lod > ask->least_lod ? (double)sampler->min_lod
							       : (double)ask->least_lod;
	const double most = (double)sampler->max_lod;
	lambda.low = texel_footprint_bounded(lambda.low, least, most);
	lambda.high = texel_footprint_bounded(lambda.high, least, most);
	struct levels levels = levels_within(ask, lambda, is_inexact);
	levels.filter = filter_of(ask, lambda, is_inexact);
	return levels;
}

// ---- Cubes and layers ---------------------------------------------------------------------------

bool vkr_footprint_face(const float direction[3], uint32_t *face, double point[2])
{
	const double r[3] = {direction[0], direction[1], direction[2]};
	uint32_t major = 0;
	for (uint32_t axis = 1; axis < 3; axis++)
		major = fabs(r[axis]) > fabs(r[major]) ? axis : major;
	const double size = fabs(r[major]);
	if (!(size > 0) || !(size < HUGE_VAL))
		return false;
	for (uint32_t axis = 0; axis < 3; axis++)
		if (axis != major && fabs(r[axis]) > size * (1 - 4 * FLOAT_DOUBT))
			return false;
	const bool negative = r[major] < 0;
	double s = 0, t = 0;
	if (major == 0) {
		s = negative ? r[2] : -r[2];
		t = -r[1];
	} else if (major == 1) {
		s = r[0];
		t = negative ? -r[2] : r[2];
	} else {
		s = negative ? -r[0] : r[0];
		t = -r[1];
	}
	*face = 2 * major + negative;
	point[0] = 0.5 * s / size + 0.5;
	point[1] = 0.5 * t / size + 0.5;
	return true;
}

bool vkr_footprint_layer(float a, uint32_t layers, uint32_t *layer)
{
	const double value = texel_footprint_bounded((double)a, 0, layers - 1.0);
	const double rest = value - floor(value);
	if (isnan(a) || fabs(rest - 0.5) < FLOAT_DOUBT)
		return false;
	*layer = (uint32_t)floor(value + 0.5);
	return true;
}

// ---- The footprint ------------------------------------------------------------------------------

struct point {
	double at[3];        // normalized, unless the sampler says otherwise
	uint32_t axes;       // of filtering: a cube's face has two
	uint32_t layer_base; // layer, or cube and face
};

static bool find_point(const struct vkr_footprint_ask *ask, struct point *point)
{
	*point = (struct point){.axes = ask->view.is_cube ? 2 : ask->axes};
	uint32_t face = 0, layer = 0;
	if (ask->view.is_cube) {
		if (!vkr_footprint_face(ask->coordinates, &face, point->at))
			return false;
	} else {
		for (uint32_t axis = 0; axis < ask->axes; axis++)
			point->at[axis] = (double)ask->coordinates[axis];
	}
	const uint32_t layers = ask->view.is_cube ? ask->view.layers / 6 : ask->view.layers;
	if (ask->is_arrayed &&
	    (layers == 0 || !vkr_footprint_layer(ask->coordinates[ask->axes], layers, &layer)))
		return false;
	point->layer_base = ask->view.is_cube ? 6 * layer + face : layer;
	return true;
}

// Beyond a face's edge other faces go on ("Cube Map Edge Handling"): those texels are left out.
static struct taps on_face(const struct taps *taps, VkFilter filter, uint32_t size,
			   bool *is_inexact)
{
	if (filter == VK_FILTER_NEAREST)
		return wrap_taps(VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, filter, size, taps,
				 is_inexact);
	const struct taps inside =
		wrap_taps(VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, filter, size, taps, is_inexact);
	if (inside.count < taps->count)
		*is_inexact = true;
	return inside;
}

static struct taps axis_taps(const struct vkr_footprint_ask *ask, const struct point *point,
			     VkFilter filter, uint32_t mip, uint32_t axis, int32_t offset,
			     bool *is_inexact)
{
	const uint32_t size = level_size(ask->view.extent[axis], mip);
	const double scale = ask->sampler->unnormalized ? 1 : size;
	const double u = point->at[axis] * scale + offset;
	if (size == 1 && ask->sampler->address[axis] != VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER)
		return (struct taps){.count = 1};
	struct taps taps = find_taps(filter, u, ask->errors[axis] * scale, is_inexact);
	// A gather's texels have no weights: which of two neighbours comes with the one that is
	// nearly hit is open even where it is hit exactly.
	if (ask->is_gather && taps.count < 2)
		*is_inexact = true;
	if (ask->is_gather && ask->offset_count > 1)
		taps.count = taps.count < 2 ? 0 : 1; // i0 alone
	if (ask->view.is_cube)
		return on_face(&taps, filter, size, is_inexact);
	return wrap_taps(ask->sampler->address[axis], filter, size, &taps, is_inexact);
}

static void add_level(const struct vkr_footprint_ask *ask, const struct point *point,
		      VkFilter filter, uint32_t mip, const int32_t offset[3],
		      struct vkr_footprint *footprint)
{
	struct taps taps[3] = {{.count = 1}, {.count = 1}, {.count = 1}};
	for (uint32_t axis = 0; axis < point->axes; axis++)
		taps[axis] = axis_taps(ask, point, filter, mip, axis, offset[axis],
				       &footprint->is_inexact);
	for (uint32_t k = 0; k < taps[2].count; k++)
		for (uint32_t j = 0; j < taps[1].count; j++)
			for (uint32_t i = 0; i < taps[0].count; i++) {
				assert(footprint->count < VKR_FOOTPRINT_MOST);
				const uint32_t z = point->axes == 3 ? (uint32_t)taps[2].at[k]
								    : point->layer_base;
				footprint->texels[footprint->count++] =
					(struct vkr_footprint_texel){(uint32_t)taps[0].at[i],
								     (uint32_t)taps[1].at[j], z,
								     mip};
			}
}

uint32_t vkr_footprint_face_taps(uint32_t filter, double u, uint32_t size, int32_t at[2],
				 bool *is_inexact)
{
	struct taps taps = find_taps((VkFilter)filter, u, 0, is_inexact);
	taps = on_face(&taps, (VkFilter)filter, size, is_inexact);
	memcpy(at, taps.at, taps.count * sizeof *at);
	return taps.count;
}

void vkr_footprint_find(const struct vkr_footprint_ask *ask, struct vkr_footprint *footprint)
{
	static const int32_t none[3] = {0};
	struct point point;
	footprint->count = 0;
	footprint->is_inexact = false;
	if (ask->view.mips == 0 || !find_point(ask, &point)) {
		footprint->is_inexact = true;
		return;
	}
	const struct levels levels = find_levels(ask, &footprint->is_inexact);
	for (uint32_t i = 0; i < levels.count; i++) {
		if (levels.at[i] >= ask->view.mips)
			continue;
		if (ask->offset_count == 0)
			add_level(ask, &point, levels.filter, levels.at[i], none, footprint);
		for (uint32_t o = 0; o < ask->offset_count; o++)
			add_level(ask, &point, levels.filter, levels.at[i], ask->offsets[o],
				  footprint);
	}
}
