// SPDX-License-Identifier: Apache-2.0
#include "framebuffer_places.h"

#include "image_layout.h"
#include "model_state.h"

#include <stdio.h>

struct place {
	bool has_pixel, has_layer, has_view;
	uint32_t x, y, layer, view;
	// The samples that it covers, 0: unknown, and of how many.
	uint32_t samples, sample_count;
};

// A word of the invocation's identity; false if it was not logged.
static bool framebuffer_places_told(const struct vkr_invocation_group *group, const uint32_t *words,
				    enum vkr_identity bit, uint32_t *value)
{
	const uint32_t *word = vkr_invocation_told(group->identity, words, bit);
	if (word != NULL)
		*value = *word;
	return word != NULL;
}

static uint32_t sample_count(const struct vkr_command_info *info)
{
	const struct vkr_pipeline *pipeline = info != NULL ? info->pipeline : NULL;
	return pipeline != NULL && pipeline->graphics != NULL
		       ? pipeline->graphics->flags >> VKR_GRAPHICS_COUNT_SHIFT
		       : 0;
}

static struct place place_of_fragment(const struct vkr_model *model,
				      const struct vkr_engine_access *access)
{
	struct place place = {0};
	uint32_t words[VKR_IDENTITY_WORDS_MOST], sample = 0;
	if (access->workgroup >= model->invocation_groups.count)
		return place;
	const struct vkr_invocation_group *group =
		&model->invocation_groups.items[access->workgroup];
	vkr_invocation_identity(group, access->local, words);
	place.has_layer = framebuffer_places_told(group, words, VKR_IDENTITY_LAYER, &place.layer);
	place.has_view = framebuffer_places_told(group, words, VKR_IDENTITY_VIEW, &place.view);
	const uint32_t *pixel = vkr_invocation_told(group->identity, words, VKR_IDENTITY_FRAGMENT);
	place.has_pixel = pixel != NULL;
	if (pixel != NULL) {
		place.x = pixel[0];
		place.y = pixel[1];
	}
	place.sample_count = sample_count(model->names.executed.items[access->tag].info);
	if (framebuffer_places_told(group, words, VKR_IDENTITY_SAMPLE, &sample))
		place.samples = sample < 32 ? 1u << sample : 0;
	else if (!framebuffer_places_told(group, words, VKR_IDENTITY_COVERAGE, &place.samples))
		place.samples = 0;
	return place;
}

// Attachments have each pixel's texel at its coordinates.
static struct place place_of(const struct vkr_model *model, const struct vkr_engine_race *race,
			     const struct vkr_engine_access *access, uint64_t offset)
{
	const struct vkr_access_site *site = &model->names.sites.items[access->site_tag];
	struct vkr_image_texel texel;
	if (site->kind == VKR_SITE_OF_SHADER && access->invocation)
		return place_of_fragment(model, access);
	if (site->kind != VKR_SITE_OF_COMMAND || site->image == NULL ||
	    !vkr_image_place(site->image, race->memory, offset, &texel))
		return (struct place){0};
	const uint32_t slice = site->image->type == VK_IMAGE_TYPE_3D ? texel.z : texel.layer;
	const uint32_t layer = slice - site->layers.first;
	return (struct place){.has_pixel = true,
			      .has_layer = site->layers.told == VKR_LAYERS_OF_FRAMEBUFFER,
			      .has_view = site->layers.told == VKR_LAYERS_OF_VIEWS,
			      .x = texel.x,
			      .y = texel.y,
			      .layer = layer,
			      .view = layer,
			      .samples = texel.sample < 32 ? 1u << texel.sample : 0,
			      .sample_count = site->image->samples};
}

static bool same_view(const struct place *a, const struct place *b)
{
	return !a->has_view || !b->has_view || a->view == b->view;
}

// Whether two places of one pixel have no sample in common. Dependencies distinguish samples if
// both operations have the same number of them.
static bool are_other_samples(const struct place *a, const struct place *b)
{
	return a->sample_count > 1 && a->sample_count == b->sample_count && a->samples != 0 &&
	       b->samples != 0 && (a->samples & b->samples) == 0;
}

static bool same_region(const struct place *a, const struct place *b, bool by_sample)
{
	if (a->has_pixel && b->has_pixel && (a->x != b->x || a->y != b->y))
		return false;
	if (by_sample && are_other_samples(a, b))
		return false;
	return !a->has_layer || !b->has_layer || a->layer == b->layer;
}

