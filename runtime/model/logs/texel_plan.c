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

// The block of a texel; false where it is not one place of the plan's target.
static bool place_at(const struct vkr_bound_texels *bound, uint32_t mip, uint32_t x, uint32_t y,
		     struct vkr_location *found)
{
	struct vkr_location locations[VKR_IMAGE_PLANES];
	const struct vkr_engine_target *target = &bound->planes[0];
	const struct vkr_view_texel texel = {.x = x, .y = y, .mip = mip};
	if (vkr_view_texel(bound->view, &texel, locations) != 1)
		return false;
	*found = locations[0];
	return found->memory != NULL && target->memory == found->memory->id &&
	       found->offset >= target->base &&
	       found->offset - target->base + found->bytes <= target->bytes;
}

static bool place_level(const struct vkr_texel_plan *plan, uint32_t mip,
			struct vkr_plan_level *level)
{
	const struct vkr_bound_texels *bound = plan->bound;
	struct vkr_location first, below = {0}, last;
	uint32_t extent[3];
	vkr_view_extent(bound->view, mip, extent);
	if (extent[0] >= PLAIN_MOST || extent[1] >= PLAIN_MOST ||
	    !place_at(bound, mip, 0, 0, &first) ||
	    !place_at(bound, mip, extent[0] - 1, extent[1] - 1, &last) ||
	    first.bytes != plan->bytes)
		return false;
	const bool rows = extent[1] > plan->block[1];
	if (rows &&
	    (!place_at(bound, mip, 0, plan->block[1], &below) || below.offset <= first.offset))
		return false;
	level->size[0] = extent[0];
	level->size[1] = extent[1];
	level->base = first.offset - plan->target->base;
	level->pitch = rows ? below.offset - first.offset : 0;
	return last.offset - first.offset ==
	       (extent[1] - 1) / plan->block[1] * level->pitch +
		       (extent[0] - 1) / plan->block[0] * (uint64_t)plan->bytes;
}

static bool place_levels(struct vkr_bound_texels *bound, struct vkr_texel_plan *plan)
{
	const struct vkr_image_view *view = bound->view;
	if (bound->plane_count != 1 || view->image->samples != 1 ||
	    view->subresources.mip_count > VKR_PLAN_LEVELS)
		return false;
	const struct vkr_texel_block *block = &view->image->planes[0].block;
	const bool of_blocks = view->block.width == 1 && view->block.height == 1;
	plan->bound = bound;
	plan->target = &bound->planes[0];
	plan->bytes = block->bytes;
	plan->block[0] = of_blocks ? 1 : block->width;
	plan->block[1] = of_blocks ? 1 : block->height;
	plan->level_count = view->subresources.mip_count;
	for (uint32_t mip = 0; mip < plan->level_count; mip++)
		if (!place_level(plan, mip, &plan->levels[mip]))
			return false;
	return plan->level_count > 0;
}

static void plan_fetch(const struct vkr_texel *texel, struct vkr_texel_plan *plan)
{
	if (texel->coordinates != 2 || texel->flags & ~(unsigned)VKR_TEXEL_PACKED ||
	    (texel->level != VKR_LEVEL_BASE && texel->level != VKR_LEVEL_LOGGED))
		return;
	plan->kind = VKR_PLAN_FETCH;
	plan->packed = texel->flags & VKR_TEXEL_PACKED;
	plan->lod_word =
		texel->level == VKR_LEVEL_BASE ? UINT32_MAX : plan->word + (plan->packed ? 1 : 2);
}

