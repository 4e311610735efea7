// SPDX-License-Identifier: Apache-2.0
#include "texel_plan.h"

#include "image_layout.h"
#include "site_table.h"
#include "texel_parts.h"

#include <math.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#define PACKED_MOST 0xffffu

#define DOUBT       VKR_FOOTPRINT_DOUBT
#define ZERO_WEIGHT VKR_FOOTPRINT_ZERO_WEIGHT
// Below it what floats leave open is less than what precision does.
#define PLAIN_MOST (1 << 16)

// A tap that is not known.
#define NO_TAP INT32_MIN

// ---- Making -------------------------------------------------------------------------------------

// The block of a texel; false where it is not one place of the plan's target.
static bool place_at(const struct vkr_bound_texels *bound, const struct vkr_view_texel *texel,
		     struct vkr_location *found)
{
	struct vkr_location locations[VKR_IMAGE_PLANES];
	const struct vkr_engine_target *target = &bound->planes[0];
	if (vkr_view_texel(bound->view, texel, locations) != 1)
		return false;
	*found = locations[0];
	return found->memory != NULL && target->memory == found->memory->id &&
	       found->offset >= target->base &&
	       found->offset - target->base + found->bytes <= target->bytes;
}

// How far apart two neighbouring blocks are; false where they do not follow each other.
static bool find_step(const struct vkr_bound_texels *bound, const struct vkr_view_texel *next,
		      const struct vkr_location *first, uint64_t *step)
{
	struct vkr_location found = {0};
	if (!place_at(bound, next, &found) || found.offset <= first->offset)
		return false;
	*step = found.offset - first->offset;
	return true;
}

static bool place_level(const struct vkr_texel_plan *plan, uint32_t mip,
			struct vkr_plan_level *level)
{
	const struct vkr_bound_texels *bound = plan->bound;
	struct vkr_location first, last;
	uint32_t *size = level->size;
	*level = (struct vkr_plan_level){0};
	vkr_view_extent(bound->view, mip, size);
	if (size[0] == 0 || size[1] == 0 || size[2] == 0 || size[0] >= PLAIN_MOST ||
	    size[1] >= PLAIN_MOST || size[2] >= PLAIN_MOST)
		return false;
	const struct vkr_view_texel at_first = {.mip = mip};
	const struct vkr_view_texel at_last = {
		.x = size[0] - 1, .y = size[1] - 1, .z = size[2] - 1, .mip = mip};
	if (!place_at(bound, &at_first, &first) || !place_at(bound, &at_last, &last) ||
	    first.bytes != plan->bytes)
		return false;
	const struct vkr_view_texel below = {.y = plan->block[1], .mip = mip};
	const struct vkr_view_texel behind = {.z = 1, .mip = mip};
	if ((size[1] > plan->block[1] && !find_step(bound, &below, &first, &level->pitch)) ||
	    (size[2] > 1 && !find_step(bound, &behind, &first, &level->slice)))
		return false;
	level->base = first.offset - plan->target->base;
	return last.offset - bound->planes[0].base ==
	       vkr_texel_plan_offset(plan, level, size[0] - 1, size[1] - 1, size[2] - 1);
}