bool vkr_framebuffer_coarse(const struct vkr_model *model)
{
	const struct vkr_device *device =
		model->walk.queue != NULL
			? vkr_objects_device(&model->objects, model->walk.queue->device)
			: NULL;
	return device == NULL || device->flags & VKR_DEVICE_COARSE_FRAGMENTS;
}

// Whether regions are of samples, for these two ("Framebuffer Region Dependencies").
static bool tells_samples(const struct vkr_model *model, const struct vkr_engine_race *race)
{
	const struct vkr_executed *executed = model->names.executed.items;
	return !executed[race->first.tag].by_fragment || !executed[race->second.tag].by_fragment;
}

static bool same_place(const struct vkr_model *model, const struct vkr_engine_race *race,
		       const struct place *a, const struct place *b, uint32_t kinds)
{
	if (kinds & VKR_SHORT_OTHER_REGION && !same_region(a, b, tells_samples(model, race)))
		return false;
	return !(kinds & VKR_SHORT_OTHER_VIEW) || same_view(a, b);
}

static bool same_kinds(const struct vkr_model *model, const struct vkr_engine_race *race,
		       uint32_t kinds)
{
	const uint64_t last = race->offset + race->bytes - 1;
	if (vkr_framebuffer_coarse(model))
		return true;
	struct place first = place_of(model, race, &race->first, race->offset);
	struct place second = place_of(model, race, &race->second, race->offset);
	if (!same_place(model, race, &first, &second, kinds))
		return false;
	// If one access reaches several texels, one at another place is enough; accesses of
	// invocations remain.
	if (!race->first.invocation)
		first = place_of(model, race, &race->first, last);
	if (!race->second.invocation)
		second = place_of(model, race, &race->second, last);
	return same_place(model, race, &first, &second, kinds);
}

bool vkr_framebuffer_same_place(const struct vkr_model *model, const struct vkr_engine_race *race)
{
	return same_kinds(model, race, race->shortfall);
}

bool vkr_framebuffer_same_pixel(const struct vkr_model *model, const struct vkr_engine_race *race)
{
	return same_kinds(model, race, VKR_SHORT_OTHER_REGION | VKR_SHORT_OTHER_VIEW);
}

// Whether the two are apart by their views alone.
static bool by_view(const struct vkr_model *model, const struct vkr_engine_race *race)
{
	const struct place first = place_of(model, race, &race->first, race->offset);
	const struct place second = place_of(model, race, &race->second, race->offset);
	return race->shortfall & VKR_SHORT_OTHER_VIEW && !same_view(&first, &second);
}

void vkr_framebuffer_missing(const struct vkr_model *model, const struct vkr_engine_race *race,
			     const struct vkr_text *split, struct vkr_text *words)
{
	const struct place first = place_of(model, race, &race->first, race->offset);
	const struct place second = place_of(model, race, &race->second, race->offset);
	const char *name = vkr_text_text(split);
	if (by_view(model, race))
		vkr_text_add(words,
			     "%s has VK_DEPENDENCY_VIEW_LOCAL_BIT: it orders only accesses in the "
			     "same view, but the first access is in view %u, the second in view %u",
			     name, first.view, second.view);
	else if (first.has_layer && second.has_layer && first.layer != second.layer)
		vkr_text_add(
			words,
			"%s has VK_DEPENDENCY_BY_REGION_BIT: it orders only accesses to the same "
			"layer, but the first access is in layer %u, the second in layer %u",
			name, first.layer, second.layer);
	else if (are_other_samples(&first, &second))
		vkr_text_add(
			words,
			"%s has VK_DEPENDENCY_BY_REGION_BIT: it orders only accesses to the same "
			"sample, but the first access is at samples 0x%x, the second at 0x%x",
			name, first.samples, second.samples);
	else
		vkr_text_add(words,
			     "%s has VK_DEPENDENCY_BY_REGION_BIT: it orders only accesses to the "
			     "same pixel, but the first access is at pixel (%u, %u), the second at "
			     "pixel (%u, %u)",
			     name, first.x, first.y, second.x, second.y);
}

void vkr_framebuffer_change(const struct vkr_model *model, const struct vkr_engine_race *race,
			    const struct vkr_text *split, struct vkr_text *words)
{
	const bool view = by_view(model, race);
	vkr_text_add(words, "leave %s out of the flags of %s, or access %s only what belongs to it",
		     view ? "VK_DEPENDENCY_VIEW_LOCAL_BIT" : "VK_DEPENDENCY_BY_REGION_BIT",
		     vkr_text_text(split), view ? "in each view" : "at each pixel");
}
