// SPDX-License-Identifier: Apache-2.0
#include "texel_plan.h"

#include "image_layout.h"
#include "site_table.h"

#include <math.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#define PACKED_MOST 0xffffu

// As in texel_footprint.c; below it what floats leave open is less than what precision does.
#define DOUBT       (1.0 / 16)
#define ZERO_WEIGHT (1.0 / 65536)
#define PLAIN_MOST  (1 << 16)

// ---- Making -------------------------------------------------------------------------------------

// A texel of level 0; false where it is not one place.
static bool place_at(const struct vkr_bound_texels *bound, uint32_t x, uint32_t y,
		     struct vkr_location *found)
{
	struct vkr_location locations[VKR_IMAGE_PLANES];
	const struct vkr_engine_target *target = &bound->planes[0];
	const struct vkr_view_texel texel = {.x = x, .y = y};
	if (vkr_view_texel(bound->view, &texel, locations) != 1)
		return false;
	*found = locations[0];
	return found->memory != NULL && target->memory == found->memory->id &&
	       found->offset >= target->base &&
	       found->offset - target->base + found->bytes <= target->bytes;
}

static bool place_rows(const struct vkr_bound_texels *bound, struct vkr_texel_plan *plan)
{
	struct vkr_location first, below, last;
	uint32_t extent[3];
	vkr_view_extent(bound->view, 0, extent);
	plan->width = extent[0];
	plan->height = extent[1];
	// Blocks of several texels are not told apart by rows of texels.
	if (bound->plane_count != 1 || bound->view->image->samples != 1 || extent[0] < 2 ||
	    extent[1] < 2 || extent[0] >= PLAIN_MOST || extent[1] >= PLAIN_MOST ||
	    !place_at(bound, 0, 0, &first) || !place_at(bound, 0, 1, &below) ||
	    !place_at(bound, extent[0] - 1, extent[1] - 1, &last) || below.offset <= first.offset)
		return false;
	plan->target = &bound->planes[0];
	plan->base = first.offset - plan->target->base;
	plan->pitch = below.offset - first.offset;
	plan->bytes = (uint32_t)first.bytes;
	return last.offset - first.offset ==
	       (extent[1] - 1) * plan->pitch + (extent[0] - 1) * (uint64_t)plan->bytes;
}

static bool plan_fetch(const struct vkr_texel *texel, struct vkr_texel_plan *plan)
{
	if (texel->coordinates != 2 || texel->flags & ~(unsigned)VKR_TEXEL_PACKED ||
	    (texel->level != VKR_LEVEL_BASE && texel->level != VKR_LEVEL_LOGGED))
		return false;
	plan->kind = VKR_PLAN_FETCH;
	plan->packed = texel->flags & VKR_TEXEL_PACKED;
	plan->lod_word =
		texel->level == VKR_LEVEL_BASE ? UINT32_MAX : plan->word + (plan->packed ? 1 : 2);
	return true;
}

// Which levels and filters the sampler leaves for a level that the shader gives.
static bool plan_levels(const struct vkr_trace_sampler *sampler, const struct vkr_texel *texel,
			const struct vkr_bound_texels *bound, struct vkr_texel_plan *plan)
{
	const bool same_filter = sampler->mag_filter == sampler->min_filter;
	const float bias = sampler->mip_bias;
	if (texel->level == VKR_LEVEL_GRADIENTS ||
	    (texel->level == VKR_LEVEL_QUERIED && sampler->max_anisotropy > 1) ||
	    (texel->level != VKR_LEVEL_LOGGED && !same_filter))
		return false;
	plan->all_levels = bound->view->subresources.mip_count == 1 && same_filter;
	plan->lod_word = texel->level == VKR_LEVEL_BASE ? UINT32_MAX : plan->word + 2;
	plan->bias_most = texel->level == VKR_LEVEL_QUERIED && bias < 0 ? 0 : bias;
	return plan->all_levels ||
	       (sampler->min_lod <= 0 && sampler->max_lod >= 0 &&
		bound->view->min_lod <= (float)bound->view->subresources.first_mip);
}

static bool plan_sample(const struct vkr_trace_sampler *sampler, const struct vkr_texel *texel,
			const struct vkr_bound_texels *bound, struct vkr_texel_plan *plan)
{
	const uint32_t filter = sampler->mag_filter;
	if (texel->coordinates != 2 || texel->flags != 0 || sampler->unnormalized ||
	    sampler->chroma_filter != UINT32_MAX ||
	    (filter != VK_FILTER_NEAREST && filter != VK_FILTER_LINEAR) ||
	    !plan_levels(sampler, texel, bound, plan))
		return false;
	plan->kind = VKR_PLAN_SAMPLE;
	plan->linear = filter == VK_FILTER_LINEAR;
	return true;
}

