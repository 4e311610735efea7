// SPDX-License-Identifier: Apache-2.0
// Judges the possible reads of the views that a command's shaders sampled where precision decides.
// Knows views and timelines; not which samples those were.
#include "possible_texels.h"

#include "array.h"
#include "command_walk.h"
#include "error.h"

#include <stdlib.h>

#define STAGE_BITS 6u

bool vkr_possible_texels_note(struct vkr_possible_texels *possible, struct vkr_bound_texels *bound,
			      struct vkr_program_access *access)
{
	if (bound->possible)
		return true;
	if (!VKR_ARRAY_RESERVE(&possible->views, 1))
		return false;
	bound->possible = true;
	possible->views.items[possible->views.count++] = (struct vkr_possible_view){bound, access};
	return true;
}

void vkr_possible_texels_finish(struct vkr_possible_texels *possible)
{
	free(possible->views.items);
	free(possible->places.items);
	vkr_map_finish(&possible->place_of);
}

// The entry that says where the view was last judged for this stage; a new one names no timeline.
// NULL for lack of memory.
static struct vkr_possible_place *place_of(struct vkr_possible_texels *possible,
					   const struct vkr_image_view *view, uint32_t stage)
{
	const uint64_t key =
		(uint64_t)view->reference << STAGE_BITS | (unsigned)__builtin_ctz(stage | 1u << 31);
	uint64_t found = 0;
	if (!vkr_map_get(&possible->place_of, key, &found)) {
		if (!VKR_ARRAY_RESERVE(&possible->places, 1) ||
		    !vkr_map_set(&possible->place_of, key, possible->places.count + 1))
			return NULL;
		possible->places.items[possible->places.count++] = (struct vkr_possible_place){0};
		found = possible->places.count;
	}
	return &possible->places.items[found - 1];
}

static enum vkr_result judge_view(struct vkr_walk *walk, const struct vkr_program *program,
				  const struct vkr_possible_view *of)
{
	const struct vkr_image_view *view = of->bound->view;
	struct vkr_locations locations = {0};
	uint32_t site = 0;
	enum vkr_result result = vkr_program_possible_site(program, of->access, &site, walk->error);
	if (result == VKR_OK &&
	    !vkr_image_add_subresources(view->image, &view->subresources, &locations))
		result = vkr_error_memory(walk->error, "texels");
	for (size_t at = 0; at < locations.count && result == VKR_OK; at++)
		result = vkr_engine_access_range(
			walk->model->engine, walk->command, site, locations.items[at].memory->id,
			locations.items[at].offset, locations.items[at].bytes, walk->error);
	vkr_locations_finish(&locations);
	return result;
}

// While the order of a timeline stays as it is, whatever conflicts with a later read of the view in
// the same stage conflicts with the first: nothing is ordered between the two.
enum vkr_result vkr_walk_possible_texels(struct vkr_walk *walk, const struct vkr_program *program,
					 struct vkr_possible_texels *possible, uint64_t changes)
{
	const struct vkr_possible_place here = {walk->queue->timeline, changes};
	enum vkr_result result = VKR_OK;
	for (size_t at = 0; at < possible->views.count && result == VKR_OK; at++) {
		const struct vkr_possible_view *of = &possible->views.items[at];
		struct vkr_possible_place *place =
			place_of(possible, of->bound->view, program->shader->stage);
		if (place == NULL)
			return vkr_error_memory(walk->error, "texels");
		if (place->timeline == here.timeline && place->changes == here.changes)
			continue;
		*place = here;
		result = judge_view(walk, program, of);
	}
	return result;
}