// Which levels and filters the sampler leaves for a level that the shader gives.
static bool plan_sampling(const struct vkr_trace_sampler *sampler, const struct vkr_texel *texel,
			  struct vkr_texel_plan *plan)
{
	const bool same_filter = sampler->mag_filter == sampler->min_filter;
	if (texel->level == VKR_LEVEL_GRADIENTS ||
	    (texel->level == VKR_LEVEL_QUERIED && sampler->max_anisotropy > 1) ||
	    (texel->level != VKR_LEVEL_LOGGED && !same_filter))
		return false;
	plan->magnifies = !same_filter;
	plan->linear = sampler->mag_filter == VK_FILTER_LINEAR;
	plan->lod_word = texel->level == VKR_LEVEL_BASE ? UINT32_MAX : plan->word + 2;
	// Drivers do not agree on whether the bias is in what OpImageQueryLod tells.
	plan->bias_is_open = texel->level == VKR_LEVEL_QUERIED;
	plan->bias = (double)sampler->mip_bias;
	plan->least = (double)sampler->min_lod;
	plan->most = (double)sampler->max_lod;
	plan->mip_mode = sampler->mip_mode;
	memcpy(plan->address, sampler->address, sizeof plan->address);
	return true;
}

static void plan_sample(const struct vkr_trace_sampler *sampler, const struct vkr_texel *texel,
			struct vkr_texel_plan *plan)
{
	const struct vkr_image_view *view = plan->bound->view;
	const uint32_t filter = sampler->mag_filter;
	if (texel->coordinates != 2 || texel->flags != 0 || sampler->unnormalized ||
	    sampler->chroma_filter != UINT32_MAX ||
	    (filter != VK_FILTER_NEAREST && filter != VK_FILTER_LINEAR) ||
	    !plan_sampling(sampler, texel, plan))
		return;
	plan->view_least = (double)view->min_lod - view->subresources.first_mip;
	plan->kind = VKR_PLAN_SAMPLE;
}

void vkr_texel_plan_make(struct vkr_dispatch_targets *targets,
			 const struct vkr_program_access *access, struct vkr_texel_plan *plan)
{
	const struct vkr_texel *texel = access->texel;
	*plan = (struct vkr_texel_plan){.word = access->word};
	if (access->arrayed || access->chosen || texel->offset_count > 1)
		return;
	struct vkr_bound_texels *bound = vkr_dispatch_texels(targets, access->variable, 0);
	if (bound == NULL || bound->kind != VKR_BOUND_IMAGE ||
	    bound->view->type != VK_IMAGE_VIEW_TYPE_2D || !place_levels(bound, plan))
		return;
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
		plan_sample(&sampler->made, texel, plan);
}

// ---- Finding ------------------------------------------------------------------------------------

static float float_of(uint32_t word)
{
	float value;
	memcpy(&value, &word, sizeof value);
	return value;
}

static uint64_t offset_of(const struct vkr_texel_plan *plan, const struct vkr_plan_level *level,
			  uint32_t x, uint32_t y)
{
	if (plan->block[0] > 1 || plan->block[1] > 1) {
		x /= plan->block[0];
		y /= plan->block[1];
	}
	return level->base + y * level->pitch + (uint64_t)x * plan->bytes;
}

static bool fetch(const struct vkr_texel_plan *plan, const uint32_t *record,
		  uint64_t offsets[VKR_PLAN_TEXELS], uint32_t *count)
{
	const uint32_t *words = record + plan->word;
	const uint32_t mip = plan->lod_word != UINT32_MAX ? record[plan->lod_word] : 0;
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
	if (mip >= plan->level_count || x >= plan->levels[mip].size[0] ||
	    y >= plan->levels[mip].size[1])
		return false;
	offsets[0] = offset_of(plan, &plan->levels[mip], x, y);
	*count = 1;
	return true;
}

static double bounded(double value, double least, double most)
{
	const double above = value > least ? value : least;
	return above < most ? above : most;
}

// The level parameter of a scale factor.
static double level_of(const struct vkr_texel_plan *plan, double lambda)
{
	const double q = plan->level_count - 1.0;
	return bounded(bounded(lambda, 0, q), plan->view_least > 0 ? plan->view_least : 0, q);
}