void vkr_texel_plan_make(struct vkr_dispatch_targets *targets,
			 const struct vkr_program_access *access, struct vkr_texel_plan *plan)
{
	const struct vkr_texel *texel = access->texel;
	*plan = (struct vkr_texel_plan){.word = access->word};
	if (access->arrayed || texel->offset_count > 1)
		return;
	struct vkr_bound_texels *bound = vkr_dispatch_texels(targets, access->variable, 0);
	if (bound == NULL || bound->kind != VKR_BOUND_IMAGE ||
	    bound->view->type != VK_IMAGE_VIEW_TYPE_2D || !place_rows(bound, plan))
		return;
	plan->bound = bound;
	for (uint32_t axis = 0; texel->offset_count == 1 && axis < 2; axis++)
		plan->offset[axis] = texel->offsets[0][axis];
	if (texel->form == VKR_TEXEL_INTEGER) {
		plan_fetch(texel, plan);
		return;
	}
	const struct vkr_sampler *sampler =
		texel->sampler == UINT32_MAX ? bound->sampler
					     : vkr_dispatch_sampler(targets, texel->sampler, 0);
	if (sampler != NULL && texel->form == VKR_TEXEL_SAMPLE)
		plan_sample(&sampler->made, texel, bound, plan);
}

// ---- Finding ------------------------------------------------------------------------------------

static float float_of(uint32_t word)
{
	float value;
	memcpy(&value, &word, sizeof value);
	return value;
}

static bool fetch(const struct vkr_texel_plan *plan, const uint32_t *record, uint64_t offsets[4],
		  uint32_t *count)
{
	const uint32_t *words = record + plan->word;
	uint32_t x = words[0], y = 0;
	if (plan->packed) {
		y = x >> 16;
		x &= PACKED_MOST;
		if (x == PACKED_MOST || y == PACKED_MOST)
			return false;
	} else {
		y = words[1];
	}
	x += (uint32_t)plan->offset[0];
	y += (uint32_t)plan->offset[1];
	if ((plan->lod_word != UINT32_MAX && record[plan->lod_word] != 0) || x >= plan->width ||
	    y >= plan->height)
		return false;
	offsets[0] = plan->base + y * plan->pitch + (uint64_t)x * plan->bytes;
	*count = 1;
	return true;
}

// Whether the level is surely 0, and the filter the plan's.
static bool is_of_level_0(const struct vkr_texel_plan *plan, const uint32_t *record)
{
	if (plan->lod_word == UINT32_MAX)
		return true;
	const float lod = float_of(record[plan->lod_word]);
	return plan->all_levels ? !isnan(lod) : (double)lod + (double)plan->bias_most <= 0;
}

// The texels of one axis, before wrapping: all of them within [0, size), else false.
static bool find_taps(bool linear, double u, uint32_t size, uint32_t taps[2], uint32_t *count,
		      bool *possible)
{
	if (!(u >= 0 && u < PLAIN_MOST))
		return false;
	if (!linear) {
		taps[0] = (uint32_t)u;
		*count = 1;
		return u - taps[0] >= DOUBT && u - taps[0] < 1 - DOUBT && taps[0] < size;
	}
	if (u < 0.5)
		return false;
	const uint32_t first = (uint32_t)(u - 0.5);
	const double weight = u - 0.5 - first;
	taps[0] = first;
	taps[1] = first + 1;
	*count = 2;
	if (weight < DOUBT || weight > 1 - DOUBT) {
		*possible = *possible || (weight > ZERO_WEIGHT && weight < 1 - ZERO_WEIGHT);
		taps[0] += weight >= DOUBT;
		*count = 1;
	}
	return taps[*count - 1] < size;
}

static bool sample(const struct vkr_texel_plan *plan, const uint32_t *record, uint64_t offsets[4],
		   uint32_t *count, bool *possible)
{
	const uint32_t *words = record + plan->word;
	const double x = (double)float_of(words[0]) * plan->width + plan->offset[0];
	const double y = (double)float_of(words[1]) * plan->height + plan->offset[1];
	uint32_t columns[2], rows[2], column_count, row_count;
	if (!is_of_level_0(plan, record) ||
	    !find_taps(plan->linear, x, plan->width, columns, &column_count, possible) ||
	    !find_taps(plan->linear, y, plan->height, rows, &row_count, possible))
		return false;
	*count = 0;
	for (uint32_t j = 0; j < row_count; j++)
		for (uint32_t i = 0; i < column_count; i++)
			offsets[(*count)++] = plan->base + rows[j] * plan->pitch +
					      (uint64_t)columns[i] * plan->bytes;
	return true;
}

bool vkr_texel_plan_find(const struct vkr_texel_plan *plan, const uint32_t *record,
			 uint64_t offsets[4], uint32_t *count, bool *possible)
{
	*possible = false;
	switch (plan->kind) {
	case VKR_PLAN_NONE:
		break;
	case VKR_PLAN_FETCH:
		return fetch(plan, record, offsets, count);
	case VKR_PLAN_SAMPLE:
		return sample(plan, record, offsets, count, possible);
	}
	return false;
}
