// SPDX-License-Identifier: Apache-2.0
// Where the texels of one logged access lie. Knows what images, texel buffers and samplers are
// bound; not who accesses them.
#include "texel_places.h"

#include "image_layout.h"
#include "site_table.h"
#include "texel_parts.h"

#include <string.h>

#include <vulkan/vulkan_core.h>

// The packed coordinate that stands for all larger ones.
#define PACKED_MOST 0xffffu

// The words of an access, taken one after the other.
struct words {
	const uint32_t *at;
};

static uint32_t texel_places_next(struct words *words)
{
	return *words->at++;
}

static float next_float(struct words *words)
{
	const uint32_t bits = texel_places_next(words);
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

// The descriptor, in `variable` unless the words name the variable.
struct which {
	uint32_t variable, element;
};

static struct which next_which(struct words *words, bool is_chosen, bool is_arrayed,
			       uint32_t variable)
{
	struct which which = {.variable = is_chosen ? texel_places_next(words) : variable};
	which.element = is_chosen || is_arrayed ? texel_places_next(words) : 0;
	return which;
}

static const struct vkr_variable *variable_of(const struct vkr_dispatch_targets *targets,
					      const struct vkr_program_access *access)
{
	return &vkr_site_table_variables(targets->program->shader->sites)[access->variable];
}

// ---- Texel buffers ------------------------------------------------------------------------------

static void find_in_buffer(const struct vkr_bound_texels *bound, uint32_t index,
			   struct vkr_texel_places *places)
{
	const struct vkr_engine_target *target = &bound->planes[0];
	const uint64_t offset = (uint64_t)index * bound->texel_bytes;
	if (offset + bound->texel_bytes > target->bytes)
		return;
	places->items[places->count++] = (struct vkr_texel_place){
		.target = target, .offset = offset, .bytes = bound->texel_bytes, .x = index};
}

// ---- Images -------------------------------------------------------------------------------------

static void add_texel(const struct vkr_bound_texels *bound, const struct vkr_view_texel *texel,
		      struct vkr_texel_places *places)
{
	struct vkr_location locations[VKR_IMAGE_PLANES];
	const uint32_t count = vkr_view_texel(bound->view, texel, locations);
	for (uint32_t at = 0; at < count && places->count < VKR_TEXEL_PLACES; at++) {
		const struct vkr_location *location = &locations[at];
		const struct vkr_engine_target *target = NULL;
		for (uint32_t plane = 0; plane < bound->plane_count; plane++) {
			const struct vkr_engine_target *of = &bound->planes[plane];
			if (location->memory != NULL && of->memory == location->memory->id &&
			    location->offset >= of->base && location->offset - of->base < of->bytes)
				target = of;
		}
		if (target == NULL)
			continue;
		places->items[places->count++] =
			(struct vkr_texel_place){.target = target,
						 .offset = location->offset - target->base,
						 .bytes = (uint32_t)location->bytes,
						 .x = texel->x,
						 .y = texel->y,
						 .z = texel->z,
						 .mip = texel->mip,
						 .sample = texel->sample};
	}
}

static void find_by_integers(const struct vkr_bound_texels *bound, const struct vkr_texel *texel,
			     struct words *words, struct vkr_texel_places *places)
{
	uint32_t coordinates[4] = {0}, first = 0;
	if (texel->flags & VKR_TEXEL_PACKED) {
		const uint32_t both = texel_places_next(words);
		coordinates[0] = both & PACKED_MOST;
		coordinates[1] = both >> 16;
		first = 2;
		if (coordinates[0] == PACKED_MOST || coordinates[1] == PACKED_MOST) {
			uint32_t extent[3];
			vkr_view_extent(bound->view, 0, extent);
			places->is_unknown = extent[0] > PACKED_MOST || extent[1] > PACKED_MOST;
			return;
		}
	}
	for (uint32_t at = first; at < texel->coordinates; at++)
		coordinates[at] = texel_places_next(words);
	struct vkr_view_texel of = {
		.mip = texel->level != VKR_LEVEL_BASE ? texel_places_next(words) : 0u,
		.sample = texel->flags & VKR_TEXEL_SAMPLE_INDEX ? texel_places_next(words) : 0u};
	if (texel->flags & VKR_TEXEL_MIN_LOD)
		texel_places_next(words);
	const bool is_logged = texel->flags & VKR_TEXEL_OFFSET_WORDS;
	for (uint32_t axis = 0; texel->offset_count > 0 && axis < texel->offset_components;
	     axis++) {
		const int32_t constant = texel->offsets[0][axis];
		coordinates[axis] += is_logged ? texel_places_next(words) : (uint32_t)constant;
	}
	const bool is_line = bound->view->type == VK_IMAGE_VIEW_TYPE_1D ||
			     bound->view->type == VK_IMAGE_VIEW_TYPE_1D_ARRAY;
	of.x = coordinates[0];
	of.y = is_line ? 0 : coordinates[1];
	of.z = coordinates[is_line ? 1 : 2];
	add_texel(bound, &of, places);
}

static void read_ask(const struct vkr_texel *texel, uint32_t dim, struct words *words,
		     struct vkr_footprint_ask *ask)
{
	static const uint8_t axes[] = {1, 2, 3, 3, 2, 1, 2};
	ask->axes = axes[dim];
	ask->is_arrayed = texel->coordinates > ask->axes;
	ask->is_gather = texel->form == VKR_TEXEL_GATHER;
	ask->level = (enum vkr_level_choice)texel->level;
	for (uint32_t at = 0; at < texel->coordinates; at++)
		ask->coordinates[at] = next_float(words);
	if (ask->level == VKR_LEVEL_LOGGED || ask->level == VKR_LEVEL_QUERIED)
		ask->lod = next_float(words);
	for (uint32_t at = 0; ask->level == VKR_LEVEL_GRADIENTS && at < 2 * ask->axes; at++)
		ask->gradients[at] = next_float(words);
	if (texel->flags & VKR_TEXEL_MIN_LOD)
		ask->least_lod = next_float(words);
	ask->offset_count = texel->offset_count;
	for (uint32_t offset = 0; offset < texel->offset_count; offset++)
		for (uint32_t axis = 0; axis < texel->offset_components; axis++)
			ask->offsets[offset][axis] = texel->flags & VKR_TEXEL_OFFSET_WORDS
							     ? (int32_t)texel_places_next(words)
							     : texel->offsets[offset][axis];
}

// Fills in the question of an access whose coordinates are derived.
static void derive_ask(const struct vkr_program_access *access, const uint32_t *record,
		       struct vkr_footprint_ask *ask)
{
	const struct vkr_texel *texel = access->texel;
	ask->axes = texel->coordinates;
	ask->is_gather = texel->form == VKR_TEXEL_GATHER;
	ask->level = (enum vkr_level_choice)texel->level;
	for (uint32_t axis = 0; axis < texel->coordinates; axis++)
		ask->coordinates[axis] =
			vkr_texel_part_point(&texel->parts[axis], record, &ask->errors[axis]);
	ask->lod = (float)vkr_texel_word(record, texel->level_word);
	ask->spread = vkr_texel_word(record, texel->level_spread);
	ask->offset_count = texel->offset_count;
	for (uint32_t offset = 0; offset < texel->offset_count; offset++)
		for (uint32_t axis = 0; axis < texel->offset_components; axis++)
			ask->offsets[offset][axis] = texel->offsets[offset][axis];
}

static void find_by_sampler(struct vkr_bound_texels *bound, const struct vkr_sampler *sampler,
			    const struct vkr_dispatch_targets *targets,
			    const struct vkr_program_access *access, struct words *words,
			    const uint32_t *record, struct vkr_texel_places *places)
{
	const struct vkr_texel *texel = access->texel;
	const struct vkr_image_view *view = bound->view;
	struct vkr_footprint_ask ask = {.sampler = &sampler->made};
	struct vkr_footprint footprint;
	ask.view = (struct vkr_footprint_view){
		.is_cube = view->type == VK_IMAGE_VIEW_TYPE_CUBE ||
			   view->type == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY,
		.mips = view->subresources.mip_count,
		.layers = view->subresources.layer_count,
		.min_lod = view->min_lod - (float)view->subresources.first_mip};
	vkr_view_extent(view, 0, ask.view.extent);
	if (texel->flags & VKR_TEXEL_DERIVED)
		derive_ask(access, record, &ask);
	else
		read_ask(texel, variable_of(targets, access)->dim, words, &ask);
	// Which texels of each plane a conversion reads depends on chroma reconstruction.
	if (sampler->made.chroma_filter != UINT32_MAX) {
		places->possible = bound;
		return;
	}
	vkr_footprint_find(&ask, &footprint);
	places->possible = footprint.is_inexact ? bound : NULL;
	for (uint32_t at = 0; at < footprint.count; at++) {
		const struct vkr_footprint_texel *of = &footprint.texels[at];
		add_texel(bound,
			  &(struct vkr_view_texel){
				  .x = of->x, .y = of->y, .z = of->z, .mip = of->mip},
			  places);
	}
}

void vkr_texel_places_find(struct vkr_dispatch_targets *targets,
			   const struct vkr_program_access *access, const uint32_t *record,
			   struct vkr_texel_places *places)
{
	const struct vkr_texel *texel = access->texel;
	const struct vkr_variable *variable = variable_of(targets, access);
	struct words words = {record + access->word};
	places->count = 0;
	places->is_unknown = false;
	places->possible = NULL;
	const struct which image =
		next_which(&words, access->chosen, access->arrayed, access->variable);
	const struct which through =
		next_which(&words, texel->flags & VKR_TEXEL_SAMPLER_CHOSEN,
			   texel->flags & VKR_TEXEL_SAMPLER_ELEMENT, texel->sampler);
	struct vkr_bound_texels *bound =
		vkr_dispatch_texels(targets, image.variable, image.element);
	if (bound == NULL || bound->kind == VKR_BOUND_NOTHING)
		return;
	if (bound->kind == VKR_BOUND_UNKNOWN) {
		places->is_unknown = true;
		return;
	}
	// The layer of an input attachment is the fragment's, which is not logged.
	if (variable->kind == VKR_VARIABLE_INPUT_ATTACHMENT && bound->kind == VKR_BOUND_IMAGE &&
	    bound->view->subresources.layer_count > 1) {
		places->possible = bound;
		return;
	}
	if (bound->kind == VKR_BOUND_BUFFER) {
		find_in_buffer(bound, texel_places_next(&words), places);
		return;
	}
	if (texel->form == VKR_TEXEL_INTEGER) {
		find_by_integers(bound, texel, &words, places);
		return;
	}
	const struct vkr_sampler *sampler =
		texel->sampler == UINT32_MAX
			? bound->sampler
			: vkr_dispatch_sampler(targets, through.variable, through.element);
	if (sampler == NULL)
		places->is_unknown = true;
	else
		find_by_sampler(bound, sampler, targets, access, &words, record, places);
}