// As find_levels of texel_footprint.c; false where more than precision decides.
static bool find_levels(const struct vkr_texel_plan *plan, const uint32_t *record,
			uint32_t levels[2], uint32_t *count, bool *possible)
{
	const double lod =
		plan->lod_word != UINT32_MAX ? (double)float_of(record[plan->lod_word]) : 0;
	const double bias = plan->lod_word != UINT32_MAX ? plan->bias : 0;
	if (isnan(lod))
		return false;
	const double low =
		bounded(lod + (plan->bias_is_open && bias > 0 ? 0 : bias), plan->least, plan->most);
	const double high =
		bounded(lod + (plan->bias_is_open && bias < 0 ? 0 : bias), plan->least, plan->most);
	const double level = level_of(plan, low);
	if ((plan->magnifies && !(high <= 0)) || level < level_of(plan, high))
		return false;
	*count = vkr_footprint_levels(plan->mip_mode, level, levels, possible);
	return true;
}

// Rounded down.
static int32_t whole_of(double value)
{
	const int32_t whole = (int32_t)value;
	return whole - (value < whole);
}

static void add_tap(int32_t taps[2], uint32_t *count, int32_t at, uint32_t mode, uint32_t size)
{
	if ((uint32_t)at >= size && !vkr_footprint_wrap(mode, (int32_t)size, &at))
		return;
	if (*count == 0 || taps[0] != at)
		taps[(*count)++] = at;
}

// The texels of one axis, none for the border's colour. False where the plan does not say.
static bool find_taps(const struct vkr_texel_plan *plan, uint32_t axis, double point, uint32_t size,
		      int32_t taps[2], uint32_t *count, bool *possible)
{
	const double u = point * size + plan->offset[axis];
	const uint32_t mode = plan->address[axis];
	*count = 0;
	if (size == 1 && mode != VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER) {
		taps[(*count)++] = 0;
		return true;
	}
	if (!(fabs(u) < PLAIN_MOST))
		return false;
	const double from = plan->linear ? u - 0.5 : u;
	const int32_t first = whole_of(from);
	const double rest = from - first;
	if (!plan->linear) {
		add_tap(taps, count, first, mode, size);
		return rest >= DOUBT && rest < 1 - DOUBT;
	}
	const bool is_near = rest < DOUBT || rest > 1 - DOUBT;
	if (!is_near || rest < DOUBT)
		add_tap(taps, count, first, mode, size);
	if (!is_near || rest >= DOUBT)
		add_tap(taps, count, first + 1, mode, size);
	*possible = *possible || (is_near && rest > ZERO_WEIGHT && rest < 1 - ZERO_WEIGHT);
	return true;
}

static bool sample_level(const struct vkr_texel_plan *plan, const uint32_t *record, uint32_t mip,
			 uint64_t offsets[VKR_PLAN_TEXELS], uint32_t *count, bool *possible)
{
	const struct vkr_plan_level *level = &plan->levels[mip];
	const uint32_t *words = record + plan->word;
	int32_t columns[2], rows[2];
	uint32_t column_count, row_count;
	if (!find_taps(plan, 0, (double)float_of(words[0]), level->size[0], columns, &column_count,
		       possible) ||
	    !find_taps(plan, 1, (double)float_of(words[1]), level->size[1], rows, &row_count,
		       possible))
		return false;
	for (uint32_t j = 0; j < row_count; j++)
		for (uint32_t i = 0; i < column_count; i++)
			offsets[(*count)++] =
				offset_of(plan, level, (uint32_t)columns[i], (uint32_t)rows[j]);
	return true;
}

static bool sample(const struct vkr_texel_plan *plan, const uint32_t *record,
		   uint64_t offsets[VKR_PLAN_TEXELS], uint32_t *count, bool *possible)
{
	uint32_t levels[2], level_count;
	if (!find_levels(plan, record, levels, &level_count, possible))
		return false;
	*count = 0;
	for (uint32_t at = 0; at < level_count; at++)
		if (levels[at] < plan->level_count &&
		    !sample_level(plan, record, levels[at], offsets, count, possible))
			return false;
	return true;
}

bool vkr_texel_plan_find(const struct vkr_texel_plan *plan, const uint32_t *record,
			 uint64_t offsets[VKR_PLAN_TEXELS], uint32_t *count, bool *possible)
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