static bool place_levels(struct vkr_texel_plan *plan)
{
	const struct vkr_bound_texels *bound = plan->bound;
	const struct vkr_image_view *view = bound->view;
	if (bound->plane_count != 1 || view->image->samples != 1 ||
	    view->subresources.mip_count > VKR_PLAN_LEVELS)
		return false;
	const struct vkr_texel_block *block = &view->image->planes[0].block;
	const bool of_blocks = view->block.width == 1 && view->block.height == 1;
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

// A texel buffer is one row.
static bool place_row(struct vkr_texel_plan *plan)
{
	const struct vkr_bound_texels *bound = plan->bound;
	const uint64_t count =
		bound->texel_bytes > 0 ? bound->planes[0].bytes / bound->texel_bytes : 0;
	plan->target = &bound->planes[0];
	plan->bytes = bound->texel_bytes;
	plan->block[0] = plan->block[1] = 1;
	plan->level_count = 1;
	plan->levels[0] = (struct vkr_plan_level){
		.size = {count < UINT32_MAX ? (uint32_t)count : UINT32_MAX, 1, 1}};
	return count > 0;
}

// Which word of the record holds which coordinate. `axes`: those of the view, without its layers.
static void plan_coordinates(const struct vkr_texel *texel, uint32_t first, uint32_t axes,
			     struct vkr_texel_plan *plan)
{
	plan->words[0] = first;
	plan->words[1] = plan->words[2] = VKR_PLAN_NO_WORD;
	if (axes > 1)
		plan->words[1] = first + !plan->packed;
	if (texel->coordinates > axes || axes == 3)
		plan->words[2] = first + (axes > 2 ? 2 : axes) - plan->packed;
	plan->lod_word = texel->level == VKR_LEVEL_BASE ? VKR_PLAN_NO_WORD
							: first + texel->coordinates - plan->packed;
}

static void plan_fetch(const struct vkr_texel *texel, uint32_t first, uint32_t axes,
		       struct vkr_texel_plan *plan)
{
	// A line's second coordinate is its layer.
	if (texel->coordinates < axes || (axes == 1 && texel->flags & VKR_TEXEL_PACKED) ||
	    texel->flags & ~(unsigned)VKR_TEXEL_PACKED ||
	    (texel->level != VKR_LEVEL_BASE && texel->level != VKR_LEVEL_LOGGED))
		return;
	plan->kind = VKR_PLAN_FETCH;
	plan->packed = texel->flags & VKR_TEXEL_PACKED;
	plan_coordinates(texel, first, axes, plan);
}

// The levels and filters that the sampler allows for a level that the shader gives.
static bool plan_sampling(const struct vkr_trace_sampler *sampler, const struct vkr_texel *texel,
			  struct vkr_texel_plan *plan)
{
	const bool same_filter = sampler->mag_filter == sampler->min_filter;
	if (texel->level == VKR_LEVEL_GRADIENTS ||
	    (texel->level != VKR_LEVEL_LOGGED && !same_filter))
		return false;
	plan->magnifies = !same_filter;
	plan->linear = sampler->mag_filter == VK_FILTER_LINEAR;
	// Drivers do not agree on whether the bias is in what OpImageQueryLod returns.
	plan->bias_is_open = texel->level == VKR_LEVEL_QUERIED;
	plan->bias = (double)sampler->mip_bias;
	plan->least = (double)sampler->min_lod;
	plan->most = (double)sampler->max_lod;
	plan->mip_mode = sampler->mip_mode;
	memcpy(plan->address, sampler->address, sizeof plan->address);
	return true;
}

static void plan_derived(const struct vkr_texel *texel, struct vkr_texel_plan *plan)
{
	plan->derived = texel;
	for (uint32_t axis = 0; axis < 2; axis++) {
		plan->words[axis] = texel->parts[axis].word;
		plan->sums |= (vkr_texel_part_is_word(&texel->parts[axis]) ? 0u : 1u) << axis;
	}
	if (texel->level != VKR_LEVEL_BASE)
		plan->lod_word = texel->level_word;
}

static void plan_sample(const struct vkr_trace_sampler *sampler, const struct vkr_texel *texel,
			uint32_t first, struct vkr_texel_plan *plan)
{
	const struct vkr_image_view *view = plan->bound->view;
	const uint32_t filter = sampler->mag_filter;
	const bool is_layered = view->type != VK_IMAGE_VIEW_TYPE_2D;
	const unsigned derived = is_layered ? 0 : VKR_TEXEL_DERIVED | VKR_TEXEL_LEVEL_NEAR;
	if (texel->coordinates != 2u + is_layered || texel->flags & ~derived ||
	    (filter != VK_FILTER_NEAREST && filter != VK_FILTER_LINEAR) ||
	    !plan_sampling(sampler, texel, plan))
		return;
	plan_coordinates(texel, first, 2, plan);
	if (texel->flags & VKR_TEXEL_DERIVED)
		plan_derived(texel, plan);
	plan->unnormalized = sampler->unnormalized;
	plan->view_least = (double)view->min_lod - view->subresources.first_mip;
	for (uint32_t mip = 0; mip < plan->level_count; mip++)
		for (uint32_t axis = 0; axis < 2; axis++)
			plan->levels[mip].scale[axis] =
				plan->unnormalized ? 1 : plan->levels[mip].size[axis];
	plan->kind = view->type == VK_IMAGE_VIEW_TYPE_2D     ? VKR_PLAN_SAMPLE
		     : view->type == VK_IMAGE_VIEW_TYPE_CUBE ? VKR_PLAN_SAMPLE_CUBE
							     : VKR_PLAN_SAMPLE_LAYER;
}

// NULL: it is not known, or not one for all invocations.
static const struct vkr_trace_sampler *plan_sampler(struct vkr_dispatch_targets *targets,
						    const struct vkr_texel *texel,
						    const struct vkr_bound_texels *bound)
{
	const unsigned several = VKR_TEXEL_SAMPLER_ELEMENT | VKR_TEXEL_SAMPLER_CHOSEN;
	const struct vkr_sampler *sampler =
		texel->sampler == UINT32_MAX ? bound->sampler
		: texel->flags & several     ? NULL
					     : vkr_dispatch_sampler(targets, texel->sampler, 0);
	return sampler != NULL ? &sampler->made : NULL;
}

// Whether the implementation decides which texels are read, wherever a sample is: those of each
// plane of a conversion ("Chroma Reconstruction"), and how anisotropy is approximated ("Texel
// Anisotropic Filtering").
static bool is_open(const struct vkr_texel *texel, const struct vkr_trace_sampler *sampler)
{
	const bool is_derived =
		texel->level == VKR_LEVEL_QUERIED || texel->level == VKR_LEVEL_GRADIENTS;
	return sampler->chroma_filter != UINT32_MAX ||
	       (is_derived && !sampler->unnormalized && sampler->max_anisotropy > 1);
}

// Axes of a view's texels, its layers not counted; 0: it is not planned.
static uint32_t axes_of(const struct vkr_bound_texels *bound)
{
	if (bound->kind == VKR_BOUND_BUFFER)
		return 1;
	if (bound->kind != VKR_BOUND_IMAGE)
		return 0;
	switch (bound->view->type) {
	case VK_IMAGE_VIEW_TYPE_1D:
	case VK_IMAGE_VIEW_TYPE_1D_ARRAY:
		return 1;
	case VK_IMAGE_VIEW_TYPE_2D:
	case VK_IMAGE_VIEW_TYPE_2D_ARRAY:
	case VK_IMAGE_VIEW_TYPE_CUBE: // faces are layers to what is no sample
	case VK_IMAGE_VIEW_TYPE_CUBE_ARRAY:
		return 2;
	case VK_IMAGE_VIEW_TYPE_3D:
		return 3;
	default:
		return 0;
	}
}

void vkr_texel_plan_make(struct vkr_dispatch_targets *targets,
			 const struct vkr_program_access *access, uint32_t element,
			 struct vkr_texel_plan *plan)
{
	const struct vkr_texel *texel = access->texel;
	const uint32_t first = access->word + access->arrayed;
	*plan = (struct vkr_texel_plan){0};
	if (access->chosen || texel->offset_count > 1)
		return;
	const struct vkr_site_table *table = targets->program->shader->sites;
	const struct vkr_variable *variable = &vkr_site_table_variables(table)[access->variable];
	plan->bound = vkr_dispatch_texels(targets, access->variable, element);
	const struct vkr_trace_sampler *sampler = NULL;
	if (plan->bound != NULL && plan->bound->kind == VKR_BOUND_IMAGE &&
	    texel->form != VKR_TEXEL_INTEGER)
		sampler = plan_sampler(targets, texel, plan->bound);
	if (sampler != NULL && is_open(texel, sampler)) {
		plan->kind = VKR_PLAN_OPEN;
		return;
	}
	const uint32_t axes = plan->bound != NULL ? axes_of(plan->bound) : 0;
	if (axes == 0 ||
	    !(plan->bound->kind == VKR_BOUND_BUFFER ? place_row(plan) : place_levels(plan)))
		return;
	const uint32_t type =
		plan->bound->kind == VKR_BOUND_IMAGE ? plan->bound->view->type : UINT32_MAX;
	const bool is_flat = type == VK_IMAGE_VIEW_TYPE_2D;
	// The layer of an input attachment is the fragment's, which is not logged.
	if (variable->kind == VKR_VARIABLE_INPUT_ATTACHMENT && !is_flat)
		return;
	for (uint32_t axis = 0; texel->offset_count == 1 && axis < texel->offset_components; axis++)
		plan->offset[axis] = texel->offsets[0][axis];
	if (texel->form == VKR_TEXEL_INTEGER) {
		plan_fetch(texel, first, axes, plan);
		return;
	}
	if (sampler != NULL && texel->form == VKR_TEXEL_SAMPLE &&
	    (is_flat || type == VK_IMAGE_VIEW_TYPE_2D_ARRAY || type == VK_IMAGE_VIEW_TYPE_CUBE))
		plan_sample(sampler, texel, first, plan);
}

bool vkr_texel_plan_is_aligned(const struct vkr_texel_plan *plan, unsigned shift)
{
	uint64_t offsets = plan->bytes;
	for (uint32_t mip = 0; mip < plan->level_count; mip++) {
		const struct vkr_plan_level *level = &plan->levels[mip];
		offsets |= level->base | level->pitch | level->slice;
	}
	return offsets % (UINT64_C(1) << shift) == 0;
}

static bool is_same_level(const struct vkr_plan_level *a, const struct vkr_plan_level *b)
{
	return memcmp(a->size, b->size, sizeof a->size) == 0 && a->base == b->base &&
	       a->pitch == b->pitch && a->slice == b->slice && !(a->scale[0] != b->scale[0]) &&
	       !(a->scale[1] != b->scale[1]);
}

static bool is_same_sampling(const struct vkr_texel_plan *a, const struct vkr_texel_plan *b)
{
	return a->linear == b->linear && a->magnifies == b->magnifies &&
	       a->bias_is_open == b->bias_is_open && a->unnormalized == b->unnormalized &&
	       !(a->bias != b->bias) && !(a->least != b->least) && !(a->most != b->most) &&
	       !(a->view_least != b->view_least) && a->mip_mode == b->mip_mode &&
	       memcmp(a->address, b->address, sizeof a->address) == 0;
}

bool vkr_texel_plan_is_same(const struct vkr_texel_plan *a, const struct vkr_texel_plan *b)
{
	if (a->kind != b->kind || a->packed != b->packed || a->derived != b->derived ||
	    a->bytes != b->bytes || memcmp(a->words, b->words, sizeof a->words) != 0 ||
	    a->lod_word != b->lod_word || memcmp(a->offset, b->offset, sizeof a->offset) != 0 ||
	    memcmp(a->block, b->block, sizeof a->block) != 0 || a->level_count != b->level_count ||
	    !is_same_sampling(a, b))
		return false;
	for (uint32_t mip = 0; mip < a->level_count; mip++)
		if (!is_same_level(&a->levels[mip], &b->levels[mip]))
			return false;
	return true;
}

// ---- Finding ------------------------------------------------------------------------------------

static float float_of(uint32_t word)
{
	float value;
	memcpy(&value, &word, sizeof value);
	return value;
}

static bool texel_plan_fetch(const struct vkr_texel_plan *plan, const uint32_t *record,
			     uint64_t offsets[VKR_PLAN_TEXELS], uint32_t *count)
{
	const uint32_t mip = plan->lod_word != VKR_PLAN_NO_WORD ? record[plan->lod_word] : 0;
	uint32_t at[3] = {0};
	for (uint32_t axis = 0; axis < 3; axis++)
		at[axis] = plan->words[axis] != VKR_PLAN_NO_WORD ? record[plan->words[axis]] : 0;
	if (plan->packed) {
		at[1] = at[0] >> 16;
		at[0] &= PACKED_MOST;
		if (at[0] == PACKED_MOST || at[1] == PACKED_MOST)
			return false;
	}
	for (uint32_t axis = 0; axis < 3; axis++) {
		at[axis] += (uint32_t)plan->offset[axis];
		if (mip >= plan->level_count || at[axis] >= plan->levels[mip].size[axis])
			return false;
	}
	offsets[0] = vkr_texel_plan_offset(plan, &plan->levels[mip], at[0], at[1], at[2]);
	*count = 1;
	return true;
}

static double texel_plan_bounded(double value, double least, double most)
{
	const double above = value > least ? value : least;
	return above < most ? above : most;
}

// The level parameter of a scale factor.
static double level_of(const struct vkr_texel_plan *plan, double lambda)
{
	const double q = plan->level_count - 1.0;
	return texel_plan_bounded(texel_plan_bounded(lambda, 0, q),
				  plan->view_least > 0 ? plan->view_least : 0, q);
}

// As find_levels of texel_footprint.c; false where more than precision decides.
bool vkr_texel_plan_levels(const struct vkr_texel_plan *plan, uint32_t lod_bits, double spread,
			   uint32_t levels[2], uint32_t *count, bool *possible)
{
	const bool has_lod = plan->lod_word != VKR_PLAN_NO_WORD;
	const double lod = has_lod ? (double)float_of(lod_bits) : 0;
	const double bias = has_lod ? plan->bias : 0;
	if (vkr_texel_plan_has_one_level(plan, lod_bits)) {
		levels[0] = 0;
		*count = 1;
		return true;
	}
	if (isnan(lod) || isnan(spread))
		return false;
	const double low =
		texel_plan_bounded(lod - spread + (plan->bias_is_open && bias > 0 ? 0 : bias),
				   plan->least, plan->most);
	const double high =
		texel_plan_bounded(lod + spread + (plan->bias_is_open && bias < 0 ? 0 : bias),
				   plan->least, plan->most);
	if (plan->magnifies && !(high <= 0))
		return false;
	*count = vkr_footprint_levels_within(plan->mip_mode, level_of(plan, low),
					     level_of(plan, high), levels, possible);
	return true;
}

// Rounded down.
static inline int32_t whole_of(double value)
{
	const int32_t whole = (int32_t)value;
	return whole - (value < whole);
}

// Where a coordinate is, counted in texels, and how sure that is. False: nobody can say which
// texels are surely read there.
static inline bool texel_plan_scaled(float point, double scale, double offset, double error,
				     double *u, double *doubt)
{
	*u = (double)point * scale + offset;
	*doubt = vkr_footprint_doubt(*u, error);
	const bool is_known = *doubt <= VKR_FOOTPRINT_DOUBT_MOST;
	*u = is_known ? *u : 0;
	return is_known;
}

static inline bool linear_taps(const struct vkr_texel_points *points, double scale, double offset,
			       unsigned step, int32_t *first, int32_t *second)
{
	bool open = false;
	for (uint32_t at = 0; at < points->count; at++) {
		double u, doubt;
		const bool is_known =
			texel_plan_scaled(points->at[at], scale, offset,
					  points->errors[at * step] * scale, &u, &doubt);
		const double from = u - 0.5;
		const int32_t whole = whole_of(from);
		const double rest = from - whole;
		const bool low = rest < doubt;
		const bool high = rest > 1 - doubt;
		first[at] = is_known ? whole + high : NO_TAP;
		second[at] = is_known ? whole + !low : NO_TAP;
		open |= !is_known ||
			((low || high) && rest > ZERO_WEIGHT && rest < 1 - ZERO_WEIGHT);
	}
	return open;
}

static inline bool nearest_taps(const struct vkr_texel_points *points, double scale, double offset,
				unsigned step, int32_t *first, int32_t *second)
{
	bool open = false;
	for (uint32_t at = 0; at < points->count; at++) {
		double u, doubt;
		const bool is_known =
			texel_plan_scaled(points->at[at], scale, offset,
					  points->errors[at * step] * scale, &u, &doubt);
		first[at] = is_known ? whole_of(u - doubt) : NO_TAP;
		second[at] = is_known ? whole_of(u + doubt) : NO_TAP;
		open |= !is_known;
	}
	return open;
}

// Compiled for errors of all, and for those of each.
static inline bool find_taps(const struct vkr_texel_plan *plan,
			     const struct vkr_texel_points *points, double scale, double offset,
			     unsigned step, int32_t *first, int32_t *second)
{
	return plan->linear ? linear_taps(points, scale, offset, step, first, second)
			    : nearest_taps(points, scale, offset, step, first, second);
}

static bool texel_plan_wrap(const struct vkr_texel_plan *plan, uint32_t axis, uint32_t size,
			    uint32_t count, int32_t *first, int32_t *second)
{
	const uint32_t mode = plan->address[axis];
	bool open = false;
	for (uint32_t at = 0; at < count; at++) {
		int32_t *a = &first[at], *b = &second[at];
		if ((uint32_t)*a < size && (uint32_t)*b < size && (plan->linear || *a == *b))
			continue;
		if (*a == NO_TAP || !vkr_footprint_wrap(mode, (int32_t)size, a))
			*a = -1;
		if (*b == NO_TAP || !vkr_footprint_wrap(mode, (int32_t)size, b))
			*b = -1;
		if (!plan->linear && *a != *b) { // one of them, or the border's colour
			open = true;
			*a = *b = -1;
		}
		*a = *a < 0 ? *b : *a;
		*b = *b < 0 ? *a : *b;
	}
	return open;
}

bool vkr_texel_plan_taps(const struct vkr_texel_plan *plan, const struct vkr_plan_level *level,
			 uint32_t axis, const struct vkr_texel_points *points, int32_t *first,
			 int32_t *second)
{
	const uint32_t size = level->size[axis], count = points->count;
	const double scale = plan->unnormalized ? 1 : size, offset = plan->offset[axis];
	if (size == 1 && plan->address[axis] != VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER) {
		memset(first, 0, count * sizeof *first);
		memset(second, 0, count * sizeof *second);
		return false;
	}
	const bool open = points->error_each
				  ? find_taps(plan, points, scale, offset, 1, first, second)
				  : find_taps(plan, points, scale, offset, 0, first, second);
	return texel_plan_wrap(plan, axis, size, count, first, second) || open;
}

// The taps of one coordinate without an error, as vkr_texel_plan_taps finds them. False where it is
// not known to be within the level.
static inline bool inner_taps(const struct vkr_texel_plan *plan, const struct vkr_plan_level *level,
			      uint32_t axis, float point, int32_t taps[2], bool *open)
{
	const uint32_t size = level->size[axis];
	const double u = (double)point * level->scale[axis] + plan->offset[axis];
	if (size == 1 || !(fabs(u) < PLAIN_MOST))
		return false;
	if (plan->linear) {
		const double from = u - 0.5;
		const int32_t whole = whole_of(from);
		const double rest = from - whole;
		const bool low = rest<DOUBT, high = rest> 1 - DOUBT;
		taps[0] = whole + high;
		taps[1] = whole + !low;
		*open = (low || high) && rest > ZERO_WEIGHT && rest < 1 - ZERO_WEIGHT;
	} else {
		taps[0] = whole_of(u - DOUBT);
		taps[1] = whole_of(u + DOUBT);
	}
	return (uint32_t)taps[0] < size && (uint32_t)taps[1] < size &&
	       (plan->linear || taps[0] == taps[1]);
}

float vkr_texel_plan_point(const struct vkr_texel_plan *plan, const uint32_t *record, uint32_t axis,
			   double *error)
{
	*error = 0;
	return plan->sums >> axis & 1
		       ? vkr_texel_part_point(&plan->derived->parts[axis], record, error)
		       : float_of(record[plan->words[axis]]);
}

double vkr_texel_plan_spread(const struct vkr_texel_plan *plan, const uint32_t *record)
{
	return plan->derived != NULL ? vkr_texel_word(record, plan->derived->level_spread) : 0;
}

bool vkr_texel_plan_layer(const struct vkr_texel_plan *plan, uint32_t word, uint32_t *layer)
{
	return vkr_footprint_layer(float_of(word), plan->levels[0].size[2], layer);
}

static void sample_level(const struct vkr_texel_plan *plan, const uint32_t *record, uint32_t mip,
			 uint32_t layer, uint64_t offsets[VKR_PLAN_TEXELS], uint32_t *count,
			 bool *possible)
{
	const struct vkr_plan_level *level = &plan->levels[mip];
	int32_t taps[2][2];
	for (uint32_t axis = 0; axis < 2; axis++) {
		double error = 0;
		const float point = vkr_texel_plan_point(plan, record, axis, &error);
		bool open = false;
		if (error > 0 || !inner_taps(plan, level, axis, point, taps[axis], &open))
			open = vkr_texel_plan_taps(
				plan, level, axis,
				&(struct vkr_texel_points){&point, &error, 1, false},
				&taps[axis][0], &taps[axis][1]);
		*possible |= open;
	}
	if (taps[0][0] < 0 || taps[1][0] < 0)
		return;
	for (uint32_t j = 0; j <= (taps[1][1] != taps[1][0]); j++)
		for (uint32_t i = 0; i <= (taps[0][1] != taps[0][0]); i++)
			offsets[(*count)++] = vkr_texel_plan_offset(
				plan, level, (uint32_t)taps[0][i], (uint32_t)taps[1][j], layer);
}

// The levels of a face.
static void sample_face(const struct vkr_texel_plan *plan, const uint32_t *record,
			const uint32_t *levels, uint32_t level_count,
			uint64_t offsets[VKR_PLAN_TEXELS], uint32_t *count, bool *possible)
{
	float direction[3];
	double point[2];
	uint32_t face;
	memcpy(direction, &record[plan->words[0]], sizeof direction);
	if (!vkr_footprint_face(direction, &face, point)) {
		*possible = true;
		return;
	}
	for (uint32_t at = 0; at < level_count; at++) {
		const struct vkr_plan_level *level = &plan->levels[levels[at]];
		int32_t taps[2][2] = {{0}};
		uint32_t counts[2] = {1, 1};
		for (uint32_t axis = 0; axis < 2; axis++)
			if (level->size[axis] > 1 ||
			    plan->address[axis] == VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER)
				counts[axis] = vkr_footprint_face_taps(
					plan->linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
					point[axis] * level->scale[axis] + plan->offset[axis],
					level->size[axis], taps[axis], possible);
		for (uint32_t j = 0; j < counts[1]; j++)
			for (uint32_t i = 0; i < counts[0]; i++)
				offsets[(*count)++] =
					vkr_texel_plan_offset(plan, level, (uint32_t)taps[0][i],
							      (uint32_t)taps[1][j], face);
	}
}

static bool texel_plan_sample(const struct vkr_texel_plan *plan, const uint32_t *record,
			      uint64_t offsets[VKR_PLAN_TEXELS], uint32_t *count, bool *possible)
{
	uint32_t levels[2], level_count, layer = 0;
	const uint32_t lod = plan->lod_word != VKR_PLAN_NO_WORD ? record[plan->lod_word] : 0;
	*count = 0;
	if (plan->kind == VKR_PLAN_SAMPLE_LAYER &&
	    !vkr_texel_plan_layer(plan, record[plan->words[2]], &layer)) {
		*possible = true;
		return true;
	}
	if (!vkr_texel_plan_levels(plan, lod, vkr_texel_plan_spread(plan, record), levels,
				   &level_count, possible))
		return false;
	if (plan->kind == VKR_PLAN_SAMPLE_CUBE)
		sample_face(plan, record, levels, level_count, offsets, count, possible);
	for (uint32_t at = 0; at < level_count && plan->kind != VKR_PLAN_SAMPLE_CUBE; at++)
		sample_level(plan, record, levels[at], layer, offsets, count, possible);
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
		return texel_plan_fetch(plan, record, offsets, count);
	case VKR_PLAN_OPEN:
		*count = 0;
		*possible = true;
		return true;
	case VKR_PLAN_SAMPLE:
	case VKR_PLAN_SAMPLE_LAYER:
	case VKR_PLAN_SAMPLE_CUBE:
		return texel_plan_sample(plan, record, offsets, count, possible);
	}
	return false;
}
